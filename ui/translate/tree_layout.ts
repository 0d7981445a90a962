/* Where the hypotheses of a beam search stand: one column a step, best score on top, pruned ones below. */

import type { BeamNode } from '../web/generated/types.ts';
import { fixed, tr } from '../web/base/language.ts';
import { textWidth } from '../web/base/paint.ts';
import { minus, visible } from '../web/base/words.ts';

export const WORD = 150; // pixels of the design that a word may take
const PRUNED_SHOWN = 8; // a column; the others are counted underneath

export type Placed = BeamNode & { x: number; y: number; width: number; height: number };

export interface Column {
  step: number;
  x: number;
  shown: Placed[];
  more: number;
  bottom: number;
}

export interface TreeLayout {
  columns: Column[];
  placed: Map<number, Placed>;
  width: number;
  height: number;
}

export const signed = (value: number) => minus(fixed(value, 2));

export function treeLayout(nodes: BeamNode[], showPruned: boolean, u: number): TreeLayout {
  const steps: BeamNode[][] = [];
  for (const node of nodes) (steps[node.step] ??= []).push(node);
  const placed = new Map<number, Placed>();
  let x = 2;
  const columns = Array.from(steps, (list = [], step) => {
    const column = columnAt(list, step, x, showPruned, u);
    column.shown.forEach((node) => placed.set(node.id, node));
    x += Math.max(40 * u, ...column.shown.map(({ width }) => width)) + 40 * u;
    return column;
  });
  const bottoms = columns.map(({ bottom, more }) => bottom + (more ? 18 * u : 0));
  return { columns, placed, width: x - 40 * u + 2, height: Math.max(60 * u, ...bottoms) };
}

function columnAt(list: BeamNode[], step: number, x: number, showPruned: boolean, u: number): Column {
  const ranked = [...list].sort(
    (a, b) => Number(b.kept) - Number(a.kept) || b.score - a.score || a.id - b.id,
  );
  const kept = ranked.filter((node) => node.kept);
  const pruned = showPruned ? ranked.filter((node) => !node.kept) : [];
  const drawn = [...kept, ...pruned.slice(0, PRUNED_SHOWN)];
  const width = Math.max(40 * u, ...drawn.map((node) => nodeWidth(node, u)));
  let y = 26 * u;
  const shown = drawn.map((node, n) => {
    if (n === kept.length && n) y += 10 * u;
    const at = { ...node, x, y, width, height: 25 * u };
    y += 30 * u;
    return at;
  });
  return { step, x, shown, more: Math.max(0, pruned.length - PRUNED_SHOWN), bottom: y };
}

function nodeWidth(node: BeamNode, u: number) {
  const word = Math.min(WORD * u, textWidth(visible(node.label), 14 * u));
  if (!node.step) return word + 18 * u;
  return word + textWidth(signed(node.score), 11.5 * u, false) + (node.finished ? 46 : 26) * u;
}

/** What became of a hypothesis at a node, in a word. */
export const outcomeOf = ({ best, finished, kept }: BeamNode) =>
  best ? 'best' : finished ? 'finished' : kept ? 'kept' : 'pruned';

/** The same in words. */
export const outcomeWords = (node: BeamNode) =>
  ({
    best: node.finished ? tr('the best hypothesis') : tr('on the best path'),
    finished: tr('finished'),
    kept: tr('kept in the beam'),
    pruned: tr('pruned at step {step}', { step: node.step }),
  })[outcomeOf(node)];
