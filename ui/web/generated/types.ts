/* What Python sends to each view and what the view answers, written by `python -m ui.web`. */

import type { Piece } from '../base/dom.ts';
import type { Spoken } from '../base/language.ts';

/** A written word, and its probability before and after. (ui/export/live/page.py) */
export interface AblatedWord {
  label: string;
  before: number;
  after: number;
}

/** What is written without some heads, beside what is written with them; `after` None: it is not known yet. (ui/export/live/page.py) */
export interface AblationData {
  heads: string[];
  before: string;
  after: string | null;
  words: AblatedWord[];
}

/** What the view `alignment` answers, by event. */
export interface AlignmentAnswers {
  pinned: Pins;
  marked: Marked;
}

/** One map (rows, columns) of words with its links. (ui/heads/alignment.py) */
export interface AlignmentData {
  values: Float32Array;
  rows: string[];
  cols: string[];
  target: number[];
  source: number[];
  by_hand: boolean;
  reads: string[];
  writes: string[];
  title: Piece[];
  subtitle: string;
  subject: string;
  what: 'weight' | 'share';
  summary: Piece[];
  pins: Pins;
  pairs: [number, number][];
  file: string;
  links: [number, number][];
  gold: [number, number, boolean][];
  verb: 'Reading' | 'Writing';
}

/** What stands open when no head does: all of them, by their mean or maximum, and how a sentence calls that. (ui/shared/map_data.py) */
export interface AllHeads {
  how: How;
  subject: string;
}

/** Stacks of boxes, each from the bottom up. (ui/learn/tutorials.py) */
export interface AnatomyData {
  columns: Column[];
  title: string;
  subtitle: string;
  file: string;
}

/** What the view `answer` answers, by event. */
export interface AnswerAnswers {
  asked: Picked;
  column: number;
}

/** A column of the table: its step (None: it belongs to the step above), what is drawn beside its numbers, the card of all operations that holds them, and the line below it. (ui/inside/answer.py) */
export interface AnswerColumn {
  step: AnswerStep | null;
  name: string;
  look: 'number' | 'bar' | 'weight';
  card: string;
  foot: string;
}

/** Why a row of a head looks as much at a key as it does. (ui/inside/answer.py) */
export interface AnswerData {
  query: AnswerVector;
  key: AnswerVector;
  products: Float32Array;
  labelled: [number, string][];
  total: string;
  steps: AnswerStep[];
  columns: AnswerColumn[];
  lines: AnswerLine[];
  kind: Kind;
  title: Piece[];
  subtitle: string;
  share: string;
  row: number;
  column: number;
  chosen: number;
  file: string;
}

/** A key of the table (None: several together): its label, and per column how the number is written and its size. (ui/inside/answer.py) */
export interface AnswerLine {
  key: number | null;
  label: string;
  cells: string[];
  sizes: number[];
}

/** A numbered step: its number, title and note. (ui/inside/answer.py) */
export interface AnswerStep {
  number: number;
  title: string;
  note: string;
}

/** Query or key: its name, the row's words (small, then bold), its numbers, and how they are written. (ui/inside/answer.py) */
export interface AnswerVector {
  name: string;
  small: string;
  word: string;
  values: Float32Array;
  digits: string[];
}

/** What the view `architecture` answers, by event. */
export interface ArchitectureAnswers {
  picked: StripBlock;
  released: boolean;
}

/** How the reader arranged the wall: order of the heads, score under each, least score kept, colours. (ui/shared/map_data.py) */
export interface Arranged {
  sort: Sort;
  badge: string;
  least: number | null;
  tone: Tone | null;
}

/** What the view `atlas` answers, by event. */
export interface AtlasAnswers {
  picked: AtlasPick;
  arranged: Listed;
}

/** All heads of an atlas; `kind` selects the table and `opened` is the open head. (ui/heads/atlas.py) */
export interface AtlasData {
  kind: Kind;
  opened: AtlasPick;
  listed: Listed;
  title: string;
  subtitle: string;
  file: string;
  kinds: AtlasKind[];
  heads: AtlasHead[];
  scores: AtlasScore[];
  columns: Record<Kind, string[]>;
  roles: string[];
  sentences: number;
  numbers: Float32Array;
}

/** A head with its roles, and where its dot stands on the map, None where it has none. (ui/heads/atlas.py) */
export interface AtlasHead {
  kind: Kind;
  layer: number;
  head: number;
  roles: string[];
  position: number[] | null;
}

/** A kind of attention that the atlas has, and its names. (ui/heads/atlas.py) */
export interface AtlasKind {
  kind: Kind;
  words: string;
  name: string;
}

/** A head of the model; layer and head count from 0. (ui/heads/atlas.py) */
export interface AtlasPick {
  kind: Kind;
  layer: number;
  head: number;
}

/** A score of the atlas; `explained` are lines of (word, what it means). (ui/heads/atlas.py) */
export interface AtlasScore {
  name: string;
  label: string;
  units: string;
  low: number;
  high: number | null;
  definition: string;
  explained: [string, string][];
}

/** One token of one hypothesis. (ui/shared/decode.py) */
export interface BeamNode {
  id: number;
  parent: number | null;
  step: number;
  label: string;
  logprob: number;
  score: number;
  kept: boolean;
  finished: boolean;
  best: boolean;
}

/** One box of the drawing: its name, its choices and whether each differs from the paper's; `kind` gives its colour. (core/learning/tutorials.py) */
export interface Block {
  name: string;
  kind: string;
  lines: [string, boolean][];
}

/** A paragraph, one item of a list, or lines of code. (ui/learn/panel.py) */
export interface BlockData {
  kind: BlockKind;
  spans: [string, string, string][];
}

export type BlockKind = 'p' | 'item' | 'number' | 'code';

/** What the view `breaking` answers, by event. */
export interface BreakingAnswers {
  chosen: number;
  ablated: number;
}

/** All steps; `breaks`: the first number of heads at which the text differs. `at`: the number that is shown. (ui/what_if/page.py) */
export interface BreakingData {
  steps: BreakingStep[];
  kind: Kind;
  at: number;
  breaks: number | null;
  title: string;
  subtitle: string;
  readout: string;
  word: string;
  file: string;
}

/** The text with the first `heads` heads ablated, the pinned word's probability, and the head ablated last. (ui/what_if/page.py) */
export interface BreakingStep {
  heads: number;
  words: Word[];
  probability: number;
  last: string;
}

/** One operation. `first` is the first row that is drawn of `of`; `reads` are the operations that it is computed from. (ui/inside/head.py) */
export interface CardData {
  key: string;
  part: string;
  title: string;
  short: string;
  formula: string;
  says: string;
  shape: string;
  rows: string[];
  cols: string[];
  row_axis: string;
  col_axis: string;
  first: number;
  of: number;
  focus: number | null;
  band: [number, number] | null;
  look: string;
  reads: string[];
  values: Float32Array;
}

/** The name of the files that a figure leaves the page as. (ui/shared/mount.py) */
export interface ChartData {
  file: string;
}

/** The choices over the tiles and the one that is chosen. (ui/shared/head_views.py) */
export interface Choice {
  label: string;
  options: Option[];
  chosen: string;
}

/** A choice; once answered also its number, and to a reader who chose it wrongly the sentence why. (ui/learn/panel.py) */
export interface ChoiceData {
  words: [string, string, string][];
  number: string;
  why: [string, string, string][];
}

/** The lines of a step's picture, what they begin with as (kind, words), and the pressed one, None while none is. (ui/learn/code_lines.py) */
export interface CodeData {
  given: [string, string][];
  lines: string[];
  pressed: LineData | null;
}

/** A stack from the bottom up: what comes before its layers, one layer, how many there are, what comes after. (core/learning/tutorials.py) */
export interface Column {
  title: string;
  kind: string;
  before: Block[];
  layer: Block[];
  times: number;
  times_differ: boolean;
  after: Block[];
}

/** What the view `compare` answers, by event. */
export interface CompareAnswers {
  viewed: PairLook;
  moved: Moved;
}

/** Two sides, and second − first where their words are the same (two sentences have their own). (ui/shared/two_maps.py) */
export interface CompareData {
  kind: Kind;
  title: string;
  subtitle: string;
  looked: PairLook;
  report: boolean;
  tall: number;
  file: string;
  moves: number[];
  names: [string, string];
  subjects: [string, string];
  heads: [string, string] | null;
  positions: [number, number];
  distribution: [boolean, boolean];
  hidden: [number[] | null, number[] | null];
  reads: [string[], string[]];
  rows: [string[], string[]];
  cols: [string[], string[]];
  comparable: boolean;
  tips: string[];
  largest: [number, number, boolean] | null;
  first: Float32Array;
  second: Float32Array;
}

/** A number that was measured at some of the steps; `column` names it in files. (ui/learn/dynamics.py) */
export interface Curve {
  name: string;
  points: [number, number][];
  column: string;
}

/** The limit of what may be written: how many words it keeps, and its name, such as "nucleus p = 0.90". (ui/shared/decode.py) */
export interface Cut {
  count: number;
  label: string;
}

/** What the view `dynamics` answers, by event. */
export interface DynamicsAnswers {
  looked: TrainingLook;
}

/** One kind of attention of one probe sentence, over all records of a training; `dynamics_data` makes it. (ui/learn/dynamics.py) */
export interface DynamicsData {
  kind: Kind;
  looked: TrainingLook;
  total: number;
  live: boolean;
  trained: boolean;
  warmup: number;
  plays: boolean;
  about: string;
  tall: number;
  sudden: number;
  file: string;
  kind_name: string;
  kind_words: string;
  steps: number[];
  layers: number;
  heads: number;
  rows: string[];
  reads: string[];
  cols: string[];
  losses: Curve[];
  quality: Curve;
  scores: TrainingScore[];
  drops: [number, number, number, number, number, number, number, number][];
  dated: number;
  sentences: number;
  source: string;
  target: string;
  packed: Uint8Array;
  numbers: Float32Array;
}

/** The chosen word where it is below the top; its rank counts from 1. (ui/shared/decode.py) */
export interface Extra {
  label: string;
  probability: number;
  rank: number;
}

/** A candidate clicked: write token `id` at target position `position`, dropping what followed. (ui/translate/stage.py) */
export interface Forced {
  position: number;
  id: number;
  label: string;
}

/** Heads under one name. `presses`: what a click on the name does; without words it is no button. `counts` explains `count`. (ui/shared/head_views.py) */
export interface Group {
  name: string;
  kind: Kind;
  tiles: Tile[];
  look: Look;
  means: string;
  count: string;
  presses: string;
  counts: string;
}

/** What the view `head` answers, by event. */
export interface HeadAnswers {
  pinned: Pins;
  viewed: Viewed;
}

/** One to eight maps over the same tokens. Raises `InputError` for maps that do not fit their mode, labels or each other. (ui/shared/head_views.py) */
export interface HeadData {
  rows: string[];
  cols: string[];
  kind: Kind;
  mode: Mode;
  title: string;
  tag: string;
  subtitle: string;
  current: number | null;
  reads: string[];
  one_label: boolean;
  distribution: boolean;
  pins: Pins;
  viewed: Viewed;
  report: boolean;
  file: string;
  ranking: [number, number, number][];
  bare: boolean;
  quantity: Quantity | null;
  unit: Unit;
  heads: OpenMap[];
  pairs: [number, number][];
  written: number;
}

export type How = 'mean' | 'max';

/** What the view `inside` answers, by event. */
export interface InsideAnswers {
  picked: Picked;
  every: boolean;
}

/** The cards of a head at one token. (ui/inside/head.py) */
export interface InsideData {
  cards: CardData[];
  kind: Kind;
  attention: string;
  layer: number;
  head: number;
  token: string;
  writes: string;
  stamp: string;
  picked: Picked;
  every: boolean;
  why: WhyData | null;
  report: boolean;
  file: string;
}

/** What the view `joint` answers, by event. */
export interface JointAnswers {
  stepped: number;
}

/** The three kinds together, one head (or a mean) of each. (ui/shared/map_data.py) */
export interface JointData {
  encoder: Float32Array;
  cross: Float32Array;
  causal: Float32Array;
  source: string[];
  subject: string;
  title: string;
  subtitle: string;
  keys: boolean;
  report: boolean;
  file: string;
  measure: string;
  tops: Record<Kind, number>;
  target: string[];
  steps: number;
  step: number;
  labels: Record<Kind, string>;
  mode: 'weights' | 'contribution' | 'length';
  one_label: boolean;
}

export type Kind = 'encoder' | 'causal' | 'cross';

/** All maps of one kind, one byte a cell as the wall has them; `marked`: the cell that is outlined. (ui/shared/head_views.py) */
export interface KindMaps {
  heads: number;
  shape: [number, number];
  causal: boolean;
  marked: [number, number] | null;
  levels: Uint8Array;
}

/** The text of each layer, the lowest first, and the words around them. (ui/inside/lenses.py) */
export interface LadderData {
  layers: LayerText[];
  title: string;
  subtitle: string;
  note: string;
  file: string;
}

/** A translation from one layer of the encoder, its difference from that of the last, and the share of the last one's words that it has. (ui/inside/lenses.py) */
export interface LayerText {
  name: string;
  text: string;
  difference: ['same' | 'missing' | 'extra', string][];
  shared: number;
}

/** What the view `lens` answers, by event. */
export interface LensAnswers {
  picked: [number, number] | null;
}

/** `tops` and `shares` (depths, steps, k), `ranks` and `finals` (depths, steps); `tops` are indices of `labels`. (ui/inside/lenses.py) */
export interface LensData {
  steps: string[];
  depths: string[];
  labels: string[];
  tops: Float32Array;
  shares: Float32Array;
  ranks: Float32Array;
  finals: Float32Array;
  choices: number[];
  normed: boolean;
  cell: [number, number] | null;
  report: boolean;
  file: string;
  k: number;
}

/** What the view `lesson` answers, by event. */
export interface LessonAnswers {
  moved: Pressed;
}

/** One step of a lesson. `step` counts from 0; `titles`, `asks` and `answered` are of all steps. `code` is None without. (ui/learn/panel.py) */
export interface LessonData {
  lesson: string;
  title: [string, string, string][];
  blocks: BlockData[];
  question: QuestionData | null;
  step: number;
  titles: string[];
  asks: boolean[];
  answered: boolean[];
  words: Words;
  counted: string;
  kind: Kind;
  language: string;
  code: CodeData | null;
}

/** The pressed line, from 0: what its result is, its shape, the token whose row is given, and that row's first numbers. (ui/learn/code_lines.py) */
export interface LineData {
  number: number;
  says: string;
  shape: string;
  row: string;
  numbers: string;
}

/** How the reader lists the heads: order by `score`, those of one layer or role alone ("none": without a role). (ui/heads/atlas.py) */
export interface Listed {
  sort: Sort;
  score: string;
  layer: number | null;
  role: string;
}

/** A live page: `bytes` is the size of the unpacked model (0: the page has none), `heads` (layer, head) open of each kind, `languages` its words by code, and `stored` the picture that it shows before the model is unpacked, or all there is without one. (ui/export/live/page.py) */
export interface LiveData {
  bytes: number;
  name: string;
  parameters: string;
  examples: string[];
  heads: Record<Kind, [number, number]>;
  languages: Record<string, LiveWords>;
  stored: LivePicture;
}

/** One decode as the page draws it. (ui/export/live/page.py) */
export interface LivePicture {
  text: string;
  source: string[];
  target: string[];
  reads: string[];
  source_ids: number[];
  ids: number[];
  steps: StepData[];
  grown: [number, string][];
  forced: number[];
  ended: boolean;
  pair: [number, number] | null;
  shapes: Record<Kind, [number, number, number, number]>;
  weights: Record<Kind, Float32Array>;
}

/** What Python says of the model in one language, and the language's `spoken` words of the views. (ui/export/live/page.py) */
export interface LiveWords {
  name: string;
  spoken: Spoken;
  about: string;
  notes: string[];
  kinds: Record<Kind, string>;
  subjects: string[][];
  metrics: [string, string][];
}

export type Look = 'rows' | 'large' | 'small' | 'heading';

/** A block of the strip: its name, one fact, and where a click leads. (ui/app/navigation.py) */
export interface MapBlock {
  title: string;
  fact: string;
  where: string;
}

/** The strip: its blocks, and those in view. (ui/app/navigation.py) */
export interface MapData {
  blocks: Record<StripBlock, MapBlock>;
  lit: StripBlock[];
  about: string;
  early: string;
  pinned: boolean;
}

/** The gold alignment after a click on a cell: (row, column, whether it is sure). (ui/heads/alignment.py) */
export interface Marked {
  cells: [number, number, boolean][];
}

export type Mode = 'weights' | 'scores' | 'masked' | 'difference' | 'contribution' | 'length';

/** A weight that the reader gave to a cell of the second map. (ui/shared/two_maps.py) */
export interface Moved {
  row: number;
  column: number;
  thousandths: number;
}

/** What is offered, and the two buttons. (ui/learn/catalogue.py) */
export interface OfferData {
  offer: string;
  take: string;
  no: string;
}

/** A group, by its number from 0. (ui/shared/head_views.py) */
export interface OneGroup {
  number: number;
}

/** A head of the model; layer and head count from 0. (ui/shared/head_views.py) */
export interface OneHead {
  kind: Kind;
  layer: number;
  head: number;
}

/** One map as it is drawn: exact numbers, or a byte a weight where many heads are laid over each other. (ui/shared/head_views.py) */
export interface OpenMap {
  name: string;
  subject: string;
  hidden: number[] | null;
  values: Float32Array | Uint8Array;
}

/** The heads that stand open, the first and those laid over it; none when the reader closed them. (ui/shared/head_views.py) */
export interface Opened {
  heads: [number, number][];
}

/** The head that opens where none was chosen, and why. (ui/translate/stage.py) */
export interface OpensHead {
  layer: number;
  head: number;
  why: string;
}

/** One of the choices over the tiles; a `hint` says why it is not `enabled`. (ui/shared/head_views.py) */
export interface Option {
  value: string;
  label: string;
  enabled: boolean;
  hint: string;
}

/** The pinned cell, and whether colours are logarithmic. (ui/shared/two_maps.py) */
export interface PairLook {
  cell: [number, number | null, number | null] | null;
  log: boolean;
}

/** The open card, and the cell that is asked about (row, column), or None. (ui/inside/answer.py) */
export interface Picked {
  card: string;
  cell: [number, number] | null;
}

/** The hypothesis that ends with this node. (ui/translate/stage.py) */
export interface PickedNode {
  id: number;
}

/** The pinned pair on a wall: its cell, outlined in every picture, and how its heads are ordered. (ui/shared/map_data.py) */
export interface PinnedCell {
  row: number;
  column: number;
  name: string;
  score: string;
  order: number[];
}

/** Pinned tokens: rows and columns of the map. (ui/shared/head_views.py) */
export interface Pins {
  rows: number[];
  columns: number[];
}

/** What the reader pressed: a step, a choice or a line of code by its number from 0, the cross, or the way to all lessons. (ui/learn/panel.py) */
export interface Pressed {
  way: Way;
  number: number;
}

/** `name` stands in titles and legends ("ALTI+"); `top` is the largest number of all maps of the kind, drawn in full colour: 1 for shares. (ui/shared/map_data.py) */
export interface Quantity {
  name: string;
  unit: 'share' | 'length';
  top: number;
  pictures: string[];
  rows: string[];
  aside: boolean;
}

/** A question with its choices; once answered also what was answered, the choice that holds for the model (None where none does), the sentence about it, and what follows. (ui/learn/panel.py) */
export interface QuestionData {
  ask: [string, string, string][];
  choices: ChoiceData[];
  answer: number | null;
  holds: number | null;
  verdict: [string, string, string][];
  then: BlockData[];
}

/** What the view `run_token` answers, by event. */
export interface RunTokenAnswers {
  claimed: string;
}

/** The token that the tab is to keep; when the run is `gone` it forgets what it keeps. (ui/learn/watch.py) */
export interface RunTokenData {
  token: string;
  gone: boolean;
}

/** The picture of a lesson's step. `weights` (R, K) are the rows that are known: without the last one while it is covered. (ui/learn/panel.py) */
export interface SceneData {
  kind: Kind;
  title: string;
  subtitle: string;
  readout: string;
  covered: boolean;
  rows: SceneRow[];
  keys: string[];
  chosen: number | null;
  best: number | null;
  known: [string, string][];
  weights: Float32Array;
}

/** A row of the map by its tokens: the one it reads and, of a decoder row, the one it writes. (ui/learn/panel.py) */
export interface SceneRow {
  read: string;
  written: string;
}

/** A score of every head, to four digits, None where unknown, and from where on it is highlighted. (ui/shared/map_data.py) */
export interface ScoreData {
  label: string;
  units: string;
  mark: number | null;
  down: boolean;
  values: (number | null)[];
  definition: string;
  percent: boolean;
  explained: [string, string][];
}

/** What the view `slide` answers, by event. */
export interface SlideAnswers {
  changed: SlideChange;
}

/** The card that the reader shows alone, empty for the whole page; `missing`: there is no such card here. (ui/app/frame.py) */
export interface SlideChange {
  card: string;
  missing: boolean;
}

/** The card that is shown alone; empty: the whole page. (ui/app/frame.py) */
export interface SlideData {
  card: string;
}

export type Sort = 'model' | 'high' | 'low';

/** What the view `stage` answers, by event. */
export interface StageAnswers {
  forced: Forced;
  view: StageLook;
  pinned: Pins;
}

/** A whole decode: every step of every head. Raises ValueError when shapes and labels disagree. (ui/translate/stage.py) */
export interface StageData {
  source: string[];
  target: string[];
  reads: string[];
  position: number;
  layer: number | null;
  head: number | null;
  ended: boolean;
  forced: number[];
  notes: string[];
  id: string;
  writes: boolean;
  grown: [number, string][];
  remarks: string[];
  opens: OpensHead | null;
  kind: Kind;
  kind_name: string;
  forcible: boolean;
  pins: Pins;
  weights: Uint16Array;
  shape: [number, number, number, number];
  layers: number;
  heads: number;
  steps: StepData[];
  subjects: string[][];
  metrics: [string, string][];
}

/** Where the reader came to rest: tokens written, layer and head (None = mean). (ui/translate/stage.py) */
export interface StageLook {
  position: number;
  layer: number | null;
  head: number | null;
}

/** One step's next-word distribution, cut to what is drawn. (ui/shared/decode.py) */
export interface StepData {
  ids: number[];
  labels: string[];
  probabilities: number[];
  rest: [number, number];
  chosen: number | null;
  forced: boolean;
  barred: number[];
  fixed: number | null;
  cut: Cut | null;
  extra: Extra | null;
}

export type StripBlock = 'source' | 'encoder' | 'memory' | 'decoder' | 'cross' | 'next';

/** One of the largest terms of a number: its index, its name, its value, and the factors it is the product of. (ui/inside/head.py) */
export interface Term {
  index: number;
  name: string;
  value: number;
  a: number | null;
  b: number | null;
}

/** The terms of the number that is asked about, None where none is. (ui/inside/head.py) */
export interface TermsData {
  why: WhyData | null;
}

/** Nothing: the browser knows which colours it has. (ui/shared/mount.py) */
export type ThemeData = object;

/** What the view `theme_watch` answers, by event. */
export interface ThemeWatchAnswers {
  switched: string;
}

/** A head's small map. (ui/shared/head_views.py) */
export interface Tile {
  kind: Kind;
  layer: number;
  head: number;
  hint: string;
  value: string;
  share: number | null;
  threshold: number | null;
  low: number | null;
  high: number | null;
  chance: number | null;
  n: number | null;
  off: boolean;
  held: boolean;
}

/** What the view `tiles` answers, by event. */
export interface TilesAnswers {
  picked: OneHead;
  pressed: OneGroup;
  chosen: string;
}

/** Groups of small maps. `switches`: each is pressed or not, else one is open. `maps` holds the kinds that are drawn. (ui/shared/head_views.py) */
export interface TilesData {
  groups: Group[];
  maps: Record<string, KindMaps>;
  title: string;
  subtitle: string;
  open: OneHead | null;
  switches: boolean;
  choice: Choice | null;
  notes: string[];
  file: string;
}

export type Tone = 'weight' | 'log' | 'each';

/** What the view `tour` answers, by event. */
export interface TourAnswers {
  taken: boolean;
}

/** One of the two: its name, losses, and at each shown step both maps, step by step, `(steps · T · S)` flat. (ui/learn/watch.py) */
export interface TrainingData {
  title: string;
  subtitle: string;
  outcome: string;
  losses: number[];
  causal: Float32Array;
  cross: Float32Array;
  written: string[];
  masked: boolean;
}

/** Where the reader came to rest: a step (None: the newest), a head, the score under it. (ui/learn/dynamics.py) */
export interface TrainingLook {
  step: number | null;
  layer: number;
  head: number;
  score: string;
}

/** A score of heads, in words, and the ends of its scale. (ui/learn/dynamics.py) */
export interface TrainingScore {
  name: string;
  label: string;
  units: string;
  low: number;
  high: number | null;
  definition: string;
}

/** What the view `tree` answers, by event. */
export interface TreeAnswers {
  picked: PickedNode;
}

/** A search in full. The node `selected` is outlined; a score is the log-probability divided by the length. (ui/translate/stage.py) */
export interface TreeData {
  nodes: BeamNode[];
  beam: number;
  selected: number | null;
  id: string;
}

/** Both trainings on one held-out word. `reads` and `writes` are the labels of rows; `steps` those of the maps. (ui/learn/watch.py) */
export interface TwoTrainingsData {
  title: string;
  subtitle: string;
  readout: string;
  source: string[];
  reads: string[];
  writes: string[];
  loss_steps: number[];
  steps: number[];
  trainings: TrainingData[];
  about: string;
}

/** Weights (rows, columns), NaN where attending is not allowed. `reads`: what each decoder row reads; else empty. (ui/heads/roles.py) */
export interface TypicalData {
  rows: string[];
  reads: string[];
  cols: string[];
  kind: Kind;
  label: string;
  file: string;
  values: Float32Array;
}

export type Unit = 'share' | 'points' | 'number' | 'length';

/** How the reader looks at the open map. None leaves it to the view, which goes by the map's size. (ui/shared/head_views.py) */
export interface Viewed {
  threshold: number | null;
  log: boolean | null;
  zoom: [number, number, number, number] | null;
}

/** What the view `wall` answers, by event. */
export interface WallAnswers {
  picked: Opened;
  arranged: Arranged;
}

/** All heads of one kind as small pictures, one byte a cell; `wall_data` makes it. (ui/shared/map_data.py) */
export interface WallData {
  rows: string[];
  cols: string[];
  kind: Kind;
  reads: string[];
  arranged: Arranged;
  all_heads: AllHeads;
  title: string;
  subtitle: string;
  how: string;
  hidden: boolean;
  tall: number;
  file: string;
  about: string;
  quantity: Quantity | null;
  open: number[] | null;
  pair: PinnedCell | null;
  controls: boolean;
  words: string;
  one_label: boolean;
  distribution: boolean;
  layers: number;
  heads: number;
  shape: [number, number];
  keys: number;
  size: number;
  block: [number, number];
  labelled: boolean;
  causal: boolean;
  square: boolean;
  written: number;
  scores: Record<string, ScoreData>;
  levels: Uint8Array;
  digest: string;
}

export type Way = 'step' | 'answer' | 'line' | 'close' | 'home';

/** The terms that make the number in a cell of a card; `stamp` says of which numbers that card is. (ui/inside/head.py) */
export interface WhyData {
  stamp: string;
  card: string;
  row: number;
  column: number;
  formula: string;
  count: number;
  largest: Term[];
  others: number;
  total: number;
  steps: [string, string, number | string | null, number | string | null][];
  value: number | string | null;
  shown: number | string | null;
  a_name: string;
  b_name: string;
  what: string;
  a: Float32Array;
  b: Float32Array;
  terms: Float32Array;
}

/** A word or a mark of one of two texts; `spaced`: a space stands before it. (core/analysis/readout.py) */
export interface Word {
  text: string;
  same: boolean;
  spaced: boolean;
}

/** What is written on the panel and the shelf; a `words.toml` that leaves one out has it in English. `{n}` and the like are filled in by `fill`. (ui/learn/shelf.py) */
export interface Words {
  name: string;
  decimal: string;
  lesson: string;
  step_of: string;
  further: string;
  further_of: string;
  next: string;
  back: string;
  done: string;
  close: string;
  fold: string;
  unfold: string;
  again: string;
  predict: string;
  yours: string;
  model: string;
  measured: string;
  right: string;
  wrong: string;
  neither: string;
  waiting: string;
  computed: string;
  keys: string;
  minutes: string;
  steps: string;
  begin: string;
  code: string;
  show_code: string;
  hide_code: string;
  covered: string;
  press: string;
  links: string;
  title: string;
  about: string;
  handout: string;
  tour: string;
  offer: string;
  take: string;
  no: string;
  own: string;
}
