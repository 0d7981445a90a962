/* What was recorded of every head while a model was trained: maps of one sentence, scores, losses, sudden drops. */

import type { Piece } from '../web/base/dom.ts';
import type { Curve, DynamicsData, TrainingScore } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { phrase } from '../web/base/dom.ts';
import { fixed, grouped, plural, tr } from '../web/base/language.ts';
import { minus } from '../web/base/words.ts';
import { capital } from '../web/maps/sentence.ts';
import { makeSheet } from '../web/maps/sheet.ts';

export class DynamicsNumbers {
  /** `packed` has a byte a weight: records × layers × heads × rows × columns; `numbers` records × scores × layers × heads. */
  constructor(readonly meta: DynamicsData) {}

  /** How many heads there are; head `n` of them is counted over all layers. */
  get count() {
    return this.meta.layers * this.meta.heads;
  }

  nameOf(n: number) {
    return `${Math.floor(n / this.meta.heads)}.${n % this.meta.heads}`;
  }

  /**
   * A head's map at a record. A row's bytes are shares of their sum, as core/training/dynamics.py reads them.
   */
  sheet(k: number, n: number, table: string[]): Sheet {
    const { rows, cols, reads, kind, packed } = this.meta;
    const begin = (k * this.count + n) * rows.length * cols.length;
    const totals = rows.map((_, i) => {
      let total = 0;
      for (let j = 0; j < cols.length; j++) total += packed[begin + i * cols.length + j];
      return total || 1;
    });
    // A decoder without causal mask gives weight to later tokens too.
    const at = (i: number, j: number) => {
      const byte = packed[begin + i * cols.length + j];
      return kind === 'causal' && j > i && !byte ? NaN : byte / totals[i];
    };
    return makeSheet({ rows, cols, reads: reads.length ? reads : undefined }, at, table);
  }

  /** NaN where it was not measured. */
  score(k: number, name: string, n: number) {
    const { scores, numbers } = this.meta;
    const nth = scores.findIndex((score) => score.name === name);
    return nth < 0 ? NaN : numbers[(k * scores.length + nth) * this.count + n];
  }

  words(name: string): TrainingScore | undefined {
    return this.meta.scores.find((score) => score.name === name);
  }

  /** The sudden drop of a head, if it had one. */
  dropOf(n: number) {
    return this.meta.drops.find(([layer, head]) => layer * this.meta.heads + head === n);
  }

  /** The last record not after a step. */
  recordAt(step: number) {
    const later = this.meta.steps.findIndex((each) => each > step);
    return later < 0 ? this.meta.steps.length - 1 : Math.max(0, later - 1);
  }

  /** Every number as a table: a line for each record and head. */
  table(): (string | number)[][] {
    const { meta } = this;
    const head = [
      'step',
      ...meta.losses.map(({ name }) => `${name}_loss`),
      meta.quality.column,
      'kind',
      'layer',
      'head',
    ];
    const at = ({ points }: Curve, step: number) => points.find(([each]) => each === step)?.[1] ?? '';
    const lines = meta.steps.flatMap((step, k) =>
      Array.from({ length: this.count }, (_, n) => {
        const own = meta.scores.map(({ name }) => {
          const v = this.score(k, name, n);
          return Number.isFinite(v) ? Number(v.toPrecision(6)) : '';
        });
        const common = [step, ...meta.losses.map((curve) => at(curve, step)), at(meta.quality, step)];
        const date = this.dropOf(n);
        const ends = date ? [date[3], date[6], date[7]].map((at) => meta.steps[at]) : ['', '', ''];
        const dated = date && meta.dated ? [...ends, meta.dated] : [ends[0], '', '', ''];
        return [...common, meta.kind_name, Math.floor(n / meta.heads), n % meta.heads, ...own, ...dated];
      }),
    );
    const scores = meta.scores.map(({ name }) => name);
    return [[...head, ...scores, 'took_shape', 'low', 'high', 'n'], ...lines];
  }
}

/** The name of a loss curve in the reader's language; files keep the name itself. */
export const lossName = (name: string) =>
  ({ training: tr('training'), validation: tr('validation') })[name] ?? name;

/** How far a training is, to stand alone. */
export const afterSteps = (step: number) =>
  step === 0 ? tr('Before training') : plural('After {count} step', 'After {count} steps', step);

export const two = (v: number) => minus(fixed(v, 2));

/** When a head formed. A record that began with `trained` weights shows no head's beginning. */
export function shapeTitle(numbers: DynamicsNumbers, n: number): Piece[] {
  const { steps, sudden, trained, live } = numbers.meta;
  const drop = numbers.dropOf(n);
  const name = { kind: capital(tr('head {name}', { name: numbers.nameOf(n) })) };
  if (drop) {
    const between = { from: grouped(steps[drop[2]]), to: grouped(steps[drop[3]]) };
    const became = trained
      ? tr('{head} became more focused between steps {from} and {to}')
      : tr('{head} took shape between steps {from} and {to}');
    return phrase(became, { head: name, ...between });
  }
  const [from, to] = [0, steps.length - 1].map((k) => numbers.score(k, 'normalised_entropy', n));
  if (Math.abs(to - from) >= sudden)
    return phrase(live ? tr('{head} changed gradually so far') : tr('{head} changed gradually'), {
      head: name,
    });
  if (trained) return phrase(tr('{head} had formed before the first recorded step'), { head: name });
  const none = live
    ? tr('{head} had no sudden drop of entropy so far')
    : tr('{head} had no sudden drop of entropy');
  return phrase(none, { head: name });
}

/** What the maps are of, at a step: “Cross-attention, after 40 steps; head 1.2 below”. */
export function mapTitle(meta: DynamicsData, step: number, head: string): Piece[] {
  const kind = { kind: meta.kind_words };
  return phrase(tr('{kind}, {when}; head {head} below'), {
    kind,
    head,
    when: afterSteps(step).toLowerCase(),
  });
}

/** The sentence about a head at a record. */
export function curveSentence(numbers: DynamicsNumbers, k: number, n: number, score: string): Piece[] {
  const { meta } = numbers;
  const step = meta.steps[k];
  const words = numbers.words(score);
  const value = numbers.score(k, score, n);
  const named = { when: afterSteps(step), head: numbers.nameOf(n) };
  const unit = words?.units && words.units !== 'share' ? ` ${words.units}` : '';
  const parts: Piece[] =
    words && Number.isFinite(value)
      ? phrase(tr('{when}, head {head}: {score} {value}.'), {
          ...named,
          score: words.label.toLowerCase(),
          value: { strong: `${two(value)}${unit}` },
        })
      : phrase(tr('{when}, head {head}: not measured.'), named);
  for (const { name, points } of meta.losses) {
    const point = points.find(([each]) => each === step);
    const loss = { loss: lossName(name), value: { strong: two(point?.[1] ?? 0) } };
    if (point) parts.push(' ', ...phrase(tr('Loss ({loss}): {value}.'), loss));
  }
  const drop = numbers.dropOf(n);
  if (drop) {
    const fall = { before: two(drop[4]), after: two(drop[5]) };
    const steps = { from: grouped(meta.steps[drop[2]]), to: grouped(meta.steps[drop[3]]) };
    parts.push(
      ' ',
      tr('Its normalised entropy fell from {before} to {after} between steps {from} and {to}.', {
        ...fall,
        ...steps,
      }),
    );
    if (meta.dated) parts.push(' ', intervalOf(meta, drop));
  }
  return parts;
}

/** How sure the end of a fall is. */
export const intervalOf = ({ dated, steps }: DynamicsData, drop: DynamicsData['drops'][number]) =>
  tr('95 % interval of the end of this drop, over {count} sentences: steps {low} to {high}.', {
    count: dated,
    low: grouped(steps[drop[6]]),
    high: grouped(steps[drop[7]]),
  });

/** The training step of a record: “step 27 of 2,500”. */
export const stepOf = ({ steps, total }: DynamicsData, k: number) =>
  tr('step {step} of {total}', { step: grouped(steps[k]), total: grouped(total) });

/** What was measured, and how many heads formed abruptly. */
export function trainedWords(meta: DynamicsData) {
  const drops = meta.drops.length;
  return [
    plural('scores over {count} sentence', 'scores over {count} sentences', meta.sentences),
    drops
      ? plural(
          'the entropy of {count} head fell suddenly',
          'the entropy of {count} heads fell suddenly',
          drops,
        )
      : tr('no head’s entropy fell suddenly'),
  ].join(' · ');
}

/** What the numbers of the losses' panel are, one sentence for each. */
export const lossWords = ({ quality }: DynamicsData) =>
  [
    tr('Validation loss: −log of the probability that the model gives the right token.'),
    tr('A nat is the unit of the natural logarithm, as a bit is of the logarithm to base 2.'),
    tr(
      'R-Drop, where a recipe has it, adds to the training loss how much two passes with different dropout differ.',
    ),
    quality.column === 'bleu'
      ? tr(
          'BLEU: the share of a translation’s runs of one to four words that the reference has too (geometric mean over the four lengths), from 0 to 100.',
        )
      : '',
  ]
    .filter(Boolean)
    .join(' ');
