"""From `Edits` to the functions that `core.Hooks` puts at the sites of one pass.

Everything an edit needs belongs to the caller: the means of a reference set, the patterns of the unedited run, and
what one pass has to hand from one site to the next. Nothing is stored on the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from core.errors import InputError
from core.experiments.edits import (
    DragWeight,
    Edits,
    HeadsStep,
    Kind,
    NoCausalMask,
    ShufflePositions,
    Step,
    SwapPositions,
)
from core.model.hooks import ATTENTION, Edit, Site

if TYPE_CHECKING:
    from core.model.transformer import Transformer


@dataclass(frozen=True)
class Reference:
    """What edits take from other runs.

    `means` (H, d_h): a head's mean output over a reference set, by the site of its `head_output`. `patterns`
    (H, T, S): the weights of the unedited run, by the site of its `weights`.
    """

    means: Mapping[Site, Tensor] = field(default_factory=dict)
    patterns: Mapping[Site, Tensor] = field(default_factory=dict)


NOTHING = Reference()


def hook_edits(
    model: Transformer, edits: Edits, source: int, reference: Reference = NOTHING
) -> dict[Site | str, Edit]:
    """The `edit` argument of `core.Hooks` that does `edits` to a pass over `source` real source tokens.

    A function sees the whole prefix, query 0 first, where an edit names rows by their position; a pass with a cache,
    which shows one row at a time, is for those that do not (`names_no_target_row`). Raises `InputError` where a mean or
    a pattern is missing.
    """
    edits_by_site: dict[Site | str, Edit] = {}
    for key, kind in ATTENTION.items():
        for layer in range(model.config.layers(kind.stack)):
            edits_by_site |= _block(edits, key, layer, model, source, reference)  # type: ignore[arg-type]
    edits_by_site |= _positions(edits, model, source)
    return edits_by_site


def names_no_target_row(edits: Edits) -> bool:
    """Whether `edits` change each row of the decoder in the same way, whatever its position and the rows beside it."""

    def names(step: Step) -> bool:
        match step:
            case HeadsStep():
                return step.how == "frozen" and step.kind != "encoder"
            case DragWeight():
                return step.kind != "encoder"
            case SwapPositions() | ShufflePositions():
                return step.side == "target"
            case NoCausalMask():
                return True
        return False

    return not any(names(step) for step in edits.steps)


def _block(
    edits: Edits, kind: Kind, layer: int, model: Transformer, source: int, reference: Reference
) -> dict[Site | str, Edit]:
    """The functions of one attention block, by site."""
    attention = ATTENTION[kind]
    states = {head: edits.head(kind, layer, head) for head in range(model.config.of(attention.stack).heads)}

    def those(how: str) -> list[int]:
        return [head for head, state in states.items() if state == how]

    def site(name: str) -> Site:
        return Site(attention.stack, layer, attention.block, name)

    by_site: dict[Site | str, Edit] = {}
    by_site |= _mask(edits, kind, source, those("uniform"), site)
    drags = [
        step
        for step in edits.steps
        if isinstance(step, DragWeight) and (step.kind, step.layer) == (kind, layer)
    ]
    frozen = those("frozen")
    if frozen or drags or (edits.hidden and kind != "causal"):
        pattern = _needed(reference.patterns, site("weights"), "pattern") if frozen else None
        seen = _reach(edits, kind, model.config.causal)
        by_site[site("weights")] = lambda weights: _reweighted(weights, frozen, pattern, drags, seen)
    zero, mean = those("zero"), those("mean")
    if zero or mean:
        means = _needed(reference.means, site("head_output"), "mean") if mean else None
        by_site[site("head_output")] = lambda output: _replaced(output, zero, mean, means)
    return by_site


def _needed(table: Mapping[Site, Tensor], site: Site, name: str) -> Tensor:
    if site not in table:
        raise InputError(f"No {name} of {site} is given; make a reference first.")
    return table[site]


# -- who may attend to whom -----------------------------------------------------------------------------------


def _mask(
    edits: Edits, kind: Kind, source: int, uniform: list[int], site: Callable[[str], Site]
) -> dict[Site | str, Edit]:
    """Edits of the scores behind the mask: −inf is put in, or taken out by what stood there before."""
    opened = (edits.opens_future and kind == "causal") or (edits.padding > 0 and kind != "causal")
    hidden = sorted(edits.hidden) if kind != "causal" else []
    by_site: dict[Site | str, Edit] = {}
    before: list[Tensor] = []  # the scores of this pass; a pass visits `scores` and then `masked_scores`

    def remember(scores: Tensor) -> Tensor:
        before[:] = [scores]
        return scores

    def masked(scores: Tensor) -> Tensor:
        scores = before.pop() if opened else scores
        if hidden:
            scores = scores.clone()
            own = scores[..., hidden, hidden].clone() if kind == "encoder" else None
            scores[..., hidden] = -torch.inf
            if own is not None:
                scores[..., hidden, hidden] = own
        if uniform:
            even = torch.where(scores == -torch.inf, -torch.inf, 0.0).to(scores.dtype)
            scores = scores.clone()
            scores[:, uniform] = even[:, uniform]
        return scores

    if opened:
        by_site[site("scores")] = remember
    if opened or hidden or uniform:
        by_site[site("masked_scores")] = masked
    return by_site


# -- weights and outputs --------------------------------------------------------------------------------------


def _reach(edits: Edits, kind: Kind, causal: bool) -> Callable[[int, int], list[int]]:
    """The keys that a row may look at: (row, number of keys) → their positions."""
    ahead = kind == "causal" and causal and not edits.opens_future
    hidden = edits.hidden if kind != "causal" else frozenset()

    def seen(row: int, keys: int) -> list[int]:
        own = {row} if kind == "encoder" else set()
        return [key for key in range(row + 1 if ahead else keys) if key not in hidden or key in own]

    return seen


def _reweighted(
    weights: Tensor,
    frozen: list[int],
    pattern: Tensor | None,
    drags: list[DragWeight],
    seen: Callable[[int, int], list[int]],
) -> Tensor:
    """Frozen heads get the pattern's rows, as far as it goes; a dragged weight renormalises the rest of its row."""
    changed = torch.nan_to_num(weights, nan=0.0)  # a row that may look at nothing is zeros
    if pattern is not None:
        rows, keys = (min(pattern.shape[n], weights.shape[n + 1]) for n in (1, 2))
        changed[:, frozen, :rows] = 0.0
        changed[:, frozen, :rows, :keys] = pattern[frozen, :rows, :keys].to(weights)
    for step in drags:
        if step.query < changed.shape[2] and step.key < changed.shape[3]:
            row = changed[:, step.head, step.query]
            allowed = seen(step.query, row.shape[-1])
            changed[:, step.head, step.query] = dragged(row, step.key, step.thousandths / 1000, allowed)
    return changed


def dragged(row: Tensor, key: int, weight: float, allowed: Sequence[int]) -> Tensor:
    """`row` (…, S) with `weight` at `key`, the others scaled so that it sums to 1; shared evenly where all were 0.

    Only the keys `allowed` get any of it. A row that may look at `key` alone keeps its whole weight there, and one that
    may not look at `key` stays as it is.
    """
    if key not in allowed or len(allowed) < 2:
        return row
    others = row.clone()
    others[..., key] = 0.0
    total = others.sum(-1, keepdim=True)
    even = torch.zeros_like(row)
    even[..., list(allowed)] = 1.0 / (len(allowed) - 1)
    even[..., key] = 0.0
    shared = torch.where(total > 0, others / total.clamp_min(torch.finfo(row.dtype).tiny), even)
    moved = shared * (1.0 - weight)
    moved[..., key] = weight
    return moved


def _replaced(output: Tensor, zero: list[int], mean: list[int], means: Tensor | None) -> Tensor:
    """Head outputs (B, H, T, d_h) with some of them zero, some their mean."""
    changed = output.clone()
    changed[:, zero] = 0.0
    if means is not None:
        changed[:, mean] = means[mean][None, :, None].to(output)
    return changed


# -- positions ------------------------------------------------------------------------------------------------


def _positions(edits: Edits, model: Transformer, source: int) -> dict[Site | str, Edit]:
    """Rows of the position tables in another order."""
    by_site: dict[Site | str, Edit] = {}
    for side, stack, embedding in (
        ("source", "encoder", model.source_embedding),
        ("target", "decoder", model.target_embedding),
    ):
        order = order_of_positions(edits, side, source)
        if order and embedding.positions is not None:
            table = embedding.positions(0, model.config.max_length)  # (max_length, d_model)

            def reorder(encoding: Tensor, table: Tensor = table, order: dict[int, int] = order) -> Tensor:
                places = [order.get(position, position) for position in range(encoding.shape[1])]
                return table[places][None].to(encoding)

            by_site[Site(stack, 0, "embed", "position_encoding")] = reorder
    return by_site


def order_of_positions(edits: Edits, side: str, source: int) -> dict[int, int]:
    """Which position each token gets, where it is not its own."""
    order: dict[int, int] = {}
    for step in edits.steps:
        if isinstance(step, ShufflePositions) and step.side == side:
            draw = torch.Generator().manual_seed(step.seed)
            drawn = torch.randperm(step.tokens or source, generator=draw).tolist()
            order = dict(enumerate(drawn))
        if isinstance(step, SwapPositions) and step.side == side:
            first, second = order.get(step.first, step.first), order.get(step.second, step.second)
            order[step.first], order[step.second] = second, first
    return {position: other for position, other in order.items() if position != other}
