"""What the browser gets of the cards of a head, and what is taken back from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.errors import InputError
from core.learning.card import Axis, Card, Why, adding, chain, product, softmax
from tests.mounted import sent
from ui.inside import head
from ui.inside.head import INSIDE, LARGEST, MOST_ROWS, InsideData, Picked, Term, card_data, why_data


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
        "attention": "cross-attention",
        "layer": 1,
        "head": 2,
        "token": "t1",
        "stamp": "x",
        "picked": Picked("q", (1, 2)),
    }
    return InsideData(tuple(card_data(card) for card in found), **{**where, **changes})


def test_the_numbers_of_all_cards_follow_one_another() -> None:
    first, second = made(2, 3), made(3, 2, key="k", focus=1, band=(0, 1), reads=("q",))
    found = data(first, second, report=True)
    assert [card.values.dtype for card in found.cards] == [np.float32] * 2
    assert [card.values.ravel().tolist() for card in found.cards] == [[*range(6)], [*range(6)]]
    card = found.cards[1]
    assert (card.key, card.short, card.focus, card.band, card.reads) == ("k", "K", 1, (0, 1), ("q",))
    assert (card.first, card.of, card.rows, card.cols) == (0, 3, ["t0", "t1", "t2"], ["0", "1"])
    assert sent(found)["picked"] == {"card": "q", "cell": [1, 2]}
    assert sent(data(first, picked=Picked("q", None)))["picked"] == {"card": "q", "cell": None}


@pytest.mark.parametrize(("focus", "first"), [(None, 0), (0, 0), (50, 18), (99, 36)])
def test_of_a_long_text_the_rows_around_the_token_are_drawn(focus: int | None, first: int) -> None:
    found = data(made(100, 2, focus=focus))
    (card,) = found.cards
    assert (card.first, card.of, len(card.rows)) == (first, 100, MOST_ROWS)
    assert card.rows[0] == f"t{first}" and card.values[0, 0] == 2 * first
    assert focus is None or 0 <= focus - card.first < MOST_ROWS


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="give a label to each"):
        data(made(2, 3, columns=Axis("d_head", ("0",))))


def test_the_terms_are_told_largest_first_and_the_rest_together() -> None:
    a, b = np.arange(20.0) - 10, np.full(20, 2.0)
    why = product("Σ", ("x", a), ("w", b), lambda i: f"dimension {i}", [("+", "b", 5.0)])
    found = why_data(made(1, 1, values=np.array([[-15.0]])), 0, 0, why, "x")
    assert [term.index for term in found.largest[:3]] == [0, 1, 19] and len(found.largest) == LARGEST
    assert found.largest[0] == Term(0, "dimension 0", -20.0, -10.0, 2.0)
    assert sum(term.value for term in found.largest) + found.others == pytest.approx(-20.0)
    assert (found.total, found.value, found.shown) == (-20.0, -15.0, -15.0)
    assert found.steps == (("+", "b", 5.0, -15.0),)
    assert found.a.tolist() == a.tolist() and found.terms.tolist() == (2 * a).tolist()


def test_too_many_terms_are_told_and_not_drawn() -> None:
    scores = np.linspace(0, 1, head.MOST_TERMS + 1)
    found = why_data(made(1, 1), 0, 0, softmax("P", scores, 3, str), "x")
    assert not len(found.terms) and len(found.largest) == LARGEST
    assert found.count == len(scores) and found.what == "e^(score − largest)"


def test_what_is_masked_goes_as_its_sign() -> None:
    why: Why = chain("score + mask", "the score", 1.5, [("+", "masked", -np.inf)])
    found = why_data(made(1, 1, values=np.array([[-np.inf]])), 0, 0, why, "x")
    assert found.value == found.shown == "−∞" and found.steps == (("+", "masked", "−∞", "−∞"),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"card": "q", "cell": [1, 2.0]}, Picked("q", (1, 2))),
        ({"card": "q", "cell": None}, Picked("q", None)),
        ({"card": "q", "cell": [2, 0]}, Picked("q", None)),  # the card has two rows
        ({"card": "z", "cell": [1, 2]}, None),
        ({"card": "q", "cell": [1, "<b>"]}, None),
    ],
)
def test_only_a_card_and_a_cell_are_taken_from_the_browser(value: object, expected: Picked | None) -> None:
    assert INSIDE.answer("picked", value, data(made(2, 3))) == expected
