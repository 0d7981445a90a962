/* Tells the page which card a link shows as a slide, and Python which one the reader does; its cross leaves the slide.
   It is on every page, so it also shows the page once it is drawn. */

import type { Host, Mounting, View } from '../web/base/view.ts';
import type { SlideAnswers, SlideData } from '../web/generated/types.ts';
import { el } from '../web/base/dom.ts';
import { linked } from '../web/base/events.ts';
import { tr } from '../web/base/language.ts';
import { CARD, EMBEDDED, keepSlide, pageAddress, toggleSlide } from '../web/base/slide.ts';
import { mount } from '../web/base/view.ts';
import { TOUCH } from '../web/base/words.ts';
import './slide.css';

const CONTAINER = '[data-testid="stElementContainer"]';
const PATIENCE = 5000; // milliseconds until it is shown whatever is missing
const FOR_A_RUN = 1000; // and until a run counts as one that computes, whose results come below the cards that are there
const FOR_A_CARD = 10_000; // and until a run that computes is shown though there is no card yet

const running = () => document.querySelector('[data-test-script-state="running"]') !== null;
const views = () => [...document.querySelectorAll('[data-testid^="stBidiComponent"]')];
const hasCard = () =>
  Boolean(document.querySelector('[data-testid="stMain"]')?.querySelector(CARD)) ||
  views().some((part) => part.shadowRoot?.querySelector(CARD));

/** Whether a part of the page is not drawn yet: a widget whose code is on its way, or a view in sight. */
function isMissing(waited: number) {
  const skeletons = [...document.querySelectorAll('[data-testid="stSkeleton"]')];
  if (waited < PATIENCE && skeletons.some((part) => !part.closest('[class*="st-key-chart_"]'))) return true;
  if (document.querySelector('.atlas-loading:not(.done)')) return false; // the model is loading, which is said
  if (running() && waited < (hasCard() ? FOR_A_RUN : FOR_A_CARD)) return true;
  return (
    waited < PATIENCE &&
    views().some((part) => {
      const view = part.shadowRoot?.querySelector('.atlas > .stage-root');
      // Those that are never seen take no room (ui/style/shell.css).
      const takesRoom = getComputedStyle(part.closest(CONTAINER) ?? part).position !== 'absolute';
      return !view && takesRoom && part.getBoundingClientRect().top < window.innerHeight;
    })
  );
}

/**
 * Shows the page as soon as nothing in sight is missing, so that nothing that is seen moves while a link opens. Until then
 * the early styles hide it (ui/app/server.py), which also show it after a while should this never run.
 */
function revealOnceDrawn() {
  const { dataset } = document.documentElement;
  const began = performance.now();
  const look = () => {
    const waited = performance.now() - began;
    if (isMissing(waited)) requestAnimationFrame(look);
    else dataset.drawn = '';
  };
  if (dataset.drawn === undefined) look();
}

function slide(root: HTMLElement, host: Host): View<SlideData> {
  const changed = linked<SlideAnswers['changed']>(host, 'changed');
  const kept = keepSlide((card, missing = false) => changed.report({ card, missing }));
  const leave = EMBEDDED
    ? el('a', { class: 'slide-leave', target: '_blank', rel: 'noopener' }, '↗')
    : el('button', { class: 'slide-leave', onclick: () => toggleSlide() }, '✕');
  root.append(leave);
  revealOnceDrawn();
  return {
    update({ card }) {
      if (EMBEDDED) (leave as HTMLAnchorElement).href = pageAddress(location.href);
      const out = TOUCH ? tr('Leave the slide') : tr('Leave the slide (Esc)');
      leave.title = EMBEDDED ? tr('Open in a tab of its own') : out;
      leave.setAttribute('aria-label', leave.title);
      const now = { card, missing: false };
      if (changed.isNews(now)) kept.show(card);
    },
    destroy: () => kept.leave(),
  };
}

export default (args: Mounting) => mount(args, slide);
