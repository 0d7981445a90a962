/* “Why does canapé look 96 % at sofa?” as a picture: query and key, their products, and the words from score to weight. */

import type { Colours } from '../web/base/colour.ts';
import type { Painter } from '../web/base/paint.ts';
import type { AnswerData } from '../web/generated/types.ts';
import type { Spot } from './answer_pens.ts';
import { csvNumber } from '../web/base/export.ts';
import { fixed, localised, tr } from '../web/base/language.ts';
import { percent } from '../web/base/words.ts';
import { paintProducts } from './answer_products.ts';
import { paintTable } from './answer_table.ts';
import { paintVectors } from './answer_vectors.ts';

const WIDE = 720; // pixels of the design from which bars stand beside the numbers

/** Paints the answer in `room` pixels and returns its height and what can be pointed at. Without a painter it measures. */
export function paintAnswer(
  painter: Painter | null,
  data: AnswerData,
  room: number,
  u: number,
  c: Colours,
  hovered: number | null = null,
  short = 0,
) {
  const spots: Spot[] = [];
  const own = { ink: c[`${data.kind}_text`], kind: c[data.kind] };
  const pens = { p: painter ?? SILENT, c, u, ...own, room, wide: room >= WIDE * u, short, hovered, spots };
  const products = paintVectors(pens, data);
  const table = paintProducts(pens, data, products);
  return { height: paintTable(pens, data, table), spots };
}

const nothing = () => {};
const SILENT: Painter = {
  rect: nothing,
  circle: nothing,
  curve: nothing,
  path: nothing,
  image: nothing,
  text: nothing,
};

/** The answer with its written numbers in the reader's marks; what is exported keeps the point. */
export function inMarks(data: AnswerData): AnswerData {
  const vector = (one: AnswerData['query']) => ({ ...one, digits: one.digits.map(localised) });
  return {
    ...data,
    query: vector(data.query),
    key: vector(data.key),
    labelled: data.labelled.map(([n, digits]) => [n, localised(digits)]),
    total: localised(data.total),
    lines: data.lines.map((line) => ({ ...line, cells: line.cells.map(localised) })),
  };
}

/** Every number of the answer as lines of a table. */
export function answerTable(data: AnswerData) {
  const lines: (string | number)[][] = [['part', 'index', 'name', 'column', 'written', 'value']];
  for (const vector of [data.query, data.key])
    vector.values.forEach((value, i) =>
      lines.push([vector.name, i, vector.word, '', vector.digits[i], csvNumber(value)]),
    );
  data.products.forEach((value, i) => lines.push(['product', i, '', '', '', csvNumber(value)]));
  lines.push(['sum', '', '', '', data.total, '']);
  for (const { key, label, cells, sizes } of data.lines)
    data.columns.forEach(({ name }, n) =>
      lines.push(['key', key ?? '', label, name, cells[n], csvNumber(sizes[n])]),
    );
  return lines;
}

/** What a number under the pointer is. */
export function tipOf(data: AnswerData, { dimension, line, column }: Spot) {
  if (dimension !== undefined)
    return tr('Dimension {number}: {query} × {key} = {product}', {
      number: dimension,
      query: data.query.digits[dimension],
      key: data.key.digits[dimension],
      product: fixed(data.products[dimension], 2).replace('-', '−'),
    });
  const at = line === undefined ? undefined : data.lines[line];
  if (!at || at.key === null) return '';
  if (line !== data.chosen)
    return tr('Ask about “{word}”: {share}', {
      word: at.label,
      share: percent(at.sizes[at.sizes.length - 1]),
    });
  return column === undefined ? '' : tr('See how {number} is computed', { number: at.cells[column] });
}
