/* The heads of a live page: a tab for each kind of attention with its wall and open heads, and one for all three joined. */

import type { Kind, LivePicture, LiveWords } from '../../web/generated/types.ts';
import type { Looked } from './views.ts';
import { Joint } from '../../shared/joint.ts';
import { el } from '../../web/base/dom.ts';
import { tr } from '../../web/base/language.ts';
import { show } from '../../web/base/view.ts';
import { KindViews, linkTabs } from '../heads.ts';
import { jointData, openHeads, viewRoot, wallData } from './views.ts';

const KINDS: readonly Kind[] = ['cross', 'causal', 'encoder'];

export class AttentionTabs {
  readonly node: HTMLElement;
  private readonly joint = viewRoot('joint');
  private readonly kinds: KindViews[];
  private picture!: LivePicture;
  private looked!: Looked;
  private opened = 0;
  private ends: (() => void)[] = [];

  /** `picked` hears of the heads that the reader opens; `below` stands under the open heads of the tab in view. */
  constructor(
    private readonly words: LiveWords,
    below: HTMLElement,
    picked: (kind: Kind, heads: number[]) => void,
    opened: () => void,
  ) {
    const pairs = KINDS.map((kind) => [viewRoot(`wall-${kind}`), viewRoot(`detail-${kind}`)] as const);
    this.kinds = pairs.map(
      ([wall, detail], n) => new KindViews(wall, detail, (heads) => picked(KINDS[n], heads)),
    );
    const names = [...KINDS.map((kind) => words.kinds[kind]), tr('All three, word by word')];
    const tabs = names.map((name, n) =>
      el('button', { role: 'tab', id: `tab-${n}`, 'aria-controls': `kind-${n}` }, name),
    );
    const columns = pairs.map(([, detail]) => el('div', { class: 'live-column' }, detail));
    const walls = pairs.map(([wall], n) => el('div', { class: 'pair' }, wall, columns[n]));
    const panels = [...walls, this.joint];
    const sections = panels.map((panel, n) =>
      el('section', { role: 'tabpanel', id: `kind-${n}`, 'aria-labelledby': `tab-${n}` }, panel),
    );
    const list = el('div', { class: 'tabs', role: 'tablist', 'aria-label': tr('Attention') }, ...tabs);
    this.node = el('div', { class: 'live-heads' }, list, ...sections);
    const open = linkTabs(tabs, sections, (n) => {
      this.opened = n;
      columns[n]?.append(below);
      if (!this.picture) return;
      this.draw();
      opened();
    });
    open(0);
  }

  /** The kind whose wall is in view; cross-attention beside the joint view. */
  get kind() {
    return KINDS[this.opened] ?? 'cross';
  }

  update(picture: LivePicture, looked: Looked) {
    Object.assign(this, { picture, looked });
    this.draw();
  }

  /** Draws the tab in view. */
  draw() {
    const { picture, looked, words, kind } = this;
    const views = this.kinds[this.opened] as KindViews | undefined;
    if (views) {
      const meta = wallData(picture, words, kind, looked);
      views.update(meta, looked.heads[kind].length ? openHeads(picture, meta, looked) : null);
      this.ends[this.opened] = () => views.close();
      return;
    }
    const page = { parentElement: this.joint };
    this.ends[this.opened] = show(
      page,
      jointData(picture, words, looked),
      (root, host) => new Joint(root, host),
    );
  }

  /** Takes the views down, once they are off the page. */
  close() {
    this.ends.forEach((end) => end());
  }
}
