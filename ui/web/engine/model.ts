/* The encoder-decoder Transformer of core/model/transformer.py, from token ids to logits, over a packed model. */

import type { Seen } from './attention.ts';
import type { Blob16, Projection } from './blob.ts';
import type { Config, Stack } from './config.ts';
import type { OfRows } from './layers.ts';
import { headSize, ofStack } from './config.ts';
import { Layer, normOf } from './layers.ts';
import { linear } from './maths.ts';

export type Kind = 'encoder' | 'causal' | 'cross';

/** Whether a head gives zeros. */
export type Ablated = (kind: Kind, layer: number, head: number) => boolean;

/** A source as the encoder leaves it. */
export interface Encoded {
  memory: Float32Array;
  length: number;
  /** Attention weights by layer, (heads, length, length) each. */
  maps: Float32Array[];
  padding: readonly boolean[] | null;
}

/** The keys and values of one decode. */
export interface State {
  length: number;
  cross: Seen[];
  past: Seen[];
  ablated: Ablated;
}

/** What one step saw, by layer: causal weights (heads, keys so far), cross weights (heads, source); and its logits. */
export interface Step {
  input: number;
  logits: Float32Array;
  causal: Float32Array[];
  cross: Float32Array[];
}

/** One side's tokens as vectors: table, scale, positions, norm. */
class Embedding {
  private readonly table: Float32Array;
  private readonly positions: Float32Array | null;
  private readonly scale: number;
  private readonly norm: OfRows | null;

  constructor(
    blob: Blob16,
    prefix: string,
    private readonly config: Config,
  ) {
    const table = `${prefix}.positions.table`;
    this.table = blob.weights(`${prefix}.table`);
    this.scale = config.embedding_scale ? Math.sqrt(config.d_model) : 1;
    if (config.positions === 'learned') this.positions = blob.weights(table);
    else this.positions = config.positions.startsWith('sinusoidal') ? blob.numbers(table) : null;
    this.norm = config.embedding_norm ? normOf(blob, `${prefix}.norm`, config) : null;
  }

  /** The vectors of `ids`, which stand at positions `start` …, (ids, d_model). */
  of(ids: readonly number[], start: number) {
    const { d_model: size, position_offset: offset } = this.config;
    const x = new Float32Array(ids.length * size);
    ids.forEach((id, n) => {
      const row = (start + n + offset) * size;
      for (let i = 0; i < size; i++) {
        x[n * size + i] = this.table[id * size + i] * this.scale + (this.positions?.[row + i] ?? 0);
      }
    });
    return this.norm ? this.norm(x) : x;
  }
}

/** The learned bias of a stack's heads for each distance of a key; null for a model that has none. */
function relativeBias(blob: Blob16, stack: Stack, config: Config): Seen['bias'] {
  const { positions, heads } = ofStack(config, stack);
  if (positions !== 'relative_buckets') return null;
  const table = blob.weights(`${stack}_bias.table`);
  const buckets = blob.numbers(`${stack}_bias.bucket_of`);
  const reach = (buckets.length - 1) / 2;
  return (head, offset) => {
    const known = Math.max(-reach, Math.min(reach, offset));
    return table[buckets[known + reach] * heads + head];
  };
}

/** A model that computes; it holds nothing of a request. */
export class Model {
  readonly config: Config;
  /** The options of each stack. */
  readonly own: Record<Stack, Config>;
  private readonly source: Embedding;
  private readonly target: Embedding;
  private readonly encoder: Layer[];
  private readonly decoder: Layer[];
  private readonly biases: Record<Stack, Seen['bias']>;
  private readonly finals: Record<Stack, OfRows>;
  private readonly output: Projection;

  constructor(blob: Blob16) {
    const config = (this.config = blob.header.config);
    const own = (this.own = { encoder: ofStack(config, 'encoder'), decoder: ofStack(config, 'decoder') });
    const layers = (stack: Stack, count: number) =>
      Array.from(
        { length: count },
        (_, n) => new Layer(blob, `${stack}_layers.${n}`, own[stack], stack === 'decoder'),
      );
    const final = (stack: Stack): OfRows =>
      own[stack].final_norm ? normOf(blob, `${stack}_norm`, own[stack]) : (x) => x;
    this.source = new Embedding(blob, 'source_embedding', own.encoder);
    this.target = new Embedding(blob, 'target_embedding', own.decoder);
    this.encoder = layers('encoder', config.encoder_layers);
    this.decoder = layers('decoder', config.decoder_layers);
    this.biases = {
      encoder: relativeBias(blob, 'encoder', config),
      decoder: relativeBias(blob, 'decoder', config),
    };
    this.finals = { encoder: final('encoder'), decoder: final('decoder') };
    const table = config.tie_output ? 'target_embedding.table' : 'output_proj';
    this.output = { weight: blob.weights(table), bias: blob.maybe('output_bias') };
  }

  /** Reads a source; it stops after each layer, so that whoever drives it can let the page draw, or give up. */
  *encode(ids: readonly number[], ablated: Ablated): Generator<void, Encoded> {
    const { heads, source_pad_id: other, pad_id: pad } = this.own.encoder;
    const length = ids.length;
    const masked = ids.map((id) => id === (other ?? pad));
    const padding = masked.includes(true) ? masked : null;
    const maps: Float32Array[] = [];
    let x = this.source.of(ids, 0);
    for (const [n, layer] of this.encoder.entries()) {
      const weights = new Float32Array(heads * length * length);
      const looked = (read: Float32Array): Seen => ({
        ...layer.attention.keysValues(read, length),
        count: length,
        bias: this.biases.encoder,
        padding,
        ablated: (head) => ablated('encoder', n, head),
      });
      x = layer.feed(layer.attend(x, looked, weights));
      maps.push(weights);
      yield;
    }
    return { memory: this.finals.encoder(x), length, maps, padding };
  }

  /** An empty decode of a source, with room for `capacity` tokens. */
  start({ memory, length, padding }: Encoded, ablated: Ablated, capacity: number): State {
    const size = capacity * this.own.decoder.heads * headSize(this.own.decoder);
    const cross = this.decoder.map((layer, n) => ({
      ...(layer.cross?.keysValues(memory, length) ?? {
        keys: new Float32Array(0),
        values: new Float32Array(0),
      }),
      count: length,
      padding,
      ablated: (head: number) => ablated('cross', n, head),
    }));
    const past = this.decoder.map((_, n) => ({
      keys: new Float32Array(size),
      values: new Float32Array(size),
      count: 0,
      bias: this.biases.decoder,
      ablated: (head: number) => ablated('causal', n, head),
    }));
    return { length: 0, cross, past, ablated };
  }

  /** Reads one more token of the target, which joins the `state`. */
  step(input: number, state: State): Step {
    const { heads, d_model: size, output_scale: scaled } = this.own.decoder;
    const start = state.length;
    const step: Step = { input, logits: new Float32Array(0), causal: [], cross: [] };
    let x = this.target.of([input], start);
    for (const [n, layer] of this.decoder.entries()) {
      const causal = new Float32Array(heads * (start + 1));
      const looked = (read: Float32Array) => {
        const { keys, values } = layer.attention.keysValues(read, 1, start);
        const past = state.past[n];
        past.keys.set(keys, start * keys.length);
        past.values.set(values, start * values.length);
        return { ...past, count: start + 1, start };
      };
      x = layer.attend(x, looked, causal);
      const cross = new Float32Array(heads * state.cross[n].count);
      x = layer.feed(layer.attendSource(x, () => state.cross[n], cross));
      step.causal.push(causal);
      step.cross.push(cross);
    }
    x = this.finals.decoder(x);
    if (scaled === 'inverse_sqrt_d_model') x = x.map((value) => value / Math.sqrt(size));
    step.logits = linear(x, 1, this.output);
    state.length = start + 1;
    return step;
  }
}
