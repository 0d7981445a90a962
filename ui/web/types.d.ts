/** What the modules hand to one another. Types only: nothing of this file reaches the browser. */

import type { TOKENS } from './base/tokens.js';

export type Kind = 'encoder' | 'causal' | 'cross';
export type Colours = typeof TOKENS.light;
export type Point = [number, number];
/** First row, row after the last, first column, column after the last. */
export type Area = [number, number, number, number];

/* ---------- drawing ---------- */

export interface Pen {
  fill?: string | null;
  stroke?: string | null;
  width?: number;
  alpha?: number;
  dash?: number[];
  radius?: number;
}

export interface TextPen extends Pen {
  size?: number;
  weight?: number;
  mono?: boolean;
  align?: CanvasTextAlign;
  baseline?: CanvasTextBaseline;
  /** Degrees, clockwise. */
  rotate?: number;
}

/** Draws on a canvas or into an SVG document, in CSS pixels. */
export interface Painter {
  rect(x: number, y: number, w: number, h: number, pen: Pen): void;
  circle(x: number, y: number, r: number, pen: Pen): void;
  curve(a: Point, b: Point, c: Point, d: Point, pen: Pen): void;
  path(d: string, pen: Pen): void;
  image(x: number, y: number, w: number, h: number, canvas: HTMLCanvasElement): void;
  text(x: number, y: number, words: string, pen?: TextPen): void;
  /** The finished file; only a painter of SVG has it. */
  blob?: () => Blob;
  /** The document itself, to put more into. */
  svg?: SVGElement;
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/* ---------- views ---------- */

/** Rich text without HTML. */
export type Part = string | { strong: string } | { kind: string } | { muted: string };

/** What a view is given: where it stands, its colours, and the way to Python. */
export interface Host {
  root: HTMLElement;
  /** Aborted when the view is taken down. */
  signal: AbortSignal;
  /** CSS pixels in one pixel of the design: 1, or more in presenter mode. */
  scale: number;
  theme: 'light' | 'dark';
  colours: Colours;
  tip(words: string | Part[], x: number, y: number): void;
  /** Set for one run of Python, or until it changes. */
  trigger(name: string, value: unknown): void;
  state(name: string, value: unknown): void;
}

export interface View<Data> {
  update(data: Data): void;
  relayout?(): void;
  destroy?(): void;
}

/** What Streamlit calls a component with. */
export interface Mounting<Data> {
  parentElement: HTMLElement;
  data: Data;
  setTriggerValue(name: string, value: unknown): void;
  setStateValue(name: string, value: unknown): void;
}

/** An Arrow table with one column, as Streamlit hands over an array. */
export interface ArrowColumn {
  getChildAt?(index: number): { toArray(): Numbers } | null;
}
export type Numbers = Float32Array | Float64Array | Uint8Array | Uint16Array;

/** A picture and a table of numbers, as the menu of a view offers them. */
export interface Leaving {
  name(): string;
  /** The heads that are drawn, where the title does not name them. */
  who?(): string;
  /** The sentence and the model, where they are not those of the page. */
  about?(): string;
  size(): [number, number];
  draw(painter: Painter): void;
  rows(): (string | number)[][];
}

/* ---------- maps ---------- */

export type Unit = 'share' | 'points' | 'number' | 'length';
export type Scale = 'weight' | 'log' | 'diverging' | 'range';

/** One map ready to draw. Rows from `written` on are drawn empty. */
export interface Sheet {
  rows: string[];
  cols: string[];
  written: number;
  /** The number of a cell; NaN where attending is not allowed. */
  at(i: number, j: number): number;
  /** Position in `table` of each cell, row by row; −1 where attending is not allowed. */
  index: Int16Array;
  table: string[];
  /** The position of "nothing". */
  neutral: number;
  unit: Unit;
  /** What each row gave to tokens that were taken out; null when none were. */
  hidden?: number[] | null;
  /** Rows with too little left beside their hidden tokens. */
  empty?: boolean[];
  /** Whether numbers stand in the cells; they do unless this is false. */
  digits?: boolean;
  /** Keep room for the column of hidden shares, to stand beside a map that has one. */
  aside?: boolean;
}

/** A row, a column, or, with both, a cell. */
export interface Cell {
  row?: number;
  col?: number;
}

/** What stands out in a picture. */
export interface Focus {
  rows: Set<number>;
  cols: Set<number>;
  /** The row of the step just made, outlined in the kind's colour, and how much of it has faded in. */
  current?: { row: number; colour: string; share: number };
}

/** Of a picture that is kept between two drawings. */
export interface Cache {
  id?: string;
  made?: HTMLCanvasElement;
}

export type Mode = 'weights' | 'scores' | 'masked' | 'difference' | 'contribution' | 'length';

/** What maps hold in place of weights (ui/components/quantity.py). */
export interface Quantity {
  name: string;
  unit: 'share' | 'length';
  /** The number in full colour. */
  top: number;
  /** Names of the pictures, where they are layers, and of the lines they stand in. */
  pictures: string[];
  rows: string[];
  /** The last column is no token but the rest. */
  aside: boolean;
}

/** How a row is told: "Writing …, head 2.3 looked …". */
export interface How {
  verb: string;
  subject: string;
  mode: Mode;
  /** Rows sum to 1. */
  distribution?: boolean;
  /** The row's share on tokens that were taken out; null when none were. */
  hidden?: number | null;
}
