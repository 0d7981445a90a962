/* A result in a notebook's cell: a tab for each kind of attention with its wall and open head, and one for all three
   joined, as ui/export/notebook.py puts them into the page. A view is drawn when its tab is opened for the first time. */

/** @import { JointMeta } from './joint.js' */
/** @import { Walled } from './report.js' */

import { bus } from '../base/events.js';
import { mount } from '../base/view.js';
import { Joint } from './joint.js';
import { column, inflate, listenForModes, showKind } from './report.js';

/** @typedef {{ meta: JointMeta, encoder: string, cross: string, causal: string }} Joined float32, deflated, as base64 */
/** @typedef {{ about: string, walls: Walled[], joint: Joined | null }} Notebook */

/** @param {string} text */
async function floats(text) {
  return column(new Float32Array((await inflate(text)).buffer));
}

/**
 * @param {Joined} joined
 * @param {number} n
 */
async function showJoint({ meta, encoder, cross, causal }, n) {
  const data = {
    meta,
    encoder: await floats(encoder),
    cross: await floats(cross),
    causal: await floats(causal),
  };
  const parentElement = /** @type {HTMLElement} */ (document.getElementById(`joint-${n}`));
  const show = () =>
    void mount(
      { data, parentElement, setTriggerValue() {}, setStateValue() {} },
      (root, host) => new Joint(root, host),
    );
  show();
  return show;
}

/** @param {Notebook} notebook */
export default function notebook({ about, walls, joint }) {
  bus().last.about = about;
  const sections = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('section.kind')]);
  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role="tab"]')]);
  /** @type {(Promise<() => void> | undefined)[]} */
  const shown = sections.map(() => undefined);
  /** @param {number} n */
  const open = (n) => {
    sections.forEach((section, k) => (section.hidden = k !== n));
    tabs.forEach((tab, k) => {
      tab.setAttribute('aria-selected', String(k === n));
      tab.tabIndex = k === n ? 0 : -1;
    });
    shown[n] ??= n < walls.length || !joint ? showKind(walls[n], n) : showJoint(joint, n);
  };
  tabs.forEach((tab, n) => {
    tab.addEventListener('click', () => open(n));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (n + step + tabs.length) % tabs.length;
      open(next);
      tabs[next].focus();
      event.preventDefault();
      event.stopPropagation();
    });
  });
  open(0);
  listenForModes(() => shown.forEach((drawn) => void drawn?.then((redraw) => redraw())));
}
