/* Two rows of words, one above the other. */

import assert from 'node:assert/strict';
import test from 'node:test';

import './measure.mjs';

import { linesLayout } from '../../../ui/shared/lines_layout.ts';

test('the lines of Translate run over when they have to', () => {
  const few = linesLayout({ rows: ['un', 'chien'], cols: ['a', 'dog'] }, 500, 1);
  assert.equal(few.inside, 500);
  assert.deepEqual(few.source, [125, 375]);
  const many = linesLayout({ rows: Array.from({ length: 80 }, () => 'chien'), cols: ['a'] }, 500, 1);
  assert.ok(many.inside > 500);
});

test('in a hall the words shrink to stay inside, down to 18 pixels, and never on a screen of a desk', () => {
  const words = (count) => Array.from({ length: count }, () => 'chien');
  const size = (cols, rows, u, covered = false) =>
    linesLayout({ rows: words(rows), cols: words(cols) }, 1300, u, covered);
  assert.equal(size(6, 6, 1.6).size, 24);
  const between = size(15, 6, 1.6);
  assert.ok(between.size > 18 && between.size < 24);
  assert.equal(Math.round(between.inside), 1300);
  assert.equal(size(6, 15, 1.6).size, between.size, 'the words below count as those above');
  assert.equal(size(6, 15, 1.6, true).size, 24, 'but not before they are all there');
  const long = size(40, 6, 1.6);
  assert.equal(Math.round(long.size), 18);
  assert.ok(long.inside > 1300, 'what is longer still is scrolled');
  assert.equal(size(40, 6, 1).size, 15);
});
