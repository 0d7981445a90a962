"""Attention code as an experiment: change one token, freeze the weights, and compare what moves.

A `Subject` is a user's code with inputs that it takes; a `Caller` is a model of ids. Every softmax of a call is recorded below the level of
Python functions, so that it does not matter how the code spells it, and its weights can be replaced while the code runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from core.learning import calling
from core.learning.calling import Argument, Fn, forms, normal

MOVED: Final = 1e-5  # of the largest number in the output
_SLICES: Final = 24
CELL: Final = 1  # the sentence, and the head, that is changed


@dataclass(frozen=True)
class Softmax:
    """One softmax of a call: what went in, what came out, along which axis, in which module (under `named_calls`)."""

    scores: Tensor
    weights: Tensor
    axis: int
    within: str = ""


Edit = Callable[[int, Softmax], Tensor]
_CALLS: ContextVar[tuple[str, ...]] = ContextVar("calls", default=())


@contextmanager
def hooked(parts: Iterable[nn.Module], hook: Callable[[nn.Module, Any, Any], None]) -> Iterator[None]:
    """A forward hook on each part while a block runs."""
    handles = [part.register_forward_hook(hook) for part in parts]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def named_calls(module: nn.Module) -> Iterator[None]:
    """While a block runs, each softmax is recorded with the name of the innermost part that was running."""
    names = {part: name for name, part in module.named_modules()}

    def enter(part: nn.Module, given: Any) -> None:
        _CALLS.set((*_CALLS.get(), names[part]))

    def leave(part: nn.Module, given: Any, out: Any) -> None:
        _CALLS.set(_CALLS.get()[:-1])

    handles = [part.register_forward_pre_hook(enter) for part in names]
    before = _CALLS.get()
    try:
        with hooked(names, leave):
            yield
    finally:
        _CALLS.set(before)
        for handle in handles:
            handle.remove()


class Recorder(TorchDispatchMode):
    """Records every softmax of this thread while it is entered; `edit(n, softmax)` replaces its weights."""

    def __init__(self, edit: Edit | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.softmaxes: list[Softmax] = []
        self._edit = edit
        self._raised: list[tuple[Tensor, Tensor]] = []
        self._less: list[tuple[Tensor, Tensor]] = []
        self.dropped = False
        """Whether a dropout was at work."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is compiled here; torch would import its compiler first, which takes seconds."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, name = kwargs or {}, func._schema.name.removeprefix("aten::")
        if name in ("_softmax", "_safe_softmax"):
            return self._next(args[0], func(*args, **kwargs), args[1])
        if name == "_scaled_dot_product_flash_attention_for_cpu":
            return self._fused(*args, **kwargs)
        out = func(*args, **kwargs)
        self.dropped |= name in ("native_dropout", "bernoulli", "bernoulli_")
        if name == "sub" and isinstance(args[1], Tensor) and args[1].shape != out.shape:
            self._less.append((args[0], out))
        if name == "exp":  # the largest score of a row may have been taken off first
            self._raised.append(
                (next((each for each, less in self._less if _same(less, args[0])), args[0]), out)
            )
        if name == "div" and isinstance(args[1], Tensor):  # a softmax written out: exp(x) over its own sum
            for scores, raised in self._raised:
                if _same(raised, args[0]):
                    ones = [
                        n
                        for n in range(out.dim())
                        if args[1].dim() == out.dim() and args[1].shape[n] == 1 != out.shape[n]
                    ]
                    if len(ones) == 1 and bool((out.sum(ones[0]) - 1).abs().max() < 1e-4):
                        return self._next(scores, out, ones[0])
        return out

    def _next(self, scores: Tensor, weights: Tensor, axis: int) -> Tensor:
        within = next(iter(_CALLS.get()[-1:]), "")
        seen = Softmax(scores.detach().clone(), weights.detach().clone(), axis % max(scores.dim(), 1), within)
        self.softmaxes.append(seen)
        return weights if self._edit is None else self._edit(len(self.softmaxes) - 1, seen).to(weights)

    def _fused(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        p: float = 0.0,
        causal: bool = False,
        *,
        attn_mask: Tensor | None = None,
        scale: float | None = None,
    ) -> Any:
        """torch's fused attention in its parts."""
        scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
        if attn_mask is not None:
            scores = (
                scores.masked_fill(~attn_mask, -math.inf)
                if attn_mask.dtype == torch.bool
                else scores + attn_mask
            )
        weights = self._next(scores, torch.softmax(scores, -1).nan_to_num(0.0), -1)
        return weights @ v, scores.logsumexp(-1)


def _same(a: Tensor, b: Tensor) -> bool:
    """Whether two are one tensor, whatever wraps it."""
    return a.data_ptr() == b.data_ptr() and a.shape == b.shape


class StoppedError(Exception):
    """What a call raised, in one line, with the softmaxes before it."""

    def __init__(self, line: str, softmaxes: list[Softmax]) -> None:
        super().__init__(line)
        self.softmaxes = softmaxes


@dataclass(frozen=True)
class Run:
    """One call: the output, every softmax on the way, and whether a dropout was at work."""

    out: Tensor
    softmaxes: list[Softmax]
    dropped: bool = False

    def moved(self, other: Run) -> Tensor:
        """Bool (every axis of the output but the last): where the other call gives other numbers."""
        return changed(self.out, other.out).any(-1)


def changed(a: Tensor, b: Tensor) -> Tensor:
    """Bool: which numbers differ by more than rounding. −inf and NaN equal themselves."""
    finite = a[a.isfinite() & (a.abs() < 1e6)]
    size = float(finite.abs().max()) if finite.numel() else 1.0
    same = (a == b) | (a.isnan() & b.isnan()) | ((a - b).abs() <= MOVED * max(size, 1e-6))
    return ~(same | ((a < -1e6) & (b < -1e6)))


@dataclass(frozen=True)
class Subject:
    """Code that can be called. `layout` names the axes: b batch, h heads, t tokens, d size."""

    fn: Fn
    arguments: Sequence[Argument]
    layout: str
    sizes: Mapping[str, int]
    queries: int
    keys: int
    given: tuple[str, ...]
    masks: Mapping[str, Any] = field(default_factory=dict)
    mixes: bool = False
    """Whether queries are read as well as memory: a layer of a decoder, with two attentions."""

    @property
    def module(self) -> nn.Module | None:
        """The module, if it is one."""
        fn = getattr(self.fn, "args", [self.fn])[0]
        return fn if isinstance(fn, nn.Module) else None

    @property
    def alone(self) -> bool:
        """Whether one input gives queries, keys and values."""
        return self.given == ("query",)

    @property
    def readable(self) -> tuple[str, ...]:
        """The inputs that keys and values come from."""
        return ("query",) if self.alone else tuple(each for each in self.given if each != "query")

    def token_axis(self) -> int:
        """Which axis of an input is the tokens."""
        return self.layout.index("t")

    def shape(self, role: str) -> tuple[int, ...]:
        """The shape of one input."""
        count = self.queries if role == "query" else self.keys
        width = self.sizes.get(role, self.sizes["d"])
        return tuple({"t": count, "d": width}.get(letter) or self.sizes[letter] for letter in self.layout)

    def inputs(self) -> dict[str, Tensor]:
        """Seeded normal numbers for each input."""
        return {each: normal(n, *self.shape(each)) * 0.7 for n, each in enumerate(self.given)}

    def cell(self, token: int) -> tuple[int, ...]:
        """The index of one token of the sentence and head that are changed."""
        return tuple(token if letter == "t" else CELL for letter in self.layout if letter != "d")

    def change(self, inputs: Mapping[str, Tensor], roles: Sequence[str], token: int) -> dict[str, Tensor]:
        """The inputs with other numbers for one token in these roles."""
        new = dict(inputs)
        for each in roles:
            new[each] = new[each].clone()
            new[each][self.cell(token)] = normal(90 + token, new[each].shape[-1])
        return new

    def run(
        self, inputs: Mapping[str, Tensor], edit: Edit | None = None, record: bool = True, **masks: Any
    ) -> Run:
        """One call. Raises `StoppedError` if the code raises, `ValueError` if no returned tensor has a row for each query."""
        recorder = Recorder(edit)
        with recorder if record or edit is not None else nullcontext():
            try:
                returned = calling.invoke(self.fn, self.arguments, {**self.masks, **inputs, **masks})
            except Exception as error:
                raise StoppedError(calling.error_line(error), recorder.softmaxes) from error
        rows = tuple(inputs["query"].shape[:-1])
        outputs = [each for each in calling.tensors(returned) if tuple(each.shape[:-1]) == rows]
        outputs.sort(key=lambda each: each.shape[-1] != self.sizes["d"])
        if not outputs:
            shapes = ", ".join(str(tuple(each.shape)) for each in calling.tensors(returned)) or "none"
            raise ValueError(f"no tensor of the result has a row for each query {rows}; shapes: {shapes}")
        return Run(outputs[0].detach().float(), recorder.softmaxes, recorder.dropped)

    def resized(self, queries: int, keys: int) -> Subject:
        """The same code on other lengths."""
        return replace(self, queries=queries, keys=keys)

    def reach(
        self, inputs: Mapping[str, Tensor], roles: Sequence[str], edit: Edit | None = None, **masks: Any
    ) -> Tensor:
        """Bool (tokens, every axis of the output but the last): what moves when one token of these roles changes."""
        start = self.run(inputs, edit, False, **masks)
        count = inputs[roles[0]].shape[self.token_axis()]
        return torch.stack(
            [start.moved(self.run(self.change(inputs, roles, n), edit, False, **masks)) for n in range(count)]
        )

    def rows(self, reach: Tensor) -> Tensor:
        """(tokens in, tokens out), of the changed sentence and head only."""
        index = tuple(slice(None) if letter == "t" else CELL for letter in self.layout if letter != "d")
        return reach[(slice(None), *index)]

    def mixed(self, reach: Tensor) -> set[str]:
        """The axes along which something else than the changed token moves, where it is not the token axis for sure."""
        axes: set[str] = set()
        letters = [letter for letter in self.layout if letter != "d"]
        for token, moved in enumerate(reach):
            for axis, letter in enumerate(letters):
                here = token if letter == "t" else CELL
                others = [n for n in range(moved.shape[axis]) if n != here]
                if bool(moved.index_select(axis, torch.tensor(others, dtype=torch.long)).any()):
                    axes.add(letter)
        return axes


def frozen(run: Run) -> Edit:
    """An edit that keeps the weights of this call whatever the scores are."""
    return lambda n, seen: run.softmaxes[n].weights if n < len(run.softmaxes) else seen.weights


def randomised(fn: Fn) -> Fn:
    """A copy with seeded random weights, so that queries, keys and values cannot be taken for each other."""
    quiet = calling.quiet_copy(fn)
    if isinstance(quiet, nn.Module):
        with torch.no_grad():
            for n, (name, each) in enumerate(quiet.named_parameters()):
                if not each.is_floating_point() or each.numel() == 1:
                    continue
                drawn = normal(1000 + n, *each.shape)
                if each.dim() >= 2 and each.numel() == max(each.shape):  # one learned number for each head
                    each.add_(drawn * 0.1)
                elif each.dim() >= 2:
                    each.copy_(drawn / math.sqrt(each.shape[-1]))
                elif each.dim() == 1:
                    gain = not name.endswith(("bias", "beta", "b")) and bool((each.mean() - 1).abs() < 0.5)
                    each.copy_(drawn * 0.1 + (1.0 if gain else 0.0))
    return quiet


@contextmanager
def shifted(weight: Tensor, axis: int | None = None, index: int = 0) -> Iterator[None]:
    """Other numbers in a weight, or in one slice of it, while the block runs."""
    kept = weight.detach().clone()
    with torch.no_grad():
        part = weight if axis is None else weight.select(axis, index)
        part.add_(normal(77, *part.shape) * 0.5)
    try:
        yield
    finally:
        with torch.no_grad():
            weight.copy_(kept)


def projections(module: nn.Module | None) -> dict[str, Tensor]:
    """Weights by name: those of two axes and more that are no table of embeddings."""
    if module is None:
        return {}
    tables = {id(each.weight) for each in module.modules() if isinstance(each, nn.Embedding)}
    listed = module.named_parameters()
    return {
        name: each
        for name, each in listed
        if each.dim() >= 2 and each.numel() > max(each.shape) and id(each) not in tables
    }


class Uses:
    """Whether scores, or what is fetched under fixed attention weights, depend on something."""

    def __init__(self, subject: Subject) -> None:
        self.subject, self.inputs = subject, subject.inputs()
        self.base = subject.run(self.inputs)

    def now(self) -> tuple[bool, bool]:
        """(scores, output under fixed weights) against the first call."""
        free = self.subject.run(self.inputs)
        scores = any(bool(each.any()) for each in score_changes(self.base, free))
        return scores, bool(self.base.moved(self.subject.run(self.inputs, frozen(self.base))).any())

    def of(self, weight: Tensor, axis: int | None = None, index: int = 0) -> tuple[bool, bool]:
        """`now` with other numbers in a weight."""
        with shifted(weight, axis, index):
            return self.now()

    def slices(self, weight: Tensor) -> list[tuple[bool, bool]]:
        """`of` for single slices, along the axis on which each serves one purpose, if there is one."""
        tried = []
        for axis in (0, weight.dim() - 1):
            count = weight.shape[axis]
            places = sorted({n * count // min(count, _SLICES) for n in range(min(count, _SLICES))})
            tried.append([self.of(weight, axis, n) for n in places])
            if not any(a and b for a, b in tried[-1]):
                return tried[-1]
        return min(tried, key=lambda each: sum(a and b for a, b in each))


def score_changes(one: Run, two: Run) -> list[Tensor]:
    """Which scores of each softmax differ."""
    return [changed(a.scores, b.scores) for a, b in zip(one.softmaxes, two.softmaxes, strict=True)]


def of_ones(subject: Subject) -> Subject:
    """The same code with weights of 1 in what scores depend on, no biases and no norms inside."""
    uses = Uses(subject)
    names = [name for name, each in projections(subject.module).items() if uses.of(each)[0]]
    assert subject.module is not None
    twin = calling.copied(subject.module)
    for name, part in list(twin.named_modules()):
        if "norm" in type(part).__name__.lower() and name and not any(True for _ in part.children()):
            parent, _, leaf = name.rpartition(".")
            nothing = nn.Identity()
            nothing.eps = name  # torch's layers compare those of their norms before they take a fast path
            setattr(twin.get_submodule(parent), leaf, nothing)
    with torch.no_grad():
        for name, each in twin.named_parameters():
            if name in names:
                each.fill_(1.0)
            elif name.rpartition(".")[2].endswith("bias"):
                each.zero_()
    call = getattr(subject.fn, "func", None)
    return replace(subject, fn=calling.bound(twin, call))


# -- models of ids ------------------------------------------------------------------------------------------

SOURCE, TARGET = 8, 6
BATCH: Final = 2
_SOURCE_WORDS: Final = ("src", "source", "enc", "memory", "cross", "input", "attention_mask")


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
        """Seeded ids of real tokens; shorter ones are the beginning of longer ones."""
        drawn = []
        for n, (count, size) in enumerate(zip(lengths or self.lengths, self.vocabulary, strict=True)):
            real = [each for each in range(1 if size > 2 else 0, size) if each != self.pad]
            numbers = torch.randint(len(real), (BATCH, 64), generator=torch.Generator().manual_seed(3 + n))
            drawn.append(torch.tensor(real)[numbers][:, :count])
        return Ids(None if self.alone else drawn[0], drawn[1])

    def other(self, token: Tensor, side: int) -> int:
        """A real token that is another one."""
        return next(each for each in range(1, self.vocabulary[side]) if each not in (int(token), self.pad))

    def run(self, ids: Ids, record: bool = True) -> Run:
        """Logits (B, T, V). Raises what the model raises, and `ValueError` if no tensor has a row for each target.

        Without `record` no softmax is recorded, which is faster.
        """
        turn: Callable[[Tensor], Tensor] = (lambda x: x.T.contiguous()) if self.turned else (lambda x: x)
        given = {"query": turn(ids.target)} | ({} if ids.source is None else {"memory": turn(ids.source)})
        real = turn(ids.target if ids.source is None else ids.source) != self.pad
        given["lengths"] = real.sum(0 if self.turned else 1)
        made = {name: self._mask(ids, *how) for name, how in self.masks.items()}
        recorder = Recorder()
        with recorder if record else nullcontext():
            returned = calling.invoke(self.fn, self.arguments, {**given, **made})
        rows = tuple(given["query"].shape)
        for each in calling.tensors(returned):
            if each.dim() == 2 and each.shape[0] == rows[0] * rows[1] and each.shape[1] > 1:
                each = each.unflatten(0, rows)
            if tuple(each.shape[:2]) == rows and each.dim() == 3:
                out = each.detach().float()
                return Run(out.transpose(0, 1) if self.turned else out, recorder.softmaxes, recorder.dropped)
        raise ValueError(
            f"no tensor of the result has a row for each target {rows}; shapes: {[tuple(each.shape) for each in calling.tensors(returned)]}"
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
        start, moved = self.run(ids, False), []
        for token in range(ids.target.shape[1]):
            target = ids.target.clone()
            target[CELL, token] = self.other(target[CELL, token], 1)
            moved.append(start.moved(self.run(replace(ids, target=target), False)))
        return torch.stack(moved)


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
