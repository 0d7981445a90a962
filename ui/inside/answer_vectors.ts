/* Query and key, number under number, each in the colour of its value. */

import type { Box } from '../web/base/paint.ts';
import type { AnswerData, AnswerVector } from '../web/generated/types.ts';
import type { Pens } from './answer_pens.ts';
import { fixed } from '../web/base/language.ts';
import { divergingTable, readableOn } from '../web/base/colour.ts';
import { AT_CENTRE, AT_LEFT, shorten, textWidth, typeSize } from '../web/base/paint.ts';
import { visible } from '../web/base/words.ts';
import { placer } from '../web/maps/sheet.ts';
import { centred, paintLegend } from '../web/marks/legend.ts';
import { heading, sideOf } from './answer_pens.ts';

const TWO_LINES = 32; // pixels of the design that a vector's name and its row's words take
const SHORT = 18; // pixels of the design that a number takes where its digits are left out

/** A vector with the colours of its mark and its name. */
interface Named {
  vector: AnswerVector;
  colour: string;
  ink: string;
}

/** Query and key below their heading; returns where they end. */
export function paintVectors(pens: Pens, data: AnswerData) {
  const { c, u, room, wide } = pens;
  const type = typeSize(11.5, u);
  const both: Named[] = [
    { vector: data.query, colour: c.query, ink: c.query_text },
    { vector: data.key, colour: c.key, ink: c.key_text },
  ];
  const top = Math.max(...both.flatMap(({ vector }) => Array.from(vector.values, Math.abs))) || 1;
  paintHeading(pens, data, top);
  const widest = Math.max(
    ...both.flatMap(({ vector }) => vector.digits.map((each) => textWidth(each, type, true))),
  );
  const side = sideOf(pens);
  const whole = cellsOf(data.products.length, widest, room - side, type);
  const cells = pens.short ? { ...whole, h: Math.min(whole.h, SHORT * u) } : whole;
  const table = divergingTable(c);
  const position = placer('diverging', top);
  const fills = both.map(({ vector }) => Array.from(vector.values, (value) => table[position(value)]));
  let y = 35 * u;
  if (!wide) y = paintNamesAbove(pens, both, y);
  for (let first = 0; first < data.products.length; first += cells.perLine) {
    const last = Math.min(first + cells.perLine, data.products.length);
    both.forEach((named, n) => {
      const line = y + n * (cells.h + 3 * u);
      if (wide && !first) paintNameBeside(pens, named, line, cells.h, side);
      else if (!wide) pens.p.rect(0, line, 2.5 * u, cells.h, { fill: named.colour });
      for (let i = first; i < last; i++) {
        const box = { x: side + (i - first) * cells.w, y: line, w: cells.w, h: cells.h };
        const look = { fill: fills[n][i], type, turned: cells.turned, marked: pens.hovered === i };
        paintNumber(pens, named.vector.digits[i], box, look);
        pens.spots.push({ box: { ...box, h: cells.h + 3 * u }, dimension: i, line: -1 - n });
      }
    });
    y += 2 * (cells.h + 3 * u) + (cells.perLine < data.products.length ? 5 * u : 0);
  }
  return y;
}

/** How the numbers of a vector stand: upright in one line where they fit so, else in lines of as many as fit. */
function cellsOf(count: number, widest: number, room: number, type: number) {
  const flat = widest + 5;
  const upright = type + 3;
  if (count * flat <= room) return { perLine: count, w: room / count, h: type * 2.1, turned: false };
  if (count * upright <= room) return { perLine: count, w: room / count, h: widest + 9, turned: true };
  const fits = Math.max(1, Math.floor(room / flat));
  const perLine = Math.ceil(count / Math.ceil(count / fits));
  return { perLine, w: room / perLine, h: type * 2.1, turned: false };
}

/** The heading, with the scale of the colours at the right where there is room. */
function paintHeading(pens: Pens, data: AnswerData, top: number) {
  const { p, c, u, room } = pens;
  const stops = centred(`−${fixed(top, 1)}`, fixed(top, 1));
  const legend = 150 * u;
  const end = heading(pens, data.steps[0], 0, 13 * u, room);
  const scale = { table: divergingTable(c), words: '', stops };
  if (end + legend < room) paintLegend(p, room - legend + 20 * u, 2 * u, u, scale, c);
}

/** The names above the numbers, query left and key right of one line; returns where they end. */
function paintNamesAbove({ p, c, u, room }: Pens, both: Named[], y: number) {
  const [name, type] = [typeSize(14, u), typeSize(11.5, u)];
  both.forEach(({ vector, ink }, n) => {
    const x = (n * room) / 2;
    p.text(x, y + 8 * u, vector.name, { size: name, weight: 650, fill: ink, baseline: 'middle' });
    const after = x + textWidth(vector.name, name, false, 650) + 8 * u;
    p.text(after, y + 8 * u, vectorWords(vector, room / 2 - (after - x) - 8 * u, type), {
      ...AT_LEFT,
      size: type,
      mono: true,
      fill: c.muted,
    });
  });
  return y + 24 * u;
}

/** The name and its row's words at the left of the numbers. */
function paintNameBeside(pens: Pens, { vector, colour, ink }: Named, y: number, h: number, side: number) {
  const { p, u } = pens;
  const middle = y + h / 2;
  p.rect(0, y, 3 * u, h, { fill: colour, radius: 1.5 * u });
  if (pens.short || h < TWO_LINES * u) {
    const size = typeSize(14, u);
    p.text(11 * u, middle, vector.name, { size, weight: 650, baseline: 'middle', fill: ink });
    const after = 11 * u + textWidth(vector.name, size, false, 650) + 8 * u;
    if (!pens.short) rowWords(pens, vector, after, middle + 4.5 * u, side - 8 * u - after);
    return;
  }
  p.text(11 * u, middle - 4 * u, vector.name, { size: typeSize(14, u), weight: 650, fill: ink });
  rowWords(pens, vector, 11 * u, middle + 13 * u, side - 19 * u);
}

interface NumberLook {
  fill: string;
  type: number;
  turned: boolean;
  marked: boolean;
}

/** One number on the colour of its value. */
function paintNumber({ p, c, u, short }: Pens, digits: string, { x, y, w: full, h }: Box, look: NumberLook) {
  const { fill, type, turned, marked } = look;
  const w = full - Math.min(2 * u, full * 0.15);
  p.rect(x, y, w, h, { fill, radius: 3 * u });
  if (short && turned) return;
  p.text(x + w / 2, y + h / 2 + 0.5, digits, {
    ...AT_CENTRE,
    size: type,
    mono: true,
    rotate: turned ? -90 : 0,
    fill: readableOn(fill, c),
  });
  if (marked) p.rect(x - 1, y - 1, w + 2, h + 2, { stroke: c.ink, width: 2 * u, radius: 4 * u });
}

/** “le → canapé” for one line, cut to fit. */
const vectorWords = ({ small, word }: AnswerVector, room: number, size: number) =>
  shorten(small ? `${visible(small)} ${visible(word)}` : visible(word), room, size);

/** The read word small and grey, the written one bold. */
function rowWords({ p, c, u }: Pens, { small, word }: AnswerVector, x: number, y: number, room: number) {
  const [little, size] = [typeSize(12, u), typeSize(13, u)];
  const before = small ? shorten(visible(small), room / 2, little) : '';
  p.text(x, y, before, { size: little, mono: true, fill: c.muted });
  const at = x + (before ? textWidth(before, little) + 5 * u : 0);
  p.text(at, y, shorten(visible(word), room - (at - x), size), {
    size,
    mono: true,
    weight: 600,
    fill: c.ink,
  });
}
