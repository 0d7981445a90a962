/* How an aligned pair is drawn: a line for each link, the map with its marks; and how both leave the page. */

import type { Colours } from '../web/base/colour.ts';
import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter, Pen } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { Focus } from '../web/maps/selection.ts';
import type { Columns, HeatGeometry } from '../web/marks/frames.ts';
import type { Mark, Pair } from '../web/marks/pair.ts';
import type { Cache } from '../web/marks/picture.ts';
import type { Aligned, Verdict } from './alignment_words.ts';
import { contrast } from '../web/base/colour.ts';
import { csvNumber } from '../web/base/export.ts';
import { AT_RIGHT, shifted, textWidth, typeSize } from '../web/base/paint.ts';
import { percent } from '../web/base/words.ts';
import { TABLE_HEAD, tableOf } from '../web/maps/sheet.ts';
import { tr } from '../web/base/language.ts';
import { columnLines, columnWords } from '../web/marks/columns.ts';
import { attendedY, attendingY, columnCurve, columnX, rowY } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { weightAxis, weightWords } from '../web/marks/legend.ts';
import { alignmentSentence, verdicts } from './alignment_words.ts';

/** What is drawn: the links, beside the map they come from. */
interface AlignmentPicture extends Aligned {
  host: Host;
  pair: Pair;
  cache: Cache;
}

/**
 * How the line of a link looks: errors are broken, and drawn in another colour as well.
 * @returns null where there is no line
 */
function linkPen(verdict: Verdict, c: Colours, u: number): Pen | null {
  switch (verdict) {
    case 'free':
    case 'right':
      return { stroke: c.cross, width: 3.4 * u, alpha: 0.9 };
    case 'allowed':
      return { stroke: c.cross, width: 1.8 * u, alpha: 0.9 };
    case 'wrong':
      return { stroke: c.positive, width: 2.2 * u, dash: [7 * u, 5 * u] };
    case 'missed':
      return { stroke: c.muted, width: 1.8 * u, dash: [0.5, 5 * u] };
    default:
      return null;
  }
}

/** The words of both sides with a line for each link; rows and columns in focus show their weights too. */
export function alignedLines(view: AlignmentPicture): Mark<Columns>[] {
  const { sheet, host, pins } = view;
  const { rows, cols, cell } = pins.active;
  const focus = { rows, cols: cell ? new Set<number>() : cols };
  const style = {
    threshold: 0.03,
    behind: { row: 0, floor: Infinity, reach: 0 },
    hue: () => host.colours.bar,
  };
  const words: Mark<Columns> = (p, g) => {
    const named = [...(cell ? cols : []), ...paintShares(p, view, g, rows)];
    columnWords(sheet, { ...focus, named }, host.colours, 'cross', [tr('written'), tr('source')])(p, g);
  };
  const any = focus.rows.size + focus.cols.size > 0;
  return [...(any ? [columnLines(sheet, focus, style)] : []), links(view, focus), words];
}

/** A line for each link, marked where it differs from the gold; links out of focus are faint. */
const links =
  (view: AlignmentPicture, focus: Focus): Mark<Columns> =>
  (p, g) => {
    const c = view.host.colours;
    const curve = columnCurve(g);
    const any = focus.rows.size + focus.cols.size > 0;
    for (const [i, j, verdict] of verdicts(view.meta.links, view.gold)) {
      const pen = linkPen(verdict, c, g.u);
      if (!pen) continue;
      const highlighted = !any || focus.rows.has(i) || focus.cols.has(j);
      const alpha = (pen.alpha ?? 1) * (highlighted ? 1 : 0.22);
      p.curve(...curve(i, j), { ...pen, alpha });
      const [x, y] = [(g.left + g.right) / 2, (attendingY(g, i) + attendedY(g, j)) / 2];
      if (!highlighted) continue;
      if (verdict === 'wrong') paintCross(p, x, y, 5 * g.u, 2.2 * g.u, c.positive);
      if (verdict === 'missed')
        p.circle(x, y, 4.5 * g.u, { stroke: c.muted, fill: c.panel, width: 1.6 * g.u });
    }
  };

/**
 * The focused row's share of each source word, written beside it. Returns the words that have a number.
 */
function paintShares(p: Painter, { sheet, host }: AlignmentPicture, g: Columns, rows: Set<number>) {
  if (rows.size !== 1) return [];
  const [row] = rows;
  const listed = sheet.cols.map((_, j) => j).filter((j) => sheet.at(row, j) >= 0.05);
  for (const j of listed) {
    const pen = { ...AT_RIGHT, size: typeSize(12.5, g.u), fill: host.colours.cross_text };
    p.text(g.width - 2, attendedY(g, j), percent(sheet.at(row, j)), pen);
  }
  return listed;
}

export const alignedMap = (view: AlignmentPicture) => [
  ...heatmap(view.sheet, view.pins.active, view.host.colours, view.cache),
  judged(view),
];

/** What each cell is: a link, in the gold, both or one of them. */
const judged =
  ({ sheet, host, meta, gold }: AlignmentPicture): Mark<HeatGeometry> =>
  (p, g) => {
    const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
    for (const [i, j, verdict] of verdicts(meta.links, gold)) {
      const fill = sheet.table[sheet.index[i * sheet.cols.length + j]] ?? host.colours.panel;
      const cell = { x: columnX(g, j), y: rowY(g, i), w: g.cw - gap, h: g.ch - gap };
      paintMark(p, cell, verdict, g.u, host.colours, fill);
    }
  };

export const axes = () => tr('written ↓   source →');

/** What the colours of the map are. */
export function alignmentLegend({ sheet, meta }: AlignmentPicture) {
  const words = meta.what === 'share' ? tr('share of the row') : weightWords();
  return { table: sheet.table, ...weightAxis('weight', meta.cols.length), words };
}

const GOLD: Record<string, string> = {
  right: 'sure',
  missed: 'sure',
  allowed: 'possible',
  unneeded: 'possible',
};

/**
 * Pair, map and sentence as one picture; a table with one line per cell: weight, link and gold.
 */
export function alignmentLeaving(view: AlignmentPicture): Leaving {
  const { pair } = view;
  const key = () => (view.gold.size ? keySize(pair.room, pair.u).height + 10 * pair.u : 0);
  return {
    name: () => view.meta.file,
    who: () => view.meta.subject,
    title: () => view.meta.title,
    subtitle: () => view.meta.subtitle,
    size: () => [pair.width, pair.height + key()],
    draw(p) {
      pair.paint(p, view.host.colours, axes());
      if (key()) paintKey(shifted(p, 0, pair.height + 10 * pair.u), pair.room, pair.u, view.host.colours);
    },
    legend: () => alignmentLegend(view),
    words: () => alignmentSentence(view),
    rows() {
      const verdictOf = new Map(
        verdicts(view.meta.links, view.gold).map(([i, j, verdict]) => [`${i},${j}`, verdict]),
      );
      const { writes, reads } = view.meta;
      const lines = tableOf({ ...view.sheet, rows: writes, reads }, false, csvNumber).map((line) => {
        const verdict = verdictOf.get(`${line[0]},${line[3]}`) ?? '';
        const linked = verdict !== '' && verdict !== 'missed' && verdict !== 'unneeded';
        return [...line, linked ? 1 : 0, GOLD[verdict] ?? ''];
      });
      return [[...TABLE_HEAD, 'link', 'gold'], ...lines];
    },
  };
}

/* The marks of a cell, by shape: a frame is a link, a disc a sure gold link, a ring a possible one, a cross a link
   that is not in the gold, a broken ring around a disc a missed sure link. */

/** @param fill what the cell is filled with */
function paintMark(
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
  const framed = verdict === 'right' || verdict === 'allowed' || verdict === 'wrong' || verdict === 'free';
  if (framed) {
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

const keyWords = () =>
  [
    ['right', tr('linked, sure')],
    ['allowed', tr('linked, possible')],
    ['wrong', tr('linked, not in the gold')],
    ['missed', tr('sure, not linked')],
    ['unneeded', tr('possible, not linked')],
  ] as const;
const BOX = 22; // pixels of the design that a mark of the key is wide

/** The position of each mark of the key in this width. */
function keyPlaces(room: number, u: number) {
  const size = typeSize(12, u);
  const line = Math.max(26 * u, size * 1.5);
  let [x, y, width] = [0, 0, 0];
  const places = keyWords().map(([verdict, words]) => {
    const wide = BOX * u + 6 * u + textWidth(words, size, false) + 16 * u;
    if (x && x + wide > room) [x, y] = [0, y + line];
    const item = { verdict, words, x, y };
    x += wide;
    width = Math.max(width, x);
    return item;
  });
  return { places, size, line, width, height: y + line };
}

/** Width and height of the key in this width. */
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
