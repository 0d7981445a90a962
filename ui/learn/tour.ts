/* Offers a tour once: when the first sentence has written itself to its end, and never again in this browser. */

import type { Host } from '../web/base/view.ts';
import type { OfferData, TourAnswers } from '../web/generated/types.ts';
import { el } from '../web/base/dom.ts';
import { bus, listenTo, pageKeys } from '../web/base/events.ts';
import { viewOf } from '../web/base/view.ts';
import './tour.css';

const KEPT = 'atlas-tour'; // what this browser remembers
const REST = 1200; // milliseconds between the last word and the offer

/** Whether the offer was made; a browser that remembers nothing is not asked again and again. */
function wasOffered() {
  try {
    return localStorage.getItem(KEPT) !== null;
  } catch {
    return true;
  }
}

function remember() {
  try {
    localStorage.setItem(KEPT, 'offered');
  } catch {
    // Nothing can be kept here, so nothing is offered either.
  }
}

class Offer {
  timer = 0;
  words = el('p', {});
  take = el('button', { class: 'button primary', onclick: () => this.answer(true) });
  no = el('button', { class: 'button', onclick: () => this.answer(false) });
  node = el('aside', { class: 'tour', hidden: true, role: 'status' }, this.words, this.take, this.no);

  constructor(
    root: HTMLElement,
    readonly host: Host,
  ) {
    root.append(this.node);
    // Drawn again while the offer stands, it still stands.
    if (document.documentElement.dataset.atlasTour) this.node.hidden = false;
    else if (wasOffered()) return;
    const before = bus().last.stage; // the last word may stand already
    if (before) this.written(before.covered);
    listenTo(host, 'stage', ({ covered }) => this.written(covered));
    pageKeys(host, { Escape: () => (this.node.hidden ? false : this.answer(false)) });
    host.signal.addEventListener('abort', () => clearTimeout(this.timer));
  }

  /** The stage tells at every word whether there are more to come. */
  written(covered: boolean) {
    clearTimeout(this.timer);
    if (covered || wasOffered()) return;
    this.timer = setTimeout(() => this.show(), REST);
  }

  show() {
    remember();
    document.documentElement.dataset.atlasTour = 'offered';
    this.node.hidden = false;
  }

  answer(take: boolean) {
    this.node.hidden = true;
    delete document.documentElement.dataset.atlasTour;
    if (take) this.host.trigger('taken', true satisfies TourAnswers['taken']);
  }

  update({ offer, take, no }: OfferData) {
    this.words.textContent = offer;
    this.take.textContent = take;
    this.no.textContent = no;
  }
}

export default viewOf(Offer);
