/* The heads of a wall: their numbers, their scores, and how the reader has arranged them. */

import type { Colours } from '../web/base/colour.ts';
import type { Arranged, Tone, WallData } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { Cache } from '../web/marks/picture.ts';
import { kindRamp } from '../web/base/colour.ts';
import { tr } from '../web/base/language.ts';
import { WEIGHT_OF_BYTE, indexOf, logFloor, placer } from '../web/maps/sheet.ts';
import { quantityWords, weightWords } from '../web/marks/legend.ts';

const PAIR = 'pair'; // the score by the pinned pair (ui/shared/map_data.py)
const BEST = 3; // heads of it that are outlined

export class WallHeads {
  meta!: WallData;
  own: Arranged = { sort: 'model', badge: '', least: null, tone: null };
  table: string[] = [];
  pictures: { sheet: Sheet; cache: Cache }[] = [];

  score(head: number, name = this.own.badge): number | null {
    return this.meta.scores[name]?.values[head] ?? null;
  }

  /** The pinned pair, while the heads are scored by it. */
  get pair() {
    return this.own.badge === PAIR ? this.meta.pair : null;
  }

  /** The best heads for the pinned pair. */
  isBest(head: number) {
    return this.pair ? this.pair.order.indexOf(head) < BEST : false;
  }

  isStrong(head: number) {
    if (this.pair) return this.isBest(head);
    const { mark = null, down = false } = this.meta.scores[this.own.badge] ?? {};
    const score = this.score(head);
    return score !== null && mark !== null && (down ? score <= mark : score >= mark);
  }

  passes(head: number) {
    const { least } = this.own;
    return least === null || (this.score(head) ?? -Infinity) >= least;
  }

  /** Many tokens share a row, so their weights are small. */
  get tone(): Tone {
    return this.own.tone ?? (this.meta.keys > 64 ? 'log' : 'weight');
  }

  pairOf(head: number): [number, number] {
    return [Math.floor(head / this.meta.heads), head % this.meta.heads];
  }

  nameOf(head: number) {
    return pictureName(this.meta, head);
  }

  /** Whether a picture is a layer and not a head. */
  get layered() {
    return Boolean(this.meta.quantity?.pictures.length);
  }

  headsOf(message: { heads: [number, number][] }) {
    const { layers, heads } = this.meta;
    const known = message.heads.filter(([layer, k]) => layer < layers && k < heads);
    return known.map(([layer, k]) => layer * heads + k);
  }

  /** The heads in the order they are shown. */
  order() {
    const all = this.pictures.map((_, head) => head);
    if (this.own.sort === 'model' || !this.own.badge) return all;
    const sign = this.own.sort === 'high' ? -1 : 1;
    if (this.pair) {
      const listed = this.pair.order.filter((head) => this.passes(head));
      return sign < 0 ? listed : listed.reverse();
    }
    const value = (head: number) => this.score(head) ?? -sign * Infinity;
    return all
      .filter((head) => this.passes(head))
      .sort((a, b) => (value(a) === value(b) ? a - b : sign * (value(a) - value(b))));
  }

  bytes(head: number) {
    return this.meta.levels.subarray(head * this.meta.size, (head + 1) * this.meta.size);
  }

  build(colours: Colours) {
    const { meta } = this;
    this.table = kindRamp(colours, meta.kind);
    this.pictures = Array.from({ length: meta.layers * meta.heads }, (_, head) => ({
      sheet: headSheet(meta, this.bytes(head), this.table, this.tone),
      cache: {},
    }));
  }

  /** @param news whether the arrangement of the data is another than the reader's */
  takeArrangement(news: boolean) {
    if (news) Object.assign(this.own, this.meta.arranged);
    if (this.own.badge in this.meta.scores) return;
    Object.assign(this.own, { badge: Object.keys(this.meta.scores)[0] ?? '', sort: 'model', least: null });
  }
}

/* ---------- The wall's bytes as numbers and as pictures. ---------- */

/**
 * Weights (written × columns) of one head, row by row, NaN where attending is not allowed; exact to half a byte.
 */
export function weightsOf(meta: WallData, levels: Uint8Array, head: number) {
  const cols = meta.shape[1];
  const bytes = levels.subarray(head * meta.size, head * meta.size + meta.written * cols);
  return Float32Array.from(bytes, (b, n) =>
    meta.causal && n % cols > Math.floor(n / cols) ? NaN : WEIGHT_OF_BYTE[b],
  );
}

/** The mean or the maximum of all heads, likewise. */
export function wholeOfHeads(meta: WallData, levels: Uint8Array) {
  const count = meta.layers * meta.heads;
  const max = meta.all_heads.how === 'max';
  const sum = weightsOf(meta, levels, 0);
  for (let head = 1; head < count; head++) {
    weightsOf(meta, levels, head).forEach((v, n) => (sum[n] = max ? Math.max(sum[n], v) : sum[n] + v));
  }
  return max ? sum : sum.map((v) => v / count);
}

/** How a picture is called: "2.5", or the layer that it is. */
function pictureName({ heads, quantity }: WallData, head: number) {
  const [row, n] = [Math.floor(head / heads), head % heads];
  if (!quantity?.pictures.length) return `${row}.${n}`;
  return row ? `${quantity.rows[row]}, ${quantity.pictures[n]}` : quantity.pictures[n];
}

/**
 * A head's picture; `tone` is weight, log, or each (1 is the head's own largest weight).
 * @param level the head's bytes
 */
export function headSheet(meta: WallData, level: Uint8Array, table: string[], tone: Tone): Sheet {
  const { shape, block, rows, cols, written, causal, keys } = meta;
  const last = meta.quantity?.aside ? shape[1] - 1 : shape[1];
  const allowed = (i: number, j: number): boolean =>
    !causal || j >= last || j * block[1] <= i * block[0] + block[0] - 1;
  const top = tone === 'each' ? Math.max(...WEIGHT_OF_BYTE.filter((_, b) => level.includes(b)), 1e-6) : 1;
  const position = tone === 'log' ? placer('log', 1, logFloor(keys)) : placer('weight', top);
  const byByte = Int16Array.from(WEIGHT_OF_BYTE, position);
  const byte = (i: number, j: number) => (allowed(i, j) ? level[i * shape[1] + j] : NaN);
  const empty = Array.from(
    { length: shape[0] },
    (_, i) => meta.hidden && level.subarray(i * shape[1], (i + 1) * shape[1]).every((b) => b === 0),
  );
  const index = indexOf(
    ...shape,
    (i, j) => (empty[i] ? NaN : byte(i, j)),
    (b) => byByte[b],
  );
  const at: Sheet['at'] = (i, j) => WEIGHT_OF_BYTE[byte(i, j)] ?? NaN;
  return { rows, cols, written, index, table, neutral: 0, unit: 'share', at };
}

/** What the colours of the wall are, in words. */
export function toneWords(meta: WallData, tone: Tone) {
  const { quantity } = meta;
  const what = quantity ? quantityWords(quantity) : weightWords(tone === 'log');
  const [tall, wide] = meta.block;
  const reduced = meta.labelled
    ? ''
    : ` · ${tr('each cell: the largest of {tall} × {wide}', { tall, wide })}`;
  return what + reduced;
}
