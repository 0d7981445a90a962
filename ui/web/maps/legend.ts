/* A ramp of colours with its numbers. */

/** @import { Colours, Painter, Quantity, Scale } from '../types' */

import { canvasPainter, fitCanvas } from '../base/paint.js';
import { textWidth, typeSize } from '../base/text.js';
import { TOKENS } from '../base/tokens.js';
import { lengthWords } from '../base/words.js';
import { logFloor } from './sheet.js';

/** @typedef {[position: number, words: string][]} Stops */

/**
 * The numbers under a ramp of weights, or of lengths up to that of `quantity`.
 * @param {Scale} scale
 * @param {number} keys
 * @param {Quantity | undefined} quantity
 * @returns {Stops}
 */
export function weightStops(scale, keys, quantity = undefined) {
  const length = quantity?.unit === 'length' ? quantity.top : 0;
  if (scale !== 'log') {
    return [
      [0, '0'],
      [64, length ? lengthWords(0.1 * length) : '10'],
      [147, length ? lengthWords(0.4 * length) : '40'],
      [255, length ? lengthWords(length) : '100 %'],
    ];
  }
  /** @param {number} v */
  const rough = (v) =>
    length ? String(Number((v * length).toPrecision(1))) : `${Number((v * 100).toPrecision(1))} %`;
  return [
    [0, `≤ ${rough(logFloor(keys))}`],
    [127.5, rough(Math.sqrt(logFloor(keys)))],
    [255, length ? lengthWords(length) : '100 %'],
  ];
}

/**
 * What the colours of a quantity are, with its unit.
 * @param {Quantity} quantity
 */
export const quantityWords = ({ name, unit }) =>
  unit === 'length' ? `${name}: length in the stream` : `${name}: share of the row`;

/** What a ramp of weights is, in words. */
export const weightWords = (log = false, what = 'weight') =>
  log ? 'logarithmic' : `colour = ${what}^${TOKENS.gamma}`;

/** @typedef {{ table: string[], stops: Stops, words: string }} Legend */

/**
 * @param {Painter} p
 * @param {number} x
 * @param {number} y
 * @param {number} u
 * @param {Legend} legend
 * @param {Colours} c
 */
export function paintLegend(p, x, y, u, { table, stops, words }, c) {
  const [w, h, size] = [120 * u, 8 * u, typeSize(11, u)];
  for (let k = 0; k < 60; k++) {
    p.rect(x + (k * w) / 60, y, w / 60 + 0.6, h, { fill: table[Math.round((k / 59) * 255)] });
  }
  p.rect(x, y, w, h, { stroke: c.line, width: 1 });
  for (const [at, label] of stops) {
    const align = at < 20 ? 'left' : at > 235 ? 'right' : 'center';
    p.text(x + (at / 255) * w, y + h + size + u, label, { size, align, fill: c.muted });
  }
  p.text(x + w + 10 * u, y + h, words, { size, fill: c.muted });
}

/**
 * The legend on a canvas of its own, just wide enough for it.
 * @param {HTMLCanvasElement} canvas
 * @param {number} u
 * @param {Legend} legend
 * @param {Colours} c
 */
export function drawLegend(canvas, u, legend, c) {
  const size = typeSize(11, u);
  const context = fitCanvas(canvas, 136 * u + textWidth(legend.words, size, false), 15 * u + size);
  paintLegend(canvasPainter(context), 2, 3, u, legend, c);
}
