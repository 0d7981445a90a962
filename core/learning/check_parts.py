"""Check the small parts of a model: positions, masks, layer norm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor, nn

from core.learning import calling
from core.learning.calling import Fn, Remark, Verdict, close, fails, normal, passes, remark, undecided
from core.learning.stream_pitfalls import doubled_sinusoids
from core.model.positions import BASE, Denominator, Layout, sinusoid_table

LENGTH, WIDTH = 24, 16
PAD = 0
TOKENS: Final = ((5, 6, 7, 8, 9, 4), (5, 6, 7, PAD, PAD, PAD))


# -- positions ----------------------------------------------------------------------------------------------


def positional(fn: Fn, *, length: int = LENGTH, d_model: int = WIDTH) -> Verdict:
    """Whether `fn(length, d_model)` gives sinusoids, or a module adds them to its input.

    A function's arguments are recognised by their names, in either order. A module may read (B, T, d), (T, B, d), (T, d), or
    ids. Sines and cosines may alternate or stand in halves, positions may start at 0, 1 or 2, and a module may scale
    what it reads. A learned table has nothing that could be checked and is said to be one.
    """
    quiet = calling.quiet_copy(fn)
    learned = isinstance(quiet, nn.Module) and any(each.dim() >= 2 for each in quiet.parameters())
    raised: list[str] = []
    same: list[Tensor] = []
    table = next(_tables(quiet, length, d_model, raised, same), None)
    if table is None and learned:
        return passes("A learned table: any numbers are as good as any others.")
    if table is None and same:
        return fails("no-sinusoids.same", f"every row is {calling.short(same[0][0])}")
    if table is None:
        return undecided(
            f"No call gave a table that differs from position to position ({raised[0] if raised else 'no error'}).",
            example="core.check.positional(lambda length, d_model: module(torch.zeros(1, length, d_model))[0])",
        )
    length, d_model = table.shape
    factor = float(table.abs().max())
    for (layout, denominator), offset in itertools.product(_SINUSOIDS, range(3)):
        wanted, doubled = (
            torch.from_numpy(each(length, d_model, layout, denominator, offset))
            for each in (sinusoid_table, doubled_sinusoids)
        )
        if _same_columns(table / factor, wanted / wanted.abs().max()):
            factor /= float(wanted.abs().max())
            if abs(factor - 2) < 1e-3:
                return fails("positions-twice.table", "the largest number is 2, and that of a sine is 1")
            notes = [f"Sinusoids: {_NAMES[layout]}, first position {offset}."]
            if not close(table / factor, wanted):
                notes = [f"Sinusoids, first position {offset}.", Remark(_ORDER)]
            return passes(
                *notes, *([Remark(f"They are multiplied by {factor:.4g}.")] if abs(factor - 1) > 1e-3 else [])
            )
        if close(table, doubled):
            last = BASE ** (2 * (d_model - 2) / d_model)
            return fails(
                "pe-exponent-doubled",
                f"the slowest pair divides by {last:.4g} and not by {math.sqrt(last):.4g}",
            )
    wanted = torch.from_numpy(sinusoid_table(length, d_model))
    row = int((table - wanted).abs().amax(1).argmax())
    return fails(
        "no-sinusoids",
        f"position {row} is {calling.short(table[row])} where {calling.short(wanted[row])} is meant",
    )


def _same_columns(table: Tensor, wanted: Tensor) -> bool:
    """Whether two tables (length, d) have the same columns, in whatever order."""
    far = (table.T[:, None] - wanted.T[None]).abs().amax(2)
    return float(far.amin(0).max()) < calling.CLOSE and float(far.amin(1).max()) < calling.CLOSE


_ORDER: Final = (
    "Sines and cosines stand in another order than in the paper, which is as good for a model trained so."
)
_SINUSOIDS: Final[tuple[tuple[Layout, Denominator], ...]] = (
    ("sinusoidal", "half"),
    ("sinusoidal_halves", "half"),
    ("sinusoidal", "half_minus_one"),
    ("sinusoidal_halves", "half_minus_one"),
)
_NAMES: Final = {"sinusoidal": "sine and cosine in turn", "sinusoidal_halves": "sines, then cosines"}


def _tables(fn: Fn, length: int, width: int, raised: list[str], same: list[Tensor]) -> Iterator[Tensor]:
    """(length, d) from every way to call it, where the rows differ."""
    for call in _calls(fn, length, width):
        try:
            out = calling.tensors(call())
        except Exception as error:  # the next way may work
            raised.append(calling.error_line(error))
            continue
        for each in out:
            table = each.detach().double()
            while table.dim() > 2 and 1 in table.shape:
                table = table.squeeze(list(table.shape).index(1))
            if table.dim() != 2 or min(table.shape) <= 1:
                continue
            if bool((table - table[:1]).abs().max() > 1e-3):
                yield table[:length]
            elif bool(table.any()):
                same.append(table)


def _calls(fn: Fn, length: int, width: int) -> Iterator[Callable[[], Any]]:
    if isinstance(fn, nn.Module):
        with torch.no_grad():  # what is added is all that is left
            for each in fn.parameters():
                each.zero_()
        tables = calling.table_shapes(fn)
        widths = [
            *(shape[-1] for shape in tables),
            *calling.sizes_of(fn, "d_model", "embed_dim", "emb_size", "embedding_dim"),
            width,
        ]
        lengths = [length, *(size for shape in tables for size in shape[:-1] if 3 <= size <= 4096)]
        for count, d in itertools.product(dict.fromkeys(lengths), dict.fromkeys(widths)):
            yield from (partial(fn, torch.zeros(shape)) for shape in ((1, count, d), (count, 1, d)))
            yield partial(fn, torch.zeros(count, d))
        for ids in (torch.full((1, count), 2) for count in dict.fromkeys(lengths)):
            yield from (partial(fn, ids), partial(fn, ids.T), partial(fn, ids[0]))
        yield fn
        return
    names = [each.name for each in calling.arguments(fn) if each.required or each.role == "unknown"]
    swapped = len(names) > 1 and bool(_WIDTH_WORDS & set(names[0].lower().split("_")))
    for places in (length, torch.arange(length)):
        yield partial(fn, width, places) if swapped else partial(fn, places, width)
        yield partial(fn, places)


_WIDTH_WORDS: Final = frozenset(
    (
        "d",
        "dim",
        "depth",
        "model",
        "width",
        "hidden",
        "embd",
        "embed",
        "emb",
        "embedding",
        "channels",
        "dimension",
    )
)


# -- masks --------------------------------------------------------------------------------------------------


def mask(fn: Fn, *, pad: int = PAD) -> Verdict:
    """Whether `fn(length)` is a causal mask, or `fn(tokens)` or `fn(tokens, pad)` a causal or padding mask of ids (B, T).

    Bool masks of either polarity, 0 and 1 of either, and masks that are added all count. A causal mask of tokens that
    leaves padding in sight is a mistake only where an argument is called `pad`; else a remark, for padding that comes
    last is seen by padding alone.
    """
    quiet = calling.quiet_copy(fn)
    tokens = torch.tensor(TOKENS)
    tokens = tokens.masked_fill(tokens == PAD, pad)
    length = tokens.shape[1]
    raised = ""
    takes_pad = _takes_pad(fn)
    ways: tuple[tuple[Any, ...], ...] = ((length,), (tokens,), (tokens, pad), (tokens, tokens))
    for way, arguments in enumerate(ways):
        try:
            results = calling.tensors(quiet(*arguments))
        except Exception as error:  # whatever the user's code raises belongs to the verdict
            reason = calling.error_line(error)
            if "ambiguous" in reason:
                return fails("mask-truth-value.mask", reason)
            raised = raised or reason
            continue
        shaped = [each for each in results if each.dim() >= 1 and each.shape[-1] == length]
        if shaped:
            return _judged(shaped, tokens != pad if way else None, takes_pad)
    return undecided(
        f"Neither a length nor a batch of tokens gives a mask ({raised or 'no tensor of that length came back'}).",
        example="core.check.mask(lambda tokens: my_mask(tokens, …))",
    )


def _takes_pad(fn: Fn) -> bool:
    """Whether an argument is called after padding."""
    return any("pad" in each.name.lower() for each in calling.arguments(fn))


def _judged(masks: list[Tensor], real: Tensor | None, takes_pad: bool) -> Verdict:
    """The verdict on the first wrong mask, else on the last; beside others, one that hides nothing is no mistake."""
    telling = [each for each in masks if len(each.unique()) > 1]
    for each in telling or masks[:1]:
        if not (verdict := _one(each, real, takes_pad)):
            return verdict
    return verdict


def _one(mask: Tensor, real: Tensor | None, takes_pad: bool) -> Verdict:
    length = mask.shape[-1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    square = mask.dim() >= 2 and mask.shape[-2] == length
    padding = None if real is None else real[:, None, :]
    wanted = [("a causal mask", causal)] if square else []
    if padding is not None:
        wanted += [("a causal mask without padding", causal & padding)] if square else []
        wanted += [("a padding mask", padding.expand(-1, length, -1) if square else padding)]
    readings = list(_allowed(mask))
    flat = [(name, _flat(allowed, 1 if real is None else len(real))) for name, allowed in readings]
    for form, allowed in flat:
        for name, goal in wanted:
            if allowed.shape[-2:] == goal.shape[-2:] and bool((allowed == goal).all()):
                if real is not None and name == "a causal mask" and takes_pad:
                    return fails(
                        "target-padding-unmasked.mask",
                        f"row {length - 1} of {real[-1].int().tolist()} (0 is padding) may attend to every column",
                    )
                if real is not None and name == "a causal mask":
                    return passes(f"A causal mask ({form}).", remark("target-padding-unmasked.mask"))
                return passes(f"{name[0].upper()}{name[1:]} ({form}).")
    return _wrong(mask, flat, causal, square)


def _wrong(mask: Tensor, flat: list[tuple[str, Tensor]], causal: Tensor, square: bool) -> Verdict:
    """Which mistake a mask is that is right in no reading."""
    if mask.is_floating_point() and square:
        values = _flat(mask, 1)[0]
        ahead, behind = values[~causal], values[causal]
        if bool((behind == 0).all()) and bool((ahead.abs() < 1e3).all()) and bool((ahead != 0).any()):
            return fails(
                "mask-leaks.small", f"{float(ahead.abs().max()):.3g} is added where −1e9 or −inf is meant"
            )
        if bool((ahead <= 0).all()) and bool(((ahead > -1e3) & (ahead != 0)).any()):
            return fails("mask-leaks.some")
    if not square:
        return fails("no-mask.row", calling.short(mask.float()))
    if any(bool(allowed.all()) for _, allowed in flat):
        return fails("no-causal-mask.mask", f"a mask {tuple(mask.shape)} of one value")
    for _, allowed in flat:
        rows = allowed.reshape(-1, *allowed.shape[-2:])[0]
        if bool((rows & ~causal).any()) and bool(rows[causal].all()):
            i, j = (int(n) for n in (rows & ~causal).nonzero()[0])
            return fails("mask-leaks.future", f"row {i} may attend to column {j}")
    for _, allowed in flat:
        rows = allowed.reshape(-1, *allowed.shape[-2:])[0]
        if not bool(rows.any(-1).all()) and not bool((rows & ~causal).any()):
            row = int((~rows.any(-1)).nonzero()[0])
            return fails("masked-row-nan.mask", f"row {row} forbids every column")
    return fails("no-mask", calling.short(mask.float()))


def _allowed(mask: Tensor) -> list[tuple[str, Tensor]]:
    """Who may attend, in each reading that the type allows."""
    if mask.dtype == torch.bool:
        return [("True may attend", mask), ("True is hidden", ~mask)]
    values = set(mask.float().unique().tolist())
    readings = []
    if values <= {0.0, 1.0}:
        readings = [("1 may attend", mask == 1), ("1 is hidden", mask == 0)]
    if (
        mask.is_floating_point()
        and not bool(((mask > -1e3) & (mask < 0)).any())
        and min(values) <= -1e3
        and max(values) <= 0
    ):
        readings.append(("added to the scores", mask == 0))
    return readings


def _flat(mask: Tensor, batch: int) -> Tensor:
    """(B, T or 1, T), whatever axes of 1 stood around."""
    flat = mask
    while flat.dim() > 3:
        flat = flat.squeeze(1) if flat.shape[1] == 1 else flat[:, 0]
    if flat.dim() == 1:
        return flat[None, None]
    if flat.dim() == 2:
        is_batch = flat.shape[0] == batch != flat.shape[1]
        return flat[:, None, :] if is_batch else flat[None]
    return flat


# -- layer norm ---------------------------------------------------------------------------------------------

_EPS: Final = (1e-5, 1e-6, 1e-8, 1e-12, 1e-3, 0.0)


def layer_norm(fn: Fn, *, d_model: int = WIDTH) -> Verdict:
    """Whether `fn(x)` is layer norm over the last axis, (B, T, d) → the same.

    γ, β and ε may be anything. Another deviation than the biased one, and ε outside of the root, as in the Annotated
    Transformer, are remarks. RMS norm, which takes no mean out, passes. A row of zeros that becomes NaN is a mistake.
    """
    quiet = calling.quiet_copy(fn)
    if isinstance(quiet, nn.Module):
        kept = [*quiet.parameters(), *quiet.buffers()]
        sizes = [each.shape[-1] for each in kept if each.dim() >= 1 and each.shape[-1] > 1]
        sizes += list(getattr(quiet, "normalized_shape", ()))[-1:]
        d_model = sizes[0] if sizes else d_model
    x = (
        normal(5, 6, 8, d_model).double()
        * torch.tensor([3.0, 1.0, 0.1, 1e-2, 1e-3, 3e-5]).double()[:, None, None]
        + 0.2
    )
    try:
        out = calling.tensors(quiet(x.float()))[0].detach().double()
    except Exception as error:  # whatever the user's code raises belongs to the verdict
        return undecided(
            f"It could not be called with {tuple(x.shape)} ({calling.error_line(error)}).",
            example="core.check.layer_norm(lambda x: my_norm(x, …), d_model=…)",
        )
    if out.shape != x.shape:
        return undecided(
            f"The result has shape {tuple(out.shape)} and not {tuple(x.shape)}.",
            example="core.check.layer_norm(lambda x: my_norm(x)[0])",
        )
    if not bool(torch.as_tensor(calling.tensors(quiet(torch.zeros(1, 2, d_model)))[0]).isfinite().all()):
        return fails("no-epsilon", "a row of zeros becomes NaN")
    x = x.float().double()
    gains = [torch.ones(d_model).double()]
    if isinstance(quiet, nn.Module):
        own = [each.detach().double().flatten() for each in quiet.parameters() if each.numel() == d_model]
        gains += [each for each in (*own, *(1 + each for each in own)) if bool((each.abs() > 1e-3).all())]
    for name, eps in itertools.product(_FORMULAS, _EPS):
        verdict = _fits(out, _FORMULAS[name](x, eps), name, gains)
        if verdict is not None:
            return verdict
    return _other_norm(out, x)


def _spread(x: Tensor, correction: int) -> tuple[Tensor, Tensor]:
    return x - x.mean(-1, keepdim=True), x.var(-1, correction=correction, keepdim=True)


_FORMULAS: Final[dict[str, Any]] = {
    "layer": lambda x, eps: _spread(x, 0)[0] / (_spread(x, 0)[1] + eps).sqrt(),
    "rms": lambda x, eps: x / (x.square().mean(-1, keepdim=True) + eps).sqrt(),
    "unbiased, ε outside": lambda x, eps: _spread(x, 1)[0] / (_spread(x, 1)[1].sqrt() + eps),
    "ε outside": lambda x, eps: _spread(x, 0)[0] / (_spread(x, 0)[1].sqrt() + eps),
    "unbiased": lambda x, eps: _spread(x, 1)[0] / (_spread(x, 1)[1] + eps).sqrt(),
}


def _fits(out: Tensor, z: Tensor, name: str, gains: list[Tensor]) -> Verdict | None:
    """Whether the output is this formula's for some γ and β of each number; what to say then."""
    width = z.shape[-1]
    flat, given = z.reshape(-1, width), out.reshape(-1, width)
    # The first two deviate by 3 and 1, far above any ε.
    large, wanted = (z[:2].reshape(-1, width), out[:2].reshape(-1, width))
    centred = large - large.mean(0)
    gain = (centred * (wanted - wanted.mean(0))).sum(0) / centred.square().sum(0).clamp_min(1e-12)
    shift = wanted.mean(0) - gain * large.mean(0)
    if float((flat * gain + shift - given).abs().max()) > 2e-3 * max(1.0, float(gain.abs().max())):
        return None
    if name == "rms":
        return passes("RMS norm, which takes no mean out; a model is trained with one or the other.")
    unbiased = math.sqrt((width - 1) / width)
    factors = [
        float((gain / each).mean()) for each in gains if bool((gain / each).std() < (1 - unbiased) / 4)
    ]
    if name == "layer" and not any(abs(each - unbiased) < (1 - unbiased) / 2 for each in factors):
        return passes("Layer norm: biased variance; where ε is added cannot be told or makes no difference.")
    return passes("Layer norm over the last axis.", remark("std-plus-eps"))


def _other_norm(out: Tensor, x: Tensor) -> Verdict:
    for axes, name in (
        ((1,), "tokens"),
        ((0,), "the batch"),
        ((0, 1), "all tokens"),
        ((1, 2), "a sentence"),
        ((0, 1, 2), "the whole batch"),
    ):
        z = x - x.mean(axes, keepdim=True)
        z = z / (x.var(axes, correction=0, keepdim=True) + 1e-5).sqrt()
        gain = (z * out).sum() / z.square().sum()
        if float((z * gain - out).abs().max()) < 2e-2 * float(out.abs().max()):
            return fails("norm-axis", axis=name)
    row = int((out - _FORMULAS["layer"](x, 1e-5)).abs().amax((1, 2)).argmax())
    wanted = _FORMULAS["layer"](x, 1e-5)[row, 0]
    return fails(
        "no-layer-norm",
        f"{calling.short(x[row, 0])} becomes {calling.short(out[row, 0])} where {calling.short(wanted)} is meant",
    )
