/* A training step by step: its curves, and the maps of its heads at one record, which the reader chooses with the
   playback. A click on a curve, a small map or a moment opens that head. */

import type { Host } from '../web/base/view.ts';
import type { DynamicsAnswers, DynamicsData } from '../web/generated/types.ts';
import type { Cell } from '../web/maps/selection.ts';
import type { HeatGeometry } from '../web/marks/frames.ts';
import { rampTable } from '../web/base/colour.ts';
import { chooser, field, fillChooser } from '../web/base/controls.ts';
import { card, el, explain, explained, plain } from '../web/base/dom.ts';
import { linked, oncePerFrame, pageKeys, reducedMotion } from '../web/base/events.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { labelled, tr } from '../web/base/language.ts';
import { Playback } from '../web/base/playback.ts';
import { isSlide } from '../web/base/slide.ts';
import { inSight, setKind, viewOf } from '../web/base/view.ts';
import { TOUCH, lowered } from '../web/base/words.ts';
import { quoted } from '../web/maps/sentence.ts';
import { sameCell } from '../web/maps/selection.ts';
import { heatGeometry, heatHit } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { drawLegend } from '../web/marks/legend.ts';
import { Plot } from '../web/marks/pair.ts';
import { HALL_MAPS, Looked, headButtons, momentButtons } from './dynamics_controls.ts';
import { curvesLeaving, mapLegend, mapsLeaving, paintCurves, paintSmall } from './dynamics_drawing.ts';
import { nearestRecord } from './dynamics_layout.ts';
import {
  DynamicsNumbers,
  afterSteps,
  lossWords,
  mapTitle,
  shapeTitle,
  stepOf,
  trainedWords,
} from './dynamics_numbers.ts';
import './dynamics.css';

const hint = () =>
  TOUCH ? tr('Tap a curve or a map') : tr('Click a curve or a map to open its head; arrow keys step');

/** Plays the record once, where motion is welcome. */
function playFromStart({ own, playback }: Dynamics) {
  if (reducedMotion() || isSlide()) return;
  own.at = 0;
  playback.toggle();
}

/** Puts the controls and pictures into both cards. */
function assemble(view: Dynamics) {
  const { left, right, host } = view;
  const fields = el(
    'div',
    { class: 'dynamics-fields' },
    field(tr('Heads by'), view.metric),
    view.about,
    view.terms,
  );
  const play = el('div', { class: 'dynamics-play' }, view.playback.node, view.playback.tools);
  left.body.append(play, fields, view.canvas, view.moments);
  left.node.append(left.readout);
  left.controls.append(exportMenu(host, curvesLeaving(view)));
  const wall = el('div', { class: 'dynamics-wall' }, view.small, view.heads);
  right.body.append(wall, view.big.node, el('div', { class: 'foot' }, view.legend));
  right.node.append(right.readout);
  right.controls.append(exportMenu(host, mapsLeaving(view)));
}

export class Dynamics extends Looked {
  left: ReturnType<typeof card>;
  right: ReturnType<typeof card>;
  following = true; // whether the reader stands at the newest record
  looks = linked<DynamicsAnswers['looked']>(this.host, 'looked');
  soon = oncePerFrame(this.host, () => this.draw());
  playback = new Playback(this.host, {
    what: tr('training'),
    count: (k) => stepOf(this.numbers.meta, k),
    go: (k) => this.go(k),
    rested: () => this.report(),
    listens: () => true,
  });
  canvas = el('canvas', { class: 'picture dynamics-lines', role: 'img' });
  metric = chooser([['', '']], '', (name) => this.choose(name), tr('Score of the heads'));
  about = explained(this.host, el('span', { class: 'dynamics-about' }, tr('What is it?')));
  terms = explained(this.host, el('span', { class: 'dynamics-about' }, tr('What is the loss?')));
  moments = el('div', { class: 'dynamics-moments', role: 'group' });
  small = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
  heads = el('div', { class: 'dynamics-heads', role: 'group', 'aria-label': tr('Heads') });
  big = new Plot<HeatGeometry>(
    el('canvas', { class: 'picture dynamics-big', tabindex: 0, role: 'application' }),
    () => heatmap(this.openSheet, this.focus, this.host.colours),
  );
  legend = el('canvas', { class: 'picture' });

  constructor(
    readonly root: HTMLElement,
    host: Host,
  ) {
    super(host);
    const grid = el('div', { class: 'dynamics' });
    root.append(el('div', { class: 'dynamics-wrap' }, grid));
    this.left = card(grid, 'dynamics-curves');
    this.right = card(grid, 'dynamics-maps');
    assemble(this);
    this.listen();
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
    this.big.listen(heatHit, {
      hover: (at) => this.point(at),
      pin: () => {},
      cell: () => this.cell ?? { row: 0, col: 0 },
      size: () => [this.openSheet.rows.length, this.openSheet.cols.length],
    });
    pageKeys(this.host, { Escape: () => (this.cell ? this.point(null) : false) });
  }

  /* ---------- what the reader does ---------- */

  go(k: number) {
    this.own.at = k;
    this.following = k === this.last;
    this.playback.update(k, this.last);
    this.soon();
    if (!this.playback.playing) this.report();
  }

  open(n: number, k: number = this.own.at) {
    const { heads } = this.numbers.meta;
    Object.assign(this.own, { layer: Math.floor(n / heads), head: n % heads });
    this.cell = null;
    if (k === this.own.at) this.report();
    else this.playback.byHand(k);
    this.title();
    this.soon();
  }

  choose(name: string) {
    this.own.score = name;
    this.measureEnds();
    this.title();
    this.report();
    this.soon();
  }

  hover(n: number) {
    if (n === this.hovered) return;
    this.hovered = n;
    this.canvas.style.cursor = n < 0 ? '' : 'pointer';
    this.soon();
  }

  point(cell: Cell | null) {
    if (sameCell(cell, this.cell)) return;
    this.cell = cell;
    this.soon();
  }

  report() {
    const { at, layer, head, score } = this.own;
    const step = this.following ? null : this.numbers.meta.steps[at];
    this.looks.report({ step, layer, head, score });
  }

  /* ---------- drawing ---------- */

  draw() {
    const { curves, layout, numbers } = this;
    const { meta } = numbers;
    paintCurves(canvasPainter(fitCanvas(this.canvas, curves.width, curves.height)), this, curves);
    paintSmall(canvasPainter(fitCanvas(this.small, layout.room + 6 * layout.u, layout.height)), this);
    this.big.draw();
    const step = meta.steps[this.own.at];
    const readout = this.curveWords();
    this.left.tell({ readout: isSlide() ? readout : [...readout, { muted: hint() }] });
    this.right.tell({ title: mapTitle(meta, step, this.openName), readout: this.mapWords() });
    const over = tr('{score} over the steps.', { score: this.panelName });
    this.canvas.setAttribute('aria-label', `${over} ${plain(this.curveWords())}`);
    const named = tr('Head {name}', { name: this.openName });
    const words = `${named}, ${lowered(afterSteps(step))}. ${plain(this.mapWords())} ${tr('Arrow keys move.')}`;
    this.big.node.setAttribute('aria-label', words);
    for (const button of this.root.querySelectorAll('[data-head]') as NodeListOf<HTMLElement>)
      button.setAttribute('aria-pressed', String(Number(button.dataset.head) === this.openHead));
  }

  title() {
    const { meta } = this.numbers;
    const title = shapeTitle(this.numbers, this.openHead);
    this.left.tell({ title, subtitle: trainedWords(meta) });
    this.right.tell({ subtitle: `${quoted(meta.source)} → ${quoted(meta.target)}` });
    const words = this.numbers.words(this.own.score);
    explain(this.terms, lossWords(meta));
    explain(this.about, words ? labelled(words.label, words.definition) : '');
  }

  relayout() {
    this.measureEnds();
    this.arrange(this.left.body.clientWidth, this.right.body.clientWidth);
    this.big.frame = heatGeometry(this.openSheet, this.right.body.clientWidth, this.host.scale, {
      tall: inSight(this.host, 300, HALL_MAPS + 290),
      cap: 34,
    });
    this.heads.replaceChildren(...headButtons(this));
    this.moments.replaceChildren(...momentButtons(this));
    drawLegend(this.legend, this.host.scale, mapLegend(this), this.host.colours);
    this.title();
    this.playback.update(this.own.at, this.last);
    this.draw();
  }

  update(meta: DynamicsData) {
    const first = !this.numbers;
    const other = first || this.numbers.meta.file !== meta.file || this.numbers.meta.kind !== meta.kind;
    this.numbers = new DynamicsNumbers(meta);
    if (this.looks.isNews(meta.looked) || other) {
      const { step, layer, head, score } = meta.looked;
      this.following = step === null;
      Object.assign(this.own, { layer, head, score, at: step === null ? 0 : this.numbers.recordAt(step) });
    }
    if (this.following && !this.playback.playing) this.own.at = this.last;
    this.own.at = Math.min(this.own.at, this.last);
    this.cell = null;
    setKind(this.host, meta.kind);
    this.table = rampTable(this.host.colours.panel, this.host.colours[meta.kind]);
    const options = meta.scores.map(({ name, label }) => [name, label.toLowerCase()] as [string, string]);
    fillChooser(this.metric, options, this.own.score);
    this.relayout();
    if (meta.plays && first) playFromStart(this);
  }
}

export default viewOf(Dynamics);
