/* One map as a heatmap with its words: geometry, cells with numbers, labels that thin out, outlines. */

import type { Colours } from '../base/colour.ts';
import type { Box, Painter, TextPen } from '../base/paint.ts';
import type { Cache } from './picture.ts';
import type { Cell, Focus } from '../maps/selection.ts';
import type { Area, Sheet } from '../maps/sheet.ts';
import { readableOn } from '../base/colour.ts';
import { legible, shorten, textWidth, typeSize } from '../base/text.ts';
import { brief, isSpecial, spokenPercent, visible } from '../base/words.ts';
import { chosenLabels, every } from './labels.ts';
import { paintPixels, wholeOf } from './picture.ts';

const HIDDEN = 'hidden'; // names the column that says what each row gave to tokens taken out
const LEAST_NUMBER = 9; // CSS pixels of type below which a number in a cell is a smudge, as on a phone
const TILTS = [38, 58, 72]; // degrees that column labels lean: the less room, the steeper

/** Where everything in a heatmap stands, in CSS pixels: cells of `cw` × `ch` fill `box`. */
export interface HeatGeometry {
  u: number;
  size: number;
  area: Area;
  box: Box;
  cw: number;
  ch: number;
  lean: number;
  aside: number;
  labelRoom: { row: number; col: number };
  width: number;
  height: number;
  rowEvery: number;
  colEvery: number;
}

/** The longest of these labels, but at most `most`. */
export const widest = (labels: string[], size: number, most: number) =>
  Math.min(
    most,
    labels.reduce((w, label) => Math.max(w, textWidth(visible(label), size)), 0),
  );

/**
 * The geometry in a room this wide. `tall` is the most the cells may take in height, `cap` their largest width, `words`
 * the least that the rows' words take, all in pixels of the design; `u` is one of those in CSS pixels.
 */
export function heatGeometry(
  sheet: Sheet,
  room: number,
  u: number,
  {
    tall = 560,
    area = null,
    cap = 46,
    words = 0,
  }: { tall?: number; area?: Area | null; cap?: number; words?: number } = {},
): HeatGeometry {
  const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
  const [rows, cols] = [r1 - r0, c1 - c0];
  const size = 13 * u;
  const many = Math.max(rows, cols) > 150;
  const left = Math.max(words * u, widest(sheet.rows.slice(r0, r1), size, (many ? 74 : 110) * u)) + 10 * u;
  const reach = widest(sheet.cols.slice(c0, c1), size, (many ? 80 : 104) * u);
  const last = Math.min(reach, textWidth(visible(sheet.cols[c1 - 1] ?? ''), size));
  const slot = Math.min(cap * u, (room - left - last * 0.8) / cols);
  const lean = TILTS.find((degrees) => apart(degrees, u) <= slot) ?? TILTS[TILTS.length - 1];
  const [sine, cosine] = [Math.sin(radians(lean)), Math.cos(radians(lean))];
  const top = reach * sine + 16 * u;
  /** @param length how far a label this long leans out to the right */
  const leans = (length: number) => length * cosine + 9 * u * sine + 2 * u;
  // The column of hidden shares, or room to stand beside one.
  const aside = sheet.hidden || sheet.aside ? 14 * u + leans(textWidth(HIDDEN, size)) : 0;
  const over = Math.max((aside ? 44 : 4) * u, leans(last) - slot / 2, aside);
  const cw = Math.max(0.5, Math.min(cap * u, (room - left - over) / cols));
  const ch =
    rows * 15 * u <= tall * u ? Math.max(15 * u, Math.min(cw, 30 * u, (tall * u) / rows)) : (tall * u) / rows;
  const box = { x: left, y: top, w: cw * cols, h: ch * rows };
  return {
    ...{ u, size, area: [r0, r1, c0, c1], box, cw, ch, lean },
    aside: left + box.w + 8 * u,
    labelRoom: { row: left - 10 * u, col: reach },
    width: left + box.w + over,
    height: top + box.h + 4 * u,
    rowEvery: every(14 * u, ch),
    colEvery: every(apart(lean, u), cw),
  };
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** What columns need between them when their words lean so. */
const apart = (degrees: number, u: number) => (12.5 * u) / Math.sin(radians(degrees));

export const rowY = (g: HeatGeometry, i: number) => g.box.y + (i - g.area[0]) * g.ch;

export const columnX = (g: HeatGeometry, j: number) => g.box.x + (j - g.area[2]) * g.cw;

/** The cell under a point; a label counts as its row or column. */
export function heatHit(g: HeatGeometry, px: number, py: number): Cell | null {
  const [r0, r1, c0, c1] = g.area;
  const row = Math.floor((py - g.box.y) / g.ch) + r0;
  const rowIn = py >= g.box.y && row < r1;
  // Above the map the words lean to the right.
  const leaned = py < g.box.y ? px - (g.box.y - py) / Math.tan(radians(g.lean)) : px;
  const col = Math.floor((leaned - g.box.x) / g.cw) + c0;
  const colIn = col >= c0 && col < c1;
  if (py < g.box.y) return colIn ? { col } : null;
  if (rowIn && px < g.box.x) return { row };
  return rowIn && colIn ? { row, col } : null;
}

/**
 * The area between two points of the cells, for looking closer.
 * @returns null when it is not at least two by two
 */
export function areaBetween(g: HeatGeometry, from: [number, number], to: [number, number]): Area | null {
  const [r0, r1, c0, c1] = g.area;
  const edge = (v: number, start: number, step: number, low: number, high: number): number =>
    Math.max(low, Math.min(high - 1, Math.floor((v - start) / step) + low));
  const [ra, rb] = [from[1], to[1]].map((v) => edge(v, g.box.y, g.ch, r0, r1)).sort((a, b) => a - b);
  const [ca, cb] = [from[0], to[0]].map((v) => edge(v, g.box.x, g.cw, c0, c1)).sort((a, b) => a - b);
  return rb > ra && cb > ca ? [ra, rb + 1, ca, cb + 1] : null;
}

/** The number in a cell, or '' when it is too weak to need one. */
function cellNumber(sheet: Sheet, i: number, j: number, focused: boolean) {
  const value = sheet.at(i, j);
  const position = sheet.index[i * sheet.cols.length + j] & 255;
  const strong = Math.abs(position - sheet.neutral) >= (sheet.neutral ? 28 : 96);
  return strong || (focused && Math.abs(value) >= 0.01) ? brief(value, sheet.unit) : '';
}

/** Cells with gaps between them, and numbers where they fit. */
function paintCells(p: Painter, sheet: Sheet, g: HeatGeometry, focus: Focus, c: Colours) {
  const [r0, r1, c0, c1] = g.area;
  const radius = Math.min(3 * g.u, g.cw / 4, g.ch / 4);
  const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
  const [w, h] = [g.cw - gap, g.ch - gap];
  const digits = sheet.digits !== false && g.cw >= 15.5 * g.u && g.ch >= 12.5 * g.u;
  const fits = Math.min(typeSize(11, g.u), g.cw * 0.48, g.ch * 0.72);
  const readable = digits && fits >= LEAST_NUMBER;
  for (let i = r0; i < r1; i++) {
    for (let j = c0; j < c1; j++) {
      const [x, y] = [columnX(g, j), rowY(g, i)];
      const v = i < sheet.written ? sheet.index[i * sheet.cols.length + j] : -1;
      const fill = v < 0 ? c.soft : sheet.table[v];
      // A row not written yet, or with too little left beside its hidden tokens, is blank.
      if (v >= 0 || i >= sheet.written || sheet.empty?.[i]) p.rect(x, y, w, h, { fill, radius });
      // Empty on purpose: a cell that may not be attended stays a dot, so it cannot be read as a weight of 0.
      else p.circle(x + g.cw / 2, y + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
      const number = v >= 0 && readable ? cellNumber(sheet, i, j, focus.rows.has(i)) : '';
      if (!number) continue;
      const size = fits * Math.min(1, (w - 3 * g.u) / textWidth(number, fits, false));
      if (!legible(size, g.u)) continue;
      const pen: TextPen = { size, align: 'center', baseline: 'middle', fill: readableOn(fill, c) };
      p.text(x + w / 2, y + h / 2 + 0.5, number, pen);
    }
  }
}

function paintLabels(p: Painter, sheet: Sheet, g: HeatGeometry, focus: Focus, c: Colours) {
  const [r0, r1, c0, c1] = g.area;
  const label = (words: string, x: number, y: number, on: boolean, o: TextPen) =>
    p.text(x, y, words, {
      size: g.size,
      mono: true,
      fill: on ? c.ink : c.muted,
      weight: on ? 600 : 400,
      ...o,
    });
  for (const i of chosenLabels(r0, r1, g.rowEvery, focus.rows)) {
    const written = i < sheet.written;
    const words = written ? shorten(visible(sheet.rows[i]), g.labelRoom.row, g.size) : '·';
    const on = written && (focus.rows.has(i) || !isSpecial(sheet.rows[i]));
    const weight = focus.rows.has(i) ? 600 : 400;
    label(words, g.box.x - 8 * g.u, rowY(g, i) + g.ch / 2, on, {
      align: 'right',
      baseline: 'middle',
      weight,
    });
  }
  for (const j of chosenLabels(c0, c1, g.colEvery, focus.cols)) {
    const words = shorten(visible(sheet.cols[j]), g.labelRoom.col, g.size);
    const x = columnX(g, j) + g.cw / 2 + 2 * g.u;
    label(words, x, g.box.y - 5 * g.u, focus.cols.has(j), { rotate: -g.lean });
  }
}

/** What each row gave to tokens that were taken out, beside the map. */
function paintHidden(p: Painter, sheet: Sheet, g: HeatGeometry, focus: Focus, c: Colours) {
  const [r0, r1] = g.area;
  for (const i of chosenLabels(r0, Math.min(r1, sheet.written), g.rowEvery, focus.rows)) {
    const words = spokenPercent(sheet.hidden?.[i] ?? 0).replace('less than', '<');
    const fill = focus.rows.has(i) ? c.ink : c.muted;
    const weight = sheet.empty?.[i] ? 600 : 400;
    p.text(g.aside, rowY(g, i) + g.ch / 2, words, {
      size: typeSize(11.5, g.u),
      baseline: 'middle',
      fill,
      weight,
    });
  }
  p.text(g.aside + 6 * g.u, g.box.y - 5 * g.u, HIDDEN, {
    size: typeSize(11.5, g.u),
    fill: c.muted,
    rotate: -g.lean,
  });
}

function paintFrames(p: Painter, sheet: Sheet, g: HeatGeometry, { rows, cols, current }: Focus, c: Colours) {
  const [r0, r1, c0, c1] = g.area;
  const frame = (x: number, y: number, w: number, h: number, stroke: string = c.ink, width = 1.6) =>
    p.rect(x - 1.5, y - 1.5, w + 2, h + 2, {
      stroke,
      width: width * Math.min(1.5, g.u),
      radius: 4 * g.u,
    });
  const shows = (i: number) => i >= r0 && i < r1;
  if (current && shows(current.row)) {
    const y = rowY(g, current.row);
    if (current.share < 1) p.rect(g.box.x, y, g.box.w, g.ch, { fill: c.soft, alpha: 1 - current.share });
    frame(g.box.x, y, g.box.w, g.ch, current.colour);
  }
  for (const i of rows) {
    if (shows(i) && i !== current?.row) frame(g.box.x, rowY(g, i), g.box.w, g.ch);
  }
  const tall = Math.min(g.box.h, (sheet.written - r0) * g.ch);
  for (const j of cols) {
    if (j >= c0 && j < c1 && tall > 0) frame(columnX(g, j), g.box.y, g.cw, tall, c.ink, 1);
  }
}

/** The whole heatmap. */
export function paintHeat(
  p: Painter,
  sheet: Sheet,
  g: HeatGeometry,
  focus: Focus,
  c: Colours,
  cache: Cache | null = null,
) {
  if (g.cw >= 9 * g.u && g.ch >= 9 * g.u) paintCells(p, sheet, g, focus, c);
  else paintPixels(p, sheet, g.box, c, g.area, cache);
  paintLabels(p, sheet, g, focus, c);
  if (sheet.hidden) paintHidden(p, sheet, g, focus, c);
  paintFrames(p, sheet, g, focus, c);
}
