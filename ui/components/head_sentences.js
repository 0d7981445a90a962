/* What the head detail says under its pictures: the hovered row, cell or column, else the pins, else one telling row. */

const HINT = 'hover a word, click to pin, Esc clears';

/** The sentence as `say` parts. `view` is the state that head_detail.js keeps. */
function headSentence(view) {
  const { meta, own, visibleHeads, active, pinned, fallback, rowOf, colOf, total, value, hiddenOf } = view;
  const seen = visibleHeads();
  if (!meta.written) return ['Nothing is written yet.'];
  if (!seen.length) return ['Every head is switched off; click a swatch to bring one back.'];
  const { rows, cols, cell } = active();
  const k = seen[0];
  const how = { verb: meta.verb, subject: meta.heads[k].subject, mode: meta.mode, distribution: meta.distribution };
  const list = [...rows].sort((a, b) => a - b);
  const said = [];
  if (seen.length > 1) said.push(...severalHeads(view, seen, list, [...cols]));
  else if (!list.length && !cols.size) said.push(...rowSentence(rowOf(k, fallback()), meta.rows[fallback()], meta.cols, { ...how, hidden: hiddenOf(k, fallback()) }));
  else {
    if (list.length === 1) said.push(...rowSentence(rowOf(k, list[0]), meta.rows[list[0]], meta.cols, { ...how, hidden: hiddenOf(k, list[0]) }));
    else if (list.length) said.push(...sumSentence(total(k, list, rowOf, meta.cols.length), list.map((i) => meta.rows[i]), meta.cols, how));
    if (cell) {
      const { row, col } = own.hover;
      said.push({ muted: `  this cell, ${visible(meta.cols[col])}: ${shown(value(k, row, col), meta.unit, meta.unit === 'share' ? 1 : 0)}` });
    } else if (cols.size) {
      const column = total(k, [...cols], colOf, meta.written);
      said.push(...(said.length ? [' '] : []), ...columnSentence(column, [...cols].map((j) => meta.cols[j]), meta.rows.slice(0, meta.written), how));
    }
  }
  if (own.hover) return said;
  return [...said, { muted: pinned() ? '  pinned · Esc clears' : `  ${HINT}` }];
}

/** Several heads: where each of them looked most from these rows, or which row looked at these keys most. */
function severalHeads({ meta, fallback, rowOf, colOf, total }, seen, rows, cols) {
  const from = rows.length ? rows : cols.length ? [] : [fallback()];
  const words = (labels, places) => enumerate(places.map((n) => [{ strong: quoted(labels[n]) }]));
  const most = (items, line, length, labels, link) =>
    enumerate(seen.map((k) => {
      const sum = total(k, items, line, length);
      const n = topIndices(sum, 1)[0];
      return [`${meta.heads[k].name} ${link} `, { strong: quoted(labels[n]) }, ` (${shown(sum[n] / items.length, meta.unit)})`];
    }));
  if (from.length) return [`${meta.verb} `, ...words(meta.rows, from), ', heads looked most: ', ...most(from, rowOf, meta.cols.length, meta.cols, 'at'), '.'];
  return [...words(meta.cols, cols), ' most from ', ...most(cols, colOf, meta.written, meta.rows, meta.verb.toLowerCase()), '.'];
}
