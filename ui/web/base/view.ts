/* A view is given `(root, host)` and has `update(data)` and perhaps `relayout()` and `destroy()`. Streamlit calls a
   module's default export again with every new data object and on every theme change; `mount` keeps one view per
   element of the page and hands it the news, so a view builds its DOM once. */

/** @import { Host, Mounting, View } from '../types' */
/** @import { Line } from './connection' */

import { luminance } from './colour.js';
import { el, say } from './dom.js';
import { reducedMotion } from './events.js';
import { listenForFill } from './fill.js';
import { measuring } from './text.js';
import { TOKENS } from './tokens.js';

/** @typedef {{ host: Host, view: View<any>, destroy(): void }} Mounted */
/** @typedef {(root: HTMLElement, host: Host) => View<any>} Create */

/** @type {WeakMap<HTMLElement, Mounted>} */
const mounts = new WeakMap();

/** @param {HTMLElement} root */
function readTheme(root) {
  const background = getComputedStyle(root).getPropertyValue('--st-background-color').trim();
  const probe = measuring();
  probe.fillStyle = '#ffffff';
  probe.fillStyle = background || '#ffffff'; // the canvas turns any CSS colour into #rrggbb
  return luminance(probe.fillStyle.slice(0, 7)) < 0.25 ? 'dark' : 'light';
}

/**
 * @param {HTMLElement} root
 * @param {Host} host
 */
function applyTheme(root, host) {
  host.theme = readTheme(root);
  host.colours = TOKENS[host.theme];
  root.dataset.theme = host.theme;
  for (const [name, value] of Object.entries(host.colours)) {
    if (typeof value !== 'string') continue;
    root.style.setProperty(`--${name.replaceAll('_', '-')}`, value);
    // A switch between light and dark runs no Python, so the page's own CSS (ui/style/shell.css) is told here.
    document.documentElement.style.setProperty(`--atlas-${name.replaceAll('_', '-')}`, value);
  }
}

/**
 * Sets the colours of one attention kind on a view's root.
 * @param {HTMLElement} root
 * @param {Host} host
 * @param {'encoder' | 'causal' | 'cross'} kind
 */
export function setKind(root, host, kind) {
  root.style.setProperty('--kind', host.colours[kind]);
  root.style.setProperty('--kind-text', host.colours[`${kind}_text`]);
}

/**
 * What explains a point of the page while the pointer is there.
 * @param {HTMLElement} root
 */
function makeTip(root) {
  const node = el('div', { class: 'tip', role: 'tooltip', hidden: true });
  /** @type {Host['tip']} */
  const tip = (words, x, y) => {
    node.hidden = !words.length;
    if (node.hidden) return;
    say(node, typeof words === 'string' ? [words] : words);
    const room = root.clientWidth - node.offsetWidth - 4;
    node.style.transform = `translate(${Math.max(0, Math.min(room, x + 12))}px, ${y + 14}px)`;
  };
  return { node, tip };
}

/**
 * Lays the view out again when its width or the text size changes, and once the web font is there.
 * @param {HTMLElement} root
 * @param {Host} host
 * @param {HTMLElement} ruler one em hundredfold
 * @param {View<any>} view
 */
function watchSize(root, host, ruler, view) {
  let size = '';
  const rescale = () => {
    host.scale = scaleOf(ruler);
    root.toggleAttribute('data-hall', host.scale > 1);
  };
  rescale();
  const observer = new ResizeObserver(() => {
    rescale();
    const now = `${root.clientWidth}/${host.scale.toFixed(3)}`;
    if (now !== size && size) view.relayout?.();
    size = now;
  });
  observer.observe(root);
  observer.observe(ruler);
  const refit = () => {
    rescale();
    size = `${root.clientWidth}/${host.scale.toFixed(3)}`;
    view.relayout?.();
  };
  root.addEventListener('refit', refit, { signal: host.signal });
  // Canvas text measured before the web font arrives would be set in the wrong widths.
  void document.fonts?.ready.then(() => !host.signal.aborted && view.relayout?.());
  return observer;
}

/**
 * How tall something may be, in pixels of the design, so that it ends in sight when `used` of them stand above and
 * below it. That is asked for in a hall, where nobody scrolls; else it may be as tall as `most`.
 * @param {Host} host
 * @param {number} most
 * @param {number} used
 */
export const inSight = ({ scale }, most, used) =>
  scale > 1 && !document.fullscreenElement
    ? Math.max(120, Math.min(most, window.innerHeight / scale - used))
    : most;

const UNSEEN = 160; // pixels of a card that are not enough to see what it shows

/**
 * Scrolls to something, unless it is to be seen already.
 * @param {HTMLElement} node
 */
export function bringIntoSight(node) {
  const { top, bottom } = node.getBoundingClientRect();
  if (top < window.innerHeight - UNSEEN && bottom > UNSEEN) return;
  node.scrollIntoView({ block: 'start', behavior: reducedMotion() ? 'auto' : 'smooth' });
}

/** @param {HTMLElement} ruler */
const scaleOf = (ruler) => (ruler.getBoundingClientRect().width || 100) / 100;

/**
 * Tells Python something, as soon as the connection is there (base/connection.js, which the page has once).
 * @param {Mounting<any>} args
 * @returns {Host['trigger']}
 */
const reaching = (args) => (name, value) => {
  const tell = () => args.setTriggerValue(name, value);
  const { atlasLine } = /** @type {{ atlasLine?: Line }} */ (/** @type {unknown} */ (window));
  if (atlasLine) atlasLine.tell(tell);
  else tell();
};

/**
 * @param {Mounting<any>} args
 * @param {Create} create
 * @returns {Mounted}
 */
function startView(args, create) {
  const root = /** @type {HTMLElement} */ (args.parentElement.querySelector('.atlas'));
  root.replaceChildren();
  const stop = new AbortController();
  const ruler = el('span', { class: 'ruler', 'aria-hidden': 'true' });
  const { node, tip } = makeTip(root);
  const stage = el('div', { class: 'stage-root' });
  root.append(stage, ruler, node);
  /** @type {Host} */
  const host = {
    root,
    tip,
    signal: stop.signal,
    scale: scaleOf(ruler),
    theme: 'light',
    colours: TOKENS.light,
    trigger: reaching(args),
    state: args.setStateValue,
  };
  applyTheme(root, host);
  listenForFill();
  const view = create(stage, host);
  const observer = watchSize(root, host, ruler, view);
  const destroy = () => {
    observer.disconnect();
    stop.abort();
    view.destroy?.();
  };
  return { host, view, destroy };
}

/**
 * Shows the data in the view that `create` makes; returns what takes the view down.
 * @param {Mounting<any>} args
 * @param {Create} create
 */
export function mount(args, create) {
  const parent = args.parentElement;
  const mounted = mounts.get(parent) ?? startView(args, create);
  mounts.set(parent, mounted);
  const { host, view } = mounted;
  host.trigger = reaching(args);
  host.state = args.setStateValue;
  applyTheme(host.root, host);
  view.update(args.data);
  return () => {
    // Newer data that overtake a call end it too, before or after theirs is made: the view is theirs then.
    if (parent.isConnected || mounts.get(parent) !== mounted) return;
    mounted.destroy();
    mounts.delete(parent);
  };
}
