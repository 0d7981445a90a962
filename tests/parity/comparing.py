"""What every parity test measures: logits, three kinds of attention, encoder states, and the output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, Hooks, Site
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


@dataclass(frozen=True)
class Batch:
    """Source (3, 44) and target (3, 27) for a model of these options, with where each is no padding."""

    source: Tensor
    target: Tensor
    source_rows: Tensor
    target_rows: Tensor

    @classmethod
    def of(cls, config: ModelConfig) -> Batch:
        source = padded_batch(config.source_vocab_size, config.source_padding, (SOURCE, 30, 41), 7)
        target = padded_batch(
            config.target_vocab_size, config.pad_id, (TARGET, TARGET, 12), config.bos_id, seed=1
        )
        target_rows = target != config.pad_id
        target_rows[:, 0] = True  # the start token, even where it is the padding
        return cls(source, target, source != config.source_padding, target_rows)

    @property
    def sources(self) -> list[list[int]]:
        """The sources without their padding."""
        return [row[real].tolist() for row, real in zip(self.source, self.source_rows, strict=True)]


@dataclass(frozen=True)
class Measured:
    """The largest differences of one import, and whether it writes what the original writes."""

    logits: float
    maps: float
    states: float
    written: bool
    scale: float = 1.0  # the original's largest logit

    @property
    def largest(self) -> float:
        return max(self.logits, self.maps, self.states)


def differences(
    ours: Transformer,
    batch: Batch,
    logits: Tensor,
    maps: Mapping[str, Sequence[Tensor]],
    states: Tensor,
    written: bool,
) -> Measured:
    """How far `ours` is from what the original gave for the batch: maps of each kind by layer, and the encoder's states."""
    hooks = Hooks(record=["*.weights", "encoder.final.output"])
    with torch.inference_mode():
        own = ours(batch.source, batch.target, hooks)
    gaps = []
    for name, kind in ATTENTION.items():
        rows = batch.source_rows if name == "encoder" else batch.target_rows
        assert len(maps[name]) == ours.config.layers(kind.stack)
        for layer, theirs in enumerate(maps[name]):
            gaps.append(gap(hooks.records[Site(kind.stack, layer, kind.block, "weights")], theirs, rows))
    return Measured(
        gap(own, logits, batch.target_rows),
        max(gaps),
        gap(hooks.records[Site("encoder", 0, "final", "output")], states, batch.source_rows),
        written,
        float(logits[batch.target_rows].abs().max()),
    )


def gap(ours: Tensor, theirs: Tensor, rows: Tensor) -> float:
    """The largest difference wherever `rows` (B, T) is True; the row axis follows any head axis."""
    assert ours.shape == theirs.shape
    if ours.dim() == 4:
        ours, theirs = ours.transpose(1, 2), theirs.transpose(1, 2)
    return float((ours[rows] - theirs[rows]).abs().max())
