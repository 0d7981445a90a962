/* Inside a head: the line of all operations, the card of one (or all of them), and the terms of the number asked about. */

import type { Host } from '../web/base/view.ts';
import type { InsideAnswers, InsideData, Picked, WhyData } from '../web/generated/types.ts';
import type { At } from '../web/maps/selection.ts';
import { keyList } from '../web/base/controls.ts';
import { el, say } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { bus, linked, listenTo, pageKeys } from '../web/base/events.ts';
import { setKind, viewOf } from '../web/base/view.ts';
import { within } from '../web/base/words.ts';
import { arrowKeys } from '../web/marks/pointer.ts';
import { CardNumbers } from './inside_numbers.ts';
import { Flow, Turning, answers, fly, insideTitle, snapshot } from './inside_overview.ts';
import { Section } from './inside_section.ts';
import './inside.css';

const keysOfPage = () =>
  [
    ['N P', tr('the next operation, the one before')],
    ['← ↑ → ↓', tr('from number to number')],
    ['Enter', tr('why this number?')],
    ['Esc', tr('close the answer')],
    ['A', tr('all operations, or one')],
    ['?', tr('this list')],
  ] as const;

export class Inside {
  keys = keyList(keysOfPage());
  flow: Flow;
  title = el('p', { class: 'inside-title' });
  whole = el('button', { class: 'button small', onclick: () => this.turn() });
  stage = el('div', { class: 'inside-stage' });
  turning = new Turning((by) => this.step(by));
  meta!: InsideData;
  cards: CardNumbers[] = [];
  sections = new Map<string, Section>();
  key = '';
  /** the cell asked about, its row counted in the tensor */
  asked: [number, number] | null = null;
  every = false;
  why: WhyData | null = null;
  land = () => {};
  picked: ReturnType<typeof linked<Picked>>;
  everyCard: ReturnType<typeof linked<boolean>>;

  constructor(
    root: HTMLElement,
    readonly host: Host,
  ) {
    this.flow = new Flow(host, (key) => this.open(key));
    const head = el(
      'div',
      { class: 'inside-head' },
      this.title,
      this.whole,
      this.keys.button,
      this.keys.list,
    );
    root.append(el('div', { class: 'inside' }, head, this.flow.node, this.stage, this.turning.node));
    this.picked = linked<InsideAnswers['picked']>(host, 'picked');
    this.everyCard = linked<InsideAnswers['every']>(host, 'every');
    listenTo(host, 'inside-terms', (why) => this.explain(why));
    listenToKeys(this);
  }

  get index() {
    return this.cards.findIndex(({ meta }) => meta.key === this.key);
  }

  step(by: number) {
    const next = this.cards[this.index + by];
    return next ? this.open(next.meta.key) : false;
  }

  /** Open one operation; in the list of all, go there. */
  open(key: string) {
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
    if (this.meta.report) this.everyCard.report(this.every);
    this.show();
    if (this.every) this.sections.get(this.key)?.node.scrollIntoView({ block: 'nearest' });
  }

  /** Ask about a number, or, a second time, no longer. */
  pin(key: string, at: At | null, toggles = true) {
    const moved = key !== this.key;
    const last = this.sections.get(this.key);
    const first = this.cards.find(({ meta }) => meta.key === key)?.meta.first ?? 0;
    const asked = at && ([first + at.row, at.col] as [number, number]);
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
    if (this.meta.report) this.picked.report({ card: this.key, cell: this.asked });
  }

  /** The terms of a number have come from Python. */
  explain(why: WhyData | null) {
    this.why = why;
    this.answer();
  }

  /** Put the terms under the matrix that they are of; while those of another number are on their way, the last ones stay. */
  answer() {
    if (!this.meta) return;
    const { why, asked } = this;
    const fits = answers(why, this.meta.stamp, this.key, asked);
    for (const [key, section] of this.sections) {
      if (key !== this.key || !asked) section.why.show(null);
      else if (fits) section.why.show(why);
      else section.why.node.classList.add('why-waiting');
    }
  }

  mark() {
    const { index } = this;
    this.flow.mark(this.key, this.cards[index]?.meta.reads ?? []);
    this.turning.show(this.cards[index - 1]?.meta.title, this.cards[index + 1]?.meta.title);
    this.turning.node.hidden = this.every;
  }

  /** The sections that are to be seen, laid out. */
  show() {
    const shown = this.cards.filter(({ meta }) => this.every || meta.key === this.key);
    const keys = new Set(shown.map(({ meta }) => meta.key));
    for (const key of this.sections.keys()) if (!keys.has(key)) this.sections.delete(key);
    for (const numbers of shown) {
      const { key } = numbers.meta;
      if (!this.sections.has(key)) this.sections.set(key, new Section(this, numbers));
    }
    const nodes = shown.map(({ meta }) => (this.sections.get(meta.key) as Section).node);
    const same =
      nodes.length === this.stage.children.length &&
      nodes.every((node, n) => this.stage.children[n] === node);
    if (!same) this.stage.replaceChildren(...nodes);
    for (const numbers of shown) this.sections.get(numbers.meta.key)?.update(numbers);
    this.whole.textContent = this.every ? tr('One operation') : tr('All operations');
    this.mark();
    this.answer();
  }

  /** The cell asked about among the rows that are drawn. */
  pinnedIn(key: string): At | null {
    const numbers = this.cards.find(({ meta }) => meta.key === key);
    if (key !== this.key || !this.asked || !numbers) return null;
    const row = this.asked[0] - numbers.meta.first;
    return row >= 0 && row < numbers.meta.rows.length ? { row, col: this.asked[1] } : null;
  }

  update(meta: InsideData) {
    this.cards = meta.cards.map((each) => new CardNumbers(each));
    const first = !this.meta;
    this.meta = meta;
    if (this.picked.isNews(meta.picked) || this.index < 0) {
      this.key = meta.picked.card;
      this.asked = meta.picked.cell;
    }
    if (this.everyCard.isNews(meta.every)) this.every = meta.every;
    setKind(this.host, meta.kind);
    say(this.title, insideTitle(meta));
    this.flow.update(this.cards, meta.kind);
    this.show();
    const why = meta.why ?? bus().last['inside-terms'];
    if (why !== undefined) this.explain(why);
    // A link to one of all operations shows it first.
    if (first && this.every && this.index > 0)
      this.sections.get(this.key)?.node.scrollIntoView({ block: 'start' });
  }

  relayout() {
    this.flow.update(this.cards, this.meta.kind);
    this.show();
  }

  destroy() {
    this.land();
  }
}

/** The keys of the page: from number to number, from operation to operation. */
function listenToKeys(view: Inside) {
  const walk = (down: number, right: number) => {
    const section = view.sections.get(view.key);
    if (!section) return false;
    const { rows, cols } = section.numbers.meta;
    const { row, col } = section.at;
    section.hovered = null;
    view.pin(
      view.key,
      { row: within(0, row + down, rows.length - 1), col: within(0, col + right, cols.length - 1) },
      false,
    );
    return true;
  };
  pageKeys(view.host, {
    ...arrowKeys(walk),
    n: () => view.step(1),
    p: () => view.step(-1),
    a: () => view.turn(),
    Escape: () => (view.keys.isOpen() ? view.keys.hide() : view.asked ? view.pin(view.key, null) : false),
    '?': () => view.keys.toggle(),
  });
}

export default viewOf(Inside);
