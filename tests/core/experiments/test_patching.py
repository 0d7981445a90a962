"""Patching: what must be 1 is 1 and what must be 0 is 0 on every kind of model, and one patch is the same done by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import core
from core.api import Checkpoint
from core.errors import InputError
from core.experiments.patching import (
    FAMILIES,
    Contrast,
    contrast_of,
    forgotten,
    patch,
    patched,
    read_contrasts,
    survey,
)
from core.model.hooks import Hooks, Site
from tests.core.conftest import write

EN_FR = Path("checkpoints/en-fr")
FIVE = [("cross", 1, 4), ("cross", 2, 3), ("cross", 2, 6), ("cross", 3, 4), ("cross", 3, 6)]


def a_contrast(checkpoint: Checkpoint) -> Contrast:
    """Two sources that differ in one letter, and the two tokens whose log-odds differ most between them after a prefix."""
    clean, corrupted = (tuple(checkpoint.encode_source(text)) for text in ("abc def.", "abj def."))
    prefix = (checkpoint.config.bos_id, 6, 9)
    logits = []
    for source in (clean, corrupted):
        with torch.inference_mode():
            logits.append(checkpoint.model(torch.tensor([source]), torch.tensor([prefix]))[0, -1])
    change = logits[0] - logits[1]
    return Contrast(clean, corrupted, prefix, int(change.argmax()), int(change.argmin()))


def odds(
    checkpoint: Checkpoint, contrast: Contrast, source: tuple[int, ...], hooks: Hooks | None = None
) -> float:
    with torch.inference_mode():
        logits = checkpoint.model(torch.tensor([source]), torch.tensor([contrast.prefix]), hooks)[
            0, -1
        ].double()
    return float(logits[contrast.word] - logits[contrast.other])


@pytest.mark.sampled(3)
def test_the_whole_of_what_the_decoder_reads_carries_everything(kind: Checkpoint) -> None:
    contrast = a_contrast(kind)
    found = patched(kind, contrast)
    assert set(found.effects) == set(FAMILIES)
    for name in ("encoder-stream", "cross-heads", "decoder-stream"):
        assert found.effects[name].together == pytest.approx((1, 1), abs=2e-4), name
    stream = found.effects["decoder-stream"]
    assert stream.restored[-1, -1] == pytest.approx(
        1, abs=2e-4
    )  # the last layer's stream where the word is written
    assert stream.restored[0] == pytest.approx(0, abs=2e-4)  # the same prefix is read in both runs
    assert stream.restored[-1, :-1] == pytest.approx(
        0, abs=2e-4
    )  # earlier positions are not read after the last layer
    source = found.effects["encoder-stream"].restored
    changed = np.array(contrast.clean) != np.array(contrast.corrupted)
    assert source[0, changed].sum() == pytest.approx(1, abs=2e-4) and source[0, ~changed] == pytest.approx(
        0, abs=2e-4
    )


@pytest.mark.sampled(3)
def test_one_head_patched_by_hand(kind: Checkpoint) -> None:
    contrast, site = a_contrast(kind), Site("decoder", 1, "cross", "head_output")
    found = patched(kind, contrast, ["cross-heads"])
    kept = Hooks([site])
    clean = odds(kind, contrast, contrast.clean, kept)
    corrupted = odds(kind, contrast, contrast.corrupted)
    assert found.log_odds == pytest.approx((clean, corrupted), abs=1e-5)

    def with_head_2(output: torch.Tensor) -> torch.Tensor:
        return torch.cat([output[:, :2], kept.records[site][:, 2:3], output[:, 3:]], dim=1)

    patched_odds = odds(kind, contrast, contrast.corrupted, Hooks(edit={site: with_head_2}))
    expected = (patched_odds - corrupted) / (clean - corrupted)
    assert found.effects["cross-heads"].restored[1, 2] == pytest.approx(expected, abs=1e-5)


def test_the_other_direction_is_the_contrast_turned_round(tiny: Checkpoint) -> None:
    one = a_contrast(tiny)
    other = Contrast(one.corrupted, one.clean, one.prefix, one.other, one.word)
    there, back = patched(tiny, one), patched(tiny, other)
    for name in FAMILIES:
        assert there.effects[name].restored == pytest.approx(back.effects[name].disturbed, abs=1e-5)
        assert there.effects[name].together == pytest.approx(back.effects[name].together[::-1], abs=1e-5)


def test_rows_say_which_head_or_token(tiny: Checkpoint) -> None:
    contrast = a_contrast(tiny)
    rows = list(patched(tiny, contrast, ["cross-heads", "encoder-stream"]).rows())
    assert len(rows) == 2 * 4 + 3 * len(contrast.clean)
    assert {row["token"] for row in rows if row["family"] == "cross-heads"} == {None}
    assert {row["head"] for row in rows if row["family"] == "encoder-stream"} == {None}


def test_what_cannot_be_compared_is_refused(tiny: Checkpoint) -> None:
    with pytest.raises(InputError, match="9 and 10 tokens"):
        contrast_of(tiny, "abc def.", "abcc def.")
    with pytest.raises(InputError, match="same translation"):
        contrast_of(tiny, "abc def.", "abj def.", target="bad", other="bad")
    with pytest.raises(InputError, match="no family 'heads'"):
        patched(tiny, a_contrast(tiny), ["heads"])
    same = a_contrast(tiny)._replace(corrupted=a_contrast(tiny).clean)
    with pytest.raises(InputError, match="too close"):
        patched(tiny, same)


def test_contrasts_are_read_from_a_file(tmp_path: Path) -> None:
    file = write(
        tmp_path / "contrasts.tsv", "# a comment", "number\tA cat.\tCats.", "", "number\tA dog.\tDogs."
    )
    assert read_contrasts(file) == {"number": [("A cat.", "Cats."), ("A dog.", "Dogs.")]}
    with pytest.raises(InputError, match="line 2: write the name of the set"):
        read_contrasts(write(tmp_path / "b.tsv", "number\tA cat.\tCats.", "A dog.\tDogs."))


def test_five_heads_of_en_fr_carry_gender() -> None:
    """The published finding of the lesson, on six of its pairs: five heads carry agreement, and others of the kind do not."""
    checkpoint = core.load(EN_FR)
    pairs = read_contrasts(EN_FR / "contrasts.tsv")["gender"]
    assert len(pairs) >= 100
    found = survey(checkpoint, [*pairs[:4], *pairs[60:62], ("A cat.", "A much longer sentence.")])
    assert len(found.contrasts) == 6
    assert set(found.strongest(5)) == set(FIVE)
    lost = forgotten(checkpoint, found.contrasts, FIVE, draws=3)
    assert lost.turned.sum() >= 3 and not lost.controls.any()
    mean = found.mean()
    assert (mean.low <= mean.value).all() and (mean.value <= mean.high).all()
    with pytest.raises(InputError, match="None of the 1 pairs"):
        survey(checkpoint, [("A cat.", "A much longer sentence.")])


def test_the_pair_of_the_first_screen() -> None:
    """Head 3.6 restores about a third of the difference between “Le” and “La”; no head carries “sofa” alone."""
    checkpoint = core.load(EN_FR)
    found = patch(
        checkpoint, "The little boy is running.", "The little girl is running.", families=["cross-heads"]
    )
    table = found.effects["cross-heads"].restored
    assert table[3, 6] == pytest.approx(0.35, abs=0.01) and table[3, 4] == pytest.approx(0.25, abs=0.01)
    assert found.heads() == [("cross", 3, 6), ("cross", 3, 4), ("cross", 1, 4), ("cross", 2, 3)]
