/* Node has no canvas: words are as wide as they have letters, six tenths of the size each. */

const context = {
  font: '',
  measureText(words) {
    return {
      width: words.length * 0.6 * Number(/([\d.]+)px/.exec(this.font)[1]),
    };
  },
};
globalThis.document = { createElement: () => ({ getContext: () => context }) };

/** A sheet of these numbers, a row a list; NaN may not be attended. */
export async function sheetOf(numbers, rows, cols, look = {}) {
  const { makeSheet } = await import('../../../ui/web/maps/sheet.ts');
  const words = {
    rows: rows ?? numbers.map((_, i) => `q${i}`),
    cols: cols ?? numbers[0].map((_, j) => `k${j}`),
  };
  const table = Array.from({ length: 256 }, (_, n) => `#${n.toString(16).padStart(6, '0')}`);
  return makeSheet({ ...words, written: look.written }, (i, j) => numbers[i][j], table, look);
}
