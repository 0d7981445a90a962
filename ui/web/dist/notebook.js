var atlas = (() => {
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __export = (target, all) => {
    for (var name in all)
      __defProp(target, name, { get: all[name], enumerable: true });
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

  // export/notebook.ts
  var notebook_exports = {};
  __export(notebook_exports, {
    default: () => notebook
  });

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
    let inside = false;
    node.addEventListener("pointermove", (event) => {
      if (!inside) show3(event);
      inside = true;
    });
    node.addEventListener("pointerleave", () => inside = false);
    node.addEventListener("focus", (event) => node.matches(":focus-visible") && show3(event));
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
    const same = language?.code === spoken.code;
    spoken = {
      code: language?.code,
      words: same ? { ...spoken.words, ...language?.words } : language?.words,
      counts: same ? { ...spoken.counts, ...language?.counts } : language?.counts
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
      const times2 = (low + high) / 2;
      if (fits(times2)) low = times2;
      else high = times2;
    }
    return low;
  }
  function fitCharts(card2, times2) {
    const find = (wish) => [...card2.querySelectorAll(wish)];
    const charts = find(".stPlotlyChart");
    if (!charts.length) return null;
    const containers = charts.map((chart) => chart.closest(CONTAINER) ?? chart);
    const words = find(CONTAINER).filter(
      (container) => !container.querySelector(`${CONTAINER}, .stPlotlyChart`)
    );
    const rooms = containers.map((container) => container.parentElement?.clientWidth ?? container.clientWidth);
    const tall = charts.map((chart) => chart.clientHeight);
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
    const spread = (more) => charts.forEach((chart, n2) => {
      const height = Math.max(onPhone() ? CHART : SMALLEST, tall[n2] + more / charts.length / times2);
      const size = { width: `${rooms[n2] / times2}px`, height: `${height}px`, overflow: "visible" };
      for (let node = chart; node !== containers[n2]; node = node.parentElement)
        undo.push(dress(node, size));
      const below = { "margin-bottom": `${height * (times2 - 1)}px` };
      undo.push(dress(containers[n2], { ...size, ...below, "min-width": "0", "align-self": "flex-start" }));
      const picture = chart.querySelector(".js-plotly-plot");
      if (picture) undo.push(dress(picture, { transform: `scale(${times2})`, "transform-origin": "0 0" }));
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
        largest(SMALLEST, room, (tall) => draw(times2, tall))
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
  var lowered = (name) => name === name.toUpperCase() ? name : name.toLowerCase();
  var visible = (label) => label === "" ? "∅" : label.trim() === "" ? "␣" : label;
  var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
  var isSpecial = (label) => SPECIAL_LABEL.test(label);
  var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;
  var isolated = (label) => TURNED.test(label) ? `⁨${label}⁩` : label;
  var topIndices = (values, count) => Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
  var within = (low, value, high) => Math.min(high, Math.max(low, value));

  // web/base/paint.ts
  var AT_LEFT = { baseline: "middle" };
  var FIRST_LETTER = /\p{L}/u;
  var ISOLATED = /\u2068[^\u2069]*\u2069/g;
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
  var csvNumber = (value) => Number.isFinite(value) ? Number(value.toPrecision(9)) : "";
  function download(blob, name) {
    const link = el("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e3);
  }
  var downloadCsv = (name, rows) => download(new Blob(["\uFEFF", csvText(rows)], { type: "text/csv" }), `${name}.csv`);
  var downloadPng = (canvas, name) => canvas.toBlob((blob) => blob && download(blob, `${name}.png`));
  var OTHER_TYPE = { plain: 1.2, bold: 1.35 };
  var wrapForFile = (words, width, size, weight = 400) => wrapText(words, width, OTHER_TYPE[weight < 600 ? "plain" : "bold"] * size, weight);
  var captionOf = (who, width, u, about = bus().last.about) => wrapForFile([who, about].filter(Boolean).join(" · "), width, 13 * u).filter(Boolean);
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
  function sumOf(sheet, items, line) {
    const sum = new Array(line === rowOf ? sheet.cols.length : sheet.written).fill(0);
    for (const item of items) line(sheet, item).forEach((v, n2) => sum[n2] += Number.isFinite(v) ? v : 0);
    return sum;
  }
  function tableOf(sheet, ofEncoder, number) {
    const lines = [];
    const readAlone = ofEncoder || sheet.oneLabel;
    for (let i = 0; i < sheet.written; i++) {
      const query = readAlone ? [sheet.rows[i], ""] : [sheet.reads?.[i] ?? "", sheet.rows[i]];
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
      const lines = wrapForFile(text, width - 4, pen.size, pen.weight);
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
  function checkbox(words, change) {
    const box = el("input", { type: "checkbox", onchange: () => change(box.checked) });
    return { box, node: el("label", { class: "field" }, box, words) };
  }
  var keyName = (keys) => {
    const names = {
      Enter: tr("Enter"),
      Esc: tr("Esc"),
      Space: tr("Space"),
      Shift: tr("Shift"),
      Home: tr("Home"),
      End: tr("End")
    };
    return keys.replace(/\w+/g, (key) => names[key] ?? key);
  };
  function keyList(keys, look2 = "quiet") {
    const lines = definitions((TOUCH ? [] : keys).map(([key, what]) => [keyName(key), what]));
    const list = el("dl", { class: "keys", hidden: true }, ...lines);
    const toggle = () => show3(list.hidden);
    const label = TOUCH ? tr("Numbers") : tr("Shortcuts and scores");
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
      tr("Playback speed"),
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

  // web/marks/labels.ts
  var READ_SIZE = 0.92;
  var readSize = (size, u) => typeSize(READ_SIZE * size / u, u);
  var readPart = (read2) => read2 === void 0 ? "" : `${isolated(visible(read2))} → `;
  var every = (need, have) => Math.max(1, Math.ceil(need / have));
  function chosenLabels(from, to, step, active) {
    if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
    const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
    const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
    return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
  }
  var rowLength = (widths2, gap) => widths2.reduce((sum, width) => sum + width + gap, 0);
  function spreadWords(widths2, length, gap) {
    const slot = length / widths2.length;
    if (widths2.every((width) => width + gap <= slot)) return widths2.map((_, i) => (i + 0.5) * slot);
    const spare = Math.max(0, length - rowLength(widths2, gap)) / widths2.length;
    let x = 0;
    return widths2.map((width) => {
      const centre = x + (width + gap + spare) / 2;
      x += width + gap + spare;
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
  function paintLines(p, sheet, focus, how2) {
    const [r0, r1] = how2.area;
    const crowd = Math.min(1, 64 / (r1 - r0));
    const any = focus.rows.size + focus.cols.size > 0;
    for (const { i, j, value, strength, on } of linesOf(sheet, focus, how2)) {
      const curve = how2.curve(i, j);
      if (!curve) continue;
      const grown = how2.growing?.row === i ? startOfCurve(curve, how2.growing.share) : curve;
      const pen = linePen(strength, on ? "on" : any ? "behind" : "all", how2.u, { crowd, faint: how2.faint });
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

  // web/maps/sentence.ts
  var verbOf = (kind, oneLabel = false) => kind === "encoder" || oneLabel ? "Reading" : "Writing";
  var specialWords = (label) => ({
    "⟨start⟩": tr("the start token"),
    "⟨end⟩": tr("the end token"),
    "⟨pad⟩": tr("padding"),
    "⟨unk⟩": tr("an unknown token"),
    "⟨prefix⟩": tr("the words before"),
    "⟨source⟩": tr("the source")
  })[label];
  var SPREAD_BELOW = 0.25;
  var ONLY_FROM = 0.995;
  var NAMED = 3;
  var WORTH_NAMING = 0.05;
  var ENOUGH = 0.9;
  var NO_CHANGE = 5e-3;
  var hint = () => TOUCH ? tr("Tap a cell or word to pin it") : tr("Hover to read; click to pin; Esc clears");
  var pinnedHint = () => TOUCH ? tr("Pinned · Tap again to unpin") : tr("Pinned · Esc unpins");
  var quoted = (label) => specialWords(label) ?? tr("“{word}”", { word: isolated(label) });
  var strongly = (label) => ({ strong: quoted(label) });
  function keyNames(labels) {
    const often = /* @__PURE__ */ new Map();
    labels.forEach((label) => often.set(label, (often.get(label) ?? 0) + 1));
    return (j) => Number(often.get(labels[j])) > 1 ? phrase(tr("{word} (token {number})"), { word: strongly(labels[j]), number: String(j + 1) }) : [strongly(labels[j])];
  }
  var enumerate = (items) => items.flatMap((item, i) => i === 0 ? item : [i === items.length - 1 ? tr(" and ") : ", ", ...item]);
  function rowWords(label, { verb, read: read2 }) {
    if (verb === "Reading") return phrase(tr("From {word}"), { word: strongly(label) });
    if (read2 === void 0) return phrase(tr("Writes {word}"), { word: strongly(label) });
    return phrase(tr("Reads {read} → writes {written}"), { read: quoted(read2), written: strongly(label) });
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
        const number = minus(fixed(total[j], 2));
        const text = ofCount ? tr("{number} of {count} at {key}") : tr("{number} at {key}");
        return phrase(text, { number, count: String(count), key: names(j) });
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
    const keys = enumerate(cols.slice(0, 4).map(keyNames(keyLabels)));
    const row = how2.verb === "Reading" ? tr("from {row} ({number})") : tr("writing {row} ({number})");
    const rows = (number) => enumerate(order.map((i) => phrase(row, { row: names(i), number: number(column2[i]) })));
    const subject = capital(how2.subject);
    if (how2.mode === "weights")
      return phrase(tr("{subject} looks at {keys} most when {rows}."), {
        subject,
        keys,
        rows: rows(spokenPercent)
      });
    if (how2.mode === "contribution")
      return phrase(tr("{subject} draws on {keys} most when {rows}."), {
        subject,
        keys,
        rows: rows(spokenPercent)
      });
    if (how2.mode === "length")
      return phrase(tr("{subject} adds most for {keys} when {rows}."), {
        subject,
        keys,
        rows: rows(lengthWords)
      });
    const unit = how2.mode === "difference" ? "points" : "number";
    return phrase(tr("{keys}: largest when {rows}."), { keys, rows: rows((v) => shown(v, unit)) });
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
    const { sheets } = looked;
    if (!sheets.length) return [tr("Every head is hidden; choose a swatch to show one again.")];
    if (!sheets[0].written) return [tr("Nothing is written yet.")];
    const sentence = sheets.length > 1 ? severalHeads(looked) : oneHead(looked);
    if (!looked.hint) return sentence;
    return [...sentence, { muted: `  ${looked.hint === "pinned" ? pinnedHint() : hint()}` }];
  }
  function oneHead({ sheets: [sheet], subjects: [subject], how: how2, rows, cols, cell, row }) {
    const context2 = { ...how2, subject };
    if (row < 0 && !rows.size && !cols.size) return wholeSentence(sheet, context2);
    const list = [...rows].sort((a, b) => a - b);
    const only = list.length === 1 ? list[0] : row;
    const sentence = [];
    if (list.length === 1 || !list.length && !cols.size) {
      const hidden = sheet.hidden?.[only] ?? null;
      const read2 = sheet.reads?.[only];
      const words = { ...context2, read: read2, hidden };
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
      const column2 = sumOf(sheet, cols, columnOf);
      const queries = sheet.rows.slice(0, sheet.written);
      sentence.push(
        ...sentence.length ? [" "] : [],
        ...columnSentence(column2, [...cols], sheet.cols, queries, context2)
      );
    }
    return sentence;
  }
  function severalHeads({ sheets, names, how: how2, rows, cols, row }) {
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
      const text = how2.verb === "Reading" ? tr("From {rows}: {where}.") : tr("Writing {rows}: {where}.");
      return phrase(text, { rows: words(queries, from), where });
    }
    const when = most([...cols], columnOf, queries, tr("{head} at {word} ({number})"));
    return phrase(tr("{keys}, most from {where}."), { keys: words(keys, [...cols]), where: when });
  }

  // shared/joint_layout.ts
  var jointPoint = (g, along, across) => g.flat ? [along, across] : [across, along];
  var ARC = 62;
  var BETWEEN = 180;
  var WORDS = 30;
  var MAP = 96;
  var LOW = 2 * ARC + BETWEEN + WORDS + 12;
  var BESIDE = 176;
  var NEAR = 20;
  function jointLayout(source, target, room, u, tall = Infinity) {
    const size = 14.5 * u;
    const [ws, wt] = [widths(source, size, 170 * u), widths(target, size, 170 * u)];
    const low = tall < LOW + 40 + MAP - NEAR;
    const wide = low ? room - BESIDE * u : room;
    const fits = [ws, wt].every((row) => rowLength(row, 12 * u) <= wide);
    if (!fits) return inColumns(source, target, room, u, tall);
    const above = inReadingOrder(spreadWords(ws, wide, 12 * u), source, wide);
    const below = inReadingOrder(spreadWords(wt, wide, 12 * u), target, wide);
    return inRows(above, below, room, u, low ? tall : Infinity);
  }
  var widths = (labels, size, most) => labels.map((label) => Math.min(most, textWidth(visible(label), size)));
  function inRows(above, below, room, u, tall) {
    const free = Math.min(2 * ARC + BETWEEN, Math.max(150, tall - WORDS - 12));
    const reach = Math.min(ARC, Math.round(free * 0.21));
    const arc = reach * u;
    const upper = arc + 6 * u;
    const to = upper + (free - 2 * reach) * u;
    const lower = to + WORDS * u;
    const bottom = lower + arc + 6 * u;
    const beside = tall < Infinity;
    const [w, h] = beside ? [(BESIDE - 26) * u, bottom / 3 - 24 * u] : [Math.min(380 * u, (room - 60 * u) / 3), MAP * u];
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
    const tall = Math.min(24 * u, limit * u / longest) * longest;
    const beside = room > (most < LOW + 40 + MAP - NEAR ? 700 : 980) * u;
    const wide = beside ? room - 236 * u : Math.min(room, 780 * u);
    const arc = Math.min(130 * u, room * 0.13);
    const bottom = tall + 20 * u;
    const w = beside ? 190 * u : Math.min(380 * u, (room - 60 * u) / 3);
    const each = most < Infinity ? Math.min(176 * u, bottom / 3) : 176 * u;
    const below = Math.min(MAP, Math.max(46, 0.4 * most));
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
        ...column(ws, tall, u),
        words: left,
        lines: left + 50 * u,
        outward: -1,
        edges: ws.map((each2) => left - each2 - 10 * u)
      },
      target: {
        ...column(wt, tall, u),
        words: to + 8 * u,
        lines: to,
        outward: 1,
        edges: wt.map((each2) => to + 8 * u + each2 + 10 * u)
      },
      maps: { w, h, corners: beside ? right : mapsBelow(w, bottom, u) }
    };
  }
  var column = (words, tall, u) => ({
    along: words.map((_, i) => 10 * u + (i + 0.5) * tall / words.length),
    every: every(WORD_HEIGHT * u, tall / words.length),
    room: Math.max(...words)
  });
  function jointHit(g, x, y) {
    const [along, across] = g.flat ? [x, y] : [y, x];
    const { source, target, arc } = g;
    if (across > Math.min(...source.edges) - arc * 0.5 && across < source.lines + 10) {
      return { source: nearest(source.along, along) };
    }
    if (across > target.lines - 14 && across < Math.max(...target.edges) + arc * 0.5) {
      return { target: nearest(target.along, along) };
    }
    return null;
  }
  var nearest = (list, value) => list.reduce((best, v, i) => Math.abs(v - value) < Math.abs(list[best] - value) ? i : best, 0);
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
    const read2 = one_label ? void 0 : target[step - 1];
    const sentence = rowSentence(times(rowOf(cross, step - 1), tops.cross), target[step], source, {
      verb: verbOf("cross", one_label),
      read: read2,
      subject,
      mode
    });
    const self = rowOf(causal, step - 1).slice(0, step);
    const amount = (v, kind) => mode === "length" ? lengthWords(v * tops[kind]) : spokenPercent(v);
    const back = topIndices(self, 1)[0];
    const nth = joint.namedSource ?? 0;
    const reading = rowOf(encoder, nth);
    const inside = topIndices(reading, 1)[0];
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
        share: amount(reading[inside], "encoder"),
        key: inside === nth ? tr("itself") : strongly(source[inside])
      })
    );
    return joint.pinned === null ? sentence : [...sentence, { muted: `  ${pinnedHint()}` }];
  }
  var times = (row, top) => top === 1 ? row : row.map((v) => v * top);

  // shared/joint_drawing.ts
  var MAPS = ["encoder", "cross", "causal"];
  function paintJoint(p, joint, growth = 1) {
    const { sheets, layout, step, host } = joint;
    const c = host.colours;
    const named = joint.namedSource;
    paintCross(p, joint, growth);
    if (named !== null) {
      const still = joint.hovered?.source !== void 0 || joint.pinned !== null;
      const row = rowOf(sheets.encoder, named);
      paintArcs(p, joint, row, named, layout.source, c.encoder, still ? 1 : growth);
    }
    if (step) {
      const row = rowOf(sheets.causal, step - 1).slice(0, step);
      if (joint.firstKey) row.unshift(0);
      paintArcs(p, joint, row, step, layout.target, c.causal, growth);
    }
    paintSource(p, joint);
    paintTarget(p, joint);
    paintMaps(p, joint);
  }
  function paintCross(p, joint, growth) {
    const { layout: g, step, hovered, sheets, host } = joint;
    const { source, target } = g;
    const column2 = hovered?.source;
    const focus = {
      rows: new Set(column2 === void 0 && step ? [step - 1] : []),
      cols: new Set(column2 === void 0 ? [] : [column2])
    };
    if (!step) return;
    paintLines(p, sheets.cross, focus, {
      area: wholeOf(sheets.cross),
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
  function paintArcs(p, { layout: g }, weights2, from, { along, edges, outward }, stroke, growth) {
    const { u, arc } = g;
    const longest = Math.abs(along[along.length - 1] - along[0]) || 1;
    for (const j of topIndices(weights2, weights2.length).reverse()) {
      if (weights2[j] < LINE_FLOOR || j >= along.length) continue;
      const itself = j === from;
      const [start, end] = itself ? [along[from] - 7 * u, along[from] + 7 * u] : [along[from], along[j]];
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
  function paintWord(p, { layout: g }, label, n2, side, { ink, fill: fill2, frame }) {
    const { u, size, flat } = g;
    const text = shorten(visible(label), side.room, size);
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
    const { layout: g, sheets, step, meta } = joint;
    const { u, flat, source } = g;
    const c = joint.host.colours;
    const named = joint.namedSource;
    const shares = step ? rowOf(sheets.cross, step - 1) : [];
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
  function readableShares(shares, along, apart2) {
    const big = /* @__PURE__ */ new Set();
    for (const j of topIndices(shares, 8)) {
      const free = [...big].every((k) => Math.abs(along[k] - along[j]) >= apart2);
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
  function mapName(label, space, size) {
    const words = textWidth(label, size, false, 600) <= space ? label : label.replace(/ \(.*\)$/, "");
    return shorten(words, space, size, false);
  }
  function paintMaps(p, joint) {
    const { layout, sheets, step } = joint;
    const { u } = layout;
    const { w, h, corners } = layout.maps;
    const c = joint.host.colours;
    MAPS.forEach((kind, n2) => {
      const { x, y } = corners[n2];
      const sheet = sheets[kind];
      const size = typeSize(12.5, u);
      const space = Math.min(w + 22 * u, layout.room - x - 6 * u);
      const name = mapName(joint.meta.labels[kind], space, size);
      p.text(x, y - 8 * u, name, { size, fill: c[`${kind}_text`], weight: 600 });
      paintPixels(p, sheet, { x, y, w, h }, c);
      const mark = kind === "encoder" ? joint.namedSource : step ? step - 1 : null;
      const tall = h / sheet.rows.length;
      if (mark === null) return;
      const frame = { stroke: c.ink, width: 1.3, radius: 3 };
      p.rect(x - 1.5, y + mark * tall - 1, w + 3, Math.max(3, tall + 2), frame);
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
          const keys = kind === "causal" ? joint.written : joint.meta.source.length;
          const number = (v) => csvNumber(v * joint.meta.tops[kind]);
          const lines = tableOf(joint.sheets[kind], kind === "encoder", number).filter(
            (line) => Number(line[3]) < keys
          );
          return lines.map((line) => [kind, ...line]);
        })
      ]
    };
  }

  // shared/joint.ts
  var HALL = 320;
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
      const tall = inSight(this.host, Infinity, HALL, Math.max(source.length, target.length));
      this.layout = jointLayout(source, target, this.parts.body.clientWidth, this.host.scale, tall);
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
      const read2 = target.slice(this.firstKey, target.length - 1 + this.firstKey);
      const pairs = { reads: one_label ? void 0 : read2, oneLabel: one_label };
      const words = {
        encoder: { rows: source, cols: source },
        cross: { rows: written2, cols: source, ...pairs },
        causal: { rows: written2, cols: read2, ...pairs }
      };
      const sheetOf = (kind) => {
        const numbers = this.meta[kind];
        const { length } = words[kind].cols;
        const hides = (i, j) => kind === "causal" && j > i && !numbers[i * length + j];
        const at = (i, j) => hides(i, j) ? NaN : numbers[i * length + j];
        return makeSheet(words[kind], at, kindRamp(colours, kind));
      };
      return ofKinds(sheetOf);
    }
    destroy() {
      this.stop();
    }
  };
  var joint_default = viewOf(Joint);

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

  // web/marks/frames.ts
  var hiddenName = () => tr("hidden");
  var READS_UP_TO = 14;
  var PINNED_ROOM = 122;
  var READS_FROM = 300;
  var UPRIGHT = 90;
  var TILTS = [38, 58, 72, UPRIGHT];
  var STRAIGHT_UP_TO = 150;
  var SMALLEST2 = 10;
  var BETWEEN2 = 6;
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
  function geometryOf(sheet, room, u, { tall = 560, area = null, cap = 46, words = 0, deep = 0 }, withReads) {
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
    const ch = u * rowHeight(rows, cw / u, tall, deep);
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
  function rowHeight(rows, wide, tall, deep) {
    if (rows * 15 > tall) return tall / rows;
    return Math.max(15, Math.min(deep || Math.min(wide, 30), tall / rows));
  }
  function columnWords({ words, size, most }, u, widthOf, besides) {
    const hidden = textWidth(hiddenName(), size);
    if (words.length <= STRAIGHT_UP_TO) {
      const widths2 = words.map((word) => textWidth(visible(word), size));
      const aside2 = besides ? 18 * u + hidden : 0;
      const least = Math.max((aside2 ? 44 : 4) * u, aside2);
      const cw = widthOf(least);
      const runsOut = widths2.map((width, j) => width / 2 - (widths2.length - j - 0.5) * cw + 2 * u);
      const over2 = Math.max(least, ...runsOut);
      const slot2 = widthOf(over2);
      const lines = linesOf2(widths2, slot2, BETWEEN2 * u) ?? linesOf2(widths2, slot2, BETWEEN2 * u, words.map(isSpecial));
      const top = (LINE2 * (1 + Math.max(0, ...lines ?? [])) + 6) * u;
      if (lines) return { lean: 0, lines, reach: Math.max(0, ...widths2) + 1, top, over: over2, type: size };
    }
    const reach = widest(words, size, most);
    const last = Math.min(reach, textWidth(visible(words[words.length - 1] ?? ""), size));
    const slot = widthOf(last * 0.8);
    const lean = TILTS.find((degrees) => apart(degrees, size) <= slot) ?? TILTS[TILTS.length - 1];
    const fits = Math.max(SMALLEST2 * u, Math.min(size, size * slot / apart(lean, size)));
    const type = legible(fits, u) ? fits : size;
    const [sine, cosine] = [Math.sin(radians(lean)), Math.cos(radians(lean))];
    const leans = (length) => length * cosine + 9 * u * sine + 2 * u;
    const aside = besides ? 14 * u + leans(hidden) : 0;
    const over = Math.max((aside ? 44 : 4) * u, leans(last) - slot / 2, aside);
    return { lean, lines: [], reach, top: reach * sine + 16 * u, over, type };
  }
  function linesOf2(widths2, slot, gap, above = []) {
    const ends = [-Infinity, -Infinity, -Infinity];
    const lines = [];
    for (const [j, width] of widths2.entries()) {
      const centre = (j + 0.5) * slot;
      const line = ends.findIndex((end, n2) => Boolean(above[j]) === n2 > 1 && end + gap <= centre - width / 2);
      if (line < 0) return null;
      ends[line] = centre + width / 2;
      lines.push(line);
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
    const { tall = 620, area = null, top = 8 * u, body = null, several = false } = limits;
    const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
    const longest = Math.max(r1 - r0, c1 - c0);
    const size = 14 * u;
    const pitch = Math.max(Math.min(26 * u, tall * u / longest), 0.5);
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

  // web/marks/pair.ts
  var WIDE = 660;
  var GAP = 24;
  var LINE3 = 20;
  var Pair = class {
    constructor({ name, axes: axes2, between = [], over = [] }, marks2) {
      this.u = 1;
      this.room = 0;
      /** Room for the lines, and for the map. */
      this.sides = [0, 0];
      this.wide = false;
      /** Which of the two is seen where they do not stand side by side; null: both. */
      this.alone = null;
      const canvas = (which) => el("canvas", { class: `picture ${name}-${which}`, tabindex: 0, role: "application" });
      const slot = (...inside) => el("div", { class: `${name}-place` }, ...inside);
      this.lines = new Plot(canvas("lines"), () => marks2.lines());
      this.map = new Plot(canvas("heat"), () => marks2.map());
      this.axes = el("p", { class: "axis-words" }, axes2);
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
    beside({ box }, longest, tall) {
      const body = Math.max(box.h, Math.min(tall, LINE3 * this.u * longest));
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
    paint(p, c, axes2 = "") {
      const { u } = this;
      if (!this.lacks("lines")) this.lines.paint(p);
      if (this.lacks("map")) return;
      const below = this.lacks("lines") ? 0 : 14 * u + this.lines.frame.height;
      const [x, y] = this.wide ? [this.sides[0] + GAP * u, 0] : [0, below];
      if (axes2) p.text(x + 2, y + 10 * u, axes2, { size: typeSize(12, u), fill: c.muted });
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
    listen(hit, answers) {
      listenToMap(this.node, { ...answers, hit: (x, y) => this.frame && hit(this.frame, x, y) });
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
      if (!written2 || !sheet.reads?.length || !(g.reads === "all" || g.reads === "pinned" && inFocus))
        continue;
      const width = textWidth(words, g.size, true, pen.weight);
      const size = readSize(g.size, g.u);
      const read2 = shorten(readPart(sheet.reads[i]), g.labelRoom.row - width, size);
      p.text(right - width, y, read2, { size, mono: true, align: "right", baseline: "middle", fill: c.muted });
    }
  };
  var columnLabels = (sheet, focus, c) => (p, g) => {
    const label = writer(p, g, c);
    for (const j of chosenLabels(g.area[2], g.area[3], g.colEvery, focus.cols)) {
      const size = g.sizeOver;
      const words = shorten(visible(sheet.cols[j]), g.labelRoom.col, size);
      const pen = g.lines.length ? { align: "center", size } : { rotate: -g.lean, size };
      if (focus.cols.has(j) && focus.colour) pen.fill = focus.colour;
      const aside = g.lines.length ? -g.u : g.lean === 90 ? size / 3 : 2 * g.u;
      const x = columnX(g, j) + g.cw / 2 + aside;
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

  // shared/head_numbers.ts
  var LEAST_TOP = { points: 0.05, number: 1e-6, share: 1, length: 1e-9 };
  var nameOf = (heads) => heads.length ? heads.map((pair) => pair.join(".")).join() : "all";
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
      const least = LEAST_TOP[this.meta.unit];
      return { scale: "diverging", top: Math.max(Math.abs(low), Math.abs(top), least) };
    }
    /** Several heads in one map: each cell takes the hue of the head that is strongest there. */
    combine() {
      this.cache = {};
      const { sheets, seen } = this;
      const [first] = sheets;
      if (seen.length <= 1) {
        this.combined = sheets[seen[0] ?? 0];
        return;
      }
      const index = new Int16Array(first.index.length).fill(-1);
      const lead = new Uint8Array(index.length);
      for (const k of seen) {
        sheets[k].index.forEach((v, n2) => {
          const now = index[n2] < 0 ? -1 : Math.abs((index[n2] & 255) - first.neutral);
          if (v >= 0 && Math.abs(v - first.neutral) > now) [index[n2], lead[n2]] = [k * 256 + v, k];
        });
      }
      const at = (i, j) => sheets[lead[i * first.cols.length + j]].at(i, j);
      const empty = first.rows.map((_, i) => seen.every((k) => sheets[k].empty?.[i]));
      this.combined = {
        ...first,
        index,
        empty,
        hidden: null,
        table: sheets.flatMap((sheet) => sheet.table),
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
    const { meta, sheets, seen } = open;
    if (seen.length !== 1 || meta.mode !== "weights" || !pins.isCell) return null;
    const [row, col] = [[...pins.rows][0], [...pins.cols][0]];
    return { sheet: sheets[seen[0]], subject: meta.heads[seen[0]].subject, row, col };
  }
  function headTitle(head) {
    const { meta, sheets, seen } = head.open;
    const cell = pinnedCell(head);
    if (cell) return cellTitle({ ...cell, verb: verbOf(meta.kind, meta.one_label) });
    const rows = meta.report && seen.length === 1 && sheets.length === 1 && meta.written > 0;
    if (rows && meta.mode === "weights" && meta.distribution && meta.heads[seen[0]].hidden === null)
      return wholeTitle(sheets[seen[0]], meta.heads[seen[0]].subject);
    return [`${meta.title} `, ...meta.tag ? [{ kind: meta.tag }] : []];
  }
  function headSentence(head) {
    const { open, pins } = head;
    const { meta, sheets, seen, tellingRow } = open;
    const cell = pinnedCell(head);
    if (cell && !pins.hovered) return [...restSentence(cell), ...rank(head, cell.subject)];
    return mapSentence({
      ...pins.active,
      sheets: seen.map((k) => sheets[k]),
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
  var axes = () => tr("query ↓   key →");
  var HALL2 = 350;
  var TALL = 600;
  var DEEP = 36;
  var MOST_SUMS = 14;
  function arrangeHead({ open, own, pair, host, parts }) {
    const u = host.scale;
    const room = parts.body.clientWidth;
    pair.resize(room, u, [0.44, 0.56], Math.min(room, 620 * u));
    const { area } = own;
    const [rows, columns] = area ? [area[1] - area[0], area[3] - area[2]] : [open.meta.rows.length, open.meta.cols.length];
    const longest = Math.max(rows, columns);
    const most = pair.wide || rows > 20 ? TALL : 400;
    const limits = {
      tall: inSight(host, most, HALL2 + (rows > 20 ? 24 : 0), rows),
      area,
      cap: pair.wide ? 46 : 52,
      deep: pair.wide ? 0 : DEEP
    };
    pair.map.frame = heatGeometry(open.combined, pair.sides[1], u, limits);
    const beside = pair.beside(pair.map.frame, longest, limits.tall * u);
    const several = open.seen.length > 1;
    const tall = inSight(host, longest > 20 ? TALL : 400, -Infinity);
    pair.lines.frame = columnsGeometry(open.combined, pair.sides[0], u, { tall, area, several, ...beside });
  }
  function headLines(head) {
    const { open, own, host } = head;
    const c = host.colours;
    const { rows, cols, cell } = head.pins.active;
    const focus = { rows, cols: cell ? /* @__PURE__ */ new Set() : cols };
    const { seen, range } = open;
    const apart2 = (g) => Math.min(2.2 * g.u, g.rowPitch / (seen.length + 1));
    const lines = seen.map((k, m) => {
      const hue = open.hueOf(k, c);
      const twoHues = open.signed && range.scale === "diverging" && seen.length === 1;
      return columnLines(open.sheets[k], focus, {
        threshold: own.threshold,
        top: range.top,
        faint: 1 / Math.sqrt(seen.length),
        shift: (g) => (m - (seen.length - 1) / 2) * apart2(g),
        hue: twoHues ? (v) => v >= 0 ? c.positive : c.negative : () => hue
      });
    });
    const words = (p, g) => {
      const named = [...cell ? cols : [], ...paintSums(p, head, g, focus)];
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
    const { items, line, y, pitch } = side;
    const sums = open.seen.map((k) => sumOf(open.sheets[k], items, line));
    const peak = (n2) => Math.max(...sums.map((sum) => Math.abs(sum[n2])));
    const worth = unit === "number" || unit === "length" ? 0.2 * open.range.top : 0.05;
    const most = Array.from(sums[0] ?? [], (_, n2) => n2).filter((n2) => peak(n2) >= worth);
    const put = [];
    for (const n2 of most.sort((a, b) => peak(b) - peak(a)).slice(0, MOST_SUMS)) {
      if (put.some((m) => Math.abs(m - n2) * pitch < 14 * u)) continue;
      put.push(n2);
      const numbers = sums.map((sum) => sum[n2]);
      const label = (v) => items.size > 1 && unit === "share" ? fixed(v, 2) : shown(v, unit).replace(" points", "");
      if (numbers.length > 1) paintBars(p, head, u, side, n2, numbers, label);
      else {
        const fill2 = head.host.colours[`${open.meta.kind}_text`];
        p.text(side.x, y(n2), label(numbers[0]), {
          baseline: "middle",
          size: typeSize(12.5, u),
          align: side.align,
          fill: fill2
        });
      }
    }
    return put;
  }
  function paintBars(p, head, u, { x, y, align, pitch, items }, n2, numbers, label) {
    const { open, host } = head;
    const c = host.colours;
    const longest = numbers.reduce((a, b) => Math.abs(b) > Math.abs(a) ? b : a, 0);
    const inward = align === "right" ? -1 : 1;
    const pen = { size: typeSize(12, u), fill: c.muted };
    p.text(x + inward * 46 * u, y(n2), label(longest), { ...pen, align, baseline: "middle" });
    const tall = Math.min(4 * u, (Math.min(pitch, 22 * u) - 2) / numbers.length);
    numbers.forEach((v, m) => {
      const w = Math.max(1, Math.min(1, Math.abs(v) / (open.range.top * items.size)) * 40 * u);
      const top = y(n2) + (m - numbers.length / 2) * tall;
      p.rect(inward < 0 ? x - w : x, top, w, tall * 0.85, { fill: open.hueOf(open.seen[m], c) });
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
      draw: (p) => pair.paint(p, head.host.colours, axes()),
      legend: () => headLegend(head),
      words: () => headSentence(head),
      rows() {
        const { meta, sheets, seen } = head.open;
        if (sheets.length === 1) return [TABLE_HEAD, ...tableOf(sheets[0], meta.kind === "encoder", csvNumber)];
        const lines = seen.flatMap(
          (k) => tableOf(sheets[k], meta.kind === "encoder", csvNumber).map((line) => [meta.heads[k].name, ...line])
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
      const title = TOUCH ? tr("Show or hide") : tr("Click to show or hide; double-click to isolate");
      const button = el("button", { class: "swatch", title }, dot, name);
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
    const hint2 = el(
      "span",
      { class: "swatch-hint" },
      TOUCH ? tr("Tap a head to hide it") : tr("Click to hide; double-click to isolate")
    );
    head.swatches.replaceChildren(...buttons, hint2);
  }
  function drawnAs(head) {
    const choices = [
      ["map", tr("Map")],
      ["lines", tr("Lines")]
    ];
    const buttons = choices.map(([picture, words]) => el("button", { onclick: () => show3(picture) }, words));
    const show3 = (picture) => {
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
    const label = tr("Hide lines below this weight");
    const range = { type: "range", min: 0, max: 50, step: 1, "aria-label": label };
    const slider = el("input", { class: "slider", ...range });
    const readout = el("output");
    slider.addEventListener("input", () => {
      own.threshold = Number(slider.value) / 100;
      show3();
      head.soon();
    });
    slider.addEventListener("change", () => head.reportView());
    const log = checkbox(tr("log colour"), (on) => {
      own.log = on;
      head.build();
      head.relayout();
      head.reportView();
    });
    const show3 = () => {
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
    return { unit, show: show3 };
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
      const words = { name: "detail", axes: axes(), between: [this.parts.readout], over: [this.band] };
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
      this.parts.tell({ title: headTitle(this), readout: headSentence(this) });
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
      const fits = open.meta.mode === "weights" && !open.off.size && JSON.stringify([opened.rows, opened.cols]) === words;
      const values = fits ? opened.values : null;
      parts.node.classList.toggle("waiting", !values && nameOf(open.meta.pairs) !== name);
      if (!values) return;
      const names = opened.heads.map((head) => head.join("."));
      const { all } = opened;
      const title = names.length ? headsTitle(names) : capital(all.subject);
      const named = names.length ? names.map((name2) => ({ name: name2, subject: tr("head {name}", { name: name2 }) })) : [{ name: tr("all"), subject: all.subject }];
      open.meta = {
        ...open.meta,
        pairs: opened.heads,
        title,
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
    const reduced = meta.labelled ? "" : ` · ${tr("each cell: the largest of {tall} × {wide}", { tall, wide })}`;
    return what + reduced;
  }

  // shared/wall_drawing.ts
  var spokenScore = (v) => v === null ? "–" : minus(fixed(v, 2));
  function writtenScore(heads, head, name = heads.own.badge) {
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
    const [name, score] = [short, writtenScore(wall.heads, head)];
    const line = y + h + 14 * u;
    const { stacked } = wall.layout;
    const scored = wall.heads.own.badge !== "";
    const alone = scored && !stacked && textWidth(name + score, size, false, weight) + 3 * u > w;
    p.text(x, line, name, { size, alpha, ...alone ? { fill: fill2, weight } : { fill: c.muted } });
    if (!scored || alone) return;
    const [at, below] = stacked ? [x, line + UNDER * size] : [x + w, line];
    p.text(at, below, score, { size, align: stacked ? "left" : "right", weight, fill: fill2, alpha });
  }
  function captionWidth({ heads }, u) {
    if (heads.own.badge === "") return 0;
    const written2 = heads.pictures.map((_, head) => heads.nameOf(head) + writtenScore(heads, head));
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
  var UNDER = 1.1;
  var EDGE2 = 6;
  function wallLayout(meta, order, asInModel, full, u, spread = false, caption = 0) {
    const room = full - EDGE2 * u;
    const gap = (spread ? u > 1 ? 9 : 13 : 7) * u;
    const layered = (meta.quantity?.pictures.length ?? 0) > 0;
    const label = asInModel && !(layered && meta.layers === 1) ? 26 * u : 0;
    const fits = (pixels2) => Math.floor((room - label + gap) / (pixels2 * u + gap));
    const inLayer = headsInLine(meta.heads, fits(layered ? 110 : u > 1 ? 30 : 54));
    const wraps = Math.ceil(meta.heads / inLayer);
    const across = asInModel ? inLayer : evenly(order.length, Math.max(inLayer, Math.min(12, fits(78))));
    const w = Math.min((layered ? 260 : 150) * u, (room - label - gap * (across - 1)) / across);
    const stacked = u > 1 && caption > w;
    const foot = 18 * u + (stacked ? UNDER * typeSize(12, u) : 0);
    const lines = asInModel ? meta.layers * wraps : Math.ceil(order.length / across);
    const h = headHeight(meta, w, lines, u, foot);
    const line = h + foot + 16 * u;
    const sizes = { u, room, w, h, foot, stacked, across };
    const layout = { ...sizes, height: 40 * u, at: /* @__PURE__ */ new Map(), labels: [] };
    order.forEach((head, n2) => {
      const [layer, k] = [Math.floor(head / meta.heads), head % meta.heads];
      const [row, column2] = asInModel ? [layer * wraps + Math.floor(k / across), k % across] : [Math.floor(n2 / across), n2 % across];
      const x = asInModel ? label + column2 * (w + gap) : 5 * u + column2 * (w + gap - 5 * u / across);
      layout.at.set(head, { x, y: 6 * u + row * line });
    });
    const tall = wraps * line - foot - 16 * u;
    const middle = (n2) => 6 * u + n2 * wraps * line + tall / 2;
    if (label) layout.labels = Array.from({ length: meta.layers }, (_, n2) => [n2, middle(n2), tall]);
    for (const { y } of layout.at.values()) layout.height = Math.max(layout.height, y + h + foot + 6 * u);
    return layout;
  }
  function evenly(total, most) {
    const fewest = Math.ceil(0.6 * most);
    const counts = Array.from({ length: most - fewest + 1 }, (_, n2) => most - n2);
    return counts.find((count) => total % count === 0) ?? most;
  }
  var headsInLine = (heads, fit) => Math.ceil(heads / Math.ceil(heads / Math.max(1, Math.min(heads, fit))));
  function headHeight(meta, w, lines, u, foot) {
    const [rows, cols] = meta.shape;
    const natural = w * Math.min(1.5, Math.max(0.55, rows / cols));
    const most = meta.quantity?.pictures.length ? natural : meta.square ? w * 1.12 : w * 1.75;
    const aimed = Math.min(most, meta.tall * u / lines - foot - 12 * u);
    const wanted = u > 1 ? Math.min(Math.max(natural, 1.3 * w), aimed) : Math.max(natural, aimed);
    return Math.max((u > 1 ? 26 : 34) * u, Math.min(wanted, 220 * u));
  }

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
  function scores(heads, head) {
    const { badge } = heads.own;
    const names = [badge, ...Object.keys(heads.meta.scores).filter((name) => name !== badge)];
    return names.filter((name) => heads.score(head, name) !== null).slice(0, 5).map((name) => [lowered(heads.meta.scores[name].label), writtenScore(heads, head, name)]);
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
    const words = rowWords(meta.rows[row], { verb: verbOf(meta.kind, meta.one_label), read: meta.reads[row] });
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
  function aboutBadge({ meta, own }) {
    const lines = el("dl", { class: "wall-lines", hidden: true });
    const opens = { class: "quiet", "aria-expanded": "false" };
    const open = el("button", { ...opens, onclick: () => tell(lines.hidden) }, tr("more"));
    const line = el("span");
    const node = el("div", { class: "wall-about", hidden: true }, el("p", {}, line, " ", open), lines);
    const tell = (all = !lines.hidden) => {
      const { label = "", definition = "", explained = [] } = meta.scores[own.badge] ?? {};
      line.textContent = `${label}, ${meta.about}. ${definition}`;
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
        class: "wall-layer",
        ...words,
        onclick: () => wall.opening.pressLayer(layer)
      });
    });
    wall.grid.replaceChildren(...layers, ...heads);
    return { heads, layers };
  }
  function wordsOfHead(all, head) {
    const scores2 = Object.entries(all.meta.scores).filter(([, score]) => score.values[head] !== null).map(
      ([name, { label, units }]) => `${lowered(label)} ${writtenScore(all, head, name)}${units ? ` ${units}` : ""}`
    );
    const [layer, k] = all.pairOf(head);
    const who = all.layered ? all.nameOf(head) : tr("Layer {layer}, head {head}", { layer, head: k });
    return labelled(who, scores2.join(", ") || tr("no scores"));
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
      button.setAttribute("aria-label", wordsOfHead(wall.heads, head));
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
  var keyWords2 = () => [
    ["← ↑ → ↓", tr("Move between heads or cells")],
    ["Enter", tr("Open the head, pin the cell")],
    ["Shift + Enter", tr("Overlay the head")],
    ["Esc", tr("Unpin, then close the head")],
    ["Space", tr("Play the joint view")],
    ["F", tr("Fill the screen with a card; F or Esc returns")],
    ["?", tr("Show this list")]
  ];
  var HALL3 = 322;
  var how = () => TOUCH ? tr("Tap a head to open it") : tr("Click a head to open it; Shift-click to overlay");
  function subtitleOf(heads, hall) {
    const kept = heads.pictures.filter((_, head) => heads.passes(head)).length;
    const total = heads.pictures.length;
    const least = heads.own.least === null ? "" : tr("{kept} of {total} heads shown", { kept, total });
    const press = hall ? "" : heads.meta.how || how();
    return [heads.meta.subtitle, least, press].filter(Boolean).join(" · ");
  }
  var Wall = class extends CardView {
    canvas = el("canvas", { class: "picture", "aria-hidden": "true" });
    grid = el("div", { class: "wall-heads", role: "group" });
    tip = el("div", { class: "tip wall-preview", hidden: true, "aria-hidden": "true" });
    none = el("p", { class: "wall-none", hidden: true }, tr("No head reaches this score."));
    legend = el("canvas", { class: "picture" });
    foot = el("div", { class: "foot" }, this.legend);
    about = el("div", { hidden: true });
    keys = keyList(keyWords2());
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
      this.parts.tell({ subtitle: subtitleOf(heads, this.host.scale > 1) });
    }
    relayout(moving = false) {
      const before = this.layout?.at;
      const { meta, own } = this.heads;
      const room = this.parts.body.clientWidth;
      const arrayed = { ...meta, tall: inSight(this.host, meta.tall, HALL3) };
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
      const marks2 = pair ? [mark("best", tr("top heads for the pair")), mark("open", tr("open")), mark("cell", pair.name)] : [];
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

  // export/heads.ts
  async function inflate(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  }
  async function read(filed) {
    const packed = { fields: filed.fields, arrays: filed.arrays };
    for (const [n2, [, type]] of filed.arrays.entries())
      packed[`column${n2}`] = new ARRAYS[type](await inflate(filed[`column${n2}`]));
    return revive(packed);
  }
  function bestHead(meta) {
    const values = meta.scores[meta.arranged.badge]?.values ?? [];
    let best = -1;
    values.forEach((v, head) => {
      if (v !== null && v > (values[best] ?? -Infinity)) best = head;
    });
    return best;
  }
  function headData(meta, heads, valuesOf = (head) => weightsOf(meta, meta.levels, head)) {
    const [rows, cols] = meta.shape;
    const pairs = heads.map((head) => [Math.floor(head / meta.heads), head % meta.heads]);
    const names = pairs.map((pair) => pair.join("."));
    const scores2 = Object.values(meta.scores).filter((score) => score.values[heads[0]] !== null);
    const spoken2 = scores2.slice(0, 3).map(({ label, values: v }) => `${label.toLowerCase()} ${spokenScore(v[heads[0]])}`);
    const words = (labels, count) => meta.labelled ? labels : Array.from({ length: count }, (_, n2) => String(n2 * meta.block[0]));
    return {
      kind: meta.kind,
      mode: "weights",
      unit: "share",
      tag: "",
      pairs,
      quantity: null,
      title: headsTitle(names),
      subtitle: heads.length > 1 || meta.pair ? "" : spoken2.join(" · "),
      reads: meta.reads.length ? words(meta.reads, rows) : [],
      heads: heads.map((head, k) => ({
        name: names[k],
        subject: tr("head {name}", { name: names[k] }),
        hidden: null,
        values: valuesOf(head)
      })),
      written: meta.written,
      current: null,
      distribution: meta.labelled && meta.distribution,
      one_label: meta.one_label,
      rows: words(meta.rows, rows),
      cols: words(meta.cols, cols),
      pins: { rows: [], columns: [] },
      viewed: { threshold: null, log: null, zoom: null },
      report: false,
      ranking: [],
      bare: false,
      file: `${meta.kind}-head-${names.join("-")}`
    };
  }
  var KindViews = class {
    constructor(wall, detail, picked) {
      this.wall = wall;
      this.detail = detail;
      this.picked = picked;
    }
    wall;
    detail;
    picked;
    drawn = null;
    ends = [];
    update(meta, detail) {
      this.drawn = { meta, detail };
      this.draw();
    }
    /** Draws again, as after a change of the colours. */
    draw() {
      if (!this.drawn) return;
      const { meta, detail } = this.drawn;
      const page2 = (parentElement) => ({
        parentElement,
        setTriggerValue: (name, answer) => {
          if (name !== "picked") return;
          const { heads } = answer;
          this.picked(heads.map(([layer, head]) => layer * meta.heads + head));
        }
      });
      this.detail.hidden = !detail;
      this.ends = [show2(page2(this.wall), meta, (root, host) => new Wall(root, host))];
      if (detail) this.ends.push(show2(page2(this.detail), detail, (root, host) => new Head(root, host)));
    }
    /** Takes the views down, once they are off the page. */
    close() {
      this.ends.forEach((end) => end());
    }
  };
  async function showKind(filed, n2) {
    const meta = await read(filed);
    const element = (name) => document.getElementById(`${name}-${n2}`);
    const views = new KindViews(element("wall"), element("detail"), (heads) => draw(heads));
    const draw = (heads) => views.update({ ...meta, open: heads }, heads.length ? headData(meta, heads) : null);
    draw(meta.open ?? [bestHead(meta)].filter((head) => head >= 0));
    return () => views.draw();
  }
  function listenForModes(redraw) {
    const prefersDark = matchMedia("(prefers-color-scheme: dark)");
    prefersDark.addEventListener("change", redraw);
    document.addEventListener("click", ({ target }) => {
      if (!target.closest("#mode")) return;
      const { dataset } = document.documentElement;
      const dark = dataset.mode ? dataset.mode === "dark" : prefersDark.matches;
      dataset.mode = dark ? "light" : "dark";
      redraw();
    });
  }
  function linkTabs(tabs, sections, opened) {
    const open = (n2) => {
      sections.forEach((section, k) => section.hidden = k !== n2);
      tabs.forEach((tab, k) => {
        tab.setAttribute("aria-selected", String(k === n2));
        tab.tabIndex = k === n2 ? 0 : -1;
      });
      opened(n2);
    };
    tabs.forEach((tab, n2) => {
      tab.addEventListener("click", () => open(n2));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = (n2 + step + tabs.length) % tabs.length;
        open(next);
        tabs[next].focus();
        event.preventDefault();
        event.stopPropagation();
      });
    });
    return open;
  }

  // export/notebook.ts
  async function showJoint(filed, n2) {
    const data = await read(filed);
    const parentElement = document.getElementById(`joint-${n2}`);
    const page2 = { parentElement };
    const draw = () => void show2(page2, data, (root, host) => new Joint(root, host));
    draw();
    return draw;
  }
  function notebook({ about, walls, joint }) {
    bus().last.about = about;
    const sections = [...document.querySelectorAll("section.kind")];
    const tabs = [...document.querySelectorAll('[role="tab"]')];
    const shown2 = sections.map(() => void 0);
    const open = linkTabs(tabs, sections, (n2) => {
      shown2[n2] ??= n2 < walls.length || !joint ? showKind(walls[n2], n2) : showJoint(joint, n2);
    });
    open(0);
    listenForModes(() => shown2.forEach((drawn2) => void drawn2?.then((redraw) => redraw())));
  }
  return __toCommonJS(notebook_exports);
})();
