/* One attention weight, computed step by step: opens Inside with the answer to “why does canapé look 96 % at sofa?”. */

import type { Leaving } from '../web/marks/leaving.ts';
import type { Host } from '../web/base/view.ts';
import type { AnswerData } from '../web/generated/types.ts';
import type { Spot } from './answer_pens.ts';
import { el, plain } from '../web/base/dom.ts';
import { exportMenu } from '../web/marks/leaving.ts';
import { tr } from '../web/base/language.ts';
import { canvasPainter, fitCanvas } from '../web/base/paint.ts';
import { CardView, setKind, viewOf } from '../web/base/view.ts';
import { visible } from '../web/base/words.ts';
import { pointIn } from '../web/marks/pointer.ts';
import { answerTable, inMarks, paintAnswer, tipOf } from './answer_drawing.ts';
import './answer.css';

export class Answer extends CardView {
  canvas = el('canvas', { class: 'picture answer-picture', role: 'img' });
  numbers = el('table');
  sent!: AnswerData;
  data!: AnswerData;
  spots: Spot[] = [];
  hovered: number | null = null;

  constructor(root: HTMLElement, host: Host) {
    super(root, host, 'answer');
    this.parts.body.append(this.canvas, el('div', { class: 'visually-hidden' }, this.numbers)); // a table alone would not shrink
    this.parts.controls.append(exportMenu(host, this.leaving()));
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => this.leave());
    this.canvas.addEventListener('click', (event) => this.click(event));
  }

  /** What lies under the pointer: the last mark drawn there. */
  spot(event: MouseEvent) {
    const [x, y] = pointIn(event, this.canvas);
    const under = this.spots.filter(
      ({ box }) => x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h,
    );
    return under[under.length - 1] as Spot | undefined;
  }

  point(event: PointerEvent) {
    const spot = this.spot(event);
    const [x, y] = pointIn(event, this.host.root);
    const words = spot ? tipOf(this.data, spot) : '';
    this.host.tip(words, x, y);
    this.canvas.style.cursor = words ? 'pointer' : 'default';
    this.hover(spot?.dimension ?? null);
  }

  leave() {
    this.host.tip('', 0, 0);
    this.hover(null);
  }

  hover(dimension: number | null) {
    if (dimension === this.hovered) return;
    this.hovered = dimension;
    this.relayout();
  }

  /** Another word is asked about, or a number's terms. */
  click(event: MouseEvent) {
    const spot = this.spot(event);
    if (!spot) return;
    const { row, column, lines, columns, chosen } = this.data;
    const ask = (name: string, i: number, j: number) =>
      this.host.trigger('asked', { card: name, cell: [i, j] });
    if (spot.dimension !== undefined) {
      if (spot.line === -1) ask('q_head', row, spot.dimension);
      else if (spot.line === -2) ask('k_head', column, spot.dimension);
      else ask('products', row, column);
      return;
    }
    const line = lines[spot.line ?? -1];
    if (!line || line.key === null) return;
    if (spot.line !== chosen) this.host.trigger('column', line.key);
    else if (spot.column !== undefined) ask(columns[spot.column].card, row, column);
  }

  update(sent: AnswerData) {
    const data = inMarks(sent);
    this.sent = sent;
    this.data = data;
    setKind(this.host, data.kind);
    this.parts.tell(data);
    const head = el(
      'tr',
      {},
      el('th', { scope: 'col' }, tr('token')),
      ...data.columns.map(({ name }) => el('th', { scope: 'col' }, name)),
    );
    const rows = data.lines.map(({ label, cells }) =>
      el('tr', {}, el('th', { scope: 'row' }, visible(label)), ...cells.map((each) => el('td', {}, each))),
    );
    this.numbers.replaceChildren(head, ...rows);
    this.canvas.setAttribute('aria-label', `${plain(data.title)} ${data.subtitle}`);
    this.relayout();
  }

  relayout() {
    const room = this.parts.body.clientWidth;
    const { scale: u, colours: c } = this.host;
    const short = this.short();
    const { height, spots } = paintAnswer(null, this.data, room, u, c, null, short);
    this.spots = spots;
    const painter = canvasPainter(fitCanvas(this.canvas, room, height));
    paintAnswer(painter, this.data, room, u, c, this.hovered, short);
  }

  /** How much is left out on a slide that lacks the room for all of it. */
  short() {
    const share =
      (Number(this.host.root.dataset.slideRoom ?? Infinity) * this.host.scale) / window.innerHeight;
    return share > 0.99 ? 0 : share > 0.6 ? 1 : 2;
  }

  leaving(): Leaving {
    const u = () => this.host.scale;
    const room = () => Math.max(this.parts.body.clientWidth, 560 * u());
    const height = () => paintAnswer(null, this.data, room(), u(), this.host.colours).height;
    return {
      name: () => this.data.file,
      title: () => this.data.title,
      subtitle: () => this.data.subtitle,
      size: () => [room(), height()],
      draw: (p) => paintAnswer(p, this.data, room(), u(), this.host.colours),
      rows: () => answerTable(this.sent),
    };
  }
}

export default viewOf(Answer);
