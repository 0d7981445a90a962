/* Small maps of heads as pictures, on the page and leaving it. */

import type { Colours } from '../web/base/colour.ts';
import type { Host } from '../web/base/view.ts';
import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { KindMaps, Tile, TilesData } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { rampTable } from '../web/base/colour.ts';
import { shifted, wrapText } from '../web/base/paint.ts';
import { WEIGHT_OF_BYTE, indexOf, placer } from '../web/maps/sheet.ts';
import { paintPixels } from '../web/marks/picture.ts';

/** A tile with its button and picture. */
export interface Drawn {
  tile: Tile;
  group: number;
  node: HTMLButtonElement;
  canvas: HTMLCanvasElement;
  sheet: Sheet;
}

/** What is drawn: the heads and, on the page, their groups and buttons. */
interface TilesPicture {
  host: Host;
  data: TilesData;
  groups: HTMLElement;
  drawn: Drawn[];
}

/** The sheet of each head of a kind. */
export function sheetsOf(kind: string, maps: KindMaps, colours: Colours) {
  const table = rampTable(colours.panel, (colours as unknown as Record<string, string>)[kind]);
  const [rows, cols] = maps.shape;
  const position = placer('weight', 1);
  const byByte = Int16Array.from(WEIGHT_OF_BYTE, (weight) => position(weight));
  const words = { rows: Array<string>(rows).fill(''), cols: Array<string>(cols).fill('') };
  return ({ layer, head }: Tile): Sheet => {
    const start = (layer * maps.heads + head) * rows * cols;
    const byte = (i: number, j: number) => (maps.causal && j > i ? NaN : maps.levels[start + i * cols + j]);
    const at: Sheet['at'] = (i, j) => WEIGHT_OF_BYTE[byte(i, j)] ?? NaN;
    const index = indexOf(rows, cols, byte, (level) => byByte[level]);
    return { ...words, written: rows, at, index, table, neutral: 0, unit: 'share' };
  };
}

/** A head's map, with the pinned pair's cell, or crossed out where the head is ablated. */
export function paintTile(
  p: Painter,
  { host, data }: TilesPicture,
  { tile, sheet }: Drawn,
  w: number,
  h: number,
) {
  const { scale: u, colours: c } = host;
  paintPixels(p, sheet, { x: 0, y: 0, w, h }, c);
  const { marked } = data.maps[tile.kind];
  if (tile.off) p.rect(0, 0, w, h, { fill: c.panel, alpha: 0.45 });
  p.rect(0.5, 0.5, w - 1, h - 1, { stroke: tile.off ? c.muted : c.line, width: 1 });
  if (marked && !tile.off) {
    const [cw, ch] = [w / sheet.cols.length, h / sheet.rows.length];
    const least = Math.max(cw, ch, 5 * u);
    const [x, y] = [(marked[1] + 0.5) * cw - least / 2, (marked[0] + 0.5) * ch - least / 2];
    p.rect(x, y, least, least, { stroke: c.ink, width: 1.6 * u });
  }
  if (tile.off) p.path(`M0 0L${w} ${h}M${w} 0L0 ${h}`, { stroke: c.ink, width: 1.3 * u, alpha: 0.85 });
  if (tile.held) p.rect(u, u, w - 2 * u, h - 2 * u, { stroke: c.ink, width: 2 * u, dash: [4 * u, 3 * u] });
}

/** The tiles where they stand on the page, with their names. */
function paintTiles(p: Painter, tiles: TilesPicture) {
  const c = tiles.host.colours;
  const from = tiles.groups.getBoundingClientRect();
  const words = (node: Element, fill: string, weight = 400) => {
    const at = node.getBoundingClientRect();
    const pen = { size: parseFloat(getComputedStyle(node).fontSize), fill, weight };
    p.text(at.left - from.left, at.top - from.top + at.height * 0.75, node.textContent ?? '', pen);
  };
  // In the lines of the page, and a little smaller: the type of a file may be wider.
  const lines = (node: Element, fill: string) => {
    const at = node.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(node).fontSize);
    const broken = wrapText(node.textContent ?? '', at.width, size);
    const step = at.height / broken.length;
    const [x, y] = [at.left - from.left, at.top - from.top + step * 0.75];
    broken.forEach((line, n) => p.text(x, y + step * n, line, { size: 0.9 * size, fill }));
  };
  for (const node of tiles.groups.querySelectorAll('.tiles-name')) words(node, c.ink, 650);
  for (const node of tiles.groups.querySelectorAll('.tiles-means')) lines(node, c.muted);
  for (const node of tiles.groups.querySelectorAll('.tiles-count')) words(node, c.muted);
  for (const one of tiles.drawn) {
    const at = one.canvas.getBoundingClientRect();
    const inside = shifted(p, at.left - from.left, at.top - from.top);
    paintTile(inside, tiles, one, at.width, at.height);
    for (const node of one.node.querySelectorAll('.tiles-caption > *')) words(node, c.ink);
  }
}

/** The tiles as they leave the page: their picture, and a line a head. */
export function tilesLeaving(tiles: TilesPicture): Leaving {
  return {
    name: () => tiles.data.file,
    title: () => tiles.data.title,
    subtitle: () => tiles.data.subtitle,
    size: () => [tiles.groups.clientWidth, tiles.groups.clientHeight],
    draw: (p) => paintTiles(p, tiles),
    rows: () => tableOf(tiles),
  };
}

function tableOf({ data }: TilesPicture): (string | number)[][] {
  const lines = data.groups.flatMap((group) =>
    group.tiles.map((tile) => [
      group.name,
      tile.kind,
      tile.layer,
      tile.head,
      tile.value,
      tile.low ?? '',
      tile.high ?? '',
      tile.chance ?? '',
      tile.n ?? '',
      tile.off ? 1 : 0,
      tile.hint,
    ]),
  );
  return [
    ['group', 'kind', 'layer', 'head', 'value', 'low', 'high', 'chance', 'n', 'ablated', 'description'],
    ...lines,
  ];
}
