/* A decode played step by step: to the start, back, on, to the end, play, a scrubber, the pace, and their keys. */

/** @import { Host } from '../types' */

import { chooser, keyList } from './controls.js';
import { el, onPage } from './dom.js';
import { pageKeys } from './events.js';
import { svgElement } from './paint.js';

const ICONS = {
  start: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M12 3v10L4 8z',
  step: 'M4 3v10l8-5z',
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
  ['Home End', 'to the start, to the end'],
  ['Esc', 'clear pins'],
  ['?', 'this list'],
]);

/** Names and milliseconds a step. */
const PACES = /** @type {const} */ ([
  [1400, 'slow'],
  [750, 'steady'],
  [320, 'fast'],
]);

/**
 * What is played: `go(step)` shows a step, `rested()` is called when play has stopped, `listens()` says whether the
 * keys of the page are for it.
 * @typedef {{ go(step: number): void, rested(): void, listens(): boolean }} Played
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
  const start = button('start', 'To the start (Home)', () => playback.byHand(0));
  const back = button('back', 'Back (←)', () => playback.byHand(playback.step - 1));
  const on = button('step', 'Step (→)', () => playback.byHand(playback.step + 1), 'step');
  on.classList.add('primary');
  const end = button('end', 'To the end (End)', () => playback.byHand(playback.steps));
  const play = button('step', 'Play or pause (Space)', () => playback.toggle(), 'play');
  const pace = chooser(PACES, playback.pace, (ms) => (playback.pace = Number(ms)), 'Pace of play', 'pace');
  const range = { type: 'range', min: 0, max: 1, step: 1, 'aria-label': 'Step of the decode' };
  const scrubber = el('input', { class: 'play-scrub', ...range });
  scrubber.addEventListener('input', () => playback.byHand(Number(scrubber.value)));
  const count = el('span', { class: 'play-count' });
  const keys = keyList([...KEYS.slice(0, -1), ...moreKeys, ...KEYS.slice(-1)], 'button');
  const group = { class: 'play', role: 'group', 'aria-label': 'Play the decode' };
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
      Home: heard(() => this.byHand(0)),
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
  update(step, steps) {
    [this.step, this.steps] = [step, steps];
    this.refresh();
  }

  refresh() {
    const { step, steps } = this;
    const { start, back, on, end, play, scrubber, count } = this.parts;
    start.disabled = back.disabled = step === 0;
    on.disabled = end.disabled = step >= steps;
    play.disabled = scrubber.disabled = steps === 0;
    play.setAttribute('aria-pressed', String(this.playing));
    play.replaceChildren(icon(this.playing ? 'pause' : 'step'), this.playing ? 'pause' : 'play');
    scrubber.max = String(Math.max(1, steps));
    scrubber.value = String(step);
    count.textContent = `${step} of ${steps}`;
  }

  /** @param {number} step where a button, a key or the scrubber leads */
  byHand(step) {
    this.pause();
    if (step >= 0 && step <= this.steps) this.played.go(step);
  }

  toggle() {
    if (this.playing) return this.pause();
    this.playing = true;
    if (this.step >= this.steps) this.played.go(0);
    this.refresh();
    this.tick();
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
