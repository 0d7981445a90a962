/* Small pieces of the page. Words from the user reach it through textContent and canvas text only. */

import './dom.css';

/** Rich text without HTML. */
export type Piece = string | { strong: string } | { kind: string } | { muted: string };

/** Something that ends, as a view does when it is taken down: its `signal` is then aborted. */
export interface Ending {
  signal: AbortSignal;
}

/** Where words that explain a number are shown: the root of a view, and its tip. */
interface Explaining {
  root: HTMLElement;
  tip(words: string | Piece[], x: number, y: number): void;
}

/** What an attribute may be, and what is called for `onclick` and its like. */
type Attribute = string | number | boolean | null | undefined | ((event: never) => unknown);

/**
 * `el('button', { class: 'token', onclick: f, 'aria-label': 'x' }, 'text', child)`: text becomes text nodes, and a button
 * submits nothing unless its `type` says so.
 */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, Attribute> = {},
  ...children: (Node | string | null | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  if (tag === 'button') node.setAttribute('type', 'button');
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value as EventListener);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Names and what is said of each, for a `dl`. */
export const definitions = (
  pairs: readonly (readonly [string, string])[],
  attributes: Record<string, Attribute> = {},
) => pairs.flatMap(([name, what]) => [el('dt', attributes, name), el('dd', attributes, what)]);

/** The words of a piece. */
const wordsOf = (part: Piece) => (typeof part === 'string' ? part : Object.values(part)[0]);

/** A translated sentence with pieces put into its {fields}: give it what `tr` made of the text. */
export function phrase(text: string, fields: Record<string, Piece | Piece[]>): Piece[] {
  return text.split(/(\{\w+\})/).flatMap((part): Piece[] => {
    const name = part.slice(1, -1);
    if (!part.startsWith('{') || !(name in fields)) return part ? [part] : [];
    const given = fields[name];
    return Array.isArray(given) ? given : [given];
  });
}

/** A sentence for an exported picture, without its hints. */
export const plain = (parts: Piece[]) =>
  parts.map((part) => (typeof part === 'object' && 'muted' in part ? '' : wordsOf(part))).join('');

/** Rich text without HTML; labels are bidi-isolated. */
export function say(node: Element, parts: Piece[]) {
  node.replaceChildren(
    ...parts.map((part) => {
      const words = wordsOf(part).replaceAll(' %', '\u00a0%'); // a number stays with its unit
      if (typeof part === 'string') return document.createTextNode(words);
      const name = Object.keys(part)[0];
      const child = el(name === 'muted' ? 'span' : 'bdi', { class: `say-${name}` }, words);
      // Quotation marks follow the sentence's direction; `quoted` isolates the word itself.
      if (words.startsWith('“')) child.dir = 'ltr';
      return child;
    }),
  );
}

/** Shows a node's explanation in the tip when it is pointed at, focused or tapped; `explain` sets its words. */
export function explained<Node extends HTMLElement>(host: Explaining, node: Node): Node {
  const show = () => {
    const [at, root] = [node.getBoundingClientRect(), host.root.getBoundingClientRect()];
    host.tip(node.dataset.tip ?? '', at.left - root.left, at.bottom - root.top - 8);
  };
  const hide = () => host.tip('', 0, 0);
  for (const name of ['pointerenter', 'focus', 'click']) node.addEventListener(name, show);
  for (const name of ['pointerleave', 'blur']) node.addEventListener(name, hide);
  return node;
}

/** @param words what its number is; none: nothing is to be said of it */
export function explain(node: HTMLElement, words: string) {
  node.classList.toggle('explained', words !== '');
  node.dataset.tip = words;
  if (words) node.tabIndex = 0;
  else node.removeAttribute('tabindex');
  node.setAttribute('aria-description', words);
}

/** A card: title and subtitle as `say` parts, a place for controls, a body, a live readout. `look`: its class beside `card`. */
export function card(parent: Element, look = '') {
  const title = el('h3', { class: 'card-title' });
  const subtitle = el('p', { class: 'card-subtitle' });
  const controls = el('div', { class: 'card-controls' });
  const body = el('div', { class: 'card-body' });
  const readout = el('p', { class: 'readout', 'aria-live': 'polite' });
  const words = el('div', { class: 'card-words' }, title, subtitle);
  const head = el('header', { class: 'card-head' }, words, controls);
  const node = el('section', { class: `card ${look}`.trim() }, head, body);
  parent.append(node);
  const lines = { title, subtitle, readout };
  /** Writes those of the three that are given, as most views' data have them. */
  const tell = (words: Partial<Record<keyof typeof lines, string | Piece[]>>) => {
    for (const [name, line] of Object.entries(lines)) {
      const given = words[name as keyof typeof lines];
      if (given !== undefined) say(line, typeof given === 'string' ? [given] : given);
    }
  };
  return { node, ...lines, controls, body, tell };
}

/**
 * Calls `show` when the pointer or the keyboard comes to a node, and `hide` when it leaves. A card that grows under a pointer at
 * rest, as a slide does, is not pointed at: a move is waited for.
 */
export function onPreview(node: HTMLElement, show: (event: Event) => void, hide: () => void) {
  let inside = false;
  node.addEventListener('pointermove', (event) => {
    if (!inside) show(event);
    inside = true;
  });
  node.addEventListener('pointerleave', () => (inside = false));
  node.addEventListener('focus', (event) => node.matches(':focus-visible') && show(event));
  for (const name of ['pointerleave', 'blur']) node.addEventListener(name, hide);
}

/** Calls `listener` until the view is taken down. */
export function onPage<Name extends keyof DocumentEventMap>(
  host: Ending,
  name: Name,
  listener: (event: DocumentEventMap[Name]) => void,
  capture = false,
) {
  document.addEventListener(name, listener, { signal: host.signal, capture });
}
