/* Which words stand beside a map, and where the words of a row stand. */

import { TURNED } from '../base/words.js';

/**
 * Every how many labels one fits when each needs `need` pixels and has `have`.
 * @param {number} need
 * @param {number} have
 */
export const every = (need, have) => Math.max(1, Math.ceil(need / have));

/**
 * Which labels to write: every k-th, and the active ones instead of their neighbours.
 * @param {number} from
 * @param {number} to
 * @param {number} step
 * @param {Iterable<number>} active
 */
export function chosenLabels(from, to, step, active) {
  if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
  const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
  const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
  return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
}

/**
 * The length that words of these widths need with a gap after each.
 * @param {number[]} widths
 * @param {number} gap
 */
export const rowLength = (widths, gap) => widths.reduce((sum, width) => sum + width + gap, 0);

/**
 * Centres of words along `length` pixels: evenly when they fit so, else by their widths with a gap, which may run over.
 * @param {number[]} widths
 * @param {number} length
 * @param {number} gap
 */
export function spreadWords(widths, length, gap) {
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
 * @param {number[]} widths
 * @param {number} slot
 * @param {number} gap
 */
export function fillSlots(widths, slot, gap) {
  let end = 0;
  return widths.map((width, i) => {
    const centre = Math.max((i + 0.5) * slot, end + (width + gap) / 2);
    end = centre + (width + gap) / 2;
    return centre;
  });
}

/**
 * Whether most letters of the labels are written from right to left; ⟨start⟩ and its like have no letters of their own.
 * @param {string[]} labels
 */
export function readsLeft(labels) {
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

/**
 * Centres along a row of `length` pixels, counted from where reading starts.
 * @param {number[]} centres
 * @param {string[]} labels
 * @param {number} length
 */
export const inReadingOrder = (centres, labels, length) =>
  readsLeft(labels) ? centres.map((x) => length - x) : centres;
