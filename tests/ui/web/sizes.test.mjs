/* A view is one idea: a class that outgrows a few screens is several. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';

const UI = new URL('../../../ui/', import.meta.url);
const MOST = 200;
// Classes that outgrew it with the places and wait to be split: they may not grow further.
const WAITING = {
  'learn/two_trainings.ts: TwoTrainingsView': 246,
  'shared/head.ts: Head': 233,
  'shared/tiles.ts: Tiles': 275,
  'translate/stage.ts: Stage': 222,
  'what_if/breaking.ts: Breaking': 209,
};

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
    classes.filter(({ name, lines }) => lines > (WAITING[name] ?? MOST)),
    [],
  );
  assert.ok(classes.length > 30, 'the classes are seen');
});
