/* A map filling a box without gaps between cells: pixels on a canvas, shapes in an SVG. */

import type { Colours } from '../base/colour.ts';
import type { Box, Painter } from '../base/paint.ts';
import type { Area, Sheet } from '../maps/sheet.ts';
import { hexToRgb } from '../base/colour.ts';
import { el } from '../base/dom.ts';
import { context2d } from '../base/paint.ts';

/** Of a picture that is kept between two drawings. */
export interface Cache {
  id?: string;
  made?: HTMLCanvasElement;
}

const tableRgb = new WeakMap<string[], Uint8ClampedArray>();

function rgbOf(table: string[]) {
  const known = tableRgb.get(table);
  if (known) return known;
  const rgb = new Uint8ClampedArray(table.length * 3);
  table.forEach((hex, i) => hexToRgb(hex).forEach((c, k) => (rgb[i * 3 + k] = c * 255)));
  tableRgb.set(table, rgb);
  return rgb;
}

/** The whole map. */
export const wholeOf = (sheet: Sheet): Area => [0, sheet.rows.length, 0, sheet.cols.length];

/** The position farthest from "nothing" among the written cells of an area; −1 when there is none. */
export function strongest(sheet: Sheet, [r0, r1, c0, c1]: Area) {
  let best = -1;
  let far = -1;
  for (let i = r0; i < r1 && i < sheet.written; i++) {
    for (let j = c0; j < c1; j++) {
      const v = sheet.index[i * sheet.cols.length + j];
      const distance = v < 0 ? -1 : Math.abs((v & 255) - sheet.neutral);
      if (distance > far) [best, far] = [v, distance];
    }
  }
  return best;
}

/** The cells of `from`…`to` that pixel `n` of `count` shows. */
function slice(n: number, count: number, from: number, to: number) {
  const start = from + Math.floor((n * (to - from)) / count);
  return [start, Math.max(start + 1, from + Math.floor(((n + 1) * (to - from)) / count))];
}

/**
 * The map as a small canvas of at most `width` × `height` pixels; where cells share a pixel the strongest is shown.
 * @param empty colour of what is not there
 */
function bitmap(sheet: Sheet, empty: string, width: number, height: number, [r0, r1, c0, c1]: Area) {
  const w = Math.max(1, Math.min(c1 - c0, Math.round(width)));
  const h = Math.max(1, Math.min(r1 - r0, Math.round(height)));
  const canvas = el('canvas', { width: w, height: h });
  const context = context2d(canvas);
  const image = context.createImageData(w, h);
  const rgb = rgbOf(sheet.table);
  const blank = hexToRgb(empty).map((c) => c * 255);
  for (let y = 0, out = 0; y < h; y++) {
    const [top, bottom] = slice(y, h, r0, r1);
    for (let x = 0; x < w; x++, out += 4) {
      const [left, right] = slice(x, w, c0, c1);
      const best = strongest(sheet, [top, bottom, left, right]);
      for (let k = 0; k < 3; k++) image.data[out + k] = best < 0 ? blank[k] : rgb[best * 3 + k];
      image.data[out + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

const MOST_RUNS = 24000; // above, an SVG holds the map as an image instead of shapes

/**
 * The cells as one path for each position: neighbours of a row that look alike become one rectangle.
 * Null when that would be too many.
 */
export function cellPaths(sheet: Sheet, box: Box, [r0, r1, c0, c1]: Area) {
  const [cw, ch] = [box.w / (c1 - c0), box.h / (r1 - r0)];
  const n = (x: number) => Math.round(x * 100) / 100;
  const paths = new Map<number, string>();
  let runs = 0;
  for (let i = r0; i < Math.min(r1, sheet.written); i++) {
    for (let j = c0; j < c1;) {
      const v = sheet.index[i * sheet.cols.length + j];
      let end = j + 1;
      while (end < c1 && sheet.index[i * sheet.cols.length + end] === v) end++;
      if (v >= 0) {
        const corner = `M${n(box.x + (j - c0) * cw)} ${n(box.y + (i - r0) * ch)}`;
        paths.set(v, `${paths.get(v) ?? ''}${corner}h${n((end - j) * cw)}v${n(ch)}h${n(-(end - j) * cw)}z`);
        if (++runs > MOST_RUNS) return null;
      }
      j = end;
    }
  }
  return paths;
}

/** The map filling a box. `cache` keeps the picture between two drawings on a canvas. */
export function paintPixels(
  p: Painter,
  sheet: Sheet,
  box: Box,
  c: Colours,
  area: Area = wholeOf(sheet),
  cache: Cache | null = null,
) {
  p.rect(box.x, box.y, box.w, box.h, { fill: c.soft });
  const paths = p.blob && cellPaths(sheet, box, area);
  if (paths) {
    for (const [v, d] of paths) p.path(d, { fill: sheet.table[v] });
    return;
  }
  const ratio = p.blob ? 2 : window.devicePixelRatio || 1;
  const kept = p.blob || !cache ? {} : cache;
  const id = `${area}/${Math.round(box.w * ratio)}/${Math.round(box.h * ratio)}`;
  if (!kept.made || kept.id !== id) {
    kept.made = bitmap(sheet, c.soft, box.w * ratio, box.h * ratio, area);
    kept.id = id;
  }
  p.image(box.x, box.y, box.w, box.h, kept.made);
}
