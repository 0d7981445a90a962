/* ---------- small DOM pieces ---------- */

/** `el('button', { class: 'token', onclick: f, 'aria-label': 'x' }, 'text', child)`: text becomes text nodes. */
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

/** Rich text without HTML: strings, or {strong}, {muted}, {kind} (the kind's colour); labels are bidi-isolated. */
export function say(node, parts) {
  const whole = (words) => words.replaceAll(' %', '\u00a0%'); // a number stays with its unit
  node.replaceChildren(
    ...parts.map((part) => {
      if (typeof part === 'string') return document.createTextNode(whole(part));
      const name = ['strong', 'kind', 'muted'].find((key) => key in part);
      const child = el(name === 'muted' ? 'span' : 'bdi', { class: `say-${name}` });
      child.textContent = whole(part[name]);
      // Quotation marks around a word stand as in the sentence; the word itself is isolated by `quoted`.
      if (part[name].startsWith('“')) child.dir = 'ltr';
      return child;
    }),
  );
}

export const percent = (weight, digits = 0) => {
  const value = weight * 100;
  if (value > 0 && value < 10 ** -digits / 2) return `< ${(10 ** -digits).toFixed(digits)} %`;
  return `${value.toFixed(digits)} %`;
};

/** A label for prose: a space or an empty token is shown as a visible sign. */
export const visible = (label) => (label === '' ? '∅' : label.trim() === '' ? '␣' : label);

/** A card: title and subtitle as `say` parts, a place for controls, a body, a live readout. */
export function card(parent, { actions = true, readout = true } = {}) {
  const title = el('h3', { class: 'card-title' });
  const subtitle = el('p', { class: 'card-subtitle' });
  const controls = el('div', { class: 'card-controls' });
  const body = el('div', { class: 'card-body' });
  const line = readout ? el('p', { class: 'readout', 'aria-live': 'polite' }) : null;
  const head = el('header', { class: 'card-head' }, el('div', { class: 'card-words' }, title, subtitle), actions ? controls : null);
  const node = el('section', { class: 'card' }, head, body, line);
  parent.append(node);
  return { node, title, subtitle, controls, body, readout: line };
}

/** The list of keys that ? opens, and the button that says so; `look` is the button's class. */
export function keyList(keys, look = 'quiet') {
  const list = el('dl', { class: 'keys', hidden: true }, ...keys.flatMap(([key, what]) => [el('dt', {}, key), el('dd', {}, what)]));
  const toggle = () => show(list.hidden);
  const button = el('button', { type: 'button', class: look, 'aria-label': 'Keys', title: 'Keys (?)', 'aria-expanded': 'false', onclick: toggle }, '?');
  function show(open) {
    list.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
  }
  return { list, button, toggle, hide: () => show(false), isOpen: () => !list.hidden };
}

