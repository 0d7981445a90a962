/* Two texts word by word, each word marked where the other text has it in the same order (core/analysis/readout.py). */

export interface Word {
  text: string;
  same: boolean;
  /** Whether a space stands before it. */
  spaced: boolean;
}

const WORD = /[\p{L}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*['’]?|[^\p{L}\p{N}_\s]/gu;

/** The longest run of words that stands in both: in `a` from `low` to `high`, in `b` likewise; the first one of equals. */
function longestRun(a: string[], b: string[], [low, high, from, to]: number[]) {
  let best = [low, from, 0];
  let lengths = new Map<number, number>();
  for (let i = low; i < high; i++) {
    const next = new Map<number, number>();
    for (let j = from; j < to; j++) {
      if (a[i] !== b[j]) continue;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > best[2]) best = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  return best;
}

/** Marks the words of both texts that are the same: the longest run, then those before and after it. */
function markSame(a: string[], b: string[], range: number[], same: [Set<number>, Set<number>]) {
  const [i, j, length] = longestRun(a, b, range);
  if (!length) return;
  for (let n = 0; n < length; n++) {
    same[0].add(i + n);
    same[1].add(j + n);
  }
  markSame(a, b, [range[0], i, range[2], j], same);
  markSame(a, b, [i + length, range[1], j + length, range[3]], same);
}

export function rewriting(before: string, after: string): Record<'before' | 'after', Word[]> {
  const matched = [before, after].map((text) => [...text.matchAll(WORD)]);
  const [a, b] = matched.map((matches) => matches.map(([word]) => word));
  const same: [Set<number>, Set<number>] = [new Set(), new Set()];
  markSame(a, b, [0, a.length, 0, b.length], same);
  const words = (n: 0 | 1, text: string) =>
    matched[n].map(({ 0: word, index }, k) => ({
      text: word,
      same: same[n].has(k),
      spaced: index > 0 && /\s/u.test(text[index - 1]),
    }));
  return { before: words(0, before), after: words(1, after) };
}
