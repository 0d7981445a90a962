/* Where things stand: maps, lines, labels, the wall, the tree. */

import {
  areaBetween,
  columnCurve,
  columnX,
  columnsGeometry,
  columnsHit,
  heatGeometry,
  heatHit,
  lineOf,
  rowY,
} from '../../../ui/web/marks/frames.ts';
import assert from 'node:assert/strict';
import test from 'node:test';

import { sheetOf } from './measure.mjs';
import { shifted, textWidth } from '../../../ui/web/base/paint.ts';
import { chosenLabels, inReadingOrder, readsLeft, spreadWords } from '../../../ui/web/marks/labels.ts';
import { behindRow, curveBetween, linePen, linesOf, startOfCurve } from '../../../ui/web/marks/lines.ts';
import { cellPaths, strongest } from '../../../ui/web/marks/picture.ts';
import { outcomeOf, outcomeWords, treeLayout } from '../../../ui/translate/tree_layout.ts';
import { wallLayout } from '../../../ui/shared/wall_drawing.ts';

const grid = (rows, cols) =>
  Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => (i + j) / (rows + cols)));

test('every cell, row word and column word of a heatmap is found where it is drawn', async () => {
  for (const [rows, cols, room] of [
    [5, 7, 600],
    [40, 12, 500],
    [3, 60, 390],
  ]) {
    const g = heatGeometry(await sheetOf(grid(rows, cols)), room, 1);
    assert.ok(g.width <= room + 1 || cols > 50, 'it fits its room');
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < cols; j++) {
        assert.deepEqual(heatHit(g, columnX(g, j) + g.cw / 2, rowY(g, i) + g.ch / 2), { row: i, col: j });
      }
      assert.deepEqual(heatHit(g, g.box.x - 5, rowY(g, i) + g.ch / 2), {
        row: i,
      });
    }
    assert.deepEqual(heatHit(g, columnX(g, 1) + g.cw / 2, g.box.y - 0.01), {
      col: 1,
    });
    assert.equal(heatHit(g, g.box.x + g.box.w + 9, g.box.y + 5), null);
    assert.equal(heatHit(g, g.box.x + 5, g.box.y + g.box.h + 5), null);
  }
});

test('a part of a map keeps its own rows and columns', async () => {
  const g = heatGeometry(await sheetOf(grid(50, 50)), 600, 1, {
    area: [10, 20, 30, 45],
  });
  assert.deepEqual(heatHit(g, columnX(g, 31) + 1, rowY(g, 12) + 1), {
    row: 12,
    col: 31,
  });
  const corner = [columnX(g, 32) + 1, rowY(g, 11) + 1];
  const other = [columnX(g, 40) + 1, rowY(g, 18) + 1];
  assert.deepEqual(areaBetween(g, other, corner), [11, 19, 32, 41]);
  assert.equal(areaBetween(g, corner, [corner[0] + 1, other[1]]), null, 'one column is no area');
  assert.deepEqual(areaBetween(g, [-99, -99], [9999, 9999]), [10, 20, 30, 45]);
});

test('labels lean more where there is less room', async () => {
  const lean = async (room) => heatGeometry(await sheetOf(grid(4, 20)), room, 1).lean;
  assert.ok((await lean(300)) > (await lean(1400)));
});

test('words over columns stand straight where they fit, on two lines where some would touch, and lean where neither helps', async () => {
  const short = ['The', 'cat', 'is', 'on', 'it'];
  const long = ['sleeping', 'a', 'sleeping', 'a', 'sleeping'];
  const numbers = grid(3, 5);
  const frame = async (cols, room, u = 1) => {
    const g = heatGeometry(await sheetOf(numbers, undefined, cols), room * u, u);
    assert.ok(g.width <= room * u + 1, 'it fits its room');
    return g;
  };
  for (const u of [1, 1.4]) {
    const straight = await frame(short, 400, u);
    assert.deepEqual([straight.lean, straight.lines], [0, [0, 0, 0, 0, 0]]);
    assert.deepEqual(
      [0, 1, 2].map((j) => lineOf(straight, j)),
      [0, 0, 0],
    );
    const turns = await frame(long, 240, u);
    assert.deepEqual([turns.lean, turns.lines, turns.colEvery], [0, [0, 1, 0, 1, 0], 1]);
    assert.ok(lineOf(turns, 0) === 0 && lineOf(turns, 1) > turns.size && lineOf(turns, 2) === 0);
    // No word of a line touches the next one there, and the last one is not cut.
    const width = textWidth('sleeping', turns.size);
    assert.ok(columnX(turns, 2) - columnX(turns, 0) > width);
    assert.ok(turns.box.x + turns.box.w - turns.cw / 2 + width / 2 <= turns.width);
    const leans = await frame(Array(5).fill('sleeping'), 180, u);
    assert.ok(leans.lean > 0 && leans.lines.length === 0 && lineOf(leans, 1) === 0);
    assert.deepEqual(heatHit(turns, columnX(turns, 1) + 1, turns.box.y - lineOf(turns, 1) - 3), { col: 1 });
  }
  const wide = await frame(['a', 'b', 'c', 'd', 'a long last'], 460);
  assert.deepEqual(wide.lines, [0, 0, 0, 0, 1], 'only the word that would touch is raised');
  assert.ok(wide.box.x + wide.box.w < wide.width - 20, 'room is kept for a long last word');
});

test('labels thin out and active ones take the place of their neighbours', () => {
  assert.deepEqual(chosenLabels(0, 4, 1, []), [0, 1, 2, 3]);
  assert.deepEqual(
    chosenLabels(0, 10, 3, new Set([4])).sort((a, b) => a - b),
    [0, 4, 9],
  );
  assert.deepEqual(chosenLabels(2, 6, 2, new Set([9])), [2, 4]);
});

test('words stand in the order they are read', () => {
  assert.deepEqual(spreadWords([10, 10], 100, 5), [25, 75]);
  const uneven = spreadWords([60, 10], 100, 5);
  assert.ok(uneven[0] === 37.5 && uneven[1] > 60 && uneven[1] < 100);
  assert.ok(readsLeft(['⟨start⟩', 'הכלב', 'a']));
  assert.ok(!readsLeft(['the', 'dog', 'כ']));
  assert.deepEqual(inReadingOrder([25, 75], ['הכלב'], 100), [75, 25]);
  assert.deepEqual(inReadingOrder([25, 75], ['dog'], 100), [25, 75]);
});

test('words in two columns are found on their side', async () => {
  const g = columnsGeometry(await sheetOf(grid(4, 6)), 500, 1);
  assert.deepEqual(columnsHit(g, g.left - 10, g.top + 0.5 * g.rowPitch), {
    row: 0,
  });
  assert.deepEqual(columnsHit(g, g.right + 10, g.top + 5.5 * g.colPitch), {
    col: 5,
  });
  assert.equal(columnsHit(g, (g.left + g.right) / 2, g.top + 10), null);
  const [start, , , end] = columnCurve(g, 2)(1, 3);
  assert.deepEqual(
    [start, end],
    [
      [g.left, g.top + 1.5 * g.rowPitch + 2],
      [g.right, g.top + 3.5 * g.colPitch + 2],
    ],
  );
});

test('the first part of a curve lies on it', () => {
  const curve = curveBetween([0, 0], [10, 20], true);
  assert.deepEqual(curve, [
    [0, 0],
    [0, 10],
    [10, 10],
    [10, 20],
  ]);
  assert.deepEqual(curveBetween([0, 0], [10, 20], false), [
    [0, 0],
    [5, 0],
    [5, 20],
    [10, 20],
  ]);
  assert.deepEqual(startOfCurve(curve, 1), curve);
  const half = startOfCurve(curve, 0.5);
  assert.deepEqual(
    [half[0], half[3]],
    [
      [0, 0],
      [5, 10],
    ],
  );
});

const none = { rows: new Set(), cols: new Set() };

test('lines: the told ones last, weak ones left out, far ones of a replay too', async () => {
  const sheet = await sheetOf([
    [0.9, 0.05, 0.05],
    [0.3, 0.3, 0.4],
    [0.01, 0.5, 0.49],
  ]);
  const all = { area: [0, 3, 0, 3], threshold: 0.02 };
  assert.equal(linesOf(sheet, none, all).length, 8, '0.01 is below the threshold');
  const told = linesOf(sheet, { rows: new Set([1]), cols: new Set() }, all);
  assert.deepEqual(
    told.slice(-3).map(({ i, on }) => [i, on]),
    [
      [1, true],
      [1, true],
      [1, true],
    ],
  );
  assert.deepEqual(
    told.slice(-3).map(({ value }) => value),
    [0.3, 0.3, 0.4],
    'weakest first',
  );
  const replay = { ...all, behind: { ...behindRow(1), reach: 0 } };
  assert.deepEqual(
    [...new Set(linesOf(sheet, { rows: new Set([1]), cols: new Set() }, replay).map(({ i }) => i))],
    [1],
  );
  const column = linesOf(sheet, { rows: new Set(), cols: new Set([0]) }, { ...all, behind: behindRow(1) });
  assert.deepEqual(
    column.filter(({ on }) => on).map(({ i }) => i),
    [1, 0],
  );
});

test('of a long map only the strongest line of each row is drawn', async () => {
  const sheet = await sheetOf(grid(80, 80));
  const lines = linesOf(sheet, none, { area: [0, 80, 0, 80], threshold: 0.02 });
  assert.equal(lines.length, 80);
  assert.ok(lines.every(({ j }) => j === 79));
});

test('a stronger line is thicker and darker, a told one most', () => {
  for (const state of ['on', 'behind', 'all']) {
    const [weak, strong] = [linePen(0.1, state, 1), linePen(0.9, state, 1)];
    assert.ok(strong.width > weak.width && strong.alpha > weak.alpha);
  }
  assert.ok(linePen(0.5, 'on', 1).alpha > linePen(0.5, 'behind', 1).alpha);
  assert.equal(linePen(0.5, 'on', 2).width, 2 * linePen(0.5, 'on', 1).width);
});

test('cells that share a pixel show the strongest; equal neighbours are one shape', async () => {
  const sheet = await sheetOf([
    [0, 0, 1],
    [0.5, 0.5, NaN],
  ]);
  assert.equal(strongest(sheet, [0, 2, 0, 3]), 255);
  assert.equal(strongest(sheet, [1, 2, 2, 3]), -1);
  const paths = cellPaths(sheet, { x: 0, y: 0, w: 30, h: 20 }, [0, 2, 0, 3]);
  assert.deepEqual([...paths.keys()].length, 3, 'forbidden cells have none');
  assert.equal(paths.get(0), 'M0 0h20v10h-20z');
});

const meta = (layers, heads, more = {}) => ({
  layers,
  heads,
  shape: [12, 12],
  square: true,
  tall: 600,
  quantity: null,
  ...more,
});

test('the heads of the wall stand apart, inside its width, in the order asked for', () => {
  for (const [full, asInModel] of [
    [700, true],
    [330, true],
    [700, false],
    [330, false],
  ]) {
    const order = Array.from({ length: 12 }, (_, n) => 11 - n);
    const layout = wallLayout(meta(2, 6), order, asInModel, full, 1);
    const corners = [...layout.at.values()];
    assert.equal(corners.length, 12);
    for (const { x, y } of corners)
      assert.ok(x >= 0 && x + layout.w <= full + 1 && y + layout.h <= layout.height);
    for (const a of corners)
      for (const b of corners)
        assert.ok(a === b || Math.abs(a.x - b.x) >= layout.w || Math.abs(a.y - b.y) >= layout.h);
    const [first] = asInModel ? [0] : order;
    const at = layout.at.get(first);
    assert.ok(
      corners.every(({ x, y }) => y > at.y || x >= at.x),
      'the first stands first',
    );
  }
});

test('the tree has a column a step, the best hypothesis on top, pruned ones counted', () => {
  const node = (id, parent, step, score, more = {}) => ({
    id,
    parent,
    step,
    label: `w${id}`,
    logprob: score,
    score,
    kept: true,
    finished: false,
    best: false,
    ...more,
  });
  const pruned = Array.from({ length: 11 }, (_, n) => node(10 + n, 0, 1, -5 - n, { kept: false }));
  const nodes = [
    node(0, null, 0, 0),
    node(1, 0, 1, -2),
    node(2, 0, 1, -1, { best: true, finished: true }),
    ...pruned,
  ];
  const layout = treeLayout(nodes, true, 1);
  assert.deepEqual(
    layout.columns.map(({ step }) => step),
    [0, 1],
  );
  assert.deepEqual(
    layout.columns[1].shown.slice(0, 3).map(({ id }) => id),
    [2, 1, 10],
  );
  assert.equal(layout.columns[1].more, 3);
  assert.ok(layout.columns[1].x >= layout.columns[0].x + layout.columns[0].shown[0].width);
  assert.equal(treeLayout(nodes, false, 1).placed.size, 3);
  assert.deepEqual([nodes[2], nodes[1], nodes[3]].map(outcomeWords), [
    'the best hypothesis',
    'kept in the beam',
    'pruned at step 1',
  ]);
  assert.deepEqual(nodes.slice(1, 4).map(outcomeOf), ['kept', 'best', 'pruned']);
});

test('words in two columns have the room that each side needs', async () => {
  const rows = ['Le', 'chat', 'dort', '.'];
  const cols = ['The', 'cat', 'is', 'sleeping', '.', '⟨end⟩'];
  const sheet = await sheetOf(grid(4, 6), rows, cols);
  const g = columnsGeometry(sheet, 520, 1);
  const wide = (words) => Math.max(...words.map((word) => textWidth(word, g.size)));
  assert.ok(g.labelRoom.row >= wide(rows) && g.labelRoom.col >= wide(cols), 'no word is cut');
  assert.ok(g.right + 16 + g.labelRoom.col <= g.width);
});

test('every absolute place of a path moves with a shifted painter, and steps from there do not', () => {
  const drawn = [];
  shifted({ path: (d) => drawn.push(d) }, 10, -5).path('M1 2L3.5 -4l6 7h8v9Z', {});
  assert.deepEqual(drawn, ['M11 -3L13.5 -9l6 7h8v9Z']);
});
