/* Attention being born: the curves of a training and the maps of its heads at one moment of it, which the reader moves
   along with the shared playback. A click on a curve, a small map or a moment opens that head. */

/** @import { Cell, Host, Mounting } from '../types' */
/** @import { DynamicsMeta } from './dynamics_numbers.js' */

import { unpack } from '../base/arrays.js';
import { rampTable } from '../base/colour.js';
import { chooser, field, fillChooser } from '../base/controls.js';
import { card, el, explain, explained, plain, say } from '../base/dom.js';
import { linked, oncePerFrame, pageKeys } from '../base/events.js';
import { exportMenu } from '../base/export.js';
import { canvasPainter, fitCanvas } from '../base/paint.js';
import { Playback } from '../base/playback.js';
import { inSight, mount, setKind } from '../base/view.js';
import { TOUCH } from '../base/words.js';
import { heatGeometry, heatHit, paintHeat } from '../maps/heatmap.js';
import { drawLegend, weightStops, weightWords } from '../maps/legend.js';
import { listenToMap } from '../maps/pointer.js';
import { sameCell } from '../maps/selection.js';
import { curvesLeaving, mapsLeaving, paintCurves, paintSmall } from './dynamics_drawing.js';
import { curveLayout, nearestCurve, nearestRecord } from './dynamics_layout.js';
import { Looked } from './dynamics_looked.js';
import { headButtons, momentButtons } from './dynamics_buttons.js';
import { DynamicsNumbers, afterSteps, counted, shapeTitle } from './dynamics_numbers.js';
import { wallLayout } from './wall_layout.js';

const HINT = TOUCH ? 'tap a curve or a map' : 'click a curve or a map to open its head, arrows step';
const NEAR = 10; // pixels of the design within which a curve is pointed at
const HALL = 610; // pixels of the design around the panel of the heads in a hall
const HALL_MAPS = 330; // and around the maps

export class Dynamics extends Looked {
  /**
   * @param {HTMLElement} root
   * @param {Host} host
   */
  constructor(root, host) {
    super(host);
    this.root = root;
    const grid = el('div', { class: 'dynamics' });
    root.append(el('div', { class: 'dynamics-wrap' }, grid));
    this.left = card(grid);
    this.right = card(grid);
    this.following = true; // whether the reader stands at the newest record
    this.looks = linked(host, 'looked');
    this.frame = oncePerFrame(() => this.draw());
    this.playback = new Playback(host, {
      what: 'training',
      go: (k) => this.go(k),
      rested: () => this.report(),
      listens: () => true,
    });
    this.canvas = el('canvas', { class: 'picture dynamics-lines', role: 'img' });
    this.metric = chooser([['', '']], '', (name) => this.choose(name), 'score of the heads');
    this.about = explained(host, el('span', { class: 'dynamics-about' }, 'what is it?'));
    this.moments = el('div', { class: 'dynamics-moments', role: 'group' });
    this.small = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
    this.heads = el('div', { class: 'dynamics-heads', role: 'group', 'aria-label': 'Heads' });
    this.big = el('canvas', { class: 'picture dynamics-big', tabindex: 0, role: 'application' });
    this.legend = el('canvas', { class: 'picture' });
    this.build();
    this.listen();
  }

  build() {
    const { left, right, host } = this;
    const fields = el('div', { class: 'dynamics-fields' }, field('heads by', this.metric), this.about);
    const play = el('div', { class: 'dynamics-play' }, this.playback.node, this.playback.tools);
    left.node.classList.add('dynamics-curves');
    left.body.append(play, fields, this.canvas, this.moments);
    left.node.append(left.readout);
    left.controls.append(exportMenu(host, curvesLeaving(this)));
    right.node.classList.add('dynamics-maps');
    const wall = el('div', { class: 'dynamics-wall' }, this.small, this.heads);
    right.body.append(wall, this.big, el('div', { class: 'foot' }, this.legend));
    right.node.append(right.readout);
    right.controls.append(exportMenu(host, mapsLeaving(this)));
  }

  listen() {
    this.canvas.addEventListener('pointermove', (event) => this.hover(this.curveAt(event)));
    this.canvas.addEventListener('pointerleave', () => this.hover(-1));
    this.canvas.addEventListener('click', (event) => {
      const k = nearestRecord(this.curves, this.numbers.meta.steps, event.offsetX);
      const n = this.curveAt(event);
      if (n >= 0) this.open(n, k);
      else this.playback.byHand(k);
    });
    listenToMap(this.big, {
      hit: (x, y) => heatHit(this.heat, x, y),
      hover: (at) => this.point(at),
      pin: () => {},
      cell: () => this.cell ?? { row: 0, col: 0 },
      size: () => [this.openSheet.rows.length, this.openSheet.cols.length],
    });
    pageKeys(this.host, { Escape: () => (this.cell ? this.point(null) : false) });
  }

  /* ---------- what the reader does ---------- */

  /** @param {number} k */
  go(k) {
    this.own.at = k;
    this.following = k === this.last;
    this.playback.update(k, this.last);
    this.frame.soon();
    if (!this.playback.playing) this.report();
  }

  /** @param {number} n @param {number} k */
  open(n, k = this.own.at) {
    const { heads } = this.numbers.meta;
    Object.assign(this.own, { layer: Math.floor(n / heads), head: n % heads });
    this.cell = null;
    if (k === this.own.at) this.report();
    else this.playback.byHand(k);
    this.title();
    this.frame.soon();
  }

  /** @param {string} name */
  choose(name) {
    this.own.score = name;
    this.measureEnds();
    this.title();
    this.report();
    this.frame.soon();
  }

  /** @param {number} n */
  hover(n) {
    if (n === this.hovered) return;
    this.hovered = n;
    this.canvas.style.cursor = n < 0 ? '' : 'pointer';
    this.frame.soon();
  }

  /** @param {Cell | null} cell */
  point(cell) {
    if (sameCell(cell, this.cell)) return;
    this.cell = cell;
    this.frame.soon();
  }

  /** @param {MouseEvent} event */
  curveAt(event) {
    const { curves: g, numbers } = this;
    if (event.offsetY < g.heads.y - NEAR * g.u) return -1;
    const k = nearestRecord(g, numbers.meta.steps, event.offsetX);
    const { layers, heads } = numbers.meta;
    const heights = Array.from({ length: layers * heads }, (_, n) => this.heightOf(g, n, k));
    return nearestCurve(heights, event.offsetY, NEAR * g.u);
  }

  report() {
    const { at, layer, head, score } = this.own;
    this.looks.report([this.following ? null : this.numbers.meta.steps[at], layer, head, score]);
  }

  /* ---------- drawing ---------- */

  arrange() {
    const { host, numbers } = this;
    const { meta } = numbers;
    const u = host.scale;
    const tall = inSight(host, meta.tall, HALL);
    const last = meta.live ? meta.total : meta.steps[this.last];
    this.curves = curveLayout(this.left.body.clientWidth, u, last, tall);
    const room = this.right.body.clientWidth;
    const shape = /** @type {[number, number]} */ ([meta.rows.length, meta.cols.length]);
    const wall = { ...meta, shape, square: meta.kind !== 'cross', tall: inSight(host, 300, HALL_MAPS + 200) };
    const order = Array.from({ length: meta.layers * meta.heads }, (_, n) => n);
    this.layout = wallLayout(/** @type {any} */ (wall), order, true, room, u);
    this.heat = heatGeometry(this.openSheet, room, u, { tall: inSight(host, 300, HALL_MAPS + 290), cap: 34 });
  }

  draw() {
    const { curves, layout, heat, numbers } = this;
    const { meta } = numbers;
    paintCurves(canvasPainter(fitCanvas(this.canvas, curves.width, curves.height)), this, curves);
    paintSmall(canvasPainter(fitCanvas(this.small, layout.room + 6 * layout.u, layout.height)), this);
    const big = canvasPainter(fitCanvas(this.big, heat.width, heat.height));
    paintHeat(big, this.openSheet, heat, this.focus, this.host.colours);
    const when = afterSteps(meta.steps[this.own.at]);
    const kind = { kind: `${meta.kindName[0].toUpperCase()}${meta.kindName.slice(1)}` };
    say(this.right.title, [kind, ` ${when}, head ${this.openName} below`]);
    say(this.left.readout, [...this.curveWords(), { muted: HINT }]);
    say(this.right.readout, this.mapWords());
    this.canvas.setAttribute('aria-label', `${this.panelName} over the steps. ${plain(this.curveWords())}`);
    const told = `Head ${this.openName}, ${when}. ${plain(this.mapWords())} Arrow keys move.`;
    this.big.setAttribute('aria-label', told);
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll('[data-head]')))
      button.setAttribute('aria-pressed', String(Number(button.dataset.head) === this.openHead));
  }

  title() {
    const { meta } = this.numbers;
    say(this.left.title, shapeTitle(this.numbers, this.own.layer, this.own.head));
    const drops = meta.drops.length;
    const many = drops
      ? `the entropy of ${drops === 1 ? 'one head' : `${drops} heads`}`
      : 'no head’s entropy';
    say(this.left.subtitle, [
      `${counted(meta.steps[this.last])} of ${counted(meta.total)} steps · scores over ${meta.sentences} sentences · `,
      `${many} fell suddenly`,
    ]);
    say(this.right.subtitle, [`“${meta.source}” → “${meta.target}”`]);
    const words = this.numbers.words(this.own.score);
    explain(this.about, words ? `${words.label}: ${words.definition}` : '');
  }

  refresh() {
    this.measureEnds();
    this.arrange();
    this.heads.replaceChildren(...headButtons(this));
    this.moments.replaceChildren(...momentButtons(this));
    const { cols } = this.numbers.meta;
    const legend = { table: this.table, stops: weightStops('weight', cols.length), words: weightWords() };
    drawLegend(this.legend, this.host.scale, legend, this.host.colours);
    this.title();
    this.playback.update(this.own.at, this.last);
    this.draw();
  }

  /** @param {{ meta: DynamicsMeta, packed: any, numbers: any }} next */
  update({ meta, packed, numbers }) {
    const first = !this.numbers;
    const other = first || this.numbers.meta.file !== meta.file || this.numbers.meta.kind !== meta.kind;
    this.numbers = new DynamicsNumbers(meta, unpack(packed), unpack(numbers));
    if (this.looks.isNews(meta.view) || other) {
      const [step, layer, head, score] = meta.view;
      this.following = step === null;
      Object.assign(this.own, { layer, head, score, at: step === null ? 0 : this.numbers.recordAt(step) });
    }
    if (this.following && !this.playback.playing) this.own.at = this.last;
    this.own.at = Math.min(this.own.at, this.last);
    this.cell = null;
    setKind(this.root, this.host, meta.kind);
    this.table = rampTable(this.host.colours.panel, this.host.colours[meta.kind]);
    const options = meta.scores.map(
      ({ name, label }) => /** @type {[string, string]} */ ([name, label.toLowerCase()]),
    );
    fillChooser(this.metric, options, this.own.score);
    this.refresh();
  }

  relayout() {
    if (this.numbers) this.refresh();
  }

  destroy() {
    this.frame.stop();
  }
}

/** @param {Mounting<any>} args */
export default function view(args) {
  return mount(args, (root, host) => new Dynamics(root, host));
}
