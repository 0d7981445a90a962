/* What a comparison says under its pictures. */

import type { Colours } from '../web/base/colour.ts';
import type { Piece } from '../web/base/dom.ts';
import type { CompareData } from '../web/generated/types.ts';
import type { How } from '../web/maps/sentence.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { Compare, PaneCell } from './compare.ts';
import { divergingTable, rampTable } from '../web/base/colour.ts';
import { TOUCH, shown, spokenPercent, topIndices } from '../web/base/words.ts';
import { PINNED, columnSentence, enumerate, quoted, rowSentence, strongly } from '../web/maps/sentence.ts';
import { columnOf, makeSheet, rowOf, sumOf } from '../web/maps/sheet.ts';

export function compareSentence(compare: Compare): Piece[] {
  const { meta } = compare;
  const { hovered, pinned } = compare.own;
  const cell = hovered ?? pinned;
  const free = `  ${TOUCH ? 'tap a cell or a word to pin it' : 'hover a cell or a word, click to pin, Esc clears'}`;
  const hint: Piece[] = hovered ? [] : [{ muted: pinned ? `  ${PINNED}` : free }];
  if (!cell) return [...largestSentence(compare), ...hint];
  const { row, col } = cell;
  if (row !== undefined && col !== undefined) return [...cellSentence(compare, cell.pane, row, col), ...hint];
  const which = meta.comparable ? [0, 1] : [Math.min(1, cell.pane)];
  const lines = which.flatMap((n) => [...lineSentence(compare, n, cell), ' ']);
  return [...lines, ...hint];
}

function largestSentence({ meta, sheets }: Compare): Piece[] {
  if (!meta.comparable) return ['The two have different words, so there is no difference to draw.'];
  const [first, second] = meta.names;
  if (!meta.largest)
    return sameSentence(meta.names, emptyIn(sheets[0], sheets[1]), emptyIn(sheets[1], sheets[0]));
  const [row, col, passedOver] = meta.largest;
  const [one, two, change] = sheets.map((sheet) => sheet.at(row, col));
  const { rows, cols } = sheets[2];
  const where = passedOver ? ' between words' : '';
  const query = meta.heads ? `head ${rows[row]}` : quoted(rows[row]);
  const shares = `${spokenPercent(one)} in ${first}, ${spokenPercent(two)} in ${second}`;
  return [
    `The largest difference${where}: `,
    { strong: query },
    ' → ',
    strongly(cols[col]),
    `, ${shares} (${shown(change, 'points')}).`,
  ];
}

/** How many rows one map lacks that the other has. */
const emptyIn = (one: Sheet, other: Sheet) =>
  one.rows.filter((_, i) => one.empty?.[i] && !other.empty?.[i]).length;

/**
 * The sentence about two maps with equal numbers; it names rows that only one of them has.
 * @param lacking rows that the first lacks
 * @param missing rows that the second lacks
 */
export function sameSentence([first, second]: [string, string], lacking: number, missing: number): Piece[] {
  const upper = (words: string) => `${words[0].toUpperCase()}${words.slice(1)}`;
  if (!lacking && !missing) return [`${upper(first)} and ${second} are the same.`];
  const [who, count] = missing ? [second, missing] : [first, lacking];
  return [
    `${upper(who)} has no numbers in `,
    { strong: `${count} ${count === 1 ? 'row' : 'rows'}` },
    '; the rest is the same.',
  ];
}

function cellSentence({ meta, sheets, names }: Compare, pane: number, i: number, j: number): Piece[] {
  if (!meta.comparable) {
    const sheet = sheets[pane];
    const leading = `${names[pane]}: ${meta.verb.toLowerCase()} `;
    return [
      leading,
      strongly(sheet.rows[i]),
      `, ${shown(sheet.at(i, j), 'share')} at `,
      strongly(sheet.cols[j]),
      '.',
    ];
  }
  const { rows, cols } = sheets[0];
  const [one, two] = [sheets[0].at(i, j), sheets[1].at(i, j)];
  const [first, second] = meta.names;
  const shares = `${first} ${shown(one, 'share', 1)}, ${second} ${shown(two, 'share', 1)}`;
  const change = shown(two - one, 'points', 1);
  const leading = meta.heads ? [{ strong: `Head ${rows[i]}` }] : [`${meta.verb} `, strongly(rows[i])];
  return [...leading, ', at ', strongly(cols[j]), `: ${shares}, ${change}.`];
}

/** A row or a column of one of the two. */
function lineSentence({ meta, sheets }: Compare, n: number, { row, col = 0 }: PaneCell): Piece[] {
  const sheet = sheets[n];
  const writing = meta.heads?.[n];
  const how: How = {
    verb: meta.verb,
    subject: meta.subjects[n],
    mode: 'weights',
    distribution: meta.distribution[n],
  };
  if (row !== undefined) {
    const numbers = rowOf(sheet, row);
    const hidden = sheet.hidden?.[row] ?? null;
    if (writing === undefined) return rowSentence(numbers, sheet.rows[row], sheet.cols, { ...how, hidden });
    return rowSentence(numbers, writing, sheet.cols, {
      ...how,
      verb: 'Writing',
      subject: `head ${sheet.rows[row]}`,
    });
  }
  const column = sumOf(sheet, [col], columnOf);
  if (writing === undefined) return columnSentence(column, [col], sheet.cols, sheet.rows, how);
  return headsSentence(sheet, column, writing, sheet.cols[col]);
}

/** Which heads looked at a word most. */
function headsSentence(sheet: Sheet, column: number[], writing: string, word: string): Piece[] {
  const most = topIndices(column, 2).filter((i, rank) => rank === 0 || column[i] >= 0.05);
  const heads = most.map((i) => [`head ${sheet.rows[i]} (${spokenPercent(column[i])})`]);
  return ['Writing ', strongly(writing), ', ', strongly(word), ' got most from ', ...enumerate(heads), '.'];
}

/* ---------- The two maps that are compared and, over the same words, their difference. ---------- */

const LEAST_TOP = 0.05; // below five points, noise would fill the colours

const emptyRows = (sheet: Sheet) =>
  sheet.rows.map((_, i) => sheet.cols.every((__, j) => Number.isNaN(sheet.at(i, j))));

/** The sheets, and the difference in full colour. */
export function compareSheets(meta: CompareData, values: ArrayLike<number>[], log: boolean, c: Colours) {
  const table = rampTable(c.panel, c[meta.kind]);
  const sheets: Sheet[] = values.map((numbers, n) => {
    const words = { rows: meta.rows[n], cols: meta.cols[n] };
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
