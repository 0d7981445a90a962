/* Where curves over the steps of a training stand: a logarithmic axis of steps, two panels above each other. */

import type { Box } from '../web/base/paint.ts';
import { typeSize } from '../web/base/paint.ts';

/**
 * The panel of the losses and the one of the heads in a picture `width` × `height`; `last` is the last step of the axis.
 */
export interface CurveLayout {
  u: number;
  width: number;
  height: number;
  loss: Box;
  heads: Box;
  last: number;
}

/** @param tall pixels of the design that the panel of the heads is high; where that is little, the one of the losses is lower too */
export function curveLayout(width: number, u: number, last: number, tall: number): CurveLayout {
  const [left, right] = [46 * u, 48 * u];
  const w = Math.max(60 * u, width - left - right);
  const loss = { x: left, y: 24 * u, w, h: Math.min(96, Math.max(64, tall)) * u };
  const heads = { x: left, y: loss.y + loss.h + 34 * u, w, h: tall * u };
  return { u, width, height: heads.y + heads.h + 16 * u + typeSize(12, u) * 1.6, loss, heads, last };
}

const spaced = (step: number) => Math.log2(1 + step);

export const stepX = (g: CurveLayout, step: number) =>
  g.loss.x + (g.loss.w * spaced(step)) / (spaced(g.last) || 1);

/** The height of a value in a panel that goes from `low` to `high`. */
export const valueY = (box: Box, value: number, low: number, high: number) =>
  box.y + box.h * (1 - (value - low) / (high - low || 1));

/** The record whose step stands nearest to a place. */
export function nearestRecord(g: CurveLayout, steps: number[], x: number) {
  let best = 0;
  steps.forEach((step, k) => {
    if (Math.abs(stepX(g, step) - x) < Math.abs(stepX(g, steps[best]) - x)) best = k;
  });
  return best;
}

/** Round numbers for the axis of steps, as many as have room. */
export function stepTicks(g: CurveLayout) {
  const powers = [];
  for (let power = 1; power < g.last; power *= 10) powers.unshift(power);
  const kept: number[] = [];
  for (const tick of [g.last, 0, ...powers]) {
    if (kept.every((other) => Math.abs(stepX(g, other) - stepX(g, tick)) > 40 * g.u)) kept.push(tick);
  }
  return kept.sort((a, b) => a - b);
}

/**
 * From where to where a panel goes, and the numbers at its side.
 * @param values finite
 * @param high where the number itself ends
 */
export function range(values: number[], low: number, high: number | null) {
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const bottom = Number.isFinite(low) ? low : least;
  const top = high !== null && most > 0.5 * high ? high : most;
  return { low: Math.min(bottom, least), high: top > bottom ? top : bottom + 1 };
}

/**
 * The curve nearest to a point, at most `most` away; −1 when there is none.
 * @param heights height of every curve at the point's record
 */
export function nearestCurve(heights: (number | null)[], y: number, most: number) {
  let best = -1;
  heights.forEach((height, n) => {
    if (height === null || Math.abs(height - y) > most) return;
    if (best < 0 || Math.abs(height - y) < Math.abs((heights[best] as number) - y)) best = n;
  });
  return best;
}
