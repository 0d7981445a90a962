/* What the panel of a lesson decides: which choice the model bears out. */

import assert from 'node:assert/strict';
import test from 'node:test';

import './measure.mjs';
import { choiceLook } from '../../../ui/learn/lesson.ts';

test('nothing is told of a choice before an answer', () => {
  const open = { ask: [], choices: [], answer: null, holds: 1 };
  assert.deepEqual([choiceLook(open, 0), choiceLook(open, 1)], ['', '']);
});

test('the choice that holds, the chosen one and the others', () => {
  const wrong = { ask: [], choices: [], answer: 0, holds: 1 };
  assert.deepEqual(
    [choiceLook(wrong, 0), choiceLook(wrong, 1), choiceLook(wrong, 2)],
    ['chosen', 'holds', 'other'],
  );
  assert.equal(choiceLook({ ...wrong, answer: 1 }, 1), 'holds chosen');
  assert.equal(choiceLook({ ...wrong, holds: null }, 1), 'other', 'where none holds, none is marked');
});
