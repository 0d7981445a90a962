/* The static site: mounts the app's own views over the data in the page, plays them, and asks a lesson's questions. */

import type {
  AblationData,
  BreakingData,
  HeadData,
  LiveData,
  SceneData,
  StripsData,
  TwoTrainingsData,
  WallData,
} from '../web/generated/types.ts';
import type { Create } from '../web/base/view.ts';
import type { Spoken } from '../web/base/language.ts';
import type { Filed } from '../export/heads.ts';
import { Ablation } from '../export/live/ablation.ts';
import { stageData } from '../export/live/views.ts';
import { listenForModes, read } from '../export/heads.ts';
import { TwoTrainingsView } from '../learn/two_trainings.ts';
import { Scene } from '../learn/scene.ts';
import { Head } from '../shared/head.ts';
import { Wall } from '../shared/wall.ts';
import { Stage } from '../translate/stage.ts';
import { el } from '../web/base/dom.ts';
import { announce, reducedMotion } from '../web/base/events.ts';
import { speak, tr } from '../web/base/language.ts';
import { show } from '../web/base/view.ts';
import { Breaking } from '../what_if/breaking.ts';
import { Strips } from './strips.ts';
import './site.css';

const PACE = 700; // milliseconds a step
const MODE = 'atlas-mode';
const [LOW, HIGH] = [200, 6000]; // pixels that a frame may ask to be tall

/** A picture of `count` states; `draw` shows one of them, the last one at first. A picture of one state plays itself. */
interface Moving {
  count: number;
  draw(at: number): void;
  /** Begins to play by itself. */
  begin?(): void;
}

type Maker = (root: HTMLElement, filed: Filed, moves: boolean) => Promise<Moving>;

/** What draws data in the view that `create` makes. */
function drawing<Data>(parentElement: HTMLElement, create: Create<Data>) {
  return (data: Data) => void show({ parentElement }, data, create);
}

/** A view whose data are what it shows. */
const still =
  <Data>(create: Create<Data>): Maker =>
  async (root, filed) => {
    const data = await read<Data>(filed);
    const put = drawing(root, create);
    return { count: 1, draw: () => put(data) };
  };

const untilRow = (words: string[], count: number) => words.map((word, n) => (n < count ? word : '·'));

/** One head, row by row as the sentence is written. */
const head: Maker = async (root, filed, moves) => {
  const data = await read<HeadData>(filed);
  const put = drawing<HeadData>(root, (node, host) => new Head(node, host));
  const count = moves ? data.written : 1;
  const draw = (at: number) => {
    const rows = moves ? at + 1 : data.written;
    const cells = rows * data.cols.length;
    put({
      ...data,
      rows: untilRow(data.rows, rows),
      reads: data.reads.slice(0, rows),
      heads: data.heads.map((each) => ({
        ...each,
        values: each.values.slice(0, cells),
      })),
      written: rows,
      current: moves ? rows - 1 : data.current,
    });
  };
  return { count, draw };
};

/** All heads of a kind, row by row. */
const wall: Maker = async (root, filed) => {
  const data = await read<WallData>(filed);
  const put = drawing<WallData>(root, (node, host) => new Wall(node, host));
  const draw = (at: number) => {
    const levels = data.levels.map((level, n) => (n % data.size < (at + 1) * data.cols.length ? level : 0));
    put({ ...data, levels, digest: `${data.digest}/${at}` });
  };
  return { count: data.rows.length, draw };
};

/** A sentence that writes itself. */
const stage: Maker = async (root, filed) => {
  const { stored, heads, languages } = await read<LiveData>(filed);
  const [words] = Object.values(languages);
  const put = drawing(root, (node, host) => new Stage(node, host));
  const [layer, one] = heads.cross;
  const open = {
    encoder: [],
    causal: [],
    cross: [layer * stored.shapes.cross[1] + one],
  };
  const position = stored.pair ? stored.pair[0] + 1 : stored.target.length;
  let id = 'first';
  let writes = false;
  const draw = () =>
    put(stageData(stored, words, { id, position, heads: open }, { writes, forcible: false }));
  announce('stage', { id, step: position, covered: false });
  const begin = () => {
    [id, writes] = ['again', true];
    draw();
  };
  return { count: 1, draw, begin };
};

const strips: Maker = async (root, filed) => {
  const data = await read<StripsData>(filed);
  const put = drawing(root, (node, host) => new Strips(node, host));
  const count = data.moved ? 2 : data.names.length;
  const draw = (at: number) =>
    put({
      ...data,
      shown: data.moved ? data.names.length : at + 1,
      swapped: !!data.moved && at > 0,
    });
  return { count, draw };
};

const breaking: Maker = async (root, filed) => {
  const data = await read<BreakingData>(filed);
  const put = drawing(root, (node, host) => new Breaking(node, host));
  const begin = () => root.querySelector<HTMLElement>('.breaking-line .primary')?.click();
  return { count: 1, draw: () => put(data), begin };
};

/** The translation with heads ablated: before, and after. */
const ablation: Maker = async (root, filed) => {
  const data = await read<AblationData>(filed);
  const put = drawing<AblationData>(root, (node, host) => new Ablation(node, host));
  return {
    count: 2,
    draw: (at) => put(at ? data : { ...data, after: data.before, words: [] }),
  };
};

/** Two trainings, step by step. */
const twoTrainings: Maker = async (root, filed) => {
  const data = await read<TwoTrainingsData>(filed);
  let view: TwoTrainingsView | undefined;
  const put = drawing(root, (node, host) => (view = new TwoTrainingsView(node, host)));
  const draw = (at: number) => {
    put(data);
    view?.go(at);
  };
  return { count: data.steps.length, draw };
};

const MAKERS: Record<string, Maker> = {
  ...{ head, wall, stage, strips, breaking, ablation, two_trainings: twoTrainings },
  scene: still<SceneData>((node, host) => new Scene(node, host)),
};

/* ---------- pictures ---------- */

const redraws: (() => void)[] = [];

/** Play, a slider, and where the picture is. */
class Player {
  private at: number;
  private timer = 0;
  private readonly play = el('button', {
    class: 'site-play',
    onclick: () => this.toggle(),
  });
  private readonly range = el('input', {
    type: 'range',
    min: 0,
    'aria-label': tr('Step of the picture'),
  });
  private readonly count = el('output', {});
  readonly node = el('div', { class: 'site-player' }, this.play, this.range, this.count);

  constructor(private readonly moving: Moving) {
    this.at = moving.count - 1;
    this.range.max = String(this.at);
    this.range.addEventListener('input', () => {
      const at = Number(this.range.value); // drawing sets it back
      this.pause();
      this.go(at);
    });
    this.node.hidden = moving.count < 2;
    this.draw();
  }

  draw() {
    this.moving.draw(this.at);
    this.range.value = String(this.at);
    const of = { n: this.at + 1, count: this.moving.count };
    this.count.textContent = tr('{n} of {count}', of);
    const words = this.timer ? tr('Pause') : tr('Play');
    this.play.textContent = `${this.timer ? '❚❚' : '▶'} ${words}`;
    this.play.setAttribute('aria-pressed', String(!!this.timer));
  }

  go(at: number) {
    this.at = at;
    this.draw();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.draw();
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.moving.begin) return this.moving.begin();
    if (this.at === this.moving.count - 1) this.at = 0;
    const next = () => {
      this.timer = this.at < this.moving.count - 1 ? window.setTimeout(step, PACE) : 0;
      this.draw();
    };
    const step = () => {
      this.at += 1;
      next();
    };
    next();
  }
}

/** Draws the picture of a figure from the data in it; one that moves plays once when it comes into view. */
async function picture(figure: HTMLElement) {
  const { view = '' } = figure.dataset;
  const data = figure.querySelector('script');
  if (!(view in MAKERS) || !data) return;
  const filed = JSON.parse(data.textContent) as Filed;
  data.remove();
  const player = new Player(await MAKERS[view](figure, filed, 'moves' in figure.dataset));
  figure.append(player.node);
  redraws.push(() => player.draw());
  figure.classList.add('drawn');
  if (!('moves' in figure.dataset) || reducedMotion()) return;
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      player.toggle();
    },
    { threshold: 0.6 },
  );
  seen.observe(figure);
}

/* ---------- lessons ---------- */

/** Puts what a template holds into the page. */
function unfold(template: HTMLTemplateElement | null) {
  if (!template) return;
  const content = template.content.cloneNode(true) as DocumentFragment;
  const figures = [...content.querySelectorAll<HTMLElement>('figure')];
  template.replaceWith(content);
  for (const figure of figures) void picture(figure);
}

/** The reader has chosen: marks the choice and the one that holds, and shows what was covered. */
function answer(step: HTMLElement, chosen: HTMLButtonElement) {
  const choices = [...step.querySelectorAll<HTMLButtonElement>('.choice')];
  const right = step.querySelector<HTMLTemplateElement>('template.after')?.dataset.right;
  for (const [n, choice] of choices.entries()) {
    choice.disabled = true;
    if (String(n) === right) {
      choice.classList.add('right');
      choice.append(el('b', {}, ` ✓ ${tr('right answer')}`));
    } else if (choice === chosen) choice.append(el('b', {}, ` ✗ ${tr('your answer')}`));
  }
  chosen.setAttribute('aria-pressed', 'true');
  step.querySelector('figure.before')?.remove();
  step.querySelector('.predict .quiet')?.remove();
  unfold(step.querySelector(`template[data-choice="${choices.indexOf(chosen)}"]`));
  unfold(step.querySelector('template.after'));
  step.querySelectorAll('template').forEach((template) => template.remove());
  step.querySelector<HTMLElement>('.verdict')?.focus();
}

/* ---------- the page ---------- */

/** The model in a frame says how tall it is, and hears of light and dark. */
function listenToModel(frame: HTMLIFrameElement) {
  const tell = () => {
    const { mode } = document.documentElement.dataset;
    if (mode) frame.contentWindow?.postMessage({ mode }, '*');
  };
  addEventListener('message', ({ source, data }) => {
    const tall: unknown = (data as { atlasHeight?: unknown } | null)?.atlasHeight;
    if (source !== frame.contentWindow || typeof tall !== 'number' || !(tall >= LOW && tall <= HIGH)) return;
    frame.style.height = `${Math.ceil(tall) + 4}px`;
    if (!frame.classList.contains('drawn')) tell();
    frame.classList.add('drawn');
  });
  redraws.push(tell);
}

/** What a file opened from a disk may be kept from: a browser may forbid it. */
function kept(mode?: string) {
  try {
    if (mode) localStorage.setItem(MODE, mode);
    return localStorage.getItem(MODE);
  } catch {
    return null;
  }
}

export default function site() {
  const { dataset } = document.documentElement;
  const mode = kept();
  if (mode === 'light' || mode === 'dark') dataset.mode = mode;
  const words = document.getElementById('words')?.textContent;
  if (words) speak(JSON.parse(words) as Spoken);
  document.querySelectorAll<HTMLElement>('figure[data-view]').forEach((figure) => void picture(figure));
  document.querySelectorAll<HTMLElement>('.step').forEach((step) => {
    for (const choice of step.querySelectorAll<HTMLButtonElement>('.choice'))
      choice.addEventListener('click', () => answer(step, choice), {
        once: true,
      });
  });
  const frame = document.querySelector<HTMLIFrameElement>('iframe.model');
  if (frame) listenToModel(frame);
  listenForModes(() => {
    if (dataset.mode) kept(dataset.mode);
    redraws.forEach((redraw) => redraw());
  });
}
