/** @import { ArrowColumn, Numbers } from '../types' */

/**
 * The numbers of an Arrow column as a typed array (uint8, uint16, float32); empty when there is none.
 * @param {ArrowColumn | null | undefined} table
 * @returns {Numbers}
 */
export function unpack(table) {
  const column = table?.getChildAt?.(0);
  return column ? column.toArray() : new Uint8Array(0);
}

/**
 * Indices of the largest values, largest first; of equal ones the first.
 * @param {ArrayLike<number>} values
 * @param {number} count
 */
export const topIndices = (values, count) =>
  Array.from(values, (_, i) => i)
    .sort((a, b) => values[b] - values[a] || a - b)
    .slice(0, count);

/**
 * @param {number} low
 * @param {number} value
 * @param {number} high
 */
export const within = (low, value, high) => Math.min(high, Math.max(low, value));
