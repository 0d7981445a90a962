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
var kindRamp = (c, kind) => rampTable(c.panel, c[`${kind}_text`]);
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
var inkOn = (fill2, c) => readableOn(fill2, { ink: readableOn(fill2, c), panel: c.background });

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
function phrase(text, fields) {
  return text.split(/(\{\w+\})/).flatMap((part) => {
    const name = part.slice(1, -1);
    if (!part.startsWith("{") || !(name in fields)) return part ? [part] : [];
    const given = fields[name];
    return Array.isArray(given) ? given : [given];
  });
}
var plain = (parts) => parts.map((part) => typeof part === "object" && "muted" in part ? "" : wordsOf(part)).join("");
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
function onPage(host, name, listener, capture = false) {
  document.addEventListener(name, listener, { signal: host.signal, capture });
}

// web/base/events.ts
var reducedMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
function animate(frame, duration = 180) {
  if (reducedMotion()) {
    frame(1);
    return () => {
    };
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
var TYPING = 'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="textbox"], [role="combobox"], [role="listbox"], [role="slider"], [role="radio"], [role="tab"], [role="menu"], [role="dialog"], [role="grid"]';
var PRESSING = 'button, a, [role="button"], summary';
function pageKeys(host, keys) {
  onPage(host, "keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target.closest?.(TYPING)) return;
    if ((event.key === " " || event.key === "Enter") && target.closest?.(PRESSING)) return;
    const action = keys[event.key];
    if (action && action() !== false) event.preventDefault();
  });
}
function bus() {
  const page2 = window;
  return page2.atlasBus ??= Object.assign(new EventTarget(), { last: {} });
}
function linked(host, name) {
  let waiting = [];
  let last = "";
  return {
    report(value) {
      waiting.push(JSON.stringify(value));
      host.trigger(name, value);
    },
    isNews(value) {
      const words = JSON.stringify(value);
      const nth = waiting.indexOf(words);
      const echo = words === last || nth >= 0;
      waiting = waiting.slice(nth + 1);
      last = words;
      return !echo;
    }
  };
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
function localised(written2) {
  if (!spoken.code) return written2;
  const own = marks();
  return written2.replace(/(?<=\d)[.,](?=\d)/g, (mark) => own[mark]);
}
var fixed = (value, digits) => localised(value.toFixed(digits));

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
var TYPING2 = 'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="slider"]';
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
    const times2 = (low + high) / 2;
    if (fits(times2)) low = times2;
    else high = times2;
  }
  return low;
}
function fitCharts(card2, times2) {
  const find = (wish) => [...card2.querySelectorAll(wish)];
  const charts = find(".stPlotlyChart");
  if (!charts.length) return null;
  const containers = charts.map((chart) => chart.closest(CONTAINER) ?? chart);
  const words = find(CONTAINER).filter(
    (container) => !container.querySelector(`${CONTAINER}, .stPlotlyChart`)
  );
  const rooms = containers.map((container) => container.parentElement?.clientWidth ?? container.clientWidth);
  const tall = charts.map((chart) => chart.clientHeight);
  const undo = words.map((container) => dress(container, { zoom: String(times2) }));
  for (const container of containers)
    for (let node = container.parentElement; node && node !== card2; node = node.parentElement)
      undo.push(dress(node, { flex: "none", height: "auto", "max-height": "none", overflow: "visible" }));
  const spread = (more) => charts.forEach((chart, n2) => {
    const height = Math.max(onPhone() ? CHART : SMALLEST, tall[n2] + more / charts.length / times2);
    const size = { width: `${rooms[n2] / times2}px`, height: `${height}px`, overflow: "visible" };
    for (let node = chart; node !== containers[n2]; node = node.parentElement)
      undo.push(dress(node, size));
    const below = { "margin-bottom": `${height * (times2 - 1)}px` };
    undo.push(dress(containers[n2], { ...size, ...below, "min-width": "0", "align-self": "flex-start" }));
    const picture = chart.querySelector(".js-plotly-plot");
    if (picture) undo.push(dress(picture, { transform: `scale(${times2})`, "transform-origin": "0 0" }));
  });
  spread(0);
  const last = card2.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  spread(card2.getBoundingClientRect().bottom - last - parseFloat(getComputedStyle(card2).paddingBottom) - 1);
  return () => undo.forEach((back) => back());
}
function fitElements(card2, { width, height }) {
  const { clientWidth, clientHeight } = card2;
  const fits = Math.min(clientWidth / width, clientHeight / height);
  const room = onPhone() ? 1 : Math.min(MOST, Math.max(1, fits));
  const charts = fitCharts(card2, room);
  if (charts) return charts;
  const inner = [...card2.children].filter((child) => child.offsetHeight);
  let undo = [];
  const zoom = (times2) => {
    undo.forEach((back) => back());
    undo = inner.map((child) => dress(child, { zoom: String(times2) }));
    return excess(card2) <= 0;
  };
  zoom(largest(1, MOST / LEAST, zoom));
  return () => undo.forEach((back) => back());
}
function fitView(card2, root) {
  const draw = (times3, room2) => {
    root.style.setProperty("--atlas-scale", String(times3));
    root.dataset.slideRoom = String(Math.round(room2));
    root.dispatchEvent(new Event("refit"));
    return excess(card2) <= 0;
  };
  const least = onPhone() ? 1 : LEAST;
  const most = Number(card2.dataset.slideMost ?? MOST);
  const times2 = largest(least, most, (size) => draw(size, window.innerHeight / size));
  const room = window.innerHeight / times2;
  if (!draw(times2, room))
    draw(
      times2,
      largest(SMALLEST, room, (tall) => draw(times2, tall))
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
    if (!away && (event.key.toLowerCase() !== "f" || target.closest?.(TYPING2))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    toggleSlide();
  };
  document.addEventListener("keydown", press, true);
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

// web/base/words.ts
var TOUCH = globalThis.matchMedia?.("(hover: none) and (pointer: coarse)").matches ?? false;
var minus = (text) => text.replace(/^[+-](?=[0.,]+(?![\d.,]))/, "").replace("-", "−");
function percent(weight, digits = 0) {
  const value = weight * 100;
  if (value > 0 && value < 10 ** -digits / 2) return `< ${fixed(10 ** -digits, digits)} %`;
  return `${fixed(value, digits)} %`;
}
function wholePercent(share) {
  const value = share * 100;
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + floor % 2 : Math.round(value);
}
var spokenPercent = (share) => share > 0 && wholePercent(share) === 0 ? tr("less than {number} %", { number: 1 }) : `${wholePercent(share)} %`;
function shown(value, unit, digits = 0) {
  if (Number.isNaN(value)) return "—";
  if (unit === "share") return percent(value, digits);
  if (unit === "points") return minus(`${value > 0 ? "+" : ""}${fixed(value * 100, digits)} points`);
  if (unit === "length") return lengthWords(value);
  return minus(fixed(value, 2));
}
var lengthWords = (value) => fixed(value, value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2);
var ofKinds = (make) => ({
  encoder: make("encoder"),
  causal: make("causal"),
  cross: make("cross")
});
var visible = (label) => label === "" ? "∅" : label.trim() === "" ? "␣" : label;
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
var isSpecial = (label) => SPECIAL_LABEL.test(label);
var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;
var topIndices = (values, count) => Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);

// web/base/paint.ts
var FIRST_LETTER = /\p{L}/u;
var SPACE = "http://www.w3.org/2000/svg";
function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context2 = context2d(canvas);
  context2.setTransform(ratio, 0, 0, ratio, 0, 0);
  context2.clearRect(0, 0, width, height);
  return context2;
}
function canvasPainter(context2) {
  const pen = (o) => {
    context2.globalAlpha = o.alpha ?? 1;
    context2.lineWidth = o.width ?? 1;
    context2.lineCap = "round";
    context2.setLineDash(o.dash ?? []);
    if (o.fill) context2.fillStyle = o.fill;
    if (o.stroke) context2.strokeStyle = o.stroke;
  };
  const put = (shape, o) => {
    pen(o);
    if (o.fill) context2.fill(shape);
    if (o.stroke) context2.stroke(shape);
  };
  return {
    rect(x, y, w, h, o) {
      const shape = new Path2D();
      if (o.radius) shape.roundRect(x, y, w, h, Math.max(0, Math.min(o.radius, w / 2, h / 2)));
      else shape.rect(x, y, w, h);
      put(shape, o);
    },
    circle(x, y, r, o) {
      const shape = new Path2D();
      shape.arc(x, y, r, 0, 2 * Math.PI);
      put(shape, o);
    },
    curve(a, b, c, d, o) {
      const shape = new Path2D();
      shape.moveTo(...a);
      shape.bezierCurveTo(...b, ...c, ...d);
      put(shape, o);
    },
    path: (d, o) => put(new Path2D(d), o),
    image(x, y, w, h, canvas) {
      context2.globalAlpha = 1;
      context2.imageSmoothingEnabled = false;
      context2.drawImage(canvas, x, y, w, h);
    },
    text(x, y, words, o = {}) {
      pen(o);
      writeText(context2, x, y, words, o);
    }
  };
}
function writeText(context2, x, y, words, o) {
  context2.save();
  context2.translate(x, y);
  if (o.rotate) context2.rotate(o.rotate * Math.PI / 180);
  context2.font = `${o.weight ?? 400} ${o.size ?? 13}px ${o.mono ? MONO : SANS}`;
  context2.textAlign = o.align ?? "left";
  context2.textBaseline = o.baseline ?? "alphabetic";
  context2.direction = TURNED.test(words.match(FIRST_LETTER)?.[0] ?? "") ? "rtl" : "ltr";
  context2.fillText(words, 0, 0);
  context2.restore();
}
var n = (x) => Math.round(x * 100) / 100;
function svgElement(tag, attributes = {}) {
  const node = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== void 0 && value !== null) node.setAttribute(name, String(value));
  }
  return node;
}
var svgPen = (o) => ({
  fill: o.fill ?? "none",
  stroke: o.stroke,
  "stroke-width": o.stroke ? o.width ?? 1 : void 0,
  "stroke-linecap": o.stroke ? "round" : void 0,
  "stroke-dasharray": o.dash?.length ? o.dash.join(" ") : void 0,
  opacity: o.alpha === void 0 || o.alpha === 1 ? void 0 : n(o.alpha)
});
function svgText(x, y, words, o) {
  const anchors = { center: "middle", right: "end", end: "end" };
  const node = svgElement("text", {
    x: n(x),
    y: n(y),
    transform: o.rotate ? `rotate(${o.rotate} ${n(x)} ${n(y)})` : void 0,
    "font-family": o.mono ? MONO : SANS,
    "font-size": n(o.size ?? 13),
    "font-weight": o.weight,
    "text-anchor": anchors[o.align ?? ""],
    "dominant-baseline": o.baseline === "middle" ? "central" : void 0,
    "unicode-bidi": "plaintext",
    ...svgPen(o)
  });
  node.textContent = words.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�");
  return node;
}
function svgPainter(width, height, background) {
  const svg = svgElement("svg", {
    width: n(width),
    height: n(height),
    viewBox: `0 0 ${n(width)} ${n(height)}`
  });
  const add = (tag, attributes) => void svg.append(svgElement(tag, attributes));
  add("rect", { width: "100%", height: "100%", fill: background });
  const at = (point) => point.map(n).join(",");
  return {
    rect: (x, y, w, h, o) => add("rect", { x: n(x), y: n(y), width: n(w), height: n(h), rx: o.radius, ...svgPen(o) }),
    circle: (x, y, r, o) => add("circle", { cx: n(x), cy: n(y), r: n(r), ...svgPen(o) }),
    curve: (a, b, c, d, o) => add("path", { d: `M${at(a)} C${at(b)} ${at(c)} ${at(d)}`, ...svgPen(o) }),
    path: (d, o) => add("path", { d, ...svgPen(o) }),
    image(x, y, w, h, canvas) {
      const box = { x: n(x), y: n(y), width: n(w), height: n(h), preserveAspectRatio: "none" };
      add("image", { ...box, href: canvas.toDataURL(), style: "image-rendering:pixelated" });
    },
    text: (x, y, words, o = {}) => void svg.append(svgText(x, y, words, o)),
    svg,
    blob: () => new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" })
  };
}
function shifted(p, dx, dy) {
  const move = ([x, y]) => [x + dx, y + dy];
  return {
    ...p,
    rect: (x, y, w, h, o) => p.rect(x + dx, y + dy, w, h, o),
    circle: (x, y, r, o) => p.circle(x + dx, y + dy, r, o),
    curve: (a, b, c, d, o) => p.curve(move(a), move(b), move(c), move(d), o),
    text: (x, y, words, o) => p.text(x + dx, y + dy, words, o),
    image: (x, y, w, h, canvas) => p.image(x + dx, y + dy, w, h, canvas),
    path: (d, o) => p.path(
      d.replace(
        /([ML])(-?[\d.]+) (-?[\d.]+)/g,
        (_, to, x, y) => `${to}${Number(x) + dx} ${Number(y) + dy}`
      ),
      o
    )
  };
}
var SANS = '"Source Sans", "Source Sans Pro", "Segoe UI", sans-serif';
var MONO = '"Source Code Pro", "Cascadia Mono", Menlo, monospace';
var typeSize = (size, u) => u > 1 ? Math.max(size * u, TOKENS.least) : size * u;
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
function shorten(words, width, size, mono = true) {
  if (textWidth(words, size, mono) <= width) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, size, mono) > width) letters.pop();
  return `${letters.join("")}…`;
}
function wrapText(words, width, size, weight = 400) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const last = lines[lines.length - 1];
    const longer = last ? `${last} ${word}` : word;
    if (textWidth(longer, size, false, weight) > width && last) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

// web/base/export.ts
var filling = () => TOUCH ? [tr("Fill the screen"), tr("Press it again to leave the full screen")] : [tr("Fill the screen (F)"), tr("F or Esc leaves the full screen")];
var LINE = 18;
var FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
var NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i;
var harmless = (text) => FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
var csvCell = (value) => {
  const text = harmless(String(value));
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
var csvText = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
var csvNumber = (value) => Number.isFinite(value) ? Number(value.toPrecision(9)) : "";
function download(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1e3);
}
var downloadCsv = (name, rows) => download(new Blob(["\uFEFF", csvText(rows)], { type: "text/csv" }), `${name}.csv`);
var downloadPng = (canvas, name) => canvas.toBlob((blob) => blob && download(blob, `${name}.png`));
var captionOf = (who, width, u, about = bus().last.about) => wrapText([who, about].filter(Boolean).join(" · "), width, 13 * u).filter(Boolean);
var paintCaption = (p, lines, u, fill2) => lines.forEach((line, n2) => p.text(2, (n2 * LINE + 13) * u, line, { size: 13 * u, fill: fill2 }));
var captionHeight = (lines, u) => lines.length ? (lines.length * LINE + 6) * u : 0;
function leavingMenu(host, png, svg, csv) {
  const item = (words, title, action) => {
    const press = () => {
      close();
      action();
    };
    const looks2 = { class: "menu-item", role: "menuitem", title };
    return el("button", { ...looks2, onclick: press }, words);
  };
  const items = [
    item(tr("Picture (PNG)"), tr("Save this view as PNG"), png),
    item(tr("Vector (SVG)"), tr("Save this view as SVG"), svg),
    item(tr("Numbers (CSV)"), tr("Save the numbers as CSV"), csv),
    item(...filling(), () => toggleSlide(button))
  ];
  const list = el("div", { class: "menu", role: "menu", hidden: true }, ...items);
  const looks = { class: "quiet menu-open", title: tr("Save as PNG, SVG or CSV") };
  const aria = { "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": tr("Save this view") };
  const button = el("button", { ...looks, ...aria, onclick: () => show3(list.hidden) }, "⤓");
  const show3 = (open) => {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) items[0].focus();
  };
  const close = () => {
    show3(false);
    button.focus();
  };
  const menu = el("span", { class: "menu-place" }, button, list);
  menu.addEventListener("keydown", (event) => {
    const now = items.indexOf(event.composedPath()[0]);
    const step = now < 0 ? 0 : { ArrowDown: 1, ArrowUp: items.length - 1 }[event.key] ?? 0;
    if (event.key === "Escape" && !list.hidden) close();
    else if (step) items[(now + step) % items.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  onPage(host, "pointerdown", (event) => void (event.composedPath().includes(menu) || show3(false)));
  return menu;
}

// web/maps/sheet.ts
var logFloor = (keys) => keys > 128 ? 0.5 / keys : 1e-4;
var WEIGHT_OF_BYTE = Float32Array.from({ length: 256 }, (_, b) => (b / 255) ** 2);
function placer(scale, top, low = 0) {
  if (scale === "diverging") return (v) => Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, v / top)));
  if (scale === "range") return (v) => Math.round(255 * clamp01((v - low) / (top - low || 1)));
  if (scale === "log") {
    return (v) => v <= low ? 0 : Math.round(255 * clamp01(1 - Math.log(v / top) / Math.log(low / top)));
  }
  return (v) => Math.round(255 * clamp01(v / top) ** TOKENS.gamma);
}
function indexOf(rows, cols, at, position) {
  const index = new Int16Array(rows * cols);
  for (let i = 0, n2 = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, n2++) {
      const v = at(i, j);
      index[n2] = Number.isNaN(v) ? -1 : position(v);
    }
  }
  return index;
}
function makeSheet({ rows, cols, reads, written: written2 = rows.length }, at, table, look2 = {}) {
  const { scale = "weight", top = 1, unit = "share" } = look2;
  const low = look2.low ?? (scale === "log" ? logFloor(cols.length) : 0);
  const index = indexOf(rows.length, cols.length, at, placer(scale, top, low));
  return { rows, cols, reads, written: written2, at, index, table, neutral: scale === "diverging" ? 128 : 0, unit };
}
var rowOf = (sheet, i) => sheet.cols.map((_, j) => {
  const v = sheet.at(i, j);
  return Number.isNaN(v) && sheet.unit !== "number" ? 0 : v;
});
var columnOf = (sheet, j) => Array.from({ length: sheet.written }, (_, i) => sheet.at(i, j));
function tableOf(sheet, ofEncoder, number) {
  const lines = [];
  for (let i = 0; i < sheet.written; i++) {
    const query = ofEncoder ? [sheet.rows[i], ""] : [sheet.reads?.[i] ?? "", sheet.rows[i]];
    sheet.cols.forEach((word, j) => lines.push([i, ...query, j, word, number(sheet.at(i, j))]));
  }
  return lines;
}
var TABLE_HEAD = ["query_position", "query_reads", "query_writes", "key_position", "key", "value"];

// web/marks/legend.ts
function paintLegend(p, x, y, u, { table, stops, position = (share) => Math.round(255 * share), words }, c) {
  const [w, h, size] = [120 * u, 8 * u, typeSize(11, u)];
  for (let k = 0; k < 60; k++) {
    p.rect(x + k * w / 60, y, w / 60 + 0.6, h, { fill: table[position(k / 59)] });
  }
  p.rect(x, y, w, h, { stroke: c.line, width: 1 });
  for (const [at, label] of stops) {
    const align = at < 0.08 ? "left" : at > 0.92 ? "right" : "center";
    p.text(x + at * w, y + h + size + u, label, { size, align, fill: c.muted });
  }
  p.text(x + w + 10 * u, y + h, words, { size, fill: c.muted });
}

// web/marks/leaving.ts
var exportWidth = (width, u) => Math.max(width, 480 * u);
var EDGE = 18;
var LARGEST = 8192;
var written = (words) => typeof words === "string" ? words : plain(words);
function partsOf({ scale: u, colours: c }, leaving) {
  const { who, about, size, draw, legend } = leaving;
  const [title, subtitle, words] = [leaving.title, leaving.subtitle, leaving.words].map(
    (words2) => written(words2?.() ?? "")
  );
  const [wide, tall] = size();
  const width = title || words ? exportWidth(wide, u) : wide;
  const caption = captionOf(who?.() ?? "", width, u, about?.());
  const parts = [
    [captionHeight(caption, u), (p) => paintCaption(p, caption, u, c.muted)]
  ];
  const write = (text, pen, { first, step, extra }) => {
    if (!text) return;
    const lines = wrapText(text, width - 4, pen.size, pen.weight);
    const paint = (p) => lines.forEach((line, n2) => p.text(2, (first + step * n2) * u, line, pen));
    parts.push([(extra + step * lines.length) * u, paint]);
  };
  write(title, { size: 16 * u, weight: 650, fill: c.ink }, { first: 18, step: 18, extra: 12 });
  write(subtitle, { size: typeSize(12.5, u), fill: c.muted }, { first: 7, step: 17, extra: 5 });
  parts.push([tall, draw]);
  if (legend) parts.push([34 * u, (p) => paintLegend(p, 2, 8 * u, u, legend(), c)]);
  write(words, { size: 13 * u, fill: c.ink }, { first: 20, step: 17, extra: 16 });
  return { width, parts };
}
function exportMenu(host, leaving) {
  const { name, rows } = leaving;
  const picture = () => {
    const { width, parts } = partsOf(host, leaving);
    const height = parts.reduce((sum, [tall]) => sum + tall, 0);
    const draw = (painter) => {
      let y = EDGE;
      for (const [tall, part] of parts) {
        part(shifted(painter, EDGE, y));
        y += tall;
      }
    };
    return { width: width + 2 * EDGE, height: height + 2 * EDGE, draw };
  };
  const png = () => {
    const { width, height, draw } = picture();
    const ratio = Math.max(1, Math.min(2, LARGEST / Math.max(width, height)));
    const canvas = el("canvas", { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
    const context2 = context2d(canvas);
    context2.scale(ratio, ratio);
    context2.fillStyle = host.colours.panel;
    context2.fillRect(0, 0, width, height);
    draw(canvasPainter(context2));
    downloadPng(canvas, name());
  };
  const svg = () => {
    const { width, height, draw } = picture();
    const painter = svgPainter(width, height, host.colours.panel);
    draw(painter);
    if (painter.blob) download(painter.blob(), `${name()}.svg`);
  };
  return leavingMenu(host, png, svg, () => downloadCsv(name(), rows()));
}

// web/base/controls.ts
function chooser(options, value, change, label, look2 = "chooser") {
  const select = el("select", {
    class: look2,
    "aria-label": label,
    onchange: () => change(select.value)
  });
  fillChooser(select, options, value);
  return select;
}
function fillChooser(select, options, value) {
  select.replaceChildren(...options.map(([id, words]) => el("option", { value: id }, words)));
  select.value = String(value);
}
var keyName = (keys) => {
  const names = { Enter: tr("Enter"), Esc: tr("Esc"), Space: tr("Space") };
  return keys.replace(/\w+/g, (key) => names[key] ?? key);
};
function keyList(keys, look2 = "quiet") {
  const lines = definitions((TOUCH ? [] : keys).map(([key, what]) => [keyName(key), what]));
  const list = el("dl", { class: "keys", hidden: true }, ...lines);
  const toggle = () => show3(list.hidden);
  const label = TOUCH ? tr("Numbers") : tr("Keys and numbers");
  const words = { "aria-label": label, title: TOUCH ? label : `${label} (?)`, "aria-expanded": "false" };
  const button = el("button", { class: look2, ...words, onclick: toggle }, "?");
  button.hidden = !lines.length;
  function show3(open) {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  }
  function explain(metrics) {
    list.replaceChildren(...lines, ...definitions(metrics, { class: "metric" }));
    button.hidden = !list.children.length;
  }
  return { list, button, toggle, explain, hide: () => show3(false), isOpen: () => !list.hidden };
}

// web/base/playback.ts
var ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M1.5 8 7 2.8V6.9h7.5v2.2H7v4.1z",
  step: "M14.5 8 9 2.8v4.1H1.5v2.2H9v4.1z",
  play: "M4 3v10l8-5z",
  end: "M3 3v10l7-5zM11 3h2v10h-2z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z"
};
function icon(name) {
  const svg = svgElement("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
  svg.append(svgElement("path", { d: ICONS[name] }));
  return svg;
}
var keyWords = () => [
  ["← →", tr("Step back or on")],
  [tr("Space"), tr("Play or pause")],
  ["Home", tr("To the start, to step by hand")],
  ["End", tr("To the end")],
  ["Esc", tr("Unpin")],
  ["?", tr("Show this list")]
];
var paces = () => [
  [1400, tr("slow")],
  [STEADY, tr("steady")],
  [320, tr("fast")]
];
var STEADY = 750;
var WRITING = 2e3;
var UNHURRIED = 350;
function makeControls(playback, moreKeys) {
  const button = (name, label, action, words = "") => {
    const looks = { class: "button", "aria-label": label, title: label };
    return el("button", { ...looks, onclick: action }, icon(name), words);
  };
  const start = button("start", tr("To the start (Home)"), () => playback.begin());
  const back = button("back", tr("Back (←)"), () => playback.byHand(playback.step - 1));
  const on = button("step", tr("Step (→)"), () => playback.byHand(playback.step + 1), tr("Step"));
  on.classList.add("primary");
  const end = button("end", tr("To the end (End)"), () => playback.byHand(playback.steps));
  const play = button("play", tr("Play or pause (Space)"), () => playback.toggle(), tr("Play"));
  const pace = chooser(
    paces(),
    playback.pace,
    (ms) => playback.pace = Number(ms),
    tr("Pace of play"),
    "pace"
  );
  const what = playback.played.what ?? tr("translation");
  const range = { type: "range", min: 0, max: 1, step: 1, "aria-label": tr("Step of the {what}", { what }) };
  const scrubber = el("input", { class: "play-scrub", ...range });
  scrubber.addEventListener("input", () => playback.byHand(Number(scrubber.value)));
  const count = el("span", { class: "play-count" });
  const keys = keyList([...keyWords().slice(0, -1), ...moreKeys, ...keyWords().slice(-1)], "button");
  const group = { class: "play", role: "group", "aria-label": tr("Play the {what}", { what }) };
  const node = el("div", group, start, back, on, end, play, count, keys.button, keys.list);
  const tools = el("span", { class: "play-tools" }, scrubber, pace);
  return { start, back, on, end, play, scrubber, count, keys, node, tools };
}
var Playback = class {
  constructor(host, played, moreKeys = []) {
    this.played = played;
    this.step = 0;
    this.steps = 0;
    this.playing = false;
    /** Whether nothing may be said of the steps to come. */
    this.covered = false;
    this.pace = STEADY;
    this.timer = 0;
    this.parts = makeControls(this, moreKeys);
    this.node = this.parts.node;
    this.tools = this.parts.tools;
    this.listen(host);
    host.signal.addEventListener("abort", () => clearTimeout(this.timer));
  }
  listen(host) {
    const heard = (action) => () => this.played.listens() ? action() : false;
    pageKeys(host, {
      ArrowRight: heard(() => this.byHand(this.step + 1)),
      ArrowLeft: heard(() => this.byHand(this.step - 1)),
      Home: heard(() => this.begin()),
      End: heard(() => this.byHand(this.steps)),
      " ": heard(() => this.toggle()),
      "?": heard(() => this.parts.keys.toggle())
    });
    onPage(host, "keydown", (event) => void (event.key === "Escape" && this.parts.keys.hide()));
  }
  /** The step shown of how many. */
  update(step, steps, covered = false) {
    [this.step, this.steps, this.covered] = [step, steps, covered];
    this.refresh();
  }
  refresh() {
    const { step, steps, covered } = this;
    const { start, back, on, end, play, scrubber, count } = this.parts;
    back.disabled = step === 0;
    start.disabled = step === 0 && (covered || !this.played.start);
    on.disabled = end.disabled = step >= steps;
    play.disabled = scrubber.disabled = steps === 0;
    play.setAttribute("aria-pressed", String(this.playing));
    play.replaceChildren(icon(this.playing ? "pause" : "play"), this.playing ? tr("Pause") : tr("Play"));
    scrubber.hidden = covered;
    scrubber.max = String(Math.max(1, covered ? step : steps));
    scrubber.value = String(step);
    count.textContent = covered ? tr("step {step}", { step }) : tr("{step} of {steps}", { step, steps });
  }
  /** @param step where a button, a key or the scrubber leads */
  byHand(step) {
    this.pause();
    if (step >= 0 && step <= this.steps) this.played.go(step);
  }
  /** Says in the list of keys what the numbers of the view are. */
  explain(metrics) {
    this.parts.keys.explain(metrics);
  }
  /** To the start. */
  begin() {
    this.pause();
    this.rewind();
  }
  rewind() {
    if (this.played.start) this.played.start();
    else this.played.go(0);
  }
  toggle() {
    if (this.playing) return this.pause();
    this.playing = true;
    if (this.step >= this.steps) this.rewind();
    this.refresh();
    this.tick();
  }
  /** From the start to the end by itself, all steps within about two seconds; at once under reduced motion. */
  write() {
    this.begin();
    if (reducedMotion()) return this.byHand(this.steps);
    const [begun, each] = [performance.now(), Math.min(UNHURRIED, WRITING / this.steps)];
    const next = () => {
      const step = Math.min(this.steps, 1 + Math.floor((performance.now() - begun) / each));
      if (step > this.step) this.played.go(step);
      if (step >= this.steps) return this.pause();
      this.timer = window.setTimeout(next, each);
    };
    this.playing = true;
    next();
  }
  pause() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    this.playing = false;
    this.refresh();
    this.played.rested();
  }
  tick() {
    if (this.step >= this.steps) return this.pause();
    this.played.go(this.step + 1);
    this.timer = window.setTimeout(() => this.tick(), this.pace);
  }
};

// web/base/data.ts
var ARRAYS = { float32: Float32Array, uint16: Uint16Array, uint8: Uint8Array };
var revived = /* @__PURE__ */ new WeakMap();
var numbersOf = (column2, type) => {
  if (ArrayBuffer.isView(column2)) return column2;
  return column2?.getChildAt?.(0)?.toArray() ?? new ARRAYS[type](0);
};
function revive(packed) {
  if (!revived.has(packed)) {
    const data = structuredClone(packed.fields);
    packed.arrays.forEach(([path, type], n2) => {
      const owner = path.slice(0, -1).reduce((at, step) => at[step], data);
      Object.assign(owner, { [path[path.length - 1]]: numbersOf(packed[`column${n2}`], type) });
    });
    revived.set(packed, data);
  }
  return revived.get(packed);
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
function inSight({ scale, root }, most, used) {
  const { slideRoom } = root.dataset;
  if (slideRoom) return Math.min(most, Number(slideRoom));
  return scale > 1 ? Math.max(120, Math.min(most, window.innerHeight / scale - used)) : most;
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

// web/marks/pointer.ts
function pointIn(event, node) {
  const box = node.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

// web/marks/labels.ts
var every = (need, have) => Math.max(1, Math.ceil(need / have));
function chosenLabels(from, to, step, active) {
  if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
  const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
  const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
  return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
}
var rowLength = (widths2, gap) => widths2.reduce((sum, width) => sum + width + gap, 0);
function spreadWords(widths2, length, gap) {
  const slot = length / widths2.length;
  if (widths2.every((width) => width + gap <= slot)) return widths2.map((_, i) => (i + 0.5) * slot);
  const spare = Math.max(0, length - rowLength(widths2, gap)) / widths2.length;
  let x = 0;
  return widths2.map((width) => {
    const centre = x + (width + gap + spare) / 2;
    x += width + gap + spare;
    return centre;
  });
}
function readsLeft(labels) {
  let [turned, letters] = [0, 0];
  for (const label of labels) {
    if (/^[⟨‹]/.test(label)) continue;
    for (const sign of label) {
      if (!/\p{L}/u.test(sign)) continue;
      letters += 1;
      if (TURNED.test(sign)) turned += 1;
    }
  }
  return 2 * turned > letters;
}
var inReadingOrder = (centres, labels, length) => readsLeft(labels) ? centres.map((x) => length - x) : centres;

// web/marks/lines.ts
var LINE_FLOOR = 0.02;
var behindRow = (row) => ({ row, floor: 0.15, reach: 40 });
function startOfCurve([a, b, c, d], share) {
  if (share >= 1) return [a, b, c, d];
  const between = (p, q) => [p[0] + (q[0] - p[0]) * share, p[1] + (q[1] - p[1]) * share];
  const [ab, bc, cd] = [between(a, b), between(b, c), between(c, d)];
  const [abc, bcd] = [between(ab, bc), between(bc, cd)];
  return [a, ab, abc, between(abc, bcd)];
}
function curveBetween(start, end, upright) {
  const middle = upright ? (start[1] + end[1]) / 2 : (start[0] + end[0]) / 2;
  return upright ? [start, [start[0], middle], [end[0], middle], end] : [start, [middle, start[1]], [middle, end[1]], end];
}
function linePen(strength, state, u, { crowd = 1, faint = 1 } = {}) {
  const share = Math.min(1, strength);
  if (state === "on") return { width: (0.9 + 6.5 * share ** 0.7) * u, alpha: 0.2 + 0.65 * share ** 0.5 };
  if (state === "behind") return { width: (0.8 + 3 * share * crowd) * u, alpha: 0.05 + 0.15 * share };
  return { width: (0.7 + 6 * share * crowd) * u, alpha: (0.1 + 0.5 * share) * faint * Math.sqrt(crowd) };
}
var LINES_MOST = 4096;
function linesOf(sheet, focus, { area: [r0, r1, c0, c1], threshold, top = 1, behind }) {
  const long = (r1 - r0) * (c1 - c0) > LINES_MOST;
  const any = focus.rows.size + focus.cols.size > 0;
  const lines = [];
  for (let i = r0; i < Math.min(r1, sheet.written); i++) {
    const rowOn = focus.rows.has(i);
    const near = !behind || Math.abs(i - behind.row) <= behind.reach;
    const least = Math.max(threshold, 4e-3);
    const consider = (j, on) => {
      const value = sheet.at(i, j);
      const strength = Math.abs(value) / top;
      const floor = on || !behind ? least : behind.floor;
      if (strength >= floor && (on || near)) lines.push({ i, j, value, strength, on });
    };
    if (long && !any) consider(largestIn(sheet, i, c0, c1), false);
    else if (!long || rowOn || behind && near)
      for (let j = c0; j < c1; j++) consider(j, rowOn || focus.cols.has(j));
    else for (const j of focus.cols) if (j >= c0 && j < c1) consider(j, true);
  }
  return lines.sort((a, b) => Number(a.on) - Number(b.on) || a.strength - b.strength);
}
function largestIn(sheet, i, from, to) {
  let best = from;
  for (let j = from; j < to; j++) if (!(Math.abs(sheet.at(i, j)) <= Math.abs(sheet.at(i, best)))) best = j;
  return best;
}
function paintLines(p, sheet, focus, how) {
  const [r0, r1] = how.area;
  const crowd = Math.min(1, 64 / (r1 - r0));
  const any = focus.rows.size + focus.cols.size > 0;
  for (const { i, j, value, strength, on } of linesOf(sheet, focus, how)) {
    const curve = how.curve(i, j);
    if (!curve) continue;
    const grown = how.growing?.row === i ? startOfCurve(curve, how.growing.share) : curve;
    const pen = linePen(strength, on ? "on" : any ? "behind" : "all", how.u, { crowd, faint: how.faint });
    p.curve(...grown, { stroke: how.hue(value), ...pen });
  }
}

// web/marks/picture.ts
var tableRgb = /* @__PURE__ */ new WeakMap();
function rgbOf(table) {
  const known = tableRgb.get(table);
  if (known) return known;
  const rgb = new Uint8ClampedArray(table.length * 3);
  table.forEach((hex, i) => hexToRgb(hex).forEach((c, k) => rgb[i * 3 + k] = c * 255));
  tableRgb.set(table, rgb);
  return rgb;
}
var wholeOf = (sheet) => [0, sheet.rows.length, 0, sheet.cols.length];
function strongest(sheet, [r0, r1, c0, c1]) {
  let best = -1;
  let far = -1;
  for (let i = r0; i < r1 && i < sheet.written; i++) {
    for (let j = c0; j < c1; j++) {
      const v = sheet.index[i * sheet.cols.length + j];
      const distance = v < 0 ? -1 : Math.abs((v & 255) - sheet.neutral);
      if (distance > far) [best, far] = [v, distance];
    }
  }
  return best;
}
function slice(n2, count, from, to) {
  const start = from + Math.floor(n2 * (to - from) / count);
  return [start, Math.max(start + 1, from + Math.floor((n2 + 1) * (to - from) / count))];
}
function bitmap(sheet, empty, width, height, [r0, r1, c0, c1]) {
  const w = Math.max(1, Math.min(c1 - c0, Math.round(width)));
  const h = Math.max(1, Math.min(r1 - r0, Math.round(height)));
  const canvas = el("canvas", { width: w, height: h });
  const context2 = context2d(canvas);
  const image = context2.createImageData(w, h);
  const rgb = rgbOf(sheet.table);
  const blank = hexToRgb(empty).map((c) => c * 255);
  for (let y = 0, out = 0; y < h; y++) {
    const [top, bottom] = slice(y, h, r0, r1);
    for (let x = 0; x < w; x++, out += 4) {
      const [left, right] = slice(x, w, c0, c1);
      const best = strongest(sheet, [top, bottom, left, right]);
      for (let k = 0; k < 3; k++) image.data[out + k] = best < 0 ? blank[k] : rgb[best * 3 + k];
      image.data[out + 3] = 255;
    }
  }
  context2.putImageData(image, 0, 0);
  return canvas;
}
var MOST_RUNS = 24e3;
function cellPaths(sheet, box, [r0, r1, c0, c1]) {
  const [cw, ch] = [box.w / (c1 - c0), box.h / (r1 - r0)];
  const n2 = (x) => Math.round(x * 100) / 100;
  const paths = /* @__PURE__ */ new Map();
  let runs = 0;
  for (let i = r0; i < Math.min(r1, sheet.written); i++) {
    for (let j = c0; j < c1; ) {
      const v = sheet.index[i * sheet.cols.length + j];
      let end = j + 1;
      while (end < c1 && sheet.index[i * sheet.cols.length + end] === v) end++;
      if (v >= 0) {
        const corner = `M${n2(box.x + (j - c0) * cw)} ${n2(box.y + (i - r0) * ch)}`;
        paths.set(v, `${paths.get(v) ?? ""}${corner}h${n2((end - j) * cw)}v${n2(ch)}h${n2(-(end - j) * cw)}z`);
        if (++runs > MOST_RUNS) return null;
      }
      j = end;
    }
  }
  return paths;
}
function paintPixels(p, sheet, box, c, area = wholeOf(sheet), cache = null) {
  p.rect(box.x, box.y, box.w, box.h, { fill: c.soft });
  const paths = p.blob && cellPaths(sheet, box, area);
  if (paths) {
    for (const [v, d] of paths) p.path(d, { fill: sheet.table[v] });
    return;
  }
  const ratio = p.blob ? 2 : window.devicePixelRatio || 1;
  const kept = p.blob || !cache ? {} : cache;
  const id = `${area}/${Math.round(box.w * ratio)}/${Math.round(box.h * ratio)}`;
  if (!kept.made || kept.id !== id) {
    kept.made = bitmap(sheet, c.soft, box.w * ratio, box.h * ratio, area);
    kept.id = id;
  }
  p.image(box.x, box.y, box.w, box.h, kept.made);
}

// web/maps/sentence.ts
var specialWords = (label) => ({
  "⟨start⟩": tr("the start token"),
  "⟨end⟩": tr("the end token"),
  "⟨pad⟩": tr("padding"),
  "⟨unk⟩": tr("an unknown token"),
  "⟨prefix⟩": tr("the words before"),
  "⟨source⟩": tr("the source")
})[label];
var TURNS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802-\ud803\ud83a-\ud83b]/;
var SPREAD_BELOW = 0.25;
var ONLY_FROM = 0.995;
var NAMED = 3;
var WORTH_NAMING = 0.05;
var ENOUGH = 0.9;
var NO_CHANGE = 5e-3;
var pinnedHint = () => TOUCH ? tr("Pinned · Tap again to unpin") : tr("Pinned · Esc unpins");
var quoted = (label) => specialWords(label) ?? tr("“{word}”", { word: TURNS.test(label) ? `⁨${label}⁩` : label });
var strongly = (label) => ({ strong: quoted(label) });
function keyNames(labels) {
  const often = /* @__PURE__ */ new Map();
  labels.forEach((label) => often.set(label, (often.get(label) ?? 0) + 1));
  return (j) => Number(often.get(labels[j])) > 1 ? phrase(tr("{word} (token {number})"), { word: strongly(labels[j]), number: String(j + 1) }) : [strongly(labels[j])];
}
var enumerate = (items) => items.flatMap((item, i) => i === 0 ? item : [i === items.length - 1 ? tr(" and ") : ", ", ...item]);
function rowWords(label, { verb, read }) {
  if (verb === "Reading") return phrase(tr("From {word}"), { word: strongly(label) });
  if (read === void 0) return phrase(tr("Writes {word}"), { word: strongly(label) });
  return phrase(tr("Reads {read} → writes {written}"), { read: quoted(read), written: strongly(label) });
}
var capital = (words) => words[0].toUpperCase() + words.slice(1);
var does = (subject, text, fields) => phrase(text, { subject, ...fields });
function weightWords(row, names, distribution, subject) {
  const order = topIndices(row, row.length);
  const top = row[order[0]];
  if (distribution && top < SPREAD_BELOW) {
    const total = row.reduce((a, b) => a + b, 0);
    const entropy = -row.reduce((sum, w) => sum + (w > 0 ? w / total * Math.log(w / total) : 0), 0);
    const count = String(Math.round(Math.exp(entropy)));
    const text = tr(
      "{subject} spreads its weight over about {count} tokens; the most, {share}, goes to {key}"
    );
    return does(subject, text, { count, share: spokenPercent(top), key: names(order[0]) });
  }
  if (distribution && top >= ONLY_FROM)
    return does(subject, tr("{subject} looks only at {key}"), { key: names(order[0]) });
  const named = [];
  let covered = 0;
  for (const j of order.slice(0, NAMED)) {
    if (named.length && (row[j] < WORTH_NAMING || distribution && covered >= ENOUGH)) break;
    named.push(phrase(tr("{share} at {key}"), { share: spokenPercent(row[j]), key: names(j) }));
    covered += row[j];
  }
  return does(subject, tr("{subject} looks {where}"), { where: enumerate(named) });
}
function contributionWords(row, names, length, subject) {
  const order = topIndices(row, NAMED);
  const worth = (length ? 0.1 * row[order[0]] : WORTH_NAMING) || 0;
  const named = order.filter((j, rank) => rank === 0 || row[j] >= worth).map(
    (j) => length ? phrase(tr("{length} for {key}"), { length: lengthWords(row[j]), key: names(j) }) : phrase(tr("{share} from {key}"), { share: spokenPercent(row[j]), key: names(j) })
  );
  const text = length ? tr("{subject} adds vectors of length {list}") : tr("{subject} draws {list}");
  return does(subject, text, { list: enumerate(named) });
}
function scoreWords(row, names, subject) {
  const allowed = row.map((_, j) => j).filter((j) => Number.isFinite(row[j]));
  if (!allowed.length) return does(subject, tr("{subject} has no key to look at"), {});
  const order = allowed.sort((a, b) => row[b] - row[a] || a - b).slice(0, NAMED);
  const scored = order.map((j) => [...names(j), ` ${minus(fixed(row[j], 2))}`]);
  return does(subject, tr("{subject} scores {list} before the softmax"), { list: enumerate(scored) });
}
function differenceWords(row, names, subject) {
  const far = row.map(Math.abs);
  const order = topIndices(far, 2).filter((j, rank) => rank === 0 || far[j] >= WORTH_NAMING);
  if (!(far[order[0]] >= NO_CHANGE)) return does(subject, tr("{subject} look the same"), {});
  const list = order.map(
    (j) => phrase(tr("{points} at {key}"), { points: shown(row[j], "points"), key: names(j) })
  );
  return does(subject, tr("{subject} differ: {list}"), { list: enumerate(list) });
}
function rowSentence(row, queryLabel, keyLabels, how) {
  const { subject, hidden = null } = how;
  const sentence = (what2) => phrase(tr("{row}: {what}."), { row: rowWords(queryLabel, how), what: what2 });
  const names = keyNames(keyLabels);
  if (how.mode === "scores" || how.mode === "masked") return sentence(scoreWords(row, names, subject));
  if (how.mode === "difference") return sentence(differenceWords(row, names, subject));
  if (!row.every(Number.isFinite) || row.reduce((a, b) => a + b, 0) <= 0)
    return sentence(nothingLeft(subject, hidden));
  if (how.mode === "contribution" || how.mode === "length")
    return sentence(contributionWords(row, names, how.mode === "length", subject));
  const distribution = how.distribution ?? true;
  const what = weightWords(row, names, distribution, subject);
  return sentence(hidden === null ? what : [...what, leftOut(hidden, distribution)]);
}
var nothingLeft = (subject, hidden) => hidden === null ? does(subject, tr("{subject} has no key to look at"), {}) : does(subject, tr("{subject} gives {share} to the hidden tokens; too little is left to draw"), {
  share: spokenPercent(hidden)
});
var leftOut = (hidden, distribution) => {
  const share = spokenPercent(hidden);
  return distribution ? tr("; {share} goes to hidden tokens", { share }) : tr("; up to {share} goes to hidden tokens", { share });
};
function columnSentence(column2, cols, keyLabels, queryLabels, how) {
  const names = keyNames(queryLabels);
  const known = column2.map((v) => Number.isFinite(v) ? v : -Infinity);
  const least = how.mode === "length" ? 0.1 * Math.max(...known) : WORTH_NAMING;
  const order = topIndices(known, NAMED).filter((i, rank) => rank === 0 || column2[i] >= least);
  const keys = enumerate(cols.slice(0, 4).map(keyNames(keyLabels)));
  const row = how.verb === "Reading" ? tr("from {row} ({number})") : tr("writing {row} ({number})");
  const rows = (number) => enumerate(order.map((i) => phrase(row, { row: names(i), number: number(column2[i]) })));
  const subject = capital(how.subject);
  if (how.mode === "weights")
    return phrase(tr("{subject} looks at {keys} most when {rows}."), {
      ...{ subject, keys, rows: rows(spokenPercent) }
    });
  if (how.mode === "contribution")
    return phrase(tr("{subject} draws on {keys} most when {rows}."), {
      ...{ subject, keys, rows: rows(spokenPercent) }
    });
  if (how.mode === "length")
    return phrase(tr("{subject} adds most for {keys} when {rows}."), {
      ...{ subject, keys, rows: rows(lengthWords) }
    });
  const unit = how.mode === "difference" ? "points" : "number";
  return phrase(tr("{keys}: largest when {rows}."), { keys, rows: rows((v) => shown(v, unit)) });
}

// shared/joint_layout.ts
var jointPoint = (g, along, across) => g.flat ? [along, across] : [across, along];
var ARC = 62;
var BETWEEN = 180;
var WORDS = 30;
var MAP = 96;
var LOW = 2 * ARC + BETWEEN + WORDS + 12;
var BESIDE = 176;
var NEAR = 20;
function jointLayout(source, target, room, u, tall = Infinity) {
  const size = 14.5 * u;
  const [ws, wt] = [widths(source, size, 170 * u), widths(target, size, 170 * u)];
  const low = tall < LOW + 40 + MAP - NEAR;
  const wide = low ? room - BESIDE * u : room;
  const fits = [ws, wt].every((row) => rowLength(row, 12 * u) <= wide);
  if (!fits) return inColumns(source, target, room, u, tall);
  const above = inReadingOrder(spreadWords(ws, wide, 12 * u), source, wide);
  const below = inReadingOrder(spreadWords(wt, wide, 12 * u), target, wide);
  return inRows(above, below, room, u, low ? tall : Infinity);
}
var widths = (labels, size, most) => labels.map((label) => Math.min(most, textWidth(visible(label), size)));
function inRows(above, below, room, u, tall) {
  const free = Math.min(2 * ARC + BETWEEN, Math.max(150, tall - WORDS - 12));
  const reach = Math.min(ARC, Math.round(free * 0.21));
  const arc = reach * u;
  const upper = arc + 6 * u;
  const to = upper + (free - 2 * reach) * u;
  const lower = to + WORDS * u;
  const bottom = lower + arc + 6 * u;
  const beside = tall < Infinity;
  const [w, h] = beside ? [(BESIDE - 26) * u, bottom / 3 - 24 * u] : [Math.min(380 * u, (room - 60 * u) / 3), MAP * u];
  const words = { every: 1, room: 170 * u };
  return {
    ...{ u, size: 14.5 * u, room, flat: true, arc, height: beside ? bottom : bottom + 40 * u + h },
    source: {
      ...{ along: above, words: upper + 13 * u, lines: upper + 44 * u, outward: -1, ...words },
      edges: above.map(() => upper)
    },
    target: {
      ...{ along: below, words: to + 15 * u, lines: to, outward: 1, ...words },
      edges: below.map(() => lower)
    },
    maps: { w, h, corners: beside ? mapsBeside(room - w - 4 * u, bottom / 3, u) : mapsBelow(w, bottom, u) }
  };
}
var mapsBeside = (x, each, u) => [0, 1, 2].map((n2) => ({ x, y: n2 * each + 22 * u }));
var mapsBelow = (w, bottom, u) => [0, 1, 2].map((n2) => ({ x: 3 * u + n2 * (w + 26 * u), y: bottom + 34 * u }));
function inColumns(source, target, room, u, most) {
  const size = 13.5 * u;
  const [ws, wt] = [widths(source, size, 120 * u), widths(target, size, 120 * u)];
  const longest = Math.max(ws.length, wt.length);
  const limit = Math.min(660, Math.max(180, most - 20));
  const tall = Math.min(24 * u, limit * u / longest) * longest;
  const beside = room > (most < LOW + 40 + MAP - NEAR ? 700 : 980) * u;
  const wide = beside ? room - 236 * u : Math.min(room, 780 * u);
  const arc = Math.min(130 * u, room * 0.13);
  const bottom = tall + 20 * u;
  const w = beside ? 190 * u : Math.min(380 * u, (room - 60 * u) / 3);
  const each = most < Infinity ? Math.min(176 * u, bottom / 3) : 176 * u;
  const below = Math.min(MAP, Math.max(46, 0.4 * most));
  const h = beside ? each - 46 * u : below * u;
  const right = [0, 1, 2].map((n2) => ({ x: room - w - 4 * u, y: n2 * each + 26 * u }));
  const left = arc + 6 * u + Math.max(...ws) + 8 * u;
  const to = wide - arc - Math.max(...wt) - 24 * u;
  return {
    ...{ u, size, room, flat: false, arc },
    height: beside ? Math.max(bottom, right[2].y + h + 8 * u) : bottom + 40 * u + h,
    source: {
      ...column(ws, tall, u),
      ...{ words: left, lines: left + 50 * u, outward: -1, edges: ws.map((each2) => left - each2 - 10 * u) }
    },
    target: {
      ...column(wt, tall, u),
      ...{ words: to + 8 * u, lines: to, outward: 1, edges: wt.map((each2) => to + 8 * u + each2 + 10 * u) }
    },
    maps: { w, h, corners: beside ? right : mapsBelow(w, bottom, u) }
  };
}
var column = (words, tall, u) => ({
  along: words.map((_, i) => 10 * u + (i + 0.5) * tall / words.length),
  every: every(15 * u, tall / words.length),
  room: Math.max(...words)
});
function jointHit(g, x, y) {
  const [along, across] = g.flat ? [x, y] : [y, x];
  const { source, target, arc } = g;
  if (across > Math.min(...source.edges) - arc * 0.5 && across < source.lines + 10) {
    return { source: nearest(source.along, along) };
  }
  if (across > target.lines - 14 && across < Math.max(...target.edges) + arc * 0.5) {
    return { target: nearest(target.along, along) };
  }
  return null;
}
var nearest = (list, value) => list.reduce((best, v, i) => Math.abs(v - value) < Math.abs(list[best] - value) ? i : best, 0);
function jointTitle({ meta, written: written2, step }) {
  if (meta.title) return [meta.title];
  if (!written2) return [tr("Where the model looks, word by word")];
  const word = { kind: quoted(meta.target[step]) };
  const text = meta.mode === "weights" ? tr("Where the model looks when it writes {word}") : tr("What {word} is made of");
  return phrase(text, { word });
}
function jointSentence(joint) {
  if (!joint.written)
    return [
      tr("Nothing is written yet."),
      {
        muted: `  ${TOUCH ? tr("Tap Step to write the first word") : tr("→ writes the first word; Space plays")}`
      }
    ];
  return joint.hovered?.source === void 0 ? stepSentence(joint) : wordSentence(joint, joint.hovered.source);
}
function wordSentence(joint, j) {
  const { source, target } = joint.meta;
  const { encoder, cross } = joint.sheets;
  const { mode, tops } = joint.meta;
  const how = { verb: "Reading", subject: tr("the encoder"), mode };
  const reads = rowSentence(times(rowOf(encoder, j), tops.encoder), source[j], source, how);
  const written2 = target.slice(1, joint.written + 1);
  const writing = { verb: "Writing", subject: tr("the decoder"), mode };
  const column2 = times(columnOf(cross, j), tops.cross);
  return [...reads, " ", ...columnSentence(column2, [j], source, written2, writing)];
}
function stepSentence(joint) {
  const { source, target, subject, mode, tops } = joint.meta;
  const { encoder, cross, causal } = joint.sheets;
  const { step } = joint;
  const read = target[step - 1];
  const sentence = rowSentence(times(rowOf(cross, step - 1), tops.cross), target[step], source, {
    ...{ verb: "Writing", read, subject, mode }
  });
  const self = rowOf(causal, step - 1).slice(0, step);
  const amount = (v, kind) => mode === "length" ? lengthWords(v * tops[kind]) : spokenPercent(v);
  const back = topIndices(self, 1)[0];
  const nth = joint.namedSource ?? 0;
  const reading = rowOf(encoder, nth);
  const inside = topIndices(reading, 1)[0];
  const text = {
    weights: tr(
      " Of the words so far, {word} gets most ({amount}). In the encoder, {query} looks most at {key} ({share})."
    ),
    contribution: tr(
      " Of the words so far, {word} adds most ({amount}). In the encoder, {query} draws most from {key} ({share})."
    ),
    length: tr(
      " Of the words so far, {word} adds most (length {amount}). In the encoder, {query} draws most from {key} (length {share})."
    )
  }[mode];
  sentence.push(
    ...phrase(text, {
      ...{ word: strongly(target[back]), amount: amount(self[back], "causal") },
      ...{ query: strongly(source[nth]), share: amount(reading[inside], "encoder") },
      key: inside === nth ? tr("itself") : strongly(source[inside])
    })
  );
  return joint.pinned === null ? sentence : [...sentence, { muted: `  ${pinnedHint()}` }];
}
var times = (row, top) => top === 1 ? row : row.map((v) => v * top);

// shared/joint_drawing.ts
var MAPS = ["encoder", "cross", "causal"];
function paintJoint(p, joint, growth = 1) {
  const { sheets, layout, step, host } = joint;
  const c = host.colours;
  const named = joint.namedSource;
  paintCross(p, joint, growth);
  if (named !== null) {
    const still = joint.hovered?.source !== void 0 || joint.pinned !== null;
    const row = rowOf(sheets.encoder, named);
    paintArcs(p, joint, row, named, layout.source, c.encoder, still ? 1 : growth);
  }
  if (step) {
    const row = rowOf(sheets.causal, step - 1).slice(0, step);
    paintArcs(p, joint, row, step, layout.target, c.causal, growth);
  }
  paintSource(p, joint);
  paintTarget(p, joint);
  paintMaps(p, joint);
}
function paintCross(p, joint, growth) {
  const { layout: g, step, hovered, sheets, host } = joint;
  const { source, target } = g;
  const column2 = hovered?.source;
  const focus = {
    rows: new Set(column2 === void 0 && step ? [step - 1] : []),
    cols: new Set(column2 === void 0 ? [] : [column2])
  };
  if (!step) return;
  paintLines(p, sheets.cross, focus, {
    ...{ area: wholeOf(sheets.cross), threshold: LINE_FLOOR, behind: behindRow(step - 1), u: g.u },
    growing: { row: step - 1, share: growth },
    hue: () => host.colours.cross,
    curve: (i, j) => curveBetween(
      jointPoint(g, target.along[i + 1], target.lines),
      jointPoint(g, source.along[j], source.lines),
      g.flat
    )
  });
}
function paintArcs(p, { layout: g }, weights, from, { along, edges, outward }, stroke, growth) {
  const { u, arc } = g;
  const longest = Math.abs(along[along.length - 1] - along[0]) || 1;
  for (const j of topIndices(weights, weights.length).reverse()) {
    if (weights[j] < LINE_FLOOR || j >= along.length) continue;
    const itself = j === from;
    const [start, end] = itself ? [along[from] - 7 * u, along[from] + 7 * u] : [along[from], along[j]];
    const far = (Math.abs(end - start) / longest) ** 0.55;
    const rise = itself ? 24 * u : 20 * u + (arc * 1.3 - 20 * u) * far;
    const passed = edges.slice(Math.min(from, j), Math.max(from, j) + 1);
    const base = outward < 0 ? Math.min(...passed) : Math.max(...passed);
    const across = base + outward * rise;
    const [a, d] = [jointPoint(g, start, edges[from]), jointPoint(g, end, edges[j])];
    const curve = startOfCurve([a, jointPoint(g, start, across), jointPoint(g, end, across), d], growth);
    p.curve(...curve, { stroke, ...linePen(weights[j], "on", u) });
  }
}
function paintWord(p, { layout: g }, label, n2, side, { ink, fill: fill2, frame }) {
  const { u, size, flat } = g;
  const text = shorten(visible(label), side.room, size);
  const [x, y] = jointPoint(g, side.along[n2], side.words);
  const align = flat ? "center" : side.outward > 0 ? "left" : "right";
  if (fill2 || frame) {
    const w = textWidth(text, size, true, 600) + (fill2 ? 18 : 14) * u;
    const edge = (fill2 ? 8 : 6) * u;
    const left = flat ? x - w / 2 : side.outward > 0 ? x - edge : x - w + edge;
    const pitch = Math.abs((side.along[1] ?? Infinity) - side.along[0]);
    const h = frame ? 22 * u : flat ? 24 * u : Math.min(24 * u, Math.max(17 * u, 1.2 * pitch));
    p.rect(left, y - h / 2, w, h, { fill: fill2, stroke: frame, width: 1.4, radius: 7 * u });
  }
  const weight = fill2 ? 600 : 400;
  p.text(x, y + 0.5, text, { size, mono: true, align, baseline: "middle", fill: ink, weight });
}
function paintSource(p, joint) {
  const { layout: g, sheets, step, meta } = joint;
  const { u, flat, source } = g;
  const c = joint.host.colours;
  const named = joint.namedSource;
  const shares = step ? rowOf(sheets.cross, step - 1) : [];
  const big = readableShares(shares, source.along, flat ? 0 : 15 * u);
  const active = /* @__PURE__ */ new Set([...big, ...named === null ? [] : [named]]);
  for (const j of chosenLabels(0, source.along.length, source.every, active)) {
    const quiet = isSpecial(meta.source[j]) && !big.has(j);
    const look2 = { ink: quiet ? c.muted : c.ink, frame: j === named ? c.encoder : null };
    paintWord(p, joint, meta.source[j], j, source, look2);
    if (!big.has(j) || joint.hovered?.source !== void 0) continue;
    const [x, y] = flat ? [source.along[j], source.words + 23 * u] : [source.words + 14 * u, source.along[j]];
    const align = flat ? "center" : "left";
    const { mode, tops } = meta;
    const words = mode === "length" ? lengthWords(shares[j] * tops.cross) : percent(shares[j]);
    p.text(x, y, words, { size: typeSize(12, u), align, baseline: "middle", fill: c.cross_text });
  }
}
function readableShares(shares, along, apart) {
  const big = /* @__PURE__ */ new Set();
  for (const j of topIndices(shares, 8)) {
    const free = [...big].every((k) => Math.abs(along[k] - along[j]) >= apart);
    if (shares[j] >= 0.05 && free) big.add(j);
  }
  return big;
}
function paintTarget(p, joint) {
  const { layout: g, step, meta } = joint;
  const { target, flat, u } = g;
  const c = joint.host.colours;
  for (const i of chosenLabels(0, target.along.length, target.every, step ? [step] : [])) {
    if (i > joint.written) {
      const [x, y] = jointPoint(g, target.along[i], target.words);
      p.circle(flat ? x : x + 4 * u, y, 2.2 * u, { fill: c.line });
      continue;
    }
    const plainInk = isSpecial(meta.target[i]) ? c.muted : c.ink;
    const look2 = i === step ? { ink: inkOn(c.causal, c), fill: c.causal } : { ink: plainInk };
    paintWord(p, joint, meta.target[i], i, target, look2);
  }
}
function mapName(label, space, size) {
  const words = textWidth(label, size, false, 600) <= space ? label : label.replace(/ \(.*\)$/, "");
  return shorten(words, space, size, false);
}
function paintMaps(p, joint) {
  const { layout, sheets, step } = joint;
  const { u } = layout;
  const { w, h, corners } = layout.maps;
  const c = joint.host.colours;
  MAPS.forEach((kind, n2) => {
    const { x, y } = corners[n2];
    const sheet = sheets[kind];
    const size = typeSize(12.5, u);
    const space = Math.min(w + 22 * u, layout.room - x - 6 * u);
    const name = mapName(joint.meta.labels[kind], space, size);
    p.text(x, y - 8 * u, name, { size, fill: c[`${kind}_text`], weight: 600 });
    paintPixels(p, sheet, { x, y, w, h }, c);
    const mark = kind === "encoder" ? joint.namedSource : step ? step - 1 : null;
    const tall = h / sheet.rows.length;
    if (mark === null) return;
    const frame = { stroke: c.ink, width: 1.3, radius: 3 };
    p.rect(x - 1.5, y + mark * tall - 1, w + 3, Math.max(3, tall + 2), frame);
  });
}
function jointLeaving(joint) {
  return {
    name: () => `${joint.meta.file}-step-${joint.written}`,
    who: () => joint.meta.subject,
    title: () => jointTitle(joint),
    size: () => [joint.layout.room, joint.layout.height],
    draw: (p) => paintJoint(p, joint),
    words: () => jointSentence(joint),
    rows: () => [
      ["kind", ...TABLE_HEAD.slice(0, -1), joint.meta.measure],
      ...MAPS.flatMap((kind) => {
        const keys = kind === "causal" ? joint.written : joint.meta.source.length;
        const number = (v) => csvNumber(v * joint.meta.tops[kind]);
        const lines = tableOf(joint.sheets[kind], kind === "encoder", number).filter(
          (line) => Number(line[3]) < keys
        );
        return lines.map((line) => [kind, ...line]);
      })
    ]
  };
}

// shared/joint.ts
var HALL = 320;
var Joint = class extends CardView {
  canvas = el("canvas", { class: "picture", tabindex: 0, role: "img" });
  meta;
  sheets = {};
  layout;
  /** How many words are written. */
  written = 0;
  hovered = null;
  /** the source word that is pinned */
  pinned = null;
  words = "";
  stop = () => {
  };
  rested = linked(this.host, "stepped");
  playback = new Playback(this.host, {
    go: (step) => this.go(step),
    rested: () => this.report(),
    listens: () => this.meta.keys
  });
  constructor(root, host) {
    super(root, host, "joint");
    this.parts.body.append(this.canvas);
    this.parts.node.append(this.parts.readout);
    this.playback.node.append(this.playback.tools, exportMenu(host, jointLeaving(this)));
    this.parts.controls.append(this.playback.node);
    pageKeys(host, { Escape: () => this.pinned === null ? false : this.pin(null) });
    this.listen();
  }
  listen() {
    this.canvas.addEventListener("pointermove", (event) => {
      const over = jointHit(this.layout, ...pointIn(event, this.canvas));
      this.canvas.style.cursor = over ? "pointer" : "default";
      const legal = over?.source !== void 0 || (over?.target ?? 0) > 0;
      this.hover(legal && (over?.target ?? 0) <= this.written ? over : null);
    });
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("click", (event) => {
      const over = jointHit(this.layout, ...pointIn(event, this.canvas));
      if (over?.target) this.playback.byHand(over.target);
      else if (over?.source !== void 0) this.pin(this.pinned === over.source ? null : over.source);
    });
  }
  /* ---------- what the sentence is about ---------- */
  /** Hovering a written word previews its step; the first target position is the start token. */
  get step() {
    return this.hovered?.target || this.written;
  }
  /** The source word whose arcs are drawn: hovered, pinned, or what the step looked at most. */
  get namedSource() {
    if (this.hovered?.source !== void 0) return this.hovered.source;
    if (this.pinned !== null) return this.pinned;
    return this.step ? topIndices(rowOf(this.sheets.cross, this.step - 1), 1)[0] : null;
  }
  /* ---------- drawing ---------- */
  draw(growth = 1) {
    for (const kind of MAPS) {
      this.sheets[kind].written = kind === "encoder" ? this.meta.source.length : this.written;
    }
    const { room, height } = this.layout;
    paintJoint(canvasPainter(fitCanvas(this.canvas, room, height)), this, growth);
    const sentence = jointSentence(this);
    this.parts.tell({ title: jointTitle(this), readout: sentence });
    this.canvas.setAttribute("aria-label", plain(sentence));
    this.playback.update(this.written, this.meta.steps);
  }
  relayout() {
    const { source, target } = this.meta;
    const tall = inSight(this.host, Infinity, HALL);
    this.layout = jointLayout(source, target, this.parts.body.clientWidth, this.host.scale, tall);
    this.draw();
  }
  /* ---------- steps, hover, pin ---------- */
  go(step) {
    const forward = step === this.written + 1;
    this.written = step;
    this.hovered = null;
    this.stop();
    this.playback.update(step, this.meta.steps);
    if (forward) this.stop = animate((share) => this.draw(share), 190);
    else this.draw();
    this.report();
  }
  /** A link holds the step where the replay rests, not those it runs through. */
  report() {
    if (this.meta.report && !this.playback.playing) this.rested.report(this.written);
  }
  hover(at) {
    if (at?.source === this.hovered?.source && at?.target === this.hovered?.target) return;
    this.hovered = at;
    this.stop();
    this.draw();
  }
  pin(source) {
    this.pinned = source;
    this.hovered = null;
    this.draw();
  }
  /* ---------- data ---------- */
  update(meta) {
    this.meta = meta;
    this.sheets = this.makeSheets();
    setKind(this.host, "causal");
    this.playback.parts.keys.button.hidden = !meta.keys;
    const words = JSON.stringify([meta.source, meta.target]);
    const news = this.rested.isNews(meta.step);
    if (words !== this.words || news) {
      this.playback.pause();
      Object.assign(this, { written: meta.step, pinned: null, hovered: null });
    }
    this.words = words;
    this.parts.tell({ subtitle: meta.subtitle });
    this.relayout();
  }
  makeSheets() {
    const { source, target } = this.meta;
    const { colours } = this.host;
    const written2 = target.slice(1);
    const read = target.slice(0, -1);
    const words = {
      encoder: { rows: source, cols: source },
      cross: { rows: written2, cols: source, reads: read },
      causal: { rows: written2, cols: read, reads: read }
    };
    const sheetOf = (kind) => {
      const numbers = this.meta[kind];
      const { length } = words[kind].cols;
      const hides = (i, j) => kind === "causal" && j > i && !numbers[i * length + j];
      const at = (i, j) => hides(i, j) ? NaN : numbers[i * length + j];
      return makeSheet(words[kind], at, kindRamp(colours, kind));
    };
    return ofKinds(sheetOf);
  }
  destroy() {
    this.stop();
  }
};
var joint_default = viewOf(Joint);
export {
  Joint,
  joint_default as default
};
