/* The logit lens: a row for each written word, a column for each depth of the decoder, in each cell the word that would
   be written there. Hover previews a cell's ten words beside it, a click pins it, arrows walk, Esc clears. */

/** @import { Host, Mounting } from '../types' */
/** @import { LensGeometry } from './lens_layout.js' */
/** @import { At, LensMeta } from './lens_numbers.js' */

import { unpack, within } from '../base/arrays.js';
import { rampTable } from '../base/colour.js';
import { keyList } from '../base/controls.js';
import { card, el, plain, say } from '../base/dom.js';
import { linked, pageKeys } from '../base/events.js';
import { exportMenu } from '../base/export.js';
import { canvasPainter, fitCanvas } from '../base/paint.js';
import { mount, setKind } from '../base/view.js';
import { TOUCH, visible } from '../base/words.js';
import { drawLegend } from '../maps/legend.js';
import { listenToMap } from '../maps/pointer.js';
import { PINNED } from '../maps/sentence.js';
import { lensLeaving, lensLegend, paintLens, paintTop, topHeight, topLeaving } from './lens_drawing.js';
import { lensGeometry, lensHit } from './lens_layout.js';
import { LensNumbers } from './lens_numbers.js';

const KEYS = /** @type {const} */ ([
  ['← →', 'a layer down, a layer up'],
  ['↑ ↓', 'the word before, the word after'],
  ['Enter', 'pin the cell'],
  ['Esc', 'clear the pin'],
  ['?', 'this list'],
]);
const HOW = 'small number: rank of the word written · bar: it stays first from here on';
const HINT = TOUCH ? 'tap a cell for its ten words' : 'point at a cell, click to pin it, arrows walk';

export class Lens {
  /**
   * @param {HTMLElement} root
   * @param {Host} host
   */
  constructor(root, host) {
    this.root = root;
    this.host = host;
    const grid = el('div', { class: 'lens' });
    root.append(el('div', { class: 'lens-wrap' }, grid));
    this.parts = card(grid);
    this.side = card(grid);
    this.canvas = el('canvas', { class: 'picture lens-cells', tabindex: 0, role: 'application' });
    this.bars = el('canvas', { class: 'picture', role: 'img' });
    this.legend = el('canvas', { class: 'picture' });
    const how = el('span', { class: 'lens-how' }, HOW);
    const foot = el('div', { class: 'foot' }, this.legend, how);
    this.parts.body.append(this.canvas, this.parts.readout, foot);
    this.side.body.append(this.bars);
    this.numbers = /** @type {LensNumbers} */ (/** @type {unknown} */ (null));
    this.geometry = /** @type {LensGeometry} */ (/** @type {unknown} */ (null));
    /** @type {string[]} */
    this.table = [];
    /** @type {At | null} */
    this.pinned = null;
    /** @type {At | null} */
    this.hovered = null;
    this.words = '';
    this.picked = linked(host, 'picked');
    this.keys = keyList(KEYS);
    this.parts.controls.append(this.keys.button, exportMenu(host, lensLeaving(this)), this.keys.list);
    this.side.controls.append(exportMenu(host, topLeaving(this)));
    this.listen();
  }

  listen() {
    listenToMap(this.canvas, {
      hit: (x, y) => lensHit(this.geometry, x, y),
      hover: (at) => this.hover(at && full(at)),
      pin: (at) => at && this.pin(full(at)),
      cell: () => this.at,
      size: () => [this.geometry.rows, this.geometry.cols],
    });
    const walk = (/** @type {number} */ down, /** @type {number} */ right) => () => {
      const { row, col } = this.at;
      const { rows, cols } = this.geometry;
      this.hovered = null;
      this.pin({ row: within(0, row + down, rows - 1), col: within(0, col + right, cols - 1) }, false);
    };
    pageKeys(this.host, {
      ArrowLeft: walk(0, -1),
      ArrowRight: walk(0, 1),
      ArrowUp: walk(-1, 0),
      ArrowDown: walk(1, 0),
      Escape: () => (this.keys.isOpen() ? this.keys.hide() : this.pinned ? this.pin(this.pinned) : false),
      '?': () => this.keys.toggle(),
    });
  }

  /** The cell told: pointed at, pinned, or where the first word that is settled early is settled. @returns {At} */
  get at() {
    if (this.hovered) return this.hovered;
    if (this.pinned) return this.pinned;
    const { steps, depths } = this.numbers.meta;
    const last = depths.length - 1;
    const rows = steps.map((_, row) => this.numbers.settled(row));
    const late = rows.reduce((best, col, row) => (col <= last && col > rows[best] ? row : best), 0);
    return { row: late, col: Math.max(0, Math.min(last, rows[late]) - 1) };
  }

  /** @param {At | null} at */
  hover(at) {
    if (at?.row === this.hovered?.row && at?.col === this.hovered?.col) return;
    this.hovered = at;
    this.draw();
  }

  /** @param {At} at a second time: no longer */
  pin(at, toggles = true) {
    const again = toggles && this.pinned?.row === at.row && this.pinned.col === at.col;
    this.pinned = again ? null : at;
    if (again) this.hovered = null;
    if (this.numbers.meta.report) this.picked.report(this.pinned && [this.pinned.row, this.pinned.col]);
    this.draw();
  }

  topTitle() {
    const { steps, depths } = this.numbers.meta;
    return `“${visible(steps[this.at.row])}” at ${depths[this.at.col]}`;
  }

  /** Pixels that the bars may take. */
  get roomOfTop() {
    return this.side.body.clientWidth;
  }

  draw() {
    const { geometry: g, host } = this;
    paintLens(canvasPainter(fitCanvas(this.canvas, g.width, g.height)), this, g);
    const room = this.roomOfTop;
    paintTop(canvasPainter(fitCanvas(this.bars, room, topHeight(this, host.scale))), this, room);
    const sentence = this.numbers.sentence(this.at);
    say(this.parts.readout, [...sentence, { muted: `  ${this.pinned ? PINNED : HINT}` }]);
    const { steps, depths } = this.numbers.meta;
    say(this.side.title, [{ kind: `“${visible(steps[this.at.row])}”` }, ` at ${depths[this.at.col]}`]);
    say(this.side.subtitle, ['the ten most probable words there']);
    this.canvas.setAttribute('aria-label', `${this.numbers.spoken()}. ${plain(sentence)}`);
    this.bars.setAttribute('aria-label', plain(sentence));
  }

  refresh() {
    const { steps, depths } = this.numbers.meta;
    this.geometry = lensGeometry(steps, depths, this.parts.body.clientWidth, this.host.scale);
    this.draw();
    drawLegend(this.legend, this.host.scale, lensLegend(this), this.host.colours);
  }

  /** @param {{ meta: LensMeta, tops: any, shares: any, ranks: any, finals: any }} next */
  update({ meta, tops, shares, ranks, finals }) {
    const unpacked = {
      tops: unpack(tops),
      shares: unpack(shares),
      ranks: unpack(ranks),
      finals: unpack(finals),
    };
    this.numbers = new LensNumbers(meta, unpacked);
    setKind(this.root, this.host, 'causal');
    this.table = rampTable(this.host.colours.panel, this.host.colours.causal);
    const words = JSON.stringify([meta.steps, meta.depths]);
    if (this.picked.isNews(meta.cell) || words !== this.words) {
      this.pinned = meta.cell && { row: meta.cell[0], col: meta.cell[1] };
      this.hovered = null;
    }
    this.words = words;
    say(this.parts.title, this.numbers.title());
    say(this.parts.subtitle, [
      meta.normed
        ? 'logit lens: each layer’s vector, through the final norm and the output projection'
        : 'logit lens: each layer’s vector, through the output projection; this model has no final norm',
    ]);
    this.refresh();
  }

  relayout() {
    if (this.numbers) this.refresh();
  }
}

/** @param {import('../types').Cell} at @returns {At} */
const full = ({ row = 0, col = 0 }) => ({ row, col });

/** @param {Mounting<any>} args */
export default function view(args) {
  return mount(args, (root, host) => new Lens(root, host));
}
