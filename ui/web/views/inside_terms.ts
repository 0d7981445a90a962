/* Draws nothing: hands the terms of one number to the view of the cards (inside.js), so that a click sends no matrix again. */

/** @import { Mounting, View } from '../types' */

import { announce } from '../base/events.js';
import { mount } from '../base/view.js';

/** @returns {View<any>} */
function insideTerms() {
  return {
    update(data) {
      announce('inside-terms', data);
    },
  };
}

/** @param {Mounting<any>} args */
export default function view(args) {
  return mount(args, insideTerms);
}
