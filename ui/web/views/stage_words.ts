/* What the stage says: its title, the sentence of what is looked at, and what speaks against the translation. */

import type { Part } from '../base/dom.ts';
import type { Step } from './next_word.ts';
import type { Stage } from './stage.ts';
import { bus } from '../base/events.ts';
import { PRESS, visible } from '../base/words.ts';
import { mapSentence } from '../maps/sentence.ts';
import { rowOf } from '../maps/sheet.ts';
import { restWords, wholeWords } from './stage_measure.ts';

export function stageTitle({ frame, place }: Stage): Part[] {
  const { row, kind, sheet, rests } = frame;
  if (rests && place.shares()) return ['What ', { kind: 'each word' }, ' is made of'];
  if (rests) return ['Where the decoder looked while it wrote ', { kind: 'each word' }];
  if (row < 0) return ['The encoder has read the sentence; nothing is written yet'];
  if (place.shares()) return ['What ', { kind: `“${visible(sheet.rows[row])}”` }, ' is made of'];
  const looks = kind === 'encoder' ? 'encoder looks while it reads ' : 'decoder looks while it writes ';
  return [`Where the ${looks}`, { kind: `“${visible(sheet.rows[row])}”` }];
}

export function stageSentence({ frame, place, selection }: Stage): Part[] {
  const { sheet, row, kind } = frame;
  const made = place.shares() !== null;
  const mode = made ? 'contribution' : 'weights';
  const who = made ? 'the model' : place.subject();
  const said = mapSentence({
    ...selection.active,
    ...{ sheets: [sheet], subjects: [who], names: [], row },
    how: { verb: kind === 'encoder' ? 'Reading' : 'Writing', mode },
    hint: selection.pinned ? selection.hint : '',
  });
  const { rows, cols } = selection.active;
  if (!made || rows.size || cols.size) return said;
  return row < 0 ? wholeWords(sheet) : [...said, ...restWords(rowOf(sheet, row))];
}

/** What speaks against the translation; null where nothing will be said of it. */
export function strip({ place }: Stage) {
  const { decode } = place.data;
  const said = bus().last.trouble;
  return decode ? (said?.decode === decode ? said : { lines: [], told: [] }) : null;
}

/** What stands over the next word's bars. */
export function nextWords({ frame, place }: Stage, step: Step | undefined) {
  const title = frame.rests ? 'Last step' : place.position ? 'Next word' : 'First word';
  const subtitle = frame.rests
    ? `the sentence ends here; ${PRESS} a word to go on`
    : `${PRESS} a word to force it`;
  return { title, subtitle, marked: step?.cut ? ` · ${step.cut.label} marked` : '' };
}
