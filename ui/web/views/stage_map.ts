/* The attention map of the decode so far: one row per written word, empty rows for what is to come. */

/** @import { Cell, Focus, Host, Leaving, Painter, Point } from '../types' */
/** @import { HeatGeometry } from '../maps/heatmap.js' */
/** @import { Selection } from '../maps/selection.js' */
/** @import { Frame } from './stage.js' */

import { el } from '../base/dom.js';
import { animate } from '../base/events.js';
import { canvasPainter, fitCanvas } from '../base/paint.js';
import { inSight } from '../base/view.js';
import { percent } from '../base/words.js';
import { heatGeometry, heatHit, paintHeat } from '../maps/heatmap.js';
import { drawLegend, weightStops, weightWords } from '../maps/legend.js';
import { listenToMap, pointIn } from '../maps/pointer.js';
import { keyNames } from '../maps/sentence.js';

const HALL = 300; // pixels of the design around the map in a hall: strip, sentence, title, words
const LEVEL = 30; // of them for words above the map that lie level

export class StageMap {
  /**
   * `go(step)` moves to a step when its empty row is clicked.
   * @param {HTMLElement} parent
   * @param {Host} host
   * @param {Selection} selection
   * @param {(step: number) => void} go
   */
  constructor(parent, host, selection, go) {
    this.host = host;
    this.selection = selection;
    this.go = go;
    this.canvas = el('canvas', { class: 'picture', tabindex: '0', role: 'img' });
    this.scroller = el('div', { class: 'heat scroller' }, this.canvas);
    this.legendCanvas = el('canvas', { class: 'picture heat-legend' });
    parent.append(this.scroller, this.legendCanvas);
    this.frame = /** @type {Frame} */ (/** @type {unknown} */ (null));
    this.geometry = /** @type {HeatGeometry} */ (/** @type {unknown} */ (null));
    this.fresh = 1;
    /** What the legend says where no weights are drawn. */
    this.words = '';
    this.cache = {};
    this.stopFade = () => {};
    listenToMap(this.canvas, {
      hit: (x, y) => this.geometry && heatHit(this.geometry, x, y),
      hover: (at, event) => this.hover(at, event),
      pin: (at, point) => this.pin(at, point),
      cell: () => this.selection.hovered ?? { row: Math.max(0, this.frame.row), col: 0 },
      size: () => [this.frame.sheet.written, this.frame.sheet.cols.length],
    });
  }

  /** Whether a cell or word is written. @param {Cell | null} at */
  exists(at) {
    return at !== null && (at.row === undefined || at.row < this.frame.sheet.written);
  }

  /**
   * @param {Cell | null} at
   * @param {PointerEvent} [event]
   */
  hover(at, event) {
    const legal = this.exists(at) ? at : null;
    this.selection.hover(legal);
    if (!event) return;
    const { sheet } = this.frame;
    const { row, col } = legal ?? {};
    const point = pointIn(event, this.host.root);
    if (row === undefined || col === undefined) return this.host.tip('', ...point);
    const [from, to] = [keyNames(sheet.rows)(row), keyNames(sheet.cols)(col)];
    this.host.tip([...from, ' → ', ...to, `  ${percent(sheet.at(row, col), 1)}`], ...point);
  }

  /**
   * @param {Cell | null} at
   * @param {Point} point
   */
  pin(at, [, y]) {
    if (at && this.exists(at)) return this.selection.toggle(at);
    const { box, ch } = this.geometry;
    const row = Math.floor((y - box.y) / ch);
    if (row >= 0 && row < this.frame.sheet.rows.length) this.go(row + 1);
  }

  measure() {
    const { sheet } = this.frame;
    const { scale } = this.host;
    const geometry = (/** @type {number} */ above) =>
      heatGeometry(sheet, this.scroller.clientWidth, scale, {
        tall: scale > 1 ? inSight(this.host, 560, HALL + above) : 285,
        cap: 68,
        words: 72,
      });
    this.geometry = geometry(0);
    // The words of a long sentence stand upright above the map and take from its height.
    const above = this.geometry.box.y / scale - LEVEL;
    if (scale > 1 && above > 0) this.geometry = geometry(above);
  }

  /** @returns {Focus} */
  focus() {
    const { row, kind, focus } = this.frame;
    const colour = this.host.colours[`${kind}_text`];
    return { ...focus(), current: row < 0 ? undefined : { row, colour, share: this.fresh } };
  }

  /** @param {Painter} p */
  draw(p) {
    paintHeat(p, this.frame.sheet, this.geometry, this.focus(), this.host.colours, this.cache);
  }

  legend() {
    const { sheet } = this.frame;
    const words = this.words || weightWords();
    return { table: sheet.table, stops: weightStops('weight', sheet.cols.length), words };
  }

  paint() {
    if (!this.frame) return;
    const { width, height } = this.geometry;
    this.draw(canvasPainter(fitCanvas(this.canvas, width, height)));
  }

  /** @param {Frame} next */
  update(next) {
    const grew = this.frame && next.step === this.frame.step + 1;
    this.frame = next;
    this.cache = {};
    this.host.tip('', 0, 0);
    this.measure();
    drawLegend(this.legendCanvas, this.host.scale, this.legend(), this.host.colours);
    const size = `${next.sheet.written} attending words by ${next.sheet.cols.length} attended words`;
    const words = `Attention map: ${size}. Arrow keys read cells, Enter pins a row.`;
    this.canvas.setAttribute('aria-label', words);
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

  /** @returns {Pick<Leaving, 'size' | 'draw'>} */
  get picture() {
    const size = () => /** @type {[number, number]} */ ([this.geometry.width, this.geometry.height]);
    return { size, draw: (p) => this.draw(p) };
  }
}
