/* A view's picture and its numbers as they leave the page: "⤓" with PNG, SVG and CSV. A picture has, from top to bottom: what it
   shows, the title, the drawing, the colour scale and a sentence. */

import type { Piece } from '../base/dom.ts';
import type { Painter, TextPen } from '../base/paint.ts';
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
  wrapForFile,
} from '../base/export.ts';
import { canvasPainter, context2d, shifted, svgPainter, typeSize } from '../base/paint.ts';
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

/** The width of a drawing that leaves the page with a title: it is not narrower than its words need. */
export const exportWidth = (width: number, u: number) => Math.max(width, 480 * u);
const EDGE = 18; // a margin, as pictures leave the page
const LARGEST = 8192; // pixels a side that every browser can make

const written = (words: string | Piece[]) => (typeof words === 'string' ? words : plain(words));

/** Baseline of the first line of words, line height, and what their block has beyond its lines, in pixels of the design. */
type Lines = Record<'first' | 'step' | 'extra', number>;

/** The parts of a picture from top to bottom, with their heights, and the common width. */
export function partsOf({ scale: u, colours: c }: Pick<Host, 'scale' | 'colours'>, leaving: Leaving) {
  const { who, about, size, draw, legend } = leaving;
  const [title, subtitle, words] = [leaving.title, leaving.subtitle, leaving.words].map((words) =>
    written(words?.() ?? ''),
  ) as [string, string, string];
  const [wide, tall] = size();
  const width = title || words ? exportWidth(wide, u) : wide;
  const caption = captionOf(who?.() ?? '', width, u, about?.());
  const parts: [height: number, draw: (p: Painter) => void][] = [
    [captionHeight(caption, u), (p) => paintCaption(p, caption, u, c.muted)],
  ];
  /** Adds words on as many lines as they need; none where they are empty. */
  const write = (text: string, pen: TextPen & { size: number }, { first, step, extra }: Lines) => {
    if (!text) return;
    const lines = wrapForFile(text, width - 4, pen.size, pen.weight);
    const paint = (p: Painter) => lines.forEach((line, n) => p.text(2, (first + step * n) * u, line, pen));
    parts.push([(extra + step * lines.length) * u, paint]);
  };
  write(title, { size: 16 * u, weight: 650, fill: c.ink }, { first: 18, step: 18, extra: 12 });
  write(subtitle, { size: typeSize(12.5, u), fill: c.muted }, { first: 7, step: 17, extra: 5 });
  parts.push([tall, draw]);
  if (legend) parts.push([34 * u, (p) => paintLegend(p, 2, 8 * u, u, legend(), c)]);
  write(words, { size: 13 * u, fill: c.ink }, { first: 20, step: 17, extra: 16 });
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
