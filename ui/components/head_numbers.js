/* The open heads: their numbers, the colours of their cells, and what of them is looked at. */

/** `own` is what the reader set (head_detail.js); `open.meta` and `open.maps` are given by the detail, the rest is made here. */
function openHeads(host, own) {
  const open = { meta: null, maps: [], sheets: [], combined: null, cache: {} };
  const visibleHeads = () => open.maps.map((_, k) => k).filter((k) => !own.off.has(k));
  const value = (k, i, j) => open.maps[k][i * open.meta.cols.length + j];
  // Not allowed counts as no weight; a masked score stays masked.
  const clean = (v) => (v === v || open.meta.unit === 'number' ? v : 0);
  const rowOf = (k, i) => Array.from(open.maps[k].subarray(i * open.meta.cols.length, (i + 1) * open.meta.cols.length), clean);
  const colOf = (k, j) => Array.from({ length: open.meta.written }, (_, i) => value(k, i, j));
  /** What a row gave to tokens that were taken out, null when none were. */
  const hiddenOf = (k, i) => open.meta.hidden?.[k]?.[i] ?? null;
  const isEmpty = (k, i) => hiddenOf(k, i) !== null && rowOf(k, i).every((v) => !v);
  const finite = (v) => (Number.isFinite(v) ? v : 0);
  const total = (k, items, line, length) => {
    const sum = new Array(length).fill(0);
    for (const item of items) line(k, item).forEach((v, n) => (sum[n] += finite(v)));
    return sum;
  };
  const signed = () => open.meta.unit !== 'share';
  const hueOf = (k) => (open.maps.length > 1 ? host.colours.heads[k % 8] : host.colours[open.meta.kind]);

  const build = () => {
    const c = host.colours;
    const [rows, cols] = [open.meta.rows.length, open.meta.cols.length];
    let top = 1;
    let low = 0;
    if (signed()) {
      [low, top] = [Infinity, -Infinity];
      for (const map of open.maps) for (const v of map) if (Number.isFinite(v)) [low, top] = [Math.min(low, v), Math.max(top, v)];
      if (!(top >= low)) [low, top] = [0, 1];
    }
    const scale = open.meta.unit === 'share' ? (own.log ? 'log' : 'weight') : low < 0 ? 'diverging' : 'range';
    const reach = scale === 'diverging' ? Math.max(Math.abs(low), Math.abs(top), open.meta.unit === 'points' ? 0.05 : 1e-6) : top;
    const place = placer(scale, reach, scale === 'log' ? logFloor(cols) : low);
    const common = { rows: open.meta.rows, cols: open.meta.cols, written: open.meta.written, unit: open.meta.unit, neutral: scale === 'diverging' ? 128 : 0 };
    const tableOf = (k) => (scale === 'diverging' ? divergingTable(c) : rampTable(c.panel, hueOf(k)));
    open.sheets = open.maps.map((_, k) => {
      const empty = open.meta.rows.map((_, i) => i < open.meta.written && isEmpty(k, i));
      const at = (i, j) => (i < open.meta.written && !empty[i] ? value(k, i, j) : NaN);
      return { ...common, at, empty, hidden: open.meta.hidden?.[k] ?? null, table: tableOf(k), index: indexOf(rows, cols, at, place), top: reach, low, scale };
    });
    combine();
  };

  /** Several heads in one map: each cell takes the hue of the head that is strongest there. */
  function combine() {
    open.cache = {};
    const seen = visibleHeads();
    if (seen.length <= 1) {
      open.combined = open.sheets[seen[0] ?? 0];
      return;
    }
    const index = new Int16Array(open.sheets[0].index.length).fill(-1);
    const lead = new Uint8Array(index.length);
    const neutral = open.sheets[0].neutral;
    for (const k of seen) {
      open.sheets[k].index.forEach((v, n) => {
        const now = index[n] < 0 ? -1 : Math.abs((index[n] & 255) - neutral);
        if (v >= 0 && Math.abs(v - neutral) > now) [index[n], lead[n]] = [k * 256 + v, k];
      });
    }
    const cols = open.meta.cols.length;
    const empty = open.meta.rows.map((_, i) => seen.every((k) => open.sheets[k].empty[i]));
    open.combined = { ...open.sheets[0], index, empty, hidden: null, table: open.sheets.flatMap((s) => s.table), at: (i, j) => open.sheets[lead[i * cols + j]].at(i, j) };
  }

  const active = () => (own.hover
    ? { rows: new Set(own.hover.row === undefined ? [] : [own.hover.row]), cols: new Set(own.hover.col === undefined ? [] : [own.hover.col]), cell: own.hover.row !== undefined && own.hover.col !== undefined }
    : { rows: own.rows, cols: own.cols, cell: false });
  const pinned = () => own.rows.size + own.cols.size > 0;
  /** The row told when none is looked at: the word that looks hardest at another one. */
  const fallback = () => {
    if (open.meta.current !== null && open.meta.current < open.meta.written) return open.meta.current;
    let [row, best] = [0, -Infinity];
    const k = visibleHeads()[0] ?? 0;
    for (let i = 0; i < open.meta.written; i++) {
      if (isSpecial(open.meta.rows[i])) continue;
      for (let j = 0; j < open.meta.cols.length; j++) {
        const v = value(k, i, j);
        if (v > best && (open.meta.kind === 'cross' || i !== j)) [row, best] = [i, v];
      }
    }
    return row;
  };
  const sentence = () => headSentence({ meta: open.meta, own, visibleHeads, active, pinned, fallback, rowOf, colOf, total, value, hiddenOf });
  return Object.assign(open, { visibleHeads, value, rowOf, colOf, total, signed, hueOf, build, combine, active, pinned, fallback, sentence });
}
