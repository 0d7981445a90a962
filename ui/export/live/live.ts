/* The live page: a model that runs in the reader's browser, over what ui/export/live/page.py puts into the file. */

import type { Maps } from '../../web/engine/decode.ts';
import type { Translation } from '../../web/engine/engine.ts';
import { kindRamp } from '../../web/base/colour.ts';
import { el } from '../../web/base/dom.ts';
import { canvasPainter, fitCanvas } from '../../web/base/paint.ts';
import { TOKENS } from '../../web/generated/tokens.ts';
import { Engine } from '../../web/engine/engine.ts';
import { unpacked } from '../../web/engine/unpack.ts';
import { makeSheet } from '../../web/maps/sheet.ts';
import { heatGeometry } from '../../web/marks/frames.ts';
import { heatmap } from '../../web/marks/heatmap.ts';
import { listenForModes } from '../report.ts';
import './live.css';

/** What is drawn of a translation: its words, and cross-attention by layer and head. */
interface Picture {
  text: string;
  source: string[];
  written: string[];
  cross: { shape: number[]; weights: ArrayLike<number> };
}

/** What the page is made with. `bytes`: the size of the unpacked model. */
interface Page {
  bytes: number;
  stored: Picture;
}

/** What a course page that embeds this one, or a test, calls. */
interface Api {
  translate(text: string): Promise<{ text: string; ids: number[] }>;
}

const find = <Node extends Element>(selector: string) => document.querySelector<Node>(selector) as Node;

/** The blocks of base64 in the page; their text is let go, since it is as large as the model. */
const blocks = () =>
  [...document.querySelectorAll('script.model')].map((node) => {
    const text = node.textContent;
    node.remove();
    return text.trim();
  });

/** The sentence about a translation that a reader has to know of, or none. */
function warning({ unknown, doubtful }: Translation) {
  if (doubtful.length) {
    const letters = doubtful.map((letter) => `“${letter}”`).join(', ');
    return `This page may read ${letters} otherwise than the model's own tokenizer.`;
  }
  if (unknown)
    return `The vocabulary lacks ${unknown === 1 ? 'one token' : `${unknown} tokens`} of this text.`;
  return '';
}

class Live {
  private readonly canvas = el('canvas', { role: 'img' });
  private readonly heads = find<HTMLSelectElement>('#heads');
  private readonly status = find('.status');
  private picture: Picture;
  private running = new AbortController();
  private readonly engine: Promise<Engine>;

  constructor(page: Page) {
    this.picture = page.stored;
    find('.map').append(this.canvas);
    this.heads.append(...this.choices());
    this.heads.addEventListener('change', () => this.draw());
    listenForModes(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(find('.map'));
    this.show(page.stored);
    this.engine = this.opened(page);
    this.engine.then(
      () => this.say(''),
      (error: Error) => this.say(error.message),
    );
    find<HTMLFormElement>('form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.translate(find<HTMLInputElement>('#text').value).catch(() => null);
    });
  }

  private say(words: string) {
    this.status.textContent = words;
  }

  private async opened({ bytes }: Page) {
    if (document.readyState === 'loading') {
      await new Promise((go) => document.addEventListener('DOMContentLoaded', go, { once: true }));
    }
    const bar = find<HTMLProgressElement>('progress');
    this.say('Unpacking the model …');
    const model = await unpacked(blocks(), bytes, (share) => (bar.value = share));
    bar.hidden = true;
    return new Engine(model);
  }

  private choices() {
    const [layers, heads] = this.picture.cross.shape;
    const names = Array.from({ length: layers * heads }, (_, n) => `${Math.floor(n / heads)}.${n % heads}`);
    return ['the mean of all heads', ...names.map((name) => `head ${name}`)].map((words, n) =>
      el('option', { value: String(n - 1) }, words),
    );
  }

  /** Translates a text and shows it; a run that is not finished yet is given up. */
  async translate(text: string) {
    this.running.abort();
    find<HTMLInputElement>('#text').value = text;
    const { signal } = (this.running = new AbortController());
    try {
      const engine = await this.engine;
      const onStep = ({ ids }: { ids: number[] }) => {
        find('.translation').textContent = engine.target.decode(ids);
      };
      const made = await engine.translate(text, {}, { signal, onStep });
      const cross: Maps = made.decode.maps('cross');
      this.show({ text: made.text, source: made.source, written: made.written, cross });
      this.say(warning(made));
      return { text: made.text, ids: made.ids };
    } catch (error) {
      if (!signal.aborted) this.say((error as Error).message);
      throw error;
    }
  }

  private show(picture: Picture) {
    this.picture = picture;
    find('.translation').textContent = picture.text;
    this.draw();
  }

  private draw() {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const colours = TOKENS[(document.documentElement.dataset.mode ?? (dark ? 'dark' : 'light')) as 'dark'];
    const { source, written, cross } = this.picture;
    const [layers, heads, rows, cols] = cross.shape;
    const chosen = Number(this.heads.value);
    const size = rows * cols;
    const maps = chosen < 0 ? Array.from({ length: layers * heads }, (_, n) => n) : [chosen];
    const at = (i: number, j: number) =>
      maps.reduce((sum, map) => sum + cross.weights[map * size + i * cols + j], 0) / maps.length;
    const sheet = makeSheet({ rows: written, cols: source }, at, kindRamp(colours, 'cross'));
    const frame = heatGeometry(sheet, find('.map').clientWidth, 1);
    const painter = canvasPainter(fitCanvas(this.canvas, frame.width, frame.height));
    const focus = { rows: new Set<number>(), cols: new Set<number>() };
    for (const mark of heatmap(sheet, focus, colours)) mark(painter, frame);
    const words = this.heads.selectedOptions[0]?.textContent ?? '';
    this.canvas.setAttribute('aria-label', `Cross-attention, ${words}: ${rows} written tokens, ${cols} read`);
  }
}

export default function live(page: Page) {
  const view = new Live(page);
  const api: Api = { translate: (text) => view.translate(text) };
  Object.assign(window, { atlas: api });
}
