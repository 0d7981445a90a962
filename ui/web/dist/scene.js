// web/base/dom.ts
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  if (tag === "button") node.setAttribute("type", "button");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === void 0 || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== void 0));
  return node;
}
var definitions = (pairs, attributes = {}) => pairs.flatMap(([name, what]) => [el("dt", attributes, name), el("dd", attributes, what)]);
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
function card(parent, look2 = "") {
  const title = el("h3", { class: "card-title" });
  const subtitle = el("p", { class: "card-subtitle" });
  const controls = el("div", { class: "card-controls" });
  const body = el("div", { class: "card-body" });
  const readout = el("p", { class: "readout", "aria-live": "polite" });
  const words = el("div", { class: "card-words" }, title, subtitle);
  const head = el("header", { class: "card-head" }, words, controls);
  const node = el("section", { class: `card ${look2}`.trim() }, head, body);
  parent.append(node);
  const lines = { title, subtitle, readout };
  const tell = (words2) => {
    for (const [name, line] of Object.entries(lines)) {
      const given = words2[name];
      if (given !== void 0) say(line, typeof given === "string" ? [given] : given);
    }
  };
  return { node, ...lines, controls, body, tell };
}

// web/base/language.ts
var spoken = {};
var speak = (language) => {
  spoken = language ?? {};
};
var languageCode = () => spoken.code ?? "en";
var fill = (text, values) => text.replace(/\{(\w+)\}/g, (field, name) => {
  const value = values[name] ?? field;
  return typeof value === "number" ? localised(String(value)) : value;
});
var tr = (text, values = {}) => fill(spoken.words?.[text] ?? text, values);
function marks() {
  const parts = new Intl.NumberFormat(languageCode()).formatToParts(12345.6);
  const mark = (type) => parts.find((part) => part.type === type)?.value ?? "";
  return { ",": mark("group"), ".": mark("decimal") };
}
function localised(written) {
  if (!spoken.code) return written;
  const own = marks();
  return written.replace(/(?<=\d)[.,](?=\d)/g, (mark) => own[mark]);
}
var fixed = (value, digits) => localised(value.toFixed(digits));

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

// web/base/words.ts
var TOUCH = globalThis.matchMedia?.("(hover: none) and (pointer: coarse)").matches ?? false;
function percent(weight, digits = 0) {
  const value = weight * 100;
  if (value > 0 && value < 10 ** -digits / 2) return `< ${fixed(10 ** -digits, digits)} %`;
  return `${fixed(value, digits)} %`;
}
var visible = (label) => label === "" ? "∅" : label.trim() === "" ? "␣" : label;
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
var isSpecial = (label) => SPECIAL_LABEL.test(label);

// web/base/paint.ts
var SPACE = "http://www.w3.org/2000/svg";
function svgElement(tag, attributes = {}) {
  const node = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== void 0 && value !== null) node.setAttribute(name, String(value));
  }
  return node;
}
var SANS = '"Source Sans", "Source Sans Pro", "Segoe UI", sans-serif';
var MONO = '"Source Code Pro", "Cascadia Mono", Menlo, monospace';
var context = null;
function measuring() {
  context ??= context2d(document.createElement("canvas"));
  return context;
}
function context2d(canvas) {
  return canvas.getContext("2d");
}
function textWidth(words, size, mono = true, weight = 400) {
  const pen = measuring();
  pen.font = `${weight} ${size}px ${mono ? MONO : SANS}`;
  return pen.measureText(words).width;
}

// web/base/colour.ts
var hexToRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
var toLinear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
var toEncoded = (c) => c <= 31308e-7 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
var clamp01 = (x) => Math.min(1, Math.max(0, x));
function oklab(hex) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  ];
}
function oklabToHex([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s
  ];
  const digits = (c) => Math.floor(toEncoded(clamp01(c)) * 255 + 0.5).toString(16).padStart(2, "0");
  return "#" + rgb.map(digits).join("");
}
function mix(start, end, share) {
  if (share <= 0) return start;
  if (share >= 1) return end;
  const a = oklab(start);
  const b = oklab(end);
  return oklabToHex(a.map((v, i) => v + (b[i] - v) * share));
}
var rampTable = (from, to) => Array.from({ length: 256 }, (_, i) => mix(from, to, i / 255));
function luminance(hex) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}
var READABLE = 4.5;
var better = (fill2, a, b) => contrast(fill2, a) >= contrast(fill2, b) ? a : b;
function readableOn(fill2, c) {
  const own = better(fill2, c.ink, c.panel);
  return contrast(fill2, own) >= READABLE ? own : better(fill2, "#000000", "#ffffff");
}

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

// web/base/slide.ts
var [LEAST, MOST] = [1.4, 3];
var NARROW = 590;
var ROUNDS = 6;
var SMALLEST = 60;
var CHART = 250;
var EVERY = 300;
var PATIENCE = 12;
var SETTLES = 1500;
var AT_MOST = 1e4;
var TYPING = 'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="slider"]';
var CARD = '.card, [class*="st-key-card_"]';
var CONTAINER = '[data-testid="stElementContainer"]';
var MARK = "data-slide-card";
var EMBEDDED = new URLSearchParams(globalThis.location?.search ?? "").get("embed") === "1";
var page = globalThis;
function cardAround(element) {
  for (let node = element ?? null; node; ) {
    const card2 = node.closest(CARD);
    if (card2) return card2.closest('[data-testid="stSidebar"]') ? null : card2;
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
function cardName(card2) {
  const own = /st-key-card_([\w-]+)/.exec(card2.className);
  if (own) return own[1];
  const root = card2.getRootNode();
  const host = root instanceof ShadowRoot ? root.host : card2;
  const key = /st-key-([\w-]+)/.exec(host.closest('[class*="st-key-"]')?.className ?? "");
  const nth = [...root.querySelectorAll(".card")].indexOf(card2);
  const name = (key?.[1] ?? "card").replace(/[_-](encoder|causal|cross|view)$/, "");
  return `${name}${nth > 0 ? `-${nth + 1}` : ""}`;
}
function framed(card2) {
  if (!card2.matches('[class*="st-key-card_"]')) return card2;
  const views = cardsIn(card2).filter(({ offsetHeight }) => offsetHeight);
  return views.length === 1 && 2 * seenHeight(views[0]) > seenHeight(card2) ? views[0] : card2;
}
var seenHeight = (card2) => card2.getBoundingClientRect().height;
function seenOf(card2) {
  const { left, right, top, bottom } = card2.getBoundingClientRect();
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
function dress(node, wanted) {
  for (const [name, value] of Object.entries(wanted)) node.style.setProperty(name, value, "important");
  return () => Object.keys(wanted).forEach((name) => node.style.removeProperty(name));
}
var onPhone = () => window.innerWidth < NARROW;
var excess = (card2) => Math.max(card2.scrollHeight - card2.clientHeight, card2.scrollWidth - card2.clientWidth) - 1;
function largest(least, most, fits) {
  let [low, high] = [least, most];
  for (let round = 0; round < ROUNDS; round++) {
    const times = (low + high) / 2;
    if (fits(times)) low = times;
    else high = times;
  }
  return low;
}
function fitCharts(card2, times) {
  const find = (wish) => [...card2.querySelectorAll(wish)];
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
    for (let node = container.parentElement; node && node !== card2; node = node.parentElement)
      undo.push(dress(node, { flex: "none", height: "auto", "max-height": "none", overflow: "visible" }));
  const spread = (more) => charts.forEach((chart, n) => {
    const height = Math.max(onPhone() ? CHART : SMALLEST, tall[n] + more / charts.length / times);
    const size = { width: `${rooms[n] / times}px`, height: `${height}px`, overflow: "visible" };
    for (let node = chart; node !== containers[n]; node = node.parentElement)
      undo.push(dress(node, size));
    const below = { "margin-bottom": `${height * (times - 1)}px` };
    undo.push(dress(containers[n], { ...size, ...below, "min-width": "0", "align-self": "flex-start" }));
    const picture = chart.querySelector(".js-plotly-plot");
    if (picture) undo.push(dress(picture, { transform: `scale(${times})`, "transform-origin": "0 0" }));
  });
  spread(0);
  const last = card2.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  spread(card2.getBoundingClientRect().bottom - last - parseFloat(getComputedStyle(card2).paddingBottom) - 1);
  return () => undo.forEach((back) => back());
}
function fitElements(card2, { width: width2, height }) {
  const { clientWidth, clientHeight } = card2;
  const fits = Math.min(clientWidth / width2, clientHeight / height);
  const room = onPhone() ? 1 : Math.min(MOST, Math.max(1, fits));
  const charts = fitCharts(card2, room);
  if (charts) return charts;
  const inner = [...card2.children].filter((child) => child.offsetHeight);
  let undo = [];
  const zoom = (times) => {
    undo.forEach((back) => back());
    undo = inner.map((child) => dress(child, { zoom: String(times) }));
    return excess(card2) <= 0;
  };
  zoom(largest(1, MOST / LEAST, zoom));
  return () => undo.forEach((back) => back());
}
function fitView(card2, root) {
  const draw = (times2, room2) => {
    root.style.setProperty("--atlas-scale", String(times2));
    root.dataset.slideRoom = String(Math.round(room2));
    root.dispatchEvent(new Event("refit"));
    return excess(card2) <= 0;
  };
  const least = onPhone() ? 1 : LEAST;
  const most = Number(card2.dataset.slideMost ?? MOST);
  const times = largest(least, most, (size) => draw(size, window.innerHeight / size));
  const room = window.innerHeight / times;
  if (!draw(times, room))
    draw(
      times,
      largest(SMALLEST, room, (tall) => draw(times, tall))
    );
  return () => {
    root.style.removeProperty("--atlas-scale");
    delete root.dataset.slideRoom;
    root.dispatchEvent(new Event("refit"));
  };
}
function signatureOf(card2) {
  const sizes = [window.innerWidth, window.innerHeight, card2.clientWidth, card2.clientHeight];
  const charts = [...card2.querySelectorAll(".js-plotly-plot")];
  return [...sizes, card2.scrollHeight, ...charts.map(({ style }) => style.transform)].join();
}
function show(state, card2) {
  state.undo();
  const before = card2.getBoundingClientRect();
  document.documentElement.toggleAttribute("data-slide", true);
  card2.setAttribute(MARK, "");
  const root = card2.closest(".atlas");
  const smaller = root ? fitView(card2, root) : fitElements(card2, before);
  state.card = card2;
  state.signature = signatureOf(card2);
  state.undo = () => {
    smaller();
    card2.removeAttribute(MARK);
    state.undo = () => {
    };
  };
}
var rests = () => document.querySelector('[data-test-script-state]:not([data-test-script-state="running"])') !== null;
function rememberScroll() {
  const main = document.querySelector('[data-testid="stMain"]');
  if (!main) return () => {
  };
  const [top, path] = [main.scrollTop, location.pathname];
  return () => {
    if (location.pathname !== path || !main.isConnected) return;
    const began = performance.now();
    const acts = ["wheel", "touchstart", "pointerdown", "keydown"];
    let [height, set, since] = [-1, -1, began];
    const stop = () => {
      window.clearInterval(timer);
      for (const act of acts) document.removeEventListener(act, stop, true);
    };
    const hold = () => {
      const [now, same] = [performance.now(), main.scrollHeight === height];
      if (same && main.scrollTop !== set) return stop();
      if (!same) main.scrollTop = top;
      [height, set] = [main.scrollHeight, main.scrollTop];
      if (!same || !rests()) since = now;
      if (now - since > SETTLES || now - began > AT_MOST) stop();
    };
    const timer = window.setInterval(hold, EVERY / 6);
    for (const act of acts) document.addEventListener(act, stop, true);
    hold();
  };
}
function look(state) {
  if (state.card?.isConnected && state.card.hasAttribute(MARK)) {
    if (signatureOf(state.card) !== state.signature) show(state, state.card);
    return;
  }
  state.card = null;
  const card2 = cardsIn(document).find((each) => cardName(each) === state.name && each.offsetHeight);
  if (card2) return show(state, framed(card2));
  state.idle = rests() ? state.idle + 1 : 0;
  if (state.idle < PATIENCE) return;
  const { name } = state;
  showSlide("");
  state.tell(name, true);
}
function showSlide(name, card2 = null) {
  const state = page.atlasSlide;
  if (!state || name === state.name && (state.card?.isConnected || !name)) return;
  if (!state.name) state.scrollBack = rememberScroll();
  state.undo();
  [state.name, state.card, state.idle] = [name, null, 0];
  window.clearInterval(state.timer);
  document.documentElement.toggleAttribute("data-slide", name !== "");
  if (!name) {
    if (document.fullscreenElement) void document.exitFullscreen();
    state.scrollBack();
    return;
  }
  if (card2) show(state, card2);
  state.timer = window.setInterval(() => look(state), EVERY);
}
var isSlide = () => document.documentElement.hasAttribute("data-slide");
function toggleSlide(inside = null) {
  const state = page.atlasSlide;
  if (!state) return;
  const around = isSlide() ? null : cardAround(inside) ?? chosen(state);
  const card2 = around && framed(around);
  const name = card2 ? cardName(card2) : "";
  if (card2) document.documentElement.requestFullscreen?.().catch(() => {
  });
  showSlide(name, card2);
  state.tell(name);
}
function listenForSlides() {
  if (page.atlasSlide) return;
  const nothing = () => {
  };
  const blank = { keepers: [], pointed: null, card: null, name: "", signature: "", idle: 0, timer: 0 };
  const state = page.atlasSlide = { ...blank, undo: nothing, scrollBack: nothing, tell: nothing };
  document.addEventListener("pointermove", (event) => {
    state.pointed = event.composedPath()[0];
  });
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement && isSlide()) toggleSlide();
  });
  const press = (event) => {
    if (EMBEDDED || event.ctrlKey || event.metaKey || event.altKey) return;
    const away = event.key === "Escape" && isSlide();
    const target = event.composedPath()[0];
    if (!away && (event.key.toLowerCase() !== "f" || target.closest?.(TYPING))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    toggleSlide();
  };
  document.addEventListener("keydown", press, true);
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
function setKind({ root, colours }, kind) {
  root.style.setProperty("--kind", colours[kind]);
  root.style.setProperty("--kind-text", colours[`${kind}_text`]);
}
var CardView = class {
  constructor(root, host, look2 = "") {
    this.host = host;
    this.parts = card(root, look2);
  }
};
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
function watchSize(root, host, ruler, view) {
  let size = "";
  const rescale = () => {
    host.scale = scaleOf(ruler);
    root.toggleAttribute("data-hall", host.scale > 1);
  };
  rescale();
  const observer = new ResizeObserver(() => {
    rescale();
    const now = `${root.clientWidth}/${host.scale.toFixed(3)}`;
    if (now !== size && size) view.relayout?.();
    size = now;
  });
  observer.observe(root);
  observer.observe(ruler);
  const refit = () => {
    rescale();
    size = `${root.clientWidth}/${host.scale.toFixed(3)}`;
    view.relayout?.();
  };
  root.addEventListener("refit", refit, { signal: host.signal });
  void document.fonts?.ready.then(() => !host.signal.aborted && view.relayout?.());
  return observer;
}
var scaleOf = (ruler) => (ruler.getBoundingClientRect().width || 100) / 100;
var reaching = (args) => (name, value) => {
  const tell = () => args.setTriggerValue?.(name, value);
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
    trigger: reaching(args)
  };
  applyTheme(root, host);
  listenForSlides();
  const view = create(stage, host);
  const observer = watchSize(root, host, ruler, view);
  const destroy = () => {
    observer.disconnect();
    stop.abort();
    view.destroy?.();
  };
  return { host, view, destroy };
}
var mount = (args, create) => {
  speak(args.data.language);
  return show2(args, revive(args.data), create);
};
var viewOf = (View) => (args) => mount(args, (root, host) => new View(root, host));
function show2(page2, data, create) {
  const parent = page2.parentElement;
  const mounted = mounts.get(parent) ?? startView(page2, create);
  mounts.set(parent, mounted);
  const { host, view } = mounted;
  host.trigger = reaching(page2);
  applyTheme(host.root, host);
  view.update(data);
  return () => {
    if (parent.isConnected || mounts.get(parent) !== mounted) return;
    mounted.destroy();
    mounts.delete(parent);
  };
}

// web/maps/sheet.ts
var WEIGHT_OF_BYTE = Float32Array.from({ length: 256 }, (_, b) => (b / 255) ** 2);
function placer(scale, top, low = 0) {
  if (scale === "diverging") return (v) => Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, v / top)));
  if (scale === "range") return (v) => Math.round(255 * clamp01((v - low) / (top - low || 1)));
  if (scale === "log") {
    return (v) => v <= low ? 0 : Math.round(255 * clamp01(1 - Math.log(v / top) / Math.log(low / top)));
  }
  return (v) => Math.round(255 * clamp01(v / top) ** TOKENS.gamma);
}

// learn/scene_drawing.ts
var NUMBER = 0.045;
var [FAINT, STRONG] = [0.05, 0.02];
var width = (words, size) => textWidth(visible(words), size, true);
var rowWord = (row) => row.written || row.read;
var ScenePen = class {
  constructor(picture, host, data, size) {
    this.picture = picture;
    this.host = host;
    this.data = data;
    this.size = size;
  }
  picture;
  host;
  data;
  size;
  get colours() {
    return this.host.colours;
  }
  add(name, looks) {
    this.picture.append(svgElement(name, looks));
  }
  word(x, y, words, looks = {}) {
    const fill2 = isSpecial(words) ? this.colours.muted : this.colours.ink;
    const own = { x, y, class: "scene-word", "font-size": this.size, "dominant-baseline": "central", fill: fill2 };
    const node = svgElement("text", { ...own, ...looks });
    node.textContent = visible(words);
    this.picture.append(node);
  }
  /** The name of a row of words. */
  name(x, y, words) {
    this.word(x, y, words, { "text-anchor": "end", fill: this.colours.muted, class: "scene-number" });
  }
  pill(x, y, words, anchor) {
    const [w, h] = [width(words, this.size) + 20, this.size * 1.75];
    const left = { middle: x - w / 2, start: x - 8, end: x - w + 8 }[anchor];
    const fill2 = this.colours[`${this.data.kind}_text`];
    this.add("rect", { x: left, y: y - h / 2, width: w, height: h, rx: 8, fill: fill2 });
    const looks = { "text-anchor": "middle", fill: readableOn(fill2, this.colours), "font-weight": 600 };
    this.word(left + w / 2, y, words, looks);
  }
  weight = (row, key) => this.data.weights[row * this.data.keys.length + key];
  isKnown = (row) => (row + 1) * this.data.keys.length <= this.data.weights.length;
  isLast = (row) => row === this.data.rows.length - 1;
  /** A line of a weight; of the covered row a dotted one to every word, as wide as any other. */
  line(path, row, key) {
    const { data, colours } = this;
    const last = this.isLast(row);
    const looks = { d: path, fill: "none", "stroke-linecap": "round", stroke: colours[data.kind] };
    if (!this.isKnown(row))
      return this.add("path", { ...looks, "stroke-width": 1.6, "stroke-dasharray": "0.1 6" });
    const weight = this.weight(row, key);
    if (last && key === data.chosen) {
      const wrong = { stroke: colours.positive, "stroke-width": 2.5, "stroke-dasharray": "7 6" };
      return this.add("path", { ...looks, ...wrong });
    }
    if (weight < (last ? STRONG : FAINT)) return;
    this.add("path", {
      ...looks,
      "stroke-width": Math.max(1.2, 9 * weight),
      "stroke-opacity": last ? 0.95 : 0.24
    });
  }
};
function rowLabel(pen, i, y, { left }) {
  const row = pen.data.rows[i];
  const fill2 = pen.isLast(i) ? pen.colours[`${pen.data.kind}_text`] : pen.colours.ink;
  const looks = { "text-anchor": "end", "font-weight": pen.isLast(i) ? 700 : 600, fill: fill2 };
  pen.word(left - 16, y, rowWord(row), looks);
  if (!row.written) return;
  const read = { "text-anchor": "end", fill: pen.colours.muted };
  pen.word(left - 26 - width(row.written, pen.size), y, `${visible(row.read)} →`, read);
}
function rowCells(pen, i, pitch, { left, column }) {
  const { data, colours } = pen;
  const table = rampTable(colours.panel, colours[data.kind]);
  const position = placer("weight", 1);
  data.keys.forEach((_, k) => {
    const weight = pen.weight(i, k);
    const fill2 = table[position(weight)];
    const cell = {
      x: left + k * column + 1.5,
      y: i * pitch + 1.5,
      width: column - 3,
      height: pitch - 3,
      rx: 4
    };
    pen.add("rect", { ...cell, fill: fill2, stroke: colours.line, "stroke-width": 1 });
    if (weight < NUMBER && !(pen.isLast(i) && k === data.chosen)) return;
    const looks = { "text-anchor": "middle", class: "scene-number", "font-size": Math.max(pen.size, 19) };
    const ink = weight >= 0.9 ? colours.panel : colours.ink;
    const number = percent(weight).replace(/ %$/, "");
    pen.word(left + (k + 0.5) * column, (i + 0.5) * pitch, number, {
      ...looks,
      fill: ink,
      "font-weight": 700
    });
  });
}
function drawRows(pen, pitch, g) {
  const { colours, data } = pen;
  let covered = null;
  data.rows.forEach((_, i) => {
    const y = (i + 0.5) * pitch;
    rowLabel(pen, i, y, g);
    const box = { x: g.left + 1, y: i * pitch + 1.5, width: g.width - g.left - 2, height: pitch - 3, rx: 6 };
    if (!pen.isKnown(i)) {
      pen.add("rect", { ...box, class: "scene-cover", stroke: colours[data.kind] });
      covered = y;
      return;
    }
    rowCells(pen, i, pitch, g);
    if (pen.isLast(i)) pen.add("rect", { ...box, fill: "none", stroke: colours.ink, "stroke-width": 2 });
  });
  return covered;
}
function drawSource(pen, y, { left, column }) {
  const { data, size } = pen;
  pen.name(left - 16, y, tr("source"));
  data.keys.forEach((key, k) => {
    const x = left + (k + 0.5) * column;
    if (k === data.best) pen.pill(x, y, key, "middle");
    else pen.word(x, y, key, { "text-anchor": "middle" });
    if (k !== data.chosen) return;
    const w = Math.min(column, width(key, size) + 14);
    const ring = { x: x - w / 2, y: y - size * 0.85, width: w, height: size * 1.7, rx: 7 };
    pen.add("rect", { ...ring, class: "scene-wrong", stroke: pen.colours.positive });
  });
}
function drawLines(pen, source, g) {
  const { data, size } = pen;
  const count = data.rows.length;
  const [top, bottom] = [source + size * 1.1, g.height - size * 1.6];
  const each = data.rows.map((row) => width(rowWord(row), size) + 18);
  const step = Math.max((g.width - g.left) / data.keys.length, ...each);
  const first = g.left + Math.min(step, g.column) / 2;
  const y = g.height - size * 0.9;
  data.rows.forEach((row, i) => {
    const x = Math.min(first + i * step, g.width - 40 - (count - 1 - i) * step);
    data.keys.forEach((_, k) => {
      const [from, middle] = [g.left + (k + 0.5) * g.column, (top + bottom) / 2];
      pen.line(`M${from},${top} C${from},${middle} ${x},${middle} ${x},${bottom}`, i, k);
    });
    if (pen.isLast(i)) pen.pill(x, y, rowWord(row), "middle");
    else pen.word(x, y, rowWord(row), { "text-anchor": "middle" });
  });
  pen.name(g.left - 16, y, data.kind === "encoder" ? tr("reads") : tr("written"));
}
function drawAlong(pen, size, pitch) {
  const { data } = pen;
  const widest = (words, more) => Math.min(size.width * 0.42, Math.max(...words.map((each) => width(each, pen.size))) + more);
  const sources = widest(data.keys, 8);
  const [from, to] = [sources + 14, size.width - widest(data.rows.map(rowWord), 28) - 14];
  const y = (n) => (n + 0.5) * pitch;
  data.rows.forEach((row, i) => {
    const middle = (from + to) / 2;
    data.keys.forEach(
      (_, k) => pen.line(`M${from},${y(k)} C${middle},${y(k)} ${middle},${y(i)} ${to},${y(i)}`, i, k)
    );
    if (pen.isLast(i)) pen.pill(to + 14, y(i), rowWord(row), "start");
    else pen.word(to + 14, y(i), rowWord(row));
  });
  data.keys.forEach((key, k) => {
    const fill2 = k === data.chosen ? { fill: pen.colours.positive } : {};
    if (k === data.best) pen.pill(sources, y(k), key, "end");
    else pen.word(sources, y(k), key, { "text-anchor": "end", ...fill2 });
  });
}

// learn/scene.ts
var TYPE = 18;
var ROW = 44;
var Scene = class extends CardView {
  data;
  chip = el("span", { class: "scene-chip" });
  known = el("dl", { class: "scene-known" });
  picture = svgElement("svg", { class: "scene-picture", role: "img" });
  constructor(root, host) {
    super(root, host, "scene");
    this.parts.node.dataset.slideMost = "1.6";
    this.parts.body.append(this.known, this.picture, this.chip);
    this.parts.node.append(this.parts.readout);
  }
  update(next) {
    this.data = next;
    setKind(this.host, next.kind);
    this.parts.tell(next);
    this.parts.readout.hidden = !next.readout;
    this.chip.textContent = tr("Covered until you choose");
    this.known.replaceChildren(...definitions(next.known, { dir: "auto" }));
    this.relayout();
  }
  relayout() {
    const { data, parts, host, picture } = this;
    const { body } = parts;
    const size = Math.max(TYPE, 15 * host.scale);
    picture.replaceChildren();
    const room = Number(host.root.dataset.slideRoom ?? 0) * host.scale || 520;
    const whole = data.rows.length === 0;
    body.classList.toggle("scene-whole", whole && data.covered);
    const box = { width: body.clientWidth, height: Math.max(120, Math.min(room, 620)) };
    if (whole) {
      Object.assign(this.picture.style, { height: "0px" });
      this.chip.hidden = !data.covered;
      return;
    }
    picture.style.height = `${box.height}px`;
    picture.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    picture.setAttribute("aria-label", `${data.title}. ${data.readout}`);
    for (const type of [size, TYPE]) {
      const label = Math.max(...data.rows.map((row) => width(`${row.read} → ${row.written}`, type)));
      const column = (box.width - label - 16) / data.keys.length;
      const widths = data.keys.map((key) => width(key, type));
      const apart = widths.every((each, n) => !n || (widths[n - 1] + each) / 2 + 8 <= column);
      if (apart && column >= 40) {
        const pen = new ScenePen(picture, host, data, type);
        return this.across(pen, { ...box, left: label + 16, column });
      }
    }
    this.along(new ScenePen(picture, host, data, size), box);
  }
  /** Map above, the row of source words, lines to the written words below. */
  across(pen, g) {
    const { data } = this;
    const [count, words] = [data.rows.length, pen.size * 4.4];
    const lines = Math.max(90, g.height - count * ROW - words);
    const pitch = Math.min(ROW, (g.height - lines - words) / count);
    const covered = drawRows(pen, pitch, g);
    this.chip.hidden = covered === null;
    if (covered !== null) {
      this.chip.style.left = `${g.left + (g.width - g.left) / 2}px`;
      this.chip.style.top = `${covered}px`;
    }
    const source = count * pitch + pen.size * 1.2;
    drawSource(pen, source, g);
    drawLines(pen, source, g);
  }
  along(pen, { width: wide, height }) {
    const { data } = this;
    const most = Math.max(data.keys.length, data.rows.length);
    const tall = Math.max(height, most * pen.size * 1.35);
    this.picture.style.height = `${tall}px`;
    this.picture.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
    drawAlong(pen, { width: wide, height: tall }, tall / most);
    this.chip.hidden = true;
  }
};
var scene_default = viewOf(Scene);
export {
  Scene,
  scene_default as default
};
