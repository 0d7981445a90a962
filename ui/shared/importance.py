"""The importance of all heads: on the example sentences, which shipped models have stored, or measured behind the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.errors import AtlasError
from core.experiments.rankings import load_importance
from ui.session import state
from ui.shared import context
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.jobs import Job
from ui.shared.what_if import pairs_of, reference_sentences

if TYPE_CHECKING:
    from core.experiments.rankings import Survey
    from ui.shared.entry import Entry


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
            lambda: load_importance(entry.path, entry.config, entry.usable.digest, entry.examples),
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
    return state.jobs().get(shown.checkpoint.job_name(survey_name(shown, examples)))


def start_survey(shown: DecodeView, examples: bool) -> None:
    """Start measuring behind the page; this session's other measurements stop."""
    name, checkpoint = survey_name(shown, examples), shown.checkpoint

    def steps() -> Iterator[Survey]:
        from core.experiments.importance import survey

        return survey(checkpoint.load().model, pairs_of(shown, examples))

    def done(survey: Survey) -> None:
        checkpoint.memo(name, lambda: survey, heavy=True)

    state.start_job(checkpoint.job_name(name), lambda wanted: Job(steps, done, wanted))
