/* How a view leaves the page: files, tables as CSV, and the "⤓" that offers them. */

import type { Painter } from './paint.ts';
import type { Host } from './view.ts';
import { el, onPage } from './dom.ts';
import { bus } from './events.ts';
import { tr } from './language.ts';
import { toggleSlide } from './slide.ts';
import { wrapText } from './paint.ts';
import { TOUCH } from './words.ts';
import './export.css';

const filling = (): readonly [string, string] =>
  TOUCH
    ? [tr('Fill the screen'), tr('Press it again to leave the full screen')]
    : [tr('Fill the screen (F)'), tr('F or Esc leaves the full screen')];
const LINE = 18; // pixels of the design that a line of the caption takes

const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i;

/**
 * A cell's text; what a spreadsheet would run as a formula begins with an apostrophe (as in ui/export/files.py).
 */
export const harmless = (text: string) => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

const csvCell = (value: string | number) => {
  const text = harmless(String(value));
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvText = (rows: (string | number)[][]) =>
  rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';

/** A number as a table holds it: nine digits keep float32 exact, what may not be attended is empty. */
export const csvNumber = (value: number) => (Number.isFinite(value) ? Number(value.toPrecision(9)) : '');

export function download(blob: Blob, name: string) {
  const link = el('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const downloadCsv = (name: string, rows: (string | number)[][]) =>
  download(new Blob(['\ufeff', csvText(rows)], { type: 'text/csv' }), `${name}.csv`);

export const downloadPng = (canvas: HTMLCanvasElement, name: string) =>
  canvas.toBlob((blob) => blob && download(blob, `${name}.png`));

/** Words of a file are wrapped for a wider type than that of the page, which other machines may lack. */
const OTHER_TYPE = { plain: 1.2, bold: 1.35 };
export const wrapForFile = (words: string, width: number, size: number, weight = 400) =>
  wrapText(words, width, OTHER_TYPE[weight < 600 ? 'plain' : 'bold'] * size, weight);

/**
 * What a picture away from its page is of: heads, sentence, checkpoint, on as many lines as they need. `about` stands in
 * place of the sentence in force where the picture is of another.
 */
export const captionOf = (who: string, width: number, u: number, about = bus().last.about) =>
  wrapForFile([who, about].filter(Boolean).join(' · '), width, 13 * u).filter(Boolean);

export const paintCaption = (p: Painter, lines: string[], u: number, fill: string) =>
  lines.forEach((line, n) => p.text(2, (n * LINE + 13) * u, line, { size: 13 * u, fill }));

export const captionHeight = (lines: string[], u: number) =>
  lines.length ? (lines.length * LINE + 6) * u : 0;

/** The "⤓" itself: PNG, SVG and CSV as functions that hand over the file. */
export function leavingMenu(host: Host, png: () => void, svg: () => void, csv: () => void) {
  const item = (words: string, title: string, action: () => void): HTMLButtonElement => {
    const press = () => {
      close();
      action();
    };
    const looks = { class: 'menu-item', role: 'menuitem', title };
    return el('button', { ...looks, onclick: press }, words);
  };
  const items = [
    item(tr('Picture (PNG)'), tr('Save this view as PNG'), png),
    item(tr('Vector (SVG)'), tr('Save this view as SVG'), svg),
    item(tr('Numbers (CSV)'), tr('Save the numbers as CSV'), csv),
    item(...filling(), () => toggleSlide(button)),
  ];
  const list = el('div', { class: 'menu', role: 'menu', hidden: true }, ...items);
  const looks = { class: 'quiet menu-open', title: tr('Save as PNG, SVG or CSV') };
  const aria = { 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': tr('Save this view') };
  const button = el('button', { ...looks, ...aria, onclick: () => show(list.hidden) }, '⤓');
  const show = (open: boolean) => {
    list.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    if (open) items[0].focus();
  };
  const close = () => {
    show(false);
    button.focus();
  };
  const menu = el('span', { class: 'menu-place' }, button, list);
  menu.addEventListener('keydown', (event) => {
    const now = items.indexOf(event.composedPath()[0] as HTMLButtonElement);
    const step = now < 0 ? 0 : ({ ArrowDown: 1, ArrowUp: items.length - 1 }[event.key] ?? 0);
    if (event.key === 'Escape' && !list.hidden) close();
    else if (step) items[(now + step) % items.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  onPage(host, 'pointerdown', (event) => void (event.composedPath().includes(menu) || show(false)));
  return menu;
}
