/* Two trainings that differ in the causal mask: their maps at a few steps on both sides of their losses, and below what
   each writes. The reader chooses the step for both. */

import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { TrainingData, TwoTrainingsData } from '../web/generated/types.ts';
import type { HeatGeometry } from '../web/marks/frames.ts';
import { rampTable } from '../web/base/colour.ts';
import { el } from '../web/base/dom.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { labelled, tr } from '../web/base/language.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { isSlide } from '../web/base/slide.ts';
import { CardView, inSight, viewOf } from '../web/base/view.ts';
import { focusOn } from '../web/maps/selection.ts';
import { makeSheet } from '../web/maps/sheet.ts';
import { heatGeometry } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { Plot } from '../web/marks/pair.ts';
import { TALL, lossesLeaving, paintLosses } from './two_losses.ts';
import './two_trainings.css';

type Kind = 'causal' | 'cross';

const KINDS: Kind[] = ['causal', 'cross'];
const kindName = (kind: Kind) => (kind === 'causal' ? tr('Decoder self-attention') : tr('Cross-attention'));
const ON_A_SLIDE = 84; // pixels of the design that the losses take there

class TwoTrainingsView extends CardView {
  grid = el('div', { class: 'twins' });
  losses = el('canvas', { class: 'picture', role: 'img' });
  plots: { plot: Plot<HeatGeometry>; training: number; kind: Kind }[] = [];
  data!: TwoTrainingsData;
  at = 0; // the shown step, an index

  constructor(root: HTMLElement, host: Host) {
    super(root, host);
    this.parts.body.append(el('div', { class: 'twins-wrap' }, this.grid));
    this.parts.node.append(this.parts.readout);
    this.parts.controls.append(exportMenu(host, lossesLeaving(this)));
  }

  update(data: TwoTrainingsData) {
    this.data = data;
    this.at = data.steps.length - 1;
    this.parts.tell(data);
    this.plots = [];
    const [first, second] = data.trainings.map((each, n) => this.side(each, n));
    this.grid.replaceChildren(first, this.middle(), second);
    this.relayout();
  }

  relayout() {
    this.grid.classList.toggle('twins-slide', isSlide());
    for (const { plot, training, kind } of this.plots) {
      const room = (plot.node.parentElement as HTMLElement).clientWidth;
      plot.frame = heatGeometry(this.sheet(training, kind), room, this.host.scale, {
        tall: inSight(this.host, 240, -Infinity),
        cap: 30,
      });
    }
    this.draw();
  }

  /* ---------- what stands there ---------- */

  side(training: TrainingData, n: number) {
    const maps = KINDS.map((kind) => {
      const canvas = el('canvas', { class: 'picture', role: 'img' });
      const plot = new Plot<HeatGeometry>(canvas, () => this.marks(n, kind));
      this.plots.push({ plot, training: n, kind });
      const heading = el('h4', { style: `color: var(--${kind}-text)` }, kindName(kind));
      return el('div', { class: `twin-${kind}` }, heading, canvas);
    });
    const tint = `--tint: var(${training.masked ? '--ink' : '--positive'})`;
    return el(
      'section',
      { class: 'twin', style: tint },
      el('h4', { class: 'twin-title' }, training.title),
      el('p', { class: 'twin-note' }, training.subtitle),
      el('div', { class: 'twin-maps' }, ...maps),
      el('p', { class: 'twin-axis' }, tr('It writes by itself')),
      this.letters(training),
      el('p', { class: 'twin-result' }, training.outcome),
    );
  }

  letters({ written }: TrainingData) {
    const { writes } = this.data;
    const boxes = Array.from({ length: Math.max(writes.length, written.length) }, (_, n) => {
      const letter = written[n];
      if (letter === undefined) return el('span', { class: 'missing', 'aria-hidden': 'true' });
      const ends = letter === writes[writes.length - 1];
      const early = ends && n < writes.length - 1;
      return el('span', { class: `${ends ? 'end' : ''}${early ? ' early' : ''}` }, letter);
    });
    return el('div', { class: 'twin-letters' }, ...boxes);
  }

  middle() {
    const { source, steps } = this.data;
    const buttons = steps.map((step, n) =>
      el('button', { 'data-step': n, onclick: () => this.go(n) }, String(step)),
    );
    const letters = source.map((letter, n) =>
      el('span', { class: n === source.length - 1 ? 'end' : '' }, letter),
    );
    return el(
      'section',
      { class: 'twin twin-middle' },
      el('h4', { class: 'twin-title' }, tr('Training loss')),
      el('p', { class: 'twin-note' }, tr('Nats per token, logarithmic; lower is better')),
      el('div', { class: 'twin-losses' }, this.losses),
      el('p', { class: 'twin-axis' }, tr('Maps at training step')),
      el(
        'div',
        {
          class: 'twin-moments',
          role: 'group',
          'aria-label': tr('Training step'),
        },
        ...buttons,
      ),
      el('p', { class: 'twin-axis' }, tr('The same new input for both')),
      el('div', { class: 'twin-letters' }, ...letters),
    );
  }

  go(n: number) {
    this.at = n;
    this.draw();
  }

  /* ---------- drawing ---------- */

  sheet(training: number, kind: Kind) {
    const { source, reads, writes, trainings } = this.data;
    const cols = kind === 'causal' ? reads : source;
    const values = trainings[training][kind];
    const begin = this.at * reads.length * cols.length;
    const hidden = (i: number, j: number) => kind === 'causal' && trainings[training].masked && j > i;
    const at = (i: number, j: number) => (hidden(i, j) ? NaN : values[begin + i * cols.length + j]);
    const { colours } = this.host;
    const table = rampTable(colours.panel, colours[kind]);
    return { ...makeSheet({ rows: [...writes], cols: [...cols] }, at, table), digits: false };
  }

  marks(training: number, kind: Kind) {
    const { colours } = this.host;
    const marks = heatmap(this.sheet(training, kind), focusOn(null), colours);
    if (kind === 'cross' || this.data.trainings[training].masked) return marks;
    const leaks = (p: Painter, g: HeatGeometry) => {
      for (let i = 0; i + 1 < this.data.reads.length; i++) {
        const [x, y] = [g.box.x + (i + 1) * g.cw, g.box.y + i * g.ch];
        p.rect(x, y, g.cw - 1, g.ch - 1, {
          stroke: colours.ink,
          width: 1.6 * g.u,
          radius: 3 * g.u,
        });
      }
    };
    return [...marks, leaks];
  }

  draw() {
    const { steps, trainings } = this.data;
    for (const { plot, training, kind } of this.plots) {
      plot.draw();
      plot.node.setAttribute(
        'aria-label',
        labelled(trainings[training].title, `${kindName(kind)}, ${steps[this.at]}`),
      );
    }
    for (const button of this.grid.querySelectorAll('[data-step]') as NodeListOf<HTMLElement>)
      button.setAttribute('aria-pressed', String(Number(button.dataset.step) === this.at));
    const room = (this.losses.parentElement as HTMLElement).clientWidth;
    const tall = isSlide() ? ON_A_SLIDE : TALL;
    paintLosses(canvasPainter(fitCanvas(this.losses, room, tall * this.host.scale)), this, room, tall);
    this.losses.setAttribute('aria-label', labelled(tr('Training loss'), this.parts.title.textContent ?? ''));
  }
}

export default viewOf(TwoTrainingsView);
