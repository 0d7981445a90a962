/* The numbers of the cards and of the terms of one of them, and how they are said. */

/** @import { Cell, Numbers, Part, Sheet } from '../types' */

import { csvNumber } from '../base/export.js';
import { minus, visible } from '../base/words.js';
import { makeSheet } from '../maps/sheet.js';

/**
 * What ui/components/inside_view.py says of a card. `rows` begin with row `first` of the tensor's `of`; `focus` counts in the
 * tensor.
 * @typedef {{ key: string, part: string, title: string, short: string, formula: string, says: string, shape: string, rows: string[],
 *   cols: string[], row_axis: string, col_axis: string, first: number, of: number, focus: number | null,
 *   band: [number, number] | null, look: 'signed' | 'share', reads: string[] }} CardMeta
 */
/** @typedef {Required<Cell>} At row and column of the part that is drawn */
/**
 * One of the largest terms; `a` and `b` where it is their product.
 * @typedef {{ place: number, name: string, value: number, a?: number, b?: number }} Told
 */
/**
 * Why a number is what it is; steps are [operation, name, number or null, result].
 * @typedef {{ stamp: string, card: string, row: number, column: number, formula: string, count: number, told: Told[],
 *   others: number, total: number, steps: [string, string, number | string | null, number | string][],
 *   value: number | string, shown: number | string, a_name: string, b_name: string, what: string }} WhyMeta
 */
/** @typedef {{ meta: WhyMeta, a: Numbers, b: Numbers, terms: Numbers }} Why */

const MANY = 600; // numbers of a matrix from which on its colours leave out the largest hundredth
const DIGITS = 4;

/**
 * A number with the digits that tell it: 0.7123, 12.35, 1.20e−6.
 * @param {number | string} value
 */
export function numeral(value, most = DIGITS) {
  if (typeof value === 'string') return value;
  if (!Number.isFinite(value)) return value < 0 ? '−∞' : String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) return value.toExponential(2).replaceAll('-', '−').replace('+', '');
  const digits = Math.max(0, most - 1 - Math.max(-1, Math.floor(Math.log10(size))));
  return minus(value.toFixed(Math.min(digits, most)));
}

/** A number with its sign, for a term. @param {number} value */
export const signed = (value) => (value > 0 ? `+${numeral(value)}` : numeral(value));

/** One card with its numbers, (rows, columns). */
export class CardNumbers {
  /**
   * @param {CardMeta} meta
   * @param {Numbers} numbers
   */
  constructor(meta, numbers) {
    this.meta = meta;
    this.numbers = numbers;
  }

  /** @param {number} i @param {number} j */
  at(i, j) {
    return this.numbers[i * this.meta.cols.length + j];
  }

  /** The row of the token in hand among those drawn, or −1. */
  get focus() {
    const { focus, first, rows } = this.meta;
    const row = focus === null ? -1 : focus - first;
    return row < rows.length ? row : -1;
  }

  /** The size in full colour: of many numbers, all but the largest hundredth are smaller. */
  get top() {
    if (this.meta.look === 'share') return 1;
    const sizes = Float64Array.from(this.numbers, Math.abs).filter(Number.isFinite).sort();
    if (!sizes.length) return 1;
    const last = sizes.length - 1;
    return sizes[sizes.length > MANY ? Math.floor(0.99 * last) : last] || 1;
  }

  /** Whether some numbers are larger than full colour. */
  get clipped() {
    const { top } = this;
    return this.meta.look === 'signed' && this.numbers.some((v) => Number.isFinite(v) && Math.abs(v) > top);
  }

  /**
   * @param {string[]} diverging
   * @param {string[]} ramp
   * @returns {Sheet}
   */
  sheet(diverging, ramp) {
    const share = this.meta.look === 'share';
    const { rows, cols } = this.meta;
    /** @param {number} i @param {number} j */
    const at = (i, j) => (Number.isFinite(this.at(i, j)) ? this.at(i, j) : NaN);
    const look = { scale: share ? 'weight' : 'diverging', top: this.top, unit: share ? 'share' : 'number' };
    return makeSheet({ rows, cols }, at, share ? ramp : diverging, /** @type {any} */ (look));
  }

  /** What stands at a cell. @param {At} at @returns {Part[]} */
  cell({ row, col }) {
    const { rows, cols, col_axis } = this.meta;
    const column = /^\d+$/.test(cols[col])
      ? `${columnWord(col_axis)} ${cols[col]}`
      : `“${visible(cols[col])}”`;
    return [
      { strong: `“${visible(rows[row])}”` },
      ' · ',
      { strong: column },
      ': ',
      { kind: numeral(this.at(row, col)) },
    ];
  }

  /** Every number as a line of a table. */
  table() {
    const { key, rows, cols, first } = this.meta;
    /** @type {(string | number)[][]} */
    const lines = [['card', 'row', 'row_token', 'column', 'column_name', 'value']];
    rows.forEach((word, i) =>
      cols.forEach((name, j) => lines.push([key, first + i, word, j, name, csvNumber(this.at(i, j))])),
    );
    return lines;
  }
}

/** What one place along an axis is called. @param {string} axis */
const columnWord = (axis) => (axis === 'd_ff' ? 'unit' : axis === 'heads · d_head' ? 'column' : 'dimension');

/** The terms of a number as lines of a table: its products in their order, then the steps. @param {Why} why */
export function termTable({ meta, a, b, terms }) {
  /** @type {(string | number)[][]} */
  const lines = [['kind', 'place', 'name', 'a', 'b', 'value']];
  const names = new Map(meta.told.map(({ place, name }) => [place, name]));
  if (terms.length)
    Array.from(terms, (value, n) =>
      lines.push([
        'term',
        n,
        names.get(n) ?? '',
        a.length ? csvNumber(a[n]) : '',
        b.length ? csvNumber(b[n]) : '',
        csvNumber(value),
      ]),
    );
  else
    for (const { place, name, value } of meta.told)
      lines.push(['term', place, name, '', '', csvNumber(value)]);
  lines.push(['sum', '', '', '', '', csvNumber(meta.total)]);
  for (const [op, name, number, result] of meta.steps)
    lines.push(['step', op, name, number ?? '', '', result]);
  lines.push(['value', '', meta.formula, '', '', meta.value], ['shown', '', '', '', '', meta.shown]);
  return lines;
}

/**
 * The running sum of the terms at `count` places evenly along them, the last one the whole.
 * @param {ArrayLike<number>} terms
 * @param {number} count
 */
export function runningSum(terms, count) {
  const parts = Math.min(terms.length, Math.max(1, count));
  let [sum, n] = [0, 0];
  return Array.from({ length: parts }, (_, part) => {
    const to = Math.floor(((part + 1) * terms.length) / parts);
    for (; n < to; n++) sum += terms[n];
    return sum;
  });
}

/**
 * The strongest of the values in each of at most `count` even parts.
 * @param {ArrayLike<number>} values
 * @param {number} count
 */
export function strongestOf(values, count) {
  const parts = Math.min(values.length, Math.max(1, count));
  return Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((n) => Math.floor((n * values.length) / parts));
    let best = values[from];
    for (let n = from; n < to; n++) if (Math.abs(values[n]) > Math.abs(best)) best = values[n];
    return best;
  });
}
