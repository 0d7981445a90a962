/* The buttons over the wall's pictures: they carry keyboard, focus and words. */

import type { Wall } from './wall.ts';
import { el } from '../base/dom.ts';
import { lowered } from '../base/words.ts';
import { spokenScore } from './wall_drawing.ts';
import { showPreview } from './wall_preview.ts';

/** A button for each head and each layer. */
export function makeButtons(wall: Wall) {
  const heads = wall.heads.pictures.map((_, head) => {
    const button = el('button', { type: 'button', class: 'wall-head' });
    button.addEventListener(
      'pointerenter',
      (event) => event.pointerType !== 'touch' && showPreview(wall, head),
    );
    button.addEventListener('pointerleave', () => wall.hidePreview());
    button.addEventListener('focus', () => button.matches(':focus-visible') && showPreview(wall, head));
    button.addEventListener('blur', () => wall.hidePreview());
    button.addEventListener('click', (event) =>
      wall.opening.press(head, event.shiftKey || event.ctrlKey || event.metaKey),
    );
    button.addEventListener('keydown', (event) => move(event, wall, head));
    return button;
  });
  const layers = Array.from({ length: wall.heads.meta.layers }, (_, layer) => {
    const does = wall.heads.meta.off ? 'switch its heads off or on' : 'lay its heads over one another';
    const words = { title: `layer ${layer}: ${does}`, 'aria-label': `Layer ${layer}: ${does}` };
    return el('button', {
      ...{ type: 'button', class: 'wall-layer', ...words, onclick: () => wall.opening.pressLayer(layer) },
    });
  });
  wall.grid.replaceChildren(...layers, ...heads);
  return { heads, layers };
}

/** What a screen reader says of a head. */
function wordsOfHead(wall: Wall, head: number) {
  const told = Object.values(wall.heads.meta.scores)
    .filter((score) => score.values[head] !== null)
    .map(
      ({ label, values, units }) =>
        `${lowered(label)} ${spokenScore(values[head])}${units ? ` ${units}` : ''}`,
    );
  const [layer, k] = wall.heads.pairOf(head);
  const state = wall.heads.meta.off?.[head];
  if (state) told.unshift(`switched off (${state})`);
  const who = wall.heads.layered ? wall.heads.nameOf(head) : `Layer ${layer}, head ${k}`;
  return `${who}: ${told.join(', ') || 'no scores'}`;
}

/** Puts every button over its picture, in the order that is seen. */
export function arrangeButtons(wall: Wall, order: number[]) {
  const { layout } = wall;
  const { own } = wall.heads;
  const { heads, layers } = wall.buttons;
  heads.forEach((button, head) => {
    const at = layout.at.get(head);
    button.hidden = !at;
    if (!at) return;
    button.style.cssText = `left:${at.x}px;top:${at.y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
    button.tabIndex = head === wall.at ? 0 : -1;
    button.setAttribute(
      'aria-pressed',
      String(wall.heads.meta.off ? wall.heads.meta.off[head] !== null : wall.opening.opened.includes(head)),
    );
    button.setAttribute('aria-label', wordsOfHead(wall, head));
  });
  layers.forEach((button) => (button.hidden = true));
  for (const [layer, y, tall] of wall.heads.layered ? [] : layout.labels) {
    layers[layer].hidden = false;
    layers[layer].style.cssText = `left:0;top:${y - tall / 2}px;width:${24 * layout.u}px;height:${tall}px`;
  }
  if (own.order !== 'model') wall.grid.append(...order.map((head) => heads[head]));
}

/** Arrows, Home and End walk from head to head. */
function move(event: KeyboardEvent, wall: Wall, head: number) {
  const list = wall.heads.order();
  const now = list.indexOf(head);
  const { across } = wall.layout;
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across };
  const step = { ...steps, Home: -now, End: list.length - 1 - now }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const next = list[now + step];
  if (next === undefined) return;
  wall.at = next;
  arrangeButtons(wall, list);
  wall.buttons.heads[next].focus();
}
