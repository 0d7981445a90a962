/* The heads of an atlas: their scores, and which of them the reader has listed in which order. */

import type { Numbers } from '../base/arrays.ts';
import type { Order } from './atlas_layout.ts';
import type { AtlasMeta, AtlasScore } from './atlas_numbers.ts';
import { STATS, rowsOf } from './atlas_layout.ts';

const NAMED = 190; // pixels of the design for the columns with the head's name and roles
const COLUMN = 122; // a column with a score

export class AtlasHeads {
  meta!: AtlasMeta;
  numbers: Numbers = new Float32Array();
  own = { order: 'model' as Order, score: '', layer: null as number | null, role: '' };
  /** How wide the table is, in pixels of the design. */
  room = 0;

  stat(n: number, score: string, stat = 0) {
    const place = this.meta.scores.findIndex(({ name }) => name === score);
    return place < 0 ? NaN : this.numbers[(n * this.meta.scores.length + place) * STATS + stat];
  }

  scoreOf(name: string) {
    return this.meta.scores.find((score) => score.name === name);
  }

  /** The score that is told of: the one that is sorted by, else the first column. */
  get told(): AtlasScore | undefined {
    return this.scoreOf(this.own.score) ?? this.columns[0];
  }

  /** The place in `heads` of the open head. */
  get open() {
    const { open, heads } = this.meta;
    if (!open) return -1;
    return heads.findIndex(
      ({ kind, layer, head }) => kind === open[0] && layer === open[1] && head === open[2],
    );
  }

  /** Scores that some head of the kind has. */
  get known() {
    const { meta } = this;
    return meta.scores.filter(({ name }) =>
      meta.heads.some((head, n) => head.kind === meta.kind && !Number.isNaN(this.stat(n, name))),
    );
  }

  /** The columns that fit: the score that is sorted by, and those of the kind. */
  get columns() {
    const most = Math.max(1, Math.min(4, Math.floor((this.room - NAMED) / COLUMN)));
    const known = new Map(this.known.map((score) => [score.name, score]));
    const names = this.meta.columns[this.meta.kind].filter((name) => known.has(name));
    const { score } = this.own;
    const first = !score || names.slice(0, most).includes(score) ? [] : [score];
    const chosen = [...first, ...names.filter((name) => name !== first[0])].slice(0, most);
    return chosen.flatMap((name) => known.get(name) ?? []);
  }

  get order() {
    const { kind } = this.meta;
    const { layer, role, order, score } = this.own;
    return rowsOf(this.meta.heads, { kind, layer, role, order }, (n) => this.stat(n, score));
  }
}
