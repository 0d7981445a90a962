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
    "tutorial-a": {"cut": False, "mask-first": True},
    "tutorial-b": {
        **{"means": False, "exponential": True, "no-softmax": True},
        **{"sum-dropout": True, "inner-dropout": True, "word-map": False},
    },
    "tutorial-c": {
        **{"variance": True, "independent": False, "two-roots": False, "order": False},
        **{"unit-rows": True, "residual": True, "table-sizes": True},
    },
    "tutorial-d": {
        **{"no-residual": False, "positions": True, "pieces": True, "length": False, "windows": False},
        **{"library": True, "source-unread": False, "comment-root": False, "families": True},
    },
    "tutorial-e": {
        **{"shifted": True, "end-is-fed": False, "einsum": True},
        **{"large-number": True, "families": True},
    },
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


def test_the_windows_of_d_are_one_text() -> None:
    (_, _, copied), (_, _, starts) = claim("tutorial-d", "windows").rows
    assert (copied, starts) == ("40 / 40", "1")


def test_feed_forward_alone_moves_no_other_word() -> None:
    (_, _, both), (_, _, alone), (_, _, mixed) = claim("tutorial-c", "order").rows
    assert float(alone) == 0 and float(mixed) > 0.01 and float(both) > 0.1


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def percent(words: str) -> float:
    return float(words.rstrip(" %")) / 100


def test_dropout_of_b_keeps_the_mean_and_not_the_square() -> None:
    """On other numbers, by numpy: what stays of the values, of their mean and of their squares."""
    chance, rate = np.random.default_rng(3), 0.1
    inner = np.maximum(chance.standard_normal(256), 0)
    kept = (chance.random((4000, 256)) >= rate) / (1 - rate)
    second = chance.standard_normal((256, 64)) / 16
    outputs, plain = (inner * kept) @ second, inner @ second
    (_, _, zero), (_, _, shift) = claim("tutorial-b", "inner-dropout").rows
    assert percent(zero) == pytest.approx((kept == 0).mean(), abs=0.01)
    assert np.linalg.norm(outputs.mean(0) - plain) < 0.02 * np.linalg.norm(plain) and percent(shift) <= 0.02
    once = np.linalg.norm(outputs - plain, axis=-1).mean() / np.linalg.norm(plain)
    said = claim("tutorial-b", "inner-dropout").finding[1]["once"]  # type: ignore[index]
    assert float(said) / 100 == pytest.approx(once, abs=0.06)  # type: ignore[arg-type]
    (_, _, zero), (_, _, longer) = claim("tutorial-b", "sum-dropout").rows
    assert percent(zero) == pytest.approx(rate, abs=0.005)
    assert float(longer) == pytest.approx((kept**2).mean(), abs=0.02)


def test_b_as_written_makes_a_map_of_heads() -> None:
    q = np.random.default_rng(0).standard_normal((4, 8, 64))  # tokens, heads, numbers: no transpose
    weights = softmax(q @ q.transpose(0, 2, 1))
    (_, drawn, made), (_, wanted, sums) = claim("tutorial-b", "word-map").rows
    assert made == str(weights.shape) == "(4, 8, 8)" and drawn == "(8, 4, 4)" and wanted == sums


def test_the_tables_of_c_are_counted() -> None:
    learned, relative = (ours for _, _, ours in claim("tutorial-c", "table-sizes").rows)
    assert learned.endswith(f"{512 * 512:,}") and relative.endswith(f"= {32 * 6:,}")


def test_the_pieces_of_d_are_those_of_gpt_2() -> None:
    """The signs of bytes, as GPT-2's own table has them, by another way: `tokenizers`."""
    from tokenizers import decoders, pre_tokenizers

    from core.learning.claims import D_PIECES, D_START, D_TEXT

    (_, _, count), (_, _, last), (_, _, line_break), (_, _, joined) = claim("tutorial-d", "pieces").rows
    assert len(pre_tokenizers.ByteLevel.alphabet()) == 256 and int(count.replace(",", "")) == 256 + 50_000 + 1
    assert int(last) == D_START and int(line_break) == 198 and D_TEXT.count(198) == 2
    assert decoders.ByteLevel().decode(list(D_PIECES)).strip() == joined


def test_the_decoder_of_d_never_reads_its_source_as_outlined() -> None:
    (_, _, written), (_, _, meant) = claim("tutorial-d", "source-unread").rows
    assert float(written) == 0 < 0.1 < float(meant)


def test_an_encoder_row_sees_later_tokens() -> None:
    (_, _, encoder), (_, _, decoder) = claim("tutorial-d", "families").rows
    later = np.triu(np.ones((10, 10)), 1).astype(bool)
    weights = softmax(np.random.default_rng(2).standard_normal((500, 10, 10)))
    assert percent(encoder) == pytest.approx(weights[:, later].sum() / weights.sum(), abs=0.02)
    assert percent(decoder) == 0


def test_a_mask_before_the_scale_hides_and_a_finite_one_leaves_a_row() -> None:
    (_, _, hidden), (_, _, alone) = claim("tutorial-e", "large-number").rows
    row = softmax(np.full(10, -1e20) / 16)
    assert float(hidden) == 0 and float(alone) == pytest.approx(row.max()) == 0.1


def test_the_first_target_of_e_ends_in_padding() -> None:
    rows = claim("tutorial-e", "end-is-fed").rows
    assert [(wanted, ours) for _, wanted, ours in rows] == [("2", "0"), ("2", "2")]
