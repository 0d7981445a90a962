"""The training objective: label-smoothed cross-entropy over the target tokens."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.training.batches import IGNORED, Example, make_batch, plan_epoch


def smoothed_loss(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Sum over labelled positions of the cross-entropy in nats, in float32 whatever the logits' type.

    logits (B, T, V), labels (B, T) with IGNORED where nothing is asked. `smoothing` spreads that much of the
    target distribution evenly over all V entries (Szegedy et al. 2016, section 7).
    """
    return F.cross_entropy(
        logits.flatten(0, 1).float(),
        labels.flatten(),
        ignore_index=IGNORED,
        reduction="sum",
        label_smoothing=smoothing,
    )


class Objective(nn.Module):
    """Model and loss as one module, so that DistributedDataParallel sees one forward pass."""

    def __init__(self, model: nn.Module, smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.smoothing = smoothing

    def forward(self, source: Tensor, target: Tensor, labels: Tensor) -> Tensor:
        """source (B, S), target and labels (B, T) → the summed loss, a scalar."""
        return smoothed_loss(self.model(source, target), labels, self.smoothing)


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Matrix products in bfloat16 when asked; the master weights stay float32."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16")


@torch.inference_mode()
def mean_loss(
    model: nn.Module, examples: Sequence[Example], *, batch_tokens: int, precision: str, device: torch.device
) -> float:
    """Cross-entropy per target token in nats, end marks included, without smoothing and without dropout."""
    config = model.config
    was_training = model.training
    model.eval()
    total, tokens = 0.0, 0
    for rows in plan_epoch(examples, batch_tokens, seed=0, epoch=0):
        batch = make_batch(
            examples, rows, source_pad=source_pad(config), target_pad=config.pad_id, bos=config.bos_id
        )
        with autocast(device, precision):
            logits = model(batch.source.to(device), batch.target.to(device))
        total += float(smoothed_loss(logits, batch.labels.to(device), 0.0))
        tokens += batch.tokens
    model.train(was_training)
    return total / tokens


def source_pad(config: object) -> int:
    """The source side's padding number (the target's when the config names none)."""
    own = getattr(config, "source_pad_id", None)
    return int(own if own is not None else config.pad_id)  # type: ignore[attr-defined]
