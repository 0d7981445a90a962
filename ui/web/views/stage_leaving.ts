/* How the stage leaves the page: its lines or its map with title, legend and sentence, and the bars of the next word. */

import type { Leaving } from '../base/export.ts';
import type { Stage } from './stage.ts';
import { plain } from '../base/dom.ts';
import { csvNumber } from '../base/export.ts';
import { shifted } from '../base/paint.ts';
import { paintWords } from '../base/text.ts';
import { TABLE_HEAD, tableOf } from '../maps/sheet.ts';
import { paintLegend } from '../marks/legend.ts';
import { stageSentence, stageTitle } from './stage_words.ts';

/** Lines or map with title, legend and sentence, and the map's numbers. */
export function stageLeaving(stage: Stage, which: 'lines' | 'map'): Leaving {
  const part = () => stage[which].picture;
  const room = () => Math.max(part().size()[0], 480 * stage.host.scale);
  return {
    name: () =>
      `${stage.place.data.kind}-${which}${stage.place.shares() ? '-alti' : ''}-step-${stage.place.position}`,
    who: () => (stage.place.shares() ? 'ALTI+' : stage.place.subject()),
    size: () => [room(), part().size()[1] + 112 * stage.host.scale],
    draw: (p) => {
      const u = stage.host.scale;
      const c = stage.host.colours;
      const bottom = part().size()[1] + 36 * u;
      p.text(2, 18 * u, plain(stageTitle(stage)), { size: 16 * u, weight: 650, fill: c.ink });
      part().draw(shifted(p, 0, 30 * u));
      paintWords(p, plain(stageSentence(stage)), room(), bottom + 14 * u, u, c.ink);
      if (which === 'map') paintLegend(p, 2, bottom + 42 * u, u, stage.map.legend(), c);
    },
    rows: () => [TABLE_HEAD, ...tableOf(stage.frame.sheet, csvNumber)],
  };
}

export function barsLeaving(stage: Stage): Leaving {
  const name = () => `next-word-step-${stage.place.position}`;
  const bars = () => stage.bars.leaving;
  return { name, size: () => bars().size(), draw: (p) => bars().draw(p), rows: () => bars().rows() };
}
