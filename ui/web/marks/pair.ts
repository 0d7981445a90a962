/* Lines and map of the same numbers: side by side where there is room, one below the other elsewhere. */

import type { Colours } from '../base/colour.ts';
import type { Painter } from '../base/paint.ts';
import type { Cell } from '../maps/selection.ts';
import type { Columns, HeatGeometry } from './frames.ts';
import type { Answers } from './pointer.ts';
import { el } from '../base/dom.ts';
import { canvasPainter, fitCanvas, shifted, typeSize } from '../base/paint.ts';
import { listenToMap } from './pointer.ts';

const WIDE = 660; // pixels of the design from where lines and map stand side by side
const GAP = 24; // of them between the two
const LINE = 20; // of them that a word beside the map needs

interface Marks {
  lines(): Mark<Columns>[];
  map(): Mark<HeatGeometry>[];
}

/** The texts and nodes of a pair besides its pictures. */
interface Words {
  /** Prefix of its class names. */
  name: string;
  axes: string;
  /** Between lines and map, and over the map. */
  between?: HTMLElement[];
  over?: HTMLElement[];
}

export class Pair {
  readonly lines: Plot<Columns>;
  readonly map: Plot<HeatGeometry>;
  readonly axes: HTMLParagraphElement;
  readonly node: HTMLDivElement;
  u = 1;
  room = 0;
  /** Room for the lines, and for the map. */
  sides: [number, number] = [0, 0];
  wide = false;
  /** Which of the two is seen where they do not stand side by side; null: both. */
  alone: 'lines' | 'map' | null = null;

  constructor({ name, axes, between = [], over = [] }: Words, marks: Marks) {
    const canvas = (which: string) =>
      el('canvas', { class: `picture ${name}-${which}`, tabindex: 0, role: 'application' });
    const slot = (...inside: Node[]) => el('div', { class: `${name}-place` }, ...inside);
    this.lines = new Plot(canvas('lines'), () => marks.lines());
    this.map = new Plot(canvas('heat'), () => marks.map());
    this.axes = el('p', { class: 'axis-words' }, axes);
    const map = slot(this.axes, this.map.node, ...over);
    this.node = el('div', { class: `${name}-views` }, slot(this.lines.node), ...between, map);
  }

  /** Divides the available width between lines and map side by side; in a narrow one the lines get `alone` pixels above the map. */
  resize(room: number, u: number, shares: [number, number], alone = room) {
    this.wide = room >= WIDE * u;
    this.node.classList.toggle('wide', this.wide);
    [this.u, this.room] = [u, room];
    this.sides = this.wide
      ? [Math.floor(room * shares[0]), Math.floor(room * shares[1]) - GAP * u]
      : [alone, room];
  }

  /**
   * The vertical layout of lines beside a map: each word is at the same height in both. Where a low map has not a line for each of
   * `longest` words they take more, up to `tall` pixels, so that none is left out.
   */
  beside({ box }: HeatGeometry, longest: number, tall: number) {
    const body = Math.max(box.h, Math.min(tall, LINE * this.u * longest));
    return this.wide ? { top: box.y + this.axes.offsetHeight, body } : {};
  }

  draw() {
    this.lines.draw();
    this.map.draw();
  }

  /** Sets the accessible names of both. */
  describe(lines: string, map: string) {
    this.lines.node.setAttribute('aria-label', lines);
    this.map.node.setAttribute('aria-label', map);
  }

  /* ---------- leaving the page ---------- */

  get width() {
    return Math.max(this.room, this.map.frame.width);
  }

  /** Whether a picture is left out, as it is on the page. */
  private lacks(picture: 'lines' | 'map') {
    return !this.wide && this.alone !== null && this.alone !== picture;
  }

  /** Height of what is seen of lines and map. */
  get height() {
    const [lines, map] = [this.lines.frame.height, this.map.frame.height + 18 * this.u];
    if (this.lacks('map')) return lines;
    if (this.lacks('lines')) return map;
    return this.wide ? Math.max(lines, map) : lines + 14 * this.u + map;
  }

  /** What is seen, as it leaves the page. */
  paint(p: Painter, c: Colours, axes = '') {
    const { u } = this;
    if (!this.lacks('lines')) this.lines.paint(p);
    if (this.lacks('map')) return;
    const below = this.lacks('lines') ? 0 : 14 * u + this.lines.frame.height;
    const [x, y] = this.wide ? [this.sides[0] + GAP * u, 0] : [0, below];
    if (axes) p.text(x + 2, y + 10 * u, axes, { size: typeSize(12, u), fill: c.muted });
    this.map.paint(shifted(p, x, y + 18 * u));
  }
}

/* A picture is a list of marks on one frame: the frame says where things stand, each mark draws one thing there. The same
   list is drawn on the page and into the file that leaves it. */

/** How large a picture is, in CSS pixels; what else a frame holds is between it and its marks. */
interface Sized {
  width: number;
  height: number;
}

/** Draws one thing on a frame. */
export type Mark<Frame> = (p: Painter, frame: Frame) => void;

/** Draws the marks, the first undermost. */
export function paintMarks<Frame>(p: Painter, frame: Frame, marks: Mark<Frame>[]) {
  for (const mark of marks) mark(p, frame);
}

/** Marks on a canvas of the page, with hit-testing for the pointer. */
export class Plot<Frame extends Sized> {
  frame!: Frame;

  /** @param marks asked for anew at every drawing */
  constructor(
    readonly node: HTMLCanvasElement,
    readonly marks: () => Mark<Frame>[],
  ) {}

  paint(p: Painter) {
    paintMarks(p, this.frame, this.marks());
  }

  draw() {
    this.paint(canvasPainter(fitCanvas(this.node, this.frame.width, this.frame.height)));
  }

  /** @param hit the element at a point of the frame */
  listen(hit: (frame: Frame, x: number, y: number) => Cell | null, answers: Omit<Answers, 'hit'>) {
    listenToMap(this.node, { ...answers, hit: (x, y) => this.frame && hit(this.frame, x, y) });
  }
}
