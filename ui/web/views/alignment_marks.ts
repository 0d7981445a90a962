/* The marks of a cell, told apart by their shape: a frame is a link, a disc a sure one of the gold, a ring a possible
   one, a cross a link that the gold has not, a broken ring around a disc one that was missed. */

import type { Colours } from '../base/colour.ts';
import type { Painter } from '../base/paint.ts';
import type { Verdict } from './alignment_words.ts';
import { contrast } from '../base/colour.ts';
import { textWidth, typeSize } from '../base/text.ts';

/** @param fill what the cell is filled with */
export function paintMark(
  p: Painter,
  { x, y, w, h }: { x: number; y: number; w: number; h: number },
  verdict: Verdict,
  u: number,
  c: Colours,
  fill: string = c.panel,
) {
  const [cx, cy] = [x + w / 2, y + h / 2];
  const r = Math.max(2.2, Math.min(6.5 * u, 0.27 * Math.min(w, h)));
  const ink = contrast(fill, c.panel) > contrast(fill, c.ink) ? c.panel : c.ink;
  const thin = Math.max(1, Math.min(2.2 * u, r / 3));
  const found = verdict === 'right' || verdict === 'allowed' || verdict === 'wrong' || verdict === 'free';
  if (found) {
    const dash = verdict === 'wrong' ? [3.5 * u, 3 * u] : [];
    const stroke = verdict === 'wrong' ? c.positive : c.ink;
    p.rect(x + 1, y + 1, w - 2, h - 2, { stroke, width: 2 * u, dash, radius: 4 * u });
  }
  if (verdict === 'right' || verdict === 'missed') p.circle(cx, cy, r, { fill: ink });
  if (verdict === 'allowed' || verdict === 'unneeded') p.circle(cx, cy, r, { stroke: ink, width: thin });
  if (verdict === 'wrong') paintCross(p, cx, cy, r, thin * 1.3, ink);
  if (verdict === 'missed') {
    const far = Math.min(r * 1.75, 0.46 * Math.min(w, h));
    p.circle(cx, cy, far, { stroke: c.positive, width: thin, dash: [2.5 * u, 2.5 * u] });
  }
}

export function paintCross(p: Painter, x: number, y: number, r: number, width: number, stroke: string) {
  const near = r * 0.85;
  p.path(`M${x - near} ${y - near}l${2 * near} ${2 * near}`, { stroke, width });
  p.path(`M${x - near} ${y + near}l${2 * near} ${-2 * near}`, { stroke, width });
}

const KEY = [
  ['right', 'linked, sure'],
  ['allowed', 'linked, possible'],
  ['wrong', 'linked, not in the gold'],
  ['missed', 'sure, not linked'],
  ['unneeded', 'possible, not linked'],
] as const;
const BOX = 22; // pixels of the design that a mark of the key is wide

/** Where each mark of the key stands in a room this wide. */
function keyPlaces(room: number, u: number) {
  const size = typeSize(12, u);
  const line = Math.max(26 * u, size * 1.5);
  let [x, y, width] = [0, 0, 0];
  const places = KEY.map(([verdict, words]) => {
    const wide = BOX * u + 6 * u + textWidth(words, size, false) + 16 * u;
    if (x && x + wide > room) [x, y] = [0, y + line];
    const place = { verdict, words, x, y };
    x += wide;
    width = Math.max(width, x);
    return place;
  });
  return { places, size, line, width, height: y + line };
}

/** How wide and tall the key is in a room this wide. */
export const keySize = (room: number, u: number) => {
  const { width, height } = keyPlaces(room, u);
  return { width, height };
};

/** What the marks mean. */
export function paintKey(p: Painter, room: number, u: number, c: Colours) {
  const { places, size, line } = keyPlaces(room, u);
  for (const { verdict, words, x, y } of places) {
    const h = 18 * u;
    paintMark(p, { x: x + 2, y: y + (line - h) / 2, w: BOX * u, h }, verdict, u, c);
    p.text(x + (BOX + 8) * u, y + line / 2, words, { size, baseline: 'middle', fill: c.muted });
  }
}
