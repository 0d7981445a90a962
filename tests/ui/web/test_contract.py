"""The contract of the views: what is packed, what is believed of an answer, and the types that TypeScript gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from tests.mounted import sent
from ui.web.contract import LARGEST, AtMost, Between, UnreadableError, interfaces, pack, read

Way = Literal["left", "right"]
Number = TypeVar("Number", bound=np.generic)
# What NDArray is since numpy 2.5.
Declared = TypeAliasType("Declared", np.ndarray[tuple[int, ...], np.dtype[Number]], type_params=(Number,))


@dataclass(frozen=True)
class Inner:
    """A number and its cells."""

    name: str
    cells: NDArray[np.float32]


@dataclass(frozen=True)
class Outer:
    """Everything that a field may be."""

    words: Sequence[str]
    pair: tuple[int, int | None]
    way: Way
    inner: tuple[Inner, ...]
    bytes_: NDArray[np.uint8]


@dataclass(frozen=True)
class Answer:
    """What a view says."""

    at: Annotated[tuple[int, ...], AtMost(2)]
    way: Way = "left"
    share: Annotated[float, Between(0, 1)] | None = None


OUTER = Outer(
    ["a"], (1, None), "left", (Inner("x", np.array([[1, np.nan]], np.float32)),), np.array([7], np.uint8)
)


def test_arrays_leave_their_places_and_come_back() -> None:
    packed = pack(OUTER, lambda values: values.tolist())
    assert packed["fields"]["inner"] == [{"name": "x", "cells": None}] and packed["fields"]["bytes_"] is None
    assert packed["arrays"] == [[["inner", 0, "cells"], "float32"], [["bytes_"], "uint8"]]
    assert packed["column1"] == [7] and len(packed["column0"]) == 2
    assert sent(OUTER)["inner"][0]["cells"][0] == 1 and sent(OUTER)["pair"] == [1, None]


@dataclass(frozen=True)
class Cells:
    """An array by a name that was declared with `type`."""

    cells: Declared[np.float32]


def test_a_declared_name_of_an_array_is_an_array() -> None:
    packed = pack(Cells(np.ones(2, np.float32)), lambda values: values.tolist())
    assert packed["fields"] == {"cells": None} and packed["column0"] == [1, 1]
    assert "  cells: Float32Array;" in interfaces([("one", Cells, {})])


def test_an_array_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="float64"):
        pack(Inner("x", np.zeros(3)), lambda values: None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ({"at": [1, 2.0]}, Answer((1, 2))),
        ({"at": [], "way": "right", "share": 1}, Answer((), "right", 1.0)),
        ({"at": [], "share": None, "more": "x"}, Answer(())),
    ],
)
def test_an_answer_is_read_by_its_types(said: object, answer: Answer) -> None:
    assert read(Answer, said) == answer


@pytest.mark.parametrize(
    "said",
    [
        *(None, [], "x", {}, {"at": 1}, {"at": "12"}, {"at": [1, 2, 3]}, {"at": [-1]}, {"at": [True]}, {"at": [0.5]}),
        *({"at": [number]} for number in (LARGEST + 1, 10**400, float("nan"), float("inf"), "1", None)),
        *({"at": [], "way": way} for way in ("up", 1, None, ["left"])),
        *({"at": [], "share": share} for share in (1.1, -0.1, "0", float("nan"), True)),
    ],
)  # fmt: skip
def test_all_else_is_refused(said: object) -> None:
    with pytest.raises(UnreadableError):
        read(Answer, said)


def test_words_and_lists_of_a_stranger_are_bounded() -> None:
    for hint, said in ((str, "x" * 10_000), (tuple[int, ...], [0] * 10_000), (frozenset[int], [0] * 10_000)):
        with pytest.raises(UnreadableError):
            read(hint, said)


def test_types_carry_the_names_of_the_fields() -> None:
    written = interfaces([("some_view", Outer, {"moved": Answer, "stepped": int})])
    for line in (
        "  words: string[];",
        "  pair: [number, number | null];",
        "  way: Way;",
        "export type Way = 'left' | 'right';",
        "  inner: Inner[];",
        "  cells: Float32Array;",
        "  bytes_: Uint8Array;",
        "export interface SomeViewAnswers {\n  moved: Answer;\n  stepped: number;\n}",
        "  share: number | null;",
    ):
        assert line in written, line


def test_two_types_of_one_name_are_refused() -> None:
    other: Any = dataclass(frozen=True)(type("Outer", (), {"__annotations__": {"a": int}}))
    with pytest.raises(TypeError, match="both declare Outer"):
        interfaces([("one", Outer, {}), ("two", other, {})])
