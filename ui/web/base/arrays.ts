/** An Arrow table with one column, as Streamlit hands over an array. */
interface ArrowColumn {
  getChildAt?(index: number): { toArray(): Numbers } | null;
}

/** What Streamlit hands over for an array; nothing for an empty one. */
export type Column = ArrowColumn | null | undefined;

export type Numbers = Float32Array | Float64Array | Uint8Array | Uint16Array;

/** The numbers of an Arrow column as a typed array (uint8, uint16, float32); empty when there is none. */
export function unpack(table: Column): Numbers {
  const column = table?.getChildAt?.(0);
  return column ? column.toArray() : new Uint8Array(0);
}

/** Indices of the largest values, largest first; of equal ones the first. */
export const topIndices = (values: ArrayLike<number>, count: number) =>
  Array.from(values, (_, i) => i)
    .sort((a, b) => values[b] - values[a] || a - b)
    .slice(0, count);

export const within = (low: number, value: number, high: number) => Math.min(high, Math.max(low, value));
