"""Heads ranked by ablation: the importance of all on example sentences, and those that link the pinned pair in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import AtlasError
from core.experiments.edits import Head
from core.experiments.rankings import importance_sources, load_importance, rank_for_pair
from ui.session import state
from ui.shared import context
from ui.shared import maps as view
from ui.shared.cache import Job
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.what_if import PIN_HEADS, pairs_of, reference_sentences
from ui.style.theme import Kind

if TYPE_CHECKING:
    from core.experiments.importance import PairSurvey
    from core.experiments.rankings import Survey
    from ui.shared.checkpoints import Entry


def of_examples(shown: CheckpointView) -> bool:
    """Whether the example sentences are measured: where the link does not say, they are where that is stored.

    A model without any has this sentence alone.
    """
    asked = state.selection().probe
    if not shown.entry.examples:
        return False
    return stored(shown.entry) is not None if asked is None else asked


def stored(entry: Entry) -> Survey | None:
    """The survey of the example sentences that is stored beside the weights; None where there is none of this model."""
    if not entry.usable.has_importance:
        return None
    try:
        return context.kept(
            entry,
            "importance",
            lambda: load_importance(
                entry.path, entry.config, entry.usable.digest, importance_sources(entry.card)
            ),
        )
    except AtlasError:
        return None


def survey_name(shown: DecodeView, examples: bool) -> tuple[Any, ...]:
    """What a survey depends on, beside checkpoint and device."""
    trace = shown.decode.trace
    return ("survey", reference_sentences(shown) if examples else (trace.source_ids, trace.written_ids))


def surveyed(shown: DecodeView, examples: bool) -> Survey | None:
    """A finished survey, stored or measured, if there is one."""
    survey: Survey | None = shown.checkpoint.known(survey_name(shown, examples))
    return survey if survey is not None or not examples else stored(shown.entry)


def survey_job(shown: DecodeView, examples: bool) -> Job[Survey] | None:
    """This session's run of that survey; None when it was never started."""
    return shown.checkpoint.job(survey_name(shown, examples))


def start_survey(shown: DecodeView, examples: bool) -> None:
    """Start measuring behind the page; this session's other measurements stop."""
    checkpoint = shown.checkpoint

    def steps() -> Iterator[Survey]:
        from core.experiments.importance import survey

        return survey(checkpoint.load().model, pairs_of(shown, examples))

    checkpoint.measure_behind(survey_name(shown, examples), steps)


def weights(shown: DecodeView, kind: Kind) -> NDArray[np.float64] | None:
    """The weight (L, H) that each head gives the pinned pair; None without a pin of this kind."""
    cell = cell_of(shown, kind)
    if cell is None:
        return None
    maps = np.asarray(shown.decode.trace.stacked(*view.PLACES[kind], "weights"), dtype=np.float64)
    return maps[:, :, cell[0], cell[1]]


def cell_of(shown: DecodeView, kind: Kind) -> tuple[int, int] | None:
    """Row and column of the pinned pair in the maps of a kind; None where it is of another, or not in this sentence."""
    pin = shown.selection.pin
    if pin is None or pin.kind != kind or pin.query < 0:
        return None
    shape = shown.decode.trace.stacked(*view.PLACES[kind], "weights").shape
    return (pin.query, pin.key) if pin.query < shape[2] and pin.key < shape[3] else None


def ranking(shown: DecodeView, kind: Kind) -> list[Head]:
    """The heads of a kind by the pinned pair's weight; equal percentages by layer, then by head. Empty without a pin."""
    table = weights(shown, kind)
    return [] if table is None else rank_for_pair(kind, table)


def best(shown: DecodeView, kind: Kind) -> list[Head]:
    """The few heads that give the pinned pair most."""
    return ranking(shown, kind)[:PIN_HEADS]


# -- measured behind the page -------------------------------------------------------------------------------


def _name(ranked: list[Head]) -> tuple[Any, ...]:
    return ("pair heads", tuple(ranked))


def known(shown: DecodeView, ranked: list[Head]) -> PairSurvey | None:
    """The finished measurement for this order of heads, if there is one."""
    survey: PairSurvey | None = shown.known(_name(ranked))
    return survey


def job(shown: DecodeView, ranked: list[Head]) -> Job[PairSurvey] | None:
    """This session's measurement for this order of heads; None when it was never started."""
    return shown.job(_name(ranked))


def start(shown: DecodeView, ranked: list[Head]) -> None:
    """Start measuring behind the page; this session's other measurements stop."""

    def steps() -> Iterator[PairSurvey]:
        from core.experiments.importance import pair_survey

        (pair,) = pairs_of(shown, examples=False)
        return pair_survey(shown.load().model, pair, ranked)

    shown.measure_behind(_name(ranked), steps)
