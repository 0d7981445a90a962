/* The whole beam search, left to right: one column a step, best score on top, pruned hypotheses faint below. */

import { readableOn } from '../base/colour.js';
import { card, el, say, visible } from '../base/dom.js';
import { reducedMotion } from '../base/events.js';
import { canvasPainter, exportButtons, fitCanvas, shorten, textWidth } from '../base/paint.js';
import { mount } from '../base/view.js';
import { shown } from '../maps/picture.js';

const PRUNED_SHOWN = 8; // a column; the others are counted underneath

function beamTree(root, host) {
  const box = card(root);
  const canvas = el('canvas', { class: 'beam-canvas', 'aria-hidden': 'true' });
  const layer = el('div', { class: 'beam-nodes', role: 'group', 'aria-label': 'hypotheses' });
  const scroller = el('div', { class: 'beam scroller', tabindex: '-1' }, canvas, layer);
  box.body.append(scroller);
  let data = null;
  let nodes = new Map();
  let columns = [];
  let size = [0, 0];
  let hover = null;
  let showPruned = true;
  let buttons = new Map();

  const toggle = el('button', { type: 'button', class: 'button small', 'aria-pressed': 'true' }, 'show pruned');
  toggle.addEventListener('click', () => {
    showPruned = !showPruned;
    toggle.setAttribute('aria-pressed', String(showPruned));
    build();
  });
  box.controls.append(toggle, exportButtons(host, 'beam-tree', () => size, (painter) => draw(painter, true)));

  const number = (value) => (value < 0 ? '−' : '') + Math.abs(value).toFixed(2);
  const pathTo = (id) => {
    const path = [];
    for (let node = nodes.get(id); node; node = nodes.get(node.parent)) path.unshift(node);
    return path;
  };
  const onPath = () => new Set(pathTo(hover ?? data.selected).map((node) => node.id));

  function place() {
    const u = host.scale;
    const steps = [];
    for (const node of data.nodes) (steps[node.step] ??= []).push(node);
    const drawn = new Set();
    nodes = new Map(data.nodes.map((node) => [node.id, { ...node }]));
    let x = 2;
    columns = Array.from(steps, (list = [], step) => {
      const ranked = list.map((node) => nodes.get(node.id)).sort((a, b) => b.kept - a.kept || b.score - a.score || a.id - b.id);
      const kept = ranked.filter((node) => node.kept);
      const pruned = showPruned ? ranked.filter((node) => !node.kept) : [];
      const shown = [...kept, ...pruned.slice(0, PRUNED_SHOWN)];
      const width = Math.max(40 * u, ...shown.map((node) => Math.min(150 * u, textWidth(visible(node.label), 14 * u)) + (node.step ? textWidth(number(node.score), 11.5 * u, false) + (node.finished ? 46 : 26) * u : 18 * u)));
      let y = 26 * u;
      shown.forEach((node, i) => {
        if (i === kept.length && i) y += 10 * u;
        Object.assign(node, { x, y, width, height: 25 * u });
        drawn.add(node.id);
        y += 30 * u;
      });
      const column = { step, x, shown, more: pruned.length - Math.min(pruned.length, PRUNED_SHOWN), bottom: y };
      x += width + 40 * u;
      return column;
    });
    for (const node of nodes.values()) node.drawn = drawn.has(node.id);
    size = [x - 40 * u + 2, Math.max(60 * u, ...columns.map((column) => column.bottom + (column.more ? 18 * u : 0)))];
  }

  function build() {
    if (!data) return;
    place();
    const u = host.scale;
    layer.style.width = `${size[0]}px`;
    layer.style.height = `${size[1]}px`;
    buttons = new Map();
    const children = [];
    const mark = (words, left, top) => {
      const node = el('span', { class: 'beam-step' }, words);
      node.style.left = `${left}px`;
      node.style.top = `${top}px`;
      children.push(node);
    };
    for (const column of columns) {
      mark(column.step ? `step ${column.step}` : 'start', column.x + 2, 0);
      if (column.more) mark(`+ ${column.more} pruned`, column.x + 8 * u, column.bottom);
      for (const node of column.shown) {
        const word = el('bdi', { dir: 'auto' }, shorten(visible(node.label), 150 * u, 14 * u));
        const button = el('button', { type: 'button', class: 'node', onclick: () => host.trigger('picked', node.id) }, word, el('span', { class: 'node-score' }, node.step ? number(node.score) : ''));
        Object.assign(button.style, { left: `${node.x}px`, top: `${node.y}px`, width: `${node.width}px` });
        const fate = node.best ? 'best' : node.finished ? 'finished' : node.kept ? 'kept' : 'pruned';
        button.classList.toggle('pruned', !node.kept);
        button.classList.toggle('finished', node.finished);
        button.setAttribute('aria-label', `step ${node.step}, ${visible(node.label)}, score ${number(node.score)}, ${fate}`);
        button.addEventListener('pointerenter', () => preview(node.id));
        button.addEventListener('pointerleave', () => preview(null));
        button.addEventListener('focus', () => button.matches(':focus-visible') && preview(node.id));
        button.addEventListener('blur', () => preview(null));
        button.addEventListener('keydown', (event) => walk(event, node, column));
        buttons.set(node.id, button);
        children.push(button);
      }
    }
    layer.replaceChildren(...children);
    refresh();
  }

  /** Arrows walk the tree: left to the parent, right to the best child, up and down within the step. */
  function walk(event, node, column) {
    const i = column.shown.indexOf(node);
    const next = {
      ArrowLeft: () => nodes.get(node.parent),
      ArrowRight: () => columns[node.step + 1]?.shown.find((child) => child.parent === node.id),
      ArrowUp: () => column.shown[i - 1],
      ArrowDown: () => column.shown[i + 1],
    }[event.key];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    buttons.get(next()?.id)?.focus();
  }

  function preview(id) {
    if (hover === id) return;
    hover = id;
    refresh();
  }

  function draw(painter, whole = false) {
    const c = host.colours;
    const u = host.scale;
    const path = onPath();
    const colour = host.kindColour('cross');
    const rank = (node) => (node.best ? 3 : path.has(node.id) ? 2 : node.kept ? 1 : 0);
    const drawnNodes = [...nodes.values()].filter((node) => node.drawn).sort((a, b) => rank(a) - rank(b));
    for (const node of drawnNodes) {
      const parent = nodes.get(node.parent);
      if (!parent?.drawn) continue;
      const from = [parent.x + parent.width, parent.y + parent.height / 2];
      const to = [node.x, node.y + node.height / 2];
      const bend = (to[0] - from[0]) * 0.5;
      const pen = [
        { stroke: c.muted, width: 1 * u, alpha: 0.35, dash: [3, 3] },
        { stroke: c.muted, width: 1.2 * u, alpha: 0.7 },
        { stroke: colour, width: 2 * u, alpha: 0.8 },
        { stroke: colour, width: 3.2 * u },
      ][rank(node)];
      painter.curve(from, [from[0] + bend, from[1]], [to[0] - bend, to[1]], to, pen);
    }
    if (!whole) return;
    for (const column of columns) painter.text(column.x + 2, 13 * u, column.step ? `step ${column.step}` : 'start', { size: 12 * u, fill: c.muted });
    for (const node of drawnNodes) {
      const ink = node.best ? readableOn(colour, c) : node.kept ? c.ink : c.muted;
      if (node.kept) painter.rect(node.x, node.y, node.width, node.height, { fill: node.best ? colour : c.panel, stroke: node.best ? colour : c.line, radius: 7 });
      painter.text(node.x + 7 * u, node.y + 17 * u, shorten(visible(node.label), 150 * u, 14 * u), { size: 14 * u, mono: true, fill: ink });
      if (node.step) painter.text(node.x + node.width - (node.finished ? 22 : 7) * u, node.y + 17 * u, number(node.score), { size: 11.5 * u, align: 'right', fill: node.best ? ink : c.muted });
      if (node.finished) painter.text(node.x + node.width - 7 * u, node.y + 17 * u, '✓', { size: 12 * u, align: 'right', fill: ink });
    }
  }

  function paint() {
    if (!data) return;
    const width = Math.max(1, scroller.clientWidth);
    const height = Math.max(1, Math.min(size[1], scroller.clientHeight || size[1]));
    const context = fitCanvas(canvas, width, height);
    // The canvas stays in view while the nodes scroll; it must not add to the height of what scrolls.
    canvas.style.marginBottom = `${size[1] - height}px`;
    context.translate(-scroller.scrollLeft, -scroller.scrollTop);
    draw(canvasPainter(context));
  }
  scroller.addEventListener('scroll', () => requestAnimationFrame(paint), { signal: host.signal });

  function speak() {
    const node = nodes.get(hover ?? data.selected) ?? [...nodes.values()].filter((one) => one.best).at(-1);
    if (!node) return say(box.readout, ['No hypotheses yet.']);
    const words = pathTo(node.id).slice(1).flatMap((one, i) => (i ? [' ', { strong: visible(one.label) }] : [{ strong: visible(one.label) }]));
    const fate = node.best ? (node.finished ? 'the best hypothesis' : 'on the best path') : node.finished ? 'finished' : node.kept ? 'kept in the beam' : `pruned at step ${node.step}`;
    say(box.readout, [...words, node.step ? `: log-probability ${number(node.logprob)}, score ${number(node.score)}` : 'The start of every hypothesis', { muted: node.step ? fate : '' }]);
  }

  function refresh() {
    if (!data) return;
    const path = onPath();
    for (const [id, button] of buttons) {
      button.classList.toggle('best', nodes.get(id).best);
      button.classList.toggle('path', path.has(id));
      button.setAttribute('aria-pressed', String(id === data.selected));
      button.tabIndex = id === (data.selected ?? data.nodes[0]?.id) ? 0 : -1;
    }
    paint();
    speak();
  }

  return {
    update(next) {
      const grown = data && next.nodes.length !== data.nodes.length;
      data = next;
      const fill = host.kindColour('cross');
      box.node.style.setProperty('--kind', fill);
      box.node.style.setProperty('--kind-ink', readableOn(fill, host.colours));
      say(box.title, [data.title]);
      say(box.subtitle, [`beam of ${data.beam} · score = ${data.scoring} · the best path filled, pruned ones faint · hover to read, click to open`]);
      build();
      if (grown) scroller.scrollTo({ left: size[0], behavior: reducedMotion() ? 'auto' : 'smooth' });
    },
    relayout: build,
  };
}

export default function view(args) {
  return mount(args, beamTree);
}
