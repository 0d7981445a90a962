/* The two maps that are compared and, over the same words, their difference. */

import type { Numbers } from '../base/arrays.ts';
import type { Colours } from '../base/colour.ts';
import type { Sheet } from '../maps/sheet.ts';
import type { CompareMeta } from './compare_words.ts';
import { divergingTable, rampTable } from '../base/colour.ts';
import { makeSheet } from '../maps/sheet.ts';

const LEAST_TOP = 0.05; // below five points, noise would fill the colours

const emptyRows = (sheet: Sheet) =>
  sheet.rows.map((_, i) => sheet.cols.every((__, j) => Number.isNaN(sheet.at(i, j))));

/** The sheets, and the difference in full colour. */
export function compareSheets(meta: CompareMeta, values: Numbers[], log: boolean, c: Colours) {
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
  values[0].forEach((v, n) => {
    const far = Math.abs(values[1][n] - v);
    if (far > top) top = far;
  });
  const look = { scale: 'diverging' as const, top };
  const difference = makeSheet(one, change, divergingTable(c), { ...look, unit: 'points' });
  sheets.push({ ...difference, empty: emptyRows(difference) });
  // Rows of all three stand at one height.
  for (const sheet of sheets) sheet.aside = meta.hidden[0] !== null;
  return { sheets, top };
}
