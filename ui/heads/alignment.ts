/* The aligned pair: written words and source words with a line for each link, beside the map the links come from.
   Gold links are marked in the map; while marking, a click on a cell makes one sure, possible, none again. */

import type { Host } from '../web/base/view.ts';
import type { AlignmentAnswers, AlignmentData } from '../web/generated/types.ts';
import type { Cell } from '../web/maps/selection.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { Cache } from '../web/marks/picture.ts';
import type { Gold } from './alignment_words.ts';
import { rampTable } from '../web/base/colour.ts';
import { el } from '../web/base/dom.ts';
import { announce, linked, listenTo, onEscape, oncePerFrame, pageKeys } from '../web/base/events.ts';
import { labelled, tr } from '../web/base/language.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { CardView, bringIntoSight, inSight, setKind, viewOf } from '../web/base/view.ts';
import { TOUCH } from '../web/base/words.ts';
import { PinnedTokens } from '../web/maps/selection.ts';
import { makeSheet } from '../web/maps/sheet.ts';
import { columnsGeometry, columnsHit, heatGeometry, heatHit } from '../web/marks/frames.ts';
import { drawLegend } from '../web/marks/legend.ts';
import { Pair } from '../web/marks/pair.ts';
import {
  alignedLines,
  alignedMap,
  alignmentLeaving,
  alignmentLegend,
  axes,
  keySize,
  paintKey,
} from './alignment_drawing.ts';
import { alignmentSentence, cycled, goldCells } from './alignment_words.ts';
import './alignment.css';

const HALL = 356; // pixels of the design around the map in a hall: header, strip, controls, title, sentence, key
export class Alignment extends CardView {
  pair: Pair = new Pair(
    { name: 'aligned', axes: axes() },
    { lines: () => alignedLines(this), map: () => alignedMap(this) },
  );
  key = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
  legend = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
  soon = oncePerFrame(this.host, () => this.draw());
  pins = new PinnedTokens(this.host, this.soon);
  marks = linked<AlignmentAnswers['marked']>(this.host, 'marked');
  meta!: AlignmentData;
  sheet!: Sheet;
  /** by the key of the cell */
  gold: Gold = new Map();
  cache: Cache = {};
  marking = false;
  words = '';
  mark: HTMLButtonElement;
  none: HTMLButtonElement;

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'alignment');
    this.parts.body.append(this.pair.node, el('div', { class: 'foot' }, this.key, this.legend));
    this.parts.node.append(this.parts.readout);
    const button = (words: string, title: string, press: () => void) =>
      el('button', { class: 'button small', title, onclick: press }, words);
    const how = TOUCH ? tr('Tap cells: sure, possible, none') : tr('Click cells: sure, possible, none');
    this.mark = button(tr('Mark gold'), TOUCH ? how : `${how} (M)`, () => this.setMarking());
    this.none = button(tr('Clear gold'), tr('Undo the marks made by hand'), () => this.setGold(new Map()));
    this.parts.controls.append(this.mark, this.none, exportMenu(host, alignmentLeaving(this)));
    this.listen();
  }

  listen() {
    const pointed = {
      hover: (at: Cell | null) => this.pins.hover(at),
      pin: (at: Cell | null) => at && this.pins.toggle(at),
      cell: () => this.pins.hovered ?? { row: 0, ...(this.marking ? { col: 0 } : {}) },
      size: () => [this.meta.rows.length, this.meta.cols.length] as [number, number],
    };
    this.pair.lines.listen(columnsHit, pointed);
    this.pair.map.listen(heatHit, {
      ...pointed,
      pin: (at) => (this.marking && this.markable(at) ? this.turn(at) : pointed.pin(at)),
    });
    onEscape(this.host, this.parts.controls, () => this.clear());
    pageKeys(this.host, { m: () => this.setMarking(), M: () => this.setMarking() });
    listenTo(this.host, 'heads', (opened) => {
      if (opened.kind !== 'cross') return;
      bringIntoSight(this.parts.node);
      this.parts.node.classList.add('waiting');
    });
  }

  /* ---------- layout and drawing ---------- */

  arrange() {
    const { pair, sheet } = this;
    const u = this.host.scale;
    pair.resize(this.parts.body.clientWidth, u, [0.42, 0.58]);
    const most = pair.wide ? 560 : 480;
    const longest = Math.max(sheet.rows.length, sheet.cols.length);
    const tall = inSight(this.host, most, HALL, longest);
    const map = heatGeometry(sheet, pair.sides[1], u, { tall, cap: pair.wide ? 52 : 40 });
    pair.map.frame = map;
    pair.lines.frame = columnsGeometry(sheet, pair.sides[0], u, {
      tall: inSight(this.host, most, -Infinity), // of a slide alone
      ...pair.beside(map, longest, tall * u),
    });
  }

  draw() {
    const { u, room } = this.pair;
    this.pair.draw();
    this.key.hidden = !this.gold.size;
    const { width, height } = keySize(room, u);
    if (this.gold.size)
      paintKey(canvasPainter(fitCanvas(this.key, width, height)), room, u, this.host.colours);
    this.parts.tell({ readout: alignmentSentence(this) });
  }

  relayout() {
    this.arrange();
    this.draw();
    drawLegend(this.legend, this.host.scale, alignmentLegend(this), this.host.colours);
  }

  /** Clears pins and hover, else the marking; false when there is nothing to clear. */
  clear() {
    if (this.pins.clear()) return true;
    if (!this.marking) return false;
    this.setMarking(false);
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
    this.soon();
  }

  turn(at: { row: number; col: number }) {
    this.setGold(cycled(this.gold, at.row, at.col));
  }

  setGold(gold: Gold) {
    this.gold = gold;
    this.sheet.digits = !gold.size;
    this.none.hidden = !gold.size;
    this.soon();
    this.marks.report({ cells: goldCells(gold) });
  }

  /* ---------- data ---------- */

  update(meta: AlignmentData) {
    const { colours } = this.host;
    this.meta = meta;
    this.parts.node.classList.remove('waiting');
    setKind(this.host, 'cross');
    const { values } = meta;
    const size = meta.cols.length;
    const table = rampTable(colours.panel, colours.cross);
    this.sheet = makeSheet(meta, (i, j) => values[i * size + j], table);
    this.cache = {};
    this.takeWords();
    this.sheet.digits = !this.gold.size;
    this.none.hidden = !this.gold.size || !meta.by_hand;
    this.parts.tell(meta);
    const many = tr('{written} written and {read} source words', {
      written: meta.target.length,
      read: meta.source.length,
    });
    const keys = TOUCH ? '' : ` ${tr('Arrow keys move, Enter pins, M marks gold, Esc clears.')}`;
    const names = [tr('Aligned words'), tr('Map of the alignment')].map((name) =>
      labelled(name, `${many}.${keys}`),
    );
    this.pair.describe(names[0], names[1]);
    announce('shown', { kind: 'cross', heads: meta.pairs });
    this.relayout();
  }

  /** Gold and pins belong to a sentence: another head of the same words keeps what is marked and not yet answered. */
  takeWords() {
    const { meta, pins } = this;
    const words = JSON.stringify([meta.rows, meta.cols]);
    const another = words !== this.words;
    this.words = words;
    const goldIsNews = this.marks.isNews({ cells: meta.gold });
    if (another || goldIsNews)
      this.gold = new Map(meta.gold.map(([row, col, sure]) => [`${row},${col}`, sure]));
    pins.take(meta.pins, another);
    pins.trim(meta.rows.length, meta.cols.length);
  }
}

export default viewOf(Alignment);
