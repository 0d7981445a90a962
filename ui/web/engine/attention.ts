/* Multi-head attention (core/model/attention.py): queries of one sequence, keys and values of the same or another. */

import type { Blob16, Projection } from './blob.ts';
import type { Config } from './config.ts';
import { headSize, scoreScale } from './config.ts';
import { linear, softmax } from './maths.ts';

/** What queries look at: `count` positions, each with the keys and the values of all heads side by side. */
export interface Seen {
  keys: Float32Array;
  values: Float32Array;
  count: number;
  /** Added to the score of a head for a key that is `offset` positions after its query. */
  bias?: ((head: number, offset: number) => number) | null;
  /** The position of the first query, from which `bias` counts. */
  start?: number;
  /** Which positions are padding, which no query attends to. */
  padding?: readonly boolean[] | null;
  /** Whether a head gives zeros. */
  ablated?: (head: number) => boolean;
}

export class Attention {
  private readonly heads: number;
  private readonly size: number;
  private readonly scale: number;
  private readonly shared: boolean;
  private readonly q: Projection;
  private readonly k: Projection;
  private readonly v: Projection;
  private readonly output: Projection;

  /**
   * `prefix`: what the names of its weights begin with, such as `encoder_layers.0.self_attention`. `turns`: the cosines of
   * all positions, then the sines, that rotary positions turn queries and keys by; null where there are none.
   */
  constructor(
    blob: Blob16,
    prefix: string,
    config: Config,
    private readonly turns: Float32Array | null,
  ) {
    this.heads = config.heads;
    this.size = headSize(config);
    this.scale = scoreScale(config);
    this.shared = config.shared_head_projection;
    this.q = blob.projection(`${prefix}.q_proj`);
    this.k = blob.projection(`${prefix}.k_proj`);
    this.v = blob.projection(`${prefix}.v_proj`);
    this.output = blob.projection(`${prefix}.output_proj`);
  }

  /** x (rows, d_model) → (rows, heads · d_h): by one matrix for all heads, or by the same small one for each. */
  private project(x: Float32Array, rows: number, projection: Projection) {
    return linear(x, this.shared ? rows * this.heads : rows, projection);
  }

  /** The queries of rows at positions `start` …, turned where positions are rotary. */
  queries(x: Float32Array, rows: number, start = 0) {
    return this.turned(this.project(x, rows, this.q), rows, start);
  }

  /** The keys, turned likewise, and the values of rows at positions `start` …. */
  keysValues(x: Float32Array, rows: number, start = 0) {
    const keys = this.turned(this.project(x, rows, this.k), rows, start);
    return { keys, values: this.project(x, rows, this.v) };
  }

  /** Turns each pair of columns of every head by the angle of its row's position, in place. */
  private turned(x: Float32Array, rows: number, start: number) {
    const { turns, heads, size } = this;
    if (!turns) return x;
    const [half, sines] = [size / 2, turns.length / 2];
    for (let row = 0; row < rows; row++) {
      const angles = (start + row) * half;
      for (let pair = 0; pair < heads * half; pair++) {
        const cos = turns[angles + (pair % half)];
        const sin = turns[sines + angles + (pair % half)];
        const at = row * heads * size + 2 * pair;
        [x[at], x[at + 1]] = [x[at] * cos - x[at + 1] * sin, x[at] * sin + x[at + 1] * cos];
      }
    }
    return x;
  }

  /** What `rows` queries gather → (rows, d_model). Their weights go to `weights`, (heads, rows, seen.count). */
  gather(queries: Float32Array, rows: number, seen: Seen, weights: Float32Array) {
    const mixed = new Float32Array(queries.length);
    const row = { q: 0, head: 0, position: 0, at: 0 };
    for (row.head = 0; row.head < this.heads; row.head++) {
      const kept = !seen.ablated?.(row.head);
      for (let n = 0; n < rows; n++) {
        row.q = (n * this.heads + row.head) * this.size;
        row.position = (seen.start ?? 0) + n;
        row.at = (row.head * rows + n) * seen.count;
        this.score(queries, row, seen, weights);
        softmax(weights, row.at, seen.count);
        if (kept) this.mix(mixed, row, seen, weights);
      }
    }
    return linear(mixed, rows, this.output);
  }

  /** The masked scores of one query of one head, into `scores` from `at` on. */
  private score(queries: Float32Array, { q, head, position, at }: Row, seen: Seen, scores: Float32Array) {
    const { size, heads, scale } = this;
    const { keys, count, bias, padding } = seen;
    for (let key = 0; key < count; key++) {
      const k = (key * heads + head) * size;
      let dot = 0;
      for (let i = 0; i < size; i++) dot += queries[q + i] * keys[k + i];
      const score = dot * scale + (bias ? bias(head, key - position) : 0);
      scores[at + key] = padding?.[key] ? -Infinity : score;
    }
  }

  /** The mean of the values of one head by its weights from `at` on, put where its query lies. */
  private mix(mixed: Float32Array, { q, head, at }: Row, seen: Seen, weights: Float32Array) {
    const { size, heads } = this;
    for (let key = 0; key < seen.count; key++) {
      const weight = weights[at + key];
      const v = (key * heads + head) * size;
      for (let i = 0; i < size; i++) mixed[q + i] += weight * seen.values[v + i];
    }
  }
}

/** One query of one head: where it begins among all queries, its position, and where its weights go. */
interface Row {
  q: number;
  head: number;
  position: number;
  at: number;
}
