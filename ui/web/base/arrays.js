/* ---------- arrays from Python ---------- */


/** The numbers of an Arrow column as a typed array (uint8, uint16, float32); empty when there is none. */
export function unpack(table) {
  const column = table?.getChildAt?.(0);
  return column ? column.toArray() : new Uint8Array(0);
}

/** Indices of the largest values, largest first. */
export const topIndices = (values, count) =>
  Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);

