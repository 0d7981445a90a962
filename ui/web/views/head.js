/* One head in the hand (or up to eight together): lines and heatmap of the same numbers, linked.
   Hover previews a token's row or column in both, a click pins it, pins are summed, Esc clears. */

import { unpack } from '../base/arrays.js';
import { card, el, say } from '../base/dom.js';
import { announce, linked, listenTo } from '../base/events.js';
import { exportMenu, field } from '../base/export.js';
import { canvasPainter, fitCanvas } from '../base/paint.js';
import { mount } from '../base/view.js';
import { heatGeometry } from '../maps/heatmap.js';
import { linesGeometry } from '../maps/lines.js';
import { WEIGHT_OF_BYTE, fitLegend } from '../maps/picture.js';
import { headPointer } from '../maps/pointer.js';
import { headDrawing } from './head_drawing.js';
import { AXES, headLeaving } from './head_leaving.js';
import { openHeads } from './head_numbers.js';

const WIDE = 660; // CSS pixels from where lines and map stand side by side

export function headDetail(root, host) {
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

  let named = '', frame = 0;
  const own = { hover: null, rows: new Set(), cols: new Set(), off: new Set(), threshold: 0.02, log: false, size: 0, view: null };
  const pins = linked(host, 'pinned');
  const seen_ = linked(host, 'viewed');
  // A head shown ahead of its exact numbers, and an answer that came for an earlier one.
  let ahead = null, late = null;

  const geometry = {}; // where lines and map stand, measured by `arrange`
  const open = openHeads(host, own);
  const drawing = headDrawing(host, own, open);
  const leaving = headLeaving(host, open, drawing, geometry);

  const arrange = () => {
    const u = host.scale;
    const room = parts.body.clientWidth;
    const wide = room >= WIDE * u;
    views.classList.toggle('wide', wide);
    const [left, right] = wide ? [Math.floor(room * 0.44), Math.floor(room * 0.56) - 24 * u] : [Math.min(room, 620 * u), room];
    const rows = own.view ? own.view[1] - own.view[0] : open.meta.rows.length;
    const heatBox = heatGeometry(open.combined, right, u, { tall: wide ? 560 : rows > 32 ? 480 : 400, view: own.view, cap: wide ? 46 : 40 });
    // Side by side, a word stands at the same height in both.
    const beside = wide ? { top: heatBox.box.y + axes.offsetHeight, body: heatBox.box.h } : {};
    const several = open.visibleHeads().length > 1;
    const linesBox = linesGeometry(open.combined, left, u, { tall: rows > 32 ? 520 : 400, view: own.view, several, ...beside });
    Object.assign(geometry, { u, room, wide, heat: heatBox, lines: linesBox, left });
  };
  const draw = () => {
    const c = host.colours;
    const { lines: l, heat: h } = geometry;
    drawing.paintAllLines(canvasPainter(fitCanvas(lines, l.width, l.height)), l, c);
    drawing.paintMap(canvasPainter(fitCanvas(heat, h.width, h.height)), h, c);
    say(readout, open.sentence());
  };
  const soon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };
  const refresh = () => {
    arrange();
    draw();
    drawing.paintFoot(fitLegend(legend, host.scale, drawing.legendWords()), 0, host.colours);
  };

  /* ----- hover, pins, zoom ----- */
  const sameHover = (a, b) => a?.row === b?.row && a?.col === b?.col;
  const hover = (at) => {
    const legal = at && (at.row === undefined || at.row < open.meta.written) && (at.col === undefined || at.col < open.meta.cols.length) ? at : null;
    if (sameHover(own.hover, legal)) return;
    own.hover = legal;
    soon();
  };
  const toggle = (set, n) => {
    if (set.delete(n)) return;
    set.add(n);
    if (own.rows.size + own.cols.size > 32) set.delete(set.values().next().value); // no more fit into a link
  };
  const report = () => open.meta.report && pins.report([[...own.rows], [...own.cols]]);
  const tell = () => open.meta.report && seen_.report([Math.round(100 * own.threshold), own.log, own.view]);
  const pin = (at) => {
    if (!at || (at.row !== undefined && at.row >= open.meta.written)) return;
    if (at.row !== undefined) toggle(own.rows, at.row);
    else toggle(own.cols, at.col);
    own.hover = null;
    soon();
    report();
  };
  const clear = () => {
    if (!open.pinned() && !own.hover && !own.view) return false;
    const had = open.pinned();
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
    open.cache = {};
    refresh();
    tell();
  }
  headPointer(own, open, geometry, band, { lines, heat }, { hover, pin, zoom });
  // Before the page's other Esc keys: pins are cleared first, the open head closes with the next Esc.
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !parts.controls.contains(event.composedPath()[0]) && clear()) event.preventDefault();
  }, { capture: true, signal: host.signal });

  /* ----- controls ----- */
  const makeSwatches = () => {
    swatches.hidden = open.maps.length < 2;
    const dress = () => {
      [...swatches.querySelectorAll('button')].forEach((button, k) => button.setAttribute('aria-pressed', String(!own.off.has(k))));
      open.combine();
      refresh();
    };
    swatches.replaceChildren(...(open.maps.length < 2 ? [] : open.meta.heads.map((head, k) => {
      const dot = el('span', { class: 'swatch-dot', 'aria-hidden': 'true' });
      dot.style.background = open.hueOf(k);
      const button = el('button', { type: 'button', class: 'swatch', 'aria-pressed': 'true', title: 'click: show or hide · double-click: this head alone' }, dot, head.name);
      button.addEventListener('click', () => { toggle(own.off, k); dress(); });
      button.addEventListener('dblclick', () => {
        const alone = open.visibleHeads().length === 1 && !own.off.has(k);
        own.off = new Set(alone ? [] : open.maps.map((_, m) => m).filter((m) => m !== k));
        dress();
      });
      return button;
    })), ...(open.maps.length < 2 ? [] : [el('span', { class: 'swatch-hint' }, 'click hides · double-click isolates')]));
  };
  let knobs = null; // made once for a unit, so that an answer does not take the slider out of the hand
  const makeControls = () => {
    if (knobs?.unit !== open.meta.unit) {
      const told = el('output');
      const slider = el('input', { type: 'range', class: 'slider', min: 0, max: 50, step: 1, 'aria-label': 'Draw lines from this strength on' });
      slider.addEventListener('input', () => { own.threshold = Number(slider.value) / 100; makeControls(); soon(); });
      slider.addEventListener('change', tell);
      const log = el('input', { type: 'checkbox' });
      log.addEventListener('change', () => { own.log = log.checked; open.build(); refresh(); tell(); });
      foot.replaceChildren(legend, el('span', { class: 'detail-foot' }, whole, ...(open.meta.unit === 'share' ? [el('label', { class: 'field' }, log, 'log colour')] : []), field('lines from', slider, told)));
      parts.controls.replaceChildren(exportMenu(host, { name: () => open.meta.file, size: leaving.size, draw: leaving.draw, rows: leaving.table }));
      knobs = { unit: open.meta.unit, slider, told, log };
    }
    const { slider, told, log } = knobs;
    slider.value = Math.round(own.threshold * 100);
    told.textContent = open.meta.unit === 'share' ? `${slider.value} %` : `${slider.value} % of largest`;
    log.checked = own.log;
  };

  /* ----- a head's picture from the wall, until its numbers come ----- */
  const nameOf = (heads) => (heads.length ? heads.map(([layer, head]) => `${layer}.${head}`).join() : 'all');
  listenTo(host, 'heads', (said) => {
    if (!open.meta || said.kind !== open.meta.kind) return;
    clearTimeout(ahead?.timer);
    ahead = { name: nameOf(said.heads), timer: setTimeout(() => { ahead = null; if (late) take(late); }, 4000) };
    late = null;
    const fits = said.values && open.meta.mode === 'weights' && !own.off.size && JSON.stringify([said.rows, said.cols]) === JSON.stringify([open.meta.rows.slice(0, open.meta.written), open.meta.cols]);
    parts.node.classList.toggle('waiting', !fits && nameOf(open.meta.pairs) !== ahead.name);
    if (!fits) return;
    const names = said.heads.map((head) => head.join('.'));
    const whole = said.whole.subject;
    open.meta = {
      ...open.meta, pairs: said.heads, exact: said.values.length,
      title: names.length ? `Head${names.length > 1 ? 's' : ''} ${names.join(', ')}` : whole[0].toUpperCase() + whole.slice(1),
      heads: names.length ? names.map((name) => ({ name, subject: `head ${name}` })) : [{ name: 'all', subject: whole }],
      distribution: names.length > 0 || said.whole.how === 'mean',
    };
    open.maps = said.values;
    parts.node.dataset.numbers = 'ahead';
    dress();
  });

  /** Words, controls and pictures of `open.meta` and `open.maps`. */
  function dress() {
    say(parts.title, [`${open.meta.title} `, ...(open.meta.tag ? [{ kind: open.meta.tag }] : [])]);
    say(parts.subtitle, [open.meta.subtitle]);
    axes.textContent = AXES;
    const words = `Attention of ${open.meta.heads.map((head) => head.name).join(', ')}: ${open.meta.written} attending and ${open.meta.cols.length} attended tokens. Arrow keys move, Enter pins, Escape clears.`;
    lines.setAttribute('aria-label', `Lines. ${words}`);
    heat.setAttribute('aria-label', `Map. ${words}`);
    open.build();
    makeControls();
    makeSwatches();
    refresh();
  }

  function take(next) {
    open.meta = next.meta;
    [late, ahead] = [null, (clearTimeout(ahead?.timer), null)];
    parts.node.classList.remove('waiting');
    [parts.node.dataset.numbers, parts.node.dataset.kind] = ['exact', open.meta.kind];
    const size = open.meta.written * open.meta.cols.length;
    const exact = unpack(next.exact);
    const levels = unpack(next.levels);
    open.maps = open.meta.heads.map((_, k) => (k < open.meta.exact ? exact.subarray(k * size, (k + 1) * size) : Float32Array.from(levels.subarray((k - open.meta.exact) * size, (k - open.meta.exact + 1) * size), (b) => WEIGHT_OF_BYTE[b])));
    root.style.setProperty('--kind', host.colours[open.meta.kind]);
    root.style.setProperty('--kind-text', host.colours[`${open.meta.kind}_text`]);
    // Pins and the part looked at belong to a sentence: another head of the same words keeps them.
    const words = JSON.stringify([open.meta.kind, open.meta.verb, open.meta.rows[0], open.meta.cols]);
    const [pinned_, viewed] = [pins.isNews(open.meta.pins), seen_.isNews(open.meta.view)];
    if (words !== named || pinned_) [own.rows, own.cols] = open.meta.pins.map((list) => new Set(list));
    // A long map starts with a scale and a threshold that show something; then they are the reader's.
    const longest = Math.max(open.meta.rows.length, open.meta.cols.length);
    const reach_ = longest > 128 ? 3 : longest > 32 ? 2 : 1;
    const resized = reach_ !== own.size;
    if (resized) [own.size, own.threshold, own.log] = [reach_, reach_ > 1 ? 0.05 : 0.02, reach_ > 2 && open.meta.unit === 'share'];
    const [threshold, log, part] = open.meta.view;
    if ((viewed || resized) && threshold !== null) own.threshold = threshold / 100;
    if ((viewed || resized) && log !== null) own.log = log && open.meta.unit === 'share';
    if (viewed || words !== named) own.view = part;
    if (own.view && (own.view[1] > open.meta.rows.length || own.view[3] > open.meta.cols.length)) own.view = null;
    named = words;
    whole.hidden = !own.view;
    for (const i of own.rows) if (i >= open.meta.written) own.rows.delete(i);
    own.hover = null;
    own.off = new Set([...own.off].filter((k) => k < open.maps.length && open.maps.length > 1));
    announce('shown', { kind: open.meta.kind, heads: open.meta.pairs });
    dress();
  }

  return {
    update(next) {
      if (ahead && next.meta.kind === open.meta.kind && nameOf(next.meta.pairs) !== ahead.name) late = next;
      else take(next);
    },
    relayout: refresh,
    destroy: () => { cancelAnimationFrame(frame); clearTimeout(ahead?.timer); },
  };
}

export default function view(args) {
  return mount(args, headDetail);
}
