/* The list of an atlas: its fields and rows, walked along with the arrows; and how the atlas leaves the page. */

import type { Leaving } from '../base/export.ts';
import type { Atlas } from './atlas.ts';
import { fillChooser } from '../base/controls.ts';
import { say } from '../base/dom.ts';
import { atlasCsv } from './atlas_numbers.ts';
import { headCells, headRow } from './atlas_table.ts';

/** The controls and the rows. */
export function fillTable(atlas: Atlas) {
  const { heads } = atlas;
  const { meta, own } = heads;
  const ofKind = meta.heads.filter(({ kind }) => kind === meta.kind);
  const layers = [...new Set(ofKind.map(({ layer }) => layer))];
  if (own.layer !== null && !layers.includes(own.layer)) own.layer = null;
  const roles = meta.roles.filter((role) => ofKind.some((head) => head.roles.includes(role)));
  if (own.role && own.role !== 'none' && !roles.includes(own.role)) own.role = '';
  fillChooser(
    atlas.layer,
    [['', 'all'], ...layers.map((layer) => [layer, String(layer)] as [number, string])],
    own.layer ?? '',
  );
  fillChooser(
    atlas.role,
    [['', 'all'], ...roles.map((role) => [role, role] as [string, string]), ['none', 'no role']],
    own.role,
  );
  const scores = heads.known.map(({ name, label }) => [name, label] as [string, string]);
  if (own.score && !heads.known.some(({ name }) => name === own.score))
    Object.assign(own, { score: '', order: 'model' });
  fillChooser(atlas.score, [['', 'the model’s order'], ...scores], own.order === 'model' ? '' : own.score);
  const order = heads.order;
  const listed = atlas.listed;
  atlas.head.replaceChildren(...headCells(listed));
  atlas.rows.replaceChildren(...order.map((n) => headRow(listed, n)));
  atlas.table.classList.toggle('empty', !order.length);
  const score = heads.told;
  say(
    atlas.about,
    score ? [{ strong: score.label }, ` ${score.definition} `, { muted: score.told[0]?.[1] ?? '' }] : [],
  );
}

/** Arrows walk from row to row. */
export function walkRows(event: KeyboardEvent) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const button = (event.target as Element).closest('tr');
  if (!step || !button) return;
  const next = step > 0 ? button.nextElementSibling : button.previousElementSibling;
  next?.querySelector('button')?.focus();
  event.preventDefault();
}

/** Scrolls the list, and nothing else, to the open head. */
export function showOpen(atlas: Atlas) {
  const row = atlas.rows.querySelector('[data-open]') as HTMLElement | null;
  if (!row) return;
  const { scrollTop, clientHeight } = atlas.list;
  const [top, tall] = [row.offsetTop, row.offsetHeight];
  if (top < scrollTop + tall || top + tall > scrollTop + clientHeight)
    atlas.list.scrollTop = top - clientHeight / 2;
}

export function atlasLeaving(atlas: Atlas): Leaving {
  return {
    name: () => atlas.heads.meta.file,
    who: () => atlas.heads.meta.title,
    size: () => atlas.size as [number, number],
    draw: (p) => atlas.paint(p),
    rows: () => atlasCsv(atlas.heads.meta, (n, score, stat) => atlas.heads.stat(n, score, stat)),
  };
}
