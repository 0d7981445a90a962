/* Keys of the page, motion, and what views tell one another and Python. */

/** @import { Host } from '../types' */

import { clamp01 } from './colour.js';
import { onPage } from './dom.js';

export const reducedMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Calls `frame(share)` with share going 0 → 1 within `duration` ms, at once under reduced motion. Returns stop().
 * @param {(share: number) => void} frame
 */
export function animate(frame, duration = 180) {
  if (reducedMotion()) {
    frame(1);
    return () => {};
  }
  let id = 0;
  const start = performance.now();
  /** @param {number} now */
  const tick = (now) => {
    const share = clamp01((now - start) / duration);
    frame(1 - (1 - share) ** 3);
    if (share < 1) id = requestAnimationFrame(tick);
  };
  id = requestAnimationFrame(tick);
  return () => cancelAnimationFrame(id);
}

/**
 * `soon()` calls `draw` once before the next frame, however often it is asked.
 * @param {() => void} draw
 */
export function oncePerFrame(draw) {
  let id = 0;
  const soon = () => {
    cancelAnimationFrame(id);
    id = requestAnimationFrame(draw);
  };
  return { soon, stop: () => cancelAnimationFrame(id) };
}

const TYPING =
  'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="textbox"], [role="combobox"], [role="listbox"], [role="slider"], [role="radio"], [role="tab"], [role="menu"], [role="dialog"], [role="grid"]';
const PRESSING = 'button, a, [role="button"], summary';

/**
 * Page-wide keys: `{ ArrowRight: f, ' ': g }`, ignored while typing, in menus, and with a modifier held.
 * A key whose function returns false is left to others.
 * @param {Host} host
 * @param {Record<string, () => unknown>} keys
 */
export function pageKeys(host, keys) {
  onPage(host, 'keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (target.closest?.(TYPING)) return;
    // Space and Enter press the focused button; they must not also play.
    if ((event.key === ' ' || event.key === 'Enter') && target.closest?.(PRESSING)) return;
    const action = keys[event.key];
    if (action && action() !== false) event.preventDefault();
  });
}

/* ---------- views that know of each other ---------- */

/** @typedef {EventTarget & { last: Record<string, any> }} Bus */

/**
 * Each view is a module of its own; what one announces reaches the others in the same frame, without the server.
 * @returns {Bus}
 */
export function bus() {
  const page = /** @type {{ atlasBus?: Bus }} */ (/** @type {unknown} */ (window));
  return (page.atlasBus ??= Object.assign(new EventTarget(), { last: {} }));
}

/**
 * @param {string} topic
 * @param {object} words
 */
export function announce(topic, words) {
  bus().last[topic] = words;
  bus().dispatchEvent(new CustomEvent(topic, { detail: words }));
}

/**
 * @param {Host} host
 * @param {string} topic
 * @param {(words: any) => void} hear
 */
export function listenTo(host, topic, hear) {
  /** @param {Event} event */
  const listener = (event) => hear(/** @type {CustomEvent} */ (event).detail);
  bus().addEventListener(topic, listener, { signal: host.signal });
}

/**
 * What the reader sets in the browser and a link holds. Python answers each report with the value it was given, which
 * is old when more were made since; `isNews(value)` is false for such an echo. A report counts until it, or a later
 * one, is answered, so that the browser's Back to the same value is news.
 * @param {Host} host
 * @param {string} name
 */
export function linked(host, name) {
  /** @type {string[]} */
  let waiting = [];
  let last = '';
  return {
    /** @param {unknown} value */
    report(value) {
      waiting.push(JSON.stringify(value));
      host.trigger(name, value);
    },
    /** @param {unknown} value */
    isNews(value) {
      const words = JSON.stringify(value);
      const nth = waiting.indexOf(words);
      const echo = words === last || nth >= 0;
      waiting = waiting.slice(nth + 1);
      last = words;
      return !echo;
    },
  };
}
