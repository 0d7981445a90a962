/* What a map says, in words: the only place where rows, columns, cells and sums become sentences. Sentences are lists
   of `say` parts. Names of tokens and percentages are written as core/analysis/readout.py writes them in titles;
   tests/ui/web/test_sentences.py compares both. */

import type { Piece } from '../base/dom.ts';
import type { Mode } from '../generated/types.ts';
import type { Sheet } from './sheet.ts';
import { TOUCH, lengthWords, minus, shown, spokenPercent, topIndices } from '../base/words.ts';
import { columnOf, rowOf, sumOf } from './sheet.ts';

/** The wording of a row's sentence: "Writing …, head 2.3 looked …". */
export interface How {
  verb: string;
  subject: string;
  mode: Mode;
  /** Rows sum to 1. */
  distribution?: boolean;
  /** The row's share on hidden tokens; null if none are hidden. */
  hidden?: number | null;
}

const SPECIAL_WORDS: Record<string, string> = {
  '⟨start⟩': 'the start token',
  '⟨end⟩': 'the end token',
  '⟨pad⟩': 'padding',
  '⟨unk⟩': 'an unknown token',
  '⟨prefix⟩': 'the words before',
  '⟨source⟩': 'the source',
};
const TURNS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802-\ud803\ud83a-\ud83b]/; // right-to-left scripts
const SPREAD_BELOW = 0.25; // a row whose largest weight is smaller is told as a spread
const ONLY_FROM = 0.995;
const NAMED = 3; // at most this many tokens are named
const WORTH_NAMING = 0.05;
const ENOUGH = 0.9;
const NO_CHANGE = 0.005;

export const HINT = TOUCH ? 'tap a word to pin it' : 'hover a word, click to pin, Esc clears';
export const PINNED = TOUCH ? 'pinned · tap again to clear' : 'pinned · Esc clears';

/**
 * A token as written in a sentence: “dog”, or words for a special one. A right-to-left label is isolated.
 */
export const quoted = (label: string) =>
  SPECIAL_WORDS[label] ?? (TURNS.test(label) ? `“\u2068${label}\u2069”` : `“${label}”`);

export const strongly = (label: string) => ({ strong: quoted(label) });

/** Quoted labels; a label that occurs more than once says which token it is, counted from 1. */
export function keyNames(labels: string[]): (j: number) => Piece[] {
  const often = new Map<string, number>();
  labels.forEach((label) => often.set(label, (often.get(label) ?? 0) + 1));
  return (j) => [strongly(labels[j]), ...(Number(often.get(labels[j])) > 1 ? [` (token ${j + 1})`] : [])];
}

/** "a", "a and b", "a, b and c". */
export const enumerate = (items: Piece[][]): Piece[] =>
  items.flatMap((item, i) => (i === 0 ? item : [i === items.length - 1 ? ' and ' : ', ', ...item]));

type Names = (j: number) => Piece[];

function weightWords(row: number[], names: Names, distribution: boolean): Piece[] {
  const order = topIndices(row, row.length);
  const top = row[order[0]];
  if (distribution && top < SPREAD_BELOW) {
    const total = row.reduce((a, b) => a + b, 0);
    const entropy = -row.reduce((sum, w) => sum + (w > 0 ? (w / total) * Math.log(w / total) : 0), 0);
    const count = Math.round(Math.exp(entropy));
    return [
      `spread its weight over about ${count} tokens; most, ${spokenPercent(top)}, on `,
      ...names(order[0]),
    ];
  }
  if (distribution && top >= ONLY_FROM) return ['looked only at ', ...names(order[0])];
  const named: Piece[][] = [];
  let covered = 0;
  for (const j of order.slice(0, NAMED)) {
    if (named.length && (row[j] < WORTH_NAMING || (distribution && covered >= ENOUGH))) break;
    named.push([`${spokenPercent(row[j])} at `, ...names(j)]);
    covered += row[j];
  }
  return ['looked ', ...enumerate(named)];
}

/** The sources of a row: shares, or the lengths of vectors. */
function contributionWords(row: number[], names: Names, length: boolean): Piece[] {
  const order = topIndices(row, NAMED);
  const worth = (length ? 0.1 * row[order[0]] : WORTH_NAMING) || 0;
  const named = order
    .filter((j, rank) => rank === 0 || row[j] >= worth)
    .map((j) => [
      `${length ? `a vector of length ${lengthWords(row[j])} for` : `${spokenPercent(row[j])} from`} `,
      ...names(j),
    ]);
  return [length ? 'added ' : 'drew ', ...enumerate(named)];
}

function scoreWords(row: number[], names: Names): Piece[] {
  const allowed = row.map((_, j) => j).filter((j) => Number.isFinite(row[j]));
  if (!allowed.length) return ['had nothing to look at'];
  const order = allowed.sort((a, b) => row[b] - row[a] || a - b).slice(0, NAMED);
  const scored = order.map((j) => [...names(j), ` ${minus(row[j].toFixed(2))}`]);
  return ['scored ', ...enumerate(scored), ' before the softmax'];
}

function differenceWords(row: number[], names: Names): Piece[] {
  const far = row.map(Math.abs);
  const order = topIndices(far, 2).filter((j, rank) => rank === 0 || far[j] >= WORTH_NAMING);
  if (!(far[order[0]] >= NO_CHANGE)) return ['look the same'];
  return ['differ: ', ...enumerate(order.map((j) => [`${shown(row[j], 'points')} at `, ...names(j)]))];
}

/** One row in words: Writing “chien”, head 2.3 looked 71 % at “dog” and 12 % at “the”. */
export function rowSentence(row: number[], queryLabel: string, keyLabels: string[], how: How): Piece[] {
  const names = keyNames(keyLabels);
  const start = [`${how.verb} `, strongly(queryLabel), `, ${how.subject} `];
  if (how.mode === 'scores' || how.mode === 'masked') return [...start, ...scoreWords(row, names), '.'];
  if (how.mode === 'difference') return [...start, ...differenceWords(row, names), '.'];
  if (!row.every(Number.isFinite) || row.reduce((a, b) => a + b, 0) <= 0) {
    return [...start, `${nothingLeft(how.hidden ?? null)}.`];
  }
  if (how.mode === 'contribution' || how.mode === 'length') {
    return [...start, ...contributionWords(row, names, how.mode === 'length'), '.'];
  }
  const distribution = how.distribution ?? true;
  return [
    ...start,
    ...weightWords(row, names, distribution),
    `${leftOut(how.hidden ?? null, distribution)}.`,
  ];
}

const nothingLeft = (hidden: number | null) =>
  hidden === null
    ? 'had nothing to look at'
    : `gave ${spokenPercent(hidden)} to the hidden tokens; what is left is too little to draw`;

/** @param distribution false if the strongest head differs from key to key */
const leftOut = (hidden: number | null, distribution: boolean) =>
  hidden === null ? '' : `; ${distribution ? '' : 'up to '}${spokenPercent(hidden)} was on hidden tokens`;

/** Several pinned rows summed: where their total weight went. */
export function sumSentence(
  total: number[],
  rows: number[],
  queryLabels: string[],
  keyLabels: string[],
  how: How,
): Piece[] {
  const names = keyNames(keyLabels);
  const count = rows.length;
  const unit = how.mode === 'weights' || how.mode === 'contribution' ? ` of ${count}` : '';
  const least = WORTH_NAMING * (how.mode === 'length' ? Math.max(...total) : count);
  const worth = (j: number) => total[j] >= least;
  const top = topIndices(total, NAMED).filter((j, rank) => rank === 0 || worth(j));
  const who = count > 4 ? [`${count} tokens`] : enumerate(rows.map(keyNames(queryLabels)));
  const drawn = how.mode === 'contribution' || how.mode === 'length';
  const link = drawn ? (how.mode === 'length' ? 'for' : 'from') : 'to';
  const gave = top.map((j) => [`${minus(total[j].toFixed(2))}${unit} ${link} `, ...names(j)]);
  const verb = drawn ? (how.mode === 'length' ? 'added lengths of' : 'drew') : 'gave';
  return ['Summed over ', ...who, `: ${how.subject} ${verb} `, ...enumerate(gave), '.'];
}

/** A column (or several summed) in words: which rows looked at these keys. */
export function columnSentence(
  column: number[],
  cols: number[],
  keyLabels: string[],
  queryLabels: string[],
  how: How,
): Piece[] {
  const names = keyNames(queryLabels);
  const known = column.map((v) => (Number.isFinite(v) ? v : -Infinity));
  const least = how.mode === 'length' ? 0.1 * Math.max(...known) : WORTH_NAMING;
  const order = topIndices(known, NAMED).filter((i, rank) => rank === 0 || column[i] >= least);
  const whom = enumerate(cols.slice(0, 4).map(keyNames(keyLabels)));
  const verb = how.verb.toLowerCase();
  const when = (number: (v: number) => string): Piece[] =>
    enumerate(order.map((i) => [`${verb} `, ...names(i), ` (${number(column[i])})`]));
  const subject = how.subject[0].toUpperCase() + how.subject.slice(1);
  if (how.mode === 'weights')
    return [`${subject} looked at `, ...whom, ' most when ', ...when(spokenPercent), '.'];
  if (how.mode === 'contribution')
    return [`${subject} drew on `, ...whom, ' most when ', ...when(spokenPercent), '.'];
  if (how.mode === 'length')
    return [`${subject} added most for `, ...whom, ' when ', ...when(lengthWords), '.'];
  const unit = how.mode === 'difference' ? 'points' : 'number';
  return [...whom, ': largest when ', ...when((v) => shown(v, unit)), '.'];
}

/**
 * A whole map in words: how much of a row's weight lies on its largest cell, on average over the rows that are written.
 */
export function wholeSentence(sheet: Sheet, how: How): Piece[] {
  const largest = Array.from({ length: sheet.written }, (_, i) => Math.max(...rowOf(sheet, i)));
  const mean = largest.reduce((a, b) => a + b, 0) / sheet.written;
  const subject = how.subject[0].toUpperCase() + how.subject.slice(1);
  const over = sheet.written === 1 ? 'the one token written' : `the ${sheet.written} tokens written`;
  return [
    `${subject} gave, on average over ${over}, `,
    { strong: spokenPercent(mean) },
    ' of its weight to one token.',
  ];
}

/**
 * The maps in view, over the same words, their subjects, and the described cells.
 * `rows`, `cols`: hovered or pinned; `cell`: one of each, hovered; `row`: the row described otherwise (−1: the whole map);
 * `hint`: 'pinned', 'free' or '' while the pointer is on something.
 */
interface Looked {
  sheets: Sheet[];
  subjects: string[];
  names: string[];
  how: Omit<How, 'subject'>;
  rows: Set<number>;
  cols: Set<number>;
  cell: boolean;
  row: number;
  hint: '' | 'pinned' | 'free';
}

/** The sentence under a view of maps. */
export function mapSentence(looked: Looked): Piece[] {
  const { sheets, hint } = looked;
  if (!sheets.length) return ['Every head is switched off; press a swatch to bring one back.'];
  if (!sheets[0].written) return ['Nothing is written yet.'];
  const sentence = sheets.length > 1 ? severalHeads(looked) : oneHead(looked);
  if (!hint) return sentence;
  return [...sentence, { muted: `  ${hint === 'pinned' ? PINNED : HINT}` }];
}

function oneHead({ sheets: [sheet], subjects: [subject], how, rows, cols, cell, row }: Looked) {
  const context = { ...how, subject };
  if (row < 0 && !rows.size && !cols.size) return wholeSentence(sheet, context);
  const list = [...rows].sort((a, b) => a - b);
  const only = list.length === 1 ? list[0] : row;
  const sentence: Piece[] = [];
  if (list.length === 1 || (!list.length && !cols.size)) {
    const hidden = sheet.hidden?.[only] ?? null;
    sentence.push(...rowSentence(rowOf(sheet, only), sheet.rows[only], sheet.cols, { ...context, hidden }));
  } else if (list.length) {
    sentence.push(...sumSentence(sumOf(sheet, list, rowOf), list, sheet.rows, sheet.cols, context));
  }
  const [col] = cols;
  if (cell) {
    const number = shown(sheet.at(list[0], col), sheet.unit, sheet.unit === 'share' ? 1 : 0);
    sentence.push({ muted: `  this cell, ${quoted(sheet.cols[col])}: ${number}` });
  } else if (cols.size) {
    const column = sumOf(sheet, cols, columnOf);
    const queries = sheet.rows.slice(0, sheet.written);
    sentence.push(
      ...(sentence.length ? [' '] : []),
      ...columnSentence(column, [...cols], sheet.cols, queries, context),
    );
  }
  return sentence;
}

/**
 * Several heads: where each of them looked most from these rows, or which row looked at these keys most.
 */
function severalHeads({ sheets, names, how, rows, cols, row }: Looked) {
  const list = [...rows].sort((a, b) => a - b);
  const from = list.length ? list : cols.size ? [] : [row];
  const words = (labels: string[], indices: number[]): Piece[] =>
    enumerate(indices.map((n) => [strongly(labels[n])]));
  const most = (items: number[], line: typeof rowOf, labels: string[], link: string): Piece[] =>
    enumerate(
      sheets.map((sheet, k) => {
        const sum = sumOf(sheet, items, line);
        const n = topIndices(sum, 1)[0];
        return [
          `${names[k]} ${link} `,
          strongly(labels[n]),
          ` (${shown(sum[n] / items.length, sheet.unit)})`,
        ];
      }),
    );
  const { rows: queries, cols: keys } = sheets[0];
  if (from.length) {
    const where = most(from, rowOf, keys, 'at');
    return [`${how.verb} `, ...words(queries, from), ', heads looked most: ', ...where, '.'];
  }
  const when = most([...cols], columnOf, queries, how.verb.toLowerCase());
  return [...words(keys, [...cols]), ' most from ', ...when, '.'];
}
