"""Faults planted in the model and in decoding, one at a time: the report names the check that each one breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import core.decoding.strategies
import core.model.attention
import core.model.layers
import core.model.transformer
from core.api import Checkpoint
from core.decoding.path import Path
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site, Tap
from core.model.layers import Norm
from core.verify.checking import verify
from tests.core.conftest import widened

Build = Callable[..., Checkpoint]
Patch = pytest.MonkeyPatch
T5 = {
    "positions": "relative_buckets",
    "norm_formula": "rms",
    "norm_placement": "pre",
    "final_norm": True,
    "score_scale": "none",
    "gated": True,
}


def failed(checkpoint: Checkpoint) -> set[str]:
    report = verify(checkpoint, ["abc def."])
    return {check.name for check in report.checks if not check.passed}


def failed_here(checkpoint: Checkpoint) -> set[str]:
    """The same for a fault planted in one object: loaded again, it is gone, which is a failure too."""
    found = failed(checkpoint)
    assert "saved" in found
    return found - {"saved"}


def recording(patch: Patch, kinds: set[str], change: Callable[[Tensor], Tensor]) -> None:
    """What is recorded of `kinds` is changed, and what the model goes on with is not."""
    keep = Hooks.keep

    def careless(self: Hooks, site: Site, tensor: Tensor) -> None:
        keep(self, site, tensor)
        if site.kind in kinds:
            self.records[site] = change(self.records[site])

    patch.setattr(Hooks, "keep", careless)


def in_reverse(heads: Tensor) -> Tensor:
    return heads.flip(1)


HEADS = {"q", "k", "v", "scores", "masked_scores", "weights", "head_output"}


@pytest.mark.usefixtures("without_decodes")
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("kinds", "change", "broken"),
    [
        ({"weights"}, torch.square, {"rows", "softmax", "mixing"}),
        ({"weights"}, in_reverse, {"softmax", "mixing"}),
        ({"masked_scores"}, in_reverse, {"softmax"}),
        ({"scores"}, in_reverse, {"scores"}),
        (HEADS - {"head_output"}, in_reverse, {"projections", "mixing"}),
        (HEADS, in_reverse, {"projections", "heads"}),
        ({"v"}, lambda v: v * 1.001, {"projections", "mixing"}),
        ({"value_norm"}, lambda lengths: lengths.flip(-1), {"projections"}),
        ({"scores"}, lambda scores: scores * 1.001, {"scores"}),
        ({"norm_mean"}, lambda mean: mean * 1.001, {"norms"}),
        ({"norm_var"}, lambda var: var * 1.001, {"norms"}),
        ({"sum"}, lambda total: total * 1.001, {"embedding"}),
        ({"logits"}, lambda logits: logits * 1.001, {"logits"}),
    ],
)
def test_a_record_that_is_not_what_the_model_used(
    tiny: Checkpoint,
    monkeypatch: Patch,
    kinds: set[str],
    change: Callable[[Tensor], Tensor],
    broken: set[str],
) -> None:
    recording(monkeypatch, kinds, change)
    assert broken <= failed(tiny)


# -- the configuration's formulas ----------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("choice", ["head", "model", "none"])
def test_a_wrong_scale_of_the_scores(build: Build, choice: str) -> None:
    checkpoint = build(score_scale=choice)
    for module in checkpoint.model.modules():
        if isinstance(module, core.model.attention.MultiHeadAttention):
            module.scale *= 1.001
    # A session completes its scores by the configuration's scale, so that its maps differ too.
    assert failed_here(checkpoint) == {"scores", "drawn"}


@pytest.mark.usefixtures("without_decodes")
def test_relative_positions_that_are_not_added(build: Build) -> None:
    checkpoint = build(**T5)
    checkpoint.model.encoder_bias = None
    # Neither the formula nor the parameter can be found where the configuration says it is.
    assert {"positions", "scores"} <= failed_here(checkpoint)


@pytest.mark.usefixtures("without_decodes")
@pytest.mark.parametrize("options", [{}, T5])
def test_a_norm_of_another_formula(build: Build, options: dict[str, Any]) -> None:
    checkpoint = build(**options)
    for module in checkpoint.model.modules():
        if isinstance(module, Norm):
            module.eps = 1e-2
    assert "norms" in failed_here(checkpoint)


@pytest.mark.usefixtures("without_decodes")
def test_statistics_of_something_else_that_still_rebuild_the_output(build: Build, monkeypatch: Patch) -> None:
    """A norm that centres on half of the mean: its output follows from what it records, and is no layer norm."""
    explicit = Norm._explicit

    def careless(self: Norm, x: Tensor, tap: Tap) -> Tensor:
        half = Norm.__new__(Norm)
        half.__dict__ = self.__dict__

        def halved(kind: str, tensor: Tensor) -> Tensor:
            return tap(kind, tensor * 0.5 if kind == "norm_mean" else tensor)

        return explicit(half, x, halved)  # type: ignore[arg-type]

    monkeypatch.setattr(Norm, "_explicit", careless)
    # The formula whose statistics no kernel gives, so that this code computes them.
    assert "norms" in failed(build(norm_formula="layer_unbiased_std"))


# -- the stream ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("without_decodes")
def test_dropout_left_on_in_a_post_norm_model(build: Build, monkeypatch: Patch) -> None:
    checkpoint = build(dropout=0.1)
    assert failed(checkpoint) == set()
    monkeypatch.setattr(core.model.layers, "dropout", lambda x, p, training: F.dropout(x, p, True))
    assert "stream" in failed(checkpoint)


@pytest.mark.usefixtures("without_decodes")
@pytest.mark.parametrize("placement", ["before_norm", "after_norm"])
def test_dropout_that_scales_what_it_keeps(build: Build, monkeypatch: Patch, placement: str) -> None:
    """Kept on, and the same each time, so that two ways to one prediction agree."""
    checkpoint = build(dropout=0.1, dropout_placement=placement)
    monkeypatch.setattr(core.model.layers, "dropout", lambda x, p, training: x * (1 - p))
    assert failed(checkpoint) == {"stream"}


@pytest.mark.usefixtures("without_decodes")
def test_attention_dropout_left_on(build: Build, monkeypatch: Patch) -> None:
    attend = core.model.attention.attend

    def careless(*args: Any, dropout: float, **options: Any) -> Tensor:
        torch.manual_seed(0)
        return attend(*args, dropout=0.2, **options)

    monkeypatch.setattr(core.model.attention, "attend", careless)
    assert "mixing" in failed(build())


@pytest.mark.usefixtures("without_decodes")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh", "silu"])
def test_another_activation_than_the_configuration_s(build: Build, activation: str) -> None:
    checkpoint = build(activation=activation, gated=activation == "silu")
    assert failed(checkpoint) == set()
    for layer in checkpoint.model.encoder_layers:
        layer.feed_forward.activation = torch.tanh  # type: ignore[union-attr]
    assert failed_here(checkpoint) == {"stream"}


# -- decoding ------------------------------------------------------------------------------------------------


def test_back_that_leaves_a_row_standing(tiny: Checkpoint, monkeypatch: Patch) -> None:
    def careless(self: Path) -> None:
        self.ids.pop()
        self.state.truncate(len(self.rows) - 1)  # the row of what was taken back stays

    monkeypatch.setattr(Path, "back", careless)
    assert failed(tiny) == {"back"}


def test_a_word_that_is_not_the_most_probable(tiny: Checkpoint, monkeypatch: Patch) -> None:
    def second_best(logits: np.ndarray, banned: tuple[int, ...] = ()) -> int:
        return int(np.argsort(logits)[-2])

    monkeypatch.setattr(core.decoding.strategies, "greedy_choice", second_best)
    assert "chosen" in failed(tiny)


@pytest.mark.usefixtures("without_decodes")
def test_later_tokens_that_a_model_without_a_causal_mask_hides(build: Build, monkeypatch: Patch) -> None:
    def masked(tokens: Tensor, pad_id: int, causal: bool) -> core.model.attention.Mask:
        return core.model.attention.target_mask(tokens, pad_id)

    monkeypatch.setattr(core.model.transformer, "target_mask", masked)
    assert "open" in failed(build(causal=False))


# -- wide scores: small errors are seen all the same ---------------------------------------------------------


@pytest.fixture(scope="module")
def wide(build: Build) -> Checkpoint:
    """Scores between 10⁴ and 10⁵."""
    return widened(build(tie_output=False, d_model=64), 60)


def off_by_a_thousandth(tensor: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return tensor * (1 + 1e-3 * torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype))


def test_a_sound_model_with_wide_scores_passes(wide: Checkpoint) -> None:
    hooks = Hooks(record=("*.scores",))
    source = torch.tensor([wide.encode_source("abc def.")])
    with torch.inference_mode():
        wide.model(source, source, hooks)
    largest = max(float(scores.abs().max()) for scores in hooks.records.values())
    assert 1e4 < largest < 1e5
    assert failed(wide) == set()


@pytest.mark.usefixtures("without_decodes")
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kind", "broken"),
    [
        ("q", {"projections", "scores"}),
        ("k", {"projections", "scores"}),
        ("v", {"projections", "mixing"}),
        ("scores", {"scores"}),
        ("weights", {"softmax", "mixing"}),
        ("head_output", {"mixing", "heads"}),
        ("output", {"heads", "stream"}),
    ],
)
def test_a_thousandth_is_seen_in_wide_scores(
    wide: Checkpoint, monkeypatch: Patch, kind: str, broken: set[str]
) -> None:
    recording(monkeypatch, {kind}, off_by_a_thousandth)
    assert broken <= failed(wide)


@pytest.mark.usefixtures("without_decodes")
def test_a_thousandth_in_the_fast_kernel_of_single_precision_alone(
    wide: Checkpoint, monkeypatch: Patch
) -> None:
    """What double precision cannot see, since it does it right."""
    kernel = F.scaled_dot_product_attention

    def careless(q: Tensor, *args: Any, **options: Any) -> Tensor:
        output = kernel(q, *args, **options)
        return off_by_a_thousandth(output) if q.dtype == torch.float32 else output

    monkeypatch.setattr("core.model.attention.F.scaled_dot_product_attention", careless)
    assert "fast" in failed(wide)


@pytest.mark.parametrize("both_ways", [True, False])
@pytest.mark.parametrize(("buckets", "most"), [(32, 128), (16, 50), (20, 99), (4, 8)])
def test_the_expected_buckets_are_the_model_s(both_ways: bool, buckets: int, most: int) -> None:
    from core.verify.expected import bucket

    config = ModelConfig(
        source_vocab_size=9, target_vocab_size=9, relative_buckets=buckets, relative_max_distance=most
    )
    offsets = np.arange(-300, 301)
    model = core.model.transformer.relative_bucket(
        torch.from_numpy(offsets), both_ways, buckets, most
    ).numpy()
    low, high = (bucket(offsets, config, both_ways, nudge) for nudge in (-1e-5, 1e-5))
    assert np.all((model == low) | (model == high))
    assert np.mean(low == high) > 0.95  # leave is given at few borders
