/* What a comparison says under its pictures. */

import type { Colours } from '../web/base/colour.ts';
import type { Piece } from '../web/base/dom.ts';
import type { CompareData } from '../web/generated/types.ts';
import type { Cell } from '../web/maps/selection.ts';
import type { How } from '../web/maps/sentence.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { divergingTable, kindRamp } from '../web/base/colour.ts';
import { phrase } from '../web/base/dom.ts';
import { plural, tr } from '../web/base/language.ts';
import { shown, spokenPercent, topIndices } from '../web/base/words.ts';
import {
  capital,
  columnSentence,
  enumerate,
  hint,
  pinnedHint,
  rowSentence,
  rowWords,
  strongly,
  verbOf,
} from '../web/maps/sentence.ts';
import { columnOf, makeSheet, rowOf, sumOf } from '../web/maps/sheet.ts';

/** A cell, row or column of one of the maps. */
export type PaneCell = Cell & { pane: number };

/** The two maps, their difference where there is one, and what is pointed at and pinned in them. */
export interface Compared {
  meta: CompareData;
  sheets: Sheet[];
  /** Over the pictures. */
  names: string[];
  own: { hovered: PaneCell | null; pinned: PaneCell | null; log: boolean };
}

export function compareSentence(compare: Compared): Piece[] {
  const { meta } = compare;
  const { hovered, pinned } = compare.own;
  const cell = hovered ?? pinned;
  const aside: Piece[] = hovered ? [] : [{ muted: `  ${pinned ? pinnedHint() : hint()}` }];
  if (!cell) return [...largestSentence(compare), ...aside];
  const { row, col } = cell;
  if (row !== undefined && col !== undefined)
    return [...cellSentence(compare, cell.pane, row, col), ...aside];
  const which = meta.comparable ? [0, 1] : [Math.min(1, cell.pane)];
  const lines = which.flatMap((n) => [...lineSentence(compare, n, cell), ' ']);
  return [...lines, ...aside];
}

/** A row in words: a head, or what the row reads and writes. */
const lead = ({ meta }: Compared, sheet: Sheet, i: number): Piece[] =>
  meta.heads
    ? [{ strong: tr('Head {name}', { name: sheet.rows[i] }) }]
    : rowWords(sheet.rows[i], { verb: verbOf(meta.kind), read: sheet.reads?.[i] });

function largestSentence(compare: Compared): Piece[] {
  const { meta, sheets } = compare;
  if (!meta.comparable) return [tr('The two maps have different words, so no difference is drawn.')];
  const [first, second] = meta.names;
  if (!meta.largest)
    return sameSentence(meta.names, emptyIn(sheets[0], sheets[1]), emptyIn(sheets[1], sheets[0]));
  const [row, col, passedOver] = meta.largest;
  const [one, two, change] = sheets.map((sheet) => sheet.at(row, col));
  const text = passedOver
    ? tr('Largest difference between words: {row}, at {key}: {one} ({first}), {two} ({second}); {points}.')
    : tr('Largest difference: {row}, at {key}: {one} ({first}), {two} ({second}); {points}.');
  return phrase(text, {
    row: lowerFirst(lead(compare, sheets[2], row)),
    key: strongly(sheets[2].cols[col]),
    first,
    second,
    one: spokenPercent(one),
    two: spokenPercent(two),
    points: shown(change, 'points'),
  });
}

/** A lead inside a sentence. */
const lowerFirst = ([first, ...rest]: Piece[]): Piece[] =>
  typeof first === 'string' ? [first[0].toLowerCase() + first.slice(1), ...rest] : [first, ...rest];

/** How many rows one map lacks that the other has. */
const emptyIn = (one: Sheet, other: Sheet) =>
  one.rows.filter((_, i) => one.empty?.[i] && !other.empty?.[i]).length;

/**
 * The sentence about two maps with equal numbers; it names rows that only one of them has.
 * @param lacking rows that the first lacks
 * @param missing rows that the second lacks
 */
export function sameSentence([first, second]: [string, string], lacking: number, missing: number): Piece[] {
  if (!lacking && !missing)
    return phrase(tr('{first} and {second} are the same.'), { first: capital(first), second });
  const [who, count] = missing ? [second, missing] : [first, lacking];
  const text = plural(
    '{who} has no numbers in {count} row; the rest is the same.',
    '{who} has no numbers in {count} rows; the rest is the same.',
    count,
  );
  return phrase(text, { who: capital(who) });
}

function cellSentence(compare: Compared, pane: number, i: number, j: number): Piece[] {
  const { meta, sheets, names } = compare;
  if (!meta.comparable) {
    const sheet = sheets[pane];
    const share = shown(sheet.at(i, j), 'share');
    const fields = {
      name: names[pane],
      row: lowerFirst(lead(compare, sheet, i)),
      share,
      key: strongly(sheet.cols[j]),
    };
    return phrase(tr('{name}: {row}, {share} at {key}.'), fields);
  }
  const [one, two] = [sheets[0].at(i, j), sheets[1].at(i, j)];
  const [first, second] = meta.names;
  return phrase(tr('{row}, at {key}: {one} ({first}), {two} ({second}); {points}.'), {
    row: lead(compare, sheets[0], i),
    key: strongly(sheets[0].cols[j]),
    first,
    second,
    one: shown(one, 'share', 1),
    two: shown(two, 'share', 1),
    points: shown(two - one, 'points', 1),
  });
}

/** A row or a column of one of the two. */
function lineSentence({ meta, sheets }: Compared, n: number, { row, col = 0 }: PaneCell): Piece[] {
  const sheet = sheets[n];
  const writing = meta.heads?.[n];
  const how: How = {
    verb: verbOf(meta.kind),
    subject: meta.subjects[n],
    mode: 'weights',
    distribution: meta.distribution[n],
  };
  if (row !== undefined) {
    const numbers = rowOf(sheet, row);
    const hidden = sheet.hidden?.[row] ?? null;
    const words = { ...how, read: sheet.reads?.[row], hidden };
    if (writing === undefined) return rowSentence(numbers, sheet.rows[row], sheet.cols, words);
    const subject = tr('head {name}', { name: sheet.rows[row] });
    return rowSentence(numbers, writing, sheet.cols, { ...how, verb: 'Writing', subject });
  }
  const column = sumOf(sheet, [col], columnOf);
  if (writing === undefined) return columnSentence(column, [col], sheet.cols, sheet.rows, how);
  return headsSentence(sheet, column, writing, sheet.cols[col]);
}

/** Which heads look at a word most. */
function headsSentence(sheet: Sheet, column: number[], writing: string, word: string): Piece[] {
  const most = topIndices(column, 2).filter((i, rank) => rank === 0 || column[i] >= 0.05);
  const heads = most.map((i) => [
    tr('head {name} ({share})', { name: sheet.rows[i], share: spokenPercent(column[i]) }),
  ]);
  return phrase(tr('Writes {written}: {key} gets most from {heads}.'), {
    written: strongly(writing),
    key: strongly(word),
    heads: enumerate(heads),
  });
}

/* ---------- The two maps that are compared and, over the same words, their difference. ---------- */

const LEAST_TOP = 0.05; // below five points, noise would fill the colours

const emptyRows = (sheet: Sheet) =>
  sheet.rows.map((_, i) => sheet.cols.every((__, j) => Number.isNaN(sheet.at(i, j))));

/** The sheets, and the difference in full colour. */
export function compareSheets(meta: CompareData, values: ArrayLike<number>[], log: boolean, c: Colours) {
  const table = kindRamp(c, meta.kind);
  const sheets: Sheet[] = values.map((numbers, n) => {
    const reads = meta.reads[n].length && !meta.heads ? meta.reads[n] : undefined;
    const words = { rows: meta.rows[n], cols: meta.cols[n], reads };
    const at = (i: number, j: number) => numbers[i * words.cols.length + j];
    const sheet = makeSheet(words, at, table, { scale: log ? 'log' : 'weight' });
    return { ...sheet, hidden: meta.hidden[n], empty: emptyRows(sheet) };
  });
  let top = LEAST_TOP;
  if (!meta.comparable) return { sheets, top };
  const [one, two] = sheets;
  const change: Sheet['at'] = (i, j) => two.at(i, j) - one.at(i, j);
  for (let n = 0; n < values[0].length; n++) {
    const far = Math.abs(values[1][n] - values[0][n]);
    if (far > top) top = far;
  }
  const look = { scale: 'diverging' as const, top };
  const difference = makeSheet(one, change, divergingTable(c), { ...look, unit: 'points' });
  sheets.push({ ...difference, empty: emptyRows(difference) });
  // Rows of all three are at the same height.
  for (const sheet of sheets) sheet.aside = meta.hidden[0] !== null;
  return { sheets, top };
}
