/* A view is one idea: a class that outgrows a few screens is several. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import test from 'node:test';

const WEB = new URL('../../../ui/web/', import.meta.url);
const MOST = 200;

for (const room of ['base', 'maps', 'marks', 'views']) {
  test(`no class of ${room}/ has more than ${MOST} lines`, () => {
    const files = readdirSync(new URL(room, WEB)).filter((file) => file.endsWith('.ts'));
    const classes = files.flatMap((file) => {
      const text = readFileSync(new URL(`${room}/${file}`, WEB), 'utf8');
      return [...text.matchAll(/^(?:export )?class (\w+)[\s\S]*?^}$/gm)].map(([body, name]) => ({
        name: `${basename(file)}: ${name}`,
        lines: body.split('\n').length,
      }));
    });
    assert.deepEqual(
      classes.filter(({ lines }) => lines > MOST),
      [],
    );
    assert.ok(classes.length > 0, 'a class is found');
  });
}
