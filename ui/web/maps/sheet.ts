/* One map ready to draw: the position of each cell in a table of colours, and what its numbers sum to. */

import type { Unit } from '../generated/types.ts';
import { clamp01 } from '../base/colour.ts';
import { TOKENS } from '../generated/tokens.ts';

/** First row, row after the last, first column, column after the last. */
export type Area = [number, number, number, number];

export type Scale = 'weight' | 'log' | 'diverging' | 'range';

/** One map ready to draw. Rows from `written` on are drawn empty. */
export interface Sheet {
  rows: string[];
  cols: string[];
  /** What the rows of a decoder read; `rows` then are the words they write. */
  reads?: string[];
  /** The rows have one label each, and what they write is not known. */
  oneLabel?: boolean;
  written: number;
  /** The number of a cell; NaN where attending is not allowed. */
  at(i: number, j: number): number;
  /** Position in `table` of each cell, row by row; −1 where attending is not allowed. */
  index: Int16Array;
  table: string[];
  /** The position of "nothing". */
  neutral: number;
  unit: Unit;
  /** What each row gave to tokens that were taken out; null when none were. */
  hidden?: number[] | null;
  /** Rows with too little left beside their hidden tokens. */
  empty?: boolean[];
  /** Whether numbers stand in the cells; they do unless this is false. */
  digits?: boolean;
  /** Keep room for the column of hidden shares, to stand beside a map that has one. */
  aside?: boolean;
}

/**
 * The smallest weight the logarithmic scale tells from 0: in long rows half of an even share, so that noise stays pale.
 */
export const logFloor = (keys: number) => (keys > 128 ? 0.5 / keys : 1e-4);

/** Bytes made by ui/shared/map_data.py: b stands for (b / 255)². */
export const WEIGHT_OF_BYTE = Float32Array.from({ length: 256 }, (_, b) => (b / 255) ** 2);

/**
 * A function from a value to a position 0..255; `top` is drawn in full colour, `low` (log: the floor) in none.
 */
export function placer(scale: Scale, top: number, low = 0): (value: number) => number {
  if (scale === 'diverging') return (v) => Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, v / top)));
  if (scale === 'range') return (v) => Math.round(255 * clamp01((v - low) / (top - low || 1)));
  if (scale === 'log') {
    return (v) => (v <= low ? 0 : Math.round(255 * clamp01(1 - Math.log(v / top) / Math.log(low / top))));
  }
  return (v) => Math.round(255 * clamp01(v / top) ** TOKENS.gamma);
}

/** Positions of a whole map. `at(i, j)` NaN becomes −1. */
export function indexOf(
  rows: number,
  cols: number,
  at: (i: number, j: number) => number,
  position: (value: number) => number,
) {
  const index = new Int16Array(rows * cols);
  for (let i = 0, n = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, n++) {
      const v = at(i, j);
      index[n] = Number.isNaN(v) ? -1 : position(v);
    }
  }
  return index;
}

/** A sheet over these words. `scale` has `top` in full colour and `low` in none. */
export function makeSheet(
  {
    rows,
    cols,
    reads,
    oneLabel,
    written = rows.length,
  }: Pick<Sheet, 'rows' | 'cols' | 'reads' | 'oneLabel'> & { written?: number },
  at: (i: number, j: number) => number,
  table: string[],
  look: { scale?: Scale; top?: number; low?: number; unit?: Unit } = {},
): Sheet {
  const { scale = 'weight', top = 1, unit = 'share' } = look;
  const low = look.low ?? (scale === 'log' ? logFloor(cols.length) : 0);
  const index = indexOf(rows.length, cols.length, at, placer(scale, top, low));
  return {
    rows,
    cols,
    reads,
    oneLabel,
    written,
    at,
    index,
    table,
    neutral: scale === 'diverging' ? 128 : 0,
    unit,
  };
}

/* ---------- rows, columns and their sums ---------- */

/** A row's numbers; what may not be attended counts as no weight, a masked score stays masked. */
export const rowOf = (sheet: Sheet, i: number) =>
  sheet.cols.map((_, j) => {
    const v = sheet.at(i, j);
    return Number.isNaN(v) && sheet.unit !== 'number' ? 0 : v;
  });

/** A column's numbers over the rows that are written. */
export const columnOf = (sheet: Sheet, j: number) =>
  Array.from({ length: sheet.written }, (_, i) => sheet.at(i, j));

/**
 * Rows (`line` rowOf) or columns (columnOf) summed cell by cell; numbers that are not finite count as 0.
 */
export function sumOf(sheet: Sheet, items: Iterable<number>, line: typeof rowOf) {
  const sum: number[] = new Array(line === rowOf ? sheet.cols.length : sheet.written).fill(0);
  for (const item of items) line(sheet, item).forEach((v, n) => (sum[n] += Number.isFinite(v) ? v : 0));
  return sum;
}

/**
 * A map as the lines of a table, as ui/export/files.py writes them: positions, words and numbers of each written cell.
 * A row of the encoder writes nothing, nor one of maps whose rows have one label.
 */
export function tableOf(sheet: Sheet, ofEncoder: boolean, number: (value: number) => string | number) {
  const lines: (string | number)[][] = [];
  const readAlone = ofEncoder || sheet.oneLabel;
  for (let i = 0; i < sheet.written; i++) {
    const query = readAlone ? [sheet.rows[i], ''] : [sheet.reads?.[i] ?? '', sheet.rows[i]];
    sheet.cols.forEach((word, j) => lines.push([i, ...query, j, word, number(sheet.at(i, j))]));
  }
  return lines;
}

export const TABLE_HEAD = ['query_position', 'query_reads', 'query_writes', 'key_position', 'key', 'value'];
