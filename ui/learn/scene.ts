/* The picture of a lesson's step: rows of a head as a map, and below it the same weights as lines between source and
   written words; map and lines share the row of source words. The last row stays covered until the reader has chosen:
   its weights are not there yet. Where the words do not fit side by side the lines run from left to right, without map. */

import type { Host, View } from '../web/base/view.ts';
import type { SceneData } from '../web/generated/types.ts';
import type { Across, Size } from './scene_drawing.ts';
import { definitions, el } from '../web/base/dom.ts';
import { tr } from '../web/base/language.ts';
import { svgElement } from '../web/base/paint.ts';
import { CardView, setKind, viewOf } from '../web/base/view.ts';
import { ScenePen, drawAlong, drawLines, drawRows, drawSource, width } from './scene_drawing.ts';
import './scene.css';

const TYPE = 18; // CSS pixels of the words, at least
const ROW = 44; // CSS pixels of a row of the map, at most

class Scene extends CardView implements View<SceneData> {
  data!: SceneData;
  chip = el('span', { class: 'scene-chip' });
  known = el('dl', { class: 'scene-known' });
  picture = svgElement('svg', { class: 'scene-picture', role: 'img' }) as SVGSVGElement;

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'scene');
    this.parts.node.dataset.slideMost = '1.6';
    this.parts.body.append(this.known, this.picture, this.chip);
    this.parts.node.append(this.parts.readout);
  }

  update(next: SceneData) {
    this.data = next;
    setKind(this.host, next.kind);
    this.parts.tell(next);
    this.parts.readout.hidden = !next.readout;
    this.chip.textContent = tr('Covered until you choose');
    this.known.replaceChildren(...definitions(next.known, { dir: 'auto' }));
    this.relayout();
  }

  relayout() {
    const { data, parts, host, picture } = this;
    const { body } = parts;
    const size = Math.max(TYPE, 15 * host.scale);
    picture.replaceChildren();
    const room = Number(host.root.dataset.slideRoom ?? 0) * host.scale || 520;
    const whole = data.rows.length === 0;
    body.classList.toggle('scene-whole', whole && data.covered);
    const box = { width: body.clientWidth, height: Math.max(120, Math.min(room, 620)) };
    if (whole) {
      Object.assign(this.picture.style, { height: '0px' });
      this.chip.hidden = !data.covered;
      return;
    }
    picture.style.height = `${box.height}px`;
    picture.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
    picture.setAttribute('aria-label', `${data.title}. ${data.readout}`);
    for (const type of [size, TYPE]) {
      const label = Math.max(...data.rows.map((row) => width(`${row.read} → ${row.written}`, type)));
      const column = (box.width - label - 16) / data.keys.length;
      const widths = data.keys.map((key) => width(key, type));
      const apart = widths.every((each, n) => !n || (widths[n - 1] + each) / 2 + 8 <= column);
      if (apart && column >= 40) {
        const pen = new ScenePen(picture, host, data, type);
        return this.across(pen, { ...box, left: label + 16, column });
      }
    }
    this.along(new ScenePen(picture, host, data, size), box);
  }

  /** Map above, the row of source words, lines to the written words below. */
  across(pen: ScenePen, g: Across) {
    const { data } = this;
    const [count, words] = [data.rows.length, pen.size * 4.4];
    const lines = Math.max(90, g.height - count * ROW - words);
    const pitch = Math.min(ROW, (g.height - lines - words) / count);
    const covered = drawRows(pen, pitch, g);
    this.chip.hidden = covered === null;
    if (covered !== null) {
      this.chip.style.left = `${g.left + (g.width - g.left) / 2}px`;
      this.chip.style.top = `${covered}px`;
    }
    const source = count * pitch + pen.size * 1.2;
    drawSource(pen, source, g);
    drawLines(pen, source, g);
  }

  along(pen: ScenePen, { width: wide, height }: Size) {
    const { data } = this;
    const most = Math.max(data.keys.length, data.rows.length);
    const tall = Math.max(height, most * pen.size * 1.35);
    this.picture.style.height = `${tall}px`;
    this.picture.setAttribute('viewBox', `0 0 ${wide} ${tall}`);
    drawAlong(pen, { width: wide, height: tall }, tall / most);
    this.chip.hidden = true;
  }
}

export default viewOf(Scene);
