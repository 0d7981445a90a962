/* The heads of a model over a corpus: the maps of the three kinds, and the table of one; linked, a click opens a head. */

import type { Host } from '../web/base/view.ts';
import type { AtlasAnswers, AtlasData, Sort } from '../web/generated/types.ts';
import type { Panel, Spot } from './atlas_drawing.ts';
import { chooser, field } from '../web/base/controls.ts';
import { el } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { linked, oncePerFrame } from '../web/base/events.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { CardView, inSight, setKind, viewOf } from '../web/base/view.ts';
import { headName } from '../web/base/words.ts';
import { nearest, paintMaps, panelsOf, spotsOf } from './atlas_drawing.ts';
import { AtlasHeads, headSentence } from './atlas_heads.ts';
import { atlasLeaving, fillTable, showOpen, walkRows } from './atlas_table.ts';
import './atlas.css';

const MAP = 196; // pixels of the design that a panel is tall
const GAP = 12;
const BESIDE = 168; // wide enough for a panel beside others
const LIST = 470; // pixels of the design that the table may take before it scrolls
const HALL = 430; // of them around the table in a hall

export class Atlas extends CardView {
  maps = el('canvas', { class: 'picture atlas-maps', role: 'img' });
  layer = chooser(
    [['', '']],
    '',
    (value) => this.filter({ layer: value === '' ? null : Number(value) }),
    tr('layer'),
  );
  role = chooser([['', '']], '', (value) => this.filter({ role: value }), tr('role'));
  score = chooser([['', '']], '', (value) => this.sortBy(value, 'high'), tr('score'));
  head = el('tr');
  rows = el('tbody');
  table = el('table', { class: 'atlas-heads' }, el('thead', {}, this.head), this.rows);
  list = el('div', { class: 'atlas-list' }, this.table);
  about = el('p', { class: 'atlas-about' });
  heads = new AtlasHeads();
  hovered = -1;
  panels: Panel[] = [];
  spots: (Spot | null)[] = [];
  size = [0, 0];
  soon = oncePerFrame(this.host, () => this.draw());
  looks = linked<AtlasAnswers['arranged']>(this.host, 'arranged');

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'atlas-card');
    const fields = [
      field(tr('layer'), this.layer),
      field(tr('role'), this.role),
      field(tr('sorted by'), this.score),
    ];
    this.parts.body.append(this.maps, el('div', { class: 'atlas-fields' }, ...fields), this.list, this.about);
    this.parts.node.append(this.parts.readout);
    this.parts.controls.append(exportMenu(host, atlasLeaving(this)));
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

  /* ---------- what the reader does ---------- */

  hover(n: number, event?: MouseEvent) {
    if (event) {
      const head = this.heads.meta.heads[n];
      const words = head ? [{ strong: headName(head) }, ` ${head.roles.join(', ') || 'no role'}`] : [];
      const { offsetLeft, offsetTop } = this.maps;
      this.host.tip(words, event.offsetX + offsetLeft, event.offsetY + offsetTop);
      this.maps.style.cursor = head ? 'pointer' : '';
    }
    if (n === this.hovered) return;
    this.hovered = n;
    this.soon();
  }

  pick(n: number) {
    const head = this.heads.meta.heads[n];
    if (!head) return;
    const { kind, layer, head: number } = head;
    this.heads.meta.opened = { kind, layer, head: number };
    this.soon();
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
    this.soon();
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
    paintMaps(canvasPainter(fitCanvas(this.maps, width, height)), this);
    const { heads } = this;
    for (const row of this.rows.children) {
      const n = Number((row as HTMLElement).dataset.n);
      row.classList.toggle('hovered', n === this.hovered);
      row.toggleAttribute('data-open', n === heads.open);
    }
    this.parts.tell({ readout: headSentence(heads, this.hovered >= 0 ? this.hovered : heads.open) });
  }

  /* ---------- data ---------- */

  update(meta: AtlasData) {
    const another =
      !this.heads.meta || this.heads.meta.kind !== meta.kind || this.heads.meta.file !== meta.file;
    this.heads.meta = { ...meta };
    if (this.looks.isNews(meta.listed) || another) Object.assign(this.heads.own, meta.listed);
    setKind(this.host, meta.kind);
    Object.assign(this.parts.node.dataset, { kind: meta.kind });
    this.parts.tell(meta);
    this.maps.setAttribute('aria-label', `${tr('Maps of the heads')}. ${meta.title}. ${meta.subtitle}`);
    this.relayout();
    showOpen(this);
  }

  relayout() {
    this.arrange();
    fillTable(this);
    this.draw();
  }
}

export default viewOf(Atlas);
