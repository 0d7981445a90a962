/* Draws nothing. A switch between light and dark runs no Python, so figures made there would keep the old colours:
   this asks for one run after each switch. */

/** @import { Host, Mounting, View } from '../types' */

import { mount } from '../base/view.js';

/**
 * @param {HTMLElement} _root
 * @param {Host} host
 * @returns {View<unknown>}
 */
function themeWatch(_root, host) {
  /** @type {string | null} */
  let seen = null;
  return {
    update() {
      if (seen !== null && seen !== host.theme) host.trigger('switched', host.theme);
      seen = host.theme;
    },
  };
}

/** @param {Mounting<unknown>} args */
export default function view(args) {
  return mount(args, themeWatch);
}
