"""Somebody's model of ids, called in its own layout and with its own masks, its logits always (B, T, V)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import torch
from torch import Tensor

from core.learning import calling
from core.learning.calling import Argument, Fn
from core.learning.check_masks import forms
from core.learning.probing import CELL, Recorder, Run

SOURCE, TARGET = 8, 6
BATCH: Final = 2
_SOURCE_WORDS: Final = ("src", "source", "enc", "memory", "cross", "input")


@dataclass(frozen=True)
class Ids:
    """Ids of a batch, batch first: sources (B, S), or none, and targets (B, T)."""

    source: Tensor | None
    target: Tensor


@dataclass(frozen=True)
class Caller:
    """A model with the way to call it; `masks` maps an argument to its kind, its form and its shape."""

    fn: Fn
    arguments: list[Argument]
    vocabulary: tuple[int, int]
    pad: int
    turned: bool = False
    lengths: tuple[int, int] = (SOURCE, TARGET)
    masks: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """Whether there is no source."""
        return not any(each.role == "memory" for each in self.arguments)

    def ids(self, lengths: tuple[int, int] | None = None) -> Ids:
        """Ids of real tokens, the same on every run; shorter ones are the beginning of longer ones."""
        drawn = []
        for n, (count, size) in enumerate(zip(lengths or self.lengths, self.vocabulary, strict=True)):
            real = [each for each in range(1 if size > 2 else 0, size) if each != self.pad]
            numbers = torch.randint(len(real), (BATCH, 64), generator=torch.Generator().manual_seed(3 + n))
            drawn.append(torch.tensor(real)[numbers][:, :count])
        return Ids(None if self.alone else drawn[0], drawn[1])

    def other(self, token: Tensor, side: int) -> int:
        """A real token that is another one."""
        return next(each for each in range(1, self.vocabulary[side]) if each not in (int(token), self.pad))

    def run(self, ids: Ids, fn: Fn | None = None) -> Run:
        """Logits (B, T, V). Raises what the model raises, and `ValueError` where there is no row for each target."""
        turn: Callable[[Tensor], Tensor] = (lambda x: x.T.contiguous()) if self.turned else (lambda x: x)
        given = {"query": turn(ids.target)} | ({} if ids.source is None else {"memory": turn(ids.source)})
        real = turn(ids.target if ids.source is None else ids.source) != self.pad
        given["lengths"] = real.sum(0 if self.turned else 1)
        made = {name: self._mask(ids, *how) for name, how in self.masks.items()}
        with Recorder() as recorder:
            result = calling.invoke(fn or self.fn, self.arguments, {**given, **made})
        rows = tuple(given["query"].shape)
        for each in calling.tensors(result):
            if tuple(each.shape[:2]) == rows and each.dim() == 3:
                out = each.detach().float()
                return Run(out.transpose(0, 1) if self.turned else out, recorder.softmaxes)
            if each.dim() == 2 and each.shape[0] == rows[0] * rows[1] and each.shape[1] > 1:
                out = each.detach().float().unflatten(0, rows)
                return Run(out.transpose(0, 1) if self.turned else out, recorder.softmaxes)
        raise ValueError(
            f"no tensor of the result has a row for each target {rows}; shapes: {[tuple(each.shape) for each in calling.tensors(result)]}"
        )

    def _mask(self, ids: Ids, kind: str, form: str, shape: str) -> Tensor:
        tokens = ids.source if kind == "source" and ids.source is not None else ids.target
        real, count = tokens != self.pad, tokens.shape[1]
        if kind == "causal":
            allowed = torch.ones(count, count, dtype=torch.bool).tril()
            allowed = allowed if shape in ("tt", "1tt") else allowed & real[:, None, :]
            allowed = {
                "tt": allowed,
                "1tt": allowed[None],
                "btt": allowed,
                "b1tt": allowed[:, None] if allowed.dim() == 3 else allowed,
            }[shape]
        else:
            allowed = {"bt": real, "b1t": real[:, None], "b11t": real[:, None, None]}[shape]
        return dict(forms(allowed))[form]

    def moves(self, ids: Ids) -> Tensor:
        """(T, B, T) bool: which logits move when target token i of one sentence is replaced."""
        start, found = self.run(ids), []
        for token in range(ids.target.shape[1]):
            target = ids.target.clone()
            target[CELL, token] = self.other(target[CELL, token], 1)
            found.append(start.moved(self.run(replace(ids, target=target))))
        return torch.stack(found)


# -- its masks ----------------------------------------------------------------------------------------------


def kind_of(argument: Argument) -> str:
    of_source = any(argument.name.lower().startswith(each) for each in _SOURCE_WORDS)
    return "source" if of_source else "target" if argument.role == "padding" else "causal"


def masked(caller: Caller, some: list[Argument]) -> Iterator[Caller]:
    """The caller with these masks, each time in another form and shape."""
    if not some:
        return
    names = [form for form, _ in forms(torch.ones(1, 1, dtype=torch.bool))]
    for n in range(4):
        for form in names:
            made = {}
            for each in some:
                kind = "causal" if caller.alone and each.role == "mask" else kind_of(each)
                shapes = ("tt", "1tt", "btt", "b1tt") if kind == "causal" else ("bt", "b1t", "b11t", "b11t")
                made[each.name] = (kind, form, shapes[n])
            yield replace(caller, masks={**caller.masks, **made})
