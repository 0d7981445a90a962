/* The offline report: the app's wall and head detail over the data that ui/export/report.py puts into the file. */

/** @import { Create } from '../base/view.js' */
/** @import { HeadMeta } from './head_numbers.js' */
/** @import { WallMeta } from './wall_numbers.js' */

import { bus } from '../base/events.js';
import { mount } from '../base/view.js';
import { Head } from './head.js';
import { Wall } from './wall.js';
import { spokenScore } from './wall_drawing.js';
import { weightsOf } from './wall_numbers.js';

/** @typedef {{ meta: WallMeta, levels: string }} Walled one kind; `levels` deflated, as base64 */

/** @param {string} text */
export async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * What `unpack` expects of an Arrow column.
 * @param {import('../types').Numbers} values
 */
export const column = (values) => ({ getChildAt: () => ({ toArray: () => values }) });

/**
 * The head that the badge makes most of; −1 when no head has that score.
 * @param {WallMeta} meta
 */
export function bestHead(meta) {
  const values = meta.scores[meta.arranged[1] ?? '']?.values ?? [];
  let best = -1;
  values.forEach((v, head) => {
    if (v !== null && v > (values[best] ?? -Infinity)) best = head;
  });
  return best;
}

/**
 * What ui/components/head_detail.py would send of these heads.
 * @param {WallMeta} meta
 * @param {Uint8Array} levels
 * @param {number[]} heads
 */
export function detailData(meta, levels, heads) {
  const [rows, cols] = meta.shape;
  const pairs = heads.map(
    (head) => /** @type {[number, number]} */ ([Math.floor(head / meta.heads), head % meta.heads]),
  );
  const names = pairs.map((pair) => pair.join('.'));
  const values = heads.map((head) => weightsOf(meta, levels, head));
  const scores = Object.values(meta.scores).filter((score) => score.values[heads[0]] !== null);
  const told = scores
    .slice(0, 3)
    .map(({ label, values: v }) => `${label.toLowerCase()} ${spokenScore(v[heads[0]])}`);
  /** @type {(labels: string[], count: number) => string[]} */
  const words = (labels, count) =>
    meta.labelled ? labels : Array.from({ length: count }, (_, n) => String(n * meta.block[0]));
  const every = new Float32Array(values.length * values[0].length);
  values.forEach((numbers, k) => every.set(numbers, k * numbers.length));
  /** @type {HeadMeta} */
  const detail = {
    ...{ kind: meta.kind, mode: 'weights', unit: 'share', tag: '', pairs },
    title: `Head${names.length > 1 ? 's' : ''} ${names.join(', ')}`,
    subtitle: heads.length > 1 ? '' : told.join(' · '),
    verb: meta.kind === 'cross' ? 'Writing' : 'Reading',
    heads: names.map((name) => ({ name, subject: `head ${name}` })),
    ...{
      exact: heads.length,
      written: meta.written,
      current: null,
      distribution: meta.labelled,
      hidden: null,
    },
    ...{ rows: words(meta.rows, rows), cols: words(meta.cols, cols) },
    ...{ pins: [[], []], view: [null, null, null], report: false },
    file: `${meta.kind}-head-${names.join('-')}`,
  };
  return { meta: detail, exact: column(every), levels: column(new Uint8Array(0)) };
}

/**
 * Draws one kind's wall and its open heads, those of the data or the one its score makes most of; returns what draws them again.
 * @param {Walled} walled
 * @param {number} n
 */
export async function showKind({ meta, levels: packed }, n) {
  const levels = await inflate(packed);
  const element = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (document.getElementById(`${name}-${n}`));
  let heads = meta.open ?? [bestHead(meta)].filter((head) => head >= 0);
  /** @type {(name: string, data: object, create: Create, picked: (name: string, said: any) => void) => void} */
  const draw = (name, data, create, picked) =>
    void mount({ data, parentElement: element(name), setTriggerValue: picked, setStateValue() {} }, create);
  const show = () => {
    element('detail').hidden = !heads.length;
    const wall = { meta: { ...meta, open: heads }, levels: column(levels) };
    draw(
      'wall',
      wall,
      (root, host) => new Wall(root, host),
      (name, said) => {
        if (name !== 'picked') return;
        heads = said.heads.map((/** @type {[number, number]} */ [layer, head]) => layer * meta.heads + head);
        show();
      },
    );
    if (!heads.length) return;
    draw(
      'detail',
      detailData(meta, levels, heads),
      (root, host) => new Head(root, host),
      () => {},
    );
  };
  show();
  return show;
}

/** @param {Walled[]} kinds */
export default function report(kinds) {
  /** @type {(() => void)[]} */
  const shows = [];
  const redraw = () => shows.forEach((show) => show());
  // What its pictures are of, as the strip says it on the pages.
  const words = (/** @type {string} */ selector) => document.querySelector(selector)?.textContent;
  bus().last.about = [`“${words('h1 bdi')}”`, words('.facts dd')].filter(Boolean).join(' · ');
  kinds.forEach((walled, n) => showKind(walled, n).then((show) => shows.push(show)));
  listenForModes(redraw);
}

/**
 * Light and dark follow the reader's setting until the button is pressed.
 * @param {() => void} redraw
 */
export function listenForModes(redraw) {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  prefersDark.addEventListener('change', redraw);
  document.getElementById('mode')?.addEventListener('click', () => {
    const { dataset } = document.documentElement;
    const dark = dataset.mode ? dataset.mode === 'dark' : prefersDark.matches;
    dataset.mode = dark ? 'light' : 'dark';
    redraw();
  });
}
