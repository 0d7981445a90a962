/* A sentence that writes itself: its text after each token, and places that no later word moves. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { fillSlots } from '../../../ui/web/marks/labels.ts';
import { linesLayout } from '../../../ui/shared/lines_layout.ts';
import { restOf, shared, textsOf } from '../../../ui/translate/stage_text.ts';
import './measure.mjs';

test('the text grows by what each token adds and takes back what it changes', () => {
  assert.deepEqual(textsOf([]), ['']);
  const grown = [
    [0, 'Un'],
    [2, ' 😀'],
    [3, 'chat'],
    [7, ''],
  ];
  assert.deepEqual(textsOf(grown), ['', 'Un', 'Un 😀', 'Un chat', 'Un chat']);
  assert.deepEqual(
    textsOf([
      [0, '😀a'],
      [1, 'b'],
    ]).at(-1),
    '😀b',
    'characters, not halves of them',
  );
});

test('what two texts begin with alike', () => {
  assert.equal(shared('Un chat', 'Un chien'), 'Un ch');
  assert.equal(shared('', 'Un'), '');
});

test('a word in its slot is moved by none that follows', () => {
  const all = fillSlots([20, 60, 20, 30], 40, 8);
  for (let n = 0; n <= 4; n += 1) {
    assert.deepEqual(fillSlots([20, 60, 20, 30].slice(0, n), 40, 8), all.slice(0, n));
  }
  assert.equal(all[0], 20);
  [40, 40, 25].forEach((room, n) => assert.ok(all[n + 1] - all[n] >= room + 8, 'no word covers another'));
});

test('covered words keep their places, and none of them tells how many will come', () => {
  const cols = ['a', 'man', 'rides', 'a', 'bike', '.', 'end'];
  const words = ['un', 'homme', 'fait', 'du', 'vélo', '.'];
  const last = linesLayout({ rows: words, cols }, 700, 1, true).target;
  for (let n = 1; n < words.length; n += 1) {
    const some = linesLayout({ rows: words.slice(0, n), cols }, 700, 1, true);
    assert.deepEqual(some.target, last.slice(0, n));
    assert.deepEqual(some, linesLayout({ rows: words.slice(0, n), cols }, 700, 1, true));
  }
  const open = linesLayout({ rows: words, cols }, 700, 1).target;
  assert.equal(
    Math.round(open.at(-1) - open[0]),
    Math.round((700 * 5) / 6),
    'a finished line fills the card',
  );
});

test('what is not written yet is not told, and a translation without words says so', () => {
  assert.equal(restOf('Un chat', 'Un', true), '…');
  assert.equal(restOf('', '', true), '…');
  assert.equal(restOf('Un chat', 'Un', false), ' chat');
  assert.equal(restOf('Un chat', 'Un chat', false), '');
  assert.match(restOf('', '', false), /special tokens/);
  assert.match(restOf(' ', ' ', false), /special tokens/);
});
