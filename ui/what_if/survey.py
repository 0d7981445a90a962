"""Which heads matter: each ablated in turn, beside the gradient's estimate, and only the best kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import streamlit as st

from core.analysis.readout import decimal, how_many
from core.model.hooks import ATTENTION
from ui.session import state
from ui.shared import cards, what_if
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.mount import chart, drawn
from ui.style import theme
from ui.what_if import changes, figures

if TYPE_CHECKING:
    from core.experiments.survey import Survey

ABOUT: Final = {"sentence": "this sentence", "examples": "the example sentences"}
NAMES: Final = {"left_out": "ranked by leaving out", "gradient": "ranked by gradient"}
MORE: Final = (
    "**Left out**: how much the loss $-\\log p(\\text{translation})$ of an example rises, in nats, when the head gives "
    "zeros; the mean over the sentences. **Gradient** (Michel et al. 2019): $\\left|\\partial L / \\partial \\xi_h\\right|$ "
    "at $\\xi_h = 1$, where $\\xi_h$ multiplies the head's output; it is what leaving out would cost if the loss were a "
    "straight line, in the same unit, and it knows no sign. The translations are the model's own, so this says what it "
    "needs to write what it writes, not whether that is right."
)


def survey(shown: DecodeView) -> None:
    """The card; while it measures, only it runs again."""
    running = _running(shown)

    @st.fragment(run_every=1.0 if running else None)
    def card() -> None:
        now = shown.now()
        with cards.card("survey"):
            _draw(now)
        if running != _running(now):
            st.rerun()  # the card that follows looks again every second, or no more

    card()
    cards.explain(
        "Which heads does the model need for what it writes? Red squares cost most when they are missing.",
        "A head that looks at the right word need not matter, and one that matters need not look like anything.",
        MORE,
        name="survey",
    )


def _of_examples(shown: CheckpointView) -> bool:
    """Whether the example sentences are measured; a model without any has this sentence alone."""
    return state.selection().probe and bool(shown.entry.examples)


def _running(shown: DecodeView) -> bool:
    job = what_if.survey_job(shown, _of_examples(shown))
    return job is not None and not job.finished


def _draw(shown: DecodeView) -> None:
    examples = _of_examples(shown)
    surveyed = what_if.surveyed(shown, examples)
    job = what_if.survey_job(shown, examples)
    with st.container(horizontal=True, vertical_alignment="center"):
        cards.title("Heads that matter", "what the translation loses when one head is missing")
        bound = state.hold("survey_about", "examples" if examples else "sentence", _about)
        if shown.entry.examples:
            cards.choice("measured on", ABOUT, bound)
        if surveyed is None and (job is None or job.finished):
            args = (shown, examples)
            st.button("measure", on_click=what_if.start_survey, args=args, key="start_survey")
        elif job is not None and not job.finished:
            st.button("stop", on_click=job.cancel, key="stop_survey")
    if job is not None and job.problem:
        cards.mistake(job.problem)
    stage = surveyed or (job.latest if job is not None else None)
    if job is not None and not job.finished:
        st.progress(job.share, _progress(job.share, stage))
    if stage is None:
        heads = shown.entry.config.heads * (
            shown.entry.config.encoder_layers + 2 * shown.entry.config.decoder_layers
        )
        cards.quiet(f"All {heads} heads are left out one after the other; it can be stopped at any time.")
        return
    if surveyed is None and job is not None and job.finished:
        cards.quiet(f"Stopped after {100 * job.share:.0f} %: what was measured until then.")
    _tables(shown, stage)


def _about(chosen: str) -> None:
    state.update(probe=chosen == "examples")


def _progress(share: float, stage: Survey | None) -> str:
    step = "the first pass" if stage is None else "leaving heads out"
    if stage is not None and stage.kept:
        step = "keeping only the best"
    return f"{100 * share:.0f} % · {step}"


def _tables(shown: CheckpointView, stage: Survey) -> None:
    options: dict[str, Any] = {"mode": theme.current_mode(), "presenter": shown.selection.enlarged}
    if stage.left_out:
        left = {kind: np.asarray(table) for kind, table in stage.left_out.items()}
        cards.quiet("left out: rise of the loss in nats")
        chart(drawn(figures.importance_wall, left, "nats", **options), "what_if_left_out")
    if stage.gradient:
        slopes = {kind: np.asarray(table) for kind, table in stage.gradient.items()}
        cards.quiet("by gradient: |∂L/∂ξ| in nats")
        chart(drawn(figures.importance_wall, slopes, "nats", signed=False, **options), "what_if_gradient")
    if stage.complete and not np.isnan(stage.agreement):
        cards.readout(agreement(stage))
    if stage.kept:
        _kept(shown, stage, options)


def agreement(stage: Survey) -> list[cards.Words]:
    """The most important head, and whether the two measures agree."""
    kind, layer, head = stage.ranking()[0]
    cost = float(stage.left_out[kind][layer, head])
    return [
        "The head that is missed most is ",
        (f"{ATTENTION[kind].label} {layer}.{head}", kind),
        f" ({decimal(cost, plus=True)} nats). The gradient’s ranking and that by leaving out: Spearman’s ρ = ",
        (decimal(stage.agreement), "b"),
        ", and ",
        (decimal(stage.agreement_in_size), "b"),
        " with the size of the change, whatever its sign"
        f" ({how_many(sum(table.size for table in stage.left_out.values()), 'head')}, "
        f"{how_many(stage.sentences, 'sentence')}).",
    ]


def _kept(shown: CheckpointView, stage: Survey, options: dict[str, Any]) -> None:
    total = sum(table.size for table in stage.left_out.values())
    kept = what_if.kept_count(shown.selection.edits, stage.ranking(), shown.entry.config)
    left, right = st.columns([1.4, 1], gap="small")
    with left:
        figure = drawn(figures.kept, stage.kept, NAMES, None if kept == total else kept, **options)
        chart(figure, "what_if_kept")
    with right:

        def keep(count: int) -> None:
            changes.attempt(lambda edits: what_if.kept_only(edits, stage.ranking(), int(count)))

        shown_count = total if kept is None else kept
        st.slider(
            "keep only the most important heads", 0, total, **state.hold("keep_heads", shown_count, keep)
        )
        cards.quiet(
            "The slider switches all others off on the wall above: the translation follows."
            if kept is not None
            else "Changed on the wall are other heads than the least important ones, or otherwise; the slider takes their place."
        )
