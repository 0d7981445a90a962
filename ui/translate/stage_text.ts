/* The translation as a sentence to read and copy, as far as it is written; and what is to be said of the whole of it. */

import type { Piece } from '../web/base/dom.ts';
import type { Host } from '../web/base/view.ts';
import type { StepData, StripData } from '../web/generated/types.ts';
import type { Stage } from './stage.ts';
import { el } from '../web/base/dom.ts';
import { bus } from '../web/base/events.ts';
import { PRESS, visible } from '../web/base/words.ts';
import { mapSentence, verbOf } from '../web/maps/sentence.ts';
import { rowOf } from '../web/maps/sheet.ts';
import { restWords, wholeWords } from './stage_controls.ts';
import './stage.css';

const COPIED = 1500; // milliseconds that “copied” stands
const NOTHING = 'nothing that can be read: special tokens alone';
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
  return whole.trim() ? whole.slice(read.length) : NOTHING;
}

export class StageText {
  text = el('p', { class: 'stage-text', dir: 'auto' });
  remarks = el('div', { class: 'stage-remarks' });
  button: HTMLButtonElement;
  strip: Strip;
  node: HTMLDivElement;
  /** What is copied. */
  words = '';
  timer = 0;

  constructor(parent: HTMLElement, host: Host) {
    const looks = {
      type: 'button',
      class: 'button small',
      'aria-live': 'polite',
      title: 'Copy the sentence',
    };
    this.button = el('button', { ...looks, onclick: () => void this.copy() }, 'copy');
    const line = el('div', { class: 'stage-line' }, this.text, this.button);
    this.strip = new Strip();
    this.node = el('div', { class: 'stage-result', hidden: true }, line, this.remarks, this.strip.node);
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

  /**
   * The strip of the whole, in the room kept for it.
   * @param strip null: there is none
   */
  say(strip: StripWords | null, covered: boolean) {
    this.strip.say(strip, covered);
  }

  async copy() {
    const done = await copied(this.words);
    if (!done) window.getSelection()?.selectAllChildren(this.text);
    this.button.textContent = done ? 'copied' : 'selected';
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.button.textContent = 'copy'), COPIED);
  }
}

/** What the strip says: lines, and what their numbers are. */
type StripWords = Pick<StripData, 'lines' | 'measures'>;

/** What speaks against a translation, and behind “?” what its numbers are. Its room is kept while there are no lines. */
class Strip {
  lines = el('div', { class: 'strip-lines', role: 'status' });
  measures = el('dl', { class: 'strip-told', hidden: true });
  button: HTMLButtonElement;
  node: HTMLDivElement;
  words = '';

  constructor() {
    const looks = {
      type: 'button',
      class: 'quiet',
      title: 'What these numbers are',
      'aria-expanded': 'false',
    };
    this.button = el(
      'button',
      { ...looks, onclick: () => this.open(this.measures.hidden) },
      'of this sentence ?',
    );
    this.button.hidden = true;
    this.node = el('div', { class: 'stage-strip', hidden: true }, this.lines, this.button, this.measures);
  }

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
    const measures = strip?.measures ?? [];
    this.measures.replaceChildren(
      ...measures.flatMap(([name, what]) => [el('dt', {}, name), el('dd', {}, what)]),
    );
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

export function stageTitle({ frame, reader }: Stage): Piece[] {
  const { row, kind, sheet, rests } = frame;
  if (rests && reader.shares()) return ['What ', { kind: 'each word' }, ' is made of'];
  if (rests) return ['Where the decoder looked while it wrote ', { kind: 'each word' }];
  if (row < 0) return ['The encoder has read the sentence; nothing is written yet'];
  if (reader.shares()) return ['What ', { kind: `“${visible(sheet.rows[row])}”` }, ' is made of'];
  const looks = kind === 'encoder' ? 'encoder looks while it reads ' : 'decoder looks while it writes ';
  return [`Where the ${looks}`, { kind: `“${visible(sheet.rows[row])}”` }];
}

export function stageSentence({ frame, reader, selection }: Stage): Piece[] {
  const { sheet, row, kind } = frame;
  const made = reader.shares() !== null;
  const mode = made ? 'contribution' : 'weights';
  const who = made ? 'the model' : reader.subject();
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
  const title = frame.rests ? 'Last step' : reader.position ? 'Next word' : 'First word';
  const subtitle = frame.rests
    ? `the sentence ends here; ${PRESS} a word to go on`
    : `${PRESS} a word to force it`;
  return { title, subtitle, marked: step?.cut ? ` · ${step.cut.label} marked` : '' };
}
