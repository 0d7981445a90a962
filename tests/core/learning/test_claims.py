"""What the write-ups say is recomputed here a second time, by other means; each claim's verdict follows from its numbers."""

from __future__ import annotations

import numpy as np
import pytest

from core.learning.claims import claims
from core.learning.claims.claim import Claim
from core.learning.claims.d import LINKED
from core.learning.mistakes import IDS, PITFALLS
from core.learning.study import in_language
from core.learning.tutorials import TUTORIALS

FIVE = [f"tutorial-{letter}" for letter in "abcde"]
# What holds, what is a mistake (with the pitfall that shows it on a sentence), and what no number decides (None).
HOLDS: dict[str, dict[str, bool | None]] = {
    "paper": {"rotation": True, "root": True},
    "tutorial-a": {
        **dict.fromkeys(("after-the-end", "cut", "softmax-logits", "dropout-after-norm"), False),
        **dict.fromkeys(("mask-first", "unscaled", "mask-rows"), True),
    },
    "tutorial-b": {
        **dict.fromkeys(
            ("means", "column-wise", "word-map", "unmerged", "std-eps", "exponent-comment"), False
        ),
        **dict.fromkeys(("dims-linear", "swapped", "model-root", "names"), False),
        **dict.fromkeys(("no-softmax", "inner-dropout", "sum-dropout", "exponential", "lookup"), True),
        **dict.fromkeys(("outer", "buffer", "first-rows"), True),
    },
    "tutorial-c": {
        **dict.fromkeys(("merge", "exponent-doubled", "in-feed-forward", "order", "mask-truth"), False),
        **dict.fromkeys(("recursion", "arguments", "drop-as-length", "global-width", "independent"), False),
        **dict.fromkeys(("sentences", "residual-overfit", "names", "two-roots"), False),
        **dict.fromkeys(("fused", "variance", "denominator", "unit-rows", "residual", "table-sizes"), True),
        "pre-translation": None,
    },
    "tutorial-d": {
        **dict.fromkeys(("no-residual", "source-unread", "windows", "filled", "one-column", "length"), False),
        **dict.fromkeys(("dropout-outline", "half-dropped", "globals-read", "divisible", "arxiv"), False),
        **dict.fromkeys(("swapped", "comment-root"), False),
        **dict.fromkeys(("positions", "library", "pieces", "unscaled", "mask-rows", "families"), True),
    },
    "tutorial-e": {
        **dict.fromkeys(("end-is-fed", "padded-target", "model-root", "inert-dropout"), False),
        **dict.fromkeys(("shared-matrix", "diagram-order", "large-number", "stack", "shifted"), True),
        **dict.fromkeys(("einsum", "unscaled", "families"), True),
    },
    "t5": dict.fromkeys(("pre-norm", "relative", "rotary", "gated", "rms", "decoder-only"), True),
}


def claim(name: str, of: str) -> Claim:
    (one,) = [each for each in claims(name) if each.id == of]
    return one


def computed(name: str, of: str) -> list[str]:
    """The numbers of a claim's rows that were computed here."""
    return [ours for _, _, ours in claim(name, of).rows]


@pytest.mark.parametrize("name", TUTORIALS)
def test_every_claim_has_its_numbers_and_its_verdict(name: str) -> None:
    made = claims(name)
    assert {each.id: each.holds for each in made} == HOLDS[name]
    for each in made:
        assert in_language(each.finding) and in_language(each.says).endswith(".") and each.rows
        assert (each.about == "wrong") == (each.holds is False)
        assert each.holds is not None or (each.beyond and each.source[1]), (
            "what no number decides has a source"
        )


def test_every_cell_of_the_table_has_a_claim() -> None:
    for name in FIVE:
        assert {each.about for each in claims(name)} == {"builds", "differs", "wrong"}, name


def test_each_mistake_of_the_page_mistakes_has_its_claim() -> None:
    for each in PITFALLS:
        letters = [letter for letter in each.found_in.split(", ") if len(letter) == 1]
        found = [name[-1].upper() for name in FIVE if each.id in [claim.pitfall for claim in claims(name)]]
        assert found == letters, each.id
    assert {claim.pitfall for name in FIVE for claim in claims(name)} <= {"", *IDS}


def test_a_reads_its_next_token_after_the_end() -> None:
    assert computed("tutorial-a", "after-the-end") == ["999", "0"]


def test_the_masks_of_a_and_d_leave_no_row_of_nan() -> None:
    """By numpy, each as written: A fills −∞ in where its lower triangle is 0, D adds an upper triangle of −∞."""
    scores = np.random.default_rng(4).standard_normal((5, 5))
    lower = np.where(np.tril(np.ones((5, 5))) == 0, -np.inf, scores)
    upper = scores + np.where(np.triu(np.ones((5, 5)), 1) == 1, -np.inf, 0)
    for name, masked in (("tutorial-a", lower), ("tutorial-d", upper)):
        assert np.isfinite(softmax(masked)).all()
        assert computed(name, "mask-rows") == ["0", "1"], "no row, and one where a mask hides all"
    assert not [each for each in PITFALLS if each.id == "masked-row-nan" and len(each.found_in) == 1]


def test_a_softmax_is_no_logits() -> None:
    total, loss = computed("tutorial-a", "softmax-logits")
    right = softmax(np.eye(1, 1000)[0])[0]
    assert float(total) == 1 and float(loss) == pytest.approx(-np.log(right), abs=0.005)


def test_cross_attention_asked_from_the_source() -> None:
    for name, shape in (("tutorial-b", "(4, 4)"), ("tutorial-d", "(4, 5)")):
        made, problem, leak = computed(name, "swapped")
        assert (made, problem) == (shape, "RuntimeError") and float(leak) > 0.01


def test_scores_over_the_root_of_the_width_are_flatter() -> None:
    chance = np.random.default_rng(5)
    scores = chance.standard_normal((300, 10, 64)) @ chance.standard_normal((300, 64, 10))
    for name, factor in (("tutorial-b", 8**0.5), ("tutorial-e", 8**0.5)):
        weights = softmax(scores / 8 / factor)
        entropy = -(weights * np.log(weights)).sum(-1).mean()
        assert float(computed(name, "model-root")[2]) == pytest.approx(entropy, abs=0.03)


def test_how_long_words_are_beside_positions() -> None:
    """√d of N(0, 1) beside √(d/2) of sinusoids; E's positions are a table of N(0, 1) too."""
    for name, ratio in (("tutorial-a", 2**0.5), ("tutorial-d", 2.35 / 3**0.5), ("tutorial-e", 1.0)):
        assert float(computed(name, "unscaled")[0]) == pytest.approx(ratio, abs=0.03)


def test_dropout_after_the_norm_and_with_a_rate_of_zero() -> None:
    assert computed("tutorial-a", "dropout-after-norm") == ["30 %"]
    assert computed("tutorial-e", "inert-dropout") == ["0 %", "30 %"]


def test_names_that_nothing_defines() -> None:
    for name, lacking in (
        ("tutorial-b", ["math", "MultiHeadAttentionBlock"]),
        ("tutorial-c", ["sequence_length", "input_dim", "sca", "v"]),
    ):
        assert [in_language(what) for what, _, _ in claim(name, "names").rows] == lacking
        assert set(computed(name, "names")) == {"NameError"}


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

    from core.learning.claims.d import D_PIECES, D_START, D_TEXT

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


def test_what_b_says_of_its_norm_and_positions() -> None:
    rows = np.array([[0.2, 0.3, 0.4], [0.2, 0.4, 0.4], [0.3, 0.4, 0.4]])
    ((_, columns, last),) = claim("tutorial-b", "column-wise").rows
    assert last == " ".join(f"{each:.2f}" for each in rows.mean(1))
    assert columns == " ".join(f"{each:.2f}" for each in rows.mean(0))
    ((_, comment, code),) = claim("tutorial-b", "exponent-comment").rows
    assert comment == f"{10000 ** (510 / 512):,.0f}" and code == f"{10000 ** (-510 / 512):.4f}"
    narrow, wide, flat = map(float, computed("tutorial-b", "std-eps"))
    assert narrow > 0.05 > 0.01 > wide > 0.001 and flat > 1
    assert computed("tutorial-b", "dims-linear") == ["512", "32,768"]
    assert computed("tutorial-b", "unmerged") == ["64", "RuntimeError", "1"]


def test_what_b_says_of_shapes() -> None:
    assert computed("tutorial-b", "buffer") == ["0", "1"]
    assert computed("tutorial-b", "first-rows") == ["0", "RuntimeError"]
    assert computed("tutorial-b", "outer") == ["(10, 256)", "0"]
    assert computed("tutorial-b", "lookup") == ["(1, 10, 512)"]


def test_what_stops_the_code_of_c() -> None:
    assert computed("tutorial-c", "recursion") == ["RecursionError", "AttributeError"]
    assert computed("tutorial-c", "arguments") == ["2", "1", "TypeError"]
    assert computed("tutorial-c", "drop-as-length") == ["1", "TypeError"]
    assert computed("tutorial-c", "global-width") == ["512", "RuntimeError"]
    assert computed("tutorial-c", "mask-truth") == ["RuntimeError", "0"]


def test_what_c_merges_and_where_it_adds_positions() -> None:
    heads = np.arange(8 * 4 * 64).reshape(8, 4, 64)
    same = int((heads.transpose(1, 0, 2).reshape(4, 512) == heads.reshape(4, 512)).sum())
    assert computed("tutorial-c", "merge") == ["(4, 512)", str(same)]
    written, meant = (
        claim("tutorial-c", "in-feed-forward").rows[0][2],
        claim("tutorial-c", "in-feed-forward").rows[0][1],
    )
    assert abs(float(written)) < 0.01 and float(meant) == pytest.approx((1 / 3) ** 0.5, abs=0.02)
    angles = np.arange(40)[:, None] / 10000 ** (2 * np.arange(0, 512, 2) / 512)
    moved = np.concatenate([np.ptp(np.sin(angles), axis=0), np.ptp(np.cos(angles), axis=0)])
    assert computed("tutorial-c", "exponent-doubled")[1] == str(int((moved < 0.01).sum()))
    assert computed("tutorial-c", "denominator") == ["(256)"]


def test_tokens_are_no_sentences() -> None:
    batch, others = computed("tutorial-c", "sentences")
    assert batch == "1" and percent(others) > 0.2


def test_residual_sums_do_not_prevent_overfitting() -> None:
    own, new = map(float, computed("tutorial-c", "residual-overfit"))
    assert own < 0.1 and new > np.log(2)
    assert "§5.4" in in_language(claim("tutorial-c", "residual-overfit").says)


def test_the_numbers_of_d_about_itself() -> None:
    rank, apart, biased = computed("tutorial-d", "filled")
    assert rank == "1" and float(apart) == 0 < 0.1 < float(biased)
    assert computed("tutorial-d", "one-column") == ["(4, 10)"]
    assert computed("tutorial-d", "divisible") == ["1", "0"]
    assert (
        computed("tutorial-d", "arxiv") == ["2019-01"] and LINKED in claim("tutorial-d", "arxiv").finding[0]
    )
    assert computed("tutorial-d", "globals-read") == ["(10, 6)", "RuntimeError"]


def test_the_dropout_of_d() -> None:
    rate, dropped = map(percent, computed("tutorial-d", "half-dropped"))
    assert rate == 0.5 and dropped == pytest.approx(0.5, abs=0.02)
    outlined = percent(claim("tutorial-d", "dropout-outline").rows[0][1])
    output, inner = map(percent, computed("tutorial-d", "dropout-outline"))
    assert outlined == pytest.approx(0.1, abs=0.02) and output == 0 and inner == pytest.approx(0.5, abs=0.03)


def test_what_e_builds() -> None:
    same, other = map(float, computed("tutorial-e", "stack"))
    assert same < 1e-4 and other > 0.1
    assert computed("tutorial-e", "shared-matrix") == [f"{32 * 32:,}", f"{256 * 256:,}", "32"]
    assert [float(each) for each in computed("tutorial-e", "diagram-order")] == [0]


def test_padding_of_e_is_seen_by_padding_alone() -> None:
    padding, words, own = computed("tutorial-e", "padded-target")
    weights = softmax(
        np.where(np.tril(np.ones((7, 7))) == 1, np.random.default_rng(6).standard_normal((400, 7, 7)), -1e20)
    )
    assert percent(padding) == pytest.approx(weights[:, 4:, 4:].sum(-1).mean(), abs=0.03)
    assert percent(words) == 0 and own == "0"
