/* “Why is this 0.71?”: the terms of one number as strips with their running sum, the largest in words, and the steps after the sum. */

import type { Colours } from '../web/base/colour.ts';
import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { Term, WhyData } from '../web/generated/types.ts';
import { grouped, labelled, plural, tr } from '../web/base/language.ts';
import { divergingTable } from '../web/base/colour.ts';
import { el, say } from '../web/base/dom.ts';
import { exportMenu, exportWidth } from '../web/marks/leaving.ts';
import { AT_RIGHT, canvasPainter, fitCanvas, shorten, textWidth, typeSize } from '../web/base/paint.ts';
import { placer } from '../web/maps/sheet.ts';
import { numeral, runningSum, signed, strongestOf, termTable } from './inside_numbers.ts';

const STRIP = 15; // pixels of the design
const GAP = 7;
const CURVE = 64;
const WORDS = {
  relu: 'ReLU',
  gelu: 'GELU',
  gelu_tanh: 'GELU',
  silu: 'SiLU',
  sin: 'sin',
  cos: 'cos',
  of: '÷',
};

/** The rows of the picture: (name, numbers) from above. */
function strips(why: WhyData): [string, ArrayLike<number>][] {
  const { a, b, terms } = why;
  if (terms.length < 2) return [];
  const factors: [string, ArrayLike<number>][] = a.length
    ? [
        [why.a_name, a],
        [`× ${why.b_name}`, b],
      ]
    : [];
  return [...factors, [a.length ? tr('= products') : why.what || tr('terms'), terms]];
}

/** How tall the picture is, in pixels. */
const termsHeight = (why: WhyData, u: number) => {
  const count = strips(why).length;
  return count ? (count * (STRIP + GAP) + CURVE + 14) * u : 0;
};

/**
 * The strips, and below them the running sum over the terms.
 * @param ink colour of the curve
 */
function paintTerms(p: Painter, why: WhyData, room: number, u: number, c: Colours, ink: string) {
  const rows = strips(why);
  if (!rows.length) return;
  const size = typeSize(12, u);
  const table = divergingTable(c);
  const names = [...rows.map(([name]) => name), tr('running sum')];
  const left = Math.min(room * 0.36, Math.max(...names.map((name) => textWidth(name, size, false))) + 10 * u);
  const end = textWidth(`Σ ${numeral(why.total)}`, size, false) + 16 * u;
  const width = Math.max(40, room - left - end);
  const label = (words: string, y: number) =>
    p.text(left - 8 * u, y, shorten(words, left - 8 * u, size, false), { ...AT_RIGHT, size, fill: c.muted });
  rows.forEach(([name, values], n) => {
    const y = n * (STRIP + GAP) * u;
    const shown = strongestOf(values, Math.floor(width));
    const top = Math.max(...shown.map(Math.abs)) || 1;
    const position = placer('diverging', top);
    const w = width / shown.length;
    p.rect(left, y, width, STRIP * u, { fill: c.soft });
    shown.forEach((value, k) =>
      p.rect(left + k * w, y, Math.max(0.5, w - (w > 5 * u ? u : 0)), STRIP * u, {
        fill: table[position(value)],
      }),
    );
    label(name, y + (STRIP / 2) * u);
  });
  const above = rows.length * (STRIP + GAP) * u + 4 * u;
  paintCurve(p, why, { x: left, y: above, w: width, h: CURVE * u }, u, c, ink);
  label(tr('running sum'), above + (CURVE / 2) * u);
}

function paintCurve(
  p: Painter,
  why: WhyData,
  { x, y, w, h }: { x: number; y: number; w: number; h: number },
  u: number,
  c: Colours,
  ink: string,
) {
  const { terms } = why;
  const sums = [0, ...runningSum(terms, Math.min(terms.length, Math.floor(w)))];
  const [low, high] = [Math.min(...sums), Math.max(...sums)];
  const toY = (value: number) => y + h - ((value - low) / (high - low || 1)) * h;
  p.rect(x, toY(0), w, 1, { fill: c.line });
  const at = (n: number) => `${(x + (n * w) / (sums.length - 1)).toFixed(2)} ${toY(sums[n]).toFixed(2)}`;
  p.path(sums.map((_, n) => `${n ? 'L' : 'M'}${at(n)}`).join(''), { stroke: ink, width: 1.8 * u });
  p.circle(x + w, toY(sums[sums.length - 1]), 3.2 * u, { fill: ink });
  const words = `Σ ${numeral(why.total)}`;
  p.text(x + w + 8 * u, toY(sums[sums.length - 1]), words, {
    size: typeSize(12, u),
    baseline: 'middle',
    weight: 600,
    fill: c.ink,
  });
}

/** The answer below a matrix. */
export class WhyBox {
  question = el('h4', { class: 'why-question' });
  formula = el('p', { class: 'why-formula' });
  canvas = el('canvas', { class: 'picture', role: 'img' });
  list = el('ol', { class: 'why-terms' });
  steps = el('p', { class: 'why-steps' });
  why: WhyData | null = null;
  picture = el('div', { class: 'why-picture' }, this.canvas, this.steps);
  node: HTMLDivElement;

  constructor(
    readonly host: Host,
    readonly cellName: (row: number, column: number) => string,
  ) {
    const head = el(
      'div',
      { class: 'why-head' },
      el('div', {}, this.question, this.formula),
      exportMenu(host, this.leaving()),
    );
    this.node = el(
      'div',
      { class: 'why', hidden: true },
      head,
      el('div', { class: 'why-body' }, this.picture, this.list),
    );
  }

  leaving(): Leaving {
    const u = () => this.host.scale;
    const room = () => exportWidth(this.picture.clientWidth, u());
    return {
      name: () => `why-${this.why?.card}-${this.why?.row}-${this.why?.column}`,
      title: () => this.question.textContent ?? '',
      subtitle: () => this.formula.textContent ?? '',
      size: () => [room(), this.why ? termsHeight(this.why, u()) : 0],
      draw: (p) => this.why && paintTerms(p, this.why, room(), u(), this.host.colours, this.ink),
      words: () => this.steps.textContent ?? '',
      rows: () => (this.why ? termTable(this.why) : []),
    };
  }

  get ink() {
    return getComputedStyle(this.node).getPropertyValue('--kind-text').trim() || this.host.colours.ink;
  }

  /** @param why null if no number is selected */
  show(why: WhyData | null) {
    this.why = why;
    this.node.hidden = !why;
    this.node.classList.remove('why-waiting');
    if (!why) return;
    say(this.question, [
      tr('Why is this {number}?', { number: numeral(why.shown) }),
      { muted: this.cellName(why.row, why.column) },
    ]);
    this.formula.textContent = why.formula;
    this.steps.replaceChildren(...chain(why));
    this.list.replaceChildren(...terms(why));
    this.list.hidden = why.count < 2;
    this.draw();
  }

  draw() {
    const { why, host } = this;
    if (!why || this.node.hidden) return;
    const height = termsHeight(why, host.scale);
    this.canvas.hidden = !height;
    if (!height) return;
    const room = this.picture.clientWidth;
    const painter = canvasPainter(fitCanvas(this.canvas, room, height));
    paintTerms(painter, why, room, host.scale, host.colours, this.ink);
    this.canvas.setAttribute(
      'aria-label',
      plural('{count} term, together {total}', '{count} terms, together {total}', why.count, {
        total: numeral(why.total),
      }),
    );
  }
}

/** What the sum is of. */
const sumName = ({ what, count }: WhyData) =>
  what
    ? tr('Σ of {count} × {what}', { count: grouped(count), what })
    : tr('Σ of {count} terms', { count: grouped(count) });

/** The sum and what is done with it, as pieces of a line. */
function chain(why: WhyData) {
  const first = why.count > 1 ? sumName(why) : why.largest[0].name;
  const pieces = [el('span', { class: 'why-step' }, `${first} `, el('b', {}, numeral(why.total)))];
  let now = numeral(why.total);
  for (const [op, name, number, result] of why.steps) {
    const sign = WORDS[op as keyof typeof WORDS] ?? op;
    const share = op === 'of' ? el('b', {}, `${numeral(number ?? 0)} ÷ ${now}`) : null;
    const piece = number === null ? [sign] : [`${sign} ${name} `, el('b', {}, numeral(number))];
    pieces.push(el('span', { class: 'why-step' }, ...(share ? [labelled(name, ''), share] : piece)));
    now = numeral(result);
  }
  const equal = el('span', { class: 'why-step why-value' }, '= ', el('b', {}, numeral(why.value)));
  return [...pieces, equal];
}

/** The largest terms, each with a bar, and the sum of the others. */
function terms(why: WhyData) {
  const most = Math.max(...why.largest.map(({ value }) => Math.abs(value)), Math.abs(why.others)) || 1;
  const own = why.steps.find(([op]) => op === 'of')?.[2]; // the share that is asked about
  const lines = why.largest.map((term) => line(term, most, term.value === own));
  const rest = why.count - why.largest.length;
  if (rest > 0) {
    const name = plural('{count} other term', '{count} other terms together', rest);
    lines.push(line({ index: -1, name, value: why.others, a: null, b: null }, most));
  }
  return lines;
}

function line({ name, value, a, b }: Term, most: number, own = false) {
  const share = (50 * Math.abs(value)) / most;
  const bar = el('i', { class: value < 0 ? 'why-bar why-less' : 'why-bar' });
  bar.style.cssText = value < 0 ? `right:50%;width:${share}%` : `left:50%;width:${share}%`;
  const product = a === null || b === null ? '' : `${numeral(a, 3)} × ${numeral(b, 3)}`;
  return el(
    'li',
    { class: own ? 'why-own' : null },
    el('span', { class: 'why-name' }, name),
    el('span', { class: 'why-product' }, product),
    el('span', { class: 'why-track' }, bar),
    el('span', { class: 'why-number' }, signed(value)),
  );
}
