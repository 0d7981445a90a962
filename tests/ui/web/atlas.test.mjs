/* Where the heads of the atlas stand, on the maps and in the table. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { namesOf, nearest, panelsOf, spotsOf } from '../../../ui/heads/atlas_drawing.ts';
import { along, nextOrder, rowsOf, scaleOf } from '../../../ui/heads/atlas_heads.ts';

/** @type {import('../../../ui/web/generated/types.ts').AtlasHead[]} */
const HEADS = [
  { kind: 'encoder', layer: 0, head: 0, roles: [], position: [-1, 0] },
  { kind: 'encoder', layer: 0, head: 1, roles: ['previous token'], position: [1, 0.5] },
  { kind: 'cross', layer: 0, head: 0, roles: ['alignment'], position: [0, 0] },
  { kind: 'cross', layer: 0, head: 1, roles: ['alignment', 'broad'], position: [0.5, -0.25] },
  { kind: 'cross', layer: 1, head: 0, roles: [], position: null },
];
const VALUES = [0.1, 0.2, 0.5, 0.9, NaN];

test('panels stand beside each other, or that of one kind alone', () => {
  const wide = panelsOf(['encoder', 'cross'], 'cross', 412, 100, 12, 200);
  assert.deepEqual(
    wide.map(({ kind, box }) => [kind, box.x, box.w]),
    [
      ['encoder', 0, 200],
      ['cross', 212, 200],
    ],
  );
  const narrow = panelsOf(['encoder', 'cross'], 'cross', 411, 100, 12, 200);
  assert.deepEqual(narrow, [{ kind: 'cross', box: { x: 0, y: 0, w: 411, h: 100 } }]);
});

test('distances on the picture are those of the places, one scale for both axes and all panels', () => {
  const panels = panelsOf(['encoder', 'cross'], 'cross', 600, 200, 12, 100);
  const spots = spotsOf(HEADS, panels, 1);
  assert.equal(spots[4], null);
  const apart = (/** @type {number} */ a, /** @type {number} */ b) => {
    const [one, two] = [spots[a], spots[b]];
    assert.ok(one && two);
    return Math.hypot(one.x - two.x, one.y - two.y);
  };
  const ratio = apart(0, 1) / Math.hypot(2, 0.5);
  assert.ok(Math.abs(apart(2, 3) / Math.hypot(0.5, 0.25) - ratio) < 1e-9);
  spots.forEach((spot, n) => {
    const box = panels.find(({ kind }) => kind === HEADS[n].kind)?.box;
    if (spot && box)
      assert.ok(spot.x > box.x && spot.x < box.x + box.w && spot.y > box.y && spot.y < box.y + box.h);
  });
  const [second, third] = [spots[2], spots[3]];
  assert.ok(second && third && third.y > second.y, 'up on the map is up in the numbers');
  assert.equal(nearest(spots, third.x + 3, third.y, 10), 3);
  assert.equal(nearest(spots, third.x + 11, third.y, 10), -1);
});

test('names do not lie on each other, and the one that must be there is', () => {
  const spots = [
    { x: 50, y: 50 },
    { x: 62, y: 50 },
  ];
  const box = () => ({ x: 0, y: 0, w: 100, h: 100 });
  const wanted = [0, 1].map((n) => ({ n, widths: [60, 20], must: false, radius: 5 }));
  const found = namesOf(spots, wanted, 5, 14, box);
  assert.deepEqual(
    found.map(({ n, k }) => [n, k]),
    [
      [0, 0],
      [1, 0],
    ],
  );
  const [one, two] = found;
  assert.ok(one.y !== two.y || one.x + 60 <= two.x || two.x + 60 <= one.x);
  const tight = () => ({ x: 38, y: 40, w: 34, h: 20 });
  const short = { n: 0, widths: [20], must: false, radius: 5 };
  assert.deepEqual(namesOf(spots, [short], 5, 14, tight), []);
  const wide = () => ({ x: 38, y: 30, w: 44, h: 40 });
  const crowd = [...spots, { x: 50, y: 38 }, { x: 50, y: 62 }, { x: 40, y: 50 }];
  assert.deepEqual(namesOf(crowd, [short], 5, 14, wide), []);
  assert.equal(namesOf(crowd, [{ ...short, must: true }], 5, 14, wide).length, 1);
});

test('rows are those of a kind, a layer and a role, in order; what is unknown stands last', () => {
  const value = (/** @type {number} */ n) => VALUES[n];
  const wanted = {
    kind: /** @type {const} */ ('cross'),
    layer: null,
    role: '',
    sort: /** @type {const} */ ('high'),
  };
  assert.deepEqual(rowsOf(HEADS, wanted, value), [3, 2, 4]);
  assert.deepEqual(rowsOf(HEADS, { ...wanted, sort: 'low' }, value), [2, 3, 4]);
  assert.deepEqual(rowsOf(HEADS, { ...wanted, sort: 'model' }, value), [2, 3, 4]);
  assert.deepEqual(rowsOf(HEADS, { ...wanted, layer: 1 }, value), [4]);
  assert.deepEqual(rowsOf(HEADS, { ...wanted, role: 'broad' }, value), [3]);
  assert.deepEqual(rowsOf(HEADS, { ...wanted, role: 'none' }, value), [4]);
});

test('a press sorts highest first, then lowest, then not', () => {
  assert.equal(nextOrder('model', false), 'high');
  assert.equal(nextOrder('high', true), 'low');
  assert.equal(nextOrder('low', true), 'model');
  assert.equal(nextOrder('low', false), 'high');
});

test('a scale has the ends of its score, or of what was measured', () => {
  assert.deepEqual(scaleOf({ low: -1, high: 1 }, [0.2]), [-1, 1]);
  assert.deepEqual(scaleOf({ low: 0, high: null }, [3, NaN, 5]), [0, 5]);
  assert.deepEqual(scaleOf({ low: 0, high: null }, [NaN]), [0, 1]);
  assert.equal(along(0, [-1, 1]), 0.5);
  assert.equal(along(7, [0, 5]), 1);
});
