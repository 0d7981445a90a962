/* The attention map of the decode so far: one row per written word, empty rows for what is to come. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Point } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { Cell, Focus, Selection } from '../web/maps/selection.ts';
import type { HeatGeometry } from '../web/marks/frames.ts';
import type { Frame } from './stage_position.ts';
import { el, phrase } from '../web/base/dom.ts';
import { animate } from '../web/base/events.ts';
import { tr } from '../web/base/language.ts';
import { inSight } from '../web/base/view.ts';
import { percent } from '../web/base/words.ts';
import { keyNames, rowWords, verbOf } from '../web/maps/sentence.ts';
import { heatGeometry, heatHit } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { drawLegend, weightAxis, weightWords } from '../web/marks/legend.ts';
import { Plot } from '../web/marks/pair.ts';
import { pointIn } from '../web/marks/pointer.ts';
import './stage.css';

const HALL = 300; // pixels of the design around the map in a hall: strip, sentence, title, words
const LEVEL = 30; // of them for words above the map that lie level

export class StageMap {
  plot: Plot<HeatGeometry>;
  scroller: HTMLDivElement;
  legendCanvas = el('canvas', { class: 'picture heat-legend' });
  frame!: Frame;
  fresh = 1;
  cache = {};
  stopFade = () => {};

  /** `go(step)` moves to a step when its empty row is clicked. */
  constructor(
    parent: HTMLElement,
    readonly host: Host,
    readonly selection: Selection,
    readonly go: (step: number) => void,
  ) {
    const canvas = el('canvas', { class: 'picture', tabindex: '0', role: 'img' });
    this.plot = new Plot(canvas, () =>
      heatmap(this.frame.sheet, this.focus(), this.host.colours, this.cache),
    );
    this.scroller = el('div', { class: 'heat scroller' }, canvas);
    parent.append(this.scroller, this.legendCanvas);
    this.plot.listen(heatHit, {
      hover: (at, event) => this.hover(at, event),
      pin: (at, point) => this.pin(at, point),
      cell: () => this.selection.hovered ?? { row: Math.max(0, this.frame.row), col: 0 },
      size: () => [this.frame.sheet.written, this.frame.sheet.cols.length],
    });
  }

  /** What the rows and the columns are: a row has both of its words where there is room. */
  get axes() {
    return this.plot.frame.reads === 'all'
      ? tr('Rows: reads → writes; columns: source words')
      : tr('Rows: written words; columns: source words');
  }

  /** Whether a cell or word is written. */
  exists(at: Cell | null) {
    return at !== null && (at.row === undefined || at.row < this.frame.sheet.written);
  }

  hover(at: Cell | null, event?: PointerEvent) {
    const legal = this.exists(at) ? at : null;
    this.selection.hover(legal);
    if (!event) return;
    const { sheet } = this.frame;
    const { row, col } = legal ?? {};
    const point = pointIn(event, this.host.root);
    if (row === undefined || col === undefined) return this.host.tip('', ...point);
    const query = rowWords(sheet.rows[row], { verb: verbOf(this.frame.kind), read: sheet.reads?.[row] });
    const fields = { row: query, share: percent(sheet.at(row, col), 1), key: keyNames(sheet.cols)(col) };
    this.host.tip(phrase(tr('{row}: {share} at {key}'), fields), ...point);
  }

  pin(at: Cell | null, [, y]: Point) {
    if (at && this.exists(at)) return this.selection.toggle(at);
    const { box, ch } = this.plot.frame;
    const row = Math.floor((y - box.y) / ch);
    if (row >= 0 && row < this.frame.sheet.rows.length) this.go(row + 1);
  }

  measure() {
    const { sheet } = this.frame;
    const { scale } = this.host;
    const geometry = (above: number) =>
      heatGeometry(sheet, this.scroller.clientWidth, scale, {
        tall: scale > 1 ? inSight(this.host, 560, HALL + above) : 285,
        cap: 68,
        words: 72,
      });
    this.plot.frame = geometry(0);
    // The words of a long sentence stand upright above the map and take from its height.
    const above = this.plot.frame.box.y / scale - LEVEL;
    if (scale > 1 && above > 0) this.plot.frame = geometry(above);
  }

  focus(): Focus {
    const { row, kind, focus } = this.frame;
    const colour = this.host.colours[`${kind}_text`];
    return { ...focus(), current: row < 0 ? undefined : { row, colour, share: this.fresh } };
  }

  legend() {
    const { sheet } = this.frame;
    const words = weightWords();
    return { table: sheet.table, ...weightAxis('weight', sheet.cols.length), words };
  }

  paint() {
    if (this.frame) this.plot.draw();
  }

  update(next: Frame) {
    const grew = this.frame && next.step === this.frame.step + 1;
    this.frame = next;
    this.cache = {};
    this.host.tip('', 0, 0);
    this.measure();
    drawLegend(this.legendCanvas, this.host.scale, this.legend(), this.host.colours);
    const size = { rows: next.sheet.written, columns: next.sheet.cols.length };
    this.plot.node.setAttribute(
      'aria-label',
      tr('Attention map, {rows} × {columns} tokens. Arrow keys read cells, Enter pins.', size),
    );
    this.stopFade();
    this.fresh = 1;
    this.paint();
    if (!grew) return;
    this.stopFade = animate((share) => {
      this.fresh = share;
      this.paint();
    });
  }

  relayout() {
    this.measure();
    this.paint();
  }

  get picture(): Pick<Leaving, 'size' | 'draw'> {
    const { plot } = this;
    return { size: () => [plot.frame.width, plot.frame.height], draw: (p) => plot.paint(p) };
  }
}
