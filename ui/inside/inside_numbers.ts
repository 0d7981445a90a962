/* The numbers of the cards and of the terms of one of them, and their words. */

import type { Piece } from '../web/base/dom.ts';
import type { CardData, WhyData } from '../web/generated/types.ts';
import type { At } from '../web/maps/selection.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { phrase } from '../web/base/dom.ts';
import { fixed, localised, tr } from '../web/base/language.ts';
import { csvNumber } from '../web/base/export.ts';
import { minus, visible } from '../web/base/words.ts';
import { quoted } from '../web/maps/sentence.ts';
import { makeSheet } from '../web/maps/sheet.ts';

const MANY = 600; // numbers of a matrix from which on its colours leave out the largest hundredth
const DIGITS = 4;

/** A number with enough digits to recognise it: 0.7123, 12.35, 1.20e−6. */
export function numeral(value: number | string | null, most = DIGITS) {
  if (typeof value === 'string') return value;
  if (value === null) return '–';
  if (!Number.isFinite(value)) return value < 0 ? '−∞' : String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6)
    return localised(value.toExponential(2)).replaceAll('-', '−').replace('+', '');
  const digits = Math.max(0, most - 1 - Math.max(-1, Math.floor(Math.log10(size))));
  return minus(fixed(value, Math.min(digits, most)));
}

/** A number with its sign, for a term. */
export const signed = (value: number) => (value > 0 ? `+${numeral(value)}` : numeral(value));

/** One card with its numbers, (rows, columns). */
export class CardNumbers {
  constructor(readonly meta: CardData) {}

  at(i: number, j: number) {
    return this.meta.values[i * this.meta.cols.length + j];
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
    const sizes = Float64Array.from(this.meta.values, Math.abs).filter(Number.isFinite).sort();
    if (!sizes.length) return 1;
    const last = sizes.length - 1;
    return sizes[sizes.length > MANY ? Math.floor(0.99 * last) : last] || 1;
  }

  /** Whether some numbers are larger than full colour. */
  get clipped() {
    const { top } = this;
    return (
      this.meta.look === 'signed' && this.meta.values.some((v) => Number.isFinite(v) && Math.abs(v) > top)
    );
  }

  sheet(diverging: string[], ramp: string[]): Sheet {
    const share = this.meta.look === 'share';
    const { rows, cols } = this.meta;
    const at = (i: number, j: number) => (Number.isFinite(this.at(i, j)) ? this.at(i, j) : NaN);
    const look = share
      ? ({ scale: 'weight', top: this.top, unit: 'share' } as const)
      : ({ scale: 'diverging', top: this.top, unit: 'number' } as const);
    return makeSheet({ rows, cols }, at, share ? ramp : diverging, look);
  }

  /** A cell in words. */
  cell({ row, col }: At): Piece[] {
    const { rows, cols, col_axis } = this.meta;
    const column = /^\d+$/.test(cols[col])
      ? `${columnWord(col_axis)} ${cols[col]}`
      : quoted(visible(cols[col]));
    return phrase(tr('{row} · {column}: {number}'), {
      row: { strong: quoted(visible(rows[row])) },
      column: { strong: column },
      number: { kind: numeral(this.at(row, col)) },
    });
  }

  /** Every number as a line of a table. */
  table() {
    const { key, rows, cols, first } = this.meta;
    const lines: (string | number)[][] = [['card', 'row', 'row_token', 'column', 'column_name', 'value']];
    rows.forEach((word, i) =>
      cols.forEach((name, j) => lines.push([key, first + i, word, j, name, csvNumber(this.at(i, j))])),
    );
    return lines;
  }
}

/** The name of one index along an axis. */
const columnWord = (axis: string) =>
  axis === 'd_ff' ? tr('unit') : /^.* · d_head$/.test(axis) ? tr('column') : tr('dimension');

/** The terms of a number as lines of a table: its products in their order, then the steps. */
export function termTable(why: WhyData) {
  const lines: (string | number)[][] = [['kind', 'place', 'name', 'a', 'b', 'value']];
  const { a, b, terms } = why;
  const names = new Map(why.largest.map(({ index, name }) => [index, name]));
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
    for (const { index, name, value } of why.largest)
      lines.push(['term', index, name, '', '', csvNumber(value)]);
  lines.push(['sum', '', '', '', '', csvNumber(why.total)]);
  for (const [op, name, number, result] of why.steps)
    lines.push(['step', op, name, number ?? '', '', result ?? '']);
  lines.push(['value', '', why.formula, '', '', why.value ?? ''], ['shown', '', '', '', '', why.shown ?? '']);
  return lines;
}

/** The running sum of the terms at `count` places evenly along them, the last one the whole. */
export function runningSum(terms: ArrayLike<number>, count: number) {
  const parts = Math.min(terms.length, Math.max(1, count));
  let [sum, n] = [0, 0];
  return Array.from({ length: parts }, (_, part) => {
    const to = Math.floor(((part + 1) * terms.length) / parts);
    for (; n < to; n++) sum += terms[n];
    return sum;
  });
}

/** The strongest of the values in each of at most `count` even parts. */
export function strongestOf(values: ArrayLike<number>, count: number) {
  const parts = Math.min(values.length, Math.max(1, count));
  return Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((n) => Math.floor((n * values.length) / parts));
    let best = values[from];
    for (let n = from; n < to; n++) if (Math.abs(values[n]) > Math.abs(best)) best = values[n];
    return best;
  });
}
