/* The controls of the open heads: swatches that switch heads off, the threshold of lines, the colour scale. */

import type { Head } from './head.ts';
import { checkbox, field } from '../base/controls.ts';
import { el } from '../base/dom.ts';
import { exportMenu } from '../base/export.ts';
import { TOUCH } from '../base/words.ts';
import { headLeaving } from './head_drawing.ts';

/** A swatch for each of several heads: a click hides it, a double click leaves it alone. */
export function makeSwatches(head: Head) {
  const { open } = head;
  const several = open.maps.length > 1;
  head.swatches.hidden = !several;
  if (!several) return head.swatches.replaceChildren();
  const buttons: HTMLButtonElement[] = open.meta.heads.map(({ name }, k) => {
    const dot = el('span', { class: 'swatch-dot', 'aria-hidden': 'true' });
    dot.style.background = open.hueOf(k, head.host.colours);
    const title = TOUCH ? 'show or hide' : 'click: show or hide · double-click: this head alone';
    const button = el('button', { type: 'button', class: 'swatch', title }, dot, name);
    button.addEventListener('click', () => {
      if (!open.off.delete(k)) open.off.add(k);
      changed();
    });
    button.addEventListener('dblclick', () => {
      const alone = open.seen.length === 1 && !open.off.has(k);
      open.off = new Set(alone ? [] : open.maps.map((_, m) => m).filter((m) => m !== k));
      changed();
    });
    return button;
  });
  const press = () =>
    buttons.forEach((button, k) => button.setAttribute('aria-pressed', String(!open.off.has(k))));
  const changed = () => {
    press();
    open.combine();
    head.refresh();
  };
  press();
  const hint = el(
    'span',
    { class: 'swatch-hint' },
    TOUCH ? 'tap one to hide it' : 'click hides · double-click isolates',
  );
  head.swatches.replaceChildren(...buttons, hint);
}

/**
 * The knobs under the pictures, made once for a unit, so that an answer does not take the slider out of the hand.
 * `show` writes what is set into them.
 */
export function makeKnobs(head: Head) {
  const { unit } = head.open.meta;
  const { own } = head;
  const label = 'Draw lines from this strength on';
  const range = { type: 'range', min: 0, max: 50, step: 1, 'aria-label': label };
  const slider = el('input', { class: 'slider', ...range });
  const told = el('output');
  slider.addEventListener('input', () => {
    own.threshold = Number(slider.value) / 100;
    show();
    head.frame.soon();
  });
  slider.addEventListener('change', () => head.reportView());
  const log = checkbox('log colour', (on) => {
    own.log = on;
    head.build();
    head.refresh();
    head.reportView();
  });
  const show = () => {
    slider.value = String(Math.round(own.threshold * 100));
    told.textContent = unit === 'share' ? `${slider.value} %` : `${slider.value} % of largest`;
    log.box.checked = own.log;
  };
  const fields = [unit === 'share' ? log.node : '', field('lines from', slider, told)];
  const right = el('span', { class: 'detail-foot' }, head.whole, ...fields);
  head.foot.replaceChildren(head.legend, right);
  head.parts.controls.replaceChildren(exportMenu(head.host, headLeaving(head)));
  return { unit, show };
}
