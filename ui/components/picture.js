/* Attention maps as pictures: colour positions, heatmaps, bipartite lines, the export menu.
   Used by head_wall, head_detail, joint_view and compare_view on top of base.js.

   A sheet is one map ready to draw:
   { rows, cols: labels; written: rows that exist; at(i, j): number or NaN where attending is not allowed;
     index: Int16Array of table positions, −1 not allowed; table: colours; neutral: the position of "nothing";
     unit: 'share' | 'points' | 'number' }. Rows from `written` on are drawn empty. */

/** The smallest weight the logarithmic scale tells from 0: in long rows half of an even share, so that noise stays pale. */
const logFloor = (keys) => (keys > 128 ? 0.5 / keys : 1e-4);

/** Bytes made by ui/components/levels.py: b stands for (b / 255)². */
const WEIGHT_OF_BYTE = Float32Array.from({ length: 256 }, (_, b) => (b / 255) ** 2);

/** Colours by position 0..255, evenly spaced to the eye. */
const rampTable = (from, to) => Array.from({ length: 256 }, (_, i) => mix(from, to, i / 255));

/** A function from a value to a table position; `top` is drawn in full colour, `low` (log: the floor) in none. */
function placer(scale, top, low = 0) {
  if (scale === 'diverging') return (v) => Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, v / top)));
  if (scale === 'range') return (v) => Math.round(255 * clamp01((v - low) / (top - low || 1)));
  if (scale === 'log') return (v) => (v <= low ? 0 : Math.round(255 * clamp01(1 - Math.log(v / top) / Math.log(low / top))));
  return (v) => Math.round(255 * clamp01(v / top) ** TOKENS.gamma);
}

/** Table positions of a whole map. `at(i, j)` NaN becomes −1. */
function indexOf(rows, cols, at, place) {
  const index = new Int16Array(rows * cols);
  for (let i = 0, n = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, n++) {
      const v = at(i, j);
      index[n] = v !== v ? -1 : place(v);
    }
  }
  return index;
}

const tableRgb = new WeakMap();
function rgbOf(table) {
  if (!tableRgb.has(table)) {
    const rgb = new Uint8ClampedArray(table.length * 3);
    table.forEach((hex, i) => hexToRgb(hex).forEach((c, k) => (rgb[i * 3 + k] = c * 255)));
    tableRgb.set(table, rgb);
  }
  return tableRgb.get(table);
}

/** The map as a small canvas of at most `width` × `height` pixels; where cells share a pixel the strongest is shown. */
function bitmap(sheet, void_, width, height, view = [0, sheet.rows.length, 0, sheet.cols.length]) {
  const [r0, r1, c0, c1] = view;
  const w = Math.max(1, Math.min(c1 - c0, Math.round(width)));
  const h = Math.max(1, Math.min(r1 - r0, Math.round(height)));
  const canvas = el('canvas');
  canvas.width = w;
  canvas.height = h;
  const context = canvas.getContext('2d');
  const image = context.createImageData(w, h);
  const rgb = rgbOf(sheet.table);
  const empty = hexToRgb(void_).map((c) => c * 255);
  const stride = sheet.cols.length;
  for (let y = 0, out = 0; y < h; y++) {
    const top = r0 + Math.floor((y * (r1 - r0)) / h);
    const bottom = Math.max(top + 1, r0 + Math.floor(((y + 1) * (r1 - r0)) / h));
    for (let x = 0; x < w; x++, out += 4) {
      const left = c0 + Math.floor((x * (c1 - c0)) / w);
      const right = Math.max(left + 1, c0 + Math.floor(((x + 1) * (c1 - c0)) / w));
      let best = -1;
      let far = -1;
      for (let i = top; i < bottom && i < sheet.written; i++) {
        for (let j = left; j < right; j++) {
          const v = sheet.index[i * stride + j];
          const distance = v < 0 ? -1 : Math.abs((v & 255) - sheet.neutral);
          if (distance > far) [best, far] = [v, distance];
        }
      }
      for (let k = 0; k < 3; k++) image.data[out + k] = best < 0 ? empty[k] : rgb[best * 3 + k];
      image.data[out + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

const RUNS = 24000; // above, an SVG holds the map as an image instead of shapes

/** The cells as one SVG path per colour: neighbours of a row that look alike become one rectangle. */
function cellPaths(p, sheet, box, view) {
  const [r0, r1, c0, c1] = view;
  const [cw, ch] = [box.w / (c1 - c0), box.h / (r1 - r0)];
  const n = (x) => Math.round(x * 100) / 100;
  const paths = new Map();
  let runs = 0;
  for (let i = r0; i < Math.min(r1, sheet.written); i++) {
    for (let j = c0; j < c1; ) {
      const v = sheet.index[i * sheet.cols.length + j];
      let end = j + 1;
      while (end < c1 && sheet.index[i * sheet.cols.length + end] === v) end++;
      if (v >= 0) {
        const d = `M${n(box.x + (j - c0) * cw)} ${n(box.y + (i - r0) * ch)}h${n((end - j) * cw)}v${n(ch)}h${n(-(end - j) * cw)}z`;
        if (!paths.has(v)) paths.set(v, []);
        paths.get(v).push(d);
        if (++runs > RUNS) return false;
      }
      j = end;
    }
  }
  for (const [v, d] of paths) p.path(d.join(''), { fill: sheet.table[v] });
  return true;
}

/** The map filling a box, without gaps between cells: pixels on a canvas, shapes in an SVG. */
function paintPixels(p, sheet, box, c, view = [0, sheet.rows.length, 0, sheet.cols.length], cache = null) {
  p.rect(box.x, box.y, box.w, box.h, { fill: c.soft });
  if (p.blob && cellPaths(p, sheet, box, view)) return;
  const ratio = p.blob ? 2 : window.devicePixelRatio || 1;
  const id = `${view}/${Math.round(box.w * ratio)}/${Math.round(box.h * ratio)}`;
  if (!cache || cache.id !== id || p.blob) {
    const made = bitmap(sheet, c.soft, box.w * ratio, box.h * ratio, view);
    if (!cache || p.blob) return p.image(box.x, box.y, box.w, box.h, made);
    cache.id = id;
    cache.made = made;
  }
  p.image(box.x, box.y, box.w, box.h, cache.made);
}

/** The same painter with everything moved aside; paths must start every part with an absolute M. */
const shifted = (p, dx, dy) => ({
  ...p,
  rect: (x, y, ...rest) => p.rect(x + dx, y + dy, ...rest),
  circle: (x, y, ...rest) => p.circle(x + dx, y + dy, ...rest),
  line: (points, o) => p.line(points.map(([x, y]) => [x + dx, y + dy]), o),
  curve: (a, b, c, d, o) => p.curve(...[a, b, c, d].map(([x, y]) => [x + dx, y + dy]), o),
  text: (x, y, ...rest) => p.text(x + dx, y + dy, ...rest),
  image: (x, y, ...rest) => p.image(x + dx, y + dy, ...rest),
  path: (d, o) => p.path(d.replace(/M(-?[\d.]+) (-?[\d.]+)/g, (_, x, y) => `M${Number(x) + dx} ${Number(y) + dy}`), o),
});

/** Words broken into lines that fit, for pictures that leave the page. */
function wrapText(words, width, size) {
  const lines = [''];
  for (const word of words.split(' ')) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (textWidth(longer, size, false) > width && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/* ---------- numbers ---------- */

const minus = (text) => text.replace('-', '−');

/** A value as the reader sees it: "59 %", "+12 points", "−0.31". */
function shown(value, unit, digits = 0) {
  if (value !== value) return '—';
  if (unit === 'share') return percent(value, digits);
  if (unit === 'points') return minus(`${value > 0 ? '+' : ''}${(value * 100).toFixed(digits)} points`);
  return minus(value.toFixed(2));
}

/** The same inside a cell, where the unit is known. */
function brief(value, unit) {
  if (unit === 'number') return minus(Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(1));
  const whole = Math.round(value * 100);
  return minus(unit === 'points' && whole > 0 ? `+${whole}` : `${whole}`);
}

/* ---------- heatmap ---------- */

const TILT = 38; // degrees that column labels lean

/** Every how many labels one fits when each needs `need` pixels and has `have`. */
const every = (need, have) => Math.max(1, Math.ceil(need / have));

/** Where everything in a heatmap goes. `room` is the width, `tall` the most the cells may take in height. */
function heatGeometry(sheet, room, u, { tall = 560, view = null, cap = 46 } = {}) {
  const [r0, r1, c0, c1] = view ?? [0, sheet.rows.length, 0, sheet.cols.length];
  const [rows, cols] = [r1 - r0, c1 - c0];
  const size = 13 * u;
  const widest = (labels, most) => Math.min(most, labels.reduce((w, l) => Math.max(w, textWidth(visible(l), size)), 0));
  const many = Math.max(rows, cols) > 150;
  const left = (many ? 74 * u : widest(sheet.rows.slice(r0, r1), 110 * u)) + 10 * u;
  const tilt = (TILT * Math.PI) / 180;
  const reach = many ? 80 * u : widest(sheet.cols.slice(c0, c1), 104 * u);
  const last = Math.min(reach, textWidth(visible(sheet.cols[c1 - 1] ?? ''), size));
  const top = reach * Math.sin(tilt) + 16 * u;
  const over = last * Math.cos(tilt) + 6 * u;
  const cw = Math.max(0.5, Math.min(cap * u, (room - left - Math.max(4 * u, over - 10 * u)) / cols));
  const ch = rows * 15 * u <= tall * u ? Math.max(15 * u, Math.min(cw, 30 * u, (tall * u) / rows)) : (tall * u) / rows;
  const box = { x: left, y: top, w: cw * cols, h: ch * rows };
  return {
    u, size, box, cw, ch, r0, r1, c0, c1,
    labelRoom: { row: left - 10 * u, col: reach },
    width: left + box.w + Math.max(4 * u, over - 10 * u),
    height: top + box.h + 4 * u,
    rowEvery: every(14 * u, ch),
    colEvery: every(15 * u, cw),
    x: (j) => left + (j - c0) * cw,
    y: (i) => top + (i - r0) * ch,
    /** The cell under a point; a label counts as its row or column. */
    hit(px, py) {
      const row = Math.floor((py - box.y) / ch) + r0;
      const col = Math.floor((px - box.x) / cw) + c0;
      const rowIn = py >= box.y && row < r1;
      const colIn = px >= box.x && col < c1;
      if (rowIn && colIn) return { row, col };
      if (rowIn && px < box.x) return { row };
      if (py < box.y) {
        const leaned = Math.floor((px - (box.y - py) / Math.tan(tilt) - box.x) / cw) + c0;
        if (leaned >= c0 && leaned < c1) return { col: leaned };
      }
      return null;
    },
  };
}

/** Which labels to write: every k-th, and the active ones instead of their neighbours. */
function chosenLabels(from, to, step, active) {
  if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
  const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
  const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
  return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
}

function paintCells(p, sheet, g, focus, c) {
  const radius = Math.min(3 * g.u, g.cw / 4, g.ch / 4);
  const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
  const digits = g.cw >= 15.5 * g.u && g.ch >= 12.5 * g.u;
  const fits = Math.min(11 * g.u, g.cw * 0.48, g.ch * 0.72);
  for (let i = g.r0; i < g.r1; i++) {
    for (let j = g.c0; j < g.c1; j++) {
      const v = i < sheet.written ? sheet.index[i * sheet.cols.length + j] : -1;
      const fill = v < 0 ? c.soft : sheet.table[v];
      if (v >= 0 || i >= sheet.written) p.rect(g.x(j), g.y(i), g.cw - gap, g.ch - gap, { fill, radius });
      // Empty on purpose: a cell that may not be attended stays a dot, so it cannot be read as a weight of 0.
      else p.circle(g.x(j) + g.cw / 2, g.y(i) + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
      if (v < 0 || !digits) continue;
      const value = sheet.at(i, j);
      const strong = Math.abs((v & 255) - sheet.neutral) >= (sheet.neutral ? 28 : 96);
      if (!strong && !(focus.rows.has(i) && Math.abs(value) >= 0.01)) continue;
      p.text(g.x(j) + (g.cw - gap) / 2, g.y(i) + (g.ch - gap) / 2 + 0.5, brief(value, sheet.unit), {
        size: fits, align: 'center', baseline: 'middle', fill: readableOn(fill, c),
      });
    }
  }
}

/** The whole heatmap. `focus`: { rows, cols: Sets outlined, cell: {row, col} or null, kind: text colour }. */
function paintHeat(p, sheet, g, focus, c, cache = null) {
  const label = (words, x, y, on, o) =>
    p.text(x, y, words, { size: g.size, mono: true, fill: on ? c.ink : c.muted, weight: on ? 600 : 400, ...o });
  if (g.cw >= 9 * g.u && g.ch >= 9 * g.u) paintCells(p, sheet, g, focus, c);
  else paintPixels(p, sheet, g.box, c, [g.r0, g.r1, g.c0, g.c1], cache);
  for (const i of chosenLabels(g.r0, g.r1, g.rowEvery, focus.rows)) {
    const words = i < sheet.written ? shorten(visible(sheet.rows[i]), g.labelRoom.row, g.size) : '·';
    label(words, g.box.x - 8 * g.u, g.y(i) + g.ch / 2, i < sheet.written && (focus.rows.has(i) || !isDim(sheet.rows[i])), { align: 'right', baseline: 'middle', weight: focus.rows.has(i) ? 600 : 400 });
  }
  for (const j of chosenLabels(g.c0, g.c1, g.colEvery, focus.cols)) {
    label(shorten(visible(sheet.cols[j]), g.labelRoom.col, g.size), g.x(j) + g.cw / 2 + 2 * g.u, g.box.y - 5 * g.u, focus.cols.has(j), { rotate: -TILT });
  }
  const inView = (i, from, to) => i >= from && i < to;
  const frame = (x, y, w, h, width = 1.6) => p.rect(x - 1.5, y - 1.5, w + 2, h + 2, { stroke: c.ink, width: width * Math.min(1.5, g.u), radius: 4 * g.u });
  for (const i of focus.rows) if (inView(i, g.r0, g.r1)) frame(g.box.x, g.y(i), g.box.w, g.ch);
  for (const j of focus.cols) if (inView(j, g.c0, g.c1)) frame(g.x(j), g.box.y, g.cw, Math.min(g.box.h, (sheet.written - g.r0) * g.ch), 1);
}

/** Special tokens such as ⟨end⟩ or </s> are written quieter than words. */
const isDim = (label) => /^⟨.*⟩$|^<\/?[a-z]{1,4}>$/.test(label);

/* ---------- bipartite lines ---------- */

/** Where words and lines go. `top` and `body` place the words beside a heatmap; otherwise `tall` limits the height. */
function linesGeometry(sheet, room, u, { tall = 620, view = null, top = 8 * u, body = null, several = false } = {}) {
  const [r0, r1, c0, c1] = view ?? [0, sheet.rows.length, 0, sheet.cols.length];
  const longest = Math.max(r1 - r0, c1 - c0);
  const size = 14 * u;
  const pitch = Math.max(Math.min(26 * u, (tall * u) / longest), 0.5);
  const height = body ?? Math.max(pitch * longest, 60 * u);
  const widest = (labels) => Math.min(150 * u, labels.reduce((w, l) => Math.max(w, textWidth(visible(l), size)), 0));
  const many = longest > 150;
  const side = (several ? 88 : 46) * u; // room for a percentage
  const left = side + (many ? 90 * u : widest(sheet.rows.slice(r0, r1))) + 16 * u;
  const right = room - side - (many ? 90 * u : widest(sheet.cols.slice(c0, c1))) - 16 * u;
  const rowPitch = height / Math.max(1, r1 - r0);
  const colPitch = height / Math.max(1, c1 - c0);
  return {
    u, size, r0, r1, c0, c1, top, left, right: Math.max(left + 60 * u, right), width: room, height: top + height + 8 * u,
    rowPitch, colPitch, labelRoom: left - side - 16 * u,
    rowEvery: every(15 * u, rowPitch), colEvery: every(15 * u, colPitch),
    y: (i) => top + (i - r0 + 0.5) * rowPitch,
    z: (j) => top + (j - c0 + 0.5) * colPitch,
    hit(px, py) {
      const row = Math.floor((py - top) / rowPitch) + r0;
      const col = Math.floor((py - top) / colPitch) + c0;
      if (px < left + (right - left) * 0.42) return row >= r0 && row < r1 ? { row } : null;
      if (px > left + (right - left) * 0.58) return col >= c0 && col < c1 ? { col } : null;
      return null;
    },
  };
}

const LINES_MOST = 4096; // maps with more cells draw the lines of active tokens only

/** Visits the lines to draw, weakest first: `visit(i, j, strength, on)`. */
function eachLine(sheet, g, focus, threshold, top, visit) {
  const long = (g.r1 - g.r0) * (g.c1 - g.c0) > LINES_MOST;
  const any = focus.rows.size || focus.cols.size;
  const lines = [];
  const consider = (i, j, on) => {
    const value = sheet.at(i, j);
    const strength = Math.abs(value) / top;
    if (strength >= Math.max(threshold, 0.004)) lines.push([i, j, strength, on, value]);
  };
  for (let i = g.r0; i < Math.min(g.r1, sheet.written); i++) {
    const rowOn = focus.rows.has(i);
    if (long && !any) {
      let best = g.c0;
      for (let j = g.c0; j < g.c1; j++) if (!(Math.abs(sheet.at(i, j)) <= Math.abs(sheet.at(i, best)))) best = j;
      consider(i, best, false);
      continue;
    }
    if (long && !rowOn && !focus.cols.size) continue;
    for (let j = g.c0; j < g.c1; j++) {
      const on = rowOn || focus.cols.has(j);
      if (on || !long) consider(i, j, on);
    }
  }
  lines.sort((a, b) => a[3] - b[3] || a[2] - b[2]);
  for (const line of lines) visit(...line, any);
}

/** One head's lines; `hue(value)` gives the colour, `shift` moves them aside when several heads are drawn. */
function paintLines(p, sheet, g, focus, { hue, threshold, top, shift = 0, faint = 1 }) {
  const middle = (g.left + g.right) / 2;
  eachLine(sheet, g, focus, threshold, top, (i, j, strength, on, value, any) => {
    const share = Math.min(1, strength);
    const alpha = any ? (on ? 0.3 + 0.6 * share : 0.04 + 0.2 * share) : (0.1 + 0.5 * share) * faint;
    const [y, z] = [g.y(i) + shift, g.z(j) + shift];
    p.curve([g.left, y], [middle, y], [middle, z], [g.right, z], {
      stroke: hue(value), width: (0.7 + 6 * share) * g.u, alpha,
    });
  });
}

/** Words on both sides; active ones on the attending side are filled, as a pressed button would be. */
function paintLineWords(p, sheet, g, focus, c, kind) {
  const fill = c[kind] ?? c.cross;
  const write = (words, x, y, align, pinned, quiet) => {
    const text = shorten(visible(words), g.labelRoom + 8, g.size);
    if (pinned) {
      const w = textWidth(text, g.size, true, 600) + 16 * g.u;
      p.rect(align === 'right' ? x - w + 8 * g.u : x - 8 * g.u, y - 11 * g.u, w, 22 * g.u, { fill, radius: 6 * g.u });
    }
    p.text(x, y + 0.5, text, { size: g.size, mono: true, align, baseline: 'middle', weight: pinned ? 600 : 400, fill: pinned ? readableOn(fill, { ink: c.background === '#10131b' ? c.background : c.ink, panel: c.panel }) : quiet ? c.muted : c.ink });
  };
  const ticks = (x, at, from, to) => {
    for (let i = from; i < to; i++) p.rect(x, at(i) - 0.5, 3 * g.u, 1, { fill: c.line });
  };
  if (g.rowEvery > 1) ticks(g.left - 5 * g.u, g.y, g.r0, g.r1);
  if (g.colEvery > 1) ticks(g.right + 2 * g.u, g.z, g.c0, g.c1);
  for (const i of chosenLabels(g.r0, g.r1, g.rowEvery, focus.rows)) {
    if (i >= sheet.written) p.text(g.left - 10 * g.u, g.y(i), '·', { align: 'right', baseline: 'middle', size: g.size, fill: c.muted });
    else write(sheet.rows[i], g.left - 10 * g.u, g.y(i), 'right', focus.rows.has(i), isDim(sheet.rows[i]));
  }
  if (g.top > 26 * g.u) {
    p.text(g.left - 10 * g.u, g.top - 12 * g.u, 'attending', { size: 12 * g.u, align: 'right', fill: c.muted });
    p.text(g.right + 10 * g.u, g.top - 12 * g.u, 'attended', { size: 12 * g.u, fill: c.muted });
  }
  const named = new Set([...focus.cols, ...(focus.named ?? [])]);
  for (const j of chosenLabels(g.c0, g.c1, g.colEvery, named)) {
    write(sheet.cols[j], g.right + 10 * g.u, g.z(j), 'left', focus.cols.has(j), isDim(sheet.cols[j]) && !named.has(j));
  }
}

/* ---------- legend ---------- */

/** The numbers under a ramp of weights. */
function weightStops(scale, keys) {
  if (scale !== 'log') return [[0, '0'], [64, '10'], [147, '40'], [255, '100 %']];
  const told = (v) => Number((v * 100).toPrecision(1));
  return [[0, `≤ ${told(logFloor(keys))} %`], [127.5, `${told(Math.sqrt(logFloor(keys)))} %`], [255, '100 %']];
}

/** A ramp with its numbers. `stops`: [[position 0..255, words], …]. */
function paintLegend(p, x, y, u, table, stops, words, c) {
  const [w, h] = [120 * u, 8 * u];
  for (let k = 0; k < 60; k++) p.rect(x + (k * w) / 60, y, w / 60 + 0.6, h, { fill: table[Math.round((k / 59) * 255)] });
  p.rect(x, y, w, h, { stroke: c.line, width: 1 });
  for (const [at, label] of stops) {
    p.text(x + (at / 255) * w, y + h + 12 * u, label, { size: 11 * u, align: at < 20 ? 'left' : at > 235 ? 'right' : 'center', fill: c.muted });
  }
  p.text(x + w + 10 * u, y + h, words, { size: 11 * u, fill: c.muted });
}

/** The legend on a canvas just wide enough for it. */
function fitLegend(canvas, u, words) {
  return canvasPainter(fitCanvas(canvas, 136 * u + textWidth(words, 11 * u, false), 26 * u));
}

/* ---------- leaving: PNG, SVG, CSV ---------- */

const csvCell = (value) => (/[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
const csvText = (rows) => rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';

/** "⤓" with PNG, SVG and CSV. `name()` file name without ending; `size()`; `draw(painter)`; `rows()` of the table. */
function exportMenu(host, { name, size, draw, rows }) {
  const edge = 18; // a margin, as pictures leave the page
  const outer = () => size().map((side) => side + 2 * edge);
  const png = () => {
    const [width, height] = outer();
    const canvas = el('canvas');
    const ratio = Math.max(1, Math.min(2, 8192 / Math.max(width, height)));
    canvas.width = Math.ceil(width * ratio);
    canvas.height = Math.ceil(height * ratio);
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.fillStyle = host.colours.panel;
    context.fillRect(0, 0, width, height);
    draw(shifted(canvasPainter(context), edge, edge));
    canvas.toBlob((blob) => download(blob, `${name()}.png`));
  };
  const svg = () => {
    const painter = svgPainter(...outer(), host.colours.panel);
    draw(shifted(painter, edge, edge));
    download(painter.blob(), `${name()}.svg`);
  };
  const csv = () => download(new Blob(['\ufeff', csvText(rows())], { type: 'text/csv' }), `${name()}.csv`);
  const item = (words, title, action) =>
    el('button', { type: 'button', class: 'menu-item', role: 'menuitem', title, onclick: () => { close(); action(); } }, words);
  const list = el('div', { class: 'menu', role: 'menu', hidden: true },
    item('Picture (PNG)', 'Save this view as PNG', png),
    item('Vector (SVG)', 'Save this view as SVG', svg),
    item('Numbers (CSV)', 'Save the numbers as CSV', csv));
  const button = el('button', { type: 'button', class: 'quiet menu-open', 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': 'Save this view', title: 'Save as PNG, SVG or CSV' }, '⤓');
  const show = (open) => {
    list.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    if (open) list.firstChild.focus();
  };
  const close = () => {
    show(false);
    button.focus();
  };
  button.addEventListener('click', () => show(list.hidden));
  const place = el('span', { class: 'menu-place' }, button, list);
  place.addEventListener('keydown', (event) => {
    const items = [...list.children];
    const now = items.indexOf(event.composedPath()[0]);
    if (event.key === 'Escape' && !list.hidden) close();
    else if (event.key === 'ArrowDown' && now >= 0) items[(now + 1) % items.length].focus();
    else if (event.key === 'ArrowUp' && now >= 0) items[(now + items.length - 1) % items.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener('pointerdown', (event) => !event.composedPath().includes(place) && show(false), { signal: host.signal });
  return place;
}

/** A quiet labelled control: `field('sort', select)`. */
const field = (words, control, after = null) => el('label', { class: 'field' }, el('span', { class: 'field-name' }, words), control, after);

/** A native select that reads as text. `options`: [[value, words], …]. */
function chooser(options, value, change, label) {
  const select = el('select', { class: 'chooser', 'aria-label': label, onchange: () => change(select.value) });
  for (const [id, words] of options) select.append(el('option', { value: id }, words));
  select.value = value;
  return select;
}
