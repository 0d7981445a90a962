/* Where the heads of the wall stand. */

import type { WallMeta } from './wall_numbers.ts';

export const EDGE = 6; // pixels of the design that the outline of the last head of a line needs

/** The corner of each head, layer labels (layer, middle, height) and sizes in CSS pixels. */
export interface WallLayout {
  u: number;
  room: number;
  w: number;
  h: number;
  foot: number;
  height: number;
  across: number;
  at: Map<number, { x: number; y: number }>;
  labels: [number, number, number][];
}

/** What the layout goes by, whatever stands in the pictures. */
export type Arrayed = Pick<WallMeta, 'layers' | 'heads' | 'shape' | 'square' | 'tall' | 'quantity'>;

/**
 * The layout of a wall `full` wide. `u` is one pixel of the design in CSS pixels; `order` lists the heads to show,
 * `asInModel` keeps one line (or more) to a layer.
 */
export function wallLayout(
  meta: Arrayed,
  order: number[],
  asInModel: boolean,
  full: number,
  u: number,
): WallLayout {
  const room = full - EDGE * u;
  const gap = 7 * u;
  // Layers are few, so their pictures are large; a single line of them needs no name.
  const layered = (meta.quantity?.pictures.length ?? 0) > 0;
  const label = asInModel && !(layered && meta.layers === 1) ? 26 * u : 0;
  // Many heads wrap into lines of equal length rather than leave one behind.
  const fit = Math.max(
    1,
    Math.min(meta.heads, Math.floor((room - label + gap) / ((layered ? 110 : u > 1 ? 30 : 54) * u + gap))),
  );
  const wraps = Math.ceil(meta.heads / fit);
  const inLayer = Math.ceil(meta.heads / wraps);
  const sorted = Math.max(inLayer, Math.min(12, Math.floor((room + gap) / (78 * u + gap))));
  const across = asInModel ? inLayer : sorted;
  const w = Math.min((layered ? 260 : 150) * u, (room - label - gap * (across - 1)) / across);
  const h = headHeight(meta, w, meta.layers * wraps, u);
  const foot = 18 * u;
  const line = h + foot + 16 * u;
  const layout: WallLayout = { u, room, w, h, foot, across, height: 40 * u, at: new Map(), labels: [] };
  order.forEach((head, n) => {
    const [layer, k] = [Math.floor(head / meta.heads), head % meta.heads];
    const [row, column] = asInModel
      ? [layer * wraps + Math.floor(k / across), k % across]
      : [Math.floor(n / across), n % across];
    const x = asInModel ? label + column * (w + gap) : 5 * u + column * (w + gap - (5 * u) / across);
    layout.at.set(head, { x, y: 6 * u + row * line });
  });
  if (label) {
    const tall = wraps * line - foot - 16 * u;
    layout.labels = Array.from({ length: meta.layers }, (_, n) => [
      n,
      6 * u + n * wraps * line + tall / 2,
      tall,
    ]);
  }
  for (const { y } of layout.at.values()) layout.height = Math.max(layout.height, y + h + foot + 6 * u);
  return layout;
}

function headHeight(meta: Arrayed, w: number, lines: number, u: number) {
  const [rows, cols] = meta.shape;
  const natural = w * Math.min(1.5, Math.max(0.55, rows / cols));
  const most = meta.quantity?.pictures.length ? natural : meta.square ? w * 1.12 : w * 1.75;
  const aimed = Math.min(most, (meta.tall * u) / lines - 30 * u);
  // In a hall all of the wall is in sight; else a picture is not flatter than its map.
  const wanted = u > 1 ? Math.min(natural, aimed) : Math.max(natural, aimed);
  return Math.max(34 * u, Math.min(wanted, 220 * u));
}
