"""What the browser gets of the cards of a head, and what is taken back from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.errors import InputError
from core.learning.card import Axis, Card, Why, adding, chain, product, softmax
from ui.inside import head_view
from ui.inside.head_view import LARGEST, MOST_ROWS, Picked, inside_data, why_data


def made(count: int, width: int, **changes: Any) -> Card:
    values = np.arange(count * width, dtype=np.float64).reshape(count, width)
    card = Card(
        "q",
        "attention",
        "Queries",
        "x W",
        "says",
        "shape",
        Axis("tokens", tuple(f"t{n}" for n in range(count))),
        Axis("d_head", tuple(map(str, range(width)))),
        values,
        lambda i, j: adding("sum", [("all", float(values[i, j]))]),
    )
    return replace(card, **changes)


def data(*found: Card, **changes: Any) -> Any:
    where = {
        "kind": "cross",
        "layer": 1,
        "head": 2,
        "token": "t1",
        "stamp": "x",
        "picked": Picked("q", (1, 2)),
    }
    return inside_data(found, **{**where, **changes})


def test_the_numbers_of_all_cards_follow_one_another() -> None:
    first, second = made(2, 3), made(3, 2, key="k", focus=1, band=(0, 1), reads=("q",))
    found = data(first, second, report=True)
    assert found["numbers"].dtype == np.float32
    assert found["numbers"].tolist() == [*range(6), *range(6)]
    told = found["meta"]["cards"][1]
    assert (told["key"], told["short"], told["focus"], told["band"], told["reads"]) == (
        "k",
        "K",
        1,
        [0, 1],
        ["q"],
    )
    assert (told["first"], told["of"], told["rows"], told["cols"]) == (0, 3, ["t0", "t1", "t2"], ["0", "1"])
    assert found["meta"]["picked"] == ["q", 1, 2]
    assert data(first, picked=Picked("q", None))["meta"]["picked"] == ["q", None, None]


@pytest.mark.parametrize(("focus", "first"), [(None, 0), (0, 0), (50, 18), (99, 36)])
def test_of_a_long_text_the_rows_around_the_token_are_drawn(focus: int | None, first: int) -> None:
    found = data(made(100, 2, focus=focus))
    told = found["meta"]["cards"][0]
    assert (told["first"], told["of"], len(told["rows"])) == (first, 100, MOST_ROWS)
    assert told["rows"][0] == f"t{first}" and found["numbers"][0] == 2 * first
    assert focus is None or 0 <= focus - told["first"] < MOST_ROWS


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="give a label to each"):
        data(made(2, 3, columns=Axis("d_head", ("0",))))


def test_the_terms_are_told_largest_first_and_the_rest_together() -> None:
    a, b = np.arange(20.0) - 10, np.full(20, 2.0)
    why = product("Σ", ("x", a), ("w", b), lambda i: f"dimension {i}", [("+", "b", 5.0)])
    found = why_data(made(1, 1, values=np.array([[-15.0]])), 0, 0, why, "x")
    meta = found["meta"]
    assert [term["place"] for term in meta["told"][:3]] == [0, 1, 19] and len(meta["told"]) == LARGEST
    assert meta["told"][0] == {"place": 0, "name": "dimension 0", "value": -20.0, "a": -10.0, "b": 2.0}
    assert sum(term["value"] for term in meta["told"]) + meta["others"] == pytest.approx(-20.0)
    assert (meta["total"], meta["value"], meta["shown"]) == (-20.0, -15.0, -15.0)
    assert meta["steps"] == [["+", "b", 5.0, -15.0]]
    assert found["a"].tolist() == a.tolist() and found["terms"].tolist() == (2 * a).tolist()


def test_too_many_terms_are_told_and_not_drawn() -> None:
    scores = np.linspace(0, 1, head_view.MOST_TERMS + 1)
    found = why_data(made(1, 1), 0, 0, softmax("P", scores, 3, str), "x")
    assert not len(found["terms"]) and len(found["meta"]["told"]) == LARGEST
    assert found["meta"]["count"] == len(scores) and found["meta"]["what"] == "e^(score − largest)"


def test_what_is_masked_goes_as_its_sign() -> None:
    why: Why = chain("score + mask", "the score", 1.5, [("+", "masked", -np.inf)])
    meta = why_data(made(1, 1, values=np.array([[-np.inf]])), 0, 0, why, "x")["meta"]
    assert meta["value"] == meta["shown"] == "−∞" and meta["steps"] == [["+", "masked", "−∞", "−∞"]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["q", 1, 2.0], Picked("q", (1, 2))),
        (["q", None, None], Picked("q", None)),
        (["q", -1, 2], Picked("q", None)),
        (["q", 1, "<b>"], Picked("q", None)),
        (["q", 1e9, 2], Picked("q", None)),
        ([3, 1, 2], None),
        (["q", 1], None),
        ("q", None),
        (None, None),
    ],
)
def test_only_a_card_and_a_cell_are_taken_from_the_browser(value: object, expected: Picked | None) -> None:
    assert head_view._picked(value) == expected
