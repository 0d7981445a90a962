/* What is said of a step of a decoding, and of a source word. */

import type { Part } from '../base/dom.ts';
import type { How } from '../maps/sentence.ts';
import type { Joint, JointKind } from './joint.ts';
import { topIndices } from '../base/arrays.ts';
import { TOUCH, lengthWords, spokenPercent } from '../base/words.ts';
import { PINNED, columnSentence, quoted, rowSentence, strongly } from '../maps/sentence.ts';
import { columnOf, rowOf } from '../maps/sheet.ts';

export function jointTitle({ meta, written, step }: Joint): Part[] {
  if (meta.title) return [meta.title];
  if (!written) return ['Where the model looks, word by word'];
  const word = { kind: quoted(meta.target[step]) };
  if (meta.mode !== 'weights') return ['What ', word, ' is made of'];
  return ['Where the model looks while it writes ', word];
}

export function jointSentence(joint: Joint): Part[] {
  if (!joint.written)
    return [
      'Nothing is written yet.',
      { muted: TOUCH ? '  step writes the first word' : '  → writes the first word, space plays' },
    ];
  return joint.hovered?.source === undefined
    ? stepSentence(joint)
    : wordSentence(joint, joint.hovered.source);
}

/** What the encoder gathers at a source word, and which steps looked at it. */
function wordSentence(joint: Joint, j: number) {
  const { source, target } = joint.meta;
  const { encoder, cross } = joint.sheets;
  const { mode, tops } = joint.meta;
  const how: How = { verb: 'Reading', subject: 'the encoder', mode };
  const reads = rowSentence(times(rowOf(encoder, j), tops.encoder), source[j], source, how);
  const written = target.slice(1, joint.written + 1);
  const writing = { ...how, verb: 'Writing', subject: 'the decoder' };
  const column = times(columnOf(cross, j), tops.cross);
  return [...reads, ' ', ...columnSentence(column, [j], source, written, writing)];
}

function stepSentence(joint: Joint) {
  const { source, target, subject, mode, tops } = joint.meta;
  const { encoder, cross, causal } = joint.sheets;
  const { step } = joint;
  const said = rowSentence(times(rowOf(cross, step - 1), tops.cross), target[step], source, {
    ...{ verb: 'Writing', subject, mode },
  });
  const self = rowOf(causal, step - 1).slice(0, step);
  const told = (v: number, kind: JointKind) =>
    mode === 'length' ? `a length of ${lengthWords(v * tops[kind])}` : spokenPercent(v);
  const [went, gave] = mode === 'weights' ? ['went to', 'gave'] : ['belongs to', 'has'];
  const from = mode === 'weights' ? 'to' : 'from';
  const back = topIndices(self, 1)[0];
  const nth = joint.toldSource ?? 0;
  const reading = rowOf(encoder, nth);
  const inside = topIndices(reading, 1)[0];
  said.push(` Among the words so far, ${told(self[back], 'causal')} ${went} `, strongly(target[back]));
  said.push('; in the encoder, ', strongly(source[nth]));
  said.push(` ${gave} ${told(reading[inside], 'encoder')} ${from} `);
  said.push(inside === nth ? 'itself' : strongly(source[inside]), '.');
  return joint.pinned === null ? said : [...said, { muted: `  ${PINNED}` }];
}

/** A row of a map drawn up to its largest number, as the numbers it stands for. */
const times = (row: number[], top: number) => (top === 1 ? row : row.map((v) => v * top));
