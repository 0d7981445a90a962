/* The title of the open head's card and the sentence under it. */

import type { Piece } from '../web/base/dom.ts';
import type { Head } from './head.ts';
import { tr } from '../web/base/language.ts';
import { cellTitle, mapSentence, restSentence, verbOf } from '../web/maps/sentence.ts';

/** The pinned cell of a single map of weights. */
function pinnedCell({ open, pins }: Head) {
  const { meta, sheets, seen } = open;
  if (seen.length !== 1 || meta.mode !== 'weights' || !pins.isCell) return null;
  const [row, col] = [[...pins.rows][0], [...pins.cols][0]];
  return { sheet: sheets[seen[0]], subject: meta.heads[seen[0]].subject, row, col };
}

/** What the open head does with the pinned cell, else its name. */
export function headTitle(head: Head): Piece[] {
  const { meta } = head.open;
  const cell = pinnedCell(head);
  if (cell) return cellTitle({ ...cell, verb: verbOf(meta.kind) });
  return [`${meta.title} `, ...(meta.tag ? [{ kind: meta.tag }] : [])];
}

/** The sentence about what is hovered, pinned, or else about the row that the page is at. */
export function headSentence(head: Head): Piece[] {
  const { open, pins } = head;
  const { meta, sheets, seen, tellingRow } = open;
  const cell = pinnedCell(head);
  if (cell && !pins.hovered) return [...restSentence(cell), ...rank(head, cell.subject)];
  return mapSentence({
    ...pins.active,
    sheets: seen.map((k) => sheets[k]),
    subjects: seen.map((k) => meta.heads[k].subject),
    names: seen.map((k) => meta.heads[k].name),
    how: { verb: verbOf(meta.kind), mode: meta.mode, distribution: meta.distribution },
    row: tellingRow,
    hint: pins.hint,
  });
}

/** Which of all heads this one is for the pinned pair. */
function rank({ open }: Head, subject: string): Piece[] {
  const { ranking, pairs } = open.meta;
  if (pairs.length !== 1 || !ranking.length) return [];
  const rank = ranking.findIndex((pair) => String(pair) === String(pairs[0])) + 1;
  const fields = { subject, rank, count: ranking.length };
  return rank ? [' ', tr('For this pair, {subject} is number {rank} of {count}.', fields)] : [];
}
