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
var lengthWords = (value) => fixed(value, value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2);
function brief(value, unit) {
  if (unit === "length") return lengthWords(value);
  if (unit === "number") return minus(Math.abs(value) >= 10 ? fixed(value, 0) : fixed(value, 1));
  const whole = Math.round(value * 100);
  return minus(unit === "points" && whole > 0 ? `+${whole}` : `${whole}`);
}
var lowered = (name) => name === name.toUpperCase() ? name : name.toLowerCase();
var visible = (label) => label === "" ? "∅" : label.trim() === "" ? "␣" : label;
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
var isSpecial = (label) => SPECIAL_LABEL.test(label);
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
  const move2 = ([x, y]) => [x + dx, y + dy];
  return {
    ...p,
    rect: (x, y, w, h, o) => p.rect(x + dx, y + dy, w, h, o),
    circle: (x, y, r, o) => p.circle(x + dx, y + dy, r, o),
    curve: (a, b, c, d, o) => p.curve(move2(a), move2(b), move2(c), move2(d), o),
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
var quantityWords = ({ name, unit }) => unit === "length" ? tr("{name}: vector length", { name }) : tr("{name}: share of the row", { name });
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

// shared/wall_heads.ts
var PAIR = "pair";
var BEST = 3;
var WallHeads = class {
  meta;
  own = { sort: "model", badge: "", least: null, tone: null };
  table = [];
  pictures = [];
  score(head, name = this.own.badge) {
    return this.meta.scores[name]?.values[head] ?? null;
  }
  /** The pinned pair, while the heads are scored by it. */
  get pair() {
    return this.own.badge === PAIR ? this.meta.pair : null;
  }
  /** The best heads for the pinned pair. */
  isBest(head) {
    return this.pair ? this.pair.order.indexOf(head) < BEST : false;
  }
  isStrong(head) {
    if (this.pair) return this.isBest(head);
    const { mark = null, down = false } = this.meta.scores[this.own.badge] ?? {};
    const score = this.score(head);
    return score !== null && mark !== null && (down ? score <= mark : score >= mark);
  }
  passes(head) {
    const { least } = this.own;
    return least === null || (this.score(head) ?? -Infinity) >= least;
  }
  /** Many tokens share a row, so their weights are small. */
  get tone() {
    return this.own.tone ?? (this.meta.keys > 64 ? "log" : "weight");
  }
  pairOf(head) {
    return [Math.floor(head / this.meta.heads), head % this.meta.heads];
  }
  nameOf(head) {
    return pictureName(this.meta, head);
  }
  /** Whether a picture is a layer and not a head. */
  get layered() {
    return Boolean(this.meta.quantity?.pictures.length);
  }
  headsOf(message) {
    const { layers, heads } = this.meta;
    const known = message.heads.filter(([layer, k]) => layer < layers && k < heads);
    return known.map(([layer, k]) => layer * heads + k);
  }
  /** The heads in the order they are shown. */
  order() {
    const all = this.pictures.map((_, head) => head);
    if (this.own.sort === "model" || !this.own.badge) return all;
    const sign = this.own.sort === "high" ? -1 : 1;
    if (this.pair) {
      const listed = this.pair.order.filter((head) => this.passes(head));
      return sign < 0 ? listed : listed.reverse();
    }
    const value = (head) => this.score(head) ?? -sign * Infinity;
    return all.filter((head) => this.passes(head)).sort((a, b) => value(a) === value(b) ? a - b : sign * (value(a) - value(b)));
  }
  bytes(head) {
    return this.meta.levels.subarray(head * this.meta.size, (head + 1) * this.meta.size);
  }
  build(colours) {
    const { meta } = this;
    this.table = kindRamp(colours, meta.kind);
    this.pictures = Array.from({ length: meta.layers * meta.heads }, (_, head) => ({
      sheet: headSheet(meta, this.bytes(head), this.table, this.tone),
      cache: {}
    }));
  }
  /** @param news whether the arrangement of the data is another than the reader's */
  takeArrangement(news) {
    if (news) Object.assign(this.own, this.meta.arranged);
    if (this.own.badge in this.meta.scores) return;
    Object.assign(this.own, { badge: Object.keys(this.meta.scores)[0] ?? "", sort: "model", least: null });
  }
};
function weightsOf(meta, levels, head) {
  const cols = meta.shape[1];
  const bytes = levels.subarray(head * meta.size, head * meta.size + meta.written * cols);
  return Float32Array.from(
    bytes,
    (b, n2) => meta.causal && n2 % cols > Math.floor(n2 / cols) ? NaN : WEIGHT_OF_BYTE[b]
  );
}
function wholeOfHeads(meta, levels) {
  const count = meta.layers * meta.heads;
  const max = meta.all_heads.how === "max";
  const sum = weightsOf(meta, levels, 0);
  for (let head = 1; head < count; head++) {
    weightsOf(meta, levels, head).forEach((v, n2) => sum[n2] = max ? Math.max(sum[n2], v) : sum[n2] + v);
  }
  return max ? sum : sum.map((v) => v / count);
}
function pictureName({ heads, quantity }, head) {
  const [row, n2] = [Math.floor(head / heads), head % heads];
  if (!quantity?.pictures.length) return `${row}.${n2}`;
  return row ? `${quantity.rows[row]}, ${quantity.pictures[n2]}` : quantity.pictures[n2];
}
function headSheet(meta, level, table, tone) {
  const { shape, block, rows, cols, written: written2, causal, keys } = meta;
  const last = meta.quantity?.aside ? shape[1] - 1 : shape[1];
  const allowed = (i, j) => !causal || j >= last || j * block[1] <= i * block[0] + block[0] - 1;
  const top = tone === "each" ? Math.max(...WEIGHT_OF_BYTE.filter((_, b) => level.includes(b)), 1e-6) : 1;
  const position = tone === "log" ? placer("log", 1, logFloor(keys)) : placer("weight", top);
  const byByte = Int16Array.from(WEIGHT_OF_BYTE, position);
  const byte = (i, j) => allowed(i, j) ? level[i * shape[1] + j] : NaN;
  const empty = Array.from(
    { length: shape[0] },
    (_, i) => meta.hidden && level.subarray(i * shape[1], (i + 1) * shape[1]).every((b) => b === 0)
  );
  const index = indexOf(
    ...shape,
    (i, j) => empty[i] ? NaN : byte(i, j),
    (b) => byByte[b]
  );
  const at = (i, j) => WEIGHT_OF_BYTE[byte(i, j)] ?? NaN;
  return { rows, cols, written: written2, index, table, neutral: 0, unit: "share", at };
}
function toneWords(meta, tone) {
  const { quantity } = meta;
  const what = quantity ? quantityWords(quantity) : weightWords(tone === "log");
  const [tall, wide] = meta.block;
  const reduced = meta.labelled ? "" : ` · ${tr("a cell is the largest of {tall} × {wide}", { tall, wide })}`;
  return what + reduced;
}

// shared/wall_drawing.ts
var spokenScore = (v) => v === null ? "–" : minus(fixed(v, 2));
function writtenScore({ heads }, head, name = heads.own.badge) {
  const value = heads.score(head, name);
  return value !== null && heads.meta.scores[name].percent ? percent(value) : spokenScore(value);
}
function paintLayers(p, { u, labels }, fill2, names = []) {
  const pen = { size: typeSize(12, u), align: "center", baseline: "middle", rotate: -90, fill: fill2 };
  for (const [layer, y] of labels) p.text(11 * u, y, names[layer] ?? tr("layer {layer}", { layer }), pen);
}
function paintWall(p, wall, from = wall.layout.at, share = 1) {
  const { w, h, at } = wall.layout;
  const c = wall.host.colours;
  paintLayers(p, wall.layout, c.muted, wall.heads.meta.quantity?.rows);
  for (const [head, to] of at) {
    const start = from.get(head) ?? to;
    const [x, y] = [start.x + (to.x - start.x) * share, start.y + (to.y - start.y) * share];
    const { sheet, cache } = wall.heads.pictures[head];
    paintPixels(p, sheet, { x, y, w, h }, c, void 0, cache);
    paintPair(p, wall, x, y);
    paintCaption2(p, wall, head, x, y);
    paintOutline(p, wall, head, x, y);
  }
}
function paintPair(p, wall, x, y) {
  const { pair, shape, block } = wall.heads.meta;
  if (!pair) return;
  const { u, w, h } = wall.layout;
  const [cw, ch] = [w / shape[1], h / shape[0]];
  const [left, top] = [x + Math.floor(pair.column / block[1]) * cw, y + Math.floor(pair.row / block[0]) * ch];
  p.rect(left, top, cw, ch, { stroke: wall.host.colours.ink, width: 1.4 * u, radius: 1.5 * u });
}
function paintCaption2(p, wall, head, x, y) {
  const { u, w, h } = wall.layout;
  const c = wall.host.colours;
  const weak = !wall.heads.passes(head);
  if (weak) p.rect(x - 1, y - 1, w + 2, h + 2, { fill: c.panel, alpha: 0.82 });
  const small = Math.min(12 * u, w / 5.2);
  const size = legible(small, u) ? small : typeSize(12, u);
  const alpha = weak ? 0.5 : 1;
  const strong = wall.heads.isStrong(head);
  const fill2 = strong || wall.heads.pair ? c[`${wall.heads.meta.kind}_text`] : c.muted;
  const weight = strong ? 700 : 400;
  const [, nth] = wall.heads.pairOf(head);
  const short = wall.heads.meta.quantity?.pictures[nth] ?? wall.heads.nameOf(head);
  const [name, score] = [short, writtenScore(wall, head)];
  const scored = wall.heads.own.badge !== "";
  const alone = !scored || textWidth(name + score, size, false, weight) + 3 * u > w;
  const own = alone && scored ? { fill: fill2, weight } : { fill: c.muted };
  p.text(x, y + h + 14 * u, name, { size, alpha, ...own });
  if (!alone) p.text(x + w, y + h + 14 * u, score, { size, align: "right", weight, fill: fill2, alpha });
}
function paintOutline(p, wall, head, x, y) {
  const { u, w, h } = wall.layout;
  const c = wall.host.colours;
  const nth = wall.opening.opened.indexOf(head);
  const best = wall.heads.isBest(head);
  if (nth < 0 && !best) return;
  const several = wall.opening.opened.length > 1;
  const stroke = nth < 0 ? c[`${wall.heads.meta.kind}_text`] : several ? c.heads[nth] : c.ink;
  const foot = wall.heads.pair ? 20 * u : 0;
  const edge = (several ? 2 : 4) * u;
  const pen = { stroke, width: (several && nth >= 0 ? 2.5 : 2) * u, radius: several ? 4 * u : 8 * u };
  p.rect(x - edge, y - edge, w + 2 * edge, h + foot + 2 * edge, pen);
}
function wallLegend(wall) {
  const { meta, tone, table } = wall.heads;
  const axis = weightAxis(tone === "log" ? "log" : "weight", meta.keys, meta.quantity);
  const own = [
    [0, "0"],
    [1, tr("head’s largest")]
  ];
  return { table, ...axis, ...tone === "each" ? { stops: own } : {}, words: toneWords(meta, tone) };
}
function wallLeaving(wall) {
  return {
    name: () => wall.heads.meta.file,
    who: () => wall.opening.opened.map((head) => wall.heads.layered ? wall.heads.nameOf(head) : `head ${wall.heads.nameOf(head)}`).join(", "),
    title: () => `${wall.heads.meta.title} · ${wall.heads.meta.words}`,
    size: () => [wall.layout.room + EDGE2 * wall.host.scale, wall.layout.height],
    draw: (p) => paintWall(p, wall),
    legend: () => wallLegend(wall),
    rows() {
      const scores2 = Object.entries(wall.heads.meta.scores);
      const lines = wall.heads.pictures.map((_, head) => [
        ...wall.heads.pairOf(head),
        ...scores2.map(([, score]) => score.values[head] ?? "")
      ]);
      return [["layer", "head", ...scores2.map(([name]) => name)], ...lines];
    }
  };
}
var EDGE2 = 6;
function wallLayout(meta, order, asInModel, full, u, spread = false) {
  const room = full - EDGE2 * u;
  const gap = (spread ? 13 : 7) * u;
  const layered = (meta.quantity?.pictures.length ?? 0) > 0;
  const label = asInModel && !(layered && meta.layers === 1) ? 26 * u : 0;
  const fit = Math.max(
    1,
    Math.min(meta.heads, Math.floor((room - label + gap) / ((layered ? 110 : u > 1 ? 30 : 54) * u + gap)))
  );
  const wraps = Math.ceil(meta.heads / fit);
  const inLayer = Math.ceil(meta.heads / wraps);
  const sorted = Math.max(inLayer, Math.min(12, Math.floor((room + gap) / (78 * u + gap))));
  const across = asInModel ? inLayer : sorted;
  const w = Math.min((layered ? 260 : 150) * u, (room - label - gap * (across - 1)) / across);
  const h = headHeight(meta, w, meta.layers * wraps, u);
  const foot = 18 * u;
  const line = h + foot + 16 * u;
  const layout = { u, room, w, h, foot, across, height: 40 * u, at: /* @__PURE__ */ new Map(), labels: [] };
  order.forEach((head, n2) => {
    const [layer, k] = [Math.floor(head / meta.heads), head % meta.heads];
    const [row, column] = asInModel ? [layer * wraps + Math.floor(k / across), k % across] : [Math.floor(n2 / across), n2 % across];
    const x = asInModel ? label + column * (w + gap) : 5 * u + column * (w + gap - 5 * u / across);
    layout.at.set(head, { x, y: 6 * u + row * line });
  });
  if (label) {
    const tall = wraps * line - foot - 16 * u;
    layout.labels = Array.from({ length: meta.layers }, (_, n2) => [
      n2,
      6 * u + n2 * wraps * line + tall / 2,
      tall
    ]);
  }
  for (const { y } of layout.at.values()) layout.height = Math.max(layout.height, y + h + foot + 6 * u);
  return layout;
}
function headHeight(meta, w, lines, u) {
  const [rows, cols] = meta.shape;
  const natural = w * Math.min(1.5, Math.max(0.55, rows / cols));
  const most = meta.quantity?.pictures.length ? natural : meta.square ? w * 1.12 : w * 1.75;
  const aimed = Math.min(most, meta.tall * u / lines - 30 * u);
  const wanted = u > 1 ? Math.min(natural, aimed) : Math.max(natural, aimed);
  return Math.max(34 * u, Math.min(wanted, 220 * u));
}

// web/maps/selection.ts
var focusOn = (at) => ({
  rows: new Set(at?.row === void 0 ? [] : [at.row]),
  cols: new Set(at?.col === void 0 ? [] : [at.col])
});

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
var quoted = (label) => specialWords(label) ?? tr("“{word}”", { word: TURNS.test(label) ? `⁨${label}⁩` : label });
var strongly = (label) => ({ strong: quoted(label) });
function rowWords(label, { verb, read }) {
  if (verb === "Reading") return phrase(tr("From {word}"), { word: strongly(label) });
  if (read === void 0) return phrase(tr("Writes {word}"), { word: strongly(label) });
  return phrase(tr("Reads {read} → writes {written}"), { read: quoted(read), written: strongly(label) });
}

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
    const lines = linesOf(widths, slot2, BETWEEN * u);
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
function linesOf(widths, slot, gap) {
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

// web/marks/pair.ts
function paintMarks(p, frame, marks2) {
  for (const mark of marks2) mark(p, frame);
}

// shared/wall_preview.ts
var SMALL = 20;
function showPreview(wall, head) {
  const { tip, host } = wall;
  const { meta } = wall.heads;
  const most = el("p", { class: "wall-most" });
  say(most, largest2(meta, wall.heads.bytes(head)));
  const list = el("dl", { class: "wall-scores" }, ...definitions(scores(wall, head)));
  const picture = drawn(host, meta, wall.heads.pictures[head].sheet);
  tip.replaceChildren(
    el(
      "p",
      { class: "wall-title" },
      wall.heads.layered ? wall.heads.nameOf(head) : tr("Head {name}", { name: wall.heads.nameOf(head) })
    ),
    picture,
    most,
    list
  );
  tip.hidden = false;
  const { u, w, room, height, at } = wall.layout;
  const { x, y } = at.get(head) ?? { x: 0, y: 0 };
  const right = x + w + 10 * u;
  const fitsRight = right + tip.offsetWidth <= room;
  const left = fitsRight ? right : Math.max(-4, x - tip.offsetWidth - 10 * u);
  const top = Math.max(0, Math.min(height - tip.offsetHeight, y - 20 * u));
  tip.style.transform = `translate(${left}px, ${top}px)`;
}
function scores(wall, head) {
  const { badge } = wall.heads.own;
  const names = [badge, ...Object.keys(wall.heads.meta.scores).filter((name) => name !== badge)];
  return names.filter((name) => wall.heads.score(head, name) !== null).slice(0, 5).map((name) => [lowered(wall.heads.meta.scores[name].label), writtenScore(wall, head, name)]);
}
function drawn(host, meta, sheet) {
  const u = host.scale;
  const width = 250 * u;
  const canvas = el("canvas", { class: "picture" });
  if (Math.max(...meta.shape) <= SMALL && meta.labelled) {
    const g = heatGeometry(sheet, width, 0.8 * u, { tall: 260, cap: 20 });
    paintMarks(
      canvasPainter(fitCanvas(canvas, width, g.height)),
      g,
      heatmap(sheet, focusOn(null), host.colours)
    );
  } else {
    const height = Math.min(260 * u, width * Math.max(0.5, meta.shape[0] / meta.shape[1]));
    const box = { x: 0, y: 0, w: width, h: height };
    paintPixels(canvasPainter(fitCanvas(canvas, width, height)), sheet, box, host.colours);
  }
  return canvas;
}
function largest2(meta, level) {
  const [rows, cols] = meta.shape;
  let best = 0;
  for (let n2 = 0; n2 < Math.min(meta.written, rows) * cols; n2++) if (level[n2] > level[best]) best = n2;
  const row = Math.floor(best / cols);
  const key = strongly(meta.cols[best % cols]);
  const words = rowWords(meta.rows[row], { verb: verbOf(meta.kind), read: meta.reads[row] });
  const { unit, top } = meta.quantity ?? { unit: "share", top: 1 };
  const number = WEIGHT_OF_BYTE[level[best]];
  const written2 = unit === "length" ? lengthWords(number * top) : spokenPercent(number);
  if (!meta.labelled) return phrase(tr("Largest weight: {share}"), { share: { strong: written2 } });
  return phrase(tr("{row}: {share} at {key}"), { row: words, share: { strong: written2 }, key });
}

// shared/wall_controls.ts
var orders = () => [
  ["model", tr("by layer")],
  ["high", tr("highest first")],
  ["low", tr("lowest first")]
];
var tones = () => [
  ["weight", tr("linear")],
  ["log", tr("logarithmic")],
  ["each", tr("per head")]
];
function aboutBadge({ heads: { meta, own } }) {
  const lines = el("dl", { class: "wall-lines", hidden: true });
  const opens = { class: "quiet", "aria-expanded": "false" };
  const open = el("button", { ...opens, onclick: () => tell(lines.hidden) }, tr("more"));
  const line = el("span");
  const node = el("div", { class: "wall-about", hidden: true }, el("p", {}, line, " ", open), lines);
  const tell = (all = !lines.hidden) => {
    const { label = "", definition = "", explained = [] } = meta.scores[own.badge] ?? {};
    line.textContent = `${label}, ${meta.about}: ${definition}`;
    lines.replaceChildren(...definitions(explained));
    lines.hidden = !all;
    open.setAttribute("aria-expanded", String(all));
    open.textContent = all ? tr("less") : tr("more");
    node.hidden = !definition;
    return definition;
  };
  return { node, tell };
}
function wallControls(wall) {
  const { meta, own, tone } = wall.heads;
  const least = leastField(wall);
  const about = aboutBadge(wall);
  const setOrder = (value) => {
    own.sort = value;
    if (own.sort === "model") wall.grid.append(...wall.buttons.heads);
    wall.relayout(true);
    wall.report();
  };
  const setBadge = (value) => {
    own.badge = value;
    badge.title = about.tell();
    least.filter();
    wall.report();
  };
  const setTone = (value) => {
    own.tone = value;
    wall.heads.build(wall.host.colours);
    wall.relayout();
    wall.report();
  };
  const badges = Object.entries(meta.scores).map(([name2, { label }]) => [
    name2,
    lowered(label)
  ]);
  const sort = field(tr("Sort"), chooser(orders(), own.sort, setOrder, tr("Sort heads")));
  const name = tr("Score under each head");
  const badge = field(tr("Score"), chooser(badges, own.badge, setBadge, name));
  const colours = field(tr("Colour"), chooser(tones(), tone, setTone, tr("Colour scale")));
  if (!badges.length) return { above: [], below: [colours], about: about.node };
  badge.title = about.tell();
  return {
    above: [sort, badge],
    about: about.node,
    below: [field(tr("Threshold"), least.slider, least.output), colours]
  };
}
function leastField(wall) {
  const { meta, own } = wall.heads;
  const label = tr("Show heads whose score is at least this");
  const range = { type: "range", min: 0, max: 100, value: 0, "aria-label": label };
  const slider = el("input", { class: "slider", ...range });
  const output = el("output", {}, tr("all"));
  const bounds = () => {
    const values = (meta.scores[own.badge]?.values ?? []).filter((v) => v !== null);
    return [Math.min(...values, 0), Math.max(...values, 0)];
  };
  const tell = () => output.textContent = own.least === null ? tr("all") : `≥ ${minus(fixed(own.least, 2))}`;
  const filter = () => {
    const [low, high] = bounds();
    own.least = Number(slider.value) === 0 ? null : low + (high - low) * Number(slider.value) / 100;
    tell();
    wall.relayout(true);
  };
  slider.addEventListener("input", filter);
  slider.addEventListener("change", () => wall.report());
  if (own.least !== null) {
    const [low, high] = bounds();
    slider.value = String(Math.round(100 * (own.least - low) / (high - low || 1)));
    tell();
  }
  return { slider, output, filter };
}
function makeButtons(wall) {
  const heads = wall.heads.pictures.map((_, head) => {
    const button = el("button", { class: "wall-head" });
    const show3 = (event) => event.pointerType !== "touch" && showPreview(wall, head);
    onPreview(button, show3, () => wall.hidePreview());
    button.addEventListener(
      "click",
      (event) => wall.opening.press(head, event.shiftKey || event.ctrlKey || event.metaKey)
    );
    button.addEventListener("keydown", (event) => move(event, wall, head));
    return button;
  });
  const layers = Array.from({ length: wall.heads.meta.layers }, (_, layer) => {
    const name = tr("Layer {layer}: overlay its heads", { layer });
    const words = { title: name, "aria-label": name };
    return el("button", {
      ...{ class: "wall-layer", ...words, onclick: () => wall.opening.pressLayer(layer) }
    });
  });
  wall.grid.replaceChildren(...layers, ...heads);
  return { heads, layers };
}
function wordsOfHead(wall, head) {
  const scores2 = Object.entries(wall.heads.meta.scores).filter(([, score]) => score.values[head] !== null).map(
    ([name, { label, units }]) => `${lowered(label)} ${writtenScore(wall, head, name)}${units ? ` ${units}` : ""}`
  );
  const [layer, k] = wall.heads.pairOf(head);
  const who = wall.heads.layered ? wall.heads.nameOf(head) : tr("Layer {layer}, head {head}", { layer, head: k });
  return `${who}: ${scores2.join(", ") || tr("no scores")}`;
}
function arrangeButtons(wall, order) {
  const { layout } = wall;
  const { own } = wall.heads;
  const { heads, layers } = wall.buttons;
  heads.forEach((button, head) => {
    const at = layout.at.get(head);
    button.hidden = !at;
    if (!at) return;
    button.style.cssText = `left:${at.x}px;top:${at.y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
    button.tabIndex = head === wall.at ? 0 : -1;
    button.setAttribute("aria-pressed", String(wall.opening.opened.includes(head)));
    button.setAttribute("aria-label", wordsOfHead(wall, head));
  });
  layers.forEach((button) => button.hidden = true);
  for (const [layer, y, tall] of wall.heads.layered ? [] : layout.labels) {
    layers[layer].hidden = false;
    layers[layer].style.cssText = `left:0;top:${y - tall / 2}px;width:${24 * layout.u}px;height:${tall}px`;
  }
  if (own.sort !== "model") wall.grid.append(...order.map((head) => heads[head]));
}
function move(event, wall, head) {
  const list = wall.heads.order();
  const now = list.indexOf(head);
  const { across } = wall.layout;
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across };
  const step = { ...steps, Home: -now, End: list.length - 1 - now }[event.key];
  if (step === void 0) return;
  event.preventDefault();
  event.stopPropagation();
  const next = list[now + step];
  if (next === void 0) return;
  wall.at = next;
  arrangeButtons(wall, list);
  wall.buttons.heads[next].focus();
}

// shared/wall_opening.ts
var MOST_OPEN = 8;
var QUICK = 300;
var PAUSE = 150;
var Opening = class {
  constructor(wall) {
    this.wall = wall;
  }
  wall;
  /** heads that stand open */
  opened = [];
  reported = 0;
  later = 0;
  report(heads) {
    clearTimeout(this.later);
    const tell = () => {
      this.reported = performance.now();
      this.wall.host.trigger("picked", { heads });
    };
    if (performance.now() - this.reported < QUICK) this.later = window.setTimeout(tell, PAUSE);
    else tell();
  }
  open(list, at) {
    const { heads: all } = this.wall;
    const { meta } = all;
    this.wall.outline(list, at);
    const heads = list.map((head) => all.pairOf(head));
    const numbers = () => list.length ? list.map((head) => weightsOf(meta, meta.levels, head)) : [wholeOfHeads(meta, meta.levels)];
    announce("heads", {
      ...{
        kind: meta.kind,
        rows: meta.rows.slice(0, meta.written),
        cols: meta.cols,
        heads,
        all: meta.all_heads
      },
      // A reduced wall has no numbers of single tokens, and one without its hidden tokens no means and no hidden shares.
      values: meta.labelled && !meta.hidden && !meta.quantity ? numbers() : null
    });
    this.report(heads);
  }
  /**
   * A click opens the head or closes the only open one; with Shift, Ctrl or ⌘ it is laid over the open ones.
   */
  press(head, over) {
    const isOpen = this.opened.includes(head);
    if (over && this.opened.length && !this.wall.heads.layered) {
      const list = isOpen ? this.opened.filter((other) => other !== head) : [...this.opened, head];
      if (list.length <= MOST_OPEN) this.open(list, head);
    } else this.open(this.opened.length === 1 && isOpen && !this.wall.heads.layered ? [] : [head], head);
  }
  pressLayer(layer) {
    const { heads } = this.wall.heads.meta;
    const list = Array.from({ length: Math.min(MOST_OPEN, heads) }, (_, k) => layer * heads + k);
    this.open(String(list) === String(this.opened) ? [] : list, list[0]);
  }
  stop() {
    clearTimeout(this.later);
  }
};

// shared/wall.ts
var keyWords = () => [
  ["← ↑ → ↓", tr("Move between heads or cells")],
  ["Enter", tr("Open the head, pin the cell")],
  ["Shift + Enter", tr("Overlay the head")],
  ["Esc", tr("Unpin, then close the head")],
  ["Space", tr("Play the joint view")],
  ["F", tr("Fill the screen with a card; F or Esc returns")],
  ["?", tr("Show this list")]
];
var HALL = 280;
var how = () => TOUCH ? tr("Tap a head to open it") : tr("Click a head to open it; Shift-click to overlay");
var Wall = class extends CardView {
  canvas = el("canvas", { class: "picture", "aria-hidden": "true" });
  grid = el("div", { class: "wall-heads", role: "group" });
  tip = el("div", { class: "tip wall-preview", hidden: true, "aria-hidden": "true" });
  none = el("p", { class: "wall-none", hidden: true }, tr("No head reaches this score."));
  legend = el("canvas", { class: "picture" });
  foot = el("div", { class: "foot" }, this.legend);
  about = el("div", { hidden: true });
  keys = keyList(keyWords());
  look = linked(this.host, "arranged");
  heads = new WallHeads();
  opening = new Opening(this);
  /** The head that the keyboard is at. */
  at = 0;
  layout;
  buttons = { heads: [], layers: [] };
  controls = "";
  /** the colours it was drawn in */
  coloured = null;
  stop = () => {
  };
  constructor(root, host) {
    super(root, host, "wall");
    this.parts.body.before(this.about);
    this.parts.body.append(this.canvas, this.grid, this.none, this.tip);
    this.parts.node.append(this.foot);
    pageKeys(host, { Escape: () => this.escape(), "?": () => this.keys.toggle() });
    listenTo(host, "shown", (message) => {
      const { meta } = this.heads;
      if (message.kind === meta?.kind) this.outline(this.heads.headsOf(message));
    });
  }
  /* ---------- pictures ---------- */
  draw(from, share = 1) {
    const context2 = fitCanvas(this.canvas, this.layout.room + EDGE2 * this.layout.u, this.layout.height);
    paintWall(canvasPainter(context2), this, from, share);
    drawLegend(this.legend, this.host.scale, wallLegend(this), this.host.colours);
  }
  arrange() {
    const { heads } = this;
    const order = heads.order();
    if (!this.layout.at.has(this.at)) this.at = order[0] ?? 0;
    arrangeButtons(this, order);
    this.none.hidden = order.length > 0;
    const kept = heads.pictures.filter((_, head) => heads.passes(head)).length;
    const total = heads.pictures.length;
    const least = heads.own.least === null ? "" : tr("{kept} of {total} heads shown", { kept, total });
    this.parts.tell({ subtitle: [heads.meta.subtitle, least, how()].filter(Boolean).join(" · ") });
  }
  relayout(moving = false) {
    const before = this.layout?.at;
    const { meta, own } = this.heads;
    const room = this.parts.body.clientWidth;
    const arrayed = { ...meta, tall: inSight(this.host, meta.tall, HALL) };
    this.layout = wallLayout(
      arrayed,
      this.heads.order(),
      own.sort === "model",
      room,
      this.host.scale,
      Boolean(this.heads.pair)
    );
    this.hidePreview();
    this.arrange();
    this.stop();
    if (moving && before) this.stop = animate((share) => this.draw(before, share));
    else this.draw();
  }
  /** Marks these heads as open. */
  outline(heads, at = heads[0] ?? this.at) {
    if (String(heads) === String(this.opening.opened)) return;
    [this.opening.opened, this.at] = [heads, at];
    this.hidePreview();
    this.arrange();
    this.draw();
  }
  escape() {
    const { opened } = this.opening;
    if (this.keys.isOpen()) return this.keys.hide();
    if (!opened.length) return false;
    this.opening.open([], opened[0]);
  }
  hidePreview() {
    this.tip.hidden = true;
  }
  /* ---------- controls ---------- */
  makeControls() {
    const { meta } = this.heads;
    const fields = wallControls(this);
    const menu = exportMenu(this.host, wallLeaving(this));
    const { keys } = this;
    const above = meta.controls ? fields.above : [];
    this.parts.controls.replaceChildren(...above, keys.button, menu, keys.list);
    const about = meta.controls ? fields.about : el("div", { hidden: true });
    this.about.replaceWith(about);
    this.about = about;
    keys.explain(Object.values(meta.scores).map(({ label, definition }) => [lowered(label), definition]));
    this.foot.replaceChildren(
      this.legend,
      this.marks(),
      el("span", { class: "wall-foot" }, ...meta.controls ? fields.below : [])
    );
  }
  /** A link holds how the reader has arranged the heads. */
  report() {
    const { own } = this.heads;
    this.look.report({ ...own, least: own.least === null ? null : Number(own.least.toFixed(3)) });
  }
  /** What is outlined for the pinned pair. */
  marks() {
    const { pair } = this.heads;
    const mark = (name, words) => el("span", { class: "wall-mark" }, el("i", { class: name, "aria-hidden": "true" }), words);
    const marks2 = pair ? [mark("best", tr("best three for this pair")), mark("open", tr("open")), mark("cell", pair.name)] : [];
    return el("span", { class: "wall-marks" }, ...marks2);
  }
  update(meta) {
    const { host, heads } = this;
    const same = meta.digest === heads.meta?.digest && host.colours === this.coloured;
    heads.meta = meta;
    this.coloured = host.colours;
    setKind(host, meta.kind);
    const wanted = JSON.stringify([Object.keys(meta.scores), meta.layers, meta.heads]);
    const news = this.look.isNews(meta.arranged);
    heads.takeArrangement(news);
    this.parts.tell({ title: meta.title });
    this.grid.setAttribute("aria-label", meta.title);
    if (same && !news && wanted === this.controls) return;
    heads.build(host.colours);
    this.takeOpened(bus().last.shown);
    if (this.buttons.heads.length !== heads.pictures.length || wanted !== this.controls) {
      this.buttons = makeButtons(this);
    }
    if (wanted !== this.controls || !same || news) this.makeControls();
    this.controls = wanted;
    this.relayout();
  }
  /** The open heads: those of the data, else those that another view shows. */
  takeOpened(shown2) {
    const { opening, heads } = this;
    if (heads.meta.open) opening.opened = heads.meta.open;
    else if (shown2?.kind === heads.meta.kind) opening.opened = heads.headsOf(shown2);
  }
  destroy() {
    this.stop();
    this.opening.stop();
  }
};
var wall_default = viewOf(Wall);
export {
  Wall,
  wall_default as default
};
