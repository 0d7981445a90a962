/* Where a row goes: its picture moves from one matrix to its place in the next, within 200 ms, and not at all under reduced motion. */

import type { Host } from '../base/view.ts';
import { el } from '../base/dom.ts';
import { animate, reducedMotion } from '../base/events.ts';
import { context2d } from '../base/text.ts';

const TIME = 180; // ms

/** in pixels of the screen */
interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

type Seen = Place & { from: { canvas: HTMLCanvasElement; x: number; y: number } };

interface Snapshot {
  place: Place;
  picture: HTMLCanvasElement;
}

/** A row as it is now, before its matrix goes. */
export function snapshot(row: Seen | null): Snapshot | null {
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

/** Moves the picture of a row to where it stands now. Returns what ends it at once. */
export function fly(host: Host, before: Snapshot | null, after: Place | null) {
  if (!before || !after) return () => {};
  const { picture, place } = before;
  const root = host.root.getBoundingClientRect();
  host.root.append(picture);
  const stop = animate((share) => {
    const now = (side: 'left' | 'top' | 'width' | 'height') =>
      place[side] + (after[side] - place[side]) * share;
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
