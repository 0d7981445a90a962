"""Check an attention function or module: call it, change one input at a time, and judge what changes in the output.

The weights of a module are judged too: what each serves, which heads share it, and the scale of the scores.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor, nn

from core.errors import InputError
from core.learning import calling, check_layers, check_maps
from core.learning.calling import Argument, Fn, Verdict, fails, passes, remark, undecided
from core.learning.check_maps import AttentionMap
from core.learning.probing import (
    StoppedError,
    Subject,
    Uses,
    of_ones,
    projections,
    randomised,
)

LAYOUTS: Final = ("bhtd", "htd", "btd", "td", "bthd", "tbd")
"""How queries, keys and values may lie: b batch, h heads, t tokens, d numbers. Without h the heads are cut inside."""
_WIDTHS: Final = (
    "d_model",
    "embed_dim",
    "embed_size",
    "n_embd",
    "hidden_size",
    "hidden_dim",
    "hid_dim",
    "emb_dim",
    "emb",
    "dim",
    "d",
    "d_in",
    "embedding_dim",
    "width",
)
_LENGTHS: Final = (
    "sequence_length",
    "seq_len",
    "seq_length",
    "max_seq_len",
    "max_len",
    "block_size",
    "context_length",
    "n_ctx",
)
RANDOM: Final = "Two calls with the same input give different numbers, and nothing else was checked."
_BATCH, _HEADS, _SIZE, _WIDTH = 3, 4, 8, 12
_NAMES: Final = {"b": "batch", "h": "heads", "t": "tokens", "d": "size"}


def attention(
    fn: Fn, *, layout: str | None = None, heads: int | None = None, call: Fn | None = None
) -> Verdict:
    """Whether `fn(q, k, v)`, with masks or without, or a module with projections, is scaled dot-product attention.

    Arguments are recognised by their names (`values, keys, query`, `x, memory`, `key_padding_mask`, …) and by their
    places only where the names do not say. Inputs are float32: (B, T, d), (T, B, d), (T, d), and for functions also
    (B, H, T, d), (B, T, H, d) and (H, T, d); the axis along which tokens read each other tells which of them is meant.
    `layout` ("btd", "tbd", …) says so instead: a plain function that is right on (batch, heads, tokens, size) compares
    heads with heads on (batch, tokens, heads, size). `heads` is passed on to an argument of that name.

    `call` replaces the call: `call=lambda m, x: m(x, x, x, mask)`, or with queries, keys, values and a mask as
    arguments of their usual names. Weights are replaced by seeded random ones in a copy.

    The verdict is undecided where no call works, and says what to write. Raises `InputError` for another layout.
    """
    if layout is not None and layout not in LAYOUTS:
        raise InputError(f"layout is {layout!r}; choose one of {', '.join(LAYOUTS)}.")
    quiet = calling.bound(randomised(fn), call)
    listed = calling.arguments(quiet)
    try:
        search = _Search(quiet, listed, layout, {"heads": heads or 2})
        subject = search.right()
        if subject is None:
            return search.verdict()
        return _judged(subject, search)
    except Exception as error:  # a user's code may raise anything, at any input
        return _uncalled(listed, error)


def _uncalled(listed: list[Argument], error: Exception | None) -> Verdict:
    reason = calling.error_line(error) if error else "no known way to call it"
    return undecided(
        f"It could not be called ({reason}). Write the call yourself, with tensors and sizes of your own where needed.",
        example=calling.written(listed, "attention"),
    )


# -- how it wants to be called ------------------------------------------------------------------------------


class _Search:
    """The ways to call the code, tried until one mixes along the token axis and no other."""

    def __init__(
        self, fn: Fn, listed: list[Argument], layout: str | None, options: Mapping[str, Any]
    ) -> None:
        self.fn, self.listed, self.options = fn, listed, options
        self.whole = Subject(fn, listed, "td", {}, 0, 0, ()).module
        self.module = (
            self.whole if self.whole is not None and any(True for _ in self.whole.parameters()) else None
        )
        """Only if it has weights: without them a module is like a function."""
        sizes = (
            calling.sizes_of(self.whole, "d_k", "head_dim", "dim_head", "d_head")
            if self.whole is not None
            else []
        )
        self.size = (sizes or [_SIZE])[0]
        self.heads_only: Verdict | None = None
        own = ("btd", "tbd", "td") if self.module is not None else LAYOUTS
        self.layouts = (layout,) if layout else own
        self.error: Exception | None = None
        self.random = ""
        self.suspect: tuple[Subject, set[str]] | None = None
        self.by_keys: str | None = None
        """The layout in which the result has a row for each key, if there is one."""

    def _widths(self) -> Iterator[dict[str, int]]:
        """The width of queries, and those of the other inputs that have their own."""
        if self.module is None:
            yield {"d": _WIDTH}
            return
        linear = [each.in_features for each in self.module.modules() if isinstance(each, nn.Linear)]
        weights = [size for each in self.module.parameters() if each.dim() >= 2 for size in each.shape]
        heads = calling.sizes_of(self.module, *calling.HEAD_COUNTS)
        times = [size * count for size in linear[:1] for count in heads]
        named = calling.sizes_of(self.module, *_WIDTHS)
        widths = list(dict.fromkeys([*named, *linear, *times, *weights]))[:12]
        yield from ({"d": each} for each in widths)
        for own in calling.sizes_of(self.module, "kdim"):
            yield from (
                {"d": each, "key": own, "value": value, "memory": own}
                for each in widths[:3]
                for value in calling.sizes_of(self.module, "vdim")
            )
        if any(each.role == "memory" for each in self.listed):
            yield from ({"d": a, "memory": b} for a, b in itertools.permutations(widths[:4], 2))

    def _lengths(self, alone: bool) -> Iterator[tuple[int, int]]:
        taken = set(calling.sizes_of(self.whole, *calling.HEAD_COUNTS)) if self.whole is not None else set()
        first, second = next(pair for pair in ((5, 7), (11, 13), (17, 19)) if not taken & set(pair))
        if not alone:
            yield first, second
        yield first, first
        if self.whole is not None:
            fixed = [*calling.square_tables(self.whole), *calling.sizes_of(self.whole, *_LENGTHS)]
            yield from ((each, each) for each in dict.fromkeys(fixed) if 3 <= each <= 64)

    def _given(self) -> Iterator[tuple[str, ...]]:
        """The roles that get a tensor: all, then those that must."""
        whole = ("query", "key", "value", "memory")
        every = tuple(each for each in whole if any(one.role == each for one in self.listed))
        needed = tuple(
            each for each in every if any(one.role == each and one.required for one in self.listed)
        )
        yield from dict.fromkeys(each for each in (every, needed) if "query" in each)

    def _masks(self) -> Iterator[dict[str, Any]]:
        """None for masks that a call must have, then masks that hide nothing."""
        needed = [each.name for each in calling.masks_among(self.listed, required=True)]
        yield dict.fromkeys(needed)
        if needed:
            yield dict.fromkeys(needed, torch.ones(1, 1))
            yield dict.fromkeys(needed, torch.zeros(1, 1))

    def _subjects(self) -> Iterator[Subject]:
        numbers = dict.fromkeys(("heads", "num_heads", "n_heads"), self.options["heads"])
        fixed = {
            each.name: numbers[each.name] for each in self.listed if each.name in numbers and each.required
        }
        for given in self._given():
            for width in self._widths():
                for layout in self.layouts:
                    widths = width | ({"d": self.size} if "h" in layout else {})
                    for queries, keys in self._lengths(given == ("query",)):
                        for masks in self._masks():
                            sizes = {"b": _BATCH, "h": _HEADS, **widths}
                            yield Subject(
                                self.fn, self.listed, layout, sizes, queries, keys, given, {**fixed, **masks}
                            )

    def right(self) -> Subject | None:
        """The first call in which tokens read tokens, else None; errors and suspicious calls are remembered."""
        for subject in self._subjects():
            inputs = subject.inputs()
            try:
                first = subject.run(inputs)
                if bool(first.moved(subject.run(inputs, None, False)).any()):
                    self.random = "dropped" if first.dropped and self.whole is not None else "random"
                    return None
                mixed = subject.mixed(subject.reach(inputs, subject.readable))
            except Exception as error:  # the next way may work
                self._failed(subject, inputs, error)
                continue
            if mixed == {"t"} and not _all_hidden(subject, inputs):
                return subject
            better = self.suspect is None or (not self.suspect[1] and bool(mixed))
            self.suspect = (subject, mixed) if better else self.suspect
        return None

    def _failed(self, subject: Subject, inputs: dict[str, Tensor], error: Exception) -> None:
        if isinstance(error, StoppedError) and error.softmaxes and subject.queries == subject.keys:
            shape = tuple(error.softmaxes[0].scores.shape)
            if len(shape) == 4 and shape[1] == subject.queries and shape[2] == shape[3] != subject.queries:
                self.heads_only = self.heads_only or fails(
                    "heads-attend-heads.stops",
                    f"inputs {subject.shape('query')}; its attention map is {shape}",
                    error=calling.error_line(error),
                )
        fits = isinstance(error, ValueError) and "row for each query" in str(error)
        if self.error is None or fits:
            self.error = error
        if fits and subject.queries != subject.keys and subject.layout in ("btd", "tbd"):
            returned = calling.invoke(subject.fn, subject.arguments, {**subject.masks, **inputs})
            rows = subject.shape(subject.readable[0])
            if any(tuple(each.shape) == rows for each in calling.tensors(returned)):
                self.by_keys = subject.layout

    def verdict(self) -> Verdict:
        """What to say where no way is right."""
        if self.random == "dropped":
            return fails("dropout-in-evaluation", "two calls with the same input give different numbers")
        if self.random:
            return undecided(RANDOM, example=calling.written(self.listed, "attention"))
        if self.suspect is None and self.heads_only is not None:
            return self.heads_only
        if self.suspect is None:
            return _uncalled(self.listed, self.error)
        subject, mixed = self.suspect
        shapes = f"inputs {subject.shape('query')}"
        if "b" in mixed and "t" in mixed:
            return fails("batch-leak", f"{shapes}: other numbers for sentence 1 move sentence 0")
        if mixed == {"b"}:
            return fails("attends-over-batch", shapes, layout=words(subject.layout))
        if mixed and "t" in mixed:
            return fails("heads-leak", shapes)
        reading = subject.rows(subject.reach(subject.inputs(), ("query",))).fill_diagonal_(False)
        if not mixed and not subject.alone and bool(reading.any()):
            return fails("source-ignored.memory", shapes)
        squares = [each for each in subject.run(subject.inputs()).softmaxes if each.scores.dim() > 1]
        if squares or mixed == {"h"}:
            maps = f"; its attention map is {tuple(squares[0].scores.shape)}" if squares else ""
            return fails("heads-attend-heads", f"{shapes}{maps}")
        return fails("no-attention", shapes)


def _all_hidden(subject: Subject, inputs: dict[str, Tensor]) -> bool:
    """Whether the mask that was made up hides every key, so that no score is left to look at."""
    if not any(isinstance(each, Tensor) for each in subject.masks.values()):
        return False
    seen = [each.scores for each in subject.run(inputs).softmaxes]
    return bool(seen) and all(bool((each < -1e3).all()) for each in seen)


def words(layout: str) -> str:
    """The layout in words."""
    return f"({', '.join(_NAMES[each] for each in layout)})"


# -- what is wrong with it ----------------------------------------------------------------------------------


def _judged(subject: Subject, search: _Search) -> Verdict:
    if search.by_keys == subject.layout and subject.queries == subject.keys:
        return fails("cross-qkv-swapped.rows", "5 queries and 7 keys give 7 rows")
    notes = [f"Attention, read as {words(subject.layout)}."]
    maps = check_maps.maps(subject)
    if isinstance(maps, Verdict):
        return maps
    if not maps:
        return _layered(subject)
    maps = check_maps.rows(subject, maps)
    if isinstance(maps, Verdict):
        return maps
    for look in (check_maps.values, check_maps.roles, weights, scale, check_maps.masks_of, _residual):
        verdict = look(subject, maps)
        if isinstance(verdict, Verdict):
            return verdict
        notes += verdict
    return passes(*notes)


def _residual(subject: Subject, maps: list[AttentionMap]) -> Verdict | list[str]:
    """Whether a layer, attention and feed-forward network in one module, has a residual path around each of them."""
    if subject.module is None:
        return []
    inputs = subject.inputs()

    def passes_through() -> bool:
        other = subject.change(inputs, ("query",), 0)
        return bool(subject.run(inputs, None, False).moved(subject.run(other, None, False)).any())

    run = partial(subject.run, inputs)
    found = check_layers.attentions(subject.module, run, {subject.queries, subject.keys})
    around = check_layers.layers(subject.module, found)
    if check_layers.is_layer(subject.module) and not around and (len(found) > 1 or "" not in found):
        around = {"": subject.module}
    for name, part in around.items():
        verdict = check_layers.residual(name, part, passes_through)
        if verdict is not None:
            return verdict
    return []


def _layered(subject: Subject) -> Verdict:
    """The verdict where no single map says what is read: each attention inside on its own, masks and residual paths."""
    notes: list[str] = []
    inputs, module = subject.inputs(), subject.module
    found = dict[str, nn.Module]()
    if module is not None:
        lengths = {subject.queries, subject.keys}
        found = check_layers.attentions(module, partial(subject.run, inputs), lengths)
        found.pop("", None)
    for name, verdict in inside(found):
        if verdict.outcome == "faulty":
            return replace(verdict, message=f"{name}: {verdict.message}")
        notes += verdict.remarks
    reading = subject.rows(subject.reach(inputs, ("query",))).fill_diagonal_(False)
    subject = replace(subject, mixes=not subject.alone and bool(reading.any()))
    for look in (check_maps.masks_of, _residual):
        finding = look(subject, [])
        if isinstance(finding, Verdict):
            return finding
        notes += finding
    undecidable = any("could not be decided" in each for each in notes)
    if found and not undecidable:
        return passes(f"A layer with {len(found)} attentions, read as {words(subject.layout)}.", *notes)
    return undecided(
        "Nothing wrong was found, but no softmax between queries and keys could be followed, so weights and scale were not checked.",
        *notes,
        example=f"core.check.attention(module.{next(iter(found))})" if found else "",
    )


def inside(found: Mapping[str, nn.Module]) -> Iterator[tuple[str, Verdict]]:
    """The verdict on one part of each class; torch's own attention is not judged."""
    of_class = {type(part): name for name, part in reversed(list(found.items()))}
    for kind, name in of_class.items():
        if not issubclass(kind, nn.MultiheadAttention):
            yield name, attention(found[name])


# -- its weights ----------------------------------------------------------------------------------------------

_KEY: Final = re.compile(
    r"(^|[._])(w_?k|k|keys?|to_?keys?|wk)(_?(proj|projection|linear|layer|net|w|weight|transform|fc))?$",
    re.IGNORECASE,
)


def weights(subject: Subject, maps: list[AttentionMap]) -> Verdict | list[str]:
    """A projection serves the scores or the values; one that serves nothing, or both, is looked at closely."""
    uses = Uses(subject)
    both, neither = [], []
    for name, weight in projections(subject.module).items():
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
        not projections(subject.module)
        and divisor > math.sqrt(size) * 1.005
        and abs(divisor / size - 1) > 5e-3
    ):
        return fails("scale-by-d-model", meant)
    if abs(divisor - 1) < 5e-3 and subject.module is not None and relative(subject.module):
        return [remark("no-scale")]
    if abs(divisor - 1) < 5e-3:
        return fails("no-scale", meant)
    if abs(divisor / size - 1) < 5e-3:
        return fails("scale-without-root", meant)
    return fails("other-scale", meant)


def relative(module: nn.Module) -> bool:
    """Whether there are relative positions by name, as in T5, which divides by nothing."""
    return any("rel" in name.lower() for name, _ in module.named_parameters())


def _measured(subject: Subject, only: AttentionMap) -> tuple[float, int] | None:
    """(divisor, numbers in one product), from weights of 1 and inputs of 1; None where the scores are no plain product."""
    bare = not projections(subject.module)
    if bare:
        plain = {each: torch.ones(subject.shape(each)) for each in subject.given}
    else:
        subject = of_ones(subject)
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
    for weight in projections(subject.module).values():
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
