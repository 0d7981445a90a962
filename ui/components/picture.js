/* Attention maps as pictures: colour positions, bitmaps, numbers, legends. heatmap.js and bipartite.js draw with
   them; ui/components/map_parts.py says which files make up a map view.

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
