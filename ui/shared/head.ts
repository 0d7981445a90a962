/* One open head (or up to eight together): lines and heatmap of the same numbers, linked.
   Hover previews a token's row or column in both, a click pins it, pins are summed, Esc clears. */

import type { Topics } from '../web/base/events.ts';
import type { Host } from '../web/base/view.ts';
import type { HeadAnswers, HeadData, Unit } from '../web/generated/types.ts';
import type { Cell } from '../web/maps/selection.ts';
import type { Area } from '../web/maps/sheet.ts';
import { el } from '../web/base/dom.ts';
import { announce, linked, listenTo, onEscape, oncePerFrame } from '../web/base/events.ts';
import { tr } from '../web/base/language.ts';
import { CardView, bringIntoSight, setKind, viewOf } from '../web/base/view.ts';
import { mapKeys } from '../web/base/words.ts';
import { PinnedTokens } from '../web/maps/selection.ts';
import { capital } from '../web/maps/sentence.ts';
import { WEIGHT_OF_BYTE } from '../web/maps/sheet.ts';
import { areaBetween, columnsHit, heatHit } from '../web/marks/frames.ts';
import { drawLegend } from '../web/marks/legend.ts';
import { Pair } from '../web/marks/pair.ts';
import {
  axes,
  arrangeHead,
  headLegend,
  headLines,
  headMap,
  makeKnobs,
  makeSwatches,
} from './head_drawing.ts';
import { OpenHeads, headSentence, headTitle, headsTitle, nameOf, reachOf } from './head_numbers.ts';
import './head.css';

const ZOOM_FROM = 24; // tokens a side from where looking closer is worth it

export class Head extends CardView {
  swatches = el('div', { class: 'swatches', role: 'group', 'aria-label': tr('Heads shown') });
  band = el('div', { class: 'detail-band', hidden: true });
  legend = el('canvas', { class: 'picture' });
  whole = el('button', { class: 'quiet', hidden: true, onclick: () => this.zoom(null) }, tr('⤢ Whole map'));
  foot = el('div', { class: 'foot' });
  pair: Pair;
  open = new OpenHeads();
  soon = oncePerFrame(this.host, () => this.draw());
  pins = new PinnedTokens(this.host, this.soon);
  looks = linked<HeadAnswers['viewed']>(this.host, 'viewed');
  own = { threshold: 0.02, log: false, reach: 0, area: null as Area | null };
  knobs: { unit: Unit; show(): void } | null = null;
  words = '';
  ahead = new Ahead(this);

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'detail');
    const words = { name: 'detail', axes: axes(), between: [this.parts.readout], over: [this.band] };
    this.pair = new Pair(words, { lines: () => headLines(this), map: () => headMap(this) });
    this.showAlone('map');
    this.parts.body.append(this.swatches, this.pair.node, this.foot);
    this.listen();
  }

  listen() {
    const pointed = {
      hover: (at: Cell | null) => this.hover(at),
      pin: (at: Cell | null) => this.pin(at),
      cell: () => this.pins.hovered ?? { row: this.open.tellingRow },
      size: () => [this.open.meta.written, this.open.meta.cols.length] as [number, number],
    };
    this.pair.lines.listen(columnsHit, pointed);
    this.pair.map.listen(heatHit, {
      ...pointed,
      drags: () => Math.max(this.open.meta.rows.length, this.open.meta.cols.length) > ZOOM_FROM,
      drag: (from, to) => {
        this.pins.hovered = null;
        const area = areaBetween(this.pair.map.frame, from, to);
        if (area) this.zoom(area);
      },
      band: this.band,
    });
    // Pins are cleared first, the open head closes with the next Esc.
    onEscape(this.host, this.parts.controls, () => this.clear());
    listenTo(this.host, 'heads', (opened) => this.ahead.show(opened));
  }

  /* ---------- drawing ---------- */

  draw() {
    this.pair.draw();
    this.parts.tell({ title: headTitle(this), readout: headSentence(this) });
  }

  /** The picture that is seen where there is no room for both. */
  showAlone(picture: 'map' | 'lines') {
    this.pair.alone = this.pair.node.dataset.shows = this.foot.dataset.shows = picture;
  }

  relayout() {
    arrangeHead(this);
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
    this.pins.hover(legal ? at : null);
  }

  pin(at: Cell | null) {
    if (at && (at.row ?? 0) < this.open.meta.written) this.pins.toggle(at);
  }

  reportView() {
    const { threshold, log, area } = this.own;
    const viewed = { threshold: Math.round(100 * threshold), log, zoom: area };
    if (this.open.meta.report) this.looks.report(viewed);
  }

  /** Pins and what is hovered, else the zoom; false when there is nothing to clear. */
  clear() {
    if (this.pins.clear()) return true;
    if (!this.own.area) return false;
    this.zoom(null);
    return true;
  }

  zoom(area: Area | null) {
    this.own.area = area;
    this.whole.hidden = !area;
    this.open.cache = {};
    this.relayout();
    this.reportView();
  }

  /* ---------- data ---------- */

  /** Words, controls and pictures of what is open. */
  showWords() {
    const { meta } = this.open;
    this.parts.tell({ subtitle: meta.subtitle });
    const names = meta.heads.map(({ name }) => name).join(', ');
    const fields = { names, rows: meta.written, columns: meta.cols.length };
    this.pair.describe(
      tr('Attention of {names} as lines, {rows} × {columns} tokens.', fields) + mapKeys(),
      tr('Attention of {names} as a map, {rows} × {columns} tokens.', fields) + mapKeys(),
    );
    this.build();
    if (this.knobs?.unit !== meta.unit) this.knobs = makeKnobs(this);
    this.knobs.show();
    makeSwatches(this);
    this.relayout();
  }

  take(next: HeadData) {
    const { open, pins } = this;
    this.ahead.end();
    open.meta = next;
    open.maps = next.heads.map(({ values }) =>
      values instanceof Uint8Array ? Float32Array.from(values, (b) => WEIGHT_OF_BYTE[b]) : values,
    );
    const { kind, cols, written } = open.meta;
    this.parts.node.classList.remove('waiting');
    this.parts.node.classList.toggle('bare', next.bare);
    Object.assign(this.parts.node.dataset, { numbers: 'exact', kind });
    setKind(this.host, kind);
    this.takeLooks();
    pins.trim(written, cols.length);
    pins.hovered = null;
    const count = open.maps.length;
    open.off = new Set([...open.off].filter((k) => k < count && count > 1));
    announce('shown', { kind, heads: open.meta.pairs });
    this.showWords();
  }

  /** Pins and the part looked at belong to a sentence: another head of the same words keeps them. */
  takeLooks() {
    const { own } = this;
    const { meta } = this.open;
    const words = JSON.stringify([meta.kind, meta.rows[0], meta.cols]);
    const looksAreNews = this.looks.isNews(meta.viewed);
    const another = words !== this.words;
    this.words = words;
    this.pins.reports = meta.report;
    this.pins.take(meta.pins, another);
    const reach = reachOf(Math.max(meta.rows.length, meta.cols.length));
    const share = meta.unit === 'share';
    const resized = reach !== own.reach;
    if (resized) Object.assign(own, { reach, threshold: reach > 1 ? 0.05 : 0.02, log: reach > 2 && share });
    const { threshold, log, zoom } = meta.viewed;
    if (looksAreNews || resized) {
      if (threshold !== null) own.threshold = threshold / 100;
      if (log !== null) own.log = log && share;
    }
    if (looksAreNews || another) own.area = zoom;
    if (own.area && (own.area[1] > meta.rows.length || own.area[3] > meta.cols.length)) own.area = null;
    this.whole.hidden = !own.area;
  }

  update(next: HeadData) {
    if (!this.ahead.keeps(next)) this.take(next);
  }

  destroy() {
    this.ahead.end();
  }
}

/* ---------- A head's picture from the wall, shown until its exact numbers come from Python. ---------- */

const WAIT = 4000; // milliseconds that a head from the wall waits for its exact numbers

class Ahead {
  /** What is shown ahead. */
  waits: { name: string; timer: number } | null = null;
  /** An answer that came for an earlier one. */
  late: HeadData | null = null;

  constructor(readonly head: Head) {}

  show(opened: Topics['heads']) {
    const { open, parts } = this.head;
    if (!open.meta || opened.kind !== open.meta.kind) return;
    if (opened.heads.length) bringIntoSight(parts.node); // below the wall, as on a phone, it would not be
    clearTimeout(this.waits?.timer);
    const name = nameOf(opened.heads);
    this.waits = { name, timer: window.setTimeout(() => this.giveUp(), WAIT) };
    this.late = null;
    const words = JSON.stringify([open.meta.rows.slice(0, open.meta.written), open.meta.cols]);
    const fits =
      open.meta.mode === 'weights' && !open.off.size && JSON.stringify([opened.rows, opened.cols]) === words;
    const values = fits ? opened.values : null;
    parts.node.classList.toggle('waiting', !values && nameOf(open.meta.pairs) !== name);
    if (!values) return;
    const names = opened.heads.map((head) => head.join('.'));
    const { all } = opened;
    const title = names.length ? headsTitle(names) : capital(all.subject);
    const named = names.length
      ? names.map((name) => ({ name, subject: tr('head {name}', { name }) }))
      : [{ name: tr('all'), subject: all.subject }];
    open.meta = {
      ...open.meta,
      pairs: opened.heads,
      title,
      heads: named.map((one, k) => ({ ...one, hidden: null, values: values[k] })),
      distribution: names.length > 0 || all.how === 'mean',
    };
    open.maps = values;
    parts.node.dataset.numbers = 'ahead';
    this.head.showWords();
  }

  giveUp() {
    this.waits = null;
    if (this.late) this.head.take(this.late);
  }

  /** Whether an answer is for an earlier head than the one shown; it is kept in case no other comes. */
  keeps(next: HeadData) {
    const { pairs, kind } = next;
    if (!this.waits || kind !== this.head.open.meta.kind || nameOf(pairs) === this.waits.name) return false;
    this.late = next;
    return true;
  }

  /** The exact numbers are there, or the view goes. */
  end() {
    clearTimeout(this.waits?.timer);
    this.waits = this.late = null;
  }
}

export default viewOf(Head);
