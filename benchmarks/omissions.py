"""How often a source word that a translation has nothing of is found, and how often another one is marked.

    python -m benchmarks.omissions SOURCES [CHECKPOINT] [SENTENCES]

`SOURCES` holds sentences, one a line or `FILE:COLUMN` of a tab-separated one (.gz is read too). Each is translated by
greedy search; then a word of another sentence is put into the source at a random place, and the translation stays as it
was. The word is found if the translation gains at least `UNWRITTEN` nats without it (core/experiments/omissions.py). Words
of the sentence as it is, without the one put in, count as mistakes where they are marked. Beside it, whether the largest ALTI+ share that a source word has in any written token would tell them apart. Places and words are drawn with a fixed
seed. A hundred sentences take about a minute of one core.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

import core
from benchmarks import report
from core.analysis.trouble import UNWRITTEN
from core.experiments import contributions, omissions
from core.training.evaluate import read_side

SENTENCES = 100
SEED = 20_220_328
LEAST_LETTERS = (
    4  # of a word that is put in: shorter ones are often function words, which nothing need be written for
)
LEVELS = (0.5, UNWRITTEN, 2.0)


@dataclass
class Scores:
    """Of words that were put in and of words that were there: what a method gives them."""

    put_in: list[float] = field(default_factory=list)
    there: list[float] = field(default_factory=list)

    def found(self, least: float) -> float:
        """Share of the words put in that have at least this."""
        return float(np.mean(np.asarray(self.put_in) >= least))

    def marked(self, least: float) -> float:
        """Share of the others that have as much."""
        return float(np.mean(np.asarray(self.there) >= least))

    @property
    def area(self) -> float:
        """The area under the curve: how often a word put in has more than another; a draw counts half."""
        a, b = np.asarray(self.put_in)[:, None], np.asarray(self.there)[None, :]
        return float(np.mean((a > b) + 0.5 * (a == b)))


def put_in(words: Sequence[str], others: Sequence[str], draw: np.random.Generator) -> tuple[list[str], int]:
    """A sentence with one word of `others` that it has not, and its place; never at the end, where a full stop stands."""
    known = {word.casefold().strip(".,!?") for word in words}
    able = [word for word in others if len(word) >= LEAST_LETTERS and word.isalpha() and word not in known]
    place = int(draw.integers(0, len(words)))
    word = able[int(draw.integers(0, len(able)))]
    return [*words[:place], word, *words[place:]], place


def measure(checkpoint: core.Checkpoint, sentences: Sequence[str], seed: int = SEED) -> tuple[Scores, Scores]:
    """Gains in nats, and largest ALTI+ shares with the sign turned, so that more means left out."""
    draw, gains, shares = np.random.default_rng(seed), Scores(), Scores()
    others = [word.casefold() for text in sentences for word in text.split()]
    for text in sentences:
        written = core.trace(checkpoint, text, record=("decoder.0.cross.weights",)).written_ids
        words, place = put_in(text.split(), others, draw)
        for listed, wanted in ((text.split(), None), (words, place)):
            found = _scored(checkpoint, listed, written)
            if found is None:
                continue
            for scores, values in zip((gains, shares), found, strict=True):
                if wanted is None:
                    scores.there.extend(map(float, values))
                else:
                    scores.put_in.append(float(values[wanted]))
    return gains, shares


def _scored(
    checkpoint: core.Checkpoint, words: Sequence[str], written: Sequence[int]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Gain and, with the sign turned, largest ALTI+ share of each word (W,); None for a sentence with other words."""
    source = tuple(checkpoint.encode_source(" ".join(words)))
    groups = _words(checkpoint, source, len(words))
    if groups is None:
        return None
    gained = np.concatenate(list(omissions.gains(checkpoint, source, written, groups)))
    whole = contributions.alti_plus(checkpoint.model, contributions.record(checkpoint, source, written))
    return gained, -np.array([whole[:, group].sum(axis=-1).max() for group in groups])


def _words(checkpoint: core.Checkpoint, source: Sequence[int], count: int) -> list[list[int]] | None:
    """The places of each word's tokens; None where the tokenizer makes other words than spaces do."""
    groups: dict[int, list[int]] = {}
    for place, number in enumerate(checkpoint.source_tokenizer.words(list(source))):
        if number >= 0:
            groups.setdefault(number, []).append(place)
    texts = [
        checkpoint.source_tokenizer.decode([source[p] for p in group]).strip() for group in groups.values()
    ]
    merged: list[list[int]] = []
    for group, text in zip(groups.values(), texts, strict=True):
        if merged and not any(map(str.isalnum, text)):  # punctuation belongs to the word before it
            merged[-1].extend(group)
        else:
            merged.append(list(group))
    return merged if len(merged) == count else None


def main(corpus: str, folder: str = "checkpoints/en-fr", count: str = str(SENTENCES)) -> None:
    """Measure and write results/omissions.json and .md."""
    checkpoint = core.load(folder, device="cpu")
    gains, shares = measure(checkpoint, read_side(corpus)[: int(count)])
    rows = [
        {
            "marked from, nats": least,
            "words put in that are found": f"{100 * gains.found(least):.0f} %",
            "others that are marked": f"{100 * gains.marked(least):.1f} %",
        }
        for least in LEVELS
    ]
    note = (
        f"{checkpoint.card.get('name', folder)}, {len(gains.put_in)} words put into as many sentences, {len(gains.there)} "
        f"words of the sentences as they are; area under the curve {gains.area:.2f}, by the largest ALTI+ share {shares.area:.2f}. The strip marks from "
        f"{UNWRITTEN:g} nats on."
    )
    report.write("omissions", rows, note)


if __name__ == "__main__":
    main(*sys.argv[1:])
