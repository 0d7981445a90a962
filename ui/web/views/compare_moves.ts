/* A weight of the second map that is moved by hand: drawn at once, and the model's answer takes its place. */

import type { Numbers } from '../base/arrays.ts';
import type { Cell } from '../maps/selection.ts';
import type { Compare } from './compare.ts';
import { movedRow, weightMoves } from '../maps/moving.ts';
import { heatHit } from '../marks/frames.ts';

const ANSWER = 20_000; // milliseconds that a moved weight waits for the model before the map is as it was

export class MovedWeight {
  /** The second map without the move. */
  values: Numbers | null = null;
  timer = 0;
  sent = false;
  hand: ReturnType<typeof weightMoves> | null = null;

  constructor(readonly compare: Compare) {}

  /** A row as the model computed it; NaN where no weight can be put. */
  rowOf(row: number) {
    const { meta, values } = this.compare;
    const [all, width] = [this.values ?? values[1], meta.cols[1].length];
    const line = Array(width).fill(NaN) as number[];
    for (const j of meta.moves) line[j] = all[row * width + j];
    return line;
  }

  movable({ row, col }: Cell) {
    return row !== undefined && col !== undefined && !this.sent && movedRow(this.rowOf(row), col, 0) !== null;
  }

  /** The second map with this weight; null: as it was. */
  show(at: Required<Cell> | null, weight: number) {
    const { compare } = this;
    this.values ??= compare.values[1];
    const moved = at && movedRow(this.rowOf(at.row), at.col, weight);
    const values = Float32Array.from(this.values);
    if (at && moved) {
      const from = at.row * compare.meta.cols[1].length;
      moved.forEach((value, j) => {
        if (!Number.isNaN(value)) values[from + j] = value;
      });
    }
    compare.values[1] = moved ? values : this.values;
    if (!moved) this.values = null;
    compare.own.hovered = at && { ...at, pane: 1 };
    compare.build();
    compare.refresh();
  }

  send(at: Required<Cell>, weight: number) {
    this.show(at, weight);
    this.sent = true;
    this.compare.parts.node.classList.add('moved');
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const asked = this.values;
      this.answered();
      this.values = asked;
      if (asked) this.show(null, 0);
    }, ANSWER);
    this.compare.host.trigger('moved', [at.row, at.col, Math.round(1000 * weight)]);
  }

  /**
   * The server has sent the maps again.
   * @returns whether a move was under way
   */
  answered(): boolean {
    const { sent } = this;
    clearTimeout(this.timer);
    this.sent = false;
    this.values = null;
    this.compare.parts.node.classList.remove('moved');
    return sent;
  }

  /** How the second map answers a hand and the keyboard. */
  on(canvas: HTMLCanvasElement) {
    const { compare } = this;
    const hand = weightMoves(canvas, {
      cell: (x, y) => {
        const at = heatHit(compare.panes[1].plot.frame, x, y);
        return at?.row === undefined || at.col === undefined ? null : { row: at.row, col: at.col };
      },
      focus: () => compare.own.hovered ?? compare.own.pinned ?? {},
      weight: ({ row, col }) => this.rowOf(row)[col],
      movable: (at) => this.movable(at),
      show: (at, weight) => this.show(at, weight),
      done: (at, weight) => this.send(at, weight),
    });
    canvas.addEventListener('keydown', (event) => {
      if (hand.key(event)) event.preventDefault();
    });
    canvas.style.touchAction = 'pan-y'; // a finger pulls sideways
    this.hand = hand;
    return hand;
  }

  stop() {
    clearTimeout(this.timer);
    this.hand?.stop();
  }
}
