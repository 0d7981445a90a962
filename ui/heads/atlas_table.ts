/* The rows of the table of heads: name, roles, and for each score a bar of its spread with the mean. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { AtlasScore, Sort } from '../web/generated/types.ts';
import type { AtlasPicture } from './atlas_drawing.ts';
import type { AtlasHeads } from './atlas_heads.ts';
import { fillChooser } from '../web/base/controls.ts';
import { el, say } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { headName } from '../web/base/words.ts';
import { paintMaps } from './atlas_drawing.ts';
import { HIGHEST, STATS, along, atlasCsv, nextOrder, number, scaleOf } from './atlas_heads.ts';

/** The table under the maps, with its fields. */
interface AtlasTable extends AtlasPicture {
  layer: HTMLSelectElement;
  role: HTMLSelectElement;
  score: HTMLSelectElement;
  head: HTMLElement;
  rows: HTMLElement;
  table: HTMLElement;
  list: HTMLElement;
  about: HTMLElement;
  /** Width and height of the maps. */
  size: number[];
  sortBy(score: string, sort: Sort): void;
}

/** The cells of the head row; a press sorts. */
function headCells(atlas: AtlasTable, columns: AtlasScore[]) {
  const { sort, score } = atlas.heads.own;
  const arrow = { high: ' ↓', low: ' ↑', model: '' }[sort];
  const cells = columns.map(({ name, label, definition }) => {
    const same = score === name && sort !== 'model';
    const press = () => {
      const next = nextOrder(sort, same);
      atlas.sortBy(next === 'model' ? '' : name, next);
    };
    const direction = same ? (sort === 'high' ? 'descending' : 'ascending') : 'none';
    const looks = { onclick: press, title: definition };
    const button = el('button', looks, label + (same ? arrow : ''));
    return el('th', { scope: 'col', class: 'score', 'aria-sort': direction }, button);
  });
  return [el('th', { scope: 'col' }, tr('head')), el('th', { scope: 'col' }, tr('role')), ...cells];
}

function headRow(heads: AtlasHeads, columns: AtlasScore[], n: number) {
  const head = heads.meta.heads[n];
  const opens = { 'aria-label': tr('open head {name}', { name: headName(head) }) };
  const roles = head.roles.join(', ');
  return el(
    'tr',
    { 'data-n': n, 'data-kind': head.kind },
    el('th', { scope: 'row' }, el('button', opens, headName(head))),
    el('td', { class: roles ? 'role' : 'role none', title: roles || tr('no role') }, roles || '–'),
    ...columns.map((score) => cell(heads, n, score)),
  );
}

function cell(heads: AtlasHeads, n: number, score: AtlasScore) {
  const { meta } = heads;
  const numbers = Array.from({ length: STATS }, (_, k) => heads.stat(n, score.name, k));
  const [mean, spread] = numbers;
  const quantiles = numbers.slice(2, HIGHEST + 1);
  const [low, high] = numbers.slice(HIGHEST + 1).map(number);
  if (Number.isNaN(mean)) return el('td', { class: 'score' }, el('b', {}, '–'));
  const most = meta.heads.map(({ kind }, m) =>
    kind === meta.kind ? heads.stat(m, score.name, HIGHEST) : NaN,
  );
  const scale = scaleOf(score, most);
  const drawn = Number.isNaN(quantiles[0]) ? [mean, mean, mean, mean, mean] : quantiles;
  const [q05, q25, q50, q75, q95] = drawn.map((value) => 100 * along(value, scale));
  const band = (look: string, from: number, to: number): HTMLElement =>
    el('i', { class: look, style: `left:${from.toFixed(2)}%;width:${(to - from).toFixed(2)}%` });
  const median = el('i', { class: 'median', style: `left:${q50.toFixed(2)}%` });
  const strip = el('span', { class: 'strip' }, band('most', q05, q95), band('half', q25, q75), median);
  const [from, , middle, , to] = quantiles.map(number);
  const numbersIn = { mean: number(mean), spread: number(spread), middle, from, to, low, high };
  const words = tr(
    'mean {mean} (95 % interval {low} to {high}), standard deviation {spread}, median {middle}, 5 to 95 % of the sentences {from} to {to}',
    numbersIn,
  );
  return el('td', { class: 'score', title: words }, strip, el('b', {}, number(mean)));
}

/* The list of an atlas: its fields and rows, walked along with the arrows; and how the atlas leaves the page. */

/** The controls and the rows. */
export function fillTable(atlas: AtlasTable) {
  const { heads } = atlas;
  const { meta, own } = heads;
  const ofKind = meta.heads.filter(({ kind }) => kind === meta.kind);
  const layers = [...new Set(ofKind.map(({ layer }) => layer))];
  if (own.layer !== null && !layers.includes(own.layer)) own.layer = null;
  const roles = meta.roles.filter((role) => ofKind.some((head) => head.roles.includes(role)));
  if (own.role && own.role !== 'none' && !roles.includes(own.role)) own.role = '';
  fillChooser(
    atlas.layer,
    [['', tr('all')], ...layers.map((layer) => [layer, String(layer)] as [number, string])],
    own.layer ?? '',
  );
  fillChooser(
    atlas.role,
    [['', tr('all')], ...roles.map((role) => [role, role] as [string, string]), ['none', tr('no role')]],
    own.role,
  );
  const scores = heads.known.map(({ name, label }) => [name, label] as [string, string]);
  if (own.score && !heads.known.some(({ name }) => name === own.score))
    Object.assign(own, { score: '', sort: 'model' });
  fillChooser(atlas.score, [['', tr('the model’s order')], ...scores], own.sort === 'model' ? '' : own.score);
  const { order, columns } = heads;
  atlas.head.replaceChildren(...headCells(atlas, columns));
  atlas.rows.replaceChildren(...order.map((n) => headRow(heads, columns, n)));
  atlas.table.classList.toggle('empty', !order.length);
  const score = heads.named;
  say(
    atlas.about,
    score ? [{ strong: score.label }, ` ${score.definition} `, { muted: score.explained[0]?.[1] ?? '' }] : [],
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
export function showOpen(atlas: AtlasTable) {
  const row = atlas.rows.querySelector('[data-open]') as HTMLElement | null;
  if (!row) return;
  const { scrollTop, clientHeight } = atlas.list;
  const [top, tall] = [row.offsetTop, row.offsetHeight];
  if (top < scrollTop + tall || top + tall > scrollTop + clientHeight)
    atlas.list.scrollTop = top - clientHeight / 2;
}

export function atlasLeaving(atlas: AtlasTable): Leaving {
  return {
    name: () => atlas.heads.meta.file,
    who: () => atlas.heads.meta.title,
    size: () => atlas.size as [number, number],
    draw: (p) => paintMaps(p, atlas),
    rows: () => atlasCsv(atlas.heads),
  };
}
