/* The joint view as a picture: words, arcs within each side, lines between them, three small maps. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { Focus } from '../web/maps/selection.ts';
import type { JointLayout, JointSide, JointStep } from './joint_layout.ts';
import { inkOn } from '../web/base/colour.ts';
import { csvNumber } from '../web/base/export.ts';
import { shorten, textWidth, typeSize } from '../web/base/paint.ts';
import { isSpecial, lengthWords, percent, topIndices, visible } from '../web/base/words.ts';
import { TABLE_HEAD, rowOf, tableOf } from '../web/maps/sheet.ts';
import { chosenLabels } from '../web/marks/labels.ts';
import {
  LINE_FLOOR,
  behindRow,
  curveBetween,
  linePen,
  paintLines,
  startOfCurve,
} from '../web/marks/lines.ts';
import { paintPixels, wholeOf } from '../web/marks/picture.ts';
import { jointPoint, jointSentence, jointTitle } from './joint_layout.ts';

/** Kinds in the order of the small maps. */
export const MAPS = ['encoder', 'cross', 'causal'] as const;

/** What is drawn: a step, and where its words stand. */
interface JointPicture extends JointStep {
  host: Host;
  layout: JointLayout;
}

/** The whole view; the lines of the newest word are drawn up to `growth` (0…1). */
export function paintJoint(p: Painter, joint: JointPicture, growth = 1) {
  const { sheets, layout, step, host } = joint;
  const c = host.colours;
  const named = joint.namedSource;
  paintCross(p, joint, growth);
  if (named !== null) {
    const still = joint.hovered?.source !== undefined || joint.pinned !== null;
    const row = rowOf(sheets.encoder, named);
    paintArcs(p, joint, row, named, layout.source, c.encoder, still ? 1 : growth);
  }
  if (step) {
    const row = rowOf(sheets.causal, step - 1).slice(0, step);
    if (joint.firstKey) row.unshift(0);
    paintArcs(p, joint, row, step, layout.target, c.causal, growth);
  }
  paintSource(p, joint);
  paintTarget(p, joint);
  paintMaps(p, joint);
}

/**
 * Lines of the described step, or to the hovered source word; earlier steps stay fainter, however confident.
 */
function paintCross(p: Painter, joint: JointPicture, growth: number) {
  const { layout: g, step, hovered, sheets, host } = joint;
  const { source, target } = g;
  const column = hovered?.source;
  const focus: Focus = {
    rows: new Set(column === undefined && step ? [step - 1] : []),
    cols: new Set(column === undefined ? [] : [column]),
  };
  if (!step) return;
  paintLines(p, sheets.cross, focus, {
    area: wholeOf(sheets.cross),
    threshold: LINE_FLOOR,
    behind: behindRow(step - 1),
    u: g.u,
    growing: { row: step - 1, share: growth },
    hue: () => host.colours.cross,
    curve: (i, j) =>
      curveBetween(
        jointPoint(g, target.along[i + 1], target.lines),
        jointPoint(g, source.along[j], source.lines),
        g.flat,
      ),
  });
}

/** Arcs from one word to others of its side: the farther, the higher, so that none lies on another. */
function paintArcs(
  p: Painter,
  { layout: g }: JointPicture,
  weights: number[],
  from: number,
  { along, edges, outward }: JointSide,
  stroke: string,
  growth: number,
) {
  const { u, arc } = g;
  const longest = Math.abs(along[along.length - 1] - along[0]) || 1;
  for (const j of topIndices(weights, weights.length).reverse()) {
    if (weights[j] < LINE_FLOOR || j >= along.length) continue;
    const itself = j === from;
    const [start, end] = itself ? [along[from] - 7 * u, along[from] + 7 * u] : [along[from], along[j]];
    const far = (Math.abs(end - start) / longest) ** 0.55;
    const rise = itself ? 24 * u : 20 * u + (arc * 1.3 - 20 * u) * far;
    const passed = edges.slice(Math.min(from, j), Math.max(from, j) + 1);
    const base = outward < 0 ? Math.min(...passed) : Math.max(...passed);
    const across = base + outward * rise;
    const [a, d] = [jointPoint(g, start, edges[from]), jointPoint(g, end, edges[j])];
    const curve = startOfCurve([a, jointPoint(g, start, across), jointPoint(g, end, across), d], growth);
    p.curve(...curve, { stroke, ...linePen(weights[j], 'on', u) });
  }
}

/**
 * A word of one side; on `fill` or in a `frame`, in `ink`.
 * @param n its index along the side
 */
function paintWord(
  p: Painter,
  { layout: g }: JointPicture,
  label: string,
  n: number,
  side: JointSide,
  { ink, fill, frame }: { ink: string; fill?: string; frame?: string | null },
) {
  const { u, size, flat } = g;
  const text = shorten(visible(label), side.room, size);
  const [x, y] = jointPoint(g, side.along[n], side.words);
  const align = flat ? 'center' : side.outward > 0 ? 'left' : 'right';
  if (fill || frame) {
    const w = textWidth(text, size, true, 600) + (fill ? 18 : 14) * u;
    const edge = (fill ? 8 : 6) * u;
    const left = flat ? x - w / 2 : side.outward > 0 ? x - edge : x - w + edge;
    // In a dense column the pill stays within its line and leaves the neighbours readable.
    const pitch = Math.abs((side.along[1] ?? Infinity) - side.along[0]);
    const h = frame ? 22 * u : flat ? 24 * u : Math.min(24 * u, Math.max(17 * u, 1.2 * pitch));
    p.rect(left, y - h / 2, w, h, { fill, stroke: frame, width: 1.4, radius: 7 * u });
  }
  const weight = fill ? 600 : 400;
  p.text(x, y + 0.5, text, { size, mono: true, align, baseline: 'middle', fill: ink, weight });
}

/** Source words, with the described step's shares beside the largest. */
function paintSource(p: Painter, joint: JointPicture) {
  const { layout: g, sheets, step, meta } = joint;
  const { u, flat, source } = g;
  const c = joint.host.colours;
  const named = joint.namedSource;
  const shares = step ? rowOf(sheets.cross, step - 1) : [];
  const big = readableShares(shares, source.along, flat ? 0 : 15 * u);
  const active = new Set([...big, ...(named === null ? [] : [named])]);
  for (const j of chosenLabels(0, source.along.length, source.every, active)) {
    const quiet = isSpecial(meta.source[j]) && !big.has(j);
    const look = { ink: quiet ? c.muted : c.ink, frame: j === named ? c.encoder : null };
    paintWord(p, joint, meta.source[j], j, source, look);
    if (!big.has(j) || joint.hovered?.source !== undefined) continue;
    const [x, y] = flat ? [source.along[j], source.words + 23 * u] : [source.words + 14 * u, source.along[j]];
    const align = flat ? 'center' : 'left';
    const { mode, tops } = meta;
    const words = mode === 'length' ? lengthWords(shares[j] * tops.cross) : percent(shares[j]);
    p.text(x, y, words, { size: typeSize(12, u), align, baseline: 'middle', fill: c.cross_text });
  }
}

/** Of words that share a spot, the more important one. */
function readableShares(shares: number[], along: number[], apart: number) {
  const big = new Set<number>();
  for (const j of topIndices(shares, 8)) {
    const free = [...big].every((k) => Math.abs(along[k] - along[j]) >= apart);
    if (shares[j] >= 0.05 && free) big.add(j);
  }
  return big;
}

/** Written words; a dot for each to come. */
function paintTarget(p: Painter, joint: JointPicture) {
  const { layout: g, step, meta } = joint;
  const { target, flat, u } = g;
  const c = joint.host.colours;
  for (const i of chosenLabels(joint.firstKey, target.along.length, target.every, step ? [step] : [])) {
    if (i > joint.written) {
      const [x, y] = jointPoint(g, target.along[i], target.words);
      p.circle(flat ? x : x + 4 * u, y, 2.2 * u, { fill: c.line });
      continue;
    }
    const plainInk = isSpecial(meta.target[i]) ? c.muted : c.ink;
    const look = i === step ? { ink: inkOn(c.causal, c), fill: c.causal } : { ink: plainInk };
    paintWord(p, joint, meta.target[i], i, target, look);
  }
}

/** A kind's name in a space; what stands in brackets goes first. */
function mapName(label: string, space: number, size: number) {
  const words = textWidth(label, size, false, 600) <= space ? label : label.replace(/ \(.*\)$/, '');
  return shorten(words, space, size, false);
}

function paintMaps(p: Painter, joint: JointPicture) {
  const { layout, sheets, step } = joint;
  const { u } = layout;
  const { w, h, corners } = layout.maps;
  const c = joint.host.colours;
  MAPS.forEach((kind, n) => {
    const { x, y } = corners[n];
    const sheet = sheets[kind];
    const size = typeSize(12.5, u);
    const space = Math.min(w + 22 * u, layout.room - x - 6 * u);
    const name = mapName(joint.meta.labels[kind], space, size);
    p.text(x, y - 8 * u, name, { size, fill: c[`${kind}_text`], weight: 600 });
    paintPixels(p, sheet, { x, y, w, h }, c);
    const mark = kind === 'encoder' ? joint.namedSource : step ? step - 1 : null;
    const tall = h / sheet.rows.length;
    if (mark === null) return;
    const frame = { stroke: c.ink, width: 1.3, radius: 3 };
    p.rect(x - 1.5, y + mark * tall - 1, w + 3, Math.max(3, tall + 2), frame);
  });
}

/** The step as it leaves the page, and the three maps as far as they are written. */
export function jointLeaving(joint: JointPicture): Leaving {
  return {
    name: () => `${joint.meta.file}-step-${joint.written}`,
    who: () => joint.meta.subject,
    title: () => jointTitle(joint),
    size: () => [joint.layout.room, joint.layout.height],
    draw: (p) => paintJoint(p, joint),
    words: () => jointSentence(joint),
    rows: () => [
      ['kind', ...TABLE_HEAD.slice(0, -1), joint.meta.measure],
      ...MAPS.flatMap((kind) => {
        // Words not written yet are no keys.
        const keys = kind === 'causal' ? joint.written : joint.meta.source.length;
        const number = (v: number) => csvNumber(v * joint.meta.tops[kind]);
        const lines = tableOf(joint.sheets[kind], kind === 'encoder', number).filter(
          (line) => Number(line[3]) < keys,
        );
        return lines.map((line) => [kind, ...line]);
      }),
    ],
  };
}
