/* How many heads until it breaks: a slider over the numbers of ablated heads, the text, and a word's probability. */

import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { BreakingAnswers, BreakingData } from '../web/generated/types.ts';
import { el } from '../web/base/dom.ts';
import { reducedMotion } from '../web/base/events.ts';
import { exportMenu, exportWidth } from '../web/marks/leaving.ts';
import { fixed, labelled, plural, tr } from '../web/base/language.ts';
import { AT_RIGHT, canvasPainter, fitCanvas, typeSize } from '../web/base/paint.ts';
import { CardView, viewOf } from '../web/base/view.ts';
import { within } from '../web/base/words.ts';
import { quoted } from '../web/maps/sentence.ts';
import './breaking.css';

const PACE = 600; // milliseconds a head
const HEIGHT = 170; // pixels of the design that the curve takes
const SETTLE = 500; // milliseconds of rest before the link is changed

/** A word's probability by the number of ablated heads, with the number at which the text changes and the one shown. */
function paintCurve(p: Painter, view: Breaking, width: number) {
  const { scale: u, colours: c } = view.host;
  const { steps, breaks, kind, word } = view.data;
  const size = typeSize(13, u);
  const [left, right, top, bottom] = [52 * u, 20 * u, 18 * u, 30 * u];
  const [w, h] = [width - left - right, view.curveHeight - top - bottom];
  const x = (n: number) => left + (w * n) / Math.max(1, view.last);
  const y = (share: number) => top + h * (1 - share);
  for (const share of [0, 0.5, 1]) {
    p.path(`M${left} ${y(share)}H${left + w}`, { stroke: c.line, width: 1 });
    p.text(left - 8 * u, y(share), `${100 * share} %`, { ...AT_RIGHT, size, fill: c.muted });
  }
  const every = Math.max(1, Math.ceil(view.last / Math.max(1, Math.floor(w / (44 * u)))));
  for (let n = 0; n <= view.last; n += every) {
    p.text(x(n), top + h + 20 * u, String(n), { size, fill: c.muted, align: 'center' });
  }
  if (breaks !== null) {
    p.path(`M${x(breaks)} ${top - 4 * u}V${top + h}`, {
      stroke: c.positive,
      width: 1.6 * u,
      dash: [5 * u, 4 * u],
    });
    const words = tr('the text changes');
    const late = breaks > view.last / 2;
    p.text(x(breaks) + (late ? -6 : 6) * u, top + 6 * u, words, {
      size,
      fill: c.positive,
      align: late ? 'right' : 'left',
    });
  }
  const points = steps.map(({ heads, probability }) => `${x(heads)} ${y(probability)}`);
  p.path(`M${points.join('L')}`, { stroke: c[kind], width: 2.2 * u });
  const { heads, probability } = steps[view.at];
  p.circle(x(heads), y(probability), 6 * u, { fill: c[kind], stroke: c.panel, width: 2 * u });
  const share = `${quoted(word)} ${probability < 0.0095 ? fixed(100 * probability, 1) : Math.round(100 * probability)} %`;
  // A falling curve leaves room below at the left, and above at the right of its foot.
  const foot = probability < 0.2;
  const beside = !foot && x(heads) > left + 150 * u;
  const level = y(probability) + (foot ? -12 : 24) * u;
  const pen = { size, weight: 650, fill: c.ink, align: beside ? 'right' : 'left' } as const;
  const end = foot && x(heads) > left + w - 130 * u;
  p.text(x(heads) + (beside ? -6 : 6) * u, level, share, end ? { ...pen, align: 'right' } : pen);
}

class Breaking extends CardView {
  count = el('p', { class: 'breaking-count', 'aria-live': 'polite' });
  text = el('p', { class: 'breaking-text', dir: 'auto' });
  slider: HTMLInputElement = el('input', {
    ...{
      type: 'range',
      min: 0,
      step: 1,
      class: 'breaking-slider',
      'aria-label': tr('Number of ablated heads'),
    },
    oninput: () => this.byHand(Number(this.slider.value)),
  });
  play = el('button', { class: 'button primary', onclick: () => this.toggle() });
  take = el('button', {
    class: 'button',
    onclick: () => this.host.trigger('ablated', this.at satisfies BreakingAnswers['ablated']),
  });
  canvas = el('canvas', { class: 'picture', role: 'img' });
  data!: BreakingData;
  at = 0;
  timer = 0;
  rest = 0;

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'breaking');
    const line = el('div', { class: 'breaking-line' }, this.play, this.slider, this.take);
    this.parts.body.append(this.count, this.text, line, this.canvas);
    this.parts.node.append(this.parts.readout);
    const width = () => exportWidth(this.canvas.clientWidth, host.scale);
    this.parts.controls.append(
      exportMenu(host, {
        name: () => this.data.file,
        title: () => this.data.title,
        size: () => [width(), this.curveHeight],
        draw: (p) => paintCurve(p, this, width()),
        words: () => labelled(this.count.textContent ?? '', this.textOf(this.at)),
        rows: () => [
          ['heads', 'last_head', 'probability', 'text'],
          ...this.data.steps.map((step) => [
            step.heads,
            step.last,
            step.probability,
            this.textOf(step.heads),
          ]),
        ],
      }),
    );
  }

  get last() {
    return this.data.steps.length - 1;
  }

  textOf(n: number) {
    return this.data.steps[n].words.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join('');
  }

  update(data: BreakingData) {
    const news = !this.data || this.data.title !== data.title || this.data.steps.length !== data.steps.length;
    this.data = data;
    if (news || (!this.timer && !this.rest)) this.at = data.at;
    this.parts.tell(data);
    this.slider.max = String(this.last);
    this.show();
  }

  /* ---------- play ---------- */

  byHand(n: number) {
    this.pause();
    this.go(n);
  }

  go(n: number) {
    this.at = within(0, n, this.last);
    this.show();
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => {
      this.rest = 0;
      this.host.trigger('chosen', this.at satisfies BreakingAnswers['chosen']);
    }, SETTLE);
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.at >= this.last) this.go(0);
    const next = () => {
      this.go(this.at + 1);
      this.timer = this.at < this.last ? window.setTimeout(next, reducedMotion() ? 2 * PACE : PACE) : 0;
      this.show();
    };
    this.timer = window.setTimeout(next, PACE);
    this.show();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.show();
  }

  /* ---------- drawing ---------- */

  get curveHeight() {
    return HEIGHT * this.host.scale;
  }

  show() {
    const { steps, breaks } = this.data;
    const step = steps[this.at];
    const name = plural('{count} head ablated', '{count} heads ablated', step.heads);
    const state = breaks !== null && step.heads === breaks ? ` · ${tr('the text changes here')}` : '';
    this.count.textContent = name + state;
    this.text.replaceChildren(
      ...step.words.flatMap(({ text, same, spaced }) => [
        spaced ? ' ' : '',
        same ? document.createTextNode(text) : el('ins', {}, text),
      ]),
    );
    this.slider.value = String(this.at);
    this.slider.setAttribute('aria-valuetext', labelled(name, this.textOf(this.at)));
    this.play.textContent = this.timer ? tr('Pause') : tr('Play');
    this.play.setAttribute('aria-pressed', String(this.timer !== 0));
    this.take.textContent = plural(
      'Ablate this head in the cards above',
      'Ablate these {count} heads in the cards above',
      step.heads,
    );
    this.take.disabled = step.heads === 0;
    this.canvas.setAttribute(
      'aria-label',
      tr('Probability of “{word}” by the number of ablated heads', { word: this.data.word }),
    );
    this.relayout();
  }

  relayout() {
    const width = Math.max(200, this.parts.body.clientWidth);
    paintCurve(canvasPainter(fitCanvas(this.canvas, width, this.curveHeight)), this, width);
  }

  destroy() {
    clearTimeout(this.timer);
    clearTimeout(this.rest);
  }
}

export default viewOf(Breaking);
