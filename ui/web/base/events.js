/* ---------- keyboard and motion ---------- */

import { clamp01 } from './colour.js';

export const reducedMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Calls `frame(share)` with share going 0 → 1 within `duration` ms, at once under reduced motion. Returns stop(). */
export function animate(frame, duration = 180) {
  if (reducedMotion()) {
    frame(1);
    return () => {};
  }
  let id = 0;
  const start = performance.now();
  const tick = (now) => {
    const share = clamp01((now - start) / duration);
    frame(1 - (1 - share) ** 3);
    if (share < 1) id = requestAnimationFrame(tick);
  };
  id = requestAnimationFrame(tick);
  return () => cancelAnimationFrame(id);
}

const TYPING = 'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="textbox"], [role="combobox"], [role="listbox"], [role="slider"], [role="radio"], [role="tab"], [role="menu"], [role="dialog"], [role="grid"]';
const PRESSING = 'button, a, [role="button"], summary';

/** Page-wide keys: `{ ArrowRight: f, ' ': g }`, ignored while typing, in menus, and with a modifier held. */
export function pageKeys(host, keys) {
  const listener = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target.closest?.(TYPING)) return;
    // Space and Enter press the focused button; they must not also play.
    if ((event.key === ' ' || event.key === 'Enter') && target.closest?.(PRESSING)) return;
    const action = keys[event.key];
    if (action && action(event) !== false) event.preventDefault();
  };
  document.addEventListener('keydown', listener, { signal: host.signal });
}

/* ---------- views that know of each other ---------- */

/** Each view is a module of its own; what one announces reaches the others in the same frame, without the server. */
export const bus = (window.atlasBus ??= Object.assign(new EventTarget(), { last: {} }));
export function announce(topic, words) {
  bus.last[topic] = words;
  bus.dispatchEvent(new CustomEvent(topic, { detail: words }));
}
export function listenTo(host, topic, hear) {
  bus.addEventListener(topic, (event) => hear(event.detail), { signal: host.signal });
}

/** What the reader sets in the browser and a link holds. Python answers each report with the value it was told, which is
    old when more were made since; `isNews(value)` is false for such an echo. A report counts until it, or a later one,
    is answered, so that the browser's Back to the same value is news. */
export function linked(host, name) {
  let waiting = [];
  let last = '';
  return {
    report(value) {
      waiting.push(JSON.stringify(value));
      host.trigger(name, value);
    },
    isNews(value) {
      const words = JSON.stringify(value);
      const place = waiting.indexOf(words);
      const echo = words === last || place >= 0;
      waiting = waiting.slice(place + 1);
      last = words;
      return !echo;
    },
  };
}

