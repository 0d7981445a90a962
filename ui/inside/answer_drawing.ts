/* eslint-disable max-lines, max-lines-per-function, complexity -- to be split into vectors, products and table */
/* “Why does canapé look 96 % at sofa?” as a picture: query and key, their products, and the words from score to weight. */

import type { Colours } from '../web/base/colour.ts';
import type { Box, Painter } from '../web/base/paint.ts';
import type {
  AnswerData,
  AnswerColumn,
  AnswerLine,
  AnswerStep,
  AnswerVector,
} from '../web/generated/types.ts';
import { contrast, divergingTable, mix, rampTable, readableOn } from '../web/base/colour.ts';
import { shorten, textWidth, typeSize } from '../web/base/paint.ts';
import { tr } from '../web/base/language.ts';
import { isSpecial, percent, visible } from '../web/base/words.ts';
import { placer } from '../web/maps/sheet.ts';
import { paintLegend } from '../web/marks/legend.ts';

const WIDE = 720; // pixels of the design from which bars stand beside the numbers
const BARS = 78; // pixels of the design from the longest bar up to the longest down
const FAINT = 0.005; // weights below are written as 0.00
const STRONG = 16.5; // type of the line that is asked about

/** What lies under a point of the picture. */
export interface Spot {
  box: Box;
  /** a dimension of query and key */
  dimension?: number;
  /** a line of the table, and a column of it */
  line?: number;
  column?: number;
}

interface Pens {
  p: Painter;
  c: Colours;
  u: number;
  ink: string;
  kind: string;
}

/** Paints the answer in `room` pixels and returns its height and what can be pointed at. Without a painter it measures. */
export function paintAnswer(
  painter: Painter | null,
  data: AnswerData,
  room: number,
  u: number,
  c: Colours,
  hovered: number | null = null,
) {
  const pens = { p: painter ?? SILENT, c, u, ink: c[`${data.kind}_text`], kind: c[data.kind] };
  const spots: Spot[] = [];
  const wide = room >= WIDE * u;
  let y = paintVectors(pens, data, room, wide, spots, hovered);
  y = paintProducts(pens, data, y, room, wide, spots, hovered);
  y = paintTable(pens, data, y, room, wide, spots);
  return { height: y, spots };
}

const nothing = () => {};
const SILENT: Painter = {
  rect: nothing,
  circle: nothing,
  curve: nothing,
  path: nothing,
  image: nothing,
  text: nothing,
};

/** A numbered heading; returns where its note ends. */
function heading(
  { p, c, u }: Pens,
  { number, title, note }: AnswerStep,
  x: number,
  y: number,
  right: number,
) {
  const [size, small] = [typeSize(16, u), typeSize(13, u)];
  const r = 11 * u;
  p.circle(x + r, y, r, { fill: c.ink });
  const middle = { baseline: 'middle' } as const;
  p.text(x + r, y + 0.5, String(number), {
    ...middle,
    size: typeSize(12.5, u),
    weight: 650,
    align: 'center',
    fill: c.panel,
  });
  const left = x + 2 * r + 9 * u;
  p.text(left, y, title, { ...middle, size, weight: 650, fill: c.ink });
  const from = left + textWidth(title, size, false, 650) + 14 * u;
  if (note && right - from > 60 * u)
    p.text(from, y, shorten(note, right - from, small, false), { ...middle, size: small, fill: c.muted });
  return Math.min(right, from + textWidth(note, small, false));
}

const sideOf = (wide: boolean, room: number, u: number) => (wide ? Math.min(158 * u, room * 0.17) : 0);

/** How the numbers of a vector stand: upright in one line where they fit so, else in lines of as many as fit. */
export function cellsOf(count: number, widest: number, room: number, type: number) {
  const flat = widest + 5;
  const upright = type + 3;
  if (count * flat <= room) return { perLine: count, w: room / count, h: type * 2.1, turned: false };
  if (count * upright <= room) return { perLine: count, w: room / count, h: widest + 9, turned: true };
  const fits = Math.max(1, Math.floor(room / flat));
  const perLine = Math.ceil(count / Math.ceil(count / fits));
  return { perLine, w: room / perLine, h: type * 2.1, turned: false };
}

function paintVectors(
  pens: Pens,
  data: AnswerData,
  room: number,
  wide: boolean,
  spots: Spot[],
  hovered: number | null,
) {
  const { p, c, u } = pens;
  const type = typeSize(11.5, u);
  const both: [AnswerVector, string, string][] = [
    [data.query, c.query, c.query_text],
    [data.key, c.key, c.key_text],
  ];
  const top = Math.max(...both.flatMap(([{ values }]) => Array.from(values, Math.abs))) || 1;
  const table = divergingTable(c);
  const scale = {
    table,
    words: '',
    stops: [
      [0, `−${top.toFixed(1)}`],
      [0.5, '0'],
      [1, top.toFixed(1)],
    ],
  };
  const legend = 150 * u;
  const y = 13 * u;
  const end = heading(pens, data.steps[0], 0, y, room);
  if (end + legend < room) paintLegend(p, room - legend + 20 * u, 2 * u, u, scale as never, c);
  const side = sideOf(wide, room, u);
  const widest = Math.max(
    ...both.flatMap(([{ digits }]) => digits.map((each) => textWidth(each, type, true))),
  );
  const cells = cellsOf(data.products.length, widest, room - side, type);
  const gap = 3 * u;
  const name = typeSize(14, u);
  const position = placer('diverging', top);
  let from = y + 22 * u;
  if (!wide) {
    // The names stand above the numbers, query left and key right of one line.
    let x = 0;
    for (const [vector, , ink] of both) {
      p.text(x, from + 8 * u, vector.name, { size: name, weight: 650, fill: ink, baseline: 'middle' });
      const after = x + textWidth(vector.name, name, false, 650) + 8 * u;
      p.text(after, from + 8 * u, vectorWords(vector, room / 2 - (after - x) - 8 * u, type), {
        size: type,
        mono: true,
        fill: c.muted,
        baseline: 'middle',
      });
      x += room / 2;
    }
    from += 24 * u;
  }
  for (let first = 0; first < data.products.length; first += cells.perLine) {
    both.forEach(([vector, colour, ink], n) => {
      const line = from + n * (cells.h + gap);
      if (wide && !first) {
        const middle = line + cells.h / 2;
        p.rect(0, line, 3 * u, cells.h, { fill: colour, radius: 1.5 * u });
        p.text(11 * u, middle - 4 * u, vector.name, { size: name, weight: 650, fill: ink });
        rowWords(pens, vector, 11 * u, middle + 13 * u, side - 19 * u);
      } else if (!wide) p.rect(0, line, 2.5 * u, cells.h, { fill: colour });
      for (let i = first; i < Math.min(first + cells.perLine, data.products.length); i++) {
        const x = side + (i - first) * cells.w;
        const fill = table[position(vector.values[i])];
        const w = cells.w - Math.min(2 * u, cells.w * 0.15);
        p.rect(x, line, w, cells.h, { fill, radius: 3 * u });
        p.text(x + w / 2, line + cells.h / 2 + 0.5, vector.digits[i], {
          size: type,
          mono: true,
          align: 'center',
          baseline: 'middle',
          rotate: cells.turned ? -90 : 0,
          fill: readableOn(fill, c),
        });
        if (hovered === i)
          p.rect(x - 1, line - 1, w + 2, cells.h + 2, { stroke: c.ink, width: 2 * u, radius: 4 * u });
        spots.push({ box: { x, y: line, w: cells.w, h: cells.h + gap }, dimension: i, line: -1 - n });
      }
    });
    from += 2 * (cells.h + gap) + (cells.perLine < data.products.length ? 5 * u : 0);
  }
  return from;
}

/** “le → canapé” for one line, cut to fit. */
const vectorWords = ({ small, word }: AnswerVector, room: number, size: number) =>
  shorten(small ? `${visible(small)} ${visible(word)}` : visible(word), room, size);

/** The read word small and grey, the written one bold. */
function rowWords({ p, c, u }: Pens, { small, word }: AnswerVector, x: number, y: number, room: number) {
  const [little, size] = [typeSize(12, u), typeSize(13, u)];
  const before = small ? shorten(visible(small), room / 2, little) : '';
  p.text(x, y, before, { size: little, mono: true, fill: c.muted });
  const at = x + (before ? textWidth(before, little) + 5 * u : 0);
  p.text(at, y, shorten(visible(word), room - (at - x), size), {
    size,
    mono: true,
    weight: 600,
    fill: c.ink,
  });
}

function paintProducts(
  pens: Pens,
  data: AnswerData,
  above: number,
  room: number,
  wide: boolean,
  spots: Spot[],
  hovered: number | null,
) {
  const { p, c, u, ink } = pens;
  const side = sideOf(wide, room, u);
  const y = above + 24 * u;
  heading(pens, data.steps[1], 0, y, room);
  const size = typeSize(12.5, u);
  const most = Math.max(...data.products, 0);
  const least = Math.min(...data.products, 0);
  const unit = (BARS * u) / (most - least || 1);
  const zero = y + 32 * u + most * unit;
  const w = (room - side) / data.products.length;
  const written = new Map(data.labelled);
  const taken: [number, number][] = [];
  p.rect(side, zero, room - side, 1, { fill: c.muted });
  data.products.forEach((value, i) => {
    const x = side + i * w;
    const height = Math.abs(value) * unit;
    const fill = value < 0 ? c.negative : c.positive;
    const pale = written.has(i) || hovered === i ? fill : mix(c.panel, fill, 0.55);
    const inset = Math.min(3 * u, w * 0.14);
    p.rect(x + inset, value < 0 ? zero : zero - height, w - 2 * inset, Math.max(1, height), {
      fill: pale,
      radius: 2 * u,
    });
    spots.push({ box: { x, y: y + 14 * u, w, h: BARS * u + 36 * u }, dimension: i });
  });
  for (const [i, digits] of [...written].sort(
    ([a], [b]) => Math.abs(data.products[b]) - Math.abs(data.products[a]),
  )) {
    const value = data.products[i];
    const half = textWidth(digits, size, false, 600) / 2 + 3 * u;
    const x = Math.min(room - half, Math.max(side + half, side + (i + 0.5) * w));
    if (taken.some(([from, to]) => x - half < to && x + half > from)) continue;
    taken.push([x - half, x + half]);
    const at = value < 0 ? zero - value * unit + size + 1 * u : zero - value * unit - 5 * u;
    p.text(x, at, digits, { size, weight: 600, align: 'center', fill: c.ink });
  }
  const below = zero - least * unit + 22 * u;
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

interface Laid {
  column: AnswerColumn;
  /** where its bar begins, and where its numbers end */
  left: number;
  right: number;
  bar: number;
}

/** The columns between the words and the right edge: the numbers' own width, the rest to the bars. */
function laidOut(data: AnswerData, names: number, room: number, wide: boolean, u: number): Laid[] {
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

function paintTable(pens: Pens, data: AnswerData, above: number, room: number, wide: boolean, spots: Spot[]) {
  const { p, c, u } = pens;
  const size = typeSize(wide ? 13.5 : 12.5, u);
  const longest = Math.max(...data.lines.map(({ label }) => textWidth(visible(label), size)));
  const names = Math.min(longest + 12 * u, room * (wide ? 0.16 : 0.24));
  const laid = laidOut(data, names, room, wide, u);
  const y = above + 20 * u;
  let top = heads(pens, laid, y, room, wide);
  const ramp = rampTable(c.panel, pens.kind);
  const ends = laid.map((_, n) => {
    const sizes = data.lines.map((line) => line.sizes[n]);
    return [Math.min(0, ...sizes), Math.max(...sizes, 0)] as const;
  });
  data.lines.forEach((line, n) => {
    const strong = n === data.chosen;
    const height = (strong ? (wide ? 44 : 34) : 24) * u;
    if (strong)
      p.rect(0.75, top, room - 1.5, height, {
        fill: mix(c.panel, pens.kind, 0.08),
        stroke: pens.kind,
        width: 1.5 * u,
        radius: 8 * u,
      });
    paintLine(pens, line, laid, ends, ramp, { x: 0, y: top, w: names, h: height }, strong, wide);
    if (strong && wide)
      p.text(room - 12 * u, top + height / 2 + 0.5, `= ${data.share}`, {
        size: typeSize(STRONG, u),
        weight: 650,
        align: 'right',
        baseline: 'middle',
        fill: pens.ink,
      });
    spots.push({ box: { x: 0, y: top, w: room, h: height }, line: n });
    laid.forEach(({ left, right }, column) =>
      spots.push({ box: { x: left, y: top, w: right - left, h: height }, line: n, column }),
    );
    top += height + 1 * u;
  });
  return feet(pens, laid, top, room, wide);
}

/** The steps above their columns; in a narrow card only their numbers and names. */
function heads(pens: Pens, laid: Laid[], y: number, room: number, wide: boolean) {
  const { p, c, u } = pens;
  const small = typeSize(12.5, u);
  const notes = wide && laid.every(({ column, left }, n) => fits(column, left, laid[n + 1]?.left ?? room, u));
  laid.forEach(({ column, left, right }, n) => {
    const { step, name } = column;
    const end = (laid.slice(n + 1).find((each) => each.column.step)?.left ?? room) - 12 * u;
    if (step && wide) heading(pens, notes ? step : { ...step, note: '' }, left, y, end);
    else if (step) {
      const r = 8 * u;
      p.circle(right - r, y, r, { fill: c.ink });
      p.text(right - r, y + 0.5, String(step.number), {
        size: typeSize(11, u),
        weight: 650,
        align: 'center',
        baseline: 'middle',
        fill: c.panel,
      });
    }
    if (step && wide && !notes)
      p.text(left, y + 24 * u, shorten(step.note, end - left, small, false), { size: small, fill: c.muted });
    if (!step && wide)
      p.text(right, y, name, {
        size: typeSize(13.5, u),
        weight: 600,
        align: 'right',
        baseline: 'middle',
        fill: c.ink,
      });
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

function paintLine(
  { p, c, u, ink, kind }: Pens,
  line: AnswerLine,
  laid: Laid[],
  ends: (readonly [number, number])[],
  ramp: string[],
  name: Box,
  strong: boolean,
  wide: boolean,
) {
  const size = strong ? typeSize(wide ? STRONG : 13, u) : typeSize(wide ? 13.5 : 12.5, u);
  const middle = name.y + name.h / 2 + 0.5;
  const single = line.key !== null;
  const pen = { size, baseline: 'middle' } as const;
  const label = shorten(visible(line.label), name.w - 10 * u, size, single);
  p.text(10 * u, middle, label, {
    ...pen,
    mono: single,
    weight: strong ? 650 : 400,
    fill: strong ? c.ink : single && !isSpecial(line.label) ? c.ink : c.muted,
  });
  laid.forEach(({ column, left, right, bar }, n) => {
    const [low, high] = ends[n];
    if (column.look === 'weight') {
      const h = name.h - (strong ? 10 : 4) * u;
      const weight = line.sizes[n];
      const fill = weight < FAINT ? c.soft : ramp[placer('weight', 1)(weight)];
      p.rect(left, name.y + (name.h - h) / 2, right - left, h, { fill, radius: 5 * u });
      const size_ = strong && wide ? typeSize(20, u) : size;
      // Large bold type needs 3 : 1, smaller type 4.5 : 1.
      const large = strong && wide && contrast(fill, c.panel) >= 3;
      p.text((left + right) / 2, middle, line.cells[n], {
        ...pen,
        size: size_,
        align: 'center',
        weight: strong ? 700 : 400,
        fill: large ? c.panel : readableOn(fill, c),
      });
      return;
    }
    if (bar > 20 * u && single) {
      const span = bar - 14 * u;
      const zero = left + (-low / (high - low || 1)) * span;
      const length = (line.sizes[n] / (high - low || 1)) * span;
      const h = strong ? 18 * u : 10 * u;
      p.rect(zero, name.y, 1, name.h + u, { fill: c.line });
      if (Math.abs(length) >= 0.5)
        p.rect(Math.min(zero, zero + length), middle - h / 2, Math.abs(length), h, {
          fill: strong ? kind : c.bar,
          radius: 2 * u,
        });
    }
    p.text(right, middle, line.cells[n], {
      ...pen,
      align: 'right',
      weight: strong ? 650 : 400,
      fill: strong ? (n ? c.ink : ink) : column.look === 'number' ? c.muted : c.ink,
    });
    const next = laid[n + 1];
    if (strong && wide && next && next.left - right > 26 * u && column.step !== next.column.step)
      arrow(p, right + 9 * u, middle, u, kind);
  });
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
function feet({ p, c, u }: Pens, laid: Laid[], top: number, room: number, wide: boolean) {
  const size = typeSize(13.5, u);
  const rows = laid.filter(({ column }) => column.foot);
  if (!rows.length) return top + 4 * u;
  const middle = top + 17 * u;
  if (!wide) {
    // Below one another, at the right.
    rows.forEach(({ column }, n) =>
      p.text(room - 4 * u, middle + n * size * 1.5, column.foot, {
        size,
        weight: 600,
        align: 'right',
        baseline: 'middle',
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

/** Every number of the answer as lines of a table. */
export function answerTable(data: AnswerData) {
  const lines: (string | number)[][] = [['part', 'index', 'name', 'column', 'written', 'value']];
  const number = (value: number) => Number(value.toPrecision(9));
  for (const vector of [data.query, data.key])
    vector.values.forEach((value, i) =>
      lines.push([vector.name, i, vector.word, '', vector.digits[i], number(value)]),
    );
  data.products.forEach((value, i) => lines.push(['product', i, '', '', '', number(value)]));
  lines.push(['sum', '', '', '', data.total, '']);
  for (const { key, label, cells, sizes } of data.lines)
    data.columns.forEach(({ name }, n) =>
      lines.push(['key', key ?? '', label, name, cells[n], number(sizes[n])]),
    );
  return lines;
}

/** What a number under the pointer is. */
export function tipOf(data: AnswerData, { dimension, line, column }: Spot) {
  if (dimension !== undefined)
    return tr('Dimension {number}: {query} × {key} = {product}', {
      number: dimension,
      query: data.query.digits[dimension],
      key: data.key.digits[dimension],
      product: data.products[dimension].toFixed(2).replace('-', '−'),
    });
  const at = line === undefined ? undefined : data.lines[line];
  if (!at || at.key === null) return '';
  if (line !== data.chosen)
    return tr('Ask about “{word}”: {share}', {
      word: at.label,
      share: percent(at.sizes[at.sizes.length - 1]),
    });
  return column === undefined ? '' : tr('See how {number} is computed', { number: at.cells[column] });
}
