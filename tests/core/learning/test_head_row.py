"""One row of a head: the numbers are those of plain loops, for every kind of scores that a model may have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.api import Checkpoint, trace_ids
from core.errors import InputError
from core.learning.card import Spot
from core.learning.head_row import MOST_LINES, STRONGEST, HeadRow, head_row, row_sites
from tests.core.learning.test_inside import CLOSE, MODELS, SOURCE, WRITTEN, plain

KINDS = ("encoder", "causal", "cross")


def row_of(checkpoint: Checkpoint, spot: Spot, key: int | None = None) -> HeadRow:
    trace = trace_ids(checkpoint, SOURCE, WRITTEN, row_sites(spot.kind, spot.layer))
    return head_row(trace, checkpoint.model.state_dict(), spot, key)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MODELS)
def test_a_row_is_what_plain_loops_find(build: Callable[..., Checkpoint], name: str, kind: str) -> None:
    checkpoint = build(seed=3, **MODELS[name])
    naive, config = plain(checkpoint), checkpoint.config
    for layer in range(config.layers("encoder" if kind == "encoder" else "decoder")):
        row = row_of(checkpoint, Spot(kind, layer, 1, 3))
        asked = "turned" if config.positions == "rotary" and kind != "cross" else "head"
        q, k, products, masked, weights = (
            naive.card(part, kind, layer, 1)
            for part in (f"q_{asked}", f"k_{asked}", "products", "masked", "weights")
        )
        assert np.allclose(row.q, q[3], atol=CLOSE) and np.allclose(row.keys, k, atol=CLOSE)
        assert np.allclose(row.dots, products[3], atol=1e-4)
        assert (row.hidden == np.isneginf(masked[3])).all()
        assert np.allclose(row.scores[row.open], masked[3][row.open], atol=1e-4)
        assert np.allclose(row.weights, weights[3], atol=CLOSE)
        shares = row.exponentials / row.exponentials.sum()
        assert np.allclose(shares, weights[3], atol=CLOSE)
        assert row.key == int(weights[3].argmax()) and np.allclose(row.products.sum(), row.dots[row.key])


def test_a_causal_row_hides_what_comes_later(build: Callable[..., Checkpoint]) -> None:
    row = row_of(build(seed=3), Spot("causal", 1, 0, 1), key=3)
    assert row.hidden.tolist() == [False, False, True, True, True]
    assert row.key == 3 and row.listed == (0, 1, 3) and row.exponentials[3] == 0


def test_a_long_row_lists_the_strongest_and_the_key_asked_about() -> None:
    generator = np.random.default_rng(1)
    keys, q = generator.normal(size=(40, 8)), generator.normal(size=8)
    dots = keys @ q
    exps = np.exp(dots - dots.max())
    weakest = int(exps.argmin())
    hidden = np.zeros(40, bool)
    row = HeadRow(2, weakest, q, keys, dots, 1.0, None, hidden, exps / exps.sum())
    assert MOST_LINES < 40 and len(row.listed) == STRONGEST + 1 and weakest in row.listed
    assert set(np.argsort(-dots)[:STRONGEST].tolist()) <= set(row.listed)
    assert sorted([*row.listed, *row.others]) == list(range(40))


def test_what_is_not_there_is_one_sentence(build: Callable[..., Checkpoint]) -> None:
    with pytest.raises(InputError, match="head 99"):
        row_of(build(seed=3), Spot("cross", 0, 99, 0))
