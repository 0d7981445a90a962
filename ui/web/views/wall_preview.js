/* The larger picture of a head that is pointed at, with its largest weight and its scores. */

/** @import { Host, Part, Sheet } from '../types' */
/** @import { WallMeta } from './wall_numbers.js' */

import { el, say } from '../base/dom.js';
import { canvasPainter, fitCanvas } from '../base/paint.js';
import { spokenPercent } from '../base/words.js';
import { heatGeometry, paintHeat } from '../maps/heatmap.js';
import { paintPixels } from '../maps/picture.js';
import { quoted } from '../maps/sentence.js';
import { WEIGHT_OF_BYTE } from '../maps/sheet.js';

const SMALL = 20; // tokens a side that can be written beside the picture

/**
 * @param {HTMLElement} preview
 * @param {Host} host
 * @param {WallMeta} meta
 * @param {{ title: string, sheet: Sheet, level: Uint8Array, scores: [string, string][] }} head
 */
export function fillPreview(preview, host, meta, { title, sheet, level, scores }) {
  const most = el('p', { class: 'wall-most' });
  say(most, largest(meta, level));
  const list = el('dl', { class: 'wall-scores' });
  for (const [name, value] of scores.slice(0, 5)) list.append(el('dt', {}, name), el('dd', {}, value));
  const picture = drawn(host, meta, sheet);
  preview.replaceChildren(el('p', { class: 'wall-title' }, title), picture, most, list);
  preview.hidden = false;
}

/**
 * @param {Host} host
 * @param {WallMeta} meta
 * @param {Sheet} sheet
 */
function drawn(host, meta, sheet) {
  const u = host.scale;
  const width = 250 * u;
  const canvas = el('canvas', { class: 'picture' });
  if (Math.max(...meta.shape) <= SMALL && meta.labelled) {
    const g = heatGeometry(sheet, width, 0.8 * u, { tall: 260, cap: 20 });
    const focus = { rows: new Set(), cols: new Set() };
    paintHeat(canvasPainter(fitCanvas(canvas, width, g.height)), sheet, g, focus, host.colours);
  } else {
    const height = Math.min(260 * u, width * Math.max(0.5, meta.shape[0] / meta.shape[1]));
    const box = { x: 0, y: 0, w: width, h: height };
    paintPixels(canvasPainter(fitCanvas(canvas, width, height)), sheet, box, host.colours);
  }
  return canvas;
}

/**
 * "largest 71 %: “dog” → “chien”".
 * @param {WallMeta} meta
 * @param {Uint8Array} level
 * @returns {Part[]}
 */
function largest(meta, level) {
  const [rows, cols] = meta.shape;
  let best = 0;
  for (let n = 0; n < Math.min(meta.written, rows) * cols; n++) if (level[n] > level[best]) best = n;
  const [from, to] = [meta.rows[Math.floor(best / cols)], meta.cols[best % cols]];
  const words = meta.labelled ? [': ', { strong: quoted(from) }, ' → ', { strong: quoted(to) }] : [];
  return ['largest ', { strong: spokenPercent(WEIGHT_OF_BYTE[level[best]]) }, ...words];
}
