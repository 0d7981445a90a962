// web/base/wear.ts
var made = /* @__PURE__ */ new Map();
function sheetOf(file, text) {
  const known = made.get(file);
  if (known) return known;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  made.set(file, sheet);
  return sheet;
}
function wear(node, sheets2) {
  const root = node.getRootNode();
  const missing = sheets2.map(([file, text]) => sheetOf(file, text)).filter((sheet) => !root.adoptedStyleSheets.includes(sheet));
  if (missing.length) root.adoptedStyleSheets = [...root.adoptedStyleSheets, ...missing];
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
var inkOn = (fill2, c) => readableOn(fill2, { ink: readableOn(fill2, c), panel: c.background });

// web/base/connection.ts
var STREAM = "/_stcore/stream";
var PATIENCE = 2e4;
var RERUN = 11;
var FRAGMENT = 5;
var BY_ITSELF = 6;
var FINISHED = 6;
var WHOLE = [0, 3];
function fieldsOf(bytes) {
  const fields = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag % 8;
    if (kind === 0) fields.push([Math.floor(tag / 8), varint()]);
    else if (kind === 2) {
      const end = varint() + at;
      if (!(end <= bytes.length)) return [];
      fields.push([Math.floor(tag / 8), bytes.subarray(at, end)]);
      at = end;
    } else if (kind === 1 || kind === 5) at += kind === 1 ? 8 : 4;
    else return [];
  }
  return fields;
}
function asks(bytes) {
  const run = fieldsOf(bytes).find(([number2]) => number2 === RERUN)?.[1];
  if (!(run instanceof Uint8Array)) return "other";
  const fields = fieldsOf(run);
  if (fields.some(([number2, value]) => number2 === BY_ITSELF && value === 1)) return "other";
  const fragment = fields.find(([number2]) => number2 === FRAGMENT)?.[1];
  return fragment instanceof Uint8Array && fragment.length ? "fragment" : "page";
}
function ends(bytes) {
  if (bytes.length > 2e3) return false;
  return fieldsOf(bytes).some(([number2, value]) => number2 === FINISHED && WHOLE.includes(Number(value)));
}
var same = (a, b) => a.length === b.length && a.every((byte, index) => byte === b[index]);
var Line = class {
  /** `connected()`: whether Streamlit accepts messages. */
  constructor(page2) {
    this.page = page2;
    /** Sends on the current connection; null while there is none. */
    this.out = null;
    /** 'open' lets everything through; 'asking' and 'drawing' wait for the page of a connection made again. */
    this.state = "open";
    /** The last action without an answer. */
    this.asked = null;
    this.held = [];
    /** Callbacks of views, to run once the page is drawn. */
    this.later = [];
  }
  /** A connection was made; `again` when there was one before. */
  opened(out, again) {
    this.out = out;
    if (!again) return;
    this.state = "asking";
    this.page.draw();
  }
  /** The current connection was lost. */
  closed() {
    this.out = null;
    this.state = "gone";
  }
  /** A message from the page. */
  send(bytes) {
    const wish = asks(bytes);
    if (wish === "other") return void this.out?.(bytes);
    if (this.state === "asking" && wish === "page") {
      this.state = "drawing";
      return void this.out?.(bytes);
    }
    if (this.state !== "open") return void this.held.push(bytes);
    this.asked = bytes;
    this.out?.(bytes);
  }
  /** A message from the server. */
  heard(bytes) {
    if (!ends(bytes)) return;
    if (this.state === "drawing") this.release();
    else if (this.state === "open") this.asked = null;
  }
  /** Send the unanswered action and the held ones, each once and in order. */
  release() {
    const waiting = this.asked && !this.held.some((each) => this.asked && same(each, this.asked));
    const all = [...waiting && this.asked ? [this.asked] : [], ...this.held];
    const callbacks = this.later;
    this.state = "open";
    this.asked = null;
    this.held = [];
    this.later = [];
    all.forEach((bytes) => this.send(bytes));
    callbacks.forEach((tell) => tell());
  }
  /** Whether an action reaches the server now. */
  ready() {
    return this.state === "open" && this.page.connected();
  }
  /** Run a callback now, or once the page is connected and drawn again. */
  tell(tell) {
    if (this.ready()) tell();
    else this.later.push(tell);
  }
};
var bytesOf = (data) => data instanceof ArrayBuffer ? new Uint8Array(data) : data instanceof Uint8Array ? data : null;
function stand(line2) {
  const Socket = window.WebSocket;
  const plain2 = Socket.prototype.send;
  const ours = (socket) => new URL(socket.url).pathname.endsWith(STREAM);
  let now = null;
  const listen = (socket) => {
    now = socket;
    socket.addEventListener("message", ({ data }) => {
      const bytes = bytesOf(data);
      if (now === socket && bytes) line2.heard(bytes);
    });
    socket.addEventListener("close", () => now === socket && line2.closed());
  };
  const out = (socket) => (bytes) => {
    if (socket.readyState === Socket.OPEN) plain2.call(socket, bytes);
  };
  Socket.prototype.send = function send(data) {
    const bytes = ours(this) ? bytesOf(data) : null;
    if (!bytes) return plain2.call(this, data);
    if (now === null) {
      listen(this);
      line2.opened(out(this), false);
    }
    if (now === this) line2.send(bytes);
  };
  window.WebSocket = new Proxy(Socket, {
    construct(target, given) {
      const socket = Reflect.construct(target, given);
      if (!ours(socket)) return socket;
      line2.closed();
      listen(socket);
      socket.addEventListener(
        "open",
        () => setTimeout(() => now === socket && line2.opened(out(socket), true))
      );
      return socket;
    }
  });
}
function keepLinks(line2) {
  const followed = (event) => {
    const link = event.target.closest('[data-testid="stPageLink"] a');
    if (!link || line2.ready()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    line2.tell(() => link.isConnected ? link.click() : location.assign(link.href));
  };
  document.addEventListener("click", followed, true);
}
function connection() {
  const page2 = window;
  if (page2.atlasLine) return page2.atlasLine;
  const line2 = new Line({
    draw() {
      if (line2.state === "asking") window.dispatchEvent(new PopStateEvent("popstate", { state: null }));
      setTimeout(() => line2.state !== "open" && line2.out && line2.release(), PATIENCE);
    },
    connected() {
      const app = document.querySelector("[data-test-connection-state]");
      return !app || app.getAttribute("data-test-connection-state") === "CONNECTED";
    }
  });
  stand(line2);
  keepLinks(line2);
  return page2.atlasLine = line2;
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
  const show4 = () => {
    const [at, root] = [node.getBoundingClientRect(), host.root.getBoundingClientRect()];
    host.tip(node.dataset.tip ?? "", at.left - root.left, at.bottom - root.top - 8);
  };
  const hide = () => host.tip("", 0, 0);
  for (const name of ["pointerenter", "focus", "click"]) node.addEventListener(name, show4);
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
  const title2 = el("h3", { class: "card-title" });
  const subtitle = el("p", { class: "card-subtitle" });
  const controls = el("div", { class: "card-controls" });
  const body = el("div", { class: "card-body" });
  const readout = el("p", { class: "readout", "aria-live": "polite" });
  const words = el("div", { class: "card-words" }, title2, subtitle);
  const head = el("header", { class: "card-head" }, words, controls);
  const node = el("section", { class: `card ${look2}`.trim() }, head, body);
  parent.append(node);
  const lines = { title: title2, subtitle, readout };
  const tell = (words2) => {
    for (const [name, line2] of Object.entries(lines)) {
      const given = words2[name];
      if (given !== void 0) say(line2, typeof given === "string" ? [given] : given);
    }
  };
  return { node, ...lines, controls, body, tell };
}
function onPreview(node, show4, hide) {
  let inside2 = false;
  node.addEventListener("pointermove", (event) => {
    if (!inside2) show4(event);
    inside2 = true;
  });
  node.addEventListener("pointerleave", () => inside2 = false);
  node.addEventListener("focus", (event) => node.matches(":focus-visible") && show4(event));
  for (const name of ["pointerleave", "blur"]) node.addEventListener(name, hide);
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
function onEscape(host, controls, clear) {
  const escape = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    if (controls.contains(event.composedPath()[0])) return;
    if (clear()) event.preventDefault();
  };
  onPage(host, "keydown", escape, true);
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
  const same2 = language?.code === spoken.code;
  spoken = {
    code: language?.code,
    words: same2 ? { ...spoken.words, ...language?.words } : language?.words,
    counts: same2 ? { ...spoken.counts, ...language?.counts } : language?.counts
  };
};
var languageCode = () => spoken.code ?? "en";
var fill = (text, values) => text.replace(/\{(\w+)\}/g, (field2, name) => {
  const value = values[name] ?? field2;
  return typeof value === "number" ? localised(String(value)) : value;
});
var tr = (text, values = {}) => fill(spoken.words?.[text] ?? text, values);
var labelled = (name, text) => tr("{name}: {words}", { name, words: text });
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
var ofKinds = (make) => ({
  encoder: make("encoder"),
  causal: make("causal"),
  cross: make("cross")
});
var headName = ({ layer, head }) => `${layer}.${head}`;
var lowered = (name) => name === name.toUpperCase() ? name : name.toLowerCase();
var visible = (label2) => label2 === "" ? "∅" : label2.trim() === "" ? "␣" : label2;
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
var isSpecial = (label2) => SPECIAL_LABEL.test(label2);
var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;
var isolated = (label2) => TURNED.test(label2) ? `⁨${label2}⁩` : label2;
var topIndices = (values, count) => Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
var within = (low, value, high) => Math.min(high, Math.max(low, value));

// web/base/paint.ts
var AT_LEFT = { baseline: "middle" };
var AT_RIGHT = { align: "right", baseline: "middle" };
var AT_CENTRE = { align: "center", baseline: "middle" };
var FIRST_LETTER = /\p{L}/u;
var ISOLATED = /\u2068[^\u2069]*\u2069/g;
var SPACE = "http://www.w3.org/2000/svg";
function fitCanvas(canvas, width2, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width2 * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width2}px`;
  canvas.style.height = `${height}px`;
  const context2 = context2d(canvas);
  context2.setTransform(ratio, 0, 0, ratio, 0, 0);
  context2.clearRect(0, 0, width2, height);
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
  context2.direction = TURNED.test(words.replace(ISOLATED, "").match(FIRST_LETTER)?.[0] ?? "") ? "rtl" : "ltr";
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
function svgPainter(width2, height, background) {
  const svg = svgElement("svg", {
    width: n(width2),
    height: n(height),
    viewBox: `0 0 ${n(width2)} ${n(height)}`
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
function shorten(words, width2, size, mono = true) {
  if (textWidth(words, size, mono) <= width2) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, size, mono) > width2) letters.pop();
  return `${letters.join("")}…`;
}
function wrapText(words, width2, size, weight = 400) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const last = lines[lines.length - 1];
    const longer = last ? `${last} ${word}` : word;
    if (textWidth(longer, size, false, weight) > width2 && last) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

// web/base/slide.ts
var [LEAST, MOST] = [1.4, 3];
var NARROW = 590;
var ROUNDS = 6;
var SMALLEST = 60;
var CHART = 250;
var EVERY = 300;
var PATIENCE2 = 12;
var SETTLES = 1500;
var AT_MOST = 1e4;
var REMOUNT = 1e3;
var TYPING2 = 'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="slider"]';
var CARD = '.card, [class*="st-key-card_"]';
var CONTAINER = '[data-testid="stElementContainer"]';
var MARK = "data-slide-card";
var EMBEDDED = new URLSearchParams(globalThis.location?.search ?? "").get("embed") === "1";
function pageAddress(embedded) {
  const address = new URL(embedded);
  for (const name of ["embed", "full"]) address.searchParams.delete(name);
  return address.href;
}
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
  const views2 = cardsIn(card2).filter(({ offsetHeight }) => offsetHeight);
  return views2.length === 1 && 2 * seenHeight(views2[0]) > seenHeight(card2) ? views2[0] : card2;
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
    const times2 = (low + high) / 2;
    if (fits2(times2)) low = times2;
    else high = times2;
  }
  return low;
}
function fitCharts(card2, times2) {
  const find = (wish) => [...card2.querySelectorAll(wish)];
  const charts = find(".stPlotlyChart");
  if (!charts.length) return null;
  const containers = charts.map((chart2) => chart2.closest(CONTAINER) ?? chart2);
  const words = find(CONTAINER).filter(
    (container) => !container.querySelector(`${CONTAINER}, .stPlotlyChart`)
  );
  const rooms = containers.map((container) => container.parentElement?.clientWidth ?? container.clientWidth);
  const tall2 = charts.map((chart2) => chart2.clientHeight);
  const columns = new Map(
    find('[data-testid="stColumn"]').map((column2) => [
      column2,
      `0 0 ${Math.floor(column2.getBoundingClientRect().width)}px`
    ])
  );
  const undo = words.map((container) => dress(container, { zoom: String(times2) }));
  for (const container of containers)
    for (let node = container.parentElement; node && node !== card2; node = node.parentElement)
      undo.push(
        dress(node, {
          flex: columns.get(node) ?? "none",
          height: "auto",
          "max-height": "none",
          overflow: "visible"
        })
      );
  const spread = (more) => charts.forEach((chart2, n2) => {
    const height = Math.max(onPhone() ? CHART : SMALLEST, tall2[n2] + more / charts.length / times2);
    const size = { width: `${rooms[n2] / times2}px`, height: `${height}px`, overflow: "visible" };
    for (let node = chart2; node !== containers[n2]; node = node.parentElement)
      undo.push(dress(node, size));
    const below = { "margin-bottom": `${height * (times2 - 1)}px` };
    undo.push(dress(containers[n2], { ...size, ...below, "min-width": "0", "align-self": "flex-start" }));
    const picture = chart2.querySelector(".js-plotly-plot");
    if (picture) undo.push(dress(picture, { transform: `scale(${times2})`, "transform-origin": "0 0" }));
  });
  spread(0);
  const last = card2.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  spread(card2.getBoundingClientRect().bottom - last - parseFloat(getComputedStyle(card2).paddingBottom) - 1);
  return () => undo.forEach((back) => back());
}
function fitElements(card2, { width: width2, height }) {
  const { clientWidth, clientHeight } = card2;
  const fits2 = Math.min(clientWidth / width2, clientHeight / height);
  const room = onPhone() ? 1 : Math.min(MOST, Math.max(1, fits2));
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
      largest(SMALLEST, room, (tall2) => draw(times2, tall2))
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
  const main2 = document.querySelector('[data-testid="stMain"]');
  if (!main2) return () => {
  };
  const [top, path] = [main2.scrollTop, location.pathname];
  return () => {
    if (location.pathname !== path || !main2.isConnected) return;
    const began = performance.now();
    const acts = ["wheel", "touchstart", "pointerdown", "keydown"];
    let [height, set, since] = [-1, -1, began];
    const stop = () => {
      window.clearInterval(timer);
      for (const act of acts) document.removeEventListener(act, stop, true);
    };
    const hold = () => {
      const [now, same2] = [performance.now(), main2.scrollHeight === height];
      if (same2 && main2.scrollTop !== set) return stop();
      if (!same2) main2.scrollTop = top;
      [height, set] = [main2.scrollHeight, main2.scrollTop];
      if (!same2 || !rests()) since = now;
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
  if (state.idle < PATIENCE2) return;
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
function keepSlide(tell) {
  const state = page.atlasSlide;
  const keeper = {
    card: "",
    tell(card2, missing) {
      keeper.card = missing ? "" : card2;
      tell(card2, missing);
    }
  };
  const hear = (wanted) => {
    if (state) state.tell = wanted?.tell ?? (() => {
    });
    showSlide(wanted?.card ?? "");
  };
  return {
    show(card2) {
      keeper.card = card2;
      if (state) state.keepers = [...state.keepers.filter((each) => each !== keeper), keeper];
      hear(keeper);
    },
    leave() {
      if (!state) return;
      const heard = state.keepers.at(-1) === keeper;
      state.keepers = state.keepers.filter((each) => each !== keeper);
      if (!heard) return;
      if (state.keepers.length) return hear(state.keepers.at(-1));
      state.tell = () => {
      };
      window.setTimeout(() => state.keepers.length || hear(void 0), REMOUNT);
    }
  };
}
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
    if (!away && (event.key.toLowerCase() !== "f" || target.closest?.(TYPING2))) return;
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
var WORD_HEIGHT = 12;
var ALL_WORDS = 40;
var PAGE = { words: 16, row: 14, more: 85, wide: 1e3 };
function onPage2(most, used, words) {
  const scrolls = words <= PAGE.words || words > ALL_WORDS || window.innerWidth < PAGE.wide;
  if (scrolls || !document.querySelector('[data-testid="stApp"]')) return most;
  return Math.min(most, Math.max(PAGE.row * words, window.innerHeight - used - PAGE.more));
}
function inSight({ scale, root }, most, used, words = 0) {
  const { slideRoom } = root.dataset;
  if (slideRoom) return Math.min(most, Number(slideRoom));
  if (scale <= 1) return onPage2(most, used, words);
  const needed = words > ALL_WORDS ? 0 : words * WORD_HEIGHT;
  return Math.max(120, needed, Math.min(most, window.innerHeight / scale - used));
}
var UNSEEN = 160;
function bringIntoSight(node) {
  const { top, bottom } = node.getBoundingClientRect();
  if (top < window.innerHeight - UNSEEN && bottom > UNSEEN) return;
  node.scrollIntoView({ block: "start", behavior: reducedMotion() ? "auto" : "smooth" });
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
  return show2(args, revive(args.data), create);
};
var viewOf = (View) => (args) => mount(args, (root, host) => new View(root, host));
function show2(page2, data, create) {
  const parent = page2.parentElement;
  const mounted = mounts.get(parent) ?? startView(page2, create);
  mounts.set(parent, mounted);
  const { host, view: view2 } = mounted;
  host.trigger = reaching(page2);
  applyTheme(host.root, host);
  view2.update(data);
  return () => {
    if (parent.isConnected || mounts.get(parent) !== mounted) return;
    mounted.destroy();
    mounts.delete(parent);
  };
}

// app/history.ts
var ACTIONS = ["pointerdown", "keydown", "popstate"];
function oneEntry() {
  const page2 = window;
  if (page2.atlasHistory) return;
  page2.atlasHistory = true;
  let passing = "";
  for (const name of ACTIONS)
    window.addEventListener(name, () => passing = "", {
      capture: true,
      passive: true
    });
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, url) => {
    const from = new URL(location.href);
    const to = new URL(url ?? "", from);
    const turned = from.pathname !== to.pathname;
    if (turned && passing === from.href && from.search === to.search)
      history.replaceState(state, unused, url);
    else push(state, unused, url);
    passing = turned ? "" : to.href;
  };
}

// app/architecture.ts
var BLOCKS = [
  ["source", "source", "muted"],
  ["encoder", "encoder", "encoder_text"],
  ["memory", "memory", "encoder_text"],
  ["decoder", "causal", "causal_text"],
  ["cross", "cross", "cross_text"],
  ["next", "next", "muted"]
];
var shortNames = () => ({
  source: tr("source"),
  encoder: tr("encoder"),
  memory: tr("output"),
  decoder: tr("decoder"),
  cross: tr("cross"),
  next: tr("next word")
});
var TYPING3 = 'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, [contenteditable]';
var OPEN = '[data-testid="stPopoverBody"], [role="listbox"]';
var PATIENCE3 = 200;
function deepFind(root, selector) {
  const own = root.querySelector(selector);
  if (own) return own;
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    const match = shadowRoot && deepFind(shadowRoot, selector);
    if (match) return match;
  }
  return null;
}
function showNextWord(host, tries = PATIENCE3) {
  const bar = deepFind(document, ".bars .bar");
  if (bar) {
    bus().last.wanted = null;
    bar.focus({ preventScroll: true });
    bar.closest(".card")?.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "auto" : "smooth" });
  } else if (tries && !host.signal.aborted) setTimeout(() => showNextWord(host, tries - 1), 100);
}
var DRAWN = 500;
var CALM = 2500;
function whenCalm(run) {
  const events = ["pointermove", "pointerdown", "keydown", "wheel"];
  let timer = 0;
  const start = () => {
    for (const name of events) document.removeEventListener(name, wait, true);
    if ("requestIdleCallback" in window) requestIdleCallback(run);
    else run();
  };
  const wait = () => {
    clearTimeout(timer);
    timer = window.setTimeout(start, CALM);
  };
  timer = window.setTimeout(start, DRAWN);
  for (const name of events) document.addEventListener(name, wait, { capture: true, passive: true });
}
function fetchEarly(name) {
  const known = document.querySelector('script[type="module"][src*="/js/"]');
  if (!name || !known || document.querySelector("link[data-atlas-early]")) return;
  const href = new URL(name, known.src).href;
  document.head.append(el("link", { rel: "modulepreload", href: `${href}?run`, "data-atlas-early": true }));
  whenCalm(() => {
    const script = el("script", { type: "module", src: href, "data-atlas-early": "running" });
    script.addEventListener("load", () => script.dataset.atlasEarly = "ready");
    document.head.append(script);
  });
}
function architecture(root, host) {
  connection();
  oneEntry();
  const row = el("nav", { class: "map", "aria-label": tr("The model, from source to next word") });
  root.append(el("div", { class: "map-wrap" }, row));
  const blocks = BLOCKS.map(([name, kind, fill2], n2) => {
    const arrow2 = `map-arrow${{ cross: " joined", decoder: " turning" }[String(name)] ?? ""}`;
    if (n2) row.append(el("span", { class: arrow2, "aria-hidden": "true" }));
    const title2 = el("span", { class: "map-name" });
    const fact = el("span", { class: "map-fact" });
    const short = el("span", { class: "map-short", "aria-hidden": "true" }, shortNames()[name]);
    const looks = { class: "map-block", "data-kind": kind };
    const button = el("button", { ...looks, onclick: () => press(name) }, title2, fact, short);
    row.append(button);
    return { name, fill: fill2, title: title2, fact, button };
  });
  let here = [];
  let pinned = false;
  const release = (event) => {
    const typing = event.composedPath().some((node) => node instanceof HTMLElement && node.matches(TYPING3));
    if (event.key !== "Escape" || event.defaultPrevented || !pinned || typing) return;
    if (document.querySelector(OPEN)) return;
    host.trigger("released", true);
  };
  document.addEventListener("keydown", release, { signal: host.signal });
  function press(name) {
    if (name === "next") bus().last.wanted = name;
    if (name === "next" && here.includes(name)) showNextWord(host);
    else host.trigger("picked", name);
  }
  return {
    update(strip) {
      here = strip.lit;
      pinned = strip.pinned;
      bus().last.about = strip.about;
      if (bus().last.wanted === "next" && here.includes("next")) showNextWord(host);
      fetchEarly(strip.early);
      for (const { name, fill: fill2, title: title2, fact, button } of blocks) {
        const words = strip.blocks[name];
        if (!words) continue;
        title2.textContent = words.title;
        fact.textContent = words.fact;
        button.title = words.where;
        button.setAttribute("aria-current", String(strip.lit.includes(name)));
        button.style.setProperty("--lit", host.colours[fill2]);
        button.style.setProperty("--lit-ink", readableOn(host.colours[fill2], host.colours));
      }
    }
  };
}
var architecture_default = (args) => mount(args, architecture);

// app/slide.ts
var CONTAINER2 = '[data-testid="stElementContainer"]';
var PARTS = '[data-testid="stSkeleton"], [data-testid^="stBidiComponent"]';
var PATIENCE4 = 5e3;
var FOR_A_CARD = 1e4;
var AT_LAST = 6e4;
var main = () => document.querySelector('[data-testid="stMain"]') ?? document.body;
var running = () => document.querySelector('[data-test-script-state="running"]') !== null;
function isMissing(part) {
  if (part.closest(".st-key-architecture_map")) return false;
  if (part.matches('[data-testid="stSkeleton"]')) return !part.closest('[class*="st-key-chart_"]');
  const view2 = part.shadowRoot?.querySelector(".atlas > .stage-root");
  const takesRoom = getComputedStyle(part.closest(CONTAINER2) ?? part).position !== "absolute";
  return !view2 && takesRoom && part.getBoundingClientRect().top < window.innerHeight;
}
function firstCard() {
  const drawn2 = (part) => part.matches(CARD) || part.shadowRoot?.querySelector(CARD);
  return [...main().querySelectorAll(`${CARD}, [data-testid^="stBidiComponent"]`)].find(drawn2);
}
var stands = (card2, missing) => card2 !== void 0 && (!missing || !card2.contains(missing) && Boolean(card2.compareDocumentPosition(missing) & Node.DOCUMENT_POSITION_FOLLOWING));
function holdBack(missing) {
  const holding = /* @__PURE__ */ new Set();
  for (let part = missing; part && part !== main(); part = part.parentElement ?? void 0) holding.add(part);
  document.querySelectorAll("[data-waits]").forEach((part) => holding.has(part) || part.removeAttribute("data-waits"));
  holding.forEach((part) => part.setAttribute("data-waits", ""));
}
function revealAsDrawn() {
  const { dataset } = document.documentElement;
  const began = performance.now();
  const since = /* @__PURE__ */ new WeakMap();
  const waitsFor = (part, now) => {
    if (!isMissing(part)) return false;
    if (!since.has(part)) since.set(part, now);
    return now - (since.get(part) ?? now) < PATIENCE4;
  };
  const look2 = () => {
    const now = performance.now();
    const missing = [...main().querySelectorAll(PARTS)].find((part) => waitsFor(part, now));
    holdBack(missing);
    const busy = running() && now - began < AT_LAST;
    const loading = document.querySelector(".atlas-loading:not(.done)") !== null;
    const waited = now - began > FOR_A_CARD || !(busy || missing);
    if (loading || waited || stands(firstCard(), missing)) dataset.drawn = "";
    if (busy || missing) requestAnimationFrame(look2);
  };
  if (dataset.drawn === void 0) look2();
}
function slide(root, host) {
  const changed = linked(host, "changed");
  const kept = keepSlide((card2, missing = false) => changed.report({ card: card2, missing }));
  const leave = EMBEDDED ? el("a", { class: "slide-leave", target: "_blank", rel: "noopener" }, "↗") : el("button", { class: "slide-leave", onclick: () => toggleSlide() }, "✕");
  root.append(leave);
  revealAsDrawn();
  return {
    update({ card: card2 }) {
      if (EMBEDDED) leave.href = pageAddress(location.href);
      const out = TOUCH ? tr("Leave the slide") : tr("Leave the slide (Esc)");
      leave.title = EMBEDDED ? tr("Open in a tab of its own") : out;
      leave.setAttribute("aria-label", leave.title);
      const now = { card: card2, missing: false };
      if (changed.isNews(now)) kept.show(card2);
    },
    destroy: () => kept.leave()
  };
}
var slide_default = (args) => mount(args, slide);

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
var OTHER_TYPE = { plain: 1.2, bold: 1.35 };
var wrapForFile = (words, width2, size, weight = 400) => wrapText(words, width2, OTHER_TYPE[weight < 600 ? "plain" : "bold"] * size, weight);
var captionOf = (who, width2, u, about = bus().last.about) => wrapForFile([who, about].filter(Boolean).join(" · "), width2, 13 * u).filter(Boolean);
var paintCaption = (p, lines, u, fill2) => lines.forEach((line2, n2) => p.text(2, (n2 * LINE + 13) * u, line2, { size: 13 * u, fill: fill2 }));
var captionHeight = (lines, u) => lines.length ? (lines.length * LINE + 6) * u : 0;
function leavingMenu(host, png, svg, csv) {
  const item = (words, title2, action) => {
    const press = () => {
      close();
      action();
    };
    const looks2 = { class: "menu-item", role: "menuitem", title: title2 };
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
  const button = el("button", { ...looks, ...aria, onclick: () => show4(list.hidden) }, "⤓");
  const show4 = (open) => {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) items[0].focus();
  };
  const close = () => {
    show4(false);
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
  onPage(host, "pointerdown", (event) => void (event.composedPath().includes(menu) || show4(false)));
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
function indexOf(rows, cols, at, position2) {
  const index = new Int16Array(rows * cols);
  for (let i = 0, n2 = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, n2++) {
      const v = at(i, j);
      index[n2] = Number.isNaN(v) ? -1 : position2(v);
    }
  }
  return index;
}
function makeSheet({
  rows,
  cols,
  reads,
  oneLabel,
  written: written2 = rows.length
}, at, table, look2 = {}) {
  const { scale = "weight", top = 1, unit = "share" } = look2;
  const low = look2.low ?? (scale === "log" ? logFloor(cols.length) : 0);
  const index = indexOf(rows.length, cols.length, at, placer(scale, top, low));
  return {
    rows,
    cols,
    reads,
    oneLabel,
    written: written2,
    at,
    index,
    table,
    neutral: scale === "diverging" ? 128 : 0,
    unit
  };
}
var rowOf = (sheet, i) => sheet.cols.map((_, j) => {
  const v = sheet.at(i, j);
  return Number.isNaN(v) && sheet.unit !== "number" ? 0 : v;
});
var columnOf = (sheet, j) => Array.from({ length: sheet.written }, (_, i) => sheet.at(i, j));
function sumOf(sheet, items, line2) {
  const sum = new Array(line2 === rowOf ? sheet.cols.length : sheet.written).fill(0);
  for (const item of items) line2(sheet, item).forEach((v, n2) => sum[n2] += Number.isFinite(v) ? v : 0);
  return sum;
}
function tableOf(sheet, ofEncoder, number2) {
  const lines = [];
  const readAlone = ofEncoder || sheet.oneLabel;
  for (let i = 0; i < sheet.written; i++) {
    const query = readAlone ? [sheet.rows[i], ""] : [sheet.reads?.[i] ?? "", sheet.rows[i]];
    sheet.cols.forEach((word, j) => lines.push([i, ...query, j, word, number2(sheet.at(i, j))]));
  }
  return lines;
}
var TABLE_HEAD = ["query_position", "query_reads", "query_writes", "key_position", "key", "value"];

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
var centred = (low, high) => [
  [0, low],
  [0.5, "0"],
  [1, high]
];
var quantityWords = ({ name, unit }) => unit === "length" ? tr("{name}: vector length", { name }) : tr("{name}: share of the row", { name });
var weightWords = (log = false) => log ? tr("attention weight, logarithmic") : tr("attention weight");
function paintLegend(p, x, y, u, { table, stops, position: position2 = (share) => Math.round(255 * share), words }, c) {
  const [w, h, size] = [120 * u, 8 * u, typeSize(11, u)];
  for (let k = 0; k < 60; k++) {
    p.rect(x + k * w / 60, y, w / 60 + 0.6, h, { fill: table[position2(k / 59)] });
  }
  p.rect(x, y, w, h, { stroke: c.line, width: 1 });
  for (const [at, label2] of stops) {
    const align = at < 0.08 ? "left" : at > 0.92 ? "right" : "center";
    p.text(x + at * w, y + h + size + u, label2, { size, align, fill: c.muted });
  }
  p.text(x + w + 10 * u, y + h, words, { size, fill: c.muted });
}
function drawLegend(canvas, u, legend2, c) {
  const size = typeSize(11, u);
  const context2 = fitCanvas(canvas, 136 * u + textWidth(legend2.words, size, false), 15 * u + size);
  paintLegend(canvasPainter(context2), 2, 3, u, legend2, c);
}

// web/marks/leaving.ts
var exportWidth = (width2, u) => Math.max(width2, 480 * u);
var EDGE = 18;
var LARGEST = 8192;
var written = (words) => typeof words === "string" ? words : plain(words);
function partsOf({ scale: u, colours: c }, leaving) {
  const { who, about, size, draw, legend: legend2 } = leaving;
  const [title2, subtitle, words] = [leaving.title, leaving.subtitle, leaving.words].map(
    (words2) => written(words2?.() ?? "")
  );
  const [wide, tall2] = size();
  const width2 = title2 || words ? exportWidth(wide, u) : wide;
  const caption = captionOf(who?.() ?? "", width2, u, about?.());
  const parts = [
    [captionHeight(caption, u), (p) => paintCaption(p, caption, u, c.muted)]
  ];
  const write = (text, pen, { first, step, extra }) => {
    if (!text) return;
    const lines = wrapForFile(text, width2 - 4, pen.size, pen.weight);
    const paint = (p) => lines.forEach((line2, n2) => p.text(2, (first + step * n2) * u, line2, pen));
    parts.push([(extra + step * lines.length) * u, paint]);
  };
  write(title2, { size: 16 * u, weight: 650, fill: c.ink }, { first: 18, step: 18, extra: 12 });
  write(subtitle, { size: typeSize(12.5, u), fill: c.muted }, { first: 7, step: 17, extra: 5 });
  parts.push([tall2, draw]);
  if (legend2) parts.push([34 * u, (p) => paintLegend(p, 2, 8 * u, u, legend2(), c)]);
  write(words, { size: 13 * u, fill: c.ink }, { first: 20, step: 17, extra: 16 });
  return { width: width2, parts };
}
function exportMenu(host, leaving) {
  const { name, rows } = leaving;
  const picture = () => {
    const { width: width2, parts } = partsOf(host, leaving);
    const height = parts.reduce((sum, [tall2]) => sum + tall2, 0);
    const draw = (painter) => {
      let y = EDGE;
      for (const [tall2, part] of parts) {
        part(shifted(painter, EDGE, y));
        y += tall2;
      }
    };
    return { width: width2 + 2 * EDGE, height: height + 2 * EDGE, draw };
  };
  const png = () => {
    const { width: width2, height, draw } = picture();
    const ratio = Math.max(1, Math.min(2, LARGEST / Math.max(width2, height)));
    const canvas = el("canvas", { width: Math.ceil(width2 * ratio), height: Math.ceil(height * ratio) });
    const context2 = context2d(canvas);
    context2.scale(ratio, ratio);
    context2.fillStyle = host.colours.panel;
    context2.fillRect(0, 0, width2, height);
    draw(canvasPainter(context2));
    downloadPng(canvas, name());
  };
  const svg = () => {
    const { width: width2, height, draw } = picture();
    const painter = svgPainter(width2, height, host.colours.panel);
    draw(painter);
    if (painter.blob) download(painter.blob(), `${name()}.svg`);
  };
  return leavingMenu(host, png, svg, () => downloadCsv(name(), rows()));
}

// web/maps/selection.ts
var cellAt = (at) => at?.row === void 0 || at.col === void 0 ? null : { row: at.row, col: at.col };
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
var PinnedTokens = class extends Selection {
  constructor(host, changed) {
    super(changed);
    /** Whether Python gets them. */
    this.reports = true;
    this.held = { rows: [], columns: [] };
    this.link = linked(host, "pinned");
  }
  report() {
    this.held = { rows: [...this.rows], columns: [...this.cols] };
    if (this.reports) this.link.report(this.held);
  }
  toggle(at) {
    super.toggle(at);
    this.report();
  }
  clear() {
    const { pinned } = this;
    const had = super.clear();
    if (had && pinned) this.report();
    return had;
  }
  trim(rows, columns) {
    const { held } = this;
    const written2 = held.rows.every((row) => row < rows) && held.columns.every((col) => col < columns);
    [this.rows, this.cols] = [new Set(written2 ? held.rows : []), new Set(written2 ? held.columns : [])];
    super.trim(rows, columns);
  }
  /** Pins belong to a sentence: those of the data are taken where they are news, or with `another` sentence. */
  take(pins, another) {
    const news = this.link.isNews(pins);
    if (!news && !another) return;
    this.held = pins;
    [this.rows, this.cols] = [new Set(pins.rows), new Set(pins.columns)];
  }
};

// web/marks/labels.ts
var READ_SIZE = 0.92;
var readSize = (size, u) => typeSize(READ_SIZE * size / u, u);
var readPart = (read) => read === void 0 ? "" : `${isolated(visible(read))} → `;
var every = (need, have) => Math.max(1, Math.ceil(need / have));
function chosenLabels(from, to, step, active) {
  if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
  const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
  const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
  return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
}
var rowLength = (widths2, gap) => widths2.reduce((sum, width2) => sum + width2 + gap, 0);
function spreadWords(widths2, length, gap) {
  const slot = length / widths2.length;
  if (widths2.every((width2) => width2 + gap <= slot)) return widths2.map((_, i) => (i + 0.5) * slot);
  const spare = Math.max(0, length - rowLength(widths2, gap)) / widths2.length;
  let x = 0;
  return widths2.map((width2) => {
    const centre = x + (width2 + gap + spare) / 2;
    x += width2 + gap + spare;
    return centre;
  });
}
function fillSlots(widths2, slot, gap) {
  let end = 0;
  return widths2.map((width2, i) => {
    const centre = Math.max((i + 0.5) * slot, end + (width2 + gap) / 2);
    end = centre + (width2 + gap) / 2;
    return centre;
  });
}
function readsLeft(labels) {
  let [turned, letters] = [0, 0];
  for (const label2 of labels) {
    if (/^[⟨‹]/.test(label2)) continue;
    for (const sign of label2) {
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
function linePen(strength, state, u, { crowd: crowd2 = 1, faint = 1 } = {}) {
  const share = Math.min(1, strength);
  if (state === "on") return { width: (0.9 + 6.5 * share ** 0.7) * u, alpha: 0.2 + 0.65 * share ** 0.5 };
  if (state === "behind") return { width: (0.8 + 3 * share * crowd2) * u, alpha: 0.05 + 0.15 * share };
  return { width: (0.7 + 6 * share * crowd2) * u, alpha: (0.1 + 0.5 * share) * faint * Math.sqrt(crowd2) };
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
function paintLines(p, sheet, focus, how2) {
  const [r0, r1] = how2.area;
  const crowd2 = Math.min(1, 64 / (r1 - r0));
  const any = focus.rows.size + focus.cols.size > 0;
  for (const { i, j, value, strength, on } of linesOf(sheet, focus, how2)) {
    const curve = how2.curve(i, j);
    if (!curve) continue;
    const grown = how2.growing?.row === i ? startOfCurve(curve, how2.growing.share) : curve;
    const pen = linePen(strength, on ? "on" : any ? "behind" : "all", how2.u, { crowd: crowd2, faint: how2.faint });
    p.curve(...grown, { stroke: how2.hue(value), ...pen });
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
function bitmap(sheet, empty, width2, height, [r0, r1, c0, c1]) {
  const w = Math.max(1, Math.min(c1 - c0, Math.round(width2)));
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
var UPRIGHT = 90;
var TILTS = [38, 58, 72, UPRIGHT];
var STRAIGHT_UP_TO = 150;
var SMALLEST2 = 10;
var BETWEEN = 6;
var LINE2 = 16;
var widest = (labels, size, most) => Math.min(
  most,
  labels.reduce((w, label2) => Math.max(w, textWidth(visible(label2), size)), 0)
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
  const widths2 = rows.slice(from, Math.min(to, written2)).map(
    (word, n2) => textWidth(readPart(reads[from + n2]), readSize(size, u)) + textWidth(visible(word), size, true, 600)
  );
  return Math.min(most, Math.max(0, ...widths2));
}
function heatGeometry(sheet, room, u, limits = {}) {
  const whole = geometryOf(sheet, room, u, limits, true);
  if (whole.colEvery === 1 && whole.lean < UPRIGHT) return whole;
  const without = geometryOf(sheet, room, u, limits, false);
  return without.colEvery < whole.colEvery || without.lean < whole.lean ? without : whole;
}
function geometryOf(sheet, room, u, { tall: tall2 = 560, area = null, cap = 46, words = 0, deep = 0 }, withReads) {
  const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
  const [rows, cols] = [r1 - r0, c1 - c0];
  const size = 13 * u;
  const many = Math.max(rows, cols) > 150;
  const own = widest(sheet.rows.slice(r0, r1), size, (many ? 74 : 110) * u);
  const { reads, both } = withReads ? roomOfReads(sheet, [r0, r1], room, u) : { reads: "none", both: 0 };
  const left = Math.max(words * u, own, both) + 10 * u;
  const named = { words: sheet.cols.slice(c0, c1), size, most: (many ? 80 : 104) * u };
  const { lean, lines, reach, top, over, type } = columnWords(
    named,
    u,
    (beside) => Math.min(cap * u, (room - left - beside) / cols),
    Boolean(sheet.hidden || sheet.aside)
  );
  const cw = Math.max(0.5, Math.min(cap * u, (room - left - over) / cols));
  const ch = u * rowHeight(rows, cw / u, tall2, deep);
  const box = { x: left, y: top, w: cw * cols, h: ch * rows };
  return {
    u,
    size,
    sizeOver: type,
    area: [r0, r1, c0, c1],
    box,
    cw,
    ch,
    lean,
    lines,
    aside: left + box.w + 8 * u,
    labelRoom: { row: left - 10 * u, col: reach },
    reads,
    width: left + box.w + over,
    height: top + box.h + 4 * u,
    rowEvery: every(WORD_HEIGHT * u, ch),
    colEvery: lines.length ? 1 : every(apart(lean, type), cw)
  };
}
function rowHeight(rows, wide, tall2, deep) {
  if (rows * 15 > tall2) return tall2 / rows;
  return Math.max(15, Math.min(deep || Math.min(wide, 30), tall2 / rows));
}
function columnWords({ words, size, most }, u, widthOf, besides) {
  const hidden = textWidth(hiddenName(), size);
  if (words.length <= STRAIGHT_UP_TO) {
    const widths2 = words.map((word) => textWidth(visible(word), size));
    const aside2 = besides ? 18 * u + hidden : 0;
    const least = Math.max((aside2 ? 44 : 4) * u, aside2);
    const cw = widthOf(least);
    const runsOut = widths2.map((width2, j) => width2 / 2 - (widths2.length - j - 0.5) * cw + 2 * u);
    const over2 = Math.max(least, ...runsOut);
    const slot2 = widthOf(over2);
    const lines = linesOf2(widths2, slot2, BETWEEN * u) ?? linesOf2(widths2, slot2, BETWEEN * u, words.map(isSpecial));
    const top = (LINE2 * (1 + Math.max(0, ...lines ?? [])) + 6) * u;
    if (lines) return { lean: 0, lines, reach: Math.max(0, ...widths2) + 1, top, over: over2, type: size };
  }
  const reach = widest(words, size, most);
  const last = Math.min(reach, textWidth(visible(words[words.length - 1] ?? ""), size));
  const slot = widthOf(last * 0.8);
  const lean = TILTS.find((degrees) => apart(degrees, size) <= slot) ?? TILTS[TILTS.length - 1];
  const fits2 = Math.max(SMALLEST2 * u, Math.min(size, size * slot / apart(lean, size)));
  const type = legible(fits2, u) ? fits2 : size;
  const [sine, cosine] = [Math.sin(radians(lean)), Math.cos(radians(lean))];
  const leans = (length) => length * cosine + 9 * u * sine + 2 * u;
  const aside = besides ? 14 * u + leans(hidden) : 0;
  const over = Math.max((aside ? 44 : 4) * u, leans(last) - slot / 2, aside);
  return { lean, lines: [], reach, top: reach * sine + 16 * u, over, type };
}
function linesOf2(widths2, slot, gap, above = []) {
  const ends2 = [-Infinity, -Infinity, -Infinity];
  const lines = [];
  for (const [j, width2] of widths2.entries()) {
    const centre = (j + 0.5) * slot;
    const line2 = ends2.findIndex((end, n2) => Boolean(above[j]) === n2 > 1 && end + gap <= centre - width2 / 2);
    if (line2 < 0) return null;
    ends2[line2] = centre + width2 / 2;
    lines.push(line2);
  }
  return lines;
}
var radians = (degrees) => degrees * Math.PI / 180;
var apart = (degrees, size) => 0.88 * size / Math.sin(radians(degrees));
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
function areaBetween(g, from, to) {
  const [r0, r1, c0, c1] = g.area;
  const edge = (v, start, step, low, high) => Math.max(low, Math.min(high - 1, Math.floor((v - start) / step) + low));
  const [ra, rb] = [from[1], to[1]].map((v) => edge(v, g.box.y, g.ch, r0, r1)).sort((a, b) => a - b);
  const [ca, cb] = [from[0], to[0]].map((v) => edge(v, g.box.x, g.cw, c0, c1)).sort((a, b) => a - b);
  return rb > ra && cb > ca ? [ra, rb + 1, ca, cb + 1] : null;
}
function columnsGeometry(sheet, room, u, limits = {}) {
  const { tall: tall2 = 620, area = null, top = 8 * u, body = null, several = false } = limits;
  const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
  const longest = Math.max(r1 - r0, c1 - c0);
  const size = 14 * u;
  const pitch = Math.max(Math.min(26 * u, tall2 * u / longest), 0.5);
  const height = body ?? Math.max(pitch * longest, 60 * u);
  const side = (several ? 88 : 46) * u;
  const words = (labels) => longest > 150 ? 90 * u : widest(labels, size, 150 * u);
  const labelRoom = { row: words(sheet.rows.slice(r0, r1)), col: words(sheet.cols.slice(c0, c1)) };
  const left = side + labelRoom.row + 16 * u;
  const right = room - side - labelRoom.col - 16 * u;
  const rowPitch = height / Math.max(1, r1 - r0);
  const colPitch = height / Math.max(1, c1 - c0);
  return {
    u,
    size,
    area: [r0, r1, c0, c1],
    top,
    left,
    right: Math.max(left + 60 * u, right),
    width: room,
    height: top + height + 8 * u,
    rowPitch,
    colPitch,
    labelRoom,
    rowEvery: every(WORD_HEIGHT * u, rowPitch),
    colEvery: every(WORD_HEIGHT * u, colPitch)
  };
}
var attendingY = (g, i) => g.top + (i - g.area[0] + 0.5) * g.rowPitch;
var attendedY = (g, j) => g.top + (j - g.area[2] + 0.5) * g.colPitch;
var columnCurve = (g, shift = 0) => (i, j) => curveBetween([g.left, attendingY(g, i) + shift], [g.right, attendedY(g, j) + shift], false);
function columnsHit(g, px, py) {
  const [r0, r1, c0, c1] = g.area;
  const row = Math.floor((py - g.top) / g.rowPitch) + r0;
  const col = Math.floor((py - g.top) / g.colPitch) + c0;
  const across = (px - g.left) / (g.right - g.left);
  if (across < 0.42) return row >= r0 && row < r1 ? { row } : null;
  return across > 0.58 && col >= c0 && col < c1 ? { col } : null;
}

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
function listenToMap(node, answers2) {
  node.addEventListener("keydown", (event) => walk(event, answers2));
  node.addEventListener("blur", () => answers2.hover(null));
  listenToPointer(node, answers2);
}
function listenToPointer(node, answers2) {
  let down = null;
  const draggedFrom = ([x, y]) => down && answers2.drags?.() && Math.hypot(x - down[0], y - down[1]) > DRAG ? down : null;
  const letGo = () => {
    down = null;
    if (answers2.band) answers2.band.hidden = true;
  };
  node.addEventListener("pointermove", (event) => {
    const to = pointIn(event, node);
    const from = draggedFrom(to);
    if (from && answers2.dragging) return answers2.dragging(from, to);
    if (from && answers2.band) return showBand(answers2.band, node, from, to);
    const at = answers2.hit(...to);
    node.style.cursor = at ? "pointer" : "default";
    answers2.hover(at, event);
  });
  node.addEventListener("pointerleave", () => {
    if (!down) answers2.hover(null);
  });
  node.addEventListener("pointerdown", (event) => {
    down = pointIn(event, node);
    if (answers2.drags) node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointercancel", () => {
    letGo();
    answers2.dropped?.();
  });
  node.addEventListener("pointerup", (event) => {
    const to = pointIn(event, node);
    const from = draggedFrom(to);
    letGo();
    if (from) answers2.drag?.(from, to);
    else answers2.pin(answers2.hit(...to), to);
  });
}
function showBand(band, node, from, to) {
  const [left, width2] = [Math.min(from[0], to[0]) + node.offsetLeft, Math.abs(from[0] - to[0])];
  const [top, height] = [Math.min(from[1], to[1]) + node.offsetTop, Math.abs(from[1] - to[1])];
  band.hidden = false;
  band.style.cssText = `left:${left}px;top:${top}px;width:${width2}px;height:${height}px`;
}
function walk(event, { hover, pin, cell: cell2, size }) {
  const step = STEPS[event.key];
  const [rows, cols] = size();
  if (step && rows && cols) {
    const now = cell2();
    const row = within(0, (now.row ?? 0) + step[0], rows - 1);
    const sideways = step[1] ? 0 : void 0;
    const col = now.col === void 0 ? sideways : within(0, now.col + step[1], cols - 1);
    hover(col === void 0 ? { row } : { row, col });
  } else if (event.key === "Enter" || event.key === " ") pin(cell2(), [0, 0]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// web/marks/pair.ts
var WIDE = 660;
var GAP = 24;
var LINE3 = 20;
var Pair = class {
  constructor({ name, axes: axes3, between = [], over = [] }, marks2) {
    this.u = 1;
    this.room = 0;
    /** Room for the lines, and for the map. */
    this.sides = [0, 0];
    this.wide = false;
    /** Which of the two is seen where they do not stand side by side; null: both. */
    this.alone = null;
    const canvas = (which) => el("canvas", { class: `picture ${name}-${which}`, tabindex: 0, role: "application" });
    const slot = (...inside2) => el("div", { class: `${name}-place` }, ...inside2);
    this.lines = new Plot(canvas("lines"), () => marks2.lines());
    this.map = new Plot(canvas("heat"), () => marks2.map());
    this.axes = el("p", { class: "axis-words" }, axes3);
    const map = slot(this.axes, this.map.node, ...over);
    this.node = el("div", { class: `${name}-views` }, slot(this.lines.node), ...between, map);
  }
  /** Divides the available width between lines and map side by side; in a narrow one the lines get `alone` pixels above the map. */
  resize(room, u, shares, alone = room) {
    this.wide = room >= WIDE * u;
    this.node.classList.toggle("wide", this.wide);
    [this.u, this.room] = [u, room];
    this.sides = this.wide ? [Math.floor(room * shares[0]), Math.floor(room * shares[1]) - GAP * u] : [alone, room];
  }
  /**
   * The vertical layout of lines beside a map: each word is at the same height in both. Where a low map has not a line for each of
   * `longest` words they take more, up to `tall` pixels, so that none is left out.
   */
  beside({ box }, longest, tall2) {
    const body = Math.max(box.h, Math.min(tall2, LINE3 * this.u * longest));
    return this.wide ? { top: box.y + this.axes.offsetHeight, body } : {};
  }
  draw() {
    this.lines.draw();
    this.map.draw();
  }
  /** Sets the accessible names of both. */
  describe(lines, map) {
    this.lines.node.setAttribute("aria-label", lines);
    this.map.node.setAttribute("aria-label", map);
  }
  /* ---------- leaving the page ---------- */
  get width() {
    return Math.max(this.room, this.map.frame.width);
  }
  /** Whether a picture is left out, as it is on the page. */
  lacks(picture) {
    return !this.wide && this.alone !== null && this.alone !== picture;
  }
  /** Height of what is seen of lines and map. */
  get height() {
    const [lines, map] = [this.lines.frame.height, this.map.frame.height + 18 * this.u];
    if (this.lacks("map")) return lines;
    if (this.lacks("lines")) return map;
    return this.wide ? Math.max(lines, map) : lines + 14 * this.u + map;
  }
  /** What is seen, as it leaves the page. */
  paint(p, c, axes3 = "") {
    const { u } = this;
    if (!this.lacks("lines")) this.lines.paint(p);
    if (this.lacks("map")) return;
    const below = this.lacks("lines") ? 0 : 14 * u + this.lines.frame.height;
    const [x, y] = this.wide ? [this.sides[0] + GAP * u, 0] : [0, below];
    if (axes3) p.text(x + 2, y + 10 * u, axes3, { size: typeSize(12, u), fill: c.muted });
    this.map.paint(shifted(p, x, y + 18 * u));
  }
};
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
  listen(hit, answers2) {
    listenToMap(this.node, { ...answers2, hit: (x, y) => this.frame && hit(this.frame, x, y) });
  }
};

// web/marks/columns.ts
var columnWords2 = (sheet, focus, c, kind, sides = [tr("queries"), tr("keys")]) => (p, g) => {
  const [r0, r1, c0, c1] = g.area;
  const { u, size } = g;
  const write = (words, x, y, align, pinned, quiet) => {
    const text = shorten(visible(words), (align === "right" ? g.labelRoom.row : g.labelRoom.col) + 8, size);
    const pen = { size, mono: true, align, baseline: "middle", fill: quiet ? c.muted : c.ink };
    if (pinned) {
      const w = textWidth(text, size, true, 600) + 16 * u;
      const left = align === "right" ? x - w + 8 * u : x - 8 * u;
      p.rect(left, y - 11 * u, w, 22 * u, { fill: c[kind], radius: 6 * u });
      Object.assign(pen, { weight: 600, fill: inkOn(c[kind], c) });
    }
    p.text(x, y + 0.5, text, pen);
  };
  paintTicks(p, g, c);
  for (const i of chosenLabels(r0, r1, g.rowEvery, focus.rows)) {
    const [x, y] = [g.left - 10 * u, attendingY(g, i)];
    if (i < sheet.written) write(sheet.rows[i], x, y, "right", focus.rows.has(i), isSpecial(sheet.rows[i]));
    else p.text(x, y, "·", { align: "right", baseline: "middle", size, fill: c.muted });
  }
  if (g.top > 26 * u) {
    p.text(g.left - 10 * u, g.top - 12 * u, sides[0], {
      size: typeSize(12, u),
      align: "right",
      fill: c.muted
    });
    p.text(g.right + 10 * u, g.top - 12 * u, sides[1], { size: typeSize(12, u), fill: c.muted });
  }
  const named = /* @__PURE__ */ new Set([...focus.cols, ...focus.named]);
  for (const j of chosenLabels(c0, c1, g.colEvery, named)) {
    const quiet = isSpecial(sheet.cols[j]) && !named.has(j);
    write(sheet.cols[j], g.right + 10 * u, attendedY(g, j), "left", focus.cols.has(j), quiet);
  }
};
function paintTicks(p, g, c) {
  const [r0, r1, c0, c1] = g.area;
  const tick = (x, y) => p.rect(x, y - 0.5, 3 * g.u, 1, { fill: c.line });
  if (g.rowEvery > 1) for (let i = r0; i < r1; i++) tick(g.left - 5 * g.u, attendingY(g, i));
  if (g.colEvery > 1) for (let j = c0; j < c1; j++) tick(g.right + 2 * g.u, attendedY(g, j));
}
var columnLines = (sheet, focus, how2) => (p, g) => {
  const { shift = () => 0, ...rest } = how2;
  paintLines(p, sheet, focus, { ...rest, area: g.area, u: g.u, curve: columnCurve(g, shift(g)) });
};

// web/marks/heatmap.ts
var LEAST_NUMBER = 9;
function cellNumber(sheet, i, j, focused) {
  const value = sheet.at(i, j);
  const position2 = sheet.index[i * sheet.cols.length + j] & 255;
  const strong = Math.abs(position2 - sheet.neutral) >= (sheet.neutral ? 28 : 96);
  return strong || focused && Math.abs(value) >= 0.01 ? brief(value, sheet.unit) : "";
}
var isPinned = ({ rows, cols, cell: cell2 }, i, j) => Boolean(cell2) && rows.has(i) && cols.has(j);
var cells = (sheet, focus, c) => (p, g) => {
  const [r0, r1, c0, c1] = g.area;
  const radius = Math.min(3 * g.u, g.cw / 4, g.ch / 4);
  const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
  const [w, h] = [g.cw - gap, g.ch - gap];
  const digits = sheet.digits !== false && g.cw >= 15.5 * g.u && g.ch >= 12.5 * g.u;
  const fits2 = Math.min(typeSize(13, g.u), g.cw * 0.48, g.ch * 0.72);
  const readable = digits && fits2 >= LEAST_NUMBER;
  for (let i = r0; i < r1; i++) {
    for (let j = c0; j < c1; j++) {
      const [x, y] = [columnX(g, j), rowY(g, i)];
      const v = i < sheet.written ? sheet.index[i * sheet.cols.length + j] : -1;
      const fill2 = v < 0 ? c.soft : sheet.table[v];
      if (v >= 0 || i >= sheet.written || sheet.empty?.[i]) p.rect(x, y, w, h, { fill: fill2, radius });
      else p.circle(x + g.cw / 2, y + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
      const number2 = v >= 0 && readable ? cellNumber(sheet, i, j, focus.rows.has(i)) : "";
      if (!number2) continue;
      const size = fits2 * Math.min(1, (w - 3 * g.u) / textWidth(number2, fits2, false));
      if (!legible(size, g.u)) continue;
      const weight = isPinned(focus, i, j) ? 700 : 400;
      const pen = { size, weight, align: "center", baseline: "middle", fill: readableOn(fill2, c) };
      p.text(x + w / 2, y + h / 2 + 0.5, number2, pen);
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
  const label2 = writer(p, g, c);
  for (const i of chosenLabels(g.area[0], g.area[1], g.rowEvery, focus.rows)) {
    const written2 = i < sheet.written;
    const words = written2 ? shorten(visible(sheet.rows[i]), g.labelRoom.row, g.size) : "·";
    const inFocus = written2 && focus.rows.has(i);
    const on = inFocus || written2 && !isSpecial(sheet.rows[i]);
    const bold = inFocus || written2 && Boolean(sheet.reads?.length);
    const pen = { align: "right", baseline: "middle", weight: bold ? 600 : 400 };
    if (inFocus && focus.colour) pen.fill = focus.colour;
    const [right, y] = [g.box.x - 8 * g.u, rowY(g, i) + g.ch / 2];
    label2(words, right, y, on, pen);
    if (!written2 || !sheet.reads?.length || !(g.reads === "all" || g.reads === "pinned" && inFocus))
      continue;
    const width2 = textWidth(words, g.size, true, pen.weight);
    const size = readSize(g.size, g.u);
    const read = shorten(readPart(sheet.reads[i]), g.labelRoom.row - width2, size);
    p.text(right - width2, y, read, { size, mono: true, align: "right", baseline: "middle", fill: c.muted });
  }
};
var columnLabels = (sheet, focus, c) => (p, g) => {
  const label2 = writer(p, g, c);
  for (const j of chosenLabels(g.area[2], g.area[3], g.colEvery, focus.cols)) {
    const size = g.sizeOver;
    const words = shorten(visible(sheet.cols[j]), g.labelRoom.col, size);
    const pen = g.lines.length ? { align: "center", size } : { rotate: -g.lean, size };
    if (focus.cols.has(j) && focus.colour) pen.fill = focus.colour;
    const aside = g.lines.length ? -g.u : g.lean === 90 ? size / 3 : 2 * g.u;
    const x = columnX(g, j) + g.cw / 2 + aside;
    label2(words, x, g.box.y - 5 * g.u - lineOf(g, j), focus.cols.has(j), pen);
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
var outlines = (sheet, { rows, cols, current, cell: cell2 }, c) => (p, g) => {
  const [r0, r1, c0, c1] = g.area;
  const frame = (x, y, w, h, stroke = c.ink, width2 = 1.6) => p.rect(x - 1.5, y - 1.5, w + 2, h + 2, {
    stroke,
    width: width2 * Math.min(1.5, g.u),
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
  const tall2 = Math.min(g.box.h, (sheet.written - r0) * g.ch);
  if (cell2 && rows.size) return;
  for (const j of cols) {
    if (j >= c0 && j < c1 && tall2 > 0) frame(columnX(g, j), g.box.y, g.cw, tall2, c.ink, 1);
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

// web/maps/sentence.ts
var verbOf = (kind, oneLabel = false) => kind === "encoder" || oneLabel ? "Reading" : "Writing";
var specialWords = (label2) => ({
  "⟨start⟩": tr("the start token"),
  "⟨end⟩": tr("the end token"),
  "⟨pad⟩": tr("padding"),
  "⟨unk⟩": tr("an unknown token"),
  "⟨prefix⟩": tr("the words before"),
  "⟨source⟩": tr("the source")
})[label2];
var SPREAD_BELOW = 0.25;
var ONLY_FROM = 0.995;
var NAMED = 3;
var WORTH_NAMING = 0.05;
var ENOUGH = 0.9;
var NO_CHANGE = 5e-3;
var hint = () => TOUCH ? tr("Tap a cell or word to pin it") : tr("Hover to read; click to pin; Esc clears");
var pinnedHint = () => TOUCH ? tr("Pinned · Tap again to unpin") : tr("Pinned · Esc unpins");
var quoted = (label2) => specialWords(label2) ?? tr("“{word}”", { word: isolated(label2) });
var strongly = (label2) => ({ strong: quoted(label2) });
function keyNames(labels) {
  const often = /* @__PURE__ */ new Map();
  labels.forEach((label2) => often.set(label2, (often.get(label2) ?? 0) + 1));
  return (j) => Number(often.get(labels[j])) > 1 ? phrase(tr("{word} (token {number})"), { word: strongly(labels[j]), number: String(j + 1) }) : [strongly(labels[j])];
}
var enumerate = (items) => items.flatMap((item, i) => i === 0 ? item : [i === items.length - 1 ? tr(" and ") : ", ", ...item]);
function rowWords(label2, { verb, read }) {
  if (verb === "Reading") return phrase(tr("From {word}"), { word: strongly(label2) });
  if (read === void 0) return phrase(tr("Writes {word}"), { word: strongly(label2) });
  return phrase(tr("Reads {read} → writes {written}"), { read: quoted(read), written: strongly(label2) });
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
  const named = order.filter((j, rank2) => rank2 === 0 || row[j] >= worth).map(
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
  const order = topIndices(far, 2).filter((j, rank2) => rank2 === 0 || far[j] >= WORTH_NAMING);
  if (!(far[order[0]] >= NO_CHANGE)) return does(subject, tr("{subject} look the same"), {});
  const list = order.map(
    (j) => phrase(tr("{points} at {key}"), { points: shown(row[j], "points"), key: names(j) })
  );
  return does(subject, tr("{subject} differ: {list}"), { list: enumerate(list) });
}
function rowSentence(row, queryLabel, keyLabels, how2) {
  const { subject, hidden = null } = how2;
  const sentence = (what2) => phrase(tr("{row}: {what}."), { row: rowWords(queryLabel, how2), what: what2 });
  const names = keyNames(keyLabels);
  if (how2.mode === "scores" || how2.mode === "masked") return sentence(scoreWords(row, names, subject));
  if (how2.mode === "difference") return sentence(differenceWords(row, names, subject));
  if (!row.every(Number.isFinite) || row.reduce((a, b) => a + b, 0) <= 0)
    return sentence(nothingLeft(subject, hidden));
  if (how2.mode === "contribution" || how2.mode === "length")
    return sentence(contributionWords(row, names, how2.mode === "length", subject));
  const distribution = how2.distribution ?? true;
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
function cellTitle({ sheet, subject, row, col, verb }) {
  const text = verb === "Reading" ? tr("{subject} looks {share} at {key} from {query}") : tr("{subject} looks {share} at {key} when it writes {query}");
  return phrase(text, {
    subject: capital(subject),
    share: { kind: spokenPercent(rowOf(sheet, row)[col]) },
    key: quoted(sheet.cols[col]),
    query: quoted(sheet.rows[row])
  });
}
function restSentence({ sheet, row, col }) {
  const weights2 = rowOf(sheet, row).map((weight, j) => j === col ? -1 : weight);
  const others = weights2.filter((weight) => weight > 0);
  const rest = others.reduce((a, b) => a + b, 0);
  if (rest < 5e-3) return [tr("The other tokens of this row get less than 1 % together.")];
  const first = topIndices(weights2, 1)[0];
  const fields = {
    rest: spokenPercent(rest),
    share: spokenPercent(weights2[first]),
    key: keyNames(sheet.cols)(first)
  };
  if (others.length === 1) return phrase(tr("The other {rest} goes to {key}."), fields);
  const text = plural(
    "The other {rest} goes to {key} ({share}) and {count} more token.",
    "The other {rest} goes to {key} ({share}) and {count} more tokens.",
    others.length - 1
  );
  return phrase(text, fields);
}
function sumSentence(total, rows, queryLabels, keyLabels, how2) {
  const names = keyNames(keyLabels);
  const count = rows.length;
  const ofCount = how2.mode === "weights" || how2.mode === "contribution";
  const least = WORTH_NAMING * (how2.mode === "length" ? Math.max(...total) : count);
  const worth = (j) => total[j] >= least;
  const top = topIndices(total, NAMED).filter((j, rank2) => rank2 === 0 || worth(j));
  const who = count > 4 ? [plural("{count} token", "{count} tokens", count)] : enumerate(rows.map(keyNames(queryLabels)));
  const list = enumerate(
    top.map((j) => {
      const number2 = minus(fixed(total[j], 2));
      const text = ofCount ? tr("{number} of {count} at {key}") : tr("{number} at {key}");
      return phrase(text, { number: number2, count: String(count), key: names(j) });
    })
  );
  const [subject] = [how2.subject];
  if (how2.mode === "length")
    return phrase(tr("Summed over {rows}: {subject} adds lengths of {list}."), { rows: who, subject, list });
  if (how2.mode === "contribution")
    return phrase(tr("Summed over {rows}: {subject} draws {list}."), { rows: who, subject, list });
  return phrase(tr("Summed over {rows}: {subject} looks {list}."), { rows: who, subject, list });
}
function columnSentence(column2, cols, keyLabels, queryLabels, how2) {
  const names = keyNames(queryLabels);
  const known = column2.map((v) => Number.isFinite(v) ? v : -Infinity);
  const least = how2.mode === "length" ? 0.1 * Math.max(...known) : WORTH_NAMING;
  const order = topIndices(known, NAMED).filter((i, rank2) => rank2 === 0 || column2[i] >= least);
  const keys2 = enumerate(cols.slice(0, 4).map(keyNames(keyLabels)));
  const row = how2.verb === "Reading" ? tr("from {row} ({number})") : tr("writing {row} ({number})");
  const rows = (number2) => enumerate(order.map((i) => phrase(row, { row: names(i), number: number2(column2[i]) })));
  const subject = capital(how2.subject);
  if (how2.mode === "weights")
    return phrase(tr("{subject} looks at {keys} most when {rows}."), {
      subject,
      keys: keys2,
      rows: rows(spokenPercent)
    });
  if (how2.mode === "contribution")
    return phrase(tr("{subject} draws on {keys} most when {rows}."), {
      subject,
      keys: keys2,
      rows: rows(spokenPercent)
    });
  if (how2.mode === "length")
    return phrase(tr("{subject} adds most for {keys} when {rows}."), {
      subject,
      keys: keys2,
      rows: rows(lengthWords)
    });
  const unit = how2.mode === "difference" ? "points" : "number";
  return phrase(tr("{keys}: largest when {rows}."), { keys: keys2, rows: rows((v) => shown(v, unit)) });
}
function meanLargest(sheet) {
  const largest3 = Array.from(
    { length: sheet.written },
    (_, i) => Math.max(...rowOf(sheet, i).filter(Number.isFinite))
  );
  return spokenPercent(largest3.reduce((a, b) => a + b, 0) / sheet.written);
}
var wholeTitle = (sheet, subject) => phrase(tr("{subject} gives {share} of its weight to one token on average"), {
  subject: capital(subject),
  share: { kind: meanLargest(sheet) }
});
function wholeSentence(sheet, how2) {
  const share = { strong: meanLargest(sheet) };
  const text = plural(
    "{subject} gives {share} of its weight to one token.",
    "{subject} gives {share} of its weight to one token, on average over the {count} tokens written.",
    sheet.written
  );
  return phrase(text, { subject: capital(how2.subject), share });
}
function mapSentence(looked) {
  const { sheets: sheets2 } = looked;
  if (!sheets2.length) return [tr("Every head is hidden; choose a swatch to show one again.")];
  if (!sheets2[0].written) return [tr("Nothing is written yet.")];
  const sentence = sheets2.length > 1 ? severalHeads(looked) : oneHead(looked);
  if (!looked.hint) return sentence;
  return [...sentence, { muted: `  ${looked.hint === "pinned" ? pinnedHint() : hint()}` }];
}
function oneHead({ sheets: [sheet], subjects: [subject], how: how2, rows, cols, cell: cell2, row }) {
  const context2 = { ...how2, subject };
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
  if (cell2) {
    const number2 = shown(sheet.at(list[0], col), sheet.unit, sheet.unit === "share" ? 1 : 0);
    sentence.push({
      muted: `  ${tr("This cell, {key}: {number}", { key: quoted(sheet.cols[col]), number: number2 })}`
    });
  } else if (cols.size) {
    const column2 = sumOf(sheet, cols, columnOf);
    const queries = sheet.rows.slice(0, sheet.written);
    sentence.push(
      ...sentence.length ? [" "] : [],
      ...columnSentence(column2, [...cols], sheet.cols, queries, context2)
    );
  }
  return sentence;
}
function severalHeads({ sheets: sheets2, names, how: how2, rows, cols, row }) {
  const list = [...rows].sort((a, b) => a - b);
  const from = list.length ? list : cols.size ? [] : [row];
  const words = (labels, indices) => enumerate(indices.map((n2) => [strongly(labels[n2])]));
  const most = (items, line2, labels, link) => enumerate(
    sheets2.map((sheet, k) => {
      const sum = sumOf(sheet, items, line2);
      const n2 = topIndices(sum, 1)[0];
      const number2 = shown(sum[n2] / items.length, sheet.unit);
      return phrase(link, { head: names[k], word: strongly(labels[n2]), number: number2 });
    })
  );
  const { rows: queries, cols: keys2 } = sheets2[0];
  if (from.length) {
    const where = most(from, rowOf, keys2, tr("{head} at {word} ({number})"));
    const text = how2.verb === "Reading" ? tr("From {rows}: {where}.") : tr("Writing {rows}: {where}.");
    return phrase(text, { rows: words(queries, from), where });
  }
  const when = most([...cols], columnOf, queries, tr("{head} at {word} ({number})"));
  return phrase(tr("{keys}, most from {where}."), { keys: words(keys2, [...cols]), where: when });
}

// heads/alignment_words.ts
function verdictOf(linked2, sure, any) {
  if (!any) return linked2 ? "free" : "";
  if (linked2) return sure === void 0 ? "wrong" : sure ? "right" : "allowed";
  return sure === void 0 ? "" : sure ? "missed" : "unneeded";
}
function verdicts(links2, gold) {
  const linked2 = new Set(links2.map(([row, col]) => `${row},${col}`));
  const every2 = /* @__PURE__ */ new Set([...linked2, ...gold.keys()]);
  return [...every2].map((key) => {
    const [row, col] = key.split(",").map(Number);
    return [row, col, verdictOf(linked2.has(key), gold.get(key), gold.size > 0)];
  });
}
function cycled(gold, row, col) {
  const next = new Map(gold);
  const key = `${row},${col}`;
  const now = gold.get(key);
  if (now === void 0) next.set(key, true);
  else if (now) next.set(key, false);
  else next.delete(key);
  return next;
}
var goldCells = (gold) => [...gold].map(([key, sure]) => [...key.split(",").map(Number), sure]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
function verdictWords(verdict, word) {
  const words = {
    right: tr("{word} (sure in the gold)"),
    allowed: tr("{word} (possible in the gold)"),
    wrong: tr("{word} (not in the gold)")
  }[verdict];
  return words ? phrase(words, { word }) : [word];
}
function linkWords({ meta, gold }, row) {
  const of = verdicts(meta.links, gold).filter(([i]) => i === row);
  const name = (j) => strongly(meta.cols[j]);
  const linked2 = of.filter(([, , verdict]) => ["right", "allowed", "wrong", "free"].includes(verdict));
  const missed = of.filter(([, , verdict]) => verdict === "missed");
  const sentence = linked2.length ? phrase(tr("Linked to {words}."), {
    words: enumerate(linked2.map(([, j, verdict]) => verdictWords(verdict, name(j))))
  }) : [tr("No link.")];
  if (missed.length) {
    const words = enumerate(missed.map(([, j]) => [name(j)]));
    sentence.push(" ", ...phrase(tr("Missed: {words}."), { words }));
  }
  return sentence;
}
function columnWords3({ meta }, col) {
  const rows = meta.links.filter(([, j]) => j === col).map(([i]) => [strongly(meta.rows[i])]);
  const word = strongly(meta.cols[col]);
  return rows.length ? phrase(tr("{word} is linked to {words}."), { word, words: enumerate(rows) }) : phrase(tr("Nothing is linked to {word}."), { word });
}
var markingHint = () => TOUCH ? tr("Tap a cell to mark it: sure, possible, none") : tr("Click a cell to mark it: sure, possible, none");
function alignmentSentence(view2) {
  const { meta, sheet, pins, marking } = view2;
  const { rows, cols } = pins.active;
  const mode = meta.what === "share" ? "contribution" : "weights";
  const how2 = { verb: meta.verb, subject: meta.subject, mode };
  const sentence = [];
  for (const row of [...rows].slice(0, 2)) {
    const numbers = rowOf(sheet, row);
    if (!meta.target.includes(row) || !numbers.some((v) => v > 0)) {
      sentence.push(...rowSentence(numbers, meta.rows[row], meta.cols, how2), " ");
      continue;
    }
    sentence.push(...rowSentence(numbers, meta.rows[row], meta.cols, how2), " ", ...linkWords(view2, row), " ");
  }
  if (!rows.size) for (const col of [...cols].slice(0, 2)) sentence.push(...columnWords3(view2, col), " ");
  if (!sentence.length) sentence.push(...meta.summary);
  if (marking) return [...sentence, { muted: `  ${markingHint()}` }];
  const { hint: hint5 } = pins;
  return hint5 ? [...sentence, { muted: `  ${hint5 === "pinned" ? pinnedHint() : hint()}` }] : sentence;
}

// heads/alignment_drawing.ts
function linkPen(verdict, c, u) {
  switch (verdict) {
    case "free":
    case "right":
      return { stroke: c.cross, width: 3.4 * u, alpha: 0.9 };
    case "allowed":
      return { stroke: c.cross, width: 1.8 * u, alpha: 0.9 };
    case "wrong":
      return { stroke: c.positive, width: 2.2 * u, dash: [7 * u, 5 * u] };
    case "missed":
      return { stroke: c.muted, width: 1.8 * u, dash: [0.5, 5 * u] };
    default:
      return null;
  }
}
function alignedLines(view2) {
  const { sheet, host, pins } = view2;
  const { rows, cols, cell: cell2 } = pins.active;
  const focus = { rows, cols: cell2 ? /* @__PURE__ */ new Set() : cols };
  const style = {
    threshold: 0.03,
    behind: { row: 0, floor: Infinity, reach: 0 },
    hue: () => host.colours.bar
  };
  const words = (p, g) => {
    const named = [...cell2 ? cols : [], ...paintShares(p, view2, g, rows)];
    columnWords2(sheet, { ...focus, named }, host.colours, "cross", [tr("written"), tr("source")])(p, g);
  };
  const any = focus.rows.size + focus.cols.size > 0;
  return [...any ? [columnLines(sheet, focus, style)] : [], links(view2, focus), words];
}
var links = (view2, focus) => (p, g) => {
  const c = view2.host.colours;
  const curve = columnCurve(g);
  const any = focus.rows.size + focus.cols.size > 0;
  for (const [i, j, verdict] of verdicts(view2.meta.links, view2.gold)) {
    const pen = linkPen(verdict, c, g.u);
    if (!pen) continue;
    const highlighted = !any || focus.rows.has(i) || focus.cols.has(j);
    const alpha = (pen.alpha ?? 1) * (highlighted ? 1 : 0.22);
    p.curve(...curve(i, j), { ...pen, alpha });
    const [x, y] = [(g.left + g.right) / 2, (attendingY(g, i) + attendedY(g, j)) / 2];
    if (!highlighted) continue;
    if (verdict === "wrong") paintCross(p, x, y, 5 * g.u, 2.2 * g.u, c.positive);
    if (verdict === "missed")
      p.circle(x, y, 4.5 * g.u, { stroke: c.muted, fill: c.panel, width: 1.6 * g.u });
  }
};
function paintShares(p, { sheet, host }, g, rows) {
  if (rows.size !== 1) return [];
  const [row] = rows;
  const listed2 = sheet.cols.map((_, j) => j).filter((j) => sheet.at(row, j) >= 0.05);
  for (const j of listed2) {
    const pen = { ...AT_RIGHT, size: typeSize(12.5, g.u), fill: host.colours.cross_text };
    p.text(g.width - 2, attendedY(g, j), percent(sheet.at(row, j)), pen);
  }
  return listed2;
}
var alignedMap = (view2) => [
  ...heatmap(view2.sheet, view2.pins.active, view2.host.colours, view2.cache),
  judged(view2)
];
var judged = ({ sheet, host, meta, gold }) => (p, g) => {
  const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
  for (const [i, j, verdict] of verdicts(meta.links, gold)) {
    const fill2 = sheet.table[sheet.index[i * sheet.cols.length + j]] ?? host.colours.panel;
    const cell2 = { x: columnX(g, j), y: rowY(g, i), w: g.cw - gap, h: g.ch - gap };
    paintMark(p, cell2, verdict, g.u, host.colours, fill2);
  }
};
var axes = () => tr("written ↓   source →");
function alignmentLegend({ sheet, meta }) {
  const words = meta.what === "share" ? tr("share of the row") : weightWords();
  return { table: sheet.table, ...weightAxis("weight", meta.cols.length), words };
}
var GOLD = {
  right: "sure",
  missed: "sure",
  allowed: "possible",
  unneeded: "possible"
};
function alignmentLeaving(view2) {
  const { pair } = view2;
  const key = () => view2.gold.size ? keySize(pair.room, pair.u).height + 10 * pair.u : 0;
  return {
    name: () => view2.meta.file,
    who: () => view2.meta.subject,
    title: () => view2.meta.title,
    subtitle: () => view2.meta.subtitle,
    size: () => [pair.width, pair.height + key()],
    draw(p) {
      pair.paint(p, view2.host.colours, axes());
      if (key()) paintKey(shifted(p, 0, pair.height + 10 * pair.u), pair.room, pair.u, view2.host.colours);
    },
    legend: () => alignmentLegend(view2),
    words: () => alignmentSentence(view2),
    rows() {
      const verdictOf2 = new Map(
        verdicts(view2.meta.links, view2.gold).map(([i, j, verdict]) => [`${i},${j}`, verdict])
      );
      const { writes, reads } = view2.meta;
      const lines = tableOf({ ...view2.sheet, rows: writes, reads }, false, csvNumber).map((line2) => {
        const verdict = verdictOf2.get(`${line2[0]},${line2[3]}`) ?? "";
        const linked2 = verdict !== "" && verdict !== "missed" && verdict !== "unneeded";
        return [...line2, linked2 ? 1 : 0, GOLD[verdict] ?? ""];
      });
      return [[...TABLE_HEAD, "link", "gold"], ...lines];
    }
  };
}
function paintMark(p, { x, y, w, h }, verdict, u, c, fill2 = c.panel) {
  const [cx, cy] = [x + w / 2, y + h / 2];
  const r = Math.max(2.2, Math.min(6.5 * u, 0.27 * Math.min(w, h)));
  const ink = contrast(fill2, c.panel) > contrast(fill2, c.ink) ? c.panel : c.ink;
  const thin = Math.max(1, Math.min(2.2 * u, r / 3));
  const framed2 = verdict === "right" || verdict === "allowed" || verdict === "wrong" || verdict === "free";
  if (framed2) {
    const dash = verdict === "wrong" ? [3.5 * u, 3 * u] : [];
    const stroke = verdict === "wrong" ? c.positive : c.ink;
    p.rect(x + 1, y + 1, w - 2, h - 2, { stroke, width: 2 * u, dash, radius: 4 * u });
  }
  if (verdict === "right" || verdict === "missed") p.circle(cx, cy, r, { fill: ink });
  if (verdict === "allowed" || verdict === "unneeded") p.circle(cx, cy, r, { stroke: ink, width: thin });
  if (verdict === "wrong") paintCross(p, cx, cy, r, thin * 1.3, ink);
  if (verdict === "missed") {
    const far = Math.min(r * 1.75, 0.46 * Math.min(w, h));
    p.circle(cx, cy, far, { stroke: c.positive, width: thin, dash: [2.5 * u, 2.5 * u] });
  }
}
function paintCross(p, x, y, r, width2, stroke) {
  const near = r * 0.85;
  p.path(`M${x - near} ${y - near}l${2 * near} ${2 * near}`, { stroke, width: width2 });
  p.path(`M${x - near} ${y + near}l${2 * near} ${-2 * near}`, { stroke, width: width2 });
}
var keyWords = () => [
  ["right", tr("linked, sure")],
  ["allowed", tr("linked, possible")],
  ["wrong", tr("linked, not in the gold")],
  ["missed", tr("sure, not linked")],
  ["unneeded", tr("possible, not linked")]
];
var BOX = 22;
function keyPlaces(room, u) {
  const size = typeSize(12, u);
  const line2 = Math.max(26 * u, size * 1.5);
  let [x, y, width2] = [0, 0, 0];
  const places = keyWords().map(([verdict, words]) => {
    const wide = BOX * u + 6 * u + textWidth(words, size, false) + 16 * u;
    if (x && x + wide > room) [x, y] = [0, y + line2];
    const item = { verdict, words, x, y };
    x += wide;
    width2 = Math.max(width2, x);
    return item;
  });
  return { places, size, line: line2, width: width2, height: y + line2 };
}
var keySize = (room, u) => {
  const { width: width2, height } = keyPlaces(room, u);
  return { width: width2, height };
};
function paintKey(p, room, u, c) {
  const { places, size, line: line2 } = keyPlaces(room, u);
  for (const { verdict, words, x, y } of places) {
    const h = 18 * u;
    paintMark(p, { x: x + 2, y: y + (line2 - h) / 2, w: BOX * u, h }, verdict, u, c);
    p.text(x + (BOX + 8) * u, y + line2 / 2, words, { size, baseline: "middle", fill: c.muted });
  }
}

// heads/alignment.ts
var HALL = 356;
var Alignment = class extends CardView {
  pair = new Pair(
    { name: "aligned", axes: axes() },
    { lines: () => alignedLines(this), map: () => alignedMap(this) }
  );
  key = el("canvas", { class: "picture", "aria-hidden": "true" });
  legend = el("canvas", { class: "picture", "aria-hidden": "true" });
  soon = oncePerFrame(this.host, () => this.draw());
  pins = new PinnedTokens(this.host, this.soon);
  marks = linked(this.host, "marked");
  meta;
  sheet;
  /** by the key of the cell */
  gold = /* @__PURE__ */ new Map();
  cache = {};
  marking = false;
  words = "";
  mark;
  none;
  constructor(root, host) {
    super(root, host, "alignment");
    this.parts.body.append(this.pair.node, el("div", { class: "foot" }, this.key, this.legend));
    this.parts.node.append(this.parts.readout);
    const button = (words, title2, press) => el("button", { class: "button small", title: title2, onclick: press }, words);
    const how2 = TOUCH ? tr("Tap cells: sure, possible, none") : tr("Click cells: sure, possible, none");
    this.mark = button(tr("Mark gold"), TOUCH ? how2 : `${how2} (M)`, () => this.setMarking());
    this.none = button(tr("Clear gold"), tr("Undo the marks made by hand"), () => this.setGold(/* @__PURE__ */ new Map()));
    this.parts.controls.append(this.mark, this.none, exportMenu(host, alignmentLeaving(this)));
    this.listen();
  }
  listen() {
    const pointed = {
      hover: (at) => this.pins.hover(at),
      pin: (at) => at && this.pins.toggle(at),
      cell: () => this.pins.hovered ?? { row: 0, ...this.marking ? { col: 0 } : {} },
      size: () => [this.meta.rows.length, this.meta.cols.length]
    };
    this.pair.lines.listen(columnsHit, pointed);
    this.pair.map.listen(heatHit, {
      ...pointed,
      pin: (at) => this.marking && this.markable(at) ? this.turn(at) : pointed.pin(at)
    });
    onEscape(this.host, this.parts.controls, () => this.clear());
    pageKeys(this.host, { m: () => this.setMarking(), M: () => this.setMarking() });
    listenTo(this.host, "heads", (opened) => {
      if (opened.kind !== "cross") return;
      bringIntoSight(this.parts.node);
      this.parts.node.classList.add("waiting");
    });
  }
  /* ---------- layout and drawing ---------- */
  arrange() {
    const { pair, sheet } = this;
    const u = this.host.scale;
    pair.resize(this.parts.body.clientWidth, u, [0.42, 0.58]);
    const most = pair.wide ? 560 : 480;
    const longest = Math.max(sheet.rows.length, sheet.cols.length);
    const tall2 = inSight(this.host, most, HALL, longest);
    const map = heatGeometry(sheet, pair.sides[1], u, { tall: tall2, cap: pair.wide ? 52 : 40 });
    pair.map.frame = map;
    pair.lines.frame = columnsGeometry(sheet, pair.sides[0], u, {
      tall: inSight(this.host, most, -Infinity),
      // of a slide alone
      ...pair.beside(map, longest, tall2 * u)
    });
  }
  draw() {
    const { u, room } = this.pair;
    this.pair.draw();
    this.key.hidden = !this.gold.size;
    const { width: width2, height } = keySize(room, u);
    if (this.gold.size)
      paintKey(canvasPainter(fitCanvas(this.key, width2, height)), room, u, this.host.colours);
    this.parts.tell({ readout: alignmentSentence(this) });
  }
  relayout() {
    this.arrange();
    this.draw();
    drawLegend(this.legend, this.host.scale, alignmentLegend(this), this.host.colours);
  }
  /** Clears pins and hover, else the marking; false when there is nothing to clear. */
  clear() {
    if (this.pins.clear()) return true;
    if (!this.marking) return false;
    this.setMarking(false);
    return true;
  }
  /* ---------- gold by hand ---------- */
  /** A cell of two words, not of an end token. */
  markable(at) {
    const { row, col } = at ?? {};
    return row !== void 0 && col !== void 0 && this.meta.target.includes(row) && this.meta.source.includes(col);
  }
  setMarking(on = !this.marking) {
    this.marking = on;
    this.mark.setAttribute("aria-pressed", String(on));
    this.parts.node.classList.toggle("marking", on);
    this.soon();
  }
  turn(at) {
    this.setGold(cycled(this.gold, at.row, at.col));
  }
  setGold(gold) {
    this.gold = gold;
    this.sheet.digits = !gold.size;
    this.none.hidden = !gold.size;
    this.soon();
    this.marks.report({ cells: goldCells(gold) });
  }
  /* ---------- data ---------- */
  update(meta) {
    const { colours } = this.host;
    this.meta = meta;
    this.parts.node.classList.remove("waiting");
    setKind(this.host, "cross");
    const { values } = meta;
    const size = meta.cols.length;
    const table = rampTable(colours.panel, colours.cross);
    this.sheet = makeSheet(meta, (i, j) => values[i * size + j], table);
    this.cache = {};
    this.takeWords();
    this.sheet.digits = !this.gold.size;
    this.none.hidden = !this.gold.size || !meta.by_hand;
    this.parts.tell(meta);
    const many = tr("{written} written and {read} source words", {
      written: meta.target.length,
      read: meta.source.length
    });
    const keys2 = TOUCH ? "" : ` ${tr("Arrow keys move, Enter pins, M marks gold, Esc clears.")}`;
    const names = [tr("Aligned words"), tr("Map of the alignment")].map(
      (name) => labelled(name, `${many}.${keys2}`)
    );
    this.pair.describe(names[0], names[1]);
    announce("shown", { kind: "cross", heads: meta.pairs });
    this.relayout();
  }
  /** Gold and pins belong to a sentence: another head of the same words keeps what is marked and not yet answered. */
  takeWords() {
    const { meta, pins } = this;
    const words = JSON.stringify([meta.rows, meta.cols]);
    const another = words !== this.words;
    this.words = words;
    const goldIsNews = this.marks.isNews({ cells: meta.gold });
    if (another || goldIsNews)
      this.gold = new Map(meta.gold.map(([row, col, sure]) => [`${row},${col}`, sure]));
    pins.take(meta.pins, another);
    pins.trim(meta.rows.length, meta.cols.length);
  }
};
var alignment_default = viewOf(Alignment);

// web/base/controls.ts
var field = (words, control, after = null) => el("label", { class: "field" }, el("span", { class: "field-name" }, words), control, after);
function chooser(options, value, change, label2, look2 = "chooser") {
  const select = el("select", {
    class: look2,
    "aria-label": label2,
    onchange: () => change(select.value)
  });
  fillChooser(select, options, value);
  return select;
}
function fillChooser(select, options, value) {
  select.replaceChildren(...options.map(([id, words]) => el("option", { value: id }, words)));
  select.value = String(value);
}
var MEAN = "mean";
function fillCounted(pick, count, one, value) {
  const layers = one === "layer";
  const name = (number2) => layers ? tr("layer {number}", { number: number2 }) : tr("head {number}", { number: number2 });
  const options = Array.from({ length: count }, (_, n2) => [n2, name(n2)]);
  if (count > 1)
    options.unshift([
      MEAN,
      layers ? tr("mean of {count} layers", { count }) : tr("mean of {count} heads", { count })
    ]);
  fillChooser(pick, options, value ?? (count > 1 ? MEAN : 0));
}
function checkbox(words, change) {
  const box = el("input", { type: "checkbox", onchange: () => change(box.checked) });
  return { box, node: el("label", { class: "field" }, box, words) };
}
var keyName = (keys2) => {
  const names = {
    Enter: tr("Enter"),
    Esc: tr("Esc"),
    Space: tr("Space"),
    Shift: tr("Shift"),
    Home: tr("Home"),
    End: tr("End")
  };
  return keys2.replace(/\w+/g, (key) => names[key] ?? key);
};
function keyList(keys2, look2 = "quiet") {
  const lines = definitions((TOUCH ? [] : keys2).map(([key, what]) => [keyName(key), what]));
  const list = el("dl", { class: "keys", hidden: true }, ...lines);
  const toggle = () => show4(list.hidden);
  const label2 = TOUCH ? tr("Numbers") : tr("Shortcuts and scores");
  const words = { "aria-label": label2, title: TOUCH ? label2 : `${label2} (?)`, "aria-expanded": "false" };
  const button = el("button", { class: look2, ...words, onclick: toggle }, "?");
  button.hidden = !lines.length;
  function show4(open) {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  }
  function explain2(metrics) {
    list.replaceChildren(...lines, ...definitions(metrics, { class: "metric" }));
    button.hidden = !list.children.length;
  }
  return { list, button, toggle, explain: explain2, hide: () => show4(false), isOpen: () => !list.hidden };
}

// heads/atlas_drawing.ts
function namedHeads(heads2, panels, spots, open, u) {
  const size = typeSize(12.5, u);
  const words = heads2.map((head) => [`${headName(head)} ${head.roles[0] ?? ""}`.trim(), headName(head)]);
  const roles = [...heads2.keys()].filter((n2) => n2 !== open && heads2[n2].roles.length);
  const drawn2 = new Set(panels.map(({ kind }) => kind));
  const wanted = [...open >= 0 ? [open] : [], ...roles].filter((n2) => drawn2.has(heads2[n2].kind)).map((n2) => ({
    n: n2,
    widths: words[n2].map((word) => textWidth(word, size, false)),
    must: n2 === open,
    radius: (n2 === open ? 10 : 5) * u
  }));
  const box = (n2) => panels.find(({ kind }) => kind === heads2[n2].kind).box;
  const labelled2 = namesOf(spots, wanted, 5 * u, size * 1.1, box);
  return labelled2.map(({ n: n2, k, x, y }) => ({ n: n2, x, y, words: words[n2][k], size }));
}
function paintMaps(p, { heads: own, panels, spots, hovered, host }) {
  const { colours: c, scale: u } = host;
  const { meta, open } = own;
  const listed2 = new Set(own.order);
  for (const { kind, box } of panels) {
    const chosen2 = kind === meta.kind;
    const label2 = meta.kinds.find((each) => each.kind === kind)?.words ?? "";
    p.rect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, {
      stroke: chosen2 ? c[kind] : c.line,
      radius: 8 * u
    });
    p.text(box.x + 11 * u, box.y + 19 * u, label2, {
      size: typeSize(12.5, u),
      weight: chosen2 ? 650 : 500,
      fill: c[`${kind}_text`]
    });
  }
  spots.forEach((spot, n2) => {
    if (!spot) return;
    const { kind, roles } = meta.heads[n2];
    const faint = kind === meta.kind && !listed2.has(n2);
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
      const width2 = textWidth(words, size, false, 650);
      p.rect(x - 2, y - size * 0.6, width2 + 4, size * 1.2, { fill: c.panel, alpha: 0.85, radius: 3 });
    }
    p.text(x, y, words, {
      ...AT_LEFT,
      size,
      fill: n2 === open ? c.ink : c.muted,
      weight: n2 === open ? 650 : 400,
      alpha: meta.heads[n2].kind === meta.kind && !listed2.has(n2) ? 0.4 : 1
    });
  }
}
var EDGE2 = 16;
var TOP = 30;
function panelsOf(kinds, own, room, tall2, gap, least) {
  const fits2 = room >= kinds.length * least + (kinds.length - 1) * gap;
  const drawn2 = fits2 ? kinds : [own];
  const width2 = (room - (drawn2.length - 1) * gap) / drawn2.length;
  return drawn2.map((kind, n2) => ({ kind, box: { x: n2 * (width2 + gap), y: 0, w: width2, h: tall2 } }));
}
function spotsOf(heads2, panels, u) {
  const inner = panels.map(({ kind, box }) => {
    const own = heads2.filter((head) => head.kind === kind && head.position);
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
  return heads2.map((head) => {
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
function namesOf(spots, wanted, radius, line2, panel) {
  const taken = spots.flatMap(
    (spot) => spot ? [{ x: spot.x - radius, y: spot.y - radius, w: 2 * radius, h: 2 * radius }] : []
  );
  const labelled2 = [];
  for (const { n: n2, widths: widths2, must, radius: own } of wanted) {
    const spot = spots[n2];
    if (!spot) continue;
    const boxes = widths2.flatMap((width2, k) => around(spot, width2, own, line2).map((box) => ({ k, box })));
    const seen = boxes.filter(({ box }) => inside(box, panel(n2)));
    const free = seen.find(({ box }) => !taken.some((other) => meet(box, other))) ?? (must ? seen.at(-1) : null);
    if (!free) continue;
    taken.push(free.box);
    labelled2.push({ n: n2, k: free.k, x: free.box.x, y: free.box.y + line2 / 2 });
  }
  return labelled2;
}
function around({ x, y }, width2, radius, line2) {
  const gap = radius + 3;
  const [w, h] = [width2, line2];
  return [
    { x: x + gap, y: y - h / 2, w, h },
    { x: x - gap - w, y: y - h / 2, w, h },
    { x: x - w / 2, y: y - gap - h, w, h },
    { x: x - w / 2, y: y + gap, w, h }
  ];
}
var meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
var inside = (a, b) => a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;

// heads/atlas_heads.ts
var STATS = 9;
var HIGHEST = 6;
var NAMED2 = 190;
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
    const { opened, heads: heads2 } = this.meta;
    return heads2.findIndex(
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
    const most = Math.max(1, Math.min(4, Math.floor((this.room - NAMED2) / COLUMN)));
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
  const { heads: heads2, scores: scores2, kinds } = atlas.meta;
  const names = scores2.flatMap(({ name }) => [
    name,
    `${name}_spread`,
    ...QUANTILES.map((share) => `${name}_q${share}`),
    `${name}_low`,
    `${name}_high`
  ]);
  const head = ["kind", "layer", "head", "roles", "n", ...names, "map_x", "map_y"];
  const rows = heads2.map((each, n2) => [
    kinds.find(({ kind }) => kind === each.kind)?.name ?? each.kind,
    each.layer,
    each.head,
    each.roles.join("; "),
    atlas.meta.sentences,
    ...scores2.flatMap(
      ({ name }) => Array.from({ length: STATS }, (_, k) => csvNumber(atlas.stat(n2, name, k)))
    ),
    ...(each.position ?? [NaN, NaN]).map(csvNumber)
  ]);
  return [head, ...rows];
}
function headSentence(atlas, n2) {
  const { heads: heads2, kinds, sentences } = atlas.meta;
  const score = atlas.named;
  const stat = (nth) => atlas.stat(n2, score?.name ?? "", nth);
  const head = heads2[n2];
  if (!head) return [{ muted: TOUCH ? tr("Tap a head to open it") : tr("Click a head to open it") }];
  const kind = kinds.find((each) => each.kind === head.kind)?.words ?? "";
  const known = score && !Number.isNaN(stat(0));
  const roles = head.roles.join(", ") || tr("no role");
  const words = { head: { strong: headName(head) }, kind, roles };
  const hint5 = { muted: `  ${TOUCH ? tr("Tap to open it") : tr("Click to open it")}` };
  if (!known) return [...phrase(tr("Head {head} of {kind}: {roles}."), words), hint5];
  const text = plural(
    "Head {head} of {kind}: {roles}; {score} {mean} ± {spread} over {count} sentence.",
    "Head {head} of {kind}: {roles}; {score} {mean} ± {spread} over {count} sentences.",
    sentences
  );
  const numbers = { score: lowered(score.label), mean: { strong: number(stat(0)) }, spread: number(stat(1)) };
  return [...phrase(text, { ...words, ...numbers }), hint5];
}
function rowsOf(heads2, { kind, layer, role, sort }, value) {
  const rows = heads2.map((head, n2) => ({ head, n: n2 })).filter(
    ({ head }) => head.kind === kind && (layer === null || head.layer === layer) && (!role || (role === "none" ? !head.roles.length : head.roles.includes(role)))
  ).map(({ n: n2 }) => n2);
  if (sort === "model") return rows;
  const sign = sort === "high" ? -1 : 1;
  const known = rows.filter((n2) => !Number.isNaN(value(n2)));
  const unknown = rows.filter((n2) => Number.isNaN(value(n2)));
  return [...known.sort((a, b) => sign * (value(a) - value(b)) || a - b), ...unknown];
}
var nextOrder = (sort, same2) => !same2 || sort === "model" ? "high" : sort === "high" ? "low" : "model";
function scaleOf2({ low, high }, measured) {
  if (high !== null) return [low, high];
  const most = Math.max(low, ...measured.filter((value) => !Number.isNaN(value)));
  return [low, most > low ? most : low + 1];
}
var along = (value, [low, high]) => Math.max(0, Math.min(1, (value - low) / (high - low)));

// heads/atlas_table.ts
function headCells(atlas, columns) {
  const { sort, score } = atlas.heads.own;
  const arrow2 = { high: " ↓", low: " ↑", model: "" }[sort];
  const cells2 = columns.map(({ name, label: label2, definition }) => {
    const same2 = score === name && sort !== "model";
    const press = () => {
      const next = nextOrder(sort, same2);
      atlas.sortBy(next === "model" ? "" : name, next);
    };
    const direction = same2 ? sort === "high" ? "descending" : "ascending" : "none";
    const looks = { onclick: press, title: definition };
    const button = el("button", looks, label2 + (same2 ? arrow2 : ""));
    return el("th", { scope: "col", class: "score", "aria-sort": direction }, button);
  });
  return [el("th", { scope: "col" }, tr("head")), el("th", { scope: "col" }, tr("role")), ...cells2];
}
function headRow(heads2, columns, n2) {
  const head = heads2.meta.heads[n2];
  const opens = { "aria-label": tr("open head {name}", { name: headName(head) }) };
  const roles = head.roles.join(", ");
  return el(
    "tr",
    { "data-n": n2, "data-kind": head.kind },
    el("th", { scope: "row" }, el("button", opens, headName(head))),
    el("td", { class: roles ? "role" : "role none", title: roles || tr("no role") }, roles || "–"),
    ...columns.map((score) => cell(heads2, n2, score))
  );
}
function cell(heads2, n2, score) {
  const { meta } = heads2;
  const numbers = Array.from({ length: STATS }, (_, k) => heads2.stat(n2, score.name, k));
  const [mean, spread] = numbers;
  const quantiles = numbers.slice(2, HIGHEST + 1);
  const [low, high] = numbers.slice(HIGHEST + 1).map(number);
  if (Number.isNaN(mean)) return el("td", { class: "score" }, el("b", {}, "–"));
  const most = meta.heads.map(
    ({ kind }, m) => kind === meta.kind ? heads2.stat(m, score.name, HIGHEST) : NaN
  );
  const scale = scaleOf2(score, most);
  const drawn2 = Number.isNaN(quantiles[0]) ? [mean, mean, mean, mean, mean] : quantiles;
  const [q05, q25, q50, q75, q95] = drawn2.map((value) => 100 * along(value, scale));
  const band = (look2, from2, to2) => el("i", { class: look2, style: `left:${from2.toFixed(2)}%;width:${(to2 - from2).toFixed(2)}%` });
  const median = el("i", { class: "median", style: `left:${q50.toFixed(2)}%` });
  const strip = el("span", { class: "strip" }, band("most", q05, q95), band("half", q25, q75), median);
  const [from, , middle, , to] = quantiles.map(number);
  const numbersIn = { mean: number(mean), spread: number(spread), middle, from, to, low, high };
  const words = tr(
    "mean {mean} (95 % interval {low} to {high}), standard deviation {spread}, median {middle}, 5 to 95 % of the sentences {from} to {to}",
    numbersIn
  );
  return el("td", { class: "score", title: words }, strip, el("b", {}, number(mean)));
}
function fillTable(atlas) {
  const { heads: heads2 } = atlas;
  const { meta, own } = heads2;
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
  const scores2 = heads2.known.map(({ name, label: label2 }) => [name, label2]);
  if (own.score && !heads2.known.some(({ name }) => name === own.score))
    Object.assign(own, { score: "", sort: "model" });
  fillChooser(atlas.score, [["", tr("the model’s order")], ...scores2], own.sort === "model" ? "" : own.score);
  const { order, columns } = heads2;
  atlas.head.replaceChildren(...headCells(atlas, columns));
  atlas.rows.replaceChildren(...order.map((n2) => headRow(heads2, columns, n2)));
  atlas.table.classList.toggle("empty", !order.length);
  const score = heads2.named;
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
  const [top, tall2] = [row.offsetTop, row.offsetHeight];
  if (top < scrollTop + tall2 || top + tall2 > scrollTop + clientHeight)
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
var GAP2 = 12;
var BESIDE = 168;
var LIST = 470;
var HALL2 = 430;
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
    const rowOf2 = (event) => {
      const row = event.target.closest("tr[data-n]");
      return row ? Number(row.dataset.n) : -1;
    };
    this.rows.addEventListener("pointerover", (event) => this.hover(rowOf2(event)));
    this.rows.addEventListener("pointerleave", () => this.hover(-1));
    this.rows.addEventListener("click", (event) => this.pick(rowOf2(event)));
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
    this.panels = panelsOf(kinds, this.heads.meta.kind, room, MAP * u, GAP2 * u, BESIDE * u);
    this.size = [room, MAP * u];
    this.spots = spotsOf(this.heads.meta.heads, this.panels, u);
    this.list.style.maxHeight = `${inSight(this.host, LIST, HALL2) * u}px`;
  }
  draw() {
    const [width2, height] = this.size;
    paintMaps(canvasPainter(fitCanvas(this.maps, width2, height)), this);
    const { heads: heads2 } = this;
    for (const row of this.rows.children) {
      const n2 = Number(row.dataset.n);
      row.classList.toggle("hovered", n2 === this.hovered);
      row.toggleAttribute("data-open", n2 === heads2.open);
    }
    this.parts.tell({ readout: headSentence(heads2, this.hovered >= 0 ? this.hovered : heads2.open) });
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

// heads/typical.ts
var TALL = 400;
var Typical = class {
  constructor(root, host) {
    this.host = host;
    this.plot = new Plot(this.canvas, () => heatmap(this.sheet, focusOn(null), host.colours));
    const menu = exportMenu(host, {
      name: () => this.data.file,
      who: () => this.data.label,
      about: () => "",
      size: () => [this.plot.frame.width, this.plot.frame.height],
      draw: (p) => this.plot.paint(p),
      rows: () => [TABLE_HEAD, ...tableOf(this.sheet, this.data.kind === "encoder", csvNumber)]
    });
    this.node.append(el("div", { class: "typical-save" }, menu), this.canvas);
    root.append(this.node);
  }
  host;
  canvas = el("canvas", { class: "picture", role: "img" });
  node = el("div", { class: "typical" });
  plot;
  data;
  sheet;
  update(data) {
    this.data = data;
    const words = data.reads.length ? { rows: data.rows, reads: data.reads } : { rows: data.rows };
    const width2 = data.cols.length;
    const table = rampTable(this.host.colours.panel, this.host.colours[data.kind]);
    this.sheet = makeSheet({ ...words, cols: data.cols }, (i, j) => data.values[i * width2 + j], table);
    this.canvas.setAttribute("aria-label", data.label);
    this.relayout();
  }
  relayout() {
    const limits = { tall: inSight(this.host, TALL, 330, this.sheet.rows.length), cap: 36 };
    this.plot.frame = heatGeometry(this.sheet, this.node.clientWidth, this.host.scale, limits);
    this.plot.draw();
  }
};
var typical_default = viewOf(Typical);

// inside/answer_pens.ts
function paintStep({ p, c, u }, number2, x, y, r, size) {
  p.circle(x, y, r, { fill: c.ink });
  const pen = { ...AT_CENTRE, size: typeSize(size, u), weight: 650, fill: c.panel };
  p.text(x, y + 0.5, String(number2), pen);
}
function heading(pens, { number: number2, title: title2, note }, x, y, right) {
  const { p, c, u } = pens;
  const [size, small] = [typeSize(16, u), typeSize(13, u)];
  const r = 11 * u;
  paintStep(pens, number2, x + r, y, r, 12.5);
  const left = x + 2 * r + 9 * u;
  p.text(left, y, title2, { ...AT_LEFT, size, weight: 650, fill: c.ink });
  const from = left + textWidth(title2, size, false, 650) + 14 * u;
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
  const longest = Math.max(...data.lines.map(({ label: label2 }) => textWidth(visible(label2), size)));
  const names = Math.min(longest + 12 * u, room * (wide ? 0.16 : 0.24));
  const laid = laidOut(pens, data, names);
  let top = heads(pens, laid, above + 20 * u);
  const ramp = rampTable(c.panel, pens.kind);
  const ends2 = laid.map((_, n2) => {
    const sizes = data.lines.map((line2) => line2.sizes[n2]);
    return [Math.min(0, ...sizes), Math.max(...sizes, 0)];
  });
  data.lines.forEach((line2, n2) => {
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
    paintLine(pens, line2, laid, ends2, ramp, { x: 0, y: top, w: names, h: height });
    if (strong && wide) paintShare(pens, data.share, top + height / 2 + 0.5);
    pens.spots.push({ box: { x: 0, y: top, w: room, h: height }, line: n2 });
    laid.forEach(
      ({ left, right }, column2) => pens.spots.push({ box: { x: left, y: top, w: right - left, h: height }, line: n2, column: column2 })
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
    (column2, n2) => Math.max(
      ...data.lines.map(
        ({ cells: cells2 }, line2) => textWidth(cells2[n2], line2 === data.chosen ? strong : size, false, line2 === data.chosen ? 650 : 400)
      ),
      column2.look === "weight" ? (wide ? 96 : 46) * u : 0
    )
  );
  const bars = data.columns.filter(({ look: look2 }) => look2 === "bar").length;
  const share = wide ? textWidth(`= ${data.share}`, strong, false, 650) + 14 * u : 0;
  const gap = (wide ? 30 : 8) * u;
  const spare = room - names - share - own.reduce((sum, each) => sum + each + gap, 0);
  const bar = wide ? Math.max(0, Math.min(190 * u, spare / Math.max(1, bars))) : 0;
  const loose = wide ? Math.max(0, spare - bar * bars) / data.columns.length : Math.max(0, spare) / data.columns.length;
  let x = names;
  return data.columns.map((column2, n2) => {
    const wanted = column2.look === "bar" ? bar : 0;
    const left = x + gap + (column2.look === "weight" ? 0 : loose);
    const right = left + wanted + own[n2];
    x = right + (column2.look === "weight" ? loose : 0);
    return { column: column2, left, right, bar: wanted };
  });
}
function heads(pens, laid, y) {
  const { p, c, u, room, wide } = pens;
  const small = typeSize(12.5, u);
  const notes = wide && laid.every(({ column: column2, left }, n2) => fits(column2, left, laid[n2 + 1]?.left ?? room, u));
  laid.forEach(({ column: column2, left, right }, n2) => {
    const { step, name } = column2;
    const end = (laid.slice(n2 + 1).find((each) => each.column.step)?.left ?? room) - 12 * u;
    if (step && wide) heading(pens, notes ? step : { ...step, note: "" }, left, y, end);
    else if (step) paintStep(pens, step.number, right - 8 * u, y, 8 * u, 11);
    if (step && wide && !notes)
      p.text(left, y + 24 * u, shorten(step.note, end - left, small, false), { size: small, fill: c.muted });
    if (!step && wide)
      p.text(right, y, name, { ...AT_RIGHT, size: typeSize(13.5, u), weight: 600, fill: c.ink });
    if (!wide) {
      const room_ = right - (laid[n2 - 1]?.right ?? 0) - 4 * u;
      p.text(right, y + 22 * u, shorten(narrowName(column2), room_, small, false), {
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
function paintLine(pens, line2, laid, ends2, ramp, box) {
  const { p, c, u, wide } = pens;
  const strong = box.h > PLAIN * u;
  const size = strong ? typeSize(wide ? STRONG : 13, u) : typeSize(wide ? 13.5 : 12.5, u);
  const look2 = { size, middle: box.y + box.h / 2 + 0.5, strong, single: line2.key !== null, box };
  const label2 = shorten(visible(line2.label), box.w - 10 * u, size, look2.single);
  p.text(10 * u, look2.middle, label2, {
    ...AT_LEFT,
    size,
    mono: look2.single,
    weight: strong ? 650 : 400,
    fill: strong || look2.single && !isSpecial(line2.label) ? c.ink : c.muted
  });
  laid.forEach((at, n2) => {
    if (at.column.look === "weight") return paintWeight(pens, line2.cells[n2], line2.sizes[n2], ramp, at, look2);
    if (at.bar > 20 * u && look2.single) paintBar(pens, line2.sizes[n2], ends2[n2], at, look2);
    paintNumber(pens, line2.cells[n2], n2, laid, look2);
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
  const { column: column2, right } = laid[n2];
  const plain2 = column2.look === "number" ? c.muted : c.ink;
  p.text(right, middle, digits, {
    ...AT_RIGHT,
    size,
    weight: strong ? 650 : 400,
    fill: strong ? n2 ? c.ink : ink : plain2
  });
  const next = laid.at(n2 + 1);
  if (strong && wide && next && next.left - right > 26 * u && column2.step !== next.column.step)
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
  const rows = laid.filter(({ column: column2 }) => column2.foot);
  if (!rows.length) return top + 4 * u;
  const middle = top + 17 * u;
  if (!wide) {
    rows.forEach(
      ({ column: column2 }, n2) => p.text(room - 4 * u, middle + n2 * size * 1.5, column2.foot, {
        ...AT_RIGHT,
        size,
        weight: 600,
        fill: c.ink
      })
    );
    return middle + rows.length * size * 1.5;
  }
  for (const { column: column2, left, right } of rows) {
    const last = column2.look === "weight";
    if (!last) p.rect(left, top + 3 * u, right - left, 1, { fill: c.ink });
    p.text(
      last ? Math.min(left, room - textWidth(column2.foot, size, false, 600)) : right,
      middle,
      column2.foot,
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
  const widest2 = Math.max(
    ...both.flatMap(({ vector }) => vector.digits.map((each) => textWidth(each, type, true)))
  );
  const side = sideOf(pens);
  const whole = cellsOf(data.products.length, widest2, room - side, type);
  const cells2 = pens.short ? { ...whole, h: Math.min(whole.h, SHORT2 * u) } : whole;
  const table = divergingTable(c);
  const position2 = placer("diverging", top);
  const fills = both.map(({ vector }) => Array.from(vector.values, (value) => table[position2(value)]));
  let y = 35 * u;
  if (!wide) y = paintNamesAbove(pens, both, y);
  for (let first = 0; first < data.products.length; first += cells2.perLine) {
    const last = Math.min(first + cells2.perLine, data.products.length);
    both.forEach((named, n2) => {
      const line2 = y + n2 * (cells2.h + 3 * u);
      if (wide && !first) paintNameBeside(pens, named, line2, cells2.h, side);
      else if (!wide) pens.p.rect(0, line2, 2.5 * u, cells2.h, { fill: named.colour });
      for (let i = first; i < last; i++) {
        const box = { x: side + (i - first) * cells2.w, y: line2, w: cells2.w, h: cells2.h };
        const look2 = { fill: fills[n2][i], type, turned: cells2.turned, marked: pens.hovered === i };
        paintNumber2(pens, named.vector.digits[i], box, look2);
        pens.spots.push({ box: { ...box, h: cells2.h + 3 * u }, dimension: i, line: -1 - n2 });
      }
    });
    y += 2 * (cells2.h + 3 * u) + (cells2.perLine < data.products.length ? 5 * u : 0);
  }
  return y;
}
function cellsOf(count, widest2, room, type) {
  const flat = widest2 + 5;
  const upright = type + 3;
  if (count * flat <= room) return { perLine: count, w: room / count, h: type * 2.1, turned: false };
  if (count * upright <= room) return { perLine: count, w: room / count, h: widest2 + 9, turned: true };
  const fits2 = Math.max(1, Math.floor(room / flat));
  const perLine = Math.ceil(count / Math.ceil(count / fits2));
  return { perLine, w: room / perLine, h: type * 2.1, turned: false };
}
function paintHeading(pens, data, top) {
  const { p, c, u, room } = pens;
  const stops = centred(`−${fixed(top, 1)}`, fixed(top, 1));
  const legend2 = 150 * u;
  const end = heading(pens, data.steps[0], 0, 13 * u, room);
  const scale = { table: divergingTable(c), words: "", stops };
  if (end + legend2 < room) paintLegend(p, room - legend2 + 20 * u, 2 * u, u, scale, c);
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
    if (!pens.short) rowWords2(pens, vector, after, middle + 4.5 * u, side - 8 * u - after);
    return;
  }
  p.text(11 * u, middle - 4 * u, vector.name, { size: typeSize(14, u), weight: 650, fill: ink });
  rowWords2(pens, vector, 11 * u, middle + 13 * u, side - 19 * u);
}
function paintNumber2({ p, c, u, short }, digits, { x, y, w: full2, h }, look2) {
  const { fill: fill2, type, turned, marked } = look2;
  const w = full2 - Math.min(2 * u, full2 * 0.15);
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
function rowWords2({ p, c, u }, { small, word }, x, y, room) {
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
var WIDE2 = 720;
function paintAnswer(painter, data, room, u, c, hovered = null, short = 0) {
  const spots = [];
  const own = { ink: c[`${data.kind}_text`], kind: c[data.kind] };
  const pens = { p: painter ?? SILENT, c, u, ...own, room, wide: room >= WIDE2 * u, short, hovered, spots };
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
    lines: data.lines.map((line2) => ({ ...line2, cells: line2.cells.map(localised) }))
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
  for (const { key, label: label2, cells: cells2, sizes } of data.lines)
    data.columns.forEach(
      ({ name }, n2) => lines.push(["key", key ?? "", label2, name, cells2[n2], csvNumber(sizes[n2])])
    );
  return lines;
}
function tipOf(data, { dimension, line: line2, column: column2 }) {
  if (dimension !== void 0)
    return tr("Dimension {number}: {query} × {key} = {product}", {
      number: dimension,
      query: data.query.digits[dimension],
      key: data.key.digits[dimension],
      product: fixed(data.products[dimension], 2).replace("-", "−")
    });
  const at = line2 === void 0 ? void 0 : data.lines[line2];
  if (!at || at.key === null) return "";
  if (line2 !== data.chosen)
    return tr("Ask about “{word}”: {share}", {
      word: at.label,
      share: percent(at.sizes[at.sizes.length - 1])
    });
  return column2 === void 0 ? "" : tr("See how {number} is computed", { number: at.cells[column2] });
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
    const { row, column: column2, lines, columns, chosen: chosen2 } = this.data;
    const ask = (name, i, j) => this.host.trigger("asked", { card: name, cell: [i, j] });
    if (spot.dimension !== void 0) {
      if (spot.line === -1) ask("q_head", row, spot.dimension);
      else if (spot.line === -2) ask("k_head", column2, spot.dimension);
      else ask("products", row, column2);
      return;
    }
    const line2 = lines[spot.line ?? -1];
    if (!line2 || line2.key === null) return;
    if (spot.line !== chosen2) this.host.trigger("column", line2.key);
    else if (spot.column !== void 0) ask(columns[spot.column].card, row, column2);
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
      ({ label: label2, cells: cells2 }) => el("tr", {}, el("th", { scope: "row" }, visible(label2)), ...cells2.map((each) => el("td", {}, each)))
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

// inside/inside_numbers.ts
var MANY = 600;
var DIGITS = 4;
function numeral(value, most = DIGITS) {
  if (typeof value === "string") return value;
  if (value === null) return "–";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6)
    return localised(value.toExponential(2)).replaceAll("-", "−").replace("+", "");
  const digits = Math.max(0, most - 1 - Math.max(-1, Math.floor(Math.log10(size))));
  return minus(fixed(value, Math.min(digits, most)));
}
var signed = (value) => value > 0 ? `+${numeral(value)}` : numeral(value);
var CardNumbers = class {
  constructor(meta) {
    this.meta = meta;
  }
  meta;
  at(i, j) {
    return this.meta.values[i * this.meta.cols.length + j];
  }
  /** The row of the token in hand among those drawn, or −1. */
  get focus() {
    const { focus, first, rows } = this.meta;
    const row = focus === null ? -1 : focus - first;
    return row < rows.length ? row : -1;
  }
  /** The size in full colour: of many numbers, all but the largest hundredth are smaller. */
  get top() {
    if (this.meta.look === "share") return 1;
    const sizes = Float64Array.from(this.meta.values, Math.abs).filter(Number.isFinite).sort();
    if (!sizes.length) return 1;
    const last = sizes.length - 1;
    return sizes[sizes.length > MANY ? Math.floor(0.99 * last) : last] || 1;
  }
  /** Whether some numbers are larger than full colour. */
  get clipped() {
    const { top } = this;
    return this.meta.look === "signed" && this.meta.values.some((v) => Number.isFinite(v) && Math.abs(v) > top);
  }
  sheet(diverging, ramp) {
    const share = this.meta.look === "share";
    const { rows, cols } = this.meta;
    const at = (i, j) => Number.isFinite(this.at(i, j)) ? this.at(i, j) : NaN;
    const look2 = share ? { scale: "weight", top: this.top, unit: "share" } : { scale: "diverging", top: this.top, unit: "number" };
    return makeSheet({ rows, cols }, at, share ? ramp : diverging, look2);
  }
  /** A cell in words. */
  cell({ row, col }) {
    const { rows, cols, col_axis } = this.meta;
    const column2 = /^\d+$/.test(cols[col]) ? `${columnWord(col_axis)} ${cols[col]}` : quoted(visible(cols[col]));
    return phrase(tr("{row} · {column}: {number}"), {
      row: { strong: quoted(visible(rows[row])) },
      column: { strong: column2 },
      number: { kind: numeral(this.at(row, col)) }
    });
  }
  /** Every number as a line of a table. */
  table() {
    const { key, rows, cols, first } = this.meta;
    const lines = [["card", "row", "row_token", "column", "column_name", "value"]];
    rows.forEach(
      (word, i) => cols.forEach((name, j) => lines.push([key, first + i, word, j, name, csvNumber(this.at(i, j))]))
    );
    return lines;
  }
};
var columnWord = (axis) => axis === "d_ff" ? tr("unit") : /^.* · d_head$/.test(axis) ? tr("column") : tr("dimension");
function termTable(why) {
  const lines = [["kind", "place", "name", "a", "b", "value"]];
  const { a, b, terms: terms2 } = why;
  const names = new Map(why.largest.map(({ index, name }) => [index, name]));
  if (terms2.length)
    Array.from(
      terms2,
      (value, n2) => lines.push([
        "term",
        n2,
        names.get(n2) ?? "",
        a.length ? csvNumber(a[n2]) : "",
        b.length ? csvNumber(b[n2]) : "",
        csvNumber(value)
      ])
    );
  else
    for (const { index, name, value } of why.largest)
      lines.push(["term", index, name, "", "", csvNumber(value)]);
  lines.push(["sum", "", "", "", "", csvNumber(why.total)]);
  for (const [op, name, number2, result] of why.steps)
    lines.push(["step", op, name, number2 ?? "", "", result ?? ""]);
  lines.push(["value", "", why.formula, "", "", why.value ?? ""], ["shown", "", "", "", "", why.shown ?? ""]);
  return lines;
}
function runningSum(terms2, count) {
  const parts = Math.min(terms2.length, Math.max(1, count));
  let [sum, n2] = [0, 0];
  return Array.from({ length: parts }, (_, part) => {
    const to = Math.floor((part + 1) * terms2.length / parts);
    for (; n2 < to; n2++) sum += terms2[n2];
    return sum;
  });
}
function strongestOf(values, count) {
  const parts = Math.min(values.length, Math.max(1, count));
  return Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((n2) => Math.floor(n2 * values.length / parts));
    let best = values[from];
    for (let n2 = from; n2 < to; n2++) if (Math.abs(values[n2]) > Math.abs(best)) best = values[n2];
    return best;
  });
}

// inside/inside_overview.ts
var insideTitle = (meta) => phrase(
  meta.writes ? tr("Head {head} of {kind}, at {token}, which writes {word}") : tr("Head {head} of {kind}, at {token}"),
  {
    head: { kind: `${meta.layer}.${meta.head}` },
    kind: meta.attention,
    token: strongly(meta.token),
    word: strongly(meta.writes)
  }
);
var Turning = class {
  before;
  after;
  node;
  constructor(step) {
    this.before = el("button", { class: "button", onclick: () => step(-1) });
    this.after = el("button", { class: "button", onclick: () => step(1) });
    this.node = el("div", { class: "inside-turning" }, this.before, this.after);
  }
  show(before, after) {
    say(this.before, before ? [`← ${before}`] : []);
    say(this.after, after ? [`${after} →`] : []);
    this.before.hidden = !before;
    this.after.hidden = !after;
  }
};
var answers = (why, stamp, key, asked2) => asked2 !== null && why?.stamp === stamp && why.card === key && why.row === asked2[0] && why.column === asked2[1];
var THUMB = [54, 22];
var Flow = class {
  constructor(host, open) {
    this.host = host;
    this.open = open;
  }
  host;
  open;
  node = el("nav", { class: "flow", "aria-label": tr("Operations") });
  steps = /* @__PURE__ */ new Map();
  shape = "";
  update(cards, kind) {
    const shape = JSON.stringify(cards.map(({ meta }) => [meta.key, meta.title]));
    if (shape !== this.shape) this.build(cards);
    this.shape = shape;
    const { colours: c, scale: u } = this.host;
    const [diverging, ramp] = [divergingTable(c), rampTable(c.panel, c[kind])];
    for (const numbers of cards) {
      const canvas = this.steps.get(numbers.meta.key)?.canvas;
      if (!canvas) continue;
      const [w, h] = THUMB.map((side) => side * u);
      const painter = canvasPainter(fitCanvas(canvas, w, h));
      paintPixels(painter, numbers.sheet(diverging, ramp), { x: 0, y: 0, w, h }, c);
    }
  }
  build(cards) {
    this.steps.clear();
    let part = "";
    const nodes = cards.map(({ meta }) => {
      const canvas = el("canvas", { "aria-hidden": "true" });
      const looks = {
        class: "flow-step",
        title: labelled(meta.title, meta.formula),
        "aria-label": labelled(meta.short, meta.title)
      };
      const button = el(
        "button",
        { ...looks, onclick: () => this.open(meta.key) },
        canvas,
        el("span", {}, meta.short)
      );
      this.steps.set(meta.key, { button, canvas });
      const name = el("span", { class: "flow-name" }, meta.part === part ? "" : meta.part);
      part = meta.part;
      return el("div", { class: "flow-place" }, name, button);
    });
    this.node.replaceChildren(...nodes);
  }
  /**
   * @param key the operation that is open
   * @param reads those it is computed from
   */
  mark(key, reads) {
    for (const [own2, { button: button2 }] of this.steps) {
      button2.setAttribute("aria-current", own2 === key ? "step" : "false");
      button2.classList.toggle("flow-read", reads.includes(own2));
    }
    const button = this.steps.get(key)?.button;
    if (!button || this.node.scrollWidth <= this.node.clientWidth) return;
    const [own, all] = [button.getBoundingClientRect(), this.node.getBoundingClientRect()];
    this.node.scrollLeft += own.left - all.left - (all.width - own.width) / 2;
  }
};
var TIME = 180;
function snapshot(row) {
  if (!row || reducedMotion() || row.width < 1) return null;
  const { from, ...bounds } = row;
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(bounds.width * ratio), Math.max(1, Math.round(bounds.height * ratio))];
  const picture = el("canvas", { class: "inside-flying", width: w, height: h, "aria-hidden": "true" });
  context2d(picture).drawImage(from.canvas, from.x * ratio, from.y * ratio, w, h, 0, 0, w, h);
  return { bounds, picture };
}
function fly(host, before, after) {
  if (!before || !after) return () => {
  };
  const { picture, bounds } = before;
  const root = host.root.getBoundingClientRect();
  host.root.append(picture);
  const stop = animate((share) => {
    const now = (side) => bounds[side] + (after[side] - bounds[side]) * share;
    picture.style.cssText = `left:${now("left") - root.left}px;top:${now("top") - root.top}px;width:${now("width")}px;height:${now("height")}px;opacity:${1 - 0.6 * share}`;
    if (share === 1) picture.remove();
  }, TIME);
  return () => {
    stop();
    picture.remove();
  };
}

// inside/inside_why.ts
var STRIP = 15;
var GAP3 = 7;
var CURVE = 64;
var WORDS = {
  relu: "ReLU",
  gelu: "GELU",
  gelu_tanh: "GELU",
  silu: "SiLU",
  sin: "sin",
  cos: "cos",
  of: "÷"
};
function strips(why) {
  const { a, b, terms: terms2 } = why;
  if (terms2.length < 2) return [];
  const factors = a.length ? [
    [why.a_name, a],
    [`× ${why.b_name}`, b]
  ] : [];
  return [...factors, [a.length ? tr("= products") : why.what || tr("terms"), terms2]];
}
var termsHeight = (why, u) => {
  const count = strips(why).length;
  return count ? (count * (STRIP + GAP3) + CURVE + 14) * u : 0;
};
function paintTerms(p, why, room, u, c, ink) {
  const rows = strips(why);
  if (!rows.length) return;
  const size = typeSize(12, u);
  const table = divergingTable(c);
  const names = [...rows.map(([name]) => name), tr("running sum")];
  const left = Math.min(room * 0.36, Math.max(...names.map((name) => textWidth(name, size, false))) + 10 * u);
  const end = textWidth(`Σ ${numeral(why.total)}`, size, false) + 16 * u;
  const width2 = Math.max(40, room - left - end);
  const label2 = (words, y) => p.text(left - 8 * u, y, shorten(words, left - 8 * u, size, false), { ...AT_RIGHT, size, fill: c.muted });
  rows.forEach(([name, values], n2) => {
    const y = n2 * (STRIP + GAP3) * u;
    const shown2 = strongestOf(values, Math.floor(width2));
    const top = Math.max(...shown2.map(Math.abs)) || 1;
    const position2 = placer("diverging", top);
    const w = width2 / shown2.length;
    p.rect(left, y, width2, STRIP * u, { fill: c.soft });
    shown2.forEach(
      (value, k) => p.rect(left + k * w, y, Math.max(0.5, w - (w > 5 * u ? u : 0)), STRIP * u, {
        fill: table[position2(value)]
      })
    );
    label2(name, y + STRIP / 2 * u);
  });
  const above = rows.length * (STRIP + GAP3) * u + 4 * u;
  paintCurve(p, why, { x: left, y: above, w: width2, h: CURVE * u }, u, c, ink);
  label2(tr("running sum"), above + CURVE / 2 * u);
}
function paintCurve(p, why, { x, y, w, h }, u, c, ink) {
  const { terms: terms2 } = why;
  const sums = [0, ...runningSum(terms2, Math.min(terms2.length, Math.floor(w)))];
  const [low, high] = [Math.min(...sums), Math.max(...sums)];
  const toY = (value) => y + h - (value - low) / (high - low || 1) * h;
  p.rect(x, toY(0), w, 1, { fill: c.line });
  const at = (n2) => `${(x + n2 * w / (sums.length - 1)).toFixed(2)} ${toY(sums[n2]).toFixed(2)}`;
  p.path(sums.map((_, n2) => `${n2 ? "L" : "M"}${at(n2)}`).join(""), { stroke: ink, width: 1.8 * u });
  p.circle(x + w, toY(sums[sums.length - 1]), 3.2 * u, { fill: ink });
  const words = `Σ ${numeral(why.total)}`;
  p.text(x + w + 8 * u, toY(sums[sums.length - 1]), words, {
    size: typeSize(12, u),
    baseline: "middle",
    weight: 600,
    fill: c.ink
  });
}
var WhyBox = class {
  constructor(host, cellName) {
    this.host = host;
    this.cellName = cellName;
    const head = el(
      "div",
      { class: "why-head" },
      el("div", {}, this.question, this.formula),
      exportMenu(host, this.leaving())
    );
    this.node = el(
      "div",
      { class: "why", hidden: true },
      head,
      el("div", { class: "why-body" }, this.picture, this.list)
    );
  }
  host;
  cellName;
  question = el("h4", { class: "why-question" });
  formula = el("p", { class: "why-formula" });
  canvas = el("canvas", { class: "picture", role: "img" });
  list = el("ol", { class: "why-terms" });
  steps = el("p", { class: "why-steps" });
  why = null;
  picture = el("div", { class: "why-picture" }, this.canvas, this.steps);
  node;
  leaving() {
    const u = () => this.host.scale;
    const room = () => exportWidth(this.picture.clientWidth, u());
    return {
      name: () => `why-${this.why?.card}-${this.why?.row}-${this.why?.column}`,
      title: () => this.question.textContent ?? "",
      subtitle: () => this.formula.textContent ?? "",
      size: () => [room(), this.why ? termsHeight(this.why, u()) : 0],
      draw: (p) => this.why && paintTerms(p, this.why, room(), u(), this.host.colours, this.ink),
      words: () => this.steps.textContent ?? "",
      rows: () => this.why ? termTable(this.why) : []
    };
  }
  get ink() {
    return getComputedStyle(this.node).getPropertyValue("--kind-text").trim() || this.host.colours.ink;
  }
  /** @param why null if no number is selected */
  show(why) {
    this.why = why;
    this.node.hidden = !why;
    this.node.classList.remove("why-waiting");
    if (!why) return;
    say(this.question, [
      tr("Why is this {number}?", { number: numeral(why.shown) }),
      { muted: this.cellName(why.row, why.column) }
    ]);
    this.formula.textContent = why.formula;
    this.steps.replaceChildren(...chain(why));
    this.list.replaceChildren(...terms(why));
    this.list.hidden = why.count < 2;
    this.draw();
  }
  draw() {
    const { why, host } = this;
    if (!why || this.node.hidden) return;
    const height = termsHeight(why, host.scale);
    this.canvas.hidden = !height;
    if (!height) return;
    const room = this.picture.clientWidth;
    const painter = canvasPainter(fitCanvas(this.canvas, room, height));
    paintTerms(painter, why, room, host.scale, host.colours, this.ink);
    this.canvas.setAttribute(
      "aria-label",
      plural("{count} term, together {total}", "{count} terms, together {total}", why.count, {
        total: numeral(why.total)
      })
    );
  }
};
var sumName = ({ what, count }) => what ? tr("Σ of {count} × {what}", { count: grouped(count), what }) : tr("Σ of {count} terms", { count: grouped(count) });
function chain(why) {
  const first = why.count > 1 ? sumName(why) : why.largest[0].name;
  const pieces = [el("span", { class: "why-step" }, `${first} `, el("b", {}, numeral(why.total)))];
  let now = numeral(why.total);
  for (const [op, name, number2, result] of why.steps) {
    const sign = WORDS[op] ?? op;
    const share = op === "of" ? el("b", {}, `${numeral(number2 ?? 0)} ÷ ${now}`) : null;
    const piece = number2 === null ? [sign] : [`${sign} ${name} `, el("b", {}, numeral(number2))];
    pieces.push(el("span", { class: "why-step" }, ...share ? [labelled(name, ""), share] : piece));
    now = numeral(result);
  }
  const equal = el("span", { class: "why-step why-value" }, "= ", el("b", {}, numeral(why.value)));
  return [...pieces, equal];
}
function terms(why) {
  const most = Math.max(...why.largest.map(({ value }) => Math.abs(value)), Math.abs(why.others)) || 1;
  const own = why.steps.find(([op]) => op === "of")?.[2];
  const lines = why.largest.map((term) => line(term, most, term.value === own));
  const rest = why.count - why.largest.length;
  if (rest > 0) {
    const name = plural("{count} other term", "{count} other terms together", rest);
    lines.push(line({ index: -1, name, value: why.others, a: null, b: null }, most));
  }
  return lines;
}
function line({ name, value, a, b }, most, own = false) {
  const share = 50 * Math.abs(value) / most;
  const bar = el("i", { class: value < 0 ? "why-bar why-less" : "why-bar" });
  bar.style.cssText = value < 0 ? `right:50%;width:${share}%` : `left:50%;width:${share}%`;
  const product = a === null || b === null ? "" : `${numeral(a, 3)} × ${numeral(b, 3)}`;
  return el(
    "li",
    { class: own ? "why-own" : null },
    el("span", { class: "why-name" }, name),
    el("span", { class: "why-product" }, product),
    el("span", { class: "why-track" }, bar),
    el("span", { class: "why-number" }, signed(value))
  );
}

// inside/inside_section.ts
var LEAST_CELL = 3;
var WIDEST = 8e3;
var BESIDE2 = 0.62;
var LEAST_ROOM = 760;
var hint2 = () => TOUCH ? tr("Tap a number to see its terms") : tr("Click a number to see its terms");
var closing = () => TOUCH ? tr("Tap it again to close the answer") : tr("Esc closes the answer");
var Section = class {
  constructor(view2, numbers) {
    this.view = view2;
    this.numbers = numbers;
    const { host } = view2;
    this.host = host;
    this.parts = card(el("div"), "inside-card");
    this.node = this.parts.node;
    this.why = new WhyBox(
      host,
      (row, column2) => this.nameOf({ row: row - this.numbers.meta.first, col: column2 })
    );
    const matrix2 = el("div", { class: "inside-matrix" }, this.labels, this.scroller);
    const foot = el("div", { class: "foot" }, this.legend, this.shape);
    this.body = el(
      "div",
      { class: "inside-body" },
      el("div", { class: "inside-drawn" }, matrix2, foot),
      this.why.node
    );
    this.parts.body.append(this.body, this.parts.readout);
    this.parts.controls.append(exportMenu(host, this.leaving()));
    listenToMap(this.cells, {
      hit: (x, y) => heatHit(this.geometry, x + this.geometry.box.x, y),
      hover: (at) => this.hover(cellAt(at)),
      pin: (at) => this.view.pin(this.numbers.meta.key, cellAt(at) ?? (at ? null : this.pinned)),
      cell: () => this.at,
      size: () => [numbers.meta.rows.length, numbers.meta.cols.length]
    });
  }
  view;
  numbers;
  host;
  parts;
  node;
  labels = el("canvas", { class: "picture", "aria-hidden": "true" });
  cells = el("canvas", { class: "picture inside-cells", tabindex: 0, role: "application" });
  scroller = el("div", { class: "scroller" }, this.cells);
  legend = el("canvas", { class: "picture" });
  shape = el("span", { class: "inside-shape" });
  why;
  body;
  hovered = null;
  geometry;
  sheet;
  cache = {};
  get pinned() {
    return this.view.pinnedIn(this.numbers.meta.key);
  }
  /** The number that the sentence is about: pointed at, asked about, or the first of the token's row. */
  get at() {
    return this.hovered ?? this.pinned ?? { row: Math.max(0, this.numbers.focus), col: 0 };
  }
  hover(at) {
    if (sameCell(at, this.hovered)) return;
    this.hovered = at;
    this.draw();
  }
  nameOf(at) {
    return plain(this.numbers.cell(at)).replace(/\s*: [^:]*$/, "");
  }
  /** New numbers or colours. */
  update(numbers) {
    this.numbers = numbers;
    this.hovered = null;
    this.layout();
  }
  /** Redraws everything for the current width. */
  layout() {
    const { host, numbers } = this;
    const c = host.colours;
    const { title: title2, formula, says, shape, row_axis, col_axis, of, rows, look: look2 } = numbers.meta;
    this.sheet = numbers.sheet(divergingTable(c), rampTable(c.panel, c[this.view.meta.kind]));
    this.cache = {};
    this.parts.tell({ title: [title2, { muted: `   ${formula}` }], subtitle: says });
    const part = tr("{count} of {total} rows, around the token", { count: rows.length, total: of });
    const drawn2 = of > rows.length ? [shape, part] : [shape];
    this.shape.textContent = [`${row_axis} ↓`, `${col_axis} →`, ...drawn2].join(" · ");
    const room = this.parts.body.clientWidth;
    this.geometry = matrixGeometry(this.sheet, room, host.scale);
    const beside = this.geometry.width < BESIDE2 * room && room > LEAST_ROOM * host.scale;
    this.body.classList.toggle("beside", beside);
    this.body.style.setProperty("--matrix", `${Math.max(this.geometry.width, 320 * host.scale)}px`);
    drawLegend(this.legend, host.scale, this.legendWords(), c);
    this.legend.setAttribute(
      "aria-label",
      look2 === "share" ? tr("shares from 0 to 1") : tr("numbers up to ±{most}", { most: numeral(numbers.top) })
    );
    this.draw();
    this.reveal();
    this.why.draw();
  }
  legendWords() {
    const { numbers, sheet } = this;
    if (numbers.meta.look === "share")
      return { table: sheet.table, ...weightAxis("weight", 1), words: tr("share of the row") };
    const [most, beyond] = [numeral(numbers.top), numbers.clipped];
    const stops = centred(`${beyond ? "≤ " : ""}−${most}`, `${beyond ? "≥ " : ""}${most}`);
    return { table: sheet.table, stops, words: tr("value") };
  }
  draw() {
    const { geometry: g } = this;
    if (!g) return;
    const left = g.box.x;
    const [labels, cells2] = [
      fitCanvas(this.labels, left, g.height),
      fitCanvas(this.cells, g.width - left, g.height)
    ];
    paintMarks(canvasPainter(labels), g, matrix(this));
    paintMarks(shifted(canvasPainter(cells2), -left, 0), g, matrix(this));
    const sentence = this.numbers.cell(this.at);
    const same2 = sameCell(this.pinned, this.at);
    this.parts.tell({ readout: [...sentence, { muted: `  ${same2 ? closing() : hint2()}` }] });
    const { title: title2, rows, cols } = this.numbers.meta;
    this.cells.setAttribute(
      "aria-label",
      `${title2}, ${plural("{count} row", "{count} rows", rows.length)}, ${plural("{count} column", "{count} columns", cols.length)}. ${plain(sentence)}`
    );
  }
  /** Scroll a wide matrix to the number asked about. */
  reveal() {
    const at = this.pinned;
    const { scroller, geometry: g } = this;
    if (!at || scroller.scrollWidth <= scroller.clientWidth) return;
    const x = columnX(g, at.col) - g.box.x;
    const [left, right] = [scroller.scrollLeft, scroller.scrollLeft + scroller.clientWidth];
    if (x < left || x + g.cw > right) scroller.scrollLeft = x - scroller.clientWidth / 2;
  }
  /** Where the token's row stands on the page, and its picture; null where there is none. */
  rowOnPage() {
    const row = this.numbers.focus;
    if (row < 0 || !this.geometry || !this.cells.isConnected) return null;
    const box = this.cells.getBoundingClientRect();
    const seen = this.scroller.getBoundingClientRect();
    const y = rowY(this.geometry, row);
    const { ch, box: inner } = this.geometry;
    return {
      left: seen.left,
      top: box.top + y,
      width: Math.min(inner.w, seen.width),
      height: ch,
      from: { canvas: this.cells, y, x: this.scroller.scrollLeft }
    };
  }
  leaving() {
    return {
      name: () => `${this.view.meta.file}-${this.numbers.meta.key}`,
      who: () => this.numbers.meta.shape,
      title: () => `${this.numbers.meta.title} · ${this.numbers.meta.formula}`,
      size: () => [this.geometry.width, this.geometry.height],
      draw: (p) => paintMarks(p, this.geometry, matrix(this)),
      legend: () => this.legendWords(),
      rows: () => this.numbers.table()
    };
  }
};
function matrixGeometry(sheet, room, u) {
  const geometry = heatGeometry(sheet, room, u, { tall: 520 });
  const least = Math.min(LEAST_CELL * u, WIDEST / sheet.cols.length);
  if (geometry.cw >= least) return geometry;
  const over = geometry.width - geometry.box.x - geometry.box.w;
  return heatGeometry(sheet, geometry.box.x + least * sheet.cols.length + over, u, { tall: 520 });
}
var matrix = (section) => {
  const { numbers, sheet, host, cache } = section;
  const { focus } = numbers;
  const rows = new Set(focus < 0 ? [] : [focus]);
  const map = heatmap(sheet, { rows, cols: /* @__PURE__ */ new Set() }, host.colours, cache);
  return [...map, asked(section)];
};
var asked = ({ numbers, hovered, pinned, view: view2, host }) => (p, g) => {
  const { colours: c, scale: u } = host;
  const kind = c[view2.meta.kind];
  const { band } = numbers.meta;
  if (band)
    p.rect(columnX(g, band[0]) - 1, g.box.y - 2, (band[1] - band[0]) * g.cw + 2, g.box.h + 4, {
      stroke: kind,
      width: 2 * u,
      radius: 4
    });
  if (hovered && g.cw >= 9 * u)
    p.rect(columnX(g, hovered.col), g.box.y, g.cw, g.box.h, { stroke: c.line, width: 1 });
  for (const [at, width2] of [
    [hovered, 1.4],
    [pinned, 2.6]
  ]) {
    if (!at) continue;
    const grow = Math.max(0, (7 * u - g.cw) / 2);
    p.rect(columnX(g, at.col) - grow - 1, rowY(g, at.row) - 1, g.cw + 2 * grow + 1, g.ch + 1, {
      stroke: at === pinned ? kind : c.ink,
      width: width2 * u,
      radius: 3 * u
    });
  }
};

// inside/inside.ts
var keysOfPage = () => [
  ["N P", tr("the next operation, the one before")],
  ["← ↑ → ↓", tr("from number to number")],
  ["Enter", tr("why this number?")],
  ["Esc", tr("close the answer")],
  ["A", tr("all operations, or one")],
  ["?", tr("this list")]
];
var Inside = class {
  constructor(root, host) {
    this.host = host;
    this.flow = new Flow(host, (key) => this.open(key));
    const head = el(
      "div",
      { class: "inside-head" },
      this.title,
      this.whole,
      this.keys.button,
      this.keys.list
    );
    root.append(el("div", { class: "inside" }, head, this.flow.node, this.stage, this.turning.node));
    this.picked = linked(host, "picked");
    this.everyCard = linked(host, "every");
    listenTo(host, "inside-terms", (why) => this.explain(why));
    listenToKeys(this);
  }
  host;
  keys = keyList(keysOfPage());
  flow;
  title = el("p", { class: "inside-title" });
  whole = el("button", { class: "button small", onclick: () => this.turn() });
  stage = el("div", { class: "inside-stage" });
  turning = new Turning((by) => this.step(by));
  meta;
  cards = [];
  sections = /* @__PURE__ */ new Map();
  key = "";
  /** the cell asked about, its row counted in the tensor */
  asked = null;
  every = false;
  why = null;
  land = () => {
  };
  picked;
  everyCard;
  get index() {
    return this.cards.findIndex(({ meta }) => meta.key === this.key);
  }
  step(by) {
    const next = this.cards[this.index + by];
    return next ? this.open(next.meta.key) : false;
  }
  /** Open one operation; in the list of all, go there. */
  open(key) {
    if (key !== this.key) {
      const old = this.every ? null : snapshot(this.sections.get(this.key)?.rowOnPage() ?? null);
      this.key = key;
      this.asked = null;
      this.report();
      this.show();
      this.land();
      this.land = fly(this.host, old, this.sections.get(key)?.rowOnPage() ?? null);
    }
    if (this.every) this.sections.get(key)?.node.scrollIntoView({ block: "nearest" });
  }
  /** One operation, or all below one another. */
  turn() {
    this.every = !this.every;
    if (this.meta.report) this.everyCard.report(this.every);
    this.show();
    if (this.every) this.sections.get(this.key)?.node.scrollIntoView({ block: "nearest" });
  }
  /** Ask about a number, or, a second time, no longer. */
  pin(key, at, toggles = true) {
    const moved = key !== this.key;
    const last = this.sections.get(this.key);
    const first = this.cards.find(({ meta }) => meta.key === key)?.meta.first ?? 0;
    const asked2 = at && [first + at.row, at.col];
    const again = !moved && toggles && asked2 && this.asked && asked2[0] === this.asked[0] && asked2[1] === this.asked[1];
    this.key = key;
    this.asked = again ? null : asked2;
    this.report();
    if (moved) last?.draw();
    this.sections.get(key)?.draw();
    this.sections.get(key)?.reveal();
    this.answer();
    this.mark();
  }
  report() {
    if (this.meta.report) this.picked.report({ card: this.key, cell: this.asked });
  }
  /** The terms of a number have come from Python. */
  explain(why) {
    this.why = why;
    this.answer();
  }
  /** Put the terms under the matrix that they are of; while those of another number are on their way, the last ones stay. */
  answer() {
    if (!this.meta) return;
    const { why, asked: asked2 } = this;
    const fits2 = answers(why, this.meta.stamp, this.key, asked2);
    for (const [key, section] of this.sections) {
      if (key !== this.key || !asked2) section.why.show(null);
      else if (fits2) section.why.show(why);
      else section.why.node.classList.add("why-waiting");
    }
  }
  mark() {
    const { index } = this;
    this.flow.mark(this.key, this.cards[index]?.meta.reads ?? []);
    this.turning.show(this.cards[index - 1]?.meta.title, this.cards[index + 1]?.meta.title);
    this.turning.node.hidden = this.every;
  }
  /** The sections that are to be seen, laid out. */
  show() {
    const shown2 = this.cards.filter(({ meta }) => this.every || meta.key === this.key);
    const keys2 = new Set(shown2.map(({ meta }) => meta.key));
    for (const key of this.sections.keys()) if (!keys2.has(key)) this.sections.delete(key);
    for (const numbers of shown2) {
      const { key } = numbers.meta;
      if (!this.sections.has(key)) this.sections.set(key, new Section(this, numbers));
    }
    const nodes = shown2.map(({ meta }) => this.sections.get(meta.key).node);
    const same2 = nodes.length === this.stage.children.length && nodes.every((node, n2) => this.stage.children[n2] === node);
    if (!same2) this.stage.replaceChildren(...nodes);
    for (const numbers of shown2) this.sections.get(numbers.meta.key)?.update(numbers);
    this.whole.textContent = this.every ? tr("One operation") : tr("All operations");
    this.mark();
    this.answer();
  }
  /** The cell asked about among the rows that are drawn. */
  pinnedIn(key) {
    const numbers = this.cards.find(({ meta }) => meta.key === key);
    if (key !== this.key || !this.asked || !numbers) return null;
    const row = this.asked[0] - numbers.meta.first;
    return row >= 0 && row < numbers.meta.rows.length ? { row, col: this.asked[1] } : null;
  }
  update(meta) {
    this.cards = meta.cards.map((each) => new CardNumbers(each));
    const first = !this.meta;
    this.meta = meta;
    if (this.picked.isNews(meta.picked) || this.index < 0) {
      this.key = meta.picked.card;
      this.asked = meta.picked.cell;
    }
    if (this.everyCard.isNews(meta.every)) this.every = meta.every;
    setKind(this.host, meta.kind);
    say(this.title, insideTitle(meta));
    this.flow.update(this.cards, meta.kind);
    this.show();
    const why = meta.why ?? bus().last["inside-terms"];
    if (why !== void 0) this.explain(why);
    if (first && this.every && this.index > 0)
      this.sections.get(this.key)?.node.scrollIntoView({ block: "start" });
  }
  relayout() {
    this.flow.update(this.cards, this.meta.kind);
    this.show();
  }
  destroy() {
    this.land();
  }
};
function listenToKeys(view2) {
  const walk2 = (down, right) => {
    const section = view2.sections.get(view2.key);
    if (!section) return false;
    const { rows, cols } = section.numbers.meta;
    const { row, col } = section.at;
    section.hovered = null;
    view2.pin(
      view2.key,
      { row: within(0, row + down, rows.length - 1), col: within(0, col + right, cols.length - 1) },
      false
    );
    return true;
  };
  pageKeys(view2.host, {
    ...arrowKeys(walk2),
    n: () => view2.step(1),
    p: () => view2.step(-1),
    a: () => view2.turn(),
    Escape: () => view2.keys.isOpen() ? view2.keys.hide() : view2.asked ? view2.pin(view2.key, null) : false,
    "?": () => view2.keys.toggle()
  });
}
var inside_default = viewOf(Inside);

// inside/inside_terms.ts
function view({ data }) {
  announce("inside-terms", revive(data).why);
}

// inside/ladder.ts
var TAGS = { same: "span", missing: "del", extra: "ins" };
var LINE4 = 24;
var NAME = 150;
var Ladder = class extends CardView {
  list = el("ol", { class: "rungs" });
  data;
  constructor(root, host) {
    super(root, host);
    this.parts.body.append(this.list, this.parts.readout);
    this.parts.controls.append(exportMenu(host, this.leaving()));
  }
  update(next) {
    this.data = next;
    setKind(this.host, "encoder");
    this.parts.tell({ title: next.title, subtitle: next.subtitle, readout: next.note });
    this.list.replaceChildren(
      ...next.layers.map((each, n2) => this.layer(each, n2 === next.layers.length - 1))
    );
  }
  /** @param whole the translation itself */
  layer({ name, difference, shared: shared2 }, whole) {
    const words = difference.flatMap(([change, text2]) => [el(TAGS[change], { dir: "auto" }, text2), " "]);
    const share = el(
      "span",
      { class: "rung-share" },
      whole ? tr("the translation") : tr("{share} % of its words", { share: Math.round(100 * shared2) })
    );
    const text = el("p", { class: "rung-text", dir: "auto" }, ...words);
    return el(
      "li",
      { class: whole ? "rung whole" : "rung" },
      el("span", { class: "rung-name" }, name),
      text,
      share
    );
  }
  leaving() {
    const u = () => this.host.scale;
    const room = () => Math.max(this.parts.body.clientWidth, 520 * u());
    return {
      name: () => this.data.file,
      who: () => "DecoderLens",
      title: () => `${this.data.title} · DecoderLens`,
      size: () => [room(), this.paint(null, room())],
      draw: (p) => void this.paint(p, room()),
      rows: () => [
        ["depth", "memory", "text", "share_of_words"],
        ...this.data.layers.map(({ name, text, shared: shared2 }, n2) => [n2, name, text, csvNumber(shared2)])
      ]
    };
  }
  /** The layers with their words wrapped; returns the height. Without a painter it only measures. */
  paint(p, room) {
    const u = this.host.scale;
    const c = this.host.colours;
    const size = typeSize(14, u);
    const fills = { same: c.ink, missing: c.muted, extra: c.encoder_text };
    let y = 18 * u;
    for (const { name, difference } of this.data.layers) {
      p?.text(2, y, name, { size: typeSize(12.5, u), fill: c.muted });
      let x = NAME * u;
      for (const [change, text] of difference) {
        for (const word of text.split(" ")) {
          const wide = textWidth(word, size, false);
          if (x + wide > room && x > NAME * u) [x, y] = [NAME * u, y + LINE4 * u];
          p?.text(x, y, word, { size, fill: fills[change] });
          const height = change === "missing" ? y - size * 0.32 : y + 3 * u;
          if (change !== "same") p?.rect(x, height, wide, 1.2 * u, { fill: fills[change] });
          x += wide + textWidth(" ", size, false);
        }
      }
      y += (LINE4 + 8) * u;
    }
    return y - 10 * u;
  }
};
var ladder_default = viewOf(Ladder);

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
    const pen = { ...AT_RIGHT, size, mono: !g.narrow, weight, fill: isSpecial(word) ? c.muted : c.ink };
    const aside = g.narrow ? NARROW_ASIDE : ASIDE;
    const named = shorten(visible(word), g.left - aside * u, size, !g.narrow);
    p.text(g.left - (aside - 3) * u, y + h / 2, named, pen);
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
  const rank2 = grouped(numbers.rank(at));
  const small = typeSize(10.5, u);
  const beside = legible(small, u) && !g.narrow ? textWidth(rank2, small, false) + 8 * u : 0;
  const inset = (g.narrow ? 5 : 9) * u;
  const room = w - inset - (g.narrow ? 0 : 3) * u - beside;
  const weight = rank2 === "1" ? 600 : 400;
  const pen = { ...AT_LEFT, size, mono: !g.narrow, weight, fill: ink };
  if (room > 10 * u)
    p.text(x + inset, y + h / 2 + 0.5, shorten(visible(first.label), room, size, !g.narrow), pen);
  if (beside) p.text(x + w - 6 * u, y + h / 2 + 0.5, rank2, { ...AT_RIGHT, size: small, fill: ink });
  const { row, col } = lens.at;
  if (row === at.row && col === at.col)
    p.rect(x - 1, y - 1, w + 2, h + 2, { stroke: c.ink, width: 2 * u, radius });
}
var BAR = 28;
function listed({ numbers, at }) {
  const words = numbers.top(at);
  const written2 = numbers.meta.steps[at.row];
  const rank2 = numbers.rank(at);
  const choices = words.map(({ label: label2, share }, n2) => ({
    label: label2,
    share,
    rank: n2 + 1,
    written: rank2 === n2 + 1
  }));
  return rank2 <= words.length ? choices : [...choices, { label: written2, share: numbers.final(at), rank: rank2, written: true }];
}
var topHeight = (lens, u) => (listed(lens).length * BAR + 6) * u;
function paintTop(p, lens, room) {
  const u = lens.host.scale;
  const c = lens.host.colours;
  const size = typeSize(13, u);
  const words = listed(lens);
  const number2 = textWidth("100.0 %", size, false) + 6 * u;
  const left = Math.min(Math.max(...words.map(({ label: label2 }) => textWidth(visible(label2), size))), room * 0.34) + 34 * u;
  words.forEach(({ label: label2, share, rank: rank2, written: written2 }, n2) => {
    const y = (n2 * BAR + 15) * u;
    const pen = { size, baseline: "middle" };
    p.text(20 * u, y, grouped(rank2), {
      ...pen,
      align: "right",
      fill: c.muted,
      size: typeSize(11.5, u)
    });
    const weight = written2 ? 600 : 400;
    p.text(28 * u, y, shorten(visible(label2), left - 34 * u, size), {
      ...pen,
      mono: true,
      weight,
      fill: c.ink
    });
    const most = Math.max(10, room - left - number2);
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
      ...listed(lens).map(({ label: label2, share, rank: rank2, written: written2 }) => [
        rank2,
        label2,
        csvNumber(share),
        Number(written2)
      ])
    ]
  };
}
var ASIDE = 12;
var NARROW_ASIDE = 8;
var NARROW2 = 58;
function lensGeometry(words, depths, room, u) {
  const aside = (size2, mono, gap) => {
    const widest2 = Math.max(...words.map((word) => textWidth(visible(word), size2, mono)), 20 * u);
    return Math.min(widest2, room * 0.26, 150 * u) + gap * u;
  };
  const width2 = (left2) => Math.min(190 * u, (room - left2 - 2 * u) / depths.length);
  const narrow = width2(aside(typeSize(13, u), true, ASIDE)) < (NARROW2 + 2) * u;
  const size = typeSize(narrow ? 12 : 13, u);
  const left = aside(size, !narrow, narrow ? NARROW_ASIDE : ASIDE);
  const w = width2(left);
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
    narrow,
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
var NAMED3 = 3;
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
    const rank2 = this.rank(at);
    const values = {
      word: quoted(steps[at.row]),
      depth: depths[at.col],
      other: quoted(first.label),
      share: spokenPercent(first.share),
      rank: grouped(rank2),
      own: spokenPercent(this.final(at))
    };
    const read = rank2 > 1 ? tr(
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
    if (from === depths.length - 1) return [tr("It leads only at the output.")];
    if (from < depths.length) return [tr("It leads from {depth} on.", { depth: depths[from] })];
    const first = depths.filter((_, col) => this.rank({ row, col }) === 1);
    if (!first.length) return [tr("It is never the most probable word.")];
    if (first.length > NAMED3) {
      const counts = { count: first.length, all: depths.length };
      return [tr("It leads at {count} of {all} depths, but not at the output.", counts)];
    }
    const named = { depths: enumerate(first.map((depth) => [depth])) };
    return phrase(tr("It leads at {depths}, but not at the output."), named);
  }
  /** Every cell as a line of a table: its words and probabilities, and those of the word written. */
  table() {
    const { steps, depths, k } = this.meta;
    const names = Array.from({ length: k }, (_, n2) => [`top_${n2 + 1}`, `probability_${n2 + 1}`]).flat();
    const lines = steps.flatMap(
      (word, row) => depths.map((depth, col) => {
        const at = { row, col };
        const words = this.top(at).flatMap(({ label: label2, share }) => [label2, csvNumber(share)]);
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
var hint3 = () => TOUCH ? tr("Tap a cell to see its ten words") : tr("Point at a cell to see its ten words; click to pin it");
var Lens = class {
  constructor(root, host) {
    this.host = host;
    const grid = el("div", { class: "lens" });
    root.append(el("div", { class: "lens-wrap" }, grid));
    this.parts = card(grid);
    this.side = card(grid);
    const foot = el("div", { class: "foot" }, this.legend, this.how);
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
  how = el("span", { class: "lens-how" });
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
    this.parts.tell({ readout: [...sentence, { muted: `  ${this.pinned ? pinnedHint() : hint3()}` }] });
    this.side.tell({ title: this.topTitle(), subtitle: tr("The ten most probable words there") });
    this.canvas.setAttribute("aria-label", `${this.numbers.spoken()}. ${plain(sentence)}`);
    this.bars.setAttribute("aria-label", plain(sentence));
  }
  relayout() {
    const { steps, depths } = this.numbers.meta;
    this.geometry = lensGeometry(steps, depths, this.parts.body.clientWidth, this.host.scale);
    this.how.textContent = this.geometry.narrow ? tr("bar: first from here on") : tr("small number: rank of the word written · bar: first from here on");
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

// learn/anatomy.ts
var TINT = 0.1;
function paintBox(p, box, u, c) {
  const colour = colourOf(box.kind, c);
  const { x, y, w, h } = box;
  p.rect(x, y, w, h, { fill: mix(c.panel, colour, TINT), stroke: colour, width: 1, radius: 8 * u });
  const pen = { size: typeSize(13, u), weight: 600, fill: c.ink, baseline: "middle" };
  p.text(x + 12 * u, y + 15 * u, shorten(box.name, w - 20 * u, typeSize(13, u), false), pen);
  box.lines.forEach(([words, differs], n2) => {
    const at = y + (33 + 18 * n2) * u;
    if (differs) p.circle(x + 16 * u, at, 4 * u, { fill: c.causal });
    const size = typeSize(12.5, u);
    const fill2 = differs ? c.causal_text : c.muted;
    p.text(x + 26 * u, at, shorten(words, w - 34 * u, size, false), {
      ...AT_LEFT,
      size,
      fill: fill2,
      weight: differs ? 600 : 400
    });
  });
}
function paintAnatomy(p, meta, room, u, c) {
  const g = anatomyLayout(meta, room, u);
  for (const group of g.groups) {
    const { x, y, w, h, words, differs } = group;
    p.rect(x, y, w, h, { fill: c.soft, radius: 12 * u });
    const fill2 = differs ? c.causal_text : c.muted;
    const size = typeSize(13, u);
    p.text(x + w - 10 * u, y + 15 * u, words, { ...AT_RIGHT, size, fill: fill2, weight: 600 });
  }
  for (const { x, y, words } of g.titles)
    p.text(x, y, words, { size: typeSize(14, u), weight: 650, fill: c.ink });
  for (const [x, from, to] of g.rises) {
    p.path(`M${x} ${from}V${to}`, { stroke: c.muted, width: 1.4 * u });
    p.path(`M${x - 3.5 * u} ${to + 4.5 * u}L${x} ${to}L${x + 3.5 * u} ${to + 4.5 * u}`, {
      stroke: c.muted,
      width: 1.4 * u
    });
  }
  if (g.memory) p.path(g.memory, { stroke: c.cross, width: 1.8 * u });
  for (const box of g.boxes) paintBox(p, box, u, c);
  p.circle(6 * u, g.height - 12 * u, 4 * u, { fill: c.causal });
  p.text(16 * u, g.height - 12 * u, legend(), { ...AT_LEFT, size: typeSize(12.5, u), fill: c.muted });
  return g;
}
var Anatomy = class extends CardView {
  canvas = el("canvas", { class: "picture", role: "img" });
  meta;
  constructor(root, host) {
    super(root, host);
    this.parts.body.append(this.canvas);
    this.parts.controls.append(exportMenu(host, this.leaving()));
  }
  leaving() {
    const room = () => Math.max(this.parts.body.clientWidth, 600 * this.host.scale);
    const height = () => anatomyLayout(this.meta, room(), this.host.scale).height;
    return {
      name: () => this.meta.file,
      title: () => this.meta.title,
      size: () => [room(), height()],
      draw: (p) => void paintAnatomy(p, this.meta, room(), this.host.scale, this.host.colours),
      rows: () => anatomyRows(this.meta)
    };
  }
  relayout() {
    const { scale: u, colours } = this.host;
    const room = this.parts.body.clientWidth;
    const { height } = anatomyLayout(this.meta, room, u);
    paintAnatomy(canvasPainter(fitCanvas(this.canvas, room, height)), this.meta, room, u, colours);
  }
  update(meta) {
    this.meta = meta;
    this.parts.tell(meta);
    const differing = anatomyRows(meta).filter((row) => row[3] === 1);
    this.canvas.setAttribute(
      "aria-label",
      tr("{title}. Not the paper’s: {choices}.", {
        title: meta.title,
        choices: differing.map((row) => labelled(String(row[1]), String(row[2]))).join(tr("; ")) || tr("nothing")
      })
    );
    this.relayout();
  }
};
var legend = () => tr("not as in the paper");
var NARROW3 = 620;
var GAP4 = 15;
var EDGE3 = 12;
var tall = (block, u) => (30 + 18 * block.lines.length + (block.lines.length ? 4 : 0)) * u;
function colourOf(kind, c) {
  if (kind === "encoder" || kind === "causal" || kind === "cross") return c[kind];
  return kind === "ffn" ? c.value : c.muted;
}
function anatomyLayout(meta, room, u) {
  const beside = room >= NARROW3 * u;
  const gap = 44 * u;
  const width2 = beside ? (room - gap) / meta.columns.length : room;
  const heights = meta.columns.map((column2) => columnHeight(column2, u));
  const whole = beside ? Math.max(...heights) : heights.reduce((sum, each) => sum + each, 0) + (heights.length - 1) * 20 * u;
  const layout = {
    boxes: [],
    groups: [],
    titles: [],
    rises: [],
    memory: "",
    height: whole + 34 * u
  };
  let above = 0;
  meta.columns.forEach((column2, n2) => {
    const x = beside ? n2 * (width2 + gap) : 0;
    const bottom = beside ? whole : above + heights[n2];
    above = bottom + 20 * u;
    placeColumn(layout, column2, x, bottom, width2, u);
  });
  if (beside) layout.memory = memoryPath(layout.boxes, gap);
  return layout;
}
function columnHeight({ before, layer, after }, u) {
  const all = [...before, ...layer, ...after];
  return all.reduce((sum, block) => sum + tall(block, u) + GAP4 * u, 0) + (26 + 2 * EDGE3 + 22) * u;
}
function placeColumn(layout, column2, x, bottom, width2, u) {
  let y = bottom;
  let last = NaN;
  const put = (block, inset) => {
    const h = tall(block, u);
    y -= h;
    if (!Number.isNaN(last)) layout.rises.push([x + width2 / 2, last, y + h]);
    layout.boxes.push({ ...block, x: x + inset, y, w: width2 - 2 * inset, h });
    last = y;
    y -= GAP4 * u;
  };
  for (const block of column2.before) put(block, EDGE3 * u);
  const low = y + GAP4 * u - 4 * u;
  y -= EDGE3 * u;
  for (const block of column2.layer) put(block, EDGE3 * u);
  y -= 22 * u - GAP4 * u + EDGE3 * u;
  const words = plural("× {count} layer", "× {count} layers", column2.times);
  layout.groups.push({ x, y, w: width2, h: low - y - 3 * u, words, differs: column2.times_differ });
  y -= GAP4 * u;
  for (const block of column2.after) put(block, EDGE3 * u);
  layout.titles.push({ x: x + EDGE3 * u, y: y + 4 * u, words: column2.title });
}
function memoryPath(boxes, gap) {
  const cross = boxes.find(({ kind }) => kind === "cross");
  if (!cross) return "";
  const left = boxes.filter(({ x: x2 }) => x2 < cross.x);
  const top = left.reduce((best, box) => box.y < best.y ? box : best, left[0]);
  const [x, y] = [top.x + top.w, top.y + 14];
  const middle = cross.x - gap / 2 - 6;
  return `M${x} ${y}H${middle}V${cross.y + cross.h / 2}H${cross.x}`;
}
var anatomyRows = (meta) => [
  ["stack", "box", "choice", legend()],
  ...meta.columns.flatMap(({ title: title2, before, layer, times: times2, times_differ, after }) => [
    [title2, tr("layers"), times2, Number(times_differ)],
    ...[...before, ...layer, ...after].flatMap(
      ({ name, lines }) => lines.map(([words, differs]) => [title2, name, words, Number(differs)])
    )
  ])
];
var anatomy_default = viewOf(Anatomy);

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
var keyWords2 = () => [
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
  const button = (name, label2, action, words = "") => {
    const looks = { class: "button", "aria-label": label2, title: label2 };
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
    tr("Playback speed"),
    "pace"
  );
  const what = playback.played.what ?? tr("translation");
  const range2 = { type: "range", min: 0, max: 1, step: 1, "aria-label": tr("Step of the {what}", { what }) };
  const scrubber = el("input", { class: "play-scrub", ...range2 });
  scrubber.addEventListener("input", () => playback.byHand(Number(scrubber.value)));
  const count = el("span", { class: "play-count" });
  const keys2 = keyList([...keyWords2().slice(0, -1), ...moreKeys, ...keyWords2().slice(-1)], "button");
  const group = { class: "play", role: "group", "aria-label": tr("Play the {what}", { what }) };
  const node = el("div", group, start, back, on, end, play, count, keys2.button, keys2.list);
  const tools = el("span", { class: "play-tools" }, scrubber, pace);
  return { start, back, on, end, play, scrubber, count, keys: keys2, node, tools };
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
    const known = this.played.count?.(step) ?? tr("{step} of {steps}", { step, steps });
    count.textContent = covered ? tr("step {step}", { step }) : known;
    scrubber.setAttribute("aria-valuetext", count.textContent);
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
    const { layers, heads: heads2 } = this.meta;
    const known = message.heads.filter(([layer, k]) => layer < layers && k < heads2);
    return known.map(([layer, k]) => layer * heads2 + k);
  }
  /** The heads in the order they are shown. */
  order() {
    const all = this.pictures.map((_, head) => head);
    if (this.own.sort === "model" || !this.own.badge) return all;
    const sign = this.own.sort === "high" ? -1 : 1;
    if (this.pair) {
      const listed2 = this.pair.order.filter((head) => this.passes(head));
      return sign < 0 ? listed2 : listed2.reverse();
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
function pictureName({ heads: heads2, quantity }, head) {
  const [row, n2] = [Math.floor(head / heads2), head % heads2];
  if (!quantity?.pictures.length) return `${row}.${n2}`;
  return row ? `${quantity.rows[row]}, ${quantity.pictures[n2]}` : quantity.pictures[n2];
}
function headSheet(meta, level, table, tone) {
  const { shape, block, rows, cols, written: written2, causal, keys: keys2 } = meta;
  const last = meta.quantity?.aside ? shape[1] - 1 : shape[1];
  const allowed = (i, j) => !causal || j >= last || j * block[1] <= i * block[0] + block[0] - 1;
  const top = tone === "each" ? Math.max(...WEIGHT_OF_BYTE.filter((_, b) => level.includes(b)), 1e-6) : 1;
  const position2 = tone === "log" ? placer("log", 1, logFloor(keys2)) : placer("weight", top);
  const byByte = Int16Array.from(WEIGHT_OF_BYTE, position2);
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
  const [tall2, wide] = meta.block;
  const reduced = meta.labelled ? "" : ` · ${tr("each cell: the largest of {tall} × {wide}", { tall: tall2, wide })}`;
  return what + reduced;
}

// shared/wall_drawing.ts
var spokenScore = (v) => v === null ? "–" : minus(fixed(v, 2));
function writtenScore(heads2, head, name = heads2.own.badge) {
  const value = heads2.score(head, name);
  return value !== null && heads2.meta.scores[name].percent ? percent(value) : spokenScore(value);
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
  const [name, score] = [short, writtenScore(wall.heads, head)];
  const line2 = y + h + 14 * u;
  const { stacked } = wall.layout;
  const scored = wall.heads.own.badge !== "";
  const alone = scored && !stacked && textWidth(name + score, size, false, weight) + 3 * u > w;
  p.text(x, line2, name, { size, alpha, ...alone ? { fill: fill2, weight } : { fill: c.muted } });
  if (!scored || alone) return;
  const [at, below] = stacked ? [x, line2 + UNDER * size] : [x + w, line2];
  p.text(at, below, score, { size, align: stacked ? "left" : "right", weight, fill: fill2, alpha });
}
function captionWidth({ heads: heads2 }, u) {
  if (heads2.own.badge === "") return 0;
  const written2 = heads2.pictures.map((_, head) => heads2.nameOf(head) + writtenScore(heads2, head));
  return Math.max(...written2.map((words) => textWidth(words, typeSize(12, u), false, 700))) + 4 * u;
}
function paintOutline(p, wall, head, x, y) {
  const { u, w, h } = wall.layout;
  const c = wall.host.colours;
  const nth = wall.opening.opened.indexOf(head);
  const best = wall.heads.isBest(head);
  if (nth < 0 && !best) return;
  const several = wall.opening.opened.length > 1;
  const stroke = nth < 0 ? c[`${wall.heads.meta.kind}_text`] : several ? c.heads[nth] : c.ink;
  const foot = wall.heads.pair ? wall.layout.foot + 2 * u : 0;
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
    size: () => [wall.layout.room + EDGE4 * wall.host.scale, wall.layout.height],
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
var UNDER = 1.1;
var EDGE4 = 6;
function wallLayout(meta, order, asInModel, full2, u, spread = false, caption = 0) {
  const room = full2 - EDGE4 * u;
  const gap = (spread ? u > 1 ? 9 : 13 : 7) * u;
  const layered = (meta.quantity?.pictures.length ?? 0) > 0;
  const label2 = asInModel && !(layered && meta.layers === 1) ? 26 * u : 0;
  const fits2 = (pixels2) => Math.floor((room - label2 + gap) / (pixels2 * u + gap));
  const inLayer = headsInLine(meta.heads, fits2(layered ? 110 : u > 1 ? 30 : 54));
  const wraps = Math.ceil(meta.heads / inLayer);
  const across = asInModel ? inLayer : evenly(order.length, Math.max(inLayer, Math.min(12, fits2(78))));
  const w = Math.min((layered ? 260 : 150) * u, (room - label2 - gap * (across - 1)) / across);
  const stacked = u > 1 && caption > w;
  const foot = 18 * u + (stacked ? UNDER * typeSize(12, u) : 0);
  const lines = asInModel ? meta.layers * wraps : Math.ceil(order.length / across);
  const h = headHeight(meta, w, lines, u, foot);
  const line2 = h + foot + 16 * u;
  const sizes = { u, room, w, h, foot, stacked, across };
  const layout = { ...sizes, height: 40 * u, at: /* @__PURE__ */ new Map(), labels: [] };
  order.forEach((head, n2) => {
    const [layer, k] = [Math.floor(head / meta.heads), head % meta.heads];
    const [row, column2] = asInModel ? [layer * wraps + Math.floor(k / across), k % across] : [Math.floor(n2 / across), n2 % across];
    const x = asInModel ? label2 + column2 * (w + gap) : 5 * u + column2 * (w + gap - 5 * u / across);
    layout.at.set(head, { x, y: 6 * u + row * line2 });
  });
  const tall2 = wraps * line2 - foot - 16 * u;
  const middle = (n2) => 6 * u + n2 * wraps * line2 + tall2 / 2;
  if (label2) layout.labels = Array.from({ length: meta.layers }, (_, n2) => [n2, middle(n2), tall2]);
  for (const { y } of layout.at.values()) layout.height = Math.max(layout.height, y + h + foot + 6 * u);
  return layout;
}
function evenly(total, most) {
  const fewest = Math.ceil(0.6 * most);
  const counts = Array.from({ length: most - fewest + 1 }, (_, n2) => most - n2);
  return counts.find((count) => total % count === 0) ?? most;
}
var headsInLine = (heads2, fit) => Math.ceil(heads2 / Math.ceil(heads2 / Math.max(1, Math.min(heads2, fit))));
function headHeight(meta, w, lines, u, foot) {
  const [rows, cols] = meta.shape;
  const natural = w * Math.min(1.5, Math.max(0.55, rows / cols));
  const most = meta.quantity?.pictures.length ? natural : meta.square ? w * 1.12 : w * 1.75;
  const aimed = Math.min(most, meta.tall * u / lines - foot - 12 * u);
  const wanted = u > 1 ? Math.min(Math.max(natural, 1.3 * w), aimed) : Math.max(natural, aimed);
  return Math.max((u > 1 ? 26 : 34) * u, Math.min(wanted, 220 * u));
}

// learn/dynamics_layout.ts
function curveLayout(width2, u, last, tall2) {
  const [left, right] = [46 * u, 48 * u];
  const w = Math.max(60 * u, width2 - left - right);
  const loss = { x: left, y: 24 * u, w, h: Math.min(96, Math.max(64, tall2)) * u };
  const heads2 = { x: left, y: loss.y + loss.h + 34 * u, w, h: tall2 * u };
  return { u, width: width2, height: heads2.y + heads2.h + 16 * u + typeSize(12, u) * 1.6, loss, heads: heads2, last };
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
    const { scores: scores2, numbers } = this.meta;
    const nth = scores2.findIndex((score) => score.name === name);
    return nth < 0 ? NaN : numbers[(k * scores2.length + nth) * this.count + n2];
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
        const date = this.dropOf(n2);
        const ends2 = date ? [date[3], date[6], date[7]].map((at2) => meta.steps[at2]) : ["", "", ""];
        const dated = date && meta.dated ? [...ends2, meta.dated] : [ends2[0], "", "", ""];
        return [...common, meta.kind_name, Math.floor(n2 / meta.heads), n2 % meta.heads, ...own, ...dated];
      })
    );
    const scores2 = meta.scores.map(({ name }) => name);
    return [[...head, ...scores2, "took_shape", "low", "high", "n"], ...lines];
  }
};
var lossName = (name) => ({ training: tr("training"), validation: tr("validation") })[name] ?? name;
var afterSteps = (step) => step === 0 ? tr("Before training") : plural("After {count} step", "After {count} steps", step);
var two = (v) => minus(fixed(v, 2));
function shapeTitle(numbers, n2) {
  const { steps, sudden, trained, live } = numbers.meta;
  const drop = numbers.dropOf(n2);
  const name = { kind: capital(tr("head {name}", { name: numbers.nameOf(n2) })) };
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
    kind,
    head,
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
    if (meta.dated) parts.push(" ", intervalOf(meta, drop));
  }
  return parts;
}
var intervalOf = ({ dated, steps }, drop) => tr("95 % interval of the end of this drop, over {count} sentences: steps {low} to {high}.", {
  count: dated,
  low: grouped(steps[drop[6]]),
  high: grouped(steps[drop[7]])
});
var stepOf = ({ steps, total }, k) => tr("step {step} of {total}", { step: grouped(steps[k]), total: grouped(total) });
function trainedWords(meta) {
  const drops = meta.drops.length;
  return [
    plural("scores over {count} sentence", "scores over {count} sentences", meta.sentences),
    drops ? plural(
      "the entropy of {count} head fell suddenly",
      "the entropy of {count} heads fell suddenly",
      drops
    ) : tr("no head’s entropy fell suddenly")
  ].join(" · ");
}
var lossWords = ({ quality }) => [
  tr("Validation loss: −log of the probability that the model gives the right token."),
  tr("A nat is the unit of the natural logarithm, as a bit is of the logarithm to base 2."),
  tr(
    "R-Drop, where a recipe has it, adds to the training loss how much two passes with different dropout differ."
  ),
  quality.column === "bleu" ? tr(
    "BLEU: the share of a translation’s runs of one to four words that the reference has too (geometric mean over the four lengths), from 0 to 100."
  ) : ""
].filter(Boolean).join(" ");

// learn/dynamics_controls.ts
var NEAR = 10;
var HALL3 = 610;
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
    this.curves = curveLayout(left, u, last, inSight(host, meta.tall, HALL3));
    const shape = [meta.rows.length, meta.cols.length];
    const tall2 = inSight(host, 300, HALL_MAPS + 200);
    const wall = { ...meta, shape, square: meta.kind !== "cross", tall: tall2, quantity: null };
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
    const how2 = {
      verb,
      subject: tr("head {name}", { name: this.openName }),
      mode: "weights",
      read: sheet.reads?.[row]
    };
    return rowSentence(rowOf(sheet, row), sheet.rows[row], sheet.cols, how2);
  }
};
function headButtons(view2) {
  const { layout, numbers } = view2;
  return Array.from(layout.at, ([n2, { x, y }]) => {
    const name = tr("Open head {name}", { name: numbers.nameOf(n2) });
    const button = el("button", {
      class: "dynamics-head",
      "data-head": n2,
      "aria-label": name,
      onclick: () => view2.open(n2),
      onpointerenter: () => view2.hover(n2),
      onpointerleave: () => view2.hover(-1)
    });
    button.style.cssText = `left:${x}px;top:${y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
    return button;
  });
}
function momentButtons(view2) {
  const { meta } = view2.numbers;
  if (!meta.drops.length) return [];
  const label2 = el("span", { class: "dynamics-label" }, tr("Took shape"));
  const list = meta.drops.map((drop) => {
    const [layer, head, , end, before, after] = drop;
    const n2 = layer * meta.heads + head;
    const name = view2.numbers.nameOf(n2);
    const words = [
      el("b", {}, name),
      ` ${tr("step {step}", { step: grouped(meta.steps[end]) })} `,
      el("span", {}, `${two(before)} → ${two(after)}`)
    ];
    const what = tr("Normalised entropy of head {name}; opens it at that step", { name });
    const title2 = meta.dated ? `${what}. ${intervalOf(meta, drop)}` : what;
    return el(
      "button",
      { class: "dynamics-moment", "data-head": n2, title: title2, onclick: () => view2.open(n2, end) },
      ...words
    );
  });
  return [label2, el("div", { class: "dynamics-list" }, ...list)];
}

// learn/dynamics_drawing.ts
function lineThrough(points) {
  let [path, on] = ["", false];
  for (const [x, y] of points) {
    if (y !== null) path += `${on ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`;
    on = y !== null;
  }
  return path;
}
function paintPanel(p, box, ends2, name, { host }) {
  const { scale: u, colours: c } = host;
  const size = typeSize(12, u);
  for (const value of [ends2.low, (ends2.low + ends2.high) / 2, ends2.high]) {
    const y = valueY(box, value, ends2.low, ends2.high);
    p.path(`M${box.x} ${y}L${box.x + box.w} ${y}`, { stroke: c.line, width: 1 });
    const words = ends2.high >= 20 ? fixed(value, 0) : two(value);
    p.text(box.x - 8 * u, y, words, { size, align: "right", baseline: "middle", fill: c.muted });
  }
  p.text(box.x, box.y - 9 * u, name, { size, weight: 600, fill: c.ink });
}
function paintLossNames(p, view2, box, hues) {
  const { scale: u, colours: c } = view2.host;
  const size = typeSize(12, u);
  let x = box.x + box.w;
  [...view2.numbers.meta.losses].reverse().forEach((curve, back) => {
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
function paintLosses(p, view2, g) {
  const { host, numbers } = view2;
  const { colours: c, scale: u } = host;
  const { losses, quality } = numbers.meta;
  const values = losses.flatMap(({ points }) => points.map(([, v]) => v));
  const ends2 = range(values, 0, null);
  const hues = [c.bar, c.ink];
  const name = g.loss.w > 330 * u ? tr("Loss, nats per target token") : tr("Loss, nats");
  paintPanel(p, g.loss, ends2, name, view2);
  paintWarmup(p, view2, g);
  losses.forEach(({ points }, n2) => {
    const line2 = points.map(
      ([step, v]) => [stepX(g, step), valueY(g.loss, v, ends2.low, ends2.high)]
    );
    p.path(lineThrough(line2), { stroke: hues[n2], width: 1.8 * u });
  });
  paintLossNames(p, view2, g.loss, hues);
  const last = quality.points[quality.points.length - 1];
  if (!last) return;
  const [x, size] = [stepX(g, last[0]), typeSize(12, u)];
  const high = losses.some(({ points }) => (points.at(-1)?.[1] ?? 0) > 0.7 * ends2.high);
  const y = high ? g.loss.y + g.loss.h - 12 * u : g.loss.y + 6 * u;
  p.circle(x, y, 3 * u, { fill: c[`${numbers.meta.kind}_text`] });
  const words = `${quality.name} ${fixed(last[1], 1)}`;
  p.text(x - 8 * u, y + 4 * u, words, { size, align: "right", fill: c.ink });
}
function paintHeads(p, view2, g) {
  const { numbers, host, own } = view2;
  const { colours: c, scale: u } = host;
  const { meta } = numbers;
  const ends2 = view2.ends;
  paintPanel(p, g.heads, ends2, view2.panelName, view2);
  const hue = c[meta.kind];
  const order = Array.from({ length: numbers.count }, (_, n2) => n2);
  const strong = [view2.openHead, view2.hovered].filter((n2) => n2 >= 0);
  for (const n2 of [...order.filter((each) => !strong.includes(each)), ...strong]) {
    const on = strong.includes(n2);
    const points = meta.steps.map(
      (step, k) => [stepX(g, step), view2.heightOf(g, n2, k)]
    );
    const pen = on ? { stroke: n2 === view2.openHead ? hue : c.ink, width: 2.4 * u } : { stroke: c.bar, width: u };
    p.path(lineThrough(points), { ...pen, alpha: on ? 1 : 0.75 });
  }
  if (own.score === "entropy" || own.score === "normalised_entropy") paintDrops(p, view2, g);
  for (const n2 of strong) {
    const y = view2.heightOf(g, n2, meta.steps.length - 1);
    if (y === null) continue;
    const x = stepX(g, meta.steps[meta.steps.length - 1]) + 6 * u;
    p.text(x, y, numbers.nameOf(n2), { ...AT_LEFT, size: typeSize(12.5, u), weight: 650, fill: c.ink });
  }
}
function paintDrops(p, view2, g) {
  const { numbers, host } = view2;
  const { meta } = numbers;
  const c = host.colours;
  for (const [layer, head, start, end] of meta.drops) {
    const n2 = layer * meta.heads + head;
    const open = n2 === view2.openHead || n2 === view2.hovered;
    const points = meta.steps.slice(start, end + 1).map((step, k) => {
      const y = view2.heightOf(g, n2, start + k);
      return [stepX(g, step), y];
    });
    const pen = { stroke: c[meta.kind], width: (open ? 4.5 : 2) * g.u, alpha: open ? 1 : 0.55 };
    p.path(lineThrough(points), pen);
    const foot = points[points.length - 1];
    if (foot[1] !== null) p.circle(foot[0], foot[1], (open ? 4.5 : 2.6) * g.u, { fill: c[meta.kind] });
  }
}
function paintCurves(p, view2, g) {
  const { colours: c, scale: u } = view2.host;
  paintLosses(p, view2, g);
  paintHeads(p, view2, g);
  const size = typeSize(12, u);
  const bottom = g.heads.y + g.heads.h;
  for (const step of stepTicks(g)) {
    const x2 = stepX(g, step);
    p.path(`M${x2} ${bottom}L${x2} ${bottom + 4 * u}`, { stroke: c.muted, width: 1 });
    p.text(x2, bottom + 6 * u + size, grouped(step), { size, align: "center", fill: c.muted });
  }
  p.text(g.heads.x - 8 * u, bottom + 6 * u + size, tr("step"), { size, align: "right", fill: c.muted });
  const x = stepX(g, view2.numbers.meta.steps[view2.own.at] ?? 0);
  p.path(`M${x} ${g.loss.y - 4 * u}L${x} ${bottom}`, { stroke: c.ink, width: 1.4 * u, alpha: 0.8 });
}
function paintSmall(p, view2) {
  const { layout, host, numbers, own } = view2;
  const { u, w, h, at } = layout;
  const { meta } = numbers;
  const c = host.colours;
  const fitted = Math.max(9 * u, Math.min(12 * u, w / 4.6));
  const size = legible(fitted, u) ? fitted : typeSize(12, u);
  paintLayers(p, layout, c.muted);
  for (const [n2, { x, y }] of at) {
    const name = numbers.nameOf(n2);
    paintPixels(p, numbers.sheet(own.at, n2, view2.table), { x, y, w, h }, c);
    const drop = numbers.dropOf(n2);
    const shaped = drop !== void 0 && drop[3] <= own.at;
    const fill2 = shaped ? c[`${meta.kind}_text`] : c.muted;
    p.text(x, y + h + 14 * u, name, { size, weight: shaped ? 700 : 400, fill: fill2 });
    const score = numbers.score(own.at, own.score, n2);
    const words = Number.isFinite(score) ? two(score) : "–";
    if (textWidth(`${name} ${words}`, size, false, 700) <= w)
      p.text(x + w, y + h + 14 * u, words, { size, align: "right", fill: c.muted });
    if (n2 === view2.openHead)
      p.rect(x - 4 * u, y - 4 * u, w + 8 * u, h + 8 * u, { stroke: c.ink, width: 2 * u, radius: 8 * u });
    else if (n2 === view2.hovered)
      p.rect(x - 2 * u, y - 2 * u, w + 4 * u, h + 4 * u, { stroke: c.muted, width: u, radius: 6 * u });
  }
}
function curvesLeaving(view2) {
  return {
    name: () => `${view2.numbers.meta.file}-training`,
    who: () => tr("head {name}", { name: view2.openName }),
    about: () => view2.numbers.meta.about,
    size: () => [view2.curves.width, view2.curves.height],
    draw: (p) => paintCurves(p, view2, view2.curves),
    words: () => view2.curveWords(),
    rows: () => view2.numbers.table()
  };
}
var mapLegend = ({ table, numbers }) => ({
  table,
  ...weightAxis("weight", numbers.meta.cols.length),
  words: weightWords()
});
function mapsLeaving(view2) {
  const step = () => view2.numbers.meta.steps[view2.own.at];
  return {
    name: () => `${view2.numbers.meta.file}-${view2.openName}-step-${step()}`,
    who: () => tr("head {name}, step {step}", { name: view2.openName, step: grouped(step()) }),
    about: () => {
      const { source, target, about } = view2.numbers.meta;
      return `${quoted(source)} → ${quoted(target)} · ${about}`;
    },
    size() {
      const { layout, big, host } = view2;
      const width2 = Math.max(layout.room, big.frame.width);
      return [width2, layout.height + 14 * host.scale + big.frame.height];
    },
    draw(p) {
      paintSmall(p, view2);
      view2.big.paint(shifted(p, 0, view2.layout.height + 14 * view2.host.scale));
    },
    legend: () => mapLegend(view2),
    words: () => view2.mapWords(),
    rows: () => [
      ["step", ...TABLE_HEAD],
      ...view2.numbers.meta.steps.flatMap((each, k) => {
        const sheet = view2.numbers.sheet(k, view2.openHead, view2.table);
        return tableOf(sheet, view2.numbers.meta.kind === "encoder", csvNumber).map((line2) => [each, ...line2]);
      })
    ]
  };
}

// learn/dynamics.ts
var hint4 = () => TOUCH ? tr("Tap a curve or a map") : tr("Click a curve or a map to open its head; arrow keys step");
function playFromStart({ own, playback }) {
  if (reducedMotion() || isSlide()) return;
  own.at = 0;
  playback.toggle();
}
function assemble(view2) {
  const { left, right, host } = view2;
  const fields = el(
    "div",
    { class: "dynamics-fields" },
    field(tr("Heads by"), view2.metric),
    view2.about,
    view2.terms
  );
  const play = el("div", { class: "dynamics-play" }, view2.playback.node, view2.playback.tools);
  left.body.append(play, fields, view2.canvas, view2.moments);
  left.node.append(left.readout);
  left.controls.append(exportMenu(host, curvesLeaving(view2)));
  const wall = el("div", { class: "dynamics-wall" }, view2.small, view2.heads);
  right.body.append(wall, view2.big.node, el("div", { class: "foot" }, view2.legend));
  right.node.append(right.readout);
  right.controls.append(exportMenu(host, mapsLeaving(view2)));
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
    what: tr("training"),
    count: (k) => stepOf(this.numbers.meta, k),
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
    const { heads: heads2 } = this.numbers.meta;
    Object.assign(this.own, { layer: Math.floor(n2 / heads2), head: n2 % heads2 });
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
  point(cell2) {
    if (sameCell(cell2, this.cell)) return;
    this.cell = cell2;
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
    const readout = this.curveWords();
    this.left.tell({ readout: isSlide() ? readout : [...readout, { muted: hint4() }] });
    this.right.tell({ title: mapTitle(meta, step, this.openName), readout: this.mapWords() });
    const over = tr("{score} over the steps.", { score: this.panelName });
    this.canvas.setAttribute("aria-label", `${over} ${plain(this.curveWords())}`);
    const named = tr("Head {name}", { name: this.openName });
    const words = `${named}, ${lowered(afterSteps(step))}. ${plain(this.mapWords())} ${tr("Arrow keys move.")}`;
    this.big.node.setAttribute("aria-label", words);
    for (const button of this.root.querySelectorAll("[data-head]"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.head) === this.openHead));
  }
  title() {
    const { meta } = this.numbers;
    const title2 = shapeTitle(this.numbers, this.openHead);
    this.left.tell({ title: title2, subtitle: trainedWords(meta) });
    this.right.tell({ subtitle: `${quoted(meta.source)} → ${quoted(meta.target)}` });
    const words = this.numbers.words(this.own.score);
    explain(this.terms, lossWords(meta));
    explain(this.about, words ? labelled(words.label, words.definition) : "");
  }
  relayout() {
    this.measureEnds();
    this.arrange(this.left.body.clientWidth, this.right.body.clientWidth);
    this.big.frame = heatGeometry(this.openSheet, this.right.body.clientWidth, this.host.scale, {
      tall: inSight(this.host, 300, HALL_MAPS + 290),
      cap: 34
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
    const options = meta.scores.map(({ name, label: label2 }) => [name, label2.toLowerCase()]);
    fillChooser(this.metric, options, this.own.score);
    this.relayout();
    if (meta.plays && first) playFromStart(this);
  }
};
var dynamics_default = viewOf(Dynamics);

// learn/lesson.ts
var LETTERS = "ABCDE";
var INLINE = { strong: "strong", em: "em", code: "code" };
function inline([kind, words, target], computed) {
  const look2 = { class: "lesson-value", title: computed, dir: "auto" };
  if (kind === "value") return el("span", look2, words.replace(/(?<=^<) | (?=%$)/g, " "));
  if (kind === "link") {
    const out = target.startsWith("https:") ? { target: "_blank", rel: "noopener noreferrer" } : {};
    return el("a", { href: target, ...out }, words);
  }
  if (kind in INLINE) return el(INLINE[kind], {}, words);
  return document.createTextNode(words);
}
function flow(blocks, computed) {
  const nodes = [];
  for (const { kind, spans } of blocks) {
    const inside2 = spans.map((span) => inline(span, computed));
    if (kind === "code") {
      nodes.push(el("pre", { tabindex: 0 }, el("code", {}, spans.map(([, words]) => words).join(""))));
      continue;
    }
    const list = kind === "item" ? "UL" : kind === "number" ? "OL" : "";
    if (!list) {
      nodes.push(el("p", {}, ...inside2));
      continue;
    }
    if (nodes.at(-1)?.tagName !== list) nodes.push(el(list === "UL" ? "ul" : "ol"));
    nodes.at(-1)?.append(el("li", {}, ...inside2));
  }
  return nodes;
}
function choiceLook({ answer, holds }, number2) {
  if (answer === null) return "";
  return [number2 === holds ? "holds" : "", number2 === answer ? "chosen" : ""].filter(Boolean).join(" ") || "other";
}
function choiceButton(question, n2, words, press) {
  const choice = question.choices[n2];
  const spans = (listed2) => listed2.map((span) => inline(span, words.computed));
  const looks = choiceLook(question, n2);
  const wrong = looks === "chosen" && question.holds !== null;
  const mark = looks.includes("holds") ? "✓" : wrong ? "✕" : LETTERS[n2];
  const yours = n2 === question.answer ? el("small", {}, words.yours) : null;
  const why = choice.why.length ? el("span", { class: "lesson-why" }, ...spans(choice.why)) : null;
  const number2 = choice.number ? el("span", { class: "lesson-number" }, choice.number) : null;
  const own = { class: `lesson-choice ${looks}${wrong ? " wrong" : ""}`, onclick: press };
  const body = el("span", {}, el("span", {}, ...spans(choice.words)), yours, why);
  const state = { disabled: question.answer !== null };
  return el("button", { ...state, ...own }, el("b", {}, mark), body, number2);
}
function label(node, words, shown2 = words) {
  node.textContent = shown2;
  node.setAttribute("aria-label", words);
  node.title = words;
}
function lineResult({ says, shape, row, numbers }) {
  const values = el("span", { class: "lesson-result-numbers" }, [row, numbers].filter(Boolean).join(": "));
  return el(
    "div",
    { class: "lesson-result", "aria-live": "polite" },
    el("span", {}, says),
    el("span", { class: "lesson-shape" }, shape),
    values
  );
}
function crowd(lesson, words) {
  lesson.classList.remove("crowded");
  lesson.classList.toggle("crowded", words.scrollHeight > words.clientHeight + 1);
}
var Lesson = class {
  constructor(root, host) {
    this.host = host;
    this.pressed = linked(host, "moved");
    const foot = el("footer", { class: "lesson-foot" }, this.back, this.lines, this.again, this.next);
    const head = el("header", { class: "lesson-head" }, this.name, this.counted, this.fold, this.close);
    this.node = el("section", { class: "lesson" }, head, this.dots, this.words, this.code, foot);
    root.append(this.node);
    this.listen();
  }
  host;
  data;
  shown = "";
  /** The step that was asked for last: a second press may come before the first is answered, or drawn. */
  to = 0;
  pressed;
  name = el("span", { class: "lesson-name", dir: "auto" });
  fold = this.button("lesson-fold", () => this.folded(!this.node.hasAttribute("data-folded")));
  close = this.button("lesson-close", () => this.move("close"), "×");
  dots = el("ol", { class: "lesson-dots" });
  counted = el("span", { class: "lesson-counted" });
  title = el("h2", { class: "lesson-title", dir: "auto" });
  text = el("div", { class: "lesson-text", dir: "auto" });
  question = el("div", { class: "lesson-question", dir: "auto" });
  code = el("div", { class: "lesson-code", hidden: true });
  words = el(
    "div",
    { class: "lesson-words", tabindex: -1, "aria-live": "polite" },
    ...[this.title, this.text, this.question]
  );
  back = this.button("button", () => this.go(-1));
  next = this.button("button primary", () => this.go(1));
  again = this.button("quiet", () => this.move("step", this.data.step));
  lines = this.button("quiet lesson-lines", () => this.showCode(this.code.hidden));
  node;
  relayout = () => crowd(this.node, this.words);
  button(look2, press, words = "") {
    return el("button", { class: look2, onclick: press }, words);
  }
  listen() {
    const on = () => this.go(1);
    const back = () => this.go(-1);
    const inHall2 = (action) => () => this.host.scale > 1 ? action() : false;
    const keys2 = {
      n: on,
      N: on,
      p: back,
      P: back,
      PageDown: inHall2(on),
      PageUp: inHall2(back)
    };
    for (let n2 = 0; n2 < LETTERS.length; n2 += 1) keys2[String(n2 + 1)] = () => this.answer(n2);
    pageKeys(this.host, keys2);
  }
  move(way, number2 = 0) {
    this.host.trigger("moved", { way, number: number2 });
  }
  go(by) {
    const to = this.to + by;
    if (to < 0) return false;
    if (to >= this.data.titles.length) this.move("home");
    else this.pressed.report({ way: "step", number: this.to = to });
    return true;
  }
  answer(number2) {
    const { question } = this.data;
    if (!question || question.answer !== null || number2 >= question.choices.length) return false;
    this.move("answer", number2);
    return true;
  }
  folded(on) {
    this.node.toggleAttribute("data-folded", on);
    label(this.fold, on ? this.data.words.unfold : this.data.words.fold, on ? "▴" : "▾");
    this.fold.setAttribute("aria-expanded", String(!on));
  }
  update(next) {
    const other = next.lesson !== this.data?.lesson;
    if (this.pressed.isNews({ way: "step", number: next.step }) || other) this.to = next.step;
    this.data = next;
    const { words, step, titles } = next;
    setKind(this.host, next.kind);
    this.node.lang = next.language;
    this.node.setAttribute("aria-label", labelled(words.lesson, next.lesson));
    this.node.title = "";
    this.name.textContent = next.lesson;
    label(this.close, words.close, "×");
    this.folded(this.node.hasAttribute("data-folded"));
    this.drawDots();
    this.counted.textContent = next.counted;
    this.title.replaceChildren(...next.title.map((span) => inline(span, words.computed)));
    this.text.replaceChildren(...flow(next.blocks, words.computed));
    this.drawQuestion();
    this.drawCode();
    label(this.back, `${words.back} (P)`, `← ${words.back}`);
    this.back.disabled = step === 0;
    const last = step === titles.length - 1;
    this.next.classList.toggle("primary", !next.question || next.question.answer !== null);
    label(this.next, `${last ? words.done : words.next} (N)`, `${last ? words.done : words.next} →`);
    label(this.again, words.again, "↺");
    const shown2 = `${next.lesson} ${step}`;
    if (shown2 !== this.shown) this.words.scrollTop = this.code.scrollTop = 0;
    this.showCode(!this.code.hidden && next.code !== null);
    this.shown = shown2;
    this.relayout();
  }
  drawDots() {
    const { titles, step, asks: asks2, answered, words } = this.data;
    const looks = (n2) => [
      n2 < step ? "past" : n2 === step ? "now" : "",
      asks2[n2] ? "asks" : "",
      answered[n2] ? "answered" : ""
    ].join(" ");
    this.dots.replaceChildren(
      ...titles.map((title2, n2) => {
        const dot = this.button(`lesson-dot ${looks(n2)}`, () => this.move("step", n2));
        label(dot, `${n2 + 1}. ${title2}`, "");
        if (n2 === step) dot.setAttribute("aria-current", "step");
        return el("li", {}, dot);
      })
    );
    this.dots.setAttribute("aria-label", words.keys);
  }
  /** The code in place of the text, or the text again. */
  showCode(on) {
    this.code.hidden = !on;
    this.words.hidden = on;
    this.lines.hidden = this.data.code === null;
    this.lines.setAttribute("aria-expanded", String(on));
    const { words } = this.data;
    label(this.lines, on ? words.hide_code : words.show_code, words.code);
    this.lines.setAttribute("aria-pressed", String(on));
  }
  drawCode() {
    const { code, question, words } = this.data;
    if (code === null) {
      this.code.replaceChildren();
      return;
    }
    const pressed = code.pressed;
    const covered = question !== null && question.answer === null;
    const given = code.given.map(([kind, text]) => kind === "code" ? el("code", {}, text) : text);
    const lines = code.lines.map((line2, n2) => {
      const on = pressed?.number === n2;
      const press = () => this.move("line", n2);
      const button = el(
        "button",
        { class: "lesson-line", disabled: covered, "aria-pressed": String(on), onclick: press },
        el("b", { "aria-hidden": "true" }, String(n2 + 1)),
        el("code", {}, line2)
      );
      return el("li", {}, button, on ? lineResult(pressed) : null);
    });
    this.code.replaceChildren(
      el("p", { class: "lesson-given" }, ...given),
      el("ol", {}, ...lines),
      el("p", { class: "lesson-before" }, covered ? words.covered : words.press)
    );
  }
  drawQuestion() {
    const { question, words } = this.data;
    this.question.hidden = question === null;
    if (question === null) {
      this.question.replaceChildren();
      return;
    }
    const done = question.answer !== null;
    const spans = (listed2) => listed2.map((span) => inline(span, words.computed));
    const choices = question.choices.map(
      (_, n2) => el(
        "li",
        {},
        choiceButton(question, n2, words, () => this.answer(n2))
      )
    );
    const parts = [
      el("p", { class: "lesson-ask" }, ...spans(question.ask)),
      el("ol", { class: "lesson-choices" }, ...choices),
      done ? el("p", { class: "lesson-verdict" }, ...spans(question.verdict)) : null,
      done ? null : el("p", { class: "lesson-before" }, words.predict),
      ...done ? flow(question.then, words.computed) : []
    ];
    this.question.replaceChildren(...parts.filter((part) => part !== null));
  }
};
var lesson_default = viewOf(Lesson);

// learn/run_token.ts
var KEY = "atlas-training";
var TRIES = 8;
var PAUSE = 1200;
function runToken(_root, host) {
  let timer = 0;
  let tries = 0;
  const ask = () => {
    const kept = sessionStorage.getItem(KEY);
    if (!kept || tries >= TRIES) return;
    tries += 1;
    host.trigger("claimed", kept);
    timer = window.setTimeout(ask, PAUSE);
  };
  return {
    update({ token, gone }) {
      if (token) sessionStorage.setItem(KEY, token);
      if (gone) sessionStorage.removeItem(KEY);
      if (token || gone) clearTimeout(timer);
      else if (!tries) ask();
    },
    destroy: () => clearTimeout(timer)
  };
}
var run_token_default = (args) => mount(args, runToken);

// learn/scene_drawing.ts
var NUMBER2 = 0.045;
var [FAINT2, STRONG2] = [0.05, 0.02];
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
  /** A word on a ground of the kind's colour, which is narrower than usual where `room` is. */
  pill(x, y, words, anchor, room = Infinity) {
    const wide = width(words, this.size);
    const [w, h] = [Math.max(wide + 6, Math.min(wide + 20, room)), this.size * 1.75];
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
    if (weight < (last ? STRONG2 : FAINT2)) return;
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
function rowCells(pen, i, pitch, { left, column: column2 }) {
  const { data, colours } = pen;
  const table = rampTable(colours.panel, colours[data.kind]);
  const position2 = placer("weight", 1);
  data.keys.forEach((_, k) => {
    const weight = pen.weight(i, k);
    const fill2 = table[position2(weight)];
    const cell2 = {
      x: left + k * column2 + 1.5,
      y: i * pitch + 1.5,
      width: column2 - 3,
      height: pitch - 3,
      rx: 4
    };
    pen.add("rect", { ...cell2, fill: fill2, stroke: colours.line, "stroke-width": 1 });
    if (weight < NUMBER2 && !(pen.isLast(i) && k === data.chosen)) return;
    const looks = { "text-anchor": "middle", class: "scene-number", "font-size": Math.max(pen.size, 19) };
    const ink = weight >= 0.9 ? colours.panel : colours.ink;
    const number2 = percent(weight).replace(/ %$/, "");
    pen.word(left + (k + 0.5) * column2, (i + 0.5) * pitch, number2, {
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
function drawSource(pen, y, { left, column: column2 }) {
  const { data, size } = pen;
  pen.name(left - 16, y, tr("source"));
  data.keys.forEach((key, k) => {
    const x = left + (k + 0.5) * column2;
    const beside = Math.max(width(data.keys[k - 1] ?? "", size), width(data.keys[k + 1] ?? "", size));
    if (k === data.best) pen.pill(x, y, key, "middle", 2 * column2 - beside - 10);
    else pen.word(x, y, key, { "text-anchor": "middle" });
    if (k !== data.chosen) return;
    const w = Math.min(column2, width(key, size) + 14);
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
  const widest2 = (words, more) => Math.min(size.width * 0.42, Math.max(...words.map((each) => width(each, pen.size))) + more);
  const sources = widest2(data.keys, 8);
  const [from, to] = [sources + 14, size.width - widest2(data.rows.map(rowWord), 28) - 14];
  const y = (n2) => (n2 + 0.5) * pitch;
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
      const label2 = Math.max(...data.rows.map((row) => width(`${row.read} → ${row.written}`, type)));
      const column2 = (box.width - label2 - 16) / data.keys.length;
      const widths2 = data.keys.map((key) => width(key, type));
      const apart2 = widths2.every((each, n2) => !n2 || (widths2[n2 - 1] + each) / 2 + 8 <= column2);
      if (apart2 && column2 >= 40) {
        const pen = new ScenePen(picture, host, data, type);
        return this.across(pen, { ...box, left: label2 + 16, column: column2 });
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
    const tall2 = Math.max(height, most * pen.size * 1.35);
    this.picture.style.height = `${tall2}px`;
    this.picture.setAttribute("viewBox", `0 0 ${wide} ${tall2}`);
    drawAlong(pen, { width: wide, height: tall2 }, tall2 / most);
    this.chip.hidden = true;
  }
};
var scene_default = viewOf(Scene);

// learn/tour.ts
var KEPT = "atlas-tour";
var REST = 1200;
function wasOffered() {
  try {
    return localStorage.getItem(KEPT) !== null;
  } catch {
    return true;
  }
}
function remember() {
  try {
    localStorage.setItem(KEPT, "offered");
  } catch {
  }
}
var Offer = class {
  constructor(root, host) {
    this.host = host;
    root.append(this.node);
    if (document.documentElement.dataset.atlasTour) this.node.hidden = false;
    else if (wasOffered()) return;
    const before = bus().last.stage;
    if (before) this.written(before.covered);
    listenTo(host, "stage", ({ covered }) => this.written(covered));
    pageKeys(host, { Escape: () => this.node.hidden ? false : this.answer(false) });
    host.signal.addEventListener("abort", () => clearTimeout(this.timer));
  }
  host;
  timer = 0;
  words = el("p", {});
  take = el("button", { class: "button primary", onclick: () => this.answer(true) });
  no = el("button", { class: "button", onclick: () => this.answer(false) });
  node = el("aside", { class: "tour", hidden: true, role: "status" }, this.words, this.take, this.no);
  /** The stage tells at every word whether there are more to come. */
  written(covered) {
    clearTimeout(this.timer);
    if (covered || wasOffered()) return;
    this.timer = setTimeout(() => this.show(), REST);
  }
  show() {
    remember();
    document.documentElement.dataset.atlasTour = "offered";
    this.node.hidden = false;
  }
  answer(take) {
    this.node.hidden = true;
    delete document.documentElement.dataset.atlasTour;
    if (take) this.host.trigger("taken", true);
  }
  update({ offer, take, no }) {
    this.words.textContent = offer;
    this.take.textContent = take;
    this.no.textContent = no;
  }
};
var tour_default = viewOf(Offer);

// learn/two_losses.ts
var TALL2 = 230;
var LEFT = 46;
function paintLosses2(p, view2, width2, tall2 = TALL2) {
  const { loss_steps, steps, trainings } = view2.data;
  const { colours: c, scale: u } = view2.host;
  const box = {
    x: LEFT * u,
    y: 12 * u,
    w: width2 - (LEFT + 64) * u,
    h: (tall2 - 40) * u
  };
  const logs = trainings.flatMap(({ losses }) => losses.map(Math.log10));
  const [high, low] = [Math.ceil(Math.max(...logs)), Math.floor(Math.min(...logs))];
  const x = (step) => box.x + box.w * step / loss_steps[loss_steps.length - 1];
  const y = (loss) => box.y + (high - Math.log10(loss)) / (high - low) * box.h;
  const size = typeSize(13, u);
  let above = -Infinity;
  for (let power = high - 1; power >= low; power--) {
    const height = y(10 ** power);
    p.path(`M${box.x} ${height}h${box.w}`, { stroke: c.line, width: 1 });
    const look2 = { ...AT_RIGHT, size, fill: c.muted };
    if (height - above < 1.1 * size) continue;
    above = height;
    p.text(box.x - 8 * u, height, localised(String(10 ** power)), look2);
  }
  for (const step of steps) {
    if (step === 50) continue;
    p.text(x(step), box.y + box.h + 18 * u, String(step), {
      size,
      align: "center",
      fill: c.muted
    });
  }
  const now = x(steps[view2.at]);
  p.path(`M${now} ${box.y}v${box.h}`, { stroke: c.muted, width: u });
  paintLines2(p, view2, x, y);
}
function paintLines2(p, { data, host }, x, y) {
  const { loss_steps, trainings } = data;
  const { colours: c, scale: u } = host;
  const ends2 = trainings.map(({ losses }) => y(losses[losses.length - 1]));
  const apart2 = Math.abs(ends2[0] - ends2[1]) < 18 * u ? 9 * u : 0;
  const right = x(loss_steps[loss_steps.length - 1]);
  trainings.forEach(({ losses, masked }, n2) => {
    const stroke = masked ? c.ink : c.positive;
    const points = losses.map((loss, k) => `${x(loss_steps[k]).toFixed(1)} ${y(loss).toFixed(1)}`);
    p.path(`M${points.join("L")}`, { stroke, width: 2 * u });
    p.circle(right, ends2[n2], 4 * u, { fill: stroke });
    const height = ends2[n2] + (ends2[n2] < ends2[1 - n2] ? -apart2 : apart2);
    const look2 = { ...AT_LEFT, size: typeSize(13, u), weight: 650, fill: stroke };
    p.text(right + 9 * u, height, masked ? tr("with") : tr("without"), look2);
  });
}
function lossesLeaving(view2) {
  const width2 = () => exportWidth(view2.losses.clientWidth, view2.host.scale);
  return {
    name: () => "two-trainings",
    about: () => view2.data.about,
    title: () => view2.data.title,
    size: () => [width2(), TALL2 * view2.host.scale],
    draw: (p) => paintLosses2(p, view2, width2()),
    rows: () => [
      ["step", "loss_with_mask", "loss_without_mask"],
      ...view2.data.loss_steps.map((step, k) => [
        step,
        ...view2.data.trainings.map(({ losses }) => csvNumber(losses[k]))
      ])
    ]
  };
}

// learn/two_trainings.ts
var KINDS = ["causal", "cross"];
var kindName = (kind) => kind === "causal" ? tr("Decoder self-attention") : tr("Cross-attention");
var ON_A_SLIDE = 84;
var TwoTrainingsView = class extends CardView {
  grid = el("div", { class: "twins" });
  losses = el("canvas", { class: "picture", role: "img" });
  plots = [];
  data;
  at = 0;
  // the shown step, an index
  constructor(root, host) {
    super(root, host);
    this.parts.body.append(el("div", { class: "twins-wrap" }, this.grid));
    this.parts.node.append(this.parts.readout);
    this.parts.controls.append(exportMenu(host, lossesLeaving(this)));
  }
  update(data) {
    this.data = data;
    this.at = data.steps.length - 1;
    this.parts.tell(data);
    this.plots = [];
    const [first, second] = data.trainings.map((each, n2) => this.side(each, n2));
    this.grid.replaceChildren(first, this.middle(), second);
    this.relayout();
  }
  relayout() {
    this.grid.classList.toggle("twins-slide", isSlide());
    for (const { plot, training, kind } of this.plots) {
      const room = plot.node.parentElement.clientWidth;
      plot.frame = heatGeometry(this.sheet(training, kind), room, this.host.scale, {
        tall: inSight(this.host, 240, -Infinity),
        cap: 30
      });
    }
    this.draw();
  }
  /* ---------- what stands there ---------- */
  side(training, n2) {
    const maps = KINDS.map((kind) => {
      const canvas = el("canvas", { class: "picture", role: "img" });
      const plot = new Plot(canvas, () => this.marks(n2, kind));
      this.plots.push({ plot, training: n2, kind });
      const heading2 = el("h4", { style: `color: var(--${kind}-text)` }, kindName(kind));
      return el("div", { class: `twin-${kind}` }, heading2, canvas);
    });
    const tint = `--tint: var(${training.masked ? "--ink" : "--positive"})`;
    return el(
      "section",
      { class: "twin", style: tint },
      el("h4", { class: "twin-title" }, training.title),
      el("p", { class: "twin-note" }, training.subtitle),
      el("div", { class: "twin-maps" }, ...maps),
      el("p", { class: "twin-axis" }, tr("It writes by itself")),
      this.letters(training),
      el("p", { class: "twin-result" }, training.outcome)
    );
  }
  letters({ written: written2 }) {
    const { writes } = this.data;
    const boxes = Array.from({ length: Math.max(writes.length, written2.length) }, (_, n2) => {
      const letter = written2[n2];
      if (letter === void 0) return el("span", { class: "missing", "aria-hidden": "true" });
      const ends2 = letter === writes[writes.length - 1];
      const early = ends2 && n2 < writes.length - 1;
      return el("span", { class: `${ends2 ? "end" : ""}${early ? " early" : ""}` }, letter);
    });
    return el("div", { class: "twin-letters" }, ...boxes);
  }
  middle() {
    const { source, steps } = this.data;
    const buttons = steps.map(
      (step, n2) => el("button", { "data-step": n2, onclick: () => this.go(n2) }, String(step))
    );
    const letters = source.map(
      (letter, n2) => el("span", { class: n2 === source.length - 1 ? "end" : "" }, letter)
    );
    return el(
      "section",
      { class: "twin twin-middle" },
      el("h4", { class: "twin-title" }, tr("Training loss")),
      el("p", { class: "twin-note" }, tr("Nats per token, logarithmic; lower is better")),
      el("div", { class: "twin-losses" }, this.losses),
      el("p", { class: "twin-axis" }, tr("Maps at training step")),
      el(
        "div",
        {
          class: "twin-moments",
          role: "group",
          "aria-label": tr("Training step")
        },
        ...buttons
      ),
      el("p", { class: "twin-axis" }, tr("The same new input for both")),
      el("div", { class: "twin-letters" }, ...letters)
    );
  }
  go(n2) {
    this.at = n2;
    this.draw();
  }
  /* ---------- drawing ---------- */
  sheet(training, kind) {
    const { source, reads, writes, trainings } = this.data;
    const cols = kind === "causal" ? reads : source;
    const values = trainings[training][kind];
    const begin = this.at * reads.length * cols.length;
    const hidden = (i, j) => kind === "causal" && trainings[training].masked && j > i;
    const at = (i, j) => hidden(i, j) ? NaN : values[begin + i * cols.length + j];
    const { colours } = this.host;
    const table = rampTable(colours.panel, colours[kind]);
    return { ...makeSheet({ rows: [...writes], cols: [...cols] }, at, table), digits: false };
  }
  marks(training, kind) {
    const { colours } = this.host;
    const marks2 = heatmap(this.sheet(training, kind), focusOn(null), colours);
    if (kind === "cross" || this.data.trainings[training].masked) return marks2;
    const leaks = (p, g) => {
      for (let i = 0; i + 1 < this.data.reads.length; i++) {
        const [x, y] = [g.box.x + (i + 1) * g.cw, g.box.y + i * g.ch];
        p.rect(x, y, g.cw - 1, g.ch - 1, {
          stroke: colours.ink,
          width: 1.6 * g.u,
          radius: 3 * g.u
        });
      }
    };
    return [...marks2, leaks];
  }
  draw() {
    const { steps, trainings } = this.data;
    for (const { plot, training, kind } of this.plots) {
      plot.draw();
      plot.node.setAttribute(
        "aria-label",
        labelled(trainings[training].title, `${kindName(kind)}, ${steps[this.at]}`)
      );
    }
    for (const button of this.grid.querySelectorAll("[data-step]"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.step) === this.at));
    const room = this.losses.parentElement.clientWidth;
    const tall2 = isSlide() ? ON_A_SLIDE : TALL2;
    paintLosses2(canvasPainter(fitCanvas(this.losses, room, tall2 * this.host.scale)), this, room, tall2);
    this.losses.setAttribute("aria-label", labelled(tr("Training loss"), this.parts.title.textContent ?? ""));
  }
};
var two_trainings_default = viewOf(TwoTrainingsView);

// shared/chart.ts
function lineOf2(plot, name) {
  const line2 = plot.closest('[class*="st-key-card_"]')?.querySelector(`.atlas-${name}`)?.cloneNode(true);
  if (!(line2 instanceof HTMLElement)) return "";
  line2.querySelectorAll(".atlas-tip").forEach((tip) => tip.remove());
  return line2.textContent.trim();
}
function wordsOver(plot, width2, { scale: u, colours: c }) {
  const caption = captionOf("", width2, u);
  const words = [
    [lineOf2(plot, "title"), { size: 16 * u, weight: 650, fill: c.ink }],
    [lineOf2(plot, "subtitle"), { size: typeSize(12.5, u), fill: c.muted }]
  ];
  const lines = words.flatMap(
    ([text, pen]) => text ? wrapForFile(text, width2 - 4, pen.size, pen.weight).map((line2) => [line2, pen]) : []
  );
  const above = captionHeight(caption, u);
  const paint = (p) => {
    paintCaption(p, caption, u, c.muted);
    lines.forEach(([line2, pen], n2) => p.text(2, above + (16 + 20 * n2) * u, line2, pen));
  };
  return {
    paint,
    height: above + (lines.length ? 20 * lines.length + 8 : 0) * u
  };
}
var placed = (parts) => parts.map((part) => ({ part, box: part.getBoundingClientRect() }));
function stillOf(layer) {
  const copy = layer.cloneNode(true);
  copy.style.background = "none";
  const numbers = copy.querySelectorAll(".heatmap-label");
  layer.querySelectorAll(".heatmap-label").forEach((node, k) => {
    if (getComputedStyle(node).display === "none") numbers[k]?.remove();
  });
  copy.querySelectorAll(".draglayer, .hoverlayer, .zoomlayer").forEach((node) => node.remove());
  return copy;
}
function plotsPicture(plots, headings, host) {
  const figures = placed(plots);
  const words = placed(headings);
  const boxes = [...figures, ...words].map(({ box }) => box);
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const width2 = Math.max(...boxes.map((box) => box.right)) - left;
  const over = wordsOver(plots[0], width2, host);
  const height = Math.max(...boxes.map((box) => box.bottom)) - top + over.height;
  const painter = svgPainter(width2, height, host.colours.panel);
  over.paint(painter);
  for (const { part, box } of words) {
    const size = parseFloat(getComputedStyle(part).fontSize);
    const pen = { size, fill: host.colours.muted };
    painter.text(box.left - left, box.top - top + over.height + size, part.textContent.trim(), pen);
  }
  const whole = painter.svg;
  for (const { part, box } of figures) {
    const moved = svgElement("g", {
      transform: `translate(${box.left - left} ${box.top - top + over.height})`
    });
    moved.append(...Array.from(part.querySelectorAll("svg.main-svg"), stillOf));
    whole.append(moved);
  }
  const blob = new Blob([new XMLSerializer().serializeToString(whole)], {
    type: "image/svg+xml"
  });
  return { blob, width: width2, height };
}
function traceRows(traces) {
  const shown2 = traces.filter(({ mode, meta }) => mode !== "text" && meta !== "join");
  const columnsOf = ({ meta }) => typeof meta === "object" ? meta.columns : void 0;
  const more = [...new Set(shown2.flatMap((trace) => columnsOf(trace) ?? []))];
  const rows = [["trace", "x", "y", "z", ...more]];
  const cell2 = (v) => v === void 0 || v === null || Number.isNaN(v) ? "" : v;
  shown2.forEach((trace, k) => {
    const { name, x, y, z, customdata } = trace;
    const columns = columnsOf(trace);
    const beside = (of) => more.map((column2) => cell2(of?.[columns?.indexOf(column2) ?? -1]));
    const add = (i, j, value, of) => rows.push([name ?? `trace ${k}`, cell2(x?.[j] ?? j), cell2(y?.[i] ?? i), cell2(value), ...beside(of)]);
    const count = z ? 0 : Math.max(x?.length ?? 0, y?.length ?? 0);
    for (let i = 0; i < count; i++) add(i, i, null, customdata?.[i]);
    Array.from(
      z ?? [],
      (line2, i) => Array.from(line2, (value, j) => add(i, j, value, customdata?.[i]?.[j]))
    );
  });
  return rows;
}
function chart(root, host) {
  let file = "figure";
  const withPlots = (act) => () => {
    const shadow = root.getRootNode();
    const container = shadow.host?.closest('[class*="st-key-chart_"]');
    const plots = Array.from(container?.querySelectorAll(".js-plotly-plot") ?? []);
    if (plots.length) act(plots, Array.from(container?.querySelectorAll(".atlas-quiet") ?? []));
  };
  const png = withPlots((plots, headings) => {
    const { blob, width: width2, height } = plotsPicture(plots, headings, host);
    const image = new Image();
    image.onload = () => {
      const canvas = el("canvas", { width: width2 * 2, height: height * 2 });
      context2d(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
      downloadPng(canvas, file);
      URL.revokeObjectURL(image.src);
    };
    image.src = URL.createObjectURL(blob);
  });
  const svg = withPlots(
    (plots, headings) => download(plotsPicture(plots, headings, host).blob, `${file}.svg`)
  );
  const csv = withPlots((plots) => downloadCsv(file, traceRows(plots.flatMap((plot) => plot._fullData))));
  root.append(leavingMenu(host, png, svg, csv));
  return { update: (data) => void (file = data.file) };
}
var chart_default = (args) => mount(args, chart);

// web/maps/moving.ts
var STEP = 0.05;
var PULL = 220;
var REST2 = 600;
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
      timer = window.setTimeout(settle, REST2);
      return true;
    },
    stop: () => clearTimeout(timer)
  };
}

// shared/compare_panes.ts
var HALL4 = 400;
var LINE5 = 15;
var TALL3 = 600;
var GAP5 = 22;
function makePane(compare, n2) {
  const canvas = el("canvas", { class: "picture", tabindex: 0, role: "application" });
  const title2 = explained(compare.host, el("span"));
  const legend2 = el("canvas", { class: "picture compare-legend" });
  const name = el("h4", { class: "compare-title" }, title2);
  const plot = new Plot(
    canvas,
    () => heatmap(compare.sheets[n2], compare.focus(n2), compare.host.colours, pane.cache)
  );
  const node = el("div", { class: "compare-pane" }, name, canvas, legend2);
  const pane = { plot, title: title2, legend: legend2, node, cache: {} };
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
var LOW = 800;
function arrangePanes({ host, parts, sheets: sheets2, panes, grid, meta }) {
  const u = host.scale;
  const room = parts.body.clientWidth;
  const most = room >= (u > 1 ? 720 : 900) * u ? sheets2.length : room >= 560 * u ? 2 : 1;
  const rows = Math.max(...sheets2.map((sheet) => sheet.rows.length));
  const tall2 = Math.max(meta.tall, Math.min(TALL3, LINE5 * rows));
  const limits = { tall: inSight(host, tall2, HALL4, rows), cap: 34, deep: 30 };
  const frame = (n2, beside2) => {
    const alone = beside2 === 2 && n2 === 2;
    return heatGeometry(sheets2[n2], alone ? room : (room - (beside2 - 1) * GAP5 * u) / beside2, u, limits);
  };
  const whole = (beside2) => sheets2.every((_, n2) => frame(n2, beside2).colEvery === 1);
  const low = u > 1 && window.innerHeight < LOW;
  const beside = low ? most : [most, 2, 1].find((count) => count <= most && whole(count)) ?? most;
  grid.style.gridTemplateColumns = `repeat(${beside}, minmax(0, 1fr))`;
  panes.forEach((pane, n2) => {
    pane.node.style.gridColumn = beside === 2 && n2 === 2 ? "1 / -1" : "";
    pane.node.style.order = beside === 1 && n2 === 2 ? "-1" : "";
    pane.plot.frame = frame(n2, beside);
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
      const width2 = frames.reduce((sum, frame) => sum + frame.width + GAP5 * u, 0);
      return [width2, Math.max(...frames.map(({ height }) => height)) + 60 * u];
    },
    draw(p) {
      const { scale: u, colours: c } = compare.host;
      const bottom = Math.max(...compare.panes.map(({ plot }) => plot.frame.height)) + 30 * u;
      let x = 0;
      compare.panes.forEach(({ plot }, n2) => {
        p.text(x + 2, 14 * u, compare.names[n2], { size: 13.5 * u, weight: 600, fill: c.ink });
        plot.paint(shifted(p, x, 22 * u));
        paintLegend(p, x + 2, bottom, u, paneLegend(compare, n2), c);
        x += plot.frame.width + GAP5 * u;
      });
    },
    words: () => compare.sentence(),
    rows: () => compare.meta.heads ? headsTable(compare) : mapsTable(compare)
  };
}
var mapsTable = ({ meta, sheets: sheets2, names }) => [
  ["map", ...TABLE_HEAD],
  ...sheets2.flatMap(
    (sheet, n2) => tableOf(sheet, meta.kind === "encoder", csvNumber).map((line2) => [names[n2], ...line2])
  )
];
var headsTable = ({ meta, sheets: sheets2, names }) => [
  ["map", "head", ...TABLE_HEAD],
  ...sheets2.flatMap((sheet, n2) => {
    const query = n2 < 2 ? [meta.positions[n2], meta.reads[n2][0], meta.heads?.[n2] ?? ""] : ["", "", ""];
    return tableOf(sheet, false, csvNumber).map(([i, , , ...cell2]) => [
      ...[names[n2], sheet.rows[Number(i)]],
      ...[...query, ...cell2]
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
    const [all, width2] = [this.values ?? values[1], meta.cols[1].length];
    const line2 = Array(width2).fill(NaN);
    for (const j of meta.moves) line2[j] = all[row * width2 + j];
    return line2;
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
      const asked2 = this.values;
      this.answered();
      this.values = asked2;
      if (asked2) this.show(null, 0);
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

// shared/compare_words.ts
function compareSentence(compare) {
  const { meta } = compare;
  const { hovered, pinned } = compare.own;
  const cell2 = hovered ?? pinned;
  const aside = hovered ? [] : [{ muted: `  ${pinned ? pinnedHint() : hint()}` }];
  if (!cell2) return [...largestSentence(compare), ...aside];
  const { row, col } = cell2;
  if (row !== void 0 && col !== void 0)
    return [...cellSentence(compare, cell2.pane, row, col), ...aside];
  const which = meta.comparable ? [0, 1] : [Math.min(1, cell2.pane)];
  const lines = which.flatMap((n2) => [...lineSentence(compare, n2, cell2), " "]);
  return [...lines, ...aside];
}
var lead = ({ meta }, sheet, i) => meta.heads ? [{ strong: tr("Head {name}", { name: sheet.rows[i] }) }] : rowWords(sheet.rows[i], { verb: verbOf(meta.kind), read: sheet.reads?.[i] });
function largestSentence(compare) {
  const { meta, sheets: sheets2 } = compare;
  if (!meta.comparable) return [tr("The two maps have different words, so no difference is drawn.")];
  const [first, second] = meta.names;
  if (!meta.largest)
    return sameSentence(meta.names, emptyIn(sheets2[0], sheets2[1]), emptyIn(sheets2[1], sheets2[0]));
  const [row, col, passedOver] = meta.largest;
  const [one, two2, change] = sheets2.map((sheet) => sheet.at(row, col));
  const text = passedOver ? tr("Largest difference between words: {row}, at {key}: {one} ({first}), {two} ({second}); {points}.") : tr("Largest difference: {row}, at {key}: {one} ({first}), {two} ({second}); {points}.");
  return phrase(text, {
    row: lowerFirst(lead(compare, sheets2[2], row)),
    key: strongly(sheets2[2].cols[col]),
    first,
    second,
    one: spokenPercent(one),
    two: spokenPercent(two2),
    points: shown(change, "points")
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
  const { meta, sheets: sheets2, names } = compare;
  if (!meta.comparable) {
    const sheet = sheets2[pane];
    const share = shown(sheet.at(i, j), "share");
    const fields = {
      name: names[pane],
      row: lowerFirst(lead(compare, sheet, i)),
      share,
      key: strongly(sheet.cols[j])
    };
    return phrase(tr("{name}: {row}, {share} at {key}."), fields);
  }
  const [one, two2] = [sheets2[0].at(i, j), sheets2[1].at(i, j)];
  const [first, second] = meta.names;
  return phrase(tr("{row}, at {key}: {one} ({first}), {two} ({second}); {points}."), {
    row: lead(compare, sheets2[0], i),
    key: strongly(sheets2[0].cols[j]),
    first,
    second,
    one: shown(one, "share", 1),
    two: shown(two2, "share", 1),
    points: shown(two2 - one, "points", 1)
  });
}
function lineSentence({ meta, sheets: sheets2 }, n2, { row, col = 0 }) {
  const sheet = sheets2[n2];
  const writing = meta.heads?.[n2];
  const how2 = {
    verb: verbOf(meta.kind),
    subject: meta.subjects[n2],
    mode: "weights",
    distribution: meta.distribution[n2]
  };
  if (row !== void 0) {
    const numbers = rowOf(sheet, row);
    const hidden = sheet.hidden?.[row] ?? null;
    const words = { ...how2, read: sheet.reads?.[row], hidden };
    if (writing === void 0) return rowSentence(numbers, sheet.rows[row], sheet.cols, words);
    const subject = tr("head {name}", { name: sheet.rows[row] });
    return rowSentence(numbers, writing, sheet.cols, { ...how2, verb: "Writing", subject });
  }
  const column2 = sumOf(sheet, [col], columnOf);
  if (writing === void 0) return columnSentence(column2, [col], sheet.cols, sheet.rows, how2);
  return headsSentence(sheet, column2, writing, sheet.cols[col]);
}
function headsSentence(sheet, column2, writing, word) {
  const most = topIndices(column2, 2).filter((i, rank2) => rank2 === 0 || column2[i] >= 0.05);
  const heads2 = most.map((i) => [
    tr("head {name} ({share})", { name: sheet.rows[i], share: spokenPercent(column2[i]) })
  ]);
  return phrase(tr("Writes {written}: {key} gets most from {heads}."), {
    written: strongly(writing),
    key: strongly(word),
    heads: enumerate(heads2)
  });
}
var LEAST_TOP = 0.05;
var emptyRows = (sheet) => sheet.rows.map((_, i) => sheet.cols.every((__, j) => Number.isNaN(sheet.at(i, j))));
function compareSheets(meta, values, log, c) {
  const table = kindRamp(c, meta.kind);
  const sheets2 = values.map((numbers, n2) => {
    const reads = meta.reads[n2].length && !meta.heads ? meta.reads[n2] : void 0;
    const words = { rows: meta.rows[n2], cols: meta.cols[n2], reads };
    const at = (i, j) => numbers[i * words.cols.length + j];
    const sheet = makeSheet(words, at, table, { scale: log ? "log" : "weight" });
    return { ...sheet, hidden: meta.hidden[n2], empty: emptyRows(sheet) };
  });
  let top = LEAST_TOP;
  if (!meta.comparable) return { sheets: sheets2, top };
  const [one, two2] = sheets2;
  const change = (i, j) => two2.at(i, j) - one.at(i, j);
  for (let n2 = 0; n2 < values[0].length; n2++) {
    const far = Math.abs(values[1][n2] - values[0][n2]);
    if (far > top) top = far;
  }
  const look2 = { scale: "diverging", top };
  const difference = makeSheet(one, change, divergingTable(c), { ...look2, unit: "points" });
  sheets2.push({ ...difference, empty: emptyRows(difference) });
  for (const sheet of sheets2) sheet.aside = meta.hidden[0] !== null;
  return { sheets: sheets2, top };
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
    const { sheets: sheets2, top } = compareSheets(this.meta, this.values, this.own.log, this.host.colours);
    [this.sheets, this.top] = [sheets2, top];
  }
  /** What stands out in a pane. */
  focus(n2) {
    const cell2 = this.own.hovered ?? this.own.pinned;
    const shows = cell2 && (this.meta.comparable || cell2.pane === n2);
    return focusOn(shows ? cell2 : null);
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
    this.panes.forEach(({ legend: legend2 }, n2) => drawLegend(legend2, scale, paneLegend(this, n2), colours));
    this.draw();
  }
  /* ---------- hover, pin, colours ---------- */
  hover(cell2) {
    if (samePaneCell(cell2, this.own.hovered)) return;
    this.own.hovered = cell2;
    this.soon();
  }
  pin(cell2) {
    this.own.pinned = samePaneCell(cell2, this.own.pinned) ? null : cell2;
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
    const cell2 = pinned && [pinned.pane, pinned.row ?? null, pinned.col ?? null];
    if (this.meta.report) this.looks.report({ cell: cell2, log });
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
      const cell2 = { ...row === null ? {} : { row }, ...col === null ? {} : { col } };
      own.pinned = pane === void 0 ? null : { pane, ...cell2 };
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

// shared/head_numbers.ts
var LEAST_TOP2 = { points: 0.05, number: 1e-6, share: 1, length: 1e-9 };
var nameOf = (heads2) => heads2.length ? heads2.map((pair) => pair.join(".")).join() : "all";
var headsTitle = (names) => names.length > 1 ? tr("Heads {names}", { names: names.join(", ") }) : tr("Head {name}", { name: names.join() });
var reachOf = (longest) => longest > 128 ? 3 : longest > 32 ? 2 : 1;
var OpenHeads = class {
  meta;
  /** one map a head, row by row */
  maps = [];
  sheets = [];
  combined;
  /** heads that are switched off */
  off = /* @__PURE__ */ new Set();
  cache = {};
  /** Range of the colours. */
  range = { scale: "weight", top: 1 };
  /** Indices of the heads that are drawn. */
  get seen() {
    return this.maps.map((_, k) => k).filter((k) => !this.off.has(k));
  }
  /** Every number may be below 0. */
  get signed() {
    return this.meta.unit !== "share";
  }
  hueOf(k, c) {
    return this.maps.length > 1 ? c.heads[k % c.heads.length] : c[this.meta.kind];
  }
  build(c, log) {
    const { meta } = this;
    this.range = this.rangeOf(log);
    const { scale } = this.range;
    const diverging = scale === "diverging" ? divergingTable(c) : null;
    this.sheets = this.maps.map((map, k) => {
      const { hidden } = meta.heads[k];
      const empty = meta.rows.map((_, i) => i < meta.written && hidden !== null && !this.anyIn(map, i));
      const at = (i, j) => i < meta.written && !empty[i] ? map[i * meta.cols.length + j] : NaN;
      const table = diverging ?? (this.maps.length > 1 ? rampTable(c.panel, this.hueOf(k, c)) : kindRamp(c, meta.kind));
      const reads = meta.reads.length ? meta.reads : void 0;
      return {
        ...makeSheet({ ...meta, reads, oneLabel: meta.one_label }, at, table, {
          ...this.range,
          unit: meta.unit
        }),
        hidden,
        empty
      };
    });
    this.combine();
  }
  /** Whether a row of a map has any weight. */
  anyIn(map, i) {
    return this.meta.cols.some((_, j) => map[i * this.meta.cols.length + j] > 0);
  }
  rangeOf(log) {
    if (!this.signed) return { scale: log ? "log" : "weight", top: 1 };
    if (this.meta.unit === "length") return { scale: "weight", top: this.meta.quantity?.top ?? 1 };
    let [low, top] = [Infinity, -Infinity];
    for (const map of this.maps) {
      for (let n2 = 0; n2 < map.length; n2++) {
        if (Number.isFinite(map[n2])) [low, top] = [Math.min(low, map[n2]), Math.max(top, map[n2])];
      }
    }
    if (!(top >= low)) [low, top] = [0, 1];
    if (low >= 0) return { scale: "range", top, low };
    const least = LEAST_TOP2[this.meta.unit];
    return { scale: "diverging", top: Math.max(Math.abs(low), Math.abs(top), least) };
  }
  /** Several heads in one map: each cell takes the hue of the head that is strongest there. */
  combine() {
    this.cache = {};
    const { sheets: sheets2, seen } = this;
    const [first] = sheets2;
    if (seen.length <= 1) {
      this.combined = sheets2[seen[0] ?? 0];
      return;
    }
    const index = new Int16Array(first.index.length).fill(-1);
    const lead2 = new Uint8Array(index.length);
    for (const k of seen) {
      sheets2[k].index.forEach((v, n2) => {
        const now = index[n2] < 0 ? -1 : Math.abs((index[n2] & 255) - first.neutral);
        if (v >= 0 && Math.abs(v - first.neutral) > now) [index[n2], lead2[n2]] = [k * 256 + v, k];
      });
    }
    const at = (i, j) => sheets2[lead2[i * first.cols.length + j]].at(i, j);
    const empty = first.rows.map((_, i) => seen.every((k) => sheets2[k].empty?.[i]));
    this.combined = {
      ...first,
      index,
      empty,
      hidden: null,
      table: sheets2.flatMap((sheet) => sheet.table),
      at
    };
  }
  /** The row that the sentence is about when none is looked at: the word that looks hardest at another one. */
  get tellingRow() {
    const { current, written: written2, rows, cols, kind } = this.meta;
    if (current !== null && current < written2) return current;
    const sheet = this.sheets[this.seen[0] ?? 0];
    let [row, best] = [0, -Infinity];
    for (let i = 0; i < written2; i++) {
      if (isSpecial(rows[i])) continue;
      for (let j = 0; j < cols.length; j++) {
        const v = sheet.at(i, j);
        if (v > best && (kind === "cross" || i !== j)) [row, best] = [i, v];
      }
    }
    return row;
  }
};
function pinnedCell({ open, pins }) {
  const { meta, sheets: sheets2, seen } = open;
  if (seen.length !== 1 || meta.mode !== "weights" || !pins.isCell) return null;
  const [row, col] = [[...pins.rows][0], [...pins.cols][0]];
  return { sheet: sheets2[seen[0]], subject: meta.heads[seen[0]].subject, row, col };
}
function headTitle(head) {
  const { meta, sheets: sheets2, seen } = head.open;
  const cell2 = pinnedCell(head);
  if (cell2) return cellTitle({ ...cell2, verb: verbOf(meta.kind, meta.one_label) });
  const rows = meta.report && seen.length === 1 && sheets2.length === 1 && meta.written > 0;
  if (rows && meta.mode === "weights" && meta.distribution && meta.heads[seen[0]].hidden === null)
    return wholeTitle(sheets2[seen[0]], meta.heads[seen[0]].subject);
  return [`${meta.title} `, ...meta.tag ? [{ kind: meta.tag }] : []];
}
function headSentence2(head) {
  const { open, pins } = head;
  const { meta, sheets: sheets2, seen, tellingRow } = open;
  const cell2 = pinnedCell(head);
  if (cell2 && !pins.hovered) return [...restSentence(cell2), ...rank(head, cell2.subject)];
  return mapSentence({
    ...pins.active,
    sheets: seen.map((k) => sheets2[k]),
    subjects: seen.map((k) => meta.heads[k].subject),
    names: seen.map((k) => meta.heads[k].name),
    how: { verb: verbOf(meta.kind, meta.one_label), mode: meta.mode, distribution: meta.distribution },
    row: tellingRow,
    hint: pins.hint
  });
}
function rank({ open }, subject) {
  const { ranking, pairs } = open.meta;
  if (pairs.length !== 1 || !ranking.length) return [];
  const own = ranking.find(([layer, head]) => String([layer, head]) === String(pairs[0]));
  if (!own) return [];
  const [, , share] = own;
  const count = ranking.filter((each) => each[2] === share).length;
  if (count > 1)
    return [
      " ",
      tr("For this pair, {count} heads give {share} %, {subject} among them.", {
        count,
        share,
        subject
      })
    ];
  const fields = { subject, rank: ranking.indexOf(own) + 1, count: ranking.length };
  return [" ", tr("For this pair, {subject} is number {rank} of {count}.", fields)];
}

// shared/head_drawing.ts
var axes2 = () => tr("query ↓   key →");
var HALL5 = 350;
var TALL4 = 600;
var DEEP = 36;
var MOST_SUMS = 14;
function arrangeHead({ open, own, pair, host, parts }) {
  const u = host.scale;
  const room = parts.body.clientWidth;
  pair.resize(room, u, [0.44, 0.56], Math.min(room, 620 * u));
  const { area } = own;
  const [rows, columns] = area ? [area[1] - area[0], area[3] - area[2]] : [open.meta.rows.length, open.meta.cols.length];
  const longest = Math.max(rows, columns);
  const most = pair.wide || rows > 20 ? TALL4 : 400;
  const limits = {
    tall: inSight(host, most, HALL5 + (rows > 20 ? 24 : 0), rows),
    area,
    cap: pair.wide ? 46 : 52,
    deep: pair.wide ? 0 : DEEP
  };
  pair.map.frame = heatGeometry(open.combined, pair.sides[1], u, limits);
  const beside = pair.beside(pair.map.frame, longest, limits.tall * u);
  const several = open.seen.length > 1;
  const tall2 = inSight(host, longest > 20 ? TALL4 : 400, -Infinity);
  pair.lines.frame = columnsGeometry(open.combined, pair.sides[0], u, { tall: tall2, area, several, ...beside });
}
function headLines(head) {
  const { open, own, host } = head;
  const c = host.colours;
  const { rows, cols, cell: cell2 } = head.pins.active;
  const focus = { rows, cols: cell2 ? /* @__PURE__ */ new Set() : cols };
  const { seen, range: range2 } = open;
  const apart2 = (g) => Math.min(2.2 * g.u, g.rowPitch / (seen.length + 1));
  const lines = seen.map((k, m) => {
    const hue = open.hueOf(k, c);
    const twoHues = open.signed && range2.scale === "diverging" && seen.length === 1;
    return columnLines(open.sheets[k], focus, {
      threshold: own.threshold,
      top: range2.top,
      faint: 1 / Math.sqrt(seen.length),
      shift: (g) => (m - (seen.length - 1) / 2) * apart2(g),
      hue: twoHues ? (v) => v >= 0 ? c.positive : c.negative : () => hue
    });
  });
  const words = (p, g) => {
    const named = [...cell2 ? cols : [], ...paintSums(p, head, g, focus)];
    columnWords2(open.combined, { ...focus, named }, c, open.meta.kind)(p, g);
  };
  return [...lines, words];
}
function paintSums(p, head, g, { rows, cols }) {
  if (rows.size) {
    const y = (n2) => attendedY(g, n2);
    const right = { y, x: g.width - 2, align: "right", pitch: g.colPitch };
    return paintSide(p, head, g.u, { items: rows, line: rowOf, ...right });
  }
  if (cols.size) {
    const y = (n2) => attendingY(g, n2);
    const left = { y, x: 2, align: "left", pitch: g.rowPitch };
    paintSide(p, head, g.u, { items: cols, line: columnOf, ...left });
  }
  return [];
}
function paintSide(p, head, u, side) {
  const { open } = head;
  const { unit } = open.meta;
  const { items, line: line2, y, pitch } = side;
  const sums = open.seen.map((k) => sumOf(open.sheets[k], items, line2));
  const peak = (n2) => Math.max(...sums.map((sum) => Math.abs(sum[n2])));
  const worth = unit === "number" || unit === "length" ? 0.2 * open.range.top : 0.05;
  const most = Array.from(sums[0] ?? [], (_, n2) => n2).filter((n2) => peak(n2) >= worth);
  const put = [];
  for (const n2 of most.sort((a, b) => peak(b) - peak(a)).slice(0, MOST_SUMS)) {
    if (put.some((m) => Math.abs(m - n2) * pitch < 14 * u)) continue;
    put.push(n2);
    const numbers = sums.map((sum) => sum[n2]);
    const label2 = (v) => items.size > 1 && unit === "share" ? fixed(v, 2) : shown(v, unit).replace(" points", "");
    if (numbers.length > 1) paintBars(p, head, u, side, n2, numbers, label2);
    else {
      const fill2 = head.host.colours[`${open.meta.kind}_text`];
      p.text(side.x, y(n2), label2(numbers[0]), {
        baseline: "middle",
        size: typeSize(12.5, u),
        align: side.align,
        fill: fill2
      });
    }
  }
  return put;
}
function paintBars(p, head, u, { x, y, align, pitch, items }, n2, numbers, label2) {
  const { open, host } = head;
  const c = host.colours;
  const longest = numbers.reduce((a, b) => Math.abs(b) > Math.abs(a) ? b : a, 0);
  const inward = align === "right" ? -1 : 1;
  const pen = { size: typeSize(12, u), fill: c.muted };
  p.text(x + inward * 46 * u, y(n2), label2(longest), { ...pen, align, baseline: "middle" });
  const tall2 = Math.min(4 * u, (Math.min(pitch, 22 * u) - 2) / numbers.length);
  numbers.forEach((v, m) => {
    const w = Math.max(1, Math.min(1, Math.abs(v) / (open.range.top * items.size)) * 40 * u);
    const top = y(n2) + (m - numbers.length / 2) * tall2;
    p.rect(inward < 0 ? x - w : x, top, w, tall2 * 0.85, { fill: open.hueOf(open.seen[m], c) });
  });
}
var headMap = ({ open, pins, host }) => heatmap(
  open.combined,
  { ...pins.active, colour: host.colours[`${open.meta.kind}_text`] },
  host.colours,
  open.cache
);
function axisOf({ open }) {
  const { scale, top, low = 0 } = open.range;
  const unit = (v) => open.meta.unit === "points" ? brief(v, "points") : minus(fixed(v, 1));
  if (scale === "diverging") return { stops: centred(unit(-top), unit(top)) };
  if (scale === "range") {
    const stops = [
      [0, unit(low)],
      [1, unit(top)]
    ];
    return { stops };
  }
  return weightAxis(scale, open.meta.cols.length, open.meta.quantity);
}
function headLegend(head) {
  const { open, own, host } = head;
  const several = open.seen.length > 1;
  const { unit, quantity } = open.meta;
  const weights2 = quantity ? quantityWords(quantity) : weightWords(own.log);
  const one = {
    points: tr("difference in percentage points"),
    number: tr("score before the softmax"),
    share: weights2,
    length: weights2
  };
  const table = several ? rampTable(host.colours.panel, host.colours.ink) : open.combined.table;
  return { table, ...axisOf(head), words: several ? tr("Each cell: the strongest head shown") : one[unit] };
}
function headLeaving(head) {
  const { pair } = head;
  return {
    name: () => head.open.meta.file,
    who: () => head.open.seen.map((k) => head.open.meta.heads[k].subject).join(", "),
    title: () => headTitle(head),
    subtitle: () => head.open.meta.subtitle,
    size: () => [pair.width, pair.height],
    draw: (p) => pair.paint(p, head.host.colours, axes2()),
    legend: () => headLegend(head),
    words: () => headSentence2(head),
    rows() {
      const { meta, sheets: sheets2, seen } = head.open;
      if (sheets2.length === 1) return [TABLE_HEAD, ...tableOf(sheets2[0], meta.kind === "encoder", csvNumber)];
      const lines = seen.flatMap(
        (k) => tableOf(sheets2[k], meta.kind === "encoder", csvNumber).map((line2) => [meta.heads[k].name, ...line2])
      );
      return [["head", ...TABLE_HEAD], ...lines];
    }
  };
}
function makeSwatches(head) {
  const { open } = head;
  const several = open.maps.length > 1;
  head.swatches.hidden = !several;
  if (!several) return head.swatches.replaceChildren();
  const buttons = open.meta.heads.map(({ name }, k) => {
    const dot = el("span", { class: "swatch-dot", "aria-hidden": "true" });
    dot.style.background = open.hueOf(k, head.host.colours);
    const title2 = TOUCH ? tr("Show or hide") : tr("Click to show or hide; double-click to isolate");
    const button = el("button", { class: "swatch", title: title2 }, dot, name);
    button.addEventListener("click", () => {
      if (!open.off.delete(k)) open.off.add(k);
      changed();
    });
    button.addEventListener("dblclick", () => {
      const alone = open.seen.length === 1 && !open.off.has(k);
      open.off = new Set(alone ? [] : open.maps.map((_, m) => m).filter((m) => m !== k));
      changed();
    });
    return button;
  });
  const press = () => buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(!open.off.has(k))));
  const changed = () => {
    press();
    open.combine();
    head.relayout();
  };
  press();
  const hint5 = el(
    "span",
    { class: "swatch-hint" },
    TOUCH ? tr("Tap a head to hide it") : tr("Click to hide; double-click to isolate")
  );
  head.swatches.replaceChildren(...buttons, hint5);
}
function drawnAs(head) {
  const choices = [
    ["map", tr("Map")],
    ["lines", tr("Lines")]
  ];
  const buttons = choices.map(([picture, words]) => el("button", { onclick: () => show4(picture) }, words));
  const show4 = (picture) => {
    head.showAlone(picture);
    choices.forEach(([name], n2) => buttons[n2].setAttribute("aria-pressed", String(name === picture)));
    head.relayout();
  };
  choices.forEach(([name], n2) => buttons[n2].setAttribute("aria-pressed", String(name === head.pair.alone)));
  return el("span", { class: "detail-shows", role: "group", "aria-label": tr("Drawn as") }, ...buttons);
}
function makeKnobs(head) {
  const { unit } = head.open.meta;
  const { own } = head;
  const label2 = tr("Hide lines below this weight");
  const range2 = { type: "range", min: 0, max: 50, step: 1, "aria-label": label2 };
  const slider = el("input", { class: "slider", ...range2 });
  const readout = el("output");
  slider.addEventListener("input", () => {
    own.threshold = Number(slider.value) / 100;
    show4();
    head.soon();
  });
  slider.addEventListener("change", () => head.reportView());
  const log = checkbox(tr("log colour"), (on) => {
    own.log = on;
    head.build();
    head.relayout();
    head.reportView();
  });
  const show4 = () => {
    slider.value = String(Math.round(own.threshold * 100));
    readout.textContent = unit === "share" ? `${slider.value} %` : tr("{percent} % of the largest", { percent: slider.value });
    log.box.checked = own.log;
  };
  const lines = field(tr("threshold"), slider, readout);
  lines.classList.add("of-lines");
  const fields = [unit === "share" ? log.node : "", lines];
  const right = el("span", { class: "detail-foot" }, head.whole, ...fields);
  head.foot.replaceChildren(head.legend, right);
  head.parts.controls.replaceChildren(drawnAs(head), exportMenu(head.host, headLeaving(head)));
  return { unit, show: show4 };
}

// shared/head.ts
var ZOOM_FROM = 24;
var Head = class extends CardView {
  swatches = el("div", { class: "swatches", role: "group", "aria-label": tr("Heads shown") });
  band = el("div", { class: "detail-band", hidden: true });
  legend = el("canvas", { class: "picture" });
  whole = el("button", { class: "quiet", hidden: true, onclick: () => this.zoom(null) }, tr("⤢ Whole map"));
  foot = el("div", { class: "foot" });
  pair;
  open = new OpenHeads();
  soon = oncePerFrame(this.host, () => this.draw());
  pins = new PinnedTokens(this.host, this.soon);
  looks = linked(this.host, "viewed");
  own = { threshold: 0.02, log: false, reach: 0, area: null };
  knobs = null;
  words = "";
  ahead = new Ahead(this);
  constructor(root, host) {
    super(root, host, "detail");
    const words = { name: "detail", axes: axes2(), between: [this.parts.readout], over: [this.band] };
    this.pair = new Pair(words, { lines: () => headLines(this), map: () => headMap(this) });
    this.showAlone("map");
    this.parts.body.append(this.swatches, this.pair.node, this.foot);
    this.listen();
  }
  listen() {
    const pointed = {
      hover: (at) => this.hover(at),
      pin: (at) => this.pin(at),
      cell: () => this.pins.hovered ?? { row: this.open.tellingRow },
      size: () => [this.open.meta.written, this.open.meta.cols.length]
    };
    this.pair.lines.listen(columnsHit, pointed);
    this.pair.map.listen(heatHit, {
      ...pointed,
      drags: () => Math.max(this.open.meta.rows.length, this.open.meta.cols.length) > ZOOM_FROM,
      drag: (from, to) => {
        this.pins.hovered = null;
        const area = areaBetween(this.pair.map.frame, from, to);
        if (area) this.zoom(area);
      },
      band: this.band
    });
    onEscape(this.host, this.parts.controls, () => this.clear());
    listenTo(this.host, "heads", (opened) => this.ahead.show(opened));
  }
  /* ---------- drawing ---------- */
  draw() {
    this.pair.draw();
    this.parts.tell({ title: headTitle(this), readout: headSentence2(this) });
  }
  /** The picture that is seen where there is no room for both. */
  showAlone(picture) {
    this.pair.alone = this.pair.node.dataset.shows = this.foot.dataset.shows = picture;
  }
  relayout() {
    arrangeHead(this);
    this.draw();
    drawLegend(this.legend, this.host.scale, headLegend(this), this.host.colours);
  }
  build() {
    this.open.build(this.host.colours, this.own.log);
  }
  /* ---------- hover, pins, zoom ---------- */
  hover(at) {
    const { written: written2, cols } = this.open.meta;
    const legal = at && (at.row ?? 0) < written2 && (at.col ?? 0) < cols.length;
    this.pins.hover(legal ? at : null);
  }
  pin(at) {
    if (at && (at.row ?? 0) < this.open.meta.written) this.pins.toggle(at);
  }
  reportView() {
    const { threshold, log, area } = this.own;
    const viewed = { threshold: Math.round(100 * threshold), log, zoom: area };
    if (this.open.meta.report) this.looks.report(viewed);
  }
  /** Pins and what is hovered, else the zoom; false when there is nothing to clear. */
  clear() {
    if (this.pins.clear()) return true;
    if (!this.own.area) return false;
    this.zoom(null);
    return true;
  }
  zoom(area) {
    this.own.area = area;
    this.whole.hidden = !area;
    this.open.cache = {};
    this.relayout();
    this.reportView();
  }
  /* ---------- data ---------- */
  /** Words, controls and pictures of what is open. */
  showWords() {
    const { meta } = this.open;
    this.parts.tell({ subtitle: meta.subtitle });
    const names = meta.heads.map(({ name }) => name).join(", ");
    const fields = { names, rows: meta.written, columns: meta.cols.length };
    this.pair.describe(
      tr("Attention of {names} as lines, {rows} × {columns} tokens.", fields) + mapKeys(),
      tr("Attention of {names} as a map, {rows} × {columns} tokens.", fields) + mapKeys()
    );
    this.build();
    if (this.knobs?.unit !== meta.unit) this.knobs = makeKnobs(this);
    this.knobs.show();
    makeSwatches(this);
    this.relayout();
  }
  take(next) {
    const { open, pins } = this;
    this.ahead.end();
    open.meta = next;
    open.maps = next.heads.map(
      ({ values }) => values instanceof Uint8Array ? Float32Array.from(values, (b) => WEIGHT_OF_BYTE[b]) : values
    );
    const { kind, cols, written: written2 } = open.meta;
    this.parts.node.classList.remove("waiting");
    this.parts.node.classList.toggle("bare", next.bare);
    Object.assign(this.parts.node.dataset, { numbers: "exact", kind });
    setKind(this.host, kind);
    this.takeLooks();
    pins.trim(written2, cols.length);
    pins.hovered = null;
    const count = open.maps.length;
    open.off = new Set([...open.off].filter((k) => k < count && count > 1));
    announce("shown", { kind, heads: open.meta.pairs });
    this.showWords();
  }
  /** Pins and the part looked at belong to a sentence: another head of the same words keeps them. */
  takeLooks() {
    const { own } = this;
    const { meta } = this.open;
    const words = JSON.stringify([meta.kind, meta.rows[0], meta.cols]);
    const looksAreNews = this.looks.isNews(meta.viewed);
    const another = words !== this.words;
    this.words = words;
    this.pins.reports = meta.report;
    this.pins.take(meta.pins, another);
    const reach = reachOf(Math.max(meta.rows.length, meta.cols.length));
    const share = meta.unit === "share";
    const resized = reach !== own.reach;
    if (resized) Object.assign(own, { reach, threshold: reach > 1 ? 0.05 : 0.02, log: reach > 2 && share });
    const { threshold, log, zoom } = meta.viewed;
    if (looksAreNews || resized) {
      if (threshold !== null) own.threshold = threshold / 100;
      if (log !== null) own.log = log && share;
    }
    if (looksAreNews || another) own.area = zoom;
    if (own.area && (own.area[1] > meta.rows.length || own.area[3] > meta.cols.length)) own.area = null;
    this.whole.hidden = !own.area;
  }
  update(next) {
    if (!this.ahead.keeps(next)) this.take(next);
  }
  destroy() {
    this.ahead.end();
  }
};
var WAIT = 4e3;
var Ahead = class {
  constructor(head) {
    this.head = head;
  }
  head;
  /** What is shown ahead. */
  waits = null;
  /** An answer that came for an earlier one. */
  late = null;
  show(opened) {
    const { open, parts } = this.head;
    if (!open.meta || opened.kind !== open.meta.kind) return;
    if (opened.heads.length) bringIntoSight(parts.node);
    clearTimeout(this.waits?.timer);
    const name = nameOf(opened.heads);
    this.waits = { name, timer: window.setTimeout(() => this.giveUp(), WAIT) };
    this.late = null;
    const words = JSON.stringify([open.meta.rows.slice(0, open.meta.written), open.meta.cols]);
    const fits2 = open.meta.mode === "weights" && !open.off.size && JSON.stringify([opened.rows, opened.cols]) === words;
    const values = fits2 ? opened.values : null;
    parts.node.classList.toggle("waiting", !values && nameOf(open.meta.pairs) !== name);
    if (!values) return;
    const names = opened.heads.map((head) => head.join("."));
    const { all } = opened;
    const title2 = names.length ? headsTitle(names) : capital(all.subject);
    const named = names.length ? names.map((name2) => ({ name: name2, subject: tr("head {name}", { name: name2 }) })) : [{ name: tr("all"), subject: all.subject }];
    open.meta = {
      ...open.meta,
      pairs: opened.heads,
      title: title2,
      heads: named.map((one, k) => ({ ...one, hidden: null, values: values[k] })),
      distribution: names.length > 0 || all.how === "mean"
    };
    open.maps = values;
    parts.node.dataset.numbers = "ahead";
    this.head.showWords();
  }
  giveUp() {
    this.waits = null;
    if (this.late) this.head.take(this.late);
  }
  /** Whether an answer is for an earlier head than the one shown; it is kept in case no other comes. */
  keeps(next) {
    const { pairs, kind } = next;
    if (!this.waits || kind !== this.head.open.meta.kind || nameOf(pairs) === this.waits.name) return false;
    this.late = next;
    return true;
  }
  /** The exact numbers are there, or the view goes. */
  end() {
    clearTimeout(this.waits?.timer);
    this.waits = this.late = null;
  }
};
var head_default = viewOf(Head);

// shared/joint_layout.ts
var jointPoint = (g, along2, across) => g.flat ? [along2, across] : [across, along2];
var ARC = 62;
var BETWEEN2 = 180;
var WORDS2 = 30;
var MAP2 = 96;
var LOW2 = 2 * ARC + BETWEEN2 + WORDS2 + 12;
var BESIDE3 = 176;
var NEAR2 = 20;
function jointLayout(source, target, room, u, tall2 = Infinity) {
  const size = 14.5 * u;
  const [ws, wt] = [widths(source, size, 170 * u), widths(target, size, 170 * u)];
  const low = tall2 < LOW2 + 40 + MAP2 - NEAR2;
  const wide = low ? room - BESIDE3 * u : room;
  const fits2 = [ws, wt].every((row) => rowLength(row, 12 * u) <= wide);
  if (!fits2) return inColumns(source, target, room, u, tall2);
  const above = inReadingOrder(spreadWords(ws, wide, 12 * u), source, wide);
  const below = inReadingOrder(spreadWords(wt, wide, 12 * u), target, wide);
  return inRows(above, below, room, u, low ? tall2 : Infinity);
}
var widths = (labels, size, most) => labels.map((label2) => Math.min(most, textWidth(visible(label2), size)));
function inRows(above, below, room, u, tall2) {
  const free = Math.min(2 * ARC + BETWEEN2, Math.max(150, tall2 - WORDS2 - 12));
  const reach = Math.min(ARC, Math.round(free * 0.21));
  const arc = reach * u;
  const upper = arc + 6 * u;
  const to = upper + (free - 2 * reach) * u;
  const lower = to + WORDS2 * u;
  const bottom = lower + arc + 6 * u;
  const beside = tall2 < Infinity;
  const [w, h] = beside ? [(BESIDE3 - 26) * u, bottom / 3 - 24 * u] : [Math.min(380 * u, (room - 60 * u) / 3), MAP2 * u];
  const words = { every: 1, room: 170 * u };
  return {
    u,
    size: 14.5 * u,
    room,
    flat: true,
    arc,
    height: beside ? bottom : bottom + 40 * u + h,
    source: {
      along: above,
      words: upper + 13 * u,
      lines: upper + 44 * u,
      outward: -1,
      ...words,
      edges: above.map(() => upper)
    },
    target: {
      along: below,
      words: to + 15 * u,
      lines: to,
      outward: 1,
      ...words,
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
  const tall2 = Math.min(24 * u, limit * u / longest) * longest;
  const beside = room > (most < LOW2 + 40 + MAP2 - NEAR2 ? 700 : 980) * u;
  const wide = beside ? room - 236 * u : Math.min(room, 780 * u);
  const arc = Math.min(130 * u, room * 0.13);
  const bottom = tall2 + 20 * u;
  const w = beside ? 190 * u : Math.min(380 * u, (room - 60 * u) / 3);
  const each = most < Infinity ? Math.min(176 * u, bottom / 3) : 176 * u;
  const below = Math.min(MAP2, Math.max(46, 0.4 * most));
  const h = beside ? each - 46 * u : below * u;
  const right = [0, 1, 2].map((n2) => ({ x: room - w - 4 * u, y: n2 * each + 26 * u }));
  const left = arc + 6 * u + Math.max(...ws) + 8 * u;
  const to = wide - arc - Math.max(...wt) - 24 * u;
  return {
    u,
    size,
    room,
    flat: false,
    arc,
    height: beside ? Math.max(bottom, right[2].y + h + 8 * u) : bottom + 40 * u + h,
    source: {
      ...column(ws, tall2, u),
      words: left,
      lines: left + 50 * u,
      outward: -1,
      edges: ws.map((each2) => left - each2 - 10 * u)
    },
    target: {
      ...column(wt, tall2, u),
      words: to + 8 * u,
      lines: to,
      outward: 1,
      edges: wt.map((each2) => to + 8 * u + each2 + 10 * u)
    },
    maps: { w, h, corners: beside ? right : mapsBelow(w, bottom, u) }
  };
}
var column = (words, tall2, u) => ({
  along: words.map((_, i) => 10 * u + (i + 0.5) * tall2 / words.length),
  every: every(WORD_HEIGHT * u, tall2 / words.length),
  room: Math.max(...words)
});
function jointHit(g, x, y) {
  const [along2, across] = g.flat ? [x, y] : [y, x];
  const { source, target, arc } = g;
  if (across > Math.min(...source.edges) - arc * 0.5 && across < source.lines + 10) {
    return { source: nearest2(source.along, along2) };
  }
  if (across > target.lines - 14 && across < Math.max(...target.edges) + arc * 0.5) {
    return { target: nearest2(target.along, along2) };
  }
  return null;
}
var nearest2 = (list, value) => list.reduce((best, v, i) => Math.abs(v - value) < Math.abs(list[best] - value) ? i : best, 0);
function jointTitle({ meta, written: written2, step }) {
  if (meta.title) return [meta.title];
  if (!written2) return [tr("Where the model looks, word by word")];
  const word = { kind: quoted(meta.target[step]) };
  const text = meta.mode === "weights" ? meta.one_label ? tr("Where the model looks from {word}") : tr("Where the model looks when it writes {word}") : tr("What {word} is made of");
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
  const how2 = { verb: "Reading", subject: tr("the encoder"), mode };
  const reads = rowSentence(times(rowOf(encoder, j), tops.encoder), source[j], source, how2);
  const written2 = target.slice(1, joint.written + 1);
  const writing = { verb: verbOf("cross", joint.meta.one_label), subject: tr("the decoder"), mode };
  const column2 = times(columnOf(cross, j), tops.cross);
  return [...reads, " ", ...columnSentence(column2, [j], source, written2, writing)];
}
function stepSentence(joint) {
  const { source, target, subject, mode, tops, one_label } = joint.meta;
  const { encoder, cross, causal } = joint.sheets;
  const { step } = joint;
  const read = one_label ? void 0 : target[step - 1];
  const sentence = rowSentence(times(rowOf(cross, step - 1), tops.cross), target[step], source, {
    verb: verbOf("cross", one_label),
    read,
    subject,
    mode
  });
  const self = rowOf(causal, step - 1).slice(0, step);
  const amount = (v, kind) => mode === "length" ? lengthWords(v * tops[kind]) : spokenPercent(v);
  const back = topIndices(self, 1)[0];
  const nth = joint.namedSource ?? 0;
  const reading = rowOf(encoder, nth);
  const inside2 = topIndices(reading, 1)[0];
  const text = {
    weights: tr(
      " Of the words so far, {word} gets the most weight ({amount}). In the encoder, {query} looks most at {key} ({share})."
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
      word: strongly(target[back + joint.firstKey]),
      amount: amount(self[back], "causal"),
      query: strongly(source[nth]),
      share: amount(reading[inside2], "encoder"),
      key: inside2 === nth ? tr("itself") : strongly(source[inside2])
    })
  );
  return joint.pinned === null ? sentence : [...sentence, { muted: `  ${pinnedHint()}` }];
}
var times = (row, top) => top === 1 ? row : row.map((v) => v * top);

// shared/joint_drawing.ts
var MAPS = ["encoder", "cross", "causal"];
function paintJoint(p, joint, growth = 1) {
  const { sheets: sheets2, layout, step, host } = joint;
  const c = host.colours;
  const named = joint.namedSource;
  paintCross2(p, joint, growth);
  if (named !== null) {
    const still = joint.hovered?.source !== void 0 || joint.pinned !== null;
    const row = rowOf(sheets2.encoder, named);
    paintArcs(p, joint, row, named, layout.source, c.encoder, still ? 1 : growth);
  }
  if (step) {
    const row = rowOf(sheets2.causal, step - 1).slice(0, step);
    if (joint.firstKey) row.unshift(0);
    paintArcs(p, joint, row, step, layout.target, c.causal, growth);
  }
  paintSource(p, joint);
  paintTarget(p, joint);
  paintMaps2(p, joint);
}
function paintCross2(p, joint, growth) {
  const { layout: g, step, hovered, sheets: sheets2, host } = joint;
  const { source, target } = g;
  const column2 = hovered?.source;
  const focus = {
    rows: new Set(column2 === void 0 && step ? [step - 1] : []),
    cols: new Set(column2 === void 0 ? [] : [column2])
  };
  if (!step) return;
  paintLines(p, sheets2.cross, focus, {
    area: wholeOf(sheets2.cross),
    threshold: LINE_FLOOR,
    behind: behindRow(step - 1),
    u: g.u,
    growing: { row: step - 1, share: growth },
    hue: () => host.colours.cross,
    curve: (i, j) => curveBetween(
      jointPoint(g, target.along[i + 1], target.lines),
      jointPoint(g, source.along[j], source.lines),
      g.flat
    )
  });
}
function paintArcs(p, { layout: g }, weights2, from, { along: along2, edges, outward }, stroke, growth) {
  const { u, arc } = g;
  const longest = Math.abs(along2[along2.length - 1] - along2[0]) || 1;
  for (const j of topIndices(weights2, weights2.length).reverse()) {
    if (weights2[j] < LINE_FLOOR || j >= along2.length) continue;
    const itself = j === from;
    const [start, end] = itself ? [along2[from] - 7 * u, along2[from] + 7 * u] : [along2[from], along2[j]];
    const far = (Math.abs(end - start) / longest) ** 0.55;
    const rise = itself ? 24 * u : 20 * u + (arc * 1.3 - 20 * u) * far;
    const passed = edges.slice(Math.min(from, j), Math.max(from, j) + 1);
    const base = outward < 0 ? Math.min(...passed) : Math.max(...passed);
    const across = base + outward * rise;
    const [a, d] = [jointPoint(g, start, edges[from]), jointPoint(g, end, edges[j])];
    const curve = startOfCurve([a, jointPoint(g, start, across), jointPoint(g, end, across), d], growth);
    p.curve(...curve, { stroke, ...linePen(weights2[j], "on", u) });
  }
}
function paintWord(p, { layout: g }, label2, n2, side, { ink, fill: fill2, frame }) {
  const { u, size, flat } = g;
  const text = shorten(visible(label2), side.room, size);
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
  const { layout: g, sheets: sheets2, step, meta } = joint;
  const { u, flat, source } = g;
  const c = joint.host.colours;
  const named = joint.namedSource;
  const shares = step ? rowOf(sheets2.cross, step - 1) : [];
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
function readableShares(shares, along2, apart2) {
  const big = /* @__PURE__ */ new Set();
  for (const j of topIndices(shares, 8)) {
    const free = [...big].every((k) => Math.abs(along2[k] - along2[j]) >= apart2);
    if (shares[j] >= 0.05 && free) big.add(j);
  }
  return big;
}
function paintTarget(p, joint) {
  const { layout: g, step, meta } = joint;
  const { target, flat, u } = g;
  const c = joint.host.colours;
  for (const i of chosenLabels(joint.firstKey, target.along.length, target.every, step ? [step] : [])) {
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
function mapName(label2, space, size) {
  const words = textWidth(label2, size, false, 600) <= space ? label2 : label2.replace(/ \(.*\)$/, "");
  return shorten(words, space, size, false);
}
function paintMaps2(p, joint) {
  const { layout, sheets: sheets2, step } = joint;
  const { u } = layout;
  const { w, h, corners } = layout.maps;
  const c = joint.host.colours;
  MAPS.forEach((kind, n2) => {
    const { x, y } = corners[n2];
    const sheet = sheets2[kind];
    const size = typeSize(12.5, u);
    const space = Math.min(w + 22 * u, layout.room - x - 6 * u);
    const name = mapName(joint.meta.labels[kind], space, size);
    p.text(x, y - 8 * u, name, { size, fill: c[`${kind}_text`], weight: 600 });
    paintPixels(p, sheet, { x, y, w, h }, c);
    const mark = kind === "encoder" ? joint.namedSource : step ? step - 1 : null;
    const tall2 = h / sheet.rows.length;
    if (mark === null) return;
    const frame = { stroke: c.ink, width: 1.3, radius: 3 };
    p.rect(x - 1.5, y + mark * tall2 - 1, w + 3, Math.max(3, tall2 + 2), frame);
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
        const keys2 = kind === "causal" ? joint.written : joint.meta.source.length;
        const number2 = (v) => csvNumber(v * joint.meta.tops[kind]);
        const lines = tableOf(joint.sheets[kind], kind === "encoder", number2).filter(
          (line2) => Number(line2[3]) < keys2
        );
        return lines.map((line2) => [kind, ...line2]);
      })
    ]
  };
}

// shared/joint.ts
var HALL6 = 320;
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
  /** The place in `target` of the decoder's first key: the start token, or the first word where rows have one label. */
  get firstKey() {
    return this.meta.one_label ? 1 : 0;
  }
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
    const tall2 = inSight(this.host, Infinity, HALL6, Math.max(source.length, target.length));
    this.layout = jointLayout(source, target, this.parts.body.clientWidth, this.host.scale, tall2);
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
    const { source, target, one_label } = this.meta;
    const { colours } = this.host;
    const written2 = target.slice(1);
    const read = target.slice(this.firstKey, target.length - 1 + this.firstKey);
    const pairs = { reads: one_label ? void 0 : read, oneLabel: one_label };
    const words = {
      encoder: { rows: source, cols: source },
      cross: { rows: written2, cols: source, ...pairs },
      causal: { rows: written2, cols: read, ...pairs }
    };
    const sheetOf2 = (kind) => {
      const numbers = this.meta[kind];
      const { length } = words[kind].cols;
      const hides = (i, j) => kind === "causal" && j > i && !numbers[i * length + j];
      const at = (i, j) => hides(i, j) ? NaN : numbers[i * length + j];
      return makeSheet(words[kind], at, kindRamp(colours, kind));
    };
    return ofKinds(sheetOf2);
  }
  destroy() {
    this.stop();
  }
};
var joint_default = viewOf(Joint);

// shared/theme_watch.ts
function themeWatch(_root, host) {
  let seen = null;
  return {
    update() {
      if (seen !== null && seen !== host.theme) host.trigger("switched", host.theme);
      seen = host.theme;
    }
  };
}
var theme_watch_default = (args) => mount(args, themeWatch);

// shared/tiles_drawing.ts
function sheetsOf(kind, maps, colours) {
  const table = rampTable(colours.panel, colours[kind]);
  const [rows, cols] = maps.shape;
  const position2 = placer("weight", 1);
  const byByte = Int16Array.from(WEIGHT_OF_BYTE, (weight) => position2(weight));
  const words = { rows: Array(rows).fill(""), cols: Array(cols).fill("") };
  return ({ layer, head }) => {
    const start = (layer * maps.heads + head) * rows * cols;
    const byte = (i, j) => maps.causal && j > i ? NaN : maps.levels[start + i * cols + j];
    const at = (i, j) => WEIGHT_OF_BYTE[byte(i, j)] ?? NaN;
    const index = indexOf(rows, cols, byte, (level) => byByte[level]);
    return { ...words, written: rows, at, index, table, neutral: 0, unit: "share" };
  };
}
function paintTile(p, { host, data }, { tile, sheet }, w, h) {
  const { scale: u, colours: c } = host;
  paintPixels(p, sheet, { x: 0, y: 0, w, h }, c);
  const { marked } = data.maps[tile.kind];
  if (tile.off) p.rect(0, 0, w, h, { fill: c.panel, alpha: 0.45 });
  p.rect(0.5, 0.5, w - 1, h - 1, { stroke: tile.off ? c.muted : c.line, width: 1 });
  if (marked && !tile.off) {
    const [cw, ch] = [w / sheet.cols.length, h / sheet.rows.length];
    const least = Math.max(cw, ch, 5 * u);
    const [x, y] = [(marked[1] + 0.5) * cw - least / 2, (marked[0] + 0.5) * ch - least / 2];
    p.rect(x, y, least, least, { stroke: c.ink, width: 1.6 * u });
  }
  if (tile.off) p.path(`M0 0L${w} ${h}M${w} 0L0 ${h}`, { stroke: c.ink, width: 1.3 * u, alpha: 0.85 });
  if (tile.held) p.rect(u, u, w - 2 * u, h - 2 * u, { stroke: c.ink, width: 2 * u, dash: [4 * u, 3 * u] });
}
function paintTiles(p, tiles) {
  const c = tiles.host.colours;
  const from = tiles.groups.getBoundingClientRect();
  const words = (node, fill2, weight = 400) => {
    const at = node.getBoundingClientRect();
    const pen = { size: parseFloat(getComputedStyle(node).fontSize), fill: fill2, weight };
    p.text(at.left - from.left, at.top - from.top + at.height * 0.75, node.textContent ?? "", pen);
  };
  const lines = (node, fill2) => {
    const at = node.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(node).fontSize);
    const broken = wrapText(node.textContent ?? "", at.width, size);
    const step = at.height / broken.length;
    const [x, y] = [at.left - from.left, at.top - from.top + step * 0.75];
    broken.forEach((line2, n2) => p.text(x, y + step * n2, line2, { size: 0.9 * size, fill: fill2 }));
  };
  for (const node of tiles.groups.querySelectorAll(".tiles-name")) words(node, c.ink, 650);
  for (const node of tiles.groups.querySelectorAll(".tiles-means")) lines(node, c.muted);
  for (const node of tiles.groups.querySelectorAll(".tiles-count")) words(node, c.muted);
  for (const one of tiles.drawn) {
    const at = one.canvas.getBoundingClientRect();
    const inside2 = shifted(p, at.left - from.left, at.top - from.top);
    paintTile(inside2, tiles, one, at.width, at.height);
    for (const node of one.node.querySelectorAll(".tiles-caption > *")) words(node, c.ink);
  }
}
function tilesLeaving(tiles) {
  return {
    name: () => tiles.data.file,
    title: () => tiles.data.title,
    subtitle: () => tiles.data.subtitle,
    size: () => [tiles.groups.clientWidth, tiles.groups.clientHeight],
    draw: (p) => paintTiles(p, tiles),
    rows: () => tableOf2(tiles)
  };
}
function tableOf2({ data }) {
  const lines = data.groups.flatMap(
    (group) => group.tiles.map((tile) => [
      group.name,
      tile.kind,
      tile.layer,
      tile.head,
      tile.value,
      tile.low ?? "",
      tile.high ?? "",
      tile.chance ?? "",
      tile.n ?? "",
      tile.off ? 1 : 0,
      tile.hint
    ])
  );
  return [
    ["group", "kind", "layer", "head", "value", "low", "high", "chance", "n", "ablated", "description"],
    ...lines
  ];
}

// shared/tiles.ts
var SHAPES = { rows: [1.25, 0.8, 1.3], large: [0.9, 0.86, 0.9], small: [1, 1, 1], heading: [1, 1, 1] };
var TALLEST = { rows: [0.06, 0.06], large: [1, 0.09], small: [1, 1], heading: [1, 1] };
var ROLE_WIDTH = 59;
var ROLE_COLUMNS = 8;
var [COLUMN_GAP, ROLE_GAP] = [10, 16];
var keyOf = (one) => `${one.kind}/${headName(one)}`;
function barOf({ share, threshold, low, high, chance }) {
  if (share === null) return null;
  const percent2 = (value) => `${(100 * Math.max(0, Math.min(1, value))).toFixed(2)}%`;
  const at = (look2, value) => value === null ? null : el("b", { class: look2, style: `left: ${percent2(value)}` });
  const range2 = low === null || high === null ? null : el("s", { style: `left: ${percent2(low)}; width: ${percent2(high - low)}` });
  return el(
    "span",
    { class: "tiles-bar", "aria-hidden": "true" },
    el("i", { style: `width: ${percent2(share)}` }),
    at("chance", chance),
    at("threshold", threshold),
    range2
  );
}
function headOf(group, press) {
  const name = group.presses ? el("button", { class: "tiles-name", title: group.presses, onclick: press }, group.name) : el("h4", { class: "tiles-name" }, group.name);
  return el(
    "div",
    { class: "tiles-head" },
    name,
    group.means ? el("span", { class: "tiles-means" }, group.means) : null,
    group.count ? el("span", { class: "tiles-count", title: group.counts || null }, group.count) : null
  );
}
var Tiles = class extends CardView {
  choices = el("div", { class: "tiles-choice", role: "radiogroup" });
  groups = el("div", { class: "tiles-groups" });
  notes = el("p", { class: "tiles-notes" });
  data;
  drawn = [];
  constructor(root, host) {
    super(root, host, "tiles");
    this.parts.body.append(this.choices, this.groups, this.notes);
    this.parts.controls.append(exportMenu(host, tilesLeaving(this)));
    this.groups.addEventListener("keydown", (event) => this.walk(event));
  }
  update(data) {
    const active = this.groups.getRootNode();
    const focus = this.drawn.find(({ node }) => node === active.activeElement);
    this.data = data;
    this.parts.tell(data);
    this.showChoices();
    const sheets2 = /* @__PURE__ */ new Map();
    for (const [kind, maps] of Object.entries(data.maps))
      sheets2.set(kind, sheetsOf(kind, maps, this.host.colours));
    this.drawn = [];
    this.groups.replaceChildren(...data.groups.map((group, number2) => this.groupNode(group, number2, sheets2)));
    this.notes.textContent = data.notes.join(" ");
    this.notes.hidden = !data.notes.length;
    const first = this.drawn.find(({ tile }) => data.open && keyOf(tile) === keyOf(data.open)) ?? this.drawn[0];
    const again = focus && this.drawn.find(({ tile }) => keyOf(tile) === keyOf(focus.tile));
    for (const { node } of this.drawn) node.tabIndex = -1;
    const stop = again ?? first;
    if (stop) stop.node.tabIndex = 0;
    again?.node.focus({ preventScroll: true });
    this.relayout();
  }
  groupNode(group, number2, sheets2) {
    const tiles = group.tiles.flatMap((tile) => {
      const sheet = sheets2.get(tile.kind)?.(tile);
      return sheet ? [this.tileNode(tile, group, number2, sheet)] : [];
    });
    const line2 = el("div", { class: "tiles-line" }, ...tiles);
    const style = `--kind: var(--${group.kind}); --kind-text: var(--${group.kind}-text); --count: ${tiles.length}`;
    const press = () => this.host.trigger("pressed", { number: number2 });
    const head = headOf(group, press);
    return el(
      "div",
      { class: `tiles-group tiles-${group.look}`, style, role: "group", "aria-label": group.name },
      head,
      line2
    );
  }
  tileNode(tile, group, number2, sheet) {
    const { data } = this;
    const isOpen = data.open !== null && keyOf(tile) === keyOf(data.open);
    const canvas = el("canvas", { class: "picture", "aria-hidden": "true" });
    const pick = () => {
      if (data.switches)
        node.setAttribute("aria-pressed", String(node.getAttribute("aria-pressed") !== "true"));
      const { kind, layer, head } = tile;
      this.host.trigger("picked", { kind, layer, head });
    };
    const pressed = data.switches ? tile.off || tile.held : isOpen;
    const caption = el(
      "span",
      { class: "tiles-caption", "aria-hidden": "true" },
      el("span", {}, headName(tile)),
      tile.value ? el("b", {}, tile.value) : null
    );
    const node = el(
      "button",
      {
        class: `tile${isOpen ? " is-open" : ""}`,
        "aria-pressed": String(pressed),
        "aria-label": tile.hint,
        title: tile.hint,
        onclick: pick
      },
      canvas,
      group.look === "small" ? null : caption,
      barOf(tile)
    );
    this.drawn.push({ tile, group: number2, node, canvas, sheet });
    return node;
  }
  showChoices() {
    const { choice } = this.data;
    this.choices.hidden = !choice;
    if (!choice) return;
    this.choices.setAttribute("aria-label", choice.label);
    const option = ({ value, label: label2, enabled, hint: hint5 }) => {
      const node = el(
        "button",
        {
          role: "radio",
          "aria-checked": String(value === choice.chosen),
          "aria-disabled": enabled ? null : "true",
          title: hint5 || null,
          onclick: () => enabled && this.host.trigger("chosen", value)
        },
        label2
      );
      return node;
    };
    this.choices.replaceChildren(
      el("span", { class: "tiles-choice-name" }, choice.label),
      el("span", { class: "tiles-options" }, ...choice.options.map(option))
    );
  }
  /* ---------- drawing ---------- */
  relayout() {
    const u = this.host.scale;
    this.groups.classList.toggle("is-narrow", this.groups.clientWidth < (u > 1 ? 260 : 360) * u);
    this.spanGroups(u);
    const most = this.tallest(u);
    const isSlide2 = "slideRoom" in this.host.root.dataset;
    const widths2 = this.drawn.map(({ node }) => node.clientWidth);
    this.drawn.forEach((one, n2) => {
      const { look: look2 } = this.data.groups[one.group];
      const [rows, cols] = [one.sheet.rows.length, one.sheet.cols.length];
      const [stretch, low, high] = SHAPES[look2];
      const width2 = Math.max(8, widths2[n2] - 6 * u);
      const share = isSlide2 ? 1 : TALLEST[look2][u > 1 ? 1 : 0];
      const tall2 = Math.min(most, share * window.innerHeight);
      const height = Math.min(tall2, width2 * Math.max(low, Math.min(high, stretch * rows / cols)));
      const p = canvasPainter(fitCanvas(one.canvas, width2, height));
      paintTile(p, this, one, width2, height);
    });
  }
  /** How many columns of tiles there are, and how many of them each role takes: two at least, and those of its name. */
  spanGroups(u) {
    const room = this.groups.clientWidth;
    const columns = Math.max(4, Math.min(ROLE_COLUMNS, Math.floor(room / (ROLE_WIDTH * u))));
    const roles = [...this.groups.querySelectorAll(".tiles-large")];
    const spanOf = (node, span) => node.style.setProperty("--span", String(span));
    this.groups.style.setProperty("--columns", String(columns));
    for (const node of roles) spanOf(node, columns);
    const names = roles.map((node) => node.querySelector(".tiles-name")?.offsetWidth ?? 0);
    roles.forEach((node, n2) => {
      const tiles = node.querySelectorAll(".tile").length;
      const ofName = Math.ceil((names[n2] + ROLE_GAP) * columns / (room + COLUMN_GAP));
      spanOf(node, Math.min(columns, Math.max(2, tiles, ofName)));
    });
  }
  /** How tall a picture may be, and whether the heads without words have to go, on a slide that lacks the room. */
  tallest(u) {
    const room = Number(this.host.root.dataset.slideRoom ?? Infinity);
    const lacks = room < window.innerHeight / u - 1;
    this.groups.classList.toggle("is-short", lacks);
    return lacks ? room / 5 * u : Infinity;
  }
  /* ---------- keyboard ---------- */
  walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 0, ArrowUp: 0 }[event.key];
    const at = this.drawn.findIndex(({ node }) => node === event.target);
    if (step === void 0 || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const to = step ? this.drawn[at + step] : this.below(at, event.key === "ArrowDown" ? 1 : -1);
    if (!to) return;
    this.drawn[at].node.tabIndex = -1;
    to.node.tabIndex = 0;
    to.node.focus();
  }
  /** The nearest tile of the line below, or above with −1. */
  below(at, way) {
    const here = this.drawn[at].node.getBoundingClientRect();
    const far = (rect) => way * (rect.top - here.top);
    const others = this.drawn.map((one) => ({ one, rect: one.node.getBoundingClientRect() })).filter(({ rect }) => far(rect) > here.height / 2);
    const nearest3 = Math.min(...others.map(({ rect }) => far(rect)));
    return others.filter(({ rect }) => far(rect) < nearest3 + here.height / 2).sort((a, b) => Math.abs(a.rect.left - here.left) - Math.abs(b.rect.left - here.left))[0]?.one;
  }
};
var tiles_default = viewOf(Tiles);

// shared/wall_preview.ts
var SMALL = 20;
function showPreview(wall, head) {
  const { tip, host } = wall;
  if ("slideRoom" in host.root.dataset) return;
  const { meta } = wall.heads;
  const most = el("p", { class: "wall-most" });
  say(most, largest2(meta, wall.heads.bytes(head)));
  const list = el("dl", { class: "wall-scores" }, ...definitions(scores(wall.heads, head)));
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
function scores(heads2, head) {
  const { badge } = heads2.own;
  const names = [badge, ...Object.keys(heads2.meta.scores).filter((name) => name !== badge)];
  return names.filter((name) => heads2.score(head, name) !== null).slice(0, 5).map((name) => [lowered(heads2.meta.scores[name].label), writtenScore(heads2, head, name)]);
}
function drawn(host, meta, sheet) {
  const u = host.scale;
  const width2 = 250 * u;
  const canvas = el("canvas", { class: "picture" });
  if (Math.max(...meta.shape) <= SMALL && meta.labelled) {
    const g = heatGeometry(sheet, width2, 0.8 * u, { tall: 260, cap: 20 });
    paintMarks(
      canvasPainter(fitCanvas(canvas, width2, g.height)),
      g,
      heatmap(sheet, focusOn(null), host.colours)
    );
  } else {
    const height = Math.min(260 * u, width2 * Math.max(0.5, meta.shape[0] / meta.shape[1]));
    const box = { x: 0, y: 0, w: width2, h: height };
    paintPixels(canvasPainter(fitCanvas(canvas, width2, height)), sheet, box, host.colours);
  }
  return canvas;
}
function largest2(meta, level) {
  const [rows, cols] = meta.shape;
  let best = 0;
  for (let n2 = 0; n2 < Math.min(meta.written, rows) * cols; n2++) if (level[n2] > level[best]) best = n2;
  const row = Math.floor(best / cols);
  const key = strongly(meta.cols[best % cols]);
  const words = rowWords(meta.rows[row], { verb: verbOf(meta.kind, meta.one_label), read: meta.reads[row] });
  const { unit, top } = meta.quantity ?? { unit: "share", top: 1 };
  const number2 = WEIGHT_OF_BYTE[level[best]];
  const written2 = unit === "length" ? lengthWords(number2 * top) : spokenPercent(number2);
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
function aboutBadge({ meta, own }) {
  const lines = el("dl", { class: "wall-lines", hidden: true });
  const opens = { class: "quiet", "aria-expanded": "false" };
  const open = el("button", { ...opens, onclick: () => tell(lines.hidden) }, tr("more"));
  const line2 = el("span");
  const node = el("div", { class: "wall-about", hidden: true }, el("p", {}, line2, " ", open), lines);
  const tell = (all = !lines.hidden) => {
    const { label: label2 = "", definition = "", explained: explained2 = [] } = meta.scores[own.badge] ?? {};
    line2.textContent = `${label2}, ${meta.about}. ${definition}`;
    lines.replaceChildren(...definitions(explained2));
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
  const about = aboutBadge(wall.heads);
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
  const badges = Object.entries(meta.scores).map(([name2, { label: label2 }]) => [
    name2,
    lowered(label2)
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
  const label2 = tr("Show heads whose score is at least this");
  const range2 = { type: "range", min: 0, max: 100, value: 0, "aria-label": label2 };
  const slider = el("input", { class: "slider", ...range2 });
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
  const heads2 = wall.heads.pictures.map((_, head) => {
    const button = el("button", { class: "wall-head" });
    const show4 = (event) => event.pointerType !== "touch" && showPreview(wall, head);
    onPreview(button, show4, () => wall.hidePreview());
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
      class: "wall-layer",
      ...words,
      onclick: () => wall.opening.pressLayer(layer)
    });
  });
  wall.grid.replaceChildren(...layers, ...heads2);
  return { heads: heads2, layers };
}
function wordsOfHead(all, head) {
  const scores2 = Object.entries(all.meta.scores).filter(([, score]) => score.values[head] !== null).map(
    ([name, { label: label2, units }]) => `${lowered(label2)} ${writtenScore(all, head, name)}${units ? ` ${units}` : ""}`
  );
  const [layer, k] = all.pairOf(head);
  const who = all.layered ? all.nameOf(head) : tr("Layer {layer}, head {head}", { layer, head: k });
  return labelled(who, scores2.join(", ") || tr("no scores"));
}
function arrangeButtons(wall, order) {
  const { layout } = wall;
  const { own } = wall.heads;
  const { heads: heads2, layers } = wall.buttons;
  heads2.forEach((button, head) => {
    const at = layout.at.get(head);
    button.hidden = !at;
    if (!at) return;
    button.style.cssText = `left:${at.x}px;top:${at.y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
    button.tabIndex = head === wall.at ? 0 : -1;
    button.setAttribute("aria-pressed", String(wall.opening.opened.includes(head)));
    button.setAttribute("aria-label", wordsOfHead(wall.heads, head));
  });
  layers.forEach((button) => button.hidden = true);
  for (const [layer, y, tall2] of wall.heads.layered ? [] : layout.labels) {
    layers[layer].hidden = false;
    layers[layer].style.cssText = `left:0;top:${y - tall2 / 2}px;width:${24 * layout.u}px;height:${tall2}px`;
  }
  if (own.sort !== "model") wall.grid.append(...order.map((head) => heads2[head]));
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
var PAUSE2 = 150;
var Opening = class {
  constructor(wall) {
    this.wall = wall;
  }
  wall;
  /** heads that stand open */
  opened = [];
  reported = 0;
  later = 0;
  report(heads2) {
    clearTimeout(this.later);
    const tell = () => {
      this.reported = performance.now();
      this.wall.host.trigger("picked", { heads: heads2 });
    };
    if (performance.now() - this.reported < QUICK) this.later = window.setTimeout(tell, PAUSE2);
    else tell();
  }
  open(list, at) {
    const { heads: all } = this.wall;
    const { meta } = all;
    this.wall.outline(list, at);
    const heads2 = list.map((head) => all.pairOf(head));
    const numbers = () => list.length ? list.map((head) => weightsOf(meta, meta.levels, head)) : [wholeOfHeads(meta, meta.levels)];
    announce("heads", {
      ...{
        kind: meta.kind,
        rows: meta.rows.slice(0, meta.written),
        cols: meta.cols,
        heads: heads2,
        all: meta.all_heads
      },
      // A reduced wall has no numbers of single tokens, and one without its hidden tokens no means and no hidden shares.
      values: meta.labelled && !meta.hidden && !meta.quantity ? numbers() : null
    });
    this.report(heads2);
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
    const { heads: heads2 } = this.wall.heads.meta;
    const list = Array.from({ length: Math.min(MOST_OPEN, heads2) }, (_, k) => layer * heads2 + k);
    this.open(String(list) === String(this.opened) ? [] : list, list[0]);
  }
  stop() {
    clearTimeout(this.later);
  }
};

// shared/wall.ts
var keyWords3 = () => [
  ["← ↑ → ↓", tr("Move between heads or cells")],
  ["Enter", tr("Open the head, pin the cell")],
  ["Shift + Enter", tr("Overlay the head")],
  ["Esc", tr("Unpin, then close the head")],
  ["Space", tr("Play the joint view")],
  ["F", tr("Fill the screen with a card; F or Esc returns")],
  ["?", tr("Show this list")]
];
var HALL7 = 322;
var how = () => TOUCH ? tr("Tap a head to open it") : tr("Click a head to open it; Shift-click to overlay");
function subtitleOf(heads2, hall) {
  const kept = heads2.pictures.filter((_, head) => heads2.passes(head)).length;
  const total = heads2.pictures.length;
  const least = heads2.own.least === null ? "" : tr("{kept} of {total} heads shown", { kept, total });
  const press = hall ? "" : heads2.meta.how || how();
  return [heads2.meta.subtitle, least, press].filter(Boolean).join(" · ");
}
var Wall = class extends CardView {
  canvas = el("canvas", { class: "picture", "aria-hidden": "true" });
  grid = el("div", { class: "wall-heads", role: "group" });
  tip = el("div", { class: "tip wall-preview", hidden: true, "aria-hidden": "true" });
  none = el("p", { class: "wall-none", hidden: true }, tr("No head reaches this score."));
  legend = el("canvas", { class: "picture" });
  foot = el("div", { class: "foot" }, this.legend);
  about = el("div", { hidden: true });
  keys = keyList(keyWords3());
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
    const context2 = fitCanvas(this.canvas, this.layout.room + EDGE4 * this.layout.u, this.layout.height);
    paintWall(canvasPainter(context2), this, from, share);
    drawLegend(this.legend, this.host.scale, wallLegend(this), this.host.colours);
  }
  arrange() {
    const { heads: heads2 } = this;
    const order = heads2.order();
    if (!this.layout.at.has(this.at)) this.at = order[0] ?? 0;
    arrangeButtons(this, order);
    this.none.hidden = order.length > 0;
    this.parts.tell({ subtitle: subtitleOf(heads2, this.host.scale > 1) });
  }
  relayout(moving = false) {
    const before = this.layout?.at;
    const { meta, own } = this.heads;
    const room = this.parts.body.clientWidth;
    const arrayed = { ...meta, tall: inSight(this.host, meta.tall, HALL7) };
    this.layout = wallLayout(
      arrayed,
      this.heads.order(),
      own.sort === "model",
      room,
      this.host.scale,
      Boolean(this.heads.pair),
      captionWidth(this, this.host.scale)
    );
    this.hidePreview();
    this.arrange();
    this.stop();
    if (moving && before) this.stop = animate((share) => this.draw(before, share));
    else this.draw();
  }
  /** Marks these heads as open. */
  outline(heads2, at = heads2[0] ?? this.at) {
    if (String(heads2) === String(this.opening.opened)) return;
    [this.opening.opened, this.at] = [heads2, at];
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
    const { keys: keys2 } = this;
    const above = meta.controls ? fields.above : [];
    this.parts.controls.replaceChildren(...above, keys2.button, menu, keys2.list);
    const about = meta.controls ? fields.about : el("div", { hidden: true });
    this.about.replaceWith(about);
    this.about = about;
    keys2.explain(Object.values(meta.scores).map(({ label: label2, definition }) => [lowered(label2), definition]));
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
    const marks2 = pair ? [mark("best", tr("top heads for the pair")), mark("open", tr("open")), mark("cell", pair.name)] : [];
    return el("span", { class: "wall-marks" }, ...marks2);
  }
  update(meta) {
    const { host, heads: heads2 } = this;
    const same2 = meta.digest === heads2.meta?.digest && host.colours === this.coloured;
    heads2.meta = meta;
    this.coloured = host.colours;
    setKind(host, meta.kind);
    const wanted = JSON.stringify([Object.keys(meta.scores), meta.layers, meta.heads]);
    const news = this.look.isNews(meta.arranged);
    heads2.takeArrangement(news);
    this.parts.tell({ title: meta.title });
    this.grid.setAttribute("aria-label", meta.title);
    if (same2 && !news && wanted === this.controls) return;
    heads2.build(host.colours);
    this.takeOpened(bus().last.shown);
    if (this.buttons.heads.length !== heads2.pictures.length || wanted !== this.controls) {
      this.buttons = makeButtons(this);
    }
    if (wanted !== this.controls || !same2 || news) this.makeControls();
    this.controls = wanted;
    this.relayout();
  }
  /** The open heads: those of the data, else those that another view shows. */
  takeOpened(shown2) {
    const { opening, heads: heads2 } = this;
    if (heads2.meta.open) opening.opened = heads2.meta.open;
    else if (shown2?.kind === heads2.meta.kind) opening.opened = heads2.headsOf(shown2);
  }
  destroy() {
    this.stop();
    this.opening.stop();
  }
};
var wall_default = viewOf(Wall);

// translate/next_word.ts
var SHORT3 = 11;
function candidates({ ids, labels, probabilities, chosen: chosen2, extra, barred, cut }) {
  let kept = 0;
  const listed2 = ids.map((id, n2) => {
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
  if (!extra || chosen2 === null) return listed2;
  return [...listed2, { ...extra, id: chosen2, listed: false, barred: false, cut: false }];
}
function leastCertain(steps) {
  const of = ({ ids, probabilities, chosen: chosen2, extra }) => extra?.probability ?? probabilities[ids.indexOf(chosen2 ?? -1)] ?? 1;
  return steps.reduce((least, step, n2) => of(step) < of(steps[least]) ? n2 : least, 0);
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
var NUMBER3 = 4.6;
function makeBar(force) {
  const word = el("bdi", { class: "bar-word", dir: "auto" });
  const fill2 = el("span", { class: "bar-fill" });
  const number2 = el("span", { class: "bar-number" });
  const tag = el("span", { class: "bar-tag" });
  const track = el("span", { class: "bar-track" }, fill2, el("span", {}, number2, " ", tag));
  const bar = { candidate: null, idle: false };
  const press = () => !bar.idle && bar.candidate && force(bar.candidate);
  const button = el("button", { class: "bar", onclick: press }, word, " ", track);
  return Object.assign(bar, {
    word,
    fill: fill2,
    number: number2,
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
    const same2 = shown2.length === children.length && shown2.every((node, n2) => node === children[n2]);
    if (!same2) this.list.replaceChildren(...shown2);
    this.rest.textContent = restWords(step);
  }
  fillBar(n2, candidate) {
    const bar = this.bars[n2] ??= makeBar(this.force);
    const { label: label2, probability } = candidate;
    bar.candidate = { id: candidate.id, label: label2 };
    const chosen2 = candidate.id === this.step.chosen;
    bar.idle = chosen2 || candidate.barred || !this.forcible;
    bar.word.textContent = visible(label2);
    bar.word.classList.toggle("long", visible(label2).length > SHORT3);
    const tag = this.tagOf(candidate);
    bar.number.textContent = percent(probability, 1);
    bar.tag.textContent = tag;
    const beside = NUMBER3 + 0.55 * tag.length;
    bar.fill.style.width = `calc(${probability.toFixed(5)} * (100% - ${beside.toFixed(1)}em))`;
    bar.button.classList.toggle("chosen", chosen2);
    bar.button.classList.toggle("barred", candidate.barred);
    bar.button.setAttribute("aria-disabled", String(candidate.barred || !this.forcible));
    bar.button.title = label2;
    const forced = this.forcible ? tr("force this word") : "";
    const then = chosen2 ? tr("written") : candidate.barred ? tr("never written") : forced;
    bar.button.setAttribute(
      "aria-label",
      [[visible(label2), percent(probability, 1), tag].filter(Boolean).join(" "), then].filter(Boolean).join(", ")
    );
    return bar.item;
  }
  tagOf({ id, listed: listed2, rank: rank2, barred }) {
    if (id === this.step.chosen && this.step.forced) return tr("forced");
    if (barred) return tr("never written");
    if (id === this.step.fixed) return tr("always first");
    return listed2 ? "" : tr("rank {rank}", { rank: grouped(rank2) });
  }
  /* ---------- leaving the page ---------- */
  get leaving() {
    const u = () => this.host.scale;
    return {
      size: () => [420 * u(), (candidates(this.step).length + 1) * 24 * u()],
      draw: (p) => this.draw(p, u()),
      rows: () => [
        ["rank", "token", "id", "probability", "written"],
        ...candidates(this.step).map(({ rank: rank2, label: label2, id, probability }) => [
          ...[rank2, label2, id, probability],
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
      const { label: label2, probability, id } = candidate;
      const y = n2 * 24 * u;
      const on = id === chosen2;
      const width2 = Math.max(2, probability * FULL / 100 * 300 * u);
      const word = shorten(visible(label2), track - 10 * u, 15 * u);
      const weight = on ? 650 : 400;
      p.text(track - 10 * u, y + 17 * u, word, {
        size: 15 * u,
        mono: true,
        align: "right",
        weight,
        fill: c.ink
      });
      p.rect(track, y + 5 * u, width2, 15 * u, { fill: on ? c[this.kind] : c.bar, radius: 4 * u });
      const number2 = [percent(probability, 1), this.tagOf(candidate)].filter(Boolean).join("  ");
      p.text(track + width2 + 8 * u, y + 17 * u, number2, { size: 13 * u, fill: on ? c.ink : c.muted });
      if (!candidate.cut) return;
      p.rect(0, y + 24 * u, 420 * u, 1.5, { fill: c.causal });
      p.text(420 * u, y + 21 * u, words, { size: 12 * u, align: "right", fill: c.causal_text });
    });
    const bottom = (candidates(this.step).length + 0.8) * 24 * u;
    p.text(track, bottom, restWords(this.step), { size: 13 * u, fill: c.muted });
  }
};

// translate/stage_controls.ts
var WordButtons = class {
  constructor(lines) {
    this.lines = lines;
    const row = (label2) => el("div", { class: "lines-row", role: "group", "aria-label": label2 });
    this.rows = { source: row(tr("Source words")), target: row(tr("Written words")) };
  }
  lines;
  rows;
  labels = { source: [], target: [] };
  buttons = { source: [], target: [] };
  /** A word of a side; it shows its row or column while pointed at. */
  wordButton(side, label2, n2) {
    const { limit, size } = this.lines.layout;
    const name = el("bdi", { dir: "auto" }, shorten(visible(label2), limit, size));
    const title2 = limit < textWidth(label2, size) ? label2 : null;
    const button = el("button", { class: "token", title: title2 }, name);
    button.classList.toggle("special", isSpecial(label2));
    const at = side === "source" ? { col: n2 } : { row: n2 };
    const waiting = () => side === "target" && n2 >= this.lines.frame.sheet.written;
    const show4 = () => !waiting() && this.lines.selection.hover(at);
    onPreview(button, show4, () => this.lines.selection.hover(null));
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
      (label2, n2) => kept[n2] && before[n2] === label2 ? kept[n2] : this.wordButton(side, label2, n2)
    );
    buttons.forEach((button, n2) => {
      const { flat, x } = this.lines.layout;
      const along2 = `${this.lines.layout[side][n2]}px`;
      button.style.left = flat ? along2 : `${x[side]}px`;
      button.style.top = flat ? "" : along2;
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
var TYPING4 = 0.7;
function stageBar(kindWords, picks, tools) {
  const aside = (words) => el("span", { class: "stage-hint" }, words);
  picks.append(aside(" · "));
  const drawn2 = [kindWords, picks, aside(hint())];
  const settings = el("span", { class: "stage-settings" }, ...drawn2);
  return el("div", { class: "stage-bar" }, settings, el("span", { class: "stage-tools" }, tools));
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
  const view2 = window.visualViewport;
  view2?.addEventListener(
    "resize",
    () => foot.classList.toggle("typing", view2.height < TYPING4 * window.innerHeight),
    { signal }
  );
  dockOrNot();
}

// shared/lines_layout.ts
var CURVES = 118;
var WORD = 15;
var LONGEST = 190;
var PITCH = 27;
var CROWDED = 18;
var ACROSS = 380;
var LEGIBLE = 18;
var gapOf = (u) => u > 1 ? 3 : 8;
function unitOfWords(rows, room, u) {
  if (u <= 1) return u;
  const longest = Math.max(...rows.map((labels) => rowLength(widthsOf(labels, u), gapOf(u) * u)));
  return u * Math.min(1, Math.max(room / longest, LEGIBLE / (WORD * u)));
}
var widthsOf = (labels, w) => labels.map((label2) => Math.min(LONGEST * w, textWidth(visible(label2), WORD * w)) + 14 * w);
function linesLayout({ rows, cols }, room, u, covered = false, tall2 = CURVES, deep = Infinity) {
  const w = unitOfWords(covered ? [cols] : [cols, rows], room, u);
  const gap = gapOf(u) * w;
  const [source, target] = [widthsOf(cols, w), widthsOf(rows, w)];
  const flat = rowLength(source, gap) <= room && (covered || rowLength(target, gap) <= room);
  const pitch = deep / Math.max(cols.length, rows.length);
  if (!flat && (u <= 1 || pitch > LEGIBLE)) return columnsLayout({ rows, cols }, room, u, pitch);
  const inside2 = Math.max(room, rowLength(source, gap), covered ? 0 : rowLength(target, gap));
  const centres = (along2, labels) => inReadingOrder(along2, labels, inside2);
  const slots = fillSlots(target, inside2 / Math.max(cols.length, rows.length), gap);
  const fits2 = (slots.at(-1) ?? 0) + ((target.at(-1) ?? 0) + gap) / 2 <= inside2;
  const below = covered && fits2 ? slots : spreadWords(target, inside2, gap);
  return {
    u,
    w,
    size: WORD * w,
    inside: inside2,
    limit: LONGEST * w,
    flat: true,
    x: { source: 0, left: 0, right: 0, target: 0, shares: 0, sums: 0 },
    source: centres(spreadWords(source, inside2, gap), cols),
    target: centres(below, rows),
    y: {
      source: 20 * u + 27 * (u - w),
      top: 50 * u,
      bottom: (50 + tall2) * u,
      target: (54 + tall2) * u,
      end: (100 + tall2) * u
    }
  };
}
function columnsLayout({ rows, cols }, room, u, given) {
  const limit = Math.min(LONGEST * u, room * 0.3);
  const pitch = Math.max(Math.min(given, PITCH * u), u > 1 ? LEGIBLE : CROWDED);
  const w = u > 1 ? Math.max(LEGIBLE / WORD, Math.min(u, 0.82 * pitch / WORD)) : u;
  const size = WORD * w;
  const widest2 = (labels) => Math.min(limit, Math.max(0, ...labels.map((label2) => textWidth(visible(label2), size)))) + 14 * u;
  const [ws, wt, share] = [widest2(cols), Math.max(widest2(rows), limit / 2), 48 * u];
  const across = Math.max(40 * u, Math.min(ACROSS * u, room - ws - wt - share));
  const begin = Math.max(0, (room - ws - wt - across - share) / 2) + share;
  const most = Math.max(cols.length, rows.length);
  const along2 = (labels) => labels.map((_, n2) => (n2 + 0.5) * pitch);
  const [source, target] = [begin + ws, begin + ws + across];
  return {
    u,
    w,
    size,
    inside: room,
    limit,
    flat: false,
    source: along2(cols),
    target: along2(rows),
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

// translate/stage_lines.ts
var HALL8 = 462;
var FLATTEST = 48;
var inHall = (host) => host.scale > 1 && !host.root.dataset.slideRoom ? within(FLATTEST, window.innerHeight / host.scale - HALL8, CURVES) : Math.max(FLATTEST, inSight(host, CURVES, HALL8));
var ABOVE = { hall: 368, page: 350 };
var BELOW = 12;
var NARROW4 = 640;
function inColumns2({ scale, root }, room) {
  const { slideRoom } = root.dataset;
  if (slideRoom) return scale * Number(slideRoom);
  if (scale <= 1 && room < NARROW4) return Infinity;
  return window.innerHeight - (scale > 1 ? ABOVE.hall : ABOVE.page) * scale - BELOW;
}
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
    const { host } = this;
    const room = this.scroller.clientWidth;
    this.layout = linesLayout(sheet, room, host.scale, covered, inHall(host), inColumns2(host, room));
    const { inside: inside2, y, size, w } = this.layout;
    this.inner.style.width = `${inside2}px`;
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
    const { rows, cols, cell: cell2 } = focus();
    const { flat, x, y, u, source, target } = this.layout;
    const largest3 = (sums, along2, across) => topIndices(sums, 4).filter((n2, rank2) => sums[n2] >= (rank2 ? 0.05 : 0.01) && (!cell2 || cols.has(n2))).map((n2) => ({
      ...flat ? { x: along2[n2], y: across } : { x: across, y: along2[n2] - 9 * u },
      share: sums[n2]
    }));
    const above = rows.size ? largest3(sumOf(sheet, rows, rowOf), source, flat ? 0 : x.shares - 20 * u) : [];
    if (cell2 || !cols.size) return above;
    return [
      ...above,
      ...largest3(sumOf(sheet, cols, columnOf), target, flat ? y.end - 17 * u : x.sums + 20 * u)
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
    const { rows, cols, cell: cell2 } = focus();
    paintLines(
      p,
      sheet,
      { rows, cols: cell2 ? /* @__PURE__ */ new Set() : cols },
      {
        area: [0, sheet.rows.length, 0, sheet.cols.length],
        threshold: LINE_FLOOR,
        u,
        behind: rests2 ? void 0 : behindRow(row),
        growing: { row, share: this.growth },
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
    const width2 = Math.max(1, clientWidth);
    const context2 = fitCanvas(this.canvas, width2, this.layout.y.end);
    context2.translate(-scrollLeft, 0);
    this.drawCurves(canvasPainter(context2), scrollLeft - 50, scrollLeft + width2 + 50);
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
    const upright = (label2, x, top, align, fill2) => p.text(x, top, shorten(visible(label2), limit, size), {
      size,
      mono: true,
      align,
      baseline: "middle",
      fill: fill2
    });
    sheet.cols.forEach((label2, n2) => upright(label2, across.source - 6 * u, source[n2], "right", c.ink));
    sheet.rows.forEach((label2, n2) => {
      if (n2 < sheet.written)
        upright(label2, across.target + 6 * u, target[n2], "left", n2 === row ? text : c.ink);
    });
    return;
  }
  const word = (label2, x, top, fill2) => p.text(x, top + 19 * w, shorten(visible(label2), limit, size), {
    size,
    mono: true,
    align: "center",
    fill: fill2
  });
  const ink = (label2) => isSpecial(label2) ? c.muted : c.ink;
  sheet.cols.forEach((label2, n2) => word(label2, source[n2], y.source, ink(label2)));
  sheet.rows.forEach((label2, n2) => {
    const x = target[n2];
    if (n2 >= sheet.written) return p.circle(x, y.target + 14 * w, 3, { fill: c.line });
    if (n2 !== row) return word(label2, x, y.target, ink(label2));
    const width2 = Math.min(limit, textWidth(visible(label2), size)) + 16 * w;
    p.rect(x - width2 / 2, y.target, width2, 27 * w, { fill: text, radius: 7 });
    word(label2, x, y.target, readableOn(text, c));
  });
}

// translate/stage_map.ts
var HALL9 = 300;
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
  cache = {};
  stopFade = () => {
  };
  /** What the rows and the columns are: a row has both of its words where there is room. */
  get axes() {
    return this.plot.frame.reads === "all" ? tr("Rows: reads → writes; columns: source words") : tr("Rows: written words; columns: source words");
  }
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
      tall: scale > 1 ? inSight(this.host, 560, HALL9 + above2) : 285,
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
    const words = weightWords();
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

// translate/stage_position.ts
var Reader = class {
  constructor(host, selection) {
    this.host = host;
    this.selection = selection;
  }
  host;
  selection;
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
    const name = `${this.layer}/${this.head}`;
    const known = this.sheets.get(name);
    if (known) return known;
    const { source, target, reads, shape, kind } = this.data;
    const shares = meanOf(this.data.weights, shape, this.layer, this.head);
    const at = (i, j) => shares[i * source.length + j];
    const drawn2 = makeSheet(
      { rows: target, cols: source, reads: reads.length ? reads : void 0 },
      at,
      kindRamp(this.host.colours, kind)
    );
    this.sheets.set(name, drawn2);
    return drawn2;
  }
  frameNow() {
    const { kind, forced, target, source } = this.data;
    const { covered, position: position2 } = this;
    const whole = this.sheet();
    const index = whole.index.subarray(0, position2 * source.length);
    const sheet = covered ? { ...whole, rows: target.slice(0, position2), reads: whole.reads?.slice(0, position2), index } : whole;
    sheet.written = position2;
    const rests2 = this.data.ended && position2 === target.length && position2 > 0;
    const row = rests2 ? -1 : position2 - 1;
    const focus = () => {
      const active = this.selection.active;
      const free = !active.rows.size && !active.cols.size && row >= 0;
      return free ? { ...active, rows: /* @__PURE__ */ new Set([row]) } : active;
    };
    return { sheet, row, step: position2, rests: rests2, kind, forced: new Set(forced), covered, focus };
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
    const { id, target, position: position2, layer, head, writes } = this.data;
    if (!before || news && (before.layer !== layer || before.head !== head))
      [this.layer, this.head] = [layer, head];
    if (before?.id !== id || news && before.position !== position2) this.position = position2;
    this.position = Math.min(this.position, target.length);
    const shown2 = bus().last.stage;
    const other = shown2?.id !== id;
    this.covered = this.position < target.length && (other || shown2.covered);
    return writes && other && shown2 !== void 0 && target.length > 0;
  }
};
function meanOf(weights2, [layers, heads2, rows, columns], layer, head) {
  const pick = (count, chosen2) => count === 1 ? [0] : chosen2 === null ? Array.from({ length: count }, (_, n2) => n2) : [chosen2];
  const [fromLayers, fromHeads] = [pick(layers, layer), pick(heads2, head)];
  const sum = new Float32Array(rows * columns);
  for (const l of fromLayers) {
    for (const h of fromHeads) {
      const offset = (l * heads2 + h) * sum.length;
      for (let n2 = 0; n2 < sum.length; n2++) sum[n2] += weights2[offset + n2];
    }
  }
  const share = 1 / (65535 * fromLayers.length * fromHeads.length);
  return sum.map((value) => value * share);
}

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
      class: "button small",
      "aria-live": "polite",
      title: tr("Copy the sentence"),
      onclick: () => void this.copy()
    },
    tr("Copy")
  );
  node = el(
    "div",
    { class: "stage-result", hidden: true },
    el("div", { class: "stage-line" }, this.text, this.button),
    this.remarks
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
    this.remarks.replaceChildren(...remarks.map((words) => el("p", {}, covered ? " " : words)));
  }
  async copy() {
    const done = await copied(this.words);
    if (!done) window.getSelection()?.selectAllChildren(this.text);
    this.button.textContent = done ? tr("Copied") : tr("Selected");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.button.textContent = tr("Copy"), COPIED);
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
  if (rests2) return [tr("Where the decoder looks when it writes each word")];
  if (row < 0) return [tr("The encoder has read the sentence; nothing is written yet")];
  const word = { kind: quoted(sheet.rows[row]) };
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
  return mapSentence({
    ...selection.active,
    sheets: [sheet],
    subjects: [reader.subject()],
    names: [],
    row,
    how: { verb: verbOf(kind), mode: "weights" },
    hint: selection.pinned ? selection.hint : ""
  });
}
function nextWords({ frame, reader, selection }, shown2, step) {
  const marked = step?.cut ? ` · ${tr("{cut} marked", { cut: step.cut.label })}` : "";
  const { forcible } = reader.data;
  if (frame.rests) {
    const title3 = phrase(tr("Candidates for {word}"), { word: quoted(frame.sheet.rows[shown2]) });
    if (!forcible) return { title: title3, subtitle: tr("The most probable words") + marked };
    if (selection.rows.size) {
      const forces2 = TOUCH ? tr("Tap a candidate to write it") : tr("Click a candidate to write it");
      return { title: title3, subtitle: forces2 + marked };
    }
    const others = TOUCH ? tr("Tap a word above for its candidates") : tr("Click a word above for its candidates");
    return { title: title3, subtitle: `${tr("The least certain word")} · ${others}${marked}` };
  }
  const title2 = [reader.position ? tr("Next word") : tr("First word")];
  const forces = TOUCH ? tr("Tap a word to force it") : tr("Click a word to force it");
  return { title: title2, subtitle: (forcible ? forces : tr("The most probable words")) + marked };
}

// translate/stage.ts
var REST3 = 350;
var Stage = class {
  constructor(root, host) {
    this.host = host;
    this.view = linked(host, "view");
    this.selection = new PinnedTokens(host, () => this.select());
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
    this.reader = new Reader(host, this.selection);
    this.picks = new StagePicks(() => this.choose());
    top.subtitle.remove();
    top.body.append(stageBar(this.kindWords, this.picks.node, this.playback.tools));
    const goByHand = (step) => this.playback.byHand(step);
    this.lines = new StageLines(top.body, host, this.selection, goByHand);
    this.bars = new NextWord(left.body, host, (candidate) => this.force(candidate));
    this.map = new StageMap(right.body, host, this.selection, goByHand);
    this.playback.node.append(exportMenu(host, stageLeaving(this, "lines")));
    top.controls.append(this.playback.node);
    dockOnPhone(root, host, this.playback.node, top.controls);
    left.controls.append(
      exportMenu(host, { name: () => `next-word-step-${this.stepShown + 1}`, ...this.bars.leaving })
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
  picks;
  lines;
  bars;
  map;
  /** Whether the reader is done with what has the focus: the last act was Enter in a field, or a click on a button. */
  done = false;
  listen() {
    pageKeys(this.host, { Escape: () => this.selection.clear() });
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
  /** Report where the reader is once the wait is over, which may be another head than now, and playback has stopped. */
  rest(wait = REST3) {
    clearTimeout(this.restTimer);
    const tell = () => {
      const { position: position2, layer, head } = this.reader;
      if (!this.playback.playing) this.view.report({ position: position2, layer, head });
    };
    this.restTimer = window.setTimeout(tell, wait);
  }
  choose() {
    Object.assign(this.reader, this.picks.read());
    this.draw();
    this.rest(0);
  }
  force({ id, label: label2 }) {
    this.playback.pause();
    const forced = { position: Math.max(0, this.stepShown), id, label: label2 };
    this.host.trigger("forced", forced);
  }
  /* ---------- drawing ---------- */
  draw() {
    const { cards, reader } = this;
    const { data, position: position2, covered } = reader;
    this.frame = reader.frameNow();
    const { sheet, kind } = this.frame;
    this.selection.trim(sheet.written, sheet.cols.length);
    this.grid.style.setProperty("--kind-text", this.host.colours[`${kind}_text`]);
    cards.top.tell({ title: stageTitle(this) });
    cards.right.tell({
      title: this.frame.rests ? tr("Every word written, every word read") : tr("The map so far")
    });
    this.candidates();
    this.lines.update(this.frame);
    this.map.update(this.frame);
    cards.right.tell({ subtitle: this.map.axes });
    this.playback.update(position2, data.target.length, covered);
    this.text.update(data.grown, position2, covered, data.remarks);
    const opens = data.opens?.layer === reader.layer && data.opens.head === reader.head;
    this.why.textContent = opens && data.opens?.why || "";
    announce("stage", { id: data.id, step: position2, covered });
    for (const each of document.querySelectorAll(".atlas-loading")) each.classList.add("done");
    this.speak();
  }
  /** The step whose candidates are shown: the one just made; of a finished sentence, the pinned word's or the least certain. */
  get stepShown() {
    const { data, position: position2 } = this.reader;
    if (!this.frame.rests) return within(0, position2 - 1, data.steps.length - 1);
    const pinned = [...this.selection.rows].pop();
    return pinned ?? leastCertain(data.steps.slice(0, position2));
  }
  candidates() {
    const { data, position: position2 } = this.reader;
    const step = data.steps[this.stepShown];
    this.cards.left.tell(nextWords(this, this.stepShown, step));
    if (!step) return;
    const chosen2 = position2 ? step : { ...step, chosen: null, forced: false, extra: null };
    this.bars.update(chosen2, this.frame.kind, data.forcible);
  }
  /** After a change of what is hovered or pinned. */
  select() {
    if (!this.frame) return;
    if (this.frame.rests) this.candidates();
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
    this.selection.take(next.pins, before?.id !== next.id);
    let writes = false;
    if (before !== next) {
      const { position: position2, layer, head } = next;
      writes = reader.follow(before, this.view.isNews({ position: position2, layer, head }));
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
var stageLeaving = (stage, which) => ({
  name: () => `${stage.reader.data.kind}-${which}-step-${stage.reader.position}`,
  who: () => stage.reader.subject(),
  title: () => stageTitle(stage),
  ...stage[which].picture,
  legend: which === "map" ? () => stage.map.legend() : void 0,
  words: () => stageSentence(stage),
  rows: () => [TABLE_HEAD, ...tableOf(stage.frame.sheet, stage.frame.kind === "encoder", csvNumber)]
});
var stage_default = viewOf(Stage);

// translate/tree_layout.ts
var WORD2 = 150;
var PRUNED_SHOWN = 8;
var signed2 = (value) => minus(fixed(value, 2));
function treeLayout(nodes, showPruned, u) {
  const steps = [];
  for (const node of nodes) (steps[node.step] ??= []).push(node);
  const placed2 = /* @__PURE__ */ new Map();
  let x = 2;
  const columns = Array.from(steps, (list = [], step) => {
    const column2 = columnAt(list, step, x, showPruned, u);
    column2.shown.forEach((node) => placed2.set(node.id, node));
    x += Math.max(40 * u, ...column2.shown.map(({ width: width2 }) => width2)) + 40 * u;
    return column2;
  });
  const bottoms = columns.map(({ bottom, more }) => bottom + (more ? 18 * u : 0));
  return { columns, placed: placed2, width: x - 40 * u + 2, height: Math.max(60 * u, ...bottoms) };
}
function columnAt(list, step, x, showPruned, u) {
  const ranked = [...list].sort(
    (a, b) => Number(b.kept) - Number(a.kept) || b.score - a.score || a.id - b.id
  );
  const kept = ranked.filter((node) => node.kept);
  const pruned = showPruned ? ranked.filter((node) => !node.kept) : [];
  const drawn2 = [...kept, ...pruned.slice(0, PRUNED_SHOWN)];
  const width2 = Math.max(40 * u, ...drawn2.map((node) => nodeWidth(node, u)));
  let y = 26 * u;
  const shown2 = drawn2.map((node, n2) => {
    if (n2 === kept.length && n2) y += 10 * u;
    const at = { ...node, x, y, width: width2, height: 25 * u };
    y += 30 * u;
    return at;
  });
  return { step, x, shown: shown2, more: Math.max(0, pruned.length - PRUNED_SHOWN), bottom: y };
}
function nodeWidth(node, u) {
  const word = Math.min(WORD2 * u, textWidth(visible(node.label), 14 * u));
  if (!node.step) return word + 18 * u;
  return word + textWidth(signed2(node.score), 11.5 * u, false) + (node.finished ? 46 : 26) * u;
}
var outcomeOf = ({ best, finished, kept }) => best ? "best" : finished ? "finished" : kept ? "kept" : "pruned";
var outcomeWords = (node) => ({
  best: node.finished ? tr("the best hypothesis") : tr("on the best path"),
  finished: tr("finished"),
  kept: tr("kept in the beam"),
  pruned: tr("pruned at step {step}", { step: node.step })
})[outcomeOf(node)];

// translate/tree.ts
var Tree = class extends CardView {
  canvas = el("canvas", { class: "beam-canvas", "aria-hidden": "true" });
  layer = el("div", {
    class: "beam-nodes",
    role: "group",
    "aria-label": tr("Every hypothesis the beam considered")
  });
  scroller = el("div", { class: "beam scroller", tabindex: "-1" }, this.canvas, this.layer);
  data;
  layout;
  nodes = /* @__PURE__ */ new Map();
  buttons = /* @__PURE__ */ new Map();
  hovered = null;
  showPruned = true;
  /** The last step shown. */
  last = Infinity;
  toggle = el(
    "button",
    { class: "button small", "aria-pressed": "true", onclick: () => this.togglePruned() },
    tr("Show pruned")
  );
  constructor(root, host) {
    super(root, host);
    this.parts.node.append(this.parts.readout);
    this.parts.body.append(this.scroller);
    this.parts.controls.append(this.toggle, exportMenu(host, treeLeaving(this)));
    const paint = () => requestAnimationFrame(() => this.paint());
    this.scroller.addEventListener("scroll", paint, { signal: host.signal });
    listenTo(host, "stage", () => this.data && this.last !== this.lastStep() && this.show());
  }
  /** The last step that may be shown. */
  lastStep() {
    const stage = bus().last.stage;
    if (!stage) return Infinity;
    if (stage.id !== this.data.id) return 0;
    return stage.covered ? stage.step : Infinity;
  }
  /** The nodes that may be shown. */
  show() {
    const before = this.nodes.size;
    this.last = this.lastStep();
    const shown2 = this.data.nodes.filter(({ step }) => step <= this.last);
    this.nodes = new Map(shown2.map((node) => [node.id, node]));
    this.relayout();
    if (!before || before >= shown2.length) return;
    this.scroller.scrollTo({ left: this.layout.width, behavior: reducedMotion() ? "auto" : "smooth" });
  }
  togglePruned() {
    this.showPruned = !this.showPruned;
    this.toggle.setAttribute("aria-pressed", String(this.showPruned));
    this.relayout();
  }
  /** From the start to a node. */
  pathTo(id) {
    const path = [];
    for (let node = this.nodes.get(id ?? -1); node; node = this.nodes.get(node.parent ?? -1))
      path.unshift(node);
    return path;
  }
  /* ---------- buttons ---------- */
  relayout() {
    if (!this.data) return;
    this.layout = treeLayout([...this.nodes.values()], this.showPruned, this.host.scale);
    const { width: width2, height, columns } = this.layout;
    this.layer.style.width = `${width2}px`;
    this.layer.style.height = `${height}px`;
    this.buttons = /* @__PURE__ */ new Map();
    this.layer.replaceChildren(...columns.flatMap((column2) => this.columnNodes(column2)));
    this.refresh();
  }
  columnNodes(column2) {
    const u = this.host.scale;
    const mark = (words, left, top) => {
      const node = el("span", { class: "beam-step" }, words);
      node.style.cssText = `left:${left}px;top:${top}px`;
      return node;
    };
    const above = mark(stepName(column2), column2.x + 2, 0);
    const more = column2.more ? [mark(tr("+ {count} pruned", { count: column2.more }), column2.x + 8 * u, column2.bottom)] : [];
    return [above, ...more, ...column2.shown.map((node) => this.nodeButton(node, column2))];
  }
  nodeButton(node, column2) {
    const u = this.host.scale;
    const word = el("bdi", { dir: "auto" }, shorten(visible(node.label), WORD2 * u, 14 * u));
    const score = el("span", { class: "node-score" }, node.step ? signed2(node.score) : "");
    const press = () => this.host.trigger("picked", { id: node.id });
    const button = el("button", { class: "node", onclick: press }, word, score);
    button.style.cssText = `left:${node.x}px;top:${node.y}px;width:${node.width}px`;
    button.classList.toggle("pruned", !node.kept);
    button.classList.toggle("finished", node.finished);
    button.classList.toggle("best", node.best);
    const words = { step: node.step, word: visible(node.label), score: signed2(node.score) };
    const outcome = outcomeWords(node);
    button.setAttribute(
      "aria-label",
      tr("step {step}, {word}, score {score}, {outcome}", { ...words, outcome })
    );
    onPreview(
      button,
      () => this.preview(node.id),
      () => this.preview(null)
    );
    button.addEventListener("keydown", (event) => this.walk(event, node, column2));
    this.buttons.set(node.id, button);
    return button;
  }
  /** Arrows walk the tree: left to the parent, right to the best child, up and down within the step. */
  walk(event, node, column2) {
    const n2 = column2.shown.indexOf(node);
    const keys2 = {
      ArrowLeft: () => node.parent,
      ArrowRight: () => this.layout.columns[node.step + 1]?.shown.find(({ parent }) => parent === node.id)?.id,
      ArrowUp: () => column2.shown[n2 - 1]?.id,
      ArrowDown: () => column2.shown[n2 + 1]?.id
    };
    const next = keys2[event.key];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    this.buttons.get(next() ?? -1)?.focus();
  }
  preview(id) {
    if (this.hovered === id) return;
    this.hovered = id;
    this.refresh();
  }
  /* ---------- drawing ---------- */
  paint() {
    if (!this.data) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.scroller;
    const height = Math.max(1, Math.min(this.layout.height, clientHeight || this.layout.height));
    const context2 = fitCanvas(this.canvas, Math.max(1, clientWidth), height);
    this.canvas.style.marginBottom = `${this.layout.height - height}px`;
    context2.translate(-scrollLeft, -scrollTop);
    paintBranches(canvasPainter(context2), this);
  }
  sentence() {
    const best = [...this.nodes.values()].filter((each) => each.best);
    const node = this.nodes.get(this.hovered ?? this.data.selected ?? -1) ?? best[best.length - 1];
    if (!node) return [tr("No hypotheses yet.")];
    if (!node.step) return [tr("The start of every hypothesis")];
    const words = this.pathTo(node.id).slice(1);
    const written2 = words.flatMap(({ label: label2 }, n2) => [n2 ? " " : "", { strong: visible(label2) }]);
    const scores2 = tr(": log-probability {logprob}, score {score}", {
      logprob: signed2(node.logprob),
      score: signed2(node.score)
    });
    return [...written2, scores2, { muted: outcomeWords(node) }];
  }
  refresh() {
    if (!this.data) return;
    const { selected, nodes } = this.data;
    const path = new Set(this.pathTo(this.hovered ?? selected).map(({ id }) => id));
    for (const [id, button] of this.buttons) {
      button.classList.toggle("path", path.has(id));
      button.setAttribute("aria-pressed", String(id === selected));
      button.tabIndex = id === (selected ?? nodes[0]?.id) ? 0 : -1;
    }
    this.paint();
    this.parts.tell({ readout: this.sentence() });
  }
  update(next) {
    this.data = next;
    const { colours } = this.host;
    this.parts.node.style.setProperty("--kind", colours.cross);
    this.parts.node.style.setProperty("--kind-ink", readableOn(colours.cross, colours));
    const what = tr(
      "beam of {size} · score = log-probability ÷ length · best path filled, pruned ones faint",
      {
        size: next.beam
      }
    );
    const how2 = TOUCH ? tr("Tap to open") : tr("Hover to read, click to open");
    this.parts.tell({ title: title(), subtitle: `${what} · ${how2}` });
    this.show();
  }
};
var stepName = ({ step }) => step ? tr("step {step}", { step }) : tr("start");
function paintBranches(p, tree) {
  const { placed: placed2 } = tree.layout;
  const path = new Set(tree.pathTo(tree.hovered ?? tree.data.selected).map(({ id }) => id));
  const rank2 = (node) => node.best ? 3 : path.has(node.id) ? 2 : node.kept ? 1 : 0;
  const u = tree.host.scale;
  const { muted, cross } = tree.host.colours;
  const pens = [
    { stroke: muted, width: u, alpha: 0.35, dash: [3, 3] },
    { stroke: muted, width: 1.2 * u, alpha: 0.7 },
    { stroke: cross, width: 2 * u, alpha: 0.8 },
    { stroke: cross, width: 3.2 * u }
  ];
  for (const node of [...placed2.values()].sort((a, b) => rank2(a) - rank2(b))) {
    const parent = placed2.get(node.parent ?? -1);
    if (!parent) continue;
    const from = [parent.x + parent.width, parent.y + parent.height / 2];
    p.curve(...curveBetween(from, [node.x, node.y + node.height / 2], false), pens[rank2(node)]);
  }
}
function paintNodes(p, tree) {
  const u = tree.host.scale;
  const c = tree.host.colours;
  for (const column2 of tree.layout.columns) {
    p.text(column2.x + 2, 13 * u, stepName(column2), { size: 12 * u, fill: c.muted });
    if (column2.more) {
      const pen = { size: 12 * u, fill: c.muted };
      p.text(column2.x + 8 * u, column2.bottom + 13 * u, `+ ${column2.more} pruned`, pen);
    }
  }
  for (const { x, y, width: width2, height, ...node } of tree.layout.placed.values()) {
    const ink = node.best ? readableOn(c.cross, c) : node.kept ? c.ink : c.muted;
    const pen = { fill: node.best ? c.cross : c.panel, stroke: node.best ? c.cross : c.line, radius: 7 };
    if (node.kept) p.rect(x, y, width2, height, pen);
    const word = shorten(visible(node.label), WORD2 * u, 14 * u);
    p.text(x + 7 * u, y + 17 * u, word, { size: 14 * u, mono: true, fill: ink });
    const right = { align: "right", fill: node.best ? ink : c.muted };
    const end = x + width2 - (node.finished ? 22 : 7) * u;
    if (node.step) p.text(end, y + 17 * u, signed2(node.score), { size: 11.5 * u, ...right });
    if (node.finished) p.text(x + width2 - 7 * u, y + 17 * u, "✓", { ...right, size: 12 * u, fill: ink });
  }
}
var title = () => tr("Every hypothesis the beam considered");
function treeLeaving(tree) {
  return {
    name: () => "beam-tree",
    title,
    size: () => [tree.layout.width, tree.layout.height],
    draw(p) {
      paintBranches(p, tree);
      paintNodes(p, tree);
    },
    words: () => tree.sentence(),
    rows: () => [
      ["id", "parent", "step", "token", "log_probability", "score", "kept", "finished", "best"],
      ...tree.data.nodes.map((node) => [
        ...[
          node.id,
          node.parent ?? "",
          node.step,
          node.label,
          csvNumber(node.logprob),
          csvNumber(node.score)
        ],
        ...[node.kept, node.finished, node.best].map((yes) => yes ? "yes" : "no")
      ])
    ]
  };
}
var tree_default = viewOf(Tree);

// what_if/breaking.ts
var PACE = 600;
var HEIGHT = 170;
var SETTLE = 500;
function paintCurve2(p, view2, width2) {
  const { scale: u, colours: c } = view2.host;
  const { steps, breaks, kind, word } = view2.data;
  const size = typeSize(13, u);
  const [left, right, top, bottom] = [52 * u, 20 * u, 18 * u, 30 * u];
  const [w, h] = [width2 - left - right, view2.curveHeight - top - bottom];
  const x = (n2) => left + w * n2 / Math.max(1, view2.last);
  const y = (share2) => top + h * (1 - share2);
  for (const share2 of [0, 0.5, 1]) {
    p.path(`M${left} ${y(share2)}H${left + w}`, { stroke: c.line, width: 1 });
    p.text(left - 8 * u, y(share2), `${100 * share2} %`, { ...AT_RIGHT, size, fill: c.muted });
  }
  const every2 = Math.max(1, Math.ceil(view2.last / Math.max(1, Math.floor(w / (44 * u)))));
  for (let n2 = 0; n2 <= view2.last; n2 += every2) {
    p.text(x(n2), top + h + 20 * u, String(n2), { size, fill: c.muted, align: "center" });
  }
  if (breaks !== null) {
    p.path(`M${x(breaks)} ${top - 4 * u}V${top + h}`, {
      stroke: c.positive,
      width: 1.6 * u,
      dash: [5 * u, 4 * u]
    });
    const words = tr("the text changes");
    const late = breaks > view2.last / 2;
    p.text(x(breaks) + (late ? -6 : 6) * u, top + 6 * u, words, {
      size,
      fill: c.positive,
      align: late ? "right" : "left"
    });
  }
  const points = steps.map(({ heads: heads3, probability: probability2 }) => `${x(heads3)} ${y(probability2)}`);
  p.path(`M${points.join("L")}`, { stroke: c[kind], width: 2.2 * u });
  const { heads: heads2, probability } = steps[view2.at];
  p.circle(x(heads2), y(probability), 6 * u, { fill: c[kind], stroke: c.panel, width: 2 * u });
  const share = `${quoted(word)} ${probability < 95e-4 ? fixed(100 * probability, 1) : Math.round(100 * probability)} %`;
  const foot = probability < 0.2;
  const beside = !foot && x(heads2) > left + 150 * u;
  const level = y(probability) + (foot ? -12 : 24) * u;
  const pen = { size, weight: 650, fill: c.ink, align: beside ? "right" : "left" };
  const end = foot && x(heads2) > left + w - 130 * u;
  p.text(x(heads2) + (beside ? -6 : 6) * u, level, share, end ? { ...pen, align: "right" } : pen);
}
var Breaking = class extends CardView {
  count = el("p", { class: "breaking-count", "aria-live": "polite" });
  text = el("p", { class: "breaking-text", dir: "auto" });
  slider = el("input", {
    ...{
      type: "range",
      min: 0,
      step: 1,
      class: "breaking-slider",
      "aria-label": tr("Number of ablated heads")
    },
    oninput: () => this.byHand(Number(this.slider.value))
  });
  play = el("button", { class: "button primary", onclick: () => this.toggle() });
  take = el("button", {
    class: "button",
    onclick: () => this.host.trigger("ablated", this.at)
  });
  canvas = el("canvas", { class: "picture", role: "img" });
  data;
  at = 0;
  timer = 0;
  rest = 0;
  constructor(root, host) {
    super(root, host, "breaking");
    const line2 = el("div", { class: "breaking-line" }, this.play, this.slider, this.take);
    this.parts.body.append(this.count, this.text, line2, this.canvas);
    this.parts.node.append(this.parts.readout);
    const width2 = () => exportWidth(this.canvas.clientWidth, host.scale);
    this.parts.controls.append(
      exportMenu(host, {
        name: () => this.data.file,
        title: () => this.data.title,
        size: () => [width2(), this.curveHeight],
        draw: (p) => paintCurve2(p, this, width2()),
        words: () => labelled(this.count.textContent ?? "", this.textOf(this.at)),
        rows: () => [
          ["heads", "last_head", "probability", "text"],
          ...this.data.steps.map((step) => [
            step.heads,
            step.last,
            step.probability,
            this.textOf(step.heads)
          ])
        ]
      })
    );
  }
  get last() {
    return this.data.steps.length - 1;
  }
  textOf(n2) {
    return this.data.steps[n2].words.map(({ text, spaced: spaced2 }) => spaced2 ? ` ${text}` : text).join("");
  }
  update(data) {
    const news = !this.data || this.data.title !== data.title || this.data.steps.length !== data.steps.length;
    this.data = data;
    if (news || !this.timer && !this.rest) this.at = data.at;
    this.parts.tell(data);
    this.slider.max = String(this.last);
    this.show();
  }
  /* ---------- play ---------- */
  byHand(n2) {
    this.pause();
    this.go(n2);
  }
  go(n2) {
    this.at = within(0, n2, this.last);
    this.show();
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => {
      this.rest = 0;
      this.host.trigger("chosen", this.at);
    }, SETTLE);
  }
  toggle() {
    if (this.timer) return this.pause();
    if (this.at >= this.last) this.go(0);
    const next = () => {
      this.go(this.at + 1);
      this.timer = this.at < this.last ? window.setTimeout(next, reducedMotion() ? 2 * PACE : PACE) : 0;
      this.show();
    };
    this.timer = window.setTimeout(next, PACE);
    this.show();
  }
  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.show();
  }
  /* ---------- drawing ---------- */
  get curveHeight() {
    return HEIGHT * this.host.scale;
  }
  show() {
    const { steps, breaks } = this.data;
    const step = steps[this.at];
    const name = plural("{count} head ablated", "{count} heads ablated", step.heads);
    const state = breaks !== null && step.heads === breaks ? ` · ${tr("the text changes here")}` : "";
    this.count.textContent = name + state;
    this.text.replaceChildren(
      ...step.words.flatMap(({ text, same: same2, spaced: spaced2 }) => [
        spaced2 ? " " : "",
        same2 ? document.createTextNode(text) : el("ins", {}, text)
      ])
    );
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", labelled(name, this.textOf(this.at)));
    this.play.textContent = this.timer ? tr("Pause") : tr("Play");
    this.play.setAttribute("aria-pressed", String(this.timer !== 0));
    this.take.textContent = plural(
      "Ablate this head in the cards above",
      "Ablate these {count} heads in the cards above",
      step.heads
    );
    this.take.disabled = step.heads === 0;
    this.canvas.setAttribute(
      "aria-label",
      tr("Probability of “{word}” by the number of ablated heads", { word: this.data.word })
    );
    this.relayout();
  }
  relayout() {
    const width2 = Math.max(200, this.parts.body.clientWidth);
    paintCurve2(canvasPainter(fitCanvas(this.canvas, width2, this.curveHeight)), this, width2);
  }
  destroy() {
    clearTimeout(this.timer);
    clearTimeout(this.rest);
  }
};
var breaking_default = viewOf(Breaking);

// views.ts
var views = { architecture: architecture_default, slide: slide_default, alignment: alignment_default, atlas: atlas_default, typical: typical_default, answer: answer_default, inside: inside_default, inside_terms: view, ladder: ladder_default, lens: lens_default, anatomy: anatomy_default, dynamics: dynamics_default, lesson: lesson_default, run_token: run_token_default, scene: scene_default, tour: tour_default, two_trainings: two_trainings_default, chart: chart_default, compare: compare_default, head: head_default, joint: joint_default, theme_watch: theme_watch_default, tiles: tiles_default, wall: wall_default, stage: stage_default, tree: tree_default, breaking: breaking_default };
var sheets = {
  "web/base/dom.css": `.atlas {
  --u: calc(1px * var(--atlas-scale, 1));
  --least: var(--atlas-least, 0px);
  --mono:
    "Source Code Pro",
    "Cascadia Mono",
    Menlo,
    monospace;
  position: relative;
  color: var(--ink);
  font-family: var(--st-font, "Source Sans", sans-serif);
  font-size: calc(15 * var(--u));
  line-height: 1.4;
  -webkit-font-smoothing: antialiased;
}
.atlas *,
.atlas *::before {
  box-sizing: border-box;
}
.atlas [hidden] {
  display: none !important;
}
.ruler {
  position: absolute;
  width: calc(100 * var(--u));
  height: 0;
  visibility: hidden;
  pointer-events: none;
}
.card {
  display: flex;
  flex-direction: column;
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 12px;
  padding: calc(14 * var(--u)) calc(18 * var(--u)) calc(12 * var(--u));
  min-width: 0;
}
.card[data-slide-card] {
  position: fixed;
  inset: var(--slide-inset, 0);
  z-index: 55;
  visibility: visible;
  justify-content: safe center;
  overflow: auto;
  border-width: var(--slide-border, 0);
  border-radius: var(--slide-radius, 0);
  padding: var(--slide-padding, calc(20 * var(--u)) calc(28 * var(--u)));
  --least: 18px;
}
.card[data-slide-card] > * {
  flex-shrink: 0;
}
.card-head {
  display: flex;
  gap: calc(16 * var(--u));
  justify-content: space-between;
  align-items: flex-start;
  flex-wrap: wrap;
}
.card-words {
  min-width: 0;
  flex: 1 1 calc(240 * var(--u));
}
.card-title {
  margin: 0;
  padding: 0;
  font-size: calc(16 * var(--u));
  font-weight: 650;
  line-height: 1.35;
  color: var(--ink);
}
.card-subtitle {
  margin: calc(2 * var(--u)) 0 0;
  font-size: calc(13 * var(--u));
  color: var(--muted);
}
.card-controls {
  display: flex;
  gap: calc(6 * var(--u));
  align-items: center;
  flex-wrap: wrap;
}
.card-body {
  position: relative;
  min-width: 0;
  margin-top: calc(8 * var(--u));
}
.readout {
  margin: calc(10 * var(--u)) 0 0;
  padding-top: calc(9 * var(--u));
  border-top: 1px solid var(--line);
  font-size: calc(14 * var(--u));
  min-height: calc(30 * var(--u));
  color: var(--ink);
  overflow-wrap: anywhere;
}
.say-strong {
  font-weight: 650;
}
.say-kind {
  color: var(--kind-text, var(--cross-text));
  font-weight: 650;
}
.say-muted {
  color: var(--muted);
}
.readout .say-muted {
  margin-left: calc(10 * var(--u));
  font-size: calc(13 * var(--u));
}
.atlas button {
  font: inherit;
  color: inherit;
  cursor: pointer;
  -webkit-tap-highlight-color: transparent;
}
.atlas button:disabled {
  cursor: default;
}
.atlas :focus {
  outline: none;
}
.atlas :focus-visible {
  outline: 2px solid var(--encoder);
  outline-offset: 2px;
  border-radius: 8px;
}
.button {
  min-width: calc(36 * var(--u));
  height: calc(34 * var(--u));
  padding: 0 calc(10 * var(--u));
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: calc(6 * var(--u));
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 9px;
  white-space: nowrap;
}
.button.small {
  height: calc(26 * var(--u));
  font-size: calc(13 * var(--u));
}
.button:hover:not(:disabled) {
  background: var(--soft);
}
.button:disabled {
  color: var(--muted);
  opacity: 0.55;
}
.button.primary {
  background: var(--ink);
  border-color: var(--ink);
  color: var(--panel);
}
.button.primary:hover:not(:disabled) {
  background: var(--ink);
  opacity: 0.88;
}
.button[aria-pressed=true] {
  background: var(--soft);
  border-color: var(--muted);
}
.quiet {
  min-width: calc(24 * var(--u));
  min-height: calc(24 * var(--u));
  background: none;
  border: 0;
  border-radius: 6px;
  padding: calc(1 * var(--u)) calc(5 * var(--u));
  font-size: max(calc(12 * var(--u)), var(--least)) !important;
  color: var(--muted) !important;
}
.quiet:hover {
  color: var(--ink) !important;
  background: var(--soft);
}
.tip {
  position: absolute;
  z-index: 10;
  top: 0;
  left: 0;
  max-width: calc(280 * var(--u));
  padding: calc(4 * var(--u)) calc(9 * var(--u));
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 8px;
  font-size: calc(13 * var(--u));
  pointer-events: none;
}
.explained {
  text-decoration: underline dotted 1px var(--muted);
  text-underline-offset: 0.25em;
  cursor: help;
}
.scroller {
  overflow-x: auto;
  overflow-y: hidden;
  scrollbar-width: thin;
  scrollbar-color: var(--line) transparent;
}
.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
@media (prefers-reduced-motion: reduce) {
  .atlas *,
  .atlas *::before {
    transition: none !important;
    animation: none !important;
  }
}
.keys {
  position: absolute;
  z-index: 9;
  right: 0;
  top: calc(100% + 8px);
  margin: 0;
  padding: calc(10 * var(--u)) calc(14 * var(--u));
  display: grid;
  grid-template-columns: auto auto;
  gap: calc(5 * var(--u)) calc(14 * var(--u));
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 10px;
  font-size: calc(13 * var(--u));
}
.keys dt {
  font-family: var(--mono);
  color: var(--ink);
  white-space: nowrap;
}
.keys dd {
  margin: 0;
  color: var(--muted);
  white-space: nowrap;
}
.keys .metric {
  font-family: inherit;
  white-space: normal;
  max-width: calc(300 * var(--u));
}`,
  "app/architecture.css": `.map-wrap {
  container-type: inline-size;
}
.map {
  display: flex;
  align-items: stretch;
  width: 100%;
}
.map-block {
  --tint: var(--muted);
  flex: 1 1 auto;
  min-width: 0;
  padding: calc(7 * var(--u)) calc(6 * var(--u));
  text-align: center;
  background: var(--panel);
  border: 1.5px solid var(--tint);
  border-radius: 10px;
  transition: background-color 150ms, color 150ms;
}
.map-block[data-kind=encoder] {
  --tint: var(--encoder);
  flex-grow: 1.35;
}
.map-block[data-kind=memory] {
  --tint: var(--encoder);
}
.map-block[data-kind=causal] {
  --tint: var(--causal);
  flex-grow: 1.35;
}
.map-block[data-kind=cross] {
  --tint: var(--cross);
  flex-grow: 1.15;
}
.map-block[data-kind=next] {
  flex-grow: 1.15;
}
.map-name {
  display: block;
  font-size: calc(14 * var(--u));
  font-weight: 650;
  line-height: 1.25;
  color: var(--ink);
}
.map-fact {
  display: var(--strip-facts, block);
  font-size: max(calc(12 * var(--u)), var(--least));
  line-height: 1.3;
  color: var(--muted);
}
.map-name,
.map-fact {
  white-space: nowrap;
  overflow: hidden;
  text-overflow: ellipsis;
}
.map-block:hover {
  background: color-mix(in oklab, var(--tint) 8%, var(--panel));
}
.map-block[aria-current=true] {
  background: var(--lit);
  border-color: var(--lit);
}
.map-block[aria-current=true] .map-name,
.map-block[aria-current=true] .map-fact {
  color: var(--lit-ink);
}
.map-arrow {
  flex: 0 0 calc(26 * var(--u));
  align-self: center;
  height: 10px;
  position: relative;
}
.map-arrow::before {
  content: "";
  position: absolute;
  left: 2px;
  right: 3px;
  top: 50%;
  border-top: 1px solid var(--muted);
}
.map-arrow::after {
  content: "";
  position: absolute;
  right: 3px;
  top: calc(50% - 2.5px);
  width: 6px;
  height: 6px;
  border: solid var(--muted);
  border-width: 1px 1px 0 0;
  transform: rotate(45deg);
}
.map-arrow.joined {
  flex-basis: calc(5 * var(--u));
}
.map-arrow.joined::before,
.map-arrow.joined::after {
  display: none;
}
@media (max-height: 800px) {
  .map-fact {
    display: none;
  }
  [data-hall] .map-block {
    padding-block: calc(3 * var(--u));
  }
}
.map-short {
  display: none;
}
@container (max-width: 560px) {
  .map {
    justify-content: space-between;
  }
  .map-block {
    flex: 0 1 auto;
    min-width: 34px;
    min-height: 44px;
    padding: 6px 1px 0;
    border: 0;
    background: none !important;
  }
  .map-block::before {
    content: "";
    display: block;
    width: 12px;
    height: 12px;
    margin: 0 auto 3px;
    border-radius: 50%;
    background: var(--tint);
    opacity: 0.85;
  }
  .map-block[data-kind=memory]::before {
    background: none;
    box-shadow: inset 0 0 0 2px var(--tint);
  }
  .map-block .map-name,
  .map-fact,
  .map-arrow {
    display: none;
  }
  .map-short {
    display: block;
    font-size: max(calc(11.5 * var(--u)), var(--least));
    line-height: 1.3;
    color: var(--muted);
    white-space: nowrap;
  }
  .map-block[aria-current=true]::before {
    width: 30px;
    border-radius: 99px;
    background: var(--lit);
    opacity: 1;
  }
  .map-block[aria-current=true] .map-short {
    font-weight: 650;
    color: var(--ink);
  }
}
@container (min-width: 560.1px) and (max-width: 860px) {
  .map-arrow {
    flex-basis: calc(15 * var(--u));
  }
  .map-block {
    padding-inline: calc(3 * var(--u));
  }
  .map-name {
    font-size: calc(13 * var(--u));
  }
  .map-fact {
    font-size: max(calc(11 * var(--u)), var(--least));
  }
}`,
  "app/slide.css": `a.slide-leave {
  display: grid;
  place-items: center;
  text-decoration: none;
}
.slide-leave {
  width: 44px;
  height: 44px;
  border: 1px solid var(--line);
  border-radius: 50%;
  background: var(--panel);
  font-size: 18px !important;
  line-height: 1;
  color: var(--muted) !important;
}
.slide-leave:hover {
  color: var(--ink) !important;
  background: var(--soft);
}`,
  "web/base/export.css": `.field {
  min-height: calc(24 * var(--u));
  display: inline-flex;
  align-items: center;
  gap: calc(5 * var(--u));
  font-size: max(calc(12.5 * var(--u)), var(--least));
  color: var(--muted);
  white-space: nowrap;
}
.chooser {
  font: inherit;
  color: var(--ink);
  background: transparent;
  border: 0;
  border-radius: 6px;
  padding: calc(2 * var(--u)) calc(2 * var(--u));
  cursor: pointer;
  max-width: calc(150 * var(--u));
}
.chooser:hover,
.menu-open:hover {
  background: var(--soft);
}
.chooser option {
  background: var(--panel);
  color: var(--ink);
}
.slider {
  width: calc(84 * var(--u));
  height: calc(16 * var(--u));
  margin: 0;
  accent-color: var(--kind, var(--cross));
  cursor: pointer;
}
.field output {
  color: var(--ink);
  min-width: calc(34 * var(--u));
  font-variant-numeric: tabular-nums;
}
.field input[type=checkbox] {
  accent-color: var(--kind, var(--cross));
  margin: 0;
  cursor: pointer;
}
.menu-place {
  position: relative;
  display: inline-block;
}
.menu-open {
  font-size: calc(16 * var(--u)) !important;
  line-height: 1;
}
.menu {
  position: absolute;
  right: 0;
  top: calc(100% + 4px);
  z-index: 12;
  display: grid;
  min-width: calc(140 * var(--u));
  padding: calc(4 * var(--u));
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 9px;
}
.menu-item {
  text-align: left;
  background: none;
  border: 0;
  border-radius: 6px;
  padding: calc(5 * var(--u)) calc(9 * var(--u));
  font-size: calc(13 * var(--u)) !important;
  white-space: nowrap;
}
.menu-item:hover,
.menu-item:focus-visible {
  background: var(--soft);
}
.picture {
  display: block;
  touch-action: pan-y;
}
.axis-words {
  margin: 0;
  font-size: max(calc(12.5 * var(--u)), var(--least));
  color: var(--muted);
}
.foot {
  display: flex;
  flex-wrap: wrap;
  gap: calc(4 * var(--u)) calc(16 * var(--u));
  align-items: center;
  margin-top: calc(8 * var(--u));
}`,
  "heads/alignment.css": `.aligned-views {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: calc(6 * var(--u)) calc(24 * var(--u));
}
.aligned-views.wide {
  grid-template-columns: 42fr 58fr;
}
.aligned-place {
  position: relative;
  min-width: 0;
}
.aligned-views canvas {
  border-radius: 8px;
}
.alignment .foot {
  column-gap: calc(20 * var(--u));
}
.alignment.waiting .aligned-views {
  opacity: 0.45;
}
.alignment.marking .aligned-heat {
  cursor: cell !important;
  outline: 2px dashed var(--kind);
  outline-offset: 2px;
}
.alignment .card-controls {
  position: relative;
}
.alignment[data-slide-card] .aligned-views:not(.wide) > :has(.aligned-heat),
.alignment[data-slide-card]:has(.aligned-views:not(.wide)) .foot > :last-child {
  display: none;
}`,
  "heads/atlas.css": `.atlas-fields {
  display: flex;
  flex-wrap: wrap;
  gap: calc(4 * var(--u)) calc(16 * var(--u));
  margin: calc(12 * var(--u)) 0 calc(4 * var(--u));
}
.atlas-list {
  position: relative;
  overflow: auto;
  scrollbar-width: thin;
  scrollbar-color: var(--line) transparent;
}
.atlas-heads {
  width: 100%;
  border-collapse: separate;
  border-spacing: 0;
  font-size: max(calc(13.5 * var(--u)), var(--least));
  font-variant-numeric: tabular-nums lining-nums;
}
.atlas-heads th,
.atlas-heads td {
  padding: calc(0.5 * var(--u)) calc(6 * var(--u));
  text-align: left;
  vertical-align: middle;
  border-bottom: 1px solid var(--line);
}
.atlas-heads thead th {
  position: sticky;
  top: 0;
  z-index: 1;
  background: var(--panel);
  font-weight: 500;
  color: var(--muted);
  font-size: max(calc(12.5 * var(--u)), var(--least));
  border-bottom: 1px solid var(--muted);
  white-space: nowrap;
}
.atlas-heads thead button {
  padding: 0;
  max-width: calc(112 * var(--u));
  overflow: hidden;
  text-overflow: ellipsis;
  background: none;
  border: 0;
  white-space: nowrap;
  min-height: calc(24 * var(--u));
}
.atlas-heads thead button:hover {
  color: var(--ink);
}
.atlas-heads thead [aria-sort=ascending] button,
.atlas-heads thead [aria-sort=descending] button {
  color: var(--ink);
  font-weight: 650;
}
.atlas-heads tbody tr {
  cursor: pointer;
}
.atlas-heads tbody tr.hovered > * {
  background: var(--soft);
}
.atlas-heads tbody tr[data-open] > * {
  background: color-mix(in srgb, var(--kind) 13%, var(--panel));
}
.atlas-heads tbody th {
  width: calc(48 * var(--u));
  font-weight: 600;
}
.atlas-heads tbody th button {
  padding: 0 calc(2 * var(--u));
  background: none;
  border: 0;
  font-family: var(--mono);
  font-weight: 600;
  color: var(--kind-text);
  min-height: calc(24 * var(--u));
}
.atlas-heads .role {
  max-width: calc(150 * var(--u));
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}
.atlas-heads .role.none {
  color: var(--muted);
}
.atlas-heads td.score {
  white-space: nowrap;
  width: calc(122 * var(--u));
}
.atlas-heads td.score b {
  display: inline-block;
  min-width: calc(36 * var(--u));
  margin-left: calc(6 * var(--u));
  font-weight: 450;
  text-align: right;
}
.strip {
  position: relative;
  isolation: isolate;
  display: inline-block;
  width: calc(66 * var(--u));
  height: calc(11 * var(--u));
  vertical-align: middle;
  border-left: 1px solid var(--line);
  border-right: 1px solid var(--line);
}
.strip::after {
  content: "";
  position: absolute;
  left: 0;
  right: 0;
  top: 50%;
  height: 1px;
  background: var(--line);
}
.strip i {
  position: absolute;
  z-index: 1;
  display: block;
  border-radius: 2px;
  background: var(--kind);
}
.strip .most {
  top: 38%;
  height: 24%;
  opacity: 0.42;
}
.strip .half {
  top: 16%;
  height: 68%;
  opacity: 0.62;
}
.strip .median {
  top: -6%;
  height: 112%;
  width: calc(2 * var(--u));
  margin-left: calc(-1 * var(--u));
  background: var(--ink);
  border-radius: 1px;
}
.atlas-about {
  margin: calc(8 * var(--u)) 0 0;
  font-size: calc(13 * var(--u));
  color: var(--muted);
}
.atlas-about .say-strong {
  color: var(--ink);
}
.atlas-about .say-muted {
  font-family: var(--mono);
  font-size: max(calc(12 * var(--u)), var(--least));
}`,
  "heads/typical.css": `.typical {
  position: relative;
}
.typical-save {
  position: absolute;
  z-index: 2;
  top: calc(-26 * var(--u));
  right: 0;
}`,
  "inside/answer.css": `.answer .card-title {
  font-size: calc(21 * var(--u));
  line-height: 1.25;
}
.answer .card-subtitle {
  font-size: calc(15.5 * var(--u));
  color: var(--ink);
}
.answer .card-body {
  margin-top: calc(14 * var(--u));
}`,
  "inside/inside.css": `.inside {
  container-type: inline-size;
  display: grid;
  gap: calc(12 * var(--u));
  grid-template-columns: minmax(0, 1fr);
}
.inside-head {
  position: relative;
  display: flex;
  align-items: center;
  gap: calc(8 * var(--u));
}
.inside-title {
  margin: 0;
  flex: 1 1 auto;
  min-width: 0;
  font-size: calc(16 * var(--u));
}
.inside-head .button {
  flex: none;
}
.inside-head .keys {
  top: 100%;
}
.flow {
  display: flex;
  flex-wrap: wrap;
  gap: calc(3 * var(--u)) calc(13 * var(--u));
}
.flow-place {
  position: relative;
  display: flex;
  flex-direction: column;
  flex: none;
}
.flow-place + .flow-place::before {
  content: "";
  position: absolute;
  left: calc(-10 * var(--u));
  bottom: calc(19 * var(--u));
  width: calc(7 * var(--u));
  border-top: 1px solid var(--muted);
  opacity: 0.7;
}
.flow-name {
  height: calc(1.5 * max(calc(11 * var(--u)), var(--least)));
  width: 0;
  overflow: visible;
  white-space: nowrap;
  font-size: max(calc(11 * var(--u)), var(--least));
  color: var(--muted);
}
.flow-step {
  display: flex;
  flex-direction: column;
  align-items: center;
  gap: calc(2 * var(--u));
  padding: calc(4 * var(--u)) calc(4 * var(--u)) calc(2 * var(--u));
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 8px;
  font-size: max(calc(11.5 * var(--u)), var(--least)) !important;
  color: var(--muted) !important;
  white-space: nowrap;
}
.flow-step canvas {
  border-radius: 3px;
}
.flow-step:hover {
  background: var(--soft);
}
.flow-step.flow-read {
  border-color: var(--muted);
}
.flow-step[aria-current=step] {
  border-color: var(--kind);
  box-shadow: inset 0 0 0 1px var(--kind);
  color: var(--ink) !important;
  font-weight: 600 !important;
}
.inside-stage {
  display: grid;
  gap: calc(14 * var(--u));
  grid-template-columns: minmax(0, 1fr);
}
.inside-card .card-title .say-muted {
  font-family: var(--mono);
  font-weight: 400;
  font-size: max(calc(13 * var(--u)), var(--least));
}
.inside-matrix {
  display: flex;
  align-items: flex-start;
  min-width: 0;
}
.inside-matrix > canvas {
  flex: none;
}
.inside-matrix > .scroller {
  flex: 1 1 auto;
  min-width: 0;
}
.inside-cells {
  cursor: pointer;
}
.inside-shape {
  font-family: var(--mono);
  font-size: max(calc(12 * var(--u)), var(--least));
  color: var(--muted);
  overflow-wrap: anywhere;
}
.inside-turning {
  display: flex;
  justify-content: space-between;
  gap: calc(8 * var(--u));
}
.inside-turning .button:last-child {
  margin-left: auto;
}
.inside-turning .button {
  min-width: 0;
  overflow: hidden;
  text-overflow: ellipsis;
}
.inside-flying {
  position: absolute;
  z-index: 8;
  pointer-events: none;
  border-radius: 4px;
}
.why {
  margin-top: calc(10 * var(--u));
  padding: calc(12 * var(--u)) calc(14 * var(--u));
  background: var(--background);
  border: 1px solid var(--line);
  border-radius: 10px;
}
.why-waiting {
  opacity: 0.55;
}
.why-head {
  display: flex;
  justify-content: space-between;
  gap: calc(10 * var(--u));
}
.why-head > div {
  min-width: 0;
}
.why-question {
  margin: 0;
  padding: 0;
  font-size: calc(15 * var(--u));
  font-weight: 650;
  color: var(--ink);
}
.why-question .say-muted {
  margin-left: calc(10 * var(--u));
  font-weight: 400;
}
.why-formula {
  margin: calc(2 * var(--u)) 0 0;
  font-family: var(--mono);
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--muted);
  overflow-wrap: anywhere;
}
.why-body {
  display: grid;
  gap: calc(12 * var(--u)) calc(26 * var(--u));
  margin-top: calc(10 * var(--u));
  grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr);
  align-items: start;
}
@container (max-width: 780px) {
  .why-body {
    grid-template-columns: minmax(0, 1fr);
  }
}
.why-picture {
  min-width: 0;
}
.why-steps {
  margin: calc(10 * var(--u)) 0 0;
  display: flex;
  flex-wrap: wrap;
  gap: calc(6 * var(--u)) calc(8 * var(--u));
  font-size: max(calc(13.5 * var(--u)), var(--least));
  color: var(--muted);
}
.why-step {
  padding: calc(2 * var(--u)) calc(8 * var(--u));
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 7px;
}
.why-step b {
  color: var(--ink);
  font-weight: 600;
  font-family: var(--mono);
}
.why-value {
  border-color: var(--kind);
}
.why-value b {
  color: var(--kind-text);
}
.why-terms {
  list-style: none;
  margin: 0;
  padding: 0;
  display: grid;
  gap: calc(2 * var(--u));
  font-size: max(calc(13 * var(--u)), var(--least));
}
.why-terms li {
  display: grid;
  grid-template-columns: minmax(0, 1.15fr) minmax(0, 1.1fr) minmax(calc(40 * var(--u)), 0.8fr) calc(62 * var(--u));
  gap: calc(8 * var(--u));
  align-items: center;
}
.why-name {
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
  color: var(--ink);
}
.why-product {
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
  font-family: var(--mono);
  color: var(--muted);
  text-align: right;
}
.why-number {
  font-family: var(--mono);
  text-align: right;
  color: var(--ink);
  white-space: nowrap;
}
.why-own .why-name,
.why-own .why-number {
  font-weight: 700;
  color: var(--kind-text);
}
.why-track {
  position: relative;
  height: calc(9 * var(--u));
  background: linear-gradient(var(--line), var(--line)) 50% 0 / 1px 100% no-repeat;
}
.why-bar {
  position: absolute;
  top: 0;
  bottom: 0;
  background: var(--positive);
  border-radius: 2px;
}
.why-less {
  background: var(--negative);
}
@container (max-width: 480px) {
  .why-terms li {
    grid-template-columns: minmax(0, 1fr) minmax(calc(40 * var(--u)), 0.7fr) calc(62 * var(--u));
  }
  .why-product {
    display: none;
  }
}
@container (max-width: 700px) {
  .flow {
    flex-wrap: nowrap;
    overflow-x: auto;
    scrollbar-width: thin;
    padding-bottom: calc(4 * var(--u));
  }
}
.atlas[data-hall] .flow {
  flex-wrap: nowrap;
  overflow-x: auto;
  scrollbar-width: thin;
  padding-bottom: calc(4 * var(--u));
}
.inside-body {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: calc(10 * var(--u)) calc(26 * var(--u));
  align-items: start;
}
.inside-body.beside {
  grid-template-columns: var(--matrix) minmax(0, 1fr);
}
.beside .why {
  margin-top: 0;
}
.beside .why-body {
  grid-template-columns: minmax(0, 1fr);
}`,
  "inside/ladder.css": `.rungs {
  margin: 0 0 calc(8 * var(--u));
  padding: 0;
  list-style: none;
}
.rung {
  display: grid;
  grid-template-columns: calc(110 * var(--u)) minmax(0, 1fr) auto;
  gap: calc(4 * var(--u)) calc(16 * var(--u));
  align-items: baseline;
  padding: calc(7 * var(--u)) 0;
  border-top: 1px solid var(--line);
}
.rung:first-child {
  border-top: 0;
}
.rung-name,
.rung-share {
  font-size: calc(13 * var(--u));
  color: var(--muted);
  white-space: nowrap;
}
.rung-text {
  margin: 0;
  font-size: calc(16 * var(--u));
  line-height: 1.4;
  overflow-wrap: anywhere;
  user-select: text;
}
.rung.whole .rung-text {
  font-weight: 600;
}
.rung-text del {
  color: var(--muted);
  text-decoration-thickness: 1px;
}
.rung-text ins {
  color: var(--kind-text);
  text-decoration: underline;
  text-decoration-thickness: 2px;
  text-underline-offset: 3px;
}
@media (max-width: 640px) {
  .rung {
    grid-template-columns: minmax(0, 1fr) auto;
  }
  .rung-text {
    grid-column: 1 / -1;
    grid-row: 2;
  }
}`,
  "inside/lens.css": `.lens-wrap {
  container-type: inline-size;
}
.lens {
  display: grid;
  gap: calc(16 * var(--u));
  grid-template-columns: minmax(0, 1.9fr) minmax(0, 1fr);
  align-items: start;
}
.lens > .card + .card:not([data-slide-card]) {
  position: sticky;
  top: calc(12 * var(--u));
  min-height: min(100%, calc(480 * var(--u)));
}
@container (max-width: 760px) {
  .lens {
    grid-template-columns: minmax(0, 1fr);
  }
  .lens > .card + .card:not([data-slide-card]) {
    position: static;
  }
}
.lens > .card + .card .card-words {
  flex-basis: calc(120 * var(--u));
}
.lens-cells {
  cursor: pointer;
}
.lens-how {
  font-size: max(calc(12 * var(--u)), var(--least));
  color: var(--muted);
}`,
  "web/base/playback.css": `.play {
  display: flex;
  align-items: center;
  gap: calc(6 * var(--u));
  position: relative;
  flex-wrap: wrap;
}
.play svg {
  width: calc(14 * var(--u));
  height: calc(14 * var(--u));
  fill: currentColor;
}
.play-count {
  min-width: calc(56 * var(--u));
  text-align: center;
  font-size: calc(13 * var(--u));
  color: var(--muted);
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
.play-tools {
  display: inline-flex;
  align-items: center;
  gap: calc(8 * var(--u));
}
.play-scrub {
  width: calc(130 * var(--u));
  height: calc(24 * var(--u));
  margin: 0;
  accent-color: var(--ink);
  cursor: pointer;
}
.pace,
.pick {
  min-height: calc(24 * var(--u));
  appearance: none;
  field-sizing: content;
  font: inherit;
  font-size: calc(13 * var(--u));
  color: var(--muted);
  background: none;
  border: 1px solid transparent;
  border-bottom: 1px dotted var(--muted);
  padding: 0 calc(2 * var(--u));
  cursor: pointer;
}
.pace:hover,
.pick:hover {
  color: var(--ink);
}
.pace option,
.pick option {
  color: var(--ink);
  background: var(--panel);
}
.play .keys {
  top: calc(100% + 1px);
}`,
  "learn/dynamics.css": `.dynamics-wrap {
  container-type: inline-size;
}
.dynamics {
  display: grid;
  gap: calc(16 * var(--u));
  grid-template-columns: minmax(0, 1fr) minmax(0, 1.12fr);
}
@container (max-width: 820px) {
  .dynamics {
    grid-template-columns: minmax(0, 1fr);
  }
}
.dynamics-play,
.dynamics-fields {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: calc(6 * var(--u)) calc(14 * var(--u));
}
.dynamics-play {
  position: relative;
}
.dynamics-play > .play {
  display: contents;
}
.dynamics-play .play-tools {
  flex: 1 1 calc(200 * var(--u));
}
.dynamics-play .play-scrub {
  flex: 1;
  width: auto;
}
.dynamics-fields {
  margin: calc(10 * var(--u)) 0 calc(6 * var(--u));
}
.dynamics-about {
  font-size: max(calc(12.5 * var(--u)), var(--least));
  color: var(--muted);
}
.dynamics-moments {
  display: flex;
  gap: calc(10 * var(--u));
  align-items: flex-start;
  margin-top: calc(8 * var(--u));
}
.dynamics-moments:empty,
.card[data-slide-card] .dynamics-moments {
  display: none;
}
.dynamics-label {
  flex: none;
  padding-top: calc(3 * var(--u));
  font-size: max(calc(12.5 * var(--u)), var(--least));
  color: var(--muted);
}
.dynamics-list {
  display: flex;
  flex-wrap: wrap;
  gap: calc(5 * var(--u));
  max-height: calc(92 * var(--u));
  overflow-y: auto;
  padding: 1px;
  scrollbar-width: thin;
  scrollbar-color: var(--line) transparent;
}
.dynamics-moment {
  min-height: calc(24 * var(--u));
  padding: 0 calc(8 * var(--u));
  background: none;
  border: 1px solid var(--line);
  border-radius: 8px;
  font-size: max(calc(12.5 * var(--u)), var(--least)) !important;
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
.dynamics-moment b {
  color: var(--kind-text);
  font-weight: 650;
}
.dynamics-moment span {
  color: var(--muted);
}
.dynamics-moment:hover {
  background: var(--soft);
}
.dynamics-moment[aria-pressed=true] {
  border-color: var(--kind);
  background: color-mix(in srgb, var(--kind) 6%, var(--panel));
}
.dynamics-wall {
  position: relative;
}
.dynamics-head {
  position: absolute;
  padding: 0;
  background: none;
  border: 0;
}
.dynamics-big {
  margin-top: calc(10 * var(--u));
}
[data-hall] .dynamics-list {
  max-height: calc(30 * var(--u));
}`,
  "learn/lesson.css": `.lesson {
  display: flex;
  flex-direction: column;
  height: 100dvh;
  background: var(--panel);
  font-size: calc(15 * var(--u));
  line-height: 1.5;
}
.lesson-head {
  display: flex;
  align-items: center;
  gap: calc(4 * var(--u));
  padding: calc(14 * var(--u)) calc(14 * var(--u)) 0 calc(20 * var(--u));
}
.lesson-name {
  flex: 1;
  min-width: 0;
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--muted);
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}
.lesson-head button {
  flex: none;
  width: calc(28 * var(--u));
  height: calc(28 * var(--u));
  border: 0;
  border-radius: 8px;
  background: none;
  color: var(--muted);
  font-size: calc(20 * var(--u));
  line-height: 1;
}
.lesson-fold:hover,
.lesson-close:hover {
  background: var(--soft);
  color: var(--ink);
}
.lesson-head .lesson-fold {
  display: none;
}
.lesson .lesson-dots {
  display: flex;
  flex: none;
  gap: calc(3 * var(--u));
  margin: calc(6 * var(--u)) calc(20 * var(--u)) 0;
  padding: 0;
  list-style: none;
}
.lesson-dots li {
  flex: 1;
  max-width: calc(64 * var(--u));
}
.lesson-dot {
  display: block;
  width: 100%;
  height: 24px;
  padding: calc(7 * var(--u)) 0 0;
  border: 0;
  background: none;
}
.lesson-dot::before {
  content: "";
  display: block;
  height: calc(4 * var(--u));
  border-radius: 4px;
  background: var(--line);
}
.lesson-dot.past::before {
  background: var(--muted);
  opacity: 0.55;
}
.lesson-dot.now::before {
  background: var(--kind);
}
.lesson-dot::after {
  content: "";
  display: block;
  width: calc(4 * var(--u));
  height: calc(4 * var(--u));
  margin: calc(4 * var(--u)) auto 0;
  border-radius: 50%;
}
.lesson-dot.asks::after {
  background: var(--bar);
}
.lesson-dot.asks.answered::after {
  background: var(--kind);
}
.lesson-dot:hover::before {
  background: var(--ink);
  opacity: 1;
}
.lesson-words {
  flex: 1;
  min-height: 0;
  overflow-y: auto;
  overscroll-behavior: contain;
  padding: calc(10 * var(--u)) calc(20 * var(--u)) calc(18 * var(--u));
}
.lesson-counted {
  flex: none;
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--muted);
}
.lesson-title {
  margin: calc(2 * var(--u)) 0 calc(10 * var(--u));
  padding: 0;
  font-size: calc(19 * var(--u));
  font-weight: 650;
  line-height: 1.28;
  letter-spacing: -0.005em;
  text-wrap: balance;
}
.lesson p,
.lesson ul,
.lesson ol {
  margin: 0 0 calc(10 * var(--u));
}
.lesson ul,
.lesson-text > ol {
  padding-inline-start: calc(20 * var(--u));
}
.lesson li {
  margin-bottom: calc(4 * var(--u));
}
.lesson code {
  font-family: var(--mono);
  font-size: 0.92em;
  background: var(--soft);
  border-radius: 4px;
  padding: 0 0.25em;
}
.lesson pre {
  margin: 0 0 calc(10 * var(--u));
  padding: calc(8 * var(--u)) calc(10 * var(--u));
  overflow-x: auto;
  background: var(--soft);
  border-radius: 8px;
  line-height: 1.4;
}
.lesson pre code {
  background: none;
  padding: 0;
}
.lesson a {
  color: var(--kind-text);
}
.lesson-value {
  font-weight: 650;
  color: var(--kind-text);
  border-bottom: 1px dotted currentColor;
  cursor: help;
  overflow-wrap: anywhere;
}
.lesson-question {
  margin-top: calc(14 * var(--u));
}
.lesson .lesson-before {
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--muted);
}
.lesson-ask {
  font-size: calc(16 * var(--u));
  font-weight: 650;
  line-height: 1.32;
}
.lesson .lesson-choices {
  padding: 0;
  list-style: none;
}
.lesson .lesson-choices li {
  margin-bottom: calc(7 * var(--u));
}
.lesson-choice {
  display: flex;
  width: 100%;
  min-height: 44px;
  align-items: flex-start;
  gap: calc(10 * var(--u));
  padding: calc(8 * var(--u)) calc(11 * var(--u));
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--panel);
  text-align: start;
  line-height: 1.4;
}
.lesson-choice > b {
  flex: none;
  display: grid;
  place-items: center;
  width: calc(22 * var(--u));
  height: calc(22 * var(--u));
  border: 1px solid var(--bar);
  border-radius: 50%;
  font-size: max(calc(13 * var(--u)), var(--least));
  font-weight: 650;
  color: var(--muted);
}
.lesson-choice > span {
  flex: 1;
  min-width: 0;
}
.lesson-choice small {
  margin-inline-start: 0.5em;
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--muted);
}
.lesson-choice .lesson-number {
  flex: none;
  font-weight: 650;
}
.lesson-why {
  display: block;
  margin-top: calc(3 * var(--u));
}
.lesson-choice:hover:not(:disabled) {
  border-color: var(--kind);
}
.lesson-choice:disabled {
  color: var(--ink);
}
.lesson-choice.holds {
  border-color: var(--kind);
  box-shadow: inset 0 0 0 1px var(--kind);
  background: color-mix(in oklab, var(--kind) 8%, var(--panel));
}
.lesson-choice.holds > b {
  border-color: var(--kind-text);
  background: var(--kind-text);
  color: var(--panel);
}
.lesson-choice.wrong {
  border-color: var(--positive);
  background: color-mix(in oklab, var(--positive) 7%, var(--panel));
}
.lesson-choice.wrong > b {
  border-color: var(--positive);
  background: var(--positive);
  color: var(--panel);
}
.lesson-choice.wrong small {
  color: var(--positive);
}
.lesson-choice.other {
  color: var(--muted);
}
.lesson-verdict {
  font-weight: 600;
}
.lesson-words[hidden],
.lesson-code[hidden],
.lesson-lines[hidden] {
  display: none !important;
}
.lesson-code {
  flex: 1;
  min-height: 0;
  overflow-y: auto;
  overscroll-behavior: contain;
  padding: calc(10 * var(--u)) calc(14 * var(--u));
}
.lesson .lesson-code ol {
  margin: 0 0 calc(8 * var(--u));
  padding: 0;
  list-style: none;
}
.lesson .lesson-code li {
  margin: 0;
}
.lesson .lesson-given {
  padding-inline: calc(6 * var(--u));
  font-size: max(calc(14 * var(--u)), var(--least));
}
.lesson-line {
  display: flex;
  width: 100%;
  min-height: calc(34 * var(--u));
  align-items: baseline;
  gap: calc(8 * var(--u));
  padding: calc(5 * var(--u)) calc(6 * var(--u));
  border: 0;
  border-radius: 8px;
  background: none;
  text-align: start;
}
.lesson-line:hover:not(:disabled) {
  background: var(--soft);
}
.lesson-line[aria-pressed=true] {
  background: color-mix(in oklab, var(--kind) 14%, var(--panel));
  box-shadow: inset calc(3 * var(--u)) 0 0 var(--kind);
}
.lesson-line > b {
  flex: none;
  min-width: 1.1em;
  font-weight: 400;
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--muted);
  text-align: end;
}
.lesson-line > code {
  background: none !important;
  padding: 0 !important;
  font-size: max(calc(13 * var(--u)), var(--least)) !important;
  letter-spacing: -0.02em;
  color: var(--ink);
  overflow-wrap: anywhere;
}
.lesson-line:disabled {
  cursor: default;
}
.lesson-result {
  display: flex;
  flex-direction: column;
  gap: calc(2 * var(--u));
  padding: calc(4 * var(--u)) calc(6 * var(--u)) calc(8 * var(--u)) calc(30 * var(--u));
  font-size: max(calc(14 * var(--u)), var(--least));
  line-height: 1.35;
}
.lesson-shape,
.lesson-result-numbers {
  font-family: var(--mono);
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--kind-text);
}
.lesson-shape {
  color: var(--muted);
}
.lesson-foot {
  display: flex;
  flex: none;
  align-items: center;
  justify-content: space-between;
  gap: calc(8 * var(--u));
  padding: calc(10 * var(--u)) calc(20 * var(--u)) calc(14 * var(--u));
  border-top: 1px solid var(--line);
}
.lesson-foot .button {
  min-height: 44px;
  padding-inline: calc(16 * var(--u));
}
.lesson-foot .quiet {
  margin-inline-start: auto;
  min-width: 44px;
  min-height: 44px;
  font-size: calc(18 * var(--u)) !important;
  line-height: 1;
  color: var(--muted);
}
.lesson-foot .lesson-lines {
  padding-inline: calc(8 * var(--u));
  font-size: max(calc(14 * var(--u)), var(--least)) !important;
}
.lesson-foot .lesson-lines[aria-pressed=true] {
  border-radius: 8px;
  background: var(--soft);
  color: var(--ink);
}
.lesson .lesson-code .lesson-before {
  padding-inline: calc(6 * var(--u));
}
@media (min-width: 901px) and (max-height: 900px) {
  .lesson-words {
    padding-block: calc(2 * var(--u));
  }
  .lesson-title {
    margin-bottom: calc(6 * var(--u));
  }
  .lesson p {
    margin-bottom: calc(7 * var(--u));
  }
  .lesson:has(.lesson-choice:disabled) .lesson-text {
    display: none;
  }
  .lesson-question {
    margin-top: calc(6 * var(--u));
  }
  .lesson:has(.lesson-choice.holds) .lesson-verdict {
    position: absolute;
    clip-path: inset(50%);
    width: 1px;
    height: 1px;
    overflow: hidden;
  }
  .lesson-choice {
    padding-block: calc(6 * var(--u));
  }
  .lesson .lesson-choices li {
    margin-bottom: calc(5 * var(--u));
  }
  .lesson-choice.other {
    min-height: 0;
    padding-block: calc(3 * var(--u));
  }
  .lesson-words {
    line-height: 1.42;
  }
  .lesson.crowded:has(.lesson-choice.wrong) li:has(> .other) {
    display: none;
  }
}
@media (max-width: 900px) {
  .lesson {
    height: var(--lesson-tall, auto);
    max-height: 46dvh;
    font-size: calc(14.5 * var(--u));
  }
  .lesson-foot {
    padding-bottom: calc(9 * var(--u) + env(safe-area-inset-bottom)) !important;
  }
  .lesson-head button {
    width: 44px;
    height: 44px;
  }
  .lesson-head .lesson-fold {
    display: block;
  }
  .lesson-head {
    padding-top: calc(8 * var(--u));
  }
  .lesson .lesson-dots {
    margin-top: 0;
  }
  .lesson-words {
    padding-block: 0 calc(8 * var(--u));
  }
  .lesson-title {
    font-size: calc(17 * var(--u));
    margin-bottom: calc(6 * var(--u));
  }
  .lesson-foot {
    padding-block: calc(7 * var(--u)) calc(9 * var(--u));
  }
  .lesson[data-folded] {
    height: auto;
  }
  .lesson[data-folded] .lesson-words,
  .lesson[data-folded] .lesson-code {
    display: none;
  }
  .lesson-line {
    min-height: 44px;
    align-items: center;
  }
  .lesson:not([data-folded]):has(.lesson-ask) .lesson-words:not([hidden]) {
    display: flex;
    flex-direction: column;
  }
  .lesson:has(.lesson-ask) .lesson-question {
    order: -1;
    margin-top: 0;
  }
}`,
  "learn/scene.css": `.scene:not([data-slide-card]) {
  min-height: calc(380 * var(--u));
}
.scene-picture {
  display: block;
  width: 100%;
  overflow: visible;
}
.scene-word {
  font-family: var(--mono);
}
.scene-number {
  font-family: var(--st-font, "Source Sans", sans-serif);
}
.scene-cover {
  fill: color-mix(in oklab, var(--kind) 10%, var(--panel));
  stroke-width: 2;
}
.scene-wrong {
  fill: none;
  stroke-width: 2;
  stroke-dasharray: 5 4;
}
.scene-chip {
  position: absolute;
  top: 50%;
  left: 50%;
  transform: translate(-50%, -50%);
  padding: calc(3 * var(--u)) calc(14 * var(--u));
  background: var(--panel);
  border-radius: 999px;
  font-size: max(calc(13 * var(--u)), var(--least));
  font-weight: 650;
  color: var(--kind-text);
  white-space: nowrap;
}
.scene-whole {
  flex: 1;
  display: flex;
  flex-direction: column;
  justify-content: space-evenly;
  min-height: calc(170 * var(--u));
  border: 2px solid var(--kind);
  border-radius: 12px;
  background:
    repeating-linear-gradient(
      -52deg,
      color-mix(in oklab, var(--kind) 9%, var(--panel)) 0 10px,
      color-mix(in oklab, var(--kind) 16%, var(--panel)) 10px 12px);
}
.scene-known {
  margin: 0;
}
.scene-whole .scene-picture {
  display: none;
}
.scene-whole .scene-chip {
  position: static;
  align-self: center;
  transform: none;
}
.scene-whole .scene-known {
  display: grid;
  grid-template-columns: auto 1fr;
  gap: calc(6 * var(--u)) calc(14 * var(--u));
  margin: calc(12 * var(--u));
  padding: calc(10 * var(--u)) calc(14 * var(--u));
  border-radius: 8px;
  background: var(--panel);
}
.scene-known dt {
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--muted);
}
.scene-known dd {
  margin: 0;
  font-family: var(--mono);
  font-size: max(calc(14 * var(--u)), var(--least));
  overflow-wrap: anywhere;
}
.scene-whole .scene-known:empty {
  display: none;
}
@media (max-width: 590px) {
  .scene-whole .scene-known {
    grid-template-columns: 1fr;
    gap: 2px;
  }
}`,
  "learn/tour.css": `.tour {
  position: fixed;
  z-index: 40;
  inset-block-end: calc(18 * var(--u));
  inset-inline-end: calc(22 * var(--u));
  display: flex;
  align-items: center;
  flex-wrap: wrap;
  gap: calc(8 * var(--u));
  max-width: calc(100vw - 44px);
  padding: calc(10 * var(--u)) calc(12 * var(--u)) calc(10 * var(--u)) calc(16 * var(--u));
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 12px;
}
.tour p {
  margin: 0 calc(6 * var(--u)) 0 0;
}
@media (max-width: 640px) {
  .tour {
    inset: 8px 12px auto 52px;
    max-width: none;
  }
  .tour p {
    flex: 1 1 100%;
  }
}`,
  "learn/two_trainings.css": `.twins-wrap {
  container-type: inline-size;
}
.twins {
  display: grid;
  grid-template-columns: minmax(0, 1.5fr) minmax(0, 1fr) minmax(0, 1.5fr);
  margin-top: calc(10 * var(--u));
  border-top: 1px solid var(--line);
}
.twin {
  padding: calc(14 * var(--u)) calc(18 * var(--u));
  min-width: 0;
}
.twin:first-child {
  padding-left: 0;
}
.twin:last-child {
  padding-right: 0;
}
.twin + .twin {
  border-left: 1px solid var(--line);
}
.twin-title {
  margin: 0;
  font-size: calc(17 * var(--u));
  font-weight: 650;
}
.twin-title::before {
  content: "";
  display: inline-block;
  width: 1.3em;
  margin-right: 0.5em;
  border-top: 3px solid var(--tint);
  vertical-align: 0.28em;
}
.twin-middle .twin-title::before {
  display: none;
}
.twin-middle {
  text-align: center;
}
.twin-note,
.twin-axis {
  margin: calc(2 * var(--u)) 0 calc(10 * var(--u));
  font-size: calc(14 * var(--u));
  color: var(--muted);
}
.twin-axis {
  margin: calc(8 * var(--u)) 0 0;
  font-size: max(calc(13 * var(--u)), var(--least));
}
.twin-maps {
  display: grid;
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  gap: calc(14 * var(--u));
}
.twin-maps h4 {
  margin: 0 0 calc(4 * var(--u));
  font-size: calc(14 * var(--u));
  font-weight: 650;
}
.twin-moments {
  display: flex;
  flex-wrap: wrap;
  gap: calc(8 * var(--u));
  margin-top: calc(12 * var(--u));
}
.twin-middle .twin-moments {
  justify-content: center;
}
.twin-moments button {
  min-height: 44px;
  min-width: 44px;
  padding: 0 calc(10 * var(--u));
  background: none;
  border: 1px solid var(--line);
  border-radius: 8px;
  font-size: calc(14 * var(--u));
  font-variant-numeric: tabular-nums;
  color: var(--ink);
}
.twin-moments button[aria-pressed=true] {
  border-color: var(--ink);
  box-shadow: inset 0 0 0 1px var(--ink);
}
.twin-letters {
  display: flex;
  flex-wrap: wrap;
  gap: calc(6 * var(--u));
  margin: calc(6 * var(--u)) 0;
}
.twin-middle .twin-letters {
  justify-content: center;
}
.twin-letters span {
  display: grid;
  place-items: center;
  min-width: calc(36 * var(--u));
  height: calc(40 * var(--u));
  padding: 0 calc(6 * var(--u));
  border: 1px solid var(--line);
  border-radius: 8px;
  font-family: var(--mono);
  font-size: calc(18 * var(--u));
  font-weight: 600;
  background: var(--soft);
}
.twin-letters .missing {
  border-style: dashed;
  background: none;
}
.twin-letters .end {
  background: none;
  font-weight: 400;
  font-size: calc(15 * var(--u));
}
.twin-letters .early {
  border-color: var(--negative-text, var(--causal));
}
.twin-result {
  margin: 0;
  font-size: calc(16 * var(--u));
  font-weight: 600;
}
.twin-losses {
  min-width: 0;
}
.twins-wrap:has(.twins-slide) {
  max-width: 900px;
  margin-inline: auto;
}
@container (max-width: 900px) {
  .twins {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  }
  .twin {
    padding-block: calc(8 * var(--u));
  }
  .twin:last-child {
    border-left: 1px solid var(--line);
  }
  .twin-note,
  .twin-middle .twin-note {
    margin-bottom: calc(4 * var(--u));
  }
  .twin-letters {
    gap: calc(3 * var(--u));
  }
  .twin-letters span {
    min-width: calc(24 * var(--u));
    height: calc(28 * var(--u));
    padding-inline: calc(4 * var(--u));
    font-size: calc(15 * var(--u));
  }
  .twin-letters .end {
    font-size: calc(13 * var(--u));
  }
  .twin + .twin-middle {
    grid-column: 1 / -1;
    grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr);
    display: grid;
    order: 3;
    column-gap: calc(18 * var(--u));
    padding-inline: 0;
    border-left: 0;
    border-top: 1px solid var(--line);
    text-align: start;
  }
  .twin-middle > * {
    grid-column: 2;
  }
  .twin-middle > .twin-losses {
    grid-column: 1;
    grid-row: 1 / span 6;
  }
  .twin-middle > .twin-note {
    display: none;
  }
  .twins-slide .twin-note,
  .twins-slide .twin-middle .twin-letters,
  .twins-slide .twin-moments + .twin-axis {
    display: none;
  }
  .twins-slide .twins {
    margin-top: 0;
  }
  .twins-slide .twin {
    padding-block: calc(3 * var(--u));
  }
  .twins-slide .twin-maps {
    grid-template-columns: minmax(0, 1fr);
  }
  .twins-slide .twin-cross {
    display: none;
  }
  .twins-slide .twin-result {
    font-size: calc(14 * var(--u));
    letter-spacing: -0.01em;
  }
  .twins-slide .twin-maps h4 {
    margin: 0;
  }
  .twins-slide .twin-letters {
    margin: calc(2 * var(--u)) 0;
  }
  .twin-middle .twin-axis,
  .twin-middle .twin-moments {
    margin-top: calc(3 * var(--u));
  }
  .twin-middle .twin-moments,
  .twin-middle .twin-letters {
    justify-content: start;
    gap: calc(4 * var(--u));
  }
}
@media (max-height: 800px) {
  .card:has(.twins-slide) > .readout {
    display: none;
  }
}
@container (max-width: 560px) {
  .twins {
    grid-template-columns: minmax(0, 1fr);
  }
  .twin,
  .twin:first-child,
  .twin:last-child {
    padding-inline: 0;
  }
  .twin + .twin-middle {
    display: block;
    order: 0;
  }
  .twin + .twin,
  .twin:last-child {
    border-left: 0;
    border-top: 1px solid var(--line);
  }
}
@media (min-width: 901px) and (max-height: 800px) {
  .twins {
    margin-top: 0;
  }
  .twin {
    padding-top: calc(6 * var(--u));
    padding-inline: calc(12 * var(--u));
  }
  .twin-note {
    margin-bottom: calc(4 * var(--u));
  }
  .twin-maps {
    gap: calc(6 * var(--u));
  }
  .twin-maps h4 {
    letter-spacing: -0.015em;
    white-space: nowrap;
  }
}`,
  "shared/chart.css": `.menu-place {
  display: block;
  text-align: right;
}`,
  "shared/compare.css": `.compare-grid {
  display: grid;
  gap: calc(14 * var(--u)) calc(22 * var(--u));
}
.compare-pane {
  min-width: 0;
}
.compare-title {
  margin: 0 0 calc(2 * var(--u));
  padding: 0;
  font-size: calc(13.5 * var(--u));
  font-weight: 600;
}
.compare-legend {
  margin-top: calc(6 * var(--u));
}
.compare-foot {
  margin-left: auto;
}
.compare.moved .compare-pane:nth-child(3) canvas.picture {
  opacity: 0.55;
}`,
  "shared/head.css": `.detail-views {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: calc(6 * var(--u)) calc(24 * var(--u));
}
.detail-views .readout {
  margin-top: 0;
}
.detail-views.wide {
  grid-template-columns: 44fr 56fr;
}
.detail-views.wide .readout {
  grid-column: 1 / -1;
  grid-row: 2;
}
.detail.waiting .detail-views {
  opacity: 0.45;
}
.detail-place {
  position: relative;
  min-width: 0;
}
.detail-lines,
.detail-heat {
  border-radius: 8px;
}
.detail-band {
  position: absolute;
  border: 1px solid var(--ink);
  border-radius: 3px;
  background: color-mix(in srgb, var(--kind) 18%, transparent);
  pointer-events: none;
}
.detail-foot {
  display: inline-flex;
  flex-wrap: wrap;
  gap: calc(4 * var(--u)) calc(14 * var(--u));
  margin-left: auto;
}
.swatches {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: calc(4 * var(--u));
  margin-bottom: calc(8 * var(--u));
}
.swatch {
  display: inline-flex;
  align-items: center;
  gap: calc(6 * var(--u));
  padding: calc(2 * var(--u)) calc(9 * var(--u));
  background: none;
  border: 1px solid var(--line);
  border-radius: 99px;
  font-size: calc(13 * var(--u)) !important;
}
.swatch[aria-pressed=false] {
  color: var(--muted) !important;
  text-decoration: line-through;
}
.swatch[aria-pressed=false] .swatch-dot {
  opacity: 0.25;
}
.swatch-dot {
  width: calc(10 * var(--u));
  height: calc(10 * var(--u));
  border-radius: 3px;
}
.swatch-hint {
  font-size: max(calc(12 * var(--u)), var(--least));
  color: var(--muted);
  margin-left: calc(4 * var(--u));
}
.detail-views:not(.wide)[data-shows=map] .detail-place:first-child {
  display: none;
}
.detail-views:not(.wide)[data-shows=lines] .detail-place:last-child {
  display: none;
}
.detail-views:not(.wide) .readout {
  order: 4;
}
.foot[data-shows=map] .of-lines {
  display: none;
}
.card:has(.detail-views.wide) .of-lines {
  display: inline-flex;
}
.card:has(.detail-views.wide) .detail-shows {
  display: none;
}
.detail-shows {
  display: inline-flex;
  border: 1px solid var(--line);
  border-radius: 99px;
  overflow: hidden;
}
.detail-shows button {
  min-height: calc(26 * var(--u));
  padding: 0 calc(10 * var(--u));
  border: 0;
  background: none;
  color: var(--muted);
  font-size: calc(13 * var(--u)) !important;
}
.detail-shows button[aria-pressed=true] {
  background: var(--soft);
  color: var(--ink);
  font-weight: 600;
}
.detail-shows button:focus-visible {
  outline: 2px solid var(--encoder);
  outline-offset: -2px;
  border-radius: 99px;
}
.card.bare:not([data-slide-card]) {
  border: 0;
  padding: 0;
  background: none;
}`,
  "shared/joint.css": `.joint .card-controls {
  position: relative;
}
@media (min-width: 1100px) {
  [data-hall] .joint .card-head {
    flex-wrap: nowrap;
  }
  [data-hall] .joint .card-words {
    flex-basis: 0;
    min-width: calc(190 * var(--u));
  }
  [data-hall] .joint .play-scrub {
    width: calc(84 * var(--u));
  }
}
@media (max-height: 800px) {
  [data-hall] .joint .card-subtitle {
    display: none;
  }
}`,
  "shared/tiles.css": `.tiles .card-body {
  margin-top: calc(10 * var(--u));
}
.tiles-choice {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: calc(6 * var(--u)) calc(12 * var(--u));
  margin-bottom: calc(12 * var(--u));
  font-size: calc(15 * var(--u));
}
.tiles-choice-name {
  color: var(--muted);
}
.tiles-options {
  display: inline-flex;
  border: 1px solid var(--line);
  border-radius: 8px;
  overflow: hidden;
}
.tiles-options button {
  min-height: calc(34 * var(--u));
  padding: 0 calc(14 * var(--u));
  border: 0;
  border-left: 1px solid var(--line);
  background: var(--panel);
  color: var(--ink);
}
.tiles-options button:first-child {
  border-left: 0;
}
.tiles-options button:hover {
  background: var(--soft);
}
.tiles-options button[aria-checked=true] {
  background: var(--ink);
  color: var(--panel);
  font-weight: 650;
}
.tiles-options button[aria-disabled=true] {
  color: var(--muted);
  background: var(--soft);
  cursor: not-allowed;
}
.tiles-options button:focus-visible {
  outline-offset: -3px;
}
.tiles-groups {
  display: flex;
  flex-wrap: wrap;
  gap: calc(14 * var(--u));
}
.tiles-group {
  min-width: min(100%, calc(190 * var(--u)));
}
.tiles-head {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: calc(4 * var(--u)) calc(10 * var(--u));
  min-width: 0;
}
.tiles-name {
  margin: 0;
  font-size: calc(15 * var(--u));
  font-weight: 650;
  color: var(--ink);
}
.tiles-means {
  color: var(--ink);
  font-size: calc(15 * var(--u));
}
.tiles-count {
  margin-left: auto;
  color: var(--muted);
  font-size: calc(13 * var(--u));
}
.tiles-notes {
  margin: calc(12 * var(--u)) 0 0;
  font-size: calc(13 * var(--u));
  color: var(--muted);
}
.tile {
  display: flex;
  flex-direction: column;
  gap: calc(3 * var(--u));
  min-width: 0;
  padding: calc(3 * var(--u));
  background: none;
  border: 0;
  border-radius: 7px;
  text-align: left;
}
.tile:hover {
  background: var(--soft);
}
.tile.is-open {
  background: color-mix(in srgb, var(--kind) 8%, transparent);
  outline: 2px solid var(--ink);
  outline-offset: 1px;
}
.tile:focus-visible {
  outline: 2px solid var(--encoder) !important;
  outline-offset: 2px;
  border-radius: 7px;
}
.tiles-caption {
  display: flex;
  justify-content: space-between;
  gap: calc(4 * var(--u));
  font-size: max(calc(13 * var(--u)), var(--least));
  line-height: 1.3;
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
.tiles-caption b {
  color: var(--kind-text);
  font-weight: 650;
}
.tiles-bar {
  position: relative;
  display: block;
  height: calc(4 * var(--u));
  margin-bottom: calc(3 * var(--u));
  border-radius: 2px;
  background: var(--line);
}
.tiles-bar i {
  position: absolute;
  inset: 0 auto 0 0;
  border-radius: 2px;
  background: var(--kind);
}
.tiles-bar b {
  position: absolute;
  width: calc(2 * var(--u));
  margin-left: calc(-1 * var(--u));
}
.tiles-bar b.threshold {
  top: calc(-3 * var(--u));
  bottom: calc(-3 * var(--u));
  background: var(--ink);
}
.tiles-bar b.chance {
  top: 0;
  bottom: 0;
  background: var(--panel);
}
.tiles-bar s {
  position: absolute;
  top: calc(50% - 1px);
  height: 2px;
  background: var(--ink);
}
.tiles-groups:has(> .tiles-rows) {
  row-gap: calc(6 * var(--u));
}
.tiles-rows {
  display: flex;
  align-items: stretch;
  gap: calc(6 * var(--u));
  width: 100%;
}
.tiles-rows .tiles-head {
  flex: 0 0 auto;
}
.tiles-rows .tiles-name {
  writing-mode: vertical-rl;
  transform: rotate(180deg);
  min-width: calc(26 * var(--u));
  padding: calc(4 * var(--u)) 0;
  background: none;
  border: 0;
  border-radius: 6px;
  font-size: max(calc(13 * var(--u)), var(--least));
  font-weight: 400;
  color: var(--muted);
  text-align: center;
}
.tiles-rows button.tiles-name:hover {
  background: var(--soft);
  color: var(--ink);
}
.tiles-rows .tiles-line {
  flex: 1;
  min-width: 0;
  display: grid;
  grid-template-columns: repeat(min(var(--count), 8), minmax(0, 1fr));
  gap: calc(2 * var(--u));
}
.tiles-rows .tiles-caption {
  justify-content: center;
}
.is-narrow .tiles-rows .tiles-line {
  grid-template-columns: repeat(4, minmax(0, 1fr));
}
.tiles-groups:has(> .tiles-large) {
  display: grid;
  grid-template-columns: repeat(var(--columns, 8), minmax(0, 1fr));
  gap: calc(14 * var(--u)) 10px;
}
.tiles-groups:has(> .tiles-large) > :not(.tiles-large) {
  grid-column: 1 / -1;
}
.tiles-groups > .tiles-large {
  grid-column: span var(--span, 8);
  display: flex;
  flex-direction: column;
  justify-content: space-between;
  gap: calc(6 * var(--u));
  min-width: 0;
  padding-right: 6px;
}
.tiles-large .tiles-head {
  display: flex;
  flex-wrap: wrap;
  align-items: baseline;
  align-content: start;
  gap: 0 calc(8 * var(--u));
  line-height: 1.3;
  font-size: max(calc(13.5 * var(--u)), var(--least));
}
.tiles-large .tiles-name {
  display: block;
  width: fit-content;
  max-width: 100%;
  margin-bottom: calc(4 * var(--u));
  padding: calc(1 * var(--u)) calc(8 * var(--u));
  border: 1px solid var(--kind);
  border-radius: 999px;
  background: color-mix(in srgb, var(--kind) 10%, transparent);
  color: var(--kind-text);
}
.tiles-large .tiles-means,
.tiles-large .tiles-count {
  font-size: inherit;
}
.tiles-large .tiles-count {
  margin: 0;
}
.tiles-large .tiles-means {
  order: 1;
  width: 100%;
}
.tiles-large .tiles-line {
  display: grid;
  align-items: start;
  grid-template-columns: repeat(var(--span, 8), minmax(0, 1fr));
  gap: calc(4 * var(--u));
}
.is-short > :is(.tiles-small, .tiles-heading),
.is-short + .tiles-notes {
  display: none;
}
.tiles-small {
  display: grid;
  grid-template-columns: calc(110 * var(--u)) minmax(0, 1fr);
  gap: calc(8 * var(--u));
  width: 100%;
  align-items: start;
}
.tiles-small .tiles-name {
  font-size: calc(13 * var(--u));
  font-weight: 400;
  color: var(--kind-text);
  padding-top: calc(4 * var(--u));
}
.tiles-small .tiles-line {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(max(24px, calc(26 * var(--u))), 1fr));
  gap: calc(2 * var(--u));
}
.tiles-small .tile {
  padding: calc(2 * var(--u));
  border-radius: 4px;
}
.is-narrow .tiles-small {
  grid-template-columns: minmax(0, 1fr);
}
@media (hover: none) and (pointer: coarse) {
  .tiles-small .tiles-line {
    grid-template-columns: repeat(auto-fill, minmax(44px, 1fr));
  }
  .tiles-options button {
    min-height: 44px;
  }
}
.tiles-heading {
  width: 100%;
  padding-top: calc(12 * var(--u));
  border-top: 1px solid var(--line);
}
.tiles-heading .tiles-name {
  padding: calc(1 * var(--u)) calc(11 * var(--u));
  border: 1px solid var(--line);
  border-radius: 999px;
  background: var(--soft);
}
.tiles-heading + .tiles-small,
.tiles-small + .tiles-small {
  margin-top: calc(-6 * var(--u));
}
@media (max-height: 800px) {
  [data-hall] .tiles {
    padding-block: calc(8 * var(--u));
  }
  [data-hall] .tiles .card-body {
    margin-top: calc(6 * var(--u));
  }
  [data-hall] .tiles-choice {
    margin-bottom: calc(6 * var(--u));
    gap: calc(2 * var(--u)) calc(8 * var(--u));
  }
  [data-hall] .tiles-options button {
    min-height: calc(27 * var(--u));
    padding: 0 calc(8 * var(--u));
  }
  [data-hall] .tiles-groups:has(> .tiles-large) {
    row-gap: calc(6 * var(--u));
  }
  [data-hall] .tiles-large .tiles-head {
    line-height: 1.2;
  }
  [data-hall] .tiles-large .tiles-means {
    display: none;
  }
  [data-hall] .tiles-large .tiles-name {
    margin-bottom: calc(2 * var(--u));
    padding-block: 0;
  }
  [data-hall] .tiles-groups:has(> .tiles-rows) {
    row-gap: calc(2 * var(--u));
  }
  [data-hall] .tiles-rows .tile {
    gap: 0;
    padding-block: calc(1 * var(--u));
  }
}`,
  "shared/wall.css": `.wall .card-body {
  margin-top: calc(12 * var(--u));
}
.wall-heads {
  position: absolute;
  inset: 0;
}
.wall-head {
  position: absolute;
  padding: 0;
  background: none;
  border: 0;
  border-radius: 6px;
}
.wall-head:hover {
  outline: 1px solid var(--muted);
  outline-offset: 3px;
}
.wall-head:focus-visible {
  outline: 2px solid var(--encoder) !important;
  outline-offset: 3px !important;
}
.wall-layer {
  position: absolute;
  padding: 0;
  background: none;
  border: 0;
  border-radius: 6px;
}
.wall-layer:hover {
  background: color-mix(in srgb, var(--muted) 16%, transparent);
}
.wall-layer:focus-visible {
  outline: 2px solid var(--encoder) !important;
}
.wall-preview {
  max-width: none;
  padding: calc(10 * var(--u)) calc(12 * var(--u));
}
.wall-preview p {
  margin: 0;
}
.wall-title {
  font-weight: 650;
  margin-bottom: calc(4 * var(--u)) !important;
}
.wall-most {
  color: var(--muted);
  font-family: var(--mono);
  font-size: max(calc(12 * var(--u)), var(--least));
  margin-top: calc(6 * var(--u)) !important;
}
.wall-most .say-strong {
  color: var(--ink);
}
.wall-scores {
  display: grid;
  grid-template-columns: auto auto;
  gap: 0 calc(14 * var(--u));
  margin: calc(4 * var(--u)) 0 0;
  font-size: max(calc(12 * var(--u)), var(--least));
  color: var(--muted);
}
.wall-scores dd {
  margin: 0;
  text-align: right;
  color: var(--ink);
  font-variant-numeric: tabular-nums;
}
.wall-none {
  color: var(--muted);
  margin: 0;
}
.wall-foot {
  display: inline-flex;
  flex-wrap: wrap;
  gap: calc(4 * var(--u)) calc(14 * var(--u));
  margin-left: auto;
}
.wall .card-controls {
  position: relative;
}
.wall-about p {
  margin: calc(4 * var(--u)) 0 0;
  font-size: calc(13 * var(--u));
  color: var(--muted);
}
.wall-lines {
  display: grid;
  grid-template-columns: auto 1fr;
  gap: calc(3 * var(--u)) calc(12 * var(--u));
  margin: calc(8 * var(--u)) 0 0;
  padding: calc(8 * var(--u)) calc(12 * var(--u));
  border: 1px solid var(--line);
  border-radius: 8px;
  font-size: calc(13 * var(--u));
}
.wall-lines dt {
  color: var(--muted);
}
.wall-lines dd {
  margin: 0;
  overflow-wrap: anywhere;
}
.wall-about .quiet {
  min-height: calc(24 * var(--u));
  margin-block: calc(-3 * var(--u));
}
.wall-marks {
  display: inline-flex;
  flex-wrap: wrap;
  align-items: center;
  gap: calc(4 * var(--u)) calc(16 * var(--u));
  margin-left: calc(18 * var(--u));
  color: var(--muted);
  font-size: max(calc(12.5 * var(--u)), var(--least));
}
.wall-mark {
  display: inline-flex;
  align-items: center;
  gap: calc(6 * var(--u));
}
.wall-mark i {
  width: calc(15 * var(--u));
  height: calc(13 * var(--u));
  border: 2px solid var(--kind-text);
  border-radius: 4px;
}
.wall-mark .open {
  border-color: var(--ink);
}
.wall-mark .cell {
  width: calc(9 * var(--u));
  height: calc(11 * var(--u));
  border: 1.4px solid var(--ink);
  border-radius: 2px;
}`,
  "translate/next_word.css": `.bars-place {
  container-type: inline-size;
  --bar-words: 26%;
}
@container (max-width: 22em) {
  .bars,
  .rest {
    --bar-words: 37%;
  }
}
.bars {
  display: flex;
  flex-direction: column;
  margin: 0;
  padding: 0;
  list-style: none;
}
.bar-row {
  position: relative;
}
.bar {
  display: grid;
  grid-template-columns: minmax(calc(52 * var(--u)), var(--bar-words)) 1fr;
  gap: calc(10 * var(--u));
  align-items: center;
  width: 100%;
  padding: calc(2.5 * var(--u)) calc(4 * var(--u)) !important;
  border: 0;
  border-radius: 7px;
  background: none;
  text-align: left;
}
.bar:hover {
  background: var(--soft);
}
.bar-word {
  font-family: var(--mono);
  font-size: calc(15 * var(--u));
  text-align: right;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: pre;
}
.bar-word.long {
  font-size: max(calc(12.5 * var(--u)), var(--least));
}
.bar-track {
  display: flex;
  align-items: center;
  gap: calc(8 * var(--u));
  min-width: 0;
}
.bar-fill {
  flex: 0 0 auto;
  height: calc(15 * var(--u));
  min-width: 2px;
  border-radius: 4px;
  background: var(--bar);
  transition: width 160ms ease-out;
}
.bar-number {
  font-size: calc(13 * var(--u));
  font-variant-numeric: tabular-nums;
  color: var(--muted);
  white-space: nowrap;
}
.bar.chosen .bar-fill {
  background: var(--kind);
}
.bar.chosen .bar-word {
  font-weight: 650;
}
.bar.chosen .bar-number {
  color: var(--ink);
}
.bar-tag {
  margin-left: calc(6 * var(--u));
  color: var(--causal-text);
  font-weight: 600;
}
.bar.barred {
  cursor: default;
}
.bar.barred .bar-word,
.bar.barred .bar-tag {
  color: var(--muted);
  font-weight: 400;
}
.bar:hover:not(.chosen, .barred) .bar-number::after {
  content: "  force this";
  color: var(--causal-text);
}
.cut {
  position: relative;
  height: 0;
  margin: calc(1 * var(--u)) 0;
  border-top: 1.5px dashed var(--causal);
}
.cut span {
  position: absolute;
  right: 0;
  bottom: 1px;
  font-size: max(calc(12 * var(--u)), var(--least));
  color: var(--causal-text);
  background: linear-gradient(transparent 20%, var(--panel) 20%);
  padding-left: calc(6 * var(--u));
}
.rest {
  margin: calc(6 * var(--u)) 0 0;
  font-size: calc(13 * var(--u));
  color: var(--muted);
  padding-left: calc(4 * var(--u) + var(--bar-words) + 8 * var(--u));
}`,
  "translate/stage.css": `.lines {
  position: relative;
  --left: 0px;
  --right: 0px;
}
.lines.more-left {
  --left: calc(36 * var(--u));
}
.lines.more-right {
  --right: calc(36 * var(--u));
}
.lines.more-left,
.lines.more-right {
  mask-image:
    linear-gradient(
      90deg,
      transparent,
      #000 var(--left),
      #000 calc(100% - var(--right)),
      transparent);
}
.lines-inner {
  position: relative;
}
.lines-canvas {
  position: sticky;
  left: 0;
  display: block;
  pointer-events: none;
}
.lines-words {
  position: absolute;
  inset: 0;
}
.lines-row {
  position: absolute;
  left: 0;
  right: 0;
}
.token {
  position: absolute;
  transform: translateX(-50%);
  min-width: calc(24 * var(--u));
  padding: calc(3 * var(--u)) calc(6 * var(--u));
  border: 1px solid transparent;
  border-radius: 7px;
  background: none;
  font-family: var(--mono) !important;
  font-size: calc(15 * var(--u)) !important;
  line-height: 1.3;
  white-space: pre;
  color: var(--ink);
}
.token bdi {
  unicode-bidi: isolate;
}
.token.special {
  color: var(--muted);
}
.token.on {
  background: var(--soft);
}
.token.current {
  background: var(--kind-text);
  color: var(--kind-ink);
  border-color: var(--kind-text);
}
.token.pinned {
  border-color: var(--kind-text);
  box-shadow: inset 0 0 0 0.5px var(--kind-text);
}
.token.forced::before {
  content: attr(data-forced);
  position: absolute;
  left: 50%;
  top: 100%;
  transform: translateX(-50%);
  font: 600 max(calc(11 * var(--u)), var(--least)) var(--st-font, sans-serif);
  color: var(--causal-text);
}
.token.waiting bdi {
  visibility: hidden;
}
.token.waiting::after {
  content: "";
  position: absolute;
  left: 50%;
  top: 50%;
  width: 6px;
  height: 6px;
  margin: -3px;
  border-radius: 50%;
  background: var(--line);
}
.token.waiting:hover::after {
  background: var(--muted);
}
.share {
  position: absolute;
  transform: translateX(-50%);
  font-size: max(calc(12.5 * var(--u)), var(--least));
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
  color: var(--kind-text);
}
.heat {
  position: relative;
}
.heat canvas {
  border-radius: 8px;
}
.heat canvas:focus-visible {
  outline-offset: -2px;
}
.heat-legend {
  margin-top: calc(8 * var(--u));
}
.stage-result {
  margin-bottom: calc(10 * var(--u));
  padding-bottom: calc(10 * var(--u));
  border-bottom: 1px solid var(--line);
}
.stage-line {
  display: flex;
  gap: calc(12 * var(--u));
  align-items: flex-start;
  justify-content: space-between;
}
.stage-text {
  margin: 0;
  min-width: 0;
  font-size: calc(18 * var(--u));
  line-height: 1.45;
  overflow-wrap: anywhere;
  user-select: text;
  cursor: text;
}
.stage-line .button {
  flex: none;
}
.stage-later {
  color: var(--muted);
}
.stage-remarks p {
  margin: calc(4 * var(--u)) 0 0;
  font-size: max(calc(13 * var(--u)), var(--least));
  color: var(--muted);
  overflow-wrap: anywhere;
}
[data-hall] .stage > .card:first-child .card-head {
  flex-direction: column;
  gap: calc(6 * var(--u));
}
[data-hall] .stage > .card:first-child .card-head > * {
  flex: none;
}
[data-hall] .stage > .card:first-child {
  display: flex;
  flex-direction: column;
}
[data-hall] .stage-result {
  display: contents;
}
[data-hall] .stage-line {
  padding-bottom: calc(6 * var(--u));
  margin-bottom: calc(8 * var(--u));
  border-bottom: 1px solid var(--line);
}
[data-hall] .stage-text {
  line-height: 1.3;
}
[data-hall] .stage-text.long {
  font-size: calc(14 * var(--u));
  max-height: calc(4 * 1.3em);
  overflow-y: auto;
  scrollbar-width: thin;
  scrollbar-color: var(--line) transparent;
}
[data-hall] .stage-remarks {
  order: 1;
}
.upright .token {
  transform: translate(0, -50%);
}
.upright .lines-row:nth-child(2) .token {
  transform: translate(-100%, -50%);
}
.upright .token {
  padding-block: 0;
  line-height: 1.18;
  border-block-width: 0;
}
.upright .token.forced::before {
  left: 100%;
  top: 0;
  transform: none;
  margin-left: calc(4 * var(--u));
}
.stage-dock:empty {
  display: none;
}
.stage {
  display: grid;
  gap: calc(16 * var(--u));
  grid-template-columns: minmax(0, 0.62fr) minmax(0, 1fr);
  container-type: inline-size;
}
.stage > .card:first-child {
  grid-column: 1 / -1;
}
.stage-wrap {
  container-type: inline-size;
}
@container (max-width: 800px) {
  .stage .play-scrub {
    width: calc(70 * var(--u));
  }
}
[data-hall] .stage {
  grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr);
  grid-template-rows: auto 1fr;
}
[data-hall] .stage > .card:first-child {
  grid-column: 1;
}
[data-hall] .stage > .card:nth-child(3) {
  grid-column: 2;
  grid-row: 1 / span 2;
}
[data-hall] .stage > .card:nth-child(3):not([data-slide-card]) {
  align-self: start;
}
[data-hall] .stage-hint {
  display: none;
}
[data-hall] .stage .play-scrub {
  width: calc(80 * var(--u));
}
@media (max-width: 1500px) {
  [data-hall] .stage .play-scrub {
    width: calc(48 * var(--u));
  }
}
@container (max-width: 640px) {
  .stage {
    grid-template-columns: minmax(0, 1fr);
  }
}
.stage .play [aria-pressed] {
  min-width: calc(76 * var(--u));
  justify-content: center;
}
.pick {
  color: var(--ink);
}
.stage .card-controls:empty {
  display: none;
}
.stage-bar {
  display: flex;
  justify-content: space-between;
  align-items: center;
  gap: calc(4 * var(--u)) calc(16 * var(--u));
  flex-wrap: wrap;
  margin: calc(-4 * var(--u)) 0 calc(10 * var(--u));
  font-size: calc(13 * var(--u));
  color: var(--muted);
}
.stage-tools {
  display: inline-flex;
  align-items: center;
  gap: calc(10 * var(--u));
  margin-left: auto;
}
.stage-why {
  margin: calc(2 * var(--u)) 0 0;
  font-size: calc(13 * var(--u));
  color: var(--muted);
}
.stage-why:empty {
  display: none;
}
@container (max-width: 640px) {
  .stage > .card:first-child {
    display: flex;
    flex-direction: column;
    padding-top: calc(10 * var(--u));
  }
  .stage-result {
    display: contents;
  }
  .stage-line {
    padding-bottom: calc(6 * var(--u));
  }
  .stage-line .button {
    display: none;
  }
  .stage-text {
    min-height: calc(1.45 * 18 * var(--u));
  }
  .stage > .card:first-child .card-title {
    min-height: 1.35em;
  }
  .stage > .card:first-child .card-controls {
    display: none;
  }
  .stage > .card:first-child .card-body {
    display: flex;
    flex-direction: column;
  }
  .stage-bar {
    order: 2;
    margin-top: calc(8 * var(--u));
  }
  .stage-hint,
  .stage .stage-tools {
    display: none;
  }
  .stage-remarks {
    order: 1;
  }
}
@media (max-width: 640px) {
  .stage-dock {
    position: fixed;
    z-index: 30;
    left: 0;
    right: 0;
    bottom: 0;
    padding: 8px 12px calc(8px + env(safe-area-inset-bottom));
    background: var(--panel);
    border-top: 1px solid var(--line);
  }
  .stage-dock.typing {
    display: none;
  }
  .stage-dock .play {
    flex-wrap: nowrap;
    gap: 8px;
  }
  .stage-dock .button {
    min-height: 44px;
    min-width: 44px;
    flex: 1 1 0;
    justify-content: center;
  }
  .stage-dock .button.primary {
    flex: 2 1 0;
  }
  .stage-dock [aria-pressed] {
    flex: 2 1 0;
  }
  .stage-dock .play > :nth-child(4),
  .stage-dock .play > .keys,
  .stage-dock .play > :nth-child(7),
  .stage-dock .play > :nth-child(n+8) {
    display: none;
  }
  .stage-dock .play-count {
    order: -1;
    min-width: 0;
  }
  .stage-wrap {
    padding-bottom: 72px;
  }
  .upright .token {
    min-height: 27px;
  }
  .bar {
    min-height: 44px;
  }
  .pick {
    min-height: 44px;
  }
}
.card[data-slide-card] .stage-bar {
  margin-bottom: calc(3 * var(--u));
}
.card[data-slide-card] .stage-line {
  margin-bottom: calc(4 * var(--u));
}`,
  "translate/tree.css": `.beam {
  position: relative;
  overflow: auto;
  max-height: calc(560 * var(--u));
}
.beam-canvas {
  position: sticky;
  left: 0;
  top: 0;
  display: block;
  pointer-events: none;
}
.beam-nodes {
  position: absolute;
  left: 0;
  top: 0;
}
.beam-step {
  position: absolute;
  top: 0;
  font-size: max(calc(12 * var(--u)), var(--least));
  color: var(--muted);
  white-space: nowrap;
  font-variant-numeric: tabular-nums;
}
.node {
  position: absolute;
  display: flex;
  gap: calc(7 * var(--u));
  align-items: baseline;
  justify-content: space-between;
  height: calc(25 * var(--u));
  padding: 0 calc(7 * var(--u)) !important;
  border: 1px solid var(--line);
  border-radius: 7px;
  background: var(--panel);
  font-family: var(--mono) !important;
  font-size: calc(14 * var(--u)) !important;
  white-space: pre;
}
.node-score {
  font: max(calc(11.5 * var(--u)), var(--least)) var(--st-font, sans-serif);
  font-variant-numeric: tabular-nums;
  color: var(--muted);
}
.node.pruned {
  border-color: transparent;
  background: none;
  color: var(--muted) !important;
  font-size: calc(13 * var(--u)) !important;
}
.node.path {
  border-color: var(--kind);
}
.node.best {
  border-color: var(--kind);
  background: var(--kind);
  color: var(--kind-ink) !important;
}
.node.best .node-score {
  color: inherit;
}
.node.finished::after {
  content: "✓";
  font: 600 max(calc(12 * var(--u)), var(--least)) var(--st-font, sans-serif);
}
.node[aria-pressed=true] {
  outline: 2px solid var(--ink);
  outline-offset: 1px;
}`,
  "what_if/breaking.css": `.breaking-count {
  margin: 0;
  color: var(--muted);
  font-size: calc(15 * var(--u));
  font-variant-numeric: tabular-nums;
}
.breaking-text {
  margin: calc(2 * var(--u)) 0 calc(10 * var(--u));
  font-size: clamp(calc(20 * var(--u)), 2.1vw, calc(30 * var(--u)));
  line-height: 1.4;
  min-height: 1.4em;
  overflow-wrap: anywhere;
}
.breaking-text ins {
  text-decoration: none;
  padding: 0.02em 0.14em;
  border-radius: 4px 4px 0 0;
  background: color-mix(in srgb, var(--positive) 12%, transparent);
  border-bottom: 2px dashed var(--positive);
}
.breaking-line {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: calc(8 * var(--u)) calc(14 * var(--u));
  margin-bottom: calc(8 * var(--u));
}
.breaking-line .button {
  min-height: calc(36 * var(--u));
  min-width: calc(76 * var(--u));
}
.breaking-slider {
  flex: 1 1 calc(200 * var(--u));
  min-width: 0;
  height: calc(36 * var(--u));
  accent-color: var(--ink);
}
@media (hover: none) and (pointer: coarse) {
  .breaking-line .button,
  .breaking-slider {
    min-height: 44px;
  }
}
.breaking .primary[aria-pressed=true] {
  color: var(--ink);
}`
};
var worn = {
  "architecture": [
    "web/base/dom.css",
    "app/architecture.css"
  ],
  "slide": [
    "web/base/dom.css",
    "app/slide.css"
  ],
  "alignment": [
    "web/base/dom.css",
    "web/base/export.css",
    "heads/alignment.css"
  ],
  "atlas": [
    "web/base/dom.css",
    "web/base/export.css",
    "heads/atlas.css"
  ],
  "typical": [
    "web/base/dom.css",
    "web/base/export.css",
    "heads/typical.css"
  ],
  "answer": [
    "web/base/dom.css",
    "web/base/export.css",
    "inside/answer.css"
  ],
  "inside": [
    "web/base/dom.css",
    "web/base/export.css",
    "inside/inside.css"
  ],
  "inside_terms": [
    "web/base/dom.css"
  ],
  "ladder": [
    "web/base/dom.css",
    "web/base/export.css",
    "inside/ladder.css"
  ],
  "lens": [
    "web/base/dom.css",
    "web/base/export.css",
    "inside/lens.css"
  ],
  "anatomy": [
    "web/base/dom.css",
    "web/base/export.css"
  ],
  "dynamics": [
    "web/base/dom.css",
    "web/base/export.css",
    "web/base/playback.css",
    "learn/dynamics.css"
  ],
  "lesson": [
    "web/base/dom.css",
    "learn/lesson.css"
  ],
  "run_token": [
    "web/base/dom.css"
  ],
  "scene": [
    "web/base/dom.css",
    "learn/scene.css"
  ],
  "tour": [
    "web/base/dom.css",
    "learn/tour.css"
  ],
  "two_trainings": [
    "web/base/dom.css",
    "web/base/export.css",
    "learn/two_trainings.css"
  ],
  "chart": [
    "web/base/dom.css",
    "web/base/export.css",
    "shared/chart.css"
  ],
  "compare": [
    "web/base/dom.css",
    "web/base/export.css",
    "shared/compare.css"
  ],
  "head": [
    "web/base/dom.css",
    "web/base/export.css",
    "shared/head.css"
  ],
  "joint": [
    "web/base/dom.css",
    "web/base/export.css",
    "web/base/playback.css",
    "shared/joint.css"
  ],
  "theme_watch": [
    "web/base/dom.css"
  ],
  "tiles": [
    "web/base/dom.css",
    "web/base/export.css",
    "shared/tiles.css"
  ],
  "wall": [
    "web/base/dom.css",
    "web/base/export.css",
    "shared/wall.css"
  ],
  "stage": [
    "web/base/dom.css",
    "web/base/export.css",
    "web/base/playback.css",
    "translate/next_word.css",
    "translate/stage.css"
  ],
  "tree": [
    "web/base/dom.css",
    "web/base/export.css",
    "translate/tree.css"
  ],
  "breaking": [
    "web/base/dom.css",
    "web/base/export.css",
    "what_if/breaking.css"
  ]
};
function show3(name, mounting) {
  wear(mounting.parentElement, worn[name].map((file) => [file, sheets[file]]));
  return views[name](mounting);
}
export {
  show3 as show
};
