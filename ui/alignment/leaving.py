"""What leaves the Alignment page as files: links, gold, every head's numbers; and the whole decode."""

from __future__ import annotations

from core.analysis.alignment import READINGS, pharaoh
from core.analysis.gold_file import line_of
from core.analysis.readout import how_many
from core.analysis.word_links import RATES, Counted
from ui.alignment.results import measured
from ui.data.alignment import Plate
from ui.data.decode import Decode
from ui.data.gold import InForce
from ui.data.reverse import Joined
from ui.export import menu
from ui.export.files import csv_text, number
from ui.shell.frame import Shown


def save(shown: Shown, decode: Decode, plate: Plate, joined: Joined | None, in_force: InForce) -> None:
    """The menu of files."""
    links = joined.links if joined else plate.links
    name = f"{plate.name}-{plate.reading}-{shown.selection.by}"
    files = [("Links (Pharaoh, from 0)", f"{name}-links.txt", lambda: f"{pharaoh(links)}\n")]
    if plate.gold is not None:
        gold = plate.gold
        words = plate.words.source, plate.words.target
        files.append(("Gold of this sentence (from 1)", "gold.txt", lambda: f"{line_of(*words, gold)}\n"))
    over, sentences = measured(shown, in_force)
    for counts, about in ((plate.counts, "this sentence"), (over, how_many(sentences, "sentence"))):
        if counts is not None:
            called = about.replace(",", "").replace(" ", "-")
            files.append((f"CSV of every head, {about}", f"aer-{called}.csv", _table(counts)))
    menu.texts(shown, decode, files)


def _table(counts: Counted) -> menu.Make:
    """Every head, layer ("all" heads) and all layers in both readings: counts and rates."""

    def make() -> str:
        layers, heads = counts.heads.shape[1:3]
        places: list[tuple[int | None, int | None]] = [
            (layer, head) for layer in range(layers) for head in (*range(heads), None)
        ]
        rows = []
        for layer, head in (*places, (None, None)):
            for reading in READINGS:
                found = counts.of(reading, layer, head)
                names = ["all" if place is None else place for place in (layer, head)]
                counted = (found.found, found.sure, found.found_sure, found.found_possible)
                rows.append([*names, reading, *(number(getattr(found, rate)) for rate in RATES), *counted])
        head_line = ["layer", "head", "reading", *RATES, "links", "sure", "found_sure", "found_possible"]
        return csv_text(head_line, rows)

    return make
