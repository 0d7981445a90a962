"""Claims of B, the annotated classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.analysis.readout import exact
from core.language import message
from core.learning.claims.claim import Outcome, grid, outcome, raised, seeded, small
from core.learning.study import far
from core.learning.tutorials import preset
from core.model.positions import sinusoid_table

DRAWS: Final = 2000
ROWS: Final = ((0.2, 0.3, 0.4), (0.2, 0.4, 0.4), (0.3, 0.4, 0.4))
"""The table of B's layer-norm example: three tokens of three numbers."""


def means() -> Outcome:
    lines = []
    for row, printed in zip(ROWS, ("0.2", "0.3", "0.4"), strict=True):
        line = {"numbers": " + ".join(f"{each:.1f}" for each in row), "printed": printed}
        mean = sum(row) / len(row)
        lines.append({**line, "mean": f"{mean:.2f}", "rounded": f"{mean:.1f}"})
    wrong = [line for line in lines if line["rounded"] != line["printed"]]
    first = (wrong or lines)[0]
    return outcome(not wrong, *lines, **{**first, "mean": first["rounded"]})


def exponential() -> Outcome:
    width, length = 512, 100
    by_exp = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
    angles = torch.arange(length).float()[:, None] * by_exp
    table = torch.from_numpy(sinusoid_table(length, width))
    error = max(far(angles.sin(), table[:, 0::2]), far(angles.cos(), table[:, 1::2]))
    return outcome(error < 1e-4, error=small(error), count=length, exactly=exact(error, 6))


def no_softmax() -> Outcome:
    logits = torch.randn(DRAWS, 100, generator=seeded())
    same = int((logits.argmax(-1) == logits.softmax(-1).argmax(-1)).sum())
    return outcome(same == DRAWS, same=f"{same:,}", count=f"{DRAWS:,}")


def _dropped(values: Tensor, rate: float, draw: torch.Generator) -> Tensor:
    """Dropout as in training: numbers set to zero at this rate, the others divided by 1 − rate."""
    kept = torch.rand(values.shape, generator=draw) >= rate
    return values * kept / (1 - rate)


def inner_dropout() -> Outcome:
    rate, width, inner, draw = preset("tutorial-b").dropout, 64, 256, seeded()
    x = torch.randn(width, generator=draw)
    first = torch.randn(width, inner, generator=draw) / width**0.5
    second = torch.randn(inner, width, generator=draw) / inner**0.5
    hidden = torch.relu(x @ first)
    dropped = _dropped(hidden.expand(DRAWS, -1), rate, draw)
    outputs, plain = dropped @ second, hidden @ second
    zero = float((dropped[:, hidden > 0] == 0).float().mean())
    shift = float((outputs.mean(0) - plain).norm() / plain.norm())
    once = float((outputs - plain).norm(dim=-1).mean() / plain.norm())
    shares = {
        name: f"{100 * share:.0f}" for name, share in (("once", once), ("shift", shift), ("zero", zero))
    }
    return outcome(
        abs(zero - rate) < 0.01 and shift < 0.05, **shares, draws=f"{DRAWS:,}", rate=f"{100 * rate:.0f}"
    )


def sum_dropout() -> Outcome:
    config, draw = preset("tutorial-b"), seeded()
    rate = config.dropout
    positions = torch.from_numpy(sinusoid_table(DRAWS // 20, config.d_model)).float()
    x = torch.randn(positions.shape, generator=draw) * config.d_model**0.5 + positions
    dropped = _dropped(x, rate, draw)
    zero = float((dropped == 0).float().mean())
    longer, wanted = float(dropped.pow(2).sum() / x.pow(2).sum()), 1 / (1 - rate)
    holds = abs(zero - rate) < 0.01 and abs(longer - wanted) < 0.02
    shares = {"zero": f"{100 * zero:.0f}", "rate": f"{100 * rate:.0f}"}
    return outcome(holds, **shares, longer=exact(longer), wanted=exact(wanted))


def word_map() -> Outcome:
    words, heads, size = 4, 8, 64
    q, k = torch.randn(2, words, heads, size, generator=seeded()).unbind(0)
    weights = torch.softmax(q @ k.mT / (heads * size) ** 0.5, dim=-1)
    drawn = ((0.2, 0.3, 0.1, 0.4), (0.1, 0.4, 0.2, 0.3), (0.1, 0.2, 0.3, 0.4), (0.3, 0.2, 0.1, 0.4))
    shape, sums = tuple(weights.shape), " ".join(f"{sum(row):.1f}" for row in drawn)
    grids = (
        grid(message("as drawn: words by words"), torch.tensor(drawn)),
        grid(message("as computed: heads by heads, for the first word"), weights[0]),
    )
    squares = {"words": f"{words} × {words}", "heads": f"{heads} × {heads}"}
    return outcome(shape == (heads, words, words), **squares, shape=shape, sums=sums).with_grids(*grids)


def column_wise() -> Outcome:
    table = torch.tensor(ROWS)
    by_last, by_column = (" ".join(exact(float(each)) for each in table.mean(dim=dim)) for dim in (-1, 0))
    return outcome(by_last == by_column, by_last=by_last, by_column=by_column)


def unmerged() -> Outcome:
    width, length = 512, 10

    def runs(heads: int) -> str:
        mixed = torch.zeros(1, length, heads, width // heads)
        return raised(lambda: nn.Linear(width, width)(mixed))

    counts = [heads for heads in (1, 2, 4, 8) if runs(heads) == "✓"]
    return outcome(
        runs(8) == "✓",
        **{"width": width, "size": width // 8, "problem": runs(8)},
        **{"counts": ", ".join(map(str, counts))},
    )


def std_eps() -> Outcome:
    def theirs(x: Tensor) -> Tensor:
        return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)

    errors = {}
    for width in (6, 512):
        x = torch.randn(200, width, generator=seeded())
        errors[width] = far(theirs(x), functional.layer_norm(x, (width,), eps=1e-6))
    x = 1e-5 * torch.randn(200, 512, generator=seeded())
    flat = far(theirs(x), functional.layer_norm(x, (512,), eps=1e-6))
    return outcome(
        max(*errors.values(), flat) < 1e-5,
        narrow=exact(errors[6]),
        wide=exact(errors[512], 4),
        flat=exact(flat),
    )


def exponent_comment() -> Outcome:
    width = 512
    pairs = torch.arange(0, width, 2).double()
    code, comment = torch.exp(-pairs * math.log(10000) / width), 10000 ** (pairs / width)
    far_apart = float((comment / code)[-1])
    return outcome(
        far_apart == 1,
        code=exact(float(code[-1]), 4),
        comment=f"{float(comment[-1]):,.0f}",
        last=width - 1,
    )


def dims_linear() -> Outcome:
    width, heads = 512, 8
    size = width // heads
    x = torch.randn(width, generator=seeded(), requires_grad=True)
    with torch.enable_grad():
        head = nn.Linear(width, width)(x)[:size].sum()
        (gradient,) = torch.autograd.grad(head, x)
    read = int((gradient != 0).sum())
    return outcome(read == size, size=size, read=read, small=f"{size * size:,}", large=f"{width * size:,}")


def buffer() -> Outcome:
    class Positions(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("table", torch.from_numpy(sinusoid_table(10, 512)))

    module = Positions()
    parameters, saved = len(list(module.parameters())), len(module.state_dict())
    return outcome(parameters == 0 and saved == 1, parameters=parameters, saved=saved)


def first_rows() -> Outcome:
    width, longest, count = 512, 40, 7
    table, x = torch.from_numpy(sinusoid_table(longest, width)), torch.zeros(1, count, width)
    added = x + table[None][:, : x.shape[1]]
    error = far(added[0], torch.from_numpy(sinusoid_table(count, width)))
    long = torch.zeros(1, longest + 1, width)
    problem = raised(lambda: long + table[None][:, : long.shape[1]])
    return outcome(
        added.shape[1] == count and error == 0,
        **{"count": count, "longest": longest, "more": longest + 1, "problem": problem},
        **{"rows": added.shape[1], "error": small(error)},
    )


def outer() -> Outcome:
    length, width = 10, 512
    position = torch.arange(length).float().unsqueeze(1)
    divisor = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
    angles = position * divisor
    error = far(angles, torch.outer(position[:, 0], divisor))
    shapes = {"column": tuple(position.shape), "row": f"({len(divisor)})", "shape": tuple(angles.shape)}
    return outcome(
        tuple(angles.shape) == (length, width // 2) and error == 0,
        **{**shapes, "wanted": (length, width // 2), "error": small(error)},
    )


def lookup() -> Outcome:
    words, width, length = 1000, 512, 10
    table = torch.zeros(words, width)
    shape = tuple(table[torch.zeros(1, length, dtype=torch.long)].shape)
    return outcome(
        shape == (1, length, width), shape=shape, wanted=(1, length, width), table=tuple(table.shape)
    )


OUTCOMES: Final[Mapping[str, Callable[[], Outcome]]] = {
    "means": means,
    "word-map": word_map,
    "unmerged": unmerged,
    "std-eps": std_eps,
    "exponent-comment": exponent_comment,
    "column-wise": column_wise,
    "dims-linear": dims_linear,
    "no-softmax": no_softmax,
    "inner-dropout": inner_dropout,
    "sum-dropout": sum_dropout,
    "exponential": exponential,
    "lookup": lookup,
    "outer": outer,
    "buffer": buffer,
    "first-rows": first_rows,
}
