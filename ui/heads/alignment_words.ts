/* Links compared with a gold alignment, and the sentences about them. */

import type { AlignmentData, Mode } from '../web/generated/types.ts';
import type { Piece } from '../web/base/dom.ts';
import type { PinnedTokens } from '../web/maps/selection.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { phrase } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { TOUCH } from '../web/base/words.ts';
import { enumerate, hint as hintWords, pinnedHint, rowSentence, strongly } from '../web/maps/sentence.ts';
import { rowOf } from '../web/maps/sheet.ts';

/** the key of a cell, "row,column", and whether its link is sure */
export type Gold = Map<string, boolean>;

/** The links of a sentence, the gold they are held against, and what is pointed at and pinned. */
export interface Aligned {
  meta: AlignmentData;
  sheet: Sheet;
  gold: Gold;
  pins: PinnedTokens;
  /** Whether a click marks gold. */
  marking: boolean;
}

export type Verdict = 'right' | 'allowed' | 'wrong' | 'missed' | 'unneeded' | 'free' | '';

/**
 * What a cell is: a link that is sure (`right`), possible (`allowed`) or neither (`wrong`), or a sure (`missed`) or
 * possible (`unneeded`) one that is no link; without any gold a link is `free`.
 * @param sure of the gold link here, undefined where there is none
 * @param any whether there is any gold
 */
export function verdictOf(linked: boolean, sure: boolean | undefined, any: boolean): Verdict {
  if (!any) return linked ? 'free' : '';
  if (linked) return sure === undefined ? 'wrong' : sure ? 'right' : 'allowed';
  return sure === undefined ? '' : sure ? 'missed' : 'unneeded';
}

/** Every cell with a link or a gold link: [row, column, verdict]. */
export function verdicts(links: [number, number][], gold: Gold): [number, number, Verdict][] {
  const linked = new Set(links.map(([row, col]) => `${row},${col}`));
  const every = new Set([...linked, ...gold.keys()]);
  return [...every].map((key) => {
    const [row, col] = key.split(',').map(Number);
    return [row, col, verdictOf(linked.has(key), gold.get(key), gold.size > 0)];
  });
}

/** The gold with one cell switched to its next state: none, sure, possible, none. */
export function cycled(gold: Gold, row: number, col: number): Gold {
  const next = new Map(gold);
  const key = `${row},${col}`;
  const now = gold.get(key);
  if (now === undefined) next.set(key, true);
  else if (now) next.set(key, false);
  else next.delete(key);
  return next;
}

/** Gold as sorted cells, in the form exchanged with Python. */
export const goldCells = (gold: Gold): [number, number, boolean][] =>
  [...gold]
    .map(([key, sure]) => [...key.split(',').map(Number), sure] as [number, number, boolean])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);

/** A linked word, and what the gold says of the link. */
function verdictWords(verdict: Verdict, word: Piece): Piece[] {
  const words = {
    right: tr('{word} (sure in the gold)'),
    allowed: tr('{word} (possible in the gold)'),
    wrong: tr('{word} (not in the gold)'),
  }[verdict as string];
  return words ? phrase(words, { word }) : [word];
}

/** Which source words a written word is linked to, and what the gold says. */
function linkWords({ meta, gold }: Aligned, row: number): Piece[] {
  const of = verdicts(meta.links, gold).filter(([i]) => i === row);
  const name = (j: number) => strongly(meta.cols[j]);
  const linked = of.filter(([, , verdict]) => ['right', 'allowed', 'wrong', 'free'].includes(verdict));
  const missed = of.filter(([, , verdict]) => verdict === 'missed');
  const sentence: Piece[] = linked.length
    ? phrase(tr('Linked to {words}.'), {
        words: enumerate(linked.map(([, j, verdict]) => verdictWords(verdict, name(j)))),
      })
    : [tr('No link.')];
  if (missed.length) {
    const words = enumerate(missed.map(([, j]) => [name(j)]));
    sentence.push(' ', ...phrase(tr('Missed: {words}.'), { words }));
  }
  return sentence;
}

/** Which written words are linked to a source word. */
function columnWords({ meta }: Aligned, col: number): Piece[] {
  const rows = meta.links.filter(([, j]) => j === col).map(([i]) => [strongly(meta.rows[i])]);
  const word = strongly(meta.cols[col]);
  return rows.length
    ? phrase(tr('{word} is linked to {words}.'), { word, words: enumerate(rows) })
    : phrase(tr('Nothing is linked to {word}.'), { word });
}

const markingHint = () =>
  TOUCH
    ? tr('Tap a cell to mark it: sure, possible, none')
    : tr('Click a cell to mark it: sure, possible, none');

/** The sentence under the view. */
export function alignmentSentence(view: Aligned): Piece[] {
  const { meta, sheet, pins, marking } = view;
  const { rows, cols } = pins.active;
  // A share of ‖αf(x)‖ is not attention: the sentence says how much the row drew from a word.
  const mode: Mode = meta.what === 'share' ? 'contribution' : 'weights';
  const how = { verb: meta.verb, subject: meta.subject, mode };
  const sentence: Piece[] = [];
  for (const row of [...rows].slice(0, 2)) {
    const numbers = rowOf(sheet, row);
    if (!meta.target.includes(row) || !numbers.some((v) => v > 0)) {
      sentence.push(...rowSentence(numbers, meta.rows[row], meta.cols, how), ' ');
      continue;
    }
    sentence.push(...rowSentence(numbers, meta.rows[row], meta.cols, how), ' ', ...linkWords(view, row), ' ');
  }
  if (!rows.size) for (const col of [...cols].slice(0, 2)) sentence.push(...columnWords(view, col), ' ');
  if (!sentence.length) sentence.push(...meta.summary);
  if (marking) return [...sentence, { muted: `  ${markingHint()}` }];
  const { hint } = pins;
  return hint ? [...sentence, { muted: `  ${hint === 'pinned' ? pinnedHint() : hintWords()}` }] : sentence;
}
