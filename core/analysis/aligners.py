"""Word alignment without attention, to compare heads with: the diagonal, and IBM model 1 trained on the corpus itself or on more text.

What a head has to beat: a diagonal knows nothing but the lengths, IBM model 1 nothing but which words occur together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from core.analysis.alignment import Link
from core.language import message

BASELINES: Final = {"diagonal": message("diagonal"), "ibm1": message("IBM model 1")}
"""The aligners without attention, and what they are called."""
PASSES: Final = 10
_NULL: Final = ""


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
    texts = [(source.lower().split(), target.lower().split()) for source, target in (*pairs, *more)]
    share: defaultdict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(passes):
        counts: defaultdict[tuple[str, str], float] = defaultdict(float)
        totals: defaultdict[str, float] = defaultdict(float)
        for source, target in texts:
            words = [_NULL, *source]
            for word in target:
                weights = [share[other, word] for other in words]
                total = sum(weights)
                for other, weight in zip(words, weights, strict=True):
                    counts[other, word] += weight / total
                    totals[other] += weight / total
        share = defaultdict(float, {key: count / totals[key[0]] for key, count in counts.items()})
    return [_best(share, source, target) for source, target in texts[: len(pairs)]]


def _best(share: defaultdict[tuple[str, str], float], source: list[str], target: list[str]) -> set[Link]:
    links = set()
    for number, word in enumerate(target):
        weights = [share[other, word] for other in source]
        best = max(range(len(source)), key=weights.__getitem__, default=None)
        if best is not None and weights[best] >= share[_NULL, word]:
            links.add((best, number))
    return links
