/* "⤓" for the Plotly figures of the same container: their picture as they stand, and the numbers behind it. */

import type { Host, Mounting, View } from '../web/base/view.ts';
import { el } from '../web/base/dom.ts';
import {
  captionHeight,
  captionOf,
  download,
  downloadCsv,
  downloadPng,
  leavingMenu,
  paintCaption,
  wrapForFile,
} from '../web/base/export.ts';
import type { Painter, TextPen } from '../web/base/paint.ts';
import { context2d, svgElement, svgPainter, typeSize } from '../web/base/paint.ts';
import { mount } from '../web/base/view.ts';
import './chart.css';

type Datum = string | number | null | undefined;

interface Trace {
  name?: string;
  /** "text" is what stands in the cells of a map, which has the numbers itself. */
  mode?: string;
  /** What the columns of `customdata` are, where they are numbers of their own; "join": a line between marks. */
  meta?: { columns?: string[] } | 'join';
  customdata?: ArrayLike<unknown>;
  x?: ArrayLike<Datum>;
  y?: ArrayLike<Datum>;
  z?: ArrayLike<ArrayLike<Datum>>;
}

type Plot = HTMLElement & { _fullData: Trace[] };

/** A line of the card that a figure stands in, without the explanations that its words open. */
function lineOf(plot: Plot, name: 'title' | 'subtitle') {
  const line = plot.closest('[class*="st-key-card_"]')?.querySelector(`.atlas-${name}`)?.cloneNode(true);
  if (!(line instanceof HTMLElement)) return '';
  line.querySelectorAll('.atlas-tip').forEach((tip) => tip.remove());
  return line.textContent.trim();
}

/** What stands over the figure: what it is of, the card's title and what is below it; with its height. */
function wordsOver(plot: Plot, width: number, { scale: u, colours: c }: Host) {
  const caption = captionOf('', width, u);
  const words: [string, TextPen & { size: number }][] = [
    [lineOf(plot, 'title'), { size: 16 * u, weight: 650, fill: c.ink }],
    [lineOf(plot, 'subtitle'), { size: typeSize(12.5, u), fill: c.muted }],
  ];
  const lines = words.flatMap(([text, pen]) =>
    text ? wrapForFile(text, width - 4, pen.size, pen.weight).map((line) => [line, pen] as const) : [],
  );
  const above = captionHeight(caption, u);
  const paint = (p: Painter) => {
    paintCaption(p, caption, u, c.muted);
    lines.forEach(([line, pen], n) => p.text(2, above + (16 + 20 * n) * u, line, pen));
  };
  return {
    paint,
    height: above + (lines.length ? 20 * lines.length + 8 : 0) * u,
  };
}

/** A part of the picture with its place on the page. */
const placed = <Part extends Element>(parts: Part[]) =>
  parts.map((part) => ({ part, box: part.getBoundingClientRect() }));

/** What Plotly drew, without what answers to the pointer. */
function stillOf(layer: SVGElement) {
  const copy = layer.cloneNode(true) as SVGElement;
  copy.style.background = 'none';
  const numbers = copy.querySelectorAll('.heatmap-label');
  layer.querySelectorAll('.heatmap-label').forEach((node, k) => {
    if (getComputedStyle(node).display === 'none') numbers[k]?.remove();
  });
  copy.querySelectorAll('.draglayer, .hoverlayer, .zoomlayer').forEach((node) => node.remove());
  return copy;
}

/**
 * The figures as one SVG document with the card's colour behind them, each where it stands and under its heading, below the
 * card's title and what they are of.
 */
function plotsPicture(plots: Plot[], headings: HTMLElement[], host: Host) {
  const figures = placed(plots);
  const words = placed(headings);
  const boxes = [...figures, ...words].map(({ box }) => box);
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const width = Math.max(...boxes.map((box) => box.right)) - left;
  const over = wordsOver(plots[0], width, host);
  const height = Math.max(...boxes.map((box) => box.bottom)) - top + over.height;
  const painter = svgPainter(width, height, host.colours.panel);
  over.paint(painter);
  for (const { part, box } of words) {
    const size = parseFloat(getComputedStyle(part).fontSize);
    const pen = { size, fill: host.colours.muted };
    painter.text(box.left - left, box.top - top + over.height + size, part.textContent.trim(), pen);
  }
  const whole = painter.svg as SVGElement;
  for (const { part, box } of figures) {
    const moved = svgElement('g', {
      transform: `translate(${box.left - left} ${box.top - top + over.height})`,
    });
    moved.append(...Array.from(part.querySelectorAll<SVGElement>('svg.main-svg'), stillOf));
    whole.append(moved);
  }
  const blob = new Blob([new XMLSerializer().serializeToString(whole)], {
    type: 'image/svg+xml',
  });
  return { blob, width, height };
}

/** Every trace as rows: its name, x, y and, for a map, z; then what its traces say of a point beside them. */
export function traceRows(traces: Trace[]) {
  const shown = traces.filter(({ mode, meta }) => mode !== 'text' && meta !== 'join');
  const columnsOf = ({ meta }: Trace) => (typeof meta === 'object' ? meta.columns : undefined);
  const more = [...new Set(shown.flatMap((trace) => columnsOf(trace) ?? []))];
  const rows: (string | number)[][] = [['trace', 'x', 'y', 'z', ...more]];
  const cell = (v: Datum) => (v === undefined || v === null || Number.isNaN(v) ? '' : v);
  shown.forEach((trace, k) => {
    const { name, x, y, z, customdata } = trace;
    const columns = columnsOf(trace);
    const beside = (of: unknown) =>
      more.map((column) => cell((of as Datum[] | undefined)?.[columns?.indexOf(column) ?? -1]));
    const add = (i: number, j: number, value: Datum, of: unknown) =>
      rows.push([name ?? `trace ${k}`, cell(x?.[j] ?? j), cell(y?.[i] ?? i), cell(value), ...beside(of)]);
    const count = z ? 0 : Math.max(x?.length ?? 0, y?.length ?? 0);
    for (let i = 0; i < count; i++) add(i, i, null, customdata?.[i]);
    Array.from(z ?? [], (line, i) =>
      Array.from(line, (value, j) => add(i, j, value, (customdata?.[i] as ArrayLike<unknown>)?.[j])),
    );
  });
  return rows;
}

function chart(root: HTMLElement, host: Host): View<{ file: string }> {
  let file = 'figure';
  /** @param act with the figures and their headings, when they are there */
  const withPlots = (act: (plots: Plot[], headings: HTMLElement[]) => void) => () => {
    const shadow = root.getRootNode() as ShadowRoot;
    const container = shadow.host?.closest('[class*="st-key-chart_"]');
    const plots = Array.from(container?.querySelectorAll<Plot>('.js-plotly-plot') ?? []);
    if (plots.length) act(plots, Array.from(container?.querySelectorAll<HTMLElement>('.atlas-quiet') ?? []));
  };
  const png = withPlots((plots, headings) => {
    const { blob, width, height } = plotsPicture(plots, headings, host);
    const image = new Image();
    image.onload = () => {
      const canvas = el('canvas', { width: width * 2, height: height * 2 });
      context2d(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
      downloadPng(canvas, file);
      URL.revokeObjectURL(image.src);
    };
    image.src = URL.createObjectURL(blob);
  });
  const svg = withPlots((plots, headings) =>
    download(plotsPicture(plots, headings, host).blob, `${file}.svg`),
  );
  const csv = withPlots((plots) => downloadCsv(file, traceRows(plots.flatMap((plot) => plot._fullData))));
  root.append(leavingMenu(host, png, svg, csv));
  return { update: (data) => void (file = data.file) };
}

export default (args: Mounting) => mount(args, chart);
