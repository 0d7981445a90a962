/* How the reader arranges the wall: sort, badge, least score, colours. */

import type { Sort, Tone } from '../web/generated/types.ts';
import type { WallHeads } from './wall_heads.ts';
import type { WallPicture } from './wall_drawing.ts';
import type { Opening } from './wall_opening.ts';
import { chooser, field } from '../web/base/controls.ts';
import { definitions, el, onPreview } from '../web/base/dom.ts';
import { fixed, labelled, tr } from '../web/base/language.ts';
import { lowered, minus } from '../web/base/words.ts';
import { writtenScore } from './wall_drawing.ts';
import { showPreview } from './wall_preview.ts';

/** The card that the heads stand on, with what its controls change. */
interface WallCard extends WallPicture {
  grid: HTMLElement;
  tip: HTMLElement;
  buttons: { heads: HTMLElement[]; layers: HTMLElement[] };
  opening: Opening;
  /** The head that the keyboard is at. */
  at: number;
  /** Lays the heads out; `moving`: they move to their new places. */
  relayout(moving?: boolean): void;
  /** Tells Python how the reader has arranged the heads. */
  report(): void;
  hidePreview(): void;
}

const orders = (): [Sort, string][] => [
  ['model', tr('by layer')],
  ['high', tr('highest first')],
  ['low', tr('lowest first')],
];
const tones = (): [Tone, string][] => [
  ['weight', tr('linear')],
  ['log', tr('logarithmic')],
  ['each', tr('per head')],
];

/** What the badge is in one line, and with `all` everything that is known of it. */
function aboutBadge({ meta, own }: WallHeads) {
  const lines = el('dl', { class: 'wall-lines', hidden: true });
  const opens = { class: 'quiet', 'aria-expanded': 'false' };
  const open = el('button', { ...opens, onclick: () => tell(lines.hidden) }, tr('more'));
  const line = el('span');
  const node = el('div', { class: 'wall-about', hidden: true }, el('p', {}, line, ' ', open), lines);
  const tell = (all = !lines.hidden) => {
    const { label = '', definition = '', explained = [] } = meta.scores[own.badge] ?? {};
    line.textContent = `${label}, ${meta.about}. ${definition}`;
    lines.replaceChildren(...definitions(explained));
    lines.hidden = !all;
    open.setAttribute('aria-expanded', String(all));
    open.textContent = all ? tr('less') : tr('more');
    node.hidden = !definition;
    return definition;
  };
  return { node, tell };
}

/** The fields above the wall and below it, and what the badge is. */
export function wallControls(wall: WallCard) {
  const { meta, own, tone } = wall.heads;
  const least = leastField(wall);
  const about = aboutBadge(wall.heads);
  const setOrder = (value: string) => {
    own.sort = value as Sort;
    if (own.sort === 'model') wall.grid.append(...wall.buttons.heads);
    wall.relayout(true);
    wall.report();
  };
  const setBadge = (value: string) => {
    own.badge = value;
    badge.title = about.tell();
    least.filter();
    wall.report();
  };
  const setTone = (value: string) => {
    own.tone = value as Tone;
    wall.heads.build(wall.host.colours);
    wall.relayout();
    wall.report();
  };
  const badges: [string, string][] = Object.entries(meta.scores).map(([name, { label }]) => [
    name,
    lowered(label),
  ]);
  const sort = field(tr('Sort'), chooser(orders(), own.sort, setOrder, tr('Sort heads')));
  const name = tr('Score under each head');
  const badge = field(tr('Score'), chooser(badges, own.badge, setBadge, name));
  const colours = field(tr('Colour'), chooser(tones(), tone, setTone, tr('Colour scale')));
  if (!badges.length) return { above: [], below: [colours], about: about.node };
  badge.title = about.tell();
  return {
    above: [sort, badge],
    about: about.node,
    below: [field(tr('Threshold'), least.slider, least.output), colours],
  };
}

function leastField(wall: WallCard) {
  const { meta, own } = wall.heads;
  const label = tr('Show heads whose score is at least this');
  const range = { type: 'range', min: 0, max: 100, value: 0, 'aria-label': label };
  const slider = el('input', { class: 'slider', ...range });
  const output = el('output', {}, tr('all'));
  /** Lowest and highest of the badge's score, 0 among them. */
  const bounds = () => {
    const values = (meta.scores[own.badge]?.values ?? []).filter((v) => v !== null);
    return [Math.min(...values, 0), Math.max(...values, 0)];
  };
  const tell = () =>
    (output.textContent = own.least === null ? tr('all') : `≥ ${minus(fixed(own.least, 2))}`);
  const filter = () => {
    const [low, high] = bounds();
    own.least = Number(slider.value) === 0 ? null : low + ((high - low) * Number(slider.value)) / 100;
    tell();
    wall.relayout(true);
  };
  slider.addEventListener('input', filter);
  slider.addEventListener('change', () => wall.report());
  if (own.least !== null) {
    const [low, high] = bounds();
    slider.value = String(Math.round((100 * (own.least - low)) / (high - low || 1)));
    tell();
  }
  return { slider, output, filter };
}

/* ---------- The buttons over the wall's pictures: they carry keyboard, focus and words. ---------- */

/** A button for each head and each layer. */
export function makeButtons(wall: WallCard) {
  const heads = wall.heads.pictures.map((_, head) => {
    const button = el('button', { class: 'wall-head' });
    const show = (event: Event) => (event as PointerEvent).pointerType !== 'touch' && showPreview(wall, head);
    onPreview(button, show, () => wall.hidePreview());
    button.addEventListener('click', (event) =>
      wall.opening.press(head, event.shiftKey || event.ctrlKey || event.metaKey),
    );
    button.addEventListener('keydown', (event) => move(event, wall, head));
    return button;
  });
  const layers = Array.from({ length: wall.heads.meta.layers }, (_, layer) => {
    const name = tr('Layer {layer}: overlay its heads', { layer });
    const words = { title: name, 'aria-label': name };
    return el('button', {
      class: 'wall-layer',
      ...words,
      onclick: () => wall.opening.pressLayer(layer),
    });
  });
  wall.grid.replaceChildren(...layers, ...heads);
  return { heads, layers };
}

/** What a screen reader says of a head. */
function wordsOfHead(all: WallHeads, head: number) {
  const scores = Object.entries(all.meta.scores)
    .filter(([, score]) => score.values[head] !== null)
    .map(
      ([name, { label, units }]) =>
        `${lowered(label)} ${writtenScore(all, head, name)}${units ? ` ${units}` : ''}`,
    );
  const [layer, k] = all.pairOf(head);
  const who = all.layered ? all.nameOf(head) : tr('Layer {layer}, head {head}', { layer, head: k });
  return labelled(who, scores.join(', ') || tr('no scores'));
}

/** Puts every button over its picture, in the order that is seen. */
export function arrangeButtons(wall: WallCard, order: number[]) {
  const { layout } = wall;
  const { own } = wall.heads;
  const { heads, layers } = wall.buttons;
  heads.forEach((button, head) => {
    const at = layout.at.get(head);
    button.hidden = !at;
    if (!at) return;
    button.style.cssText = `left:${at.x}px;top:${at.y}px;width:${layout.w}px;height:${layout.h + layout.foot}px`;
    button.tabIndex = head === wall.at ? 0 : -1;
    button.setAttribute('aria-pressed', String(wall.opening.opened.includes(head)));
    button.setAttribute('aria-label', wordsOfHead(wall.heads, head));
  });
  layers.forEach((button) => (button.hidden = true));
  for (const [layer, y, tall] of wall.heads.layered ? [] : layout.labels) {
    layers[layer].hidden = false;
    layers[layer].style.cssText = `left:0;top:${y - tall / 2}px;width:${24 * layout.u}px;height:${tall}px`;
  }
  if (own.sort !== 'model') wall.grid.append(...order.map((head) => heads[head]));
}

/** Arrows, Home and End walk from head to head. */
function move(event: KeyboardEvent, wall: WallCard, head: number) {
  const list = wall.heads.order();
  const now = list.indexOf(head);
  const { across } = wall.layout;
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across };
  const step = { ...steps, Home: -now, End: list.length - 1 - now }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const next = list[now + step];
  if (next === undefined) return;
  wall.at = next;
  arrangeButtons(wall, list);
  wall.buttons.heads[next].focus();
}
