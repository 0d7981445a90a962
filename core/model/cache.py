"""Key/value caches of one decode. They belong to the request, never to the model.

`DecodeState` grows with the target. `FixedState` has a fixed capacity and never moves, so that every step runs the same
kernels on the same memory and a GPU can replay it as one captured graph. A step then costs the whole capacity, which a
GPU does not notice; on a CPU the growing cache is faster.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.model.attention import KeysValues, Mask

_ALL = Mask()


class DecodeState:
    """Keys and values of every decoder layer: of the target so far, and of the encoder's memory.

    The self-attention cache is one buffer whose first `length` positions are valid, so going back only changes
    `length`.
    Cross-attention keys and values are computed once and shared by the hypotheses of a sentence: with N sentences in
    the batch, each serves B / N consecutive rows.
    """

    def __init__(
        self, cross: list[KeysValues], source_mask: Mask, owners: Sequence[int] | None = None
    ) -> None:
        """cross (N, H, S, d_h) twice a layer, source_mask of the B rows; `owners`: the sentence (0 … N − 1) of each row."""
        self.cross = cross
        self.source_mask = source_mask
        self.length = 0
        self._owners = list(owners) if owners is not None else list(range(cross[0][0].shape[0]))
        self._device = cross[0][0].device if cross else torch.device("cpu")
        self._buffer: Tensor | None = None  # (layers · 2, B, H, capacity, d_h): keys, values, keys, …
        self._opened: tuple[int, int] | None = (
            None  # start and number of the positions that the next two cover
        )
        self._slots: Sequence[Tensor] = ()  # where those positions go, each (B, H, n, d_h)
        self._kept: Sequence[Tensor] = ()  # all up to and with them, each (B, H, length + n, d_h)

    @property
    def position(self) -> int | Tensor:
        """The position of the next token."""
        return self.length

    @property
    def mask(self) -> Mask:
        """The mask over the keys that `extend` returns for one position: all of them."""
        return _ALL

    def keys(self, positions: int) -> int:
        """The number of keys that `extend` returns for so many positions."""
        return self.length + positions

    @property
    def rows(self) -> int:
        """The number of rows B of the batch."""
        return len(self._owners)

    def extend(self, layer: int, k: Tensor, v: Tensor) -> KeysValues:
        """Write n positions' keys and values (B, H, n, d_h) at `length`; return those of all positions up to and with them."""
        opened = (self.length, k.shape[2])
        if self._opened != opened:
            self._open(*opened, k)
        keys, values = 2 * layer, 2 * layer + 1
        self._slots[keys].copy_(k)
        self._slots[values].copy_(v)
        return self._kept[keys], self._kept[values]

    def _open(self, start: int, positions: int, like: Tensor) -> None:
        """Allocate memory for `positions` more, and make the views of it for every layer at once."""
        buffer, end = self._buffer, start + positions
        if buffer is None or buffer.shape[3] < end:
            rows, heads, _, size = like.shape
            grown = like.new_empty(2 * len(self.cross), rows, heads, max(48, 2 * end), size)
            if buffer is not None:
                grown[..., :start, :] = buffer[..., :start, :]
            self._buffer = buffer = grown
        self._opened = start, positions
        self._slots = buffer.narrow(3, start, positions).unbind()
        self._kept = buffer.narrow(3, 0, end).unbind()

    def advance(self, positions: int = 1) -> None:
        """Count the positions that every layer has just written."""
        self.length += positions

    def truncate(self, length: int) -> None:
        """Go back to `length` positions, in constant time; later positions are overwritten by the next step."""
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot truncate {self.length} positions to {length}")
        self.length = length

    def select(self, index: Tensor) -> DecodeState:
        """A new state with the batch rows `index` (int64, any number, repeats allowed) of this one."""
        owners = [self._owners[row] for row in index.tolist()]
        index = index.to(self._device)
        kept = list(dict.fromkeys(owners))  # the sentences that are left, in order
        width = len(owners) // len(kept)
        if owners != [owner for owner in kept for _ in range(width)]:
            kept, width = owners, 1  # unequal numbers of rows: they cannot share
        cross = self.cross
        if kept != list(range(self._owners[-1] + 1)):
            memory = torch.tensor(kept, device=self._device)
            cross = [(k.index_select(0, memory), v.index_select(0, memory)) for k, v in cross]
        renumbered = [n for n in range(len(kept)) for _ in range(width)]
        chosen = DecodeState(cross, self.source_mask.select(index), renumbered)
        chosen.length = self.length
        if self._buffer is not None:
            # Row by row: torch's own selection would first copy the whole buffer, filled or not.
            chosen._buffer = self._buffer.new_empty(len(self._buffer), len(owners), *self._buffer.shape[2:])
            rows = self._rows()
            for to, origin in zip(chosen._rows(), index.tolist(), strict=True):
                to.copy_(rows[origin])
        return chosen

    def reorder(self, parents: Sequence[int]) -> None:
        """Replace the cache of row r by that of row parents[r], in place. Rows that are their own parent cost nothing.

        A parent must belong to the same sentence and be its own parent, or `ValueError`.
        """
        same = [self._owners[parent] for parent in parents] == self._owners
        if not same or any(parents[parent] != parent for parent in parents):
            raise ValueError(
                f"rows of the sentences {self._owners} cannot go on from the rows {list(parents)}"
            )
        rows = self._rows()
        for to, parent in zip(rows, parents, strict=False):
            if to is not rows[parent]:
                to.copy_(rows[parent])

    def _rows(self) -> Sequence[Tensor]:
        """The cache of each row of the batch, (layers · 2, H, length, d_h) each."""
        return () if self._buffer is None else self._buffer[..., : self.length, :].unbind(1)

    @property
    def device(self) -> torch.device:
        """The device of the cache."""
        return self._device


class FixedState(DecodeState):
    """The cache of one decode of at most `capacity` positions; `position` is a tensor on the device.

    `extend` returns all positions of its buffers, and `mask` hides those that are not written yet. The length of the
    target
    is kept twice: as `length` in Python and as `position` on the device, for the kernels.
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
        with torch.inference_mode(False):  # it is also changed outside inference mode
            self._position = torch.zeros(1, dtype=torch.long, device=self.device)
        self._indices = torch.arange(capacity, device=self.device)
        # Zeros, not uninitialised memory: a weight of 0 times NaN is NaN.
        self._fixed = [k.new_zeros(2, self.rows, k.shape[1], capacity, k.shape[3]) for k, _ in cross]

    @property
    def position(self) -> Tensor:
        """The position of the next token, (1,) int64 on the device."""
        return self._position

    @property
    def mask(self) -> Mask:
        """The mask of `capacity` keys: those up to and with the next position."""
        return Mask((self._indices <= self._position)[None, None, None])

    def keys(self, positions: int) -> int:
        """`capacity`, whatever is written."""
        return self.capacity

    def extend(self, layer: int, k: Tensor, v: Tensor) -> KeysValues:
        """Write n positions' keys and values (B, H, n, d_h) at `position`; return all `capacity`, written or not."""
        keys, values = self._fixed[layer].unbind()
        where = self._position + self._indices[: k.shape[2]]
        keys.index_copy_(2, where, k)
        values.index_copy_(2, where, v)
        return keys, values

    def advance(self, positions: int = 1) -> None:
        """Count the positions that every layer has just written, on the device and here."""
        self._position.add_(positions)
        self.counted(positions)

    def counted(self, positions: int = 1) -> None:
        """Add to `length` alone, where the device has counted already, or subtract (−1) what it has not."""
        self.length += positions

    def prepare(self) -> None:
        """Set the device's position to `length`."""
        self._position.fill_(self.length)

    def truncate(self, length: int) -> None:
        """Go back to `length` positions, in constant time."""
        super().truncate(length)
        self.prepare()

    def select(self, index: Tensor) -> DecodeState:
        """Not supported: selected rows would need new memory."""
        raise NotImplementedError("a cache that never moves keeps its rows")

    def reorder(self, parents: Sequence[int]) -> None:
        """Not supported, like `select`."""
        self.select(torch.tensor(parents))
