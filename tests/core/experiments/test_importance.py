"""Leaving heads out, their gradients, keeping only the best, and why one word and not another.

The heads that link a pinned pair, and the translation with the first n of them ablated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from core.api import Checkpoint
from core.decoding.search import translate_batch
from core.errors import InputError
from core.experiments import importance
from core.experiments.edits import Edits, HeadsStep
from core.experiments.importance import Ablated, ablate_in_order, breaking_point
from core.experiments.importance_cli import agreement_line
from core.experiments.intervention import hook_edits
from core.experiments.rankings import rank_for_pair, ranked, ranks, spearman
from core.experiments.what_if import Pair, Variant, all_heads, gated, run_variants, what_if, why
from core.model.hooks import ATTENTION, Hooks
from tests.core.conftest import passed
from tests.core.experiments.test_what_if import attention_of, changed_model

LETTER = {"encoder": "e", "causal": "d", "cross": "c"}


def pair(checkpoint: Checkpoint, source: str = "abc def.", written: str = "bad cafe") -> Pair:
    return Pair(tuple(checkpoint.encode_source(source)), tuple(checkpoint.target_tokenizer.encode(written)))


def loss(checkpoint: Checkpoint, one: Pair, edit: Any = None) -> float:
    logs = passed(checkpoint, *one, Hooks(edit=edit or {})).double().log_softmax(-1)
    return -float(sum(logs[t, token] for t, token in enumerate(one.written)))


def logs_under(checkpoint: Checkpoint, one: Pair, text: str = "") -> torch.Tensor:
    """The log-probabilities (T, V) of one pass under edits."""
    edit = hook_edits(checkpoint.model, Edits.parse(text), len(one.source))
    return passed(checkpoint, *one, Hooks(edit=edit)).double().log_softmax(-1)


def edited(checkpoint: Checkpoint, one: Pair, text: str = "") -> torch.Tensor:
    """The log-probability of each token of the pair's translation under edits."""
    return logs_under(checkpoint, one, text)[range(len(one.written)), list(one.written)]


def last(steps: Any) -> Any:
    *_, final = steps
    return final


@pytest.mark.sampled(3)
def test_a_gate_of_one_is_bit_identical(kind: Checkpoint) -> None:
    one = pair(kind)
    edit: dict[Any, Any] = {}
    for key, side in ATTENTION.items():
        edit |= gated(key, torch.ones(kind.config.layers(side.stack), 1, kind.config.of(side.stack).heads))
    assert torch.equal(passed(kind, *one), passed(kind, *one, Hooks(edit=edit)))


@pytest.mark.sampled(3)
def test_leaving_a_head_out_is_a_pass_without_it(kind: Checkpoint) -> None:
    pairs = [pair(kind), pair(kind, "face.", "dig a")]
    steps = list(importance.leave_one_out(kind.model, pairs, batch=7))
    assert [step.done for step in steps] == list(range(1, steps[-1].total + 1))
    for key, layer, head in all_heads(kind.config)[::5]:
        edit = f"z{LETTER[key]}{layer}-{head}"
        rises = [-float((edited(kind, one, edit) - edited(kind, one)).sum()) for one in pairs]
        np.testing.assert_allclose(steps[-1].tables[key][layer, head], np.mean(rises), atol=2e-5)


def test_a_run_can_be_left_at_any_pass(tiny: Checkpoint) -> None:
    steps = importance.leave_one_out(tiny.model, [pair(tiny)] * 3, batch=6)
    first = next(steps)
    steps.close()
    measured = sum(int(np.isfinite(table).sum()) for table in first.tables.values())
    assert (first.done, measured) == (1, 5) and first.total == 15


@pytest.mark.sampled(3)
def test_the_gradient_is_the_finite_difference_of_the_loss_in_the_gate(kind: Checkpoint) -> None:
    """In double precision, where a difference of 1e-6 in a gate leaves eight digits and seldom crosses a kink of ReLU."""
    double = changed_model(kind, lambda model: model.double())
    one, step = pair(double), 1e-6
    result = last(importance.by_gradient(double.model, [one]))
    for key, layer, head in all_heads(kind.config)[::3]:
        losses = []
        for gate in (1 + step, 1 - step):
            table = torch.ones(
                kind.config.layers(ATTENTION[key].stack),
                1,
                kind.config.of(ATTENTION[key].stack).heads,
                dtype=torch.double,
            )
            table[layer, 0, head] = gate
            losses.append(loss(double, one, gated(key, table)))
        slope = (losses[0] - losses[1]) / (2 * step)
        np.testing.assert_allclose(result.tables[key][layer, head], abs(slope), rtol=2e-3, atol=2e-5)


def test_importance_by_gradient_is_the_mean_over_examples_of_the_size(tiny: Checkpoint) -> None:
    pairs = [pair(tiny), pair(tiny, "face.", "dig a")]
    single = [last(importance.by_gradient(tiny.model, [one])).tables for one in pairs]
    both = last(importance.by_gradient(tiny.model, pairs)).tables
    for key, table in both.items():
        np.testing.assert_allclose(table, (single[0][key] + single[1][key]) / 2, rtol=1e-5)
        assert (table >= 0).all()


def test_a_head_that_nobody_hears_has_no_importance(tiny: Checkpoint) -> None:
    width = tiny.config.d_head

    def deafen(model: Any) -> None:
        attention_of(model, "cross", 1).output_proj.weight[:, width : 2 * width] = 0.0

    other = changed_model(tiny, deafen)
    for measure in (importance.by_gradient, importance.leave_one_out):
        result = last(measure(other.model, [pair(other)])).tables["cross"]
        assert abs(result[1, 1]) < 1e-6
        assert np.abs(np.delete(result, result.shape[1] + 1)).min() > 0


@pytest.mark.sampled(3)
def test_keeping_only_the_best_runs_from_no_head_to_all(kind: Checkpoint) -> None:
    pairs = [pair(kind), pair(kind, "face.", "dig a")]
    tables = last(importance.by_gradient(kind.model, pairs)).tables
    ranking = ranked(tables)
    sizes = [float(tables[head[0]][head[1:]]) for head in ranking]
    assert sizes == sorted(sizes, reverse=True)
    result = last(importance.keep_only(kind.model, pairs, ranking, batch=5, points=9))
    assert result.counts[0] == 0 and result.counts[-1] == len(ranking) and result.done == result.total
    tokens = sum(len(one.written) for one in pairs)
    full = -sum(loss(kind, one) for one in pairs) / tokens
    np.testing.assert_allclose(result.log_probability[-1], full, atol=1e-5)
    for position, count in ((0, 0), (3, result.counts[3])):
        text = "_".join(f"z{LETTER[key]}{layer}-{head}" for key, layer, head in ranking[count:])
        logs = sum(float(edited(kind, one, text).sum()) for one in pairs) / tokens
        first = 0
        for one in pairs:
            rows = logs_under(kind, one, text)
            rows[:, [kind.config.pad_id, kind.config.bos_id]] = -torch.inf  # never written
            first += int((rows.argmax(-1) == torch.tensor(one.written)).sum())
        np.testing.assert_allclose(result.log_probability[position], logs, atol=1e-5)
        np.testing.assert_allclose(result.first[position], first / tokens)


def test_a_ranking_must_name_every_head(tiny: Checkpoint) -> None:
    with pytest.raises(InputError, match="every head"):
        next(importance.keep_only(tiny.model, [pair(tiny)], all_heads(tiny.config)[1:]))
    with pytest.raises(InputError, match="at least one"):
        next(importance.leave_one_out(tiny.model, []))


# -- why --------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
def test_what_speaks_for_a_word_is_what_its_log_odds_lose_without_it(kind: Checkpoint) -> None:
    one, step = pair(kind), 3
    other = (one.written[step] + 1) % 10 + 4
    result = why(kind.model, one, step, other)

    def odds(text: str = "") -> float:
        logs = logs_under(kind, one, text)[step]
        return float(logs[one.written[step]] - logs[other])

    np.testing.assert_allclose(result.log_odds, odds(), atol=1e-5)
    for text, value in (
        ("ze1-2", result.heads["encoder"][1, 2]),
        ("zd0-3", result.heads["causal"][0, 3]),
        ("zc1-0", result.heads["cross"][1, 0]),
        ("h0", result.source[0]),
        ("h4", result.source[4]),
    ):
        np.testing.assert_allclose(value, result.log_odds - odds(text), atol=2e-5)
    assert len(result.source) == len(one.source) and len(result.prefix) == step


def test_a_prefix_word_is_hidden_from_the_rows_after_it(tiny: Checkpoint) -> None:
    one, step, hidden = pair(tiny), 4, 2
    other = one.written[step] % 10 + 4
    result = why(tiny.model, one, step, other)

    def close(scores: torch.Tensor) -> torch.Tensor:
        scores = scores.clone()
        scores[:, :, hidden + 1 :, hidden] = -torch.inf
        return scores

    hooks = Hooks(edit={"decoder.*.self.masked_scores": close})
    logits = passed(tiny, *one, hooks)[step]
    expected = result.log_odds - float(logits[one.written[step]] - logits[other])
    np.testing.assert_allclose(result.prefix[hidden], expected, atol=1e-5)


def test_a_question_that_has_no_answer_is_one_sentence(tiny: Checkpoint) -> None:
    one = pair(tiny)
    for step, other, says in (
        (99, 4, "no step 99"),
        (0, 999, "does not exist"),
        (0, one.written[0], "the same"),
    ):
        with pytest.raises(InputError, match=says):
            why(tiny.model, one, step, other)


def test_variants_do_not_see_each_other(tiny: Checkpoint) -> None:
    one = pair(tiny)
    variants = [Variant(), Variant(heads=frozenset({("cross", 0, 1)})), Variant(source=frozenset({1})), Variant(prefix=frozenset({0}))]  # fmt: skip
    together = np.concatenate(list(run_variants(tiny.model, one, variants, lambda logs: logs)))
    for variant, row in zip(variants, together, strict=True):
        alone = next(run_variants(tiny.model, one, [variant], lambda logs: logs))[0]
        np.testing.assert_allclose(row, alone, atol=1e-5)
        assert (np.abs(row - together[0]).max() > 1e-4) == (variant != Variant())


# -- numbers by hand --------------------------------------------------------------------------------------------


def test_rank_correlation_by_hand() -> None:
    assert ranks([10, 30, 20, 20]).tolist() == [1, 4, 2.5, 2.5]
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert spearman([1, 2, 3], [9, 4, 1]) == pytest.approx(-1)
    # d = (1, 1, 0, 2) against 1 − 6·Σd²/(n(n²−1)) = 1 − 6·6/60
    assert spearman([1, 2, 3, 4], [2, 1, 3, 4]) == pytest.approx(0.8)
    assert spearman([1, 2, 3, 4], [2, 3, 1, 4]) == pytest.approx(0.4)
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]))
    assert spearman([1, 2, np.nan, 3], [1, 2, 0, 3]) == pytest.approx(1)
    with pytest.raises(InputError, match="3 and 2"):
        spearman([1, 2, 3], [1, 2])


# -- a token that is always written first ----------------------------------------------------------------------


@pytest.fixture(params=[9, 1], ids=["letter", "start"])
def forced(request: pytest.FixtureRequest, build: Any) -> Checkpoint:
    """A model that always writes that token first, and that finds padding and its start token most probable."""
    checkpoint: Checkpoint = build(forced_bos_id=request.param, tie_output=False, output_bias=True)

    def prefer(model: Any) -> None:
        model.output_bias[:2] = 8.0

    return changed_model(checkpoint, prefer)


def greedy_pair(checkpoint: Checkpoint) -> Pair:
    source = checkpoint.encode_source("abc def.")
    return Pair(tuple(source), tuple(translate_batch(checkpoint.model, [source], max_steps=9)[0]))


def chosen_loss(checkpoint: Checkpoint, one: Pair, edit: Any = None) -> float:
    """`loss` without the first token, which was no choice."""
    first = Pair(one.source, one.written[:1])
    return loss(checkpoint, one, edit) - loss(checkpoint, first, edit)


def test_with_every_head_on_all_words_stay(forced: Checkpoint) -> None:
    one = greedy_pair(forced)
    assert one.written[0] == forced.config.forced_bos_id and len(one.written) > 2
    result = last(importance.keep_only(forced.model, [one], all_heads(forced.config)))
    assert result.first[-1] == 1.0 and 0.0 <= result.first[0] <= 1.0
    full = -chosen_loss(forced, one) / (len(one.written) - 1)
    np.testing.assert_allclose(result.log_probability[-1], full, atol=1e-5)


def test_what_is_no_choice_is_no_part_of_a_loss(forced: Checkpoint) -> None:
    one = greedy_pair(forced)
    left = last(importance.leave_one_out(forced.model, [one])).tables
    for key, layer, head in all_heads(forced.config)[::5]:
        table = torch.ones(forced.config.layers(ATTENTION[key].stack), 1, forced.config.heads)
        table[layer, 0, head] = 0.0
        rise = chosen_loss(forced, one, gated(key, table)) - chosen_loss(forced, one)
        np.testing.assert_allclose(left[key][layer, head], rise, atol=2e-5)
        result = what_if(forced, one.source, one.written, Edits.parse(f"z{LETTER[key]}{layer}-{head}"))
        assert result.next_word()[0] == 0.0
        np.testing.assert_allclose(-result.change, rise, atol=2e-5)


def test_the_line_of_both_rankings_counts_one_sentence_as_one() -> None:
    text = agreement_line({"signed": -0.204, "size": 0.5}, 12, 1)
    assert text.endswith(
        "one head out: −0.20; with the size of the change, whatever its sign: 0.50 (12 heads, 1 sentence)."
    )
    assert agreement_line({"signed": 1.0, "size": 1.0}, 12, 1326).endswith("(12 heads, 1,326 sentences).")


def steps_of(checkpoint: Checkpoint, pair: Pair, ranking: list, batch: int = 32) -> list[Ablated]:
    return [step for steps in ablate_in_order(checkpoint.model, pair, ranking, batch) for step in steps]


def test_heads_come_by_weight_then_by_layer() -> None:
    weights = np.array([[0.10, 0.9996], [0.998, 0.1049], [1.0, 0.0]])
    order = [(layer, head) for _, layer, head in rank_for_pair("cross", weights)]
    # 100, 100 and 100 % are a tie, which goes by layer; so are the two that print as 10 %.
    assert order == [(0, 1), (1, 0), (2, 0), (0, 0), (1, 1), (2, 1)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ["cross", "causal", "encoder"])
def test_each_count_is_the_same_edit_made_by_hand(kind: Checkpoint, name: str) -> None:
    source = tuple(kind.encode_source("abc def."))
    pair = Pair(source, tuple(kind.target_tokenizer.encode("bad cafe")))
    generator = np.random.default_rng(3)
    ranking = rank_for_pair(name, generator.random((2, 4)))  # type: ignore[arg-type]
    steps = steps_of(kind, pair, ranking, batch=4)
    assert [step.heads for step in steps] == list(range(9))
    for step in steps[::3]:
        edits = Edits(tuple(HeadsStep(key, layer, (head,)) for key, layer, head in ranking[: step.heads]))
        by_hand = what_if(kind, pair.source, pair.written, edits)
        assert step.written == by_hand.rewritten
        np.testing.assert_allclose(step.next_word, by_hand.next_word("after"), atol=2e-5)


def test_it_breaks_at_the_first_count_that_writes_something_else() -> None:
    def ablated(heads: int, *written: int) -> Ablated:
        return Ablated(heads, written, np.zeros(len(written)))

    steps = [ablated(0, 5, 2), ablated(1, 5, 2), ablated(2, 7, 2), ablated(3, 5, 2)]
    assert breaking_point(steps) == 2
    assert breaking_point(steps[:2]) is None


@pytest.mark.sampled(3)
def test_a_pair_without_a_translation_is_refused(kind: Checkpoint) -> None:
    with pytest.raises(InputError, match="at least one token"):
        next(ablate_in_order(kind.model, Pair((5, 2), ()), []))
