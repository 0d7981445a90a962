/* The layers around the residual stream (core/model/layers.py), each sub-layer with its norm before or after it. */

import type { Seen } from './attention.ts';
import type { Blob16, Projection } from './blob.ts';
import type { Config } from './config.ts';
import { Attention } from './attention.ts';
import { ACTIVATIONS, linear, norm, sum } from './maths.ts';

/** A function of rows (T, d_model) that returns as many. */
export type OfRows = (x: Float32Array) => Float32Array;

/** The norm whose weights begin with `prefix`. */
export function normOf(blob: Blob16, prefix: string, config: Config): OfRows {
  const { weight, bias } = blob.projection(prefix);
  return (x) => norm(x, weight, bias, config);
}

/** The residual stream around a sub-layer: x → x after it. */
class Residual {
  private readonly normed: OfRows;
  private readonly pre: boolean;

  constructor(blob: Blob16, prefix: string, config: Config) {
    this.normed = normOf(blob, `${prefix}.norm`, config);
    this.pre = config.norm_placement === 'pre';
  }

  around(x: Float32Array, sublayer: OfRows) {
    return this.pre ? sum(x, sublayer(this.normed(x))) : this.normed(sum(x, sublayer(x)));
  }
}

class FeedForward {
  private readonly up: Projection;
  private readonly gate: Projection | null;
  private readonly down: Projection;
  private readonly active: (x: number) => number;

  constructor(blob: Blob16, prefix: string, config: Config) {
    this.up = blob.projection(`${prefix}.up_proj`);
    this.gate = config.gated ? blob.projection(`${prefix}.gate_proj`) : null;
    this.down = blob.projection(`${prefix}.down_proj`);
    this.active = ACTIVATIONS[config.activation];
  }

  of(x: Float32Array, rows: number) {
    const { active } = this;
    const hidden = linear(x, rows, this.up);
    if (this.gate) {
      const opened = linear(x, rows, this.gate);
      for (let i = 0; i < hidden.length; i++) hidden[i] *= active(opened[i]);
    } else for (let i = 0; i < hidden.length; i++) hidden[i] = active(hidden[i]);
    return linear(hidden, rows, this.down);
  }
}

/** What attention looks at, given the rows it reads. */
type Looked = (read: Float32Array, attention: Attention) => Seen;

/** One layer of the encoder, or with cross-attention of the decoder. */
export class Layer {
  readonly attention: Attention;
  readonly cross: Attention | null;
  private readonly feedForward: FeedForward;
  private readonly residuals: Record<'self' | 'cross' | 'ffn', Residual | null>;
  private readonly size: number;

  constructor(blob: Blob16, prefix: string, config: Config, decoder: boolean) {
    const residual = (name: string) => new Residual(blob, `${prefix}.${name}_residual`, config);
    const turns = config.positions === 'rotary' ? blob.numbers(`${prefix.split('_')[0]}_rotary.table`) : null;
    this.attention = new Attention(blob, `${prefix}.self_attention`, config, turns);
    this.cross = decoder ? new Attention(blob, `${prefix}.cross_attention`, config, null) : null;
    this.feedForward = new FeedForward(blob, `${prefix}.feed_forward`, config);
    this.residuals = {
      self: residual('self'),
      cross: decoder ? residual('cross') : null,
      ffn: residual('ffn'),
    };
    this.size = config.d_model;
  }

  /** x after self-attention; its weights, (heads, rows, keys), go to `weights`. */
  attend(x: Float32Array, looked: Looked, weights: Float32Array) {
    return this.around('self', x, this.attention, looked, weights);
  }

  /** x after cross-attention. */
  attendSource(x: Float32Array, looked: Looked, weights: Float32Array) {
    return this.cross ? this.around('cross', x, this.cross, looked, weights) : x;
  }

  private around(
    block: 'self' | 'cross',
    x: Float32Array,
    attention: Attention,
    looked: Looked,
    weights: Float32Array,
  ) {
    const rows = x.length / this.size;
    const sublayer: OfRows = (read) => {
      const seen = looked(read, attention);
      return attention.gather(attention.queries(read, rows, seen.start), rows, seen, weights);
    };
    return this.residuals[block]?.around(x, sublayer) ?? x;
  }

  /** x after the feed-forward sub-layer. */
  feed(x: Float32Array) {
    return this.residuals.ffn?.around(x, (read) => this.feedForward.of(read, x.length / this.size)) ?? x;
  }
}
