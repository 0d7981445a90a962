/* Where a row goes: its picture moves from one matrix to its place in the next, within 200 ms, and not at all under reduced motion. */

/** @import { Host } from '../types' */

import { el } from '../base/dom.js';
import { animate, reducedMotion } from '../base/events.js';
import { context2d } from '../base/text.js';

const TIME = 180; // ms

/** @typedef {{ left: number, top: number, width: number, height: number }} Place in pixels of the screen */
/** @typedef {Place & { from: { canvas: HTMLCanvasElement, x: number, y: number } }} Seen */
/** @typedef {{ place: Place, picture: HTMLCanvasElement }} Snapshot */

/** A row as it is now, before its matrix goes. @param {Seen | null} row @returns {Snapshot | null} */
export function snapshot(row) {
  if (!row || reducedMotion() || row.width < 1) return null;
  const { from, ...place } = row;
  const ratio = window.devicePixelRatio || 1;
  const size = [Math.round(place.width * ratio), Math.max(1, Math.round(place.height * ratio))];
  const picture = el('canvas', {
    class: 'inside-flying',
    width: size[0],
    height: size[1],
    'aria-hidden': 'true',
  });
  context2d(picture).drawImage(
    from.canvas,
    from.x * ratio,
    from.y * ratio,
    size[0],
    size[1],
    0,
    0,
    size[0],
    size[1],
  );
  return { place, picture };
}

/**
 * Moves the picture of a row to where it stands now. Returns what ends it at once.
 * @param {Host} host
 * @param {Snapshot | null} before
 * @param {Place | null} after
 */
export function fly(host, before, after) {
  if (!before || !after) return () => {};
  const { picture, place } = before;
  const root = host.root.getBoundingClientRect();
  host.root.append(picture);
  const stop = animate((share) => {
    /** @param {'left' | 'top' | 'width' | 'height'} side */
    const now = (side) => place[side] + (after[side] - place[side]) * share;
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
