"""The answer of One head: whoever computes a step from the printed digits gets the digits printed after it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from core.api import Checkpoint
from core.learning.card import Spot
from core.learning.head_row import HeadRow
from tests.core.conftest import build as build
from tests.core.conftest import characters as characters
from tests.core.learning.test_head_row import KINDS, row_of
from tests.core.learning.test_inside import MODELS
from ui.inside.answer import ANSWER, AnswerData, Picked, answer_data


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("+", ""))


def same(text: str, value: float) -> bool:
    """Whether `value`, rounded to as many decimals as `text` has, is what is written."""
    return abs(value - number(text)) < 0.5 * 10.0 ** -len(text.partition(".")[2])


def follow(data: AnswerData) -> None:
    """Compute every step of the card from the digits before it, and nothing else."""
    q, k = ([number(each) for each in vector.digits] for vector in (data.query, data.key))
    assert same(data.total, math.fsum(a * b for a, b in zip(q, k, strict=True)))
    for dimension, product in data.labelled:
        assert same(product, q[dimension] * k[dimension])
    names = [column.name for column in data.columns]
    assert data.lines[data.chosen].cells[0] == data.total
    for line in data.lines:
        if line.key is None:
            continue
        cells = dict(zip(names, line.cells, strict=True))
        score = number(cells["q · k"])
        divided = next((name for name in names if name.startswith("÷ √")), None)
        if divided:
            assert same(cells[divided].split(" ")[0], score / math.sqrt(int(divided[3:])))
            score = number(cells[divided].split(" ")[0])
        if "bias" in cells:
            assert same(cells["score"].split(" ")[0], score + number(cells["bias"]))
            score = number(cells["score"].split(" ")[0])
        powers = next(name for name in names if name.startswith("e^"))
        largest = number(re.fullmatch(r"e\^\(score − (.*)\)", powers)[1])  # type: ignore[index]
        hidden = any(cell.endswith("→ −∞") for cell in line.cells)
        assert same(cells[powers], 0.0 if hidden else math.exp(score - largest))
    powers = [number(line.cells[-2]) for line in data.lines]
    total = data.columns[-2].foot.removeprefix("sum ")
    assert same(total, math.fsum(powers))
    for power, line in zip(powers, data.lines, strict=True):
        assert same(line.cells[-1], power / number(total))
    assert data.columns[-1].foot == (
        f"{data.lines[data.chosen].cells[-2]} ÷ {total} = {data.lines[data.chosen].cells[-1]}"
    )
    for column in data.columns:
        if column.step and " ÷ " in column.step.note:
            one, by, result = re.split(r" [÷=] ", column.step.note)
            assert same(result, number(one) / number(by))


def drawn(row: HeadRow, kind: str = "cross", divided_by: str = "") -> AnswerData:
    words = [f"w{n}" for n in range(len(row.keys))]
    return answer_data(row, ("le", "canapé"), words, kind=kind, head=(1, 2), divided_by=divided_by)  # type: ignore[arg-type]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["post", "pre", "relative", "relative and scaled", "shared", "wide heads"])
def test_each_step_follows_from_the_printed_digits(
    build: Callable[..., Checkpoint], name: str, kind: str
) -> None:
    checkpoint = build(seed=3, **MODELS[name])
    config = checkpoint.config
    by = {"head": f"√{config.d_head}", "model": f"√{config.d_model}"}.get(config.score_scale, "")
    for head in range(config.heads):
        for token in (0, 4):
            for key in (None, 0, 3):
                data = drawn(row_of(checkpoint, Spot(kind, 1, head, token), key), kind, by)
                follow(data)
                steps = [each for each in (*data.steps, *(c.step for c in data.columns)) if each]
                assert [each.number for each in steps] == list(range(1, len(steps) + 1))
                relative = name.startswith("relative") and kind != "cross"
                assert len(steps) == 4 + (by != "") + relative


def test_random_rows_of_any_length_follow_too() -> None:
    generator = np.random.default_rng(5)
    for keys in (1, 2, 12, 13, 60):
        for sharpness in (0.1, 1.0, 6.0):
            vectors, q = generator.normal(size=(keys, 32)), sharpness * generator.normal(size=32)
            dots = vectors @ q
            exps = np.exp((dots - dots.max()) / math.sqrt(32))
            hidden = np.zeros(keys, bool)
            row = HeadRow(
                0,
                int(generator.integers(keys)),
                q,
                vectors,
                dots,
                math.sqrt(32),
                None,
                hidden,
                exps / exps.sum(),
            )
            data = drawn(row, divided_by="√32")
            follow(data)
            assert (data.lines[-1].key is None) == (keys > 12)
            if keys == 60:
                assert re.fullmatch(r"5[34] others, sum", data.lines[-1].label)


def test_titles_say_what_is_asked_and_why() -> None:
    keys = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    q = np.array([3.0, 1.0])

    def row(key: int, hidden: tuple[bool, ...] = (False, False, False)) -> HeadRow:
        dots = keys @ q
        exps = np.where(hidden, 0.0, np.exp(dots - dots.max()))
        return HeadRow(1, key, q, keys, dots, 1.0, None, np.array(hidden), exps / (exps.sum() or 1.0))

    best = drawn(row(0))
    assert [*best.title][1] == {"kind": "67 %"} and "best, with a score of 3.0" in best.subtitle
    assert "matches its query better" in drawn(row(1)).subtitle
    later = drawn(row(2, (False, False, True)), "causal")
    assert later.title == ["Why does “canapé” not look at “w2”?"] and "causal mask" in later.subtitle
    assert "padding" in drawn(row(2, (False, False, True))).subtitle
    assert later.lines[-1].cells[0].endswith("→ −∞")
    only = drawn(row(0, (False, True, True)))
    assert "the only token" in only.subtitle and only.lines[-1].label == "2 masked tokens"
    nothing = drawn(row(0, (True, True, True)))
    assert nothing.columns[-1].foot == "" and nothing.lines[0].cells[-1] == "0.00"


def test_a_column_of_the_answer_names_the_card_that_holds_its_numbers() -> None:
    """The table holds no cards of its own, so any card and cell that it asks for are taken as they are."""
    keys = np.array([[1.0, 0.0], [0.0, 1.0]])
    row = HeadRow(0, 0, np.ones(2), keys, np.ones(2), 1.0, None, np.zeros(2, bool), np.full(2, 0.5))
    asked = ANSWER.answer("asked", {"card": "weights", "cell": [0, 1]}, drawn(row))
    assert asked == Picked("weights", (0, 1))
