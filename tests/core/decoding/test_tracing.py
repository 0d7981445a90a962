"""`core.trace`: the model's own output or a given target, in one pass, with clear limits."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import core
from core.api import Checkpoint
from core.decoding.session import DecodeSession
from core.errors import InputError
from core.model.hooks import ATTENTION_MAPS


def test_the_models_own_greedy_output(kind: Checkpoint) -> None:
    trace = core.trace(kind, "abc def.", max_steps=9)
    session = DecodeSession(kind, "abc def.", max_steps=9)
    session.run()
    assert trace.written_ids == tuple(session.ids)
    assert trace.target_ids == (kind.config.bos_id, *session.ids[:-1])
    assert trace.tokens.source == tuple(session.source_tokens)


def test_a_given_target(tiny: Checkpoint) -> None:
    trace = core.trace(tiny, "abc", "bad.")
    assert trace.tokens.source == ("a", "b", "c", "⟨end⟩")
    assert trace.tokens.target == ("⟨start⟩", "b", "a", "d", ".")
    assert trace.tokens.written == ("b", "a", "d", ".", "⟨end⟩")


def test_shapes_and_types(tiny: Checkpoint) -> None:
    trace = core.trace(tiny, "abc", "bad.")
    sizes = {("encoder", "self"): (4, 4), ("decoder", "self"): (5, 5), ("decoder", "cross"): (5, 4)}
    for stack, block in ATTENTION_MAPS:
        weights = trace.weights(stack, block)
        assert weights.shape == (2, 4, *sizes[stack, block])
        assert weights.dtype == torch.float32
        assert torch.allclose(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-5)
    assert torch.isneginf(trace.scores("decoder", "self", masked=True)[..., 0, 1:]).all()
    assert torch.isfinite(trace.scores("decoder", "self")).all()
    assert trace.array("decoder.embed.sum").shape == (5, 32)
    assert trace.array("decoder.1.ffn.norm_mean").shape == (5,)


def test_record_and_edit(tiny: Checkpoint) -> None:
    trace = core.trace(
        tiny, "abc", "bad.", record=["*.cross.output"], edit={"*.cross.head_output": torch.zeros_like}
    )
    assert {site.kind for site in trace.sites()} == {"output"}
    bias = tiny.model.decoder_layers[0].cross_attention.output_proj.bias
    assert np.allclose(trace.array("decoder.0.cross.output"), bias)


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("", None, "The sentence is empty"),
        ("abc", " ", "The target is empty"),
        ("a" * 48, None, "The sentence is 49 tokens long; this model reads at most 48"),
        ("abc", "a" * 100, "The target is 101 tokens long"),
    ],
)
def test_limits(tiny: Checkpoint, source: str, target: str | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        core.trace(tiny, source, target)


def test_the_longest_pair_fits(tiny: Checkpoint) -> None:
    assert core.trace(tiny, "a" * 47, "b" * 47).weights("decoder", "cross").shape == (2, 4, 48, 48)
