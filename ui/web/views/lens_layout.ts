/* Where the cells of the lens stand: a row for each written word, a column for each depth of the decoder. */

import type { Box } from '../base/paint.ts';
import type { Cell } from '../maps/selection.ts';
import { textWidth, typeSize } from '../base/text.ts';
import { visible } from '../base/words.ts';

/** Pixels of the design between the left edge, a row's word and its first cell. */
export const ASIDE = 12;

/** Pixels: words right-aligned at `left`, cells of `w` × `h` from there on below `head`. */
export interface LensGeometry {
  u: number;
  left: number;
  head: number;
  w: number;
  h: number;
  rows: number;
  cols: number;
  size: number;
  width: number;
  height: number;
}

export function lensGeometry(words: string[], depths: string[], room: number, u: number): LensGeometry {
  const size = typeSize(13, u);
  const widest = Math.max(...words.map((word) => textWidth(visible(word), size)), 20 * u);
  const left = Math.min(widest, room * 0.26, 150 * u) + ASIDE * u;
  const w = Math.min(190 * u, (room - left - 2 * u) / depths.length);
  const h = Math.max(28 * u, size * 1.9);
  const head = 26 * u;
  const [rows, cols] = [words.length, depths.length];
  return {
    u,
    left,
    head,
    w,
    h,
    rows,
    cols,
    size,
    width: left + w * cols + 2 * u,
    height: head + h * rows + 4 * u,
  };
}

/** The corner and size of a cell. */
export const cellBox = (g: LensGeometry, row: number, col: number): Box => ({
  x: g.left + col * g.w,
  y: g.head + row * g.h,
  w: g.w - 2 * g.u,
  h: g.h - 2 * g.u,
});

/** The cell under a point; a word counts as its row's last cell. */
export function lensHit(g: LensGeometry, x: number, y: number): Required<Cell> | null {
  const row = Math.floor((y - g.head) / g.h);
  if (row < 0 || row >= g.rows) return null;
  const col = x < g.left ? g.cols - 1 : Math.floor((x - g.left) / g.w);
  return col < g.cols ? { row, col } : null;
}
