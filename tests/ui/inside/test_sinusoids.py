"""The Positions page's numbers: waves and clock of the table that the model adds, and true sentences about it."""

from __future__ import annotations

from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from core.analysis import wording
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.positions import position_summary
from core.model.trace import Tokens, Trace
from core.model.transformer import PositionTable, Transformer
from tests.numpy_model import NumpyModel
from ui.inside import position_numbers as view
from ui.session.selection import Selection

DECODE: Any = SimpleNamespace(
    trace=SimpleNamespace(tokens=SimpleNamespace(source=("A", "white", "dog", "⟨end⟩")))
)


def config(width: int = 64, **options: Any) -> ModelConfig:
    return ModelConfig(source_vocab_size=20, target_vocab_size=20, d_model=width, heads=4, d_ff=32, **options)


@pytest.mark.parametrize("positions", ["sinusoidal", "sinusoidal_halves"])
@pytest.mark.parametrize("offset", [0, 2])
@pytest.mark.parametrize("denominator", ["half", "half_minus_one"])
def test_waves_and_clock_are_those_of_the_table_that_is_added(
    positions: str, offset: int, denominator: str
) -> None:
    options = config(positions=positions, position_offset=offset, sinusoid_denominator=denominator)
    found = view.sinusoids(options, DECODE, Selection(pair=5))
    added = PositionTable(options)(0, len(found.table)).double().numpy()
    sine, cosine = (10, 11) if positions == "sinusoidal" else (5, 37)
    np.testing.assert_allclose(found.wave(5), added[:, sine], atol=1e-5)
    np.testing.assert_allclose(np.sin(found.angles), added[:, sine], atol=1e-5)
    np.testing.assert_allclose(np.cos(found.angles), added[:, cosine], atol=1e-5)


def test_likeness_is_not_told_to_fall_with_every_token() -> None:
    options = config()
    found = view.sinusoids(options, DECODE, Selection(token="s0", offset=2))
    said = view.similarity_sentence(options, found)
    assert said.startswith("“A” and “dog”, 2 tokens apart, have cosine ")
    assert "up to a distance of 5 tokens, but rises again at 6" in said
    assert "nearer is more alike" not in said


@pytest.mark.parametrize("width", [64, 512, 1024, 2048])
def test_the_likeness_is_told_to_fall_as_far_as_the_chart_shows(width: int) -> None:
    """For d = 1024 the cosine falls up to 68 tokens and rises at 69, which the chart draws."""
    options = config(width)
    offsets, drawn, marks = view.cosines(options)
    assert offsets.tolist() == list(range(len(drawn))) and offsets[-1] >= max(marks)
    rise = next((k for k in range(1, len(drawn)) if drawn[k] > drawn[k - 1]), None)
    said = view.similarity_sentence(options, view.sinusoids(options, DECODE, Selection(token="s0", offset=2)))
    if rise is None:
        assert f"The cosine falls up to a distance of {offsets[-1]} tokens, the largest drawn." in said
    else:
        assert f"up to a distance of {rise - 1} tokens, but rises again at {rise}" in said
    assert {1024: rise == 69, 2048: rise is None}.get(width, True), rise


@pytest.mark.parametrize("offset", [0, 2])
def test_a_learned_table_ends_after_the_positions_that_its_rows_are_for(offset: int) -> None:
    """BART's 1,026 rows are for 1,024 positions: its formula says how many rows are not used."""
    options = config(positions="learned", max_length=1030, position_offset=offset)
    rows = len(PositionTable(options).table)
    assert f"holds {rows - offset:,} positions" in wording.end_of_table(options)
    assert f"holds {rows - offset:,} positions" in wording.positions(options).more


def test_a_learned_table_speaks_of_its_own_rows() -> None:
    table = np.random.default_rng(3).normal(size=(20, 64))
    found = view.sinusoids(config(positions="learned"), DECODE, Selection(token="s0", offset=2))
    said = view.learned_sentence(position_summary(table), found)
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = [float(unit[p] @ unit[p + 2]) for p in range(18)]
    mean = f"{np.mean(cosines):.3f}".replace("-", "−")
    assert said == (
        f"“A” and “dog” are 2 tokens apart. Positions that far apart have cosine {mean} on average, "
        f"with a standard deviation of {np.std(cosines):.3f}."
    )


def rotary_trace() -> tuple[Trace, NumpyModel]:
    """A random model with rotary positions, run on a sentence; and the numbers that plain loops expect of it."""
    options = config(width=32, positions="rotary", encoder_layers=1, decoder_layers=1, max_length=32)
    torch.manual_seed(0)
    model = Transformer(options).eval()
    hooks, source = Hooks(view.ROTARY_RECORD), torch.tensor([[5, 9, 7, 11, 2]])
    with torch.inference_mode():
        model.encode(source, hooks)
    records = {site: tensor[0].numpy() for site, tensor in hooks.records.items()}
    state = {name: tensor.double().numpy() for name, tensor in model.state_dict().items()}
    trace = Trace(options, Tokens(("a", "b", "c", "d", "⟨end⟩"), (), ()), (5, 9, 7, 11, 2), (), (), records)
    return trace, NumpyModel(asdict(options), state)


def test_a_turned_word_has_the_score_of_its_copy_at_every_distance() -> None:
    trace, naive = rotary_trace()
    made = naive.computed(trace.source_ids, [1]).sites["encoder", 0, "self"]
    found = view.turned(trace, 2, 6)
    assert found.offsets.tolist() == list(range(-6, 7))
    for head in range(4):
        query, key = made[f"q_head.{head}"][2], made[f"k_head.{head}"][2]
        for offset, score in zip(found.offsets, found.scores[head], strict=True):
            both = [np.tile(each, (20, 1)) for each in (query, key)]  # at positions 0 to 19
            wanted = naive.turned(both[0])[8] @ naive.turned(both[1])[8 + offset] / np.sqrt(8)
            assert abs(score - wanted) < 1e-5
    assert found.moved < 1e-12 and found.apart < 1e-5
    assert all(fact.holds for fact in view.turned_ticks(found, trace))
    broken = {site: values * (2 if site.kind == "scores" else 1) for site, values in trace.records.items()}
    wrong = replace(trace, records=broken)
    assert not view.turned_ticks(view.turned(wrong, 2, 6), wrong)[0].holds


@pytest.mark.parametrize(
    ("offset", "said"),
    [(0, "at its own position"), (-1, "1 position before it"), (2, "2 positions after it")],
)
def test_a_title_names_the_distance_that_a_head_prefers(offset: int, said: str) -> None:
    offsets = np.arange(-3, 4)
    scores = np.stack([np.zeros(7), np.where(offsets == offset, 2.0, 0.0)])
    title = view.turned_title(view.Turned(offsets, scores, 0.0, 0.0), "dog")
    assert title.startswith("Head 1") and "dog" in title and title.endswith(said)
