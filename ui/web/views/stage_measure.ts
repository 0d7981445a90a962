/* What the stage's lines and map hold: the weights of a head, or ALTI+, the shares of the source words in each written word,
   which come after the stage is drawn. */

import type { Numbers } from '../base/arrays.ts';
import type { Part } from '../base/dom.ts';
import type { Host } from '../base/view.ts';
import type { Sheet } from '../maps/sheet.ts';
import { unpack } from '../base/arrays.ts';
import { chooser } from '../base/controls.ts';
import { el } from '../base/dom.ts';
import { bus } from '../base/events.ts';
import { spokenPercent } from '../base/words.ts';
import { rowOf } from '../maps/sheet.ts';

const OPTIONS = [
  ['weight', 'weight'],
  ['alti', 'ALTI+'],
] as const;

export class StageMeasure {
  value = 'weight';
  pick: HTMLSelectElement;
  /** The list, where there is something to choose. */
  node: HTMLSpanElement;
  kept: { of: object | null; numbers: Numbers };

  constructor(host: Host, changed: () => void) {
    this.pick = chooser(
      OPTIONS,
      this.value,
      (value) => this.choose(host, value, changed),
      'What is drawn',
      'pick',
    );
    this.node = el('span', { hidden: true }, this.pick, ' · ');
    this.kept = { of: null, numbers: new Float32Array(0) };
  }

  choose(host: Host, value: string, changed: () => void) {
    this.value = value;
    host.trigger('measured', value);
    changed();
  }

  /** The selection's, where it is news. */
  take(value: string) {
    this.value = value;
    this.pick.value = value;
  }

  /**
   * The shares (T, S) of a decode, row by row; null where weights are drawn, or while the shares are on their way.
   */
  shares(decode: string, size: number) {
    const said = bus().last.trouble;
    if (this.value !== 'alti' || !decode || said?.decode !== decode || !said.shares) return null;
    if (this.kept.of !== said) this.kept = { of: said, numbers: unpack(said.shares) };
    return this.kept.numbers.length === size ? this.kept.numbers : null;
  }
}

/** What a row of shares leaves to the words written before. */
export const restWords = (row: number[]): Part[] => [
  ` ${spokenPercent(Math.max(0, 1 - row.reduce((a, b) => a + b, 0)))} came from the words before.`,
];

/** The whole map: what its rows have from the source, and from the words before, on average. */
export function wholeWords(sheet: Sheet): Part[] {
  const shares = Array.from({ length: sheet.written }, (_, i) => rowOf(sheet, i).reduce((a, b) => a + b, 0));
  if (!shares.length) return ['Nothing is written yet.'];
  const mean = Math.min(1, shares.reduce((a, b) => a + b, 0) / shares.length);
  const over = shares.length === 1 ? 'the one token written' : `the ${shares.length} tokens written`;
  const before = ` came from the source and ${spokenPercent(1 - mean)} from the words before, on average over ${over}.`;
  return [{ strong: spokenPercent(mean) }, before];
}
