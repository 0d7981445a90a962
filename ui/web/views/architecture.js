/* The model as one row of blocks; the lit block is where the reader is, a click moves there. */

import { readableOn } from '../base/colour.js';
import { el } from '../base/dom.js';
import { mount } from '../base/view.js';

function architectureMap(root, host) {
  const row = el('nav', { class: 'map', 'aria-label': 'The model, from source to next word' });
  root.append(el('div', { class: 'map-wrap' }, row));
  const blocks = new Map();
  const KIND = { source: 'source', encoder: 'encoder', memory: 'memory', decoder: 'causal', cross: 'cross', next: 'next' };
  Object.entries(KIND).forEach(([name, kind], i) => {
    if (i) row.append(el('span', { class: name === 'cross' ? 'map-arrow joined' : 'map-arrow', 'aria-hidden': 'true' }));
    const title = el('span', { class: 'map-name' });
    const fact = el('span', { class: 'map-fact' });
    const button = el(
      'button',
      { type: 'button', class: 'map-block', 'data-kind': kind, onclick: () => host.trigger('picked', name) },
      title,
      fact,
    );
    blocks.set(name, { button, title, fact, kind });
    row.append(button);
  });
  return {
    update(data) {
      for (const [name, block] of blocks) {
        const { title, fact, where } = data.blocks[name];
        block.title.textContent = title;
        block.fact.textContent = fact;
        block.button.title = where;
        block.button.setAttribute('aria-current', String(name === data.lit));
        // Filled with the kind's text colour, which is dark (or light) enough for words on top.
        const fill = { encoder: 'encoder_text', memory: 'encoder_text', causal: 'causal_text', cross: 'cross_text' }[block.kind] ?? 'muted';
        block.button.style.setProperty('--lit', host.colours[fill]);
        block.button.style.setProperty('--lit-ink', readableOn(host.colours[fill], host.colours));
      }
    },
  };
}

export default function view(args) {
  return mount(args, architectureMap);
}
