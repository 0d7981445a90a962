/* Who keeps a slide: Streamlit takes the view down and makes it again while it draws a page, and the slide stays. */

import assert from 'node:assert/strict';
import test from 'node:test';

/** A page without cards, in full screen; what is done to it is taken down. */
const done = [];
const attributes = new Set();
globalThis.window = globalThis;
globalThis.location = new URL('http://localhost/attention');
globalThis.document = {
  fullscreenElement: {},
  exitFullscreen: () => done.push('exit'),
  addEventListener: () => {},
  querySelector: () => null,
  querySelectorAll: () => [],
  documentElement: {
    hasAttribute: (name) => attributes.has(name),
    toggleAttribute: (name, on) => (on ? attributes.add(name) : attributes.delete(name)),
  },
};

const { isSlide, keepSlide, listenForSlides } = await import('../../../ui/web/base/slide.ts');
listenForSlides();

/** The view's keeper, with what it was told. */
function keeper() {
  const told = [];
  return { told, ...keepSlide((card) => told.push(card)) };
}

test('a slide whose keeper is made again stays, in full screen', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const first = keeper();
  first.show('detail');
  assert.ok(isSlide());
  first.leave();
  const second = keeper();
  second.show('detail');
  t.mock.timers.tick(2000);
  assert.ok(isSlide());
  assert.deepEqual(done, []);
  second.show('');
  assert.ok(!isSlide());
  assert.deepEqual(done, ['exit']);
  second.leave();
});

test('a slide whose keeper does not come back is left', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const only = keeper();
  only.show('detail');
  only.leave();
  assert.ok(isSlide());
  t.mock.timers.tick(2000);
  assert.ok(!isSlide());
});

test('the keeper before is heard once the last one that asked goes', () => {
  const [before, last] = [keeper(), keeper()];
  before.show('detail');
  last.show('');
  assert.ok(!isSlide());
  last.leave();
  assert.ok(isSlide());
  before.show('');
});
