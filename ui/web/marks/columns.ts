/* A map's words in two columns, the attending at the left, with lines between them. */

import type { Colours, Kind } from '../base/colour.ts';
import type { Painter, Point, TextPen } from '../base/paint.ts';
import type { Cell, Focus } from '../maps/selection.ts';
import type { Area, Sheet } from '../maps/sheet.ts';
import { inkOn } from '../base/colour.ts';
import { shorten, textWidth, typeSize } from '../base/text.ts';
import { isSpecial, visible } from '../base/words.ts';
import { widest } from './heatmap.ts';
import { chosenLabels, every } from './labels.ts';
import { curveBetween } from './lines.ts';
import { wholeOf } from './picture.ts';

/** Where words and lines stand, in CSS pixels. */
export interface Columns {
  u: number;
  size: number;
  area: Area;
  top: number;
  left: number;
  right: number;
  width: number;
  height: number;
  rowPitch: number;
  colPitch: number;
  labelRoom: { row: number; col: number };
  rowEvery: number;
  colEvery: number;
}

/**
 * The geometry in a room this wide. `top` and `body` place the words beside a heatmap; otherwise `tall` limits the
 * height. `several` heads need more room for their numbers.
 */
export function columnsGeometry(
  sheet: Sheet,
  room: number,
  u: number,
  limits: { tall?: number; area?: Area | null; top?: number; body?: number | null; several?: boolean } = {},
): Columns {
  const { tall = 620, area = null, top = 8 * u, body = null, several = false } = limits;
  const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
  const longest = Math.max(r1 - r0, c1 - c0);
  const size = 14 * u;
  const pitch = Math.max(Math.min(26 * u, (tall * u) / longest), 0.5);
  const height = body ?? Math.max(pitch * longest, 60 * u);
  const side = (several ? 88 : 46) * u; // room for a percentage
  const words = (labels: string[]) => (longest > 150 ? 90 * u : widest(labels, size, 150 * u));
  const labelRoom = { row: words(sheet.rows.slice(r0, r1)), col: words(sheet.cols.slice(c0, c1)) };
  const left = side + labelRoom.row + 16 * u;
  const right = room - side - labelRoom.col - 16 * u;
  const rowPitch = height / Math.max(1, r1 - r0);
  const colPitch = height / Math.max(1, c1 - c0);
  return {
    ...{ u, size, area: [r0, r1, c0, c1], top, left, right: Math.max(left + 60 * u, right), width: room },
    ...{ height: top + height + 8 * u, rowPitch, colPitch, labelRoom },
    ...{ rowEvery: every(15 * u, rowPitch), colEvery: every(15 * u, colPitch) },
  };
}

/** The height of an attending word. */
export const attendingY = (g: Columns, i: number) => g.top + (i - g.area[0] + 0.5) * g.rowPitch;

/** The height of an attended word. */
export const attendedY = (g: Columns, j: number) => g.top + (j - g.area[2] + 0.5) * g.colPitch;

/** @param shift moves lines aside when several heads are drawn */
export const columnCurve =
  (g: Columns, shift = 0): ((i: number, j: number) => [Point, Point, Point, Point]) =>
  (i, j) =>
    curveBetween([g.left, attendingY(g, i) + shift], [g.right, attendedY(g, j) + shift], false);

/** The word under a point. */
export function columnsHit(g: Columns, px: number, py: number): Cell | null {
  const [r0, r1, c0, c1] = g.area;
  const row = Math.floor((py - g.top) / g.rowPitch) + r0;
  const col = Math.floor((py - g.top) / g.colPitch) + c0;
  const across = (px - g.left) / (g.right - g.left);
  if (across < 0.42) return row >= r0 && row < r1 ? { row } : null;
  return across > 0.58 && col >= c0 && col < c1 ? { col } : null;
}

/**
 * Words on both sides; active ones on the attending side are filled, as a pressed button would be. `named` are
 * attended words that are written though not in focus, `sides` what stands over the columns.
 */
export function paintColumnWords(
  p: Painter,
  sheet: Sheet,
  g: Columns,
  focus: Focus & { named: number[] },
  c: Colours,
  kind: Kind,
  sides: [string, string] = ['attending', 'attended'],
) {
  const [r0, r1, c0, c1] = g.area;
  const { u, size } = g;
  const write = (
    words: string,
    x: number,
    y: number,
    align: 'left' | 'right',
    pinned: boolean,
    quiet: boolean,
  ) => {
    const text = shorten(visible(words), (align === 'right' ? g.labelRoom.row : g.labelRoom.col) + 8, size);
    const pen: TextPen = { size, mono: true, align, baseline: 'middle', fill: quiet ? c.muted : c.ink };
    if (pinned) {
      const w = textWidth(text, size, true, 600) + 16 * u;
      const left = align === 'right' ? x - w + 8 * u : x - 8 * u;
      p.rect(left, y - 11 * u, w, 22 * u, { fill: c[kind], radius: 6 * u });
      Object.assign(pen, { weight: 600, fill: inkOn(c[kind], c) });
    }
    p.text(x, y + 0.5, text, pen);
  };
  paintTicks(p, g, c);
  for (const i of chosenLabels(r0, r1, g.rowEvery, focus.rows)) {
    const [x, y] = [g.left - 10 * u, attendingY(g, i)];
    if (i < sheet.written) write(sheet.rows[i], x, y, 'right', focus.rows.has(i), isSpecial(sheet.rows[i]));
    else p.text(x, y, '·', { align: 'right', baseline: 'middle', size, fill: c.muted });
  }
  if (g.top > 26 * u) {
    p.text(g.left - 10 * u, g.top - 12 * u, sides[0], {
      size: typeSize(12, u),
      align: 'right',
      fill: c.muted,
    });
    p.text(g.right + 10 * u, g.top - 12 * u, sides[1], { size: typeSize(12, u), fill: c.muted });
  }
  const named = new Set([...focus.cols, ...focus.named]);
  for (const j of chosenLabels(c0, c1, g.colEvery, named)) {
    const quiet = isSpecial(sheet.cols[j]) && !named.has(j);
    write(sheet.cols[j], g.right + 10 * u, attendedY(g, j), 'left', focus.cols.has(j), quiet);
  }
}

/** Where there are more words than can be written, a tick for each. */
function paintTicks(p: Painter, g: Columns, c: Colours) {
  const [r0, r1, c0, c1] = g.area;
  const tick = (x: number, y: number) => p.rect(x, y - 0.5, 3 * g.u, 1, { fill: c.line });
  if (g.rowEvery > 1) for (let i = r0; i < r1; i++) tick(g.left - 5 * g.u, attendingY(g, i));
  if (g.colEvery > 1) for (let j = c0; j < c1; j++) tick(g.right + 2 * g.u, attendedY(g, j));
}
