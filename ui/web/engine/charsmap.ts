/* SentencePiece's own normalizer: a table from characters to texts, in a double array. */

const LONGEST_GRAPHEME = 5; // bytes; a longer one is looked up character by character

/**
 * SentencePiece's table of characters: a double array of 32-bit units, then the texts that they stand for. Of a grapheme,
 * or a character, the shortest entry that it begins with is taken, as `tokenizers` does.
 */
export function precompiled(charsmap: string) {
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
