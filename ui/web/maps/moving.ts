/* A weight moved by hand: pulled up or to the right on its cell it grows, down or to the left it shrinks, and with + and −;
   the rest of its row is scaled so that the row sums to 1. */

import type { Point } from '../base/paint.ts';
import type { At, Cell } from './selection.ts';
import { within } from '../base/words.ts';

const STEP = 0.05; // that a key adds or takes
const PULL = 220; // CSS pixels of the pointer from 0 to 1
const REST = 600; // milliseconds after the last key

/**
 * `row` with `weight` at `key`; NaN where nothing may be looked at. The others keep their proportions, or share evenly
 * where all were 0. Null where the row sees no other key.
 */
export function movedRow(row: number[], key: number, weight: number): number[] | null {
  const others = row.map((value, j) => (j === key || Number.isNaN(value) ? 0 : value));
  const seen = row.filter((value, j) => j !== key && !Number.isNaN(value)).length;
  if (!seen || Number.isNaN(row[key])) return null;
  const total = others.reduce((a, b) => a + b, 0);
  return row.map((value, j) => {
    if (Number.isNaN(value)) return value;
    if (j === key) return weight;
    return (1 - weight) * (total > 0 ? others[j] / total : 1 / seen);
  });
}

/**
 * What is moved: `cell` may be (null: not here), `weight` is what it has, `show` draws another one for as long as it is
 * pulled (null: as it was), and `done` is called once with what it came to.
 */
interface Moves {
  cell(x: number, y: number): At | null;
  focus(): Cell;
  weight(at: At): number;
  movable(at: Cell): boolean;
  show(at: At | null, weight: number): void;
  done(at: At, weight: number): void;
}

interface Pulling {
  drags(): boolean;
  dragging(from: Point, to: Point): void;
  drag(from: Point, to: Point): void;
  dropped(): void;
  key(event: KeyboardEvent): boolean;
  stop(): void;
}

export function weightMoves(node: HTMLElement, moves: Moves): Pulling {
  let held: { at: At; from: number } | null = null;
  let typed: { at: At; weight: number } | null = null;
  let timer = 0;
  const pulled = ([x0, y0]: Point, [x1, y1]: Point) =>
    within(0, (held?.from ?? 0) + (x1 - x0 + y0 - y1) / PULL, 1);
  const settle = () => {
    clearTimeout(timer);
    if (typed) moves.done(typed.at, typed.weight);
    typed = null;
  };
  return {
    drags: () => true,
    dragging(from, to) {
      if (!held) {
        const at = moves.cell(...from);
        if (!at || !moves.movable(at)) return;
        held = { at, from: moves.weight(at) };
      }
      node.style.cursor = 'ns-resize';
      moves.show(held.at, pulled(from, to));
    },
    drag(from, to) {
      if (held) moves.done(held.at, pulled(from, to));
      held = null;
    },
    dropped() {
      if (held) moves.show(null, 0);
      held = null;
    },
    key(event) {
      const sign = { '+': 1, '=': 1, '-': -1, '−': -1, _: -1 }[event.key];
      const now = moves.focus();
      if (!sign || event.ctrlKey || event.metaKey || event.altKey) return false;
      if (now.row === undefined || now.col === undefined || !moves.movable(now)) return false;
      const at = { row: now.row, col: now.col };
      if (typed && (typed.at.row !== at.row || typed.at.col !== at.col)) settle();
      const weight = within(0, (typed ? typed.weight : moves.weight(at)) + sign * STEP, 1);
      typed = { at, weight };
      moves.show(at, weight);
      clearTimeout(timer);
      timer = window.setTimeout(settle, REST);
      return true;
    },
    stop: () => clearTimeout(timer),
  };
}
