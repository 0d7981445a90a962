"""The row of attention that is computed on paper, against torch's own attention and against the lines beside it."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from core.learning import by_hand
from core.learning.scene_code import CODE
from tests.core.learning.test_scene_code import place_of


def test_the_row_is_that_of_torch_and_of_the_lines_of_code() -> None:
    query, keys, values = (
        torch.tensor(each).float() for each in (by_hand.QUERY, by_hand.KEYS, by_hand.VALUES)
    )
    wanted = F.scaled_dot_product_attention(query[None], keys, values)[0]
    assert by_hand.total() == pytest.approx(tuple(wanted.tolist()))
    cells = by_hand.row()
    products, scores, powers, weights, out = CODE["by_hand"].run(place_of("by_hand"))
    for name, values in (("product", products), ("score", scores), ("power", powers), ("weight", weights)):
        assert [getattr(cell, name) for cell in cells] == pytest.approx(values.tolist()), name
    assert by_hand.total() == pytest.approx(tuple(out.tolist()))
    assert sum(cell.weight for cell in cells) == pytest.approx(1) and by_hand.best().token == "cat"


def test_the_numbers_of_the_row_can_be_worked_out_on_paper() -> None:
    """Keys and queries are whole numbers; what is rounded to two digits still sums to what is written."""
    whole = [number for pair in (by_hand.QUERY, *by_hand.KEYS, *by_hand.VALUES) for number in pair]
    assert all(number == int(number) and abs(number) < 5 for number in whole)
    assert len({cell.product for cell in by_hand.row()}) == len(by_hand.TOKENS)
    rounded = [round(cell.weight, 2) for cell in by_hand.row()]
    assert sum(rounded) == pytest.approx(1)
    for side in (0, 1):
        sums = sum(
            round(weight * value[side], 2) for weight, value in zip(rounded, by_hand.VALUES, strict=True)
        )
        assert sums == pytest.approx(by_hand.total()[side], abs=0.015)
