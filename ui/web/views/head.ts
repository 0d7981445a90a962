/* One open head (or up to eight together): lines and heatmap of the same numbers, linked.
   Hover previews a token's row or column in both, a click pins it, pins are summed, Esc clears. */

import type { Column } from '../base/arrays.ts';
import type { Host, Mounting } from '../base/view.ts';
import type { Unit } from '../base/words.ts';
import type { Columns } from '../marks/columns.ts';
import type { HeatGeometry } from '../marks/heatmap.ts';
import type { Cell } from '../maps/selection.ts';
import type { Area } from '../maps/sheet.ts';
import type { HeadMeta } from './head_numbers.ts';
import { unpack } from '../base/arrays.ts';
import { card, el, onPage, say } from '../base/dom.ts';
import { announce, linked, listenTo, oncePerFrame } from '../base/events.ts';
import { canvasPainter, fitCanvas } from '../base/paint.ts';
import { bringIntoSight, inSight, mount, setKind } from '../base/view.ts';
import { columnsGeometry, columnsHit } from '../marks/columns.ts';
import { areaBetween, heatGeometry, heatHit } from '../marks/heatmap.ts';
import { drawLegend } from '../marks/legend.ts';
import { listenToMap } from '../marks/pointer.ts';
import { Selection } from '../maps/selection.ts';
import { mapSentence } from '../maps/sentence.ts';
import { WEIGHT_OF_BYTE } from '../maps/sheet.ts';
import { makeKnobs, makeSwatches } from './head_controls.ts';
import { AXES, headLegend, paintHeadLines, paintHeadMap } from './head_drawing.ts';
import { OpenHeads, nameOf, reachOf } from './head_numbers.ts';
import './head.css';

const WIDE = 660; // pixels of the design from where lines and map stand side by side
const HALL = 336; // of them around the map in a hall: header, strip, title, the words beside it, the sentence
const WAIT = 4000; // milliseconds that a head from the wall waits for its exact numbers
const ZOOM_FROM = 24; // tokens a side from where looking closer is worth it

interface Geometry {
  u: number;
  room: number;
  wide: boolean;
  left: number;
  heat: HeatGeometry;
  lines: Columns;
}

interface HeadData {
  meta: HeadMeta;
  exact: Column;
  levels: Column;
}

export class Head {
  parts: ReturnType<typeof card>;
  swatches: HTMLDivElement;
  lines: HTMLCanvasElement;
  heat: HTMLCanvasElement;
  band: HTMLDivElement;
  axes: HTMLParagraphElement;
  legend: HTMLCanvasElement;
  whole: HTMLButtonElement;
  foot: HTMLDivElement;
  views: HTMLDivElement;
  open: OpenHeads;
  frame: ReturnType<typeof oncePerFrame>;
  selection: Selection;
  pins: ReturnType<typeof linked>;
  looks: ReturnType<typeof linked>;
  own;
  geometry!: Geometry;
  knobs: { unit: Unit; show(): void } | null = null;
  words = '';
  /** A head shown ahead of its exact numbers. */
  ahead: { name: string; timer: number } | null = null;
  /** An answer that came for an earlier one. */
  late: HeadData | null = null;

  constructor(
    readonly root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.node.classList.add('detail');
    this.swatches = el('div', { class: 'swatches', role: 'group', 'aria-label': 'heads shown' });
    const picture = (name: string) =>
      el('canvas', { class: `picture ${name}`, tabindex: 0, role: 'application' });
    this.lines = picture('detail-lines');
    this.heat = picture('detail-heat');
    this.band = el('div', { class: 'detail-band', hidden: true });
    this.axes = el('p', { class: 'axis-words' }, AXES);
    this.legend = el('canvas', { class: 'picture' });
    const whole = { type: 'button', class: 'quiet', hidden: true, onclick: () => this.zoom(null) };
    this.whole = el('button', whole, '⤢ whole map');
    this.foot = el('div', { class: 'foot' });
    const left = el('div', { class: 'detail-place' }, this.lines);
    const right = el('div', { class: 'detail-place' }, this.axes, this.heat, this.band);
    this.views = el('div', { class: 'detail-views' }, left, this.parts.readout, right);
    this.parts.body.append(this.swatches, this.views, this.foot);
    this.open = new OpenHeads();
    this.frame = oncePerFrame(() => this.draw());
    this.selection = new Selection(this.frame.soon);
    this.pins = linked(host, 'pinned');
    this.looks = linked(host, 'viewed');
    this.own = { threshold: 0.02, log: false, reach: 0, area: null as Area | null };
    this.listen();
  }

  listen() {
    const pointed = {
      hover: (at: Cell | null) => this.hover(at),
      pin: (at: Cell | null) => this.pin(at),
      cell: () => this.selection.hovered ?? { row: this.open.tellingRow },
      size: () => [this.open.meta.written, this.open.meta.cols.length] as [number, number],
    };
    listenToMap(this.lines, { ...pointed, hit: (x, y) => columnsHit(this.geometry.lines, x, y) });
    listenToMap(this.heat, {
      ...pointed,
      hit: (x, y) => heatHit(this.geometry.heat, x, y),
      drags: () => Math.max(this.open.meta.rows.length, this.open.meta.cols.length) > ZOOM_FROM,
      drag: (from, to) => {
        this.selection.hovered = null;
        const area = areaBetween(this.geometry.heat, from, to);
        if (area) this.zoom(area);
      },
      band: this.band,
    });
    // Before the page's other Esc keys: pins are cleared first, the open head closes with the next Esc.
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      const inside = this.parts.controls.contains(event.composedPath()[0] as Node);
      if (!inside && this.clear()) event.preventDefault();
    };
    onPage(this.host, 'keydown', escape, true);
    listenTo(this.host, 'heads', (said) => this.showAhead(said));
  }

  /* ---------- layout and drawing ---------- */

  arrange() {
    const { open, own } = this;
    const u = this.host.scale;
    const room = this.parts.body.clientWidth;
    const wide = room >= WIDE * u;
    this.views.classList.toggle('wide', wide);
    const [left, right] = wide
      ? [Math.floor(room * 0.44), Math.floor(room * 0.56) - 24 * u]
      : [Math.min(room, 620 * u), room];
    const { area } = own;
    const rows = area ? area[1] - area[0] : open.meta.rows.length;
    const most = wide ? 560 : rows > 32 ? 480 : 400;
    const limits = { tall: inSight(this.host, most, HALL), area, cap: wide ? 46 : 40 };
    const heat = heatGeometry(open.combined, right, u, limits);
    // Side by side, a word stands at the same height in both.
    const beside = wide ? { top: heat.box.y + this.axes.offsetHeight, body: heat.box.h } : {};
    const several = open.seen.length > 1;
    const tall = rows > 32 ? 520 : 400;
    const lines = columnsGeometry(open.combined, left, u, { tall, area, several, ...beside });
    this.geometry = { u, room, wide, left, heat, lines };
  }

  draw() {
    const { lines, heat } = this.geometry;
    paintHeadLines(canvasPainter(fitCanvas(this.lines, lines.width, lines.height)), this, lines);
    paintHeadMap(canvasPainter(fitCanvas(this.heat, heat.width, heat.height)), this, heat);
    say(this.parts.readout, this.sentence());
  }

  sentence() {
    const { meta, sheets, seen, tellingRow } = this.open;
    return mapSentence({
      ...this.selection.active,
      sheets: seen.map((k) => sheets[k]),
      subjects: seen.map((k) => meta.heads[k].subject),
      names: seen.map((k) => meta.heads[k].name),
      how: { verb: meta.verb, mode: meta.mode, distribution: meta.distribution },
      row: tellingRow,
      hint: this.selection.hint,
    });
  }

  refresh() {
    this.arrange();
    this.draw();
    drawLegend(this.legend, this.host.scale, headLegend(this), this.host.colours);
  }

  build() {
    this.open.build(this.host.colours, this.own.log);
  }

  /* ---------- hover, pins, zoom ---------- */

  hover(at: Cell | null) {
    const { written, cols } = this.open.meta;
    const legal = at && (at.row ?? 0) < written && (at.col ?? 0) < cols.length;
    this.selection.hover(legal ? at : null);
  }

  pin(at: Cell | null) {
    if (!at || (at.row ?? 0) >= this.open.meta.written) return;
    this.selection.toggle(at);
    this.reportPins();
  }

  reportPins() {
    const { rows, cols } = this.selection;
    if (this.open.meta.report) this.pins.report([[...rows], [...cols]]);
  }

  reportView() {
    const { threshold, log, area } = this.own;
    if (this.open.meta.report) this.looks.report([Math.round(100 * threshold), log, area]);
  }

  /** Pins and what is hovered, else the zoom; false when there is nothing to clear. */
  clear() {
    const { pinned } = this.selection;
    if (this.selection.clear()) {
      if (pinned) this.reportPins();
      return true;
    }
    if (!this.own.area) return false;
    this.zoom(null);
    return true;
  }

  zoom(area: Area | null) {
    this.own.area = area;
    this.whole.hidden = !area;
    this.open.cache = {};
    this.refresh();
    this.reportView();
  }

  /* ---------- a head's picture from the wall, until its numbers come ---------- */

  showAhead(said: {
    kind: string;
    heads: [number, number][];
    rows: string[];
    cols: string[];
    values: Float32Array[] | null;
    whole: { how: string; subject: string };
  }) {
    const { open } = this;
    if (!open.meta || said.kind !== open.meta.kind) return;
    if (said.heads.length) bringIntoSight(this.parts.node); // below the wall, as on a phone, it would not be
    clearTimeout(this.ahead?.timer);
    const giveUp = () => {
      this.ahead = null;
      if (this.late) this.take(this.late);
    };
    this.ahead = { name: nameOf(said.heads), timer: window.setTimeout(giveUp, WAIT) };
    this.late = null;
    const words = JSON.stringify([open.meta.rows.slice(0, open.meta.written), open.meta.cols]);
    const fits =
      open.meta.mode === 'weights' && !open.off.size && JSON.stringify([said.rows, said.cols]) === words;
    const values = fits ? said.values : null;
    this.parts.node.classList.toggle('waiting', !values && nameOf(open.meta.pairs) !== this.ahead.name);
    if (!values) return;
    const names = said.heads.map((head) => head.join('.'));
    const whole = said.whole.subject;
    const title = names.length ? `Head${names.length > 1 ? 's' : ''} ${names.join(', ')}` : capital(whole);
    const heads = names.map((name) => ({ name, subject: `head ${name}` }));
    open.meta = {
      ...open.meta,
      ...{ pairs: said.heads, exact: values.length, title },
      heads: heads.length ? heads : [{ name: 'all', subject: whole }],
      distribution: names.length > 0 || said.whole.how === 'mean',
    };
    open.maps = values;
    this.parts.node.dataset.numbers = 'ahead';
    this.showWords();
  }

  /* ---------- data ---------- */

  /** Words, controls and pictures of what is open. */
  showWords() {
    const { meta } = this.open;
    say(this.parts.title, [`${meta.title} `, ...(meta.tag ? [{ kind: meta.tag }] : [])]);
    say(this.parts.subtitle, [meta.subtitle]);
    const names = meta.heads.map(({ name }) => name).join(', ');
    const size = `${meta.written} attending and ${meta.cols.length} attended tokens`;
    const words = `Attention of ${names}: ${size}. Arrow keys move, Enter pins, Escape clears.`;
    this.lines.setAttribute('aria-label', `Lines. ${words}`);
    this.heat.setAttribute('aria-label', `Map. ${words}`);
    this.build();
    if (this.knobs?.unit !== meta.unit) this.knobs = makeKnobs(this);
    this.knobs.show();
    makeSwatches(this);
    this.refresh();
  }

  take(next: HeadData) {
    const { open, selection } = this;
    clearTimeout(this.ahead?.timer);
    this.late = this.ahead = null;
    open.meta = next.meta;
    open.maps = mapsOf(next);
    const { kind, cols, written } = open.meta;
    this.parts.node.classList.remove('waiting');
    Object.assign(this.parts.node.dataset, { numbers: 'exact', kind });
    setKind(this.root, this.host, kind);
    this.takeLooks();
    selection.trim(written, cols.length);
    selection.hovered = null;
    const count = open.maps.length;
    open.off = new Set([...open.off].filter((k) => k < count && count > 1));
    announce('shown', { kind, heads: open.meta.pairs });
    this.showWords();
  }

  /** Pins and the part looked at belong to a sentence: another head of the same words keeps them. */
  takeLooks() {
    const { own, selection } = this;
    const { meta } = this.open;
    const words = JSON.stringify([meta.kind, meta.verb, meta.rows[0], meta.cols]);
    const [pinsAreNews, looksAreNews] = [this.pins.isNews(meta.pins), this.looks.isNews(meta.view)];
    const another = words !== this.words;
    this.words = words;
    if (another || pinsAreNews)
      [selection.rows, selection.cols] = [new Set(meta.pins[0]), new Set(meta.pins[1])];
    const reach = reachOf(Math.max(meta.rows.length, meta.cols.length));
    const share = meta.unit === 'share';
    const resized = reach !== own.reach;
    if (resized) Object.assign(own, { reach, threshold: reach > 1 ? 0.05 : 0.02, log: reach > 2 && share });
    const [threshold, log, area] = meta.view;
    if (looksAreNews || resized) {
      if (threshold !== null) own.threshold = threshold / 100;
      if (log !== null) own.log = log && share;
    }
    if (looksAreNews || another) own.area = area;
    if (own.area && (own.area[1] > meta.rows.length || own.area[3] > meta.cols.length)) own.area = null;
    this.whole.hidden = !own.area;
  }

  update(next: HeadData) {
    const { meta } = this.open;
    const { pairs, kind } = next.meta;
    if (this.ahead && kind === meta.kind && nameOf(pairs) !== this.ahead.name) this.late = next;
    else this.take(next);
  }

  relayout() {
    this.refresh();
  }

  destroy() {
    this.frame.stop();
    clearTimeout(this.ahead?.timer);
  }
}

const capital = (words: string) => words[0].toUpperCase() + words.slice(1);

function mapsOf({ meta, exact, levels }: HeadData) {
  const size = meta.written * meta.cols.length;
  const [numbers, bytes] = [unpack(exact), unpack(levels)];
  return meta.heads.map((_, k) => {
    if (k < meta.exact) return numbers.subarray(k * size, (k + 1) * size);
    const from = (k - meta.exact) * size;
    return Float32Array.from(bytes.subarray(from, from + size), (b) => WEIGHT_OF_BYTE[b]);
  });
}

export default function view(args: Mounting<HeadData>) {
  return mount(args, (root, host) => new Head(root, host));
}
