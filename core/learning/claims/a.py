"""Claims of A, the notebook that builds one block after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import torch
from torch.nn import functional

from core.analysis.readout import exact
from core.language import message
from core.learning.claims.claim import Outcome, grid, outcome, seeded, small
from core.learning.study import far
from core.learning.tutorials import preset

TARGET: Final = (0, 101, 102, 103, 999)
"""The ids of A's target; the last is its end token."""


def after_the_end() -> Outcome:
    *_, word, end = TARGET
    position = len(TARGET) - 1  # of the argmax: the last row
    read, left = TARGET[position], len(TARGET[position + 1 :])
    return outcome(read != end, word=word, end=end, read=read, left=left, number=position + 1)


def cut() -> Outcome:
    config, length = preset("tutorial-a"), 4
    heads, size = config.heads, config.d_head
    x = torch.arange(length * config.d_model).reshape(length, config.d_model)
    right = x.view(length, heads, size).transpose(0, 1)
    cuts = x.reshape(heads, length, size)
    same = int((right == cuts).sum())
    tokens = functional.one_hot(cuts // config.d_model, length).float().mean(2)  # (heads, rows, tokens)
    before, after = (length, config.d_model), (heads, length, size)
    return outcome(
        same == x.numel(),
        **{"same": same, "count": x.numel(), "before": before, "after": after},
    ).with_grids(
        *(
            grid((message("head {number}: the token of each row"), {"number": str(n)}), each)
            for n, each in enumerate(tokens)
        )
    )


def softmax_logits() -> Outcome:
    words = preset("tutorial-a").target_vocab_size
    given = functional.one_hot(torch.tensor([0]), words).float()  # a softmax that is sure, and right
    loss = float(functional.cross_entropy(given, torch.tensor([0])))
    row = torch.softmax(torch.randn(words, generator=seeded()), dim=-1)
    total = float(row.sum())
    return outcome(loss < 0.01, words=f"{words:,}", total=exact(total), loss=exact(loss))


def mask_first() -> Outcome:
    length, size = 5, preset("tutorial-a").d_head
    scores = torch.randn(length, length, generator=seeded())
    hidden = torch.tril(torch.ones(length, length)) == 0
    before = torch.softmax(scores.masked_fill(hidden, -torch.inf) / size**0.5, dim=-1)
    after = torch.softmax((scores / size**0.5).masked_fill(hidden, -torch.inf), dim=-1)
    error = far(before, after)
    return outcome(error < 1e-6, error=small(error), exactly=exact(error, 6))


OUTCOMES: Final[Mapping[str, Callable[[], Outcome]]] = {
    "after-the-end": after_the_end,
    "cut": cut,
    "softmax-logits": softmax_logits,
    "mask-first": mask_first,
}
