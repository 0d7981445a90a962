/* How the open heads are drawn: lines with their sums, the map, the legend; and how they leave the page. */

import type { Leaving } from '../base/export.ts';
import type { Painter } from '../base/paint.ts';
import type { Columns } from '../marks/columns.ts';
import type { HeatGeometry } from '../marks/heatmap.ts';
import type { Stops } from '../marks/legend.ts';
import type { Head } from './head.ts';
import { rampTable } from '../base/colour.ts';
import { plain } from '../base/dom.ts';
import { csvNumber } from '../base/export.ts';
import { shifted } from '../base/paint.ts';
import { paintWords, typeSize } from '../base/text.ts';
import { brief, minus, shown } from '../base/words.ts';
import { attendedY, attendingY, columnCurve, paintColumnWords } from '../marks/columns.ts';
import { paintHeat } from '../marks/heatmap.ts';
import { paintLegend, quantityWords, weightStops, weightWords } from '../marks/legend.ts';
import { paintLines } from '../marks/lines.ts';
import { TABLE_HEAD, columnOf, rowOf, sumOf, tableOf } from '../maps/sheet.ts';

export const AXES = 'attending (query) ↓   attended (key) →';

const MOST_SUMS = 14; // numbers beside the words of one side

/** One side's sums: `items` are summed over `line`, and number n stands at `y(n)` beside `x`. */
interface Side {
  items: Set<number>;
  line: typeof rowOf;
  y(n: number): number;
  x: number;
  align: 'left' | 'right';
  pitch: number;
}

/** The lines of all heads, shifted so that none hides another, with words and sums. */
export function paintHeadLines(p: Painter, head: Head, g: Columns) {
  const { open, own, host } = head;
  const c = host.colours;
  const { rows, cols, cell } = head.selection.active;
  const focus = { rows, cols: cell ? new Set([] as number[]) : cols };
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
 */
function paintSums(
  p: Painter,
  head: Head,
  g: Columns,
  { rows, cols }: { rows: Set<number>; cols: Set<number> },
) {
  if (rows.size) {
    const y = (n: number) => attendedY(g, n);
    const right = { y, x: g.width - 2, align: 'right' as const, pitch: g.colPitch };
    return paintSide(p, head, g.u, { items: rows, line: rowOf, ...right });
  }
  if (cols.size) {
    const y = (n: number) => attendingY(g, n);
    const left = { y, x: 2, align: 'left' as const, pitch: g.rowPitch };
    paintSide(p, head, g.u, { items: cols, line: columnOf, ...left });
  }
  return [];
}

function paintSide(p: Painter, head: Head, u: number, side: Side) {
  const { open } = head;
  const { unit } = open.meta;
  const { items, line, y, pitch } = side;
  const sums = open.seen.map((k) => sumOf(open.sheets[k], items, line));
  const peak = (n: number) => Math.max(...sums.map((sum) => Math.abs(sum[n])));
  const worth = unit === 'number' || unit === 'length' ? 0.2 * open.range.top : 0.05;
  const most = Array.from(sums[0] ?? [], (_, n) => n).filter((n) => peak(n) >= worth);
  const put: number[] = [];
  for (const n of most.sort((a, b) => peak(b) - peak(a)).slice(0, MOST_SUMS)) {
    if (put.some((m) => Math.abs(m - n) * pitch < 14 * u)) continue;
    put.push(n);
    const numbers = sums.map((sum) => sum[n]);
    // A sum over several rows is no longer a share of one.
    const told = (v: number) =>
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

/** One small bar a head, and the number of the longest. */
function paintBars(
  p: Painter,
  head: Head,
  u: number,
  { x, y, align, pitch, items }: Side,
  n: number,
  numbers: number[],
  told: (v: number) => string,
) {
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

export function paintHeadMap(p: Painter, head: Head, g: HeatGeometry) {
  const { combined, cache } = head.open;
  paintHeat(p, combined, g, head.selection.active, head.host.colours, cache);
}

function stopsOf({ open }: Head): Stops {
  const { scale, top, low = 0 } = open.range;
  const unit = (v: number) => (open.meta.unit === 'points' ? brief(v, 'points') : minus(v.toFixed(1)));
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

export function headLegend(head: Head) {
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
 */
export function headLeaving(head: Head): Leaving {
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
