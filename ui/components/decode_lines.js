/* Attended words above, attending words below, curves between them: width and opacity both carry the weight. */

/** `link` shares hover and pins with other views; `go(step)` moves to a step when a dot is clicked. */
function linesPart(parent, host, link, go) {
  const canvas = el('canvas', { class: 'lines-canvas', 'aria-hidden': 'true' });
  const shareRow = el('div', { class: 'lines-row', 'aria-hidden': 'true' });
  const sourceRow = el('div', { class: 'lines-row', role: 'group', 'aria-label': 'attended words' });
  const targetRow = el('div', { class: 'lines-row', role: 'group', 'aria-label': 'attending words' });
  const inner = el('div', { class: 'lines-inner' }, canvas, el('div', { class: 'lines-words' }, shareRow, sourceRow, targetRow));
  const scroller = el('div', { class: 'lines scroller', tabindex: '-1' }, inner);
  parent.append(scroller);

  let frame = null;
  let place = null;
  let built = '';
  let words = { source: [], target: [] };
  let growth = 1;
  let stopGrowth = () => {};

  const measure = () => {
    const u = host.scale;
    const size = 15 * u;
    const width = (label) => Math.min(190 * u, textWidth(visible(label), size)) + 14 * u;
    const source = frame.source.map(width);
    const target = frame.target.map(width);
    const inside = Math.max(scroller.clientWidth, rowLength(source, 8 * u), rowLength(target, 8 * u));
    const y = { share: 0, source: 20 * u, top: 50 * u, bottom: 168 * u, target: 172 * u, end: 218 * u };
    const placed = (widths, labels) => inReadingOrder(spreadWords(widths, inside, 8 * u), labels, inside);
    return { u, size, inside, y, source: placed(source, frame.source), target: placed(target, frame.target), limit: 190 * u };
  };

  const wordButton = (label, x, selection, row, index) => {
    const name = el('bdi', { dir: 'auto' }, shorten(visible(label), place.limit, place.size));
    const button = el('button', { type: 'button', class: 'token', title: place.limit < textWidth(label, place.size) ? label : null }, name);
    button.style.left = `${x}px`;
    if (isSpecial(label)) button.classList.add('special');
    const waiting = () => selection.row !== undefined && selection.row >= frame.shown;
    const show = () => !waiting() && link.preview(selection);
    button.addEventListener('pointerenter', show);
    button.addEventListener('focus', () => button.matches(':focus-visible') && show());
    button.addEventListener('pointerleave', () => link.preview(null));
    button.addEventListener('blur', () => link.preview(null));
    button.addEventListener('click', (event) => {
      if (waiting()) go(selection.row + 1);
      else link.toggle(selection);
      // After a click with the pointer the arrow keys should step the decoder, not walk along the words.
      if (event.detail > 0) button.blur();
    });
    button.addEventListener('keydown', (event) => {
      // One tab stop per row; arrows walk along it (and do not step the decoder meanwhile).
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const next = words[row][index + (readsLeft(frame[row]) ? -step : step)];
      next?.focus();
    });
    return button;
  };

  const build = () => {
    place = measure();
    inner.style.width = `${place.inside}px`;
    inner.style.height = `${place.y.end}px`;
    shareRow.style.top = `${place.y.share}px`;
    sourceRow.style.top = `${place.y.source}px`;
    targetRow.style.top = `${place.y.target}px`;
    words = {
      source: frame.source.map((label, i) => wordButton(label, place.source[i], { col: i }, 'source', i)),
      target: frame.target.map((label, i) => wordButton(label, place.target[i], { row: i }, 'target', i)),
    };
    sourceRow.replaceChildren(...words.source);
    targetRow.replaceChildren(...words.target);
  };

  const dress = () => {
    const active = link.active(frame);
    const base = { source: frame.source, target: frame.target };
    for (const side of ['source', 'target']) {
      const field = side === 'source' ? 'col' : 'row';
      words[side].forEach((button, i) => {
        const waiting = side === 'target' && i >= frame.shown;
        const pinned = link.pinned({ [field]: i });
        const on = active.some((s) => s[field] === i);
        button.classList.toggle('waiting', waiting);
        button.classList.toggle('current', side === 'target' && i === frame.row);
        button.classList.toggle('forced', side === 'target' && !waiting && frame.forced.has(i));
        button.classList.toggle('pinned', pinned);
        button.classList.toggle('on', on && !(side === 'target' && i === frame.row));
        button.setAttribute('aria-pressed', String(pinned));
        button.setAttribute('aria-label', waiting ? `step ${i + 1}, not written yet` : visible(base[side][i]));
        button.tabIndex = i === (side === 'target' ? Math.max(0, frame.row) : 0) ? 0 : -1;
      });
    }
  };

  const labelShares = () => {
    const { overSource, overTarget, rows, columns } = summed(frame, link.active(frame));
    const marks = [];
    const add = (x, value, y) => {
      const mark = el('span', { class: 'share' }, percent(value));
      mark.style.left = `${x}px`;
      mark.style.top = `${y}px`;
      marks.push(mark);
    };
    const top = (values) => topIndices(values, 4).filter((i, rank) => values[i] >= (rank ? 0.05 : 0.01));
    if (rows) top(overSource).forEach((i) => add(place.source[i], overSource[i], 0));
    if (columns) top(overTarget).forEach((i) => add(place.target[i], overTarget[i], place.y.end - 17 * place.u));
    shareRow.replaceChildren(...marks);
  };

  /** All curves as calls on a painter; `left`/`right` bound what is drawn when only a part is in view. */
  const drawCurves = (painter, left = -Infinity, right = Infinity) => {
    const { y, u } = place;
    const colour = host.kindColour(frame.kind);
    const active = link.active(frame);
    const chosen = new Set(active.filter((s) => s.row !== undefined && s.col === undefined).map((s) => s.row));
    const one = (r, c, strong, share = 1) => {
      const weight = frame.weights.at(r, c);
      const from = place.target[r];
      const to = place.source[c];
      if (Math.max(from, to) < left || Math.min(from, to) > right) return;
      const middle = (y.bottom - y.top) * 0.55;
      const curve = startOfCurve([[from, y.bottom], [from, y.bottom - middle], [to, y.top + middle], [to, y.top]], share);
      const width = strong ? 1 + 8 * weight ** 0.7 : 0.8 + 3.5 * weight;
      painter.curve(...curve, { stroke: colour, width: width * u, alpha: strong ? 0.18 + 0.62 * weight ** 0.5 : (link.hover || link.pins.length ? 0.06 : 0.09) + 0.12 * weight });
    };
    for (let r = 0; r < frame.shown; r++) {
      if (chosen.has(r) || Math.abs(r - frame.row) > FAINT_REACH) continue;
      frame.source.forEach((_, c) => frame.weights.at(r, c) >= FAINT_FLOOR && one(r, c, false));
    }
    for (const { row, col } of active) {
      if (col === undefined) frame.source.forEach((_, c) => frame.weights.at(row, c) >= LINE_FLOOR && one(row, c, true, row === frame.row ? growth : 1));
      else if (row === undefined) for (let r = 0; r < frame.shown; r++) frame.weights.at(r, col) >= LINE_FLOOR && one(r, col, true);
      else one(row, col, true);
    }
  };

  const paint = () => {
    if (!frame) return;
    const visibleWidth = Math.max(1, scroller.clientWidth);
    const context = fitCanvas(canvas, visibleWidth, place.y.end);
    context.translate(-scroller.scrollLeft, 0);
    drawCurves(canvasPainter(context), scroller.scrollLeft - 50, scroller.scrollLeft + visibleWidth + 50);
  };
  // Words that go on beyond the edge fade there.
  const fade = () => {
    scroller.classList.toggle('more-left', scroller.scrollLeft > 2);
    scroller.classList.toggle('more-right', scroller.scrollLeft + scroller.clientWidth < place.inside - 2);
  };
  const refresh = () => {
    if (!frame) return;
    dress();
    labelShares();
    paint();
    fade();
  };
  scroller.addEventListener('scroll', () => requestAnimationFrame(() => { paint(); fade(); }), { signal: host.signal });
  link.listen(refresh);

  const keepInView = () => {
    const x = place.target[Math.max(0, frame.row)] ?? 0;
    const { scrollLeft, clientWidth } = scroller;
    if (place.inside <= clientWidth || (x > scrollLeft + 60 && x < scrollLeft + clientWidth - 60)) return;
    scroller.scrollTo({ left: x - clientWidth / 2, behavior: reducedMotion() ? 'auto' : 'smooth' });
  };

  return {
    update(next) {
      const grew = frame && next.shown === frame.shown + 1;
      frame = next;
      const text = host.colours[`${frame.kind}_text`];
      scroller.style.setProperty('--kind-text', text);
      scroller.style.setProperty('--kind-ink', readableOn(text, host.colours));
      const key = JSON.stringify([frame.source, frame.target, scroller.clientWidth, host.scale]);
      if (key !== built) build();
      built = key;
      keepInView();
      stopGrowth();
      growth = 1;
      refresh();
      if (grew) stopGrowth = animate((share) => { growth = share; paint(); });
    },
    relayout() {
      if (!frame) return;
      build();
      built = '';
      refresh();
    },
    size: () => [place.inside, place.y.end],
    draw(painter) {
      drawCurves(painter);
      const { y, size, u } = place;
      const c = host.colours;
      const kindText = c[`${frame.kind}_text`];
      const { overSource, rows } = summed(frame, link.active(frame));
      frame.source.forEach((label, i) => {
        painter.text(place.source[i], y.source + 19 * u, shorten(visible(label), place.limit, size), { size, mono: true, align: 'center', fill: isSpecial(label) ? c.muted : c.ink });
        if (rows && overSource[i] >= 0.05) painter.text(place.source[i], 13 * u, percent(overSource[i]), { size: 12.5 * u, align: 'center', fill: kindText });
      });
      frame.target.forEach((label, i) => {
        const x = place.target[i];
        if (i >= frame.shown) return painter.circle(x, y.target + 14 * u, 3, { fill: c.line });
        const current = i === frame.row;
        const width = Math.min(place.limit, textWidth(visible(label), size)) + 16 * u;
        if (current) painter.rect(x - width / 2, y.target, width, 27 * u, { fill: kindText, radius: 7 });
        painter.text(x, y.target + 19 * u, shorten(visible(label), place.limit, size), { size, mono: true, align: 'center', fill: current ? readableOn(kindText, c) : isSpecial(label) ? c.muted : c.ink });
      });
    },
  };
}

/** “du” in the title's colour, or what to say before anything is written. */
const linesTitle = (frame) =>
  frame.row >= 0
    ? [frame.kind === 'encoder' ? 'Where the encoder looks while it reads ' : 'Where the decoder looks while it writes ', { kind: `“${visible(frame.target[frame.row])}”` }]
    : ['The encoder has read the sentence; nothing is written yet'];
