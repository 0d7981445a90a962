/* Tells the page which card a link shows as a slide, and Python which one the reader does; its cross leaves the slide.
   It is on every page, so it also shows the page as it is drawn. */

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
const PARTS = '[data-testid="stSkeleton"], [data-testid^="stBidiComponent"]';
const PATIENCE = 5000; // milliseconds that what stands below waits for a part
const FOR_A_CARD = 10_000; // and that the page waits for its first card while a run computes
const AT_LAST = 60_000; // and after which nothing waits any more

const main = () => document.querySelector('[data-testid="stMain"]') ?? document.body;
const running = () => document.querySelector('[data-test-script-state="running"]') !== null;

/** Whether a part has no room yet: a widget whose code is on its way, or a view in sight that is not drawn. */
function isMissing(part: Element) {
  if (part.closest('.st-key-architecture_map')) return false; // the strip has its height from the styles
  if (part.matches('[data-testid="stSkeleton"]')) return !part.closest('[class*="st-key-chart_"]');
  const view = part.shadowRoot?.querySelector('.atlas > .stage-root');
  // Those that are never seen take no room (ui/style/shell.css).
  const takesRoom = getComputedStyle(part.closest(CONTAINER) ?? part).position !== 'absolute';
  return !view && takesRoom && part.getBoundingClientRect().top < window.innerHeight;
}

/** The first card of the page: a container of Streamlit's, or a view that draws its own. */
function firstCard(): Element | undefined {
  const drawn = (part: Element) => part.matches(CARD) || part.shadowRoot?.querySelector(CARD);
  return [...main().querySelectorAll(`${CARD}, [data-testid^="stBidiComponent"]`)].find(drawn);
}

const stands = (card: Element | undefined, missing: Element | undefined) =>
  card !== undefined &&
  (!missing ||
    (!card.contains(missing) &&
      Boolean(card.compareDocumentPosition(missing) & Node.DOCUMENT_POSITION_FOLLOWING)));

/** Marks what holds `missing`, so that what follows any of it is not seen before it has its place (early.css). */
function holdBack(missing: Element | undefined) {
  const holding = new Set<Element>();
  for (let part = missing; part && part !== main(); part = part.parentElement ?? undefined) holding.add(part);
  document
    .querySelectorAll('[data-waits]')
    .forEach((part) => holding.has(part) || part.removeAttribute('data-waits'));
  holding.forEach((part) => part.setAttribute('data-waits', ''));
}

/**
 * Shows the page as soon as its first card stands, and each part below once all above it have their room, so that nothing
 * that is seen moves while a link opens. Before, the early styles show boxes in its place (ui/app/early.py).
 */
function revealAsDrawn() {
  const { dataset } = document.documentElement;
  const began = performance.now();
  const since = new WeakMap<Element, number>();
  const waitsFor = (part: Element, now: number) => {
    if (!isMissing(part)) return false;
    if (!since.has(part)) since.set(part, now);
    return now - (since.get(part) ?? now) < PATIENCE;
  };
  const look = () => {
    const now = performance.now();
    const missing = [...main().querySelectorAll(PARTS)].find((part) => waitsFor(part, now));
    holdBack(missing);
    const busy = running() && now - began < AT_LAST;
    const loading = document.querySelector('.atlas-loading:not(.done)') !== null; // the model is, which is said
    const waited = now - began > FOR_A_CARD || !(busy || missing);
    if (loading || waited || stands(firstCard(), missing)) dataset.drawn = '';
    if (busy || missing) requestAnimationFrame(look);
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
  revealAsDrawn();
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
