/* The curves between words, in every view that replays a decode. */

export const LINE_FLOOR = 0.02; // weights below are not drawn
export const FAINT_FLOOR = 0.15; // earlier steps keep only what they mostly looked at
export const FAINT_REACH = 40; // and far ones nothing, or a long decode ends in fog

/** The first `share` of a cubic curve (de Casteljau), so that a new line grows out of its word. */
export function startOfCurve([a, b, c, d], share) {
  if (share >= 1) return [a, b, c, d];
  const between = (p, q) => [p[0] + (q[0] - p[0]) * share, p[1] + (q[1] - p[1]) * share];
  const [ab, bc, cd] = [between(a, b), between(b, c), between(c, d)];
  const [abc, bcd] = [between(ab, bc), between(bc, cd)];
  return [a, ab, abc, between(abc, bcd)];
}
