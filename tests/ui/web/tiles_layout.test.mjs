/* The columns that groups of heads take. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { columnsOf, spansOf } from '../../../ui/shared/tiles_drawing.ts';

test('a wider card has more columns, and never fewer than a name takes', () => {
  assert.equal(columnsOf(624), 9);
  assert.equal(columnsOf(623), 8);
  assert.equal(columnsOf(553), 7);
  assert.equal(columnsOf(20), 2);
});

test('every row of groups is full, in the order of the groups', () => {
  assert.deepEqual(spansOf([2, 1, 3, 1, 6], 8), [2, 2, 4, 2, 6]);
  assert.deepEqual(spansOf([2, 1, 3, 1, 6], 6), [3, 3, 3, 3, 6]);
  assert.deepEqual(spansOf([10, 1], 8), [8, 8]);
  assert.deepEqual(spansOf([], 8), []);
});
