/* The stage's weights as the map of one layer and head, or of a mean over them. */

/** @import { Numbers } from '../types' */

/**
 * (T, S) shares of one layer and head of (L, H, T, S) numbers 0..65535; null is the mean over heads or layers.
 * @param {Numbers} weights
 * @param {[number, number, number, number]} shape
 * @param {number | null} layer
 * @param {number | null} head
 */
export function meanOf(weights, [layers, heads, rows, columns], layer, head) {
  /** @type {(count: number, chosen: number | null) => number[]} */
  const pick = (count, chosen) =>
    count === 1 ? [0] : chosen === null ? Array.from({ length: count }, (_, n) => n) : [chosen];
  const [fromLayers, fromHeads] = [pick(layers, layer), pick(heads, head)];
  const sum = new Float32Array(rows * columns);
  for (const l of fromLayers) {
    for (const h of fromHeads) {
      const offset = (l * heads + h) * sum.length;
      for (let n = 0; n < sum.length; n++) sum[n] += weights[offset + n];
    }
  }
  const share = 1 / (65535 * fromLayers.length * fromHeads.length);
  return sum.map((value) => value * share);
}
