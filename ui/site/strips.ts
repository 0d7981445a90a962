/* Rows of numbers as stripes of colour, one below the other: a pattern that grows row by row, or rows that change places. */

import type { Host, View } from '../web/base/view.ts';
import type { StripsData } from '../web/generated/types.ts';
import { el } from '../web/base/dom.ts';
import { CardView, setKind } from '../web/base/view.ts';

const TALL = 22; // CSS pixels of a stripe

/** How many rows are shown, and whether the rows of `moved` have changed places. */
export interface StripsShown extends StripsData {
  shown: number;
  swapped: boolean;
}

export class Strips extends CardView implements View<StripsShown> {
  private readonly list = el('ol', { class: 'strips' });
  private data!: StripsShown;

  constructor(root: HTMLElement, host: Host) {
    super(root, host);
    this.parts.body.append(this.list);
    this.parts.node.append(this.parts.readout);
  }

  update(data: StripsShown) {
    this.data = data;
    setKind(this.host, data.kind);
    this.parts.tell(data);
    this.parts.readout.hidden = !data.readout;
    this.list.replaceChildren(...data.names.map((name, row) => this.row(name, row)));
  }

  /** A row: its name, its numbers as stripes, a bar for its length where there is one, and a number in words. */
  private row(name: string, row: number) {
    const { data } = this;
    const [first, second] = data.moved ?? [-1, -1];
    const other = row === first ? second : row === second ? first : row;
    const from = data.swapped ? other : row;
    const length = data.lengths[from] as number | undefined;
    const bar =
      length === undefined
        ? []
        : [el('span', { class: 'strip-bar' }, el('i', { style: `width: ${100 * length}%` }))];
    return el(
      'li',
      {
        class: [row < data.shown ? '' : 'later', other !== row ? 'moved' : ''].join(' ').trim() || null,
      },
      el('bdi', {}, name),
      this.stripe(from),
      ...bar,
      el('span', { class: 'strip-note' }, data.notes[from]),
    );
  }

  private stripe(row: number) {
    const { columns, values, reach } = this.data;
    const { positive, negative } = this.host.colours;
    const canvas = el('canvas', {
      class: 'stripe',
      width: columns,
      height: 1,
      'aria-hidden': 'true',
    });
    canvas.style.height = `${TALL}px`;
    const pen = canvas.getContext('2d');
    if (!pen) return canvas;
    for (let n = 0; n < columns; n++) {
      const value = values[row * columns + n] / reach;
      pen.globalAlpha = Math.min(1, Math.abs(value)) ** 0.8;
      pen.fillStyle = value < 0 ? negative : positive;
      pen.fillRect(n, 0, 1, 1);
    }
    return canvas;
  }
}
