/* The picture of a lesson's step: rows of a head as a map, and below it the same weights as lines between source and
   written words; map and lines share the row of source words. The last row stays covered until the reader has chosen:
   its weights are not there yet. Where the words do not fit side by side the lines run from left to right, without map. */

import type { Host, Mounting, View } from '../web/base/view.ts';
import type { SceneData } from '../web/generated/types.ts';
import { TOKENS } from '../web/generated/tokens.ts';
import { rampTable, readableOn } from '../web/base/colour.ts';
import { card, el } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { textWidth } from '../web/base/paint.ts';
import { isSpecial, percent, visible } from '../web/base/words.ts';
import { mount, setKind } from '../web/base/view.ts';
import './scene.css';

const TYPE = 18; // CSS pixels of the words, at least
const NUMBER = 0.045; // weights from here on are written into their cell
const [FAINT, STRONG] = [0.05, 0.02]; // weights from which other rows, and the last one, have a line
const SVG = 'http://www.w3.org/2000/svg';

type Box = { width: number; height: number };

function svg(name: string, attributes: Record<string, string | number>, words = '') {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.textContent = words;
  return node;
}

class Scene implements View<SceneData> {
  data!: SceneData;
  parts: ReturnType<typeof card>;
  chip = el('span', { class: 'scene-chip' });
  known = el('dl', { class: 'scene-known' });
  picture = svg('svg', { class: 'scene-picture', role: 'img' }) as SVGSVGElement;

  constructor(
    readonly root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.node.classList.add('scene');
    this.parts.node.dataset.slideMost = '1.6';
    this.parts.body.append(this.known, this.picture, this.chip);
    this.parts.node.append(this.parts.readout);
  }

  update(next: SceneData) {
    this.data = next;
    setKind(this.root, this.host, next.kind);
    this.parts.title.textContent = next.title;
    this.parts.subtitle.textContent = next.subtitle;
    this.parts.readout.textContent = next.readout;
    this.parts.readout.hidden = !next.readout;
    this.chip.textContent = tr('Covered until you choose');
    this.known.replaceChildren(
      ...next.known.flatMap(([name, words]) => [el('dt', {}, name), el('dd', { dir: 'auto' }, words)]),
    );
    this.relayout();
  }

  relayout() {
    const { data, parts, host, picture } = this;
    if (!data) return;
    const { body } = parts;
    const size = Math.max(TYPE, 15 * host.scale);
    picture.replaceChildren();
    const room = Number(host.root.dataset.slideRoom ?? 0) * host.scale || 520;
    const whole = data.rows.length === 0;
    body.classList.toggle('scene-whole', whole && data.covered);
    const box = { width: body.clientWidth, height: Math.max(120, Math.min(room, 620)) };
    if (whole) {
      Object.assign(this.picture.style, { height: '0px' });
      this.chip.hidden = !data.covered;
      return;
    }
    picture.style.height = `${box.height}px`;
    picture.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
    picture.setAttribute('aria-label', `${data.title}. ${data.readout}`);
    for (const type of [size, TYPE]) {
      const label = Math.max(...data.rows.map((row) => this.width(`${row.read} → ${row.written}`, type)));
      const column = (box.width - label - 16) / data.keys.length;
      const widths = data.keys.map((key) => this.width(key, type));
      const apart = widths.every((each, n) => !n || (widths[n - 1] + each) / 2 + 8 <= column);
      if (apart && column >= 40) return this.across(box, type, label + 16, column);
    }
    this.along(box, size);
  }

  width = (words: string, size: number) => textWidth(visible(words), size, true);

  word(x: number, y: number, words: string, size: number, looks: Record<string, string | number> = {}) {
    const fill = isSpecial(words) ? this.host.colours.muted : this.host.colours.ink;
    const own = { x, y, class: 'scene-word', 'font-size': size, 'dominant-baseline': 'central', fill };
    this.picture.append(svg('text', { ...own, ...looks }, visible(words)));
  }

  pill(x: number, y: number, words: string, size: number, anchor: 'middle' | 'start' | 'end') {
    const [w, h] = [this.width(words, size) + 20, size * 1.75];
    const left = { middle: x - w / 2, start: x - 8, end: x - w + 8 }[anchor];
    const { colours } = this.host;
    const fill = colours[`${this.data.kind}_text`];
    this.picture.append(svg('rect', { x: left, y: y - h / 2, width: w, height: h, rx: 8, fill }));
    this.word(left + w / 2, y, words, size, {
      'text-anchor': 'middle',
      fill: readableOn(fill, colours),
      'font-weight': 600,
    });
  }

  weight = (row: number, key: number) => this.data.weights[row * this.data.keys.length + key];
  isKnown = (row: number) => (row + 1) * this.data.keys.length <= this.data.weights.length;

  /** A line of a weight; of the covered row a dotted one to every word, as wide as any other. */
  line(path: string, row: number, key: number) {
    const { data, host } = this;
    const last = row === data.rows.length - 1;
    const stroke = host.colours[data.kind];
    const looks = { d: path, fill: 'none', 'stroke-linecap': 'round' };
    if (!this.isKnown(row)) {
      const dots = { stroke, 'stroke-width': 1.6, 'stroke-dasharray': '0.1 6' };
      this.picture.append(svg('path', { ...looks, ...dots }));
      return;
    }
    const weight = this.weight(row, key);
    const wrong = last && key === data.chosen;
    if (wrong) {
      const dashed = { stroke: host.colours.positive, 'stroke-width': 2.5, 'stroke-dasharray': '7 6' };
      this.picture.append(svg('path', { ...looks, ...dashed }));
    } else if (weight >= (last ? STRONG : FAINT)) {
      const seen = {
        stroke,
        'stroke-width': Math.max(1.2, 9 * weight),
        'stroke-opacity': last ? 0.95 : 0.24,
      };
      this.picture.append(svg('path', { ...looks, ...seen }));
    }
  }

  /** Map above, the row of source words, lines to the written words below. */
  across({ width, height }: Box, size: number, left: number, column: number) {
    const { data, host } = this;
    const c = host.colours;
    const table = rampTable(c.panel, c[data.kind]);
    const count = data.rows.length;
    const lines = Math.max(90, height - count * 44 - size * 4.4);
    const pitch = Math.min(44, (height - lines - size * 4.4) / count);
    const centre = (key: number) => left + (key + 0.5) * column;
    data.rows.forEach((row, i) => {
      const y = (i + 0.5) * pitch;
      const last = i === count - 1;
      const written = this.width(row.written, size);
      const looks = { 'text-anchor': 'end', 'font-weight': last ? 700 : 600 };
      const fill = last ? c[`${data.kind}_text`] : c.ink;
      if (row.written) {
        this.word(left - 16, y, row.written, size, { ...looks, fill });
        this.word(left - 26 - written, y, `${visible(row.read)} →`, size, {
          'text-anchor': 'end',
          fill: c.muted,
        });
      } else this.word(left - 16, y, row.read, size, { ...looks, fill });
      const box = { x: left + 1, y: i * pitch + 1.5, width: width - left - 2, height: pitch - 3, rx: 6 };
      if (!this.isKnown(i)) {
        this.picture.append(svg('rect', { ...box, class: 'scene-cover', stroke: c[data.kind] }));
        this.chip.style.left = `${left + (width - left) / 2}px`;
        this.chip.style.top = `${y}px`;
        return;
      }
      data.keys.forEach((_, k) => {
        const weight = this.weight(i, k);
        const colour = table[Math.round(weight ** TOKENS.gamma * (table.length - 1))];
        const cell = {
          x: left + k * column + 1.5,
          y: i * pitch + 1.5,
          width: column - 3,
          height: pitch - 3,
          rx: 4,
        };
        this.picture.append(svg('rect', { ...cell, fill: colour, stroke: c.line, 'stroke-width': 1 }));
        if (weight < NUMBER && !(last && k === data.chosen)) return;
        const number = percent(weight).replace(/ %$/, '');
        // The panel's colour on the kind's is readable only when it is large and bold.
        const bold = { 'text-anchor': 'middle', fill: weight >= 0.9 ? c.panel : c.ink };
        this.word(centre(k), y, number, Math.max(size, 19), {
          ...bold,
          class: 'scene-number',
          'font-weight': 700,
        });
      });
      if (last) this.picture.append(svg('rect', { ...box, fill: 'none', stroke: c.ink, 'stroke-width': 2 }));
    });
    this.chip.hidden = !data.covered;
    const source = count * pitch + size * 1.2;
    this.word(left - 16, source, tr('source'), size, {
      'text-anchor': 'end',
      fill: c.muted,
      class: 'scene-number',
    });
    data.keys.forEach((key, k) => {
      if (k === data.best) this.pill(centre(k), source, key, size, 'middle');
      else this.word(centre(k), source, key, size, { 'text-anchor': 'middle' });
      if (k === data.chosen) {
        const w = Math.min(column, this.width(key, size) + 14);
        const ring = { x: centre(k) - w / 2, y: source - size * 0.85, width: w, height: size * 1.7, rx: 7 };
        this.picture.append(svg('rect', { ...ring, class: 'scene-wrong', stroke: c.positive }));
      }
    });
    const [top, bottom] = [source + size * 1.1, height - size * 1.6];
    const step = Math.max(
      (width - left) / data.keys.length,
      ...data.rows.map((row) => this.width(this.of(row), size) + 18),
    );
    const first = left + Math.min(step, column) / 2;
    const at = (i: number) => Math.min(first + i * step, width - 40 - (count - 1 - i) * step);
    data.rows.forEach((row, i) => {
      const x = at(i);
      data.keys.forEach((_, k) => {
        const [from, middle] = [centre(k), (top + bottom) / 2];
        this.line(`M${from},${top} C${from},${middle} ${x},${middle} ${x},${bottom}`, i, k);
      });
      const y = height - size * 0.9;
      if (i === count - 1) this.pill(x, y, this.of(row), size, 'middle');
      else this.word(x, y, this.of(row), size, { 'text-anchor': 'middle' });
    });
    const name = data.kind === 'encoder' ? tr('reads') : tr('written');
    this.word(left - 16, height - size * 0.9, name, size, {
      'text-anchor': 'end',
      fill: c.muted,
      class: 'scene-number',
    });
  }

  of = (row: SceneData['rows'][number]) => row.written || row.read;

  /** Source words in a column at the left, written ones at the right. */
  along({ width, height }: Box, size: number) {
    const { data, host } = this;
    const c = host.colours;
    const most = Math.max(data.keys.length, data.rows.length);
    const tall = Math.max(height, most * size * 1.35);
    this.picture.style.height = `${tall}px`;
    this.picture.setAttribute('viewBox', `0 0 ${width} ${tall}`);
    const pitch = tall / most;
    const sources = Math.min(width * 0.42, Math.max(...data.keys.map((key) => this.width(key, size))) + 8);
    const targets = Math.min(
      width * 0.42,
      Math.max(...data.rows.map((row) => this.width(this.of(row), size))) + 28,
    );
    const [from, to] = [sources + 14, width - targets - 14];
    const y = (n: number) => (n + 0.5) * pitch;
    data.rows.forEach((row, i) => {
      data.keys.forEach((_, k) => {
        const middle = (from + to) / 2;
        this.line(`M${from},${y(k)} C${middle},${y(k)} ${middle},${y(i)} ${to},${y(i)}`, i, k);
      });
      if (i === data.rows.length - 1) this.pill(to + 14, y(i), this.of(row), size, 'start');
      else this.word(to + 14, y(i), this.of(row), size);
    });
    data.keys.forEach((key, k) => {
      const looks = { 'text-anchor': 'end' };
      if (k === data.best) this.pill(sources, y(k), key, size, 'end');
      else this.word(sources, y(k), key, size, k === data.chosen ? { ...looks, fill: c.positive } : looks);
    });
    this.chip.hidden = true;
  }
}

export default function view(args: Mounting) {
  return mount(args, (root, host) => new Scene(root, host));
}
