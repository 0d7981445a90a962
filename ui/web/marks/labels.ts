/* Which words stand beside a map, and where the words of a row stand. */

import { typeSize } from '../base/paint.ts';
import { TURNED, isolated, visible } from '../base/words.ts';

/** The type of the word that a row reads, beside that of the word it writes. */
const READ_SIZE = 0.92;

/** Its size beside words of `size`; a hall still reads it. */
export const readSize = (size: number, u: number) => typeSize((READ_SIZE * size) / u, u);

/** What stands before the word that a row of the decoder writes: the word it reads, and an arrow. */
export const readPart = (read: string | undefined) =>
  read === undefined ? '' : `${isolated(visible(read))} → `;

/** Every how many labels one fits when each needs `need` pixels and has `have`. */
export const every = (need: number, have: number) => Math.max(1, Math.ceil(need / have));

/** Which labels to write: every k-th, and the active ones instead of their neighbours. */
export function chosenLabels(from: number, to: number, step: number, active: Iterable<number>) {
  if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
  const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
  const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
  return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
}

/** The length that words of these widths need with a gap after each. */
export const rowLength = (widths: number[], gap: number) =>
  widths.reduce((sum, width) => sum + width + gap, 0);

/**
 * Centres of words along `length` pixels: evenly when they fit so, else by their widths with a gap, which may run over.
 */
export function spreadWords(widths: number[], length: number, gap: number) {
  const slot = length / widths.length;
  if (widths.every((width) => width + gap <= slot)) return widths.map((_, i) => (i + 0.5) * slot);
  const spare = Math.max(0, length - rowLength(widths, gap)) / widths.length;
  let x = 0;
  return widths.map((width) => {
    const centre = x + (width + gap + spare) / 2;
    x += width + gap + spare;
    return centre;
  });
}

/**
 * Centres of words that are written one after the other, each in its slot or, where that is taken, right of the word
 * before: no word moves when another follows.
 */
export function fillSlots(widths: number[], slot: number, gap: number) {
  let end = 0;
  return widths.map((width, i) => {
    const centre = Math.max((i + 0.5) * slot, end + (width + gap) / 2);
    end = centre + (width + gap) / 2;
    return centre;
  });
}

/**
 * Whether most letters of the labels are written from right to left; ⟨start⟩ and its like have no letters of their own.
 */
export function readsLeft(labels: string[]) {
  let [turned, letters] = [0, 0];
  for (const label of labels) {
    if (/^[⟨‹]/.test(label)) continue;
    for (const sign of label) {
      if (!/\p{L}/u.test(sign)) continue;
      letters += 1;
      if (TURNED.test(sign)) turned += 1;
    }
  }
  return 2 * turned > letters;
}

/** Centres along a row of `length` pixels, counted from where reading starts. */
export const inReadingOrder = (centres: number[], labels: string[], length: number) =>
  readsLeft(labels) ? centres.map((x) => length - x) : centres;
