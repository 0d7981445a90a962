/* A decode played step by step: to the start, back, on, to the end, play, a scrubber, the pace, and their keys.
   While it is covered, nothing says how long it is: the scrubber and “of 12” come with the last word. */

import type { Host } from './view.ts';
import { chooser, keyList } from './controls.ts';
import { el, onPage } from './dom.ts';
import { pageKeys, reducedMotion } from './events.ts';
import { tr } from './language.ts';
import { svgElement } from './paint.ts';
import './playback.css';

/* One step is an arrow, as on its key; a triangle plays or goes all the way. */
const ICONS = {
  start: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M1.5 8 7 2.8V6.9h7.5v2.2H7v4.1z',
  step: 'M14.5 8 9 2.8v4.1H1.5v2.2H9v4.1z',
  play: 'M4 3v10l8-5z',
  end: 'M3 3v10l7-5zM11 3h2v10h-2z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
};

function icon(name: keyof typeof ICONS) {
  const svg = svgElement('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' });
  svg.append(svgElement('path', { d: ICONS[name] }));
  return svg;
}

const keyWords = (): [string, string][] => [
  ['← →', tr('Step back or on')],
  [tr('Space'), tr('Play or pause')],
  ['Home', tr('To the start, to step by hand')],
  ['End', tr('To the end')],
  ['Esc', tr('Unpin')],
  ['?', tr('Show this list')],
];

/** Names and milliseconds a step. */
const paces = (): [number, string][] => [
  [1400, tr('slow')],
  [STEADY, tr('steady')],
  [320, tr('fast')],
];
const STEADY = 750;

const WRITING = 2000; // milliseconds in which a sentence writes itself, however long it is
const UNHURRIED = 350; // but no word takes longer than this

/**
 * What is played: `go(step)` shows a step, `rested()` is called when play has stopped, `listens()` says whether the
 * keys of the page are for it. `start()` goes to the start and covers what is to come, where that is known. `what` is
 * played, the decode where it is not said; `count(step)` is what stands in place of “3 of 12”.
 */
interface Played {
  go(step: number): void;
  rested(): void;
  listens(): boolean;
  start?(): void;
  what?: string;
  count?(step: number): string;
}

function makeControls(playback: Playback, moreKeys: readonly (readonly [string, string])[]) {
  const button = (
    name: keyof typeof ICONS,
    label: string,
    action: () => void,
    words = '',
  ): HTMLButtonElement => {
    const looks = { class: 'button', 'aria-label': label, title: label };
    return el('button', { ...looks, onclick: action }, icon(name), words);
  };
  const start = button('start', tr('To the start (Home)'), () => playback.begin());
  const back = button('back', tr('Back (←)'), () => playback.byHand(playback.step - 1));
  const on = button('step', tr('Step (→)'), () => playback.byHand(playback.step + 1), tr('Step'));
  on.classList.add('primary');
  const end = button('end', tr('To the end (End)'), () => playback.byHand(playback.steps));
  const play = button('play', tr('Play or pause (Space)'), () => playback.toggle(), tr('Play'));
  const pace = chooser(
    paces(),
    playback.pace,
    (ms) => (playback.pace = Number(ms)),
    tr('Playback speed'),
    'pace',
  );
  const what = playback.played.what ?? tr('translation');
  const range = { type: 'range', min: 0, max: 1, step: 1, 'aria-label': tr('Step of the {what}', { what }) };
  const scrubber = el('input', { class: 'play-scrub', ...range });
  scrubber.addEventListener('input', () => playback.byHand(Number(scrubber.value)));
  const count = el('span', { class: 'play-count' });
  const keys = keyList([...keyWords().slice(0, -1), ...moreKeys, ...keyWords().slice(-1)], 'button');
  const group = { class: 'play', role: 'group', 'aria-label': tr('Play the {what}', { what }) };
  const node = el('div', group, start, back, on, end, play, count, keys.button, keys.list);
  const tools = el('span', { class: 'play-tools' }, scrubber, pace);
  return { start, back, on, end, play, scrubber, count, keys, node, tools };
}

export class Playback {
  step = 0;
  steps = 0;
  playing = false;
  /** Whether nothing may be said of the steps to come. */
  covered = false;
  pace = STEADY;
  timer = 0;
  parts: ReturnType<typeof makeControls>;
  /** The buttons; `tools` are scrubber and pace, which may stand elsewhere. */
  node: HTMLDivElement;
  tools: HTMLSpanElement;

  constructor(
    host: Host,
    readonly played: Played,
    moreKeys: readonly (readonly [string, string])[] = [],
  ) {
    this.parts = makeControls(this, moreKeys);
    this.node = this.parts.node;
    this.tools = this.parts.tools;
    this.listen(host);
    host.signal.addEventListener('abort', () => clearTimeout(this.timer));
  }

  listen(host: Host) {
    const heard = (action: () => void) => () => (this.played.listens() ? action() : false);
    pageKeys(host, {
      ArrowRight: heard(() => this.byHand(this.step + 1)),
      ArrowLeft: heard(() => this.byHand(this.step - 1)),
      Home: heard(() => this.begin()),
      End: heard(() => this.byHand(this.steps)),
      ' ': heard(() => this.toggle()),
      '?': heard(() => this.parts.keys.toggle()),
    });
    onPage(host, 'keydown', (event) => void (event.key === 'Escape' && this.parts.keys.hide()));
  }

  /** The step shown of how many. */
  update(step: number, steps: number, covered = false) {
    [this.step, this.steps, this.covered] = [step, steps, covered];
    this.refresh();
  }

  refresh() {
    const { step, steps, covered } = this;
    const { start, back, on, end, play, scrubber, count } = this.parts;
    back.disabled = step === 0;
    start.disabled = step === 0 && (covered || !this.played.start);
    on.disabled = end.disabled = step >= steps;
    play.disabled = scrubber.disabled = steps === 0;
    play.setAttribute('aria-pressed', String(this.playing));
    play.replaceChildren(icon(this.playing ? 'pause' : 'play'), this.playing ? tr('Pause') : tr('Play'));
    scrubber.hidden = covered;
    scrubber.max = String(Math.max(1, covered ? step : steps));
    scrubber.value = String(step);
    const known = this.played.count?.(step) ?? tr('{step} of {steps}', { step, steps });
    count.textContent = covered ? tr('step {step}', { step }) : known;
    scrubber.setAttribute('aria-valuetext', count.textContent);
  }

  /** @param step where a button, a key or the scrubber leads */
  byHand(step: number) {
    this.pause();
    if (step >= 0 && step <= this.steps) this.played.go(step);
  }

  /** Says in the list of keys what the numbers of the view are. */
  explain(metrics: readonly (readonly [string, string])[]) {
    this.parts.keys.explain(metrics);
  }

  /** To the start. */
  begin() {
    this.pause();
    this.rewind();
  }

  rewind() {
    if (this.played.start) this.played.start();
    else this.played.go(0);
  }

  toggle() {
    if (this.playing) return this.pause();
    this.playing = true;
    if (this.step >= this.steps) this.rewind();
    this.refresh();
    this.tick();
  }

  /** From the start to the end by itself, all steps within about two seconds; at once under reduced motion. */
  write() {
    this.begin();
    if (reducedMotion()) return this.byHand(this.steps);
    const [begun, each] = [performance.now(), Math.min(UNHURRIED, WRITING / this.steps)];
    const next = () => {
      const step = Math.min(this.steps, 1 + Math.floor((performance.now() - begun) / each));
      if (step > this.step) this.played.go(step);
      if (step >= this.steps) return this.pause();
      this.timer = window.setTimeout(next, each);
    };
    this.playing = true;
    next();
  }

  pause() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    this.playing = false;
    this.refresh();
    this.played.rested();
  }

  tick() {
    if (this.step >= this.steps) return this.pause();
    this.played.go(this.step + 1);
    this.timer = window.setTimeout(() => this.tick(), this.pace);
  }
}
