/* Drawing: a view draws with a painter, which puts the same calls on a canvas or into an SVG file. */

import { TOKENS } from '../generated/tokens.ts';
import { TURNED } from './words.ts';

export type Point = [number, number];

export interface Pen {
  fill?: string | null;
  stroke?: string | null;
  width?: number;
  alpha?: number;
  dash?: number[];
  radius?: number;
}

export interface TextPen extends Pen {
  size?: number;
  weight?: number;
  mono?: boolean;
  align?: CanvasTextAlign;
  baseline?: CanvasTextBaseline;
  /** Degrees, clockwise. */
  rotate?: number;
}

/** Pens of words whose left end, right end or centre is at a point, at the middle of their height. */
export const AT_LEFT = { baseline: 'middle' } as const;
export const AT_RIGHT = { align: 'right', baseline: 'middle' } as const;
export const AT_CENTRE = { align: 'center', baseline: 'middle' } as const;

/** Draws on a canvas or into an SVG document, in CSS pixels. */
export interface Painter {
  rect(x: number, y: number, w: number, h: number, pen: Pen): void;
  circle(x: number, y: number, r: number, pen: Pen): void;
  curve(a: Point, b: Point, c: Point, d: Point, pen: Pen): void;
  path(d: string, pen: Pen): void;
  image(x: number, y: number, w: number, h: number, canvas: HTMLCanvasElement): void;
  text(x: number, y: number, words: string, pen?: TextPen): void;
  /** The finished file; only a painter of SVG has it. */
  blob?: () => Blob;
  /** The document itself, to put more into. */
  svg?: SVGElement;
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

const FIRST_LETTER = /\p{L}/u;
const ISOLATED = /\u2068[^\u2069]*\u2069/g;
const SPACE = 'http://www.w3.org/2000/svg';

/** Fits a canvas to a CSS size at the screen's resolution and returns its cleared context. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = context2d(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export function canvasPainter(context: CanvasRenderingContext2D): Painter {
  const pen = (o: Pen) => {
    context.globalAlpha = o.alpha ?? 1;
    context.lineWidth = o.width ?? 1;
    context.lineCap = 'round';
    context.setLineDash(o.dash ?? []);
    if (o.fill) context.fillStyle = o.fill;
    if (o.stroke) context.strokeStyle = o.stroke;
  };
  const put = (shape: Path2D, o: Pen) => {
    pen(o);
    if (o.fill) context.fill(shape);
    if (o.stroke) context.stroke(shape);
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
      context.globalAlpha = 1;
      context.imageSmoothingEnabled = false;
      context.drawImage(canvas, x, y, w, h);
    },
    text(x, y, words, o = {}) {
      pen(o);
      writeText(context, x, y, words, o);
    },
  };
}

function writeText(context: CanvasRenderingContext2D, x: number, y: number, words: string, o: TextPen) {
  context.save();
  context.translate(x, y);
  if (o.rotate) context.rotate((o.rotate * Math.PI) / 180);
  context.font = `${o.weight ?? 400} ${o.size ?? 13}px ${o.mono ? MONO : SANS}`;
  context.textAlign = o.align ?? 'left';
  context.textBaseline = o.baseline ?? 'alphabetic';
  // So that the dot of a continued word stands where its reading begins; what is isolated has its own direction.
  context.direction = TURNED.test(words.replace(ISOLATED, '').match(FIRST_LETTER)?.[0] ?? '') ? 'rtl' : 'ltr';
  context.fillText(words, 0, 0);
  context.restore();
}

const n = (x: number) => Math.round(x * 100) / 100;

export function svgElement(tag: string, attributes: Record<string, string | number | undefined | null> = {}) {
  const node = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) node.setAttribute(name, String(value));
  }
  return node;
}

const svgPen = (o: Pen) => ({
  fill: o.fill ?? 'none',
  stroke: o.stroke,
  'stroke-width': o.stroke ? (o.width ?? 1) : undefined,
  'stroke-linecap': o.stroke ? 'round' : undefined,
  'stroke-dasharray': o.dash?.length ? o.dash.join(' ') : undefined,
  opacity: o.alpha === undefined || o.alpha === 1 ? undefined : n(o.alpha),
});

function svgText(x: number, y: number, words: string, o: TextPen) {
  const anchors: Record<string, string> = { center: 'middle', right: 'end', end: 'end' };
  const node = svgElement('text', {
    x: n(x),
    y: n(y),
    transform: o.rotate ? `rotate(${o.rotate} ${n(x)} ${n(y)})` : undefined,
    'font-family': o.mono ? MONO : SANS,
    'font-size': n(o.size ?? 13),
    'font-weight': o.weight,
    'text-anchor': anchors[o.align ?? ''],
    'dominant-baseline': o.baseline === 'middle' ? 'central' : undefined,
    'unicode-bidi': 'plaintext',
    ...svgPen(o),
  });
  // Control characters are not allowed in XML, not even escaped.
  // eslint-disable-next-line no-control-regex
  node.textContent = words.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return node;
}

/** The same calls as `canvasPainter`, collected as an SVG document; `blob()` gives the file. */
export function svgPainter(width: number, height: number, background: string): Painter {
  const svg = svgElement('svg', {
    width: n(width),
    height: n(height),
    viewBox: `0 0 ${n(width)} ${n(height)}`,
  });
  const add = (tag: string, attributes: Record<string, string | number | undefined | null>) =>
    void svg.append(svgElement(tag, attributes));
  add('rect', { width: '100%', height: '100%', fill: background });
  const at = (point: Point) => point.map(n).join(',');
  return {
    rect: (x, y, w, h, o) =>
      add('rect', { x: n(x), y: n(y), width: n(w), height: n(h), rx: o.radius, ...svgPen(o) }),
    circle: (x, y, r, o) => add('circle', { cx: n(x), cy: n(y), r: n(r), ...svgPen(o) }),
    curve: (a, b, c, d, o) => add('path', { d: `M${at(a)} C${at(b)} ${at(c)} ${at(d)}`, ...svgPen(o) }),
    path: (d, o) => add('path', { d, ...svgPen(o) }),
    image(x, y, w, h, canvas) {
      const box = { x: n(x), y: n(y), width: n(w), height: n(h), preserveAspectRatio: 'none' };
      add('image', { ...box, href: canvas.toDataURL(), style: 'image-rendering:pixelated' });
    },
    text: (x, y, words, o = {}) => void svg.append(svgText(x, y, words, o)),
    svg: svg as SVGElement,
    blob: () => new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' }),
  };
}

/** The same painter with everything moved aside; paths must start every part with an absolute M. */
export function shifted(p: Painter, dx: number, dy: number): Painter {
  const move = ([x, y]: Point): Point => [x + dx, y + dy];
  return {
    ...p,
    rect: (x, y, w, h, o) => p.rect(x + dx, y + dy, w, h, o),
    circle: (x, y, r, o) => p.circle(x + dx, y + dy, r, o),
    curve: (a, b, c, d, o) => p.curve(move(a), move(b), move(c), move(d), o),
    text: (x, y, words, o) => p.text(x + dx, y + dy, words, o),
    image: (x, y, w, h, canvas) => p.image(x + dx, y + dy, w, h, canvas),
    path: (d, o) =>
      p.path(
        d.replace(
          /([ML])(-?[\d.]+) (-?[\d.]+)/g,
          (_, to, x, y) => `${to}${Number(x) + dx} ${Number(y) + dy}`,
        ),
        o,
      ),
  };
}

/* ---------- Words on a canvas: their width, and how they are cut to fit. ---------- */

const SANS = '"Source Sans", "Source Sans Pro", "Segoe UI", sans-serif';
const MONO = '"Source Code Pro", "Cascadia Mono", Menlo, monospace';

/**
 * A size of type in CSS pixels; in presenter size none is smaller than a hall can read.
 * @param size in pixels of the design
 */
export const typeSize = (size: number, u: number) => (u > 1 ? Math.max(size * u, TOKENS.least) : size * u);

/**
 * Whether type of this size is shown at all: small numbers are left out rather than written too small for the hall.
 * @param size in CSS pixels
 */
export const legible = (size: number, u: number) => u <= 1 || size >= TOKENS.least - 0.05;

let context: CanvasRenderingContext2D | null = null;

/** A context that only measures. */
export function measuring() {
  context ??= context2d(document.createElement('canvas'));
  return context;
}

export function context2d(canvas: HTMLCanvasElement) {
  return canvas.getContext('2d') as CanvasRenderingContext2D;
}

export function textWidth(words: string, size: number, mono = true, weight = 400) {
  const pen = measuring();
  pen.font = `${weight} ${size}px ${mono ? MONO : SANS}`;
  return pen.measureText(words).width;
}

/** The label, cut with … to fit a width in pixels. */
export function shorten(words: string, width: number, size: number, mono = true) {
  if (textWidth(words, size, mono) <= width) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join('')}…`, size, mono) > width) letters.pop();
  return `${letters.join('')}…`;
}

/** Words broken into lines that fit, for pictures that leave the page. */
export function wrapText(words: string, width: number, size: number, weight = 400) {
  const lines = [''];
  for (const word of words.split(' ')) {
    const last = lines[lines.length - 1];
    const longer = last ? `${last} ${word}` : word;
    if (textWidth(longer, size, false, weight) > width && last) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
