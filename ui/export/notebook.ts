/* A result in a notebook's cell: a tab for each kind of attention with its wall and open head, and one for all three
   joined, as ui/export/notebook.py puts them into the page. A view is drawn when its tab is opened for the first time. */

import type { JointData } from '../web/generated/types.ts';
import type { Filed } from './heads.ts';
import { Joint } from '../shared/joint.ts';
import { bus } from '../web/base/events.ts';
import { show } from '../web/base/view.ts';
import { linkTabs, listenForModes, read, showKind } from './heads.ts';
import './page.css';
import './notebook.css';

interface Notebook {
  about: string;
  walls: Filed[];
  joint: Filed | null;
}

async function showJoint(filed: Filed, n: number) {
  const data = await read<JointData>(filed);
  const parentElement = document.getElementById(`joint-${n}`) as HTMLElement;
  const page = { parentElement };
  const draw = () => void show(page, data, (root, host) => new Joint(root, host));
  draw();
  return draw;
}

export default function notebook({ about, walls, joint }: Notebook) {
  bus().last.about = about;
  const sections = [...document.querySelectorAll('section.kind')] as HTMLElement[];
  const tabs = [...document.querySelectorAll('[role="tab"]')] as HTMLElement[];
  const shown: (Promise<() => void> | undefined)[] = sections.map(() => undefined);
  const open = linkTabs(tabs, sections, (n) => {
    shown[n] ??= n < walls.length || !joint ? showKind(walls[n], n) : showJoint(joint, n);
  });
  open(0);
  listenForModes(() => shown.forEach((drawn) => void drawn?.then((redraw) => redraw())));
}
