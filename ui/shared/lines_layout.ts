/* Where the words of two rows stand, one above the other, or in two columns where they do not fit; and how large they are. */

import { textWidth } from '../web/base/paint.ts';
import { visible } from '../web/base/words.ts';
import { fillSlots, inReadingOrder, rowLength, spreadWords } from '../web/marks/labels.ts';

/**
 * Where everything stands, in CSS pixels; `inside` may be wider than the card.
 * `w` is the unit of the words, which a hall draws smaller rather than beyond the edge.
 */
export interface LinesLayout {
  u: number;
  w: number;
  size: number;
  inside: number;
  limit: number;
  /** Words in rows; else in columns. */
  flat: boolean;
  /** The places along the rows or columns. */
  source: number[];
  target: number[];
  /** Of columns: where words end or begin, where lines do, and where numbers are written. */
  x: { source: number; left: number; right: number; target: number; shares: number; sums: number };
  y: { source: number; top: number; bottom: number; target: number; end: number };
}

export const CURVES = 118; // pixels of the design between the two rows of words
const WORD = 15; // pixels of the design
const LONGEST = 190; // of a word; what is longer is shortened
const PITCH = 27; // from word to word of a column
const CROWDED = 18; // the same of a sentence that would end below the screen
const ACROSS = 380; // pixels of the design between the columns, at most
const LEGIBLE = 18; // pixels that a word keeps in a hall

/** Between two words' buttons, at least; a hall has its words closer before they are smaller. */
const gapOf = (u: number) => (u > 1 ? 3 : 8);

/**
 * The unit of the words: that of the page, in a hall as much smaller as lets the rows into their room and the words be read.
 */
function unitOfWords(rows: string[][], room: number, u: number) {
  if (u <= 1) return u;
  const longest = Math.max(...rows.map((labels) => rowLength(widthsOf(labels, u), gapOf(u) * u)));
  return u * Math.min(1, Math.max(room / longest, LEGIBLE / (WORD * u)));
}

const widthsOf = (labels: string[], w: number) =>
  labels.map((label) => Math.min(LONGEST * w, textWidth(visible(label), WORD * w)) + 14 * w);

/**
 * `covered`: more words may come below; those that are there keep their places then. `tall`: of the curves, in
 * pixels of the design. `deep`: of columns, in pixels.
 */
export function linesLayout(
  { rows, cols }: { rows: string[]; cols: string[] },
  room: number,
  u: number,
  covered = false,
  tall = CURVES,
  deep = Infinity,
): LinesLayout {
  const w = unitOfWords(covered ? [cols] : [cols, rows], room, u);
  const gap = gapOf(u) * w;
  const [source, target] = [widthsOf(cols, w), widthsOf(rows, w)];
  const flat = rowLength(source, gap) <= room && (covered || rowLength(target, gap) <= room);
  // On a small projector columns would end below the screen: rows run over there, and the current word is scrolled into view.
  const pitch = deep / Math.max(cols.length, rows.length);
  if (!flat && (u <= 1 || pitch > LEGIBLE)) return columnsLayout({ rows, cols }, room, u, pitch);
  const inside = Math.max(room, rowLength(source, gap), covered ? 0 : rowLength(target, gap));
  const centres = (along: number[], labels: string[]): number[] => inReadingOrder(along, labels, inside);
  const slots = fillSlots(target, inside / Math.max(cols.length, rows.length), gap);
  const fits = (slots.at(-1) ?? 0) + ((target.at(-1) ?? 0) + gap) / 2 <= inside;
  const below = covered && fits ? slots : spreadWords(target, inside, gap);
  return {
    u,
    w,
    size: WORD * w,
    inside,
    limit: LONGEST * w,
    flat: true,
    x: { source: 0, left: 0, right: 0, target: 0, shares: 0, sums: 0 },
    source: centres(spreadWords(source, inside, gap), cols),
    target: centres(below, rows),
    y: {
      source: 20 * u + 27 * (u - w),
      top: 50 * u,
      bottom: (50 + tall) * u,
      target: (54 + tall) * u,
      end: (100 + tall) * u,
    },
  };
}

/** Source words in a column at the left, written ones at the right; a word that is written moves none of the others. */
function columnsLayout(
  { rows, cols }: { rows: string[]; cols: string[] },
  room: number,
  u: number,
  given: number,
): LinesLayout {
  const limit = Math.min(LONGEST * u, room * 0.3);
  const pitch = Math.max(Math.min(given, PITCH * u), u > 1 ? LEGIBLE : CROWDED);
  const w = u > 1 ? Math.max(LEGIBLE / WORD, Math.min(u, (0.82 * pitch) / WORD)) : u;
  const size = WORD * w;
  const widest = (labels: string[]) =>
    Math.min(limit, Math.max(0, ...labels.map((label) => textWidth(visible(label), size)))) + 14 * u;
  const [ws, wt, share] = [widest(cols), Math.max(widest(rows), limit / 2), 48 * u];
  const across = Math.max(40 * u, Math.min(ACROSS * u, room - ws - wt - share));
  const begin = Math.max(0, (room - ws - wt - across - share) / 2) + share;
  const most = Math.max(cols.length, rows.length);
  const along = (labels: string[]) => labels.map((_, n) => (n + 0.5) * pitch);
  const [source, target] = [begin + ws, begin + ws + across];
  return {
    u,
    w,
    size,
    inside: room,
    limit,
    flat: false,
    source: along(cols),
    target: along(rows),
    x: {
      source,
      left: source + 4 * u,
      right: target - 4 * u,
      target,
      shares: begin - 4 * u,
      sums: target + wt + 4 * u,
    },
    y: { source: 0, top: 0, bottom: 0, target: 0, end: most * pitch + 4 * u },
  };
}
