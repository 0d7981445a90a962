/* The marks of a pair on its frame: words in two columns, the attending at the left, and lines between them. */

import type { Kind } from '../generated/types.ts';
import type { Colours } from '../base/colour.ts';
import type { Painter, TextPen } from '../base/paint.ts';
import type { Focus } from '../maps/selection.ts';
import type { Sheet } from '../maps/sheet.ts';
import type { Columns } from './frames.ts';
import type { Mark } from './pair.ts';
import { inkOn } from '../base/colour.ts';
import { shorten, textWidth, typeSize } from '../base/paint.ts';
import { isSpecial, visible } from '../base/words.ts';
import { attendedY, attendingY, columnCurve } from './frames.ts';
import { chosenLabels } from './labels.ts';
import { paintLines } from './lines.ts';
import { tr } from '../base/language.ts';

/**
 * Words on both sides; active queries are filled, as a pressed button would be. `named` are
 * keys that are written though not in focus, `sides` what stands over the columns.
 */
export const columnWords =
  (
    sheet: Sheet,
    focus: Focus & { named: number[] },
    c: Colours,
    kind: Kind,
    sides: [string, string] = [tr('queries'), tr('keys')],
  ): Mark<Columns> =>
  (p, g) => {
    const [r0, r1, c0, c1] = g.area;
    const { u, size } = g;
    const write = (
      words: string,
      x: number,
      y: number,
      align: 'left' | 'right',
      pinned: boolean,
      quiet: boolean,
    ) => {
      const text = shorten(visible(words), (align === 'right' ? g.labelRoom.row : g.labelRoom.col) + 8, size);
      const pen: TextPen = { size, mono: true, align, baseline: 'middle', fill: quiet ? c.muted : c.ink };
      if (pinned) {
        const w = textWidth(text, size, true, 600) + 16 * u;
        const left = align === 'right' ? x - w + 8 * u : x - 8 * u;
        p.rect(left, y - 11 * u, w, 22 * u, { fill: c[kind], radius: 6 * u });
        Object.assign(pen, { weight: 600, fill: inkOn(c[kind], c) });
      }
      p.text(x, y + 0.5, text, pen);
    };
    paintTicks(p, g, c);
    for (const i of chosenLabels(r0, r1, g.rowEvery, focus.rows)) {
      const [x, y] = [g.left - 10 * u, attendingY(g, i)];
      if (i < sheet.written) write(sheet.rows[i], x, y, 'right', focus.rows.has(i), isSpecial(sheet.rows[i]));
      else p.text(x, y, '·', { align: 'right', baseline: 'middle', size, fill: c.muted });
    }
    if (g.top > 26 * u) {
      p.text(g.left - 10 * u, g.top - 12 * u, sides[0], {
        size: typeSize(12, u),
        align: 'right',
        fill: c.muted,
      });
      p.text(g.right + 10 * u, g.top - 12 * u, sides[1], { size: typeSize(12, u), fill: c.muted });
    }
    const named = new Set([...focus.cols, ...focus.named]);
    for (const j of chosenLabels(c0, c1, g.colEvery, named)) {
      const quiet = isSpecial(sheet.cols[j]) && !named.has(j);
      write(sheet.cols[j], g.right + 10 * u, attendedY(g, j), 'left', focus.cols.has(j), quiet);
    }
  };

/** Where there are more words than can be written, a tick for each. */
function paintTicks(p: Painter, g: Columns, c: Colours) {
  const [r0, r1, c0, c1] = g.area;
  const tick = (x: number, y: number) => p.rect(x, y - 0.5, 3 * g.u, 1, { fill: c.line });
  if (g.rowEvery > 1) for (let i = r0; i < r1; i++) tick(g.left - 5 * g.u, attendingY(g, i));
  if (g.colEvery > 1) for (let j = c0; j < c1; j++) tick(g.right + 2 * g.u, attendedY(g, j));
}

/** The lines of a map between its words; `shift` moves them aside where several maps are drawn. */
export const columnLines =
  (
    sheet: Sheet,
    focus: Focus,
    how: Omit<Parameters<typeof paintLines>[3], 'area' | 'u' | 'curve'> & { shift?: (g: Columns) => number },
  ): Mark<Columns> =>
  (p, g) => {
    const { shift = () => 0, ...rest } = how;
    paintLines(p, sheet, focus, { ...rest, area: g.area, u: g.u, curve: columnCurve(g, shift(g)) });
  };
