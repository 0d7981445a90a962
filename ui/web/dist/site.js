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

  // site/site.ts
  var site_exports = {};
  __export(site_exports, {
    default: () => site
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
    const head2 = el("header", { class: "card-head" }, words, controls);
    const node = el("section", { class: `card ${look2}`.trim() }, head2, body);
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
  var lowered = (name) => name === name.toUpperCase() ? name : name.toLowerCase();
  var visible = (label) => label === "" ? "∅" : label.trim() === "" ? "␣" : label;
  var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
  var isSpecial = (label) => SPECIAL_LABEL.test(label);
  var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;
  var topIndices = (values, count) => Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
  var within = (low, value, high) => Math.min(high, Math.max(low, value));

  // web/base/paint.ts
  var AT_LEFT = { baseline: "middle" };
  var AT_RIGHT = { align: "right", baseline: "middle" };
  var FIRST_LETTER = /\p{L}/u;
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
      rect(x, y, w2, h, o) {
        const shape = new Path2D();
        if (o.radius) shape.roundRect(x, y, w2, h, Math.max(0, Math.min(o.radius, w2 / 2, h / 2)));
        else shape.rect(x, y, w2, h);
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
      image(x, y, w2, h, canvas) {
        context2.globalAlpha = 1;
        context2.imageSmoothingEnabled = false;
        context2.drawImage(canvas, x, y, w2, h);
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
      rect: (x, y, w2, h, o) => add("rect", { x: n(x), y: n(y), width: n(w2), height: n(h), rx: o.radius, ...svgPen(o) }),
      circle: (x, y, r, o) => add("circle", { cx: n(x), cy: n(y), r: n(r), ...svgPen(o) }),
      curve: (a, b, c, d, o) => add("path", { d: `M${at(a)} C${at(b)} ${at(c)} ${at(d)}`, ...svgPen(o) }),
      path: (d, o) => add("path", { d, ...svgPen(o) }),
      image(x, y, w2, h, canvas) {
        const box = { x: n(x), y: n(y), width: n(w2), height: n(h), preserveAspectRatio: "none" };
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
      rect: (x, y, w2, h, o) => p.rect(x + dx, y + dy, w2, h, o),
      circle: (x, y, r, o) => p.circle(x + dx, y + dy, r, o),
      curve: (a, b, c, d, o) => p.curve(move2(a), move2(b), move2(c), move2(d), o),
      text: (x, y, words, o) => p.text(x + dx, y + dy, words, o),
      image: (x, y, w2, h, canvas) => p.image(x + dx, y + dy, w2, h, canvas),
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
      const picture2 = chart.querySelector(".js-plotly-plot");
      if (picture2) undo.push(dress(picture2, { transform: `scale(${times})`, "transform-origin": "0 0" }));
    });
    spread(0);
    const last = card2.lastElementChild?.getBoundingClientRect().bottom ?? 0;
    spread(card2.getBoundingClientRect().bottom - last - parseFloat(getComputedStyle(card2).paddingBottom) - 1);
    return () => undo.forEach((back) => back());
  }
  function fitElements(card2, { width: width2, height }) {
    const { clientWidth, clientHeight } = card2;
    const fits = Math.min(clientWidth / width2, clientHeight / height);
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
    const stage2 = el("div", { class: "stage-root" });
    root.append(stage2, ruler, node);
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
    const view = create(stage2, host);
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
    const sum2 = new Array(line === rowOf ? sheet.cols.length : sheet.written).fill(0);
    for (const item of items) line(sheet, item).forEach((v, n2) => sum2[n2] += Number.isFinite(v) ? v : 0);
    return sum2;
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
  function rowWords(label, { verb, read: read2 }) {
    if (verb === "Reading") return phrase(tr("From {word}"), { word: strongly(label) });
    if (read2 === void 0) return phrase(tr("Writes {word}"), { word: strongly(label) });
    return phrase(tr("Reads {read} → writes {written}"), { read: quoted(read2), written: strongly(label) });
  }
  var capital = (words) => words[0].toUpperCase() + words.slice(1);
  var does = (subject, text, fields) => phrase(text, { subject, ...fields });
  function weightWords(row, names, distribution, subject) {
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
    const what = weightWords(row, names, distribution, subject);
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
  function columnSentence(column, cols, keyLabels, queryLabels, how2) {
    const names = keyNames(queryLabels);
    const known = column.map((v) => Number.isFinite(v) ? v : -Infinity);
    const least = how2.mode === "length" ? 0.1 * Math.max(...known) : WORTH_NAMING;
    const order = topIndices(known, NAMED).filter((i, rank2) => rank2 === 0 || column[i] >= least);
    const keys = enumerate(cols.slice(0, 4).map(keyNames(keyLabels)));
    const row = how2.verb === "Reading" ? tr("from {row} ({number})") : tr("writing {row} ({number})");
    const rows = (number) => enumerate(order.map((i) => phrase(row, { row: names(i), number: number(column[i]) })));
    const subject = capital(how2.subject);
    if (how2.mode === "weights")
      return phrase(tr("{subject} looks at {keys} most when {rows}."), {
        ...{ subject, keys, rows: rows(spokenPercent) }
      });
    if (how2.mode === "contribution")
      return phrase(tr("{subject} draws on {keys} most when {rows}."), {
        ...{ subject, keys, rows: rows(spokenPercent) }
      });
    if (how2.mode === "length")
      return phrase(tr("{subject} adds most for {keys} when {rows}."), {
        ...{ subject, keys, rows: rows(lengthWords) }
      });
    const unit = how2.mode === "difference" ? "points" : "number";
    return phrase(tr("{keys}: largest when {rows}."), { keys, rows: rows((v) => shown(v, unit)) });
  }
  function wholeSentence(sheet, how2) {
    const largest3 = Array.from({ length: sheet.written }, (_, i) => Math.max(...rowOf(sheet, i)));
    const share = { strong: spokenPercent(largest3.reduce((a, b) => a + b, 0) / sheet.written) };
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
      const column = sumOf(sheet, cols, columnOf);
      const queries = sheet.rows.slice(0, sheet.written);
      sentence.push(
        ...sentence.length ? [" "] : [],
        ...columnSentence(column, [...cols], sheet.cols, queries, context2)
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
        const sum2 = sumOf(sheet, items, line);
        const n2 = topIndices(sum2, 1)[0];
        const number = shown(sum2[n2] / items.length, sheet.unit);
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

  // web/generated/options.ts
  var PER_STACK = ["heads", "head_dim", "d_ff", "norm_placement", "norm_formula", "norm_eps", "final_norm", "activation", "gated"];

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
    activation: ["relu", "gelu", "gelu_tanh", "silu"],
    gated: "boolean",
    pad_id: "number",
    bos_id: "number",
    eos_id: "id",
    unk_id: "id",
    source_pad_id: "id",
    forced_bos_id: "id"
  };
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

  // web/engine/decode.ts
  var MASK = (1n << 128n) - 1n;
  var MULTIPLIER = (2549297995355413924n << 64n) + 4865540595714422341n;

  // ../../../main/ui/web/node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs
  var S = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";
  var qt = `${S}\\u00B2\\u00B3\\u00B9\\u00BC-\\u00BE`;
  var w = `[${qt}]`;
  var Kt = `[^${qt}]`;
  var hr = `(?:(?<!${w})(?=${w})|(?<=${w})(?!${w}))`;
  var mr = `(?:(?<!${w})(?!${w})|(?<=${w})(?=${w}))`;
  var $ = "0-9A-Fa-f";
  var zr = /* @__PURE__ */ new Map([["A", "(?<![\\s\\S])"], ["z", "(?![\\s\\S])"], ["Z", "(?=\\n?(?![\\s\\S]))"], ["h", `[${$}]`], ["H", `[^${$}]`], ["w", w], ["W", Kt], ["d", "\\p{Nd}"], ["D", "\\P{Nd}"], ["s", "\\p{White_Space}"], ["S", "\\P{White_Space}"], ["b", hr], ["B", mr], ["a", "\\x07"], ["e", "\\x1B"]]);
  var xr = /* @__PURE__ */ new Map([["W", `[^${S}]`], ["H", `[^${$}]`]]);
  var Ne = (() => {
    let r = [...Array.from({ length: 94 }, (o, s) => s + 33), ...Array.from({ length: 12 }, (o, s) => s + 161), ...Array.from({ length: 82 }, (o, s) => s + 174)], e = r.slice(), t = 0;
    for (let o = 0; o < 256; ++o) r.includes(o) || (r.push(o), e.push(256 + t), t += 1);
    let n2 = e.map((o) => String.fromCharCode(o));
    return Object.fromEntries(r.map((o, s) => [o, n2[s]]));
  })();
  var Rr = (r) => Object.fromEntries(Object.entries(r).map(([e, t]) => [t, e]));
  var ar = Rr(Ne);

  // web/engine/steps.ts
  var lettersOf = (ranges) => new RegExp(`[${ranges.replace(/[0-9A-F]+/g, "\\u{$&}").replaceAll(" ", "")}]`, "gu");
  var CHINESE = lettersOf(
    "4E00-9FFF 3400-4DBF 20000-2A6DF 2A700-2B73F 2B740-2B81F 2B920-2CEAF F900-FAFF 2F800-2FA1F"
  );

  // web/engine/tokenizer.ts
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

  // export/live/rewriting.ts
  var WORD = /[\p{L}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*['’]?|[^\p{L}\p{N}_\s]/gu;
  function longestRun(a, b, [low, high, from, to]) {
    let best = [low, from, 0];
    let lengths = /* @__PURE__ */ new Map();
    for (let i = low; i < high; i++) {
      const next = /* @__PURE__ */ new Map();
      for (let j = from; j < to; j++) {
        if (a[i] !== b[j]) continue;
        const length = (lengths.get(j - 1) ?? 0) + 1;
        next.set(j, length);
        if (length > best[2]) best = [i - length + 1, j - length + 1, length];
      }
      lengths = next;
    }
    return best;
  }
  function markSame(a, b, range, same) {
    const [i, j, length] = longestRun(a, b, range);
    if (!length) return;
    for (let n2 = 0; n2 < length; n2++) {
      same[0].add(i + n2);
      same[1].add(j + n2);
    }
    markSame(a, b, [range[0], i, range[2], j], same);
    markSame(a, b, [i + length, range[1], j + length, range[3]], same);
  }
  function rewriting(before, after) {
    const matched = [before, after].map((text) => [...text.matchAll(WORD)]);
    const [a, b] = matched.map((matches) => matches.map(([word]) => word));
    const same = [/* @__PURE__ */ new Set(), /* @__PURE__ */ new Set()];
    markSame(a, b, [0, a.length, 0, b.length], same);
    const words = (n2, text) => matched[n2].map(({ 0: word, index }, k) => ({
      text: word,
      same: same[n2].has(k),
      spaced: index > 0 && /\s/u.test(text[index - 1])
    }));
    return { before: words(0, before), after: words(1, after) };
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
  var PinnedTokens = class extends Selection {
    constructor(host, changed) {
      super(changed);
      /** Whether Python gets them. */
      this.reports = true;
      this.link = linked(host, "pinned");
    }
    report() {
      if (this.reports) this.link.report({ rows: [...this.rows], columns: [...this.cols] });
    }
    pin(at) {
      this.toggle(at);
      this.report();
    }
    /** Lets go of what is pinned and hovered; false where there was nothing. */
    release() {
      const { pinned } = this;
      const had = this.clear();
      if (had && pinned) this.report();
      return had;
    }
    /** Pins belong to a sentence: those of the data are taken where they are news, or with `another` sentence. */
    take(pins, another) {
      const news = this.link.isNews(pins);
      if (news || another) [this.rows, this.cols] = [new Set(pins.rows), new Set(pins.columns)];
    }
  };

  // web/marks/labels.ts
  var READ_SIZE = 0.92;
  var readSize = (size, u) => typeSize(READ_SIZE * size / u, u);
  var readPart = (read2) => read2 === void 0 ? "" : `${visible(read2)} → `;
  var every = (need, have) => Math.max(1, Math.ceil(need / have));
  function chosenLabels(from, to, step, active) {
    if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
    const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
    const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
    return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
  }
  var rowLength = (widths, gap) => widths.reduce((sum2, width2) => sum2 + width2 + gap, 0);
  function spreadWords(widths, length, gap) {
    const slot = length / widths.length;
    if (widths.every((width2) => width2 + gap <= slot)) return widths.map((_, i) => (i + 0.5) * slot);
    const spare = Math.max(0, length - rowLength(widths, gap)) / widths.length;
    let x = 0;
    return widths.map((width2) => {
      const centre = x + (width2 + gap + spare) / 2;
      x += width2 + gap + spare;
      return centre;
    });
  }
  function fillSlots(widths, slot, gap) {
    let end = 0;
    return widths.map((width2, i) => {
      const centre = Math.max((i + 0.5) * slot, end + (width2 + gap) / 2);
      end = centre + (width2 + gap) / 2;
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
  function bitmap(sheet, empty, width2, height, [r0, r1, c0, c1]) {
    const w2 = Math.max(1, Math.min(c1 - c0, Math.round(width2)));
    const h = Math.max(1, Math.min(r1 - r0, Math.round(height)));
    const canvas = el("canvas", { width: w2, height: h });
    const context2 = context2d(canvas);
    const image = context2.createImageData(w2, h);
    const rgb = rgbOf(sheet.table);
    const blank = hexToRgb(empty).map((c) => c * 255);
    for (let y = 0, out = 0; y < h; y++) {
      const [top, bottom] = slice(y, h, r0, r1);
      for (let x = 0; x < w2; x++, out += 4) {
        const [left, right] = slice(x, w2, c0, c1);
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
    const kept2 = p.blob || !cache ? {} : cache;
    const id = `${area}/${Math.round(box.w * ratio)}/${Math.round(box.h * ratio)}`;
    if (!kept2.made || kept2.id !== id) {
      kept2.made = bitmap(sheet, c.soft, box.w * ratio, box.h * ratio, area);
      kept2.id = id;
    }
    p.image(box.x, box.y, box.w, box.h, kept2.made);
  }

  // web/marks/frames.ts
  var hiddenName = () => tr("hidden");
  var READS_UP_TO = 14;
  var PINNED_ROOM = 122;
  var READS_FROM = 300;
  var TILTS = [38, 58, 72];
  var STRAIGHT_UP_TO = 40;
  var BETWEEN = 6;
  var LINE = 16;
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
      const runsOut = widths.map((width2, j) => width2 / 2 - (widths.length - j - 0.5) * cw + 2 * u);
      const over2 = Math.max(least, ...runsOut);
      const slot2 = widthOf(over2);
      const lines = linesOf2(widths, slot2, BETWEEN * u);
      const top = (LINE * (1 + Math.max(0, ...lines ?? [])) + 6) * u;
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
    for (const [j, width2] of widths.entries()) {
      const centre = (j + 0.5) * slot;
      const line = ends.findIndex((end) => end + gap <= centre - width2 / 2);
      if (line < 0) return null;
      ends[line] = centre + width2 / 2;
      lines.push(line);
    }
    return lines;
  }
  var radians = (degrees) => degrees * Math.PI / 180;
  var apart = (degrees, u) => 12.5 * u / Math.sin(radians(degrees));
  var rowY = (g, i) => g.box.y + (i - g.area[0]) * g.ch;
  var columnX = (g, j) => g.box.x + (j - g.area[2]) * g.cw;
  var lineOf = (g, j) => (g.lines[j - g.area[2]] ?? 0) * LINE * g.u;
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
      ...{ u, size, area: [r0, r1, c0, c1], top, left, right: Math.max(left + 60 * u, right), width: room },
      ...{ height: top + height + 8 * u, rowPitch, colPitch, labelRoom },
      ...{ rowEvery: every(15 * u, rowPitch), colEvery: every(15 * u, colPitch) }
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
  var weightWords2 = (log = false) => log ? tr("attention weight, logarithmic") : tr("attention weight");
  function paintLegend(p, x, y, u, { table, stops, position = (share) => Math.round(255 * share), words }, c) {
    const [w2, h, size] = [120 * u, 8 * u, typeSize(11, u)];
    for (let k = 0; k < 60; k++) {
      p.rect(x + k * w2 / 60, y, w2 / 60 + 0.6, h, { fill: table[position(k / 59)] });
    }
    p.rect(x, y, w2, h, { stroke: c.line, width: 1 });
    for (const [at, label] of stops) {
      const align = at < 0.08 ? "left" : at > 0.92 ? "right" : "center";
      p.text(x + at * w2, y + h + size + u, label, { size, align, fill: c.muted });
    }
    p.text(x + w2 + 10 * u, y + h, words, { size, fill: c.muted });
  }
  function drawLegend(canvas, u, legend, c) {
    const size = typeSize(11, u);
    const context2 = fitCanvas(canvas, 136 * u + textWidth(legend.words, size, false), 15 * u + size);
    paintLegend(canvasPainter(context2), 2, 3, u, legend, c);
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
    const [left, width2] = [Math.min(from[0], to[0]) + node.offsetLeft, Math.abs(from[0] - to[0])];
    const [top, height] = [Math.min(from[1], to[1]) + node.offsetTop, Math.abs(from[1] - to[1])];
    band.hidden = false;
    band.style.cssText = `left:${left}px;top:${top}px;width:${width2}px;height:${height}px`;
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
  var Pair = class {
    constructor({ name, axes: axes2, between = [], over = [] }, marks2) {
      this.u = 1;
      this.room = 0;
      /** Room for the lines, and for the map. */
      this.sides = [0, 0];
      this.wide = false;
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
    /** The vertical layout of lines beside a map, so that each word is at the same height in both. */
    beside({ box }, body = box.h) {
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
    /** Height of lines and map together. */
    get height() {
      const [lines, map] = [this.lines.frame.height, this.map.frame.height + 18 * this.u];
      return this.wide ? Math.max(lines, map) : lines + 14 * this.u + map;
    }
    /** Both as they leave the page. */
    paint(p, c, axes2 = "") {
      const { u } = this;
      this.lines.paint(p);
      const [x, y] = this.wide ? [this.sides[0] + GAP * u, 0] : [0, 14 * u + this.lines.frame.height];
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

  // web/base/controls.ts
  var field = (words, control, after = null) => el("label", { class: "field" }, el("span", { class: "field-name" }, words), control, after);
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
  function checkbox(words, change) {
    const box = el("input", { type: "checkbox", onchange: () => change(box.checked) });
    return { box, node: el("label", { class: "field" }, box, words) };
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

  // web/base/export.ts
  var filling = () => TOUCH ? [tr("Fill the screen"), tr("Press it again to leave the full screen")] : [tr("Fill the screen (F)"), tr("F or Esc leaves the full screen")];
  var LINE2 = 18;
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
  var captionOf = (who, width2, u, about = bus().last.about) => wrapText([who, about].filter(Boolean).join(" · "), width2, 13 * u).filter(Boolean);
  var paintCaption = (p, lines, u, fill2) => lines.forEach((line, n2) => p.text(2, (n2 * LINE2 + 13) * u, line, { size: 13 * u, fill: fill2 }));
  var captionHeight = (lines, u) => lines.length ? (lines.length * LINE2 + 6) * u : 0;
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

  // web/marks/leaving.ts
  var exportWidth = (width2, u) => Math.max(width2, 480 * u);
  var EDGE = 18;
  var LARGEST = 8192;
  var written = (words) => typeof words === "string" ? words : plain(words);
  function partsOf({ scale: u, colours: c }, leaving) {
    const { who, about, size, draw, legend } = leaving;
    const [title, subtitle, words] = [leaving.title, leaving.subtitle, leaving.words].map(
      (words2) => written(words2?.() ?? "")
    );
    const [wide, tall] = size();
    const width2 = title || words ? exportWidth(wide, u) : wide;
    const caption = captionOf(who?.() ?? "", width2, u, about?.());
    const parts = [
      [captionHeight(caption, u), (p) => paintCaption(p, caption, u, c.muted)]
    ];
    const write = (text, pen, { first, step, extra }) => {
      if (!text) return;
      const lines = wrapText(text, width2 - 4, pen.size, pen.weight);
      const paint = (p) => lines.forEach((line, n2) => p.text(2, (first + step * n2) * u, line, pen));
      parts.push([(extra + step * lines.length) * u, paint]);
    };
    write(title, { size: 16 * u, weight: 650, fill: c.ink }, { first: 18, step: 18, extra: 12 });
    write(subtitle, { size: typeSize(12.5, u), fill: c.muted }, { first: 7, step: 17, extra: 5 });
    parts.push([tall, draw]);
    if (legend) parts.push([34 * u, (p) => paintLegend(p, 2, 8 * u, u, legend(), c)]);
    write(words, { size: 13 * u, fill: c.ink }, { first: 20, step: 17, extra: 16 });
    return { width: width2, parts };
  }
  function exportMenu(host, leaving) {
    const { name, rows } = leaving;
    const picture2 = () => {
      const { width: width2, parts } = partsOf(host, leaving);
      const height = parts.reduce((sum2, [tall]) => sum2 + tall, 0);
      const draw = (painter) => {
        let y = EDGE;
        for (const [tall, part] of parts) {
          part(shifted(painter, EDGE, y));
          y += tall;
        }
      };
      return { width: width2 + 2 * EDGE, height: height + 2 * EDGE, draw };
    };
    const png = () => {
      const { width: width2, height, draw } = picture2();
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
      const { width: width2, height, draw } = picture2();
      const painter = svgPainter(width2, height, host.colours.panel);
      draw(painter);
      if (painter.blob) download(painter.blob(), `${name()}.svg`);
    };
    return leavingMenu(host, png, svg, () => downloadCsv(name(), rows()));
  }

  // web/marks/columns.ts
  var columnWords2 = (sheet, focus, c, kind, sides = [tr("queries"), tr("keys")]) => (p, g) => {
    const [r0, r1, c0, c1] = g.area;
    const { u, size } = g;
    const write = (words, x, y, align, pinned, quiet) => {
      const text = shorten(visible(words), (align === "right" ? g.labelRoom.row : g.labelRoom.col) + 8, size);
      const pen = { size, mono: true, align, baseline: "middle", fill: quiet ? c.muted : c.ink };
      if (pinned) {
        const w2 = textWidth(text, size, true, 600) + 16 * u;
        const left = align === "right" ? x - w2 + 8 * u : x - 8 * u;
        p.rect(left, y - 11 * u, w2, 22 * u, { fill: c[kind], radius: 6 * u });
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
    const [w2, h] = [g.cw - gap, g.ch - gap];
    const digits = sheet.digits !== false && g.cw >= 15.5 * g.u && g.ch >= 12.5 * g.u;
    const fits = Math.min(typeSize(13, g.u), g.cw * 0.48, g.ch * 0.72);
    const readable = digits && fits >= LEAST_NUMBER;
    for (let i = r0; i < r1; i++) {
      for (let j = c0; j < c1; j++) {
        const [x, y] = [columnX(g, j), rowY(g, i)];
        const v = i < sheet.written ? sheet.index[i * sheet.cols.length + j] : -1;
        const fill2 = v < 0 ? c.soft : sheet.table[v];
        if (v >= 0 || i >= sheet.written || sheet.empty?.[i]) p.rect(x, y, w2, h, { fill: fill2, radius });
        else p.circle(x + g.cw / 2, y + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
        const number = v >= 0 && readable ? cellNumber(sheet, i, j, focus.rows.has(i)) : "";
        if (!number) continue;
        const size = fits * Math.min(1, (w2 - 3 * g.u) / textWidth(number, fits, false));
        if (!legible(size, g.u)) continue;
        const weight = isPinned(focus, i, j) ? 700 : 400;
        const pen = { size, weight, align: "center", baseline: "middle", fill: readableOn(fill2, c) };
        p.text(x + w2 / 2, y + h / 2 + 0.5, number, pen);
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
      const width2 = textWidth(words, g.size, true, pen.weight);
      const size = readSize(g.size, g.u);
      const read2 = shorten(readPart(sheet.reads[i]), g.labelRoom.row - width2, size);
      p.text(right - width2, y, read2, { size, mono: true, align: "right", baseline: "middle", fill: c.muted });
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
    const frame = (x, y, w2, h, stroke = c.ink, width2 = 1.6) => p.rect(x - 1.5, y - 1.5, w2 + 2, h + 2, {
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
  function headTitle(head2) {
    const { meta } = head2.open;
    const cell = pinnedCell(head2);
    if (cell) return cellTitle({ ...cell, verb: verbOf(meta.kind, meta.one_label) });
    return [`${meta.title} `, ...meta.tag ? [{ kind: meta.tag }] : []];
  }
  function headSentence(head2) {
    const { open, pins } = head2;
    const { meta, sheets, seen, tellingRow } = open;
    const cell = pinnedCell(head2);
    if (cell && !pins.hovered) return [...restSentence(cell), ...rank(head2, cell.subject)];
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
    const rank2 = ranking.findIndex((pair) => String(pair) === String(pairs[0])) + 1;
    const fields = { subject, rank: rank2, count: ranking.length };
    return rank2 ? [" ", tr("For this pair, {subject} is number {rank} of {count}.", fields)] : [];
  }

  // shared/head_drawing.ts
  var axes = () => tr("query ↓   key →");
  var HALL = 336;
  var DEEP = 36;
  var MOST_SUMS = 14;
  function arrangeHead({ open, own, pair, host, parts }) {
    const u = host.scale;
    const room = parts.body.clientWidth;
    pair.resize(room, u, [0.44, 0.56], Math.min(room, 620 * u));
    const { area } = own;
    const rows = area ? area[1] - area[0] : open.meta.rows.length;
    const most = pair.wide ? 560 : rows > 20 ? 520 : 400;
    const limits = {
      tall: inSight(host, most, HALL),
      area,
      cap: pair.wide ? 46 : 40,
      deep: pair.wide ? 0 : DEEP
    };
    pair.map.frame = heatGeometry(open.combined, pair.sides[1], u, limits);
    const beside = pair.beside(pair.map.frame);
    const several = open.seen.length > 1;
    const tall = inSight(host, rows > 32 ? 520 : 400, -Infinity);
    pair.lines.frame = columnsGeometry(open.combined, pair.sides[0], u, { tall, area, several, ...beside });
  }
  function headLines(head2) {
    const { open, own, host } = head2;
    const c = host.colours;
    const { rows, cols, cell } = head2.pins.active;
    const focus = { rows, cols: cell ? /* @__PURE__ */ new Set() : cols };
    const { seen, range } = open;
    const apart2 = (g) => Math.min(2.2 * g.u, g.rowPitch / (seen.length + 1));
    const lines = seen.map((k, m) => {
      const hue = open.hueOf(k, c);
      const twoHues = open.signed && range.scale === "diverging" && seen.length === 1;
      return columnLines(open.sheets[k], focus, {
        ...{ threshold: own.threshold, top: range.top, faint: 1 / Math.sqrt(seen.length) },
        shift: (g) => (m - (seen.length - 1) / 2) * apart2(g),
        hue: twoHues ? (v) => v >= 0 ? c.positive : c.negative : () => hue
      });
    });
    const words = (p, g) => {
      const named = [...cell ? cols : [], ...paintSums(p, head2, g, focus)];
      columnWords2(open.combined, { ...focus, named }, c, open.meta.kind)(p, g);
    };
    return [...lines, words];
  }
  function paintSums(p, head2, g, { rows, cols }) {
    if (rows.size) {
      const y = (n2) => attendedY(g, n2);
      const right = { y, x: g.width - 2, align: "right", pitch: g.colPitch };
      return paintSide(p, head2, g.u, { items: rows, line: rowOf, ...right });
    }
    if (cols.size) {
      const y = (n2) => attendingY(g, n2);
      const left = { y, x: 2, align: "left", pitch: g.rowPitch };
      paintSide(p, head2, g.u, { items: cols, line: columnOf, ...left });
    }
    return [];
  }
  function paintSide(p, head2, u, side) {
    const { open } = head2;
    const { unit } = open.meta;
    const { items, line, y, pitch } = side;
    const sums = open.seen.map((k) => sumOf(open.sheets[k], items, line));
    const peak = (n2) => Math.max(...sums.map((sum2) => Math.abs(sum2[n2])));
    const worth = unit === "number" || unit === "length" ? 0.2 * open.range.top : 0.05;
    const most = Array.from(sums[0] ?? [], (_, n2) => n2).filter((n2) => peak(n2) >= worth);
    const put = [];
    for (const n2 of most.sort((a, b) => peak(b) - peak(a)).slice(0, MOST_SUMS)) {
      if (put.some((m) => Math.abs(m - n2) * pitch < 14 * u)) continue;
      put.push(n2);
      const numbers = sums.map((sum2) => sum2[n2]);
      const label = (v) => items.size > 1 && unit === "share" ? fixed(v, 2) : shown(v, unit).replace(" points", "");
      if (numbers.length > 1) paintBars(p, head2, u, side, n2, numbers, label);
      else {
        const fill2 = head2.host.colours[`${open.meta.kind}_text`];
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
  function paintBars(p, head2, u, { x, y, align, pitch, items }, n2, numbers, label) {
    const { open, host } = head2;
    const c = host.colours;
    const longest = numbers.reduce((a, b) => Math.abs(b) > Math.abs(a) ? b : a, 0);
    const inward = align === "right" ? -1 : 1;
    const pen = { size: typeSize(12, u), fill: c.muted };
    p.text(x + inward * 46 * u, y(n2), label(longest), { ...pen, align, baseline: "middle" });
    const tall = Math.min(4 * u, (Math.min(pitch, 22 * u) - 2) / numbers.length);
    numbers.forEach((v, m) => {
      const w2 = Math.max(1, Math.min(1, Math.abs(v) / (open.range.top * items.size)) * 40 * u);
      const top = y(n2) + (m - numbers.length / 2) * tall;
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
  function headLegend(head2) {
    const { open, own, host } = head2;
    const several = open.seen.length > 1;
    const { unit, quantity } = open.meta;
    const weights2 = quantity ? quantityWords(quantity) : weightWords2(own.log);
    const one = {
      points: tr("difference in percentage points"),
      number: tr("score before the softmax"),
      share: weights2,
      length: weights2
    };
    const table = several ? rampTable(host.colours.panel, host.colours.ink) : open.combined.table;
    return { table, ...axisOf(head2), words: several ? tr("Each cell: the strongest head shown") : one[unit] };
  }
  function headLeaving(head2) {
    const { pair } = head2;
    return {
      name: () => head2.open.meta.file,
      who: () => head2.open.seen.map((k) => head2.open.meta.heads[k].subject).join(", "),
      title: () => [head2.open.meta.title, head2.open.meta.tag].filter(Boolean).join(" · "),
      subtitle: () => head2.open.meta.subtitle,
      size: () => [pair.width, pair.height],
      draw: (p) => pair.paint(p, head2.host.colours, axes()),
      legend: () => headLegend(head2),
      words: () => headSentence(head2),
      rows() {
        const { meta, sheets, seen } = head2.open;
        if (sheets.length === 1) return [TABLE_HEAD, ...tableOf(sheets[0], meta.kind === "encoder", csvNumber)];
        const lines = seen.flatMap(
          (k) => tableOf(sheets[k], meta.kind === "encoder", csvNumber).map((line) => [meta.heads[k].name, ...line])
        );
        return [["head", ...TABLE_HEAD], ...lines];
      }
    };
  }
  function makeSwatches(head2) {
    const { open } = head2;
    const several = open.maps.length > 1;
    head2.swatches.hidden = !several;
    if (!several) return head2.swatches.replaceChildren();
    const buttons = open.meta.heads.map(({ name }, k) => {
      const dot = el("span", { class: "swatch-dot", "aria-hidden": "true" });
      dot.style.background = open.hueOf(k, head2.host.colours);
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
      head2.relayout();
    };
    press();
    const hint2 = el(
      "span",
      { class: "swatch-hint" },
      TOUCH ? tr("Tap a head to hide it") : tr("Click to hide; double-click to isolate")
    );
    head2.swatches.replaceChildren(...buttons, hint2);
  }
  function drawnAs(head2) {
    const choices = [
      ["map", tr("Map")],
      ["lines", tr("Lines")]
    ];
    const buttons = choices.map(([picture2, words]) => el("button", { onclick: () => show3(picture2) }, words));
    const show3 = (picture2) => {
      head2.pair.node.dataset.shows = head2.foot.dataset.shows = picture2;
      choices.forEach(([name], n2) => buttons[n2].setAttribute("aria-pressed", String(name === picture2)));
      head2.relayout();
    };
    choices.forEach(
      ([name], n2) => buttons[n2].setAttribute("aria-pressed", String(name === head2.pair.node.dataset.shows))
    );
    return el("span", { class: "detail-shows", role: "group", "aria-label": tr("Drawn as") }, ...buttons);
  }
  function makeKnobs(head2) {
    const { unit } = head2.open.meta;
    const { own } = head2;
    const label = tr("Hide lines below this weight");
    const range = { type: "range", min: 0, max: 50, step: 1, "aria-label": label };
    const slider = el("input", { class: "slider", ...range });
    const readout = el("output");
    slider.addEventListener("input", () => {
      own.threshold = Number(slider.value) / 100;
      show3();
      head2.soon();
    });
    slider.addEventListener("change", () => head2.reportView());
    const log = checkbox(tr("log colour"), (on) => {
      own.log = on;
      head2.build();
      head2.relayout();
      head2.reportView();
    });
    const show3 = () => {
      slider.value = String(Math.round(own.threshold * 100));
      readout.textContent = unit === "share" ? `${slider.value} %` : tr("{percent} % of the largest", { percent: slider.value });
      log.box.checked = own.log;
    };
    const lines = field(tr("threshold"), slider, readout);
    lines.classList.add("of-lines");
    const fields = [unit === "share" ? log.node : "", lines];
    const right = el("span", { class: "detail-foot" }, head2.whole, ...fields);
    head2.foot.replaceChildren(head2.legend, right);
    head2.parts.controls.replaceChildren(drawnAs(head2), exportMenu(head2.host, headLeaving(head2)));
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
      this.pair.node.dataset.shows = this.foot.dataset.shows = "map";
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
      if (at && (at.row ?? 0) < this.open.meta.written) this.pins.pin(at);
    }
    reportView() {
      const { threshold, log, area } = this.own;
      const viewed = { threshold: Math.round(100 * threshold), log, zoom: area };
      if (this.open.meta.report) this.looks.report(viewed);
    }
    /** Pins and what is hovered, else the zoom; false when there is nothing to clear. */
    clear() {
      if (this.pins.release()) return true;
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
    constructor(head2) {
      this.head = head2;
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
      const names = opened.heads.map((head2) => head2.join("."));
      const { all } = opened;
      const title = names.length ? headsTitle(names) : capital(all.subject);
      const named = names.length ? names.map((name2) => ({ name: name2, subject: tr("head {name}", { name: name2 }) })) : [{ name: tr("all"), subject: all.subject }];
      open.meta = {
        ...open.meta,
        ...{ pairs: opened.heads, title },
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
    score(head2, name = this.own.badge) {
      return this.meta.scores[name]?.values[head2] ?? null;
    }
    /** The pinned pair, while the heads are scored by it. */
    get pair() {
      return this.own.badge === PAIR ? this.meta.pair : null;
    }
    /** The best heads for the pinned pair. */
    isBest(head2) {
      return this.pair ? this.pair.order.indexOf(head2) < BEST : false;
    }
    isStrong(head2) {
      if (this.pair) return this.isBest(head2);
      const { mark = null, down = false } = this.meta.scores[this.own.badge] ?? {};
      const score = this.score(head2);
      return score !== null && mark !== null && (down ? score <= mark : score >= mark);
    }
    passes(head2) {
      const { least } = this.own;
      return least === null || (this.score(head2) ?? -Infinity) >= least;
    }
    /** Many tokens share a row, so their weights are small. */
    get tone() {
      return this.own.tone ?? (this.meta.keys > 64 ? "log" : "weight");
    }
    pairOf(head2) {
      return [Math.floor(head2 / this.meta.heads), head2 % this.meta.heads];
    }
    nameOf(head2) {
      return pictureName(this.meta, head2);
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
      const all = this.pictures.map((_, head2) => head2);
      if (this.own.sort === "model" || !this.own.badge) return all;
      const sign = this.own.sort === "high" ? -1 : 1;
      if (this.pair) {
        const listed = this.pair.order.filter((head2) => this.passes(head2));
        return sign < 0 ? listed : listed.reverse();
      }
      const value = (head2) => this.score(head2) ?? -sign * Infinity;
      return all.filter((head2) => this.passes(head2)).sort((a, b) => value(a) === value(b) ? a - b : sign * (value(a) - value(b)));
    }
    bytes(head2) {
      return this.meta.levels.subarray(head2 * this.meta.size, (head2 + 1) * this.meta.size);
    }
    build(colours) {
      const { meta } = this;
      this.table = kindRamp(colours, meta.kind);
      this.pictures = Array.from({ length: meta.layers * meta.heads }, (_, head2) => ({
        sheet: headSheet(meta, this.bytes(head2), this.table, this.tone),
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
  function weightsOf(meta, levels, head2) {
    const cols = meta.shape[1];
    const bytes = levels.subarray(head2 * meta.size, head2 * meta.size + meta.written * cols);
    return Float32Array.from(
      bytes,
      (b, n2) => meta.causal && n2 % cols > Math.floor(n2 / cols) ? NaN : WEIGHT_OF_BYTE[b]
    );
  }
  function wholeOfHeads(meta, levels) {
    const count = meta.layers * meta.heads;
    const max = meta.all_heads.how === "max";
    const sum2 = weightsOf(meta, levels, 0);
    for (let head2 = 1; head2 < count; head2++) {
      weightsOf(meta, levels, head2).forEach((v, n2) => sum2[n2] = max ? Math.max(sum2[n2], v) : sum2[n2] + v);
    }
    return max ? sum2 : sum2.map((v) => v / count);
  }
  function pictureName({ heads, quantity }, head2) {
    const [row, n2] = [Math.floor(head2 / heads), head2 % heads];
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
    const what = quantity ? quantityWords(quantity) : weightWords2(tone === "log");
    const [tall, wide] = meta.block;
    const reduced = meta.labelled ? "" : ` · ${tr("a cell is the largest of {tall} × {wide}", { tall, wide })}`;
    return what + reduced;
  }

  // shared/wall_drawing.ts
  var spokenScore = (v) => v === null ? "–" : minus(fixed(v, 2));
  function writtenScore({ heads }, head2, name = heads.own.badge) {
    const value = heads.score(head2, name);
    return value !== null && heads.meta.scores[name].percent ? percent(value) : spokenScore(value);
  }
  function paintLayers(p, { u, labels }, fill2, names = []) {
    const pen = { size: typeSize(12, u), align: "center", baseline: "middle", rotate: -90, fill: fill2 };
    for (const [layer, y] of labels) p.text(11 * u, y, names[layer] ?? tr("layer {layer}", { layer }), pen);
  }
  function paintWall(p, wall2, from = wall2.layout.at, share = 1) {
    const { w: w2, h, at } = wall2.layout;
    const c = wall2.host.colours;
    paintLayers(p, wall2.layout, c.muted, wall2.heads.meta.quantity?.rows);
    for (const [head2, to] of at) {
      const start = from.get(head2) ?? to;
      const [x, y] = [start.x + (to.x - start.x) * share, start.y + (to.y - start.y) * share];
      const { sheet, cache } = wall2.heads.pictures[head2];
      paintPixels(p, sheet, { x, y, w: w2, h }, c, void 0, cache);
      paintPair(p, wall2, x, y);
      paintCaption2(p, wall2, head2, x, y);
      paintOutline(p, wall2, head2, x, y);
    }
  }
  function paintPair(p, wall2, x, y) {
    const { pair, shape, block } = wall2.heads.meta;
    if (!pair) return;
    const { u, w: w2, h } = wall2.layout;
    const [cw, ch] = [w2 / shape[1], h / shape[0]];
    const [left, top] = [x + Math.floor(pair.column / block[1]) * cw, y + Math.floor(pair.row / block[0]) * ch];
    p.rect(left, top, cw, ch, { stroke: wall2.host.colours.ink, width: 1.4 * u, radius: 1.5 * u });
  }
  function paintCaption2(p, wall2, head2, x, y) {
    const { u, w: w2, h } = wall2.layout;
    const c = wall2.host.colours;
    const weak = !wall2.heads.passes(head2);
    if (weak) p.rect(x - 1, y - 1, w2 + 2, h + 2, { fill: c.panel, alpha: 0.82 });
    const small = Math.min(12 * u, w2 / 5.2);
    const size = legible(small, u) ? small : typeSize(12, u);
    const alpha = weak ? 0.5 : 1;
    const strong = wall2.heads.isStrong(head2);
    const fill2 = strong || wall2.heads.pair ? c[`${wall2.heads.meta.kind}_text`] : c.muted;
    const weight = strong ? 700 : 400;
    const [, nth] = wall2.heads.pairOf(head2);
    const short = wall2.heads.meta.quantity?.pictures[nth] ?? wall2.heads.nameOf(head2);
    const [name, score] = [short, writtenScore(wall2, head2)];
    const scored = wall2.heads.own.badge !== "";
    const alone = !scored || textWidth(name + score, size, false, weight) + 3 * u > w2;
    const own = alone && scored ? { fill: fill2, weight } : { fill: c.muted };
    p.text(x, y + h + 14 * u, name, { size, alpha, ...own });
    if (!alone) p.text(x + w2, y + h + 14 * u, score, { size, align: "right", weight, fill: fill2, alpha });
  }
  function paintOutline(p, wall2, head2, x, y) {
    const { u, w: w2, h } = wall2.layout;
    const c = wall2.host.colours;
    const nth = wall2.opening.opened.indexOf(head2);
    const best = wall2.heads.isBest(head2);
    if (nth < 0 && !best) return;
    const several = wall2.opening.opened.length > 1;
    const stroke = nth < 0 ? c[`${wall2.heads.meta.kind}_text`] : several ? c.heads[nth] : c.ink;
    const foot = wall2.heads.pair ? 20 * u : 0;
    const edge = (several ? 2 : 4) * u;
    const pen = { stroke, width: (several && nth >= 0 ? 2.5 : 2) * u, radius: several ? 4 * u : 8 * u };
    p.rect(x - edge, y - edge, w2 + 2 * edge, h + foot + 2 * edge, pen);
  }
  function wallLegend(wall2) {
    const { meta, tone, table } = wall2.heads;
    const axis = weightAxis(tone === "log" ? "log" : "weight", meta.keys, meta.quantity);
    const own = [
      [0, "0"],
      [1, tr("head’s largest")]
    ];
    return { table, ...axis, ...tone === "each" ? { stops: own } : {}, words: toneWords(meta, tone) };
  }
  function wallLeaving(wall2) {
    return {
      name: () => wall2.heads.meta.file,
      who: () => wall2.opening.opened.map((head2) => wall2.heads.layered ? wall2.heads.nameOf(head2) : `head ${wall2.heads.nameOf(head2)}`).join(", "),
      title: () => `${wall2.heads.meta.title} · ${wall2.heads.meta.words}`,
      size: () => [wall2.layout.room + EDGE2 * wall2.host.scale, wall2.layout.height],
      draw: (p) => paintWall(p, wall2),
      legend: () => wallLegend(wall2),
      rows() {
        const scores2 = Object.entries(wall2.heads.meta.scores);
        const lines = wall2.heads.pictures.map((_, head2) => [
          ...wall2.heads.pairOf(head2),
          ...scores2.map(([, score]) => score.values[head2] ?? "")
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
    const w2 = Math.min((layered ? 260 : 150) * u, (room - label - gap * (across - 1)) / across);
    const h = headHeight(meta, w2, meta.layers * wraps, u);
    const foot = 18 * u;
    const line = h + foot + 16 * u;
    const layout = { u, room, w: w2, h, foot, across, height: 40 * u, at: /* @__PURE__ */ new Map(), labels: [] };
    order.forEach((head2, n2) => {
      const [layer, k] = [Math.floor(head2 / meta.heads), head2 % meta.heads];
      const [row, column] = asInModel ? [layer * wraps + Math.floor(k / across), k % across] : [Math.floor(n2 / across), n2 % across];
      const x = asInModel ? label + column * (w2 + gap) : 5 * u + column * (w2 + gap - 5 * u / across);
      layout.at.set(head2, { x, y: 6 * u + row * line });
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
  function headHeight(meta, w2, lines, u) {
    const [rows, cols] = meta.shape;
    const natural = w2 * Math.min(1.5, Math.max(0.55, rows / cols));
    const most = meta.quantity?.pictures.length ? natural : meta.square ? w2 * 1.12 : w2 * 1.75;
    const aimed = Math.min(most, meta.tall * u / lines - 30 * u);
    const wanted = u > 1 ? Math.min(natural, aimed) : Math.max(natural, aimed);
    return Math.max(34 * u, Math.min(wanted, 220 * u));
  }

  // shared/wall_preview.ts
  var SMALL = 20;
  function showPreview(wall2, head2) {
    const { tip, host } = wall2;
    const { meta } = wall2.heads;
    const most = el("p", { class: "wall-most" });
    say(most, largest2(meta, wall2.heads.bytes(head2)));
    const list = el("dl", { class: "wall-scores" }, ...definitions(scores(wall2, head2)));
    const picture2 = drawn(host, meta, wall2.heads.pictures[head2].sheet);
    tip.replaceChildren(
      el(
        "p",
        { class: "wall-title" },
        wall2.heads.layered ? wall2.heads.nameOf(head2) : tr("Head {name}", { name: wall2.heads.nameOf(head2) })
      ),
      picture2,
      most,
      list
    );
    tip.hidden = false;
    const { u, w: w2, room, height, at } = wall2.layout;
    const { x, y } = at.get(head2) ?? { x: 0, y: 0 };
    const right = x + w2 + 10 * u;
    const fitsRight = right + tip.offsetWidth <= room;
    const left = fitsRight ? right : Math.max(-4, x - tip.offsetWidth - 10 * u);
    const top = Math.max(0, Math.min(height - tip.offsetHeight, y - 20 * u));
    tip.style.transform = `translate(${left}px, ${top}px)`;
  }
  function scores(wall2, head2) {
    const { badge } = wall2.heads.own;
    const names = [badge, ...Object.keys(wall2.heads.meta.scores).filter((name) => name !== badge)];
    return names.filter((name) => wall2.heads.score(head2, name) !== null).slice(0, 5).map((name) => [lowered(wall2.heads.meta.scores[name].label), writtenScore(wall2, head2, name)]);
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
  function wallControls(wall2) {
    const { meta, own, tone } = wall2.heads;
    const least = leastField(wall2);
    const about = aboutBadge(wall2);
    const setOrder = (value) => {
      own.sort = value;
      if (own.sort === "model") wall2.grid.append(...wall2.buttons.heads);
      wall2.relayout(true);
      wall2.report();
    };
    const setBadge = (value) => {
      own.badge = value;
      badge.title = about.tell();
      least.filter();
      wall2.report();
    };
    const setTone = (value) => {
      own.tone = value;
      wall2.heads.build(wall2.host.colours);
      wall2.relayout();
      wall2.report();
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
  function leastField(wall2) {
    const { meta, own } = wall2.heads;
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
      wall2.relayout(true);
    };
    slider.addEventListener("input", filter);
    slider.addEventListener("change", () => wall2.report());
    if (own.least !== null) {
      const [low, high] = bounds();
      slider.value = String(Math.round(100 * (own.least - low) / (high - low || 1)));
      tell();
    }
    return { slider, output, filter };
  }
  function makeButtons(wall2) {
    const heads = wall2.heads.pictures.map((_, head2) => {
      const button = el("button", { class: "wall-head" });
      const show3 = (event) => event.pointerType !== "touch" && showPreview(wall2, head2);
      onPreview(button, show3, () => wall2.hidePreview());
      button.addEventListener(
        "click",
        (event) => wall2.opening.press(head2, event.shiftKey || event.ctrlKey || event.metaKey)
      );
      button.addEventListener("keydown", (event) => move(event, wall2, head2));
      return button;
    });
    const layers = Array.from({ length: wall2.heads.meta.layers }, (_, layer) => {
      const name = tr("Layer {layer}: overlay its heads", { layer });
      const words = { title: name, "aria-label": name };
      return el("button", {
        ...{ class: "wall-layer", ...words, onclick: () => wall2.opening.pressLayer(layer) }
      });
    });
    wall2.grid.replaceChildren(...layers, ...heads);
    return { heads, layers };
  }
  function wordsOfHead(wall2, head2) {
    const scores2 = Object.entries(wall2.heads.meta.scores).filter(([, score]) => score.values[head2] !== null).map(
      ([name, { label, units }]) => `${lowered(label)} ${writtenScore(wall2, head2, name)}${units ? ` ${units}` : ""}`
    );
    const [layer, k] = wall2.heads.pairOf(head2);
    const who = wall2.heads.layered ? wall2.heads.nameOf(head2) : tr("Layer {layer}, head {head}", { layer, head: k });
    return `${who}: ${scores2.join(", ") || tr("no scores")}`;
  }
  function arrangeButtons(wall2, order) {
    const { layout } = wall2;
    const { own } = wall2.heads;
    const { heads, layers } = wall2.buttons;
    heads.forEach((button, head2) => {
      const at = layout.at.get(head2);
      button.hidden = !at;
      if (!at) return;
      button.style.cssText = `left:${at.x}px;top:${at.y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
      button.tabIndex = head2 === wall2.at ? 0 : -1;
      button.setAttribute("aria-pressed", String(wall2.opening.opened.includes(head2)));
      button.setAttribute("aria-label", wordsOfHead(wall2, head2));
    });
    layers.forEach((button) => button.hidden = true);
    for (const [layer, y, tall] of wall2.heads.layered ? [] : layout.labels) {
      layers[layer].hidden = false;
      layers[layer].style.cssText = `left:0;top:${y - tall / 2}px;width:${24 * layout.u}px;height:${tall}px`;
    }
    if (own.sort !== "model") wall2.grid.append(...order.map((head2) => heads[head2]));
  }
  function move(event, wall2, head2) {
    const list = wall2.heads.order();
    const now = list.indexOf(head2);
    const { across } = wall2.layout;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across };
    const step = { ...steps, Home: -now, End: list.length - 1 - now }[event.key];
    if (step === void 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = list[now + step];
    if (next === void 0) return;
    wall2.at = next;
    arrangeButtons(wall2, list);
    wall2.buttons.heads[next].focus();
  }

  // shared/wall_opening.ts
  var MOST_OPEN = 8;
  var QUICK = 300;
  var PAUSE = 150;
  var Opening = class {
    constructor(wall2) {
      this.wall = wall2;
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
      const heads = list.map((head2) => all.pairOf(head2));
      const numbers = () => list.length ? list.map((head2) => weightsOf(meta, meta.levels, head2)) : [wholeOfHeads(meta, meta.levels)];
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
    press(head2, over) {
      const isOpen = this.opened.includes(head2);
      if (over && this.opened.length && !this.wall.heads.layered) {
        const list = isOpen ? this.opened.filter((other) => other !== head2) : [...this.opened, head2];
        if (list.length <= MOST_OPEN) this.open(list, head2);
      } else this.open(this.opened.length === 1 && isOpen && !this.wall.heads.layered ? [] : [head2], head2);
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
  var HALL2 = 280;
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
      const kept2 = heads.pictures.filter((_, head2) => heads.passes(head2)).length;
      const total = heads.pictures.length;
      const least = heads.own.least === null ? "" : tr("{kept} of {total} heads shown", { kept: kept2, total });
      this.parts.tell({ subtitle: [heads.meta.subtitle, least, how()].filter(Boolean).join(" · ") });
    }
    relayout(moving = false) {
      const before = this.layout?.at;
      const { meta, own } = this.heads;
      const room = this.parts.body.clientWidth;
      const arrayed = { ...meta, tall: inSight(this.host, meta.tall, HALL2) };
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

  // export/live/views.ts
  var pairOf = ({ shapes }, kind, head2) => [
    Math.floor(head2 / shapes[kind][1]),
    head2 % shapes[kind][1]
  ];
  function stageData(picture2, words, looked, { writes, forcible }) {
    const shape = picture2.shapes.cross;
    const [open] = looked.heads.cross;
    const [layer, head2] = open === void 0 ? [null, null] : pairOf(picture2, "cross", open);
    const { source, target, reads, steps, grown, forced, ended } = picture2;
    return {
      ...{ source, target, reads, steps, grown, forced, ended, layer, head: head2, shape, writes, forcible },
      ...{ position: looked.position, id: looked.id, notes: [], remarks: [], opens: null, decode: "" },
      ...{ measure: "weight", kind: "cross", kind_name: words.kinds.cross },
      weights: Uint16Array.from(picture2.weights.cross, (weight) => Math.round(weight * 65535)),
      ...{ layers: shape[0], heads: shape[1], subjects: words.subjects, metrics: words.metrics }
    };
  }

  // export/live/ablation.ts
  var NAMED2 = 6;
  var POINT = 0.01;
  function outcome(given, before, after) {
    const [lost, added] = [before, after].map((words) => words.filter(({ same }) => !same));
    const phrase2 = (words) => quoted(words.map(({ text }) => text).join(" "));
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
    const kept2 = before.length - lost.length;
    const total = Math.max(before.length, after.length);
    if (3 * kept2 < 2 * total) return tr("{given} the model writes something else", { given });
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
    update({ heads, before, after, words }) {
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
        words.map((word) => Math.abs(word.after - word.before)),
        NAMED2
      ).sort((a, b) => a - b);
      const items = shown2.map((n2) => {
        const { label, before: high, after: low } = words[n2];
        const numbers = `${percent(high, 1)} → ${percent(low, 1)}`;
        return el(
          "li",
          { class: Math.abs(high - low) >= POINT ? "changed" : null },
          el("bdi", {}, visible(label)),
          el("span", {}, numbers)
        );
      });
      body.replaceChildren(
        lines,
        el("ul", { class: "ablation-words", "aria-label": tr("How sure the model is of each word") }, ...items)
      );
      tell({
        title: outcome(given, change.before, change.after),
        subtitle: tr("The head output is set to zero"),
        readout: this.sentence(words)
      });
    }
    /** The word that falls most. */
    sentence(words) {
      const [worst] = topIndices(
        words.map((word) => word.before - word.after),
        1
      ).map((n2) => words[n2]);
      if (!worst || worst.before - worst.after < POINT) return tr("No word loses 1 percentage point");
      const [before, after] = [percent(worst.before, 1), percent(worst.after, 1)];
      return tr("The probability of {word} goes from {before} to {after}.", {
        word: quoted(worst.label),
        before,
        after
      });
    }
  };

  // learn/two_losses.ts
  var TALL = 230;
  var LEFT = 46;
  function paintLosses(p, view, width2, tall = TALL) {
    const { loss_steps, steps, trainings } = view.data;
    const { colours: c, scale: u } = view.host;
    const box = {
      x: LEFT * u,
      y: 12 * u,
      w: width2 - (LEFT + 64) * u,
      h: (tall - 40) * u
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
      p.text(box.x - 8 * u, height, String(10 ** power), look2);
    }
    for (const step of steps) {
      if (step === 50) continue;
      p.text(x(step), box.y + box.h + 18 * u, String(step), {
        size,
        align: "center",
        fill: c.muted
      });
    }
    const now = x(steps[view.at]);
    p.path(`M${now} ${box.y}v${box.h}`, { stroke: c.muted, width: u });
    paintLines2(p, view, x, y);
  }
  function paintLines2(p, { data, host }, x, y) {
    const { loss_steps, trainings } = data;
    const { colours: c, scale: u } = host;
    const ends = trainings.map(({ losses }) => y(losses[losses.length - 1]));
    const apart2 = Math.abs(ends[0] - ends[1]) < 18 * u ? 9 * u : 0;
    const right = x(loss_steps[loss_steps.length - 1]);
    trainings.forEach(({ losses, masked }, n2) => {
      const stroke = masked ? c.ink : c.positive;
      const points = losses.map((loss, k) => `${x(loss_steps[k]).toFixed(1)} ${y(loss).toFixed(1)}`);
      p.path(`M${points.join("L")}`, { stroke, width: 2 * u });
      p.circle(right, ends[n2], 4 * u, { fill: stroke });
      const height = ends[n2] + (ends[n2] < ends[1 - n2] ? -apart2 : apart2);
      const look2 = { ...AT_LEFT, size: typeSize(13, u), weight: 650, fill: stroke };
      p.text(right + 9 * u, height, masked ? tr("with") : tr("without"), look2);
    });
  }
  function lossesLeaving(view) {
    const width2 = () => exportWidth(view.losses.clientWidth, view.host.scale);
    return {
      name: () => "two-trainings",
      about: () => view.data.about,
      title: () => view.data.title,
      size: () => [width2(), TALL * view.host.scale],
      draw: (p) => paintLosses(p, view, width2()),
      rows: () => [
        ["step", "loss_with_mask", "loss_without_mask"],
        ...view.data.loss_steps.map((step, k) => [
          step,
          ...view.data.trainings.map(({ losses }) => csvNumber(losses[k]))
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
        const heading = el("h4", { style: `color: var(--${kind}-text)` }, kindName(kind));
        return el("div", {}, heading, canvas);
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
        const ends = letter === writes[writes.length - 1];
        const early = ends && n2 < writes.length - 1;
        return el("span", { class: `${ends ? "end" : ""}${early ? " early" : ""}` }, letter);
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
          `${trainings[training].title}: ${kindName(kind)}, ${steps[this.at]}`
        );
      }
      for (const button of this.grid.querySelectorAll("[data-step]"))
        button.setAttribute("aria-pressed", String(Number(button.dataset.step) === this.at));
      const room = this.losses.parentElement.clientWidth;
      const tall = isSlide() ? ON_A_SLIDE : TALL;
      paintLosses(canvasPainter(fitCanvas(this.losses, room, tall * this.host.scale)), this, room, tall);
      this.losses.setAttribute("aria-label", `${tr("Training loss")}: ${this.parts.title.textContent}`);
    }
  };
  var two_trainings_default = viewOf(TwoTrainingsView);

  // learn/scene_drawing.ts
  var NUMBER2 = 0.045;
  var [FAINT, STRONG] = [0.05, 0.02];
  var width = (words, size) => textWidth(visible(words), size, true);
  var rowWord = (row) => row.written || row.read;
  var ScenePen = class {
    constructor(picture2, host, data, size) {
      this.picture = picture2;
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
    pill(x, y, words, anchor) {
      const [w2, h] = [width(words, this.size) + 20, this.size * 1.75];
      const left = { middle: x - w2 / 2, start: x - 8, end: x - w2 + 8 }[anchor];
      const fill2 = this.colours[`${this.data.kind}_text`];
      this.add("rect", { x: left, y: y - h / 2, width: w2, height: h, rx: 8, fill: fill2 });
      const looks = { "text-anchor": "middle", fill: readableOn(fill2, this.colours), "font-weight": 600 };
      this.word(left + w2 / 2, y, words, looks);
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
      if (weight < (last ? STRONG : FAINT)) return;
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
    const read2 = { "text-anchor": "end", fill: pen.colours.muted };
    pen.word(left - 26 - width(row.written, pen.size), y, `${visible(row.read)} →`, read2);
  }
  function rowCells(pen, i, pitch, { left, column }) {
    const { data, colours } = pen;
    const table = rampTable(colours.panel, colours[data.kind]);
    const position = placer("weight", 1);
    data.keys.forEach((_, k) => {
      const weight = pen.weight(i, k);
      const fill2 = table[position(weight)];
      const cell = {
        x: left + k * column + 1.5,
        y: i * pitch + 1.5,
        width: column - 3,
        height: pitch - 3,
        rx: 4
      };
      pen.add("rect", { ...cell, fill: fill2, stroke: colours.line, "stroke-width": 1 });
      if (weight < NUMBER2 && !(pen.isLast(i) && k === data.chosen)) return;
      const looks = { "text-anchor": "middle", class: "scene-number", "font-size": Math.max(pen.size, 19) };
      const ink = weight >= 0.9 ? colours.panel : colours.ink;
      const number = percent(weight).replace(/ %$/, "");
      pen.word(left + (k + 0.5) * column, (i + 0.5) * pitch, number, {
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
  function drawSource(pen, y, { left, column }) {
    const { data, size } = pen;
    pen.name(left - 16, y, tr("source"));
    data.keys.forEach((key, k) => {
      const x = left + (k + 0.5) * column;
      if (k === data.best) pen.pill(x, y, key, "middle");
      else pen.word(x, y, key, { "text-anchor": "middle" });
      if (k !== data.chosen) return;
      const w2 = Math.min(column, width(key, size) + 14);
      const ring = { x: x - w2 / 2, y: y - size * 0.85, width: w2, height: size * 1.7, rx: 7 };
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
      const { data, parts, host, picture: picture2 } = this;
      const { body } = parts;
      const size = Math.max(TYPE, 15 * host.scale);
      picture2.replaceChildren();
      const room = Number(host.root.dataset.slideRoom ?? 0) * host.scale || 520;
      const whole = data.rows.length === 0;
      body.classList.toggle("scene-whole", whole && data.covered);
      const box = { width: body.clientWidth, height: Math.max(120, Math.min(room, 620)) };
      if (whole) {
        Object.assign(this.picture.style, { height: "0px" });
        this.chip.hidden = !data.covered;
        return;
      }
      picture2.style.height = `${box.height}px`;
      picture2.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
      picture2.setAttribute("aria-label", `${data.title}. ${data.readout}`);
      for (const type of [size, TYPE]) {
        const label = Math.max(...data.rows.map((row) => width(`${row.read} → ${row.written}`, type)));
        const column = (box.width - label - 16) / data.keys.length;
        const widths = data.keys.map((key) => width(key, type));
        const apart2 = widths.every((each, n2) => !n2 || (widths[n2 - 1] + each) / 2 + 8 <= column);
        if (apart2 && column >= 40) {
          const pen = new ScenePen(picture2, host, data, type);
          return this.across(pen, { ...box, left: label + 16, column });
        }
      }
      this.along(new ScenePen(picture2, host, data, size), box);
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
      const tall = Math.max(height, most * pen.size * 1.35);
      this.picture.style.height = `${tall}px`;
      this.picture.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
      drawAlong(pen, { width: wide, height: tall }, tall / most);
      this.chip.hidden = true;
    }
  };
  var scene_default = viewOf(Scene);

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
    const keys = keyList([...keyWords2().slice(0, -1), ...moreKeys, ...keyWords2().slice(-1)], "button");
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

  // translate/next_word.ts
  var SHORT = 11;
  function candidates({ ids, labels, probabilities, chosen: chosen2, extra, barred, cut }) {
    let kept2 = 0;
    const listed = ids.map((id, n2) => {
      const bars = barred.includes(id);
      if (!bars) kept2 += 1;
      const last = cut !== null && !bars && kept2 === cut.count;
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
  var NUMBER3 = 4.6;
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
      const beside = NUMBER3 + 0.55 * tag.length;
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
      const words = cut?.label ?? "";
      const track = 120 * u;
      candidates(this.step).forEach((candidate, n2) => {
        const { label, probability, id } = candidate;
        const y = n2 * 24 * u;
        const on = id === chosen2;
        const width2 = Math.max(2, probability * FULL / 100 * 300 * u);
        const word = shorten(visible(label), track - 10 * u, 15 * u);
        const weight = on ? 650 : 400;
        p.text(track - 10 * u, y + 17 * u, word, {
          size: 15 * u,
          mono: true,
          align: "right",
          weight,
          fill: c.ink
        });
        p.rect(track, y + 5 * u, width2, 15 * u, { fill: on ? c[this.kind] : c.bar, radius: 4 * u });
        const number = [percent(probability, 1), this.tagOf(candidate)].filter(Boolean).join("  ");
        p.text(track + width2 + 8 * u, y + 17 * u, number, { size: 13 * u, fill: on ? c.ink : c.muted });
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
      const kept2 = this.buttons[side];
      const buttons = labels.map(
        (label, n2) => kept2[n2] && before[n2] === label ? kept2[n2] : this.wordButton(side, label, n2)
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
    fill({ data, layer, head: head2 }) {
      fillCounted(this.layer, data.layers, "layer", layer);
      fillCounted(this.head, data.heads, "head", head2);
    }
    read() {
      const read2 = (pick) => pick.value === MEAN ? null : Number(pick.value);
      return { layer: read2(this.layer), head: read2(this.head) };
    }
  };
  var TYPING3 = 0.7;
  function stageBar({ picks, measure, kindWords, playback }) {
    const aside = (words) => el("span", { class: "stage-hint" }, words);
    picks.node.append(aside(" · "));
    const drawn2 = [kindWords, measure.node, picks.node, aside(hint())];
    const settings = el("span", { class: "stage-settings" }, ...drawn2);
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
  var WORD2 = 15;
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
    return u * Math.min(1, Math.max(room / longest, LEGIBLE / (WORD2 * u)));
  }
  var widthsOf = (labels, w2) => labels.map((label) => Math.min(LONGEST * w2, textWidth(visible(label), WORD2 * w2)) + 14 * w2);
  function linesLayout({ rows, cols }, room, u, covered = false, tall = CURVES) {
    const w2 = unitOfWords(covered ? [cols] : [cols, rows], room, u);
    const gap = gapOf(u) * w2;
    const [source, target] = [widthsOf(cols, w2), widthsOf(rows, w2)];
    const flat = rowLength(source, gap) <= room && (covered || rowLength(target, gap) <= room);
    if (!flat && u <= 1) return columnsLayout({ rows, cols }, room, u);
    const inside = Math.max(room, rowLength(source, gap), covered ? 0 : rowLength(target, gap));
    const centres = (along, labels) => inReadingOrder(along, labels, inside);
    const slots = fillSlots(target, inside / Math.max(cols.length, rows.length), gap);
    const fits = (slots.at(-1) ?? 0) + ((target.at(-1) ?? 0) + gap) / 2 <= inside;
    const below = covered && fits ? slots : spreadWords(target, inside, gap);
    return {
      ...{ u, w: w2, size: WORD2 * w2, inside, limit: LONGEST * w2, flat: true },
      x: { source: 0, left: 0, right: 0, target: 0, shares: 0, sums: 0 },
      ...{ source: centres(spreadWords(source, inside, gap), cols), target: centres(below, rows) },
      y: {
        ...{ source: 20 * u + 27 * (u - w2), top: 50 * u, bottom: (50 + tall) * u },
        ...{ target: (54 + tall) * u, end: (100 + tall) * u }
      }
    };
  }
  function columnsLayout({ rows, cols }, room, u) {
    const limit = Math.min(LONGEST * u, room * 0.3);
    const size = WORD2 * u;
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

  // translate/stage_lines.ts
  var HALL3 = 462;
  var FLATTEST = 48;
  var inHall = (host) => host.scale > 1 && !host.root.dataset.slideRoom ? within(FLATTEST, window.innerHeight / host.scale - HALL3, CURVES) : Math.max(FLATTEST, inSight(host, CURVES, HALL3));
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
      const { inside, y, size, w: w2 } = this.layout;
      this.inner.style.width = `${inside}px`;
      this.inner.style.height = `${y.end}px`;
      this.scroller.classList.toggle("upright", !this.layout.flat);
      this.shareRow.style.top = "0";
      const { source, target } = this.words.rows;
      source.style.top = `${y.source}px`;
      target.style.top = `${y.target}px`;
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
      const { flat, x, y, u, source, target } = this.layout;
      const largest3 = (sums, along, across) => topIndices(sums, 4).filter((n2, rank2) => sums[n2] >= (rank2 ? 0.05 : 0.01) && (!cell || cols.has(n2))).map((n2) => ({
        ...flat ? { x: along[n2], y: across } : { x: across, y: along[n2] - 9 * u },
        share: sums[n2]
      }));
      const above = rows.size ? largest3(sumOf(sheet, rows, rowOf), source, flat ? 0 : x.shares - 20 * u) : [];
      if (cell || !cols.size) return above;
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
    const { flat, x: across, y, u, w: w2, size, limit, source, target } = lines.layout;
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
    sheet.cols.forEach((label, n2) => word(label, source[n2], y.source, ink(label)));
    sheet.rows.forEach((label, n2) => {
      const x = target[n2];
      if (n2 >= sheet.written) return p.circle(x, y.target + 14 * w2, 3, { fill: c.line });
      if (n2 !== row) return word(label, x, y.target, ink(label));
      const width2 = Math.min(limit, textWidth(visible(label), size)) + 16 * w2;
      p.rect(x - width2 / 2, y.target, width2, 27 * w2, { fill: text, radius: 7 });
      word(label, x, y.target, readableOn(text, c));
    });
  }

  // translate/stage_map.ts
  var HALL4 = 300;
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
        tall: scale > 1 ? inSight(this.host, 560, HALL4 + above2) : 285,
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
      const words = this.words || weightWords2();
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
      const read2 = covered ? sofar : shared(sofar, whole);
      this.words = covered ? sofar : whole;
      this.text.replaceChildren(read2, el("span", { class: "stage-later" }, restOf(whole, read2, covered)));
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
      const drawn2 = makeSheet(
        { rows: target, cols: source, reads: reads.length ? reads : void 0 },
        at,
        kindRamp(this.host.colours, kind)
      );
      this.sheets.set(name, drawn2);
      return drawn2;
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
      const { id, target, position, layer, head: head2, writes } = this.data;
      if (!before || news && (before.layer !== layer || before.head !== head2))
        [this.layer, this.head] = [layer, head2];
      if (before?.id !== id || news && before.position !== position) this.position = position;
      this.position = Math.min(this.position, target.length);
      const shown2 = bus().last.stage;
      const other = shown2?.id !== id;
      this.covered = this.position < target.length && (other || shown2.covered);
      return writes && other && shown2 !== void 0 && target.length > 0;
    }
  };
  function meanOf(weights2, [layers, heads, rows, columns], layer, head2) {
    const pick = (count, chosen2) => count === 1 ? [0] : chosen2 === null ? Array.from({ length: count }, (_, n2) => n2) : [chosen2];
    const [fromLayers, fromHeads] = [pick(layers, layer), pick(heads, head2)];
    const sum2 = new Float32Array(rows * columns);
    for (const l of fromLayers) {
      for (const h of fromHeads) {
        const offset = (l * heads + h) * sum2.length;
        for (let n2 = 0; n2 < sum2.length; n2++) sum2[n2] += weights2[offset + n2];
      }
    }
    const share = 1 / (65535 * fromLayers.length * fromHeads.length);
    return sum2.map((value) => value * share);
  }
  var stageLeaving = (stage2, which) => ({
    name: () => `${stage2.reader.data.kind}-${which}${stage2.reader.shares() ? "-alti" : ""}-step-${stage2.reader.position}`,
    who: () => stage2.reader.shares() ? "ALTI+" : stage2.reader.subject(),
    title: () => stageTitle(stage2),
    ...stage2[which].picture,
    legend: which === "map" ? () => stage2.map.legend() : void 0,
    words: () => stageSentence(stage2),
    rows: () => [TABLE_HEAD, ...tableOf(stage2.frame.sheet, stage2.frame.kind === "encoder", csvNumber)]
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
      const { position, layer, head: head2 } = this.reader;
      const tell = () => !this.playback.playing && this.view.report({ position, layer, head: head2 });
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
        const { position, layer, head: head2 } = next;
        writes = reader.follow(before, this.view.isNews({ position, layer, head: head2 }));
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

  // what_if/breaking.ts
  var PACE = 600;
  var HEIGHT = 170;
  var SETTLE = 500;
  function paintCurve(p, view, width2) {
    const { scale: u, colours: c } = view.host;
    const { steps, breaks, kind, word } = view.data;
    const size = typeSize(13, u);
    const [left, right, top, bottom] = [52 * u, 20 * u, 18 * u, 30 * u];
    const [w2, h] = [width2 - left - right, view.curveHeight - top - bottom];
    const x = (n2) => left + w2 * n2 / Math.max(1, view.last);
    const y = (share2) => top + h * (1 - share2);
    for (const share2 of [0, 0.5, 1]) {
      p.path(`M${left} ${y(share2)}H${left + w2}`, { stroke: c.line, width: 1 });
      p.text(left - 8 * u, y(share2), `${100 * share2} %`, { ...AT_RIGHT, size, fill: c.muted });
    }
    const every2 = Math.max(1, Math.ceil(view.last / Math.max(1, Math.floor(w2 / (44 * u)))));
    for (let n2 = 0; n2 <= view.last; n2 += every2) {
      p.text(x(n2), top + h + 20 * u, String(n2), { size, fill: c.muted, align: "center" });
    }
    if (breaks !== null) {
      p.path(`M${x(breaks)} ${top - 4 * u}V${top + h}`, {
        stroke: c.positive,
        width: 1.6 * u,
        dash: [5 * u, 4 * u]
      });
      const words = tr("the text changes");
      const late = breaks > view.last / 2;
      p.text(x(breaks) + (late ? -6 : 6) * u, top + 6 * u, words, {
        size,
        fill: c.positive,
        align: late ? "right" : "left"
      });
    }
    const points = steps.map(({ heads: heads2, probability: probability2 }) => `${x(heads2)} ${y(probability2)}`);
    p.path(`M${points.join("L")}`, { stroke: c[kind], width: 2.2 * u });
    const { heads, probability } = steps[view.at];
    p.circle(x(heads), y(probability), 6 * u, { fill: c[kind], stroke: c.panel, width: 2 * u });
    const share = `“${word}” ${probability < 95e-4 ? fixed(100 * probability, 1) : Math.round(100 * probability)} %`;
    const foot = probability < 0.2;
    const beside = !foot && x(heads) > left + 150 * u;
    const level = y(probability) + (foot ? -12 : 24) * u;
    const pen = { size, weight: 650, fill: c.ink, align: beside ? "right" : "left" };
    const end = foot && x(heads) > left + w2 - 130 * u;
    p.text(x(heads) + (beside ? -6 : 6) * u, level, share, end ? { ...pen, align: "right" } : pen);
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
      const line = el("div", { class: "breaking-line" }, this.play, this.slider, this.take);
      this.parts.body.append(this.count, this.text, line, this.canvas);
      this.parts.node.append(this.parts.readout);
      const width2 = () => exportWidth(this.canvas.clientWidth, host.scale);
      this.parts.controls.append(
        exportMenu(host, {
          name: () => this.data.file,
          title: () => this.data.title,
          size: () => [width2(), this.curveHeight],
          draw: (p) => paintCurve(p, this, width2()),
          words: () => `${this.count.textContent}: ${this.textOf(this.at)}`,
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
      return this.data.steps[n2].words.map(({ text, spaced }) => spaced ? ` ${text}` : text).join("");
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
        ...step.words.flatMap(({ text, same, spaced }) => [
          spaced ? " " : "",
          same ? document.createTextNode(text) : el("ins", {}, text)
        ])
      );
      this.slider.value = String(this.at);
      this.slider.setAttribute("aria-valuetext", `${name}: ${this.textOf(this.at)}`);
      this.play.textContent = this.timer ? tr("Pause") : tr("Play");
      this.play.setAttribute("aria-pressed", String(this.timer !== 0));
      this.take.textContent = plural("Ablate this head above", "Ablate these {count} heads above", step.heads);
      this.take.disabled = step.heads === 0;
      this.canvas.setAttribute(
        "aria-label",
        tr("Probability of “{word}” by the number of ablated heads", { word: this.data.word })
      );
      this.relayout();
    }
    relayout() {
      const width2 = Math.max(200, this.parts.body.clientWidth);
      paintCurve(canvasPainter(fitCanvas(this.canvas, width2, this.curveHeight)), this, width2);
    }
    destroy() {
      clearTimeout(this.timer);
      clearTimeout(this.rest);
    }
  };
  var breaking_default = viewOf(Breaking);

  // site/strips.ts
  var TALL2 = 22;
  var Strips = class extends CardView {
    list = el("ol", { class: "strips" });
    data;
    constructor(root, host) {
      super(root, host);
      this.parts.body.append(this.list);
      this.parts.node.append(this.parts.readout);
    }
    update(data) {
      this.data = data;
      setKind(this.host, data.kind);
      this.parts.tell(data);
      this.parts.readout.hidden = !data.readout;
      this.list.replaceChildren(...data.names.map((name, row) => this.row(name, row)));
    }
    /** A row: its name, its numbers as stripes, a bar for its length where there is one, and a number in words. */
    row(name, row) {
      const { data } = this;
      const [first, second] = data.moved ?? [-1, -1];
      const other = row === first ? second : row === second ? first : row;
      const from = data.swapped ? other : row;
      const length = data.lengths[from];
      const bar = length === void 0 ? [] : [el("span", { class: "strip-bar" }, el("i", { style: `width: ${100 * length}%` }))];
      return el(
        "li",
        {
          class: [row < data.shown ? "" : "later", other !== row ? "moved" : ""].join(" ").trim() || null
        },
        el("bdi", {}, name),
        this.stripe(from),
        ...bar,
        el("span", { class: "strip-note" }, data.notes[from])
      );
    }
    stripe(row) {
      const { columns, values, reach } = this.data;
      const { positive, negative } = this.host.colours;
      const canvas = el("canvas", {
        class: "stripe",
        width: columns,
        height: 1,
        "aria-hidden": "true"
      });
      canvas.style.height = `${TALL2}px`;
      const pen = canvas.getContext("2d");
      if (!pen) return canvas;
      for (let n2 = 0; n2 < columns; n2++) {
        const value = values[row * columns + n2] / reach;
        pen.globalAlpha = Math.min(1, Math.abs(value)) ** 0.8;
        pen.fillStyle = value < 0 ? negative : positive;
        pen.fillRect(n2, 0, 1, 1);
      }
      return canvas;
    }
  };

  // site/site.ts
  var PACE2 = 700;
  var MODE = "atlas-mode";
  var [LOW, HIGH] = [200, 6e3];
  function drawing(parentElement, create) {
    return (data) => void show2({ parentElement }, data, create);
  }
  var still = (create) => async (root, filed) => {
    const data = await read(filed);
    const put = drawing(root, create);
    return { count: 1, draw: () => put(data) };
  };
  var untilRow = (words, count) => words.map((word, n2) => n2 < count ? word : "·");
  var head = async (root, filed, moves) => {
    const data = await read(filed);
    const put = drawing(root, (node, host) => new Head(node, host));
    const count = moves ? data.written : 1;
    const draw = (at) => {
      const rows = moves ? at + 1 : data.written;
      const cells2 = rows * data.cols.length;
      put({
        ...data,
        rows: untilRow(data.rows, rows),
        reads: data.reads.slice(0, rows),
        heads: data.heads.map((each) => ({
          ...each,
          values: each.values.slice(0, cells2)
        })),
        written: rows,
        current: moves ? rows - 1 : data.current
      });
    };
    return { count, draw };
  };
  var wall = async (root, filed) => {
    const data = await read(filed);
    const put = drawing(root, (node, host) => new Wall(node, host));
    const draw = (at) => {
      const levels = data.levels.map((level, n2) => n2 % data.size < (at + 1) * data.cols.length ? level : 0);
      put({ ...data, levels, digest: `${data.digest}/${at}` });
    };
    return { count: data.rows.length, draw };
  };
  var stage = async (root, filed) => {
    const { stored, heads, languages } = await read(filed);
    const [words] = Object.values(languages);
    const put = drawing(root, (node, host) => new Stage(node, host));
    const [layer, one] = heads.cross;
    const open = {
      encoder: [],
      causal: [],
      cross: [layer * stored.shapes.cross[1] + one]
    };
    const position = stored.pair ? stored.pair[0] + 1 : stored.target.length;
    let id = "first";
    let writes = false;
    const draw = () => put(stageData(stored, words, { id, position, heads: open }, { writes, forcible: false }));
    announce("stage", { id, step: position, covered: false });
    const begin = () => {
      [id, writes] = ["again", true];
      draw();
    };
    return { count: 1, draw, begin };
  };
  var strips = async (root, filed) => {
    const data = await read(filed);
    const put = drawing(root, (node, host) => new Strips(node, host));
    const count = data.moved ? 2 : data.names.length;
    const draw = (at) => put({
      ...data,
      shown: data.moved ? data.names.length : at + 1,
      swapped: !!data.moved && at > 0
    });
    return { count, draw };
  };
  var breaking = async (root, filed) => {
    const data = await read(filed);
    const put = drawing(root, (node, host) => new Breaking(node, host));
    const begin = () => root.querySelector(".breaking-line .primary")?.click();
    return { count: 1, draw: () => put(data), begin };
  };
  var ablation = async (root, filed) => {
    const data = await read(filed);
    const put = drawing(root, (node, host) => new Ablation(node, host));
    return {
      count: 2,
      draw: (at) => put(at ? data : { ...data, after: data.before, words: [] })
    };
  };
  var twoTrainings = async (root, filed) => {
    const data = await read(filed);
    let view;
    const put = drawing(root, (node, host) => view = new TwoTrainingsView(node, host));
    const draw = (at) => {
      put(data);
      view?.go(at);
    };
    return { count: data.steps.length, draw };
  };
  var MAKERS = {
    ...{ head, wall, stage, strips, breaking, ablation, two_trainings: twoTrainings },
    scene: still((node, host) => new Scene(node, host))
  };
  var redraws = [];
  var Player = class {
    constructor(moving) {
      this.moving = moving;
      this.at = moving.count - 1;
      this.range.max = String(this.at);
      this.range.addEventListener("input", () => {
        const at = Number(this.range.value);
        this.pause();
        this.go(at);
      });
      this.node.hidden = moving.count < 2;
      this.draw();
    }
    moving;
    at;
    timer = 0;
    play = el("button", {
      class: "site-play",
      onclick: () => this.toggle()
    });
    range = el("input", {
      type: "range",
      min: 0,
      "aria-label": tr("Step of the picture")
    });
    count = el("output", {});
    node = el("div", { class: "site-player" }, this.play, this.range, this.count);
    draw() {
      this.moving.draw(this.at);
      this.range.value = String(this.at);
      const of = { n: this.at + 1, count: this.moving.count };
      this.count.textContent = tr("{n} of {count}", of);
      const words = this.timer ? tr("Pause") : tr("Play");
      this.play.textContent = `${this.timer ? "❚❚" : "▶"} ${words}`;
      this.play.setAttribute("aria-pressed", String(!!this.timer));
    }
    go(at) {
      this.at = at;
      this.draw();
    }
    pause() {
      clearTimeout(this.timer);
      this.timer = 0;
      this.draw();
    }
    toggle() {
      if (this.timer) return this.pause();
      if (this.moving.begin) return this.moving.begin();
      if (this.at === this.moving.count - 1) this.at = 0;
      const next = () => {
        this.timer = this.at < this.moving.count - 1 ? window.setTimeout(step, PACE2) : 0;
        this.draw();
      };
      const step = () => {
        this.at += 1;
        next();
      };
      next();
    }
  };
  async function picture(figure) {
    const { view = "" } = figure.dataset;
    const data = figure.querySelector("script");
    if (!(view in MAKERS) || !data) return;
    const filed = JSON.parse(data.textContent);
    data.remove();
    const player = new Player(await MAKERS[view](figure, filed, "moves" in figure.dataset));
    figure.append(player.node);
    redraws.push(() => player.draw());
    figure.classList.add("drawn");
    if (!("moves" in figure.dataset) || reducedMotion()) return;
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        seen.disconnect();
        player.toggle();
      },
      { threshold: 0.6 }
    );
    seen.observe(figure);
  }
  function unfold(template) {
    if (!template) return;
    const content = template.content.cloneNode(true);
    const figures = [...content.querySelectorAll("figure")];
    template.replaceWith(content);
    for (const figure of figures) void picture(figure);
  }
  function answer(step, chosen2) {
    const choices = [...step.querySelectorAll(".choice")];
    const right = step.querySelector("template.after")?.dataset.right;
    for (const [n2, choice] of choices.entries()) {
      choice.disabled = true;
      if (String(n2) === right) {
        choice.classList.add("right");
        choice.append(el("b", {}, ` ✓ ${tr("right answer")}`));
      } else if (choice === chosen2) choice.append(el("b", {}, ` ✗ ${tr("your answer")}`));
    }
    chosen2.setAttribute("aria-pressed", "true");
    step.querySelector("figure.before")?.remove();
    step.querySelector(".predict .quiet")?.remove();
    unfold(step.querySelector(`template[data-choice="${choices.indexOf(chosen2)}"]`));
    unfold(step.querySelector("template.after"));
    step.querySelectorAll("template").forEach((template) => template.remove());
    step.querySelector(".verdict")?.focus();
  }
  function listenToModel(frame) {
    const tell = () => {
      const { mode } = document.documentElement.dataset;
      if (mode) frame.contentWindow?.postMessage({ mode }, "*");
    };
    addEventListener("message", ({ source, data }) => {
      const tall = data?.atlasHeight;
      if (source !== frame.contentWindow || typeof tall !== "number" || !(tall >= LOW && tall <= HIGH)) return;
      frame.style.height = `${Math.ceil(tall) + 4}px`;
      if (!frame.classList.contains("drawn")) tell();
      frame.classList.add("drawn");
    });
    redraws.push(tell);
  }
  function kept(mode) {
    try {
      if (mode) localStorage.setItem(MODE, mode);
      return localStorage.getItem(MODE);
    } catch {
      return null;
    }
  }
  function site() {
    const { dataset } = document.documentElement;
    const mode = kept();
    if (mode === "light" || mode === "dark") dataset.mode = mode;
    const words = document.getElementById("words")?.textContent;
    if (words) speak(JSON.parse(words));
    document.querySelectorAll("figure[data-view]").forEach((figure) => void picture(figure));
    document.querySelectorAll(".step").forEach((step) => {
      for (const choice of step.querySelectorAll(".choice"))
        choice.addEventListener("click", () => answer(step, choice), {
          once: true
        });
    });
    const frame = document.querySelector("iframe.model");
    if (frame) listenToModel(frame);
    listenForModes(() => {
      if (dataset.mode) kept(dataset.mode);
      redraws.forEach((redraw) => redraw());
    });
  }
  return __toCommonJS(site_exports);
})();
