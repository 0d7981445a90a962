/* Numbers: colours of cells, sums, means, bytes, tables, candidates. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { revive } from '../../../ui/web/base/data.ts';
import { brief, isSpecial, percent, shown, topIndices, visible } from '../../../ui/web/base/words.ts';
import {
  contrast,
  divergingTable,
  inkOn,
  kindRamp,
  mix,
  rampTable,
  readableOn,
} from '../../../ui/web/base/colour.ts';
import { plural } from '../../../ui/web/base/language.ts';
import { csvNumber, csvText } from '../../../ui/web/base/export.ts';
import { TOKENS } from '../../../ui/web/generated/tokens.ts';
import { centred, weightAxis } from '../../../ui/web/marks/legend.ts';
import { Selection } from '../../../ui/web/maps/selection.ts';
import { columnOf, logFloor, placer, rowOf, sumOf, tableOf } from '../../../ui/web/maps/sheet.ts';
import { traceRows } from '../../../ui/shared/chart.ts';
import { OpenHeads } from '../../../ui/shared/head_numbers.ts';
import { candidates, leastCertain, restWords } from '../../../ui/translate/next_word.ts';
import { bestHead, headData } from '../../../ui/export/heads.ts';
import { meanOf } from '../../../ui/translate/stage_position.ts';
import { headSheet, weightsOf, wholeOfHeads } from '../../../ui/shared/wall_heads.ts';
import { sheetOf } from './measure.mjs';

test('colours run from end to end, grey in the middle of a difference', () => {
  const c = TOKENS.light;
  const ramp = rampTable(c.panel, c.cross);
  assert.equal(ramp[0], c.panel);
  assert.equal(ramp[255], c.cross);
  assert.equal(mix('#000000', '#ffffff', 0.5), '#636363');
  const diverging = divergingTable(c);
  assert.deepEqual([diverging[0], diverging[255]], [c.negative, c.positive]);
  assert.ok(contrast(diverging[127], c.neutral) < 1.05);
  assert.equal(Math.round(contrast('#000000', '#ffffff')), 21);
});

test('a legend has its numbers where their colours are', () => {
  const c = TOKENS.light;
  for (const kind of ['encoder', 'causal', 'cross']) {
    const ramp = kindRamp(c, kind);
    assert.deepEqual([ramp.length, ramp[0], ramp[255]], [256, c.panel, c[`${kind}_text`]]);
  }
  const linear = weightAxis('linear', 12);
  assert.deepEqual(linear.stops, [
    [0, '0'],
    [0.5, '50'],
    [1, '100 %'],
  ]);
  assert.equal(linear.position(0.5), placer('weight', 1)(0.5));
  const lengths = weightAxis('linear', 12, { name: 'v', unit: 'length', top: 3 });
  assert.deepEqual(
    lengths.stops.map(([, words]) => Number(words)),
    [0, 1.5, 3],
  );
  const log = weightAxis('log', 50).stops;
  assert.deepEqual(log, [
    [0, '≤ 0.01 %'],
    [0.5, '1 %'],
    [1, '100 %'],
  ]);
  assert.equal(placer('log', 1, logFloor(50))(0.01), 128, 'the middle of the axis is the middle of the ramp');
  assert.deepEqual(centred('−2', '2'), [
    [0, '−2'],
    [0.5, '0'],
    [1, '2'],
  ]);
});

test('one is singular, none and many are plural', () => {
  const heads = (count) => plural('{count} head', '{count} heads', count);
  assert.deepEqual([0, 1, 2, 1500].map(heads), ['0 heads', '1 head', '2 heads', '1,500 heads']);
});

test('words on a fill can be read in both themes', () => {
  for (const c of [TOKENS.light, TOKENS.dark]) {
    for (const kind of ['encoder', 'causal', 'cross']) {
      assert.ok(contrast(c[kind], inkOn(c[kind], c)) >= contrast(c[kind], readableOn(c[kind], c)));
      assert.ok(contrast(c[kind], inkOn(c[kind], c)) >= 4.0);
    }
  }
});

test('scales place nothing at one end and everything at the other', () => {
  assert.deepEqual([0, 0.5, 1, 2].map(placer('weight', 1)), [
    0,
    Math.round(255 * 0.5 ** TOKENS.gamma),
    255,
    255,
  ]);
  assert.deepEqual([-1, 0, 1].map(placer('diverging', 1)), [0, 128, 255]);
  assert.deepEqual([2, 3, 4].map(placer('range', 4, 2)), [0, 128, 255]);
  assert.deepEqual([0, 1e-4, 1e-2, 1].map(placer('log', 1, logFloor(12))), [0, 0, 128, 255]);
  assert.equal(logFloor(512), 0.5 / 512);
});

test('sums over rows and columns leave out what may not be attended', async () => {
  const sheet = await sheetOf([
    [1, NaN],
    [0.25, 0.75],
  ]);
  assert.deepEqual([...sheet.index], [255, -1, placer('weight', 1)(0.25), placer('weight', 1)(0.75)]);
  assert.deepEqual(rowOf(sheet, 0), [1, 0]);
  assert.deepEqual(sumOf(sheet, [0, 1], rowOf), [1.25, 0.75]);
  assert.deepEqual(sumOf(sheet, [1], columnOf), [0, 0.75]);
  const scores = await sheetOf([[1, NaN]], undefined, undefined, {
    unit: 'number',
    scale: 'range',
    top: 1,
  });
  assert.ok(Number.isNaN(rowOf(scores, 0)[1]), 'a masked score stays masked');
});

test('a table has every written cell, forbidden ones empty', async () => {
  const sheet = await sheetOf(
    [
      [1, NaN],
      [1 / 3, 2 / 3],
      [0, 0],
    ],
    ['a', 'b', 'c'],
    ['x', 'y,'],
    { written: 2 },
  );
  const lines = tableOf(sheet, true, csvNumber);
  assert.deepEqual(lines[1], [0, 'a', '', 1, 'y,', '']);
  assert.equal(lines.length, 4);
  assert.equal(lines[3][5], 0.666666667);
  const decoder = tableOf({ ...sheet, reads: ['⟨start⟩', 'a', 'b'] }, false, csvNumber);
  assert.deepEqual(decoder[2].slice(0, 5), [1, 'a', 'b', 0, 'x']);
  assert.equal(
    csvText([
      ['say "no"', 1],
      ['a,b', ''],
    ]),
    '"say ""no""",1\r\n"a,b",\r\n',
  );
});

test('the mean over layers and heads is the mean of the chosen maps', () => {
  const numbers = Uint16Array.from([65535, 0, 0, 65535, 13107, 52428, 39321, 26214]); // (2, 2, 1, 2)
  const rounded = (map) => [...map].map((v) => Math.round(v * 1e4) / 1e4);
  assert.deepEqual(rounded(meanOf(numbers, [2, 2, 1, 2], 1, 0)), [0.2, 0.8]);
  assert.deepEqual(rounded(meanOf(numbers, [2, 2, 1, 2], 1, null)), [0.4, 0.6]);
  assert.deepEqual(rounded(meanOf(numbers, [2, 2, 1, 2], null, 1)), [0.3, 0.7]);
  assert.deepEqual(rounded(meanOf(numbers, [2, 2, 1, 2], null, null)), [0.45, 0.55]);
});

const LEVELS = Uint8Array.from([255, 0, 0, 255, 255, 0, 255, 0]);
const wall = (more = {}) => ({
  kind: 'causal',
  layers: 1,
  heads: 2,
  shape: [2, 2],
  keys: 2,
  size: 4,
  block: [1, 1],
  labelled: true,
  causal: true,
  square: true,
  written: 2,
  rows: ['a', 'b'],
  cols: ['a', 'b'],
  reads: [],
  all_heads: { how: 'mean', subject: 'all' },
  quantity: null,
  levels: LEVELS,
  scores: {
    entropy: { label: 'Entropy', units: '', mark: null, values: [0.2, 0.4] },
  },
  arranged: { sort: 'model', badge: 'entropy', least: null, tone: null },
  ...more,
});

test('the bytes of the wall are weights, NaN above the diagonal', () => {
  assert.deepEqual([...weightsOf(wall(), LEVELS, 1)], [1, NaN, 1, 0]);
  assert.deepEqual([...wholeOfHeads(wall(), LEVELS)], [1, NaN, 0.5, 0.5]);
  assert.deepEqual([...wholeOfHeads(wall({ all_heads: { how: 'max' } }), LEVELS)], [1, NaN, 1, 1]);
  const half = Uint8Array.from([128, 0, 64, 128]);
  const sheet = headSheet(wall(), half, [], 'each');
  assert.deepEqual([...sheet.index], [255, -1, placer('weight', (128 / 255) ** 2)((64 / 255) ** 2), 255]);
});

test('the report opens the head of the largest score with its own numbers', () => {
  assert.equal(bestHead(wall()), 1);
  assert.equal(bestHead(wall({ scores: {} })), -1);
  const data = headData(wall(), [1]);
  assert.equal(data.title, 'Head 0.1');
  assert.equal(data.subtitle, 'entropy 0.40');
  const below = wall({ scores: { gap: { label: 'Gap', values: [0, -0.4] } } });
  assert.equal(headData(below, [1]).subtitle, 'gap −0.40');
  assert.deepEqual([...data.heads[0].values], [1, NaN, 1, 0]);
});

test('several heads in one map: each cell has the hue of the strongest', () => {
  const open = new OpenHeads();
  open.meta = {
    kind: 'cross',
    mode: 'weights',
    unit: 'share',
    heads: [
      { name: '0.0', hidden: null },
      { name: '0.1', hidden: null },
    ],
    written: 1,
    rows: ['a'],
    reads: [],
    cols: ['x', 'y'],
    current: null,
  };
  open.maps = [
    [0.9, 0.1],
    [0.2, 0.8],
  ];
  open.build(TOKENS.light, false);
  assert.deepEqual(
    [...open.combined.index].map((v) => v >> 8),
    [0, 1],
  );
  assert.equal(open.combined.at(0, 1), 0.8);
  open.off.add(1);
  open.combine();
  assert.equal(open.combined.at(0, 1), 0.1);
  open.meta.unit = 'number';
  open.maps = [
    [-3, 1],
    [0, 2],
  ];
  assert.deepEqual(open.rangeOf(false), { scale: 'diverging', top: 3 });
});

test('numbers and labels as a reader sees them', () => {
  assert.deepEqual(
    [percent(0.594), percent(0.001), percent(0.0004, 1), percent(0)],
    ['59 %', '< 1 %', '< 0.1 %', '0 %'],
  );
  assert.deepEqual(
    [shown(0.12, 'points'), shown(-0.314, 'number'), shown(NaN, 'share')],
    ['+12 points', '−0.31', '—'],
  );
  assert.deepEqual(
    [brief(0.12, 'points'), brief(-0.03, 'share'), brief(12.3, 'number')],
    ['+12', '−3', '12'],
  );
  assert.deepEqual(['', ' ', 'a'].map(visible), ['∅', '␣', 'a']);
  assert.deepEqual(['⟨end⟩', '⟨fr_XX⟩', '⟨unk⟩', '<s>', 'a', '⟨'].map(isSpecial), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  assert.deepEqual(topIndices([1, 3, 3, 2], 3), [1, 2, 3]);
});

test('a word below the top is listed with its rank', () => {
  const step = {
    ids: [4, 7],
    labels: ['du', 'de'],
    probabilities: [0.7, 0.1],
    chosen: 9,
    forced: false,
    barred: [],
    fixed: null,
    cut: { count: 30, label: 'top 30' },
    rest: [1998, 0.15],
    extra: { label: 'x', probability: 0.05, rank: 1234 },
  };
  assert.deepEqual(
    candidates(step).map(({ id, rank, listed }) => [id, rank, listed]),
    [
      [4, 1, true],
      [7, 2, true],
      [9, 1234, false],
    ],
  );
  assert.equal(restWords(step), '1,998 others: 15.0 % · top 30 keeps 30 words');
  assert.equal(restWords({ ...step, rest: [0, 0] }), '');
});

test('what can never be written is passed over by the limit', () => {
  const step = {
    ...{
      ids: [0, 1, 2, 3],
      labels: [...'pabc'],
      probabilities: [0.4, 0.3, 0.2, 0.1],
      chosen: 1,
      forced: false,
    },
    ...{ barred: [0], fixed: null, cut: { count: 2, label: 'top 2' }, rest: [0, 0], extra: null },
  };
  assert.deepEqual(
    candidates(step).map(({ cut }) => cut),
    [false, false, true, false],
  );
  assert.deepEqual(
    candidates(step).map(({ barred }) => barred),
    [true, false, false, false],
  );
});

test('a row with too little beside its hidden tokens is blank', () => {
  const open = new OpenHeads();
  open.meta = {
    ...{ kind: 'cross', mode: 'weights', unit: 'share', written: 2, current: null },
    ...{
      reads: ['⟨start⟩', 'Un'],
      rows: ['Un', 'chien'],
      cols: ['A', 'dog'],
      heads: [{ name: '0.0', hidden: [0.25, 0.97] }],
    },
  };
  for (const nothing of [NaN, 0]) {
    open.maps = [[0.75, 0.25, nothing, nothing]];
    open.build(TOKENS.light, false);
    assert.deepEqual(open.combined.empty, [false, true]);
    assert.deepEqual([...open.combined.index].slice(2), [-1, -1]);
    assert.deepEqual(open.combined.hidden, [0.25, 0.97]);
  }
  const bytes = Uint8Array.from([255, 0, 0, 0]);
  const sheet = headSheet({ ...wall(), causal: false, hidden: true }, bytes, [], 'weight');
  assert.deepEqual([...sheet.index], [255, 0, -1, -1]);
});

test('pins come and go, the oldest gives way, and what is hovered is told first', () => {
  let changes = 0;
  const selection = new Selection(() => (changes += 1));
  const pinned = () => [[...selection.rows], [...selection.cols]];
  selection.toggle({ row: 3, col: 2 });
  selection.toggle({ row: 1, col: 4 });
  assert.deepEqual(pinned(), [[1], [4]], 'a click on a cell pins that cell alone');
  assert.ok(selection.isCell && selection.active.cell);
  selection.toggle({ row: 1, col: 4 });
  assert.deepEqual(pinned(), [[], []], 'a second click releases it');
  selection.toggle({ row: 1, col: 4 });
  assert.ok(selection.clear(), 'Esc releases it');
  assert.deepEqual(pinned(), [[], []]);
  selection.toggle({ row: 1 });
  changes = 1;
  selection.hover({ col: 2 });
  assert.deepEqual([selection.hint, [...selection.active.cols], [...selection.active.rows]], ['', [2], []]);
  selection.hover({ col: 2 });
  assert.equal(changes, 2, 'the same again is no change');
  selection.hover(null);
  assert.equal(selection.hint, 'pinned');
  for (let row = 2; row < 40; row++) selection.toggle({ row });
  assert.equal(selection.rows.size, 32);
  assert.ok(!selection.rows.has(1));
  selection.trim(20, 5);
  assert.ok([...selection.rows].every((row) => row < 20));
  assert.ok(selection.clear());
  assert.ok(!selection.clear(), 'nothing left to clear');
});

test('a figure becomes a table', () => {
  const join = { meta: 'join', mode: 'lines', x: [1, 1], y: [3, 4] };
  const rows = traceRows([{ name: 'line', x: [1, 2], y: [3, NaN] }, join, { z: [[5, 6]] }]);
  assert.deepEqual(rows.slice(1), [
    ['line', 1, 3, ''],
    ['line', 2, '', ''],
    ['trace 1', 0, 0, 5],
    ['trace 1', 1, 0, 6],
  ]);
  const beside = {
    meta: { columns: ['head', 'low'] },
    customdata: [
      [
        ['0.0', 4],
        ['0.1', NaN],
      ],
    ],
    z: [[5, 6]],
  };
  assert.deepEqual(traceRows([beside, { x: [1], y: [2] }]), [
    ['trace', 'x', 'y', 'z', 'head', 'low'],
    ['trace 0', 0, 0, 5, '0.0', 4],
    ['trace 0', 1, 0, 6, '0.1', ''],
    ['trace 1', 1, 2, '', '', ''],
  ]);
});

test('an array that Python sends is put in its place, and an empty one where there is no table or no column', () => {
  const column = { toArray: () => new Float32Array([0.5, 2]) };
  const packed = (column0) => ({
    fields: { maps: [{ weights: null }] },
    arrays: [[['maps', 0, 'weights'], 'float32']],
    column0,
  });
  const one = packed({ getChildAt: (n) => (n === 0 ? column : null) });
  assert.deepEqual(revive(one), { maps: [{ weights: new Float32Array([0.5, 2]) }] });
  assert.equal(revive(one), revive(one));
  for (const none of [null, undefined, {}, { getChildAt: () => null }]) {
    assert.deepEqual(revive(packed(none)).maps[0].weights, new Float32Array(0));
  }
});

test('a finished sentence shows the step of its least certain word', () => {
  const step = (ids, probabilities, chosen, extra = null) => ({ ids, probabilities, chosen, extra });
  const steps = [
    step([1, 2], [0.9, 0.1], 1),
    step([3, 4], [0.6, 0.3], 4),
    step([5], [0.8], 6, { probability: 0.01 }),
  ];
  assert.equal(leastCertain(/** @type {any} */ (steps)), 2);
  assert.equal(leastCertain(/** @type {any} */ (steps.slice(0, 2))), 1);
});
