"""`FixedState`: a key/value cache in which nothing moves or grows, so that every step is the same kernels on the same memory.

A GPU can then replay a step as one captured graph. A step costs the whole capacity instead of the length, which a GPU
does not notice; on a CPU the cache that grows is the quicker one.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.model.cache import DecodeState, KeysValues
from core.model.masks import Mask


class FixedState(DecodeState):
    """The cache of one decode of at most `capacity` positions; `position` is a tensor on the device.

    `extend` returns all positions of its buffers, and `mask` hides those that hold nothing yet. How long the target is
    is known twice: `length` here, for whoever asks, and `position` there, for the kernels.
    """

    def __init__(
        self,
        cross: list[KeysValues],
        source_mask: Mask,
        capacity: int,
        owners: Sequence[int] | None = None,
    ) -> None:
        """As for `DecodeState`, with room for `capacity` positions."""
        super().__init__(cross, source_mask, owners)
        self.capacity = capacity
        with torch.inference_mode(False):  # it is also moved where nothing is inferred
            self._position = torch.zeros(1, dtype=torch.long, device=self.device)
        self._places = torch.arange(capacity, device=self.device)
        # Zeros, not whatever is there: a weight of 0 times NaN is NaN.
        self._fixed = [k.new_zeros(2, self.rows, k.shape[1], capacity, k.shape[3]) for k, _ in cross]

    @property
    def position(self) -> Tensor:
        """Where the next token stands, (1,) int64 on the device."""
        return self._position

    @property
    def mask(self) -> Mask:
        """Of `capacity` keys, those up to and with the next position."""
        return Mask((self._places <= self._position)[None, None, None])

    def keys(self, positions: int) -> int:
        """All of them, valid or not."""
        return self.capacity

    def extend(self, layer: int, k: Tensor, v: Tensor) -> KeysValues:
        """Put n positions' keys and values (B, H, n, d_h) at `position`; return all `capacity`, valid or not."""
        keys, values = self._fixed[layer].unbind()
        where = self._position + self._places[: k.shape[2]]
        keys.index_copy_(2, where, k)
        values.index_copy_(2, where, v)
        return keys, values

    def advance(self, positions: int = 1) -> None:
        """Count the positions that every layer has just written, on the device and here."""
        self._position.add_(positions)
        self.counted(positions)

    def counted(self, positions: int = 1) -> None:
        """Count here alone what the device has counted, or undo (−1) what it has not."""
        self.length += positions

    def prepare(self) -> None:
        """Set the device to the length known here, whatever was tried there."""
        self._position.fill_(self.length)

    def truncate(self, length: int) -> None:
        """Go back to `length` positions, in constant time."""
        super().truncate(length)
        self.prepare()

    def select(self, index: Tensor) -> DecodeState:
        """Not here: rows that move need new memory."""
        raise NotImplementedError("a cache that never moves keeps its rows")

    def reorder(self, parents: Sequence[int]) -> None:
        """Not here either."""
        self.select(torch.tensor(parents))
