/* The larger picture of a head that is pointed at, with its largest weight and its scores. */

import type { Piece } from '../web/base/dom.ts';
import type { Host } from '../web/base/view.ts';
import type { WallData } from '../web/generated/types.ts';
import type { Sheet } from '../web/maps/sheet.ts';
import type { WallPicture } from './wall_drawing.ts';
import type { WallHeads } from './wall_heads.ts';
import { definitions, el, phrase, say } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { lengthWords, lowered, spokenPercent } from '../web/base/words.ts';
import { focusOn } from '../web/maps/selection.ts';
import { rowWords, strongly, verbOf } from '../web/maps/sentence.ts';
import { WEIGHT_OF_BYTE } from '../web/maps/sheet.ts';
import { heatGeometry } from '../web/marks/frames.ts';
import { heatmap } from '../web/marks/heatmap.ts';
import { paintMarks } from '../web/marks/pair.ts';
import { paintPixels } from '../web/marks/picture.ts';
import { writtenScore } from './wall_drawing.ts';

const SMALL = 20; // tokens a side that can be written beside the picture

/** Shows the larger picture beside the small one, on the side with room; on a slide, which has none, the wall stays whole. */
export function showPreview(wall: WallPicture & { tip: HTMLElement }, head: number) {
  const { tip, host } = wall;
  if ('slideRoom' in host.root.dataset) return;
  const { meta } = wall.heads;
  const most = el('p', { class: 'wall-most' });
  say(most, largest(meta, wall.heads.bytes(head)));
  const list = el('dl', { class: 'wall-scores' }, ...definitions(scores(wall.heads, head)));
  const picture = drawn(host, meta, wall.heads.pictures[head].sheet);
  tip.replaceChildren(
    el(
      'p',
      { class: 'wall-title' },
      wall.heads.layered ? wall.heads.nameOf(head) : tr('Head {name}', { name: wall.heads.nameOf(head) }),
    ),
    picture,
    most,
    list,
  );
  tip.hidden = false;
  const { u, w, room, height, at } = wall.layout;
  const { x, y } = at.get(head) ?? { x: 0, y: 0 };
  const right = x + w + 10 * u;
  const fitsRight = right + tip.offsetWidth <= room;
  const left = fitsRight ? right : Math.max(-4, x - tip.offsetWidth - 10 * u);
  const top = Math.max(0, Math.min(height - tip.offsetHeight, y - 20 * u));
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

/** Five scores of a head in words, starting with the one shown under it. */
function scores(heads: WallHeads, head: number): [string, string][] {
  const { badge } = heads.own;
  const names = [badge, ...Object.keys(heads.meta.scores).filter((name) => name !== badge)];
  return names
    .filter((name) => heads.score(head, name) !== null)
    .slice(0, 5)
    .map((name) => [lowered(heads.meta.scores[name].label), writtenScore(heads, head, name)]);
}

function drawn(host: Host, meta: WallData, sheet: Sheet) {
  const u = host.scale;
  const width = 250 * u;
  const canvas = el('canvas', { class: 'picture' });
  if (Math.max(...meta.shape) <= SMALL && meta.labelled) {
    const g = heatGeometry(sheet, width, 0.8 * u, { tall: 260, cap: 20 });
    paintMarks(
      canvasPainter(fitCanvas(canvas, width, g.height)),
      g,
      heatmap(sheet, focusOn(null), host.colours),
    );
  } else {
    const height = Math.min(260 * u, width * Math.max(0.5, meta.shape[0] / meta.shape[1]));
    const box = { x: 0, y: 0, w: width, h: height };
    paintPixels(canvasPainter(fitCanvas(canvas, width, height)), sheet, box, host.colours);
  }
  return canvas;
}

/** "Reads “le” → writes “chien”: 71 % at “dog”", of the largest cell. */
function largest(meta: WallData, level: Uint8Array): Piece[] {
  const [rows, cols] = meta.shape;
  let best = 0;
  for (let n = 0; n < Math.min(meta.written, rows) * cols; n++) if (level[n] > level[best]) best = n;
  const row = Math.floor(best / cols);
  const key = strongly(meta.cols[best % cols]);
  const words = rowWords(meta.rows[row], { verb: verbOf(meta.kind, meta.one_label), read: meta.reads[row] });
  const { unit, top } = meta.quantity ?? { unit: 'share', top: 1 };
  const number = WEIGHT_OF_BYTE[level[best]];
  const written = unit === 'length' ? lengthWords(number * top) : spokenPercent(number);
  if (!meta.labelled) return phrase(tr('Largest weight: {share}'), { share: { strong: written } });
  return phrase(tr('{row}: {share} at {key}'), { row: words, share: { strong: written }, key });
}
