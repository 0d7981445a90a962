/* What is hovered and what is pinned, shared by views of the same weights, and the sentence that says it.
   A selection is { row } (an attending word), { col } (an attended word) or { row, col } (a cell). */

function tokenLink(host) {
  const listeners = new Set();
  const tell = () => listeners.forEach((listener) => listener());
  const same = (a, b) => a?.row === b?.row && a?.col === b?.col;
  const link = {
    hover: null,
    pins: [],
    listen: (listener) => listeners.add(listener),
    preview(selection) {
      if (same(link.hover, selection)) return;
      link.hover = selection;
      tell();
    },
    toggle(selection) {
      const kept = link.pins.filter((pin) => !same(pin, selection));
      link.pins = kept.length === link.pins.length ? [...link.pins, selection] : kept;
      tell();
    },
    /** True when there was something to clear, so that Esc can be left to others otherwise. */
    clear() {
      const had = link.pins.length > 0 || link.hover !== null;
      link.pins = [];
      link.hover = null;
      if (had) tell();
      return had;
    },
    /** Forget selections that no longer exist, e.g. after going back. */
    trim(rows, columns) {
      const alive = ({ row, col }) => (row === undefined || row < rows) && (col === undefined || col < columns);
      link.pins = link.pins.filter(alive);
      if (link.hover && !alive(link.hover)) link.hover = null;
    },
    pinned: (selection) => link.pins.some((pin) => same(pin, selection)),
    /** The selections to draw: the one under the pointer, else the pins, else the current row. */
    active(frame) {
      if (link.hover) return [link.hover];
      if (link.pins.length) return link.pins;
      return frame.row >= 0 ? [{ row: frame.row }] : [];
    },
  };
  pageKeys(host, { Escape: () => link.clear() });
  return link;
}

/** Weights of the selections summed: over attended words (from rows) and over attending words (from columns). */
function summed(frame, selections) {
  const overSource = new Float64Array(frame.source.length);
  const overTarget = new Float64Array(frame.shown);
  let rows = 0;
  let columns = 0;
  for (const { row, col } of selections) {
    if (row !== undefined) {
      rows += 1;
      frame.source.forEach((_, c) => (overSource[c] += col === undefined || c === col ? frame.weights.at(row, c) : 0));
    } else {
      columns += 1;
      for (let r = 0; r < frame.shown; r++) overTarget[r] += frame.weights.at(r, col);
    }
  }
  return { overSource, overTarget, rows, columns };
}

/** The largest shares as `say` parts: "35 % at “riding” and 30 % at “a” (token 3)". */
function shares(values, labels, link, count = 3) {
  const names = keyNames(labels);
  const top = topIndices(values, count).filter((i, rank) => rank === 0 || values[i] >= 0.08);
  return enumerate(top.map((i) => [`${percent(values[i])} ${link} `, ...names(i)]));
}

/** The sentence under a view: what the active selection says, in the words of readout.js. */
function sentence(frame, link) {
  const selections = link.active(frame);
  const hint = link.hover ? null : link.pins.length ? { muted: 'pinned · Esc clears' } : null;
  const notes = (frame.notes ?? []).map((note) => ({ muted: note }));
  if (!selections.length) return ['Nothing is written yet.', ...notes];
  const verb = frame.kind === 'encoder' ? 'Reading' : 'Writing';
  const [target, source] = [keyNames(frame.target), keyNames(frame.source)];
  const one = selections.length === 1 ? selections[0] : null;
  const { overSource, overTarget, rows, columns } = summed(frame, selections);
  const end = [hint, ...notes].filter(Boolean);
  if (one?.row !== undefined && one.col === undefined) {
    const how = { verb, subject: frame.who, mode: 'weights', distribution: true };
    return [...rowSentence(Array.from(overSource), frame.target[one.row], frame.source, how), ...end];
  }
  if (one?.row !== undefined) return [`${verb} `, ...target(one.row), `, ${frame.who} looked ${percent(overSource[one.col], 1)} at `, ...source(one.col), '.', ...end];
  if (one) {
    if (!frame.shown) return ['Nothing is written yet, so nothing has looked at ', ...source(one.col), '.', ...notes];
    return ['', ...source(one.col), ' got ', ...shares(overTarget, frame.target, 'from'), '.', ...end];
  }
  const names = (side, name) => enumerate(selections.filter((s) => s[side] !== undefined && (side === 'row' || s.row === undefined)).map((s) => name(s[side])));
  const parts = [];
  if (rows) parts.push(...names('row', target), rows > 1 ? ', summed: ' : ' looked ', ...shares(overSource, frame.source, 'at'), '. ');
  if (columns && frame.shown) parts.push(...names('col', source), columns > 1 ? ', summed: ' : ' got ', ...shares(overTarget, frame.target, 'from'), '.');
  return [...parts, ...end];
}
