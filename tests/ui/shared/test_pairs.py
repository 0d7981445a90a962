"""What two maps are compared by: names, sentences, which difference exists, and the files of both."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.mounted import softmax
from ui.export import menu
from ui.session.selection import MEAN
from ui.shared import maps as view
from ui.shared import two_maps
from ui.shared.maps import Axis, Maps
from ui.shared.two_maps import CompareData, Pair

QUERIES, KEYS = ("Un", "chien", "⟨end⟩"), ("A", "dog", ".", "⟨end⟩")


def maps(seed: int = 0, queries: tuple[str, ...] = QUERIES, keys: tuple[str, ...] = KEYS) -> Maps:
    weights = softmax(2, 2, len(queries), len(keys), seed=seed)
    return Maps("cross", weights, Axis.of_tokens(queries), Axis.of_tokens(keys), hidden=False)


def two_heads() -> Pair:
    return two_maps.heads(maps(), (0, 0), (1, 1))


def test_the_title_tells_the_largest_difference_of_two_heads() -> None:
    pair = two_heads()
    change = pair.second.values - pair.first.values
    words = np.abs(change[:-1, :-1])  # the end token comes last on both sides
    row, column = np.unravel_index(words.argmax(), words.shape)
    points = round(100 * abs(change[row, column]))
    word = "more" if change[row, column] > 0 else "less"  # second − first, as the difference is drawn
    assert pair.title.startswith("Head 1.1 gives ") and f" {points} points {word} than head 0.0" in pair.title
    turned = two_maps.heads(maps(), (1, 1), (0, 0)).title
    assert (
        turned.startswith("Head 0.0 gives ")
        and f" points {'less' if word == 'more' else 'more'} than" in turned
    )
    assert pair.comparable
    same = two_maps.heads(maps(), (0, 0), (0, 0))
    assert same.title == "Head 0.0 and head 0.0 look the same on this sentence"


def test_the_other_head_is_the_one_that_looks_least_alike() -> None:
    found = maps()
    found.weights[:] = found.weights[0, 0]
    found.weights[1, 0] = np.eye(len(QUERIES), len(KEYS))
    assert two_maps.other_head(found, (0, 0)) == (1, 0)


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (("A dog.", "A cat."), ("“A dog.”", "“A cat.”")),
        (("A dog.", "A dog."), ("first, “A dog.”", "second, “A dog.”")),
        (
            (
                "A dog runs along the road near the house.",
                "A dog runs along the road near the house at night.",
            ),
            ("first, “A dog runs along the road near th…”", "second, “A dog runs along the road near th…”"),
        ),
    ],
)
def test_two_sentences_have_different_names(texts: tuple[str, str], names: tuple[str, str]) -> None:
    pair = two_maps.sentences(maps(), maps(1), (0, 1), "mean", texts, "head 0.1")
    assert (pair.first.name, pair.second.name) == names


def test_maps_over_other_words_have_no_difference() -> None:
    other = maps(1, keys=("A", "cat", ".", "⟨end⟩"))
    pair = two_maps.sentences(maps(), other, (0, 1), "mean", ("A dog.", "A cat."), "head 0.1")
    assert not pair.comparable
    assert "largest token" in pair.title
    rows = list(csv.DictReader(io.StringIO(menu.pair_csv(pair))))
    assert {row["map"] for row in rows} == {"“A dog.”", "“A cat.”"}


def test_the_files_hold_both_maps_and_their_difference() -> None:
    pair = two_heads()
    wanted = {"head 0.0": pair.first.values, "head 1.1": pair.second.values}
    wanted["head 1.1 − head 0.0"] = pair.second.values - pair.first.values
    rows = list(csv.DictReader(io.StringIO(menu.pair_csv(pair))))
    assert len(rows) == 3 * len(QUERIES) * len(KEYS)
    for row in rows:
        i, j = int(row["query_position"]), int(row["key_position"])
        assert abs(float(row["value"]) - wanted[row["map"]][i, j]) <= 1e-8
        assert (row["query_writes"], row["key"]) == (QUERIES[i], KEYS[j])
    arrays = np.load(io.BytesIO(menu.pair_npz(pair)), allow_pickle=False)
    np.testing.assert_array_equal(arrays["first"], pair.first.values)
    np.testing.assert_array_equal(arrays["second"], pair.second.values)
    assert tuple(arrays["second_keys"]) == KEYS and str(arrays["first_name"]) == "head 0.0"


def test_the_other_head_is_the_same_whether_specials_are_hidden_or_not() -> None:
    """Head 0.1 gives its words the same shares but ⟨end⟩ nearly everything; 0.2 shifts its words a little."""
    rows = np.array([[[0.8, 0.1, 0.1, 0.0], [0.08, 0.01, 0.01, 0.9], [0.4, 0.5, 0.1, 0.0]]])
    weights = np.repeat(rows[:, :, None, :], 3, axis=2)
    axes = [Axis.of_tokens(labels) for labels in (QUERIES, KEYS)]
    for hide in (False, True):
        drawn = view.drawn(weights, "cross", *axes, hide)
        assert two_maps.other_head(drawn, (0, 0)) == (0, 1)
        pair = two_maps.heads(drawn, (0, 0), (0, 1))
        assert pair.subtitle == ("special tokens hidden, rows rescaled to 1" if hide else "")
        assert (pair.first.hidden is not None) == hide
    np.testing.assert_allclose(pair.second.hidden, 0.9)


def test_a_row_too_empty_to_draw_is_in_no_difference() -> None:
    weights = np.zeros((1, 2, 3, 4))
    weights[0, 0, :] = [0.01, 0.01, 0.01, 0.97]
    weights[0, 1, :] = [0.7, 0.2, 0.1, 0.0]
    weights[0, 0, 1] = [0.5, 0.4, 0.1, 0.0]
    axes = [Axis.of_tokens(labels) for labels in (QUERIES, KEYS)]
    pair = two_maps.heads(view.drawn(weights, "cross", *axes, True), (0, 0), (0, 1))
    assert pair.title == "Head 0.1 gives “A” 20 points more than head 0.0 when it writes “chien”"
    data = CompareData((pair.first, pair.second), kind="cross", title=pair.title)
    assert np.isnan(data.first.reshape(2, 3)[0]).all() and np.isfinite(data.first.reshape(2, 3)[1]).all()
    assert data.hidden == ((0.97, 0.0), (0.0, 0.0))


def test_a_maximum_is_told_as_no_distribution() -> None:
    pair = two_maps.sentences(
        maps(0), maps(1), (MEAN, MEAN), "max", ("a b", "c d"), "the strongest of 4 heads"
    )
    data = CompareData((pair.first, pair.second), kind="cross", title=pair.title)
    assert data.distribution == (False, False)
    pair = two_maps.sentences(maps(0), maps(1), (1, 1), "max", ("a b", "c d"), "head 1.1")
    assert CompareData((pair.first, pair.second), kind="cross", title="t").distribution == (True, True)


def test_two_steps_are_compared_at_words_that_both_could_look_at() -> None:
    """The later step puts everything on a word that the earlier could not see: no change of mind, no number."""
    weights = np.zeros((1, 2, 4, 4))
    weights[0, :, 0, 0] = 1.0
    weights[0, :, 1, :2] = (0.6, 0.4)
    weights[0, :, 2, :3] = (0.3, 0.3, 0.4)
    weights[0, 0, 3] = (0.0, 0.02, 0.0, 0.98)
    weights[0, 1, 3] = (0.2, 0.1, 0.0, 0.7)
    words = SimpleNamespace(
        target=("⟨start⟩", "Un", "chien", "noir"), written=("Un", "chien", "noir", "⟨end⟩")
    )
    decode: Any = SimpleNamespace(
        trace=SimpleNamespace(
            stacked=lambda *names: weights, tokens=words, config=SimpleNamespace(causal=True)
        )
    )
    pair = two_maps.steps(decode, "causal", 0, (2, 4))
    assert pair.first.values[0].tolist() == [0.6, 0.4, 0.0, 0.0], "the model's own numbers stay"
    assert (
        np.isnan(pair.first.cells("causal"))[:, 2:].all() and np.isfinite(pair.second.cells("causal")).all()
    )
    assert pair.title.startswith("Head 0.0 gives “Un” 38 points more when it writes “chien” (step 2)")
    rows = list(csv.DictReader(io.StringIO(menu.pair_csv(pair))))
    empty = {(row["map"][:6], row["key"]) for row in rows if not row["value"]}
    assert empty == {("step 2", "chien"), ("step 2", "noir"), ("step 4", "chien"), ("step 4", "noir")}
    whole = [row for row in rows if row["map"].startswith("step 4") and "−" not in row["map"]]
    assert all(row["value"] for row in whole), "only the difference has no number there"
    queries = {
        row["map"][:6]: (row["query_position"], row["query_reads"], row["query_writes"])
        for row in rows
        if "−" not in row["map"]
    }
    assert queries == {"step 2": ("1", "Un", "chien"), "step 4": ("3", "noir", "⟨end⟩")}
    assert [row["head"] for row in rows[::4]] == ["0.0", "0.1"] * 3
    assert not any(row["query_position"] or row["query_writes"] for row in rows[16:]), (
        "two steps are no query"
    )
    arrays = np.load(io.BytesIO(menu.pair_npz(pair)), allow_pickle=False)
    assert arrays["second_heads"].tolist() == ["0.0", "0.1"]
    assert (arrays["second_query_reads"].tolist(), arrays["second_query_writes"].tolist()) == (
        ["noir"],
        ["⟨end⟩"],
    )
