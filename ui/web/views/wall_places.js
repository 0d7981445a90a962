/* Where the heads of the wall stand. */

/** Places by head, layer labels ([layer, middle, height]) and sizes in CSS pixels, for a wall `full` wide. `u` is one
    pixel of the text size; `order` lists the heads to show, `asInModel` keeps one line (or more) to a layer. */
export function wallPlaces(meta, order, asInModel, full, u) {
  const room = full - 6 * u; // the outline of the last head needs a little
  const [rows, cols] = meta.shape;
  const gap = 7 * u;
  const label = asInModel ? 26 * u : 0;
  // Many heads wrap into lines of equal length rather than leave one behind.
  const fit = Math.max(1, Math.min(meta.heads, Math.floor((room - label + gap) / (54 * u + gap))));
  const across = Math.ceil(meta.heads / Math.ceil(meta.heads / fit));
  const perRow = asInModel ? across : Math.max(across, Math.min(12, Math.floor((room + gap) / (78 * u + gap))));
  const w = Math.min(150 * u, (room - label - gap * (perRow - 1)) / perRow);
  const lines = meta.layers * Math.ceil(meta.heads / across);
  const natural = w * Math.min(1.5, Math.max(0.55, rows / cols));
  const most = meta.square ? w * 1.12 : w * 1.75;
  const h = Math.max(34 * u, Math.min(Math.max(natural, Math.min(most, (meta.tall * u) / lines - 30 * u)), 220 * u));
  const foot = 18 * u;
  const lead = 16 * u;
  const place = new Map();
  const labels = [];
  if (asInModel) {
    const wraps = Math.ceil(meta.heads / across);
    order.forEach((head) => {
      const [layer, k] = [Math.floor(head / meta.heads), head % meta.heads];
      const line = layer * wraps + Math.floor(k / across);
      place.set(head, { x: label + (k % across) * (w + gap), y: 6 * u + line * (h + foot + lead) });
    });
    for (let layer = 0; layer < meta.layers; layer++) labels.push([layer, 6 * u + layer * wraps * (h + foot + lead) + (wraps * (h + foot + lead) - foot - lead) / 2, wraps * (h + foot + lead) - foot - lead]);
  } else {
    order.forEach((head, n) => place.set(head, { x: 5 * u + (n % perRow) * (w + gap - 5 * u / perRow), y: 6 * u + Math.floor(n / perRow) * (h + foot + lead) }));
  }
  const bottom = Math.max(0, ...[...place.values()].map(({ y }) => y)) + h + foot + 6 * u;
  return { u, room: full, w, h, foot, place, labels, height: place.size ? bottom : 40 * u, across: asInModel ? across : perRow };
}
