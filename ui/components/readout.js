/* The sentence under a view, in the browser: the same words as core/analysis/readout.py, which explains them.
   tests/ui/components/test_head_components.py runs both on the same rows. Sentences are lists of `say` parts. */

const SPECIAL_WORDS = { '⟨start⟩': 'the start token', '⟨end⟩': 'the end token', '⟨pad⟩': 'padding', '⟨unk⟩': 'an unknown token' };
const TURNS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802-\ud803\ud83a-\ud83b]/; // right-to-left scripts
const SPREAD_BELOW = 0.25;
const NAMED = 3;
const WORTH_NAMING = 0.05;
const ENOUGH = 0.9;

const quoted = (label) => SPECIAL_WORDS[label] ?? (TURNS.test(label) ? `“\u2068${label}\u2069”` : `“${label}”`);

/** Round half to even, as Python's format does for exact halves. */
const wholePercent = (share) => {
  const value = share * 100;
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + (floor % 2) : Math.round(value);
};
const spokenPercent = (share) => (share > 0 && share < 0.005 ? 'less than 1 %' : `${wholePercent(share)} %`);

/** Quoted labels as strong parts; a label that occurs more than once says which token it is. */
function keyNames(labels) {
  const often = new Map();
  labels.forEach((label) => often.set(label, (often.get(label) ?? 0) + 1));
  return (j) => (often.get(labels[j]) > 1 ? [{ strong: quoted(labels[j]) }, ` (token ${j + 1})`] : [{ strong: quoted(labels[j]) }]);
}

const isHiding = (how) => typeof how.hidden === 'number';

/** Who looked: “head 2.3”, “the mean of 8 heads in layer 3”; null is all of them. */
function subjectOf(layer, head, layers, heads) {
  const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  if (layer !== null && head !== null) return `head ${layer}.${head}`;
  if (layer !== null) return `the mean of ${count(heads, 'head')} in layer ${layer}`;
  if (head !== null) return `the mean of head ${head} in ${count(layers, 'layer')}`;
  return `the mean of ${count(layers * heads, 'head')}`;
}

const enumerate = (items) => items.flatMap((item, i) => (i === 0 ? item : [i === items.length - 1 ? ' and ' : ', ', ...item]));

function weightWords(row, names, distribution) {
  const order = topIndices(row, row.length);
  const top = row[order[0]];
  if (distribution && top < SPREAD_BELOW) {
    const total = row.reduce((a, b) => a + b, 0);
    const entropy = -row.reduce((sum, w) => sum + (w > 0 ? (w / total) * Math.log(w / total) : 0), 0);
    return [`spread its weight over about ${Math.round(Math.exp(entropy))} tokens; most, ${spokenPercent(top)}, on `, ...names(order[0])];
  }
  if (distribution && top >= 0.995) return ['looked only at ', ...names(order[0])];
  const told = [];
  let covered = 0;
  for (const j of order.slice(0, NAMED)) {
    if (told.length && (row[j] < WORTH_NAMING || (distribution && covered >= ENOUGH))) break;
    told.push([`${spokenPercent(row[j])} at `, ...names(j)]);
    covered += row[j];
  }
  return ['looked ', ...enumerate(told)];
}

function scoreWords(row, names) {
  const allowed = row.map((v, j) => j).filter((j) => Number.isFinite(row[j]));
  if (!allowed.length) return ['had nothing to look at'];
  const order = allowed.sort((a, b) => row[b] - row[a] || a - b).slice(0, NAMED);
  return ['scored ', ...enumerate(order.map((j) => [...names(j), ` ${minus(row[j].toFixed(2))}`])), ' before the softmax'];
}

function differenceWords(row, names) {
  const order = topIndices(row.map(Math.abs), 2).filter((j, rank) => rank === 0 || Math.abs(row[j]) >= WORTH_NAMING);
  if (!(Math.abs(row[order[0]]) >= 0.005)) return ['look the same'];
  return ['differ: ', ...enumerate(order.map((j) => [`${shown(row[j], 'points')} at `, ...names(j)]))];
}

/** One row in words. `how` = { verb, subject, mode, distribution, hidden }; hidden is the row's share on tokens that were
    taken out, null when none were. */
function rowSentence(row, queryLabel, keyLabels, how) {
  const names = keyNames(keyLabels);
  const start = [`${how.verb} `, { strong: quoted(queryLabel) }, `, ${how.subject} `];
  if (how.mode === 'scores' || how.mode === 'masked') return [...start, ...scoreWords(row, names), '.'];
  if (how.mode === 'difference') return [...start, ...differenceWords(row, names), '.'];
  if (!row.every(Number.isFinite) || row.reduce((a, b) => a + b, 0) <= 0) {
    return [...start, isHiding(how) ? `gave ${spokenPercent(how.hidden)} to the hidden tokens; what is left is too little to draw.` : 'had nothing to look at.'];
  }
  const leftOut = isHiding(how) ? `; ${how.distribution ? '' : 'up to '}${spokenPercent(how.hidden)} was on hidden tokens` : '';
  return [...start, ...weightWords(row, names, how.distribution), `${leftOut}.`];
}

/** Several pinned rows summed: how much of all their weight went where. */
function sumSentence(total, queryLabels, keyLabels, how) {
  const names = keyNames(keyLabels);
  const unit = how.mode === 'weights' || how.mode === 'contribution' ? ` of ${queryLabels.length}` : '';
  const top = topIndices(total, NAMED).filter((j, rank) => rank === 0 || total[j] >= WORTH_NAMING * queryLabels.length);
  const who = queryLabels.length > 4 ? [`${queryLabels.length} tokens`] : enumerate(queryLabels.map((label) => [{ strong: quoted(label) }]));
  return ['Summed over ', ...who, `: ${how.subject} gave `, ...enumerate(top.map((j) => [`${minus(total[j].toFixed(2))}${unit} to `, ...names(j)])), '.'];
}

/** A column in words: which rows looked at these keys. */
function columnSentence(column, keyLabels, queryLabels, how) {
  const names = keyNames(queryLabels);
  const order = topIndices(column.map((v) => (Number.isFinite(v) ? v : -Infinity)), NAMED).filter((i, rank) => rank === 0 || column[i] >= WORTH_NAMING);
  const whom = enumerate(keyLabels.slice(0, 4).map((label) => [{ strong: quoted(label) }]));
  const verb = how.verb.toLowerCase();
  if (how.mode === 'weights' || how.mode === 'contribution') {
    return [`${how.subject[0].toUpperCase()}${how.subject.slice(1)} looked at `, ...whom, ' most when ', ...enumerate(order.map((i) => [`${verb} `, ...names(i), ` (${spokenPercent(column[i])})`])), '.'];
  }
  return [...whom, ': largest when ', ...enumerate(order.map((i) => [`${verb} `, ...names(i), ` (${shown(column[i], how.mode === 'difference' ? 'points' : 'number')})`])), '.'];
}
