/* Pointer and keys on the two pictures: hover, click to pin, drag to look closer, arrows from cell to cell. */

/** Makes the canvases `lines` and `heat` answer; `on` says with what: hover(at), pin(at), zoom(part). */
export function headPointer(own, open, geometry, band, { lines, heat }, { hover, pin, zoom }) {
  const point = (event, node) => {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const listen = (node, which) => {
    let down = null;
    const dragging = (x, y) => down && which === 'heat' && Math.hypot(x - down[0], y - down[1]) > 7 && Math.max(open.meta.rows.length, open.meta.cols.length) > 24;
    node.addEventListener('pointermove', (event) => {
      const [x, y] = point(event, node);
      if (dragging(x, y)) {
        const place = [Math.min(x, down[0]), Math.min(y, down[1]), Math.abs(x - down[0]), Math.abs(y - down[1])];
        band.hidden = false;
        band.style.cssText = `left:${place[0] + node.offsetLeft}px;top:${place[1] + node.offsetTop}px;width:${place[2]}px;height:${place[3]}px`;
        return;
      }
      const at = geometry[which].hit(x, y);
      node.style.cursor = at ? 'pointer' : 'default';
      hover(at);
    });
    node.addEventListener('pointerleave', () => { if (!down) hover(null); });
    node.addEventListener('pointerdown', (event) => { down = point(event, node); if (which === 'heat') node.setPointerCapture(event.pointerId); });
    node.addEventListener('pointercancel', () => { down = null; band.hidden = true; });
    node.addEventListener('pointerup', (event) => {
      const [x, y] = point(event, node);
      const [from, was] = [down, dragging(x, y)];
      down = null;
      band.hidden = true;
      if (!was) return pin(geometry[which].hit(x, y));
      const g = geometry.heat;
      const edge = (v, start, step, low, high) => Math.max(low, Math.min(high - 1, Math.floor((v - start) / step) + low));
      const [ra, rb] = [from[1], y].map((v) => edge(v, g.box.y, g.ch, g.r0, g.r1)).sort((a, b) => a - b);
      const [ca, cb] = [from[0], x].map((v) => edge(v, g.box.x, g.cw, g.c0, g.c1)).sort((a, b) => a - b);
      own.hover = null;
      if (rb > ra && cb > ca) zoom([ra, rb + 1, ca, cb + 1]);
    });
    node.addEventListener('keydown', (event) => {
      const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
      if (step) {
        const now = own.hover ?? { row: [...own.rows][0] ?? open.fallback() };
        const row = Math.max(0, Math.min(open.meta.written - 1, (now.row ?? 0) + step[0]));
        const col = now.col === undefined ? (step[1] ? 0 : undefined) : Math.max(0, Math.min(open.meta.cols.length - 1, now.col + step[1]));
        hover(col === undefined ? { row } : { row, col });
      } else if (event.key === 'Enter' || event.key === ' ') pin(own.hover ?? { row: open.fallback() });
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    node.addEventListener('blur', () => hover(null));
  };
  listen(lines, 'lines');
  listen(heat, 'heat');
}
