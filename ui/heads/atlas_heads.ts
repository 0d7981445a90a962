/* The heads of an atlas: their scores, and which of them the reader has listed in which order. */

import type { Piece } from '../web/base/dom.ts';
import type { AtlasData, AtlasHead, AtlasScore, Kind, Listed, Sort } from '../web/generated/types.ts';
import { phrase } from '../web/base/dom.ts';
import { fixed, plural, tr } from '../web/base/language.ts';
import { csvNumber } from '../web/base/export.ts';
import { TOUCH, headName, lowered, minus } from '../web/base/words.ts';

export const STATS = 9; // mean, spread, 5, 25, 50, 75 and 95 % of the sentences, ends of the 95 % interval of the mean
export const HIGHEST = 6; // of these the 95 % of the sentences

const NAMED = 190; // pixels of the design for the columns with the head's name and roles
const COLUMN = 122; // a column with a score

export class AtlasHeads {
  meta!: AtlasData;
  own: Listed = { sort: 'model', score: '', layer: null, role: '' };
  /** How wide the table is, in pixels of the design. */
  room = 0;

  stat(n: number, score: string, stat = 0) {
    const index = this.meta.scores.findIndex(({ name }) => name === score);
    return index < 0 ? NaN : this.meta.numbers[(n * this.meta.scores.length + index) * STATS + stat];
  }

  scoreOf(name: string) {
    return this.meta.scores.find((score) => score.name === name);
  }

  /** The score that the sentence names: the one that is sorted by, else the first column. */
  get named(): AtlasScore | undefined {
    return this.scoreOf(this.own.score) ?? this.columns[0];
  }

  /** The index in `heads` of the open head. */
  get open() {
    const { opened, heads } = this.meta;
    return heads.findIndex(
      ({ kind, layer, head }) => kind === opened.kind && layer === opened.layer && head === opened.head,
    );
  }

  /** Scores that some head of the kind has. */
  get known() {
    const { meta } = this;
    return meta.scores.filter(({ name }) =>
      meta.heads.some((head, n) => head.kind === meta.kind && !Number.isNaN(this.stat(n, name))),
    );
  }

  /** The columns that fit: the score that is sorted by, and those of the kind. */
  get columns() {
    const most = Math.max(1, Math.min(4, Math.floor((this.room - NAMED) / COLUMN)));
    const known = new Map(this.known.map((score) => [score.name, score]));
    const names = this.meta.columns[this.meta.kind].filter((name) => known.has(name));
    const { score } = this.own;
    const first = !score || names.slice(0, most).includes(score) ? [] : [score];
    const chosen = [...first, ...names.filter((name) => name !== first[0])].slice(0, most);
    return chosen.flatMap((name) => known.get(name) ?? []);
  }

  get order() {
    const { kind } = this.meta;
    const { layer, role, sort, score } = this.own;
    return rowsOf(this.meta.heads, { kind, layer, role, sort }, (n) => this.stat(n, score));
  }
}

/* The numbers of the atlas as Python sends them, in words and as a table to take away. */

const QUANTILES = ['05', '25', '50', '75', '95'];

export const number = (value: number) =>
  Number.isNaN(value) ? '–' : minus(Math.abs(value) >= 10 ? fixed(value, 1) : fixed(value, 2));

/** Every head with every score, as `python -m core heads` writes them. */
export function atlasCsv(atlas: AtlasHeads): (string | number)[][] {
  const { heads, scores, kinds } = atlas.meta;
  const names = scores.flatMap(({ name }) => [
    name,
    `${name}_spread`,
    ...QUANTILES.map((share) => `${name}_q${share}`),
    `${name}_low`,
    `${name}_high`,
  ]);
  const head = ['kind', 'layer', 'head', 'roles', 'n', ...names, 'map_x', 'map_y'];
  const rows = heads.map((each, n) => [
    kinds.find(({ kind }) => kind === each.kind)?.name ?? each.kind,
    each.layer,
    each.head,
    each.roles.join('; '),
    atlas.meta.sentences,
    ...scores.flatMap(({ name }) =>
      Array.from({ length: STATS }, (_, k) => csvNumber(atlas.stat(n, name, k))),
    ),
    ...(each.position ?? [NaN, NaN]).map(csvNumber),
  ]);
  return [head, ...rows];
}

/**
 * A head in words: its roles, and the score that is named.
 * @param n its index in `heads`, −1 for none
 */
export function headSentence(atlas: AtlasHeads, n: number): Piece[] {
  const { heads, kinds, sentences } = atlas.meta;
  const score = atlas.named;
  const stat = (nth: number) => atlas.stat(n, score?.name ?? '', nth);
  const head = heads[n];
  if (!head) return [{ muted: TOUCH ? tr('Tap a head to open it') : tr('Click a head to open it') }];
  const kind = kinds.find((each) => each.kind === head.kind)?.words ?? '';
  const known = score && !Number.isNaN(stat(0));
  const roles = head.roles.join(', ') || tr('no role');
  const words = { head: { strong: headName(head) }, kind, roles };
  const hint = { muted: `  ${TOUCH ? tr('Tap to open it') : tr('Click to open it')}` };
  if (!known) return [...phrase(tr('Head {head} of {kind}: {roles}.'), words), hint];
  const text = plural(
    'Head {head} of {kind}: {roles}; {score} {mean} ± {spread} over {count} sentence.',
    'Head {head} of {kind}: {roles}; {score} {mean} ± {spread} over {count} sentences.',
    sentences,
  );
  const numbers = { score: lowered(score.label), mean: { strong: number(stat(0)) }, spread: number(stat(1)) };
  return [...phrase(text, { ...words, ...numbers }), hint];
}

/* Which heads the table lists in which order, and the scale on which a score stands. */

/**
 * The rows of the table: the heads of one kind that have the layer and the role asked for, in order.
 * @param value of the score that is sorted by; NaN stands last
 * @returns indices of `heads`
 */
export function rowsOf(
  heads: AtlasHead[],
  { kind, layer, role, sort }: { kind: Kind; layer: number | null; role: string; sort: Sort },
  value: (n: number) => number,
): number[] {
  const rows = heads
    .map((head, n) => ({ head, n }))
    .filter(
      ({ head }) =>
        head.kind === kind &&
        (layer === null || head.layer === layer) &&
        (!role || (role === 'none' ? !head.roles.length : head.roles.includes(role))),
    )
    .map(({ n }) => n);
  if (sort === 'model') return rows;
  const sign = sort === 'high' ? -1 : 1;
  const known = rows.filter((n) => !Number.isNaN(value(n)));
  const unknown = rows.filter((n) => Number.isNaN(value(n)));
  return [...known.sort((a, b) => sign * (value(a) - value(b)) || a - b), ...unknown];
}

/**
 * The order that a press on a column's head asks for: highest first, lowest first, as in the model.
 * @param same the column is the one that is sorted by
 */
export const nextOrder = (sort: Sort, same: boolean): Sort =>
  !same || sort === 'model' ? 'high' : sort === 'high' ? 'low' : 'model';

/**
 * The ends of a score's scale: its own, or, where the length of a sentence decides, those of what was measured.
 * @param measured quantiles of all heads
 */
export function scaleOf(
  { low, high }: { low: number; high: number | null },
  measured: number[],
): [number, number] {
  if (high !== null) return [low, high];
  const most = Math.max(low, ...measured.filter((value) => !Number.isNaN(value)));
  return [low, most > low ? most : low + 1];
}

/** A value on a scale, 0 to 1. */
export const along = (value: number, [low, high]: [number, number]) =>
  Math.max(0, Math.min(1, (value - low) / (high - low)));
