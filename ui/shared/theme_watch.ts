/* Draws nothing. A switch between light and dark runs no Python, so figures made there would keep the old colours:
   this asks for one run after each switch. */

import type { Host, Mounting, View } from '../web/base/view.ts';
import { mount } from '../web/base/view.ts';

function themeWatch(_root: HTMLElement, host: Host): View<unknown> {
  let seen: string | null = null;
  return {
    update() {
      if (seen !== null && seen !== host.theme) host.trigger('switched', host.theme);
      seen = host.theme;
    },
  };
}

export default (args: Mounting) => mount(args, themeWatch);
