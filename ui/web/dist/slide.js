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

// web/base/colour.ts
var hexToRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
var toLinear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
function luminance(hex) {
  const [r, g, b] = hexToRgb(hex).map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// web/base/events.ts
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
function localised(written) {
  if (!spoken.code) return written;
  const own = marks();
  return written.replace(/(?<=\d)[.,](?=\d)/g, (mark) => own[mark]);
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
var REMOUNT = 1e3;
var TYPING = 'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="slider"]';
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

// app/slide.ts
var CONTAINER2 = '[data-testid="stElementContainer"]';
var PATIENCE2 = 5e3;
var FOR_A_RUN = 1e3;
var FOR_A_CARD = 1e4;
var running = () => document.querySelector('[data-test-script-state="running"]') !== null;
var views = () => [...document.querySelectorAll('[data-testid^="stBidiComponent"]')];
var hasCard = () => Boolean(document.querySelector('[data-testid="stMain"]')?.querySelector(CARD)) || views().some((part) => part.shadowRoot?.querySelector(CARD));
function isMissing(waited) {
  const skeletons = [...document.querySelectorAll('[data-testid="stSkeleton"]')];
  if (waited < PATIENCE2 && skeletons.some((part) => !part.closest('[class*="st-key-chart_"]'))) return true;
  if (document.querySelector(".atlas-loading:not(.done)")) return false;
  if (running() && waited < (hasCard() ? FOR_A_RUN : FOR_A_CARD)) return true;
  return waited < PATIENCE2 && views().some((part) => {
    const view = part.shadowRoot?.querySelector(".atlas > .stage-root");
    const takesRoom = getComputedStyle(part.closest(CONTAINER2) ?? part).position !== "absolute";
    return !view && takesRoom && part.getBoundingClientRect().top < window.innerHeight;
  });
}
function revealOnceDrawn() {
  const { dataset } = document.documentElement;
  const began = performance.now();
  const look2 = () => {
    const waited = performance.now() - began;
    if (isMissing(waited)) requestAnimationFrame(look2);
    else dataset.drawn = "";
  };
  if (dataset.drawn === void 0) look2();
}
function slide(root, host) {
  const changed = linked(host, "changed");
  const kept = keepSlide((card2, missing = false) => changed.report({ card: card2, missing }));
  const leave = EMBEDDED ? el("a", { class: "slide-leave", target: "_blank", rel: "noopener" }, "↗") : el("button", { class: "slide-leave", onclick: () => toggleSlide() }, "✕");
  root.append(leave);
  revealOnceDrawn();
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
export {
  slide_default as default
};
