/* The attention map of the decode so far: one row per written word, empty rows for what is to come. */

const MAP_ROOM = { words: 150, height: 340 };

/** Whether to leave out label i when only every n-th fits; a marked label always shows and clears its neighbours. */
function hides(i, n, isMarked) {
  if (isMarked(i)) return false;
  for (let k = i - n + 1; k < i + n; k++) if (isMarked(k)) return n > 1;
  return i % n > 0;
}

function mapPart(parent, host, link, go) {
  const canvas = el('canvas', { tabindex: '0', role: 'img' });
  const scroller = el('div', { class: 'heat scroller' }, canvas);
  const swatch = el('i');
  const legend = el('div', { class: 'legend' }, '0', swatch, '1', el('span', {}, 'small weights brightened (γ 0.6)'));
  parent.append(scroller, legend);
  const cells = el('canvas');
  let frame = null;
  let place = null;
  let table = [];
  let cursor = null;
  let fresh = 1;
  let stopFade = () => {};

  const measure = () => {
    const u = host.scale;
    const size = 14 * u;
    const columns = frame.source.length;
    const rows = frame.target.length;
    const longest = (labels) => Math.max(20, ...labels.map((label) => textWidth(visible(label), size)));
    const left = Math.min(MAP_ROOM.words * u, longest(frame.target)) + 12 * u;
    // Narrow columns get steeper, smaller words, and then only every second, third… of them.
    const narrow = scroller.clientWidth - left < 21 * u * columns;
    const angle = narrow ? 62 : 38;
    const columnSize = (narrow ? 11.5 : 14) * u;
    const wordLength = (label) => Math.min(MAP_ROOM.words * u, textWidth(visible(label), columnSize));
    const top = Math.max(0, ...frame.source.map(wordLength)) * Math.sin((angle * Math.PI) / 180) + 16 * u;
    const tail = wordLength(frame.source[columns - 1] ?? '') * Math.cos((angle * Math.PI) / 180);
    const room = Math.max(120, scroller.clientWidth - left - tail - 4);
    // Whole pixels keep the cells crisp; very long inputs give that up so that the whole map stays in view.
    const whole = (x) => (x >= 6 ? Math.floor(x) : x);
    const width = Math.min(68 * u, whole(room / Math.max(1, columns)));
    const height = Math.min((rows <= 8 ? 38 : rows <= 11 ? 27 : 22) * u, Math.max(width, 7), whole((MAP_ROOM.height * u) / rows));
    return {
      u, size, columns, rows, left, top, width, height, angle, columnSize,
      gap: width >= 14 && height >= 10 ? 1 : width >= 7 && height >= 7 ? 0.5 : 0,
      total: [left + width * columns + tail + 4, top + height * rows + 4],
      rowSize: height >= 15 * u ? size : 11 * u,
      every: Math.ceil((12 * u) / height),
      everyColumn: Math.ceil((columnSize * 0.95) / Math.sin((angle * Math.PI) / 180) / width),
      cut: (MAP_ROOM.words - 4) * u,
    };
  };

  /** The cells alone: they change with the step, not with the pointer, so they are drawn once and kept. */
  const drawCells = (painter) => {
    const c = host.colours;
    const { left, top, width, height, gap, u } = place;
    const radius = gap === 1 ? 2.5 * u : 0;
    for (let r = 0; r < place.rows; r++) {
      for (let k = 0; k < place.columns; k++) {
        const known = r < frame.shown;
        const weight = known ? frame.weights.at(r, k) : 0;
        const fill = known ? table[Math.round(clamp01(weight) * 255)] : c.soft;
        const alpha = known && r === frame.row ? fresh : 1;
        const at = [left + k * width + gap, top + r * height + gap, width - 2 * gap, height - 2 * gap];
        if (alpha < 1) painter.rect(...at, { fill: c.soft, radius });
        // A zero weight is the panel's colour; the hairline keeps the grid readable.
        painter.rect(...at, { fill, radius, alpha, stroke: known && gap === 1 ? c.line : undefined, width: 0.5 });
        if (known && weight >= 0.195 && width >= 20 * u && height >= 15 * u) {
          painter.text(at[0] + at[2] / 2, at[1] + at[3] / 2 + 0.5, String(Math.round(weight * 100)), { size: 11 * u, align: 'center', baseline: 'middle', fill: readableOn(fill, c), alpha });
        }
      }
    }
  };

  const drawMarks = (painter) => {
    const c = host.colours;
    const { left, top, width, height, u } = place;
    const active = link.active(frame);
    const marked = (field, i) => active.some((s) => s[field] === i);
    frame.target.forEach((label, r) => {
      if (r >= frame.shown || hides(r, place.every, (i) => i === frame.row || marked('row', i))) return;
      painter.text(left - 8 * u, top + (r + 0.5) * height, shorten(visible(label), place.cut, place.rowSize), { size: place.rowSize, mono: true, align: 'right', baseline: 'middle', weight: marked('row', r) ? 650 : 400, fill: isSpecial(label) ? c.muted : c.ink });
    });
    frame.source.forEach((label, k) => {
      if (hides(k, place.everyColumn, (i) => marked('col', i))) return;
      painter.text(left + (k + 0.5) * width, top - 7 * u, shorten(visible(label), MAP_ROOM.words * u, place.columnSize), { size: place.columnSize, mono: true, rotate: -place.angle, weight: marked('col', k) ? 650 : 400, fill: marked('col', k) ? c.ink : c.muted });
    });
    const colour = c[`${frame.kind}_text`];
    const outline = (x, y, w, h, o) => painter.rect(left + x - 0.5, top + y - 0.5, w + 1, h + 1, { radius: 4 * u, ...o });
    const wide = place.columns * width;
    const tall = frame.shown * height;
    if (frame.row >= 0) outline(0, frame.row * height, wide, height, { stroke: colour, width: 1.5 });
    const others = link.hover ? [...link.pins, link.hover] : link.pins;
    for (const { row, col } of others) {
      const pen = { stroke: c.ink, width: 1.2 };
      if (row !== undefined && col !== undefined) outline(col * width, row * height, width, height, pen);
      else if (row !== undefined) outline(0, row * height, wide, height, pen);
      else if (tall) outline(col * width, 0, width, tall, pen);
    }
  };

  const draw = (painter) => {
    drawCells(painter);
    drawMarks(painter);
  };

  /** Maps with tiny cells are painted one pixel a cell and stretched: 400 × 300 cells in one call. */
  const stretchCells = (context) => {
    const { columns, rows, left, top, width, height } = place;
    const small = el('canvas');
    small.width = columns;
    small.height = rows;
    const pixels = new ImageData(columns, rows);
    const bytes = [...table, host.colours.soft].map((hex) => hexToRgb(hex).map((c) => c * 255));
    for (let r = 0; r < rows; r++) {
      for (let k = 0; k < columns; k++) {
        const [red, green, blue] = bytes[r < frame.shown ? Math.round(clamp01(frame.weights.at(r, k)) * 255) : 256];
        pixels.data.set([red, green, blue, 255], 4 * (r * columns + k));
      }
    }
    small.getContext('2d').putImageData(pixels, 0, 0);
    context.imageSmoothingEnabled = width * (window.devicePixelRatio || 1) < 1;
    context.drawImage(small, left, top, width * columns, height * rows);
  };

  const paintCells = () => {
    if (!place.rows || !place.columns) return;
    const context = fitCanvas(cells, ...place.total);
    if (place.gap) drawCells(canvasPainter(context));
    else stretchCells(context);
  };
  const paintMarks = () => {
    if (!frame) return;
    const context = fitCanvas(canvas, ...place.total);
    context.drawImage(cells, 0, 0, ...place.total);
    drawMarks(canvasPainter(context));
  };
  const paint = () => {
    if (!frame) return;
    paintCells();
    paintMarks();
  };
  link.listen(paintMarks);

  /** The selection under a point: a cell, a row's word, a column's word, or nothing. */
  const find = (event) => {
    if (!place) return null;
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left - place.left;
    const y = event.clientY - box.top - place.top;
    const row = Math.floor(y / place.height);
    // Above the map the words lean to the right by the angle they are drawn at.
    const col = Math.floor((y < 0 ? x + y / Math.tan((place.angle * Math.PI) / 180) : x) / place.width);
    const inRows = row >= 0 && row < frame.shown;
    const inColumns = col >= 0 && col < place.columns;
    if (inRows && x < 0) return { row };
    if (y < 0 && inColumns) return { col };
    return inRows && inColumns ? { row, col } : null;
  };
  const point = (selection, event) => {
    canvas.style.cursor = selection ? 'pointer' : 'default';
    link.preview(selection);
    const cell = selection?.row !== undefined && selection?.col !== undefined;
    const box = host.root.getBoundingClientRect();
    host.tip(
      cell ? [...keyNames(frame.target)(selection.row), ' → ', ...keyNames(frame.source)(selection.col), `  ${percent(frame.weights.at(selection.row, selection.col), 1)}`] : '',
      event.clientX - box.left,
      event.clientY - box.top,
    );
  };
  canvas.addEventListener('pointermove', (event) => point(find(event), event));
  canvas.addEventListener('pointerleave', (event) => point(null, event));
  canvas.addEventListener('click', (event) => {
    const selection = find(event);
    // A click on a cell pins its row: the same thing a click on the row's word does.
    if (selection) link.toggle(selection.row !== undefined ? { row: selection.row } : selection);
    else if (place && event.offsetY > place.top) {
      const row = Math.floor((event.offsetY - place.top) / place.height);
      if (row < frame.target.length) go(row + 1);
    }
  });
  canvas.addEventListener('blur', () => link.preview((cursor = null)));
  canvas.addEventListener('keydown', (event) => {
    const move = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!frame?.shown || (!move && event.key !== 'Enter')) return;
    event.preventDefault();
    event.stopPropagation();
    if (!move) return cursor && link.toggle({ row: cursor.row });
    const bound = (value, top) => Math.min(top, Math.max(0, value));
    const from = cursor ?? { row: Math.max(0, frame.row), col: 0 };
    cursor = { row: bound(from.row + move[0], frame.shown - 1), col: bound(from.col + move[1], place.columns - 1) };
    link.preview(cursor);
  });

  return {
    update(next) {
      const grew = frame && next.shown === frame.shown + 1;
      frame = next;
      host.tip('');
      table = sequentialTable(host.colours.panel, host.kindColour(frame.kind));
      swatch.style.background = `linear-gradient(90deg, ${Array.from({ length: 9 }, (_, i) => table[Math.round(i * 31.875)]).join(', ')})`;
      place = measure();
      canvas.setAttribute('aria-label', `Attention map: ${frame.shown} attending words by ${frame.source.length} attended words. Arrow keys read cells, Enter pins a row.`);
      stopFade();
      fresh = 1;
      paint();
      if (grew) stopFade = animate((share) => { fresh = share; paint(); });
    },
    relayout() {
      if (!frame) return;
      place = measure();
      paint();
    },
    size: () => place.total,
    draw,
  };
}

const MAP_AXES = 'attending (query) ↓   attended (key) →';
