/* A head's picture from the wall, shown until its exact numbers come from Python. */

import type { Topics } from '../base/topics.ts';
import type { Head, HeadData } from './head.ts';
import { bringIntoSight } from '../base/view.ts';
import { nameOf } from './head_numbers.ts';

const WAIT = 4000; // milliseconds that a head from the wall waits for its exact numbers

export class Ahead {
  /** What is shown ahead. */
  waits: { name: string; timer: number } | null = null;
  /** An answer that came for an earlier one. */
  late: HeadData | null = null;

  constructor(readonly head: Head) {}

  show(said: Topics['heads']) {
    const { open, parts } = this.head;
    if (!open.meta || said.kind !== open.meta.kind) return;
    if (said.heads.length) bringIntoSight(parts.node); // below the wall, as on a phone, it would not be
    clearTimeout(this.waits?.timer);
    const name = nameOf(said.heads);
    this.waits = { name, timer: window.setTimeout(() => this.giveUp(), WAIT) };
    this.late = null;
    const words = JSON.stringify([open.meta.rows.slice(0, open.meta.written), open.meta.cols]);
    const fits =
      open.meta.mode === 'weights' && !open.off.size && JSON.stringify([said.rows, said.cols]) === words;
    const values = fits ? said.values : null;
    parts.node.classList.toggle('waiting', !values && nameOf(open.meta.pairs) !== name);
    if (!values) return;
    const names = said.heads.map((head) => head.join('.'));
    const whole = said.whole.subject;
    const title = names.length ? `Head${names.length > 1 ? 's' : ''} ${names.join(', ')}` : capital(whole);
    const heads = names.map((name) => ({ name, subject: `head ${name}` }));
    open.meta = {
      ...open.meta,
      ...{ pairs: said.heads, exact: values.length, title },
      heads: heads.length ? heads : [{ name: 'all', subject: whole }],
      distribution: names.length > 0 || said.whole.how === 'mean',
    };
    open.maps = values;
    parts.node.dataset.numbers = 'ahead';
    this.head.showWords();
  }

  giveUp() {
    this.waits = null;
    if (this.late) this.head.take(this.late);
  }

  /** Whether an answer is for an earlier head than the one shown; it is kept in case no other comes. */
  keeps(next: HeadData) {
    const { pairs, kind } = next.meta;
    if (!this.waits || kind !== this.head.open.meta.kind || nameOf(pairs) === this.waits.name) return false;
    this.late = next;
    return true;
  }

  /** The exact numbers are there, or the view goes. */
  end() {
    clearTimeout(this.waits?.timer);
    this.waits = this.late = null;
  }
}

const capital = (words: string) => words[0].toUpperCase() + words.slice(1);
