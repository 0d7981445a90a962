/* A ramp of colours with its numbers. */

import type { Colours } from '../base/colour.ts';
import type { Painter } from '../base/paint.ts';
import type { Quantity } from '../generated/types.ts';
import type { Scale } from '../maps/sheet.ts';
import { canvasPainter, fitCanvas, textWidth, typeSize } from '../base/paint.ts';
import { lengthWords } from '../base/words.ts';
import { TOKENS } from '../generated/tokens.ts';
import { logFloor } from '../maps/sheet.ts';

export type Stops = [position: number, words: string][];

/** The numbers under a ramp of weights, or of lengths up to that of `quantity`. */
export function weightStops(scale: Scale, keys: number, quantity: Quantity | null = null): Stops {
  const length = quantity?.unit === 'length' ? quantity.top : 0;
  if (scale !== 'log') {
    return [
      [0, '0'],
      [64, length ? lengthWords(0.1 * length) : '10'],
      [147, length ? lengthWords(0.4 * length) : '40'],
      [255, length ? lengthWords(length) : '100 %'],
    ];
  }
  const rough = (v: number) =>
    length ? String(Number((v * length).toPrecision(1))) : `${Number((v * 100).toPrecision(1))} %`;
  return [
    [0, `≤ ${rough(logFloor(keys))}`],
    [127.5, rough(Math.sqrt(logFloor(keys)))],
    [255, length ? lengthWords(length) : '100 %'],
  ];
}

/** What the colours of a quantity are, with its unit. */
export const quantityWords = ({ name, unit }: Quantity) =>
  unit === 'length' ? `${name}: length in the stream` : `${name}: share of the row`;

/** What a ramp of weights is, in words. */
export const weightWords = (log = false, what = 'weight') =>
  log ? 'logarithmic' : `colour = ${what}^${TOKENS.gamma}`;

interface Legend {
  table: string[];
  stops: Stops;
  words: string;
}

export function paintLegend(
  p: Painter,
  x: number,
  y: number,
  u: number,
  { table, stops, words }: Legend,
  c: Colours,
) {
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

/** The legend on a canvas of its own, just wide enough for it. */
export function drawLegend(canvas: HTMLCanvasElement, u: number, legend: Legend, c: Colours) {
  const size = typeSize(11, u);
  const context = fitCanvas(canvas, 136 * u + textWidth(legend.words, size, false), 15 * u + size);
  paintLegend(canvasPainter(context), 2, 3, u, legend, c);
}
