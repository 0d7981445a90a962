/* The bar of the stage and its buttons, and the words of its lines as buttons: pointed at, pinned, walked along; a word to
   come is gone to. */

import type { Host } from '../web/base/view.ts';
import type { LinesLayout } from '../shared/lines_layout.ts';
import type { Selection } from '../web/maps/selection.ts';
import type { Frame, Reader } from './stage_position.ts';
import { MEAN, chooser, fillCounted } from '../web/base/controls.ts';
import { el, onPreview } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { shorten, textWidth } from '../web/base/paint.ts';
import { isSpecial, visible } from '../web/base/words.ts';
import { readsLeft } from '../web/marks/labels.ts';
import { hint } from '../web/maps/sentence.ts';

/** The lines between the words: where they stand, the step they show, and how another step is gone to. */
interface WordLines {
  layout: LinesLayout;
  frame: Frame;
  selection: Selection;
  go(step: number): void;
}

export class WordButtons {
  rows: { source: HTMLDivElement; target: HTMLDivElement };
  labels = { source: [] as string[], target: [] as string[] };
  buttons = { source: [] as HTMLElement[], target: [] as HTMLElement[] };

  constructor(readonly lines: WordLines) {
    const row = (label: string) => el('div', { class: 'lines-row', role: 'group', 'aria-label': label });
    this.rows = { source: row(tr('Source words')), target: row(tr('Written words')) };
  }

  /** A word of a side; it shows its row or column while pointed at. */
  wordButton(side: 'source' | 'target', label: string, n: number) {
    const { limit, size } = this.lines.layout;
    const name = el('bdi', { dir: 'auto' }, shorten(visible(label), limit, size));
    const title = limit < textWidth(label, size) ? label : null;
    const button = el('button', { class: 'token', title }, name);
    button.classList.toggle('special', isSpecial(label));
    const at = side === 'source' ? { col: n } : { row: n };
    const waiting = () => side === 'target' && n >= this.lines.frame.sheet.written;
    const show = () => !waiting() && this.lines.selection.hover(at);
    onPreview(button, show, () => this.lines.selection.hover(null));
    button.addEventListener('click', (event) => {
      if (waiting()) this.lines.go(n + 1);
      else this.lines.selection.toggle(at);
      // After a click with the pointer the arrow keys should step the decoder, not walk along the words.
      if (event.detail > 0) button.blur();
    });
    button.addEventListener('keydown', (event) => this.walk(event, side, n));
    return button;
  }

  /** One tab stop per row; arrows walk along it (and do not step the decoder meanwhile). */
  walk(event: KeyboardEvent, side: 'source' | 'target', n: number) {
    const steps: Record<string, number> = this.lines.layout.flat
      ? { ArrowRight: 1, ArrowLeft: -1 }
      : { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const labels = side === 'source' ? this.lines.frame.sheet.cols : this.lines.frame.sheet.rows;
    this.buttons[side][n + (readsLeft(labels) ? -step : step)]?.focus();
  }

  /** The buttons of a side: a word that stays keeps its own, and with it focus and pointer. */
  fill(side: 'source' | 'target', labels: string[]) {
    const row = this.rows[side];
    const before = this.labels[side];
    const kept = this.buttons[side];
    const buttons = labels.map((label, n) =>
      kept[n] && before[n] === label ? kept[n] : this.wordButton(side, label, n),
    );
    buttons.forEach((button, n) => {
      const { flat, x } = this.lines.layout;
      const along = `${this.lines.layout[side][n]}px`;
      button.style.left = flat ? along : `${x[side]}px`;
      button.style.top = flat ? '' : along;
      if (row.children[n] !== button) row.insertBefore(button, row.children[n] ?? null);
    });
    while (row.children.length > buttons.length) row.lastElementChild?.remove();
    this.buttons[side] = buttons;
    this.labels[side] = labels;
  }

  /** How every word looks now. */
  mark() {
    const { sheet, row, forced, focus } = this.lines.frame;
    const { rows, cols } = focus();
    const look = (button: HTMLElement, on: boolean, pinned: boolean, tab: boolean) => {
      button.classList.toggle('pinned', pinned);
      button.classList.toggle('on', on);
      button.setAttribute('aria-pressed', String(pinned));
      button.tabIndex = tab ? 0 : -1;
    };
    this.buttons.source.forEach((button, n) => {
      look(button, cols.has(n), this.lines.selection.cols.has(n), n === 0);
      button.setAttribute('aria-label', visible(sheet.cols[n]));
    });
    this.buttons.target.forEach((button, n) => {
      const waiting = n >= sheet.written;
      look(button, rows.has(n) && n !== row, this.lines.selection.rows.has(n), n === Math.max(0, row));
      button.classList.toggle('waiting', waiting);
      button.classList.toggle('current', n === row);
      button.classList.toggle('forced', !waiting && forced.has(n));
      // The name says that the word is still to come; what stands in its place is no part of it.
      button.firstElementChild?.setAttribute('aria-hidden', String(waiting));
      button.dataset.forced = `↳ ${tr('forced')}`;
      const words = waiting ? tr('Step {step}, not written yet', { step: n + 1 }) : visible(sheet.rows[n]);
      button.setAttribute('aria-label', words);
    });
  }

  /** Recreates every word: at another size they are shortened differently. */
  forget() {
    this.labels = { source: [], target: [] };
  }
}

/* The layer and the head whose weights the stage shows; the mean where none is chosen. */

export class StagePicks {
  layer: HTMLSelectElement;
  head: HTMLSelectElement;
  node: HTMLSpanElement;

  constructor(changed: () => void) {
    this.layer = chooser([], null, changed, tr('Layer'), 'pick');
    this.head = chooser([], null, changed, tr('Head'), 'pick');
    this.node = el('span', {}, this.layer, ' · ', this.head);
  }

  fill({ data, layer, head }: Reader) {
    fillCounted(this.layer, data.layers, 'layer', layer);
    fillCounted(this.head, data.heads, 'head', head);
  }

  read() {
    const read = (pick: HTMLSelectElement) => (pick.value === MEAN ? null : Number(pick.value));
    return { layer: read(this.layer), head: read(this.head) };
  }
}

const TYPING = 0.7; // of the window's height: less is left where a keyboard is on the screen

/** What is drawn, and the buttons that step through it. */
export function stageBar(kindWords: HTMLElement, picks: HTMLElement, tools: HTMLElement) {
  const aside = (words: string) => el('span', { class: 'stage-hint' }, words);
  picks.append(aside(' · '));
  const drawn = [kindWords, picks, aside(hint())];
  const settings = el('span', { class: 'stage-settings' }, ...drawn);
  return el('div', { class: 'stage-bar' }, settings, el('span', { class: 'stage-tools' }, tools));
}

/** On a phone the buttons are under the thumb, at the foot of the screen, unless a keyboard takes it. */
export function dockOnPhone(root: HTMLElement, { signal }: Host, buttons: HTMLElement, home: HTMLElement) {
  const phone = window.matchMedia?.('(max-width: 640px)');
  if (!phone) return;
  const foot = el('div', { class: 'stage-dock' });
  root.append(foot);
  const dockOrNot = () => {
    if (phone.matches) foot.append(buttons);
    else home.append(buttons);
  };
  phone.addEventListener('change', dockOrNot, { signal });
  const view = window.visualViewport;
  view?.addEventListener(
    'resize',
    () => foot.classList.toggle('typing', view.height < TYPING * window.innerHeight),
    { signal },
  );
  dockOrNot();
}
