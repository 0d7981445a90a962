/* One operation as a card: its matrix with the token's row framed, the legend, and the answer to “why this number?”. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Host } from '../web/base/view.ts';
import type { InsideData } from '../web/generated/types.ts';
import type { At } from '../web/maps/selection.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { HeatGeometry } from '../web/marks/frames.ts';
import type { Mark } from '../web/marks/pair.ts';
import type { Cache } from '../web/marks/picture.ts';
import type { CardNumbers } from './inside_numbers.ts';
import { divergingTable, rampTable } from '../web/base/colour.ts';
import { card, el, plain } from '../web/base/dom.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { plural, tr } from '../web/base/language.ts';
import { canvasPainter, fitCanvas, shifted } from '../web/base/paint.ts';
import { TOUCH } from '../web/base/words.ts';
import { cellAt, sameCell } from '../web/maps/selection.ts';
import { columnX, heatGeometry, heatHit, rowY } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { centred, drawLegend, weightAxis } from '../web/marks/legend.ts';
import { paintMarks } from '../web/marks/pair.ts';
import { listenToMap } from '../web/marks/pointer.ts';
import { numeral } from './inside_numbers.ts';
import { WhyBox } from './inside_why.ts';

const LEAST_CELL = 3; // pixels of the design that a number is wide; a matrix that needs more room scrolls
const WIDEST = 8000; // pixels that every browser can draw in one canvas, at twice the resolution
const BESIDE = 0.62; // a matrix that takes less of the room has its answer beside it
const LEAST_ROOM = 760; // pixels of the design
const hint = () => (TOUCH ? tr('Tap a number to see its terms') : tr('Click a number to see its terms'));
const closing = () => (TOUCH ? tr('Tap it again to close the answer') : tr('Esc closes the answer'));

/** What a card asks of the page it stands on: the head, and the number that is asked about. */
interface InsidePage {
  host: Host;
  meta: InsideData;
  pinnedIn(key: string): At | null;
  pin(key: string, at: At | null): void;
}

export class Section {
  host: Host;
  parts: ReturnType<typeof card>;
  node: HTMLElement;
  labels = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
  cells = el('canvas', { class: 'picture inside-cells', tabindex: 0, role: 'application' });
  scroller = el('div', { class: 'scroller' }, this.cells);
  legend = el('canvas', { class: 'picture' });
  shape = el('span', { class: 'inside-shape' });
  why: WhyBox;
  body: HTMLDivElement;
  hovered: At | null = null;
  geometry!: HeatGeometry;
  sheet!: Sheet;
  cache: Cache = {};

  constructor(
    readonly view: InsidePage,
    public numbers: CardNumbers,
  ) {
    const { host } = view;
    this.host = host;
    this.parts = card(el('div'), 'inside-card');
    this.node = this.parts.node;
    this.why = new WhyBox(host, (row, column) =>
      this.nameOf({ row: row - this.numbers.meta.first, col: column }),
    );
    const matrix = el('div', { class: 'inside-matrix' }, this.labels, this.scroller);
    const foot = el('div', { class: 'foot' }, this.legend, this.shape);
    this.body = el(
      'div',
      { class: 'inside-body' },
      el('div', { class: 'inside-drawn' }, matrix, foot),
      this.why.node,
    );
    this.parts.body.append(this.body, this.parts.readout);
    this.parts.controls.append(exportMenu(host, this.leaving()));
    listenToMap(this.cells, {
      hit: (x, y) => heatHit(this.geometry, x + this.geometry.box.x, y),
      hover: (at) => this.hover(cellAt(at)),
      pin: (at) => this.view.pin(this.numbers.meta.key, cellAt(at) ?? (at ? null : this.pinned)),
      cell: () => this.at,
      size: () => [numbers.meta.rows.length, numbers.meta.cols.length],
    });
  }

  get pinned() {
    return this.view.pinnedIn(this.numbers.meta.key);
  }

  /** The number that the sentence is about: pointed at, asked about, or the first of the token's row. */
  get at(): At {
    return this.hovered ?? this.pinned ?? { row: Math.max(0, this.numbers.focus), col: 0 };
  }

  hover(at: At | null) {
    if (sameCell(at, this.hovered)) return;
    this.hovered = at;
    this.draw();
  }

  nameOf(at: At) {
    return plain(this.numbers.cell(at)).replace(/\s*: [^:]*$/, '');
  }

  /** New numbers or colours. */
  update(numbers: CardNumbers) {
    this.numbers = numbers;
    this.hovered = null;
    this.layout();
  }

  /** Redraws everything for the current width. */
  layout() {
    const { host, numbers } = this;
    const c = host.colours;
    const { title, formula, says, shape, row_axis, col_axis, of, rows, look } = numbers.meta;
    this.sheet = numbers.sheet(divergingTable(c), rampTable(c.panel, c[this.view.meta.kind]));
    this.cache = {};
    this.parts.tell({ title: [title, { muted: `   ${formula}` }], subtitle: says });
    const part = tr('{count} of {total} rows, around the token', { count: rows.length, total: of });
    const drawn = of > rows.length ? [shape, part] : [shape];
    this.shape.textContent = [`${row_axis} ↓`, `${col_axis} →`, ...drawn].join(' · ');
    const room = this.parts.body.clientWidth;
    this.geometry = matrixGeometry(this.sheet, room, host.scale);
    const beside = this.geometry.width < BESIDE * room && room > LEAST_ROOM * host.scale;
    this.body.classList.toggle('beside', beside);
    this.body.style.setProperty('--matrix', `${Math.max(this.geometry.width, 320 * host.scale)}px`);
    drawLegend(this.legend, host.scale, this.legendWords(), c);
    this.legend.setAttribute(
      'aria-label',
      look === 'share'
        ? tr('shares from 0 to 1')
        : tr('numbers up to ±{most}', { most: numeral(numbers.top) }),
    );
    this.draw();
    this.reveal();
    this.why.draw();
  }

  legendWords() {
    const { numbers, sheet } = this;
    if (numbers.meta.look === 'share')
      return { table: sheet.table, ...weightAxis('weight', 1), words: tr('share of the row') };
    const [most, beyond] = [numeral(numbers.top), numbers.clipped];
    const stops = centred(`${beyond ? '≤ ' : ''}−${most}`, `${beyond ? '≥ ' : ''}${most}`);
    return { table: sheet.table, stops, words: tr('value') };
  }

  draw() {
    const { geometry: g } = this;
    if (!g) return;
    const left = g.box.x;
    const [labels, cells] = [
      fitCanvas(this.labels, left, g.height),
      fitCanvas(this.cells, g.width - left, g.height),
    ];
    paintMarks(canvasPainter(labels), g, matrix(this));
    paintMarks(shifted(canvasPainter(cells), -left, 0), g, matrix(this));
    const sentence = this.numbers.cell(this.at);
    const same = sameCell(this.pinned, this.at);
    this.parts.tell({ readout: [...sentence, { muted: `  ${same ? closing() : hint()}` }] });
    const { title, rows, cols } = this.numbers.meta;
    this.cells.setAttribute(
      'aria-label',
      `${title}, ${plural('{count} row', '{count} rows', rows.length)}, ${plural('{count} column', '{count} columns', cols.length)}. ${plain(sentence)}`,
    );
  }

  /** Scroll a wide matrix to the number asked about. */
  reveal() {
    const at = this.pinned;
    const { scroller, geometry: g } = this;
    if (!at || scroller.scrollWidth <= scroller.clientWidth) return;
    const x = columnX(g, at.col) - g.box.x;
    const [left, right] = [scroller.scrollLeft, scroller.scrollLeft + scroller.clientWidth];
    if (x < left || x + g.cw > right) scroller.scrollLeft = x - scroller.clientWidth / 2;
  }

  /** Where the token's row stands on the page, and its picture; null where there is none. */
  rowOnPage() {
    const row = this.numbers.focus;
    if (row < 0 || !this.geometry || !this.cells.isConnected) return null;
    const box = this.cells.getBoundingClientRect();
    const seen = this.scroller.getBoundingClientRect();
    const y = rowY(this.geometry, row);
    const { ch, box: inner } = this.geometry;
    return {
      left: seen.left,
      top: box.top + y,
      width: Math.min(inner.w, seen.width),
      height: ch,
      from: { canvas: this.cells, y, x: this.scroller.scrollLeft },
    };
  }

  leaving(): Leaving {
    return {
      name: () => `${this.view.meta.file}-${this.numbers.meta.key}`,
      who: () => this.numbers.meta.shape,
      title: () => `${this.numbers.meta.title} · ${this.numbers.meta.formula}`,
      size: () => [this.geometry.width, this.geometry.height],
      draw: (p) => paintMarks(p, this.geometry, matrix(this)),
      legend: () => this.legendWords(),
      rows: () => this.numbers.table(),
    };
  }
}

/** The matrix's geometry in the available width; a matrix with many columns is wider and scrolls. */
function matrixGeometry(sheet: Sheet, room: number, u: number) {
  const geometry = heatGeometry(sheet, room, u, { tall: 520 });
  const least = Math.min(LEAST_CELL * u, WIDEST / sheet.cols.length);
  if (geometry.cw >= least) return geometry;
  const over = geometry.width - geometry.box.x - geometry.box.w;
  return heatGeometry(sheet, geometry.box.x + least * sheet.cols.length + over, u, { tall: 520 });
}

/** The matrix with the token's row, the head's columns, the cell pointed at and the one asked about in frames. */
const matrix = (section: Section): Mark<HeatGeometry>[] => {
  const { numbers, sheet, host, cache } = section;
  const { focus } = numbers;
  const rows = new Set(focus < 0 ? [] : [focus]);
  const map = heatmap(sheet, { rows, cols: new Set() }, host.colours, cache);
  return [...map, asked(section)];
};

const asked =
  ({ numbers, hovered, pinned, view, host }: Section): Mark<HeatGeometry> =>
  (p, g) => {
    const { colours: c, scale: u } = host;
    const kind = c[view.meta.kind];
    const { band } = numbers.meta;
    if (band)
      p.rect(columnX(g, band[0]) - 1, g.box.y - 2, (band[1] - band[0]) * g.cw + 2, g.box.h + 4, {
        stroke: kind,
        width: 2 * u,
        radius: 4,
      });
    if (hovered && g.cw >= 9 * u)
      p.rect(columnX(g, hovered.col), g.box.y, g.cw, g.box.h, { stroke: c.line, width: 1 });
    for (const [at, width] of [
      [hovered, 1.4],
      [pinned, 2.6],
    ] as [At | null, number][]) {
      if (!at) continue;
      const grow = Math.max(0, (7 * u - g.cw) / 2); // a narrow cell has a frame that can be seen
      p.rect(columnX(g, at.col) - grow - 1, rowY(g, at.row) - 1, g.cw + 2 * grow + 1, g.ch + 1, {
        stroke: at === pinned ? kind : c.ink,
        width: width * u,
        radius: 3 * u,
      });
    }
  };
