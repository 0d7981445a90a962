/* What stands around the views of a live page: name, language, the sentence with its options, and what is to be said. */

import type { Options } from '../../web/engine/decode.ts';
import type { LiveData } from '../../web/generated/types.ts';
import { el } from '../../web/base/dom.ts';
import { tr } from '../../web/base/language.ts';

/** A number field of the options. */
function numberField(name: string, value: number, limits: Record<string, number>, hint: string) {
  const input = el('input', { type: 'number', value, ...limits, title: hint });
  return { input, node: el('label', { title: hint }, name, input) };
}

/** How the next word is chosen. */
function optionFields(given: Options) {
  const strategy = el(
    'select',
    {},
    el('option', { value: 'greedy' }, tr('Greedy')),
    el('option', { value: 'sample' }, tr('Sample')),
  );
  strategy.value = given.strategy ?? 'greedy';
  const temperature = numberField(
    tr('Temperature'),
    given.temperature ?? 1,
    { min: 0.1, max: 10, step: 0.1 },
    tr('Temperature: above 1 more varied, below 1 more predictable'),
  );
  const topK = numberField(
    tr('Top k'),
    given.topK ?? 0,
    { min: 0, max: 1000, step: 1 },
    tr('Top-k: keep only the k most likely words (0: all)'),
  );
  const seed = numberField(
    tr('Seed'),
    given.seed ?? 0,
    { min: 0, max: 2 ** 31, step: 1 },
    tr('Seed: the same seed writes the same words'),
  );
  const numbers = [temperature, topK, seed];
  const fields = numbers.map(({ node }) => node);
  const enable = () => numbers.forEach(({ input }) => (input.disabled = strategy.value === 'greedy'));
  strategy.addEventListener('change', enable);
  enable();
  const read = (): Options => {
    if (strategy.value === 'greedy') return {};
    const [t, k, s] = numbers.map(({ input }) =>
      input.validity.valid ? input.valueAsNumber : Number(input.defaultValue),
    );
    return { strategy: 'sample', temperature: t, topK: k, seed: s };
  };
  const node = el('div', { class: 'live-options' }, el('label', {}, tr('Next word'), strategy), ...fields);
  return { node, read };
}

/** The header: what the model is, the language of the page, light or dark. */
function header(data: LiveData, code: string, speak: (code: string) => void) {
  const language: HTMLSelectElement = el(
    'select',
    { 'aria-label': tr('Language'), onchange: () => speak(language.value) },
    ...Object.entries(data.languages).map(([each, { name }]) => el('option', { value: each }, name)),
  );
  language.value = code;
  const mode = el(
    'button',
    { id: 'mode', 'aria-label': tr('Light or dark'), title: tr('Light or dark') },
    '◐',
  );
  const about = el(
    'p',
    { class: 'live-about' },
    `${data.languages[code].about} · ${tr('made with Attention Atlas')}`,
  );
  const name = el('h1', {}, el('bdi', {}, data.name));
  return el('header', {}, name, about, el('div', { class: 'live-tools' }, language, mode));
}

interface Acts {
  speak(code: string): void;
  translate(text: string, options: Options): void;
}

/** What the page is, and the notes of its model. */
function footer({ bytes, parameters, languages }: LiveData, code: string) {
  const whole = bytes
    ? tr(
        'This page is the model: {parameters} parameters that run in your browser. Nothing you type is sent anywhere.',
        { parameters },
      )
    : tr('This file holds one translation with every attention map of it. It needs no network.');
  const notes = languages[code].notes.map((note) => el('p', {}, note));
  return el('footer', {}, el('p', {}, el('strong', {}, whole)), ...notes);
}

export class Body {
  readonly node: HTMLElement;
  readonly main = el('main');
  readonly input: HTMLInputElement;
  private readonly bar: HTMLProgressElement;
  private readonly status = el('p', { class: 'live-status', role: 'status' });

  constructor(data: LiveData, code: string, text: string, given: Options, acts: Acts) {
    this.input = el('input', {
      id: 'text',
      list: 'examples',
      'aria-label': tr('Sentence'),
      autocomplete: 'off',
      spellcheck: 'false',
      dir: 'auto',
    });
    this.input.value = text;
    this.bar = el('progress', { max: 1, value: 0, 'aria-label': tr('Unpacking the model') });
    if (data.bytes) this.main.append(this.form(data.examples, given, acts), this.bar, this.status);
    else this.main.append(el('p', { class: 'live-source', dir: 'auto' }, text));
    this.node = el(
      'div',
      { class: 'live-page' },
      header(data, code, acts.speak),
      this.main,
      footer(data, code),
    );
  }

  /** The sentence, and how its translation is written. */
  private form(examples: string[], given: Options, acts: Acts) {
    const list = el('datalist', { id: 'examples' }, ...examples.map((value) => el('option', { value })));
    const options = optionFields(given);
    const more = el('details', { class: 'live-more' }, el('summary', {}, tr('Options')), options.node);
    more.open = given.strategy === 'sample';
    const button = el('button', { type: 'submit', class: 'live-go' }, tr('Translate'));
    const form = el('form', {}, el('div', { class: 'live-line' }, this.input, button), list, more);
    const go = () => acts.translate(this.input.value, options.read());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      go();
    });
    options.node.addEventListener('change', go);
    return form;
  }

  /** The share of the model that is unpacked; null: all of it is. */
  progress(share: number | null) {
    this.bar.hidden = share === null;
    this.bar.value = share ?? 1;
  }

  say(words: string) {
    this.status.textContent = words;
  }
}
