"""The seven places of the app in the order of their questions, and the ways between them: tabs, the sidebar, and the map
strip (source → encoder → memory → decoder and cross-attention → next word).
"""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache
from typing import Any, Final, Literal, get_args

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from core.analysis.readout import capitalised, how_many, quoted
from core.errors import AtlasError
from core.language import SOURCE, language, languages, message, numeral, tr
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, attention_of
from ui.app import frame
from ui.app.assets import chart_code
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints, models
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import pinned
from ui.shared.mount import View, mount
from ui.style import screen_text
from ui.style.theme import KINDS

Changes = Mapping[str, Any]
StripBlock = Literal["source", "encoder", "memory", "decoder", "cross", "next"]
Lit = Callable[[Selection], tuple[StripBlock, ...]]


def _always(*blocks: StripBlock) -> Lit:
    return lambda selection: blocks


def _kind(selection: Selection) -> tuple[StripBlock, ...]:
    """The block of the kind of attention in view; cross-attention where a page has no joint view."""
    blocks: dict[str, tuple[StripBlock, ...]] = {"encoder": ("encoder",), "causal": ("decoder",)}
    return blocks.get(selection.kind, ("cross",))


def _kinds(selection: Selection) -> tuple[StripBlock, ...]:
    return ("encoder", "decoder", "cross") if selection.kind == "joint" else _kind(selection)


def _token(selection: Selection) -> tuple[StripBlock, ...]:
    return ("decoder",) if selection.token.startswith("t") else ("memory",)


@dataclass(frozen=True)
class Tab:
    """A tab of a place: its page in `pages/`, its title, and what the page is about.

    Several tabs can share a page: `is_open` then says for which selections a tab is the one in view, and `opening` has the
    fields of the selection that its link sets; the other fields are those of the first such tab.
    """

    page: str
    title: str
    lit: Lit = field(default=_always())
    """The blocks of the strip that the page is about."""
    _: KW_ONLY
    of_sentence: bool = True
    """Whether the page is about one sentence; else the strip names the model alone."""
    is_open: Callable[[Selection], bool] = field(default=lambda selection: True)
    opening: Callable[[Selection], Changes] = field(default=lambda selection: {})

    @property
    def path(self) -> str:
        """Its file, as Streamlit names it."""
        return f"pages/{self.page}.py"


@dataclass(frozen=True)
class Place:
    """A place: its title, the question it answers, and its tabs, the first of which it opens on."""

    name: str
    title: str
    question: str
    tabs: tuple[Tab, ...]

    def tab(self, page: str, selection: Selection) -> Tab:
        """The tab in view on one of its pages; its first one for pages of other places."""
        fitting = [each for each in self.tabs if each.page == page]
        return next((each for each in fitting if each.is_open(selection)), [*fitting, self.tabs[0]][0])


def _desk(name: str, title: str) -> Tab:
    return Tab(
        "checkpoints",
        title,
        of_sentence=False,
        is_open=lambda selection: selection.desk == name,
        opening=lambda selection: {"desk": name},
    )


PLACES: Final = (
    Place(
        "translate",
        message("Translate"),
        message("How does it write a sentence?"),
        (Tab("translate", message("Step by step"), _always("cross", "next")),),
    ),
    Place(
        "attention",
        message("Attention"),
        message("Where do heads look?"),
        (
            Tab(
                "attention",
                message("All heads"),
                _kinds,
                is_open=lambda selection: selection.kind != "joint",
                opening=lambda selection: {"kind": "cross"} if selection.kind == "joint" else {},
            ),
            Tab(
                "attention",
                message("Joint"),
                is_open=lambda selection: selection.kind == "joint",
                opening=lambda selection: {"kind": "joint"},
            ),
            Tab("compare", message("Compare"), _kind),
        ),
    ),
    Place(
        "heads",
        message("Heads"),
        message("What is each head for?"),
        (
            Tab("heads", message("Roles"), _kind),
            Tab("importance", message("Importance"), _kind),
            Tab("alignment", message("Alignment"), _always("cross")),
        ),
    ),
    Place(
        "what_if",
        message("What if"),
        message("Does it matter?"),
        (
            Tab("what_if", message("Ablate"), _kind),
            Tab("why", message("Why this word")),
            Tab("carry", message("Carry over"), _always("encoder", "decoder", "cross"), of_sentence=False),
        ),
    ),
    Place(
        "inside",
        message("Inside"),
        message("How is it computed?"),
        (
            Tab("inside", message("One head"), _kind),
            Tab("positions", message("Positions"), _always("source")),
            Tab("layer_norm", message("Norms and stream"), _token),
            Tab("lenses", message("Lenses"), _always("decoder", "next")),
            Tab("cost", message("Cost")),
        ),
    ),
    Place(
        "learn",
        message("Learn"),
        message("Teach me"),
        (
            Tab("lessons", message("Lessons"), of_sentence=False),
            Tab("pitfalls", message("Mistakes")),
            Tab("tutorials", message("Tutorials"), of_sentence=False),
            Tab("learning", message("Watch it learn"), of_sentence=False),
        ),
    ),
    Place(
        "models",
        message("Models"),
        message("Which model?"),
        (
            _desk("gallery", message("Gallery")),
            _desk("inspect", message("Inspect")),
            _desk("import", message("Import")),
        ),
    ),
)
FRONT: Final = "translate"
"""The page at the address of the app itself."""
ALIASES: Final = {"translate": FRONT, "models": "checkpoints"}
"""Addresses that lead to a page of another name."""
PAGES: Final = {tab.page: tab for each in reversed(PLACES) for tab in reversed(each.tabs)}
"""The first tab of each page; the names are those of old links too."""


@cache
def _pages(_language: str) -> Mapping[str, StreamlitPage]:
    """Every page, then every alias, as Streamlit knows it, by the name in its address; made once a language.

    Streamlit looks for the file of each page that is made, twenty in every run.
    """
    made = {
        # Streamlit serves the default page at the app's own address, and reserves its name for nothing.
        (path := "front" if name == FRONT else name): st.Page(
            tab.path, title=tr(tab.title), url_path=path, default=name == FRONT
        )
        for name, tab in PAGES.items()
    }
    # A visit to an alias goes on to its page (app.py), so there is nothing to run.
    return made | {name: st.Page(lambda: None, title=name, url_path=name) for name in ALIASES}


def pages() -> list[StreamlitPage]:
    """Every page and alias, for one run: Streamlit marks in them which one it runs."""
    return [copy(each) for each in _pages(language()).values()]


def _link(page: str) -> StreamlitPage:
    """A page as the target of a link."""
    return _pages(language())["front" if page == FRONT else page]


def place_of(page: str) -> Place:
    """The place that a page belongs to."""
    return next(each for each in PLACES if any(tab.page == page for tab in each.tabs))


def title(page: str, selection: Selection) -> str:
    """What a page is called in the browser's tabs and history: its tab, where its place has several."""
    place = place_of(page)
    return tr(place.tab(page, selection).title if len(place.tabs) > 1 else place.title)


# -- the map strip ----------------------------------------------------------------------------------------------

BLOCKS: tuple[StripBlock, ...] = get_args(StripBlock)

WHERE: dict[StripBlock, str] = {
    "source": message("The sentence and its tokens"),
    "encoder": ATTENTION["encoder"].title,
    "memory": message("The encoder output, which the paper’s code calls memory"),
    "cross": message("Cross-attention: the decoder reads the encoder output"),
    "next": message("The distribution over the next word"),
}


@dataclass(frozen=True)
class MapBlock:
    """A block of the strip: its name, one fact, and where a click leads."""

    title: str
    fact: str
    where: str


@dataclass(frozen=True)
class MapData:
    """The strip: its blocks, and those in view.

    No blocks: the strip is not shown. `about` names sentence and checkpoint for pictures that leave the page; `early` is the address of what later pages draw
    with, to be fetched when the browser has nothing to do. `pinned`: something is pinned, which Esc releases.
    """

    blocks: Mapping[StripBlock, MapBlock]
    lit: Sequence[StripBlock]
    about: str
    early: str
    pinned: bool = False


ARCHITECTURE = View("architecture", MapData, picked=StripBlock, released=bool)


def map_data(
    config: ModelConfig,
    source_tokens: int | None = None,
    lit: Collection[StripBlock] = (),
    about: str = "",
    pinned: bool = False,
) -> MapData:
    """A model's sizes in words, with `lit` filled. `source_tokens` None: no sentence is in hand."""
    tokens, vectors = tr("a sentence"), tr("{width} numbers each", width=config.d_model)
    if source_tokens is not None:
        tokens, vectors = how_many(source_tokens, "token"), how_many(source_tokens, "vector")
    size = numeral(config.target_vocab_size, ",")
    own = tr(ATTENTION["causal"].phrase) if config.causal else tr("self-attention, no mask")
    words: dict[StripBlock, tuple[str, str]] = {
        "source": (tr("source"), tokens),
        "encoder": (
            tr("encoder × {layers}", layers=config.encoder_layers),
            tr("self-attention · feed-forward"),
        ),
        "memory": (tr("encoder output"), vectors),
        "decoder": (tr("decoder × {layers}", layers=config.decoder_layers), own),
        "cross": (tr("cross-attention"), tr("reads the encoder output")),
        "next": (tr("next word"), tr("softmax over {size}", size=size)),
    }
    where = {**WHERE, "decoder": attention_of(config, "causal").title}
    blocks = {name: MapBlock(title, fact, tr(where[name])) for name, (title, fact) in words.items()}
    return MapData(blocks, [name for name in BLOCKS if name in lit], about, chart_code(), pinned)


def about_a_decode(page: str, selection: Selection) -> bool:
    """Whether the sentence and its translation are written above the page; Translate has its own box.

    The game of Mistakes has a sentence for each round, unless the reader chose one.
    """
    if page == "pitfalls" and not selection.pitfall and selection.text is None:
        return False
    return page != FRONT and PAGES[page].of_sentence


_DESTINATIONS: Final[dict[StripBlock, tuple[str, dict[str, str]]]] = {
    "source": ("positions", {}),
    "encoder": ("attention", {"kind": "encoder"}),
    "decoder": ("attention", {"kind": "causal"}),
    "cross": ("attention", {"kind": "cross"}),
    "next": ("translate", {}),
}


def kind_labels() -> dict[str, str]:
    """The kinds of attention of the model in force by the names on their pills."""
    shown = frame.in_force()
    kinds = {kind: attention_of(shown.entry.config, kind) if shown else ATTENTION[kind] for kind in KINDS}
    names: dict[str, str] = {kind: tr(each.label) for kind, each in kinds.items()}
    return {kind: capitalised(name) for kind, name in names.items()}


def kind_pills(selection: Selection) -> None:
    """Which kind of attention a page draws: the first choice of its row of controls."""
    with st.container(key="kinds", width="content"):
        cards.choice(
            tr("kind of attention"), kind_labels(), state.bind("kind", shown=cards.kind_of(selection.kind))
        )


def has_strip(page: str) -> bool:
    """Whether a page shows the strip: those of Learn and Models are not about a place in one model."""
    return place_of(page).name not in ("learn", "models")


def strip(page: str, shown: CheckpointView, ready: DecodeView | None) -> None:
    """The map of the model at the top of a page; a click moves to that block's view. `ready`: the decode that it names.

    Where a page has no strip its view is there without blocks: it names what pictures are of, and hears Esc.

    Streamlit clears what a page has drawn when the next one is opened: call this outside of the page, so that the strip
    keeps its place.
    """
    decode = ready and ready.decode
    tokens = None
    if PAGES[page].of_sentence:
        tokens = len(decode.trace.source_ids) if decode else frame.source_tokens(shown)
    text = decode.source_text if decode else shown.text
    about = " · ".join((quoted(text), shown.entry.name) if tokens is not None else (shown.entry.name,))
    # Translate's stage releases what it shows of the pin; before its words are written it shows nothing.
    held = page != FRONT and ready is not None and pinned(ready.decode, ready.selection) is not None
    drawn = map_data(shown.entry.config, tokens, PAGES[page].lit(shown.selection), about, held)
    seen = has_strip(page)
    if not seen:
        drawn = replace(drawn, blocks={}, lit=())
    with st.container(key="strip" if seen else "strip_away"):
        answered = mount(ARCHITECTURE, drawn, key="architecture_map", released=lambda released: state.unpin())
    picked: StripBlock | None = answered("picked")
    if picked is not None:
        name, changes = _memory(shown) if picked == "memory" else _DESTINATIONS[picked]
        state.update(**changes)
        st.switch_page(PAGES[name].path, query_params=state.link_params())


def _memory(shown: CheckpointView) -> tuple[str, dict[str, str]]:
    """Link target for the memory: the encoder's last norm, at the selected source token if there is one."""
    from core.analysis.norms import norm_sites  # imports pandas, so only when needed

    last = [site for site in norm_sites(shown.entry.config) if site.stack == "encoder"][-1]
    token = state.selection().token
    return "layer_norm", {
        "norm_site": ".".join(map(str, last)),
        "token": token if token.startswith("s") else "",
    }


def tabs(page: str, selection: Selection) -> None:
    """The tabs of the page's place, the same row everywhere; nothing where a place has only one.

    In a hall, where the sidebar is away, the places stand at the right end of the row.
    """
    siblings = place_of(page).tabs
    here = place_of(page).tab(page, selection)
    links = state.tab_params([each.opening(selection) for each in siblings])
    if len(siblings) == 1 and not selection.presenter:
        return
    with st.container(horizontal=True, gap="medium", key="tabs"):
        for number, (each, parameters) in enumerate(zip(siblings, links, strict=True)):
            if len(siblings) > 1:
                with st.container(key="tab_here" if each is here else f"tab_{number}", width="content"):
                    st.page_link(
                        _link(each.page), label=tr(each.title), query_params=parameters, width="content"
                    )
        if selection.presenter:
            _places_of_hall(page)


def _places_of_hall(page: str) -> None:
    """A link to every place, on one line."""
    params, here = state.link_params(), place_of(page)
    with st.container(horizontal=True, gap="small", width="content", key="hall_places"):
        for each in PLACES:
            with st.container(key="hall_here" if each is here else f"hall_{each.name}", width="content"):
                st.page_link(_opened(each), label=tr(each.title), query_params=params, width="content")


def _opened(place: Place) -> StreamlitPage:
    """The tab of a place that was open last."""
    return _link(state.tabs().get(place.name, place.tabs[0].page))


def place_links(page: str) -> None:
    """A link to every place, on the tab that was open there last, with the selection in force."""
    params, selection, here = state.link_params(), state.selection(), place_of(page)
    state.tabs.set({**state.tabs(), here.name: here.tab(page, selection).page})
    with st.container(key="places"):
        for each in PLACES:
            with st.container(key="place_here" if each is here else f"place_{each.name}"):
                st.page_link(_opened(each), label=tr(each.title), query_params=params, width="stretch")
                if each is here:
                    st.html(f'<p class="atlas-question">{html.escape(tr(each.question))}</p>')


def sidebar(page: str) -> None:
    """Brand, places, checkpoint, device and checks, presenter size, language."""
    with st.sidebar:
        brand = html.escape(tr("encoder-decoder microscope"))
        st.html(f'<p class="atlas-brand">Attention Atlas</p><p class="atlas-quiet">{brand}</p>')
        place_links(page)
        with st.container(key="foot"):
            entry = _checkpoint_card(page)
            if entry is not None:
                _status(entry)
            st.toggle(tr("Presenter size"), **state.bind("presenter"))
            _languages()


def _languages() -> None:
    """The language of the app, by the languages' own names."""
    with st.container(key="language"):
        known, chosen = languages(), state.selection().language
        bound = state.bind("language", shown=chosen if chosen in known else SOURCE)
        cards.choice(tr("Language"), known, bound)


def _checkpoint_card(page: str) -> Entry | None:
    """The list of checkpoints at the one that the page shows."""
    listed, selection = checkpoints.entries(), state.selection()
    try:
        entry, _ = checkpoints.find(
            checkpoints.replayed(selection) if page == "learning" else selection.checkpoint
        )
    except AtlasError:
        return None
    names = [each.name for each in listed]
    label = tr("Checkpoint") + (f" · {screen_text.label(entry.languages)}" if entry.languages else "")
    with cards.card("checkpoint"):
        if len(names) > 1:
            chosen = state.bind("checkpoint", shown=entry.name)
            st.selectbox(label, names, **chosen)
        else:
            st.html(f'<p class="atlas-quiet">{label}</p><p class="atlas-title">{html.escape(entry.name)}</p>')
        cards.quiet(entry.size_line)
    return entry


def _status(entry: Entry) -> None:
    if models.failure(entry, state.device()):
        st.html(
            f'<p class="atlas-quiet"><i class="atlas-status-dot waiting"></i>{tr("The model cannot be loaded")}</p>'
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
        st.html(
            f'<p class="atlas-quiet"><i class="atlas-status-dot waiting"></i>{tr("Loading the model")}</p>'
        )
        return
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="trust"):
        cards.status(f"{line.name} · {line.precision}")
        if report is not None:
            held = sum(check.passed for check in report.checks)
            passed = tr("{count} checks ✓", count=held)
            failed = tr("{passed} of {count} checks ✗", passed=held, count=len(report.checks))
            with st.popover(passed if report.passed else failed, type="tertiary"):
                cards.title(
                    tr("What was checked on this model"),
                    tr("On its own example sentences, when it was loaded")
                    if entry.examples
                    else tr("On one sentence of our own, when it was loaded"),
                )
                checks = [
                    tr(
                        "{mark} {sentence} (largest deviation {value})",
                        mark="✓" if check.passed else "✗",
                        sentence=check.promise,
                        value=numeral(check.value, ".1g"),
                    )
                    for check in report.checks
                ]
                cards.lines([*checks, tr(report.meaning)])
    if len(line.choices) > 1:
        st.pills(tr("Device"), line.choices, label_visibility="collapsed", **state.bind_device(line.name))
