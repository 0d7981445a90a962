/* Drawing and export of the open heads: lines with their sums, the map, the legend. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { Host, CardView } from '../web/base/view.ts';
import type { Area } from '../web/maps/sheet.ts';
import type { Columns } from '../web/marks/frames.ts';
import type { Stops } from '../web/marks/legend.ts';
import type { Mark, Pair } from '../web/marks/pair.ts';
import type { PinnedHeads } from './head_numbers.ts';
import { rampTable } from '../web/base/colour.ts';
import { checkbox, field } from '../web/base/controls.ts';
import { el } from '../web/base/dom.ts';
import { csvNumber } from '../web/base/export.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { fixed, tr } from '../web/base/language.ts';
import { typeSize } from '../web/base/paint.ts';
import { inSight } from '../web/base/view.ts';
import { TOUCH, brief, minus, shown } from '../web/base/words.ts';
import { TABLE_HEAD, columnOf, rowOf, sumOf, tableOf } from '../web/maps/sheet.ts';
import { columnLines, columnWords } from '../web/marks/columns.ts';
import { attendedY, attendingY, columnsGeometry, heatGeometry } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { centred, quantityWords, weightAxis, weightWords } from '../web/marks/legend.ts';
import { headSentence, headTitle } from './head_numbers.ts';

export const axes = () => tr('query ↓   key →');

const HALL = 350; // pixels of the design around the map in a hall: header, strip, title, the words beside it, the sentence
const TALL = 600; // pixels of the design that forty words below each other need
const DEEP = 36; // pixels of the design of a row where the map stands alone
const MOST_SUMS = 14; // numbers beside the words of one side

/** What is drawn of the open heads, and how the reader wants it drawn. */
interface HeadPicture extends PinnedHeads {
  host: Host;
  pair: Pair;
  own: { threshold: number; log: boolean; area: Area | null };
}

/** The card that the pictures stand on, with what its controls change. */
interface HeadCard extends HeadPicture {
  parts: CardView['parts'];
  swatches: HTMLElement;
  foot: HTMLElement;
  legend: HTMLCanvasElement;
  whole: HTMLButtonElement;
  /** Computes the colours again. */
  build(): void;
  /** The picture that is seen where there is no room for both. */
  showAlone(picture: 'map' | 'lines'): void;
  relayout(): void;
  /** Draws once before the next frame. */
  soon(): void;
  /** Tells Python how the reader wants the heads drawn. */
  reportView(): void;
}

/** One side's sums: `items` are summed over `line`, and number n stands at `y(n)` beside `x`. */
interface Side {
  items: Set<number>;
  line: typeof rowOf;
  y(n: number): number;
  x: number;
  align: 'left' | 'right';
  pitch: number;
}

/** Where lines and map stand; a zoom shows a part of both. */
export function arrangeHead({ open, own, pair, host, parts }: HeadCard) {
  const u = host.scale;
  const room = parts.body.clientWidth;
  pair.resize(room, u, [0.44, 0.56], Math.min(room, 620 * u));
  const { area } = own;
  const [rows, columns] = area
    ? [area[1] - area[0], area[3] - area[2]]
    : [open.meta.rows.length, open.meta.cols.length];
  const longest = Math.max(rows, columns);
  const most = pair.wide || rows > 20 ? TALL : 400;
  const limits = {
    tall: inSight(host, most, HALL + (rows > 20 ? 24 : 0), rows),
    area,
    cap: pair.wide ? 46 : 52,
    deep: pair.wide ? 0 : DEEP,
  };
  pair.map.frame = heatGeometry(open.combined, pair.sides[1], u, limits);
  const beside = pair.beside(pair.map.frame, longest, limits.tall * u);
  const several = open.seen.length > 1;
  const tall = inSight(host, longest > 20 ? TALL : 400, -Infinity); // of a slide alone
  pair.lines.frame = columnsGeometry(open.combined, pair.sides[0], u, { tall, area, several, ...beside });
}

/** The lines of all heads, shifted so that none hides another, with words and sums. */
export function headLines(head: HeadPicture): Mark<Columns>[] {
  const { open, own, host } = head;
  const c = host.colours;
  const { rows, cols, cell } = head.pins.active;
  const focus = { rows, cols: cell ? new Set<number>() : cols };
  const { seen, range } = open;
  const apart = (g: Columns) => Math.min(2.2 * g.u, g.rowPitch / (seen.length + 1));
  const lines = seen.map((k, m) => {
    const hue = open.hueOf(k, c);
    const twoHues = open.signed && range.scale === 'diverging' && seen.length === 1;
    return columnLines(open.sheets[k], focus, {
      threshold: own.threshold,
      top: range.top,
      faint: 1 / Math.sqrt(seen.length),
      shift: (g) => (m - (seen.length - 1) / 2) * apart(g),
      hue: twoHues ? (v) => (v >= 0 ? c.positive : c.negative) : () => hue,
    });
  });
  const words: Mark<Columns> = (p, g) => {
    const named = [...(cell ? cols : []), ...paintSums(p, head, g, focus)];
    columnWords(open.combined, { ...focus, named }, c, open.meta.kind)(p, g);
  };
  return [...lines, words];
}

/**
 * Sums beside the words attended from the rows in focus, else from the columns. Returns the attended words with a number.
 */
function paintSums(
  p: Painter,
  head: HeadPicture,
  g: Columns,
  { rows, cols }: { rows: Set<number>; cols: Set<number> },
) {
  if (rows.size) {
    const y = (n: number) => attendedY(g, n);
    const right = { y, x: g.width - 2, align: 'right' as const, pitch: g.colPitch };
    return paintSide(p, head, g.u, { items: rows, line: rowOf, ...right });
  }
  if (cols.size) {
    const y = (n: number) => attendingY(g, n);
    const left = { y, x: 2, align: 'left' as const, pitch: g.rowPitch };
    paintSide(p, head, g.u, { items: cols, line: columnOf, ...left });
  }
  return [];
}

function paintSide(p: Painter, head: HeadPicture, u: number, side: Side) {
  const { open } = head;
  const { unit } = open.meta;
  const { items, line, y, pitch } = side;
  const sums = open.seen.map((k) => sumOf(open.sheets[k], items, line));
  const peak = (n: number) => Math.max(...sums.map((sum) => Math.abs(sum[n])));
  const worth = unit === 'number' || unit === 'length' ? 0.2 * open.range.top : 0.05;
  const most = Array.from(sums[0] ?? [], (_, n) => n).filter((n) => peak(n) >= worth);
  const put: number[] = [];
  for (const n of most.sort((a, b) => peak(b) - peak(a)).slice(0, MOST_SUMS)) {
    if (put.some((m) => Math.abs(m - n) * pitch < 14 * u)) continue;
    put.push(n);
    const numbers = sums.map((sum) => sum[n]);
    // A sum over several rows is no longer a share of one.
    const label = (v: number) =>
      items.size > 1 && unit === 'share' ? fixed(v, 2) : shown(v, unit).replace(' points', '');
    if (numbers.length > 1) paintBars(p, head, u, side, n, numbers, label);
    else {
      const fill = head.host.colours[`${open.meta.kind}_text`];
      p.text(side.x, y(n), label(numbers[0]), {
        baseline: 'middle',
        size: typeSize(12.5, u),
        align: side.align,
        fill,
      });
    }
  }
  return put;
}

/** One small bar per head, and the number of the longest. */
function paintBars(
  p: Painter,
  head: HeadPicture,
  u: number,
  { x, y, align, pitch, items }: Side,
  n: number,
  numbers: number[],
  label: (v: number) => string,
) {
  const { open, host } = head;
  const c = host.colours;
  const longest = numbers.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
  const inward = align === 'right' ? -1 : 1;
  const pen = { size: typeSize(12, u), fill: c.muted };
  p.text(x + inward * 46 * u, y(n), label(longest), { ...pen, align, baseline: 'middle' });
  const tall = Math.min(4 * u, (Math.min(pitch, 22 * u) - 2) / numbers.length);
  numbers.forEach((v, m) => {
    const w = Math.max(1, Math.min(1, Math.abs(v) / (open.range.top * items.size)) * 40 * u);
    const top = y(n) + (m - numbers.length / 2) * tall;
    p.rect(inward < 0 ? x - w : x, top, w, tall * 0.85, { fill: open.hueOf(open.seen[m], c) });
  });
}

export const headMap = ({ open, pins, host }: HeadPicture) =>
  heatmap(
    open.combined,
    { ...pins.active, colour: host.colours[`${open.meta.kind}_text`] },
    host.colours,
    open.cache,
  );

function axisOf({ open }: HeadPicture): ReturnType<typeof weightAxis> {
  const { scale, top, low = 0 } = open.range;
  const unit = (v: number) => (open.meta.unit === 'points' ? brief(v, 'points') : minus(fixed(v, 1)));
  if (scale === 'diverging') return { stops: centred(unit(-top), unit(top)) };
  if (scale === 'range') {
    const stops: Stops = [
      [0, unit(low)],
      [1, unit(top)],
    ];
    return { stops };
  }
  return weightAxis(scale, open.meta.cols.length, open.meta.quantity);
}

export function headLegend(head: HeadPicture) {
  const { open, own, host } = head;
  const several = open.seen.length > 1;
  const { unit, quantity } = open.meta;
  const weights = quantity ? quantityWords(quantity) : weightWords(own.log);
  const one = {
    points: tr('difference in percentage points'),
    number: tr('score before the softmax'),
    share: weights,
    length: weights,
  };
  const table = several ? rampTable(host.colours.panel, host.colours.ink) : open.combined.table;
  return { table, ...axisOf(head), words: several ? tr('Each cell: the strongest head shown') : one[unit] };
}

/**
 * The open heads as they leave the page: one picture of lines, map and words, and the table of their numbers.
 */
function headLeaving(head: HeadPicture): Leaving {
  const { pair } = head;
  return {
    name: () => head.open.meta.file,
    who: () => head.open.seen.map((k) => head.open.meta.heads[k].subject).join(', '),
    title: () => headTitle(head),
    subtitle: () => head.open.meta.subtitle,
    size: () => [pair.width, pair.height],
    draw: (p) => pair.paint(p, head.host.colours, axes()),
    legend: () => headLegend(head),
    words: () => headSentence(head),
    rows() {
      const { meta, sheets, seen } = head.open;
      if (sheets.length === 1) return [TABLE_HEAD, ...tableOf(sheets[0], meta.kind === 'encoder', csvNumber)];
      const lines = seen.flatMap((k) =>
        tableOf(sheets[k], meta.kind === 'encoder', csvNumber).map((line) => [meta.heads[k].name, ...line]),
      );
      return [['head', ...TABLE_HEAD], ...lines];
    },
  };
}

/* The controls of the open heads: swatches that switch heads off, the threshold of lines, the colour scale. */

/** A swatch for each of several heads: a click hides it, a double click leaves it alone. */
export function makeSwatches(head: HeadCard) {
  const { open } = head;
  const several = open.maps.length > 1;
  head.swatches.hidden = !several;
  if (!several) return head.swatches.replaceChildren();
  const buttons: HTMLButtonElement[] = open.meta.heads.map(({ name }, k) => {
    const dot = el('span', { class: 'swatch-dot', 'aria-hidden': 'true' });
    dot.style.background = open.hueOf(k, head.host.colours);
    const title = TOUCH ? tr('Show or hide') : tr('Click to show or hide; double-click to isolate');
    const button = el('button', { class: 'swatch', title }, dot, name);
    button.addEventListener('click', () => {
      if (!open.off.delete(k)) open.off.add(k);
      changed();
    });
    button.addEventListener('dblclick', () => {
      const alone = open.seen.length === 1 && !open.off.has(k);
      open.off = new Set(alone ? [] : open.maps.map((_, m) => m).filter((m) => m !== k));
      changed();
    });
    return button;
  });
  const press = () =>
    buttons.forEach((button, k) => button.setAttribute('aria-pressed', String(!open.off.has(k))));
  const changed = () => {
    press();
    open.combine();
    head.relayout();
  };
  press();
  const hint = el(
    'span',
    { class: 'swatch-hint' },
    TOUCH ? tr('Tap a head to hide it') : tr('Click to hide; double-click to isolate'),
  );
  head.swatches.replaceChildren(...buttons, hint);
}

/** Which of the two pictures is drawn where there is no room for both. */
function drawnAs(head: HeadCard) {
  const choices: ['map' | 'lines', string][] = [
    ['map', tr('Map')],
    ['lines', tr('Lines')],
  ];
  const buttons = choices.map(([picture, words]) => el('button', { onclick: () => show(picture) }, words));
  const show = (picture: 'map' | 'lines') => {
    head.showAlone(picture);
    choices.forEach(([name], n) => buttons[n].setAttribute('aria-pressed', String(name === picture)));
    head.relayout();
  };
  choices.forEach(([name], n) => buttons[n].setAttribute('aria-pressed', String(name === head.pair.alone)));
  return el('span', { class: 'detail-shows', role: 'group', 'aria-label': tr('Drawn as') }, ...buttons);
}

/**
 * The knobs under the pictures, created once per unit so that an update does not interrupt a drag. `show` writes the
 * current settings into them.
 */
export function makeKnobs(head: HeadCard) {
  const { unit } = head.open.meta;
  const { own } = head;
  const label = tr('Hide lines below this weight');
  const range = { type: 'range', min: 0, max: 50, step: 1, 'aria-label': label };
  const slider = el('input', { class: 'slider', ...range });
  const readout = el('output');
  slider.addEventListener('input', () => {
    own.threshold = Number(slider.value) / 100;
    show();
    head.soon();
  });
  slider.addEventListener('change', () => head.reportView());
  const log = checkbox(tr('log colour'), (on) => {
    own.log = on;
    head.build();
    head.relayout();
    head.reportView();
  });
  const show = () => {
    slider.value = String(Math.round(own.threshold * 100));
    readout.textContent =
      unit === 'share' ? `${slider.value} %` : tr('{percent} % of the largest', { percent: slider.value });
    log.box.checked = own.log;
  };
  const lines = field(tr('threshold'), slider, readout);
  lines.classList.add('of-lines');
  const fields = [unit === 'share' ? log.node : '', lines];
  const right = el('span', { class: 'detail-foot' }, head.whole, ...fields);
  head.foot.replaceChildren(head.legend, right);
  head.parts.controls.replaceChildren(drawnAs(head), exportMenu(head.host, headLeaving(head)));
  return { unit, show };
}
