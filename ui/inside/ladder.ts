/* The DecoderLens ladder: what the decoder writes from each layer of the encoder, with what differs from the translation
   struck out or underlined. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { LadderData, LayerText } from '../web/generated/types.ts';
import { el } from '../web/base/dom.ts';
import { csvNumber } from '../web/base/export.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { tr } from '../web/base/language.ts';
import { textWidth, typeSize } from '../web/base/paint.ts';
import { CardView, setKind, viewOf } from '../web/base/view.ts';
import './ladder.css';

const TAGS = { same: 'span', missing: 'del', extra: 'ins' } as const;
const LINE = 24; // pixels of the design that a line of a picture takes
const NAME = 150; // and the names at its left

export class Ladder extends CardView {
  list = el('ol', { class: 'rungs' });
  data!: LadderData;

  constructor(root: HTMLElement, host: Host) {
    super(root, host);
    this.parts.body.append(this.list, this.parts.readout);
    this.parts.controls.append(exportMenu(host, this.leaving()));
  }

  update(next: LadderData) {
    this.data = next;
    setKind(this.host, 'encoder');
    this.parts.tell({ title: next.title, subtitle: next.subtitle, readout: next.note });
    this.list.replaceChildren(
      ...next.layers.map((each, n) => this.layer(each, n === next.layers.length - 1)),
    );
  }

  /** @param whole the translation itself */
  layer({ name, difference, shared }: LayerText, whole: boolean) {
    const words = difference.flatMap(([change, text]) => [el(TAGS[change], { dir: 'auto' }, text), ' ']);
    const share = el(
      'span',
      { class: 'rung-share' },
      whole ? tr('the translation') : tr('{share} % of its words', { share: Math.round(100 * shared) }),
    );
    const text = el('p', { class: 'rung-text', dir: 'auto' }, ...words);
    return el(
      'li',
      { class: whole ? 'rung whole' : 'rung' },
      el('span', { class: 'rung-name' }, name),
      text,
      share,
    );
  }

  leaving(): Leaving {
    const u = () => this.host.scale;
    const room = () => Math.max(this.parts.body.clientWidth, 520 * u());
    return {
      name: () => this.data.file,
      who: () => 'DecoderLens',
      title: () => `${this.data.title} · DecoderLens`,
      size: () => [room(), this.paint(null, room())],
      draw: (p) => void this.paint(p, room()),
      rows: () => [
        ['depth', 'memory', 'text', 'share_of_words'],
        ...this.data.layers.map(({ name, text, shared }, n) => [n, name, text, csvNumber(shared)]),
      ],
    };
  }

  /** The layers with their words wrapped; returns the height. Without a painter it only measures. */
  paint(p: Painter | null, room: number) {
    const u = this.host.scale;
    const c = this.host.colours;
    const size = typeSize(14, u);
    const fills = { same: c.ink, missing: c.muted, extra: c.encoder_text };
    let y = 18 * u;
    for (const { name, difference } of this.data.layers) {
      p?.text(2, y, name, { size: typeSize(12.5, u), fill: c.muted });
      let x = NAME * u;
      for (const [change, text] of difference) {
        for (const word of text.split(' ')) {
          const wide = textWidth(word, size, false);
          if (x + wide > room && x > NAME * u) [x, y] = [NAME * u, y + LINE * u];
          p?.text(x, y, word, { size, fill: fills[change] });
          const height = change === 'missing' ? y - size * 0.32 : y + 3 * u;
          if (change !== 'same') p?.rect(x, height, wide, 1.2 * u, { fill: fills[change] });
          x += wide + textWidth(' ', size, false);
        }
      }
      y += (LINE + 8) * u;
    }
    return y - 10 * u;
  }
}

export default viewOf(Ladder);
