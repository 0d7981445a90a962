/* A decode played step by step: to the start, back, on, to the end, play, a scrubber, the pace, and their keys.
   While it is covered, nothing says how long it is: the scrubber and “of 12” come with the last word. */

/** @import { Host } from '../types' */

import { chooser, keyList } from './controls.js';
import { el, onPage } from './dom.js';
import { pageKeys, reducedMotion } from './events.js';
import { svgElement } from './paint.js';

/* One step is an arrow, as on its key; a triangle plays or goes all the way. */
const ICONS = {
  start: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M1.5 8 7 2.8V6.9h7.5v2.2H7v4.1z',
  step: 'M14.5 8 9 2.8v4.1H1.5v2.2H9v4.1z',
  play: 'M4 3v10l8-5z',
  end: 'M3 3v10l7-5zM11 3h2v10h-2z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
};

/** @param {keyof ICONS} name */
function icon(name) {
  const svg = svgElement('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' });
  svg.append(svgElement('path', { d: ICONS[name] }));
  return svg;
}

const KEYS = /** @type {const} */ ([
  ['← →', 'step back, step on'],
  ['Space', 'play and pause'],
  ['Home', 'to the start, to step by hand'],
  ['End', 'to the end'],
  ['Esc', 'clear pins'],
  ['?', 'this list'],
]);

/** Names and milliseconds a step. */
const PACES = /** @type {const} */ ([
  [1400, 'slow'],
  [750, 'steady'],
  [320, 'fast'],
]);

const WRITING = 2000; // milliseconds in which a sentence writes itself, however long it is
const UNHURRIED = 350; // but no word takes longer than this

/**
 * What is played: `go(step)` shows a step, `rested()` is called when play has stopped, `listens()` says whether the
 * keys of the page are for it. `start()` goes to the start and covers what is to come, where that is known. `what` is
 * played, the decode where it is not said.
 * @typedef {{ go(step: number): void, rested(): void, listens(): boolean, start?(): void, what?: string }} Played
 */

/**
 * @param {Playback} playback
 * @param {readonly (readonly [string, string])[]} moreKeys
 */
function makeControls(playback, moreKeys) {
  /** @type {(name: keyof ICONS, label: string, action: () => void, words?: string) => HTMLButtonElement} */
  const button = (name, label, action, words = '') => {
    const looks = { type: 'button', class: 'button', 'aria-label': label, title: label };
    return el('button', { ...looks, onclick: action }, icon(name), words);
  };
  const start = button('start', 'To the start (Home)', () => playback.begin());
  const back = button('back', 'Back (←)', () => playback.byHand(playback.step - 1));
  const on = button('step', 'Step (→)', () => playback.byHand(playback.step + 1), 'step');
  on.classList.add('primary');
  const end = button('end', 'To the end (End)', () => playback.byHand(playback.steps));
  const play = button('play', 'Play or pause (Space)', () => playback.toggle(), 'play');
  const pace = chooser(PACES, playback.pace, (ms) => (playback.pace = Number(ms)), 'Pace of play', 'pace');
  const what = playback.played.what ?? 'decode';
  const range = { type: 'range', min: 0, max: 1, step: 1, 'aria-label': `Step of the ${what}` };
  const scrubber = el('input', { class: 'play-scrub', ...range });
  scrubber.addEventListener('input', () => playback.byHand(Number(scrubber.value)));
  const count = el('span', { class: 'play-count' });
  const keys = keyList([...KEYS.slice(0, -1), ...moreKeys, ...KEYS.slice(-1)], 'button');
  const group = { class: 'play', role: 'group', 'aria-label': `Play the ${what}` };
  const node = el('div', group, start, back, on, end, play, count, keys.button, keys.list);
  const tools = el('span', { class: 'play-tools' }, scrubber, pace);
  return { start, back, on, end, play, scrubber, count, keys, node, tools };
}

export class Playback {
  /**
   * @param {Host} host
   * @param {Played} played
   * @param {readonly (readonly [string, string])[]} moreKeys
   */
  constructor(host, played, moreKeys = []) {
    this.played = played;
    this.step = 0;
    this.steps = 0;
    this.playing = false;
    /** Whether nothing may be said of the steps to come. */
    this.covered = false;
    /** @type {number} */
    this.pace = PACES[1][0];
    this.timer = 0;
    this.parts = makeControls(this, moreKeys);
    /** The buttons; `tools` are scrubber and pace, which may stand elsewhere. */
    this.node = this.parts.node;
    this.tools = this.parts.tools;
    this.listen(host);
    host.signal.addEventListener('abort', () => clearTimeout(this.timer));
  }

  /** @param {Host} host */
  listen(host) {
    /** @param {() => void} action */
    const heard = (action) => () => (this.played.listens() ? action() : false);
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

  /**
   * The step shown of how many.
   * @param {number} step
   * @param {number} steps
   */
  update(step, steps, covered = false) {
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
    play.replaceChildren(icon(this.playing ? 'pause' : 'play'), this.playing ? 'pause' : 'play');
    scrubber.hidden = covered;
    scrubber.max = String(Math.max(1, covered ? step : steps));
    scrubber.value = String(step);
    count.textContent = covered ? `step ${step}` : `${step} of ${steps}`;
  }

  /** @param {number} step where a button, a key or the scrubber leads */
  byHand(step) {
    this.pause();
    if (step >= 0 && step <= this.steps) this.played.go(step);
  }

  /**
   * Says in the list of keys what the numbers of the view are.
   * @param {readonly (readonly [string, string])[]} metrics
   */
  explain(metrics) {
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
