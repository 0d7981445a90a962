/* One operation as a card: its matrix with the token's row framed, the legend, and the answer to “why is this number so?”. */

import type { Leaving } from '../web/base/export.ts';
import type { Host } from '../web/base/view.ts';
import type { WhyData } from '../web/generated/types.ts';
import type { Cell } from '../web/maps/selection.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { HeatGeometry } from '../web/marks/frames.ts';
import type { Stops } from '../web/marks/legend.ts';
import type { Mark } from '../web/marks/pair.ts';
import type { Cache } from '../web/marks/picture.ts';
import type { At, CardNumbers } from './inside_numbers.ts';
import { divergingTable, rampTable } from '../web/base/colour.ts';
import { card, el, plain, say } from '../web/base/dom.ts';
import { exportMenu } from '../web/base/export.ts';
import { plural, tr } from '../web/base/language.ts';
import { canvasPainter, fitCanvas, shifted } from '../web/base/paint.ts';
import { TOUCH } from '../web/base/words.ts';
import { columnX, heatGeometry, heatHit, rowY } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { drawLegend, paintLegend, weightAxis } from '../web/marks/legend.ts';
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

interface Ways {
  pin(at: At | null): void;
  pinned(): At | null;
  file(): string;
  kind(): 'encoder' | 'causal' | 'cross';
}

export class Section {
  parts: ReturnType<typeof card>;
  node: HTMLElement;
  labels = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
  cells = el('canvas', { class: 'picture inside-cells', tabindex: 0, role: 'application' });
  scroller: HTMLDivElement;
  legend = el('canvas', { class: 'picture' });
  shape = el('span', { class: 'inside-shape' });
  why: WhyBox;
  body: HTMLDivElement;
  hovered: At | null = null;
  geometry!: HeatGeometry;
  sheet!: Sheet;
  cache: Cache = {};

  constructor(
    readonly host: Host,
    public numbers: CardNumbers,
    readonly ways: Ways,
  ) {
    const holder = el('div');
    this.parts = card(holder);
    this.node = this.parts.node;
    this.node.classList.add('inside-card');
    this.scroller = el('div', { class: 'scroller' }, this.cells);
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
      hover: (at) => this.hover(full(at)),
      pin: (at) => this.ways.pin(full(at) ?? (at ? null : this.ways.pinned())),
      cell: () => this.at,
      size: () => [numbers.meta.rows.length, numbers.meta.cols.length],
    });
  }

  /** The number that the sentence is about: pointed at, asked about, or the first of the token's row. */
  get at(): At {
    return this.hovered ?? this.ways.pinned() ?? { row: Math.max(0, this.numbers.focus), col: 0 };
  }

  hover(at: At | null) {
    if (at?.row === this.hovered?.row && at?.col === this.hovered?.col) return;
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
    this.sheet = numbers.sheet(divergingTable(c), rampTable(c.panel, c[this.ways.kind()]));
    this.cache = {};
    say(this.parts.title, [title, { muted: `   ${formula}` }]);
    say(this.parts.subtitle, [says]);
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
    const stops: Stops = [
      [0, `${beyond ? '≤ ' : ''}−${most}`],
      [0.5, '0'],
      [1, `${beyond ? '≥ ' : ''}${most}`],
    ];
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
    const pinned = this.ways.pinned();
    const same = pinned && pinned.row === this.at.row && pinned.col === this.at.col;
    say(this.parts.readout, [...sentence, { muted: `  ${same ? closing() : hint()}` }]);
    const { title, rows, cols } = this.numbers.meta;
    this.cells.setAttribute(
      'aria-label',
      `${title}, ${plural('{count} row', '{count} rows', rows.length)}, ${plural('{count} column', '{count} columns', cols.length)}. ${plain(sentence)}`,
    );
  }

  /** Scroll a wide matrix to the number asked about. */
  reveal() {
    const at = this.ways.pinned();
    const { scroller, geometry: g } = this;
    if (!at || scroller.scrollWidth <= scroller.clientWidth) return;
    const x = columnX(g, at.col) - g.box.x;
    const [left, right] = [scroller.scrollLeft, scroller.scrollLeft + scroller.clientWidth];
    if (x < left || x + g.cw > right) scroller.scrollLeft = x - scroller.clientWidth / 2;
  }

  answer(why: WhyData | null, waiting: boolean) {
    this.why.show(why, waiting);
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
    const u = () => this.host.scale;
    const width = () => Math.max(this.geometry.width, 560 * u());
    return {
      name: () => `${this.ways.file()}-${this.numbers.meta.key}`,
      who: () => this.numbers.meta.shape,
      size: () => [width(), this.geometry.height + 74 * u()],
      draw: (p) => {
        const c = this.host.colours;
        const { title, formula } = this.numbers.meta;
        p.text(2, 18 * u(), `${title} · ${formula}`, { size: 16 * u(), weight: 650, fill: c.ink });
        paintMarks(shifted(p, 0, 30 * u()), this.geometry, matrix(this));
        paintLegend(p, 2, this.geometry.height + 46 * u(), u(), this.legendWords(), c);
      },
      rows: () => this.numbers.table(),
    };
  }
}

/** The matrix's geometry in the available width; a matrix with many columns is wider and scrolls. */
export function matrixGeometry(sheet: Sheet, room: number, u: number) {
  const geometry = heatGeometry(sheet, room, u, { tall: 520 });
  const least = Math.min(LEAST_CELL * u, WIDEST / sheet.cols.length);
  if (geometry.cw >= least) return geometry;
  const over = geometry.width - geometry.box.x - geometry.box.w;
  return heatGeometry(sheet, geometry.box.x + least * sheet.cols.length + over, u, { tall: 520 });
}

/** The matrix with the token's row, the head's columns, the cell pointed at and the one asked about in frames. */
const matrix = ({ numbers, sheet, host, hovered, ways, cache }: Section): Mark<HeatGeometry>[] => {
  const focus = numbers.focus;
  const rows = new Set(focus < 0 ? [] : [focus]);
  const map = heatmap(sheet, { rows, cols: new Set() }, host.colours, cache);
  return [...map, asked(numbers.meta.band, hovered, ways, host)];
};

const asked =
  (band: [number, number] | null, hovered: At | null, ways: Ways, host: Host): Mark<HeatGeometry> =>
  (p, g) => {
    const { colours: c, scale: u } = host;
    const kind = c[ways.kind()];
    if (band)
      p.rect(columnX(g, band[0]) - 1, g.box.y - 2, (band[1] - band[0]) * g.cw + 2, g.box.h + 4, {
        stroke: kind,
        width: 2 * u,
        radius: 4,
      });
    if (hovered && g.cw >= 9 * u)
      p.rect(columnX(g, hovered.col), g.box.y, g.cw, g.box.h, { stroke: c.line, width: 1 });
    const pinned = ways.pinned();
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

/** @returns a label alone is no number */
const full = (at: Cell | null): At | null =>
  at && at.row !== undefined && at.col !== undefined ? { row: at.row, col: at.col } : null;
