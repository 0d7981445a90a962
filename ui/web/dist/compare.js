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
function explained(host, node) {
  const show3 = () => {
    const [at, root] = [node.getBoundingClientRect(), host.root.getBoundingClientRect()];
    host.tip(node.dataset.tip ?? "", at.left - root.left, at.bottom - root.top - 8);
  };
  const hide = () => host.tip("", 0, 0);
  for (const name of ["pointerenter", "focus", "click"]) node.addEventListener(name, show3);
  for (const name of ["pointerleave", "blur"]) node.addEventListener(name, hide);
  return node;
}
function explain(node, words) {
  node.classList.toggle("explained", words !== "");
  node.dataset.tip = words;
  if (words) node.tabIndex = 0;
  else node.removeAttribute("tabindex");
  node.setAttribute("aria-description", words);
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
var mapKeys = () => TOUCH ? "" : ` ${tr("Arrow keys move, Enter pins, Esc unpins.")}`;
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

// web/base/controls.ts
function checkbox(words, change) {
  const box = el("input", { type: "checkbox", onchange: () => change(box.checked) });
  return { box, node: el("label", { class: "field" }, box, words) };
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
function oncePerFrame({ signal }, draw) {
  let id = 0;
  signal.addEventListener("abort", () => cancelAnimationFrame(id));
  return () => {
    cancelAnimationFrame(id);
    id = requestAnimationFrame(draw);
  };
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
var centred = (low, high) => [
  [0, low],
  [0.5, "0"],
  [1, high]
];
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

// web/maps/selection.ts
var cellAt = (at) => at?.row === void 0 || at.col === void 0 ? null : { row: at.row, col: at.col };
var focusOn = (at) => ({
  rows: new Set(at?.row === void 0 ? [] : [at.row]),
  cols: new Set(at?.col === void 0 ? [] : [at.col])
});
var sameCell = (a, b) => a?.row === b?.row && a?.col === b?.col;

// web/maps/moving.ts
var STEP = 0.05;
var PULL = 220;
var REST = 600;
function movedRow(row, key, weight) {
  const others = row.map((value, j) => j === key || Number.isNaN(value) ? 0 : value);
  const seen = row.filter((value, j) => j !== key && !Number.isNaN(value)).length;
  if (!seen || Number.isNaN(row[key])) return null;
  const total = others.reduce((a, b) => a + b, 0);
  return row.map((value, j) => {
    if (Number.isNaN(value)) return value;
    if (j === key) return weight;
    return (1 - weight) * (total > 0 ? others[j] / total : 1 / seen);
  });
}
function weightMoves(node, moves) {
  let held = null;
  let typed = null;
  let timer = 0;
  const pulled = ([x0, y0], [x1, y1]) => within(0, (held?.from ?? 0) + (x1 - x0 + y0 - y1) / PULL, 1);
  const settle = () => {
    clearTimeout(timer);
    if (typed) moves.done(typed.at, typed.weight);
    typed = null;
  };
  return {
    drags: () => true,
    dragging(from, to) {
      if (!held) {
        const at = moves.cell(...from);
        if (!at || !moves.movable(at)) return;
        held = { at, from: moves.weight(at) };
      }
      node.style.cursor = "ns-resize";
      moves.show(held.at, pulled(from, to));
    },
    drag(from, to) {
      if (held) moves.done(held.at, pulled(from, to));
      held = null;
    },
    dropped() {
      if (held) moves.show(null, 0);
      held = null;
    },
    key(event) {
      const sign = { "+": 1, "=": 1, "-": -1, "−": -1, _: -1 }[event.key];
      const now = moves.focus();
      if (!sign || event.ctrlKey || event.metaKey || event.altKey) return false;
      if (now.row === void 0 || now.col === void 0 || !moves.movable(now)) return false;
      const at = { row: now.row, col: now.col };
      if (typed && (typed.at.row !== at.row || typed.at.col !== at.col)) settle();
      const weight = within(0, (typed ? typed.weight : moves.weight(at)) + sign * STEP, 1);
      typed = { at, weight };
      moves.show(at, weight);
      clearTimeout(timer);
      timer = window.setTimeout(settle, REST);
      return true;
    },
    stop: () => clearTimeout(timer)
  };
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

// shared/compare_panes.ts
var HALL = 370;
var GAP = 22;
function makePane(compare, n2) {
  const canvas = el("canvas", { class: "picture", tabindex: 0, role: "application" });
  const title = explained(compare.host, el("span"));
  const legend = el("canvas", { class: "picture compare-legend" });
  const name = el("h4", { class: "compare-title" }, title);
  const plot = new Plot(
    canvas,
    () => heatmap(compare.sheets[n2], compare.focus(n2), compare.host.colours, pane.cache)
  );
  const node = el("div", { class: "compare-pane" }, name, canvas, legend);
  const pane = { plot, title, legend, node, cache: {} };
  const inPane = (at) => at && { ...at, pane: n2 };
  plot.listen(heatHit, {
    ...n2 === 1 && compare.meta.moves.length ? compare.moves.on(canvas) : {},
    hover: (at) => compare.hover(inPane(at)),
    pin: (at) => compare.pin(inPane(at)),
    cell: () => compare.own.hovered ?? compare.own.pinned ?? { row: 0, col: 0 },
    size: () => [compare.sheets[n2].rows.length, compare.sheets[n2].cols.length]
  });
  return pane;
}
function arrangePanes({ host, parts, sheets, panes, grid, meta }) {
  const u = host.scale;
  const room = parts.body.clientWidth;
  const beside = room >= (u > 1 ? 720 : 900) * u ? sheets.length : room >= 560 * u ? 2 : 1;
  grid.style.gridTemplateColumns = `repeat(${beside}, minmax(0, 1fr))`;
  panes.forEach((pane, n2) => {
    const alone = beside === 2 && n2 === 2;
    pane.node.style.gridColumn = alone ? "1 / -1" : "";
    const width = alone ? room : (room - (beside - 1) * GAP * u) / beside;
    pane.plot.frame = heatGeometry(sheets[n2], width, u, {
      tall: inSight(host, meta.tall, HALL),
      cap: 34,
      deep: 30
    });
  });
}
function paneLegend(compare, n2) {
  const { table, cols } = compare.sheets[n2];
  const { log } = compare.own;
  if (n2 < 2) return { table, ...weightAxis(log ? "log" : "weight", cols.length), words: weightWords(log) };
  const stops = centred(brief(-compare.top, "points"), brief(compare.top, "points"));
  return { table, stops, words: tr("percentage points") };
}
function compareLeaving(compare) {
  return {
    name: () => compare.meta.file,
    who: () => [...new Set(compare.meta.subjects)].join(" and "),
    title: () => compare.meta.title,
    size() {
      const u = compare.host.scale;
      const frames = compare.panes.map(({ plot }) => plot.frame);
      const width = frames.reduce((sum, frame) => sum + frame.width + GAP * u, 0);
      return [width, Math.max(...frames.map(({ height }) => height)) + 60 * u];
    },
    draw(p) {
      const { scale: u, colours: c } = compare.host;
      const bottom = Math.max(...compare.panes.map(({ plot }) => plot.frame.height)) + 30 * u;
      let x = 0;
      compare.panes.forEach(({ plot }, n2) => {
        p.text(x + 2, 14 * u, compare.names[n2], { size: 13.5 * u, weight: 600, fill: c.ink });
        plot.paint(shifted(p, x, 22 * u));
        paintLegend(p, x + 2, bottom, u, paneLegend(compare, n2), c);
        x += plot.frame.width + GAP * u;
      });
    },
    words: () => compare.sentence(),
    rows: () => compare.meta.heads ? headsTable(compare) : mapsTable(compare)
  };
}
var mapsTable = ({ meta, sheets, names }) => [
  ["map", ...TABLE_HEAD],
  ...sheets.flatMap(
    (sheet, n2) => tableOf(sheet, meta.kind === "encoder", csvNumber).map((line) => [names[n2], ...line])
  )
];
var headsTable = ({ meta, sheets, names }) => [
  ["map", "head", ...TABLE_HEAD],
  ...sheets.flatMap((sheet, n2) => {
    const query = n2 < 2 ? [meta.positions[n2], meta.reads[n2][0], meta.heads?.[n2] ?? ""] : ["", "", ""];
    return tableOf(sheet, false, csvNumber).map(([i, , , ...cell]) => [
      ...[names[n2], sheet.rows[Number(i)]],
      ...[...query, ...cell]
    ]);
  })
];
var ANSWER = 2e4;
var MovedWeight = class {
  constructor(compare) {
    this.compare = compare;
  }
  compare;
  /** The second map without the move. */
  values = null;
  timer = 0;
  sent = false;
  hand = null;
  /** A row as the model computed it; NaN where no weight can be put. */
  rowOf(row) {
    const { meta, values } = this.compare;
    const [all, width] = [this.values ?? values[1], meta.cols[1].length];
    const line = Array(width).fill(NaN);
    for (const j of meta.moves) line[j] = all[row * width + j];
    return line;
  }
  movable({ row, col }) {
    return row !== void 0 && col !== void 0 && !this.sent && movedRow(this.rowOf(row), col, 0) !== null;
  }
  /** The second map with this weight; null: as it was. */
  show(at, weight) {
    const { compare } = this;
    this.values ??= compare.values[1];
    const moved = at && movedRow(this.rowOf(at.row), at.col, weight);
    const values = Float32Array.from(this.values);
    if (at && moved) {
      const from = at.row * compare.meta.cols[1].length;
      moved.forEach((value, j) => {
        if (!Number.isNaN(value)) values[from + j] = value;
      });
    }
    compare.values[1] = moved ? values : this.values;
    if (!moved) this.values = null;
    compare.own.hovered = at && { ...at, pane: 1 };
    compare.build();
    compare.relayout();
  }
  send(at, weight) {
    this.show(at, weight);
    this.sent = true;
    this.compare.parts.node.classList.add("moved");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const asked = this.values;
      this.answered();
      this.values = asked;
      if (asked) this.show(null, 0);
    }, ANSWER);
    const moved = { row: at.row, column: at.col, thousandths: Math.round(1e3 * weight) };
    this.compare.host.trigger("moved", moved);
  }
  /**
   * The server has sent the maps again.
   * @returns whether a move was under way
   */
  answered() {
    const { sent } = this;
    clearTimeout(this.timer);
    this.sent = false;
    this.values = null;
    this.compare.parts.node.classList.remove("moved");
    return sent;
  }
  /** How the second map answers a hand and the keyboard. */
  on(canvas) {
    const { compare } = this;
    const hand = weightMoves(canvas, {
      cell: (x, y) => cellAt(heatHit(compare.panes[1].plot.frame, x, y)),
      focus: () => compare.own.hovered ?? compare.own.pinned ?? {},
      weight: ({ row, col }) => this.rowOf(row)[col],
      movable: (at) => this.movable(at),
      show: (at, weight) => this.show(at, weight),
      done: (at, weight) => this.send(at, weight)
    });
    canvas.addEventListener("keydown", (event) => {
      if (hand.key(event)) event.preventDefault();
    });
    canvas.style.touchAction = "pan-y";
    this.hand = hand;
    return hand;
  }
  stop() {
    clearTimeout(this.timer);
    this.hand?.stop();
  }
};

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

// shared/compare_words.ts
function compareSentence(compare) {
  const { meta } = compare;
  const { hovered, pinned } = compare.own;
  const cell = hovered ?? pinned;
  const aside = hovered ? [] : [{ muted: `  ${pinned ? pinnedHint() : hint()}` }];
  if (!cell) return [...largestSentence(compare), ...aside];
  const { row, col } = cell;
  if (row !== void 0 && col !== void 0)
    return [...cellSentence(compare, cell.pane, row, col), ...aside];
  const which = meta.comparable ? [0, 1] : [Math.min(1, cell.pane)];
  const lines = which.flatMap((n2) => [...lineSentence(compare, n2, cell), " "]);
  return [...lines, ...aside];
}
var lead = ({ meta }, sheet, i) => meta.heads ? [{ strong: tr("Head {name}", { name: sheet.rows[i] }) }] : rowWords(sheet.rows[i], { verb: verbOf(meta.kind), read: sheet.reads?.[i] });
function largestSentence(compare) {
  const { meta, sheets } = compare;
  if (!meta.comparable) return [tr("The two maps have different words, so no difference is drawn.")];
  const [first, second] = meta.names;
  if (!meta.largest)
    return sameSentence(meta.names, emptyIn(sheets[0], sheets[1]), emptyIn(sheets[1], sheets[0]));
  const [row, col, passedOver] = meta.largest;
  const [one, two, change] = sheets.map((sheet) => sheet.at(row, col));
  const text = passedOver ? tr("Largest difference between words: {row}, at {key}: {one} in {first}, {two} in {second} ({points}).") : tr("Largest difference: {row}, at {key}: {one} in {first}, {two} in {second} ({points}).");
  return phrase(text, {
    ...{ row: lowerFirst(lead(compare, sheets[2], row)), key: strongly(sheets[2].cols[col]), first, second },
    ...{ one: spokenPercent(one), two: spokenPercent(two), points: shown(change, "points") }
  });
}
var lowerFirst = ([first, ...rest]) => typeof first === "string" ? [first[0].toLowerCase() + first.slice(1), ...rest] : [first, ...rest];
var emptyIn = (one, other) => one.rows.filter((_, i) => one.empty?.[i] && !other.empty?.[i]).length;
function sameSentence([first, second], lacking, missing) {
  if (!lacking && !missing)
    return phrase(tr("{first} and {second} are the same."), { first: capital(first), second });
  const [who, count] = missing ? [second, missing] : [first, lacking];
  const text = plural(
    "{who} has no numbers in {count} row; the rest is the same.",
    "{who} has no numbers in {count} rows; the rest is the same.",
    count
  );
  return phrase(text, { who: capital(who) });
}
function cellSentence(compare, pane, i, j) {
  const { meta, sheets, names } = compare;
  if (!meta.comparable) {
    const sheet = sheets[pane];
    const share = shown(sheet.at(i, j), "share");
    const fields = {
      name: names[pane],
      row: lowerFirst(lead(compare, sheet, i)),
      share,
      key: strongly(sheet.cols[j])
    };
    return phrase(tr("{name}: {row}, {share} at {key}."), fields);
  }
  const [one, two] = [sheets[0].at(i, j), sheets[1].at(i, j)];
  const [first, second] = meta.names;
  return phrase(tr("{row}, at {key}: {one} in {first}, {two} in {second} ({points})."), {
    ...{ row: lead(compare, sheets[0], i), key: strongly(sheets[0].cols[j]), first, second },
    ...{ one: shown(one, "share", 1), two: shown(two, "share", 1), points: shown(two - one, "points", 1) }
  });
}
function lineSentence({ meta, sheets }, n2, { row, col = 0 }) {
  const sheet = sheets[n2];
  const writing = meta.heads?.[n2];
  const how = {
    verb: verbOf(meta.kind),
    subject: meta.subjects[n2],
    mode: "weights",
    distribution: meta.distribution[n2]
  };
  if (row !== void 0) {
    const numbers = rowOf(sheet, row);
    const hidden = sheet.hidden?.[row] ?? null;
    const words = { ...how, read: sheet.reads?.[row], hidden };
    if (writing === void 0) return rowSentence(numbers, sheet.rows[row], sheet.cols, words);
    const subject = tr("head {name}", { name: sheet.rows[row] });
    return rowSentence(numbers, writing, sheet.cols, { ...how, verb: "Writing", subject });
  }
  const column = sumOf(sheet, [col], columnOf);
  if (writing === void 0) return columnSentence(column, [col], sheet.cols, sheet.rows, how);
  return headsSentence(sheet, column, writing, sheet.cols[col]);
}
function headsSentence(sheet, column, writing, word) {
  const most = topIndices(column, 2).filter((i, rank) => rank === 0 || column[i] >= 0.05);
  const heads = most.map((i) => [
    tr("head {name} ({share})", { name: sheet.rows[i], share: spokenPercent(column[i]) })
  ]);
  return phrase(tr("Writes {written}: {key} gets most from {heads}."), {
    ...{ written: strongly(writing), key: strongly(word), heads: enumerate(heads) }
  });
}
var LEAST_TOP = 0.05;
var emptyRows = (sheet) => sheet.rows.map((_, i) => sheet.cols.every((__, j) => Number.isNaN(sheet.at(i, j))));
function compareSheets(meta, values, log, c) {
  const table = kindRamp(c, meta.kind);
  const sheets = values.map((numbers, n2) => {
    const reads = meta.reads[n2].length && !meta.heads ? meta.reads[n2] : void 0;
    const words = { rows: meta.rows[n2], cols: meta.cols[n2], reads };
    const at = (i, j) => numbers[i * words.cols.length + j];
    const sheet = makeSheet(words, at, table, { scale: log ? "log" : "weight" });
    return { ...sheet, hidden: meta.hidden[n2], empty: emptyRows(sheet) };
  });
  let top = LEAST_TOP;
  if (!meta.comparable) return { sheets, top };
  const [one, two] = sheets;
  const change = (i, j) => two.at(i, j) - one.at(i, j);
  for (let n2 = 0; n2 < values[0].length; n2++) {
    const far = Math.abs(values[1][n2] - values[0][n2]);
    if (far > top) top = far;
  }
  const look2 = { scale: "diverging", top };
  const difference = makeSheet(one, change, divergingTable(c), { ...look2, unit: "points" });
  sheets.push({ ...difference, empty: emptyRows(difference) });
  for (const sheet of sheets) sheet.aside = meta.hidden[0] !== null;
  return { sheets, top };
}

// shared/compare.ts
var samePaneCell = (a, b) => sameCell(a, b) && a?.pane === b?.pane;
var Compare = class extends CardView {
  grid = el("div", { class: "compare-grid" });
  axes = el("p", { class: "axis-words" });
  log = checkbox(tr("log colour"), (on) => this.setLog(on));
  meta;
  values = [];
  /** the two maps and, over the same words, their difference */
  sheets = [];
  panes = [];
  top = 1;
  own = { hovered: null, pinned: null, log: false };
  words = "";
  soon = oncePerFrame(this.host, () => this.draw());
  looks = linked(this.host, "viewed");
  moves = new MovedWeight(this);
  constructor(root, host) {
    super(root, host, "compare");
    explained(host, this.parts.title);
    const foot = el(
      "div",
      { class: "foot" },
      this.axes,
      el("span", { class: "compare-foot" }, this.log.node)
    );
    this.parts.body.append(this.grid);
    this.parts.node.append(foot, this.parts.readout);
    this.parts.controls.append(exportMenu(host, compareLeaving(this)));
    pageKeys(host, { Escape: () => this.own.pinned ? this.pin(null) : false });
  }
  /** Names over the pictures. */
  get names() {
    const [first, second] = this.meta.names;
    return [first, second, `${second} − ${first}`];
  }
  /* ---------- numbers and drawing ---------- */
  build() {
    for (const pane of this.panes) pane.cache = {};
    const { sheets, top } = compareSheets(this.meta, this.values, this.own.log, this.host.colours);
    [this.sheets, this.top] = [sheets, top];
  }
  /** What stands out in a pane. */
  focus(n2) {
    const cell = this.own.hovered ?? this.own.pinned;
    const shows = cell && (this.meta.comparable || cell.pane === n2);
    return focusOn(shows ? cell : null);
  }
  sentence() {
    return compareSentence(this);
  }
  draw() {
    for (const { plot } of this.panes) plot.draw();
    this.parts.tell({ readout: this.sentence() });
  }
  relayout() {
    arrangePanes(this);
    const { scale, colours } = this.host;
    this.panes.forEach(({ legend }, n2) => drawLegend(legend, scale, paneLegend(this, n2), colours));
    this.draw();
  }
  /* ---------- hover, pin, colours ---------- */
  hover(cell) {
    if (samePaneCell(cell, this.own.hovered)) return;
    this.own.hovered = cell;
    this.soon();
  }
  pin(cell) {
    this.own.pinned = samePaneCell(cell, this.own.pinned) ? null : cell;
    this.own.hovered = null;
    this.soon();
    this.report();
  }
  setLog(on) {
    this.own.log = on;
    this.build();
    this.relayout();
    this.report();
  }
  report() {
    const { pinned, log } = this.own;
    const cell = pinned && [pinned.pane, pinned.row ?? null, pinned.col ?? null];
    if (this.meta.report) this.looks.report({ cell, log });
  }
  /* ---------- data ---------- */
  /** A pin belongs to the two maps; it comes from the link or is the reader's own. */
  takeLooks() {
    const { meta, own } = this;
    const words = JSON.stringify([meta.kind, meta.names, meta.rows, meta.cols]);
    const news = this.looks.isNews(meta.looked);
    own.hovered = null;
    if (words !== this.words || news) {
      const [pane, row, col] = meta.looked.cell ?? [];
      const cell = { ...row === null ? {} : { row }, ...col === null ? {} : { col } };
      own.pinned = pane === void 0 ? null : { pane, ...cell };
    }
    if (news) this.log.box.checked = own.log = meta.looked.log;
    this.words = words;
  }
  update(meta) {
    const again = this.moves.answered();
    const renewed = Boolean(this.meta?.moves.length) !== Boolean(meta.moves.length);
    this.meta = meta;
    const { hovered } = this.own;
    this.values = [meta.first, meta.second];
    setKind(this.host, meta.kind);
    this.takeLooks();
    this.parts.tell(meta);
    explain(this.parts.title, meta.comparable ? "" : meta.tips[3]);
    this.axes.textContent = meta.heads ? tr("head ↓   key →") : tr("query ↓   key →");
    this.build();
    if (again && hovered) this.own.hovered = hovered;
    if (renewed || this.panes.length !== this.sheets.length) {
      this.panes = this.sheets.map((_, n2) => makePane(this, n2));
      this.grid.replaceChildren(...this.panes.map(({ node }) => node));
    }
    this.panes.forEach((pane, n2) => {
      const { rows, cols } = this.sheets[n2];
      pane.title.textContent = this.names[n2];
      explain(pane.title, meta.tips[n2]);
      const fields = { name: this.names[n2], rows: rows.length, columns: cols.length };
      const words = [tr("{name}, {rows} × {columns} tokens.", fields) + mapKeys()];
      if (n2 === 1 && meta.moves.length) words.push(tr("Plus and minus move the weight of a cell."));
      pane.plot.node.setAttribute("aria-label", words.join(" "));
    });
    this.relayout();
  }
  destroy() {
    this.moves.stop();
  }
};
var compare_default = viewOf(Compare);
export {
  Compare,
  compare_default as default
};
