/* Reset, back, step, run, auto-play, a scrubber and their keys. What they do is up to the view that owns them. */

import { el, keyList } from './dom.js';
import { pageKeys } from './events.js';

const ICONS = {
  reset: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M12 3v10L4 8z',
  step: 'M4 3v10l8-5z',
  run: 'M3 3v10l7-5zM11 3h2v10h-2z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
};

function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(document.createElementNS(space, 'path'));
  svg.firstChild.setAttribute('d', ICONS[name]);
  return svg;
}

const KEY_LIST = [
  ['← →', 'step back, step on'],
  ['Space', 'play and pause'],
  ['Home End', 'to the start, to the end'],
  ['Esc', 'clear pins'],
  ['Tab, arrows', 'walk over words and cells'],
  ['?', 'this list'],
];

const PACES = [['slow', 1400], ['steady', 750], ['fast', 320]];

/** `act`: { reset, back, step, run, go(position) }, each called for a button, a key or the scrubber; `rested` when
    auto-play has stopped.
    The scrubber and the pace go into `toolPlace`. */
export function controlsPart(parent, host, act, toolPlace) {
  let state = { position: 0, known: 0 };
  let playing = false;
  let timer = 0;
  let pace = PACES[1][1];

  const button = (name, label, action, words = '') =>
    el('button', { type: 'button', class: 'button', 'aria-label': label, title: label, onclick: action }, icon(name), words);
  const atEnd = () => state.position >= state.known;
  const pause = () => {
    playing = false;
    clearTimeout(timer);
    dress();
    act.rested();
  };
  const tick = () => {
    clearTimeout(timer);
    if (!playing) return;
    if (atEnd()) return pause();
    act.step();
    timer = setTimeout(tick, pace);
  };
  const toggle = () => {
    if (playing) return pause();
    playing = true;
    if (atEnd()) act.go(0);
    dress();
    tick();
  };
  const manual = (action) => () => {
    if (playing) pause();
    action();
  };

  const reset = button('reset', 'Reset (Home)', manual(act.reset));
  const back = button('back', 'Back (←)', manual(act.back));
  const step = button('step', 'Step (→)', manual(act.step), 'step');
  step.classList.add('primary');
  const run = button('run', 'Run to the end (End)', manual(act.run));
  const auto = button('step', 'Auto-play (Space)', toggle, 'auto');
  const choose = el('select', { class: 'pace', 'aria-label': 'Pace of auto-play', onchange: () => (pace = Number(choose.value)) });
  PACES.forEach(([name, ms]) => choose.append(el('option', { value: ms, selected: ms === pace }, name)));
  const scrub = el('input', { type: 'range', class: 'play-scrub', min: 0, max: 1, step: 1, 'aria-label': 'Step of the translation' });
  scrub.addEventListener('input', () => manual(() => act.go(Number(scrub.value)))());
  const count = el('span', { class: 'play-count' });
  const keys = keyList(KEY_LIST, 'button');
  const node = el('div', { class: 'play', role: 'group', 'aria-label': 'Play the translation' }, reset, back, step, run, auto, count, keys.button, keys.list);
  const tools = el('span', { class: 'play-tools' }, scrub, choose);
  parent.append(node);
  toolPlace.append(tools);

  pageKeys(host, {
    ArrowRight: manual(act.step),
    ArrowLeft: manual(act.back),
    Home: manual(act.reset),
    End: manual(act.run),
    ' ': toggle,
    '?': keys.toggle,
  });
  document.addEventListener('keydown', (event) => event.key === 'Escape' && keys.hide(), { signal: host.signal });
  host.signal.addEventListener('abort', () => clearTimeout(timer));

  function dress() {
    const { position, known } = state;
    reset.disabled = back.disabled = position === 0;
    step.disabled = run.disabled = atEnd();
    auto.disabled = known === 0;
    auto.setAttribute('aria-pressed', String(playing));
    auto.replaceChildren(icon(playing ? 'pause' : 'step'), playing ? 'pause' : 'auto');
    scrub.max = Math.max(1, known);
    scrub.value = position;
    scrub.disabled = known === 0;
    count.textContent = `${position} of ${known}`;
  }

  return {
    update(next) {
      state = next;
      dress();
    },
    isPlaying: () => playing,
    pause,
  };
}
