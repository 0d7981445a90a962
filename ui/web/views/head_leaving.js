/* The open heads as they leave the page: one picture of lines, map and words, and the table of their numbers. */

import { shifted, wrapText } from '../maps/picture.js';

export const AXES = 'attending (query) ↓   attended (key) →';

export function headLeaving(host, open, drawing, geometry) {
  const plain = () => open.sentence().map((part) => (typeof part === 'string' ? part : part.strong ?? part.kind ?? '')).join('');
  const size = () => {
    const { lines: l, heat: h, wide, room, u } = geometry;
    const body = wide ? Math.max(l.height, h.height + 18 * u) : l.height + 14 * u + h.height + 18 * u;
    return [Math.max(room, h.width), 52 * u + body + 80 * u];
  };
  const draw = (p) => {
    const { lines: l, heat: h, wide, room, u, left } = geometry;
    const c = host.colours;
    p.text(2, 18 * u, [open.meta.title, open.meta.tag].filter(Boolean).join(' · '), { size: 16 * u, weight: 650, fill: c.ink });
    p.text(2, 37 * u, open.meta.subtitle, { size: 12.5 * u, fill: c.muted });
    drawing.paintAllLines(shifted(p, 0, 52 * u), l, c);
    const [x, y] = wide ? [left + 24 * u, 52 * u] : [0, 52 * u + l.height + 14 * u];
    p.text(x + 2, y + 10 * u, AXES, { size: 12 * u, fill: c.muted });
    drawing.paintMap(shifted(p, x, y + 18 * u), h, c);
    const bottom = 52 * u + (wide ? Math.max(l.height, h.height + 18 * u) : l.height + 14 * u + h.height + 18 * u) + 8 * u;
    wrapText(plain(), room - 8, 13 * u).slice(0, 2).forEach((line, n) => p.text(2, bottom + (12 + 17 * n) * u, line, { size: 13 * u, fill: c.ink }));
    drawing.paintFoot(p, bottom + 36 * u, c);
  };
  const table = () => {
    const several = open.maps.length > 1;
    const head = ['query_position', 'query', 'key_position', 'key', 'value'];
    const rows = [several ? ['head', ...head] : head];
    for (const k of open.visibleHeads()) for (let i = 0; i < open.meta.written; i++) for (let j = 0; j < open.meta.cols.length; j++) {
      const v = open.value(k, i, j);
      const row = [i, open.meta.rows[i], j, open.meta.cols[j], Number.isFinite(v) ? Number(v.toPrecision(9)) : ''];
      rows.push(several ? [open.meta.heads[k].name, ...row] : row);
    }
    return rows;
  };
  return { size, draw, table };
}
