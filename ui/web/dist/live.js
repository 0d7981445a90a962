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
  function luminance(hex) {
    const [r3, g, b] = hexToRgb(hex).map(toLinear);
    return 0.2126 * r3 + 0.7152 * g + 0.0722 * b;
  }
  function contrast(a, b) {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y2) => y2 - x);
    return (high + 0.05) / (low + 0.05);
  }
  var READABLE = 4.5;
  var better = (fill, a, b) => contrast(fill, a) >= contrast(fill, b) ? a : b;
  function readableOn(fill, c) {
    const own = better(fill, c.ink, c.panel);
    return contrast(fill, own) >= READABLE ? own : better(fill, "#000000", "#ffffff");
  }

  // web/base/dom.ts
  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === void 0 || value === null || value === false) continue;
      if (typeof value === "function") node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    node.append(...children.filter((child) => child !== null && child !== void 0));
    return node;
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
  var minus = (text) => text.replace(/^[+-](?=[0.]+(?![\d.]))/, "").replace("-", "−");
  function wholePercent(share) {
    const value = share * 100;
    const floor = Math.floor(value);
    return value - floor === 0.5 ? floor + floor % 2 : Math.round(value);
  }
  var spokenPercent = (share) => share > 0 && wholePercent(share) === 0 ? "less than 1 %" : `${wholePercent(share)} %`;
  var lengthWords = (value) => value.toFixed(value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2);
  function brief(value, unit) {
    if (unit === "length") return lengthWords(value);
    if (unit === "number") return minus(Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(1));
    const whole = Math.round(value * 100);
    return minus(unit === "points" && whole > 0 ? `+${whole}` : `${whole}`);
  }
  var visible = (label) => label === "" ? "∅" : label.trim() === "" ? "␣" : label;
  var SPECIAL_LABEL = new RegExp(TOKENS.special, "u");
  var isSpecial = (label) => SPECIAL_LABEL.test(label);
  var TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

  // web/base/paint.ts
  var FIRST_LETTER = /\p{L}/u;
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
    context2.direction = TURNED.test(words2.match(FIRST_LETTER)?.[0] ?? "") ? "rtl" : "ltr";
    context2.fillText(words2, 0, 0);
    context2.restore();
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
    const letters2 = [...words2];
    while (letters2.length > 1 && textWidth(`${letters2.join("")}…`, size, mono) > width) letters2.pop();
    return `${letters2.join("")}…`;
  }

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
    positions: ["sinusoidal", "sinusoidal_halves", "learned", "relative_buckets", "none"],
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
    eos_id: "number",
    unk_id: "id",
    source_pad_id: "id",
    forced_bos_id: "id"
  };
  var WITHOUT_EFFECT = [
    ...["dropout", "attention_dropout", "activation_dropout", "dropout_placement", "tie_embeddings"],
    ...["sinusoid_denominator", "relative_buckets", "relative_max_distance"]
  ];
  var REFUSED = ["target_norm_first", "relative_bias_per_layer"];
  var OPTIONS = [...Object.keys(ALLOWED), ...WITHOUT_EFFECT, ...REFUSED];
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
    const refused = REFUSED.find((name) => options[name]);
    if (refused !== void 0) return `This page cannot run the model: it cannot do ${refused}.`;
    for (const [name, allowed] of Object.entries(ALLOWED)) {
      if (!fits(options[name], allowed)) {
        const value = String(JSON.stringify(options[name])).slice(0, 60);
        const choices = Array.isArray(allowed) ? `; it knows ${allowed.join(", ")}` : "";
        return `This page cannot run the model: its ${name} is ${value}${choices}.`;
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

  // web/engine/random.ts
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
    const half = (n) => {
      let value = (pool[n % 4] ^ last) >>> 0;
      last = Math.imul(last, 1492356589) >>> 0;
      value = Math.imul(value, last) >>> 0;
      return BigInt((value ^ value >>> 16) >>> 0);
    };
    const halves = Array.from({ length: 8 }, (_2, n) => half(n));
    return [0, 2, 4, 6].map((n) => halves[n] | halves[n + 1] << 32n);
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

  // web/engine/decode.ts
  var NO_HEAD = () => false;
  function probabilities(logits, temperature = 1) {
    const shares = Float64Array.from(logits, (logit) => logit / temperature);
    let largest = -Infinity;
    for (const score of shares) if (score > largest) largest = score;
    let total = 0;
    for (let i = 0; i < shares.length; i++) total += shares[i] = Math.exp(shares[i] - largest);
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
    /** Undoes the last token. */
    back() {
      if (!this.ids.length) throw new Error("No token is written yet; there is nothing to go back to.");
      this.ids.pop();
      this.steps.length = this.state.length = Math.min(this.steps.length, this.ids.length + 1);
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
      const { heads, encoder_layers: encoders, decoder_layers: layers } = this.model.config;
      const { length, maps } = this.encoded;
      if (kind === "encoder") {
        const shape = [encoders, heads, length, length];
        const weights3 = new Float32Array(encoders * heads * length * length);
        maps.forEach((map, layer) => weights3.set(map, layer * map.length));
        return { shape, weights: weights3 };
      }
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
    for (let n = 1; series + term !== series; n++) {
      series += term;
      term *= 2 * size * size / (2 * n + 1);
    }
    return Math.sign(x) * 2 * series * Math.exp(-size * size) / Math.sqrt(Math.PI);
  }
  var ACTIVATIONS = {
    relu: (x) => x > 0 ? x : 0,
    gelu: (x) => x * (1 + erf(x * Math.SQRT1_2)) / 2,
    gelu_tanh: (x) => x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))) / 2,
    silu: (x) => x / (1 + Math.exp(-x))
  };
  function softmax(scores, start, count) {
    let largest = -Infinity;
    for (let i = start; i < start + count; i++) if (scores[i] > largest) largest = scores[i];
    if (largest === -Infinity) {
      scores.fill(0, start, start + count);
      return;
    }
    let total = 0;
    for (let i = start; i < start + count; i++) total += scores[i] = Math.exp(scores[i] - largest);
    for (let i = start; i < start + count; i++) scores[i] /= total;
  }

  // web/engine/attention.ts
  var Attention = class {
    /** `prefix`: what the names of its weights begin with, such as `encoder_layers.0.self_attention`. */
    constructor(blob, prefix, config) {
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
    queries(x, rows) {
      return this.project(x, rows, this.q);
    }
    keysValues(x, rows) {
      return { keys: this.project(x, rows, this.k), values: this.project(x, rows, this.v) };
    }
    /** What `rows` queries gather → (rows, d_model). Their weights go to `weights`, (heads, rows, seen.count). */
    gather(queries, rows, seen, weights2) {
      const mixed = new Float32Array(queries.length);
      const row = { q: 0, head: 0, position: 0, at: 0 };
      for (row.head = 0; row.head < this.heads; row.head++) {
        const kept = !seen.ablated?.(row.head);
        for (let n = 0; n < rows; n++) {
          row.q = (n * this.heads + row.head) * this.size;
          row.position = (seen.start ?? 0) + n;
          row.at = (row.head * rows + n) * seen.count;
          this.score(queries, row, seen, weights2);
          softmax(weights2, row.at, seen.count);
          if (kept) this.mix(mixed, row, seen, weights2);
        }
      }
      return linear(mixed, rows, this.output);
    }
    /** The masked scores of one query of one head, into `scores` from `at` on. */
    score(queries, { q: q2, head, position, at: at2 }, seen, scores) {
      const { size, heads, scale } = this;
      const { keys, count, bias, padding } = seen;
      for (let key = 0; key < count; key++) {
        const k2 = (key * heads + head) * size;
        let dot = 0;
        for (let i = 0; i < size; i++) dot += queries[q2 + i] * keys[k2 + i];
        const score = dot * scale + (bias ? bias(head, key - position) : 0);
        scores[at2 + key] = padding?.[key] ? -Infinity : score;
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
      this.attention = new Attention(blob, `${prefix}.self_attention`, config);
      this.cross = decoder ? new Attention(blob, `${prefix}.cross_attention`, config) : null;
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
      const sublayer = (read) => attention.gather(attention.queries(read, rows), rows, looked(read, attention), weights2);
      return this.residuals[block]?.around(x, sublayer) ?? x;
    }
    /** x after the feed-forward sub-layer. */
    feed(x) {
      return this.residuals.ffn?.around(x, (read) => this.feedForward.of(read, x.length / this.size)) ?? x;
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
      ids.forEach((id, n) => {
        const row = (start + n + offset) * size;
        for (let i = 0; i < size; i++) {
          x[n * size + i] = this.table[id * size + i] * this.scale + (this.positions?.[row + i] ?? 0);
        }
      });
      return this.norm ? this.norm(x) : x;
    }
  };
  function relativeBias(blob, stack, { positions, heads }) {
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
      const layers = (stack, count) => Array.from(
        { length: count },
        (_2, n) => new Layer(blob, `${stack}_layers.${n}`, config, stack === "decoder")
      );
      const final = (stack) => config.final_norm ? normOf(blob, `${stack}_norm`, config) : (x) => x;
      this.source = new Embedding(blob, "source_embedding", config);
      this.target = new Embedding(blob, "target_embedding", config);
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
      const { heads, source_pad_id: other, pad_id: pad } = this.config;
      const length = ids.length;
      const masked = ids.map((id) => id === (other ?? pad));
      const padding = masked.includes(true) ? masked : null;
      const maps = [];
      let x = this.source.of(ids, 0);
      for (const [n, layer] of this.encoder.entries()) {
        const weights2 = new Float32Array(heads * length * length);
        const looked = (read) => ({
          ...layer.attention.keysValues(read, length),
          ...{ count: length, bias: this.biases.encoder, padding },
          ablated: (head) => ablated("encoder", n, head)
        });
        x = layer.feed(layer.attend(x, looked, weights2));
        maps.push(weights2);
        yield;
      }
      return { memory: this.finals.encoder(x), length, maps, padding };
    }
    /** An empty decode of a source, with room for `capacity` tokens. */
    start({ memory, length, padding }, ablated, capacity) {
      const size = capacity * this.config.heads * headSize(this.config);
      const cross = this.decoder.map((layer, n) => ({
        ...layer.cross?.keysValues(memory, length) ?? {
          keys: new Float32Array(0),
          values: new Float32Array(0)
        },
        ...{ count: length, padding },
        ablated: (head) => ablated("cross", n, head)
      }));
      const past = this.decoder.map((_2, n) => ({
        ...{ keys: new Float32Array(size), values: new Float32Array(size), count: 0 },
        bias: this.biases.decoder,
        ablated: (head) => ablated("causal", n, head)
      }));
      return { length: 0, cross, past, ablated };
    }
    /** Reads one more token of the target, which joins the `state`. */
    step(input, state) {
      const { heads, d_model: size, output_scale: scaled } = this.config;
      const start = state.length;
      const step = { input, logits: new Float32Array(0), causal: [], cross: [] };
      let x = this.target.of([input], start);
      for (const [n, layer] of this.decoder.entries()) {
        const causal = new Float32Array(heads * (start + 1));
        const looked = (read) => {
          const { keys, values } = layer.attention.keysValues(read, 1);
          const past = state.past[n];
          past.keys.set(keys, start * keys.length);
          past.values.set(values, start * values.length);
          return { ...past, count: start + 1, start };
        };
        x = layer.attend(x, looked, causal);
        const cross = new Float32Array(heads * state.cross[n].count);
        x = layer.feed(layer.attendSource(x, () => state.cross[n], cross));
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
      for (let n of e) {
        let o = t;
        for (let s = 0; s < n.length; ++s) {
          let a = n[s];
          o = o[a] ??= /* @__PURE__ */ Object.create(null);
        }
        o.end = n;
      }
      return t;
    }
    split(e) {
      let t = [], n = e.length, o = 0, s = 0;
      for (; s < n; ) {
        let a = this.trie, i = null, c = s;
        for (; c < n && (a = a[e[c]]); ) a.end && (i = a.end), ++c;
        i ? (s > o && t.push(e.slice(o, s)), t.push(i), s += i.length, o = s) : ++s;
      }
      return o < n && t.push(e.slice(o)), t;
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
      let n = /* @__PURE__ */ new Map(), o = r3.replace(/(\\[pP])\{([^}=]+)\}/g, (s, a, i, c) => {
        let l = 0;
        for (let d = c - 1; d >= 0 && r3[d] === "\\"; --d) ++l;
        if (l % 2 === 1) return s;
        let p = n.get(i);
        if (p === void 0) {
          try {
            new RegExp(`\\p{${i}}`, "u"), p = i;
          } catch {
            p = `Script=${i}`;
          }
          n.set(i, p);
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
  var F = (r3, e, t, n = true) => {
    r3.tail === "range" && J(t), r3.alternatives.push(e), r3.tail = "set", r3.contains_complex_set = r3.contains_complex_set || n;
  };
  var v = (r3, e, t = false, n = -1) => {
    if (t && r3.tail === "range" && J(n), r3.tail === "range") {
      r3.fragment += e, r3.tail = "complete_range";
      return;
    }
    r3.fragment += e, r3.tail = t ? "set" : "scalar", r3.contains_complex_set = r3.contains_complex_set || t;
  };
  var Er = (r3, e, t) => {
    let n = Gt.exec(r3.slice(e));
    if (n) {
      let [z, g, u] = n;
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
    for (let n = 0; n < 26; ++n) {
      let o = String.fromCharCode(65 + n), s = String.fromCharCode(97 + n), a = e.test(o), i = e.test(s);
      a !== i && (t += a ? s : o);
    }
    return t;
  };
  var Qt = (r3, e, t, n = true, o = 1) => {
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
        if (t && n) {
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
    let e = "", t = -1, n = false, o = false, s = [], a = (i) => {
      t = e.length, e += i, n = false;
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
          s.push([e.length, o]), l && (o = true), e += d, n = false, i += p.length;
          continue;
        }
        case ")":
          e += c, [t, o] = s.pop() ?? [-1, false], n = false, ++i;
          continue;
        case "|":
          e += c, t = -1, n = false, ++i;
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
          d === "+" || d === "*" ? (e = `${e.slice(0, t)}(?:${e.slice(t)}{${p}})${d}`, ++i) : e += `{${p}}`, n = true;
          continue;
        }
        case "}":
          a("\\}"), ++i;
          continue;
        case "+":
          if (n) {
            ++i;
            continue;
          }
          e += c, n = true, ++i;
          continue;
        case "*":
        case "?":
          e += c, n = true, ++i;
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
    let n = [], o = 0;
    for (; o < r3.length; ) {
      if (n.push(r3[o]), (e.get(r3[o]) ?? t) !== t) {
        ++o;
        continue;
      }
      for (; ++o < r3.length && (e.get(r3[o]) ?? t) === t; ) e.get(n.at(-1)) !== t && (n[n.length - 1] += r3[o]);
    }
    return n;
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
    let t = [], n = 0;
    for (let o of r3.matchAll(e)) {
      let s = o[0];
      n < o.index && t.push(r3.slice(n, o.index)), s.length > 0 && t.push(s), n = o.index + s.length;
    }
    return n < r3.length && t.push(r3.slice(n)), t;
  };
  var V = (r3) => r3.replace(/\p{M}/gu, "");
  var Q = (r3, e, t = []) => {
    if (!r3 || Array.isArray(r3) || typeof r3 != "object") return `${e} must be a valid object`;
    for (let n of t) if (!(n in r3)) return `${e} must contain a "${n}" property`;
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
      for (let n = 0; n < e.length; ++n) {
        let o = e[n], s = o.charCodeAt(0);
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
      for (let n of e) {
        let o = n.charCodeAt(0);
        o === 0 || o === 65533 || this.is_control(n) || (/^\s$/.test(n) ? t.push(" ") : t.push(n));
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
      return e = e.replace(/[\u0001-\u0008\u000B\u000E-\u001F\u007F\u008F\u009F]/gm, ""), e = e.replace(/[\u0009\u000A\u000C\u000D\u00A0\u1680\u2000-\u200F\u2028\u2029\u202F\u205F\u2581\u3000\uFEFF\uFFFD]/gm, " "), e.includes("～") ? e = e.split("～").map((n) => n.normalize("NFKC")).join("～") : e = e.normalize("NFKC"), e;
    }
  };
  var se = oe;
  var ie = class extends h {
    constructor(e) {
      super(e), this.normalizers = (e.normalizers ?? []).map((t) => L(t));
    }
    normalize(e) {
      return this.normalizers.reduce((t, n) => n ? n.normalize(t) : t, e);
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
      return (Array.isArray(e) ? e.map((n) => this.pre_tokenize_text(n, t)) : this.pre_tokenize_text(e, t)).flat();
    }
    _call(e, t) {
      return this.pre_tokenize(e, t);
    }
  };
  var f = ve;
  var Ne = (() => {
    let r3 = [...Array.from({ length: 94 }, (o, s) => s + 33), ...Array.from({ length: 12 }, (o, s) => s + 161), ...Array.from({ length: 82 }, (o, s) => s + 174)], e = r3.slice(), t = 0;
    for (let o = 0; o < 256; ++o) r3.includes(o) || (r3.push(o), e.push(256 + t), t += 1);
    let n = e.map((o) => String.fromCharCode(o));
    return Object.fromEntries(r3.map((o, s) => [o, n[s]]));
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
      let { section_index: n = void 0 } = t ?? {}, o = e.replaceAll(" ", this.str_rep);
      return !o.startsWith(this.replacement) && (this.prepend_scheme === "always" || this.prepend_scheme === "first" && n === 0) && (o = this.str_rep + o), [o];
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
      return this.tokenizers.reduce((n, o) => o ? o.pre_tokenize(n, t) : n, [e]);
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
      for (let n = 0; n < e.length; n += this._length) t.push(e.slice(n, n + this._length));
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
      for (let [n, o] of this.tokens_to_ids) this.vocab[o] = n;
    }
    encode(t) {
      let n = [];
      for (let o of t) {
        let s = [...o];
        if (s.length > this.max_input_chars_per_word) {
          n.push(this.unk_token);
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
        a ? n.push(this.unk_token) : n.push(...c);
      }
      return n;
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
      for (let n of e) {
        let o = t.children.get(n);
        o === void 0 && (o = I.default(), t.children.set(n, o)), t = o;
      }
      t.is_leaf = true;
    }
    *common_prefix_search(e, t = 0) {
      let n = this.root;
      if (n === void 0) return;
      let o = "";
      for (let s = t; s < e.length; ++s) {
        let a = e[s];
        if (o += a, n = n.children.get(a), n === void 0) return;
        n.is_leaf && (yield o);
      }
    }
  };
  var cr = Qe;
  var M = class r2 {
    constructor(e, t, n, o, s) {
      this.token_id = e, this.node_id = t, this.pos = n, this.length = o, this.score = s, this.prev = null, this.backtrace_score = 0;
    }
    clone() {
      let e = new r2(this.token_id, this.node_id, this.pos, this.length, this.score);
      return e.prev = this.prev, e.backtrace_score = this.backtrace_score, e;
    }
  };
  var et = class {
    constructor(e, t, n) {
      this.chars = Array.from(e), this.len = this.chars.length, this.bos_token_id = t, this.eos_token_id = n, this.nodes = [], this.begin_nodes = Array.from({ length: this.len + 1 }, () => []), this.end_nodes = Array.from({ length: this.len + 1 }, () => []);
      let o = new M(this.bos_token_id ?? 0, 0, 0, 0, 0), s = new M(this.eos_token_id ?? 0, 1, this.len, 0, 0);
      this.nodes.push(o.clone()), this.nodes.push(s.clone()), this.begin_nodes[this.len].push(s), this.end_nodes[0].push(o);
    }
    insert(e, t, n, o) {
      let s = this.nodes.length, a = new M(o, s, e, t, n);
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
      let n = [], s = this.begin_nodes[e][0].prev;
      if (s === null) return [];
      let a = s.clone();
      for (; a.prev !== null; ) n.push(a.clone()), a = a.clone().prev.clone();
      return n.reverse(), n;
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
    for (let n = 1; n < r3.length; ++n) r3[n] < e && (e = r3[n], t = n);
    return [e, t];
  }
  var tt = class extends P {
    constructor(e, t) {
      super(e);
      let n = e.vocab.length;
      this.vocab = new Array(n), this.scores = new Array(n);
      for (let o = 0; o < n; ++o) [this.vocab[o], this.scores[o]] = e.vocab[o];
      this.unk_token_id = e.unk_id, this.unk_token = this.vocab[e.unk_id], this.tokens_to_ids = new Map(this.vocab.map((o, s) => [o, s])), this.bos_token = " ", this.bos_token_id = this.tokens_to_ids.get(this.bos_token), this.eos_token = t, this.eos_token_id = this.tokens_to_ids.get(this.eos_token), this.unk_token = this.vocab[this.unk_token_id], this.min_score = pr(this.scores)[0], this.unk_score = this.min_score - 10, this.scores[this.unk_token_id] = this.unk_score, this.trie = new cr(), this.trie.extend(this.vocab), this.fuse_unk = true;
    }
    populate_nodes(e) {
      let t = e.chars, n = 1, o = 0;
      for (; o < t.length; ) {
        let s = false, a = this.trie.common_prefix_search(t, o);
        for (let i of a) {
          let c = this.tokens_to_ids.get(i), l = this.scores[c], p = nr(i);
          e.insert(o, p, l, c), !s && p === n && (s = true);
        }
        s || e.insert(o, n, this.unk_score, this.unk_token_id), o += n;
      }
    }
    tokenize(e) {
      let t = new lr(e, this.bos_token_id, this.eos_token_id);
      return this.populate_nodes(t), t.tokens();
    }
    encode(e) {
      let t = [];
      for (let n of e) {
        let o = this.tokenize(n);
        t.push(...o);
      }
      return t;
    }
  };
  var j = tt;
  var rt = class {
    constructor(e = (n, o) => n > o, t = 1 / 0) {
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
        let n = this._smallest();
        this._comparator(t, this._heap[n]) && (this._heap[n] = t, this._sift_up_from(n));
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
      let n = this._heap[e];
      this._heap[e] = this._heap[t], this._heap[t] = n;
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
      for (let [n, o] of this.tokens_to_ids) this.vocab[o] = n;
      let t = Array.isArray(e.merges[0]);
      this.merges = t ? e.merges : e.merges.map((n) => n.split(" ", 2)), this.bpe_ranks = new Map(this.merges.map((n, o) => [JSON.stringify(n), o])), this.end_of_word_suffix = e.end_of_word_suffix, this.continuing_subword_suffix = e.continuing_subword_suffix ?? null, this.byte_fallback = this.config.byte_fallback ?? false, this.byte_fallback && (this.text_encoder = new TextEncoder()), this.ignore_merges = this.config.ignore_merges ?? false, this.max_length_to_cache = 256, this.cache_capacity = 1e4, this.cache = new ur(this.cache_capacity);
    }
    clear_cache() {
      this.cache.clear();
    }
    bpe(e) {
      if (e.length === 0) return [];
      let t = this.cache.get(e);
      if (t !== void 0) return t;
      let n = Array.from(e);
      this.end_of_word_suffix && (n[n.length - 1] += this.end_of_word_suffix);
      let o = [];
      if (n.length > 1) {
        let s = new dr((c, l) => c.score < l.score), a = { token: n[0], bias: 0, prev: null, next: null }, i = a;
        for (let c = 1; c < n.length; ++c) {
          let l = { bias: c / n.length, token: n[c], prev: i, next: null };
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
      } else o = n;
      if (this.continuing_subword_suffix) for (let s = 0; s < o.length - 1; ++s) o[s] += this.continuing_subword_suffix;
      return e.length < this.max_length_to_cache && this.cache.put(e, o), o;
    }
    add_node(e, t) {
      let n = this.bpe_ranks.get(JSON.stringify([t.token, t.next.token]));
      n !== void 0 && (t.score = n + t.bias, e.push(t));
    }
    encode(e) {
      let t = [];
      for (let n of e) {
        if (this.ignore_merges && this.tokens_to_ids.has(n)) {
          t.push(n);
          continue;
        }
        let o = this.bpe(n);
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
      let n = e.vocab;
      this.tokens_to_ids = O(t.target_lang ? n[t.target_lang] : n), this.bos_token = t.bos_token, this.bos_token_id = this.tokens_to_ids.get(this.bos_token), this.eos_token = t.eos_token, this.eos_token_id = this.tokens_to_ids.get(this.eos_token), this.pad_token = t.pad_token, this.pad_token_id = this.tokens_to_ids.get(this.pad_token), this.unk_token = t.unk_token, this.unk_token_id = this.tokens_to_ids.get(this.unk_token), this.vocab = new Array(this.tokens_to_ids.size);
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
    post_process(e, t = null, n = true) {
      let o = t === null ? this.config.single : this.config.pair, s = [], a = [];
      for (let i of o) "SpecialToken" in i ? n && (s.push(i.SpecialToken.id), a.push(i.SpecialToken.type_id)) : "Sequence" in i && (i.Sequence.id === "A" ? (s = k(s, e), a = k(a, new Array(e.length).fill(i.Sequence.type_id))) : i.Sequence.id === "B" && (s = k(s, t), a = k(a, new Array(t.length).fill(i.Sequence.type_id))));
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
    post_process(e, t = null, n = true) {
      n && (e = k([this.cls[0]], e, [this.sep[0]]));
      let o = new Array(e.length).fill(0);
      if (t) {
        let s = [], a = n ? [this.sep[0]] : [];
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
    post_process(e, t, n = true) {
      n && (e = k([this.cls[0]], e, [this.sep[0]]));
      let o = new Array(e.length).fill(0);
      if (t) {
        let s = n ? [this.sep[0]] : [], a = n ? [this.sep[0]] : [];
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
    post_process(e, t = null, n = true) {
      let o = { tokens: e, tokens_pair: t };
      for (let s of this.processors) o = s.post_process(o.tokens, o.tokens_pair, n);
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
      let t = e.join(""), n = new Uint8Array([...t].map((o) => this.byte_decoder[o]));
      return this.text_decoder.decode(n);
    }
    decode_chain(e) {
      let t = [], n = [];
      for (let o of e) this.added_tokens.find((s) => s.content === o) !== void 0 ? (n.length > 0 && (t.push(this.convert_tokens_to_string(n)), n = []), t.push(o)) : n.push(o);
      return n.length > 0 && t.push(this.convert_tokens_to_string(n)), t;
    }
  };
  var zt = kt;
  var bt = class extends _ {
    constructor(e) {
      super(e), this.cleanup = e.cleanup;
    }
    decode_chain(e) {
      return e.map((t, n) => {
        if (n !== 0) {
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
      for (let n = 0; n < e.length; ++n) {
        let o = e[n].replaceAll(this.replacement, " ");
        n == 0 && o.startsWith(" ") && (o = o.substring(1)), t.push(o);
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
      return e.map((t, n) => t.replaceAll(this.suffix, n === e.length - 1 ? "" : " "));
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
      return this.decoders.reduce((t, n) => n.decode_chain(t), e);
    }
  };
  var Et = Nt;
  var At = class extends _ {
    constructor(e) {
      super(e), this.pattern = N(this.config.pattern);
    }
    decode_chain(e) {
      let t = this.config.content ?? "", n = this.pattern;
      return n === null ? e : e.map((o) => o.replaceAll(n, t));
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
        let n = 0;
        for (let s = 0; s < this.start && t[s] === this.content; ++s) {
          n = s + 1;
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
        return t.slice(n, o);
      });
    }
  };
  var $t = Rt;
  var Mt = class extends _ {
    constructor(e) {
      super(e), this.text_decoder = new TextDecoder();
    }
    decode_chain(e) {
      let t = [], n = [];
      for (let o of e) {
        let s = null;
        if (o.length === 6 && o.startsWith("<0x") && o.endsWith(">")) {
          let a = parseInt(o.slice(3, 5), 16);
          isNaN(a) || (s = a);
        }
        if (s !== null) n.push(s);
        else {
          if (n.length > 0) {
            let a = this.text_decoder.decode(Uint8Array.from(n));
            t.push(a), n = [];
          }
          t.push(o);
        }
      }
      if (n.length > 0) {
        let o = this.text_decoder.decode(Uint8Array.from(n));
        t.push(o), n = [];
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
      let n = Q(e, "Tokenizer", ["model", "decoder", "post_processor", "pre_tokenizer", "normalizer"]);
      if (n) throw new Error(n);
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
    encode(e, { text_pair: t = null, add_special_tokens: n = true, return_token_type_ids: o = null } = {}) {
      let { tokens: s, token_type_ids: a } = this.tokenize_helper(e, { text_pair: t, add_special_tokens: n }), i = s.map((l) => this.added_tokens_map.get(l)?.id ?? this.model.tokens_to_ids.get(l) ?? this.model.unk_token_id), c = { ids: i, tokens: s, attention_mask: new Array(i.length).fill(1) };
      return o && a && (c.token_type_ids = a), c;
    }
    decode(e, t = {}) {
      if (!Array.isArray(e) || e.length === 0 || !rr(e[0])) throw Error("token_ids must be a non-empty array of integers.");
      let n = e.map((s) => this.model.vocab[Number(s)] ?? this.model.unk_token);
      t.skip_special_tokens && (n = n.filter((s) => !this.special_tokens.includes(s)));
      let o = this.decoder ? this.decoder(n) : n.join(" ");
      return this.decoder && this.decoder.end_of_word_suffix && (o = o.replaceAll(this.decoder.end_of_word_suffix, " "), t.skip_special_tokens && (o = o.trim())), (t.clean_up_tokenization_spaces ?? this.clean_up_tokenization_spaces) && (o = D(o)), o;
    }
    tokenize(e, { text_pair: t = null, add_special_tokens: n = false } = {}) {
      return this.tokenize_helper(e, { text_pair: t, add_special_tokens: n }).tokens;
    }
    encode_text(e) {
      if (e === null) return null;
      let t = this.splitter_unnormalized.split(e);
      return t.forEach((n, o) => {
        let s = this.added_tokens_map.get(n);
        s && (s.lstrip && o > 0 && (t[o - 1] = t[o - 1].trimEnd()), s.rstrip && o < t.length - 1 && (t[o + 1] = t[o + 1].trimStart()));
      }), t.flatMap((n, o) => {
        if (n.length === 0) return [];
        if (this.added_tokens_map.has(n)) return [n];
        if (this.remove_space === true && (n = n.trim().split(/\s+/).join(" ")), this.do_lowercase_and_remove_accent && (n = or(n)), this.normalizer !== null && (n = this.normalizer(n)), n.length === 0) return [];
        let s = this.splitter_normalized.split(n);
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
    tokenize_helper(e, { text_pair: t = null, add_special_tokens: n = true }) {
      let o = this.encode_text(e), s = this.encode_text(t || null);
      return this.post_processor ? this.post_processor(o, s, n) : { tokens: k(o ?? [], s ?? []) };
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
      for (let n = 0; n < this.model.vocab.length; ++n) {
        let o = this.model.vocab[n];
        (e || !this.added_tokens_map.has(o)) && t.set(o, n);
      }
      return t;
    }
  };
  var Lr = Ft;

  // web/engine/newer.ts
  var NEWER = [
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
  ].join(" ");
  var STEPS = /* @__PURE__ */ new Set([
    ...["NFD", "NFKC", "NFKD", "StripAccents", "BertNormalizer"],
    ...["Whitespace", "BertPreTokenizer", "ByteLevel"]
  ]);
  var affected = (layout) => layout !== null && (STEPS.has(layout.type) || [...layout.normalizers ?? [], ...layout.pretokenizers ?? []].some(affected));
  var letters = new RegExp(
    `[${NEWER.split(" ").map((range) => range.replace(/[0-9A-F]+/g, "\\u{$&}")).join("")}]`,
    "gu"
  );
  function doubtful(text, ...steps) {
    return steps.some(affected) ? [...new Set(text.match(letters))] : [];
  }

  // web/engine/charsmap.ts
  var LONGEST_GRAPHEME = 5;
  function precompiled(charsmap) {
    const bytes = Uint8Array.from(atob(charsmap), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const end = bytes.length >= 4 ? 4 + view.getUint32(0, true) : 0;
    const unit = (n) => 4 + 4 * n + 4 <= end ? view.getUint32(4 + 4 * n, true) : 2147483648;
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

  // web/engine/steps.ts
  var SPACE = "\\p{White_Space}";
  var LETTER = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
  var SIGN = "\\p{P}\\u0021-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007E";
  var parts = (pattern) => {
    const compiled = new RegExp(pattern, "gu");
    return (text) => text.match(compiled) ?? [];
  };
  var lowercase = (text) => Array.from(text, (letter) => letter.toLowerCase()).join("");
  var CHINESE = new RegExp(
    `[${[
      "4E00-9FFF",
      "3400-4DBF",
      "20000-2A6DF",
      "2A700-2B73F",
      "2B740-2B81F",
      "2B920-2CEAF",
      "F900-FAFF",
      "2F800-2FA1F"
    ].map((range) => range.replace(/[0-9A-F]+/g, "\\u{$&}")).join("")}]`,
    "gu"
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
      const ends = new RegExp(`${left ? `^${SPACE}+` : "$^"}|${right ? `${SPACE}+$` : "$^"}`, "gu");
      step.normalize = (text) => text.replace(ends, "");
    },
    WhitespaceSplit: (step) => {
      step.pre_tokenize_text = parts(`[^${SPACE}]+`);
    },
    Whitespace: (step) => {
      step.pre_tokenize_text = parts(`[${LETTER}]+|[^${LETTER}${SPACE}]+`);
    },
    BertPreTokenizer: (step) => {
      step.pre_tokenize_text = parts(`[^${SPACE}${SIGN}]+|[${SIGN}]`);
    },
    ByteLevel: (step) => {
      const { source } = step.pattern ?? /$^/;
      step.pattern = new RegExp(source.replaceAll("\\s", SPACE).replaceAll("\\S", "\\P{White_Space}"), "gu");
    },
    Metaspace: (step, { split, replacement = "▁" }) => {
      if (split === false) return;
      const whole = step.pre_tokenize_text?.bind(step);
      const cut = (text) => text.split(replacement).flatMap((part, n) => n ? replacement + part : part || []);
      step.pre_tokenize_text = (text, options) => whole?.(text, options).flatMap(cut) ?? [];
    }
  };
  function correct(step, layout) {
    if (!step || !layout) return;
    STEPS2[layout.type]?.(step, layout);
    layout.normalizers?.forEach((inner, n) => correct(step.normalizers?.[n] ?? null, inner));
    layout.pretokenizers?.forEach((inner, n) => correct(step.tokenizers?.[n] ?? null, inner));
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

  // web/engine/tokenizer.ts
  var UnreadableError = class extends Error {
  };
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
    /** The ids of a text, with what stands around it. Throws an `UnreadableError`. */
    read(text) {
      const { before, after, specials, pipeline } = this.layout;
      const inner = this.textIds(text);
      if (!inner.length) {
        throw new UnreadableError(
          "The sentence holds no character that this model reads; give at least one word."
        );
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
        throw new UnreadableError("This vocabulary does not know a character of the text; leave it out.");
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
      return shown2.map((label, n) => {
        const starts = n === 0 || special(ids[n - 1]);
        const joins = starts && !special(ids[n]) && label.length > 1 && label.startsWith(JOIN_MARK);
        return joins ? label.slice(JOIN_MARK.length) : label;
      });
    }
  };

  // web/engine/unpack.ts
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
    const inflate = async () => {
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
      const writer = writable.getWriter();
      for (const block of blocks2) {
        const text = atob(block);
        const part = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++) part[i] = text.charCodeAt(i);
        await writer.write(part);
        await pause();
      }
      await writer.close();
    };
    try {
      await Promise.all([inflate(), feed()]);
    } catch {
      throw damaged;
    }
    return bytes;
  }

  // web/engine/engine.ts
  var Engine = class {
    /** Throws an Error of one sentence for bytes that are no packed model, or one that cannot run here. */
    constructor(bytes) {
      const blob = new Blob16(bytes);
      const { source, target, examples } = blob.header;
      this.model = new Model(blob);
      this.source = new TextReader(source);
      this.target = target ? new TextReader(target) : this.source;
      this.examples = examples;
    }
    /** The ids of a source. Throws an Error of one sentence for one that is empty or too long for the model. */
    read(text) {
      if (!text.trim()) throw new Error("The sentence is empty; give at least one word.");
      const reading = this.source.read(text);
      const [length, most] = [reading.ids.length, this.model.config.max_length];
      if (length > most) {
        throw new Error(
          `The sentence is ${length} tokens long; this model reads at most ${most}, so shorten it or split it.`
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
    for (let i = 0, n = 0; i < rows; i++) {
      for (let j2 = 0; j2 < cols; j2++, n++) {
        const v2 = at2(i, j2);
        index[n] = Number.isNaN(v2) ? -1 : position(v2);
      }
    }
    return index;
  }
  function makeSheet({ rows, cols, reads, written = rows.length }, at2, table, look = {}) {
    const { scale = "weight", top = 1, unit = "share" } = look;
    const low = look.low ?? (scale === "log" ? logFloor(cols.length) : 0);
    const index = indexOf(rows.length, cols.length, at2, placer(scale, top, low));
    return { rows, cols, reads, written, at: at2, index, table, neutral: scale === "diverging" ? 128 : 0, unit };
  }

  // web/marks/labels.ts
  var READ_SIZE = 0.92;
  var readSize = (size, u) => typeSize(READ_SIZE * size / u, u);
  var readPart = (read) => read === void 0 ? "" : `${visible(read)} → `;
  var every = (need, have) => Math.max(1, Math.ceil(need / have));
  function chosenLabels(from, to, step, active) {
    if (step === 1) return Array.from({ length: to - from }, (_2, i) => from + i);
    const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
    const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_2, i) => from + i * step);
    return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
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
  function slice(n, count, from, to) {
    const start = from + Math.floor(n * (to - from) / count);
    return [start, Math.max(start + 1, from + Math.floor((n + 1) * (to - from) / count))];
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
    const n = (x) => Math.round(x * 100) / 100;
    const paths = /* @__PURE__ */ new Map();
    let runs = 0;
    for (let i = r0; i < Math.min(r1, sheet.written); i++) {
      for (let j2 = c0; j2 < c1; ) {
        const v2 = sheet.index[i * sheet.cols.length + j2];
        let end = j2 + 1;
        while (end < c1 && sheet.index[i * sheet.cols.length + end] === v2) end++;
        if (v2 >= 0) {
          const corner = `M${n(box.x + (j2 - c0) * cw)} ${n(box.y + (i - r0) * ch)}`;
          paths.set(v2, `${paths.get(v2) ?? ""}${corner}h${n((end - j2) * cw)}v${n(ch)}h${n(-(end - j2) * cw)}z`);
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
  var HIDDEN = "hidden";
  var READS_UP_TO = 14;
  var PINNED_ROOM = 122;
  var READS_FROM = 300;
  var TILTS = [38, 58, 72];
  var widest = (labels2, size, most) => Math.min(
    most,
    labels2.reduce((w2, label) => Math.max(w2, textWidth(visible(label), size)), 0)
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
  function pairWidth({ reads = [], rows, written }, [from, to], size, u, most) {
    const widths = rows.slice(from, Math.min(to, written)).map(
      (word, n) => textWidth(readPart(reads[from + n]), readSize(size, u)) + textWidth(visible(word), size, true, 600)
    );
    return Math.min(most, Math.max(0, ...widths));
  }
  function heatGeometry(sheet, room, u, {
    tall = 560,
    area = null,
    cap = 46,
    words: words2 = 0,
    deep = 0
  } = {}) {
    const [r0, r1, c0, c1] = area ?? wholeOf(sheet);
    const [rows, cols] = [r1 - r0, c1 - c0];
    const size = 13 * u;
    const many = Math.max(rows, cols) > 150;
    const own = widest(sheet.rows.slice(r0, r1), size, (many ? 74 : 110) * u);
    const { reads, both } = roomOfReads(sheet, [r0, r1], room, u);
    const left = Math.max(words2 * u, own, both) + 10 * u;
    const reach = widest(sheet.cols.slice(c0, c1), size, (many ? 80 : 104) * u);
    const last = Math.min(reach, textWidth(visible(sheet.cols[c1 - 1] ?? ""), size));
    const slot = Math.min(cap * u, (room - left - last * 0.8) / cols);
    const lean = TILTS.find((degrees) => apart(degrees, u) <= slot) ?? TILTS[TILTS.length - 1];
    const [sine, cosine] = [Math.sin(radians(lean)), Math.cos(radians(lean))];
    const top = reach * sine + 16 * u;
    const leans = (length) => length * cosine + 9 * u * sine + 2 * u;
    const aside = sheet.hidden || sheet.aside ? 14 * u + leans(textWidth(HIDDEN, size)) : 0;
    const over = Math.max((aside ? 44 : 4) * u, leans(last) - slot / 2, aside);
    const cw = Math.max(0.5, Math.min(cap * u, (room - left - over) / cols));
    const ch = rows * 15 * u <= tall * u ? Math.max(15 * u, Math.min(deep ? deep * u : Math.min(cw, 30 * u), tall * u / rows)) : tall * u / rows;
    const box = { x: left, y: top, w: cw * cols, h: ch * rows };
    return {
      ...{ u, size, area: [r0, r1, c0, c1], box, cw, ch, lean },
      aside: left + box.w + 8 * u,
      labelRoom: { row: left - 10 * u, col: reach },
      reads,
      width: left + box.w + over,
      height: top + box.h + 4 * u,
      rowEvery: every(14 * u, ch),
      colEvery: every(apart(lean, u), cw)
    };
  }
  var radians = (degrees) => degrees * Math.PI / 180;
  var apart = (degrees, u) => 12.5 * u / Math.sin(radians(degrees));
  var rowY = (g, i) => g.box.y + (i - g.area[0]) * g.ch;
  var columnX = (g, j2) => g.box.x + (j2 - g.area[2]) * g.cw;

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
        const fill = v2 < 0 ? c.soft : sheet.table[v2];
        if (v2 >= 0 || i >= sheet.written || sheet.empty?.[i]) p.rect(x, y2, w2, h2, { fill, radius });
        else p.circle(x + g.cw / 2, y2 + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
        const number = v2 >= 0 && readable ? cellNumber(sheet, i, j2, focus.rows.has(i)) : "";
        if (!number) continue;
        const size = fits2 * Math.min(1, (w2 - 3 * g.u) / textWidth(number, fits2, false));
        if (!legible(size, g.u)) continue;
        const weight = isPinned(focus, i, j2) ? 700 : 400;
        const pen = { size, weight, align: "center", baseline: "middle", fill: readableOn(fill, c) };
        p.text(x + w2 / 2, y2 + h2 / 2 + 0.5, number, pen);
      }
    }
  };
  var labels = (sheet, focus, c) => (p, g) => {
    const [r0, r1, c0, c1] = g.area;
    const label = (words2, x, y2, on, o) => p.text(x, y2, words2, {
      size: g.size,
      mono: true,
      fill: on ? c.ink : c.muted,
      weight: on ? 600 : 400,
      ...o
    });
    for (const i of chosenLabels(r0, r1, g.rowEvery, focus.rows)) {
      const written = i < sheet.written;
      const words2 = written ? shorten(visible(sheet.rows[i]), g.labelRoom.row, g.size) : "·";
      const inFocus = written && focus.rows.has(i);
      const on = inFocus || written && !isSpecial(sheet.rows[i]);
      const bold = inFocus || written && Boolean(sheet.reads?.length);
      const pen = { align: "right", baseline: "middle", weight: bold ? 600 : 400 };
      if (inFocus && focus.colour) pen.fill = focus.colour;
      const [right, y2] = [g.box.x - 8 * g.u, rowY(g, i) + g.ch / 2];
      label(words2, right, y2, on, pen);
      if (!written || !sheet.reads?.length || !(g.reads === "all" || inFocus)) continue;
      const width = textWidth(words2, g.size, true, pen.weight);
      const size = readSize(g.size, g.u);
      const read = shorten(readPart(sheet.reads[i]), g.labelRoom.row - width, size);
      p.text(right - width, y2, read, { size, mono: true, align: "right", baseline: "middle", fill: c.muted });
    }
    for (const j2 of chosenLabels(c0, c1, g.colEvery, focus.cols)) {
      const words2 = shorten(visible(sheet.cols[j2]), g.labelRoom.col, g.size);
      const x = columnX(g, j2) + g.cw / 2 + 2 * g.u;
      const pen = { rotate: -g.lean };
      if (focus.cols.has(j2) && focus.colour) pen.fill = focus.colour;
      label(words2, x, g.box.y - 5 * g.u, focus.cols.has(j2), pen);
    }
  };
  var hiddenShares = (sheet, focus, c) => (p, g) => {
    const [r0, r1] = g.area;
    for (const i of chosenLabels(r0, Math.min(r1, sheet.written), g.rowEvery, focus.rows)) {
      const words2 = spokenPercent(sheet.hidden?.[i] ?? 0).replace("less than", "<");
      const fill = focus.rows.has(i) ? c.ink : c.muted;
      const weight = sheet.empty?.[i] ? 600 : 400;
      p.text(g.aside, rowY(g, i) + g.ch / 2, words2, {
        size: typeSize(11.5, g.u),
        baseline: "middle",
        fill,
        weight
      });
    }
    p.text(g.aside + 6 * g.u, g.box.y - 5 * g.u, HIDDEN, {
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
    labels(sheet, focus, c),
    ...sheet.hidden ? [hiddenShares(sheet, focus, c)] : [],
    outlines(sheet, focus, c)
  ];

  // web/base/slide.ts
  var EMBEDDED = new URLSearchParams(globalThis.location?.search ?? "").get("embed") === "1";

  // export/report.ts
  function listenForModes(redraw) {
    const prefersDark = matchMedia("(prefers-color-scheme: dark)");
    prefersDark.addEventListener("change", redraw);
    document.getElementById("mode")?.addEventListener("click", () => {
      const { dataset } = document.documentElement;
      const dark = dataset.mode ? dataset.mode === "dark" : prefersDark.matches;
      dataset.mode = dark ? "light" : "dark";
      redraw();
    });
  }

  // export/live/live.ts
  var find = (selector) => document.querySelector(selector);
  var blocks = () => [...document.querySelectorAll("script.model")].map((node) => {
    const text = node.textContent;
    node.remove();
    return text.trim();
  });
  function warning({ unknown, doubtful: doubtful2 }) {
    if (doubtful2.length) {
      const letters2 = doubtful2.map((letter) => `“${letter}”`).join(", ");
      return `This page may read ${letters2} otherwise than the model's own tokenizer.`;
    }
    if (unknown)
      return `The vocabulary lacks ${unknown === 1 ? "one token" : `${unknown} tokens`} of this text.`;
    return "";
  }
  var Live = class {
    canvas = el("canvas", { role: "img" });
    heads = find("#heads");
    status = find(".status");
    picture;
    running = new AbortController();
    engine;
    constructor(page) {
      this.picture = page.stored;
      find(".map").append(this.canvas);
      this.heads.append(...this.choices());
      this.heads.addEventListener("change", () => this.draw());
      listenForModes(() => this.draw());
      new ResizeObserver(() => this.draw()).observe(find(".map"));
      this.show(page.stored);
      this.engine = this.opened(page);
      this.engine.then(
        () => this.say(""),
        (error) => this.say(error.message)
      );
      find("form").addEventListener("submit", (event) => {
        event.preventDefault();
        void this.translate(find("#text").value).catch(() => null);
      });
    }
    say(words2) {
      this.status.textContent = words2;
    }
    async opened({ bytes }) {
      if (document.readyState === "loading") {
        await new Promise((go) => document.addEventListener("DOMContentLoaded", go, { once: true }));
      }
      const bar = find("progress");
      this.say("Unpacking the model …");
      const model = await unpacked(blocks(), bytes, (share) => bar.value = share);
      bar.hidden = true;
      return new Engine(model);
    }
    choices() {
      const [layers, heads] = this.picture.cross.shape;
      const names = Array.from({ length: layers * heads }, (_2, n) => `${Math.floor(n / heads)}.${n % heads}`);
      return ["the mean of all heads", ...names.map((name) => `head ${name}`)].map(
        (words2, n) => el("option", { value: String(n - 1) }, words2)
      );
    }
    /** Translates a text and shows it; a run that is not finished yet is given up. */
    async translate(text) {
      this.running.abort();
      find("#text").value = text;
      const { signal } = this.running = new AbortController();
      try {
        const engine = await this.engine;
        const onStep = ({ ids }) => {
          find(".translation").textContent = engine.target.decode(ids);
        };
        const made = await engine.translate(text, {}, { signal, onStep });
        const cross = made.decode.maps("cross");
        this.show({ text: made.text, source: made.source, written: made.written, cross });
        this.say(warning(made));
        return { text: made.text, ids: made.ids };
      } catch (error) {
        if (!signal.aborted) this.say(error.message);
        throw error;
      }
    }
    show(picture) {
      this.picture = picture;
      find(".translation").textContent = picture.text;
      this.draw();
    }
    draw() {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const colours = TOKENS[document.documentElement.dataset.mode ?? (dark ? "dark" : "light")];
      const { source, written, cross } = this.picture;
      const [layers, heads, rows, cols] = cross.shape;
      const chosen = Number(this.heads.value);
      const size = rows * cols;
      const maps = chosen < 0 ? Array.from({ length: layers * heads }, (_2, n) => n) : [chosen];
      const at2 = (i, j2) => maps.reduce((sum2, map) => sum2 + cross.weights[map * size + i * cols + j2], 0) / maps.length;
      const sheet = makeSheet({ rows: written, cols: source }, at2, kindRamp(colours, "cross"));
      const frame = heatGeometry(sheet, find(".map").clientWidth, 1);
      const painter = canvasPainter(fitCanvas(this.canvas, frame.width, frame.height));
      const focus = { rows: /* @__PURE__ */ new Set(), cols: /* @__PURE__ */ new Set() };
      for (const mark of heatmap(sheet, focus, colours)) mark(painter, frame);
      const words2 = this.heads.selectedOptions[0]?.textContent ?? "";
      this.canvas.setAttribute("aria-label", `Cross-attention, ${words2}: ${rows} written tokens, ${cols} read`);
    }
  };
  function live(page) {
    const view = new Live(page);
    const api = { translate: (text) => view.translate(text) };
    Object.assign(window, { atlas: api });
  }
  return __toCommonJS(live_exports);
})();
