"""How many heads until it breaks: the text with the first n heads of the pinned pair ablated, n from 0 to all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import streamlit as st

from core.analysis.readout import decimal, quoted, rewriting
from core.experiments.edits import Head
from core.language import plural, tr
from core.model.hooks import ATTENTION
from ui.session import state
from ui.shared import cards, pin_heads
from ui.shared.context import DecodeView
from ui.shared.mount import View, mount
from ui.shared.pinned import PinnedPair, pinned_pair
from ui.shared.what_if import KIND_NAMES
from ui.style.theme import Kind
from ui.web.contract import Between
from ui.what_if import changes
from ui.what_if.finding import percent

if TYPE_CHECKING:
    from core.experiments.importance import PairSurvey


@dataclass(frozen=True)
class BreakingWord:
    """A word of a written text; `same`: the text without ablation has it too. `spaced`: a space stands before it."""

    text: str
    same: bool
    spaced: bool


@dataclass(frozen=True)
class BreakingStep:
    """The text with the first `heads` heads ablated, the pinned word's probability, and the head ablated last."""

    heads: int
    words: tuple[BreakingWord, ...]
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
    ranked = pin_heads.ranking(shown, kind)
    if pin_heads.known(shown, ranked) is not None:
        _draw(shown, kind, pair, ranked)
        return
    job = pin_heads.job(shown, ranked)
    busy = any(not each.finished for each in state.jobs().values())
    if job is None and not busy:
        pin_heads.start(shown, ranked)

    @st.fragment(run_every=0.7)
    def waiting() -> None:
        with cards.card("breaking", fill=False):
            _wait(shown, pair, ranked)

    waiting()


def _wait(shown: DecodeView, pair: PinnedPair, ranked: list[Head]) -> None:
    """The card while its numbers are computed."""
    now = pin_heads.job(shown, ranked)
    if pin_heads.known(shown, ranked) is not None:
        st.rerun()
    cards.title(
        tr("How many heads until it breaks?"),
        tr("Heads are ablated in the order of the weight that they give to {pair}", pair=pair.short),
    )
    if now is None or now.finished:
        if now is not None and now.problem:
            cards.mistake(now.problem)
        st.button(tr("Measure"), on_click=pin_heads.start, args=(shown, ranked), key="start_breaking")
    else:
        st.progress(now.share, tr("Ablating heads: {share}", share=f"{100 * now.share:.0f} %"))
        st.button(tr("Stop"), on_click=now.cancel, key="stop_breaking")


def _draw(shown: DecodeView, kind: Kind, pair: PinnedPair, ranked: list[Head]) -> None:
    survey = pin_heads.known(shown, ranked)
    if survey is None:
        return
    data = breaking_data(shown, survey, kind, pair)

    def ablated(count: int) -> None:
        layers = shown.entry.config.layers(ATTENTION[kind].stack)
        shape = layers, shown.entry.config.heads
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
            tuple(
                BreakingWord(word.text, word.same, word.spaced) for word in rewriting(texts[0], text).after
            ),
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
        title=title(breaks, len(survey.ranking), kind),
        subtitle=tr("Heads are ablated in the order of the weight that they give to {pair}", pair=pair.short),
        readout=" ".join([*_survives(steps, breaks, pair), *weight_and_cost(shown, survey, kind)]),
        word=pair.written or pair.read,
    )


def position_of(pair: PinnedPair) -> int:
    """The written word whose probability is drawn: the pinned row's; an encoder row writes none, so the first one."""
    return 0 if pair.pin.kind == "encoder" else pair.pin.query


def title(breaks: int | None, total: int, kind: Kind) -> str:
    """After how many heads the text changes."""
    if breaks is None:
        return tr("The translation stays the same without any head of {kind}", kind=tr(KIND_NAMES[kind]))
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
    table: Any = pin_heads.weights(shown, kind)
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
