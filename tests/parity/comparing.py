"""What every parity test measures: logits, three kinds of attention, encoder states, greedy output."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from core.model.hooks import Hooks, Site
from core.model.transformer import Transformer

TOLERANCE = 1e-5
SOURCE, TARGET = 44, 27


def padded_batch(vocabulary: int, pad: int, lengths: Sequence[int], first: int, seed: int = 0) -> Tensor:
    """Random ids (B, max length) that never hit `pad`, then `pad`; every row starts with `first`."""
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randint(3, vocabulary - 3, (len(lengths), max(lengths)), generator=generator)
    rows[:, 0] = first
    rows[rows == pad] = 5
    for row, length in zip(rows, lengths, strict=True):
        row[length:] = pad
    return rows


def recorded(
    model: Transformer, source: Tensor, target: Tensor
) -> tuple[Tensor, dict[str, list[Tensor]], Tensor]:
    """Logits, the weights of each kind by layer, and the encoder's states."""
    hooks = Hooks(record=["*.weights", "encoder.final.output"])
    with torch.inference_mode():
        logits = model(source, target, hooks)
    maps = {
        name: [hooks.records[Site(stack, n, block, "weights")] for n in range(model.config.layers(stack))]
        for name, stack, block in (
            ("encoder", "encoder", "self"),
            ("causal", "decoder", "self"),
            ("cross", "decoder", "cross"),
        )
    }
    return logits, maps, hooks.records[Site("encoder", 0, "final", "output")]


def assert_close(ours: Tensor, theirs: Tensor, rows: Tensor, what: str) -> None:
    """Equal within the tolerance wherever `rows` (B, T) is True; the row axis follows any head axis."""
    if ours.dim() == 4:
        ours, theirs = ours.transpose(1, 2), theirs.transpose(1, 2)
    gap = (ours[rows] - theirs[rows]).abs().max().item()
    assert ours.shape == theirs.shape
    assert gap <= TOLERANCE, f"{what} differs by {gap:.2e}"


def greedy(model: Transformer, source: Tensor, steps: int, banned: Sequence[int] = ()) -> list[int]:
    """The ids one source row (1, S) is decoded to, step by step through the cache, without the start token or any of `banned`."""
    config = model.config
    written: list[int] = []
    with torch.inference_mode():
        state = model.start(model.encode(source), source)
        token = config.bos_id
        for _ in range(steps):
            scores = model.step(torch.tensor([token]), state)[0]
            scores[list(banned)] = -math.inf
            token = int(scores.argmax())
            written.append(token)
            if token == config.eos_id:
                break
    return written
