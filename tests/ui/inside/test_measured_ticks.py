"""The ticks under the maps and on Positions are measured: a fault in the model or in decoding turns each of them off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import core.model.attention
from core.analysis.maps import ROUNDING
from core.api import Checkpoint, load
from core.decoding.inputs import read_source
from core.model.attention import DecodeState
from core.model.hooks import Site
from core.model.trace import Trace
from core.model.transformer import Embedding, PositionTable, Transformer
from ui.inside import norms
from ui.inside import position_numbers as position_waves
from ui.session.selection import Selection
from ui.shared import make_decode
from ui.shared.decode import Decode, Fact

TEXT = "I am tired."
ROWS, AHEAD, STEPPED = "rows sum to 1", "nothing looks ahead", "step by step = all at once"
WAYS = {
    "greedy": Selection(),
    "forced": Selection(force=((1, 40),)),
    "sample": Selection(strategy="sample", seed=3),
    "beam": Selection(strategy="beam", beam=3),
    "node": Selection(strategy="beam", beam=3, node=9),
    "given": Selection(strategy="given", target="Je suis fatigué."),
}


@pytest.fixture(scope="module")
def checkpoint(tiny_checkpoint: Path) -> Checkpoint:
    return load(tiny_checkpoint, device="cpu")


def decoded(checkpoint: Checkpoint, selection: Selection) -> Decode:
    return make_decode.run(checkpoint, read_source(checkpoint, TEXT), selection, ("key",))


def held(facts: Sequence[Fact]) -> dict[str, bool]:
    return {fact.name: fact.holds for fact in facts}


@pytest.mark.parametrize("way", list(WAYS))
def test_every_tick_holds_in_a_sound_model(checkpoint: Checkpoint, way: str) -> None:
    assert held(decoded(checkpoint, WAYS[way]).facts) == {ROWS: True, AHEAD: True, STEPPED: True}


@pytest.mark.parametrize("way", list(WAYS))
def test_a_wrong_cache_is_told_whatever_chose_the_words(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """One pass over all words never reads the cache, so only stepping can tell."""
    extend = DecodeState.extend

    def careless(self: DecodeState, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = extend(self, layer, k, v)
        return keys.flip(2), values

    monkeypatch.setattr(DecodeState, "extend", careless)
    facts = decoded(checkpoint, WAYS[way]).facts
    assert held(facts) == {ROWS: True, AHEAD: True, STEPPED: False}


@pytest.mark.parametrize("way", list(WAYS))
def test_a_model_that_looks_ahead_is_told(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Stepping cannot look ahead, and its maps are filled with zeros there: the full pass is what is measured."""
    everything = torch.ones(1, 1, 99, 99, dtype=torch.bool)
    monkeypatch.setattr(
        core.model.attention, "causal_mask", lambda length, device: everything[..., :length, :length]
    )
    found = decoded(checkpoint, WAYS[way])
    assert not held(found.facts)[AHEAD]
    shown = found.trace.stacked("decoder", "self", "weights")
    assert np.abs(np.triu(shown, 1)).max() == 0  # what was shown would have held


def test_rows_that_do_not_sum_to_one_are_told(checkpoint: Checkpoint) -> None:
    trace = decoded(checkpoint, Selection()).trace
    site = Site("encoder", 0, "self", "weights")
    broken = replace(trace, records={**trace.records, site: trace.array(site) * (1 + 3 * ROUNDING)})
    assert held(make_decode.facts(broken)) == {ROWS: False}


def test_a_weight_that_is_no_number_is_told(checkpoint: Checkpoint) -> None:
    trace = decoded(checkpoint, Selection()).trace
    site = Site("decoder", 1, "self", "weights")
    broken = replace(trace, records={**trace.records, site: trace.array(site) * np.nan})
    assert held(make_decode.facts(broken, broken)) == {ROWS: False, AHEAD: False, STEPPED: False}


def test_a_stored_example_says_only_what_can_be_measured_in_it(
    checkpoint: Checkpoint, tiny_checkpoint: Path
) -> None:
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer)
    example = make_decode.stored_example(
        tiny_checkpoint, ("key",), checkpoint.config, tokenizers, tokenizers[0].read, {}
    )
    assert held(example.facts) == {ROWS: True}


def test_one_constant_says_how_exact_is_exact() -> None:
    from core.verify.checking import PROMISES

    assert {allowed for _, allowed, _ in PROMISES} == {0.0, ROUNDING}
    assert norms.ROUNDING is ROUNDING is make_decode.ROUNDING is position_waves.ROUNDING


# -- positions -----------------------------------------------------------------------------------------------

ADDED, TURN, DISTANCE = "the model adds these waves", "PE(p+k) = Mₖ·PE(p)", "only the distance matters"


def position_ticks(checkpoint: Checkpoint) -> dict[str, bool]:
    found = decoded(checkpoint, Selection())
    trace = make_decode.trace_again(checkpoint, found.trace, position_waves.RECORD)
    ticks = position_waves.ticks(trace, position_waves.sinusoids(trace.config, found, Selection()))
    return held((*ticks.rotation, *ticks.similarity))


def test_the_positions_ticks_hold_in_a_sound_model(checkpoint: Checkpoint) -> None:
    assert position_ticks(checkpoint) == {ADDED: True, TURN: True, DISTANCE: True}


def swapped(rows: Tensor) -> Tensor:
    return rows.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)


def longer_and_longer(rows: Tensor) -> Tensor:
    return rows * torch.linspace(1.0, 1.01, len(rows))[:, None]


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (swapped, {ADDED, TURN}),
        (lambda rows: rows.roll(1, dims=0), {ADDED}),  # waves all the same, at other places
        (longer_and_longer, {ADDED, TURN, DISTANCE}),
        (lambda rows: rows * 0, {ADDED}),
        (lambda rows: rows + 1e-3 * torch.sin(37.0 * torch.arange(rows.numel())).view_as(rows), {ADDED}),
    ],
)
def test_a_model_that_adds_something_else_is_told(
    checkpoint: Checkpoint,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Tensor], Tensor],
    broken: set[str],
) -> None:
    rows = PositionTable.forward
    whole = checkpoint.config.max_length
    monkeypatch.setattr(
        PositionTable,
        "forward",
        lambda self, start, length: change(rows(self, 0, whole))[start : start + length],
    )
    found = position_ticks(checkpoint)
    assert broken <= {name for name, holds in found.items() if not holds}


def test_a_position_that_is_not_added_is_told(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = Embedding.forward

    def careless(self: Embedding, tokens: Tensor, start: int = 0, hooks: object = None) -> Tensor:
        table, self.positions = self.positions, None
        try:
            return forward(self, tokens, start, hooks)  # type: ignore[arg-type]
        finally:
            self.positions = table

    monkeypatch.setattr(Embedding, "forward", careless)
    assert not position_ticks(checkpoint)[ADDED]


def test_nothing_is_said_of_waves_a_model_does_not_add(checkpoint: Checkpoint) -> None:
    config = replace(checkpoint.config, positions="learned")
    torch.manual_seed(0)
    learned = replace(checkpoint, model=Transformer(config).eval())
    assert position_ticks(learned) == {}


def test_one_token_turns_nowhere(checkpoint: Checkpoint) -> None:
    found = decoded(checkpoint, Selection())
    trace = make_decode.trace_again(checkpoint, found.trace, position_waves.RECORD)
    first = {site: trace.array(site)[:1] for site in position_waves.RECORD}
    alone = Trace(trace.config, trace.tokens, (1,), (1,), (1,), {Site.parse(k): v for k, v in first.items()})
    sinusoids = position_waves.sinusoids(trace.config, found, Selection())
    ticks = position_waves.ticks(alone, sinusoids)
    assert held((*ticks.rotation, *ticks.similarity)) == {ADDED: True}
