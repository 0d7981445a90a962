// web/base/colour.ts
var hexToRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
var toLinear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
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
  const run = fieldsOf(bytes).find(([number]) => number === RERUN)?.[1];
  if (!(run instanceof Uint8Array)) return "other";
  const fields = fieldsOf(run);
  if (fields.some(([number, value]) => number === BY_ITSELF && value === 1)) return "other";
  const fragment = fields.find(([number]) => number === FRAGMENT)?.[1];
  return fragment instanceof Uint8Array && fragment.length ? "fragment" : "page";
}
function ends(bytes) {
  if (bytes.length > 2e3) return false;
  return fieldsOf(bytes).some(([number, value]) => number === FINISHED && WHOLE.includes(Number(value)));
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
  /** Run a callback now, or once the page is connected and drawn again. */
  tell(tell) {
    if (this.state === "open" && this.page.connected()) tell();
    else this.later.push(tell);
  }
};
var bytesOf = (data) => data instanceof ArrayBuffer ? new Uint8Array(data) : data instanceof Uint8Array ? data : null;
function stand(line) {
  const Socket = window.WebSocket;
  const plain = Socket.prototype.send;
  const ours = (socket) => new URL(socket.url).pathname.endsWith(STREAM);
  let now = null;
  const listen = (socket) => {
    now = socket;
    socket.addEventListener("message", ({ data }) => {
      const bytes = bytesOf(data);
      if (now === socket && bytes) line.heard(bytes);
    });
    socket.addEventListener("close", () => now === socket && line.closed());
  };
  const out = (socket) => (bytes) => {
    if (socket.readyState === Socket.OPEN) plain.call(socket, bytes);
  };
  Socket.prototype.send = function send(data) {
    const bytes = ours(this) ? bytesOf(data) : null;
    if (!bytes) return plain.call(this, data);
    if (now === null) {
      listen(this);
      line.opened(out(this), false);
    }
    if (now === this) line.send(bytes);
  };
  window.WebSocket = new Proxy(Socket, {
    construct(target, given) {
      const socket = Reflect.construct(target, given);
      if (!ours(socket)) return socket;
      line.closed();
      listen(socket);
      socket.addEventListener(
        "open",
        () => setTimeout(() => now === socket && line.opened(out(socket), true))
      );
      return socket;
    }
  });
}
function connection() {
  const page2 = window;
  if (page2.atlasLine) return page2.atlasLine;
  const line = new Line({
    draw() {
      if (line.state === "asking") window.dispatchEvent(new PopStateEvent("popstate", { state: null }));
      setTimeout(() => line.state !== "open" && line.out && line.release(), PATIENCE);
    },
    connected() {
      const app = document.querySelector("[data-test-connection-state]");
      return !app || app.getAttribute("data-test-connection-state") === "CONNECTED";
    }
  });
  stand(line);
  return page2.atlasLine = line;
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

// web/base/events.ts
var reducedMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
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
function localised(written) {
  if (!spoken.code) return written;
  const own = marks();
  return written.replace(/(?<=\d)[.,](?=\d)/g, (mark) => own[mark]);
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

// web/base/words.ts
var TOUCH = globalThis.matchMedia?.("(hover: none) and (pointer: coarse)").matches ?? false;
var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");

// web/base/paint.ts
var context = null;
function measuring() {
  context ??= context2d(document.createElement("canvas"));
  return context;
}
function context2d(canvas) {
  return canvas.getContext("2d");
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
      const [now, same2] = [performance.now(), main.scrollHeight === height];
      if (same2 && main.scrollTop !== set) return stop();
      if (!same2) main.scrollTop = top;
      [height, set] = [main.scrollHeight, main.scrollTop];
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

// app/architecture.ts
var BLOCKS = [
  ["source", "source", "muted"],
  ["encoder", "encoder", "encoder_text"],
  ["memory", "memory", "encoder_text"],
  ["decoder", "causal", "causal_text"],
  ["cross", "cross", "cross_text"],
  ["next", "next", "muted"]
];
var TYPING2 = 'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, [contenteditable]';
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
  document.head.append(el("link", { rel: "modulepreload", href, "data-atlas-early": true }));
  whenCalm(() => {
    const script = el("script", { type: "module", src: href, "data-atlas-early": "running" });
    script.addEventListener("load", () => script.dataset.atlasEarly = "ready");
    document.head.append(script);
  });
}
function architecture(root, host) {
  connection();
  const row = el("nav", { class: "map", "aria-label": tr("The model, from source to next word") });
  root.append(el("div", { class: "map-wrap" }, row));
  const blocks = BLOCKS.map(([name, kind, fill2], n) => {
    const arrow = `map-arrow${{ cross: " joined", decoder: " turning" }[String(name)] ?? ""}`;
    if (n) row.append(el("span", { class: arrow, "aria-hidden": "true" }));
    const title = el("span", { class: "map-name" });
    const fact = el("span", { class: "map-fact" });
    const looks = { class: "map-block", "data-kind": kind };
    const button = el("button", { ...looks, onclick: () => press(name) }, title, fact);
    row.append(button);
    return { name, fill: fill2, title, fact, button };
  });
  let here = [];
  let pinned = false;
  const release = (event) => {
    const typing = event.composedPath().some((node) => node instanceof HTMLElement && node.matches(TYPING2));
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
      for (const { name, fill: fill2, title, fact, button } of blocks) {
        const words = strip.blocks[name];
        title.textContent = words.title;
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
export {
  architecture_default as default
};
