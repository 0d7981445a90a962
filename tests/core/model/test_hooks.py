"""Sites have one spelling, hooks record and edit without touching the model, traces survive a file."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import core
from core.api import Checkpoint
from core.errors import InputError
from core.model.hooks import BLOCKS, KINDS, STACKS, Hooks, Site
from core.model.trace import Trace
from tests.core.conftest import SOURCE, TARGET


@st.composite
def sites(draw: st.DrawFn) -> Site:
    block = draw(st.sampled_from(BLOCKS))
    layer = 0 if block in ("embed", "final") else draw(st.integers(0, 99))
    return Site(draw(st.sampled_from(STACKS)), layer, block, draw(st.sampled_from(KINDS[block])))


@given(sites())
def test_a_site_reads_back(site: Site) -> None:
    assert Site.parse(str(site)) == site


@pytest.mark.parametrize(
    "text", ["", "decoder", "decoder.x.cross.weights", "decoder.0.cross.colour", "a.0.self.q"]
)
def test_a_wrong_site_is_one_sentence(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Site.parse(text)
    assert "\n" not in str(caught.value)


def test_a_misspelt_site_is_refused_before_the_pass() -> None:
    with pytest.raises(InputError, match="wieghts"):
        Hooks(["decoder.0.cross.wieghts"])
    with pytest.raises(InputError, match="wieghts"):
        Hooks(edit={"decoder.0.cross.wieghts": lambda x: x})


def test_every_site_a_model_has_is_recorded(kind: Checkpoint) -> None:
    hooks = Hooks(["*"])
    kind.model(SOURCE, TARGET, hooks)
    names = {str(site) for site in hooks.records}
    wanted = {f"{s}.{layer}.self.{k}" for s in STACKS for layer in (0, 1) for k in KINDS["self"]}
    wanted |= {f"decoder.{layer}.cross.{k}" for layer in (0, 1) for k in KINDS["cross"]}
    wanted |= {f"{s}.{layer}.ffn.{k}" for s in STACKS for layer in (0, 1) for k in KINDS["ffn"]}
    wanted |= {f"{s}.embed.{k}" for s in STACKS for k in ("token_embedding", "sum")}
    wanted |= {"encoder.final.output", "decoder.final.output", "decoder.final.logits"}
    assert wanted <= names
    assert ("encoder.final.norm_mean" in names) == kind.config.final_norm
    assert ("encoder.embed.norm_mean" in names) == kind.config.embedding_norm
    assert ("decoder.embed.position_encoding" in names) == (
        kind.config.positions not in ("relative_buckets", "rotary")
    )


def test_recording_changes_nothing(kind: Checkpoint) -> None:
    plain = kind.model(SOURCE, TARGET)
    assert torch.allclose(kind.model(SOURCE, TARGET, Hooks(["*"])), plain, atol=1e-5)


def test_records_are_copies_and_can_be_cleared(tiny: Checkpoint) -> None:
    hooks = Hooks(["encoder.embed.sum"])
    first = tiny.model.encode(SOURCE, hooks)
    hooks.records[Site.parse("encoder.embed.sum")].zero_()
    hooks.clear()
    assert not hooks.records
    assert torch.equal(tiny.model.encode(SOURCE, hooks), first)


def test_no_record_shares_memory_with_the_model(kind: Checkpoint) -> None:
    """Whatever a caller does to a record, the next pass is the same."""
    before = kind.model(SOURCE, TARGET)
    hooks = Hooks(["*"])
    with torch.inference_mode():
        kind.model(SOURCE, TARGET, hooks)
        for record in hooks.records.values():
            record.fill_(7.0)
    assert torch.equal(kind.model(SOURCE, TARGET), before)


def test_a_record_stays_what_it_was_when_a_later_edit_writes_in_place(tiny: Checkpoint) -> None:
    plain = Hooks(["encoder.0.self.residual_after"])
    tiny.model.encode(SOURCE, plain)
    edited = Hooks(["encoder.0.self.residual_after"], {"encoder.0.ffn.residual_before": torch.Tensor.zero_})
    tiny.model.encode(SOURCE, edited)
    site = Site.parse("encoder.0.self.residual_after")
    assert torch.equal(plain.records[site], edited.records[site])


@pytest.mark.parametrize("block", ["self", "cross"])
def test_without_its_heads_attention_is_its_output_bias(kind: Checkpoint, block: str) -> None:
    hooks = Hooks([f"decoder.1.{block}.*"], {f"decoder.1.{block}.head_output": torch.zeros_like})
    kind.model(SOURCE, TARGET, hooks)
    layer = kind.model.decoder_layers[1]
    bias = (layer.self_attention if block == "self" else layer.cross_attention).output_proj.bias
    seen = {site.kind: tensor for site, tensor in hooks.records.items()}
    assert torch.equal(seen["output"], bias.expand_as(seen["output"]))
    assert torch.allclose(seen["residual_after"], seen["residual_before"] + bias, atol=1e-6)


def test_an_edit_is_seen_downstream_and_in_the_record(tiny: Checkpoint) -> None:
    def first_key(weights: torch.Tensor) -> torch.Tensor:
        only = torch.zeros_like(weights)
        only[..., 0] = 1.0
        return only

    hooks = Hooks(
        ["decoder.0.cross.weights", "decoder.0.cross.head_output"], {"decoder.0.cross.weights": first_key}
    )
    logits = tiny.model(SOURCE, TARGET, hooks)
    assert torch.equal(hooks.records[Site.parse("decoder.0.cross.weights")][..., 0], torch.ones(2, 4, 4))
    assert not torch.allclose(logits, tiny.model(SOURCE, TARGET))


def test_an_edit_must_keep_the_shape(tiny: Checkpoint) -> None:
    with pytest.raises(
        InputError, match=r"encoder.embed.sum returned shape \(2, 6\); it must keep \(2, 6, 32\)"
    ):
        tiny.model(SOURCE, TARGET, Hooks(edit={"encoder.embed.sum": lambda x: x[..., 0]}))


def test_a_trace_survives_a_file(tiny: Checkpoint, tmp_path: Path) -> None:
    trace = core.trace(tiny, "abc", "bad.")
    trace.save(tmp_path / "trace.npz")
    again = Trace.load(tmp_path / "trace.npz")
    assert (again.config, again.tokens) == (trace.config, trace.tokens)
    assert (again.source_ids, again.target_ids, again.written_ids) == (
        *(trace.source_ids, trace.target_ids, trace.written_ids),
    )
    assert set(again.records) == set(trace.records)
    assert all(np.array_equal(again.records[site], array) for site, array in trace.records.items())
    assert [path.name for path in tmp_path.iterdir()] == ["trace.npz"]


def test_a_file_that_is_no_trace(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no arrays here")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    for name in ("text.npz", "other.npz", "missing.npz"):
        with pytest.raises(InputError, match="is not a trace"):
            Trace.load(tmp_path / name)


def test_a_trace_that_cannot_be_written(tiny: Checkpoint, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        core.trace(tiny, "abc").save(tmp_path / "no" / "such" / "folder.npz")


def test_asking_for_what_was_not_recorded(tiny: Checkpoint) -> None:
    trace = core.trace(tiny, "abc", record=["*.weights"])
    assert trace.has("decoder.0.cross.weights")
    assert not trace.has("decoder.0.cross.q")
    with pytest.raises(InputError, match="decoder.0.cross.q was not recorded"):
        trace.get("decoder.0.cross.q")


def test_records_are_freed_with_their_hooks(tiny: Checkpoint) -> None:
    """At once, without waiting for Python's search for cycles: a long pass records hundreds of megabytes."""
    gc.disable()
    try:
        for edit in ({}, {"encoder.0.self.weights": lambda weights: weights}):
            hooks = Hooks(["*"], edit)
            tiny.model(SOURCE, TARGET, hooks)
            held = weakref.ref(hooks)
            del hooks
            assert held() is None
    finally:
        gc.enable()
