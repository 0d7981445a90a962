/* What the parts of the answer's picture share: pens, headings, and what can be pointed at. */

import type { Colours } from '../web/base/colour.ts';
import type { Box, Painter } from '../web/base/paint.ts';
import type { AnswerStep } from '../web/generated/types.ts';
import { AT_CENTRE, AT_LEFT, shorten, textWidth, typeSize } from '../web/base/paint.ts';

/** What lies under a point of the picture. */
export interface Spot {
  box: Box;
  /** a dimension of query and key */
  dimension?: number;
  /** a line of the table, and a column of it */
  line?: number;
  column?: number;
}

/** What a part draws with and where; `spots` gathers what can be pointed at. */
export interface Pens {
  p: Painter;
  c: Colours;
  u: number;
  ink: string;
  kind: string;
  /** width in pixels, and whether bars stand beside the numbers */
  room: number;
  wide: boolean;
  /** how much is left out on a slide: 0 nothing, 1 digits of vectors and room between, 2 the bars of the products too */
  short: number;
  /** the dimension under the pointer */
  hovered: number | null;
  spots: Spot[];
}

/** The number of a step on a disc; `size` in pixels of the design. */
export function paintStep(
  { p, c, u }: Pick<Pens, 'p' | 'c' | 'u'>,
  number: number,
  x: number,
  y: number,
  r: number,
  size: number,
) {
  p.circle(x, y, r, { fill: c.ink });
  const pen = { ...AT_CENTRE, size: typeSize(size, u), weight: 650, fill: c.panel };
  p.text(x, y + 0.5, String(number), pen);
}

/** A numbered heading; returns where its note ends. */
export function heading(
  pens: Pens,
  { number, title, note }: AnswerStep,
  x: number,
  y: number,
  right: number,
) {
  const { p, c, u } = pens;
  const [size, small] = [typeSize(16, u), typeSize(13, u)];
  const r = 11 * u;
  paintStep(pens, number, x + r, y, r, 12.5);
  const left = x + 2 * r + 9 * u;
  p.text(left, y, title, { ...AT_LEFT, size, weight: 650, fill: c.ink });
  const from = left + textWidth(title, size, false, 650) + 14 * u;
  if (note && right - from > 60 * u)
    p.text(from, y, shorten(note, right - from, small, false), { ...AT_LEFT, size: small, fill: c.muted });
  return Math.min(right, from + textWidth(note, small, false));
}

/** The width at the left of vectors and products for their names. */
export const sideOf = ({ wide, room, u }: Pens) => (wide ? Math.min(158 * u, room * 0.17) : 0);
