/* Heads of a wall are opened: several at once, in any order, and told to the page at once and to Python in time. */

import type { WallAnswers } from '../web/generated/types.ts';
import type { Host } from '../web/base/view.ts';
import type { WallHeads } from './wall_heads.ts';
import { announce } from '../web/base/events.ts';
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

  constructor(readonly wall: { host: Host; heads: WallHeads; outline(heads: number[], at: number): void }) {}

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
    const isOpen = this.opened.includes(head);
    if (over && this.opened.length && !this.wall.heads.layered) {
      const list = isOpen ? this.opened.filter((other) => other !== head) : [...this.opened, head];
      if (list.length <= MOST_OPEN) this.open(list, head);
    } else this.open(this.opened.length === 1 && isOpen && !this.wall.heads.layered ? [] : [head], head);
  }

  pressLayer(layer: number) {
    const { heads } = this.wall.heads.meta;
    const list = Array.from({ length: Math.min(MOST_OPEN, heads) }, (_, k) => layer * heads + k);
    this.open(String(list) === String(this.opened) ? [] : list, list[0]);
  }

  stop() {
    clearTimeout(this.later);
  }
}
