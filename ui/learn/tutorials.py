"""The Tutorials page: each write-up's choices, drawn and compared, its output, and its small models.

The Transformer is drawn as boxes in the browser, with choices that differ from the paper marked.
"""

from __future__ import annotations

import html
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Final

import streamlit as st

from core.errors import AtlasError
from core.learning.mistakes import IDS, mistake
from core.learning.tutorials import TUTORIALS, Column, Tutorial, described, drawing, preset
from core.model.config import ModelConfig
from ui.export import menu
from ui.export.files import csv_text
from ui.session import state
from ui.session.selection import MEAN
from ui.shared import cards, checkpoints, tables
from ui.shared.checks import file_stem
from ui.shared.context import CheckpointView
from ui.shared.entry import Entry
from ui.shared.mount import View, mount, theme_watch
from ui.style import screen_text
from ui.uploads import gate, policy
from ui.web.contract import derive

SEED = 1
_CHOICES: Final = "Every choice, side by side"


def trained(name: str) -> Entry | None:
    """The shipped small version; None if it is missing or unreadable."""
    entry = next((each for each in checkpoints.entries() if each.name == name), None)
    return entry if entry and not entry.problem and checkpoints.is_tutorial(entry) else None


def make_random(name: str) -> str:
    """A checkpoint of random weights of the small version, which this session alone sees; returns its name in the list.

    Raises `AtlasError`, or `OSError` where there is no room.
    """
    folder = gate.new_folder()
    try:
        _write(folder / "checkpoint", name)
    except (AtlasError, OSError):
        gate.remove_folder(folder)
        raise
    own = policy.free_name(f"{name}-random", [each.name for each in checkpoints.entries()])
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
MORE: Final = (
    "Each write-up is a configuration of this project’s model: correct Transformer mathematics with that write-up’s choices. "
    "Its mistakes are not part of it; they are on the Pitfalls page, one at a time. The trained small versions keep the "
    "formulas and reduce the sizes; what else differs is said above each. All of them learn the same task, letters from a to j written backwards, so that their "
    "heads can be compared on one input. Names: A to E stand for five public write-ups."
)


def views(shown: CheckpointView) -> None:
    """One write-up, then all of them side by side."""
    st.html(f"<style>{Path(__file__).with_name('learn.css').read_text('utf-8')}</style>")
    chosen = TUTORIALS[shown.selection.tutorial or "paper"]
    config, paper = preset(chosen.name), preset("paper")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="tutorial_head"):
        cards.choice(
            "tutorial",
            {name: each.label for name, each in TUTORIALS.items()},
            state.bind("tutorial", shown=chosen.name),
        )
    left, right = st.columns([1.5, 1], gap="small")
    with left:
        mount(
            ANATOMY,
            AnatomyData(
                drawing(chosen.name),
                title=chosen.title[:1].upper() + chosen.title[1:],
                subtitle=chosen.scope,
                file=f"anatomy-{chosen.name}",
            ),
            key="anatomy_view",
        )
    with right:
        _open(chosen)
        _prints(chosen)
        _mistakes(chosen)
    _side_by_side(chosen)
    _config(chosen, config, paper)
    with cards.explain(
        "Five “from scratch” write-ups and the paper, as configurations of one model.",
        "What they chose differently is no mistake; what went wrong is told apart from it.",
        MORE,
        name="tutorials",
    ):
        menu.tables([("CSV of all choices", "tutorials-choices.csv", choices_csv)])
    theme_watch()


def _open(chosen: Tutorial) -> None:
    """Its small version, trained and random."""
    with cards.card("instances", fill=False):
        cards.title("Look into a small one", f"{chosen.small}; letters, written backwards")
        entry = trained(chosen.name)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="instances"):
            if entry is not None:
                _link(TRANSLATE, "open the trained one", checkpoint=entry.name)
            st.button("make a random one", key="make_random", on_click=_random, args=(chosen.name,))
            if shown_random := state.selection().checkpoint.startswith(f"{chosen.name}-random"):
                _link(TRANSLATE, "open the random one")
        if shown_random:
            cards.status(f"{state.selection().checkpoint} is in use, on every page, for this session")
        if entry is None:
            cards.quiet("No trained one is shipped of this write-up.")
            return
        cards.quiet(f"trained: {entry.size_line}{_exact(entry.usable.card)}")
        others = [
            each for name, each in TUTORIALS.items() if name != chosen.name and trained(name) is not None
        ]
        if others:
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key="beside"):
                cards.quiet("its heads beside those of", width="content")
                for other in others:
                    _link(
                        COMPARE,
                        other.label,
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
            return f" · {exact:.1f} % of unseen words right"
    return ""


def _prints(chosen: Tutorial) -> None:
    """The write-up's printout beside what this model gives."""
    from core.learning.printed import printed

    lines = printed(chosen.name)
    if not lines:
        return
    with cards.card("printed", fill=False):
        right = sum(line.agrees for line in lines)
        cards.title("What it prints, computed here", f"{right} of {len(lines)} the same")
        tables.table(
            [(line.what, line.printed, f"{line.computed} {'✓' if line.agrees else '✗'}") for line in lines],
            ("", "printed", "computed"),
            name="shapes",
        )


def _mistakes(chosen: Tutorial) -> None:
    """Its pitfalls, each a way to it, and what keeps its code from running."""
    if not chosen.pitfalls and not chosen.stops:
        return
    with cards.card("mistakes", fill=False):
        cards.title("What went wrong in it", "each opens on the Pitfalls page")
        with st.container(horizontal=True, gap="small", key="mistakes"):
            for name in sorted(chosen.pitfalls, key=IDS.index):
                _link(PITFALLS, mistake(name).title, pitfall=name, spot=False)
        if chosen.stops:
            listed = "".join(f"<li>{html.escape(each)}</li>" for each in chosen.stops)
            st.html(
                f'<p class="atlas-quiet">What stops or disarms the code as written</p><ul class="atlas-stops">{listed}</ul>'
            )


def _side_by_side(chosen: Tutorial) -> None:
    with cards.card("choices"):
        cards.title(_CHOICES, "marked where it is not the paper’s")
        st.html(choices_html(chosen.name))


def choices_html(chosen: str) -> str:
    """The table of choices: one row per aspect, one column per write-up; differences from the paper are marked."""
    descriptions = {name: described(name) for name in TUTORIALS}
    head = "".join(
        f"<th scope=col{' class=chosen' if name == chosen else ''}>{html.escape(TUTORIALS[name].label)}</th>"
        for name in descriptions
    )
    rows = []
    for aspect, theirs in descriptions["paper"].items():
        cells = []
        for name, own in descriptions.items():
            classes = " ".join(
                word for word, on in (("differs", own[aspect] != theirs), ("chosen", name == chosen)) if on
            )
            cells.append(f'<td class="{classes}">{html.escape(own[aspect])}</td>')
        rows.append(f"<tr><th scope=row>{html.escape(aspect)}</th>{''.join(cells)}</tr>")
    focus = f'tabindex="0" role="region" aria-label="{html.escape(_CHOICES)}"'
    return f'<div class="atlas-scroll" {focus}><table class="atlas-choices"><thead><tr><th></th>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def choices_csv() -> str:
    """The same table as CSV."""
    descriptions = {name: described(name) for name in TUTORIALS}
    rows = [[aspect, *(own[aspect] for own in descriptions.values())] for aspect in descriptions["paper"]]
    return csv_text(["choice", *(TUTORIALS[name].label for name in descriptions)], rows)


def _config(chosen: Tutorial, config: ModelConfig, paper: ModelConfig) -> None:
    with st.expander(f"ModelConfig.preset({chosen.name!r})"):
        own, theirs = config.to_json(), paper.to_json()
        names = list(own)
        tables.table(
            [(name, str(own[name]), str(theirs[name])) for name in names],
            ("option", chosen.label, "preset of the paper"),
            loud=[row for row, name in enumerate(names) if own[name] != theirs[name]],
            name="config",
        )
