// web/base/colour.ts
var hexToRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
var toLinear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
function luminance(hex) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// web/base/dom.ts
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === void 0 || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== void 0));
  return node;
}
var wordsOf = (part) => typeof part === "string" ? part : Object.values(part)[0];
function say(node, parts) {
  node.replaceChildren(
    ...parts.map((part) => {
      const words = wordsOf(part).replaceAll(" %", " %");
      if (typeof part === "string") return document.createTextNode(words);
      const name = Object.keys(part)[0];
      const child = el(name === "muted" ? "span" : "bdi", { class: `say-${name}` }, words);
      if (words.startsWith("“")) child.dir = "ltr";
      return child;
    })
  );
}

// web/base/events.ts
function bus() {
  const page = window;
  return page.atlasBus ??= Object.assign(new EventTarget(), { last: {} });
}
function announce(topic, words) {
  bus().last[topic] = words;
  bus().dispatchEvent(new CustomEvent(topic, { detail: words }));
}

// web/generated/tokens.ts
var TOKENS = {
  light: {
    background: "#fbfbf9",
    panel: "#ffffff",
    ink: "#1c2230",
    muted: "#636b7d",
    line: "#e4e5e0",
    soft: "#f1f1ec",
    encoder: "#4457c2",
    causal: "#c96a1b",
    cross: "#0b857c",
    query: "#9b3fa5",
    key: "#8a6d00",
    value: "#5a8f35",
    encoder_text: "#4457c2",
    causal_text: "#a9540f",
    cross_text: "#0a7a72",
    query_text: "#8f3a99",
    key_text: "#7d6300",
    value_text: "#477327",
    negative: "#2f6bb3",
    neutral: "#e9e9e6",
    positive: "#b8434f",
    bar: "#bcc0cb",
    heads: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#1c2230"]
  },
  dark: {
    background: "#10131b",
    panel: "#181c27",
    ink: "#e8eaf0",
    muted: "#8f97ab",
    line: "#2a3040",
    soft: "#1f2431",
    encoder: "#8c9bff",
    causal: "#f2a45c",
    cross: "#3cc9bc",
    query: "#d79be0",
    key: "#d9bd55",
    value: "#9ccb78",
    encoder_text: "#8c9bff",
    causal_text: "#f2a45c",
    cross_text: "#3cc9bc",
    query_text: "#d79be0",
    key_text: "#d9bd55",
    value_text: "#9ccb78",
    negative: "#6ea8f2",
    neutral: "#343a48",
    positive: "#f0868f",
    bar: "#4d5363",
    heads: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#e8eaf0"]
  },
  gamma: 0.6,
  least: 18,
  special: "^⟨(?!unk⟩$).*⟩$"
};

// web/base/data.ts
var ARRAYS = { float32: Float32Array, uint16: Uint16Array, uint8: Uint8Array };
var revived = /* @__PURE__ */ new WeakMap();
var numbersOf = (column, type) => {
  if (ArrayBuffer.isView(column)) return column;
  return column?.getChildAt?.(0)?.toArray() ?? new ARRAYS[type](0);
};
function revive(packed) {
  if (!revived.has(packed)) {
    const data = structuredClone(packed.fields);
    packed.arrays.forEach(([path, type], n) => {
      const owner = path.slice(0, -1).reduce((at, step) => at[step], data);
      Object.assign(owner, { [path[path.length - 1]]: numbersOf(packed[`column${n}`], type) });
    });
    revived.set(packed, data);
  }
  return revived.get(packed);
}

// web/base/language.ts
var spoken = {};
var speak = (language) => {
  spoken = language ?? {};
};

// web/base/fill.ts
var MOST = 2.6;
var ROUNDS = 5;
var TYPING = 'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="slider"]';
var CARD = '.card, [class*="st-key-card_"]';
var CONTAINER = '[data-testid="stElementContainer"]';
function begin() {
  const page = window;
  if (page.atlasFilling) return null;
  return page.atlasFilling = { pointed: null, filled: null, before: null, back() {
  } };
}
function cardAround(element) {
  for (let node = element ?? null; node; ) {
    const card = node.closest(CARD);
    if (card) return card.closest('[data-testid="stSidebar"]') ? null : card;
    const root = node.getRootNode();
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return null;
}
function cardsIn(root) {
  const own = [...root.querySelectorAll(CARD)].filter(cardAround);
  const inside = [...root.querySelectorAll("*")].flatMap(
    ({ shadowRoot }) => shadowRoot ? cardsIn(shadowRoot) : []
  );
  return [...own, ...inside];
}
function seenOf(card) {
  const { left, right, top, bottom } = card.getBoundingClientRect();
  const wide = Math.min(right, window.innerWidth) - Math.max(left, 0);
  return wide * Math.max(0, Math.min(bottom, window.innerHeight) - Math.max(top, 0));
}
function chosen({ pointed }) {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  const near = cardAround(active) ?? cardAround(pointed?.isConnected ? pointed : null);
  if (near) return near;
  return cardsIn(document).reduce(
    (a, b) => a && seenOf(a) >= seenOf(b) ? a : b,
    null
  );
}
function enlarge(card, times) {
  const root = card.closest(".atlas");
  if (!root) return void card.style.setProperty("zoom", times === 1 ? "" : String(times));
  const page = Number(getComputedStyle(document.documentElement).getPropertyValue("--atlas-scale")) || 1;
  if (times === 1) root.style.removeProperty("--atlas-scale");
  else root.style.setProperty("--atlas-scale", String(page * times));
  root.dispatchEvent(new Event("refit"));
}
function dress(node, wanted) {
  for (const [name, value] of Object.entries(wanted)) node.style.setProperty(name, value, "important");
  return () => Object.keys(wanted).forEach((name) => node.style.removeProperty(name));
}
function enlargeCharts(card, times) {
  const find = (wish) => [...card.querySelectorAll(wish)];
  const charts = find(".stPlotlyChart");
  if (!charts.length) return null;
  const containers = charts.map((chart) => chart.closest(CONTAINER) ?? chart);
  const words = find(CONTAINER).filter(
    (container) => !container.querySelector(`${CONTAINER}, .stPlotlyChart`)
  );
  const rooms = containers.map((container) => container.parentElement?.clientWidth ?? container.clientWidth);
  const tall = charts.map((chart) => chart.clientHeight);
  const undo = words.map((container) => dress(container, { zoom: String(times) }));
  for (const container of containers)
    for (let node = container.parentElement; node && node !== card; node = node.parentElement)
      undo.push(dress(node, { flex: "none", height: "auto", "max-height": "none", overflow: "visible" }));
  const spread = (more) => charts.forEach((chart, n) => {
    const height = tall[n] + more / charts.length / times;
    const size = { width: `${rooms[n] / times}px`, height: `${height}px`, overflow: "visible" };
    for (let node = chart; node !== containers[n]; node = node.parentElement)
      undo.push(dress(node, size));
    const below = { "margin-bottom": `${height * (times - 1)}px` };
    undo.push(dress(containers[n], { ...size, ...below, "min-width": "0", "align-self": "flex-start" }));
    const picture = chart.querySelector(".js-plotly-plot");
    if (picture) undo.push(dress(picture, { transform: `scale(${times})`, "transform-origin": "0 0" }));
  });
  spread(0);
  const last = card.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  spread(window.innerHeight - last - parseFloat(getComputedStyle(card).paddingBottom));
  return () => undo.forEach((back) => back());
}
function fit(card, { width, height }) {
  const back = () => enlarge(card, 1);
  if (!card.closest(".atlas")) {
    const room = Math.min(window.innerWidth / width, window.innerHeight / height);
    const times = Math.min(MOST, Math.max(1, room));
    const smaller = enlargeCharts(card, times);
    if (!smaller) enlarge(card, times);
    return smaller ?? back;
  }
  let [low, high] = [1, MOST];
  for (let round = 0; round < ROUNDS; round++) {
    const times = (low + high) / 2;
    enlarge(card, times);
    const fits = card.scrollHeight <= card.clientHeight + 1 && card.scrollWidth <= card.clientWidth + 1;
    if (fits) low = times;
    else high = times;
  }
  enlarge(card, low);
  return back;
}
function filling() {
  let element = document.fullscreenElement;
  while (element?.shadowRoot?.fullscreenElement) element = element.shadowRoot.fullscreenElement;
  return element;
}
async function toggleFill(inside = null) {
  const page = window;
  if (document.fullscreenElement) return document.exitFullscreen();
  const card = cardAround(inside) ?? (page.atlasFilling && chosen(page.atlasFilling));
  if (!card || !page.atlasFilling) return;
  page.atlasFilling.before = card.getBoundingClientRect();
  await card.requestFullscreen?.();
}
function listenForFill() {
  const state = begin();
  if (!state) return;
  document.addEventListener("pointermove", (event) => {
    state.pointed = event.composedPath()[0];
  });
  document.addEventListener("fullscreenchange", () => {
    const now = filling();
    if (state.filled !== now) state.back();
    state.back = () => {
    };
    state.filled = now?.matches(CARD) ? now : null;
    const { filled, before } = state;
    if (!filled || !before) return;
    requestAnimationFrame(() => {
      if (state.filled === filled) state.back = fit(filled, before);
    });
  });
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const away = event.key === "Escape" && document.fullscreenElement;
    const target = event.composedPath()[0];
    if (!away && (event.key.toLowerCase() !== "f" || target.closest?.(TYPING))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void toggleFill();
  };
  document.addEventListener("keydown", press, true);
}

// web/base/words.ts
var TOUCH = globalThis.matchMedia?.("(hover: none) and (pointer: coarse)").matches ?? false;
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");

// web/base/paint.ts
var context = null;
function measuring() {
  context ??= context2d(document.createElement("canvas"));
  return context;
}
function context2d(canvas) {
  return canvas.getContext("2d");
}

// web/base/view.ts
var mounts = /* @__PURE__ */ new WeakMap();
function readTheme(root) {
  const background = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const probe = measuring();
  probe.fillStyle = "#ffffff";
  probe.fillStyle = background || "#ffffff";
  return luminance(probe.fillStyle.slice(0, 7)) < 0.25 ? "dark" : "light";
}
function applyTheme(root, host) {
  host.theme = readTheme(root);
  host.colours = TOKENS[host.theme];
  root.dataset.theme = host.theme;
  for (const [name, value] of Object.entries(host.colours)) {
    if (typeof value !== "string") continue;
    root.style.setProperty(`--${name.replaceAll("_", "-")}`, value);
    document.documentElement.style.setProperty(`--atlas-${name.replaceAll("_", "-")}`, value);
  }
}
function makeTip(root) {
  const node = el("div", { class: "tip", role: "tooltip", hidden: true });
  const tip = (words, x, y) => {
    node.hidden = !words.length;
    if (node.hidden) return;
    say(node, typeof words === "string" ? [words] : words);
    const room = root.clientWidth - node.offsetWidth - 4;
    node.style.transform = `translate(${Math.max(0, Math.min(room, x + 12))}px, ${y + 14}px)`;
  };
  return { node, tip };
}
function watchSize(root, host, ruler, view2) {
  let size = "";
  const rescale = () => {
    host.scale = scaleOf(ruler);
    root.toggleAttribute("data-hall", host.scale > 1);
  };
  rescale();
  const observer = new ResizeObserver(() => {
    rescale();
    const now = `${root.clientWidth}/${host.scale.toFixed(3)}`;
    if (now !== size && size) view2.relayout?.();
    size = now;
  });
  observer.observe(root);
  observer.observe(ruler);
  const refit = () => {
    rescale();
    size = `${root.clientWidth}/${host.scale.toFixed(3)}`;
    view2.relayout?.();
  };
  root.addEventListener("refit", refit, { signal: host.signal });
  void document.fonts?.ready.then(() => !host.signal.aborted && view2.relayout?.());
  return observer;
}
var scaleOf = (ruler) => (ruler.getBoundingClientRect().width || 100) / 100;
var reaching = (args) => (name, value) => {
  const tell = () => args.setTriggerValue(name, value);
  const { atlasLine } = window;
  if (atlasLine) atlasLine.tell(tell);
  else tell();
};
function startView(args, create) {
  const root = args.parentElement.querySelector(".atlas");
  root.replaceChildren();
  const stop = new AbortController();
  const ruler = el("span", { class: "ruler", "aria-hidden": "true" });
  const { node, tip } = makeTip(root);
  const stage = el("div", { class: "stage-root" });
  root.append(stage, ruler, node);
  const host = {
    root,
    tip,
    signal: stop.signal,
    scale: scaleOf(ruler),
    theme: "light",
    colours: TOKENS.light,
    trigger: reaching(args),
    state: args.setStateValue
  };
  applyTheme(root, host);
  listenForFill();
  const view2 = create(stage, host);
  const observer = watchSize(root, host, ruler, view2);
  const destroy = () => {
    observer.disconnect();
    stop.abort();
    view2.destroy?.();
  };
  return { host, view: view2, destroy };
}
var mount = (args, create) => {
  speak(args.data.language);
  return show(args, revive(args.data), create);
};
function show(page, data, create) {
  const parent = page.parentElement;
  const mounted = mounts.get(parent) ?? startView(page, create);
  mounts.set(parent, mounted);
  const { host, view: view2 } = mounted;
  host.trigger = reaching(page);
  host.state = page.setStateValue;
  applyTheme(host.root, host);
  view2.update(data);
  return () => {
    if (parent.isConnected || mounts.get(parent) !== mounted) return;
    mounted.destroy();
    mounts.delete(parent);
  };
}

// inside/inside_terms.ts
function insideTerms() {
  return {
    update({ why }) {
      announce("inside-terms", why);
    }
  };
}
function view(args) {
  return mount(args, insideTerms);
}
export {
  view as default
};
