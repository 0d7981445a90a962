/* One map ready to draw: the position of each cell in a table of colours, and what its numbers sum to. */

/** @import { Scale, Sheet, Unit } from '../types' */

import { clamp01 } from '../base/colour.js';
import { TOKENS } from '../base/tokens.js';

/**
 * The smallest weight the logarithmic scale tells from 0: in long rows half of an even share, so that noise stays pale.
 * @param {number} keys
 */
export const logFloor = (keys) => (keys > 128 ? 0.5 / keys : 1e-4);

/** Bytes made by ui/components/levels.py: b stands for (b / 255)². */
export const WEIGHT_OF_BYTE = Float32Array.from({ length: 256 }, (_, b) => (b / 255) ** 2);

/**
 * A function from a value to a position 0..255; `top` is drawn in full colour, `low` (log: the floor) in none.
 * @param {Scale} scale
 * @param {number} top
 * @param {number} low
 * @returns {(value: number) => number}
 */
export function placer(scale, top, low = 0) {
  if (scale === 'diverging') return (v) => Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, v / top)));
  if (scale === 'range') return (v) => Math.round(255 * clamp01((v - low) / (top - low || 1)));
  if (scale === 'log') {
    return (v) => (v <= low ? 0 : Math.round(255 * clamp01(1 - Math.log(v / top) / Math.log(low / top))));
  }
  return (v) => Math.round(255 * clamp01(v / top) ** TOKENS.gamma);
}

/**
 * Positions of a whole map. `at(i, j)` NaN becomes −1.
 * @param {number} rows
 * @param {number} cols
 * @param {(i: number, j: number) => number} at
 * @param {(value: number) => number} position
 */
export function indexOf(rows, cols, at, position) {
  const index = new Int16Array(rows * cols);
  for (let i = 0, n = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, n++) {
      const v = at(i, j);
      index[n] = Number.isNaN(v) ? -1 : position(v);
    }
  }
  return index;
}

/**
 * A sheet over these words. `scale` has `top` in full colour and `low` in none.
 * @param {{ rows: string[], cols: string[], written?: number }} words
 * @param {(i: number, j: number) => number} at
 * @param {string[]} table
 * @param {{ scale?: Scale, top?: number, low?: number, unit?: Unit }} look
 * @returns {Sheet}
 */
export function makeSheet({ rows, cols, written = rows.length }, at, table, look = {}) {
  const { scale = 'weight', top = 1, unit = 'share' } = look;
  const low = look.low ?? (scale === 'log' ? logFloor(cols.length) : 0);
  const index = indexOf(rows.length, cols.length, at, placer(scale, top, low));
  return { rows, cols, written, at, index, table, neutral: scale === 'diverging' ? 128 : 0, unit };
}

/* ---------- rows, columns and their sums ---------- */

/**
 * A row's numbers; what may not be attended counts as no weight, a masked score stays masked.
 * @param {Sheet} sheet
 * @param {number} i
 */
export const rowOf = (sheet, i) =>
  sheet.cols.map((_, j) => {
    const v = sheet.at(i, j);
    return Number.isNaN(v) && sheet.unit !== 'number' ? 0 : v;
  });

/**
 * A column's numbers over the rows that are written.
 * @param {Sheet} sheet
 * @param {number} j
 */
export const columnOf = (sheet, j) => Array.from({ length: sheet.written }, (_, i) => sheet.at(i, j));

/**
 * Rows (`line` rowOf) or columns (columnOf) summed cell by cell; numbers that are not finite count as 0.
 * @param {Sheet} sheet
 * @param {Iterable<number>} items
 * @param {typeof rowOf} line
 */
export function sumOf(sheet, items, line) {
  /** @type {number[]} */
  const sum = new Array(line === rowOf ? sheet.cols.length : sheet.written).fill(0);
  for (const item of items) line(sheet, item).forEach((v, n) => (sum[n] += Number.isFinite(v) ? v : 0));
  return sum;
}

/**
 * A map as the lines of a table, as ui/export/files.py writes them: positions, words and numbers of each written cell.
 * @param {Sheet} sheet
 * @param {(value: number) => string | number} number
 */
export function tableOf(sheet, number) {
  /** @type {(string | number)[][]} */
  const lines = [];
  for (let i = 0; i < sheet.written; i++) {
    sheet.cols.forEach((word, j) => lines.push([i, sheet.rows[i], j, word, number(sheet.at(i, j))]));
  }
  return lines;
}

export const TABLE_HEAD = ['query_position', 'query', 'key_position', 'key', 'value'];
