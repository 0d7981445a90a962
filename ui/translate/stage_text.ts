/* The translation as a sentence to read and copy, as far as it is written; and what is to be said of the whole of it. */

import type { Part } from '../web/base/dom.ts';
import type { Host } from '../web/base/view.ts';
import type { Step } from './next_word.ts';
import type { Stage } from './stage.ts';
import { el } from '../web/base/dom.ts';
import { bus } from '../web/base/events.ts';
import { PRESS, visible } from '../web/base/words.ts';
import { mapSentence } from '../web/maps/sentence.ts';
import { rowOf } from '../web/maps/sheet.ts';
import { restWords, wholeWords } from './stage_controls.ts';
import './stage.css';

const SAID = 1500; // milliseconds that “copied” stands
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

/** The characters that two texts begin with alike. */
export function shared(a: string, b: string) {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n += 1;
  return a.slice(0, n);
}

/**
 * What stands quieter after the words that were read: the rest of a finished translation, or that there are no words in it.
 * @param covered whether more may come, of which nothing is said
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
   * @param covered whether more may come, of which nothing is said
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
    const told = covered ? [] : remarks;
    this.remarks.replaceChildren(...told.map((words) => el('p', {}, words)));
  }

  /**
   * The strip of the whole, in the place kept for it.
   * @param said null: there is none
   */
  say(said: Said | null, covered: boolean) {
    this.strip.say(said, covered);
  }

  async copy() {
    const done = await copied(this.words);
    if (!done) window.getSelection()?.selectAllChildren(this.text);
    this.button.textContent = done ? 'copied' : 'selected';
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.button.textContent = 'copy'), SAID);
  }
}

interface Said {
  lines: string[];
  told: [string, string][];
}

/** What speaks against a translation, and behind “?” what its numbers are. Its place is kept while nothing is said. */
class Strip {
  lines = el('div', { class: 'strip-lines', role: 'status' });
  told = el('dl', { class: 'strip-told', hidden: true });
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
      { ...looks, onclick: () => this.open(this.told.hidden) },
      'of this sentence ?',
    );
    this.button.hidden = true;
    this.node = el('div', { class: 'stage-strip', hidden: true }, this.lines, this.button, this.told);
  }

  open(open: boolean) {
    this.told.hidden = !open;
    this.button.setAttribute('aria-expanded', String(open));
  }

  say(said: Said | null, covered: boolean) {
    this.node.hidden = said === null;
    const lines = said === null || covered ? [] : said.lines;
    const words = lines.join('\n');
    if (words === this.words) return;
    this.words = words;
    this.lines.replaceChildren(...lines.map((line) => el('p', {}, line.replaceAll(' %', '\u00a0%'))));
    this.button.hidden = !lines.length;
    if (!lines.length) this.open(false);
    const told = said?.told ?? [];
    this.told.replaceChildren(...told.flatMap(([name, what]) => [el('dt', {}, name), el('dd', {}, what)]));
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
