"""Claims that more than one write-up makes; each function is given which one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import torch
from torch import Tensor

from core.analysis.readout import exact
from core.learning.claims.claim import Outcome, grid, outcome, percent, raised, seeded
from core.learning.study import far
from core.learning.tutorials import preset
from core.model.positions import sinusoid_table

_LENGTH: Final = 5


def roots(name: str) -> Outcome:
    """√d_model, which a write-up names, and the root of a head's size, by which its code divides."""
    c = preset(name)
    text, code = math.sqrt(c.d_model), math.sqrt(c.d_head)
    sizes = {"d_model": c.d_model, "d_head": c.d_head}
    return outcome(text == code, **sizes, written=exact(text), code=exact(code), factor=exact(text / code))


def model_root(name: str) -> Outcome:
    """The entropy of rows of ten random scores, divided by √d_model as in B and E, and by √d_h."""
    c, count = preset(name), 10
    q, k = torch.randn(2, 400, count, c.d_head, generator=seeded()).unbind(0)
    scores = q @ k.mT

    def entropy(divisor: float) -> float:
        weights = torch.softmax(scores / divisor, dim=-1)
        return float(-(weights * weights.log()).sum(-1).mean())

    by_model, by_head = math.sqrt(c.d_model), math.sqrt(c.d_head)
    written, right = entropy(by_model), entropy(by_head)
    weights = (torch.softmax(scores[0] / by, dim=-1) for by in (by_model, by_head))
    return outcome(
        abs(by_model - by_head) < 1e-9,
        **{"d_model": c.d_model, "d_head": c.d_head, "by_model": exact(by_model), "by_head": exact(by_head)},
        **{"factor": exact(by_model / by_head), "count": count},
        **{"entropy": exact(written), "right": exact(right), "most": exact(math.log(count))},
    ).with_grids(*(grid(title, each) for title, each in zip(("÷ √d_model", "÷ √d_h"), weights, strict=True)))


def swapped(name: str) -> Outcome:
    """Cross-attention as the call fills it: B (q, k, v) = (memory, memory, x), D (memory, x, x); right is (x, memory, memory)."""
    source, target, width = 4, 5, 16

    def attend(x: Tensor, memory: Tensor, swap: bool) -> Tensor:
        q, k, v = (memory, memory if name == "tutorial-b" else x, x) if swap else (x, memory, memory)
        mixed: Tensor = torch.softmax(q @ k.T / math.sqrt(width), dim=-1) @ v
        return x + mixed

    draw = seeded()
    x, memory, same = (torch.randn(length, width, generator=draw) / 2 for length in (target, source, target))
    other = x.clone()
    other[-1] = torch.randn(width, generator=draw)
    leaks = [far(attend(other, same, swap)[0], attend(x, same, swap)[0]) for swap in (True, False)]
    problem = raised(lambda: attend(x, memory, True))
    shape = (source, source if name == "tutorial-b" else target)
    return outcome(
        leaks[0] == 0 and problem == "✓",
        **{"source": source, "target": target, "problem": problem, "wanted": (target, source)},
        **{"shape": shape, "leak": exact(leaks[0]), "right": exact(leaks[1])},
    )


def mask_rows(name: str) -> Outcome:
    """The causal mask of A (multiplied in by −∞ before the scale) and of D (added): how many rows become NaN."""
    scores = torch.randn(_LENGTH, _LENGTH, generator=seeded())
    if name == "tutorial-a":
        seen = torch.tril(torch.ones(_LENGTH, _LENGTH))
        masked = scores.masked_fill(seen == 0, -torch.inf)
    else:
        masked = scores + torch.triu(torch.full((_LENGTH, _LENGTH), -torch.inf), diagonal=1)
    weights = torch.softmax(masked / math.sqrt(preset(name).d_head), dim=-1)
    empty, least = int(weights.isnan().any(-1).sum()), int((masked > -torch.inf).sum(-1).min())
    nothing = torch.softmax(torch.full((1, _LENGTH), -torch.inf), dim=-1)
    return outcome(
        empty == 0,
        **{"count": _LENGTH, "empty": empty, "least": least, "nothing": int(nothing.isnan().any(-1).sum())},
    ).with_grids(grid("softmax", weights))


def unscaled(name: str) -> Outcome:
    """How long a word of a table of N(0, 1) is, compared with its position, without √d_model."""
    c, count = preset(name), 10_000
    words = torch.randn(count, c.d_model, generator=seeded()).norm(dim=-1).mean()
    if c.positions == "learned":
        positions = torch.randn(c.max_length, c.d_model, generator=seeded()).norm(dim=-1).mean()
    else:
        positions = torch.from_numpy(sinusoid_table(_LENGTH, c.d_model)).norm(dim=-1).mean()
    ratio, scaled = float(words / positions), float(words / positions) * math.sqrt(c.d_model)
    return outcome(0.5 < ratio < 2, ratio=exact(ratio), scaled=exact(scaled, 1), width=c.d_model)


def dropout_after_norm(name: str) -> Outcome:
    """How many numbers the next layer reads as zero in training, with dropout after the norm and before the sum."""
    rate, width, draw = preset(name).dropout, preset(name).d_model, seeded()

    def norm(x: Tensor) -> Tensor:
        return torch.nn.functional.layer_norm(x, (width,))

    def dropped(x: Tensor, by: float) -> Tensor:
        return x * (torch.rand(x.shape, generator=draw) >= by) / (1 - by)

    x, part = torch.randn(2, 500, width, generator=draw).unbind(0)
    zero = {
        by: (
            float((dropped(norm(x + part), by) == 0).float().mean()),
            float((norm(x + dropped(part, by)) == 0).float().mean()),
        )
        for by in (rate, 0.3)
    }
    (written, right), (would, _) = zero[rate], zero[0.3]
    return outcome(
        written == right == would,
        **{"rate": percent(rate), "zero": percent(written), "right": percent(right), "would": percent(would)},
    )


# What a place of a write-up's code uses, and the names that exist there.
_PLACES: Final[Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]] = {
    "tutorial-b": (
        ("math", ("torch", "nn")),
        ("MultiHeadAttentionBlock", ("torch", "nn", "SelfAttention", "FeedForwardBlock")),
    ),
    "tutorial-c": (
        ("sequence_length", ("torch", "nn", "fun", "sentence_length", "batch_size", "d_model")),
        ("input_dim", ("torch", "nn", "fun", "sentence_length", "batch_size", "d_model")),
        ("sca", ("torch", "nn", "fun", "q", "k", "v", "d_k", "scaled")),
        ("v", ("self", "Q", "K", "V", "mask", "d_k", "scaled", "attention")),
    ),
}


def names(name: str) -> Outcome:
    """Each name that nothing defines, looked up among those that exist where it is used."""
    rows = [
        {"name": used, "problem": raised(lambda used=used, known=known: eval(used, dict.fromkeys(known)))}  # type: ignore[misc]
        for used, known in _PLACES[name]
    ]
    lacking = [row["name"] for row in rows if row["problem"] == "NameError"]
    return outcome(not lacking, *rows, count=len(lacking), names=", ".join(lacking))


def families(_: str) -> Outcome:
    """The mean share of its weight that a row of random scores gives to later tokens, without the causal mask and with it."""
    scores = torch.randn(64, 10, 10, generator=seeded())
    later = torch.triu(torch.ones(10, 10), diagonal=1).bool()
    encoder, decoder = (
        100 * float(each[:, later].sum() / each.sum())
        for each in (torch.softmax(scores, -1), torch.softmax(scores.masked_fill(later, -torch.inf), -1))
    )
    exactly = {"exactly": f"{encoder:.1f}", "exactly_decoder": f"{decoder:.1f}"}
    return outcome(
        encoder > 0 and decoder == 0, encoder=f"{encoder:.0f}", decoder=f"{decoder:.0f}", **exactly
    )


OUTCOMES: Final[Mapping[str, Callable[[str], Outcome]]] = {
    "swapped": swapped,
    "model-root": model_root,
    "mask-rows": mask_rows,
    "unscaled": unscaled,
    "dropout-after-norm": dropout_after_norm,
    "inert-dropout": dropout_after_norm,
    "names": names,
    "families": families,
    "two-roots": roots,
    "comment-root": roots,
}
