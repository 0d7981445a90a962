/* A ramp of colours with its numbers. */

import type { Colours } from '../base/colour.ts';
import type { Painter } from '../base/paint.ts';
import type { Quantity } from '../generated/types.ts';
import type { Scale } from '../maps/sheet.ts';
import { localised, tr } from '../base/language.ts';
import { canvasPainter, fitCanvas, textWidth, typeSize } from '../base/paint.ts';
import { lengthWords } from '../base/words.ts';
import { logFloor, placer } from '../maps/sheet.ts';

export type Stops = [share: number, words: string][];

export interface Legend {
  table: string[];
  /** Numbers along the axis, by how far they are from its left end (0) to its right end (1). */
  stops: Stops;
  /** The position in `table` of a point of the axis; even steps where there is none. */
  position?: (share: number) => number;
  words: string;
}

/**
 * The axis of weights, or of lengths up to that of `quantity`: it is linear, and the colours inside it show how small
 * weights are kept visible. A logarithmic one has its numbers where the colours are even.
 */
export function weightAxis(
  scale: Scale,
  keys: number,
  quantity: Quantity | null = null,
): Pick<Legend, 'stops' | 'position'> {
  const length = quantity?.unit === 'length' ? quantity.top : 0;
  if (scale !== 'log') {
    const end = length ? lengthWords(length) : '100 %';
    const middle = length ? lengthWords(0.5 * length) : '50';
    const stops: Stops = [
      [0, '0'],
      [0.5, middle],
      [1, end],
    ];
    return { stops, position: placer('weight', 1) };
  }
  const rough = (v: number) =>
    localised(length ? String(Number((v * length).toPrecision(1))) : `${Number((v * 100).toPrecision(1))} %`);
  const stops: Stops = [
    [0, `≤ ${rough(logFloor(keys))}`],
    [0.5, rough(Math.sqrt(logFloor(keys)))],
    [1, length ? lengthWords(length) : '100 %'],
  ];
  return { stops };
}

/** The numbers of an axis with 0 in its middle. */
export const centred = (low: string, high: string): Stops => [
  [0, low],
  [0.5, '0'],
  [1, high],
];

/** What the colours of a quantity are, with its unit. */
export const quantityWords = ({ name, unit }: Quantity) =>
  unit === 'length' ? tr('{name}: vector length', { name }) : tr('{name}: share of the row', { name });

/** What a ramp of weights is, in words. */
export const weightWords = (log = false) =>
  log ? tr('attention weight, logarithmic') : tr('attention weight');

export function paintLegend(
  p: Painter,
  x: number,
  y: number,
  u: number,
  { table, stops, position = (share) => Math.round(255 * share), words }: Legend,
  c: Colours,
) {
  const [w, h, size] = [120 * u, 8 * u, typeSize(11, u)];
  for (let k = 0; k < 60; k++) {
    p.rect(x + (k * w) / 60, y, w / 60 + 0.6, h, { fill: table[position(k / 59)] });
  }
  p.rect(x, y, w, h, { stroke: c.line, width: 1 });
  for (const [at, label] of stops) {
    const align = at < 0.08 ? 'left' : at > 0.92 ? 'right' : 'center';
    p.text(x + at * w, y + h + size + u, label, { size, align, fill: c.muted });
  }
  p.text(x + w + 10 * u, y + h, words, { size, fill: c.muted });
}

/** The legend on a canvas of its own, just wide enough for it. */
export function drawLegend(canvas: HTMLCanvasElement, u: number, legend: Legend, c: Colours) {
  const size = typeSize(11, u);
  const context = fitCanvas(canvas, 136 * u + textWidth(legend.words, size, false), 15 * u + size);
  paintLegend(canvasPainter(context), 2, 3, u, legend, c);
}
