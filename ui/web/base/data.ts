/* What Python sends to a view: plain fields, and arrays of numbers beside them (`pack` in ui/web/contract.py). */

import type { Spoken } from './language.ts';

export type Numbers = Float32Array | Uint8Array | Uint16Array;

/** An Arrow table with one column, as Streamlit hands over an array; nothing for an empty one. */
type Column = { getChildAt?(index: number): { toArray(): Numbers } | null } | null | undefined;

/** The arrays that Python sends, by their types there. */
export const ARRAYS = { float32: Float32Array, uint16: Uint16Array, uint8: Uint8Array };

/**
 * Fields, and for each array the way to it and its type; the arrays themselves are `column0`, `column1`, … `language`: the
 * words of the view where the reader's language is not English.
 */
export interface Packed {
  language?: Spoken;
  fields: object;
  arrays: [path: (string | number)[], type: keyof typeof ARRAYS][];
  [column: `column${number}`]: Column | Numbers;
}

const revived = new WeakMap<object, unknown>();

const numbersOf = (column: Column | Numbers, type: keyof typeof ARRAYS): Numbers => {
  if (ArrayBuffer.isView(column)) return column;
  return column?.getChildAt?.(0)?.toArray() ?? new ARRAYS[type](0);
};

/** The data of a view with their arrays in place; the same object for the same message. */
export function revive<Data>(packed: Packed): Data {
  if (!revived.has(packed)) {
    const data = structuredClone(packed.fields);
    packed.arrays.forEach(([path, type], n) => {
      const owner = path.slice(0, -1).reduce<object>((at, step) => at[step as never], data);
      Object.assign(owner, { [path[path.length - 1]]: numbersOf(packed[`column${n}`], type) });
    });
    revived.set(packed, data);
  }
  return revived.get(packed) as Data;
}
