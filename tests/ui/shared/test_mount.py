"""Figures are built once for all, and what is kept is that of the same function and the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
import pytest

from ui.inside import norm_figures
from ui.shared import models
from ui.shared.mount import column, drawn
from ui.web.contract import pack


@pytest.fixture(autouse=True)
def empty() -> None:
    models.forget()


def table(length: float) -> pd.DataFrame:
    rows = [
        ("encoder", 0, "self", token, f"w{token}", depth, length + depth)
        for token in (0, 1)
        for depth in (0, 1)
    ]
    return pd.DataFrame(rows, columns=["stack", "layer", "block", "token", "label", "depth", "length"])


def test_the_same_numbers_are_drawn_once() -> None:
    first = drawn(norm_figures.stream, table(3.0), 1, "encoder", mode="light")
    assert drawn(norm_figures.stream, table(3.0), 1, "encoder", mode="light") is first


@pytest.mark.parametrize(
    "other",
    [
        lambda: drawn(norm_figures.stream, table(4.0), 1, "encoder", mode="light"),
        lambda: drawn(norm_figures.stream, table(3.0), 0, "encoder", mode="light"),
        lambda: drawn(norm_figures.stream, table(3.0), 1, "encoder", mode="dark"),
        lambda: drawn(norm_figures.stream, table(3.0), 1, "encoder", mode="light", presenter=True),
    ],
    ids=["numbers", "token", "colours", "size"],
)
def test_other_numbers_are_another_figure(other: Callable[[], go.Figure]) -> None:
    first = drawn(norm_figures.stream, table(3.0), 1, "encoder", mode="light")
    assert other() is not first
    assert other().to_dict() != first.to_dict()


def test_a_figure_that_was_shown_is_not_changed_by_it() -> None:
    first = drawn(norm_figures.stream, table(3.0), 1, "encoder", mode="light")
    before = first.to_json()
    first.to_dict()["layout"]["height"] = 7
    assert drawn(norm_figures.stream, table(3.0), 1, "encoder", mode="light").to_json() == before


@dataclass(frozen=True)
class _Inner:
    w: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class _Outer:
    a: int
    x: npt.NDArray[np.float32]
    inner: tuple[_Inner, ...]


def test_arrays_go_as_columns_and_keep_what_is_no_number() -> None:
    given = _Outer(1, np.array([0.5, np.nan], np.float32), (_Inner(np.array([[1, 2]], np.uint8)),))
    packed = pack(given, column)
    assert packed["fields"] == {"a": 1, "x": None, "inner": [{"w": None}]}
    assert packed["arrays"] == [[["x"], "float32"], [["inner", 0, "w"], "uint8"]]
    assert packed["column1"].column(0).type == pa.uint8()
    assert packed["column1"].column(0).to_pylist() == [1, 2]
    assert packed["column0"].column(0).type == pa.float32()
    assert np.isnan(packed["column0"].column(0).to_pylist()[1])
    assert packed["column0"].column(0).null_count == 0, "not a number is a number of its own here"
