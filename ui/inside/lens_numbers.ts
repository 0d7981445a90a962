/* What the decoder would write after each of its layers: the numbers of the lens, and what they say. */

import type { Piece } from '../web/base/dom.ts';
import type { LensData } from '../web/generated/types.ts';
import type { At } from '../web/maps/selection.ts';
import { spokenPercent } from '../web/base/words.ts';
import { phrase } from '../web/base/dom.ts';
import { csvNumber } from '../web/base/export.ts';
import { grouped, plural, tr } from '../web/base/language.ts';
import { enumerate, quoted } from '../web/maps/sentence.ts';

const NAMED = 3; // depths named in a sentence; of more their number is given

export class LensNumbers {
  /**
   * `tops` and `shares` hold (depths, steps, k): words by their index in `labels`, most probable first; `ranks` and
   * `finals` (depths, steps): rank, from 1, and probability of the word that was written.
   */
  constructor(readonly meta: LensData) {}

  index({ row, col }: At) {
    return col * this.meta.steps.length + row;
  }

  /** The words of a cell with their probabilities, most probable first. */
  top(at: At): { label: string; share: number }[] {
    const { k, labels, tops, shares } = this.meta;
    const from = this.index(at) * k;
    return Array.from({ length: k }, (_, n) => ({
      label: labels[tops[from + n]],
      share: shares[from + n],
    }));
  }

  rank(at: At) {
    return this.meta.ranks[this.index(at)];
  }

  final(at: At) {
    return this.meta.finals[this.index(at)];
  }

  /**
   * The first depth from which the written word stays the most probable; the number of depths if it is not at the last,
   * as for a word that was drawn, forced or given.
   */
  firstFrom(row: number) {
    let col = this.meta.depths.length;
    while (col > 0 && this.rank({ row, col: col - 1 }) === 1) col -= 1;
    return col;
  }

  /** How many words that the model chose are first already below the top of the decoder. */
  get early() {
    return this.meta.choices.filter((row) => this.firstFrom(row) < this.meta.depths.length - 1).length;
  }

  title(): Piece[] {
    const values = { early: this.early };
    const count = this.meta.choices.length;
    return [
      plural(
        '{early} of {count} word is on top before the last decoder layer',
        '{early} of {count} words are on top before the last decoder layer',
        count,
        values,
      ),
    ];
  }

  /** A cell in words. */
  sentence(at: At): Piece[] {
    const { steps, depths } = this.meta;
    const [first] = this.top(at);
    const rank = this.rank(at);
    const values = {
      word: quoted(steps[at.row]),
      depth: depths[at.col],
      other: quoted(first.label),
      share: spokenPercent(first.share),
      rank: grouped(rank),
      own: spokenPercent(this.final(at)),
    };
    const read =
      rank > 1
        ? tr(
            'Writing {word}: at {depth} the lens reads {other} ({share}); {word} is number {rank} ({own}).',
            values,
          )
        : tr('Writing {word}: at {depth} the lens reads {other} ({share}).', values);
    return [read, ' ', ...this.standing(at.row)];
  }

  /**
   * At which depths a written word is the most probable: from one on, only at some below the output, or nowhere; for a
   * word that was no choice, that it was none.
   */
  standing(row: number): Piece[] {
    const { choices, depths } = this.meta;
    if (!choices.includes(row)) return [tr('It is always written here.')];
    const from = this.firstFrom(row);
    if (from === depths.length - 1) return [tr('It leads only at the output.')];
    if (from < depths.length) return [tr('It leads from {depth} on.', { depth: depths[from] })];
    const first = depths.filter((_, col) => this.rank({ row, col }) === 1);
    if (!first.length) return [tr('It is never the most probable word.')];
    if (first.length > NAMED) {
      const counts = { count: first.length, all: depths.length };
      return [tr('It leads at {count} of {all} depths, but not at the output.', counts)];
    }
    const named = { depths: enumerate(first.map((depth) => [depth])) };
    return phrase(tr('It leads at {depths}, but not at the output.'), named);
  }

  /** Every cell as a line of a table: its words and probabilities, and those of the word written. */
  table() {
    const { steps, depths, k } = this.meta;
    const names = Array.from({ length: k }, (_, n) => [`top_${n + 1}`, `probability_${n + 1}`]).flat();
    const lines = steps.flatMap((word, row) =>
      depths.map((depth, col) => {
        const at = { row, col };
        const words = this.top(at).flatMap(({ label, share }) => [label, csvNumber(share)]);
        return [row, word, col, depth, this.rank(at), csvNumber(this.final(at)), ...words];
      }),
    );
    return [['step', 'written', 'depth', 'layer', 'rank', 'probability', ...names], ...lines];
  }

  /** The whole view for a screen reader. */
  spoken() {
    const { steps, depths } = this.meta;
    const words = enumerate(steps.slice(0, 3).map((word) => [word])).join('');
    return tr('{count} written words ({words} …) at {depths} depths of the decoder', {
      count: steps.length,
      words,
      depths: depths.length,
    });
  }
}
