/* What the panel of a lesson decides: which choice the model bears out. */

import assert from 'node:assert/strict';
import test from 'node:test';

import './measure.mjs';
import { fate } from '../../../ui/learn/lesson.ts';

test('nothing is told of a choice before an answer', () => {
  const open = { ask: [], choices: [], answer: null, holds: 1 };
  assert.deepEqual([fate(open, 0), fate(open, 1)], ['', '']);
});

test('the choice that holds, the chosen one and the others', () => {
  const wrong = { ask: [], choices: [], answer: 0, holds: 1 };
  assert.deepEqual([fate(wrong, 0), fate(wrong, 1), fate(wrong, 2)], ['chosen', 'holds', 'other']);
  assert.equal(fate({ ...wrong, answer: 1 }, 1), 'holds chosen');
  assert.equal(fate({ ...wrong, holds: null }, 1), 'other', 'where none holds, none is marked');
});
