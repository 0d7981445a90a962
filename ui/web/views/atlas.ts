/* The heads of a model over a corpus: the maps of the three kinds, and the table of one; linked, a click opens a head. */

import type { Column, Numbers } from '../base/arrays.ts';
import type { Leaving } from '../base/export.ts';
import type { Painter } from '../base/paint.ts';
import type { Host, Mounting } from '../base/view.ts';
import type { Order, Panel, Spot } from './atlas_layout.ts';
import type { AtlasMeta, AtlasScore } from './atlas_numbers.ts';
import { unpack } from '../base/arrays.ts';
import { chooser, field, fillChooser } from '../base/controls.ts';
import { card, el, say } from '../base/dom.ts';
import { linked, oncePerFrame } from '../base/events.ts';
import { exportMenu } from '../base/export.ts';
import { canvasPainter, fitCanvas } from '../base/paint.ts';
import { inSight, mount, setKind } from '../base/view.ts';
import { STATS, nameOf, nearest, panelsOf, rowsOf, spotsOf } from './atlas_layout.ts';
import { atlasCsv, headSentence } from './atlas_numbers.ts';
import { headCells, headRow } from './atlas_table.ts';
import { paintMaps } from './atlas_drawing.ts';
import './atlas.css';

const MAP = 196; // pixels of the design that a panel is tall
const GAP = 12;
const BESIDE = 168; // wide enough for a panel beside others
const LIST = 470; // pixels of the design that the table may take before it scrolls
const HALL = 430; // of them around the table in a hall
const NAMED = 190; // pixels of the design for the columns with the head's name and roles
const COLUMN = 122; // a column with a score

interface AtlasData {
  meta: AtlasMeta;
  numbers: Column;
}

export class Atlas {
  parts: ReturnType<typeof card>;
  maps: HTMLCanvasElement;
  layer: HTMLSelectElement;
  role: HTMLSelectElement;
  score: HTMLSelectElement;
  head: HTMLTableRowElement;
  rows: HTMLTableSectionElement;
  table: HTMLTableElement;
  list: HTMLDivElement;
  about: HTMLParagraphElement;
  meta!: AtlasMeta;
  numbers: Numbers = new Float32Array();
  own;
  hovered = -1;
  panels: Panel[] = [];
  spots: (Spot | null)[] = [];
  size = [0, 0];
  frame: ReturnType<typeof oncePerFrame>;
  looks: ReturnType<typeof linked>;

  constructor(
    readonly root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.node.classList.add('atlas-card');
    this.maps = el('canvas', { class: 'picture atlas-maps', role: 'img' });
    this.layer = chooser(
      [['', '']],
      '',
      (value) => this.filter({ layer: value === '' ? null : Number(value) }),
      'layer',
    );
    this.role = chooser([['', '']], '', (value) => this.filter({ role: value }), 'role');
    this.score = chooser([['', '']], '', (value) => this.sortBy(value, 'high'), 'score');
    const fields = [field('layer', this.layer), field('role', this.role), field('sorted by', this.score)];
    this.head = el('tr');
    this.rows = el('tbody');
    this.table = el('table', { class: 'atlas-heads' }, el('thead', {}, this.head), this.rows);
    this.list = el('div', { class: 'atlas-list' }, this.table);
    this.about = el('p', { class: 'atlas-about' });
    this.parts.body.append(this.maps, el('div', { class: 'atlas-fields' }, ...fields), this.list, this.about);
    this.parts.node.append(this.parts.readout);
    this.parts.controls.append(exportMenu(host, this.leaving()));
    this.own = {
      order: 'model' as Order,
      score: '',
      layer: null as number | null,
      role: '',
    };
    this.frame = oncePerFrame(() => this.draw());
    this.looks = linked(host, 'arranged');
    this.listen();
  }

  listen() {
    const at = (event: PointerEvent | MouseEvent) =>
      nearest(this.spots, event.offsetX, event.offsetY, 14 * this.host.scale);
    this.maps.addEventListener('pointermove', (event) => this.hover(at(event), event));
    this.maps.addEventListener('pointerleave', () => this.hover(-1));
    this.maps.addEventListener('click', (event) => this.pick(at(event)));
    const rowOf = (event: Event) => {
      const row = (event.target as Element).closest('tr[data-n]');
      return row ? Number((row as HTMLElement).dataset.n) : -1;
    };
    this.rows.addEventListener('pointerover', (event) => this.hover(rowOf(event)));
    this.rows.addEventListener('pointerleave', () => this.hover(-1));
    this.rows.addEventListener('click', (event) => this.pick(rowOf(event)));
    this.rows.addEventListener('keydown', (event) => this.walk(event));
  }

  walk(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const button = (event.target as Element).closest('tr');
    if (!step || !button) return;
    const next = step > 0 ? button.nextElementSibling : button.previousElementSibling;
    next?.querySelector('button')?.focus();
    event.preventDefault();
  }

  /* ---------- numbers ---------- */

  stat(n: number, score: string, stat = 0) {
    const place = this.meta.scores.findIndex(({ name }) => name === score);
    return place < 0 ? NaN : this.numbers[(n * this.meta.scores.length + place) * STATS + stat];
  }

  scoreOf(name: string) {
    return this.meta.scores.find((score) => score.name === name);
  }

  /** The score that is told of: the one that is sorted by, else the first column. */
  get told(): AtlasScore | undefined {
    return this.scoreOf(this.own.score) ?? this.columns[0];
  }

  /** The place in `heads` of the open head. */
  get open() {
    const { open, heads } = this.meta;
    if (!open) return -1;
    return heads.findIndex(
      ({ kind, layer, head }) => kind === open[0] && layer === open[1] && head === open[2],
    );
  }

  /** Scores that some head of the kind has. */
  get known() {
    const { meta } = this;
    return meta.scores.filter(({ name }) =>
      meta.heads.some((head, n) => head.kind === meta.kind && !Number.isNaN(this.stat(n, name))),
    );
  }

  /** The columns that fit: the score that is sorted by, and those of the kind. */
  get columns() {
    const room = this.parts.body.clientWidth / this.host.scale;
    const most = Math.max(1, Math.min(4, Math.floor((room - NAMED) / COLUMN)));
    const known = new Map(this.known.map((score) => [score.name, score]));
    const names = this.meta.columns[this.meta.kind].filter((name) => known.has(name));
    const { score } = this.own;
    const first = !score || names.slice(0, most).includes(score) ? [] : [score];
    const chosen = [...first, ...names.filter((name) => name !== first[0])].slice(0, most);
    return chosen.flatMap((name) => known.get(name) ?? []);
  }

  /** What the table is made of. */
  get listed() {
    const { order, score } = this.own;
    return {
      ...{ meta: this.meta, columns: this.columns, order, score },
      stat: (n: number, name: string, stat = 0) => this.stat(n, name, stat),
      sortBy: (name: string, next: Order) => this.sortBy(name, next),
    };
  }

  get order() {
    const { kind } = this.meta;
    const { layer, role, order, score } = this.own;
    return rowsOf(this.meta.heads, { kind, layer, role, order }, (n) => this.stat(n, score));
  }

  /* ---------- what the reader does ---------- */

  hover(n: number, event?: MouseEvent) {
    if (event) {
      const head = this.meta.heads[n];
      const words = head ? [{ strong: nameOf(head) }, ` ${head.roles.join(', ') || 'no role'}`] : [];
      const { offsetLeft, offsetTop } = this.maps;
      this.host.tip(words, event.offsetX + offsetLeft, event.offsetY + offsetTop);
      this.maps.style.cursor = head ? 'pointer' : '';
    }
    if (n === this.hovered) return;
    this.hovered = n;
    this.frame.soon();
  }

  pick(n: number) {
    const head = this.meta.heads[n];
    if (!head) return;
    this.meta.open = [head.kind, head.layer, head.head];
    this.frame.soon();
    this.host.trigger('picked', this.meta.open);
  }

  sortBy(score: string, order: Order) {
    Object.assign(this.own, { score, order });
    this.report();
  }

  filter(wanted: { layer?: number | null; role?: string }) {
    Object.assign(this.own, wanted);
    this.report();
  }

  report() {
    const { order, score, layer, role } = this.own;
    this.fill();
    this.frame.soon();
    this.looks.report([order, score, layer, role]);
  }

  /* ---------- drawing ---------- */

  arrange() {
    const u = this.host.scale;
    const room = this.parts.body.clientWidth;
    const kinds = this.meta.kinds.map(({ kind }) => kind);
    this.panels = panelsOf(kinds, this.meta.kind, room, MAP * u, GAP * u, BESIDE * u);
    this.size = [room, MAP * u];
    this.spots = spotsOf(this.meta.heads, this.panels, u);
    this.list.style.maxHeight = `${inSight(this.host, LIST, HALL) * u}px`;
  }

  draw() {
    const [width, height] = this.size;
    this.paint(canvasPainter(fitCanvas(this.maps, width, height)));
    for (const row of this.rows.children) {
      const n = Number((row as HTMLElement).dataset.n);
      row.classList.toggle('hovered', n === this.hovered);
      row.toggleAttribute('data-open', n === this.open);
    }
    say(this.parts.readout, this.sentence());
  }

  paint(p: Painter) {
    const { meta, panels, spots, hovered, open } = this;
    paintMaps(p, { meta, panels, spots, listed: new Set(this.order), hovered, open }, this.host);
  }

  sentence() {
    const n = this.hovered >= 0 ? this.hovered : this.open;
    return headSentence(this.meta, n, this.told, (stat) => this.stat(n, this.told?.name ?? '', stat));
  }

  /** The controls and the rows. */
  fill() {
    const { meta, own } = this;
    const ofKind = meta.heads.filter(({ kind }) => kind === meta.kind);
    const layers = [...new Set(ofKind.map(({ layer }) => layer))];
    if (own.layer !== null && !layers.includes(own.layer)) own.layer = null;
    const roles = meta.roles.filter((role) => ofKind.some((head) => head.roles.includes(role)));
    if (own.role && own.role !== 'none' && !roles.includes(own.role)) own.role = '';
    fillChooser(
      this.layer,
      [['', 'all'], ...layers.map((layer) => [layer, String(layer)] as [number, string])],
      own.layer ?? '',
    );
    fillChooser(
      this.role,
      [['', 'all'], ...roles.map((role) => [role, role] as [string, string]), ['none', 'no role']],
      own.role,
    );
    const scores = this.known.map(({ name, label }) => [name, label] as [string, string]);
    if (own.score && !this.known.some(({ name }) => name === own.score))
      Object.assign(own, { score: '', order: 'model' });
    fillChooser(this.score, [['', 'the model’s order'], ...scores], own.order === 'model' ? '' : own.score);
    const order = this.order;
    const listed = this.listed;
    this.head.replaceChildren(...headCells(listed));
    this.rows.replaceChildren(...order.map((n) => headRow(listed, n)));
    this.table.classList.toggle('empty', !order.length);
    const score = this.told;
    say(
      this.about,
      score ? [{ strong: score.label }, ` ${score.definition} `, { muted: score.told[0]?.[1] ?? '' }] : [],
    );
  }

  /* ---------- data ---------- */

  update({ meta, numbers }: AtlasData) {
    const [order, score, layer, role] = meta.arranged;
    const another = !this.meta || this.meta.kind !== meta.kind || this.meta.file !== meta.file;
    this.meta = { ...meta };
    this.numbers = unpack(numbers);
    if (this.looks.isNews(meta.arranged) || another) Object.assign(this.own, { order, score, layer, role });
    setKind(this.root, this.host, meta.kind);
    Object.assign(this.parts.node.dataset, { kind: meta.kind });
    say(this.parts.title, [meta.title]);
    say(this.parts.subtitle, [meta.subtitle]);
    this.maps.setAttribute('aria-label', `Maps of the heads. ${meta.title}. ${meta.subtitle}`);
    this.refresh();
    this.showOpen();
  }

  refresh() {
    this.arrange();
    this.fill();
    this.draw();
  }

  /** Scrolls the list, and nothing else, to the open head. */
  showOpen() {
    const row = this.rows.querySelector('[data-open]') as HTMLElement | null;
    if (!row) return;
    const { scrollTop, clientHeight } = this.list;
    const [top, tall] = [row.offsetTop, row.offsetHeight];
    if (top < scrollTop + tall || top + tall > scrollTop + clientHeight)
      this.list.scrollTop = top - clientHeight / 2;
  }

  relayout() {
    this.refresh();
  }

  destroy() {
    this.frame.stop();
  }

  leaving(): Leaving {
    return {
      name: () => this.meta.file,
      who: () => this.meta.title,
      size: () => this.size as [number, number],
      draw: (p) => this.paint(p),
      rows: () => atlasCsv(this.meta, (n, score, stat) => this.stat(n, score, stat)),
    };
  }
}

export default function view(args: Mounting<AtlasData>) {
  return mount(args, (root, host) => new Atlas(root, host));
}
