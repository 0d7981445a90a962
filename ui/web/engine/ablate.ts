/* What a model writes without some heads, and how probable it then finds what it wrote with them. */

import type { Options } from './decode.ts';
import type { Engine, Watch } from './engine.ts';
import type { Kind } from './model.ts';

export type HeadName = readonly [kind: Kind, layer: number, head: number];

export interface Rewritten {
  text: string;
  ids: number[];
  /** The probability of each token of the first translation, without the heads. */
  probabilities: number[];
}

/** Runs the source again with the output of `heads` set to zero; `ids` are what was written with them. */
export async function ablate(
  engine: Engine,
  source: readonly number[],
  ids: readonly number[],
  heads: readonly HeadName[],
  options: Options = {},
  watch: Watch = {},
): Promise<Rewritten> {
  const names = new Set(heads.map((head) => head.join()));
  const without: Options = {
    ...options,
    prefix: [],
    ablated: (kind, layer, head) => names.has(`${kind},${layer},${head}`),
  };
  const written = await engine.decode(source, without, watch);
  const again = await engine.decode(source, { ...without, prefix: ids }, watch);
  return {
    text: engine.target.decode(written.ids),
    ids: [...written.ids],
    probabilities: ids.map((id, n) => again.distribution(n)[id]),
  };
}
