/* Around the cards of a head: the title, links to the next card, and the number an answer belongs to. */

import type { Piece } from '../web/base/dom.ts';
import type { Host } from '../web/base/view.ts';
import type { InsideData, WhyData } from '../web/generated/types.ts';
import type { CardNumbers } from './inside_numbers.ts';
import { divergingTable, rampTable } from '../web/base/colour.ts';
import { el, phrase, say } from '../web/base/dom.ts';
import { animate, reducedMotion } from '../web/base/events.ts';
import { canvasPainter, context2d, fitCanvas } from '../web/base/paint.ts';
import { labelled, tr } from '../web/base/language.ts';
import { strongly } from '../web/maps/sentence.ts';
import { paintPixels } from '../web/marks/picture.ts';

export const insideTitle = (meta: InsideData): Piece[] =>
  phrase(
    meta.writes
      ? tr('Head {head} of {kind}, at {token}, which writes {word}')
      : tr('Head {head} of {kind}, at {token}'),
    {
      head: { kind: `${meta.layer}.${meta.head}` },
      kind: meta.attention,
      token: strongly(meta.token),
      word: strongly(meta.writes),
    },
  );

/** The way to the operation before and to the next. */
export class Turning {
  before: HTMLButtonElement;
  after: HTMLButtonElement;
  node: HTMLDivElement;

  constructor(step: (by: number) => unknown) {
    this.before = el('button', { class: 'button', onclick: () => step(-1) });
    this.after = el('button', { class: 'button', onclick: () => step(1) });
    this.node = el('div', { class: 'inside-turning' }, this.before, this.after);
  }

  show(before: string | undefined, after: string | undefined) {
    say(this.before, before ? [`← ${before}`] : []);
    say(this.after, after ? [`${after} →`] : []);
    this.before.hidden = !before;
    this.after.hidden = !after;
  }
}

/** Whether an answer is for the number that is asked about. */
export const answers = (why: WhyData | null, stamp: string, key: string, asked: [number, number] | null) =>
  asked !== null &&
  why?.stamp === stamp &&
  why.card === key &&
  why.row === asked[0] &&
  why.column === asked[1];

/* The whole computation as a line of small matrices, one for each operation: with the open one marked and links to all others. */

const THUMB = [54, 22] as const; // pixels of the design

export class Flow {
  node = el('nav', { class: 'flow', 'aria-label': tr('Operations') });
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
        class: 'flow-step',
        title: labelled(meta.title, meta.formula),
        'aria-label': labelled(meta.short, meta.title),
      };
      const button = el(
        'button',
        { ...looks, onclick: () => this.open(meta.key) },
        canvas,
        el('span', {}, meta.short),
      );
      this.steps.set(meta.key, { button, canvas });
      // A section's name is shown above its first operation only.
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

/* A row's picture moves from one matrix to its position in the next within 200 ms; not under reduced motion. */

const TIME = 180; // ms

/** In screen pixels. */
type Bounds = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>;

type Seen = Bounds & { from: { canvas: HTMLCanvasElement; x: number; y: number } };

interface Snapshot {
  bounds: Bounds;
  picture: HTMLCanvasElement;
}

/** The picture of a row before its matrix is replaced. */
export function snapshot(row: Seen | null): Snapshot | null {
  if (!row || reducedMotion() || row.width < 1) return null;
  const { from, ...bounds } = row;
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(bounds.width * ratio), Math.max(1, Math.round(bounds.height * ratio))];
  const picture = el('canvas', { class: 'inside-flying', width: w, height: h, 'aria-hidden': 'true' });
  context2d(picture).drawImage(from.canvas, from.x * ratio, from.y * ratio, w, h, 0, 0, w, h);
  return { bounds, picture };
}

/** Animates the picture of a row to its new position. Returns a function that ends the animation. */
export function fly(host: Host, before: Snapshot | null, after: Bounds | null) {
  if (!before || !after) return () => {};
  const { picture, bounds } = before;
  const root = host.root.getBoundingClientRect();
  host.root.append(picture);
  const stop = animate((share) => {
    const now = (side: keyof Bounds) => bounds[side] + (after[side] - bounds[side]) * share;
    picture.style.cssText =
      `left:${now('left') - root.left}px;top:${now('top') - root.top}px;width:${now('width')}px;` +
      `height:${now('height')}px;opacity:${1 - 0.6 * share}`;
    if (share === 1) picture.remove();
  }, TIME);
  return () => {
    stop();
    picture.remove();
  };
}
