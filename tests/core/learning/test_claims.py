"""What the write-ups say is recomputed here a second time, by other means; each claim's verdict follows from its numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.api import load
from core.learning.claims import claims
from core.learning.printed import Claim
from core.learning.study import in_language
from core.learning.tutorials import TUTORIALS

SHIPPED = Path(__file__).parents[3] / "checkpoints" / "tutorials" / "tutorial-a"
HOLDS = {
    "paper": {"rotation": True, "root": True},
    "tutorial-a": {"cut": False},
    "tutorial-b": {"means": False, "exponential": True, "no-softmax": True},
    "tutorial-c": {"variance": True, "independent": False, "two-roots": False, "order": False},
    "tutorial-d": {"no-residual": False, "positions": True, "length": False, "windows": False},
    "tutorial-e": {"shifted": True, "einsum": True},
    "t5": dict.fromkeys(("pre-norm", "relative", "rotary", "gated", "rms", "decoder-only"), True),
}


def claim(name: str, of: str) -> Claim:
    (one,) = [each for each in claims(name) if each.id == of]
    return one


@pytest.mark.parametrize("name", TUTORIALS)
def test_every_claim_has_its_numbers_and_its_verdict(name: str) -> None:
    made = claims(name)
    assert {each.id: each.holds for each in made} == HOLDS[name]
    for each in made:
        assert in_language(each.finding) and in_language(each.says).endswith(".") and each.rows


def test_a_reads_its_next_token_after_the_end() -> None:
    first = claims("tutorial-a", load(SHIPPED, device="cpu"))[0]
    assert first.id == "after-the-end" and not first.holds
    assert [ours for _, _, ours in first.rows][:5] == [*"dcba", "⟨end⟩"]
    assert in_language(first.rows[-1][0]) == "reads ⟨end⟩" and first.rows[-1][1] == "–"


def test_the_means_of_b() -> None:
    rows = np.array([[0.2, 0.3, 0.4], [0.2, 0.4, 0.4], [0.3, 0.4, 0.4]])
    assert [ours for _, _, ours in claim("tutorial-b", "means").rows] == [
        f"{sum(row) / 3:.2f}" for row in rows
    ]


def test_the_variances_of_c() -> None:
    (_, _, before), (_, _, after) = claim("tutorial-c", "variance").rows
    chance = np.random.default_rng(0)
    scores = (chance.standard_normal((4000, 512)) * chance.standard_normal((4000, 512))).sum(1)
    assert float(before) == pytest.approx(scores.var(), rel=0.08)
    assert float(after) == pytest.approx(scores.var() / 512, rel=0.08)


def test_without_positions_words_depend_on_each_other_and_not_on_their_order() -> None:
    (_, _, moved), (_, _, turned) = claim("tutorial-c", "independent").rows
    assert float(moved) > 0.1 and float(turned) == 0


def test_d_leaves_the_residual_out() -> None:
    (_, _, without), (_, _, within) = claim("tutorial-d", "no-residual").rows
    assert float(without) > 1 and float(within) == 0


def test_the_rows_of_d_are_sinusoids() -> None:
    from core.learning.claims import D_POSITIONS

    printed = np.array([[float(cell) for cell in line.split()] for line in D_POSITIONS.strip().splitlines()])
    angles = np.arange(10)[:, None] / 10000 ** (np.arange(0, 6, 2) / 6)
    assert np.abs(printed[:, 0::2] - np.sin(angles)).max() < 6e-5
    assert np.abs(printed[:, 1::2] - np.cos(angles)).max() < 6e-5


def test_the_windows_of_d_are_those_it_prints() -> None:
    from core.learning.claims import D_START, D_TEXT

    rows = [D_TEXT[n : n + 10] for n in range(4)]
    reads = [(D_START, *D_TEXT)[n : n + 10] for n in range(4)]
    writes = [(*row[1:], D_TEXT[n + 9]) for n, row in enumerate(reads)]  # the next piece at each place
    same = sum(
        a == b for row, other in zip(rows, writes, strict=True) for a, b in zip(row, other, strict=True)
    )
    (_, _, copied), (_, _, starts) = claim("tutorial-d", "windows").rows
    assert copied == f"{same} / 40" == "40 / 40"
    assert starts == str(sum(row[0] == D_START for row in reads)) == "1"


def test_feed_forward_alone_moves_no_other_word() -> None:
    (_, _, both), (_, _, alone), (_, _, mixed) = claim("tutorial-c", "order").rows
    assert float(alone) == 0 and float(mixed) > 0.01 and float(both) > 0.1
