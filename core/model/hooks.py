"""What to record and edit in a forward pass: `Site` names a point in the model, `Hooks` lists what a caller wants, `Tap`
is that at one block.

Sites have the same names in code, plots, URLs and files. A `Hooks` object is passed to the model as an argument and
belongs to the caller. Nothing is stored on a module, so one model serves any number of requests at once. This module
imports no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from core.errors import InputError
from core.language import message

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.config import ModelConfig


STACKS = ("encoder", "decoder")
BLOCKS = ("self", "cross", "ffn", "embed", "final")
_STREAM_KINDS = ("residual_before", "residual_after")
_NORM_KINDS = ("norm_input", "norm_mean", "norm_var", "norm_output")
MAP_KINDS = ("scores", "masked_scores", "weights")  # (B, H, T_query, T_key), one number a query and key
_ATTENTION_KINDS = (
    "q",
    "k",
    "v",
    *MAP_KINDS,
    "value_norm",
    "head_output",
    "output",
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
    """One of the three kinds of attention: its names and the block where its sites are.

    `key` is used in links and for its colour, `name` in files and scores; `label` is what a reader sees, `title` the same
    with its noun, and `phrase` the title within a sentence.
    """

    key: str
    name: str
    stack: str
    block: str
    label: str
    title: str
    phrase: str


ATTENTION: Mapping[str, Attention] = {
    kind.key: kind
    for kind in (
        Attention(
            "encoder",
            "encoder-self",
            "encoder",
            "self",
            message("encoder self"),
            message("encoder self-attention"),
            message("encoder self-attention"),
        ),
        Attention(
            "causal",
            "decoder-self",
            "decoder",
            "self",
            message("decoder causal"),
            message("decoder self-attention (causal)"),
            message("causal self-attention"),
        ),
        Attention(
            "cross",
            "cross",
            "decoder",
            "cross",
            message("cross"),
            message("cross-attention"),
            message("cross-attention"),
        ),
    )
}
"""The three kinds by `key`, in the order of computation."""
_UNMASKED = ATTENTION["causal"]._replace(
    label=message("decoder self"),
    title=message("decoder self-attention"),
    phrase=message("decoder self-attention"),
)
ATTENTION_NAMES = tuple(kind.name for kind in ATTENTION.values())


def attention_of(config: ModelConfig, key: str) -> Attention:
    """One of the three kinds as this model has it: a decoder without the causal mask is not named by it."""
    return _UNMASKED if key == "causal" and not config.causal else ATTENTION[key]


class Site(NamedTuple):
    """A named point in the model. `layer` counts from 0; `embed` and `final` exist once per stack, as layer 0.

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


LOGITS = Site("decoder", 0, "final", "logits")
"""The scores of every token at each step."""
ATTENTION_MAPS = tuple((kind.stack, kind.block) for kind in ATTENTION.values())


Edit = Callable[["Tensor"], "Tensor"]
_BLOCKS = 1024  # blocks kept in a plan; more than any model has


class Hooks:
    """What one caller records and edits in a forward pass.

    `record` lists sites (or patterns such as "decoder.*.cross.weights" or "*.norm_*") to keep in
    `.records`; `edit` maps sites or patterns to functions of the tensor that return its replacement, of the
    same shape. A site is edited before it is recorded. An object serves one forward pass or one step; use a
    new one, or `clear()`, for the next.
    """

    def __init__(self, record: Iterable[Site | str] = (), edit: Mapping[Any, Edit] | None = None) -> None:
        self.record = tuple(record)
        self.edit = dict(edit or {})
        for name in (*self.record, *self.edit):
            if isinstance(name, str) and not any(mark in name for mark in "*?["):
                Site.parse(name)
        self.records: dict[Site, Tensor] = {}
        self._plan = _Plan(self.record, self.edit) if self.edit else _plan(self.record)

    def wants(self, site: Site) -> bool:
        """Whether `site` is recorded or edited."""
        return self.at(site.stack, site.layer, site.block).wants(site.kind)

    def keep(self, site: Site, tensor: Tensor) -> None:
        """Put `tensor` into the records; a copy where something is edited, since an edit may write in place."""
        kept = tensor.detach() if tensor.requires_grad else tensor
        self.records[site] = kept.clone() if self.edit else kept

    def clear(self) -> None:
        """Drop the records."""
        self.records = {}

    def at(self, stack: str, layer: int, block: str) -> Tap:
        """The tap of one block. It is not kept: hooks that refer to themselves would hold their records until Python looks for cycles."""
        requests, kinds = self._plan[stack, layer, block]
        return Tap(self, requests, kinds) if kinds else NO_TAP


_Requests = tuple[Mapping[str, "SiteRequest"], frozenset[str]]


class _Plan(dict[tuple[str, int, str], _Requests]):
    """The requests of each block by kind, and these kinds; matched when a pass first reaches the block."""

    def __init__(self, record: tuple[Site | str, ...], edit: Mapping[Any, Edit] | None = None) -> None:
        self.record, self.edit = record, edit or {}

    def __missing__(self, block: tuple[str, int, str]) -> _Requests:
        requests = {}
        for site in (Site(*block, kind) for kind in KINDS[block[2]]):
            recorded = any(_matches(name, site) for name in self.record)
            edits = tuple(edit for name, edit in self.edit.items() if _matches(name, site))
            if recorded or edits:
                requests[site.kind] = SiteRequest(site, recorded, edits)
        # torch.compile can follow a set of the kinds, unlike the keys of a mapping.
        found = requests, frozenset(requests)
        if len(self) < _BLOCKS:
            self[block] = found
        return found


@lru_cache(maxsize=256)
def _plan(record: tuple[Site | str, ...]) -> _Plan:
    """The plan of `record` without edits, shared by all hooks that record it, in every thread."""
    return _Plan(record)


def _matches(name: Site | str, site: Site) -> bool:
    return fnmatchcase(str(site), name) if isinstance(name, str) else name == site


class SiteRequest(NamedTuple):
    """Whether one site is recorded, and the edits of it."""

    site: Site
    recorded: bool
    edits: tuple[Edit, ...]


class Tap:
    """Reports one block's tensors: call it with a kind and a tensor, and use the tensor that it returns.

    The tensor itself is recorded, not a copy: the model never writes into a tensor that it has passed to a tap.
    """

    __slots__ = ("_hooks", "_kinds", "_requests")

    def __init__(
        self, hooks: Hooks | None, requests: Mapping[str, SiteRequest], kinds: frozenset[str]
    ) -> None:
        self._hooks, self._requests, self._kinds = hooks, requests, kinds

    def __call__(self, kind: str, tensor: Tensor) -> Tensor:
        request = self._requests.get(kind)
        if request is None or self._hooks is None:
            return tensor
        for edit in request.edits:
            replacement = edit(tensor)
            if replacement.shape != tensor.shape:
                raise InputError(
                    f"The edit at {request.site} returned shape {tuple(replacement.shape)}; "
                    f"it must keep {tuple(tensor.shape)}."
                )
            tensor = replacement
        if request.recorded:
            self._hooks.keep(request.site, tensor)
        return tensor

    def wants(self, *kinds: str) -> bool:
        """Whether any of `kinds` is recorded or edited here."""
        return not self._kinds.isdisjoint(kinds)

    def edits(self, *kinds: str) -> bool:
        """Whether any of `kinds` is edited here."""
        return any(kind in self._requests and self._requests[kind].edits for kind in kinds)


NO_TAP = Tap(None, {}, frozenset())


def tap(hooks: Hooks | None, stack: str, layer: int, block: str) -> Tap:
    """The tap of one block; one shared tap that does nothing when `hooks` is None."""
    return NO_TAP if hooks is None else hooks.at(stack, layer, block)
