"""The page Tutorials: five public write-ups, checked.

A table has a row for each write-up; a cell opens its claims, each computed again: what it builds, what it chooses otherwise
than the paper, what is wrong. The paper itself and what changed since 2017 open below. The browser draws a write-up's
architecture as boxes, with choices that differ from the paper marked.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from core.language import localised, message, plural, tr
from core.learning.tutorials import TUTORIALS, Column, Tutorial, described, drawing
from ui.export import menu
from ui.export.files import csv_text
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView
from ui.shared.mount import View, mount, theme_watch
from ui.web.contract import derive, file_stem

if TYPE_CHECKING:
    from core.learning.claims.claim import About, Claim, Grid
    from core.learning.study import Filled


@dataclass(frozen=True)
class AnatomyData:
    """Stacks of boxes, each from the bottom up."""

    columns: tuple[Column, ...]
    _: KW_ONLY
    title: str
    subtitle: str
    file: str

    def __post_init__(self) -> None:
        derive(self, file=file_stem(self.file))


ANATOMY = View("anatomy", AnatomyData)

TRANSLATE: Final = "pages/translate.py"
PITFALLS: Final = "pages/pitfalls.py"
WRITE_UPS: Final = tuple(name for name in TUTORIALS if name.startswith("tutorial-"))
BESIDE: Final = ("paper", "t5")
"""What is checked beside the write-ups, and is none."""
WIDTHS: Final = (1.05, 1.3, 1.3, 1.55)
"""Of the table's columns."""
NAMED: Final = 6
"""How many of its choices a cell names."""
COLUMNS: Final[dict[About, str]] = {
    "builds": message("What it builds"),
    "differs": message("What differs from the paper"),
    "wrong": message("What is wrong"),
}
SIGNS: Final = {True: "✓", False: "✗", None: "?"}
MORE: Final = message(
    "A to E stand for five public write-ups, “Transformer from scratch”. A function of this project builds each thing as the "
    "write-up does, and the verdict follows from its numbers. Where a statement cannot be computed, the source that speaks of "
    "it is linked.\n\n"
    'Each write-up is also a configuration of this project’s model, `ModelConfig.preset("tutorial-a")` and so on: correct '
    "Transformer mathematics with that write-up’s choices. Its mistakes are not part of it; the page Mistakes shows them on "
    "a sentence."
)


class Opened(NamedTuple):
    """The cell in sight: whose it is, its column, and which of its claims is open."""

    name: str
    about: About
    claim: str


def tutorials_page(shown: CheckpointView) -> None:
    """The table of write-ups, and below the row of an open cell its claims."""
    cards.style(__file__, "learn.css")
    opened = _opened(shown.selection)
    with cards.card("writeups"):
        _heading()
        for name in WRITE_UPS:
            _row(name, opened)
            if opened is not None and opened.name == name:
                _cell(opened)
        _beside(opened)
    with cards.explain(
        tr("Orange marks a mistake, or a choice that is not the paper’s."),
        tr("A different choice is not a mistake."),
        tr(MORE),
        name="tutorials",
    ):
        menu.tables(
            [
                (tr("CSV of all statements"), "tutorials-claims.csv", claims_csv),
                (tr("CSV of all choices"), "tutorials-choices.csv", choices_csv),
            ]
        )
    theme_watch()


def _opened(selection: Selection) -> Opened | None:
    """What the link opens: the claim that it names, or a write-up's first."""
    name = selection.tutorial
    if not name:
        return None
    listed = _claims(name)
    claim = next((each for each in listed if each.id == selection.claim), listed[0])
    return Opened(name, claim.about, claim.id)


def _claims(name: str, about: About | None = None) -> tuple[Claim, ...]:
    """The claims of a write-up, or those of one of its cells."""
    from core.learning.claims import claims

    return tuple(each for each in claims(name) if about in (None, each.about))


def _open(name: str, about: About) -> None:
    """Open a cell on its first claim; close it where it is open."""
    at = _opened(state.selection())
    if at is not None and (at.name, at.about) == (name, about):
        state.update(tutorial="", claim="")
    else:
        state.update(tutorial=name, claim=_claims(name, about)[0].id)


def _of_claim(words: Filled) -> str:
    """Words of a claim in the language in use; what it computed are numbers."""
    from core.learning.study import in_language

    return in_language((words[0], {name: localised(value) for name, value in words[1].items()}))


# -- the table ------------------------------------------------------------------------------------------------


def _heading() -> None:
    verdicts = Counter(claim.holds for name in WRITE_UPS for claim in _claims(name))
    cards.title(
        tr(
            "Five public write-ups, checked: {wrong} of {count} statements are mistakes",
            wrong=verdicts[False],
            count=verdicts.total(),
        ),
        [
            tr(
                "Each was recomputed with this project’s code; {count} cannot be settled by computing",
                count=verdicts[None],
            ),
            ". " + tr("Choose a cell to open its statements, each with the number computed here"),
        ],
    )
    with st.container(key="writeup_head"):
        first, *others = st.columns(WIDTHS, gap="small")
        first.html(f'<p class="atlas-column">{html.escape(tr("Write-up"))}</p>')
        for column, words in zip(others, COLUMNS.values(), strict=True):
            column.html(f'<p class="atlas-column">{html.escape(tr(words))}</p>')


def _row(name: str, opened: Opened | None) -> None:
    """A write-up by what it is, and a cell for each column."""
    write_up = TUTORIALS[name]
    with st.container(key=f"writeup_{name}"):
        first, *others = st.columns(WIDTHS, gap="small")
        first.html(
            f'<h4 class="atlas-writeup"><i>{html.escape(tr(write_up.label))}</i>{html.escape(tr(write_up.title))}</h4>'
        )
        for column, about in zip(others, COLUMNS, strict=True):
            with column:
                is_open = opened is not None and (opened.name, opened.about) == (name, about)
                st.html(f'<p class="atlas-column narrow">{html.escape(tr(COLUMNS[about]))}</p>')
                st.button(
                    _summary(write_up, about),
                    key=f"cell_{about}_{name}",
                    type="primary" if is_open else "secondary",
                    width="stretch",
                    on_click=_open,
                    args=(name, about),
                )


def _summary(write_up: Tutorial, about: About) -> str:
    """What a cell says: how many statements or choices it holds, and the first of them."""
    listed = _claims(write_up.name, about)
    if about == "builds":
        right = sum(claim.holds is True for claim in listed)
        return _label(plural("{count} statement holds", "{count} statements hold", right), tr(write_up.scope))
    if about == "differs":
        differing = _differing(write_up.name)
        count = tr("{count} of {total} choices", count=len(differing), total=len(described("paper")))
        return _label(count, ", ".join([*(tr(aspect) for aspect in differing[:NAMED]), "…"]))
    return _label(plural("{count} mistake", "{count} mistakes", len(listed)), _of_claim(listed[0].finding))


def _label(bold: str, rest: str) -> str:
    """The Markdown of a button: nothing in its words is Markdown."""
    plain = [words.translate(_MARKS) for words in (bold, rest)]
    return f"**{plain[0]}** {plain[1]}"


_MARKS: Final = {ord(mark): f"\\{mark}" for mark in "*_[]`~$<:"}


def _beside(opened: Opened | None) -> None:
    """The paper itself, and what changed since 2017: each opens like a cell."""
    with st.container(key="writeup_beside"):
        columns = st.columns((WIDTHS[0], sum(WIDTHS[1:]) / 2, sum(WIDTHS[1:]) / 2), gap="small")
        columns[0].html(f'<h4 class="atlas-writeup">{html.escape(tr("Also checked"))}</h4>')
        for column, name in zip(columns[1:], BESIDE, strict=True):
            count = plural("{count} statement", "{count} statements", len(_claims(name)))
            column.button(
                _label(tr(TUTORIALS[name].title), count),
                key=f"cell_builds_{name}",
                type="primary" if opened is not None and opened.name == name else "secondary",
                width="stretch",
                on_click=_open,
                args=(name, "builds"),
            )
    if opened is not None and opened.name in BESIDE:
        _cell(opened)


# -- an open cell ---------------------------------------------------------------------------------------------


def _cell(opened: Opened) -> None:
    """The claims of a cell, one of them open, and beside them what else it holds."""
    write_up, listed = TUTORIALS[opened.name], _claims(opened.name, opened.about)
    with st.container(key="writeup_open"):
        _list(write_up, listed, opened.claim)
        if opened.name in BESIDE:
            _choices(write_up)
            _builds(write_up)
        elif opened.about == "differs":
            _choices(write_up)
        elif opened.about == "builds":
            left, right = st.columns([0.72, 1.28], gap="small")
            with left:
                _prints(write_up)
            with right:
                _builds(write_up)


def _list(write_up: Tutorial, listed: Sequence[Claim], chosen: str) -> None:
    """Each claim by what comes out; the chosen one with its numbers."""
    with st.container(key="claim_list"):
        for claim in listed:
            if claim.id == chosen:
                _point(claim, write_up)
                continue
            kind = {True: "right", False: "wrong", None: "open"}[claim.holds]
            st.button(
                _label(SIGNS[claim.holds], _of_claim(claim.finding)),
                key=f"claim_{kind}_{claim.id}",
                type="tertiary",
                width="stretch",
                on_click=state.update,
                kwargs={"claim": claim.id},
            )


def _point(claim: Claim, write_up: Tutorial) -> None:
    """The open claim: what comes out, whether that is right, both numbers, and what else the verdict rests on."""
    verdicts = {
        True: ("right", tr("Right")),
        False: ("wrong", tr("A mistake")),
        None: ("open", tr("Not settled")),
    }
    mark, verdict = verdicts[claim.holds]
    who = {"paper": tr("The paper says:"), "t5": ""}.get(
        write_up.name, tr("{label} says:", label=write_up.label)
    )
    with cards.card("claim", fill=False):
        cards.title(_of_claim(claim.finding))
        st.html(
            f'<p class="atlas-claim"><b class="{mark}">{SIGNS[claim.holds]} {html.escape(verdict)}</b> '
            f"{html.escape(who)} {html.escape(_of_claim(claim.says))}</p>"
        )
        with st.container(horizontal=True, gap="medium", key="claim_numbers"):
            st.html(
                cards.table_html(
                    [
                        (_of_claim(what), localised(theirs), localised(ours))
                        for what, theirs, ours in claim.rows
                    ],
                    ("", tr("as claimed"), tr("computed here")),
                    name="claimed",
                ),
                width="content",
            )
            if claim.grids:
                st.html("".join(_grid(each) for each in claim.grids), width="content")
        _rests_on(claim)


def _rests_on(claim: Claim) -> None:
    """What cannot be computed, the source, and the way to the mistake on a sentence."""
    if claim.beyond:
        cards.quiet(tr(claim.beyond))
    if claim.source[0] or claim.pitfall:
        with st.container(horizontal=True, gap="small", key="claim_links"):
            if claim.pitfall:
                address = state.params_with(pitfall=claim.pitfall)
                st.page_link(
                    PITFALLS,
                    label=tr("See this mistake on a sentence"),
                    query_params=address,
                    width="content",
                )
            if claim.source[0]:
                label, address_of = claim.source
                st.page_link(address_of, label=tr("Source: {name}", name=label), width="content")


def _grid(picture: Grid) -> str:
    """A small map: the darker a cell, the larger its number, which is written where there is room."""
    from core.learning.study import in_language

    roomy = len(picture.columns) <= 6
    head = "".join(f"<th scope=col>{html.escape(each)}</th>" for each in picture.columns)
    rows = []
    for label, values in zip(picture.rows, picture.values, strict=True):
        cells = "".join(
            f'<td style="--share:{100 * value:.0f}%" title="{localised(f"{value:.2f}")}">'
            f"{localised(f'{value:.2f}') if roomy and value else ''}</td>"
            for value in values
        )
        rows.append(f"<tr><th scope=row>{html.escape(label)}</th>{cells}</tr>")
    title = html.escape(in_language(picture.title))
    return (
        f'<table class="atlas-small-map"><caption>{title}</caption><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _builds(write_up: Tutorial) -> None:
    """The architecture, and the small trained model of these choices."""
    mount(
        ANATOMY,
        AnatomyData(
            drawing(write_up.name),
            title=tr("Architecture: {name}", name=tr(write_up.title)),
            subtitle=tr(write_up.scope),
            file=f"anatomy-{write_up.name}",
        ),
        key="anatomy_view",
    )
    entry = next((each for each in checkpoints.entries() if each.name == write_up.name), None)
    if entry is None or entry.problem or not checkpoints.is_tutorial(entry):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="instances"):
        address = state.params_with(checkpoint=entry.name)
        st.page_link(TRANSLATE, label=tr("Open a small trained model"), query_params=address, width="content")
        cards.quiet(tr("{small}; letters, written backwards", small=tr(write_up.small)), width="content")


def _prints(write_up: Tutorial) -> None:
    """The write-up's printout beside what this model gives."""
    from core.learning.printed import printed
    from core.learning.study import in_language

    lines = printed(write_up.name)
    if not lines:
        return
    with cards.card("printed", fill=False):
        signs = {"right": "✓", "mistake": "✗", "chance": "≈"}
        counts = Counter(line.verdict for line in lines)
        by_chance = " · " + tr("{count} by chance", count=counts["chance"]) if counts["chance"] else ""
        verdicts = tr(
            "{right} right, {mistakes} with a mistake", right=counts["right"], mistakes=counts["mistake"]
        )
        cards.title(tr("What it prints, computed here"), verdicts + by_chance)
        cards.table(
            [
                (
                    in_language(line.what) + (f". {in_language(line.note)}" if line.note else ""),
                    line.printed,
                    f"{localised(line.computed)} {signs[line.verdict]}",
                )
                for line in lines
            ],
            ("", tr("printed"), tr("computed")),
            loud=[number for number, line in enumerate(lines) if line.verdict == "mistake"],
            name="shapes",
        )


def _differing(name: str) -> list[str]:
    """The aspects in which a write-up is not as the paper."""
    own, paper = described(name), described("paper")
    return [aspect for aspect in paper if own[aspect] != paper[aspect]]


def _choices(write_up: Tutorial) -> None:
    """The choices that are not the paper's, beside it; the paper's own beside those of all write-ups."""
    own, paper = described(write_up.name), described("paper")
    with cards.card("choices", fill=False):
        if write_up.name == "paper":
            title = tr("What the five write-ups choose differently from the paper")
            cards.title(title)
            st.html(all_choices_html())
            return
        differing = _differing(write_up.name)
        cards.title(
            plural(
                "{count} of {total} choices is not the paper’s",
                "{count} of {total} choices are not the paper’s",
                len(differing),
                total=len(paper),
            )
        )
        rows = [(tr(aspect), own[aspect], paper[aspect]) for aspect in differing]
        st.html(_table(("", tr(write_up.label), tr("the paper")), rows))
        same = ", ".join(f"{tr(aspect)} ({paper[aspect]})" for aspect in paper if aspect not in differing)
        if same:
            cards.quiet(tr("As in the paper: {choices}.", choices=same))


def all_choices_html() -> str:
    """All choices in two tables: the paper's, and the write-ups that choose otherwise, each with what it chooses."""
    own = {name: described(name) for name in TUTORIALS if name != "paper"}
    rows = []
    for aspect, paper in described("paper").items():
        by_choice: dict[str, list[str]] = {}
        for name, theirs in own.items():
            if theirs[aspect] != paper:
                by_choice.setdefault(theirs[aspect], []).append(TUTORIALS[name].label)
        others = " · ".join(
            tr("{name}: {words}", name=", ".join(labels), words=words) for words, labels in by_choice.items()
        )
        rows.append((tr(aspect), others or "–", paper))
    head = ("", tr("write-ups that differ"), tr("the paper"))
    half = len(rows) // 2
    return f'<div class="atlas-halves">{_table(head, rows[:half])}{_table(head, rows[half:])}</div>'


def _table(head: Sequence[str], rows: Sequence[tuple[str, str, str]]) -> str:
    """Rows of an aspect, what a write-up chooses, and what the paper does."""
    above = "".join(f"<th scope=col>{html.escape(words)}</th>" if words else "<td></td>" for words in head)
    body = "".join(
        f'<tr><th scope=row>{html.escape(aspect)}</th><td class="{"differs" if own != "–" else ""}">'
        f"{html.escape(own)}</td><td>{html.escape(paper)}</td></tr>"
        for aspect, own, paper in rows
    )
    return f'<table class="atlas-choices"><thead><tr>{above}</tr></thead><tbody>{body}</tbody></table>'


def choices_csv() -> str:
    """Every choice of every write-up as CSV."""
    descriptions = {name: described(name) for name in TUTORIALS}
    rows = [[aspect, *(own[aspect] for own in descriptions.values())] for aspect in descriptions["paper"]]
    return csv_text(["choice", *(TUTORIALS[name].label for name in descriptions)], rows)


def claims_csv() -> str:
    """Every claim of every write-up as CSV, a line for each number."""
    verdicts = {True: "right", False: "mistake", None: "not settled"}
    rows = [
        [
            TUTORIALS[name].label,
            claim.about,
            claim.id,
            verdicts[claim.holds],
            _of_claim(claim.finding),
            *numbers,
        ]
        for name in TUTORIALS
        for claim in _claims(name)
        for numbers in ([_of_claim(what), theirs, ours] for what, theirs, ours in claim.rows)
    ]
    head = ["write-up", "column", "claim", "verdict", "finding", "number", "claimed", "computed"]
    return csv_text(head, rows)
