/* One map as curves between two lines of words: width and opacity both carry the weight. The curves of all views. */

import type { Painter, Pen, Point } from '../base/paint.ts';
import type { Focus } from '../maps/selection.ts';
import type { Area, Sheet } from '../maps/sheet.ts';

export const LINE_FLOOR = 0.02; // weights below are not drawn

/**
 * A replay keeps of the steps around `row` what they mostly looked at, and of far ones nothing: else it ends in fog.
 */
export const behindRow = (row: number) => ({ row, floor: 0.15, reach: 40 });

/** The first `share` of a cubic curve (de Casteljau), so that a new line grows out of its word. */
export function startOfCurve(
  [a, b, c, d]: [Point, Point, Point, Point],
  share: number,
): [Point, Point, Point, Point] {
  if (share >= 1) return [a, b, c, d];
  const between = (p: Point, q: Point): Point => [p[0] + (q[0] - p[0]) * share, p[1] + (q[1] - p[1]) * share];
  const [ab, bc, cd] = [between(a, b), between(b, c), between(c, d)];
  const [abc, bcd] = [between(ab, bc), between(bc, cd)];
  return [a, ab, abc, between(abc, bcd)];
}

/**
 * A curve that leaves both words straight: from `start` to `end`, which lie on opposite sides.
 * @param upright the words stand in two rows, so the curve leaves them up and down
 */
export function curveBetween(start: Point, end: Point, upright: boolean): [Point, Point, Point, Point] {
  const middle = upright ? (start[1] + end[1]) / 2 : (start[0] + end[0]) / 2;
  return upright
    ? [start, [start[0], middle], [end[0], middle], end]
    : [start, [middle, start[1]], [middle, end[1]], end];
}

/**
 * Width and opacity of a line of this strength: told (`on`), behind what is told, or one of all (`crowd` makes many
 * lines thinner, `faint` paler).
 * @param strength 0..1
 */
export function linePen(
  strength: number,
  state: 'on' | 'behind' | 'all',
  u: number,
  { crowd = 1, faint = 1 } = {},
): Pen {
  const share = Math.min(1, strength);
  if (state === 'on') return { width: (0.9 + 6.5 * share ** 0.7) * u, alpha: 0.2 + 0.65 * share ** 0.5 };
  if (state === 'behind') return { width: (0.8 + 3 * share * crowd) * u, alpha: 0.05 + 0.15 * share };
  return { width: (0.7 + 6 * share * crowd) * u, alpha: (0.1 + 0.5 * share) * faint * Math.sqrt(crowd) };
}

const LINES_MOST = 4096; // maps with more cells draw the lines of active tokens only

/**
 * What lines are drawn, and how. `area`: the rows and columns in view; `threshold`: the weakest line, `top` the
 * strongest number; `behind`: how strong and how near to a row lines that are not told must be (default: as any line).
 */
interface Choice {
  area: Area;
  threshold: number;
  top?: number;
  behind?: { row: number; floor: number; reach: number };
}

interface Line {
  i: number;
  j: number;
  value: number;
  strength: number;
  on: boolean;
}

/** The lines to draw, weakest first, those that are told last. */
export function linesOf(
  sheet: Sheet,
  focus: Focus,
  { area: [r0, r1, c0, c1], threshold, top = 1, behind }: Choice,
): Line[] {
  const long = (r1 - r0) * (c1 - c0) > LINES_MOST;
  const any = focus.rows.size + focus.cols.size > 0;
  const lines: Line[] = [];
  for (let i = r0; i < Math.min(r1, sheet.written); i++) {
    const rowOn = focus.rows.has(i);
    const near = !behind || Math.abs(i - behind.row) <= behind.reach;
    const least = Math.max(threshold, 0.004);
    const consider = (j: number, on: boolean) => {
      const value = sheet.at(i, j);
      const strength = Math.abs(value) / top;
      const floor = on || !behind ? least : behind.floor;
      if (strength >= floor && (on || near)) lines.push({ i, j, value, strength, on });
    };
    if (long && !any) consider(largestIn(sheet, i, c0, c1), false);
    else if (!long || rowOn || (behind && near))
      for (let j = c0; j < c1; j++) consider(j, rowOn || focus.cols.has(j));
    else for (const j of focus.cols) if (j >= c0 && j < c1) consider(j, true);
  }
  return lines.sort((a, b) => Number(a.on) - Number(b.on) || a.strength - b.strength);
}

function largestIn(sheet: Sheet, i: number, from: number, to: number) {
  let best = from;
  // Written so that a NaN gives way to any number.
  for (let j = from; j < to; j++) if (!(Math.abs(sheet.at(i, j)) <= Math.abs(sheet.at(i, best)))) best = j;
  return best;
}

/**
 * One map's lines. `curve(i, j)` says where one runs (null: out of sight), `hue(value)` its colour; `growing` draws
 * the first part of one row's lines.
 */
export function paintLines(
  p: Painter,
  sheet: Sheet,
  focus: Focus,
  how: Choice & {
    u: number;
    faint?: number;
    growing?: { row: number; share: number };
    curve: (i: number, j: number) => [Point, Point, Point, Point] | null;
    hue: (value: number) => string;
  },
) {
  const [r0, r1] = how.area;
  // Hundreds of lines at once would be one solid block.
  const crowd = Math.min(1, 64 / (r1 - r0));
  const any = focus.rows.size + focus.cols.size > 0;
  for (const { i, j, value, strength, on } of linesOf(sheet, focus, how)) {
    const curve = how.curve(i, j);
    if (!curve) continue;
    const grown = how.growing?.row === i ? startOfCurve(curve, how.growing.share) : curve;
    const pen = linePen(strength, on ? 'on' : any ? 'behind' : 'all', how.u, { crowd, faint: how.faint });
    p.curve(...grown, { stroke: how.hue(value), ...pen });
  }
}
