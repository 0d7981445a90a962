/* "⤓" for a Plotly figure that stands in the same container: its picture as drawn, and the numbers behind it. */

import { el } from '../base/dom.js';
import { csvText, leavingMenu } from '../base/export.js';
import { download } from '../base/paint.js';
import { mount } from '../base/view.js';

const SVG = 'http://www.w3.org/2000/svg';

/** The figure as one SVG document with the card's colour behind it; what answers to the pointer stays out. */
function plotPicture(plot, background) {
  const [width, height] = [plot.clientWidth, plot.clientHeight];
  const whole = document.createElementNS(SVG, 'svg');
  const set = (node, attributes) => Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  set(whole, { width, height, viewBox: `0 0 ${width} ${height}` });
  const paper = whole.appendChild(document.createElementNS(SVG, 'rect'));
  set(paper, { width: '100%', height: '100%', fill: background });
  for (const layer of plot.querySelectorAll('svg.main-svg')) {
    const copy = whole.appendChild(layer.cloneNode(true));
    copy.style.background = 'none';
    copy.querySelectorAll('.draglayer, .hoverlayer, .zoomlayer').forEach((node) => node.remove());
  }
  return { width, height, text: new XMLSerializer().serializeToString(whole) };
}

/** Every trace as rows: its name, x, y and, for a map, z. */
function plotRows(plot) {
  const rows = [['trace', 'x', 'y', 'z']];
  const tell = (v) => (v === undefined || v === null || v !== v ? '' : v);
  plot._fullData.forEach((trace, k) => {
    const name = trace.name ?? `trace ${k}`;
    if (trace.z) {
      Array.from(trace.z, (line, i) => Array.from(line, (z, j) => rows.push([name, tell(trace.x?.[j] ?? j), tell(trace.y?.[i] ?? i), tell(z)])));
    } else {
      const count = Math.max(trace.x?.length ?? 0, trace.y?.length ?? 0);
      for (let i = 0; i < count; i++) rows.push([name, tell(trace.x?.[i] ?? i), tell(trace.y?.[i] ?? i), '']);
    }
  });
  return rows;
}

function chartMenu(root, host) {
  let file = 'figure';
  const plot = () => root.getRootNode().host?.closest('[class*="st-key-chart_"]')?.querySelector('.js-plotly-plot');
  const svgBlob = () => new Blob([plotPicture(plot(), host.colours.panel).text], { type: 'image/svg+xml' });
  const png = () => {
    const { width, height } = plotPicture(plot(), host.colours.panel);
    const image = new Image();
    image.onload = () => {
      const canvas = el('canvas');
      [canvas.width, canvas.height] = [width * 2, height * 2];
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => download(blob, `${file}.png`));
      URL.revokeObjectURL(image.src);
    };
    image.src = URL.createObjectURL(svgBlob());
  };
  const svg = () => download(svgBlob(), `${file}.svg`);
  const csv = () => download(new Blob(['\ufeff', csvText(plotRows(plot()))], { type: 'text/csv' }), `${file}.csv`);
  root.append(leavingMenu(host, () => plot() && png(), () => plot() && svg(), () => plot() && csv()));
  return { update: (data) => (file = data.file) };
}

export default function view(args) {
  return mount(args, chartMenu);
}
