/* The pictures of a comparison: a pane a map, with its name and its legend; and how they leave the page. */

import type { Numbers } from '../web/base/data.ts';
import type { Leaving } from '../web/marks/leaving.ts';
import type { Piece } from '../web/base/dom.ts';
import type { CardView, Host } from '../web/base/view.ts';
import type { CompareAnswers } from '../web/generated/types.ts';
import type { At, Cell, Focus } from '../web/maps/selection.ts';
import type { HeatGeometry } from '../web/marks/frames.ts';
import type { Cache } from '../web/marks/picture.ts';
import type { Compared, PaneCell } from './compare_words.ts';
import { el, explained } from '../web/base/dom.ts';
import { csvNumber } from '../web/base/export.ts';
import { shifted } from '../web/base/paint.ts';
import { tr } from '../web/base/language.ts';
import { inSight } from '../web/base/view.ts';
import { brief } from '../web/base/words.ts';
import { cellAt } from '../web/maps/selection.ts';
import { movedRow, weightMoves } from '../web/maps/moving.ts';
import { TABLE_HEAD, tableOf } from '../web/maps/sheet.ts';
import { heatGeometry, heatHit } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { centred, paintLegend, weightAxis, weightWords } from '../web/marks/legend.ts';
import { Plot } from '../web/marks/pair.ts';

const HALL = 400; // pixels of the design around the maps in a hall: header, strip, pickers, title, words, legend
const LINE = 15; // pixels of the design that a word needs
const TALL = 600; // and that the rows of a long sentence take at most
const GAP = 22; // pixels of the design between two maps

export interface Pane {
  plot: Plot<HeatGeometry>;
  legend: HTMLCanvasElement;
  title: HTMLElement;
  node: HTMLElement;
  cache: Cache;
}

/** The card that the panes stand on. */
interface CompareCard extends Compared {
  host: Host;
  parts: CardView['parts'];
  grid: HTMLElement;
  panes: Pane[];
  /** The numbers of the two maps. */
  values: Numbers[];
  /** Where the colours of the difference end. */
  top: number;
  moves: MovedWeight;
  /** What stands out in a pane. */
  focus(pane: number): Focus;
  sentence(): Piece[];
  hover(cell: PaneCell | null): void;
  pin(cell: PaneCell | null): void;
  /** Makes the sheets from the values. */
  build(): void;
  relayout(): void;
}

export function makePane(compare: CompareCard, n: number): Pane {
  const canvas = el('canvas', { class: 'picture', tabindex: 0, role: 'application' });
  const title = explained(compare.host, el('span'));
  const legend = el('canvas', { class: 'picture compare-legend' });
  const name = el('h4', { class: 'compare-title' }, title);
  const plot = new Plot<HeatGeometry>(canvas, () =>
    heatmap(compare.sheets[n], compare.focus(n), compare.host.colours, pane.cache),
  );
  const node = el('div', { class: 'compare-pane' }, name, canvas, legend);
  const pane: Pane = { plot, title, legend, node, cache: {} };
  const inPane = (at: Cell | null) => at && { ...at, pane: n };
  plot.listen(heatHit, {
    ...(n === 1 && compare.meta.moves.length ? compare.moves.on(canvas) : {}),
    hover: (at) => compare.hover(inPane(at)),
    pin: (at) => compare.pin(inPane(at)),
    cell: () => compare.own.hovered ?? compare.own.pinned ?? { row: 0, col: 0 },
    size: () => [compare.sheets[n].rows.length, compare.sheets[n].cols.length],
  });
  return pane;
}

const LOW = 800; // pixels of a projector on which maps under each other are not seen together

/**
 * Three panes in a row where there is room for every word, two with the difference below, or one under the other, the
 * difference first: the title speaks of it. A low projector has them in a row with fewer words.
 */
export function arrangePanes({ host, parts, sheets, panes, grid, meta }: CompareCard) {
  const u = host.scale;
  const room = parts.body.clientWidth;
  const most = room >= (u > 1 ? 720 : 900) * u ? sheets.length : room >= 560 * u ? 2 : 1;
  const rows = Math.max(...sheets.map((sheet) => sheet.rows.length));
  const tall = Math.max(meta.tall, Math.min(TALL, LINE * rows));
  const limits = { tall: inSight(host, tall, HALL, rows), cap: 34, deep: 30 };
  const frame = (n: number, beside: number) => {
    const alone = beside === 2 && n === 2; // the difference under the two
    return heatGeometry(sheets[n], alone ? room : (room - (beside - 1) * GAP * u) / beside, u, limits);
  };
  const whole = (beside: number) => sheets.every((_, n) => frame(n, beside).colEvery === 1);
  const low = u > 1 && window.innerHeight < LOW;
  const beside = low ? most : ([most, 2, 1].find((count) => count <= most && whole(count)) ?? most);
  grid.style.gridTemplateColumns = `repeat(${beside}, minmax(0, 1fr))`;
  panes.forEach((pane, n) => {
    pane.node.style.gridColumn = beside === 2 && n === 2 ? '1 / -1' : '';
    pane.node.style.order = beside === 1 && n === 2 ? '-1' : '';
    pane.plot.frame = frame(n, beside);
  });
}

/** What the colours of a pane are. */
export function paneLegend(compare: CompareCard, n: number) {
  const { table, cols } = compare.sheets[n];
  const { log } = compare.own;
  if (n < 2) return { table, ...weightAxis(log ? 'log' : 'weight', cols.length), words: weightWords(log) };
  const stops = centred(brief(-compare.top, 'points'), brief(compare.top, 'points'));
  return { table, stops, words: tr('percentage points') };
}

/** The maps as they leave the page: in a row, with their names, legends and the sentence. */
export function compareLeaving(compare: CompareCard): Leaving {
  return {
    name: () => compare.meta.file,
    who: () => [...new Set(compare.meta.subjects)].join(' and '),
    title: () => compare.meta.title,
    size() {
      const u = compare.host.scale;
      const frames = compare.panes.map(({ plot }) => plot.frame);
      const width = frames.reduce((sum, frame) => sum + frame.width + GAP * u, 0);
      return [width, Math.max(...frames.map(({ height }) => height)) + 60 * u];
    },
    draw(p) {
      const { scale: u, colours: c } = compare.host;
      const bottom = Math.max(...compare.panes.map(({ plot }) => plot.frame.height)) + 30 * u;
      let x = 0;
      compare.panes.forEach(({ plot }, n) => {
        p.text(x + 2, 14 * u, compare.names[n], { size: 13.5 * u, weight: 600, fill: c.ink });
        plot.paint(shifted(p, x, 22 * u));
        paintLegend(p, x + 2, bottom, u, paneLegend(compare, n), c);
        x += plot.frame.width + GAP * u;
      });
    },
    words: () => compare.sentence(),
    rows: () => (compare.meta.heads ? headsTable(compare) : mapsTable(compare)),
  };
}

/** A line for each cell of each map, as `pair_csv` in ui/export/menu.py has it. */
const mapsTable = ({ meta, sheets, names }: Compared) => [
  ['map', ...TABLE_HEAD],
  ...sheets.flatMap((sheet, n) =>
    tableOf(sheet, meta.kind === 'encoder', csvNumber).map((line) => [names[n], ...line]),
  ),
];

/** The same where the rows are heads: each is named, with the query of its step; a difference of two steps has no query. */
const headsTable = ({ meta, sheets, names }: Compared) => [
  ['map', 'head', ...TABLE_HEAD],
  ...sheets.flatMap((sheet, n) => {
    const query = n < 2 ? [meta.positions[n], meta.reads[n][0], meta.heads?.[n] ?? ''] : ['', '', ''];
    return tableOf(sheet, false, csvNumber).map(([i, , , ...cell]) => [
      ...[names[n], sheet.rows[Number(i)]],
      ...[...query, ...cell],
    ]);
  }),
];

/* A weight of the second map that is moved by hand: drawn at once, and the model's answer takes its place. */

const ANSWER = 20_000; // milliseconds that a moved weight waits for the model before the map is as it was

export class MovedWeight {
  /** The second map without the move. */
  values: Numbers | null = null;
  timer = 0;
  sent = false;
  hand: ReturnType<typeof weightMoves> | null = null;

  constructor(readonly compare: CompareCard) {}

  /** A row as the model computed it; NaN where no weight can be put. */
  rowOf(row: number) {
    const { meta, values } = this.compare;
    const [all, width] = [this.values ?? values[1], meta.cols[1].length];
    const line = Array(width).fill(NaN) as number[];
    for (const j of meta.moves) line[j] = all[row * width + j];
    return line;
  }

  movable({ row, col }: Cell) {
    return row !== undefined && col !== undefined && !this.sent && movedRow(this.rowOf(row), col, 0) !== null;
  }

  /** The second map with this weight; null: as it was. */
  show(at: At | null, weight: number) {
    const { compare } = this;
    this.values ??= compare.values[1];
    const moved = at && movedRow(this.rowOf(at.row), at.col, weight);
    const values = Float32Array.from(this.values);
    if (at && moved) {
      const from = at.row * compare.meta.cols[1].length;
      moved.forEach((value, j) => {
        if (!Number.isNaN(value)) values[from + j] = value;
      });
    }
    compare.values[1] = moved ? values : this.values;
    if (!moved) this.values = null;
    compare.own.hovered = at && { ...at, pane: 1 };
    compare.build();
    compare.relayout();
  }

  send(at: At, weight: number) {
    this.show(at, weight);
    this.sent = true;
    this.compare.parts.node.classList.add('moved');
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const asked = this.values;
      this.answered();
      this.values = asked;
      if (asked) this.show(null, 0);
    }, ANSWER);
    const moved = { row: at.row, column: at.col, thousandths: Math.round(1000 * weight) };
    this.compare.host.trigger('moved', moved satisfies CompareAnswers['moved']);
  }

  /**
   * The server has sent the maps again.
   * @returns whether a move was under way
   */
  answered(): boolean {
    const { sent } = this;
    clearTimeout(this.timer);
    this.sent = false;
    this.values = null;
    this.compare.parts.node.classList.remove('moved');
    return sent;
  }

  /** How the second map answers a hand and the keyboard. */
  on(canvas: HTMLCanvasElement) {
    const { compare } = this;
    const hand = weightMoves(canvas, {
      cell: (x, y) => cellAt(heatHit(compare.panes[1].plot.frame, x, y)),
      focus: () => compare.own.hovered ?? compare.own.pinned ?? {},
      weight: ({ row, col }) => this.rowOf(row)[col],
      movable: (at) => this.movable(at),
      show: (at, weight) => this.show(at, weight),
      done: (at, weight) => this.send(at, weight),
    });
    canvas.addEventListener('keydown', (event) => {
      if (hand.key(event)) event.preventDefault();
    });
    canvas.style.touchAction = 'pan-y'; // a finger pulls sideways
    this.hand = hand;
    return hand;
  }

  stop() {
    clearTimeout(this.timer);
    this.hand?.stop();
  }
}
