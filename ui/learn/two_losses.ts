/* The training losses of two trainings as one curve each, on the page and leaving it. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Painter } from '../web/base/paint.ts';
import type { Host } from '../web/base/view.ts';
import type { TwoTrainingsData } from '../web/generated/types.ts';
import { csvNumber } from '../web/base/export.ts';
import { localised, tr } from '../web/base/language.ts';
import { AT_LEFT, AT_RIGHT, typeSize } from '../web/base/paint.ts';
import { exportWidth } from '../web/marks/leaving.ts';

export const TALL = 230; // pixels of the design that the losses take
const LEFT = 46; // and the numbers at their left

type Scale = (value: number) => number;

/** What is drawn: the losses, the index of the step whose maps are shown, and the canvas of the page. */
interface LossesPicture {
  host: Host;
  data: TwoTrainingsData;
  at: number;
  losses: HTMLCanvasElement;
}

/** The losses of both, in `width` pixels and `tall` ones of the design, with the step whose maps are shown. */
export function paintLosses(p: Painter, view: LossesPicture, width: number, tall = TALL) {
  const { loss_steps, steps, trainings } = view.data;
  const { colours: c, scale: u } = view.host;
  const box = {
    x: LEFT * u,
    y: 12 * u,
    w: width - (LEFT + 64) * u,
    h: (tall - 40) * u,
  };
  const logs = trainings.flatMap(({ losses }) => losses.map(Math.log10));
  const [high, low] = [Math.ceil(Math.max(...logs)), Math.floor(Math.min(...logs))];
  const x = (step: number) => box.x + (box.w * step) / loss_steps[loss_steps.length - 1];
  const y = (loss: number) => box.y + ((high - Math.log10(loss)) / (high - low)) * box.h;
  const size = typeSize(13, u);
  let above = -Infinity; // the lowest number written so far
  for (let power = high - 1; power >= low; power--) {
    const height = y(10 ** power);
    p.path(`M${box.x} ${height}h${box.w}`, { stroke: c.line, width: 1 });
    const look = { ...AT_RIGHT, size, fill: c.muted };
    if (height - above < 1.1 * size) continue;
    above = height;
    p.text(box.x - 8 * u, height, localised(String(10 ** power)), look);
  }
  for (const step of steps) {
    if (step === 50) continue; // its number would touch that of 0
    p.text(x(step), box.y + box.h + 18 * u, String(step), {
      size,
      align: 'center',
      fill: c.muted,
    });
  }
  const now = x(steps[view.at]);
  p.path(`M${now} ${box.y}v${box.h}`, { stroke: c.muted, width: u });
  paintLines(p, view, x, y);
}

/** A line for each training, named at its end. */
function paintLines(p: Painter, { data, host }: LossesPicture, x: Scale, y: Scale) {
  const { loss_steps, trainings } = data;
  const { colours: c, scale: u } = host;
  const ends = trainings.map(({ losses }) => y(losses[losses.length - 1]));
  const apart = Math.abs(ends[0] - ends[1]) < 18 * u ? 9 * u : 0;
  const right = x(loss_steps[loss_steps.length - 1]);
  trainings.forEach(({ losses, masked }, n) => {
    const stroke = masked ? c.ink : c.positive;
    const points = losses.map((loss, k) => `${x(loss_steps[k]).toFixed(1)} ${y(loss).toFixed(1)}`);
    p.path(`M${points.join('L')}`, { stroke, width: 2 * u });
    p.circle(right, ends[n], 4 * u, { fill: stroke });
    const height = ends[n] + (ends[n] < ends[1 - n] ? -apart : apart);
    const look = { ...AT_LEFT, size: typeSize(13, u), weight: 650, fill: stroke };
    p.text(right + 9 * u, height, masked ? tr('with') : tr('without'), look);
  });
}

/** The losses as they leave the page: the picture, and a line a step. */
export function lossesLeaving(view: LossesPicture): Leaving {
  const width = () => exportWidth(view.losses.clientWidth, view.host.scale);
  return {
    name: () => 'two-trainings',
    about: () => view.data.about,
    title: () => view.data.title,
    size: () => [width(), TALL * view.host.scale],
    draw: (p) => paintLosses(p, view, width()),
    rows: () => [
      ['step', 'loss_with_mask', 'loss_without_mask'],
      ...view.data.loss_steps.map((step, k) => [
        step,
        ...view.data.trainings.map(({ losses }) => csvNumber(losses[k])),
      ]),
    ],
  };
}
