/* One map as a heatmap with its words: geometry, cells with numbers, labels that thin out, outlines. */

const TILTS = [38, 58, 72]; // degrees that column labels lean: the less room, the steeper

const HIDDEN = 'hidden'; // names the column that says what each row gave to tokens taken out

/** Every how many labels one fits when each needs `need` pixels and has `have`. */
const every = (need, have) => Math.max(1, Math.ceil(need / have));

/** Where everything in a heatmap goes. `room` is the width, `tall` the most the cells may take in height. */
function heatGeometry(sheet, room, u, { tall = 560, view = null, cap = 46 } = {}) {
  const [r0, r1, c0, c1] = view ?? [0, sheet.rows.length, 0, sheet.cols.length];
  const [rows, cols] = [r1 - r0, c1 - c0];
  const size = 13 * u;
  const widest = (labels, most) => Math.min(most, labels.reduce((w, l) => Math.max(w, textWidth(visible(l), size)), 0));
  const many = Math.max(rows, cols) > 150;
  const left = widest(sheet.rows.slice(r0, r1), (many ? 74 : 110) * u) + 10 * u;
  const reach = widest(sheet.cols.slice(c0, c1), (many ? 80 : 104) * u);
  const last = Math.min(reach, textWidth(visible(sheet.cols[c1 - 1] ?? ''), size));
  const apart = (degrees) => (12.5 * u) / Math.sin((degrees * Math.PI) / 180); // columns that leaning words need between them
  const slot = Math.min(cap * u, (room - left - last * 0.8) / cols);
  const lean = TILTS.find((degrees) => apart(degrees) <= slot) ?? TILTS.at(-1);
  const tilt = (lean * Math.PI) / 180;
  const top = reach * Math.sin(tilt) + 16 * u;
  const leans = (length) => length * Math.cos(tilt) + 9 * u * Math.sin(tilt) + 2 * u; // how far a label leans out to the right
  const aside = sheet.hidden || sheet.aside ? 44 * u : 0; // the column of hidden shares, or room to stand beside one
  const over = Math.max(4 * u, leans(last) - slot / 2, aside && 14 * u + leans(textWidth(HIDDEN, size)));
  const cw = Math.max(0.5, Math.min(cap * u, (room - left - over) / cols));
  const ch = rows * 15 * u <= tall * u ? Math.max(15 * u, Math.min(cw, 30 * u, (tall * u) / rows)) : (tall * u) / rows;
  const box = { x: left, y: top, w: cw * cols, h: ch * rows };
  return {
    u, size, box, cw, ch, r0, r1, c0, c1,
    labelRoom: { row: left - 10 * u, col: reach },
    aside: aside && left + box.w + 8 * u,
    width: left + box.w + over,
    height: top + box.h + 4 * u,
    rowEvery: every(14 * u, ch),
    colEvery: every(apart(lean), cw),
    lean,
    x: (j) => left + (j - c0) * cw,
    y: (i) => top + (i - r0) * ch,
    /** The cell under a point; a label counts as its row or column. */
    hit(px, py) {
      const row = Math.floor((py - box.y) / ch) + r0;
      const col = Math.floor((px - box.x) / cw) + c0;
      const rowIn = py >= box.y && row < r1;
      const colIn = px >= box.x && col < c1;
      if (rowIn && colIn) return { row, col };
      if (rowIn && px < box.x) return { row };
      if (py < box.y) {
        const leaned = Math.floor((px - (box.y - py) / Math.tan(tilt) - box.x) / cw) + c0;
        if (leaned >= c0 && leaned < c1) return { col: leaned };
      }
      return null;
    },
  };
}

/** Which labels to write: every k-th, and the active ones instead of their neighbours. */
function chosenLabels(from, to, step, active) {
  if (step === 1) return Array.from({ length: to - from }, (_, i) => from + i);
  const own = [...active].filter((i) => i >= from && i < to).slice(0, 12);
  const regular = Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
  return [...own, ...regular.filter((i) => own.every((o) => Math.abs(o - i) >= step))];
}

function paintCells(p, sheet, g, focus, c) {
  const radius = Math.min(3 * g.u, g.cw / 4, g.ch / 4);
  const gap = Math.min(2 * g.u, g.cw * 0.08, g.ch * 0.12);
  const digits = g.cw >= 15.5 * g.u && g.ch >= 12.5 * g.u;
  const fits = Math.min(11 * g.u, g.cw * 0.48, g.ch * 0.72);
  for (let i = g.r0; i < g.r1; i++) {
    for (let j = g.c0; j < g.c1; j++) {
      const v = i < sheet.written ? sheet.index[i * sheet.cols.length + j] : -1;
      const fill = v < 0 ? c.soft : sheet.table[v];
      // A row not written yet, or with too little left beside its hidden tokens, is blank.
      if (v >= 0 || i >= sheet.written || sheet.empty?.[i]) p.rect(g.x(j), g.y(i), g.cw - gap, g.ch - gap, { fill, radius });
      // Empty on purpose: a cell that may not be attended stays a dot, so it cannot be read as a weight of 0.
      else p.circle(g.x(j) + g.cw / 2, g.y(i) + g.ch / 2, Math.max(0.8, 1.1 * g.u), { fill: c.line });
      if (v < 0 || !digits) continue;
      const value = sheet.at(i, j);
      const strong = Math.abs((v & 255) - sheet.neutral) >= (sheet.neutral ? 28 : 96);
      if (!strong && !(focus.rows.has(i) && Math.abs(value) >= 0.01)) continue;
      const number = brief(value, sheet.unit);
      const size = fits * Math.min(1, (g.cw - gap - 3 * g.u) / textWidth(number, fits, false));
      p.text(g.x(j) + (g.cw - gap) / 2, g.y(i) + (g.ch - gap) / 2 + 0.5, number, {
        size, align: 'center', baseline: 'middle', fill: readableOn(fill, c),
      });
    }
  }
}

/** What each row gave to tokens that were taken out, beside the map. */
function paintHidden(p, sheet, g, focus, c) {
  for (const i of chosenLabels(g.r0, Math.min(g.r1, sheet.written), g.rowEvery, focus.rows)) {
    p.text(g.aside, g.y(i) + g.ch / 2, spokenPercent(sheet.hidden[i]).replace('less than', '<'), {
      size: 11.5 * g.u, baseline: 'middle', fill: focus.rows.has(i) ? c.ink : c.muted, weight: sheet.empty?.[i] ? 600 : 400,
    });
  }
  p.text(g.aside + 6 * g.u, g.box.y - 5 * g.u, HIDDEN, { size: 11.5 * g.u, fill: c.muted, rotate: -g.lean });
}

/** The whole heatmap. `focus`: { rows, cols: Sets outlined, cell: {row, col} or null, kind: text colour }. */
function paintHeat(p, sheet, g, focus, c, cache = null) {
  const label = (words, x, y, on, o) =>
    p.text(x, y, words, { size: g.size, mono: true, fill: on ? c.ink : c.muted, weight: on ? 600 : 400, ...o });
  if (g.cw >= 9 * g.u && g.ch >= 9 * g.u) paintCells(p, sheet, g, focus, c);
  else paintPixels(p, sheet, g.box, c, [g.r0, g.r1, g.c0, g.c1], cache);
  for (const i of chosenLabels(g.r0, g.r1, g.rowEvery, focus.rows)) {
    const words = i < sheet.written ? shorten(visible(sheet.rows[i]), g.labelRoom.row, g.size) : '·';
    label(words, g.box.x - 8 * g.u, g.y(i) + g.ch / 2, i < sheet.written && (focus.rows.has(i) || !isSpecial(sheet.rows[i])), { align: 'right', baseline: 'middle', weight: focus.rows.has(i) ? 600 : 400 });
  }
  for (const j of chosenLabels(g.c0, g.c1, g.colEvery, focus.cols)) {
    label(shorten(visible(sheet.cols[j]), g.labelRoom.col, g.size), g.x(j) + g.cw / 2 + 2 * g.u, g.box.y - 5 * g.u, focus.cols.has(j), { rotate: -g.lean });
  }
  if (sheet.hidden) paintHidden(p, sheet, g, focus, c);
  const inView = (i, from, to) => i >= from && i < to;
  const frame = (x, y, w, h, width = 1.6) => p.rect(x - 1.5, y - 1.5, w + 2, h + 2, { stroke: c.ink, width: width * Math.min(1.5, g.u), radius: 4 * g.u });
  for (const i of focus.rows) if (inView(i, g.r0, g.r1)) frame(g.box.x, g.y(i), g.box.w, g.ch);
  for (const j of focus.cols) if (inView(j, g.c0, g.c1)) frame(g.x(j), g.box.y, g.cw, Math.min(g.box.h, (sheet.written - g.r0) * g.ch), 1);
}
