"""Word alignment without attention, to compare heads with: the diagonal, and IBM model 1 trained on the corpus itself or on more text.

What a head has to beat: a diagonal knows nothing but the lengths, IBM model 1 nothing but which words occur together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.alignment import Link
from core.language import message

BASELINES: Final = {"diagonal": message("diagonal"), "ibm1": message("IBM model 1")}
"""The aligners without attention, and what they are called."""
PASSES: Final = 10
_NULL: Final = ""
_EQUAL: Final = 1e-9


def diagonal(source: int, target: int) -> set[Link]:
    """Each of `target` words linked to that of `source` words which lies at the same share of its sentence.

    The first word goes to the first, the last to the last; half way between two words the earlier one is taken.
    """
    if not source:
        return set()
    steps = max(target - 1, 1)
    # Whole numbers, so that a half is exactly one: round(t · (source − 1) / steps), halves down.
    return {((2 * t * (source - 1) + steps - 1) // (2 * steps), t) for t in range(target)}


def ibm1(
    pairs: Sequence[tuple[str, str]], more: Sequence[tuple[str, str]] = (), passes: int = PASSES
) -> list[set[Link]]:
    """The links of every pair (sentence, translation) by IBM model 1 trained on these pairs, and on `more` of their two languages
    (Brown et al. 1993, section 4.2).

    Words are what stands between spaces, in lower case. p(target word | source word), with an empty word beside those of
    each source, starts uniform and is estimated by `passes` of expectation maximisation. Each target word is linked to
    its most probable source word, the earliest of equals, or to none where the empty word is more probable.
    """
    texts = [([_NULL, *source.lower().split()], target.lower().split()) for source, target in (*pairs, *more)]
    left, right = _numbered(source for source, _ in texts), _numbered(target for _, target in texts)
    widths = np.repeat(
        [len(each) for each in left], [len(each) for each in right]
    )  # choices of each target word
    if not len(widths):
        return [set() for _ in pairs]
    ends = np.cumsum(widths)
    # Every choice of a source word for a target word, and the pair of words that it is of.
    source = np.concatenate([np.tile(a, len(b)) for a, b in zip(left, right, strict=True)])
    target = np.repeat(np.concatenate(right), widths)
    words, pair = np.unique(source * (int(target.max()) + 1) + target, return_inverse=True)
    owner = words // (int(target.max()) + 1)
    share = np.ones(len(words))
    for _ in range(passes):
        weights = share[pair]
        weights /= np.repeat(np.add.reduceat(weights, ends - widths), widths)
        counts = np.bincount(pair, weights)
        share = counts / np.bincount(owner, counts)[owner]
    rows = iter(np.split(share[pair], ends[:-1])[: sum(map(len, right[: len(pairs)]))])
    return [
        {(best, number) for number in range(len(each)) if (best := _best(next(rows))) is not None}
        for each in right[: len(pairs)]
    ]


def _numbered(texts: Iterable[Sequence[str]]) -> list[NDArray[np.int64]]:
    """The words of each text as whole numbers, from 0 in the order in which they are met."""
    known: dict[str, int] = {}
    return [np.array([known.setdefault(word, len(known)) for word in text], dtype=np.int64) for text in texts]


def _best(weights: NDArray[np.float64]) -> int | None:
    """The source word with the largest weight, the earliest of those equal up to rounding; None for the empty word, which is first."""
    if len(weights) < 2 or weights[1:].max() < weights[0] * (1 - _EQUAL):
        return None
    return int((weights[1:] >= weights[1:].max() * (1 - _EQUAL)).argmax())
