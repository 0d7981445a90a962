/* Numbers as a reader sees them: what is rounded to zero has no sign. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { brief, minus, shown } from '../../../ui/web/base/words.ts';

const ofTiny = (/** @type {(v: number) => string} */ words) => [-0.0004, 0.0004].map(words);

test('what is rounded to zero has no sign', () => {
  assert.deepEqual(
    ofTiny((v) => shown(v, 'points', 1)),
    ['0.0 points', '0.0 points'],
  );
  assert.deepEqual(
    ofTiny((v) => shown(v, 'number')),
    ['0.00', '0.00'],
  );
  assert.deepEqual(
    ofTiny((v) => brief(v, 'number')),
    ['0.0', '0.0'],
  );
  assert.deepEqual(
    ofTiny((v) => brief(v, 'points')),
    ['0', '0'],
  );
});

test('what is not zero keeps its sign', () => {
  assert.deepEqual(
    [
      shown(-0.0006, 'points', 1),
      shown(0.0006, 'points', 1),
      shown(-0.006, 'number'),
      brief(-0.06, 'number'),
    ],
    ['−0.1 points', '+0.1 points', '−0.01', '−0.1'],
  );
  assert.deepEqual(['-0', '-0.05', '-10', '-0.0 x', '+3', '-100'].map(minus), [
    '0',
    '−0.05',
    '−10',
    '0.0 x',
    '+3',
    '−100',
  ]);
});
