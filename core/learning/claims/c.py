"""Claims of C, the encoder part of a blog."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.analysis.readout import exact
from core.language import message
from core.learning import trials
from core.learning.claims.claim import Outcome, grid, outcome, raised, seeded, small
from core.learning.claims.paper import spread
from core.learning.study import far
from core.learning.tutorials import preset
from core.model.positions import sinusoid_table


def variance() -> Outcome:
    before, after = spread(512)
    holds = abs(before / 512 - 1) < 0.05 and abs(after - 1) < 0.05
    exactly = {"exactly": exact(before), "exactly_after": exact(after, 4)}
    return outcome(holds, before=exact(before, 0), after=exact(after), **exactly)


def independent() -> Outcome:
    width, length, draw = 64, 5, seeded()
    x, q, k, v = (torch.randn(size, width, generator=draw) for size in (length, width, width, width))

    def attend(x: Tensor) -> Tensor:
        scores = (x @ q) @ (x @ k).T / width**1.5
        mixed: Tensor = torch.softmax(scores, dim=-1) @ (x @ v) / width**0.5
        return mixed

    other = x.clone()
    other[-1] = torch.randn(width, generator=draw)
    moved = far(attend(other)[:-1], attend(x)[:-1])
    order = torch.tensor([3, 0, 4, 1, 2])
    turned = far(attend(x[order]), attend(x)[order])
    return outcome(moved < 1e-6, moved=exact(moved, 1), exactly=exact(moved), turned=exact(turned, 4))


def order() -> Outcome:
    draw, width = seeded(), 64
    x = torch.randn(5, width, generator=draw)
    other = x.clone()
    other[-1] = torch.randn(width, generator=draw)
    inner, outer, q, k = (torch.randn(width, width, generator=draw) / width**0.5 for _ in range(4))

    def feed(t: Tensor) -> Tensor:
        fed: Tensor = torch.relu(t @ inner) @ outer
        return fed

    def attend(t: Tensor) -> Tensor:
        mixed: Tensor = torch.softmax((t @ q) @ (t @ k).T / width**0.5, dim=-1) @ t
        return mixed

    alone, mixed = (far(part(other)[:-1], part(x)[:-1]) for part in (feed, attend))
    both = far(attend(feed(x)), feed(attend(x)))
    fields = {"error": exact(both, 1), "exactly": exact(both), "alone": exact(alone), "mixed": exact(mixed)}
    return outcome(both < 1e-4, **fields)


def residual() -> Outcome:
    width, layers, draw = 64, 24, seeded()
    matrices = [torch.randn(width, width, generator=draw) / width**0.5 for _ in range(layers)]
    start, direction = torch.randn(2, 8, width, generator=draw).unbind(0)
    lengths = []
    with torch.enable_grad():
        for kept in (0, 1):
            x = start.clone().requires_grad_()
            y = x
            for matrix in matrices:
                y = kept * y + torch.relu(y @ matrix)
            (gradient,) = torch.autograd.grad((y * direction).sum(), x)
            lengths.append(float(gradient.norm() / direction.norm()))
    without, with_sum = lengths
    left = {"without": small(without), "with_sum": small(with_sum)}
    return outcome(without < 1 <= with_sum, layers=layers, share=f"{100 * without:.1g}", **left)


def unit_rows() -> Outcome:
    x = 3 + 5 * torch.randn(4, 512, generator=seeded())
    normed = functional.layer_norm(x, (512,))
    mean, deviation = float(normed.mean(-1).abs().max()), float(normed.std(-1, unbiased=False).mean())
    return outcome(mean < 1e-4 and abs(deviation - 1) < 1e-3, mean=exact(mean), deviation=exact(deviation))


def table_sizes() -> Outcome:
    length, width, t5 = 512, preset("tutorial-c").d_model, preset("t5")
    learned, relative = length * width, t5.relative_buckets * t5.heads
    sizes = {"count": length, "width": width, "buckets": t5.relative_buckets, "heads": t5.heads}
    return outcome(relative < learned, learned=f"{learned:,}", relative=f"{relative:,}", **sizes)


def merge() -> Outcome:
    heads, length, size = 8, 4, 64
    values = torch.arange(heads * length * size).reshape(heads, length, size)
    right, merged = values.transpose(0, 1).reshape(length, -1), values.reshape(length, -1)
    same = int((right == merged).sum())
    # which token's row each number of a merged row comes from
    tokens = functional.one_hot(merged // size % length, length).float().mean(1)
    return outcome(
        same == values.numel(),
        **{"same": same, "count": f"{values.numel():,}", "shape": (length, heads * size)},
    ).with_grids(grid(message("merged row by token"), tokens))


def _denominators(width: int, factor: int) -> Tensor:
    return torch.pow(10000.0, factor * torch.arange(0, width, 2).double() / width)


def _still(denominators: Tensor, length: int = 40) -> int:
    """How many dimensions of sines and cosines move by less than 0.01 over `length` positions."""
    angles = torch.arange(length)[:, None] / denominators
    moved = torch.cat([part.amax(0) - part.amin(0) for part in (angles.sin(), angles.cos())])
    return int((moved < 0.01).sum())


def exponent_doubled() -> Outcome:
    width = preset("tutorial-c").d_model
    right, doubled = _denominators(width, 1), _denominators(width, 2)
    return outcome(
        bool((right == doubled).all()),
        **{"width": width, "still": _still(doubled), "right_still": _still(right)},
        **{"largest": f"{float(right[-1]):,.0f}", "largest_doubled": f"{float(doubled[-1]):,.0f}"},
    )


def denominator() -> Outcome:
    shape = f"({_denominators(preset('tutorial-c').d_model, 2).numel()})"
    return outcome(shape == "(256)", shape=shape)


def in_feed_forward() -> Outcome:
    width, length = preset("tutorial-c").d_model, 40
    positions = torch.from_numpy(sinusoid_table(length, width)).float()
    x = torch.randn(64, length, width, generator=seeded())

    def cosine(stream: Tensor) -> float:
        return float(functional.cosine_similarity(stream, positions, dim=-1).mean())

    written, meant = cosine(x), cosine(x + positions)
    return outcome(written > 0.1, written=exact(written), meant=exact(meant))


def mask_truth() -> Outcome:
    def branch(mask: Tensor) -> bool:
        return bool(mask)  # what `if mask:` asks

    full, single = torch.zeros(4, 4), torch.zeros(1, 1)
    problem, added = raised(lambda: branch(full)), branch(single)
    return outcome(problem == "✓", problem=problem, count=full.numel(), added=int(added))


def recursion() -> Outcome:
    class Stack:
        def __init__(self, count: int) -> None:
            self.layers = [Stack(count) for _ in range(count)]

    class Misspelt(nn.Module):
        def __init__(self) -> None:
            super().__init()  # type: ignore[misc]

    endless, misspelt = raised(lambda: Stack(3)), raised(Misspelt)
    return outcome(endless == misspelt == "✓", endless=endless, misspelt=misspelt)


def arguments() -> Outcome:
    def encoder(d_model: int, fnn_hidden: int, num_heads: int, drop_prob: float, n: int) -> None: ...

    given = {"d_model", "fnn_hidden", "num_heads", "drop_prob", "max_sequence_length", "num_layers"}
    wanted = set(inspect.signature(encoder).parameters)
    unknown, lacking = sorted(given - wanted), sorted(wanted - given)
    problem = raised(lambda: encoder(**dict.fromkeys(given, 1)))
    return outcome(
        problem == "✓",
        **{"problem": problem, "unknown": ", ".join(unknown), "lacking": ", ".join(lacking)},
        **{"count": len(unknown), "missing": len(lacking)},
    )


def drop_as_length() -> Outcome:
    length = preset("tutorial-c").dropout  # what arrives where the length is expected
    positions = torch.arange(length)
    problem = raised(lambda: positions.reshape(length, 1))  # type: ignore[call-overload]
    return outcome(problem == "✓", length=exact(length, 1), made=positions.numel(), problem=problem, count=40)


def global_width() -> Outcome:
    outside, own, length = 512, 64, 4
    width = 2 * torch.arange(0, outside, 2).numel()  # the indices are made from the global
    problem = raised(lambda: torch.zeros(1, length, own) + torch.zeros(length, width))
    return outcome(width == own and problem == "✓", outside=outside, own=own, width=width, problem=problem)


def sentences() -> Outcome:
    batch, length, width = 1, 4, 512
    x = torch.randn(batch, length, width, generator=seeded())
    weights = torch.softmax(x @ x.mT / width, dim=-1)
    others = float(weights[0, 0, 1:].sum())
    return outcome(
        others == 0,
        **{"count": length, "batch": batch, "others": exact(100 * others, 0), "shape": tuple(x.shape)},
    ).with_grids(grid(message("weights of the four rows"), weights[0]))


DEPTH: Final = 6
EXAMPLES: Final = 64
STEPS: Final = 30
RATE: Final = 0.4


def residual_overfit() -> Outcome:
    """A deep network with residual sums learns random labels by gradient descent: its losses on them and on new ones."""
    draw, width = seeded(), 32
    x, other = torch.randn(2, EXAMPLES, width, generator=draw).unbind(0)
    wanted, unseen = torch.randint(0, 2, (2, EXAMPLES), generator=draw).unbind(0)
    weights = [torch.randn(width, width, generator=draw) / width**0.5 for _ in range(DEPTH)]
    weights.append(torch.randn(width, 2, generator=draw) / width**0.5)
    for each in weights:
        each.requires_grad_()

    def loss(inputs: Tensor, labels: Tensor) -> Tensor:
        for matrix in weights[:-1]:
            inputs = inputs + torch.relu(functional.layer_norm(inputs, (width,)) @ matrix)
        return functional.cross_entropy(functional.layer_norm(inputs, (width,)) @ weights[-1], labels)

    for _ in range(STEPS):  # by hand: importing torch.optim takes seconds
        with torch.enable_grad():
            gradients = torch.autograd.grad(loss(x, wanted), weights)
        with torch.no_grad():
            for each, gradient in zip(weights, gradients, strict=True):
                each -= RATE * gradient
    with torch.no_grad():
        own, new = float(loss(x, wanted)), float(loss(other, unseen))
    sizes = {"depth": DEPTH, "count": EXAMPLES, "chance": exact(math.log(2))}
    return outcome(new - own < 0.1, **sizes, own=exact(own), new=exact(new))


def pre_translation() -> Outcome:
    """No number of a small model decides it; what can be computed is the gradient at the start."""
    post, pre = trials.gradient_ratio("post"), trials.gradient_ratio("pre")
    return outcome(None, post=exact(post), pre=exact(pre))


def fused() -> Outcome:
    width, heads, length = 512, 8, 4
    size, draw = width // heads, seeded()
    x, matrix = torch.randn(length, width, generator=draw), torch.randn(width, 3 * width, generator=draw)
    made = (x @ matrix).reshape(length, heads, 3 * size).transpose(0, 1).chunk(3, dim=-1)
    by_head = matrix.reshape(width, heads, 3, size)
    apart = [(x @ by_head[:, :, n].reshape(width, width)) for n in range(3)]
    error = max(
        far(one, three.reshape(length, heads, size).transpose(0, 1))
        for one, three in zip(made, apart, strict=True)
    )
    numbers = matrix.numel()
    return outcome(
        error < 1e-3,
        error=small(error),
        exactly=exact(error, 6),
        fused=f"{numbers:,}",
        apart=f"{3 * width**2:,}",
    )


OUTCOMES: Final[Mapping[str, Callable[[], Outcome]]] = {
    "merge": merge,
    "exponent-doubled": exponent_doubled,
    "in-feed-forward": in_feed_forward,
    "order": order,
    "mask-truth": mask_truth,
    "recursion": recursion,
    "arguments": arguments,
    "drop-as-length": drop_as_length,
    "global-width": global_width,
    "independent": independent,
    "sentences": sentences,
    "residual-overfit": residual_overfit,
    "fused": fused,
    "variance": variance,
    "denominator": denominator,
    "unit-rows": unit_rows,
    "residual": residual,
    "table-sizes": table_sizes,
    "pre-translation": pre_translation,
}
