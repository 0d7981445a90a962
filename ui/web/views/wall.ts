/* All heads of one attention kind as small pictures: hover previews, a click opens, Shift lays one over the open one,
   arrows move, Esc closes. The open head's picture is handed to the detail at once; exact numbers follow from Python. */

import type { Column } from '../base/arrays.ts';
import type { Host, Mounting } from '../base/view.ts';
import type { Cache } from '../marks/picture.ts';
import type { Sheet } from '../maps/sheet.ts';
import type { Arranged } from './wall_controls.ts';
import type { WallLayout } from './wall_layout.ts';
import type { Tone, WallMeta } from './wall_numbers.ts';
import { unpack } from '../base/arrays.ts';
import { rampTable } from '../base/colour.ts';
import { keyList } from '../base/controls.ts';
import { card, el, say } from '../base/dom.ts';
import { animate, announce, bus, linked, listenTo, pageKeys } from '../base/events.ts';
import { exportMenu } from '../base/export.ts';
import { canvasPainter, fitCanvas } from '../base/paint.ts';
import { inSight, mount, setKind } from '../base/view.ts';
import { TOUCH, lowered } from '../base/words.ts';
import { drawLegend } from '../marks/legend.ts';
import { arrangeButtons, makeButtons } from './wall_buttons.ts';
import { wallControls } from './wall_controls.ts';
import { paintWall, wallLeaving, wallLegend } from './wall_drawing.ts';
import { EDGE, wallLayout } from './wall_layout.ts';
import { headSheet, pictureName, weightsOf, wholeOfHeads } from './wall_numbers.ts';
import { SWITCH_KEYS, turn, turnLayer } from './wall_switches.ts';
import './wall.css';

const KEYS = [
  ['← ↑ → ↓', 'from head to head, from cell to cell'],
  ['Enter', 'open the head, pin the cell'],
  ['Shift + Enter', 'lay the head over the open one'],
  ['Esc', 'clear the pins, then close the head'],
  ['Space', 'play the joint view'],
  ['F', 'a card fills the screen; F or Esc gives it back'],
  ['?', 'this list'],
] as const;

const HALL = 280; // pixels of the design around the pictures in a hall: header, strip, title
const HOW = TOUCH
  ? 'tap one to open it, a layer’s name to lay its heads over one another'
  : 'click opens one, Shift-click lays more over it';
const MOST_OPEN = 8;
// The first click is reported at once; of many in a row, the last one when they stop.
const QUICK = 300; // milliseconds between two clicks in a row
const PAUSE = 150;

interface WallData {
  meta: WallMeta;
  levels: Column;
}

export class Wall {
  parts: ReturnType<typeof card>;
  canvas: HTMLCanvasElement;
  grid: HTMLDivElement;
  tip: HTMLDivElement;
  none: HTMLParagraphElement;
  legend: HTMLCanvasElement;
  foot: HTMLDivElement;
  about: HTMLDivElement;
  keys: ReturnType<typeof keyList>;
  switchKeys: ReturnType<typeof keyList>;
  look: ReturnType<typeof linked>;
  own: Arranged;
  /** heads that stand open */
  opened: number[] = [];
  /** The head that the keyboard is at. */
  at = 0;
  meta!: WallMeta;
  layout!: WallLayout;
  levels: Uint8Array<ArrayBuffer>;
  table: string[] = [];
  pictures: { sheet: Sheet; cache: Cache }[] = [];
  buttons;
  controls = '';
  /** the colours it was drawn in */
  coloured: object | null = null;
  stop: () => void;
  reported = 0;
  later = 0;

  constructor(
    readonly root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.node.classList.add('wall');
    this.canvas = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
    this.grid = el('div', { class: 'wall-heads', role: 'group' });
    this.tip = el('div', { class: 'tip wall-preview', hidden: true, 'aria-hidden': 'true' });
    this.none = el('p', { class: 'wall-none', hidden: true }, 'No head reaches this score.');
    this.legend = el('canvas', { class: 'picture' });
    this.foot = el('div', { class: 'foot' }, this.legend);
    this.about = el('div', { hidden: true });
    this.parts.body.before(this.about);
    this.parts.body.append(this.canvas, this.grid, this.none, this.tip);
    this.parts.node.append(this.foot);
    this.keys = keyList(KEYS);
    this.switchKeys = keyList(SWITCH_KEYS);
    this.look = linked(host, 'arranged');
    this.own = { badge: null, order: 'model', least: null, tone: null };
    this.levels = new Uint8Array(0);
    this.buttons = { heads: [] as HTMLElement[], layers: [] as HTMLElement[] };
    this.stop = () => {};
    pageKeys(host, {
      Escape: () => this.escape(),
      '?': () => (this.meta?.off ? this.switchKeys : this.keys).toggle(),
    });
    listenTo(host, 'shown', (said) => {
      if (said.kind === this.meta?.kind && !this.meta.off) this.outline(this.headsOf(said));
    });
  }

  /* ---------- the numbers of a head ---------- */

  score(head: number, name = this.own.badge): number | null {
    return this.meta.scores[name ?? '']?.values[head] ?? null;
  }

  isStrong(head: number) {
    const { mark = null, down = false } = this.meta.scores[this.own.badge ?? ''] ?? {};
    const score = this.score(head);
    return score !== null && mark !== null && (down ? score <= mark : score >= mark);
  }

  passes(head: number) {
    const { least } = this.own;
    return least === null || (this.score(head) ?? -Infinity) >= least;
  }

  /** Many tokens share a row, so their weights are small. */
  get tone(): Tone {
    return this.own.tone ?? (this.meta.keys > 64 ? 'log' : 'weight');
  }

  pairOf(head: number): [number, number] {
    return [Math.floor(head / this.meta.heads), head % this.meta.heads];
  }

  nameOf(head: number) {
    return pictureName(this.meta, head);
  }

  /** Whether a picture is a layer and not a head. */
  get layered() {
    return Boolean(this.meta.quantity?.pictures.length);
  }

  headsOf(said: { heads: [number, number][] }) {
    const { layers, heads } = this.meta;
    const known = said.heads.filter(([layer, k]) => layer < layers && k < heads);
    return known.map(([layer, k]) => layer * heads + k);
  }

  /** The heads in the order they are shown. */
  order() {
    const all = this.pictures.map((_, head) => head);
    if (this.own.order === 'model' || this.own.badge === null) return all;
    const sign = this.own.order === 'high' ? -1 : 1;
    const value = (head: number) => this.score(head) ?? -sign * Infinity;
    return all
      .filter((head) => this.passes(head))
      .sort((a, b) => (value(a) === value(b) ? a - b : sign * (value(a) - value(b))));
  }

  /* ---------- pictures ---------- */

  bytes(head: number) {
    return this.levels.subarray(head * this.meta.size, (head + 1) * this.meta.size);
  }

  build() {
    const { meta, host } = this;
    this.table = rampTable(host.colours.panel, host.colours[meta.kind]);
    this.pictures = Array.from({ length: meta.layers * meta.heads }, (_, head) => ({
      sheet: headSheet(meta, this.bytes(head), this.table, this.tone),
      cache: {},
    }));
  }

  draw(from?: Map<number, { x: number; y: number }>, share = 1) {
    const context = fitCanvas(this.canvas, this.layout.room + EDGE * this.layout.u, this.layout.height);
    paintWall(canvasPainter(context), this, from, share);
    drawLegend(this.legend, this.host.scale, wallLegend(this), this.host.colours);
  }

  arrange() {
    const order = this.order();
    if (!this.layout.at.has(this.at)) this.at = order[0] ?? 0;
    arrangeButtons(this, order);
    this.none.hidden = order.length > 0;
    const kept = this.pictures.filter((_, head) => this.passes(head)).length;
    const least = this.own.least === null ? '' : ` · ${kept} of ${this.pictures.length} kept`;
    say(this.parts.subtitle, [(this.meta.subtitle || HOW) + least]);
  }

  refresh(moving = false) {
    const before = this.layout?.at;
    const asInModel = this.own.order === 'model';
    const room = this.parts.body.clientWidth;
    const tall = inSight(this.host, this.meta.tall, HALL);
    this.layout = wallLayout({ ...this.meta, tall }, this.order(), asInModel, room, this.host.scale);
    this.hidePreview();
    this.arrange();
    this.stop();
    if (moving && before) this.stop = animate((share) => this.draw(before, share));
    else this.draw();
  }

  /* ---------- opening ---------- */

  outline(heads: number[], at = heads[0] ?? this.at) {
    if (String(heads) === String(this.opened)) return;
    [this.opened, this.at] = [heads, at];
    this.hidePreview();
    this.arrange();
    this.draw();
  }

  report(heads: [number, number][]) {
    clearTimeout(this.later);
    const tell = () => {
      this.reported = performance.now();
      this.host.trigger('picked', { heads });
    };
    if (performance.now() - this.reported < QUICK) this.later = window.setTimeout(tell, PAUSE);
    else tell();
  }

  open(list: number[], at: number) {
    const { meta, levels } = this;
    this.outline(list, at);
    const heads = list.map((head) => this.pairOf(head));
    const numbers = () =>
      list.length ? list.map((head) => weightsOf(meta, levels, head)) : [wholeOfHeads(meta, levels)];
    announce('heads', {
      ...{
        kind: meta.kind,
        rows: meta.rows.slice(0, meta.written),
        cols: meta.cols,
        heads,
        whole: meta.whole,
      },
      // A reduced wall has no numbers of single tokens, and one without its hidden tokens no means and no hidden shares.
      values: meta.labelled && !meta.hidden && !meta.quantity ? numbers() : null,
    });
    this.report(heads);
  }

  /**
   * A click opens the head or closes the only open one; with Shift, Ctrl or ⌘ it is laid over the open ones.
   */
  press(head: number, over: boolean) {
    if (this.meta.off) return turn(this, [head]);
    const isOpen = this.opened.includes(head);
    if (over && this.opened.length && !this.layered) {
      const list = isOpen ? this.opened.filter((other) => other !== head) : [...this.opened, head];
      if (list.length <= MOST_OPEN) this.open(list, head);
    } else this.open(this.opened.length === 1 && isOpen && !this.layered ? [] : [head], head);
  }

  pressLayer(layer: number) {
    const { heads } = this.meta;
    if (this.meta.off) return turnLayer(this, layer);
    const list = Array.from({ length: Math.min(MOST_OPEN, heads) }, (_, k) => layer * heads + k);
    this.open(String(list) === String(this.opened) ? [] : list, list[0]);
  }

  escape() {
    if (this.keys.isOpen()) return this.keys.hide();
    if (this.switchKeys.isOpen()) return this.switchKeys.hide();
    if (!this.opened.length) return false;
    this.open([], this.opened[0]);
  }

  /* ---------- the larger picture ---------- */

  hidePreview() {
    this.tip.hidden = true;
  }

  /* ---------- controls ---------- */

  makeControls() {
    const { own } = this;
    const least = () => (own.least === null ? null : Number(own.least.toFixed(3)));
    const fields = wallControls(this.meta, own, this.tone, {
      sorted: () => {
        if (own.order === 'model') this.grid.append(...this.buttons.heads);
        this.refresh(true);
      },
      filtered: () => this.refresh(true),
      toned: () => {
        this.build();
        this.refresh();
      },
      settled: () => this.look.report([own.order, own.badge, least(), own.tone]),
    });
    const menu = exportMenu(this.host, wallLeaving(this));
    const keys = this.meta.off ? this.switchKeys : this.keys;
    this.parts.controls.replaceChildren(...fields.above, keys.button, menu, keys.list);
    this.about.replaceWith(fields.about);
    this.about = fields.about;
    keys.explain(
      Object.values(this.meta.scores).map(({ label, definition }) => [lowered(label), definition]),
    );
    this.foot.replaceChildren(this.legend, el('span', { class: 'wall-foot' }, ...fields.below));
  }

  update(next: WallData) {
    const { host } = this;
    const drawn = this.meta?.digest;
    const same = Boolean(drawn) && next.meta.digest === drawn && host.colours === this.coloured;
    this.meta = next.meta;
    this.coloured = host.colours;
    if (!same) this.levels = unpack(next.levels) as Uint8Array<ArrayBuffer>;
    setKind(this.root, host, this.meta.kind);
    const { scores, layers, heads } = this.meta;
    const wanted = JSON.stringify([Object.keys(scores), layers, heads]);
    const news = this.look.isNews(this.meta.arranged);
    this.takeArrangement(news);
    say(this.parts.title, [this.meta.title]);
    this.grid.setAttribute('aria-label', this.meta.title);
    if (same && !news && wanted === this.controls) return;
    this.build();
    const shown = bus().last.shown;
    if (this.meta.off) this.opened = [];
    else if (this.meta.open) this.opened = this.meta.open;
    else if (shown?.kind === this.meta.kind) this.opened = this.headsOf(shown);
    if (this.buttons.heads.length !== this.pictures.length || wanted !== this.controls) {
      this.buttons = makeButtons(this);
    }
    if (wanted !== this.controls || !same || news) this.makeControls();
    this.controls = wanted;
    this.refresh();
  }

  /** @param news whether the arrangement of the data is another than the reader's */
  takeArrangement(news: boolean) {
    const [order, badge, least, tone] = this.meta.arranged;
    if (news) Object.assign(this.own, { order, badge, least, tone });
    if ((this.own.badge ?? '') in this.meta.scores) return;
    Object.assign(this.own, { badge: Object.keys(this.meta.scores)[0] ?? null, order: 'model', least: null });
  }

  relayout() {
    this.refresh();
  }

  destroy() {
    this.stop();
    clearTimeout(this.later);
  }
}

export default function view(args: Mounting<WallData>) {
  return mount(args, (root, host) => new Wall(root, host));
}
