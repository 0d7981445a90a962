/* The heads of a wall: their numbers, their scores, and how the reader has arranged them. */

import type { Colours } from '../base/colour.ts';
import type { Sheet } from '../maps/sheet.ts';
import type { Cache } from '../marks/picture.ts';
import type { Arranged } from './wall_controls.ts';
import type { Tone, WallMeta } from './wall_numbers.ts';
import { rampTable } from '../base/colour.ts';
import { headSheet, pictureName } from './wall_numbers.ts';

export class WallHeads {
  meta!: WallMeta;
  levels = new Uint8Array(0);
  own: Arranged = { badge: null, order: 'model', least: null, tone: null };
  table: string[] = [];
  pictures: { sheet: Sheet; cache: Cache }[] = [];

  score(head: number, name = this.own.badge): number | null {
    return this.meta.scores[name ?? '']?.values[head] ?? null;
  }

  isStrong(head: number) {
    const { mark = null, down = false } = this.meta.scores[this.own.badge ?? ''] ?? {};
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

  headsOf(said: { heads: [number, number][] }) {
    const { layers, heads } = this.meta;
    const known = said.heads.filter(([layer, k]) => layer < layers && k < heads);
    return known.map(([layer, k]) => layer * heads + k);
  }

  /** The heads in the order they are shown. */
  order() {
    const all = this.pictures.map((_, head) => head);
    if (this.own.order === 'model' || this.own.badge === null) return all;
    const sign = this.own.order === 'high' ? -1 : 1;
    const value = (head: number) => this.score(head) ?? -sign * Infinity;
    return all
      .filter((head) => this.passes(head))
      .sort((a, b) => (value(a) === value(b) ? a - b : sign * (value(a) - value(b))));
  }

  bytes(head: number) {
    return this.levels.subarray(head * this.meta.size, (head + 1) * this.meta.size);
  }

  build(colours: Colours) {
    const { meta } = this;
    this.table = rampTable(colours.panel, colours[meta.kind]);
    this.pictures = Array.from({ length: meta.layers * meta.heads }, (_, head) => ({
      sheet: headSheet(meta, this.bytes(head), this.table, this.tone),
      cache: {},
    }));
  }

  /** @param news whether the arrangement of the data is another than the reader's */
  takeArrangement(news: boolean) {
    const [order, badge, least, tone] = this.meta.arranged;
    if (news) Object.assign(this.own, { order, badge, least, tone });
    if ((this.own.badge ?? '') in this.meta.scores) return;
    Object.assign(this.own, { badge: Object.keys(this.meta.scores)[0] ?? null, order: 'model', least: null });
  }
}
