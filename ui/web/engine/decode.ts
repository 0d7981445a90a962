/* One decode of one sentence (core/decoding): greedy, sampled or forced, a step at a time, with every row kept. */

import type { Ablated, Encoded, Kind, Model, State, Step } from './model.ts';
import { neverWritten, stepLimit } from './config.ts';

export interface Options {
  strategy?: 'greedy' | 'sample';
  temperature?: number;
  /** 0 keeps every token. */
  topK?: number;
  seed?: number;
  maxSteps?: number;
  ablated?: Ablated;
  /** Tokens that are written first, whatever the model predicts. */
  prefix?: readonly number[];
}

/** A token that a step can write. */
export interface Candidate {
  id: number;
  probability: number;
}

/** All attention weights of one kind: `shape` is layers, heads, queries, keys. */
export interface Maps {
  shape: [number, number, number, number];
  weights: Float32Array;
}

const NO_HEAD: Ablated = () => false;

/** softmax(logits / temperature), in float64. */
export function probabilities(logits: Float32Array, temperature = 1) {
  const shares = Float64Array.from(logits, (logit) => logit / temperature);
  let largest = -Infinity;
  for (const score of shares) if (score > largest) largest = score;
  let total = 0;
  for (let i = 0; i < shares.length; i++) total += shares[i] = Math.exp(shares[i] - largest);
  return shares.map((share) => share / total);
}

/** The ids of `shares`, most probable first, the smaller id first among equals. */
const byProbability = (shares: Float64Array) =>
  Array.from(shares.keys()).sort((a, b) => shares[b] - shares[a] || a - b);

export class Decode {
  readonly ids: number[] = [];
  readonly limit: number;
  private readonly steps: Step[] = [];
  private readonly state: State;
  private readonly options: Required<Omit<Options, 'maxSteps'>>;

  constructor(
    private readonly model: Model,
    readonly encoded: Encoded,
    options: Options = {},
  ) {
    const defaults = {
      strategy: 'greedy' as const,
      temperature: 1,
      topK: 0,
      seed: 0,
      ablated: NO_HEAD,
      prefix: [],
    };
    this.options = { ...defaults, ...options };
    this.limit = Math.min(
      stepLimit(model.config, encoded.length),
      options.maxSteps ?? model.config.max_length,
    );
    this.state = model.start(encoded, this.options.ablated, this.limit);
    this.read(model.config.bos_id);
    for (const token of this.options.prefix) this.force(token);
  }

  private read(token: number) {
    this.steps.push(this.model.step(token, this.state));
  }

  /** Whether the end token is written or the limit is reached. */
  get finished() {
    return this.ids.length >= this.limit || this.ids.at(-1) === this.model.config.eos_id;
  }

  /** Writes the token that the strategy chooses, and returns it. */
  step() {
    return this.write(this.choice());
  }

  /** Writes `token`, whatever the model predicts. Throws an Error of one sentence for one that cannot be written. */
  force(token: number) {
    const { target_vocab_size: size } = this.model.config;
    if (!Number.isInteger(token) || token < 0 || token >= size) {
      throw new Error(`Token ${token} does not exist; this vocabulary has tokens 0 to ${size - 1}.`);
    }
    if (neverWritten(this.model.config).includes(token)) {
      throw new Error(
        `Token ${token} stands for the start or for padding and cannot be written; choose another.`,
      );
    }
    return this.write(token);
  }

  private write(token: number) {
    if (this.finished)
      throw new Error('The sentence is finished; step back or reset to write another token.');
    this.ids.push(token);
    if (!this.finished) this.read(token);
    return token;
  }

  /** The probability of every token as number `step`, at the temperature; the next token's if it is left out. */
  distribution(step = this.ids.length) {
    return probabilities(this.seen(step).logits, this.options.temperature);
  }

  private seen(step: number) {
    const seen = this.steps.at(step);
    if (!seen || step < 0) {
      throw new Error(`There is no step ${step}; this decode has steps 0 to ${this.steps.length - 1}.`);
    }
    return seen;
  }

  /** The `count` most probable tokens of a step, best first. */
  candidates(count = 12, step = this.ids.length): Candidate[] {
    const shares = this.distribution(step);
    return byProbability(shares)
      .slice(0, count)
      .map((id) => ({ id, probability: shares[id] }));
  }

  private choice() {
    const { config } = this.model;
    if (this.ids.length === 0 && config.forced_bos_id !== null) return config.forced_bos_id;
    const banned = neverWritten(config);
    return this.options.strategy === 'sample' ? this.drawn(banned) : this.greedy(banned);
  }

  private greedy(banned: number[]) {
    const { logits } = this.seen(this.ids.length);
    let best = -1;
    logits.forEach((logit, id) => {
      if (!banned.includes(id) && (best < 0 || logit > logits[best])) best = id;
    });
    return best;
  }

  /** The token on which the step's random number falls, each as wide as its probability among those kept. */
  private drawn(banned: number[]) {
    const shares = this.distribution();
    const allowed = byProbability(shares).filter((id) => !banned.includes(id));
    const kept = this.options.topK ? allowed.slice(0, this.options.topK) : allowed;
    const total = kept.reduce((sum, id) => sum + shares[id], 0);
    const aim = uniformDraw(this.options.seed, this.ids.length) * total;
    let covered = 0;
    return kept.find((id) => (covered += shares[id]) > aim) ?? kept[kept.length - 1];
  }

  /** The weights of one kind for the tokens written so far. Row t of causal and cross belongs to the step that wrote token t. */
  maps(kind: Kind): Maps {
    const { encoder, decoder } = this.model.own;
    const { length, maps } = this.encoded;
    if (kind === 'encoder') {
      const shape: Maps['shape'] = [encoder.encoder_layers, encoder.heads, length, length];
      const weights = new Float32Array(shape.reduce((product, size) => product * size));
      maps.forEach((map, layer) => weights.set(map, layer * map.length));
      return { shape, weights };
    }
    const { heads, decoder_layers: layers } = decoder;
    const rows = this.ids.length;
    const keys = kind === 'causal' ? rows : length;
    const weights = new Float32Array(layers * heads * rows * keys);
    this.steps.slice(0, rows).forEach((step, row) =>
      step[kind].forEach((of, layer) => {
        const seen = of.length / heads;
        for (let head = 0; head < heads; head++) {
          const at = ((layer * heads + head) * rows + row) * keys;
          weights.set(of.subarray(head * seen, (head + 1) * seen), at);
        }
      }),
    );
    return { shape: [layers, heads, rows, keys], weights };
  }
}

/* The number in [0, 1) that core.decoding draws for a step: numpy's `default_rng((seed, step)).random()`. */

const MASK = (1n << 128n) - 1n;
const MULTIPLIER = (2549297995355413924n << 64n) + 4865540595714422341n;

/** A whole number as 32-bit words, the lowest first. */
function words(value: number) {
  const pieces: number[] = [];
  for (let rest = BigInt(value); rest > 0n || !pieces.length; rest >>= 32n) {
    pieces.push(Number(rest & 0xffffffffn));
  }
  return pieces;
}

/** numpy's SeedSequence: four 64-bit words that every bit of `entropy` has gone into. */
function seeded(entropy: number[]) {
  const pool = [0, 0, 0, 0];
  let constant = 0x43b0d7e5;
  const hash = (given: number) => {
    let value = (given ^ constant) >>> 0;
    constant = Math.imul(constant, 0x931e8875) >>> 0;
    value = Math.imul(value, constant) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  const mix = (x: number, y: number) => {
    const value = (Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715)) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  for (let i = 0; i < 4; i++) pool[i] = hash(entropy[i] ?? 0);
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to], hash(pool[from]));
  }
  for (let from = 4; from < entropy.length; from++) {
    for (let to = 0; to < 4; to++) pool[to] = mix(pool[to], hash(entropy[from]));
  }
  let last = 0x8b51f9dd;
  const half = (n: number) => {
    let value = (pool[n % 4] ^ last) >>> 0;
    last = Math.imul(last, 0x58f38ded) >>> 0;
    value = Math.imul(value, last) >>> 0;
    return BigInt((value ^ (value >>> 16)) >>> 0);
  };
  const halves = Array.from({ length: 8 }, (_, n) => half(n));
  return [0, 2, 4, 6].map((n) => halves[n] | (halves[n + 1] << 32n));
}

/** The random number in [0, 1) of one step; it depends on the seed and the step alone, so that a step can be redone. */
function uniformDraw(seed: number, step: number) {
  const [a, b, c, d] = seeded([...words(seed), ...words(step)]);
  // PCG64: a 128-bit congruential generator whose output is turned by its own highest bits.
  const increment = ((((c << 64n) | d) << 1n) | 1n) & MASK;
  const next = (state: bigint) => (state * MULTIPLIER + increment) & MASK;
  const state = next(next((increment + ((a << 64n) | b)) & MASK));
  const folded = ((state >> 64n) ^ state) & 0xffffffffffffffffn;
  const turn = state >> 122n;
  const turned = ((folded >> turn) | (folded << (64n - turn))) & 0xffffffffffffffffn;
  return Number(turned >> 11n) / 2 ** 53;
}
