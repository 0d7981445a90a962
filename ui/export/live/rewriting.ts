/* Two texts word by word, each word marked where the other text has it in the same order (core/analysis/readout.py). */

export interface Word {
  text: string;
  same: boolean;
  /** Whether a space stands before it. */
  spaced: boolean;
}

const WORD = /[\p{L}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*['’]?|[^\p{L}\p{N}_\s]/gu;

/** Where the most words stand in both in one order: a longest common subsequence. */
function common(a: string[], b: string[]): [number, number][] {
  const longest = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i][j] =
        a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  }
  return pairs;
}

export function rewriting(before: string, after: string): Record<'before' | 'after', Word[]> {
  const matched = [before, after].map((text) => [...text.matchAll(WORD)]);
  const [a, b] = matched.map((matches) => matches.map(([word]) => word));
  const pairs = common(a, b);
  const words = (n: 0 | 1, text: string) =>
    matched[n].map(({ 0: word, index }, k) => ({
      text: word,
      same: pairs.some((pair) => pair[n] === k),
      spaced: index > 0 && /\s/u.test(text[index - 1]),
    }));
  return { before: words(0, before), after: words(1, after) };
}
