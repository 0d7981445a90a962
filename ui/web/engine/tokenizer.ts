/* Text to ids and back as core.tokenizer does it, over the pipeline of the checkpoint's own tokenizer file. The library is
   Hugging Face's tokenizers.js, under the Apache License 2.0. */

import type { StepLayout } from './steps.ts';
import { Tokenizer } from '@huggingface/tokenizers';
import { correct, correctModel, lettersOf } from './steps.ts';

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

interface Pipeline {
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

  /** The ids of a text, with what stands around it. Throws an Error of one sentence for one that it cannot read. */
  read(text: string): Reading {
    const { before, after, specials, pipeline } = this.layout;
    const inner = this.textIds(text);
    if (!inner.length) {
      throw new Error('The sentence holds no character that this model reads; give at least one word.');
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
      throw new Error('This vocabulary does not know a character of the text; leave it out.');
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

/**
 * Characters that the `tokenizers` library knows less of than a browser does, since its tables are older than Unicode 17.
 * Found by trying all: a step of a pipeline may cut or normalise them otherwise here than there. */
const NEWER = lettersOf(
  [
    '61D 7FD 88F-891 897-89F 8CA-8E2 9FD-9FE A76 AFA-AFF B55 C04 C3C C5C C77 C84 CDC CF3 D00 D3B-D3C',
    'D81 EBA ECE 166D 1715 1734 180F 1885-1886 1ABF-1ADD 1AE0-1AEB 1B4E-1B4F 1B7D-1B7F 1CF2-1CF3 1CF7',
    '1DF6-1DFB 2E43-2E4F 2E52-2E5D 32FF A7CE-A7CF A7D2 A7D4 A7F1-A7F4 A82C A8C5 A8FF A9BD AB69 105C9',
    '105E4 10781-10785 10787-107B0 107B2-107BA 10940-10959 10D24-10D27 10D69-10D6E 10EAB-10EAD',
    '10EC5-10EC7 10ED0 10EFA-10EFF 10F46-10F50 10F55-10F59 10F82-10F89 11070 11073-11074 110C2 110CD',
    '11145-11146 111C9 111CE-111CF 1123E 11241 1133B 11383 11385 1138E 11391 113B8-113C0 113C2 113C5',
    '113C7-113CA 113CC-113D0 113D2 113D4-113D5 113D7-113D8 113E1-113E2 11438-1143F 11442-11444 11446',
    '1144B-1144F 1145A-1145B 1145D-1145E 11660-1166C 116B9 1171E 1182C-1183B 11930-11935 11937-11938',
    '1193B-1193E 11940 11942-11946 119D1-119D7 119DA-119E0 119E2 119E4 11A01-11A0A 11A33-11A39',
    '11A3B-11A47 11A51-11A5B 11A8A-11A9C 11A9E-11AA2 11B00-11B09 11B60-11B67 11BE1 11C30-11C36',
    '11C38-11C3D 11C3F 11C41-11C45 11C70-11C71 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6',
    '11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D8A-11D8E 11D90-11D91 11D93-11D97 11DB0-11DDB',
    '11DE0-11DE9 11EF3-11EF8 11F00-11F01 11F03 11F34-11F3A 11F3E-11F4F 11F5A 11FFF 12FF1-12FF2',
    '13430-13440 13447-13455 1611E-1612F 16D68-16D6A 16D6D-16D6F 16E97-16E9A 16EA0-16EB8 16EBB-16ED3',
    '16F4F 16F7F-16F87 16FE2 16FE4 16FF0-16FF6 187F8-187FF 18D09-18D1E 18D80-18DF2 1CCD6-1CCF9',
    '1CF00-1CF2D 1CF30-1CF46 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E030-1E06D',
    '1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E5FF 1E6C0-1E6DE 1E6E0-1E6F5',
    '1E6FE-1E6FF 1E944-1E94A 1E95E-1E95F 1F16C 1FBF0-1FBF9 2B73A-2B73F 2CEA2-2CEAD 323B0-33479',
  ].join(' '),
);

/** The steps whose tables these are; NFC, and patterns of this project, treat them alike. */
const STEPS = new Set([
  ...['NFD', 'NFKC', 'NFKD', 'StripAccents', 'BertNormalizer'],
  ...['Whitespace', 'BertPreTokenizer', 'ByteLevel'],
]);

const affected = (layout: StepLayout | null): boolean =>
  layout !== null &&
  (STEPS.has(layout.type) || [...(layout.normalizers ?? []), ...(layout.pretokenizers ?? [])].some(affected));

/** The characters of a text that a pipeline with these steps may read otherwise here, each once. */
function doubtful(text: string, ...steps: (StepLayout | null)[]) {
  return steps.some(affected) ? [...new Set(text.match(NEWER))] : [];
}
