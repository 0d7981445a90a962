/* A result in a notebook's cell: a tab for each kind of attention with its wall and open head, and one for all three
   joined, as ui/export/notebook.py puts them into the page. A view is drawn when its tab is opened for the first time. */

import type { JointMeta } from '../shared/joint.ts';
import type { Walled } from './report.ts';
import { Joint } from '../shared/joint.ts';
import { bus } from '../web/base/events.ts';
import { mount } from '../web/base/view.ts';
import { column, inflate, listenForModes, showKind } from './report.ts';
import './notebook.css';

/** float32, deflated, as base64 */
interface Joined {
  meta: JointMeta;
  encoder: string;
  cross: string;
  causal: string;
}

interface Notebook {
  about: string;
  walls: Walled[];
  joint: Joined | null;
}

async function floats(text: string) {
  return column(new Float32Array((await inflate(text)).buffer));
}

async function showJoint({ meta, encoder, cross, causal }: Joined, n: number) {
  const data = {
    meta,
    encoder: await floats(encoder),
    cross: await floats(cross),
    causal: await floats(causal),
  };
  const parentElement = document.getElementById(`joint-${n}`) as HTMLElement;
  const show = () =>
    void mount(
      { data, parentElement, setTriggerValue() {}, setStateValue() {} },
      (root, host) => new Joint(root, host),
    );
  show();
  return show;
}

export default function notebook({ about, walls, joint }: Notebook) {
  bus().last.about = about;
  const sections = [...document.querySelectorAll('section.kind')] as HTMLElement[];
  const tabs = [...document.querySelectorAll('[role="tab"]')] as HTMLElement[];
  const shown: (Promise<() => void> | undefined)[] = sections.map(() => undefined);
  const open = (n: number) => {
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
