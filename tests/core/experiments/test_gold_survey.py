"""AER over a gold file: the same as the command's for every head and reading, stage by stage, whatever is unreadable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.analysis.alignment import READINGS
from core.analysis.gold_file import from_lines
from core.analysis.word_links import by_contribution, counted
from core.api import Checkpoint, load
from core.errors import InputError
from core.experiments import aligning, contributions
from core.experiments.gold_survey import axes_of, gold_survey
from core.tokenizer.spaced import spaced_words

ROOT = Path(__file__).parents[3]
TEXT = "abc de ||| ab c de ||| 1-1 1-2 2p3\nface ja ||| ja ice ||| 2-1 1p2\na ||| b ||| 1-1\n"


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_every_head_and_reading_is_that_of_the_command(build: Callable[..., Checkpoint], norm: str) -> None:
    checkpoint = build(norm_placement=norm)
    file = from_lines("g", TEXT)
    *_, last = stages = list(gold_survey(checkpoint, file))
    assert [(stage.done, stage.total) for stage in stages] == [(1, 3), (2, 3), (3, 3)]
    rows = aligning.measured(checkpoint, file.pairs, file.gold)
    assert len(rows) == 2 * checkpoint.config.decoder_layers * checkpoint.config.heads
    for row in rows:
        found = last.counts["weight"].of(row["reading"], row["layer"], row["head"])
        assert (found.aer, found.found) == (row["aer"], row["links"])
        np.testing.assert_equal([found.precision, found.recall], [row["precision"], row["recall"]])


def test_contributions_are_those_of_a_full_record(build: Callable[..., Checkpoint]) -> None:
    checkpoint = build()
    file = from_lines("g", TEXT.splitlines()[0])
    *_, last = gold_survey(checkpoint, file)
    ids = [checkpoint.encode_source("abc de"), checkpoint.target_tokenizer.encode("ab c de")]
    trace = contributions.record(checkpoint, *ids)
    shares = by_contribution(contributions.layers(checkpoint.model, trace, "cross"))
    expected = counted(shares, axes_of(checkpoint, *ids, *file.pairs[0]), file.gold[0])
    for reading in READINGS:
        np.testing.assert_equal(
            last.counts["contribution"].rates(reading, "aer"), expected.rates(reading, "aer")
        )


def test_sentences_that_cannot_be_read_are_left_out_by_name(build: Callable[..., Checkpoint]) -> None:
    checkpoint = build()
    long = "a " * 60
    *_, last = gold_survey(checkpoint, from_lines("g", f"{long}||| b ||| 1-1\n{TEXT}"))
    assert last.total == 3 and [number for number, _ in last.left_out] == [1]
    assert "tokens long" in last.left_out[0][1]
    with pytest.raises(InputError, match="no sentence of the gold file. Line 1: The sentence is"):
        list(gold_survey(checkpoint, from_lines("g", f"{long}||| b ||| 1-1")))


def test_the_figures_of_the_readme_are_those_of_the_shipped_model() -> None:
    folder = ROOT / "checkpoints" / "en-fr"
    *_, last = gold_survey(
        load(folder, device="cpu"), from_lines("en-fr", (folder / "gold.txt").read_text("utf-8"))
    )
    counts = last.counts["weight"]
    said = " ".join((ROOT / "README.md").read_text("utf-8").split())
    writing, reading = (
        " ".join(f"{value:.2f}".lstrip("0") for value in counts.by_layer(each)) for each in READINGS
    )
    assert f"AER by layer 0 … 3 is {writing} writing and {reading} reading" in said
    rates = counts.rates("writing", "aer")
    layer, head = (int(place) for place in np.unravel_index(rates.argmin(), rates.shape))
    best, whole = (
        f"{value:.2f}".lstrip("0") for value in (rates.min(), counts.of("writing", None, None).aer)
    )
    assert f"the best head is {layer}.{head} with {best}, and all layers together have {whole}" in said
    assert last.total == 20 and not last.left_out


def test_words_are_those_between_spaces(build: Callable[..., Checkpoint]) -> None:
    tokenizer = build().source_tokenizer
    ids = tokenizer.encode("de.f a")
    assert max(spaced_words(tokenizer, ids, "de.f a")) == 1
