/* The reader's choice in a training (a record, a head, a score) and the words for it. */

import type { WallLayout } from '../shared/wall_drawing.ts';
import type { Piece } from '../web/base/dom.ts';
import type { Host } from '../web/base/view.ts';
import type { Cell } from '../web/maps/selection.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { CurveLayout } from './dynamics_layout.ts';
import type { DynamicsNumbers } from './dynamics_numbers.ts';
import { wallLayout } from '../shared/wall_drawing.ts';
import { el } from '../web/base/dom.ts';
import { grouped, tr } from '../web/base/language.ts';
import { inSight } from '../web/base/view.ts';
import { focusOn } from '../web/maps/selection.ts';
import { rowSentence, verbOf } from '../web/maps/sentence.ts';
import { rowOf } from '../web/maps/sheet.ts';
import { curveLayout, nearestCurve, nearestRecord, range, valueY } from './dynamics_layout.ts';
import { curveSentence, intervalOf, two } from './dynamics_numbers.ts';

const NEAR = 10; // pixels of the design within which a curve is pointed at
const HALL = 610; // pixels of the design around the panel of the heads in a hall
export const HALL_MAPS = 330; // and around the maps

export abstract class Looked {
  numbers!: DynamicsNumbers;
  own = { at: 0, layer: 0, head: 0, score: '' };
  hovered = -1;
  /** a cell of the open head's map */
  cell: Cell | null = null;
  table: string[] = [];
  ends = { low: 0, high: 1 };
  curves!: CurveLayout;
  layout!: WallLayout;

  constructor(readonly host: Host) {}

  /** Opens the map of a head, at record `k` where it is given. */
  abstract open(n: number, k?: number): void;

  /** Points at a head's curve and map; −1: at none. */
  abstract hover(n: number): void;

  /** The number of the last record. */
  get last() {
    return this.numbers.meta.steps.length - 1;
  }

  get openHead() {
    return this.own.layer * this.numbers.meta.heads + this.own.head;
  }

  get openName() {
    return this.numbers.nameOf(this.openHead);
  }

  get openSheet(): Sheet {
    return this.numbers.sheet(this.own.at, this.openHead, this.table);
  }

  get focus() {
    return focusOn(this.cell);
  }

  get panelName() {
    const words = this.numbers.words(this.own.score);
    if (!words) return '';
    const units = words.units && words.units !== 'share' ? `, ${words.units}` : '';
    return tr('{score} of every head', { score: `${words.label}${units}` });
  }

  /** The range of the heads' panel: over all records, so that it stays fixed during playback. */
  measureEnds() {
    const { numbers, own } = this;
    const values = numbers.meta.steps.flatMap((_, k) =>
      Array.from({ length: numbers.count }, (__, n) => numbers.score(k, own.score, n)).filter(
        Number.isFinite,
      ),
    );
    const words = numbers.words(own.score);
    this.ends = range(values, words?.low ?? 0, words?.high ?? null);
  }

  /** The value of a head's curve at a record; null where it was not measured. */
  heightOf(g: CurveLayout, n: number, k: number) {
    const value = this.numbers.score(k, this.own.score, n);
    return Number.isFinite(value) ? valueY(g.heads, value, this.ends.low, this.ends.high) : null;
  }

  curveAt(event: MouseEvent) {
    const { curves: g, numbers } = this;
    if (event.offsetY < g.heads.y - NEAR * g.u) return -1;
    const k = nearestRecord(g, numbers.meta.steps, event.offsetX);
    const heights = Array.from({ length: numbers.count }, (_, n) => this.heightOf(g, n, k));
    return nearestCurve(heights, event.offsetY, NEAR * g.u);
  }

  /** The layout of the curves and small maps. */
  arrange(left: number, right: number) {
    const { host, numbers } = this;
    const { meta } = numbers;
    const u = host.scale;
    const last = meta.live ? meta.total : meta.steps[this.last];
    this.curves = curveLayout(left, u, last, inSight(host, meta.tall, HALL));
    const shape: [number, number] = [meta.rows.length, meta.cols.length];
    const tall = inSight(host, 300, HALL_MAPS + 200);
    const wall = { ...meta, shape, square: meta.kind !== 'cross', tall, quantity: null };
    const order = Array.from({ length: numbers.count }, (_, n) => n);
    this.layout = wallLayout(wall, order, true, right, u);
  }

  curveWords() {
    const n = this.hovered >= 0 ? this.hovered : this.openHead;
    return curveSentence(this.numbers, this.own.at, n, this.own.score);
  }

  /** The row pointed at, else the one with the largest weight of those that have a choice. */
  mapWords(): Piece[] {
    const sheet = this.openSheet;
    const peak = (i: number) => Math.max(...rowOf(sheet, i));
    const first = this.numbers.meta.kind === 'causal' && sheet.rows.length > 1 ? 1 : 0;
    const best = sheet.rows.reduce((top, _, i) => (i > first && peak(i) > peak(top) ? i : top), first);
    const row = this.cell?.row ?? best;
    const verb = verbOf(this.numbers.meta.kind);
    const how = {
      verb,
      subject: tr('head {name}', { name: this.openName }),
      mode: 'weights' as const,
      read: sheet.reads?.[row],
    };
    return rowSentence(rowOf(sheet, row), sheet.rows[row], sheet.cols, how);
  }
}

/* What is pressed beside the curves: a button over every small map, and one for each moment a head took shape. */

export function headButtons(view: Looked) {
  const { layout, numbers } = view;
  return Array.from(layout.at, ([n, { x, y }]) => {
    const name = tr('Open head {name}', { name: numbers.nameOf(n) });
    const button = el('button', {
      class: 'dynamics-head',
      'data-head': n,
      'aria-label': name,
      onclick: () => view.open(n),
      onpointerenter: () => view.hover(n),
      onpointerleave: () => view.hover(-1),
    });
    button.style.cssText = `left:${x}px;top:${y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
    return button;
  });
}

export function momentButtons(view: Looked) {
  const { meta } = view.numbers;
  if (!meta.drops.length) return [];
  const label = el('span', { class: 'dynamics-label' }, tr('Took shape'));
  const list = meta.drops.map((drop) => {
    const [layer, head, , end, before, after] = drop;
    const n = layer * meta.heads + head;
    const name = view.numbers.nameOf(n);
    const words = [
      el('b', {}, name),
      ` ${tr('step {step}', { step: grouped(meta.steps[end]) })} `,
      el('span', {}, `${two(before)} → ${two(after)}`),
    ];
    const what = tr('Normalised entropy of head {name}; opens it at that step', { name });
    const title = meta.dated ? `${what}. ${intervalOf(meta, drop)}` : what;
    return el(
      'button',
      { class: 'dynamics-moment', 'data-head': n, title, onclick: () => view.open(n, end) },
      ...words,
    );
  });
  return [label, el('div', { class: 'dynamics-list' }, ...list)];
}
