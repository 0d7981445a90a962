/* Two maps side by side and what changed between them; hovering one points at the same cell in all. */

import type { Numbers } from '../web/base/data.ts';
import type { Host } from '../web/base/view.ts';
import type { CompareAnswers, CompareData, PairLook } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { Pane } from './compare_panes.ts';
import type { PaneCell } from './compare_words.ts';
import { checkbox } from '../web/base/controls.ts';
import { el, explain, explained } from '../web/base/dom.ts';
import { linked, oncePerFrame, pageKeys } from '../web/base/events.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { tr } from '../web/base/language.ts';
import { CardView, setKind, viewOf } from '../web/base/view.ts';
import { mapKeys } from '../web/base/words.ts';
import { focusOn, sameCell } from '../web/maps/selection.ts';
import { drawLegend } from '../web/marks/legend.ts';
import { MovedWeight, arrangePanes, compareLeaving, makePane, paneLegend } from './compare_panes.ts';
import { compareSentence, compareSheets } from './compare_words.ts';
import './compare.css';

const samePaneCell = (a: PaneCell | null, b: PaneCell | null) => sameCell(a, b) && a?.pane === b?.pane;

export class Compare extends CardView {
  grid = el('div', { class: 'compare-grid' });
  axes = el('p', { class: 'axis-words' });
  log = checkbox(tr('log colour'), (on) => this.setLog(on));
  meta!: CompareData;
  values: Numbers[] = [];
  /** the two maps and, over the same words, their difference */
  sheets: Sheet[] = [];
  panes: Pane[] = [];
  top = 1;
  own = { hovered: null as PaneCell | null, pinned: null as PaneCell | null, log: false };
  words = '';
  soon = oncePerFrame(this.host, () => this.draw());
  looks = linked<CompareAnswers['viewed']>(this.host, 'viewed');
  moves: MovedWeight = new MovedWeight(this);

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'compare');
    explained(host, this.parts.title);
    const foot = el(
      'div',
      { class: 'foot' },
      this.axes,
      el('span', { class: 'compare-foot' }, this.log.node),
    );
    this.parts.body.append(this.grid);
    this.parts.node.append(foot, this.parts.readout);
    this.parts.controls.append(exportMenu(host, compareLeaving(this)));
    pageKeys(host, { Escape: () => (this.own.pinned ? this.pin(null) : false) });
  }

  /** Names over the pictures. */
  get names() {
    const [first, second] = this.meta.names;
    return [first, second, `${second} − ${first}`];
  }

  /* ---------- numbers and drawing ---------- */

  build() {
    for (const pane of this.panes) pane.cache = {};
    const { sheets, top } = compareSheets(this.meta, this.values, this.own.log, this.host.colours);
    [this.sheets, this.top] = [sheets, top];
  }

  /** What stands out in a pane. */
  focus(n: number) {
    const cell = this.own.hovered ?? this.own.pinned;
    const shows = cell && (this.meta.comparable || cell.pane === n);
    return focusOn(shows ? cell : null);
  }

  sentence() {
    return compareSentence(this);
  }

  draw() {
    for (const { plot } of this.panes) plot.draw();
    this.parts.tell({ readout: this.sentence() });
  }

  relayout() {
    arrangePanes(this);
    const { scale, colours } = this.host;
    this.panes.forEach(({ legend }, n) => drawLegend(legend, scale, paneLegend(this, n), colours));
    this.draw();
  }

  /* ---------- hover, pin, colours ---------- */

  hover(cell: PaneCell | null) {
    if (samePaneCell(cell, this.own.hovered)) return;
    this.own.hovered = cell;
    this.soon();
  }

  pin(cell: PaneCell | null) {
    this.own.pinned = samePaneCell(cell, this.own.pinned) ? null : cell;
    this.own.hovered = null;
    this.soon();
    this.report();
  }

  setLog(on: boolean) {
    this.own.log = on;
    this.build();
    this.relayout();
    this.report();
  }

  report() {
    const { pinned, log } = this.own;
    const cell: PairLook['cell'] = pinned && [pinned.pane, pinned.row ?? null, pinned.col ?? null];
    if (this.meta.report) this.looks.report({ cell, log });
  }

  /* ---------- data ---------- */

  /** A pin belongs to the two maps; it comes from the link or is the reader's own. */
  takeLooks() {
    const { meta, own } = this;
    const words = JSON.stringify([meta.kind, meta.names, meta.rows, meta.cols]);
    const news = this.looks.isNews(meta.looked);
    own.hovered = null;
    if (words !== this.words || news) {
      const [pane, row, col] = meta.looked.cell ?? [];
      const cell = { ...(row === null ? {} : { row }), ...(col === null ? {} : { col }) };
      own.pinned = pane === undefined ? null : { pane, ...cell };
    }
    if (news) this.log.box.checked = own.log = meta.looked.log;
    this.words = words;
  }

  update(meta: CompareData) {
    const again = this.moves.answered();
    const renewed = Boolean(this.meta?.moves.length) !== Boolean(meta.moves.length);
    this.meta = meta;
    const { hovered } = this.own;
    this.values = [meta.first, meta.second];
    setKind(this.host, meta.kind);
    this.takeLooks();
    this.parts.tell(meta);
    explain(this.parts.title, meta.comparable ? '' : meta.tips[3]); // then it says how sure each is
    this.axes.textContent = meta.heads ? tr('head ↓   key →') : tr('query ↓   key →');
    this.build();
    if (again && hovered) this.own.hovered = hovered; // the reader's hand is still there
    if (renewed || this.panes.length !== this.sheets.length) {
      this.panes = this.sheets.map((_, n) => makePane(this, n));
      this.grid.replaceChildren(...this.panes.map(({ node }) => node));
    }
    this.panes.forEach((pane, n) => {
      const { rows, cols } = this.sheets[n];
      pane.title.textContent = this.names[n];
      explain(pane.title, meta.tips[n]);
      const fields = { name: this.names[n], rows: rows.length, columns: cols.length };
      const words = [tr('{name}, {rows} × {columns} tokens.', fields) + mapKeys()];
      if (n === 1 && meta.moves.length) words.push(tr('Plus and minus move the weight of a cell.'));
      pane.plot.node.setAttribute('aria-label', words.join(' '));
    });
    this.relayout();
  }

  destroy() {
    this.moves.stop();
  }
}

export default viewOf(Compare);
