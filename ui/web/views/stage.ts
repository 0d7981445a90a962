/* The Translate page's stage: lines, next word and map of one decode, with its playback.
   Every known step of every head is in the data, so stepping, scrubbing, playing, hovering and changing the
   head draw at once and send nothing. The server hears of a word forced and, a moment after the reader rests,
   where the reader is (so that links and other pages can follow).

   A decode that the reader asked for writes itself and rests on the finished sentence: no row is lit there, since the
   last step only wrote the end token, and the view tells of the whole map. Until that was reached, and again after
   “to the start”, it is covered: nothing on the page tells of the words to come, not even how many there are. */

import type { Column, Numbers } from '../base/arrays.ts';
import type { Kind } from '../base/colour.ts';
import type { Part } from '../base/dom.ts';
import type { Host, Mounting } from '../base/view.ts';
import type { Sheet } from '../maps/sheet.ts';
import type { Candidate, Step } from './next_word.ts';
import { unpack, within } from '../base/arrays.ts';
import { rampTable } from '../base/colour.ts';
import { MEAN, chooser, fillCounted } from '../base/controls.ts';
import { card, el, onPage, say } from '../base/dom.ts';
import { announce, bus, linked, listenTo, pageKeys } from '../base/events.ts';
import { exportMenu } from '../base/export.ts';
import { Playback } from '../base/playback.ts';
import { mount } from '../base/view.ts';
import { PRESS, visible } from '../base/words.ts';
import { Selection } from '../maps/selection.ts';
import { HINT, mapSentence } from '../maps/sentence.ts';
import { makeSheet, rowOf } from '../maps/sheet.ts';
import { NextWord } from './next_word.ts';
import { barsLeaving, stageLeaving } from './stage_leaving.ts';
import { StageLines } from './stage_lines.ts';
import { StageMap } from './stage_map.ts';
import { StageMeasure, restWords, wholeWords } from './stage_measure.ts';
import { meanOf } from './stage_numbers.ts';
import { StageText } from './stage_text.ts';
import './stage.css';

const REST = 350; // milliseconds after which a step counts as one the reader rests at
const AXES = 'attending (query) ↓   attended (key) →';

/**
 * What ui/components/decode_stage.py sends. `shape` is that of `weights`; `subjects[l][h]` says who looked, where 0 is
 * the mean and n + 1 a layer or head. `ended`: the last token is the end token. `id` names the decode; `writes`: it writes itself where it is news. `grown` has for
 * each token how many characters of the text before it stay, and what it adds. `opens` is the head that opens and `why`.
 */
interface StageData {
  source: string[];
  target: string[];
  weights: Column;
  shape: [number, number, number, number];
  layers: number;
  heads: number;
  layer: number | null;
  head: number | null;
  steps: Step[];
  position: number;
  ended: boolean;
  forced: number[];
  notes: string[];
  kind: Kind;
  kindName: string;
  subjects: string[][];
  id: string;
  writes: boolean;
  grown: [number, string][];
  remarks: string[];
  opens: { layer: number; head: number; why: string } | null;
  metrics: [string, string][];
  decode: string;
  measure: string;
}

/**
 * One step as the pictures see it: the map as far as it is written, the row that is lit (the one just written; −1: none,
 * at the start and at rest), and what to show most: what is hovered or pinned, else that row. `step` counts the words
 * written. Of a covered decode the map ends with the row just written.
 */
export interface Frame {
  sheet: Sheet;
  row: number;
  step: number;
  rests: boolean;
  kind: Kind;
  forced: Set<number>;
  /** Whether nothing may be told of the words to come. */
  covered: boolean;
  focus(): { rows: Set<number>; cols: Set<number>; cell: boolean };
}

export class Stage {
  data!: StageData;
  weights: Numbers;
  position = 0;
  covered = true;
  /** null is the mean */
  layer: number | null = 0;
  head: number | null = null;
  sheets = new Map<string, Sheet>();
  frame!: Frame;
  restTimer = 0;
  view: ReturnType<typeof linked>;
  selection: Selection;
  grid: HTMLDivElement;
  cards;
  text: StageText;
  playback: Playback;
  kindWords: HTMLSpanElement;
  why: HTMLParagraphElement;
  measure: StageMeasure;
  layerPick: HTMLSelectElement;
  headPick: HTMLSelectElement;
  heads: HTMLSpanElement;
  lines: StageLines;
  bars: NextWord;
  map: StageMap;
  /** Whether the reader is done with what has the focus: the last act was Enter in a field, or a click on a button. */
  done = false;

  constructor(
    root: HTMLElement,
    readonly host: Host,
  ) {
    this.weights = new Uint16Array(0);
    this.view = linked(host, 'view');
    this.selection = new Selection(() => this.select());
    this.grid = el('div', { class: 'stage' });
    root.append(el('div', { class: 'stage-wrap' }, this.grid));
    const [top, left, right] = [card(this.grid), card(this.grid), card(this.grid)];
    this.cards = { top, left, right };
    top.node.append(top.readout);
    this.text = new StageText(top.node, host);
    this.playback = new Playback(
      host,
      {
        go: (step) => this.go(step),
        rested: () => this.rest(),
        listens: () => true,
        start: () => this.start(),
      },
      [['Tab, arrows', 'walk over words and cells']],
    );
    this.kindWords = el('span');
    this.why = el('p', { class: 'stage-why' });
    top.node.append(this.why);
    const changed = () => this.choose();
    this.measure = new StageMeasure(host, () => this.draw());
    this.layerPick = chooser([], null, changed, 'Layer', 'pick');
    this.headPick = chooser([], null, changed, 'Head', 'pick');
    this.heads = el('span', {}, this.layerPick, ' · ', this.headPick);
    top.subtitle.remove();
    top.body.append(this.makeBar());
    const goByHand = (step: number) => this.playback.byHand(step);
    this.lines = new StageLines(top.body, host, this.selection, goByHand);
    this.bars = new NextWord(left.body, host, (candidate) => this.force(candidate));
    this.map = new StageMap(right.body, host, this.selection, goByHand);
    this.playback.node.append(exportMenu(host, stageLeaving(this, 'lines')));
    top.controls.append(this.playback.node);
    left.controls.append(exportMenu(host, barsLeaving(this)));
    right.controls.append(exportMenu(host, stageLeaving(this, 'map')));
    this.listen();
  }

  listen() {
    pageKeys(this.host, { Escape: () => this.selection.clear() });
    listenTo(this.host, 'trouble', () => this.data && this.draw());
    const inField = (event: Event) => event.composedPath()[0] instanceof HTMLInputElement;
    onPage(this.host, 'keydown', (event) => {
      this.done = event.key === 'Enter' && inField(event);
    });
    onPage(this.host, 'pointerdown', (event) => {
      this.done = !inField(event);
    });
  }

  makeBar() {
    const aside = (words: string) => el('span', { class: 'stage-hint' }, words);
    this.heads.append(aside(' · '));
    const picks = [this.kindWords, this.measure.node, this.heads, aside(HINT)];
    const settings = el('span', { class: 'stage-settings' }, ...picks);
    return el(
      'div',
      { class: 'stage-bar' },
      settings,
      el('span', { class: 'stage-tools' }, this.playback.tools),
    );
  }

  /* ---------- numbers ---------- */

  /** The chosen layer and head as a map; a mean over heads, layers or both where none is chosen. */
  sheet() {
    const made = this.shares();
    const name = made ? 'alti' : `${this.layer}/${this.head}`;
    const known = this.sheets.get(name);
    if (known) return known;
    const { source, target, shape, kind } = this.data;
    const shares = made ?? meanOf(this.weights, shape, this.layer, this.head);
    const { panel, [kind]: colour } = this.host.colours;
    const at = (i: number, j: number) => shares[i * source.length + j];
    const drawn = makeSheet({ rows: target, cols: source }, at, rampTable(panel, colour));
    this.sheets.set(name, drawn);
    return drawn;
  }

  /** ALTI+ where it is drawn, else null. */
  shares() {
    const { decode, source, target } = this.data;
    return this.measure.shares(decode, source.length * target.length);
  }

  frameNow(): Frame {
    const { kind, forced, target, source } = this.data;
    const { covered, position } = this;
    const whole = this.sheet();
    const index = whole.index.subarray(0, position * source.length);
    const sheet = covered ? { ...whole, rows: target.slice(0, position), index } : whole;
    sheet.written = position;
    const rests = this.data.ended && position === target.length && position > 0;
    const row = rests ? -1 : position - 1;
    const focus = () => {
      const active = this.selection.active;
      const free = !active.rows.size && !active.cols.size && row >= 0;
      return free ? { ...active, rows: new Set([row]) } : active;
    };
    return { sheet, row, step: position, rests, kind, forced: new Set(forced), covered, focus };
  }

  /* ---------- steps and choices ---------- */

  go(step: number) {
    this.position = within(0, step, this.data.target.length);
    if (this.position === this.data.target.length) this.covered = false;
    this.draw();
    this.rest();
  }

  /** Back to the start, with nothing told of what is to come. */
  start() {
    this.covered = this.data.target.length > 0;
    this.go(0);
  }

  /** Tells Python where the reader is, once playback has stopped. */
  rest(wait = REST) {
    clearTimeout(this.restTimer);
    const { position, layer, head } = this;
    const tell = () => !this.playback.playing && this.view.report({ position, layer, head });
    this.restTimer = window.setTimeout(tell, wait);
  }

  choose() {
    const read = (pick: HTMLSelectElement) => (pick.value === MEAN ? null : Number(pick.value));
    [this.layer, this.head] = [read(this.layerPick), read(this.headPick)];
    this.draw();
    this.rest(0);
  }

  force(candidate: Candidate) {
    this.playback.pause();
    this.host.trigger('forced', { ...candidate, position: Math.max(0, this.position - 1) });
  }

  /* ---------- drawing ---------- */

  draw() {
    const { data, cards, position } = this;
    this.frame = this.frameNow();
    const { sheet, kind } = this.frame;
    const made = this.shares() !== null;
    this.measure.node.hidden = !data.decode;
    this.heads.hidden = made;
    this.map.words = made ? 'ALTI+: share of the written word' : '';
    this.selection.trim(sheet.written, sheet.cols.length);
    this.grid.style.setProperty('--kind-text', this.host.colours[`${kind}_text`]);
    say(cards.top.title, this.title());
    say(cards.right.title, [this.frame.rests ? 'The whole map' : 'The map so far']);
    say(cards.right.subtitle, [AXES]);
    const step = data.steps[within(0, position - 1, data.steps.length - 1)];
    say(cards.left.title, [this.frame.rests ? 'Last step' : position ? 'Next word' : 'First word']);
    const press = this.frame.rests
      ? `the sentence ends here; ${PRESS} a word to go on`
      : `${PRESS} a word to force it`;
    say(cards.left.subtitle, [press, step?.cut ? ` · ${step.cut.label} marked` : '']);
    if (step) this.bars.update(position ? step : { ...step, chosen: null, forced: false, extra: null }, kind);
    this.lines.update(this.frame);
    this.map.update(this.frame);
    this.playback.update(position, data.target.length, this.covered);
    this.text.update(data.grown, position, this.covered, data.remarks);
    this.text.say(this.strip(), this.covered);
    const opens = data.opens?.layer === this.layer && data.opens.head === this.head;
    this.why.textContent = (opens && data.opens?.why) || '';
    announce('stage', { id: data.id, step: position, covered: this.covered });
    // What stood here while the model was loading (ui/shell/patience.py) has done its part.
    for (const each of document.querySelectorAll('.atlas-loading')) each.classList.add('done');
    this.speak();
  }

  /** What speaks against the translation; null where nothing will be said of it. */
  strip() {
    const { decode } = this.data;
    const said = bus().last.trouble;
    return decode ? (said?.decode === decode ? said : { lines: [], told: [] }) : null;
  }

  /** After a change of what is hovered or pinned. */
  select() {
    if (!this.frame) return;
    this.lines.refresh();
    this.map.paint();
    this.speak();
  }

  title(): Part[] {
    const { row, kind, sheet, rests } = this.frame;
    if (rests && this.shares()) return ['What ', { kind: 'each word' }, ' is made of'];
    if (rests) return ['Where the decoder looked while it wrote ', { kind: 'each word' }];
    if (row < 0) return ['The encoder has read the sentence; nothing is written yet'];
    if (this.shares()) return ['What ', { kind: `“${visible(sheet.rows[row])}”` }, ' is made of'];
    const looks = kind === 'encoder' ? 'encoder looks while it reads ' : 'decoder looks while it writes ';
    return [`Where the ${looks}`, { kind: `“${visible(sheet.rows[row])}”` }];
  }

  /** Who looked: the layer and head chosen. */
  subject() {
    return this.data.subjects[(this.layer ?? -1) + 1][(this.head ?? -1) + 1];
  }

  sentence(): Part[] {
    const { sheet, row, kind } = this.frame;
    const made = this.shares() !== null;
    const mode = made ? 'contribution' : 'weights';
    const who = made ? 'the model' : this.subject();
    const said = mapSentence({
      ...this.selection.active,
      ...{ sheets: [sheet], subjects: [who], names: [], row },
      how: { verb: kind === 'encoder' ? 'Reading' : 'Writing', mode },
      hint: this.selection.pinned ? this.selection.hint : '',
    });
    const { rows, cols } = this.selection.active;
    if (!made || rows.size || cols.size) return said;
    return row < 0 ? wholeWords(sheet) : [...said, ...restWords(rowOf(sheet, row))];
  }

  speak() {
    const notes = this.data.notes.map((note) => ({ muted: note }));
    say(this.cards.top.readout, [...this.sentence(), ...notes]);
  }

  /* ---------- data ---------- */

  fillPicks() {
    fillCounted(this.layerPick, this.data.layers, 'layer', this.layer);
    fillCounted(this.headPick, this.data.heads, 'head', this.head);
  }

  /**
   * Where to stand when new data arrives: stay, unless the decode or the server's wish has changed. An answer to what
   * was told from here is no wish. Returns whether the decode is to write itself.
   */
  settle(before: StageData | null) {
    const { id, target, position, layer, head, writes } = this.data;
    const news = this.view.isNews({ position, layer, head });
    if (!before || (news && (before.layer !== layer || before.head !== head)))
      [this.layer, this.head] = [layer, head];
    if (before?.id !== id || (news && before.position !== position)) this.position = position;
    this.position = Math.min(this.position, target.length);
    const shown = bus().last.stage; // by this view or, on an earlier page, by another
    const other = shown?.id !== id;
    this.covered = this.position < target.length && (other || shown.covered);
    return writes && other && shown !== undefined && target.length > 0;
  }

  update(next: StageData) {
    const before = this.data;
    this.data = next;
    this.sheets = new Map();
    let writes = false;
    if (before?.measure !== next.measure) this.measure.take(next.measure);
    if (before !== next) {
      this.weights = unpack(next.weights);
      writes = this.settle(before);
      if (before && before.id !== next.id) this.playback.pause();
    }
    this.fillPicks();
    this.playback.explain(next.metrics);
    this.kindWords.textContent = `${next.kindName} · `;
    if (!writes) return this.draw();
    // From now on the keys step the decoder.
    if (this.done && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    this.playback.update(0, next.target.length, true);
    this.playback.write();
  }

  relayout() {
    if (!this.data) return;
    this.lines.relayout();
    this.map.relayout();
  }

  destroy() {
    clearTimeout(this.restTimer);
  }
}

export default function view(args: Mounting<StageData>) {
  return mount(args, (root, host) => new Stage(root, host));
}
