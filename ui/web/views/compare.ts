/* Two maps side by side and what changed between them; hovering one points at the same cell in all. */

import type { Column, Numbers } from '../base/arrays.ts';
import type { Leaving } from '../base/export.ts';
import type { Painter } from '../base/paint.ts';
import type { Host, Mounting } from '../base/view.ts';
import type { HeatGeometry } from '../marks/heatmap.ts';
import type { Stops } from '../marks/legend.ts';
import type { Cache } from '../marks/picture.ts';
import type { Cell } from '../maps/selection.ts';
import type { Sheet } from '../maps/sheet.ts';
import type { CompareMeta } from './compare_words.ts';
import { unpack } from '../base/arrays.ts';
import { divergingTable, rampTable } from '../base/colour.ts';
import { checkbox } from '../base/controls.ts';
import { card, el, explain, explained, plain, say } from '../base/dom.ts';
import { linked, oncePerFrame, pageKeys } from '../base/events.ts';
import { csvNumber, exportMenu } from '../base/export.ts';
import { canvasPainter, fitCanvas, shifted } from '../base/paint.ts';
import { paintWords } from '../base/text.ts';
import { inSight, mount, setKind } from '../base/view.ts';
import { brief } from '../base/words.ts';
import { heatGeometry, heatHit, paintHeat } from '../marks/heatmap.ts';
import { drawLegend, paintLegend, weightStops, weightWords } from '../marks/legend.ts';
import { listenToMap } from '../marks/pointer.ts';
import { sameCell } from '../maps/selection.ts';
import { TABLE_HEAD, makeSheet, tableOf } from '../maps/sheet.ts';
import { MovedWeight } from './compare_moves.ts';
import { compareSentence } from './compare_words.ts';
import './compare.css';

const HALL = 370; // pixels of the design around the maps in a hall: header, strip, pickers, title, words, legend
const GAP = 22; // pixels of the design between two maps
const LEAST_TOP = 0.05; // below five points, noise would fill the colours

export type PaneCell = Cell & { pane: number };

interface Pane {
  canvas: HTMLCanvasElement;
  legend: HTMLCanvasElement;
  title: HTMLElement;
  node: HTMLElement;
  g: HeatGeometry;
  cache: Cache;
}

const samePaneCell = (a: PaneCell | null, b: PaneCell | null) => sameCell(a, b) && a?.pane === b?.pane;

const emptyRows = (sheet: Sheet) =>
  sheet.rows.map((_, i) => sheet.cols.every((__, j) => Number.isNaN(sheet.at(i, j))));

interface CompareData {
  meta: CompareMeta;
  first: Column;
  second: Column;
}

export class Compare {
  parts: ReturnType<typeof card>;
  grid: HTMLDivElement;
  axes: HTMLParagraphElement;
  log: ReturnType<typeof checkbox>;
  meta!: CompareMeta;
  values: Numbers[] = [];
  /** the two maps and, over the same words, their difference */
  sheets: Sheet[] = [];
  panes: Pane[] = [];
  top = 1;
  own;
  words = '';
  frame: ReturnType<typeof oncePerFrame>;
  looks: ReturnType<typeof linked>;
  moves: MovedWeight;

  constructor(
    readonly root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.node.classList.add('compare');
    explained(host, this.parts.title);
    this.grid = el('div', { class: 'compare-grid' });
    this.axes = el('p', { class: 'axis-words' });
    this.log = checkbox('log colour', (on) => this.setLog(on));
    const foot = el(
      'div',
      { class: 'foot' },
      this.axes,
      el('span', { class: 'compare-foot' }, this.log.node),
    );
    this.parts.body.append(this.grid);
    this.parts.node.append(foot, this.parts.readout);
    this.parts.controls.append(exportMenu(host, compareLeaving(this)));
    this.own = {
      hovered: null as PaneCell | null,
      pinned: null as PaneCell | null,
      log: false,
    };
    this.frame = oncePerFrame(() => this.draw());
    this.looks = linked(host, 'viewed');
    this.moves = new MovedWeight(this);
    pageKeys(host, { Escape: () => (this.own.pinned ? this.pin(null) : false) });
  }

  /** Names over the pictures. */
  get names() {
    const [first, second] = this.meta.names;
    return [first, second, `${second} − ${first}`];
  }

  /* ---------- numbers and layout ---------- */

  build() {
    const { meta, values, own } = this;
    this.panes.forEach((pane) => (pane.cache = {}));
    const c = this.host.colours;
    const table = rampTable(c.panel, c[meta.kind]);
    this.sheets = values.map((numbers, n) => {
      const words = { rows: meta.rows[n], cols: meta.cols[n] };
      const at = (i: number, j: number) => numbers[i * words.cols.length + j];
      const sheet = makeSheet(words, at, table, { scale: own.log ? 'log' : 'weight' });
      return { ...sheet, hidden: meta.hidden[n], empty: emptyRows(sheet) };
    });
    if (!meta.comparable) return;
    const [one, two] = this.sheets;
    const change: Sheet['at'] = (i, j) => two.at(i, j) - one.at(i, j);
    this.top = LEAST_TOP;
    values[0].forEach((v, n) => {
      const far = Math.abs(values[1][n] - v);
      if (far > this.top) this.top = far;
    });
    const look = { scale: 'diverging' as const, top: this.top };
    const difference = makeSheet(one, change, divergingTable(c), { ...look, unit: 'points' });
    this.sheets.push({ ...difference, empty: emptyRows(difference) });
    // Rows of all three stand at one height.
    for (const sheet of this.sheets) sheet.aside = meta.hidden[0] !== null;
  }

  arrange() {
    const u = this.host.scale;
    const room = this.parts.body.clientWidth;
    const beside = room >= (u > 1 ? 720 : 900) * u ? this.sheets.length : room >= 560 * u ? 2 : 1;
    this.grid.style.gridTemplateColumns = `repeat(${beside}, minmax(0, 1fr))`;
    this.panes.forEach((pane, n) => {
      const alone = beside === 2 && n === 2; // the difference under the two
      pane.node.style.gridColumn = alone ? '1 / -1' : '';
      const width = alone ? room : (room - (beside - 1) * GAP * u) / beside;
      pane.g = heatGeometry(this.sheets[n], width, u, {
        tall: inSight(this.host, this.meta.tall, HALL),
        cap: 34,
      });
    });
  }

  /* ---------- drawing ---------- */

  focus(n: number) {
    const cell = this.own.hovered ?? this.own.pinned;
    const shows = cell && (this.meta.comparable || cell.pane === n);
    const { row, col } = shows ? cell : ({} as Cell);
    return { rows: new Set(row === undefined ? [] : [row]), cols: new Set(col === undefined ? [] : [col]) };
  }

  paint(p: Painter, n: number) {
    const { g, cache } = this.panes[n];
    paintHeat(p, this.sheets[n], g, this.focus(n), this.host.colours, cache);
  }

  legend(n: number) {
    const { table, cols } = this.sheets[n];
    const { log } = this.own;
    if (n < 2)
      return { table, stops: weightStops(log ? 'log' : 'weight', cols.length), words: weightWords(log) };
    const ends = [-this.top, this.top].map((v) => brief(v, 'points'));
    const stops: Stops = [
      [0, ends[0]],
      [127.5, '0'],
      [255, ends[1]],
    ];
    return { table, stops, words: 'percentage points' };
  }

  sentence() {
    return compareSentence(this);
  }

  draw() {
    this.panes.forEach(({ canvas, g }, n) =>
      this.paint(canvasPainter(fitCanvas(canvas, g.width, g.height)), n),
    );
    say(this.parts.readout, this.sentence());
  }

  refresh() {
    this.arrange();
    const { scale, colours } = this.host;
    this.panes.forEach(({ legend }, n) => drawLegend(legend, scale, this.legend(n), colours));
    this.draw();
  }

  /* ---------- hover, pin, colours ---------- */

  hover(cell: PaneCell | null) {
    if (samePaneCell(cell, this.own.hovered)) return;
    this.own.hovered = cell;
    this.frame.soon();
  }

  pin(cell: PaneCell | null) {
    this.own.pinned = samePaneCell(cell, this.own.pinned) ? null : cell;
    this.own.hovered = null;
    this.frame.soon();
    this.report();
  }

  setLog(on: boolean) {
    this.own.log = on;
    this.build();
    this.refresh();
    this.report();
  }

  report() {
    const { pinned, log } = this.own;
    const cell = pinned && [pinned.pane, pinned.row ?? null, pinned.col ?? null];
    if (this.meta.report) this.looks.report([cell, log]);
  }

  makePane(n: number): Pane {
    const canvas = el('canvas', { class: 'picture', tabindex: 0, role: 'application' });
    const title = explained(this.host, el('span'));
    const legend = el('canvas', { class: 'picture compare-legend' });
    const inPane = (at: Cell | null) => at && { ...at, pane: n };
    const moves = n === 1 && this.meta.moves.length ? this.moves.on(canvas) : {};
    listenToMap(canvas, {
      ...moves,
      hit: (x, y) => heatHit(this.panes[n].g, x, y),
      hover: (at) => this.hover(inPane(at)),
      pin: (at) => this.pin(inPane(at)),
      cell: () => this.own.hovered ?? this.own.pinned ?? { row: 0, col: 0 },
      size: () => [this.sheets[n].rows.length, this.sheets[n].cols.length],
    });
    const node = el(
      'div',
      { class: 'compare-pane' },
      el('h4', { class: 'compare-title' }, title),
      canvas,
      legend,
    );
    return { canvas, title, legend, node, g: {} as HeatGeometry, cache: {} };
  }

  /* ---------- data ---------- */

  /** A pin belongs to the two maps; it comes from the link or is the reader's own. */
  takeLooks() {
    const { meta, own } = this;
    const words = JSON.stringify([meta.kind, meta.names, meta.rows, meta.cols]);
    const news = this.looks.isNews(meta.view);
    own.hovered = null;
    if (words !== this.words || news) {
      const [pane, row, col] = meta.view[0] ?? [];
      const cell = { ...(row === null ? {} : { row }), ...(col === null ? {} : { col }) };
      own.pinned = pane === undefined ? null : { pane, ...cell };
    }
    if (news) this.log.box.checked = own.log = meta.view[1];
    this.words = words;
  }

  update(data: CompareData) {
    const { meta } = data;
    const again = this.moves.answered();
    const renewed = Boolean(this.meta?.moves.length) !== Boolean(meta.moves.length);
    this.meta = meta;
    const { hovered } = this.own;
    this.values = [unpack(data.first), unpack(data.second)];
    setKind(this.root, this.host, meta.kind);
    this.takeLooks();
    say(this.parts.title, [meta.title]);
    say(this.parts.subtitle, [meta.subtitle]);
    explain(this.parts.title, meta.comparable ? '' : meta.tips[3]); // then it tells how sure each is
    this.axes.textContent = `${meta.heads ? 'head' : 'attending (query)'} ↓   attended (key) →`;
    this.build();
    if (again && hovered) this.own.hovered = hovered; // the reader's hand is still there
    if (renewed || this.panes.length !== this.sheets.length) {
      this.panes = this.sheets.map((_, n) => this.makePane(n));
      this.grid.replaceChildren(...this.panes.map(({ node }) => node));
    }
    this.panes.forEach((pane, n) => {
      const { rows, cols } = this.sheets[n];
      pane.title.textContent = this.names[n];
      explain(pane.title, meta.tips[n]);
      const size = `${rows.length} attending and ${cols.length} attended tokens`;
      const moves = n === 1 && meta.moves.length ? ' Plus and minus move the weight of a cell.' : '';
      const words = `${this.names[n]}: ${size}. Arrow keys move, Enter pins, Escape clears.${moves}`;
      pane.canvas.setAttribute('aria-label', words);
    });
    this.refresh();
  }

  relayout() {
    this.refresh();
  }

  destroy() {
    this.frame.stop();
    this.moves.stop();
  }
}

/** The maps as they leave the page: in a row, with their names, legends and the sentence. */
function compareLeaving(compare: Compare): Leaving {
  const size = () => {
    const u = compare.host.scale;
    const width = compare.panes.reduce((sum, { g }) => sum + g.width + GAP * u, 0);
    const height = Math.max(...compare.panes.map(({ g }) => g.height));
    return { u, width: Math.max(width, 600 * u), height };
  };
  return {
    name: () => compare.meta.file,
    who: () => [...new Set(compare.meta.subjects)].join(' and '),
    size: () => {
      const { u, width, height } = size();
      return [width, height + 130 * u];
    },
    draw(p) {
      const { u, width, height } = size();
      const c = compare.host.colours;
      p.text(2, 18 * u, compare.meta.title, { size: 16 * u, weight: 650, fill: c.ink });
      let x = 0;
      compare.panes.forEach(({ g }, n) => {
        p.text(x + 2, 44 * u, compare.names[n], { size: 13.5 * u, weight: 600, fill: c.ink });
        compare.paint(shifted(p, x, 52 * u), n);
        paintLegend(p, x + 2, 60 * u + height, u, compare.legend(n), c);
        x += g.width + GAP * u;
      });
      paintWords(p, plain(compare.sentence()), width, height + 100 * u, u, c.ink);
    },
    rows: () => [
      ['map', ...TABLE_HEAD],
      ...compare.sheets.flatMap((sheet, n) =>
        tableOf(sheet, csvNumber).map((line) => [compare.names[n], ...line]),
      ),
    ],
  };
}

export default function view(args: Mounting<CompareData>) {
  return mount(args, (root, host) => new Compare(root, host));
}
