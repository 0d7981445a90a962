/* The aligned pair: written words and source words with a line for each link, beside the map the links come from.
   Gold links are marked in the map; while marking, a click on a cell makes one sure, possible, none again. */

/** @import { Cache, Cell, Host, Mounting, Sheet } from '../types' */
/** @import { Columns } from '../maps/columns.js' */
/** @import { HeatGeometry } from '../maps/heatmap.js' */
/** @import { AlignmentMeta, Gold } from './alignment_words.js' */

import { unpack } from '../base/arrays.js';
import { rampTable } from '../base/colour.js';
import { card, el, onPage, say } from '../base/dom.js';
import { announce, linked, listenTo, oncePerFrame, pageKeys } from '../base/events.js';
import { exportMenu } from '../base/export.js';
import { canvasPainter, fitCanvas } from '../base/paint.js';
import { bringIntoSight, inSight, mount, setKind } from '../base/view.js';
import { TOUCH } from '../base/words.js';
import { columnsGeometry, columnsHit } from '../maps/columns.js';
import { heatGeometry, heatHit } from '../maps/heatmap.js';
import { drawLegend, weightStops, weightWords } from '../maps/legend.js';
import { listenToMap } from '../maps/pointer.js';
import { Selection } from '../maps/selection.js';
import { makeSheet } from '../maps/sheet.js';
import { alignmentLeaving, paintAlignedMap, paintAlignedPair } from './alignment_drawing.js';
import { keySize, paintKey } from './alignment_marks.js';
import { alignmentSentence, cycled, goldCells } from './alignment_words.js';

const WIDE = 660; // pixels of the design from where pair and map stand side by side
const HALL = 356; // of them around the map in a hall: header, strip, controls, title, sentence, key
const LINE = 20; // pixels of the design that a word needs
const AXES = 'written ↓   source →';

/** @typedef {{ u: number, room: number, wide: boolean, left: number, heat: HeatGeometry, lines: Columns }} Geometry */

export class Alignment {
  /**
   * @param {HTMLElement} root
   * @param {Host} host
   */
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.parts = card(root);
    this.parts.node.classList.add('alignment');
    const picture = (/** @type {string} */ name) =>
      el('canvas', { class: `picture ${name}`, tabindex: 0, role: 'application' });
    this.lines = picture('aligned-lines');
    this.heat = picture('aligned-heat');
    this.axes = el('p', { class: 'axis-words' }, AXES);
    this.key = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
    this.legend = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
    const place = (/** @type {(Node | string)[]} */ ...inside) =>
      el('div', { class: 'aligned-place' }, ...inside);
    this.views = el('div', { class: 'aligned-views' }, place(this.lines), place(this.axes, this.heat));
    const foot = el('div', { class: 'foot' }, this.key, this.legend);
    this.parts.body.append(this.views, foot);
    this.parts.node.append(this.parts.readout);
    this.frame = oncePerFrame(() => this.draw());
    this.selection = new Selection(this.frame.soon);
    this.pins = linked(host, 'pinned');
    this.marks = linked(host, 'marked');
    this.meta = /** @type {AlignmentMeta} */ (/** @type {unknown} */ (null));
    this.sheet = /** @type {Sheet} */ (/** @type {unknown} */ (null));
    this.geometry = /** @type {Geometry} */ (/** @type {unknown} */ (null));
    /** @type {Gold} by the key of the cell */
    this.gold = new Map();
    /** @type {Cache} */
    this.cache = {};
    this.marking = false;
    this.words = '';
    const button = (
      /** @type {string} */ words,
      /** @type {string} */ title,
      /** @type {() => void} */ press,
    ) => el('button', { type: 'button', class: 'button small', title, onclick: press }, words);
    const how = `${TOUCH ? 'Tap' : 'Click'} cells: sure, possible, none again`;
    this.mark = button('mark gold', TOUCH ? how : `${how} (M)`, () => this.setMarking());
    this.none = button('clear gold', 'Take back what was marked by hand', () => this.setGold(new Map()));
    this.parts.controls.append(this.mark, this.none, exportMenu(host, alignmentLeaving(this)));
    this.listen();
  }

  listen() {
    const pointed = {
      hover: (/** @type {Cell | null} */ at) => this.selection.hover(at),
      cell: () => this.selection.hovered ?? { row: 0, ...(this.marking ? { col: 0 } : {}) },
      size: () => /** @type {[number, number]} */ ([this.meta.rows.length, this.meta.cols.length]),
    };
    listenToMap(this.lines, {
      ...pointed,
      hit: (x, y) => columnsHit(this.geometry.lines, x, y),
      pin: (at) => this.pin(at),
    });
    listenToMap(this.heat, {
      ...pointed,
      hit: (x, y) => heatHit(this.geometry.heat, x, y),
      pin: (at) => (this.marking && this.markable(at) ? this.turn(at) : this.pin(at)),
    });
    const escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (this.parts.controls.contains(/** @type {Node} */ (event.composedPath()[0]))) return;
      if (this.clear()) event.preventDefault();
    };
    onPage(this.host, 'keydown', escape, true);
    pageKeys(this.host, { m: () => this.setMarking(), M: () => this.setMarking() });
    listenTo(this.host, 'heads', (said) => {
      if (said.kind !== 'cross') return;
      bringIntoSight(this.parts.node);
      this.parts.node.classList.add('waiting');
    });
  }

  /* ---------- layout and drawing ---------- */

  arrange() {
    const u = this.host.scale;
    const room = this.parts.body.clientWidth;
    const wide = room >= WIDE * u;
    this.views.classList.toggle('wide', wide);
    const [left, right] = wide ? [Math.floor(room * 0.42), Math.floor(room * 0.58) - 24 * u] : [room, room];
    const most = wide ? 560 : 480;
    const tall = inSight(this.host, most, HALL);
    const heat = heatGeometry(this.sheet, right, u, { tall, cap: wide ? 52 : 40 });
    // A short translation of a long sentence has a low map; beside it every source word keeps a line of its own.
    const least = LINE * u * Math.max(this.sheet.rows.length, this.sheet.cols.length);
    const body = Math.max(heat.box.h, Math.min(tall * u, least));
    const beside = wide ? { top: heat.box.y + this.axes.offsetHeight, body } : {};
    const lines = columnsGeometry(this.sheet, left, u, { tall: most, ...beside });
    this.geometry = { u, room, wide, left, heat, lines };
  }

  draw() {
    const { lines, heat, u, room } = this.geometry;
    const c = this.host.colours;
    paintAlignedPair(canvasPainter(fitCanvas(this.lines, lines.width, lines.height)), this, lines);
    paintAlignedMap(canvasPainter(fitCanvas(this.heat, heat.width, heat.height)), this, heat);
    this.key.hidden = !this.gold.size;
    const { width, height } = keySize(room, u);
    if (this.gold.size) paintKey(canvasPainter(fitCanvas(this.key, width, height)), room, u, c);
    say(this.parts.readout, alignmentSentence(this));
  }

  refresh() {
    this.arrange();
    this.draw();
    const stops = weightStops('weight', this.meta.cols.length);
    const words = weightWords(false, this.meta.what);
    drawLegend(this.legend, this.host.scale, { table: this.sheet.table, stops, words }, this.host.colours);
  }

  /* ---------- pins ---------- */

  /** @param {Cell | null} at */
  pin(at) {
    if (!at) return;
    this.selection.toggle(at);
    this.reportPins();
  }

  reportPins() {
    const { rows, cols } = this.selection;
    this.pins.report([[...rows], [...cols]]);
  }

  /** Pins and what is hovered, else the marking; false when there is nothing to clear. */
  clear() {
    const { pinned } = this.selection;
    if (this.selection.clear()) {
      if (pinned) this.reportPins();
      return true;
    }
    if (this.marking) this.setMarking(false);
    else return false;
    return true;
  }

  /* ---------- gold by hand ---------- */

  /**
   * A cell of two words, not of an end token.
   * @param {Cell | null} at
   * @returns {at is { row: number, col: number }}
   */
  markable(at) {
    const { row, col } = at ?? {};
    return (
      row !== undefined &&
      col !== undefined &&
      this.meta.target.includes(row) &&
      this.meta.source.includes(col)
    );
  }

  setMarking(on = !this.marking) {
    this.marking = on;
    this.mark.setAttribute('aria-pressed', String(on));
    this.parts.node.classList.toggle('marking', on);
    this.frame.soon();
  }

  /** @param {{ row: number, col: number }} at */
  turn(at) {
    this.setGold(cycled(this.gold, at.row, at.col));
  }

  /** @param {Gold} gold */
  setGold(gold) {
    this.gold = gold;
    this.sheet.digits = !gold.size;
    this.none.hidden = !gold.size;
    this.frame.soon();
    this.marks.report(goldCells(gold));
  }

  /* ---------- data ---------- */

  /** @param {{ meta: AlignmentMeta, values: any }} next */
  update(next) {
    const { meta } = next;
    const { colours } = this.host;
    this.meta = meta;
    this.parts.node.classList.remove('waiting');
    setKind(this.root, this.host, 'cross');
    const values = unpack(next.values);
    const size = meta.cols.length;
    const table = rampTable(colours.panel, colours.cross);
    this.sheet = makeSheet(meta, (i, j) => values[i * size + j], table);
    this.cache = {};
    this.takeWords();
    this.sheet.digits = !this.gold.size;
    this.none.hidden = !this.gold.size || !meta.byHand;
    say(this.parts.title, meta.title);
    say(this.parts.subtitle, [meta.subtitle]);
    const many = `${meta.target.length} written and ${meta.source.length} source words`;
    const keys = 'Arrow keys move, Enter pins, M marks gold, Escape clears.';
    this.lines.setAttribute('aria-label', `Aligned words: ${many}. ${keys}`);
    this.heat.setAttribute('aria-label', `Map of the alignment: ${many}. ${keys}`);
    announce('shown', { kind: 'cross', heads: meta.pairs });
    this.refresh();
  }

  /** Gold and pins belong to a sentence: another head of the same words keeps what is marked and not yet answered. */
  takeWords() {
    const { meta, selection } = this;
    const words = JSON.stringify([meta.rows, meta.cols]);
    const another = words !== this.words;
    this.words = words;
    const [goldIsNews, pinsAreNews] = [this.marks.isNews(meta.gold), this.pins.isNews(meta.pins)];
    if (another || goldIsNews)
      this.gold = new Map(meta.gold.map(([row, col, sure]) => [`${row},${col}`, sure]));
    if (another || pinsAreNews)
      [selection.rows, selection.cols] = [new Set(meta.pins[0]), new Set(meta.pins[1])];
    selection.trim(meta.rows.length, meta.cols.length);
  }

  relayout() {
    this.refresh();
  }

  destroy() {
    this.frame.stop();
  }
}

/** @param {Mounting<any>} args */
export default function view(args) {
  return mount(args, (root, host) => new Alignment(root, host));
}
