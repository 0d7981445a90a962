/* Colour arithmetic, the same as ui/style/colour.py; tests/ui/style/test_theme.py runs both and compares them. */

const hexToRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
const toLinear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const toEncoded = (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
const clamp01 = (x) => Math.min(1, Math.max(0, x));

function oklab(hex) {
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

function oklabToHex([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return '#' + rgb.map((c) => Math.floor(toEncoded(clamp01(c)) * 255 + 0.5).toString(16).padStart(2, '0')).join('');
}

function mix(start, end, share) {
  if (share <= 0) return start;
  if (share >= 1) return end;
  const a = oklab(start);
  const b = oklab(end);
  return oklabToHex(a.map((v, i) => v + (b[i] - v) * share));
}

/** Colour of a weight in 0..1: the panel at 0, the kind's colour at 1. */
const sequential = (weight, panel, colour) => mix(panel, colour, clamp01(weight) ** TOKENS.gamma);

/** Colour of a difference in -1..1: grey at 0. */
const diverging = (value, c) =>
  value >= 0 ? mix(c.neutral, c.positive, value) : mix(c.neutral, c.negative, -value);

/** 256 colours of a scale, for drawing many cells: `table[Math.round(weight * 255)]`. */
const sequentialTable = (panel, colour) => Array.from({ length: 256 }, (_, i) => sequential(i / 255, panel, colour));
const divergingTable = (c) => Array.from({ length: 256 }, (_, i) => diverging(i / 127.5 - 1, c));

function luminance(hex) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

/** Ink or panel colour, whichever reads better on the fill. */
const readableOn = (fill, c) => (contrast(fill, c.ink) >= contrast(fill, c.panel) ? c.ink : c.panel);
