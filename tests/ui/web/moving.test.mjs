/* A row with one weight moved, worked out by hand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { movedRow, weightMoves } from '../../../ui/web/maps/moving.ts';

const close = (a, b) =>
  a.forEach((value, n) =>
    assert.ok(Number.isNaN(b[n]) ? Number.isNaN(value) : Math.abs(value - b[n]) < 1e-12, `${a} ${b}`),
  );

test('the others keep their proportions and the row sums to 1', () => {
  close(movedRow([0.1, 0.6, 0.3], 1, 0.2), [0.2, 0.2, 0.6]);
  close(movedRow([0.1, 0.6, 0.3], 0, 1), [1, 0, 0]);
  close(movedRow([0.1, 0.6, 0.3], 2, 0), [1 / 7, 6 / 7, 0]);
});

test('what is taken from a row with all its weight on one key is shared evenly', () => {
  close(movedRow([0, 1, 0, 0], 1, 0.4), [0.2, 0.4, 0.2, 0.2]);
});

test('nothing goes where nothing may be looked at, and a row that sees one key keeps it', () => {
  close(movedRow([0, 1, NaN, NaN], 1, 0.4), [0.6, 0.4, NaN, NaN]);
  assert.equal(movedRow([1, NaN, NaN], 0, 0.4), null);
  assert.equal(movedRow([0.5, 0.5, NaN], 2, 0.4), null);
});

test('a pull up or to the right adds, and what is let go is sent once', () => {
  const shown = [];
  const done = [];
  const moves = weightMoves(/** @type {any} */ ({ style: {} }), {
    cell: () => ({ row: 1, col: 2 }),
    focus: () => ({}),
    weight: () => 0.25,
    movable: ({ row }) => row === 1,
    show: (at, weight) => shown.push([at, weight]),
    done: (at, weight) => done.push([at, weight]),
  });
  moves.dragging([10, 100], [10, 78]); // 22 of 220 pixels up
  moves.dragging([10, 100], [32, 78]); // and as many to the right
  moves.drag([10, 100], [10, 500]);
  assert.deepEqual(
    shown.map(([, weight]) => Math.round(1000 * weight)),
    [350, 450],
  );
  assert.deepEqual(done, [[{ row: 1, col: 2 }, 0]]);
  moves.drag([10, 100], [10, 500]);
  assert.equal(done.length, 1, 'nothing is held any more');
  moves.dragging([0, 0], [0, -22]);
  moves.dropped();
  assert.deepEqual(shown.at(-1), [null, 0], 'what was not let go is drawn as it was');
});
