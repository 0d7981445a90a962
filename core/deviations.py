"""How far a model is from what its maps promise: the runs behind the trust report, and what they measure.

Deviations between two ways to the same numbers are relative to the largest number, or to 1 if that is smaller;
a deviation that cannot be measured because of NaN is NaN.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import torch
from torch import Tensor

from core.analysis.norms import norm_parameters, rebuild_errors
from core.decoding.inputs import forced_token
from core.errors import AtlasError
from core.hooks import ATTENTION_MAPS, Hooks, Site, Tokens, Trace
from core.model import Transformer

if TYPE_CHECKING:
    from core.checkpoint import Checkpoint

SHORTEST: Final = 8  # decoder steps, so that a model that stops at once is still tested

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


@dataclass(frozen=True)
class Stepped:
    """A greedy decode: its inputs, full-forward logits (1, T, V), and how far the steps were from it."""

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
        # A full forward pass takes a padding token for padding, so none may be written.
        writable = logits[-1].index_fill(-1, torch.tensor([config.pad_id], device=device), -torch.inf)
        forced = forced_token(config, len(inputs) - 1)
        chosen = int(writable.argmax()) if forced is None else forced
        if chosen == config.eos_id and len(inputs) >= SHORTEST:
            break
        inputs.append(chosen)
    inputs = inputs[: len(logits)]
    hooks = Hooks(record=("decoder.*.weights",))
    full = model(source, torch.tensor([inputs], device=device), hooks)
    gaps = [relative_gap(torch.stack(logits, dim=1), full)]
    for step, records in enumerate(maps):
        for site, row in records.items():
            gaps.append(relative_gap(row[..., 0, :], hooks.records[site][..., step, : row.shape[-1]]))
    fused = model(source, torch.tensor([inputs], device=device))
    return Stepped(inputs, fused, worst(gaps))


def run_batch(
    model: Transformer,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    edit: Edits | None,
) -> Run:
    """Run all pairs in one padded batch, with `edit` and recorded, and plainly without either."""
    device, config = next(model.parameters()).device, model.config
    source = _padded([*sources, []], config.source_padding, config.max_length, device)
    target = _padded([*targets, targets[0]], config.pad_id, config.max_length, device)
    hooks = Hooks(record=("*.weights", "*.norm_*"), edit=edit)
    recorded = model(source, target, hooks)
    real_source = (source != config.source_padding)[:, None, None, :]
    real_target = (target != config.pad_id)[:, None, None, :].clone()
    real_target[..., 0] = True  # the start token, even where it is the padding token
    past = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool, device=device).tril()
    allowed = (real_source, real_target & past, real_source)
    return Run(
        source,
        target,
        dict(zip(ATTENTION_MAPS, allowed, strict=True)),
        hooks.records,
        recorded,
        model(source, target),
    )


def _padded(rows: Sequence[Sequence[int]], pad_id: int, limit: int, device: torch.device) -> Tensor:
    """Rows padded one token beyond the longest, if the model reads that many, (B, T) int64."""
    width = min(max(map(len, rows)) + 1, max(limit, *map(len, rows)))
    return torch.tensor([[*row, *[pad_id] * (width - len(row))] for row in rows], device=device)


def row_sums(run: Run) -> float:
    """Largest distance of a row's sum from 1, or from 0 where the row may attend to nothing."""
    deviations = []
    for place, allowed in run.allowed.items():
        for weights in run.weights(*place):
            expected = allowed.expand_as(weights).any(dim=-1).to(weights.dtype)
            deviations.append(float((weights.sum(dim=-1) - expected).abs().max()))
    return worst(deviations)


def causal_leak(run: Run) -> float:
    """Largest weight that a decoder position gives to a later one."""
    return worst([float(weights.triu(1).abs().max()) for weights in run.weights("decoder", "self")])


def padding_leak(run: Run) -> float:
    """Largest weight on a padding key, in any map."""
    leaks = []
    for place in ATTENTION_MAPS:
        # The last query may attend to every real key, so what it may not attend to is padding.
        padding = ~run.allowed[place][..., -1:, :]
        leaks += [float(weights.masked_fill(~padding, 0.0).abs().max()) for weights in run.weights(*place)]
    return worst(leaks)


def future_leak(model: Transformer, run: Run, edit: Edits | None) -> float:
    """How much earlier predictions move when the second half of the target is replaced."""
    kept = run.target.shape[1] // 2
    changed = run.target.clone()
    changed[:, kept:] = (changed[:, kept:] + 1) % model.config.target_vocab_size
    # Recording one map keeps this on the explicit path, so that only the tokens differ.
    again = model(run.source, changed, Hooks(record=("*.weights",), edit=edit))
    return relative_gap(again[:, :kept], run.recorded[:, :kept])


def batch_gap(run: Run, alone: Sequence[Stepped]) -> float:
    """Difference between a sentence's predictions inside the padded batch and alone."""
    return worst(
        [relative_gap(run.fused[i, : step.full.shape[1]], step.full[0]) for i, step in enumerate(alone)]
    )


def norm_error(model: Transformer, run: Run) -> float:
    """Largest distance of a norm's recorded output from the one its statistics rebuild."""
    parameters = norm_parameters(model.state_dict(), model.config)
    errors = []
    for row in range(len(run.source)):
        records = {site: tensor[row].float().cpu().numpy() for site, tensor in run.records.items()}
        trace = Trace(model.config, Tokens((), (), ()), (), (), (), records)
        errors += rebuild_errors(trace, parameters)["error"].tolist()
    return worst(errors)


def round_trip(checkpoint: Checkpoint, run: Run) -> float:
    """How many numbers and files differ after saving and loading; infinite if it cannot be loaded."""
    from core.checkpoint import load, save

    model = checkpoint.model
    # Stored in half precision wherever that loses nothing, as a checkpoint stored so would be.
    half = all(torch.equal(p.half().to(p.dtype), p) for p in model.parameters())
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer)
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        path = Path(folder) / "again"
        try:
            save(path, model, *tokenizers, checkpoint.card, dtype="float16" if half else "float32")
            again = load(path, device=run.source.device)
        except AtlasError:
            return float("inf")
        before, after = model.state_dict(), again.model.state_dict()
        if before.keys() != after.keys() or again.config != checkpoint.config:
            return float("inf")
        different = sum(int((before[name] != after[name]).sum()) for name in before)
        different += sum(
            a != b for a, b in zip(tokenizers, (again.source_tokenizer, again.target_tokenizer), strict=True)
        )
        different += int((again.model(run.source, run.target) != run.fused).sum())
    return float(different)


def in_double(model: Transformer) -> Transformer:
    """A copy in double precision, on the CPU where the model's device has none."""
    device = next(model.parameters()).device
    exact = copy.deepcopy(model).to("cpu" if device.type == "mps" else device)
    return exact.double()


def largest_score(model: Transformer, run: Run) -> float:
    """The largest absolute score, before the mask, anywhere in `run`."""
    hooks = Hooks(record=("*.scores",))
    model(run.source, run.target, hooks)
    return worst([float(scores.abs().max()) for scores in hooks.records.values()])


def relative_gap(values: Tensor, reference: Tensor) -> float:
    """Largest difference, relative to the largest reference value or 1."""
    if not reference.numel():
        return 0.0
    size = max(1.0, float(reference.abs().max()))
    return float((values - reference).abs().max()) / size


def worst(values: Sequence[float]) -> float:
    """The largest deviation, 0 where nothing was measured, NaN if any is (which `max` would lose)."""
    return float(torch.tensor([0.0, *values], dtype=torch.float64).max())
