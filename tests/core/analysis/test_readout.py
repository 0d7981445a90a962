"""The sentence under a view, word for word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.analysis.readout import percent, quoted, readout, subject
from core.errors import InputError

KEYS = ["the", "dog", "runs", ".", "⟨end⟩"]


def test_the_two_largest_weights_are_named() -> None:
    row = [0.12, 0.71, 0.06, 0.04, 0.07]
    sentence = readout(row[:3], KEYS[:3], "chien", "cross", 2, 3)
    assert sentence.startswith("Writing “chien”, head 2.3 looked 71 % at “dog”, 12 % at “the”")
    assert readout([0.12, 0.8, 0.04, 0.02, 0.02], KEYS, "chien", "cross", 2, 3) == (
        "Writing “chien”, head 2.3 looked 80 % at “dog” and 12 % at “the”."
    )


def test_one_token_with_everything() -> None:
    row = [0, 0, 0, 0, 1]
    assert (
        readout(row, KEYS, "⟨end⟩", "cross", 0, 1)
        == "Writing the end token, head 0.1 looked only at the end token."
    )


def test_a_spread_row_says_so() -> None:
    row = np.full(9, 0.86 / 8)
    row[3] = 0.14
    sentence = readout(row, list("abcdefghi"), "chien", "cross", 2, 3)
    assert sentence == "Writing “chien”, head 2.3 spread its weight over about 9 tokens; most, 14 %, on “d”."


def test_the_encoder_reads_and_the_decoder_may_read_too() -> None:
    row = [1.0, 0.0]
    assert readout(row, ["a", "b"], "b", "encoder-self", 0, 0).startswith("Reading “b”, ")
    assert readout(row, ["a", "b"], "b", "decoder-self", 0, 0, writing=False).startswith("Reading “b”, ")
    assert readout(row, ["a", "b"], "b", "decoder-self", 0, 0).startswith("Writing “b”, ")


def test_an_empty_row_had_nothing_to_look_at() -> None:
    assert readout([0, 0], ["a", "b"], "x", "cross", 1, 2) == "Writing “x”, head 1.2 had nothing to look at."
    assert readout([], [], "x", "cross", 1, 2) == "Writing “x”, head 1.2 had nothing to look at."
    assert readout([0, 0], ["a", "b"], "x", hidden=0.97).endswith(
        "gave 97 % to the hidden tokens; what is left is too little to draw."
    )
    assert readout([np.nan, 1], ["a", "b"], "x").endswith("had nothing to look at.")


def test_the_share_on_hidden_tokens_is_told() -> None:
    assert readout([0.6, 0.4], ["a", "b"], "x", hidden=0.37) == (
        "Writing “x”, head 0.0 looked 60 % at “a” and 40 % at “b”; 37 % was on hidden tokens."
    )
    assert readout([1, 0], ["a", "b"], "x", hidden=0.0).endswith("“a”; 0 % was on hidden tokens.")
    assert readout([0.6, 0.4], ["a", "b"], "x", how="max", hidden=0.37).endswith(
        "; up to 37 % was on hidden tokens."
    )


def test_a_repeated_label_says_which_token() -> None:
    assert readout([0.1, 0.0, 0.9], ["the", "dog", "the"], "le") == (
        "Writing “le”, head 0.0 looked 90 % at “the” (token 3)."
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"layer": 2, "head": 3}, "head 2.3"),
        ({"layer": 3, "head": None, "heads": 8}, "the mean of 8 heads in layer 3"),
        ({"layer": 3, "head": None}, "the mean of all heads in layer 3"),
        ({"layer": None, "head": 4, "layers": 6, "how": "max"}, "the strongest of head 4 in 6 layers"),
        ({"layer": None, "head": None, "heads": 8, "layers": 6}, "the mean of 48 heads"),
        ({"layer": 0, "head": None, "heads": 1, "how": "max"}, "the strongest of 1 head in layer 0"),
    ],
)
def test_who_looked(arguments: dict, words: str) -> None:
    assert subject(**arguments) == words


def test_a_maximum_is_no_distribution_and_never_a_spread() -> None:
    row = np.full(10, 0.2)
    assert readout(row, list("abcdefghij"), "x", "cross", 1, None, how="max", heads=4) == (
        "Writing “x”, the strongest of 4 heads in layer 1 looked 20 % at “a”, 20 % at “b” and 20 % at “c”."
    )


def test_scores_are_told_as_numbers_without_the_masked_ones() -> None:
    sentence = readout([1.5, -np.inf, -0.25], ["a", "b", "c"], "x", "decoder-self", 0, 1, quantity="scores")
    assert sentence == "Writing “x”, head 0.1 scored “a” 1.50 and “c” −0.25 before the softmax."
    assert readout([-np.inf], ["a"], "x", quantity="scores").endswith("had nothing to look at.")


def test_right_to_left_labels_are_isolated() -> None:
    assert quoted("كلب") == "“\u2068كلب\u2069”"
    assert quoted("dog") == "“dog”"


def test_percentages() -> None:
    assert [percent(share) for share in (0, 0.001, 0.005, 0.006, 0.714, 1)] == [
        "0 %",
        "less than 1 %",
        "less than 1 %",
        "1 %",
        "71 %",
        "100 %",
    ]


def test_markup_in_a_token_is_left_as_text() -> None:
    assert "“<script>”" in readout([1.0], ["<script>"], "x")


def test_bad_arguments_are_explained() -> None:
    with pytest.raises(InputError, match="2 key labels"):
        readout([1.0], ["a", "b"], "x")
    with pytest.raises(InputError, match="choose 'weights' or 'scores'"):
        readout([1.0], ["a"], "x", quantity="logits")  # type: ignore[arg-type]


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30), st.sampled_from(["mean", "max"]))
@settings(max_examples=100)
def test_any_row_gives_one_sentence(values: list[float], how: str) -> None:
    row = np.array(values)
    if how == "mean" and row.sum() > 0:
        row = row / row.sum()
    sentence = readout(row, [f"k{i}" for i in range(len(row))], "x", how=how)  # type: ignore[arg-type]
    assert sentence.startswith("Writing “x”, head 0.0 ") and sentence.endswith(".")
    assert "nan" not in sentence and "\n" not in sentence
