/* Numbers and labels as a reader sees them. */

import type { Kind, Unit } from '../generated/types.ts';
import { TOKENS } from '../generated/tokens.ts';
import { fixed, tr } from './language.ts';

/** Whether the page is used with fingers, which cannot hover and have no keys: hints then say what they can do. */
export const TOUCH = globalThis.matchMedia?.('(hover: none) and (pointer: coarse)').matches ?? false;

/** What the keys do on a map, behind its accessible name. */
export const mapKeys = () => (TOUCH ? '' : ` ${tr('Arrow keys move, Enter pins, Esc unpins.')}`);

/** A written number with the sign of typography, + or −; what was rounded to zero has none. */
export const minus = (text: string) => text.replace(/^[+-](?=[0.,]+(?![\d.,]))/, '').replace('-', '−');

export function percent(weight: number, digits = 0) {
  const value = weight * 100;
  if (value > 0 && value < 10 ** -digits / 2) return `< ${fixed(10 ** -digits, digits)} %`;
  return `${fixed(value, digits)} %`;
}

/** Round half to even, as Python's format does for exact halves. */
function wholePercent(share: number) {
  const value = share * 100;
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + (floor % 2) : Math.round(value);
}

export const spokenPercent = (share: number) =>
  share > 0 && wholePercent(share) === 0
    ? tr('less than {number} %', { number: 1 })
    : `${wholePercent(share)} %`;

/** A value with its unit: "59 %", "+12 points", "−0.31". */
export function shown(value: number, unit: Unit, digits = 0) {
  if (Number.isNaN(value)) return '—';
  if (unit === 'share') return percent(value, digits);
  if (unit === 'points') return minus(`${value > 0 ? '+' : ''}${fixed(value * 100, digits)} points`);
  if (unit === 'length') return lengthWords(value);
  return minus(fixed(value, 2));
}

/** The length of a vector, with the digits that its size needs. */
export const lengthWords = (value: number) => fixed(value, value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2);

/** The same inside a cell, where the unit is known. */
export function brief(value: number, unit: Unit) {
  if (unit === 'length') return lengthWords(value);
  if (unit === 'number') return minus(Math.abs(value) >= 10 ? fixed(value, 0) : fixed(value, 1));
  const whole = Math.round(value * 100);
  return minus(unit === 'points' && whole > 0 ? `+${whole}` : `${whole}`);
}

/** What `make` gives for each kind of attention. */
export const ofKinds = <Value>(make: (kind: Kind) => Value): Record<Kind, Value> => ({
  encoder: make('encoder'),
  causal: make('causal'),
  cross: make('cross'),
});

/** How a head is called: "2.5". */
export const headName = ({ layer, head }: { layer: number; head: number }) => `${layer}.${head}`;

/** A name inside a line; one of capitals, such as AER, stays as it is. */
export const lowered = (name: string) => (name === name.toUpperCase() ? name : name.toLowerCase());

/** A label for prose: a space or an empty token is shown as a visible sign. */
export const visible = (label: string) => (label === '' ? '∅' : label.trim() === '' ? '␣' : label);

const SPECIAL_LABEL = new RegExp(TOKENS.special, 'u');

/**
 * Whether a label is that of a special token, such as ⟨end⟩, written quieter than words; the rule is core's.
 */
export const isSpecial = (label: string) => SPECIAL_LABEL.test(label);

/** Letters written from right to left. */
export const TURNED =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

/** A label for use among other words; a right-to-left one is isolated so that it does not reorder them. */
export const isolated = (label: string) => (TURNED.test(label) ? `\u2068${label}\u2069` : label);

/** Indices of the largest values, largest first; of equal ones the first. */
export const topIndices = (values: ArrayLike<number>, count: number) =>
  Array.from(values, (_, i) => i)
    .sort((a, b) => values[b] - values[a] || a - b)
    .slice(0, count);

export const within = (low: number, value: number, high: number) => Math.min(high, Math.max(low, value));
