/* Tables as CSV: the same cells as in Python. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { csvNumber, csvText, harmless } from '../../../ui/web/base/export.ts';

test('no cell of a table is a formula, and numbers stay numbers', () => {
  const vectors = JSON.parse(readFileSync(new URL('../../csv_cells.json', import.meta.url), 'utf8'));
  for (const [text, written] of vectors.cells) {
    assert.equal(harmless(text), written);
    const quoted = /[",\n\r]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
    assert.equal(csvText([[text]]), `${quoted}\r\n`);
  }
  for (const [value, written] of vectors.numbers) {
    assert.equal(csvText([[csvNumber(value)]]), `${written}\r\n`);
  }
});
