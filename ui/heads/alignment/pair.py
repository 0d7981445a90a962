"""The aligned pair beside its map, with gold marked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.analysis.alignment import Link, Measured, measure
from core.analysis.readout import plural, quoted
from ui.heads.alignment import data as golds
from ui.heads.alignment.data import AlignedSentence, Joined
from ui.heads.alignment.pair_view import ALIGNMENT, AlignmentData, Marked
from ui.session import state
from ui.session.selection import MEAN, PIN_LIMIT
from ui.shared import maps as view
from ui.shared.context import CheckpointView
from ui.shared.head_detail import Pins
from ui.shared.mount import mount
from ui.web.contract import Piece

_NAMED = 3


def draw(shown: CheckpointView, plate: AlignedSentence, joined: Joined | None) -> None:
    """One card with both drawings."""
    links = joined.links if joined else plate.links
    words, selection = plate.words, shown.selection

    def pinned(pins: Pins) -> None:
        kept = pins.rows[:PIN_LIMIT]
        token = view.token_of(plate.maps, kept[-1]) if kept else ""
        both = pins.rows, pins.columns
        state.update(pins=view.pins_of(plate.maps, *both), pin=view.pin_of(plate.maps, *both), token=token)

    def marked(marks: Marked) -> None:
        gold = marks.gold(words.axes.target, words.axes.source)
        state.update(gold=golds.marked(gold, words.source, words.target) if gold.possible else "")

    rows, columns = view.pinned(plate.maps, selection)
    mount(
        ALIGNMENT,
        AlignmentData(
            np.asarray(plate.values, dtype=np.float32),
            words.rows,
            words.columns,
            target=words.axes.target,
            source=words.axes.source,
            linked=links,
            marked=plate.gold,
            by_hand=plate.origin == "hand",
            title=title(plate, links, joined),
            subtitle=_subtitle(shown, plate),
            subject=plate.subject,
            reading=plate.reading == "reading",
            what="weight" if selection.by == "weight" else "share",
            summary=summary(plate, links),
            pins=Pins(tuple(rows), tuple(columns)),
            pairs=_outlined(plate),
            file=f"alignment-{plate.name}-{plate.reading}-{selection.by}",
        ),
        key="aligned_pair",
        pinned=pinned,
        marked=marked,
    )


def opens(layer: int, head: int) -> None:
    """Open a head of cross-attention, or MEAN of them."""
    state.update(kind="cross", layer=layer, head=MEAN if layer == MEAN else head, overlay=())


def _outlined(plate: AlignedSentence) -> Sequence[tuple[int, int]]:
    if plate.layer is None:
        return ()
    heads = plate.maps.shape[1]
    if plate.head is not None:
        return ((plate.layer, plate.head),)
    return tuple((plate.layer, head) for head in range(heads)) if heads <= 8 else ()


def title(plate: AlignedSentence, links: frozenset[Link], joined: Joined | None) -> list[Piece]:
    """The result in one line: sure links found with gold, linked words without."""
    who = plate.subject[0].upper() + plate.subject[1:]
    if joined:
        who = f"{who}, joined with {joined.checkpoint},"
    if plate.gold is not None and plate.gold.sure:
        agreement = measure(links, plate.gold)
        return [
            f"{who} finds ",
            {"kind": f"{agreement.predicted_sure:,} of {agreement.sure:,}"},
            f" {plural(agreement.sure, 'sure link')}",
        ]
    linked = len({target for _, target in links})
    count = len(plate.words.target)
    return [f"{who} links ", {"kind": f"{linked:,} of {count:,}"}, f" {plural(count, 'word')}"]


def _subtitle(shown: CheckpointView, plate: AlignedSentence) -> str:
    step = "reads" if plate.reading == "reading" else "writes"
    by = "weight" if shown.selection.by == "weight" else "contribution ‖αf(x)‖, share of the row"
    words = "words between spaces" if plate.words.spaced else "words of the tokenizer"
    return f"the largest {by} at the step that {step} the word · {words}"


def summary(plate: AlignedSentence, links: frozenset[Link]) -> list[Piece]:
    """The scores of this sentence and its missed and wrong links; without gold, the words without a link."""
    if plate.gold is None:
        linked = {target for _, target in links}
        bare = [word for index, word in enumerate(plate.words.target) if index not in linked]
        if not bare:
            return ["Every written word has a link. Mark gold to count how many are right."]
        return [
            "No link for ",
            *_names([_strong(word) for word in bare]),
            ". Mark gold to count what is right.",
        ]
    parts = numbers(measure(links, plate.gold))
    missed = sorted(plate.gold.sure - links, key=lambda link: link[::-1])
    wrong = sorted(links - plate.gold.possible, key=lambda link: link[::-1])
    for words, these in ((" Missed: ", missed), (" Wrong: ", wrong)):
        if these:
            parts += [words, *_names([_link(plate, link) for link in these]), "."]
    return parts


def numbers(agreement: Measured) -> list[Piece]:
    """“AER 0.12, precision 90 %, recall 88 %.”"""
    return [
        "AER ", {"strong": rate(agreement.aer)}, f", precision {share(agreement.precision)}, recall {share(agreement.recall)}.",
    ]  # fmt: skip


def rate(value: float) -> str:
    """An AER in two digits; a dash where nothing was counted."""
    return "–" if value != value else f"{value:.2f}"


def share(value: float) -> str:
    """A precision or recall in whole percent; a dash where nothing was counted."""
    return "–" if value != value else f"{100 * value:.0f} %"


def _strong(word: str) -> list[Piece]:
    return [{"strong": quoted(word)}]


def _link(plate: AlignedSentence, link: Link) -> list[Piece]:
    source, target = plate.words.source[link[0]], plate.words.target[link[1]]
    return [{"strong": quoted(target)}, " – ", {"strong": quoted(source)}]


def _names(items: list[list[Piece]]) -> list[Piece]:
    """The first few, and how many more."""
    shown = items[:_NAMED]
    out: list[Piece] = []
    for number, item in enumerate(shown):
        out += [", "] if number else []
        out += item
    return [*out, f" and {len(items) - len(shown)} more"] if len(items) > len(shown) else out
