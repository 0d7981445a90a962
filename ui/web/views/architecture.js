/* The model as one row of blocks; the lit block is where the reader is, a click moves there. */

/** @import { Host, Mounting, View } from '../types' */

import { readableOn } from '../base/colour.js';
import { el } from '../base/dom.js';
import { mount } from '../base/view.js';

/** Blocks in reading order, the look of each (style sheet) and, lit, its fill: dark (or light) enough for words. */
const BLOCKS = /** @type {const} */ ([
  ['source', 'source', 'muted'],
  ['encoder', 'encoder', 'encoder_text'],
  ['memory', 'memory', 'encoder_text'],
  ['decoder', 'causal', 'causal_text'],
  ['cross', 'cross', 'cross_text'],
  ['next', 'next', 'muted'],
]);

/** @typedef {{ blocks: Record<string, { title: string, fact: string, where: string }>, lit: string | null }} Strip */

/**
 * @param {HTMLElement} root
 * @param {Host} host
 * @returns {View<Strip>}
 */
function architecture(root, host) {
  const row = el('nav', { class: 'map', 'aria-label': 'The model, from source to next word' });
  root.append(el('div', { class: 'map-wrap' }, row));
  const blocks = BLOCKS.map(([name, kind, fill], n) => {
    const arrow = name === 'cross' ? 'map-arrow joined' : 'map-arrow';
    if (n) row.append(el('span', { class: arrow, 'aria-hidden': 'true' }));
    const title = el('span', { class: 'map-name' });
    const fact = el('span', { class: 'map-fact' });
    const looks = { type: 'button', class: 'map-block', 'data-kind': kind };
    const button = el('button', { ...looks, onclick: () => host.trigger('picked', name) }, title, fact);
    row.append(button);
    return { name, fill, title, fact, button };
  });
  return {
    update(strip) {
      for (const { name, fill, title, fact, button } of blocks) {
        const words = strip.blocks[name];
        title.textContent = words.title;
        fact.textContent = words.fact;
        button.title = words.where;
        button.setAttribute('aria-current', String(name === strip.lit));
        button.style.setProperty('--lit', host.colours[fill]);
        button.style.setProperty('--lit-ink', readableOn(host.colours[fill], host.colours));
      }
    },
  };
}

/** @param {Mounting<Strip>} args */
export default function view(args) {
  return mount(args, architecture);
}
