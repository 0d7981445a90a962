/* The whole computation as a line of small matrices, one for each operation: where one is, and the way to every other. */

/** @import { Host } from '../types' */
/** @import { CardNumbers } from './inside_numbers.js' */

import { divergingTable, rampTable } from '../base/colour.js';
import { el } from '../base/dom.js';
import { canvasPainter, fitCanvas } from '../base/paint.js';
import { paintPixels } from '../maps/picture.js';

const THUMB = /** @type {const} */ ([54, 22]); // pixels of the design

export class Flow {
  /**
   * @param {Host} host
   * @param {(key: string) => void} open
   */
  constructor(host, open) {
    this.host = host;
    this.open = open;
    this.node = el('nav', { class: 'flow', 'aria-label': 'Operations' });
    /** @type {Map<string, { button: HTMLButtonElement, canvas: HTMLCanvasElement }>} */
    this.steps = new Map();
    this.shape = '';
  }

  /**
   * @param {CardNumbers[]} cards
   * @param {'encoder' | 'causal' | 'cross'} kind
   */
  update(cards, kind) {
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

  /** @param {CardNumbers[]} cards */
  build(cards) {
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

  /** @param {string} key the operation that is open @param {readonly string[]} reads those it is computed from */
  mark(key, reads) {
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
