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
function onPreview(node, show3, hide) {
  node.addEventListener("pointerenter", show3);
  node.addEventListener("focus", (event) => node.matches(":focus-visible") && show3(event));
  for (const name of ["pointerleave", "blur"]) node.addEventListener(name, hide);
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
function announce(topic, words) {
  bus().last[topic] = words;
  bus().dispatchEvent(new CustomEvent(topic, { detail: words }));
}
function listenTo(host, topic, hear) {
  const listener = (event) => hear(event.detail);
  bus().addEventListener(topic, listener, { signal: host.signal });
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
var grouped = (value) => localised(value.toLocaleString("en-US"));
function plural(one, many, count, values = {}) {
  const rule = new Intl.PluralRules(languageCode()).select(count);
  const forms = spoken.counts?.[one] ?? [one, many];
  return fill(forms[rule === "one" ? 0 : 1], { count: grouped(count), ...values });
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
function brief(value, unit) {
  if (unit === "length") return lengthWords(value);
  if (unit === "number") return minus(Math.abs(value) >= 10 ? fixed(value, 0) : fixed(value, 1));
  const whole = Math.round(value * 100);
  return minus(unit === "points" && whole > 0 ? `+${whole}` : `${whole}`);
}
var visible = (label) => label === "" ? "∅" : label.trim() === "" ? "␣" : label;
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
var isSpecial = (label) => SPECIAL_LABEL.test(label);
var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;
var topIndices = (values, count) => Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
var within = (low, value, high) => Math.min(high, Math.max(low, value));

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
function sumOf(sheet, items, line) {
  const sum = new Array(line === rowOf ? sheet.cols.length : sheet.written).fill(0);
  for (const item of items) line(sheet, item).forEach((v, n2) => sum[n2] += Number.isFinite(v) ? v : 0);
  return sum;
}
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
function weightAxis(scale, keys, quantity = null) {
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
    [0, `≤ ${rough(logFloor(keys))}`],
    [0.5, rough(Math.sqrt(logFloor(keys)))],
    [1, length ? lengthWords(length) : "100 %"]
  ];
  return { stops };
}
var weightWords = (log = false) => log ? tr("attention weight, logarithmic") : tr("attention weight");
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

// web/base/controls.ts
function chooser(options2, value, change, label, look2 = "chooser") {
  const select = el("select", {
    class: look2,
    "aria-label": label,
    onchange: () => change(select.value)
  });
  fillChooser(select, options2, value);
  return select;
}
function fillChooser(select, options2, value) {
  select.replaceChildren(...options2.map(([id, words]) => el("option", { value: id }, words)));
  select.value = String(value);
}
var MEAN = "mean";
function fillCounted(pick, count, one, value) {
  const layers = one === "layer";
  const name = (number) => layers ? tr("layer {number}", { number }) : tr("head {number}", { number });
  const options2 = Array.from({ length: count }, (_, n2) => [n2, name(n2)]);
  if (count > 1)
    options2.unshift([
      MEAN,
      layers ? tr("mean of {count} layers", { count }) : tr("mean of {count} heads", { count })
    ]);
  fillChooser(pick, options2, value ?? (count > 1 ? MEAN : 0));
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

// web/maps/selection.ts
var focusOn = (at) => ({
  rows: new Set(at?.row === void 0 ? [] : [at.row]),
  cols: new Set(at?.col === void 0 ? [] : [at.col])
});
var MOST_PINS = 32;
var sameCell = (a, b) => a?.row === b?.row && a?.col === b?.col;
var Selection = class {
  /** @param changed called after every change */
  constructor(changed) {
    this.changed = changed;
    this.hovered = null;
    this.rows = /* @__PURE__ */ new Set();
    this.cols = /* @__PURE__ */ new Set();
  }
  hover(at) {
    if (sameCell(this.hovered, at)) return;
    this.hovered = at;
    this.changed();
  }
  /**
   * Pins a cell alone, or a word's row or column beside those pinned already; a second time takes the pin away.
   */
  toggle({ row, col }) {
    if (row !== void 0 && col !== void 0) {
      const again = this.isCell && this.rows.has(row) && this.cols.has(col);
      this.rows = new Set(again ? [] : [row]);
      this.cols = new Set(again ? [] : [col]);
      this.hovered = null;
      return this.changed();
    }
    const [side, n2] = row === void 0 ? [this.cols, col ?? 0] : [this.rows, row];
    if (!side.delete(n2)) side.add(n2);
    if (this.rows.size + this.cols.size > MOST_PINS) side.delete([...side][0]);
    this.hovered = null;
    this.changed();
  }
  /** Whether exactly one row and one column are pinned: a cell. */
  get isCell() {
    return this.rows.size === 1 && this.cols.size === 1;
  }
  get pinned() {
    return this.rows.size + this.cols.size > 0;
  }
  /** True when there was something to clear, so that Esc can be left to others otherwise. */
  clear() {
    const had = this.pinned || this.hovered !== null;
    this.rows.clear();
    this.cols.clear();
    this.hovered = null;
    if (had) this.changed();
    return had;
  }
  /** Forget what no longer exists, e.g. after going back. */
  trim(rows, columns) {
    for (const row2 of this.rows) if (row2 >= rows) this.rows.delete(row2);
    for (const col2 of this.cols) if (col2 >= columns) this.cols.delete(col2);
    const { row = 0, col = 0 } = this.hovered ?? {};
    if (row >= rows || col >= columns) this.hovered = null;
  }
  /** What to tell: what is under the pointer, else the pins. `cell`: one row and one column. */
  get active() {
    if (!this.hovered) return { rows: this.rows, cols: this.cols, cell: this.isCell };
    const { row, col } = this.hovered;
    return { ...focusOn(this.hovered), cell: row !== void 0 && col !== void 0 };
  }
  /** What the sentence adds about it. */
  get hint() {
    if (this.hovered) return "";
    return this.pinned ? "pinned" : "free";
  }
};

// translate/next_word.ts
var SHORT = 11;
function candidates({ ids, labels, probabilities, chosen: chosen2, extra, barred, cut }) {
  let kept = 0;
  const listed = ids.map((id, n2) => {
    const bars = barred.includes(id);
    if (!bars) kept += 1;
    const last = cut !== null && !bars && kept === cut.count;
    return {
      id,
      label: labels[n2],
      probability: probabilities[n2],
      rank: n2 + 1,
      listed: true,
      barred: bars,
      cut: last
    };
  });
  if (!extra || chosen2 === null) return listed;
  return [...listed, { ...extra, id: chosen2, listed: false, barred: false, cut: false }];
}
function restWords({ rest: [count, mass], cut, ids }) {
  if (!count) return "";
  const others = plural("{count} other: {share}", "{count} others: {share}", count, {
    share: percent(mass, 1)
  });
  if (!cut || cut.count <= ids.length) return others;
  const limit = { limit: cut.label };
  return `${others} · ${plural("{limit} keeps {count} word", "{limit} keeps {count} words", cut.count, limit)}`;
}
var FULL = 62;
var NUMBER2 = 4.6;
function makeBar(force) {
  const word = el("bdi", { class: "bar-word", dir: "auto" });
  const fill2 = el("span", { class: "bar-fill" });
  const number = el("span", { class: "bar-number" });
  const tag = el("span", { class: "bar-tag" });
  const track = el("span", { class: "bar-track" }, fill2, el("span", {}, number, " ", tag));
  const bar = { candidate: null, idle: false };
  const press = () => !bar.idle && bar.candidate && force(bar.candidate);
  const button = el("button", { class: "bar", onclick: press }, word, " ", track);
  return Object.assign(bar, {
    word,
    fill: fill2,
    number,
    tag,
    button,
    item: el("li", { class: "bar-row" }, button)
  });
}
var NextWord = class {
  /** `force` is called for a candidate that is clicked. */
  constructor(parent, host, force) {
    this.host = host;
    this.force = force;
    parent.append(el("div", { class: "bars-place" }, this.list, this.rest));
  }
  host;
  force;
  list = el("ul", { class: "bars" });
  rest = el("p", { class: "rest" });
  bars = [];
  step;
  kind = "cross";
  forcible = true;
  /** `forcible`: whether another word may be forced. */
  update(step, kind, forcible) {
    [this.step, this.kind, this.forcible] = [step, kind, forcible];
    this.list.style.setProperty("--kind", this.host.colours[kind]);
    const shown2 = [];
    candidates(step).forEach((candidate, n2) => {
      shown2.push(this.fillBar(n2, candidate));
      if (candidate.cut) shown2.push(el("li", { class: "cut" }, el("span", {}, step.cut?.label)));
    });
    const { children } = this.list;
    const same = shown2.length === children.length && shown2.every((node, n2) => node === children[n2]);
    if (!same) this.list.replaceChildren(...shown2);
    this.rest.textContent = restWords(step);
  }
  fillBar(n2, candidate) {
    const bar = this.bars[n2] ??= makeBar(this.force);
    const { label, probability } = candidate;
    bar.candidate = { id: candidate.id, label };
    const chosen2 = candidate.id === this.step.chosen;
    bar.idle = chosen2 || candidate.barred || !this.forcible;
    bar.word.textContent = visible(label);
    bar.word.classList.toggle("long", visible(label).length > SHORT);
    const tag = this.tagOf(candidate);
    bar.number.textContent = percent(probability, 1);
    bar.tag.textContent = tag;
    const beside = NUMBER2 + 0.55 * tag.length;
    bar.fill.style.width = `calc(${probability.toFixed(5)} * (100% - ${beside.toFixed(1)}em))`;
    bar.button.classList.toggle("chosen", chosen2);
    bar.button.classList.toggle("barred", candidate.barred);
    bar.button.setAttribute("aria-disabled", String(candidate.barred || !this.forcible));
    bar.button.title = label;
    const forced = this.forcible ? tr("force this word") : "";
    const then = chosen2 ? tr("written") : candidate.barred ? tr("never written") : forced;
    bar.button.setAttribute(
      "aria-label",
      [[visible(label), percent(probability, 1), tag].filter(Boolean).join(" "), then].filter(Boolean).join(", ")
    );
    return bar.item;
  }
  tagOf({ id, listed, rank, barred }) {
    if (id === this.step.chosen && this.step.forced) return tr("forced");
    if (barred) return tr("never written");
    if (id === this.step.fixed) return tr("always first");
    return listed ? "" : tr("rank {rank}", { rank: grouped(rank) });
  }
  /* ---------- leaving the page ---------- */
  get leaving() {
    const u = () => this.host.scale;
    return {
      size: () => [420 * u(), (candidates(this.step).length + 1) * 24 * u()],
      draw: (p) => this.draw(p, u()),
      rows: () => [
        ["rank", "token", "id", "probability", "written"],
        ...candidates(this.step).map(({ rank, label, id, probability }) => [
          ...[rank, label, id, probability],
          id === this.step.chosen ? "yes" : ""
        ])
      ]
    };
  }
  draw(p, u) {
    const c = this.host.colours;
    const { cut, chosen: chosen2 } = this.step;
    const words = cut?.label ?? "";
    const track = 120 * u;
    candidates(this.step).forEach((candidate, n2) => {
      const { label, probability, id } = candidate;
      const y = n2 * 24 * u;
      const on = id === chosen2;
      const width = Math.max(2, probability * FULL / 100 * 300 * u);
      const word = shorten(visible(label), track - 10 * u, 15 * u);
      const weight = on ? 650 : 400;
      p.text(track - 10 * u, y + 17 * u, word, {
        size: 15 * u,
        mono: true,
        align: "right",
        weight,
        fill: c.ink
      });
      p.rect(track, y + 5 * u, width, 15 * u, { fill: on ? c[this.kind] : c.bar, radius: 4 * u });
      const number = [percent(probability, 1), this.tagOf(candidate)].filter(Boolean).join("  ");
      p.text(track + width + 8 * u, y + 17 * u, number, { size: 13 * u, fill: on ? c.ink : c.muted });
      if (!candidate.cut) return;
      p.rect(0, y + 24 * u, 420 * u, 1.5, { fill: c.causal });
      p.text(420 * u, y + 21 * u, words, { size: 12 * u, align: "right", fill: c.causal_text });
    });
    const bottom = (candidates(this.step).length + 0.8) * 24 * u;
    p.text(track, bottom, restWords(this.step), { size: 13 * u, fill: c.muted });
  }
};

// web/marks/labels.ts
var READ_SIZE = 0.92;
var readSize = (size, u) => typeSize(READ_SIZE * size / u, u);
var readPart = (read) => read === void 0 ? "" : `${visible(read)} → `;
var every = (need, have) => Math.max(1, Math.ceil(need / have));
function chosenLabels(from, to, step, active) {
  if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
  const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
  const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
  return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
}
var rowLength = (widths, gap) => widths.reduce((sum, width) => sum + width + gap, 0);
function spreadWords(widths, length, gap) {
  const slot = length / widths.length;
  if (widths.every((width) => width + gap <= slot)) return widths.map((_, i) => (i + 0.5) * slot);
  const spare = Math.max(0, length - rowLength(widths, gap)) / widths.length;
  let x = 0;
  return widths.map((width) => {
    const centre = x + (width + gap + spare) / 2;
    x += width + gap + spare;
    return centre;
  });
}
function fillSlots(widths, slot, gap) {
  let end = 0;
  return widths.map((width, i) => {
    const centre = Math.max((i + 0.5) * slot, end + (width + gap) / 2);
    end = centre + (width + gap) / 2;
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

// web/maps/sentence.ts
var verbOf = (kind) => kind === "encoder" ? "Reading" : "Writing";
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
var hint = () => TOUCH ? tr("Tap a cell or word to pin it") : tr("Hover to read; click to pin; Esc clears");
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
function weightWords2(row, names, distribution, subject) {
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
  const what = weightWords2(row, names, distribution, subject);
  return sentence(hidden === null ? what : [...what, leftOut(hidden, distribution)]);
}
var nothingLeft = (subject, hidden) => hidden === null ? does(subject, tr("{subject} has no key to look at"), {}) : does(subject, tr("{subject} gives {share} to the hidden tokens; too little is left to draw"), {
  share: spokenPercent(hidden)
});
var leftOut = (hidden, distribution) => {
  const share = spokenPercent(hidden);
  return distribution ? tr("; {share} goes to hidden tokens", { share }) : tr("; up to {share} goes to hidden tokens", { share });
};
function sumSentence(total, rows, queryLabels, keyLabels, how) {
  const names = keyNames(keyLabels);
  const count = rows.length;
  const ofCount = how.mode === "weights" || how.mode === "contribution";
  const least = WORTH_NAMING * (how.mode === "length" ? Math.max(...total) : count);
  const worth = (j) => total[j] >= least;
  const top = topIndices(total, NAMED).filter((j, rank) => rank === 0 || worth(j));
  const who = count > 4 ? [plural("{count} token", "{count} tokens", count)] : enumerate(rows.map(keyNames(queryLabels)));
  const list = enumerate(
    top.map((j) => {
      const number = minus(fixed(total[j], 2));
      const text = ofCount ? tr("{number} of {count} at {key}") : tr("{number} at {key}");
      return phrase(text, { number, count: String(count), key: names(j) });
    })
  );
  const [subject] = [how.subject];
  if (how.mode === "length")
    return phrase(tr("Summed over {rows}: {subject} adds lengths of {list}."), { rows: who, subject, list });
  if (how.mode === "contribution")
    return phrase(tr("Summed over {rows}: {subject} draws {list}."), { rows: who, subject, list });
  return phrase(tr("Summed over {rows}: {subject} looks {list}."), { rows: who, subject, list });
}
function columnSentence(column, cols, keyLabels, queryLabels, how) {
  const names = keyNames(queryLabels);
  const known = column.map((v) => Number.isFinite(v) ? v : -Infinity);
  const least = how.mode === "length" ? 0.1 * Math.max(...known) : WORTH_NAMING;
  const order = topIndices(known, NAMED).filter((i, rank) => rank === 0 || column[i] >= least);
  const keys = enumerate(cols.slice(0, 4).map(keyNames(keyLabels)));
  const row = how.verb === "Reading" ? tr("from {row} ({number})") : tr("writing {row} ({number})");
  const rows = (number) => enumerate(order.map((i) => phrase(row, { row: names(i), number: number(column[i]) })));
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
function wholeSentence(sheet, how) {
  const largest2 = Array.from({ length: sheet.written }, (_, i) => Math.max(...rowOf(sheet, i)));
  const share = { strong: spokenPercent(largest2.reduce((a, b) => a + b, 0) / sheet.written) };
  const text = plural(
    "{subject} gives {share} of its weight to one token.",
    "{subject} gives {share} of its weight to one token, on average over the {count} tokens written.",
    sheet.written
  );
  return phrase(text, { subject: capital(how.subject), share });
}
function mapSentence(looked) {
  const { sheets } = looked;
  if (!sheets.length) return [tr("Every head is hidden; choose a swatch to show one again.")];
  if (!sheets[0].written) return [tr("Nothing is written yet.")];
  const sentence = sheets.length > 1 ? severalHeads(looked) : oneHead(looked);
  if (!looked.hint) return sentence;
  return [...sentence, { muted: `  ${looked.hint === "pinned" ? pinnedHint() : hint()}` }];
}
function oneHead({ sheets: [sheet], subjects: [subject], how, rows, cols, cell, row }) {
  const context2 = { ...how, subject };
  if (row < 0 && !rows.size && !cols.size) return wholeSentence(sheet, context2);
  const list = [...rows].sort((a, b) => a - b);
  const only = list.length === 1 ? list[0] : row;
  const sentence = [];
  if (list.length === 1 || !list.length && !cols.size) {
    const hidden = sheet.hidden?.[only] ?? null;
    const read = sheet.reads?.[only];
    const words = { ...context2, read, hidden };
    sentence.push(...rowSentence(rowOf(sheet, only), sheet.rows[only], sheet.cols, words));
  } else if (list.length) {
    sentence.push(...sumSentence(sumOf(sheet, list, rowOf), list, sheet.rows, sheet.cols, context2));
  }
  const [col] = cols;
  if (cell) {
    const number = shown(sheet.at(list[0], col), sheet.unit, sheet.unit === "share" ? 1 : 0);
    sentence.push({
      muted: `  ${tr("This cell, {key}: {number}", { key: quoted(sheet.cols[col]), number })}`
    });
  } else if (cols.size) {
    const column = sumOf(sheet, cols, columnOf);
    const queries = sheet.rows.slice(0, sheet.written);
    sentence.push(
      ...sentence.length ? [" "] : [],
      ...columnSentence(column, [...cols], sheet.cols, queries, context2)
    );
  }
  return sentence;
}
function severalHeads({ sheets, names, how, rows, cols, row }) {
  const list = [...rows].sort((a, b) => a - b);
  const from = list.length ? list : cols.size ? [] : [row];
  const words = (labels, indices) => enumerate(indices.map((n2) => [strongly(labels[n2])]));
  const most = (items, line, labels, link) => enumerate(
    sheets.map((sheet, k) => {
      const sum = sumOf(sheet, items, line);
      const n2 = topIndices(sum, 1)[0];
      const number = shown(sum[n2] / items.length, sheet.unit);
      return phrase(link, { head: names[k], word: strongly(labels[n2]), number });
    })
  );
  const { rows: queries, cols: keys } = sheets[0];
  if (from.length) {
    const where = most(from, rowOf, keys, tr("{head} at {word} ({number})"));
    const text = how.verb === "Reading" ? tr("From {rows}: {where}.") : tr("Writing {rows}: {where}.");
    return phrase(text, { rows: words(queries, from), where });
  }
  const when = most([...cols], columnOf, queries, tr("{head} at {word} ({number})"));
  return phrase(tr("{keys}, most from {where}."), { keys: words(keys, [...cols]), where: when });
}

// translate/stage_controls.ts
var WordButtons = class {
  constructor(lines) {
    this.lines = lines;
    const row = (label) => el("div", { class: "lines-row", role: "group", "aria-label": label });
    this.rows = { source: row(tr("Source words")), target: row(tr("Written words")) };
  }
  lines;
  rows;
  labels = { source: [], target: [] };
  buttons = { source: [], target: [] };
  /** A word of a side; it shows its row or column while pointed at. */
  wordButton(side, label, n2) {
    const { limit, size } = this.lines.layout;
    const name = el("bdi", { dir: "auto" }, shorten(visible(label), limit, size));
    const title = limit < textWidth(label, size) ? label : null;
    const button = el("button", { class: "token", title }, name);
    button.classList.toggle("special", isSpecial(label));
    const at = side === "source" ? { col: n2 } : { row: n2 };
    const waiting = () => side === "target" && n2 >= this.lines.frame.sheet.written;
    const show3 = () => !waiting() && this.lines.selection.hover(at);
    onPreview(button, show3, () => this.lines.selection.hover(null));
    button.addEventListener("click", (event) => {
      if (waiting()) this.lines.go(n2 + 1);
      else this.lines.selection.toggle(at);
      if (event.detail > 0) button.blur();
    });
    button.addEventListener("keydown", (event) => this.walk(event, side, n2));
    return button;
  }
  /** One tab stop per row; arrows walk along it (and do not step the decoder meanwhile). */
  walk(event, side, n2) {
    const steps = this.lines.layout.flat ? { ArrowRight: 1, ArrowLeft: -1 } : { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const labels = side === "source" ? this.lines.frame.sheet.cols : this.lines.frame.sheet.rows;
    this.buttons[side][n2 + (readsLeft(labels) ? -step : step)]?.focus();
  }
  /** The buttons of a side: a word that stays keeps its own, and with it focus and pointer. */
  fill(side, labels) {
    const row = this.rows[side];
    const before = this.labels[side];
    const kept = this.buttons[side];
    const buttons = labels.map(
      (label, n2) => kept[n2] && before[n2] === label ? kept[n2] : this.wordButton(side, label, n2)
    );
    buttons.forEach((button, n2) => {
      const { flat, x } = this.lines.layout;
      const along = `${this.lines.layout[side][n2]}px`;
      button.style.left = flat ? along : `${x[side]}px`;
      button.style.top = flat ? "" : along;
      if (row.children[n2] !== button) row.insertBefore(button, row.children[n2] ?? null);
    });
    while (row.children.length > buttons.length) row.lastElementChild?.remove();
    this.buttons[side] = buttons;
    this.labels[side] = labels;
  }
  /** How every word looks now. */
  mark() {
    const { sheet, row, forced, focus } = this.lines.frame;
    const { rows, cols } = focus();
    const look2 = (button, on, pinned, tab) => {
      button.classList.toggle("pinned", pinned);
      button.classList.toggle("on", on);
      button.setAttribute("aria-pressed", String(pinned));
      button.tabIndex = tab ? 0 : -1;
    };
    this.buttons.source.forEach((button, n2) => {
      look2(button, cols.has(n2), this.lines.selection.cols.has(n2), n2 === 0);
      button.setAttribute("aria-label", visible(sheet.cols[n2]));
    });
    this.buttons.target.forEach((button, n2) => {
      const waiting = n2 >= sheet.written;
      look2(button, rows.has(n2) && n2 !== row, this.lines.selection.rows.has(n2), n2 === Math.max(0, row));
      button.classList.toggle("waiting", waiting);
      button.classList.toggle("current", n2 === row);
      button.classList.toggle("forced", !waiting && forced.has(n2));
      button.firstElementChild?.setAttribute("aria-hidden", String(waiting));
      button.dataset.forced = `↳ ${tr("forced")}`;
      const words = waiting ? tr("Step {step}, not written yet", { step: n2 + 1 }) : visible(sheet.rows[n2]);
      button.setAttribute("aria-label", words);
    });
  }
  /** Recreates every word: at another size they are shortened differently. */
  forget() {
    this.labels = { source: [], target: [] };
  }
};
var options = () => [
  ["weight", tr("attention weight")],
  ["alti", "ALTI+"]
];
var StageMeasure = class {
  value = "weight";
  pick;
  /** The list, where there is something to choose. */
  node;
  constructor(host, changed) {
    this.pick = chooser(
      options(),
      this.value,
      (value) => this.choose(host, value, changed),
      tr("What is drawn"),
      "pick"
    );
    this.node = el("span", { hidden: true }, this.pick, " · ");
  }
  choose(host, value, changed) {
    this.value = value;
    host.trigger("measured", value);
    changed();
  }
  /** The selection's, where it is news. */
  take(value) {
    this.value = value;
    this.pick.value = value;
  }
  /**
   * The shares (T, S) of a decode, row by row; null if weights are drawn or the shares have not arrived.
   */
  shares(decode, size) {
    const strip2 = bus().last.trouble;
    if (this.value !== "alti" || !decode || strip2?.decode !== decode) return null;
    return strip2.shares.length && strip2.shares.length === size ? strip2.shares : null;
  }
};
var restWords2 = (row) => [
  ` ${tr("{share} comes from the words before.", { share: spokenPercent(Math.max(0, 1 - row.reduce((a, b) => a + b, 0))) })}`
];
function wholeWords(sheet) {
  const shares = Array.from({ length: sheet.written }, (_, i) => rowOf(sheet, i).reduce((a, b) => a + b, 0));
  if (!shares.length) return [tr("Nothing is written yet.")];
  const mean = Math.min(1, shares.reduce((a, b) => a + b, 0) / shares.length);
  const text = tr("{share} comes from the source and {rest} from the words before, on average per token.");
  return phrase(text, { share: { strong: spokenPercent(mean) }, rest: spokenPercent(1 - mean) });
}
var StagePicks = class {
  layer;
  head;
  node;
  constructor(changed) {
    this.layer = chooser([], null, changed, tr("Layer"), "pick");
    this.head = chooser([], null, changed, tr("Head"), "pick");
    this.node = el("span", {}, this.layer, " · ", this.head);
  }
  fill({ data, layer, head }) {
    fillCounted(this.layer, data.layers, "layer", layer);
    fillCounted(this.head, data.heads, "head", head);
  }
  read() {
    const read = (pick) => pick.value === MEAN ? null : Number(pick.value);
    return { layer: read(this.layer), head: read(this.head) };
  }
};
var TYPING3 = 0.7;
function stageBar({ picks, measure, kindWords, playback }) {
  const aside = (words) => el("span", { class: "stage-hint" }, words);
  picks.node.append(aside(" · "));
  const drawn = [kindWords, measure.node, picks.node, aside(hint())];
  const settings = el("span", { class: "stage-settings" }, ...drawn);
  return el("div", { class: "stage-bar" }, settings, el("span", { class: "stage-tools" }, playback.tools));
}
function dockOnPhone(root, { signal }, buttons, home) {
  const phone = window.matchMedia?.("(max-width: 640px)");
  if (!phone) return;
  const foot = el("div", { class: "stage-dock" });
  root.append(foot);
  const dockOrNot = () => {
    if (phone.matches) foot.append(buttons);
    else home.append(buttons);
  };
  phone.addEventListener("change", dockOrNot, { signal });
  const view = window.visualViewport;
  view?.addEventListener(
    "resize",
    () => foot.classList.toggle("typing", view.height < TYPING3 * window.innerHeight),
    { signal }
  );
  dockOrNot();
}

// shared/lines_layout.ts
var CURVES = 118;
var WORD = 15;
var LONGEST = 190;
var PITCH = 27;
var CROWDED = 23;
var MANY = 30;
var ACROSS = 300;
var LEGIBLE = 18;
var gapOf = (u) => u > 1 ? 3 : 8;
function unitOfWords(rows, room, u) {
  if (u <= 1) return u;
  const longest = Math.max(...rows.map((labels) => rowLength(widthsOf(labels, u), gapOf(u) * u)));
  return u * Math.min(1, Math.max(room / longest, LEGIBLE / (WORD * u)));
}
var widthsOf = (labels, w) => labels.map((label) => Math.min(LONGEST * w, textWidth(visible(label), WORD * w)) + 14 * w);
function linesLayout({ rows, cols }, room, u, covered = false, tall = CURVES) {
  const w = unitOfWords(covered ? [cols] : [cols, rows], room, u);
  const gap = gapOf(u) * w;
  const [source, target] = [widthsOf(cols, w), widthsOf(rows, w)];
  const flat = rowLength(source, gap) <= room && (covered || rowLength(target, gap) <= room);
  if (!flat && u <= 1) return columnsLayout({ rows, cols }, room, u);
  const inside = Math.max(room, rowLength(source, gap), covered ? 0 : rowLength(target, gap));
  const centres = (along, labels) => inReadingOrder(along, labels, inside);
  const slots = fillSlots(target, inside / Math.max(cols.length, rows.length), gap);
  const fits = (slots.at(-1) ?? 0) + ((target.at(-1) ?? 0) + gap) / 2 <= inside;
  const below = covered && fits ? slots : spreadWords(target, inside, gap);
  return {
    ...{ u, w, size: WORD * w, inside, limit: LONGEST * w, flat: true },
    x: { source: 0, left: 0, right: 0, target: 0, shares: 0, sums: 0 },
    ...{ source: centres(spreadWords(source, inside, gap), cols), target: centres(below, rows) },
    y: {
      ...{ source: 20 * u + 27 * (u - w), top: 50 * u, bottom: (50 + tall) * u },
      ...{ target: (54 + tall) * u, end: (100 + tall) * u }
    }
  };
}
function columnsLayout({ rows, cols }, room, u) {
  const limit = Math.min(LONGEST * u, room * 0.3);
  const size = WORD * u;
  const widest2 = (labels) => Math.min(limit, Math.max(0, ...labels.map((label) => textWidth(visible(label), size)))) + 14 * u;
  const [ws, wt, share] = [widest2(cols), Math.max(widest2(rows), limit / 2), 48 * u];
  const across = Math.max(40 * u, Math.min(ACROSS * u, room - ws - wt - share));
  const begin = Math.max(0, (room - ws - wt - across - share) / 2) + share;
  const most = Math.max(cols.length, rows.length);
  const pitch = (most > MANY ? CROWDED : PITCH) * u;
  const along = (labels) => labels.map((_, n2) => (n2 + 0.5) * pitch);
  const [source, target] = [begin + ws, begin + ws + across];
  return {
    ...{ u, w: u, size, inside: room, limit, flat: false, source: along(cols), target: along(rows) },
    x: {
      source,
      left: source + 4 * u,
      right: target - 4 * u,
      target,
      shares: begin - 4 * u,
      sums: target + wt + 4 * u
    },
    y: { source: 0, top: 0, bottom: 0, target: 0, end: most * pitch + 4 * u }
  };
}

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

// translate/stage_lines.ts
var HALL = 462;
var FLATTEST = 48;
var inHall = (host) => host.scale > 1 && !host.root.dataset.slideRoom ? within(FLATTEST, window.innerHeight / host.scale - HALL, CURVES) : Math.max(FLATTEST, inSight(host, CURVES, HALL));
var StageLines = class {
  /** `go(step)` moves to a step when a dot is clicked. */
  constructor(parent, host, selection, go) {
    this.host = host;
    this.selection = selection;
    this.go = go;
    const { source, target } = this.words.rows;
    const words = el("div", { class: "lines-words" }, this.shareRow, source, target);
    this.inner.append(words);
    parent.append(this.scroller);
    const scrolled = () => {
      this.paint();
      this.fade();
    };
    this.scroller.addEventListener("scroll", () => requestAnimationFrame(scrolled), { signal: host.signal });
  }
  host;
  selection;
  go;
  canvas = el("canvas", { class: "lines-canvas", "aria-hidden": "true" });
  shareRow = el("div", { class: "lines-row", "aria-hidden": "true" });
  words = new WordButtons(this);
  inner = el("div", { class: "lines-inner" }, this.canvas);
  scroller = el("div", { class: "lines scroller", tabindex: "-1" }, this.inner);
  frame;
  layout;
  built = "";
  size = 0;
  growth = 1;
  stopGrowth = () => {
  };
  build() {
    const { sheet, covered } = this.frame;
    this.layout = linesLayout(sheet, this.scroller.clientWidth, this.host.scale, covered, inHall(this.host));
    const { inside, y, size, w } = this.layout;
    this.inner.style.width = `${inside}px`;
    this.inner.style.height = `${y.end}px`;
    this.scroller.classList.toggle("upright", !this.layout.flat);
    this.shareRow.style.top = "0";
    const { source, target } = this.words.rows;
    source.style.top = `${y.source}px`;
    target.style.top = `${y.target}px`;
    for (const row of [source, target]) row.style.setProperty("--u", `${w}px`);
    if (size !== this.size) this.words.forget();
    this.size = size;
    this.words.fill("source", sheet.cols);
    this.words.fill("target", sheet.rows);
  }
  /** The largest sums of the focus, each with the place of its word and the line it is written on. */
  sums() {
    const { sheet, focus } = this.frame;
    const { rows, cols, cell } = focus();
    const { flat, x, y, u, source, target } = this.layout;
    const largest2 = (sums, along, across) => topIndices(sums, 4).filter((n2, rank) => sums[n2] >= (rank ? 0.05 : 0.01) && (!cell || cols.has(n2))).map((n2) => ({
      ...flat ? { x: along[n2], y: across } : { x: across, y: along[n2] - 9 * u },
      share: sums[n2]
    }));
    const above = rows.size ? largest2(sumOf(sheet, rows, rowOf), source, flat ? 0 : x.shares - 20 * u) : [];
    if (cell || !cols.size) return above;
    return [
      ...above,
      ...largest2(sumOf(sheet, cols, columnOf), target, flat ? y.end - 17 * u : x.sums + 20 * u)
    ];
  }
  labelShares() {
    const marks2 = this.sums().map(({ x, y, share }) => {
      const mark = el("span", { class: "share" }, percent(share));
      mark.style.left = `${x}px`;
      mark.style.top = `${y}px`;
      return mark;
    });
    this.shareRow.replaceChildren(...marks2);
  }
  /* ---------- curves ---------- */
  /** All curves; `left` and `right` bound what is drawn when only a part is in view. */
  drawCurves(p, left = -Infinity, right = Infinity) {
    const { sheet, row, rests: rests2, kind, focus } = this.frame;
    const { flat, x, y, u, source, target } = this.layout;
    const { rows, cols, cell } = focus();
    paintLines(
      p,
      sheet,
      { rows, cols: cell ? /* @__PURE__ */ new Set() : cols },
      {
        ...{ area: [0, sheet.rows.length, 0, sheet.cols.length], threshold: LINE_FLOOR, u },
        ...{ behind: rests2 ? void 0 : behindRow(row), growing: { row, share: this.growth } },
        hue: () => this.host.colours[kind],
        curve(i, j) {
          const [from, to] = [target[i], source[j]];
          if (!flat) return curveBetween([x.right, from], [x.left, to], false);
          if (Math.max(from, to) < left || Math.min(from, to) > right) return null;
          return curveBetween([from, y.bottom], [to, y.top], true);
        }
      }
    );
  }
  paint() {
    if (!this.frame) return;
    const { scrollLeft, clientWidth } = this.scroller;
    const width = Math.max(1, clientWidth);
    const context2 = fitCanvas(this.canvas, width, this.layout.y.end);
    context2.translate(-scrollLeft, 0);
    this.drawCurves(canvasPainter(context2), scrollLeft - 50, scrollLeft + width + 50);
  }
  /** Words that go on beyond the edge fade there. */
  fade() {
    const { scrollLeft, clientWidth, classList } = this.scroller;
    classList.toggle("more-left", scrollLeft > 2);
    classList.toggle("more-right", scrollLeft + clientWidth < this.layout.inside - 2);
  }
  refresh() {
    if (!this.frame) return;
    this.words.mark();
    this.labelShares();
    this.paint();
    this.fade();
  }
  keepInView() {
    if (!this.layout.flat) return;
    const x = this.layout.target[Math.max(0, this.frame.row)] ?? 0;
    const { scrollLeft, clientWidth } = this.scroller;
    const seen = x > scrollLeft + 60 && x < scrollLeft + clientWidth - 60;
    if (this.layout.inside <= clientWidth || seen) return;
    this.scroller.scrollTo({ left: x - clientWidth / 2, behavior: reducedMotion() ? "auto" : "smooth" });
  }
  update(next) {
    const grew = this.frame && next.step === this.frame.step + 1;
    this.frame = next;
    const text = this.host.colours[`${next.kind}_text`];
    this.scroller.style.setProperty("--kind-text", text);
    this.scroller.style.setProperty("--kind-ink", readableOn(text, this.host.colours));
    const { rows, cols } = next.sheet;
    const key = JSON.stringify([cols, rows, next.covered, this.scroller.clientWidth, this.host.scale]);
    if (key !== this.built) this.build();
    this.built = key;
    this.keepInView();
    this.stopGrowth();
    this.growth = 1;
    this.refresh();
    if (!grew) return;
    this.stopGrowth = animate((share) => {
      this.growth = share;
      this.paint();
    });
  }
  relayout() {
    this.build();
    this.built = "";
    this.refresh();
  }
  /* ---------- leaving the page ---------- */
  get picture() {
    return { size: () => [this.layout.inside, this.layout.y.end], draw: (p) => paintWhole(p, this) };
  }
};
function paintWhole(p, lines) {
  lines.drawCurves(p);
  const { sheet, row, kind } = lines.frame;
  const { flat, x: across, y, u, w, size, limit, source, target } = lines.layout;
  const c = lines.host.colours;
  const text = c[`${kind}_text`];
  for (const { x, y: top, share } of lines.sums())
    p.text(x, top + 13 * u, percent(share), { size: 12.5 * u, align: "center", fill: text });
  if (!flat) {
    const upright = (label, x, top, align, fill2) => p.text(x, top, shorten(visible(label), limit, size), {
      size,
      mono: true,
      align,
      baseline: "middle",
      fill: fill2
    });
    sheet.cols.forEach((label, n2) => upright(label, across.source - 6 * u, source[n2], "right", c.ink));
    sheet.rows.forEach((label, n2) => {
      if (n2 < sheet.written)
        upright(label, across.target + 6 * u, target[n2], "left", n2 === row ? text : c.ink);
    });
    return;
  }
  const word = (label, x, top, fill2) => p.text(x, top + 19 * w, shorten(visible(label), limit, size), {
    size,
    mono: true,
    align: "center",
    fill: fill2
  });
  const ink = (label) => isSpecial(label) ? c.muted : c.ink;
  sheet.cols.forEach((label, n2) => word(label, source[n2], y.source, ink(label)));
  sheet.rows.forEach((label, n2) => {
    const x = target[n2];
    if (n2 >= sheet.written) return p.circle(x, y.target + 14 * w, 3, { fill: c.line });
    if (n2 !== row) return word(label, x, y.target, ink(label));
    const width = Math.min(limit, textWidth(visible(label), size)) + 16 * w;
    p.rect(x - width / 2, y.target, width, 27 * w, { fill: text, radius: 7 });
    word(label, x, y.target, readableOn(text, c));
  });
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

// web/marks/frames.ts
var hiddenName = () => tr("hidden");
var READS_UP_TO = 14;
var PINNED_ROOM = 122;
var READS_FROM = 300;
var TILTS = [38, 58, 72];
var STRAIGHT_UP_TO = 40;
var BETWEEN = 6;
var LINE2 = 16;
var widest = (labels, size, most) => Math.min(
  most,
  labels.reduce((w, label) => Math.max(w, textWidth(visible(label), size)), 0)
);
function roomOfReads(sheet, [from, to], room, u) {
  const wide = sheet.reads && room >= READS_FROM * u;
  const both = wide ? pairWidth(sheet, [from, to], 13 * u, u, 170 * u) : 0;
  const all = both > 0 && to - from <= READS_UP_TO;
  return {
    reads: all ? "all" : "pinned",
    both: all ? both : Math.min(both, PINNED_ROOM * u)
  };
}
function pairWidth({ reads = [], rows, written: written2 }, [from, to], size, u, most) {
  const widths = rows.slice(from, Math.min(to, written2)).map(
    (word, n2) => textWidth(readPart(reads[from + n2]), readSize(size, u)) + textWidth(visible(word), size, true, 600)
  );
  return Math.min(most, Math.max(0, ...widths));
}
function heatGeometry(sheet, room, u, {
  tall = 560,
  area = null,
  cap = 46,
  words = 0,
  deep = 0
} = {}) {
  const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
  const [rows, cols] = [r1 - r0, c1 - c0];
  const size = 13 * u;
  const many = Math.max(rows, cols) > 150;
  const own = widest(sheet.rows.slice(r0, r1), size, (many ? 74 : 110) * u);
  const { reads, both } = roomOfReads(sheet, [r0, r1], room, u);
  const left = Math.max(words * u, own, both) + 10 * u;
  const named = { words: sheet.cols.slice(c0, c1), size, most: (many ? 80 : 104) * u };
  const { lean, lines, reach, top, over } = columnWords(
    named,
    u,
    (beside) => Math.min(cap * u, (room - left - beside) / cols),
    Boolean(sheet.hidden || sheet.aside)
  );
  const cw = Math.max(0.5, Math.min(cap * u, (room - left - over) / cols));
  const ch = rows * 15 * u <= tall * u ? Math.max(15 * u, Math.min(deep ? deep * u : Math.min(cw, 30 * u), tall * u / rows)) : tall * u / rows;
  const box = { x: left, y: top, w: cw * cols, h: ch * rows };
  return {
    ...{ u, size, area: [r0, r1, c0, c1], box, cw, ch, lean, lines },
    aside: left + box.w + 8 * u,
    labelRoom: { row: left - 10 * u, col: reach },
    reads,
    width: left + box.w + over,
    height: top + box.h + 4 * u,
    rowEvery: every(14 * u, ch),
    colEvery: lines.length ? 1 : every(apart(lean, u), cw)
  };
}
function columnWords({ words, size, most }, u, widthOf, besides) {
  const hidden = textWidth(hiddenName(), size);
  if (words.length <= STRAIGHT_UP_TO) {
    const widths = words.map((word) => textWidth(visible(word), size));
    const aside2 = besides ? 18 * u + hidden : 0;
    const least = Math.max((aside2 ? 44 : 4) * u, aside2);
    const cw = widthOf(least);
    const runsOut = widths.map((width, j) => width / 2 - (widths.length - j - 0.5) * cw + 2 * u);
    const over2 = Math.max(least, ...runsOut);
    const slot2 = widthOf(over2);
    const lines = linesOf2(widths, slot2, BETWEEN * u);
    const top = (LINE2 * (1 + Math.max(0, ...lines ?? [])) + 6) * u;
    if (lines) return { lean: 0, lines, reach: Math.max(0, ...widths) + 1, top, over: over2 };
  }
  const reach = widest(words, size, most);
  const last = Math.min(reach, textWidth(visible(words[words.length - 1] ?? ""), size));
  const slot = widthOf(last * 0.8);
  const lean = TILTS.find((degrees) => apart(degrees, u) <= slot) ?? TILTS[TILTS.length - 1];
  const [sine, cosine] = [Math.sin(radians(lean)), Math.cos(radians(lean))];
  const leans = (length) => length * cosine + 9 * u * sine + 2 * u;
  const aside = besides ? 14 * u + leans(hidden) : 0;
  const over = Math.max((aside ? 44 : 4) * u, leans(last) - slot / 2, aside);
  return { lean, lines: [], reach, top: reach * sine + 16 * u, over };
}
function linesOf2(widths, slot, gap) {
  const ends = [-Infinity, -Infinity];
  const lines = [];
  for (const [j, width] of widths.entries()) {
    const centre = (j + 0.5) * slot;
    const line = ends.findIndex((end) => end + gap <= centre - width / 2);
    if (line < 0) return null;
    ends[line] = centre + width / 2;
    lines.push(line);
  }
  return lines;
}
var radians = (degrees) => degrees * Math.PI / 180;
var apart = (degrees, u) => 12.5 * u / Math.sin(radians(degrees));
var rowY = (g, i) => g.box.y + (i - g.area[0]) * g.ch;
var columnX = (g, j) => g.box.x + (j - g.area[2]) * g.cw;
var lineOf = (g, j) => (g.lines[j - g.area[2]] ?? 0) * LINE2 * g.u;
function heatHit(g, px, py) {
  const [r0, r1, c0, c1] = g.area;
  const row = Math.floor((py - g.box.y) / g.ch) + r0;
  const rowIn = py >= g.box.y && row < r1;
  const leaned = g.lean && py < g.box.y ? px - (g.box.y - py) / Math.tan(radians(g.lean)) : px;
  const col = Math.floor((leaned - g.box.x) / g.cw) + c0;
  const colIn = col >= c0 && col < c1;
  if (py < g.box.y) return colIn ? { col } : null;
  if (rowIn && px < g.box.x) return { row };
  return rowIn && colIn ? { row, col } : null;
}

// web/marks/heatmap.ts
var LEAST_NUMBER = 9;
function cellNumber(sheet, i, j, focused) {
  const value = sheet.at(i, j);
  const position = sheet.index[i * sheet.cols.length + j] & 255;
  const strong = Math.abs(position - sheet.neutral) >= (sheet.neutral ? 28 : 96);
  return strong || focused && Math.abs(value) >= 0.01 ? brief(value, sheet.unit) : "";
}
var isPinned = ({ rows, cols, cell }, i, j) => Boolean(cell) && rows.has(i) && cols.has(j);
var cells = (sheet, focus, c) => (p, g) => {
  const [r0, r1, c0, c1] = g.area;
  const radius = Math.min(3 * g.u, g.cw / 4, g.ch / 4);
  const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
  const [w, h] = [g.cw - gap, g.ch - gap];
  const digits = sheet.digits !== false && g.cw >= 15.5 * g.u && g.ch >= 12.5 * g.u;
  const fits = Math.min(typeSize(13, g.u), g.cw * 0.48, g.ch * 0.72);
  const readable = digits && fits >= LEAST_NUMBER;
  for (let i = r0; i < r1; i++) {
    for (let j = c0; j < c1; j++) {
      const [x, y] = [columnX(g, j), rowY(g, i)];
      const v = i < sheet.written ? sheet.index[i * sheet.cols.length + j] : -1;
      const fill2 = v < 0 ? c.soft : sheet.table[v];
      if (v >= 0 || i >= sheet.written || sheet.empty?.[i]) p.rect(x, y, w, h, { fill: fill2, radius });
      else p.circle(x + g.cw / 2, y + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
      const number = v >= 0 && readable ? cellNumber(sheet, i, j, focus.rows.has(i)) : "";
      if (!number) continue;
      const size = fits * Math.min(1, (w - 3 * g.u) / textWidth(number, fits, false));
      if (!legible(size, g.u)) continue;
      const weight = isPinned(focus, i, j) ? 700 : 400;
      const pen = { size, weight, align: "center", baseline: "middle", fill: readableOn(fill2, c) };
      p.text(x + w / 2, y + h / 2 + 0.5, number, pen);
    }
  }
};
var writer = (p, g, c) => (words, x, y, on, o) => p.text(x, y, words, {
  size: g.size,
  mono: true,
  fill: on ? c.ink : c.muted,
  weight: on ? 600 : 400,
  ...o
});
var rowLabels = (sheet, focus, c) => (p, g) => {
  const label = writer(p, g, c);
  for (const i of chosenLabels(g.area[0], g.area[1], g.rowEvery, focus.rows)) {
    const written2 = i < sheet.written;
    const words = written2 ? shorten(visible(sheet.rows[i]), g.labelRoom.row, g.size) : "·";
    const inFocus = written2 && focus.rows.has(i);
    const on = inFocus || written2 && !isSpecial(sheet.rows[i]);
    const bold = inFocus || written2 && Boolean(sheet.reads?.length);
    const pen = { align: "right", baseline: "middle", weight: bold ? 600 : 400 };
    if (inFocus && focus.colour) pen.fill = focus.colour;
    const [right, y] = [g.box.x - 8 * g.u, rowY(g, i) + g.ch / 2];
    label(words, right, y, on, pen);
    if (!written2 || !sheet.reads?.length || !(g.reads === "all" || inFocus)) continue;
    const width = textWidth(words, g.size, true, pen.weight);
    const size = readSize(g.size, g.u);
    const read = shorten(readPart(sheet.reads[i]), g.labelRoom.row - width, size);
    p.text(right - width, y, read, { size, mono: true, align: "right", baseline: "middle", fill: c.muted });
  }
};
var columnLabels = (sheet, focus, c) => (p, g) => {
  const label = writer(p, g, c);
  for (const j of chosenLabels(g.area[2], g.area[3], g.colEvery, focus.cols)) {
    const words = shorten(visible(sheet.cols[j]), g.labelRoom.col, g.size);
    const pen = g.lines.length ? { align: "center" } : { rotate: -g.lean };
    if (focus.cols.has(j) && focus.colour) pen.fill = focus.colour;
    const x = columnX(g, j) + g.cw / 2 + (g.lines.length ? -1 : 2) * g.u;
    label(words, x, g.box.y - 5 * g.u - lineOf(g, j), focus.cols.has(j), pen);
  }
};
var hiddenShares = (sheet, focus, c) => (p, g) => {
  const [r0, r1] = g.area;
  for (const i of chosenLabels(r0, Math.min(r1, sheet.written), g.rowEvery, focus.rows)) {
    const words = percent(sheet.hidden?.[i] ?? 0);
    const fill2 = focus.rows.has(i) ? c.ink : c.muted;
    const weight = sheet.empty?.[i] ? 600 : 400;
    p.text(g.aside, rowY(g, i) + g.ch / 2, words, { ...AT_LEFT, size: typeSize(11.5, g.u), fill: fill2, weight });
  }
  p.text(g.aside + 6 * g.u, g.box.y - 5 * g.u, hiddenName(), {
    size: typeSize(11.5, g.u),
    fill: c.muted,
    rotate: -g.lean
  });
};
var outlines = (sheet, { rows, cols, current, cell }, c) => (p, g) => {
  const [r0, r1, c0, c1] = g.area;
  const frame = (x, y, w, h, stroke = c.ink, width = 1.6) => p.rect(x - 1.5, y - 1.5, w + 2, h + 2, {
    stroke,
    width: width * Math.min(1.5, g.u),
    radius: 4 * g.u
  });
  const shows = (i) => i >= r0 && i < r1;
  if (current && shows(current.row)) {
    const y = rowY(g, current.row);
    if (current.share < 1) p.rect(g.box.x, y, g.box.w, g.ch, { fill: c.soft, alpha: 1 - current.share });
    frame(g.box.x, y, g.box.w, g.ch, current.colour);
  }
  for (const i of rows) {
    if (shows(i) && i !== current?.row) frame(g.box.x, rowY(g, i), g.box.w, g.ch);
  }
  const tall = Math.min(g.box.h, (sheet.written - r0) * g.ch);
  if (cell && rows.size) return;
  for (const j of cols) {
    if (j >= c0 && j < c1 && tall > 0) frame(columnX(g, j), g.box.y, g.cw, tall, c.ink, 1);
  }
};
var pixels = (sheet, c, cache) => (p, g) => paintPixels(p, sheet, g.box, c, g.area, cache);
var weights = (sheet, focus, c, cache) => (p, g) => (g.cw >= 9 * g.u && g.ch >= 9 * g.u ? cells(sheet, focus, c) : pixels(sheet, c, cache))(p, g);
var heatmap = (sheet, focus, c, cache = null) => [
  weights(sheet, focus, c, cache),
  rowLabels(sheet, focus, c),
  columnLabels(sheet, focus, c),
  ...sheet.hidden ? [hiddenShares(sheet, focus, c)] : [],
  outlines(sheet, focus, c)
];

// web/marks/pointer.ts
var STEPS = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1]
};
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

// web/marks/pair.ts
function paintMarks(p, frame, marks2) {
  for (const mark of marks2) mark(p, frame);
}
var Plot = class {
  /** @param marks asked for anew at every drawing */
  constructor(node, marks2) {
    this.node = node;
    this.marks = marks2;
  }
  paint(p) {
    paintMarks(p, this.frame, this.marks());
  }
  draw() {
    this.paint(canvasPainter(fitCanvas(this.node, this.frame.width, this.frame.height)));
  }
  /** @param hit the element at a point of the frame */
  listen(hit, answers) {
    listenToMap(this.node, { ...answers, hit: (x, y) => this.frame && hit(this.frame, x, y) });
  }
};

// translate/stage_map.ts
var HALL2 = 300;
var LEVEL = 30;
var StageMap = class {
  /** `go(step)` moves to a step when its empty row is clicked. */
  constructor(parent, host, selection, go) {
    this.host = host;
    this.selection = selection;
    this.go = go;
    const canvas = el("canvas", { class: "picture", tabindex: "0", role: "img" });
    this.plot = new Plot(
      canvas,
      () => heatmap(this.frame.sheet, this.focus(), this.host.colours, this.cache)
    );
    this.scroller = el("div", { class: "heat scroller" }, canvas);
    parent.append(this.scroller, this.legendCanvas);
    this.plot.listen(heatHit, {
      hover: (at, event) => this.hover(at, event),
      pin: (at, point) => this.pin(at, point),
      cell: () => this.selection.hovered ?? { row: Math.max(0, this.frame.row), col: 0 },
      size: () => [this.frame.sheet.written, this.frame.sheet.cols.length]
    });
  }
  host;
  selection;
  go;
  plot;
  scroller;
  legendCanvas = el("canvas", { class: "picture heat-legend" });
  frame;
  fresh = 1;
  /** What the legend says where no weights are drawn. */
  words = "";
  cache = {};
  stopFade = () => {
  };
  /** Whether a cell or word is written. */
  exists(at) {
    return at !== null && (at.row === void 0 || at.row < this.frame.sheet.written);
  }
  hover(at, event) {
    const legal = this.exists(at) ? at : null;
    this.selection.hover(legal);
    if (!event) return;
    const { sheet } = this.frame;
    const { row, col } = legal ?? {};
    const point = pointIn(event, this.host.root);
    if (row === void 0 || col === void 0) return this.host.tip("", ...point);
    const query = rowWords(sheet.rows[row], { verb: verbOf(this.frame.kind), read: sheet.reads?.[row] });
    const fields = { row: query, share: percent(sheet.at(row, col), 1), key: keyNames(sheet.cols)(col) };
    this.host.tip(phrase(tr("{row}: {share} at {key}"), fields), ...point);
  }
  pin(at, [, y]) {
    if (at && this.exists(at)) return this.selection.toggle(at);
    const { box, ch } = this.plot.frame;
    const row = Math.floor((y - box.y) / ch);
    if (row >= 0 && row < this.frame.sheet.rows.length) this.go(row + 1);
  }
  measure() {
    const { sheet } = this.frame;
    const { scale } = this.host;
    const geometry = (above2) => heatGeometry(sheet, this.scroller.clientWidth, scale, {
      tall: scale > 1 ? inSight(this.host, 560, HALL2 + above2) : 285,
      cap: 68,
      words: 72
    });
    this.plot.frame = geometry(0);
    const above = this.plot.frame.box.y / scale - LEVEL;
    if (scale > 1 && above > 0) this.plot.frame = geometry(above);
  }
  focus() {
    const { row, kind, focus } = this.frame;
    const colour = this.host.colours[`${kind}_text`];
    return { ...focus(), current: row < 0 ? void 0 : { row, colour, share: this.fresh } };
  }
  legend() {
    const { sheet } = this.frame;
    const words = this.words || weightWords();
    return { table: sheet.table, ...weightAxis("weight", sheet.cols.length), words };
  }
  paint() {
    if (this.frame) this.plot.draw();
  }
  update(next) {
    const grew = this.frame && next.step === this.frame.step + 1;
    this.frame = next;
    this.cache = {};
    this.host.tip("", 0, 0);
    this.measure();
    drawLegend(this.legendCanvas, this.host.scale, this.legend(), this.host.colours);
    const size = { rows: next.sheet.written, columns: next.sheet.cols.length };
    this.plot.node.setAttribute(
      "aria-label",
      tr("Attention map, {rows} × {columns} tokens. Arrow keys read cells, Enter pins.", size)
    );
    this.stopFade();
    this.fresh = 1;
    this.paint();
    if (!grew) return;
    this.stopFade = animate((share) => {
      this.fresh = share;
      this.paint();
    });
  }
  relayout() {
    this.measure();
    this.paint();
  }
  get picture() {
    const { plot } = this;
    return { size: () => [plot.frame.width, plot.frame.height], draw: (p) => plot.paint(p) };
  }
};

// translate/stage_text.ts
var COPIED = 1500;
var TELLING = 0.5;
var LONG = 60;
function textsOf(grown) {
  const texts = [""];
  for (const [stay, added] of grown) {
    texts.push([...texts[texts.length - 1]].slice(0, stay).join("") + added);
  }
  return texts;
}
function shared(a, b) {
  let n2 = 0;
  while (n2 < a.length && a[n2] === b[n2]) n2 += 1;
  return a.slice(0, n2);
}
function restOf(whole, read, covered) {
  if (covered) return "…";
  return whole.trim() ? whole.slice(read.length) : tr("Only special tokens were written.");
}
var StageText = class {
  text = el("p", { class: "stage-text", dir: "auto" });
  remarks = el("div", { class: "stage-remarks" });
  button = el(
    "button",
    {
      ...{ class: "button small", "aria-live": "polite", title: tr("Copy the sentence") },
      onclick: () => void this.copy()
    },
    tr("Copy")
  );
  /** What is said of the whole, in the room kept for it. */
  strip = new Strip();
  node = el(
    "div",
    { class: "stage-result", hidden: true },
    el("div", { class: "stage-line" }, this.text, this.button),
    ...[this.remarks, this.strip.node]
  );
  /** What is copied. */
  words = "";
  timer = 0;
  constructor(parent, host) {
    parent.prepend(this.node);
    host.signal.addEventListener("abort", () => clearTimeout(this.timer));
  }
  /**
   * @param written tokens shown
   * @param covered whether more may come, which is hidden
   * @param remarks about the whole
   */
  update(grown, written2, covered, remarks) {
    this.node.hidden = grown.length === 0;
    const texts = textsOf(grown);
    const [sofar, whole] = [texts[written2], texts[texts.length - 1]];
    const read = covered ? sofar : shared(sofar, whole);
    this.words = covered ? sofar : whole;
    this.text.replaceChildren(read, el("span", { class: "stage-later" }, restOf(whole, read, covered)));
    this.text.classList.toggle("long", this.words.length > LONG);
    this.button.disabled = !this.words;
    const visibleRemarks = covered ? [] : remarks;
    this.remarks.replaceChildren(...visibleRemarks.map((words) => el("p", {}, words)));
  }
  async copy() {
    const done = await copied(this.words);
    if (!done) window.getSelection()?.selectAllChildren(this.text);
    this.button.textContent = done ? tr("Copied") : tr("Selected");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.button.textContent = tr("Copy"), COPIED);
  }
};
var Strip = class {
  lines = el("div", { class: "strip-lines", role: "status" });
  measures = el("dl", { class: "strip-told", hidden: true });
  button = el(
    "button",
    {
      ...{ class: "quiet", title: tr("What do these numbers mean?"), "aria-expanded": "false", hidden: true },
      onclick: () => this.open(this.measures.hidden)
    },
    tr("What do these mean?")
  );
  node = el("div", { class: "stage-strip", hidden: true }, this.lines, this.button, this.measures);
  words = "";
  open(open) {
    this.measures.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
  }
  say(strip2, covered) {
    this.node.hidden = strip2 === null;
    const lines = strip2 === null || covered ? [] : strip2.lines;
    const words = lines.join("\n");
    if (words === this.words) return;
    this.words = words;
    this.lines.replaceChildren(...lines.map((line) => el("p", {}, line.replaceAll(" %", " %"))));
    this.button.hidden = !lines.length;
    if (!lines.length) this.open(false);
    this.measures.replaceChildren(...definitions(strip2?.measures ?? []));
  }
};
async function copied(words) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    return false;
  }
}
function stageTitle({ frame, reader, selection }) {
  const { row, kind, sheet, rests: rests2 } = frame;
  const made = reader.shares() !== null;
  if (rests2 && made) return [tr("What each word is made of")];
  if (rests2) return [tr("Where the decoder looks when it writes each word")];
  if (row < 0) return [tr("The encoder has read the sentence; nothing is written yet")];
  const word = { kind: quoted(sheet.rows[row]) };
  if (made) return phrase(tr("What {word} is made of"), { word });
  if (kind === "encoder") return phrase(tr("Where the encoder looks from {word}"), { word });
  const weights2 = rowOf(sheet, row);
  const key = topIndices(weights2, 1)[0];
  if (selection.hovered || weights2[key] < TELLING)
    return phrase(tr("Where the decoder looks when it writes {word}"), { word });
  return phrase(tr("{word}: {subject} looks {share} at {key}"), {
    ...{
      word,
      subject: reader.subject(),
      share: { kind: spokenPercent(weights2[key]) },
      key: quoted(sheet.cols[key])
    }
  });
}
function stageSentence({ frame, reader, selection }) {
  const { sheet, row, kind } = frame;
  const made = reader.shares() !== null;
  const mode = made ? "contribution" : "weights";
  const who = made ? tr("the model") : reader.subject();
  const sentence = mapSentence({
    ...selection.active,
    ...{ sheets: [sheet], subjects: [who], names: [], row },
    how: { verb: verbOf(kind), mode },
    hint: selection.pinned ? selection.hint : ""
  });
  const { rows, cols } = selection.active;
  if (!made || rows.size || cols.size) return sentence;
  return row < 0 ? wholeWords(sheet) : [...sentence, ...restWords2(rowOf(sheet, row))];
}
function strip({ reader }) {
  const { decode } = reader.data;
  const last = bus().last.trouble;
  return decode ? last?.decode === decode ? last : { lines: [], measures: [] } : null;
}
function nextWords({ frame, reader }, step) {
  const title = frame.rests ? tr("Last step") : reader.position ? tr("Next word") : tr("First word");
  const ended = TOUCH ? tr("The sentence ends here; tap a word to continue") : tr("The sentence ends here; click a word to continue");
  const forces = TOUCH ? tr("Tap a word to force it") : tr("Click a word to force it");
  const subtitle = reader.data.forcible ? frame.rests ? ended : forces : tr("The most probable words");
  const marked = step?.cut ? ` · ${tr("{cut} marked", { cut: step.cut.label })}` : "";
  return { title, subtitle: subtitle + marked };
}

// translate/stage_position.ts
var Reader = class {
  constructor(host, selection, measure) {
    this.host = host;
    this.selection = selection;
    this.measure = measure;
  }
  host;
  selection;
  measure;
  data;
  position = 0;
  /** Whether the words to come are hidden. */
  covered = true;
  /** null is the mean */
  layer = 0;
  head = null;
  sheets = /* @__PURE__ */ new Map();
  take(next) {
    this.data = next;
    this.sheets = /* @__PURE__ */ new Map();
  }
  /** The chosen layer and head as a map; a mean over heads, layers or both where none is chosen. */
  sheet() {
    const made = this.shares();
    const name = made ? "alti" : `${this.layer}/${this.head}`;
    const known = this.sheets.get(name);
    if (known) return known;
    const { source, target, reads, shape, kind } = this.data;
    const shares = made ?? meanOf(this.data.weights, shape, this.layer, this.head);
    const at = (i, j) => shares[i * source.length + j];
    const drawn = makeSheet(
      { rows: target, cols: source, reads: reads.length ? reads : void 0 },
      at,
      kindRamp(this.host.colours, kind)
    );
    this.sheets.set(name, drawn);
    return drawn;
  }
  /** ALTI+ where it is drawn, else null. */
  shares() {
    const { decode, source, target } = this.data;
    return this.measure.shares(decode, source.length * target.length);
  }
  frameNow() {
    const { kind, forced, target, source } = this.data;
    const { covered, position } = this;
    const whole = this.sheet();
    const index = whole.index.subarray(0, position * source.length);
    const sheet = covered ? { ...whole, rows: target.slice(0, position), reads: whole.reads?.slice(0, position), index } : whole;
    sheet.written = position;
    const rests2 = this.data.ended && position === target.length && position > 0;
    const row = rests2 ? -1 : position - 1;
    const focus = () => {
      const active = this.selection.active;
      const free = !active.rows.size && !active.cols.size && row >= 0;
      return free ? { ...active, rows: /* @__PURE__ */ new Set([row]) } : active;
    };
    return { sheet, row, step: position, rests: rests2, kind, forced: new Set(forced), covered, focus };
  }
  /** The layer and head chosen, in words. */
  subject() {
    return this.data.subjects[(this.layer ?? -1) + 1][(this.head ?? -1) + 1];
  }
  /**
   * Where to stand when new data arrives: stay, unless the decode or the server's wish has changed. The echo of
   * a report is no wish. Returns whether the decode is to write itself.
   */
  follow(before, news) {
    const { id, target, position, layer, head, writes } = this.data;
    if (!before || news && (before.layer !== layer || before.head !== head))
      [this.layer, this.head] = [layer, head];
    if (before?.id !== id || news && before.position !== position) this.position = position;
    this.position = Math.min(this.position, target.length);
    const shown2 = bus().last.stage;
    const other = shown2?.id !== id;
    this.covered = this.position < target.length && (other || shown2.covered);
    return writes && other && shown2 !== void 0 && target.length > 0;
  }
};
function meanOf(weights2, [layers, heads, rows, columns], layer, head) {
  const pick = (count, chosen2) => count === 1 ? [0] : chosen2 === null ? Array.from({ length: count }, (_, n2) => n2) : [chosen2];
  const [fromLayers, fromHeads] = [pick(layers, layer), pick(heads, head)];
  const sum = new Float32Array(rows * columns);
  for (const l of fromLayers) {
    for (const h of fromHeads) {
      const offset = (l * heads + h) * sum.length;
      for (let n2 = 0; n2 < sum.length; n2++) sum[n2] += weights2[offset + n2];
    }
  }
  const share = 1 / (65535 * fromLayers.length * fromHeads.length);
  return sum.map((value) => value * share);
}
var stageLeaving = (stage, which) => ({
  name: () => `${stage.reader.data.kind}-${which}${stage.reader.shares() ? "-alti" : ""}-step-${stage.reader.position}`,
  who: () => stage.reader.shares() ? "ALTI+" : stage.reader.subject(),
  title: () => stageTitle(stage),
  ...stage[which].picture,
  legend: which === "map" ? () => stage.map.legend() : void 0,
  words: () => stageSentence(stage),
  rows: () => [TABLE_HEAD, ...tableOf(stage.frame.sheet, stage.frame.kind === "encoder", csvNumber)]
});

// translate/stage.ts
var REST = 350;
var Stage = class {
  constructor(root, host) {
    this.host = host;
    this.view = linked(host, "view");
    this.selection = new Selection(() => this.select());
    root.append(el("div", { class: "stage-wrap" }, this.grid));
    const [top, left, right] = [card(this.grid), card(this.grid), card(this.grid)];
    this.cards = { top, left, right };
    top.node.append(top.readout);
    this.text = new StageText(top.node, host);
    this.playback = new Playback(
      host,
      {
        go: (step) => this.go(step),
        rested: () => this.rest(),
        listens: () => true,
        start: () => this.start()
      },
      [[tr("Tab, arrows"), tr("Move over words and cells")]]
    );
    top.node.append(this.why);
    this.measure = new StageMeasure(host, () => this.draw());
    this.reader = new Reader(host, this.selection, this.measure);
    this.picks = new StagePicks(() => this.choose());
    top.subtitle.remove();
    top.body.append(stageBar(this));
    const goByHand = (step) => this.playback.byHand(step);
    this.lines = new StageLines(top.body, host, this.selection, goByHand);
    this.bars = new NextWord(left.body, host, (candidate) => this.force(candidate));
    this.map = new StageMap(right.body, host, this.selection, goByHand);
    this.playback.node.append(exportMenu(host, stageLeaving(this, "lines")));
    top.controls.append(this.playback.node);
    dockOnPhone(root, host, this.playback.node, top.controls);
    left.controls.append(
      exportMenu(host, { name: () => `next-word-step-${this.reader.position}`, ...this.bars.leaving })
    );
    right.controls.append(exportMenu(host, stageLeaving(this, "map")));
    this.listen();
  }
  host;
  reader;
  frame;
  restTimer = 0;
  view;
  selection;
  grid = el("div", { class: "stage" });
  cards;
  text;
  playback;
  kindWords = el("span");
  why = el("p", { class: "stage-why" });
  measure;
  picks;
  lines;
  bars;
  map;
  /** Whether the reader is done with what has the focus: the last act was Enter in a field, or a click on a button. */
  done = false;
  listen() {
    pageKeys(this.host, { Escape: () => this.selection.clear() });
    listenTo(this.host, "trouble", () => this.reader.data && this.draw());
    const inField = (event) => event.composedPath()[0] instanceof HTMLInputElement;
    onPage(this.host, "keydown", (event) => {
      this.done = event.key === "Enter" && inField(event);
    });
    onPage(this.host, "pointerdown", (event) => {
      this.done = !inField(event);
    });
  }
  /* ---------- steps and choices ---------- */
  go(step) {
    const { reader } = this;
    const { length } = reader.data.target;
    reader.position = within(0, step, length);
    if (reader.position === length) reader.covered = false;
    this.draw();
    this.rest();
  }
  /** Back to the start; the words to come are hidden. */
  start() {
    this.reader.covered = this.reader.data.target.length > 0;
    this.go(0);
  }
  /** Report where the reader is, once playback has stopped. */
  rest(wait = REST) {
    clearTimeout(this.restTimer);
    const { position, layer, head } = this.reader;
    const tell = () => !this.playback.playing && this.view.report({ position, layer, head });
    this.restTimer = window.setTimeout(tell, wait);
  }
  choose() {
    Object.assign(this.reader, this.picks.read());
    this.draw();
    this.rest(0);
  }
  force({ id, label }) {
    this.playback.pause();
    const forced = { position: Math.max(0, this.reader.position - 1), id, label };
    this.host.trigger("forced", forced);
  }
  /* ---------- drawing ---------- */
  draw() {
    const { cards, reader } = this;
    const { data, position, covered } = reader;
    this.frame = reader.frameNow();
    const { sheet, kind } = this.frame;
    const made = reader.shares() !== null;
    this.measure.node.hidden = !data.decode;
    this.picks.node.hidden = made;
    this.map.words = made ? tr("ALTI+: share of the written word") : "";
    this.selection.trim(sheet.written, sheet.cols.length);
    this.grid.style.setProperty("--kind-text", this.host.colours[`${kind}_text`]);
    cards.top.tell({ title: stageTitle(this) });
    cards.right.tell({
      title: this.frame.rests ? tr("The whole map") : tr("The map so far"),
      subtitle: tr("Rows: reads → writes; columns: source words")
    });
    const step = data.steps[within(0, position - 1, data.steps.length - 1)];
    cards.left.tell(nextWords(this, step));
    if (step)
      this.bars.update(
        position ? step : { ...step, chosen: null, forced: false, extra: null },
        kind,
        this.reader.data.forcible
      );
    this.lines.update(this.frame);
    this.map.update(this.frame);
    this.playback.update(position, data.target.length, covered);
    this.text.update(data.grown, position, covered, data.remarks);
    this.text.strip.say(strip(this), covered);
    const opens = data.opens?.layer === reader.layer && data.opens.head === reader.head;
    this.why.textContent = opens && data.opens?.why || "";
    announce("stage", { id: data.id, step: position, covered });
    for (const each of document.querySelectorAll(".atlas-loading")) each.classList.add("done");
    this.speak();
  }
  /** After a change of what is hovered or pinned. */
  select() {
    if (!this.frame) return;
    this.lines.refresh();
    this.map.paint();
    this.speak();
  }
  speak() {
    const notes = isSlide() ? [] : this.reader.data.notes.map((note) => ({ muted: note }));
    this.cards.top.tell({ readout: [...stageSentence(this), ...notes] });
  }
  /* ---------- data ---------- */
  update(next) {
    const { reader } = this;
    const before = reader.data;
    reader.take(next);
    let writes = false;
    if (before?.measure !== next.measure) this.measure.take(next.measure);
    if (before !== next) {
      const { position, layer, head } = next;
      writes = reader.follow(before, this.view.isNews({ position, layer, head }));
      if (before && before.id !== next.id) this.playback.pause();
    }
    this.picks.fill(reader);
    this.playback.explain(next.metrics);
    this.kindWords.textContent = `${next.kind_name} · `;
    if (!writes) return this.draw();
    if (this.done && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    this.playback.update(0, next.target.length, true);
    this.playback.write();
  }
  relayout() {
    this.lines.relayout();
    this.map.relayout();
  }
  destroy() {
    clearTimeout(this.restTimer);
  }
};
var stage_default = viewOf(Stage);
export {
  Stage,
  stage_default as default
};
