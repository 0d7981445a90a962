/* How the reader arranges the wall: sort, badge, least score, colours. */

import { el } from '../base/dom.js';
import { chooser, field } from '../base/export.js';
import { minus } from '../maps/picture.js';

const ORDERS = [['model', 'as in the model'], ['high', 'highest first'], ['low', 'lowest first']];
const TONES = [['weight', 'weight'], ['log', 'logarithmic'], ['each', 'per head']];

/** The fields above the wall and below it. They set `own` and call `act.sorted`, `act.filtered` or `act.toned`, and
    `act.settled` once the reader is done with one. */
export function wallControls(meta, own, tone, act) {
  const badges = Object.entries(meta.scores).map(([name, s]) => [name, s.label.toLowerCase()]);
  const least = el('input', { type: 'range', class: 'slider', min: 0, max: 100, value: 0, 'aria-label': 'Keep heads whose score is at least' });
  const told = el('output', {}, 'all');
  const range = () => {
    const values = meta.scores[own.badge].values.filter((v) => v !== null);
    return [Math.min(...values, 0), Math.max(...values, 0)];
  };
  const tellLeast = () => (told.textContent = own.least === null ? 'all' : `≥ ${minus(own.least.toFixed(2))}`);
  const filter = () => {
    const [low, high] = range();
    own.least = Number(least.value) === 0 ? null : low + ((high - low) * Number(least.value)) / 100;
    tellLeast();
    act.filtered();
  };
  least.addEventListener('input', filter);
  least.addEventListener('change', act.settled);
  const sort = chooser(ORDERS, own.order, (value) => { own.order = value; act.sorted(); act.settled(); }, 'Sort heads');
  const badge = chooser(badges, own.badge, (value) => { own.badge = value; filter(); act.settled(); }, 'Score shown with each head');
  const colours = chooser(TONES, tone, (value) => { own.tone = value; act.toned(); act.settled(); }, 'Colour scale');
  if (own.least !== null) {
    const [low, high] = range();
    least.value = Math.round((100 * (own.least - low)) / (high - low || 1));
    tellLeast();
  }
  return {
    above: badges.length ? [field('sort', sort), field('badge', badge)] : [],
    below: [...(badges.length ? [field('keep', least, told)] : []), field('colour', colours)],
  };
}
