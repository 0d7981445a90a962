/* Words on a canvas: their width, and how they are cut to fit. */

/** @import { Painter } from '../types' */

import { TOKENS } from './tokens.js';

export const SANS = '"Source Sans", "Source Sans Pro", "Segoe UI", sans-serif';
export const MONO = '"Source Code Pro", "Cascadia Mono", Menlo, monospace';

/**
 * A size of type in CSS pixels; in presenter size none is smaller than a hall can read.
 * @param {number} size in pixels of the design
 * @param {number} u
 */
export const typeSize = (size, u) => (u > 1 ? Math.max(size * u, TOKENS.least) : size * u);

/**
 * Whether type of this size is shown at all: small numbers are left out rather than written too small for the hall.
 * @param {number} size in CSS pixels
 * @param {number} u
 */
export const legible = (size, u) => u <= 1 || size >= TOKENS.least - 0.05;

/** @type {CanvasRenderingContext2D | null} */
let context = null;

/** A context that only measures. */
export function measuring() {
  context ??= context2d(document.createElement('canvas'));
  return context;
}

/** @param {HTMLCanvasElement} canvas */
export function context2d(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
}

/**
 * @param {string} words
 * @param {number} size
 */
export function textWidth(words, size, mono = true, weight = 400) {
  const pen = measuring();
  pen.font = `${weight} ${size}px ${mono ? MONO : SANS}`;
  return pen.measureText(words).width;
}

/**
 * The label, cut with … to fit a width in pixels.
 * @param {string} words
 * @param {number} width
 * @param {number} size
 */
export function shorten(words, width, size, mono = true) {
  if (textWidth(words, size, mono) <= width) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join('')}…`, size, mono) > width) letters.pop();
  return `${letters.join('')}…`;
}

/**
 * Words broken into lines that fit, for pictures that leave the page.
 * @param {string} words
 * @param {number} width
 * @param {number} size
 */
export function wrapText(words, width, size) {
  const lines = [''];
  for (const word of words.split(' ')) {
    const last = lines[lines.length - 1];
    const longer = last ? `${last} ${word}` : word;
    if (textWidth(longer, size, false) > width && last) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/**
 * A sentence under a picture that leaves the page, on at most two lines.
 * @param {Painter} p
 * @param {string} words
 * @param {number} room
 * @param {number} y
 * @param {number} u
 * @param {string} fill
 */
export function paintWords(p, words, room, y, u, fill) {
  const lines = wrapText(words, room - 8, 13 * u).slice(0, 2);
  lines.forEach((line, n) => p.text(2, y + 17 * n * u, line, { size: 13 * u, fill }));
}
