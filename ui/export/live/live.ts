/* The live page: a model that runs in the reader's browser, over what ui/export/live/page.py puts into the file. It draws
   with the app's own views; what the server does for them there, the engine does here. */

import type { Options } from '../../web/engine/decode.ts';
import type { Translation } from '../../web/engine/engine.ts';
import type { Kind, LiveData, LivePicture, StageAnswers } from '../../web/generated/types.ts';
import type { Filed } from '../heads.ts';
import type { Looked } from './views.ts';
import { Stage } from '../../translate/stage.ts';
import { el } from '../../web/base/dom.ts';
import { announce, bus } from '../../web/base/events.ts';
import { plural, speak, tr } from '../../web/base/language.ts';
import { show } from '../../web/base/view.ts';
import { ofKinds } from '../../web/base/words.ts';
import { Engine } from '../../web/engine/engine.ts';
import { unpacked } from '../../web/engine/blob.ts';
import { listenForModes, read } from '../heads.ts';
import { AblationCard } from './ablation.ts';
import { AttentionTabs } from './attention.ts';
import { Body } from './body.ts';
import { pictureOf } from './picture.ts';
import { stageData, viewRoot } from './views.ts';
import './live.css';

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
    return tr('This page may read {letters} differently from the model’s own tokenizer.', { letters });
  }
  return unknown
    ? plural(
        'The vocabulary lacks {count} token of this text.',
        'The vocabulary lacks {count} tokens of this text.',
        unknown,
      )
    : '';
}

/** The reader's language, where the page speaks it. */
const firstLanguage = ({ languages }: LiveData) =>
  navigator.languages.map((each) => each.split('-')[0]).find((code) => code in languages) ?? 'en';

class Live {
  private picture: LivePicture;
  private looked: Looked;
  private options: Options = {};
  private running = new AbortController();
  private readonly engine?: Promise<Engine>;
  private code: string;
  private text: string;
  private share: number | null = 0;
  private body!: Body;
  private heads!: AttentionTabs;
  private ablation!: AblationCard;
  private readonly stage = () => document.getElementById('stage') as HTMLElement;
  /** Takes down the views of a page that is gone. */
  private closed = () => {};

  constructor(private readonly data: LiveData) {
    const { stored, heads, examples } = data;
    this.picture = stored;
    this.text = examples[0];
    const over = (kind: Kind) => [heads[kind][0] * stored.shapes[kind][1] + heads[kind][1]];
    const position = stored.pair ? stored.pair[0] + 1 : stored.target.length;
    this.looked = { id: 'stored', position, heads: ofKinds(over) };
    // All of the stored example may be seen at once.
    announce('stage', { id: 'stored', step: position, covered: false });
    this.code = firstLanguage(data);
    this.build();
    listenForModes(() => this.draw());
    if (!data.bytes) return;
    this.engine = this.opened();
    this.engine.then(
      () => {
        this.body.say('');
        this.ablate();
      },
      (error: Error) => this.body.say(error.message),
    );
  }

  /* ---------- the page ---------- */

  /** Makes the page anew, in the language that the reader chose. */
  private build() {
    const words = this.data.languages[this.code];
    speak(words.spoken);
    document.documentElement.lang = this.code;
    this.body = new Body(this.data, this.code, this.text, this.options, {
      speak: (code) => {
        [this.code, this.text] = [code, this.body.input.value];
        this.build();
      },
      translate: (text, options) => {
        this.options = options;
        void this.translate(text).catch(() => null);
      },
    });
    this.body.progress(this.share);
    this.ablation = new AblationCard();
    const pick = (kind: Kind, heads: number[]) => this.pick(kind, heads);
    this.heads = new AttentionTabs(words, this.ablation.node, pick, () => this.ablate());
    const [first, second] = [tr('Step by step'), tr('All heads')].map((name) =>
      el('h2', { class: 'live-heading' }, name),
    );
    this.body.main.append(first, viewRoot('stage'), second, this.heads.node);
    document.querySelector('.live')?.replaceChildren(this.body.node);
    this.closed();
    this.closed = () => {};
    this.draw();
  }

  private draw(writes = false) {
    bus().last.about = [`“${this.text}”`, this.data.name].join(' · ');
    const words = this.data.languages[this.code];
    const page = {
      parentElement: this.stage(),
      setTriggerValue: (name: string, answer: unknown) => this.hear(name, answer),
    };
    const stage = show(
      page,
      stageData(this.picture, words, this.looked, { writes, forcible: this.data.bytes > 0 }),
      (root, host) => new Stage(root, host),
    );
    this.heads.update(this.picture, this.looked);
    const { heads, ablation } = this;
    this.closed = () => [stage, () => heads.close(), () => ablation.close()].forEach((end) => end());
    this.ablate();
  }

  /** Shows what the model writes without the open heads, once there is a model. */
  private ablate() {
    const { picture, options, looked, ablation, heads } = this;
    void this.engine?.then(
      (engine) => ablation.update(engine, picture, options, looked.id, heads.kind, looked.heads[heads.kind]),
      () => null,
    );
  }

  /** An answer of the stage. */
  private hear(name: string, answer: unknown) {
    if (name === 'forced') return this.force(answer as StageAnswers['forced']);
    if (name !== 'view') return;
    const { position, layer, head } = answer as StageAnswers['view'];
    this.looked.position = position;
    if (layer !== null && head !== null)
      this.looked.heads.cross = [layer * this.picture.shapes.cross[1] + head];
    this.heads.update(this.picture, this.looked);
  }

  private pick(kind: Kind, heads: number[]) {
    this.looked.heads[kind] = heads;
    this.draw();
  }

  /* ---------- the model ---------- */

  private async opened() {
    if (document.readyState === 'loading') {
      await new Promise((go) => document.addEventListener('DOMContentLoaded', go, { once: true }));
    }
    this.body.say(tr('Unpacking the model …'));
    const model = await unpacked(blocks(), this.data.bytes, (share) =>
      this.body.progress((this.share = share)),
    );
    const engine = new Engine(model);
    this.body.progress((this.share = null));
    return engine;
  }

  private force({ position, id }: StageAnswers['forced']) {
    if (!this.engine) return;
    const prefix = [...this.picture.ids.slice(0, position), id];
    const forced = [...this.picture.forced.filter((each) => each < position), position];
    void this.translate(this.text, prefix, forced).catch(() => null);
  }

  /** Translates a text and shows it; a run that is not finished yet is given up. */
  async translate(text: string, prefix: number[] = [], forced: number[] = []) {
    this.running.abort();
    this.body.input.value = this.text = text;
    const { signal } = (this.running = new AbortController());
    try {
      const engine = await (this.engine as Promise<Engine>);
      const options = { ...this.options, prefix };
      const onStep = ({ ids }: { ids: number[] }) =>
        this.body.say(plural('{count} token written …', '{count} tokens written …', ids.length));
      const made = await engine.translate(text, options, { signal, onStep });
      this.picture = pictureOf(engine, made, options, forced, this.looked.heads.cross[0]);
      this.looked.position = forced.length ? prefix.length : made.ids.length;
      this.looked.id = JSON.stringify([text, options]);
      if (forced.length)
        announce('stage', {
          id: this.looked.id,
          step: this.looked.position,
          covered: false,
        });
      this.draw(!forced.length);
      this.body.say(warning(made));
      return { text: made.text, ids: made.ids };
    } catch (error) {
      if (!signal.aborted) this.body.say((error as Error).message);
      throw error;
    }
  }
}

export default async function live(filed: Filed) {
  const waiting = read<LiveData>(filed).then((data) => new Live(data));
  // What a course page that embeds this one, or a test, calls.
  Object.assign(window, { atlas: { translate: async (text: string) => (await waiting).translate(text) } });
  await waiting;
}
