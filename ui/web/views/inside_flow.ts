/* The whole computation as a line of small matrices, one for each operation: where one is, and the way to every other. */

import type { Host } from '../base/view.ts';
import type { CardNumbers } from './inside_numbers.ts';
import { divergingTable, rampTable } from '../base/colour.ts';
import { el } from '../base/dom.ts';
import { canvasPainter, fitCanvas } from '../base/paint.ts';
import { paintPixels } from '../marks/picture.ts';

const THUMB = [54, 22] as const; // pixels of the design

export class Flow {
  node = el('nav', { class: 'flow', 'aria-label': 'Operations' });
  steps = new Map<string, { button: HTMLButtonElement; canvas: HTMLCanvasElement }>();
  shape = '';

  constructor(
    readonly host: Host,
    readonly open: (key: string) => void,
  ) {}

  update(cards: CardNumbers[], kind: 'encoder' | 'causal' | 'cross') {
    const shape = JSON.stringify(cards.map(({ meta }) => [meta.key, meta.title]));
    if (shape !== this.shape) this.build(cards);
    this.shape = shape;
    const { colours: c, scale: u } = this.host;
    const [diverging, ramp] = [divergingTable(c), rampTable(c.panel, c[kind])];
    for (const numbers of cards) {
      const canvas = this.steps.get(numbers.meta.key)?.canvas;
      if (!canvas) continue;
      const [w, h] = THUMB.map((side) => side * u);
      const painter = canvasPainter(fitCanvas(canvas, w, h));
      paintPixels(painter, numbers.sheet(diverging, ramp), { x: 0, y: 0, w, h }, c);
    }
  }

  build(cards: CardNumbers[]) {
    this.steps.clear();
    let part = '';
    const nodes = cards.map(({ meta }) => {
      const canvas = el('canvas', { 'aria-hidden': 'true' });
      const looks = {
        type: 'button',
        class: 'flow-step',
        title: `${meta.title}: ${meta.formula}`,
        'aria-label': meta.title,
      };
      const button = el(
        'button',
        { ...looks, onclick: () => this.open(meta.key) },
        canvas,
        el('span', {}, meta.short),
      );
      this.steps.set(meta.key, { button, canvas });
      // The name of a part stands above its first operation alone.
      const name = el('span', { class: 'flow-name' }, meta.part === part ? '' : meta.part);
      part = meta.part;
      return el('div', { class: 'flow-place' }, name, button);
    });
    this.node.replaceChildren(...nodes);
  }

  /**
   * @param key the operation that is open
   * @param reads those it is computed from
   */
  mark(key: string, reads: readonly string[]) {
    for (const [own, { button }] of this.steps) {
      button.setAttribute('aria-current', own === key ? 'step' : 'false');
      button.classList.toggle('flow-read', reads.includes(own));
    }
    const button = this.steps.get(key)?.button;
    if (!button || this.node.scrollWidth <= this.node.clientWidth) return;
    const [own, all] = [button.getBoundingClientRect(), this.node.getBoundingClientRect()];
    this.node.scrollLeft += own.left - all.left - (all.width - own.width) / 2;
  }
}
