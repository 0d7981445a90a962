"""The What if page: the translation before and after the edits, each word's probability, and how many heads until it breaks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import streamlit as st

from core.analysis.readout import Word, decimal, quoted, rewriting
from core.errors import AtlasError
from core.experiments.edits import UNEDITED, Edits, Head
from core.language import message, numeral, plural, tr
from core.model.hooks import ATTENTION, attention_of
from ui.app import frame
from ui.session import state
from ui.shared import ablations, cards, what_if
from ui.shared.cards import two_lines
from ui.shared.context import DecodeView
from ui.shared.decode import PinnedPair, pinned_pair
from ui.shared.mount import View, draw_figure, mount, one_export, theme_watch
from ui.shared.what_if import Outcome
from ui.style.theme import Kind
from ui.web.contract import Between
from ui.what_if import changes, finding
from ui.what_if.finding import percent

if TYPE_CHECKING:
    from core.experiments.importance import PairSurvey


@dataclass(frozen=True)
class BreakingStep:
    """The text with the first `heads` heads ablated, the pinned word's probability, and the head ablated last.

    A word is `same` if the text without ablation has it too.
    """

    heads: int
    words: tuple[Word, ...]
    probability: float
    last: str


@dataclass(frozen=True)
class BreakingData:
    """All steps; `breaks`: the first number of heads at which the text differs. `at`: the number that is shown."""

    steps: Sequence[BreakingStep]
    _: KW_ONLY
    kind: Kind
    at: int
    breaks: int | None
    title: str
    subtitle: str
    readout: str
    word: str
    file: str = "heads-until-it-breaks"


BREAKING = View(
    "breaking",
    BreakingData,
    chosen=Annotated[int, Between(0, 4096)],
    ablated=Annotated[int, Between(0, 4096)],
)


def card(shown: DecodeView, kind: Kind) -> None:
    """The card of a pinned pair of this kind; it is measured behind the page, and only the card runs again meanwhile."""
    pair = pinned_pair(shown.decode, shown.selection)
    if pair is None or pair.pin.kind != kind or not shown.is_loaded:
        return
    ranked = ablations.ranking(shown, kind)
    if ablations.known(shown, ranked) is not None:
        _draw(shown, kind, pair, ranked)
        return
    job = ablations.job(shown, ranked)
    busy = any(not each.finished for each in state.jobs().values())
    if job is None and not busy:
        ablations.start(shown, ranked)

    @st.fragment(run_every=0.7)
    def waiting() -> None:
        with cards.card("breaking", fill=False):
            _wait(shown, pair, ranked)

    waiting()


def _wait(shown: DecodeView, pair: PinnedPair, ranked: list[Head]) -> None:
    """The card while its numbers are computed."""
    now = ablations.job(shown, ranked)
    if ablations.known(shown, ranked) is not None:
        st.rerun()
    cards.title(
        tr("How many heads until the translation breaks?"),
        tr(
            "Heads are ablated in the order of the weight they give to {pair}, ties by layer", pair=pair.short
        ),
    )
    if now is None or now.finished:
        if now is not None and now.problem:
            cards.mistake(now.problem)
        st.button(tr("Measure"), on_click=ablations.start, args=(shown, ranked), key="start_breaking")
    else:
        st.progress(now.share, tr("Ablating heads: {share}", share=f"{numeral(100 * now.share, '.0f')} %"))
        st.button(tr("Stop"), on_click=now.cancel, key="stop_breaking")


def _draw(shown: DecodeView, kind: Kind, pair: PinnedPair, ranked: list[Head]) -> None:
    survey = ablations.known(shown, ranked)
    if survey is None:
        return
    data = breaking_data(shown, survey, kind, pair)

    def ablated(count: int) -> None:
        shape = shown.entry.config.shape(ATTENTION[kind].stack)
        wanted = frozenset((layer, head) for _, layer, head in ranked[:count])
        changes.ablate(shown, kind, wanted, shape)

    mount(
        BREAKING,
        data,
        key="breaking",
        chosen=lambda count: state.update(ablated=min(count, len(ranked))),
        ablated=ablated,
    )


def breaking_data(shown: DecodeView, survey: PairSurvey, kind: Kind, pair: PinnedPair) -> BreakingData:
    """The measured steps as the view draws them."""
    from core.experiments.importance import breaking_point

    spell = shown.entry.tokenizers[1].decode
    texts = [spell(step.written) for step in survey.steps]
    breaks = breaking_point(survey.steps)
    steps = tuple(
        BreakingStep(
            step.heads,
            rewriting(texts[0], text).after,
            round(float(np.exp(step.next_word[position_of(pair)])), 6),
            "{}.{}".format(*survey.ranking[step.heads - 1][1:]) if step.heads else "",
        )
        for step, text in zip(survey.steps, texts, strict=True)
    )
    chosen = shown.selection.ablated
    at = breaks if breaks is not None else len(steps) - 1
    return BreakingData(
        steps,
        kind=kind,
        at=at if chosen is None or chosen >= len(steps) else chosen,
        breaks=breaks,
        title=title(breaks, len(survey.ranking), tr(attention_of(shown.entry.config, kind).phrase)),
        subtitle=tr(
            "Heads are ablated in the order of the weight they give to {pair}, ties by layer", pair=pair.short
        ),
        readout=" ".join([*_survives(steps, breaks, pair), *weight_and_cost(shown, survey, kind)]),
        word=pair.written or pair.read,
    )


def position_of(pair: PinnedPair) -> int:
    """The written word whose probability is drawn: the pinned row's; an encoder row writes none, so the first one."""
    return 0 if pair.pin.kind == "encoder" else pair.pin.query


def title(breaks: int | None, total: int, kind: str) -> str:
    """After how many heads the text changes."""
    if breaks is None:
        return tr("The translation stays the same without any head of {kind}", kind=kind)
    return plural(
        "The translation changes as soon as {count} of {total} heads is ablated",
        "The translation changes only when {count} of {total} heads are ablated",
        breaks,
        total=total,
    )


def _survives(steps: Sequence[BreakingStep], breaks: int | None, pair: PinnedPair) -> list[str]:
    """The probability of the pinned word at the last number of heads that leaves the text as it is."""
    last = steps[-1] if breaks is None else steps[max(0, breaks - 1)]
    if not last.heads or pair.pin.kind == "encoder":
        return []
    return [
        plural(
            "Without the strongest head the text is unchanged, and {word} goes from {before} to {after}.",
            "Without the {count} strongest heads the text is unchanged, and {word} goes from {before} to {after}.",
            last.heads,
            word=quoted(pair.written),
            before=percent(steps[0].probability),
            after=percent(last.probability),
        )
    ]


def weight_and_cost(shown: DecodeView, survey: PairSurvey, kind: Kind) -> list[str]:
    """What heads that give the pair nothing cost when ablated alone, beside the others; nothing where one group is empty."""
    table: Any = ablations.weights(shown, kind)
    if table is None or not len(survey.alone):
        return []
    given = np.array([table[layer, head] for _, layer, head in survey.ranking])
    none, some = survey.alone[given < 0.005], survey.alone[given >= 0.005]
    if not len(none) or not len(some):
        return []
    idle, linked = float(np.median(none)), float(np.median(some))
    text = plural(
        "The {count} head that gives the pair 0 % costs {idle} nats when it is ablated alone; the others cost {linked} (median).",
        "The {count} heads that give the pair 0 % cost {idle} nats each when ablated alone; the others cost {linked} (medians).",
        len(none),
        idle=decimal(idle, 3, plus=True),
        linked=decimal(linked, 3, plus=True),
    )
    return [text, tr("Weight is not importance.")] if idle >= linked else [text]


def ablate_page(shown: DecodeView) -> None:
    """The page; its edits run only its cards again."""
    cards.style(__file__, "what_if.css")
    _views(shown)


@st.fragment
def _views(shown: DecodeView) -> None:
    """Controls, translation, heads, probabilities, the slider of a pinned pair, and one head before and after."""
    shown = shown.now()
    state.write_url()
    kind = cards.kind_of(shown.selection.kind)
    waiting = _waiting(shown)
    outcome, problem = (waiting, None) if waiting else _outcome(shown)
    if outcome is None:
        return
    layers, each = outcome.maps_before[kind].shape[:2]
    changes.row(shown, kind, (layers, each))
    if waiting:
        verdict_to_come(shown, waiting)
    else:
        verdict(shown, outcome, problem)
    left, right = st.columns([0.46, 0.54], gap="small")
    with left:
        changes.switches(shown, outcome, kind, known=waiting is None)
    with right:
        probabilities(shown, replace(outcome, edits=UNEDITED) if waiting else outcome)
    if waiting:
        theme_watch()
        _compute(shown, waiting.edits)
        return
    card(shown, kind)
    changes.before_and_after(shown, outcome, kind)
    cards.explain(
        tr("Ablate heads, or change masks and positions, and the model writes again."),
        tr("Attention shows where a head looks. Ablate it to see whether it matters."),
        more(bool(shown.entry.examples)),
        name="what_if",
        keys={key: tr(what) for key, what in KEYS.items()},
    )
    theme_watch()


def verdict(shown: DecodeView, outcome: Outcome, problem: AtlasError | None) -> None:
    """The translation before and after, its differing words marked, and the sentence about them."""
    with cards.card("verdict"):
        cards.title(finding.title(outcome, shown.decode, shown.entry))
        if problem is not None:
            cards.mistake(str(problem))
        changes.made(shown)
        st.html(two_lines(rewriting(outcome.unedited, outcome.rewritten)))
        pair = pinned_pair(shown.decode, shown.selection)
        words = finding.sentence(outcome, shown.decode, pair)
        if outcome.edits and shown.decode.text != outcome.unedited:
            words += " " + tr("Both lines are written by greedy search.")
        st.html(f'<p class="atlas-verdict">{cards.marked(words)}</p>')


def verdict_to_come(shown: DecodeView, outcome: Outcome) -> None:
    """The translation before the edits, and room for the one after them, while the model is loading."""
    with cards.card("verdict"):
        cards.title(tr("{given} the model writes …", given=finding.condition(outcome.edits, shown.decode)))
        changes.made(shown)
        st.html(two_lines(rewriting(outcome.unedited, outcome.unedited), after="…"))
        words = tr("Loading {name} …", name=shown.entry.name)
        st.html(f'<p class="atlas-verdict" role="status">{html.escape(words)}</p>')


def probabilities(shown: DecodeView, outcome: Outcome) -> None:
    """Each word's probability before and after, and that of the whole translation."""
    decode = shown.decode
    with cards.card("probabilities"):
        cards.title(
            finding.falls_title(outcome, decode),
            tr("Probability of each token of the translation, in %, given the tokens before it"),
        )
        pair = pinned_pair(decode, shown.selection)
        pinned = pair.pin.query if pair is not None and pair.pin.kind != "encoder" else None
        written, read = decode.trace.tokens.written, decode.trace.tokens.target
        # Rows of more words have a height of their own, and many of them stand in two columns.
        fills, halves = len(written) <= finding.COLUMNS, len(written) > finding.ROWS
        each = -(-len(written) // 2) if halves else len(written)
        with one_export("what_if_words" if fills else "what_if_rows"):
            columns: Sequence[AbstractContextManager[object]] = [nullcontext()]
            if halves:
                columns = st.columns(2, gap="small")
            for number, place in enumerate(columns):
                part = slice(number * each, (number + 1) * each)
                with place:
                    draw_figure(
                        f"what_if_words_{number}",
                        finding.next_words,
                        written[part],
                        () if halves else read,
                        outcome.before[part],
                        outcome.after[part],
                        outcome.chosen[part],
                        pinned=None if pinned is None or pinned // each != number else pinned % each,
                        edited=bool(outcome.edits),
                        in_rows=not fills,
                        fills=fills,
                    )
        cards.readout(finding.total_sentence(outcome))


_MORE: Final = message(
    "**Zero**: the head’s output is 0. **Mean**: its output averaged over {sentences}, at every position. "
    "**Uniform**: the same weight on everything that it may look at. **Freeze**: it keeps the weights of the "
    "run without edits, whatever else changes.\n\nProbabilities are those of the original translation, each "
    "word given the ones before it: $\\log p(y \\mid x) = \\sum_t \\log p(y_t \\mid y_{{<t}}, x)$. The line "
    "“After” is greedy search with the edits in force at every step. **Zero** and **Mean** change what a head "
    "adds, not where it looks: the maps of later layers move, its own map stays. **Uniform** and a moved "
    "weight change its own map too. How far a map moved is half the absolute change of a row, averaged over "
    "the rows. Heads are written layer.head, counted from 0. Every edit is in the link."
)
KEYS: Final = {
    "← ↑ → ↓": message("From head to head, from cell to cell"),
    "Enter": message("Ablate or restore the head, pin the cell"),
    "+, −": message("Move the weight of the cell"),
}


def more(named: bool) -> str:
    """What the words and numbers are; `named`: the card names example sentences for a head's mean."""
    return tr(_MORE, sentences=tr("the example sentences") if named else tr("this sentence"))


def _waiting(shown: DecodeView) -> Outcome | None:
    """The outcome before the edits in force, where theirs has to wait for the model; None where it has not."""
    edits, trace = what_if.edits_in_force(shown), shown.decode.trace
    if not edits or shown.is_loaded or not shown.decode.stored:
        return None
    try:
        edits.check(trace.config, len(trace.source_ids), len(trace.written_ids))
    except AtlasError:
        return None
    return replace(what_if.outcome(shown, UNEDITED), edits=edits)


def _compute(shown: DecodeView, edits: Edits) -> None:
    """Compute the outcome of the edits and draw the page again; where that cannot be, one sentence says why."""
    try:
        what_if.outcome(shown, edits)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    st.rerun()


def _outcome(shown: DecodeView) -> tuple[Outcome | None, AtlasError | None]:
    """Before and after; where the edits do not fit, before alone and why."""
    edits = what_if.edits_in_force(shown)
    try:
        if edits and not shown.is_loaded:
            with frame.loading(shown.entry.name, shown.text, waits=True):
                return what_if.outcome(shown, edits), None
        return what_if.outcome(shown, edits), None
    except AtlasError as error:
        try:
            return what_if.outcome(shown, UNEDITED), error
        except AtlasError as other:
            cards.mistake(str(other))
            return None, other
