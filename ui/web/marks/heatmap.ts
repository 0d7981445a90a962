/* The marks of a map on its frame: cells with numbers, words that thin out, hidden shares, outlines. */

import type { Colours } from '../base/colour.ts';
import type { Painter, TextPen } from '../base/paint.ts';
import type { Focus } from '../maps/selection.ts';
import type { Sheet } from '../maps/sheet.ts';
import type { HeatGeometry } from './frames.ts';
import type { Mark } from './pair.ts';
import type { Cache } from './picture.ts';
import { readableOn } from '../base/colour.ts';
import { AT_LEFT, legible, shorten, textWidth, typeSize } from '../base/paint.ts';
import { brief, isSpecial, percent, visible } from '../base/words.ts';
import { columnX, hiddenName, lineOf, rowY } from './frames.ts';
import { chosenLabels, readPart, readSize } from './labels.ts';
import { paintPixels } from './picture.ts';

const LEAST_NUMBER = 9; // CSS pixels of type below which a number in a cell is a smudge, as on a phone

/** The number in a cell, or '' when it is too weak to need one. */
function cellNumber(sheet: Sheet, i: number, j: number, focused: boolean) {
  const value = sheet.at(i, j);
  const position = sheet.index[i * sheet.cols.length + j] & 255;
  const strong = Math.abs(position - sheet.neutral) >= (sheet.neutral ? 28 : 96);
  return strong || (focused && Math.abs(value) >= 0.01) ? brief(value, sheet.unit) : '';
}

/** Whether a cell alone is in focus: one row and one column of it. */
const isPinned = ({ rows, cols, cell }: Focus, i: number, j: number) =>
  Boolean(cell) && rows.has(i) && cols.has(j);

/** Cells with gaps between them, and numbers where they fit. */
const cells =
  (sheet: Sheet, focus: Focus, c: Colours): Mark<HeatGeometry> =>
  (p, g) => {
    const [r0, r1, c0, c1] = g.area;
    const radius = Math.min(3 * g.u, g.cw / 4, g.ch / 4);
    const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
    const [w, h] = [g.cw - gap, g.ch - gap];
    const digits = sheet.digits !== false && g.cw >= 15.5 * g.u && g.ch >= 12.5 * g.u;
    const fits = Math.min(typeSize(13, g.u), g.cw * 0.48, g.ch * 0.72);
    const readable = digits && fits >= LEAST_NUMBER;
    for (let i = r0; i < r1; i++) {
      for (let j = c0; j < c1; j++) {
        const [x, y] = [columnX(g, j), rowY(g, i)];
        const v = i < sheet.written ? sheet.index[i * sheet.cols.length + j] : -1;
        const fill = v < 0 ? c.soft : sheet.table[v];
        // A row not written yet, or with too little left beside its hidden tokens, is blank.
        if (v >= 0 || i >= sheet.written || sheet.empty?.[i]) p.rect(x, y, w, h, { fill, radius });
        // Empty on purpose: a cell that may not be attended stays a dot, so it cannot be read as a weight of 0.
        else p.circle(x + g.cw / 2, y + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
        const number = v >= 0 && readable ? cellNumber(sheet, i, j, focus.rows.has(i)) : '';
        if (!number) continue;
        const size = fits * Math.min(1, (w - 3 * g.u) / textWidth(number, fits, false));
        if (!legible(size, g.u)) continue;
        const weight = isPinned(focus, i, j) ? 700 : 400;
        const pen: TextPen = { size, weight, align: 'center', baseline: 'middle', fill: readableOn(fill, c) };
        p.text(x + w / 2, y + h / 2 + 0.5, number, pen);
      }
    }
  };

/** Writes a label of a row or column. */
const writer =
  (p: Painter, g: HeatGeometry, c: Colours) =>
  (words: string, x: number, y: number, on: boolean, o: TextPen) =>
    p.text(x, y, words, {
      size: g.size,
      mono: true,
      fill: on ? c.ink : c.muted,
      weight: on ? 600 : 400,
      ...o,
    });

const rowLabels =
  (sheet: Sheet, focus: Focus, c: Colours): Mark<HeatGeometry> =>
  (p, g) => {
    const label = writer(p, g, c);
    for (const i of chosenLabels(g.area[0], g.area[1], g.rowEvery, focus.rows)) {
      const written = i < sheet.written;
      const words = written ? shorten(visible(sheet.rows[i]), g.labelRoom.row, g.size) : '·';
      const inFocus = written && focus.rows.has(i);
      const on = inFocus || (written && !isSpecial(sheet.rows[i]));
      const bold = inFocus || (written && Boolean(sheet.reads?.length));
      const pen: TextPen = { align: 'right', baseline: 'middle', weight: bold ? 600 : 400 };
      if (inFocus && focus.colour) pen.fill = focus.colour;
      const [right, y] = [g.box.x - 8 * g.u, rowY(g, i) + g.ch / 2];
      label(words, right, y, on, pen);
      if (!written || !sheet.reads?.length || !(g.reads === 'all' || (g.reads === 'pinned' && inFocus)))
        continue;
      const width = textWidth(words, g.size, true, pen.weight);
      const size = readSize(g.size, g.u);
      const read = shorten(readPart(sheet.reads[i]), g.labelRoom.row - width, size);
      p.text(right - width, y, read, { size, mono: true, align: 'right', baseline: 'middle', fill: c.muted });
    }
  };

const columnLabels =
  (sheet: Sheet, focus: Focus, c: Colours): Mark<HeatGeometry> =>
  (p, g) => {
    const label = writer(p, g, c);
    for (const j of chosenLabels(g.area[2], g.area[3], g.colEvery, focus.cols)) {
      const size = g.sizeOver;
      const words = shorten(visible(sheet.cols[j]), g.labelRoom.col, size);
      const pen: TextPen = g.lines.length ? { align: 'center', size } : { rotate: -g.lean, size };
      if (focus.cols.has(j) && focus.colour) pen.fill = focus.colour;
      // Letters stand on their base line: of upright words it is right of the middle.
      const aside = g.lines.length ? -g.u : g.lean === 90 ? size / 3 : 2 * g.u;
      const x = columnX(g, j) + g.cw / 2 + aside;
      label(words, x, g.box.y - 5 * g.u - lineOf(g, j), focus.cols.has(j), pen);
    }
  };

/** What each row gave to tokens that were taken out, beside the map. */
const hiddenShares =
  (sheet: Sheet, focus: Focus, c: Colours): Mark<HeatGeometry> =>
  (p, g) => {
    const [r0, r1] = g.area;
    for (const i of chosenLabels(r0, Math.min(r1, sheet.written), g.rowEvery, focus.rows)) {
      const words = percent(sheet.hidden?.[i] ?? 0);
      const fill = focus.rows.has(i) ? c.ink : c.muted;
      const weight = sheet.empty?.[i] ? 600 : 400;
      p.text(g.aside, rowY(g, i) + g.ch / 2, words, { ...AT_LEFT, size: typeSize(11.5, g.u), fill, weight });
    }
    p.text(g.aside + 6 * g.u, g.box.y - 5 * g.u, hiddenName(), {
      size: typeSize(11.5, g.u),
      fill: c.muted,
      rotate: -g.lean,
    });
  };

const outlines =
  (sheet: Sheet, { rows, cols, current, cell }: Focus, c: Colours): Mark<HeatGeometry> =>
  (p, g) => {
    const [r0, r1, c0, c1] = g.area;
    const frame = (x: number, y: number, w: number, h: number, stroke: string = c.ink, width = 1.6) =>
      p.rect(x - 1.5, y - 1.5, w + 2, h + 2, {
        stroke,
        width: width * Math.min(1.5, g.u),
        radius: 4 * g.u,
      });
    const shows = (i: number) => i >= r0 && i < r1;
    if (current && shows(current.row)) {
      const y = rowY(g, current.row);
      if (current.share < 1) p.rect(g.box.x, y, g.box.w, g.ch, { fill: c.soft, alpha: 1 - current.share });
      frame(g.box.x, y, g.box.w, g.ch, current.colour);
    }
    for (const i of rows) {
      if (shows(i) && i !== current?.row) frame(g.box.x, rowY(g, i), g.box.w, g.ch);
    }
    const tall = Math.min(g.box.h, (sheet.written - r0) * g.ch);
    // Of a single cell the row is framed, and its column named in colour: a second frame would hide its neighbours.
    if (cell && rows.size) return;
    for (const j of cols) {
      if (j >= c0 && j < c1 && tall > 0) frame(columnX(g, j), g.box.y, g.cw, tall, c.ink, 1);
    }
  };

/** The whole map without gaps, where its cells are too small for them. */
const pixels =
  (sheet: Sheet, c: Colours, cache: Cache | null): Mark<HeatGeometry> =>
  (p, g) =>
    paintPixels(p, sheet, g.box, c, g.area, cache);

/** Cells, or pixels where cells would be too small. */
const weights =
  (sheet: Sheet, focus: Focus, c: Colours, cache: Cache | null): Mark<HeatGeometry> =>
  (p, g) =>
    (g.cw >= 9 * g.u && g.ch >= 9 * g.u ? cells(sheet, focus, c) : pixels(sheet, c, cache))(p, g);

/** The marks of a heatmap; `cache` keeps its picture between two drawings. */
export const heatmap = (
  sheet: Sheet,
  focus: Focus,
  c: Colours,
  cache: Cache | null = null,
): Mark<HeatGeometry>[] => [
  weights(sheet, focus, c, cache),
  rowLabels(sheet, focus, c),
  columnLabels(sheet, focus, c),
  ...(sheet.hidden ? [hiddenShares(sheet, focus, c)] : []),
  outlines(sheet, focus, c),
];
