"""The pages and the links between them: the sidebar, and the map strip (source → encoder → memory → decoder and
cross-attention → next word).
"""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal, get_args

import streamlit as st

from core.analysis.readout import how_many
from core.errors import AtlasError
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION
from ui.app import frame
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints, models
from ui.shared.context import CheckpointView
from ui.shared.entry import Entry
from ui.shared.mount import View, mount
from ui.style import screen_text
from ui.style.theme import KINDS

StripBlock = Literal["source", "encoder", "memory", "decoder", "cross", "next"]
BLOCKS: tuple[StripBlock, ...] = get_args(StripBlock)

WHERE: dict[StripBlock, str] = {
    "source": "The sentence and its tokens",
    "encoder": ATTENTION["encoder"].title.capitalize(),
    "memory": "What the encoder hands to the decoder",
    "decoder": ATTENTION["causal"].title.capitalize(),
    "cross": f"{ATTENTION['cross'].title.capitalize()}: the decoder reads the memory",
    "next": "The distribution over the next word",
}


@cache
def early_code() -> str:
    """The file name of Streamlit's Plotly chunk; empty if Streamlit keeps it elsewhere."""
    import streamlit

    files = sorted((Path(streamlit.__file__).parent / "static" / "static" / "js").glob("PlotlyChart.*.js"))
    return files[0].name if files else ""


@dataclass(frozen=True)
class MapBlock:
    """A block of the strip: its name, one fact, and where a click leads."""

    title: str
    fact: str
    where: str


@dataclass(frozen=True)
class MapData:
    """The strip: its blocks, and those in view.

    `about` names sentence and checkpoint for pictures that leave the page; `early` is the address of what later pages draw
    with, to be fetched when the browser has nothing to do.
    """

    blocks: Mapping[StripBlock, MapBlock]
    lit: Sequence[StripBlock]
    about: str
    early: str


ARCHITECTURE = View("architecture", MapData, picked=StripBlock)


def map_data(
    config: ModelConfig, source_tokens: int | None = None, lit: Collection[StripBlock] = (), about: str = ""
) -> MapData:
    """A model's sizes in words, with `lit` filled. `source_tokens` None: no sentence is in hand."""
    tokens, memory = "a sentence", f"{config.d_model} wide"
    if source_tokens is not None:
        tokens = how_many(source_tokens, "token")
        memory = f"{source_tokens} × {config.d_model}"
    words: dict[StripBlock, tuple[str, str]] = {
        "source": ("source", tokens),
        "encoder": (f"encoder × {config.encoder_layers}", "self-attention · ffn"),
        "memory": ("memory", memory),
        "decoder": (f"decoder × {config.decoder_layers}", "self-attention (causal)"),
        "cross": ("cross-attention", "reads memory"),
        "next": ("next word", f"softmax over {config.target_vocab_size:,}"),
    }
    blocks = {name: MapBlock(title, fact, WHERE[name]) for name, (title, fact) in words.items()}
    return MapData(blocks, [name for name in BLOCKS if name in lit], about, early_code())


PAGES: Final = {
    "Translate": {"translate": ("pages/translate.py", "Step the decoder")},
    "Look": {
        "attention": ("pages/attention.py", "Attention"),
        "compare": ("pages/compare.py", "Compare"),
        "positions": ("pages/positions.py", "Positions"),
        "layer_norm": ("pages/layer_norm.py", "Layer norm"),
    },
    "Inspect": {
        "heads": ("pages/heads.py", "Heads"),
        "what_if": ("pages/what_if.py", "What if"),
        "lenses": ("pages/lenses.py", "Lenses"),
        "alignment": ("pages/alignment.py", "Alignment"),
        "checkpoints": ("pages/checkpoints.py", "Checkpoints"),
    },
    "Learn": {
        "lessons": ("pages/lessons.py", "Lessons"),
        "inside": ("pages/inside.py", "Inside a head"),
        "tutorials": ("pages/tutorials.py", "Tutorials"),
        "pitfalls": ("pages/pitfalls.py", "Pitfalls"),
        "learning": ("pages/learning.py", "Watch it learn"),
    },
}
FRONT: Final = "translate"
"""The page at the address of the app itself."""
ABOUT_A_DECODE: Final = (
    *("attention", "compare", "positions", "layer_norm"),
    *("what_if", "lenses", "alignment", "inside", "pitfalls"),
)
_DESTINATIONS: Final[dict[StripBlock, tuple[str, dict[str, str]]]] = {
    "source": ("positions", {}),
    "encoder": ("attention", {"kind": "encoder"}),
    "decoder": ("attention", {"kind": "causal"}),
    "cross": ("attention", {"kind": "cross"}),
    "next": ("translate", {}),
}


KIND_LABELS: Final = {**{key: kind.label for key, kind in ATTENTION.items()}, "joint": "joint"}
_ONE_KIND: Final = (
    "compare",
    "what_if",
    "heads",
    "inside",
    "learning",
)  # pages about one map: the joint view has none of its own


def kind_pills(page: str, selection: Selection) -> None:
    """Which kind of attention a page draws, or all of them joined; nothing on pages that draw none."""
    if page == "attention":
        labels, bound = KIND_LABELS, state.bind("kind")
    elif page in _ONE_KIND:
        labels = {kind: KIND_LABELS[kind] for kind in KINDS}
        bound = state.bind("kind", shown=cards.kind_of(selection.kind))
    else:
        return
    with st.container(key="kinds", width="content"):
        cards.choice("kind", labels, bound)


def lit(page: str, selection: Selection) -> tuple[StripBlock, ...]:
    """The blocks that a page is about."""
    if page == "attention" or page in _ONE_KIND:
        chosen: dict[str, tuple[StripBlock, ...]] = {"encoder": ("encoder",), "causal": ("decoder",)}
        joint: tuple[StripBlock, ...] = ("encoder", "decoder", "cross") if page == "attention" else ("cross",)
        return chosen.get(selection.kind, joint if selection.kind == "joint" else ("cross",))
    if page == "layer_norm":
        return ("decoder",) if selection.token.startswith("t") else ("memory",)
    pages: dict[str, tuple[StripBlock, ...]] = {
        "translate": ("cross", "next"),
        "positions": ("source",),
        "lenses": ("decoder", "next"),
        "alignment": ("cross",),
    }
    return pages.get(page, ())


def strip(page: str, shown: CheckpointView) -> None:
    """The map of the model at the top of a page; a click moves to that block's view.

    Streamlit clears what a page has drawn when the next one is opened: call this outside of the page, so that the strip
    keeps its place.
    """
    of_none = page in ("checkpoints", "lessons", "tutorials")
    decode = None if of_none else frame.without_waiting(shown)
    tokens = None if of_none else len(decode.trace.source_ids) if decode else frame.source_tokens(shown)
    text = decode.source_text if decode else shown.text
    about = " · ".join((f"“{text}”", shown.entry.name) if tokens is not None else (shown.entry.name,))
    drawn = map_data(shown.entry.config, tokens, lit(page, shown.selection), about)
    picked: StripBlock | None = mount(ARCHITECTURE, drawn, key="architecture_map")("picked")
    if picked is not None:
        name, changes = _memory(shown) if picked == "memory" else _DESTINATIONS[picked]
        state.update(**changes)
        st.switch_page(path_of(name), query_params=state.link_params())


def path_of(name: str) -> str:
    """The file of a page."""
    return {key: path for pages in PAGES.values() for key, (path, _) in pages.items()}[name]


def _memory(shown: CheckpointView) -> tuple[str, dict[str, str]]:
    """Link target for the memory: the encoder's last norm, at the selected source token if there is one."""
    from core.analysis.norms import norm_sites  # imports pandas, so only when needed

    last = [site for site in norm_sites(shown.entry.config) if site.stack == "encoder"][-1]
    token = state.selection().token
    return "layer_norm", {
        "norm_site": ".".join(map(str, last)),
        "token": token if token.startswith("s") else "",
    }


def page_links() -> None:
    """A link to every page, with the selection in force."""
    params = state.link_params()
    with st.container(key="pages"):
        for section, pages in PAGES.items():
            st.html(f'<p class="atlas-section">{section}</p>')
            for path, label in pages.values():
                st.page_link(path, label=label, query_params=params, width="stretch")


def sidebar() -> None:
    """Brand, checkpoint card, pages, device and trust."""
    with st.sidebar:
        st.html(
            '<p class="atlas-brand">Attention Atlas</p><p class="atlas-quiet">encoder-decoder microscope</p>'
        )
        entry = _checkpoint_card()
        page_links()
        with st.container(key="status"):
            if entry is not None:
                _status(entry)
            st.toggle("Presenter size", **state.bind("presenter"))


def _checkpoint_card() -> Entry | None:
    listed = checkpoints.entries()
    try:
        entry, _ = checkpoints.find(state.selection().checkpoint)
    except AtlasError:
        return None
    names = [each.name for each in listed]
    label = f"checkpoint · {screen_text.label(entry.languages)}" if entry.languages else "checkpoint"
    with cards.card("checkpoint"):
        if len(names) > 1:
            chosen = state.bind("checkpoint", shown=entry.name)
            st.selectbox(label, names, **chosen)
        else:
            st.html(
                f'<p class="atlas-quiet">checkpoint</p><p class="atlas-title">{html.escape(entry.name)}</p>'
            )
        cards.quiet(entry.size_line)
    return entry


def _status(entry: Entry) -> None:
    if models.failure(entry, state.device()):
        st.html(
            '<p class="atlas-quiet"><i class="atlas-status-dot waiting"></i>the model cannot be loaded</p>'
        )
        return
    waiting = models.device_line(entry, state.device()) is None or models.trust(entry) is None
    st.fragment(_badge, run_every=1.5 if waiting else None)(entry, waiting)


def _badge(entry: Entry, waiting: bool) -> None:
    """What computes and whether its checks pass; looks again until both are known."""
    line, report = models.device_line(entry, state.device()), models.trust(entry)
    if waiting and (models.failure(entry, state.device()) or (line and report)):
        st.rerun(scope="app")
    if waiting:
        models.preload(entry, state.device())  # on its way, if nothing went wrong
    if line is None:
        st.html('<p class="atlas-quiet"><i class="atlas-status-dot waiting"></i>the model is loading</p>')
        return
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="trust"):
        cards.status(f"{line.name} · {line.precision}")
        if report is not None:
            held = sum(check.passed for check in report.checks)
            with st.popover(
                f"trust {held}/{len(report.checks)} {'✓' if report.passed else '✗'}", type="tertiary"
            ):
                cards.title(
                    "What this model was checked for", "on its own example sentences, when it was loaded"
                )
                checks = [
                    f"{'✓' if check.passed else '✗'} {check.sentence} (largest deviation {check.value:.1g})"
                    for check in report.checks
                ]
                cards.lines([*checks, report.meaning])
    if len(line.choices) > 1:
        st.segmented_control(
            "device", line.choices, label_visibility="collapsed", **state.bind_device(line.name)
        )
