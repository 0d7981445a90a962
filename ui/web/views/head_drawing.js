/* How the open heads are drawn: lines with their sums, the map, the legend. `p` is a painter, `g` a geometry, `c` colours. */

import { TOKENS } from '../base/tokens.js';
import { paintHeat } from '../maps/heatmap.js';
import { paintLineWords, paintLines } from '../maps/lines.js';
import { brief, minus, paintLegend, rampTable, shown, weightStops } from '../maps/picture.js';

export function headDrawing(host, own, open) {
  const worth = (v) => Math.abs(v) >= (open.meta.unit === 'share' || open.meta.unit === 'points' ? 0.05 : 0.2 * open.sheets[0].top);
  const paintShares = (p, g, c, focus) => {
    const seen = open.visibleHeads();
    const text = c[`${open.meta.kind}_text`];
    const side = (items, line, length, y, x, align, pitch) => {
      if (!items.size) return [];
      const sums = seen.map((k) => open.total(k, items, line, length));
      const peak = (n) => Math.max(...sums.map((s) => Math.abs(s[n])));
      const most = Array.from({ length }, (_, n) => n).filter((n) => worth(peak(n))).sort((a, b) => peak(b) - peak(a)).slice(0, 14);
      // A sum over several rows is no longer a share of one.
      const told = (v) => (items.size > 1 && open.meta.unit === 'share' ? v.toFixed(2) : shown(v, open.meta.unit).replace(' points', ''));
      const put = [];
      for (const n of most) {
        if (put.some((m) => Math.abs(m - n) * pitch < 14 * g.u)) continue;
        put.push(n);
        if (seen.length === 1) {
          p.text(x, y(n), told(sums[0][n]), { size: 12.5 * g.u, align, baseline: 'middle', fill: text });
          continue;
        }
        // One small bar a head, and the number of the longest.
        const number = told(sums.reduce((a, b) => (Math.abs(b[n]) > Math.abs(a) ? b[n] : a), 0));
        p.text(align === 'right' ? x - 46 * g.u : x + 46 * g.u, y(n), number, { size: 12 * g.u, align, baseline: 'middle', fill: c.muted });
        const tall = Math.min(4 * g.u, (Math.min(pitch, 22 * g.u) - 2) / seen.length);
        seen.forEach((k, m) => {
          const w = Math.max(1, Math.min(1, Math.abs(sums[m][n]) / (open.sheets[0].top * items.size)) * 40 * g.u);
          p.rect(align === 'right' ? x - w : x, y(n) + (m - seen.length / 2) * tall, w, tall * 0.85, { fill: open.hueOf(k) });
        });
      }
      return put;
    };
    const put = side(focus.rows, open.rowOf, open.meta.cols.length, g.z, g.width - 2, 'right', g.colPitch);
    if (!focus.rows.size) side(focus.cols, open.colOf, open.meta.written, g.y, 2, 'left', g.rowPitch);
    return put;
  };
  const paintAllLines = (p, g, c) => {
    const { rows, cols, cell } = open.active();
    const seen = open.visibleHeads();
    const focus = { rows, cols: cell ? new Set() : cols, named: cell ? [...cols] : [] };
    seen.forEach((k, m) => paintLines(p, open.sheets[k], g, focus, {
      hue: (v) => (!open.signed() || open.sheets[k].scale === 'range' ? open.hueOf(k) : seen.length > 1 ? open.hueOf(k) : v >= 0 ? c.positive : c.negative),
      threshold: own.threshold, top: open.sheets[k].top, shift: (m - (seen.length - 1) / 2) * Math.min(2.2 * g.u, g.rowPitch / (seen.length + 1)), faint: 1 / Math.sqrt(seen.length),
    }));
    focus.named = [...focus.named, ...paintShares(p, g, c, focus)];
    paintLineWords(p, open.combined, g, focus, c, open.meta.kind);
  };
  const paintMap = (p, g, c) => {
    const { rows, cols, cell } = open.active();
    paintHeat(p, open.combined, g, { rows, cols: cell || cols.size ? cols : new Set() }, c, p.blob ? null : open.cache);
  };
  const legendStops = () => {
    const { scale, top, low } = open.sheets[0];
    const unit = open.meta.unit === 'points' ? (v) => brief(v, 'points') : (v) => minus(v.toFixed(1));
    if (scale === 'diverging') return [[0, unit(-top)], [127.5, '0'], [255, unit(top)]];
    if (scale === 'range') return [[0, unit(low)], [255, unit(top)]];
    return weightStops(scale, open.meta.cols.length);
  };
  const legendWords = () => {
    if (open.visibleHeads().length > 1) return 'each cell: the strongest head shown';
    if (open.meta.unit === 'points') return 'difference in percentage points';
    if (open.meta.unit === 'number') return 'score before the softmax';
    return own.log ? 'logarithmic' : `colour = ${open.meta.mode === 'contribution' ? 'share' : 'weight'}^${TOKENS.gamma}`;
  };
  const paintFoot = (p, y, c) => paintLegend(p, 2, y + 3, host.scale, open.visibleHeads().length > 1 ? rampTable(c.panel, c.ink) : open.combined.table, legendStops(), legendWords(), c);
  return { paintAllLines, paintMap, paintFoot, legendWords };
}
