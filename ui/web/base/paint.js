/* Drawing: a view draws with a painter, which puts the same calls on a canvas or into an SVG file. */

import { el } from './dom.js';

const SANS = '"Source Sans", "Source Sans Pro", "Segoe UI", sans-serif';
const MONO = '"Source Code Pro", "Cascadia Mono", Menlo, monospace';

export const TURNED = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u; // written right to left
const FIRST_LETTER = /\p{L}/u;

/** Fits a canvas to a CSS size at the screen's resolution and returns its cleared context. */
export function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Draws on a canvas. Options: fill, stroke, width, alpha, dash, radius; text: size, weight, mono, align, rotate. */
export function canvasPainter(context) {
  const pen = (o) => {
    context.globalAlpha = o.alpha ?? 1;
    context.lineWidth = o.width ?? 1;
    context.lineCap = 'round';
    context.setLineDash(o.dash ?? []);
    if (o.fill) context.fillStyle = o.fill;
    if (o.stroke) context.strokeStyle = o.stroke;
  };
  const ink = (o) => {
    if (o.fill) context.fill();
    if (o.stroke) context.stroke();
  };
  return {
    rect(x, y, w, h, o) {
      pen(o);
      context.beginPath();
      if (o.radius) context.roundRect(x, y, w, h, Math.max(0, Math.min(o.radius, w / 2, h / 2)));
      else context.rect(x, y, w, h);
      ink(o);
    },
    circle(x, y, r, o) {
      pen(o);
      context.beginPath();
      context.arc(x, y, r, 0, 2 * Math.PI);
      ink(o);
    },
    line(points, o) {
      pen(o);
      context.beginPath();
      points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.stroke();
    },
    curve([x0, y0], [x1, y1], [x2, y2], [x3, y3], o) {
      pen(o);
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x1, y1, x2, y2, x3, y3);
      context.stroke();
    },
    path(d, o) {
      pen(o);
      const shape = new Path2D(d);
      if (o.fill) context.fill(shape);
      if (o.stroke) context.stroke(shape);
    },
    image(x, y, w, h, canvas) {
      context.globalAlpha = 1;
      context.imageSmoothingEnabled = false;
      context.drawImage(canvas, x, y, w, h);
    },
    text(x, y, words, o = {}) {
      pen(o);
      context.save();
      context.translate(x, y);
      if (o.rotate) context.rotate((o.rotate * Math.PI) / 180);
      context.font = `${o.weight ?? 400} ${o.size ?? 13}px ${o.mono ? MONO : SANS}`;
      context.textAlign = o.align ?? 'left';
      context.textBaseline = o.baseline ?? 'alphabetic';
      // So that the dot of a continued word stands where its reading begins.
      context.direction = TURNED.test(words.match(FIRST_LETTER)?.[0] ?? '') ? 'rtl' : 'ltr';
      context.fillText(words, 0, 0);
      context.restore();
    },
  };
}

/** The same calls as canvasPainter, collected as an SVG document; `blob()` gives the file. */
export function svgPainter(width, height, background) {
  const space = 'http://www.w3.org/2000/svg';
  const make = (tag, attributes) => {
    const node = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(name, value);
    return node;
  };
  const n = (x) => Math.round(x * 100) / 100;
  const svg = make('svg', { width: n(width), height: n(height), viewBox: `0 0 ${n(width)} ${n(height)}` });
  const paint = (o) => ({
    fill: o.fill ?? 'none',
    stroke: o.stroke,
    'stroke-width': o.stroke ? (o.width ?? 1) : undefined,
    'stroke-linecap': o.stroke ? 'round' : undefined,
    'stroke-dasharray': o.dash?.length ? o.dash.join(' ') : undefined,
    opacity: o.alpha === undefined || o.alpha === 1 ? undefined : n(o.alpha),
  });
  const add = (tag, attributes) => svg.appendChild(make(tag, attributes));
  add('rect', { width: '100%', height: '100%', fill: background });
  return {
    rect: (x, y, w, h, o) => add('rect', { x: n(x), y: n(y), width: n(w), height: n(h), rx: o.radius, ...paint(o) }),
    circle: (x, y, r, o) => add('circle', { cx: n(x), cy: n(y), r: n(r), ...paint(o) }),
    line: (points, o) => add('polyline', { points: points.map((p) => p.map(n).join(',')).join(' '), ...paint(o) }),
    curve: (a, b, c, d, o) =>
      add('path', { d: `M${a.map(n)} C${b.map(n)} ${c.map(n)} ${d.map(n)}`, ...paint(o) }),
    path: (d, o) => add('path', { d, ...paint(o) }),
    image: (x, y, w, h, canvas) =>
      add('image', { x: n(x), y: n(y), width: n(w), height: n(h), href: canvas.toDataURL(), preserveAspectRatio: 'none', style: 'image-rendering:pixelated' }),
    text(x, y, words, o = {}) {
      const node = add('text', {
        x: n(x),
        y: n(y),
        transform: o.rotate ? `rotate(${o.rotate} ${n(x)} ${n(y)})` : undefined,
        'font-family': o.mono ? MONO : SANS,
        'font-size': n(o.size ?? 13),
        'font-weight': o.weight,
        'text-anchor': { center: 'middle', right: 'end', end: 'end' }[o.align],
        'dominant-baseline': o.baseline === 'middle' ? 'central' : undefined,
        'unicode-bidi': 'plaintext',
        ...paint(o),
      });
      // Control characters are not allowed in XML, not even escaped.
      node.textContent = words.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
    },
    blob: () => new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' }),
  };
}

export const measureContext = document.createElement('canvas').getContext('2d');
export function textWidth(words, size, mono = true, weight = 400) {
  measureContext.font = `${weight} ${size}px ${mono ? MONO : SANS}`;
  return measureContext.measureText(words).width;
}

/** The label, cut with … to fit a width in pixels. */
export function shorten(words, width, size, mono = true) {
  if (textWidth(words, size, mono) <= width) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join('')}…`, size, mono) > width) letters.pop();
  return `${letters.join('')}…`;
}

export function download(blob, name) {
  const link = el('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** PNG and SVG buttons. `draw(painter)` repeats the view; `size()` its width and height in CSS pixels. */
export function exportButtons(host, name, size, draw) {
  const png = () => {
    const [width, height] = size();
    const canvas = el('canvas');
    canvas.width = width * 2;
    canvas.height = height * 2;
    const context = canvas.getContext('2d');
    context.scale(2, 2);
    context.fillStyle = host.colours.panel;
    context.fillRect(0, 0, width, height);
    draw(canvasPainter(context));
    canvas.toBlob((blob) => download(blob, `${name}.png`));
  };
  const svg = () => {
    const [width, height] = size();
    const painter = svgPainter(width, height, host.colours.panel);
    draw(painter);
    download(painter.blob(), `${name}.svg`);
  };
  return el(
    'span',
    { class: 'exports' },
    el('button', { type: 'button', class: 'quiet', title: 'Save this picture as PNG', onclick: png }, 'PNG'),
    el('button', { type: 'button', class: 'quiet', title: 'Save this picture as SVG', onclick: svg }, 'SVG'),
  );
}
