/* The products of query and key, dimension by dimension, as bars, and their sum. */

import type { AnswerData } from '../web/generated/types.ts';
import type { Pens } from './answer_pens.ts';
import { mix } from '../web/base/colour.ts';
import { tr } from '../web/base/language.ts';
import { shorten, textWidth, typeSize } from '../web/base/paint.ts';
import { heading, sideOf } from './answer_pens.ts';

const BARS = 78; // pixels of the design from the longest bar up to the longest down

/** The bars below `above`; returns where they and their sum end. */
export function paintProducts(pens: Pens, data: AnswerData, above: number) {
  const { p, c, u, room } = pens;
  const side = sideOf(pens);
  const y = above + 24 * u;
  heading(pens, data.steps[1], 0, y, room);
  if (pens.short > 1) return paintTotal(pens, data, y);
  const most = Math.max(...data.products, 0);
  const least = Math.min(...data.products, 0);
  const bars = pens.short ? BARS / 2.4 : BARS;
  const unit = (bars * u) / (most - least || 1);
  const zero = y + 32 * u + most * unit;
  const w = (room - side) / data.products.length;
  const written = new Map(data.labelled);
  p.rect(side, zero, room - side, 1, { fill: c.muted });
  data.products.forEach((value, i) => {
    const x = side + i * w;
    const height = Math.abs(value) * unit;
    const fill = value < 0 ? c.negative : c.positive;
    const strong = written.has(i) || pens.hovered === i;
    const inset = Math.min(3 * u, w * 0.14);
    p.rect(x + inset, value < 0 ? zero : zero - height, w - 2 * inset, Math.max(1, height), {
      fill: strong ? fill : mix(c.panel, fill, 0.55),
      radius: 2 * u,
    });
    pens.spots.push({ box: { x, y: y + 14 * u, w, h: bars * u + 36 * u }, dimension: i });
  });
  paintDigits(pens, data, w, zero, unit);
  return paintSum(pens, data, y, zero - least * unit + (pens.short ? 14 : 22) * u);
}

/** The sum alone, at the right of its heading; returns where it ends. */
function paintTotal({ p, u, ink, room }: Pens, data: AnswerData, y: number) {
  const look = { size: typeSize(22, u), weight: 650, align: 'right', baseline: 'middle', fill: ink } as const;
  p.text(room, y, data.total, look);
  return y + 14 * u;
}

/** The numbers of the largest products at the ends of their bars, where none covers a larger one's. */
function paintDigits(pens: Pens, data: AnswerData, w: number, zero: number, unit: number) {
  const { p, c, u, room } = pens;
  const [side, size] = [sideOf(pens), typeSize(12.5, u)];
  const taken: [number, number][] = [];
  const largestFirst = [...new Map(data.labelled)].sort(
    ([a], [b]) => Math.abs(data.products[b]) - Math.abs(data.products[a]),
  );
  for (const [i, digits] of largestFirst) {
    const value = data.products[i];
    const half = textWidth(digits, size, false, 600) / 2 + 3 * u;
    const x = Math.min(room - half, Math.max(side + half, side + (i + 0.5) * w));
    if (taken.some(([from, to]) => x - half < to && x + half > from)) continue;
    taken.push([x - half, x + half]);
    const at = zero - value * unit + (value < 0 ? size + u : -5 * u);
    p.text(x, at, digits, { size, weight: 600, align: 'center', fill: c.ink });
  }
}

/** The sum at the left of the bars, or in a narrow card below them; returns where all of it ends. */
function paintSum({ p, c, u, ink, room, wide }: Pens, data: AnswerData, y: number, below: number) {
  const size = typeSize(12.5, u);
  const big = typeSize(wide ? 27 : 22, u);
  const sum = tr('sum of {count} products', { count: data.products.length });
  if (wide) {
    p.text(11 * u, y + 58 * u, data.total, { size: big, weight: 650, fill: ink });
    p.text(11 * u, y + 58 * u + size * 1.5, sum, { size, fill: c.muted });
    return below;
  }
  p.text(0, below + big * 0.7, data.total, { size: big, weight: 650, fill: ink });
  const after = textWidth(data.total, big, false, 650) + 10 * u;
  p.text(after, below + big * 0.7, shorten(sum, room - after, size, false), { size, fill: c.muted });
  return below + big * 1.1;
}
