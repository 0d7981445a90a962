/* Keys of the page, motion, and what views tell one another and Python. */

import type { AllHeads, Kind, WhyData } from '../generated/types.ts';
import type { Ending } from './dom.ts';
import { clamp01 } from './colour.ts';
import { onPage } from './dom.ts';

export const reducedMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Calls `frame(share)` with share going 0 → 1 within `duration` ms, at once under reduced motion. Returns stop().
 */
export function animate(frame: (share: number) => void, duration = 180) {
  if (reducedMotion()) {
    frame(1);
    return () => {};
  }
  let id = 0;
  const start = performance.now();
  const tick = (now: number) => {
    const share = clamp01((now - start) / duration);
    frame(1 - (1 - share) ** 3);
    if (share < 1) id = requestAnimationFrame(tick);
  };
  id = requestAnimationFrame(tick);
  return () => cancelAnimationFrame(id);
}

/** Returns a function that calls `draw` once before the next frame, however often it is asked, until the view is taken down. */
export function oncePerFrame({ signal }: Ending, draw: () => void) {
  let id = 0;
  signal.addEventListener('abort', () => cancelAnimationFrame(id));
  return () => {
    cancelAnimationFrame(id);
    id = requestAnimationFrame(draw);
  };
}

const TYPING =
  'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="textbox"], [role="combobox"], [role="listbox"], [role="slider"], [role="radio"], [role="tab"], [role="menu"], [role="dialog"], [role="grid"]';
const PRESSING = 'button, a, [role="button"], summary';

/**
 * Page-wide keys: `{ ArrowRight: f, ' ': g }`, ignored while typing, in menus, and with a modifier held.
 * A key whose function returns false is left to others.
 */
export function pageKeys(host: Ending, keys: Record<string, () => unknown>) {
  onPage(host, 'keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0] as Element;
    if (target.closest?.(TYPING)) return;
    // Space and Enter press the focused button; they must not also play.
    if ((event.key === ' ' || event.key === 'Enter') && target.closest?.(PRESSING)) return;
    const action = keys[event.key];
    if (action && action() !== false) event.preventDefault();
  });
}

/**
 * Esc before the page's other keys of it, and not inside `controls`; `clear` says whether there was something to clear.
 */
export function onEscape(host: Ending, controls: Node, clear: () => boolean) {
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    if (controls.contains(event.composedPath()[0] as Node)) return;
    if (clear()) event.preventDefault();
  };
  onPage(host, 'keydown', escape, true);
}

/* ---------- views that know of each other ---------- */

type Bus = EventTarget & { last: Partial<Topics> };

/**
 * Each view is a module of its own; what one announces reaches the others in the same frame, without the server.
 */
export function bus(): Bus {
  const page = window as unknown as { atlasBus?: Bus };
  return (page.atlasBus ??= Object.assign(new EventTarget(), { last: {} }));
}

export function announce<Topic extends keyof Topics>(topic: Topic, words: Topics[Topic]) {
  bus().last[topic] = words;
  bus().dispatchEvent(new CustomEvent(topic, { detail: words }));
}

export function listenTo<Topic extends keyof Topics>(
  host: Ending,
  topic: Topic,
  hear: (words: Topics[Topic]) => void,
) {
  const listener = (event: Event) => hear((event as CustomEvent<Topics[Topic]>).detail);
  bus().addEventListener(topic, listener, { signal: host.signal });
}

/**
 * What the reader sets in the browser and a link holds. Python answers each report with the value it was given, which
 * is old when more were made since; `isNews(value)` is false for such an echo. A report counts until it, or a later
 * one, is answered, so that the browser's Back to the same value is news.
 */
export function linked<Value>(host: { trigger(name: string, value: Value): void }, name: string) {
  let waiting: string[] = [];
  let last = '';
  return {
    report(value: Value) {
      waiting.push(JSON.stringify(value));
      host.trigger(name, value);
    },
    isNews(value: Value) {
      const words = JSON.stringify(value);
      const nth = waiting.indexOf(words);
      const echo = words === last || nth >= 0;
      waiting = waiting.slice(nth + 1);
      last = words;
      return !echo;
    },
  };
}

/* What views tell one another, by topic: `announce(topic, words)` and `listenTo(host, topic, hear)` in events.ts. */

export interface Topics {
  /** Heads were opened in the wall; `values` where their numbers are known there. */
  heads: {
    kind: Kind;
    heads: [number, number][];
    rows: string[];
    cols: string[];
    values: Float32Array[] | null;
    all: AllHeads;
  };
  /** Heads that stand open. */
  shown: { kind: Kind; heads: [number, number][] };
  /** The word that the stage of a decode stands at. */
  stage: { id: string; step: number; covered: boolean };
  /** The terms of one number inside a head. */
  'inside-terms': WhyData | null;
  /** What the pictures of the page are of. */
  about: string;
  /** The card that was asked for and is not there yet. */
  wanted: 'next' | null;
}
