"""`DecodeState`: the key/value cache of one decode. It belongs to the request, never to the model."""

from __future__ import annotations

import torch
from torch import Tensor

from core.model.masks import Mask

KeysValues = tuple[Tensor, Tensor]


class DecodeState:
    """Keys and values of every decoder layer: of the target so far, and of the encoder's memory.

    The self-attention cache is kept in buffers (B, H, capacity, d_h) of which the first `length` positions
    are valid, so that going back is moving `length`. Cross-attention keys and values are computed once.
    """

    def __init__(self, cross: list[KeysValues], source_mask: Mask) -> None:
        self.cross = cross  # a layer: two of (B, H, S, d_h)
        self.source_mask = source_mask  # over S keys
        self.length = 0
        self._device = cross[0][0].device if cross else torch.device("cpu")
        self._buffers: list[Tensor | None] = [None] * len(cross)  # a layer: (2, B, H, capacity, d_h)

    def extend(self, layer: int, k: Tensor, v: Tensor) -> KeysValues:
        """Put n positions' keys and values (B, H, n, d_h) at `length`; return all up to and with them."""
        buffer = self._buffers[layer]
        end = self.length + k.shape[2]
        if buffer is None or buffer.shape[3] < end:
            capacity = max(16, 2 * end)
            grown = k.new_zeros(2, *k.shape[:2], capacity, k.shape[3])
            if buffer is not None:
                grown[..., : self.length, :] = buffer[..., : self.length, :]
            self._buffers[layer] = buffer = grown
        buffer[0, :, :, self.length : end] = k
        buffer[1, :, :, self.length : end] = v
        return buffer[0, :, :, :end], buffer[1, :, :, :end]

    def advance(self, positions: int = 1) -> None:
        """Count the positions that every layer has just written."""
        self.length += positions

    def truncate(self, length: int) -> None:
        """Go back to `length` positions, in constant time; later positions are overwritten by the next step."""
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot truncate {self.length} positions to {length}")
        self.length = length

    def select(self, index: Tensor) -> DecodeState:
        """A new state whose batch rows are rows `index` (int64, any number, repeats allowed) of this one."""
        cross = [(k.index_select(0, index), v.index_select(0, index)) for k, v in self.cross]
        chosen = DecodeState(cross, self.source_mask.select(index))
        chosen.length = self.length
        chosen._buffers = [None if b is None else b.index_select(1, index) for b in self._buffers]
        return chosen

    @property
    def device(self) -> torch.device:
        """Where the cache lives."""
        return self._device
