/* Walls and open heads on pages that stand by themselves, over the data that Python puts into the file, and their tabs. */

import type { Packed } from '../web/base/data.ts';
import type { Page } from '../web/base/view.ts';
import type { HeadData, WallAnswers, WallData } from '../web/generated/types.ts';
import { Head } from '../shared/head.ts';
import { headsTitle } from '../shared/head_numbers.ts';
import { Wall } from '../shared/wall.ts';
import { spokenScore } from '../shared/wall_drawing.ts';
import { weightsOf } from '../shared/wall_heads.ts';
import { ARRAYS, revive } from '../web/base/data.ts';
import { tr } from '../web/base/language.ts';
import { show } from '../web/base/view.ts';

/** Data of a view inside a file: the columns are deflated, as base64 (`deflated` in ui/web/contract.py). */
export type Filed = Omit<Packed, `column${number}`> & Record<`column${number}`, string>;

async function inflate(text: string) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

/** The data of a view out of a file. */
export async function read<Data>(filed: Filed): Promise<Data> {
  const packed: Packed = { fields: filed.fields, arrays: filed.arrays };
  for (const [n, [, type]] of filed.arrays.entries())
    packed[`column${n}`] = new ARRAYS[type](await inflate(filed[`column${n}`]));
  return revive<Data>(packed);
}

/** The head that the badge makes most of; −1 when no head has that score. */
export function bestHead(meta: WallData) {
  const values = meta.scores[meta.arranged.badge]?.values ?? [];
  let best = -1;
  values.forEach((v, head) => {
    if (v !== null && v > (values[best] ?? -Infinity)) best = head;
  });
  return best;
}

/** What ui/shared/head_views.py would send of these heads; `valuesOf` gives the numbers of one, else those of the wall. */
export function headData(
  meta: WallData,
  heads: number[],
  valuesOf = (head: number): Float32Array => weightsOf(meta, meta.levels, head),
): HeadData {
  const [rows, cols] = meta.shape;
  const pairs = heads.map((head) => [Math.floor(head / meta.heads), head % meta.heads] as [number, number]);
  const names = pairs.map((pair) => pair.join('.'));
  const scores = Object.values(meta.scores).filter((score) => score.values[heads[0]] !== null);
  const spoken = scores
    .slice(0, 3)
    .map(({ label, values: v }) => `${label.toLowerCase()} ${spokenScore(v[heads[0]])}`);
  const words = (labels: string[], count: number): string[] =>
    meta.labelled ? labels : Array.from({ length: count }, (_, n) => String(n * meta.block[0]));
  return {
    kind: meta.kind,
    mode: 'weights',
    unit: 'share',
    tag: '',
    pairs,
    quantity: null,
    title: headsTitle(names),
    subtitle: heads.length > 1 || meta.pair ? '' : spoken.join(' · '),
    reads: meta.reads.length ? words(meta.reads, rows) : [],
    heads: heads.map((head, k) => ({
      name: names[k],
      subject: tr('head {name}', { name: names[k] }),
      hidden: null,
      values: valuesOf(head),
    })),
    written: meta.written,
    current: null,
    distribution: meta.labelled && meta.distribution,
    one_label: meta.one_label,
    rows: words(meta.rows, rows),
    cols: words(meta.cols, cols),
    pins: { rows: [], columns: [] },
    viewed: { threshold: null, log: null, zoom: null },
    report: false,
    ranking: [],
    bare: false,
    file: `${meta.kind}-head-${names.join('-')}`,
  };
}

/** A kind's wall and its open heads in two places of a page; `picked` hears of the heads that the reader opens. */
export class KindViews {
  private drawn: { meta: WallData; detail: HeadData | null } | null = null;
  private ends: (() => void)[] = [];

  constructor(
    private readonly wall: HTMLElement,
    private readonly detail: HTMLElement,
    private readonly picked: (heads: number[]) => void,
  ) {}

  update(meta: WallData, detail: HeadData | null) {
    this.drawn = { meta, detail };
    this.draw();
  }

  /** Draws again, as after a change of the colours. */
  draw() {
    if (!this.drawn) return;
    const { meta, detail } = this.drawn;
    const page = (parentElement: HTMLElement): Page => ({
      parentElement,
      setTriggerValue: (name, answer) => {
        if (name !== 'picked') return;
        const { heads } = answer as WallAnswers['picked'];
        this.picked(heads.map(([layer, head]) => layer * meta.heads + head));
      },
    });
    this.detail.hidden = !detail;
    this.ends = [show(page(this.wall), meta, (root, host) => new Wall(root, host))];
    if (detail) this.ends.push(show(page(this.detail), detail, (root, host) => new Head(root, host)));
  }

  /** Takes the views down, once they are off the page. */
  close() {
    this.ends.forEach((end) => end());
  }
}

/** Draws one kind's wall and its open heads, those of the data or the one its score makes most of; returns what draws them again. */
export async function showKind(filed: Filed, n: number) {
  const meta = await read<WallData>(filed);
  const element = (name: string) => document.getElementById(`${name}-${n}`) as HTMLElement;
  const views = new KindViews(element('wall'), element('detail'), (heads) => draw(heads));
  const draw = (heads: number[]) =>
    views.update({ ...meta, open: heads }, heads.length ? headData(meta, heads) : null);
  draw(meta.open ?? [bestHead(meta)].filter((head) => head >= 0));
  return () => views.draw();
}

/** Light and dark follow the reader's setting until the button is pressed. */
export function listenForModes(redraw: () => void) {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  prefersDark.addEventListener('change', redraw);
  document.addEventListener('click', ({ target }) => {
    if (!(target as Element).closest('#mode')) return;
    const { dataset } = document.documentElement;
    const dark = dataset.mode ? dataset.mode === 'dark' : prefersDark.matches;
    dataset.mode = dark ? 'light' : 'dark';
    redraw();
  });
}

/** Links each tab to the section of its number; returns what opens one. `opened` hears of each. */
export function linkTabs(tabs: HTMLElement[], sections: HTMLElement[], opened: (n: number) => void) {
  const open = (n: number) => {
    sections.forEach((section, k) => (section.hidden = k !== n));
    tabs.forEach((tab, k) => {
      tab.setAttribute('aria-selected', String(k === n));
      tab.tabIndex = k === n ? 0 : -1;
    });
    opened(n);
  };
  tabs.forEach((tab, n) => {
    tab.addEventListener('click', () => open(n));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (n + step + tabs.length) % tabs.length;
      open(next);
      tabs[next].focus();
      event.preventDefault();
      event.stopPropagation();
    });
  });
  return open;
}
