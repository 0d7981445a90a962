/* Where the hypotheses of a beam search stand: one column a step, best score on top, pruned ones below. */

import { textWidth } from '../base/text.js';
import { minus, visible } from '../base/words.js';

const PRUNED_SHOWN = 8; // a column; the others are counted underneath

/**
 * A token of a hypothesis, as ui/components/beam_tree.py sends it.
 * @typedef {{ id: number, parent: number | null, step: number, label: string, logprob: number, score: number,
 *   kept: boolean, finished: boolean, best: boolean }} BeamNode
 */
/** @typedef {BeamNode & { x: number, y: number, width: number, height: number }} Placed */
/** @typedef {{ step: number, x: number, shown: Placed[], more: number, bottom: number }} Column */
/** @typedef {{ columns: Column[], placed: Map<number, Placed>, width: number, height: number }} TreeLayout */

/** @param {number} value */
export const signed = (value) => minus(value.toFixed(2));

/**
 * @param {BeamNode[]} nodes
 * @param {boolean} showPruned
 * @param {number} u
 * @returns {TreeLayout}
 */
export function treeLayout(nodes, showPruned, u) {
  /** @type {BeamNode[][]} */
  const steps = [];
  for (const node of nodes) (steps[node.step] ??= []).push(node);
  /** @type {Map<number, Placed>} */
  const placed = new Map();
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

/**
 * @param {BeamNode[]} list
 * @param {number} step
 * @param {number} x
 * @param {boolean} showPruned
 * @param {number} u
 * @returns {Column}
 */
function columnAt(list, step, x, showPruned, u) {
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

/**
 * @param {BeamNode} node
 * @param {number} u
 */
function nodeWidth(node, u) {
  const word = Math.min(150 * u, textWidth(visible(node.label), 14 * u));
  if (!node.step) return word + 18 * u;
  return word + textWidth(signed(node.score), 11.5 * u, false) + (node.finished ? 46 : 26) * u;
}

/** What became of a hypothesis at a node, in a word. @param {BeamNode} node */
export const fateOf = ({ best, finished, kept }) =>
  best ? 'best' : finished ? 'finished' : kept ? 'kept' : 'pruned';

/** The same in words. @param {BeamNode} node */
export const fateWords = (node) =>
  ({
    best: node.finished ? 'the best hypothesis' : 'on the best path',
    finished: 'finished',
    kept: 'kept in the beam',
    pruned: `pruned at step ${node.step}`,
  })[fateOf(node)];
