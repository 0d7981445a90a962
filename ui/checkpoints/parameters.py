"""What a checkpoint's parameters tell, in words, colours and order: pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from core.analysis.parameters import ParameterLine

Home = Literal["encoder", "causal", "cross", "table"]


@dataclass(frozen=True)
class Share:
    """A part of a model and how many of its parameters are there. `kind` is the colour it has on every page."""

    kind: Home
    name: str
    parameters: int
    fraction: float


def hue(parameter: str) -> str:
    """The palette's name of the colour that a parameter's part of the model has on every page."""
    for letter, name in (("q", "query"), ("k", "key"), ("v", "value")):
        if f".{letter}_proj." in parameter:
            return name
    home = _home(parameter)
    return "bar" if home == "table" else home


def _home(parameter: str) -> Home:
    if parameter.startswith("encoder_"):
        return "encoder"
    if parameter.startswith("decoder_"):
        return "cross" if ".cross_" in parameter else "causal"
    return "table"


def shares(lines: Iterable[ParameterLine]) -> list[Share]:
    """Where a model's parameters are, in the order of the data's way through it; parts without any are left out."""
    counts: dict[tuple[Home, str], int] = {
        ("table", "tables of tokens and positions"): 0,
        ("encoder", "encoder"): 0,
        ("causal", "decoder, without cross-attention"): 0,
        ("cross", "cross-attention"): 0,
    }
    parts = {kind: (kind, name) for kind, name in counts}
    for line in lines:
        counts[parts[_home(line.name)]] += math.prod(line.shape)
    total = sum(counts.values())
    return [Share(kind, name, count, count / total) for (kind, name), count in counts.items() if count]


_BLOCKS: Final = (
    "self_attention",
    "self_residual",
    "cross_attention",
    "cross_residual",
    "feed_forward",
    "ffn_residual",
)


def in_order(lines: Iterable[ParameterLine]) -> list[ParameterLine]:
    """Parameters in the order of the data's way: tables, encoder, decoder; layer 2 before layer 10."""

    def place(line: ParameterLine) -> tuple[int, list[tuple[int, str]]]:
        stack = 1 if line.name.startswith("encoder_") else 2 if line.name.startswith("decoder_") else 0
        return stack, [_part(part) for part in line.name.split(".")]

    return sorted(lines, key=place)


def _part(name: str) -> tuple[int, str]:
    if name.isdecimal():
        return int(name), ""
    return (_BLOCKS.index(name) if name in _BLOCKS else len(_BLOCKS)), name


def meaning(parameter: str) -> str:
    """What to look for in the spread of a parameter's numbers."""
    if "norm" in parameter and parameter.endswith("weight"):
        return "γ, the gain of a norm: 1 lets a dimension through as it is"
    if "norm" in parameter and parameter.endswith("bias"):
        return "β, what a norm adds to each dimension"
    return "a narrow peak about 0 is usual; a second bump or a far tail is worth a look"
