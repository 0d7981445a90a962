/* The translation as a sentence to read and copy, as far as it is written; and what is to be said of the whole of it. */

import type { Piece } from '../web/base/dom.ts';
import type { Host } from '../web/base/view.ts';
import type { StepData } from '../web/generated/types.ts';
import type { PinnedTokens } from '../web/maps/selection.ts';
import type { Frame, Reader } from './stage_position.ts';
import { el, phrase } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { TOUCH, spokenPercent, topIndices } from '../web/base/words.ts';
import { mapSentence, quoted, verbOf } from '../web/maps/sentence.ts';
import { rowOf } from '../web/maps/sheet.ts';
import './stage.css';

const COPIED = 1500; // milliseconds that “copied” stands
const TELLING = 0.5; // the weight from which a title names the word that gets it
const LONG = 60; // characters from which a translation is set smaller in a hall

/**
 * The text after each number of tokens, from none; `grown` has for each token how many characters of the text before it
 * stay, and what it adds.
 */
export function textsOf(grown: [number, string][]) {
  const texts = [''];
  for (const [stay, added] of grown) {
    texts.push([...texts[texts.length - 1]].slice(0, stay).join('') + added);
  }
  return texts;
}

/** The common prefix of two texts. */
export function shared(a: string, b: string) {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n += 1;
  return a.slice(0, n);
}

/**
 * The muted text after the words read so far: the rest of a finished translation, or a note that it has no words.
 * @param covered whether more may come, which is hidden
 */
export function restOf(whole: string, read: string, covered: boolean) {
  if (covered) return '…';
  return whole.trim() ? whole.slice(read.length) : tr('Only special tokens were written.');
}

export class StageText {
  text = el('p', { class: 'stage-text', dir: 'auto' });
  remarks = el('div', { class: 'stage-remarks' });
  button = el(
    'button',
    {
      class: 'button small',
      'aria-live': 'polite',
      title: tr('Copy the sentence'),
      onclick: () => void this.copy(),
    },
    tr('Copy'),
  );
  node = el(
    'div',
    { class: 'stage-result', hidden: true },
    el('div', { class: 'stage-line' }, this.text, this.button),
    this.remarks,
  );
  /** What is copied. */
  words = '';
  timer = 0;

  constructor(parent: HTMLElement, host: Host) {
    parent.prepend(this.node);
    host.signal.addEventListener('abort', () => clearTimeout(this.timer));
  }

  /**
   * @param written tokens shown
   * @param covered whether more may come, which is hidden
   * @param remarks about the whole
   */
  update(grown: [number, string][], written: number, covered: boolean, remarks: string[]) {
    this.node.hidden = grown.length === 0;
    const texts = textsOf(grown);
    const [sofar, whole] = [texts[written], texts[texts.length - 1]];
    const read = covered ? sofar : shared(sofar, whole);
    this.words = covered ? sofar : whole;
    this.text.replaceChildren(read, el('span', { class: 'stage-later' }, restOf(whole, read, covered)));
    this.text.classList.toggle('long', this.words.length > LONG);
    this.button.disabled = !this.words;
    this.remarks.replaceChildren(...remarks.map((words) => el('p', {}, covered ? '\u00a0' : words)));
  }

  async copy() {
    const done = await copied(this.words);
    if (!done) window.getSelection()?.selectAllChildren(this.text);
    this.button.textContent = done ? tr('Copied') : tr('Selected');
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.button.textContent = tr('Copy')), COPIED);
  }
}

/** Puts words on the clipboard, which a page that did not come by https may not always do. */
async function copied(words: string) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    return false;
  }
}

/* What the stage says: its title, and the sentence of what is looked at. */

/** What the stage is about: the step, where the reader stands, and what is pointed at and pinned. */
export interface Read {
  frame: Frame;
  reader: Reader;
  selection: PinnedTokens;
}

export function stageTitle({ frame, reader, selection }: Read): Piece[] {
  const { row, kind, sheet, rests } = frame;
  if (rests) return [tr('Where the decoder looks when it writes each word')];
  if (row < 0) return [tr('The encoder has read the sentence; nothing is written yet')];
  const word = { kind: quoted(sheet.rows[row]) };
  if (kind === 'encoder') return phrase(tr('Where the encoder looks from {word}'), { word });
  const weights = rowOf(sheet, row);
  const key = topIndices(weights, 1)[0];
  if (selection.hovered || weights[key] < TELLING)
    return phrase(tr('Where the decoder looks when it writes {word}'), { word });
  return phrase(tr('{word}: {subject} looks {share} at {key}'), {
    ...{
      word,
      subject: reader.subject(),
      share: { kind: spokenPercent(weights[key]) },
      key: quoted(sheet.cols[key]),
    },
  });
}

export function stageSentence({ frame, reader, selection }: Read): Piece[] {
  const { sheet, row, kind } = frame;
  return mapSentence({
    ...selection.active,
    sheets: [sheet],
    subjects: [reader.subject()],
    names: [],
    row,
    how: { verb: verbOf(kind), mode: 'weights' },
    hint: selection.pinned ? selection.hint : '',
  });
}

/** What stands over the next word's bars; of a finished sentence they are those of one of its words. */
export function nextWords({ frame, reader, selection }: Read, shown: number, step: StepData | undefined) {
  const marked = step?.cut ? ` · ${tr('{cut} marked', { cut: step.cut.label })}` : '';
  const { forcible } = reader.data;
  if (frame.rests) {
    const title = phrase(tr('Candidates for {word}'), { word: quoted(frame.sheet.rows[shown]) });
    if (!forcible) return { title, subtitle: tr('The most probable words') + marked };
    if (selection.rows.size) {
      const forces = TOUCH ? tr('Tap a candidate to write it') : tr('Click a candidate to write it');
      return { title, subtitle: forces + marked };
    }
    const others = TOUCH
      ? tr('Tap a word above for its candidates')
      : tr('Click a word above for its candidates');
    return { title, subtitle: `${tr('The least certain word')} · ${others}${marked}` };
  }
  const title = [reader.position ? tr('Next word') : tr('First word')];
  const forces = TOUCH ? tr('Tap a word to force it') : tr('Click a word to force it');
  return { title, subtitle: (forcible ? forces : tr('The most probable words')) + marked };
}
