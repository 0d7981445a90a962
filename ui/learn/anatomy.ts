/* A Transformer as two stacks of boxes, from the tokens up; choices that are not the paper's are marked with a dot. */

import type { Colours } from '../web/base/colour.ts';
import type { Leaving } from '../web/marks/leaving.ts';
import type { Box, Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { AnatomyData, Block, Column } from '../web/generated/types.ts';
import { mix } from '../web/base/colour.ts';
import { el } from '../web/base/dom.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { AT_LEFT, AT_RIGHT, canvasPainter, fitCanvas, shorten, typeSize } from '../web/base/paint.ts';
import { labelled, plural, tr } from '../web/base/language.ts';
import { CardView, viewOf } from '../web/base/view.ts';

const TINT = 0.1; // of a box's colour in its fill

function paintBox(p: Painter, box: Placed, u: number, c: Colours) {
  const colour = colourOf(box.kind, c);
  const { x, y, w, h } = box;
  p.rect(x, y, w, h, { fill: mix(c.panel, colour, TINT), stroke: colour, width: 1, radius: 8 * u });
  const pen = { size: typeSize(13, u), weight: 600, fill: c.ink, baseline: 'middle' } as const;
  p.text(x + 12 * u, y + 15 * u, shorten(box.name, w - 20 * u, typeSize(13, u), false), pen);
  box.lines.forEach(([words, differs], n) => {
    const at = y + (33 + 18 * n) * u;
    if (differs) p.circle(x + 16 * u, at, 4 * u, { fill: c.causal });
    const size = typeSize(12.5, u);
    const fill = differs ? c.causal_text : c.muted;
    p.text(x + 26 * u, at, shorten(words, w - 34 * u, size, false), {
      ...AT_LEFT,
      size,
      fill,
      weight: differs ? 600 : 400,
    });
  });
}

/** The two stacks. */
function paintAnatomy(p: Painter, meta: AnatomyData, room: number, u: number, c: Colours) {
  const g = anatomyLayout(meta, room, u);
  for (const group of g.groups) {
    const { x, y, w, h, words, differs } = group;
    p.rect(x, y, w, h, { fill: c.soft, radius: 12 * u });
    const fill = differs ? c.causal_text : c.muted;
    const size = typeSize(13, u);
    p.text(x + w - 10 * u, y + 15 * u, words, { ...AT_RIGHT, size, fill, weight: 600 });
  }
  for (const { x, y, words } of g.titles)
    p.text(x, y, words, { size: typeSize(14, u), weight: 650, fill: c.ink });
  for (const [x, from, to] of g.rises) {
    p.path(`M${x} ${from}V${to}`, { stroke: c.muted, width: 1.4 * u });
    p.path(`M${x - 3.5 * u} ${to + 4.5 * u}L${x} ${to}L${x + 3.5 * u} ${to + 4.5 * u}`, {
      stroke: c.muted,
      width: 1.4 * u,
    });
  }
  if (g.memory) p.path(g.memory, { stroke: c.cross, width: 1.8 * u });
  for (const box of g.boxes) paintBox(p, box, u, c);
  p.circle(6 * u, g.height - 12 * u, 4 * u, { fill: c.causal });
  p.text(16 * u, g.height - 12 * u, legend(), { ...AT_LEFT, size: typeSize(12.5, u), fill: c.muted });
  return g;
}

class Anatomy extends CardView {
  canvas = el('canvas', { class: 'picture', role: 'img' });
  meta!: AnatomyData;

  constructor(root: HTMLElement, host: Host) {
    super(root, host);
    this.parts.body.append(this.canvas);
    this.parts.controls.append(exportMenu(host, this.leaving()));
  }

  leaving(): Leaving {
    const room = () => Math.max(this.parts.body.clientWidth, 600 * this.host.scale);
    const height = () => anatomyLayout(this.meta, room(), this.host.scale).height;
    return {
      name: () => this.meta.file,
      title: () => this.meta.title,
      size: () => [room(), height()],
      draw: (p) => void paintAnatomy(p, this.meta, room(), this.host.scale, this.host.colours),
      rows: () => anatomyRows(this.meta),
    };
  }

  relayout() {
    const { scale: u, colours } = this.host;
    const room = this.parts.body.clientWidth;
    const { height } = anatomyLayout(this.meta, room, u);
    paintAnatomy(canvasPainter(fitCanvas(this.canvas, room, height)), this.meta, room, u, colours);
  }

  update(meta: AnatomyData) {
    this.meta = meta;
    this.parts.tell(meta);
    const differing = anatomyRows(meta).filter((row) => row[3] === 1);
    this.canvas.setAttribute(
      'aria-label',
      tr('{title}. Not the paper’s: {choices}.', {
        title: meta.title,
        choices:
          differing.map((row) => labelled(String(row[1]), String(row[2]))).join(tr('; ')) || tr('nothing'),
      }),
    );
    this.relayout();
  }
}

/* The layout of a Transformer's boxes, from the bottom up: the encoder's stack, with the decoder's beside or above it. */

/**
 * A model as ui/learn/tutorials.py describes it: stacks from the bottom up, each choice and whether it differs.
 */
export type Placed = Box & Block;

export const legend = () => tr('not as in the paper');
const NARROW = 620; // pixels of the design below which the stacks stand over one another
const GAP = 15; // between two boxes
const EDGE = 12; // of the frame around a layer

const tall = (block: Block, u: number) => (30 + 18 * block.lines.length + (block.lines.length ? 4 : 0)) * u;

function colourOf(kind: string, c: Colours) {
  if (kind === 'encoder' || kind === 'causal' || kind === 'cross') return c[kind];
  return kind === 'ffn' ? c.value : c.muted;
}

export function anatomyLayout(meta: AnatomyData, room: number, u: number) {
  const beside = room >= NARROW * u;
  const gap = 44 * u;
  const width = beside ? (room - gap) / meta.columns.length : room;
  const heights = meta.columns.map((column) => columnHeight(column, u));
  const whole = beside
    ? Math.max(...heights)
    : heights.reduce((sum, each) => sum + each, 0) + (heights.length - 1) * 20 * u;
  const layout = {
    boxes: [] as Placed[],
    groups: [] as (Box & { words: string; differs: boolean })[],
    titles: [] as { x: number; y: number; words: string }[],
    rises: [] as [number, number, number][],
    memory: '',
    height: whole + 34 * u,
  };
  let above = 0;
  meta.columns.forEach((column, n) => {
    const x = beside ? n * (width + gap) : 0;
    const bottom = beside ? whole : above + heights[n];
    above = bottom + 20 * u;
    placeColumn(layout, column, x, bottom, width, u);
  });
  if (beside) layout.memory = memoryPath(layout.boxes, gap);
  return layout;
}

function columnHeight({ before, layer, after }: Column, u: number) {
  const all = [...before, ...layer, ...after];
  return all.reduce((sum, block) => sum + tall(block, u) + GAP * u, 0) + (26 + 2 * EDGE + 22) * u;
}

function placeColumn(
  layout: ReturnType<typeof anatomyLayout>,
  column: Column,
  x: number,
  bottom: number,
  width: number,
  u: number,
) {
  let y = bottom;
  let last = NaN;
  const put = (block: Block, inset: number) => {
    const h = tall(block, u);
    y -= h;
    if (!Number.isNaN(last)) layout.rises.push([x + width / 2, last, y + h]);
    layout.boxes.push({ ...block, x: x + inset, y, w: width - 2 * inset, h });
    last = y;
    y -= GAP * u;
  };
  for (const block of column.before) put(block, EDGE * u);
  const low = y + GAP * u - 4 * u;
  y -= EDGE * u;
  for (const block of column.layer) put(block, EDGE * u);
  y -= 22 * u - GAP * u + EDGE * u;
  const words = plural('× {count} layer', '× {count} layers', column.times);
  layout.groups.push({ x, y, w: width, h: low - y - 3 * u, words, differs: column.times_differ });
  y -= GAP * u;
  for (const block of column.after) put(block, EDGE * u);
  layout.titles.push({ x: x + EDGE * u, y: y + 4 * u, words: column.title });
}

/** From the top of the encoder into the decoder's cross-attention. */
function memoryPath(boxes: Placed[], gap: number) {
  const cross = boxes.find(({ kind }) => kind === 'cross');
  if (!cross) return '';
  const left = boxes.filter(({ x }) => x < cross.x);
  const top = left.reduce((best, box) => (box.y < best.y ? box : best), left[0]);
  const [x, y] = [top.x + top.w, top.y + 14];
  const middle = cross.x - gap / 2 - 6;
  return `M${x} ${y}H${middle}V${cross.y + cross.h / 2}H${cross.x}`;
}

/** The drawing as a table: stack, box, choice, whether it differs. */
export const anatomyRows = (meta: AnatomyData): (string | number)[][] => [
  ['stack', 'box', 'choice', legend()],
  ...meta.columns.flatMap(({ title, before, layer, times, times_differ, after }) => [
    [title, tr('layers'), times, Number(times_differ)],
    ...[...before, ...layer, ...after].flatMap(({ name, lines }) =>
      lines.map(([words, differs]) => [title, name, words, Number(differs)]),
    ),
  ]),
];

export default viewOf(Anatomy);
