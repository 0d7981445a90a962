/* What the lens says of a cell: where the written word stands first, or that it never does. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { LensNumbers } from '../../../ui/inside/lens_numbers.ts';
import { wordsOfParts } from './parts.mjs';

const DEPTHS = ['embedding', 'layer 0', 'layer 1', 'layer 2', 'layer 3, output'];

/** A lens over one written word, “chat”, that has these ranks; “chien” is the first of every other depth. */
function lensOf(ranks, choices = [0], depths = DEPTHS.slice(0, ranks.length)) {
  const meta = { steps: ['chat'], depths, labels: ['chat', 'chien'], k: 1, choices };
  const numbers = {
    tops: Float32Array.from(ranks, (rank) => (rank === 1 ? 0 : 1)),
    shares: Float32Array.from(ranks, () => 0.6),
    ranks: Float32Array.from(ranks),
    finals: Float32Array.from(ranks, (rank) => (rank === 1 ? 0.6 : 0.2)),
  };
  return new LensNumbers(/** @type {any} */ ({ ...meta, ...numbers }));
}

const said = (ranks, col) => wordsOfParts(lensOf(ranks).sentence({ row: 0, col }));

test('a word that stays first from a depth on', () => {
  assert.equal(
    said([1, 2, 2, 1, 1], 2),
    'Writing “chat”: at layer 1 the lens reads “chien” (60 %); “chat” is number 2 (20 %). It leads from layer 2 on.',
  );
});

test('a word that is first below the output alone, as one that was drawn or forced may be', () => {
  assert.equal(
    said([2, 1, 2, 2, 2], 1),
    'Writing “chat”: at layer 0 the lens reads “chat” (60 %). It leads at layer 0, but not at the output.',
  );
  assert.match(
    said([1, 1, 2, 1, 2], 0),
    /\. It leads at embedding, layer 0 and layer 2, but not at the output\.$/,
  );
  assert.match(said([1, 1, 1, 1, 3], 4), /\. It leads at 4 of 5 depths, but not at the output\.$/);
});

test('a word that no depth has first', () => {
  assert.match(
    said([3, 2, 2, 2, 2], 1),
    /“chat” is number 2 \(20 %\)\. It is never the most probable word\.$/,
  );
});

test('settled early is what is first at the output and was before', () => {
  assert.equal(lensOf([2, 1, 1, 1, 1]).early, 1);
  assert.equal(lensOf([2, 2, 2, 2, 1]).early, 0);
  assert.equal(lensOf([2, 1, 1, 1, 2]).early, 0);
});

test('a word that is always written is no choice, however early it is first', () => {
  const lens = lensOf([2, 1, 1, 1, 1], []);
  assert.equal(wordsOfParts(lens.title()), '0 of 0 words are on top before the last decoder layer');
  assert.match(wordsOfParts(lens.sentence({ row: 0, col: 0 })), /\. It is always written here\.$/);
  assert.equal(
    wordsOfParts(lensOf([2, 1, 1, 1, 1]).title()),
    '1 of 1 word is on top before the last decoder layer',
  );
});
