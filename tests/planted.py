"""The faults that `mutations.py` plants, by view: a text of the sources, what takes its place, and the tests to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Fault:
    """`find` occurs once in the sources of the app, in whatever file; `tests` are pytest ids, of which one must fail."""

    name: str
    find: str
    replace: str
    tests: tuple[str, ...]


_TRANSLATE = "tests/browser/test_golden_translate.py::test_"
_ATTENTION = "tests/browser/test_golden_attention.py::test_"
_TWO = "tests/browser/test_golden_joint_and_compare.py::test_"
_TABLES = "tests/browser/test_golden_tables.py::test_"
STAGE = (f"{_TRANSLATE}the_stage_tells_the_row_and_the_distribution_of_every_step",)
STAGE_TABLE = (f"{_TRANSLATE}the_table_of_the_stage_has_the_mean_and_the_written_words",)
FORCED = (f"{_TRANSLATE}a_forced_word_is_written_where_it_was_chosen",)
BEAM = (f"{_TRANSLATE}every_hypothesis_has_the_log_probability_of_its_own_words",)
_WALL = f"{_ATTENTION}the_wall_and_one_head_show_what_the_model_computed"
ENCODER, CAUSAL, CROSS = ((f"{_WALL}[{kind}]",) for kind in ("encoder", "causal", "cross"))
AHEAD = (f"{_ATTENTION}the_mean_is_over_every_head_before_and_after_the_server_answers",)
REDUCED = (f"{_ATTENTION}several_heads_are_reduced_as_the_title_says",)
SCORES = (f"{_ATTENTION}scores_are_those_before_the_softmax",)
HIDDEN = (f"{_ATTENTION}hidden_specials_leave_their_own_row_and_column",)
SORTED = (f"{_ATTENTION}a_sorted_wall_stands_in_the_order_of_its_badge",)
JOINT = (f"{_TWO}the_joint_view_tells_and_draws_the_maps_of_its_step",)
TWO_HEADS = (f"{_TWO}two_heads_and_their_difference",)
TWO_STEPS = (f"{_TWO}two_steps_are_the_rows_of_their_words",)
TWO_CAUSAL_STEPS = (f"{_TWO}two_steps_of_causal_heads_read_what_was_written_before",)
TWO_SENTENCES = (f"{_TWO}two_sentences_have_their_own_words_and_numbers",)
POSITIONS = (f"{_TABLES}the_clock_the_table_and_the_similarity_are_those_of_the_model",)
NORMS = (f"{_TABLES}the_norms_and_the_stream_are_those_of_the_chosen_token",)
GAINS = (f"{_TABLES}the_gains_are_those_of_the_chosen_norm",)
REPORT = ("tests/browser/test_golden_report.py::test_the_report_holds_every_map_and_step",)
_TICKS = "tests/ui/shared/test_ticks.py::test_"
_RUN = "tests/core/experiments/test_what_if.py::test_"
_HEADS = "tests/core/experiments/test_importance.py::test_"
_CHANGED = "tests/browser/test_golden_what_if.py::test_"
_PARTS = "tests/core/analysis/test_contributions.py::test_"
_LINKS = "tests/core/analysis/test_alignment.py::test_"
REACH = (
    "tests/browser/test_golden_contributions.py::test_every_measure_of_every_kind_is_what_plain_loops_find",
)
REACH_JOINT = (
    "tests/browser/test_golden_contributions.py::test_the_joint_view_draws_both_halves_of_the_same_row",
)
LENS = ("tests/browser/test_golden_lenses.py::test_the_lens_and_the_ladder_are_what_plain_loops_find",)
STRIP = ("tests/browser/test_golden_lenses.py::test_the_strip_says_what_plain_loops_find",)

TRANSLATE: Final = (
    Fault(
        "the stage's row one step off",
        "const row = rests ? -1 : position - 1;",
        "const row = rests ? -1 : Math.max(0, position - 2);",
        STAGE,
    ),
    Fault(
        "the end token's row lit at rest",
        "const row = rests ? -1 : position - 1;",
        "const row = position - 1;",
        STAGE,
    ),
    Fault(
        "the whole map told by its smallest weights",
        "(_, i) => Math.max(...rowOf(sheet, i)));",
        "(_, i) => Math.min(...rowOf(sheet, i)));",
        STAGE,
    ),
    Fault(
        "next-word distribution one step off",
        "for place, row in enumerate(logits):",
        "for place, row in enumerate(np.roll(logits, 1, axis=0)):",
        STAGE,
    ),
    Fault(
        "next-word distribution one step off in the browser",
        "data.steps[within(0, position - 1, data.steps.length - 1)]",
        "data.steps[within(0, position, data.steps.length - 1)]",
        STAGE,
    ),
    Fault(
        "the word marked in the distribution is the one read",
        "chosen=trace.written_ids[place],",
        "chosen=trace.target_ids[place],",
        STAGE,
    ),
    Fault(
        "the stage's sentence names the word before",
        "rowSentence(rowOf(sheet, only), sheet.rows[only],",
        "rowSentence(rowOf(sheet, only), sheet.rows[Math.max(0, only - 1)],",
        STAGE,
    ),
    Fault(
        "the growing map one row late",
        "shares[i * source.length + j]",
        "shares[Math.max(0, i - 1) * source.length + j]",
        STAGE,
    ),
    Fault(
        "lines end at the next word",
        "const [from, to] = [target[i], source[j]];",
        "const [from, to] = [target[i], source[(j + 1) % source.length]];",
        STAGE,
    ),
    Fault(
        "the stage's mean over heads is head 0",
        "for (const h of fromHeads) {",
        "for (const h of fromHeads.map(() => 0)) {",
        STAGE,
    ),
    Fault(
        "the stage's heads in reverse",
        '"weights": quantise(sent),',
        '"weights": quantise(sent[:, ::-1]),',
        STAGE,
    ),
    Fault(
        "a forced word one place later",
        "position: Math.max(0, this.place.position - 1) });",
        "position: this.place.position });",
        FORCED,
    ),
    Fault(
        "a forced word written one place later",
        "wanted = dict(selection.force)",
        "wanted = {place + 1: token for place, token in selection.force}",
        FORCED,
    ),
    Fault(
        "a beam node's log-probability is its sibling's",
        "logprob=node.total,",
        "logprob=session.tree[max(0, node.id - 1)].total,",
        BEAM,
    ),
    Fault(
        "a beam node's score not divided by its length",
        "score=node.score,\n            kept=node.kept,\n            finished=node.finished,\n            best=node.best,",
        "score=node.total,\n            kept=node.kept,\n            finished=node.finished,\n            best=node.best,",
        BEAM,
    ),
)

ATTENTION: Final = (
    Fault(
        "cross rows labelled with the word read",
        '"cross": ("written", "source"),',
        '"cross": ("target", "source"),',
        CROSS,
    ),
    Fault(
        "causal rows labelled with the word written",
        '"causal": ("target", "target"),',
        '"causal": ("written", "target"),',
        CAUSAL,
    ),
    Fault(
        "stored wall values transposed",
        "levels = pictures.ravel()",
        "levels = pictures.swapaxes(2, 3).ravel()",
        CROSS,
    ),
    Fault(
        "stored wall values of the causal kind transposed",
        "levels = pictures.ravel()",
        "levels = pictures.swapaxes(2, 3).ravel()",
        CAUSAL,
    ),
    Fault(
        "the wall's bytes without their square root",
        "np.rint(LEVELS * np.sqrt(",
        "np.rint(LEVELS * (",
        ENCODER,
    ),
    Fault(
        "the wall in the colour of another kind",
        "this.table = rampTable(colours.panel, colours[meta.kind]);",
        "this.table = rampTable(colours.panel, colours.cross);",
        ENCODER,
    ),
    Fault(
        "badges of another layer",
        "analysis.head_scores(full.weights, kind,",
        "analysis.head_scores(np.roll(full.weights, 1, axis=0), kind,",
        CROSS,
    ),
    Fault(
        "the drawn badge of the next head",
        "this.meta.scores[name ?? '']?.values[head] ?? null",
        "this.meta.scores[name ?? '']?.values[(head + 1) % this.pictures.length] ?? null",
        ENCODER,
    ),
    Fault(
        "a sorted wall upside down",
        "const sign = this.own.order === 'high' ? -1 : 1;",
        "const sign = this.own.order === 'high' ? 1 : -1;",
        SORTED,
    ),
    Fault(
        "the open head's numbers transposed",
        "np.concatenate([value.ravel() for value in values[:exact]])",
        "np.concatenate([value.T.ravel() for value in values[:exact]])",
        ENCODER,
    ),
    Fault(
        "the previous head opened",
        "drawn = view.one_map(values, layer, head, selection.how)",
        "drawn = view.one_map(values, layer, head - (head > 0), selection.how)",
        CROSS,
    ),
    Fault(
        "the previous head's readout until the server answers",
        "list.map((head) => weightsOf(meta, levels, head))",
        "list.map((head) => weightsOf(meta, levels, Math.max(0, head - 1)))",
        AHEAD,
    ),
    Fault(
        "the browser's mean over heads is head 0",
        "weightsOf(meta, levels, head).forEach(",
        "weightsOf(meta, levels, 0).forEach(",
        AHEAD,
    ),
    Fault(
        "mean over heads is head 0",
        'reduced = some.mean(axis=(0, 1)) if how == "mean"',
        'reduced = some[0, 0] if how == "mean"',
        REDUCED,
    ),
    Fault(
        "the stage's table is head 0",
        'reduced = some.mean(axis=(0, 1)) if how == "mean"',
        'reduced = some[0, 0] if how == "mean"',
        STAGE_TABLE,
    ),
    Fault(
        "maximum over heads is the mean", "else some.max(axis=(0, 1))", "else some.mean(axis=(0, 1))", REDUCED
    ),
    Fault(
        "CSV labels shifted",
        "[i, query, j, key, number(full",
        "[i, query, j, keys[j - 1], number(full",
        STAGE_TABLE,
    ),
    Fault(
        "CSV labels of a head shifted in the browser",
        "[i, sheet.rows[i], j, word, number(",
        "[i, sheet.rows[i], j, sheet.cols[(j + 1) % sheet.cols.length], number(",
        CROSS,
    ),
    Fault(
        "the heatmap's row labels shifted",
        "shorten(visible(sheet.rows[i]), g.labelRoom.row",
        "shorten(visible(sheet.rows[(i + 1) % sheet.rows.length]), g.labelRoom.row",
        CROSS,
    ),
    Fault(
        "a pinned row one off",
        "_place(maps.queries, int(pin[1:]))",
        "_place(maps.queries, int(pin[1:]) + 1)",
        CROSS,
    ),
    Fault(
        "hidden specials' mask off by one",
        "weights=analysis.hide_keys(full, special_keys)",
        "weights=analysis.hide_keys(full, np.roll(special_keys, 1))",
        HIDDEN,
    ),
    Fault(
        "hidden specials' labels off by one",
        "_without(keys, special_keys)",
        "_without(keys, np.roll(special_keys, 1))",
        HIDDEN,
    ),
    Fault(
        "weights shown as masked scores",
        'values = view.raw_scores(trace, maps.kind, masked=selection.draw == "masked")',
        "values = maps.weights",
        SCORES,
    ),
    Fault(
        "scores shown as masked scores",
        '*PLACES[kind], "masked_scores" if masked else "scores"',
        '*PLACES[kind], "scores" if masked else "scores"',
        SCORES,
    ),
    Fault(
        "the joint sentence one step off",
        "rowSentence(times(rowOf(cross, step - 1), tops.cross), target[step]",
        "rowSentence(times(rowOf(cross, Math.max(0, step - 2)), tops.cross), target[step]",
        JOINT,
    ),
    Fault(
        "the joint sentence about the word before",
        "rowSentence(times(rowOf(cross, step - 1), tops.cross), target[step]",
        "rowSentence(times(rowOf(cross, step - 1), tops.cross), target[step - 1]",
        JOINT,
    ),
    Fault(
        "the joint view's own words one step off",
        "const self = rowOf(causal, step - 1).slice(0, step);",
        "const self = rowOf(causal, Math.max(0, step - 2)).slice(0, step);",
        JOINT,
    ),
    Fault(
        "another layer's map in the joint view",
        "values = stacks[kind][at[kind]]",
        "values = stacks[kind][at[kind] - 1]",
        JOINT,
    ),
    Fault(
        "another map drawn in the joint view",
        "const sheet = sheets[kind];",
        "const sheet = sheets[kind === 'cross' ? 'encoder' : kind];",
        JOINT,
    ),
    Fault(
        "the joint table's rows labelled with the word read",
        "cross: { rows: written, cols: source },",
        "cross: { rows: read, cols: source },",
        JOINT,
    ),
)

COMPARE: Final = (
    Fault(
        "Compare one step off",
        "values = weights[list(chosen), :, step - 1, : len(keys)]",
        "values = weights[list(chosen), :, step - 2, : len(keys)]",
        TWO_STEPS,
    ),
    Fault(
        "Compare's causal steps one off",
        "values = weights[list(chosen), :, step - 1, : len(keys)]",
        "values = weights[list(chosen), :, step - 2, : len(keys)]",
        TWO_CAUSAL_STEPS,
    ),
    Fault(
        "Compare's word one step off",
        "word = written[step - 1]\n        name",
        "word = written[step - 2]\n        name",
        TWO_STEPS,
    ),
    Fault(
        "the difference with its sign turned",
        "=> two.at(i, j) - one.at(i, j);",
        "=> one.at(i, j) - two.at(i, j);",
        TWO_HEADS,
    ),
    Fault(
        "the difference's table with its sign turned",
        "difference = pair.second.cells(pair.kind) - pair.first.cells(pair.kind)",
        "difference = pair.first.cells(pair.kind) - pair.second.cells(pair.kind)",
        TWO_HEADS,
    ),
    Fault(
        "the second map is the first",
        "this.values = [unpack(data.first), unpack(data.second)];",
        "this.values = [unpack(data.first), unpack(data.first)];",
        TWO_HEADS,
    ),
    Fault(
        "the second sentence's map is the first's",
        "zip((ours, theirs), names, subjects, strict=True)",
        "zip((ours, ours), names, subjects, strict=True)",
        TWO_SENTENCES,
    ),
)

TABLES: Final = (
    Fault(
        "the clock's sine and cosine swapped",
        "np.arctan2(sine, cosine)",
        "np.arctan2(cosine, sine)",
        POSITIONS,
    ),
    Fault(
        "the clock's dots with sine and cosine swapped",
        "x=np.cos(angles[:count]), y=np.sin(angles[:count])",
        "x=np.sin(angles[:count]), y=np.cos(angles[:count])",
        POSITIONS,
    ),
    Fault(
        "the position table's cosines first",
        "np.concatenate([rows[:, 0::2], rows[:, 1::2]], axis=1)",
        "np.concatenate([rows[:, 1::2], rows[:, 0::2]], axis=1)",
        POSITIONS,
    ),
    Fault(
        "similarity one token off",
        'x=offsets, y=cosine, mode="lines"',
        'x=offsets + 1, y=cosine, mode="lines"',
        POSITIONS,
    ),
    Fault(
        "the turn of the pair before",
        "np.degrees(found.offset * found.per_token[found.pair])",
        "np.degrees(found.offset * found.per_token[found.pair - 1])",
        POSITIONS,
    ),
    Fault(
        "norms of the neighbouring token",
        '(table["token"] == token)]',
        '(table["token"] == token - 1)]',
        NORMS,
    ),
    Fault(
        "the stream of the neighbouring token", "on = index == token\n", "on = index == token + 1\n", NORMS
    ),
    Fault(
        "the norms' token named by the word written",
        'labels = trace.tokens.source if stack == "encoder" else trace.tokens.target\n\n    def of',
        'labels = trace.tokens.source if stack == "encoder" else trace.tokens.written\n\n    def of',
        NORMS,
    ),
    Fault(
        "a sub-layer's share upside down",
        '"ratio": _quotient(output, residual),',
        '"ratio": _quotient(residual, output),',
        NORMS,
    ),
    Fault("γ and β swapped", "gamma, beta = parameters[place]", "beta, gamma = parameters[place]", GAINS),
)

REPORTED: Final = (
    Fault(
        "another layer's maps in the report",
        "maps.append(ReportMaps(kind, drawn.weights,",
        "maps.append(ReportMaps(kind, np.roll(drawn.weights, 1, axis=0),",
        REPORT,
    ),
    Fault(
        "the report's steps named by the word read",
        "zip(decode.trace.tokens.written, decode.steps, strict=True)",
        "zip(decode.trace.tokens.target, decode.steps, strict=True)",
        REPORT,
    ),
    Fault(
        "the report opens the next head",
        "values = heads.map((head) => weightsOf(meta, levels, head))",
        "values = heads.map((head) => weightsOf(meta, levels, (head + 1) % (meta.layers * meta.heads)))",
        REPORT,
    ),
)

TICKS: Final = (
    Fault(
        "“rows sum to 1” always ticked",
        'Fact("rows sum to 1", sums <= ROUNDING, sums)',
        'Fact("rows sum to 1", True, sums)',
        (f"{_TICKS}a_row_that_does_not_sum_to_one_is_told",),
    ),
    Fault(
        "“nothing looks ahead” always ticked",
        'Fact("nothing looks ahead", ahead == 0.0, ahead)',
        'Fact("nothing looks ahead", True, ahead)',
        (f"{_TICKS}a_weight_on_a_later_word_is_told",),
    ),
    Fault(
        "“stepping equals the full pass” always ticked",
        'Fact("stepping equals the full pass", gap <= ROUNDING, gap)',
        'Fact("stepping equals the full pass", True, gap)',
        (f"{_TICKS}steps_that_differ_from_the_full_pass_are_told",),
    ),
)

WHAT_IF: Final = (
    Fault(
        "the head beside is switched off",
        "edits.head(kind, layer, head) for head in range(model.config.heads)",
        "edits.head(kind, layer, (head + 1) % model.config.heads) for head in range(model.config.heads)",
        (f"{_RUN}a_head_without_output_is_a_model_without_its_projection[post-cross]",),
    ),
    Fault(
        "the rest of a row keeps its weights beside a dragged one",
        "moved = shared * (1.0 - weight)",
        "moved = others",
        (f"{_RUN}a_dragged_weight_renormalises_its_row",),
    ),
    Fault(
        "a moved weight leaks behind the causal mask",
        "range(row + 1 if ahead else keys) if key not in hidden",
        "range(keys) if key not in hidden",
        (f"{_RUN}a_moved_weight_never_leaks_behind_the_mask",),
    ),
    Fault(
        "a moved weight goes to hidden words",
        "if key not in hidden or key in own]",
        "]",
        (f"{_RUN}a_moved_weight_never_leaks_behind_the_mask",),
    ),
    Fault(
        "the decoder's positions are swapped in the encoder",
        '("target", "decoder", model.target_embedding),',
        '("target", "encoder", model.target_embedding),',
        (f"{_RUN}swapped_positions_of_the_decoder_are_a_model_with_those_rows_swapped",),
    ),
    Fault(
        "a shuffle of one side moves the other",
        "if isinstance(step, ShufflePositions) and step.side == side:",
        "if isinstance(step, ShufflePositions):",
        (f"{_RUN}the_decoder_s_positions_are_shuffled_as_far_as_is_said",),
    ),
    Fault(
        "a frozen head is frozen in the layer's first head",
        "changed[:, frozen, :rows, :keys] = pattern[frozen, :rows, :keys].to(weights)",
        "changed[:, frozen, :rows, :keys] = pattern[:1, :rows, :keys].to(weights)",
        (f"{_RUN}a_frozen_head_keeps_its_pattern_when_the_rest_changes[post]",),
    ),
    Fault(
        "the guess is believed without a look",
        "if step + 1 < len(inputs) and inputs[step + 1] != token:",
        "if step + 1 < len(inputs) and False:",
        (f"{_RUN}the_guess_changes_nothing",),
    ),
    Fault(
        "a head's rise is the next one's",
        "rises[heads[place - 1]].append(losses[place] - losses[0])",
        "rises[heads[place % len(heads)]].append(losses[place] - losses[0])",
        (f"{_HEADS}leaving_a_head_out_is_a_pass_without_it[post]",),
    ),
    Fault(
        "the gradient with its sign",
        "append(abs(float(slope)))",
        "append(float(slope))",
        (f"{_HEADS}importance_by_gradient_is_the_mean_over_examples_of_the_size",),
    ),
    Fault(
        "what speaks for a word speaks against it",
        "effects = found[0] - found[1:]",
        "effects = found[1:] - found[0]",
        (f"{_HEADS}what_speaks_for_a_word_is_what_its_log_odds_lose_without_it[post]",),
    ),
    Fault(
        "before and after the other way round",
        'before=np.exp(found.next_word("before")),\n        after=np.exp(found.next_word("after")),',
        'before=np.exp(found.next_word("after")),\n        after=np.exp(found.next_word("before")),',
        (f"{_CHANGED}a_head_switched_off_on_the_wall",),
    ),
    Fault(
        "a click switches the head beside",
        "for (const head of list) off[head] =",
        "for (const head of list.map((each) => (each + 1) % off.length)) off[head] =",
        (f"{_CHANGED}a_head_switched_off_on_the_wall",),
    ),
    Fault(
        "a word's probability is that of the word before",
        "found.log_probabilities[places, [self.written[place] for place in places]]",
        "found.log_probabilities[np.array(places) - 1, [self.written[place] for place in places]]",
        (f"{_CHANGED}the_probability_of_every_word_before_and_after",),
    ),
    Fault(
        "the residual joins the token beside",
        "found[rows, rows] += layer.residual",
        "found[rows, rows - 1] += layer.residual",
        (f"{_PARTS}the_residual_joins_the_token_itself",),
    ),
    Fault(
        "the step that reads a word is the one before",
        "after[..., :-1, :] = full[..., 1:, :]",
        "after[..., 1:, :] = full[..., :-1, :]",
        (f"{_LINKS}writing_takes_the_row_that_writes_and_reading_the_one_after",),
    ),
    Fault(
        "possible links do not count",
        "len(links & gold.possible))",
        "len(links & gold.sure))",
        (f"{_LINKS}aer_on_paper",),
    ),
)

_WORDS = "tests/core/analysis/test_word_links.py::test_"
_ALIGNED = "tests/pages/test_alignment.py::test_"
_PLATE = "tests/browser/test_golden_alignment.py::test_"
ON_PAPER = (f"{_WORDS}aer_of_every_head_layer_and_all_layers_on_paper",)
PLAIN = (f"{_ALIGNED}the_numbers_are_those_of_plain_loops_in_both_readings",)
MARKS = (f"{_ALIGNED}marks_of_the_browser_are_bounded",)
PLATE = (f"{_PLATE}the_plate_the_wall_and_the_chart_by_weight",)

ALIGNMENT: Final = (
    Fault(
        "the two steps swapped where links are counted",
        "found = measure(word_links(values, axes, reading), gold)",
        'found = measure(word_links(values, axes, "reading" if reading == "writing" else "writing"), gold)',
        ON_PAPER,
    ),
    Fault(
        "links drawn at the step that writes, whatever was chosen",
        "links=frozenset(word_links(values, axes, reading)),",
        'links=frozenset(word_links(values, axes, "writing")),',
        (*PLATE, f"{_PLATE}the_step_that_reads_is_the_row_after"),
    ),
    Fault(
        "i-j of a gold file read as j-i",
        "link = (int(pair[1]) - first, int(pair[3]) - first)",
        "link = (int(pair[3]) - first, int(pair[1]) - first)",
        (f"{_LINKS}aer_on_paper",),
    ),
    Fault(
        "a marked cell's words swapped",
        "link = (columns[column], rows[row])",
        "link = (rows[row], columns[column])",
        MARKS,
    ),
    Fault(
        "links drawn between swapped words",
        "return {(target[t], source[s]) for s, t in links}",
        "return {(target[s], source[t]) for s, t in links}",
        MARKS,
    ),
    Fault(
        "sure and possible links of a file swapped",
        'if pair[2] == "-":',
        'if pair[2] == "p":',
        (f"{_LINKS}aer_on_paper",),
    ),
    Fault(
        "sure and possible links swapped in the browser",
        "meta.gold.map(([row, col, sure]) => [`${row},${col}`, sure])",
        "meta.gold.map(([row, col, sure]) => [`${row},${col}`, !sure])",
        PLATE,
    ),
    Fault(
        "the head beside is aligned",
        "return layer, None if head is None or head == MEAN or head >= heads else head",
        "return layer, None if head is None or head == MEAN or head >= heads else (head + 1) % heads",
        PLAIN,
    ),
    Fault(
        "a click on the wall aligns the head beside",
        "opens(layer, MEAN if whole else head)",
        "opens(layer, MEAN if whole else (head + 1) % heads)",
        (f"{_PLATE}a_click_on_the_wall_opens_that_head_by_contribution_too",),
    ),
    Fault(
        "AER of another layer in the chart",
        "{reading: counts.by_layer(reading) for reading in READINGS}",
        "{reading: counts.by_layer(reading)[::-1] for reading in READINGS}",
        PLATE,
    ),
    Fault(
        "AER of another layer on the wall",
        "scores = {name: counts.rates(reading, name) for name in RATES}",
        "scores = {name: counts.rates(reading, name)[::-1] for name in RATES}",
        PLATE,
    ),
    Fault(
        "lengths of a layer's heads added, not their vectors",
        "[_shares(summed_norms(layer)) for layer in layers]",
        "[_shares(weighted_norms(layer).sum(axis=0)) for layer in layers]",
        (f"{_WORDS}a_layers_contribution_is_the_length_of_the_heads_sum_not_the_sum_of_lengths",),
    ),
    Fault(
        "the other direction's links not turned",
        "(s, t) for t, s in word_links(",
        "(s, t) for s, t in word_links(",
        (f"{_ALIGNED}the_other_directions_links_are_turned",),
    ),
)

_FIRST = "tests/browser/test_first_minute.py::test_"
WRITING = (f"{_FIRST}a_sentence_writes_itself_and_nothing_is_told_before_it_is_written",)
COVERED_BEAM = (f"{_FIRST}under_reduced_motion_it_is_there_at_once_and_a_beam_is_covered_too",)
_CHOICE = "tests/core/analysis/test_head_choice.py::test_"
_FAR = "tests/core/analysis/test_familiarity.py::test_"
_SEQUENCE = "tests/core/analysis/test_sequence.py::test_"

FIRST_MINUTE: Final = (
    Fault(
        "words to come stand on the stage",
        "const sheet = covered ? {",
        "const sheet = covered && position < 0 ? {",
        WRITING,
    ),
    Fault(
        "the count says how many words will come",
        "covered ? `step ${step}` : `${step} of ${steps}`",
        "`${step} of ${steps}`",
        WRITING,
    ),
    Fault(
        "“to the start” leaves the translation open",
        "this.place.covered = this.place.data.target.length > 0;",
        "this.place.covered = this.place.data.target.length < 0;",
        WRITING,
    ),
    Fault(
        "the tree of a beam runs ahead",
        "return stage.covered ? stage.step : Infinity;",
        "return Infinity;",
        COVERED_BEAM,
    ),
    Fault(
        "the stage opens the head beside the card's",
        "return (stated.layer, stated.head) if stated else (None, None)",
        "return (stated.layer, stated.head + 1) if stated else (None, None)",
        ("tests/ui/translate/test_first_head.py::test_the_head_that_a_card_states_opens",),
    ),
    Fault(
        "a piece that was hardly met passes",
        "word.count < rare:",
        "word.count < 0:",
        (f"{_FAR}a_planted_word_is_found_with_its_reason",),
    ),
    Fault(
        "a likely translation is told to be unlikely",
        "mean < quantiles[name]",
        "mean > quantiles[name]",
        (f"{_FAR}a_low_log_probability_is_told_with_the_share_that_it_is_below",),
    ),
    Fault(
        "what can never be written takes a rank",
        "others = np.where(allowed, row, -np.inf)",
        "others = np.array(row)",
        (f"{_SEQUENCE}tokens_that_are_never_written_take_no_rank_and_are_no_alternative",),
    ),
)

REACHED: Final = (
    Fault(
        "lengths of head 0 under every head",
        "weights * np.linalg.norm(layer.head_vectors(head), axis=-1)",
        "weights * np.linalg.norm(layer.head_vectors(0), axis=-1)",
        REACH,
    ),
    Fault(
        "rollout under the name of ALTI+",
        '"alti": _alti,',
        '"alti": _rollout,',
        REACH,
    ),
    Fault(
        "source and prefix of ALTI+ swapped",
        'one, other = (source, prefix) if kind == "cross" else (prefix, source)',
        'one, other = (source, prefix) if kind != "cross" else (prefix, source)',
        REACH,
    ),
    Fault(
        "a measure of layers opened one layer lower",
        "return np.asarray(values[0, layer])",
        "return np.asarray(values[0, max(0, layer - 1)])",
        REACH,
    ),
    Fault(
        "the baseline in the place of the rollout",
        "values = np.stack([maps.rollout(weights[kind]), maps.rollout(baseline[kind])])",
        "values = np.stack([maps.rollout(baseline[kind]), maps.rollout(weights[kind])])",
        REACH,
    ),
    Fault(
        "value zeroing without the last token's turn",
        "changed[row, :, key] = 0.0",
        "changed[row, :, max(0, key - 1)] = 0.0",
        REACH,
    ),
    Fault(
        "shares of source and prefix swapped in the split of each word",
        'shares = 1.0 - rest if found.kind == "cross" else rest',
        'shares = rest if found.kind == "cross" else 1.0 - rest',
        REACH,
    ),
    Fault(
        "the joint view's contributions one layer lower",
        "stacked = values[0][:, None] if found.of_layer else values",
        "stacked = np.roll(values[0], 1, axis=0)[:, None] if found.of_layer else values",
        REACH_JOINT,
    ),
    Fault(
        "the lens one step off",
        "return col * this.meta.steps.length + row;",
        "return col * this.meta.steps.length + Math.max(0, row - 1);",
        LENS,
    ),
    Fault(
        "the lens reads the encoder's depth",
        'sites = [_embedded(model), *(_output(model, "decoder", layer)',
        'sites = [_embedded(model), *(_output(model, "decoder", max(0, layer - 1))',
        LENS,
    ),
    Fault(
        "the ladder upside down",
        "zip(names, texts, strict=True)",
        "zip(names, texts[::-1], strict=True)",
        LENS,
    ),
    Fault(
        "words that the translation needs told as left out",
        "yield some[:, counted].sum(axis=-1)",
        "yield -some[:, counted].sum(axis=-1)",
        STRIP,
    ),
    Fault(
        "the prefix's share told as the source's",
        "return analysis.source_share(whole, len(decode.trace.source_ids))",
        "return 1.0 - analysis.source_share(whole, len(decode.trace.source_ids))",
        STRIP,
    ),
)

_ATLAS = "tests/core/experiments/test_corpus.py::test_"
_ATLAS_PAGE = "tests/browser/test_atlas.py::test_"
_SENT = "tests/ui/shared/test_atlas_view.py::test_"
_OPENED = "tests/pages/test_heads.py::test_"

HEADS: Final = (
    Fault(
        "Heads opens another head than every other page",
        "(stated.layer, stated.head) if stated is not None else self.first(kind)",
        "self.first(kind)",
        (
            "tests/ui/shared/test_atlas_view.py::test_the_head_that_opens_is_the_links_or_the_cards_or_the_one_with_most_of_the_first_column",
        ),
    ),
    Fault(
        "a head of the atlas has the place of another",
        "for value in places[layer * heads + head])",
        "for value in places[layer + head * layers])",
        (f"{_SENT}every_head_has_its_own_numbers_roles_and_place",),
    ),
    Fault(
        "a head of the atlas has the numbers of another",
        "-1).transpose(2, 0, 1))",
        "-1)[:, :, ::-1].transpose(2, 0, 1))",
        (f"{_SENT}every_head_has_its_own_numbers_roles_and_place",),
    ),
    Fault(
        "the dots of one kind stand in another's panel",
        "const panel = inner.find(({ kind }) => kind === head.kind);",
        "const panel = inner.find(({ kind }) => kind !== head.kind);",
        (f"{_ATLAS_PAGE}a_dot_stands_where_its_head_does_and_opens_it",),
    ),
    Fault(
        "the link of a head's sentence opens another kind",
        ".changed(kind=kind).changed(layer",
        '.changed(kind="encoder").changed(layer',
        (f"{_OPENED}the_links_open_the_sentences_on_attention",),
    ),
    Fault(
        "the table of heads is not sorted",
        "sign * (value(a) - value(b)) || a - b",
        "a - b",
        (f"{_ATLAS_PAGE}the_table_is_that_of_the_atlas_and_sorts",),
    ),
    Fault(
        "the most typical sentence is the most extreme one",
        "near, far = int(np.nanargmin(away)), int(np.nanargmax(away))",
        "far, near = int(np.nanargmin(away)), int(np.nanargmax(away))",
        (f"{_ATLAS}the_sentences_of_a_head_are_nearest_to_its_mean_and_farthest_from_it",),
    ),
    Fault(
        "a role begins above its threshold",
        "for role, value in found if value >= role.threshold]",
        "for role, value in found if value > role.threshold]",
        (
            "tests/core/analysis/test_corpus_scores.py::test_a_role_begins_at_its_threshold_and_belongs_to_its_kinds",
        ),
    ),
    Fault(
        "what arrives from sinks is their weight",
        "arriving = weights * sizes[:, :, None, :] * ~keys.padding",
        "arriving = weights * ~keys.padding",
        ("tests/core/analysis/test_corpus_scores.py::test_a_sink_is_told_with_its_size_and_without",),
    ),
    Fault(
        "a shared alignment is put together in the order of the processes",
        "found[place % len(found)].lines[place // len(found)]",
        "[line for each in found for line in each.lines][place]",
        ("tests/core/experiments/test_sharing.py::test_an_alignment_shared_by_two_is_that_of_one",),
    ),
)

_COUNTED = "tests/core/learning/test_measures.py::test_"
_READ = "tests/core/learning/test_lesson_file.py::test_"
_STEPS = "tests/pages/test_lessons.py::test_"
_NUMBERS = "tests/ui/learn/test_numbers.py::test_"
_PANEL = "tests/browser/test_lessons.py::test_"

LESSONS: Final = (
    Fault(
        "a lesson tells the row before",
        "self.weights()[self.head][self.row]",
        "self.weights()[self.head][self.row - 1]",
        (f"{_COUNTED}a_measure_is_what_can_be_counted",),
    ),
    Fault(
        "a lesson measures left of the diagonal",
        "np.triu(np.asarray(weights, dtype=np.float64), 1)",
        "np.tril(np.asarray(weights, dtype=np.float64), -1)",
        (f"{_COUNTED}a_measure_is_what_can_be_counted",),
    ),
    Fault(
        "positions of a lesson are compared one place further",
        "similarity(scene.table(offset + 24)).diagonal(offset)",
        "similarity(scene.table(offset + 24)).diagonal(offset + 1)",
        (f"{_COUNTED}a_measure_is_what_can_be_counted",),
    ),
    Fault(
        "a lesson divides by the variance",
        '"norm_mean"))) / np.sqrt(var)',
        '"norm_mean"))) / var',
        (f"{_COUNTED}a_measure_is_what_can_be_counted",),
    ),
    Fault(
        "the sharpest head is the broadest",
        "return _place(_sharpness(scene), True)",
        "return _place(_sharpness(scene), False)",
        (f"{_COUNTED}a_measure_is_what_can_be_counted",),
    ),
    Fault(
        "a bound does not belong to its choice",
        "value >= self.least",
        "value > self.least",
        (f"{_READ}a_choice_holds_within_its_bounds",),
    ),
    Fault(
        "links of a lesson may hold any parameter",
        "if own and set(pairs) <= set(self.allowed.parameters) and not self.allowed.refused(pairs):",
        "if own and not self.allowed.refused(pairs):",
        (f"{_READ}a_wrong_file_is_one_sentence",),
    ),
    Fault(
        "the row of a lesson is one step off",
        "return min(selection.step - 1, last)",
        "return min(selection.step, last)",
        (f"{_NUMBERS}the_row_is_the_one_that_the_page_speaks_of",),
    ),
    Fault(
        "a lesson tells another head than its page opens",
        "head=(layer, head),",
        "head=(head, layer),",
        (f"{_NUMBERS}the_head_is_the_one_that_the_page_opens",),
    ),
    Fault(
        "a lesson forgets the reader's language",
        '_KEPT: Final = ("answers", "language", "presenter")',
        '_KEPT: Final = ("answers", "presenter")',
        (f"{_NUMBERS}what_is_the_readers_own_is_kept_and_the_rest_is_the_steps",),
    ),
    Fault(
        "numbers of a lesson are of its own sentence whatever is read",
        "{**own, **used}",
        "{**used, **step.link}",
        (f"{_STEPS}the_number_is_that_of_the_sentence_in_use",),
    ),
    Fault(
        "a right answer is called wrong",
        "words.right if holds == answer else words.wrong",
        "words.wrong if holds == answer else words.right",
        (f"{_STEPS}an_answer_is_kept_and_judged_by_the_model",),
    ),
    Fault(
        "a lesson's answer is told before it is given",
        "    if answer is None or answer > len(predict.choices):\n        return asked\n",
        "    answer = answer or 1\n",
        (f"{_STEPS}an_answer_is_kept_and_judged_by_the_model",),
    ),
    Fault(
        "a link in a lesson's text leaves the lesson",
        'params = {**named, "lesson": place.name}',
        "params = named",
        (f"{_STEPS}links_of_a_text_keep_the_lesson_and_others_leave_it",),
    ),
    Fault(
        "the panel marks the chosen answer as the model's",
        "number === holds ? 'holds'",
        "number === answer ? 'holds'",
        (f"{_PANEL}a_prediction_is_answered_and_judged_by_the_model",),
    ),
    Fault(
        "the key back goes on",
        "const back = () => this.go(-1);",
        "const back = () => this.go(1);",
        (f"{_PANEL}a_lesson_is_walked_through_by_keys_and_buttons",),
    ),
    Fault(
        "the tour is offered at every visit",
        "    remember();\n    document.documentElement",
        "    document.documentElement",
        (f"{_PANEL}the_tour_is_offered_once_after_the_first_sentence",),
    ),
    Fault(
        "a second press is lost where the page is drawn between two",
        "if (this.place.isNews(['step', next.step]) || other) this.to = next.step;",
        "this.to = next.step;",
        (f"{_PANEL}every_press_counts_however_late_the_page_is_drawn",),
    ),
)

_PRODUCTS = "tests/core/model/test_linear.py::test_"
_CAPTURED = "tests/core/decoding/test_captured.py::test_"
_BATCH = "tests/core/decoding/test_batch.py::test_"
_CACHE = "tests/core/model/test_cache.py::test_"
ENGINE: Final = (
    Fault(
        "a replaced matrix is not noticed",
        "if self._where() != self._lie:",
        "if False:",
        (
            f"{_PRODUCTS}projections_that_no_longer_lie_together_say_so",
            f"{_PRODUCTS}a_changed_matrix_of_any_kind_is_used_at_once",
        ),
    ),
    Fault(
        "keys for values in a joint product",
        ".permute(2, 0, 3, 1, 4).unbind()",
        ".permute(2, 0, 3, 1, 4).flip(0).unbind()",
        (f"{_PRODUCTS}laying_out_changes_no_name_no_shape_and_no_value",),
    ),
    Fault(
        "the spare room of a matrix shown",
        "return found if found.shape[-1] == self.size else found[..., : self.size]",
        "return found",
        (f"{_PRODUCTS}a_laid_out_projection_is_the_same",),
    ),
    Fault(
        "the gradient of a wide matrix read turned",
        "_onednn(read.t(), rows.t(), None).t().contiguous()",
        "_onednn(read.t(), rows.t(), None).view(weight.shape)",
        (f"{_PRODUCTS}a_product_can_be_trained_through",),
    ),
    Fault(
        "a captured step does not see its own token",
        "self._places <= self._position",
        "self._places < self._position",
        (f"{_CAPTURED}captured_steps_see_what_steps_see",),
    ),
    Fault(
        "captured maps a row late",
        "room.index_copy_(2, where, ",
        "room.index_copy_(2, where + 1, ",
        (f"{_CAPTURED}maps_of_all_steps_lie_in_one_buffer",),
    ),
    Fault(
        "a captured step asks where it stands",
        "rows = start + torch.arange(self.offset, ",
        "rows = int(start) + torch.arange(self.offset, ",
        (f"{_CAPTURED}captured_steps_see_what_steps_see",),
    ),
    Fault(
        "logits of one captured step overwritten by the next",
        "arrays.pop(LOGITS)[0].copy()",
        "arrays.pop(LOGITS)[0]",
        (f"{_CAPTURED}captured_steps_see_what_steps_see",),
    ),
    Fault(
        "the device stays where it was when steps are undone",
        "self._position.fill_(self.length)",
        "self._position.fill_(self._position)",
        (f"{_CAPTURED}going_back_forcing_and_starting_inside_a_sentence",),
    ),
    Fault(
        "a hypothesis goes on from the row before its parent's",
        "to.copy_(rows[parent])",
        "to.copy_(rows[parent - 1])",
        (f"{_CACHE}rows_go_on_from_others_in_place", f"{_BATCH}batch_equals_single"),
    ),
    Fault(
        "the last heir of a row stays in it, not the best",
        "child for child, row in reversed(list(enumerate(continued)))",
        "child for child, row in enumerate(continued)",
        (f"{_BATCH}hypotheses_settle_where_little_is_moved",),
    ),
    Fault(
        "hypotheses keep their places when sentences before them leave",
        "[places[which] for which in going_on]",
        "places[: len(going_on)]",
        (f"{_BATCH}rows_that_end_early_do_not_disturb_the_others",),
    ),
    Fault(
        "the cache without its newest position",
        "buffer.narrow(3, 0, end).unbind()",
        "buffer.narrow(3, 0, end - 1).unbind()",
        (f"{_CACHE}positions_come_back_in_order_beyond_the_first_capacity",),
    ),
)

_INSIDE = "tests/core/learning/test_inside.py::test_"
SHOWS = (f"{_INSIDE}every_card_shows_what_plain_loops_find",)
ADDS_UP = (f"{_INSIDE}the_terms_of_every_card_add_up_to_the_number_it_shows",)
MARKED = (f"{_INSIDE}the_head_and_the_token_in_hand_are_marked",)
SAYS = (f"{_INSIDE}the_sentences_tell_this_tokens_own_numbers",)
_CARDS = "tests/ui/shared/test_inside_view.py::test_"
_IN_THE_BROWSER = "tests/browser/test_golden_inside.py::test_"
_LOOKS = "tests/browser/test_pictures.py::test_every_view_looks_as_stored"

INSIDE: Final = (
    Fault(
        "the columns of the head are those of the next one",
        "(spot.head * self.size, (spot.head + 1) * self.size)",
        "((spot.head + 1) * self.size, (spot.head + 2) * self.size)",
        MARKED,
    ),
    Fault(
        "keys and values explained by the decoder's own stream",
        "memory = (remembered.key, remembered.values)",
        "memory = (remembered.key, read[1])",
        ADDS_UP,
    ),
    Fault("a weight explained by the scores of the first row", "masked[row],\n", "masked[0],\n", ADDS_UP),
    Fault(
        "what a head gathers explained by another column of V",
        '(f"column {column} of V", v[:, column])',
        '(f"column {column} of V", v[:, 0])',
        ADDS_UP,
    ),
    Fault(
        "a score explained by the key before",
        '(f"k of {quoted(self.asked.labels[column])}", k[column])',
        '(f"k of {quoted(self.asked.labels[column])}", k[column - 1])',
        ADDS_UP,
    ),
    Fault(
        "the unbiased deviation divided by d",
        '/ (len(x) - (kind == "layer_unbiased_std"))',
        "/ len(x)",
        ADDS_UP,
    ),
    Fault(
        "a token embedding explained without its scale",
        '[("×", f"√d_model = √{config.d_model}", scale)] if config.embedding_scale else []',
        "[]",
        ADDS_UP,
    ),
    Fault(
        "positions counted from 0 where the table has rows before them",
        "place = row + config.position_offset\n",
        "place = row\n",
        ADDS_UP,
    ),
    Fault(
        "the distance of a relative position turned round",
        "relative_buckets(column - row, both_ways, *far)",
        "relative_buckets(row - column, both_ways, *far)",
        ADDS_UP,
    ),
    Fault(
        "the activation taken of the number beside the gate",
        "before = float(up[row, column] if gate is None else gate[row, column])",
        "before = float(up[row, column])",
        ADDS_UP,
    ),
    Fault(
        "a logit explained without its bias",
        '[*done, *run.bias("output_bias", shown[column])],',
        "done,",
        ADDS_UP,
    ),
    Fault(
        "a residual sum explained by the stream after it",
        '("the stream before", float(before[row, column])),',
        '("the stream before", float(after[row, column])),',
        ADDS_UP,
    ),
    Fault(
        "queries of all heads with positions and features mixed up",
        "heads.transpose(1, 0, 2).reshape(heads.shape[1], -1)",
        "heads.reshape(heads.shape[1], -1)",
        SHOWS,
    ),
    Fault(
        "the sentence of the weights is that of the first row",
        "best = int(values[self.token].argmax())",
        "best = int(values[0].argmax())",
        SAYS,
    ),
    Fault(
        "the tokens shown are those of another row",
        "_shown(logits[token], run.trace.written_ids[token])",
        "_shown(logits[0], run.trace.written_ids[token])",
        SAYS,
    ),
    Fault(
        "the rows of a long text counted from its first",
        '"first": first,',
        '"first": 0,',
        (f"{_CARDS}of_a_long_text_the_rows_around_the_token_are_drawn",),
    ),
    Fault(
        "the smallest terms told first",
        'np.argsort(-np.abs(why.terms), kind="stable")',
        'np.argsort(np.abs(why.terms), kind="stable")',
        (f"{_CARDS}the_terms_are_told_largest_first_and_the_rest_together",),
    ),
    Fault(
        "the other terms are all terms",
        "float(why.terms.sum() - why.terms[order].sum())",
        "float(why.terms.sum())",
        (f"{_CARDS}the_terms_are_told_largest_first_and_the_rest_together",),
    ),
    Fault(
        "the row in hand is the one after the step",
        "return min(selection.step, count) - 1",
        "return min(selection.step, count - 1)",
        ("tests/pages/test_inside.py::test_the_row_in_hand_is_that_of_the_step_shown",),
    ),
    Fault(
        "a matrix told and saved with rows and columns turned round",
        "return this.numbers[i * this.meta.cols.length + j];",
        "return this.numbers[j * this.meta.rows.length + i];",
        (f"{_IN_THE_BROWSER}the_matrix_is_drawn_with_its_numbers",),
    ),
    Fault(
        "a click asks about another number",
        "[first + at.row, at.col]",
        "[first + at.row, Math.max(0, at.col - 1)]",
        (f"{_IN_THE_BROWSER}a_click_tells_the_terms_of_that_number",),
    ),
    Fault(
        "N leaves an operation out",
        "n: () => view.step(1),",
        "n: () => view.step(2),",
        (f"{_IN_THE_BROWSER}keys_walk_and_links_come_back",),
    ),
    Fault(
        "the frame of the head stands around the first",
        "p.rect(columnX(g, band[0]) - 1,",
        "p.rect(columnX(g, 0) - 1,",
        (f"{_LOOKS}[terms-1440-light]",),
    ),
    Fault(
        "the row before the token's is framed",
        "const row = focus === null ? -1 : focus - first;",
        "const row = focus === null ? -1 : focus - first - 1;",
        (f"{_LOOKS}[inside-1440-light]",),
    ),
)

_QUEUE = "tests/ui/shared/test_turns.py::test_"
_BACK = "tests/browser/test_coming_back.py::test_"
_ENDED = "tests/browser/test_uploads_live.py::test_what_a_visitor_held_goes_with_the_session_though_nobody_else_comes"
CROWD: Final = (
    Fault(
        "a visitor's own job counts among the others",
        "others = len({each.owner for each in self._before(ticket)} - {ticket.owner, NOBODY})",
        "others = len({each.owner for each in self._before(ticket)} - {NOBODY})",
        (f"{_QUEUE}ones_own_work_is_no_other",),
    ),
    Fault(
        "the queue counts jobs, not visitors",
        "others = len({each.owner for each in self._before(ticket)} - {ticket.owner, NOBODY})",
        "others = len([each for each in self._before(ticket) if each.owner != ticket.owner])",
        (f"{_QUEUE}who_waits_is_told_how_many_others_are_before",),
    ),
    Fault(
        "who waits for the same work is not told of its owner",
        "return len((before | {found.owner}) - {owner, NOBODY})",
        "return len(before - {owner, NOBODY})",
        (f"{_QUEUE}who_waits_for_the_same_work_is_told_of_those_before_it",),
    ),
    Fault(
        "two wide beams are at work together",
        "if each.heavy and heavy:",
        "if False:",
        (f"{_QUEUE}of_what_is_heavy_one_is_at_work_and_a_place_is_left",),
    ),
    Fault(
        "the check of a model counts among the others",
        "others = len({each.owner for each in self._before(ticket)} - {ticket.owner, NOBODY})",
        "others = len({each.owner for each in self._before(ticket)} - {ticket.owner})",
        (f"{_QUEUE}work_that_no_visitor_asked_for_is_no_other",),
    ),
    Fault(
        "the notice of who waits pushes the page down",
        'st.spinner(f"*{words(others)}*", show_time=False)',
        "st.spinner(words(others), show_time=False)",
        ("tests/browser/test_waiting.py::test_who_waits_is_told_over_a_page_that_stands_still",),
    ),
    Fault(
        "the page does not say that the GPU turned out to be full",
        "if say and not shown.told and resources.crowded(shown.entry):",
        "if False:",
        ("tests/pages/test_no_room.py::test_what_turned_out_while_the_page_was_drawn_is_said",),
    ),
    Fault(
        "a server at its limit of open files answers nobody",
        "if least and limit - _open() < least:",
        "if False:",
        ("tests/test_full_server.py::test_seventy_visitors_and_256_files",),
    ),
    Fault(
        "a queue without an end",
        "if len(self._waiting) >= self._most:",
        "if False:",
        (f"{_QUEUE}too_many_are_told_so_in_one_sentence",),
    ),
    Fault(
        "a superseded decode is written to its end",
        "        look()\n        if session.step_index in wanted:",
        "        if session.step_index in wanted:",
        (f"{_QUEUE}a_superseded_decode_stops_before_its_next_word_and_keeps_nothing",),
    ),
    Fault(
        "a decode that others wait for is broken off",
        "if _decodes.wanted_by(key) < 2:",
        "if True:",
        (f"{_QUEUE}a_decode_that_others_wait_for_is_finished",),
    ),
    Fault(
        "another visitor's sentence is shown",
        "key = (entry.stamp, device, text, *make_decode.options(selection))",
        "key = (entry.stamp, device, *make_decode.options(selection))",
        (f"{_QUEUE}everybody_gets_the_sentence_that_was_asked_for",),
    ),
    Fault(
        "another visitor's chart is shown",
        "make.__qualname__, given, sorted(more.items())",
        "make.__qualname__, sorted(more.items())",
        ("tests/ui/shared/test_chart.py::test_other_numbers_are_another_figure",),
    ),
    Fault(
        "what a visitor uploaded stays when the session has ended",
        "away = manager._session_storage._cache.expire()",
        "away = []",
        (_ENDED,),
    ),
    Fault(
        "nobody looks for sessions that have ended",
        'threading.Thread(target=_work, name="ended-sessions", daemon=True).start()',
        "pass",
        (_ENDED,),
    ),
    Fault(
        "a full GPU is asked again at once",
        "        place = _place(entry, device)\n",
        "        place = device\n",
        ("tests/ui/shared/test_no_room.py::test_a_decode_without_room_is_computed_on_the_cpu",),
    ),
    Fault(
        "a reload finds another browser's model",
        "browser and kept.browser == browser",
        "browser",
        ("tests/ui/uploads/test_folders.py::test_a_browser_finds_its_model_again_once_its_session_has_gone",),
    ),
    Fault(
        "a connection made again does not ask for the page",
        "    this.state = 'asking';\n    this.page.draw();\n",
        "",
        (f"{_BACK}a_sentence_typed_after_a_restart_counts",),
    ),
    Fault(
        "what was held is forgotten",
        "all.forEach((bytes) => this.send(bytes));",
        "",
        (f"{_BACK}a_frozen_tab_counts_its_first_click_after_a_restart",),
    ),
    Fault(
        "an action is sent twice",
        "    this.asked = bytes;\n    this.out?.(bytes);\n",
        "    this.asked = bytes;\n    this.out?.(bytes);\n    this.out?.(bytes);\n",
        (f"{_BACK}nothing_is_asked_twice_where_the_connection_stood",),
    ),
)

_LEARNING = "tests/browser/test_learning.py::test_"
_SENT = "tests/ui/shared/test_dynamics_view.py::test_every_weight_and_score_arrives_in_its_place"
_MOMENTS = "tests/core/analysis/test_moments.py::test_"
_FOLDERS = "tests/ui/uploads/test_folders.py::test_"
_NOTEBOOK = "tests/browser/test_notebook.py::test_"
LEARNING: Final = (
    Fault(
        "the maps of a training are those of the sentence before",
        "begin = sum(sizes[:probe])",
        "begin = sum(sizes[: max(0, probe - 1)])",
        (f"{_SENT}[1-cross]",),
    ),
    Fault(
        "the scores of a training in reverse",
        "numbers = np.stack([dynamics.score(name, score) for score in names], axis=1)",
        "numbers = np.stack([dynamics.score(name, score) for score in names[::-1]], axis=1)",
        (f"{_SENT}[0-cross]",),
    ),
    Fault(
        "the rows of a training's cross maps are named by what was read",
        'list(sentence.written_tokens if kind == "cross" else queries)',
        "list(queries)",
        (f"{_SENT}[0-cross]",),
    ),
    Fault(
        "a fall over three times the steps is sudden",
        "if at[end] > max(1, 2 * at[start])",
        "if at[end] > max(1, 3 * at[start])",
        (f"{_MOMENTS}records_farther_apart_than_a_doubling_tell_of_no_sudden_fall",),
    ),
    Fault(
        "a training that has had enough goes on",
        "self._out_of_time() or self.process.any(enough())",
        "self._out_of_time()",
        ("tests/core/training/test_live.py::test_the_loop_tells_every_step",),
    ),
    Fault(
        "a folder is taken over while its owner is there",
        "if kept is None or (kept.owner != owner and self._is_open(kept.owner)):",
        "if kept is None:",
        (f"{_FOLDERS}a_folder_is_taken_over_only_from_who_has_gone",),
    ),
    Fault(
        "a training outlives its session",
        "            kept.gone()\n",
        "",
        (f"{_FOLDERS}what_works_in_a_folder_is_ended_before_it_goes",),
    ),
    Fault(
        "a stored decoder map that looks ahead is drawn",
        'if kind == "decoder-self" and np.triu(maps, 1).any():',
        'if kind == "decoder" and np.triu(maps, 1).any():',
        ("tests/core/training/test_stored_dynamics.py::test_what_cannot_be_is_refused",),
    ),
    Fault(
        "the head that opens is the one that fell the least",
        "most = max(drops, key=lambda drop: drop.fall)",
        "most = min(drops, key=lambda drop: drop.fall)",
        ("tests/pages/test_learning.py::test_a_stored_training_opens_where_the_link_says",),
    ),
    Fault(
        "the maps of a training one record late",
        "const begin = ((k * layers + layer) * heads + head) * size;",
        "const begin = ((Math.max(0, k - 1) * layers + layer) * heads + head) * size;",
        (f"{_LEARNING}a_link_opens_the_record_and_every_step_is_its_own",),
    ),
    Fault(
        "a training tells the score of another head",
        "this.numbers[((k * scores.length + nth) * layers + layer) * heads + head]",
        "this.numbers[((k * scores.length + nth) * layers + layer) * heads]",
        (f"{_LEARNING}moments_are_listed_and_open_their_head_at_their_step",),
    ),
    Fault(
        "a moment opens before its head took shape",
        "onclick: () => view.open(n, end) }",
        "onclick: () => view.open(n, end - 1) }",
        (f"{_LEARNING}moments_are_listed_and_open_their_head_at_their_step",),
    ),
    Fault(
        "a click on a curve is read on an even axis",
        "if (Math.abs(stepX(g, step) - x) < Math.abs(stepX(g, steps[best]) - x)) best = k;",
        "if (Math.abs(k - ((x - g.loss.x) / g.loss.w) * steps.length) < 0.5) best = k;",
        (f"{_LEARNING}a_click_on_a_curve_opens_its_head_at_that_step",),
    ),
    Fault(
        "the table of a training's maps holds one record again and again",
        "const sheet = view.numbers.sheet(k, layer, head, view.table);",
        "const sheet = view.numbers.sheet(view.own.at * Math.sign(k + 1), layer, head, view.table);",
        (f"{_LEARNING}every_number_leaves",),
    ),
    Fault(
        "a picture of a training names the page's sentence",
        "captionOf(who?.() ?? '', size()[0], host.scale, about?.())",
        "captionOf(who?.() ?? '', size()[0], host.scale)",
        (f"{_LEARNING}a_picture_says_whose_it_is",),
    ),
)
NOTEBOOK: Final = (
    Fault(
        "a notebook names the rows of cross maps by what was read",
        '"causal": tokens.target, "cross": tokens.written}[kind]',
        '"causal": tokens.target, "cross": tokens.target}[kind]',
        (f"{_NOTEBOOK}a_trace_shows_every_kind_and_all_three_joined",),
    ),
    Fault(
        "core.show opens the head of another layer",
        '"open": [head[0] * heads + head[1]]',
        '"open": [head[1] * heads + head[0]]',
        (f"{_NOTEBOOK}show_opens_the_kind_and_the_head_that_were_asked_for",),
    ),
    Fault(
        "the joint view of a notebook shows head 0",
        "weights.mean(axis=(0, 1)) if head is None else weights[head]",
        "weights.mean(axis=(0, 1)) if head is None else weights[head[0], 0]",
        (f"{_NOTEBOOK}show_opens_the_kind_and_the_head_that_were_asked_for",),
    ),
    Fault(
        "a notebook's tab opens its neighbour",
        "sections.forEach((section, k) => (section.hidden = k !== n));",
        "sections.forEach((section, k) => (section.hidden = k !== (n + 1) % sections.length));",
        (f"{_NOTEBOOK}a_trace_shows_every_kind_and_all_three_joined",),
    ),
    Fault(
        "a trace hands the whole page to the notebook",
        "return show(thing).cell",
        "return show(thing).page",
        (f"{_NOTEBOOK}a_session_shows_what_is_written_so_far",),
    ),
)

_PITFALL = "tests/core/learning/test_pitfalls.py::test_"
_CHECKED = "tests/core/learning/test_self_check.py::test_"
_WRITE_UP = "tests/core/learning/test_tutorials.py::test_"
_PITFALL_PAGE = "tests/pages/test_pitfalls.py::test_"
_TUTORIAL_PAGE = "tests/pages/test_tutorials.py::test_"
WRITE_UPS: Final = (
    Fault(
        "heads of the pitfall are cut correctly after all",
        "return t.transpose(1, 2).reshape(t.shape)",
        "return t",
        (f"{_PITFALL}heads_cut_without_a_transpose",),
    ),
    Fault(
        "rows of a beam one hypothesis off",
        "rows = [\n            np.stack([layer[min(slot, len(layer) - 1)]",
        "rows = [\n            np.stack([layer[min(slot + 1, len(layer) - 1)]",
        (f"{_PITFALL}beams_whose_attention_was_not_reordered",),
    ),
    Fault(
        "a leaking mask that leaks e to the first",
        "TINY = 1e-9",
        "TINY = 1.0",
        (f"{_PITFALL}a_leaking_mask_gives_a_forbidden_key_e_to_the_zero",),
    ),
    Fault(
        "the swapped exponent quadrupled",
        "cast(Any, config.sinusoid_denominator)) ** 2",
        "cast(Any, config.sinusoid_denominator)) ** 4",
        (f"{_PITFALL}the_exponent_doubled",),
    ),
    Fault(
        "the model is changed by what is shown on it",
        "twin = copy.copy(module)\n    twin._modules",
        "twin = module\n    twin._modules",
        (f"{_PITFALL}the_correct_side_is_the_model_itself_and_nothing_in_it_changes",),
    ),
    Fault(
        "correct and as written exchanged on the page",
        "zip((study.right, study.wrong), names, strict=True)",
        "zip((study.wrong, study.right), names, strict=True)",
        (f"{_PITFALL_PAGE}the_page_shows_what_the_pitfall_comes_to",),
    ),
    Fault(
        "numbers of a symptom in the wrong column",
        "(each.what, spoken(each.right, each.unit), spoken(each.wrong, each.unit))",
        "(each.what, spoken(each.wrong, each.unit), spoken(each.right, each.unit))",
        (f"{_PITFALL_PAGE}the_page_shows_what_the_pitfall_comes_to",),
    ),
    Fault(
        "the riddle's answer is the other map",
        "if wrong_side(found) == 1:",
        "if wrong_side(found) == 2:",
        (f"{_PITFALL_PAGE}the_riddle_is_of_another_sentence_and_its_answer_is_the_faulty_map",),
    ),
    Fault(
        "the riddle asks about the sentence above",
        "if text.strip() and text != decode.source_text:",
        "if text.strip():",
        (f"{_PITFALL_PAGE}the_sentence_in_hand_is_never_asked_about",),
    ),
    Fault(
        "a check that takes a biased deviation for the unbiased",
        '"std-plus-eps": lambda x, eps: _spread(x, 1)[0] / (_spread(x, 1)[1].sqrt() + eps),',
        '"std-plus-eps": lambda x, eps: _spread(x, 1)[0] / (_spread(x, 1)[1].sqrt() + 9 + eps),',
        (f"{_CHECKED}faulty_norms_are_named",),
    ),
    Fault(
        "a check that accuses masks of the other polarity",
        'return [("True may attend", mask), ("True is hidden", ~mask)]',
        'return [("True may attend", mask)]',
        (f"{_CHECKED}correct_masks_are_not_accused",),
    ),
    Fault(
        "the paper's choices marked as others'",
        "own[aspect] != theirs[aspect]",
        "own[aspect] == theirs[aspect]",
        (f"{_WRITE_UP}the_drawing_marks_exactly_what_differs",),
    ),
    Fault(
        "the norm drawn after the sum in a pre-norm model",
        'if config.norm_placement == "pre" else [inner, _SUM, norm]',
        'if config.norm_placement == "post" else [inner, _SUM, norm]',
        (f"{_WRITE_UP}the_drawing_marks_exactly_what_differs",),
    ),
    Fault(
        "a printout of the source that is the target",
        '_unbatched(seen[Site("decoder", 0, "cross", "weights")])',
        '_unbatched(seen[Site("decoder", 0, "self", "weights")])',
        (f"{_WRITE_UP}the_printouts_come_out",),
    ),
    Fault(
        "the write-ups' models stand first in the list",
        "return 2 if is_tutorial(entry) else",
        "return -1 if is_tutorial(entry) else",
        (f"{_TUTORIAL_PAGE}the_trained_one_opens_and_does_not_crowd_the_list",),
    ),
    Fault(
        "cells marked where they are the paper's",
        'in (("differs", own[aspect] != theirs)',
        'in (("differs", own[aspect] == theirs)',
        (f"{_TUTORIAL_PAGE}cells_that_are_not_the_papers_are_marked",),
    ),
)

_WALK = "tests/browser/test_walk.py::test_"
_LANGUAGES = "tests/pages/test_compare_languages.py::test_"
_READS = (f"{_LANGUAGES}a_model_of_another_task_reads_the_sentence_only_where_it_makes_sense_to_it",)
_DRAWN = "tests/ui/shared/test_long_and_from_the_right.py::test_"
WALK = (
    Fault(
        "a sentence called strange by the card of the other checkpoint",
        "unlikely(mean, card_quantiles(theirs.usable.card))",
        "unlikely(mean, card_quantiles(ours.usable.card))",
        _READS,
    ),
    Fault(
        "a weaker model of one task is not compared",
        "if _writes(ours) == _writes(theirs) or not decode.scored",
        "if _writes(ours) != _writes(theirs) or not decode.scored",
        _READS,
    ),
    Fault(
        "the languages of two checkpoints exchanged",
        "reads {ours} and {chosen.name} reads {theirs}",
        "reads {theirs} and {chosen.name} reads {ours}",
        (f"{_LANGUAGES}models_that_read_different_languages_read_a_sentence_each",),
    ),
    Fault(
        "a row of positions whose number is turned by its word",
        "literal(isolated(short(label)))",
        "literal(short(label))",
        (f"{_DRAWN}a_word_from_the_right_cannot_turn_the_number_of_its_row",),
    ),
    Fault(
        "thinned words one place off",
        "tickvals=places[::every],",
        "tickvals=places[every - 1 :: every],",
        (f"{_DRAWN}of_a_long_translation_as_many_words_are_written_as_can_be_read",),
    ),
    Fault(
        "a lens whose words have no room",
        "150 * u) + ASIDE * u;",
        "150 * u) + 9 * u;",
        (f"{_WALK}words_of_the_lens_are_whole_where_there_is_room",),
    ),
    Fault(
        "the wall of a training in small type in a hall",
        "const size = legible(fitted, u) ? fitted : typeSize(12, u);",
        "const size = fitted;",
        (f"{_WALK}a_small_projector_shows_maps_numbers_and_ways_out",),
    ),
)

_HANDS = "tests/ui/style/test_touch_words.py::test_"
HANDS: Final = (
    Fault(
        "a reader with a finger told to click",
        'title="Choose a head to switch it off",',
        'title="Click a head to switch it off",',
        (f"{_HANDS}what_python_writes_is_said_for_every_hand",),
    ),
    Fault(
        "the one hint of the maps a pointer's",
        "export const HINT = TOUCH ? 'tap a word to pin it' : 'hover a word, click to pin, Esc clears';",
        "export const HINT = 'hover a word, click to pin, Esc clears';",
        (f"{_HANDS}the_views_choose_their_words_by_the_hand",),
    ),
)

_LISTED = "tests/ui/shared/test_listing.py::test_"
_KEPT = "tests/ui/shared/test_resources.py::test_"
_BROKEN = "tests/core/checkpoints/test_broken.py::test_each_break_is_told_in_one_sentence"
OUTSIDERS: Final = (
    Fault(
        "a tensor of any number of dimensions",
        "if not isinstance(numbers, list) or len(numbers) > MOST_DIMENSIONS:",
        "if not isinstance(numbers, list):",
        (f"{_BROKEN}[more dimensions than a tensor has]",),
    ),
    Fault(
        "a tensor of any size",
        "if not all(type(n) is int and 0 <= n < LARGEST_SIZE for n in numbers):",
        "if not all(type(n) is int and 0 <= n for n in numbers):",
        (f"{_BROKEN}[a size beyond every file]",),
    ),
    Fault(
        "a card of any number of values",
        "MOST_VALUES = 30_000",
        "MOST_VALUES = 3_000_000",
        (f"{_BROKEN}[card with too many values]",),
    ),
    Fault(
        "a quantile of a card that is no float",
        "and LEAST <= value <= 0",
        "and float(value) <= 0",
        ("tests/core/analysis/test_familiarity.py::test_what_a_card_states_is_not_taken_on_trust",),
    ),
    Fault(
        "a number of tokens seen that is no float",
        "type(seen) is int and 0 <= seen <= _MOST_SEEN",
        "type(seen) is int and 0 <= seen",
        ("tests/pages/test_learning.py::test_a_training_that_went_on_says_from_where",),
    ),
    Fault(
        "with more than 64 folders each is read again for every page",
        "_LISTED: Final = 512",
        "_LISTED: Final = 64",
        (f"{_LISTED}every_one_of_many_folders_is_read_once_and_few_tokenizers_are_kept",),
    ),
    Fault(
        "the list keeps every tokenizer",
        "BoundedCache(entries=24)",
        "BoundedCache(entries=512)",
        (f"{_LISTED}every_one_of_many_folders_is_read_once_and_few_tokenizers_are_kept",),
    ),
    Fault(
        "a damaged file is read again for every page",
        "if (sentence := _refused.peek(key)) is not None:",
        "if (sentence := _refused.peek(key)) == 0:",
        (f"{_KEPT}a_file_that_cannot_be_used_is_read_once_until_it_changes",),
    ),
    Fault(
        "a hint reads what a card says as Markdown",
        "hint = screen_text.label(back) or _ABOUT_JOINED",
        "hint = back or _ABOUT_JOINED",
        ("tests/pages/test_alignment.py::test_what_a_card_calls_its_languages_is_no_markdown_in_a_hint",),
    ),
    Fault(
        "a damaged atlas tells where the server keeps it",
        'return known, "" if known else screen_text.sentence(error, shown.entry.path)',
        'return known, "" if known else str(error)',
        ("tests/pages/test_heads.py::test_a_damaged_atlas_is_a_sentence_without_the_servers_folders",),
    ),
    Fault(
        "an array is held twice while it is read",
        "flat = np.frombuffer(content, dtype, offset=stream.tell())",
        "flat = np.frombuffer(bytearray(content[stream.tell() :]), dtype)",
        ("tests/core/test_archives.py::test_reading_takes_little_more_memory_than_the_arrays",),
    ),
    Fault(
        "what a far too long text lacks is looked for",
        "self._unknown(text, encoding) if most is None or len(ids) <= most else ()",
        "self._unknown(text, encoding)",
        ("tests/core/decoding/test_inputs.py::test_what_a_far_too_long_text_lacks_is_not_looked_for",),
    ),
)

SAID: Final = (
    Fault(
        "the largest difference may be one that is not drawn",
        "_largest(maps[0], maps[1], rows[0], columns[0])",
        "_largest(np.asarray(first.values), np.asarray(second.values), rows[0], columns[0])",
        ("tests/ui/shared/test_head_components.py::test_the_largest_difference_is_one_that_is_drawn",),
    ),
    Fault(
        "both halves of the joint view are named by the deeper one",
        """of_layer else _subject(at["cross"], head)""",
        "of_layer else _subject(layer, head)",
        ("tests/pages/test_joint_depths.py::test_each_half_is_named_by_its_own_layer",),
    ),
    Fault(
        "the strongest of all heads is called their mean",
        "who = view.who(*head, selection.how)  #",
        'who = view.who(*head, "mean")  #',
        ("tests/pages/test_compare_models.py::test_all_heads_of_both_are_named_as_they_are_taken_together",),
    ),
    Fault(
        "a layer switched off counts as no head",
        "off = edits.heads(config)\n",
        "off = {head: how for head, how in edits.heads(config).items() if head[1] < 0}\n",
        ("tests/pages/test_what_if.py::test_how_many_of_the_best_are_kept_is_told_only_where_it_is_they",),
    ),
    Fault(
        "a frozen head counts as one that gives zeros",
        'and all(how == "zero" for how in off.values())',
        "",
        ("tests/pages/test_what_if.py::test_how_many_of_the_best_are_kept_is_told_only_where_it_is_they",),
    ),
    Fault(
        "example sentences are measured, unseen, where there are none",
        "return state.selection().probe and bool(shown.entry.examples)",
        "return state.selection().probe",
        ("tests/pages/test_what_if.py::test_examples_are_measured_only_where_there_are_some",),
    ),
    Fault(
        "heads kept by the slider lose a layer",
        "layer, tuple(sorted(heads)) if (kind, layer) in at_work else None)",
        "layer, tuple(sorted(heads)) if (kind, layer) not in at_work else None)",
        ("tests/pages/test_what_if.py::test_only_the_best_are_kept",),
    ),
    Fault(
        "a measurement that was stopped names the head missed most",
        "if stage.complete and not np.isnan(stage.agreement):",
        "if not np.isnan(stage.agreement):",
        ("tests/pages/test_what_if.py::test_a_survey_stops_when_it_is_told_to",),
    ),
    Fault(
        "another language is opened with though English is as good",
        "(not least and fewest < _MUCH_BETTER * tokens)",
        "(not least and fewest < tokens)",
        ("tests/ui/shared/test_first_sentence.py::test_pieces_learnt_from_two_languages_open_in_english",),
    ),
    Fault(
        "a sentence of which most is unknown is opened with",
        "return best if better and least <= _UNKNOWN else ENGLISH",
        "return best if better else ENGLISH",
        (
            "tests/ui/shared/test_first_sentence.py::test_a_language_of_which_half_is_known_goes_before_english",
        ),
    ),
)

_FREE = "tests/ui/shared/test_forced_first.py::test_"
_LENS_TOP = "tests/core/experiments/test_contributions.py::test_the_last_lens_is_the_models_output_exactly"
_SPARED = "tests/core/experiments/test_omissions.py::test_"
NO_CHOICE: Final = (
    Fault(
        "a token that is always written counts as a choice",
        "for place, token in enumerate(written) if token != forced_token(config, place))",
        "for place, token in enumerate(written))",
        (
            f"{_FREE}it_is_not_among_the_words_of_ones_own_translation",
            f"{_HEADS}what_is_no_choice_is_no_part_of_a_loss",
            f"{_SPARED}a_token_that_is_always_written_first_gains_nothing",
        ),
    ),
    Fault(
        "the lens ranks a word behind tokens that can never be written",
        "probability = probability.index_fill(-1, banned, -1.0)",
        "probability = probability.clone()",
        (_LENS_TOP,),
    ),
    Fault(
        "reasons are given for a token that is always written",
        "if step not in decode.choices:\n        return f",
        "if step < 0:\n        return f",
        (f"{_FREE}no_reasons_are_looked_for_where_there_was_no_choice",),
    ),
    Fault(
        "a token that is always written counts among the tokens together",
        "its {how_many(len(found.choices), 'token')} together",
        "its {how_many(len(found.before), 'token')} together",
        (f"{_FREE}the_first_choice_after_a_change_may_be_written",),
    ),
    Fault(
        "the token that is always written has the model's own share where another was forced",
        "always = forced_token(entry.config, step) is not None",
        "always = step not in found.choices",
        (
            f"{_FREE}where_the_reader_forced_another_first_token_the_first_choice_is_the_one_that_is_always_written",
        ),
    ),
    Fault(
        "a first choice that can never be written",
        "token = greedy_token(row, entry.config, step)",
        "token = int(row.argmax())",
        (f"{_FREE}the_first_choice_after_a_change_may_be_written",),
    ),
    Fault(
        "a stored example's first choice that can never be written",
        "place = next(place for place, token in enumerate(step.ids) if token not in step.barred)",
        "place = 0",
        (f"{_FREE}the_first_choice_after_a_change_may_be_written",),
    ),
    Fault(
        "words that stay are held against words that can never be written",
        "kept += greedy_tokens(logs[:, step].clone(), config, step) == pair.written[step]",
        "kept += logs[:, step].argmax(-1) == pair.written[step]",
        (f"{_HEADS}with_every_head_on_all_words_stay",),
    ),
)

_NAMED = "tests/pages/test_heads.py::test_"
WHOSE: Final = (
    Fault(
        "a stored atlas is called the examples'",
        "return Measured(found, found.sentences, _name_of(found, (*entry.examples, *entry.probes)))",
        "return Measured(found, found.sentences)",
        (f"{_NAMED}a_stored_atlas_is_over_the_examples_only_where_it_is",),
    ),
    Fault(
        "sentences that are not kept are taken for examples",
        "own = len(kept) == found.sentences and all(",
        "own = all(",
        (f"{_NAMED}more_sentences_than_are_kept_are_nobodys_examples",),
    ),
    Fault(
        "sinks named by one of several special tokens",
        "{special[0] if len(special) == 1 else",
        "{special[0] if len(special) >= 1 else",
        (f"{_NAMED}the_sinks_are_named_as_they_are_counted",),
    ),
    Fault(
        "padding named among the sinks",
        "zip(labels, sinks(keys) & keys.special, strict=True)",
        "zip(labels, keys.special, strict=True)",
        (f"{_NAMED}the_sinks_are_named_as_they_are_counted",),
    ),
)

_CORPUS = "tests/core/experiments/test_corpus.py::test_"
ALIGNED: Final = (
    Fault(
        "the card's head read as the card does not say",
        'reading or stated.reading or "writing"',
        'reading or "writing"',
        (f"{_CORPUS}the_head_that_the_card_names_is_read_as_the_card_says",),
    ),
    Fault(
        "a head chosen for a table of every head is passed over",
        "if args.gold is not None and (args.head is not None or args.reading is not None):",
        "if args.gold is not None and args.gold is None:",
        (f"{_CORPUS}a_mistake_is_one_line",),
    ),
)

_WAYS = "tests/pages/test_what_if.py::test_"
WAYS: Final = (
    Fault(
        "a head's own map is said to stay whatever is done to it",
        "**Even** and a moved weight change its own map too; **frozen** holds it.",
        "",
        (f"{_WAYS}the_words_say_whose_map_moves",),
    ),
    Fault(
        "a mean of one sentence is called the examples'",
        "more(bool(shown.entry.examples)),",
        "more(True),",
        (f"{_WAYS}the_mean_is_said_to_be_over_what_it_is",),
    ),
)

_RUNGS = "tests/ui/shared/test_ladder.py::test_"
WHOLE_TEXTS: Final = (
    Fault(
        "rungs compared as far as they are shown",
        ".strip() for ids in found]",
        ".strip()[:LONGEST] for ids in found]",
        (
            f"{_RUNGS}a_long_translation_is_the_one_above_the_ladder",
            f"{_RUNGS}texts_that_differ_beyond_what_is_shown_are_not_the_same",
        ),
    ),
    Fault(
        "a rung as long as the decoder wrote it",
        "return Rung(name, text, _shown(parts), same",
        "return Rung(name, text, tuple(parts), same",
        (f"{_RUNGS}what_is_shown_is_cut_and_says_so",),
    ),
)

_OUTLIERS = "tests/ui/inside/test_outliers.py::test_"
STANDS_OUT: Final = (
    Fault(
        "large dimensions without their share of the tokens",
        'layers and {100 * analysis.OUTLIER_TOKENS:g} % of the tokens"',
        'layers"',
        (f"{_OUTLIERS}one_token_of_twenty_is_no_outlier_and_the_sentence_says_why",),
    ),
    Fault(
        "a large dimension without its stack",
        "return f\"{stack} dimension{'s' * (len(indices) > 1)} {listed}{more}\"",
        "return f\"dimension{'s' * (len(indices) > 1)} {listed}{more}\"",
        (f"{_OUTLIERS}a_dimension_of_both_stacks_is_told_of_each",),
    ),
    Fault(
        "one gain told as many",
        '1: "1 gain γ lies beyond 3 σ of its norm"}.get(',
        '2: "1 gain γ lies beyond 3 σ of its norm"}.get(',
        (f"{_OUTLIERS}gains_are_counted_in_the_right_number",),
    ),
)

_WAVES = "tests/ui/inside/test_sinusoids.py::test_"
NUMBERS: Final = (
    Fault(
        "a word that the lens reads first below the output alone was never first",
        "if (!first.length) return ['. It was never",
        "return ['. It was never",
        (
            "tests/browser/test_golden_lenses.py::"
            "test_a_given_word_is_told_to_be_first_where_it_is_though_not_at_the_output",
        ),
    ),
    Fault(
        "an aligned row by contribution is told as a look",
        "const mode: Mode = meta.what === 'share' ? 'contribution' : 'weights';",
        "const mode = 'weights';",
        (f"{_PLATE}a_click_on_the_wall_opens_that_head_by_contribution_too",),
    ),
    Fault(
        "a sign at what is rounded to zero",
        'return written.lstrip("+-") if float(written) == 0 else written.replace("-", "−")',
        'return written.replace("-", "−")',
        ("tests/core/analysis/test_readout.py::test_what_is_rounded_to_zero_has_no_sign",),
    ),
    Fault(
        "the likeness of positions told less far than it is drawn",
        "analysis.first_rise(len(found.wavelengths) * 2, FARTHEST, denominator)",
        "analysis.first_rise(len(found.wavelengths) * 2, 64, denominator)",
        (f"{_WAVES}the_likeness_is_told_to_fall_as_far_as_the_chart_shows",),
    ),
    Fault(
        "a learned table ends at its last row, of which the first are not used",
        'f"This table holds {config.max_length:,} positions',
        'f"This table holds {config.max_length + config.position_offset:,} positions',
        (f"{_WAVES}a_learned_table_ends_after_the_positions_that_its_rows_are_for",),
    ),
    Fault(
        "a count that rounds up to 1000 k",
        "if number >= 999_500:",
        "if number >= 1_000_000:",
        ("tests/ui/models/test_model_card.py::test_a_count_carries_into_the_next_unit",),
    ),
    Fault(
        "exact pairs in a column called bleu",
        '"column": "exact_percent" if exact else "bleu",',
        '"column": "bleu",',
        ("tests/ui/shared/test_dynamics_view.py::test_losses_are_told_where_they_were_measured",),
    ),
)

_READOUT = "tests/core/analysis/test_readout.py::test_"
COUNTED: Final = (
    Fault(
        "a count without its thousands apart",
        'else f"{number:,} {plural(number, noun)}"',
        'else f"{number} {plural(number, noun)}"',
        (f"{_READOUT}a_count_is_one_or_several_and_its_thousands_stand_apart",),
    ),
    Fault(
        "two of something without a plural",
        'return noun if number == 1 else f"{noun}s"',
        'return noun if number <= 2 else f"{noun}s"',
        (f"{_READOUT}a_count_is_one_or_several_and_its_thousands_stand_apart",),
    ),
    Fault(
        "a comma in the name of a file",
        'called = about.replace(",", "").replace(" ", "-")',
        'called = about.replace(" ", "-")',
        ("tests/ui/heads/test_counts.py::test_the_sentences_of_the_file_are_counted",),
    ),
    Fault(
        "the words that a head links told as one word fewer",
        "count = len(plate.words.target)",
        "count = len(plate.words.target) - 1",
        ("tests/ui/heads/test_counts.py::test_the_title_counts_words",),
    ),
)

_BROUGHT = "tests/core/importing/test_import_command.py::test_"
BROUGHT: Final = (
    Fault(
        "the sentences of an import are not its examples",
        'examples = {} if trial.made_up else {"examples": trial.examples}',
        "examples: dict[str, object] = {}",
        (f"{_BROUGHT}the_sentences_given_are_the_examples_of_the_card",),
    ),
    Fault(
        "a made-up text is an example of the card",
        'examples = {} if trial.made_up else {"examples": trial.examples}',
        'examples = {"examples": trial.examples}',
        (f"{_BROUGHT}the_sentences_given_are_the_examples_of_the_card",),
    ),
    Fault(
        "the languages of an imported model change sides",
        "zip(LANGUAGE_OPTIONS, vocabularies, (around, first), strict=True)",
        "zip(LANGUAGE_OPTIONS, vocabularies, (first, around), strict=True)",
        ("tests/parity/test_generate.py::test_languages_choose_what_is_read_and_written",),
    ),
)

FAULTS: Final = (
    *WALK,
    *CROWD,
    *HEADS,
    *LESSONS,
    *TRANSLATE,
    *ATTENTION,
    *COMPARE,
    *TABLES,
    *REPORTED,
    *TICKS,
    *WHAT_IF,
    *ALIGNMENT,
    *FIRST_MINUTE,
    *REACHED,
    *ENGINE,
    *INSIDE,
    *LEARNING,
    *NOTEBOOK,
    *WRITE_UPS,
    *HANDS,
    *OUTSIDERS,
    *SAID,
    *NO_CHOICE,
    *WHOSE,
    *ALIGNED,
    *WAYS,
    *WHOLE_TEXTS,
    *STANDS_OUT,
    *NUMBERS,
    *BROUGHT,
    *COUNTED,
)
