/* One head's map on one sentence. */

import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { TypicalData } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { HeatGeometry } from '../web/marks/frames.ts';
import { rampTable } from '../web/base/colour.ts';
import { el } from '../web/base/dom.ts';
import { csvNumber } from '../web/base/export.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { inSight, viewOf } from '../web/base/view.ts';
import { focusOn } from '../web/maps/selection.ts';
import { TABLE_HEAD, makeSheet, tableOf } from '../web/maps/sheet.ts';
import { heatGeometry } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { Plot } from '../web/marks/pair.ts';
import './typical.css';

const TALL = 400; // pixels of the design that the map may take

class Typical {
  canvas = el('canvas', { class: 'picture', role: 'img' });
  node = el('div', { class: 'typical' });
  plot: Plot<HeatGeometry>;
  data!: TypicalData;
  sheet!: Sheet;

  constructor(
    root: HTMLElement,
    readonly host: Host,
  ) {
    this.plot = new Plot<HeatGeometry>(this.canvas, () => heatmap(this.sheet, focusOn(null), host.colours));
    const menu = exportMenu(host, {
      name: () => this.data.file,
      who: () => this.data.label,
      about: () => '',
      size: () => [this.plot.frame.width, this.plot.frame.height],
      draw: (p: Painter) => this.plot.paint(p),
      rows: () => [TABLE_HEAD, ...tableOf(this.sheet, this.data.kind === 'encoder', csvNumber)],
    });
    this.node.append(el('div', { class: 'typical-save' }, menu), this.canvas);
    root.append(this.node);
  }

  update(data: TypicalData) {
    this.data = data;
    const words = data.reads.length ? { rows: data.rows, reads: data.reads } : { rows: data.rows };
    const width = data.cols.length;
    const table = rampTable(this.host.colours.panel, this.host.colours[data.kind]);
    this.sheet = makeSheet({ ...words, cols: data.cols }, (i, j) => data.values[i * width + j], table);
    this.canvas.setAttribute('aria-label', data.label);
    this.relayout();
  }

  relayout() {
    const limits = { tall: inSight(this.host, TALL, 330, this.sheet.rows.length), cap: 36 };
    this.plot.frame = heatGeometry(this.sheet, this.node.clientWidth, this.host.scale, limits);
    this.plot.draw();
  }
}

export default viewOf(Typical);
