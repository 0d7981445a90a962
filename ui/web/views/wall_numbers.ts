/* The wall's bytes as numbers and as pictures. */

/** @import { Kind, Quantity, Sheet } from '../types' */

import { TOKENS } from '../base/tokens.js';
import { quantityWords } from '../maps/legend.js';
import { WEIGHT_OF_BYTE, logFloor, placer } from '../maps/sheet.js';

/** @typedef {'weight' | 'log' | 'each'} Tone */
/**
 * A score of every head. `told` is what its name stands for: lines of (word, what it says) out of core's glossary;
 * `down`: the lower, the better.
 * @typedef {{ label: string, units: string, mark: number | null, down?: boolean, values: (number | null)[],
 *   definition: string, told: [string, string][] }} Score
 */

/**
 * What ui/components/wall_data.py says of the bytes: `size` of them a head, `written` rows of `shape`, each cell the
 * strongest of `block`. On a wall of switches `off` says what became of each head and `how` what a click makes of one.
 * @typedef {{ kind: Kind, title: string, subtitle: string, words: string, layers: number, heads: number,
 *   shape: [number, number], keys: number, size: number, block: [number, number], labelled: boolean, causal: boolean,
 *   square: boolean, written: number, rows: string[], cols: string[], scores: Record<string, Score>,
 *   hidden?: boolean, whole: { how: string, subject: string }, tall: number, about: string, file: string, digest?: string, open?: number[],
 *   off?: (string | null)[], how?: string, quantity?: Quantity, arranged: [Order, string | null, number | null, Tone | null] }} WallMeta
 */
/** @typedef {'model' | 'high' | 'low'} Order */

/**
 * Weights (written × columns) of one head, row by row, NaN where attending is not allowed; exact to half a byte.
 * @param {WallMeta} meta
 * @param {Uint8Array} levels
 * @param {number} head
 */
export function weightsOf(meta, levels, head) {
  const cols = meta.shape[1];
  const bytes = levels.subarray(head * meta.size, head * meta.size + meta.written * cols);
  return Float32Array.from(bytes, (b, n) =>
    meta.causal && n % cols > Math.floor(n / cols) ? NaN : WEIGHT_OF_BYTE[b],
  );
}

/**
 * The mean or the maximum of all heads, likewise.
 * @param {WallMeta} meta
 * @param {Uint8Array} levels
 */
export function wholeOfHeads(meta, levels) {
  const count = meta.layers * meta.heads;
  const max = meta.whole.how === 'max';
  const sum = weightsOf(meta, levels, 0);
  for (let head = 1; head < count; head++) {
    weightsOf(meta, levels, head).forEach((v, n) => (sum[n] = max ? Math.max(sum[n], v) : sum[n] + v));
  }
  return max ? sum : sum.map((v) => v / count);
}

/**
 * How a picture is called: "2.5", or the layer that it is.
 * @param {WallMeta} meta
 * @param {number} head
 */
export function pictureName({ heads, quantity }, head) {
  const [row, n] = [Math.floor(head / heads), head % heads];
  if (!quantity?.pictures.length) return `${row}.${n}`;
  return row ? `${quantity.rows[row]}, ${quantity.pictures[n]}` : quantity.pictures[n];
}

/**
 * A head's picture; `tone` is weight, log, or each (1 is the head's own largest weight).
 * @param {WallMeta} meta
 * @param {Uint8Array} level the head's bytes
 * @param {string[]} table
 * @param {Tone} tone
 * @returns {Sheet}
 */
export function headSheet(meta, level, table, tone) {
  const { shape, block, rows, cols, written, causal, keys } = meta;
  const last = meta.quantity?.aside ? shape[1] - 1 : shape[1];
  /** @type {(i: number, j: number) => boolean} */
  const allowed = (i, j) => !causal || j >= last || j * block[1] <= i * block[0] + block[0] - 1;
  const top = tone === 'each' ? Math.max(...WEIGHT_OF_BYTE.filter((_, b) => level.includes(b)), 1e-6) : 1;
  const position = tone === 'log' ? placer('log', 1, logFloor(keys)) : placer('weight', top);
  const byByte = Int16Array.from(WEIGHT_OF_BYTE, position);
  const index = new Int16Array(level.length);
  for (let i = 0, n = 0; i < shape[0]; i++) {
    const empty = meta.hidden && level.subarray(n, n + shape[1]).every((b) => b === 0);
    for (let j = 0; j < shape[1]; j++, n++) index[n] = allowed(i, j) && !empty ? byByte[level[n]] : -1;
  }
  /** @type {Sheet['at']} */
  const at = (i, j) => (allowed(i, j) ? WEIGHT_OF_BYTE[level[i * shape[1] + j]] : NaN);
  return { rows, cols, written, index, table, neutral: 0, unit: 'share', at };
}

/**
 * What the colours of the wall are, in words.
 * @param {WallMeta} meta
 * @param {Tone} tone
 */
export function toneWords(meta, tone) {
  const { quantity } = meta;
  const weight = quantity ? quantityWords(quantity) : `colour = weight^${TOKENS.gamma}`;
  const plain = tone === 'log' ? `${quantity ? `${weight}, ` : ''}logarithmic` : weight;
  const [tall, wide] = meta.block;
  const reduced = meta.labelled ? '' : ` · a cell is the largest of ${tall} × ${wide}`;
  return `${tone === 'each' ? 'per head, ' : ''}${plain}${reduced}`;
}
