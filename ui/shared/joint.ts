/* All three attentions of one decoding step in one drawing, replayed step by step from arrays sent once.
   Source words with encoder arcs on one side, written words with causal arcs on the other, cross-attention between. */

import type { Host } from '../web/base/view.ts';
import type { JointAnswers, JointData, Kind } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { JointLayout, JointWord } from './joint_layout.ts';
import { kindRamp } from '../web/base/colour.ts';
import { el, plain } from '../web/base/dom.ts';
import { animate, linked, pageKeys } from '../web/base/events.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { Playback } from '../web/base/playback.ts';
import { CardView, inSight, setKind, viewOf } from '../web/base/view.ts';
import { ofKinds, topIndices } from '../web/base/words.ts';
import { makeSheet, rowOf } from '../web/maps/sheet.ts';
import { pointIn } from '../web/marks/pointer.ts';
import { MAPS, jointLeaving, paintJoint } from './joint_drawing.ts';
import { jointHit, jointLayout, jointSentence, jointTitle } from './joint_layout.ts';
import './joint.css';

const HALL = 320; // pixels of the design around the drawing in a hall: strip, sentence, pickers, title, words

export class Joint extends CardView {
  canvas = el('canvas', { class: 'picture', tabindex: 0, role: 'img' });
  meta!: JointData;
  sheets = {} as Record<Kind, Sheet>;
  layout!: JointLayout;
  /** How many words are written. */
  written = 0;
  hovered: JointWord | null = null;
  /** the source word that is pinned */
  pinned: number | null = null;
  words = '';
  stop = () => {};
  rested = linked<JointAnswers['stepped']>(this.host, 'stepped');
  playback = new Playback(this.host, {
    go: (step) => this.go(step),
    rested: () => this.report(),
    listens: () => this.meta.keys,
  });

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'joint');
    this.parts.body.append(this.canvas);
    this.parts.node.append(this.parts.readout);
    this.playback.node.append(this.playback.tools, exportMenu(host, jointLeaving(this)));
    this.parts.controls.append(this.playback.node);
    pageKeys(host, { Escape: () => (this.pinned === null ? false : this.pin(null)) });
    this.listen();
  }

  listen() {
    this.canvas.addEventListener('pointermove', (event) => {
      const over = jointHit(this.layout, ...pointIn(event, this.canvas));
      this.canvas.style.cursor = over ? 'pointer' : 'default';
      const legal = over?.source !== undefined || (over?.target ?? 0) > 0;
      this.hover(legal && (over?.target ?? 0) <= this.written ? over : null);
    });
    this.canvas.addEventListener('pointerleave', () => this.hover(null));
    this.canvas.addEventListener('click', (event) => {
      const over = jointHit(this.layout, ...pointIn(event, this.canvas));
      if (over?.target) this.playback.byHand(over.target);
      else if (over?.source !== undefined) this.pin(this.pinned === over.source ? null : over.source);
    });
  }

  /* ---------- what the sentence is about ---------- */

  /** The place in `target` of the decoder's first key: the start token, or the first word where rows have one label. */
  get firstKey() {
    return this.meta.one_label ? 1 : 0;
  }

  /** Hovering a written word previews its step; the first target position is the start token. */
  get step() {
    return this.hovered?.target || this.written;
  }

  /** The source word whose arcs are drawn: hovered, pinned, or what the step looked at most. */
  get namedSource() {
    if (this.hovered?.source !== undefined) return this.hovered.source;
    if (this.pinned !== null) return this.pinned;
    return this.step ? topIndices(rowOf(this.sheets.cross, this.step - 1), 1)[0] : null;
  }

  /* ---------- drawing ---------- */

  draw(growth = 1) {
    for (const kind of MAPS) {
      this.sheets[kind].written = kind === 'encoder' ? this.meta.source.length : this.written;
    }
    const { room, height } = this.layout;
    paintJoint(canvasPainter(fitCanvas(this.canvas, room, height)), this, growth);
    const sentence = jointSentence(this);
    this.parts.tell({ title: jointTitle(this), readout: sentence });
    this.canvas.setAttribute('aria-label', plain(sentence));
    this.playback.update(this.written, this.meta.steps);
  }

  relayout() {
    const { source, target } = this.meta;
    const tall = inSight(this.host, Infinity, HALL, Math.max(source.length, target.length));
    this.layout = jointLayout(source, target, this.parts.body.clientWidth, this.host.scale, tall);
    this.draw();
  }

  /* ---------- steps, hover, pin ---------- */

  go(step: number) {
    const forward = step === this.written + 1;
    this.written = step;
    this.hovered = null;
    this.stop();
    // Known before the first frame of the motion.
    this.playback.update(step, this.meta.steps);
    if (forward) this.stop = animate((share) => this.draw(share), 190);
    else this.draw();
    this.report();
  }

  /** A link holds the step where the replay rests, not those it runs through. */
  report() {
    if (this.meta.report && !this.playback.playing) this.rested.report(this.written);
  }

  hover(at: JointWord | null) {
    if (at?.source === this.hovered?.source && at?.target === this.hovered?.target) return;
    this.hovered = at;
    this.stop();
    this.draw();
  }

  pin(source: number | null) {
    this.pinned = source;
    this.hovered = null;
    this.draw();
  }

  /* ---------- data ---------- */

  update(meta: JointData) {
    this.meta = meta;
    this.sheets = this.makeSheets();
    setKind(this.host, 'causal');
    this.playback.parts.keys.button.hidden = !meta.keys;
    const words = JSON.stringify([meta.source, meta.target]);
    const news = this.rested.isNews(meta.step);
    if (words !== this.words || news) {
      this.playback.pause();
      Object.assign(this, { written: meta.step, pinned: null, hovered: null });
    }
    this.words = words;
    this.parts.tell({ subtitle: meta.subtitle });
    this.relayout();
  }

  makeSheets() {
    const { source, target, one_label } = this.meta;
    const { colours } = this.host;
    const written = target.slice(1);
    const read = target.slice(this.firstKey, target.length - 1 + this.firstKey);
    const pairs = { reads: one_label ? undefined : read, oneLabel: one_label };
    const words = {
      encoder: { rows: source, cols: source },
      cross: { rows: written, cols: source, ...pairs },
      causal: { rows: written, cols: read, ...pairs },
    };
    const sheetOf = (kind: Kind) => {
      const numbers = this.meta[kind];
      const { length } = words[kind].cols;
      // A decoder without causal mask gives weight to later tokens too.
      const hides = (i: number, j: number) => kind === 'causal' && j > i && !numbers[i * length + j];
      const at: Sheet['at'] = (i, j) => (hides(i, j) ? NaN : numbers[i * length + j]);
      return makeSheet(words[kind], at, kindRamp(colours, kind));
    };
    return ofKinds(sheetOf);
  }

  destroy() {
    this.stop();
  }
}

export default viewOf(Joint);
