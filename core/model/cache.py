"""`DecodeState`: the key/value cache of one decode. It belongs to the request, never to the model."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.model.masks import Mask

KeysValues = tuple[Tensor, Tensor]
_ALL = Mask()


class DecodeState:
    """Keys and values of every decoder layer: of the target so far, and of the encoder's memory.

    The self-attention cache is kept in buffers (B, H, capacity, d_h) of which the first `length` positions are valid, so
    that going back is moving `length`. Cross-attention keys and values are computed once, and hypotheses of one sentence
    share them: with N sentences in the batch, each serves B / N rows that follow one another.
    """

    def __init__(
        self, cross: list[KeysValues], source_mask: Mask, owners: Sequence[int] | None = None
    ) -> None:
        """cross (N, H, S, d_h) twice a layer, source_mask of the B rows; `owners`: which of N each row belongs to."""
        self.cross = cross
        self.source_mask = source_mask
        self.length = 0
        self._owners = list(owners) if owners is not None else list(range(cross[0][0].shape[0]))
        self._device = cross[0][0].device if cross else torch.device("cpu")
        self._buffers: list[Tensor | None] = [None] * len(cross)  # a layer: (2, B, H, capacity, d_h)

    @property
    def position(self) -> int | Tensor:
        """Where the next token stands."""
        return self.length

    @property
    def mask(self) -> Mask:
        """Which of the keys that `extend` returns for one position it may look at: all."""
        return _ALL

    def keys(self, positions: int) -> int:
        """How many keys `extend` returns for so many positions."""
        return self.length + positions

    @property
    def rows(self) -> int:
        """How many rows B the batch has."""
        return len(self._owners)

    def extend(self, layer: int, k: Tensor, v: Tensor) -> KeysValues:
        """Put n positions' keys and values (B, H, n, d_h) at `length`; return all up to and with them."""
        buffer = self._buffers[layer]
        end = self.length + k.shape[2]
        if buffer is None or buffer.shape[3] < end:
            grown = k.new_empty(2, *k.shape[:2], max(16, 2 * end), k.shape[3])
            if buffer is not None:
                grown[..., : self.length, :] = buffer[..., : self.length, :]
            self._buffers[layer] = buffer = grown
        keys, values = buffer.narrow(3, 0, end).unbind(0)
        keys.narrow(2, self.length, k.shape[2]).copy_(k)
        values.narrow(2, self.length, k.shape[2]).copy_(v)
        return keys, values

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
        owners = [self._owners[row] for row in index.tolist()]
        index = index.to(self._device)
        kept = list(dict.fromkeys(owners))  # the sentences that go on, in order
        width = len(owners) // len(kept)
        if owners != [owner for owner in kept for _ in range(width)]:
            kept, width = owners, 1  # not so many rows of each: they cannot share
        cross = self.cross
        if kept != list(range(self._owners[-1] + 1)):
            memory = torch.tensor(kept, device=self._device)
            cross = [(k.index_select(0, memory), v.index_select(0, memory)) for k, v in cross]
        renumbered = [n for n in range(len(kept)) for _ in range(width)]
        chosen = DecodeState(cross, self.source_mask.select(index), renumbered)
        chosen.length = self.length
        chosen._buffers = [self._picked(buffer, index) for buffer in self._buffers]
        return chosen

    def _picked(self, buffer: Tensor | None, index: Tensor) -> Tensor | None:
        """Rows `index` of a buffer in one of the same capacity; only the valid positions are copied."""
        if buffer is None:
            return None
        picked = buffer.new_empty(2, len(index), *buffer.shape[2:])
        valid = slice(0, self.length)
        torch.index_select(buffer[..., valid, :], 1, index, out=picked[..., valid, :])
        return picked

    @property
    def device(self) -> torch.device:
        """Where the cache lives."""
        return self._device
