/* The heads of a model over a corpus: the maps of the three kinds, and the table of one; linked, a click opens a head. */

import type { Painter } from '../web/base/paint.ts';
import type { Host, Mounting } from '../web/base/view.ts';
import type { AtlasAnswers, AtlasData, Listed, Sort } from '../web/generated/types.ts';
import type { Panel, Spot } from './atlas_drawing.ts';
import { chooser, field } from '../web/base/controls.ts';
import { card, el, say } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { linked, oncePerFrame } from '../web/base/events.ts';
import { exportMenu } from '../web/base/export.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { inSight, mount, setKind } from '../web/base/view.ts';
import { nameOf, nearest, paintMaps, panelsOf, spotsOf } from './atlas_drawing.ts';
import { AtlasHeads, headSentence } from './atlas_heads.ts';
import { atlasLeaving, fillTable, showOpen, walkRows } from './atlas_table.ts';
import './atlas.css';

const MAP = 196; // pixels of the design that a panel is tall
const GAP = 12;
const BESIDE = 168; // wide enough for a panel beside others
const LIST = 470; // pixels of the design that the table may take before it scrolls
const HALL = 430; // of them around the table in a hall

export class Atlas {
  parts: ReturnType<typeof card>;
  maps = el('canvas', { class: 'picture atlas-maps', role: 'img' });
  layer: HTMLSelectElement;
  role: HTMLSelectElement;
  score: HTMLSelectElement;
  head = el('tr');
  rows = el('tbody');
  table: HTMLTableElement;
  list: HTMLDivElement;
  about = el('p', { class: 'atlas-about' });
  heads = new AtlasHeads();
  hovered = -1;
  panels: Panel[] = [];
  spots: (Spot | null)[] = [];
  size = [0, 0];
  frame: ReturnType<typeof oncePerFrame>;
  looks: ReturnType<typeof linked<Listed>>;

  constructor(
    readonly root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.node.classList.add('atlas-card');
    this.layer = chooser(
      [['', '']],
      '',
      (value) => this.filter({ layer: value === '' ? null : Number(value) }),
      tr('layer'),
    );
    this.role = chooser([['', '']], '', (value) => this.filter({ role: value }), tr('role'));
    this.score = chooser([['', '']], '', (value) => this.sortBy(value, 'high'), tr('score'));
    const fields = [
      field(tr('layer'), this.layer),
      field(tr('role'), this.role),
      field(tr('sorted by'), this.score),
    ];
    this.table = el('table', { class: 'atlas-heads' }, el('thead', {}, this.head), this.rows);
    this.list = el('div', { class: 'atlas-list' }, this.table);
    this.parts.body.append(this.maps, el('div', { class: 'atlas-fields' }, ...fields), this.list, this.about);
    this.parts.node.append(this.parts.readout);
    this.parts.controls.append(exportMenu(host, atlasLeaving(this)));
    this.frame = oncePerFrame(() => this.draw());
    this.looks = linked<AtlasAnswers['arranged']>(host, 'arranged');
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
    this.rows.addEventListener('keydown', walkRows);
  }

  /** What the table is made of. */
  get listed() {
    const { heads } = this;
    const { sort, score } = heads.own;
    return {
      ...{ meta: heads.meta, columns: heads.columns, sort, score },
      stat: (n: number, name: string, stat = 0) => heads.stat(n, name, stat),
      sortBy: (name: string, next: Sort) => this.sortBy(name, next),
    };
  }

  /* ---------- what the reader does ---------- */

  hover(n: number, event?: MouseEvent) {
    if (event) {
      const head = this.heads.meta.heads[n];
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
    const head = this.heads.meta.heads[n];
    if (!head) return;
    const { kind, layer, head: number } = head;
    this.heads.meta.opened = { kind, layer, head: number };
    this.frame.soon();
    this.host.trigger('picked', this.heads.meta.opened satisfies AtlasAnswers['picked']);
  }

  sortBy(score: string, sort: Sort) {
    Object.assign(this.heads.own, { score, sort });
    this.report();
  }

  filter(wanted: { layer?: number | null; role?: string }) {
    Object.assign(this.heads.own, wanted);
    this.report();
  }

  report() {
    const { sort, score, layer, role } = this.heads.own;
    fillTable(this);
    this.frame.soon();
    this.looks.report({ sort, score, layer, role });
  }

  /* ---------- drawing ---------- */

  arrange() {
    const u = this.host.scale;
    const room = this.parts.body.clientWidth;
    this.heads.room = room / u;
    const kinds = this.heads.meta.kinds.map(({ kind }) => kind);
    this.panels = panelsOf(kinds, this.heads.meta.kind, room, MAP * u, GAP * u, BESIDE * u);
    this.size = [room, MAP * u];
    this.spots = spotsOf(this.heads.meta.heads, this.panels, u);
    this.list.style.maxHeight = `${inSight(this.host, LIST, HALL) * u}px`;
  }

  draw() {
    const [width, height] = this.size;
    this.paint(canvasPainter(fitCanvas(this.maps, width, height)));
    const { heads } = this;
    for (const row of this.rows.children) {
      const n = Number((row as HTMLElement).dataset.n);
      row.classList.toggle('hovered', n === this.hovered);
      row.toggleAttribute('data-open', n === heads.open);
    }
    say(this.parts.readout, this.sentence());
  }

  paint(p: Painter) {
    const { heads, panels, spots, hovered } = this;
    const { meta, open } = heads;
    paintMaps(p, { meta, panels, spots, listed: new Set(heads.order), hovered, open }, this.host);
  }

  sentence() {
    const { heads } = this;
    const n = this.hovered >= 0 ? this.hovered : heads.open;
    return headSentence(heads.meta, n, heads.named, (stat) => heads.stat(n, heads.named?.name ?? '', stat));
  }

  /* ---------- data ---------- */

  update(meta: AtlasData) {
    const another =
      !this.heads.meta || this.heads.meta.kind !== meta.kind || this.heads.meta.file !== meta.file;
    this.heads.meta = { ...meta };
    if (this.looks.isNews(meta.listed) || another) Object.assign(this.heads.own, meta.listed);
    setKind(this.root, this.host, meta.kind);
    Object.assign(this.parts.node.dataset, { kind: meta.kind });
    say(this.parts.title, [meta.title]);
    say(this.parts.subtitle, [meta.subtitle]);
    this.maps.setAttribute('aria-label', `${tr('Maps of the heads')}. ${meta.title}. ${meta.subtitle}`);
    this.refresh();
    showOpen(this);
  }

  refresh() {
    this.arrange();
    fillTable(this);
    this.draw();
  }

  relayout() {
    this.refresh();
  }

  destroy() {
    this.frame.stop();
  }
}

export default function view(args: Mounting) {
  return mount(args, (root, host) => new Atlas(root, host));
}
