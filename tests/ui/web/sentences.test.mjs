/* What is said of rows, columns, cells and sums, word for word. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { spokenPercent } from '../../../ui/web/base/words.ts';
import { wordsOfParts } from './parts.mjs';
import { columnSentence, mapSentence, rowSentence, sumSentence } from '../../../ui/web/maps/sentence.ts';
import { sheetOf } from './measure.mjs';

const KEYS = ['the', 'dog', 'runs', '.', '⟨end⟩'];
const how = { verb: 'Writing', subject: 'head 2.3', mode: 'weights' };
const row = (numbers, labels = KEYS, more = {}) =>
  wordsOfParts(rowSentence(numbers, 'chien', labels, { ...how, ...more }));

test('the largest weights are named until nine tenths are told', () => {
  assert.equal(
    row([0.12, 0.8, 0.04, 0.02, 0.02]),
    'Writes “chien”: head 2.3 looks 80 % at “dog” and 12 % at “the”.',
  );
  const three = row([0.12, 0.71, 0.06], KEYS.slice(0, 3));
  assert.equal(three, 'Writes “chien”: head 2.3 looks 71 % at “dog”, 12 % at “the” and 6 % at “runs”.');
});

test('one token with everything, special ones in words', () => {
  const said = rowSentence([0, 0, 0, 0, 1], '⟨end⟩', KEYS, {
    ...how,
    verb: 'Reading',
  });
  assert.equal(wordsOfParts(said), 'From the end token: head 2.3 looks only at the end token.');
});

test('a spread row says over how many tokens', () => {
  const numbers = new Array(9).fill(0.86 / 8);
  numbers[3] = 0.14;
  const said = row(numbers, [...'abcdefghi']);
  assert.equal(
    said,
    'Writes “chien”: head 2.3 spreads its weight over about 9 tokens; the most, 14 %, goes to “d”.',
  );
  const maximum = row(new Array(10).fill(0.2), [...'abcdefghij'], {
    distribution: false,
  });
  assert.equal(maximum, 'Writes “chien”: head 2.3 looks 20 % at “a”, 20 % at “b” and 20 % at “c”.');
});

test('an empty row had nothing to look at', () => {
  for (const numbers of [[0, 0], [], [NaN, 1]]) {
    const said = row(numbers, ['a', 'b'].slice(0, numbers.length));
    assert.equal(said, 'Writes “chien”: head 2.3 has no key to look at.');
  }
  assert.match(
    row([0, 0], ['a', 'b'], { hidden: 0.97 }),
    /gives 97 % to the hidden tokens; too little is left to draw\.$/,
  );
  assert.match(row([0.6, 0.4], ['a', 'b'], { hidden: 0.37 }), /40 % at “b”; 37 % goes to hidden tokens\.$/);
  assert.match(row([1, 0], ['a', 'b'], { hidden: 0 }), /“a”; 0 % goes to hidden tokens\.$/);
  const most = row([0.6, 0.4], ['a', 'b'], { hidden: 0.37, distribution: false });
  assert.match(most, /; up to 37 % goes to hidden tokens\.$/);
});

test('a repeated label says which token', () => {
  assert.equal(
    row([0.1, 0, 0.9], ['the', 'dog', 'the']),
    'Writes “chien”: head 2.3 looks 90 % at “the” (token 3).',
  );
});

test('scores are numbers without the masked ones', () => {
  const said = row([1.5, -Infinity, -0.25], ['a', 'b', 'c'], {
    mode: 'scores',
  });
  assert.equal(said, 'Writes “chien”: head 2.3 scores “a” 1.50 and “c” −0.25 before the softmax.');
  assert.match(row([-Infinity], ['a'], { mode: 'masked' }), /has no key to look at\.$/);
});

test('a difference names the largest changes', () => {
  const said = row([0.3, -0.12, 0.01], ['a', 'b', 'c'], { mode: 'difference' });
  assert.equal(said, 'Writes “chien”: head 2.3 differ: +30 points at “a” and −12 points at “b”.');
  assert.match(row([0.001, 0], ['a', 'b'], { mode: 'difference' }), /look the same\.$/);
});

test('sums and columns', () => {
  const sum = sumSentence([1.5, 0.2, 0.05], [0, 1], ['un', 'chien'], ['a', 'dog', '.'], how);
  assert.equal(
    wordsOfParts(sum),
    'Summed over “un” and “chien”: head 2.3 looks 1.50 of 2 at “a” and 0.20 of 2 at “dog”.',
  );
  const column = columnSentence([0.1, 0.7, 0.01], [1], ['the', 'dog'], ['un', 'chien', 'court'], how);
  assert.equal(
    wordsOfParts(column),
    'Head 2.3 looks at “dog” most when writing “chien” (70 %) and writing “un” (10 %).',
  );
});

test('percentages round half to even and tell little from nothing', () => {
  const said = [0, 0.001, 0.005, 0.006, 0.015, 0.025, 0.714, 1].map(spokenPercent);
  assert.deepEqual(said, ['0 %', 'less than 1 %', 'less than 1 %', '1 %', '2 %', '2 %', '71 %', '100 %']);
});

const looked = async (more) => ({
  sheets: [
    await sheetOf(
      [
        [0.9, 0.1],
        [0.2, 0.8],
      ],
      ['un', 'chien'],
      ['a', 'dog'],
    ),
  ],
  subjects: ['head 0.1'],
  names: ['0.1'],
  how: { verb: 'Writing', mode: 'weights' },
  rows: new Set(),
  cols: new Set(),
  cell: false,
  row: 1,
  hint: '',
  ...more,
});

test('a view tells what is hovered, else what is pinned, else one row', async () => {
  const told = async (more) => wordsOfParts(mapSentence(await looked(more)));
  assert.equal(
    await told({ hint: 'free' }),
    'Writes “chien”: head 0.1 looks 80 % at “dog” and 20 % at “a”.  Hover to read; click to pin; Esc clears',
  );
  assert.equal(
    await told({ rows: new Set([0]), hint: 'pinned' }),
    'Writes “un”: head 0.1 looks 90 % at “a”.  Pinned · Esc unpins',
  );
  const cell = { rows: new Set([0]), cols: new Set([1]), cell: true };
  assert.match(await told(cell), / {2}This cell, “dog”: 10\.0 %$/);
  assert.equal(
    await told({ cols: new Set([1]) }),
    'Head 0.1 looks at “dog” most when writing “chien” (80 %) and writing “un” (10 %).',
  );
  assert.match(
    await told({ rows: new Set([0, 1]) }),
    /^Summed over “un” and “chien”: head 0\.1 looks 1\.10 of 2 at “a”/,
  );
  assert.equal(await told({ sheets: [] }), 'Every head is hidden; choose a swatch to show one again.');
});

test('words that repeat are numbered wherever they stand', async () => {
  const sheets = [
    await sheetOf(
      [
        [0.1, 0.2, 0.7],
        [0.55, 0.3, 0.15],
      ],
      ['le', 'le'],
      ['the', 'dog', 'the'],
    ),
  ];
  const told = async (more) => wordsOfParts(mapSentence(await looked({ sheets, ...more })));
  assert.equal(
    await told({ cols: new Set([0]) }),
    'Head 0.1 looks at “the” (token 1) most when writing “le” (token 2) (55 %) and writing “le” (token 1) (10 %).',
  );
  assert.match(
    await told({ rows: new Set([0, 1]) }),
    /^Summed over “le” \(token 1\) and “le” \(token 2\): head 0\.1 looks 0\.85 of 2 at “the” \(token 3\)/,
  );
});

test('several heads each have their own word', async () => {
  const sheets = [
    await sheetOf([[0.9, 0.1]], ['un'], ['a', 'dog']),
    await sheetOf([[0.3, 0.7]], ['un'], ['a', 'dog']),
  ];
  const more = {
    sheets,
    subjects: ['head 0.1', 'head 1.1'],
    names: ['0.1', '1.1'],
    row: 0,
  };
  assert.equal(
    wordsOfParts(mapSentence(await looked(more))),
    'Writing “un”: 0.1 at “a” (90 %) and 1.1 at “dog” (70 %).',
  );
  const column = await looked({ ...more, cols: new Set([1]) });
  assert.equal(
    wordsOfParts(mapSentence(column)),
    '“dog”, most from 0.1 at “un” (10 %) and 1.1 at “un” (70 %).',
  );
});

test('without a row the whole map is told, over the rows that are written', async () => {
  const numbers = [
    [0.9, 0.1],
    [0.3, 0.7],
    [1, 0],
  ];
  const told = async (written, more = {}) => {
    const sheets = [await sheetOf(numbers, ['un', 'chien', '⟨end⟩'], ['a', 'dog'], { written })];
    return wordsOfParts(mapSentence(await looked({ sheets, row: -1, ...more })));
  };
  assert.equal(
    await told(3),
    'Head 0.1 gives 87 % of its weight to one token, on average over the 3 tokens written.',
  );
  assert.equal(
    await told(2),
    'Head 0.1 gives 80 % of its weight to one token, on average over the 2 tokens written.',
  );
  assert.match(await told(3, { rows: new Set([1]) }), /^Writes “chien”: head 0\.1 looks 70 %/);
  assert.match(await told(3, { cols: new Set([0]) }), /^Head 0\.1 looks at “a” most/);
});

test('nothing written is said', async () => {
  const sheets = [await sheetOf([[0.9, 0.1]], ['un'], ['a', 'dog'], { written: 0 })];
  assert.equal(wordsOfParts(mapSentence(await looked({ sheets, row: -1 }))), 'Nothing is written yet.');
});
