/* The words from score to weight: a line a key, a column a number, with the softmax at the right. */

import type { Box, Painter } from '../web/base/paint.ts';
import type { AnswerColumn, AnswerData, AnswerLine } from '../web/generated/types.ts';
import type { Pens } from './answer_pens.ts';
import { contrast, mix, rampTable, readableOn } from '../web/base/colour.ts';
import { AT_CENTRE, AT_LEFT, AT_RIGHT, shorten, textWidth, typeSize } from '../web/base/paint.ts';
import { isSpecial, visible } from '../web/base/words.ts';
import { placer } from '../web/maps/sheet.ts';
import { heading, paintStep } from './answer_pens.ts';

const FAINT = 0.005; // weights below are written as 0.00
const STRONG = 16.5; // type of the line that is asked about
const PLAIN = 24; // pixels of the design that any other line takes
const SHORT = 18.8; // and on a slide that lacks the room

/** The table below `above`; returns where it ends. */
export function paintTable(pens: Pens, data: AnswerData, above: number) {
  const { p, c, u, room, wide } = pens;
  const size = typeSize(wide ? 13.5 : 12.5, u);
  const longest = Math.max(...data.lines.map(({ label }) => textWidth(visible(label), size)));
  const names = Math.min(longest + 12 * u, room * (wide ? 0.16 : 0.24));
  const laid = laidOut(pens, data, names);
  let top = heads(pens, laid, above + 20 * u);
  const ramp = rampTable(c.panel, pens.kind);
  const ends = laid.map((_, n): Ends => {
    const sizes = data.lines.map((line) => line.sizes[n]);
    return [Math.min(0, ...sizes), Math.max(...sizes, 0)];
  });
  data.lines.forEach((line, n) => {
    const strong = n === data.chosen;
    const [most, plain] = pens.short ? [28, SHORT] : [wide ? 44 : 34, PLAIN];
    const height = (strong ? most : plain) * u;
    if (strong)
      p.rect(0.75, top, room - 1.5, height, {
        fill: mix(c.panel, pens.kind, 0.08),
        stroke: pens.kind,
        width: 1.5 * u,
        radius: 8 * u,
      });
    paintLine(pens, line, laid, ends, ramp, { x: 0, y: top, w: names, h: height });
    if (strong && wide) paintShare(pens, data.share, top + height / 2 + 0.5);
    pens.spots.push({ box: { x: 0, y: top, w: room, h: height }, line: n });
    laid.forEach(({ left, right }, column) =>
      pens.spots.push({ box: { x: left, y: top, w: right - left, h: height }, line: n, column }),
    );
    top += height + u;
  });
  return feet(pens, laid, top);
}

/** The weight asked about as a percentage at the right of its line. */
const paintShare = ({ p, u, ink, room }: Pens, share: string, y: number) =>
  p.text(room - 12 * u, y, `= ${share}`, { ...AT_RIGHT, size: typeSize(STRONG, u), weight: 650, fill: ink });

interface Laid {
  column: AnswerColumn;
  /** where its bar begins, and where its numbers end */
  left: number;
  right: number;
  bar: number;
}

/** The columns between the words and the right edge: the numbers' own width, the rest to the bars. */
function laidOut({ room, wide, u }: Pens, data: AnswerData, names: number): Laid[] {
  const size = typeSize(wide ? 13.5 : 12.5, u);
  const strong = typeSize(wide ? STRONG : 13, u);
  const own = data.columns.map((column, n) =>
    Math.max(
      ...data.lines.map(({ cells }, line) =>
        textWidth(cells[n], line === data.chosen ? strong : size, false, line === data.chosen ? 650 : 400),
      ),
      column.look === 'weight' ? (wide ? 96 : 46) * u : 0,
    ),
  );
  const bars = data.columns.filter(({ look }) => look === 'bar').length;
  const share = wide ? textWidth(`= ${data.share}`, strong, false, 650) + 14 * u : 0;
  const gap = (wide ? 30 : 8) * u;
  const spare = room - names - share - own.reduce((sum, each) => sum + each + gap, 0);
  const bar = wide ? Math.max(0, Math.min(190 * u, spare / Math.max(1, bars))) : 0;
  const loose = wide
    ? Math.max(0, spare - bar * bars) / data.columns.length
    : Math.max(0, spare) / data.columns.length;
  let x = names;
  return data.columns.map((column, n) => {
    const wanted = column.look === 'bar' ? bar : 0;
    const left = x + gap + (column.look === 'weight' ? 0 : loose);
    const right = left + wanted + own[n];
    x = right + (column.look === 'weight' ? loose : 0);
    return { column, left, right, bar: wanted };
  });
}

/** The steps above their columns; in a narrow card only their numbers and names. */
function heads(pens: Pens, laid: Laid[], y: number) {
  const { p, c, u, room, wide } = pens;
  const small = typeSize(12.5, u);
  const notes = wide && laid.every(({ column, left }, n) => fits(column, left, laid[n + 1]?.left ?? room, u));
  laid.forEach(({ column, left, right }, n) => {
    const { step, name } = column;
    const end = (laid.slice(n + 1).find((each) => each.column.step)?.left ?? room) - 12 * u;
    if (step && wide) heading(pens, notes ? step : { ...step, note: '' }, left, y, end);
    else if (step) paintStep(pens, step.number, right - 8 * u, y, 8 * u, 11);
    if (step && wide && !notes)
      p.text(left, y + 24 * u, shorten(step.note, end - left, small, false), { size: small, fill: c.muted });
    if (!step && wide)
      p.text(right, y, name, { ...AT_RIGHT, size: typeSize(13.5, u), weight: 600, fill: c.ink });
    if (!wide) {
      const room_ = right - (laid[n - 1]?.right ?? 0) - 4 * u;
      p.text(right, y + 22 * u, shorten(narrowName(column), room_, small, false), {
        size: small,
        align: 'right',
        fill: c.muted,
      });
    }
  });
  return y + (wide ? (notes ? 18 : 34) : 32) * u;
}

const narrowName = ({ name, card }: AnswerColumn) =>
  card === 'weights' && name.startsWith('e^') ? 'e^…' : name;

function fits({ step }: AnswerColumn, left: number, right: number, u: number) {
  if (!step) return true;
  const words =
    textWidth(step.title, typeSize(16, u), false, 650) + textWidth(step.note, typeSize(13, u), false);
  return left + words + 60 * u < right;
}

/** How a line is written, and where: its type, its middle, and whether it is the one asked about. */
interface LineLook {
  size: number;
  middle: number;
  strong: boolean;
  /** one key, not several together */
  single: boolean;
  box: Box;
}

type Ends = readonly [number, number];

/** A line of the table: its label, and per column its number with its bar or its cell. */
function paintLine(pens: Pens, line: AnswerLine, laid: Laid[], ends: Ends[], ramp: string[], box: Box) {
  const { p, c, u, wide } = pens;
  const strong = box.h > PLAIN * u;
  const size = strong ? typeSize(wide ? STRONG : 13, u) : typeSize(wide ? 13.5 : 12.5, u);
  const look = { size, middle: box.y + box.h / 2 + 0.5, strong, single: line.key !== null, box };
  const label = shorten(visible(line.label), box.w - 10 * u, size, look.single);
  p.text(10 * u, look.middle, label, {
    ...AT_LEFT,
    size,
    mono: look.single,
    weight: strong ? 650 : 400,
    fill: strong || (look.single && !isSpecial(line.label)) ? c.ink : c.muted,
  });
  laid.forEach((at, n) => {
    if (at.column.look === 'weight') return paintWeight(pens, line.cells[n], line.sizes[n], ramp, at, look);
    if (at.bar > 20 * u && look.single) paintBar(pens, line.sizes[n], ends[n], at, look);
    paintNumber(pens, line.cells[n], n, laid, look);
  });
}

/** A weight in a cell of its colour. */
function paintWeight(
  { p, c, u, wide }: Pens,
  digits: string,
  weight: number,
  ramp: string[],
  { left, right }: Laid,
  { size, middle, strong, box }: LineLook,
) {
  const h = box.h - (strong ? 10 : 4) * u;
  const fill = weight < FAINT ? c.soft : ramp[placer('weight', 1)(weight)];
  p.rect(left, box.y + (box.h - h) / 2, right - left, h, { fill, radius: 5 * u });
  // Large bold type needs 3 : 1, smaller type 4.5 : 1.
  const large = strong && wide && contrast(fill, c.panel) >= 3;
  p.text((left + right) / 2, middle, digits, {
    ...AT_CENTRE,
    size: strong && wide ? typeSize(20, u) : size,
    weight: strong ? 700 : 400,
    fill: large ? c.panel : readableOn(fill, c),
  });
}

/** A number's bar, from the zero that all lines of its column share. */
function paintBar(
  { p, c, u, kind }: Pens,
  value: number,
  [low, high]: Ends,
  { left, bar }: Laid,
  { middle, strong, box }: LineLook,
) {
  const unit = (bar - 14 * u) / (high - low || 1);
  const zero = left - low * unit;
  const length = value * unit;
  const h = (strong ? 18 : 10) * u;
  p.rect(zero, box.y, 1, box.h + u, { fill: c.line });
  if (Math.abs(length) < 0.5) return;
  const fill = strong ? kind : c.bar;
  p.rect(Math.min(zero, zero + length), middle - h / 2, Math.abs(length), h, { fill, radius: 2 * u });
}

/** The number of column `n`, with an arrow to the next step in the line asked about. */
function paintNumber(
  pens: Pens,
  digits: string,
  n: number,
  laid: Laid[],
  { size, middle, strong }: LineLook,
) {
  const { p, c, u, ink, kind, wide } = pens;
  const { column, right } = laid[n];
  const plain = column.look === 'number' ? c.muted : c.ink;
  p.text(right, middle, digits, {
    ...AT_RIGHT,
    size,
    weight: strong ? 650 : 400,
    fill: strong ? (n ? c.ink : ink) : plain,
  });
  const next = laid.at(n + 1);
  if (strong && wide && next && next.left - right > 26 * u && column.step !== next.column.step)
    arrow(p, right + 9 * u, middle, u, kind);
}

/** An arrow from one step's number to the next step. */
const arrow = (p: Painter, x: number, y: number, u: number, stroke: string) => {
  const [end, head] = [x + 12 * u, 4 * u];
  p.path(`M${x} ${y}L${end} ${y}M${end - head} ${y - head}L${end} ${y}L${end - head} ${y + head}`, {
    stroke,
    width: 1.8 * u,
  });
};

/** The sum below its column, and the division that gives the weight. */
function feet({ p, c, u, room, wide }: Pens, laid: Laid[], top: number) {
  const size = typeSize(13.5, u);
  const rows = laid.filter(({ column }) => column.foot);
  if (!rows.length) return top + 4 * u;
  const middle = top + 17 * u;
  if (!wide) {
    // Below one another, at the right.
    rows.forEach(({ column }, n) =>
      p.text(room - 4 * u, middle + n * size * 1.5, column.foot, {
        ...AT_RIGHT,
        size,
        weight: 600,
        fill: c.ink,
      }),
    );
    return middle + rows.length * size * 1.5;
  }
  for (const { column, left, right } of rows) {
    const last = column.look === 'weight';
    if (!last) p.rect(left, top + 3 * u, right - left, 1, { fill: c.ink });
    p.text(
      last ? Math.min(left, room - textWidth(column.foot, size, false, 600)) : right,
      middle,
      column.foot,
      {
        size,
        weight: 600,
        align: last ? 'left' : 'right',
        baseline: 'middle',
        fill: c.ink,
      },
    );
  }
  return middle + 14 * u;
}
