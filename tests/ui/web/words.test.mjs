/* Numbers as a reader sees them: what is rounded to zero has no sign. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { fixed, grouped, localised, speak, tr } from '../../../ui/web/base/language.ts';
import { brief, lengthWords, minus, percent, shown } from '../../../ui/web/base/words.ts';

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

const TEXT = '0.5 + 1,024.25 = 2, at the end. A list: 3, 4.';
const numbers = () => [
  fixed(0.14, 2),
  grouped(1234567),
  percent(0.0012, 1),
  percent(0.0000012, 1),
  shown(-0.314, 'number'),
  shown(0.0123, 'points', 1),
  shown(-0.0004, 'number'),
  lengthWords(1.26),
  minus(fixed(-0.25, 2)),
  tr('{number} points', { number: 0.5 }),
];
const ENGLISH = '0.14|1,234,567|0.1 %|< 0.1 %|−0.31|+1.2 points|0.00|1.3|−0.25|0.5 points';
const FRENCH = '0,14|1\u202f234\u202f567|0,1 %|< 0,1 %|−0,31|+1,2 points|0,00|1,3|−0,25|0,5 points';

test('a number has the marks of English where no language was sent', () => {
  assert.deepEqual(numbers(), ENGLISH.split('|'));
  assert.equal(localised(TEXT), TEXT);
});

test('a number has the marks of the language in use', () => {
  speak({ code: 'fr' });
  try {
    assert.deepEqual(numbers(), FRENCH.split('|'));
    assert.equal(
      localised(TEXT),
      '0,5 + 1\u202f024,25 = 2, at the end. A list: 3, 4.',
      'marks within numbers',
    );
  } finally {
    speak({});
  }
});
