/* A wall of switches: a click turns a head off or on instead of opening it. */

import type { Wall } from './wall.ts';

export const SWITCH_KEYS = [
  ['← ↑ → ↓', 'from head to head'],
  ['Enter', 'switch the head off or on'],
  ['?', 'this list'],
] as const;

/**
 * Switches heads off, or on again where all of them are off, and tells Python every head that is off now: of several
 * quick clicks the last report says them all.
 */
export function turn(wall: Wall, list: number[]) {
  const off = wall.heads.meta.off ?? [];
  const on = list.every((head) => off[head] !== null);
  for (const head of list) off[head] = on ? null : (off[head] ?? wall.heads.meta.how ?? '');
  wall.at = list[0];
  wall.arrange();
  wall.draw();
  const heads = off.flatMap((state, head) => (state === null ? [] : [wall.heads.pairOf(head)]));
  wall.host.trigger('switched', heads);
}

export function turnLayer(wall: Wall, layer: number) {
  const { heads } = wall.heads.meta;
  turn(
    wall,
    Array.from({ length: heads }, (_, k) => layer * heads + k),
  );
}
