/* The open heads: their numbers, the colours of their cells, and what is said of them. */

import type { Colours } from '../web/base/colour.ts';
import type { HeadData } from '../web/generated/types.ts';
import type { Scale, Sheet } from '../web/maps/sheet.ts';
import type { PinnedTokens } from '../web/maps/selection.ts';
import type { Cache } from '../web/marks/picture.ts';
import type { Piece } from '../web/base/dom.ts';
import { divergingTable, kindRamp, rampTable } from '../web/base/colour.ts';
import { isSpecial } from '../web/base/words.ts';
import { makeSheet } from '../web/maps/sheet.ts';
import { tr } from '../web/base/language.ts';
import { cellTitle, mapSentence, restSentence, verbOf, wholeTitle } from '../web/maps/sentence.ts';

/** The least largest difference: below, noise would fill the colours. */
const LEAST_TOP = { points: 0.05, number: 1e-6, share: 1, length: 1e-9 };

export const nameOf = (heads: [number, number][]) =>
  heads.length ? heads.map((pair) => pair.join('.')).join() : 'all';

/** The title of heads of these names. */
export const headsTitle = (names: string[]) =>
  names.length > 1
    ? tr('Heads {names}', { names: names.join(', ') })
    : tr('Head {name}', { name: names.join() });

/** A long map starts with a scale and a threshold that show something: 1 short, 2 long, 3 very long. */
export const reachOf = (longest: number) => (longest > 128 ? 3 : longest > 32 ? 2 : 1);

export class OpenHeads {
  meta!: HeadData;
  /** one map a head, row by row */
  maps: ArrayLike<number>[] = [];
  sheets: Sheet[] = [];
  combined!: Sheet;
  /** heads that are switched off */
  off = new Set<number>();
  cache: Cache = {};
  /** Range of the colours. */
  range: { scale: Scale; top: number; low?: number } = { scale: 'weight', top: 1 };

  /** Indices of the heads that are drawn. */
  get seen() {
    return this.maps.map((_, k) => k).filter((k) => !this.off.has(k));
  }

  /** Every number may be below 0. */
  get signed() {
    return this.meta.unit !== 'share';
  }

  hueOf(k: number, c: Colours) {
    return this.maps.length > 1 ? c.heads[k % c.heads.length] : c[this.meta.kind];
  }

  build(c: Colours, log: boolean) {
    const { meta } = this;
    this.range = this.rangeOf(log);
    const { scale } = this.range;
    const diverging = scale === 'diverging' ? divergingTable(c) : null;
    this.sheets = this.maps.map((map, k) => {
      const { hidden } = meta.heads[k];
      const empty = meta.rows.map((_, i) => i < meta.written && hidden !== null && !this.anyIn(map, i));
      const at: Sheet['at'] = (i, j) => (i < meta.written && !empty[i] ? map[i * meta.cols.length + j] : NaN);
      const table =
        diverging ?? (this.maps.length > 1 ? rampTable(c.panel, this.hueOf(k, c)) : kindRamp(c, meta.kind));
      const reads = meta.reads.length ? meta.reads : undefined;
      return {
        ...makeSheet({ ...meta, reads, oneLabel: meta.one_label }, at, table, {
          ...this.range,
          unit: meta.unit,
        }),
        hidden,
        empty,
      };
    });
    this.combine();
  }

  /** Whether a row of a map has any weight. */
  anyIn(map: ArrayLike<number>, i: number) {
    return this.meta.cols.some((_, j) => map[i * this.meta.cols.length + j] > 0);
  }

  rangeOf(log: boolean): { scale: Scale; top: number; low?: number } {
    if (!this.signed) return { scale: log ? 'log' : 'weight', top: 1 };
    if (this.meta.unit === 'length') return { scale: 'weight', top: this.meta.quantity?.top ?? 1 };
    let [low, top] = [Infinity, -Infinity];
    for (const map of this.maps) {
      for (let n = 0; n < map.length; n++) {
        if (Number.isFinite(map[n])) [low, top] = [Math.min(low, map[n]), Math.max(top, map[n])];
      }
    }
    if (!(top >= low)) [low, top] = [0, 1];
    if (low >= 0) return { scale: 'range', top, low };
    const least = LEAST_TOP[this.meta.unit];
    return { scale: 'diverging', top: Math.max(Math.abs(low), Math.abs(top), least) };
  }

  /** Several heads in one map: each cell takes the hue of the head that is strongest there. */
  combine() {
    this.cache = {};
    const { sheets, seen } = this;
    const [first] = sheets;
    if (seen.length <= 1) {
      this.combined = sheets[seen[0] ?? 0];
      return;
    }
    const index = new Int16Array(first.index.length).fill(-1);
    const lead = new Uint8Array(index.length);
    for (const k of seen) {
      sheets[k].index.forEach((v, n) => {
        const now = index[n] < 0 ? -1 : Math.abs((index[n] & 255) - first.neutral);
        if (v >= 0 && Math.abs(v - first.neutral) > now) [index[n], lead[n]] = [k * 256 + v, k];
      });
    }
    const at: Sheet['at'] = (i, j) => sheets[lead[i * first.cols.length + j]].at(i, j);
    const empty = first.rows.map((_, i) => seen.every((k) => sheets[k].empty?.[i]));
    this.combined = {
      ...first,
      index,
      empty,
      hidden: null,
      table: sheets.flatMap((sheet) => sheet.table),
      at,
    };
  }

  /** The row that the sentence is about when none is looked at: the word that looks hardest at another one. */
  get tellingRow() {
    const { current, written, rows, cols, kind } = this.meta;
    if (current !== null && current < written) return current;
    const sheet = this.sheets[this.seen[0] ?? 0];
    let [row, best] = [0, -Infinity];
    for (let i = 0; i < written; i++) {
      if (isSpecial(rows[i])) continue;
      for (let j = 0; j < cols.length; j++) {
        const v = sheet.at(i, j);
        if (v > best && (kind === 'cross' || i !== j)) [row, best] = [i, v];
      }
    }
    return row;
  }
}

/** The open heads with what is pointed at and pinned in them. */
export interface PinnedHeads {
  open: OpenHeads;
  pins: PinnedTokens;
}

/** The pinned cell of a single map of weights. */
function pinnedCell({ open, pins }: PinnedHeads) {
  const { meta, sheets, seen } = open;
  if (seen.length !== 1 || meta.mode !== 'weights' || !pins.isCell) return null;
  const [row, col] = [[...pins.rows][0], [...pins.cols][0]];
  return { sheet: sheets[seen[0]], subject: meta.heads[seen[0]].subject, row, col };
}

/** What the open head does with the pinned cell, else with all rows of the page's sentence; else its name. */
export function headTitle(head: PinnedHeads): Piece[] {
  const { meta, sheets, seen } = head.open;
  const cell = pinnedCell(head);
  if (cell) return cellTitle({ ...cell, verb: verbOf(meta.kind, meta.one_label) });
  const rows = meta.report && seen.length === 1 && sheets.length === 1 && meta.written > 0;
  if (rows && meta.mode === 'weights' && meta.distribution && meta.heads[seen[0]].hidden === null)
    return wholeTitle(sheets[seen[0]], meta.heads[seen[0]].subject);
  return [`${meta.title} `, ...(meta.tag ? [{ kind: meta.tag }] : [])];
}

/** The sentence about what is hovered, pinned, or else about the row that the page is at. */
export function headSentence(head: PinnedHeads): Piece[] {
  const { open, pins } = head;
  const { meta, sheets, seen, tellingRow } = open;
  const cell = pinnedCell(head);
  if (cell && !pins.hovered) return [...restSentence(cell), ...rank(head, cell.subject)];
  return mapSentence({
    ...pins.active,
    sheets: seen.map((k) => sheets[k]),
    subjects: seen.map((k) => meta.heads[k].subject),
    names: seen.map((k) => meta.heads[k].name),
    how: { verb: verbOf(meta.kind, meta.one_label), mode: meta.mode, distribution: meta.distribution },
    row: tellingRow,
    hint: pins.hint,
  });
}

/** Which of all heads this one is for the pinned pair. */
function rank({ open }: PinnedHeads, subject: string): Piece[] {
  const { ranking, pairs } = open.meta;
  if (pairs.length !== 1 || !ranking.length) return [];
  const own = ranking.find(([layer, head]) => String([layer, head]) === String(pairs[0]));
  if (!own) return [];
  const [, , share] = own;
  const count = ranking.filter((each) => each[2] === share).length;
  if (count > 1)
    return [
      ' ',
      tr('For this pair, {count} heads give {share}\u00a0%, {subject} among them.', {
        count,
        share,
        subject,
      }),
    ];
  const fields = { subject, rank: ranking.indexOf(own) + 1, count: ranking.length };
  return [' ', tr('For this pair, {subject} is number {rank} of {count}.', fields)];
}
