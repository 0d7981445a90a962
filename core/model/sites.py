"""`Site`: the names of the places in the model. The same words in code, plots, URLs and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from core.errors import InputError

STACKS = ("encoder", "decoder")
BLOCKS = ("self", "cross", "ffn", "embed", "final")
_STREAM_KINDS = ("residual_before", "residual_after")
_NORM_KINDS = ("norm_input", "norm_mean", "norm_var", "norm_output")
MAP_KINDS = ("scores", "masked_scores", "weights")  # (B, H, T_query, T_key), one number a query and key
_ATTENTION_KINDS = (
    *("q", "k", "v", *MAP_KINDS, "value_norm", "head_output", "output"),
    *_STREAM_KINDS,
    *_NORM_KINDS,
)
KINDS: Mapping[str, tuple[str, ...]] = {
    "self": _ATTENTION_KINDS,
    "cross": _ATTENTION_KINDS,
    "ffn": ("hidden", "output", *_STREAM_KINDS, *_NORM_KINDS),
    "embed": ("token_embedding", "position_encoding", "sum", *_NORM_KINDS),
    "final": ("output", "logits", *_NORM_KINDS),
}
_ONE_PER_STACK = ("embed", "final")


class Attention(NamedTuple):
    """One of the three kinds of attention: how it is called everywhere, and where its sites are.

    `key` stands in links and names its colour, `name` in files and scores; `label` is what a reader sees, and
    `title` the same with its noun.
    """

    key: str
    name: str
    stack: str
    block: str
    label: str
    title: str


ATTENTION: Mapping[str, Attention] = {
    kind.key: kind
    for kind in (
        Attention("encoder", "encoder-self", "encoder", "self", "encoder self", "encoder self-attention"),
        Attention(
            *("causal", "decoder-self", "decoder", "self"),
            *("decoder self (causal)", "decoder self-attention (causal)"),
        ),
        Attention("cross", "cross", "decoder", "cross", "cross", "cross-attention"),
    )
}
"""The three kinds by `key`, in the order in which the data meets them."""
ATTENTION_NAMES = tuple(kind.name for kind in ATTENTION.values())


class Site(NamedTuple):
    """One place in the model. `layer` counts from 0; `embed` and `final` exist once a stack, as layer 0.

    Written `encoder.0.self.weights`, or `decoder.final.logits` for the blocks that exist once.
    """

    stack: str
    layer: int
    block: str
    kind: str

    def __str__(self) -> str:
        parts = (self.stack, self.block, self.kind)
        return ".".join(parts if self.block in _ONE_PER_STACK else (self.stack, str(self.layer), *parts[1:]))

    @classmethod
    def parse(cls, text: str) -> Site:
        """The site that `str(site)` wrote. Raises `InputError` naming the part that does not exist."""
        parts = text.split(".")
        if len(parts) == 3 and parts[1] in _ONE_PER_STACK:
            parts.insert(1, "0")
        if len(parts) != 4 or not parts[1].isdecimal() or len(parts[1]) > 3:
            raise InputError(
                f"{text!r} is not a site; write stack.layer.block.kind, as in decoder.0.cross.weights."
            )
        stack, layer, block, kind = parts
        for value, allowed in ((stack, STACKS), (block, BLOCKS), (kind, KINDS.get(block, ()))):
            if value not in allowed:
                raise InputError(
                    f"{value!r} in site {text!r} does not exist; choose one of {', '.join(allowed)}."
                )
        return cls(stack, int(layer), block, kind)


ATTENTION_MAPS = tuple((kind.stack, kind.block) for kind in ATTENTION.values())
