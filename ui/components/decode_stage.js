/* The Translate page's stage: lines, next word and map of one decode, with its play controls.
   Every known step of every head is in the data, so stepping, scrubbing, playing, hovering and changing the
   head draw at once and send nothing. The server hears of a word forced and, a moment after the reader rests,
   where the reader is (so that links and other pages can follow). */

const REST_MS = 350;

function decodeStage(root, host) {
  const grid = el('div', { class: 'stage' });
  root.append(el('div', { class: 'stage-wrap' }, grid));
  const top = card(grid);
  const left = card(grid, { readout: false });
  const right = card(grid, { readout: false });
  const link = tokenLink(host);
  const settings = el('span', { class: 'stage-settings' });
  const tools = el('span', { class: 'stage-tools' });
  const bar = el('div', { class: 'stage-bar' }, settings, tools);
  top.subtitle.replaceWith();
  top.body.append(bar);

  let data = null;
  let weights = null;
  let position = 0;
  let layer = 0;
  let head = null;
  let restTimer = 0;
  let averaged = new Map();

  /** (T, S) weights of the chosen layer and head; head null is the mean over heads, layer null over layers. */
  const chosenMap = () => {
    const [layers, heads, rows, columns] = data.shape;
    const name = `${layer}/${head}`;
    if (averaged.has(name)) return averaged.get(name);
    const pickLayers = layers === 1 ? [0] : layer === null ? Array.from({ length: layers }, (_, i) => i) : [layer];
    const pickHeads = heads === 1 ? [0] : head === null ? Array.from({ length: heads }, (_, i) => i) : [head];
    const sum = new Float32Array(rows * columns);
    for (const l of pickLayers) {
      for (const h of pickHeads) {
        const offset = (l * heads + h) * rows * columns;
        for (let i = 0; i < sum.length; i++) sum[i] += weights[offset + i];
      }
    }
    const share = 1 / (65535 * pickLayers.length * pickHeads.length);
    const shares = sum.map((value) => value * share);
    const map = { at: (r, c) => shares[r * columns + c] };
    averaged.set(name, map);
    return map;
  };

  const rest = (now = false) => {
    clearTimeout(restTimer);
    restTimer = setTimeout(() => !controls.isPlaying() && host.state('view', { position, layer, head }), now ? 0 : REST_MS);
  };
  const known = () => data.target.length;
  const go = (next) => {
    const bounded = Math.min(known(), Math.max(0, next));
    if (bounded === position) return;
    position = bounded;
    draw();
    rest();
  };
  const controls = controlsPart(top.controls, host, {
    reset: () => go(0),
    back: () => go(position - 1),
    step: () => go(position + 1),
    run: () => go(known()),
    go,
    rested: () => rest(),
  }, tools);

  const lines = linesPart(top.body, host, link, go);
  const bars = barsPart(left.body, host, (candidate) => {
    controls.pause();
    host.trigger('forced', { ...candidate, position: Math.max(0, position - 1) });
  });
  const map = mapPart(right.body, host, link, go);
  right.controls.append(exportButtons(host, 'attention-map', map.size, map.draw));
  const layerPick = el('select', { class: 'pick', 'aria-label': 'Layer' });
  const headPick = el('select', { class: 'pick', 'aria-label': 'Head' });
  const read = (select) => (select.value === 'mean' ? null : Number(select.value));
  for (const select of [layerPick, headPick]) {
    select.addEventListener('change', () => {
      layer = read(layerPick);
      head = read(headPick);
      draw();
      rest(true);
    });
  }
  const kindWords = el('span');
  settings.append(kindWords, layerPick, ' · ', headPick, ' · hover a word, click to pin, Esc clears');
  tools.append(exportButtons(host, 'attention-lines', lines.size, lines.draw));

  let frame = null;
  const frameNow = () => ({
    source: data.source,
    target: data.target,
    shown: position,
    row: position - 1,
    weights: chosenMap(),
    kind: data.kind,
    who: subjectOf(layer, head, data.layers, data.heads),
    notes: data.notes,
    forced: new Set(data.forced),
  });

  function draw() {
    frame = frameNow();
    link.trim(frame.shown, frame.source.length);
    grid.style.setProperty('--kind-text', host.colours[`${frame.kind}_text`]);
    say(top.title, linesTitle(frame));
    say(right.title, ['The map so far']);
    say(right.subtitle, [MAP_AXES]);
    const step = data.steps[Math.max(0, Math.min(position - 1, data.steps.length - 1))];
    say(left.title, [position ? 'Next word' : 'First word']);
    const cut = step?.cut ? ` · ${step.cut.label} marked` : '';
    say(left.subtitle, [`click a word to force it${cut}`]);
    if (step) bars.update(position ? step : { ...step, chosen: null, forced: false, extra: null }, data.kind);
    lines.update(frame);
    map.update(frame);
    controls.update({ position, known: known() });
    speak();
  }
  const speak = () => frame && say(top.readout, sentence(frame, link));
  link.listen(speak);

  const fillPicks = () => {
    const { layers, heads } = data;
    const options = (count, one, mean) => [
      ...(count > 1 ? [el('option', { value: 'mean' }, mean)] : []),
      ...Array.from({ length: count }, (_, i) => el('option', { value: i }, `${one} ${i}`)),
    ];
    layerPick.replaceChildren(...options(layers, 'layer', `mean of ${layers} layers`));
    headPick.replaceChildren(...options(heads, 'head', `mean of ${heads} heads`));
    layerPick.value = layer ?? (layers > 1 ? 'mean' : '0');
    headPick.value = head ?? (heads > 1 ? 'mean' : '0');
  };

  /** Where to stand when new data arrives: stay, unless the decode or the server's wish has changed. */
  const settle = (before) => {
    const sameSource = before && JSON.stringify(before.source) === JSON.stringify(data.source);
    const extends_ = sameSource && before.target.every((label, i) => label === data.target[i]);
    if (!extends_ || before.target.length > known()) return data.position;
    return data.position !== before.position ? data.position : Math.min(position, known());
  };

  return {
    update(next) {
      const before = data;
      data = next;
      if (before !== next) {
        weights = unpack(next.weights);
        averaged = new Map();
        position = settle(before);
        if (!before || before.layer !== next.layer || before.head !== next.head) ({ layer, head } = next);
      }
      fillPicks();
      kindWords.textContent = `${data.kindName} · `;
      draw();
    },
    relayout() {
      if (!data) return;
      lines.relayout();
      map.relayout();
    },
    destroy: () => clearTimeout(restTimer),
  };
}
