/* Steps of a tokenizer's pipeline that @huggingface/tokenizers does otherwise than the library that trained it. */

/** A step of a pipeline, as its file describes it. */
export interface StepLayout {
  type: string;
  normalizers?: StepLayout[];
  pretokenizers?: StepLayout[];
  precompiled_charsmap?: string;
  strip_left?: boolean;
  strip_right?: boolean;
  clean_text?: boolean;
  handle_chinese_chars?: boolean;
  strip_accents?: boolean | null;
  lowercase?: boolean;
  replacement?: string;
  split?: boolean;
}

/** A step as the library makes it: a normalizer, or a pre-tokenizer. */
interface Step {
  normalize?: (text: string) => string;
  normalizers?: (Step | null)[];
  pre_tokenize_text?: (text: string, options?: object) => string[];
  tokenizers?: (Step | null)[];
  pattern?: RegExp;
}

/** A model: words to tokens, and the place of each token. */
interface Model {
  _call: (words: string[]) => string[];
  tokens_to_ids: Map<string, number>;
}

// JavaScript's \s has U+FEFF and lacks U+0085, and its \w is ASCII alone.
const SPACE = '\\p{White_Space}';
const LETTER = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';
const SIGN = '\\p{P}\\u0021-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007E';

/** The parts of a text that match. */
const parts = (pattern: string) => {
  const compiled = new RegExp(pattern, 'gu');
  return (text: string) => text.match(compiled) ?? [];
};

/** Lower case letter by letter: a sigma that ends a word is like any other. */
const lowercase = (text: string) => Array.from(text, (letter) => letter.toLowerCase()).join('');

/** Every letter of these hexadecimal code points and ranges. */
export const lettersOf = (ranges: string) =>
  new RegExp(`[${ranges.replace(/[0-9A-F]+/g, '\\u{$&}').replaceAll(' ', '')}]`, 'gu');

const CHINESE = lettersOf(
  '4E00-9FFF 3400-4DBF 20000-2A6DF 2A700-2B73F 2B740-2B81F 2B920-2CEAF F900-FAFF 2F800-2FA1F',
);

/** BERT's normalizer. */
function bert({
  clean_text: cleans,
  handle_chinese_chars: chinese,
  strip_accents,
  lowercase: lowers,
}: StepLayout) {
  const strips = strip_accents ?? lowers;
  return (text: string) => {
    let normal = text;
    if (cleans) {
      normal = normal
        .replace(/(?![\t\n\r])[\0\ufffd\p{Cc}\p{Cf}\p{Co}]/gu, '')
        .replace(/\p{White_Space}/gu, ' ');
    }
    if (chinese) normal = normal.replace(CHINESE, ' $& ');
    if (strips) normal = normal.normalize('NFD').replace(/\p{Mn}/gu, '');
    return lowers ? lowercase(normal) : normal;
  };
}

const STEPS: Record<string, (step: Step, layout: StepLayout) => void> = {
  Precompiled: (step, { precompiled_charsmap: table }) => {
    step.normalize = precompiled(table ?? '');
  },
  Lowercase: (step) => {
    step.normalize = lowercase;
  },
  BertNormalizer: (step, layout) => {
    step.normalize = bert(layout);
  },
  Strip: (step, { strip_left: left, strip_right: right }) => {
    const ends = new RegExp(`${left ? `^${SPACE}+` : '$^'}|${right ? `${SPACE}+$` : '$^'}`, 'gu');
    step.normalize = (text) => text.replace(ends, '');
  },
  WhitespaceSplit: (step) => {
    step.pre_tokenize_text = parts(`[^${SPACE}]+`);
  },
  Whitespace: (step) => {
    step.pre_tokenize_text = parts(`[${LETTER}]+|[^${LETTER}${SPACE}]+`);
  },
  BertPreTokenizer: (step) => {
    step.pre_tokenize_text = parts(`[^${SPACE}${SIGN}]+|[${SIGN}]`);
  },
  ByteLevel: (step) => {
    const { source } = step.pattern ?? /$^/;
    step.pattern = new RegExp(source.replaceAll('\\s', SPACE).replaceAll('\\S', '\\P{White_Space}'), 'gu');
  },
  Metaspace: (step, { split, replacement = '▁' }) => {
    if (split === false) return;
    const whole = step.pre_tokenize_text?.bind(step);
    const cut = (text: string) =>
      text.split(replacement).flatMap((part, n) => (n ? replacement + part : part || []));
    step.pre_tokenize_text = (text, options) => whole?.(text, options).flatMap(cut) ?? [];
  },
};

/** Corrects the steps of a pipeline, and those inside them, in place. */
export function correct(step: Step | null, layout: StepLayout | null) {
  if (!step || !layout) return;
  STEPS[layout.type]?.(step, layout);
  layout.normalizers?.forEach((inner, n) => correct(step.normalizers?.[n] ?? null, inner));
  layout.pretokenizers?.forEach((inner, n) => correct(step.tokenizers?.[n] ?? null, inner));
}

/** Corrects a model in place: unknown letters are joined within a word alone, and a Unigram may spell them as bytes. */
export function correctModel(model: Model, layout: { type: string; byte_fallback?: boolean }) {
  const call = model._call.bind(model);
  const known = model.tokens_to_ids;
  const encoder = new TextEncoder();
  const spelled = (token: string) => {
    const bytes = Array.from(
      encoder.encode(token),
      (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    );
    return bytes.every((byte) => known.has(byte)) ? bytes : [token];
  };
  const falls = layout.type === 'Unigram' && layout.byte_fallback;
  model._call = (words) =>
    words.flatMap((word) =>
      call([word]).flatMap((token) => (falls && !known.has(token) ? spelled(token) : token)),
    );
}

const LONGEST_GRAPHEME = 5; // bytes; a longer one is looked up character by character

/**
 * SentencePiece's table of characters: a double array of 32-bit units, then the texts that they stand for. Of a grapheme,
 * or a character, the shortest entry that it begins with is taken, as `tokenizers` does.
 */
function precompiled(charsmap: string) {
  const bytes = Uint8Array.from(atob(charsmap), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const end = bytes.length >= 4 ? 4 + view.getUint32(0, true) : 0;
  const unit = (n: number) => (4 + 4 * n + 4 <= end ? view.getUint32(4 + 4 * n, true) : 0x80000000);
  const offset = (value: number) => (value >>> 10) << ((value & 512) >>> 6);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();

  const entry = (key: Uint8Array) => {
    let node = offset(unit(0));
    for (const byte of key) {
      if (byte === 0) return null;
      node ^= byte;
      const value = unit(node);
      if ((value & 0x800000ff) !== byte) return null;
      node ^= offset(value);
      if ((value >>> 8) & 1) return unit(node) & 0x7fffffff;
    }
    return null;
  };
  const replaced = (key: Uint8Array) => {
    const start = entry(key);
    if (start === null) return null;
    const stop = bytes.indexOf(0, end + start);
    return decoder.decode(bytes.subarray(end + start, stop < 0 ? bytes.length : stop));
  };

  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
  return (text: string) => {
    let normalized = '';
    for (const { segment } of graphemes.segment(text)) {
      const key = encoder.encode(segment);
      const whole = key.length <= LONGEST_GRAPHEME ? replaced(key) : null;
      if (whole !== null) normalized += whole;
      else for (const letter of segment) normalized += replaced(encoder.encode(letter)) ?? letter;
    }
    return normalized;
  };
}
