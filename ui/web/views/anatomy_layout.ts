/* Where the boxes of a Transformer stand: the encoder's stack, the decoder's beside or above it, from the bottom up. */

import type { Colours } from '../base/colour.ts';
import type { Box } from '../base/paint.ts';

/**
 * What ui/learn/tutorials.py says of a model: stacks from the bottom up, each choice and whether it differs.
 */
interface AnatomyBlock {
  name: string;
  kind: string;
  lines: [string, boolean][];
}

interface AnatomyColumn {
  title: string;
  kind: string;
  before: AnatomyBlock[];
  layer: AnatomyBlock[];
  times: number;
  timesDiffer: boolean;
  after: AnatomyBlock[];
}

export interface AnatomyMeta {
  title: string;
  subtitle: string;
  columns: AnatomyColumn[];
  file: string;
}

export type Placed = Box & AnatomyBlock;

export const LEGEND = 'not as in the paper';
const NARROW = 620; // pixels of the design below which the stacks stand over one another
const GAP = 15; // between two boxes
const EDGE = 12; // of the frame around a layer

const tall = (block: AnatomyBlock, u: number) =>
  (30 + 18 * block.lines.length + (block.lines.length ? 4 : 0)) * u;

export function colourOf(kind: string, c: Colours) {
  if (kind === 'encoder' || kind === 'causal' || kind === 'cross') return c[kind];
  return kind === 'ffn' ? c.value : c.muted;
}

export function anatomyLayout(meta: AnatomyMeta, room: number, u: number) {
  const beside = room >= NARROW * u;
  const gap = 44 * u;
  const width = beside ? (room - gap) / meta.columns.length : room;
  const heights = meta.columns.map((column) => columnHeight(column, u));
  const whole = beside
    ? Math.max(...heights)
    : heights.reduce((sum, each) => sum + each, 0) + (heights.length - 1) * 20 * u;
  const found = {
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
    placeColumn(found, column, x, bottom, width, u);
  });
  if (beside) found.memory = memoryPath(found.boxes, gap);
  return found;
}

function columnHeight({ before, layer, after }: AnatomyColumn, u: number) {
  const all = [...before, ...layer, ...after];
  return all.reduce((sum, block) => sum + tall(block, u) + GAP * u, 0) + (26 + 2 * EDGE + 22) * u;
}

function placeColumn(
  found: ReturnType<typeof anatomyLayout>,
  column: AnatomyColumn,
  x: number,
  bottom: number,
  width: number,
  u: number,
) {
  let y = bottom;
  let last = NaN;
  const put = (block: AnatomyBlock, inset: number) => {
    const h = tall(block, u);
    y -= h;
    if (!Number.isNaN(last)) found.rises.push([x + width / 2, last, y + h]);
    found.boxes.push({ ...block, x: x + inset, y, w: width - 2 * inset, h });
    last = y;
    y -= GAP * u;
  };
  for (const block of column.before) put(block, EDGE * u);
  const low = y + GAP * u - 4 * u;
  y -= EDGE * u;
  for (const block of column.layer) put(block, EDGE * u);
  y -= 22 * u - GAP * u + EDGE * u;
  const words = `× ${column.times} ${column.times === 1 ? 'layer' : 'layers'}`;
  found.groups.push({ x, y, w: width, h: low - y - 3 * u, words, differs: column.timesDiffer });
  y -= GAP * u;
  for (const block of column.after) put(block, EDGE * u);
  found.titles.push({ x: x + EDGE * u, y: y + 4 * u, words: column.title });
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
export const anatomyRows = (meta: AnatomyMeta): (string | number)[][] => [
  ['stack', 'box', 'choice', 'not as in the paper'],
  ...meta.columns.flatMap(({ title, before, layer, times, timesDiffer, after }) => [
    [title, 'layers', times, Number(timesDiffer)],
    ...[...before, ...layer, ...after].flatMap(({ name, lines }) =>
      lines.map(([words, differs]) => [title, name, words, Number(differs)]),
    ),
  ]),
];
