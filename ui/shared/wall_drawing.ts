/* The wall as a picture: every head's map, its name and its score, and the legend. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { WallData } from '../web/generated/types.ts';
import type { Stops } from '../web/marks/legend.ts';
import type { WallHeads } from './wall_heads.ts';
import { legible, textWidth, typeSize } from '../web/base/paint.ts';
import { fixed, tr } from '../web/base/language.ts';
import { minus, percent } from '../web/base/words.ts';
import { weightAxis } from '../web/marks/legend.ts';
import { paintPixels } from '../web/marks/picture.ts';
import { toneWords } from './wall_heads.ts';

/** What is drawn: the heads, where they stand, and which of them are open. */
export interface WallPicture {
  host: Host;
  heads: WallHeads;
  layout: WallLayout;
  opening: { opened: number[] };
}

export const spokenScore = (v: number | null) => (v === null ? '–' : minus(fixed(v, 2)));

/** The score of a head as it is written: a share of the pinned pair in percent, others with two digits. */
export function writtenScore(heads: WallHeads, head: number, name = heads.own.badge) {
  const value = heads.score(head, name);
  return value !== null && heads.meta.scores[name].percent ? percent(value) : spokenScore(value);
}

/** The names of the layers beside their heads. */
export function paintLayers(p: Painter, { u, labels }: WallLayout, fill: string, names: string[] = []) {
  const pen = { size: typeSize(12, u), align: 'center', baseline: 'middle', rotate: -90, fill } as const;
  for (const [layer, y] of labels) p.text(11 * u, y, names[layer] ?? tr('layer {layer}', { layer }), pen);
}

/** The heads, `share` of their way from where they stood before. */
export function paintWall(
  p: Painter,
  wall: WallPicture,
  from: Map<number, { x: number; y: number }> = wall.layout.at,
  share = 1,
) {
  const { w, h, at } = wall.layout;
  const c = wall.host.colours;
  paintLayers(p, wall.layout, c.muted, wall.heads.meta.quantity?.rows);
  for (const [head, to] of at) {
    const start = from.get(head) ?? to;
    const [x, y] = [start.x + (to.x - start.x) * share, start.y + (to.y - start.y) * share];
    const { sheet, cache } = wall.heads.pictures[head];
    paintPixels(p, sheet, { x, y, w, h }, c, undefined, cache);
    paintPair(p, wall, x, y);
    paintCaption(p, wall, head, x, y);
    paintOutline(p, wall, head, x, y);
  }
}

/** The pinned pair's cell. */
function paintPair(p: Painter, wall: WallPicture, x: number, y: number) {
  const { pair, shape, block } = wall.heads.meta;
  if (!pair) return;
  const { u, w, h } = wall.layout;
  const [cw, ch] = [w / shape[1], h / shape[0]];
  const [left, top] = [x + Math.floor(pair.column / block[1]) * cw, y + Math.floor(pair.row / block[0]) * ch];
  p.rect(left, top, cw, ch, { stroke: wall.host.colours.ink, width: 1.4 * u, radius: 1.5 * u });
}

/** Name and score under a head; one below the least score pales. */
function paintCaption(p: Painter, wall: WallPicture, head: number, x: number, y: number) {
  const { u, w, h } = wall.layout;
  const c = wall.host.colours;
  const weak = !wall.heads.passes(head);
  if (weak) p.rect(x - 1, y - 1, w + 2, h + 2, { fill: c.panel, alpha: 0.82 });
  const small = Math.min(12 * u, w / 5.2);
  const size = legible(small, u) ? small : typeSize(12, u);
  const alpha = weak ? 0.5 : 1;
  const strong = wall.heads.isStrong(head);
  const fill = strong || wall.heads.pair ? c[`${wall.heads.meta.kind}_text`] : c.muted;
  const weight = strong ? 700 : 400;
  const [, nth] = wall.heads.pairOf(head);
  const short = wall.heads.meta.quantity?.pictures[nth] ?? wall.heads.nameOf(head);
  const [name, score] = [short, writtenScore(wall.heads, head)];
  const line = y + h + 14 * u;
  const { stacked } = wall.layout;
  const scored = wall.heads.own.badge !== '';
  const alone = scored && !stacked && textWidth(name + score, size, false, weight) + 3 * u > w;
  p.text(x, line, name, { size, alpha, ...(alone ? { fill, weight } : { fill: c.muted }) });
  if (!scored || alone) return;
  const [at, below] = stacked ? [x, line + UNDER * size] : [x + w, line];
  p.text(at, below, score, { size, align: stacked ? 'left' : 'right', weight, fill, alpha });
}

/** The width of the widest name and score beside each other, in the type of a hall; 0 without scores. */
export function captionWidth({ heads }: Pick<WallPicture, 'heads'>, u: number) {
  if (heads.own.badge === '') return 0;
  const written = heads.pictures.map((_, head) => heads.nameOf(head) + writtenScore(heads, head));
  return Math.max(...written.map((words) => textWidth(words, typeSize(12, u), false, 700))) + 4 * u;
}

function paintOutline(p: Painter, wall: WallPicture, head: number, x: number, y: number) {
  const { u, w, h } = wall.layout;
  const c = wall.host.colours;
  const nth = wall.opening.opened.indexOf(head);
  const best = wall.heads.isBest(head);
  if (nth < 0 && !best) return;
  const several = wall.opening.opened.length > 1;
  const stroke = nth < 0 ? c[`${wall.heads.meta.kind}_text`] : several ? c.heads[nth] : c.ink;
  const foot = wall.heads.pair ? wall.layout.foot + 2 * u : 0; // of the pinned pair, its share is what is outlined
  const edge = (several ? 2 : 4) * u;
  const pen = { stroke, width: (several && nth >= 0 ? 2.5 : 2) * u, radius: several ? 4 * u : 8 * u };
  p.rect(x - edge, y - edge, w + 2 * edge, h + foot + 2 * edge, pen);
}

export function wallLegend(wall: WallPicture) {
  const { meta, tone, table } = wall.heads;
  const axis = weightAxis(tone === 'log' ? 'log' : 'weight', meta.keys, meta.quantity);
  const own: Stops = [
    [0, '0'],
    [1, tr('head’s largest')],
  ];
  return { table, ...axis, ...(tone === 'each' ? { stops: own } : {}), words: toneWords(meta, tone) };
}

/** The wall as it leaves the page: its picture, and every head's scores as a table. */
export function wallLeaving(wall: WallPicture): Leaving {
  return {
    name: () => wall.heads.meta.file,
    who: () =>
      wall.opening.opened
        .map((head) => (wall.heads.layered ? wall.heads.nameOf(head) : `head ${wall.heads.nameOf(head)}`))
        .join(', '),
    title: () => `${wall.heads.meta.title} · ${wall.heads.meta.words}`,
    size: () => [wall.layout.room + EDGE * wall.host.scale, wall.layout.height],
    draw: (p) => paintWall(p, wall),
    legend: () => wallLegend(wall),
    rows() {
      const scores = Object.entries(wall.heads.meta.scores);
      const lines = wall.heads.pictures.map((_, head) => [
        ...wall.heads.pairOf(head),
        ...scores.map(([, score]) => score.values[head] ?? ''),
      ]);
      return [['layer', 'head', ...scores.map(([name]) => name)], ...lines];
    },
  };
}

/* ---------- Where the heads of the wall stand. ---------- */

const UNDER = 1.1; // times the type that the score stands below the name
export const EDGE = 6; // pixels of the design that the outline of the last head of a line needs

/** The corner of each head, layer labels (layer, middle, height) and sizes in CSS pixels. */
export interface WallLayout {
  u: number;
  room: number;
  w: number;
  h: number;
  foot: number;
  /** Whether scores stand below the names of heads, where there is no room beside them. */
  stacked: boolean;
  height: number;
  across: number;
  at: Map<number, { x: number; y: number }>;
  labels: [number, number, number][];
}

/** What the layout goes by, whatever stands in the pictures. */
type Arrayed = Pick<WallData, 'layers' | 'heads' | 'shape' | 'square' | 'tall' | 'quantity'>;

/**
 * The layout of a wall `full` wide. `u` is one pixel of the design in CSS pixels; `order` lists the heads to show,
 * `asInModel` keeps one line (or more) to a layer; `spread` leaves room for the outlines of several heads; `caption` is the width of
 * a name with its score in the type of a hall, which is not made smaller.
 */
export function wallLayout(
  meta: Arrayed,
  order: number[],
  asInModel: boolean,
  full: number,
  u: number,
  spread = false,
  caption = 0,
): WallLayout {
  const room = full - EDGE * u;
  const gap = (spread ? (u > 1 ? 9 : 13) : 7) * u;
  // Layers are few, so their pictures are large; a single line of them needs no name.
  const layered = (meta.quantity?.pictures.length ?? 0) > 0;
  const label = asInModel && !(layered && meta.layers === 1) ? 26 * u : 0;
  const fits = (pixels: number) => Math.floor((room - label + gap) / (pixels * u + gap));
  const inLayer = headsInLine(meta.heads, fits(layered ? 110 : u > 1 ? 30 : 54));
  const wraps = Math.ceil(meta.heads / inLayer);
  const across = asInModel ? inLayer : evenly(order.length, Math.max(inLayer, Math.min(12, fits(78))));
  const w = Math.min((layered ? 260 : 150) * u, (room - label - gap * (across - 1)) / across);
  const stacked = u > 1 && caption > w;
  const foot = 18 * u + (stacked ? UNDER * typeSize(12, u) : 0);
  const lines = asInModel ? meta.layers * wraps : Math.ceil(order.length / across);
  const h = headHeight(meta, w, lines, u, foot);
  const line = h + foot + 16 * u;
  const sizes = { u, room, w, h, foot, stacked, across };
  const layout: WallLayout = { ...sizes, height: 40 * u, at: new Map(), labels: [] };
  order.forEach((head, n) => {
    const [layer, k] = [Math.floor(head / meta.heads), head % meta.heads];
    const [row, column] = asInModel
      ? [layer * wraps + Math.floor(k / across), k % across]
      : [Math.floor(n / across), n % across];
    const x = asInModel ? label + column * (w + gap) : 5 * u + column * (w + gap - (5 * u) / across);
    layout.at.set(head, { x, y: 6 * u + row * line });
  });
  const tall = wraps * line - foot - 16 * u;
  const middle = (n: number) => 6 * u + n * wraps * line + tall / 2;
  if (label) layout.labels = Array.from({ length: meta.layers }, (_, n) => [n, middle(n), tall]);
  for (const { y } of layout.at.values()) layout.height = Math.max(layout.height, y + h + foot + 6 * u);
  return layout;
}

/** How many heads of `total` stand in a line, at most `most`: so many that the last line is full, if few less do that. */
function evenly(total: number, most: number) {
  const fewest = Math.ceil(0.6 * most);
  const counts = Array.from({ length: most - fewest + 1 }, (_, n) => most - n);
  return counts.find((count) => total % count === 0) ?? most;
}

/** How many heads of a layer stand in a line where `fit` do: in lines of equal length, rather than one left behind. */
const headsInLine = (heads: number, fit: number) =>
  Math.ceil(heads / Math.ceil(heads / Math.max(1, Math.min(heads, fit))));

function headHeight(meta: Arrayed, w: number, lines: number, u: number, foot: number) {
  const [rows, cols] = meta.shape;
  const natural = w * Math.min(1.5, Math.max(0.55, rows / cols));
  const most = meta.quantity?.pictures.length ? natural : meta.square ? w * 1.12 : w * 1.75;
  const aimed = Math.min(most, (meta.tall * u) / lines - foot - 12 * u);
  // In a hall all of the wall is in sight; else a picture is not flatter than its map.
  const wanted = u > 1 ? Math.min(Math.max(natural, 1.3 * w), aimed) : Math.max(natural, aimed);
  return Math.max((u > 1 ? 26 : 34) * u, Math.min(wanted, 220 * u));
}
