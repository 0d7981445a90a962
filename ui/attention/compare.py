"""The Compare page: pickers for its two sides (heads, steps, sentences or checkpoints), the two maps and their difference."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from core.analysis.familiarity import card_quantiles, unlikely
from core.analysis.glossary import MEASURES
from core.analysis.readout import how_many, isolated
from core.errors import AtlasError
from core.language import message, tr
from ui.app import frame, navigation
from ui.export import menu
from ui.session import state
from ui.session.selection import MEAN, TEXT_LIMIT, How, Selection
from ui.shared import cards, checkpoints, context, two_maps
from ui.shared import maps as view
from ui.shared.cards import pick_width
from ui.shared.checkpoints import Entry, language_in_words
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.shared.maps import Maps
from ui.shared.two_maps import Pair
from ui.style.theme import Kind

VERSUS: Final = {
    "head": message("Two heads"),
    "sentence": message("Two sentences"),
    "step": message("Two steps"),
    "checkpoint": message("Two checkpoints"),
}


def line() -> AbstractContextManager[object]:
    """The container of the page's one row of controls."""
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key="compare_options")


def what() -> None:
    """Which kind of attention, and whether heads, sentences, steps or checkpoints are compared."""
    navigation.kind_pills(state.selection())
    names = {name: tr(words) for name, words in VERSUS.items()}
    cards.listing(tr("Compare"), names, state.bind("versus"), pick_width(state.selection(), 165))


def kind_of(selection: Selection) -> Kind:
    """The kind compared: the selection's; the joint view has no single map, so cross-attention stands in."""
    return cards.kind_of(selection.kind)


def pick(label: str, names: Mapping[Any, str], value: Any, take: Any, width: int) -> None:
    """A list of choices; `take` gets the one picked."""
    cards.listing(label, names, state.hold(f"compare_{label.replace(' ', '_')}", value, take), width)


def pick_head(label: str, maps: Maps, head: tuple[int, int], take: Any, every: How | None = None) -> None:
    """One of the heads; or all of them, taken together as `every` says."""
    layers, heads = maps.shape
    options = [(layer, each) for layer in range(layers) for each in range(heads)]
    if every:
        options = [(MEAN, MEAN), *options]
        options += [] if head in options else [head]

    def named(pair: tuple[int, int]) -> str:
        layer, each = pair
        if pair == (MEAN, MEAN):
            return view.who(layer, each, every or "mean").removeprefix("the ")
        return view.who(layer, each, every or "mean", maps)

    pick(label, {pair: named(pair) for pair in options}, head, take, 170)


def sentence_field(label: str, text: str, take: Any) -> None:
    """A sentence to type; a link holds no more than the field takes."""
    name = label.replace(" ", "_")

    def typed(words: str) -> None:
        if words.strip():
            take(words)

    with st.container(key=f"field_{name}"):
        st.text_input(
            label,
            max_chars=TEXT_LIMIT,
            label_visibility="collapsed",
            placeholder=label,
            **state.hold(f"compare_{name}", text[:TEXT_LIMIT], typed),
        )


def one_head(maps: Maps, head: tuple[int, int], how: How) -> None:
    """The head of both maps, or all heads; and how they are drawn."""
    pick_head(tr("head"), maps, head, lambda head: state.update(layer=head[0], head=head[1]), every=how)
    options()


def options() -> None:
    """How all maps are drawn."""
    with st.popover(tr("More"), width="content"):
        st.toggle(tr("Merge pieces into words"), **state.bind("words"))
        st.toggle(tr("Hide special tokens"), **state.bind("hide"))


def compared(shown: DecodeView) -> Pair | None:
    """The pickers of the chosen comparison, then its view; returns what is compared."""
    selection = shown.selection
    pair = {"head": _heads, "sentence": _sentences, "step": _steps, "checkpoint": _checkpoints}[
        selection.versus
    ](shown)
    if pair is None:
        return None
    name = f"{selection.versus}_{pair.kind}"
    two_maps.two_maps(selection, pair, key=f"compare_{name}", file=f"compare-{name.replace('_', '-')}")
    return pair


# -- the four comparisons -----------------------------------------------------------------------------------


def _heads(shown: DecodeView) -> Pair:
    maps, selection = _maps(shown), shown.selection
    first = _single(selection, maps)
    wanted = tuple(int(part) for part in selection.against.split(".")) if selection.against else ()
    known = len(wanted) == 2 and wanted[0] < maps.shape[0] and wanted[1] < maps.shape[1]
    second = (wanted[0], wanted[1]) if known else two_maps.other_head(maps, first)
    with line():
        what()
        pick_head(tr("first head"), maps, first, lambda head: state.update(layer=head[0], head=head[1]))
        cards.quiet(tr("and"), width="content")
        pick_head(tr("second head"), maps, second, lambda head: state.update(against=f"{head[0]}.{head[1]}"))
        options()
    return two_maps.heads(maps, first, second)


def _sentences(shown: DecodeView) -> Pair | None:
    decode, selection = shown.decode, shown.selection
    other_text = selection.other_text or _second_sentence(shown.entry, decode.source_text)
    pickers = line()
    with pickers:
        what()
    left, right = st.columns(2, gap="small")
    with left:
        sentence_field(
            tr("first sentence"), decode.source_text, lambda text: state.put(state.selection().typed(text))
        )
    with right:
        sentence_field(tr("second sentence"), other_text, lambda text: state.update(other_text=text))
        theirs = replace(selection, text=other_text, target="", force=(), strategy=_free(selection))
        other = frame.decoded(replace(shown, selection=theirs))
    if other is None:
        return None
    maps, other_maps = _maps(shown), _maps(replace(other, selection=selection))
    head = view.chosen(selection, maps)
    with pickers:
        one_head(maps, head, selection.how)
    who = view.who(*head, selection.how, maps)
    texts = (decode.source_text, other.decode.source_text)
    return two_maps.sentences(maps, other_maps, head, selection.how, texts, who)


def _steps(shown: DecodeView) -> Pair:
    decode, selection = shown.decode, shown.selection
    kind = kind_of(selection)
    if kind == "encoder":
        cards.quiet(tr("The encoder runs once, before the first step: cross-attention is compared instead."))
        kind = "cross"
    count = view.layers(decode.trace.config, kind)
    layer = decode.first_head[0] if selection.layer is None else selection.layer
    layer = layer if layer < count else MEAN
    first, second = two_maps.other_step(decode, kind, layer, selection.step)
    if selection.other_step is not None:
        second = min(selection.other_step, len(decode.trace.written_ids))
    words = decode.trace.tokens.written

    steps = {step: tr("step {step} · {word}", step=step, word=word) for step, word in enumerate(words, 1)}
    layers = {MEAN: tr("heads of all layers")}
    layers |= {each: tr("heads of layer {layer}", layer=each) for each in range(count)}
    with line():
        what()
        pick(tr("first step"), steps, first, lambda step: state.update(step=step), 190)
        cards.quiet(tr("and"), width="content")
        pick(tr("second step"), steps, second, lambda step: state.update(other_step=step), 190)
        pick(tr("heads of"), layers, layer, lambda each: state.update(layer=each), 190)
    return two_maps.steps(decode, kind, layer, (first, second))


def _checkpoints(shown: DecodeView) -> Pair | None:
    selection = shown.selection
    others = [
        entry for entry in checkpoints.entries() if not entry.problem and entry.name != shown.entry.name
    ]
    if not others:
        with line():
            what()
        cards.mistake(tr("There is only this checkpoint. Train or import another one to compare the two."))
        return None
    # The same task first, then models that can read this very sentence, then those with the same heads.
    ours, shape = shown.entry.languages, _shape(shown.entry)
    others.sort(
        key=lambda entry: (entry.languages != ours, not _cuts_alike(shown, entry), _shape(entry) != shape)
    )
    chosen, sentence = checkpoints.partner(selection.other_checkpoint, others)
    if sentence:
        cards.quiet(sentence)
    names = {
        each.name: tr("{first} and {second}", first=shown.entry.name, second=each.name) for each in others
    }
    with line():
        what()
        pick(
            tr("second checkpoint"), names, chosen.name, lambda name: state.update(other_checkpoint=name), 240
        )
        maps = _maps(shown)
        head = view.chosen(selection, maps)
        one_head(maps, head, selection.how)
    other, why = _read_by(shown, chosen)
    if other is None:
        return None
    if why:
        cards.quiet(why)
    theirs = _maps(replace(other, selection=selection))
    if head[0] >= theirs.shape[0] or head[1] >= theirs.shape[1]:
        layer, each = head
        one_layer = tr("layer {layer}", layer=layer)
        lacking = one_layer if each == MEAN else view.who(layer, each, selection.how)
        head = (MEAN, MEAN)
        cards.mistake(
            tr(
                "{name} has {layers} of {heads}, so it lacks {lacking}. Shown: {drawn}.",
                name=chosen.name,
                layers=how_many(theirs.shape[0], "layer"),
                heads=how_many(theirs.shape[1], "head"),
                lacking=lacking,
                drawn=view.who(*head, selection.how),
            )
        )
    who = view.who(*head, selection.how)  # without counts, which may be those of one model alone
    return two_maps.checkpoints(maps, theirs, head, selection.how, (shown.entry.name, chosen.name), who)


def _read_by(shown: DecodeView, chosen: Entry) -> tuple[DecodeView | None, str]:
    """What the other checkpoint makes of this decode, or of a sentence of its own where it cannot read this one, and why."""
    ours, theirs = _reads(shown.entry), _reads(chosen)
    own = Selection(checkpoint=chosen.name)
    names = {"name": chosen.name}
    if ours and theirs and ours != theirs:
        why = tr(
            "{name} reads {language}, so it shows its own sentence",
            language=language_in_words(theirs),
            **names,
        )
    else:
        same = _same_translation(shown.entry, shown.decode, chosen)
        same_words = replace(own, text=shown.decode.source_text, **same)
        try:
            other = CheckpointView(chosen, same_words, shown.device).decoded
            if _makes_sense(shown.entry, chosen, other.decode):
                return other, ""
            why = tr("{name} cannot read this sentence, so it shows its own", **names)
        except AtlasError as error:
            reason = str(error).rstrip(".")
            why = tr(
                "{name} cannot read this sentence ({reason}), so it shows its own", reason=reason, **names
            )
    read = frame.decoded(CheckpointView(chosen, own, shown.device))
    own_text = isolated(read.decode.source_text) if read else ""
    return read, tr("{why}: “{sentence}”", why=why, sentence=own_text)


def _makes_sense(ours: Entry, theirs: Entry, decode: Decode) -> bool:
    """Whether the other checkpoint makes sense of a sentence that it has cut into tokens."""
    if decode.unknown:
        return False
    # Of two models of one task a weaker one may be unsure, which is what they are compared for.
    if _writes(ours) == _writes(theirs) or not decode.scored:
        return True
    mean = decode.log_probability / len(decode.scored)
    return not unlikely(mean, card_quantiles(theirs.usable.card))


_AS_MANY: Final = 1.5
"""Times as many tokens as here, up to which another model reads a sentence as words and not letter by letter."""


def _cuts_alike(shown: DecodeView, other: Entry) -> bool:
    """Whether another checkpoint reads the same language and cuts this sentence into about as many tokens."""
    if _reads(other) != _reads(shown.entry):
        return False
    try:
        theirs = len(context.read_text(other, shown.decode.source_text).ids)
    except AtlasError:
        return False
    return theirs <= _AS_MANY * len(shown.decode.trace.source_ids)


def _shape(entry: Entry) -> tuple[int, int, tuple[int, ...]]:
    """Its encoder and decoder layers, and its heads."""
    return entry.config.encoder_layers, entry.config.decoder_layers, tuple(entry.config.layer_heads)


def _reads(entry: Entry) -> str:
    """The language that a checkpoint reads."""
    return entry.languages.split(" → ")[0]


def _writes(entry: Entry) -> str:
    """The language that a checkpoint writes."""
    return entry.languages.split(" → ")[-1]


def _same_translation(ours: Entry, decode: Decode, theirs: Entry) -> dict[str, Any]:
    """The first one's translation for the other to read, where both write the same language."""
    same = _writes(ours) == _writes(theirs)
    return {"strategy": "given", "target": decode.text} if same and decode.text else {}


# -- what is compared ---------------------------------------------------------------------------------------


def _maps(shown: DecodeView) -> Maps:
    selection, kind = shown.selection, kind_of(shown.selection)
    return view.maps_of(
        shown.decode, kind, shown.entry.tokenizers, words=selection.words, hide=selection.hide
    )


def _single(selection: Selection, maps: Maps) -> tuple[int, int]:
    """The selected head; the most confident one if none is selected or a mean is."""
    head = view.chosen(selection, maps)
    return head if MEAN not in head else view.chosen(replace(selection, layer=None, head=None), maps)


def _second_sentence(entry: Entry, first: str) -> str:
    """Another sentence of the checkpoint's own, of a length that compares well."""
    others = [text for text in (context.example_text(entry), *entry.examples) if text != first]
    return min(others, key=lambda text: abs(len(text) - len(first)), default=first)


def _free(selection: Selection) -> Any:
    """The way to write the other sentence: one's own translation belongs to the first."""
    return "greedy" if selection.strategy == "given" else selection.strategy


EXPLAINED: Final = {
    "head": (
        message("Two heads on the same words, and the second minus the first."),
        message("Heads of one layer read the same vectors; they differ in where they look."),
    ),
    "sentence": (
        message("The same head on two sentences."),
        message("A head with the same pattern on both may follow a rule; two sentences do not prove it."),
    ),
    "step": (
        message("Each row is a head and each column a token, at two steps of the translation."),
        message(
            "Heads that move with the written word follow the sentence; the others look at a fixed position."
        ),
    ),
    "checkpoint": (
        message("The same head number in two models, on the same sentence if both can read it."),
        message(
            "Heads correspond only between checkpoints of one training run; otherwise compare the means."
        ),
    ),
}
_FORMULA: Final = message(
    "The difference is $A_2 - A_1$ in percentage points: blue where the first gives more, red where the second does. Its "
    "scale is centred on 0 and ends at the largest difference. Rows of a head sum to 1, so rows of the difference sum to "
    "0. Maps with different words have no difference."
)


@st.fragment
def compare_page(shown: DecodeView) -> None:
    """The row of controls and the two maps; a new head or step runs no model."""
    now = shown.now()
    shown = frame.decoded(now, say=False) or now
    pair = compared(shown)
    formula = "\n\n".join([tr(_FORMULA), *(MEASURES[name].markdown for name in _MEASURES)])
    about, why = (tr(sentence) for sentence in EXPLAINED[shown.selection.versus])
    with cards.explain(about, why, formula, name="compare"):
        if pair is not None:
            menu.comparison(shown, pair, f"{shown.selection.versus}-{pair.kind}")


_MEASURES: Final = ("weight", "difference", "sureness")
