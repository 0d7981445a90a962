"""How probable a model holds what it writes: log-probabilities of sequences, and their distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from core.model.transformer import Transformer
from core.training.batches import IGNORED, Example, make_batch, plan_epoch

QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@torch.inference_mode()
def log_probabilities(
    model: Transformer, examples: Sequence[Example], batch_tokens: int = 4000
) -> list[float]:
    """log P(target | source) / its tokens of each example, in nats, in single precision and without dropout.

    A target's tokens are those written, with the end mark if it was; a target without tokens has NaN.
    """
    config, device = model.config, next(model.parameters()).device
    was_training = model.training
    model.eval()
    means = [float("nan")] * len(examples)
    written = [i for i, example in enumerate(examples) if example.target]
    for chosen in plan_epoch([examples[i] for i in written], batch_tokens, seed=0, epoch=0):
        rows = [written[i] for i in chosen]
        batch = make_batch(
            examples, rows, source_pad=config.source_padding, target_pad=config.pad_id, bos=config.bos_id
        )
        logits = model(batch.source.to(device), batch.target.to(device)).float()  # (B, T, V)
        labels = batch.labels.to(device)
        keep = labels != IGNORED
        picked = logits.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
        totals = (picked * keep).sum(-1) / keep.sum(-1)
        for row, mean in zip(rows, totals.tolist(), strict=True):
            means[row] = mean
    model.train(was_training)
    return means


def distribution(means: Sequence[float]) -> dict[str, Any]:
    """`sentences` and `quantiles` ("0.05" → the value that 5 % lie below), as the card gives them."""
    known = np.array([mean for mean in means if np.isfinite(mean)])
    values = np.quantile(known, QUANTILES) if len(known) else []
    return {
        "sentences": len(known),
        "quantiles": {
            f"{share:g}": round(float(value), 4) for share, value in zip(QUANTILES, values, strict=False)
        },
    }
