/* All heads of one attention kind as small pictures: hover previews, a click opens, Shift lays one over the open one,
   arrows move, Esc closes. The open head's picture is handed to the detail at once; exact numbers follow from Python. */

const WALL_KEYS = [
  ['← ↑ → ↓', 'from head to head, from cell to cell'],
  ['Enter', 'open the head, pin the cell'],
  ['Shift + Enter', 'lay the head over the open one'],
  ['Esc', 'let go of the pins, then close the head'],
  ['Space', 'play the joint view'],
  ['?', 'this list'],
];

function headWall(root, host) {
  const parts = card(root, { readout: false });
  parts.node.classList.add('wall');
  const canvas = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
  const grid = el('div', { class: 'wall-heads', role: 'group' });
  const preview = el('div', { class: 'tip wall-preview', hidden: true, 'aria-hidden': 'true' });
  const none = el('p', { class: 'wall-none', hidden: true }, 'No head reaches this score.');
  const legend = el('canvas', { class: 'picture' });
  const foot = el('div', { class: 'foot' }, legend);
  parts.body.append(canvas, grid, none, preview);
  parts.node.append(foot);
  let data, meta, heads, buttons = [], layers = [], layout, controls = '', coloured = null, stop = () => {};
  const own = { badge: null, order: 'model', least: null, tone: null, open: [], at: 0 };
  const look = linked(host, 'arranged');

  /* ----- the numbers of a head ----- */
  const score = (head, name = own.badge) => meta.scores[name]?.values[head] ?? null;
  const known = (v) => v !== null && v === v;
  const spoken = (v) => (known(v) ? minus(v.toFixed(2)) : '–');
  const strong = (head) => known(score(head)) && meta.scores[own.badge].mark !== null && score(head) >= meta.scores[own.badge].mark;
  const passes = (head) => own.least === null || (known(score(head)) && score(head) >= own.least);
  const nameOf = (head) => pairOf(head).join('.');
  // Many tokens share a row, so their weights are small.
  const toneNow = () => own.tone ?? (meta.keys > 64 ? 'log' : 'weight');
  const isOpen = (head) => own.open.includes(head);
  const pairOf = (head) => [Math.floor(head / meta.heads), head % meta.heads];
  const headAt = ([layer, k]) => (layer < meta.layers && k < meta.heads ? layer * meta.heads + k : -1);

  const order = () => {
    const all = heads.map((_, head) => head);
    if (own.order === 'model' || own.badge === null) return all;
    const sign = own.order === 'high' ? -1 : 1;
    const value = (head) => (known(score(head)) ? score(head) : -sign * Infinity);
    return all.filter(passes).sort((a, b) => sign * (value(a) - value(b)) || a - b);
  };

  /* ----- pictures ----- */
  const bytes = (head) => data.levels.subarray(head * meta.size, (head + 1) * meta.size);
  const build = () => {
    const fill = host.colours[meta.kind];
    data.table = rampTable(host.colours.panel, fill);
    heads = Array.from({ length: meta.layers * meta.heads }, (_, head) => ({ sheet: headSheet(meta, bytes(head), data.table, toneNow()), cache: {} }));
  };

  /* ----- drawing ----- */
  const paint = (p, from = layout.place, share = 1) => {
    const { u, w, h } = layout;
    const c = host.colours;
    for (const [layer, y] of layout.labels) p.text(11 * u, y, `layer ${layer}`, { size: 12 * u, fill: c.muted, align: 'center', baseline: 'middle', rotate: -90 });
    for (const [head, to] of layout.place) {
      const start = from.get(head) ?? to;
      const [x, y] = [start.x + (to.x - start.x) * share, start.y + (to.y - start.y) * share];
      const weak = !passes(head);
      paintPixels(p, heads[head].sheet, { x, y, w, h }, c, undefined, p.blob ? null : heads[head].cache);
      if (weak) p.rect(x - 1, y - 1, w + 2, h + 2, { fill: c.panel, alpha: 0.82 });
      const size = Math.min(12 * u, w / 5.2);
      p.text(x, y + h + 14 * u, nameOf(head), { size, fill: c.muted, alpha: weak ? 0.5 : 1 });
      if (own.badge !== null) p.text(x + w, y + h + 14 * u, spoken(score(head)), {
        size, align: 'right', weight: strong(head) ? 700 : 400, fill: strong(head) ? c[`${meta.kind}_text`] : c.muted, alpha: weak ? 0.5 : 1,
      });
      const nth = own.open.indexOf(head);
      if (nth < 0) continue;
      const [edge, hue] = own.open.length > 1 ? [2, c.heads[nth]] : [4, c.ink];
      p.rect(x - edge * u, y - edge * u, w + 2 * edge * u, h + 2 * edge * u, { stroke: hue, width: (own.open.length > 1 ? 2.5 : 2) * u, radius: 2 * edge * u });
    }
  };
  const legendWords = () => {
    const words = toneNow() === 'log' ? 'logarithmic' : toneNow() === 'each' ? `per head, colour = weight^${TOKENS.gamma}` : `colour = weight^${TOKENS.gamma}`;
    return words + (meta.labelled ? '' : ` · a cell is the largest of ${meta.block[0]} × ${meta.block[1]}`);
  };
  const paintFoot = (p, y = 0) => {
    const tone = toneNow() === 'each' ? [[0, '0'], [255, 'head’s largest']] : weightStops(toneNow(), meta.keys);
    paintLegend(p, 2, y + 3, host.scale, data.table, tone, legendWords(), host.colours);
  };
  const draw = (from, share) => {
    paint(canvasPainter(fitCanvas(canvas, layout.room, layout.height)), from, share);
    paintFoot(fitLegend(legend, host.scale, legendWords()));
  };

  /* ----- the buttons over the pictures carry keyboard, focus and words ----- */
  const words = (head) => {
    const told = Object.values(meta.scores).filter((s) => known(s.values[head])).map((s) => `${s.label.toLowerCase()} ${spoken(s.values[head])}${s.units ? ` ${s.units}` : ''}`);
    return `Layer ${Math.floor(head / meta.heads)}, head ${head % meta.heads}: ${told.join(', ') || 'no scores'}`;
  };
  const dress = () => {
    const shownHeads = order();
    if (!layout.place.has(own.at)) own.at = shownHeads[0] ?? 0;
    buttons.forEach((button, head) => {
      const at = layout.place.get(head);
      button.hidden = !at;
      if (!at) return;
      button.style.cssText = `left:${at.x}px;top:${at.y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
      button.tabIndex = head === own.at ? 0 : -1;
      button.setAttribute('aria-pressed', String(isOpen(head)));
      button.setAttribute('aria-label', words(head));
    });
    layers.forEach((button) => (button.hidden = true));
    for (const [layer, y, tall] of layout.labels) {
      layers[layer].hidden = false;
      layers[layer].style.cssText = `left:0;top:${y - tall / 2}px;width:${20 * layout.u}px;height:${tall}px`;
    }
    // Reading order follows what is seen.
    if (own.order !== 'model') grid.append(...shownHeads.map((head) => buttons[head]));
    none.hidden = shownHeads.length > 0;
    const kept = heads.filter((_, head) => passes(head)).length;
    say(parts.subtitle, [`${meta.subtitle}${own.least === null ? '' : ` · ${kept} of ${heads.length} kept`}`]);
  };
  const refresh = (moving = false) => {
    const before = layout?.place;
    layout = wallPlaces(meta, order(), own.order === 'model', parts.body.clientWidth, host.scale);
    hide();
    dress();
    stop();
    if (moving && before) stop = animate((share) => draw(before, share));
    else draw();
  };

  /* ----- opening ----- */
  const outlined = (open, at = open[0] ?? own.at) => {
    if (String(open) === String(own.open)) return;
    [own.open, own.at] = [open, at];
    hide();
    dress();
    draw();
  };
  // The first click is told at once; of many in a row, the last one when they stop.
  let told = 0, later = 0;
  const tellHeads = (pairs) => {
    clearTimeout(later);
    const wait = performance.now() - told < 300 ? 150 : 0;
    const tell = () => { told = performance.now(); host.trigger('picked', { heads: pairs }); };
    if (wait) later = setTimeout(tell, wait);
    else tell();
  };
  const open = (list, at) => {
    outlined(list, at);
    const pairs = list.map(pairOf);
    const numbers = () => (list.length ? list.map((head) => weightsOf(meta, data.levels, head)) : [wholeOf(meta, data.levels)]);
    // A reduced wall has no numbers of single tokens, and one without its hidden tokens no means and no hidden shares.
    announce('heads', { kind: meta.kind, rows: meta.rows.slice(0, meta.written), cols: meta.cols, heads: pairs, whole: meta.whole, values: meta.labelled && !meta.hidden ? numbers() : null });
    tellHeads(pairs);
  };
  /** A click opens the head or closes the only open one; with Shift, Ctrl or ⌘ it is laid over the open ones. */
  const press = (head, over) => {
    if (over && own.open.length) {
      const list = isOpen(head) ? own.open.filter((other) => other !== head) : [...own.open, head];
      if (list.length <= 8) open(list, head);
    } else open(own.open.length === 1 && isOpen(head) ? [] : [head], head);
  };
  const pressLayer = (layer) => {
    const list = Array.from({ length: Math.min(8, meta.heads) }, (_, k) => layer * meta.heads + k);
    open(String(list) === String(own.open) ? [] : list, list[0]);
  };
  const headsOf = (said) => said.heads.map(headAt).filter((head) => head >= 0);
  listenTo(host, 'shown', (said) => {
    if (said.kind === meta.kind) outlined(headsOf(said));
  });

  const show = (head) => {
    const names = [own.badge, ...Object.keys(meta.scores).filter((name) => name !== own.badge)].filter((name) => name !== null && known(score(head, name)));
    const scores = names.map((name) => [meta.scores[name].label.toLowerCase(), spoken(score(head, name))]);
    fillPreview(preview, host, meta, { title: `Head ${nameOf(head)}`, sheet: heads[head].sheet, level: bytes(head), scores });
    const { u } = layout;
    const at = layout.place.get(head);
    const right = at.x + layout.w + 10 * u;
    const fitsRight = right + preview.offsetWidth <= layout.room;
    const x = fitsRight ? right : Math.max(-4, at.x - preview.offsetWidth - 10 * u);
    const y = Math.max(0, Math.min(layout.height - preview.offsetHeight, at.y - 20 * u));
    preview.style.transform = `translate(${x}px, ${y}px)`;
  };
  function hide() { preview.hidden = true; }

  const move = (event, head) => {
    const list = [...order()];
    const now = list.indexOf(head);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: layout.across, ArrowUp: -layout.across, Home: -now, End: list.length - 1 - now }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = list[now + step];
    if (next === undefined) return;
    own.at = next;
    dress();
    buttons[next].focus();
  };
  const makeButtons = () => {
    buttons = heads.map((_, head) => {
      const button = el('button', { type: 'button', class: 'wall-head' });
      button.addEventListener('pointerenter', (event) => event.pointerType !== 'touch' && show(head));
      button.addEventListener('pointerleave', hide);
      button.addEventListener('focus', () => button.matches(':focus-visible') && show(head));
      button.addEventListener('blur', hide);
      button.addEventListener('click', (event) => press(head, event.shiftKey || event.ctrlKey || event.metaKey));
      button.addEventListener('keydown', (event) => move(event, head));
      return button;
    });
    layers = Array.from({ length: meta.layers }, (_, layer) => el('button', {
      ...{ type: 'button', class: 'wall-layer', title: 'lay the heads of this layer over one another' },
      ...{ 'aria-label': `Layer ${layer}: lay its heads over one another`, onclick: () => pressLayer(layer) },
    }));
    grid.replaceChildren(...layers, ...buttons);
  };

  /* ----- controls ----- */
  const keys = keyList(WALL_KEYS);
  const makeControls = () => {
    const fields = wallControls(meta, own, toneNow(), {
      sorted() {
        if (own.order === 'model') grid.append(...buttons);
        refresh(true);
      },
      filtered: () => refresh(true),
      toned() {
        build();
        refresh();
      },
      settled: () => host.trigger && look.report([own.order, own.badge, own.least === null ? null : Number(own.least.toFixed(3)), own.tone]),
    });
    const menu = exportMenu(host, {
      name: () => meta.file,
      size: () => [layout.room, layout.height + 66 * host.scale],
      draw: (p) => {
        p.text(2, 16 * host.scale, `${meta.title} · ${meta.words}`, { size: 15 * host.scale, weight: 650, fill: host.colours.ink });
        paint(shifted(p, 0, 30 * host.scale));
        paintFoot(p, layout.height + 32 * host.scale);
      },
      rows: () => [['layer', 'head', ...Object.keys(meta.scores)], ...heads.map((_, head) => [...pairOf(head), ...Object.values(meta.scores).map((s) => s.values[head] ?? '')])],
    });
    parts.controls.replaceChildren(...fields.above, keys.button, menu, keys.list);
    foot.replaceChildren(legend, el('span', { class: 'wall-foot' }, ...fields.below));
  };

  pageKeys(host, {
    Escape: () => {
      if (keys.isOpen()) return keys.hide();
      if (!own.open.length) return false;
      open([], own.open[0]);
    },
    '?': keys.toggle,
  });

  return {
    update(next) {
      const same = meta && next.meta.digest && next.meta.digest === meta.digest && host.colours === coloured;
      meta = next.meta;
      coloured = host.colours;
      if (!same) data = { levels: unpack(next.levels), table: null };
      root.style.setProperty('--kind', host.colours[meta.kind]);
      root.style.setProperty('--kind-text', host.colours[`${meta.kind}_text`]);
      const wanted = JSON.stringify([Object.keys(meta.scores), meta.layers, meta.heads]);
      const arranged = look.isNews(meta.arranged);
      if (arranged) [own.order, own.badge, own.least, own.tone] = meta.arranged;
      if (!(own.badge in meta.scores)) [own.badge, own.order, own.least] = [Object.keys(meta.scores)[0] ?? null, 'model', null];
      say(parts.title, [meta.title]);
      grid.setAttribute('aria-label', meta.title);
      if (same && !arranged && wanted === controls) return;
      build();
      if (meta.open) own.open = meta.open;
      else if (bus.last.shown?.kind === meta.kind) own.open = headsOf(bus.last.shown);
      if (buttons.length !== heads.length || wanted !== controls) makeButtons();
      if (wanted !== controls || !same) makeControls();
      controls = wanted;
      refresh();
    },
    relayout: () => refresh(),
    destroy: () => { stop(); clearTimeout(later); },
  };
}
