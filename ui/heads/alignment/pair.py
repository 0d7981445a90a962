"""The aligned pair beside its map, with gold marked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.analysis.alignment import Link, Measured, measure
from core.analysis.readout import quoted
from core.language import message, plural, tr
from ui.heads.alignment import data as golds
from ui.heads.alignment.data import AlignedSentence, Joined
from ui.heads.alignment.pair_view import ALIGNMENT, AlignmentData, Marked
from ui.session import state
from ui.session.selection import MEAN, PIN_LIMIT
from ui.shared import maps as view
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.head_detail import Pins
from ui.shared.mount import mount
from ui.web.contract import Piece

_NAMED = 3


def draw(shown: DecodeView, plate: AlignedSentence, joined: Joined | None) -> None:
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
    reads, writes = read_and_written(plate, shown.decode.trace.tokens.target[0])
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
            reads=reads,
            writes=writes,
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


def read_and_written(plate: AlignedSentence, start: str) -> tuple[list[str], list[str]]:
    """The words that each row reads and writes.

    The row that predicts a word reads the word before it, the first the `start` token; the row in which a word is fed
    back writes the word after it.
    """
    words = [*plate.words.rows]
    if plate.reading == "reading":
        return words, [*words[1:], ""]
    return [start, *words[:-1]], words


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
        who = tr("{head}, joined with {checkpoint},", head=who, checkpoint=joined.checkpoint)
    if plate.gold is not None and plate.gold.sure:
        agreement = measure(links, plate.gold)
        words = plural(
            "{who} finds {found} of {count} sure link",
            "{who} finds {found} of {count} sure links",
            agreement.sure,
            who=who,
            found=f"{agreement.predicted_sure:,}",
        )
        return [words]
    linked = len({target for _, target in links})
    count = len(plate.words.target)
    return [
        plural(
            "{who} links {linked} of {count} word",
            "{who} links {linked} of {count} words",
            count,
            who=who,
            linked=f"{linked:,}",
        )
    ]


def _subtitle(shown: CheckpointView, plate: AlignedSentence) -> str:
    by = "weight" if shown.selection.by == "weight" else "contribution"
    words = tr("words between spaces") if plate.words.spaced else tr("words of the tokenizer")
    parts = [tr(_LARGEST[by, plate.reading]), words, *pinned_gold(shown, plate)]
    return " · ".join(parts)


_LARGEST = {
    ("weight", "writing"): message("Largest weight when the word is predicted"),
    ("weight", "reading"): message("Largest weight when the word is fed back"),
    ("contribution", "writing"): message("Largest contribution when the word is predicted"),
    ("contribution", "reading"): message("Largest contribution when the word is fed back"),
}


def pinned_gold(shown: CheckpointView, plate: AlignedSentence) -> list[str]:
    """Whether the gold links the pinned pair; nothing without gold or without a pin of cross-attention."""
    pin, gold = shown.selection.pin, plate.gold
    if gold is None or pin is None or pin.kind != "cross":
        return []
    target, source = plate.words.axes.target, plate.words.axes.source
    if not (0 <= pin.query < len(target) and 0 <= pin.key < len(source)):
        return []
    link = source[pin.key], target[pin.query]
    if min(link) < 0:
        return []
    names = {"query": quoted(plate.words.target[link[1]]), "key": quoted(plate.words.source[link[0]])}
    if link in gold.sure:
        return [tr("the gold links {query} and {key} too", **names)]
    if link in gold.possible:
        return [tr("the gold has {query} and {key} as a possible link", **names)]
    return [tr("the gold does not link {query} and {key}", **names)]


def summary(plate: AlignedSentence, links: frozenset[Link]) -> list[Piece]:
    """The scores of this sentence and its missed and wrong links; without gold, the words without a link."""
    if plate.gold is None:
        linked = {target for _, target in links}
        bare = [word for index, word in enumerate(plate.words.target) if index not in linked]
        if not bare:
            return [tr("Every written word has a link. Mark gold to count how many are right.")]
        return [
            tr("No link for:"),
            " ",
            *_names([_strong(word) for word in bare]),
            ". ",
            tr("Mark gold to count how many are right."),
        ]
    parts = numbers(measure(links, plate.gold))
    missed = sorted(plate.gold.sure - links, key=lambda link: link[::-1])
    wrong = sorted(links - plate.gold.possible, key=lambda link: link[::-1])
    for words, these in ((tr("Missed:"), missed), (tr("Wrong:"), wrong)):
        if these:
            parts += [f" {words} ", *_names([_link(plate, link) for link in these]), "."]
    return parts


def numbers(agreement: Measured) -> list[Piece]:
    """“AER 0.12, precision 90 %, recall 88 %.”"""
    return [
        "AER ",
        {"strong": rate(agreement.aer)},
        tr(
            ", precision {precision}, recall {recall}.",
            precision=share(agreement.precision),
            recall=share(agreement.recall),
        ),
    ]


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
    return [*out, tr(" and {count} more", count=len(items) - len(shown))] if len(items) > len(shown) else out
