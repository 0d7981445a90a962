/* Where the boxes of a Transformer stand, and the table of what is drawn. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { anatomyLayout, anatomyRows } from '../../../ui/learn/anatomy.ts';

const block = (name, kind, ...lines) => ({ name, kind, lines });
const column = (title, kind, inner) => ({
  title,
  kind,
  before: [block('embedding', 'source', ['one table', false])],
  layer: inner,
  times: 2,
  times_differ: true,
  after: title === 'decoder' ? [block('linear', 'next', ['own', true])] : [],
});
const META = {
  title: 'A model',
  subtitle: '',
  file: 'a',
  columns: [
    column('encoder', 'encoder', [block('self-attention', 'encoder', ['heads 2', true])]),
    column('decoder', 'causal', [block('self', 'causal'), block('cross', 'cross', ['√d', false])]),
  ],
};

const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

for (const [room, beside] of [
  [900, true],
  [360, false],
]) {
  test(`boxes rise in the order of the data and none covers another, ${room} pixels wide`, () => {
    const { boxes, height, memory, groups } = anatomyLayout(META, room, 1);
    assert.equal(boxes.length, 6);
    boxes.forEach((a, i) =>
      boxes.slice(i + 1).forEach((b) => assert.ok(!overlap(a, b), `${a.name} ${b.name}`)),
    );
    for (const { x, y, w, h } of [...boxes, ...groups]) {
      assert.ok(x >= 0 && x + w <= room + 0.01 && y >= 0 && y + h <= height);
    }
    const decoder = boxes.slice(2).map(({ y }) => y);
    assert.deepEqual(
      decoder,
      [...decoder].sort((a, b) => b - a),
    );
    assert.equal(boxes[2].x > boxes[0].x, beside);
    assert.equal(memory !== '', beside);
  });
}

test('a layer’s frame holds its boxes and no other', () => {
  const { boxes, groups } = anatomyLayout(META, 900, 1);
  const inside = boxes.map((box) => groups.filter((group) => box.y >= group.y && overlap(box, group)).length);
  assert.deepEqual(inside, [0, 1, 0, 1, 1, 0]);
  assert.deepEqual(
    groups.map(({ words, differs }) => [words, differs]),
    [
      ['× 2 layers', true],
      ['× 2 layers', true],
    ],
  );
});

test('the table names every choice and whether it is the paper’s', () => {
  const rows = anatomyRows(META);
  assert.deepEqual(rows[0], ['stack', 'box', 'choice', 'not as in the paper']);
  assert.deepEqual(rows[3], ['encoder', 'self-attention', 'heads 2', 1]);
  assert.deepEqual(rows.at(-1), ['decoder', 'linear', 'own', 1]);
  assert.equal(rows.length, 1 + 3 + 4);
});
