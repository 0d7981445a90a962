/* The curves of a training as a picture: losses above, a score of every head below, one line where the reader stands. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Box, Painter } from '../web/base/paint.ts';
import type { HeatGeometry } from '../web/marks/frames.ts';
import type { Plot } from '../web/marks/pair.ts';
import type { Looked } from './dynamics_controls.ts';
import type { CurveLayout } from './dynamics_layout.ts';
import { paintLayers } from '../shared/wall_drawing.ts';
import { csvNumber } from '../web/base/export.ts';
import { fixed, grouped, tr } from '../web/base/language.ts';
import { AT_LEFT, legible, shifted, textWidth, typeSize } from '../web/base/paint.ts';
import { TABLE_HEAD, tableOf } from '../web/maps/sheet.ts';
import { quoted } from '../web/maps/sentence.ts';
import { weightAxis, weightWords } from '../web/marks/legend.ts';
import { paintPixels } from '../web/marks/picture.ts';
import { range, stepTicks, stepX, valueY } from './dynamics_layout.ts';
import { lossName, two } from './dynamics_numbers.ts';

interface Range {
  low: number;
  high: number;
}

/** A line through points, broken where there is no number. */
function lineThrough(points: [x: number, y: number | null][]) {
  let [path, on] = ['', false];
  for (const [x, y] of points) {
    if (y !== null) path += `${on ? 'L' : 'M'}${x.toFixed(2)} ${y.toFixed(2)}`;
    on = y !== null;
  }
  return path;
}

/** A panel's frame with its ends at the side and its name. */
function paintPanel(p: Painter, box: Box, ends: Range, name: string, { host }: Looked) {
  const { scale: u, colours: c } = host;
  const size = typeSize(12, u);
  for (const value of [ends.low, (ends.low + ends.high) / 2, ends.high]) {
    const y = valueY(box, value, ends.low, ends.high);
    p.path(`M${box.x} ${y}L${box.x + box.w} ${y}`, { stroke: c.line, width: 1 });
    const words = ends.high >= 20 ? fixed(value, 0) : two(value);
    p.text(box.x - 8 * u, y, words, { size, align: 'right', baseline: 'middle', fill: c.muted });
  }
  p.text(box.x, box.y - 9 * u, name, { size, weight: 600, fill: c.ink });
}

/** The name of each loss curve, in its colour, in a row at the right of the panel's name. */
function paintLossNames(p: Painter, view: Looked, box: Box, hues: string[]) {
  const { scale: u, colours: c } = view.host;
  const size = typeSize(12, u);
  let x = box.x + box.w;
  [...view.numbers.meta.losses].reverse().forEach((curve, back) => {
    const name = lossName(curve.name);
    const n = hues.length - 1 - back;
    p.text(x, box.y - 9 * u, name, { size, align: 'right', fill: c.muted });
    x -= textWidth(name, size, false) + 6 * u;
    p.path(`M${x - 14 * u} ${box.y - 13 * u}L${x} ${box.y - 13 * u}`, { stroke: hues[n], width: 2 * u });
    x -= 26 * u;
  });
}

/** Marks the first steps, over which the learning rate rises. */
function paintWarmup(p: Painter, { numbers, host }: Looked, g: CurveLayout) {
  const { scale: u, colours: c } = host;
  const end = Math.min(numbers.meta.warmup, g.last);
  if (!end) return;
  const [x, y] = [stepX(g, end), g.loss.y + g.loss.h];
  p.rect(g.loss.x, g.loss.y, x - g.loss.x, g.loss.h, { fill: c.soft });
  const words = tr('warm-up: {count} steps', { count: grouped(numbers.meta.warmup) });
  p.text(g.loss.x + 6 * u, y - 7 * u, words, { size: typeSize(12, u), fill: c.muted });
}

function paintLosses(p: Painter, view: Looked, g: CurveLayout) {
  const { host, numbers } = view;
  const { colours: c, scale: u } = host;
  const { losses, quality } = numbers.meta;
  const values = losses.flatMap(({ points }) => points.map(([, v]) => v));
  const ends = range(values, 0, null);
  const hues = [c.bar, c.ink];
  const name = g.loss.w > 330 * u ? tr('Loss, nats per target token') : tr('Loss, nats');
  paintPanel(p, g.loss, ends, name, view);
  paintWarmup(p, view, g);
  losses.forEach(({ points }, n) => {
    const line = points.map(
      ([step, v]) => [stepX(g, step), valueY(g.loss, v, ends.low, ends.high)] as [number, number],
    );
    p.path(lineThrough(line), { stroke: hues[n], width: 1.8 * u });
  });
  paintLossNames(p, view, g.loss, hues);
  const last = quality.points[quality.points.length - 1];
  if (!last) return;
  const [x, size] = [stepX(g, last[0]), typeSize(12, u)];
  // Where a curve ends high, its last score is named below it.
  const high = losses.some(({ points }) => (points.at(-1)?.[1] ?? 0) > 0.7 * ends.high);
  const y = high ? g.loss.y + g.loss.h - 12 * u : g.loss.y + 6 * u;
  p.circle(x, y, 3 * u, { fill: c[`${numbers.meta.kind}_text`] });
  const words = `${quality.name} ${fixed(last[1], 1)}`;
  p.text(x - 8 * u, y + 4 * u, words, { size, align: 'right', fill: c.ink });
}

/** One line a head; the open and the pointed one stand out, a sudden fall is drawn thick. */
function paintHeads(p: Painter, view: Looked, g: CurveLayout) {
  const { numbers, host, own } = view;
  const { colours: c, scale: u } = host;
  const { meta } = numbers;
  const ends = view.ends;
  paintPanel(p, g.heads, ends, view.panelName, view);
  const hue = c[meta.kind];
  const order = Array.from({ length: numbers.count }, (_, n) => n);
  const strong = [view.openHead, view.hovered].filter((n) => n >= 0);
  for (const n of [...order.filter((each) => !strong.includes(each)), ...strong]) {
    const on = strong.includes(n);
    const points = meta.steps.map(
      (step, k) => [stepX(g, step), view.heightOf(g, n, k)] as [number, number | null],
    );
    const pen = on
      ? { stroke: n === view.openHead ? hue : c.ink, width: 2.4 * u }
      : { stroke: c.bar, width: u };
    p.path(lineThrough(points), { ...pen, alpha: on ? 1 : 0.75 });
  }
  if (own.score === 'entropy' || own.score === 'normalised_entropy') paintDrops(p, view, g);
  for (const n of strong) {
    const y = view.heightOf(g, n, meta.steps.length - 1);
    if (y === null) continue;
    const x = stepX(g, meta.steps[meta.steps.length - 1]) + 6 * u;
    p.text(x, y, numbers.nameOf(n), { ...AT_LEFT, size: typeSize(12.5, u), weight: 650, fill: c.ink });
  }
}

function paintDrops(p: Painter, view: Looked, g: CurveLayout) {
  const { numbers, host } = view;
  const { meta } = numbers;
  const c = host.colours;
  for (const [layer, head, start, end] of meta.drops) {
    const n = layer * meta.heads + head;
    const open = n === view.openHead || n === view.hovered;
    const points = meta.steps.slice(start, end + 1).map((step, k) => {
      const y = view.heightOf(g, n, start + k);
      return [stepX(g, step), y] as [number, number | null];
    });
    const pen = { stroke: c[meta.kind], width: (open ? 4.5 : 2) * g.u, alpha: open ? 1 : 0.55 };
    p.path(lineThrough(points), pen);
    const foot = points[points.length - 1];
    if (foot[1] !== null) p.circle(foot[0], foot[1], (open ? 4.5 : 2.6) * g.u, { fill: c[meta.kind] });
  }
}

export function paintCurves(p: Painter, view: Looked, g: CurveLayout) {
  const { colours: c, scale: u } = view.host;
  paintLosses(p, view, g);
  paintHeads(p, view, g);
  const size = typeSize(12, u);
  const bottom = g.heads.y + g.heads.h;
  for (const step of stepTicks(g)) {
    const x = stepX(g, step);
    p.path(`M${x} ${bottom}L${x} ${bottom + 4 * u}`, { stroke: c.muted, width: 1 });
    p.text(x, bottom + 6 * u + size, grouped(step), { size, align: 'center', fill: c.muted });
  }
  p.text(g.heads.x - 8 * u, bottom + 6 * u + size, tr('step'), { size, align: 'right', fill: c.muted });
  const x = stepX(g, view.numbers.meta.steps[view.own.at] ?? 0);
  p.path(`M${x} ${g.loss.y - 4 * u}L${x} ${bottom}`, { stroke: c.ink, width: 1.4 * u, alpha: 0.8 });
}

/** The small maps of all heads at the record in hand. */
export function paintSmall(p: Painter, view: Looked) {
  const { layout, host, numbers, own } = view;
  const { u, w, h, at } = layout;
  const { meta } = numbers;
  const c = host.colours;
  const fitted = Math.max(9 * u, Math.min(12 * u, w / 4.6));
  const size = legible(fitted, u) ? fitted : typeSize(12, u);
  paintLayers(p, layout, c.muted);
  for (const [n, { x, y }] of at) {
    const name = numbers.nameOf(n);
    paintPixels(p, numbers.sheet(own.at, n, view.table), { x, y, w, h }, c);
    const drop = numbers.dropOf(n);
    const shaped = drop !== undefined && drop[3] <= own.at;
    const fill = shaped ? c[`${meta.kind}_text`] : c.muted;
    p.text(x, y + h + 14 * u, name, { size, weight: shaped ? 700 : 400, fill });
    const score = numbers.score(own.at, own.score, n);
    const words = Number.isFinite(score) ? two(score) : '–';
    if (textWidth(`${name} ${words}`, size, false, 700) <= w)
      p.text(x + w, y + h + 14 * u, words, { size, align: 'right', fill: c.muted });
    if (n === view.openHead)
      p.rect(x - 4 * u, y - 4 * u, w + 8 * u, h + 8 * u, { stroke: c.ink, width: 2 * u, radius: 8 * u });
    else if (n === view.hovered)
      p.rect(x - 2 * u, y - 2 * u, w + 4 * u, h + 4 * u, { stroke: c.muted, width: u, radius: 6 * u });
  }
}

export function curvesLeaving(view: Looked): Leaving {
  return {
    name: () => `${view.numbers.meta.file}-training`,
    who: () => tr('head {name}', { name: view.openName }),
    about: () => view.numbers.meta.about,
    size: () => [view.curves.width, view.curves.height],
    draw: (p) => paintCurves(p, view, view.curves),
    words: () => view.curveWords(),
    rows: () => view.numbers.table(),
  };
}

/** What the colours of the maps are. */
export const mapLegend = ({ table, numbers }: Looked) => ({
  table,
  ...weightAxis('weight', numbers.meta.cols.length),
  words: weightWords(),
});

/** The small maps and, below them, the one of the open head. */
export function mapsLeaving(view: Looked & { big: Plot<HeatGeometry> }): Leaving {
  const step = () => view.numbers.meta.steps[view.own.at];
  return {
    name: () => `${view.numbers.meta.file}-${view.openName}-step-${step()}`,
    who: () => tr('head {name}, step {step}', { name: view.openName, step: grouped(step()) }),
    about: () => {
      const { source, target, about } = view.numbers.meta;
      return `${quoted(source)} → ${quoted(target)} · ${about}`;
    },
    size() {
      const { layout, big, host } = view;
      const width = Math.max(layout.room, big.frame.width);
      return [width, layout.height + 14 * host.scale + big.frame.height];
    },
    draw(p) {
      paintSmall(p, view);
      view.big.paint(shifted(p, 0, view.layout.height + 14 * view.host.scale));
    },
    legend: () => mapLegend(view),
    words: () => view.mapWords(),
    rows: () => [
      ['step', ...TABLE_HEAD],
      ...view.numbers.meta.steps.flatMap((each, k) => {
        const sheet = view.numbers.sheet(k, view.openHead, view.table);
        return tableOf(sheet, view.numbers.meta.kind === 'encoder', csvNumber).map((line) => [each, ...line]);
      }),
    ],
  };
}
