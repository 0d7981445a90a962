/* How a view leaves the page (PNG, SVG, CSV), and the quiet controls beside it. */

import { el } from './dom.js';
import { canvasPainter, download, svgPainter } from './paint.js';
import { shifted } from '../maps/picture.js';

const csvCell = (value) => (/[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
export const csvText = (rows) => rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';

/** "⤓" with PNG, SVG and CSV. `name()` file name without ending; `size()`; `draw(painter)`; `rows()` of the table. */
export function exportMenu(host, { name, size, draw, rows }) {
  const edge = 18; // a margin, as pictures leave the page
  const outer = () => size().map((side) => side + 2 * edge);
  const png = () => {
    const [width, height] = outer();
    const canvas = el('canvas');
    const ratio = Math.max(1, Math.min(2, 8192 / Math.max(width, height)));
    canvas.width = Math.ceil(width * ratio);
    canvas.height = Math.ceil(height * ratio);
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.fillStyle = host.colours.panel;
    context.fillRect(0, 0, width, height);
    draw(shifted(canvasPainter(context), edge, edge));
    canvas.toBlob((blob) => download(blob, `${name()}.png`));
  };
  const svg = () => {
    const painter = svgPainter(...outer(), host.colours.panel);
    draw(shifted(painter, edge, edge));
    download(painter.blob(), `${name()}.svg`);
  };
  const csv = () => download(new Blob(['\ufeff', csvText(rows())], { type: 'text/csv' }), `${name()}.csv`);
  return leavingMenu(host, png, svg, csv);
}

/** The "⤓" itself: PNG, SVG and CSV as functions that hand over the file. */
export function leavingMenu(host, png, svg, csv) {
  const item = (words, title, action) =>
    el('button', { type: 'button', class: 'menu-item', role: 'menuitem', title, onclick: () => { close(); action(); } }, words);
  const list = el('div', { class: 'menu', role: 'menu', hidden: true },
    item('Picture (PNG)', 'Save this view as PNG', png),
    item('Vector (SVG)', 'Save this view as SVG', svg),
    item('Numbers (CSV)', 'Save the numbers as CSV', csv));
  const button = el('button', { type: 'button', class: 'quiet menu-open', 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': 'Save this view', title: 'Save as PNG, SVG or CSV' }, '⤓');
  const show = (open) => {
    list.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    if (open) list.firstChild.focus();
  };
  const close = () => {
    show(false);
    button.focus();
  };
  button.addEventListener('click', () => show(list.hidden));
  const place = el('span', { class: 'menu-place' }, button, list);
  place.addEventListener('keydown', (event) => {
    const items = [...list.children];
    const now = items.indexOf(event.composedPath()[0]);
    if (event.key === 'Escape' && !list.hidden) close();
    else if (event.key === 'ArrowDown' && now >= 0) items[(now + 1) % items.length].focus();
    else if (event.key === 'ArrowUp' && now >= 0) items[(now + items.length - 1) % items.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener('pointerdown', (event) => !event.composedPath().includes(place) && show(false), { signal: host.signal });
  return place;
}

/** A quiet labelled control: `field('sort', select)`. */
export const field = (words, control, after = null) => el('label', { class: 'field' }, el('span', { class: 'field-name' }, words), control, after);

/** A native select that reads as text. `options`: [[value, words], …]. */
export function chooser(options, value, change, label) {
  const select = el('select', { class: 'chooser', 'aria-label': label, onchange: () => change(select.value) });
  for (const [id, words] of options) select.append(el('option', { value: id }, words));
  select.value = value;
  return select;
}
