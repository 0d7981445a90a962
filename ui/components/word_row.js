/* A row of words: where each stands, and which way it reads (the first word of Arabic or Hebrew stands at the right). */

/** The length that words of these widths need with a gap after each. */
const rowLength = (widths, gap) => widths.reduce((sum, width) => sum + width + gap, 0);

/** Centres of words along `length` pixels: evenly when they fit so, else by their widths with a gap, which may run over. */
function spreadWords(widths, length, gap) {
  const slot = length / widths.length;
  if (widths.every((width) => width + gap <= slot)) return widths.map((_, i) => (i + 0.5) * slot);
  const spare = Math.max(0, length - rowLength(widths, gap)) / widths.length;
  let x = 0;
  return widths.map((width) => {
    const centre = x + (width + gap + spare) / 2;
    x += width + gap + spare;
    return centre;
  });
}

/** Whether most letters of the labels are written from right to left; ⟨start⟩ and its like have no letters of their own. */
function readsLeft(labels) {
  let [turned, letters] = [0, 0];
  for (const label of labels) {
    if (/^[⟨‹]/.test(label)) continue;
    for (const sign of label) {
      if (!/\p{L}/u.test(sign)) continue;
      letters += 1;
      if (TURNED.test(sign)) turned += 1;
    }
  }
  return 2 * turned > letters;
}

/** Places along a row of `length` pixels, counted from where reading starts. */
const inReadingOrder = (places, labels, length) => (readsLeft(labels) ? places.map((x) => length - x) : places);
