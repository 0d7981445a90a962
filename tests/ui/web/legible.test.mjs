/* What is written can be read: contrast on every colour, and size in a hall. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { contrast, divergingTable, rampTable, readableOn } from '../../../ui/web/base/colour.ts';
import { legible, typeSize } from '../../../ui/web/base/paint.ts';
import { TOKENS } from '../../../ui/web/generated/tokens.ts';

test('numbers in cells are readable on every colour of every scale', () => {
  for (const c of [TOKENS.light, TOKENS.dark]) {
    const scales = [
      ...['encoder', 'causal', 'cross'].map((kind) => rampTable(c.panel, c[kind])),
      divergingTable(c),
    ];
    const worst = Math.min(...scales.flat().map((fill) => contrast(fill, readableOn(fill, c))));
    assert.ok(worst >= 4.5, `contrast ${worst.toFixed(2)}`);
  }
});

test('type is not smaller than a hall can read, and is as designed elsewhere', () => {
  assert.deepEqual([typeSize(11, 1), typeSize(11, 1.4), typeSize(15, 1.4)], [11, TOKENS.least, 21]);
  assert.deepEqual([legible(9, 1), legible(15, 1.4), legible(18, 1.4)], [true, false, true]);
});
