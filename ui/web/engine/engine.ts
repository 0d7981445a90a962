/* A packed model ready to use: a text in, its translation and all that attention saw out, without blocking the page. */

import type { Options } from './decode.ts';
import type { Encoded, Kind } from './model.ts';
import { Blob16, pause } from './blob.ts';
import { Decode } from './decode.ts';
import { Model } from './model.ts';
import { TextReader } from './tokenizer.ts';

export interface Translation {
  text: string;
  ids: number[];
  sourceIds: number[];
  /** Labels of the source's tokens and of the written ones. */
  source: string[];
  written: string[];
  /** Tokens of the source that the vocabulary lacks. */
  unknown: number;
  /** Characters that the model's own tokenizer may read otherwise than this page. */
  doubtful: string[];
  decode: Decode;
}

/** How a run is watched and given up. */
export interface Watch {
  signal?: AbortSignal;
  onStep?: (decode: Decode) => void;
}

export class Engine {
  readonly model: Model;
  readonly source: TextReader;
  readonly target: TextReader;

  /** Throws an Error of one sentence for bytes that are no packed model, or one that cannot run here. */
  constructor(bytes: Uint8Array) {
    const blob = new Blob16(bytes);
    const { source, target } = blob.header;
    this.model = new Model(blob);
    this.source = new TextReader(source);
    this.target = target ? new TextReader(target) : this.source;
  }

  /** The ids of a source. Throws an Error of one sentence for one that is empty or too long for the model. */
  read(text: string) {
    if (!text.trim()) throw new Error('The sentence is empty; give at least one word.');
    const reading = this.source.read(text);
    const [length, most] = [reading.ids.length, this.model.config.max_length];
    if (length > most) {
      throw new Error(
        `The sentence is ${length} tokens long; this model reads at most ${most}, so shorten or split it.`,
      );
    }
    return reading;
  }

  /** Translates a text to its end. Rejects with an AbortError when `signal` says so. */
  async translate(text: string, options: Options = {}, watch: Watch = {}): Promise<Translation> {
    const reading = this.read(text);
    const decode = await this.decode(reading.ids, options, watch);
    return {
      text: this.target.decode(decode.ids),
      ids: [...decode.ids],
      sourceIds: reading.ids,
      source: this.source.labels(reading.ids),
      written: this.target.labels(decode.ids),
      unknown: reading.unknown,
      doubtful: reading.doubtful,
      decode,
    };
  }

  /** The finished decode of a source's ids. */
  async decode(ids: readonly number[], options: Options = {}, { signal, onStep }: Watch = {}) {
    const decode = new Decode(this.model, await this.encode(ids, options, signal), options);
    while (!decode.finished) {
      await pause();
      signal?.throwIfAborted();
      decode.step();
      onStep?.(decode);
    }
    return decode;
  }

  private async encode(ids: readonly number[], options: Options, signal?: AbortSignal): Promise<Encoded> {
    const layers = this.model.encode(ids, options.ablated ?? (() => false));
    for (;;) {
      const { done, value } = layers.next();
      if (done) return value;
      await pause();
      signal?.throwIfAborted();
    }
  }
}

type HeadName = readonly [kind: Kind, layer: number, head: number];

interface Rewritten {
  text: string;
  ids: number[];
  /** The probability of each token of the first translation, without the heads. */
  probabilities: number[];
}

/** Runs the source again with the output of `heads` set to zero; `ids` are what was written with them. */
export async function ablate(
  engine: Engine,
  source: readonly number[],
  ids: readonly number[],
  heads: readonly HeadName[],
  options: Options = {},
  watch: Watch = {},
): Promise<Rewritten> {
  const names = new Set(heads.map((head) => head.join()));
  const without: Options = {
    ...options,
    prefix: [],
    ablated: (kind, layer, head) => names.has(`${kind},${layer},${head}`),
  };
  const written = await engine.decode(source, without, watch);
  const again = await engine.decode(source, { ...without, prefix: ids }, watch);
  return {
    text: engine.target.decode(written.ids),
    ids: [...written.ids],
    probabilities: ids.map((id, n) => again.distribution(n)[id]),
  };
}
