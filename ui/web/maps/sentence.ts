/* What a map says, in words: the only place where rows, columns, cells and sums become sentences. Sentences are lists
   of `say` parts. Names of tokens and percentages are written as core/analysis/readout.py writes them in titles;
   tests/ui/web/test_sentences.py compares both. */

import type { Piece } from '../base/dom.ts';
import type { Kind, Mode } from '../generated/types.ts';
import type { Sheet } from './sheet.ts';
import { phrase } from '../base/dom.ts';
import { fixed, plural, tr } from '../base/language.ts';
import { TOUCH, isolated, lengthWords, minus, shown, spokenPercent, topIndices } from '../base/words.ts';
import { columnOf, rowOf, sumOf } from './sheet.ts';

/** The wording of a row's sentence: "Reads “le” → writes “canapé”: head 2.3 looks …". */
export interface How {
  /** What is done at a row: the encoder reads its word, the decoder writes it. */
  verb: 'Reading' | 'Writing';
  /** The word that a row of the decoder reads, where it is known. */
  read?: string;
  subject: string;
  mode: Mode;
  /** Rows sum to 1. */
  distribution?: boolean;
  /** The row's share on hidden tokens; null if none are hidden. */
  hidden?: number | null;
}

/** The verb of a kind's rows. `oneLabel`: what the decoder's rows write is not known. */
export const verbOf = (kind: Kind, oneLabel = false): How['verb'] =>
  kind === 'encoder' || oneLabel ? 'Reading' : 'Writing';

const specialWords = (label: string): string | undefined =>
  ({
    '⟨start⟩': tr('the start token'),
    '⟨end⟩': tr('the end token'),
    '⟨pad⟩': tr('padding'),
    '⟨unk⟩': tr('an unknown token'),
    '⟨prefix⟩': tr('the words before'),
    '⟨source⟩': tr('the source'),
  })[label];
const SPREAD_BELOW = 0.25; // a row whose largest weight is smaller is described as a spread
const ONLY_FROM = 0.995;
const NAMED = 3; // at most this many tokens are named
const WORTH_NAMING = 0.05;
const ENOUGH = 0.9;
const NO_CHANGE = 0.005;

export const hint = () =>
  TOUCH ? tr('Tap a cell or word to pin it') : tr('Hover to read; click to pin; Esc clears');
export const pinnedHint = () => (TOUCH ? tr('Pinned · Tap again to unpin') : tr('Pinned · Esc unpins'));

/**
 * A token as written in a sentence: “dog”, or words for a special one. A right-to-left label is isolated.
 */
export const quoted = (label: string) => specialWords(label) ?? tr('“{word}”', { word: isolated(label) });

export const strongly = (label: string) => ({ strong: quoted(label) });

/** Quoted labels; a label that occurs more than once says which token it is, counted from 1. */
export function keyNames(labels: string[]): (j: number) => Piece[] {
  const often = new Map<string, number>();
  labels.forEach((label) => often.set(label, (often.get(label) ?? 0) + 1));
  return (j) =>
    Number(often.get(labels[j])) > 1
      ? phrase(tr('{word} (token {number})'), { word: strongly(labels[j]), number: String(j + 1) })
      : [strongly(labels[j])];
}

/** "a", "a and b", "a, b and c". */
export const enumerate = (items: Piece[][]): Piece[] =>
  items.flatMap((item, i) => (i === 0 ? item : [i === items.length - 1 ? tr(' and ') : ', ', ...item]));

/** A row by its words: “reads le → writes canapé”; of the encoder, the word that looks. */
export function rowWords(label: string, { verb, read }: Pick<How, 'verb' | 'read'>): Piece[] {
  if (verb === 'Reading') return phrase(tr('From {word}'), { word: strongly(label) });
  if (read === undefined) return phrase(tr('Writes {word}'), { word: strongly(label) });
  return phrase(tr('Reads {read} → writes {written}'), { read: quoted(read), written: strongly(label) });
}

export const capital = (words: string) => words[0].toUpperCase() + words.slice(1);

type Names = (j: number) => Piece[];

/** What a row's subject does, put behind it. */
const does = (subject: string, text: string, fields: Record<string, Piece | Piece[]>): Piece[] =>
  phrase(text, { subject, ...fields });

function weightWords(row: number[], names: Names, distribution: boolean, subject: string): Piece[] {
  const order = topIndices(row, row.length);
  const top = row[order[0]];
  if (distribution && top < SPREAD_BELOW) {
    const total = row.reduce((a, b) => a + b, 0);
    const entropy = -row.reduce((sum, w) => sum + (w > 0 ? (w / total) * Math.log(w / total) : 0), 0);
    const count = String(Math.round(Math.exp(entropy)));
    const text = tr(
      '{subject} spreads its weight over about {count} tokens; the most, {share}, goes to {key}',
    );
    return does(subject, text, { count, share: spokenPercent(top), key: names(order[0]) });
  }
  if (distribution && top >= ONLY_FROM)
    return does(subject, tr('{subject} looks only at {key}'), { key: names(order[0]) });
  const named: Piece[][] = [];
  let covered = 0;
  for (const j of order.slice(0, NAMED)) {
    if (named.length && (row[j] < WORTH_NAMING || (distribution && covered >= ENOUGH))) break;
    named.push(phrase(tr('{share} at {key}'), { share: spokenPercent(row[j]), key: names(j) }));
    covered += row[j];
  }
  return does(subject, tr('{subject} looks {where}'), { where: enumerate(named) });
}

/** The sources of a row: shares, or the lengths of vectors. */
function contributionWords(row: number[], names: Names, length: boolean, subject: string): Piece[] {
  const order = topIndices(row, NAMED);
  const worth = (length ? 0.1 * row[order[0]] : WORTH_NAMING) || 0;
  const named = order
    .filter((j, rank) => rank === 0 || row[j] >= worth)
    .map((j) =>
      length
        ? phrase(tr('{length} for {key}'), { length: lengthWords(row[j]), key: names(j) })
        : phrase(tr('{share} from {key}'), { share: spokenPercent(row[j]), key: names(j) }),
    );
  const text = length ? tr('{subject} adds vectors of length {list}') : tr('{subject} draws {list}');
  return does(subject, text, { list: enumerate(named) });
}

function scoreWords(row: number[], names: Names, subject: string): Piece[] {
  const allowed = row.map((_, j) => j).filter((j) => Number.isFinite(row[j]));
  if (!allowed.length) return does(subject, tr('{subject} has no key to look at'), {});
  const order = allowed.sort((a, b) => row[b] - row[a] || a - b).slice(0, NAMED);
  const scored = order.map((j) => [...names(j), ` ${minus(fixed(row[j], 2))}`]);
  return does(subject, tr('{subject} scores {list} before the softmax'), { list: enumerate(scored) });
}

function differenceWords(row: number[], names: Names, subject: string): Piece[] {
  const far = row.map(Math.abs);
  const order = topIndices(far, 2).filter((j, rank) => rank === 0 || far[j] >= WORTH_NAMING);
  if (!(far[order[0]] >= NO_CHANGE)) return does(subject, tr('{subject} look the same'), {});
  const list = order.map((j) =>
    phrase(tr('{points} at {key}'), { points: shown(row[j], 'points'), key: names(j) }),
  );
  return does(subject, tr('{subject} differ: {list}'), { list: enumerate(list) });
}

/** One row in words: Reads “le” → writes “chien”: head 2.3 looks 71 % at “dog” and 12 % at “the”. */
export function rowSentence(row: number[], queryLabel: string, keyLabels: string[], how: How): Piece[] {
  const { subject, hidden = null } = how;
  const sentence = (what: Piece[]) => phrase(tr('{row}: {what}.'), { row: rowWords(queryLabel, how), what });
  const names = keyNames(keyLabels);
  if (how.mode === 'scores' || how.mode === 'masked') return sentence(scoreWords(row, names, subject));
  if (how.mode === 'difference') return sentence(differenceWords(row, names, subject));
  if (!row.every(Number.isFinite) || row.reduce((a, b) => a + b, 0) <= 0)
    return sentence(nothingLeft(subject, hidden));
  if (how.mode === 'contribution' || how.mode === 'length')
    return sentence(contributionWords(row, names, how.mode === 'length', subject));
  const distribution = how.distribution ?? true;
  const what = weightWords(row, names, distribution, subject);
  return sentence(hidden === null ? what : [...what, leftOut(hidden, distribution)]);
}

const nothingLeft = (subject: string, hidden: number | null): Piece[] =>
  hidden === null
    ? does(subject, tr('{subject} has no key to look at'), {})
    : does(subject, tr('{subject} gives {share} to the hidden tokens; too little is left to draw'), {
        share: spokenPercent(hidden),
      });

/** @param distribution false if the strongest head differs from key to key */
const leftOut = (hidden: number, distribution: boolean) => {
  const share = spokenPercent(hidden);
  return distribution
    ? tr('; {share} goes to hidden tokens', { share })
    : tr('; up to {share} goes to hidden tokens', { share });
};

/** One cell of a map of weights. */
interface WeightCell {
  sheet: Sheet;
  subject: string;
  row: number;
  col: number;
}

/** A cell as a title: Head 1.2 looks 96 % at “sofa” when it writes “canapé”. */
export function cellTitle({ sheet, subject, row, col, verb }: WeightCell & Pick<How, 'verb'>): Piece[] {
  const text =
    verb === 'Reading'
      ? tr('{subject} looks {share} at {key} from {query}')
      : tr('{subject} looks {share} at {key} when it writes {query}');
  return phrase(text, {
    subject: capital(subject),
    share: { kind: spokenPercent(rowOf(sheet, row)[col]) },
    key: quoted(sheet.cols[col]),
    query: quoted(sheet.rows[row]),
  });
}

/** Where the rest of the cell's row goes: The other 4 % goes to “red” (3 %) and 8 more tokens. */
export function restSentence({ sheet, row, col }: WeightCell): Piece[] {
  const weights = rowOf(sheet, row).map((weight, j) => (j === col ? -1 : weight));
  const others = weights.filter((weight) => weight > 0);
  const rest = others.reduce((a, b) => a + b, 0);
  if (rest < 0.005) return [tr('The other tokens of this row get less than 1 % together.')];
  const first = topIndices(weights, 1)[0];
  const fields = {
    rest: spokenPercent(rest),
    share: spokenPercent(weights[first]),
    key: keyNames(sheet.cols)(first),
  };
  if (others.length === 1) return phrase(tr('The other {rest} goes to {key}.'), fields);
  const text = plural(
    'The other {rest} goes to {key} ({share}) and {count} more token.',
    'The other {rest} goes to {key} ({share}) and {count} more tokens.',
    others.length - 1,
  );
  return phrase(text, fields);
}

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
  const ofCount = how.mode === 'weights' || how.mode === 'contribution';
  const least = WORTH_NAMING * (how.mode === 'length' ? Math.max(...total) : count);
  const worth = (j: number) => total[j] >= least;
  const top = topIndices(total, NAMED).filter((j, rank) => rank === 0 || worth(j));
  const who: Piece[] =
    count > 4
      ? [plural('{count} token', '{count} tokens', count)]
      : enumerate(rows.map(keyNames(queryLabels)));
  const list = enumerate(
    top.map((j) => {
      const number = minus(fixed(total[j], 2));
      const text = ofCount ? tr('{number} of {count} at {key}') : tr('{number} at {key}');
      return phrase(text, { number, count: String(count), key: names(j) });
    }),
  );
  const [subject] = [how.subject];
  if (how.mode === 'length')
    return phrase(tr('Summed over {rows}: {subject} adds lengths of {list}.'), { rows: who, subject, list });
  if (how.mode === 'contribution')
    return phrase(tr('Summed over {rows}: {subject} draws {list}.'), { rows: who, subject, list });
  return phrase(tr('Summed over {rows}: {subject} looks {list}.'), { rows: who, subject, list });
}

/** A column (or several summed) in words: which rows look at these keys. */
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
  const keys = enumerate(cols.slice(0, 4).map(keyNames(keyLabels)));
  const row = how.verb === 'Reading' ? tr('from {row} ({number})') : tr('writing {row} ({number})');
  const rows = (number: (v: number) => string): Piece[] =>
    enumerate(order.map((i) => phrase(row, { row: names(i), number: number(column[i]) })));
  const subject = capital(how.subject);
  if (how.mode === 'weights')
    return phrase(tr('{subject} looks at {keys} most when {rows}.'), {
      subject,
      keys,
      rows: rows(spokenPercent),
    });
  if (how.mode === 'contribution')
    return phrase(tr('{subject} draws on {keys} most when {rows}.'), {
      subject,
      keys,
      rows: rows(spokenPercent),
    });
  if (how.mode === 'length')
    return phrase(tr('{subject} adds most for {keys} when {rows}.'), {
      subject,
      keys,
      rows: rows(lengthWords),
    });
  const unit = how.mode === 'difference' ? 'points' : 'number';
  return phrase(tr('{keys}: largest when {rows}.'), { keys, rows: rows((v) => shown(v, unit)) });
}

/** How much of a row's weight lies on its largest cell, on average over the rows that are written. */
function meanLargest(sheet: Sheet) {
  const largest = Array.from({ length: sheet.written }, (_, i) =>
    Math.max(...rowOf(sheet, i).filter(Number.isFinite)),
  );
  return spokenPercent(largest.reduce((a, b) => a + b, 0) / sheet.written);
}

/** A whole map as a title: Head 1.2 gives 84 % of its weight to one token on average. */
export const wholeTitle = (sheet: Sheet, subject: string): Piece[] =>
  phrase(tr('{subject} gives {share} of its weight to one token on average'), {
    subject: capital(subject),
    share: { kind: meanLargest(sheet) },
  });

/** A whole map in words, with the number of its rows. */
function wholeSentence(sheet: Sheet, how: How): Piece[] {
  const share = { strong: meanLargest(sheet) };
  const text = plural(
    '{subject} gives {share} of its weight to one token.',
    '{subject} gives {share} of its weight to one token, on average over the {count} tokens written.',
    sheet.written,
  );
  return phrase(text, { subject: capital(how.subject), share });
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
  const { sheets } = looked;
  if (!sheets.length) return [tr('Every head is hidden; choose a swatch to show one again.')];
  if (!sheets[0].written) return [tr('Nothing is written yet.')];
  const sentence = sheets.length > 1 ? severalHeads(looked) : oneHead(looked);
  if (!looked.hint) return sentence;
  return [...sentence, { muted: `  ${looked.hint === 'pinned' ? pinnedHint() : hint()}` }];
}

function oneHead({ sheets: [sheet], subjects: [subject], how, rows, cols, cell, row }: Looked) {
  const context = { ...how, subject };
  if (row < 0 && !rows.size && !cols.size) return wholeSentence(sheet, context);
  const list = [...rows].sort((a, b) => a - b);
  const only = list.length === 1 ? list[0] : row;
  const sentence: Piece[] = [];
  if (list.length === 1 || (!list.length && !cols.size)) {
    const hidden = sheet.hidden?.[only] ?? null;
    const read = sheet.reads?.[only];
    const words = { ...context, read, hidden };
    sentence.push(...rowSentence(rowOf(sheet, only), sheet.rows[only], sheet.cols, words));
  } else if (list.length) {
    sentence.push(...sumSentence(sumOf(sheet, list, rowOf), list, sheet.rows, sheet.cols, context));
  }
  const [col] = cols;
  if (cell) {
    const number = shown(sheet.at(list[0], col), sheet.unit, sheet.unit === 'share' ? 1 : 0);
    sentence.push({
      muted: `  ${tr('This cell, {key}: {number}', { key: quoted(sheet.cols[col]), number })}`,
    });
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
        const number = shown(sum[n] / items.length, sheet.unit);
        return phrase(link, { head: names[k], word: strongly(labels[n]), number });
      }),
    );
  const { rows: queries, cols: keys } = sheets[0];
  if (from.length) {
    const where = most(from, rowOf, keys, tr('{head} at {word} ({number})'));
    const text = how.verb === 'Reading' ? tr('From {rows}: {where}.') : tr('Writing {rows}: {where}.');
    return phrase(text, { rows: words(queries, from), where });
  }
  const when = most([...cols], columnOf, queries, tr('{head} at {word} ({number})'));
  return phrase(tr('{keys}, most from {where}.'), { keys: words(keys, [...cols]), where: when });
}
