/* A view gets `(root, host)` and has `update(data)`, optionally `relayout()` and `destroy()`. Streamlit calls a
   module's default export again with every new data object and on every theme change; `mount` keeps one view per
   element of the page and hands it the new data, so a view builds its DOM once. */

import type { Colours } from './colour.ts';
import type { Line } from './connection.ts';
import type { Packed } from './data.ts';
import type { Kind } from '../generated/types.ts';
import type { Piece } from './dom.ts';
import { TOKENS } from '../generated/tokens.ts';
import { luminance } from './colour.ts';
import { revive } from './data.ts';
import { card, el, say } from './dom.ts';
import { reducedMotion } from './events.ts';
import { speak } from './language.ts';
import { measuring } from './paint.ts';
import { listenForSlides } from './slide.ts';

/** A view's surroundings: its root, its colours, and the channel to Python. */
export interface Host {
  root: HTMLElement;
  /** Aborted when the view is taken down. */
  signal: AbortSignal;
  /** CSS pixels in one pixel of the design: 1, or more in presenter mode. */
  scale: number;
  theme: 'light' | 'dark';
  colours: Colours;
  tip(words: string | Piece[], x: number, y: number): void;
  /** Set for one run of Python, or until it changes. */
  trigger(name: string, value: unknown): void;
}

export interface View<Data> {
  update(data: Data): void;
  relayout?(): void;
  destroy?(): void;
}

/** The root of a view, and the channel for its answers where something listens to them. */
export interface Page {
  parentElement: HTMLElement;
  setTriggerValue?(name: string, value: unknown): void;
}

/** What Streamlit calls a component with. */
export interface Mounting extends Page {
  data: Packed;
}

interface Mounted {
  host: Host;
  view: View<unknown>;
  destroy(): void;
}

type Create<Data> = (root: HTMLElement, host: Host) => View<Data>;

const mounts = new WeakMap<HTMLElement, Mounted>();

function readTheme(root: HTMLElement) {
  const background = getComputedStyle(root).getPropertyValue('--st-background-color').trim();
  const probe = measuring();
  probe.fillStyle = '#ffffff';
  probe.fillStyle = background || '#ffffff'; // the canvas turns any CSS colour into #rrggbb
  return luminance(probe.fillStyle.slice(0, 7)) < 0.25 ? 'dark' : 'light';
}

function applyTheme(root: HTMLElement, host: Host) {
  host.theme = readTheme(root);
  host.colours = TOKENS[host.theme];
  root.dataset.theme = host.theme;
  for (const [name, value] of Object.entries(host.colours)) {
    if (typeof value !== 'string') continue;
    root.style.setProperty(`--${name.replaceAll('_', '-')}`, value);
    // A switch between light and dark runs no Python, so the page's own CSS (ui/style/shell.css) is updated here.
    document.documentElement.style.setProperty(`--atlas-${name.replaceAll('_', '-')}`, value);
  }
}

/** Sets the colours of one attention kind on a view's root. */
export function setKind({ root, colours }: Host, kind: Kind) {
  root.style.setProperty('--kind', colours[kind]);
  root.style.setProperty('--kind-text', colours[`${kind}_text`]);
}

/** A view that is one card; `look` is the card's class. */
export class CardView {
  readonly parts: ReturnType<typeof card>;

  constructor(
    root: HTMLElement,
    readonly host: Host,
    look = '',
  ) {
    this.parts = card(root, look);
  }
}

/** What explains a point of the page while the pointer is there. */
function makeTip(root: HTMLElement) {
  const node = el('div', { class: 'tip', role: 'tooltip', hidden: true });
  const tip: Host['tip'] = (words, x, y) => {
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
 * @param ruler one em hundredfold
 */
function watchSize(root: HTMLElement, host: Host, ruler: HTMLElement, view: View<unknown>) {
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

/** Pixels of the design that a word needs in a column of them. */
export const WORD_HEIGHT = 12;
const ALL_WORDS = 40; // words in a column up to which none is left out

const PAGE = { words: 16, row: 14, more: 85, wide: 1000 };
/* Of a page that is no hall: from how many words on their rows are closer rather than below the screen, how close at most,
   and what the page has around a picture beyond what a hall has; a narrow page scrolls. */

/** The same on a page of the app for a long sentence; elsewhere `most`. */
function onPage(most: number, used: number, words: number) {
  const scrolls = words <= PAGE.words || words > ALL_WORDS || window.innerWidth < PAGE.wide;
  if (scrolls || !document.querySelector('[data-testid="stApp"]')) return most;
  return Math.min(most, Math.max(PAGE.row * words, window.innerHeight - used - PAGE.more));
}

/**
 * The largest height, in pixels of the design, that stays visible when `used` pixels are taken above and below. Applies to
 * presenter mode, where nobody scrolls, to slides, which say themselves how much room there is, and to long sentences.
 * @param words below each other that must all be written; a page rather runs out of sight than leave some out
 */
export function inSight({ scale, root }: Host, most: number, used: number, words = 0) {
  const { slideRoom } = root.dataset;
  if (slideRoom) return Math.min(most, Number(slideRoom));
  if (scale <= 1) return onPage(most, used, words);
  const needed = words > ALL_WORDS ? 0 : words * WORD_HEIGHT;
  return Math.max(120, needed, Math.min(most, window.innerHeight / scale - used));
}

const UNSEEN = 160; // pixels of a card that are not enough to see what it shows

/** Scrolls to an element unless it is already visible. */
export function bringIntoSight(node: HTMLElement) {
  const { top, bottom } = node.getBoundingClientRect();
  if (top < window.innerHeight - UNSEEN && bottom > UNSEEN) return;
  node.scrollIntoView({ block: 'start', behavior: reducedMotion() ? 'auto' : 'smooth' });
}

const scaleOf = (ruler: HTMLElement) => (ruler.getBoundingClientRect().width || 100) / 100;

/**
 * Sends an answer to Python once the connection exists (base/connection.ts, one per page).
 */
const reaching =
  (args: Page): Host['trigger'] =>
  (name, value) => {
    const tell = () => args.setTriggerValue?.(name, value);
    const { atlasLine } = window as unknown as { atlasLine?: Line };
    if (atlasLine) atlasLine.tell(tell);
    else tell();
  };

function startView<Data>(args: Page, create: Create<Data>): Mounted {
  const root = args.parentElement.querySelector('.atlas') as HTMLElement;
  root.replaceChildren();
  const stop = new AbortController();
  const ruler = el('span', { class: 'ruler', 'aria-hidden': 'true' });
  const { node, tip } = makeTip(root);
  const stage = el('div', { class: 'stage-root' });
  root.append(stage, ruler, node);
  const host: Host = {
    root,
    tip,
    signal: stop.signal,
    scale: scaleOf(ruler),
    theme: 'light',
    colours: TOKENS.light,
    trigger: reaching(args),
  };
  applyTheme(root, host);
  listenForSlides();
  const view = create(stage, host);
  const observer = watchSize(root, host, ruler, view);
  const destroy = () => {
    observer.disconnect();
    stop.abort();
    view.destroy?.();
  };
  return { host, view, destroy };
}

/** Shows what Streamlit hands over in the view that `create` makes; returns what takes the view down. */
export const mount = <Data>(args: Mounting, create: Create<Data>) => {
  speak(args.data.language);
  return show(args, revive<Data>(args.data), create);
};

/** A view's class as what Streamlit calls. */
export const viewOf =
  <Data>(View: new (root: HTMLElement, host: Host) => View<Data>) =>
  (args: Mounting) =>
    mount<Data>(args, (root, host) => new View(root, host));

/** Shows the data in the view that `create` makes; returns what takes the view down. */
export function show<Data>(page: Page, data: Data, create: Create<Data>) {
  const parent = page.parentElement;
  const mounted = mounts.get(parent) ?? startView(page, create);
  mounts.set(parent, mounted);
  const { host, view } = mounted;
  host.trigger = reaching(page);
  applyTheme(host.root, host);
  view.update(data);
  return () => {
    // Newer data that overtake a call cancel it and take over the view.
    if (parent.isConnected || mounts.get(parent) !== mounted) return;
    mounted.destroy();
    mounts.delete(parent);
  };
}
