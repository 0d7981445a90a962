"""AER over a gold file: the same as the command's for every head and reading, stage by stage, whatever is unreadable."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.analysis.alignment import READINGS, STEPS, GoldFile, by_contribution, counted, from_lines
from core.api import Checkpoint, load
from core.decoding.tracing import trace
from core.errors import InputError
from core.experiments import contributions
from core.experiments.contributions import GoldSurvey, axes_of, gold_survey
from core.tokenizer.tokenizer import spaced_words

ROOT = Path(__file__).parents[3]
TEXT = "abc de ||| ab c de ||| 1-1 1-2 2p3\nface ja ||| ja ice ||| 2-1 1p2\na ||| b ||| 1-1\n"


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_every_head_and_reading_is_that_of_the_command(build: Callable[..., Checkpoint], norm: str) -> None:
    checkpoint = build(norm_placement=norm)
    file = from_lines("g", TEXT)
    *_, last = stages = list(gold_survey(checkpoint, file))
    assert [(stage.done, stage.total) for stage in stages] == [(1, 3), (2, 3), (3, 3)]
    first, *rest = contributions.measured(checkpoint, file.pairs, file.gold)
    total = sum(rest, first)
    np.testing.assert_equal(vars(total), vars(last.counts["weight"]))
    rows = contributions.best_first(total)
    assert len(rows) == 2 * checkpoint.config.decoder_layers * checkpoint.config.heads
    for row in rows:
        result = last.counts["weight"].of(row["reading"], row["layer"], row["head"])
        assert (result.aer, result.predicted) == (row["aer"], row["links"])
        np.testing.assert_equal([result.precision, result.recall], [row["precision"], row["recall"]])


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


@pytest.fixture(scope="module", params=["en-fr", "de-en"])
def shipped(request: pytest.FixtureRequest) -> tuple[Checkpoint, GoldFile, GoldSurvey]:
    """A shipped model, its own gold file, and every head against it."""
    folder = ROOT / "checkpoints" / request.param
    checkpoint = load(folder, device="cpu")
    file = from_lines(request.param, (folder / "gold.txt").read_text("utf-8"))
    *_, last = gold_survey(checkpoint, file)
    return checkpoint, file, last


def test_the_figures_of_the_docs_are_those_of_the_shipped_models(
    shipped: tuple[Checkpoint, GoldFile, GoldSurvey],
) -> None:
    """AER by layer in both readings, the best head and its reading, and all layers together in that."""
    _, file, last = shipped
    counts = last.counts["weight"]
    text = " ".join((ROOT / "docs" / "screens.md").read_text("utf-8").split())
    rates = {each: counts.rates(each, "aer") for each in READINGS}
    best = min(READINGS, key=lambda each: rates[each].min())
    layer, head = (int(position) for position in np.unravel_index(rates[best].argmin(), rates[best].shape))
    cells = [
        f"`{file.name}`",
        *(" ".join(short(value) for value in counts.by_layer(each)) for each in READINGS),
        f"{layer}.{head} {STEPS[best]}, {short(rates[best].min())}",
        " ".join(short(counts.of(each, None, None).aer) for each in READINGS),
    ]
    assert f"| {' | '.join(cells)} |" in text
    assert last.total == len(file.pairs) >= 12 and not last.left_out


def test_what_the_lesson_says_of_the_two_models_holds(
    shipped: tuple[Checkpoint, GoldFile, GoldSurvey],
) -> None:
    """Of en-fr the aligner is lost where a word is fed back, and none there is near it; of de-en the best align there alone."""
    _, file, last = shipped
    predicted, fed_back = (last.counts["weight"].rates(each, "aer") for each in READINGS)
    if file.name == "en-fr":
        assert fed_back[predicted == predicted.min()].min() > 0.8
        assert fed_back.min() > 0.35 > 0.2 > predicted.min()
    else:
        best = fed_back < 0.1
        assert best.any() and predicted.min() > 0.2 and predicted[best].min() > 0.6


def short(value: float) -> str:
    return f"{value:.2f}".lstrip("0")


def test_aer_by_layer_is_that_of_links_counted_by_hand(
    shipped: tuple[Checkpoint, GoldFile, GoldSurvey],
) -> None:
    """From the weights, the letters of the labels and the text of the gold file alone."""
    checkpoint, file, last = shipped
    text = (ROOT / "checkpoints" / file.name / "gold.txt").read_text("utf-8").strip().split("\n")
    layers = checkpoint.config.decoder_layers
    result, right, sure = np.zeros((2, layers)), np.zeros((2, layers)), 0
    for line in text:
        source, target, links = line.split(" ||| ")
        gold = re.findall(r"(\d+)([-p])(\d+)", links)
        possible = {(int(s) - 1, int(t) - 1) for s, _, t in gold}
        surely = {(int(s) - 1, int(t) - 1) for s, mark, t in gold if mark == "-"}
        sure += len(surely)
        seen = trace(checkpoint, source, target, record=("*.cross.weights",))
        rows, columns = of_words(seen.tokens.written, target), of_words(seen.tokens.source, source)
        for layer in range(layers):
            weights = np.mean(seen.array(f"decoder.{layer}.cross.weights"), axis=0)
            for reading, late in enumerate((0, 1)):
                for word in range(len(target.split())):
                    mean = np.mean([weights[t + late] for t, own in enumerate(rows) if own == word], axis=0)
                    given = [
                        mean[[own == each for own in columns]].sum() for each in range(len(source.split()))
                    ]
                    if max(given) > mean[-1]:
                        link = int(np.argmax(given)), word
                        result[reading, layer] += 1
                        right[reading, layer] += (link in surely) + (link in possible)
    for reading, each in enumerate(READINGS):
        expected = 1 - right[reading] / (result[reading] + sure)
        np.testing.assert_allclose(last.counts["weight"].by_layer(each), expected, atol=1e-12)


def of_words(labels: tuple[str, ...], text: str) -> list[int]:
    """The word between spaces of each label, −1 for special tokens, by counting letters."""
    letters = [number for number, word in enumerate(text.split()) for _ in word]
    numbers, taken = [], 0
    for label in labels:
        special = label.startswith("⟨")
        numbers.append(-1 if special else letters[taken])
        taken += 0 if special else len(label.replace("·", "").replace("␣", "").replace("▁", ""))
    assert taken == len(letters)
    return numbers


def test_words_are_those_between_spaces(build: Callable[..., Checkpoint]) -> None:
    tokenizer = build().source_tokenizer
    ids = tokenizer.encode("de.f a")
    assert max(spaced_words(tokenizer, ids, "de.f a")) == 1
