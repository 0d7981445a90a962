/* How an aligned pair is drawn: a line for each link, the map with its marks; and how both leave the page. */

import type { Leaving } from '../base/export.ts';
import type { Painter, Pen } from '../base/paint.ts';
import type { Columns } from '../marks/columns.ts';
import type { HeatGeometry } from '../marks/heatmap.ts';
import type { Verdict } from './alignment_words.ts';
import type { Alignment } from './alignment.ts';
import { plain } from '../base/dom.ts';
import { csvNumber } from '../base/export.ts';
import { shifted } from '../base/paint.ts';
import { paintWords, typeSize } from '../base/text.ts';
import { percent } from '../base/words.ts';
import { attendedY, attendingY, columnCurve, paintColumnWords } from '../marks/columns.ts';
import { columnX, paintHeat, rowY } from '../marks/heatmap.ts';
import { paintLines } from '../marks/lines.ts';
import { TABLE_HEAD, tableOf } from '../maps/sheet.ts';
import { keySize, paintCross, paintKey, paintMark } from './alignment_marks.ts';
import { alignmentSentence, verdicts } from './alignment_words.ts';

/**
 * How the line of a link looks: errors are broken, and drawn in another colour as well.
 * @returns null where there is no line
 */
function linkPen(verdict: Verdict, { host: { colours: c } }: Alignment, u: number): Pen | null {
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

/** The words of both sides with a line for each link; what is looked at shows its weights too. */
export function paintAlignedPair(p: Painter, view: Alignment, g: Columns) {
  const { sheet, host, meta, gold } = view;
  const { rows, cols, cell } = view.selection.active;
  const focus = { rows, cols: cell ? new Set([] as number[]) : cols };
  const any = focus.rows.size + focus.cols.size > 0;
  const curve = columnCurve(g);
  if (any) {
    paintLines(p, sheet, focus, {
      ...{ area: g.area, threshold: 0.03, behind: { row: 0, floor: Infinity, reach: 0 }, u: g.u },
      curve,
      hue: () => host.colours.bar,
    });
  }
  for (const [i, j, verdict] of verdicts(meta.links, gold)) {
    const pen = linkPen(verdict, view, g.u);
    if (!pen) continue;
    const told = !any || focus.rows.has(i) || focus.cols.has(j);
    const alpha = (pen.alpha ?? 1) * (told ? 1 : 0.22);
    p.curve(...curve(i, j), { ...pen, alpha });
    const [x, y] = [(g.left + g.right) / 2, (attendingY(g, i) + attendedY(g, j)) / 2];
    if (!told) continue;
    if (verdict === 'wrong') paintCross(p, x, y, 5 * g.u, 2.2 * g.u, host.colours.positive);
    if (verdict === 'missed')
      p.circle(x, y, 4.5 * g.u, { stroke: host.colours.muted, fill: host.colours.panel, width: 1.6 * g.u });
  }
  const named = [...(cell ? cols : []), ...paintShares(p, view, g, focus.rows)];
  paintColumnWords(p, sheet, g, { ...focus, named }, host.colours, 'cross', ['written', 'source']);
}

/**
 * What the row that is looked at gives to each source word, beside it. Returns the words that have a number.
 */
function paintShares(p: Painter, { sheet, host }: Alignment, g: Columns, rows: Set<number>) {
  if (rows.size !== 1) return [];
  const [row] = rows;
  const told = sheet.cols.map((_, j) => j).filter((j) => sheet.at(row, j) >= 0.05);
  for (const j of told) {
    const pen = { size: typeSize(12.5, g.u), fill: host.colours.cross_text };
    const where = { align: 'right', baseline: 'middle' } as const;
    p.text(g.width - 2, attendedY(g, j), percent(sheet.at(row, j)), { ...pen, ...where });
  }
  return told;
}

export function paintAlignedMap(p: Painter, view: Alignment, g: HeatGeometry) {
  const { sheet, host, meta, gold, cache } = view;
  paintHeat(p, sheet, g, view.selection.active, host.colours, cache);
  const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
  for (const [i, j, verdict] of verdicts(meta.links, gold)) {
    const fill = sheet.table[sheet.index[i * sheet.cols.length + j]] ?? host.colours.panel;
    const cell = { x: columnX(g, j), y: rowY(g, i), w: g.cw - gap, h: g.ch - gap };
    paintMark(p, cell, verdict, g.u, host.colours, fill);
  }
}

const GOLD: Record<string, string> = {
  right: 'sure',
  missed: 'sure',
  allowed: 'possible',
  unneeded: 'possible',
};

/**
 * Pair, map and sentence as one picture; a line a cell of the map, with whether it is a link and what the gold says.
 */
export function alignmentLeaving(view: Alignment): Leaving {
  const body = () => {
    const { lines, heat, wide, u } = view.geometry;
    const map = heat.height + 18 * u;
    return wide ? Math.max(lines.height, map) : lines.height + 14 * u + map;
  };
  const key = () => (view.gold.size ? keySize(view.geometry.room, view.geometry.u).height : 0);
  return {
    name: () => view.meta.file,
    who: () => view.meta.subject,
    size: () => [
      Math.max(view.geometry.room, view.geometry.heat.width),
      body() + key() + 112 * view.geometry.u,
    ],
    draw(p) {
      const { lines, heat, wide, room, u, left } = view.geometry;
      const c = view.host.colours;
      p.text(2, 18 * u, plain(view.meta.title), { size: 16 * u, weight: 650, fill: c.ink });
      p.text(2, 37 * u, view.meta.subtitle, { size: typeSize(12.5, u), fill: c.muted });
      paintAlignedPair(shifted(p, 0, 52 * u), view, lines);
      const [x, y] = wide ? [left + 24 * u, 52 * u] : [0, 66 * u + lines.height];
      paintAlignedMap(shifted(p, x, y + 18 * u), view, heat);
      const bottom = 62 * u + body();
      if (key()) paintKey(shifted(p, 0, bottom), room, u, c);
      paintWords(p, plain(alignmentSentence(view)), room, bottom + key() + 14 * u, u, c.ink);
    },
    rows() {
      const said = new Map(
        verdicts(view.meta.links, view.gold).map(([i, j, verdict]) => [`${i},${j}`, verdict]),
      );
      const lines = tableOf(view.sheet, csvNumber).map((line) => {
        const verdict = said.get(`${line[0]},${line[2]}`) ?? '';
        const linked = verdict !== '' && verdict !== 'missed' && verdict !== 'unneeded';
        return [...line, linked ? 1 : 0, GOLD[verdict] ?? ''];
      });
      return [[...TABLE_HEAD, 'link', 'gold'], ...lines];
    },
  };
}
