/* What is pressed beside the curves: a button over every small map, and one for each moment a head took shape. */

import type { Dynamics } from './dynamics.ts';
import { el } from '../base/dom.ts';
import { counted, two } from './dynamics_numbers.ts';

export function headButtons(view: Dynamics) {
  const { layout, numbers } = view;
  return Array.from(layout.at, ([n, { x, y }]) => {
    const name = `head ${Math.floor(n / numbers.meta.heads)}.${n % numbers.meta.heads}`;
    const button = el('button', {
      ...{ type: 'button', class: 'dynamics-head', 'data-head': n, 'aria-label': `open ${name}` },
      onclick: () => view.open(n),
      onpointerenter: () => view.hover(n),
      onpointerleave: () => view.hover(-1),
    });
    button.style.cssText = `left:${x}px;top:${y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
    return button;
  });
}

export function momentButtons(view: Dynamics) {
  const { meta } = view.numbers;
  if (!meta.drops.length) return [];
  const label = el('span', { class: 'dynamics-label' }, 'took shape');
  const list = meta.drops.map(([layer, head, , end, before, after]) => {
    const n = layer * meta.heads + head;
    const words = [
      el('b', {}, `${layer}.${head}`),
      ` step ${counted(meta.steps[end])} `,
      el('span', {}, `${two(before)} → ${two(after)}`),
    ];
    const title = `entropy of head ${layer}.${head}, as a share of the most it could be; opens it at that step`;
    return el(
      'button',
      { type: 'button', class: 'dynamics-moment', 'data-head': n, title, onclick: () => view.open(n, end) },
      ...words,
    );
  });
  return [label, el('div', { class: 'dynamics-list' }, ...list)];
}
