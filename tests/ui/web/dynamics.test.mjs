/* The table of a training: every column is named after what it holds. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { plain } from '../../../ui/web/base/dom.ts';
import { DynamicsNumbers, shapeTitle, stepOf } from '../../../ui/learn/dynamics_numbers.ts';

const tableOf = (quality) => {
  const meta = {
    steps: [0, 10],
    layers: 1,
    heads: 1,
    kind_name: 'Cross-attention',
    losses: [{ name: 'training', points: [[10, 2.5]] }],
    quality,
    scores: [{ name: 'entropy' }],
    drops: [[0, 0, 0, 1, 1.5, 0.5, 0, 1]],
    dated: 8,
  };
  const numbers = Float32Array.of(1.5, 0.5);
  return new DynamicsNumbers(/** @type {any} */ ({ ...meta, numbers })).table();
};

test('BLEU and the percent written exactly have a column of their own name', () => {
  assert.deepEqual(tableOf({ name: 'BLEU', column: 'bleu', points: [[10, 41.3]] }), [
    [
      ...['step', 'training_loss', 'bleu', 'kind', 'layer', 'head', 'entropy'],
      'took_shape',
      'low',
      'high',
      'n',
    ],
    [0, '', '', 'Cross-attention', 0, 0, 1.5, 10, 0, 10, 8],
    [10, 2.5, 41.3, 'Cross-attention', 0, 0, 0.5, 10, 0, 10, 8],
  ]);
  const [head, , last] = tableOf({ name: 'exact, %', column: 'exact_percent', points: [[10, 12]] });
  assert.deepEqual([head[2], last[2]], ['exact_percent', 12]);
});

/**
 * What is said of a head whose normalised entropy goes through these values.
 * @param {number[]} entropy
 * @param {object} more
 */
const titleOf = (entropy, more = {}) => {
  const meta = {
    steps: entropy.map((_, k) => k),
    layers: 1,
    heads: 1,
    scores: [{ name: 'normalised_entropy' }],
    drops: [],
    sudden: 0.15,
    trained: false,
    live: false,
    ...more,
  };
  const recorded = { ...meta, numbers: Float32Array.from(entropy) };
  const numbers = new DynamicsNumbers(/** @type {any} */ (recorded));
  return plain(shapeTitle(numbers, 0));
};

test('a head of a record that begins with trained weights has no birth in it', () => {
  const steady = titleOf([0.4, 0.4, 0.41], { trained: true });
  assert.match(steady, /before the first recorded step/);
  assert.doesNotMatch(steady, /came to be|took shape/);
  const fell = titleOf([0.9, 0.9, 0.3], { trained: true, drops: [[0, 0, 1, 2, 0.9, 0.3]] });
  assert.match(fell, /between steps 1 and 2/);
  assert.doesNotMatch(fell, /took shape/);
});

test('without a sudden drop the title goes by how far the entropy moved in all', () => {
  assert.match(titleOf([0.9, 0.8, 0.7, 0.6]), /gradually/);
  assert.match(titleOf([0.6, 0.7, 0.8, 0.9]), /gradually/);
  assert.doesNotMatch(titleOf([0.9, 0.89, 0.88]), /gradually/);
  assert.match(titleOf([0.9, 0.89, 0.88], { live: true }), /so far/);
  assert.doesNotMatch(titleOf([0.3, 0.3, 0.3], { live: true }), /everywhere/);
  assert.match(titleOf([0.9, 0.3], { drops: [[0, 0, 0, 1, 0.9, 0.3]] }), /took shape between steps 0 and 1/);
});

test('the slider counts training steps, not records', () => {
  const meta = /** @type {any} */ ({ steps: [0, 5, 2500], total: 2500 });
  assert.equal(stepOf(meta, 1), 'step 5 of 2,500');
});
