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

  // export/live/live.ts
  var live_exports = {};
  __export(live_exports, {
    default: () => live
  });

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
  var plain = (parts2) => parts2.map((part) => typeof part === "object" && "muted" in part ? "" : wordsOf(part)).join("");
  function say(node, parts2) {
    node.replaceChildren(
      ...parts2.map((part) => {
        const words2 = wordsOf(part).replaceAll(" %", " %");
        if (typeof part === "string") return document.createTextNode(words2);
        const name = Object.keys(part)[0];
        const child = el(name === "muted" ? "span" : "bdi", { class: `say-${name}` }, words2);
        if (words2.startsWith("“")) child.dir = "ltr";
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
    const words2 = el("div", { class: "card-words" }, title, subtitle);
    const head = el("header", { class: "card-head" }, words2, controls);
    const node = el("section", { class: `card ${look2}`.trim() }, head, body);
    parent.append(node);
    const lines = { title, subtitle, readout };
    const tell = (words3) => {
      for (const [name, line] of Object.entries(lines)) {
        const given = words3[name];
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

  // web/base/colour.ts
  var hexToRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
  var toLinear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  var toEncoded = (c) => c <= 31308e-7 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
  var clamp01 = (x) => Math.min(1, Math.max(0, x));
  function oklab(hex) {
    const [r3, g, b] = hexToRgb(hex).map(toLinear);
    const l = Math.cbrt(0.4122214708 * r3 + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r3 + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r3 + 0.2817188376 * g + 0.6299787005 * b);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
    ];
  }
  function oklabToHex([L2, a, b]) {
    const l = (L2 + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (L2 - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (L2 - 0.0894841775 * a - 1.291485548 * b) ** 3;
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
    return oklabToHex(a.map((v2, i) => v2 + (b[i] - v2) * share));
  }
  var rampTable = (from, to) => Array.from({ length: 256 }, (_2, i) => mix(from, to, i / 255));
  var kindRamp = (c, kind) => rampTable(c.panel, c[`${kind}_text`]);
  var divergingTable = (c) => Array.from({ length: 256 }, (_2, i) => {
    const value = i / 127.5 - 1;
    return value >= 0 ? mix(c.neutral, c.positive, value) : mix(c.neutral, c.negative, -value);
  });
  function luminance(hex) {
    const [r3, g, b] = hexToRgb(hex).map(toLinear);
    return 0.2126 * r3 + 0.7152 * g + 0.0722 * b;
  }
  function contrast(a, b) {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y2) => y2 - x);
    return (high + 0.05) / (low + 0.05);
  }
  var READABLE = 4.5;
  var better = (fill2, a, b) => contrast(fill2, a) >= contrast(fill2, b) ? a : b;
  function readableOn(fill2, c) {
    const own = better(fill2, c.ink, c.panel);
    return contrast(fill2, own) >= READABLE ? own : better(fill2, "#000000", "#ffffff");
  }
  var inkOn = (fill2, c) => readableOn(fill2, { ink: readableOn(fill2, c), panel: c.background });

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
  function announce(topic, words2) {
    bus().last[topic] = words2;
    bus().dispatchEvent(new CustomEvent(topic, { detail: words2 }));
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
        const words2 = JSON.stringify(value);
        const nth = waiting.indexOf(words2);
        const echo = words2 === last || nth >= 0;
        waiting = waiting.slice(nth + 1);
        last = words2;
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
    const parts2 = new Intl.NumberFormat(languageCode()).formatToParts(12345.6);
    const mark = (type) => parts2.find((part) => part.type === type)?.value ?? "";
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
    const containers = charts.map((chart) => chart.closest(CONTAINER) ?? chart);
    const words2 = find(CONTAINER).filter(
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
    const undo = words2.map((container) => dress(container, { zoom: String(times2) }));
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
    const fits2 = Math.min(clientWidth / width, clientHeight / height);
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
  var topIndices = (values, count) => Array.from(values, (_2, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
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
      rect(x, y2, w2, h2, o) {
        const shape = new Path2D();
        if (o.radius) shape.roundRect(x, y2, w2, h2, Math.max(0, Math.min(o.radius, w2 / 2, h2 / 2)));
        else shape.rect(x, y2, w2, h2);
        put(shape, o);
      },
      circle(x, y2, r3, o) {
        const shape = new Path2D();
        shape.arc(x, y2, r3, 0, 2 * Math.PI);
        put(shape, o);
      },
      curve(a, b, c, d, o) {
        const shape = new Path2D();
        shape.moveTo(...a);
        shape.bezierCurveTo(...b, ...c, ...d);
        put(shape, o);
      },
      path: (d, o) => put(new Path2D(d), o),
      image(x, y2, w2, h2, canvas) {
        context2.globalAlpha = 1;
        context2.imageSmoothingEnabled = false;
        context2.drawImage(canvas, x, y2, w2, h2);
      },
      text(x, y2, words2, o = {}) {
        pen(o);
        writeText(context2, x, y2, words2, o);
      }
    };
  }
  function writeText(context2, x, y2, words2, o) {
    context2.save();
    context2.translate(x, y2);
    if (o.rotate) context2.rotate(o.rotate * Math.PI / 180);
    context2.font = `${o.weight ?? 400} ${o.size ?? 13}px ${o.mono ? MONO : SANS}`;
    context2.textAlign = o.align ?? "left";
    context2.textBaseline = o.baseline ?? "alphabetic";
    context2.direction = TURNED.test(words2.replace(ISOLATED, "").match(FIRST_LETTER)?.[0] ?? "") ? "rtl" : "ltr";
    context2.fillText(words2, 0, 0);
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
  function svgText(x, y2, words2, o) {
    const anchors = { center: "middle", right: "end", end: "end" };
    const node = svgElement("text", {
      x: n(x),
      y: n(y2),
      transform: o.rotate ? `rotate(${o.rotate} ${n(x)} ${n(y2)})` : void 0,
      "font-family": o.mono ? MONO : SANS,
      "font-size": n(o.size ?? 13),
      "font-weight": o.weight,
      "text-anchor": anchors[o.align ?? ""],
      "dominant-baseline": o.baseline === "middle" ? "central" : void 0,
      "unicode-bidi": "plaintext",
      ...svgPen(o)
    });
    node.textContent = words2.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�");
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
    const at2 = (point) => point.map(n).join(",");
    return {
      rect: (x, y2, w2, h2, o) => add("rect", { x: n(x), y: n(y2), width: n(w2), height: n(h2), rx: o.radius, ...svgPen(o) }),
      circle: (x, y2, r3, o) => add("circle", { cx: n(x), cy: n(y2), r: n(r3), ...svgPen(o) }),
      curve: (a, b, c, d, o) => add("path", { d: `M${at2(a)} C${at2(b)} ${at2(c)} ${at2(d)}`, ...svgPen(o) }),
      path: (d, o) => add("path", { d, ...svgPen(o) }),
      image(x, y2, w2, h2, canvas) {
        const box = { x: n(x), y: n(y2), width: n(w2), height: n(h2), preserveAspectRatio: "none" };
        add("image", { ...box, href: canvas.toDataURL(), style: "image-rendering:pixelated" });
      },
      text: (x, y2, words2, o = {}) => void svg.append(svgText(x, y2, words2, o)),
      svg,
      blob: () => new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" })
    };
  }
  function shifted(p, dx, dy) {
    const move2 = ([x, y2]) => [x + dx, y2 + dy];
    return {
      ...p,
      rect: (x, y2, w2, h2, o) => p.rect(x + dx, y2 + dy, w2, h2, o),
      circle: (x, y2, r3, o) => p.circle(x + dx, y2 + dy, r3, o),
      curve: (a, b, c, d, o) => p.curve(move2(a), move2(b), move2(c), move2(d), o),
      text: (x, y2, words2, o) => p.text(x + dx, y2 + dy, words2, o),
      image: (x, y2, w2, h2, canvas) => p.image(x + dx, y2 + dy, w2, h2, canvas),
      path: (d, o) => p.path(
        d.replace(
          /([ML])(-?[\d.]+) (-?[\d.]+)/g,
          (_2, to, x, y2) => `${to}${Number(x) + dx} ${Number(y2) + dy}`
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
  function textWidth(words2, size, mono = true, weight = 400) {
    const pen = measuring();
    pen.font = `${weight} ${size}px ${mono ? MONO : SANS}`;
    return pen.measureText(words2).width;
  }
  function shorten(words2, width, size, mono = true) {
    if (textWidth(words2, size, mono) <= width) return words2;
    const letters = [...words2];
    while (letters.length > 1 && textWidth(`${letters.join("")}…`, size, mono) > width) letters.pop();
    return `${letters.join("")}…`;
  }
  function wrapText(words2, width, size, weight = 400) {
    const lines = [""];
    for (const word of words2.split(" ")) {
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
  var wrapForFile = (words2, width, size, weight = 400) => wrapText(words2, width, OTHER_TYPE[weight < 600 ? "plain" : "bold"] * size, weight);
  var captionOf = (who, width, u, about = bus().last.about) => wrapForFile([who, about].filter(Boolean).join(" · "), width, 13 * u).filter(Boolean);
  var paintCaption = (p, lines, u, fill2) => lines.forEach((line, n2) => p.text(2, (n2 * LINE + 13) * u, line, { size: 13 * u, fill: fill2 }));
  var captionHeight = (lines, u) => lines.length ? (lines.length * LINE + 6) * u : 0;
  function leavingMenu(host, png, svg, csv) {
    const item = (words2, title, action) => {
      const press = () => {
        close();
        action();
      };
      const looks2 = { class: "menu-item", role: "menuitem", title };
      return el("button", { ...looks2, onclick: press }, words2);
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
  var WEIGHT_OF_BYTE = Float32Array.from({ length: 256 }, (_2, b) => (b / 255) ** 2);
  function placer(scale, top, low = 0) {
    if (scale === "diverging") return (v2) => Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, v2 / top)));
    if (scale === "range") return (v2) => Math.round(255 * clamp01((v2 - low) / (top - low || 1)));
    if (scale === "log") {
      return (v2) => v2 <= low ? 0 : Math.round(255 * clamp01(1 - Math.log(v2 / top) / Math.log(low / top)));
    }
    return (v2) => Math.round(255 * clamp01(v2 / top) ** TOKENS.gamma);
  }
  function indexOf(rows, cols, at2, position) {
    const index = new Int16Array(rows * cols);
    for (let i = 0, n2 = 0; i < rows; i++) {
      for (let j2 = 0; j2 < cols; j2++, n2++) {
        const v2 = at2(i, j2);
        index[n2] = Number.isNaN(v2) ? -1 : position(v2);
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
  }, at2, table, look2 = {}) {
    const { scale = "weight", top = 1, unit = "share" } = look2;
    const low = look2.low ?? (scale === "log" ? logFloor(cols.length) : 0);
    const index = indexOf(rows.length, cols.length, at2, placer(scale, top, low));
    return {
      rows,
      cols,
      reads,
      oneLabel,
      written: written2,
      at: at2,
      index,
      table,
      neutral: scale === "diverging" ? 128 : 0,
      unit
    };
  }
  var rowOf = (sheet, i) => sheet.cols.map((_2, j2) => {
    const v2 = sheet.at(i, j2);
    return Number.isNaN(v2) && sheet.unit !== "number" ? 0 : v2;
  });
  var columnOf = (sheet, j2) => Array.from({ length: sheet.written }, (_2, i) => sheet.at(i, j2));
  function sumOf(sheet, items, line) {
    const sum2 = new Array(line === rowOf ? sheet.cols.length : sheet.written).fill(0);
    for (const item of items) line(sheet, item).forEach((v2, n2) => sum2[n2] += Number.isFinite(v2) ? v2 : 0);
    return sum2;
  }
  function tableOf(sheet, ofEncoder, number) {
    const lines = [];
    const readAlone = ofEncoder || sheet.oneLabel;
    for (let i = 0; i < sheet.written; i++) {
      const query = readAlone ? [sheet.rows[i], ""] : [sheet.reads?.[i] ?? "", sheet.rows[i]];
      sheet.cols.forEach((word, j2) => lines.push([i, ...query, j2, word, number(sheet.at(i, j2))]));
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
    const rough = (v2) => localised(length ? String(Number((v2 * length).toPrecision(1))) : `${Number((v2 * 100).toPrecision(1))} %`);
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
  function paintLegend(p, x, y2, u, { table, stops, position = (share) => Math.round(255 * share), words: words2 }, c) {
    const [w2, h2, size] = [120 * u, 8 * u, typeSize(11, u)];
    for (let k2 = 0; k2 < 60; k2++) {
      p.rect(x + k2 * w2 / 60, y2, w2 / 60 + 0.6, h2, { fill: table[position(k2 / 59)] });
    }
    p.rect(x, y2, w2, h2, { stroke: c.line, width: 1 });
    for (const [at2, label] of stops) {
      const align = at2 < 0.08 ? "left" : at2 > 0.92 ? "right" : "center";
      p.text(x + at2 * w2, y2 + h2 + size + u, label, { size, align, fill: c.muted });
    }
    p.text(x + w2 + 10 * u, y2 + h2, words2, { size, fill: c.muted });
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
  var written = (words2) => typeof words2 === "string" ? words2 : plain(words2);
  function partsOf({ scale: u, colours: c }, leaving) {
    const { who, about, size, draw, legend } = leaving;
    const [title, subtitle, words2] = [leaving.title, leaving.subtitle, leaving.words].map(
      (words3) => written(words3?.() ?? "")
    );
    const [wide, tall] = size();
    const width = title || words2 ? exportWidth(wide, u) : wide;
    const caption = captionOf(who?.() ?? "", width, u, about?.());
    const parts2 = [
      [captionHeight(caption, u), (p) => paintCaption(p, caption, u, c.muted)]
    ];
    const write = (text, pen, { first, step, extra }) => {
      if (!text) return;
      const lines = wrapForFile(text, width - 4, pen.size, pen.weight);
      const paint = (p) => lines.forEach((line, n2) => p.text(2, (first + step * n2) * u, line, pen));
      parts2.push([(extra + step * lines.length) * u, paint]);
    };
    write(title, { size: 16 * u, weight: 650, fill: c.ink }, { first: 18, step: 18, extra: 12 });
    write(subtitle, { size: typeSize(12.5, u), fill: c.muted }, { first: 7, step: 17, extra: 5 });
    parts2.push([tall, draw]);
    if (legend) parts2.push([34 * u, (p) => paintLegend(p, 2, 8 * u, u, legend(), c)]);
    write(words2, { size: 13 * u, fill: c.ink }, { first: 20, step: 17, extra: 16 });
    return { width, parts: parts2 };
  }
  function exportMenu(host, leaving) {
    const { name, rows } = leaving;
    const picture = () => {
      const { width, parts: parts2 } = partsOf(host, leaving);
      const height = parts2.reduce((sum2, [tall]) => sum2 + tall, 0);
      const draw = (painter) => {
        let y2 = EDGE;
        for (const [tall, part] of parts2) {
          part(shifted(painter, EDGE, y2));
          y2 += tall;
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
  var field = (words2, control, after = null) => el("label", { class: "field" }, el("span", { class: "field-name" }, words2), control, after);
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
    select.replaceChildren(...options.map(([id, words2]) => el("option", { value: id }, words2)));
    select.value = String(value);
  }
  var MEAN = "mean";
  function fillCounted(pick, count, one, value) {
    const layers = one === "layer";
    const name = (number) => layers ? tr("layer {number}", { number }) : tr("head {number}", { number });
    const options = Array.from({ length: count }, (_2, n2) => [n2, name(n2)]);
    if (count > 1)
      options.unshift([
        MEAN,
        layers ? tr("mean of {count} layers", { count }) : tr("mean of {count} heads", { count })
      ]);
    fillChooser(pick, options, value ?? (count > 1 ? MEAN : 0));
  }
  function checkbox(words2, change) {
    const box = el("input", { type: "checkbox", onchange: () => change(box.checked) });
    return { box, node: el("label", { class: "field" }, box, words2) };
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
    const words2 = { "aria-label": label, title: TOUCH ? label : `${label} (?)`, "aria-expanded": "false" };
    const button = el("button", { class: look2, ...words2, onclick: toggle }, "?");
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
    const button = (name, label, action, words2 = "") => {
      const looks = { class: "button", "aria-label": label, title: label };
      return el("button", { ...looks, onclick: action }, icon(name), words2);
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
        const owner = path.slice(0, -1).reduce((at2, step) => at2[step], data);
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
    const tip = (words2, x, y2) => {
      node.hidden = !words2.length;
      if (node.hidden) return;
      say(node, typeof words2 === "string" ? [words2] : words2);
      const room = root.clientWidth - node.offsetWidth - 4;
      node.style.transform = `translate(${Math.max(0, Math.min(room, x + 12))}px, ${y2 + 14}px)`;
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
  function onPage2(most, used, words2) {
    const scrolls = words2 <= PAGE.words || words2 > ALL_WORDS || window.innerWidth < PAGE.wide;
    if (scrolls || !document.querySelector('[data-testid="stApp"]')) return most;
    return Math.min(most, Math.max(PAGE.row * words2, window.innerHeight - used - PAGE.more));
  }
  function inSight({ scale, root }, most, used, words2 = 0) {
    const { slideRoom } = root.dataset;
    if (slideRoom) return Math.min(most, Number(slideRoom));
    if (scale <= 1) return onPage2(most, used, words2);
    const needed = words2 > ALL_WORDS ? 0 : words2 * WORD_HEIGHT;
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

  // web/maps/selection.ts
  var focusOn = (at2) => ({
    rows: new Set(at2?.row === void 0 ? [] : [at2.row]),
    cols: new Set(at2?.col === void 0 ? [] : [at2.col])
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
    hover(at2) {
      if (sameCell(this.hovered, at2)) return;
      this.hovered = at2;
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
    toggle(at2) {
      super.toggle(at2);
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

  // translate/next_word.ts
  var SHORT = 11;
  function candidates({ ids, labels, probabilities: probabilities2, chosen: chosen2, extra, barred, cut }) {
    let kept = 0;
    const listed = ids.map((id, n2) => {
      const bars = barred.includes(id);
      if (!bars) kept += 1;
      const last = cut !== null && !bars && kept === cut.count;
      return {
        id,
        label: labels[n2],
        probability: probabilities2[n2],
        rank: n2 + 1,
        listed: true,
        barred: bars,
        cut: last
      };
    });
    if (!extra || chosen2 === null) return listed;
    return [...listed, { ...extra, id: chosen2, listed: false, barred: false, cut: false }];
  }
  function leastCertain(steps) {
    const of = ({ ids, probabilities: probabilities2, chosen: chosen2, extra }) => extra?.probability ?? probabilities2[ids.indexOf(chosen2 ?? -1)] ?? 1;
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
    tagOf({ id, listed, rank: rank2, barred }) {
      if (id === this.step.chosen && this.step.forced) return tr("forced");
      if (barred) return tr("never written");
      if (id === this.step.fixed) return tr("always first");
      return listed ? "" : tr("rank {rank}", { rank: grouped(rank2) });
    }
    /* ---------- leaving the page ---------- */
    get leaving() {
      const u = () => this.host.scale;
      return {
        size: () => [420 * u(), (candidates(this.step).length + 1) * 24 * u()],
        draw: (p) => this.draw(p, u()),
        rows: () => [
          ["rank", "token", "id", "probability", "written"],
          ...candidates(this.step).map(({ rank: rank2, label, id, probability }) => [
            ...[rank2, label, id, probability],
            id === this.step.chosen ? "yes" : ""
          ])
        ]
      };
    }
    draw(p, u) {
      const c = this.host.colours;
      const { cut, chosen: chosen2 } = this.step;
      const words2 = cut?.label ?? "";
      const track = 120 * u;
      candidates(this.step).forEach((candidate, n2) => {
        const { label, probability, id } = candidate;
        const y2 = n2 * 24 * u;
        const on = id === chosen2;
        const width = Math.max(2, probability * FULL / 100 * 300 * u);
        const word = shorten(visible(label), track - 10 * u, 15 * u);
        const weight = on ? 650 : 400;
        p.text(track - 10 * u, y2 + 17 * u, word, {
          size: 15 * u,
          mono: true,
          align: "right",
          weight,
          fill: c.ink
        });
        p.rect(track, y2 + 5 * u, width, 15 * u, { fill: on ? c[this.kind] : c.bar, radius: 4 * u });
        const number = [percent(probability, 1), this.tagOf(candidate)].filter(Boolean).join("  ");
        p.text(track + width + 8 * u, y2 + 17 * u, number, { size: 13 * u, fill: on ? c.ink : c.muted });
        if (!candidate.cut) return;
        p.rect(0, y2 + 24 * u, 420 * u, 1.5, { fill: c.causal });
        p.text(420 * u, y2 + 21 * u, words2, { size: 12 * u, align: "right", fill: c.causal_text });
      });
      const bottom = (candidates(this.step).length + 0.8) * 24 * u;
      p.text(track, bottom, restWords(this.step), { size: 13 * u, fill: c.muted });
    }
  };

  // web/marks/labels.ts
  var READ_SIZE = 0.92;
  var readSize = (size, u) => typeSize(READ_SIZE * size / u, u);
  var readPart = (read2) => read2 === void 0 ? "" : `${isolated(visible(read2))} → `;
  var every = (need, have) => Math.max(1, Math.ceil(need / have));
  function chosenLabels(from, to, step, active) {
    if (step === 1) return Array.from({ length: to - from }, (_2, i) => from + i);
    const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
    const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_2, i) => from + i * step);
    return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
  }
  var rowLength = (widths2, gap) => widths2.reduce((sum2, width) => sum2 + width + gap, 0);
  function spreadWords(widths2, length, gap) {
    const slot = length / widths2.length;
    if (widths2.every((width) => width + gap <= slot)) return widths2.map((_2, i) => (i + 0.5) * slot);
    const spare = Math.max(0, length - rowLength(widths2, gap)) / widths2.length;
    let x = 0;
    return widths2.map((width) => {
      const centre = x + (width + gap + spare) / 2;
      x += width + gap + spare;
      return centre;
    });
  }
  function fillSlots(widths2, slot, gap) {
    let end = 0;
    return widths2.map((width, i) => {
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
    return (j2) => Number(often.get(labels[j2])) > 1 ? phrase(tr("{word} (token {number})"), { word: strongly(labels[j2]), number: String(j2 + 1) }) : [strongly(labels[j2])];
  }
  var enumerate = (items) => items.flatMap((item, i) => i === 0 ? item : [i === items.length - 1 ? tr(" and ") : ", ", ...item]);
  function rowWords(label, { verb, read: read2 }) {
    if (verb === "Reading") return phrase(tr("From {word}"), { word: strongly(label) });
    if (read2 === void 0) return phrase(tr("Writes {word}"), { word: strongly(label) });
    return phrase(tr("Reads {read} → writes {written}"), { read: quoted(read2), written: strongly(label) });
  }
  var capital = (words2) => words2[0].toUpperCase() + words2.slice(1);
  var does = (subject, text, fields) => phrase(text, { subject, ...fields });
  function weightWords2(row, names, distribution, subject) {
    const order = topIndices(row, row.length);
    const top = row[order[0]];
    if (distribution && top < SPREAD_BELOW) {
      const total = row.reduce((a, b) => a + b, 0);
      const entropy = -row.reduce((sum2, w2) => sum2 + (w2 > 0 ? w2 / total * Math.log(w2 / total) : 0), 0);
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
    for (const j2 of order.slice(0, NAMED)) {
      if (named.length && (row[j2] < WORTH_NAMING || distribution && covered >= ENOUGH)) break;
      named.push(phrase(tr("{share} at {key}"), { share: spokenPercent(row[j2]), key: names(j2) }));
      covered += row[j2];
    }
    return does(subject, tr("{subject} looks {where}"), { where: enumerate(named) });
  }
  function contributionWords(row, names, length, subject) {
    const order = topIndices(row, NAMED);
    const worth = (length ? 0.1 * row[order[0]] : WORTH_NAMING) || 0;
    const named = order.filter((j2, rank2) => rank2 === 0 || row[j2] >= worth).map(
      (j2) => length ? phrase(tr("{length} for {key}"), { length: lengthWords(row[j2]), key: names(j2) }) : phrase(tr("{share} from {key}"), { share: spokenPercent(row[j2]), key: names(j2) })
    );
    const text = length ? tr("{subject} adds vectors of length {list}") : tr("{subject} draws {list}");
    return does(subject, text, { list: enumerate(named) });
  }
  function scoreWords(row, names, subject) {
    const allowed = row.map((_2, j2) => j2).filter((j2) => Number.isFinite(row[j2]));
    if (!allowed.length) return does(subject, tr("{subject} has no key to look at"), {});
    const order = allowed.sort((a, b) => row[b] - row[a] || a - b).slice(0, NAMED);
    const scored2 = order.map((j2) => [...names(j2), ` ${minus(fixed(row[j2], 2))}`]);
    return does(subject, tr("{subject} scores {list} before the softmax"), { list: enumerate(scored2) });
  }
  function differenceWords(row, names, subject) {
    const far = row.map(Math.abs);
    const order = topIndices(far, 2).filter((j2, rank2) => rank2 === 0 || far[j2] >= WORTH_NAMING);
    if (!(far[order[0]] >= NO_CHANGE)) return does(subject, tr("{subject} look the same"), {});
    const list = order.map(
      (j2) => phrase(tr("{points} at {key}"), { points: shown(row[j2], "points"), key: names(j2) })
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
    const weights2 = rowOf(sheet, row).map((weight, j2) => j2 === col ? -1 : weight);
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
    const worth = (j2) => total[j2] >= least;
    const top = topIndices(total, NAMED).filter((j2, rank2) => rank2 === 0 || worth(j2));
    const who = count > 4 ? [plural("{count} token", "{count} tokens", count)] : enumerate(rows.map(keyNames(queryLabels)));
    const list = enumerate(
      top.map((j2) => {
        const number = minus(fixed(total[j2], 2));
        const text = ofCount ? tr("{number} of {count} at {key}") : tr("{number} at {key}");
        return phrase(text, { number, count: String(count), key: names(j2) });
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
    const known = column2.map((v2) => Number.isFinite(v2) ? v2 : -Infinity);
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
    return phrase(tr("{keys}: largest when {rows}."), { keys, rows: rows((v2) => shown(v2, unit)) });
  }
  function meanLargest(sheet) {
    const largest3 = Array.from(
      { length: sheet.written },
      (_2, i) => Math.max(...rowOf(sheet, i).filter(Number.isFinite))
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
      const words2 = { ...context2, read: read2, hidden };
      sentence.push(...rowSentence(rowOf(sheet, only), sheet.rows[only], sheet.cols, words2));
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
    const words2 = (labels, indices) => enumerate(indices.map((n2) => [strongly(labels[n2])]));
    const most = (items, line, labels, link) => enumerate(
      sheets.map((sheet, k2) => {
        const sum2 = sumOf(sheet, items, line);
        const n2 = topIndices(sum2, 1)[0];
        const number = shown(sum2[n2] / items.length, sheet.unit);
        return phrase(link, { head: names[k2], word: strongly(labels[n2]), number });
      })
    );
    const { rows: queries, cols: keys } = sheets[0];
    if (from.length) {
      const where = most(from, rowOf, keys, tr("{head} at {word} ({number})"));
      const text = how2.verb === "Reading" ? tr("From {rows}: {where}.") : tr("Writing {rows}: {where}.");
      return phrase(text, { rows: words2(queries, from), where });
    }
    const when = most([...cols], columnOf, queries, tr("{head} at {word} ({number})"));
    return phrase(tr("{keys}, most from {where}."), { keys: words2(keys, [...cols]), where: when });
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
      const at2 = side === "source" ? { col: n2 } : { row: n2 };
      const waiting = () => side === "target" && n2 >= this.lines.frame.sheet.written;
      const show3 = () => !waiting() && this.lines.selection.hover(at2);
      onPreview(button, show3, () => this.lines.selection.hover(null));
      button.addEventListener("click", (event) => {
        if (waiting()) this.lines.go(n2 + 1);
        else this.lines.selection.toggle(at2);
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
        const words2 = waiting ? tr("Step {step}, not written yet", { step: n2 + 1 }) : visible(sheet.rows[n2]);
        button.setAttribute("aria-label", words2);
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
      const read2 = (pick) => pick.value === MEAN ? null : Number(pick.value);
      return { layer: read2(this.layer), head: read2(this.head) };
    }
  };
  var TYPING3 = 0.7;
  function stageBar(kindWords, picks, tools) {
    const aside = (words2) => el("span", { class: "stage-hint" }, words2);
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
  var CROWDED = 18;
  var ACROSS = 380;
  var LEGIBLE = 18;
  var gapOf = (u) => u > 1 ? 3 : 8;
  function unitOfWords(rows, room, u) {
    if (u <= 1) return u;
    const longest = Math.max(...rows.map((labels) => rowLength(widthsOf(labels, u), gapOf(u) * u)));
    return u * Math.min(1, Math.max(room / longest, LEGIBLE / (WORD * u)));
  }
  var widthsOf = (labels, w2) => labels.map((label) => Math.min(LONGEST * w2, textWidth(visible(label), WORD * w2)) + 14 * w2);
  function linesLayout({ rows, cols }, room, u, covered = false, tall = CURVES, deep = Infinity) {
    const w2 = unitOfWords(covered ? [cols] : [cols, rows], room, u);
    const gap = gapOf(u) * w2;
    const [source, target] = [widthsOf(cols, w2), widthsOf(rows, w2)];
    const flat = rowLength(source, gap) <= room && (covered || rowLength(target, gap) <= room);
    const pitch = deep / Math.max(cols.length, rows.length);
    if (!flat && (u <= 1 || pitch > LEGIBLE)) return columnsLayout({ rows, cols }, room, u, pitch);
    const inside = Math.max(room, rowLength(source, gap), covered ? 0 : rowLength(target, gap));
    const centres = (along, labels) => inReadingOrder(along, labels, inside);
    const slots = fillSlots(target, inside / Math.max(cols.length, rows.length), gap);
    const fits2 = (slots.at(-1) ?? 0) + ((target.at(-1) ?? 0) + gap) / 2 <= inside;
    const below = covered && fits2 ? slots : spreadWords(target, inside, gap);
    return {
      u,
      w: w2,
      size: WORD * w2,
      inside,
      limit: LONGEST * w2,
      flat: true,
      x: { source: 0, left: 0, right: 0, target: 0, shares: 0, sums: 0 },
      source: centres(spreadWords(source, inside, gap), cols),
      target: centres(below, rows),
      y: {
        source: 20 * u + 27 * (u - w2),
        top: 50 * u,
        bottom: (50 + tall) * u,
        target: (54 + tall) * u,
        end: (100 + tall) * u
      }
    };
  }
  function columnsLayout({ rows, cols }, room, u, given) {
    const limit = Math.min(LONGEST * u, room * 0.3);
    const pitch = Math.max(Math.min(given, PITCH * u), u > 1 ? LEGIBLE : CROWDED);
    const w2 = u > 1 ? Math.max(LEGIBLE / WORD, Math.min(u, 0.82 * pitch / WORD)) : u;
    const size = WORD * w2;
    const widest2 = (labels) => Math.min(limit, Math.max(0, ...labels.map((label) => textWidth(visible(label), size)))) + 14 * u;
    const [ws, wt2, share] = [widest2(cols), Math.max(widest2(rows), limit / 2), 48 * u];
    const across = Math.max(40 * u, Math.min(ACROSS * u, room - ws - wt2 - share));
    const begin = Math.max(0, (room - ws - wt2 - across - share) / 2) + share;
    const most = Math.max(cols.length, rows.length);
    const along = (labels) => labels.map((_2, n2) => (n2 + 0.5) * pitch);
    const [source, target] = [begin + ws, begin + ws + across];
    return {
      u,
      w: w2,
      size,
      inside: room,
      limit,
      flat: false,
      source: along(cols),
      target: along(rows),
      x: {
        source,
        left: source + 4 * u,
        right: target - 4 * u,
        target,
        shares: begin - 4 * u,
        sums: target + wt2 + 4 * u
      },
      y: { source: 0, top: 0, bottom: 0, target: 0, end: most * pitch + 4 * u }
    };
  }

  // web/marks/lines.ts
  var LINE_FLOOR = 0.02;
  var behindRow = (row) => ({ row, floor: 0.15, reach: 40 });
  function startOfCurve([a, b, c, d], share) {
    if (share >= 1) return [a, b, c, d];
    const between = (p, q2) => [p[0] + (q2[0] - p[0]) * share, p[1] + (q2[1] - p[1]) * share];
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
      const consider = (j2, on) => {
        const value = sheet.at(i, j2);
        const strength = Math.abs(value) / top;
        const floor = on || !behind ? least : behind.floor;
        if (strength >= floor && (on || near)) lines.push({ i, j: j2, value, strength, on });
      };
      if (long && !any) consider(largestIn(sheet, i, c0, c1), false);
      else if (!long || rowOn || behind && near)
        for (let j2 = c0; j2 < c1; j2++) consider(j2, rowOn || focus.cols.has(j2));
      else for (const j2 of focus.cols) if (j2 >= c0 && j2 < c1) consider(j2, true);
    }
    return lines.sort((a, b) => Number(a.on) - Number(b.on) || a.strength - b.strength);
  }
  function largestIn(sheet, i, from, to) {
    let best = from;
    for (let j2 = from; j2 < to; j2++) if (!(Math.abs(sheet.at(i, j2)) <= Math.abs(sheet.at(i, best)))) best = j2;
    return best;
  }
  function paintLines(p, sheet, focus, how2) {
    const [r0, r1] = how2.area;
    const crowd = Math.min(1, 64 / (r1 - r0));
    const any = focus.rows.size + focus.cols.size > 0;
    for (const { i, j: j2, value, strength, on } of linesOf(sheet, focus, how2)) {
      const curve = how2.curve(i, j2);
      if (!curve) continue;
      const grown = how2.growing?.row === i ? startOfCurve(curve, how2.growing.share) : curve;
      const pen = linePen(strength, on ? "on" : any ? "behind" : "all", how2.u, { crowd, faint: how2.faint });
      p.curve(...grown, { stroke: how2.hue(value), ...pen });
    }
  }

  // translate/stage_lines.ts
  var HALL = 462;
  var FLATTEST = 48;
  var inHall = (host) => host.scale > 1 && !host.root.dataset.slideRoom ? within(FLATTEST, window.innerHeight / host.scale - HALL, CURVES) : Math.max(FLATTEST, inSight(host, CURVES, HALL));
  var ABOVE = { hall: 368, page: 350 };
  var BELOW = 12;
  var NARROW2 = 640;
  function inColumns({ scale, root }, room) {
    const { slideRoom } = root.dataset;
    if (slideRoom) return scale * Number(slideRoom);
    if (scale <= 1 && room < NARROW2) return Infinity;
    return window.innerHeight - (scale > 1 ? ABOVE.hall : ABOVE.page) * scale - BELOW;
  }
  var StageLines = class {
    /** `go(step)` moves to a step when a dot is clicked. */
    constructor(parent, host, selection, go) {
      this.host = host;
      this.selection = selection;
      this.go = go;
      const { source, target } = this.words.rows;
      const words2 = el("div", { class: "lines-words" }, this.shareRow, source, target);
      this.inner.append(words2);
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
      this.layout = linesLayout(sheet, room, host.scale, covered, inHall(host), inColumns(host, room));
      const { inside, y: y2, size, w: w2 } = this.layout;
      this.inner.style.width = `${inside}px`;
      this.inner.style.height = `${y2.end}px`;
      this.scroller.classList.toggle("upright", !this.layout.flat);
      this.shareRow.style.top = "0";
      const { source, target } = this.words.rows;
      source.style.top = `${y2.source}px`;
      target.style.top = `${y2.target}px`;
      for (const row of [source, target]) row.style.setProperty("--u", `${w2}px`);
      if (size !== this.size) this.words.forget();
      this.size = size;
      this.words.fill("source", sheet.cols);
      this.words.fill("target", sheet.rows);
    }
    /** The largest sums of the focus, each with the place of its word and the line it is written on. */
    sums() {
      const { sheet, focus } = this.frame;
      const { rows, cols, cell } = focus();
      const { flat, x, y: y2, u, source, target } = this.layout;
      const largest3 = (sums, along, across) => topIndices(sums, 4).filter((n2, rank2) => sums[n2] >= (rank2 ? 0.05 : 0.01) && (!cell || cols.has(n2))).map((n2) => ({
        ...flat ? { x: along[n2], y: across } : { x: across, y: along[n2] - 9 * u },
        share: sums[n2]
      }));
      const above = rows.size ? largest3(sumOf(sheet, rows, rowOf), source, flat ? 0 : x.shares - 20 * u) : [];
      if (cell || !cols.size) return above;
      return [
        ...above,
        ...largest3(sumOf(sheet, cols, columnOf), target, flat ? y2.end - 17 * u : x.sums + 20 * u)
      ];
    }
    labelShares() {
      const marks2 = this.sums().map(({ x, y: y2, share }) => {
        const mark = el("span", { class: "share" }, percent(share));
        mark.style.left = `${x}px`;
        mark.style.top = `${y2}px`;
        return mark;
      });
      this.shareRow.replaceChildren(...marks2);
    }
    /* ---------- curves ---------- */
    /** All curves; `left` and `right` bound what is drawn when only a part is in view. */
    drawCurves(p, left = -Infinity, right = Infinity) {
      const { sheet, row, rests: rests2, kind, focus } = this.frame;
      const { flat, x, y: y2, u, source, target } = this.layout;
      const { rows, cols, cell } = focus();
      paintLines(
        p,
        sheet,
        { rows, cols: cell ? /* @__PURE__ */ new Set() : cols },
        {
          area: [0, sheet.rows.length, 0, sheet.cols.length],
          threshold: LINE_FLOOR,
          u,
          behind: rests2 ? void 0 : behindRow(row),
          growing: { row, share: this.growth },
          hue: () => this.host.colours[kind],
          curve(i, j2) {
            const [from, to] = [target[i], source[j2]];
            if (!flat) return curveBetween([x.right, from], [x.left, to], false);
            if (Math.max(from, to) < left || Math.min(from, to) > right) return null;
            return curveBetween([from, y2.bottom], [to, y2.top], true);
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
    const { flat, x: across, y: y2, u, w: w2, size, limit, source, target } = lines.layout;
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
    const word = (label, x, top, fill2) => p.text(x, top + 19 * w2, shorten(visible(label), limit, size), {
      size,
      mono: true,
      align: "center",
      fill: fill2
    });
    const ink = (label) => isSpecial(label) ? c.muted : c.ink;
    sheet.cols.forEach((label, n2) => word(label, source[n2], y2.source, ink(label)));
    sheet.rows.forEach((label, n2) => {
      const x = target[n2];
      if (n2 >= sheet.written) return p.circle(x, y2.target + 14 * w2, 3, { fill: c.line });
      if (n2 !== row) return word(label, x, y2.target, ink(label));
      const width = Math.min(limit, textWidth(visible(label), size)) + 16 * w2;
      p.rect(x - width / 2, y2.target, width, 27 * w2, { fill: text, radius: 7 });
      word(label, x, y2.target, readableOn(text, c));
    });
  }

  // web/marks/picture.ts
  var tableRgb = /* @__PURE__ */ new WeakMap();
  function rgbOf(table) {
    const known = tableRgb.get(table);
    if (known) return known;
    const rgb = new Uint8ClampedArray(table.length * 3);
    table.forEach((hex, i) => hexToRgb(hex).forEach((c, k2) => rgb[i * 3 + k2] = c * 255));
    tableRgb.set(table, rgb);
    return rgb;
  }
  var wholeOf = (sheet) => [0, sheet.rows.length, 0, sheet.cols.length];
  function strongest(sheet, [r0, r1, c0, c1]) {
    let best = -1;
    let far = -1;
    for (let i = r0; i < r1 && i < sheet.written; i++) {
      for (let j2 = c0; j2 < c1; j2++) {
        const v2 = sheet.index[i * sheet.cols.length + j2];
        const distance = v2 < 0 ? -1 : Math.abs((v2 & 255) - sheet.neutral);
        if (distance > far) [best, far] = [v2, distance];
      }
    }
    return best;
  }
  function slice(n2, count, from, to) {
    const start = from + Math.floor(n2 * (to - from) / count);
    return [start, Math.max(start + 1, from + Math.floor((n2 + 1) * (to - from) / count))];
  }
  function bitmap(sheet, empty, width, height, [r0, r1, c0, c1]) {
    const w2 = Math.max(1, Math.min(c1 - c0, Math.round(width)));
    const h2 = Math.max(1, Math.min(r1 - r0, Math.round(height)));
    const canvas = el("canvas", { width: w2, height: h2 });
    const context2 = context2d(canvas);
    const image = context2.createImageData(w2, h2);
    const rgb = rgbOf(sheet.table);
    const blank = hexToRgb(empty).map((c) => c * 255);
    for (let y2 = 0, out = 0; y2 < h2; y2++) {
      const [top, bottom] = slice(y2, h2, r0, r1);
      for (let x = 0; x < w2; x++, out += 4) {
        const [left, right] = slice(x, w2, c0, c1);
        const best = strongest(sheet, [top, bottom, left, right]);
        for (let k2 = 0; k2 < 3; k2++) image.data[out + k2] = best < 0 ? blank[k2] : rgb[best * 3 + k2];
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
      for (let j2 = c0; j2 < c1; ) {
        const v2 = sheet.index[i * sheet.cols.length + j2];
        let end = j2 + 1;
        while (end < c1 && sheet.index[i * sheet.cols.length + end] === v2) end++;
        if (v2 >= 0) {
          const corner = `M${n2(box.x + (j2 - c0) * cw)} ${n2(box.y + (i - r0) * ch)}`;
          paths.set(v2, `${paths.get(v2) ?? ""}${corner}h${n2((end - j2) * cw)}v${n2(ch)}h${n2(-(end - j2) * cw)}z`);
          if (++runs > MOST_RUNS) return null;
        }
        j2 = end;
      }
    }
    return paths;
  }
  function paintPixels(p, sheet, box, c, area = wholeOf(sheet), cache = null) {
    p.rect(box.x, box.y, box.w, box.h, { fill: c.soft });
    const paths = p.blob && cellPaths(sheet, box, area);
    if (paths) {
      for (const [v2, d] of paths) p.path(d, { fill: sheet.table[v2] });
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
    labels.reduce((w2, label) => Math.max(w2, textWidth(visible(label), size)), 0)
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
  function geometryOf(sheet, room, u, { tall = 560, area = null, cap = 46, words: words2 = 0, deep = 0 }, withReads) {
    const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
    const [rows, cols] = [r1 - r0, c1 - c0];
    const size = 13 * u;
    const many = Math.max(rows, cols) > 150;
    const own = widest(sheet.rows.slice(r0, r1), size, (many ? 74 : 110) * u);
    const { reads, both } = withReads ? roomOfReads(sheet, [r0, r1], room, u) : { reads: "none", both: 0 };
    const left = Math.max(words2 * u, own, both) + 10 * u;
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
  function columnWords({ words: words2, size, most }, u, widthOf, besides) {
    const hidden = textWidth(hiddenName(), size);
    if (words2.length <= STRAIGHT_UP_TO) {
      const widths2 = words2.map((word) => textWidth(visible(word), size));
      const aside2 = besides ? 18 * u + hidden : 0;
      const least = Math.max((aside2 ? 44 : 4) * u, aside2);
      const cw = widthOf(least);
      const runsOut = widths2.map((width, j2) => width / 2 - (widths2.length - j2 - 0.5) * cw + 2 * u);
      const over2 = Math.max(least, ...runsOut);
      const slot2 = widthOf(over2);
      const lines = linesOf2(widths2, slot2, BETWEEN * u) ?? linesOf2(widths2, slot2, BETWEEN * u, words2.map(isSpecial));
      const top = (LINE2 * (1 + Math.max(0, ...lines ?? [])) + 6) * u;
      if (lines) return { lean: 0, lines, reach: Math.max(0, ...widths2) + 1, top, over: over2, type: size };
    }
    const reach = widest(words2, size, most);
    const last = Math.min(reach, textWidth(visible(words2[words2.length - 1] ?? ""), size));
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
    const ends = [-Infinity, -Infinity, -Infinity];
    const lines = [];
    for (const [j2, width] of widths2.entries()) {
      const centre = (j2 + 0.5) * slot;
      const line = ends.findIndex((end, n2) => Boolean(above[j2]) === n2 > 1 && end + gap <= centre - width / 2);
      if (line < 0) return null;
      ends[line] = centre + width / 2;
      lines.push(line);
    }
    return lines;
  }
  var radians = (degrees) => degrees * Math.PI / 180;
  var apart = (degrees, size) => 0.88 * size / Math.sin(radians(degrees));
  var rowY = (g, i) => g.box.y + (i - g.area[0]) * g.ch;
  var columnX = (g, j2) => g.box.x + (j2 - g.area[2]) * g.cw;
  var lineOf = (g, j2) => (g.lines[j2 - g.area[2]] ?? 0) * LINE2 * g.u;
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
    const edge = (v2, start, step, low, high) => Math.max(low, Math.min(high - 1, Math.floor((v2 - start) / step) + low));
    const [ra, rb] = [from[1], to[1]].map((v2) => edge(v2, g.box.y, g.ch, r0, r1)).sort((a, b) => a - b);
    const [ca, cb] = [from[0], to[0]].map((v2) => edge(v2, g.box.x, g.cw, c0, c1)).sort((a, b) => a - b);
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
    const words2 = (labels) => longest > 150 ? 90 * u : widest(labels, size, 150 * u);
    const labelRoom = { row: words2(sheet.rows.slice(r0, r1)), col: words2(sheet.cols.slice(c0, c1)) };
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
  var attendedY = (g, j2) => g.top + (j2 - g.area[2] + 0.5) * g.colPitch;
  var columnCurve = (g, shift = 0) => (i, j2) => curveBetween([g.left, attendingY(g, i) + shift], [g.right, attendedY(g, j2) + shift], false);
  function columnsHit(g, px, py) {
    const [r0, r1, c0, c1] = g.area;
    const row = Math.floor((py - g.top) / g.rowPitch) + r0;
    const col = Math.floor((py - g.top) / g.colPitch) + c0;
    const across = (px - g.left) / (g.right - g.left);
    if (across < 0.42) return row >= r0 && row < r1 ? { row } : null;
    return across > 0.58 && col >= c0 && col < c1 ? { col } : null;
  }

  // web/marks/heatmap.ts
  var LEAST_NUMBER = 9;
  function cellNumber(sheet, i, j2, focused) {
    const value = sheet.at(i, j2);
    const position = sheet.index[i * sheet.cols.length + j2] & 255;
    const strong = Math.abs(position - sheet.neutral) >= (sheet.neutral ? 28 : 96);
    return strong || focused && Math.abs(value) >= 0.01 ? brief(value, sheet.unit) : "";
  }
  var isPinned = ({ rows, cols, cell }, i, j2) => Boolean(cell) && rows.has(i) && cols.has(j2);
  var cells = (sheet, focus, c) => (p, g) => {
    const [r0, r1, c0, c1] = g.area;
    const radius = Math.min(3 * g.u, g.cw / 4, g.ch / 4);
    const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
    const [w2, h2] = [g.cw - gap, g.ch - gap];
    const digits = sheet.digits !== false && g.cw >= 15.5 * g.u && g.ch >= 12.5 * g.u;
    const fits2 = Math.min(typeSize(13, g.u), g.cw * 0.48, g.ch * 0.72);
    const readable = digits && fits2 >= LEAST_NUMBER;
    for (let i = r0; i < r1; i++) {
      for (let j2 = c0; j2 < c1; j2++) {
        const [x, y2] = [columnX(g, j2), rowY(g, i)];
        const v2 = i < sheet.written ? sheet.index[i * sheet.cols.length + j2] : -1;
        const fill2 = v2 < 0 ? c.soft : sheet.table[v2];
        if (v2 >= 0 || i >= sheet.written || sheet.empty?.[i]) p.rect(x, y2, w2, h2, { fill: fill2, radius });
        else p.circle(x + g.cw / 2, y2 + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
        const number = v2 >= 0 && readable ? cellNumber(sheet, i, j2, focus.rows.has(i)) : "";
        if (!number) continue;
        const size = fits2 * Math.min(1, (w2 - 3 * g.u) / textWidth(number, fits2, false));
        if (!legible(size, g.u)) continue;
        const weight = isPinned(focus, i, j2) ? 700 : 400;
        const pen = { size, weight, align: "center", baseline: "middle", fill: readableOn(fill2, c) };
        p.text(x + w2 / 2, y2 + h2 / 2 + 0.5, number, pen);
      }
    }
  };
  var writer = (p, g, c) => (words2, x, y2, on, o) => p.text(x, y2, words2, {
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
      const words2 = written2 ? shorten(visible(sheet.rows[i]), g.labelRoom.row, g.size) : "·";
      const inFocus = written2 && focus.rows.has(i);
      const on = inFocus || written2 && !isSpecial(sheet.rows[i]);
      const bold = inFocus || written2 && Boolean(sheet.reads?.length);
      const pen = { align: "right", baseline: "middle", weight: bold ? 600 : 400 };
      if (inFocus && focus.colour) pen.fill = focus.colour;
      const [right, y2] = [g.box.x - 8 * g.u, rowY(g, i) + g.ch / 2];
      label(words2, right, y2, on, pen);
      if (!written2 || !sheet.reads?.length || !(g.reads === "all" || g.reads === "pinned" && inFocus))
        continue;
      const width = textWidth(words2, g.size, true, pen.weight);
      const size = readSize(g.size, g.u);
      const read2 = shorten(readPart(sheet.reads[i]), g.labelRoom.row - width, size);
      p.text(right - width, y2, read2, { size, mono: true, align: "right", baseline: "middle", fill: c.muted });
    }
  };
  var columnLabels = (sheet, focus, c) => (p, g) => {
    const label = writer(p, g, c);
    for (const j2 of chosenLabels(g.area[2], g.area[3], g.colEvery, focus.cols)) {
      const size = g.sizeOver;
      const words2 = shorten(visible(sheet.cols[j2]), g.labelRoom.col, size);
      const pen = g.lines.length ? { align: "center", size } : { rotate: -g.lean, size };
      if (focus.cols.has(j2) && focus.colour) pen.fill = focus.colour;
      const aside = g.lines.length ? -g.u : g.lean === 90 ? size / 3 : 2 * g.u;
      const x = columnX(g, j2) + g.cw / 2 + aside;
      label(words2, x, g.box.y - 5 * g.u - lineOf(g, j2), focus.cols.has(j2), pen);
    }
  };
  var hiddenShares = (sheet, focus, c) => (p, g) => {
    const [r0, r1] = g.area;
    for (const i of chosenLabels(r0, Math.min(r1, sheet.written), g.rowEvery, focus.rows)) {
      const words2 = percent(sheet.hidden?.[i] ?? 0);
      const fill2 = focus.rows.has(i) ? c.ink : c.muted;
      const weight = sheet.empty?.[i] ? 600 : 400;
      p.text(g.aside, rowY(g, i) + g.ch / 2, words2, { ...AT_LEFT, size: typeSize(11.5, g.u), fill: fill2, weight });
    }
    p.text(g.aside + 6 * g.u, g.box.y - 5 * g.u, hiddenName(), {
      size: typeSize(11.5, g.u),
      fill: c.muted,
      rotate: -g.lean
    });
  };
  var outlines = (sheet, { rows, cols, current, cell }, c) => (p, g) => {
    const [r0, r1, c0, c1] = g.area;
    const frame = (x, y2, w2, h2, stroke = c.ink, width = 1.6) => p.rect(x - 1.5, y2 - 1.5, w2 + 2, h2 + 2, {
      stroke,
      width: width * Math.min(1.5, g.u),
      radius: 4 * g.u
    });
    const shows = (i) => i >= r0 && i < r1;
    if (current && shows(current.row)) {
      const y2 = rowY(g, current.row);
      if (current.share < 1) p.rect(g.box.x, y2, g.box.w, g.ch, { fill: c.soft, alpha: 1 - current.share });
      frame(g.box.x, y2, g.box.w, g.ch, current.colour);
    }
    for (const i of rows) {
      if (shows(i) && i !== current?.row) frame(g.box.x, rowY(g, i), g.box.w, g.ch);
    }
    const tall = Math.min(g.box.h, (sheet.written - r0) * g.ch);
    if (cell && rows.size) return;
    for (const j2 of cols) {
      if (j2 >= c0 && j2 < c1 && tall > 0) frame(columnX(g, j2), g.box.y, g.cw, tall, c.ink, 1);
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
    const draggedFrom = ([x, y2]) => down && answers.drags?.() && Math.hypot(x - down[0], y2 - down[1]) > DRAG ? down : null;
    const letGo = () => {
      down = null;
      if (answers.band) answers.band.hidden = true;
    };
    node.addEventListener("pointermove", (event) => {
      const to = pointIn(event, node);
      const from = draggedFrom(to);
      if (from && answers.dragging) return answers.dragging(from, to);
      if (from && answers.band) return showBand(answers.band, node, from, to);
      const at2 = answers.hit(...to);
      node.style.cursor = at2 ? "pointer" : "default";
      answers.hover(at2, event);
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
      const [x, y2] = this.wide ? [this.sides[0] + GAP * u, 0] : [0, below];
      if (axes2) p.text(x + 2, y2 + 10 * u, axes2, { size: typeSize(12, u), fill: c.muted });
      this.map.paint(shifted(p, x, y2 + 18 * u));
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
      listenToMap(this.node, { ...answers, hit: (x, y2) => this.frame && hit(this.frame, x, y2) });
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
        hover: (at2, event) => this.hover(at2, event),
        pin: (at2, point) => this.pin(at2, point),
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
    exists(at2) {
      return at2 !== null && (at2.row === void 0 || at2.row < this.frame.sheet.written);
    }
    hover(at2, event) {
      const legal = this.exists(at2) ? at2 : null;
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
    pin(at2, [, y2]) {
      if (at2 && this.exists(at2)) return this.selection.toggle(at2);
      const { box, ch } = this.plot.frame;
      const row = Math.floor((y2 - box.y) / ch);
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
      const words2 = weightWords();
      return { table: sheet.table, ...weightAxis("weight", sheet.cols.length), words: words2 };
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
      const at2 = (i, j2) => shares[i * source.length + j2];
      const drawn2 = makeSheet(
        { rows: target, cols: source, reads: reads.length ? reads : void 0 },
        at2,
        kindRamp(this.host.colours, kind)
      );
      this.sheets.set(name, drawn2);
      return drawn2;
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
    const pick = (count, chosen2) => count === 1 ? [0] : chosen2 === null ? Array.from({ length: count }, (_2, n2) => n2) : [chosen2];
    const [fromLayers, fromHeads] = [pick(layers, layer), pick(heads, head)];
    const sum2 = new Float32Array(rows * columns);
    for (const l of fromLayers) {
      for (const h2 of fromHeads) {
        const offset = (l * heads + h2) * sum2.length;
        for (let n2 = 0; n2 < sum2.length; n2++) sum2[n2] += weights2[offset + n2];
      }
    }
    const share = 1 / (65535 * fromLayers.length * fromHeads.length);
    return sum2.map((value) => value * share);
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
  function restOf(whole, read2, covered) {
    if (covered) return "…";
    return whole.trim() ? whole.slice(read2.length) : tr("Only special tokens were written.");
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
      const read2 = covered ? sofar : shared(sofar, whole);
      this.words = covered ? sofar : whole;
      this.text.replaceChildren(read2, el("span", { class: "stage-later" }, restOf(whole, read2, covered)));
      this.text.classList.toggle("long", this.words.length > LONG);
      this.button.disabled = !this.words;
      this.remarks.replaceChildren(...remarks.map((words2) => el("p", {}, covered ? " " : words2)));
    }
    async copy() {
      const done = await copied(this.words);
      if (!done) window.getSelection()?.selectAllChildren(this.text);
      this.button.textContent = done ? tr("Copied") : tr("Selected");
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.button.textContent = tr("Copy"), COPIED);
    }
  };
  async function copied(words2) {
    try {
      await navigator.clipboard.writeText(words2);
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
      const title2 = phrase(tr("Candidates for {word}"), { word: quoted(frame.sheet.rows[shown2]) });
      if (!forcible) return { title: title2, subtitle: tr("The most probable words") + marked };
      if (selection.rows.size) {
        const forces2 = TOUCH ? tr("Tap a candidate to write it") : tr("Click a candidate to write it");
        return { title: title2, subtitle: forces2 + marked };
      }
      const others = TOUCH ? tr("Tap a word above for its candidates") : tr("Click a word above for its candidates");
      return { title: title2, subtitle: `${tr("The least certain word")} · ${others}${marked}` };
    }
    const title = [reader.position ? tr("Next word") : tr("First word")];
    const forces = TOUCH ? tr("Tap a word to force it") : tr("Click a word to force it");
    return { title, subtitle: (forcible ? forces : tr("The most probable words")) + marked };
  }

  // translate/stage.ts
  var REST = 350;
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
    rest(wait = REST) {
      clearTimeout(this.restTimer);
      const tell = () => {
        const { position, layer, head } = this.reader;
        if (!this.playback.playing) this.view.report({ position, layer, head });
      };
      this.restTimer = window.setTimeout(tell, wait);
    }
    choose() {
      Object.assign(this.reader, this.picks.read());
      this.draw();
      this.rest(0);
    }
    force({ id, label }) {
      this.playback.pause();
      const forced = { position: Math.max(0, this.stepShown), id, label };
      this.host.trigger("forced", forced);
    }
    /* ---------- drawing ---------- */
    draw() {
      const { cards, reader } = this;
      const { data, position, covered } = reader;
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
      this.playback.update(position, data.target.length, covered);
      this.text.update(data.grown, position, covered, data.remarks);
      const opens = data.opens?.layer === reader.layer && data.opens.head === reader.head;
      this.why.textContent = opens && data.opens?.why || "";
      announce("stage", { id: data.id, step: position, covered });
      for (const each of document.querySelectorAll(".atlas-loading")) each.classList.add("done");
      this.speak();
    }
    /** The step whose candidates are shown: the one just made; of a finished sentence, the pinned word's or the least certain. */
    get stepShown() {
      const { data, position } = this.reader;
      if (!this.frame.rests) return within(0, position - 1, data.steps.length - 1);
      const pinned = [...this.selection.rows].pop();
      return pinned ?? leastCertain(data.steps.slice(0, position));
    }
    candidates() {
      const { data, position } = this.reader;
      const step = data.steps[this.stepShown];
      this.cards.left.tell(nextWords(this, this.stepShown, step));
      if (!step) return;
      const chosen2 = position ? step : { ...step, chosen: null, forced: false, extra: null };
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

  // web/generated/options.ts
  var PER_STACK = ["heads", "head_dim", "d_ff", "norm_placement", "norm_formula", "norm_eps", "final_norm", "activation", "gated", "embedding_scale"];

  // web/engine/config.ts
  var ALLOWED = {
    source_vocab_size: "number",
    target_vocab_size: "number",
    d_model: "number",
    encoder_layers: "number",
    decoder_layers: "number",
    heads: "number",
    d_ff: "number",
    head_dim: "id",
    max_length: "number",
    norm_placement: ["post", "pre"],
    norm_formula: ["layer", "layer_unbiased_std", "rms"],
    norm_eps: "number",
    final_norm: "boolean",
    embedding_norm: "boolean",
    positions: ["sinusoidal", "sinusoidal_halves", "learned", "relative_buckets", "rotary", "none"],
    position_offset: "number",
    embedding_scale: "boolean",
    tie_output: "boolean",
    output_bias: "boolean",
    output_scale: ["none", "inverse_sqrt_d_model"],
    projection_bias: "boolean",
    attention_output_bias: "boolean",
    ffn_bias: "boolean",
    shared_head_projection: "boolean",
    score_scale: ["head", "model", "none"],
    activation: [
      ...[
        "relu",
        "gelu",
        "gelu_tanh",
        "silu",
        "gelu_10",
        "quick_gelu",
        "mish",
        "hardswish",
        "leaky_relu",
        "relu2"
      ],
      ...["relu6", "sigmoid", "tanh", "laplace", "sqrtsoftplus", "linear"]
    ],
    gated: "boolean",
    pad_id: "number",
    bos_id: "number",
    eos_id: "id",
    unk_id: "id",
    source_pad_id: "id",
    forced_bos_id: "id"
  };
  function ofStack(config, stack) {
    const given = config;
    const own = PER_STACK.map((name) => [name, given[`decoder_${name}`] ?? given[name]]);
    return stack === "encoder" ? config : { ...config, ...Object.fromEntries(own) };
  }
  var WITHOUT_EFFECT = [
    ...["dropout", "attention_dropout", "activation_dropout", "dropout_placement", "tie_embeddings"],
    ...["sinusoid_denominator", "relative_buckets", "relative_max_distance"]
  ];
  var REFUSED = {
    target_norm_first: [true, "it cannot do target_norm_first"],
    relative_bias_per_layer: [true, "it cannot do relative_bias_per_layer"],
    causal: [false, "its decoder has no causal mask, so that a step would have to read all tokens again"]
  };
  var OPTIONS = [
    ...Object.keys(ALLOWED),
    ...WITHOUT_EFFECT,
    ...Object.keys(REFUSED),
    ...PER_STACK.map((name) => `decoder_${name}`)
  ];
  function fits(value, allowed) {
    if (allowed === "boolean") return typeof value === "boolean";
    if (allowed === "number") return Number.isFinite(value);
    if (allowed === "id") return value === null || Number.isInteger(value);
    return allowed.includes(value);
  }
  function refusal(options) {
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown !== void 0) {
      return `This page cannot run the model: it does not know the option ${unknown.slice(0, 60)}.`;
    }
    const refused = Object.entries(REFUSED).find(([name, [value]]) => options[name] === value);
    if (refused) return `This page cannot run the model: ${refused[1][1]}.`;
    for (const [name, allowed] of Object.entries(ALLOWED)) {
      for (const key of [name, `decoder_${name}`]) {
        if (fits(options[key], allowed) || key !== name && (options[key] ?? null) === null) continue;
        const value = String(JSON.stringify(options[key])).slice(0, 60);
        const choices = Array.isArray(allowed) ? `; it knows ${allowed.join(", ")}` : "";
        return `This page cannot run the model: its ${key} is ${value}${choices}.`;
      }
    }
    return null;
  }
  var headSize = (config) => config.head_dim ?? config.d_model / config.heads;
  function scoreScale(config) {
    const size = { head: headSize(config), model: config.d_model, none: 1 }[config.score_scale];
    return 1 / Math.sqrt(size);
  }
  var neverWritten = ({ pad_id: pad, bos_id: bos, eos_id: eos }) => [.../* @__PURE__ */ new Set([pad, bos])].filter((id) => id !== eos);
  var stepLimit = (config, length) => Math.min(config.max_length, 2 * length + 20);

  // web/engine/blob.ts
  var MAGIC = "ATLASPG1";
  function halfTable() {
    const numbers = new Float32Array(65536);
    for (let bits = 0; bits < 65536; bits++) {
      const exponent = bits >> 10 & 31;
      const fraction = bits & 1023;
      const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? fraction ? NaN : Infinity : (1 + fraction / 1024) * 2 ** (exponent - 15);
      numbers[bits] = bits & 32768 ? -size : size;
    }
    return numbers;
  }
  function fromHalves(planes, count) {
    const table = halfTable();
    const numbers = new Float32Array(count);
    for (let i = 0; i < count; i++) numbers[i] = table[planes[i] | planes[count + i] << 8];
    return numbers;
  }
  var Blob16 = class {
    /** Throws an Error of one sentence for bytes that are no packed model, or one that the engine cannot run. */
    constructor(bytes) {
      const broken = new Error("The model in this page is damaged; download the page again.");
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (bytes.length < 16 || new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC) throw broken;
      const length = view.getUint32(8, true);
      const tableBytes = view.getUint32(12, true);
      const end = 16 + length + tableBytes;
      if (end > bytes.length) throw broken;
      this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length)));
      const reason = refusal(this.header.config);
      if (reason !== null) throw new Error(reason);
      if (bytes.length !== end + 2 * this.header.halves) throw broken;
      this.tables = bytes.slice(16 + length, end).buffer;
      this.halves = fromHalves(bytes.subarray(end), this.header.halves);
    }
    has(name) {
      return name in this.header.tensors || name in this.header.tables;
    }
    /** The weights called `name`, as float32. Tied tables share their memory. */
    weights(name) {
      const entry = this.header.tensors[name];
      if (!entry) throw new Error(`The model in this page has no weights ${name}.`);
      return this.halves.subarray(entry.at, entry.at + sizeOf(entry));
    }
    /** The same where there may be none, such as a bias. */
    maybe(name) {
      return this.has(name) ? this.weights(name) : null;
    }
    /** The matrix and the bias, if it has one, of a projection. */
    projection(prefix) {
      return { weight: this.weights(`${prefix}.weight`), bias: this.maybe(`${prefix}.bias`) };
    }
    /** A table that is computed and not learned: sinusoids, or the bucket of each distance. */
    numbers(name) {
      const entry = this.header.tables[name];
      if (!entry) throw new Error(`The model in this page has no table ${name}.`);
      return new Float32Array(this.tables, entry.at * 4, sizeOf(entry));
    }
  };
  var sizeOf = ({ shape }) => shape.reduce((product, axis) => product * axis, 1);
  var pause = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
  async function unpacked(blocks2, size, report) {
    const damaged = new Error("The model in this page is damaged; download the page again.");
    const bytes = new Uint8Array(size);
    const { readable, writable } = new DecompressionStream("deflate");
    const inflate2 = async () => {
      let filled = 0;
      const reader = readable.getReader();
      for (; ; ) {
        const { done, value } = await reader.read();
        if (done || !value) break;
        if (filled + value.length > size) throw damaged;
        bytes.set(value, filled);
        filled += value.length;
        report(filled / size);
      }
      if (filled !== size) throw damaged;
    };
    const feed = async () => {
      const writer2 = writable.getWriter();
      for (const block of blocks2) {
        const text = atob(block);
        const part = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++) part[i] = text.charCodeAt(i);
        await writer2.write(part);
        await pause();
      }
      await writer2.close();
    };
    try {
      await Promise.all([inflate2(), feed()]);
    } catch {
      throw damaged;
    }
    return bytes;
  }

  // web/engine/decode.ts
  var NO_HEAD = () => false;
  function probabilities(logits, temperature = 1) {
    const shares = Float64Array.from(logits, (logit) => logit / temperature);
    let largest3 = -Infinity;
    for (const score of shares) if (score > largest3) largest3 = score;
    let total = 0;
    for (let i = 0; i < shares.length; i++) total += shares[i] = Math.exp(shares[i] - largest3);
    return shares.map((share) => share / total);
  }
  var byProbability = (shares) => Array.from(shares.keys()).sort((a, b) => shares[b] - shares[a] || a - b);
  var Decode = class {
    constructor(model, encoded, options = {}) {
      this.model = model;
      this.encoded = encoded;
      this.ids = [];
      this.steps = [];
      const defaults = {
        strategy: "greedy",
        temperature: 1,
        topK: 0,
        seed: 0,
        ablated: NO_HEAD,
        prefix: []
      };
      this.options = { ...defaults, ...options };
      this.limit = Math.min(
        stepLimit(model.config, encoded.length),
        options.maxSteps ?? model.config.max_length
      );
      this.state = model.start(encoded, this.options.ablated, this.limit);
      this.read(model.config.bos_id);
      for (const token of this.options.prefix) this.force(token);
    }
    read(token) {
      this.steps.push(this.model.step(token, this.state));
    }
    /** Whether the end token is written or the limit is reached. */
    get finished() {
      return this.ids.length >= this.limit || this.ids.at(-1) === this.model.config.eos_id;
    }
    /** Writes the token that the strategy chooses, and returns it. */
    step() {
      return this.write(this.choice());
    }
    /** Writes `token`, whatever the model predicts. Throws an Error of one sentence for one that cannot be written. */
    force(token) {
      const { target_vocab_size: size } = this.model.config;
      if (!Number.isInteger(token) || token < 0 || token >= size) {
        throw new Error(`Token ${token} does not exist; this vocabulary has tokens 0 to ${size - 1}.`);
      }
      if (neverWritten(this.model.config).includes(token)) {
        throw new Error(
          `Token ${token} stands for the start or for padding and cannot be written; choose another.`
        );
      }
      return this.write(token);
    }
    write(token) {
      if (this.finished)
        throw new Error("The sentence is finished; step back or reset to write another token.");
      this.ids.push(token);
      if (!this.finished) this.read(token);
      return token;
    }
    /** The probability of every token as number `step`, at the temperature; the next token's if it is left out. */
    distribution(step = this.ids.length) {
      return probabilities(this.seen(step).logits, this.options.temperature);
    }
    seen(step) {
      const seen = this.steps.at(step);
      if (!seen || step < 0) {
        throw new Error(`There is no step ${step}; this decode has steps 0 to ${this.steps.length - 1}.`);
      }
      return seen;
    }
    /** The `count` most probable tokens of a step, best first. */
    candidates(count = 12, step = this.ids.length) {
      const shares = this.distribution(step);
      return byProbability(shares).slice(0, count).map((id) => ({ id, probability: shares[id] }));
    }
    choice() {
      const { config } = this.model;
      if (this.ids.length === 0 && config.forced_bos_id !== null) return config.forced_bos_id;
      const banned = neverWritten(config);
      return this.options.strategy === "sample" ? this.drawn(banned) : this.greedy(banned);
    }
    greedy(banned) {
      const { logits } = this.seen(this.ids.length);
      let best = -1;
      logits.forEach((logit, id) => {
        if (!banned.includes(id) && (best < 0 || logit > logits[best])) best = id;
      });
      return best;
    }
    /** The token on which the step's random number falls, each as wide as its probability among those kept. */
    drawn(banned) {
      const shares = this.distribution();
      const allowed = byProbability(shares).filter((id) => !banned.includes(id));
      const kept = this.options.topK ? allowed.slice(0, this.options.topK) : allowed;
      const total = kept.reduce((sum2, id) => sum2 + shares[id], 0);
      const aim = uniformDraw(this.options.seed, this.ids.length) * total;
      let covered = 0;
      return kept.find((id) => (covered += shares[id]) > aim) ?? kept[kept.length - 1];
    }
    /** The weights of one kind for the tokens written so far. Row t of causal and cross belongs to the step that wrote token t. */
    maps(kind) {
      const { encoder, decoder } = this.model.own;
      const { length, maps } = this.encoded;
      if (kind === "encoder") {
        const shape = [encoder.encoder_layers, encoder.heads, length, length];
        const weights3 = new Float32Array(shape.reduce((product, size) => product * size));
        maps.forEach((map, layer) => weights3.set(map, layer * map.length));
        return { shape, weights: weights3 };
      }
      const { heads, decoder_layers: layers } = decoder;
      const rows = this.ids.length;
      const keys = kind === "causal" ? rows : length;
      const weights2 = new Float32Array(layers * heads * rows * keys);
      this.steps.slice(0, rows).forEach(
        (step, row) => step[kind].forEach((of, layer) => {
          const seen = of.length / heads;
          for (let head = 0; head < heads; head++) {
            const at2 = ((layer * heads + head) * rows + row) * keys;
            weights2.set(of.subarray(head * seen, (head + 1) * seen), at2);
          }
        })
      );
      return { shape: [layers, heads, rows, keys], weights: weights2 };
    }
  };
  var MASK = (1n << 128n) - 1n;
  var MULTIPLIER = (2549297995355413924n << 64n) + 4865540595714422341n;
  function words(value) {
    const pieces = [];
    for (let rest = BigInt(value); rest > 0n || !pieces.length; rest >>= 32n) {
      pieces.push(Number(rest & 0xffffffffn));
    }
    return pieces;
  }
  function seeded(entropy) {
    const pool = [0, 0, 0, 0];
    let constant = 1135663077;
    const hash = (given) => {
      let value = (given ^ constant) >>> 0;
      constant = Math.imul(constant, 2468251765) >>> 0;
      value = Math.imul(value, constant) >>> 0;
      return (value ^ value >>> 16) >>> 0;
    };
    const mix2 = (x, y2) => {
      const value = Math.imul(x, 3389127133) - Math.imul(y2, 1232336661) >>> 0;
      return (value ^ value >>> 16) >>> 0;
    };
    for (let i = 0; i < 4; i++) pool[i] = hash(entropy[i] ?? 0);
    for (let from = 0; from < 4; from++) {
      for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix2(pool[to], hash(pool[from]));
    }
    for (let from = 4; from < entropy.length; from++) {
      for (let to = 0; to < 4; to++) pool[to] = mix2(pool[to], hash(entropy[from]));
    }
    let last = 2337405405;
    const half = (n2) => {
      let value = (pool[n2 % 4] ^ last) >>> 0;
      last = Math.imul(last, 1492356589) >>> 0;
      value = Math.imul(value, last) >>> 0;
      return BigInt((value ^ value >>> 16) >>> 0);
    };
    const halves = Array.from({ length: 8 }, (_2, n2) => half(n2));
    return [0, 2, 4, 6].map((n2) => halves[n2] | halves[n2 + 1] << 32n);
  }
  function uniformDraw(seed, step) {
    const [a, b, c, d] = seeded([...words(seed), ...words(step)]);
    const increment = ((c << 64n | d) << 1n | 1n) & MASK;
    const next = (state2) => state2 * MULTIPLIER + increment & MASK;
    const state = next(next(increment + (a << 64n | b) & MASK));
    const folded = (state >> 64n ^ state) & 0xffffffffffffffffn;
    const turn = state >> 122n;
    const turned = (folded >> turn | folded << 64n - turn) & 0xffffffffffffffffn;
    return Number(turned >> 11n) / 2 ** 53;
  }

  // web/engine/maths.ts
  function linear(x, rows, { weight: w2, bias: b }) {
    const cols = x.length / rows;
    const out = w2.length / cols;
    const product = { x, w: w2, b, y: new Float32Array(rows * out), cols, out };
    let o = 0;
    for (; o + 4 <= out; o += 4) {
      let row = 0;
      for (; row + 2 <= rows; row += 2) fourOfTwo(product, o, row);
      if (row < rows) fourOfOne(product, o, row);
    }
    for (; o < out; o++) for (let row = 0; row < rows; row++) oneOfOne(product, o, row);
    return product.y;
  }
  function fourOfTwo({ x, w: w2, b, y: y2, cols, out }, o, row) {
    const p0 = row * cols;
    const q0 = p0 + cols;
    const w0 = o * cols;
    const w1 = w0 + cols;
    const w22 = w1 + cols;
    const w3 = w22 + cols;
    let p1 = b ? b[o] : 0;
    let p2 = b ? b[o + 1] : 0;
    let p3 = b ? b[o + 2] : 0;
    let p4 = b ? b[o + 3] : 0;
    let q1 = p1;
    let q2 = p2;
    let q3 = p3;
    let q4 = p4;
    for (let i = 0; i < cols; i++) {
      const p = x[p0 + i];
      const q5 = x[q0 + i];
      const a = w2[w0 + i];
      const c = w2[w1 + i];
      const d = w2[w22 + i];
      const e = w2[w3 + i];
      p1 += p * a;
      q1 += q5 * a;
      p2 += p * c;
      q2 += q5 * c;
      p3 += p * d;
      q3 += q5 * d;
      p4 += p * e;
      q4 += q5 * e;
    }
    const at2 = row * out + o;
    y2[at2] = p1;
    y2[at2 + 1] = p2;
    y2[at2 + 2] = p3;
    y2[at2 + 3] = p4;
    y2[at2 + out] = q1;
    y2[at2 + out + 1] = q2;
    y2[at2 + out + 2] = q3;
    y2[at2 + out + 3] = q4;
  }
  function fourOfOne({ x, w: w2, b, y: y2, cols, out }, o, row) {
    const x0 = row * cols;
    const w0 = o * cols;
    const w1 = w0 + cols;
    const w22 = w1 + cols;
    const w3 = w22 + cols;
    let p1 = b ? b[o] : 0;
    let p2 = b ? b[o + 1] : 0;
    let p3 = b ? b[o + 2] : 0;
    let p4 = b ? b[o + 3] : 0;
    for (let i = 0; i < cols; i++) {
      const p = x[x0 + i];
      p1 += p * w2[w0 + i];
      p2 += p * w2[w1 + i];
      p3 += p * w2[w22 + i];
      p4 += p * w2[w3 + i];
    }
    const at2 = row * out + o;
    y2[at2] = p1;
    y2[at2 + 1] = p2;
    y2[at2 + 2] = p3;
    y2[at2 + 3] = p4;
  }
  function oneOfOne({ x, w: w2, b, y: y2, cols, out }, o, row) {
    let sum2 = b ? b[o] : 0;
    for (let i = 0; i < cols; i++) sum2 += x[row * cols + i] * w2[o * cols + i];
    y2[row * out + o] = sum2;
  }
  function sum(x, y2) {
    const total = new Float32Array(x.length);
    for (let i = 0; i < x.length; i++) total[i] = x[i] + y2[i];
    return total;
  }
  function norm(x, gain, shift, config) {
    const { norm_formula: formula, norm_eps: eps } = config;
    const size = gain.length;
    const normed = new Float32Array(x.length);
    for (let start = 0; start < x.length; start += size) {
      let mean = 0;
      if (formula !== "rms") {
        for (let i = 0; i < size; i++) mean += x[start + i];
        mean /= size;
      }
      let squares = 0;
      for (let i = 0; i < size; i++) squares += (x[start + i] - mean) ** 2;
      const unbiased = formula === "layer_unbiased_std";
      const variance = squares / (unbiased ? size - 1 : size);
      const divisor = unbiased ? Math.sqrt(variance) + eps : Math.sqrt(variance + eps);
      for (let i = 0; i < size; i++) {
        normed[start + i] = (x[start + i] - mean) / divisor * gain[i] + (shift ? shift[i] : 0);
      }
    }
    return normed;
  }
  function erf(x) {
    const size = Math.abs(x);
    if (size > 6) return Math.sign(x);
    let term = size;
    let series = 0;
    for (let n2 = 1; series + term !== series; n2++) {
      series += term;
      term *= 2 * size * size / (2 * n2 + 1);
    }
    return Math.sign(x) * 2 * series * Math.exp(-size * size) / Math.sqrt(Math.PI);
  }
  function softplus(x) {
    return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  }
  var ACTIVATIONS = {
    relu: (x) => x > 0 ? x : 0,
    gelu: (x) => x * (1 + erf(x * Math.SQRT1_2)) / 2,
    gelu_tanh: (x) => x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))) / 2,
    silu: (x) => x / (1 + Math.exp(-x)),
    gelu_10: (x) => Math.min(Math.max(x * (1 + erf(x * Math.SQRT1_2)) / 2, -10), 10),
    quick_gelu: (x) => x / (1 + Math.exp(-1.702 * x)),
    mish: (x) => x * Math.tanh(softplus(x)),
    hardswish: (x) => x * Math.min(Math.max(x + 3, 0), 6) / 6,
    leaky_relu: (x) => Math.max(x, 0.01 * x),
    relu2: (x) => Math.max(x, 0) ** 2,
    relu6: (x) => Math.min(Math.max(x, 0), 6),
    sigmoid: (x) => 1 / (1 + Math.exp(-x)),
    tanh: Math.tanh,
    laplace: (x) => (1 + erf((x - 0.707107) / (0.282095 * Math.SQRT2))) / 2,
    sqrtsoftplus: (x) => Math.sqrt(softplus(x)),
    linear: (x) => x
  };
  function softmax(scores2, start, count) {
    let largest3 = -Infinity;
    for (let i = start; i < start + count; i++) if (scores2[i] > largest3) largest3 = scores2[i];
    if (largest3 === -Infinity) {
      scores2.fill(0, start, start + count);
      return;
    }
    let total = 0;
    for (let i = start; i < start + count; i++) total += scores2[i] = Math.exp(scores2[i] - largest3);
    for (let i = start; i < start + count; i++) scores2[i] /= total;
  }

  // web/engine/attention.ts
  var Attention = class {
    /**
     * `prefix`: what the names of its weights begin with, such as `encoder_layers.0.self_attention`. `turns`: the cosines of
     * all positions, then the sines, that rotary positions turn queries and keys by; null where there are none.
     */
    constructor(blob, prefix, config, turns) {
      this.turns = turns;
      this.heads = config.heads;
      this.size = headSize(config);
      this.scale = scoreScale(config);
      this.shared = config.shared_head_projection;
      this.q = blob.projection(`${prefix}.q_proj`);
      this.k = blob.projection(`${prefix}.k_proj`);
      this.v = blob.projection(`${prefix}.v_proj`);
      this.output = blob.projection(`${prefix}.output_proj`);
    }
    /** x (rows, d_model) → (rows, heads · d_h): by one matrix for all heads, or by the same small one for each. */
    project(x, rows, projection) {
      return linear(x, this.shared ? rows * this.heads : rows, projection);
    }
    /** The queries of rows at positions `start` …, turned where positions are rotary. */
    queries(x, rows, start = 0) {
      return this.turned(this.project(x, rows, this.q), rows, start);
    }
    /** The keys, turned likewise, and the values of rows at positions `start` …. */
    keysValues(x, rows, start = 0) {
      const keys = this.turned(this.project(x, rows, this.k), rows, start);
      return { keys, values: this.project(x, rows, this.v) };
    }
    /** Turns each pair of columns of every head by the angle of its row's position, in place. */
    turned(x, rows, start) {
      const { turns, heads, size } = this;
      if (!turns) return x;
      const [half, sines] = [size / 2, turns.length / 2];
      for (let row = 0; row < rows; row++) {
        const angles = (start + row) * half;
        for (let pair = 0; pair < heads * half; pair++) {
          const cos = turns[angles + pair % half];
          const sin = turns[sines + angles + pair % half];
          const at2 = row * heads * size + 2 * pair;
          [x[at2], x[at2 + 1]] = [x[at2] * cos - x[at2 + 1] * sin, x[at2] * sin + x[at2 + 1] * cos];
        }
      }
      return x;
    }
    /** What `rows` queries gather → (rows, d_model). Their weights go to `weights`, (heads, rows, seen.count). */
    gather(queries, rows, seen, weights2) {
      const mixed = new Float32Array(queries.length);
      const row = { q: 0, head: 0, position: 0, at: 0 };
      for (row.head = 0; row.head < this.heads; row.head++) {
        const kept = !seen.ablated?.(row.head);
        for (let n2 = 0; n2 < rows; n2++) {
          row.q = (n2 * this.heads + row.head) * this.size;
          row.position = (seen.start ?? 0) + n2;
          row.at = (row.head * rows + n2) * seen.count;
          this.score(queries, row, seen, weights2);
          softmax(weights2, row.at, seen.count);
          if (kept) this.mix(mixed, row, seen, weights2);
        }
      }
      return linear(mixed, rows, this.output);
    }
    /** The masked scores of one query of one head, into `scores` from `at` on. */
    score(queries, { q: q2, head, position, at: at2 }, seen, scores2) {
      const { size, heads, scale } = this;
      const { keys, count, bias, padding } = seen;
      for (let key = 0; key < count; key++) {
        const k2 = (key * heads + head) * size;
        let dot = 0;
        for (let i = 0; i < size; i++) dot += queries[q2 + i] * keys[k2 + i];
        const score = dot * scale + (bias ? bias(head, key - position) : 0);
        scores2[at2 + key] = padding?.[key] ? -Infinity : score;
      }
    }
    /** The mean of the values of one head by its weights from `at` on, put where its query lies. */
    mix(mixed, { q: q2, head, at: at2 }, seen, weights2) {
      const { size, heads } = this;
      for (let key = 0; key < seen.count; key++) {
        const weight = weights2[at2 + key];
        const v2 = (key * heads + head) * size;
        for (let i = 0; i < size; i++) mixed[q2 + i] += weight * seen.values[v2 + i];
      }
    }
  };

  // web/engine/layers.ts
  function normOf(blob, prefix, config) {
    const { weight, bias } = blob.projection(prefix);
    return (x) => norm(x, weight, bias, config);
  }
  var Residual = class {
    constructor(blob, prefix, config) {
      this.normed = normOf(blob, `${prefix}.norm`, config);
      this.pre = config.norm_placement === "pre";
    }
    around(x, sublayer) {
      return this.pre ? sum(x, sublayer(this.normed(x))) : this.normed(sum(x, sublayer(x)));
    }
  };
  var FeedForward = class {
    constructor(blob, prefix, config) {
      this.up = blob.projection(`${prefix}.up_proj`);
      this.gate = config.gated ? blob.projection(`${prefix}.gate_proj`) : null;
      this.down = blob.projection(`${prefix}.down_proj`);
      this.active = ACTIVATIONS[config.activation];
    }
    of(x, rows) {
      const { active } = this;
      const hidden = linear(x, rows, this.up);
      if (this.gate) {
        const opened = linear(x, rows, this.gate);
        for (let i = 0; i < hidden.length; i++) hidden[i] *= active(opened[i]);
      } else for (let i = 0; i < hidden.length; i++) hidden[i] = active(hidden[i]);
      return linear(hidden, rows, this.down);
    }
  };
  var Layer = class {
    constructor(blob, prefix, config, decoder) {
      const residual = (name) => new Residual(blob, `${prefix}.${name}_residual`, config);
      const turns = config.positions === "rotary" ? blob.numbers(`${prefix.split("_")[0]}_rotary.table`) : null;
      this.attention = new Attention(blob, `${prefix}.self_attention`, config, turns);
      this.cross = decoder ? new Attention(blob, `${prefix}.cross_attention`, config, null) : null;
      this.feedForward = new FeedForward(blob, `${prefix}.feed_forward`, config);
      this.residuals = {
        self: residual("self"),
        cross: decoder ? residual("cross") : null,
        ffn: residual("ffn")
      };
      this.size = config.d_model;
    }
    /** x after self-attention; its weights, (heads, rows, keys), go to `weights`. */
    attend(x, looked, weights2) {
      return this.around("self", x, this.attention, looked, weights2);
    }
    /** x after cross-attention. */
    attendSource(x, looked, weights2) {
      return this.cross ? this.around("cross", x, this.cross, looked, weights2) : x;
    }
    around(block, x, attention, looked, weights2) {
      const rows = x.length / this.size;
      const sublayer = (read2) => {
        const seen = looked(read2, attention);
        return attention.gather(attention.queries(read2, rows, seen.start), rows, seen, weights2);
      };
      return this.residuals[block]?.around(x, sublayer) ?? x;
    }
    /** x after the feed-forward sub-layer. */
    feed(x) {
      return this.residuals.ffn?.around(x, (read2) => this.feedForward.of(read2, x.length / this.size)) ?? x;
    }
  };

  // web/engine/model.ts
  var Embedding = class {
    constructor(blob, prefix, config) {
      this.config = config;
      const table = `${prefix}.positions.table`;
      this.table = blob.weights(`${prefix}.table`);
      this.scale = config.embedding_scale ? Math.sqrt(config.d_model) : 1;
      if (config.positions === "learned") this.positions = blob.weights(table);
      else this.positions = config.positions.startsWith("sinusoidal") ? blob.numbers(table) : null;
      this.norm = config.embedding_norm ? normOf(blob, `${prefix}.norm`, config) : null;
    }
    /** The vectors of `ids`, which stand at positions `start` …, (ids, d_model). */
    of(ids, start) {
      const { d_model: size, position_offset: offset } = this.config;
      const x = new Float32Array(ids.length * size);
      ids.forEach((id, n2) => {
        const row = (start + n2 + offset) * size;
        for (let i = 0; i < size; i++) {
          x[n2 * size + i] = this.table[id * size + i] * this.scale + (this.positions?.[row + i] ?? 0);
        }
      });
      return this.norm ? this.norm(x) : x;
    }
  };
  function relativeBias(blob, stack, config) {
    const { positions, heads } = ofStack(config, stack);
    if (positions !== "relative_buckets") return null;
    const table = blob.weights(`${stack}_bias.table`);
    const buckets = blob.numbers(`${stack}_bias.bucket_of`);
    const reach = (buckets.length - 1) / 2;
    return (head, offset) => {
      const known = Math.max(-reach, Math.min(reach, offset));
      return table[buckets[known + reach] * heads + head];
    };
  }
  var Model = class {
    constructor(blob) {
      const config = this.config = blob.header.config;
      const own = this.own = { encoder: ofStack(config, "encoder"), decoder: ofStack(config, "decoder") };
      const layers = (stack, count) => Array.from(
        { length: count },
        (_2, n2) => new Layer(blob, `${stack}_layers.${n2}`, own[stack], stack === "decoder")
      );
      const final = (stack) => own[stack].final_norm ? normOf(blob, `${stack}_norm`, own[stack]) : (x) => x;
      this.source = new Embedding(blob, "source_embedding", own.encoder);
      this.target = new Embedding(blob, "target_embedding", own.decoder);
      this.encoder = layers("encoder", config.encoder_layers);
      this.decoder = layers("decoder", config.decoder_layers);
      this.biases = {
        encoder: relativeBias(blob, "encoder", config),
        decoder: relativeBias(blob, "decoder", config)
      };
      this.finals = { encoder: final("encoder"), decoder: final("decoder") };
      const table = config.tie_output ? "target_embedding.table" : "output_proj";
      this.output = { weight: blob.weights(table), bias: blob.maybe("output_bias") };
    }
    /** Reads a source; it stops after each layer, so that whoever drives it can let the page draw, or give up. */
    *encode(ids, ablated) {
      const { heads, source_pad_id: other, pad_id: pad } = this.own.encoder;
      const length = ids.length;
      const masked = ids.map((id) => id === (other ?? pad));
      const padding = masked.includes(true) ? masked : null;
      const maps = [];
      let x = this.source.of(ids, 0);
      for (const [n2, layer] of this.encoder.entries()) {
        const weights2 = new Float32Array(heads * length * length);
        const looked = (read2) => ({
          ...layer.attention.keysValues(read2, length),
          count: length,
          bias: this.biases.encoder,
          padding,
          ablated: (head) => ablated("encoder", n2, head)
        });
        x = layer.feed(layer.attend(x, looked, weights2));
        maps.push(weights2);
        yield;
      }
      return { memory: this.finals.encoder(x), length, maps, padding };
    }
    /** An empty decode of a source, with room for `capacity` tokens. */
    start({ memory, length, padding }, ablated, capacity) {
      const size = capacity * this.own.decoder.heads * headSize(this.own.decoder);
      const cross = this.decoder.map((layer, n2) => ({
        ...layer.cross?.keysValues(memory, length) ?? {
          keys: new Float32Array(0),
          values: new Float32Array(0)
        },
        count: length,
        padding,
        ablated: (head) => ablated("cross", n2, head)
      }));
      const past = this.decoder.map((_2, n2) => ({
        keys: new Float32Array(size),
        values: new Float32Array(size),
        count: 0,
        bias: this.biases.decoder,
        ablated: (head) => ablated("causal", n2, head)
      }));
      return { length: 0, cross, past, ablated };
    }
    /** Reads one more token of the target, which joins the `state`. */
    step(input, state) {
      const { heads, d_model: size, output_scale: scaled } = this.own.decoder;
      const start = state.length;
      const step = { input, logits: new Float32Array(0), causal: [], cross: [] };
      let x = this.target.of([input], start);
      for (const [n2, layer] of this.decoder.entries()) {
        const causal = new Float32Array(heads * (start + 1));
        const looked = (read2) => {
          const { keys, values } = layer.attention.keysValues(read2, 1, start);
          const past = state.past[n2];
          past.keys.set(keys, start * keys.length);
          past.values.set(values, start * values.length);
          return { ...past, count: start + 1, start };
        };
        x = layer.attend(x, looked, causal);
        const cross = new Float32Array(heads * state.cross[n2].count);
        x = layer.feed(layer.attendSource(x, () => state.cross[n2], cross));
        step.causal.push(causal);
        step.cross.push(cross);
      }
      x = this.finals.decoder(x);
      if (scaled === "inverse_sqrt_d_model") x = x.map((value) => value / Math.sqrt(size));
      step.logits = linear(x, 1, this.output);
      state.length = start + 1;
      return step;
    }
  };

  // web/node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs
  var H = class {
    constructor(e) {
      this.trie = this._build_trie(e);
    }
    _build_trie(e) {
      let t = /* @__PURE__ */ Object.create(null);
      for (let n2 of e) {
        let o = t;
        for (let s = 0; s < n2.length; ++s) {
          let a = n2[s];
          o = o[a] ??= /* @__PURE__ */ Object.create(null);
        }
        o.end = n2;
      }
      return t;
    }
    split(e) {
      let t = [], n2 = e.length, o = 0, s = 0;
      for (; s < n2; ) {
        let a = this.trie, i = null, c = s;
        for (; c < n2 && (a = a[e[c]]); ) a.end && (i = a.end), ++c;
        i ? (s > o && t.push(e.slice(o, s)), t.push(i), s += i.length, o = s) : ++s;
      }
      return o < n2 && t.push(e.slice(o)), t;
    }
  };
  var G = H;
  var Y = class {
    constructor(e) {
      this.content = e.content, this.id = e.id, this.single_word = e.single_word ?? false, this.lstrip = e.lstrip ?? false, this.rstrip = e.rstrip ?? false, this.special = e.special ?? false, this.normalized = e.normalized ?? !this.special;
    }
  };
  var Z = Y;
  var jt = (r3, e) => {
    try {
      return new RegExp(r3, e);
    } catch (t) {
      if (!(t instanceof SyntaxError)) throw t;
      let n2 = /* @__PURE__ */ new Map(), o = r3.replace(/(\\[pP])\{([^}=]+)\}/g, (s, a, i, c) => {
        let l = 0;
        for (let d = c - 1; d >= 0 && r3[d] === "\\"; --d) ++l;
        if (l % 2 === 1) return s;
        let p = n2.get(i);
        if (p === void 0) {
          try {
            new RegExp(`\\p{${i}}`, "u"), p = i;
          } catch {
            p = `Script=${i}`;
          }
          n2.set(i, p);
        }
        return `${a}{${p}}`;
      });
      if (o === r3) throw t;
      try {
        return new RegExp(o, e);
      } catch {
        throw t;
      }
    }
  };
  var D = (r3) => r3.replace(/ \./g, ".").replace(/ \?/g, "?").replace(/ \!/g, "!").replace(/ ,/g, ",").replace(/ \' /g, "'").replace(/ n't/g, "n't").replace(/ 'm/g, "'m").replace(/ 's/g, "'s").replace(/ 've/g, "'ve").replace(/ 're/g, "'re");
  var N = (r3, e = true) => {
    if (r3.Regex !== void 0) {
      let t = Sr(Nr(r3.Regex));
      return jt(t, "gu");
    } else if (r3.String !== void 0) {
      let t = Dr(r3.String);
      return new RegExp(e ? t : `(${t})`, "gu");
    } else return console.warn("Unknown pattern type:", r3), null;
  };
  var S = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";
  var qt = `${S}\\u00B2\\u00B3\\u00B9\\u00BC-\\u00BE`;
  var w = `[${qt}]`;
  var Kt = `[^${qt}]`;
  var hr = `(?:(?<!${w})(?=${w})|(?<=${w})(?!${w}))`;
  var mr = `(?:(?<!${w})(?!${w})|(?<=${w})(?=${w}))`;
  var gr = "(?:(?<![\\s\\S])|(?<=\\n))";
  var kr = "(?:(?=\\n)|(?![\\s\\S]))";
  var $ = "0-9A-Fa-f";
  var zr = /* @__PURE__ */ new Map([["A", "(?<![\\s\\S])"], ["z", "(?![\\s\\S])"], ["Z", "(?=\\n?(?![\\s\\S]))"], ["h", `[${$}]`], ["H", `[^${$}]`], ["w", w], ["W", Kt], ["d", "\\p{Nd}"], ["D", "\\P{Nd}"], ["s", "\\p{White_Space}"], ["S", "\\P{White_Space}"], ["b", hr], ["B", mr], ["a", "\\x07"], ["e", "\\x1B"]]);
  var br = /* @__PURE__ */ new Map([["h", $], ["w", S], ["d", "\\p{Nd}"], ["D", "\\P{Nd}"], ["s", "\\p{White_Space}"], ["S", "\\P{White_Space}"], ["a", "\\x07"], ["e", "\\x1B"]]);
  var xr = /* @__PURE__ */ new Map([["W", `[^${S}]`], ["H", `[^${$}]`]]);
  var Xt = /* @__PURE__ */ new Map([[`
`, "\\n"], ["\r", "\\r"], ["	", "\\t"], ["\f", "\\f"], ["\v", "\\v"]]);
  var Tr = /* @__PURE__ */ new Map([["alpha", "\\p{Alphabetic}"], ["alnum", "\\p{Alphabetic}\\p{Nd}"], ["digit", "\\p{Nd}"], ["lower", "\\p{Lowercase}"], ["upper", "\\p{Uppercase}"], ["space", "\\p{White_Space}"], ["blank", "\\t\\p{Zs}"], ["punct", "\\p{P}\\p{S}"], ["cntrl", "\\p{Cc}"], ["word", S], ["xdigit", $]]);
  var Ht = "^$\\.*+?()[]{}|/";
  var yr = /^\(\?(?:<[=!]|<[A-Za-z_][A-Za-z0-9_]*>|[:=!>])/;
  var Gt = /^\\([pPxu])\{([^}]*)\}/;
  var wr = /^\{(\d+(?:,\d*)?|,\d+)\}/;
  var Pr = /^\[:(\^?)(\p{Alphabetic}+):\]/u;
  var Cr = /^\[:\^:\]/;
  var vr = /^\[(?:\.[^\]]*\.\]|=[^\]]*=\])/;
  var Yt = /^(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\c[A-Za-z])/;
  var Zt = (r3) => r3 >= "A" && r3 <= "Z" || r3 >= "a" && r3 <= "z";
  var B = (r3, e) => String.fromCodePoint(r3.codePointAt(e));
  var Lt = (r3) => {
    if (!/^[0-9A-Fa-f]{1,8}$/.test(r3)) return null;
    let e = Number.parseInt(r3, 16);
    if (e > 127) return null;
    let t = String.fromCharCode(e);
    return Zt(t) ? `[${t.toLowerCase()}${t.toUpperCase()}]` : null;
  };
  var Nr = (r3) => r3.replace(/\[\^\(\\s\|\[([^\]]+)\]\)\]/g, "[^()|\\s$1]");
  var Jt = "[\\s\\S]";
  var Ut = 256;
  var Wt = () => ({ fragment: "", alternatives: [], tail: null, contains_complex_set: false });
  var J = (r3) => {
    throw new SyntaxError(`Unsupported range with a set-valued character-class operand at index ${r3}`);
  };
  var F = (r3, e, t, n2 = true) => {
    r3.tail === "range" && J(t), r3.alternatives.push(e), r3.tail = "set", r3.contains_complex_set = r3.contains_complex_set || n2;
  };
  var v = (r3, e, t = false, n2 = -1) => {
    if (t && r3.tail === "range" && J(n2), r3.tail === "range") {
      r3.fragment += e, r3.tail = "complete_range";
      return;
    }
    r3.fragment += e, r3.tail = t ? "set" : "scalar", r3.contains_complex_set = r3.contains_complex_set || t;
  };
  var Er = (r3, e, t) => {
    let n2 = Gt.exec(r3.slice(e));
    if (n2) {
      let [z, g, u] = n2;
      if (g === "P" && u === "Word") F(t, `[^${S}]`, e);
      else {
        let m = g === "x" ? `\\u{${u}}` : g === "p" && u === "Word" ? S : z;
        v(t, m, g === "p" || g === "P", e);
      }
      return e + z.length;
    }
    let o = Yt.exec(r3.slice(e));
    if (o) return v(t, o[0]), e + o[0].length;
    if (e + 1 >= r3.length) throw new SyntaxError(`Unterminated escape in character class at index ${e}`);
    let s = B(r3, e + 1), a = e + 1 + s.length, i = Xt.get(s);
    if (i !== void 0) return v(t, i), a;
    let c = xr.get(s);
    if (c !== void 0) return F(t, c, e), a;
    let l = br.get(s), p, d = false;
    return l !== void 0 ? (p = l, d = s !== "a" && s !== "e") : /[A-Za-z0-9]/.test(s) ? p = `\\${s}` : Ht.includes(s) || s === "-" ? p = `\\${s}` : p = s, v(t, p, d, e), a;
  };
  var Vt = (r3) => r3.length === 1 ? r3[0] : `(?:(?=(?:${r3.join("|")}))${Jt})`;
  var It = (r3) => {
    let e = r3.fragment.length === 0 ? r3.alternatives : [`[${r3.fragment}]`, ...r3.alternatives];
    return Vt(e);
  };
  var Ar = (r3) => {
    let e = jt(`^(?:${r3})$`, "u"), t = "";
    for (let n2 = 0; n2 < 26; ++n2) {
      let o = String.fromCharCode(65 + n2), s = String.fromCharCode(97 + n2), a = e.test(o), i = e.test(s);
      a !== i && (t += a ? s : o);
    }
    return t;
  };
  var Qt = (r3, e, t, n2 = true, o = 1) => {
    if (o > Ut) throw new SyntaxError(`Maximum character-class nesting depth of ${Ut} exceeded at index ${e}`);
    let s = e + 1, a = r3[s] === "^";
    a && ++s;
    let i = s, c = [Wt()], l = c[0], p = false;
    for (; s < r3.length; ) {
      let d = B(r3, s);
      if (d === "\\") {
        s = Er(r3, s, l);
        continue;
      }
      if (d === "]") {
        if (s === i) {
          v(l, "\\]"), ++s;
          continue;
        }
        if (l.tail === null) throw c.length > 1 ? new SyntaxError(`Malformed character-class intersection with an empty operand at index ${s}`) : new SyntaxError(`Empty character class at index ${e}`);
        let z = c.some((x) => x.contains_complex_set);
        if (a && c.length > 1 && p) throw new SyntaxError(`Unsupported outer-negated character-class intersection with a nested negated class containing a Unicode property, POSIX class, or shorthand at index ${e}`);
        let g = It(c[0]), u = g;
        if (c.length > 1) {
          let x = "";
          for (let A = 1; A < c.length; ++A) x += `(?=${It(c[A])})`;
          u = `(?:${x}${g})`;
        }
        let m = c.length === 1 && l.alternatives.length === 0, b = l.fragment;
        if (t && n2) {
          let x = Ar(u);
          x.length > 0 && (m ? (b += x, u = `[${b}]`) : u = Vt([u, `[${x}]`]));
        }
        return { atom: a ? m ? `[^${b}]` : `(?:(?!${u})${Jt})` : u, end: s + 1, negated: a, contains_complex_set: z, contains_nested_negated_complex_set: p };
      }
      if (r3.startsWith("&&", s)) {
        if (l.tail === null) throw new SyntaxError(`Malformed character-class intersection with an empty operand at index ${s}`);
        l = Wt(), c.push(l), s += 2;
        continue;
      }
      if (d === "[") {
        let z = r3.slice(s);
        if (Cr.test(z)) throw new SyntaxError(`Malformed empty negated POSIX character class at index ${s}`);
        let g = Pr.exec(z);
        if (g) {
          let [, m, b] = g, C = Tr.get(b);
          if (C === void 0) throw new SyntaxError(`Unsupported POSIX character class "${b}" at index ${s}`);
          if (t && m && (b === "lower" || b === "upper")) throw new SyntaxError(`Unsupported negated POSIX ${b} class inside an inline case-insensitive group`);
          m ? F(l, `[^${C}]`, s) : v(l, C, true, s), s += g[0].length;
          continue;
        }
        if (vr.test(z)) throw new SyntaxError(`Unsupported POSIX collating or equivalence bracket expression at index ${s}`);
        let u = Qt(r3, s, t, false, o + 1);
        F(l, u.atom, s, u.contains_complex_set), p ||= u.contains_nested_negated_complex_set || u.negated && u.contains_complex_set, s = u.end;
        continue;
      }
      if (d === "-") {
        let z = r3[s + 1] === "]" || r3.startsWith("&&", s + 1);
        l.tail === "set" && !z && J(s), l.tail === null || l.tail === "range" || l.tail === "complete_range" || z ? v(l, "\\-") : (l.fragment += "-", l.tail = "range"), ++s;
        continue;
      }
      v(l, d === "^" && l.fragment.length === 0 ? "\\^" : d), s += d.length;
    }
    throw new SyntaxError(`${c.length > 1 ? "Unterminated character-class intersection" : "Unterminated character class"} at index ${e}`);
  };
  var Sr = (r3) => {
    let e = "", t = -1, n2 = false, o = false, s = [], a = (i) => {
      t = e.length, e += i, n2 = false;
    };
    for (let i = 0; i < r3.length; ) {
      let c = B(r3, i);
      if (c === "\\") {
        let l = Gt.exec(r3.slice(i));
        if (l) {
          let [m, b, C] = l, x = m;
          if (b === "x") {
            let A = `\\u{${C}}`;
            x = o ? Lt(C) ?? A : A;
          } else C === "Word" && (x = b === "p" ? w : Kt);
          a(x), i += m.length;
          continue;
        }
        let p = Yt.exec(r3.slice(i));
        if (p) {
          let m = p[0], b = o && m[1] !== "c" ? Lt(m.slice(2)) ?? m : m;
          a(b), i += m.length;
          continue;
        }
        if (i + 1 >= r3.length) {
          e += c;
          break;
        }
        let d = B(r3, i + 1);
        if (i += 1 + d.length, d === "G") continue;
        let z = Xt.get(d);
        if (z !== void 0) {
          a(z);
          continue;
        }
        let g = zr.get(d), u;
        g !== void 0 ? u = g : /[A-Za-z0-9]/.test(d) ? u = `\\${d}` : Ht.includes(d) ? u = `\\${d}` : u = d, a(u);
        continue;
      }
      switch (c) {
        case "[": {
          let l = Qt(r3, i, o);
          a(l.atom), i = l.end;
          continue;
        }
        case "]":
          a("\\]"), ++i;
          continue;
        case ".":
          a("[^\\n]"), ++i;
          continue;
        case "^":
          a(gr), ++i;
          continue;
        case "$":
          a(kr), ++i;
          continue;
        case "(": {
          let l = r3.startsWith("(?i:", i), p = l ? "(?i:" : yr.exec(r3.slice(i))?.[0] ?? "(", d = l || p === "(?>" ? "(?:" : p;
          s.push([e.length, o]), l && (o = true), e += d, n2 = false, i += p.length;
          continue;
        }
        case ")":
          e += c, [t, o] = s.pop() ?? [-1, false], n2 = false, ++i;
          continue;
        case "|":
          e += c, t = -1, n2 = false, ++i;
          continue;
        case "{": {
          let l = wr.exec(r3.slice(i));
          if (!l || t < 0) {
            a("\\{"), ++i;
            continue;
          }
          let p = l[1].startsWith(",") ? `0${l[1]}` : l[1];
          i += l[0].length;
          let d = r3[i];
          d === "+" || d === "*" ? (e = `${e.slice(0, t)}(?:${e.slice(t)}{${p}})${d}`, ++i) : e += `{${p}}`, n2 = true;
          continue;
        }
        case "}":
          a("\\}"), ++i;
          continue;
        case "+":
          if (n2) {
            ++i;
            continue;
          }
          e += c, n2 = true, ++i;
          continue;
        case "*":
        case "?":
          e += c, n2 = true, ++i;
          continue;
        default:
          a(o && Zt(c) ? `[${c.toLowerCase()}${c.toUpperCase()}]` : c), i += c.length;
          continue;
      }
    }
    return e;
  };
  var Dr = (r3) => r3.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  var er = (r3, e, t) => {
    let n2 = [], o = 0;
    for (; o < r3.length; ) {
      if (n2.push(r3[o]), (e.get(r3[o]) ?? t) !== t) {
        ++o;
        continue;
      }
      for (; ++o < r3.length && (e.get(r3[o]) ?? t) === t; ) e.get(n2.at(-1)) !== t && (n2[n2.length - 1] += r3[o]);
    }
    return n2;
  };
  var tr2 = (r3) => r3 >= 19968 && r3 <= 40959 || r3 >= 13312 && r3 <= 19903 || r3 >= 131072 && r3 <= 173791 || r3 >= 173824 && r3 <= 177983 || r3 >= 177984 && r3 <= 178207 || r3 >= 178208 && r3 <= 183983 || r3 >= 63744 && r3 <= 64255 || r3 >= 194560 && r3 <= 195103;
  var rr = (r3) => Number.isInteger(r3) || typeof r3 == "bigint";
  var nr = (r3) => {
    let e = 0;
    for (let t of r3) ++e;
    return e;
  };
  var or = (r3) => V(r3.toLowerCase());
  var k = (...r3) => Array.prototype.concat.apply([], r3);
  var O = (r3) => new Map(Object.entries(r3));
  var sr = (r3, e) => {
    let t = [], n2 = 0;
    for (let o of r3.matchAll(e)) {
      let s = o[0];
      n2 < o.index && t.push(r3.slice(n2, o.index)), s.length > 0 && t.push(s), n2 = o.index + s.length;
    }
    return n2 < r3.length && t.push(r3.slice(n2)), t;
  };
  var V = (r3) => r3.replace(/\p{M}/gu, "");
  var Q = (r3, e, t = []) => {
    if (!r3 || Array.isArray(r3) || typeof r3 != "object") return `${e} must be a valid object`;
    for (let n2 of t) if (!(n2 in r3)) return `${e} must contain a "${n2}" property`;
    return null;
  };
  var ir = (r3) => r3.match(/\S+/g) || [];
  var ee = class {
    constructor() {
      let e = function(...t) {
        return e._call(...t);
      };
      return Object.setPrototypeOf(e, new.target.prototype);
    }
  };
  var T = ee;
  var te = class extends T {
    constructor(e) {
      super(), this.config = e;
    }
    _call(e) {
      return this.normalize(e);
    }
  };
  var h = te;
  var re = class extends h {
    tokenize_chinese_chars(e) {
      let t = [];
      for (let n2 = 0; n2 < e.length; ++n2) {
        let o = e[n2], s = o.charCodeAt(0);
        tr2(s) ? (t.push(" "), t.push(o), t.push(" ")) : t.push(o);
      }
      return t.join("");
    }
    strip_accents(e) {
      return e.normalize("NFD").replace(/\p{Mn}/gu, "");
    }
    is_control(e) {
      switch (e) {
        case "	":
        case `
`:
        case "\r":
          return false;
        default:
          return /^\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}$/u.test(e);
      }
    }
    clean_text(e) {
      let t = [];
      for (let n2 of e) {
        let o = n2.charCodeAt(0);
        o === 0 || o === 65533 || this.is_control(n2) || (/^\s$/.test(n2) ? t.push(" ") : t.push(n2));
      }
      return t.join("");
    }
    normalize(e) {
      return this.config.clean_text && (e = this.clean_text(e)), this.config.handle_chinese_chars && (e = this.tokenize_chinese_chars(e)), this.config.lowercase ? (e = e.toLowerCase(), this.config.strip_accents !== false && (e = this.strip_accents(e))) : this.config.strip_accents && (e = this.strip_accents(e)), e;
    }
  };
  var ne = re;
  var oe = class extends h {
    constructor(e) {
      super(e), this.charsmap = e.precompiled_charsmap ?? null;
    }
    normalize(e) {
      return e = e.replace(/[\u0001-\u0008\u000B\u000E-\u001F\u007F\u008F\u009F]/gm, ""), e = e.replace(/[\u0009\u000A\u000C\u000D\u00A0\u1680\u2000-\u200F\u2028\u2029\u202F\u205F\u2581\u3000\uFEFF\uFFFD]/gm, " "), e.includes("～") ? e = e.split("～").map((n2) => n2.normalize("NFKC")).join("～") : e = e.normalize("NFKC"), e;
    }
  };
  var se = oe;
  var ie = class extends h {
    constructor(e) {
      super(e), this.normalizers = (e.normalizers ?? []).map((t) => L(t));
    }
    normalize(e) {
      return this.normalizers.reduce((t, n2) => n2 ? n2.normalize(t) : t, e);
    }
  };
  var ae = ie;
  var ce = class extends h {
    constructor(e) {
      super(e), this.pattern = N(this.config.pattern ?? {});
    }
    normalize(e) {
      return this.pattern === null ? e : e.replaceAll(this.pattern, this.config.content ?? "");
    }
  };
  var le = ce;
  var pe = class extends h {
    constructor() {
      super(...arguments);
      this.form = "NFC";
    }
    normalize(t) {
      return t = t.normalize(this.form), t;
    }
  };
  var E = pe;
  var de = class extends E {
    constructor() {
      super(...arguments);
      this.form = "NFC";
    }
  };
  var ue = de;
  var fe = class extends E {
    constructor() {
      super(...arguments);
      this.form = "NFD";
    }
  };
  var _e = fe;
  var he = class extends E {
    constructor() {
      super(...arguments);
      this.form = "NFKC";
    }
  };
  var me = he;
  var ge = class extends E {
    constructor() {
      super(...arguments);
      this.form = "NFKD";
    }
  };
  var ke = ge;
  var ze = class extends h {
    normalize(e) {
      return this.config.strip_left && this.config.strip_right ? e = e.trim() : (this.config.strip_left && (e = e.trimStart()), this.config.strip_right && (e = e.trimEnd())), e;
    }
  };
  var be = ze;
  var xe = class extends h {
    normalize(e) {
      return V(e);
    }
  };
  var Te = xe;
  var ye = class extends h {
    normalize(e) {
      return e.toLowerCase();
    }
  };
  var we = ye;
  var Pe = class extends h {
    normalize(e) {
      return e = this.config.prepend + e, e;
    }
  };
  var Ce = Pe;
  function Or(r3) {
    if (r3 === null) return null;
    switch (r3.type) {
      case "BertNormalizer":
        return new ne(r3);
      case "Precompiled":
        return new se(r3);
      case "Sequence":
        return new ae(r3);
      case "Replace":
        return new le(r3);
      case "NFC":
        return new ue(r3);
      case "NFD":
        return new _e(r3);
      case "NFKC":
        return new me(r3);
      case "NFKD":
        return new ke(r3);
      case "Strip":
        return new be(r3);
      case "StripAccents":
        return new Te(r3);
      case "Lowercase":
        return new we(r3);
      case "Prepend":
        return new Ce(r3);
      default:
        throw new Error(`Unknown Normalizer type: ${r3.type}`);
    }
  }
  var L = Or;
  var ve = class extends T {
    pre_tokenize(e, t) {
      return (Array.isArray(e) ? e.map((n2) => this.pre_tokenize_text(n2, t)) : this.pre_tokenize_text(e, t)).flat();
    }
    _call(e, t) {
      return this.pre_tokenize(e, t);
    }
  };
  var f = ve;
  var Ne = (() => {
    let r3 = [...Array.from({ length: 94 }, (o, s) => s + 33), ...Array.from({ length: 12 }, (o, s) => s + 161), ...Array.from({ length: 82 }, (o, s) => s + 174)], e = r3.slice(), t = 0;
    for (let o = 0; o < 256; ++o) r3.includes(o) || (r3.push(o), e.push(256 + t), t += 1);
    let n2 = e.map((o) => String.fromCharCode(o));
    return Object.fromEntries(r3.map((o, s) => [o, n2[s]]));
  })();
  var Rr = (r3) => Object.fromEntries(Object.entries(r3).map(([e, t]) => [t, e]));
  var ar = Rr(Ne);
  var R = "\\p{P}\\u0021-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007E";
  var Ee = class extends f {
    constructor(e) {
      super(), this.config = e, this.add_prefix_space = this.config.add_prefix_space ?? false, this.trim_offsets = this.config.trim_offsets ?? false, this.use_regex = this.config.use_regex ?? true, this.pattern = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu, this.byte_encoder = Ne, this.text_encoder = new TextEncoder();
    }
    pre_tokenize_text(e, t) {
      return this.add_prefix_space && !e.startsWith(" ") && (e = " " + e), (this.use_regex ? e.match(this.pattern) || [] : [e]).map((o) => Array.from(this.text_encoder.encode(o), (s) => this.byte_encoder[s]).join(""));
    }
  };
  var Ae = Ee;
  var Se = class extends f {
    pre_tokenize_text(e, t) {
      return e.match(/\w+|[^\w\s]+/g) || [];
    }
  };
  var De = Se;
  var Oe = class extends f {
    constructor(e) {
      super(), this.replacement = e.replacement ?? "▁", this.str_rep = e.str_rep || this.replacement, this.prepend_scheme = e.prepend_scheme ?? "always";
    }
    pre_tokenize_text(e, t) {
      let { section_index: n2 = void 0 } = t ?? {}, o = e.replaceAll(" ", this.str_rep);
      return !o.startsWith(this.replacement) && (this.prepend_scheme === "always" || this.prepend_scheme === "first" && n2 === 0) && (o = this.str_rep + o), [o];
    }
  };
  var Re = Oe;
  var $e = class extends f {
    constructor(e) {
      super(), this.config = e, this.pattern = N(this.config.pattern ?? {}, this.config.invert ?? true);
    }
    pre_tokenize_text(e) {
      return this.pattern === null ? [] : this.config.invert ? (e.match(this.pattern) || []).filter((t) => t) : this.config.behavior?.toLowerCase() === "removed" ? e.split(this.pattern).filter((t) => t) : sr(e, this.pattern);
    }
  };
  var Me = $e;
  var Be = class extends f {
    constructor(e) {
      super(), this.config = e, this.pattern = new RegExp(`[^${R}]+|[${R}]+`, "gu");
    }
    pre_tokenize_text(e) {
      return e.match(this.pattern) || [];
    }
  };
  var Fe = Be;
  var Le = class extends f {
    constructor(e) {
      super(), this.config = e;
      let t = `[^\\d]+|\\d${this.config.individual_digits ? "" : "+"}`;
      this.pattern = new RegExp(t, "gu");
    }
    pre_tokenize_text(e) {
      return e.match(this.pattern) || [];
    }
  };
  var Ue = Le;
  var We = class extends f {
    constructor() {
      super(), this.pattern = new RegExp(`[^\\s${R}]+|[${R}]`, "gu");
    }
    pre_tokenize_text(e, t) {
      return e.trim().match(this.pattern) || [];
    }
  };
  var Ie = We;
  var je = class extends f {
    constructor(e) {
      super(), this.config = e, this.pattern = N(this.config.pattern ?? {}), this.content = this.config.content ?? "";
    }
    pre_tokenize_text(e) {
      return this.pattern === null ? [e] : [e.replaceAll(this.pattern, this.config.content ?? "")];
    }
  };
  var qe = je;
  var Ke = class extends f {
    constructor(e) {
      super(), this.tokenizers = (e.pretokenizers ?? []).map((t) => U(t));
    }
    pre_tokenize_text(e, t) {
      return this.tokenizers.reduce((n2, o) => o ? o.pre_tokenize(n2, t) : n2, [e]);
    }
  };
  var Xe = Ke;
  var He = class extends f {
    pre_tokenize_text(e) {
      return ir(e);
    }
  };
  var Ge = He;
  var Ye = class extends f {
    constructor(e) {
      super(), this.config = e, this._length = e.length;
    }
    pre_tokenize_text(e) {
      let t = [];
      for (let n2 = 0; n2 < e.length; n2 += this._length) t.push(e.slice(n2, n2 + this._length));
      return t;
    }
  };
  var Ze = Ye;
  function $r(r3) {
    if (r3 === null) return null;
    switch (r3.type) {
      case "BertPreTokenizer":
        return new Ie();
      case "Sequence":
        return new Xe(r3);
      case "Whitespace":
        return new De();
      case "WhitespaceSplit":
        return new Ge();
      case "Metaspace":
        return new Re(r3);
      case "ByteLevel":
        return new Ae(r3);
      case "Split":
        return new Me(r3);
      case "Punctuation":
        return new Fe(r3);
      case "Digits":
        return new Ue(r3);
      case "Replace":
        return new qe(r3);
      case "FixedLength":
        return new Ze(r3);
      default:
        throw new Error(`Unknown PreTokenizer type: ${r3.type}`);
    }
  }
  var U = $r;
  var Je = class extends T {
    constructor(e) {
      super(), this.config = e, this.vocab = [], this.tokens_to_ids = /* @__PURE__ */ new Map(), this.unk_token_id = void 0, this.unk_token = void 0, this.end_of_word_suffix = void 0, this.fuse_unk = this.config.fuse_unk ?? false;
    }
    _call(e) {
      let t = this.encode(e);
      return this.fuse_unk && (t = er(t, this.tokens_to_ids, this.unk_token_id)), t;
    }
  };
  var P = Je;
  var Ve = class extends P {
    constructor(t) {
      super(t);
      this.max_input_chars_per_word = 100;
      this.tokens_to_ids = O(t.vocab), this.unk_token_id = this.tokens_to_ids.get(t.unk_token), this.unk_token = t.unk_token, this.max_input_chars_per_word = t.max_input_chars_per_word ?? 100, this.vocab = new Array(this.tokens_to_ids.size);
      for (let [n2, o] of this.tokens_to_ids) this.vocab[o] = n2;
    }
    encode(t) {
      let n2 = [];
      for (let o of t) {
        let s = [...o];
        if (s.length > this.max_input_chars_per_word) {
          n2.push(this.unk_token);
          continue;
        }
        let a = false, i = 0, c = [];
        for (; i < s.length; ) {
          let l = s.length, p = null;
          for (; i < l; ) {
            let d = s.slice(i, l).join("");
            if (i > 0 && (d = this.config.continuing_subword_prefix + d), this.tokens_to_ids.has(d)) {
              p = d;
              break;
            }
            --l;
          }
          if (p === null) {
            a = true;
            break;
          }
          c.push(p), i = l;
        }
        a ? n2.push(this.unk_token) : n2.push(...c);
      }
      return n2;
    }
  };
  var W = Ve;
  var I = class r {
    constructor(e, t) {
      this.is_leaf = e, this.children = t;
    }
    static default() {
      return new r(false, /* @__PURE__ */ new Map());
    }
  };
  var Qe = class {
    constructor() {
      this.root = I.default();
    }
    extend(e) {
      for (let t of e) this.push(t);
    }
    push(e) {
      let t = this.root;
      for (let n2 of e) {
        let o = t.children.get(n2);
        o === void 0 && (o = I.default(), t.children.set(n2, o)), t = o;
      }
      t.is_leaf = true;
    }
    *common_prefix_search(e, t = 0) {
      let n2 = this.root;
      if (n2 === void 0) return;
      let o = "";
      for (let s = t; s < e.length; ++s) {
        let a = e[s];
        if (o += a, n2 = n2.children.get(a), n2 === void 0) return;
        n2.is_leaf && (yield o);
      }
    }
  };
  var cr = Qe;
  var M = class r2 {
    constructor(e, t, n2, o, s) {
      this.token_id = e, this.node_id = t, this.pos = n2, this.length = o, this.score = s, this.prev = null, this.backtrace_score = 0;
    }
    clone() {
      let e = new r2(this.token_id, this.node_id, this.pos, this.length, this.score);
      return e.prev = this.prev, e.backtrace_score = this.backtrace_score, e;
    }
  };
  var et = class {
    constructor(e, t, n2) {
      this.chars = Array.from(e), this.len = this.chars.length, this.bos_token_id = t, this.eos_token_id = n2, this.nodes = [], this.begin_nodes = Array.from({ length: this.len + 1 }, () => []), this.end_nodes = Array.from({ length: this.len + 1 }, () => []);
      let o = new M(this.bos_token_id ?? 0, 0, 0, 0, 0), s = new M(this.eos_token_id ?? 0, 1, this.len, 0, 0);
      this.nodes.push(o.clone()), this.nodes.push(s.clone()), this.begin_nodes[this.len].push(s), this.end_nodes[0].push(o);
    }
    insert(e, t, n2, o) {
      let s = this.nodes.length, a = new M(o, s, e, t, n2);
      this.begin_nodes[e].push(a), this.end_nodes[e + t].push(a), this.nodes.push(a);
    }
    viterbi() {
      let e = this.len, t = 0;
      for (; t <= e; ) {
        if (this.begin_nodes[t].length == 0) return [];
        for (let i of this.begin_nodes[t]) {
          i.prev = null;
          let c = 0, l = null;
          for (let p of this.end_nodes[t]) {
            let d = p.backtrace_score + i.score;
            (l === null || d > c) && (l = p.clone(), c = d);
          }
          if (l !== null) i.prev = l, i.backtrace_score = c;
          else return [];
        }
        ++t;
      }
      let n2 = [], s = this.begin_nodes[e][0].prev;
      if (s === null) return [];
      let a = s.clone();
      for (; a.prev !== null; ) n2.push(a.clone()), a = a.clone().prev.clone();
      return n2.reverse(), n2;
    }
    piece(e) {
      return this.chars.slice(e.pos, e.pos + e.length).join("");
    }
    tokens() {
      return this.viterbi().map((t) => this.piece(t));
    }
    token_ids() {
      return this.viterbi().map((t) => t.token_id);
    }
  };
  var lr = et;
  function pr(r3) {
    if (r3.length === 0) throw new Error("Array must not be empty");
    let e = r3[0], t = 0;
    for (let n2 = 1; n2 < r3.length; ++n2) r3[n2] < e && (e = r3[n2], t = n2);
    return [e, t];
  }
  var tt = class extends P {
    constructor(e, t) {
      super(e);
      let n2 = e.vocab.length;
      this.vocab = new Array(n2), this.scores = new Array(n2);
      for (let o = 0; o < n2; ++o) [this.vocab[o], this.scores[o]] = e.vocab[o];
      this.unk_token_id = e.unk_id, this.unk_token = this.vocab[e.unk_id], this.tokens_to_ids = new Map(this.vocab.map((o, s) => [o, s])), this.bos_token = " ", this.bos_token_id = this.tokens_to_ids.get(this.bos_token), this.eos_token = t, this.eos_token_id = this.tokens_to_ids.get(this.eos_token), this.unk_token = this.vocab[this.unk_token_id], this.min_score = pr(this.scores)[0], this.unk_score = this.min_score - 10, this.scores[this.unk_token_id] = this.unk_score, this.trie = new cr(), this.trie.extend(this.vocab), this.fuse_unk = true;
    }
    populate_nodes(e) {
      let t = e.chars, n2 = 1, o = 0;
      for (; o < t.length; ) {
        let s = false, a = this.trie.common_prefix_search(t, o);
        for (let i of a) {
          let c = this.tokens_to_ids.get(i), l = this.scores[c], p = nr(i);
          e.insert(o, p, l, c), !s && p === n2 && (s = true);
        }
        s || e.insert(o, n2, this.unk_score, this.unk_token_id), o += n2;
      }
    }
    tokenize(e) {
      let t = new lr(e, this.bos_token_id, this.eos_token_id);
      return this.populate_nodes(t), t.tokens();
    }
    encode(e) {
      let t = [];
      for (let n2 of e) {
        let o = this.tokenize(n2);
        t.push(...o);
      }
      return t;
    }
  };
  var j = tt;
  var rt = class {
    constructor(e = (n2, o) => n2 > o, t = 1 / 0) {
      this._heap = [], this._comparator = e, this._max_size = t;
    }
    get size() {
      return this._heap.length;
    }
    is_empty() {
      return this.size === 0;
    }
    peek() {
      return this._heap[0];
    }
    push(...e) {
      return this.extend(e);
    }
    extend(e) {
      for (let t of e) if (this.size < this._max_size) this._heap.push(t), this._sift_up();
      else {
        let n2 = this._smallest();
        this._comparator(t, this._heap[n2]) && (this._heap[n2] = t, this._sift_up_from(n2));
      }
      return this.size;
    }
    pop() {
      let e = this.peek(), t = this.size - 1;
      return t > 0 && this._swap(0, t), this._heap.pop(), this._sift_down(), e;
    }
    replace(e) {
      let t = this.peek();
      return this._heap[0] = e, this._sift_down(), t;
    }
    _parent(e) {
      return (e + 1 >>> 1) - 1;
    }
    _left(e) {
      return (e << 1) + 1;
    }
    _right(e) {
      return e + 1 << 1;
    }
    _greater(e, t) {
      return this._comparator(this._heap[e], this._heap[t]);
    }
    _swap(e, t) {
      let n2 = this._heap[e];
      this._heap[e] = this._heap[t], this._heap[t] = n2;
    }
    _sift_up() {
      this._sift_up_from(this.size - 1);
    }
    _sift_up_from(e) {
      for (; e > 0 && this._greater(e, this._parent(e)); ) this._swap(e, this._parent(e)), e = this._parent(e);
    }
    _sift_down() {
      let e = 0;
      for (; this._left(e) < this.size && this._greater(this._left(e), e) || this._right(e) < this.size && this._greater(this._right(e), e); ) {
        let t = this._right(e) < this.size && this._greater(this._right(e), this._left(e)) ? this._right(e) : this._left(e);
        this._swap(e, t), e = t;
      }
    }
    _smallest() {
      return 2 ** Math.floor(Math.log2(this.size)) - 1;
    }
  };
  var dr = rt;
  var nt = class {
    constructor(e) {
      this.capacity = e, this.cache = /* @__PURE__ */ new Map();
    }
    get(e) {
      if (!this.cache.has(e)) return;
      let t = this.cache.get(e);
      return this.cache.delete(e), this.cache.set(e, t), t;
    }
    put(e, t) {
      this.cache.has(e) && this.cache.delete(e), this.cache.set(e, t), this.cache.size > this.capacity && this.cache.delete(this.cache.keys().next().value);
    }
    clear() {
      this.cache.clear();
    }
  };
  var ur = nt;
  var ot = class extends P {
    constructor(e) {
      super(e), this.tokens_to_ids = O(e.vocab), this.unk_token_id = this.tokens_to_ids.get(e.unk_token), this.unk_token = e.unk_token, this.vocab = new Array(this.tokens_to_ids.size);
      for (let [n2, o] of this.tokens_to_ids) this.vocab[o] = n2;
      let t = Array.isArray(e.merges[0]);
      this.merges = t ? e.merges : e.merges.map((n2) => n2.split(" ", 2)), this.bpe_ranks = new Map(this.merges.map((n2, o) => [JSON.stringify(n2), o])), this.end_of_word_suffix = e.end_of_word_suffix, this.continuing_subword_suffix = e.continuing_subword_suffix ?? null, this.byte_fallback = this.config.byte_fallback ?? false, this.byte_fallback && (this.text_encoder = new TextEncoder()), this.ignore_merges = this.config.ignore_merges ?? false, this.max_length_to_cache = 256, this.cache_capacity = 1e4, this.cache = new ur(this.cache_capacity);
    }
    clear_cache() {
      this.cache.clear();
    }
    bpe(e) {
      if (e.length === 0) return [];
      let t = this.cache.get(e);
      if (t !== void 0) return t;
      let n2 = Array.from(e);
      this.end_of_word_suffix && (n2[n2.length - 1] += this.end_of_word_suffix);
      let o = [];
      if (n2.length > 1) {
        let s = new dr((c, l) => c.score < l.score), a = { token: n2[0], bias: 0, prev: null, next: null }, i = a;
        for (let c = 1; c < n2.length; ++c) {
          let l = { bias: c / n2.length, token: n2[c], prev: i, next: null };
          i.next = l, this.add_node(s, i), i = l;
        }
        for (; !s.is_empty(); ) {
          let c = s.pop();
          if (c.deleted || !c.next || c.next.deleted) continue;
          if (c.deleted = true, c.next.deleted = true, c.prev) {
            let p = { ...c.prev };
            c.prev.deleted = true, c.prev = p, p.prev ? p.prev.next = p : a = p;
          }
          let l = { token: c.token + c.next.token, bias: c.bias, prev: c.prev, next: c.next.next };
          l.prev ? (l.prev.next = l, this.add_node(s, l.prev)) : a = l, l.next && (l.next.prev = l, this.add_node(s, l));
        }
        for (let c = a; c !== null; c = c.next) o.push(c.token);
      } else o = n2;
      if (this.continuing_subword_suffix) for (let s = 0; s < o.length - 1; ++s) o[s] += this.continuing_subword_suffix;
      return e.length < this.max_length_to_cache && this.cache.put(e, o), o;
    }
    add_node(e, t) {
      let n2 = this.bpe_ranks.get(JSON.stringify([t.token, t.next.token]));
      n2 !== void 0 && (t.score = n2 + t.bias, e.push(t));
    }
    encode(e) {
      let t = [];
      for (let n2 of e) {
        if (this.ignore_merges && this.tokens_to_ids.has(n2)) {
          t.push(n2);
          continue;
        }
        let o = this.bpe(n2);
        for (let s of o) if (this.tokens_to_ids.has(s)) t.push(s);
        else if (this.byte_fallback) {
          let a = Array.from(this.text_encoder.encode(s)).map((i) => `<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`);
          a.every((i) => this.tokens_to_ids.has(i)) ? t.push(...a) : this.unk_token != null && t.push(this.unk_token);
        } else this.unk_token != null && t.push(this.unk_token);
      }
      return t;
    }
  };
  var q = ot;
  var st = class extends P {
    constructor(e, t) {
      super(e);
      let n2 = e.vocab;
      this.tokens_to_ids = O(t.target_lang ? n2[t.target_lang] : n2), this.bos_token = t.bos_token, this.bos_token_id = this.tokens_to_ids.get(this.bos_token), this.eos_token = t.eos_token, this.eos_token_id = this.tokens_to_ids.get(this.eos_token), this.pad_token = t.pad_token, this.pad_token_id = this.tokens_to_ids.get(this.pad_token), this.unk_token = t.unk_token, this.unk_token_id = this.tokens_to_ids.get(this.unk_token), this.vocab = new Array(this.tokens_to_ids.size);
      for (let [o, s] of this.tokens_to_ids) this.vocab[s] = o;
    }
    encode(e) {
      return e;
    }
  };
  var fr = st;
  function Mr(r3, e) {
    switch (r3.type) {
      case "WordPiece":
        return new W(r3);
      case "Unigram":
        return new j(r3, e.eos_token);
      case "BPE":
        return new q(r3);
      default:
        if (r3.vocab) return Array.isArray(r3.vocab) ? new j(r3, e.eos_token) : Object.hasOwn(r3, "continuing_subword_prefix") && Object.hasOwn(r3, "unk_token") ? Object.hasOwn(r3, "merges") ? new q(r3) : new W(r3) : new fr(r3, { target_lang: e.target_lang, bos_token: e.bos_token, eos_token: e.eos_token, pad_token: e.pad_token, unk_token: e.unk_token });
        throw new Error(`Unknown TokenizerModel type: ${r3?.type}`);
    }
  }
  var _r = Mr;
  var it = class extends T {
    constructor(e) {
      super(), this.config = e;
    }
    _call(e, ...t) {
      return this.post_process(e, ...t);
    }
  };
  var y = it;
  var at = class extends y {
    post_process(e, t = null, n2 = true) {
      let o = t === null ? this.config.single : this.config.pair, s = [], a = [];
      for (let i of o) "SpecialToken" in i ? n2 && (s.push(i.SpecialToken.id), a.push(i.SpecialToken.type_id)) : "Sequence" in i && (i.Sequence.id === "A" ? (s = k(s, e), a = k(a, new Array(e.length).fill(i.Sequence.type_id))) : i.Sequence.id === "B" && (s = k(s, t), a = k(a, new Array(t.length).fill(i.Sequence.type_id))));
      return { tokens: s, token_type_ids: a };
    }
  };
  var ct = at;
  var lt = class extends y {
    post_process(e, t = null) {
      return { tokens: e, tokens_pair: t };
    }
  };
  var pt = lt;
  var dt = class extends y {
    constructor(e) {
      super(e), this.sep = e.sep, this.cls = e.cls;
    }
    post_process(e, t = null, n2 = true) {
      n2 && (e = k([this.cls[0]], e, [this.sep[0]]));
      let o = new Array(e.length).fill(0);
      if (t) {
        let s = [], a = n2 ? [this.sep[0]] : [];
        e = k(e, s, t, a), o = k(o, new Array(t.length + s.length + a.length).fill(1));
      }
      return { tokens: e, token_type_ids: o };
    }
  };
  var ut = dt;
  var ft = class extends y {
    constructor(e) {
      super(e), this.sep = e.sep, this.cls = e.cls;
    }
    post_process(e, t, n2 = true) {
      n2 && (e = k([this.cls[0]], e, [this.sep[0]]));
      let o = new Array(e.length).fill(0);
      if (t) {
        let s = n2 ? [this.sep[0]] : [], a = n2 ? [this.sep[0]] : [];
        e = k(e, s, t, a), o = k(o, new Array(t.length + s.length + a.length).fill(1));
      }
      return { tokens: e, token_type_ids: o };
    }
  };
  var _t = ft;
  var ht = class extends y {
    constructor(e) {
      super(e), this.processors = (e.processors ?? []).map((t) => K(t));
    }
    post_process(e, t = null, n2 = true) {
      let o = { tokens: e, tokens_pair: t };
      for (let s of this.processors) o = s.post_process(o.tokens, o.tokens_pair, n2);
      return o;
    }
  };
  var mt = ht;
  function Br(r3) {
    if (r3 === null) return null;
    switch (r3.type) {
      case "TemplateProcessing":
        return new ct(r3);
      case "ByteLevel":
        return new pt(r3);
      case "BertProcessing":
        return new ut(r3);
      case "RobertaProcessing":
        return new _t(r3);
      case "Sequence":
        return new mt(r3);
      default:
        throw new Error(`Unknown PostProcessor type: ${r3.type}`);
    }
  }
  var K = Br;
  var gt = class extends T {
    constructor(e) {
      super(), this.config = e, this.added_tokens = [], this.end_of_word_suffix = null, this.trim_offsets = "trim_offsets" in e ? e.trim_offsets : false;
    }
    _call(e) {
      return this.decode(e);
    }
    decode(e) {
      return this.decode_chain(e).join("");
    }
  };
  var _ = gt;
  var kt = class extends _ {
    constructor(e) {
      super(e), this.byte_decoder = ar, this.text_decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }), this.end_of_word_suffix = null;
    }
    convert_tokens_to_string(e) {
      let t = e.join(""), n2 = new Uint8Array([...t].map((o) => this.byte_decoder[o]));
      return this.text_decoder.decode(n2);
    }
    decode_chain(e) {
      let t = [], n2 = [];
      for (let o of e) this.added_tokens.find((s) => s.content === o) !== void 0 ? (n2.length > 0 && (t.push(this.convert_tokens_to_string(n2)), n2 = []), t.push(o)) : n2.push(o);
      return n2.length > 0 && t.push(this.convert_tokens_to_string(n2)), t;
    }
  };
  var zt = kt;
  var bt = class extends _ {
    constructor(e) {
      super(e), this.cleanup = e.cleanup;
    }
    decode_chain(e) {
      return e.map((t, n2) => {
        if (n2 !== 0) {
          let o = this.config.prefix;
          o && t.startsWith(o) ? t = t.replace(o, "") : t = " " + t;
        }
        return this.cleanup && (t = D(t)), t;
      });
    }
  };
  var xt = bt;
  var Tt = class extends _ {
    constructor(e) {
      super(e), this.replacement = e.replacement ?? "▁";
    }
    decode_chain(e) {
      let t = [];
      for (let n2 = 0; n2 < e.length; ++n2) {
        let o = e[n2].replaceAll(this.replacement, " ");
        n2 == 0 && o.startsWith(" ") && (o = o.substring(1)), t.push(o);
      }
      return t;
    }
  };
  var yt = Tt;
  var wt = class extends _ {
    constructor(e) {
      super(e), this.suffix = e.suffix ?? "";
    }
    decode_chain(e) {
      return e.map((t, n2) => t.replaceAll(this.suffix, n2 === e.length - 1 ? "" : " "));
    }
  };
  var Pt = wt;
  var Ct = class extends _ {
    constructor(e) {
      super(e), this.pad_token = e.pad_token ?? "", this.word_delimiter_token = e.word_delimiter_token ?? "", this.cleanup = e.cleanup;
    }
    convert_tokens_to_string(e) {
      if (e.length === 0) return "";
      let t = [e[0]];
      for (let s = 1; s < e.length; ++s) e[s] !== t.at(-1) && t.push(e[s]);
      let o = t.filter((s) => s !== this.pad_token).join("");
      return this.cleanup && (o = D(o).replaceAll(this.word_delimiter_token, " ").trim()), o;
    }
    decode_chain(e) {
      return [this.convert_tokens_to_string(e)];
    }
  };
  var vt = Ct;
  var Nt = class extends _ {
    constructor(e) {
      super(e), this.decoders = (e.decoders ?? []).map((t) => X(t));
    }
    decode_chain(e) {
      return this.decoders.reduce((t, n2) => n2.decode_chain(t), e);
    }
  };
  var Et = Nt;
  var At = class extends _ {
    constructor(e) {
      super(e), this.pattern = N(this.config.pattern);
    }
    decode_chain(e) {
      let t = this.config.content ?? "", n2 = this.pattern;
      return n2 === null ? e : e.map((o) => o.replaceAll(n2, t));
    }
  };
  var St = At;
  var Dt = class extends _ {
    decode_chain(e) {
      return [e.join("")];
    }
  };
  var Ot = Dt;
  var Rt = class extends _ {
    constructor(e) {
      super(e), this.content = e.content ?? "", this.start = e.start ?? 0, this.stop = e.stop ?? 0;
    }
    decode_chain(e) {
      return e.map((t) => {
        let n2 = 0;
        for (let s = 0; s < this.start && t[s] === this.content; ++s) {
          n2 = s + 1;
          continue;
        }
        let o = t.length;
        for (let s = 0; s < this.stop; ++s) {
          let a = t.length - s - 1;
          if (t[a] === this.content) {
            o = a;
            continue;
          } else break;
        }
        return t.slice(n2, o);
      });
    }
  };
  var $t = Rt;
  var Mt = class extends _ {
    constructor(e) {
      super(e), this.text_decoder = new TextDecoder();
    }
    decode_chain(e) {
      let t = [], n2 = [];
      for (let o of e) {
        let s = null;
        if (o.length === 6 && o.startsWith("<0x") && o.endsWith(">")) {
          let a = parseInt(o.slice(3, 5), 16);
          isNaN(a) || (s = a);
        }
        if (s !== null) n2.push(s);
        else {
          if (n2.length > 0) {
            let a = this.text_decoder.decode(Uint8Array.from(n2));
            t.push(a), n2 = [];
          }
          t.push(o);
        }
      }
      if (n2.length > 0) {
        let o = this.text_decoder.decode(Uint8Array.from(n2));
        t.push(o), n2 = [];
      }
      return t;
    }
  };
  var Bt = Mt;
  function Fr(r3) {
    if (r3 === null) return null;
    switch (r3.type) {
      case "ByteLevel":
        return new zt(r3);
      case "WordPiece":
        return new xt(r3);
      case "Metaspace":
        return new yt(r3);
      case "BPEDecoder":
        return new Pt(r3);
      case "CTC":
        return new vt(r3);
      case "Sequence":
        return new Et(r3);
      case "Replace":
        return new St(r3);
      case "Fuse":
        return new Ot(r3);
      case "Strip":
        return new $t(r3);
      case "ByteFallback":
        return new Bt(r3);
      default:
        throw new Error(`Unknown Decoder type: ${r3.type}`);
    }
  }
  var X = Fr;
  var Ft = class {
    constructor(e, t) {
      let n2 = Q(e, "Tokenizer", ["model", "decoder", "post_processor", "pre_tokenizer", "normalizer"]);
      if (n2) throw new Error(n2);
      let o = Q(t, "Config");
      if (o) throw new Error(o);
      this.tokenizer = e, this.config = t, this.normalizer = L(this.tokenizer.normalizer), this.pre_tokenizer = U(this.tokenizer.pre_tokenizer), this.model = _r(this.tokenizer.model, this.config), this.post_processor = K(this.tokenizer.post_processor), this.decoder = X(this.tokenizer.decoder), this.special_tokens = [], this.all_special_ids = [], this.added_tokens = [];
      let s = [], a = [];
      this.added_tokens_map = /* @__PURE__ */ new Map();
      for (let i of this.tokenizer.added_tokens) {
        let c = new Z(i);
        if (this.added_tokens.push(c), this.model.tokens_to_ids.set(c.content, c.id), this.model.vocab[c.id] = c.content, c.special && (this.special_tokens.push(c.content), this.all_special_ids.push(c.id)), this.added_tokens_map.set(c.content, c), c.normalized && this.normalizer !== null) {
          let l = this.normalizer(c.content);
          a.push(l), this.added_tokens_map.set(l, c);
        } else s.push(c.content);
      }
      (this.config.additional_special_tokens ?? []).forEach((i) => {
        this.special_tokens.includes(i) || this.special_tokens.push(i);
      }), this.decoder && (this.decoder.added_tokens = this.added_tokens, this.decoder.end_of_word_suffix = this.model.end_of_word_suffix), this.splitter_unnormalized = new G(s), this.splitter_normalized = new G(a), this.remove_space = this.config.remove_space, this.clean_up_tokenization_spaces = this.config.clean_up_tokenization_spaces ?? true, this.do_lowercase_and_remove_accent = this.config.do_lowercase_and_remove_accent ?? false;
    }
    encode(e, { text_pair: t = null, add_special_tokens: n2 = true, return_token_type_ids: o = null } = {}) {
      let { tokens: s, token_type_ids: a } = this.tokenize_helper(e, { text_pair: t, add_special_tokens: n2 }), i = s.map((l) => this.added_tokens_map.get(l)?.id ?? this.model.tokens_to_ids.get(l) ?? this.model.unk_token_id), c = { ids: i, tokens: s, attention_mask: new Array(i.length).fill(1) };
      return o && a && (c.token_type_ids = a), c;
    }
    decode(e, t = {}) {
      if (!Array.isArray(e) || e.length === 0 || !rr(e[0])) throw Error("token_ids must be a non-empty array of integers.");
      let n2 = e.map((s) => this.model.vocab[Number(s)] ?? this.model.unk_token);
      t.skip_special_tokens && (n2 = n2.filter((s) => !this.special_tokens.includes(s)));
      let o = this.decoder ? this.decoder(n2) : n2.join(" ");
      return this.decoder && this.decoder.end_of_word_suffix && (o = o.replaceAll(this.decoder.end_of_word_suffix, " "), t.skip_special_tokens && (o = o.trim())), (t.clean_up_tokenization_spaces ?? this.clean_up_tokenization_spaces) && (o = D(o)), o;
    }
    tokenize(e, { text_pair: t = null, add_special_tokens: n2 = false } = {}) {
      return this.tokenize_helper(e, { text_pair: t, add_special_tokens: n2 }).tokens;
    }
    encode_text(e) {
      if (e === null) return null;
      let t = this.splitter_unnormalized.split(e);
      return t.forEach((n2, o) => {
        let s = this.added_tokens_map.get(n2);
        s && (s.lstrip && o > 0 && (t[o - 1] = t[o - 1].trimEnd()), s.rstrip && o < t.length - 1 && (t[o + 1] = t[o + 1].trimStart()));
      }), t.flatMap((n2, o) => {
        if (n2.length === 0) return [];
        if (this.added_tokens_map.has(n2)) return [n2];
        if (this.remove_space === true && (n2 = n2.trim().split(/\s+/).join(" ")), this.do_lowercase_and_remove_accent && (n2 = or(n2)), this.normalizer !== null && (n2 = this.normalizer(n2)), n2.length === 0) return [];
        let s = this.splitter_normalized.split(n2);
        return s.forEach((a, i) => {
          let c = this.added_tokens_map.get(a);
          c && (c.lstrip && i > 0 && (s[i - 1] = s[i - 1].trimEnd()), c.rstrip && i < s.length - 1 && (s[i + 1] = s[i + 1].trimStart()));
        }), s.flatMap((a) => {
          if (a.length === 0) return [];
          if (this.added_tokens_map.has(a)) return [a];
          let i = this.pre_tokenizer !== null ? this.pre_tokenizer(a, { section_index: o }) : [a];
          return this.model(i);
        });
      });
    }
    tokenize_helper(e, { text_pair: t = null, add_special_tokens: n2 = true }) {
      let o = this.encode_text(e), s = this.encode_text(t || null);
      return this.post_processor ? this.post_processor(o, s, n2) : { tokens: k(o ?? [], s ?? []) };
    }
    token_to_id(e) {
      return this.model.tokens_to_ids.get(e);
    }
    id_to_token(e) {
      return this.model.vocab[e];
    }
    get_added_tokens_decoder() {
      let e = /* @__PURE__ */ new Map();
      for (let t of this.added_tokens) e.set(t.id, t);
      return e;
    }
    get_vocab(e = true) {
      let t = /* @__PURE__ */ new Map();
      for (let n2 = 0; n2 < this.model.vocab.length; ++n2) {
        let o = this.model.vocab[n2];
        (e || !this.added_tokens_map.has(o)) && t.set(o, n2);
      }
      return t;
    }
  };
  var Lr = Ft;

  // web/engine/steps.ts
  var SPACE2 = "\\p{White_Space}";
  var LETTER = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
  var SIGN = "\\p{P}\\u0021-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007E";
  var parts = (pattern) => {
    const compiled = new RegExp(pattern, "gu");
    return (text) => text.match(compiled) ?? [];
  };
  var lowercase = (text) => Array.from(text, (letter) => letter.toLowerCase()).join("");
  var lettersOf = (ranges) => new RegExp(`[${ranges.replace(/[0-9A-F]+/g, "\\u{$&}").replaceAll(" ", "")}]`, "gu");
  var CHINESE = lettersOf(
    "4E00-9FFF 3400-4DBF 20000-2A6DF 2A700-2B73F 2B740-2B81F 2B920-2CEAF F900-FAFF 2F800-2FA1F"
  );
  function bert({
    clean_text: cleans,
    handle_chinese_chars: chinese,
    strip_accents,
    lowercase: lowers
  }) {
    const strips = strip_accents ?? lowers;
    return (text) => {
      let normal = text;
      if (cleans) {
        normal = normal.replace(/(?![\t\n\r])[\0\ufffd\p{Cc}\p{Cf}\p{Co}]/gu, "").replace(/\p{White_Space}/gu, " ");
      }
      if (chinese) normal = normal.replace(CHINESE, " $& ");
      if (strips) normal = normal.normalize("NFD").replace(/\p{Mn}/gu, "");
      return lowers ? lowercase(normal) : normal;
    };
  }
  var STEPS2 = {
    Precompiled: (step, { precompiled_charsmap: table }) => {
      step.normalize = precompiled(table ?? "");
    },
    Lowercase: (step) => {
      step.normalize = lowercase;
    },
    BertNormalizer: (step, layout) => {
      step.normalize = bert(layout);
    },
    Strip: (step, { strip_left: left, strip_right: right }) => {
      const ends = new RegExp(`${left ? `^${SPACE2}+` : "$^"}|${right ? `${SPACE2}+$` : "$^"}`, "gu");
      step.normalize = (text) => text.replace(ends, "");
    },
    WhitespaceSplit: (step) => {
      step.pre_tokenize_text = parts(`[^${SPACE2}]+`);
    },
    Whitespace: (step) => {
      step.pre_tokenize_text = parts(`[${LETTER}]+|[^${LETTER}${SPACE2}]+`);
    },
    BertPreTokenizer: (step) => {
      step.pre_tokenize_text = parts(`[^${SPACE2}${SIGN}]+|[${SIGN}]`);
    },
    ByteLevel: (step) => {
      const { source } = step.pattern ?? /$^/;
      step.pattern = new RegExp(source.replaceAll("\\s", SPACE2).replaceAll("\\S", "\\P{White_Space}"), "gu");
    },
    Metaspace: (step, { split, replacement = "▁" }) => {
      if (split === false) return;
      const whole = step.pre_tokenize_text?.bind(step);
      const cut = (text) => text.split(replacement).flatMap((part, n2) => n2 ? replacement + part : part || []);
      step.pre_tokenize_text = (text, options) => whole?.(text, options).flatMap(cut) ?? [];
    }
  };
  function correct(step, layout) {
    if (!step || !layout) return;
    STEPS2[layout.type]?.(step, layout);
    layout.normalizers?.forEach((inner, n2) => correct(step.normalizers?.[n2] ?? null, inner));
    layout.pretokenizers?.forEach((inner, n2) => correct(step.tokenizers?.[n2] ?? null, inner));
  }
  function correctModel(model, layout) {
    const call = model._call.bind(model);
    const known = model.tokens_to_ids;
    const encoder = new TextEncoder();
    const spelled = (token) => {
      const bytes = Array.from(
        encoder.encode(token),
        (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`
      );
      return bytes.every((byte) => known.has(byte)) ? bytes : [token];
    };
    const falls = layout.type === "Unigram" && layout.byte_fallback;
    model._call = (words2) => words2.flatMap(
      (word) => call([word]).flatMap((token) => falls && !known.has(token) ? spelled(token) : token)
    );
  }
  var LONGEST_GRAPHEME = 5;
  function precompiled(charsmap) {
    const bytes = Uint8Array.from(atob(charsmap), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const end = bytes.length >= 4 ? 4 + view.getUint32(0, true) : 0;
    const unit = (n2) => 4 + 4 * n2 + 4 <= end ? view.getUint32(4 + 4 * n2, true) : 2147483648;
    const offset = (value) => value >>> 10 << ((value & 512) >>> 6);
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    const entry = (key) => {
      let node = offset(unit(0));
      for (const byte of key) {
        if (byte === 0) return null;
        node ^= byte;
        const value = unit(node);
        if ((value & 2147483903) !== byte) return null;
        node ^= offset(value);
        if (value >>> 8 & 1) return unit(node) & 2147483647;
      }
      return null;
    };
    const replaced = (key) => {
      const start = entry(key);
      if (start === null) return null;
      const stop = bytes.indexOf(0, end + start);
      return decoder.decode(bytes.subarray(end + start, stop < 0 ? bytes.length : stop));
    };
    const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
    return (text) => {
      let normalized = "";
      for (const { segment } of graphemes.segment(text)) {
        const key = encoder.encode(segment);
        const whole = key.length <= LONGEST_GRAPHEME ? replaced(key) : null;
        if (whole !== null) normalized += whole;
        else for (const letter of segment) normalized += replaced(encoder.encode(letter)) ?? letter;
      }
      return normalized;
    };
  }

  // web/engine/tokenizer.ts
  var JOIN_MARK = "·";
  function vocabulary({ model, added_tokens: added }) {
    const tokens = [];
    if (Array.isArray(model.vocab)) model.vocab.forEach(([token], index) => tokens[index] = token);
    else for (const [token, index] of Object.entries(model.vocab)) tokens[index] = token;
    for (const { id, content } of added) tokens[id] = content;
    return tokens;
  }
  var TextReader = class {
    constructor(layout) {
      this.layout = layout;
      const { pipeline } = layout;
      const added = pipeline.added_tokens.filter(({ special }) => !special);
      const config = { unk_token: pipeline.model.unk_token, clean_up_tokenization_spaces: false };
      this.backend = new Lr({ ...pipeline, post_processor: null, added_tokens: added }, config);
      correct(this.backend.normalizer, pipeline.normalizer);
      correct(this.backend.pre_tokenizer, pipeline.pre_tokenizer);
      if (this.backend.model) correctModel(this.backend.model, pipeline.model);
      this.tokens = layout.tokens ?? vocabulary(pipeline);
      this.control = new Set(layout.control);
    }
    /** The ids of a text, with what stands around it. Throws an Error of one sentence for one that it cannot read. */
    read(text) {
      const { before, after, specials, pipeline } = this.layout;
      const inner = this.textIds(text);
      if (!inner.length) {
        throw new Error("The sentence holds no character that this model reads; give at least one word.");
      }
      const unknown = inner.filter((id) => id === specials.unk).length;
      const unsure = doubtful(text, pipeline.normalizer, pipeline.pre_tokenizer);
      return { ids: [...before, ...inner, ...after], unknown, doubtful: unsure };
    }
    textIds(text) {
      const { ids, specials } = this.layout;
      const clean = text.replace(/\p{Surrogate}/gu, "�");
      return this.backend.encode(clean, { add_special_tokens: false }).ids.map((index) => {
        const id = index === void 0 || !ids ? index : ids[index];
        if (id !== void 0 && !this.control.has(id)) return id;
        if (specials.unk !== null) return specials.unk;
        throw new Error("This vocabulary does not know a character of the text; leave it out.");
      });
    }
    /** The text of ids without their special tokens. */
    decode(ids) {
      const { specials } = this.layout;
      const kept = ids.filter((id) => id === specials.unk || !this.control.has(id) && id in this.tokens);
      const tokens = kept.map((id) => id === specials.unk ? "" : this.tokens[id]);
      const text = this.backend.decoder ? this.backend.decoder.decode(tokens) : tokens.join(" ");
      return tokens.includes("") ? text.replace(/ {2,}/g, " ").replace(/^ +| +$/g, "") : text;
    }
    /** The readable label of one id, the same wherever it is. */
    label(id) {
      return this.layout.labels[id] ?? `⟨${id}⟩`;
    }
    /** The labels of a sequence; byte-level text may begin without a space, and then its first piece continues no word. */
    labels(ids) {
      const shown2 = ids.map((id) => this.label(id));
      if (this.layout.family !== "byte-level") return shown2;
      const special = (id) => this.control.has(id) || id === this.layout.specials.unk;
      return shown2.map((label, n2) => {
        const starts = n2 === 0 || special(ids[n2 - 1]);
        const joins = starts && !special(ids[n2]) && label.length > 1 && label.startsWith(JOIN_MARK);
        return joins ? label.slice(JOIN_MARK.length) : label;
      });
    }
  };
  var NEWER = lettersOf(
    [
      "61D 7FD 88F-891 897-89F 8CA-8E2 9FD-9FE A76 AFA-AFF B55 C04 C3C C5C C77 C84 CDC CF3 D00 D3B-D3C",
      "D81 EBA ECE 166D 1715 1734 180F 1885-1886 1ABF-1ADD 1AE0-1AEB 1B4E-1B4F 1B7D-1B7F 1CF2-1CF3 1CF7",
      "1DF6-1DFB 2E43-2E4F 2E52-2E5D 32FF A7CE-A7CF A7D2 A7D4 A7F1-A7F4 A82C A8C5 A8FF A9BD AB69 105C9",
      "105E4 10781-10785 10787-107B0 107B2-107BA 10940-10959 10D24-10D27 10D69-10D6E 10EAB-10EAD",
      "10EC5-10EC7 10ED0 10EFA-10EFF 10F46-10F50 10F55-10F59 10F82-10F89 11070 11073-11074 110C2 110CD",
      "11145-11146 111C9 111CE-111CF 1123E 11241 1133B 11383 11385 1138E 11391 113B8-113C0 113C2 113C5",
      "113C7-113CA 113CC-113D0 113D2 113D4-113D5 113D7-113D8 113E1-113E2 11438-1143F 11442-11444 11446",
      "1144B-1144F 1145A-1145B 1145D-1145E 11660-1166C 116B9 1171E 1182C-1183B 11930-11935 11937-11938",
      "1193B-1193E 11940 11942-11946 119D1-119D7 119DA-119E0 119E2 119E4 11A01-11A0A 11A33-11A39",
      "11A3B-11A47 11A51-11A5B 11A8A-11A9C 11A9E-11AA2 11B00-11B09 11B60-11B67 11BE1 11C30-11C36",
      "11C38-11C3D 11C3F 11C41-11C45 11C70-11C71 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6",
      "11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D8A-11D8E 11D90-11D91 11D93-11D97 11DB0-11DDB",
      "11DE0-11DE9 11EF3-11EF8 11F00-11F01 11F03 11F34-11F3A 11F3E-11F4F 11F5A 11FFF 12FF1-12FF2",
      "13430-13440 13447-13455 1611E-1612F 16D68-16D6A 16D6D-16D6F 16E97-16E9A 16EA0-16EB8 16EBB-16ED3",
      "16F4F 16F7F-16F87 16FE2 16FE4 16FF0-16FF6 187F8-187FF 18D09-18D1E 18D80-18DF2 1CCD6-1CCF9",
      "1CF00-1CF2D 1CF30-1CF46 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E030-1E06D",
      "1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E5FF 1E6C0-1E6DE 1E6E0-1E6F5",
      "1E6FE-1E6FF 1E944-1E94A 1E95E-1E95F 1F16C 1FBF0-1FBF9 2B73A-2B73F 2CEA2-2CEAD 323B0-33479"
    ].join(" ")
  );
  var STEPS3 = /* @__PURE__ */ new Set([
    ...["NFD", "NFKC", "NFKD", "StripAccents", "BertNormalizer"],
    ...["Whitespace", "BertPreTokenizer", "ByteLevel"]
  ]);
  var affected = (layout) => layout !== null && (STEPS3.has(layout.type) || [...layout.normalizers ?? [], ...layout.pretokenizers ?? []].some(affected));
  function doubtful(text, ...steps) {
    return steps.some(affected) ? [...new Set(text.match(NEWER))] : [];
  }

  // web/engine/engine.ts
  var Engine = class {
    /** Throws an Error of one sentence for bytes that are no packed model, or one that cannot run here. */
    constructor(bytes) {
      const blob = new Blob16(bytes);
      const { source, target } = blob.header;
      this.model = new Model(blob);
      this.source = new TextReader(source);
      this.target = target ? new TextReader(target) : this.source;
    }
    /** The ids of a source. Throws an Error of one sentence for one that is empty or too long for the model. */
    read(text) {
      if (!text.trim()) throw new Error("The sentence is empty; give at least one word.");
      const reading = this.source.read(text);
      const [length, most] = [reading.ids.length, this.model.config.max_length];
      if (length > most) {
        throw new Error(
          `The sentence is ${length} tokens long; this model reads at most ${most}, so shorten or split it.`
        );
      }
      return reading;
    }
    /** Translates a text to its end. Rejects with an AbortError when `signal` says so. */
    async translate(text, options = {}, watch = {}) {
      const reading = this.read(text);
      const decode = await this.decode(reading.ids, options, watch);
      return {
        text: this.target.decode(decode.ids),
        ids: [...decode.ids],
        sourceIds: reading.ids,
        source: this.source.labels(reading.ids),
        written: this.target.labels(decode.ids),
        unknown: reading.unknown,
        doubtful: reading.doubtful,
        decode
      };
    }
    /** The finished decode of a source's ids. */
    async decode(ids, options = {}, { signal, onStep } = {}) {
      const decode = new Decode(this.model, await this.encode(ids, options, signal), options);
      while (!decode.finished) {
        await pause();
        signal?.throwIfAborted();
        decode.step();
        onStep?.(decode);
      }
      return decode;
    }
    async encode(ids, options, signal) {
      const layers = this.model.encode(ids, options.ablated ?? (() => false));
      for (; ; ) {
        const { done, value } = layers.next();
        if (done) return value;
        await pause();
        signal?.throwIfAborted();
      }
    }
  };
  async function ablate(engine, source, ids, heads, options = {}, watch = {}) {
    const names = new Set(heads.map((head) => head.join()));
    const without = {
      ...options,
      prefix: [],
      ablated: (kind, layer, head) => names.has(`${kind},${layer},${head}`)
    };
    const written2 = await engine.decode(source, without, watch);
    const again = await engine.decode(source, { ...without, prefix: ids }, watch);
    return {
      text: engine.target.decode(written2.ids),
      ids: [...written2.ids],
      probabilities: ids.map((id, n2) => again.distribution(n2)[id])
    };
  }

  // web/marks/columns.ts
  var columnWords2 = (sheet, focus, c, kind, sides = [tr("queries"), tr("keys")]) => (p, g) => {
    const [r0, r1, c0, c1] = g.area;
    const { u, size } = g;
    const write = (words2, x, y2, align, pinned, quiet) => {
      const text = shorten(visible(words2), (align === "right" ? g.labelRoom.row : g.labelRoom.col) + 8, size);
      const pen = { size, mono: true, align, baseline: "middle", fill: quiet ? c.muted : c.ink };
      if (pinned) {
        const w2 = textWidth(text, size, true, 600) + 16 * u;
        const left = align === "right" ? x - w2 + 8 * u : x - 8 * u;
        p.rect(left, y2 - 11 * u, w2, 22 * u, { fill: c[kind], radius: 6 * u });
        Object.assign(pen, { weight: 600, fill: inkOn(c[kind], c) });
      }
      p.text(x, y2 + 0.5, text, pen);
    };
    paintTicks(p, g, c);
    for (const i of chosenLabels(r0, r1, g.rowEvery, focus.rows)) {
      const [x, y2] = [g.left - 10 * u, attendingY(g, i)];
      if (i < sheet.written) write(sheet.rows[i], x, y2, "right", focus.rows.has(i), isSpecial(sheet.rows[i]));
      else p.text(x, y2, "·", { align: "right", baseline: "middle", size, fill: c.muted });
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
    for (const j2 of chosenLabels(c0, c1, g.colEvery, named)) {
      const quiet = isSpecial(sheet.cols[j2]) && !named.has(j2);
      write(sheet.cols[j2], g.right + 10 * u, attendedY(g, j2), "left", focus.cols.has(j2), quiet);
    }
  };
  function paintTicks(p, g, c) {
    const [r0, r1, c0, c1] = g.area;
    const tick = (x, y2) => p.rect(x, y2 - 0.5, 3 * g.u, 1, { fill: c.line });
    if (g.rowEvery > 1) for (let i = r0; i < r1; i++) tick(g.left - 5 * g.u, attendingY(g, i));
    if (g.colEvery > 1) for (let j2 = c0; j2 < c1; j2++) tick(g.right + 2 * g.u, attendedY(g, j2));
  }
  var columnLines = (sheet, focus, how2) => (p, g) => {
    const { shift = () => 0, ...rest } = how2;
    paintLines(p, sheet, focus, { ...rest, area: g.area, u: g.u, curve: columnCurve(g, shift(g)) });
  };

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
      return this.maps.map((_2, k2) => k2).filter((k2) => !this.off.has(k2));
    }
    /** Every number may be below 0. */
    get signed() {
      return this.meta.unit !== "share";
    }
    hueOf(k2, c) {
      return this.maps.length > 1 ? c.heads[k2 % c.heads.length] : c[this.meta.kind];
    }
    build(c, log) {
      const { meta } = this;
      this.range = this.rangeOf(log);
      const { scale } = this.range;
      const diverging = scale === "diverging" ? divergingTable(c) : null;
      this.sheets = this.maps.map((map, k2) => {
        const { hidden } = meta.heads[k2];
        const empty = meta.rows.map((_2, i) => i < meta.written && hidden !== null && !this.anyIn(map, i));
        const at2 = (i, j2) => i < meta.written && !empty[i] ? map[i * meta.cols.length + j2] : NaN;
        const table = diverging ?? (this.maps.length > 1 ? rampTable(c.panel, this.hueOf(k2, c)) : kindRamp(c, meta.kind));
        const reads = meta.reads.length ? meta.reads : void 0;
        return {
          ...makeSheet({ ...meta, reads, oneLabel: meta.one_label }, at2, table, {
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
      return this.meta.cols.some((_2, j2) => map[i * this.meta.cols.length + j2] > 0);
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
      for (const k2 of seen) {
        sheets[k2].index.forEach((v2, n2) => {
          const now = index[n2] < 0 ? -1 : Math.abs((index[n2] & 255) - first.neutral);
          if (v2 >= 0 && Math.abs(v2 - first.neutral) > now) [index[n2], lead[n2]] = [k2 * 256 + v2, k2];
        });
      }
      const at2 = (i, j2) => sheets[lead[i * first.cols.length + j2]].at(i, j2);
      const empty = first.rows.map((_2, i) => seen.every((k2) => sheets[k2].empty?.[i]));
      this.combined = {
        ...first,
        index,
        empty,
        hidden: null,
        table: sheets.flatMap((sheet) => sheet.table),
        at: at2
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
        for (let j2 = 0; j2 < cols.length; j2++) {
          const v2 = sheet.at(i, j2);
          if (v2 > best && (kind === "cross" || i !== j2)) [row, best] = [i, v2];
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
      sheets: seen.map((k2) => sheets[k2]),
      subjects: seen.map((k2) => meta.heads[k2].subject),
      names: seen.map((k2) => meta.heads[k2].name),
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
  var HALL3 = 350;
  var TALL = 600;
  var DEEP = 36;
  var MOST_SUMS = 14;
  function arrangeHead({ open, own, pair, host, parts: parts2 }) {
    const u = host.scale;
    const room = parts2.body.clientWidth;
    pair.resize(room, u, [0.44, 0.56], Math.min(room, 620 * u));
    const { area } = own;
    const [rows, columns] = area ? [area[1] - area[0], area[3] - area[2]] : [open.meta.rows.length, open.meta.cols.length];
    const longest = Math.max(rows, columns);
    const most = pair.wide || rows > 20 ? TALL : 400;
    const limits = {
      tall: inSight(host, most, HALL3 + (rows > 20 ? 24 : 0), rows),
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
    const lines = seen.map((k2, m) => {
      const hue = open.hueOf(k2, c);
      const twoHues = open.signed && range.scale === "diverging" && seen.length === 1;
      return columnLines(open.sheets[k2], focus, {
        threshold: own.threshold,
        top: range.top,
        faint: 1 / Math.sqrt(seen.length),
        shift: (g) => (m - (seen.length - 1) / 2) * apart2(g),
        hue: twoHues ? (v2) => v2 >= 0 ? c.positive : c.negative : () => hue
      });
    });
    const words2 = (p, g) => {
      const named = [...cell ? cols : [], ...paintSums(p, head, g, focus)];
      columnWords2(open.combined, { ...focus, named }, c, open.meta.kind)(p, g);
    };
    return [...lines, words2];
  }
  function paintSums(p, head, g, { rows, cols }) {
    if (rows.size) {
      const y2 = (n2) => attendedY(g, n2);
      const right = { y: y2, x: g.width - 2, align: "right", pitch: g.colPitch };
      return paintSide(p, head, g.u, { items: rows, line: rowOf, ...right });
    }
    if (cols.size) {
      const y2 = (n2) => attendingY(g, n2);
      const left = { y: y2, x: 2, align: "left", pitch: g.rowPitch };
      paintSide(p, head, g.u, { items: cols, line: columnOf, ...left });
    }
    return [];
  }
  function paintSide(p, head, u, side) {
    const { open } = head;
    const { unit } = open.meta;
    const { items, line, y: y2, pitch } = side;
    const sums = open.seen.map((k2) => sumOf(open.sheets[k2], items, line));
    const peak = (n2) => Math.max(...sums.map((sum2) => Math.abs(sum2[n2])));
    const worth = unit === "number" || unit === "length" ? 0.2 * open.range.top : 0.05;
    const most = Array.from(sums[0] ?? [], (_2, n2) => n2).filter((n2) => peak(n2) >= worth);
    const put = [];
    for (const n2 of most.sort((a, b) => peak(b) - peak(a)).slice(0, MOST_SUMS)) {
      if (put.some((m) => Math.abs(m - n2) * pitch < 14 * u)) continue;
      put.push(n2);
      const numbers = sums.map((sum2) => sum2[n2]);
      const label = (v2) => items.size > 1 && unit === "share" ? fixed(v2, 2) : shown(v2, unit).replace(" points", "");
      if (numbers.length > 1) paintBars(p, head, u, side, n2, numbers, label);
      else {
        const fill2 = head.host.colours[`${open.meta.kind}_text`];
        p.text(side.x, y2(n2), label(numbers[0]), {
          baseline: "middle",
          size: typeSize(12.5, u),
          align: side.align,
          fill: fill2
        });
      }
    }
    return put;
  }
  function paintBars(p, head, u, { x, y: y2, align, pitch, items }, n2, numbers, label) {
    const { open, host } = head;
    const c = host.colours;
    const longest = numbers.reduce((a, b) => Math.abs(b) > Math.abs(a) ? b : a, 0);
    const inward = align === "right" ? -1 : 1;
    const pen = { size: typeSize(12, u), fill: c.muted };
    p.text(x + inward * 46 * u, y2(n2), label(longest), { ...pen, align, baseline: "middle" });
    const tall = Math.min(4 * u, (Math.min(pitch, 22 * u) - 2) / numbers.length);
    numbers.forEach((v2, m) => {
      const w2 = Math.max(1, Math.min(1, Math.abs(v2) / (open.range.top * items.size)) * 40 * u);
      const top = y2(n2) + (m - numbers.length / 2) * tall;
      p.rect(inward < 0 ? x - w2 : x, top, w2, tall * 0.85, { fill: open.hueOf(open.seen[m], c) });
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
    const unit = (v2) => open.meta.unit === "points" ? brief(v2, "points") : minus(fixed(v2, 1));
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
      who: () => head.open.seen.map((k2) => head.open.meta.heads[k2].subject).join(", "),
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
          (k2) => tableOf(sheets[k2], meta.kind === "encoder", csvNumber).map((line) => [meta.heads[k2].name, ...line])
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
    const buttons = open.meta.heads.map(({ name }, k2) => {
      const dot = el("span", { class: "swatch-dot", "aria-hidden": "true" });
      dot.style.background = open.hueOf(k2, head.host.colours);
      const title = TOUCH ? tr("Show or hide") : tr("Click to show or hide; double-click to isolate");
      const button = el("button", { class: "swatch", title }, dot, name);
      button.addEventListener("click", () => {
        if (!open.off.delete(k2)) open.off.add(k2);
        changed();
      });
      button.addEventListener("dblclick", () => {
        const alone = open.seen.length === 1 && !open.off.has(k2);
        open.off = new Set(alone ? [] : open.maps.map((_2, m) => m).filter((m) => m !== k2));
        changed();
      });
      return button;
    });
    const press = () => buttons.forEach((button, k2) => button.setAttribute("aria-pressed", String(!open.off.has(k2))));
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
    const buttons = choices.map(([picture, words2]) => el("button", { onclick: () => show3(picture) }, words2));
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
      const words2 = { name: "detail", axes: axes(), between: [this.parts.readout], over: [this.band] };
      this.pair = new Pair(words2, { lines: () => headLines(this), map: () => headMap(this) });
      this.showAlone("map");
      this.parts.body.append(this.swatches, this.pair.node, this.foot);
      this.listen();
    }
    listen() {
      const pointed = {
        hover: (at2) => this.hover(at2),
        pin: (at2) => this.pin(at2),
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
    hover(at2) {
      const { written: written2, cols } = this.open.meta;
      const legal = at2 && (at2.row ?? 0) < written2 && (at2.col ?? 0) < cols.length;
      this.pins.hover(legal ? at2 : null);
    }
    pin(at2) {
      if (at2 && (at2.row ?? 0) < this.open.meta.written) this.pins.toggle(at2);
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
      open.off = new Set([...open.off].filter((k2) => k2 < count && count > 1));
      announce("shown", { kind, heads: open.meta.pairs });
      this.showWords();
    }
    /** Pins and the part looked at belong to a sentence: another head of the same words keeps them. */
    takeLooks() {
      const { own } = this;
      const { meta } = this.open;
      const words2 = JSON.stringify([meta.kind, meta.rows[0], meta.cols]);
      const looksAreNews = this.looks.isNews(meta.viewed);
      const another = words2 !== this.words;
      this.words = words2;
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
      const { open, parts: parts2 } = this.head;
      if (!open.meta || opened.kind !== open.meta.kind) return;
      if (opened.heads.length) bringIntoSight(parts2.node);
      clearTimeout(this.waits?.timer);
      const name = nameOf(opened.heads);
      this.waits = { name, timer: window.setTimeout(() => this.giveUp(), WAIT) };
      this.late = null;
      const words2 = JSON.stringify([open.meta.rows.slice(0, open.meta.written), open.meta.cols]);
      const fits2 = open.meta.mode === "weights" && !open.off.size && JSON.stringify([opened.rows, opened.cols]) === words2;
      const values = fits2 ? opened.values : null;
      parts2.node.classList.toggle("waiting", !values && nameOf(open.meta.pairs) !== name);
      if (!values) return;
      const names = opened.heads.map((head) => head.join("."));
      const { all } = opened;
      const title = names.length ? headsTitle(names) : capital(all.subject);
      const named = names.length ? names.map((name2) => ({ name: name2, subject: tr("head {name}", { name: name2 }) })) : [{ name: tr("all"), subject: all.subject }];
      open.meta = {
        ...open.meta,
        pairs: opened.heads,
        title,
        heads: named.map((one, k2) => ({ ...one, hidden: null, values: values[k2] })),
        distribution: names.length > 0 || all.how === "mean"
      };
      open.maps = values;
      parts2.node.dataset.numbers = "ahead";
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
      const known = message.heads.filter(([layer, k2]) => layer < layers && k2 < heads);
      return known.map(([layer, k2]) => layer * heads + k2);
    }
    /** The heads in the order they are shown. */
    order() {
      const all = this.pictures.map((_2, head) => head);
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
      this.pictures = Array.from({ length: meta.layers * meta.heads }, (_2, head) => ({
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
    const sum2 = weightsOf(meta, levels, 0);
    for (let head = 1; head < count; head++) {
      weightsOf(meta, levels, head).forEach((v2, n2) => sum2[n2] = max ? Math.max(sum2[n2], v2) : sum2[n2] + v2);
    }
    return max ? sum2 : sum2.map((v2) => v2 / count);
  }
  function pictureName({ heads, quantity }, head) {
    const [row, n2] = [Math.floor(head / heads), head % heads];
    if (!quantity?.pictures.length) return `${row}.${n2}`;
    return row ? `${quantity.rows[row]}, ${quantity.pictures[n2]}` : quantity.pictures[n2];
  }
  function headSheet(meta, level, table, tone) {
    const { shape, block, rows, cols, written: written2, causal, keys } = meta;
    const last = meta.quantity?.aside ? shape[1] - 1 : shape[1];
    const allowed = (i, j2) => !causal || j2 >= last || j2 * block[1] <= i * block[0] + block[0] - 1;
    const top = tone === "each" ? Math.max(...WEIGHT_OF_BYTE.filter((_2, b) => level.includes(b)), 1e-6) : 1;
    const position = tone === "log" ? placer("log", 1, logFloor(keys)) : placer("weight", top);
    const byByte = Int16Array.from(WEIGHT_OF_BYTE, position);
    const byte = (i, j2) => allowed(i, j2) ? level[i * shape[1] + j2] : NaN;
    const empty = Array.from(
      { length: shape[0] },
      (_2, i) => meta.hidden && level.subarray(i * shape[1], (i + 1) * shape[1]).every((b) => b === 0)
    );
    const index = indexOf(
      ...shape,
      (i, j2) => empty[i] ? NaN : byte(i, j2),
      (b) => byByte[b]
    );
    const at2 = (i, j2) => WEIGHT_OF_BYTE[byte(i, j2)] ?? NaN;
    return { rows, cols, written: written2, index, table, neutral: 0, unit: "share", at: at2 };
  }
  function toneWords(meta, tone) {
    const { quantity } = meta;
    const what = quantity ? quantityWords(quantity) : weightWords(tone === "log");
    const [tall, wide] = meta.block;
    const reduced2 = meta.labelled ? "" : ` · ${tr("each cell: the largest of {tall} × {wide}", { tall, wide })}`;
    return what + reduced2;
  }

  // shared/wall_drawing.ts
  var spokenScore = (v2) => v2 === null ? "–" : minus(fixed(v2, 2));
  function writtenScore(heads, head, name = heads.own.badge) {
    const value = heads.score(head, name);
    return value !== null && heads.meta.scores[name].percent ? percent(value) : spokenScore(value);
  }
  function paintLayers(p, { u, labels }, fill2, names = []) {
    const pen = { size: typeSize(12, u), align: "center", baseline: "middle", rotate: -90, fill: fill2 };
    for (const [layer, y2] of labels) p.text(11 * u, y2, names[layer] ?? tr("layer {layer}", { layer }), pen);
  }
  function paintWall(p, wall, from = wall.layout.at, share = 1) {
    const { w: w2, h: h2, at: at2 } = wall.layout;
    const c = wall.host.colours;
    paintLayers(p, wall.layout, c.muted, wall.heads.meta.quantity?.rows);
    for (const [head, to] of at2) {
      const start = from.get(head) ?? to;
      const [x, y2] = [start.x + (to.x - start.x) * share, start.y + (to.y - start.y) * share];
      const { sheet, cache } = wall.heads.pictures[head];
      paintPixels(p, sheet, { x, y: y2, w: w2, h: h2 }, c, void 0, cache);
      paintPair(p, wall, x, y2);
      paintCaption2(p, wall, head, x, y2);
      paintOutline(p, wall, head, x, y2);
    }
  }
  function paintPair(p, wall, x, y2) {
    const { pair, shape, block } = wall.heads.meta;
    if (!pair) return;
    const { u, w: w2, h: h2 } = wall.layout;
    const [cw, ch] = [w2 / shape[1], h2 / shape[0]];
    const [left, top] = [x + Math.floor(pair.column / block[1]) * cw, y2 + Math.floor(pair.row / block[0]) * ch];
    p.rect(left, top, cw, ch, { stroke: wall.host.colours.ink, width: 1.4 * u, radius: 1.5 * u });
  }
  function paintCaption2(p, wall, head, x, y2) {
    const { u, w: w2, h: h2 } = wall.layout;
    const c = wall.host.colours;
    const weak = !wall.heads.passes(head);
    if (weak) p.rect(x - 1, y2 - 1, w2 + 2, h2 + 2, { fill: c.panel, alpha: 0.82 });
    const small = Math.min(12 * u, w2 / 5.2);
    const size = legible(small, u) ? small : typeSize(12, u);
    const alpha = weak ? 0.5 : 1;
    const strong = wall.heads.isStrong(head);
    const fill2 = strong || wall.heads.pair ? c[`${wall.heads.meta.kind}_text`] : c.muted;
    const weight = strong ? 700 : 400;
    const [, nth] = wall.heads.pairOf(head);
    const short = wall.heads.meta.quantity?.pictures[nth] ?? wall.heads.nameOf(head);
    const [name, score] = [short, writtenScore(wall.heads, head)];
    const line = y2 + h2 + 14 * u;
    const { stacked } = wall.layout;
    const scored2 = wall.heads.own.badge !== "";
    const alone = scored2 && !stacked && textWidth(name + score, size, false, weight) + 3 * u > w2;
    p.text(x, line, name, { size, alpha, ...alone ? { fill: fill2, weight } : { fill: c.muted } });
    if (!scored2 || alone) return;
    const [at2, below] = stacked ? [x, line + UNDER * size] : [x + w2, line];
    p.text(at2, below, score, { size, align: stacked ? "left" : "right", weight, fill: fill2, alpha });
  }
  function captionWidth({ heads }, u) {
    if (heads.own.badge === "") return 0;
    const written2 = heads.pictures.map((_2, head) => heads.nameOf(head) + writtenScore(heads, head));
    return Math.max(...written2.map((words2) => textWidth(words2, typeSize(12, u), false, 700))) + 4 * u;
  }
  function paintOutline(p, wall, head, x, y2) {
    const { u, w: w2, h: h2 } = wall.layout;
    const c = wall.host.colours;
    const nth = wall.opening.opened.indexOf(head);
    const best = wall.heads.isBest(head);
    if (nth < 0 && !best) return;
    const several = wall.opening.opened.length > 1;
    const stroke = nth < 0 ? c[`${wall.heads.meta.kind}_text`] : several ? c.heads[nth] : c.ink;
    const foot = wall.heads.pair ? wall.layout.foot + 2 * u : 0;
    const edge = (several ? 2 : 4) * u;
    const pen = { stroke, width: (several && nth >= 0 ? 2.5 : 2) * u, radius: several ? 4 * u : 8 * u };
    p.rect(x - edge, y2 - edge, w2 + 2 * edge, h2 + foot + 2 * edge, pen);
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
        const lines = wall.heads.pictures.map((_2, head) => [
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
    const fits2 = (pixels2) => Math.floor((room - label + gap) / (pixels2 * u + gap));
    const inLayer = headsInLine(meta.heads, fits2(layered ? 110 : u > 1 ? 30 : 54));
    const wraps = Math.ceil(meta.heads / inLayer);
    const across = asInModel ? inLayer : evenly(order.length, Math.max(inLayer, Math.min(12, fits2(78))));
    const w2 = Math.min((layered ? 260 : 150) * u, (room - label - gap * (across - 1)) / across);
    const stacked = u > 1 && caption > w2;
    const foot = 18 * u + (stacked ? UNDER * typeSize(12, u) : 0);
    const lines = asInModel ? meta.layers * wraps : Math.ceil(order.length / across);
    const h2 = headHeight(meta, w2, lines, u, foot);
    const line = h2 + foot + 16 * u;
    const sizes = { u, room, w: w2, h: h2, foot, stacked, across };
    const layout = { ...sizes, height: 40 * u, at: /* @__PURE__ */ new Map(), labels: [] };
    order.forEach((head, n2) => {
      const [layer, k2] = [Math.floor(head / meta.heads), head % meta.heads];
      const [row, column2] = asInModel ? [layer * wraps + Math.floor(k2 / across), k2 % across] : [Math.floor(n2 / across), n2 % across];
      const x = asInModel ? label + column2 * (w2 + gap) : 5 * u + column2 * (w2 + gap - 5 * u / across);
      layout.at.set(head, { x, y: 6 * u + row * line });
    });
    const tall = wraps * line - foot - 16 * u;
    const middle = (n2) => 6 * u + n2 * wraps * line + tall / 2;
    if (label) layout.labels = Array.from({ length: meta.layers }, (_2, n2) => [n2, middle(n2), tall]);
    for (const { y: y2 } of layout.at.values()) layout.height = Math.max(layout.height, y2 + h2 + foot + 6 * u);
    return layout;
  }
  function evenly(total, most) {
    const fewest = Math.ceil(0.6 * most);
    const counts = Array.from({ length: most - fewest + 1 }, (_2, n2) => most - n2);
    return counts.find((count) => total % count === 0) ?? most;
  }
  var headsInLine = (heads, fit) => Math.ceil(heads / Math.ceil(heads / Math.max(1, Math.min(heads, fit))));
  function headHeight(meta, w2, lines, u, foot) {
    const [rows, cols] = meta.shape;
    const natural = w2 * Math.min(1.5, Math.max(0.55, rows / cols));
    const most = meta.quantity?.pictures.length ? natural : meta.square ? w2 * 1.12 : w2 * 1.75;
    const aimed = Math.min(most, meta.tall * u / lines - foot - 12 * u);
    const wanted = u > 1 ? Math.min(Math.max(natural, 1.3 * w2), aimed) : Math.max(natural, aimed);
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
    const { u, w: w2, room, height, at: at2 } = wall.layout;
    const { x, y: y2 } = at2.get(head) ?? { x: 0, y: 0 };
    const right = x + w2 + 10 * u;
    const fitsRight = right + tip.offsetWidth <= room;
    const left = fitsRight ? right : Math.max(-4, x - tip.offsetWidth - 10 * u);
    const top = Math.max(0, Math.min(height - tip.offsetHeight, y2 - 20 * u));
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
    const words2 = rowWords(meta.rows[row], { verb: verbOf(meta.kind, meta.one_label), read: meta.reads[row] });
    const { unit, top } = meta.quantity ?? { unit: "share", top: 1 };
    const number = WEIGHT_OF_BYTE[level[best]];
    const written2 = unit === "length" ? lengthWords(number * top) : spokenPercent(number);
    if (!meta.labelled) return phrase(tr("Largest weight: {share}"), { share: { strong: written2 } });
    return phrase(tr("{row}: {share} at {key}"), { row: words2, share: { strong: written2 }, key });
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
      const values = (meta.scores[own.badge]?.values ?? []).filter((v2) => v2 !== null);
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
    const heads = wall.heads.pictures.map((_2, head) => {
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
    const layers = Array.from({ length: wall.heads.meta.layers }, (_2, layer) => {
      const name = tr("Layer {layer}: overlay its heads", { layer });
      const words2 = { title: name, "aria-label": name };
      return el("button", {
        class: "wall-layer",
        ...words2,
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
    const [layer, k2] = all.pairOf(head);
    const who = all.layered ? all.nameOf(head) : tr("Layer {layer}, head {head}", { layer, head: k2 });
    return labelled(who, scores2.join(", ") || tr("no scores"));
  }
  function arrangeButtons(wall, order) {
    const { layout } = wall;
    const { own } = wall.heads;
    const { heads, layers } = wall.buttons;
    heads.forEach((button, head) => {
      const at2 = layout.at.get(head);
      button.hidden = !at2;
      if (!at2) return;
      button.style.cssText = `left:${at2.x}px;top:${at2.y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
      button.tabIndex = head === wall.at ? 0 : -1;
      button.setAttribute("aria-pressed", String(wall.opening.opened.includes(head)));
      button.setAttribute("aria-label", wordsOfHead(wall.heads, head));
    });
    layers.forEach((button) => button.hidden = true);
    for (const [layer, y2, tall] of wall.heads.layered ? [] : layout.labels) {
      layers[layer].hidden = false;
      layers[layer].style.cssText = `left:0;top:${y2 - tall / 2}px;width:${24 * layout.u}px;height:${tall}px`;
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
    open(list, at2) {
      const { heads: all } = this.wall;
      const { meta } = all;
      this.wall.outline(list, at2);
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
      const list = Array.from({ length: Math.min(MOST_OPEN, heads) }, (_2, k2) => layer * heads + k2);
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
  var HALL4 = 322;
  var how = () => TOUCH ? tr("Tap a head to open it") : tr("Click a head to open it; Shift-click to overlay");
  function subtitleOf(heads, hall) {
    const kept = heads.pictures.filter((_2, head) => heads.passes(head)).length;
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
      const arrayed = { ...meta, tall: inSight(this.host, meta.tall, HALL4) };
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
    outline(heads, at2 = heads[0] ?? this.at) {
      if (String(heads) === String(this.opening.opened)) return;
      [this.opening.opened, this.at] = [heads, at2];
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
      const mark = (name, words2) => el("span", { class: "wall-mark" }, el("i", { class: name, "aria-hidden": "true" }), words2);
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
  function headData(meta, heads, valuesOf = (head) => weightsOf(meta, meta.levels, head)) {
    const [rows, cols] = meta.shape;
    const pairs = heads.map((head) => [Math.floor(head / meta.heads), head % meta.heads]);
    const names = pairs.map((pair) => pair.join("."));
    const scores2 = Object.values(meta.scores).filter((score) => score.values[heads[0]] !== null);
    const spoken2 = scores2.slice(0, 3).map(({ label, values: v2 }) => `${label.toLowerCase()} ${spokenScore(v2[heads[0]])}`);
    const words2 = (labels, count) => meta.labelled ? labels : Array.from({ length: count }, (_2, n2) => String(n2 * meta.block[0]));
    return {
      kind: meta.kind,
      mode: "weights",
      unit: "share",
      tag: "",
      pairs,
      quantity: null,
      title: headsTitle(names),
      subtitle: heads.length > 1 || meta.pair ? "" : spoken2.join(" · "),
      reads: meta.reads.length ? words2(meta.reads, rows) : [],
      heads: heads.map((head, k2) => ({
        name: names[k2],
        subject: tr("head {name}", { name: names[k2] }),
        hidden: null,
        values: valuesOf(head)
      })),
      written: meta.written,
      current: null,
      distribution: meta.labelled && meta.distribution,
      one_label: meta.one_label,
      rows: words2(meta.rows, rows),
      cols: words2(meta.cols, cols),
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
      sections.forEach((section, k2) => section.hidden = k2 !== n2);
      tabs.forEach((tab, k2) => {
        tab.setAttribute("aria-selected", String(k2 === n2));
        tab.tabIndex = k2 === n2 ? 0 : -1;
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

  // export/live/rewriting.ts
  var WORD2 = /[\p{L}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*['’]?|[^\p{L}\p{N}_\s]/gu;
  function common(a, b) {
    const longest = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill(0));
    for (let i = a.length - 1; i >= 0; i--)
      for (let j2 = b.length - 1; j2 >= 0; j2--)
        longest[i][j2] = a[i] === b[j2] ? longest[i + 1][j2 + 1] + 1 : Math.max(longest[i + 1][j2], longest[i][j2 + 1]);
    const pairs = [];
    for (let i = 0, j2 = 0; i < a.length && j2 < b.length; ) {
      if (a[i] === b[j2]) pairs.push([i++, j2++]);
      else if (longest[i + 1][j2] >= longest[i][j2 + 1]) i++;
      else j2++;
    }
    return pairs;
  }
  function rewriting(before, after) {
    const matched = [before, after].map((text) => [...text.matchAll(WORD2)]);
    const [a, b] = matched.map((matches) => matches.map(([word]) => word));
    const pairs = common(a, b);
    const words2 = (n2, text) => matched[n2].map(({ 0: word, index }, k2) => ({
      text: word,
      same: pairs.some((pair) => pair[n2] === k2),
      spaced: index > 0 && /\s/u.test(text[index - 1])
    }));
    return { before: words2(0, before), after: words2(1, after) };
  }

  // export/live/views.ts
  var LEVELS = 255;
  var FULL_SIDE = 128;
  var REDUCED_SIDE = 96;
  var MOSTLY = 0.5;
  var WALL_HEIGHT = 560;
  var viewRoot = (name) => el("div", { class: "place", id: name }, el("div", { class: "atlas" }));
  function mapOf({ shapes, weights: weights2 }, kind, head) {
    const [, , rows, cols] = shapes[kind];
    return weights2[kind].subarray(head * rows * cols, (head + 1) * rows * cols);
  }
  function wordsOf2({ source, target, reads }, kind) {
    if (kind === "encoder") return { rows: source, cols: source, reads: [] };
    return { rows: target, cols: kind === "cross" ? source : reads, reads };
  }
  var pairOf = ({ shapes }, kind, head) => [
    Math.floor(head / shapes[kind][1]),
    head % shapes[kind][1]
  ];
  function stageData(picture, words2, looked, { writes, forcible }) {
    const shape = picture.shapes.cross;
    const [open] = looked.heads.cross;
    const [layer, head] = open === void 0 ? [null, null] : pairOf(picture, "cross", open);
    const { source, target, reads, steps, grown, forced, ended } = picture;
    return {
      source,
      target,
      reads,
      steps,
      grown,
      forced,
      ended,
      layer,
      head,
      shape,
      writes,
      forcible,
      position: looked.position,
      id: looked.id,
      notes: [],
      remarks: [],
      opens: null,
      pins: { rows: [], columns: [] },
      kind: "cross",
      kind_name: words2.kinds.cross,
      weights: Uint16Array.from(picture.weights.cross, (weight) => Math.round(weight * 65535)),
      layers: shape[0],
      heads: shape[1],
      subjects: words2.subjects,
      metrics: words2.metrics
    };
  }
  function reduced(weights2, [layers, heads, rows, cols]) {
    const long = Math.max(rows, cols) > FULL_SIDE;
    const blockOf = (side) => long ? Math.max(1, Math.ceil(side / REDUCED_SIDE)) : 1;
    const block = [blockOf(rows), blockOf(cols)];
    const shape = [Math.ceil(rows / block[0]), Math.ceil(cols / block[1])];
    const cells2 = new Float32Array(layers * heads * shape[0] * shape[1]);
    for (let n2 = 0; n2 < weights2.length; n2++) {
      const [map, cell] = [Math.floor(n2 / (rows * cols)), n2 % (rows * cols)];
      const [i, j2] = [Math.floor(cell / cols / block[0]), Math.floor(cell % cols / block[1])];
      const at2 = (map * shape[0] + i) * shape[1] + j2;
      cells2[at2] = Math.max(cells2[at2], weights2[n2]);
    }
    return { cells: cells2, shape, block };
  }
  function cellOf(picture, kind, { position, heads }) {
    const rests2 = position === 0 || picture.ended && position === picture.target.length;
    const row = position - 1;
    if (kind === "cross" && (rests2 || picture.pair?.[0] === row)) return picture.pair;
    if (kind === "encoder" || rests2 || !heads[kind].length) return null;
    const cols = picture.shapes[kind][3];
    const weights2 = mapOf(picture, kind, heads[kind][0]).subarray(row * cols, (row + 1) * cols);
    return [row, weights2.indexOf(Math.max(...weights2))];
  }
  function scored(picture, kind, [row, column2]) {
    const [layers, count, , cols] = picture.shapes[kind];
    const { rows, cols: keys } = wordsOf2(picture, kind);
    const total = layers * count;
    const values = Array.from({ length: total }, (_2, head) => mapOf(picture, kind, head)[row * cols + column2]);
    const order = values.map((_2, head) => head).sort((a, b) => values[b] - values[a] || a - b);
    const fields = { query: rows[row], key: keys[column2] };
    const cell = {
      row,
      column: column2,
      order,
      name: `${fields.query} · ${fields.key}`,
      score: tr("{query} on {key}", fields)
    };
    const score = {
      label: cell.score,
      units: "",
      mark: null,
      down: false,
      definition: "",
      percent: true,
      explained: [],
      values
    };
    const title = plural(
      "{count} of {total} heads looks mostly at {key} when it writes {query}",
      "{count} of {total} heads look mostly at {key} when they write {query}",
      values.filter((share) => share > MOSTLY).length,
      { total, key: quoted(fields.key), query: quoted(fields.query) }
    );
    return { cell, score, title };
  }
  function wallData(picture, words2, kind, looked) {
    const [layers, heads, , keys] = picture.shapes[kind];
    const { rows, cols, reads } = wordsOf2(picture, kind);
    const { cells: cells2, shape, block } = reduced(picture.weights[kind], picture.shapes[kind]);
    const labelled2 = block[0] === 1 && block[1] === 1;
    const at2 = labelled2 ? cellOf(picture, kind, looked) : null;
    const pair = at2 && scored(picture, kind, at2);
    const blank = (count) => Array.from({ length: count }, () => "");
    const all = plural("{count} head", "{count} heads", layers * heads);
    return {
      rows: labelled2 ? rows : blank(shape[0]),
      cols: labelled2 ? cols : blank(shape[1]),
      reads: labelled2 ? reads : [],
      kind,
      layers,
      heads,
      shape,
      keys,
      block,
      labelled: labelled2,
      words: words2.kinds[kind],
      arranged: { sort: "model", badge: pair ? "pair" : "", least: null, tone: null },
      all_heads: { how: "mean", subject: words2.subjects[0][0] },
      title: pair ? pair.title : tr("{kind}: {heads}", { kind: words2.kinds[kind], heads: all }),
      how: "",
      subtitle: "",
      hidden: false,
      tall: WALL_HEIGHT,
      file: `${kind}-heads`,
      about: "",
      quantity: null,
      open: looked.heads[kind],
      pair: pair ? pair.cell : null,
      controls: false,
      one_label: false,
      distribution: true,
      size: shape[0] * shape[1],
      causal: kind === "causal",
      square: kind !== "cross",
      written: shape[0],
      scores: pair ? { pair: pair.score } : {},
      levels: Uint8Array.from(cells2, (weight) => Math.round(LEVELS * Math.sqrt(weight))),
      digest: [looked.id, kind, words2.name, at2].join("/")
    };
  }
  function openHeads(picture, meta, looked) {
    const rests2 = picture.ended && looked.position === picture.target.length;
    const { rows, cols, reads } = wordsOf2(picture, meta.kind);
    const later = (n2) => meta.causal && n2 % cols.length > Math.floor(n2 / cols.length);
    const exact = (head) => mapOf(picture, meta.kind, head).map((v2, n2) => later(n2) ? NaN : v2);
    const data = headData(meta, looked.heads[meta.kind], exact);
    const current = meta.kind === "encoder" || rests2 || !looked.position ? null : looked.position - 1;
    return { ...data, rows, cols, reads, written: rows.length, current };
  }
  function jointData(picture, words2, looked) {
    const one = (kind) => looked.heads[kind][0] ?? 0;
    const named = (kind) => pairOf(picture, kind, one(kind)).join(".");
    const kinds = ["encoder", "cross", "causal"];
    const { source, target, reads } = picture;
    return {
      ...ofKinds((kind) => mapOf(picture, kind, one(kind))),
      source,
      target: [reads[0], ...target],
      steps: target.length,
      step: looked.position,
      subject: tr("head {name}", { name: named("cross") }),
      subtitle: kinds.map((kind) => `${words2.kinds[kind]} ${named(kind)}`).join(" · "),
      title: "",
      keys: false,
      report: false,
      file: "joint",
      measure: "weight",
      mode: "weights",
      one_label: false,
      tops: ofKinds(() => 1),
      labels: words2.kinds
    };
  }

  // export/live/ablation.ts
  var NAMED2 = 6;
  var POINT = 0.01;
  function outcome(given, before, after) {
    const [lost, added] = [before, after].map((words2) => words2.filter(({ same }) => !same));
    const phrase2 = (words2) => quoted(words2.map(({ text }) => text).join(" "));
    const few = Math.max(lost.length, added.length) <= 3;
    if (!lost.length && !added.length) return tr("{given} the translation stays the same", { given });
    if (!after.length) return tr("{given} the model writes nothing", { given });
    if (!added.length && few) return tr("{given} the model leaves out {lost}", { given, lost: phrase2(lost) });
    if (!lost.length && few) return tr("{given} the model adds {new}", { given, new: phrase2(added) });
    if (lost.length === 1 && added.length === 1) {
      return tr("{given} the model writes {new} instead of {lost}", {
        given,
        new: phrase2(added),
        lost: phrase2(lost)
      });
    }
    const kept = before.length - lost.length;
    const total = Math.max(before.length, after.length);
    if (3 * kept < 2 * total) return tr("{given} the model writes something else", { given });
    return plural(
      "{given} {count} of {total} words changes",
      "{given} {count} of {total} words change",
      Math.max(lost.length, added.length),
      { given, total: before.length }
    );
  }
  var Ablation = class extends CardView {
    constructor(root, host) {
      super(root, host, "ablation");
      this.parts.node.append(this.parts.readout);
    }
    update({ heads, before, after, words: words2 }) {
      const { body, node, tell } = this.parts;
      const named = heads.length === 1 ? tr("head {name}", { name: heads[0] }) : plural("{count} head", "{count} heads", heads.length);
      const given = tr("Without {heads}", { heads: named });
      node.classList.toggle("waiting", after === null);
      if (after === null) return tell({ title: `${given} …` });
      const change = rewriting(before, after);
      const line = (list, mark) => list.flatMap(({ text, same, spaced }) => [
        spaced ? " " : "",
        same ? document.createTextNode(text) : el(mark, {}, text)
      ]);
      const lines = el(
        "dl",
        { class: "atlas-lines-two long" },
        el("dt", { class: "before" }, el("i"), tr("Before")),
        el("dd", { dir: "auto" }, ...line(change.before, "del")),
        el("dt", { class: "after" }, el("i"), tr("After")),
        el("dd", { dir: "auto" }, ...line(change.after, "ins"))
      );
      const shown2 = topIndices(
        words2.map((word) => Math.abs(word.after - word.before)),
        NAMED2
      ).sort((a, b) => a - b);
      const items = shown2.map((n2) => {
        const { label, before: high, after: low } = words2[n2];
        const numbers = `${percent(high, 1)} → ${percent(low, 1)}`;
        return el(
          "li",
          { class: Math.abs(high - low) >= POINT ? "changed" : null },
          el("bdi", {}, visible(label)),
          el("span", {}, numbers)
        );
      });
      const sure = tr("How sure the model is of each token");
      body.replaceChildren(lines, el("ul", { class: "ablation-words", "aria-label": sure }, ...items));
      tell({
        title: outcome(given, change.before, change.after),
        subtitle: tr("The head output is set to zero"),
        readout: this.sentence(words2)
      });
    }
    /** The word that falls most. */
    sentence(words2) {
      const [worst] = topIndices(
        words2.map((word) => word.before - word.after),
        1
      ).map((n2) => words2[n2]);
      if (!worst || worst.before - worst.after < POINT)
        return tr("No token loses as much as 1 percentage point");
      const [before, after] = [percent(worst.before, 1), percent(worst.after, 1)];
      return tr("The probability of {word} goes from {before} to {after}.", {
        word: quoted(worst.label),
        before,
        after
      });
    }
  };
  var certainties = ({ steps }) => steps.map(
    ({ ids, probabilities: probabilities2, chosen: chosen2, extra }) => extra?.probability ?? probabilities2[ids.indexOf(chosen2 ?? -1)]
  );
  var AblationCard = class {
    node = viewRoot("ablation");
    running = new AbortController();
    data = null;
    of = "";
    /** Takes the view down, once it is off the page. */
    close = () => {
    };
    /** @param name what the picture is of */
    async update(engine, picture, options, name, kind, heads) {
      const of = JSON.stringify([name, kind, heads]);
      if (of === this.of) return this.draw();
      this.of = of;
      this.running.abort();
      const { signal } = this.running = new AbortController();
      const pairs = heads.map((head) => pairOf(picture, kind, head));
      const names = pairs.map((pair) => pair.join("."));
      const { text, source_ids, ids, target } = picture;
      this.data = heads.length ? { heads: names, before: text, after: null, words: [] } : null;
      this.draw();
      if (!heads.length) return;
      const without = pairs.map(([layer, head]) => [kind, layer, head]);
      try {
        const made = await ablate(engine, source_ids, ids, without, options, { signal });
        const before = certainties(picture);
        const words2 = target.map((label, n2) => ({ label, before: before[n2], after: made.probabilities[n2] }));
        this.data = { heads: names, before: text, after: made.text, words: words2 };
        this.draw();
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
    draw() {
      this.node.hidden = !this.data;
      const page2 = { parentElement: this.node };
      if (this.data) this.close = show2(page2, this.data, (root, host) => new Ablation(root, host));
    }
  };

  // shared/joint_layout.ts
  var jointPoint = (g, along, across) => g.flat ? [along, across] : [across, along];
  var ARC = 62;
  var BETWEEN2 = 180;
  var WORDS = 30;
  var MAP = 96;
  var LOW = 2 * ARC + BETWEEN2 + WORDS + 12;
  var BESIDE = 176;
  var NEAR = 20;
  function jointLayout(source, target, room, u, tall = Infinity) {
    const size = 14.5 * u;
    const [ws, wt2] = [widths(source, size, 170 * u), widths(target, size, 170 * u)];
    const low = tall < LOW + 40 + MAP - NEAR;
    const wide = low ? room - BESIDE * u : room;
    const fits2 = [ws, wt2].every((row) => rowLength(row, 12 * u) <= wide);
    if (!fits2) return inColumns2(source, target, room, u, tall);
    const above = inReadingOrder(spreadWords(ws, wide, 12 * u), source, wide);
    const below = inReadingOrder(spreadWords(wt2, wide, 12 * u), target, wide);
    return inRows(above, below, room, u, low ? tall : Infinity);
  }
  var widths = (labels, size, most) => labels.map((label) => Math.min(most, textWidth(visible(label), size)));
  function inRows(above, below, room, u, tall) {
    const free = Math.min(2 * ARC + BETWEEN2, Math.max(150, tall - WORDS - 12));
    const reach = Math.min(ARC, Math.round(free * 0.21));
    const arc = reach * u;
    const upper = arc + 6 * u;
    const to = upper + (free - 2 * reach) * u;
    const lower = to + WORDS * u;
    const bottom = lower + arc + 6 * u;
    const beside = tall < Infinity;
    const [w2, h2] = beside ? [(BESIDE - 26) * u, bottom / 3 - 24 * u] : [Math.min(380 * u, (room - 60 * u) / 3), MAP * u];
    const words2 = { every: 1, room: 170 * u };
    return {
      u,
      size: 14.5 * u,
      room,
      flat: true,
      arc,
      height: beside ? bottom : bottom + 40 * u + h2,
      source: {
        along: above,
        words: upper + 13 * u,
        lines: upper + 44 * u,
        outward: -1,
        ...words2,
        edges: above.map(() => upper)
      },
      target: {
        along: below,
        words: to + 15 * u,
        lines: to,
        outward: 1,
        ...words2,
        edges: below.map(() => lower)
      },
      maps: { w: w2, h: h2, corners: beside ? mapsBeside(room - w2 - 4 * u, bottom / 3, u) : mapsBelow(w2, bottom, u) }
    };
  }
  var mapsBeside = (x, each, u) => [0, 1, 2].map((n2) => ({ x, y: n2 * each + 22 * u }));
  var mapsBelow = (w2, bottom, u) => [0, 1, 2].map((n2) => ({ x: 3 * u + n2 * (w2 + 26 * u), y: bottom + 34 * u }));
  function inColumns2(source, target, room, u, most) {
    const size = 13.5 * u;
    const [ws, wt2] = [widths(source, size, 120 * u), widths(target, size, 120 * u)];
    const longest = Math.max(ws.length, wt2.length);
    const limit = Math.min(660, Math.max(180, most - 20));
    const tall = Math.min(24 * u, limit * u / longest) * longest;
    const beside = room > (most < LOW + 40 + MAP - NEAR ? 700 : 980) * u;
    const wide = beside ? room - 236 * u : Math.min(room, 780 * u);
    const arc = Math.min(130 * u, room * 0.13);
    const bottom = tall + 20 * u;
    const w2 = beside ? 190 * u : Math.min(380 * u, (room - 60 * u) / 3);
    const each = most < Infinity ? Math.min(176 * u, bottom / 3) : 176 * u;
    const below = Math.min(MAP, Math.max(46, 0.4 * most));
    const h2 = beside ? each - 46 * u : below * u;
    const right = [0, 1, 2].map((n2) => ({ x: room - w2 - 4 * u, y: n2 * each + 26 * u }));
    const left = arc + 6 * u + Math.max(...ws) + 8 * u;
    const to = wide - arc - Math.max(...wt2) - 24 * u;
    return {
      u,
      size,
      room,
      flat: false,
      arc,
      height: beside ? Math.max(bottom, right[2].y + h2 + 8 * u) : bottom + 40 * u + h2,
      source: {
        ...column(ws, tall, u),
        words: left,
        lines: left + 50 * u,
        outward: -1,
        edges: ws.map((each2) => left - each2 - 10 * u)
      },
      target: {
        ...column(wt2, tall, u),
        words: to + 8 * u,
        lines: to,
        outward: 1,
        edges: wt2.map((each2) => to + 8 * u + each2 + 10 * u)
      },
      maps: { w: w2, h: h2, corners: beside ? right : mapsBelow(w2, bottom, u) }
    };
  }
  var column = (words2, tall, u) => ({
    along: words2.map((_2, i) => 10 * u + (i + 0.5) * tall / words2.length),
    every: every(WORD_HEIGHT * u, tall / words2.length),
    room: Math.max(...words2)
  });
  function jointHit(g, x, y2) {
    const [along, across] = g.flat ? [x, y2] : [y2, x];
    const { source, target, arc } = g;
    if (across > Math.min(...source.edges) - arc * 0.5 && across < source.lines + 10) {
      return { source: nearest(source.along, along) };
    }
    if (across > target.lines - 14 && across < Math.max(...target.edges) + arc * 0.5) {
      return { target: nearest(target.along, along) };
    }
    return null;
  }
  var nearest = (list, value) => list.reduce((best, v2, i) => Math.abs(v2 - value) < Math.abs(list[best] - value) ? i : best, 0);
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
  function wordSentence(joint, j2) {
    const { source, target } = joint.meta;
    const { encoder, cross } = joint.sheets;
    const { mode, tops } = joint.meta;
    const how2 = { verb: "Reading", subject: tr("the encoder"), mode };
    const reads = rowSentence(times(rowOf(encoder, j2), tops.encoder), source[j2], source, how2);
    const written2 = target.slice(1, joint.written + 1);
    const writing = { verb: verbOf("cross", joint.meta.one_label), subject: tr("the decoder"), mode };
    const column2 = times(columnOf(cross, j2), tops.cross);
    return [...reads, " ", ...columnSentence(column2, [j2], source, written2, writing)];
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
    const amount = (v2, kind) => mode === "length" ? lengthWords(v2 * tops[kind]) : spokenPercent(v2);
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
  var times = (row, top) => top === 1 ? row : row.map((v2) => v2 * top);

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
      curve: (i, j2) => curveBetween(
        jointPoint(g, target.along[i + 1], target.lines),
        jointPoint(g, source.along[j2], source.lines),
        g.flat
      )
    });
  }
  function paintArcs(p, { layout: g }, weights2, from, { along, edges, outward }, stroke, growth) {
    const { u, arc } = g;
    const longest = Math.abs(along[along.length - 1] - along[0]) || 1;
    for (const j2 of topIndices(weights2, weights2.length).reverse()) {
      if (weights2[j2] < LINE_FLOOR || j2 >= along.length) continue;
      const itself = j2 === from;
      const [start, end] = itself ? [along[from] - 7 * u, along[from] + 7 * u] : [along[from], along[j2]];
      const far = (Math.abs(end - start) / longest) ** 0.55;
      const rise = itself ? 24 * u : 20 * u + (arc * 1.3 - 20 * u) * far;
      const passed = edges.slice(Math.min(from, j2), Math.max(from, j2) + 1);
      const base = outward < 0 ? Math.min(...passed) : Math.max(...passed);
      const across = base + outward * rise;
      const [a, d] = [jointPoint(g, start, edges[from]), jointPoint(g, end, edges[j2])];
      const curve = startOfCurve([a, jointPoint(g, start, across), jointPoint(g, end, across), d], growth);
      p.curve(...curve, { stroke, ...linePen(weights2[j2], "on", u) });
    }
  }
  function paintWord(p, { layout: g }, label, n2, side, { ink, fill: fill2, frame }) {
    const { u, size, flat } = g;
    const text = shorten(visible(label), side.room, size);
    const [x, y2] = jointPoint(g, side.along[n2], side.words);
    const align = flat ? "center" : side.outward > 0 ? "left" : "right";
    if (fill2 || frame) {
      const w2 = textWidth(text, size, true, 600) + (fill2 ? 18 : 14) * u;
      const edge = (fill2 ? 8 : 6) * u;
      const left = flat ? x - w2 / 2 : side.outward > 0 ? x - edge : x - w2 + edge;
      const pitch = Math.abs((side.along[1] ?? Infinity) - side.along[0]);
      const h2 = frame ? 22 * u : flat ? 24 * u : Math.min(24 * u, Math.max(17 * u, 1.2 * pitch));
      p.rect(left, y2 - h2 / 2, w2, h2, { fill: fill2, stroke: frame, width: 1.4, radius: 7 * u });
    }
    const weight = fill2 ? 600 : 400;
    p.text(x, y2 + 0.5, text, { size, mono: true, align, baseline: "middle", fill: ink, weight });
  }
  function paintSource(p, joint) {
    const { layout: g, sheets, step, meta } = joint;
    const { u, flat, source } = g;
    const c = joint.host.colours;
    const named = joint.namedSource;
    const shares = step ? rowOf(sheets.cross, step - 1) : [];
    const big = readableShares(shares, source.along, flat ? 0 : 15 * u);
    const active = /* @__PURE__ */ new Set([...big, ...named === null ? [] : [named]]);
    for (const j2 of chosenLabels(0, source.along.length, source.every, active)) {
      const quiet = isSpecial(meta.source[j2]) && !big.has(j2);
      const look2 = { ink: quiet ? c.muted : c.ink, frame: j2 === named ? c.encoder : null };
      paintWord(p, joint, meta.source[j2], j2, source, look2);
      if (!big.has(j2) || joint.hovered?.source !== void 0) continue;
      const [x, y2] = flat ? [source.along[j2], source.words + 23 * u] : [source.words + 14 * u, source.along[j2]];
      const align = flat ? "center" : "left";
      const { mode, tops } = meta;
      const words2 = mode === "length" ? lengthWords(shares[j2] * tops.cross) : percent(shares[j2]);
      p.text(x, y2, words2, { size: typeSize(12, u), align, baseline: "middle", fill: c.cross_text });
    }
  }
  function readableShares(shares, along, apart2) {
    const big = /* @__PURE__ */ new Set();
    for (const j2 of topIndices(shares, 8)) {
      const free = [...big].every((k2) => Math.abs(along[k2] - along[j2]) >= apart2);
      if (shares[j2] >= 0.05 && free) big.add(j2);
    }
    return big;
  }
  function paintTarget(p, joint) {
    const { layout: g, step, meta } = joint;
    const { target, flat, u } = g;
    const c = joint.host.colours;
    for (const i of chosenLabels(joint.firstKey, target.along.length, target.every, step ? [step] : [])) {
      if (i > joint.written) {
        const [x, y2] = jointPoint(g, target.along[i], target.words);
        p.circle(flat ? x : x + 4 * u, y2, 2.2 * u, { fill: c.line });
        continue;
      }
      const plainInk = isSpecial(meta.target[i]) ? c.muted : c.ink;
      const look2 = i === step ? { ink: inkOn(c.causal, c), fill: c.causal } : { ink: plainInk };
      paintWord(p, joint, meta.target[i], i, target, look2);
    }
  }
  function mapName(label, space, size) {
    const words2 = textWidth(label, size, false, 600) <= space ? label : label.replace(/ \(.*\)$/, "");
    return shorten(words2, space, size, false);
  }
  function paintMaps(p, joint) {
    const { layout, sheets, step } = joint;
    const { u } = layout;
    const { w: w2, h: h2, corners } = layout.maps;
    const c = joint.host.colours;
    MAPS.forEach((kind, n2) => {
      const { x, y: y2 } = corners[n2];
      const sheet = sheets[kind];
      const size = typeSize(12.5, u);
      const space = Math.min(w2 + 22 * u, layout.room - x - 6 * u);
      const name = mapName(joint.meta.labels[kind], space, size);
      p.text(x, y2 - 8 * u, name, { size, fill: c[`${kind}_text`], weight: 600 });
      paintPixels(p, sheet, { x, y: y2, w: w2, h: h2 }, c);
      const mark = kind === "encoder" ? joint.namedSource : step ? step - 1 : null;
      const tall = h2 / sheet.rows.length;
      if (mark === null) return;
      const frame = { stroke: c.ink, width: 1.3, radius: 3 };
      p.rect(x - 1.5, y2 + mark * tall - 1, w2 + 3, Math.max(3, tall + 2), frame);
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
          const number = (v2) => csvNumber(v2 * joint.meta.tops[kind]);
          const lines = tableOf(joint.sheets[kind], kind === "encoder", number).filter(
            (line) => Number(line[3]) < keys
          );
          return lines.map((line) => [kind, ...line]);
        })
      ]
    };
  }

  // shared/joint.ts
  var HALL5 = 320;
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
      const tall = inSight(this.host, Infinity, HALL5, Math.max(source.length, target.length));
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
    hover(at2) {
      if (at2?.source === this.hovered?.source && at2?.target === this.hovered?.target) return;
      this.hovered = at2;
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
      const words2 = JSON.stringify([meta.source, meta.target]);
      const news = this.rested.isNews(meta.step);
      if (words2 !== this.words || news) {
        this.playback.pause();
        Object.assign(this, { written: meta.step, pinned: null, hovered: null });
      }
      this.words = words2;
      this.parts.tell({ subtitle: meta.subtitle });
      this.relayout();
    }
    makeSheets() {
      const { source, target, one_label } = this.meta;
      const { colours } = this.host;
      const written2 = target.slice(1);
      const read2 = target.slice(this.firstKey, target.length - 1 + this.firstKey);
      const pairs = { reads: one_label ? void 0 : read2, oneLabel: one_label };
      const words2 = {
        encoder: { rows: source, cols: source },
        cross: { rows: written2, cols: source, ...pairs },
        causal: { rows: written2, cols: read2, ...pairs }
      };
      const sheetOf = (kind) => {
        const numbers = this.meta[kind];
        const { length } = words2[kind].cols;
        const hides = (i, j2) => kind === "causal" && j2 > i && !numbers[i * length + j2];
        const at2 = (i, j2) => hides(i, j2) ? NaN : numbers[i * length + j2];
        return makeSheet(words2[kind], at2, kindRamp(colours, kind));
      };
      return ofKinds(sheetOf);
    }
    destroy() {
      this.stop();
    }
  };
  var joint_default = viewOf(Joint);

  // export/live/attention.ts
  var KINDS = ["cross", "causal", "encoder"];
  var AttentionTabs = class {
    /** `picked` hears of the heads that the reader opens; `below` stands under the open heads of the tab in view. */
    constructor(words2, below, picked, opened) {
      this.words = words2;
      const pairs = KINDS.map((kind) => [viewRoot(`wall-${kind}`), viewRoot(`detail-${kind}`)]);
      this.kinds = pairs.map(
        ([wall, detail], n2) => new KindViews(wall, detail, (heads) => picked(KINDS[n2], heads))
      );
      const names = [...KINDS.map((kind) => words2.kinds[kind]), tr("All three, word by word")];
      const tabs = names.map(
        (name, n2) => el("button", { role: "tab", id: `tab-${n2}`, "aria-controls": `kind-${n2}` }, name)
      );
      const columns = pairs.map(([, detail]) => el("div", { class: "live-column" }, detail));
      const walls = pairs.map(([wall], n2) => el("div", { class: "pair" }, wall, columns[n2]));
      const panels = [...walls, this.joint];
      const sections = panels.map(
        (panel, n2) => el("section", { role: "tabpanel", id: `kind-${n2}`, "aria-labelledby": `tab-${n2}` }, panel)
      );
      const list = el("div", { class: "tabs", role: "tablist", "aria-label": tr("Attention") }, ...tabs);
      this.node = el("div", { class: "live-heads" }, list, ...sections);
      const open = linkTabs(tabs, sections, (n2) => {
        this.opened = n2;
        columns[n2]?.append(below);
        if (!this.picture) return;
        this.draw();
        opened();
      });
      open(0);
    }
    words;
    node;
    joint = viewRoot("joint");
    kinds;
    picture;
    looked;
    opened = 0;
    ends = [];
    /** The kind whose wall is in view; cross-attention beside the joint view. */
    get kind() {
      return KINDS[this.opened] ?? "cross";
    }
    update(picture, looked) {
      Object.assign(this, { picture, looked });
      this.draw();
    }
    /** Draws the tab in view. */
    draw() {
      const { picture, looked, words: words2, kind } = this;
      const views = this.kinds[this.opened];
      if (views) {
        const meta = wallData(picture, words2, kind, looked);
        views.update(meta, looked.heads[kind].length ? openHeads(picture, meta, looked) : null);
        this.ends[this.opened] = () => views.close();
        return;
      }
      const page2 = { parentElement: this.joint };
      this.ends[this.opened] = show2(
        page2,
        jointData(picture, words2, looked),
        (root, host) => new Joint(root, host)
      );
    }
    /** Takes the views down, once they are off the page. */
    close() {
      this.ends.forEach((end) => end());
    }
  };

  // export/live/body.ts
  function numberField(name, value, limits, hint2) {
    const input = el("input", { type: "number", value, ...limits, title: hint2 });
    return { input, node: el("label", { title: hint2 }, name, input) };
  }
  function optionFields(given) {
    const strategy = el(
      "select",
      {},
      el("option", { value: "greedy" }, tr("Greedy")),
      el("option", { value: "sample" }, tr("Sample"))
    );
    strategy.value = given.strategy ?? "greedy";
    const temperature = numberField(
      tr("Temperature"),
      given.temperature ?? 1,
      { min: 0.1, max: 10, step: 0.1 },
      tr("Temperature: above 1 more varied, below 1 more predictable")
    );
    const topK = numberField(
      tr("Top k"),
      given.topK ?? 0,
      { min: 0, max: 1e3, step: 1 },
      tr("Top-k: keep only the k most likely words (0: all)")
    );
    const seed = numberField(
      tr("Seed"),
      given.seed ?? 0,
      { min: 0, max: 2 ** 31, step: 1 },
      tr("Seed: the same seed writes the same words")
    );
    const numbers = [temperature, topK, seed];
    const fields = numbers.map(({ node: node2 }) => node2);
    const enable = () => numbers.forEach(({ input }) => input.disabled = strategy.value === "greedy");
    strategy.addEventListener("change", enable);
    enable();
    const read2 = () => {
      if (strategy.value === "greedy") return {};
      const [t, k2, s] = numbers.map(
        ({ input }) => input.validity.valid ? input.valueAsNumber : Number(input.defaultValue)
      );
      return { strategy: "sample", temperature: t, topK: k2, seed: s };
    };
    const node = el("div", { class: "live-options" }, el("label", {}, tr("Next word"), strategy), ...fields);
    return { node, read: read2 };
  }
  function header(data, code, speak2) {
    const language = el(
      "select",
      { "aria-label": tr("Language"), onchange: () => speak2(language.value) },
      ...Object.entries(data.languages).map(([each, { name: name2 }]) => el("option", { value: each }, name2))
    );
    language.value = code;
    const mode = el(
      "button",
      { id: "mode", "aria-label": tr("Light or dark"), title: tr("Light or dark") },
      "◐"
    );
    const about = el(
      "p",
      { class: "live-about" },
      `${data.languages[code].about} · ${tr("made with Attention Atlas")}`
    );
    const name = el("h1", {}, el("bdi", {}, data.name));
    return el("header", {}, name, about, el("div", { class: "live-tools" }, language, mode));
  }
  function footer({ bytes, parameters, languages }, code) {
    const whole = bytes ? tr(
      "This page is the model: {parameters} parameters that run in your browser. Nothing you type is sent anywhere.",
      { parameters }
    ) : tr("This file holds one translation with every attention map of it. It needs no network.");
    const notes = languages[code].notes.map((note) => el("p", {}, note));
    return el("footer", {}, el("p", {}, el("strong", {}, whole)), ...notes);
  }
  var Body = class {
    node;
    main = el("main");
    input;
    bar;
    status = el("p", { class: "live-status", role: "status" });
    constructor(data, code, text, given, acts) {
      this.input = el("input", {
        id: "text",
        list: "examples",
        "aria-label": tr("Sentence"),
        autocomplete: "off",
        spellcheck: "false",
        dir: "auto"
      });
      this.input.value = text;
      this.bar = el("progress", { max: 1, value: 0, "aria-label": tr("Unpacking the model") });
      if (data.bytes) this.main.append(this.form(data.examples, given, acts), this.bar, this.status);
      else this.main.append(el("p", { class: "live-source", dir: "auto" }, text));
      this.node = el(
        "div",
        { class: "live-page" },
        header(data, code, acts.speak),
        this.main,
        footer(data, code)
      );
    }
    /** The sentence, and how its translation is written. */
    form(examples, given, acts) {
      const list = el("datalist", { id: "examples" }, ...examples.map((value) => el("option", { value })));
      const options = optionFields(given);
      const more = el("details", { class: "live-more" }, el("summary", {}, tr("Options")), options.node);
      more.open = given.strategy === "sample";
      const button = el("button", { type: "submit", class: "live-go" }, tr("Translate"));
      const form = el("form", {}, el("div", { class: "live-line" }, this.input, button), list, more);
      const go = () => acts.translate(this.input.value, options.read());
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        go();
      });
      options.node.addEventListener("change", go);
      return form;
    }
    /** The share of the model that is unpacked; null: all of it is. */
    progress(share) {
      this.bar.hidden = share === null;
      this.bar.value = share ?? 1;
    }
    say(words2) {
      this.status.textContent = words2;
    }
  };

  // export/live/picture.ts
  var TOP = 12;
  function stepOf({ model, target }, decode, n2, options, forced) {
    const shares = decode.distribution(n2);
    const chosen2 = decode.ids[n2];
    const listed = decode.candidates(TOP, n2);
    const ids = listed.map(({ id }) => id);
    const banned = neverWritten(model.config);
    const fixed2 = n2 === 0 ? model.config.forced_bos_id : null;
    const below = !ids.includes(chosen2);
    const rank2 = below ? 1 + shares.filter((p, id) => p > shares[chosen2] || p === shares[chosen2] && id < chosen2).length : 0;
    const mass = listed.reduce((sum2, { probability }) => sum2 + probability, below ? shares[chosen2] : 0);
    const kept = options.strategy === "sample" ? options.topK ?? 0 : 0;
    const limits = kept > 0 && kept + banned.length < shares.length && fixed2 === null;
    return {
      ids,
      labels: ids.map((id) => target.label(id)),
      probabilities: listed.map(({ probability }) => probability),
      rest: [shares.length - ids.length - Number(below), Math.max(0, 1 - mass)],
      chosen: chosen2,
      forced,
      barred: ids.filter((id) => banned.includes(id)),
      fixed: fixed2,
      cut: limits ? { count: kept, label: `top ${kept}` } : null,
      extra: below ? { label: target.label(chosen2), probability: shares[chosen2], rank: rank2 } : null
    };
  }
  function grownBy(decode, ids) {
    let before = [];
    return ids.map((_2, n2) => {
      const text = [...decode(ids.slice(0, n2 + 1))];
      let stay = 0;
      while (stay < Math.min(before.length, text.length) && before[stay] === text[stay]) stay += 1;
      before = text;
      return [stay, text.slice(stay).join("")];
    });
  }
  function crossingPair(map, rows, cols) {
    if (!rows) return null;
    const lines = Array.from({ length: rows }, (_2, i) => map.subarray(i * cols, (i + 1) * cols));
    const strength = lines.map((line) => Math.max(...line));
    const keys = lines.map((line, i) => line.indexOf(strength[i]));
    const crosses = keys.map((key, i) => i + 1 < rows && key > keys[i + 1]);
    const worth = crosses.includes(true) ? crosses.map((does2, i) => does2 ? strength[i] * strength[i + 1] : -1) : strength.map((most, i) => keys[i] === i ? most - 1 : most);
    const row = worth.indexOf(Math.max(...worth));
    return [row, keys[row]];
  }
  function pictureOf(engine, made, options, forced, head = 0) {
    const { model, target } = engine;
    const { decode, sourceIds } = made;
    const maps = ofKinds((kind) => decode.maps(kind));
    const shapes = ofKinds((kind) => maps[kind].shape);
    const weights2 = ofKinds((kind) => maps[kind].weights);
    const [, , rows, cols] = shapes.cross;
    return {
      text: made.text,
      source: made.source,
      target: made.written,
      reads: target.labels([model.config.bos_id, ...made.ids.slice(0, -1)]),
      source_ids: sourceIds,
      ids: made.ids,
      steps: made.ids.map((_2, n2) => stepOf(engine, decode, n2, options, forced.includes(n2))),
      grown: grownBy((ids) => target.decode(ids), made.ids),
      forced,
      ended: made.ids.at(-1) === model.config.eos_id,
      pair: crossingPair(weights2.cross.subarray(head * rows * cols), rows, cols),
      shapes,
      weights: weights2
    };
  }

  // export/live/live.ts
  var blocks = () => [...document.querySelectorAll("script.model")].map((node) => {
    const text = node.textContent;
    node.remove();
    return text.trim();
  });
  function warning({ unknown, doubtful: doubtful2 }) {
    if (doubtful2.length) {
      const letters = doubtful2.map((letter) => `“${letter}”`).join(", ");
      return tr("This page may read {letters} differently from the model’s own tokenizer.", { letters });
    }
    return unknown ? plural(
      "The vocabulary lacks {count} token of this text.",
      "The vocabulary lacks {count} tokens of this text.",
      unknown
    ) : "";
  }
  var firstLanguage = ({ languages }) => navigator.languages.map((each) => each.split("-")[0]).find((code) => code in languages) ?? "en";
  var Live = class {
    constructor(data) {
      this.data = data;
      const { stored, heads, examples } = data;
      this.picture = stored;
      this.text = examples[0];
      const over = (kind) => [heads[kind][0] * stored.shapes[kind][1] + heads[kind][1]];
      const position = stored.pair ? stored.pair[0] + 1 : stored.target.length;
      this.looked = { id: "stored", position, heads: ofKinds(over) };
      announce("stage", { id: "stored", step: position, covered: false });
      this.code = firstLanguage(data);
      this.build();
      listenForModes(() => this.draw());
      if (!data.bytes) return;
      this.engine = this.opened();
      this.engine.then(
        () => {
          this.body.say("");
          this.ablate();
        },
        (error) => this.body.say(error.message)
      );
    }
    data;
    picture;
    looked;
    options = {};
    running = new AbortController();
    engine;
    code;
    text;
    share = 0;
    body;
    heads;
    ablation;
    stage = () => document.getElementById("stage");
    /** Takes down the views of a page that is gone. */
    closed = () => {
    };
    /* ---------- the page ---------- */
    /** Makes the page anew, in the language that the reader chose. */
    build() {
      const words2 = this.data.languages[this.code];
      speak(words2.spoken);
      document.documentElement.lang = this.code;
      this.body = new Body(this.data, this.code, this.text, this.options, {
        speak: (code) => {
          [this.code, this.text] = [code, this.body.input.value];
          this.build();
        },
        translate: (text, options) => {
          this.options = options;
          void this.translate(text).catch(() => null);
        }
      });
      this.body.progress(this.share);
      this.ablation = new AblationCard();
      const pick = (kind, heads) => this.pick(kind, heads);
      this.heads = new AttentionTabs(words2, this.ablation.node, pick, () => this.ablate());
      const [first, second] = [tr("Step by step"), tr("All heads")].map(
        (name) => el("h2", { class: "live-heading" }, name)
      );
      this.body.main.append(first, viewRoot("stage"), second, this.heads.node);
      document.querySelector(".live")?.replaceChildren(this.body.node);
      this.closed();
      this.closed = () => {
      };
      this.draw();
    }
    draw(writes = false) {
      bus().last.about = [`“${this.text}”`, this.data.name].join(" · ");
      const words2 = this.data.languages[this.code];
      const page2 = {
        parentElement: this.stage(),
        setTriggerValue: (name, answer) => this.hear(name, answer)
      };
      const stage = show2(
        page2,
        stageData(this.picture, words2, this.looked, { writes, forcible: this.data.bytes > 0 }),
        (root, host) => new Stage(root, host)
      );
      this.heads.update(this.picture, this.looked);
      const { heads, ablation } = this;
      this.closed = () => [stage, () => heads.close(), () => ablation.close()].forEach((end) => end());
      this.ablate();
    }
    /** Shows what the model writes without the open heads, once there is a model. */
    ablate() {
      const { picture, options, looked, ablation, heads } = this;
      void this.engine?.then(
        (engine) => ablation.update(engine, picture, options, looked.id, heads.kind, looked.heads[heads.kind]),
        () => null
      );
    }
    /** An answer of the stage. */
    hear(name, answer) {
      if (name === "forced") return this.force(answer);
      if (name !== "view") return;
      const { position, layer, head } = answer;
      this.looked.position = position;
      if (layer !== null && head !== null)
        this.looked.heads.cross = [layer * this.picture.shapes.cross[1] + head];
      this.heads.update(this.picture, this.looked);
    }
    pick(kind, heads) {
      this.looked.heads[kind] = heads;
      this.draw();
    }
    /* ---------- the model ---------- */
    async opened() {
      if (document.readyState === "loading") {
        await new Promise((go) => document.addEventListener("DOMContentLoaded", go, { once: true }));
      }
      this.body.say(tr("Unpacking the model …"));
      const model = await unpacked(
        blocks(),
        this.data.bytes,
        (share) => this.body.progress(this.share = share)
      );
      const engine = new Engine(model);
      this.body.progress(this.share = null);
      return engine;
    }
    force({ position, id }) {
      if (!this.engine) return;
      const prefix = [...this.picture.ids.slice(0, position), id];
      const forced = [...this.picture.forced.filter((each) => each < position), position];
      void this.translate(this.text, prefix, forced).catch(() => null);
    }
    /** Translates a text and shows it; a run that is not finished yet is given up. */
    async translate(text, prefix = [], forced = []) {
      this.running.abort();
      this.body.input.value = this.text = text;
      const { signal } = this.running = new AbortController();
      try {
        const engine = await this.engine;
        const options = { ...this.options, prefix };
        const onStep = ({ ids }) => this.body.say(plural("{count} token written …", "{count} tokens written …", ids.length));
        const made = await engine.translate(text, options, { signal, onStep });
        this.picture = pictureOf(engine, made, options, forced, this.looked.heads.cross[0]);
        this.looked.position = forced.length ? prefix.length : made.ids.length;
        this.looked.id = JSON.stringify([text, options]);
        if (forced.length)
          announce("stage", {
            id: this.looked.id,
            step: this.looked.position,
            covered: false
          });
        this.draw(!forced.length);
        this.body.say(warning(made));
        return { text: made.text, ids: made.ids };
      } catch (error) {
        if (!signal.aborted) this.body.say(error.message);
        throw error;
      }
    }
  };
  async function live(filed) {
    const waiting = read(filed).then((data) => new Live(data));
    Object.assign(window, { atlas: { translate: async (text) => (await waiting).translate(text) } });
    await waiting;
  }
  return __toCommonJS(live_exports);
})();
