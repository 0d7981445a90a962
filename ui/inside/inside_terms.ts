/* Draws nothing: hands the terms of one number to the view of the cards (inside.ts), so that a click sends no matrix again. */

import type { Mounting, View } from '../web/base/view.ts';
import type { TermsData } from '../web/generated/types.ts';
import { announce } from '../web/base/events.ts';
import { mount } from '../web/base/view.ts';

function insideTerms(): View<TermsData> {
  return {
    update({ why }) {
      announce('inside-terms', why);
    },
  };
}

export default function view(args: Mounting) {
  return mount(args, insideTerms);
}
