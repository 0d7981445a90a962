/* Where everything in the joint view goes: words in two rows while they fit, else in two columns. */

/** @import { Point } from '../types' */

import { textWidth } from '../base/text.js';
import { visible } from '../base/words.js';
import { every, inReadingOrder, rowLength, spreadWords } from '../maps/labels.js';

/**
 * One side's words. "Along" is the way words follow each other, "across" the other way: `along` are the words' places,
 * `words` where they are written across, `lines` where the cross-attention starts, `edges` the sides where each word's
 * arcs start; `outward` is −1 or 1, `every` how many words one is written, `room` their most width.
 * @typedef {{ along: number[], words: number, lines: number, edges: number[], outward: 1 | -1, every: number,
 *   room: number }} JointSide
 */

/**
 * `flat`: the words stand in rows, else in columns. `maps`: the small maps below or beside.
 * @typedef {{ u: number, size: number, room: number, flat: boolean, arc: number, source: JointSide, target: JointSide,
 *   maps: { w: number, h: number, corners: { x: number, y: number }[] }, height: number }} JointLayout
 */

/** A point from its two ways. @param {JointLayout} g @param {number} along @param {number} across @returns {Point} */
export const jointPoint = (g, along, across) => (g.flat ? [along, across] : [across, along]);

/**
 * The layout of `source` and `target` labels in a room this wide; `count` small maps.
 * @param {string[]} source
 * @param {string[]} target
 * @param {number} room
 * @param {number} u
 * @returns {JointLayout}
 */
export function jointLayout(source, target, room, u) {
  const size = 14.5 * u;
  const [ws, wt] = [widths(source, size, 170 * u), widths(target, size, 170 * u)];
  const fits = [ws, wt].every((row) => rowLength(row, 12 * u) <= room);
  if (!fits) return inColumns(source, target, room, u);
  const above = inReadingOrder(spreadWords(ws, room, 12 * u), source, room);
  const below = inReadingOrder(spreadWords(wt, room, 12 * u), target, room);
  return inRows(above, below, room, u);
}

/**
 * @param {string[]} labels
 * @param {number} size
 * @param {number} most
 */
const widths = (labels, size, most) => labels.map((label) => Math.min(most, textWidth(visible(label), size)));

/**
 * @param {number[]} above
 * @param {number[]} below
 * @param {number} room
 * @param {number} u
 * @returns {JointLayout}
 */
function inRows(above, below, room, u) {
  const arc = 62 * u;
  const upper = arc + 6 * u;
  const to = upper + 180 * u;
  const lower = to + 30 * u;
  const [w, h] = [Math.min(380 * u, (room - 60 * u) / 3), 96 * u];
  const bottom = lower + arc + 6 * u;
  const words = { every: 1, room: 170 * u };
  return {
    ...{ u, size: 14.5 * u, room, flat: true, arc, height: bottom + 40 * u + h },
    source: {
      ...{ along: above, words: upper + 13 * u, lines: upper + 44 * u, outward: -1, ...words },
      edges: above.map(() => upper),
    },
    target: {
      ...{ along: below, words: to + 15 * u, lines: to, outward: 1, ...words },
      edges: below.map(() => lower),
    },
    maps: { w, h, corners: mapsBelow(w, bottom, u) },
  };
}

/**
 * @param {number} w
 * @param {number} bottom
 * @param {number} u
 */
const mapsBelow = (w, bottom, u) =>
  [0, 1, 2].map((n) => ({ x: 3 * u + n * (w + 26 * u), y: bottom + 34 * u }));

/**
 * @param {string[]} source
 * @param {string[]} target
 * @param {number} room
 * @param {number} u
 * @returns {JointLayout}
 */
function inColumns(source, target, room, u) {
  const size = 13.5 * u;
  const [ws, wt] = [widths(source, size, 120 * u), widths(target, size, 120 * u)];
  const longest = Math.max(ws.length, wt.length);
  const tall = Math.min(24 * u, (660 * u) / longest) * longest;
  // The three small maps stand beside the drawing where there is room, else below it.
  const beside = room > 980 * u;
  const wide = beside ? room - 236 * u : Math.min(room, 780 * u);
  const arc = Math.min(130 * u, room * 0.13);
  const bottom = tall + 20 * u;
  const [w, h] = [beside ? 190 * u : Math.min(380 * u, (room - 60 * u) / 3), (beside ? 130 : 96) * u];
  const right = [0, 1, 2].map((n) => ({ x: room - w - 4 * u, y: n * (h + 46 * u) + 26 * u }));
  const left = arc + 6 * u + Math.max(...ws) + 8 * u;
  const to = wide - arc - Math.max(...wt) - 24 * u;
  return {
    ...{ u, size, room, flat: false, arc },
    height: beside ? Math.max(bottom, right[2].y + h + 8 * u) : bottom + 40 * u + h,
    source: {
      ...column(ws, tall, u),
      ...{ words: left, lines: left + 50 * u, outward: -1, edges: ws.map((each) => left - each - 10 * u) },
    },
    target: {
      ...column(wt, tall, u),
      ...{ words: to + 8 * u, lines: to, outward: 1, edges: wt.map((each) => to + 8 * u + each + 10 * u) },
    },
    maps: { w, h, corners: beside ? right : mapsBelow(w, bottom, u) },
  };
}

/**
 * @param {number[]} words widths
 * @param {number} tall
 * @param {number} u
 */
const column = (words, tall, u) => ({
  along: words.map((_, i) => 10 * u + ((i + 0.5) * tall) / words.length),
  every: every(15 * u, tall / words.length),
  room: Math.max(...words),
});

/**
 * The word under a point: of the source or the target.
 * @param {JointLayout} g
 * @param {number} x
 * @param {number} y
 * @returns {{ source?: number, target?: number } | null}
 */
export function jointHit(g, x, y) {
  const [along, across] = g.flat ? [x, y] : [y, x];
  const { source, target, arc } = g;
  if (across > Math.min(...source.edges) - arc * 0.5 && across < source.lines + 10) {
    return { source: nearest(source.along, along) };
  }
  if (across > target.lines - 14 && across < Math.max(...target.edges) + arc * 0.5) {
    return { target: nearest(target.along, along) };
  }
  return null;
}

/**
 * @param {number[]} list
 * @param {number} value
 */
const nearest = (list, value) =>
  list.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(list[best] - value) ? i : best), 0);
