/* The offline report: the app's wall and head detail over the data that ui/export/report.py puts into the file. */

import type { HeadMeta } from '../shared/head_numbers.ts';
import type { WallMeta } from '../shared/wall_heads.ts';
import type { Create } from '../web/base/view.ts';
import type { Numbers } from '../web/base/words.ts';
import { Head } from '../shared/head.ts';
import { Wall } from '../shared/wall.ts';
import { spokenScore } from '../shared/wall_drawing.ts';
import { weightsOf } from '../shared/wall_heads.ts';
import { bus } from '../web/base/events.ts';
import { mount } from '../web/base/view.ts';
import './report.css';

/** one kind; `levels` deflated, as base64 */
export interface Walled {
  meta: WallMeta;
  levels: string;
}

export async function inflate(text: string) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What `unpack` expects of an Arrow column. */
export const column = (values: Numbers) => ({ getChildAt: () => ({ toArray: () => values }) });

/** The head that the badge makes most of; −1 when no head has that score. */
export function bestHead(meta: WallMeta) {
  const values = meta.scores[meta.arranged[1] ?? '']?.values ?? [];
  let best = -1;
  values.forEach((v, head) => {
    if (v !== null && v > (values[best] ?? -Infinity)) best = head;
  });
  return best;
}

/** What ui/shared/head_detail.py would send of these heads. */
export function detailData(meta: WallMeta, levels: Uint8Array, heads: number[]) {
  const [rows, cols] = meta.shape;
  const pairs = heads.map((head) => [Math.floor(head / meta.heads), head % meta.heads] as [number, number]);
  const names = pairs.map((pair) => pair.join('.'));
  const values = heads.map((head) => weightsOf(meta, levels, head));
  const scores = Object.values(meta.scores).filter((score) => score.values[heads[0]] !== null);
  const told = scores
    .slice(0, 3)
    .map(({ label, values: v }) => `${label.toLowerCase()} ${spokenScore(v[heads[0]])}`);
  const words = (labels: string[], count: number): string[] =>
    meta.labelled ? labels : Array.from({ length: count }, (_, n) => String(n * meta.block[0]));
  const every = new Float32Array(values.length * values[0].length);
  values.forEach((numbers, k) => every.set(numbers, k * numbers.length));
  const detail: HeadMeta = {
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
 */
export async function showKind({ meta, levels: packed }: Walled, n: number) {
  const levels = await inflate(packed);
  const element = (name: string) => document.getElementById(`${name}-${n}`) as HTMLElement;
  let heads = meta.open ?? [bestHead(meta)].filter((head) => head >= 0);
  const draw = <Data>(
    name: string,
    data: Data,
    create: Create<Data>,
    picked: (name: string, said: unknown) => void,
  ) =>
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
        const { heads: pairs } = said as { heads: [number, number][] };
        heads = pairs.map(([layer, head]) => layer * meta.heads + head);
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

export default function report(kinds: Walled[]) {
  const shows: (() => void)[] = [];
  const redraw = () => shows.forEach((show) => show());
  // What its pictures are of, as the strip says it on the pages.
  const words = (selector: string) => document.querySelector(selector)?.textContent;
  bus().last.about = [`“${words('h1 bdi')}”`, words('.facts dd')].filter(Boolean).join(' · ');
  kinds.forEach((walled, n) => showKind(walled, n).then((show) => shows.push(show)));
  listenForModes(redraw);
}

/** Light and dark follow the reader's setting until the button is pressed. */
export function listenForModes(redraw: () => void) {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  prefersDark.addEventListener('change', redraw);
  document.getElementById('mode')?.addEventListener('click', () => {
    const { dataset } = document.documentElement;
    const dark = dataset.mode ? dataset.mode === 'dark' : prefersDark.matches;
    dataset.mode = dark ? 'light' : 'dark';
    redraw();
  });
}
