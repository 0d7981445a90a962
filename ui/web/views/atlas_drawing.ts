/* The maps of the heads, on a canvas or in a file. */

import type { Painter } from '../base/paint.ts';
import type { Host } from '../base/view.ts';
import type { AtlasHead, Panel, Spot } from './atlas_layout.ts';
import { textWidth, typeSize } from '../base/text.ts';
import { nameOf, namesOf } from './atlas_layout.ts';

/**
 * The names that find room: the open head's, then those of heads with a role, with it or, where that is too long, alone.
 */
export function namedHeads(
  heads: AtlasHead[],
  panels: Panel[],
  spots: (Spot | null)[],
  open: number,
  u: number,
) {
  const size = typeSize(12.5, u);
  const words = heads.map((head) => [`${nameOf(head)} ${head.roles[0] ?? ''}`.trim(), nameOf(head)]);
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
  const found = namesOf(spots, wanted, 5 * u, size * 1.1, box);
  return found.map(({ n, k, x, y }) => ({ n, x, y, words: words[n][k], size }));
}

interface Drawn {
  meta: { kind: string; kinds: { kind: string; words: string }[]; heads: AtlasHead[] };
  panels: Panel[];
  spots: (Spot | null)[];
  listed: Set<number>;
  hovered: number;
  open: number;
}

export function paintMaps(p: Painter, drawn: Drawn, { colours: c, scale: u }: Host) {
  const { meta, panels, spots, listed, hovered, open } = drawn;
  for (const { kind, box } of panels) {
    const own = kind === meta.kind;
    const label = meta.kinds.find((each) => each.kind === kind)?.words ?? '';
    p.rect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, { stroke: own ? c[kind] : c.line, radius: 8 * u });
    p.text(box.x + 11 * u, box.y + 19 * u, label, {
      size: typeSize(12.5, u),
      weight: own ? 650 : 500,
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
      size,
      fill: n === open ? c.ink : c.muted,
      weight: n === open ? 650 : 400,
      baseline: 'middle',
      alpha: meta.heads[n].kind === meta.kind && !listed.has(n) ? 0.4 : 1,
    });
  }
}
