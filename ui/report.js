/* The offline report: the app's wall and head detail over the data inlined by ui/export.py (REPORT). */

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What `unpack` expects of an Arrow column. */
const column = (values) => ({ getChildAt: () => ({ toArray: () => values }) });

/** The head that the badge makes most of. */
function bestHead(meta) {
  const values = meta.scores[meta.badge]?.values ?? [];
  return values.reduce((best, v, head) => (v !== null && (best < 0 || v > values[best]) ? head : best), -1);
}

function detailData(meta, levels, head) {
  const [rows, cols] = meta.shape;
  const [layer, k] = [Math.floor(head / meta.heads), head % meta.heads];
  const bytes = levels.subarray(head * meta.size, head * meta.size + meta.written * cols);
  const values = Float32Array.from(bytes, (b, n) => (meta.causal && n % cols > Math.floor(n / cols) ? NaN : WEIGHT_OF_BYTE[b]));
  const told = Object.values(meta.scores).filter((s) => s.values[head] !== null).slice(0, 3).map((s) => `${s.label.toLowerCase()} ${s.values[head].toFixed(2)}`);
  const words = (labels, count) => (meta.labelled ? labels : Array.from({ length: count }, (_, i) => String(i * meta.block[0])));
  return {
    meta: {
      kind: meta.kind, mode: 'weights', unit: 'share', title: `Head ${layer}.${k}`, tag: '', subtitle: told.join(' · '),
      verb: meta.kind === 'encoder' ? 'Reading' : 'Writing', heads: [{ name: `${layer}.${k}`, subject: `head ${layer}.${k}` }],
      exact: 1, written: meta.written, rows: words(meta.rows, rows), cols: words(meta.cols, cols), current: null,
      distribution: meta.labelled, hidden: false, pins: { rows: [], cols: [] }, report: false, file: `${meta.kind}-head-${layer}.${k}`,
    },
    exact: column(values),
    levels: column(new Uint8Array(0)),
  };
}

async function showKind(n) {
  const { meta } = REPORT[n];
  const levels = await inflate(REPORT[n].levels);
  const [wall, detail] = ['wall', 'detail'].map((name) => document.getElementById(`${name}-${n}`));
  let head = bestHead(meta);
  const draw = (data, parentElement, view, picked) => mount({ data, parentElement, setTriggerValue: picked, setStateValue: () => {} }, view);
  const show = () => {
    detail.hidden = head < 0;
    draw({ meta: { ...meta, selected: head < 0 ? null : head }, levels: column(levels) }, wall, headWall, (_, at) => {
      head = at.layer === null ? -1 : at.layer * meta.heads + at.head;
      show();
    });
    if (head >= 0) draw(detailData(meta, levels, head), detail, headDetail, () => {});
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
