"""`Edits`: an immutable value that a link holds, whatever is typed into the link."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from core.errors import InputError
from core.experiments.edits import (
    STEPS,
    DragWeight,
    Edits,
    HeadsStep,
    HideSource,
    NoCausalMask,
    OpenPadding,
    ShufflePositions,
    SwapPositions,
)
from core.model.config import ModelConfig

EVERY = Edits(
    (
        HeadsStep("cross", 2, (5,), "zero"),
        HeadsStep("encoder", 0, (1, 3), "mean"),
        HeadsStep("causal", 1, None, "uniform"),
        HeadsStep("cross", None, None, "frozen"),
        NoCausalMask(),
        HideSource(3),
        OpenPadding(2),
        DragWeight("cross", 2, 5, 3, 1, 700),
        SwapPositions("target", 1, 4),
        ShufflePositions(7),
        ShufflePositions(3, 9),
    )
)
TEXT = "zc2-5_me0-1.3_ud1_fc_n_h3_o2_wc2-5-3-1-700_pt1-4_r7_rt3-9"
CONFIG = ModelConfig(
    source_vocab_size=10, target_vocab_size=10, d_model=8, heads=4, encoder_layers=2, decoder_layers=3
)


def test_every_step_is_written_and_read() -> None:
    assert str(EVERY) == TEXT
    assert Edits.parse(TEXT) == EVERY
    assert hash(Edits.parse(TEXT)) == hash(EVERY)
    assert Edits.parse("") == Edits() and not Edits()


def test_it_cannot_be_changed_in_place() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        EVERY.steps = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    "text",
    ["x", "zx1", "zc128", "zc1-256", "zc1-2.2", "zc-1", "h99999", "o0", "o17", "wc1-1-1-1-1001", "wc1-1-1-1", "ps1-1",
     "px1-2", "r1234567", "rt1-0", "rt1-1", "rt1", "rt1-99999", "n_", "_n", "zc1 ", "<script>", "é", "n" * 3000, "_".join(["n"] * (STEPS + 1)), "wz1-1-1-1-1"],
)  # fmt: skip
def test_anything_else_is_one_sentence(text: str) -> None:
    with pytest.raises(InputError) as error:
        Edits.parse(text)
    assert len(str(error.value)) < 200 and "\n" not in str(error.value)


def test_random_text_never_raises_anything_else() -> None:
    drawn = random.Random(0)
    for _ in range(3000):
        text = "".join(drawn.choices("zmufedcnhowpstr0123456789.-_", k=drawn.randint(1, 24)))
        try:
            result = Edits.parse(text)
        except InputError:
            continue
        assert Edits.parse(str(result)) == result


def test_a_value_made_out_of_bounds_is_refused() -> None:
    wrong: list[Any] = [
        HeadsStep("cross", 900, None),
        HideSource(-1),
        OpenPadding(99),
        HeadsStep("cross", 1, ()),
    ]
    for step in wrong:
        with pytest.raises(InputError):
            Edits((step,))


def test_the_last_step_is_undone_first() -> None:
    edits = Edits().then(NoCausalMask()).then(HideSource(1))
    assert edits.undone() == Edits((NoCausalMask(),))
    assert edits.undone().undone() == Edits() == Edits().undone()


def test_a_later_step_replaces_what_it_says_again() -> None:
    edits = Edits().then(DragWeight("cross", 0, 1, 2, 3, 100)).then(DragWeight("cross", 0, 1, 2, 3, 900))
    assert edits.steps == (DragWeight("cross", 0, 1, 2, 3, 900),)
    edits = Edits().then(ShufflePositions(1)).then(ShufflePositions(1, 5)).then(ShufflePositions(2, 5))
    assert edits.steps == (ShufflePositions(1), ShufflePositions(2, 5)), "each side has an order of its own"
    edits = Edits().then(HeadsStep("cross", 0, (1,))).then(HeadsStep("cross", 0, None, "mean"))
    assert edits.steps == (HeadsStep("cross", 0, None, "mean"),)
    edits = Edits().then(HeadsStep("cross", 0, None, "mean")).then(HeadsStep("cross", 0, (1,)))
    assert [edits.head("cross", 0, head) for head in (0, 1)] == ["mean", "zero"]


def test_a_click_switches_a_head_off_and_on() -> None:
    edits = Edits().switched("cross", 1, 2, "zero", (3, 4))
    assert edits.head("cross", 1, 2) == "zero" and edits.head("cross", 1, 3) is None
    assert edits.switched("cross", 1, 2, "zero", (3, 4)) == Edits()
    layer = Edits().switched("cross", 1, None, "mean", (3, 4))
    assert {layer.head("cross", 1, head) for head in range(4)} == {"mean"}
    without = layer.switched("cross", 1, 2, "mean", (3, 4))
    assert [without.head("cross", 1, head) for head in range(4)] == ["mean", "mean", None, "mean"]
    assert layer.switched("cross", 1, None, "mean", (3, 4)) == Edits()
    kind = Edits((HeadsStep("cross", None, None),)).switched("cross", 1, 2, "zero", (3, 4))
    on = [(at, head) for at in range(3) for head in range(4) if kind.head("cross", at, head) is None]
    assert on == [(1, 2)] and Edits.parse(str(kind)) == kind


def test_another_sentence_keeps_what_names_no_word() -> None:
    assert str(EVERY.of_any_sentence()) == "zc2-5_me0-1.3_ud1_fc_n_o2"


def test_what_becomes_of_each_head_of_a_model() -> None:
    result = Edits.parse("zc_mc1-2_ue0-3").heads(CONFIG)
    assert len(result) == 3 * 4 + 1
    assert (
        result["cross", 1, 2] == "mean"
        and result["cross", 0, 0] == "zero"
        and result["encoder", 0, 3] == "uniform"
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("zc3", "layers 0 to 2"),
        ("ze2-0", "layers 0 to 1"),
        ("zc1-4", "heads 0 to 3"),
        ("h6", "tokens 0 to 5"),
        ("wc0-0-9-0-10", "cell"),
        ("wd0-0-1-2-10", "cell"),
        ("pt0-7", "the target does not have"),
        ("ps0-6", "the source does not have"),
        ("o16", ""),
    ],
)
def test_an_edit_that_does_not_fit_is_one_sentence(text: str, says: str) -> None:
    edits = Edits.parse(text)
    if not says:
        edits.check(CONFIG, 6, 7)
        with pytest.raises(InputError, match="512"):
            edits.check(CONFIG, 510, 7)
        return
    with pytest.raises(InputError, match=says):
        edits.check(CONFIG, 6, 7)


def test_positions_that_are_not_added_cannot_be_moved() -> None:
    for positions in ("none", "relative_buckets"):
        config = dataclasses.replace(CONFIG, positions=positions)
        for text in ("ps0-1", "r3"):
            with pytest.raises(InputError, match="does not have"):
                Edits.parse(text).check(config, 6, 7)
