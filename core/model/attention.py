"""Multi-head attention (Vaswani et al. 2017, section 3.2), its masks, and the key/value cache of one decode.

The only softmax over scores in the project is here.

Shapes: B batch, H heads, T queries, S keys, d_h size of a head.

Masks have one polarity everywhere: True = may attend. They are bool, broadcast against scores (B, H, T, S) and are
combined with `&`. A pass builds each `Mask` once, for all layers, and with it whether any key is hidden and whether a
row has no key at all.

A cache belongs to the request, never to the model. `DecodeState` grows with the target. `FixedState` has a fixed
capacity and never moves, so that every step runs the same kernels on the same memory and a GPU can replay it as one
captured graph. A step then costs the whole capacity, which a GPU does not notice; on a CPU the growing cache is faster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.config import ModelConfig
from core.model.hooks import NO_TAP, Tap
from core.model.linear import Joined, Linear, Part, store_by_columns

KeysValues = tuple[Tensor, Tensor]
"""Keys and values of one attention, (B, H, S, d_h) each."""


def padding_mask(tokens: Tensor, pad_id: int) -> Tensor:
    """Which keys are real tokens. `tokens` (B, T) int64 → (B, 1, 1, T) bool."""
    return (tokens != pad_id)[:, None, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Each position may attend to itself and to the past (Vaswani et al. 2017, section 3.2.3) → (1, 1, T, T) bool."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]


@dataclass(frozen=True)
class Mask:
    """Which keys each query may attend to. `allowed` is None where all are allowed; `empty` marks rows without any key.

    `allowed` broadcasts to (B, H, T, S), `empty` to (B, H, T, 1), both bool; `empty` is None where no row is empty.
    """

    allowed: Tensor | None = None
    empty: Tensor | None = None

    @classmethod
    def of(cls, allowed: Tensor, *, may_be_empty: bool = True) -> Mask:
        """The mask of `allowed`. On an accelerator no value is read back, since a step would have to wait for it."""
        if allowed.device.type == "cpu" and bool(allowed.all()):
            return cls()
        if not may_be_empty:
            return cls(allowed)
        empty = ~allowed.any(dim=-1, keepdim=True)
        return cls(allowed, None if allowed.device.type == "cpu" and not bool(empty.any()) else empty)

    def apply(self, scores: Tensor, in_place: bool = False) -> Tensor:
        """scores (B, H, T, S) with −inf where attending is forbidden."""
        if self.allowed is None:
            return scores
        bias = self._bias.to(scores.dtype)
        return scores.add_(bias) if in_place else scores + bias

    @cached_property
    def _bias(self) -> Tensor:
        """0 where allowed and −inf where not: a sum is several times faster than filling."""
        assert self.allowed is not None
        return torch.zeros(self.allowed.shape, device=self.allowed.device).masked_fill_(
            ~self.allowed, -math.inf
        )

    def select(self, index: Tensor) -> Mask:
        """The mask of batch rows `index`."""
        rows = [None if each is None else each.index_select(0, index) for each in (self.allowed, self.empty)]
        return Mask(*rows)


def source_mask(tokens: Tensor, pad_id: int) -> Mask:
    """The mask over the encoder's states: the real tokens of `tokens` (B, S)."""
    return Mask.of(padding_mask(tokens, pad_id))


def target_mask(tokens: Tensor, pad_id: int, causal: bool = True) -> Mask:
    """The decoder's mask over `tokens` (B, T), without padding and, if `causal`, without later tokens → (B, 1, T, T).

    The first input is the start token, a real one even where its id is the padding id (T5, Marian), so every row
    has a key.
    """
    real = (tokens != pad_id).index_fill(-1, torch.zeros(1, dtype=torch.long, device=tokens.device), True)
    allowed = real[:, None, None, :]
    if causal:
        allowed = allowed & causal_mask(tokens.shape[1], tokens.device)
    return Mask.of(allowed, may_be_empty=False)


def rotate(x: Tensor, turns: Tensor | None) -> Tensor:
    """Turn each pair of columns (2i, 2i + 1) of queries or keys by its position's angle (Su et al. 2021, section 3.2.2).

    x (B, H, T, d_h), turns (2, T, d_h / 2) the cosines and sines of the T positions, or None → the same shape as x.
    """
    if turns is None:
        return x
    cos, sin = turns.unbind()
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Mask,
    *,
    scale: float,
    bias: Tensor | None = None,
    dropout: float = 0.0,
    tap: Tap = NO_TAP,
) -> Tensor:
    """softmax(scale · QKᵀ + bias, where mask) V.

    q (B, H, T, d_h), k and v (N, H, S, d_h), bias (1, H, T, S) or None → (B, H, T, d_h). N is B or divides it: each row
    of k and v then serves B / N consecutive rows of q, such as the hypotheses of one sentence. A query without any key
    gives zeros. The weights are computed explicitly when `tap` wants the scores or weights, for single queries, and for
    gradients on a CPU, where that is faster; otherwise by the fused kernel. Both give the same numbers.
    """
    recorded = tap.wants("scores", "masked_scores", "weights")
    trained = torch.is_grad_enabled() and q.is_cpu and not torch.compiler.is_compiling()
    if q.size(2) > 1 and not recorded and not trained:
        return _fused(q, k, v, mask, scale, bias, dropout)
    scores = _product(q * scale, k.transpose(-2, -1))  # (B, H, T, S)
    if bias is not None:
        scores = scores + bias
    if torch.is_grad_enabled() or not q.is_cpu or tap.wants("scores", "masked_scores"):
        weights = _softmax(tap("masked_scores", mask.apply(tap("scores", scores))), mask)
    else:  # the scores are used nowhere else: their memory becomes that of the weights
        weights = _softmax(mask.apply(scores, in_place=True), mask, in_place=True)
    weights = tap("weights", weights)
    return _product(F.dropout(weights, dropout) if dropout else weights, v)


def _softmax(scores: Tensor, mask: Mask, in_place: bool = False) -> Tensor:
    """The weights of masked scores (B, H, T, S), 0 in rows without any key."""
    if mask.empty is None:
        return torch.softmax(scores, dim=-1, out=scores if in_place else None)
    return torch.softmax(scores.masked_fill(mask.empty, 0.0), dim=-1).masked_fill(mask.empty, 0.0)


def _product(a: Tensor, b: Tensor) -> Tensor:
    """a (B, H, T, n) times b (N, H, n, m) → (B, H, T, m); where N < B, one product serves all rows that share a row of b."""
    if a.size(0) == b.size(0):
        return torch.matmul(a, b)
    rows, heads, queries, size = a.shape
    shared = rows // b.shape[0]
    side_by_side = a.unflatten(0, (-1, shared)).transpose(1, 2).reshape(-1, heads, shared * queries, size)
    product: Tensor = torch.matmul(side_by_side, b).unflatten(2, (shared, queries))
    return product.transpose(1, 2).reshape(rows, heads, queries, -1)


def attention_scale(config: ModelConfig) -> float:
    """The factor of QKᵀ: 1/√d_h (Vaswani et al. 2017, section 3.2.1), or as the configuration says."""
    return 1.0 / math.sqrt({"head": config.d_head, "model": config.d_model, "none": 1}[config.score_scale])


def _fused(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask, scale: float, bias: Tensor | None, dropout: float
) -> Tensor:
    allowed = mask.allowed if mask.empty is None or mask.allowed is None else mask.allowed | mask.empty
    # An additive mask of -inf alone would give NaN, so an empty row attends everywhere and is then zeroed.
    if bias is not None:
        allowed = bias.to(q.dtype) if allowed is None else torch.where(allowed, bias, -math.inf).to(q.dtype)
    if len(k) < len(q):  # rows of one sentence share its memory, which the kernel does not know
        k, v = (each.repeat_interleave(len(q) // len(k), dim=0) for each in (k, v))
    mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed, dropout_p=dropout, scale=scale)
    return mixed if mask.empty is None else mixed.masked_fill(mask.empty, 0.0)


class MultiHeadAttention(Part):
    """Queries from one sequence, keys and values from the same or another (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads, self.d_head = config.heads, config.d_head
        self.shared = config.shared_head_projection
        self.dropout = config.attention_dropout
        self.scale = attention_scale(config)
        inner = config.heads * config.d_head
        width = (config.d_head, config.d_head) if self.shared else (config.d_model, inner)
        self.q_proj = Linear(*width, bias=config.projection_bias)
        self.k_proj = Linear(*width, bias=config.projection_bias)
        self.v_proj = Linear(*width, bias=config.projection_bias)
        self.output_proj = Linear(inner, config.d_model, bias=config.attention_output_bias)
        self.joined: Joined | None = None

    def pack_weights(self, queries: bool) -> None:
        """Store the matrices by columns; those of keys and values, and of `queries` that read the same input, side by side."""
        if not queries:
            store_by_columns([self.q_proj])
        store_by_columns([self.output_proj])
        self.joined = Joined([self.q_proj, self.k_proj, self.v_proj][0 if queries else 1 :])

    def queries(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Queries of `x` (B, T, d_model) → (B, H, T, d_h)."""
        (q,) = self._heads(x, "q_proj")
        return tap("q", q)

    def keys_values(self, x: Tensor, tap: Tap = NO_TAP) -> KeysValues:
        """Keys and values of `x` (B, S, d_model) → two of (B, H, S, d_h)."""
        k, v = self._heads(x, "k_proj", "v_proj")
        return self._recorded(k, v, tap)

    def queries_keys_values(
        self, x: Tensor, tap: Tap = NO_TAP, turns: Tensor | None = None
    ) -> tuple[Tensor, KeysValues]:
        """Queries, keys and values of one `x` (B, T, d_model), as self-attention reads it.

        Under rotary positions queries and keys are recorded as their product reads them: turned.
        """
        q, k, v = self._heads(x, "q_proj", "k_proj", "v_proj")
        return tap("q", rotate(q, turns)), self._recorded(rotate(k, turns), v, tap)

    def _recorded(self, k: Tensor, v: Tensor, tap: Tap) -> KeysValues:
        k, v = tap("k", k), tap("v", v)
        if tap.wants("value_norm"):
            tap("value_norm", torch.linalg.vector_norm(v, dim=-1))  # (B, H, S)
        return k, v

    def _heads(self, x: Tensor, *projections: str) -> Sequence[Tensor]:
        """(B, T, d_model) → (B, H, T, d_h) each: split the feature axis into heads, then put heads before positions."""
        batch, length, _ = x.shape
        read = x.reshape(batch, length, self.heads, self.d_head) if self.shared else x
        joined, count = self.joined, len(projections)
        if joined is None or joined.count != count or torch.is_grad_enabled() or not joined.intact():
            shape = (batch, length, self.heads, self.d_head)
            return [getattr(self, name)(read).view(shape).transpose(1, 2) for name in projections]
        if self.shared:
            return joined(read).view(batch, length, self.heads, count, -1).permute(3, 0, 2, 1, 4).unbind()
        return joined(x).view(batch, length, count, self.heads, -1).permute(2, 0, 3, 1, 4).unbind()

    def forward(
        self,
        q: Tensor,
        keys_values: KeysValues,
        mask: Mask,
        bias: Tensor | None = None,
        tap: Tap = NO_TAP,
    ) -> Tensor:
        """The weighted values of queries (B, H, T, d_h), mixed over the heads → (B, T, d_model)."""
        dropout = self.dropout if self.training else 0.0
        mixed = attend(q, *keys_values, mask, scale=self.scale, bias=bias, dropout=dropout, tap=tap)
        mixed = tap("head_output", mixed)  # (B, H, T, d_h)
        merged = mixed.transpose(1, 2).flatten(-2)  # (B, T, H·d_h): positions first, then heads side by side
        return tap("output", self.output_proj(merged))


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
        # Start and number of the positions that the next two cover.
        self._opened: tuple[int, int] | None = None
        self._slots: Sequence[Tensor] = ()  # where those positions go, each (B, H, n, d_h)
        self._kept: Sequence[Tensor] = ()  # all up to and with them, each (B, H, length + n, d_h)
        self._tokens: Tensor | None = None  # what an unmasked decoder has read, (B, length)
        # Each time the rows were chosen anew: the length then, and the row that each came from.
        self._origins: list[tuple[int, Sequence[int]]] = []

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

    def read_again(self, tokens: Tensor) -> Tensor:
        """All tokens that a decoder without causal mask has to read for `tokens` (B, n): those before, and these.

        Without the mask each new token changes the keys and values of every earlier one, so that none can be kept.
        """
        past = tokens[:, :0] if self._tokens is None else self._tokens
        self._tokens = torch.cat((past[:, : self.length], tokens), dim=1)
        return self._tokens

    def truncate(self, length: int) -> None:
        """Go back to `length` positions, in constant time; later positions are overwritten by the next step."""
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot truncate {self.length} positions to {length}")
        self.length = length
        self._origins = [(min(length, then), rows) for then, rows in self._origins]

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
        chosen._origins = [*self._origins, (self.length, index.tolist())]
        if self._tokens is not None:
            chosen._tokens = self._tokens.index_select(0, index)
        if self._buffer is not None:
            # Row by row: torch's own selection would first copy the whole buffer, filled or not.
            chosen._buffer = self._buffer.new_empty(len(self._buffer), len(owners), *self._buffer.shape[2:])
            rows = self._rows()
            for to, origin in zip(chosen._rows(), index.tolist(), strict=True):
                to.copy_(rows[origin])
        return chosen

    def reorder(self, parents: Sequence[int]) -> None:
        """Replace the cache of row r by that of row parents[r], in place, from the first position where they differ.

        A parent must belong to the same sentence and be its own parent, or `ValueError`.
        """
        same = [self._owners[parent] for parent in parents] == self._owners
        if not same or any(parents[parent] != parent for parent in parents):
            raise ValueError(
                f"rows of the sentences {self._owners} cannot go on from the rows {list(parents)}"
            )
        if self._tokens is not None:
            self._tokens = self._tokens[list(parents)]
        rows = self._rows()
        for row, parent in enumerate(parents if rows else ()):
            if row != parent:
                start = self._in_common(row, parent)
                changed = self.length - start
                rows[row].narrow(2, start, changed).copy_(rows[parent].narrow(2, start, changed))
        self._origins.append((self.length, list(parents)))

    def _in_common(self, row: int, other: int) -> int:
        """The number of positions that two rows have in common, having come from one row."""
        for length, origins in reversed(self._origins):
            row, other = origins[row], origins[other]
            if row == other:
                return length
        return 0

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
    target is kept twice: as `length` in Python and as `position` on the device, for the kernels.
    """

    def __init__(
        self, cross: list[KeysValues], source_mask: Mask, capacity: int, owners: Sequence[int] | None = None
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
