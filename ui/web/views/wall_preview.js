/* The larger picture of a head that is pointed at, with its largest weight and its scores as [label, number]. */

import { el, say, visible } from '../base/dom.js';
import { canvasPainter, fitCanvas } from '../base/paint.js';
import { heatGeometry, paintHeat } from '../maps/heatmap.js';
import { WEIGHT_OF_BYTE, paintPixels } from '../maps/picture.js';
import { spokenPercent } from '../maps/sentence.js';

export function fillPreview(preview, host, meta, { title, sheet, level, scores }) {
  const u = host.scale;
  const width = 250 * u;
  const c = host.colours;
  const big = el('canvas', { class: 'picture' });
  let height;
  if (sheet.rows.length <= 20 && sheet.cols.length <= 20 && meta.labelled) {
    const g = heatGeometry(sheet, width, 0.8 * u, { tall: 260, cap: 20 });
    height = g.height;
    paintHeat(canvasPainter(fitCanvas(big, width, height)), sheet, g, { rows: new Set(), cols: new Set() }, c);
  } else {
    height = Math.min(260 * u, width * Math.max(0.5, meta.shape[0] / meta.shape[1]));
    paintPixels(canvasPainter(fitCanvas(big, width, height)), sheet, { x: 0, y: 0, w: width, h: height }, c);
  }
  const [rows, cols] = meta.shape;
  let best = 0;
  for (let n = 0; n < Math.min(meta.written, rows) * cols; n++) if (level[n] > level[best]) best = n;
  const top = WEIGHT_OF_BYTE[level[best]];
  const most = el('p', { class: 'wall-most' });
  say(most, ['largest ', { strong: spokenPercent(top) }, ...(meta.labelled ? [': ', { strong: visible(meta.rows[Math.floor(best / cols)]) }, ' → ', { strong: visible(meta.cols[best % cols]) }] : [])]);
  const list = el('dl', { class: 'wall-scores' });
  for (const [name, value] of scores.slice(0, 5)) list.append(el('dt', {}, name), el('dd', {}, value));
  preview.replaceChildren(el('p', { class: 'wall-title' }, title), big, most, list);
  preview.hidden = false;
}
