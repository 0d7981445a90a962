/* Tells the page which card a link shows as a slide, and Python which one the reader does; its cross leaves the slide.
   It is on every page, so it also shows the page once it is drawn. */

import type { Host, Mounting, View } from '../web/base/view.ts';
import type { SlideAnswers, SlideData } from '../web/generated/types.ts';
import { el } from '../web/base/dom.ts';
import { linked } from '../web/base/events.ts';
import { tr } from '../web/base/language.ts';
import { EMBEDDED, keepSlide, pageAddress, toggleSlide } from '../web/base/slide.ts';
import { mount } from '../web/base/view.ts';
import { TOUCH } from '../web/base/words.ts';
import { revealOnceDrawn } from './reveal.ts';
import './slide.css';

function slide(root: HTMLElement, host: Host): View<SlideData> {
  const changed = linked<SlideAnswers['changed']>(host, 'changed');
  const kept = keepSlide((card, missing = false) => changed.report({ card, missing }));
  const leave = EMBEDDED
    ? el('a', { class: 'slide-leave', target: '_blank', rel: 'noopener' }, '↗')
    : el('button', { type: 'button', class: 'slide-leave', onclick: () => toggleSlide() }, '✕');
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

export default function view(args: Mounting) {
  return mount(args, slide);
}
