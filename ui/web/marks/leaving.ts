/* A view's picture and its numbers as they leave the page: "⤓" with PNG, SVG and CSV. From above a picture is what it is of,
   its title, the drawing, the ramp of its colours, and a sentence. */

import type { Piece } from '../base/dom.ts';
import type { Painter } from '../base/paint.ts';
import type { Host } from '../base/view.ts';
import type { Legend } from './legend.ts';
import { el, plain } from '../base/dom.ts';
import {
  captionHeight,
  captionOf,
  download,
  downloadCsv,
  downloadPng,
  leavingMenu,
  paintCaption,
} from '../base/export.ts';
import { canvasPainter, context2d, shifted, svgPainter, typeSize, wrapText } from '../base/paint.ts';
import { paintLegend } from './legend.ts';

/** A picture and a table of numbers, as the menu of a view offers them. */
export interface Leaving {
  name(): string;
  /** The heads that are drawn, where the title does not name them. */
  who?(): string;
  /** The sentence and the model, where they are not those of the page. */
  about?(): string;
  title?(): string | Piece[];
  subtitle?(): string;
  /** Of the drawing alone. */
  size(): [number, number];
  draw(painter: Painter): void;
  legend?(): Legend;
  words?(): string | Piece[];
  rows(): (string | number)[][];
}

const EDGE = 18; // a margin, as pictures leave the page
const LEAST = 480; // pixels of the design that a picture with words is wide at least
const LARGEST = 8192; // pixels a side that every browser can make

const written = (words: string | Piece[]) => (typeof words === 'string' ? words : plain(words));

/** The parts of a picture from above, how tall each is, and the width of them all. */
function partsOf({ scale: u, colours: c }: Host, { who, about, title, subtitle, ...leaving }: Leaving) {
  const { size, draw, legend, words } = leaving;
  const [wide, tall] = size();
  const width = title || words ? Math.max(wide, LEAST * u) : wide;
  const caption = captionOf(who?.() ?? '', width, u, about?.());
  const parts: [height: number, draw: (p: Painter) => void][] = [
    [captionHeight(caption, u), (p) => paintCaption(p, caption, u, c.muted)],
  ];
  if (title) {
    const pen = { size: 16 * u, weight: 650, fill: c.ink };
    parts.push([30 * u, (p) => p.text(2, 18 * u, written(title()), pen)]);
  }
  if (subtitle)
    parts.push([22 * u, (p) => p.text(2, 7 * u, subtitle(), { size: typeSize(12.5, u), fill: c.muted })]);
  parts.push([tall, draw]);
  if (legend) parts.push([34 * u, (p) => paintLegend(p, 2, 8 * u, u, legend(), c)]);
  if (words) {
    const lines = wrapText(written(words()), width - 8, 13 * u).slice(0, 2);
    const pen = { size: 13 * u, fill: c.ink };
    parts.push([50 * u, (p) => lines.forEach((line, n) => p.text(2, (20 + 17 * n) * u, line, pen))]);
  }
  return { width, parts };
}

/** "⤓" with the view's picture, drawn again at twice its size, and its numbers. */
export function exportMenu(host: Host, leaving: Leaving) {
  const { name, rows } = leaving;
  const picture = () => {
    const { width, parts } = partsOf(host, leaving);
    const height = parts.reduce((sum, [tall]) => sum + tall, 0);
    const draw = (painter: Painter) => {
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
    const canvas = el('canvas', { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
    const context = context2d(canvas);
    context.scale(ratio, ratio);
    context.fillStyle = host.colours.panel;
    context.fillRect(0, 0, width, height);
    draw(canvasPainter(context));
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
