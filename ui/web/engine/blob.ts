/* The file of a live page (ui/export/live/pack.py): a header, tables, and weights as float16 in two planes of bytes. */

import type { Config } from './config.ts';
import type { TokenizerLayout } from './tokenizer.ts';
import { refusal } from './config.ts';

const MAGIC = 'ATLASPG1';

/** Where an array lies: `at` counts numbers from the start of its part. */
interface Placed {
  shape: number[];
  at: number;
}

export interface Projection {
  weight: Float32Array;
  bias: Float32Array | null;
}

interface Header {
  format: string;
  name: string;
  config: Config;
  halves: number;
  tensors: Record<string, Placed>;
  tables: Record<string, Placed>;
  source: TokenizerLayout;
  target: TokenizerLayout | null;
  examples: string[];
}

/** The number that each of the 65,536 float16 patterns stands for. */
function halfTable() {
  const numbers = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const size =
      exponent === 0
        ? fraction * 2 ** -24
        : exponent === 31
          ? fraction
            ? NaN
            : Infinity
          : (1 + fraction / 1024) * 2 ** (exponent - 15);
    numbers[bits] = bits & 0x8000 ? -size : size;
  }
  return numbers;
}

/** Float16 numbers, whose low bytes come first and then their high bytes, as float32. */
function fromHalves(planes: Uint8Array, count: number) {
  const table = halfTable();
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = table[planes[i] | (planes[count + i] << 8)];
  return numbers;
}

/** A packed model: what its header says, and its arrays by the names they have in core. */
export class Blob16 {
  readonly header: Header;
  private readonly halves: Float32Array;
  private readonly tables: ArrayBuffer;

  /** Throws an Error of one sentence for bytes that are no packed model, or one that the engine cannot run. */
  constructor(bytes: Uint8Array) {
    const broken = new Error('The model in this page is damaged; download the page again.');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < 16 || new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC) throw broken;
    const length = view.getUint32(8, true);
    const tableBytes = view.getUint32(12, true);
    const end = 16 + length + tableBytes;
    if (end > bytes.length) throw broken;
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length))) as Header;
    const reason = refusal(this.header.config as unknown as Record<string, unknown>);
    if (reason !== null) throw new Error(reason);
    if (bytes.length !== end + 2 * this.header.halves) throw broken;
    this.tables = bytes.slice(16 + length, end).buffer;
    this.halves = fromHalves(bytes.subarray(end), this.header.halves);
  }

  has(name: string) {
    return name in this.header.tensors || name in this.header.tables;
  }

  /** The weights called `name`, as float32. Tied tables share their memory. */
  weights(name: string): Float32Array {
    const entry = this.header.tensors[name];
    if (!entry) throw new Error(`The model in this page has no weights ${name}.`);
    return this.halves.subarray(entry.at, entry.at + sizeOf(entry));
  }

  /** The same where there may be none, such as a bias. */
  maybe(name: string) {
    return this.has(name) ? this.weights(name) : null;
  }

  /** The matrix and the bias, if it has one, of a projection. */
  projection(prefix: string): Projection {
    return { weight: this.weights(`${prefix}.weight`), bias: this.maybe(`${prefix}.bias`) };
  }

  /** A table that is computed and not learned: sinusoids, or the bucket of each distance. */
  numbers(name: string): Float32Array {
    const entry = this.header.tables[name];
    if (!entry) throw new Error(`The model in this page has no table ${name}.`);
    return new Float32Array(this.tables, entry.at * 4, sizeOf(entry));
  }
}

const sizeOf = ({ shape }: Placed) => shape.reduce((product, axis) => product * axis, 1);

/** Lets the page draw and answer its reader before the next piece of work. */
export const pause = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * The `size` bytes that `blocks` hold. `report` gets the share that is done, as it grows. Rejects with an Error of
 * one sentence where the blocks do not give that many.
 */
export async function unpacked(blocks: string[], size: number, report: (share: number) => void) {
  const damaged = new Error('The model in this page is damaged; download the page again.');
  const bytes = new Uint8Array(size);
  const { readable, writable } = new DecompressionStream('deflate');
  const inflate = async () => {
    let filled = 0;
    const reader = readable.getReader();
    for (;;) {
      const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
      if (done || !value) break;
      if (filled + value.length > size) throw damaged;
      bytes.set(value, filled);
      filled += value.length;
      report(filled / size);
    }
    if (filled !== size) throw damaged;
  };
  const feed = async () => {
    const writer = writable.getWriter();
    for (const block of blocks) {
      const text = atob(block);
      const part = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) part[i] = text.charCodeAt(i);
      await writer.write(part);
      await pause();
    }
    await writer.close();
  };
  try {
    await Promise.all([inflate(), feed()]);
  } catch {
    throw damaged;
  }
  return bytes;
}
