"""The page Tutorials: a claim of a write-up recomputed, its choices beside the paper's, its printout and its small models.

The Transformer is drawn as boxes in the browser, with choices that differ from the paper marked.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from core.errors import AtlasError
from core.language import localised, message, numeral, plural, tr
from core.learning.mistakes import IDS, mistake
from core.learning.tutorials import TUTORIALS, Column, Tutorial, described, drawing, preset
from ui import uploads
from ui.export import menu
from ui.export.files import csv_text
from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.shared import cards, checkpoints
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView
from ui.shared.mount import View, mount, theme_watch
from ui.style import screen_text
from ui.web.contract import derive, file_stem

if TYPE_CHECKING:
    from core.learning.printed import Claim
    from core.learning.study import Filled

SEED = 1


def trained(name: str) -> Entry | None:
    """The shipped small version; None if it is missing or unreadable."""
    entry = next((each for each in checkpoints.entries() if each.name == name), None)
    return entry if entry and not entry.problem and checkpoints.is_tutorial(entry) else None


def make_random(name: str) -> str:
    """A checkpoint of random weights of the small version, which this session alone sees; returns its name in the list.

    Raises `AtlasError`, or `OSError` where there is no room.
    """
    folder = uploads.new_folder()
    try:
        _write(folder / "checkpoint", name)
    except (AtlasError, OSError):
        uploads.remove_folder(folder)
        raise
    own = uploads.free_name(f"{name}-random", [each.name for each in checkpoints.entries()])
    state.add_imported(own, folder / "checkpoint")
    return own


def _write(folder: Path, name: str) -> None:
    import torch

    from core.checkpoints.bundle import save
    from core.model.transformer import Transformer
    from core.training.cli import RECIPES
    from core.training.config import load_config
    from core.training.prepared import build_tokenizers, model_config

    recipe = load_config(RECIPES / f"{name}.toml")
    source, target = build_tokenizers(recipe, [])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        model = Transformer(model_config(recipe, source, target))
    card = {
        "name": f"{name}, random weights",
        "description": "The same small version with the weights it starts from: nothing is learnt.",
        "source_language": recipe.data.source_language,
        "target_language": recipe.data.target_language,
        "examples": [{"source": text} for text in recipe.examples],
    }
    save(folder, model, source, target, card)


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
COMPARE: Final = "pages/compare.py"
PITFALLS: Final = "pages/pitfalls.py"
OPENS: Final = "tutorial-b"
"""The write-up that the page opens on: its mistake can be checked in the head."""
MORE: Final = message(
    "Each write-up is a configuration of this project’s model: correct Transformer mathematics with that write-up’s choices. "
    "Its mistakes are not part of it; the page Mistakes shows them one at a time. The trained small versions keep the "
    "formulas and reduce the sizes; what else differs is said above each. All of them learn the same task: letters from a to j, written "
    "backwards. So their heads can be compared on one input. A to E stand for five public write-ups."
)


def views(shown: CheckpointView) -> None:
    """One write-up: a claim recomputed, its choices beside the paper's, its architecture, and all else it says."""
    cards.style(__file__, "learn.css")
    chosen = TUTORIALS[shown.selection.tutorial or OPENS]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="tutorial_head"):
        cards.choice(
            tr("Write-up"),
            {name: tr(each.label) for name, each in TUTORIALS.items()},
            state.bind("tutorial", shown=chosen.name),
        )
        listed = _claims(shown, chosen)
        point = next((each for each in listed if each.id == shown.selection.claim), listed[0])
        _claim_picker(listed, point)
    _point(point, chosen)
    _choices(chosen)
    left, right = st.columns([1.5, 1], gap="small")
    with left:
        mount(
            ANATOMY,
            AnatomyData(
                drawing(chosen.name),
                title=tr(chosen.title),
                subtitle=tr(chosen.scope),
                file=f"anatomy-{chosen.name}",
            ),
            key="anatomy_view",
        )
    with right:
        _others([each for each in listed if each is not point], chosen)
        _mistakes(chosen)
        _prints(chosen)
        _open(chosen)
    _config(chosen)
    with cards.explain(
        tr("Five “from scratch” write-ups, the paper and T5, as configurations of one model."),
        tr("Orange marks a choice that is not the paper’s. Mistakes are listed separately."),
        tr(MORE),
        name="tutorials",
    ):
        menu.tables([(tr("CSV of all choices"), "tutorials-choices.csv", choices_csv)])
    theme_watch()


def _claims(shown: CheckpointView, chosen: Tutorial) -> tuple[Claim, ...]:
    """The write-up's claims; one of A's needs its trained model."""
    from core.learning.claims import claims

    entry = trained(chosen.name) if chosen.label == "A" else None
    loaded = None
    if entry is not None:
        with suppress(AtlasError):
            loaded = CheckpointView(entry, Selection(checkpoint=entry.name), shown.device).load()
    return claims(chosen.name, loaded)


def _claim_picker(listed: Sequence[Claim], point: Claim) -> None:
    """A menu of all claims by what comes out; the one chosen opens the page, and is in the link."""
    names = {each.id: f"{'✓' if each.holds else '✗'} {_of_claim(each.finding)}" for each in listed}
    cards.listing(tr("Claim"), names, state.bind("claim", shown=point.id))


def _of_claim(words: Filled) -> str:
    """Words of a claim in the language in use; what it computed are numbers."""
    from core.learning.study import in_language

    return in_language((words[0], {name: localised(value) for name, value in words[1].items()}))


def _point(claim: Claim, chosen: Tutorial) -> None:
    """The claim that the page opens on: what comes out, whether that is right, and both numbers."""

    with cards.card("claim"):
        cards.title(_of_claim(claim.finding))
        verdict = tr("Right") if claim.holds else tr("A mistake")
        mark = "right" if claim.holds else "wrong"
        who = {"paper": tr("The paper says:"), "t5": ""}.get(
            chosen.name, tr("{label} says:", label=chosen.label)
        )
        st.html(
            f'<p class="atlas-claim"><b class="{mark}">{"✓" if claim.holds else "✗"} {html.escape(verdict)}</b> '
            f"{html.escape(who)} {html.escape(_of_claim(claim.says))}</p>"
        )
        cards.table(
            [(_of_claim(what), localised(theirs), localised(ours)) for what, theirs, ours in claim.rows],
            ("", tr("as claimed"), tr("computed here")),
            name="claimed",
        )


def _others(claims: Sequence[Claim], chosen: Tutorial) -> None:
    """What else the write-up says, each with what comes out."""

    with cards.card("claims", fill=False):
        right = sum(claim.holds for claim in claims)
        cards.title(
            tr("What else changed, computed here")
            if chosen.name == "t5"
            else tr("What else it says, computed here"),
            tr("{right} of {count} right", right=right, count=len(claims)),
        )
        lines = "".join(
            f'<li class="{"right" if claim.holds else "chosen"}"><i>{"✓" if claim.holds else "✗"}</i>'
            f"<div><b>{html.escape(_of_claim(claim.finding))}</b><p>{html.escape(_of_claim(claim.says))}</p></div></li>"
            for claim in claims
        )
        st.html(f'<ol class="atlas-answers">{lines}</ol>')


def _open(chosen: Tutorial) -> None:
    """Its small version, trained and random."""
    with cards.card("instances", fill=False):
        small = tr("{small}; letters, written backwards", small=tr(chosen.small))
        cards.title(tr("Open a small one"), small)
        entry = trained(chosen.name)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="instances"):
            if entry is not None:
                _link(TRANSLATE, tr("Open the trained one"), checkpoint=entry.name)
            st.button(tr("Make a random one"), key="make_random", on_click=_random, args=(chosen.name,))
            if shown_random := state.selection().checkpoint.startswith(f"{chosen.name}-random"):
                _link(TRANSLATE, tr("Open the random one"))
        if shown_random:
            name = state.selection().checkpoint
            cards.status(tr("{name} is in use, on every page, for this session", name=name))
        if entry is None:
            cards.quiet(tr("No trained one is shipped of this write-up."))
            return
        cards.quiet(tr("trained: {size}", size=f"{entry.size_line}{_exact(entry.usable.card)}"))
        others = [
            each for name, each in TUTORIALS.items() if name != chosen.name and trained(name) is not None
        ]
        if others:
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key="beside"):
                cards.quiet(tr("Compare its heads with those of"), width="content")
                for other in others:
                    _link(
                        COMPARE,
                        tr(other.label),
                        checkpoint=entry.name,
                        versus="checkpoint",
                        other_checkpoint=other.name,
                        layer=MEAN,  # not all of them have the same heads
                        head=MEAN,
                    )


def _link(page: str, label: str, **changes: object) -> None:
    """A way to a page with the selection changed."""
    st.page_link(page, label=label, query_params=state.params_with(**changes), width="content")


def _random(name: str) -> None:
    """Make random weights the checkpoint in use."""
    try:
        state.update(checkpoint=make_random(name))
    except (AtlasError, OSError) as error:
        st.toast(screen_text.sentence(error))


def _exact(card: object) -> str:
    """The exact-match figure on unseen words from its card: ` · 99.9 % of unseen words right`."""
    quality: object = card
    for name in ("figures", "quality"):
        quality = quality.get(name) if isinstance(quality, dict) else None
    for name, scores in (quality or {}).items() if isinstance(quality, dict) else ():
        exact = scores.get("exact") if isinstance(scores, dict) else None
        if "test" in str(name) and isinstance(exact, (int, float)):
            return " · " + tr("{share} % of unseen words right", share=numeral(exact, ".1f"))
    return ""


def _prints(chosen: Tutorial) -> None:
    """The write-up's printout beside what this model gives."""
    from core.learning.printed import printed
    from core.learning.study import in_language

    lines = printed(chosen.name)
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


def _mistakes(chosen: Tutorial) -> None:
    """Its pitfalls, each a way to it, and what keeps its code from running."""
    if not chosen.pitfalls and not chosen.stops:
        return
    with cards.card("mistakes", fill=False):
        cards.title(tr("Its mistakes"), tr("Each opens beside the correct model"))
        with st.container(horizontal=True, gap="small", key="mistakes"):
            for name in sorted(chosen.pitfalls, key=IDS.index):
                _link(PITFALLS, tr(mistake(name).title), pitfall=name)
        if chosen.stops:
            listed = "".join(f"<li>{html.escape(tr(each))}</li>" for each in chosen.stops)
            title = html.escape(tr("What stops or disarms the code as written"))
            st.html(f'<p class="atlas-quiet">{title}</p><ul class="atlas-stops">{listed}</ul>')


def _choices(chosen: Tutorial) -> None:
    """The choices that are not the paper's, beside it; the paper's own beside those of all write-ups."""
    own, paper = described(chosen.name), described("paper")
    with cards.card("choices"):
        if chosen.name == "paper":
            title = tr("What the five write-ups choose differently from the paper")
            cards.title(title)
            st.html(all_choices_html())
            return
        differing = [aspect for aspect in paper if own[aspect] != paper[aspect]]
        cards.title(
            plural(
                "{count} of {total} choices is not the paper’s",
                "{count} of {total} choices are not the paper’s",
                len(differing),
                total=len(paper),
            )
        )
        rows = [(tr(aspect), own[aspect], paper[aspect]) for aspect in differing]
        st.html(_table(("", chosen.label, tr("the paper")), rows))
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
        others = " · ".join(f"{', '.join(labels)}: {words}" for words, labels in by_choice.items())
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


def _config(chosen: Tutorial) -> None:
    """The configuration as code has it, beside the paper's."""
    own, theirs = preset(chosen.name).to_json(), preset("paper").to_json()
    with st.expander(f"`ModelConfig.preset({chosen.name!r})`"):
        head = (tr("option"), tr(chosen.label), tr("preset of the paper"))
        above = "".join(f"<th scope=col>{html.escape(words)}</th>" for words in head)
        rows = "".join(
            f"<tr{' class=loud' if own[name] != theirs[name] else ''}>"
            + "".join(
                f"<td><code>{html.escape(str(each))}</code></td>" for each in (name, own[name], theirs[name])
            )
            + "</tr>"
            for name in own
        )
        st.html(
            f'<div class="atlas-scroll" tabindex="0"><table class="atlas-config"><thead><tr>{above}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )
