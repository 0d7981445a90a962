/* What a cell of an alignment is, and how marking turns it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  alignmentSentence,
  cycled,
  goldCells,
  verdictOf,
  verdicts,
} from '../../../ui/heads/alignment_words.ts';
import { sheetOf } from './measure.mjs';
import { wordsOfParts } from './parts.mjs';

test('a link and the gold make five kinds of cells, and without gold one', () => {
  assert.equal(verdictOf(true, true, true), 'right');
  assert.equal(verdictOf(true, false, true), 'allowed');
  assert.equal(verdictOf(true, undefined, true), 'wrong');
  assert.equal(verdictOf(false, true, true), 'missed');
  assert.equal(verdictOf(false, false, true), 'unneeded');
  assert.equal(verdictOf(true, undefined, false), 'free');
  assert.equal(verdictOf(false, undefined, false), '');
});

test('every cell that is linked or in the gold has its verdict once', () => {
  const gold = new Map([
    ['0,1', true],
    ['2,0', false],
    ['3,3', true],
  ]);
  const found = verdicts(
    [
      [0, 1],
      [1, 2],
      [2, 0],
    ],
    gold,
  );
  assert.deepEqual(found, [
    [0, 1, 'right'],
    [1, 2, 'wrong'],
    [2, 0, 'allowed'],
    [3, 3, 'missed'],
  ]);
});

test('marking goes from none over sure and possible back to none, and leaves the rest alone', () => {
  let gold = new Map([['5,5', true]]);
  gold = cycled(gold, 1, 12);
  assert.deepEqual(goldCells(gold), [
    [1, 12, true],
    [5, 5, true],
  ]);
  gold = cycled(gold, 1, 12);
  assert.deepEqual(goldCells(gold)[0], [1, 12, false]);
  assert.deepEqual(goldCells(cycled(gold, 1, 12)), [[5, 5, true]]);
});

test('a row of weights looked, a row of shares of ‖αf(x)‖ drew', async () => {
  const meta = {
    rows: ['chien'],
    cols: ['the', 'dog'],
    target: [0],
    source: [0, 1],
    links: [[0, 1]],
    subject: 'head 2.3',
    verb: 'Writing',
    summary: [],
  };
  const sheet = await sheetOf([[0.29, 0.71]]);
  const said = (what) =>
    wordsOfParts(
      alignmentSentence(
        /** @type {any} */ ({
          meta: { ...meta, what },
          sheet,
          pins: { active: { rows: new Set([0]), cols: new Set() }, hint: '' },
          gold: new Map(),
        }),
      ),
    ).trim();
  assert.equal(
    said('weight'),
    'Writes “chien”: head 2.3 looks 71 % at “dog” and 29 % at “the”. Linked to “dog”.',
  );
  assert.equal(
    said('share'),
    'Writes “chien”: head 2.3 draws 71 % from “dog” and 29 % from “the”. Linked to “dog”.',
  );
});
