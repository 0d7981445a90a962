/* Small pieces of the page. Words from the user reach it through textContent and canvas text only. */

/** @import { Part } from '../types' */

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
