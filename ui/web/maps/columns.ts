/* A map's words in two columns, the attending at the left, with lines between them. */

/** @import { Area, Cell, Colours, Focus, Kind, Painter, Point, Sheet, TextPen } from '../types' */

import { inkOn } from '../base/colour.js';
import { shorten, textWidth, typeSize } from '../base/text.js';
import { isSpecial, visible } from '../base/words.js';
import { widest } from './heatmap.js';
import { chosenLabels, every } from './labels.js';
import { curveBetween } from './lines.js';
import { wholeOf } from './picture.js';

/**
 * Where words and lines stand, in CSS pixels.
 * @typedef {{ u: number, size: number, area: Area, top: number, left: number, right: number, width: number,
 *   height: number, rowPitch: number, colPitch: number, labelRoom: { row: number, col: number }, rowEvery: number,
 *   colEvery: number,
 * }} Columns
 */

/**
 * The geometry in a room this wide. `top` and `body` place the words beside a heatmap; otherwise `tall` limits the
 * height. `several` heads need more room for their numbers.
 * @param {Sheet} sheet
 * @param {number} room
 * @param {number} u
 * @param {{ tall?: number, area?: Area | null, top?: number, body?: number | null, several?: boolean }} limits
 * @returns {Columns}
 */
export function columnsGeometry(sheet, room, u, limits = {}) {
  const { tall = 620, area = null, top = 8 * u, body = null, several = false } = limits;
  const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
  const longest = Math.max(r1 - r0, c1 - c0);
  const size = 14 * u;
  const pitch = Math.max(Math.min(26 * u, (tall * u) / longest), 0.5);
  const height = body ?? Math.max(pitch * longest, 60 * u);
  const side = (several ? 88 : 46) * u; // room for a percentage
  /** @param {string[]} labels */
  const words = (labels) => (longest > 150 ? 90 * u : widest(labels, size, 150 * u));
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

/**
 * The height of an attending word.
 * @param {Columns} g
 * @param {number} i
 */
export const attendingY = (g, i) => g.top + (i - g.area[0] + 0.5) * g.rowPitch;

/**
 * The height of an attended word.
 * @param {Columns} g
 * @param {number} j
 */
export const attendedY = (g, j) => g.top + (j - g.area[2] + 0.5) * g.colPitch;

/**
 * @param {Columns} g
 * @param {number} shift moves lines aside when several heads are drawn
 * @returns {(i: number, j: number) => [Point, Point, Point, Point]}
 */
export const columnCurve =
  (g, shift = 0) =>
  (i, j) =>
    curveBetween([g.left, attendingY(g, i) + shift], [g.right, attendedY(g, j) + shift], false);

/**
 * The word under a point.
 * @param {Columns} g
 * @param {number} px
 * @param {number} py
 * @returns {Cell | null}
 */
export function columnsHit(g, px, py) {
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
 * @param {Painter} p
 * @param {Sheet} sheet
 * @param {Columns} g
 * @param {Focus & { named: number[] }} focus
 * @param {Colours} c
 * @param {Kind} kind
 * @param {[string, string]} sides
 */
export function paintColumnWords(p, sheet, g, focus, c, kind, sides = ['attending', 'attended']) {
  const [r0, r1, c0, c1] = g.area;
  const { u, size } = g;
  /** @type {(words: string, x: number, y: number, align: 'left' | 'right', pinned: boolean, quiet: boolean) => void} */
  const write = (words, x, y, align, pinned, quiet) => {
    const text = shorten(visible(words), (align === 'right' ? g.labelRoom.row : g.labelRoom.col) + 8, size);
    /** @type {TextPen} */
    const pen = { size, mono: true, align, baseline: 'middle', fill: quiet ? c.muted : c.ink };
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

/**
 * Where there are more words than can be written, a tick for each.
 * @param {Painter} p
 * @param {Columns} g
 * @param {Colours} c
 */
function paintTicks(p, g, c) {
  const [r0, r1, c0, c1] = g.area;
  /** @param {number} x @param {number} y */
  const tick = (x, y) => p.rect(x, y - 0.5, 3 * g.u, 1, { fill: c.line });
  if (g.rowEvery > 1) for (let i = r0; i < r1; i++) tick(g.left - 5 * g.u, attendingY(g, i));
  if (g.colEvery > 1) for (let j = c0; j < c1; j++) tick(g.right + 2 * g.u, attendedY(g, j));
}
