/* The offline report: the app's wall and head detail over the data inlined by ui/export/files.py (REPORT). */

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What `unpack` expects of an Arrow column. */
const column = (values) => ({ getChildAt: () => ({ toArray: () => values }) });

/** The head that the badge makes most of. */
function bestHead(meta) {
  const values = meta.scores[meta.arranged[1]]?.values ?? [];
  return values.reduce((best, v, head) => (v !== null && (best < 0 || v > values[best]) ? head : best), -1);
}

function detailData(meta, levels, heads) {
  const [rows, cols] = meta.shape;
  const pairs = heads.map((head) => [Math.floor(head / meta.heads), head % meta.heads]);
  const names = pairs.map((pair) => pair.join('.'));
  const values = heads.map((head) => weightsOf(meta, levels, head));
  const told = Object.values(meta.scores).filter((s) => s.values[heads[0]] !== null).slice(0, 3).map((s) => `${s.label.toLowerCase()} ${s.values[heads[0]].toFixed(2)}`);
  const words = (labels, count) => (meta.labelled ? labels : Array.from({ length: count }, (_, i) => String(i * meta.block[0])));
  const every = new Float32Array(values.length * values[0].length);
  values.forEach((numbers, k) => every.set(numbers, k * numbers.length));
  return {
    meta: {
      kind: meta.kind, mode: 'weights', unit: 'share', title: `Head${names.length > 1 ? 's' : ''} ${names.join(', ')}`, tag: '', subtitle: heads.length > 1 ? '' : told.join(' · '),
      verb: meta.kind === 'cross' ? 'Writing' : 'Reading', heads: names.map((name) => ({ name, subject: `head ${name}` })),
      exact: heads.length, written: meta.written, rows: words(meta.rows, rows), cols: words(meta.cols, cols), current: null, pairs,
      distribution: meta.labelled, hidden: null, pins: [[], []], view: [null, null, null], report: false, file: `${meta.kind}-head-${names.join('-')}`,
    },
    exact: column(every),
    levels: column(new Uint8Array(0)),
  };
}

async function showKind(n) {
  const { meta } = REPORT[n];
  const levels = await inflate(REPORT[n].levels);
  const [wall, detail] = ['wall', 'detail'].map((name) => document.getElementById(`${name}-${n}`));
  let heads = [bestHead(meta)].filter((head) => head >= 0);
  const draw = (data, parentElement, view, picked) => mount({ data, parentElement, setTriggerValue: picked, setStateValue: () => {} }, view);
  const show = () => {
    detail.hidden = !heads.length;
    draw({ meta: { ...meta, open: heads }, levels: column(levels) }, wall, headWall, (name, said) => {
      if (name !== 'picked') return;
      heads = said.heads.map(([layer, head]) => layer * meta.heads + head);
      show();
    });
    if (heads.length) draw(detailData(meta, levels, heads), detail, headDetail, () => {});
  };
  show();
  return show;
}

const shows = [];
const redraw = () => shows.forEach((show) => show());
REPORT.forEach((_, n) => showKind(n).then((show) => shows.push(show)));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
document.getElementById('mode').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.mode ? root.dataset.mode === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.mode = dark ? 'light' : 'dark';
  redraw();
});
