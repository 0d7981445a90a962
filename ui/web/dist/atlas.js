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

// web/base/language.ts
var spoken = {};
var speak = (language) => {
  spoken = language ?? {};
};
var languageCode = () => spoken.code ?? "en";
var fill = (text, values) => text.replace(/\{(\w+)\}/g, (field2, name) => {
  const value = values[name] ?? field2;
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
var grouped = (value) => localised(value.toLocaleString("en-US"));
function plural(one, many, count, values = {}) {
  const rule = new Intl.PluralRules(languageCode()).select(count);
  const forms = spoken.counts?.[one] ?? [one, many];
  return fill(forms[rule === "one" ? 0 : 1], { count: grouped(count), ...values });
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
var headName = ({ layer, head }) => `${layer}.${head}`;
var lowered = (name) => name === name.toUpperCase() ? name : name.toLowerCase();
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

// web/base/controls.ts
var field = (words, control, after = null) => el("label", { class: "field" }, el("span", { class: "field-name" }, words), control, after);
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

// web/base/colour.ts
var hexToRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
var toLinear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
function luminance(hex) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// web/base/events.ts
function oncePerFrame({ signal }, draw) {
  let id = 0;
  signal.addEventListener("abort", () => cancelAnimationFrame(id));
  return () => {
    cancelAnimationFrame(id);
    id = requestAnimationFrame(draw);
  };
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
  const inside2 = [...root.querySelectorAll("*")].flatMap(
    ({ shadowRoot }) => shadowRoot ? cardsIn(shadowRoot) : []
  );
  return [...own, ...inside2];
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
  const fits = Math.min(clientWidth / width, clientHeight / height);
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
function toggleSlide(inside2 = null) {
  const state = page.atlasSlide;
  if (!state) return;
  const around2 = isSlide() ? null : cardAround(inside2) ?? chosen(state);
  const card2 = around2 && framed(around2);
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

// web/base/paint.ts
var AT_LEFT = { baseline: "middle" };
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

// heads/atlas_drawing.ts
function namedHeads(heads, panels, spots, open, u) {
  const size = typeSize(12.5, u);
  const words = heads.map((head) => [`${headName(head)} ${head.roles[0] ?? ""}`.trim(), headName(head)]);
  const roles = [...heads.keys()].filter((n2) => n2 !== open && heads[n2].roles.length);
  const drawn = new Set(panels.map(({ kind }) => kind));
  const wanted = [...open >= 0 ? [open] : [], ...roles].filter((n2) => drawn.has(heads[n2].kind)).map((n2) => ({
    n: n2,
    widths: words[n2].map((word) => textWidth(word, size, false)),
    must: n2 === open,
    radius: (n2 === open ? 10 : 5) * u
  }));
  const box = (n2) => panels.find(({ kind }) => kind === heads[n2].kind).box;
  const labelled = namesOf(spots, wanted, 5 * u, size * 1.1, box);
  return labelled.map(({ n: n2, k, x, y }) => ({ n: n2, x, y, words: words[n2][k], size }));
}
function paintMaps(p, { heads: own, panels, spots, hovered, host }) {
  const { colours: c, scale: u } = host;
  const { meta, open } = own;
  const listed = new Set(own.order);
  for (const { kind, box } of panels) {
    const chosen2 = kind === meta.kind;
    const label = meta.kinds.find((each) => each.kind === kind)?.words ?? "";
    p.rect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, {
      stroke: chosen2 ? c[kind] : c.line,
      radius: 8 * u
    });
    p.text(box.x + 11 * u, box.y + 19 * u, label, {
      size: typeSize(12.5, u),
      weight: chosen2 ? 650 : 500,
      fill: c[`${kind}_text`]
    });
  }
  spots.forEach((spot, n2) => {
    if (!spot) return;
    const { kind, roles } = meta.heads[n2];
    const faint = kind === meta.kind && !listed.has(n2);
    const colour = c[kind];
    const r = (n2 === open || n2 === hovered ? 7 : 5) * u;
    const alpha = faint ? 0.22 : 1;
    p.circle(spot.x, spot.y, r, {
      fill: roles.length ? colour : c.panel,
      stroke: colour,
      width: 1.5 * u,
      alpha
    });
    if (n2 === open || n2 === hovered) p.circle(spot.x, spot.y, r + 3 * u, { stroke: c.ink, width: 1.6 * u });
  });
  for (const { n: n2, x, y, words, size } of namedHeads(meta.heads, panels, spots, open, u)) {
    if (n2 === open) {
      const width = textWidth(words, size, false, 650);
      p.rect(x - 2, y - size * 0.6, width + 4, size * 1.2, { fill: c.panel, alpha: 0.85, radius: 3 });
    }
    p.text(x, y, words, {
      ...AT_LEFT,
      size,
      fill: n2 === open ? c.ink : c.muted,
      weight: n2 === open ? 650 : 400,
      alpha: meta.heads[n2].kind === meta.kind && !listed.has(n2) ? 0.4 : 1
    });
  }
}
var STATS = 7;
var EDGE2 = 16;
var TOP = 30;
function panelsOf(kinds, own, room, tall, gap, least) {
  const fits = room >= kinds.length * least + (kinds.length - 1) * gap;
  const drawn = fits ? kinds : [own];
  const width = (room - (drawn.length - 1) * gap) / drawn.length;
  return drawn.map((kind, n2) => ({ kind, box: { x: n2 * (width + gap), y: 0, w: width, h: tall } }));
}
function spotsOf(heads, panels, u) {
  const inner = panels.map(({ kind, box }) => {
    const own = heads.filter((head) => head.kind === kind && head.position);
    const [xs, ys] = [0, 1].map((axis) => own.map((head) => head.position[axis]));
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const area = {
      x: box.x + EDGE2 * u,
      y: box.y + TOP * u,
      w: box.w - 2 * EDGE2 * u,
      h: box.h - (TOP + EDGE2) * u
    };
    return { kind, area, middle: [(left + right) / 2, (low + high) / 2], span: [right - left, high - low] };
  });
  const scale = Math.min(
    ...inner.flatMap(({ area, span }) => [area.w / (span[0] || 1e-9), area.h / (span[1] || 1e-9)]),
    1e6
  );
  return heads.map((head) => {
    const panel = inner.find(({ kind }) => kind === head.kind);
    if (!panel || !head.position) return null;
    const { area, middle } = panel;
    return {
      x: area.x + area.w / 2 + (head.position[0] - middle[0]) * scale,
      y: area.y + area.h / 2 - (head.position[1] - middle[1]) * scale
    };
  });
}
function nearest(spots, x, y, reach) {
  let best = -1;
  let far = reach ** 2;
  spots.forEach((spot, n2) => {
    if (!spot) return;
    const distance = (spot.x - x) ** 2 + (spot.y - y) ** 2;
    if (distance <= far) [best, far] = [n2, distance];
  });
  return best;
}
function namesOf(spots, wanted, radius, line, panel) {
  const taken = spots.flatMap(
    (spot) => spot ? [{ x: spot.x - radius, y: spot.y - radius, w: 2 * radius, h: 2 * radius }] : []
  );
  const labelled = [];
  for (const { n: n2, widths, must, radius: own } of wanted) {
    const spot = spots[n2];
    if (!spot) continue;
    const boxes = widths.flatMap((width, k) => around(spot, width, own, line).map((box) => ({ k, box })));
    const seen = boxes.filter(({ box }) => inside(box, panel(n2)));
    const free = seen.find(({ box }) => !taken.some((other) => meet(box, other))) ?? (must ? seen.at(-1) : null);
    if (!free) continue;
    taken.push(free.box);
    labelled.push({ n: n2, k: free.k, x: free.box.x, y: free.box.y + line / 2 });
  }
  return labelled;
}
function around({ x, y }, width, radius, line) {
  const gap = radius + 3;
  const [w, h] = [width, line];
  return [
    { x: x + gap, y: y - h / 2, w, h },
    { x: x - gap - w, y: y - h / 2, w, h },
    { x: x - w / 2, y: y - gap - h, w, h },
    { x: x - w / 2, y: y + gap, w, h }
  ];
}
var meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
var inside = (a, b) => a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;
function rowsOf(heads, { kind, layer, role, sort }, value) {
  const rows = heads.map((head, n2) => ({ head, n: n2 })).filter(
    ({ head }) => head.kind === kind && (layer === null || head.layer === layer) && (!role || (role === "none" ? !head.roles.length : head.roles.includes(role)))
  ).map(({ n: n2 }) => n2);
  if (sort === "model") return rows;
  const sign = sort === "high" ? -1 : 1;
  const known = rows.filter((n2) => !Number.isNaN(value(n2)));
  const unknown = rows.filter((n2) => Number.isNaN(value(n2)));
  return [...known.sort((a, b) => sign * (value(a) - value(b)) || a - b), ...unknown];
}
var nextOrder = (sort, same) => !same || sort === "model" ? "high" : sort === "high" ? "low" : "model";
function scaleOf2({ low, high }, measured) {
  if (high !== null) return [low, high];
  const most = Math.max(low, ...measured.filter((value) => !Number.isNaN(value)));
  return [low, most > low ? most : low + 1];
}
var along = (value, [low, high]) => Math.max(0, Math.min(1, (value - low) / (high - low)));

// heads/atlas_heads.ts
var NAMED = 190;
var COLUMN = 122;
var AtlasHeads = class {
  meta;
  own = { sort: "model", score: "", layer: null, role: "" };
  /** How wide the table is, in pixels of the design. */
  room = 0;
  stat(n2, score, stat = 0) {
    const index = this.meta.scores.findIndex(({ name }) => name === score);
    return index < 0 ? NaN : this.meta.numbers[(n2 * this.meta.scores.length + index) * STATS + stat];
  }
  scoreOf(name) {
    return this.meta.scores.find((score) => score.name === name);
  }
  /** The score that the sentence names: the one that is sorted by, else the first column. */
  get named() {
    return this.scoreOf(this.own.score) ?? this.columns[0];
  }
  /** The index in `heads` of the open head. */
  get open() {
    const { opened, heads } = this.meta;
    return heads.findIndex(
      ({ kind, layer, head }) => kind === opened.kind && layer === opened.layer && head === opened.head
    );
  }
  /** Scores that some head of the kind has. */
  get known() {
    const { meta } = this;
    return meta.scores.filter(
      ({ name }) => meta.heads.some((head, n2) => head.kind === meta.kind && !Number.isNaN(this.stat(n2, name)))
    );
  }
  /** The columns that fit: the score that is sorted by, and those of the kind. */
  get columns() {
    const most = Math.max(1, Math.min(4, Math.floor((this.room - NAMED) / COLUMN)));
    const known = new Map(this.known.map((score2) => [score2.name, score2]));
    const names = this.meta.columns[this.meta.kind].filter((name) => known.has(name));
    const { score } = this.own;
    const first = !score || names.slice(0, most).includes(score) ? [] : [score];
    const chosen2 = [...first, ...names.filter((name) => name !== first[0])].slice(0, most);
    return chosen2.flatMap((name) => known.get(name) ?? []);
  }
  get order() {
    const { kind } = this.meta;
    const { layer, role, sort, score } = this.own;
    return rowsOf(this.meta.heads, { kind, layer, role, sort }, (n2) => this.stat(n2, score));
  }
};
var QUANTILES = ["05", "25", "50", "75", "95"];
var number = (value) => Number.isNaN(value) ? "–" : minus(Math.abs(value) >= 10 ? fixed(value, 1) : fixed(value, 2));
function atlasCsv(atlas) {
  const { heads, scores, kinds } = atlas.meta;
  const names = scores.flatMap(({ name }) => [
    name,
    `${name}_spread`,
    ...QUANTILES.map((share) => `${name}_q${share}`)
  ]);
  const head = ["kind", "layer", "head", "roles", ...names, "map_x", "map_y"];
  const rows = heads.map((each, n2) => [
    kinds.find(({ kind }) => kind === each.kind)?.name ?? each.kind,
    each.layer,
    each.head,
    each.roles.join("; "),
    ...scores.flatMap(
      ({ name }) => Array.from({ length: STATS }, (_, k) => csvNumber(atlas.stat(n2, name, k)))
    ),
    ...(each.position ?? [NaN, NaN]).map(csvNumber)
  ]);
  return [head, ...rows];
}
function headSentence(atlas, n2) {
  const { heads, kinds, sentences } = atlas.meta;
  const score = atlas.named;
  const stat = (nth) => atlas.stat(n2, score?.name ?? "", nth);
  const head = heads[n2];
  if (!head) return [{ muted: TOUCH ? tr("Tap a head to open it") : tr("Click a head to open it") }];
  const kind = kinds.find((each) => each.kind === head.kind)?.words ?? "";
  const known = score && !Number.isNaN(stat(0));
  const roles = head.roles.join(", ") || tr("no role");
  const words = { head: { strong: headName(head) }, kind, roles };
  const hint = { muted: `  ${TOUCH ? tr("Tap to open it") : tr("Click to open it")}` };
  if (!known) return [...phrase(tr("Head {head} of {kind}: {roles}."), words), hint];
  const text = plural(
    "Head {head} of {kind}: {roles}; {score} {mean} ± {spread} over {count} sentence.",
    "Head {head} of {kind}: {roles}; {score} {mean} ± {spread} over {count} sentences.",
    sentences
  );
  const numbers = { score: lowered(score.label), mean: { strong: number(stat(0)) }, spread: number(stat(1)) };
  return [...phrase(text, { ...words, ...numbers }), hint];
}

// heads/atlas_table.ts
function headCells(atlas, columns) {
  const { sort, score } = atlas.heads.own;
  const arrow = { high: " ↓", low: " ↑", model: "" }[sort];
  const cells = columns.map(({ name, label, definition }) => {
    const same = score === name && sort !== "model";
    const press = () => {
      const next = nextOrder(sort, same);
      atlas.sortBy(next === "model" ? "" : name, next);
    };
    const direction = same ? sort === "high" ? "descending" : "ascending" : "none";
    const looks = { onclick: press, title: definition };
    const button = el("button", looks, label + (same ? arrow : ""));
    return el("th", { scope: "col", class: "score", "aria-sort": direction }, button);
  });
  return [el("th", { scope: "col" }, tr("head")), el("th", { scope: "col" }, tr("role")), ...cells];
}
function headRow(heads, columns, n2) {
  const head = heads.meta.heads[n2];
  const opens = { "aria-label": tr("open head {name}", { name: headName(head) }) };
  const roles = head.roles.join(", ");
  return el(
    "tr",
    { "data-n": n2, "data-kind": head.kind },
    el("th", { scope: "row" }, el("button", opens, headName(head))),
    el("td", { class: roles ? "role" : "role none", title: roles || tr("no role") }, roles || "–"),
    ...columns.map((score) => cell(heads, n2, score))
  );
}
function cell(heads, n2, score) {
  const { meta } = heads;
  const numbers = Array.from({ length: STATS }, (_, k) => heads.stat(n2, score.name, k));
  const [mean, spread, ...quantiles] = numbers;
  if (Number.isNaN(mean)) return el("td", { class: "score" }, el("b", {}, "–"));
  const most = meta.heads.map(
    ({ kind }, m) => kind === meta.kind ? heads.stat(m, score.name, STATS - 1) : NaN
  );
  const scale = scaleOf2(score, most);
  const drawn = Number.isNaN(quantiles[0]) ? [mean, mean, mean, mean, mean] : quantiles;
  const [q05, q25, q50, q75, q95] = drawn.map((value) => 100 * along(value, scale));
  const band = (look2, from2, to2) => el("i", { class: look2, style: `left:${from2.toFixed(2)}%;width:${(to2 - from2).toFixed(2)}%` });
  const median = el("i", { class: "median", style: `left:${q50.toFixed(2)}%` });
  const strip = el("span", { class: "strip" }, band("most", q05, q95), band("half", q25, q75), median);
  const [from, , middle, , to] = quantiles.map(number);
  const numbersIn = { mean: number(mean), spread: number(spread), middle, from, to };
  const words = tr(
    "mean {mean}, standard deviation {spread}, median {middle}, 5 to 95 % of the sentences {from} to {to}",
    numbersIn
  );
  return el("td", { class: "score", title: words }, strip, el("b", {}, number(mean)));
}
function fillTable(atlas) {
  const { heads } = atlas;
  const { meta, own } = heads;
  const ofKind = meta.heads.filter(({ kind }) => kind === meta.kind);
  const layers = [...new Set(ofKind.map(({ layer }) => layer))];
  if (own.layer !== null && !layers.includes(own.layer)) own.layer = null;
  const roles = meta.roles.filter((role) => ofKind.some((head) => head.roles.includes(role)));
  if (own.role && own.role !== "none" && !roles.includes(own.role)) own.role = "";
  fillChooser(
    atlas.layer,
    [["", tr("all")], ...layers.map((layer) => [layer, String(layer)])],
    own.layer ?? ""
  );
  fillChooser(
    atlas.role,
    [["", tr("all")], ...roles.map((role) => [role, role]), ["none", tr("no role")]],
    own.role
  );
  const scores = heads.known.map(({ name, label }) => [name, label]);
  if (own.score && !heads.known.some(({ name }) => name === own.score))
    Object.assign(own, { score: "", sort: "model" });
  fillChooser(atlas.score, [["", tr("the model’s order")], ...scores], own.sort === "model" ? "" : own.score);
  const { order, columns } = heads;
  atlas.head.replaceChildren(...headCells(atlas, columns));
  atlas.rows.replaceChildren(...order.map((n2) => headRow(heads, columns, n2)));
  atlas.table.classList.toggle("empty", !order.length);
  const score = heads.named;
  say(
    atlas.about,
    score ? [{ strong: score.label }, ` ${score.definition} `, { muted: score.explained[0]?.[1] ?? "" }] : []
  );
}
function walkRows(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const button = event.target.closest("tr");
  if (!step || !button) return;
  const next = step > 0 ? button.nextElementSibling : button.previousElementSibling;
  next?.querySelector("button")?.focus();
  event.preventDefault();
}
function showOpen(atlas) {
  const row = atlas.rows.querySelector("[data-open]");
  if (!row) return;
  const { scrollTop, clientHeight } = atlas.list;
  const [top, tall] = [row.offsetTop, row.offsetHeight];
  if (top < scrollTop + tall || top + tall > scrollTop + clientHeight)
    atlas.list.scrollTop = top - clientHeight / 2;
}
function atlasLeaving(atlas) {
  return {
    name: () => atlas.heads.meta.file,
    who: () => atlas.heads.meta.title,
    size: () => atlas.size,
    draw: (p) => paintMaps(p, atlas),
    rows: () => atlasCsv(atlas.heads)
  };
}

// heads/atlas.ts
var MAP = 196;
var GAP = 12;
var BESIDE = 168;
var LIST = 470;
var HALL = 430;
var Atlas = class extends CardView {
  maps = el("canvas", { class: "picture atlas-maps", role: "img" });
  layer = chooser(
    [["", ""]],
    "",
    (value) => this.filter({ layer: value === "" ? null : Number(value) }),
    tr("layer")
  );
  role = chooser([["", ""]], "", (value) => this.filter({ role: value }), tr("role"));
  score = chooser([["", ""]], "", (value) => this.sortBy(value, "high"), tr("score"));
  head = el("tr");
  rows = el("tbody");
  table = el("table", { class: "atlas-heads" }, el("thead", {}, this.head), this.rows);
  list = el("div", { class: "atlas-list" }, this.table);
  about = el("p", { class: "atlas-about" });
  heads = new AtlasHeads();
  hovered = -1;
  panels = [];
  spots = [];
  size = [0, 0];
  soon = oncePerFrame(this.host, () => this.draw());
  looks = linked(this.host, "arranged");
  constructor(root, host) {
    super(root, host, "atlas-card");
    const fields = [
      field(tr("layer"), this.layer),
      field(tr("role"), this.role),
      field(tr("sorted by"), this.score)
    ];
    this.parts.body.append(this.maps, el("div", { class: "atlas-fields" }, ...fields), this.list, this.about);
    this.parts.node.append(this.parts.readout);
    this.parts.controls.append(exportMenu(host, atlasLeaving(this)));
    this.listen();
  }
  listen() {
    const at = (event) => nearest(this.spots, event.offsetX, event.offsetY, 14 * this.host.scale);
    this.maps.addEventListener("pointermove", (event) => this.hover(at(event), event));
    this.maps.addEventListener("pointerleave", () => this.hover(-1));
    this.maps.addEventListener("click", (event) => this.pick(at(event)));
    const rowOf = (event) => {
      const row = event.target.closest("tr[data-n]");
      return row ? Number(row.dataset.n) : -1;
    };
    this.rows.addEventListener("pointerover", (event) => this.hover(rowOf(event)));
    this.rows.addEventListener("pointerleave", () => this.hover(-1));
    this.rows.addEventListener("click", (event) => this.pick(rowOf(event)));
    this.rows.addEventListener("keydown", walkRows);
  }
  /* ---------- what the reader does ---------- */
  hover(n2, event) {
    if (event) {
      const head = this.heads.meta.heads[n2];
      const words = head ? [{ strong: headName(head) }, ` ${head.roles.join(", ") || "no role"}`] : [];
      const { offsetLeft, offsetTop } = this.maps;
      this.host.tip(words, event.offsetX + offsetLeft, event.offsetY + offsetTop);
      this.maps.style.cursor = head ? "pointer" : "";
    }
    if (n2 === this.hovered) return;
    this.hovered = n2;
    this.soon();
  }
  pick(n2) {
    const head = this.heads.meta.heads[n2];
    if (!head) return;
    const { kind, layer, head: number2 } = head;
    this.heads.meta.opened = { kind, layer, head: number2 };
    this.soon();
    this.host.trigger("picked", this.heads.meta.opened);
  }
  sortBy(score, sort) {
    Object.assign(this.heads.own, { score, sort });
    this.report();
  }
  filter(wanted) {
    Object.assign(this.heads.own, wanted);
    this.report();
  }
  report() {
    const { sort, score, layer, role } = this.heads.own;
    fillTable(this);
    this.soon();
    this.looks.report({ sort, score, layer, role });
  }
  /* ---------- drawing ---------- */
  arrange() {
    const u = this.host.scale;
    const room = this.parts.body.clientWidth;
    this.heads.room = room / u;
    const kinds = this.heads.meta.kinds.map(({ kind }) => kind);
    this.panels = panelsOf(kinds, this.heads.meta.kind, room, MAP * u, GAP * u, BESIDE * u);
    this.size = [room, MAP * u];
    this.spots = spotsOf(this.heads.meta.heads, this.panels, u);
    this.list.style.maxHeight = `${inSight(this.host, LIST, HALL) * u}px`;
  }
  draw() {
    const [width, height] = this.size;
    paintMaps(canvasPainter(fitCanvas(this.maps, width, height)), this);
    const { heads } = this;
    for (const row of this.rows.children) {
      const n2 = Number(row.dataset.n);
      row.classList.toggle("hovered", n2 === this.hovered);
      row.toggleAttribute("data-open", n2 === heads.open);
    }
    this.parts.tell({ readout: headSentence(heads, this.hovered >= 0 ? this.hovered : heads.open) });
  }
  /* ---------- data ---------- */
  update(meta) {
    const another = !this.heads.meta || this.heads.meta.kind !== meta.kind || this.heads.meta.file !== meta.file;
    this.heads.meta = { ...meta };
    if (this.looks.isNews(meta.listed) || another) Object.assign(this.heads.own, meta.listed);
    setKind(this.host, meta.kind);
    Object.assign(this.parts.node.dataset, { kind: meta.kind });
    this.parts.tell(meta);
    this.maps.setAttribute("aria-label", `${tr("Maps of the heads")}. ${meta.title}. ${meta.subtitle}`);
    this.relayout();
    showOpen(this);
  }
  relayout() {
    this.arrange();
    fillTable(this);
    this.draw();
  }
};
var atlas_default = viewOf(Atlas);
export {
  Atlas,
  atlas_default as default
};
