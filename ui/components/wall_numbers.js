/* The wall's bytes as numbers and as pictures. `meta` is what ui/components/wall_data.py says of them. */

/** Weights (written × columns) of one head, row by row, NaN where attending is not allowed; exact to half a byte. */
function weightsOf(meta, levels, head) {
  const cols = meta.shape[1];
  const bytes = levels.subarray(head * meta.size, head * meta.size + meta.written * cols);
  return Float32Array.from(bytes, (b, n) => (meta.causal && n % cols > Math.floor(n / cols) ? NaN : WEIGHT_OF_BYTE[b]));
}

/** The mean or the maximum of all heads, likewise. */
function wholeOf(meta, levels) {
  const count = meta.layers * meta.heads;
  const sum = weightsOf(meta, levels, 0);
  for (let head = 1; head < count; head++) weightsOf(meta, levels, head).forEach((v, n) => (sum[n] = meta.whole.how === 'max' ? Math.max(sum[n], v) : sum[n] + v));
  return meta.whole.how === 'max' ? sum : sum.map((v) => v / count);
}

/** A head's picture; `tone` is weight, log, or each (1 is the head's own largest weight). */
function headSheet(meta, level, table, tone) {
  const [rows, cols] = meta.shape;
  const allowed = (i, j) => !meta.causal || j * meta.block[1] <= i * meta.block[0] + meta.block[0] - 1;
  const top = tone === 'each' ? Math.max(...WEIGHT_OF_BYTE.filter((_, b) => level.includes(b)), 1e-6) : 1;
  const byByte = Int16Array.from(WEIGHT_OF_BYTE, tone === 'log' ? placer('log', 1, logFloor(meta.keys)) : placer('weight', top));
  const index = new Int16Array(level.length);
  for (let i = 0, n = 0; i < rows; i++) {
    const empty = meta.hidden && level.subarray(n, n + cols).every((b) => b === 0);
    for (let j = 0; j < cols; j++, n++) index[n] = allowed(i, j) && !empty ? byByte[level[n]] : -1;
  }
  return {
    rows: meta.rows, cols: meta.cols, written: meta.written, index, table, neutral: 0, unit: 'share',
    at: (i, j) => (allowed(i, j) ? WEIGHT_OF_BYTE[level[i * cols + j]] : NaN),
  };
}
