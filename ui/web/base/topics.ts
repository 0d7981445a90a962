/* What views tell one another, by topic: `announce(topic, words)` and `listenTo(host, topic, hear)` in events.ts. */

import type { WhyMeta } from '../views/inside_numbers.ts';
import type { Column } from './arrays.ts';
import type { Kind } from './colour.ts';

export interface Topics {
  /** Heads were opened in the wall; `values` where their numbers are known there. */
  heads: {
    kind: Kind;
    heads: [number, number][];
    rows: string[];
    cols: string[];
    values: Float32Array[] | null;
    whole: { how: string; subject: string };
  };
  /** Heads that stand open. */
  shown: { kind: Kind; heads: [number, number][] };
  /** The word that the stage of a decode stands at. */
  stage: { id: string; step: number; covered: boolean };
  /** What speaks against a translation; `shares` are ALTI+ (T, S) of the same decode. */
  trouble: { decode: string; lines: string[]; told: [string, string][]; shares: Column };
  /** The terms of one number inside a head. */
  'inside-terms': { meta: WhyMeta | null; a: Column; b: Column; terms: Column };
  /** What the pictures of the page are of. */
  about: string;
  /** The card that was asked for and is not there yet. */
  wanted: 'next' | null;
}
