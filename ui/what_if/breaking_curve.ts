/* The probability of a word by the number of ablated heads, as a curve. */

import type { Painter } from '../web/base/paint.ts';
import type { Breaking } from './breaking.ts';
import { fixed, tr } from '../web/base/language.ts';
import { typeSize } from '../web/base/paint.ts';

/** The curve in `width` pixels, with the number of heads at which the text changes and the one shown. */
export function paintCurve(p: Painter, view: Breaking, width: number) {
  const { scale: u, colours: c } = view.host;
  const { steps, breaks, kind, word } = view.data;
  const size = typeSize(13, u);
  const [left, right, top, bottom] = [52 * u, 20 * u, 18 * u, 30 * u];
  const [w, h] = [width - left - right, view.curveHeight - top - bottom];
  const x = (n: number) => left + (w * n) / Math.max(1, view.last);
  const y = (share: number) => top + h * (1 - share);
  for (const share of [0, 0.5, 1]) {
    p.path(`M${left} ${y(share)}H${left + w}`, { stroke: c.line, width: 1 });
    p.text(left - 8 * u, y(share), `${100 * share} %`, {
      size,
      fill: c.muted,
      align: 'right',
      baseline: 'middle',
    });
  }
  const every = Math.max(1, Math.ceil(view.last / Math.max(1, Math.floor(w / (44 * u)))));
  for (let n = 0; n <= view.last; n += every) {
    p.text(x(n), top + h + 20 * u, String(n), { size, fill: c.muted, align: 'center' });
  }
  if (breaks !== null) {
    p.path(`M${x(breaks)} ${top - 4 * u}V${top + h}`, {
      stroke: c.positive,
      width: 1.6 * u,
      dash: [5 * u, 4 * u],
    });
    const words = tr('the text changes');
    const late = breaks > view.last / 2;
    p.text(x(breaks) + (late ? -6 : 6) * u, top + 6 * u, words, {
      size,
      fill: c.positive,
      align: late ? 'right' : 'left',
    });
  }
  const points = steps.map(({ heads, probability }) => `${x(heads)} ${y(probability)}`);
  p.path(`M${points.join('L')}`, { stroke: c[kind], width: 2.2 * u });
  const { heads, probability } = steps[view.at];
  p.circle(x(heads), y(probability), 6 * u, { fill: c[kind], stroke: c.panel, width: 2 * u });
  const share = `“${word}” ${probability < 0.0095 ? fixed(100 * probability, 1) : Math.round(100 * probability)} %`;
  // A falling curve leaves room below at the left, and above at the right of its foot.
  const foot = probability < 0.2;
  const beside = !foot && x(heads) > left + 150 * u;
  const level = y(probability) + (foot ? -12 : 24) * u;
  const pen = { size, weight: 650, fill: c.ink, align: beside ? 'right' : 'left' } as const;
  const end = foot && x(heads) > left + w - 130 * u;
  p.text(x(heads) + (beside ? -6 : 6) * u, level, share, end ? { ...pen, align: 'right' } : pen);
}
