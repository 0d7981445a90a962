"""What each written token loses without a source token is the difference of two plain passes.

The heads that open first: on the shipped model against alignments made by hand, and for models that say little.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import core
from core.analysis.alignment import READINGS, from_lines
from core.analysis.familiarity import FEATURES, reordered
from core.analysis.roles import ALIGNMENT
from core.api import Checkpoint
from core.decoding.search import translate_batch
from core.experiments.contributions import gold_survey
from core.experiments.corpus import load_atlas
from core.experiments.default_heads import (
    default_heads,
    examples_shown,
    losses,
    probes,
    write_default_heads,
)
from tests.core.conftest import passed


def plain(checkpoint: Checkpoint, source: list[int], written: list[int]) -> float:
    """log p(written | source), a token at a time, each in a pass of its own."""
    total = 0.0
    for t, token in enumerate(written):
        scores = passed(checkpoint, source, written[: t + 1])[-1].double()
        total += float(scores[token]) - float(scores.logsumexp(-1))
    return total


@pytest.mark.sampled(3)
def test_what_each_word_loses_is_the_difference_of_two_plain_passes(kind: Checkpoint) -> None:
    """Every written token without every source token; ⟨end⟩ is never left out."""
    source = kind.encode_source("abc.")
    written = translate_batch(kind.model, [source], max_steps=4)[0]
    texts = [position for position, word in enumerate(kind.source_tokenizer.words(source)) if word >= 0]
    result = losses(kind, source, written)
    assert result.shape == (len(written), len(source)) and len(texts) >= 2

    def each(read: list[int]) -> np.ndarray:
        sums = [plain(kind, read, written[: t + 1]) for t in range(len(written))]
        return np.diff([0.0, *sums])

    for position in range(len(source)):
        rest = [token for other, token in enumerate(source) if other != position]
        expected = each(source) - each(rest) if position in texts else np.zeros(len(written))
        np.testing.assert_allclose(result[:, position], expected, atol=2e-4)


def test_batches_change_nothing(tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tiny.encode_source("abc def.")
    written = translate_batch(tiny.model, [source], max_steps=5)[0]
    together = losses(tiny, source, written)
    monkeypatch.setattr("core.experiments.default_heads._TOKENS_AT_ONCE", 2 * (len(source) + len(written)))
    np.testing.assert_allclose(losses(tiny, source, written), together, atol=1e-4)


def test_a_source_of_one_token_has_nothing_to_leave_out(tiny: Checkpoint) -> None:
    source = tiny.encode_source("a")
    assert sum(word >= 0 for word in tiny.source_tokenizer.words(source)) == 1
    assert not losses(tiny, source, translate_batch(tiny.model, [source], max_steps=4)[0]).any()


def test_a_token_that_is_always_written_loses_nothing(build: Callable[..., Checkpoint]) -> None:
    checkpoint = build(forced_bos_id=9)
    source = checkpoint.encode_source("abc def.")
    written = translate_batch(checkpoint.model, [source], max_steps=5)[0]
    result = losses(checkpoint, source, written)
    assert not result[0].any() and result[1:].any()


@pytest.fixture(scope="module")
def shipped() -> core.Checkpoint:
    return core.load("checkpoints/en-fr", device="cpu")


def _words(tokenizer: core.Tokenizer, ids: tuple[int, ...]) -> dict[str, list[int]]:
    """Each whole word of a sentence → the places of its pieces, special tokens left out."""
    numbered = [(number, position) for position, number in enumerate(tokenizer.words(ids)) if number >= 0]
    groups = [
        [position for _, position in group]
        for _, group in itertools.groupby(numbered, key=lambda each: each[0])
    ]
    return {tokenizer.decode([ids[position] for position in group]).strip(): group for group in groups}


@pytest.mark.thorough
def test_either_half_of_the_probe_sentences_chooses_the_same_head(shipped: core.Checkpoint) -> None:
    """Twenty sentences are too few: they put three heads within a hundredth of each other."""
    sentences = shipped.card["probe_sentences"]
    halves = [default_heads(shipped, sentences[first::2])["cross"] for first in (0, 1)]
    assert halves[0]["layer"] == halves[1]["layer"]
    assert halves[0]["head"] == halves[1]["head"]


@pytest.mark.parametrize(
    ("card", "read"),
    [
        ({"probe_sentences": ["A dog.", 3, " ", "A cat."], "examples": [{"source": "A bird."}]}, ["A dog.", "A cat."]),
        ({"probe_sentences": "A dog.", "examples": [{"source": "A bird."}, "A cow.", None]}, ["A bird.", "A cow."]),
        ({"probe_sentences": [None], "examples": None}, []),
    ],
)  # fmt: skip
def test_a_cards_probe_sentences_are_read_and_else_its_examples(
    shipped: core.Checkpoint, card: dict[str, object], read: list[str]
) -> None:
    assert probes(replace(shipped, card=card), None) == read
    assert probes(replace(shipped, card=card), ["A fish."]) == ["A fish."]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["en-fr", "de-en"])
def test_the_heads_called_alignment_are_those_that_gold_finds_and_the_best_of_them_is_offered(
    name: str,
) -> None:
    """Hand-made links of sentences that are among neither examples nor probes, in both rows of every head."""
    folder = Path("checkpoints") / name
    checkpoint = core.load(folder, device="cpu")
    gold = from_lines(name, (folder / "gold.txt").read_text("utf-8"))
    *_, last = gold_survey(checkpoint, gold)
    aer = {reading: last.counts["weight"].rates(reading, "aer") for reading in READINGS}
    result = load_atlas(folder, checkpoint.config, checkpoint.digest)
    roles = {"writing": "alignment", "reading": "alignment when fed back"}
    called = {
        (reading, layer, head)
        for reading in READINGS
        for layer, head in np.ndindex(aer[reading].shape)
        if any(role.startswith(f"{roles[reading]} (") for role in result.roles("cross", layer, head))
    }
    low = {
        (reading, *position) for reading in READINGS for position in np.ndindex(aer[reading].shape)
        if aer[reading][position] < 0.2
    }  # fmt: skip
    assert called <= low
    assert {place[1:] for place in low - called} == (
        {(2, 7)} if name == "en-fr" else {(2, 3), (2, 4)}
    )  # docs/screens.md says so
    stated = checkpoint.card["default_heads"]
    offered, opens = (
        (stated[kind]["reading"], stated[kind]["layer"], stated[kind]["head"])
        for kind in (ALIGNMENT, "cross")
    )
    assert offered in called
    best = min(rates.min() for rates in aer.values())
    assert aer[offered[0]][offered[1:]] < best + 0.02
    assert opens[0] == "writing" and aer["writing"][opens[1:]] < aer["writing"].min() + 0.02


@pytest.mark.parametrize("name", ["paper", *(f"tutorial-{letter}" for letter in "abcde")])
def test_on_models_that_write_backwards_the_share_is_that_of_the_known_alignment(name: str) -> None:
    """Token t of such a translation comes from the t-th source token from the end, whatever was measured."""
    checkpoint = core.load(Path("checkpoints/tutorials") / name, device="cpu")
    right, words = np.zeros(0), 0
    for text in probes(checkpoint, None):
        result = core.trace(checkpoint, text, record=("decoder.*.cross.weights",))
        labels = [label for label in result.tokens.source if len(label) == 1]
        first = result.tokens.source.index(labels[0])
        if [label for label in result.tokens.written if len(label) == 1] != labels[::-1]:
            continue  # it was not written backwards
        weights = result.stacked("decoder", "cross", "weights")[..., first : first + len(labels)]
        places = np.arange(len(labels))
        looked = np.stack([weights[:, :, places + late].argmax(-1) for late in (0, 1)])
        hits = (looked == places[::-1]).sum(-1)
        right, words = right + hits if words else hits, words + len(labels)
    assert words >= 15
    result = load_atlas(checkpoint.path, checkpoint.config, checkpoint.digest)
    share = np.stack([result.scores["cross"][score].average for score in ("alignment", "alignment_fed_back")])
    np.testing.assert_allclose(share, right / words, atol=0.2)
    chosen = default_heads(checkpoint)
    named = chosen[ALIGNMENT]
    assert chosen["cross"]["reading"] == "writing"
    assert right[READINGS.index(named["reading"]), named["layer"], named["head"]] == right.max()


@pytest.mark.parametrize(
    "name", ["dates", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("en-fr", "de-en"))]
)
def test_what_the_shipped_cards_state_is_what_is_computed(name: str) -> None:
    checkpoint = core.load(Path("checkpoints") / name, device="cpu")
    stated, computed = checkpoint.card["default_heads"], default_heads(checkpoint)
    assert stated.keys() == computed.keys() == {"cross", "encoder-self", "decoder-self", ALIGNMENT}
    for kind, entry in stated.items():
        assert (entry["layer"], entry["head"]) == (computed[kind]["layer"], computed[kind]["head"])
        for figure in ("share", "low", "high"):
            assert entry[figure] == pytest.approx(computed[kind][figure], abs=0.01)
        assert entry["low"] < entry["share"] < entry["high"]


def test_writing_the_heads_keeps_the_rest_of_the_card(tiny_checkpoint: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "tiny")
    before = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    for example in before["examples"]:
        example["translation"] = "Où est mon livre ?"
    (folder / "card.json").write_text(json.dumps(before), encoding="utf-8")
    written = write_default_heads(core.load(folder, device="cpu"))
    after = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert written and after.pop("default_heads") == written
    shown = [example.pop("shows") for example in after["examples"]]
    assert after == before
    assert all(set(shows) <= set(FEATURES) for shows in shown)


def test_what_a_card_says_of_an_example_stays_and_order_is_told_by_links(shipped: core.Checkpoint) -> None:
    copy = replace(shipped, card={**shipped.card, "examples": [
        {"source": "Can you help me?", "translation": "Peux-tu m'aider ?", "shows": ["agreement"]},
        {"source": "My cat is sleeping on the sofa.", "translation": "Mon chat dort."},
        "a sentence alone",
    ]})  # fmt: skip
    chosen = {"layer": 0, "head": 0, "reading": "writing"}
    first, second, third = examples_shown(copy, chosen)["examples"]
    assert (first["shows"], third) == (["agreement"], "a sentence alone")
    links = word_links_by_hand(shipped, "My cat is sleeping on the sofa.", 0, 0)
    assert ("order" in second["shows"]) == reordered(links)
    assert examples_shown(replace(shipped, card={}), chosen) == {}


def word_links_by_hand(checkpoint: core.Checkpoint, text: str, layer: int, head: int) -> set[tuple[int, int]]:
    """(source word, written word): the source word that gets most of the mean row of a written word."""
    trace = core.trace(checkpoint, text, record=("decoder.*.cross.weights",))
    weights = trace.stacked("decoder", "cross", "weights")[layer, head]
    read = _words(checkpoint.source_tokenizer, trace.source_ids)
    written = _words(checkpoint.target_tokenizer, trace.written_ids)
    result = set()
    for number, rows in enumerate(written.values()):
        mass = [weights[rows].mean(0)[places].sum() for places in read.values()]
        if max(mass) > weights[rows].mean(0)[-1]:  # or it looks at the end
            result.add((int(np.argmax(mass)), number))
    return result


def test_nothing_is_chosen_where_nothing_can_be_read(shipped: core.Checkpoint) -> None:
    assert default_heads(shipped, sources=[]) == {}
    assert default_heads(shipped, sources=["  ", "x" * 10_000]) == {}


def test_the_time_it_may_take_is_kept(shipped: core.Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence begun is ended; the card says over how many it was counted."""
    clock = itertools.count(0.0, 3.0)
    monkeypatch.setattr("core.experiments.default_heads.time.monotonic", lambda: next(clock))
    assert default_heads(shipped, seconds=7.0)["cross"]["sentences"] == 3
    assert default_heads(shipped, seconds=0.0)["cross"]["sentences"] == 1
