/* What stands around the cards of a head: its title, the way to the next card, and which number an answer is for. */

import type { Part } from '../base/dom.ts';
import type { CardMeta, Why } from './inside_numbers.ts';
import { el, say } from '../base/dom.ts';
import { visible } from '../base/words.ts';

/**
 * What ui/inside/head_view.py says of the whole. `picked` is the open card and the cell asked about, whose row counts in the
 * tensor.
 */
export interface InsideMeta {
  cards: CardMeta[];
  kind: 'encoder' | 'causal' | 'cross';
  layer: number;
  head: number;
  token: string;
  writes: string;
  stamp: string;
  picked: [string, number | null, number | null];
  every: boolean;
  report: boolean;
  file: string;
}

const NAMES = {
  encoder: 'encoder self-attention',
  causal: 'decoder self-attention',
  cross: 'cross-attention',
};

export const insideTitle = (meta: InsideMeta): Part[] => [
  'Head ',
  { kind: `${meta.layer}.${meta.head}` },
  ` of ${NAMES[meta.kind]}, at `,
  { strong: `“${visible(meta.token)}”` },
  ...(meta.writes ? [', which writes ', { strong: `“${visible(meta.writes)}”` }] : []),
];

/** The way to the operation before and to the next. */
export class Turning {
  before: HTMLButtonElement;
  after: HTMLButtonElement;
  node: HTMLDivElement;

  constructor(step: (by: number) => unknown) {
    this.before = el('button', { type: 'button', class: 'button', onclick: () => step(-1) });
    this.after = el('button', { type: 'button', class: 'button', onclick: () => step(1) });
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
export const answers = (why: Why | null, stamp: string, key: string, asked: [number, number] | null) =>
  asked !== null &&
  why?.meta.stamp === stamp &&
  why.meta.card === key &&
  why.meta.row === asked[0] &&
  why.meta.column === asked[1];
