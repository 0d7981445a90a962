"""Heads, pins and sentences of the Attention page as pure functions of a selection and its maps."""

from __future__ import annotations

import numpy as np

from ui import attention_view as view
from ui.attention_view import Axis, Maps
from ui.selection import MEAN, PIN_LIMIT, Selection


def axis(*groups: tuple[int, ...]) -> Axis:
    return Axis(tuple(f"w{group[0]}" for group in groups), groups)


MAPS = Maps(
    kind="cross",
    weights=np.full((2, 3, 3, 2), 0.5),
    queries=axis((0,), (1, 2), (3,)),
    keys=axis((0, 1), (2,)),
    hidden=False,
    writing=True,
)


def test_heads_that_a_model_lacks_are_named_and_the_mean_is_drawn() -> None:
    selection = Selection(layer=9, head=1, overlay=((1, 2), (7, 0)))
    sentence = view.missing(selection, MAPS)
    assert "no layer 9" in sentence
    assert "no head 7.0" in sentence
    assert "0 to 1" in sentence
    assert view.chosen(selection, MAPS) == (MEAN, 1)
    assert view.missing(Selection(layer=1, head=2, overlay=((0, 0),)), MAPS) == ""
    assert view.missing(Selection(), MAPS) == view.missing(Selection(layer=MEAN, head=MEAN), MAPS) == ""


def test_an_overlay_keeps_heads_that_exist_and_needs_one_open_head() -> None:
    overlay = ((0, 1), (1, 1), (5, 0))
    assert view.overlaid(Selection(layer=1, head=1, overlay=overlay), MAPS) == ((0, 1),)
    assert view.overlaid(Selection(layer=MEAN, head=1, overlay=overlay), MAPS) == ()


def test_pins_name_tokens_and_find_the_words_they_fell_into() -> None:
    rows, columns = view.pinned(MAPS, Selection(pins=("q2", "q1", "k2", "k9")))
    assert (rows, columns) == ([1], [1])
    assert view.pins_of(MAPS, [1, 2, 7], [0]) == ("q1", "q3", "k0")
    assert view.pinned(MAPS, Selection(token="t3")) == ([2], [])
    assert view.pinned(MAPS, Selection(token="s3")) == ([], [])
    assert view.pinned(MAPS, Selection(token="t3", pins=("k0",))) == ([], [0])


def test_a_link_holds_so_many_pins() -> None:
    many = Axis(tuple("x" * 100), tuple((n,) for n in range(100)))
    maps = Maps("cross", np.full((1, 1, 100, 100), 0.01), many, many, False, True)
    assert len(view.pins_of(maps, range(100), range(100))) == PIN_LIMIT
