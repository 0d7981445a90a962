/* Where curves over the steps of a training stand: a logarithmic axis of steps, two panels above each other. */

/** @import { Box } from '../types' */

import { typeSize } from '../base/text.js';

/**
 * The panel of the losses and the one of the heads in a picture `width` × `height`; `last` is the last step of the axis.
 * @typedef {{ u: number, width: number, height: number, loss: Box, heads: Box, last: number }} CurveLayout
 */

/**
 * @param {number} width
 * @param {number} u
 * @param {number} last
 * @param {number} tall pixels of the design that the panel of the heads is high
 * @returns {CurveLayout}
 */
export function curveLayout(width, u, last, tall) {
  const [left, right] = [46 * u, 48 * u];
  const w = Math.max(60 * u, width - left - right);
  const loss = { x: left, y: 24 * u, w, h: 96 * u };
  const heads = { x: left, y: loss.y + loss.h + 34 * u, w, h: tall * u };
  return { u, width, height: heads.y + heads.h + 16 * u + typeSize(12, u) * 1.6, loss, heads, last };
}

/** @param {number} step */
const spaced = (step) => Math.log2(1 + step);

/**
 * @param {CurveLayout} g
 * @param {number} step
 */
export const stepX = (g, step) => g.loss.x + (g.loss.w * spaced(step)) / (spaced(g.last) || 1);

/**
 * The height of a value in a panel that goes from `low` to `high`.
 * @param {Box} box
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export const valueY = (box, value, low, high) => box.y + box.h * (1 - (value - low) / (high - low || 1));

/**
 * The record whose step stands nearest to a place.
 * @param {CurveLayout} g
 * @param {number[]} steps
 * @param {number} x
 */
export function nearestRecord(g, steps, x) {
  let best = 0;
  steps.forEach((step, k) => {
    if (Math.abs(stepX(g, step) - x) < Math.abs(stepX(g, steps[best]) - x)) best = k;
  });
  return best;
}

/** Round numbers for the axis of steps, as many as have room. @param {CurveLayout} g */
export function stepTicks(g) {
  const powers = [];
  for (let power = 1; power < g.last; power *= 10) powers.unshift(power);
  /** @type {number[]} */
  const kept = [];
  for (const tick of [g.last, 0, ...powers]) {
    if (kept.every((other) => Math.abs(stepX(g, other) - stepX(g, tick)) > 40 * g.u)) kept.push(tick);
  }
  return kept.sort((a, b) => a - b);
}

/**
 * From where to where a panel goes, and the numbers at its side.
 * @param {number[]} values finite
 * @param {number} low
 * @param {number | null} high where the number itself ends
 */
export function range(values, low, high) {
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const bottom = Number.isFinite(low) ? low : least;
  const top = high !== null && most > 0.5 * high ? high : most;
  return { low: Math.min(bottom, least), high: top > bottom ? top : bottom + 1 };
}

/**
 * The curve nearest to a point, at most `most` away; −1 when there is none.
 * @param {(number | null)[]} heights height of every curve at the point's record
 * @param {number} y
 * @param {number} most
 */
export function nearestCurve(heights, y, most) {
  let best = -1;
  heights.forEach((height, n) => {
    if (height === null || Math.abs(height - y) > most) return;
    if (best < 0 || Math.abs(height - y) < Math.abs(/** @type {number} */ (heights[best]) - y)) best = n;
  });
  return best;
}
