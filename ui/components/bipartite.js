/* One map as lines between two columns of words: width and opacity both carry the weight. */

/** Where words and lines go. `top` and `body` place the words beside a heatmap; otherwise `tall` limits the height. */
function linesGeometry(sheet, room, u, { tall = 620, view = null, top = 8 * u, body = null, several = false } = {}) {
  const [r0, r1, c0, c1] = view ?? [0, sheet.rows.length, 0, sheet.cols.length];
  const longest = Math.max(r1 - r0, c1 - c0);
  const size = 14 * u;
  const pitch = Math.max(Math.min(26 * u, (tall * u) / longest), 0.5);
  const height = body ?? Math.max(pitch * longest, 60 * u);
  const widest = (labels) => Math.min(150 * u, labels.reduce((w, l) => Math.max(w, textWidth(visible(l), size)), 0));
  const many = longest > 150;
  const side = (several ? 88 : 46) * u; // room for a percentage
  const left = side + (many ? 90 * u : widest(sheet.rows.slice(r0, r1))) + 16 * u;
  const right = room - side - (many ? 90 * u : widest(sheet.cols.slice(c0, c1))) - 16 * u;
  const rowPitch = height / Math.max(1, r1 - r0);
  const colPitch = height / Math.max(1, c1 - c0);
  return {
    u, size, r0, r1, c0, c1, top, left, right: Math.max(left + 60 * u, right), width: room, height: top + height + 8 * u,
    rowPitch, colPitch, labelRoom: left - side - 16 * u,
    rowEvery: every(15 * u, rowPitch), colEvery: every(15 * u, colPitch),
    y: (i) => top + (i - r0 + 0.5) * rowPitch,
    z: (j) => top + (j - c0 + 0.5) * colPitch,
    hit(px, py) {
      const row = Math.floor((py - top) / rowPitch) + r0;
      const col = Math.floor((py - top) / colPitch) + c0;
      if (px < left + (right - left) * 0.42) return row >= r0 && row < r1 ? { row } : null;
      if (px > left + (right - left) * 0.58) return col >= c0 && col < c1 ? { col } : null;
      return null;
    },
  };
}

const LINES_MOST = 4096; // maps with more cells draw the lines of active tokens only

/** Visits the lines to draw, weakest first: `visit(i, j, strength, on)`. */
function eachLine(sheet, g, focus, threshold, top, visit) {
  const long = (g.r1 - g.r0) * (g.c1 - g.c0) > LINES_MOST;
  const any = focus.rows.size || focus.cols.size;
  const lines = [];
  const consider = (i, j, on) => {
    const value = sheet.at(i, j);
    const strength = Math.abs(value) / top;
    if (strength >= Math.max(threshold, 0.004)) lines.push([i, j, strength, on, value]);
  };
  for (let i = g.r0; i < Math.min(g.r1, sheet.written); i++) {
    const rowOn = focus.rows.has(i);
    if (long && !any) {
      let best = g.c0;
      for (let j = g.c0; j < g.c1; j++) if (!(Math.abs(sheet.at(i, j)) <= Math.abs(sheet.at(i, best)))) best = j;
      consider(i, best, false);
      continue;
    }
    if (long && !rowOn && !focus.cols.size) continue;
    for (let j = g.c0; j < g.c1; j++) {
      const on = rowOn || focus.cols.has(j);
      if (on || !long) consider(i, j, on);
    }
  }
  lines.sort((a, b) => a[3] - b[3] || a[2] - b[2]);
  for (const line of lines) visit(...line, any);
}

/** One head's lines; `hue(value)` gives the colour, `shift` moves them aside when several heads are drawn. */
function paintLines(p, sheet, g, focus, { hue, threshold, top, shift = 0, faint = 1 }) {
  const middle = (g.left + g.right) / 2;
  // Hundreds of lines at once would be one solid block.
  const crowd = Math.min(1, 64 / (g.r1 - g.r0));
  eachLine(sheet, g, focus, threshold, top, (i, j, strength, on, value, any) => {
    const share = Math.min(1, strength);
    const alpha = any ? (on ? 0.3 + 0.6 * share : 0.04 + 0.2 * share) : (0.1 + 0.5 * share) * faint * Math.sqrt(crowd);
    const [y, z] = [g.y(i) + shift, g.z(j) + shift];
    p.curve([g.left, y], [middle, y], [middle, z], [g.right, z], {
      stroke: hue(value), width: (0.7 + 6 * share * (on ? 1 : crowd)) * g.u, alpha,
    });
  });
}

/** Words on both sides; active ones on the attending side are filled, as a pressed button would be. */
function paintLineWords(p, sheet, g, focus, c, kind) {
  const fill = c[kind] ?? c.cross;
  const write = (words, x, y, align, pinned, quiet) => {
    const text = shorten(visible(words), g.labelRoom + 8, g.size);
    if (pinned) {
      const w = textWidth(text, g.size, true, 600) + 16 * g.u;
      p.rect(align === 'right' ? x - w + 8 * g.u : x - 8 * g.u, y - 11 * g.u, w, 22 * g.u, { fill, radius: 6 * g.u });
    }
    p.text(x, y + 0.5, text, { size: g.size, mono: true, align, baseline: 'middle', weight: pinned ? 600 : 400, fill: pinned ? readableOn(fill, { ink: c.background === '#10131b' ? c.background : c.ink, panel: c.panel }) : quiet ? c.muted : c.ink });
  };
  const ticks = (x, at, from, to) => {
    for (let i = from; i < to; i++) p.rect(x, at(i) - 0.5, 3 * g.u, 1, { fill: c.line });
  };
  if (g.rowEvery > 1) ticks(g.left - 5 * g.u, g.y, g.r0, g.r1);
  if (g.colEvery > 1) ticks(g.right + 2 * g.u, g.z, g.c0, g.c1);
  for (const i of chosenLabels(g.r0, g.r1, g.rowEvery, focus.rows)) {
    if (i >= sheet.written) p.text(g.left - 10 * g.u, g.y(i), '·', { align: 'right', baseline: 'middle', size: g.size, fill: c.muted });
    else write(sheet.rows[i], g.left - 10 * g.u, g.y(i), 'right', focus.rows.has(i), isSpecial(sheet.rows[i]));
  }
  if (g.top > 26 * g.u) {
    p.text(g.left - 10 * g.u, g.top - 12 * g.u, 'attending', { size: 12 * g.u, align: 'right', fill: c.muted });
    p.text(g.right + 10 * g.u, g.top - 12 * g.u, 'attended', { size: 12 * g.u, fill: c.muted });
  }
  const named = new Set([...focus.cols, ...(focus.named ?? [])]);
  for (const j of chosenLabels(g.c0, g.c1, g.colEvery, named)) {
    write(sheet.cols[j], g.right + 10 * g.u, g.z(j), 'left', focus.cols.has(j), isSpecial(sheet.cols[j]) && !named.has(j));
  }
}
