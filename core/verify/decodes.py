"""Decodes that turn: a step taken back and another word written, a beam that changes its rows' places.

Each is compared with full passes over the same tokens, which keep no cache.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor

from core.decoding.beam import BeamSearch
from core.decoding.inputs import forced_token
from core.decoding.path import Path
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.transformer import Transformer
from core.verify.gaps import relative_gap, worst
from core.verify.runs import SHORTEST, row_gap

_MAPS: Final = ("decoder.*.weights",)
_BEAM: Final = 4


def back_gap(model: Transformer, source: Sequence[int], words: Sequence[int]) -> float:
    """Write three of `words`, take two back and write others; start again and write those: each against a full pass."""
    config = model.config
    first, other = _two_ways_on(config, words)
    if not other:
        return 0.0  # a vocabulary or a length that leaves no other word
    path = Path(model, source, config.max_length, _MAPS)
    for token in first:
        path.write(token)
    for _ in range(len(first) - 1):
        path.back()
    for token in other:
        path.write(token)
    gaps = [_path_gap(model, source, path)]
    path.reset()
    for token in other:
        path.write(token)
    return worst([*gaps, _path_gap(model, source, path)])


def _two_ways_on(config: ModelConfig, words: Sequence[int]) -> tuple[list[int], list[int]]:
    """Three tokens to write and two others to write in place of the last two; fewer where the model reads fewer."""
    special = {config.pad_id, config.bos_id, config.eos_id}
    known = dict.fromkeys([*words, *range(min(config.target_vocab_size, 64))])
    plain = [token for token in known if token not in special]
    most = min(3, config.max_length - 1)
    return plain[:most], plain[most : 2 * most - 1]


def _path_gap(model: Transformer, source: Sequence[int], path: Path) -> float:
    """How far the logits and maps of all rows of `path` are from a full pass, which also holds what lies ahead."""
    hooks = Hooks(record=_MAPS)
    inputs = [model.config.bos_id, *path.ids][: len(path.rows)]
    full = model(
        torch.tensor([source], device=path.device), torch.tensor([inputs], device=path.device), hooks
    )
    logits = torch.stack([torch.from_numpy(row.logits) for row in path.rows])
    gaps = [relative_gap(logits.double(), full[0].cpu().double())]
    if len(inputs) < len(path.rows):
        return math.inf  # a row that no input stands for
    for step, row in enumerate(path.rows):
        records = {site: torch.from_numpy(array)[None, :, None] for site, array in row.records.items()}
        gaps.append(row_gap(records, hooks.records, step))
    return worst(gaps)


def beam_gap(model: Transformer, source: Sequence[int]) -> float:
    """Every log-probability a beam search adds, against a full pass over the hypothesis it is added to."""
    config = model.config
    search = BeamSearch(model, source, min(config.max_length, SHORTEST + 2), _BEAM)
    gaps = [0.0]
    while not search.finished:
        gaps.append(_step_gap(model, source, search))
    if search.beam.step > 1:  # back reads the live hypotheses again, and goes on from there
        for _ in range(2):
            search.back()
        while not search.finished:
            gaps.append(_step_gap(model, source, search))
    return worst(gaps)


def _step_gap(model: Transformer, source: Sequence[int], search: BeamSearch) -> float:
    """Take one step, and compare what each considered token added."""
    beam, live = search.beam, list(search.beam.live)
    expected = _next_log_probabilities(model, source, [beam.ids(node) for node in live])
    if forced_token(model.config, beam.step) is not None:
        search.step()
        return 0.0  # a forced token costs nothing
    nodes = search.step()
    added = torch.tensor([node.log_probability for node in nodes], dtype=torch.float64)
    full = [expected[live.index(node.parent), node.token] for node in nodes if node.parent is not None]
    return relative_gap(added, torch.stack(full)) if full else float(expected.max())


def _next_log_probabilities(
    model: Transformer, source: Sequence[int], prefixes: Sequence[Sequence[int]]
) -> Tensor:
    """Full passes over prefixes of one length → (prefixes, V) float64."""
    device = next(model.parameters()).device
    inputs = torch.tensor([[model.config.bos_id, *prefix] for prefix in prefixes], device=device)
    logits = model(torch.tensor([source], device=device).expand(len(prefixes), -1), inputs)[:, -1]
    return torch.log_softmax(logits.cpu().double(), dim=-1)
