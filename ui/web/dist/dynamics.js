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
  function explain2(metrics) {
    list.replaceChildren(...lines, ...definitions(metrics, { class: "metric" }));
    button.hidden = !list.children.length;
  }
  return { list, button, toggle, explain: explain2, hide: () => show3(false), isOpen: () => !list.hidden };
}

// web/base/events.ts
var reducedMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
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
  const range2 = { type: "range", min: 0, max: 1, step: 1, "aria-label": tr("Step of the {what}", { what }) };
  const scrubber = el("input", { class: "play-scrub", ...range2 });
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

// web/maps/selection.ts
var focusOn = (at) => ({
  rows: new Set(at?.row === void 0 ? [] : [at.row]),
  cols: new Set(at?.col === void 0 ? [] : [at.col])
});
var sameCell = (a, b) => a?.row === b?.row && a?.col === b?.col;

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

// shared/wall_drawing.ts
function paintLayers(p, { u, labels }, fill2, names = []) {
  const pen = { size: typeSize(12, u), align: "center", baseline: "middle", rotate: -90, fill: fill2 };
  for (const [layer, y] of labels) p.text(11 * u, y, names[layer] ?? tr("layer {layer}", { layer }), pen);
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

// learn/dynamics_numbers.ts
var DynamicsNumbers = class {
  /** `packed` has a byte a weight: records × layers × heads × rows × columns; `numbers` records × scores × layers × heads. */
  constructor(meta) {
    this.meta = meta;
  }
  meta;
  /** How many heads there are; head `n` of them is counted over all layers. */
  get count() {
    return this.meta.layers * this.meta.heads;
  }
  nameOf(n2) {
    return `${Math.floor(n2 / this.meta.heads)}.${n2 % this.meta.heads}`;
  }
  /**
   * A head's map at a record. A row's bytes are shares of their sum, as core/training/dynamics.py reads them.
   */
  sheet(k, n2, table) {
    const { rows, cols, reads, kind, packed } = this.meta;
    const begin = (k * this.count + n2) * rows.length * cols.length;
    const totals = rows.map((_, i) => {
      let total = 0;
      for (let j = 0; j < cols.length; j++) total += packed[begin + i * cols.length + j];
      return total || 1;
    });
    const at = (i, j) => {
      const byte = packed[begin + i * cols.length + j];
      return kind === "causal" && j > i && !byte ? NaN : byte / totals[i];
    };
    return makeSheet({ rows, cols, reads: reads.length ? reads : void 0 }, at, table);
  }
  /** NaN where it was not measured. */
  score(k, name, n2) {
    const { scores, numbers } = this.meta;
    const nth = scores.findIndex((score) => score.name === name);
    return nth < 0 ? NaN : numbers[(k * scores.length + nth) * this.count + n2];
  }
  words(name) {
    return this.meta.scores.find((score) => score.name === name);
  }
  /** The sudden drop of a head, if it had one. */
  dropOf(n2) {
    return this.meta.drops.find(([layer, head]) => layer * this.meta.heads + head === n2);
  }
  /** The last record not after a step. */
  recordAt(step) {
    const later = this.meta.steps.findIndex((each) => each > step);
    return later < 0 ? this.meta.steps.length - 1 : Math.max(0, later - 1);
  }
  /** Every number as a table: a line for each record and head. */
  table() {
    const { meta } = this;
    const head = [
      "step",
      ...meta.losses.map(({ name }) => `${name}_loss`),
      meta.quality.column,
      "kind",
      "layer",
      "head"
    ];
    const at = ({ points }, step) => points.find(([each]) => each === step)?.[1] ?? "";
    const lines = meta.steps.flatMap(
      (step, k) => Array.from({ length: this.count }, (_, n2) => {
        const own = meta.scores.map(({ name }) => {
          const v = this.score(k, name, n2);
          return Number.isFinite(v) ? Number(v.toPrecision(6)) : "";
        });
        const common = [step, ...meta.losses.map((curve) => at(curve, step)), at(meta.quality, step)];
        return [...common, meta.kind_name, Math.floor(n2 / meta.heads), n2 % meta.heads, ...own];
      })
    );
    return [[...head, ...meta.scores.map(({ name }) => name)], ...lines];
  }
};
var lossName = (name) => ({ training: tr("training"), validation: tr("validation") })[name] ?? name;
var afterSteps = (step) => step === 0 ? tr("Before training") : plural("After {count} step", "After {count} steps", step);
var two = (v) => minus(fixed(v, 2));
function shapeTitle(numbers, n2) {
  const { steps, sudden, trained, live } = numbers.meta;
  const drop = numbers.dropOf(n2);
  const name = { kind: tr("Head {name}", { name: numbers.nameOf(n2) }) };
  if (drop) {
    const between = { from: grouped(steps[drop[2]]), to: grouped(steps[drop[3]]) };
    const became = trained ? tr("{head} became more focused between steps {from} and {to}") : tr("{head} took shape between steps {from} and {to}");
    return phrase(became, { head: name, ...between });
  }
  const [from, to] = [0, steps.length - 1].map((k) => numbers.score(k, "normalised_entropy", n2));
  if (Math.abs(to - from) >= sudden)
    return phrase(live ? tr("{head} changed gradually so far") : tr("{head} changed gradually"), {
      head: name
    });
  if (trained) return phrase(tr("{head} had formed before the first recorded step"), { head: name });
  const none = live ? tr("{head} had no sudden drop of entropy so far") : tr("{head} had no sudden drop of entropy");
  return phrase(none, { head: name });
}
function mapTitle(meta, step, head) {
  const kind = { kind: meta.kind_words };
  return phrase(tr("{kind}, {when}; head {head} below"), {
    ...{ kind, head },
    when: afterSteps(step).toLowerCase()
  });
}
function curveSentence(numbers, k, n2, score) {
  const { meta } = numbers;
  const step = meta.steps[k];
  const words = numbers.words(score);
  const value = numbers.score(k, score, n2);
  const named = { when: afterSteps(step), head: numbers.nameOf(n2) };
  const unit = words?.units && words.units !== "share" ? ` ${words.units}` : "";
  const parts = words && Number.isFinite(value) ? phrase(tr("{when}, head {head}: {score} {value}."), {
    ...named,
    score: words.label.toLowerCase(),
    value: { strong: `${two(value)}${unit}` }
  }) : phrase(tr("{when}, head {head}: not measured."), named);
  for (const { name, points } of meta.losses) {
    const point = points.find(([each]) => each === step);
    const loss = { loss: lossName(name), value: { strong: two(point?.[1] ?? 0) } };
    if (point) parts.push(" ", ...phrase(tr("Loss ({loss}): {value}."), loss));
  }
  const drop = numbers.dropOf(n2);
  if (drop) {
    const fall = { before: two(drop[4]), after: two(drop[5]) };
    const steps = { from: grouped(meta.steps[drop[2]]), to: grouped(meta.steps[drop[3]]) };
    parts.push(
      " ",
      tr("Its normalised entropy fell from {before} to {after} between steps {from} and {to}.", {
        ...fall,
        ...steps
      })
    );
  }
  return parts;
}
function trainedWords(meta) {
  const drops = meta.drops.length;
  const last = grouped(meta.steps[meta.steps.length - 1]);
  return [
    tr("{step} of {total} steps", { step: last, total: grouped(meta.total) }),
    plural("scores over {count} sentence", "scores over {count} sentences", meta.sentences),
    drops ? plural(
      "the entropy of {count} head fell suddenly",
      "the entropy of {count} heads fell suddenly",
      drops
    ) : tr("no head’s entropy fell suddenly")
  ].join(" · ");
}
var lossWords = ({ quality }) => [
  tr("Loss: −log of the probability that the model gives the right token."),
  tr("A nat is the unit of the natural logarithm, as a bit is of the logarithm to base 2."),
  tr(
    "R-Drop, where a recipe has it, adds to the training loss how much two passes with different dropout differ."
  ),
  quality.column === "bleu" ? tr("BLEU: how many runs of one to four words a translation shares with the reference, from 0 to 100.") : ""
].filter(Boolean).join(" ");

// learn/dynamics_drawing.ts
function lineThrough(points) {
  let [path, on] = ["", false];
  for (const [x, y] of points) {
    if (y !== null) path += `${on ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`;
    on = y !== null;
  }
  return path;
}
function paintPanel(p, box, ends, name, { host }) {
  const { scale: u, colours: c } = host;
  const size = typeSize(12, u);
  for (const value of [ends.low, (ends.low + ends.high) / 2, ends.high]) {
    const y = valueY(box, value, ends.low, ends.high);
    p.path(`M${box.x} ${y}L${box.x + box.w} ${y}`, { stroke: c.line, width: 1 });
    const words = ends.high >= 20 ? fixed(value, 0) : two(value);
    p.text(box.x - 8 * u, y, words, { size, align: "right", baseline: "middle", fill: c.muted });
  }
  p.text(box.x, box.y - 9 * u, name, { size, weight: 600, fill: c.ink });
}
function paintLossNames(p, view, box, hues) {
  const { scale: u, colours: c } = view.host;
  const size = typeSize(12, u);
  let x = box.x + box.w;
  [...view.numbers.meta.losses].reverse().forEach((curve, back) => {
    const name = lossName(curve.name);
    const n2 = hues.length - 1 - back;
    p.text(x, box.y - 9 * u, name, { size, align: "right", fill: c.muted });
    x -= textWidth(name, size, false) + 6 * u;
    p.path(`M${x - 14 * u} ${box.y - 13 * u}L${x} ${box.y - 13 * u}`, { stroke: hues[n2], width: 2 * u });
    x -= 26 * u;
  });
}
function paintWarmup(p, { numbers, host }, g) {
  const { scale: u, colours: c } = host;
  const end = Math.min(numbers.meta.warmup, g.last);
  if (!end) return;
  const [x, y] = [stepX(g, end), g.loss.y + g.loss.h];
  p.rect(g.loss.x, g.loss.y, x - g.loss.x, g.loss.h, { fill: c.soft });
  const words = tr("warm-up: {count} steps", { count: grouped(numbers.meta.warmup) });
  p.text(g.loss.x + 6 * u, y - 7 * u, words, { size: typeSize(12, u), fill: c.muted });
}
function paintLosses(p, view, g) {
  const { host, numbers } = view;
  const { colours: c, scale: u } = host;
  const { losses, quality } = numbers.meta;
  const values = losses.flatMap(({ points }) => points.map(([, v]) => v));
  const ends = range(values, 0, null);
  const hues = [c.bar, c.ink];
  const name = g.loss.w > 330 * u ? tr("Loss, nats per target token") : tr("Loss, nats");
  paintPanel(p, g.loss, ends, name, view);
  paintWarmup(p, view, g);
  losses.forEach(({ points }, n2) => {
    const line = points.map(
      ([step, v]) => [stepX(g, step), valueY(g.loss, v, ends.low, ends.high)]
    );
    p.path(lineThrough(line), { stroke: hues[n2], width: 1.8 * u });
  });
  paintLossNames(p, view, g.loss, hues);
  const last = quality.points[quality.points.length - 1];
  if (!last) return;
  const [x, size] = [stepX(g, last[0]), typeSize(12, u)];
  const high = losses.some(({ points }) => (points.at(-1)?.[1] ?? 0) > 0.7 * ends.high);
  const y = high ? g.loss.y + g.loss.h - 12 * u : g.loss.y + 6 * u;
  p.circle(x, y, 3 * u, { fill: c[`${numbers.meta.kind}_text`] });
  const words = `${quality.name} ${fixed(last[1], 1)}`;
  p.text(x - 8 * u, y + 4 * u, words, { size, align: "right", fill: c.ink });
}
function paintHeads(p, view, g) {
  const { numbers, host, own } = view;
  const { colours: c, scale: u } = host;
  const { meta } = numbers;
  const ends = view.ends;
  paintPanel(p, g.heads, ends, view.panelName, view);
  const hue = c[meta.kind];
  const order = Array.from({ length: numbers.count }, (_, n2) => n2);
  const strong = [view.openHead, view.hovered].filter((n2) => n2 >= 0);
  for (const n2 of [...order.filter((each) => !strong.includes(each)), ...strong]) {
    const on = strong.includes(n2);
    const points = meta.steps.map(
      (step, k) => [stepX(g, step), view.heightOf(g, n2, k)]
    );
    const pen = on ? { stroke: n2 === view.openHead ? hue : c.ink, width: 2.4 * u } : { stroke: c.bar, width: u };
    p.path(lineThrough(points), { ...pen, alpha: on ? 1 : 0.75 });
  }
  if (own.score === "entropy" || own.score === "normalised_entropy") paintDrops(p, view, g);
  for (const n2 of strong) {
    const y = view.heightOf(g, n2, meta.steps.length - 1);
    if (y === null) continue;
    const x = stepX(g, meta.steps[meta.steps.length - 1]) + 6 * u;
    p.text(x, y, numbers.nameOf(n2), { ...AT_LEFT, size: typeSize(12.5, u), weight: 650, fill: c.ink });
  }
}
function paintDrops(p, view, g) {
  const { numbers, host } = view;
  const { meta } = numbers;
  const c = host.colours;
  for (const [layer, head, start, end] of meta.drops) {
    const n2 = layer * meta.heads + head;
    const open = n2 === view.openHead || n2 === view.hovered;
    const points = meta.steps.slice(start, end + 1).map((step, k) => {
      const y = view.heightOf(g, n2, start + k);
      return [stepX(g, step), y];
    });
    const pen = { stroke: c[meta.kind], width: (open ? 4.5 : 2) * g.u, alpha: open ? 1 : 0.55 };
    p.path(lineThrough(points), pen);
    const foot = points[points.length - 1];
    if (foot[1] !== null) p.circle(foot[0], foot[1], (open ? 4.5 : 2.6) * g.u, { fill: c[meta.kind] });
  }
}
function paintCurves(p, view, g) {
  const { colours: c, scale: u } = view.host;
  paintLosses(p, view, g);
  paintHeads(p, view, g);
  const size = typeSize(12, u);
  const bottom = g.heads.y + g.heads.h;
  for (const step of stepTicks(g)) {
    const x2 = stepX(g, step);
    p.path(`M${x2} ${bottom}L${x2} ${bottom + 4 * u}`, { stroke: c.muted, width: 1 });
    p.text(x2, bottom + 6 * u + size, grouped(step), { size, align: "center", fill: c.muted });
  }
  p.text(g.heads.x - 8 * u, bottom + 6 * u + size, tr("step"), { size, align: "right", fill: c.muted });
  const x = stepX(g, view.numbers.meta.steps[view.own.at] ?? 0);
  p.path(`M${x} ${g.loss.y - 4 * u}L${x} ${bottom}`, { stroke: c.ink, width: 1.4 * u, alpha: 0.8 });
}
function paintSmall(p, view) {
  const { layout, host, numbers, own } = view;
  const { u, w, h, at } = layout;
  const { meta } = numbers;
  const c = host.colours;
  const fitted = Math.max(9 * u, Math.min(12 * u, w / 4.6));
  const size = legible(fitted, u) ? fitted : typeSize(12, u);
  paintLayers(p, layout, c.muted);
  for (const [n2, { x, y }] of at) {
    const name = numbers.nameOf(n2);
    paintPixels(p, numbers.sheet(own.at, n2, view.table), { x, y, w, h }, c);
    const drop = numbers.dropOf(n2);
    const shaped = drop !== void 0 && drop[3] <= own.at;
    const fill2 = shaped ? c[`${meta.kind}_text`] : c.muted;
    p.text(x, y + h + 14 * u, name, { size, weight: shaped ? 700 : 400, fill: fill2 });
    const score = numbers.score(own.at, own.score, n2);
    const words = Number.isFinite(score) ? two(score) : "–";
    if (textWidth(`${name} ${words}`, size, false, 700) <= w)
      p.text(x + w, y + h + 14 * u, words, { size, align: "right", fill: c.muted });
    if (n2 === view.openHead)
      p.rect(x - 4 * u, y - 4 * u, w + 8 * u, h + 8 * u, { stroke: c.ink, width: 2 * u, radius: 8 * u });
    else if (n2 === view.hovered)
      p.rect(x - 2 * u, y - 2 * u, w + 4 * u, h + 4 * u, { stroke: c.muted, width: u, radius: 6 * u });
  }
}
function curvesLeaving(view) {
  return {
    name: () => `${view.numbers.meta.file}-training`,
    who: () => tr("head {name}", { name: view.openName }),
    about: () => view.numbers.meta.about,
    size: () => [view.curves.width, view.curves.height],
    draw: (p) => paintCurves(p, view, view.curves),
    words: () => view.curveWords(),
    rows: () => view.numbers.table()
  };
}
var mapLegend = ({ table, numbers }) => ({
  table,
  ...weightAxis("weight", numbers.meta.cols.length),
  words: weightWords()
});
function mapsLeaving(view) {
  const step = () => view.numbers.meta.steps[view.own.at];
  return {
    name: () => `${view.numbers.meta.file}-${view.openName}-step-${step()}`,
    who: () => tr("head {name}, step {step}", { name: view.openName, step: grouped(step()) }),
    about: () => {
      const { source, target, about } = view.numbers.meta;
      return `${quoted(source)} → ${quoted(target)} · ${about}`;
    },
    size() {
      const { layout, big, host } = view;
      const width = Math.max(layout.room, big.frame.width);
      return [width, layout.height + 14 * host.scale + big.frame.height];
    },
    draw(p) {
      paintSmall(p, view);
      view.big.paint(shifted(p, 0, view.layout.height + 14 * view.host.scale));
    },
    legend: () => mapLegend(view),
    words: () => view.mapWords(),
    rows: () => [
      ["step", ...TABLE_HEAD],
      ...view.numbers.meta.steps.flatMap((each, k) => {
        const sheet = view.numbers.sheet(k, view.openHead, view.table);
        return tableOf(sheet, view.numbers.meta.kind === "encoder", csvNumber).map((line) => [each, ...line]);
      })
    ]
  };
}
function curveLayout(width, u, last, tall) {
  const [left, right] = [46 * u, 48 * u];
  const w = Math.max(60 * u, width - left - right);
  const loss = { x: left, y: 24 * u, w, h: Math.min(96, Math.max(64, tall)) * u };
  const heads = { x: left, y: loss.y + loss.h + 34 * u, w, h: tall * u };
  return { u, width, height: heads.y + heads.h + 16 * u + typeSize(12, u) * 1.6, loss, heads, last };
}
var spaced = (step) => Math.log2(1 + step);
var stepX = (g, step) => g.loss.x + g.loss.w * spaced(step) / (spaced(g.last) || 1);
var valueY = (box, value, low, high) => box.y + box.h * (1 - (value - low) / (high - low || 1));
function nearestRecord(g, steps, x) {
  let best = 0;
  steps.forEach((step, k) => {
    if (Math.abs(stepX(g, step) - x) < Math.abs(stepX(g, steps[best]) - x)) best = k;
  });
  return best;
}
function stepTicks(g) {
  const powers = [];
  for (let power = 1; power < g.last; power *= 10) powers.unshift(power);
  const kept = [];
  for (const tick of [g.last, 0, ...powers]) {
    if (kept.every((other) => Math.abs(stepX(g, other) - stepX(g, tick)) > 40 * g.u)) kept.push(tick);
  }
  return kept.sort((a, b) => a - b);
}
function range(values, low, high) {
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const bottom = Number.isFinite(low) ? low : least;
  const top = high !== null && most > 0.5 * high ? high : most;
  return { low: Math.min(bottom, least), high: top > bottom ? top : bottom + 1 };
}
function nearestCurve(heights, y, most) {
  let best = -1;
  heights.forEach((height, n2) => {
    if (height === null || Math.abs(height - y) > most) return;
    if (best < 0 || Math.abs(height - y) < Math.abs(heights[best] - y)) best = n2;
  });
  return best;
}

// learn/dynamics_controls.ts
var NEAR = 10;
var HALL = 610;
var HALL_MAPS = 330;
var Looked = class {
  constructor(host) {
    this.host = host;
  }
  host;
  numbers;
  own = { at: 0, layer: 0, head: 0, score: "" };
  hovered = -1;
  /** a cell of the open head's map */
  cell = null;
  table = [];
  ends = { low: 0, high: 1 };
  curves;
  layout;
  /** The number of the last record. */
  get last() {
    return this.numbers.meta.steps.length - 1;
  }
  get openHead() {
    return this.own.layer * this.numbers.meta.heads + this.own.head;
  }
  get openName() {
    return this.numbers.nameOf(this.openHead);
  }
  get openSheet() {
    return this.numbers.sheet(this.own.at, this.openHead, this.table);
  }
  get focus() {
    return focusOn(this.cell);
  }
  get panelName() {
    const words = this.numbers.words(this.own.score);
    if (!words) return "";
    const units = words.units && words.units !== "share" ? `, ${words.units}` : "";
    return tr("{score} of every head", { score: `${words.label}${units}` });
  }
  /** The range of the heads' panel: over all records, so that it stays fixed during playback. */
  measureEnds() {
    const { numbers, own } = this;
    const values = numbers.meta.steps.flatMap(
      (_, k) => Array.from({ length: numbers.count }, (__, n2) => numbers.score(k, own.score, n2)).filter(
        Number.isFinite
      )
    );
    const words = numbers.words(own.score);
    this.ends = range(values, words?.low ?? 0, words?.high ?? null);
  }
  /** The value of a head's curve at a record; null where it was not measured. */
  heightOf(g, n2, k) {
    const value = this.numbers.score(k, this.own.score, n2);
    return Number.isFinite(value) ? valueY(g.heads, value, this.ends.low, this.ends.high) : null;
  }
  curveAt(event) {
    const { curves: g, numbers } = this;
    if (event.offsetY < g.heads.y - NEAR * g.u) return -1;
    const k = nearestRecord(g, numbers.meta.steps, event.offsetX);
    const heights = Array.from({ length: numbers.count }, (_, n2) => this.heightOf(g, n2, k));
    return nearestCurve(heights, event.offsetY, NEAR * g.u);
  }
  /** The layout of the curves and small maps. */
  arrange(left, right) {
    const { host, numbers } = this;
    const { meta } = numbers;
    const u = host.scale;
    const last = meta.live ? meta.total : meta.steps[this.last];
    this.curves = curveLayout(left, u, last, inSight(host, meta.tall, HALL));
    const shape = [meta.rows.length, meta.cols.length];
    const tall = inSight(host, 300, HALL_MAPS + 200);
    const wall = { ...meta, shape, square: meta.kind !== "cross", tall, quantity: null };
    const order = Array.from({ length: numbers.count }, (_, n2) => n2);
    this.layout = wallLayout(wall, order, true, right, u);
  }
  curveWords() {
    const n2 = this.hovered >= 0 ? this.hovered : this.openHead;
    return curveSentence(this.numbers, this.own.at, n2, this.own.score);
  }
  /** The row pointed at, else the one with the largest weight of those that have a choice. */
  mapWords() {
    const sheet = this.openSheet;
    const peak = (i) => Math.max(...rowOf(sheet, i));
    const first = this.numbers.meta.kind === "causal" && sheet.rows.length > 1 ? 1 : 0;
    const best = sheet.rows.reduce((top, _, i) => i > first && peak(i) > peak(top) ? i : top, first);
    const row = this.cell?.row ?? best;
    const verb = verbOf(this.numbers.meta.kind);
    const how = {
      verb,
      subject: tr("head {name}", { name: this.openName }),
      mode: "weights",
      read: sheet.reads?.[row]
    };
    return rowSentence(rowOf(sheet, row), sheet.rows[row], sheet.cols, how);
  }
};
function headButtons(view) {
  const { layout, numbers } = view;
  return Array.from(layout.at, ([n2, { x, y }]) => {
    const name = tr("Open head {name}", { name: numbers.nameOf(n2) });
    const button = el("button", {
      ...{ class: "dynamics-head", "data-head": n2, "aria-label": name },
      onclick: () => view.open(n2),
      onpointerenter: () => view.hover(n2),
      onpointerleave: () => view.hover(-1)
    });
    button.style.cssText = `left:${x}px;top:${y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
    return button;
  });
}
function momentButtons(view) {
  const { meta } = view.numbers;
  if (!meta.drops.length) return [];
  const label = el("span", { class: "dynamics-label" }, tr("Took shape"));
  const list = meta.drops.map(([layer, head, , end, before, after]) => {
    const n2 = layer * meta.heads + head;
    const name = view.numbers.nameOf(n2);
    const words = [
      el("b", {}, name),
      ` ${tr("step {step}", { step: grouped(meta.steps[end]) })} `,
      el("span", {}, `${two(before)} → ${two(after)}`)
    ];
    const title = tr("Normalised entropy of head {name}; opens it at that step", { name });
    return el(
      "button",
      { class: "dynamics-moment", "data-head": n2, title, onclick: () => view.open(n2, end) },
      ...words
    );
  });
  return [label, el("div", { class: "dynamics-list" }, ...list)];
}

// learn/dynamics.ts
var hint = () => TOUCH ? tr("Tap a curve or a map") : tr("Click a curve or a map to open its head; arrow keys step");
function playFromStart({ own, playback }) {
  if (reducedMotion() || isSlide()) return;
  own.at = 0;
  playback.toggle();
}
function assemble(view) {
  const { left, right, host } = view;
  const fields = el(
    "div",
    { class: "dynamics-fields" },
    field(tr("Heads by"), view.metric),
    view.about,
    view.terms
  );
  const play = el("div", { class: "dynamics-play" }, view.playback.node, view.playback.tools);
  left.body.append(play, fields, view.canvas, view.moments);
  left.node.append(left.readout);
  left.controls.append(exportMenu(host, curvesLeaving(view)));
  const wall = el("div", { class: "dynamics-wall" }, view.small, view.heads);
  right.body.append(wall, view.big.node, el("div", { class: "foot" }, view.legend));
  right.node.append(right.readout);
  right.controls.append(exportMenu(host, mapsLeaving(view)));
}
var Dynamics = class extends Looked {
  constructor(root, host) {
    super(host);
    this.root = root;
    const grid = el("div", { class: "dynamics" });
    root.append(el("div", { class: "dynamics-wrap" }, grid));
    this.left = card(grid, "dynamics-curves");
    this.right = card(grid, "dynamics-maps");
    assemble(this);
    this.listen();
  }
  root;
  left;
  right;
  following = true;
  // whether the reader stands at the newest record
  looks = linked(this.host, "looked");
  soon = oncePerFrame(this.host, () => this.draw());
  playback = new Playback(this.host, {
    what: "training",
    go: (k) => this.go(k),
    rested: () => this.report(),
    listens: () => true
  });
  canvas = el("canvas", { class: "picture dynamics-lines", role: "img" });
  metric = chooser([["", ""]], "", (name) => this.choose(name), tr("Score of the heads"));
  about = explained(this.host, el("span", { class: "dynamics-about" }, tr("What is it?")));
  terms = explained(this.host, el("span", { class: "dynamics-about" }, tr("What is the loss?")));
  moments = el("div", { class: "dynamics-moments", role: "group" });
  small = el("canvas", { class: "picture", "aria-hidden": "true" });
  heads = el("div", { class: "dynamics-heads", role: "group", "aria-label": tr("Heads") });
  big = new Plot(
    el("canvas", { class: "picture dynamics-big", tabindex: 0, role: "application" }),
    () => heatmap(this.openSheet, this.focus, this.host.colours)
  );
  legend = el("canvas", { class: "picture" });
  listen() {
    this.canvas.addEventListener("pointermove", (event) => this.hover(this.curveAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.hover(-1));
    this.canvas.addEventListener("click", (event) => {
      const k = nearestRecord(this.curves, this.numbers.meta.steps, event.offsetX);
      const n2 = this.curveAt(event);
      if (n2 >= 0) this.open(n2, k);
      else this.playback.byHand(k);
    });
    this.big.listen(heatHit, {
      hover: (at) => this.point(at),
      pin: () => {
      },
      cell: () => this.cell ?? { row: 0, col: 0 },
      size: () => [this.openSheet.rows.length, this.openSheet.cols.length]
    });
    pageKeys(this.host, { Escape: () => this.cell ? this.point(null) : false });
  }
  /* ---------- what the reader does ---------- */
  go(k) {
    this.own.at = k;
    this.following = k === this.last;
    this.playback.update(k, this.last);
    this.soon();
    if (!this.playback.playing) this.report();
  }
  open(n2, k = this.own.at) {
    const { heads } = this.numbers.meta;
    Object.assign(this.own, { layer: Math.floor(n2 / heads), head: n2 % heads });
    this.cell = null;
    if (k === this.own.at) this.report();
    else this.playback.byHand(k);
    this.title();
    this.soon();
  }
  choose(name) {
    this.own.score = name;
    this.measureEnds();
    this.title();
    this.report();
    this.soon();
  }
  hover(n2) {
    if (n2 === this.hovered) return;
    this.hovered = n2;
    this.canvas.style.cursor = n2 < 0 ? "" : "pointer";
    this.soon();
  }
  point(cell) {
    if (sameCell(cell, this.cell)) return;
    this.cell = cell;
    this.soon();
  }
  report() {
    const { at, layer, head, score } = this.own;
    const step = this.following ? null : this.numbers.meta.steps[at];
    this.looks.report({ step, layer, head, score });
  }
  /* ---------- drawing ---------- */
  draw() {
    const { curves, layout, numbers } = this;
    const { meta } = numbers;
    paintCurves(canvasPainter(fitCanvas(this.canvas, curves.width, curves.height)), this, curves);
    paintSmall(canvasPainter(fitCanvas(this.small, layout.room + 6 * layout.u, layout.height)), this);
    this.big.draw();
    const step = meta.steps[this.own.at];
    this.left.tell({ readout: [...this.curveWords(), { muted: hint() }] });
    this.right.tell({ title: mapTitle(meta, step, this.openName), readout: this.mapWords() });
    const over = tr("{score} over the steps.", { score: this.panelName });
    this.canvas.setAttribute("aria-label", `${over} ${plain(this.curveWords())}`);
    const named = tr("Head {name}", { name: this.openName });
    const words = `${named}, ${afterSteps(step)}. ${plain(this.mapWords())} ${tr("Arrow keys move.")}`;
    this.big.node.setAttribute("aria-label", words);
    for (const button of this.root.querySelectorAll("[data-head]"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.head) === this.openHead));
  }
  title() {
    const { meta } = this.numbers;
    const title = shapeTitle(this.numbers, this.openHead);
    this.left.tell({ title, subtitle: trainedWords(meta) });
    this.right.tell({ subtitle: `${quoted(meta.source)} → ${quoted(meta.target)}` });
    const words = this.numbers.words(this.own.score);
    explain(this.terms, lossWords(meta));
    explain(this.about, words ? `${words.label}: ${words.definition}` : "");
  }
  relayout() {
    this.measureEnds();
    this.arrange(this.left.body.clientWidth, this.right.body.clientWidth);
    this.big.frame = heatGeometry(this.openSheet, this.right.body.clientWidth, this.host.scale, {
      ...{ tall: inSight(this.host, 300, HALL_MAPS + 290), cap: 34 }
    });
    this.heads.replaceChildren(...headButtons(this));
    this.moments.replaceChildren(...momentButtons(this));
    drawLegend(this.legend, this.host.scale, mapLegend(this), this.host.colours);
    this.title();
    this.playback.update(this.own.at, this.last);
    this.draw();
  }
  update(meta) {
    const first = !this.numbers;
    const other = first || this.numbers.meta.file !== meta.file || this.numbers.meta.kind !== meta.kind;
    this.numbers = new DynamicsNumbers(meta);
    if (this.looks.isNews(meta.looked) || other) {
      const { step, layer, head, score } = meta.looked;
      this.following = step === null;
      Object.assign(this.own, { layer, head, score, at: step === null ? 0 : this.numbers.recordAt(step) });
    }
    if (this.following && !this.playback.playing) this.own.at = this.last;
    this.own.at = Math.min(this.own.at, this.last);
    this.cell = null;
    setKind(this.host, meta.kind);
    this.table = rampTable(this.host.colours.panel, this.host.colours[meta.kind]);
    const options = meta.scores.map(({ name, label }) => [name, label.toLowerCase()]);
    fillChooser(this.metric, options, this.own.score);
    this.relayout();
    if (meta.plays && first) playFromStart(this);
  }
};
var dynamics_default = viewOf(Dynamics);
export {
  Dynamics,
  dynamics_default as default
};
