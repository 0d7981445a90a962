"""Measures of lessons against a made-up scene whose numbers can be counted by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import pytest

from core.errors import InputError
from core.experiments.contrast_sets import SetResult
from core.learning import trials
from core.learning.measures import MEASURES, Scene, measure, written
from core.model.config import ModelConfig
from core.model.hooks import Site
from core.model.trace import Tokens, Trace

SOURCE = ("the", "red", "sofa", "⟨end⟩")
WRITTEN = ("le", "canapé", "rouge", "⟨end⟩")
READ = ("⟨start⟩", *WRITTEN[:-1])
CROSS = np.array(
    [
        # layer 0: head 0 points and turns back at the third row, head 1 is even
        [
            [[0.9, 0.1, 0, 0], [0, 0.2, 0.8, 0], [0, 0.7, 0.3, 0], [0, 0, 0, 1]],
            [[0.25] * 4] * 4,
        ],
        # layer 1: head 0 always looks at the first token, head 1 is the sharpest
        [
            [[0.6, 0.2, 0.1, 0.1]] * 4,
            [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]],
        ],
    ],
    dtype=np.float64,
)
CAUSAL = np.array(
    [
        [[[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.2, 0.3, 0.5, 0], [0.25] * 4]] * 2,
        [
            [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]],
            [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        ],
    ],
    dtype=np.float64,
)
ENCODER = np.tile(np.array([0.4, 0.3, 0.2, 0.1]), (2, 2, 4, 1))
ENCODER[1, 0] = np.eye(4)[[0, 0, 1, 2]]  # the token before
BEFORE, AFTER = np.array([0.5, 0.8]), np.array([0.25, 0.2])  # 0.45 of 1.3 is kept


@dataclass(frozen=True)
class Edited:
    unedited: str = "le canapé rouge"
    rewritten: str = "le chat noir dort"
    before: np.ndarray = field(default_factory=lambda: BEFORE)
    after: np.ndarray = field(default_factory=lambda: AFTER)
    maps_after: dict[str, np.ndarray] = field(
        default_factory=lambda: {"causal": np.full((1, 1, 2, 2), 0.5), "cross": CROSS[:, ::-1]}
    )


@dataclass(frozen=True)
class Zeroed(Edited):
    after: np.ndarray = field(default_factory=lambda: BEFORE / 2)  # a half is kept of both


def trace() -> Trace:
    config = ModelConfig(
        source_vocab_size=10,
        target_vocab_size=10,
        d_model=4,
        encoder_layers=2,
        decoder_layers=2,
        heads=2,
        d_ff=8,
        norm_placement="pre",
        final_norm=True,
    )
    records = {}
    for stack, block, maps in (
        ("encoder", "self", ENCODER),
        ("decoder", "self", CAUSAL),
        ("decoder", "cross", CROSS),
    ):
        for layer in range(2):
            records[Site(stack, layer, block, "weights")] = maps[layer]
    stream = np.array([[1.0, 2, 3, 6], [2, 4, 6, 12], [0, 0, 3, 4], [1, 1, 1, 1]])
    for layer in range(2):
        for block in ("self", "ffn"):
            records[Site("encoder", layer, block, "residual_before")] = stream
            records[Site("encoder", layer, block, "output")] = np.ones((4, 4))
            records[Site("encoder", layer, block, "residual_after")] = (
                stream + 1 + (0.25 if layer and block == "self" else 0)
            )
    records[Site("encoder", 0, "self", "norm_input")] = stream
    records[Site("encoder", 0, "self", "norm_mean")] = stream.mean(1)
    records[Site("encoder", 0, "self", "norm_var")] = stream.var(1)
    return Trace(config, Tokens(SOURCE, READ, WRITTEN), (4, 5, 6, 2), (1, 4, 5, 6), (4, 5, 6, 2), records)


def table(length: int) -> np.ndarray:
    """Positions as one clock hand that turns by 0.1 a token, beside a constant."""
    angle = 0.1 * np.arange(length)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.fixture
def scene() -> Scene:
    result = trace()
    return Scene(
        *(
            result,
            "le canapé rouge",
            "cross",
            (0, 0),
            1,
            1,
            lambda: result,
            table,
            Edited,
            Zeroed,
            {0: 2, 2: 0},
        )
    )


EXPECTED = {
    **{"source_tokens": 4, "written_tokens": 4, "translation": "le canapé rouge"},
    **{
        "encoder_layers": 2,
        "decoder_layers": 2,
        "last_layer": 1,
        "heads": 2,
        "all_heads": 12,
        "kind_heads": 4,
    },
    **{"vocabulary": 10, "ids": "4, 5, 6, 2", "ff_width": 8},
    **{"d_model": 4, "head_size": 2, "head": "0.0", "word": "canapé", "keys": 4},
    **{"row_sum": 1.0, "looked_at": "sofa", "looked_weight": 0.8, "even_weight": 0.25, "rows_off": 0.0},
    **{"second_at": "red", "second_weight": 0.2, "weight_ratio": 4.0, "score_lead": math.log(4)},
    **{"masked_cells": 6},
    **{"sharpest": "1.1", "sharpest_layer": 1, "sharpest_head": 1, "sharpest_weight": 1.0},
    **{"broadest": "0.1", "broadest_layer": 0, "broadest_head": 1, "broadest_weight": 0.25},
    **{"previous": "1.1", "previous_layer": 1, "previous_head": 1},
    **{"ahead": 0.0, "first_row": 1.0, "turns_back": 1},
    # Head 1.1 gives 0, 1 and 0 to the token before.
    **{"previous_rows": 1, "previous_of": 3, "kept_zero": 0.5, "mean_gain": 0.35 - 0.5},
    # The step's edits exchange the two heads of each layer: 0.0 becomes even, half its rows' change in the mean.
    **{
        "head_moved": (0.65 + 0.55 + 0.5 + 0.75) / 4,
        "mean_moved": ((0.65 + 0.55 + 0.5 + 0.75) + (0.4 + 0.9 + 0.8 + 0.9)) / 8,
    },
    **{"encoder_sublayers": 4, "added_against": 0, "norm_order": "pre-norm"},
    **{"near_likeness": math.cos(0.1), "far_likeness": math.cos(2.0), "likeness_spread": 0.0},
    **{"mean_before": 6.0, "deviation_before": math.sqrt(14), "mean_after": 0.0, "deviation_after": 1.0},
    **{"stream_first": math.sqrt(200), "stream_last": math.sqrt(9 + 25 + 49 + 169), "sum_off": 0.25},
    **{"map_weights": 16, "map_doubled": 4},
    # Of a token, projections and feed-forward need 4 · 4² + 2 · 4 · 8 multiplications, the n² part 2 · 4 for each token.
    **{"even_tokens": 16},
    # Two layers of two heads, a million weights of four bytes each; a key and a value of 4 numbers in two layers.
    **{"longest_memory": 2 * 2 * 1024**2 * 4 / 1e6, "cached_numbers": 16, "gate_cost": 1.5},
    # The edits give the first token the third position, and the third the first.
    **{"shuffled": " ".join(("sofa", "red", "the", "⟨end⟩"))},
    # Counted in tests/core/learning/test_merges.py.
    **{"first_merge": "we", "first_merge_count": 5, "second_merge_count": 4, "ending_count": 4},
    **{"merges_made": 8, "word_letters": 10, "new_word_pieces": "s + lowe + r"},
    **{"source_words": 3, "cut_words": 0},
    **{"rewritten": "le chat noir dort", "words_changed": 3, "kept": 0.45 / 1.3, "ahead_edited": 0.5},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_measure_is_what_can_be_counted(scene: Scene, name: str) -> None:
    result = measure(name, scene)
    if isinstance(EXPECTED[name], str):
        assert result == EXPECTED[name]
    else:
        assert result == pytest.approx(EXPECTED[name], abs=1e-9)


def test_every_measure_is_counted_here() -> None:
    own = {"mean_weight", "sharpest_ahead", "previous_weight", "stream_growth"}
    own |= {"output_growth", "spread_least", "spread_most"}  # tests/ui/learn/test_lesson_truth.py
    own |= {"unscaled_weight", "word_probability", "smoothing_floor", "masked_right", "unmasked_right"}
    later = {
        "post_gradient",
        "post_gradient_wide",
        "pre_gradient",
        "sinusoid_shift",
        "relative_shift",
        "rotary_shift",
        "decoder_left",
    }
    own |= later  # tests/core/learning/test_trials.py
    own |= set(CARRIED) | set(SECOND)
    # What is stored, or computed by hand: tests/ui/learn/test_lesson_truth.py with test_feed_forward, test_one_vector, test_by_hand.
    own |= {name for name in MEASURES if name.startswith(("ff_", "one_vector_", "hand_"))} - {"ff_width"}
    own |= {"source_pieces"}  # tests/ui/learn/test_lesson_truth.py
    stored = {
        *("encoder_passes", "decoder_passes", "stepped_changed", "stepped_off"),
        *("layer_text", "layer_changed", "layer_enough", "swap_looked", "swap_noun", "swap_noun_text"),
    }
    own |= stored  # tests/core/learning/test_small_studies.py
    assert set(MEASURES) == set(EXPECTED) | own


def test_the_mean_of_heads_is_no_sharper_than_the_sharpest(scene: Scene) -> None:
    mean = CROSS.mean(axis=(0, 1)).max(axis=-1).mean()
    assert measure("mean_weight", scene) == pytest.approx(mean)
    assert measure("sharpest_ahead", scene) == pytest.approx(1 - round(mean, 2))
    assert measure("stream_growth", scene) == pytest.approx(math.sqrt(252 / 200))


def test_where_the_norm_follows_the_sum_the_stream_is_what_the_norm_gives(scene: Scene) -> None:
    records = dict(scene.trace.records)
    for layer in range(2):
        for block in ("self", "ffn"):
            records[Site("encoder", layer, block, "norm_output")] = np.full((4, 4), 3.0)
    config = replace(scene.trace.config, norm_placement="post", final_norm=False)
    post = replace(scene.trace, config=config, records=records)
    result = replace(scene, trace=post, stream=lambda: post)
    assert measure("stream_last", result) == pytest.approx(6.0)
    assert measure("sum_off", result) == pytest.approx(10.0)  # 12 + 1 − 3
    assert measure("norm_order", result) == "post-norm"
    records[Site("encoder", 1, "ffn", "output")] = -np.ones((4, 4))
    assert measure("added_against", result) == 1


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("encoder", "previous", "1.0"),
        ("encoder", "previous_weight", 1.0),
        ("encoder", "word", "red"),
        ("encoder", "kind_heads", 4),
        ("causal", "previous", "1.0"),
        ("causal", "word", "le"),
        ("causal", "keys", 2),
        ("causal", "even_weight", 0.5),
        ("causal", "looked_at", "⟨start⟩"),
        # The first row of the decoder has one key alone: it makes no head sharp.
        ("causal", "sharpest_weight", 1.0),
        ("causal", "broadest_weight", (0.5 + 0.5 + 0.25) / 3),
    ],
)
def test_a_measure_is_of_the_kind_that_is_shown(
    scene: Scene, kind: str, name: str, value: float | str
) -> None:
    result = measure(name, replace(scene, kind=kind, row=1))  # type: ignore[arg-type]
    assert result == (value if isinstance(value, str) else pytest.approx(value))


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("rows_off", lambda maps: maps.__setitem__((0, 0, 0, 0), 0.5)),
        ("ahead", lambda maps: maps.__setitem__((1, 1, 0, 2), 0.4)),
        ("first_row", lambda maps: maps.__setitem__((1, 1, 0, 0), 0.6)),
    ],
)
def test_one_wrong_cell_of_the_decoder_is_seen(
    scene: Scene, name: str, spoil: Callable[[np.ndarray], None]
) -> None:
    maps = CAUSAL.copy()
    spoil(maps)
    records = {**scene.trace.records, **{Site("decoder", n, "self", "weights"): maps[n] for n in range(2)}}
    spoiled = replace(scene, trace=replace(scene.trace, records=records))
    assert measure(name, spoiled) == pytest.approx({"rows_off": 0.5, "ahead": 0.4, "first_row": 0.6}[name])


@pytest.mark.parametrize(
    ("name", "value", "decimal", "shown"),
    [
        ("heads", 8, ".", "8"),
        ("cached_numbers", 2048, ".", "2,048"),
        ("cached_numbers", 2048, ",", "2\u202f048"),
        ("looked_weight", 0.714, ".", "71 %"),
        ("looked_weight", 0.004, ".", "< 1 %"),
        ("looked_weight", 0.0, ".", "0 %"),
        ("mean_gain", -0.012, ".", "−1 points"),
        ("mean_gain", -0.4, ".", "−40 points"),
        ("looked_weight", 0.998, ",", "99,8 %"),
        ("looked_weight", 0.99999, ".", "99.9 %"),
        ("looked_weight", 1.0, ".", "100 %"),
        ("row_sum", 0.99996, ".", "1.000"),
        ("row_sum", 0.99996, ",", "1,000"),
        ("mean_after", -0.0000001, ".", "0.000"),
        ("mean_before", -0.25, ",", "−0,250"),
        ("stream_first", 12.345, ".", "12.3"),
        ("word", "un.deux", ",", "un.deux"),
    ],
)
def test_a_value_is_written_as_a_reader_sees_it(
    name: str, value: float | str, decimal: str, shown: str
) -> None:
    assert written(name, value, decimal) == shown


def test_the_weight_at_a_token_is_that_of_the_row(scene: Scene) -> None:
    for number, key in enumerate(scene.keys):
        same = [n for n, other in enumerate(scene.keys) if other.casefold() == key.casefold()]
        assert measure(f"weight:{key}", scene) == pytest.approx(float(scene.one()[same].sum())), number
    with pytest.raises(InputError, match="no token 'zebra'"):
        measure("weight:zebra", scene)


def test_scores_without_the_division_give_a_more_focused_row(scene: Scene) -> None:
    row, root = scene.one(), np.sqrt(scene.trace.config.d_head)
    powers = [weight**root for weight in row]
    assert measure("unscaled_weight", scene) == pytest.approx(max(powers) / sum(powers))


def test_the_floor_of_the_loss_is_the_entropy_of_the_smoothed_target(scene: Scene) -> None:
    words = scene.trace.config.target_vocab_size
    target = np.full(words, 0.05 / words)
    target[0] += 0.95
    assert measure("smoothing_floor", scene) == pytest.approx(-(target * np.log(target)).sum())


def test_the_story_says_what_the_two_trainings_write(scene: Scene) -> None:
    both = trials.stored()
    right = [training.right for training in both.trainings]
    assert [measure(name, scene) for name in ("masked_right", "unmasked_right")] == right
    assert both.tested == 100, "the lesson says so"


CARRIED: Final = {
    "head_layer": 1,
    "head_number": 0,
    "carriers": "1.0, 0.1",
    "carriers_off": "zc0-1_zc1-0",
    "carrier": "1.0",
    "carried_most": 0.6,
    "carried_pairs": 8,
    "carried_turned": 5,
    "carried_random": 2,
    "other_heads": "0.0, 1.1",
    "other_heads_off": "zc0-0_zc1-1",
}
"""Of a set of pairs on two layers of two heads; the others are the only two that are left."""


def test_what_heads_carry_is_that_of_the_measured_pairs(scene: Scene) -> None:
    effects = (0.0, 0.3), (0.6, 0.0)
    result = SetResult("a", "cross", "x", "y", 9, 8, effects, effects, effects, ((1, 0), (0, 1)), 5, (0, 2))
    shown = replace(scene, head=(1, 0), carried=lambda: result)
    assert {name: measure(name, shown) for name in CARRIED} == CARRIED
    with pytest.raises(InputError, match="Nothing was measured"):
        measure("carriers", scene)


SECOND: Final = {"shared_carriers": 1, "second_carriers": "0.1, 0.0", "second_pairs": 7, "second_turned": 3}


def test_the_heads_of_two_sets_of_pairs_are_compared(scene: Scene) -> None:
    effects = (0.0, 0.3), (0.6, 0.0)
    first = SetResult("a", "cross", "x", "y", 9, 8, effects, effects, effects, ((1, 0), (0, 1)), 5, (0, 2))
    second = replace(first, name="b", compared=7, turned=3, heads=((0, 1), (0, 0)))
    shown = replace(scene, carried=lambda: first, carried_second=lambda: second)
    assert {name: measure(name, shown) for name in SECOND} == SECOND


@pytest.mark.parametrize(
    ("labels", "words", "cut"),
    [
        (("A", "be", "·ek", "·eeper", "sings", ".", "⟨end⟩"), 3, 1),
        (("␣", "·Z", "·oe", "1", "·2", "?"), 2, 2),
        (("hom·", "me", "⟨end⟩"), 1, 1),
        (("⟨unk⟩", "a"), 1, 0),
    ],
)
def test_words_and_those_that_are_cut_are_counted_from_labels(
    scene: Scene, labels: tuple[str, ...], words: int, cut: int
) -> None:
    shown = replace(scene, trace=replace(scene.trace, tokens=scene.trace.tokens._replace(source=labels)))
    assert (measure("source_words", shown), measure("cut_words", shown)) == (words, cut)


def test_a_measure_that_does_not_exist_is_named(scene: Scene) -> None:
    with pytest.raises(InputError, match="'row_summ'.*row_sum"):
        measure("row_summ", scene)
