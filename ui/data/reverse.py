"""The checkpoint for the other direction, and both directions' links joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis.alignment import READINGS, Gold, Link, Reading, grow_diag, measure
from core.errors import InputError
from ui.data import resources
from ui.style import screen_text

if TYPE_CHECKING:
    from core.analysis.word_links import By
    from ui.data.alignment import Plate
    from ui.data.entry import Entry

Turned = dict[tuple[int, int, Reading], frozenset[Link]]


@dataclass(frozen=True)
class Joined:
    """Links of both directions: the other's `head` in `reading`, its links turned, and what grow-diag makes of both.

    `agreeing` of its links are among those of this direction.
    """

    checkpoint: str
    head: tuple[int, int]
    reading: Reading
    backward: frozenset[Link]
    links: frozenset[Link]
    agreeing: int


def other_direction(entry: Entry) -> tuple[Entry | None, str]:
    """The first checkpoint of the list that translates back, or one sentence why there is none."""
    source, target = _languages(entry)
    if not (source and target):
        return None, "Its card names no languages, so no checkpoint can be told to translate back."
    for other in resources.entries():
        if not other.problem and other.name != entry.name and _languages(other) == (target, source):
            return other, ""
    return (
        None,
        f"No checkpoint in the list translates {target} → {source}, so there is nothing to join with.",
    )


def _languages(entry: Entry) -> tuple[str, str]:
    card = entry.summary.card if entry.summary else {}
    source, target = (
        screen_text.plain(card.get(name), 40) for name in ("source_language", "target_language")
    )
    return source, target


def joined(other: Entry, plate: Plate, texts: tuple[str, str], by: By, device: str | None) -> Joined:
    """This direction's links joined with those of the other model's head that agrees with them most.

    `texts` are the sentence and its translation here. Raises `AtlasError` with one sentence where the other model
    cannot read them, or cuts them into other words.
    """
    words = plate.words
    sizes = len(words.source), len(words.target)
    name = (device, "back", texts, by, words.spaced, sizes)
    every: Turned = resources.experiment(
        other, name, lambda: _every_head(other, texts, by, words.spaced, sizes, device)
    )
    here = Gold(plate.links, plate.links)
    best = min(
        every, key=lambda place: (measure(every[place], here).aer, READINGS.index(place[2]), place[:2])
    )
    found = every[best]
    return Joined(
        other.name,
        best[:2],
        best[2],
        found,
        frozenset(grow_diag(plate.links, found)),
        len(found & plate.links),
    )


def _every_head(
    other: Entry, texts: tuple[str, str], by: By, spaced: bool, sizes: tuple[int, int], device: str | None
) -> Turned:
    """The links of every head and reading of the other direction, turned to (source, target) of this one."""
    from core.analysis.word_links import WordAxes, by_contribution, by_weight, word_links
    from core.decoding.inputs import source_ids, target_ids
    from core.decoding.tracing import trace_ids
    from core.experiments import contributions
    from core.experiments.gold_survey import RECORD
    from core.tokenizer.spaced import spaced_words

    loaded = resources.model(other, device)
    read, written = source_ids(loaded, texts[1]), target_ids(loaded, texts[0])
    ours, theirs = loaded.source_tokenizer, loaded.target_tokenizer
    if spaced:
        numbers = spaced_words(theirs, written, texts[0]), spaced_words(ours, read, texts[1])
    else:
        numbers = theirs.words(written), ours.words(read)
    axes = WordAxes.of(*numbers, read, ours.eos_id)
    if (len(axes.target), len(axes.source)) != sizes:
        raise InputError(
            f"{other.name} cuts these sentences into {len(axes.target)} and {len(axes.source)} words, this model into "
            f"{sizes[0]} and {sizes[1]}, so their links cannot be joined."
        )
    trace = trace_ids(loaded, read, written, RECORD)
    if by == "weight":
        shares = by_weight(trace.stacked("decoder", "cross", "weights"))
    else:
        shares = by_contribution(contributions.layers(loaded.model, trace, "cross"))
    layers, heads = shares.heads.shape[:2]
    return {
        (layer, head, reading): frozenset(
            (s, t) for t, s in word_links(shares.of(layer, head), axes, reading)
        )
        for layer in range(layers)
        for head in range(heads)
        for reading in READINGS
    }
