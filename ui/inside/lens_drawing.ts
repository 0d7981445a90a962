/* The lens as a picture: each cell the word that would be written and its probability; and the ten words of one cell. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Box, Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { At } from '../web/maps/selection.ts';
import type { LensNumbers } from './lens_numbers.ts';
import { readableOn } from '../web/base/colour.ts';
import { plain } from '../web/base/dom.ts';
import { csvNumber } from '../web/base/export.ts';
import { AT_LEFT, AT_RIGHT, legible, shorten, textWidth, typeSize } from '../web/base/paint.ts';
import { grouped, tr } from '../web/base/language.ts';
import { isSpecial, percent, visible } from '../web/base/words.ts';
import { placer } from '../web/maps/sheet.ts';
import { exportWidth } from '../web/marks/leaving.ts';
import { weightAxis } from '../web/marks/legend.ts';

const position = placer('weight', 1);

/** What is drawn: the numbers, the cell looked at, and where the cells stand. */
interface LensPicture {
  host: Host;
  numbers: LensNumbers;
  at: At;
  geometry: LensGeometry;
  /** The colours of the cells. */
  table: string[];
  /** Pixels that the bars may take. */
  roomOfTop: number;
  /** The title over the bars. */
  topTitle(): string;
}

export function paintLens(p: Painter, lens: LensPicture, g: LensGeometry) {
  const { numbers, host, at } = lens;
  const { steps, depths } = numbers.meta;
  const c = host.colours;
  const { u, size } = g;
  depths.forEach((name, col) => {
    const { x, w } = cellBox(g, 0, col);
    const words = columnName(name, w, typeSize(12.5, u));
    const weight = col === at.col ? 600 : 400;
    p.text(x + w / 2, 16 * u, words, { size: typeSize(12.5, u), align: 'center', weight, fill: c.muted });
  });
  steps.forEach((word, row) => {
    const { y, h } = cellBox(g, row, 0);
    const weight = row === at.row ? 600 : 400;
    const pen = { ...AT_RIGHT, size, mono: !g.narrow, weight, fill: isSpecial(word) ? c.muted : c.ink };
    const aside = g.narrow ? NARROW_ASIDE : ASIDE;
    const named = shorten(visible(word), g.left - aside * u, size, !g.narrow);
    p.text(g.left - (aside - 3) * u, y + h / 2, named, pen);
    const firstFrom = numbers.firstFrom(row);
    depths.forEach((_, col) => paintCell(p, lens, g, { row, col }, col === firstFrom));
  });
}

/** The name of a depth, or only its number where there is no room. */
function columnName(name: string, room: number, size: number) {
  const short = [
    name,
    name.replace(/,.*/, ''),
    /\d/.test(name) ? '' : tr('emb.'),
    /\d+/.exec(name)?.[0] ?? '0',
  ];
  return (
    short.find((words) => words && textWidth(words, size, false, 600) <= room) ?? shorten(name, room, size)
  );
}

/**
 * A cell: the most probable word on the colour of the written word's probability, that word's rank in small, and a bar left of
 * the first cell from which the written word stays on top.
 */
function paintCell(p: Painter, lens: LensPicture, g: LensGeometry, at: At, firstFrom: boolean) {
  const { numbers, host, table } = lens;
  const c = host.colours;
  const { u, size } = g;
  const { x, y, w, h } = cellBox(g, at.row, at.col);
  const [first] = numbers.top(at);
  const fill = table[position(numbers.final(at))]; // of the word that was written, not of one that loses
  const radius = 4 * u;
  p.rect(x, y, w, h, { fill, radius });
  if (firstFrom) p.rect(x, y, 4 * u, h, { fill: c.ink, radius: 2 * u });
  const ink = readableOn(fill, c);
  const rank = grouped(numbers.rank(at));
  const small = typeSize(10.5, u);
  const beside = legible(small, u) && !g.narrow ? textWidth(rank, small, false) + 8 * u : 0;
  const inset = (g.narrow ? 5 : 9) * u;
  const room = w - inset - (g.narrow ? 0 : 3) * u - beside;
  const weight = rank === '1' ? 600 : 400;
  const pen = { ...AT_LEFT, size, mono: !g.narrow, weight, fill: ink };
  if (room > 10 * u)
    p.text(x + inset, y + h / 2 + 0.5, shorten(visible(first.label), room, size, !g.narrow), pen);
  if (beside) p.text(x + w - 6 * u, y + h / 2 + 0.5, rank, { ...AT_RIGHT, size: small, fill: ink });
  const { row, col } = lens.at;
  if (row === at.row && col === at.col)
    p.rect(x - 1, y - 1, w + 2, h + 2, { stroke: c.ink, width: 2 * u, radius });
}

const BAR = 28; // pixels of the design from one of the ten words to the next

/** The ten words, and the written one if it is not among them. */
export function listed({ numbers, at }: LensPicture) {
  const words = numbers.top(at);
  const written = numbers.meta.steps[at.row];
  const rank = numbers.rank(at);
  const choices = words.map(({ label, share }, n) => ({
    label,
    share,
    rank: n + 1,
    written: rank === n + 1,
  }));
  return rank <= words.length
    ? choices
    : [...choices, { label: written, share: numbers.final(at), rank, written: true }];
}

export const topHeight = (lens: LensPicture, u: number) => (listed(lens).length * BAR + 6) * u;

/** The words of the cell looked at, as bars. */
export function paintTop(p: Painter, lens: LensPicture, room: number) {
  const u = lens.host.scale;
  const c = lens.host.colours;
  const size = typeSize(13, u);
  const words = listed(lens);
  const number = textWidth('100.0 %', size, false) + 6 * u;
  const left =
    Math.min(Math.max(...words.map(({ label }) => textWidth(visible(label), size))), room * 0.34) + 34 * u;
  words.forEach(({ label, share, rank, written }, n) => {
    const y = (n * BAR + 15) * u;
    const pen = { size, baseline: 'middle' } as const;
    p.text(20 * u, y, grouped(rank), {
      ...pen,
      align: 'right',
      fill: c.muted,
      size: typeSize(11.5, u),
    });
    const weight = written ? 600 : 400;
    p.text(28 * u, y, shorten(visible(label), left - 34 * u, size), {
      ...pen,
      mono: true,
      weight,
      fill: c.ink,
    });
    const most = Math.max(10, room - left - number);
    const w = Math.max(1.5, share * most);
    p.rect(left, y - 8 * u, w, 16 * u, { fill: written ? c.causal : c.line, radius: 3 * u });
    p.text(left + w + 6 * u, y, percent(share, 1), {
      ...pen,
      weight,
      fill: written ? c.causal_text : c.muted,
    });
  });
}

export const lensLegend = (lens: LensPicture) => ({
  table: lens.table,
  ...weightAxis('weight', 1),
  words: tr('probability of the word written'),
});

export function lensLeaving(lens: LensPicture): Leaving {
  return {
    name: () => lens.numbers.meta.file,
    who: () => tr('logit lens'),
    title: () => `${plain(lens.numbers.title())} · ${tr('logit lens')}`,
    size: () => [lens.geometry.width, lens.geometry.height],
    draw: (p) => paintLens(p, lens, lens.geometry),
    legend: () => lensLegend(lens),
    words: () => lens.numbers.sentence(lens.at),
    rows: () => lens.numbers.table(),
  };
}

export function topLeaving(lens: LensPicture): Leaving {
  const room = () => exportWidth(lens.roomOfTop, lens.host.scale);
  return {
    name: () => `${lens.numbers.meta.file}-step-${lens.at.row + 1}-depth-${lens.at.col}`,
    who: () => `${tr('logit lens')}, ${lens.numbers.meta.depths[lens.at.col]}`,
    title: () => lens.topTitle(),
    size: () => [room(), topHeight(lens, lens.host.scale)],
    draw: (p) => paintTop(p, lens, room()),
    rows: () => [
      ['rank', 'word', 'probability', 'written'],
      ...listed(lens).map(({ label, share, rank, written }) => [
        rank,
        label,
        csvNumber(share),
        Number(written),
      ]),
    ],
  };
}

/* The layout of the lens: one row per written word, one column per depth of the decoder. */

/** Pixels of the design between the left edge, a row's word and its first cell. */
export const ASIDE = 12;
/** The same where cells are narrow. */
const NARROW_ASIDE = 8;
/** Pixels of the design below which a cell has room for a word alone, in the narrower type. */
const NARROW = 58;

/** Pixels: words right-aligned at `left`, cells of `w` × `h` from there on below `head`. */
export interface LensGeometry {
  u: number;
  left: number;
  head: number;
  w: number;
  h: number;
  rows: number;
  cols: number;
  size: number;
  narrow: boolean;
  width: number;
  height: number;
}

export function lensGeometry(words: string[], depths: string[], room: number, u: number): LensGeometry {
  const aside = (size: number, mono: boolean, gap: number) => {
    const widest = Math.max(...words.map((word) => textWidth(visible(word), size, mono)), 20 * u);
    return Math.min(widest, room * 0.26, 150 * u) + gap * u;
  };
  const width = (left: number) => Math.min(190 * u, (room - left - 2 * u) / depths.length);
  const narrow = width(aside(typeSize(13, u), true, ASIDE)) < (NARROW + 2) * u;
  const size = typeSize(narrow ? 12 : 13, u);
  const left = aside(size, !narrow, narrow ? NARROW_ASIDE : ASIDE);
  const w = width(left);
  const h = Math.max(28 * u, size * 1.9);
  const head = 26 * u;
  const [rows, cols] = [words.length, depths.length];
  return {
    u,
    left,
    head,
    w,
    h,
    rows,
    cols,
    size,
    narrow,
    width: left + w * cols + 2 * u,
    height: head + h * rows + 4 * u,
  };
}

/** The corner and size of a cell. */
const cellBox = (g: LensGeometry, row: number, col: number): Box => ({
  x: g.left + col * g.w,
  y: g.head + row * g.h,
  w: g.w - 2 * g.u,
  h: g.h - 2 * g.u,
});

/** The cell under a point; a word counts as its row's last cell. */
export function lensHit(g: LensGeometry, x: number, y: number): At | null {
  const row = Math.floor((y - g.head) / g.h);
  if (row < 0 || row >= g.rows) return null;
  const col = x < g.left ? g.cols - 1 : Math.floor((x - g.left) / g.w);
  return col < g.cols ? { row, col } : null;
}
