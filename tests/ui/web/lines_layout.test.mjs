/* Two rows of words, one above the other. */

import assert from 'node:assert/strict';
import test from 'node:test';

import './measure.mjs';

import { linesLayout } from '../../../ui/shared/lines_layout.ts';

test('the lines of Translate stand in two columns when they have to', () => {
  const few = linesLayout({ rows: ['un', 'chien'], cols: ['a', 'dog'] }, 500, 1);
  assert.equal(few.inside, 500);
  assert.deepEqual(few.source, [125, 375]);
  const many = linesLayout({ rows: Array.from({ length: 80 }, () => 'chien'), cols: ['a'] }, 500, 1);
  assert.equal(many.flat, false);
  assert.equal(many.inside, 500);
  assert.equal(many.target.length, 80);
  assert.ok(many.x.source < many.x.target && many.x.target < 500);
});

test('in a hall the words shrink to stay inside, down to 18 pixels, before the rows run over, and never at a desk', () => {
  const words = (count) => Array.from({ length: count }, () => 'chien');
  const size = (cols, rows, u, covered = false, deep = 600) =>
    linesLayout({ rows: words(rows), cols: words(cols) }, 1300, u, covered, 118, deep);
  assert.equal(size(6, 6, 1.6).size, 24);
  const between = size(14, 6, 1.6);
  assert.equal(between.flat, true);
  assert.ok(between.size > 18 && between.size < 24);
  assert.equal(Math.round(between.inside), 1300);
  assert.equal(size(6, 14, 1.6).size, between.size, 'the words below count as those above');
  assert.equal(size(6, 14, 1.6, true).size, 24, 'but not before they are all there');
  const long = size(40, 6, 1.6);
  assert.equal(long.flat, true, 'columns would end below the screen');
  assert.equal(Math.round(long.size), 18);
  assert.ok(long.inside > 1300 && long.source[39] < long.inside);
  const fits = size(30, 6, 1.6, false, 570);
  assert.equal(fits.flat, false, 'columns end on the screen');
  assert.equal(fits.size, 18);
  assert.ok(fits.y.end < 580 && fits.source[29] < 570);
  assert.equal(size(40, 6, 1).flat, false);
  assert.equal(size(40, 6, 1).size, 15);
});
