/* The translation without the open heads beside the one with them, and how the probability of each word changes. */

import type { Options } from '../../web/engine/decode.ts';
import type { Engine } from '../../web/engine/engine.ts';
import type { AblationData, Kind, LivePicture } from '../../web/generated/types.ts';
import type { Host } from '../../web/base/view.ts';
import type { Word } from './rewriting.ts';
import { el } from '../../web/base/dom.ts';
import { plural, tr } from '../../web/base/language.ts';
import { CardView, show } from '../../web/base/view.ts';
import { percent, topIndices, visible } from '../../web/base/words.ts';
import { quoted } from '../../web/maps/sentence.ts';
import { ablate } from '../../web/engine/engine.ts';
import { rewriting } from './rewriting.ts';
import { pairOf, viewRoot } from './views.ts';
import './ablation.css';

const NAMED = 6; // words whose probabilities are shown
const POINT = 0.01; // a fall that is worth naming

/** What became of the text, in one sentence. */
function outcome(given: string, before: Word[], after: Word[]) {
  const [lost, added] = [before, after].map((words) => words.filter(({ same }) => !same));
  const phrase = (words: Word[]) => quoted(words.map(({ text }) => text).join(' '));
  const few = Math.max(lost.length, added.length) <= 3;
  if (!lost.length && !added.length) return tr('{given} the translation stays the same', { given });
  if (!after.length) return tr('{given} the model writes nothing', { given });
  if (!added.length && few) return tr('{given} the model leaves out {lost}', { given, lost: phrase(lost) });
  if (!lost.length && few) return tr('{given} the model adds {new}', { given, new: phrase(added) });
  if (lost.length === 1 && added.length === 1) {
    return tr('{given} the model writes {new} instead of {lost}', {
      given,
      new: phrase(added),
      lost: phrase(lost),
    });
  }
  const kept = before.length - lost.length;
  const total = Math.max(before.length, after.length);
  if (3 * kept < 2 * total) return tr('{given} the model writes something else', { given });
  return plural(
    '{given} {count} of {total} words changes',
    '{given} {count} of {total} words change',
    Math.max(lost.length, added.length),
    { given, total: before.length },
  );
}

class Ablation extends CardView {
  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'ablation');
    this.parts.node.append(this.parts.readout);
  }

  update({ heads, before, after, words }: AblationData) {
    const { body, node, tell } = this.parts;
    const named =
      heads.length === 1
        ? tr('head {name}', { name: heads[0] })
        : plural('{count} head', '{count} heads', heads.length);
    const given = tr('Without {heads}', { heads: named });
    node.classList.toggle('waiting', after === null);
    if (after === null) return tell({ title: `${given} …` });
    const change = rewriting(before, after);
    const line = (list: Word[], mark: 'del' | 'ins') =>
      list.flatMap(({ text, same, spaced }) => [
        spaced ? ' ' : '',
        same ? document.createTextNode(text) : el(mark, {}, text),
      ]);
    const lines = el(
      'dl',
      { class: 'atlas-lines-two long' },
      el('dt', { class: 'before' }, el('i'), tr('Before')),
      el('dd', { dir: 'auto' }, ...line(change.before, 'del')),
      el('dt', { class: 'after' }, el('i'), tr('After')),
      el('dd', { dir: 'auto' }, ...line(change.after, 'ins')),
    );
    const shown = topIndices(
      words.map((word) => Math.abs(word.after - word.before)),
      NAMED,
    ).sort((a, b) => a - b);
    const items = shown.map((n) => {
      const { label, before: high, after: low } = words[n];
      const numbers = `${percent(high, 1)} → ${percent(low, 1)}`;
      return el(
        'li',
        { class: Math.abs(high - low) >= POINT ? 'changed' : null },
        el('bdi', {}, visible(label)),
        el('span', {}, numbers),
      );
    });
    const sure = tr('How sure the model is of each token');
    body.replaceChildren(lines, el('ul', { class: 'ablation-words', 'aria-label': sure }, ...items));
    tell({
      title: outcome(given, change.before, change.after),
      subtitle: tr('The head output is set to zero'),
      readout: this.sentence(words),
    });
  }

  /** The word that falls most. */
  private sentence(words: AblationData['words']) {
    const [worst] = topIndices(
      words.map((word) => word.before - word.after),
      1,
    ).map((n) => words[n]);
    if (!worst || worst.before - worst.after < POINT)
      return tr('No token loses as much as 1 percentage point');
    const [before, after] = [percent(worst.before, 1), percent(worst.after, 1)];
    return tr('The probability of {word} goes from {before} to {after}.', {
      word: quoted(worst.label),
      before,
      after,
    });
  }
}

/** The probability that each token was written with. */
const certainties = ({ steps }: LivePicture) =>
  steps.map(
    ({ ids, probabilities, chosen, extra }) => extra?.probability ?? probabilities[ids.indexOf(chosen ?? -1)],
  );

/** Computes the card whenever other heads are open, or another text is shown. */
export class AblationCard {
  readonly node = viewRoot('ablation');
  private running = new AbortController();
  private data: AblationData | null = null;
  private of = '';
  /** Takes the view down, once it is off the page. */
  close = () => {};

  /** @param name what the picture is of */
  async update(
    engine: Engine,
    picture: LivePicture,
    options: Options,
    name: string,
    kind: Kind,
    heads: number[],
  ) {
    const of = JSON.stringify([name, kind, heads]);
    if (of === this.of) return this.draw();
    this.of = of;
    this.running.abort();
    const { signal } = (this.running = new AbortController());
    const pairs = heads.map((head) => pairOf(picture, kind, head));
    const names = pairs.map((pair) => pair.join('.'));
    const { text, source_ids, ids, target } = picture;
    this.data = heads.length ? { heads: names, before: text, after: null, words: [] } : null;
    this.draw();
    if (!heads.length) return;
    const without = pairs.map(([layer, head]) => [kind, layer, head] as const);
    try {
      const made = await ablate(engine, source_ids, ids, without, options, { signal });
      const before = certainties(picture);
      const words = target.map((label, n) => ({ label, before: before[n], after: made.probabilities[n] }));
      this.data = { heads: names, before: text, after: made.text, words };
      this.draw();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  draw() {
    this.node.hidden = !this.data;
    const page = { parentElement: this.node };
    if (this.data) this.close = show(page, this.data, (root, host) => new Ablation(root, host));
  }
}
