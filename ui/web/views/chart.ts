/* "⤓" for a Plotly figure that stands in the same container: its picture as drawn, and the numbers behind it. */

/** @import { Host, Mounting, View } from '../types' */

import { el } from '../base/dom.js';
import {
  captionHeight,
  captionOf,
  download,
  downloadCsv,
  downloadPng,
  leavingMenu,
  paintCaption,
} from '../base/export.js';
import { svgElement, svgPainter } from '../base/paint.js';
import { context2d } from '../base/text.js';
import { mount } from '../base/view.js';

/** @typedef {{ name?: string, x?: ArrayLike<any>, y?: ArrayLike<any>, z?: ArrayLike<ArrayLike<any>> }} Trace */
/** @typedef {HTMLElement & { _fullData: Trace[] }} Plot */

/** The title of the card that a figure stands in. @param {Plot} plot */
const titleOf = (plot) =>
  plot.closest('[class*="st-key-card_"]')?.querySelector('.atlas-title')?.textContent?.trim() ?? '';

/**
 * The figure as one SVG document with the card's colour behind it, under the card's title and what it is of; what answers
 * to the pointer stays out.
 * @param {Plot} plot
 * @param {Host} host
 */
function plotPicture(plot, { scale: u, colours: c }) {
  const width = plot.clientWidth;
  const lines = captionOf(titleOf(plot), width, u);
  const above = captionHeight(lines, u);
  const height = plot.clientHeight + above;
  const painter = svgPainter(width, height, c.panel);
  paintCaption(painter, lines, u, c.muted);
  const whole = /** @type {SVGElement} */ (painter.svg);
  const moved = svgElement('g', { transform: `translate(0 ${above})` });
  for (const layer of plot.querySelectorAll('svg.main-svg')) {
    const copy = /** @type {SVGElement} */ (layer.cloneNode(true));
    copy.style.background = 'none';
    copy.querySelectorAll('.draglayer, .hoverlayer, .zoomlayer').forEach((node) => node.remove());
    moved.append(copy);
  }
  whole.append(moved);
  const blob = new Blob([new XMLSerializer().serializeToString(whole)], { type: 'image/svg+xml' });
  return { blob, width, height };
}

/**
 * Every trace as rows: its name, x, y and, for a map, z.
 * @param {Trace[]} traces
 */
export function traceRows(traces) {
  /** @type {(string | number)[][]} */
  const rows = [['trace', 'x', 'y', 'z']];
  const cell = (/** @type {any} */ v) => (v === undefined || v === null || Number.isNaN(v) ? '' : v);
  traces.forEach(({ name, x, y, z }, k) => {
    const add = (/** @type {number} */ i, /** @type {number} */ j, /** @type {any} */ value) =>
      rows.push([name ?? `trace ${k}`, cell(x?.[j] ?? j), cell(y?.[i] ?? i), cell(value)]);
    const count = z ? 0 : Math.max(x?.length ?? 0, y?.length ?? 0);
    for (let i = 0; i < count; i++) add(i, i, null);
    Array.from(z ?? [], (line, i) => Array.from(line, (value, j) => add(i, j, value)));
  });
  return rows;
}

/**
 * @param {HTMLElement} root
 * @param {Host} host
 * @returns {View<{ file: string }>}
 */
function chart(root, host) {
  let file = 'figure';
  /** @param {(plot: Plot) => void} act with the figure, when it is there */
  const withPlot = (act) => () => {
    const shadow = /** @type {ShadowRoot} */ (root.getRootNode());
    const container = shadow.host?.closest('[class*="st-key-chart_"]');
    const plot = /** @type {Plot | null | undefined} */ (container?.querySelector('.js-plotly-plot'));
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

/** @param {Mounting<{ file: string }>} args */
export default function view(args) {
  return mount(args, chart);
}
