/* Colour arithmetic, the same as ui/style/theme.py; tests/ui/style/test_theme.py runs both and compares them. */

import type { TOKENS } from '../generated/tokens.ts';

export type Colours = typeof TOKENS.light;

export const hexToRgb = (hex: string) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
const toLinear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const toEncoded = (c: number) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
export const clamp01 = (x: number) => Math.min(1, Math.max(0, x));

function oklab(hex: string) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function oklabToHex([L, a, b]: number[]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const digits = (c: number) =>
    Math.floor(toEncoded(clamp01(c)) * 255 + 0.5)
      .toString(16)
      .padStart(2, '0');
  return '#' + rgb.map(digits).join('');
}

/** Between two colours, evenly to the eye. */
export function mix(start: string, end: string, share: number) {
  if (share <= 0) return start;
  if (share >= 1) return end;
  const a = oklab(start);
  const b = oklab(end);
  return oklabToHex(a.map((v, i) => v + (b[i] - v) * share));
}

/** Colours by position 0..255. */
export const rampTable = (from: string, to: string) =>
  Array.from({ length: 256 }, (_, i) => mix(from, to, i / 255));

/**
 * The colours of a map of one kind of attention, from the panel's colour: white numbers can be read from 90 % of the
 * largest weight on.
 */
export const kindRamp = (c: Colours, kind: 'encoder' | 'causal' | 'cross') =>
  rampTable(c.panel, c[`${kind}_text`]);

/** Colours of differences by position: grey at 127.5, the middle. */
export const divergingTable = (c: Colours) =>
  Array.from({ length: 256 }, (_, i) => {
    const value = i / 127.5 - 1;
    return value >= 0 ? mix(c.neutral, c.positive, value) : mix(c.neutral, c.negative, -value);
  });

export function luminance(hex: string) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: string, b: string) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const READABLE = 4.5; // WCAG 2.1, 1.4.3

/** Whichever of two colours reads better on the fill. */
const better = (fill: string, a: string, b: string) => (contrast(fill, a) >= contrast(fill, b) ? a : b);

/**
 * Ink or panel colour, whichever reads better on the fill; on a middling one neither does, and it is black or white.
 */
export function readableOn(fill: string, c: { ink: string; panel: string }) {
  const own = better(fill, c.ink, c.panel);
  return contrast(fill, own) >= READABLE ? own : better(fill, '#000000', '#ffffff');
}

/**
 * The same for words on a kind's own colour, which is light in the dark theme: the page's background may be the ink.
 */
export const inkOn = (fill: string, c: Colours) =>
  readableOn(fill, { ink: readableOn(fill, c), panel: c.background });
