/* What of a map is hovered and what is pinned, for every picture of the same weights. */

import type { Host } from '../base/view.ts';
import type { Pins } from '../generated/types.ts';
import { linked } from '../base/events.ts';

/** A row, a column, or, with both, a cell. */
export interface Cell {
  row?: number;
  col?: number;
}

/** A cell with both. */
export type At = Required<Cell>;

/** A cell with both, or null where only a row or a column is meant. */
export const cellAt = (at: Cell | null): At | null =>
  at?.row === undefined || at.col === undefined ? null : { row: at.row, col: at.col };

/** What stands out in a picture. */
export interface Focus {
  rows: Set<number>;
  cols: Set<number>;
  /** Whether one row and one column are meant as a cell. */
  cell?: boolean;
  /** The colour of the words in focus; the ink where there is none. */
  colour?: string;
  /** The row of the step just made, outlined in the kind's colour, and how much of it has faded in. */
  current?: { row: number; colour: string; share: number };
}

/** The row and the column of a cell, where there is one. */
export const focusOn = (at: Cell | null | undefined) => ({
  rows: new Set(at?.row === undefined ? [] : [at.row]),
  cols: new Set(at?.col === undefined ? [] : [at.col]),
});

const MOST_PINS = 32; // no more fit into a link

export const sameCell = (a: Cell | null | undefined, b: Cell | null | undefined) =>
  a?.row === b?.row && a?.col === b?.col;

export class Selection {
  hovered: Cell | null = null;
  rows = new Set<number>();
  cols = new Set<number>();

  /** @param changed called after every change */
  constructor(readonly changed: () => void) {}

  hover(at: Cell | null) {
    if (sameCell(this.hovered, at)) return;
    this.hovered = at;
    this.changed();
  }

  /**
   * Pins a cell alone, or a word's row or column beside those pinned already; a second time takes the pin away.
   */
  toggle({ row, col }: Cell) {
    if (row !== undefined && col !== undefined) {
      const again = this.isCell && this.rows.has(row) && this.cols.has(col);
      this.rows = new Set(again ? [] : [row]);
      this.cols = new Set(again ? [] : [col]);
      this.hovered = null;
      return this.changed();
    }
    const [side, n] = row === undefined ? [this.cols, col ?? 0] : [this.rows, row];
    if (!side.delete(n)) side.add(n);
    // The oldest pin gives way.
    if (this.rows.size + this.cols.size > MOST_PINS) side.delete([...side][0]);
    this.hovered = null;
    this.changed();
  }

  /** Whether exactly one row and one column are pinned: a cell. */
  get isCell() {
    return this.rows.size === 1 && this.cols.size === 1;
  }

  get pinned() {
    return this.rows.size + this.cols.size > 0;
  }

  /** True when there was something to clear, so that Esc can be left to others otherwise. */
  clear() {
    const had = this.pinned || this.hovered !== null;
    this.rows.clear();
    this.cols.clear();
    this.hovered = null;
    if (had) this.changed();
    return had;
  }

  /** Forget what no longer exists, e.g. after going back. */
  trim(rows: number, columns: number) {
    for (const row of this.rows) if (row >= rows) this.rows.delete(row);
    for (const col of this.cols) if (col >= columns) this.cols.delete(col);
    const { row = 0, col = 0 } = this.hovered ?? {};
    if (row >= rows || col >= columns) this.hovered = null;
  }

  /** What to tell: what is under the pointer, else the pins. `cell`: one row and one column. */
  get active() {
    if (!this.hovered) return { rows: this.rows, cols: this.cols, cell: this.isCell };
    const { row, col } = this.hovered;
    return { ...focusOn(this.hovered), cell: row !== undefined && col !== undefined };
  }

  /** What the sentence adds about it. */
  get hint(): '' | 'pinned' | 'free' {
    if (this.hovered) return '';
    return this.pinned ? 'pinned' : 'free';
  }
}

/**
 * Pins that a link holds. The browser shows them all or none: while one of them is of a row that is not written yet, none.
 */
export class PinnedTokens extends Selection {
  /** Whether Python gets them. */
  reports = true;
  private readonly link: ReturnType<typeof linked<Pins>>;
  private held: Pins = { rows: [], columns: [] };

  constructor(host: Host, changed: () => void) {
    super(changed);
    this.link = linked<Pins>(host, 'pinned');
  }

  private report() {
    this.held = { rows: [...this.rows], columns: [...this.cols] };
    if (this.reports) this.link.report(this.held);
  }

  override toggle(at: Cell) {
    super.toggle(at);
    this.report();
  }

  override clear() {
    const { pinned } = this;
    const had = super.clear();
    if (had && pinned) this.report();
    return had;
  }

  override trim(rows: number, columns: number) {
    const { held } = this;
    const written = held.rows.every((row) => row < rows) && held.columns.every((col) => col < columns);
    [this.rows, this.cols] = [new Set(written ? held.rows : []), new Set(written ? held.columns : [])];
    super.trim(rows, columns);
  }

  /** Pins belong to a sentence: those of the data are taken where they are news, or with `another` sentence. */
  take(pins: Pins, another: boolean) {
    const news = this.link.isNews(pins);
    if (!news && !another) return;
    this.held = pins;
    [this.rows, this.cols] = [new Set(pins.rows), new Set(pins.columns)];
  }
}
