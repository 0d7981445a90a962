/* The layer and the head whose weights the stage shows; the mean where none is chosen. */

import type { Place } from './stage_place.ts';
import { MEAN, chooser, fillCounted } from '../base/controls.ts';
import { el } from '../base/dom.ts';

export class StagePicks {
  layer: HTMLSelectElement;
  head: HTMLSelectElement;
  node: HTMLSpanElement;

  constructor(changed: () => void) {
    this.layer = chooser([], null, changed, 'Layer', 'pick');
    this.head = chooser([], null, changed, 'Head', 'pick');
    this.node = el('span', {}, this.layer, ' · ', this.head);
  }

  fill({ data, layer, head }: Place) {
    fillCounted(this.layer, data.layers, 'layer', layer);
    fillCounted(this.head, data.heads, 'head', head);
  }

  read() {
    const read = (pick: HTMLSelectElement) => (pick.value === MEAN ? null : Number(pick.value));
    return { layer: read(this.layer), head: read(this.head) };
  }
}
