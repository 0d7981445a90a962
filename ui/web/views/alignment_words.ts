/* What links are, held against a gold alignment, and what the view says of them. */

/** @import { Mode, Part } from '../types' */
/** @import { Alignment } from './alignment.js' */

import { TOUCH } from '../base/words.js';
import { HINT, PINNED, enumerate, rowSentence, strongly } from '../maps/sentence.js';
import { rowOf } from '../maps/sheet.js';

/**
 * What ui/components/alignment_view.py says of a sentence. `target` and `source` are the rows and columns that hold
 * words; `links` and `gold` are cells, a gold one with whether it is sure; `byHand`: it was marked here. `what` a row's
 * numbers are; `told` the sentence where nothing is looked at; `pairs` the heads that are drawn.
 * @typedef {{ rows: string[], cols: string[], target: number[], source: number[], links: [number, number][],
 *   gold: [number, number, boolean][], byHand: boolean, title: Part[], subtitle: string, subject: string, verb: string,
 *   what: string, told: Part[], pins: [number[], number[]], pairs: [number, number][], file: string }} AlignmentMeta
 */

/** @typedef {Map<string, boolean>} Gold the key of a cell, "row,column", and whether its link is sure */
/** @typedef {'right' | 'allowed' | 'wrong' | 'missed' | 'unneeded' | 'free' | ''} Verdict */

/**
 * What a cell is: a link that is sure (`right`), possible (`allowed`) or neither (`wrong`), or a sure (`missed`) or
 * possible (`unneeded`) one that was not found; without any gold a link is `free`.
 * @param {boolean} found
 * @param {boolean | undefined} sure of the gold link here, undefined where there is none
 * @param {boolean} any whether there is any gold
 * @returns {Verdict}
 */
export function verdictOf(found, sure, any) {
  if (!any) return found ? 'free' : '';
  if (found) return sure === undefined ? 'wrong' : sure ? 'right' : 'allowed';
  return sure === undefined ? '' : sure ? 'missed' : 'unneeded';
}

/**
 * Every cell that is a link, or should or may be one: [row, column, verdict].
 * @param {[number, number][]} links
 * @param {Gold} gold
 * @returns {[number, number, Verdict][]}
 */
export function verdicts(links, gold) {
  const found = new Set(links.map(([row, col]) => `${row},${col}`));
  const every = new Set([...found, ...gold.keys()]);
  return [...every].map((key) => {
    const [row, col] = key.split(',').map(Number);
    return [row, col, verdictOf(found.has(key), gold.get(key), gold.size > 0)];
  });
}

/**
 * The gold with one cell turned: none, sure, possible, none again.
 * @param {Gold} gold
 * @param {number} row
 * @param {number} col
 * @returns {Gold}
 */
export function cycled(gold, row, col) {
  const next = new Map(gold);
  const key = `${row},${col}`;
  const now = gold.get(key);
  if (now === undefined) next.set(key, true);
  else if (now) next.set(key, false);
  else next.delete(key);
  return next;
}

/**
 * Gold as cells, in order, as Python sends and gets it.
 * @param {Gold} gold
 * @returns {[number, number, boolean][]}
 */
export const goldCells = (gold) =>
  [...gold]
    .map(([key, sure]) => /** @type {[number, number, boolean]} */ ([...key.split(',').map(Number), sure]))
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);

const SAID = /** @type {Record<Verdict, string>} */ ({
  right: ', which the gold has as sure',
  allowed: ', which the gold has as possible',
  wrong: ', which the gold has not',
  free: '',
});

/**
 * Which source words a written word is linked to, and what the gold says.
 * @param {Alignment} view
 * @param {number} row
 * @returns {Part[]}
 */
function linkWords({ meta, gold }, row) {
  const of = verdicts(meta.links, gold).filter(([i]) => i === row);
  const name = (/** @type {number} */ j) => strongly(meta.cols[j]);
  const linked = of.filter(([, , verdict]) => verdict in SAID);
  const missed = of.filter(([, , verdict]) => verdict === 'missed');
  /** @type {Part[]} */
  const said = linked.length
    ? [' Linked to ', ...enumerate(linked.map(([, j, verdict]) => [name(j), SAID[verdict]])), '.']
    : [' No link.'];
  if (missed.length) said.push(' Missed: ', ...enumerate(missed.map(([, j]) => [name(j)])), '.');
  return said;
}

/**
 * Which written words are linked to a source word.
 * @param {Alignment} view
 * @param {number} col
 * @returns {Part[]}
 */
function columnWords({ meta }, col) {
  const rows = meta.links.filter(([, j]) => j === col).map(([i]) => [strongly(meta.rows[i])]);
  const word = strongly(meta.cols[col]);
  return rows.length
    ? [word, ' is linked to ', ...enumerate(rows), '.']
    : ['Nothing is linked to ', word, '.'];
}

/**
 * The sentence under the view.
 * @param {Alignment} view
 * @returns {Part[]}
 */
export function alignmentSentence(view) {
  const { meta, sheet, selection, marking } = view;
  const { rows, cols } = selection.active;
  // A share of ‖αf(x)‖ is no look: the row drew that much from a word.
  /** @type {Mode} */
  const mode = meta.what === 'share' ? 'contribution' : 'weights';
  const how = { verb: meta.verb, subject: meta.subject, mode };
  /** @type {Part[]} */
  const said = [];
  for (const row of [...rows].slice(0, 2)) {
    const numbers = rowOf(sheet, row);
    if (!meta.target.includes(row) || !numbers.some((v) => v > 0)) {
      said.push(...rowSentence(numbers, meta.rows[row], meta.cols, how), ' ');
      continue;
    }
    said.push(...rowSentence(numbers, meta.rows[row], meta.cols, how), ...linkWords(view, row), ' ');
  }
  if (!rows.size) for (const col of [...cols].slice(0, 2)) said.push(...columnWords(view, col), ' ');
  if (!said.length) said.push(...meta.told);
  if (marking)
    return [...said, { muted: `  marking: ${TOUCH ? 'tap' : 'click'} a cell: sure, possible, none again` }];
  const { hint } = selection;
  return hint ? [...said, { muted: `  ${hint === 'pinned' ? PINNED : HINT}` }] : said;
}
