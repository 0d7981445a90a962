/* How the picture of a lesson's step is drawn, as SVG: words, lines and cells, side by side or from left to right. */

import type { Host } from '../web/base/view.ts';
import type { SceneData } from '../web/generated/types.ts';
import { rampTable, readableOn } from '../web/base/colour.ts';
import { tr } from '../web/base/language.ts';
import { svgElement, textWidth } from '../web/base/paint.ts';
import { isSpecial, percent, visible } from '../web/base/words.ts';
import { placer } from '../web/maps/sheet.ts';

const NUMBER = 0.045; // weights from here on are written into their cell
const [FAINT, STRONG] = [0.05, 0.02]; // weights from which other rows, and the last one, have a line

type Looks = Record<string, string | number>;

export interface Size {
  width: number;
  height: number;
}

/** Where the map and the lines below it are: columns of the map begin at `left`. */
export interface Across extends Size {
  left: number;
  column: number;
}

export const width = (words: string, size: number) => textWidth(visible(words), size, true);

/** What a row is about: the word that it writes, or reads. */
const rowWord = (row: SceneData['rows'][number]) => row.written || row.read;

/** Draws the parts of one picture with type of one size. */
export class ScenePen {
  constructor(
    readonly picture: SVGSVGElement,
    readonly host: Host,
    readonly data: SceneData,
    readonly size: number,
  ) {}

  get colours() {
    return this.host.colours;
  }

  add(name: string, looks: Looks) {
    this.picture.append(svgElement(name, looks));
  }

  word(x: number, y: number, words: string, looks: Looks = {}) {
    const fill = isSpecial(words) ? this.colours.muted : this.colours.ink;
    const own = { x, y, class: 'scene-word', 'font-size': this.size, 'dominant-baseline': 'central', fill };
    const node = svgElement('text', { ...own, ...looks });
    node.textContent = visible(words);
    this.picture.append(node);
  }

  /** The name of a row of words. */
  name(x: number, y: number, words: string) {
    this.word(x, y, words, { 'text-anchor': 'end', fill: this.colours.muted, class: 'scene-number' });
  }

  /** A word on a ground of the kind's colour, which is narrower than usual where `room` is. */
  pill(x: number, y: number, words: string, anchor: 'middle' | 'start' | 'end', room = Infinity) {
    const wide = width(words, this.size);
    const [w, h] = [Math.max(wide + 6, Math.min(wide + 20, room)), this.size * 1.75];
    const left = { middle: x - w / 2, start: x - 8, end: x - w + 8 }[anchor];
    const fill = this.colours[`${this.data.kind}_text`];
    this.add('rect', { x: left, y: y - h / 2, width: w, height: h, rx: 8, fill });
    const looks = { 'text-anchor': 'middle', fill: readableOn(fill, this.colours), 'font-weight': 600 };
    this.word(left + w / 2, y, words, looks);
  }

  weight = (row: number, key: number) => this.data.weights[row * this.data.keys.length + key];
  isKnown = (row: number) => (row + 1) * this.data.keys.length <= this.data.weights.length;
  isLast = (row: number) => row === this.data.rows.length - 1;

  /** A line of a weight; of the covered row a dotted one to every word, as wide as any other. */
  line(path: string, row: number, key: number) {
    const { data, colours } = this;
    const last = this.isLast(row);
    const looks = { d: path, fill: 'none', 'stroke-linecap': 'round', stroke: colours[data.kind] };
    if (!this.isKnown(row))
      return this.add('path', { ...looks, 'stroke-width': 1.6, 'stroke-dasharray': '0.1 6' });
    const weight = this.weight(row, key);
    if (last && key === data.chosen) {
      const wrong = { stroke: colours.positive, 'stroke-width': 2.5, 'stroke-dasharray': '7 6' };
      return this.add('path', { ...looks, ...wrong });
    }
    if (weight < (last ? STRONG : FAINT)) return;
    this.add('path', {
      ...looks,
      'stroke-width': Math.max(1.2, 9 * weight),
      'stroke-opacity': last ? 0.95 : 0.24,
    });
  }
}

/** The two words of a row, the read one quieter. */
function rowLabel(pen: ScenePen, i: number, y: number, { left }: Across) {
  const row = pen.data.rows[i];
  const fill = pen.isLast(i) ? pen.colours[`${pen.data.kind}_text`] : pen.colours.ink;
  const looks = { 'text-anchor': 'end', 'font-weight': pen.isLast(i) ? 700 : 600, fill };
  pen.word(left - 16, y, rowWord(row), looks);
  if (!row.written) return;
  const read = { 'text-anchor': 'end', fill: pen.colours.muted };
  pen.word(left - 26 - width(row.written, pen.size), y, `${visible(row.read)} →`, read);
}

/** The cells of a known row, with the numbers that are large enough or were chosen. */
function rowCells(pen: ScenePen, i: number, pitch: number, { left, column }: Across) {
  const { data, colours } = pen;
  const table = rampTable(colours.panel, colours[data.kind]);
  const position = placer('weight', 1);
  data.keys.forEach((_, k) => {
    const weight = pen.weight(i, k);
    const fill = table[position(weight)];
    const cell = {
      x: left + k * column + 1.5,
      y: i * pitch + 1.5,
      width: column - 3,
      height: pitch - 3,
      rx: 4,
    };
    pen.add('rect', { ...cell, fill, stroke: colours.line, 'stroke-width': 1 });
    if (weight < NUMBER && !(pen.isLast(i) && k === data.chosen)) return;
    // The panel's colour on the kind's is readable only when it is large and bold.
    const looks = { 'text-anchor': 'middle', class: 'scene-number', 'font-size': Math.max(pen.size, 19) };
    const ink = weight >= 0.9 ? colours.panel : colours.ink;
    const number = percent(weight).replace(/ %$/, '');
    pen.word(left + (k + 0.5) * column, (i + 0.5) * pitch, number, {
      ...looks,
      fill: ink,
      'font-weight': 700,
    });
  });
}

/** All rows of the map; returns the middle of the covered one, null where there is none. */
export function drawRows(pen: ScenePen, pitch: number, g: Across) {
  const { colours, data } = pen;
  let covered: number | null = null;
  data.rows.forEach((_, i) => {
    const y = (i + 0.5) * pitch;
    rowLabel(pen, i, y, g);
    const box = { x: g.left + 1, y: i * pitch + 1.5, width: g.width - g.left - 2, height: pitch - 3, rx: 6 };
    if (!pen.isKnown(i)) {
      pen.add('rect', { ...box, class: 'scene-cover', stroke: colours[data.kind] });
      covered = y;
      return;
    }
    rowCells(pen, i, pitch, g);
    if (pen.isLast(i)) pen.add('rect', { ...box, fill: 'none', stroke: colours.ink, 'stroke-width': 2 });
  });
  return covered as number | null;
}

/** The row of source words that map and lines share. */
export function drawSource(pen: ScenePen, y: number, { left, column }: Across) {
  const { data, size } = pen;
  pen.name(left - 16, y, tr('source'));
  data.keys.forEach((key, k) => {
    const x = left + (k + 0.5) * column;
    const beside = Math.max(width(data.keys[k - 1] ?? '', size), width(data.keys[k + 1] ?? '', size));
    if (k === data.best) pen.pill(x, y, key, 'middle', 2 * column - beside - 10);
    else pen.word(x, y, key, { 'text-anchor': 'middle' });
    if (k !== data.chosen) return;
    const w = Math.min(column, width(key, size) + 14);
    const ring = { x: x - w / 2, y: y - size * 0.85, width: w, height: size * 1.7, rx: 7 };
    pen.add('rect', { ...ring, class: 'scene-wrong', stroke: pen.colours.positive });
  });
}

/** Lines from the source words down to the written ones. */
export function drawLines(pen: ScenePen, source: number, g: Across) {
  const { data, size } = pen;
  const count = data.rows.length;
  const [top, bottom] = [source + size * 1.1, g.height - size * 1.6];
  const each = data.rows.map((row) => width(rowWord(row), size) + 18);
  const step = Math.max((g.width - g.left) / data.keys.length, ...each);
  const first = g.left + Math.min(step, g.column) / 2;
  const y = g.height - size * 0.9;
  data.rows.forEach((row, i) => {
    const x = Math.min(first + i * step, g.width - 40 - (count - 1 - i) * step);
    data.keys.forEach((_, k) => {
      const [from, middle] = [g.left + (k + 0.5) * g.column, (top + bottom) / 2];
      pen.line(`M${from},${top} C${from},${middle} ${x},${middle} ${x},${bottom}`, i, k);
    });
    if (pen.isLast(i)) pen.pill(x, y, rowWord(row), 'middle');
    else pen.word(x, y, rowWord(row), { 'text-anchor': 'middle' });
  });
  pen.name(g.left - 16, y, data.kind === 'encoder' ? tr('reads') : tr('written'));
}

/** Source words in a column at the left, written ones at the right, lines between them. */
export function drawAlong(pen: ScenePen, size: Size, pitch: number) {
  const { data } = pen;
  const widest = (words: readonly string[], more: number) =>
    Math.min(size.width * 0.42, Math.max(...words.map((each) => width(each, pen.size))) + more);
  const sources = widest(data.keys, 8);
  const [from, to] = [sources + 14, size.width - widest(data.rows.map(rowWord), 28) - 14];
  const y = (n: number) => (n + 0.5) * pitch;
  data.rows.forEach((row, i) => {
    const middle = (from + to) / 2;
    data.keys.forEach((_, k) =>
      pen.line(`M${from},${y(k)} C${middle},${y(k)} ${middle},${y(i)} ${to},${y(i)}`, i, k),
    );
    if (pen.isLast(i)) pen.pill(to + 14, y(i), rowWord(row), 'start');
    else pen.word(to + 14, y(i), rowWord(row));
  });
  data.keys.forEach((key, k) => {
    const fill: Looks = k === data.chosen ? { fill: pen.colours.positive } : {};
    if (k === data.best) pen.pill(sources, y(k), key, 'end');
    else pen.word(sources, y(k), key, { 'text-anchor': 'end', ...fill });
  });
}
