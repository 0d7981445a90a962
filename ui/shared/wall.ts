/* All heads of one attention kind as small pictures: hover previews, a click opens, Shift lays one over the open one,
   arrows move, Esc closes. The open head's picture is handed to the detail at once; exact numbers follow from Python. */

import type { Topics } from '../web/base/events.ts';
import type { Host } from '../web/base/view.ts';
import type { WallAnswers, WallData } from '../web/generated/types.ts';
import type { WallLayout } from './wall_drawing.ts';
import { keyList } from '../web/base/controls.ts';
import { el } from '../web/base/dom.ts';
import { animate, bus, linked, listenTo, pageKeys } from '../web/base/events.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { tr } from '../web/base/language.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { CardView, inSight, setKind, viewOf } from '../web/base/view.ts';
import { TOUCH, lowered } from '../web/base/words.ts';
import { drawLegend } from '../web/marks/legend.ts';
import { arrangeButtons, makeButtons, wallControls } from './wall_controls.ts';
import { EDGE, captionWidth, paintWall, wallLayout, wallLeaving, wallLegend } from './wall_drawing.ts';
import { WallHeads } from './wall_heads.ts';
import { Opening } from './wall_opening.ts';
import './wall.css';

const keyWords = (): [string, string][] => [
  ['← ↑ → ↓', tr('Move between heads or cells')],
  ['Enter', tr('Open the head, pin the cell')],
  ['Shift + Enter', tr('Overlay the head')],
  ['Esc', tr('Unpin, then close the head')],
  ['Space', tr('Play the joint view')],
  ['F', tr('Fill the screen with a card; F or Esc returns')],
  ['?', tr('Show this list')],
];

const HALL = 322; // pixels of the design around the pictures in a hall: header, strip, title
const how = () =>
  TOUCH ? tr('Tap a head to open it') : tr('Click a head to open it; Shift-click to overlay');

/** How the heads are sorted, how many are shown, and what a click does; in a hall the lecturer knows that. */
function subtitleOf(heads: WallHeads, hall: boolean) {
  const kept = heads.pictures.filter((_, head) => heads.passes(head)).length;
  const total = heads.pictures.length;
  const least = heads.own.least === null ? '' : tr('{kept} of {total} heads shown', { kept, total });
  const press = hall ? '' : heads.meta.how || how();
  return [heads.meta.subtitle, least, press].filter(Boolean).join(' · ');
}

export class Wall extends CardView {
  canvas = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
  grid = el('div', { class: 'wall-heads', role: 'group' });
  tip = el('div', { class: 'tip wall-preview', hidden: true, 'aria-hidden': 'true' });
  none = el('p', { class: 'wall-none', hidden: true }, tr('No head reaches this score.'));
  legend = el('canvas', { class: 'picture' });
  foot = el('div', { class: 'foot' }, this.legend);
  about = el('div', { hidden: true });
  keys = keyList(keyWords());
  look = linked<WallAnswers['arranged']>(this.host, 'arranged');
  heads = new WallHeads();
  opening = new Opening(this);
  /** The head that the keyboard is at. */
  at = 0;
  layout!: WallLayout;
  buttons = { heads: [] as HTMLElement[], layers: [] as HTMLElement[] };
  controls = '';
  /** the colours it was drawn in */
  coloured: object | null = null;
  stop = () => {};

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'wall');
    this.parts.body.before(this.about);
    this.parts.body.append(this.canvas, this.grid, this.none, this.tip);
    this.parts.node.append(this.foot);
    pageKeys(host, { Escape: () => this.escape(), '?': () => this.keys.toggle() });
    listenTo(host, 'shown', (message) => {
      const { meta } = this.heads;
      if (message.kind === meta?.kind) this.outline(this.heads.headsOf(message));
    });
  }

  /* ---------- pictures ---------- */

  draw(from?: Map<number, { x: number; y: number }>, share = 1) {
    const context = fitCanvas(this.canvas, this.layout.room + EDGE * this.layout.u, this.layout.height);
    paintWall(canvasPainter(context), this, from, share);
    drawLegend(this.legend, this.host.scale, wallLegend(this), this.host.colours);
  }

  arrange() {
    const { heads } = this;
    const order = heads.order();
    if (!this.layout.at.has(this.at)) this.at = order[0] ?? 0;
    arrangeButtons(this, order);
    this.none.hidden = order.length > 0;
    this.parts.tell({ subtitle: subtitleOf(heads, this.host.scale > 1) });
  }

  relayout(moving = false) {
    const before = this.layout?.at;
    const { meta, own } = this.heads;
    const room = this.parts.body.clientWidth;
    const arrayed = { ...meta, tall: inSight(this.host, meta.tall, HALL) };
    this.layout = wallLayout(
      arrayed,
      this.heads.order(),
      own.sort === 'model',
      room,
      this.host.scale,
      Boolean(this.heads.pair),
      captionWidth(this, this.host.scale),
    );
    this.hidePreview();
    this.arrange();
    this.stop();
    if (moving && before) this.stop = animate((share) => this.draw(before, share));
    else this.draw();
  }

  /** Marks these heads as open. */
  outline(heads: number[], at = heads[0] ?? this.at) {
    if (String(heads) === String(this.opening.opened)) return;
    [this.opening.opened, this.at] = [heads, at];
    this.hidePreview();
    this.arrange();
    this.draw();
  }

  escape() {
    const { opened } = this.opening;
    if (this.keys.isOpen()) return this.keys.hide();
    if (!opened.length) return false;
    this.opening.open([], opened[0]);
  }

  hidePreview() {
    this.tip.hidden = true;
  }

  /* ---------- controls ---------- */

  makeControls() {
    const { meta } = this.heads;
    const fields = wallControls(this);
    const menu = exportMenu(this.host, wallLeaving(this));
    const { keys } = this;
    const above = meta.controls ? fields.above : [];
    this.parts.controls.replaceChildren(...above, keys.button, menu, keys.list);
    const about = meta.controls ? fields.about : el('div', { hidden: true });
    this.about.replaceWith(about);
    this.about = about;
    keys.explain(Object.values(meta.scores).map(({ label, definition }) => [lowered(label), definition]));
    this.foot.replaceChildren(
      this.legend,
      this.marks(),
      el('span', { class: 'wall-foot' }, ...(meta.controls ? fields.below : [])),
    );
  }

  /** A link holds how the reader has arranged the heads. */
  report() {
    const { own } = this.heads;
    this.look.report({ ...own, least: own.least === null ? null : Number(own.least.toFixed(3)) });
  }

  /** What is outlined for the pinned pair. */
  marks() {
    const { pair } = this.heads;
    const mark = (name: string, words: string) =>
      el('span', { class: 'wall-mark' }, el('i', { class: name, 'aria-hidden': 'true' }), words);
    const marks = pair
      ? [mark('best', tr('top heads for the pair')), mark('open', tr('open')), mark('cell', pair.name)]
      : [];
    return el('span', { class: 'wall-marks' }, ...marks);
  }

  update(meta: WallData) {
    const { host, heads } = this;
    const same = meta.digest === heads.meta?.digest && host.colours === this.coloured;
    heads.meta = meta;
    this.coloured = host.colours;
    setKind(host, meta.kind);
    const wanted = JSON.stringify([Object.keys(meta.scores), meta.layers, meta.heads]);
    const news = this.look.isNews(meta.arranged);
    heads.takeArrangement(news);
    this.parts.tell({ title: meta.title });
    this.grid.setAttribute('aria-label', meta.title);
    if (same && !news && wanted === this.controls) return;
    heads.build(host.colours);
    this.takeOpened(bus().last.shown);
    if (this.buttons.heads.length !== heads.pictures.length || wanted !== this.controls) {
      this.buttons = makeButtons(this);
    }
    if (wanted !== this.controls || !same || news) this.makeControls();
    this.controls = wanted;
    this.relayout();
  }

  /** The open heads: those of the data, else those that another view shows. */
  takeOpened(shown: Topics['shown'] | undefined) {
    const { opening, heads } = this;
    if (heads.meta.open) opening.opened = heads.meta.open;
    else if (shown?.kind === heads.meta.kind) opening.opened = heads.headsOf(shown);
  }

  destroy() {
    this.stop();
    this.opening.stop();
  }
}

export default viewOf(Wall);
