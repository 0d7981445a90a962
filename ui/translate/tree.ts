/* The whole beam search, left to right: one column a step, best score on top, pruned hypotheses faint below. While the
   stage covers what is to come, the search ends with the step that the stage is at. */

import type { Piece } from '../web/base/dom.ts';
import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter, Pen, Point } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { BeamNode, TreeAnswers, TreeData } from '../web/generated/types.ts';
import type { Column, Placed, TreeLayout } from './tree_layout.ts';
import { readableOn } from '../web/base/colour.ts';
import { el, onPreview } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { bus, listenTo, reducedMotion } from '../web/base/events.ts';
import { csvNumber } from '../web/base/export.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { canvasPainter, fitCanvas, shorten } from '../web/base/paint.ts';
import { CardView, viewOf } from '../web/base/view.ts';
import { TOUCH, visible } from '../web/base/words.ts';
import { curveBetween } from '../web/marks/lines.ts';
import { WORD, outcomeWords, signed, treeLayout } from './tree_layout.ts';
import './tree.css';

class Tree extends CardView {
  canvas = el('canvas', { class: 'beam-canvas', 'aria-hidden': 'true' });
  layer = el('div', {
    class: 'beam-nodes',
    role: 'group',
    'aria-label': tr('Every hypothesis the beam considered'),
  });
  scroller = el('div', { class: 'beam scroller', tabindex: '-1' }, this.canvas, this.layer);
  data!: TreeData;
  layout!: TreeLayout;
  nodes = new Map<number, BeamNode>();
  buttons = new Map<number, HTMLElement>();
  hovered: number | null = null;
  showPruned = true;
  /** The last step shown. */
  last = Infinity;
  toggle = el(
    'button',
    { class: 'button small', 'aria-pressed': 'true', onclick: () => this.togglePruned() },
    tr('Show pruned'),
  );

  constructor(root: HTMLElement, host: Host) {
    super(root, host);
    this.parts.node.append(this.parts.readout);
    this.parts.body.append(this.scroller);
    this.parts.controls.append(this.toggle, exportMenu(host, treeLeaving(this)));
    const paint = () => requestAnimationFrame(() => this.paint());
    this.scroller.addEventListener('scroll', paint, { signal: host.signal });
    listenTo(host, 'stage', () => this.data && this.last !== this.lastStep() && this.show());
  }

  /** The last step that may be shown. */
  lastStep() {
    const stage = bus().last.stage;
    if (!stage) return Infinity;
    if (stage.id !== this.data.id) return 0; // the stage has not heard of this search yet
    return stage.covered ? stage.step : Infinity;
  }

  /** The nodes that may be shown. */
  show() {
    const before = this.nodes.size;
    this.last = this.lastStep();
    const shown = this.data.nodes.filter(({ step }) => step <= this.last);
    this.nodes = new Map(shown.map((node) => [node.id, node]));
    this.relayout();
    if (!before || before >= shown.length) return;
    this.scroller.scrollTo({ left: this.layout.width, behavior: reducedMotion() ? 'auto' : 'smooth' });
  }

  togglePruned() {
    this.showPruned = !this.showPruned;
    this.toggle.setAttribute('aria-pressed', String(this.showPruned));
    this.relayout();
  }

  /** From the start to a node. */
  pathTo(id: number | null | undefined) {
    const path: BeamNode[] = [];
    for (let node = this.nodes.get(id ?? -1); node; node = this.nodes.get(node.parent ?? -1))
      path.unshift(node);
    return path;
  }

  /* ---------- buttons ---------- */

  relayout() {
    if (!this.data) return;
    this.layout = treeLayout([...this.nodes.values()], this.showPruned, this.host.scale);
    const { width, height, columns } = this.layout;
    this.layer.style.width = `${width}px`;
    this.layer.style.height = `${height}px`;
    this.buttons = new Map();
    this.layer.replaceChildren(...columns.flatMap((column) => this.columnNodes(column)));
    this.refresh();
  }

  columnNodes(column: Column) {
    const u = this.host.scale;
    const mark = (words: string, left: number, top: number) => {
      const node = el('span', { class: 'beam-step' }, words);
      node.style.cssText = `left:${left}px;top:${top}px`;
      return node;
    };
    const above = mark(stepName(column), column.x + 2, 0);
    const more = column.more
      ? [mark(tr('+ {count} pruned', { count: column.more }), column.x + 8 * u, column.bottom)]
      : [];
    return [above, ...more, ...column.shown.map((node) => this.nodeButton(node, column))];
  }

  nodeButton(node: Placed, column: Column) {
    const u = this.host.scale;
    const word = el('bdi', { dir: 'auto' }, shorten(visible(node.label), WORD * u, 14 * u));
    const score = el('span', { class: 'node-score' }, node.step ? signed(node.score) : '');
    const press = () => this.host.trigger('picked', { id: node.id } satisfies TreeAnswers['picked']);
    const button = el('button', { class: 'node', onclick: press }, word, score);
    button.style.cssText = `left:${node.x}px;top:${node.y}px;width:${node.width}px`;
    button.classList.toggle('pruned', !node.kept);
    button.classList.toggle('finished', node.finished);
    button.classList.toggle('best', node.best);
    const words = { step: node.step, word: visible(node.label), score: signed(node.score) };
    const outcome = outcomeWords(node);
    button.setAttribute(
      'aria-label',
      tr('step {step}, {word}, score {score}, {outcome}', { ...words, outcome }),
    );
    onPreview(
      button,
      () => this.preview(node.id),
      () => this.preview(null),
    );
    button.addEventListener('keydown', (event) => this.walk(event, node, column));
    this.buttons.set(node.id, button);
    return button;
  }

  /** Arrows walk the tree: left to the parent, right to the best child, up and down within the step. */
  walk(event: KeyboardEvent, node: Placed, column: Column) {
    const n = column.shown.indexOf(node);
    const keys: Record<string, () => number | null | undefined> = {
      ArrowLeft: () => node.parent,
      ArrowRight: () =>
        this.layout.columns[node.step + 1]?.shown.find(({ parent }) => parent === node.id)?.id,
      ArrowUp: () => column.shown[n - 1]?.id,
      ArrowDown: () => column.shown[n + 1]?.id,
    };
    const next = keys[event.key];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    this.buttons.get(next() ?? -1)?.focus();
  }

  preview(id: number | null) {
    if (this.hovered === id) return;
    this.hovered = id;
    this.refresh();
  }

  /* ---------- drawing ---------- */

  paint() {
    if (!this.data) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.scroller;
    const height = Math.max(1, Math.min(this.layout.height, clientHeight || this.layout.height));
    const context = fitCanvas(this.canvas, Math.max(1, clientWidth), height);
    // The canvas stays in view while the nodes scroll; it must not add to the height of what scrolls.
    this.canvas.style.marginBottom = `${this.layout.height - height}px`;
    context.translate(-scrollLeft, -scrollTop);
    paintBranches(canvasPainter(context), this);
  }

  sentence(): Piece[] {
    const best = [...this.nodes.values()].filter((each) => each.best);
    const node = this.nodes.get(this.hovered ?? this.data.selected ?? -1) ?? best[best.length - 1];
    if (!node) return [tr('No hypotheses yet.')];
    if (!node.step) return [tr('The start of every hypothesis')];
    const words = this.pathTo(node.id).slice(1);
    const written = words.flatMap(({ label }, n) => [n ? ' ' : '', { strong: visible(label) }]);
    const scores = tr(': log-probability {logprob}, score {score}', {
      logprob: signed(node.logprob),
      score: signed(node.score),
    });
    return [...written, scores, { muted: outcomeWords(node) }];
  }

  refresh() {
    if (!this.data) return;
    const { selected, nodes } = this.data;
    const path = new Set(this.pathTo(this.hovered ?? selected).map(({ id }) => id));
    for (const [id, button] of this.buttons) {
      button.classList.toggle('path', path.has(id));
      button.setAttribute('aria-pressed', String(id === selected));
      button.tabIndex = id === (selected ?? nodes[0]?.id) ? 0 : -1;
    }
    this.paint();
    this.parts.tell({ readout: this.sentence() });
  }

  update(next: TreeData) {
    this.data = next;
    const { colours } = this.host;
    this.parts.node.style.setProperty('--kind', colours.cross);
    this.parts.node.style.setProperty('--kind-ink', readableOn(colours.cross, colours));
    const what = tr(
      'beam of {size} · score = log-probability ÷ length · best path filled, pruned ones faint',
      {
        size: next.beam,
      },
    );
    const how = TOUCH ? tr('Tap to open') : tr('Hover to read, click to open');
    this.parts.tell({ title: title(), subtitle: `${what} · ${how}` });
    this.show();
  }
}

const stepName = ({ step }: Column) => (step ? tr('step {step}', { step }) : tr('start'));

/** The branches, the best path last. */
function paintBranches(p: Painter, tree: Tree) {
  const { placed } = tree.layout;
  const path = new Set(tree.pathTo(tree.hovered ?? tree.data.selected).map(({ id }) => id));
  const rank = (node: Placed) => (node.best ? 3 : path.has(node.id) ? 2 : node.kept ? 1 : 0);
  const u = tree.host.scale;
  const { muted, cross } = tree.host.colours;
  const pens: Pen[] = [
    { stroke: muted, width: u, alpha: 0.35, dash: [3, 3] },
    { stroke: muted, width: 1.2 * u, alpha: 0.7 },
    { stroke: cross, width: 2 * u, alpha: 0.8 },
    { stroke: cross, width: 3.2 * u },
  ];
  for (const node of [...placed.values()].sort((a, b) => rank(a) - rank(b))) {
    const parent = placed.get(node.parent ?? -1);
    if (!parent) continue;
    const from: Point = [parent.x + parent.width, parent.y + parent.height / 2];
    p.curve(...curveBetween(from, [node.x, node.y + node.height / 2], false), pens[rank(node)]);
  }
}

/** The nodes of a picture that leaves the page; on the page they are buttons. */
function paintNodes(p: Painter, tree: Tree) {
  const u = tree.host.scale;
  const c = tree.host.colours;
  for (const column of tree.layout.columns) {
    p.text(column.x + 2, 13 * u, stepName(column), { size: 12 * u, fill: c.muted });
    if (column.more) {
      const pen = { size: 12 * u, fill: c.muted };
      p.text(column.x + 8 * u, column.bottom + 13 * u, `+ ${column.more} pruned`, pen);
    }
  }
  for (const { x, y, width, height, ...node } of tree.layout.placed.values()) {
    const ink = node.best ? readableOn(c.cross, c) : node.kept ? c.ink : c.muted;
    const pen = { fill: node.best ? c.cross : c.panel, stroke: node.best ? c.cross : c.line, radius: 7 };
    if (node.kept) p.rect(x, y, width, height, pen);
    const word = shorten(visible(node.label), WORD * u, 14 * u);
    p.text(x + 7 * u, y + 17 * u, word, { size: 14 * u, mono: true, fill: ink });
    const right = { align: 'right' as const, fill: node.best ? ink : c.muted };
    const end = x + width - (node.finished ? 22 : 7) * u;
    if (node.step) p.text(end, y + 17 * u, signed(node.score), { size: 11.5 * u, ...right });
    if (node.finished) p.text(x + width - 7 * u, y + 17 * u, '✓', { ...right, size: 12 * u, fill: ink });
  }
}

const title = () => tr('Every hypothesis the beam considered');

/** The tree as it leaves the page; the table has every hypothesis, those not drawn included. */
function treeLeaving(tree: Tree): Leaving {
  return {
    name: () => 'beam-tree',
    title,
    size: () => [tree.layout.width, tree.layout.height],
    draw(p) {
      paintBranches(p, tree);
      paintNodes(p, tree);
    },
    words: () => tree.sentence(),
    rows: () => [
      ['id', 'parent', 'step', 'token', 'log_probability', 'score', 'kept', 'finished', 'best'],
      ...tree.data.nodes.map((node) => [
        ...[
          node.id,
          node.parent ?? '',
          node.step,
          node.label,
          csvNumber(node.logprob),
          csvNumber(node.score),
        ],
        ...[node.kept, node.finished, node.best].map((yes) => (yes ? 'yes' : 'no')),
      ]),
    ],
  };
}

export default viewOf(Tree);
