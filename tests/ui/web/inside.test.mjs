/* Inside a head: how numbers are said, how terms are gathered into pixels, and which number is in full colour. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  CardNumbers,
  numeral,
  runningSum,
  signed,
  strongestOf,
  termTable,
} from '../../../ui/inside/inside_numbers.ts';

const META = {
  ...{ key: 'q', part: 'attention', title: 'Queries', short: 'Q', formula: '', says: '', shape: '' },
  ...{ rows: ['a', 'b'], cols: ['0', '1', '2'], row_axis: 'tokens', col_axis: 'd_model', first: 4, of: 9 },
  ...{ focus: 5, band: null, look: 'signed', reads: [] },
};

test('a number has the digits that tell it', () => {
  assert.equal(numeral(0.71234), '0.7123');
  assert.equal(numeral(-12.346), '−12.35');
  assert.equal(numeral(1234.6), '1235');
  assert.equal(numeral(0), '0');
  assert.equal(numeral(0.0000123), '1.23e−5');
  assert.equal(numeral(-Infinity), '−∞');
  assert.equal(numeral('−∞'), '−∞');
  assert.equal(numeral(0.71234, 3), '0.712');
  assert.equal(signed(0.5), '+0.5000');
  assert.equal(signed(-0.5), '−0.5000');
});

test('a running sum ends with the whole, however few points it has', () => {
  assert.deepEqual(runningSum([1, 2, 3, 4], 9), [1, 3, 6, 10]);
  assert.deepEqual(runningSum([1, 2, 3, 4], 2), [3, 10]);
  assert.deepEqual(runningSum([1, 2, 3, 4, 5], 2), [3, 15]);
});

test('of the terms that share a pixel the strongest is seen, with its sign', () => {
  assert.deepEqual(strongestOf([1, -3, 2, 0], 2), [-3, 2]);
  assert.deepEqual(strongestOf([1, -3], 9), [1, -3]);
});

test('the row in hand is counted from the first that is drawn', () => {
  const card = new CardNumbers({ ...META, values: Float32Array.of(1, 2, 3, 4, 5, -6) });
  assert.equal(card.focus, 1);
  assert.equal(new CardNumbers({ ...card.meta, focus: null }).focus, -1);
  assert.equal(new CardNumbers({ ...card.meta, focus: 8 }).focus, -1);
  assert.equal(card.at(1, 2), -6);
  assert.equal(card.top, 6);
  assert.equal(card.clipped, false);
  const lines = card.table();
  assert.deepEqual(lines.at(-1), ['q', 5, 'b', 2, '2', -6]);
});

test('what is masked has no colour, and many numbers leave out the largest hundredth', () => {
  const masked = new CardNumbers({ ...META, values: Float32Array.of(1, -Infinity, 3, 4, 5, 6) });
  const sheet = masked.sheet(new Array(256).fill('#000000'), []);
  assert.equal(sheet.index[1], -1);
  assert.ok(Number.isNaN(sheet.at(0, 1)));
  const many = Float32Array.from({ length: 1000 }, (_, n) => (n === 7 ? 99 : 1));
  const wide = new CardNumbers({ ...META, rows: ['a'], cols: new Array(1000).fill('0'), values: many });
  assert.equal(wide.top, 1);
  assert.equal(wide.clipped, true);
});

test('the table of terms holds every product, the sum, the steps and both values', () => {
  const why = {
    ...{
      stamp: '',
      card: 'q',
      row: 0,
      column: 0,
      formula: 'Σ',
      count: 2,
      others: 0,
      total: 11,
      value: 12,
      shown: 12,
    },
    ...{
      largest: [{ index: 1, name: 'dimension 1', value: 8, a: 2, b: 4 }],
      a_name: 'x',
      b_name: 'w',
      what: '',
    },
    steps: [['+', 'b', 1, 12]],
  };
  const numbers = { a: Float32Array.of(1, 2), b: Float32Array.of(3, 4), terms: Float32Array.of(3, 8) };
  assert.deepEqual(termTable({ ...why, ...numbers }).slice(1), [
    ['term', 0, '', 1, 3, 3],
    ['term', 1, 'dimension 1', 2, 4, 8],
    ['sum', '', '', '', '', 11],
    ['step', '+', 'b', 1, '', 12],
    ['value', '', 'Σ', '', '', 12],
    ['shown', '', '', '', '', 12],
  ]);
});
