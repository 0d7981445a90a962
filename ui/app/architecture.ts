/* The model as one row of blocks; the lit block is where the reader is, a click moves there. */

import type { Host, Mounting, View } from '../web/base/view.ts';
import type { ArchitectureAnswers, MapData, StripBlock } from '../web/generated/types.ts';
import { readableOn } from '../web/base/colour.ts';
import { connection } from '../web/base/connection.ts';
import { el } from '../web/base/dom.ts';
import { bus, reducedMotion } from '../web/base/events.ts';
import { tr } from '../web/base/language.ts';
import { mount } from '../web/base/view.ts';
import { oneEntry } from './history.ts';
import './architecture.css';

/** Blocks in reading order, the look of each (style sheet) and, lit, its fill: dark (or light) enough for words. */
const BLOCKS = [
  ['source', 'source', 'muted'],
  ['encoder', 'encoder', 'encoder_text'],
  ['memory', 'memory', 'encoder_text'],
  ['decoder', 'causal', 'causal_text'],
  ['cross', 'cross', 'cross_text'],
  ['next', 'next', 'muted'],
] as const;

/** What they are called below their dots on a phone. */
const shortNames = () => ({
  source: tr('source'),
  encoder: tr('encoder'),
  memory: tr('output'),
  decoder: tr('decoder'),
  cross: tr('cross'),
  next: tr('next word'),
});

const TYPING = 'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, [contenteditable]';
const OPEN = '[data-testid="stPopoverBody"], [role="listbox"]'; // what Esc closes first

const PATIENCE = 200; // times a tenth of a second that the next word may take to be on the page

/** The first element of the page that matches, through the shadow roots of the views. */
function deepFind(root: Document | ShadowRoot, selector: string): HTMLElement | null {
  const own = root.querySelector(selector) as HTMLElement | null;
  if (own) return own;
  for (const { shadowRoot } of root.querySelectorAll('*')) {
    const match = shadowRoot && deepFind(shadowRoot, selector);
    if (match) return match;
  }
  return null;
}

/**
 * Scrolls to the next-word card once it exists, and focuses its first bar.
 */
function showNextWord(host: Host, tries = PATIENCE) {
  const bar = deepFind(document, '.bars .bar');
  if (bar) {
    bus().last.wanted = null;
    bar.focus({ preventScroll: true });
    bar.closest('.card')?.scrollIntoView({ block: 'nearest', behavior: reducedMotion() ? 'auto' : 'smooth' });
  } else if (tries && !host.signal.aborted) setTimeout(() => showNextWord(host, tries - 1), 100);
}

const DRAWN = 500; // milliseconds in which a page just opened has drawn itself
const CALM = 2500; // milliseconds after the last key or pointer: a sentence has written itself, and the reader reads

/** Calls `run` once, after a while without input when the browser is idle. */
function whenCalm(run: () => void) {
  const events = ['pointermove', 'pointerdown', 'keydown', 'wheel'];
  let timer = 0;
  const start = () => {
    for (const name of events) document.removeEventListener(name, wait, true);
    if ('requestIdleCallback' in window) requestIdleCallback(run);
    else run();
  };
  const wait = () => {
    clearTimeout(timer);
    timer = window.setTimeout(start, CALM);
  };
  timer = window.setTimeout(start, DRAWN);
  for (const name of events) document.addEventListener(name, wait, { capture: true, passive: true });
}

/**
 * Fetches and, once idle, runs Streamlit's chart module before the first chart needs it: running it takes a second. It has
 * the same address as Streamlit's own import, so the page loads it once; with `?run` comes what runs (ui/app/assets.py).
 */
function fetchEarly(name: string) {
  const known = document.querySelector('script[type="module"][src*="/js/"]') as HTMLScriptElement | null;
  if (!name || !known || document.querySelector('link[data-atlas-early]')) return;
  const href = new URL(name, known.src).href;
  document.head.append(el('link', { rel: 'modulepreload', href: `${href}?run`, 'data-atlas-early': true }));
  whenCalm(() => {
    const script = el('script', { type: 'module', src: href, 'data-atlas-early': 'running' });
    script.addEventListener('load', () => (script.dataset.atlasEarly = 'ready'));
    document.head.append(script);
  });
}

function architecture(root: HTMLElement, host: Host): View<MapData> {
  connection(); // the strip is on every page
  oneEntry();
  const row = el('nav', { class: 'map', 'aria-label': tr('The model, from source to next word') });
  root.append(el('div', { class: 'map-wrap' }, row));
  const blocks = BLOCKS.map(([name, kind, fill], n) => {
    const arrow = `map-arrow${{ cross: ' joined', decoder: ' turning' }[String(name)] ?? ''}`;
    if (n) row.append(el('span', { class: arrow, 'aria-hidden': 'true' }));
    const title = el('span', { class: 'map-name' });
    const fact = el('span', { class: 'map-fact' });
    const short = el('span', { class: 'map-short', 'aria-hidden': 'true' }, shortNames()[name]);
    const looks = { class: 'map-block', 'data-kind': kind };
    const button = el('button', { ...looks, onclick: () => press(name) }, title, fact, short);
    row.append(button);
    return { name, fill, title, fact, button };
  });
  let here: StripBlock[] = [];
  let pinned = false;
  const release = (event: KeyboardEvent) => {
    const typing = event.composedPath().some((node) => node instanceof HTMLElement && node.matches(TYPING));
    if (event.key !== 'Escape' || event.defaultPrevented || !pinned || typing) return;
    if (document.querySelector(OPEN)) return;
    host.trigger('released', true satisfies ArchitectureAnswers['released']);
  };
  document.addEventListener('keydown', release, { signal: host.signal });
  function press(name: StripBlock) {
    if (name === 'next') bus().last.wanted = name;
    // If the next word is already on the page, nothing has to come from the server.
    if (name === 'next' && here.includes(name)) showNextWord(host);
    else host.trigger('picked', name satisfies ArchitectureAnswers['picked']);
  }
  return {
    update(strip) {
      here = strip.lit;
      pinned = strip.pinned;
      bus().last.about = strip.about;
      if (bus().last.wanted === 'next' && here.includes('next')) showNextWord(host);
      fetchEarly(strip.early);
      for (const { name, fill, title, fact, button } of blocks) {
        const words = strip.blocks[name];
        if (!words) continue;
        title.textContent = words.title;
        fact.textContent = words.fact;
        button.title = words.where;
        button.setAttribute('aria-current', String(strip.lit.includes(name)));
        button.style.setProperty('--lit', host.colours[fill]);
        button.style.setProperty('--lit-ink', readableOn(host.colours[fill], host.colours));
      }
    },
  };
}

export default (args: Mounting) => mount(args, architecture);
