/* How the open heads are drawn: lines with their sums, the map, the legend; and how they leave the page. */

/** @import { Leaving, Painter } from '../types' */
/** @import { Head } from './head.js' */
/** @import { Columns } from '../maps/columns.js' */
/** @import { HeatGeometry } from '../maps/heatmap.js' */

import { rampTable } from '../base/colour.js';
import { plain } from '../base/dom.js';
import { csvNumber } from '../base/export.js';
import { shifted } from '../base/paint.js';
import { paintWords, typeSize } from '../base/text.js';
import { brief, minus, shown } from '../base/words.js';
import { attendedY, attendingY, columnCurve, paintColumnWords } from '../maps/columns.js';
import { paintHeat } from '../maps/heatmap.js';
import { paintLegend, quantityWords, weightStops, weightWords } from '../maps/legend.js';
import { paintLines } from '../maps/lines.js';
import { TABLE_HEAD, columnOf, rowOf, sumOf, tableOf } from '../maps/sheet.js';

export const AXES = 'attending (query) ↓   attended (key) →';

const MOST_SUMS = 14; // numbers beside the words of one side

/**
 * One side's sums: `items` are summed over `line`, and number n stands at `y(n)` beside `x`.
 * @typedef {{ items: Set<number>, line: typeof rowOf, y(n: number): number, x: number, align: 'left' | 'right',
 *   pitch: number }} Side
 */

/**
 * The lines of all heads, shifted so that none hides another, with words and sums.
 * @param {Painter} p
 * @param {Head} head
 * @param {Columns} g
 */
export function paintHeadLines(p, head, g) {
  const { open, own, host } = head;
  const c = host.colours;
  const { rows, cols, cell } = head.selection.active;
  const focus = { rows, cols: cell ? new Set(/** @type {number[]} */ ([])) : cols };
  const { seen, range } = open;
  const apart = Math.min(2.2 * g.u, g.rowPitch / (seen.length + 1));
  seen.forEach((k, m) => {
    const hue = open.hueOf(k, c);
    const twoHues = open.signed && range.scale === 'diverging' && seen.length === 1;
    paintLines(p, open.sheets[k], focus, {
      ...{ area: g.area, threshold: own.threshold, top: range.top, u: g.u },
      faint: 1 / Math.sqrt(seen.length),
      curve: columnCurve(g, (m - (seen.length - 1) / 2) * apart),
      hue: twoHues ? (v) => (v >= 0 ? c.positive : c.negative) : () => hue,
    });
  });
  const named = [...(cell ? cols : []), ...paintSums(p, head, g, focus)];
  paintColumnWords(p, open.combined, g, { ...focus, named }, c, open.meta.kind);
}

/**
 * Numbers beside the words that the rows (else the columns) in focus go to. Returns the attended words that have one.
 * @param {Painter} p
 * @param {Head} head
 * @param {Columns} g
 * @param {{ rows: Set<number>, cols: Set<number> }} focus
 */
function paintSums(p, head, g, { rows, cols }) {
  if (rows.size) {
    const y = (/** @type {number} */ n) => attendedY(g, n);
    const right = { y, x: g.width - 2, align: /** @type {const} */ ('right'), pitch: g.colPitch };
    return paintSide(p, head, g.u, { items: rows, line: rowOf, ...right });
  }
  if (cols.size) {
    const y = (/** @type {number} */ n) => attendingY(g, n);
    const left = { y, x: 2, align: /** @type {const} */ ('left'), pitch: g.rowPitch };
    paintSide(p, head, g.u, { items: cols, line: columnOf, ...left });
  }
  return [];
}

/**
 * @param {Painter} p
 * @param {Head} head
 * @param {number} u
 * @param {Side} side
 */
function paintSide(p, head, u, side) {
  const { open } = head;
  const { unit } = open.meta;
  const { items, line, y, pitch } = side;
  const sums = open.seen.map((k) => sumOf(open.sheets[k], items, line));
  const peak = (/** @type {number} */ n) => Math.max(...sums.map((sum) => Math.abs(sum[n])));
  const worth = unit === 'number' || unit === 'length' ? 0.2 * open.range.top : 0.05;
  const most = Array.from(sums[0] ?? [], (_, n) => n).filter((n) => peak(n) >= worth);
  /** @type {number[]} */
  const put = [];
  for (const n of most.sort((a, b) => peak(b) - peak(a)).slice(0, MOST_SUMS)) {
    if (put.some((m) => Math.abs(m - n) * pitch < 14 * u)) continue;
    put.push(n);
    const numbers = sums.map((sum) => sum[n]);
    // A sum over several rows is no longer a share of one.
    const told = (/** @type {number} */ v) =>
      items.size > 1 && unit === 'share' ? v.toFixed(2) : shown(v, unit).replace(' points', '');
    if (numbers.length > 1) paintBars(p, head, u, side, n, numbers, told);
    else {
      const fill = head.host.colours[`${open.meta.kind}_text`];
      p.text(side.x, y(n), told(numbers[0]), {
        size: typeSize(12.5, u),
        align: side.align,
        baseline: 'middle',
        fill,
      });
    }
  }
  return put;
}

/**
 * One small bar a head, and the number of the longest.
 * @param {Painter} p
 * @param {Head} head
 * @param {number} u
 * @param {Side} side
 * @param {number} n
 * @param {number[]} numbers
 * @param {(v: number) => string} told
 */
function paintBars(p, head, u, { x, y, align, pitch, items }, n, numbers, told) {
  const { open, host } = head;
  const c = host.colours;
  const longest = numbers.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
  const inward = align === 'right' ? -1 : 1;
  const pen = { size: typeSize(12, u), fill: c.muted };
  p.text(x + inward * 46 * u, y(n), told(longest), { ...pen, align, baseline: 'middle' });
  const tall = Math.min(4 * u, (Math.min(pitch, 22 * u) - 2) / numbers.length);
  numbers.forEach((v, m) => {
    const w = Math.max(1, Math.min(1, Math.abs(v) / (open.range.top * items.size)) * 40 * u);
    const top = y(n) + (m - numbers.length / 2) * tall;
    p.rect(inward < 0 ? x - w : x, top, w, tall * 0.85, { fill: open.hueOf(open.seen[m], c) });
  });
}

/**
 * @param {Painter} p
 * @param {Head} head
 * @param {HeatGeometry} g
 */
export function paintHeadMap(p, head, g) {
  const { combined, cache } = head.open;
  paintHeat(p, combined, g, head.selection.active, head.host.colours, cache);
}

/** @param {Head} head @returns {import('../maps/legend.js').Stops} */
function stopsOf({ open }) {
  const { scale, top, low = 0 } = open.range;
  /** @param {number} v */
  const unit = (v) => (open.meta.unit === 'points' ? brief(v, 'points') : minus(v.toFixed(1)));
  if (scale === 'diverging') {
    return [
      [0, unit(-top)],
      [127.5, '0'],
      [255, unit(top)],
    ];
  }
  if (scale === 'range') {
    return [
      [0, unit(low)],
      [255, unit(top)],
    ];
  }
  return weightStops(scale, open.meta.cols.length, open.meta.quantity);
}

/** @param {Head} head */
export function headLegend(head) {
  const { open, own, host } = head;
  const several = open.seen.length > 1;
  const { unit, mode, quantity } = open.meta;
  const weights = quantity
    ? quantityWords(quantity)
    : weightWords(own.log, mode === 'contribution' ? 'share' : 'weight');
  const one = {
    points: 'difference in percentage points',
    number: 'score before the softmax',
    share: weights,
    length: weights,
  };
  const table = several ? rampTable(host.colours.panel, host.colours.ink) : open.combined.table;
  return { table, stops: stopsOf(head), words: several ? 'each cell: the strongest head shown' : one[unit] };
}

/**
 * The open heads as they leave the page: one picture of lines, map and words, and the table of their numbers.
 * @param {Head} head
 * @returns {Leaving}
 */
export function headLeaving(head) {
  /** Height of lines and map together. */
  const body = () => {
    const { lines, heat, wide, u } = head.geometry;
    const map = heat.height + 18 * u;
    return wide ? Math.max(lines.height, map) : lines.height + 14 * u + map;
  };
  return {
    name: () => head.open.meta.file,
    who: () => head.open.seen.map((k) => head.open.meta.heads[k].subject).join(', '),
    size: () => {
      const { heat, room, u } = head.geometry;
      return [Math.max(room, heat.width), body() + 132 * u];
    },
    draw(p) {
      const { lines, heat, wide, room, u, left } = head.geometry;
      const c = head.host.colours;
      const { title, tag, subtitle } = head.open.meta;
      const above = [title, tag].filter(Boolean).join(' · ');
      p.text(2, 18 * u, above, { size: 16 * u, weight: 650, fill: c.ink });
      p.text(2, 37 * u, subtitle, { size: typeSize(12.5, u), fill: c.muted });
      paintHeadLines(shifted(p, 0, 52 * u), head, lines);
      const [x, y] = wide ? [left + 24 * u, 52 * u] : [0, 66 * u + lines.height];
      p.text(x + 2, y + 10 * u, AXES, { size: typeSize(12, u), fill: c.muted });
      paintHeadMap(shifted(p, x, y + 18 * u), head, heat);
      const bottom = 60 * u + body();
      paintWords(p, plain(head.sentence()), room, bottom + 12 * u, u, c.ink);
      paintLegend(p, 2, bottom + 39 * u, u, headLegend(head), c);
    },
    rows() {
      const { meta, sheets, seen } = head.open;
      if (sheets.length === 1) return [TABLE_HEAD, ...tableOf(sheets[0], csvNumber)];
      const lines = seen.flatMap((k) =>
        tableOf(sheets[k], csvNumber).map((line) => [meta.heads[k].name, ...line]),
      );
      return [['head', ...TABLE_HEAD], ...lines];
    },
  };
}
