/* The stage's weights as the map of one layer and head, or of a mean over them. */

import type { Numbers } from '../base/arrays.ts';

/**
 * (T, S) shares of one layer and head of (L, H, T, S) numbers 0..65535; null is the mean over heads or layers.
 */
export function meanOf(
  weights: Numbers,
  [layers, heads, rows, columns]: [number, number, number, number],
  layer: number | null,
  head: number | null,
) {
  const pick = (count: number, chosen: number | null): number[] =>
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
