/* Heads of a wall are opened: several at once, in any order, and told to the page at once and to Python in time. */

import type { WallAnswers } from '../web/generated/types.ts';
import type { Wall } from './wall.ts';
import { announce } from '../web/base/events.ts';
import { tr } from '../web/base/language.ts';
import { weightsOf, wholeOfHeads } from './wall_heads.ts';

const MOST_OPEN = 8;
// The first click is reported at once; of many in a row, the last one when they stop.
const QUICK = 300; // milliseconds between two clicks in a row
const PAUSE = 150;

export class Opening {
  /** heads that stand open */
  opened: number[] = [];
  private reported = 0;
  private later = 0;

  constructor(readonly wall: Wall) {}

  report(heads: [number, number][]) {
    clearTimeout(this.later);
    const tell = () => {
      this.reported = performance.now();
      this.wall.host.trigger('picked', { heads } satisfies WallAnswers['picked']);
    };
    if (performance.now() - this.reported < QUICK) this.later = window.setTimeout(tell, PAUSE);
    else tell();
  }

  open(list: number[], at: number) {
    const { heads: all } = this.wall;
    const { meta } = all;
    this.wall.outline(list, at);
    const heads = list.map((head) => all.pairOf(head));
    const numbers = () =>
      list.length
        ? list.map((head) => weightsOf(meta, meta.levels, head))
        : [wholeOfHeads(meta, meta.levels)];
    announce('heads', {
      ...{
        kind: meta.kind,
        rows: meta.rows.slice(0, meta.written),
        cols: meta.cols,
        heads,
        all: meta.all_heads,
      },
      // A reduced wall has no numbers of single tokens, and one without its hidden tokens no means and no hidden shares.
      values: meta.labelled && !meta.hidden && !meta.quantity ? numbers() : null,
    });
    this.report(heads);
  }

  /**
   * A click opens the head or closes the only open one; with Shift, Ctrl or ⌘ it is laid over the open ones.
   */
  press(head: number, over: boolean) {
    if (this.wall.heads.meta.off) return turn(this.wall, [head]);
    const isOpen = this.opened.includes(head);
    if (over && this.opened.length && !this.wall.heads.layered) {
      const list = isOpen ? this.opened.filter((other) => other !== head) : [...this.opened, head];
      if (list.length <= MOST_OPEN) this.open(list, head);
    } else this.open(this.opened.length === 1 && isOpen && !this.wall.heads.layered ? [] : [head], head);
  }

  pressLayer(layer: number) {
    const { heads } = this.wall.heads.meta;
    if (this.wall.heads.meta.off) return turnLayer(this.wall, layer);
    const list = Array.from({ length: Math.min(MOST_OPEN, heads) }, (_, k) => layer * heads + k);
    this.open(String(list) === String(this.opened) ? [] : list, list[0]);
  }

  stop() {
    clearTimeout(this.later);
  }
}

/* ---------- A wall of switches: a click turns a head off or on instead of opening it. ---------- */

export const switchKeys = (): [string, string][] => [
  ['← ↑ → ↓', tr('Move between heads')],
  ['Enter', tr('Ablate the head or restore it')],
  ['?', tr('Show this list')],
];

/**
 * Switches heads off, or on again where all of them are off, and tells Python every head that is off now: of several
 * quick clicks the last report says them all.
 */
export function turn(wall: Wall, list: number[]) {
  const off = wall.heads.meta.off ?? [];
  const on = list.every((head) => off[head] !== null);
  for (const head of list) off[head] = on ? null : (off[head] ?? wall.heads.meta.how);
  wall.at = list[0];
  wall.arrange();
  wall.draw();
  const pairs = off.flatMap((state, head) => (state === null ? [] : [wall.heads.pairOf(head)]));
  wall.host.trigger('switched', { off: pairs } satisfies WallAnswers['switched']);
}

export function turnLayer(wall: Wall, layer: number) {
  const { heads } = wall.heads.meta;
  turn(
    wall,
    Array.from({ length: heads }, (_, k) => layer * heads + k),
  );
}
