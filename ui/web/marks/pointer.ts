/* Pointer and keys on a picture of a map: hover, click to pin, drag to look closer, arrows from cell to cell. */

import type { Point } from '../base/paint.ts';
import type { Cell } from '../maps/selection.ts';
import { within } from '../base/words.ts';

const STEPS: Record<string, [number, number]> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};
/** The four arrow keys of a page, for `pageKeys`: how far down and to the right each goes. */
export const arrowKeys = (go: (down: number, right: number) => unknown) =>
  Object.fromEntries(Object.entries(STEPS).map(([key, way]) => [key, () => go(...way)]));

const DRAG = 7; // pixels before a press becomes a drag

/**
 * How a picture answers. `hit` says what is under a point; `hover` and `pin` get it; `cell` is where the arrow keys
 * start and `size` how many rows and columns they walk; `drag` may look closer at what lies between two points, `band`
 * shows them while dragging. `dragging` is told of every move before that, and `dropped` when nothing comes of it.
 */
export interface Answers {
  hit(x: number, y: number): Cell | null;
  hover(at: Cell | null, event?: PointerEvent): void;
  pin(at: Cell | null, point: Point): void;
  cell(): Cell;
  size(): [number, number];
  drags?(): boolean;
  drag?(from: Point, to: Point): void;
  band?: HTMLElement;
  dragging?(from: Point, to: Point): void;
  dropped?(): void;
}

export function pointIn(event: MouseEvent, node: HTMLElement): Point {
  const box = node.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

export function listenToMap(node: HTMLCanvasElement, answers: Answers) {
  node.addEventListener('keydown', (event) => walk(event, answers));
  node.addEventListener('blur', () => answers.hover(null));
  listenToPointer(node, answers);
}

function listenToPointer(node: HTMLCanvasElement, answers: Answers) {
  let down: Point | null = null;
  /** @returns where the drag began, or null when there is none */
  const draggedFrom = ([x, y]: Point): Point | null =>
    down && answers.drags?.() && Math.hypot(x - down[0], y - down[1]) > DRAG ? down : null;
  const letGo = () => {
    down = null;
    if (answers.band) answers.band.hidden = true;
  };
  node.addEventListener('pointermove', (event) => {
    const to = pointIn(event, node);
    const from = draggedFrom(to);
    if (from && answers.dragging) return answers.dragging(from, to);
    if (from && answers.band) return showBand(answers.band, node, from, to);
    const at = answers.hit(...to);
    node.style.cursor = at ? 'pointer' : 'default';
    answers.hover(at, event);
  });
  node.addEventListener('pointerleave', () => {
    if (!down) answers.hover(null);
  });
  node.addEventListener('pointerdown', (event) => {
    down = pointIn(event, node);
    if (answers.drags) node.setPointerCapture(event.pointerId);
  });
  node.addEventListener('pointercancel', () => {
    letGo();
    answers.dropped?.();
  });
  node.addEventListener('pointerup', (event) => {
    const to = pointIn(event, node);
    const from = draggedFrom(to);
    letGo();
    if (from) answers.drag?.(from, to);
    else answers.pin(answers.hit(...to), to);
  });
}

function showBand(band: HTMLElement, node: HTMLElement, from: Point, to: Point) {
  const [left, width] = [Math.min(from[0], to[0]) + node.offsetLeft, Math.abs(from[0] - to[0])];
  const [top, height] = [Math.min(from[1], to[1]) + node.offsetTop, Math.abs(from[1] - to[1])];
  band.hidden = false;
  band.style.cssText = `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
}

/** Arrows move from cell to cell, Enter and Space pin. */
function walk(event: KeyboardEvent, { hover, pin, cell, size }: Answers) {
  const step = STEPS[event.key];
  const [rows, cols] = size();
  if (step && rows && cols) {
    const now = cell();
    const row = within(0, (now.row ?? 0) + step[0], rows - 1);
    const sideways = step[1] ? 0 : undefined;
    const col = now.col === undefined ? sideways : within(0, now.col + step[1], cols - 1);
    hover(col === undefined ? { row } : { row, col });
  } else if (event.key === 'Enter' || event.key === ' ') pin(cell(), [0, 0]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
