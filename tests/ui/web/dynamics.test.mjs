/* The table of a training: every column is named after what it holds. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { DynamicsNumbers } from '../../../ui/web/views/dynamics_numbers.ts';

const tableOf = (quality) => {
  const meta = {
    steps: [0, 10],
    layers: 1,
    heads: 1,
    kindName: 'Cross-attention',
    losses: [{ name: 'training', points: [[10, 2.5]] }],
    quality,
    scores: [{ name: 'entropy' }],
  };
  return new DynamicsNumbers(/** @type {any} */ (meta), new Uint8Array(), Float32Array.of(1.5, 0.5)).table();
};

test('BLEU and the percent written exactly have a column of their own name', () => {
  assert.deepEqual(tableOf({ name: 'BLEU', column: 'bleu', points: [[10, 41.3]] }), [
    ['step', 'training_loss', 'bleu', 'kind', 'layer', 'head', 'entropy'],
    [0, '', '', 'Cross-attention', 0, 0, 1.5],
    [10, 2.5, 41.3, 'Cross-attention', 0, 0, 0.5],
  ]);
  const [head, , last] = tableOf({ name: 'exact, %', column: 'exact_percent', points: [[10, 12]] });
  assert.deepEqual([head[2], last[2]], ['exact_percent', 12]);
});
