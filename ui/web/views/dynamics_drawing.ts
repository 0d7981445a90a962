/* The curves of a training as a picture: losses above, a score of every head below, one line where the reader stands. */

import type { Leaving } from '../base/export.ts';
import type { Box, Painter } from '../base/paint.ts';
import type { Dynamics } from './dynamics.ts';
import type { CurveLayout } from './dynamics_layout.ts';
import { plain } from '../base/dom.ts';
import { csvNumber } from '../base/export.ts';
import { shifted } from '../base/paint.ts';
import { legible, paintWords, textWidth, typeSize } from '../base/text.ts';
import { TABLE_HEAD, tableOf } from '../maps/sheet.ts';
import { paintLegend, weightStops, weightWords } from '../marks/legend.ts';
import { paintPixels } from '../marks/picture.ts';
import { range, stepTicks, stepX, valueY } from './dynamics_layout.ts';
import { counted, two } from './dynamics_numbers.ts';

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
function paintPanel(p: Painter, box: Box, ends: Range, name: string, { host }: Dynamics) {
  const { scale: u, colours: c } = host;
  const size = typeSize(12, u);
  for (const value of [ends.low, (ends.low + ends.high) / 2, ends.high]) {
    const y = valueY(box, value, ends.low, ends.high);
    p.path(`M${box.x} ${y}L${box.x + box.w} ${y}`, { stroke: c.line, width: 1 });
    const words = ends.high >= 20 ? value.toFixed(0) : two(value);
    p.text(box.x - 8 * u, y, words, { size, align: 'right', baseline: 'middle', fill: c.muted });
  }
  p.text(box.x, box.y - 9 * u, name, { size, weight: 600, fill: c.ink });
}

/** The name of each loss curve, in its colour, in a row at the right of the panel's name. */
function paintLossNames(p: Painter, view: Dynamics, box: Box, hues: string[]) {
  const { scale: u, colours: c } = view.host;
  const size = typeSize(12, u);
  let x = box.x + box.w;
  [...view.numbers.meta.losses].reverse().forEach(({ name }, back) => {
    const n = hues.length - 1 - back;
    p.text(x, box.y - 9 * u, name, { size, align: 'right', fill: c.muted });
    x -= textWidth(name, size, false) + 6 * u;
    p.path(`M${x - 14 * u} ${box.y - 13 * u}L${x} ${box.y - 13 * u}`, { stroke: hues[n], width: 2 * u });
    x -= 26 * u;
  });
}

function paintLosses(p: Painter, view: Dynamics, g: CurveLayout) {
  const { host, numbers } = view;
  const { colours: c, scale: u } = host;
  const { losses, quality } = numbers.meta;
  const values = losses.flatMap(({ points }) => points.map(([, v]) => v));
  const ends = range(values, 0, null);
  const hues = [c.bar, c.ink];
  const name = g.loss.w > 330 * u ? 'loss, nats a target token' : 'loss, nats';
  paintPanel(p, g.loss, ends, name, view);
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
  p.circle(x, g.loss.y + 6 * u, 3 * u, { fill: c[`${numbers.meta.kind}_text`] });
  const words = `${quality.name} ${last[1].toFixed(1)}`;
  p.text(x - 8 * u, g.loss.y + 10 * u, words, { size, align: 'right', fill: c.ink });
}

/** One line a head; the open and the pointed one stand out, a sudden fall is drawn thick. */
function paintHeads(p: Painter, view: Dynamics, g: CurveLayout) {
  const { numbers, host, own } = view;
  const { colours: c, scale: u } = host;
  const { meta } = numbers;
  const ends = view.ends;
  paintPanel(p, g.heads, ends, view.panelName, view);
  const hue = c[meta.kind];
  const order = Array.from({ length: meta.layers * meta.heads }, (_, n) => n);
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
    const words = `${Math.floor(n / meta.heads)}.${n % meta.heads}`;
    const x = stepX(g, meta.steps[meta.steps.length - 1]) + 6 * u;
    p.text(x, y, words, { size: typeSize(12.5, u), weight: 650, baseline: 'middle', fill: c.ink });
  }
}

function paintDrops(p: Painter, view: Dynamics, g: CurveLayout) {
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

export function paintCurves(p: Painter, view: Dynamics, g: CurveLayout) {
  const { colours: c, scale: u } = view.host;
  paintLosses(p, view, g);
  paintHeads(p, view, g);
  const size = typeSize(12, u);
  const bottom = g.heads.y + g.heads.h;
  for (const step of stepTicks(g)) {
    const x = stepX(g, step);
    p.path(`M${x} ${bottom}L${x} ${bottom + 4 * u}`, { stroke: c.muted, width: 1 });
    p.text(x, bottom + 6 * u + size, counted(step), { size, align: 'center', fill: c.muted });
  }
  p.text(g.heads.x - 8 * u, bottom + 6 * u + size, 'step', { size, align: 'right', fill: c.muted });
  const x = stepX(g, view.numbers.meta.steps[view.own.at] ?? 0);
  p.path(`M${x} ${g.loss.y - 4 * u}L${x} ${bottom}`, { stroke: c.ink, width: 1.4 * u, alpha: 0.8 });
}

/** The small maps of all heads at the record in hand. */
export function paintSmall(p: Painter, view: Dynamics) {
  const { layout, host, numbers, own } = view;
  const { u, w, h, at, labels } = layout;
  const { meta } = numbers;
  const c = host.colours;
  const fitted = Math.max(9 * u, Math.min(12 * u, w / 4.6));
  const size = legible(fitted, u) ? fitted : typeSize(12, u);
  for (const [layer, y] of labels) {
    const pen = { align: 'center', baseline: 'middle', rotate: -90 } as const;
    p.text(11 * u, y, `layer ${layer}`, { size: typeSize(12, u), fill: c.muted, ...pen });
  }
  for (const [n, { x, y }] of at) {
    const [layer, head] = [Math.floor(n / meta.heads), n % meta.heads];
    paintPixels(p, numbers.sheet(own.at, layer, head, view.table), { x, y, w, h }, c);
    const drop = numbers.dropOf(layer, head);
    const shaped = drop !== undefined && drop[3] <= own.at;
    const fill = shaped ? c[`${meta.kind}_text`] : c.muted;
    p.text(x, y + h + 14 * u, `${layer}.${head}`, { size, weight: shaped ? 700 : 400, fill });
    const score = numbers.score(own.at, own.score, layer, head);
    const words = Number.isFinite(score) ? two(score) : '–';
    if (textWidth(`${layer}.${head} ${words}`, size, false, 700) <= w)
      p.text(x + w, y + h + 14 * u, words, { size, align: 'right', fill: c.muted });
    if (n === view.openHead)
      p.rect(x - 4 * u, y - 4 * u, w + 8 * u, h + 8 * u, { stroke: c.ink, width: 2 * u, radius: 8 * u });
    else if (n === view.hovered)
      p.rect(x - 2 * u, y - 2 * u, w + 4 * u, h + 4 * u, { stroke: c.muted, width: u, radius: 6 * u });
  }
}

export function curvesLeaving(view: Dynamics): Leaving {
  const words = () => plain(view.curveWords());
  return {
    name: () => `${view.numbers.meta.file}-training`,
    who: () => `head ${view.openName}`,
    about: () => view.numbers.meta.about,
    size: () => [view.curves.width, view.curves.height + 46 * view.host.scale],
    draw(p) {
      paintCurves(p, view, view.curves);
      const { width, height, u } = view.curves;
      paintWords(p, words(), width, height + 16 * u, u, view.host.colours.ink);
    },
    rows: () => view.numbers.table(),
  };
}

export function mapsLeaving(view: Dynamics): Leaving {
  const legend = () => ({
    table: view.table,
    stops: weightStops('weight', view.numbers.meta.cols.length),
    words: weightWords(),
  });
  const step = () => view.numbers.meta.steps[view.own.at];
  const size = (): [number, number] => {
    const u = view.host.scale;
    const width = Math.max(view.layout.room, view.big.frame.width, 420 * u);
    return [width, view.layout.height + view.big.frame.height + 96 * u];
  };
  return {
    name: () => `${view.numbers.meta.file}-${view.openName}-step-${step()}`,
    who: () => `head ${view.openName}, step ${counted(step())}`,
    about: () => `“${view.numbers.meta.source}” → “${view.numbers.meta.target}” · ${view.numbers.meta.about}`,
    size,
    draw(p) {
      const u = view.host.scale;
      const c = view.host.colours;
      paintSmall(p, view);
      const below = view.layout.height + 14 * u;
      view.big.paint(shifted(p, 0, below));
      paintLegend(p, 2, below + view.big.frame.height + 6 * u, u, legend(), c);
      const [width] = size();
      paintWords(p, plain(view.mapWords()), width, below + view.big.frame.height + 52 * u, u, c.ink);
    },
    rows: () => [
      ['step', ...TABLE_HEAD],
      ...view.numbers.meta.steps.flatMap((each, k) => {
        const { layer, head } = view.own;
        const sheet = view.numbers.sheet(k, layer, head, view.table);
        return tableOf(sheet, csvNumber).map((line) => [each, ...line]);
      }),
    ],
  };
}
