"""Check what lies around the attentions of a module: residual paths, layers that reach nothing or share their weights.

A layer is recognised by its weights: beside attention it has the two matrices of a feed-forward network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Final

import torch
from torch import Tensor, nn

from core.learning.calling import Remark, Verdict, close, fails, remark
from core.learning.probing import Run, hooked, named_calls, projections, shifted

_SHARED: Final = re.compile(r"shar|albert|universal|recur|tied|tie_", re.IGNORECASE)


def is_norm(part: nn.Module) -> bool:
    """Whether a part without parts is called a norm."""
    return not any(True for _ in part.children()) and "norm" in type(part).__name__.lower()


def is_layer(part: nn.Module) -> bool:
    """Whether a part holds the weights of an attention, of a feed-forward network, and a norm."""
    shapes = [tuple(each.shape) for each in projections(part).values()]
    return _feeds(shapes) and len(shapes) >= 4 and any(is_norm(each) for each in part.modules())


def _feeds(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether two matrices lead to another width and back, as in a feed-forward network; with a gate, from twice of it."""
    pairs = [each for each in shapes if len(each) == 2 and each[0] != each[1]]
    return any(a[1] == b[0] and a[0] in (b[1], 2 * b[1]) for a in pairs for b in pairs)


def attentions(module: nn.Module, run: Callable[[], Run], lengths: set[int]) -> dict[str, nn.Module]:
    """By name, the smallest parts with projections in which a softmax between tokens runs; "" is the module itself."""
    with named_calls(module):
        seen = run().softmaxes
    found: dict[str, nn.Module] = {}
    for each in seen:
        if not set(each.scores.shape[-2:]) <= lengths:
            continue
        name = each.within
        while name and len(projections(module.get_submodule(name))) < 2:
            name = name.rpartition(".")[0]
        found[name] = module.get_submodule(name)
    return found


def layers(module: nn.Module, found: dict[str, nn.Module]) -> dict[str, nn.Module]:
    """By name, the smallest parts that hold one of these attentions and a feed-forward network."""
    around: dict[str, nn.Module] = {}
    for name in found:
        while name:
            part = module.get_submodule(name)
            if is_layer(part) and _beyond(name, part, found):
                around[name] = part
                break
            name = name.rpartition(".")[0]
    return around


def _beyond(name: str, part: nn.Module, found: dict[str, nn.Module]) -> bool:
    """Whether a part has a feed-forward network that is no part of an attention inside it."""
    inner = {id(w) for each, at in found.items() if each != name for w in at.parameters()}
    left = [tuple(each.shape) for each in projections(part).values() if id(each) not in inner]
    if name in found:  # attention and feed-forward network written in one forward pass
        return len(left) >= 6 and sum(is_norm(each) for each in part.modules()) >= 2
    return _feeds(left)


class _Zeros:
    """Zeros in all weights of a part but those of its norms, while a block runs."""

    def __init__(self, part: nn.Module) -> None:
        own = [
            each
            for inner in part.modules()
            if any(each.dim() >= 2 for each in inner.parameters(recurse=False))
            for each in inner.parameters(recurse=False)
        ]
        self.kept = [(each, each.detach().clone()) for each in own]

    def __enter__(self) -> None:
        with torch.no_grad():
            for each, _ in self.kept:
                each.zero_()

    def __exit__(self, *_: object) -> None:
        with torch.no_grad():
            for each, values in self.kept:
                each.copy_(values)


def residual(name: str, part: nn.Module, passes_through: Callable[[], bool]) -> Verdict | None:
    """With all weights of a layer at zero its residual paths are all that is left, and a token still passes."""
    with _Zeros(part):
        try:
            passed = passes_through()
        except Exception:  # some code divides by the length of what a layer gives
            return None
    return None if passed else fails("no-residual", name and f"the layer {name}", name=name or "the layer")


def reads(part: nn.Module, one: Callable[[], Any], two: Callable[[], Any]) -> bool:
    """Whether what a part's first projection is given differs between two calls."""
    given: list[list[Tensor]] = [[], []]
    first = next(
        each for each in part.modules() if any(weight.dim() >= 2 for weight in each.parameters(recurse=False))
    )
    for kept, call in zip(given, (one, two), strict=True):

        def hook(_: nn.Module, inputs: Any, out: Any, kept: list[Tensor] = kept) -> None:
            kept.append(out[0] if isinstance(out, tuple) else out)

        with hooked([first], hook):
            call()
    return any(not torch.equal(a, b) for a, b in zip(*given, strict=False))


def idle(module: nn.Module, run: Callable[[], Run]) -> Verdict | None:
    """A layer, or a stack of them, whose weights change nothing in the result."""
    start = run()
    for name, part in module.named_modules():
        if not (name and is_layer(part)):
            continue
        with ExitStack() as others:
            for weight in projections(part).values():
                others.enter_context(shifted(weight))
            if not bool(start.moved(run()).any()):
                return fails(
                    "layer-unused", f"other weights in {name} change no number of the result", name=name
                )
    return None


def shared(module: nn.Module) -> Verdict | None:
    """A list that holds one and the same layer several times, where no name says that this is meant."""
    named = (word for part in module.modules() for word in (type(part).__name__, *vars(part)))
    if any(_SHARED.search(each) for each in named):
        return None
    for name, part in module.named_modules():
        listed = list(part._modules.values()) if isinstance(part, (nn.ModuleList, nn.Sequential)) else []
        first = listed[0] if len(listed) > 1 else None
        if first is not None and all(each is first for each in listed) and is_layer(first):
            return fails("shared-layers", f"{name}[0] is {name}[1]", name=name, count=len(listed))
    return None


def positions_twice(module: nn.Module, run: Callable[[], Run]) -> Verdict | None:
    """A part that adds positions to what a part has just added the same positions to."""
    added: list[tuple[Tensor, Tensor]] = []
    hits: list[str] = []
    names = {part: name for name, part in module.named_modules() if not projections(part)}

    def hook(part: nn.Module, given: Any, out: Any) -> None:
        if not (given and isinstance(given[0], Tensor) and isinstance(out, Tensor) and out.dim() == 3):
            return
        if given[0].shape != out.shape or not out.is_floating_point():
            return
        table = out - given[0]
        rows = [table.transpose(0, 1), table]
        if not any(close(each[0], each[1]) and not close(each[0, :1], each[0, 1:2]) for each in rows):
            return
        if any(before is given[0] and close(each, table) for before, each in added):
            hits.append(names[part])
        added.append((out, table))

    with hooked(names, hook):
        run()
    return fails("positions-twice", f"{hits[0]} is given what it has just given") if hits else None


def dropout(module: nn.Module, run: Callable[[], Run]) -> Iterator[Remark]:
    """A remark where dropout is given what a norm has just given, in more places than at the embeddings."""
    normed: list[Tensor] = []
    hits: list[str] = []

    def hook(part: nn.Module, given: Any, out: Any) -> None:
        if isinstance(part, nn.Dropout):
            hits.extend(["hit"] if given and any(given[0] is each for each in normed) and part.p else [])
        elif isinstance(out, Tensor):
            normed.append(out)

    parts = [part for part in module.modules() if isinstance(part, nn.Dropout) or is_norm(part)]
    module.train()
    try:
        with hooked(parts, hook), torch.random.fork_rng(devices=[]):
            run()
    finally:
        module.eval()
    if len(hits) > 2:
        yield remark("dropout-after-norm")
