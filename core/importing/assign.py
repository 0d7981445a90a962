"""Puts the keys of an untrusted file where a layout's rules send them: complete, or refused by name.

Every key is used or named as ignorable, every parameter of ours is filled exactly once, and every shape fits; all of
it is known from names and shapes before a value is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.errors import CheckpointError
from core.importing.options import SAME_TABLE
from core.importing.rules import Layout, Rule
from core.importing.weights import Weights
from core.model.config import ModelConfig
from core.model.transformer import Transformer

FLOATS = ("F16", "BF16", "F32", "F64")
_LISTED = 3


@dataclass(frozen=True)
class Destination:
    """What becomes of one key: the parameters it fills, what it is compared with, or why it is left out."""

    key: str
    shape: tuple[int, ...]
    dtype: str
    to: tuple[str, ...] = ()
    note: str = ""
    rule: Rule | None = None


class Assignment:
    """The destinations of all keys for one configuration, and everything that does not fit."""

    def __init__(self, layout: Layout, weights: Weights, config: ModelConfig) -> None:
        self.weights, self.config = weights, config
        with torch.device("meta"):
            model = Transformer(config)
        self.shapes = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
        self.made = {name: tuple(buffer.shape) for name, buffer in model.named_buffers()}
        # A tied table has one name; rules may use the other.
        self.aliases = {
            name: next(first for first, parameter in model.named_parameters() if parameter is tensor)
            for name, tensor in model.named_parameters(remove_duplicate=False)
        }
        self.problems: list[str] = []
        self.lacks_table = False
        self.destinations: list[Destination] = []
        self.filled: dict[str, list[Destination]] = {}
        self.constants: dict[str, float] = {}
        for key in weights.info:
            self._place(layout, key)
        self._check_complete(layout)

    def _place(self, layout: Layout, key: str) -> None:
        info = self.weights.info[key]
        for rule in layout.rules:
            match = rule.pattern.fullmatch(key)
            if match and all(getattr(self.config, name) == value for name, value in rule.when.items()):
                break
        else:
            self.destinations.append(Destination(key, info.shape, info.dtype, note="unused"))
            return
        if rule.ignore is not None:
            self.destinations.append(
                Destination(key, info.shape, info.dtype, note=f"ignored: {rule.ignore}", rule=rule)
            )
            return
        names = [_expand(match, name) for name in (rule.to or (rule.same_as or "",))]
        place = Destination(
            key, info.shape, info.dtype, tuple(self.aliases.get(n, n) for n in names), _note(rule), rule
        )
        self.destinations.append(place)
        if info.dtype not in FLOATS:
            self.problems.append(
                f"{key[:80]} is stored as {info.dtype}; weights must be one of {', '.join(FLOATS)}"
            )
        elif self._fits(place):
            for name in place.to if rule.to else ():
                self.filled.setdefault(name, []).append(place)

    def _fits(self, place: Destination) -> bool:
        assert place.rule is not None
        expected = self.made if place.rule.same_as else self.shapes
        for name in place.to:
            if name not in expected:
                self.problems.append(
                    f"{place.key[:80]} would fill {name}, which a model of this configuration does not have"
                )
                return False
        with torch.device("meta"):
            parts = _transformed(
                torch.empty(place.shape), place, self.config, [expected[name] for name in place.to]
            )
        became = [tuple(part.shape) for part in parts] if parts else [()] * len(place.to)
        for name, shape in zip(place.to, became, strict=True):
            if parts is None or shape != expected[name]:
                change = f" (it becomes {shape})" if parts and shape != place.shape else ""
                self.problems.append(
                    f"{place.key[:80]} has shape {place.shape}, which does not fit {name} {expected[name]}{change}"
                )
                return False
        return True

    def _check_complete(self, layout: Layout) -> None:
        for name, places in self.filled.items():
            firm = [place for place in places if not (place.rule and place.rule.duplicates)]
            if len(firm) > 1:
                self.problems.append(f"{firm[0].key[:80]} and {firm[1].key[:80]} would both fill {name}")
        missing = [name for name in self.shapes if name not in self.filled]
        for constant in layout.constants:
            for name in missing:
                if constant.pattern.fullmatch(name) and all(
                    getattr(self.config, n) == v for n, v in constant.when.items()
                ):
                    self.constants.setdefault(name, constant.value)
        missing = [name for name in missing if name not in self.constants]
        misplaced = any("does not fit" in problem or "stored as" in problem for problem in self.problems)
        self.lacks_table = missing == ["output_proj"] and not misplaced
        if missing and not misplaced:
            table = (
                ", the output table, and the model is said to have one of its own; give the whole model, or say "
                "--set tie_output=true if it shares the table of the embeddings"
            )
            self.problems.append(
                f"nothing in the file fills {_listed(missing)}{table if self.lacks_table else ''}"
            )
        unused = [place.key for place in self.destinations if place.note == "unused"]
        if unused:
            self.problems.append(f"the layout {layout.name} has no place for {_listed(unused)}")

    def model(self) -> Transformer:
        """The model with the file's values. Raises CheckpointError for values that are not finite or not equal."""
        with torch.random.fork_rng(devices=[]):  # the initial values it draws are about to be replaced
            model = Transformer(self.config).eval().requires_grad_(False)
        share = self.weights.in_memory
        if share:
            model = model.to(self.weights.tensor(next(iter(self.weights.info))).device)
        parameters, buffers = dict(model.named_parameters()), dict(model.named_buffers())
        done: dict[str, str] = {}
        for place in self.destinations:
            if place.rule is None or not place.to:
                continue
            targets = [(buffers if place.rule.same_as else parameters)[name] for name in place.to]
            tensor = self._finite(place.key)
            parts = (
                _transformed(tensor, place, self.config, [tuple(target.shape) for target in targets]) or []
            )
            for name, target, part in zip(place.to, targets, parts, strict=True):
                if place.rule.same_as or name in done:
                    self._compare(place, name, target, part.float(), done.get(name))
                else:
                    if share and part.dtype == target.dtype and part.device == target.device:
                        target.data = part  # no second copy of what is in memory already
                    else:
                        target.copy_(part)
                    done[name] = place.key
        for name, value in self.constants.items():
            parameters[name].fill_(value)
        return model if share else model.lay_out()

    def _finite(self, key: str) -> Tensor:
        tensor = self.weights.tensor(key)
        if not bool(torch.isfinite(tensor).all()):
            raise CheckpointError(
                f"{key[:80]} holds NaN or infinity; give a checkpoint from before training broke."
            )
        return tensor

    def _compare(
        self, place: Destination, name: str, ours: Tensor, theirs: Tensor, other: str | None
    ) -> None:
        if not torch.allclose(ours, theirs, atol=SAME_TABLE if other is None else 0.0, rtol=0.0):
            against = f"the copy in {other[:80]}" if other else f"the {name} that this model computes"
            raise CheckpointError(
                f"{place.key[:80]} differs from {against}, so it cannot be left out; use --map."
            )


def _expand(match: re.Match[str], template: str) -> str:
    return re.sub(r"\\(\d+)", lambda group: match.group(int(group[1])) or "", template)


def _transformed(
    tensor: Tensor, place: Destination, config: ModelConfig, shapes: Iterable[tuple[int, ...]]
) -> list[Tensor] | None:
    """The tensor cut and turned as the rule says, a part a destination; None where that is not possible."""
    rule, wanted = place.rule, list(shapes)
    assert rule is not None
    try:
        if rule.permute:
            tensor = tensor.permute(rule.permute)
        if rule.reshape:
            settings: Mapping[str, Any] = config.to_json() | {"head_dim": config.d_head}
            tensor = tensor.reshape(
                [size if isinstance(size, int) else int(settings[size]) for size in rule.reshape]
            )
        if rule.transpose:
            tensor = tensor.transpose(-2, -1)
        if len(wanted) == 1 or rule.copy:
            parts = [tensor] * len(wanted)
        elif rule.sizes:
            parts = list(tensor.split(list(rule.sizes), dim=rule.axis))
        else:
            if tensor.shape[rule.axis] % len(wanted):
                return None
            parts = list(tensor.chunk(len(wanted), dim=rule.axis))
        if rule.expand:
            parts = [
                part.expand(shape) if part.numel() == 1 else part
                for part, shape in zip(parts, wanted, strict=True)
            ]
        if rule.fit:
            parts = [part[: shape[0]] for part, shape in zip(parts, wanted, strict=True)]
    except (RuntimeError, IndexError, TypeError, ValueError):
        return None
    return parts if len(parts) == len(wanted) else None


def _note(rule: Rule) -> str:
    steps = [
        *([f"axes put in order {list(rule.permute)}"] if rule.permute else []),
        *([f"reshaped to {list(rule.reshape)}"] if rule.reshape else []),
        *(["transposed"] if rule.transpose else []),
        *([f"split in {len(rule.to)} along axis {rule.axis}"] if len(rule.to) > 1 and not rule.copy else []),
        *(["leading rows kept"] if rule.fit else []),
        *(["may repeat another key"] if rule.duplicates else []),
        *(["compared, not stored"] if rule.same_as else []),
    ]
    return ", ".join(steps)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(name[:80] for name in names[:_LISTED]) + more


def parameters_of(model: Transformer) -> int:
    """How many numbers the model has, tied tables counted once."""
    return sum(math.prod(parameter.shape) for parameter in model.parameters())
