"""Numbers that leave the app as text: they parse, and hold the same values."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from core.errors import InputError
from tests.mounted import softmax
from ui.export.files import csv_of, harmless, number

ATTACK = "</script><script>window.ran=1</script>"
ODD = [ATTACK, 'say "no", & <b>', "line\nbreak\x01\x1f", "كلب", "𝄞", "'"]


def test_csv_equals_the_map_and_keeps_odd_words() -> None:
    weights = softmax(4, 6).astype(np.float32)
    rows = list(csv.DictReader(io.StringIO(csv_of(weights, ODD[:4], ODD), newline="")))
    assert len(rows) == 24
    back = np.zeros_like(weights)
    for row in rows:
        back[int(row["query_position"]), int(row["key_position"])] = float(row["value"])
        assert row["query_writes"] == "" and row["query_reads"] == ODD[int(row["query_position"])]
        assert row["key"] == ODD[int(row["key_position"])]
    assert np.abs(back - weights).max() <= 1e-6
    assert csv_of([[np.nan]], ["a"], ["b"]).splitlines()[1] == "0,a,,0,b,"


CELLS = json.loads((Path(__file__).parents[2] / "csv_cells.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "written"), CELLS["cells"])
def test_no_cell_is_a_formula(text: str, written: str) -> None:
    assert harmless(text) == written
    content = csv_of([[-0.5]], [text], [text])
    (row,) = csv.DictReader(io.StringIO(content, newline=""))
    assert (row["query_reads"], row["key"], row["value"]) == (written, written, "-0.5")


@pytest.mark.parametrize(("value", "written"), CELLS["numbers"])
def test_numbers_stay_numbers(value: float, written: str) -> None:
    assert harmless(number(value)) == written


def test_wrong_shapes_are_said() -> None:
    with pytest.raises(InputError, match="one head"):
        csv_of(softmax(2, 3, 4), ["a"], ["b"])
    with pytest.raises(InputError, match="query labels"):
        csv_of(softmax(3, 4), ["a"], ["b"] * 4)
