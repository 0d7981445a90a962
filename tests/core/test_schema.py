"""Tables that anybody may have written: what is wrong is one sentence that names the key, the value and what is allowed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from core.errors import ConfigError
from core.schema import Bounds, Problem, build, check_fields, fits, problem_in

KINDS = {"title": str, "minutes": int, "share": float, "link": dict}
BOUNDS = {"minutes": Bounds(1, 240), "share": Bounds(0, 1, below=True)}


@dataclass(frozen=True, kw_only=True)
class Part:
    rate: float = 0.5
    size: int | None = None


@dataclass(frozen=True, kw_only=True)
class Recipe:
    name: str
    parts: tuple[Part, ...] = ()
    part: Part | None = None


@pytest.mark.parametrize(
    ("value", "kind", "good"),
    [
        (1, int, True), (True, int, False), (True, bool, True), (1, bool, False), (1, float, True),
        (math.nan, float, False), (math.inf, float, False), (10**400, float, False), ("1", float, False), ({}, dict, True),
    ],
)  # fmt: skip
def test_what_fits_a_kind(value: Any, kind: type, good: bool) -> None:
    assert fits(value, kind) == good


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"title": "x", "minutes": 240, "share": 0.99}, None),
        ({"minuts": 3}, Problem("minuts", "the key 'minuts' (did you mean 'minutes'?)", "the keys title, minutes, share, link")),
        ({"zzz": 3}, Problem("zzz", "the key 'zzz'", "the keys title, minutes, share, link")),
        ({"minutes": "3"}, Problem("minutes", "minutes = '3'", "a whole number")),
        ({"title": "x", "minutes": 241}, Problem("minutes", "minutes = 241", "from 1 to 240")),
        ({"title": "x", "share": 1.0}, Problem("share", "share = 1.0", "from 0 to below 1")),
        ({"minutes": 3}, Problem("title", "nothing for title", "title = text in quotes")),
    ],
)  # fmt: skip
def test_the_first_problem_of_a_table(table: dict[str, Any], problem: Problem | None) -> None:
    assert problem_in(table, KINDS, ("title",), BOUNDS) == problem


def test_a_table_becomes_a_dataclass_as_deep_as_it_goes() -> None:
    table = {"name": "x", "parts": [{"rate": 1}, {"size": 3}], "part": {"size": 2}}
    made = build(Recipe, table, "the recipe")
    assert made == Recipe(name="x", parts=(Part(rate=1.0), Part(size=3)), part=Part(size=2))


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (3, "the recipe must be a table of settings, not 3."),
        ({}, "the recipe lacks name; add it."),
        ({"nam": "x"}, "the recipe does not know 'nam' (did you mean 'name'?); it knows name, part, parts."),
        ({"name": 3}, "the recipe, name must be text in quotes, not 3."),
        ({"name": "x", "parts": 3}, "the recipe, parts must be a list, not 3."),
        ({"name": "x", "part": {"rate": True}}, "the recipe, part, rate must be a number, not True."),
        ({"name": "x", "part": {"size": 1.5}}, "the recipe, part, size must be a whole number, not 1.5."),
    ],
)
def test_a_wrong_table_is_one_sentence(table: Any, sentence: str) -> None:
    with pytest.raises(ConfigError) as raised:
        build(Recipe, table, "the recipe")
    assert str(raised.value) == sentence


def test_fields_of_what_was_made_in_code() -> None:
    check_fields(Part(size=3), bounds={"size": Bounds(1, 4), "rate": Bounds(0)})
    for made, options, sentence in (
        (Part(rate="x"), {}, "rate is 'x'; it must be a number."),  # type: ignore[arg-type]
        (Part(size=5), {"bounds": {"size": Bounds(1, 4)}}, "size is 5; it must be from 1 to 4."),
        (Part(rate=-1), {"bounds": {"rate": Bounds(0)}}, "rate is -1; it must be 0 or more."),
        (Recipe(name="x"), {"choices": {"name": ("a", "b")}}, "name is 'x'; choose one of a, b."),
    ):
        with pytest.raises(ConfigError) as raised:
            check_fields(made, **options)
        assert str(raised.value) == sentence
