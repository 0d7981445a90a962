/* A Transformer as two stacks of boxes, from the tokens up; choices that are not the paper's are marked with a dot. */

import type { Colours } from '../base/colour.ts';
import type { Leaving } from '../base/export.ts';
import type { Painter } from '../base/paint.ts';
import type { Host, Mounting } from '../base/view.ts';
import type { AnatomyMeta, Placed } from './anatomy_layout.ts';
import { mix } from '../base/colour.ts';
import { card, el, say } from '../base/dom.ts';
import { exportMenu } from '../base/export.ts';
import { canvasPainter, fitCanvas, shifted } from '../base/paint.ts';
import { shorten, typeSize } from '../base/text.ts';
import { mount } from '../base/view.ts';
import { LEGEND, anatomyLayout, anatomyRows, colourOf } from './anatomy_layout.ts';

const TINT = 0.1; // of a box's colour in its fill

function paintBox(p: Painter, box: Placed, u: number, c: Colours) {
  const colour = colourOf(box.kind, c);
  const { x, y, w, h } = box;
  p.rect(x, y, w, h, { fill: mix(c.panel, colour, TINT), stroke: colour, width: 1, radius: 8 * u });
  const pen = { size: typeSize(13, u), weight: 600, fill: c.ink, baseline: 'middle' } as const;
  p.text(x + 12 * u, y + 15 * u, shorten(box.name, w - 20 * u, typeSize(13, u), false), pen);
  box.lines.forEach(([words, differs], n) => {
    const at = y + (33 + 18 * n) * u;
    if (differs) p.circle(x + 16 * u, at, 4 * u, { fill: c.causal });
    const size = typeSize(12.5, u);
    const fill = differs ? c.causal_text : c.muted;
    p.text(x + 26 * u, at, shorten(words, w - 34 * u, size, false), {
      size,
      fill,
      weight: differs ? 600 : 400,
      baseline: 'middle',
    });
  });
}

/** The two stacks. */
export function paintAnatomy(p: Painter, meta: AnatomyMeta, room: number, u: number, c: Colours) {
  const g = anatomyLayout(meta, room, u);
  for (const group of g.groups) {
    const { x, y, w, h, words, differs } = group;
    p.rect(x, y, w, h, { fill: c.soft, radius: 12 * u });
    const fill = differs ? c.causal_text : c.muted;
    const size = typeSize(13, u);
    p.text(x + w - 10 * u, y + 15 * u, words, {
      size,
      fill,
      weight: 600,
      align: 'right',
      baseline: 'middle',
    });
  }
  for (const { x, y, words } of g.titles)
    p.text(x, y, words, { size: typeSize(14, u), weight: 650, fill: c.ink });
  for (const [x, from, to] of g.rises) {
    p.path(`M${x} ${from}V${to}`, { stroke: c.muted, width: 1.4 * u });
    p.path(`M${x - 3.5 * u} ${to + 4.5 * u}L${x} ${to}L${x + 3.5 * u} ${to + 4.5 * u}`, {
      stroke: c.muted,
      width: 1.4 * u,
    });
  }
  if (g.memory) p.path(g.memory, { stroke: c.cross, width: 1.8 * u });
  for (const box of g.boxes) paintBox(p, box, u, c);
  p.circle(6 * u, g.height - 12 * u, 4 * u, { fill: c.causal });
  p.text(16 * u, g.height - 12 * u, LEGEND, {
    size: typeSize(12.5, u),
    fill: c.muted,
    baseline: 'middle',
  });
  return g;
}

export class Anatomy {
  parts: ReturnType<typeof card>;
  canvas = el('canvas', { class: 'picture', role: 'img' });
  meta!: AnatomyMeta;

  constructor(
    root: HTMLElement,
    readonly host: Host,
  ) {
    this.parts = card(root);
    this.parts.body.append(this.canvas);
    this.parts.controls.append(exportMenu(host, this.leaving()));
  }

  leaving(): Leaving {
    const room = () => Math.max(this.parts.body.clientWidth, 600 * this.host.scale);
    const height = () => anatomyLayout(this.meta, room(), this.host.scale).height;
    return {
      name: () => this.meta.file,
      size: () => [room(), height() + 30 * this.host.scale],
      draw: (p) => {
        const { scale: u, colours: c } = this.host;
        p.text(2, 18 * u, this.meta.title, { size: 16 * u, weight: 650, fill: c.ink });
        paintAnatomy(shifted(p, 0, 30 * u), this.meta, room(), u, c);
      },
      rows: () => anatomyRows(this.meta),
    };
  }

  refresh() {
    const { scale: u, colours } = this.host;
    const room = this.parts.body.clientWidth;
    const { height } = anatomyLayout(this.meta, room, u);
    paintAnatomy(canvasPainter(fitCanvas(this.canvas, room, height)), this.meta, room, u, colours);
  }

  update({ meta }: { meta: AnatomyMeta }) {
    this.meta = meta;
    say(this.parts.title, [meta.title]);
    say(this.parts.subtitle, [meta.subtitle]);
    const told = anatomyRows(meta).filter((row) => row[3] === 1);
    this.canvas.setAttribute(
      'aria-label',
      `${meta.title}. Not the paper’s: ${told.map((row) => `${row[1]}: ${row[2]}`).join('; ') || 'nothing'}.`,
    );
    this.refresh();
  }

  relayout() {
    if (this.meta) this.refresh();
  }
}

export default function view(args: Mounting<{ meta: AnatomyMeta }>) {
  return mount(args, (root, host) => new Anatomy(root, host));
}
