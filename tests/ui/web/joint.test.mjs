/* Where the joint view's words, lines and small maps stand. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { jointHit, jointLayout } from '../../../ui/shared/joint_layout.ts';
import './measure.mjs';

test('the joint view stands in rows while its words fit, else in columns, and finds its words', () => {
  const words = (n) => Array.from({ length: n }, (_, i) => `word${i}`);
  for (const [count, flat] of [
    [4, true],
    [60, false],
  ]) {
    const g = jointLayout(words(count), words(count + 1), 900, 1);
    assert.equal(g.flat, flat);
    const at = (along, across) => (flat ? [along, across] : [across, along]);
    assert.deepEqual(jointHit(g, ...at(g.source.along[2], g.source.words)), {
      source: 2,
    });
    assert.deepEqual(jointHit(g, ...at(g.target.along[3], g.target.words)), {
      target: 3,
    });
    assert.equal(jointHit(g, ...at(g.source.along[2], (g.source.lines + g.target.lines) / 2)), null);
  }
});

test('where the joint view may take little height its small maps stand beside the words, and all of it fits', () => {
  const words = (n) => Array.from({ length: n }, (_, i) => `word${i}`);
  const high = jointLayout(words(5), words(6), 1000, 1);
  for (const [count, tall] of [
    [5, 216],
    [5, 300],
    [40, 216],
  ]) {
    const g = jointLayout(words(count), words(count + 1), 1000, 1, tall);
    assert.ok(g.height <= tall, `${g.height} of ${tall}`);
    const [first, last] = [g.maps.corners[0], g.maps.corners[2]];
    assert.ok(last.y + g.maps.h <= g.height && g.maps.h >= 20);
    const right = g.flat ? Math.max(...g.target.along) : g.target.words;
    assert.ok(first.x > right && first.x + g.maps.w <= 1000);
    assert.ok(g.target.lines - g.source.lines >= 40 || !g.flat, 'lines are to be seen');
  }
  assert.deepEqual(jointLayout(words(5), words(6), 1000, 1, high.height), high);
});
