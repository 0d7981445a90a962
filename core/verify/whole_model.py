"""Checks of the whole model: what its maps exclude, what predictions must not depend on, and saving and loading."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from core.errors import AtlasError
from core.model.hooks import ATTENTION_MAPS, Hooks
from core.model.transformer import Transformer
from core.verify.gaps import relative_gap, worst
from core.verify.runs import Edits, Run, Stepped

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle


def row_sums(run: Run) -> float:
    """Largest distance of a row's sum from 1, or from 0 where the row may attend to nothing."""
    deviations = []
    for attention, allowed in run.allowed.items():
        for weights in run.weights(*attention):
            expected = allowed.expand_as(weights).any(dim=-1).to(weights.dtype)
            deviations.append(float((weights.sum(dim=-1) - expected).abs().max()))
    return worst(deviations)


def causal_leak(run: Run) -> float:
    """Largest weight of a decoder position on a later one."""
    return worst([float(weights.triu(1).abs().max()) for weights in run.weights("decoder", "self")])


def padding_leak(run: Run) -> float:
    """Largest weight on a padding key, in any map."""
    leaks = []
    for attention in ATTENTION_MAPS:
        # The last query may attend to every real key; the other keys are padding.
        padding = ~run.allowed[attention][..., -1:, :]
        leaks += [
            float(weights.masked_fill(~padding, 0.0).abs().max()) for weights in run.weights(*attention)
        ]
    return worst(leaks)


def future_leak(model: Transformer, run: Run, edit: Edits | None) -> float:
    """The change of earlier predictions when the second half of the target is replaced."""
    kept = run.target.shape[1] // 2
    changed = run.target.clone()
    changed[:, kept:] = (changed[:, kept:] + 1) % model.config.target_vocab_size
    # Recording a map selects the explicit computation here too, so that only the tokens differ.
    again = model(run.source, changed, Hooks(record=("*.weights",), edit=edit))
    return relative_gap(again[:, :kept], run.recorded[:, :kept])


def batch_gap(run: Run, alone: Sequence[Stepped]) -> float:
    """Difference between a sentence's predictions inside the padded batch and alone."""
    return worst(
        [relative_gap(run.fused[i, : step.full.shape[1]], step.full[0]) for i, step in enumerate(alone)]
    )


def round_trip(checkpoint: Bundle, run: Run) -> float:
    """The number of values and files that differ after saving and loading; infinite if it cannot be loaded."""
    from core.checkpoints.bundle import load_bundle, save

    model = checkpoint.model
    # In half precision where that loses nothing.
    half = all(torch.equal(p.half().to(p.dtype), p) for p in model.parameters())
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer)
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        path = Path(folder) / "again"
        try:
            save(path, model, *tokenizers, checkpoint.card, dtype="float16" if half else "float32")
            again = load_bundle(path, device=run.source.device)
        except AtlasError:
            return float("inf")
        before, after = model.state_dict(), again.model.state_dict()
        if before.keys() != after.keys() or again.config != checkpoint.config:
            return float("inf")
        different = sum(int((before[name] != after[name]).sum()) for name in before)
        different += sum(
            a != b for a, b in zip(tokenizers, (again.source_tokenizer, again.target_tokenizer), strict=True)
        )
        if not model.weights_packed:  # loading packs them, which may change the rounding of a product
            for parameter in again.model.parameters():
                parameter.data = parameter.data.contiguous()
        different += int((again.model(run.source, run.target) != run.fused).sum())
    return float(different)


def largest_score(run: Run) -> float:
    """The largest absolute score, before the mask, anywhere in `run`."""
    return worst(float(t.abs().max()) for site, t in run.records.items() if site.kind == "scores")
