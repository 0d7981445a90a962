/* What the stage's lines and map hold: the weights of a head, or ALTI+, the shares of the source words in each written word,
   which come after the stage is drawn. */

/** @import { Host, Numbers, Part, Sheet } from '../types' */

import { unpack } from '../base/arrays.js';
import { chooser } from '../base/controls.js';
import { el } from '../base/dom.js';
import { bus } from '../base/events.js';
import { spokenPercent } from '../base/words.js';
import { rowOf } from '../maps/sheet.js';

const OPTIONS = /** @type {const} */ ([
  ['weight', 'weight'],
  ['alti', 'ALTI+'],
]);

export class StageMeasure {
  /**
   * @param {Host} host
   * @param {() => void} changed
   */
  constructor(host, changed) {
    this.value = 'weight';
    this.pick = chooser(
      OPTIONS,
      this.value,
      (value) => this.choose(host, value, changed),
      'What is drawn',
      'pick',
    );
    /** The list, where there is something to choose. */
    this.node = el('span', { hidden: true }, this.pick, ' · ');
    /** @type {{ of: object | null, numbers: Numbers }} */
    this.kept = { of: null, numbers: new Float32Array(0) };
  }

  /**
   * @param {Host} host
   * @param {string} value
   * @param {() => void} changed
   */
  choose(host, value, changed) {
    this.value = value;
    host.trigger('measured', value);
    changed();
  }

  /** The selection's, where it is news. @param {string} value */
  take(value) {
    this.value = value;
    this.pick.value = value;
  }

  /**
   * The shares (T, S) of a decode, row by row; null where weights are drawn, or while the shares are on their way.
   * @param {string} decode
   * @param {number} size
   */
  shares(decode, size) {
    const said = bus().last.trouble;
    if (this.value !== 'alti' || !decode || said?.decode !== decode || !said.shares) return null;
    if (this.kept.of !== said) this.kept = { of: said, numbers: unpack(said.shares) };
    return this.kept.numbers.length === size ? this.kept.numbers : null;
  }
}

/**
 * What a row of shares leaves to the words written before.
 * @param {number[]} row
 * @returns {Part[]}
 */
export const restWords = (row) => [
  ` ${spokenPercent(Math.max(0, 1 - row.reduce((a, b) => a + b, 0)))} came from the words before.`,
];

/**
 * The whole map: what its rows have from the source, and from the words before, on average.
 * @param {Sheet} sheet
 * @returns {Part[]}
 */
export function wholeWords(sheet) {
  const shares = Array.from({ length: sheet.written }, (_, i) => rowOf(sheet, i).reduce((a, b) => a + b, 0));
  if (!shares.length) return ['Nothing is written yet.'];
  const mean = Math.min(1, shares.reduce((a, b) => a + b, 0) / shares.length);
  const over = shares.length === 1 ? 'the one token written' : `the ${shares.length} tokens written`;
  const before = ` came from the source and ${spokenPercent(1 - mean)} from the words before, on average over ${over}.`;
  return [{ strong: spokenPercent(mean) }, before];
}
