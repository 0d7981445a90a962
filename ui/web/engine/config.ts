/* The options of a model, by the names of core/model/config.py, and which of them this engine can run. */

import { PER_STACK } from '../generated/options.ts';

/** What each option of `ModelConfig.to_json()` may be, a type or a list of words; those that only training reads are left out. */
const ALLOWED = {
  source_vocab_size: 'number',
  target_vocab_size: 'number',
  d_model: 'number',
  encoder_layers: 'number',
  decoder_layers: 'number',
  heads: 'number',
  d_ff: 'number',
  head_dim: 'id',
  max_length: 'number',
  norm_placement: ['post', 'pre'],
  norm_formula: ['layer', 'layer_unbiased_std', 'rms'],
  norm_eps: 'number',
  final_norm: 'boolean',
  embedding_norm: 'boolean',
  positions: ['sinusoidal', 'sinusoidal_halves', 'learned', 'relative_buckets', 'rotary', 'none'],
  position_offset: 'number',
  embedding_scale: 'boolean',
  tie_output: 'boolean',
  output_bias: 'boolean',
  output_scale: ['none', 'inverse_sqrt_d_model'],
  projection_bias: 'boolean',
  attention_output_bias: 'boolean',
  ffn_bias: 'boolean',
  shared_head_projection: 'boolean',
  score_scale: ['head', 'model', 'none'],
  activation: [
    ...([
      'relu',
      'gelu',
      'gelu_tanh',
      'silu',
      'gelu_10',
      'quick_gelu',
      'mish',
      'hardswish',
      'leaky_relu',
      'relu2',
    ] as const),
    ...(['relu6', 'sigmoid', 'tanh', 'laplace', 'sqrtsoftplus', 'linear'] as const),
  ],
  gated: 'boolean',
  pad_id: 'number',
  bos_id: 'number',
  eos_id: 'id',
  unk_id: 'id',
  source_pad_id: 'id',
  forced_bos_id: 'id',
} as const;

interface Types {
  number: number;
  boolean: boolean;
  id: number | null;
}

type Allowed = keyof Types | readonly string[];

/** The options of a model. */
export type Config = {
  -readonly [Name in keyof typeof ALLOWED]: (typeof ALLOWED)[Name] extends keyof Types
    ? Types[(typeof ALLOWED)[Name]]
    : (typeof ALLOWED)[Name] extends readonly (infer Word)[]
      ? Word
      : never;
};

export type Stack = 'encoder' | 'decoder';

/** The options of one stack; those that the decoder has of its own are null, or none, where they are the encoder's. */
export function ofStack(config: Config, stack: Stack): Config {
  const given = config as unknown as Record<string, unknown>;
  const own = PER_STACK.map((name) => [name, given[`decoder_${name}`] ?? given[name]]);
  return stack === 'encoder' ? config : { ...config, ...(Object.fromEntries(own) as Partial<Config>) };
}

/** Options that change nothing once a model is trained, or whose effect is in the packed tables. */
const WITHOUT_EFFECT = [
  ...['dropout', 'attention_dropout', 'activation_dropout', 'dropout_placement', 'tie_embeddings'],
  ...['sinusoid_denominator', 'relative_buckets', 'relative_max_distance'],
];

/** Values that this engine does not run, and why not. */
const REFUSED: Record<string, [value: unknown, why: string]> = {
  target_norm_first: [true, 'it cannot do target_norm_first'],
  relative_bias_per_layer: [true, 'it cannot do relative_bias_per_layer'],
  causal: [false, 'its decoder has no causal mask, so that a step would have to read all tokens again'],
};

/** Every option that this engine knows. */
export const OPTIONS: readonly string[] = [
  ...Object.keys(ALLOWED),
  ...WITHOUT_EFFECT,
  ...Object.keys(REFUSED),
  ...PER_STACK.map((name) => `decoder_${name}`),
];

function fits(value: unknown, allowed: Allowed) {
  if (allowed === 'boolean') return typeof value === 'boolean';
  if (allowed === 'number') return Number.isFinite(value);
  if (allowed === 'id') return value === null || Number.isInteger(value);
  return allowed.includes(value as string);
}

/** Why this engine cannot run a model with these options, in one sentence; null where it can. */
export function refusal(options: Record<string, unknown>): string | null {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    return `This page cannot run the model: it does not know the option ${unknown.slice(0, 60)}.`;
  }
  const refused = Object.entries(REFUSED).find(([name, [value]]) => options[name] === value);
  if (refused) return `This page cannot run the model: ${refused[1][1]}.`;
  for (const [name, allowed] of Object.entries<Allowed>(ALLOWED)) {
    for (const key of [name, `decoder_${name}`]) {
      if (fits(options[key], allowed) || (key !== name && (options[key] ?? null) === null)) continue;
      const value = String(JSON.stringify(options[key])).slice(0, 60);
      const choices = Array.isArray(allowed) ? `; it knows ${allowed.join(', ')}` : '';
      return `This page cannot run the model: its ${key} is ${value}${choices}.`;
    }
  }
  return null;
}

/** Size of one head's queries, keys and values. */
export const headSize = (config: Config) => config.head_dim ?? config.d_model / config.heads;

/** What QKᵀ is multiplied by. */
export function scoreScale(config: Config) {
  const size = { head: headSize(config), model: config.d_model, none: 1 }[config.score_scale];
  return 1 / Math.sqrt(size);
}

/** Tokens that no decode may write: padding and the start token. */
export const neverWritten = ({ pad_id: pad, bos_id: bos, eos_id: eos }: Config) =>
  [...new Set([pad, bos])].filter((id) => id !== eos);

/** How many tokens may be written for a source of `length` tokens. */
export const stepLimit = (config: Config, length: number) => Math.min(config.max_length, 2 * length + 20);
