"""The heads of a model by role, and one opened: its roles, its sinks, and its most typical and most extreme sentence."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.readout import capitalised, decimal, isolated
from core.analysis.roles import ATLAS_SCORES, ROLES, Role, special_sinks
from core.decoding.inputs import forced_token
from core.errors import AtlasError
from core.experiments.corpus import ScoredSentence
from core.experiments.edits import Edits
from core.language import message, numeral, plural, tr
from core.model.hooks import ATTENTION, attention_of
from ui.heads import atlas
from ui.heads.atlas import HeadRow, Measured
from ui.session import state
from ui.session.state import to_params
from ui.shared import ablations, cards
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.decode import pinned_pair
from ui.shared.head_views import TILES, Group, KindMaps, OneHead, Tile, TilesData, kind_maps
from ui.shared.mount import View, mount
from ui.shared.two_maps import COMPARE, CompareData, Side
from ui.style.theme import Kind

if TYPE_CHECKING:
    from core.experiments.rankings import Survey
    from core.model.config import ModelConfig
    from ui.shared.checkpoints import Entry


def wall(shown: DecodeView, measured: Measured, kinds: Sequence[Kind], opened: OneHead) -> None:
    """The card of all heads; a click opens one."""
    rows = [row for row in measured.rows if row.kind in kinds]
    trace = shown.decode.trace
    maps: dict[str, KindMaps] = {
        kind: kind_maps(
            trace.stacked(ATTENTION[kind].stack, ATTENTION[kind].block, "weights"),
            kind,
            ablations.cell_of(shown, kind),
        )
        for kind in {row.kind for row in rows}
    }
    survey = ablations.surveyed(shown, True) if shown.entry.examples else None

    def picked(one: OneHead) -> None:
        state.update(kind=one.kind, layer=one.layer, head=one.head)

    mount(
        TILES,
        TilesData(
            groups(rows, survey, shown.entry.config, measured),
            maps,
            title=roles_title(rows),
            subtitle=tr(
                "Map: this sentence · bar: mean over {sentences}, line: its 95 % interval · marks: threshold, chance",
                sentences=over(measured),
            ),
            notes=tuple(undecided(measured, rows)),
            open=opened,
            name=f"roles-{shown.entry.name}",
        ),
        key="roles",
        picked=picked,
    )


def roles_title(rows: Sequence[HeadRow]) -> str:
    """How many heads have a role."""
    count = sum(bool(row.roles) for row in rows)
    return plural(
        "{count} of {total} heads has a role that shows in its attention",
        "{count} of {total} heads have a role that shows in their attention",
        count,
        total=len(rows),
    )


def over(measured: Measured) -> str:
    """The sentences that were measured."""
    return plural("one sentence", "{count} sentences", measured.atlas.sentences)


def undecided(measured: Measured, rows: Sequence[HeadRow]) -> list[str]:
    """One note of the heads whose interval includes the threshold of a role; none where no head is so close."""
    named = []
    for role in ROLES:
        for kind in dict.fromkeys(row.kind for row in rows):
            if ATTENTION[kind].name not in role.kinds or not measured.has(kind, role.metric):
                continue
            found = measured.interval(kind, role.metric)
            inside = (found.low < role.threshold) & (role.threshold <= found.high)
            order = sorted(zip(*np.nonzero(inside), strict=True), key=lambda at: -float(found.value[at]))
            if order:
                heads = ", ".join(f"{layer}.{head}" for layer, head in order)
                named.append(f"{tr(role.name)} ({tr(ATTENTION[kind].label)} {heads})")
    if not named:
        return []
    return [
        tr(
            "Undecided, because the 95 % interval includes the threshold: {heads}.",
            heads=tr("; ").join(named),
        )
    ]


def percent(value: float) -> str:
    """A share as “77 %”."""
    return f"{numeral(100 * value, '.0f')} %"


def groups(
    rows: Sequence[HeadRow], survey: Survey | None, config: ModelConfig, measured: Measured
) -> list[Group]:
    """One group a role and kind, by strength; then the heads without a role by kind. A head is in the first of its roles."""
    listed: list[Group] = []
    for role in ROLES:
        for kind in dict.fromkeys(row.kind for row in rows):
            those = [row for row in rows if row.kind == kind and row.roles and row.roles[0][0] == role]
            if those:
                those.sort(key=lambda row: -row.roles[0][1])
                total = sum(row.kind == kind for row in rows)
                count = tr("{count} of {total}", count=len(those), total=total)
                name = tr(role.name)
                tiles = tuple(_tile(row, survey, config, measured) for row in those)
                listed.append(
                    Group(
                        capitalised(name),
                        kind,
                        tiles,
                        means=tr(role.means),
                        count=count,
                        counts=above_chance(measured, kind, role),
                    )
                )
    without = [row for row in rows if not row.roles]
    if without:
        means = plural(
            "{count} head reaches no threshold; that does not make it useless",
            "{count} heads reach no threshold; that does not make them useless",
            len(without),
        )
        listed.append(Group(tr("No role"), without[0].kind, (), look="heading", means=means))
    for kind in dict.fromkeys(row.kind for row in without):
        those = [row for row in without if row.kind == kind]
        label = tr(attention_of(config, kind).label)
        name = tr("{kind}: {count}", kind=label, count=len(those))
        listed.append(
            Group(name, kind, tuple(_tile(row, survey, config, measured) for row in those), look="small")
        )
    return listed


def above_chance(measured: Measured, kind: Kind, role: Role) -> str:
    """How many heads of a kind look there more than by chance; empty where chance is not known."""
    chance = measured.chance(kind, role.metric)
    if chance is None:
        return ""
    count = int(chance.above.sum())
    return plural(
        "{count} of {total} heads does this more than with shuffled rows (Benjamini-Hochberg, 5 %)",
        "{count} of {total} heads do this more than with shuffled rows (Benjamini-Hochberg, 5 %)",
        count,
        total=chance.p.size,
    )


def _tile(row: HeadRow, survey: Survey | None, config: ModelConfig, measured: Measured) -> Tile:
    name = f"{row.layer}.{row.head}"
    hint = [tr("Head {head} of {kind}", head=name, kind=tr(attention_of(config, row.kind).phrase))]
    hint += [strength(role, value, measured, row) for role, value in row.roles] or [tr("no role")]
    if survey is not None:
        hint.append(tr("importance rank: {rank}", rank=rank_words(survey, row.kind, row.layer, row.head)))
    words = " · ".join(hint)
    if not row.roles:
        return Tile(row.kind, row.layer, row.head, words)
    role, mean = row.roles[0]
    low, high = ends_of(measured, row, role)
    chance = measured.chance(row.kind, role.metric)
    level = None if chance is None else round(float(chance.level[row.layer, row.head]), 4)
    return Tile(
        row.kind,
        row.layer,
        row.head,
        words,
        percent(mean),
        round(float(mean), 4),
        role.threshold,
        low=round(low, 4),
        high=round(high, 4),
        chance=level,
        n=measured.interval(row.kind, role.metric).sentences,
    )


def ends_of(measured: Measured, row: HeadRow, role: Role) -> tuple[float, float]:
    """The ends of the 95 % interval of a head's score of a role."""
    found = measured.interval(row.kind, role.metric)
    return float(found.low[row.layer, row.head]), float(found.high[row.layer, row.head])


def strength(role: Role, value: float, measured: Measured, row: HeadRow) -> str:
    """A role with the mean that gives it: “alignment 77 % (95 % interval 75 to 80 %, threshold 75 %, chance 17 %)”."""
    low, high = (numeral(100 * end, ".0f") for end in ends_of(measured, row, role))
    parts = [
        tr("95 % interval {low} to {high} %", low=low, high=high),
        tr("threshold {threshold}", threshold=percent(role.threshold)),
    ]
    chance = measured.chance(row.kind, role.metric)
    if chance is not None:
        parts.append(tr("chance {level}", level=percent(float(chance.level[row.layer, row.head]))))
    return f"{tr(role.name)} {percent(value)} ({', '.join(parts)})"


def rank_words(survey: Survey, kind: Kind, layer: int, head: int) -> str:
    """The rank of a head, as a range where its interval is known: “21 to 40 of 96”."""
    rank, total = rank_of(survey, kind, layer, head)
    if survey.measured is None:
        return tr("{rank} of {total}", rank=rank, total=total)
    first, last = (int(end[layer, head]) for end in survey.measured.ranks[kind])
    if first == last:
        return tr("{rank} of {total}", rank=first, total=total)
    return tr("{first} to {last} of {total}", first=first, last=last, total=total)


def rank_of(survey: Survey, kind: Kind, layer: int, head: int) -> tuple[int, int]:
    """(rank, heads) of a head by what its ablation costs; 1 is the one that is missed most."""
    values = np.concatenate([table.ravel() for table in survey.left_out.values()])
    return 1 + int((values > survey.left_out[kind][layer, head]).sum()), len(values)


assert all(role.metric in ATLAS_SCORES for role in ROLES)


@dataclass(frozen=True)
class TypicalData:
    """Weights (rows, columns), NaN where attending is not allowed. `reads`: what each decoder row reads; else empty."""

    rows: Sequence[str]
    reads: Sequence[str]
    cols: Sequence[str]
    _: KW_ONLY
    kind: Kind
    label: str
    file: str
    values: NDArray[np.float32]


TYPICAL = View("typical", TypicalData)


NAMES: Final = (message("Most typical"), message("Most extreme"))
_ON_ATTENTION: Final = {
    NAMES[0]: message("Open the most typical one on Attention"),
    NAMES[1]: message("Open the most extreme one on Attention"),
}
_TALL: Final = 210  # pixels of the design: both sentences of a head in sight, one below the other


def open_head(shown: DecodeView, measured: Measured, kind: Kind, head: tuple[int, int]) -> None:
    """The card of one head: what it does, its most typical sentence, what is measured of it, and where to go with it."""
    layer, number = head
    row = next(row for row in measured.rows if (row.kind, row.layer, row.head) == (kind, layer, number))
    sentences = measured.atlas.shown(ATTENTION[kind].name, layer, number)
    with cards.card("open_head", fill=False):
        below = tr("Its most typical sentence, weights in % of a row") if sentences else ""
        cards.title(head_title(row), below)
        if sentences is None:
            cards.quiet(tr("No stored sentence shows this head."))
        else:
            _typical(shown, kind, head, sentences[0])
        sinks = sink_facts(measured, kind, head, sinks_named(shown.entry, kind))
        st.html(facts_html([*facts(shown, measured, row), *sinks]))
        _links(shown, kind, head)


def head_title(row: HeadRow) -> str:
    """What a head does, in a sentence."""
    name = f"{row.layer}.{row.head}"
    if not row.roles:
        return tr("Head {head} has no role: it reaches no threshold", head=name)
    return tr("Head {head} {does}", head=name, does=tr(row.roles[0][0].means))


def facts(shown: DecodeView, measured: Measured, row: HeadRow) -> list[tuple[str, str, str]]:
    """(what, number, kind of attention or nothing): the strength of each role, the pinned pair's weight, the importance."""
    name = tr(attention_of(shown.entry.config, row.kind).phrase)
    listed: list[tuple[str, str, str]] = [(tr("Kind"), name, row.kind)]
    for role, value in row.roles:
        label = tr(role.name)
        what = tr(
            "{role}, threshold {threshold}",
            role=capitalised(label),
            threshold=f"{numeral(100 * role.threshold, '.0f')} %",
        )
        low, high = (numeral(100 * end, ".0f") for end in ends_of(measured, row, role))
        listed.append((what, tr("{value} ({low} to {high})", value=percent(value), low=low, high=high), ""))
    pair, table = pinned_pair(shown.decode, shown.selection), ablations.weights(shown, row.kind)
    if pair is not None and table is not None:
        what = tr("Pinned: {query} looks at {key}", query=isolated(pair.query), key=isolated(pair.key))
        listed.append((what, f"{numeral(100 * table[row.layer, row.head], '.0f')} %", row.kind))
    survey = ablations.surveyed(shown, True) if shown.entry.examples else None
    if survey is not None:
        cost = float(survey.left_out[row.kind][row.layer, row.head])
        words = tr("{value} nats", value=decimal(cost, plus=True))
        if survey.measured is not None:
            ends = survey.measured.left_out[row.kind]
            low, high = (decimal(float(end[row.layer, row.head]), plus=True) for end in (ends.low, ends.high))
            words = tr("{value} nats ({low} to {high})", value=decimal(cost, plus=True), low=low, high=high)
        listed.append((tr("Rise in loss when ablated alone"), words, ""))
        rank = rank_words(survey, row.kind, row.layer, row.head)
        listed.append((tr("Importance rank"), rank, ""))
    return listed


def facts_html(listed: Sequence[tuple[str, str, str]]) -> str:
    """The facts as lines with their numbers at the right."""
    lines = "".join(
        f'<div><dt dir="auto">{html.escape(what)}</dt><dd class="{f"atlas-{kind}" if kind else ""}">{html.escape(value)}</dd></div>'
        for what, value, kind in listed
    )
    return f'<dl class="atlas-facts-lines">{lines}</dl>'


def _links(shown: DecodeView, kind: Kind, head: tuple[int, int]) -> None:
    selection = shown.selection.changed(kind=kind).changed(layer=head[0], head=head[1])
    letter = {"encoder": "e", "causal": "d", "cross": "c"}[kind]
    ablated = selection.changed(edits=Edits.parse(f"z{letter}{head[0]}-{head[1]}"))
    with st.container(horizontal=True, gap="small", key="head_actions"):
        st.page_link(
            "pages/attention.py",
            label=tr("Open on Attention"),
            query_params=to_params(selection),
            width="stretch",
        )
        st.page_link(
            "pages/what_if.py",
            label=tr("Ablate head {head}", head=f"{head[0]}.{head[1]}"),
            query_params=to_params(ablated),
            width="stretch",
        )


def _typical(shown: DecodeView, kind: Kind, head: tuple[int, int], example: ScoredSentence) -> None:
    """The head's map on a sentence of the corpus."""
    try:
        with cards.loading(shown):
            one = atlas.view_of(example, shown, kind, head)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    side = _side(one, kind, head, "")
    tokens = one.decode.trace.tokens
    decoder = kind != "encoder"
    name = f"{head[0]}.{head[1]}"
    mount(
        TYPICAL,
        TypicalData(
            list(tokens.written[: len(side.queries)]) if decoder else list(side.queries),
            list(tokens.target[: len(side.queries)]) if decoder else (),
            list(side.keys),
            kind=kind,
            label=tr(
                "Head {head} of {kind} on “{sentence}”",
                head=name,
                kind=tr(attention_of(shown.entry.config, kind).phrase),
                sentence=one.decode.source_text,
            ),
            file=f"typical-{kind}-{name}",
            values=side.cells(kind).astype(np.float32),
        ),
        key=f"typical_{kind}",
    )


def compared(shown: DecodeView, measured: Measured, kind: Kind, head: tuple[int, int]) -> None:
    """A head on its most typical and its most extreme sentence, with links to both."""
    sentences = measured.atlas.shown(ATTENTION[kind].name, *head)
    if sentences is None:
        return
    try:
        with cards.loading(shown):
            views = [atlas.view_of(each, shown, kind, head) for each in sentences]
    except AtlasError as error:
        cards.mistake(str(error))
        return
    label = tr(ATLAS_SCORES[sentences[0].metric].label)
    sides = [
        _side(one, kind, head, f"{tr(name)} · {label} {decimal(each.value)}")
        for one, each, name in zip(views, sentences, NAMES, strict=True)
    ]
    mount(
        COMPARE,
        CompareData(
            (sides[0], sides[1]),
            kind=kind,
            title=tr(
                "Head {head} on its most typical and its most extreme sentence", head=f"{head[0]}.{head[1]}"
            ),
            subtitle=plural(
                "{score}: nearest to the mean of {mean} and farthest from it, of {count} sentence",
                "{score}: nearest to the mean of {mean} and farthest from it, of {count} sentences",
                len(measured.atlas.sample),
                score=label,
                mean=decimal(sentences[0].mean),
            ),
            tall=460 if shown.selection.enlarged else _TALL,
            file=f"heads-{kind}-{head[0]}.{head[1]}",
        ),
        key=f"head_sentences_{kind}",
    )
    with st.container(horizontal=True, gap="medium", key="head_links"):
        for each, name in zip(sentences, NAMES, strict=True):
            target = atlas.link_of(each, shown.selection, kind, head)
            st.page_link(
                "pages/attention.py",
                label=tr(_ON_ATTENTION[name]),
                query_params=to_params(target),
                width="content",
            )


def sinks_named(entry: Entry, kind: Kind) -> str:
    """What the sinks among a kind's keys are called; where one special token is there alone, by its name."""
    read, written = entry.tokenizers
    if kind == "causal":
        # The last token is written and never read.
        frame = [entry.config.bos_id, forced_token(entry.config, 0), *written.encode("")[:-1]]
        labels = written.labels([token for token in frame if token is not None])
    else:
        labels = read.labels(read.encode(""))
    special = special_sinks(labels)
    if not special:
        return tr("punctuation")
    return tr("{tokens} and punctuation", tokens=special[0] if len(special) == 1 else tr("special tokens"))


def sink_facts(
    measured: Measured, kind: Kind, head: tuple[int, int], sinks: str
) -> list[tuple[str, str, str]]:
    """The weight on sinks and their share of the head's output, as lines of facts."""
    names = {
        "sink_share": tr("Weight on {sinks}", sinks=sinks),
        "sink_arrives": tr("Contribution from these tokens"),
    }
    means = {score: measured.mean(kind, *head, score) for score in names}
    return [
        (names[score], f"{numeral(100 * mean, '.0f')} %", "")
        for score, mean in means.items()
        if math.isfinite(mean)
    ]


def _side(shown: DecodeView, kind: Kind, head: tuple[int, int], name: str) -> Side:
    maps = view.maps_of(shown.decode, kind, shown.entry.tokenizers)
    one = view.open_head_of(maps, *head, "mean")
    subject, reads = tr("head {head}", head=f"{head[0]}.{head[1]}"), maps.queries.reads
    axes, future = (maps.queries.labels, maps.keys.labels), maps.open_future
    return Side(one.values, *axes, name, subject, reads=reads, open_future=future)
