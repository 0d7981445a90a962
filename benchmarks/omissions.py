"""How often a source word without a translation is detected, and how often another word is marked by mistake.

    python -m benchmarks.omissions SOURCES [CHECKPOINT] [SENTENCES]

`SOURCES` holds sentences, one a line or `FILE:COLUMN` of a tab-separated one (.gz is read too). Each is translated by
greedy search; then a word of another sentence is inserted into the source at a random position, and the translation
stays
the same. The word is detected if the translation gains at least `UNWRITTEN` nats without it
(core/experiments/omissions.py). Marked words of the original sentence count as mistakes. For comparison, the same with
the
largest ALTI+ share of a source word in any written token. Positions and words are drawn with a fixed seed. A hundred
sentences take about a minute of one core.
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
LEAST_LETTERS = 4  # of an inserted word: shorter ones are often function words, which need no translation
LEVELS = (0.5, UNWRITTEN, 2.0)


@dataclass
class Scores:
    """The scores of inserted words and of original words by one method."""

    put_in: list[float] = field(default_factory=list)
    there: list[float] = field(default_factory=list)

    def detected(self, least: float) -> float:
        """The share of the inserted words with a score of at least `least`."""
        return float(np.mean(np.asarray(self.put_in) >= least))

    def marked(self, least: float) -> float:
        """The share of the original words with a score of at least `least`."""
        return float(np.mean(np.asarray(self.there) >= least))

    @property
    def area(self) -> float:
        """The area under the curve: how often an inserted word has more than another; a tie counts half."""
        a, b = np.asarray(self.put_in)[:, None], np.asarray(self.there)[None, :]
        return float(np.mean((a > b) + 0.5 * (a == b)))


def put_in(words: Sequence[str], others: Sequence[str], draw: np.random.Generator) -> tuple[list[str], int]:
    """A sentence with an inserted word of `others` that it does not have, and its index; never at the end, before a full stop."""
    known = {word.casefold().strip(".,!?") for word in words}
    able = [word for word in others if len(word) >= LEAST_LETTERS and word.isalpha() and word not in known]
    index = int(draw.integers(0, len(words)))
    word = able[int(draw.integers(0, len(able)))]
    return [*words[:index], word, *words[index:]], index


def measure(checkpoint: core.Checkpoint, sentences: Sequence[str], seed: int = SEED) -> tuple[Scores, Scores]:
    """Gains in nats, and negated largest ALTI+ shares, so that more means left out."""
    draw, gains, shares = np.random.default_rng(seed), Scores(), Scores()
    others = [word.casefold() for text in sentences for word in text.split()]
    for text in sentences:
        written = core.trace(checkpoint, text, record=("decoder.0.cross.weights",)).written_ids
        words, index = put_in(text.split(), others, draw)
        for listed, wanted in ((text.split(), None), (words, index)):
            scored = _scored(checkpoint, listed, written)
            if scored is None:
                continue
            for scores, values in zip((gains, shares), scored, strict=True):
                if wanted is None:
                    scores.there.extend(map(float, values))
                else:
                    scores.put_in.append(float(values[wanted]))
    return gains, shares


def _scored(
    checkpoint: core.Checkpoint, words: Sequence[str], written: Sequence[int]
) -> tuple[np.ndarray, np.ndarray] | None:
    """The gain and the negated largest ALTI+ share of each word (W,); None where the tokenizer splits words differently."""
    source = tuple(checkpoint.encode_source(" ".join(words)))
    groups = _words(checkpoint, source, len(words))
    if groups is None:
        return None
    gained = np.concatenate(list(omissions.gains(checkpoint, source, written, groups)))
    shares = contributions.alti_plus(checkpoint.model, contributions.record(checkpoint, source, written))
    return gained, -np.array([shares[:, group].sum(axis=-1).max() for group in groups])


def _words(checkpoint: core.Checkpoint, source: Sequence[int], count: int) -> list[list[int]] | None:
    """The token indices of each word; None where the tokenizer's words differ from those between spaces."""
    groups: dict[int, list[int]] = {}
    for index, number in enumerate(checkpoint.source_tokenizer.words(list(source))):
        if number >= 0:
            groups.setdefault(number, []).append(index)
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
            "words put in that are found": f"{100 * gains.detected(least):.0f} %",
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
