/* Small pieces of the page. Words from the user reach it through textContent and canvas text only. */

/** @import { Host, Part } from '../types' */

/**
 * `el('button', { class: 'token', onclick: f, 'aria-label': 'x' }, 'text', child)`: text becomes text nodes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} attributes
 * @param {(Node | string | null | undefined)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/**
 * A part's words.
 * @param {Part} part
 */
const wordsOf = (part) => (typeof part === 'string' ? part : Object.values(part)[0]);

/**
 * A sentence for a picture that leaves the page: without its hints.
 * @param {Part[]} parts
 */
export const plain = (parts) =>
  parts.map((part) => (typeof part === 'object' && 'muted' in part ? '' : wordsOf(part))).join('');

/**
 * Rich text without HTML; labels are bidi-isolated.
 * @param {Element} node
 * @param {Part[]} parts
 */
export function say(node, parts) {
  node.replaceChildren(
    ...parts.map((part) => {
      const words = wordsOf(part).replaceAll(' %', '\u00a0%'); // a number stays with its unit
      if (typeof part === 'string') return document.createTextNode(words);
      const name = Object.keys(part)[0];
      const child = el(name === 'muted' ? 'span' : 'bdi', { class: `say-${name}` }, words);
      // Quotation marks around a word stand as in the sentence; the word itself is isolated by `quoted`.
      if (words.startsWith('“')) child.dir = 'ltr';
      return child;
    }),
  );
}

/**
 * Words that say what their number is, to the pointer, the keyboard and a finger, once `explain` has told them.
 * @template {HTMLElement} Node
 * @param {Host} host
 * @param {Node} node
 * @returns {Node}
 */
export function explained(host, node) {
  const show = () => {
    const [at, root] = [node.getBoundingClientRect(), host.root.getBoundingClientRect()];
    host.tip(node.dataset.tip ?? '', at.left - root.left, at.bottom - root.top - 8);
  };
  const hide = () => host.tip('', 0, 0);
  for (const name of ['pointerenter', 'focus', 'click']) node.addEventListener(name, show);
  for (const name of ['pointerleave', 'blur']) node.addEventListener(name, hide);
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {string} words what its number is; none: nothing is to be said of it
 */
export function explain(node, words) {
  node.classList.toggle('explained', words !== '');
  node.dataset.tip = words;
  if (words) node.tabIndex = 0;
  else node.removeAttribute('tabindex');
  node.setAttribute('aria-description', words);
}

/**
 * A card: title and subtitle as `say` parts, a place for controls, a body, a live readout.
 * @param {Element} parent
 */
export function card(parent) {
  const title = el('h3', { class: 'card-title' });
  const subtitle = el('p', { class: 'card-subtitle' });
  const controls = el('div', { class: 'card-controls' });
  const body = el('div', { class: 'card-body' });
  const readout = el('p', { class: 'readout', 'aria-live': 'polite' });
  const words = el('div', { class: 'card-words' }, title, subtitle);
  const node = el('section', { class: 'card' }, el('header', { class: 'card-head' }, words, controls), body);
  parent.append(node);
  return { node, title, subtitle, controls, body, readout };
}

/**
 * Calls `listener` until the view is taken down.
 * @template {keyof DocumentEventMap} Name
 * @param {{ signal: AbortSignal }} host
 * @param {Name} name
 * @param {(event: DocumentEventMap[Name]) => void} listener
 */
export function onPage(host, name, listener, capture = false) {
  document.addEventListener(name, listener, { signal: host.signal, capture });
}
