"""Check the weights of an attention module: what each serves, which heads share it, and the scale of the scores."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import torch
from torch import Tensor, nn

from core.learning import calling
from core.learning.check_maps import AttentionMap
from core.learning.probing import Run, Softmax, Subject, changed, frozen
from core.learning.verdicts import Verdict, fails

_SLICES: Final = 24
_KEY: Final = re.compile(
    r"(^|[._])(w_?k|k|keys?|to_?keys?|wk)(_?(proj|projection|linear|layer|net|w|weight|transform|fc))?$",
    re.IGNORECASE,
)


@contextmanager
def shifted(weight: Tensor, axis: int | None = None, index: int = 0) -> Iterator[None]:
    """Other numbers in a weight, or in one slice of it, while the block runs."""
    kept = weight.detach().clone()
    with torch.no_grad():
        part = weight if axis is None else weight.select(axis, index)
        part.add_(calling.normal(77, *part.shape) * 0.5)
    try:
        yield
    finally:
        with torch.no_grad():
            weight.copy_(kept)


def _projections(subject: Subject) -> dict[str, Tensor]:
    """Weights by name: those of two axes and more that are no table of embeddings."""
    if subject.module is None:
        return {}
    tables = {id(each.weight) for each in subject.module.modules() if isinstance(each, nn.Embedding)}
    listed = subject.module.named_parameters()
    return {name: each for name, each in listed if each.dim() >= 2 and id(each) not in tables}


class _Uses:
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


def weights(subject: Subject, maps: list[AttentionMap]) -> Verdict | list[str]:
    """A projection serves the scores or the values; one that serves nothing, or both, is looked at closely."""
    uses = _Uses(subject)
    both, neither = [], []
    for name, weight in _projections(subject).items():
        scores, fetched = uses.of(weight)
        if scores and fetched:
            parts = uses.slices(weight)
            if any(a and b for a, b in parts):
                both.append(name)
            if any(not a and not b for a, b in parts):
                neither.append(f"a part of {name}")
        elif not scores and not fetched:
            neither.append(name)
    keyed = [name for name in both if _KEY.search(name.removesuffix(".weight"))]
    if keyed or (both and neither):
        unused = f", and {neither[0]} is never used" if neither else ""
        return fails(
            "values-from-keys.projected",
            f"{(keyed or both)[0]} changes the scores, and with the attention weights held fixed also the output{unused}",
        )
    optional = [
        each.name
        for each in subject.arguments
        if each.role in ("memory", "key", "value", "state", "unknown") and each.role not in subject.given
    ]
    if neither and not optional:
        return fails("unused-projection", f"the output does not depend on {', '.join(neither[:3])}")
    notes = [f"{', '.join(neither)} was not used in this call."] if neither else []
    return notes + ([f"{both[0]} serves keys and values alike, which may be meant."] if both else [])


# -- which heads share what ---------------------------------------------------------------------------------


def groups(subject: Subject, maps: list[AttentionMap]) -> Verdict | list[str]:
    """Check that the query heads that share keys also share values."""
    narrow = [
        each
        for each in _projections(subject).values()
        if each.dim() == 2 and each.shape[0] < each.shape[1] and each.shape[0] <= 64
    ]
    if len(maps) != 1 or len(narrow) < 2:
        return []
    uses, only = _Uses(subject), maps[0]
    tokens = (only.queries, only.keys)
    one = subject.run(subject.change(uses.inputs, subject.readable, 0))
    slots = (
        score_changes(uses.base, one)[only.number].any(tokens[0], keepdim=True).any(tokens[1], keepdim=True)
    )
    slots_of_heads = slots.nonzero().tolist()
    if not 2 <= len(slots_of_heads) <= 16:
        return []
    shared = {"keys": torch.zeros(len(slots_of_heads), len(slots_of_heads), dtype=torch.bool)}
    shared["values"] = shared["keys"].clone()
    for weight in narrow:
        scores, fetched = uses.of(weight)
        for row in range(weight.shape[0]):
            with shifted(weight, 0, row):
                if scores and not fetched:
                    moved = score_changes(uses.base, subject.run(uses.inputs))[only.number]
                    hit = [
                        bool(moved.any(tokens[0], keepdim=True).any(tokens[1], keepdim=True)[tuple(each)])
                        for each in slots_of_heads
                    ]
                elif fetched and not scores:
                    hit = [_fetched(uses, only, slot, weight, row) for slot in slots_of_heads]
                else:
                    return []
            mask = torch.tensor(hit)
            shared["keys" if scores else "values"] |= mask[:, None] & mask[None, :]
    if (
        not shared["keys"].any()
        or not shared["values"].any()
        or torch.equal(shared["keys"], shared["values"])
    ):
        return []
    a, b = (int(n) for n in (shared["keys"] != shared["values"]).nonzero()[0])
    return fails(
        "groups-mixed",
        f"heads {a} and {b} share {'their keys and not their values' if shared['keys'][a, b] else 'their values and not their keys'}",
    )


def _fetched(uses: _Uses, only: AttentionMap, slot: list[int], weight: Tensor, row: int) -> bool:
    """Whether a shift of this row changes what a single head fetches."""

    def alone(n: int, seen: Softmax) -> Tensor:
        kept = uses.base.softmaxes[n].weights
        if n != only.number:
            return kept
        mask = torch.ones_like(kept)
        for axis, index in enumerate(slot):
            if axis not in (only.queries, only.keys):
                other = [m for m in range(kept.shape[axis]) if m != index]
                mask.index_fill_(axis, torch.tensor(other, dtype=torch.long), 0.0)
        return kept * mask

    moved = uses.subject.run(uses.inputs, alone)
    with shifted(weight, 0, row):  # a second shift: twice the first
        return bool(moved.moved(uses.subject.run(uses.inputs, alone)).any())


# -- what the scores are divided by -------------------------------------------------------------------------


def scale(subject: Subject, maps: list[AttentionMap]) -> Verdict | list[str]:
    """The number that scores are divided by, held against the root of the size that is summed over."""
    measured = _measured(subject, maps[0])
    if measured is None:
        return ["The scale of the scores could not be measured."]
    divisor, size = measured
    widths = {subject.sizes["d"]}
    if subject.module is not None:
        widths |= {size * heads for heads in calling.sizes_of(subject.module, *calling.HEAD_COUNTS)}
    longer = subject.resized(subject.queries + 6, subject.keys + 6)
    meant = f"scores divided by {divisor:.4g} where √{size} = {math.sqrt(size):.4g} was meant"
    try:
        again = _measured(longer, maps[0])
    except Exception:  # a length that the code is not made for
        again = None
    if again is not None and abs(again[0] / divisor - 1) > 1e-3:
        return fails(
            "scale-by-tokens",
            f"divided by {divisor:.4g} with {subject.keys} tokens and by {again[0]:.4g} with {longer.keys}, where √{size} = {math.sqrt(size):.4g} was meant",
        )
    if abs(divisor / math.sqrt(size) - 1) < 5e-3:
        return [f"Scores are divided by √{size}, the root of a head’s size."]
    if any(abs(divisor / math.sqrt(width) - 1) < 5e-3 for width in widths) or (
        not _projections(subject) and divisor > math.sqrt(size) * 1.005 and abs(divisor / size - 1) > 5e-3
    ):
        return fails("scale-by-d-model", meant)
    if abs(divisor - 1) < 5e-3:
        return fails("no-scale", meant)
    if abs(divisor / size - 1) < 5e-3:
        return fails("scale-without-root", meant)
    return fails("other-scale", meant)


def _measured(subject: Subject, only: AttentionMap) -> tuple[float, int] | None:
    """(divisor, numbers in one product), from weights of 1 and inputs of 1; None where the scores are no plain product."""
    bare = not _projections(subject)
    if bare:
        plain = {each: torch.ones(subject.shape(each)) for each in subject.given}
    else:
        subject = _of_ones(subject, only)
        plain = {each: torch.zeros(subject.shape(each)) for each in subject.given}
        for each in plain.values():
            each[..., 0] = 1.0
    nothing = tuple(1 if letter == "t" else slice(None) for letter in subject.layout)
    for name in subject.readable:
        plain[name][nothing] = 0.0
    start = _product(subject, plain, only)
    if bare:
        last = tuple(
            -1 if letter == "t" else 0 if letter == "d" else slice(None) for letter in subject.layout
        )
        marked = plain["query"].clone()
        marked[last] = 2.0
        return _read(start, [_product(subject, {**plain, "query": marked}, only)])
    steps = []
    for weight in _projections(subject).values():
        trial = []
        for value in (2.0, 3.0):
            with torch.no_grad():
                weight.view(-1)[0] = value
                trial.append(_product(subject, plain, only))
                weight.view(-1)[0] = 1.0
        if bool(((trial[1] - trial[0]) - (trial[0] - start)).abs().max() > 1e-3):
            return None  # one weight for queries and keys alike
        if bool((trial[0] - start).abs().max() > 1e-6):
            steps.append(trial[0])
    return _read(start, steps)


def _of_ones(subject: Subject, only: AttentionMap) -> Subject:
    """The same code with weights of 1 in what scores depend on, no biases and no norms inside."""
    uses = _Uses(subject)
    names = [name for name, each in _projections(subject).items() if uses.of(each)[0]]
    assert subject.module is not None
    twin = calling.copied(subject.module)
    for name, part in list(twin.named_modules()):
        if "norm" in type(part).__name__.lower() and name and not any(True for _ in part.children()):
            parent, _, leaf = name.rpartition(".")
            setattr(twin.get_submodule(parent), leaf, nn.Identity())
    with torch.no_grad():
        for name, each in twin.named_parameters():
            if name in names:
                each.fill_(1.0)
            elif name.rpartition(".")[2].endswith("bias"):
                each.zero_()
    call = getattr(subject.fn, "func", None)
    return replace(subject, fn=calling.bound(twin, call))


def _product(subject: Subject, inputs: dict[str, Tensor], only: AttentionMap) -> Tensor:
    """The score of the last query and key 0, less that of key 1, in each head."""
    seen = subject.run(inputs).softmaxes[only.number].scores
    row = seen.narrow(only.queries, seen.shape[only.queries] - 1, 1)
    return (row.narrow(only.keys, 0, 1) - row.narrow(only.keys, 1, 1)).flatten()


def _read(start: Tensor, steps: list[Tensor]) -> tuple[float, int] | None:
    readings = set()
    for each in steps:
        index = int((each - start).abs().argmax())
        step, whole = float((each - start)[index]), float(start[index])
        if step <= 1e-9 or abs(whole / step - round(whole / step)) > 0.02:
            return None
        readings.add((round(1 / step, 4), round(whole / step)))
    return readings.pop() if len(readings) == 1 else None
