/* What is said under two maps. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { sameSentence } from '../../../ui/shared/compare_words.ts';
import { wordsOfParts } from './parts.mjs';

test('two maps that are the same but for rows that one of them lacks', () => {
  const said = (...counts) => wordsOfParts(sameSentence(['the correct model', 'the code'], ...counts));
  assert.equal(said(0, 0), 'The correct model and the code are the same.');
  assert.equal(said(0, 1), 'The code has no numbers in 1 row; the rest is the same.');
  assert.equal(said(2, 0), 'The correct model has no numbers in 2 rows; the rest is the same.');
});
