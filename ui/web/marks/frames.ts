/* The frames that marks are drawn on: where the rows and columns of a map stand, and the words of a pair with lines between. */

import type { Box, Point } from '../base/paint.ts';
import type { Cell } from '../maps/selection.ts';
import type { Area, Sheet } from '../maps/sheet.ts';
import { tr } from '../base/language.ts';
import { legible, textWidth } from '../base/paint.ts';
import { WORD_HEIGHT } from '../base/view.ts';
import { isSpecial, visible } from '../base/words.ts';
import { every, readPart, readSize } from './labels.ts';
import { curveBetween } from './lines.ts';
import { wholeOf } from './picture.ts';

/** Names the column that says what each row gave to tokens taken out. */
export const hiddenName = () => tr('hidden');
const READS_UP_TO = 14; // rows that are labelled with the words they read; of more, only the pinned ones
const PINNED_ROOM = 122; // pixels of the design for both words of a pinned row
const READS_FROM = 300; // pixels of the design that a map with both words needs
const UPRIGHT = 90;
const TILTS = [38, 58, 72, UPRIGHT]; // degrees that column labels lean: the less room, the steeper
const STRAIGHT_UP_TO = 150; // columns whose words may stand straight
const SMALLEST = 10; // pixels of the design: type that upright words shrink to before one is left out
const BETWEEN = 6; // pixels of the design between two words on a line
const LINE = 16; // and that a line of them takes

/* ---------- a map ---------- */

/** Where everything in a heatmap stands, in CSS pixels: cells of `cw` × `ch` fill `box`. */
export interface HeatGeometry {
  u: number;
  size: number;
  /** The type of the words over the columns: where they are many, it is smaller. */
  sizeOver: number;
  area: Area;
  box: Box;
  cw: number;
  ch: number;
  /** Degrees that the words of the columns lean; 0: they stand straight. */
  lean: number;
  /** On which line above the map the word of each column stands straight; empty where they lean. */
  lines: number[];
  aside: number;
  labelRoom: { row: number; col: number };
  /** Which rows have the word they read beside the one they write. */
  reads: 'all' | 'pinned' | 'none';
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

/** Which rows have both words, and the room that they take. */
function roomOfReads(sheet: Sheet, [from, to]: [number, number], room: number, u: number) {
  const wide = sheet.reads && room >= READS_FROM * u;
  const both = wide ? pairWidth(sheet, [from, to], 13 * u, u, 170 * u) : 0;
  const all = both > 0 && to - from <= READS_UP_TO;
  return {
    reads: all ? ('all' as const) : ('pinned' as const),
    both: all ? both : Math.min(both, PINNED_ROOM * u),
  };
}

/** The width of the widest row label of a decoder, `le → canapé`, but at most `most`. */
function pairWidth(
  { reads = [], rows, written }: Sheet,
  [from, to]: [number, number],
  size: number,
  u: number,
  most: number,
) {
  const widths = rows
    .slice(from, Math.min(to, written))
    .map(
      (word, n) =>
        textWidth(readPart(reads[from + n]), readSize(size, u)) + textWidth(visible(word), size, true, 600),
    );
  return Math.min(most, Math.max(0, ...widths));
}

/**
 * The geometry in a room this wide. `tall` is the most the cells may take in height, `cap` their largest width, `words`
 * the least that the rows' words take, `deep` the largest height of a row (none: no higher than
 * wide), all in pixels of the design; `u` is one of those in CSS pixels.
 */
export function heatGeometry(sheet: Sheet, room: number, u: number, limits: Limits = {}): HeatGeometry {
  const whole = geometryOf(sheet, room, u, limits, true);
  if (whole.colEvery === 1 && whole.lean < UPRIGHT) return whole;
  // Where the words that rows read leave columns without theirs, or turn them upright, they make room.
  const without = geometryOf(sheet, room, u, limits, false);
  return without.colEvery < whole.colEvery || without.lean < whole.lean ? without : whole;
}

interface Limits {
  tall?: number;
  area?: Area | null;
  cap?: number;
  words?: number;
  deep?: number;
}

function geometryOf(
  sheet: Sheet,
  room: number,
  u: number,
  { tall = 560, area = null, cap = 46, words = 0, deep = 0 }: Limits,
  withReads: boolean,
): HeatGeometry {
  const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
  const [rows, cols] = [r1 - r0, c1 - c0];
  const size = 13 * u;
  const many = Math.max(rows, cols) > 150;
  const own = widest(sheet.rows.slice(r0, r1), size, (many ? 74 : 110) * u);
  const { reads, both } = withReads
    ? roomOfReads(sheet, [r0, r1], room, u)
    : { reads: 'none' as const, both: 0 };
  const left = Math.max(words * u, own, both) + 10 * u;
  const named = { words: sheet.cols.slice(c0, c1), size, most: (many ? 80 : 104) * u };
  const { lean, lines, reach, top, over, type } = columnWords(
    named,
    u,
    (beside) => Math.min(cap * u, (room - left - beside) / cols),
    Boolean(sheet.hidden || sheet.aside),
  );
  const cw = Math.max(0.5, Math.min(cap * u, (room - left - over) / cols));
  const ch = u * rowHeight(rows, cw / u, tall, deep);
  const box = { x: left, y: top, w: cw * cols, h: ch * rows };
  return {
    u,
    size,
    sizeOver: type,
    area: [r0, r1, c0, c1],
    box,
    cw,
    ch,
    lean,
    lines,
    aside: left + box.w + 8 * u,
    labelRoom: { row: left - 10 * u, col: reach },
    reads,
    width: left + box.w + over,
    height: top + box.h + 4 * u,
    rowEvery: every(WORD_HEIGHT * u, ch),
    colEvery: lines.length ? 1 : every(apart(lean, type), cw),
  };
}

/** The height of a row in pixels of the design; where there are too many for their words, they share the height. */
function rowHeight(rows: number, wide: number, tall: number, deep: number) {
  if (rows * 15 > tall) return tall / rows;
  return Math.max(15, Math.min(deep || Math.min(wide, 30), tall / rows));
}

/** How the words of columns stand over a map, and the room they take above it and to its right. */
interface ColumnWords {
  lean: number;
  lines: number[];
  /** The longest word, as it is written. */
  reach: number;
  top: number;
  over: number;
  type: number;
}

/**
 * Words stand straight, on a second line where they would touch the word before, special tokens above them where they are
 * too wide, and lean where that does not help; where
 * not even upright ones fit they are written smaller, down to what can be read. Only then is every second left out.
 * @param widthOf how wide a column is where so many pixels are left free beside the map
 * @param besides whether a column of hidden shares stands beside it
 */
function columnWords(
  { words, size, most }: { words: string[]; size: number; most: number },
  u: number,
  widthOf: (beside: number) => number,
  besides: boolean,
): ColumnWords {
  const hidden = textWidth(hiddenName(), size);
  if (words.length <= STRAIGHT_UP_TO) {
    const widths = words.map((word) => textWidth(visible(word), size));
    const aside = besides ? 18 * u + hidden : 0;
    const least = Math.max((aside ? 44 : 4) * u, aside);
    const cw = widthOf(least);
    const runsOut = widths.map((width, j) => width / 2 - (widths.length - j - 0.5) * cw + 2 * u);
    const over = Math.max(least, ...runsOut);
    const slot = widthOf(over);
    const lines =
      linesOf(widths, slot, BETWEEN * u) ?? linesOf(widths, slot, BETWEEN * u, words.map(isSpecial));
    const top = (LINE * (1 + Math.max(0, ...(lines ?? []))) + 6) * u;
    if (lines) return { lean: 0, lines, reach: Math.max(0, ...widths) + 1, top, over, type: size };
  }
  const reach = widest(words, size, most);
  const last = Math.min(reach, textWidth(visible(words[words.length - 1] ?? ''), size));
  const slot = widthOf(last * 0.8);
  const lean = TILTS.find((degrees) => apart(degrees, size) <= slot) ?? TILTS[TILTS.length - 1];
  const fits = Math.max(SMALLEST * u, Math.min(size, (size * slot) / apart(lean, size)));
  const type = legible(fits, u) ? fits : size;
  const [sine, cosine] = [Math.sin(radians(lean)), Math.cos(radians(lean))];
  /** @param length how far a label this long leans out to the right */
  const leans = (length: number) => length * cosine + 9 * u * sine + 2 * u;
  const aside = besides ? 14 * u + leans(hidden) : 0;
  const over = Math.max((aside ? 44 : 4) * u, leans(last) - slot / 2, aside);
  return { lean, lines: [], reach, top: reach * sine + 16 * u, over, type };
}

/**
 * The line of each word: the lowest of two on which it leaves `gap` to the last word there; null where they do not do.
 * @param above words that stand on a third line
 */
function linesOf(widths: number[], slot: number, gap: number, above: boolean[] = []) {
  const ends = [-Infinity, -Infinity, -Infinity];
  const lines: number[] = [];
  for (const [j, width] of widths.entries()) {
    const centre = (j + 0.5) * slot;
    const line = ends.findIndex((end, n) => Boolean(above[j]) === n > 1 && end + gap <= centre - width / 2);
    if (line < 0) return null;
    ends[line] = centre + width / 2;
    lines.push(line);
  }
  return lines;
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** What columns need between them when words of this type lean so. */
const apart = (degrees: number, size: number) => (0.88 * size) / Math.sin(radians(degrees));

export const rowY = (g: HeatGeometry, i: number) => g.box.y + (i - g.area[0]) * g.ch;

export const columnX = (g: HeatGeometry, j: number) => g.box.x + (j - g.area[2]) * g.cw;

/** How far above the line next to the map the word of a column stands. */
export const lineOf = (g: HeatGeometry, j: number) => (g.lines[j - g.area[2]] ?? 0) * LINE * g.u;

/** The cell under a point; a label counts as its row or column. */
export function heatHit(g: HeatGeometry, px: number, py: number): Cell | null {
  const [r0, r1, c0, c1] = g.area;
  const row = Math.floor((py - g.box.y) / g.ch) + r0;
  const rowIn = py >= g.box.y && row < r1;
  // Above the map the words may lean to the right.
  const leaned = g.lean && py < g.box.y ? px - (g.box.y - py) / Math.tan(radians(g.lean)) : px;
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

/* ---------- a pair ---------- */

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
    u,
    size,
    area: [r0, r1, c0, c1],
    top,
    left,
    right: Math.max(left + 60 * u, right),
    width: room,
    height: top + height + 8 * u,
    rowPitch,
    colPitch,
    labelRoom,
    rowEvery: every(WORD_HEIGHT * u, rowPitch),
    colEvery: every(WORD_HEIGHT * u, colPitch),
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
