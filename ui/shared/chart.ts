/* "⤓" for a Plotly figure that stands in the same container: its picture as drawn, and the numbers behind it. */

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
} from '../web/base/export.ts';
import { context2d, svgElement, svgPainter } from '../web/base/paint.ts';
import { mount } from '../web/base/view.ts';
import './chart.css';

type Datum = string | number | null | undefined;

interface Trace {
  name?: string;
  /** What the columns of `customdata` are, where they are numbers of their own. */
  meta?: { columns?: string[] };
  customdata?: ArrayLike<unknown>;
  x?: ArrayLike<Datum>;
  y?: ArrayLike<Datum>;
  z?: ArrayLike<ArrayLike<Datum>>;
}

type Plot = HTMLElement & { _fullData: Trace[] };

/** The title of the card that a figure stands in. */
const titleOf = (plot: Plot) =>
  plot.closest('[class*="st-key-card_"]')?.querySelector('.atlas-title')?.textContent?.trim() ?? '';

/**
 * The figure as one SVG document with the card's colour behind it, under the card's title and what it is of; what answers
 * to the pointer stays out.
 */
function plotPicture(plot: Plot, { scale: u, colours: c }: Host) {
  const width = plot.clientWidth;
  const lines = captionOf(titleOf(plot), width, u);
  const above = captionHeight(lines, u);
  const height = plot.clientHeight + above;
  const painter = svgPainter(width, height, c.panel);
  paintCaption(painter, lines, u, c.muted);
  const whole = painter.svg as SVGElement;
  const moved = svgElement('g', { transform: `translate(0 ${above})` });
  for (const layer of plot.querySelectorAll('svg.main-svg')) {
    const copy = layer.cloneNode(true) as SVGElement;
    copy.style.background = 'none';
    const numbers = copy.querySelectorAll('.heatmap-label');
    layer.querySelectorAll('.heatmap-label').forEach((node, k) => {
      if (getComputedStyle(node).display === 'none') numbers[k]?.remove();
    });
    copy.querySelectorAll('.draglayer, .hoverlayer, .zoomlayer').forEach((node) => node.remove());
    moved.append(copy);
  }
  whole.append(moved);
  const blob = new Blob([new XMLSerializer().serializeToString(whole)], { type: 'image/svg+xml' });
  return { blob, width, height };
}

/** Every trace as rows: its name, x, y and, for a map, z; then what its traces say of a point beside them. */
export function traceRows(traces: Trace[]) {
  const more = [...new Set(traces.flatMap(({ meta }) => meta?.columns ?? []))];
  const rows: (string | number)[][] = [['trace', 'x', 'y', 'z', ...more]];
  const cell = (v: Datum) => (v === undefined || v === null || Number.isNaN(v) ? '' : v);
  traces.forEach(({ name, x, y, z, meta, customdata }, k) => {
    const beside = (of: unknown) =>
      more.map((column) => cell((of as Datum[] | undefined)?.[meta?.columns?.indexOf(column) ?? -1]));
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
  /** @param act with the figure, when it is there */
  const withPlot = (act: (plot: Plot) => void) => () => {
    const shadow = root.getRootNode() as ShadowRoot;
    const container = shadow.host?.closest('[class*="st-key-chart_"]');
    const plot = container?.querySelector('.js-plotly-plot') as Plot | null | undefined;
    if (plot) act(plot);
  };
  const png = withPlot((plot) => {
    const { blob, width, height } = plotPicture(plot, host);
    const image = new Image();
    image.onload = () => {
      const canvas = el('canvas', { width: width * 2, height: height * 2 });
      context2d(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
      downloadPng(canvas, file);
      URL.revokeObjectURL(image.src);
    };
    image.src = URL.createObjectURL(blob);
  });
  const svg = withPlot((plot) => download(plotPicture(plot, host).blob, `${file}.svg`));
  const csv = withPlot((plot) => downloadCsv(file, traceRows(plot._fullData)));
  root.append(leavingMenu(host, png, svg, csv));
  return { update: (data) => void (file = data.file) };
}

export default (args: Mounting) => mount(args, chart);
