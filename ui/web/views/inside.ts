/* Inside a head: the line of all operations, the card of one (or all of them), and the terms of the number asked about. */

/** @import { Host, Mounting, Numbers } from '../types' */
/** @import { At, CardMeta, Why } from './inside_numbers.js' */

import { unpack, within } from '../base/arrays.js';
import { keyList } from '../base/controls.js';
import { el, say } from '../base/dom.js';
import { bus, linked, listenTo, pageKeys } from '../base/events.js';
import { mount, setKind } from '../base/view.js';
import { visible } from '../base/words.js';
import { Flow } from './inside_flow.js';
import { fly, snapshot } from './inside_motion.js';
import { CardNumbers } from './inside_numbers.js';
import { Section } from './inside_section.js';

/**
 * What ui/components/inside_view.py says of the whole. `picked` is the open card and the cell asked about, whose row counts in the
 * tensor.
 * @typedef {{ cards: CardMeta[], kind: 'encoder' | 'causal' | 'cross', layer: number, head: number, token: string, writes: string,
 *   stamp: string, picked: [string, number | null, number | null], every: boolean, report: boolean, file: string }} Meta
 */

const KEYS = /** @type {const} */ ([
  ['N P', 'the next operation, the one before'],
  ['← ↑ → ↓', 'from number to number'],
  ['Enter', 'why is this number so?'],
  ['Esc', 'close the answer'],
  ['A', 'all operations, or one'],
  ['?', 'this list'],
]);

export class Inside {
  /**
   * @param {HTMLElement} root
   * @param {Host} host
   */
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.keys = keyList(KEYS);
    this.flow = new Flow(host, (key) => this.open(key));
    this.title = el('p', { class: 'inside-title' });
    this.whole = el('button', { type: 'button', class: 'button small', onclick: () => this.turn() });
    const head = el(
      'div',
      { class: 'inside-head' },
      this.title,
      this.whole,
      this.keys.button,
      this.keys.list,
    );
    this.stage = el('div', { class: 'inside-stage' });
    this.before = el('button', { type: 'button', class: 'button', onclick: () => this.step(-1) });
    this.after = el('button', { type: 'button', class: 'button', onclick: () => this.step(1) });
    this.turning = el('div', { class: 'inside-turning' }, this.before, this.after);
    root.append(el('div', { class: 'inside' }, head, this.flow.node, this.stage, this.turning));
    this.meta = /** @type {Meta} */ (/** @type {unknown} */ (null));
    /** @type {CardNumbers[]} */
    this.cards = [];
    /** @type {Map<string, Section>} */
    this.sections = new Map();
    this.key = '';
    /** @type {[number, number] | null} the cell asked about, its row counted in the tensor */
    this.asked = null;
    this.every = false;
    /** @type {Why | null} */
    this.why = null;
    this.land = () => {};
    this.picked = linked(host, 'picked');
    this.wholeNews = linked(host, 'every');
    listenTo(host, 'inside-terms', (data) => this.hear(data));
    this.listen();
  }

  listen() {
    const walk = (/** @type {number} */ down, /** @type {number} */ right) => () => {
      const section = this.sections.get(this.key);
      if (!section) return false;
      const { rows, cols } = section.numbers.meta;
      const { row, col } = section.at;
      section.hovered = null;
      this.pin(
        this.key,
        { row: within(0, row + down, rows.length - 1), col: within(0, col + right, cols.length - 1) },
        false,
      );
      return true;
    };
    pageKeys(this.host, {
      ArrowLeft: walk(0, -1),
      ArrowRight: walk(0, 1),
      ArrowUp: walk(-1, 0),
      ArrowDown: walk(1, 0),
      n: () => this.step(1),
      p: () => this.step(-1),
      a: () => this.turn(),
      Escape: () => (this.keys.isOpen() ? this.keys.hide() : this.asked ? this.pin(this.key, null) : false),
      '?': () => this.keys.toggle(),
    });
  }

  get place() {
    return this.cards.findIndex(({ meta }) => meta.key === this.key);
  }

  /** @param {number} by */
  step(by) {
    const next = this.cards[this.place + by];
    return next ? this.open(next.meta.key) : false;
  }

  /** Open one operation; in the list of all, go there. @param {string} key */
  open(key) {
    if (key !== this.key) {
      const old = this.every ? null : snapshot(this.sections.get(this.key)?.rowOnPage() ?? null);
      this.key = key;
      this.asked = null;
      this.report();
      this.show();
      this.land();
      this.land = fly(this.host, old, this.sections.get(key)?.rowOnPage() ?? null);
    }
    if (this.every) this.sections.get(key)?.node.scrollIntoView({ block: 'nearest' });
  }

  /** One operation, or all below one another. */
  turn() {
    this.every = !this.every;
    if (this.meta.report) this.wholeNews.report(this.every);
    this.show();
    if (this.every) this.sections.get(this.key)?.node.scrollIntoView({ block: 'nearest' });
  }

  /**
   * Ask about a number, or, a second time, no longer.
   * @param {string} key
   * @param {At | null} at
   */
  pin(key, at, toggles = true) {
    const moved = key !== this.key;
    const last = this.sections.get(this.key);
    const first = this.cards.find(({ meta }) => meta.key === key)?.meta.first ?? 0;
    const asked = at && /** @type {[number, number]} */ ([first + at.row, at.col]);
    const again =
      !moved && toggles && asked && this.asked && asked[0] === this.asked[0] && asked[1] === this.asked[1];
    this.key = key;
    this.asked = again ? null : asked;
    this.report();
    if (moved) last?.draw();
    this.sections.get(key)?.draw();
    this.sections.get(key)?.reveal();
    this.answer();
    this.mark();
  }

  report() {
    if (this.meta.report) this.picked.report([this.key, ...(this.asked ?? [null, null])]);
  }

  /** What Python says of a number. @param {any} data */
  hear(data) {
    if (!data?.meta) this.why = null;
    else this.why = { meta: data.meta, a: unpack(data.a), b: unpack(data.b), terms: unpack(data.terms) };
    this.answer();
  }

  /** Put the terms under the matrix that they are of; while those of another number are on their way, the last ones stay. */
  answer() {
    if (!this.meta) return;
    const { why, asked } = this;
    const fits =
      asked &&
      why?.meta.stamp === this.meta.stamp &&
      why.meta.card === this.key &&
      why.meta.row === asked[0] &&
      why.meta.column === asked[1];
    for (const [key, section] of this.sections) {
      if (key !== this.key || !asked) section.answer(null, false);
      else if (fits) section.answer(why, false);
      else section.why.node.classList.add('why-waiting');
    }
  }

  mark() {
    const place = this.place;
    this.flow.mark(this.key, this.cards[place]?.meta.reads ?? []);
    const [before, after] = [this.cards[place - 1]?.meta.title, this.cards[place + 1]?.meta.title];
    say(this.before, before ? [`← ${before}`] : []);
    say(this.after, after ? [`${after} →`] : []);
    this.before.hidden = !before;
    this.after.hidden = !after;
    this.turning.hidden = this.every;
  }

  /** The sections that are to be seen, laid out. */
  show() {
    const shown = this.cards.filter(({ meta }) => this.every || meta.key === this.key);
    const keys = new Set(shown.map(({ meta }) => meta.key));
    for (const key of this.sections.keys()) if (!keys.has(key)) this.sections.delete(key);
    for (const numbers of shown) {
      const { key } = numbers.meta;
      if (!this.sections.has(key)) this.sections.set(key, this.section(numbers));
    }
    const nodes = shown.map(({ meta }) => /** @type {Section} */ (this.sections.get(meta.key)).node);
    const same =
      nodes.length === this.stage.children.length &&
      nodes.every((node, n) => this.stage.children[n] === node);
    if (!same) this.stage.replaceChildren(...nodes);
    for (const numbers of shown) this.sections.get(numbers.meta.key)?.update(numbers);
    this.whole.textContent = this.every ? 'one operation' : 'all operations';
    this.mark();
    this.answer();
  }

  /** @param {CardNumbers} numbers */
  section(numbers) {
    const { key } = numbers.meta;
    return new Section(this.host, numbers, {
      pin: (at) => this.pin(key, at),
      pinned: () => this.pinnedIn(key),
      file: () => this.meta.file,
      kind: () => this.meta.kind,
    });
  }

  /** The cell asked about among the rows that are drawn. @param {string} key @returns {At | null} */
  pinnedIn(key) {
    const numbers = this.cards.find(({ meta }) => meta.key === key);
    if (key !== this.key || !this.asked || !numbers) return null;
    const row = this.asked[0] - numbers.meta.first;
    return row >= 0 && row < numbers.meta.rows.length ? { row, col: this.asked[1] } : null;
  }

  /** @param {{ meta: Meta, numbers: any, why: any }} next */
  update({ meta, numbers, why }) {
    const all = unpack(numbers);
    let from = 0;
    this.cards = meta.cards.map((each) => {
      const count = each.rows.length * each.cols.length;
      from += count;
      return new CardNumbers(each, /** @type {Numbers} */ (all.subarray(from - count, from)));
    });
    const first = !this.meta;
    this.meta = meta;
    const [key, row, column] = meta.picked;
    if (this.picked.isNews(meta.picked) || this.place < 0) {
      this.key = key;
      this.asked = row === null || column === null ? null : [row, column];
    }
    if (this.wholeNews.isNews(meta.every)) this.every = meta.every;
    setKind(this.root, this.host, meta.kind);
    const names = {
      encoder: 'encoder self-attention',
      causal: 'decoder self-attention',
      cross: 'cross-attention',
    };
    say(this.title, [
      'Head ',
      { kind: `${meta.layer}.${meta.head}` },
      ` of ${names[meta.kind]}, at `,
      { strong: `“${visible(meta.token)}”` },
      ...(meta.writes ? [', which writes ', { strong: `“${visible(meta.writes)}”` }] : []),
    ]);
    this.flow.update(this.cards, meta.kind);
    this.show();
    const heard = why ?? bus().last['inside-terms'];
    if (heard) this.hear(heard);
    // A link to one of all operations shows it first.
    if (first && this.every && this.place > 0)
      this.sections.get(this.key)?.node.scrollIntoView({ block: 'start' });
  }

  relayout() {
    if (!this.meta) return;
    this.flow.update(this.cards, this.meta.kind);
    this.show();
  }

  destroy() {
    this.land();
  }
}

/** @param {Mounting<any>} args */
export default function view(args) {
  return mount(args, (root, host) => new Inside(root, host));
}
