"""The masks that an attention takes: tried in every usual form and shape, at the module's own width."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import torch
from torch import Tensor, nn

from core.learning import calling
from core.learning.calling import Argument
from core.learning.check_scores import AttentionMap
from core.learning.probing import CELL, Run, Subject
from core.learning.verdict import Verdict, fails

_HIDDEN: Final = -1e3  # scores below it take no weight


@dataclass
class _Tries:
    """What became of a mask in each form."""

    ignored: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)


def forms(allowed: Tensor) -> Iterator[tuple[str, Tensor]]:
    """A mask in every usual form."""
    yield "bool, True may attend", allowed
    yield "1 may attend", allowed.int()
    yield "1.0 may attend", allowed.float()
    yield "bool, True is hidden", ~allowed
    yield "1 is hidden", (~allowed).int()
    yield "1.0 is hidden", (~allowed).float()
    yield "added, −inf hides", torch.zeros(allowed.shape).masked_fill(~allowed, -math.inf)
    yield "added, −1e9 hides", torch.zeros(allowed.shape).masked_fill(~allowed, -1e9)


def masks_of(subject: Subject, maps: Sequence[AttentionMap]) -> Verdict | list[str]:
    """Whether each mask that the code takes hides what it says, and a row without any key stays finite."""
    said: list[str] = []
    ahead = _ahead(subject)
    if ahead:
        return fails(
            "mask-leaks",
            f"It masks the future by itself, and {ahead} of it is left in sight.",
            f"the output of token 0 moves with token {ahead}, and with none after it",
        )
    ignored: list[Verdict] = []
    crossing = {"memory", "key"} & set(subject.given)
    for each in subject.arguments:
        if each.role not in ("mask", "padding", "lengths") or not each.name:
            continue
        if not crossing and any(word in each.name for word in ("encoder", "memory", "cross")):
            continue  # for an input that was not given
        finding = _one(subject, maps, each)
        if isinstance(finding, Verdict) and finding.fault != "no-causal-mask":
            return finding
        if isinstance(finding, Verdict):
            ignored.append(finding)
        else:
            said += finding
    if ignored and maps and not said:
        return ignored[0]
    return said + (["A mask changed nothing in this call."] if ignored else [])


def _one(subject: Subject, maps: Sequence[AttentionMap], argument: Argument) -> Verdict | list[str]:
    tries = _Tries()
    base = subject.run(subject.inputs())
    wanted = (
        ["padding"]
        if argument.role in ("padding", "lengths")
        else ["causal", "padding"]
        if subject.queries == subject.keys
        else ["rows", "padding"]
    )
    for kind in wanted:
        allowed = _allowed(subject, kind)
        for shape in _shapes(subject, kind) if argument.role != "lengths" else [(subject.sizes["b"],)]:
            for form, mask in forms(allowed) if argument.role != "lengths" else _lengths(subject):
                if _works(subject, maps, argument.name, mask.expand(shape), allowed, base, tries, form):
                    return _empty_row(subject, argument.name, form, shape, kind)
        if tries.ignored or tries.leaks or tries.other:
            break
    return _failed(subject, argument, tries)


def _ahead(subject: Subject) -> int:
    """How many later tokens each sees, the same number for all, where the rest of the future is hidden; else 0."""
    if not subject.alone:
        return 0
    reads, count = subject.rows(subject.reach(subject.inputs(), subject.readable)).T, subject.queries
    bands = [torch.ones(count, count, dtype=torch.bool).tril(n) for n in range(1, count - 1)]
    return next((n for n, band in enumerate(bands, 1) if torch.equal(reads, band)), 0)


def _lengths(subject: Subject) -> Iterator[tuple[str, Tensor]]:
    """Numbers of real tokens, another one for the sentence that is looked at."""
    counts = torch.full((subject.sizes["b"],), subject.keys)
    counts[CELL] = subject.keys - 2
    yield "the number of real tokens", counts


def _allowed(subject: Subject, kind: str) -> Tensor:
    """(Tq, Tk) or (1, Tk) bool. A module that is causal by itself must see a difference, so key 0 is hidden too."""
    queries, keys = subject.queries, subject.keys
    if kind == "padding":
        return (torch.arange(keys) < keys - 2)[None]
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril()
    free = subject.rows(subject.reach(subject.inputs(), subject.readable)).T
    if kind == "causal" and not bool(free[~allowed].any()):
        allowed[1:, 0] = False
    return allowed


def _shapes(subject: Subject, kind: str) -> list[tuple[int, ...]]:
    """How such a mask may lie, of the shapes that expand from (Tq, Tk), or from (1, Tk) for padding."""
    queries, keys, batch = subject.queries, subject.keys, subject.sizes["b"]
    if kind == "padding":
        return [
            (batch, keys),
            (batch, 1, 1, keys),
            (batch, 1, keys),
            (batch, queries, keys),
            (batch, 1, queries, keys),
            (queries, keys),
        ]
    return [
        (queries, keys),
        (batch, queries, keys),
        (batch, 1, queries, keys),
        (1, queries, keys),
        (1, 1, queries, keys),
    ]


def _works(
    subject: Subject,
    maps: Sequence[AttentionMap],
    name: str,
    mask: Tensor,
    allowed: Tensor,
    base: Run,
    tries: _Tries,
    form: str,
) -> bool:
    """Whether exactly the allowed keys reach each query; what happened else is added to `tries`."""
    inputs, given = subject.inputs(), {name: mask.clone()}
    try:
        masked = subject.run(inputs, None, **given)
        if not bool(base.moved(masked).any()):
            tries.ignored.append(form)
            return False
        if bool(masked.out.isnan().any()):
            tries.other.append(form)
            return False
        reads = subject.rows(subject.reach(inputs, subject.readable, None, **given)).T
    except Exception as error:  # the next form may fit
        tries.raised.append(calling.error_line(error))
        return False
    goal = allowed.expand(subject.queries, subject.keys)
    if subject.alone:  # a residual inside the module is no mistake
        same = torch.eye(subject.queries, dtype=torch.bool)
        reads, goal = reads | same, goal | same
    if not bool((reads & ~goal).any()) and bool((reads & goal).any()):
        return True
    leaking = form.endswith("may attend") and _weakly(base, masked, maps, allowed)
    (tries.leaks if leaking else tries.other).append(form)
    return False


def _weakly(base: Run, masked: Run, maps: Sequence[AttentionMap], allowed: Tensor) -> bool:
    """Whether scores are changed where attending is forbidden and nowhere else, and by too little; or not at all."""
    for each in maps:
        one, two = (
            run.softmaxes[each.number].scores.movedim((each.queries, each.keys), (-2, -1))
            for run in (base, masked)
        )
        if one.shape != two.shape:
            return False
        hidden = ~allowed.expand(one.shape[-2:])
        moved = (one - two).abs() > 1e-4
        if bool(moved[..., ~hidden].any()) or bool((two[..., hidden] < _HIDDEN).all()):
            return False
    return bool(maps)


def _failed(subject: Subject, argument: Argument, tries: _Tries) -> Verdict | list[str]:
    """No form hides what it should."""
    told = f"the argument {argument.name} of inputs {subject.shape('query')}"
    if tries.leaks:
        return fails(
            "mask-leaks",
            "Attention weight reaches keys that the mask forbids.",
            f"{told}, with the form “{tries.leaks[0]}”",
        )
    ambiguous = [each for each in tries.raised if "ambiguous" in each]
    if ambiguous and not tries.other:
        return fails(
            "mask-truth-value",
            "The mask is asked whether it is true, which a tensor cannot say.",
            ambiguous[0],
        )
    if tries.ignored and not tries.other:
        return fails("no-causal-mask", "The mask changes nothing: every query still sees every key.", told)
    return [f"What {argument.name} does could not be decided: no usual form of a mask hides keys."]


def _empty_row(
    subject: Subject, name: str, form: str, shape: tuple[int, ...], kind: str
) -> Verdict | list[str]:
    """A row that may attend to nothing; what is added to scores is the caller's own, and torch's module is torch's."""
    good = [f"{name} works ({form}, shape {shape})."]
    inside = subject.module is not None and any(
        isinstance(each, nn.MultiheadAttention) for each in subject.module.modules()
    )
    if form.startswith("added") or inside or len(shape) == 1:
        return good
    allowed = _allowed(subject, kind).clone()
    allowed[-1] = False
    mask = dict(forms(allowed))[form].expand(shape).clone()
    try:
        out = subject.run(subject.inputs(), None, **{name: mask}).out
    except Exception:  # code that refuses such a mask says so itself
        return good
    if bool(out.isnan().any()):
        return fails(
            "masked-row-nan",
            "A row that may attend to nothing becomes NaN: softmax of −inf alone is 0/0.",
            f"{name} of shape {shape} ({form}) whose last row forbids every key",
        )
    return good
