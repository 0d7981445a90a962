"""Decodes with steps undone and other words written, and decodes restored from their words.

Each is compared with full passes over the same tokens, which use no cache.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import torch

from core.decoding.path import Path
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.transformer import Transformer
from core.verify.gaps import relative_gap, worst
from core.verify.runs import plain_words, row_gap

_SEEN: Final = ("decoder.*.weights",)
_WORDS: Final = 5  # of which three are undone


def back_gap(model: Transformer, source: Sequence[int], words: Sequence[int]) -> float:
    """Write `words`, undo all but two and write others; start again; restore and do the same.

    Each is compared with a full pass, row by row. The words after those undone read the remaining cache, and those
    after a
    restored decode read the cache filled by one pass.
    """
    first, other = _first_and_other(model.config, words)
    if not other:
        return 0.0  # the vocabulary or the length allows no other word
    path = Path(model, source, model.config.max_length, _SEEN)
    _write(path, first)
    gaps = [_turn_gap(model, source, path, other)]
    path.reset()
    _write(path, other)
    gaps.append(_path_gap(model, source, path))
    restored = Path(model, source, model.config.max_length, _SEEN, prefix=first)
    return worst([*gaps, _path_gap(model, source, restored), _turn_gap(model, source, restored, other)])


def _turn_gap(model: Transformer, source: Sequence[int], path: Path, other: Sequence[int]) -> float:
    """Undo as many words as `other` has and write those."""
    for _ in other:
        path.back()
    _write(path, other)
    return _path_gap(model, source, path)


def _write(path: Path, words: Sequence[int]) -> None:
    for token in words:
        path.write(token)


def _first_and_other(config: ModelConfig, words: Sequence[int]) -> tuple[list[int], list[int]]:
    """Words to write, and others in place of all but the first two; fewer where the model's length is shorter."""
    known = dict.fromkeys([*words, *plain_words(config, (), 2 * _WORDS)])
    most = min(_WORDS, config.max_length - 1, (len(known) + 2) // 2)
    return list(known)[:most], list(known)[most : max(most, 2 * most - 2)]


def _path_gap(model: Transformer, source: Sequence[int], path: Path) -> float:
    """The difference of the logits and maps of all rows of `path` from a full pass, which also has future keys."""
    hooks = Hooks(record=_SEEN)
    inputs = [model.config.bos_id, *path.ids][: len(path.rows)]
    full = model(
        torch.tensor([source], device=path.device), torch.tensor([inputs], device=path.device), hooks
    )
    logits = torch.stack([torch.from_numpy(row.logits) for row in path.rows])
    gaps = [relative_gap(logits.double(), full[0].cpu().double())]
    if len(inputs) < len(path.rows):
        return math.inf  # a row without an input
    for step, row in enumerate(path.rows):
        records = {site: torch.from_numpy(array)[None, :, None] for site, array in row.records.items()}
        gaps.append(row_gap(records, hooks.records, step))
    return worst(gaps)
