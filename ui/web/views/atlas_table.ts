/* The rows of the table of heads: name, roles, and for each score a bar of its spread with the mean. */

import type { Order } from './atlas_layout.ts';
import type { AtlasMeta, AtlasScore } from './atlas_numbers.ts';
import { el } from '../base/dom.ts';
import { STATS, along, nameOf, nextOrder, scaleOf } from './atlas_layout.ts';
import { number } from './atlas_numbers.ts';

interface Listed {
  meta: AtlasMeta;
  columns: AtlasScore[];
  order: Order;
  score: string;
  stat(n: number, score: string, stat?: number): number;
  sortBy(score: string, order: Order): void;
}

/** The cells of the head row; a press sorts. */
export function headCells({ columns, order, score, sortBy }: Listed) {
  const arrow = { high: ' ↓', low: ' ↑', model: '' }[order];
  const cells = columns.map(({ name, label, definition }) => {
    const same = score === name && order !== 'model';
    const press = () => {
      const next = nextOrder(order, same);
      sortBy(next === 'model' ? '' : name, next);
    };
    const sort = same ? (order === 'high' ? 'descending' : 'ascending') : 'none';
    const looks = { type: 'button', onclick: press, title: definition };
    const button = el('button', looks, label + (same ? arrow : ''));
    return el('th', { scope: 'col', class: 'score', 'aria-sort': sort }, button);
  });
  return [el('th', { scope: 'col' }, 'head'), el('th', { scope: 'col' }, 'role'), ...cells];
}

export function headRow(listed: Listed, n: number) {
  const head = listed.meta.heads[n];
  const opens = { type: 'button', 'aria-label': `open head ${nameOf(head)}` };
  const roles = head.roles.join(', ');
  return el(
    'tr',
    { 'data-n': n, 'data-kind': head.kind },
    el('th', { scope: 'row' }, el('button', opens, nameOf(head))),
    el('td', { class: roles ? 'role' : 'role none', title: roles || 'no role' }, roles || '–'),
    ...listed.columns.map((score) => cell(listed, n, score)),
  );
}

function cell({ meta, stat }: Listed, n: number, score: AtlasScore) {
  const numbers = Array.from({ length: STATS }, (_, k) => stat(n, score.name, k));
  const [mean, spread, ...quantiles] = numbers;
  if (Number.isNaN(mean)) return el('td', { class: 'score' }, el('b', {}, '–'));
  const most = meta.heads.map(({ kind }, m) => (kind === meta.kind ? stat(m, score.name, STATS - 1) : NaN));
  const scale = scaleOf(score, most);
  const drawn = Number.isNaN(quantiles[0]) ? [mean, mean, mean, mean, mean] : quantiles;
  const [q05, q25, q50, q75, q95] = drawn.map((value) => 100 * along(value, scale));
  const band = (look: string, from: number, to: number): HTMLElement =>
    el('i', { class: look, style: `left:${from.toFixed(2)}%;width:${(to - from).toFixed(2)}%` });
  const median = el('i', { class: 'median', style: `left:${q50.toFixed(2)}%` });
  const strip = el('span', { class: 'strip' }, band('most', q05, q95), band('half', q25, q75), median);
  const [from, , middle, , to] = quantiles.map(number);
  const told = `mean ${number(mean)}, standard deviation ${number(spread)}, median ${middle}, 5 to 95 % of the sentences ${from} to ${to}`;
  return el('td', { class: 'score', title: told }, strip, el('b', {}, number(mean)));
}
