/* Shared by every component. ui/components/base.py puts `const TOKENS = {...};` before this file and
   `export default (args) => mount(args, <view>);` after the component's own file.

   A view is a function `(root, host) => ({ update(data), relayout?(), destroy?() })`. Streamlit calls the
   default export again with every new data object and on every theme change; `mount` keeps one view per
   place on the page and hands it the news, so a view builds its DOM once.

   Words from the user (tokens, sentences) reach the page through textContent and canvas text only. */

/* ---------- colour: the same arithmetic as ui/colour.py ---------- */

const hexToRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
const toLinear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const toEncoded = (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
const clamp01 = (x) => Math.min(1, Math.max(0, x));

function oklab(hex) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function oklabToHex([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return '#' + rgb.map((c) => Math.floor(toEncoded(clamp01(c)) * 255 + 0.5).toString(16).padStart(2, '0')).join('');
}

function mix(start, end, share) {
  if (share <= 0) return start;
  if (share >= 1) return end;
  const a = oklab(start);
  const b = oklab(end);
  return oklabToHex(a.map((v, i) => v + (b[i] - v) * share));
}

/** Colour of a weight in 0..1: the panel at 0, the kind's colour at 1. */
const sequential = (weight, panel, colour) => mix(panel, colour, clamp01(weight) ** TOKENS.gamma);

/** Colour of a difference in -1..1: grey at 0. */
const diverging = (value, c) =>
  value >= 0 ? mix(c.neutral, c.positive, value) : mix(c.neutral, c.negative, -value);

/** 256 colours of a scale, for drawing many cells: `table[Math.round(weight * 255)]`. */
const sequentialTable = (panel, colour) => Array.from({ length: 256 }, (_, i) => sequential(i / 255, panel, colour));
const divergingTable = (c) => Array.from({ length: 256 }, (_, i) => diverging(i / 127.5 - 1, c));

function luminance(hex) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

/** Ink or panel colour, whichever reads better on the fill. */
const readableOn = (fill, c) => (contrast(fill, c.ink) >= contrast(fill, c.panel) ? c.ink : c.panel);

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
  node.replaceChildren(
    ...parts.map((part) => {
      if (typeof part === 'string') return document.createTextNode(part);
      const name = ['strong', 'kind', 'muted'].find((key) => key in part);
      const child = el(name === 'muted' ? 'span' : 'bdi', { class: `say-${name}` });
      child.textContent = part[name];
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

/** A view (rows, columns) on flattened quantised weights: `at(r, c)` gives a weight in 0..1. */
function matrix(values, rows, columns, offset = 0) {
  const top = values instanceof Uint8Array ? 255 : values instanceof Uint16Array ? 65535 : 1;
  const at = (r, c) => values[offset + r * columns + c] / top;
  return { rows, columns, at, row: (r) => Array.from({ length: columns }, (_, c) => at(r, c)) };
}

/** Indices of the largest values, largest first. */
const topIndices = (values, count) =>
  Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);

/* ---------- drawing: one display list, on canvas or as SVG ---------- */

const SANS = '"Source Sans", "Source Sans Pro", "Segoe UI", sans-serif';
const MONO = '"Source Code Pro", "Cascadia Mono", Menlo, monospace';

/** Fits a canvas to a CSS size at the screen's resolution and returns its cleared context. */
function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Draws on a canvas. Options: fill, stroke, width, alpha, dash, radius; text: size, weight, mono, align, rotate. */
function canvasPainter(context) {
  const pen = (o) => {
    context.globalAlpha = o.alpha ?? 1;
    context.lineWidth = o.width ?? 1;
    context.lineCap = 'round';
    context.setLineDash(o.dash ?? []);
    if (o.fill) context.fillStyle = o.fill;
    if (o.stroke) context.strokeStyle = o.stroke;
  };
  const ink = (o) => {
    if (o.fill) context.fill();
    if (o.stroke) context.stroke();
  };
  return {
    rect(x, y, w, h, o) {
      pen(o);
      context.beginPath();
      if (o.radius) context.roundRect(x, y, w, h, Math.min(o.radius, w / 2, h / 2));
      else context.rect(x, y, w, h);
      ink(o);
    },
    circle(x, y, r, o) {
      pen(o);
      context.beginPath();
      context.arc(x, y, r, 0, 2 * Math.PI);
      ink(o);
    },
    line(points, o) {
      pen(o);
      context.beginPath();
      points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.stroke();
    },
    curve([x0, y0], [x1, y1], [x2, y2], [x3, y3], o) {
      pen(o);
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x1, y1, x2, y2, x3, y3);
      context.stroke();
    },
    path(d, o) {
      pen(o);
      const shape = new Path2D(d);
      if (o.fill) context.fill(shape);
      if (o.stroke) context.stroke(shape);
    },
    image(x, y, w, h, canvas) {
      context.globalAlpha = 1;
      context.imageSmoothingEnabled = false;
      context.drawImage(canvas, x, y, w, h);
    },
    text(x, y, words, o = {}) {
      pen(o);
      context.save();
      context.translate(x, y);
      if (o.rotate) context.rotate((o.rotate * Math.PI) / 180);
      context.font = `${o.weight ?? 400} ${o.size ?? 13}px ${o.mono ? MONO : SANS}`;
      context.textAlign = o.align ?? 'left';
      context.textBaseline = o.baseline ?? 'alphabetic';
      context.fillText(words, 0, 0);
      context.restore();
    },
  };
}

/** The same calls as canvasPainter, collected as an SVG document; `blob()` gives the file. */
function svgPainter(width, height, background) {
  const space = 'http://www.w3.org/2000/svg';
  const make = (tag, attributes) => {
    const node = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(name, value);
    return node;
  };
  const n = (x) => Math.round(x * 100) / 100;
  const svg = make('svg', { width: n(width), height: n(height), viewBox: `0 0 ${n(width)} ${n(height)}` });
  const paint = (o) => ({
    fill: o.fill ?? 'none',
    stroke: o.stroke,
    'stroke-width': o.stroke ? (o.width ?? 1) : undefined,
    'stroke-linecap': o.stroke ? 'round' : undefined,
    'stroke-dasharray': o.dash?.length ? o.dash.join(' ') : undefined,
    opacity: o.alpha === undefined || o.alpha === 1 ? undefined : n(o.alpha),
  });
  const add = (tag, attributes) => svg.appendChild(make(tag, attributes));
  add('rect', { width: '100%', height: '100%', fill: background });
  return {
    rect: (x, y, w, h, o) => add('rect', { x: n(x), y: n(y), width: n(w), height: n(h), rx: o.radius, ...paint(o) }),
    circle: (x, y, r, o) => add('circle', { cx: n(x), cy: n(y), r: n(r), ...paint(o) }),
    line: (points, o) => add('polyline', { points: points.map((p) => p.map(n).join(',')).join(' '), ...paint(o) }),
    curve: (a, b, c, d, o) =>
      add('path', { d: `M${a.map(n)} C${b.map(n)} ${c.map(n)} ${d.map(n)}`, ...paint(o) }),
    path: (d, o) => add('path', { d, ...paint(o) }),
    image: (x, y, w, h, canvas) =>
      add('image', { x: n(x), y: n(y), width: n(w), height: n(h), href: canvas.toDataURL(), preserveAspectRatio: 'none', style: 'image-rendering:pixelated' }),
    text(x, y, words, o = {}) {
      const node = add('text', {
        x: n(x),
        y: n(y),
        transform: o.rotate ? `rotate(${o.rotate} ${n(x)} ${n(y)})` : undefined,
        'font-family': o.mono ? MONO : SANS,
        'font-size': n(o.size ?? 13),
        'font-weight': o.weight,
        'text-anchor': { center: 'middle', right: 'end', end: 'end' }[o.align],
        'dominant-baseline': o.baseline === 'middle' ? 'central' : undefined,
        'unicode-bidi': 'plaintext',
        ...paint(o),
      });
      node.textContent = words;
    },
    blob: () => new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' }),
  };
}

const measureContext = document.createElement('canvas').getContext('2d');
function textWidth(words, size, mono = true, weight = 400) {
  measureContext.font = `${weight} ${size}px ${mono ? MONO : SANS}`;
  return measureContext.measureText(words).width;
}

/** The label, cut with … to fit a width in pixels. */
function shorten(words, width, size, mono = true) {
  if (textWidth(words, size, mono) <= width) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join('')}…`, size, mono) > width) letters.pop();
  return `${letters.join('')}…`;
}

function download(blob, name) {
  const link = el('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** PNG and SVG buttons. `draw(painter)` repeats the view; `size()` its width and height in CSS pixels. */
function exportButtons(host, name, size, draw) {
  const png = () => {
    const [width, height] = size();
    const canvas = el('canvas');
    canvas.width = width * 2;
    canvas.height = height * 2;
    const context = canvas.getContext('2d');
    context.scale(2, 2);
    context.fillStyle = host.colours.panel;
    context.fillRect(0, 0, width, height);
    draw(canvasPainter(context));
    canvas.toBlob((blob) => download(blob, `${name}.png`));
  };
  const svg = () => {
    const [width, height] = size();
    const painter = svgPainter(width, height, host.colours.panel);
    draw(painter);
    download(painter.blob(), `${name}.svg`);
  };
  return el(
    'span',
    { class: 'exports' },
    el('button', { type: 'button', class: 'quiet', title: 'Save this picture as PNG', onclick: png }, 'PNG'),
    el('button', { type: 'button', class: 'quiet', title: 'Save this picture as SVG', onclick: svg }, 'SVG'),
  );
}

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
    if (typeof value === 'string') root.style.setProperty(`--${name.replaceAll('_', '-')}`, value);
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
