/* Heads as small maps in named groups. Each is a button; the arrow keys walk through them. */

import type { Host } from '../web/base/view.ts';
import type { Group, Option, Tile, TilesAnswers, TilesData } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { Drawn } from './tiles_drawing.ts';
import { el } from '../web/base/dom.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { CardView, viewOf } from '../web/base/view.ts';
import { headName } from '../web/base/words.ts';
import { paintTile, sheetsOf, tilesLeaving } from './tiles_drawing.ts';
import './tiles.css';

/** Of a picture's height over its width: how far it is stretched, the least and the largest. */
const SHAPES = { rows: [1.25, 0.8, 1.3], large: [0.9, 0.86, 0.9], small: [1, 1, 1], heading: [1, 1, 1] };

/** Of the window's height that a map takes at most on a page: all layers are seen at once, and in a hall two rows of roles. */
const TALLEST = { rows: [0.06, 0.06], large: [1, 0.09], small: [1, 1], heading: [1, 1] };

/** Pixels of the design that a tile of a role is wide at least, and the columns of tiles that a page has at most. */
const ROLE_WIDTH = 59;
const ROLE_COLUMNS = 8;

/** Pixels between two columns, and between a role and the next (tiles.css). */
const [COLUMN_GAP, ROLE_GAP] = [10, 16];

const keyOf = (one: { kind: string; layer: number; head: number }) => `${one.kind}/${headName(one)}`;

/** A share as a bar: its threshold, the level of chance and its interval. */
function barOf({ share, threshold, low, high, chance }: Tile) {
  if (share === null) return null;
  const percent = (value: number) => `${(100 * Math.max(0, Math.min(1, value))).toFixed(2)}%`;
  const at = (look: string, value: number | null) =>
    value === null ? null : el('b', { class: look, style: `left: ${percent(value)}` });
  const range =
    low === null || high === null
      ? null
      : el('s', { style: `left: ${percent(low)}; width: ${percent(high - low)}` });
  return el(
    'span',
    { class: 'tiles-bar', 'aria-hidden': 'true' },
    el('i', { style: `width: ${percent(share)}` }),
    at('chance', chance),
    at('threshold', threshold),
    range,
  );
}

/** A group's name, which may be a button, with what it means and how many heads it has. */
function headOf(group: Group, press: () => void) {
  const name = group.presses
    ? el('button', { class: 'tiles-name', title: group.presses, onclick: press }, group.name)
    : el('h4', { class: 'tiles-name' }, group.name);
  return el(
    'div',
    { class: 'tiles-head' },
    name,
    group.means ? el('span', { class: 'tiles-means' }, group.means) : null,
    group.count ? el('span', { class: 'tiles-count', title: group.counts || null }, group.count) : null,
  );
}

class Tiles extends CardView {
  choices = el('div', { class: 'tiles-choice', role: 'radiogroup' });
  groups = el('div', { class: 'tiles-groups' });
  notes = el('p', { class: 'tiles-notes' });
  data!: TilesData;
  drawn: Drawn[] = [];

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'tiles');
    this.parts.body.append(this.choices, this.groups, this.notes);
    this.parts.controls.append(exportMenu(host, tilesLeaving(this)));
    this.groups.addEventListener('keydown', (event) => this.walk(event));
  }

  update(data: TilesData) {
    const active = this.groups.getRootNode() as Document | ShadowRoot;
    const focus = this.drawn.find(({ node }) => node === active.activeElement);
    this.data = data;
    this.parts.tell(data);
    this.showChoices();
    const sheets = new Map<string, (head: Tile) => Sheet>();
    for (const [kind, maps] of Object.entries(data.maps))
      sheets.set(kind, sheetsOf(kind, maps, this.host.colours));
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

  groupNode(group: Group, number: number, sheets: Map<string, (tile: Tile) => Sheet>) {
    const tiles = group.tiles.flatMap((tile) => {
      const sheet = sheets.get(tile.kind)?.(tile);
      return sheet ? [this.tileNode(tile, group, number, sheet)] : [];
    });
    const line = el('div', { class: 'tiles-line' }, ...tiles);
    const style = `--kind: var(--${group.kind}); --kind-text: var(--${group.kind}-text); --count: ${tiles.length}`;
    const press = () => this.host.trigger('pressed', { number } satisfies TilesAnswers['pressed']);
    const head = headOf(group, press);
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
    const caption = el(
      'span',
      { class: 'tiles-caption', 'aria-hidden': 'true' },
      el('span', {}, headName(tile)),
      tile.value ? el('b', {}, tile.value) : null,
    );
    const node = el(
      'button',
      {
        class: `tile${isOpen ? ' is-open' : ''}`,
        'aria-pressed': String(pressed),
        'aria-label': tile.hint,
        title: tile.hint,
        onclick: pick,
      },
      canvas,
      group.look === 'small' ? null : caption,
      barOf(tile),
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
    this.spanGroups(u);
    const most = this.tallest(u);
    const isSlide = 'slideRoom' in this.host.root.dataset;
    // All widths are read before the first canvas is changed.
    const widths = this.drawn.map(({ node }) => node.clientWidth);
    this.drawn.forEach((one, n) => {
      const { look } = this.data.groups[one.group];
      const [rows, cols] = [one.sheet.rows.length, one.sheet.cols.length];
      const [stretch, low, high] = SHAPES[look];
      const width = Math.max(8, widths[n] - 6 * u);
      const share = isSlide ? 1 : TALLEST[look][u > 1 ? 1 : 0];
      const tall = Math.min(most, share * window.innerHeight);
      const height = Math.min(tall, width * Math.max(low, Math.min(high, (stretch * rows) / cols)));
      const p = canvasPainter(fitCanvas(one.canvas, width, height));
      paintTile(p, this, one, width, height);
    });
  }

  /** How many columns of tiles there are, and how many of them each role takes: two at least, and those of its name. */
  spanGroups(u: number) {
    const room = this.groups.clientWidth;
    const columns = Math.max(4, Math.min(ROLE_COLUMNS, Math.floor(room / (ROLE_WIDTH * u))));
    const roles = [...this.groups.querySelectorAll<HTMLElement>('.tiles-large')];
    const spanOf = (node: HTMLElement, span: number) => node.style.setProperty('--span', String(span));
    this.groups.style.setProperty('--columns', String(columns));
    // As wide as they can be, so that each name stands on one line; all are read before one is set.
    for (const node of roles) spanOf(node, columns);
    const names = roles.map((node) => node.querySelector<HTMLElement>('.tiles-name')?.offsetWidth ?? 0);
    roles.forEach((node, n) => {
      const tiles = node.querySelectorAll('.tile').length;
      const ofName = Math.ceil(((names[n] + ROLE_GAP) * columns) / (room + COLUMN_GAP));
      spanOf(node, Math.min(columns, Math.max(2, tiles, ofName)));
    });
  }

  /** How tall a picture may be, and whether the heads without words have to go, on a slide that lacks the room. */
  tallest(u: number) {
    const room = Number(this.host.root.dataset.slideRoom ?? Infinity);
    const lacks = room < window.innerHeight / u - 1;
    this.groups.classList.toggle('is-short', lacks);
    return lacks ? (room / 5) * u : Infinity;
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

export default viewOf(Tiles);
