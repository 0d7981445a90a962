/* What was recorded of every head while a model was trained: maps of one sentence, scores, losses, sudden drops. */

import type { Piece } from '../web/base/dom.ts';
import type { Curve, DynamicsData, TrainingScore } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { minus } from '../web/base/words.ts';
import { makeSheet } from '../web/maps/sheet.ts';

export class DynamicsNumbers {
  /** `packed` has a byte a weight: records × layers × heads × rows × columns; `numbers` records × scores × layers × heads. */
  constructor(readonly meta: DynamicsData) {}

  /**
   * A head's map at a record. A row's bytes are shares of their sum, as core/training/dynamics.py reads them.
   */
  sheet(k: number, layer: number, head: number, table: string[]): Sheet {
    const { layers, heads, rows, cols, reads, kind, packed } = this.meta;
    const size = rows.length * cols.length;
    const begin = ((k * layers + layer) * heads + head) * size;
    const totals = rows.map((_, i) => {
      let total = 0;
      for (let j = 0; j < cols.length; j++) total += packed[begin + i * cols.length + j];
      return total || 1;
    });
    const at = (i: number, j: number) =>
      kind === 'causal' && j > i ? NaN : packed[begin + i * cols.length + j] / totals[i];
    return makeSheet({ rows, cols, reads: reads.length ? reads : undefined }, at, table);
  }

  /** NaN where it was not measured. */
  score(k: number, name: string, layer: number, head: number) {
    const { scores, layers, heads } = this.meta;
    const nth = scores.findIndex((score) => score.name === name);
    return nth < 0 ? NaN : this.meta.numbers[((k * scores.length + nth) * layers + layer) * heads + head];
  }

  words(name: string): TrainingScore | undefined {
    return this.meta.scores.find((score) => score.name === name);
  }

  /** The sudden drop of a head, if it had one. */
  dropOf(layer: number, head: number) {
    return this.meta.drops.find((drop) => drop[0] === layer && drop[1] === head);
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
      Array.from({ length: meta.layers * meta.heads }, (_, n) => {
        const [layer, nth] = [Math.floor(n / meta.heads), n % meta.heads];
        const own = meta.scores.map(({ name }) => {
          const v = this.score(k, name, layer, nth);
          return Number.isFinite(v) ? Number(v.toPrecision(6)) : '';
        });
        const common = [step, ...meta.losses.map((curve) => at(curve, step)), at(meta.quality, step)];
        return [...common, meta.kind_name, layer, nth, ...own];
      }),
    );
    return [[...head, ...meta.scores.map(({ name }) => name)], ...lines];
  }
}

export const counted = (step: number) => step.toLocaleString('en-US');

export const afterSteps = (step: number) =>
  step === 0 ? 'before training' : `after ${counted(step)} step${step === 1 ? '' : 's'}`;

export const two = (v: number) => minus(v.toFixed(2));

/** When a head formed. A record that began with `trained` weights shows no head's beginning. */
export function shapeTitle(numbers: DynamicsNumbers, layer: number, head: number): Piece[] {
  const { steps, sudden, trained, live } = numbers.meta;
  const drop = numbers.dropOf(layer, head);
  const name = { kind: `Head ${layer}.${head}` };
  if (drop) {
    const turned = trained ? 'became more focused' : 'took shape';
    return [name, ` ${turned} between steps ${counted(steps[drop[2]])} and ${counted(steps[drop[3]])}`];
  }
  const [from, to] = [0, steps.length - 1].map((k) => numbers.score(k, 'normalised_entropy', layer, head));
  const soFar = live ? ' so far' : '';
  if (Math.abs(to - from) >= sudden) return [name, ` changed gradually${soFar}`];
  return [
    name,
    trained ? ' had formed before the first recorded step' : ` had no sudden drop of entropy${soFar}`,
  ];
}

/** The sentence about a head at a record. */
export function curveSentence(
  numbers: DynamicsNumbers,
  k: number,
  layer: number,
  head: number,
  score: string,
): Piece[] {
  const { meta } = numbers;
  const step = meta.steps[k];
  const words = numbers.words(score);
  const value = numbers.score(k, score, layer, head);
  const when = afterSteps(step);
  const parts: Piece[] = [`${when[0].toUpperCase()}${when.slice(1)}, head ${layer}.${head}: `];
  if (words && Number.isFinite(value)) {
    const unit = words.units && words.units !== 'share' ? ` ${words.units}` : '';
    parts.push(`${words.label.toLowerCase()} `, { strong: `${two(value)}${unit}` });
  } else parts.push('not measured');
  for (const { name, points } of meta.losses) {
    const point = points.find(([each]) => each === step);
    if (point) parts.push(`; ${name} loss `, { strong: two(point[1]) });
  }
  const drop = numbers.dropOf(layer, head);
  if (drop)
    parts.push(
      `. Its entropy fell from ${two(drop[4])} to ${two(drop[5])} of what it could be between steps `,
      `${counted(meta.steps[drop[2]])} and ${counted(meta.steps[drop[3]])}`,
    );
  return [...parts, '.'];
}

/** The progress of a training, and how many of its heads formed abruptly. */
export function trainedWords(meta: DynamicsData) {
  const drops = meta.drops.length;
  const many = drops ? `the entropy of ${drops === 1 ? 'one head' : `${drops} heads`}` : 'no head’s entropy';
  const steps = `${counted(meta.steps[meta.steps.length - 1])} of ${counted(meta.total)} steps`;
  return `${steps} · scores over ${meta.sentences} sentences · ${many} fell suddenly`;
}
