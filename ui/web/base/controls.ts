/* Quiet controls of the cards. */

import { definitions, el } from './dom.ts';
import { tr } from './language.ts';
import { TOUCH } from './words.ts';

/** A labelled control: `field('sort', select)`. */
export const field = (words: string, control: Node, after: Node | null = null) =>
  el('label', { class: 'field' }, el('span', { class: 'field-name' }, words), control, after);

/**
 * A native select that reads as text.
 * @param options value and words of each
 */
export function chooser(
  options: readonly (readonly [string | number, string])[],
  value: string | number | null,
  change: (value: string) => void,
  label: string,
  look = 'chooser',
) {
  const select: HTMLSelectElement = el('select', {
    class: look,
    'aria-label': label,
    onchange: () => change(select.value),
  });
  fillChooser(select, options, value);
  return select;
}

export function fillChooser(
  select: HTMLSelectElement,
  options: readonly (readonly [string | number, string])[],
  value: string | number | null,
) {
  select.replaceChildren(...options.map(([id, words]) => el('option', { value: id }, words)));
  select.value = String(value);
}

/** The value of a layer or head picker for the mean. */
export const MEAN = 'mean';

/**
 * Offer each of `count` layers or heads (`one` names them) and, where there are several, their mean, which is null.
 */
export function fillCounted(
  pick: HTMLSelectElement,
  count: number,
  one: 'layer' | 'head',
  value: number | null,
) {
  const layers = one === 'layer';
  const name = (number: number) =>
    layers ? tr('layer {number}', { number }) : tr('head {number}', { number });
  const options: [string | number, string][] = Array.from({ length: count }, (_, n) => [n, name(n)]);
  if (count > 1)
    options.unshift([
      MEAN,
      layers ? tr('mean of {count} layers', { count }) : tr('mean of {count} heads', { count }),
    ]);
  fillChooser(pick, options, value ?? (count > 1 ? MEAN : 0));
}

export function checkbox(words: string, change: (on: boolean) => void) {
  const box: HTMLInputElement = el('input', { type: 'checkbox', onchange: () => change(box.checked) });
  return { box, node: el('label', { class: 'field' }, box, words) };
}

/** Keys by the names on the reader's keyboard. */
const keyName = (keys: string) => {
  const names: Record<string, string> = {
    Enter: tr('Enter'),
    Esc: tr('Esc'),
    Space: tr('Space'),
    Shift: tr('Shift'),
    Home: tr('Home'),
    End: tr('End'),
  };
  return keys.replace(/\w+/g, (key) => names[key] ?? key);
};

/**
 * The list of keys and numbers that ? opens, and its button; `look` is the button's class. Without keys it lists the
 * numbers alone; without either it is hidden.
 */
export function keyList(keys: readonly (readonly [string, string])[], look = 'quiet') {
  const lines = definitions((TOUCH ? [] : keys).map(([key, what]) => [keyName(key), what]));
  const list = el('dl', { class: 'keys', hidden: true }, ...lines);
  const toggle = () => show(list.hidden);
  const label = TOUCH ? tr('Numbers') : tr('Shortcuts and scores');
  const words = { 'aria-label': label, title: TOUCH ? label : `${label} (?)`, 'aria-expanded': 'false' };
  const button = el('button', { class: look, ...words, onclick: toggle }, '?');
  button.hidden = !lines.length;
  function show(open: boolean) {
    list.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
  }
  /**
   * Lists the definitions of the view's numbers below the keys.
   * @param metrics name and definition of each
   */
  function explain(metrics: readonly (readonly [string, string])[]) {
    list.replaceChildren(...lines, ...definitions(metrics, { class: 'metric' }));
    button.hidden = !list.children.length;
  }
  return { list, button, toggle, explain, hide: () => show(false), isOpen: () => !list.hidden };
}
