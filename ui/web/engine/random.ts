/* The number in [0, 1) that core.decoding draws for a step: numpy's `default_rng((seed, step)).random()`. */

const MASK = (1n << 128n) - 1n;
const MULTIPLIER = (2549297995355413924n << 64n) + 4865540595714422341n;

/** A whole number as 32-bit words, the lowest first. */
function words(value: number) {
  const pieces: number[] = [];
  for (let rest = BigInt(value); rest > 0n || !pieces.length; rest >>= 32n) {
    pieces.push(Number(rest & 0xffffffffn));
  }
  return pieces;
}

/** numpy's SeedSequence: four 64-bit words that every bit of `entropy` has gone into. */
function seeded(entropy: number[]) {
  const pool = [0, 0, 0, 0];
  let constant = 0x43b0d7e5;
  const hash = (given: number) => {
    let value = (given ^ constant) >>> 0;
    constant = Math.imul(constant, 0x931e8875) >>> 0;
    value = Math.imul(value, constant) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  const mix = (x: number, y: number) => {
    const value = (Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715)) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  for (let i = 0; i < 4; i++) pool[i] = hash(entropy[i] ?? 0);
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to], hash(pool[from]));
  }
  for (let from = 4; from < entropy.length; from++) {
    for (let to = 0; to < 4; to++) pool[to] = mix(pool[to], hash(entropy[from]));
  }
  let last = 0x8b51f9dd;
  const half = (n: number) => {
    let value = (pool[n % 4] ^ last) >>> 0;
    last = Math.imul(last, 0x58f38ded) >>> 0;
    value = Math.imul(value, last) >>> 0;
    return BigInt((value ^ (value >>> 16)) >>> 0);
  };
  const halves = Array.from({ length: 8 }, (_, n) => half(n));
  return [0, 2, 4, 6].map((n) => halves[n] | (halves[n + 1] << 32n));
}

/** The random number in [0, 1) of one step; it depends on the seed and the step alone, so that a step can be redone. */
export function uniformDraw(seed: number, step: number) {
  const [a, b, c, d] = seeded([...words(seed), ...words(step)]);
  // PCG64: a 128-bit congruential generator whose output is turned by its own highest bits.
  const increment = ((((c << 64n) | d) << 1n) | 1n) & MASK;
  const next = (state: bigint) => (state * MULTIPLIER + increment) & MASK;
  const state = next(next((increment + ((a << 64n) | b)) & MASK));
  const folded = ((state >> 64n) ^ state) & 0xffffffffffffffffn;
  const turn = state >> 122n;
  const turned = ((folded >> turn) | (folded << (64n - turn))) & 0xffffffffffffffffn;
  return Number(turned >> 11n) / 2 ** 53;
}
