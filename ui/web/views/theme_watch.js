/* Draws nothing. A switch between light and dark runs no Python, so figures made there would keep the old colours:
   this asks for one run after each switch. */

import { mount } from '../base/view.js';

function themeWatch(root, host) {
  let seen = null;
  return {
    update() {
      if (seen !== null && seen !== host.theme) host.trigger('switched', host.theme);
      seen = host.theme;
    },
  };
}

export default function view(args) {
  return mount(args, themeWatch);
}
