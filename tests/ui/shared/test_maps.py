"""Heads, pins and sentences of the Attention page as pure functions of a selection and its maps."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mounted import softmax
from ui.session import state
from ui.session.codec import UNPINNED, Pin
from ui.session.selection import MEAN, PIN_LIMIT, Selection
from ui.shared import maps as view
from ui.shared.decode import most_confident_head
from ui.shared.maps import Axis, Maps
from ui.style.theme import Kind


def axis(*groups: tuple[int, ...]) -> Axis:
    return Axis(tuple(f"w{group[0]}" for group in groups), groups)


MAPS = Maps(
    kind="cross",
    weights=np.full((2, 3, 3, 2), 0.5),
    queries=axis((0,), (1, 2), (3,)),
    keys=axis((0, 1), (2,)),
    hidden=False,
)


def test_heads_that_a_model_lacks_are_named_and_the_mean_is_drawn() -> None:
    selection = Selection(layer=9, head=1, overlay=((1, 2), (7, 0)))
    sentence = view.missing(selection, MAPS)
    assert "does not have layer 9" in sentence
    assert "head 7.0" in sentence
    assert "0 to 1" in sentence
    assert view.chosen(selection, MAPS) == (MEAN, 1)
    assert view.missing(Selection(layer=1, head=2, overlay=((0, 0),)), MAPS) == ""
    assert view.missing(Selection(), MAPS) == view.missing(Selection(layer=MEAN, head=MEAN), MAPS) == ""


def test_an_overlay_keeps_heads_that_exist_and_needs_one_open_head() -> None:
    overlay = ((0, 1), (1, 1), (5, 0))
    assert view.overlaid(Selection(layer=1, head=1, overlay=overlay), MAPS) == ((0, 1),)
    assert view.overlaid(Selection(layer=MEAN, head=1, overlay=overlay), MAPS) == ()


def pinned(maps: Maps, selection: Selection) -> tuple[list[int], list[int]]:
    return view.pinned(maps.kind, maps.queries, maps.keys, selection)


def pin(maps: Maps, rows: list[int], columns: list[int], before: Selection | None = None) -> Selection:
    """The selection after a reader has pinned these rows and columns of a map."""
    selections = [before or Selection(kind=maps.kind)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state, "selection", lambda: selections[-1])
        patch.setattr(state, "put", selections.append)
        view.pin(maps.kind, maps.queries, maps.keys, rows, columns)
    return selections[-1]


def test_pins_name_tokens_and_find_the_words_they_fell_into() -> None:
    assert pinned(MAPS, Selection(pins=("q2", "q1", "k2", "k9"))) == ([1], [1])
    assert pin(MAPS, [1, 2, 7], [0]).pins == ("q1", "q3", "k0")
    assert pinned(MAPS, Selection(token="t4")) == ([2], [])
    assert pinned(MAPS, Selection(token="s3")) == ([], [])
    assert pinned(MAPS, Selection(token="t4", pins=("k0",))) == ([], [0])


def test_a_row_and_a_column_are_the_pair_and_nothing_else_stays_pinned() -> None:
    pair = pin(MAPS, [1], [1], Selection(pins=("q0", "q3"), token="t1"))
    assert (pair.pin, pair.pins, pair.token) == (Pin("cross", 1, 2), (), "")
    assert pinned(MAPS, pair) == ([1], [1]) and pinned(MAPS, pair.changed(kind="causal")) == ([1], [1])
    words = pin(MAPS, [0, 2], [], pair)
    assert (words.pin, words.pins, words.token) == (None, ("q0", "q3"), "t4")
    assert pin(MAPS, [], [], words) == Selection(pin=UNPINNED)


def test_words_pinned_on_a_map_of_another_kind_say_which_kind_it_is() -> None:
    words = pin(MAPS, [0], [], Selection(kind="encoder", layer=1))
    assert (words.kind, words.layer, words.pins) == ("cross", None, ("q0",))
    assert pin(MAPS, [0], [], Selection(kind="joint")).kind == "joint"
    assert pinned(MAPS, Selection(kind="causal", pins=("q0",))) == ([], [])


def test_a_pinned_token_is_one_word_on_every_page() -> None:
    """Step t writes the token that the decoder reads as its input t + 1."""
    source, read, written = ("A", "dog", "⟨end⟩"), ("⟨start⟩", "Un", "chien"), ("Un", "chien", "⟨end⟩")

    def of(kind: Kind, labels: tuple[str, ...]) -> Maps:
        rows = Axis.of_tokens(labels)
        return Maps(kind, np.full((1, 1, 3, 3), 1 / 3), rows, rows, False, kind == "cross")

    cross, causal, encoder = of("cross", written), of("causal", read), of("encoder", source)
    for row, word in enumerate(written[:-1]):
        token = pin(cross, [row], []).token
        assert read[int(token[1:])] == word  # what Layer norm shows for it
        (same,), _ = pinned(causal, Selection(token=token))
        assert causal.queries.labels[same] == word
        assert pinned(cross, Selection(token=token)) == ([row], [])
        assert pin(causal, [same], []).token == token
    assert pinned(cross, Selection(token="t0")) == ([], [])  # no step writes ⟨start⟩
    assert pin(encoder, [1], []).token == "s1"
    assert pinned(encoder, Selection(token="t1")) == ([], [])


QUERIES, KEYS = ("Un", "chien", "⟨end⟩"), ("⟨start⟩", "A", "dog", ".", "⟨end⟩")


def drawn(weights: np.ndarray, hide: bool = True) -> Maps:
    return view.drawn(weights, "cross", Axis.of_tokens(QUERIES), Axis.of_tokens(KEYS), hide)


@pytest.mark.parametrize(("layer", "head"), [(MEAN, MEAN), (1, MEAN), (MEAN, 2), (1, 2)])
def test_a_mean_is_taken_before_it_is_renormalised(layer: int, head: int) -> None:
    weights = softmax(2, 4, 3, 5, seed=1, spread=3.0)
    found = view.open_head_of(drawn(weights), layer, head, "mean")
    layers, heads = range(2) if layer == MEAN else [layer], range(4) if head == MEAN else [head]
    after = np.zeros((2, 3))  # the mean of renormalised heads, as it should not be
    assert found.hidden is not None
    for t in range(2):
        kept, gone = [0.0, 0.0, 0.0], 0.0
        for i in layers:
            for j in heads:
                for place, s in enumerate((1, 2, 3)):
                    kept[place] += float(weights[i, j, t, s])
                gone += float(weights[i, j, t, 0] + weights[i, j, t, 4])
                after[t] += weights[i, j, t, 1:4] / weights[i, j, t, 1:4].sum()
        count = len(layers) * len(heads)
        np.testing.assert_allclose(found.values[t], [each / sum(kept) for each in kept], atol=1e-12)
        np.testing.assert_allclose(found.hidden[t], gone / count, atol=1e-12)
        # Nothing is lost: what is hidden and what is shown are the whole row.
        np.testing.assert_allclose(found.hidden[t] + sum(kept) / count, 1.0, atol=1e-12)
    if MEAN in (layer, head):
        assert np.abs(found.values - after / count).max() > 0.1


def test_a_row_with_too_little_left_is_empty_and_says_where_it_looked() -> None:
    weights = np.zeros((1, 2, 3, 5))
    weights[0, 0, :] = [0.9, 0.01, 0.02, 0.01, 0.06]  # 4 % left
    weights[0, 1, :] = [0.5, 0.3, 0.1, 0.1, 0.0]
    maps = drawn(weights)
    empty = view.open_head_of(maps, 0, 0, "mean")
    assert np.isnan(empty.values).all()
    np.testing.assert_allclose(empty.hidden, 0.96)
    assert (maps.weights[0, 0] == 0).all()  # the wall shows it empty, too
    np.testing.assert_allclose(view.open_head_of(maps, 0, 1, "mean").values[0], [0.6, 0.2, 0.2])
    both = view.open_head_of(maps, 0, MEAN, "mean")  # its 4 % still count in the mean
    np.testing.assert_allclose(both.values[0], np.array([0.155, 0.06, 0.055]) / 0.27)
    np.testing.assert_allclose(both.hidden, 0.73)


def test_a_maximum_over_heads_is_not_renormalised() -> None:
    weights = softmax(2, 3, 3, 5, seed=5)
    found = view.open_head_of(drawn(weights), MEAN, MEAN, "max")
    np.testing.assert_allclose(found.values, weights.max(axis=(0, 1))[:2, 1:4])
    np.testing.assert_allclose(found.hidden, weights[..., [0, 4]].sum(-1).max(axis=(0, 1))[:2])
    assert view.hiding(drawn(weights), MEAN, MEAN, "max") == "special tokens hidden"
    assert view.hiding(drawn(weights), 0, 0, "max") == "special tokens hidden, rows rescaled to 1"
    assert view.hiding(drawn(weights, hide=False), MEAN, MEAN, "max") == ""


def test_hiding_changes_neither_the_scores_nor_the_head_that_opens() -> None:
    for seed in range(8):
        weights = softmax(2, 4, 3, 5, seed=seed, spread=3.0)
        shown, hidden = drawn(weights, hide=False), drawn(weights)
        assert view.chosen(Selection(), hidden) == view.chosen(Selection(), shown)
        assert view.scores(hidden).keys() == view.scores(shown).keys()
        for name, values in view.scores(shown).items():
            np.testing.assert_array_equal(view.scores(hidden)[name], values)


def test_the_head_that_opens_is_the_most_confident_one_aligned_or_not() -> None:
    aligned, stuck = np.full((4, 4), 0.1), np.full((4, 4), 0.05)
    np.fill_diagonal(aligned, 0.7)
    stuck[:, 2] = 0.85  # always at one word: surer, and no alignment
    assert most_confident_head(np.stack([aligned, stuck])[None], ("A", "white", "dog", "barks")) == (0, 1)


def test_a_link_holds_so_many_pins() -> None:
    many = Axis.of_tokens("x" * 100)
    maps = Maps("cross", np.full((1, 1, 100, 100), 0.01), many, many, False, True)
    assert len(pin(maps, [*range(100)], [*range(100)]).pins) == PIN_LIMIT
