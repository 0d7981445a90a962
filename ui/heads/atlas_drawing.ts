/* The maps of the heads, on a canvas or in a file. */

import type { Box, Painter } from '../web/base/paint.ts';
import type { AtlasHead, Kind } from '../web/generated/types.ts';
import type { Host } from '../web/base/view.ts';
import type { AtlasHeads } from './atlas_heads.ts';
import { AT_LEFT, textWidth, typeSize } from '../web/base/paint.ts';
import { headName } from '../web/base/words.ts';

/** What is drawn: the heads, where they stand, and which one is pointed at (−1: none). */
export interface AtlasPicture {
  host: Host;
  heads: AtlasHeads;
  panels: Panel[];
  spots: (Spot | null)[];
  hovered: number;
}

/**
 * The names that fit: the open head's, then those of heads with a role; with the role if there is room, else without.
 */
function namedHeads(heads: AtlasHead[], panels: Panel[], spots: (Spot | null)[], open: number, u: number) {
  const size = typeSize(12.5, u);
  const words = heads.map((head) => [`${headName(head)} ${head.roles[0] ?? ''}`.trim(), headName(head)]);
  const roles = [...heads.keys()].filter((n) => n !== open && heads[n].roles.length);
  const drawn = new Set(panels.map(({ kind }) => kind));
  const wanted = [...(open >= 0 ? [open] : []), ...roles]
    .filter((n) => drawn.has(heads[n].kind))
    .map((n) => ({
      n,
      widths: words[n].map((word) => textWidth(word, size, false)),
      must: n === open,
      radius: (n === open ? 10 : 5) * u,
    }));
  const box = (n: number) => (panels.find(({ kind }) => kind === heads[n].kind) as Panel).box;
  const labelled = namesOf(spots, wanted, 5 * u, size * 1.1, box);
  return labelled.map(({ n, k, x, y }) => ({ n, x, y, words: words[n][k], size }));
}

export function paintMaps(p: Painter, { heads: own, panels, spots, hovered, host }: AtlasPicture) {
  const { colours: c, scale: u } = host;
  const { meta, open } = own;
  const listed = new Set(own.order);
  for (const { kind, box } of panels) {
    const chosen = kind === meta.kind;
    const label = meta.kinds.find((each) => each.kind === kind)?.words ?? '';
    p.rect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, {
      stroke: chosen ? c[kind] : c.line,
      radius: 8 * u,
    });
    p.text(box.x + 11 * u, box.y + 19 * u, label, {
      size: typeSize(12.5, u),
      weight: chosen ? 650 : 500,
      fill: c[`${kind}_text` as 'cross_text'],
    });
  }
  spots.forEach((spot, n) => {
    if (!spot) return;
    const { kind, roles } = meta.heads[n];
    const faint = kind === meta.kind && !listed.has(n);
    const colour = c[kind];
    const r = (n === open || n === hovered ? 7 : 5) * u;
    const alpha = faint ? 0.22 : 1;
    p.circle(spot.x, spot.y, r, {
      fill: roles.length ? colour : c.panel,
      stroke: colour,
      width: 1.5 * u,
      alpha,
    });
    if (n === open || n === hovered) p.circle(spot.x, spot.y, r + 3 * u, { stroke: c.ink, width: 1.6 * u });
  });
  for (const { n, x, y, words, size } of namedHeads(meta.heads, panels, spots, open, u)) {
    if (n === open) {
      const width = textWidth(words, size, false, 650);
      p.rect(x - 2, y - size * 0.6, width + 4, size * 1.2, { fill: c.panel, alpha: 0.85, radius: 3 });
    }
    p.text(x, y, words, {
      ...AT_LEFT,
      size,
      fill: n === open ? c.ink : c.muted,
      weight: n === open ? 650 : 400,
      alpha: meta.heads[n].kind === meta.kind && !listed.has(n) ? 0.4 : 1,
    });
  }
}

/* Where the heads stand on the maps of their kinds. */

/** Where the heads of a kind are drawn. */
export interface Panel {
  kind: Kind;
  box: Box;
}

export interface Spot {
  x: number;
  y: number;
}

const EDGE = 16; // pixels of the design between a panel's frame and its outermost head
const TOP = 30; // of them above, for the panel's name

/**
 * One panel a kind, beside each other; where there is no room for it, that of one kind alone.
 * @param least the width from which on panels stand beside each other
 */
export function panelsOf(
  kinds: Kind[],
  own: Kind,
  room: number,
  tall: number,
  gap: number,
  least: number,
): Panel[] {
  const fits = room >= kinds.length * least + (kinds.length - 1) * gap;
  const drawn = fits ? kinds : [own];
  const width = (room - (drawn.length - 1) * gap) / drawn.length;
  return drawn.map((kind, n) => ({ kind, box: { x: n * (width + gap), y: 0, w: width, h: tall } }));
}

/**
 * Where each head stands, null where it has no position. One scale for all panels and both axes, so that distances on the
 * picture can be held against each other; each panel is centred on its own heads.
 */
export function spotsOf(heads: AtlasHead[], panels: Panel[], u: number): (Spot | null)[] {
  const inner = panels.map(({ kind, box }) => {
    const own = heads.filter((head) => head.kind === kind && head.position);
    const [xs, ys] = [0, 1].map((axis) => own.map((head) => (head.position as number[])[axis]));
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const area = {
      x: box.x + EDGE * u,
      y: box.y + TOP * u,
      w: box.w - 2 * EDGE * u,
      h: box.h - (TOP + EDGE) * u,
    };
    return { kind, area, middle: [(left + right) / 2, (low + high) / 2], span: [right - left, high - low] };
  });
  const scale = Math.min(
    ...inner.flatMap(({ area, span }) => [area.w / (span[0] || 1e-9), area.h / (span[1] || 1e-9)]),
    1e6,
  );
  return heads.map((head) => {
    const panel = inner.find(({ kind }) => kind === head.kind);
    if (!panel || !head.position) return null;
    const { area, middle } = panel;
    return {
      x: area.x + area.w / 2 + (head.position[0] - middle[0]) * scale,
      y: area.y + area.h / 2 - (head.position[1] - middle[1]) * scale,
    };
  });
}

/** The head nearest to a point, within `reach` pixels; −1 for none. */
export function nearest(spots: (Spot | null)[], x: number, y: number, reach: number) {
  let best = -1;
  let far = reach ** 2;
  spots.forEach((spot, n) => {
    if (!spot) return;
    const distance = (spot.x - x) ** 2 + (spot.y - y) ** 2;
    if (distance <= far) [best, far] = [n, distance];
  });
  return best;
}

/**
 * Names beside their heads, as many as fit without overlapping a name or a head, in the order of `wanted`. If the first of
 * a head's `widths` does not fit, the next is tried; a head with `must` is always named.
 * @param radius of the heads
 * @param line the height of a line of words
 * @returns index of the width used, and the start of the name: left end, half its height
 */
export function namesOf(
  spots: (Spot | null)[],
  wanted: { n: number; widths: number[]; must: boolean; radius: number }[],
  radius: number,
  line: number,
  panel: (n: number) => Box,
): { n: number; k: number; x: number; y: number }[] {
  const taken: Box[] = spots.flatMap((spot) =>
    spot ? [{ x: spot.x - radius, y: spot.y - radius, w: 2 * radius, h: 2 * radius }] : [],
  );
  const labelled: { n: number; k: number; x: number; y: number }[] = [];
  for (const { n, widths, must, radius: own } of wanted) {
    const spot = spots[n];
    if (!spot) continue;
    const boxes = widths.flatMap((width, k) => around(spot, width, own, line).map((box) => ({ k, box })));
    const seen = boxes.filter(({ box }) => inside(box, panel(n)));
    const free =
      seen.find(({ box }) => !taken.some((other) => meet(box, other))) ?? (must ? seen.at(-1) : null);
    if (!free) continue;
    taken.push(free.box);
    labelled.push({ n, k: free.k, x: free.box.x, y: free.box.y + line / 2 });
  }
  return labelled;
}

/** Where a name may stand: right, left, above, below. */
function around({ x, y }: Spot, width: number, radius: number, line: number): Box[] {
  const gap = radius + 3;
  const [w, h] = [width, line];
  return [
    { x: x + gap, y: y - h / 2, w, h },
    { x: x - gap - w, y: y - h / 2, w, h },
    { x: x - w / 2, y: y - gap - h, w, h },
    { x: x - w / 2, y: y + gap, w, h },
  ];
}

const meet = (a: Box, b: Box): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
const inside = (a: Box, b: Box): boolean =>
  a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;
