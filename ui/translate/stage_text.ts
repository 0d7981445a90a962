/* The translation as a sentence to read and copy, as far as it is written; and what is to be said of the whole of it. */

import type { Piece } from '../web/base/dom.ts';
import type { Host } from '../web/base/view.ts';
import type { StepData, StripData } from '../web/generated/types.ts';
import type { Stage } from './stage.ts';
import { definitions, el, phrase } from '../web/base/dom.ts';
import { bus } from '../web/base/events.ts';
import { tr } from '../web/base/language.ts';
import { TOUCH, spokenPercent, topIndices } from '../web/base/words.ts';
import { mapSentence, quoted, verbOf } from '../web/maps/sentence.ts';
import { rowOf } from '../web/maps/sheet.ts';
import { restWords, wholeWords } from './stage_controls.ts';
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
      ...{ class: 'button small', 'aria-live': 'polite', title: tr('Copy the sentence') },
      onclick: () => void this.copy(),
    },
    tr('Copy'),
  );
  /** What is said of the whole, in the room kept for it. */
  strip = new Strip();
  node = el(
    'div',
    { class: 'stage-result', hidden: true },
    el('div', { class: 'stage-line' }, this.text, this.button),
    ...[this.remarks, this.strip.node],
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
    const visibleRemarks = covered ? [] : remarks;
    this.remarks.replaceChildren(...visibleRemarks.map((words) => el('p', {}, words)));
  }

  async copy() {
    const done = await copied(this.words);
    if (!done) window.getSelection()?.selectAllChildren(this.text);
    this.button.textContent = done ? tr('Copied') : tr('Selected');
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.button.textContent = tr('Copy')), COPIED);
  }
}

/** What the strip says: lines, and what their numbers are. */
type StripWords = Pick<StripData, 'lines' | 'measures'>;

/** What speaks against a translation, and behind “?” what its numbers are. Its room is kept while there are no lines. */
class Strip {
  lines = el('div', { class: 'strip-lines', role: 'status' });
  measures = el('dl', { class: 'strip-told', hidden: true });
  button = el(
    'button',
    {
      ...{ class: 'quiet', title: tr('What do these numbers mean?'), 'aria-expanded': 'false', hidden: true },
      onclick: () => this.open(this.measures.hidden),
    },
    tr('What do these mean?'),
  );
  node = el('div', { class: 'stage-strip', hidden: true }, this.lines, this.button, this.measures);
  words = '';

  open(open: boolean) {
    this.measures.hidden = !open;
    this.button.setAttribute('aria-expanded', String(open));
  }

  say(strip: StripWords | null, covered: boolean) {
    this.node.hidden = strip === null;
    const lines = strip === null || covered ? [] : strip.lines;
    const words = lines.join('\n');
    if (words === this.words) return;
    this.words = words;
    this.lines.replaceChildren(...lines.map((line) => el('p', {}, line.replaceAll(' %', '\u00a0%'))));
    this.button.hidden = !lines.length;
    if (!lines.length) this.open(false);
    this.measures.replaceChildren(...definitions(strip?.measures ?? []));
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

/* What the stage says: its title, the sentence of what is looked at, and what speaks against the translation. */

export function stageTitle({ frame, reader, selection }: Stage): Piece[] {
  const { row, kind, sheet, rests } = frame;
  const made = reader.shares() !== null;
  if (rests && made) return [tr('What each word is made of')];
  if (rests) return [tr('Where the decoder looks when it writes each word')];
  if (row < 0) return [tr('The encoder has read the sentence; nothing is written yet')];
  const word = { kind: quoted(sheet.rows[row]) };
  if (made) return phrase(tr('What {word} is made of'), { word });
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

export function stageSentence({ frame, reader, selection }: Stage): Piece[] {
  const { sheet, row, kind } = frame;
  const made = reader.shares() !== null;
  const mode = made ? 'contribution' : 'weights';
  const who = made ? tr('the model') : reader.subject();
  const sentence = mapSentence({
    ...selection.active,
    ...{ sheets: [sheet], subjects: [who], names: [], row },
    how: { verb: verbOf(kind), mode },
    hint: selection.pinned ? selection.hint : '',
  });
  const { rows, cols } = selection.active;
  if (!made || rows.size || cols.size) return sentence;
  return row < 0 ? wholeWords(sheet) : [...sentence, ...restWords(rowOf(sheet, row))];
}

/** What speaks against the translation; null where nothing will be said of it. */
export function strip({ reader }: Stage) {
  const { decode } = reader.data;
  const last = bus().last.trouble;
  return decode ? (last?.decode === decode ? last : { lines: [], measures: [] }) : null;
}

/** What stands over the next word's bars. */
export function nextWords({ frame, reader }: Stage, step: StepData | undefined) {
  const title = frame.rests ? tr('Last step') : reader.position ? tr('Next word') : tr('First word');
  const ended = TOUCH
    ? tr('The sentence ends here; tap a word to continue')
    : tr('The sentence ends here; click a word to continue');
  const forces = TOUCH ? tr('Tap a word to force it') : tr('Click a word to force it');
  const subtitle = reader.data.forcible ? (frame.rests ? ended : forces) : tr('The most probable words');
  const marked = step?.cut ? ` · ${tr('{cut} marked', { cut: step.cut.label })}` : '';
  return { title, subtitle: subtitle + marked };
}
