/* How the reader arranges the wall: sort, badge, least score, colours. */

import type { Order, Tone, WallMeta } from './wall_numbers.ts';
import { chooser, field } from '../base/controls.ts';
import { el } from '../base/dom.ts';
import { lowered, minus } from '../base/words.ts';

const ORDERS = [
  ['model', 'as in the model'],
  ['high', 'highest first'],
  ['low', 'lowest first'],
] as const;
const TONES = [
  ['weight', 'weight'],
  ['log', 'logarithmic'],
  ['each', 'per head'],
] as const;

/** What the reader set: heads in this order, with this score beside each, those below `least` left out. */
export interface Arranged {
  order: Order;
  badge: string | null;
  least: number | null;
  tone: Tone | null;
}

interface Act {
  sorted(): void;
  filtered(): void;
  toned(): void;
  settled(): void;
}

/**
 * The fields above the wall and below it. They set `own` and call `act.sorted`, `act.filtered` or `act.toned`, and
 * `act.settled` once the reader is done with one.
 */
export function wallControls(meta: WallMeta, own: Arranged, tone: Tone, act: Act) {
  const least = leastField(meta, own, act);
  const score = () => meta.scores[own.badge ?? ''];
  const lines = el('dl', { class: 'wall-lines', hidden: true });
  const opens = { type: 'button', class: 'quiet', 'aria-expanded': 'false' };
  const open = el('button', { ...opens, onclick: () => tell(lines.hidden) }, 'more');
  const said = el('span');
  const about = el('div', { class: 'wall-about', hidden: true }, el('p', {}, said, ' ', open), lines);
  /** What the badge is in one line, and all that is known of it where that is asked for. */
  const tell = (all: boolean) => {
    const { label = '', definition = '', told = [] } = score() ?? {};
    said.textContent = `${label}, ${meta.about}: ${definition}`;
    lines.replaceChildren(...told.flatMap(([name, what]) => [el('dt', {}, name), el('dd', {}, what)]));
    lines.hidden = !all;
    open.setAttribute('aria-expanded', String(all));
    open.textContent = all ? 'less' : 'more';
    badge.title = definition;
    about.hidden = !definition;
  };
  const setOrder = (value: string) => {
    own.order = value as Order;
    act.sorted();
    act.settled();
  };
  const setBadge = (value: string) => {
    own.badge = value;
    tell(!lines.hidden);
    least.filter();
    act.settled();
  };
  const setTone = (value: string) => {
    own.tone = value as Tone;
    act.toned();
    act.settled();
  };
  const badges: [string, string][] = Object.entries(meta.scores).map(([name, { label }]) => [
    name,
    lowered(label),
  ]);
  const sort = field('sort', chooser(ORDERS, own.order, setOrder, 'Sort heads'));
  const name = 'Score of this sentence shown with each head';
  const badge = field('badge', chooser(badges, own.badge, setBadge, name));
  const colours = field('colour', chooser(TONES, tone, setTone, 'Colour scale'));
  if (!badges.length) return { above: [], below: [colours], about };
  tell(false);
  return { above: [sort, badge], about, below: [field('keep', least.slider, least.told), colours] };
}

function leastField(meta: WallMeta, own: Arranged, act: Act) {
  const label = 'Keep heads whose score is at least';
  const range = { type: 'range', min: 0, max: 100, value: 0, 'aria-label': label };
  const slider = el('input', { class: 'slider', ...range });
  const told = el('output', {}, 'all');
  /** Lowest and highest of the badge's score, 0 among them. */
  const bounds = () => {
    const values = (meta.scores[own.badge ?? '']?.values ?? []).filter((v) => v !== null);
    return [Math.min(...values, 0), Math.max(...values, 0)];
  };
  const tell = () => (told.textContent = own.least === null ? 'all' : `≥ ${minus(own.least.toFixed(2))}`);
  const filter = () => {
    const [low, high] = bounds();
    own.least = Number(slider.value) === 0 ? null : low + ((high - low) * Number(slider.value)) / 100;
    tell();
    act.filtered();
  };
  slider.addEventListener('input', filter);
  slider.addEventListener('change', act.settled);
  if (own.least !== null) {
    const [low, high] = bounds();
    slider.value = String(Math.round((100 * (own.least - low)) / (high - low || 1)));
    tell();
  }
  return { slider, told, filter };
}
