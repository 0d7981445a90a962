/* A picture that leaves its page: its words stay inside, on as many lines as they need, and empty ones take no room. */

import './measure.mjs';
import assert from 'node:assert/strict';
import test from 'node:test';

import { textWidth } from '../../../ui/web/base/paint.ts';
import { exportWidth, partsOf } from '../../../ui/web/marks/leaving.ts';

const host = (scale) => ({ scale, colours: { ink: '#000', muted: '#666' } });

/** The picture's width, its height, and the words that it writes. */
function picture(words, scale = 1) {
  const drawing = { size: () => [300 * scale, 100 * scale], draw: () => {}, about: () => '' };
  const { width, parts } = partsOf(host(scale), { ...drawing, ...words });
  const texts = [];
  let top = 0;
  for (const [tall, draw] of parts) {
    const bottom = top + tall;
    const text = (x, y, line, pen) => texts.push({ x, y: top + y, line, pen, bottom });
    draw({ text });
    top = bottom;
  }
  return { width, height: top, texts };
}

const LONG = 'Dans cette phrase la tête regarde presque toujours le mot précédent';

for (const scale of [1, 1.4]) {
  test(`long words take more lines and stay inside their picture, at size ${scale}`, () => {
    const words = {
      title: () => LONG,
      subtitle: () => `${LONG}, ${LONG}`,
      words: () => [LONG, ' ', LONG, ' ', LONG],
    };
    const { width, texts } = picture(words, scale);
    assert.equal(width, exportWidth(0, scale));
    for (const { x, y, line, pen, bottom } of texts) {
      assert.ok(x + textWidth(line, pen.size, false, pen.weight) <= width, line);
      assert.ok(y < bottom, line);
    }
    assert.equal(texts.filter(({ pen }) => pen.weight === 650).length, 2);
    const whole = [words.title(), words.subtitle(), words.words().join('')].join(' ');
    assert.equal(texts.map(({ line }) => line).join(' '), whole);
    const heights = texts.map(({ y }) => y);
    assert.deepEqual(
      heights,
      [...new Set(heights)].sort((a, b) => a - b),
    );
  });
}

test('the weight of a title counts for the width of its lines', () => {
  const { measureText } = document.createElement('canvas').getContext('2d');
  const context = document.createElement('canvas').getContext('2d');
  context.measureText = function (words) {
    return { width: measureText.call(this, words).width * (this.font.startsWith('650') ? 1.6 : 1) };
  };
  const { texts } = picture({ title: () => LONG });
  context.measureText = measureText;
  assert.equal(texts.length, 4);
});

test('empty words take no room', () => {
  const bare = picture({ title: () => 'A map' });
  assert.equal(bare.texts.length, 1);
  const empty = picture({ title: () => 'A map', subtitle: () => '', words: () => [{ muted: 'a hint' }] });
  assert.deepEqual(empty, bare);
});

test('a picture without title and sentence is as wide as its drawing', () => {
  const bare = { width: 300, height: 100, texts: [] };
  assert.deepEqual(picture({}), bare);
  assert.deepEqual(picture({ title: () => '', words: () => '' }), bare);
});
