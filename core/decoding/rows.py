"""The records of single decoding steps, and the maps of a whole pass joined from their rows.

Row t belongs to the decoder's input at position t (⟨start⟩ is position 0): it was recorded while the model wrote
token t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.model.hooks import MAP_KINDS, Site

if TYPE_CHECKING:
    from torch import Tensor

LOGITS = Site("decoder", 0, "final", "logits")
_HEAD_KINDS = ("q", "k", "v", "head_output", "value_norm", *MAP_KINDS)


@dataclass(frozen=True)
class Row:
    """One decoding step: the token read at `index`, the logits (V,) for the token written there, and the records.

    `records` are numpy arrays without batch and query axes: attention maps (H, keys so far), heads (H, d_h),
    streams (d_model,), norm statistics ().
    """

    index: int
    input_id: int
    logits: np.ndarray
    records: Mapping[Site, np.ndarray]

    def stacked(self, block: str, kind: str) -> np.ndarray:
        """One kind for all decoder layers, (L, …): `stacked("cross", "weights")` is (L, H, S)."""
        arrays = [
            array for site, array in sorted(self.records.items()) if (site.block, site.kind) == (block, kind)
        ]
        if not arrays:
            raise KeyError(f"decoder.*.{block}.{kind} was not recorded")
        return np.stack(arrays)


def to_arrays(records: Mapping[Site, Tensor]) -> dict[Site, np.ndarray]:
    """Every record as float32 numpy with its batch axis: without a copy on the CPU, in one transfer from elsewhere.

    Sites that recorded the same tensor share one array.
    """
    distinct = {_identity(tensor): tensor for tensor in records.values()}
    tensors = list(distinct.values())
    if all(tensor.device.type == "cpu" for tensor in tensors):
        arrays = [tensor.detach().float().numpy() for tensor in tensors]
    else:
        flat = torch.cat([tensor.reshape(-1).float() for tensor in tensors]).cpu()
        pieces = flat.split([tensor.numel() for tensor in tensors])
        arrays = [piece.view(tensor.shape).numpy() for piece, tensor in zip(pieces, tensors, strict=True)]
    by_identity = dict(zip(distinct, arrays, strict=True))
    return {site: by_identity[_identity(tensor)] for site, tensor in records.items()}


def to_cpu(records: Mapping[Site, Tensor]) -> dict[Site, np.ndarray]:
    """Batch row 0 of every record as float32 numpy."""
    return {site: array[0] for site, array in to_arrays(records).items()}


def _identity(tensor: Tensor) -> tuple[object, ...]:
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype


def query_axis(site: Site) -> int:
    """The axis of a record (without batch) that counts target positions."""
    return 1 if site.block in ("self", "cross") and site.kind in _HEAD_KINDS else 0


def is_memory_site(site: Site) -> bool:
    """Whether a decoder site is computed once from the encoder's memory, and not per target position."""
    return site.block == "cross" and site.kind in ("k", "v", "value_norm")


def speaks_of_source(site: Site) -> bool:
    """Whether a record's positions are the source's, not the target's."""
    return site.stack == "encoder" or is_memory_site(site)


def step_row(arrays: Mapping[Site, np.ndarray], index: int) -> dict[Site, np.ndarray]:
    """The records of the step at `index`, without query axis; self-attention maps are cut to the keys so far."""
    return {site: _as_row(site, array, 0, index) for site, array in arrays.items()}


def _as_row(site: Site, array: np.ndarray, query: int, index: int) -> np.ndarray:
    row: np.ndarray = array.take(query, axis=query_axis(site))
    return row[:, : index + 1] if _is_self_map(site) else row


def split_rows(records: Mapping[Site, np.ndarray], inputs: Sequence[int]) -> list[Row]:
    """A full pass over decoder `inputs`, with its logits recorded, cut into the rows that stepping gives."""
    logits = records[LOGITS]
    rows: list[Row] = []
    for t, token in enumerate(inputs):
        cut = {site: _as_row(site, array, t, t) for site, array in records.items() if site != LOGITS}
        rows.append(Row(t, token, logits[t], cut))
    return rows


def join_rows(rows: Sequence[Row], like: Row) -> dict[Site, np.ndarray]:
    """Rows stacked into the records of a full pass; `like` gives sites and sizes where there is no row.

    Self-attention rows are filled up to T keys: weights with 0, masked scores with −inf, scores with 0.
    """
    joined: dict[Site, np.ndarray] = {}
    for site, example in like.records.items():
        if _is_self_map(site):
            fill = -np.inf if site.kind == "masked_scores" else 0.0
            square = np.full((example.shape[0], len(rows), len(rows)), fill, dtype=np.float32)
            for t, row in enumerate(rows):
                square[:, t, : t + 1] = row.records[site]
            joined[site] = square
        else:
            axis = query_axis(site)
            shape = (*example.shape[:axis], 0, *example.shape[axis:])
            parts = [row.records[site] for row in rows]
            joined[site] = np.stack(parts, axis=axis) if parts else np.zeros(shape, dtype=np.float32)
    return joined


def _is_self_map(site: Site) -> bool:
    return site.block == "self" and site.kind in MAP_KINDS
