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
var wordsOf = (part) => typeof part === "string" ? part : Object.values(part)[0];
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
var divergingTable = (c) => Array.from({ length: 256 }, (_, i) => {
  const value = i / 127.5 - 1;
  return value >= 0 ? mix(c.neutral, c.positive, value) : mix(c.neutral, c.negative, -value);
});
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

// web/base/events.ts
function bus() {
  const page2 = window;
  return page2.atlasBus ??= Object.assign(new EventTarget(), { last: {} });
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
function largest(least, most, fits2) {
  let [low, high] = [least, most];
  for (let round = 0; round < ROUNDS; round++) {
    const times = (low + high) / 2;
    if (fits2(times)) low = times;
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
  const spread = (more) => charts.forEach((chart, n2) => {
    const height = Math.max(onPhone() ? CHART : SMALLEST, tall[n2] + more / charts.length / times);
    const size = { width: `${rooms[n2] / times}px`, height: `${height}px`, overflow: "visible" };
    for (let node = chart; node !== containers[n2]; node = node.parentElement)
      undo.push(dress(node, size));
    const below = { "margin-bottom": `${height * (times - 1)}px` };
    undo.push(dress(containers[n2], { ...size, ...below, "min-width": "0", "align-self": "flex-start" }));
    const picture = chart.querySelector(".js-plotly-plot");
    if (picture) undo.push(dress(picture, { transform: `scale(${times})`, "transform-origin": "0 0" }));
  });
  spread(0);
  const last = card2.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  spread(card2.getBoundingClientRect().bottom - last - parseFloat(getComputedStyle(card2).paddingBottom) - 1);
  return () => undo.forEach((back) => back());
}
function fitElements(card2, { width, height }) {
  const { clientWidth, clientHeight } = card2;
  const fits2 = Math.min(clientWidth / width, clientHeight / height);
  const room = onPhone() ? 1 : Math.min(MOST, Math.max(1, fits2));
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
  const nothing2 = () => {
  };
  const blank = { keepers: [], pointed: null, card: null, name: "", signature: "", idle: 0, timer: 0 };
  const state = page.atlasSlide = { ...blank, undo: nothing2, scrollBack: nothing2, tell: nothing2 };
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
var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

// web/base/paint.ts
var AT_LEFT = { baseline: "middle" };
var AT_RIGHT = { align: "right", baseline: "middle" };
var AT_CENTRE = { align: "center", baseline: "middle" };
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
var WEIGHT_OF_BYTE = Float32Array.from({ length: 256 }, (_, b) => (b / 255) ** 2);
function placer(scale, top, low = 0) {
  if (scale === "diverging") return (v) => Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, v / top)));
  if (scale === "range") return (v) => Math.round(255 * clamp01((v - low) / (top - low || 1)));
  if (scale === "log") {
    return (v) => v <= low ? 0 : Math.round(255 * clamp01(1 - Math.log(v / top) / Math.log(low / top)));
  }
  return (v) => Math.round(255 * clamp01(v / top) ** TOKENS.gamma);
}

// web/marks/legend.ts
var centred = (low, high) => [
  [0, low],
  [0.5, "0"],
  [1, high]
];
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

// inside/answer_pens.ts
function paintStep({ p, c, u }, number, x, y, r, size) {
  p.circle(x, y, r, { fill: c.ink });
  const pen = { ...AT_CENTRE, size: typeSize(size, u), weight: 650, fill: c.panel };
  p.text(x, y + 0.5, String(number), pen);
}
function heading(pens, { number, title, note }, x, y, right) {
  const { p, c, u } = pens;
  const [size, small] = [typeSize(16, u), typeSize(13, u)];
  const r = 11 * u;
  paintStep(pens, number, x + r, y, r, 12.5);
  const left = x + 2 * r + 9 * u;
  p.text(left, y, title, { ...AT_LEFT, size, weight: 650, fill: c.ink });
  const from = left + textWidth(title, size, false, 650) + 14 * u;
  if (note && right - from > 60 * u)
    p.text(from, y, shorten(note, right - from, small, false), { ...AT_LEFT, size: small, fill: c.muted });
  return Math.min(right, from + textWidth(note, small, false));
}
var sideOf = ({ wide, room, u }) => wide ? Math.min(158 * u, room * 0.17) : 0;

// inside/answer_products.ts
var BARS = 78;
function paintProducts(pens, data, above) {
  const { p, c, u, room } = pens;
  const side = sideOf(pens);
  const y = above + 24 * u;
  heading(pens, data.steps[1], 0, y, room);
  if (pens.short > 1) return paintTotal(pens, data, y);
  const most = Math.max(...data.products, 0);
  const least = Math.min(...data.products, 0);
  const bars = pens.short ? BARS / 2.4 : BARS;
  const unit = bars * u / (most - least || 1);
  const zero = y + 32 * u + most * unit;
  const w = (room - side) / data.products.length;
  const written2 = new Map(data.labelled);
  p.rect(side, zero, room - side, 1, { fill: c.muted });
  data.products.forEach((value, i) => {
    const x = side + i * w;
    const height = Math.abs(value) * unit;
    const fill2 = value < 0 ? c.negative : c.positive;
    const strong = written2.has(i) || pens.hovered === i;
    const inset = Math.min(3 * u, w * 0.14);
    p.rect(x + inset, value < 0 ? zero : zero - height, w - 2 * inset, Math.max(1, height), {
      fill: strong ? fill2 : mix(c.panel, fill2, 0.55),
      radius: 2 * u
    });
    pens.spots.push({ box: { x, y: y + 14 * u, w, h: bars * u + 36 * u }, dimension: i });
  });
  paintDigits(pens, data, w, zero, unit);
  return paintSum(pens, data, y, zero - least * unit + (pens.short ? 14 : 22) * u);
}
function paintTotal({ p, u, ink, room }, data, y) {
  const look2 = { size: typeSize(22, u), weight: 650, align: "right", baseline: "middle", fill: ink };
  p.text(room, y, data.total, look2);
  return y + 14 * u;
}
function paintDigits(pens, data, w, zero, unit) {
  const { p, c, u, room } = pens;
  const [side, size] = [sideOf(pens), typeSize(12.5, u)];
  const taken = [];
  const largestFirst = [...new Map(data.labelled)].sort(
    ([a], [b]) => Math.abs(data.products[b]) - Math.abs(data.products[a])
  );
  for (const [i, digits] of largestFirst) {
    const value = data.products[i];
    const half = textWidth(digits, size, false, 600) / 2 + 3 * u;
    const x = Math.min(room - half, Math.max(side + half, side + (i + 0.5) * w));
    if (taken.some(([from, to]) => x - half < to && x + half > from)) continue;
    taken.push([x - half, x + half]);
    const at = zero - value * unit + (value < 0 ? size + u : -5 * u);
    p.text(x, at, digits, { size, weight: 600, align: "center", fill: c.ink });
  }
}
function paintSum({ p, c, u, ink, room, wide }, data, y, below) {
  const size = typeSize(12.5, u);
  const big = typeSize(wide ? 27 : 22, u);
  const sum = tr("sum of {count} products", { count: data.products.length });
  if (wide) {
    p.text(11 * u, y + 58 * u, data.total, { size: big, weight: 650, fill: ink });
    p.text(11 * u, y + 58 * u + size * 1.5, sum, { size, fill: c.muted });
    return below;
  }
  p.text(0, below + big * 0.7, data.total, { size: big, weight: 650, fill: ink });
  const after = textWidth(data.total, big, false, 650) + 10 * u;
  p.text(after, below + big * 0.7, shorten(sum, room - after, size, false), { size, fill: c.muted });
  return below + big * 1.1;
}

// inside/answer_table.ts
var FAINT = 5e-3;
var STRONG = 16.5;
var PLAIN = 24;
var SHORT = 18.8;
function paintTable(pens, data, above) {
  const { p, c, u, room, wide } = pens;
  const size = typeSize(wide ? 13.5 : 12.5, u);
  const longest = Math.max(...data.lines.map(({ label }) => textWidth(visible(label), size)));
  const names = Math.min(longest + 12 * u, room * (wide ? 0.16 : 0.24));
  const laid = laidOut(pens, data, names);
  let top = heads(pens, laid, above + 20 * u);
  const ramp = rampTable(c.panel, pens.kind);
  const ends = laid.map((_, n2) => {
    const sizes = data.lines.map((line) => line.sizes[n2]);
    return [Math.min(0, ...sizes), Math.max(...sizes, 0)];
  });
  data.lines.forEach((line, n2) => {
    const strong = n2 === data.chosen;
    const [most, plain2] = pens.short ? [28, SHORT] : [wide ? 44 : 34, PLAIN];
    const height = (strong ? most : plain2) * u;
    if (strong)
      p.rect(0.75, top, room - 1.5, height, {
        fill: mix(c.panel, pens.kind, 0.08),
        stroke: pens.kind,
        width: 1.5 * u,
        radius: 8 * u
      });
    paintLine(pens, line, laid, ends, ramp, { x: 0, y: top, w: names, h: height });
    if (strong && wide) paintShare(pens, data.share, top + height / 2 + 0.5);
    pens.spots.push({ box: { x: 0, y: top, w: room, h: height }, line: n2 });
    laid.forEach(
      ({ left, right }, column) => pens.spots.push({ box: { x: left, y: top, w: right - left, h: height }, line: n2, column })
    );
    top += height + u;
  });
  return feet(pens, laid, top);
}
var paintShare = ({ p, u, ink, room }, share, y) => p.text(room - 12 * u, y, `= ${share}`, { ...AT_RIGHT, size: typeSize(STRONG, u), weight: 650, fill: ink });
function laidOut({ room, wide, u }, data, names) {
  const size = typeSize(wide ? 13.5 : 12.5, u);
  const strong = typeSize(wide ? STRONG : 13, u);
  const own = data.columns.map(
    (column, n2) => Math.max(
      ...data.lines.map(
        ({ cells }, line) => textWidth(cells[n2], line === data.chosen ? strong : size, false, line === data.chosen ? 650 : 400)
      ),
      column.look === "weight" ? (wide ? 96 : 46) * u : 0
    )
  );
  const bars = data.columns.filter(({ look: look2 }) => look2 === "bar").length;
  const share = wide ? textWidth(`= ${data.share}`, strong, false, 650) + 14 * u : 0;
  const gap = (wide ? 30 : 8) * u;
  const spare = room - names - share - own.reduce((sum, each) => sum + each + gap, 0);
  const bar = wide ? Math.max(0, Math.min(190 * u, spare / Math.max(1, bars))) : 0;
  const loose = wide ? Math.max(0, spare - bar * bars) / data.columns.length : Math.max(0, spare) / data.columns.length;
  let x = names;
  return data.columns.map((column, n2) => {
    const wanted = column.look === "bar" ? bar : 0;
    const left = x + gap + (column.look === "weight" ? 0 : loose);
    const right = left + wanted + own[n2];
    x = right + (column.look === "weight" ? loose : 0);
    return { column, left, right, bar: wanted };
  });
}
function heads(pens, laid, y) {
  const { p, c, u, room, wide } = pens;
  const small = typeSize(12.5, u);
  const notes = wide && laid.every(({ column, left }, n2) => fits(column, left, laid[n2 + 1]?.left ?? room, u));
  laid.forEach(({ column, left, right }, n2) => {
    const { step, name } = column;
    const end = (laid.slice(n2 + 1).find((each) => each.column.step)?.left ?? room) - 12 * u;
    if (step && wide) heading(pens, notes ? step : { ...step, note: "" }, left, y, end);
    else if (step) paintStep(pens, step.number, right - 8 * u, y, 8 * u, 11);
    if (step && wide && !notes)
      p.text(left, y + 24 * u, shorten(step.note, end - left, small, false), { size: small, fill: c.muted });
    if (!step && wide)
      p.text(right, y, name, { ...AT_RIGHT, size: typeSize(13.5, u), weight: 600, fill: c.ink });
    if (!wide) {
      const room_ = right - (laid[n2 - 1]?.right ?? 0) - 4 * u;
      p.text(right, y + 22 * u, shorten(narrowName(column), room_, small, false), {
        size: small,
        align: "right",
        fill: c.muted
      });
    }
  });
  return y + (wide ? notes ? 18 : 34 : 32) * u;
}
var narrowName = ({ name, card: card2 }) => card2 === "weights" && name.startsWith("e^") ? "e^…" : name;
function fits({ step }, left, right, u) {
  if (!step) return true;
  const words = textWidth(step.title, typeSize(16, u), false, 650) + textWidth(step.note, typeSize(13, u), false);
  return left + words + 60 * u < right;
}
function paintLine(pens, line, laid, ends, ramp, box) {
  const { p, c, u, wide } = pens;
  const strong = box.h > PLAIN * u;
  const size = strong ? typeSize(wide ? STRONG : 13, u) : typeSize(wide ? 13.5 : 12.5, u);
  const look2 = { size, middle: box.y + box.h / 2 + 0.5, strong, single: line.key !== null, box };
  const label = shorten(visible(line.label), box.w - 10 * u, size, look2.single);
  p.text(10 * u, look2.middle, label, {
    ...AT_LEFT,
    size,
    mono: look2.single,
    weight: strong ? 650 : 400,
    fill: strong || look2.single && !isSpecial(line.label) ? c.ink : c.muted
  });
  laid.forEach((at, n2) => {
    if (at.column.look === "weight") return paintWeight(pens, line.cells[n2], line.sizes[n2], ramp, at, look2);
    if (at.bar > 20 * u && look2.single) paintBar(pens, line.sizes[n2], ends[n2], at, look2);
    paintNumber(pens, line.cells[n2], n2, laid, look2);
  });
}
function paintWeight({ p, c, u, wide }, digits, weight, ramp, { left, right }, { size, middle, strong, box }) {
  const h = box.h - (strong ? 10 : 4) * u;
  const fill2 = weight < FAINT ? c.soft : ramp[placer("weight", 1)(weight)];
  p.rect(left, box.y + (box.h - h) / 2, right - left, h, { fill: fill2, radius: 5 * u });
  const large = strong && wide && contrast(fill2, c.panel) >= 3;
  p.text((left + right) / 2, middle, digits, {
    ...AT_CENTRE,
    size: strong && wide ? typeSize(20, u) : size,
    weight: strong ? 700 : 400,
    fill: large ? c.panel : readableOn(fill2, c)
  });
}
function paintBar({ p, c, u, kind }, value, [low, high], { left, bar }, { middle, strong, box }) {
  const unit = (bar - 14 * u) / (high - low || 1);
  const zero = left - low * unit;
  const length = value * unit;
  const h = (strong ? 18 : 10) * u;
  p.rect(zero, box.y, 1, box.h + u, { fill: c.line });
  if (Math.abs(length) < 0.5) return;
  const fill2 = strong ? kind : c.bar;
  p.rect(Math.min(zero, zero + length), middle - h / 2, Math.abs(length), h, { fill: fill2, radius: 2 * u });
}
function paintNumber(pens, digits, n2, laid, { size, middle, strong }) {
  const { p, c, u, ink, kind, wide } = pens;
  const { column, right } = laid[n2];
  const plain2 = column.look === "number" ? c.muted : c.ink;
  p.text(right, middle, digits, {
    ...AT_RIGHT,
    size,
    weight: strong ? 650 : 400,
    fill: strong ? n2 ? c.ink : ink : plain2
  });
  const next = laid.at(n2 + 1);
  if (strong && wide && next && next.left - right > 26 * u && column.step !== next.column.step)
    arrow(p, right + 9 * u, middle, u, kind);
}
var arrow = (p, x, y, u, stroke) => {
  const [end, head] = [x + 12 * u, 4 * u];
  p.path(`M${x} ${y}L${end} ${y}M${end - head} ${y - head}L${end} ${y}L${end - head} ${y + head}`, {
    stroke,
    width: 1.8 * u
  });
};
function feet({ p, c, u, room, wide }, laid, top) {
  const size = typeSize(13.5, u);
  const rows = laid.filter(({ column }) => column.foot);
  if (!rows.length) return top + 4 * u;
  const middle = top + 17 * u;
  if (!wide) {
    rows.forEach(
      ({ column }, n2) => p.text(room - 4 * u, middle + n2 * size * 1.5, column.foot, {
        ...AT_RIGHT,
        size,
        weight: 600,
        fill: c.ink
      })
    );
    return middle + rows.length * size * 1.5;
  }
  for (const { column, left, right } of rows) {
    const last = column.look === "weight";
    if (!last) p.rect(left, top + 3 * u, right - left, 1, { fill: c.ink });
    p.text(
      last ? Math.min(left, room - textWidth(column.foot, size, false, 600)) : right,
      middle,
      column.foot,
      {
        size,
        weight: 600,
        align: last ? "left" : "right",
        baseline: "middle",
        fill: c.ink
      }
    );
  }
  return middle + 14 * u;
}

// inside/answer_vectors.ts
var TWO_LINES = 32;
var SHORT2 = 18;
function paintVectors(pens, data) {
  const { c, u, room, wide } = pens;
  const type = typeSize(11.5, u);
  const both = [
    { vector: data.query, colour: c.query, ink: c.query_text },
    { vector: data.key, colour: c.key, ink: c.key_text }
  ];
  const top = Math.max(...both.flatMap(({ vector }) => Array.from(vector.values, Math.abs))) || 1;
  paintHeading(pens, data, top);
  const widest = Math.max(
    ...both.flatMap(({ vector }) => vector.digits.map((each) => textWidth(each, type, true)))
  );
  const side = sideOf(pens);
  const whole = cellsOf(data.products.length, widest, room - side, type);
  const cells = pens.short ? { ...whole, h: Math.min(whole.h, SHORT2 * u) } : whole;
  const table = divergingTable(c);
  const position = placer("diverging", top);
  const fills = both.map(({ vector }) => Array.from(vector.values, (value) => table[position(value)]));
  let y = 35 * u;
  if (!wide) y = paintNamesAbove(pens, both, y);
  for (let first = 0; first < data.products.length; first += cells.perLine) {
    const last = Math.min(first + cells.perLine, data.products.length);
    both.forEach((named, n2) => {
      const line = y + n2 * (cells.h + 3 * u);
      if (wide && !first) paintNameBeside(pens, named, line, cells.h, side);
      else if (!wide) pens.p.rect(0, line, 2.5 * u, cells.h, { fill: named.colour });
      for (let i = first; i < last; i++) {
        const box = { x: side + (i - first) * cells.w, y: line, w: cells.w, h: cells.h };
        const look2 = { fill: fills[n2][i], type, turned: cells.turned, marked: pens.hovered === i };
        paintNumber2(pens, named.vector.digits[i], box, look2);
        pens.spots.push({ box: { ...box, h: cells.h + 3 * u }, dimension: i, line: -1 - n2 });
      }
    });
    y += 2 * (cells.h + 3 * u) + (cells.perLine < data.products.length ? 5 * u : 0);
  }
  return y;
}
function cellsOf(count, widest, room, type) {
  const flat = widest + 5;
  const upright = type + 3;
  if (count * flat <= room) return { perLine: count, w: room / count, h: type * 2.1, turned: false };
  if (count * upright <= room) return { perLine: count, w: room / count, h: widest + 9, turned: true };
  const fits2 = Math.max(1, Math.floor(room / flat));
  const perLine = Math.ceil(count / Math.ceil(count / fits2));
  return { perLine, w: room / perLine, h: type * 2.1, turned: false };
}
function paintHeading(pens, data, top) {
  const { p, c, u, room } = pens;
  const stops = centred(`−${fixed(top, 1)}`, fixed(top, 1));
  const legend = 150 * u;
  const end = heading(pens, data.steps[0], 0, 13 * u, room);
  const scale = { table: divergingTable(c), words: "", stops };
  if (end + legend < room) paintLegend(p, room - legend + 20 * u, 2 * u, u, scale, c);
}
function paintNamesAbove({ p, c, u, room }, both, y) {
  const [name, type] = [typeSize(14, u), typeSize(11.5, u)];
  both.forEach(({ vector, ink }, n2) => {
    const x = n2 * room / 2;
    p.text(x, y + 8 * u, vector.name, { size: name, weight: 650, fill: ink, baseline: "middle" });
    const after = x + textWidth(vector.name, name, false, 650) + 8 * u;
    p.text(after, y + 8 * u, vectorWords(vector, room / 2 - (after - x) - 8 * u, type), {
      ...AT_LEFT,
      size: type,
      mono: true,
      fill: c.muted
    });
  });
  return y + 24 * u;
}
function paintNameBeside(pens, { vector, colour, ink }, y, h, side) {
  const { p, u } = pens;
  const middle = y + h / 2;
  p.rect(0, y, 3 * u, h, { fill: colour, radius: 1.5 * u });
  if (pens.short || h < TWO_LINES * u) {
    const size = typeSize(14, u);
    p.text(11 * u, middle, vector.name, { size, weight: 650, baseline: "middle", fill: ink });
    const after = 11 * u + textWidth(vector.name, size, false, 650) + 8 * u;
    if (!pens.short) rowWords(pens, vector, after, middle + 4.5 * u, side - 8 * u - after);
    return;
  }
  p.text(11 * u, middle - 4 * u, vector.name, { size: typeSize(14, u), weight: 650, fill: ink });
  rowWords(pens, vector, 11 * u, middle + 13 * u, side - 19 * u);
}
function paintNumber2({ p, c, u, short }, digits, { x, y, w: full, h }, look2) {
  const { fill: fill2, type, turned, marked } = look2;
  const w = full - Math.min(2 * u, full * 0.15);
  p.rect(x, y, w, h, { fill: fill2, radius: 3 * u });
  if (short && turned) return;
  p.text(x + w / 2, y + h / 2 + 0.5, digits, {
    ...AT_CENTRE,
    size: type,
    mono: true,
    rotate: turned ? -90 : 0,
    fill: readableOn(fill2, c)
  });
  if (marked) p.rect(x - 1, y - 1, w + 2, h + 2, { stroke: c.ink, width: 2 * u, radius: 4 * u });
}
var vectorWords = ({ small, word }, room, size) => shorten(small ? `${visible(small)} ${visible(word)}` : visible(word), room, size);
function rowWords({ p, c, u }, { small, word }, x, y, room) {
  const [little, size] = [typeSize(12, u), typeSize(13, u)];
  const before = small ? shorten(visible(small), room / 2, little) : "";
  p.text(x, y, before, { size: little, mono: true, fill: c.muted });
  const at = x + (before ? textWidth(before, little) + 5 * u : 0);
  p.text(at, y, shorten(visible(word), room - (at - x), size), {
    size,
    mono: true,
    weight: 600,
    fill: c.ink
  });
}

// inside/answer_drawing.ts
var WIDE = 720;
function paintAnswer(painter, data, room, u, c, hovered = null, short = 0) {
  const spots = [];
  const own = { ink: c[`${data.kind}_text`], kind: c[data.kind] };
  const pens = { p: painter ?? SILENT, c, u, ...own, room, wide: room >= WIDE * u, short, hovered, spots };
  const products = paintVectors(pens, data);
  const table = paintProducts(pens, data, products);
  return { height: paintTable(pens, data, table), spots };
}
var nothing = () => {
};
var SILENT = {
  rect: nothing,
  circle: nothing,
  curve: nothing,
  path: nothing,
  image: nothing,
  text: nothing
};
function inMarks(data) {
  const vector = (one) => ({ ...one, digits: one.digits.map(localised) });
  return {
    ...data,
    query: vector(data.query),
    key: vector(data.key),
    labelled: data.labelled.map(([n2, digits]) => [n2, localised(digits)]),
    total: localised(data.total),
    lines: data.lines.map((line) => ({ ...line, cells: line.cells.map(localised) }))
  };
}
function answerTable(data) {
  const lines = [["part", "index", "name", "column", "written", "value"]];
  for (const vector of [data.query, data.key])
    vector.values.forEach(
      (value, i) => lines.push([vector.name, i, vector.word, "", vector.digits[i], csvNumber(value)])
    );
  data.products.forEach((value, i) => lines.push(["product", i, "", "", "", csvNumber(value)]));
  lines.push(["sum", "", "", "", data.total, ""]);
  for (const { key, label, cells, sizes } of data.lines)
    data.columns.forEach(
      ({ name }, n2) => lines.push(["key", key ?? "", label, name, cells[n2], csvNumber(sizes[n2])])
    );
  return lines;
}
function tipOf(data, { dimension, line, column }) {
  if (dimension !== void 0)
    return tr("Dimension {number}: {query} × {key} = {product}", {
      number: dimension,
      query: data.query.digits[dimension],
      key: data.key.digits[dimension],
      product: fixed(data.products[dimension], 2).replace("-", "−")
    });
  const at = line === void 0 ? void 0 : data.lines[line];
  if (!at || at.key === null) return "";
  if (line !== data.chosen)
    return tr("Ask about “{word}”: {share}", {
      word: at.label,
      share: percent(at.sizes[at.sizes.length - 1])
    });
  return column === void 0 ? "" : tr("See how {number} is computed", { number: at.cells[column] });
}

// inside/answer.ts
var Answer = class extends CardView {
  canvas = el("canvas", { class: "picture answer-picture", role: "img" });
  numbers = el("table");
  sent;
  data;
  spots = [];
  hovered = null;
  constructor(root, host) {
    super(root, host, "answer");
    this.parts.body.append(this.canvas, el("div", { class: "visually-hidden" }, this.numbers));
    this.parts.controls.append(exportMenu(host, this.leaving()));
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("click", (event) => this.click(event));
  }
  /** What lies under the pointer: the last mark drawn there. */
  spot(event) {
    const [x, y] = pointIn(event, this.canvas);
    const under = this.spots.filter(
      ({ box }) => x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h
    );
    return under[under.length - 1];
  }
  point(event) {
    const spot = this.spot(event);
    const [x, y] = pointIn(event, this.host.root);
    const words = spot ? tipOf(this.data, spot) : "";
    this.host.tip(words, x, y);
    this.canvas.style.cursor = words ? "pointer" : "default";
    this.hover(spot?.dimension ?? null);
  }
  leave() {
    this.host.tip("", 0, 0);
    this.hover(null);
  }
  hover(dimension) {
    if (dimension === this.hovered) return;
    this.hovered = dimension;
    this.relayout();
  }
  /** Another word is asked about, or a number's terms. */
  click(event) {
    const spot = this.spot(event);
    if (!spot) return;
    const { row, column, lines, columns, chosen: chosen2 } = this.data;
    const ask = (name, i, j) => this.host.trigger("asked", { card: name, cell: [i, j] });
    if (spot.dimension !== void 0) {
      if (spot.line === -1) ask("q_head", row, spot.dimension);
      else if (spot.line === -2) ask("k_head", column, spot.dimension);
      else ask("products", row, column);
      return;
    }
    const line = lines[spot.line ?? -1];
    if (!line || line.key === null) return;
    if (spot.line !== chosen2) this.host.trigger("column", line.key);
    else if (spot.column !== void 0) ask(columns[spot.column].card, row, column);
  }
  update(sent) {
    const data = inMarks(sent);
    this.sent = sent;
    this.data = data;
    setKind(this.host, data.kind);
    this.parts.tell(data);
    const head = el(
      "tr",
      {},
      el("th", { scope: "col" }, tr("token")),
      ...data.columns.map(({ name }) => el("th", { scope: "col" }, name))
    );
    const rows = data.lines.map(
      ({ label, cells }) => el("tr", {}, el("th", { scope: "row" }, visible(label)), ...cells.map((each) => el("td", {}, each)))
    );
    this.numbers.replaceChildren(head, ...rows);
    this.canvas.setAttribute("aria-label", `${plain(data.title)} ${data.subtitle}`);
    this.relayout();
  }
  relayout() {
    const room = this.parts.body.clientWidth;
    const { scale: u, colours: c } = this.host;
    const short = this.short();
    const { height, spots } = paintAnswer(null, this.data, room, u, c, null, short);
    this.spots = spots;
    const painter = canvasPainter(fitCanvas(this.canvas, room, height));
    paintAnswer(painter, this.data, room, u, c, this.hovered, short);
  }
  /** How much is left out on a slide that lacks the room for all of it. */
  short() {
    const share = Number(this.host.root.dataset.slideRoom ?? Infinity) * this.host.scale / window.innerHeight;
    return share > 0.99 ? 0 : share > 0.6 ? 1 : 2;
  }
  leaving() {
    const u = () => this.host.scale;
    const room = () => Math.max(this.parts.body.clientWidth, 560 * u());
    const height = () => paintAnswer(null, this.data, room(), u(), this.host.colours).height;
    return {
      name: () => this.data.file,
      title: () => this.data.title,
      subtitle: () => this.data.subtitle,
      size: () => [room(), height()],
      draw: (p) => paintAnswer(p, this.data, room(), u(), this.host.colours),
      rows: () => answerTable(this.sent)
    };
  }
};
var answer_default = viewOf(Answer);
export {
  Answer,
  answer_default as default
};
