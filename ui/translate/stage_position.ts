/* Where the reader of a decode stands: its numbers, the step, the layer and head, and what of it may be shown. */

import type { Host } from '../web/base/view.ts';
import type { Kind, StageData } from '../web/generated/types.ts';
import type { Selection } from '../web/maps/selection.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { kindRamp } from '../web/base/colour.ts';
import { bus } from '../web/base/events.ts';
import { makeSheet } from '../web/maps/sheet.ts';

/**
 * One step as the pictures see it: the map as far as it is written, the row that is lit (the one just written; −1: none,
 * at the start and at rest), and what to show most: what is hovered or pinned, else that row. `step` counts the words
 * written. Of a covered decode the map ends with the row just written.
 */
export interface Frame {
  sheet: Sheet;
  row: number;
  step: number;
  rests: boolean;
  kind: Kind;
  forced: Set<number>;
  covered: boolean;
  focus(): { rows: Set<number>; cols: Set<number>; cell: boolean };
}

export class Reader {
  data!: StageData;
  position = 0;
  /** Whether the words to come are hidden. */
  covered = true;
  /** null is the mean */
  layer: number | null = 0;
  head: number | null = null;
  sheets = new Map<string, Sheet>();

  constructor(
    readonly host: Host,
    readonly selection: Selection,
  ) {}

  take(next: StageData) {
    this.data = next;
    this.sheets = new Map();
  }

  /** The chosen layer and head as a map; a mean over heads, layers or both where none is chosen. */
  sheet() {
    const name = `${this.layer}/${this.head}`;
    const known = this.sheets.get(name);
    if (known) return known;
    const { source, target, reads, shape, kind } = this.data;
    const shares = meanOf(this.data.weights, shape, this.layer, this.head);
    const at = (i: number, j: number) => shares[i * source.length + j];
    const drawn = makeSheet(
      { rows: target, cols: source, reads: reads.length ? reads : undefined },
      at,
      kindRamp(this.host.colours, kind),
    );
    this.sheets.set(name, drawn);
    return drawn;
  }

  frameNow(): Frame {
    const { kind, forced, target, source } = this.data;
    const { covered, position } = this;
    const whole = this.sheet();
    const index = whole.index.subarray(0, position * source.length);
    const sheet = covered
      ? { ...whole, rows: target.slice(0, position), reads: whole.reads?.slice(0, position), index }
      : whole;
    sheet.written = position;
    const rests = this.data.ended && position === target.length && position > 0;
    const row = rests ? -1 : position - 1;
    const focus = () => {
      const active = this.selection.active;
      const free = !active.rows.size && !active.cols.size && row >= 0;
      return free ? { ...active, rows: new Set([row]) } : active;
    };
    return { sheet, row, step: position, rests, kind, forced: new Set(forced), covered, focus };
  }

  /** The layer and head chosen, in words. */
  subject() {
    return this.data.subjects[(this.layer ?? -1) + 1][(this.head ?? -1) + 1];
  }

  /**
   * Where to stand when new data arrives: stay, unless the decode or the server's wish has changed. The echo of
   * a report is no wish. Returns whether the decode is to write itself.
   */
  follow(before: StageData | null, news: boolean) {
    const { id, target, position, layer, head, writes } = this.data;
    if (!before || (news && (before.layer !== layer || before.head !== head)))
      [this.layer, this.head] = [layer, head];
    if (before?.id !== id || (news && before.position !== position)) this.position = position;
    this.position = Math.min(this.position, target.length);
    const shown = bus().last.stage; // by this view or, on an earlier page, by another
    const other = shown?.id !== id;
    this.covered = this.position < target.length && (other || shown.covered);
    return writes && other && shown !== undefined && target.length > 0;
  }
}

/* ---------- The stage's weights as the map of one layer and head, or of a mean over them. ---------- */

/**
 * (T, S) shares of one layer and head of (L, H, T, S) numbers 0..65535; null is the mean over heads or layers.
 */
export function meanOf(
  weights: ArrayLike<number>,
  [layers, heads, rows, columns]: [number, number, number, number],
  layer: number | null,
  head: number | null,
) {
  const pick = (count: number, chosen: number | null): number[] =>
    count === 1 ? [0] : chosen === null ? Array.from({ length: count }, (_, n) => n) : [chosen];
  const [fromLayers, fromHeads] = [pick(layers, layer), pick(heads, head)];
  const sum = new Float32Array(rows * columns);
  for (const l of fromLayers) {
    for (const h of fromHeads) {
      const offset = (l * heads + h) * sum.length;
      for (let n = 0; n < sum.length; n++) sum[n] += weights[offset + n];
    }
  }
  const share = 1 / (65535 * fromLayers.length * fromHeads.length);
  return sum.map((value) => value * share);
}
