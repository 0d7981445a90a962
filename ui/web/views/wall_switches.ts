/* A wall of switches: a click turns a head off or on instead of opening it. */

/** @import { Wall } from './wall.js' */

export const SWITCH_KEYS = /** @type {const} */ ([
  ['← ↑ → ↓', 'from head to head'],
  ['Enter', 'switch the head off or on'],
  ['?', 'this list'],
]);

/**
 * Switches heads off, or on again where all of them are off, and tells Python every head that is off now: of several
 * quick clicks the last report says them all.
 * @param {Wall} wall
 * @param {number[]} list
 */
export function turn(wall, list) {
  const off = wall.meta.off ?? [];
  const on = list.every((head) => off[head] !== null);
  for (const head of list) off[head] = on ? null : (off[head] ?? wall.meta.how ?? '');
  wall.at = list[0];
  wall.arrange();
  wall.draw();
  const heads = off.flatMap((state, head) => (state === null ? [] : [wall.pairOf(head)]));
  wall.host.trigger('switched', heads);
}

/**
 * @param {Wall} wall
 * @param {number} layer
 */
export function turnLayer(wall, layer) {
  const { heads } = wall.meta;
  turn(
    wall,
    Array.from({ length: heads }, (_, k) => layer * heads + k),
  );
}
