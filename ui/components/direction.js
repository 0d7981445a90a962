/* Which way a row of words reads: the first word of Arabic or Hebrew stands at the right. */

/** Whether most letters of the labels are written from right to left; ⟨start⟩ and its like have no letters of their own. */
function readsLeft(labels) {
  let [turned, letters] = [0, 0];
  for (const label of labels) {
    if (/^[⟨<]/.test(label)) continue;
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
