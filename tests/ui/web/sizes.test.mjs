/* A view is one idea: a class that outgrows a few screens is several. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';

const UI = new URL('../../../ui/', import.meta.url);
const MOST = 200;

test(`no class has more than ${MOST} lines`, () => {
  const files = readdirSync(UI, { recursive: true }).filter(
    (file) => file.endsWith('.ts') && !file.includes('node_modules'),
  );
  const classes = files.flatMap((file) => {
    const text = readFileSync(new URL(file, UI), 'utf8');
    return [...text.matchAll(/^(?:export )?class (\w+)[\s\S]*?^}$/gm)].map(([body, name]) => ({
      name: `${file}: ${name}`,
      lines: body.split('\n').length,
    }));
  });
  assert.deepEqual(
    classes.filter(({ lines }) => lines > MOST),
    [],
  );
  assert.ok(classes.length > 30, 'the classes are seen');
});
