/* Draws nothing: hands the terms of one number to the view of the cards (inside.ts), so that a click sends no matrix again. */

import type { Topics } from '../web/base/events.ts';
import type { Mounting, View } from '../web/base/view.ts';
import { announce } from '../web/base/events.ts';
import { mount } from '../web/base/view.ts';

function insideTerms(): View<Topics['inside-terms']> {
  return {
    update(data) {
      announce('inside-terms', data);
    },
  };
}

export default function view(args: Mounting<Topics['inside-terms']>) {
  return mount(args, insideTerms);
}
