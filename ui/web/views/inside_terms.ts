/* Draws nothing: hands the terms of one number to the view of the cards (inside.ts), so that a click sends no matrix again. */

import type { Topics } from '../base/topics.ts';
import type { Mounting, View } from '../base/view.ts';
import { announce } from '../base/events.ts';
import { mount } from '../base/view.ts';

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
