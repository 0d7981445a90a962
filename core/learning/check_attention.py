"""The check of an attention function or module: what it gives is held against what each known mistake would give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn

from core.errors import InputError
from core.learning import calling
from core.learning.attention_properties import by_behaviour, identity_copies
from core.learning.calling import Fn, close, normal
from core.learning.verdict import Verdict, fails, passes

BATCH, HEADS, LENGTH, SIZE = 2, 3, 5, 4
WIDTH = HEADS * SIZE
LAYOUTS: Final[Mapping[str, tuple[int, ...]]] = {
    "bhtd": (BATCH, HEADS, LENGTH, SIZE),
    "htd": (HEADS, LENGTH, SIZE),
    "btd": (BATCH, LENGTH, WIDTH),
    "td": (LENGTH, WIDTH),
    "bthd": (BATCH, LENGTH, HEADS, SIZE),
    "tbd": (LENGTH, BATCH, WIDTH),
}
"""How queries, keys and values may lie: b batch, h heads, t tokens, d numbers. Without h the heads are cut inside."""
_WORDS: Final = {
    "head-split-view": "reshapes to heads without a transpose, so that heads hold pieces of other tokens",
    "heads-attend-heads": "compares the heads of one token with each other: the product runs over the axis of heads",
    "merge-without-transpose": "puts the heads back together without a transpose, so that rows mix tokens",
    "scale-by-d-model": "divides the scores by the root of the whole width and not of one head’s",
    "cross-qkv-swapped": "lets the keys ask and the queries answer: the output has a row for every key",
}


@dataclass(frozen=True)
class Reading:
    """One way to read what came out: layout, heads cut inside (1: none), which mistake, if any."""

    layout: str
    heads: int
    pitfall: str

    @property
    def words(self) -> str:
        """The layout in words."""
        names = {"b": "batch", "h": "heads", "t": "tokens", "d": "size"}
        inside = f", {self.heads} heads cut inside" if self.heads > 1 else ""
        return f"({', '.join(names[each] for each in self.layout)}){inside}"


def attention(fn: Fn, *, layout: str | None = None, heads: int | None = None) -> Verdict:
    """Whether `fn(q, k, v)` or `fn(q, k, v, mask)`, or a module with projections, is scaled dot-product attention.

    `layout` says how the tensors lie ("bhtd", "bthd", "btd", "td", "htd" or "tbd"); without it every layout in which
    the code is right counts as the one that was meant. That leaves one case open: a plain function is right on
    (batch, heads, tokens, size) and is `heads-attend-heads` on (batch, tokens, heads, size); say layout="bthd" if
    your tensors lie so. `heads`: how many are cut inside. Raises `InputError` for another layout.
    """
    if layout is not None and layout not in LAYOUTS:
        raise InputError(f"layout is {layout!r}; choose one of {', '.join(LAYOUTS)}.")
    quiet = calling.quiet_copy(fn)
    if isinstance(quiet, nn.Module) and any(True for _ in quiet.parameters()):
        return _module(quiet, layout, heads)
    chosen = [layout] if layout else list(LAYOUTS)
    found, problem = _readings(quiet, chosen, heads)
    right = next((each for each in found if not each.pitfall), None)
    if right is not None:
        return _masked(quiet, right)
    if found:
        return _named(found[0])
    scale = _other_scale(quiet, chosen)
    if scale is not None:
        return scale
    if problem:
        return fails(*problem)
    return fails(
        "",
        "The output is not softmax(QKᵀ/√d)V in any layout, nor a mistake that is known here.",
        _first(quiet),
    )


# -- what the known ways give -------------------------------------------------------------------------------


def plain(
    q: Tensor, k: Tensor, v: Tensor, scale: float, allowed: Tensor | None = None, leak: float | None = None
) -> Tensor:
    """softmax(scale · QKᵀ, where allowed) V on (…, T, d); `leak` is put in place of −inf."""
    scores = q @ k.transpose(-2, -1) * scale
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf if leak is None else leak)
    return torch.softmax(scores, dim=-1) @ v


def _turned(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(…, H, T, d) ↔ (…, T, H, d)."""
    return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)


def _cut(x: Tensor, heads: int, in_rows: bool) -> Tensor:
    rows, length, width = x.shape
    if in_rows:
        return x.reshape(rows, heads, length, width // heads)
    return x.reshape(rows, length, heads, width // heads).transpose(1, 2)


def _merged(x: Tensor, in_rows: bool) -> Tensor:
    rows, heads, length, size = x.shape
    return (x if in_rows else x.transpose(1, 2)).reshape(rows, length, heads * size)


def inside(
    x: tuple[Tensor, Tensor, Tensor], heads: int, pitfall: str, allowed: Tensor | None = None
) -> Iterator[Tensor]:
    """What attention with heads cut inside gives on (B, T, d), with a mistake or without one, in each way to make it."""
    width = x[0].shape[-1]
    scale = 1 / math.sqrt(width if pitfall == "scale-by-d-model" else width // heads)
    q, k, v = (_cut(each, heads, pitfall == "head-split-view") for each in x)
    if pitfall == "heads-attend-heads":
        mixed = plain(*_turned(q, k, v), scale).transpose(1, 2)
        yield _merged(mixed, False)
        return
    mixed = plain(q, k, v, scale, allowed)
    yield _merged(mixed, pitfall in ("merge-without-transpose", "head-split-view"))
    if pitfall == "head-split-view":
        yield _merged(mixed, False)


def _expected(
    layout: str, x: tuple[Tensor, Tensor, Tensor], heads: int | None
) -> Iterator[tuple[Reading, Tensor]]:
    """Every reading of a layout with what it gives there; the correct ones first."""
    if layout in ("bhtd", "htd"):
        yield Reading(layout, 1, ""), plain(*x, 1 / math.sqrt(SIZE))
        yield Reading(layout, 1, "scale-by-d-model"), plain(*x, 1 / math.sqrt(WIDTH))
        return
    if layout == "bthd":
        turned = _turned(*x)
        yield Reading(layout, 1, ""), plain(*turned, 1 / math.sqrt(SIZE)).transpose(1, 2)
        yield Reading(layout, 1, "heads-attend-heads"), plain(*x, 1 / math.sqrt(SIZE))
        yield Reading(layout, 1, "scale-by-d-model"), plain(*turned, 1 / math.sqrt(WIDTH)).transpose(1, 2)
        return
    batch: Any = tuple(_batched(each, layout) for each in x)
    width = x[0].shape[-1]
    counts = [heads] if heads else [count for count in range(1, width + 1) if width % count == 0]
    for pitfall in ("", *_WORDS):
        for count in counts:
            if (pitfall and count == 1) or pitfall == "cross-qkv-swapped":
                continue
            for given in inside(batch, count, pitfall):
                yield Reading(layout, count, pitfall), _unbatched(given, layout)


def _batched(x: Tensor, layout: str) -> Tensor:
    return {"btd": x, "td": x[None], "tbd": x.transpose(0, 1)}[layout] if layout != "td" else x[None]


def _unbatched(x: Tensor, layout: str) -> Tensor:
    return x[0] if layout == "td" else x.transpose(0, 1) if layout == "tbd" else x


# -- calling it ---------------------------------------------------------------------------------------------


def inputs(layout: str, seed: int = 0, width: int | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of one layout, large enough that the softmax has peaks."""
    shape = LAYOUTS[layout] if width is None else (*LAYOUTS[layout][:-1], width)
    return tuple(normal(seed + place, *shape) * 1.3 for place in range(3))  # type: ignore[return-value]


def given(fn: Fn, x: tuple[Tensor, Tensor, Tensor], **masks: Tensor | None) -> Any:
    """The result of a call; a function of one argument is self-attention and reads the queries alone."""
    if calling.required(fn) == 1:
        return fn(x[0], **masks)
    return fn(*x, **masks)


def own(fn: Fn, x: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """What such a function has really read."""
    return (x[0], x[0], x[0]) if calling.required(fn) == 1 else x


def needed_mask(fn: Fn) -> dict[str, Tensor | None]:
    """None for a mask that a call must have."""
    needed = [each for each in calling.parameters(fn) if each.default is each.empty and "mask" in each.name]
    return {each.name: None for each in needed}


def _readings(
    fn: Fn, layouts: list[str], heads: int | None, width: int | None = None
) -> tuple[list[Reading], tuple[str, str, str] | None]:
    """Every reading that fits, correct ones first; and what a call said where none did."""
    found: list[Reading] = []
    problem: tuple[str, str, str] | None = None
    for layout in layouts:
        x = inputs(layout, width=width)
        try:
            result = given(fn, x, **needed_mask(fn))
        except Exception as error:  # whatever somebody's code may raise belongs to the verdict
            told = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            problem = problem or ("", f"Called with tensors of shape {tuple(x[0].shape)} it stops.", told)
            continue
        out = calling.of_shape(result, tuple(x[0].shape))
        if out is None:
            continue
        found += [reading for reading, wanted in _expected(layout, own(fn, x), heads) if close(out, wanted)]
    return sorted(found, key=lambda each: bool(each.pitfall)), problem


def _named(reading: Reading) -> Verdict:
    x = inputs(reading.layout)
    example = f"q, k, v of shape {tuple(x[0].shape)}, read as {reading.words}"
    return fails(reading.pitfall, f"The code {_WORDS[reading.pitfall]}.", example)


def _first(fn: Fn) -> str:
    x = inputs("bhtd")
    try:
        out = calling.of_shape(given(fn, x, **needed_mask(fn)), tuple(x[0].shape))
    except Exception:  # as above
        return ""
    if out is None:
        return "the result has another shape than the queries"
    wanted = plain(*x, 1 / math.sqrt(SIZE))
    return f"first row {calling.short(out[0, 0, 0])}, where softmax(QKᵀ/√d)V gives {calling.short(wanted[0, 0, 0])}"


def _other_scale(fn: Fn, layouts: list[str]) -> Verdict | None:
    """Whether it is attention but for the number that the scores are divided by."""
    for layout in [each for each in layouts if each in ("bhtd", "htd", "btd", "td")]:
        x = inputs(layout)
        try:
            out = calling.of_shape(given(fn, x, **needed_mask(fn)), tuple(x[0].shape))
        except Exception:  # as above
            continue
        if out is None:
            continue
        size = x[0].shape[-1]
        low, high = -4.0, 8.0  # powers of two
        for _ in range(3):
            steps = torch.linspace(low, high, 400)
            errors = torch.stack(
                [(plain(*own(fn, x), float(2.0**-step)) - out).abs().max() for step in steps]
            )
            best = int(errors.argmin())
            low, high = float(steps[max(0, best - 1)]), float(steps[min(399, best + 1)])
        divisor = 2.0 ** float(steps[best])
        if float(errors[best]) > 1e-3:
            continue
        example = f"scores divided by {divisor:.4g} where √{size} = {math.sqrt(size):.4g} was meant"
        if abs(divisor - 1) < 0.01:
            return fails(
                "", "The scores are not divided by anything, so the softmax saturates as heads grow.", example
            )
        if abs(divisor - size) < 0.01 * size:
            return fails("", "The scores are divided by the size of a head and not by its root.", example)
        if divisor > math.sqrt(size) * 1.01:
            return fails(
                "scale-by-d-model",
                "The scores are divided by the root of a width that is not this head’s.",
                example,
            )
        return fails(
            "", "The scores are divided by another number than the root of the head’s size.", example
        )
    return None


# -- masks --------------------------------------------------------------------------------------------------


def _forms(allowed: Tensor) -> Iterator[tuple[str, Tensor]]:
    """A mask in every usual form."""
    yield "bool, True may attend", allowed
    yield "bool, True is hidden", ~allowed
    yield "1 may attend", allowed.int()
    yield "1.0 may attend", allowed.float()
    yield "1 is hidden", (~allowed).int()
    yield "added, −inf hides", torch.zeros(allowed.shape).masked_fill(~allowed, -math.inf)
    yield "added, −1e9 hides", torch.zeros(allowed.shape).masked_fill(~allowed, -1e9)


def _masked(fn: Fn, reading: Reading) -> Verdict:
    """The second half: a causal mask in some form must do what it says, and a row of nothing must stay finite."""
    good = passes(f"Attention: softmax(QKᵀ/√d)V, read as {reading.words}.")
    place = calling.mask_place(fn, calling.required(fn))
    if place is None:
        return good
    x = inputs(reading.layout)
    causal = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    raised: list[str] = []
    ignored = leaked = False
    for form, mask in _forms(causal):
        out = _under(fn, x, place, mask, raised)
        if out is None:
            continue
        if close(out, _with_mask(reading, own(fn, x), causal)):
            return _empty_row(fn, reading, x, place, form, good)
        ignored |= close(out, _with_mask(reading, own(fn, x), None))
        leaked |= form.endswith("may attend") and _sees_ahead(fn, x, place, mask, reading)
    if any("ambiguous" in each for each in raised):
        return fails(
            "mask-truth-value", "The mask is asked whether it is true, which a tensor cannot say.", raised[0]
        )
    if ignored and not leaked:
        return fails(
            "no-causal-mask",
            "The mask changes nothing: every row still sees its future.",
            f"a causal mask {tuple(causal.shape)}",
        )
    if leaked or ignored:
        return fails(
            "mask-leaks",
            "Weight reaches keys that the mask forbids.",
            "row 0 under a causal mask moves when the last value does",
        )
    return fails("", "No usual form of a causal mask gives causal attention.", raised[0] if raised else "")


def _under(
    fn: Fn, x: tuple[Tensor, Tensor, Tensor], place: str, mask: Tensor, raised: list[str]
) -> Tensor | None:
    """The output under a mask, tried as (T, S) and with leading axes; None where every call stops."""
    for shaped in (mask, mask[None], mask[None, None]):
        try:
            out = calling.of_shape(given(fn, x, **{place: shaped}), tuple(x[0].shape))
        except Exception as error:  # as above
            raised.append(f"{type(error).__name__}: {error}".splitlines()[0][:200])
            continue
        if out is not None:
            return out
    return None


def _with_mask(reading: Reading, x: tuple[Tensor, Tensor, Tensor], allowed: Tensor | None) -> Tensor:
    if reading.layout in ("bhtd", "htd"):
        return plain(*x, 1 / math.sqrt(SIZE), allowed)
    if reading.layout == "bthd":
        turned = _turned(*x)
        return plain(*turned, 1 / math.sqrt(SIZE), allowed).transpose(1, 2)
    batch: Any = tuple(_batched(each, reading.layout) for each in x)
    return _unbatched(next(inside(batch, reading.heads, "", allowed)), reading.layout)


def _sees_ahead(fn: Fn, x: tuple[Tensor, Tensor, Tensor], place: str, mask: Tensor, reading: Reading) -> bool:
    """Whether the first token's output moves, but less than without a mask, when the last value does."""
    axis = reading.layout.index("t")
    changed = x[2].clone()
    changed.select(axis, LENGTH - 1).add_(1.0)
    one, two = (_under(fn, (x[0], x[1], value), place, mask, []) for value in (x[2], changed))
    if one is None or two is None or calling.required(fn) == 1:
        return False
    first = (two - one).select(axis, 0).abs().max()
    free = _with_mask(reading, (x[0], x[1], changed), None) - _with_mask(reading, x, None)
    return float(first) > 1e-6 and not close(one + free, two)


def _empty_row(
    fn: Fn, reading: Reading, x: tuple[Tensor, Tensor, Tensor], place: str, form: str, good: Verdict
) -> Verdict:
    """A row that may attend to nothing; what is added to scores is the caller's own, and so is a row of −inf."""
    if form.startswith("added"):
        return passes(f"{good.said} Masks: {form}.")
    allowed = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    allowed[1] = False
    out = _under(fn, x, place, dict(_forms(allowed))[form], [])
    if out is not None and bool(out.isnan().any()):
        return fails(
            "masked-row-nan",
            "A row that may attend to nothing becomes NaN: softmax of −inf alone is 0/0.",
            f"a mask ({form}) of shape {tuple(allowed.shape)} whose row 1 forbids everything",
        )
    return passes(f"{good.said} Masks: {form}.")


# -- modules with projections -------------------------------------------------------------------------------


def _module(module: nn.Module, layout: str | None, heads: int | None) -> Verdict:
    """Projections set to the identity leave attention itself; where that is not possible, its behaviour tells."""
    layouts = [layout] if layout in ("btd", "tbd", "td") else ["btd", "tbd"]
    faults: list[Reading] = []
    for twin, width in identity_copies(module, WIDTH):
        found, _ = _readings(twin, layouts, heads, width)
        right = next((each for each in found if not each.pitfall), None)
        if right is not None:
            return _masked_module(twin, right, width)
        faults += found
    if faults:
        return _named(faults[0])
    return by_behaviour(module, WIDTH)


def _masked_module(twin: nn.Module, reading: Reading, width: int) -> Verdict:
    return (
        _masked(twin, reading)
        if width == WIDTH
        else passes(f"Attention: softmax(QKᵀ/√d)V, read as {reading.words}.")
    )
