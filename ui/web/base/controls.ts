/* Quiet controls of the cards. */

import { el } from './dom.js';
import { TOUCH } from './words.js';

/**
 * A labelled control: `field('sort', select)`.
 * @param {string} words
 * @param {Node} control
 * @param {Node | null} after
 */
export const field = (words, control, after = null) =>
  el('label', { class: 'field' }, el('span', { class: 'field-name' }, words), control, after);

/**
 * A native select that reads as text.
 * @param {readonly (readonly [string | number, string])[]} options value and words of each
 * @param {string | number | null} value
 * @param {(value: string) => void} change
 * @param {string} label
 */
export function chooser(options, value, change, label, look = 'chooser') {
  const select = el('select', { class: look, 'aria-label': label, onchange: () => change(select.value) });
  fillChooser(select, options, value);
  return select;
}

/**
 * @param {HTMLSelectElement} select
 * @param {readonly (readonly [string | number, string])[]} options
 * @param {string | number | null} value
 */
export function fillChooser(select, options, value) {
  select.replaceChildren(...options.map(([id, words]) => el('option', { value: id }, words)));
  select.value = String(value);
}

/** What a chooser of layers or heads has chosen when it is the mean over them. */
export const MEAN = 'mean';

/**
 * Offer each of `count` layers or heads (`one` names them) and, where there are several, their mean, which is null.
 * @param {HTMLSelectElement} pick
 * @param {number} count
 * @param {string} one
 * @param {number | null} value
 */
export function fillCounted(pick, count, one, value) {
  /** @type {[string | number, string][]} */
  const options = Array.from({ length: count }, (_, n) => [n, `${one} ${n}`]);
  if (count > 1) options.unshift([MEAN, `mean of ${count} ${one}s`]);
  fillChooser(pick, options, value ?? (count > 1 ? MEAN : 0));
}

/**
 * @param {string} words
 * @param {(on: boolean) => void} change
 */
export function checkbox(words, change) {
  const box = el('input', { type: 'checkbox', onchange: () => change(box.checked) });
  return { box, node: el('label', { class: 'field' }, box, words) };
}

/**
 * The list of keys and numbers that ? opens, and the button that says so; `look` is the button's class. Where there are
 * no keys it tells of the numbers alone, and without any it is away.
 * @param {readonly (readonly [string, string])[]} keys
 */
export function keyList(keys, look = 'quiet') {
  const lines = (TOUCH ? [] : keys).flatMap(([key, what]) => [el('dt', {}, key), el('dd', {}, what)]);
  const list = el('dl', { class: 'keys', hidden: true }, ...lines);
  const toggle = () => show(list.hidden);
  const label = TOUCH ? 'Numbers' : 'Keys and numbers';
  const words = { 'aria-label': label, title: TOUCH ? label : `${label} (?)`, 'aria-expanded': 'false' };
  const button = el('button', { type: 'button', class: look, ...words, onclick: toggle }, '?');
  button.hidden = !lines.length;
  /** @param {boolean} open */
  function show(open) {
    list.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
  }
  /**
   * Says below the keys what the numbers of the view are.
   * @param {readonly (readonly [string, string])[]} metrics name and definition of each
   */
  function explain(metrics) {
    const told = metrics.flatMap(([name, what]) => [
      el('dt', { class: 'metric' }, name),
      el('dd', { class: 'metric' }, what),
    ]);
    list.replaceChildren(...lines, ...told);
    button.hidden = !lines.length && !told.length;
  }
  return { list, button, toggle, explain, hide: () => show(false), isOpen: () => !list.hidden };
}
