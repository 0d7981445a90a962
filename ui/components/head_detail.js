/* One head in the hand (or up to eight together): lines and heatmap of the same numbers, linked.
   Hover previews a token's row or column in both, a click pins it, pins are summed, Esc clears. */

const WIDE = 760; // CSS pixels from where lines and map stand side by side

function headDetail(root, host) {
  const parts = card(root, { readout: false });
  parts.node.classList.add('detail');
  const swatches = el('div', { class: 'swatches', role: 'group', 'aria-label': 'heads shown' });
  const make = (name) => el('canvas', { class: `picture ${name}`, tabindex: 0, role: 'application' });
  const lines = make('detail-lines');
  const heat = make('detail-heat');
  const band = el('div', { class: 'detail-band', hidden: true });
  const readout = el('p', { class: 'readout', 'aria-live': 'polite' });
  const axes = el('p', { class: 'axis-words' });
  const heatPlace = el('div', { class: 'detail-place' }, axes, heat, band);
  const linesPlace = el('div', { class: 'detail-place' }, lines);
  const legend = el('canvas', { class: 'picture' });
  const whole = el('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => zoom(null) }, '⤢ whole map');
  const foot = el('div', { class: 'foot' });
  parts.body.append(swatches, el('div', { class: 'detail-views' }, linesPlace, readout, heatPlace), foot);
  const views = parts.body.querySelector('.detail-views');

  let meta, maps = [], sheets = [], combined, geometry = {}, cache = {}, named = '', given = null, frame = 0;
  const own = { hover: null, rows: new Set(), cols: new Set(), off: new Set(), threshold: 0.02, log: false, size: 0, view: null };
  const pins = linked(host, 'pinned');
  const seen_ = linked(host, 'viewed');
  // A head shown ahead of its exact numbers, and an answer that came for an earlier one.
  let ahead = null, late = null;

  /* ----- the numbers ----- */
  const visibleHeads = () => maps.map((_, k) => k).filter((k) => !own.off.has(k));
  const value = (k, i, j) => maps[k][i * meta.cols.length + j];
  // Not allowed counts as no weight; a masked score stays masked.
  const clean = (v) => (v === v || meta.unit === 'number' ? v : 0);
  const rowOf = (k, i) => Array.from(maps[k].subarray(i * meta.cols.length, (i + 1) * meta.cols.length), clean);
  const colOf = (k, j) => Array.from({ length: meta.written }, (_, i) => value(k, i, j));
  const finite = (v) => (Number.isFinite(v) ? v : 0);
  const total = (k, items, line, length) => {
    const sum = new Array(length).fill(0);
    for (const item of items) line(k, item).forEach((v, n) => (sum[n] += finite(v)));
    return sum;
  };
  const signed = () => meta.unit !== 'share';
  const hueOf = (k) => (maps.length > 1 ? host.colours.heads[k % 8] : host.colours[meta.kind]);

  const build = () => {
    const c = host.colours;
    const [rows, cols] = [meta.rows.length, meta.cols.length];
    let top = 1;
    let low = 0;
    if (signed()) {
      [low, top] = [Infinity, -Infinity];
      for (const map of maps) for (const v of map) if (Number.isFinite(v)) [low, top] = [Math.min(low, v), Math.max(top, v)];
      if (!(top >= low)) [low, top] = [0, 1];
    }
    const scale = meta.unit === 'share' ? (own.log ? 'log' : 'weight') : low < 0 ? 'diverging' : 'range';
    const reach = scale === 'diverging' ? Math.max(Math.abs(low), Math.abs(top), meta.unit === 'points' ? 0.05 : 1e-6) : top;
    const place = placer(scale, reach, scale === 'log' ? logFloor(cols) : low);
    const common = { rows: meta.rows, cols: meta.cols, written: meta.written, unit: meta.unit, neutral: scale === 'diverging' ? 128 : 0 };
    const tableOf = (k) => (scale === 'diverging' ? divergingTable(c) : rampTable(c.panel, hueOf(k)));
    sheets = maps.map((_, k) => {
      const at = (i, j) => (i < meta.written ? value(k, i, j) : NaN);
      return { ...common, at, table: tableOf(k), index: indexOf(rows, cols, at, place), top: reach, low, scale };
    });
    combine();
  };

  /** Several heads in one map: each cell takes the hue of the head that is strongest there. */
  function combine() {
    cache = {};
    const seen = visibleHeads();
    if (seen.length <= 1) {
      combined = sheets[seen[0] ?? 0];
      return;
    }
    const index = new Int16Array(sheets[0].index.length).fill(-1);
    const lead = new Uint8Array(index.length);
    const neutral = sheets[0].neutral;
    for (const k of seen) {
      sheets[k].index.forEach((v, n) => {
        const now = index[n] < 0 ? -1 : Math.abs((index[n] & 255) - neutral);
        if (v >= 0 && Math.abs(v - neutral) > now) [index[n], lead[n]] = [k * 256 + v, k];
      });
    }
    const cols = meta.cols.length;
    combined = { ...sheets[0], index, table: sheets.flatMap((s) => s.table), at: (i, j) => sheets[lead[i * cols + j]].at(i, j) };
  }

  /* ----- what is looked at ----- */
  const active = () => (own.hover
    ? { rows: new Set(own.hover.row === undefined ? [] : [own.hover.row]), cols: new Set(own.hover.col === undefined ? [] : [own.hover.col]), cell: own.hover.row !== undefined && own.hover.col !== undefined }
    : { rows: own.rows, cols: own.cols, cell: false });
  const pinned = () => own.rows.size + own.cols.size > 0;
  /** The row told when none is looked at: the word that looks hardest at another one. */
  const fallback = () => {
    if (meta.current !== null && meta.current < meta.written) return meta.current;
    let [row, best] = [0, -Infinity];
    const k = visibleHeads()[0] ?? 0;
    for (let i = 0; i < meta.written; i++) {
      if (isDim(meta.rows[i])) continue;
      for (let j = 0; j < meta.cols.length; j++) {
        const v = value(k, i, j);
        if (v > best && (meta.kind === 'cross' || i !== j)) [row, best] = [i, v];
      }
    }
    return row;
  };
  const sentence = () => headSentence({ meta, own, visibleHeads, active, pinned, fallback, rowOf, colOf, total, value });

  /* ----- drawing ----- */
  const worth = (v) => Math.abs(v) >= (meta.unit === 'share' || meta.unit === 'points' ? 0.05 : 0.2 * sheets[0].top);
  const paintShares = (p, g, c, focus) => {
    const seen = visibleHeads();
    const text = c[`${meta.kind}_text`];
    const side = (items, line, length, y, x, align, pitch) => {
      if (!items.size) return [];
      const sums = seen.map((k) => total(k, items, line, length));
      const peak = (n) => Math.max(...sums.map((s) => Math.abs(s[n])));
      const most = Array.from({ length }, (_, n) => n).filter((n) => worth(peak(n))).sort((a, b) => peak(b) - peak(a)).slice(0, 14);
      // A sum over several rows is no longer a share of one.
      const told = (v) => (items.size > 1 && meta.unit === 'share' ? v.toFixed(2) : shown(v, meta.unit).replace(' points', ''));
      const put = [];
      for (const n of most) {
        if (put.some((m) => Math.abs(m - n) * pitch < 14 * g.u)) continue;
        put.push(n);
        if (seen.length === 1) {
          p.text(x, y(n), told(sums[0][n]), { size: 12.5 * g.u, align, baseline: 'middle', fill: text });
          continue;
        }
        // One small bar a head, and the number of the longest.
        const number = told(sums.reduce((a, b) => (Math.abs(b[n]) > Math.abs(a) ? b[n] : a), 0));
        p.text(align === 'right' ? x - 46 * g.u : x + 46 * g.u, y(n), number, { size: 12 * g.u, align, baseline: 'middle', fill: c.muted });
        const tall = Math.min(4 * g.u, (Math.min(pitch, 22 * g.u) - 2) / seen.length);
        seen.forEach((k, m) => {
          const w = Math.max(1, Math.min(1, Math.abs(sums[m][n]) / (sheets[0].top * items.size)) * 40 * g.u);
          p.rect(align === 'right' ? x - w : x, y(n) + (m - seen.length / 2) * tall, w, tall * 0.85, { fill: hueOf(k) });
        });
      }
      return put;
    };
    const put = side(focus.rows, rowOf, meta.cols.length, g.z, g.width - 2, 'right', g.colPitch);
    if (!focus.rows.size) side(focus.cols, colOf, meta.written, g.y, 2, 'left', g.rowPitch);
    return put;
  };
  const paintAllLines = (p, g, c) => {
    const { rows, cols, cell } = active();
    const seen = visibleHeads();
    const focus = { rows, cols: cell ? new Set() : cols, named: cell ? [...cols] : [] };
    seen.forEach((k, m) => paintLines(p, sheets[k], g, focus, {
      hue: (v) => (!signed() || sheets[k].scale === 'range' ? hueOf(k) : seen.length > 1 ? hueOf(k) : v >= 0 ? c.positive : c.negative),
      threshold: own.threshold, top: sheets[k].top, shift: (m - (seen.length - 1) / 2) * Math.min(2.2 * g.u, g.rowPitch / (seen.length + 1)), faint: 1 / Math.sqrt(seen.length),
    }));
    focus.named = [...focus.named, ...paintShares(p, g, c, focus)];
    paintLineWords(p, combined, g, focus, c, meta.kind);
  };
  const paintMap = (p, g, c) => {
    const { rows, cols, cell } = active();
    paintHeat(p, combined, g, { rows, cols: cell || cols.size ? cols : new Set() }, c, p.blob ? null : cache);
  };
  const legendStops = () => {
    const { scale, top, low } = sheets[0];
    const unit = meta.unit === 'points' ? (v) => brief(v, 'points') : (v) => minus(v.toFixed(1));
    if (scale === 'diverging') return [[0, unit(-top)], [127.5, '0'], [255, unit(top)]];
    if (scale === 'range') return [[0, unit(low)], [255, unit(top)]];
    return weightStops(scale, meta.cols.length);
  };
  const legendWords = () => {
    if (visibleHeads().length > 1) return 'each cell: the strongest head shown';
    if (meta.unit === 'points') return 'difference in percentage points';
    if (meta.unit === 'number') return 'score before the softmax';
    return own.log ? 'logarithmic' : `colour = ${meta.mode === 'contribution' ? 'share' : 'weight'}^${TOKENS.gamma}`;
  };
  const paintFoot = (p, y, c) => paintLegend(p, 2, y + 3, host.scale, visibleHeads().length > 1 ? rampTable(c.panel, c.ink) : combined.table, legendStops(), legendWords(), c);

  const arrange = () => {
    const u = host.scale;
    const room = parts.body.clientWidth;
    const wide = room >= WIDE * u;
    views.classList.toggle('wide', wide);
    const [left, right] = wide ? [Math.floor(room * 0.44), Math.floor(room * 0.56) - 24 * u] : [Math.min(room, 620 * u), room];
    const rows = own.view ? own.view[1] - own.view[0] : meta.rows.length;
    const heatBox = heatGeometry(combined, right, u, { tall: wide ? 560 : rows > 32 ? 480 : 400, view: own.view, cap: wide ? 46 : 40 });
    // Side by side, a word stands at the same height in both.
    const beside = wide ? { top: heatBox.box.y + axes.offsetHeight, body: heatBox.box.h } : {};
    const several = visibleHeads().length > 1;
    const linesBox = linesGeometry(combined, left, u, { tall: rows > 32 ? 520 : 400, view: own.view, several, ...beside });
    geometry = { u, room, wide, heat: heatBox, lines: linesBox, left, right };
  };
  const draw = () => {
    const c = host.colours;
    const { lines: l, heat: h } = geometry;
    paintAllLines(canvasPainter(fitCanvas(lines, l.width, l.height)), l, c);
    paintMap(canvasPainter(fitCanvas(heat, h.width, h.height)), h, c);
    say(readout, sentence());
  };
  const soon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };
  const refresh = () => {
    arrange();
    draw();
    paintFoot(fitLegend(legend, host.scale, legendWords()), 0, host.colours);
  };

  /* ----- hover, pins, zoom ----- */
  const sameHover = (a, b) => a?.row === b?.row && a?.col === b?.col;
  const hover = (at) => {
    const legal = at && (at.row === undefined || at.row < meta.written) && (at.col === undefined || at.col < meta.cols.length) ? at : null;
    if (sameHover(own.hover, legal)) return;
    own.hover = legal;
    soon();
  };
  const toggle = (set, n) => {
    if (set.delete(n)) return;
    set.add(n);
    if (own.rows.size + own.cols.size > 32) set.delete(set.values().next().value); // no more fit into a link
  };
  const report = () => meta.report && pins.report([[...own.rows], [...own.cols]]);
  const tell = () => meta.report && seen_.report([Math.round(100 * own.threshold), own.log, own.view]);
  const pin = (at) => {
    if (!at || (at.row !== undefined && at.row >= meta.written)) return;
    if (at.row !== undefined) toggle(own.rows, at.row);
    else toggle(own.cols, at.col);
    own.hover = null;
    soon();
    report();
  };
  const clear = () => {
    if (!pinned() && !own.hover && !own.view) return false;
    const had = pinned();
    if (!had && !own.hover) zoom(null);
    own.rows.clear();
    own.cols.clear();
    own.hover = null;
    soon();
    if (had) report();
    return true;
  };
  function zoom(view) {
    own.view = view;
    whole.hidden = !view;
    cache = {};
    refresh();
    tell();
  }
  const point = (event, node) => {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const listen = (node, which) => {
    let down = null;
    const dragging = (x, y) => down && which === 'heat' && Math.hypot(x - down[0], y - down[1]) > 7 && Math.max(meta.rows.length, meta.cols.length) > 24;
    node.addEventListener('pointermove', (event) => {
      const [x, y] = point(event, node);
      if (dragging(x, y)) {
        const place = [Math.min(x, down[0]), Math.min(y, down[1]), Math.abs(x - down[0]), Math.abs(y - down[1])];
        band.hidden = false;
        band.style.cssText = `left:${place[0] + node.offsetLeft}px;top:${place[1] + node.offsetTop}px;width:${place[2]}px;height:${place[3]}px`;
        return;
      }
      const at = geometry[which].hit(x, y);
      node.style.cursor = at ? 'pointer' : 'default';
      hover(at);
    });
    node.addEventListener('pointerleave', () => { if (!down) hover(null); });
    node.addEventListener('pointerdown', (event) => { down = point(event, node); if (which === 'heat') node.setPointerCapture(event.pointerId); });
    node.addEventListener('pointercancel', () => { down = null; band.hidden = true; });
    node.addEventListener('pointerup', (event) => {
      const [x, y] = point(event, node);
      const [from, was] = [down, dragging(x, y)];
      down = null;
      band.hidden = true;
      if (!was) return pin(geometry[which].hit(x, y));
      const g = geometry.heat;
      const edge = (v, start, step, low, high) => Math.max(low, Math.min(high - 1, Math.floor((v - start) / step) + low));
      const [ra, rb] = [from[1], y].map((v) => edge(v, g.box.y, g.ch, g.r0, g.r1)).sort((a, b) => a - b);
      const [ca, cb] = [from[0], x].map((v) => edge(v, g.box.x, g.cw, g.c0, g.c1)).sort((a, b) => a - b);
      own.hover = null;
      if (rb > ra && cb > ca) zoom([ra, rb + 1, ca, cb + 1]);
    });
    node.addEventListener('keydown', (event) => {
      const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
      if (step) {
        const now = own.hover ?? { row: [...own.rows][0] ?? fallback() };
        const row = Math.max(0, Math.min(meta.written - 1, (now.row ?? 0) + step[0]));
        const col = now.col === undefined ? (step[1] ? 0 : undefined) : Math.max(0, Math.min(meta.cols.length - 1, now.col + step[1]));
        hover(col === undefined ? { row } : { row, col });
      } else if (event.key === 'Enter' || event.key === ' ') pin(own.hover ?? { row: fallback() });
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    node.addEventListener('blur', () => hover(null));
  };
  listen(lines, 'lines');
  listen(heat, 'heat');
  // Before the page's other Esc keys: pins are cleared first, the open head closes with the next Esc.
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !parts.controls.contains(event.composedPath()[0]) && clear()) event.preventDefault();
  }, { capture: true, signal: host.signal });

  /* ----- controls ----- */
  const makeSwatches = () => {
    swatches.hidden = maps.length < 2;
    const dress = () => {
      [...swatches.querySelectorAll('button')].forEach((button, k) => button.setAttribute('aria-pressed', String(!own.off.has(k))));
      combine();
      refresh();
    };
    swatches.replaceChildren(...(maps.length < 2 ? [] : meta.heads.map((head, k) => {
      const dot = el('span', { class: 'swatch-dot', 'aria-hidden': 'true' });
      dot.style.background = hueOf(k);
      const button = el('button', { type: 'button', class: 'swatch', 'aria-pressed': 'true', title: 'click: show or hide · double-click: this head alone' }, dot, head.name);
      button.addEventListener('click', () => { toggle(own.off, k); dress(); });
      button.addEventListener('dblclick', () => {
        const alone = visibleHeads().length === 1 && !own.off.has(k);
        own.off = new Set(alone ? [] : maps.map((_, m) => m).filter((m) => m !== k));
        dress();
      });
      return button;
    })), ...(maps.length < 2 ? [] : [el('span', { class: 'swatch-hint' }, 'click hides · double-click isolates')]));
  };
  let knobs = null; // made once for a unit, so that an answer does not take the slider out of the hand
  const makeControls = () => {
    if (knobs?.unit !== meta.unit) {
      const told = el('output');
      const slider = el('input', { type: 'range', class: 'slider', min: 0, max: 50, step: 1, 'aria-label': 'Draw lines from this strength on' });
      slider.addEventListener('input', () => { own.threshold = Number(slider.value) / 100; makeControls(); soon(); });
      slider.addEventListener('change', tell);
      const log = el('input', { type: 'checkbox' });
      log.addEventListener('change', () => { own.log = log.checked; build(); refresh(); tell(); });
      foot.replaceChildren(legend, el('span', { class: 'detail-foot' }, whole, ...(meta.unit === 'share' ? [el('label', { class: 'field' }, log, 'log colour')] : []), field('lines from', slider, told)));
      parts.controls.replaceChildren(exportMenu(host, { name: () => meta.file, size: exportSize, draw: exportDraw, rows: table }));
      knobs = { unit: meta.unit, slider, told, log };
    }
    const { slider, told, log } = knobs;
    slider.value = Math.round(own.threshold * 100);
    told.textContent = meta.unit === 'share' ? `${slider.value} %` : `${slider.value} % of largest`;
    log.checked = own.log;
  };
  const plain = () => sentence().map((part) => (typeof part === 'string' ? part : part.strong ?? part.kind ?? '')).join('');
  const exportSize = () => {
    const { lines: l, heat: h, wide, room, u } = geometry;
    const body = wide ? Math.max(l.height, h.height + 18 * u) : l.height + 14 * u + h.height + 18 * u;
    return [Math.max(room, h.width), 52 * u + body + 80 * u];
  };
  const exportDraw = (p) => {
    const { lines: l, heat: h, wide, room, u, left } = geometry;
    const c = host.colours;
    p.text(2, 18 * u, [meta.title, meta.tag].filter(Boolean).join(' · '), { size: 16 * u, weight: 650, fill: c.ink });
    p.text(2, 37 * u, meta.subtitle, { size: 12.5 * u, fill: c.muted });
    paintAllLines(shifted(p, 0, 52 * u), l, c);
    const [x, y] = wide ? [left + 24 * u, 52 * u] : [0, 52 * u + l.height + 14 * u];
    p.text(x + 2, y + 10 * u, AXES, { size: 12 * u, fill: c.muted });
    paintMap(shifted(p, x, y + 18 * u), h, c);
    const bottom = 52 * u + (wide ? Math.max(l.height, h.height + 18 * u) : l.height + 14 * u + h.height + 18 * u) + 8 * u;
    wrapText(plain(), room - 8, 13 * u).slice(0, 2).forEach((line, n) => p.text(2, bottom + (12 + 17 * n) * u, line, { size: 13 * u, fill: c.ink }));
    paintFoot(p, bottom + 36 * u, c);
  };
  const table = () => {
    const several = maps.length > 1;
    const head = ['query_position', 'query', 'key_position', 'key', 'value'];
    const rows = [several ? ['head', ...head] : head];
    for (const k of visibleHeads()) for (let i = 0; i < meta.written; i++) for (let j = 0; j < meta.cols.length; j++) {
      const v = value(k, i, j);
      const row = [i, meta.rows[i], j, meta.cols[j], Number.isFinite(v) ? Number(v.toPrecision(9)) : ''];
      rows.push(several ? [meta.heads[k].name, ...row] : row);
    }
    return rows;
  };
  const AXES = 'attending (query) ↓   attended (key) →';

  /* ----- a head's picture from the wall, until its numbers come ----- */
  const nameOf = (heads) => (heads.length ? heads.map(([layer, head]) => `${layer}.${head}`).join() : 'all');
  const shownName = () => (meta.pairs.length ? nameOf(meta.pairs) : 'all');
  listenTo(host, 'heads', (said) => {
    if (!meta || said.kind !== meta.kind) return;
    clearTimeout(ahead?.timer);
    ahead = { name: nameOf(said.heads), timer: setTimeout(() => { ahead = null; if (late) take(late); }, 4000) };
    late = null;
    const fits = said.values && meta.mode === 'weights' && !own.off.size && JSON.stringify([said.rows, said.cols]) === JSON.stringify([meta.rows.slice(0, meta.written), meta.cols]);
    parts.node.classList.toggle('waiting', !fits && shownName() !== ahead.name);
    if (!fits) return;
    const names = said.heads.map((head) => head.join('.'));
    const whole = said.whole.subject;
    meta = {
      ...meta, pairs: said.heads, exact: said.values.length,
      title: names.length ? `Head${names.length > 1 ? 's' : ''} ${names.join(', ')}` : whole[0].toUpperCase() + whole.slice(1),
      heads: names.length ? names.map((name) => ({ name, subject: `head ${name}` })) : [{ name: 'all', subject: whole }],
      distribution: names.length > 0 || said.whole.how === 'mean',
    };
    maps = said.values;
    parts.node.dataset.numbers = 'ahead';
    dress();
  });

  /** Words, controls and pictures of `meta` and `maps`. */
  function dress() {
    say(parts.title, [`${meta.title} `, ...(meta.tag ? [{ kind: meta.tag }] : [])]);
    say(parts.subtitle, [meta.subtitle]);
    axes.textContent = AXES;
    const words = `Attention of ${meta.heads.map((head) => head.name).join(', ')}: ${meta.written} attending and ${meta.cols.length} attended tokens. Arrow keys move, Enter pins, Escape clears.`;
    lines.setAttribute('aria-label', `Lines. ${words}`);
    heat.setAttribute('aria-label', `Map. ${words}`);
    build();
    makeControls();
    makeSwatches();
    refresh();
  }

  function take(next) {
    meta = next.meta;
    [late, ahead] = [null, (clearTimeout(ahead?.timer), null)];
    parts.node.classList.remove('waiting');
    [parts.node.dataset.numbers, parts.node.dataset.kind] = ['exact', meta.kind];
    const size = meta.written * meta.cols.length;
    const exact = unpack(next.exact);
    const levels = unpack(next.levels);
    maps = meta.heads.map((_, k) => (k < meta.exact ? exact.subarray(k * size, (k + 1) * size) : Float32Array.from(levels.subarray((k - meta.exact) * size, (k - meta.exact + 1) * size), (b) => WEIGHT_OF_BYTE[b])));
    root.style.setProperty('--kind', host.colours[meta.kind]);
    root.style.setProperty('--kind-text', host.colours[`${meta.kind}_text`]);
    // Pins and the part looked at belong to a sentence: another head of the same words keeps them.
    const words = JSON.stringify([meta.kind, meta.verb, meta.rows[0], meta.cols]);
    const [pinned_, viewed] = [pins.news(meta.pins), seen_.news(meta.view)];
    if (words !== named || pinned_) [own.rows, own.cols] = meta.pins.map((list) => new Set(list));
    // A long map starts with a scale and a threshold that show something; then they are the reader's.
    const longest = Math.max(meta.rows.length, meta.cols.length);
    const reach_ = longest > 128 ? 3 : longest > 32 ? 2 : 1;
    const resized = reach_ !== own.size;
    if (resized) [own.size, own.threshold, own.log] = [reach_, reach_ > 1 ? 0.05 : 0.02, reach_ > 2 && meta.unit === 'share'];
    const [threshold, log, part] = meta.view;
    if ((viewed || resized) && threshold !== null) own.threshold = threshold / 100;
    if ((viewed || resized) && log !== null) own.log = log && meta.unit === 'share';
    if (viewed || words !== named) own.view = part;
    if (own.view && (own.view[1] > meta.rows.length || own.view[3] > meta.cols.length)) own.view = null;
    named = words;
    whole.hidden = !own.view;
    for (const i of own.rows) if (i >= meta.written) own.rows.delete(i);
    own.hover = null;
    own.off = new Set([...own.off].filter((k) => k < maps.length && maps.length > 1));
    announce('shown', { kind: meta.kind, heads: meta.pairs });
    dress();
  }

  return {
    update(next) {
      const name = next.meta.pairs.length ? nameOf(next.meta.pairs) : 'all';
      if (ahead && next.meta.kind === meta.kind && name !== ahead.name) late = next;
      else take(next);
    },
    relayout: refresh,
    destroy: () => { cancelAnimationFrame(frame); clearTimeout(ahead?.timer); },
  };
}
