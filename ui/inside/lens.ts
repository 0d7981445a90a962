/* The logit lens: a row for each written word, a column for each depth of the decoder, in each cell the word that would
   be written there. Hover previews a cell's ten words beside it, a click pins it, arrows walk, Esc clears. */

import type { Host } from '../web/base/view.ts';
import type { LensAnswers, LensData } from '../web/generated/types.ts';
import type { At, Cell } from '../web/maps/selection.ts';
import type { LensGeometry } from './lens_drawing.ts';
import { rampTable } from '../web/base/colour.ts';
import { keyList } from '../web/base/controls.ts';
import { card, el, plain } from '../web/base/dom.ts';
import { linked, pageKeys } from '../web/base/events.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { tr } from '../web/base/language.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { setKind, viewOf } from '../web/base/view.ts';
import { TOUCH, visible, within } from '../web/base/words.ts';
import { sameCell } from '../web/maps/selection.ts';
import { pinnedHint } from '../web/maps/sentence.ts';
import { drawLegend } from '../web/marks/legend.ts';
import { arrowKeys, listenToMap } from '../web/marks/pointer.ts';
import {
  lensGeometry,
  lensHit,
  lensLeaving,
  lensLegend,
  paintLens,
  paintTop,
  topHeight,
  topLeaving,
} from './lens_drawing.ts';
import { LensNumbers } from './lens_numbers.ts';
import './lens.css';

const keys = () =>
  [
    ['← →', tr('One layer down, one layer up')],
    ['↑ ↓', tr('Previous word, next word')],
    ['Enter', tr('Pin the cell')],
    ['Esc', tr('Clear the pin')],
    ['?', tr('Show this list')],
  ] as const;
const hint = () =>
  TOUCH ? tr('Tap a cell to see its ten words') : tr('Point at a cell to see its ten words; click to pin it');

class Lens {
  parts: ReturnType<typeof card>;
  side: ReturnType<typeof card>;
  canvas = el('canvas', { class: 'picture lens-cells', tabindex: 0, role: 'application' });
  bars = el('canvas', { class: 'picture', role: 'img' });
  legend = el('canvas', { class: 'picture' });
  numbers!: LensNumbers;
  geometry!: LensGeometry;
  table: string[] = [];
  pinned: At | null = null;
  hovered: At | null = null;
  words = '';
  picked: ReturnType<typeof linked<LensAnswers['picked']>>;
  keys = keyList(keys());

  private readonly how = el('span', { class: 'lens-how' });

  constructor(
    root: HTMLElement,
    readonly host: Host,
  ) {
    const grid = el('div', { class: 'lens' });
    root.append(el('div', { class: 'lens-wrap' }, grid));
    this.parts = card(grid);
    this.side = card(grid);
    const foot = el('div', { class: 'foot' }, this.legend, this.how);
    this.parts.body.append(this.canvas, this.parts.readout, foot);
    this.side.body.append(this.bars);
    this.picked = linked<LensAnswers['picked']>(host, 'picked');
    this.parts.controls.append(this.keys.button, exportMenu(host, lensLeaving(this)), this.keys.list);
    this.side.controls.append(exportMenu(host, topLeaving(this)));
    this.listen();
  }

  listen() {
    listenToMap(this.canvas, {
      hit: (x, y) => lensHit(this.geometry, x, y),
      hover: (at) => this.hover(at && full(at)),
      pin: (at) => at && this.pin(full(at)),
      cell: () => this.at,
      size: () => [this.geometry.rows, this.geometry.cols],
    });
    const walk = (down: number, right: number) => {
      const { row, col } = this.at;
      const { rows, cols } = this.geometry;
      this.hovered = null;
      this.pin({ row: within(0, row + down, rows - 1), col: within(0, col + right, cols - 1) }, false);
    };
    pageKeys(this.host, {
      ...arrowKeys(walk),
      Escape: () => (this.keys.isOpen() ? this.keys.hide() : this.pinned ? this.pin(this.pinned) : false),
      '?': () => this.keys.toggle(),
    });
  }

  /** The cell that the sentence is about: pointed at, pinned, or the last one before a word stays first. */
  get at(): At {
    if (this.hovered) return this.hovered;
    if (this.pinned) return this.pinned;
    const { steps, depths } = this.numbers.meta;
    const last = depths.length - 1;
    const rows = steps.map((_, row) => this.numbers.firstFrom(row));
    const late = rows.reduce((best, col, row) => (col <= last && col > rows[best] ? row : best), 0);
    return { row: late, col: Math.max(0, Math.min(last, rows[late]) - 1) };
  }

  hover(at: At | null) {
    if (sameCell(at, this.hovered)) return;
    this.hovered = at;
    this.draw();
  }

  /** @param at a second time: no longer */
  pin(at: At, toggles = true) {
    const again = toggles && sameCell(this.pinned, at);
    this.pinned = again ? null : at;
    if (again) this.hovered = null;
    if (this.numbers.meta.report) this.picked.report(this.pinned && [this.pinned.row, this.pinned.col]);
    this.draw();
  }

  topTitle() {
    const { steps, depths } = this.numbers.meta;
    return tr('“{word}” at {depth}', { word: visible(steps[this.at.row]), depth: depths[this.at.col] });
  }

  /** Pixels that the bars may take. */
  get roomOfTop() {
    return this.side.body.clientWidth;
  }

  draw() {
    const { geometry: g, host } = this;
    paintLens(canvasPainter(fitCanvas(this.canvas, g.width, g.height)), this, g);
    const room = this.roomOfTop;
    paintTop(canvasPainter(fitCanvas(this.bars, room, topHeight(this, host.scale))), this, room);
    const sentence = this.numbers.sentence(this.at);
    this.parts.tell({ readout: [...sentence, { muted: `  ${this.pinned ? pinnedHint() : hint()}` }] });
    this.side.tell({ title: this.topTitle(), subtitle: tr('The ten most probable words there') });
    this.canvas.setAttribute('aria-label', `${this.numbers.spoken()}. ${plain(sentence)}`);
    this.bars.setAttribute('aria-label', plain(sentence));
  }

  relayout() {
    const { steps, depths } = this.numbers.meta;
    this.geometry = lensGeometry(steps, depths, this.parts.body.clientWidth, this.host.scale);
    this.how.textContent = this.geometry.narrow
      ? tr('bar: first from here on')
      : tr('small number: rank of the word written · bar: first from here on');
    this.draw();
    drawLegend(this.legend, this.host.scale, lensLegend(this), this.host.colours);
  }

  update(meta: LensData) {
    this.numbers = new LensNumbers(meta);
    setKind(this.host, 'causal');
    this.table = rampTable(this.host.colours.panel, this.host.colours.causal);
    const words = JSON.stringify([meta.steps, meta.depths]);
    if (this.picked.isNews(meta.cell) || words !== this.words) {
      this.pinned = meta.cell && { row: meta.cell[0], col: meta.cell[1] };
      this.hovered = null;
    }
    this.words = words;
    this.parts.tell({
      title: this.numbers.title(),
      subtitle: meta.normed
        ? tr('Logit lens: each layer’s vector, read by the final norm and the output projection')
        : tr('Logit lens: each layer’s vector, read by the output projection'),
    });
    this.relayout();
  }
}

const full = ({ row = 0, col = 0 }: Cell): At => ({ row, col });

export default viewOf(Lens);
