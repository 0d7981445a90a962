/* The numbers of the atlas as Python sends them, in words and as a table to take away. */

import type { Kind } from '../base/colour.ts';
import type { Part } from '../base/dom.ts';
import type { AtlasHead, Order } from './atlas_layout.ts';
import { csvNumber } from '../base/export.ts';
import { PRESS, TOUCH, minus } from '../base/words.ts';
import { STATS, nameOf } from './atlas_layout.ts';

export interface AtlasScore {
  name: string;
  label: string;
  units: string;
  low: number;
  high: number | null;
  definition: string;
  told: [string, string][];
}

export interface AtlasMeta {
  kind: Kind;
  kinds: { kind: Kind; words: string; name: string }[];
  title: string;
  subtitle: string;
  heads: AtlasHead[];
  scores: AtlasScore[];
  columns: Record<Kind, string[]>;
  roles: string[];
  open: [Kind, number, number] | null;
  sentences: number;
  arranged: [Order, string, number | null, string];
  file: string;
}

const QUANTILES = ['05', '25', '50', '75', '95'];

export const number = (value: number) =>
  Number.isNaN(value) ? '–' : minus(Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2));

/** Every head with every score, as `python -m core heads` writes them. */
export function atlasCsv(
  { heads, scores, kinds }: AtlasMeta,
  stat: (n: number, score: string, stat: number) => number,
): (string | number)[][] {
  const names = scores.flatMap(({ name }) => [
    name,
    `${name}_spread`,
    ...QUANTILES.map((share) => `${name}_q${share}`),
  ]);
  const head = ['kind', 'layer', 'head', 'roles', ...names, 'map_x', 'map_y'];
  const rows = heads.map((each, n) => [
    kinds.find(({ kind }) => kind === each.kind)?.name ?? each.kind,
    each.layer,
    each.head,
    each.roles.join('; '),
    ...scores.flatMap(({ name }) => Array.from({ length: STATS }, (_, k) => csvNumber(stat(n, name, k)))),
    ...(each.place ?? [NaN, NaN]).map(csvNumber),
  ]);
  return [head, ...rows];
}

/**
 * A head in words: its roles, and one of its scores.
 * @param n its place in `heads`, −1 for none
 * @param stat of that score
 */
export function headSentence(
  { heads, kinds, sentences }: AtlasMeta,
  n: number,
  score: AtlasScore | undefined,
  stat: (stat: number) => number,
): Part[] {
  const head = heads[n];
  if (!head) return [{ muted: `${PRESS} a head to open it` }];
  const kind = kinds.find((each) => each.kind === head.kind)?.words ?? '';
  const known = score && !Number.isNaN(stat(0));
  const told: Part[] = known
    ? [
        `; ${score.label.toLowerCase()} `,
        { strong: number(stat(0)) },
        ` ± ${number(stat(1))} over ${sentences.toLocaleString('en')} ${sentences === 1 ? 'sentence' : 'sentences'}`,
      ]
    : [];
  const roles = head.roles.join(', ') || 'no role';
  return [
    'Head ',
    { strong: nameOf(head) },
    ` of ${kind}: ${roles}`,
    ...told,
    '.',
    { muted: TOUCH ? 'a tap opens it' : 'click opens it' },
  ];
}
