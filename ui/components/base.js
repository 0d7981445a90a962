/* Shared by every component, with base_colour.js and base_paint.js. ui/components/base.py puts
   `const TOKENS = {...};` before them and `export default (args) => mount(args, <view>);` after the component.

   A view is a function `(root, host) => ({ update(data), relayout?(), destroy?() })`. Streamlit calls the
   default export again with every new data object and on every theme change; `mount` keeps one view per
   place on the page and hands it the news, so a view builds its DOM once.

   Words from the user (tokens, sentences) reach the page through textContent and canvas text only. */

/* ---------- small DOM pieces ---------- */

/** `el('button', { class: 'token', onclick: f, 'aria-label': 'x' }, 'text', child)`: text becomes text nodes. */
function el(tag, attributes = {}, ...children) {
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
function say(node, parts) {
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

const percent = (weight, digits = 0) => {
  const value = weight * 100;
  if (value > 0 && value < 10 ** -digits / 2) return `< ${(10 ** -digits).toFixed(digits)} %`;
  return `${value.toFixed(digits)} %`;
};

/** A label for prose: a space or an empty token is shown as a visible sign. */
const visible = (label) => (label === '' ? '∅' : label.trim() === '' ? '␣' : label);

/** Whether a label is that of a special token, such as ⟨end⟩, written quieter than words; the rule is core's. */
const SPECIAL_LABEL = new RegExp(TOKENS.special, 'u');
const isSpecial = (label) => SPECIAL_LABEL.test(label);

/** A card: title and subtitle as `say` parts, a place for controls, a body, a live readout. */
function card(parent, { actions = true, readout = true } = {}) {
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

/* ---------- arrays from Python ---------- */

/** The numbers of an Arrow column as a typed array (uint8, uint16, float32); empty when there is none. */
function unpack(table) {
  const column = table?.getChildAt?.(0);
  return column ? column.toArray() : new Uint8Array(0);
}

/** Indices of the largest values, largest first. */
const topIndices = (values, count) =>
  Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);

/* ---------- keyboard and motion ---------- */

const reducedMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Calls `frame(share)` with share going 0 → 1 within `duration` ms, at once under reduced motion. Returns stop(). */
function animate(frame, duration = 180) {
  if (reducedMotion()) {
    frame(1);
    return () => {};
  }
  let id = 0;
  const start = performance.now();
  const tick = (now) => {
    const share = clamp01((now - start) / duration);
    frame(1 - (1 - share) ** 3);
    if (share < 1) id = requestAnimationFrame(tick);
  };
  id = requestAnimationFrame(tick);
  return () => cancelAnimationFrame(id);
}

const TYPING = 'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="textbox"], [role="combobox"], [role="listbox"], [role="slider"], [role="radio"], [role="tab"], [role="menu"], [role="dialog"], [role="grid"]';
const PRESSING = 'button, a, [role="button"], summary';

/** Page-wide keys: `{ ArrowRight: f, ' ': g }`, ignored while typing, in menus, and with a modifier held. */
function pageKeys(host, keys) {
  const listener = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target.closest?.(TYPING)) return;
    // Space and Enter press the focused button; they must not also play.
    if ((event.key === ' ' || event.key === 'Enter') && target.closest?.(PRESSING)) return;
    const action = keys[event.key];
    if (action && action(event) !== false) event.preventDefault();
  };
  document.addEventListener('keydown', listener, { signal: host.signal });
}

/** The list of keys that ? opens, and the button that says so; `look` is the button's class. */
function keyList(keys, look = 'quiet') {
  const list = el('dl', { class: 'keys', hidden: true }, ...keys.flatMap(([key, what]) => [el('dt', {}, key), el('dd', {}, what)]));
  const toggle = () => show(list.hidden);
  const button = el('button', { type: 'button', class: look, 'aria-label': 'Keys', title: 'Keys (?)', 'aria-expanded': 'false', onclick: toggle }, '?');
  function show(open) {
    list.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
  }
  return { list, button, toggle, hide: () => show(false), isOpen: () => !list.hidden };
}

/* ---------- views that know of each other ---------- */

/** Each view is a module of its own; what one announces reaches the others in the same frame, without the server. */
const bus = (window.atlasBus ??= Object.assign(new EventTarget(), { last: {} }));
function announce(topic, words) {
  bus.last[topic] = words;
  bus.dispatchEvent(new CustomEvent(topic, { detail: words }));
}
function listenTo(host, topic, hear) {
  bus.addEventListener(topic, (event) => hear(event.detail), { signal: host.signal });
}

/** What the reader sets in the browser and a link holds. Python answers each report with the value it was told, which is
    old when more were made since; `isNews(value)` is false for such an echo. A report counts until it, or a later one,
    is answered, so that the browser's Back to the same value is news. */
function linked(host, name) {
  let waiting = [];
  let last = '';
  return {
    report(value) {
      waiting.push(JSON.stringify(value));
      host.trigger(name, value);
    },
    isNews(value) {
      const words = JSON.stringify(value);
      const place = waiting.indexOf(words);
      const echo = words === last || place >= 0;
      waiting = waiting.slice(place + 1);
      last = words;
      return !echo;
    },
  };
}

/* ---------- mounting ---------- */

const mounts = new WeakMap();

function readTheme(root) {
  const background = getComputedStyle(root).getPropertyValue('--st-background-color').trim();
  const probe = measureContext;
  probe.fillStyle = '#ffffff';
  probe.fillStyle = background || '#ffffff'; // the canvas turns any CSS colour into #rrggbb
  return luminance(probe.fillStyle.slice(0, 7)) < 0.25 ? 'dark' : 'light';
}

function applyTheme(root, host) {
  host.theme = readTheme(root);
  host.colours = TOKENS[host.theme];
  root.dataset.theme = host.theme;
  for (const [name, value] of Object.entries(host.colours)) {
    if (typeof value !== 'string') continue;
    root.style.setProperty(`--${name.replaceAll('_', '-')}`, value);
    // A switch between light and dark runs no Python, so the page's own CSS (ui/style/shell.css) is told here.
    document.documentElement.style.setProperty(`--atlas-${name.replaceAll('_', '-')}`, value);
  }
}

function startView({ parentElement, data }, create) {
  const root = parentElement.querySelector('.atlas');
  root.replaceChildren();
  const stop = new AbortController();
  const host = { root, signal: stop.signal, scale: 1, kindColour: (kind) => host.colours[kind] ?? host.colours.cross };
  applyTheme(root, host);
  // One element one em wide and one as wide as the root: their sizes change with presenter mode and with the page.
  const ruler = el('span', { class: 'ruler', 'aria-hidden': 'true' });
  const tip = el('div', { class: 'tip', role: 'tooltip', hidden: true });
  const stage = el('div', { class: 'stage-root' });
  root.append(stage, ruler, tip);
  host.tip = (words, x, y) => {
    tip.hidden = !words;
    if (!words) return;
    if (typeof words === 'string') tip.textContent = words;
    else say(tip, words);
    const room = root.clientWidth - tip.offsetWidth - 4;
    tip.style.transform = `translate(${Math.max(0, Math.min(room, x + 12))}px, ${y + 14}px)`;
  };
  const readScale = () => (host.scale = (ruler.getBoundingClientRect().width || 100) / 100);
  readScale();
  const view = create(stage, host);
  let size = '';
  const observer = new ResizeObserver(() => {
    readScale();
    const now = `${root.clientWidth}/${host.scale.toFixed(3)}`;
    if (now !== size && size) view.relayout?.();
    size = now;
  });
  observer.observe(root);
  observer.observe(ruler);
  // Canvas text measured before the web font arrives would be set in the wrong widths.
  document.fonts?.ready.then(() => !stop.signal.aborted && view.relayout?.());
  const destroy = () => {
    observer.disconnect();
    stop.abort();
    view.destroy?.();
  };
  return { host, view, destroy, turn: 0 };
}

function mount(args, create) {
  const place = args.parentElement;
  if (!mounts.has(place)) mounts.set(place, startView(args, create));
  const mounted = mounts.get(place);
  const { host, view } = mounted;
  const turn = ++mounted.turn;
  host.trigger = args.setTriggerValue;
  host.state = args.setStateValue;
  applyTheme(host.root, host);
  view.update(args.data);
  return () => {
    // A late clean-up of an older call must not take down the view a newer call is using.
    if (mounts.get(place) !== mounted || mounted.turn !== turn) return;
    mounted.destroy();
    mounts.delete(place);
  };
}
