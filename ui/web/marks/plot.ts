/* A picture is a list of marks on one frame: the frame says where things stand, each mark draws one thing there. The same
   list is drawn on the page and into the file that leaves it. */

import type { Painter } from '../base/paint.ts';
import type { Cell } from '../maps/selection.ts';
import type { Answers } from './pointer.ts';
import { canvasPainter, fitCanvas } from '../base/paint.ts';
import { listenToMap } from './pointer.ts';

/** How large a picture is, in CSS pixels; what else a frame holds is between it and its marks. */
interface Sized {
  width: number;
  height: number;
}

/** Draws one thing on a frame. */
export type Mark<Frame> = (p: Painter, frame: Frame) => void;

/** Draws the marks, the first undermost. */
export function paintMarks<Frame>(p: Painter, frame: Frame, marks: Mark<Frame>[]) {
  for (const mark of marks) mark(p, frame);
}

/** Marks on a canvas of the page, where the pointer finds what stands under it. */
export class Plot<Frame extends Sized> {
  frame!: Frame;

  /** @param marks asked for anew at every drawing */
  constructor(
    readonly node: HTMLCanvasElement,
    readonly marks: () => Mark<Frame>[],
  ) {}

  paint(p: Painter) {
    paintMarks(p, this.frame, this.marks());
  }

  draw() {
    this.paint(canvasPainter(fitCanvas(this.node, this.frame.width, this.frame.height)));
  }

  /** @param hit what stands at a point of the frame */
  listen(hit: (frame: Frame, x: number, y: number) => Cell | null, answers: Omit<Answers, 'hit'>) {
    listenToMap(this.node, { ...answers, hit: (x, y) => this.frame && hit(this.frame, x, y) });
  }
}
