/* Products, norms, activations and softmax over float32 rows. Sums are kept in float64, as JavaScript has them. */

import type { Projection } from './blob.ts';
import type { Config } from './config.ts';

interface Product {
  x: Float32Array;
  w: Float32Array;
  b: Float32Array | null;
  y: Float32Array;
  cols: number;
  out: number;
}

/**
 * x Wᵀ + b for `rows` rows of x: W is (out, cols), b (out) or null → (rows, out). Four outputs and two rows at a time, so
 * that each number that is read serves several products.
 */
export function linear(x: Float32Array, rows: number, { weight: w, bias: b }: Projection) {
  const cols = x.length / rows;
  const out = w.length / cols;
  const product = { x, w, b, y: new Float32Array(rows * out), cols, out };
  let o = 0;
  for (; o + 4 <= out; o += 4) {
    let row = 0;
    for (; row + 2 <= rows; row += 2) fourOfTwo(product, o, row);
    if (row < rows) fourOfOne(product, o, row);
  }
  for (; o < out; o++) for (let row = 0; row < rows; row++) oneOfOne(product, o, row);
  return product.y;
}

function fourOfTwo({ x, w, b, y, cols, out }: Product, o: number, row: number) {
  const p0 = row * cols;
  const q0 = p0 + cols;
  const w0 = o * cols;
  const w1 = w0 + cols;
  const w2 = w1 + cols;
  const w3 = w2 + cols;
  let p1 = b ? b[o] : 0;
  let p2 = b ? b[o + 1] : 0;
  let p3 = b ? b[o + 2] : 0;
  let p4 = b ? b[o + 3] : 0;
  let q1 = p1;
  let q2 = p2;
  let q3 = p3;
  let q4 = p4;
  for (let i = 0; i < cols; i++) {
    const p = x[p0 + i];
    const q = x[q0 + i];
    const a = w[w0 + i];
    const c = w[w1 + i];
    const d = w[w2 + i];
    const e = w[w3 + i];
    p1 += p * a;
    q1 += q * a;
    p2 += p * c;
    q2 += q * c;
    p3 += p * d;
    q3 += q * d;
    p4 += p * e;
    q4 += q * e;
  }
  const at = row * out + o;
  y[at] = p1;
  y[at + 1] = p2;
  y[at + 2] = p3;
  y[at + 3] = p4;
  y[at + out] = q1;
  y[at + out + 1] = q2;
  y[at + out + 2] = q3;
  y[at + out + 3] = q4;
}

function fourOfOne({ x, w, b, y, cols, out }: Product, o: number, row: number) {
  const x0 = row * cols;
  const w0 = o * cols;
  const w1 = w0 + cols;
  const w2 = w1 + cols;
  const w3 = w2 + cols;
  let p1 = b ? b[o] : 0;
  let p2 = b ? b[o + 1] : 0;
  let p3 = b ? b[o + 2] : 0;
  let p4 = b ? b[o + 3] : 0;
  for (let i = 0; i < cols; i++) {
    const p = x[x0 + i];
    p1 += p * w[w0 + i];
    p2 += p * w[w1 + i];
    p3 += p * w[w2 + i];
    p4 += p * w[w3 + i];
  }
  const at = row * out + o;
  y[at] = p1;
  y[at + 1] = p2;
  y[at + 2] = p3;
  y[at + 3] = p4;
}

function oneOfOne({ x, w, b, y, cols, out }: Product, o: number, row: number) {
  let sum = b ? b[o] : 0;
  for (let i = 0; i < cols; i++) sum += x[row * cols + i] * w[o * cols + i];
  y[row * out + o] = sum;
}

/** x + y, number by number, into a new array. */
export function sum(x: Float32Array, y: Float32Array) {
  const total = new Float32Array(x.length);
  for (let i = 0; i < x.length; i++) total[i] = x[i] + y[i];
  return total;
}

/** The norm of each row of x, scaled by `gain` and shifted by `shift` (null for RMS); the formulas of core's `Norm`. */
export function norm(x: Float32Array, gain: Float32Array, shift: Float32Array | null, config: Config) {
  const { norm_formula: formula, norm_eps: eps } = config;
  const size = gain.length;
  const normed = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += size) {
    let mean = 0;
    if (formula !== 'rms') {
      for (let i = 0; i < size; i++) mean += x[start + i];
      mean /= size;
    }
    let squares = 0;
    for (let i = 0; i < size; i++) squares += (x[start + i] - mean) ** 2;
    const unbiased = formula === 'layer_unbiased_std';
    const variance = squares / (unbiased ? size - 1 : size);
    const divisor = unbiased ? Math.sqrt(variance) + eps : Math.sqrt(variance + eps);
    for (let i = 0; i < size; i++) {
      normed[start + i] = ((x[start + i] - mean) / divisor) * gain[i] + (shift ? shift[i] : 0);
    }
  }
  return normed;
}

/** The error function, by the series whose terms are all positive; 1 in float64 beyond 6. */
function erf(x: number) {
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  let term = size;
  let series = 0;
  for (let n = 1; series + term !== series; n++) {
    series += term;
    term *= (2 * size * size) / (2 * n + 1);
  }
  return (Math.sign(x) * 2 * series * Math.exp(-size * size)) / Math.sqrt(Math.PI);
}

function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

export const ACTIVATIONS: Record<Config['activation'], (x: number) => number> = {
  relu: (x) => (x > 0 ? x : 0),
  gelu: (x) => (x * (1 + erf(x * Math.SQRT1_2))) / 2,
  gelu_tanh: (x) => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2,
  silu: (x) => x / (1 + Math.exp(-x)),
  gelu_10: (x) => Math.min(Math.max((x * (1 + erf(x * Math.SQRT1_2))) / 2, -10), 10),
  quick_gelu: (x) => x / (1 + Math.exp(-1.702 * x)),
  mish: (x) => x * Math.tanh(softplus(x)),
  hardswish: (x) => (x * Math.min(Math.max(x + 3, 0), 6)) / 6,
  leaky_relu: (x) => Math.max(x, 0.01 * x),
  relu2: (x) => Math.max(x, 0) ** 2,
  relu6: (x) => Math.min(Math.max(x, 0), 6),
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  tanh: Math.tanh,
  laplace: (x) => (1 + erf((x - 0.707107) / (0.282095 * Math.SQRT2))) / 2,
  sqrtsoftplus: (x) => Math.sqrt(softplus(x)),
  linear: (x) => x,
};

/** Turns `count` scores that begin at `start` into shares of 1, in place; −Infinity gives 0, and so does a row of nothing else. */
export function softmax(scores: Float32Array, start: number, count: number) {
  let largest = -Infinity;
  for (let i = start; i < start + count; i++) if (scores[i] > largest) largest = scores[i];
  if (largest === -Infinity) {
    scores.fill(0, start, start + count);
    return;
  }
  let total = 0;
  for (let i = start; i < start + count; i++) total += scores[i] = Math.exp(scores[i] - largest);
  for (let i = start; i < start + count; i++) scores[i] /= total;
}
