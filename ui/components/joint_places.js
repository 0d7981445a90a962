/* Where everything in the joint view goes: words in two rows while they fit, else in two columns. */

const MAPS = ['encoder', 'cross', 'causal'];

/** The drawing of `source` and `target` labels in a room this wide. "Along" is the way words follow each other,
    "side" the other way: `s`, `t` are places along, `sEdges`, `tEdges` the sides where the arcs of a word start. */
function jointPlaces(source, target, room, u) {
  const size = 14.5 * u;
  const widths = (labels, most) => labels.map((label) => Math.min(most, textWidth(visible(label), size)));
  const [ws, wt] = [widths(source, 170 * u), widths(target, 170 * u)];
  const fits = [ws, wt].every((row) => rowLength(row, 12 * u) <= room);
  return fits ? inRows(source, target, spreadWords(ws, room, 12 * u), spreadWords(wt, room, 12 * u), room, u, size) : inColumns(source, target, room, u);
}

function inRows(source, target, across, below, room, u, size) {
  const arc = 62 * u;
  const a = arc + 6 * u;
  const to = a + 180 * u;
  const b = to + 30 * u;
  const width = Math.min(380 * u, (room - 60 * u) / 3);
  const [height, bottom] = [96 * u, b + arc + 6 * u];
  return {
    u, size, room, flat: true, arc, from: a + 44 * u, to, words: [a + 13 * u, to + 15 * u],
    s: inReadingOrder(across, source, room), t: inReadingOrder(below, target, room),
    sEdges: source.map(() => a), tEdges: target.map(() => b), sEvery: 1, tEvery: 1, sRoom: 170 * u, tRoom: 170 * u,
    maps: { w: width, h: height, spots: MAPS.map((_, n) => ({ x: 3 * u + n * (width + 26 * u), y: bottom + 34 * u })) },
    bottom: bottom + 40 * u + height,
  };
}

function inColumns(source, target, room, u) {
  const size = 13.5 * u;
  const widths = (labels) => labels.map((label) => Math.min(120 * u, textWidth(visible(label), size)));
  const [ws, wt] = [widths(source), widths(target)];
  const longest = Math.max(ws.length, wt.length);
  const tall = Math.min(24 * u, (660 * u) / longest) * longest;
  const [mostS, mostT] = [Math.max(...ws), Math.max(...wt)];
  // The three small maps stand beside the drawing where there is room, else below it.
  const beside = room > 980 * u;
  const wide = beside ? room - 236 * u : Math.min(room, 780 * u);
  const arc = Math.min(130 * u, room * 0.13);
  const along = (n) => Array.from({ length: n }, (_, i) => 10 * u + ((i + 0.5) * tall) / n);
  const a = arc + 6 * u;
  const to = wide - arc - mostT - 24 * u;
  const words = [a + mostS + 8 * u, to + 8 * u];
  const [width, height] = [beside ? 190 * u : Math.min(380 * u, (room - 60 * u) / 3), (beside ? 130 : 96) * u];
  const bottom = tall + 20 * u;
  const spots = MAPS.map((_, n) => (beside ? { x: room - width - 4 * u, y: n * (height + 46 * u) + 26 * u } : { x: 3 * u + n * (width + 26 * u), y: bottom + 34 * u }));
  return {
    u, size, room, flat: false, arc, from: words[0] + 50 * u, to, words,
    s: along(ws.length), t: along(wt.length),
    sEdges: ws.map((w) => words[0] - w - 10 * u), tEdges: wt.map((w) => words[1] + w + 10 * u),
    sEvery: every(15 * u, tall / ws.length), tEvery: every(15 * u, tall / wt.length), sRoom: mostS, tRoom: mostT,
    maps: { w: width, h: height, spots },
    bottom: beside ? Math.max(bottom, spots[2].y + height + 8 * u) : bottom + 40 * u + height,
  };
}
