/* The Translate page's stage: lines, next word and map of one decode, with its playback.
   Every known step of every head is in the data, so stepping, scrubbing, playing, hovering and changing the
   head draw at once and send nothing. The server hears of a word forced and, a moment after the reader rests,
   where the reader is (so that links and other pages can follow).

   A decode that the reader asked for writes itself and rests on the finished sentence: no row is lit there, since the
   last step only wrote the end token, and the sentence is about the whole map. Until the end, and again after “to the
   start”, it is covered: nothing on the page shows the words to come, not even how many there are. */

import type { Host } from '../web/base/view.ts';
import type { StageAnswers, StageData, StageLook } from '../web/generated/types.ts';
import type { Candidate } from './next_word.ts';
import type { Leaving } from '../web/marks/leaving.ts';
import type { Frame } from './stage_position.ts';
import { card, el, onPage } from '../web/base/dom.ts';
import { announce, linked, pageKeys } from '../web/base/events.ts';
import { csvNumber } from '../web/base/export.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { tr } from '../web/base/language.ts';
import { Playback } from '../web/base/playback.ts';
import { isSlide } from '../web/base/slide.ts';
import { viewOf } from '../web/base/view.ts';
import { within } from '../web/base/words.ts';
import { PinnedTokens } from '../web/maps/selection.ts';
import { TABLE_HEAD, tableOf } from '../web/maps/sheet.ts';
import { NextWord, leastCertain } from './next_word.ts';
import { StagePicks, dockOnPhone, stageBar } from './stage_controls.ts';
import { StageLines } from './stage_lines.ts';
import { StageMap } from './stage_map.ts';
import { Reader } from './stage_position.ts';
import { StageText, nextWords, stageSentence, stageTitle } from './stage_text.ts';
import './stage.css';

const REST = 350; // milliseconds after which a step counts as one the reader rests at

export class Stage {
  reader: Reader;
  frame!: Frame;
  restTimer = 0;
  view: ReturnType<typeof linked<StageLook>>;
  selection: PinnedTokens;
  grid = el('div', { class: 'stage' });
  cards;
  text: StageText;
  playback: Playback;
  kindWords = el('span');
  why = el('p', { class: 'stage-why' });
  picks: StagePicks;
  lines: StageLines;
  bars: NextWord;
  map: StageMap;
  /** Whether the reader is done with what has the focus: the last act was Enter in a field, or a click on a button. */
  done = false;

  constructor(
    root: HTMLElement,
    readonly host: Host,
  ) {
    this.view = linked<StageAnswers['view']>(host, 'view');
    this.selection = new PinnedTokens(host, () => this.select());
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
      [[tr('Tab, arrows'), tr('Move over words and cells')]],
    );
    top.node.append(this.why);
    this.reader = new Reader(host, this.selection);
    this.picks = new StagePicks(() => this.choose());
    top.subtitle.remove();
    top.body.append(stageBar(this.kindWords, this.picks.node, this.playback.tools));
    const goByHand = (step: number) => this.playback.byHand(step);
    this.lines = new StageLines(top.body, host, this.selection, goByHand);
    this.bars = new NextWord(left.body, host, (candidate) => this.force(candidate));
    this.map = new StageMap(right.body, host, this.selection, goByHand);
    this.playback.node.append(exportMenu(host, stageLeaving(this, 'lines')));
    top.controls.append(this.playback.node);
    dockOnPhone(root, host, this.playback.node, top.controls);
    left.controls.append(
      exportMenu(host, { name: () => `next-word-step-${this.stepShown + 1}`, ...this.bars.leaving }),
    );
    right.controls.append(exportMenu(host, stageLeaving(this, 'map')));
    this.listen();
  }

  listen() {
    pageKeys(this.host, { Escape: () => this.selection.clear() });
    const inField = (event: Event) => event.composedPath()[0] instanceof HTMLInputElement;
    onPage(this.host, 'keydown', (event) => {
      this.done = event.key === 'Enter' && inField(event);
    });
    onPage(this.host, 'pointerdown', (event) => {
      this.done = !inField(event);
    });
  }

  /* ---------- steps and choices ---------- */

  go(step: number) {
    const { reader } = this;
    const { length } = reader.data.target;
    reader.position = within(0, step, length);
    if (reader.position === length) reader.covered = false;
    this.draw();
    this.rest();
  }

  /** Back to the start; the words to come are hidden. */
  start() {
    this.reader.covered = this.reader.data.target.length > 0;
    this.go(0);
  }

  /** Report where the reader is once the wait is over, which may be another head than now, and playback has stopped. */
  rest(wait = REST) {
    clearTimeout(this.restTimer);
    const tell = () => {
      const { position, layer, head } = this.reader;
      if (!this.playback.playing) this.view.report({ position, layer, head });
    };
    this.restTimer = window.setTimeout(tell, wait);
  }

  choose() {
    Object.assign(this.reader, this.picks.read());
    this.draw();
    this.rest(0);
  }

  force({ id, label }: Candidate) {
    this.playback.pause();
    const forced = { position: Math.max(0, this.stepShown), id, label };
    this.host.trigger('forced', forced satisfies StageAnswers['forced']);
  }

  /* ---------- drawing ---------- */

  draw() {
    const { cards, reader } = this;
    const { data, position, covered } = reader;
    this.frame = reader.frameNow();
    const { sheet, kind } = this.frame;
    this.selection.trim(sheet.written, sheet.cols.length);
    this.grid.style.setProperty('--kind-text', this.host.colours[`${kind}_text`]);
    cards.top.tell({ title: stageTitle(this) });
    cards.right.tell({
      title: this.frame.rests ? tr('Every word written, every word read') : tr('The map so far'),
    });
    this.candidates();
    this.lines.update(this.frame);
    this.map.update(this.frame);
    cards.right.tell({ subtitle: this.map.axes });
    this.playback.update(position, data.target.length, covered);
    this.text.update(data.grown, position, covered, data.remarks);
    const opens = data.opens?.layer === reader.layer && data.opens.head === reader.head;
    this.why.textContent = (opens && data.opens?.why) || '';
    announce('stage', { id: data.id, step: position, covered });
    // What stood here while the model was loading (ui/app/frame.py) has done its part.
    for (const each of document.querySelectorAll('.atlas-loading')) each.classList.add('done');
    this.speak();
  }

  /** The step whose candidates are shown: the one just made; of a finished sentence, the pinned word's or the least certain. */
  get stepShown() {
    const { data, position } = this.reader;
    if (!this.frame.rests) return within(0, position - 1, data.steps.length - 1);
    const pinned = [...this.selection.rows].pop();
    return pinned ?? leastCertain(data.steps.slice(0, position));
  }

  candidates() {
    const { data, position } = this.reader;
    const step = data.steps[this.stepShown];
    this.cards.left.tell(nextWords(this, this.stepShown, step));
    if (!step) return;
    const chosen = position ? step : { ...step, chosen: null, forced: false, extra: null };
    this.bars.update(chosen, this.frame.kind, data.forcible);
  }

  /** After a change of what is hovered or pinned. */
  select() {
    if (!this.frame) return;
    if (this.frame.rests) this.candidates();
    this.lines.refresh();
    this.map.paint();
    this.speak();
  }

  speak() {
    // On a slide the sentence alone: the checks would be a second line, over what stands below.
    const notes = isSlide() ? [] : this.reader.data.notes.map((note) => ({ muted: note }));
    this.cards.top.tell({ readout: [...stageSentence(this), ...notes] });
  }

  /* ---------- data ---------- */

  update(next: StageData) {
    const { reader } = this;
    const before = reader.data;
    reader.take(next);
    this.selection.take(next.pins, before?.id !== next.id);
    let writes = false;
    if (before !== next) {
      const { position, layer, head } = next;
      writes = reader.follow(before, this.view.isNews({ position, layer, head }));
      if (before && before.id !== next.id) this.playback.pause();
    }
    this.picks.fill(reader);
    this.playback.explain(next.metrics);
    this.kindWords.textContent = `${next.kind_name} · `;
    if (!writes) return this.draw();
    // From now on the keys step the decoder.
    if (this.done && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    this.playback.update(0, next.target.length, true);
    this.playback.write();
  }

  relayout() {
    this.lines.relayout();
    this.map.relayout();
  }

  destroy() {
    clearTimeout(this.restTimer);
  }
}

/** The lines or the map of the stage as they leave the page. */
const stageLeaving = (stage: Stage, which: 'lines' | 'map'): Leaving => ({
  name: () => `${stage.reader.data.kind}-${which}-step-${stage.reader.position}`,
  who: () => stage.reader.subject(),
  title: () => stageTitle(stage),
  ...stage[which].picture,
  legend: which === 'map' ? () => stage.map.legend() : undefined,
  words: () => stageSentence(stage),
  rows: () => [TABLE_HEAD, ...tableOf(stage.frame.sheet, stage.frame.kind === 'encoder', csvNumber)],
});

export default viewOf(Stage);
