/* The aligned pair: written words and source words with a line for each link, beside the map the links come from.
   Gold links are marked in the map; while marking, a click on a cell makes one sure, possible, none again. */

import type { Column } from '../base/arrays.ts';
import type { Host, Mounting } from '../base/view.ts';
import type { Columns } from '../marks/columns.ts';
import type { HeatGeometry } from '../marks/heatmap.ts';
import type { Cache } from '../marks/picture.ts';
import type { Cell } from '../maps/selection.ts';
import type { Sheet } from '../maps/sheet.ts';
import type { AlignmentMeta, Gold } from './alignment_words.ts';
import { unpack } from '../base/arrays.ts';
import { rampTable } from '../base/colour.ts';
import { card, el, onPage, say } from '../base/dom.ts';
import { announce, linked, listenTo, oncePerFrame, pageKeys } from '../base/events.ts';
import { exportMenu } from '../base/export.ts';
import { canvasPainter, fitCanvas } from '../base/paint.ts';
import { bringIntoSight, inSight, mount, setKind } from '../base/view.ts';
import { TOUCH } from '../base/words.ts';
import { columnsGeometry, columnsHit } from '../marks/columns.ts';
import { heatGeometry, heatHit } from '../marks/heatmap.ts';
import { drawLegend, weightStops, weightWords } from '../marks/legend.ts';
import { listenToMap } from '../marks/pointer.ts';
import { Selection } from '../maps/selection.ts';
import { makeSheet } from '../maps/sheet.ts';
import { alignmentLeaving, paintAlignedMap, paintAlignedPair } from './alignment_drawing.ts';
import { keySize, paintKey } from './alignment_marks.ts';
import { alignmentSentence, cycled, goldCells } from './alignment_words.ts';
import './alignment.css';

const WIDE = 660; // pixels of the design from where pair and map stand side by side
const HALL = 356; // of them around the map in a hall: header, strip, controls, title, sentence, key
const LINE = 20; // pixels of the design that a word needs
const AXES = 'written ↓   source →';

interface Geometry {
  u: number;
  room: number;
  wide: boolean;
  left: number;
  heat: HeatGeometry;
  lines: Columns;
}

interface AlignmentData {
  meta: AlignmentMeta;
  values: Column;
}

export class Alignment {
  parts: ReturnType<typeof card>;
  lines: HTMLCanvasElement;
  heat: HTMLCanvasElement;
  axes: HTMLParagraphElement;
  key: HTMLCanvasElement;
  legend: HTMLCanvasElement;
  views: HTMLDivElement;
  frame: ReturnType<typeof oncePerFrame>;
  selection: Selection;
  pins: ReturnType<typeof linked>;
  marks: ReturnType<typeof linked>;
  meta!: AlignmentMeta;
  sheet!: Sheet;
  geometry!: Geometry;
  /** by the key of the cell */
  gold: Gold = new Map();
  cache: Cache = {};
  marking = false;
  words = '';
  mark: HTMLButtonElement;
  none: HTMLButtonElement;

  constructor(
    readonly root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.node.classList.add('alignment');
    const picture = (name: string) =>
      el('canvas', { class: `picture ${name}`, tabindex: 0, role: 'application' });
    this.lines = picture('aligned-lines');
    this.heat = picture('aligned-heat');
    this.axes = el('p', { class: 'axis-words' }, AXES);
    this.key = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
    this.legend = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
    const place = (...inside: (Node | string)[]) => el('div', { class: 'aligned-place' }, ...inside);
    this.views = el('div', { class: 'aligned-views' }, place(this.lines), place(this.axes, this.heat));
    const foot = el('div', { class: 'foot' }, this.key, this.legend);
    this.parts.body.append(this.views, foot);
    this.parts.node.append(this.parts.readout);
    this.frame = oncePerFrame(() => this.draw());
    this.selection = new Selection(this.frame.soon);
    this.pins = linked(host, 'pinned');
    this.marks = linked(host, 'marked');
    const button = (words: string, title: string, press: () => void) =>
      el('button', { type: 'button', class: 'button small', title, onclick: press }, words);
    const how = `${TOUCH ? 'Tap' : 'Click'} cells: sure, possible, none again`;
    this.mark = button('mark gold', TOUCH ? how : `${how} (M)`, () => this.setMarking());
    this.none = button('clear gold', 'Take back what was marked by hand', () => this.setGold(new Map()));
    this.parts.controls.append(this.mark, this.none, exportMenu(host, alignmentLeaving(this)));
    this.listen();
  }

  listen() {
    const pointed = {
      hover: (at: Cell | null) => this.selection.hover(at),
      cell: () => this.selection.hovered ?? { row: 0, ...(this.marking ? { col: 0 } : {}) },
      size: () => [this.meta.rows.length, this.meta.cols.length] as [number, number],
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
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (this.parts.controls.contains(event.composedPath()[0] as Node)) return;
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

  pin(at: Cell | null) {
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

  /** A cell of two words, not of an end token. */
  markable(at: Cell | null): at is { row: number; col: number } {
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

  turn(at: { row: number; col: number }) {
    this.setGold(cycled(this.gold, at.row, at.col));
  }

  setGold(gold: Gold) {
    this.gold = gold;
    this.sheet.digits = !gold.size;
    this.none.hidden = !gold.size;
    this.frame.soon();
    this.marks.report(goldCells(gold));
  }

  /* ---------- data ---------- */

  update(next: AlignmentData) {
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

export default function view(args: Mounting<AlignmentData>) {
  return mount(args, (root, host) => new Alignment(root, host));
}
