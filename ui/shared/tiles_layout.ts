/* Where groups of heads stand: all tiles in the columns of one grid. Pure. */

const TILE = 64; // pixels of the design that a tile has at least, with its name and its number
const GAP = 6; // between two columns, as in tiles.css
const NAME = 2; // columns that a group's name takes at least

/** How many columns of tiles there are in this width, in pixels of the design. */
export const columnsOf = (width: number) => Math.max(NAME, Math.floor((width + GAP) / (TILE + GAP)));

/**
 * How many columns each group takes, by its tiles. Groups fill rows in their order, and what a row leaves over is shared
 * among its groups, so that no row has a hole at its end.
 */
export function spansOf(counts: readonly number[], columns: number): number[] {
  const rows: number[][] = [];
  let left = 0;
  for (const count of counts) {
    const wanted = Math.min(columns, Math.max(NAME, count));
    if (!rows.length || wanted > left) {
      rows.push([]);
      left = columns;
    }
    rows[rows.length - 1].push(wanted);
    left -= wanted;
  }
  return rows.flatMap((row) => {
    const over = columns - row.reduce((sum, span) => sum + span, 0);
    return row.map(
      (span, n) => span + Math.floor((over * (n + 1)) / row.length) - Math.floor((over * n) / row.length),
    );
  });
}
