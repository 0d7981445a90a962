/* Draws nothing. Remembers in this tab which training is its own, and says so to the new session that a reload makes. */

import type { Host, Mounting, View } from '../web/base/view.ts';
import type { RunTokenAnswers, RunTokenData } from '../web/generated/types.ts';
import { mount } from '../web/base/view.ts';

const KEY = 'atlas-training';
const TRIES = 8; // the old session may still be connected for a moment
const PAUSE = 1200; // milliseconds between two

function runToken(_root: HTMLElement, host: Host): View<RunTokenData> {
  let timer = 0;
  let tries = 0;
  const ask = () => {
    const kept = sessionStorage.getItem(KEY);
    if (!kept || tries >= TRIES) return;
    tries += 1;
    host.trigger('claimed', kept satisfies RunTokenAnswers['claimed']);
    timer = window.setTimeout(ask, PAUSE);
  };
  return {
    update({ token, gone }) {
      if (token) sessionStorage.setItem(KEY, token);
      if (gone) sessionStorage.removeItem(KEY);
      if (token || gone) clearTimeout(timer);
      else if (!tries) ask();
    },
    destroy: () => clearTimeout(timer),
  };
}

export default (args: Mounting) => mount(args, runToken);
