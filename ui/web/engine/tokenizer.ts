/* Text to ids and back as core.tokenizer does it, over the pipeline of the checkpoint's own tokenizer file. The library is
   Hugging Face's tokenizers.js, under the Apache License 2.0. */

import type { StepLayout } from './steps.ts';
import { Tokenizer } from '@huggingface/tokenizers';
import { doubtful } from './newer.ts';
import { correct, correctModel } from './steps.ts';

/** What ui/export/live/pack.py packs of a tokenizer. */
export interface TokenizerLayout {
  pipeline: Pipeline;
  family: string;
  specials: { pad: number; bos: number; eos: number | null; unk: number | null };
  /** Ids that stand before and after a text. */
  before: number[];
  after: number[];
  /** The id of each place in the pipeline's vocabulary, and the token of each id, where they are not the same. */
  ids: number[] | null;
  tokens: string[] | null;
  labels: string[];
  control: number[];
}

export interface Pipeline {
  model: {
    type: string;
    vocab: Record<string, number> | [string, number][];
    unk_token?: string | null;
    unk_id?: number | null;
    byte_fallback?: boolean;
  };
  added_tokens: { id: number; content: string; special: boolean }[];
  normalizer: StepLayout | null;
  pre_tokenizer: StepLayout | null;
  [step: string]: unknown;
}

/** A text as the model reads it. */
export interface Reading {
  ids: number[];
  /** How many of the ids stand for text that the vocabulary lacks. */
  unknown: number;
  /** Characters that the model's own tokenizer may read otherwise. */
  doubtful: string[];
}

/** A text that this vocabulary cannot read; its message is one sentence. */
export class UnreadableError extends Error {}

const JOIN_MARK = '·';

/** Every token of a pipeline by its place. */
function vocabulary({ model, added_tokens: added }: Pipeline) {
  const tokens: string[] = [];
  if (Array.isArray(model.vocab)) model.vocab.forEach(([token], index) => (tokens[index] = token));
  else for (const [token, index] of Object.entries(model.vocab)) tokens[index] = token;
  for (const { id, content } of added) tokens[id] = content;
  return tokens;
}

export class TextReader {
  private readonly backend: Tokenizer;
  private readonly tokens: string[];
  private readonly control: ReadonlySet<number>;

  constructor(private readonly layout: TokenizerLayout) {
    const { pipeline } = layout;
    // What people type is always text, so no special token is looked for in it.
    const added = pipeline.added_tokens.filter(({ special }) => !special);
    const config = { unk_token: pipeline.model.unk_token, clean_up_tokenization_spaces: false };
    this.backend = new Tokenizer({ ...pipeline, post_processor: null, added_tokens: added }, config);
    correct(this.backend.normalizer, pipeline.normalizer);
    correct(this.backend.pre_tokenizer, pipeline.pre_tokenizer);
    if (this.backend.model) correctModel(this.backend.model, pipeline.model);
    this.tokens = layout.tokens ?? vocabulary(pipeline);
    this.control = new Set(layout.control);
  }

  /** The ids of a text, with what stands around it. Throws an `UnreadableError`. */
  read(text: string): Reading {
    const { before, after, specials, pipeline } = this.layout;
    const inner = this.textIds(text);
    if (!inner.length) {
      throw new UnreadableError(
        'The sentence holds no character that this model reads; give at least one word.',
      );
    }
    const unknown = inner.filter((id) => id === specials.unk).length;
    const unsure = doubtful(text, pipeline.normalizer, pipeline.pre_tokenizer);
    return { ids: [...before, ...inner, ...after], unknown, doubtful: unsure };
  }

  private textIds(text: string) {
    const { ids, specials } = this.layout;
    // A lone surrogate has no UTF-8 form.
    const clean = text.replace(/\p{Surrogate}/gu, '\ufffd');
    return this.backend.encode(clean, { add_special_tokens: false }).ids.map((index: number | undefined) => {
      const id = index === undefined || !ids ? index : ids[index];
      // A special token that comes out of a text is text that the vocabulary lacks.
      if (id !== undefined && !this.control.has(id)) return id;
      if (specials.unk !== null) return specials.unk;
      throw new UnreadableError('This vocabulary does not know a character of the text; leave it out.');
    });
  }

  /** The text of ids without their special tokens. */
  decode(ids: readonly number[]) {
    const { specials } = this.layout;
    const kept = ids.filter((id) => id === specials.unk || (!this.control.has(id) && id in this.tokens));
    const tokens = kept.map((id) => (id === specials.unk ? '' : this.tokens[id]));
    const text = this.backend.decoder ? this.backend.decoder.decode(tokens) : tokens.join(' ');
    return tokens.includes('') ? text.replace(/ {2,}/g, ' ').replace(/^ +| +$/g, '') : text;
  }

  /** The readable label of one id, the same wherever it is. */
  label(id: number) {
    return this.layout.labels[id] ?? `⟨${id}⟩`;
  }

  /** The labels of a sequence; byte-level text may begin without a space, and then its first piece continues no word. */
  labels(ids: readonly number[]) {
    const shown = ids.map((id) => this.label(id));
    if (this.layout.family !== 'byte-level') return shown;
    const special = (id: number) => this.control.has(id) || id === this.layout.specials.unk;
    return shown.map((label, n) => {
      const starts = n === 0 || special(ids[n - 1]);
      const joins = starts && !special(ids[n]) && label.length > 1 && label.startsWith(JOIN_MARK);
      return joins ? label.slice(JOIN_MARK.length) : label;
    });
  }
}
