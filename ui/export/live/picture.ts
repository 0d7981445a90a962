/* A finished decode of the engine as the page draws it: what ui/shared/make_decode.py makes of a session. */

import type { Decode, Options } from '../../web/engine/decode.ts';
import type { Engine, Translation } from '../../web/engine/engine.ts';
import type { LivePicture, StepData } from '../../web/generated/types.ts';
import { ofKinds } from '../../web/base/words.ts';
import { neverWritten } from '../../web/engine/config.ts';

const TOP = 12; // candidates of a step that are drawn

/** What the token at place `n` was chosen from, cut to what is drawn (`StepData` in ui/shared/decode.py). */
function stepOf(
  { model, target }: Engine,
  decode: Decode,
  n: number,
  options: Options,
  forced: boolean,
): StepData {
  const shares = decode.distribution(n);
  const chosen = decode.ids[n];
  const listed = decode.candidates(TOP, n);
  const ids = listed.map(({ id }) => id);
  const banned = neverWritten(model.config);
  const fixed = n === 0 ? model.config.forced_bos_id : null;
  const below = !ids.includes(chosen);
  const rank = below
    ? 1 + shares.filter((p, id) => p > shares[chosen] || (p === shares[chosen] && id < chosen)).length
    : 0;
  const mass = listed.reduce((sum, { probability }) => sum + probability, below ? shares[chosen] : 0);
  const kept = options.strategy === 'sample' ? (options.topK ?? 0) : 0;
  const limits = kept > 0 && kept + banned.length < shares.length && fixed === null;
  return {
    ids,
    labels: ids.map((id) => target.label(id)),
    probabilities: listed.map(({ probability }) => probability),
    rest: [shares.length - ids.length - Number(below), Math.max(0, 1 - mass)],
    chosen,
    forced,
    barred: ids.filter((id) => banned.includes(id)),
    fixed,
    cut: limits ? { count: kept, label: `top ${kept}` } : null,
    extra: below ? { label: target.label(chosen), probability: shares[chosen], rank } : null,
  };
}

/** How each of `ids` changes the text: (characters that stay, text added after them). */
function grownBy(decode: (ids: readonly number[]) => string, ids: readonly number[]) {
  let before: string[] = [];
  return ids.map((_, n): [number, string] => {
    const text = [...decode(ids.slice(0, n + 1))];
    let stay = 0;
    while (stay < Math.min(before.length, text.length) && before[stay] === text[stay]) stay += 1;
    before = text;
    return [stay, text.slice(stay).join('')];
  });
}

/**
 * The row and column of a map (`rows` × `cols`) that show best that word order changed: `crossing_pair` in
 * core/analysis/alignment.py.
 */
function crossingPair(map: Float32Array, rows: number, cols: number): [number, number] | null {
  if (!rows) return null;
  const lines = Array.from({ length: rows }, (_, i) => map.subarray(i * cols, (i + 1) * cols));
  const strength = lines.map((line) => Math.max(...line));
  const keys = lines.map((line, i) => line.indexOf(strength[i]));
  const crosses = keys.map((key, i) => i + 1 < rows && key > keys[i + 1]);
  const worth = crosses.includes(true)
    ? crosses.map((does, i) => (does ? strength[i] * strength[i + 1] : -1))
    : strength.map((most, i) => (keys[i] === i ? most - 1 : most));
  const row = worth.indexOf(Math.max(...worth));
  return [row, keys[row]];
}

/**
 * @param forced places of the tokens that the reader chose
 * @param head the open head of cross-attention, counted over all layers
 */
export function pictureOf(
  engine: Engine,
  made: Translation,
  options: Options,
  forced: number[],
  head = 0,
): LivePicture {
  const { model, target } = engine;
  const { decode, sourceIds } = made;
  const maps = ofKinds((kind) => decode.maps(kind));
  const shapes = ofKinds((kind) => maps[kind].shape);
  const weights = ofKinds((kind) => maps[kind].weights);
  const [, , rows, cols] = shapes.cross;
  return {
    text: made.text,
    source: made.source,
    target: made.written,
    reads: target.labels([model.config.bos_id, ...made.ids.slice(0, -1)]),
    source_ids: sourceIds,
    ids: made.ids,
    steps: made.ids.map((_, n) => stepOf(engine, decode, n, options, forced.includes(n))),
    grown: grownBy((ids) => target.decode(ids), made.ids),
    forced,
    ended: made.ids.at(-1) === model.config.eos_id,
    pair: crossingPair(weights.cross.subarray(head * rows * cols), rows, cols),
    shapes,
    weights,
  };
}
