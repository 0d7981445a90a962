/* The DecoderLens ladder: what the decoder writes from each layer of the encoder, with what differs from the translation
   struck out or underlined. */

/** @import { Host, Leaving, Mounting, Painter } from '../types' */

import { card, el, say } from '../base/dom.js';
import { exportMenu } from '../base/export.js';
import { textWidth, typeSize } from '../base/text.js';
import { mount, setKind } from '../base/view.js';

/** @typedef {'same' | 'missing' | 'extra'} Fate */
/** @typedef {{ name: string, text: string, parts: [Fate, string][], shared: number }} Rung */
/** What ui/components/ladder_view.py sends. @typedef {{ rungs: Rung[], title: string, subtitle: string, note: string, file: string }} LadderData */

const TAGS = /** @type {const} */ ({ same: 'span', missing: 'del', extra: 'ins' });
const LINE = 24; // pixels of the design that a line of a picture takes
const NAME = 150; // and the names at its left

export class Ladder {
  /**
   * @param {HTMLElement} root
   * @param {Host} host
   */
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.parts = card(root);
    this.list = el('ol', { class: 'rungs' });
    this.parts.body.append(this.list, this.parts.readout);
    this.parts.controls.append(exportMenu(host, this.leaving()));
    this.data = /** @type {LadderData} */ (/** @type {unknown} */ (null));
  }

  /** @param {LadderData} next */
  update(next) {
    this.data = next;
    setKind(this.root, this.host, 'encoder');
    say(this.parts.title, [next.title]);
    say(this.parts.subtitle, [next.subtitle]);
    say(this.parts.readout, [next.note]);
    this.list.replaceChildren(...next.rungs.map((rung, n) => this.rung(rung, n === next.rungs.length - 1)));
  }

  /**
   * @param {Rung} rung
   * @param {boolean} whole the translation itself
   */
  rung({ name, parts, shared }, whole) {
    const words = parts.flatMap(([fate, text]) => [el(TAGS[fate], { dir: 'auto' }, text), ' ']);
    const share = el(
      'span',
      { class: 'rung-share' },
      whole ? 'the translation' : `${Math.round(100 * shared)} % of its words`,
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

  /** @returns {Leaving} */
  leaving() {
    const u = () => this.host.scale;
    const room = () => Math.max(this.parts.body.clientWidth, 520 * u());
    return {
      name: () => this.data.file,
      who: () => 'DecoderLens',
      size: () => [room(), 40 * u() + this.paint(null, room())],
      draw: (p) => {
        p.text(2, 18 * u(), `${this.data.title} · DecoderLens`, {
          size: 16 * u(),
          weight: 650,
          fill: this.host.colours.ink,
        });
        this.paint(p, room());
      },
      rows: () => [
        ['depth', 'memory', 'text', 'share_of_words'],
        ...this.data.rungs.map(({ name, text, shared }, n) => [n, name, text, Number(shared.toPrecision(9))]),
      ],
    };
  }

  /**
   * The rungs with their words wrapped; returns the height. Without a painter it only measures.
   * @param {Painter | null} p
   * @param {number} room
   */
  paint(p, room) {
    const u = this.host.scale;
    const c = this.host.colours;
    const size = typeSize(14, u);
    const fills = { same: c.ink, missing: c.muted, extra: c.encoder_text };
    let y = 48 * u;
    for (const { name, parts } of this.data.rungs) {
      p?.text(2, y, name, { size: typeSize(12.5, u), fill: c.muted });
      let x = NAME * u;
      for (const [fate, text] of parts) {
        for (const word of text.split(' ')) {
          const wide = textWidth(word, size, false);
          if (x + wide > room && x > NAME * u) [x, y] = [NAME * u, y + LINE * u];
          p?.text(x, y, word, { size, fill: fills[fate] });
          const height = fate === 'missing' ? y - size * 0.32 : y + 3 * u;
          if (fate !== 'same') p?.rect(x, height, wide, 1.2 * u, { fill: fills[fate] });
          x += wide + textWidth(' ', size, false);
        }
      }
      y += (LINE + 8) * u;
    }
    return y - 40 * u;
  }
}

/** @param {Mounting<any>} args */
export default function view(args) {
  return mount(args, (root, host) => new Ladder(root, host));
}
