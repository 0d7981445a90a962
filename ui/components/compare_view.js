/* Two maps side by side and what changed between them; hovering one points at the same place in all. */

function compareView(root, host) {
  const parts = card(root);
  parts.node.classList.add('compare');
  const foot = el('div', { class: 'foot' });
  const grid = el('div', { class: 'compare-grid' });
  parts.body.append(grid);
  parts.body.after(foot);
  let meta, sheets, panes = [], frame = 0, shape = '', named = '';
  const own = { hover: null, pin: null, log: false };
  const viewed = linked(host, 'viewed');
  const tell = () => meta.report && viewed.report([own.pin && [own.pin.pane, own.pin.row ?? null, own.pin.col ?? null], own.log]);

  const build = () => {
    const c = host.colours;
    const make = (values, axes, unit, n, hidden = null) => {
      const [rows, cols] = axes;
      const at = (i, j) => values[i * cols.length + j];
      let top = 1;
      if (unit === 'points') top = Math.max(0.05, values.reduce((most, v) => Math.max(most, v === v ? Math.abs(v) : 0), 0));
      const place = unit === 'points' ? placer('diverging', top) : own.log ? placer('log', 1, logFloor(cols.length)) : placer('weight', 1);
      const empty = rows.map((_, i) => cols.every((__, j) => at(i, j) !== at(i, j)));
      return { rows, cols, written: rows.length, at, unit, hidden, empty, top, n, neutral: unit === 'points' ? 128 : 0, index: indexOf(rows.length, cols.length, at, place), table: unit === 'points' ? divergingTable(c) : rampTable(c.panel, c[meta.kind]), cache: {} };
    };
    const [a, b] = meta.values;
    sheets = [make(a, [meta.rows[0], meta.cols[0]], 'share', 0, meta.hidden[0]), make(b, [meta.rows[1], meta.cols[1]], 'share', 1, meta.hidden[1])];
    if (meta.comparable) sheets.push(make(a.map((v, n) => b[n] - v), [meta.rows[0], meta.cols[0]], 'points', 2));
    if (meta.hidden[0]) sheets.forEach((sheet) => (sheet.aside = true)); // rows of all three stand at one height
  };
  const names = () => [...meta.names, `${meta.names[1]} − ${meta.names[0]}`];
  const arrange = () => {
    const u = host.scale;
    const room = parts.body.clientWidth;
    const beside = room >= 900 * u ? sheets.length : room >= 560 * u ? 2 : 1;
    grid.style.gridTemplateColumns = `repeat(${beside}, minmax(0, 1fr))`;
    panes.forEach((pane, n) => {
      const alone = beside === 2 && n === 2; // the difference under the two
      pane.node.style.gridColumn = alone ? '1 / -1' : '';
      pane.width = alone ? room : (room - (beside - 1) * 22 * u) / beside;
      pane.g = heatGeometry(sheets[n], pane.width, u, { tall: 460, cap: 34 });
    });
  };
  const at = () => own.hover ?? own.pin;
  const focus = (n) => {
    const cell = at();
    if (!cell || (!meta.comparable && cell.pane !== n)) return { rows: new Set(), cols: new Set() };
    return { rows: new Set(cell.row === undefined ? [] : [cell.row]), cols: new Set(cell.col === undefined ? [] : [cell.col]) };
  };
  const row = (n, i) => sheets[n].cols.map((_, j) => { const v = sheets[n].at(i, j); return v === v ? v : 0; });
  const rowName = (label) => (meta.heads ? `head ${label}` : quoted(label));
  const leading = (label) => (meta.heads ? [{ strong: `Head ${label}` }] : [`${meta.verb} `, { strong: quoted(label) }]);
  const told = (values) => values.map((v) => (v === v ? v : 0));
  const rowWords = (n, i) => (meta.heads
    ? rowSentence(row(n, i), meta.heads[n], sheets[n].cols, { verb: 'Writing', subject: `head ${sheets[n].rows[i]}`, mode: 'weights', distribution: true })
    : rowSentence(row(n, i), sheets[n].rows[i], sheets[n].cols, { verb: meta.verb, subject: meta.subjects[n], mode: 'weights', distribution: meta.distribution[n], hidden: meta.hidden[n]?.[i] ?? null }));
  const columnWords = (n, j) => {
    const column = told(sheets[n].rows.map((_, r) => sheets[n].at(r, j)));
    if (!meta.heads) return columnSentence(column, [sheets[n].cols[j]], sheets[n].rows, { verb: meta.verb, subject: meta.subjects[n], mode: 'weights' });
    const most = topIndices(column, 2).filter((i, rank) => rank === 0 || column[i] >= 0.05);
    return ['Writing ', { strong: quoted(meta.heads[n]) }, ', ', { strong: quoted(sheets[n].cols[j]) }, ' got most from ', ...enumerate(most.map((i) => [`head ${sheets[n].rows[i]} (${spokenPercent(column[i])})`])), '.'];
  };
  const sentence = () => {
    const cell = at();
    const hint = own.hover ? [] : [{ muted: own.pin ? '  pinned · Esc clears' : '  hover a cell or a word, click to pin, Esc clears' }];
    if (!cell) {
      if (!meta.comparable) return ['The two have different words, so there is no difference to draw.', ...hint];
      const all = sheets[2];
      const far = (i, j) => Math.abs(all.at(i, j)) || 0; // NaN where attending is not allowed
      const largest = (counts) => {
        let best = null;
        for (let i = 0; i < all.rows.length; i++) for (let j = 0; j < all.cols.length; j++) if (counts(i, j) && (!best || far(i, j) > far(...best))) best = [i, j];
        return best;
      };
      // As in the title (core/analysis/comparison.py): words before special tokens, if they differ by five points.
      const any = largest(() => true);
      const plain = largest((i, j) => !isSpecial(all.rows[i]) && !isSpecial(all.cols[j]));
      const best = plain && far(...plain) >= 0.05 ? plain : any;
      const where = far(...any) > far(...best) ? ' between words' : '';
      const change = all.at(...best);
      if (!(Math.abs(change) >= 0.005)) return [`${meta.names[0]} and ${meta.names[1]} are the same.`, ...hint];
      return [`The largest difference${where}: `, { strong: rowName(all.rows[best[0]]) }, ' → ', { strong: quoted(all.cols[best[1]]) }, `, ${spokenPercent(sheets[0].at(...best))} in ${meta.names[0]}, ${spokenPercent(sheets[1].at(...best))} in ${meta.names[1]} (${shown(change, 'points')}).`, ...hint];
    }
    const { row: i, col: j } = cell;
    if (i !== undefined && j !== undefined) {
      if (!meta.comparable) return [`${names()[cell.pane]}: ${meta.verb.toLowerCase()} `, { strong: quoted(sheets[cell.pane].rows[i]) }, `, ${shown(sheets[cell.pane].at(i, j), 'share')} at `, { strong: quoted(sheets[cell.pane].cols[j]) }, '.', ...hint];
      return [...leading(sheets[0].rows[i]), ', at ', { strong: quoted(sheets[0].cols[j]) }, `: ${meta.names[0]} ${shown(sheets[0].at(i, j), 'share', 1)}, ${meta.names[1]} ${shown(sheets[1].at(i, j), 'share', 1)}, ${shown(sheets[1].at(i, j) - sheets[0].at(i, j), 'points', 1)}.`, ...hint];
    }
    const which = meta.comparable ? [0, 1] : [Math.min(1, cell.pane)];
    return which.flatMap((n) => [...(i !== undefined ? rowWords(n, i) : columnWords(n, j)), ' ']).concat(hint);
  };
  const paint = (p, n) => paintHeat(p, sheets[n], panes[n].g, focus(n), host.colours, p.blob ? null : sheets[n].cache);
  const stops = (n) => (n === 2 ? [[0, brief(-sheets[2].top, 'points')], [127.5, '0'], [255, brief(sheets[2].top, 'points')]] : weightStops(own.log ? 'log' : 'weight', sheets[n].cols.length));
  const words = (n) => (n === 2 ? 'percentage points' : own.log ? 'logarithmic' : `colour = weight^${TOKENS.gamma}`);
  const draw = () => {
    panes.forEach((pane, n) => paint(canvasPainter(fitCanvas(pane.canvas, pane.g.width, pane.g.height)), n));
    say(parts.readout, sentence());
  };
  const refresh = () => {
    arrange();
    panes.forEach((pane, n) => paintLegend(fitLegend(pane.legend, host.scale, words(n)), 2, 3, host.scale, sheets[n].table, stops(n), words(n), host.colours));
    draw();
  };
  const soon = () => { cancelAnimationFrame(frame); frame = requestAnimationFrame(draw); };
  const find = (event, n) => {
    const box = panes[n].canvas.getBoundingClientRect();
    const cell = panes[n].g.hit(event.clientX - box.left, event.clientY - box.top);
    return cell && { ...cell, pane: n };
  };
  const same = (a, b) => a?.row === b?.row && a?.col === b?.col && a?.pane === b?.pane;
  const makePanes = () => {
    panes = sheets.map((_, n) => {
      const canvas = el('canvas', { class: 'picture', tabindex: 0, role: 'application' });
      const title = el('h4', { class: 'compare-title' });
      const legend = el('canvas', { class: 'picture compare-legend' });
      canvas.addEventListener('pointermove', (event) => {
        const cell = find(event, n);
        canvas.style.cursor = cell ? 'pointer' : 'default';
        if (same(cell, own.hover)) return;
        own.hover = cell;
        soon();
      });
      canvas.addEventListener('pointerleave', () => { own.hover = null; soon(); });
      canvas.addEventListener('click', (event) => { const cell = find(event, n); own.pin = same(cell, own.pin) ? null : cell; own.hover = null; soon(); tell(); });
      canvas.addEventListener('keydown', (event) => {
        const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
        const limit = (v, most) => Math.max(0, Math.min(most - 1, v));
        if (step) own.hover = { pane: n, row: limit((at()?.row ?? 0) + step[0], sheets[n].rows.length), col: limit((at()?.col ?? 0) + step[1], sheets[n].cols.length) };
        else if (event.key === 'Enter' || event.key === ' ') { [own.pin, own.hover] = [same(own.hover, own.pin) ? null : own.hover, null]; tell(); }
        else return;
        event.preventDefault();
        event.stopPropagation();
        soon();
      });
      canvas.addEventListener('blur', () => { own.hover = null; soon(); });
      return { canvas, title, legend, node: el('div', { class: 'compare-pane' }, title, canvas, legend) };
    });
    grid.replaceChildren(...panes.map((pane) => pane.node));
  };
  pageKeys(host, { Escape: () => { if (!own.pin) return false; own.pin = null; soon(); tell(); } });
  const log = el('input', { type: 'checkbox' });
  log.addEventListener('change', () => { own.log = log.checked; build(); refresh(); tell(); });
  const axes = el('p', { class: 'axis-words' });
  foot.append(axes, el('span', { class: 'compare-foot' }, el('label', { class: 'field' }, log, 'log colour')));

  const total = () => {
    const u = host.scale;
    let x = 0;
    const spots = panes.map((pane) => { const spot = x; x += pane.g.width + 22 * u; return spot; });
    return { u, spots, width: x, height: Math.max(...panes.map((pane) => pane.g.height)) };
  };
  parts.controls.append(exportMenu(host, {
    name: () => meta.file,
    size: () => { const t = total(); return [Math.max(t.width, 600 * t.u), t.height + 130 * t.u]; },
    draw: (p) => {
      const { u, spots, width, height } = total();
      p.text(2, 18 * u, meta.title, { size: 16 * u, weight: 650, fill: host.colours.ink });
      panes.forEach((pane, n) => {
        p.text(spots[n] + 2, 44 * u, names()[n], { size: 13.5 * u, weight: 600, fill: host.colours.ink });
        paint(shifted(p, spots[n], 52 * u), n);
        paintLegend(p, spots[n] + 2, 60 * u + height, u, sheets[n].table, stops(n), words(n), host.colours);
      });
      wrapText(parts.readout.textContent, Math.max(width, 600 * u) - 8, 13 * u).slice(0, 2).forEach((line, n) => p.text(2, height + (100 + 17 * n) * u, line, { size: 13 * u, fill: host.colours.ink }));
    },
    rows: () => {
      const table = [['map', 'query_position', 'query', 'key_position', 'key', 'value']];
      sheets.forEach((sheet, n) => sheet.rows.forEach((query, i) => sheet.cols.forEach((word, j) => { const v = sheet.at(i, j); table.push([names()[n], i, query, j, word, v === v ? Number(v.toPrecision(9)) : '']); })));
      return table;
    },
  }));

  return {
    update(data) {
      meta = data.meta;
      meta.values = [unpack(data.first), unpack(data.second)];
      root.style.setProperty('--kind', host.colours[meta.kind]);
      root.style.setProperty('--kind-text', host.colours[`${meta.kind}_text`]);
      own.hover = null;
      // A pin belongs to the two maps; it comes from the link or is the reader's own.
      const [maps, news] = [JSON.stringify([meta.kind, meta.names, meta.rows, meta.cols]), viewed.isNews(meta.view)];
      if (maps !== named || news) {
        const [pane, row, col] = meta.view[0] ?? [];
        own.pin = pane === undefined ? null : { pane, ...(row === null ? {} : { row }), ...(col === null ? {} : { col }) };
        if (news) log.checked = own.log = meta.view[1];
      }
      named = maps;
      say(parts.title, [meta.title]);
      say(parts.subtitle, [meta.subtitle]);
      axes.textContent = `${meta.heads ? 'head' : 'attending (query)'} ↓   attended (key) →`;
      build();
      const wanted = String(sheets.length);
      if (wanted !== shape) makePanes();
      shape = wanted;
      panes.forEach((pane, n) => {
        pane.title.textContent = names()[n];
        pane.canvas.setAttribute('aria-label', `${names()[n]}: ${sheets[n].rows.length} attending and ${sheets[n].cols.length} attended tokens. Arrow keys move, Enter pins, Escape clears.`);
      });
      refresh();
    },
    relayout: refresh,
    destroy: () => cancelAnimationFrame(frame),
  };
}
