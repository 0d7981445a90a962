/* The bar of the stage: what is drawn, its buttons, and where these are on a phone. */

import type { Host } from '../web/base/view.ts';
import type { Stage } from './stage.ts';
import { el } from '../web/base/dom.ts';
import { hint } from '../web/maps/sentence.ts';

const TYPING = 0.7; // of the window's height: less is left where a keyboard is on the screen

/** What is drawn, and the buttons that step through it. */
export function stageBar({ picks, measure, kindWords, playback }: Stage) {
  const aside = (words: string) => el('span', { class: 'stage-hint' }, words);
  picks.node.append(aside(' · '));
  const drawn = [kindWords, measure.node, picks.node, aside(hint())];
  const settings = el('span', { class: 'stage-settings' }, ...drawn);
  return el('div', { class: 'stage-bar' }, settings, el('span', { class: 'stage-tools' }, playback.tools));
}

/** On a phone the buttons are under the thumb, at the foot of the screen, unless a keyboard takes it. */
export function dockOnPhone(root: HTMLElement, { signal }: Host, buttons: HTMLElement, home: HTMLElement) {
  const phone = window.matchMedia?.('(max-width: 640px)');
  if (!phone) return;
  const foot = el('div', { class: 'stage-dock' });
  root.append(foot);
  const dockOrNot = () => {
    if (phone.matches) foot.append(buttons);
    else home.append(buttons);
  };
  phone.addEventListener('change', dockOrNot, { signal });
  const view = window.visualViewport;
  view?.addEventListener(
    'resize',
    () => foot.classList.toggle('typing', view.height < TYPING * window.innerHeight),
    { signal },
  );
  dockOrNot();
}
