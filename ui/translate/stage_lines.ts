/* Attended words above, attending words below, curves between them. */

import type { LinesLayout } from '../shared/lines_layout.ts';
import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { Selection } from '../web/maps/selection.ts';
import type { Frame } from './stage_position.ts';
import { CURVES, linesLayout } from '../shared/lines_layout.ts';
import { readableOn } from '../web/base/colour.ts';
import { el } from '../web/base/dom.ts';
import { animate, reducedMotion } from '../web/base/events.ts';
import { canvasPainter, fitCanvas, shorten, textWidth } from '../web/base/paint.ts';
import { inSight } from '../web/base/view.ts';
import { isSpecial, percent, topIndices, visible, within } from '../web/base/words.ts';
import { columnOf, rowOf, sumOf } from '../web/maps/sheet.ts';
import { LINE_FLOOR, behindRow, curveBetween, paintLines } from '../web/marks/lines.ts';
import { WordButtons } from './stage_controls.ts';
import './stage.css';

const HALL = 462; // of them in a hall around the curves of a long sentence: strip, sentence, translation, controls, words
const FLATTEST = 48;

/** How tall the curves may be for both rows of words to be in sight; `inSight` keeps more than a small projector has. */
const inHall = (host: Host) =>
  host.scale > 1 && !host.root.dataset.slideRoom
    ? within(FLATTEST, window.innerHeight / host.scale - HALL, CURVES)
    : Math.max(FLATTEST, inSight(host, CURVES, HALL));

const ABOVE = { hall: 368, page: 350 }; // pixels of the design over the columns of a long sentence
const BELOW = 12; // pixels under them
const NARROW = 640; // a phone, where words below each other are as far apart as fingers need

/** How tall the columns of a long sentence may be for all of its words to be in sight, in pixels. */
function inColumns({ scale, root }: Host, room: number) {
  const { slideRoom } = root.dataset;
  if (slideRoom) return scale * Number(slideRoom);
  if (scale <= 1 && room < NARROW) return Infinity;
  return window.innerHeight - (scale > 1 ? ABOVE.hall : ABOVE.page) * scale - BELOW;
}

export class StageLines {
  canvas = el('canvas', { class: 'lines-canvas', 'aria-hidden': 'true' });
  shareRow = el('div', { class: 'lines-row', 'aria-hidden': 'true' });
  words = new WordButtons(this);
  inner = el('div', { class: 'lines-inner' }, this.canvas);
  scroller = el('div', { class: 'lines scroller', tabindex: '-1' }, this.inner);
  frame!: Frame;
  layout!: LinesLayout;
  built = '';
  size = 0;
  growth = 1;
  stopGrowth = () => {};

  /** `go(step)` moves to a step when a dot is clicked. */
  constructor(
    parent: HTMLElement,
    readonly host: Host,
    readonly selection: Selection,
    readonly go: (step: number) => void,
  ) {
    const { source, target } = this.words.rows;
    const words = el('div', { class: 'lines-words' }, this.shareRow, source, target);
    this.inner.append(words);
    parent.append(this.scroller);
    const scrolled = () => {
      this.paint();
      this.fade();
    };
    this.scroller.addEventListener('scroll', () => requestAnimationFrame(scrolled), { signal: host.signal });
  }

  build() {
    const { sheet, covered } = this.frame;
    const { host } = this;
    const room = this.scroller.clientWidth;
    this.layout = linesLayout(sheet, room, host.scale, covered, inHall(host), inColumns(host, room));
    const { inside, y, size, w } = this.layout;
    this.inner.style.width = `${inside}px`;
    this.inner.style.height = `${y.end}px`;
    this.scroller.classList.toggle('upright', !this.layout.flat);
    this.shareRow.style.top = '0';
    const { source, target } = this.words.rows;
    source.style.top = `${y.source}px`;
    target.style.top = `${y.target}px`;
    for (const row of [source, target]) row.style.setProperty('--u', `${w}px`);
    if (size !== this.size) this.words.forget();
    this.size = size;
    this.words.fill('source', sheet.cols);
    this.words.fill('target', sheet.rows);
  }

  /** The largest sums of the focus, each with the place of its word and the line it is written on. */
  sums() {
    const { sheet, focus } = this.frame;
    const { rows, cols, cell } = focus();
    const { flat, x, y, u, source, target } = this.layout;
    const largest = (
      sums: number[],
      along: number[],
      across: number,
    ): { x: number; y: number; share: number }[] =>
      topIndices(sums, 4)
        .filter((n, rank) => sums[n] >= (rank ? 0.05 : 0.01) && (!cell || cols.has(n)))
        .map((n) => ({
          ...(flat ? { x: along[n], y: across } : { x: across, y: along[n] - 9 * u }),
          share: sums[n],
        }));
    const above = rows.size ? largest(sumOf(sheet, rows, rowOf), source, flat ? 0 : x.shares - 20 * u) : [];
    if (cell || !cols.size) return above;
    return [
      ...above,
      ...largest(sumOf(sheet, cols, columnOf), target, flat ? y.end - 17 * u : x.sums + 20 * u),
    ];
  }

  labelShares() {
    const marks = this.sums().map(({ x, y, share }) => {
      const mark = el('span', { class: 'share' }, percent(share));
      mark.style.left = `${x}px`;
      mark.style.top = `${y}px`;
      return mark;
    });
    this.shareRow.replaceChildren(...marks);
  }

  /* ---------- curves ---------- */

  /** All curves; `left` and `right` bound what is drawn when only a part is in view. */
  drawCurves(p: Painter, left = -Infinity, right = Infinity) {
    const { sheet, row, rests, kind, focus } = this.frame;
    const { flat, x, y, u, source, target } = this.layout;
    const { rows, cols, cell } = focus();
    paintLines(
      p,
      sheet,
      { rows, cols: cell ? new Set() : cols },
      {
        area: [0, sheet.rows.length, 0, sheet.cols.length],
        threshold: LINE_FLOOR,
        u,
        behind: rests ? undefined : behindRow(row),
        growing: { row, share: this.growth },
        hue: () => this.host.colours[kind],
        curve(i, j) {
          const [from, to] = [target[i], source[j]];
          if (!flat) return curveBetween([x.right, from], [x.left, to], false);
          if (Math.max(from, to) < left || Math.min(from, to) > right) return null;
          return curveBetween([from, y.bottom], [to, y.top], true);
        },
      },
    );
  }

  paint() {
    if (!this.frame) return;
    const { scrollLeft, clientWidth } = this.scroller;
    const width = Math.max(1, clientWidth);
    const context = fitCanvas(this.canvas, width, this.layout.y.end);
    context.translate(-scrollLeft, 0);
    this.drawCurves(canvasPainter(context), scrollLeft - 50, scrollLeft + width + 50);
  }

  /** Words that go on beyond the edge fade there. */
  fade() {
    const { scrollLeft, clientWidth, classList } = this.scroller;
    classList.toggle('more-left', scrollLeft > 2);
    classList.toggle('more-right', scrollLeft + clientWidth < this.layout.inside - 2);
  }

  refresh() {
    if (!this.frame) return;
    this.words.mark();
    this.labelShares();
    this.paint();
    this.fade();
  }

  keepInView() {
    if (!this.layout.flat) return;
    const x = this.layout.target[Math.max(0, this.frame.row)] ?? 0;
    const { scrollLeft, clientWidth } = this.scroller;
    const seen = x > scrollLeft + 60 && x < scrollLeft + clientWidth - 60;
    if (this.layout.inside <= clientWidth || seen) return;
    this.scroller.scrollTo({ left: x - clientWidth / 2, behavior: reducedMotion() ? 'auto' : 'smooth' });
  }

  update(next: Frame) {
    const grew = this.frame && next.step === this.frame.step + 1;
    this.frame = next;
    const text = this.host.colours[`${next.kind}_text`];
    this.scroller.style.setProperty('--kind-text', text);
    this.scroller.style.setProperty('--kind-ink', readableOn(text, this.host.colours));
    const { rows, cols } = next.sheet;
    const key = JSON.stringify([cols, rows, next.covered, this.scroller.clientWidth, this.host.scale]);
    if (key !== this.built) this.build();
    this.built = key;
    this.keepInView();
    this.stopGrowth();
    this.growth = 1;
    this.refresh();
    if (!grew) return;
    this.stopGrowth = animate((share) => {
      this.growth = share;
      this.paint();
    });
  }

  relayout() {
    this.build();
    this.built = '';
    this.refresh();
  }

  /* ---------- leaving the page ---------- */

  get picture(): Pick<Leaving, 'size' | 'draw'> {
    return { size: () => [this.layout.inside, this.layout.y.end], draw: (p) => paintWhole(p, this) };
  }
}

/** Words and curves as they leave the page. */
function paintWhole(p: Painter, lines: StageLines) {
  lines.drawCurves(p);
  const { sheet, row, kind } = lines.frame;
  const { flat, x: across, y, u, w, size, limit, source, target } = lines.layout;
  const c = lines.host.colours;
  const text = c[`${kind}_text`];
  for (const { x, y: top, share } of lines.sums())
    p.text(x, top + 13 * u, percent(share), { size: 12.5 * u, align: 'center', fill: text });
  if (!flat) {
    const upright = (label: string, x: number, top: number, align: 'left' | 'right', fill: string) =>
      p.text(x, top, shorten(visible(label), limit, size), {
        size,
        mono: true,
        align,
        baseline: 'middle',
        fill,
      });
    sheet.cols.forEach((label, n) => upright(label, across.source - 6 * u, source[n], 'right', c.ink));
    sheet.rows.forEach((label, n) => {
      if (n < sheet.written)
        upright(label, across.target + 6 * u, target[n], 'left', n === row ? text : c.ink);
    });
    return;
  }
  const word = (label: string, x: number, top: number, fill: string) =>
    p.text(x, top + 19 * w, shorten(visible(label), limit, size), {
      size,
      mono: true,
      align: 'center',
      fill,
    });
  const ink = (label: string) => (isSpecial(label) ? c.muted : c.ink);
  sheet.cols.forEach((label, n) => word(label, source[n], y.source, ink(label)));
  sheet.rows.forEach((label, n) => {
    const x = target[n];
    if (n >= sheet.written) return p.circle(x, y.target + 14 * w, 3, { fill: c.line });
    if (n !== row) return word(label, x, y.target, ink(label));
    const width = Math.min(limit, textWidth(visible(label), size)) + 16 * w;
    p.rect(x - width / 2, y.target, width, 27 * w, { fill: text, radius: 7 });
    word(label, x, y.target, readableOn(text, c));
  });
}
