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
var lengthWords = (value) => fixed(value, value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2);
var visible = (label) => label === "" ? "∅" : label.trim() === "" ? "␣" : label;
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
var isSpecial = (label) => SPECIAL_LABEL.test(label);
var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;
var within = (low, value, high) => Math.min(high, Math.max(low, value));

// web/base/controls.ts
var keyName = (keys2) => {
  const names = { Enter: tr("Enter"), Esc: tr("Esc"), Space: tr("Space") };
  return keys2.replace(/\w+/g, (key) => names[key] ?? key);
};
function keyList(keys2, look2 = "quiet") {
  const lines = definitions((TOUCH ? [] : keys2).map(([key, what]) => [keyName(key), what]));
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

// web/base/events.ts
var TYPING = 'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="textbox"], [role="combobox"], [role="listbox"], [role="slider"], [role="radio"], [role="tab"], [role="menu"], [role="dialog"], [role="grid"]';
var PRESSING = 'button, a, [role="button"], summary';
function pageKeys(host, keys2) {
  onPage(host, "keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target.closest?.(TYPING)) return;
    if ((event.key === " " || event.key === "Enter") && target.closest?.(PRESSING)) return;
    const action = keys2[event.key];
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

// web/base/paint.ts
var AT_LEFT = { baseline: "middle" };
var AT_RIGHT = { align: "right", baseline: "middle" };
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
var legible = (size, u) => u <= 1 || size >= TOKENS.least - 0.05;
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
var logFloor = (keys2) => keys2 > 128 ? 0.5 / keys2 : 1e-4;
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
function weightAxis(scale, keys2, quantity = null) {
  const length = quantity?.unit === "length" ? quantity.top : 0;
  if (scale !== "log") {
    const end = length ? lengthWords(length) : "100 %";
    const middle = length ? lengthWords(0.5 * length) : "50";
    const stops2 = [
      [0, "0"],
      [0.5, middle],
      [1, end]
    ];
    return { stops: stops2, position: placer("weight", 1) };
  }
  const rough = (v) => localised(length ? String(Number((v * length).toPrecision(1))) : `${Number((v * 100).toPrecision(1))} %`);
  const stops = [
    [0, `≤ ${rough(logFloor(keys2))}`],
    [0.5, rough(Math.sqrt(logFloor(keys2)))],
    [1, length ? lengthWords(length) : "100 %"]
  ];
  return { stops };
}
function paintLegend(p, x, y, u, { table, stops, position: position2 = (share) => Math.round(255 * share), words }, c) {
  const [w, h, size] = [120 * u, 8 * u, typeSize(11, u)];
  for (let k = 0; k < 60; k++) {
    p.rect(x + k * w / 60, y, w / 60 + 0.6, h, { fill: table[position2(k / 59)] });
  }
  p.rect(x, y, w, h, { stroke: c.line, width: 1 });
  for (const [at, label] of stops) {
    const align = at < 0.08 ? "left" : at > 0.92 ? "right" : "center";
    p.text(x + at * w, y + h + size + u, label, { size, align, fill: c.muted });
  }
  p.text(x + w + 10 * u, y + h, words, { size, fill: c.muted });
}
function drawLegend(canvas, u, legend, c) {
  const size = typeSize(11, u);
  const context2 = fitCanvas(canvas, 136 * u + textWidth(legend.words, size, false), 15 * u + size);
  paintLegend(canvasPainter(context2), 2, 3, u, legend, c);
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

// web/maps/selection.ts
var sameCell = (a, b) => a?.row === b?.row && a?.col === b?.col;

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
var pinnedHint = () => TOUCH ? tr("Pinned · Tap again to unpin") : tr("Pinned · Esc unpins");
var quoted = (label) => specialWords(label) ?? tr("“{word}”", { word: TURNS.test(label) ? `⁨${label}⁩` : label });
var enumerate = (items) => items.flatMap((item, i) => i === 0 ? item : [i === items.length - 1 ? tr(" and ") : ", ", ...item]);

// web/marks/pointer.ts
var STEPS = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1]
};
var arrowKeys = (go) => Object.fromEntries(Object.entries(STEPS).map(([key, way]) => [key, () => go(...way)]));
var DRAG = 7;
function pointIn(event, node) {
  const box = node.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
function listenToMap(node, answers) {
  node.addEventListener("keydown", (event) => walk(event, answers));
  node.addEventListener("blur", () => answers.hover(null));
  listenToPointer(node, answers);
}
function listenToPointer(node, answers) {
  let down = null;
  const draggedFrom = ([x, y]) => down && answers.drags?.() && Math.hypot(x - down[0], y - down[1]) > DRAG ? down : null;
  const letGo = () => {
    down = null;
    if (answers.band) answers.band.hidden = true;
  };
  node.addEventListener("pointermove", (event) => {
    const to = pointIn(event, node);
    const from = draggedFrom(to);
    if (from && answers.dragging) return answers.dragging(from, to);
    if (from && answers.band) return showBand(answers.band, node, from, to);
    const at = answers.hit(...to);
    node.style.cursor = at ? "pointer" : "default";
    answers.hover(at, event);
  });
  node.addEventListener("pointerleave", () => {
    if (!down) answers.hover(null);
  });
  node.addEventListener("pointerdown", (event) => {
    down = pointIn(event, node);
    if (answers.drags) node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointercancel", () => {
    letGo();
    answers.dropped?.();
  });
  node.addEventListener("pointerup", (event) => {
    const to = pointIn(event, node);
    const from = draggedFrom(to);
    letGo();
    if (from) answers.drag?.(from, to);
    else answers.pin(answers.hit(...to), to);
  });
}
function showBand(band, node, from, to) {
  const [left, width] = [Math.min(from[0], to[0]) + node.offsetLeft, Math.abs(from[0] - to[0])];
  const [top, height] = [Math.min(from[1], to[1]) + node.offsetTop, Math.abs(from[1] - to[1])];
  band.hidden = false;
  band.style.cssText = `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
}
function walk(event, { hover, pin, cell, size }) {
  const step = STEPS[event.key];
  const [rows, cols] = size();
  if (step && rows && cols) {
    const now = cell();
    const row = within(0, (now.row ?? 0) + step[0], rows - 1);
    const sideways = step[1] ? 0 : void 0;
    const col = now.col === void 0 ? sideways : within(0, now.col + step[1], cols - 1);
    hover(col === void 0 ? { row } : { row, col });
  } else if (event.key === "Enter" || event.key === " ") pin(cell(), [0, 0]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// inside/lens_drawing.ts
var position = placer("weight", 1);
function paintLens(p, lens, g) {
  const { numbers, host, at } = lens;
  const { steps, depths } = numbers.meta;
  const c = host.colours;
  const { u, size } = g;
  depths.forEach((name, col) => {
    const { x, w } = cellBox(g, 0, col);
    const words = columnName(name, w, typeSize(12.5, u));
    const weight = col === at.col ? 600 : 400;
    p.text(x + w / 2, 16 * u, words, { size: typeSize(12.5, u), align: "center", weight, fill: c.muted });
  });
  steps.forEach((word, row) => {
    const { y, h } = cellBox(g, row, 0);
    const weight = row === at.row ? 600 : 400;
    const pen = { ...AT_RIGHT, size, mono: true, weight, fill: isSpecial(word) ? c.muted : c.ink };
    p.text(g.left - 9 * u, y + h / 2, shorten(visible(word), g.left - ASIDE * u, size), pen);
    const firstFrom = numbers.firstFrom(row);
    depths.forEach((_, col) => paintCell(p, lens, g, { row, col }, col === firstFrom));
  });
}
function columnName(name, room, size) {
  const short = [
    name,
    name.replace(/,.*/, ""),
    /\d/.test(name) ? "" : tr("emb."),
    /\d+/.exec(name)?.[0] ?? "0"
  ];
  return short.find((words) => words && textWidth(words, size, false, 600) <= room) ?? shorten(name, room, size);
}
function paintCell(p, lens, g, at, firstFrom) {
  const { numbers, host, table } = lens;
  const c = host.colours;
  const { u, size } = g;
  const { x, y, w, h } = cellBox(g, at.row, at.col);
  const [first] = numbers.top(at);
  const fill2 = table[position(numbers.final(at))];
  const radius = 4 * u;
  p.rect(x, y, w, h, { fill: fill2, radius });
  if (firstFrom) p.rect(x, y, 4 * u, h, { fill: c.ink, radius: 2 * u });
  const ink = readableOn(fill2, c);
  const rank = grouped(numbers.rank(at));
  const small = typeSize(10.5, u);
  const beside = legible(small, u) && w > 58 * u ? textWidth(rank, small, false) + 8 * u : 0;
  const room = w - 12 * u - beside;
  const weight = rank === "1" ? 600 : 400;
  const pen = { ...AT_LEFT, size, mono: true, weight, fill: ink };
  if (room > 10 * u) p.text(x + 9 * u, y + h / 2 + 0.5, shorten(visible(first.label), room, size), pen);
  if (beside) p.text(x + w - 6 * u, y + h / 2 + 0.5, rank, { ...AT_RIGHT, size: small, fill: ink });
  const { row, col } = lens.at;
  if (row === at.row && col === at.col)
    p.rect(x - 1, y - 1, w + 2, h + 2, { stroke: c.ink, width: 2 * u, radius });
}
var BAR = 26;
function listed({ numbers, at }) {
  const words = numbers.top(at);
  const written2 = numbers.meta.steps[at.row];
  const rank = numbers.rank(at);
  const choices = words.map(({ label, share }, n2) => ({
    label,
    share,
    rank: n2 + 1,
    written: rank === n2 + 1
  }));
  return rank <= words.length ? choices : [...choices, { label: written2, share: numbers.final(at), rank, written: true }];
}
var topHeight = (lens, u) => (listed(lens).length * BAR + 6) * u;
function paintTop(p, lens, room) {
  const u = lens.host.scale;
  const c = lens.host.colours;
  const size = typeSize(13, u);
  const words = listed(lens);
  const number = textWidth("100.0 %", size, false) + 6 * u;
  const left = Math.min(Math.max(...words.map(({ label }) => textWidth(visible(label), size))), room * 0.34) + 34 * u;
  words.forEach(({ label, share, rank, written: written2 }, n2) => {
    const y = (n2 * BAR + 15) * u;
    const pen = { size, baseline: "middle" };
    p.text(20 * u, y, grouped(rank), {
      ...pen,
      align: "right",
      fill: c.muted,
      size: typeSize(11.5, u)
    });
    const weight = written2 ? 600 : 400;
    p.text(28 * u, y, shorten(visible(label), left - 34 * u, size), {
      ...pen,
      mono: true,
      weight,
      fill: c.ink
    });
    const most = Math.max(10, room - left - number);
    const w = Math.max(1.5, share * most);
    p.rect(left, y - 8 * u, w, 16 * u, { fill: written2 ? c.causal : c.line, radius: 3 * u });
    p.text(left + w + 6 * u, y, percent(share, 1), {
      ...pen,
      weight,
      fill: written2 ? c.causal_text : c.muted
    });
  });
}
var lensLegend = (lens) => ({
  table: lens.table,
  ...weightAxis("weight", 1),
  words: tr("probability of the word written")
});
function lensLeaving(lens) {
  return {
    name: () => lens.numbers.meta.file,
    who: () => tr("logit lens"),
    title: () => `${plain(lens.numbers.title())} · ${tr("logit lens")}`,
    size: () => [lens.geometry.width, lens.geometry.height],
    draw: (p) => paintLens(p, lens, lens.geometry),
    legend: () => lensLegend(lens),
    words: () => lens.numbers.sentence(lens.at),
    rows: () => lens.numbers.table()
  };
}
function topLeaving(lens) {
  const room = () => exportWidth(lens.roomOfTop, lens.host.scale);
  return {
    name: () => `${lens.numbers.meta.file}-step-${lens.at.row + 1}-depth-${lens.at.col}`,
    who: () => `${tr("logit lens")}, ${lens.numbers.meta.depths[lens.at.col]}`,
    title: () => lens.topTitle(),
    size: () => [room(), topHeight(lens, lens.host.scale)],
    draw: (p) => paintTop(p, lens, room()),
    rows: () => [
      ["rank", "word", "probability", "written"],
      ...listed(lens).map(({ label, share, rank, written: written2 }) => [
        rank,
        label,
        csvNumber(share),
        Number(written2)
      ])
    ]
  };
}
var ASIDE = 12;
function lensGeometry(words, depths, room, u) {
  const size = typeSize(13, u);
  const widest = Math.max(...words.map((word) => textWidth(visible(word), size)), 20 * u);
  const left = Math.min(widest, room * 0.26, 150 * u) + ASIDE * u;
  const w = Math.min(190 * u, (room - left - 2 * u) / depths.length);
  const h = Math.max(28 * u, size * 1.9);
  const head = 26 * u;
  const [rows, cols] = [words.length, depths.length];
  return {
    u,
    left,
    head,
    w,
    h,
    rows,
    cols,
    size,
    width: left + w * cols + 2 * u,
    height: head + h * rows + 4 * u
  };
}
var cellBox = (g, row, col) => ({
  x: g.left + col * g.w,
  y: g.head + row * g.h,
  w: g.w - 2 * g.u,
  h: g.h - 2 * g.u
});
function lensHit(g, x, y) {
  const row = Math.floor((y - g.head) / g.h);
  if (row < 0 || row >= g.rows) return null;
  const col = x < g.left ? g.cols - 1 : Math.floor((x - g.left) / g.w);
  return col < g.cols ? { row, col } : null;
}

// inside/lens_numbers.ts
var NAMED = 3;
var LensNumbers = class {
  /**
   * `tops` and `shares` hold (depths, steps, k): words by their index in `labels`, most probable first; `ranks` and
   * `finals` (depths, steps): rank, from 1, and probability of the word that was written.
   */
  constructor(meta) {
    this.meta = meta;
  }
  meta;
  index({ row, col }) {
    return col * this.meta.steps.length + row;
  }
  /** The words of a cell with their probabilities, most probable first. */
  top(at) {
    const { k, labels, tops, shares } = this.meta;
    const from = this.index(at) * k;
    return Array.from({ length: k }, (_, n2) => ({
      label: labels[tops[from + n2]],
      share: shares[from + n2]
    }));
  }
  rank(at) {
    return this.meta.ranks[this.index(at)];
  }
  final(at) {
    return this.meta.finals[this.index(at)];
  }
  /**
   * The first depth from which the written word stays the most probable; the number of depths if it is not at the last,
   * as for a word that was drawn, forced or given.
   */
  firstFrom(row) {
    let col = this.meta.depths.length;
    while (col > 0 && this.rank({ row, col: col - 1 }) === 1) col -= 1;
    return col;
  }
  /** How many words that the model chose are first already below the top of the decoder. */
  get early() {
    return this.meta.choices.filter((row) => this.firstFrom(row) < this.meta.depths.length - 1).length;
  }
  title() {
    const values = { early: this.early };
    const count = this.meta.choices.length;
    return [
      plural(
        "{early} of {count} word is on top before the last decoder layer",
        "{early} of {count} words are on top before the last decoder layer",
        count,
        values
      )
    ];
  }
  /** A cell in words. */
  sentence(at) {
    const { steps, depths } = this.meta;
    const [first] = this.top(at);
    const rank = this.rank(at);
    const values = {
      word: quoted(steps[at.row]),
      depth: depths[at.col],
      other: quoted(first.label),
      share: spokenPercent(first.share),
      rank: grouped(rank),
      own: spokenPercent(this.final(at))
    };
    const read = rank > 1 ? tr(
      "Writing {word}: at {depth} the lens reads {other} ({share}); {word} is number {rank} ({own}).",
      values
    ) : tr("Writing {word}: at {depth} the lens reads {other} ({share}).", values);
    return [read, " ", ...this.standing(at.row)];
  }
  /**
   * At which depths a written word is the most probable: from one on, only at some below the output, or nowhere; for a
   * word that was no choice, that it was none.
   */
  standing(row) {
    const { choices, depths } = this.meta;
    if (!choices.includes(row)) return [tr("It is always written here.")];
    const from = this.firstFrom(row);
    if (from < depths.length) return [tr("It is first from {depth} on.", { depth: depths[from] })];
    const first = depths.filter((_, col) => this.rank({ row, col }) === 1);
    if (!first.length) return [tr("It is never the most probable word.")];
    if (first.length > NAMED) {
      const counts = { count: first.length, all: depths.length };
      return [tr("It is first at {count} of {all} depths, but not at the output.", counts)];
    }
    const named = { depths: enumerate(first.map((depth) => [depth])) };
    return phrase(tr("It is first at {depths}, but not at the output."), named);
  }
  /** Every cell as a line of a table: its words and probabilities, and those of the word written. */
  table() {
    const { steps, depths, k } = this.meta;
    const names = Array.from({ length: k }, (_, n2) => [`top_${n2 + 1}`, `probability_${n2 + 1}`]).flat();
    const lines = steps.flatMap(
      (word, row) => depths.map((depth, col) => {
        const at = { row, col };
        const words = this.top(at).flatMap(({ label, share }) => [label, csvNumber(share)]);
        return [row, word, col, depth, this.rank(at), csvNumber(this.final(at)), ...words];
      })
    );
    return [["step", "written", "depth", "layer", "rank", "probability", ...names], ...lines];
  }
  /** The whole view for a screen reader. */
  spoken() {
    const { steps, depths } = this.meta;
    const words = enumerate(steps.slice(0, 3).map((word) => [word])).join("");
    return tr("{count} written words ({words} …) at {depths} depths of the decoder", {
      count: steps.length,
      words,
      depths: depths.length
    });
  }
};

// inside/lens.ts
var keys = () => [
  ["← →", tr("One layer down, one layer up")],
  ["↑ ↓", tr("Previous word, next word")],
  ["Enter", tr("Pin the cell")],
  ["Esc", tr("Clear the pin")],
  ["?", tr("Show this list")]
];
var hint = () => TOUCH ? tr("Tap a cell to see its ten words") : tr("Point at a cell to see its ten words; click to pin it");
var Lens = class {
  constructor(root, host) {
    this.host = host;
    const grid = el("div", { class: "lens" });
    root.append(el("div", { class: "lens-wrap" }, grid));
    this.parts = card(grid);
    this.side = card(grid);
    const how = el(
      "span",
      { class: "lens-how" },
      tr("small number: rank of the word written · bar: first from here on")
    );
    const foot = el("div", { class: "foot" }, this.legend, how);
    this.parts.body.append(this.canvas, this.parts.readout, foot);
    this.side.body.append(this.bars);
    this.picked = linked(host, "picked");
    this.parts.controls.append(this.keys.button, exportMenu(host, lensLeaving(this)), this.keys.list);
    this.side.controls.append(exportMenu(host, topLeaving(this)));
    this.listen();
  }
  host;
  parts;
  side;
  canvas = el("canvas", { class: "picture lens-cells", tabindex: 0, role: "application" });
  bars = el("canvas", { class: "picture", role: "img" });
  legend = el("canvas", { class: "picture" });
  numbers;
  geometry;
  table = [];
  pinned = null;
  hovered = null;
  words = "";
  picked;
  keys = keyList(keys());
  listen() {
    listenToMap(this.canvas, {
      hit: (x, y) => lensHit(this.geometry, x, y),
      hover: (at) => this.hover(at && full(at)),
      pin: (at) => at && this.pin(full(at)),
      cell: () => this.at,
      size: () => [this.geometry.rows, this.geometry.cols]
    });
    const walk2 = (down, right) => {
      const { row, col } = this.at;
      const { rows, cols } = this.geometry;
      this.hovered = null;
      this.pin({ row: within(0, row + down, rows - 1), col: within(0, col + right, cols - 1) }, false);
    };
    pageKeys(this.host, {
      ...arrowKeys(walk2),
      Escape: () => this.keys.isOpen() ? this.keys.hide() : this.pinned ? this.pin(this.pinned) : false,
      "?": () => this.keys.toggle()
    });
  }
  /** The cell that the sentence is about: pointed at, pinned, or the last one before a word stays first. */
  get at() {
    if (this.hovered) return this.hovered;
    if (this.pinned) return this.pinned;
    const { steps, depths } = this.numbers.meta;
    const last = depths.length - 1;
    const rows = steps.map((_, row) => this.numbers.firstFrom(row));
    const late = rows.reduce((best, col, row) => col <= last && col > rows[best] ? row : best, 0);
    return { row: late, col: Math.max(0, Math.min(last, rows[late]) - 1) };
  }
  hover(at) {
    if (sameCell(at, this.hovered)) return;
    this.hovered = at;
    this.draw();
  }
  /** @param at a second time: no longer */
  pin(at, toggles = true) {
    const again = toggles && sameCell(this.pinned, at);
    this.pinned = again ? null : at;
    if (again) this.hovered = null;
    if (this.numbers.meta.report) this.picked.report(this.pinned && [this.pinned.row, this.pinned.col]);
    this.draw();
  }
  topTitle() {
    const { steps, depths } = this.numbers.meta;
    return tr("“{word}” at {depth}", { word: visible(steps[this.at.row]), depth: depths[this.at.col] });
  }
  /** Pixels that the bars may take. */
  get roomOfTop() {
    return this.side.body.clientWidth;
  }
  draw() {
    const { geometry: g, host } = this;
    paintLens(canvasPainter(fitCanvas(this.canvas, g.width, g.height)), this, g);
    const room = this.roomOfTop;
    paintTop(canvasPainter(fitCanvas(this.bars, room, topHeight(this, host.scale))), this, room);
    const sentence = this.numbers.sentence(this.at);
    this.parts.tell({ readout: [...sentence, { muted: `  ${this.pinned ? pinnedHint() : hint()}` }] });
    this.side.tell({ title: this.topTitle(), subtitle: tr("The ten most probable words there") });
    this.canvas.setAttribute("aria-label", `${this.numbers.spoken()}. ${plain(sentence)}`);
    this.bars.setAttribute("aria-label", plain(sentence));
  }
  relayout() {
    const { steps, depths } = this.numbers.meta;
    this.geometry = lensGeometry(steps, depths, this.parts.body.clientWidth, this.host.scale);
    this.draw();
    drawLegend(this.legend, this.host.scale, lensLegend(this), this.host.colours);
  }
  update(meta) {
    this.numbers = new LensNumbers(meta);
    setKind(this.host, "causal");
    this.table = rampTable(this.host.colours.panel, this.host.colours.causal);
    const words = JSON.stringify([meta.steps, meta.depths]);
    if (this.picked.isNews(meta.cell) || words !== this.words) {
      this.pinned = meta.cell && { row: meta.cell[0], col: meta.cell[1] };
      this.hovered = null;
    }
    this.words = words;
    this.parts.tell({
      title: this.numbers.title(),
      subtitle: meta.normed ? tr("Logit lens: each layer’s vector, read by the final norm and the output projection") : tr("Logit lens: each layer’s vector, read by the output projection")
    });
    this.relayout();
  }
};
var full = ({ row = 0, col = 0 }) => ({ row, col });
var lens_default = viewOf(Lens);
export {
  Lens,
  lens_default as default
};
