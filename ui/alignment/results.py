"""Every head by AER: the wall, AER by layer, and the numbers of the open choice."""

from __future__ import annotations

from typing import Any, Final

from core.analysis.alignment import READINGS, Measured, measure
from core.analysis.readout import how_many
from core.analysis.word_links import RATES, Counted
from core.errors import AtlasError
from ui.alignment.pair import opens, rate, share
from ui.components.chart import chart
from ui.components.head_wall import WallResult, head_wall
from ui.components.wall_data import Arranged, wall_data
from ui.data import gold
from ui.data import maps as view
from ui.data.alignment import Plate
from ui.data.gold import InForce
from ui.data.reverse import Joined
from ui.figures import alignment as figures
from ui.session import state
from ui.session.selection import MEAN
from ui.shell import cards, tables
from ui.shell.frame import Shown
from ui.style import theme

WALL_HEIGHT: Final = 420


def measured(shown: Shown, in_force: InForce) -> tuple[Counted | None, int]:
    """Every head against the gold file by the measure in force, and over how many sentences; None before that is known."""
    if in_force.file is None:
        return None, 0
    try:
        found = gold.surveyed(shown.entry, in_force.file, shown.device)
    except AtlasError:
        return None, 0  # the card of the gold file says why
    if found is None:
        job = gold.job(shown.entry, in_force.file, shown.device)
        found = job.latest if job is not None else None
    return (found.counts[shown.selection.by], found.done) if found else (None, 0)


def _best(shown: Shown, plate: Plate, in_force: InForce) -> tuple[Counted | None, str]:
    """What heads are ranked by: the gold file, else this sentence's gold; and how that is called."""
    counts, sentences = measured(shown, in_force)
    if counts is not None:
        return counts, f"over {how_many(sentences, 'sentence')}"
    return plate.counts, "of this sentence only"


def wall(shown: Shown, plate: Plate, in_force: InForce) -> None:
    """Every head from word to word, with its AER where there is gold; a click opens it above."""
    counts, about = _best(shown, plate, in_force)
    reading, selection = plate.reading, shown.selection
    scores: dict[str, Any] = dict(view.scores(plate.maps))
    if counts:
        scores = {name: counts.rates(reading, name) for name in RATES}
    heads = plate.maps.shape[1]

    def picked(result: WallResult) -> None:
        if result.picked is None:
            if result.closed:
                opens(MEAN, MEAN)
            return
        layer, head = result.picked[-1]
        whole = len(result.picked) == min(8, heads) > 1 and len({each[0] for each in result.picked}) == 1
        opens(layer, MEAN if whole else head)

    def arranged(found: Arranged) -> None:
        state.update(sort=found.sort, badge=found.badge, least=found.least, tone=found.tone)

    title = (
        f"All {plate.maps.shape[0] * heads} heads by AER"
        if counts
        else f"All {plate.maps.shape[0] * heads} heads"
    )
    head_wall(
        wall_data(
            plate.maps.weights,
            plate.words.rows,
            plate.words.columns,
            kind="cross",
            scores=scores,
            arranged=Arranged(selection.sort, selection.badge, selection.least, selection.tone),
            whole=("mean", "the mean of all layers"),
            title=title,
            subtitle="choose a head to open it above, a layer’s name for all of its heads together",
            tall=WALL_HEIGHT,
            about=about,
            file_name=f"alignment-heads-{reading}-{selection.by}",
        ),
        on_change=picked,
        on_arranged=arranged,
        key="wall_alignment",
    )


def chart_and_table(shown: Shown, plate: Plate, joined: Joined | None, in_force: InForce) -> None:
    """AER by layer, both readings in one drawing, and the numbers of what is open."""
    counts, about = _best(shown, plate, in_force)
    if counts is None:
        return
    with cards.card("aer", fill=False):
        best = min(
            ((counts.of(reading, layer, head).aer, layer, head, reading)
             for reading in READINGS for layer in range(plate.maps.shape[0]) for head in range(plate.maps.shape[1])),
            key=lambda found: (found[0] != found[0], found[0]),
        )  # fmt: skip
        step = "writes" if best[3] == "writing" else "reads"
        cards.title(
            ["Head ", (f"{best[1]}.{best[2]}", "cross"), f" aligns best, at the step that {step}: AER {rate(best[0])}"],
            f"AER by layer, {about.replace(' only', '')} · line: a layer’s heads together, dots: its heads",
        )  # fmt: skip
        figure = figures.by_layer(
            {reading: counts.by_layer(reading) for reading in READINGS},
            {reading: counts.rates(reading, "aer") for reading in READINGS},
            (plate.layer, plate.head),
            plate.reading,
            mode=theme.current_mode(),
            presenter=shown.selection.presenter,
        )
        chart(figure, "alignment_by_layer")
        _numbers(shown, plate, joined, in_force)


def _numbers(shown: Shown, plate: Plate, joined: Joined | None, in_force: InForce) -> None:
    """Precision, recall and AER of what is open: this sentence and the file, in both readings."""
    over, sentences = measured(shown, in_force)
    rows: list[tuple[str, Measured]] = []
    loud = []
    for name, counts in (("this sentence", plate.counts), (how_many(sentences, "sentence"), over)):
        for reading in READINGS if counts else ():
            step = "writes" if reading == "writing" else "reads"
            if reading == plate.reading:
                loud.append(len(rows))
            rows.append((f"{name}, {step}", counts.of(reading, plate.layer, plate.head)))  # type: ignore[union-attr]
    if joined is not None and plate.gold is not None:
        rows.append(("this sentence, joined", measure(joined.links, plate.gold)))
    tables.table(
        [(name, f"{each.found}", share(each.precision), share(each.recall), rate(each.aer)) for name, each in rows],
        (plate.name, "links", "precision", "recall", "AER"),
        loud=loud,
        name="scores",
    )  # fmt: skip
