/* Where everything in the joint view goes: words in two rows while they fit, else in two columns. */

import type { Piece } from '../web/base/dom.ts';
import type { Point } from '../web/base/paint.ts';
import type { JointData, Kind } from '../web/generated/types.ts';
import type { How } from '../web/maps/sentence.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { phrase } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { textWidth } from '../web/base/paint.ts';
import { WORD_HEIGHT } from '../web/base/view.ts';
import { TOUCH, lengthWords, spokenPercent, topIndices, visible } from '../web/base/words.ts';
import { columnSentence, pinnedHint, quoted, rowSentence, strongly, verbOf } from '../web/maps/sentence.ts';
import { columnOf, rowOf } from '../web/maps/sheet.ts';
import { every, inReadingOrder, rowLength, spreadWords } from '../web/marks/labels.ts';

/**
 * One side's words. "Along" is the way words follow each other, "across" the other way: `along` are the words' places,
 * `words` where they are written across, `lines` where the cross-attention starts, `edges` the sides where each word's
 * arcs start; `outward` is −1 or 1, `every` how many words one is written, `room` their most width.
 */
export interface JointSide {
  along: number[];
  words: number;
  lines: number;
  edges: number[];
  outward: 1 | -1;
  every: number;
  room: number;
}

/** `flat`: the words stand in rows, else in columns. `maps`: the small maps below or beside. */
export interface JointLayout {
  u: number;
  size: number;
  room: number;
  flat: boolean;
  arc: number;
  source: JointSide;
  target: JointSide;
  maps: { w: number; h: number; corners: { x: number; y: number }[] };
  height: number;
}

/** A point from its two ways. */
export const jointPoint = (g: JointLayout, along: number, across: number): Point =>
  g.flat ? [along, across] : [across, along];

/* Of the design's pixels, in rows: */
const ARC = 62; // how far arcs reach out
const BETWEEN = 180; // from the upper words' edge to the lower words
const WORDS = 30; // the lower words
const MAP = 96; // a small map below the words
const LOW = 2 * ARC + BETWEEN + WORDS + 12; // all of it without the small maps
const BESIDE = 176; // a small map beside them, with its margin
const NEAR = 20; // so much too little room changes nothing

/**
 * The layout of `source` and `target` labels in a room this wide. `tall` is the most that all of it may take, in pixels of
 * the design: where that is little the small maps stand beside the words, and the lines are shorter.
 */
export function jointLayout(
  source: string[],
  target: string[],
  room: number,
  u: number,
  tall = Infinity,
): JointLayout {
  const size = 14.5 * u;
  const [ws, wt] = [widths(source, size, 170 * u), widths(target, size, 170 * u)];
  const low = tall < LOW + 40 + MAP - NEAR;
  const wide = low ? room - BESIDE * u : room;
  const fits = [ws, wt].every((row) => rowLength(row, 12 * u) <= wide);
  if (!fits) return inColumns(source, target, room, u, tall);
  const above = inReadingOrder(spreadWords(ws, wide, 12 * u), source, wide);
  const below = inReadingOrder(spreadWords(wt, wide, 12 * u), target, wide);
  return inRows(above, below, room, u, low ? tall : Infinity);
}

const widths = (labels: string[], size: number, most: number) =>
  labels.map((label) => Math.min(most, textWidth(visible(label), size)));

/** @param tall Infinity: the small maps stand below */
function inRows(above: number[], below: number[], room: number, u: number, tall: number): JointLayout {
  const free = Math.min(2 * ARC + BETWEEN, Math.max(150, tall - WORDS - 12));
  const reach = Math.min(ARC, Math.round(free * 0.21));
  const arc = reach * u;
  const upper = arc + 6 * u;
  const to = upper + (free - 2 * reach) * u;
  const lower = to + WORDS * u;
  const bottom = lower + arc + 6 * u;
  const beside = tall < Infinity;
  const [w, h] = beside
    ? [(BESIDE - 26) * u, bottom / 3 - 24 * u]
    : [Math.min(380 * u, (room - 60 * u) / 3), MAP * u];
  const words = { every: 1, room: 170 * u };
  return {
    u,
    size: 14.5 * u,
    room,
    flat: true,
    arc,
    height: beside ? bottom : bottom + 40 * u + h,
    source: {
      along: above,
      words: upper + 13 * u,
      lines: upper + 44 * u,
      outward: -1,
      ...words,
      edges: above.map(() => upper),
    },
    target: {
      along: below,
      words: to + 15 * u,
      lines: to,
      outward: 1,
      ...words,
      edges: below.map(() => lower),
    },
    maps: { w, h, corners: beside ? mapsBeside(room - w - 4 * u, bottom / 3, u) : mapsBelow(w, bottom, u) },
  };
}

/** @param each what one takes in height, with its name */
const mapsBeside = (x: number, each: number, u: number) =>
  [0, 1, 2].map((n) => ({ x, y: n * each + 22 * u }));

const mapsBelow = (w: number, bottom: number, u: number) =>
  [0, 1, 2].map((n) => ({ x: 3 * u + n * (w + 26 * u), y: bottom + 34 * u }));

/** @param most pixels of the design that all of it may take */
function inColumns(source: string[], target: string[], room: number, u: number, most: number): JointLayout {
  const size = 13.5 * u;
  const [ws, wt] = [widths(source, size, 120 * u), widths(target, size, 120 * u)];
  const longest = Math.max(ws.length, wt.length);
  const limit = Math.min(660, Math.max(180, most - 20));
  const tall = Math.min(24 * u, (limit * u) / longest) * longest;
  // The three small maps stand beside the drawing where there is room, else below it.
  const beside = room > (most < LOW + 40 + MAP - NEAR ? 700 : 980) * u;
  const wide = beside ? room - 236 * u : Math.min(room, 780 * u);
  const arc = Math.min(130 * u, room * 0.13);
  const bottom = tall + 20 * u;
  const w = beside ? 190 * u : Math.min(380 * u, (room - 60 * u) / 3);
  const each = most < Infinity ? Math.min(176 * u, bottom / 3) : 176 * u;
  // On a slide that is too small for all of it, the small maps give way as the drawing does.
  const below = Math.min(MAP, Math.max(46, 0.4 * most));
  const h = beside ? each - 46 * u : below * u;
  const right = [0, 1, 2].map((n) => ({ x: room - w - 4 * u, y: n * each + 26 * u }));
  const left = arc + 6 * u + Math.max(...ws) + 8 * u;
  const to = wide - arc - Math.max(...wt) - 24 * u;
  return {
    u,
    size,
    room,
    flat: false,
    arc,
    height: beside ? Math.max(bottom, right[2].y + h + 8 * u) : bottom + 40 * u + h,
    source: {
      ...column(ws, tall, u),
      words: left,
      lines: left + 50 * u,
      outward: -1,
      edges: ws.map((each) => left - each - 10 * u),
    },
    target: {
      ...column(wt, tall, u),
      words: to + 8 * u,
      lines: to,
      outward: 1,
      edges: wt.map((each) => to + 8 * u + each + 10 * u),
    },
    maps: { w, h, corners: beside ? right : mapsBelow(w, bottom, u) },
  };
}

/** @param words widths */
const column = (words: number[], tall: number, u: number) => ({
  along: words.map((_, i) => 10 * u + ((i + 0.5) * tall) / words.length),
  every: every(WORD_HEIGHT * u, tall / words.length),
  room: Math.max(...words),
});

/** The word under a point: of the source or the target. */
export function jointHit(g: JointLayout, x: number, y: number): JointWord | null {
  const [along, across] = g.flat ? [x, y] : [y, x];
  const { source, target, arc } = g;
  if (across > Math.min(...source.edges) - arc * 0.5 && across < source.lines + 10) {
    return { source: nearest(source.along, along) };
  }
  if (across > target.lines - 14 && across < Math.max(...target.edges) + arc * 0.5) {
    return { target: nearest(target.along, along) };
  }
  return null;
}

const nearest = (list: number[], value: number) =>
  list.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(list[best] - value) ? i : best), 0);

/* ---------- The sentences about a decoding step and about a source word. ---------- */

/** A word of one of the two sides. */
export interface JointWord {
  source?: number;
  target?: number;
}

/** The step that the view stands at, and what is pointed at and pinned in it. */
export interface JointStep {
  meta: JointData;
  sheets: Record<Kind, Sheet>;
  /** How many words are written. */
  written: number;
  /** The step described: that of the word pointed at, else the last one. */
  step: number;
  hovered: JointWord | null;
  /** The pinned source word. */
  pinned: number | null;
  /** The source word whose arcs are drawn. */
  namedSource: number | null;
  /** The place in `target` of the decoder's first key. */
  firstKey: number;
}

export function jointTitle({ meta, written, step }: JointStep): Piece[] {
  if (meta.title) return [meta.title];
  if (!written) return [tr('Where the model looks, word by word')];
  const word = { kind: quoted(meta.target[step]) };
  const text =
    meta.mode === 'weights'
      ? meta.one_label
        ? tr('Where the model looks from {word}')
        : tr('Where the model looks when it writes {word}')
      : tr('What {word} is made of');
  return phrase(text, { word });
}

export function jointSentence(joint: JointStep): Piece[] {
  if (!joint.written)
    return [
      tr('Nothing is written yet.'),
      {
        muted: `  ${TOUCH ? tr('Tap Step to write the first word') : tr('→ writes the first word; Space plays')}`,
      },
    ];
  return joint.hovered?.source === undefined
    ? stepSentence(joint)
    : wordSentence(joint, joint.hovered.source);
}

/** What the encoder gathers at a source word, and which steps look at it. */
function wordSentence(joint: JointStep, j: number) {
  const { source, target } = joint.meta;
  const { encoder, cross } = joint.sheets;
  const { mode, tops } = joint.meta;
  const how: How = { verb: 'Reading', subject: tr('the encoder'), mode };
  const reads = rowSentence(times(rowOf(encoder, j), tops.encoder), source[j], source, how);
  const written = target.slice(1, joint.written + 1);
  const writing: How = { verb: verbOf('cross', joint.meta.one_label), subject: tr('the decoder'), mode };
  const column = times(columnOf(cross, j), tops.cross);
  return [...reads, ' ', ...columnSentence(column, [j], source, written, writing)];
}

function stepSentence(joint: JointStep) {
  const { source, target, subject, mode, tops, one_label } = joint.meta;
  const { encoder, cross, causal } = joint.sheets;
  const { step } = joint;
  const read = one_label ? undefined : target[step - 1];
  const sentence = rowSentence(times(rowOf(cross, step - 1), tops.cross), target[step], source, {
    verb: verbOf('cross', one_label),
    read,
    subject,
    mode,
  });
  const self = rowOf(causal, step - 1).slice(0, step);
  const amount = (v: number, kind: Kind) =>
    mode === 'length' ? lengthWords(v * tops[kind]) : spokenPercent(v);
  const back = topIndices(self, 1)[0];
  const nth = joint.namedSource ?? 0;
  const reading = rowOf(encoder, nth);
  const inside = topIndices(reading, 1)[0];
  const text = {
    weights: tr(
      ' Of the words so far, {word} gets the most weight ({amount}). In the encoder, {query} looks most at {key} ({share}).',
    ),
    contribution: tr(
      ' Of the words so far, {word} adds most ({amount}). In the encoder, {query} draws most from {key} ({share}).',
    ),
    length: tr(
      ' Of the words so far, {word} adds most (length {amount}). In the encoder, {query} draws most from {key} (length {share}).',
    ),
  }[mode];
  sentence.push(
    ...phrase(text, {
      word: strongly(target[back + joint.firstKey]),
      amount: amount(self[back], 'causal'),
      query: strongly(source[nth]),
      share: amount(reading[inside], 'encoder'),
      key: inside === nth ? tr('itself') : strongly(source[inside]),
    }),
  );
  return joint.pinned === null ? sentence : [...sentence, { muted: `  ${pinnedHint()}` }];
}

/** A row of a map drawn up to its largest number, as the numbers it stands for. */
const times = (row: number[], top: number) => (top === 1 ? row : row.map((v) => v * top));
