/* Where the words of two rows stand, one above the other, and how large they are. */

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
  source: number[];
  target: number[];
  y: { source: number; top: number; bottom: number; target: number; end: number };
}

export const CURVES = 118; // pixels of the design between the two rows of words
const WORD = 15; // pixels of the design
const LONGEST = 190; // of a word; what is longer is shortened
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
 * pixels of the design.
 */
export function linesLayout(
  { rows, cols }: { rows: string[]; cols: string[] },
  room: number,
  u: number,
  covered = false,
  tall = CURVES,
): LinesLayout {
  const w = unitOfWords(covered ? [cols] : [cols, rows], room, u);
  const gap = gapOf(u) * w;
  const [source, target] = [widthsOf(cols, w), widthsOf(rows, w)];
  const inside = Math.max(room, rowLength(source, gap), rowLength(target, gap));
  const centres = (along: number[], labels: string[]): number[] => inReadingOrder(along, labels, inside);
  const slots = fillSlots(target, inside / Math.max(cols.length, rows.length), gap);
  const fits = (slots.at(-1) ?? 0) + ((target.at(-1) ?? 0) + gap) / 2 <= inside;
  const below = covered && fits ? slots : spreadWords(target, inside, gap);
  return {
    ...{ u, w, size: WORD * w, inside, limit: LONGEST * w },
    ...{ source: centres(spreadWords(source, inside, gap), cols), target: centres(below, rows) },
    y: {
      ...{ source: 20 * u + 27 * (u - w), top: 50 * u, bottom: (50 + tall) * u },
      ...{ target: (54 + tall) * u, end: (100 + tall) * u },
    },
  };
}
