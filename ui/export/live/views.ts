/* A picture as the app's own views take it: stage, wall, open heads and joint view. */

import type {
  HeadData,
  JointData,
  Kind,
  LivePicture,
  LiveWords,
  PinnedCell,
  ScoreData,
  StageData,
  WallData,
} from '../../web/generated/types.ts';
import { el } from '../../web/base/dom.ts';
import { plural, tr } from '../../web/base/language.ts';
import { ofKinds } from '../../web/base/words.ts';
import { quoted } from '../../web/maps/sentence.ts';
import { headData } from '../heads.ts';

/** Where the reader is: the name of the decode, the words written, and the open heads of each kind over all layers. */
export interface Looked {
  id: string;
  position: number;
  heads: Record<Kind, number[]>;
}

const LEVELS = 255;
const FULL_SIDE = 128; // tokens a side up to which the wall draws every cell (ui/shared/map_data.py)
const REDUCED_SIDE = 96;
const MOSTLY = 0.5; // a head looks mostly at a token that gets more than this of its weight
const WALL_HEIGHT = 560;

/** Where a view is drawn. */
export const viewRoot = (name: string) =>
  el('div', { class: 'place', id: name }, el('div', { class: 'atlas' }));

/** The numbers of one head. */
function mapOf({ shapes, weights }: LivePicture, kind: Kind, head: number) {
  const [, , rows, cols] = shapes[kind];
  return weights[kind].subarray(head * rows * cols, (head + 1) * rows * cols);
}

/** The words of a map's rows and columns. */
function wordsOf({ source, target, reads }: LivePicture, kind: Kind) {
  if (kind === 'encoder') return { rows: source, cols: source, reads: [] };
  return { rows: target, cols: kind === 'cross' ? source : reads, reads };
}

/** Layer and head of a head that is counted over all layers. */
export const pairOf = ({ shapes }: LivePicture, kind: Kind, head: number): [number, number] => [
  Math.floor(head / shapes[kind][1]),
  head % shapes[kind][1],
];

export function stageData(
  picture: LivePicture,
  words: LiveWords,
  looked: Looked,
  { writes, forcible }: Pick<StageData, 'writes' | 'forcible'>,
): StageData {
  const shape = picture.shapes.cross;
  const [open] = looked.heads.cross;
  const [layer, head] = open === undefined ? [null, null] : pairOf(picture, 'cross', open);
  const { source, target, reads, steps, grown, forced, ended } = picture;
  return {
    source,
    target,
    reads,
    steps,
    grown,
    forced,
    ended,
    layer,
    head,
    shape,
    writes,
    forcible,
    position: looked.position,
    id: looked.id,
    notes: [],
    remarks: [],
    opens: null,
    pins: { rows: [], columns: [] },
    kind: 'cross',
    kind_name: words.kinds.cross,
    weights: Uint16Array.from(picture.weights.cross, (weight) => Math.round(weight * 65535)),
    layers: shape[0],
    heads: shape[1],
    subjects: words.subjects,
    metrics: words.metrics,
  };
}

/* ---------- the wall ---------- */

/** The strongest weight of each block of cells of all maps, and the blocks' size. */
function reduced(weights: Float32Array, [layers, heads, rows, cols]: LivePicture['shapes'][Kind]) {
  const long = Math.max(rows, cols) > FULL_SIDE;
  const blockOf = (side: number) => (long ? Math.max(1, Math.ceil(side / REDUCED_SIDE)) : 1);
  const block: [number, number] = [blockOf(rows), blockOf(cols)];
  const shape: [number, number] = [Math.ceil(rows / block[0]), Math.ceil(cols / block[1])];
  const cells = new Float32Array(layers * heads * shape[0] * shape[1]);
  for (let n = 0; n < weights.length; n++) {
    const [map, cell] = [Math.floor(n / (rows * cols)), n % (rows * cols)];
    const [i, j] = [Math.floor(cell / cols / block[0]), Math.floor((cell % cols) / block[1])];
    const at = (map * shape[0] + i) * shape[1] + j;
    cells[at] = Math.max(cells[at], weights[n]);
  }
  return { cells, shape, block };
}

/**
 * The cell that the heads of a kind are scored by: the word being written, and what the first open head looks at; the
 * pair of the whole picture while no word is.
 */
function cellOf(picture: LivePicture, kind: Kind, { position, heads }: Looked): [number, number] | null {
  const rests = position === 0 || (picture.ended && position === picture.target.length);
  const row = position - 1;
  if (kind === 'cross' && (rests || picture.pair?.[0] === row)) return picture.pair;
  if (kind === 'encoder' || rests || !heads[kind].length) return null;
  const cols = picture.shapes[kind][3];
  const weights = mapOf(picture, kind, heads[kind][0]).subarray(row * cols, (row + 1) * cols);
  return [row, weights.indexOf(Math.max(...weights))];
}

/** The pinned cell, the heads' weights of it as a score, and the title that sums them up. */
function scored(picture: LivePicture, kind: Kind, [row, column]: [number, number]) {
  const [layers, count, , cols] = picture.shapes[kind];
  const { rows, cols: keys } = wordsOf(picture, kind);
  const total = layers * count;
  const values = Array.from({ length: total }, (_, head) => mapOf(picture, kind, head)[row * cols + column]);
  const order = values.map((_, head) => head).sort((a, b) => values[b] - values[a] || a - b);
  const fields = { query: rows[row], key: keys[column] };
  const cell: PinnedCell = {
    row,
    column,
    order,
    name: `${fields.query} · ${fields.key}`,
    score: tr('{query} on {key}', fields),
  };
  const score: ScoreData = {
    label: cell.score,
    units: '',
    mark: null,
    down: false,
    definition: '',
    percent: true,
    explained: [],
    values,
  };
  const title = plural(
    '{count} of {total} heads looks mostly at {key} when it writes {query}',
    '{count} of {total} heads look mostly at {key} when they write {query}',
    values.filter((share) => share > MOSTLY).length,
    { total, key: quoted(fields.key), query: quoted(fields.query) },
  );
  return { cell, score, title };
}

export function wallData(picture: LivePicture, words: LiveWords, kind: Kind, looked: Looked): WallData {
  const [layers, heads, , keys] = picture.shapes[kind];
  const { rows, cols, reads } = wordsOf(picture, kind);
  const { cells, shape, block } = reduced(picture.weights[kind], picture.shapes[kind]);
  const labelled = block[0] === 1 && block[1] === 1;
  const at = labelled ? cellOf(picture, kind, looked) : null;
  const pair = at && scored(picture, kind, at);
  const blank = (count: number) => Array.from({ length: count }, () => '');
  const all = plural('{count} head', '{count} heads', layers * heads);
  return {
    rows: labelled ? rows : blank(shape[0]),
    cols: labelled ? cols : blank(shape[1]),
    reads: labelled ? reads : [],
    kind,
    layers,
    heads,
    shape,
    keys,
    block,
    labelled,
    words: words.kinds[kind],
    arranged: { sort: 'model', badge: pair ? 'pair' : '', least: null, tone: null },
    all_heads: { how: 'mean', subject: words.subjects[0][0] },
    title: pair ? pair.title : tr('{kind}: {heads}', { kind: words.kinds[kind], heads: all }),
    how: '',
    subtitle: '',
    hidden: false,
    tall: WALL_HEIGHT,
    file: `${kind}-heads`,
    about: '',
    quantity: null,
    open: looked.heads[kind],
    pair: pair ? pair.cell : null,
    controls: false,
    one_label: false,
    distribution: true,
    size: shape[0] * shape[1],
    causal: kind === 'causal',
    square: kind !== 'cross',
    written: shape[0],
    scores: pair ? { pair: pair.score } : {},
    levels: Uint8Array.from(cells, (weight) => Math.round(LEVELS * Math.sqrt(weight))),
    digest: [looked.id, kind, words.name, at].join('/'),
  };
}

/** The open heads with their exact numbers, about the word being written. */
export function openHeads(picture: LivePicture, meta: WallData, looked: Looked): HeadData {
  const rests = picture.ended && looked.position === picture.target.length;
  const { rows, cols, reads } = wordsOf(picture, meta.kind);
  const later = (n: number) => meta.causal && n % cols.length > Math.floor(n / cols.length);
  const exact = (head: number) => mapOf(picture, meta.kind, head).map((v, n) => (later(n) ? NaN : v));
  const data = headData(meta, looked.heads[meta.kind], exact);
  const current = meta.kind === 'encoder' || rests || !looked.position ? null : looked.position - 1;
  return { ...data, rows, cols, reads, written: rows.length, current };
}

/* ---------- the joint view ---------- */

export function jointData(picture: LivePicture, words: LiveWords, looked: Looked): JointData {
  const one = (kind: Kind) => looked.heads[kind][0] ?? 0;
  const named = (kind: Kind) => pairOf(picture, kind, one(kind)).join('.');
  const kinds: Kind[] = ['encoder', 'cross', 'causal'];
  const { source, target, reads } = picture;
  return {
    ...ofKinds((kind) => mapOf(picture, kind, one(kind))),
    source,
    target: [reads[0], ...target],
    steps: target.length,
    step: looked.position,
    subject: tr('head {name}', { name: named('cross') }),
    subtitle: kinds.map((kind) => `${words.kinds[kind]} ${named(kind)}`).join(' · '),
    title: '',
    keys: false,
    report: false,
    file: 'joint',
    measure: 'weight',
    mode: 'weights',
    one_label: false,
    tops: ofKinds(() => 1),
    labels: words.kinds,
  };
}
