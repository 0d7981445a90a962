/* All three attentions of one decoding step in one drawing, replayed step by step from arrays sent once.
   Source words with encoder arcs on one side, written words with causal arcs on the other, cross-attention between. */

const BEAT = 900; // ms a step stays while playing

const JOINT_KEYS = [['← →', 'step back, step on'], ['Space', 'play and pause'], ['Esc', 'let go of the pinned word'], ['?', 'this list']];

function jointView(root, host) {
  const parts = card(root);
  parts.node.classList.add('joint');
  const canvas = el('canvas', { class: 'picture', tabindex: 0, role: 'img' });
  parts.body.append(canvas);
  let meta, maps, sheets, place, stop = () => {}, timer = 0;
  const own = { step: 0, hover: null, pin: null };
  const rested = linked(host, 'stepped');

  const at = (kind, i, j) => maps[kind][i * meta.width[kind] + j];
  const row = (kind, i) => Array.from(maps[kind].subarray(i * meta.width[kind], (i + 1) * meta.width[kind]));
  // Hovering a written word previews its step; the first target position is the start token, written by nobody.
  const step = () => (own.hover?.target > 0 ? own.hover.target : own.step);
  const top = () => (step() > 0 ? topIndices(row('cross', step() - 1), 1)[0] : null);
  const focusSource = () => own.hover?.source ?? own.pin ?? top();

  const xy = (along, side) => (place.flat ? [along, side] : [side, along]);

  /* ----- drawing ----- */
  // Earlier steps stay behind the current one, however sure they were.
  const ink = (w, on) => ({ width: (on ? 0.9 + 6.5 * w ** 0.7 : 0.8 + 2.6 * w) * place.u, alpha: on ? 0.2 + 0.65 * w ** 0.5 : 0.07 + 0.13 * w });
  const arcs = (p, weights, from, positions, edges, outward, colour, share) => {
    const { u, arc } = place;
    const longest = Math.abs(positions.at(-1) - positions[0]) || 1;
    topIndices(weights, weights.length).reverse().forEach((j) => {
      const w = weights[j];
      if (w < LINE_FLOOR || j >= positions.length) return;
      const [start, end] = j === from ? [positions[from] - 7 * u, positions[from] + 7 * u] : [positions[from], positions[j]];
      // The farther, the higher: arcs to different words never lie on one another.
      const rise = j === from ? 24 * u : 20 * u + (arc * 1.3 - 20 * u) * (Math.abs(end - start) / longest) ** 0.55;
      const passed = edges.slice(Math.min(from, j), Math.max(from, j) + 1);
      const base = outward < 0 ? Math.min(...passed) : Math.max(...passed);
      const side = base + outward * rise;
      p.curve(...startOfCurve([xy(start, edges[from]), xy(start, side), xy(end, side), xy(end, edges[j])], share), { stroke: colour, ...ink(w, true) });
    });
  };
  const cross = (p, i, colour, on, share) => {
    const { s, t, from, to } = place;
    const middle = (from + to) / 2;
    for (let j = 0; j < s.length; j++) {
      const w = at('cross', i, j);
      if (w < (on ? LINE_FLOOR : FAINT_FLOOR)) continue;
      p.curve(...startOfCurve([xy(t[i + 1], to), xy(t[i + 1], middle), xy(s[j], middle), xy(s[j], from)], share), { stroke: colour, ...ink(w, on) });
    }
  };
  const word = (p, label, along, n, o) => {
    const { u, size, flat, words } = place;
    const text = shorten(visible(label), n ? place.tRoom : place.sRoom, size);
    const [x, y] = xy(along, words[n]);
    const align = flat ? 'center' : n ? 'left' : 'right';
    if (o.fill) {
      const w = textWidth(text, size, true, 600) + 18 * u;
      // In a dense column the pill stays within its line and leaves the neighbours readable.
      const h = flat ? 24 * u : Math.min(24 * u, Math.max(17 * u, 1.2 * Math.abs(place.t[1] - place.t[0])));
      p.rect(flat ? x - w / 2 : n ? x - 8 * u : x - w + 8 * u, y - h / 2, w, h, { fill: o.fill, radius: 7 * u });
    }
    if (o.frame) {
      const w = textWidth(text, size, true, 600) + 14 * u;
      p.rect(flat ? x - w / 2 : n ? x - 6 * u : x - w + 6 * u, y - 11 * u, w, 22 * u, { stroke: o.frame, width: 1.4, radius: 7 * u });
    }
    p.text(x, y + 0.5, text, { size, mono: true, align, baseline: 'middle', fill: o.ink, weight: o.fill ? 600 : 400 });
  };
  const paint = (p, growth = 1) => {
    const c = host.colours;
    const { u, s, t, flat } = place;
    const now = step();
    const told = focusSource();
    const onDark = (fill) => readableOn(fill, { panel: c.panel, ink: host.theme === 'dark' ? c.background : c.ink });
    for (let i = 0; i < own.step; i++) if (i !== now - 1 && Math.abs(i - now) <= FAINT_REACH) cross(p, i, c.cross, false, 1);
    if (own.hover?.source !== undefined) for (let i = 0; i < own.step; i++) {
      const w = at('cross', i, own.hover.source);
      const middle = (place.from + place.to) / 2;
      if (w >= LINE_FLOOR) p.curve(xy(t[i + 1], place.to), xy(t[i + 1], middle), xy(s[own.hover.source], middle), xy(s[own.hover.source], place.from), { stroke: c.cross, ...ink(w, true) });
    } else if (now) cross(p, now - 1, c.cross, true, growth);
    if (told !== null && s.length) arcs(p, row('encoder', told), told, s, place.sEdges, -1, c.encoder, own.hover?.source === undefined && own.pin === null ? growth : 1);
    if (now) arcs(p, row('causal', now - 1).slice(0, now), now, t, place.tEdges, 1, c.causal, growth);

    const shares = now ? row('cross', now - 1) : [];
    // Words that share a place: the one that matters more is written.
    const apart = flat ? 0 : 15 * u;
    const big = new Set();
    for (const j of topIndices(shares, 8)) if (shares[j] >= 0.05 && [...big].every((k) => Math.abs(s[k] - s[j]) >= apart)) big.add(j);
    const active = new Set([...big, ...(told === null ? [] : [told])]);
    for (const j of chosenLabels(0, s.length, place.sEvery, active)) {
      word(p, meta.source[j], s[j], 0, { ink: isSpecial(meta.source[j]) && !big.has(j) ? c.muted : c.ink, frame: j === told ? c.encoder : null });
      if (!big.has(j) || own.hover?.source !== undefined) continue;
      const [x, y] = flat ? [s[j], place.words[0] + 23 * u] : [place.words[0] + 14 * u, s[j]];
      p.text(x, y, percent(shares[j]), { size: 12 * u, align: flat ? 'center' : 'left', baseline: 'middle', fill: c.cross_text });
    }
    const written = new Set(now ? [now] : []);
    for (const i of chosenLabels(0, t.length, place.tEvery, written)) {
      if (i > own.step) {
        const [x, y] = xy(t[i], place.words[1]);
        p.circle(flat ? x : x + 4 * u, y, 2.2 * u, { fill: c.line });
      } else word(p, meta.target[i], t[i], 1, i === now ? { ink: onDark(c.causal), fill: c.causal } : { ink: isSpecial(meta.target[i]) ? c.muted : c.ink });
    }
    paintMaps(p, c, now);
  };
  const paintMaps = (p, c, now) => {
    const { u } = place;
    const { w, h, spots } = place.maps;
    MAPS.forEach((kind, n) => {
      const { x, y } = spots[n];
      const sheet = sheets[kind];
      sheet.written = kind === 'encoder' ? meta.source.length : own.step;
      p.text(x, y - 8 * u, meta.labels[kind], { size: 12.5 * u, fill: c[`${kind}_text`], weight: 600 });
      paintPixels(p, sheet, { x, y, w, h }, c);
      const mark = kind === 'encoder' ? focusSource() : now ? now - 1 : null;
      const tall = h / sheet.rows.length;
      if (mark !== null) p.rect(x - 1.5, y + mark * tall - 1, w + 3, Math.max(3, tall + 2), { stroke: c.ink, width: 1.3, radius: 3 });
    });
  };
  const sentence = () => {
    if (!own.step) return ['Nothing is written yet.', { muted: '  → writes the first word, space plays' }];
    const now = step();
    const how = { verb: 'Writing', subject: meta.subject, mode: 'weights', distribution: true };
    if (own.hover?.source !== undefined) {
      const j = own.hover.source;
      return [...rowSentence(row('encoder', j), meta.source[j], meta.source, { ...how, verb: 'Reading', subject: 'the encoder' }), ' ', ...columnSentence(Array.from({ length: own.step }, (_, i) => at('cross', i, j)), [meta.source[j]], meta.target.slice(1, own.step + 1), { ...how, subject: 'the decoder' })];
    }
    const said = rowSentence(row('cross', now - 1), meta.target[now], meta.source, how);
    const self = row('causal', now - 1).slice(0, now);
    const back = topIndices(self, 1)[0];
    const j = focusSource();
    const reading = row('encoder', j);
    const inside = topIndices(reading, 1)[0];
    said.push(' Among the words so far, ', `${spokenPercent(self[back])} went to `, { strong: quoted(meta.target[back]) }, '; in the encoder, ', { strong: quoted(meta.source[j]) }, ` gave ${spokenPercent(reading[inside])} to `, ...(inside === j ? ['itself'] : [{ strong: quoted(meta.source[inside]) }]), '.');
    if (own.pin !== null) said.push({ muted: '  pinned · Esc clears' });
    return said;
  };
  const draw = (growth = 1) => {
    paint(canvasPainter(fitCanvas(canvas, place.room, place.bottom)), growth);
    say(parts.readout, sentence());
    say(parts.title, meta.title ? [meta.title] : own.step ? ['Where the model looks while it writes ', { kind: quoted(meta.target[step()]) }] : ['Where the model looks, word by word']);
    scrub.value = String(own.step);
    counter.textContent = `${own.step} of ${meta.steps}`;
    back.disabled = first.disabled = own.step === 0;
    next.disabled = own.step === meta.steps;
    canvas.setAttribute('aria-label', parts.readout.textContent);
  };
  const refresh = () => { place = jointPlaces(meta.source, meta.target, parts.body.clientWidth, host.scale); draw(); };

  /* ----- playing ----- */
  const go = (to, animated = true) => {
    const target = Math.max(0, Math.min(meta.steps, to));
    const forward = target === own.step + 1;
    own.step = target;
    own.hover = null;
    stop();
    if (forward && animated) stop = animate(draw, 190);
    else draw();
    if (target === meta.steps && timer) playing(false);
    else tell();
  };
  /** A link holds the step where the replay rests, not those it runs through. */
  const tell = () => {
    if (!meta.report || timer) return;
    rested.report(own.step);
  };
  const playing = (on) => {
    const was = timer;
    clearInterval(timer);
    timer = 0;
    if (was && !on) tell();
    if (on) {
      if (own.step === meta.steps) go(0, false);
      timer = setInterval(() => go(own.step + 1), BEAT);
      go(own.step + 1);
    }
    play.textContent = timer ? '❚❚ pause' : '▶ play';
    play.setAttribute('aria-pressed', String(Boolean(timer)));
  };
  const button = (words, label, action, extra = '') => el('button', { type: 'button', class: `button ${extra}`, 'aria-label': label, title: label, onclick: action }, words);
  const first = button('|◀', 'Back to the start', () => { playing(false); go(0); });
  const back = button('◀', 'One step back', () => { playing(false); go(own.step - 1); });
  const play = button('▶ play', 'Play or pause (space)', () => playing(!timer), 'primary');
  const next = button('▶', 'One step on', () => { playing(false); go(own.step + 1); });
  const counter = el('output', { class: 'joint-count' });
  const scrub = el('input', { type: 'range', class: 'slider joint-scrub', min: 0, step: 1, 'aria-label': 'Decoding step' });
  scrub.addEventListener('input', () => { playing(false); go(Number(scrub.value)); });
  const menu = exportMenu(host, {
    name: () => `${meta.file}-step-${own.step}`,
    size: () => [place.room, place.bottom + 84 * place.u],
    draw: (p) => {
      const { u, room } = place;
      p.text(2, 18 * u, parts.title.textContent, { size: 16 * u, weight: 650, fill: host.colours.ink });
      paint(shifted(p, 0, 34 * u));
      wrapText(parts.readout.textContent, room - 8, 13 * u).slice(0, 2).forEach((line, n) => p.text(2, place.bottom + (54 + 17 * n) * u, line, { size: 13 * u, fill: host.colours.ink }));
    },
    rows: () => {
      const table = [['kind', 'query_position', 'query', 'key_position', 'key', 'weight']];
      const add = (kind, rows, queries, keys) => {
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < keys.length; j++) {
            const v = sheets[kind].at(i, j);
            table.push([kind, i, queries[i], j, keys[j], v === v ? Number(v.toPrecision(9)) : '']);
          }
        }
      };
      add('encoder', meta.source.length, meta.source, meta.source);
      add('cross', own.step, meta.target.slice(1), meta.source);
      add('causal', own.step, meta.target.slice(1), meta.target.slice(0, -1).slice(0, own.step));
      return table;
    },
  });
  const keys = keyList(JOINT_KEYS);
  parts.controls.append(first, back, play, next, scrub, counter, keys.button, menu, keys.list);
  pageKeys(host, {
    ArrowRight: () => { if (!meta.keys) return false; playing(false); go(own.step + 1); },
    ArrowLeft: () => { if (!meta.keys) return false; playing(false); go(own.step - 1); },
    ' ': () => (meta.keys ? playing(!timer) : false),
    '?': () => (meta.keys ? keys.toggle() : false),
    Escape: () => {
      if (keys.isOpen()) return keys.hide();
      if (own.pin === null) return false;
      own.pin = null;
      draw();
    },
  });

  const hit = (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const { flat, s, t, from, to, sEdges, tEdges, arc } = place;
    const [along, side] = flat ? [x, y] : [y, x];
    const nearest = (list) => list.reduce((best, v, i) => (Math.abs(v - along) < Math.abs(list[best] - along) ? i : best), 0);
    if (side > Math.min(...sEdges) - arc * 0.5 && side < from + 10) return { source: nearest(s) };
    if (side > to - 14 && side < Math.max(...tEdges) + arc * 0.5) { const i = nearest(t); return { target: i }; }
    return null;
  };
  canvas.addEventListener('pointermove', (event) => {
    const over = hit(event);
    canvas.style.cursor = over ? 'pointer' : 'default';
    const legal = over && (over.source !== undefined || (over.target > 0 && over.target <= own.step)) ? over : null;
    if (legal?.source === own.hover?.source && legal?.target === own.hover?.target) return;
    own.hover = legal;
    stop();
    draw();
  });
  canvas.addEventListener('pointerleave', () => { if (own.hover) { own.hover = null; draw(); } });
  canvas.addEventListener('click', (event) => {
    const over = hit(event);
    if (!over) return;
    if (over.target > 0) { playing(false); go(over.target); }
    else if (over.source !== undefined) { own.pin = own.pin === over.source ? null : over.source; own.hover = null; draw(); }
  });

  let named = '';
  return {
    update(data) {
      meta = data.meta;
      meta.width = { encoder: meta.source.length, cross: meta.source.length, causal: meta.steps };
      maps = { encoder: unpack(data.encoder), cross: unpack(data.cross), causal: unpack(data.causal) };
      const c = host.colours;
      sheets = Object.fromEntries(MAPS.map((kind) => {
        const rows = kind === 'encoder' ? meta.source : meta.target.slice(1);
        const cols = kind === 'causal' ? meta.target.slice(0, -1) : meta.source;
        const value = (i, j) => (kind === 'causal' && j > i ? NaN : at(kind, i, j));
        return [kind, { rows, cols, written: rows.length, at: value, index: indexOf(rows.length, cols.length, value, placer('weight', 1)), table: rampTable(c.panel, c[kind]), neutral: 0, unit: 'share' }];
      }));
      root.style.setProperty('--kind', c.causal);
      root.style.setProperty('--kind-text', c.causal_text);
      scrub.max = String(meta.steps);
      keys.button.hidden = !meta.keys;
      const words = JSON.stringify([meta.source, meta.target]);
      const news = rested.isNews(meta.step);
      if (words !== named || news) {
        playing(false);
        [own.step, own.pin, own.hover] = [meta.step, null, null];
      }
      named = words;
      say(parts.subtitle, [meta.subtitle]);
      refresh();
    },
    relayout: refresh,
    destroy: () => { stop(); clearInterval(timer); },
  };
}
