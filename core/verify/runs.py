"""The passes that the checks compare, one padded batch and each sentence step by step, and how far two results differ.

A difference that cannot be measured because of NaN is NaN, and one where something is missing is infinite: neither
passes any check.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.model.config import ModelConfig
from core.model.hooks import ATTENTION_MAPS, Hooks, Site
from core.model.transformer import Transformer
from core.verify.expected import allowed_tokens

# Sums of terms below this have no significant digits in single precision.
_NOTHING = 1e-30


def relative_gap(values: Tensor, reference: Tensor) -> float:
    """The largest difference, relative to the largest reference value or 1: for two ways through a whole model."""
    if values.shape != reference.shape:
        return math.inf
    if not reference.numel():
        return 0.0
    size = max(1.0, float(reference.abs().max()))
    return float((values - reference).abs().max()) / size


def array_gap(values: np.ndarray, reference: np.ndarray) -> float:
    """The same for arrays; where one is −inf the other must be too, which counts as no difference."""
    if values.shape != reference.shape or not np.array_equal(np.isneginf(values), np.isneginf(reference)):
        return math.inf
    seen = ~np.isneginf(reference)
    size = max(1.0, float(np.abs(reference[seen]).max(initial=0.0)))
    return float(np.abs(values[seen].astype(np.float64) - reference[seen]).max(initial=0.0)) / size


def per_term(values: Tensor, expected: Tensor, terms: Tensor) -> float:
    """The largest difference of an element, relative to the terms that it sums: for one operation.

    `terms` holds Σ|summand| of each element. Rounding one operation in single precision changes an element by about
    1e-7 of that, however wide its numbers are, so that no allowance for wide ones is needed (Higham 2002, section 3.1).
    """
    if values.shape != expected.shape:
        return math.inf
    if not expected.numel():
        return 0.0
    return float(((values - expected).abs() / terms.clamp(min=_NOTHING)).max())


def worst(values: Iterable[float]) -> float:
    """The largest difference, 0 without any, NaN if any is NaN (which `max` would lose)."""
    return float(torch.tensor([0.0, *values], dtype=torch.float64).max())


_UNIT: Final = 2.0**-24  # half the distance of two neighbours in single precision, relatively
_DRAWS: Final = 6
_SAFETY: Final = 16.0  # sums round more than once, two roundings are compared, and draws are few


class Bound(NamedTuple):
    """The largest gap that rounding in single precision can explain: of predictions, of weights, of any record."""

    logits: float
    maps: float
    records: float


def rounding_bound(model: Transformer, batches: Sequence[tuple[Tensor, Tensor]]) -> Bound:
    """The effect of single-precision rounding on `model`, by Monte Carlo arithmetic (Parker 1997).

    In double precision every number that the model passes on is multiplied by 1 + ε, with ε random and as large as
    rounding in single precision. `batches`: source (B, S) and target (B, T) each. A model with scores in the
    thousands propagates far more of it than one with scores below ten.
    """
    moved = [_moved(model, *batch) for batch in batches]
    return Bound(*(_SAFETY * worst(gaps) for gaps in zip(*moved, strict=True)))


def _moved(model: Transformer, source: Tensor, target: Tensor) -> Bound:
    """The change of the model's records by rounding at every site."""
    clean = Hooks(record=("*",))
    logits = model(source, target, clean)
    predictions, maps, records = [], [], []
    for draw in range(_DRAWS):
        generator = torch.Generator(device=logits.device).manual_seed(draw)

        def rounded(tensor: Tensor, generator: torch.Generator = generator) -> Tensor:
            noise = torch.empty_like(tensor).normal_(generator=generator)
            return tensor * (1.0 + _UNIT * noise)

        noisy = Hooks(record=("*",), edit={"*": rounded})
        predictions.append(relative_gap(model(source, target, noisy), logits))
        for site, expected in clean.records.items():
            seen = ~expected.isneginf()
            records.append(relative_gap(noisy.records[site][seen], expected[seen]))
            if site.kind == "weights":
                maps.append(records[-1])
    return Bound(worst(predictions), worst(maps), worst(records))


SHORTEST: Final = 8  # decoder steps, at least, so that a model that stops at once is still tested

Edits = Mapping[Site | str, Callable[[Tensor], Tensor]]


@dataclass(frozen=True)
class Run:
    """One batch through the model, recorded and not, with what each row may attend to.

    The last row of the batch has a source of padding only. Shapes: source (B, S), target (B, T),
    allowed[map] broadcastable to (B, 1, T, S), logits (B, T, V).
    """

    source: Tensor
    target: Tensor
    allowed: Mapping[tuple[str, str], Tensor]
    records: Mapping[Site, Tensor]
    recorded: Tensor
    fused: Tensor

    def weights(self, stack: str, block: str) -> list[Tensor]:
        """Every layer's weights of one attention map, (B, H, T_query, T_key) each."""
        return [
            t
            for site, t in self.records.items()
            if (site.stack, site.block, site.kind) == (stack, block, "weights")
        ]

    def has(self, stack: str, layer: int, block: str, kind: str) -> bool:
        """Whether the site was recorded."""
        return Site(stack, layer, block, kind) in self.records

    def seen(self, stack: str, layer: int, block: str, kind: str) -> Tensor:
        """The record at a site, float64 on the CPU. Raises `KeyError` if the model never passed it."""
        return self.records[Site(stack, layer, block, kind)].cpu().double()


@dataclass(frozen=True)
class Stepped:
    """A greedy decode: its inputs, full-forward logits (1, T, V), and the deviation of the steps from it."""

    inputs: list[int]
    full: Tensor
    gap: float


def decode_stepwise(model: Transformer, source_ids: Sequence[int]) -> Stepped:
    """Decode greedily with the cache, then run the same inputs in one forward pass."""
    config = model.config
    device = next(model.parameters()).device
    source = torch.tensor([source_ids], device=device)
    state = model.start(model.encode(source), source)
    inputs, logits, maps = [config.bos_id], [], []
    for _ in range(min(config.max_length - 1, 2 * len(source_ids) + SHORTEST)):
        hooks = Hooks(record=("decoder.*.weights",))
        logits.append(model.step(torch.tensor(inputs[-1:], device=device), state, hooks))
        maps.append(hooks.records)
        # A full forward pass masks padding tokens, so none may be written.
        allowed = torch.from_numpy(allowed_tokens(config, len(inputs) - 1))
        chosen = int(allowed[logits[-1][0].cpu()[allowed].argmax()])
        if chosen == config.eos_id and len(inputs) >= SHORTEST:
            break
        inputs.append(chosen)
    inputs = inputs[: len(logits)]
    passes = Passes(model, source_ids, inputs, ("decoder.*.weights",))
    rows = [passes.at(step) for step in range(len(inputs))]
    gaps = [relative_gap(torch.stack(logits, dim=1)[0], torch.stack([row for row, _ in rows]))]
    gaps += [
        row_gap(records, full, step) for step, (records, (_, full)) in enumerate(zip(maps, rows, strict=True))
    ]
    fused = model(source, torch.tensor([inputs], device=device))
    return Stepped(inputs, fused, worst(gaps))


class Passes:
    """The full pass that each step over `inputs` must equal, without any cache.

    It is one pass over all of them. Without a causal mask a position sees what follows it, so that step t must equal the
    last row of a pass over the first t + 1 alone.
    """

    def __init__(
        self, model: Transformer, source: Sequence[int], inputs: Sequence[int], record: Sequence[str] = ()
    ) -> None:
        self.model, self.record = model, record
        device = next(model.parameters()).device
        self._source, self._inputs = (torch.tensor([list(ids)], device=device) for ids in (source, inputs))
        self._causal = model.config.causal
        self._whole = self._run(self._inputs) if self._causal else None

    def at(self, step: int) -> tuple[Tensor, Mapping[Site, Tensor]]:
        """The logits of row `step`, (V,), and the records of the pass that it is in."""
        logits, records = self._whole or self._run(self._inputs[:, : step + 1])
        return logits[0, step], records

    def _run(self, inputs: Tensor) -> tuple[Tensor, Mapping[Site, Tensor]]:
        if not self.record:
            return self.model(self._source, inputs), {}
        hooks = Hooks(record=self.record)
        return self.model(self._source, inputs, hooks), hooks.records


def row_gap(records: Mapping[Site, Tensor], full: Mapping[Site, Tensor], step: int) -> float:
    """The difference of the maps of one step from row `step` of a full pass, which also has future keys."""
    gaps = []
    for site, row in records.items():
        full_row = full[site][..., step, :].cpu().double()
        ahead = full_row.shape[-1] - row.shape[-1]
        if ahead < 0:
            return math.inf  # the step attended to more keys than there are
        # A step has no future keys: their weight must be 0 in the full pass.
        padded = torch.nn.functional.pad(row[..., -1, :].cpu().double(), (0, ahead))
        gaps.append(relative_gap(padded, full_row))
    return worst(gaps)


def plain_words(config: ModelConfig, words: Sequence[int], most: int) -> list[int]:
    """`most` different tokens that are not special, `words` first and then others; fewer where there are no more."""
    special = {config.pad_id, config.bos_id, config.eos_id}
    known = dict.fromkeys([*words, *range(min(config.target_vocab_size, 4 * most + 8))])
    return [token for token in known if token not in special][:most]


def full_logits(model: Transformer, source: Sequence[int], written: Sequence[int]) -> np.ndarray:
    """The logits of the start token and of each of `written`, by `Passes` → (1 + len(written), V) float64."""
    passes = Passes(model, source, [model.config.bos_id, *written])
    rows = [passes.at(step)[0] for step in range(1 + len(written))]
    return np.asarray(torch.stack(rows).cpu().double())


def run_batch(
    model: Transformer,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    edit: Edits | None,
) -> Run:
    """Run all pairs in one padded batch, once with `edit` and every site recorded and once without either."""
    device, config = next(model.parameters()).device, model.config
    source = _padded([*sources, []], config.source_padding, config.max_length, device)
    target = _padded([*targets, targets[0]], config.pad_id, config.max_length, device)
    hooks = Hooks(record=("*",), edit=edit)
    recorded = model(source, target, hooks)
    real_source = (source != config.source_padding)[:, None, None, :]
    real_target = (target != config.pad_id)[:, None, None, :].clone()
    real_target[..., 0] = True  # the start token, even where it is the padding token
    past = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool, device=device).tril()
    allowed = (real_source, real_target & past if config.causal else real_target, real_source)
    return Run(
        source,
        target,
        dict(zip(ATTENTION_MAPS, allowed, strict=True)),
        hooks.records,
        recorded,
        model(source, target),
    )


def _padded(rows: Sequence[Sequence[int]], pad_id: int, limit: int, device: torch.device) -> Tensor:
    """Rows padded to one token more than the longest, if the model's length allows it, (B, T) int64."""
    width = min(max(map(len, rows)) + 1, max(limit, *map(len, rows)))
    return torch.tensor([[*row, *[pad_id] * (width - len(row))] for row in rows], device=device)


def in_double(model: Transformer) -> Transformer:
    """A copy in double precision, on the CPU where the model's device has none."""
    device = next(model.parameters()).device
    exact = copy.deepcopy(model).to("cpu" if device.type == "mps" else device)
    return exact.double()
