"""Assigns the keys of an untrusted file to parameters by a layout's rules: completely, or refused by name.

Every key is used or explicitly ignored, every parameter is filled exactly once, and every shape fits; all of
this is checked from names and shapes before a value is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.errors import CheckpointError, listed
from core.importing.options import SAME_TABLE
from core.importing.rules import Layout, Rule
from core.importing.weights import Weights
from core.language import tr
from core.model.config import ModelConfig
from core.model.transformer import Transformer

FLOATS = ("F16", "BF16", "F32", "F64")


@dataclass(frozen=True)
class Destination:
    """What happens to one key: the parameters it fills, the tensor it is compared with, or why it is ignored."""

    key: str
    shape: tuple[int, ...]
    dtype: str
    to: tuple[str, ...] = ()
    note: str = ""
    rule: Rule | None = None
    part: str = ""  # its number among the keys that fill the parameter together


class Assignment:
    """The destinations of all keys for one configuration, and every problem."""

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
        self.joined: dict[str, list[Destination]] = {}
        for key in weights.info:
            self._assign(layout, key)
        for name, parts in self.joined.items():
            self._check_joined(name, parts)
        self._check_complete(layout)

    def _assign(self, layout: Layout, key: str) -> None:
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
        part = _expand(match, rule.part)
        destination = Destination(
            key,
            info.shape,
            info.dtype,
            tuple(self.aliases.get(n, n) for n in names),
            _note(rule, part),
            rule,
            part,
        )
        self.destinations.append(destination)
        if info.dtype not in FLOATS:
            self.problems.append(
                f"{key[:80]} is stored as {info.dtype}; weights must be one of {', '.join(FLOATS)}"
            )
        elif rule.part:
            self.joined.setdefault(destination.to[0], []).append(destination)
        elif self._fits(destination):
            for name in destination.to if rule.to else ():
                self.filled.setdefault(name, []).append(destination)

    def _fits(self, destination: Destination) -> bool:
        assert destination.rule is not None
        expected = self.made if destination.rule.same_as else self.shapes
        for name in destination.to:
            if name not in expected:
                self.problems.append(
                    f"{destination.key[:80]} would fill {name}, which a model of this configuration does not have"
                )
                return False
        with torch.device("meta"):
            pieces = _transformed(
                torch.empty(destination.shape),
                destination,
                self.config,
                [expected[name] for name in destination.to],
            )
        became = [tuple(piece.shape) for piece in pieces] if pieces else [()] * len(destination.to)
        for name, shape in zip(destination.to, became, strict=True):
            if pieces is None or shape != expected[name]:
                change = f" (it becomes {shape})" if pieces and shape != destination.shape else ""
                self.problems.append(
                    f"{destination.key[:80]} has shape {destination.shape}, which does not fit {name} {expected[name]}{change}"
                )
                return False
        return True

    def _check_joined(self, name: str, parts: list[Destination]) -> None:
        """Order the keys that fill `name` together by their numbers, and check these and the shape they make."""
        if name not in self.shapes:
            self._fits(parts[0])  # says so
            return
        first = parts[0]
        if sorted(each.part for each in parts) != sorted(map(str, range(len(parts)))):
            numbers = ", ".join(sorted(each.part[:20] or "none" for each in parts)[:8])
            self.problems.append(
                f"{first.key[:80]} and {len(parts) - 1} more fill {name} as parts {numbers}, not 0 to "
                f"{len(parts) - 1}"
            )
            return
        parts.sort(key=lambda each: int(each.part))
        with torch.device("meta"):
            whole = self._whole(parts, [torch.empty(each.shape) for each in parts])
        if whole is None or tuple(whole.shape) != self.shapes[name]:
            became = f" {tuple(whole.shape)}" if whole is not None else " no one shape"
            self.problems.append(
                f"{first.key[:80]} and {len(parts) - 1} more have{became} together, which does not fit {name} {self.shapes[name]}"
            )
            return
        self.filled.setdefault(name, []).append(first)

    def _whole(self, parts: list[Destination], tensors: list[Tensor]) -> Tensor | None:
        """The parts in one tensor; None where they cannot be joined."""
        pieces: list[Tensor] = []
        for each, tensor in zip(parts, tensors, strict=True):
            made = _transformed(tensor, each, self.config, [()])
            if made is None:
                return None
            pieces += made
        assert parts[0].rule is not None
        try:
            return torch.cat(pieces, dim=parts[0].rule.axis)
        except (RuntimeError, IndexError):
            return None

    def _check_complete(self, layout: Layout) -> None:
        for name, destinations in self.filled.items():
            firm = [
                destination
                for destination in destinations
                if not (destination.rule and destination.rule.duplicates)
            ]
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
                f"nothing in the file fills {listed(missing)}{table if self.lacks_table else ''}"
            )
        unused = [destination.key for destination in self.destinations if destination.note == "unused"]
        if unused:
            self.problems.append(f"the layout {layout.name} has no place for {listed(unused)}")

    def model(self) -> Transformer:
        """The model with the file's values. Raises CheckpointError for values that are not finite or not equal."""
        with torch.random.fork_rng(devices=[]):  # its random initial values are replaced below
            model = Transformer(self.config).eval().requires_grad_(False)
        share = self.weights.in_memory
        if share:
            model = model.to(self.weights.tensor(next(iter(self.weights.info))).device)
        parameters, buffers = dict(model.named_parameters()), dict(model.named_buffers())
        done: dict[str, str] = {}
        for destination in self.destinations:
            if destination.rule is None or not destination.to or destination.rule.part:
                continue
            targets = [(buffers if destination.rule.same_as else parameters)[name] for name in destination.to]
            tensor = self._finite(destination.key)
            pieces = (
                _transformed(tensor, destination, self.config, [tuple(target.shape) for target in targets])
                or []
            )
            for name, target, piece in zip(destination.to, targets, pieces, strict=True):
                if destination.rule.same_as or name in done:
                    self._compare(destination, name, target, piece.float(), done.get(name))
                else:
                    if share and piece.dtype == target.dtype and piece.device == target.device:
                        target.data = piece  # share what is in memory already
                    else:
                        target.copy_(piece)
                    done[name] = destination.key
        for name, parts in self.joined.items():
            whole = self._whole(parts, [self._finite(each.key) for each in parts])
            assert whole is not None  # its shape is checked
            parameters[name].copy_(whole)
        for name, value in self.constants.items():
            parameters[name].fill_(value)
        return model if share else model.pack_weights()

    def _finite(self, key: str) -> Tensor:
        tensor = self.weights.tensor(key)
        if not bool(torch.isfinite(tensor).all()):
            raise CheckpointError.tr(
                "{key} holds NaN or infinity; give a checkpoint from before the training failed.",
                key=key[:80],
            )
        return tensor

    def _compare(
        self, destination: Destination, name: str, ours: Tensor, theirs: Tensor, other: str | None
    ) -> None:
        if not torch.allclose(ours, theirs, atol=SAME_TABLE if other is None else 0.0, rtol=0.0):
            against = (
                tr("the copy in {key}", key=other[:80])
                if other
                else tr("the {name} that this model computes", name=name)
            )
            raise CheckpointError.tr(
                "{key} differs from {against}, so it cannot be left out; write rules for it with --map FILE.toml.",
                key=destination.key[:80],
                against=against,
            )


def _expand(match: re.Match[str], template: str) -> str:
    return re.sub(r"\\(\d+)", lambda group: match.group(int(group[1])) or "", template)


def _transformed(
    tensor: Tensor, destination: Destination, config: ModelConfig, shapes: Iterable[tuple[int, ...]]
) -> list[Tensor] | None:
    """The tensor cut and reordered by the rule, a piece per destination; None where that is not possible."""
    rule, wanted = destination.rule, list(shapes)
    assert rule is not None
    try:
        if rule.permute:
            tensor = tensor.permute(rule.permute)
        if rule.reshape:
            own = config.of("decoder" if destination.to[0].startswith("decoder") else "encoder")
            settings: Mapping[str, Any] = own.to_json() | {"head_dim": own.d_head}
            tensor = tensor.reshape(
                [size if isinstance(size, int) else int(settings[size]) for size in rule.reshape]
            )
        if rule.transpose:
            tensor = tensor.transpose(-2, -1)
        if len(wanted) == 1 or rule.copy:
            pieces = [tensor] * len(wanted)
        elif rule.sizes:
            pieces = list(tensor.split(list(rule.sizes), dim=rule.axis))
        else:
            if tensor.shape[rule.axis] % len(wanted):
                return None
            pieces = list(tensor.chunk(len(wanted), dim=rule.axis))
        if rule.expand:
            pieces = [
                piece.expand(shape) if piece.numel() == 1 else piece
                for piece, shape in zip(pieces, wanted, strict=True)
            ]
        if rule.fit:
            pieces = [piece[: shape[0]] for piece, shape in zip(pieces, wanted, strict=True)]
    except (RuntimeError, IndexError, TypeError, ValueError):
        return None
    return pieces if len(pieces) == len(wanted) else None


def _note(rule: Rule, part: str) -> str:
    steps = [
        *([f"axes put in order {list(rule.permute)}"] if rule.permute else []),
        *([f"reshaped to {list(rule.reshape)}"] if rule.reshape else []),
        *(["transposed"] if rule.transpose else []),
        *([f"split in {len(rule.to)} along axis {rule.axis}"] if len(rule.to) > 1 and not rule.copy else []),
        *(["leading rows kept"] if rule.fit else []),
        *([f"part {part[:20]} along axis {rule.axis}"] if rule.part else []),
        *(["may repeat another key"] if rule.duplicates else []),
        *(["compared, not stored"] if rule.same_as else []),
    ]
    return ", ".join(steps)


def parameters_of(model: Transformer) -> int:
    """The number of parameters of the model, tied tables counted once."""
    return sum(math.prod(parameter.shape) for parameter in model.parameters())
