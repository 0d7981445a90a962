/* Heads as small maps in named groups. Each is a button; the arrow keys walk through them. */

import type { Painter } from '../web/base/paint.ts';
import type { Host, Mounting } from '../web/base/view.ts';
import type { Group, KindMaps, Option, Tile, TilesAnswers, TilesData } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import { rampTable } from '../web/base/colour.ts';
import { card, el, say } from '../web/base/dom.ts';
import { exportMenu } from '../web/base/export.ts';
import { canvasPainter, fitCanvas, shifted, typeSize } from '../web/base/paint.ts';
import { mount } from '../web/base/view.ts';
import { WEIGHT_OF_BYTE, placer } from '../web/maps/sheet.ts';
import { paintPixels } from '../web/marks/picture.ts';
import './tiles.css';

interface Drawn {
  tile: Tile;
  group: number;
  node: HTMLButtonElement;
  canvas: HTMLCanvasElement;
  sheet: Sheet;
}

/** Of a picture's height over its width: how far it is stretched, the least and the largest. */
const SHAPES = { rows: [1.25, 0.8, 1.3], large: [0.9, 0.86, 0.9], small: [1, 1, 1], heading: [1, 1, 1] };

const nameOf = ({ layer, head }: Tile) => `${layer}.${head}`;
const keyOf = ({ kind, layer, head }: { kind: string; layer: number; head: number }) =>
  `${kind}/${layer}.${head}`;

class Tiles {
  parts: ReturnType<typeof card>;
  choices = el('div', { class: 'tiles-choice', role: 'radiogroup' });
  groups = el('div', { class: 'tiles-groups' });
  notes = el('p', { class: 'tiles-notes' });
  data!: TilesData;
  drawn: Drawn[] = [];

  constructor(
    readonly root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.node.classList.add('tiles');
    this.parts.body.append(this.choices, this.groups, this.notes);
    this.parts.controls.append(
      exportMenu(host, {
        name: () => this.data.file,
        size: () => [this.groups.clientWidth, this.groups.clientHeight + 60 * host.scale],
        draw: (p) => this.paint(p),
        rows: () => this.rows(),
      }),
    );
    this.groups.addEventListener('keydown', (event) => this.walk(event));
  }

  update(data: TilesData) {
    const active = this.groups.getRootNode() as Document | ShadowRoot;
    const focus = this.drawn.find(({ node }) => node === active.activeElement);
    this.data = data;
    say(this.parts.title, [data.title]);
    say(this.parts.subtitle, [data.subtitle]);
    this.showChoices();
    const sheets = new Map<string, (head: Tile) => Sheet>();
    for (const [kind, maps] of Object.entries(data.maps)) sheets.set(kind, this.sheetsOf(kind, maps));
    this.drawn = [];
    this.groups.replaceChildren(...data.groups.map((group, number) => this.groupNode(group, number, sheets)));
    this.notes.textContent = data.notes.join(' ');
    this.notes.hidden = !data.notes.length;
    const first =
      this.drawn.find(({ tile }) => data.open && keyOf(tile) === keyOf(data.open)) ?? this.drawn[0];
    const again = focus && this.drawn.find(({ tile }) => keyOf(tile) === keyOf(focus.tile));
    for (const { node } of this.drawn) node.tabIndex = -1;
    const stop = again ?? first;
    if (stop) stop.node.tabIndex = 0;
    again?.node.focus({ preventScroll: true });
    this.relayout();
  }

  sheetsOf(kind: string, maps: KindMaps) {
    const colours = this.host.colours as unknown as Record<string, string>;
    const table = rampTable(colours.panel, colours[kind]);
    const [rows, cols] = maps.shape;
    const position = placer('weight', 1);
    const byByte = Int16Array.from(WEIGHT_OF_BYTE, (weight) => position(weight));
    const words = { rows: Array<string>(rows).fill(''), cols: Array<string>(cols).fill('') };
    return ({ layer, head }: Tile): Sheet => {
      const start = (layer * maps.heads + head) * rows * cols;
      const at: Sheet['at'] = (i, j) =>
        maps.causal && j > i ? NaN : WEIGHT_OF_BYTE[maps.levels[start + i * cols + j]];
      const index = new Int16Array(rows * cols);
      for (let i = 0, n = 0; i < rows; i++) {
        for (let j = 0; j < cols; j++, n++) {
          index[n] = maps.causal && j > i ? -1 : byByte[maps.levels[start + n]];
        }
      }
      return { ...words, written: rows, at, index, table, neutral: 0, unit: 'share' };
    };
  }

  groupNode(group: Group, number: number, sheets: Map<string, (tile: Tile) => Sheet>) {
    const tiles = group.tiles.flatMap((tile) => {
      const sheet = sheets.get(tile.kind)?.(tile);
      return sheet ? [this.tileNode(tile, group, number, sheet)] : [];
    });
    const line = el('div', { class: 'tiles-line' }, ...tiles);
    const style = `--kind: var(--${group.kind}); --kind-text: var(--${group.kind}-text); --count: ${tiles.length}`;
    const press = () => this.host.trigger('pressed', { number } satisfies TilesAnswers['pressed']);
    const name = group.presses
      ? el(
          'button',
          { type: 'button', class: 'tiles-name', title: group.presses, onclick: press },
          group.name,
        )
      : el('h4', { class: 'tiles-name' }, group.name);
    const head = el(
      'div',
      { class: 'tiles-head' },
      name,
      group.means ? el('span', { class: 'tiles-means' }, group.means) : null,
      group.count ? el('span', { class: 'tiles-count' }, group.count) : null,
    );
    return el(
      'div',
      { class: `tiles-group tiles-${group.look}`, style, role: 'group', 'aria-label': group.name },
      head,
      line,
    );
  }

  tileNode(tile: Tile, group: Group, number: number, sheet: Sheet) {
    const { data } = this;
    const isOpen = data.open !== null && keyOf(tile) === keyOf(data.open);
    const canvas = el('canvas', { class: 'picture', 'aria-hidden': 'true' });
    const pick = () => {
      if (data.switches)
        node.setAttribute('aria-pressed', String(node.getAttribute('aria-pressed') !== 'true'));
      const { kind, layer, head } = tile;
      this.host.trigger('picked', { kind, layer, head } satisfies TilesAnswers['picked']);
    };
    const pressed = data.switches ? tile.off || tile.held : isOpen;
    const bar =
      tile.share === null
        ? null
        : el(
            'span',
            { class: 'tiles-bar', 'aria-hidden': 'true' },
            el('i', { style: `width: ${100 * Math.min(1, tile.share)}%` }),
            tile.threshold === null ? null : el('b', { style: `left: ${100 * tile.threshold}%` }),
          );
    const caption = el(
      'span',
      { class: 'tiles-caption', 'aria-hidden': 'true' },
      el('span', {}, nameOf(tile)),
      tile.value ? el('b', {}, tile.value) : null,
    );
    const node = el(
      'button',
      {
        type: 'button',
        class: `tile${isOpen ? ' is-open' : ''}`,
        'aria-pressed': String(pressed),
        'aria-label': tile.hint,
        title: tile.hint,
        onclick: pick,
      },
      canvas,
      group.look === 'small' ? null : caption,
      bar,
    );
    this.drawn.push({ tile, group: number, node, canvas, sheet });
    return node;
  }

  showChoices() {
    const { choice } = this.data;
    this.choices.hidden = !choice;
    if (!choice) return;
    this.choices.setAttribute('aria-label', choice.label);
    const option = ({ value, label, enabled, hint }: Option) => {
      const node = el(
        'button',
        {
          type: 'button',
          role: 'radio',
          'aria-checked': String(value === choice.chosen),
          'aria-disabled': enabled ? null : 'true',
          title: hint || null,
          onclick: () => enabled && this.host.trigger('chosen', value satisfies TilesAnswers['chosen']),
        },
        label,
      );
      return node;
    };
    this.choices.replaceChildren(
      el('span', { class: 'tiles-choice-name' }, choice.label),
      el('span', { class: 'tiles-options' }, ...choice.options.map(option)),
    );
  }

  /* ---------- drawing ---------- */

  relayout() {
    const u = this.host.scale;
    this.groups.classList.toggle('is-narrow', this.groups.clientWidth < (u > 1 ? 260 : 360) * u);
    // All widths are read before the first canvas is changed.
    const widths = this.drawn.map(({ node }) => node.clientWidth);
    this.drawn.forEach((one, n) => {
      const [rows, cols] = [one.sheet.rows.length, one.sheet.cols.length];
      const [stretch, low, high] = SHAPES[this.data.groups[one.group].look];
      const width = Math.max(8, widths[n] - 6 * u);
      const height = width * Math.max(low, Math.min(high, (stretch * rows) / cols));
      const p = canvasPainter(fitCanvas(one.canvas, width, height));
      this.paintTile(p, one, width, height);
    });
  }

  paintTile(p: Painter, { tile, sheet }: Drawn, w: number, h: number) {
    const u = this.host.scale;
    const c = this.host.colours;
    paintPixels(p, sheet, { x: 0, y: 0, w, h }, c);
    const { marked } = this.data.maps[tile.kind];
    if (tile.off) p.rect(0, 0, w, h, { fill: c.panel, alpha: 0.45 });
    p.rect(0.5, 0.5, w - 1, h - 1, { stroke: tile.off ? c.muted : c.line, width: 1 });
    if (marked && !tile.off) {
      const [cw, ch] = [w / sheet.cols.length, h / sheet.rows.length];
      const least = Math.max(cw, ch, 5 * u);
      const [x, y] = [(marked[1] + 0.5) * cw - least / 2, (marked[0] + 0.5) * ch - least / 2];
      p.rect(x, y, least, least, { stroke: c.ink, width: 1.6 * u });
    }
    if (tile.off) p.path(`M0 0L${w} ${h}M${w} 0L0 ${h}`, { stroke: c.ink, width: 1.3 * u, alpha: 0.85 });
    if (tile.held) p.rect(u, u, w - 2 * u, h - 2 * u, { stroke: c.ink, width: 2 * u, dash: [4 * u, 3 * u] });
  }

  /** The tiles where they stand on the page, with their names. */
  paint(p: Painter) {
    const u = this.host.scale;
    const c = this.host.colours;
    const from = this.groups.getBoundingClientRect();
    const top = 44 * u;
    p.text(2, 18 * u, this.data.title, { size: 16 * u, weight: 650, fill: c.ink });
    p.text(2, 36 * u, this.data.subtitle, { size: typeSize(12.5, u), fill: c.muted });
    const words = (node: Element, fill: string, weight = 400) => {
      const at = node.getBoundingClientRect();
      const size = parseFloat(getComputedStyle(node).fontSize);
      p.text(at.left - from.left, at.top - from.top + top + at.height * 0.75, node.textContent ?? '', {
        size,
        fill,
        weight,
      });
    };
    for (const node of this.groups.querySelectorAll('.tiles-name')) words(node, c.ink, 650);
    for (const node of this.groups.querySelectorAll('.tiles-means, .tiles-count')) words(node, c.muted);
    for (const one of this.drawn) {
      const at = one.canvas.getBoundingClientRect();
      const [x, y] = [at.left - from.left, at.top - from.top + top];
      const inside = shifted(p, x, y);
      this.paintTile(inside, one, at.width, at.height);
      for (const node of one.node.querySelectorAll('.tiles-caption > *')) words(node, c.ink);
    }
  }

  rows(): (string | number)[][] {
    const lines = this.data.groups.flatMap((group) =>
      group.tiles.map((tile) => [
        group.name,
        tile.kind,
        tile.layer,
        tile.head,
        tile.value,
        tile.off ? 1 : 0,
        tile.hint,
      ]),
    );
    return [['group', 'kind', 'layer', 'head', 'value', 'ablated', 'description'], ...lines];
  }

  /* ---------- keyboard ---------- */

  walk(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 0, ArrowUp: 0 }[event.key];
    const at = this.drawn.findIndex(({ node }) => node === event.target);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const to = step ? this.drawn[at + step] : this.below(at, event.key === 'ArrowDown' ? 1 : -1);
    if (!to) return;
    this.drawn[at].node.tabIndex = -1;
    to.node.tabIndex = 0;
    to.node.focus();
  }

  /** The nearest tile of the line below, or above with −1. */
  below(at: number, way: number) {
    const here = this.drawn[at].node.getBoundingClientRect();
    const far = (rect: DOMRect) => way * (rect.top - here.top);
    const others = this.drawn
      .map((one) => ({ one, rect: one.node.getBoundingClientRect() }))
      .filter(({ rect }) => far(rect) > here.height / 2);
    const nearest = Math.min(...others.map(({ rect }) => far(rect)));
    return others
      .filter(({ rect }) => far(rect) < nearest + here.height / 2)
      .sort((a, b) => Math.abs(a.rect.left - here.left) - Math.abs(b.rect.left - here.left))[0]?.one;
  }
}

export default function view(args: Mounting) {
  return mount(args, (root, host) => new Tiles(root, host));
}
