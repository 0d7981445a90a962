/* Words on a canvas: their width, and how they are cut to fit. */

import type { Painter } from './paint.ts';
import { TOKENS } from './tokens.ts';

export const SANS = '"Source Sans", "Source Sans Pro", "Segoe UI", sans-serif';
export const MONO = '"Source Code Pro", "Cascadia Mono", Menlo, monospace';

/**
 * A size of type in CSS pixels; in presenter size none is smaller than a hall can read.
 * @param size in pixels of the design
 */
export const typeSize = (size: number, u: number) => (u > 1 ? Math.max(size * u, TOKENS.least) : size * u);

/**
 * Whether type of this size is shown at all: small numbers are left out rather than written too small for the hall.
 * @param size in CSS pixels
 */
export const legible = (size: number, u: number) => u <= 1 || size >= TOKENS.least - 0.05;

let context: CanvasRenderingContext2D | null = null;

/** A context that only measures. */
export function measuring() {
  context ??= context2d(document.createElement('canvas'));
  return context;
}

export function context2d(canvas: HTMLCanvasElement) {
  return canvas.getContext('2d') as CanvasRenderingContext2D;
}

export function textWidth(words: string, size: number, mono = true, weight = 400) {
  const pen = measuring();
  pen.font = `${weight} ${size}px ${mono ? MONO : SANS}`;
  return pen.measureText(words).width;
}

/** The label, cut with … to fit a width in pixels. */
export function shorten(words: string, width: number, size: number, mono = true) {
  if (textWidth(words, size, mono) <= width) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join('')}…`, size, mono) > width) letters.pop();
  return `${letters.join('')}…`;
}

/** Words broken into lines that fit, for pictures that leave the page. */
export function wrapText(words: string, width: number, size: number) {
  const lines = [''];
  for (const word of words.split(' ')) {
    const last = lines[lines.length - 1];
    const longer = last ? `${last} ${word}` : word;
    if (textWidth(longer, size, false) > width && last) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** A sentence under a picture that leaves the page, on at most two lines. */
export function paintWords(p: Painter, words: string, room: number, y: number, u: number, fill: string) {
  const lines = wrapText(words, room - 8, 13 * u).slice(0, 2);
  lines.forEach((line, n) => p.text(2, y + 17 * n * u, line, { size: 13 * u, fill }));
}
