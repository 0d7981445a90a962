"""The sentence box of the Translate page: text, examples, strategy and its parameters, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.analysis.familiarity import FEATURES, follows_the_best, varied
from core.analysis.readout import how_many
from core.errors import AtlasError
from core.model.hooks import ATTENTION
from core.tokenizer.piece import readable
from ui.session import state
from ui.session.selection import MEAN, SEEDS, TEXT_LIMIT, Selection
from ui.shared import cards, context
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.style import screen_text
from ui.translate import own, trouble

_SHOWN_EXAMPLES = 3
_PILL = 46  # characters of an example that three of them fit a line with
_STRATEGIES = {"greedy": "greedy", "sample": "sample", "beam": "beam", "given": "my own"}


def sentence_box(shown: CheckpointView) -> None:
    """Draw the box, the example pills and the strategy, and the sentence about a mistake."""
    text = context.example_text(shown.entry) if shown.selection.text is None else shown.selection.text
    draft = state.draft()
    with st.container(key="sentence"):
        st.text_input(
            "Sentence to translate",
            label_visibility="collapsed",
            placeholder="Type a sentence and press Enter",
            **state.hold("sentence", text if draft is None else draft, lambda typed: _accept(shown, typed)),
        )
    if sentence := state.mistake():
        cards.mistake(sentence)
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="distribute",
        gap="small",
        key="choices",
    ):
        _examples(shown, text)
        with st.container(
            horizontal=True, width="content", vertical_alignment="center", gap="small", key="ways"
        ):
            cards.choice("strategy", _STRATEGIES, state.bind("strategy"))
            _parameters(shown.selection)
    if shown.selection.strategy == "given":
        own.box(shown)


def _examples(shown: CheckpointView, text: str) -> None:
    first, examples = context.example_text(shown.entry), shown.entry.featured_examples
    hall = shown.selection.presenter  # presenter mode: examples would take height from the pictures
    listed = [] if hall else varied(examples, _SHOWN_EXAMPLES, _PILL, first)

    def take(picked: str | None) -> None:
        if picked:
            _accept(shown, picked)

    bound = state.hold("example", text if text in listed else None, take)
    with st.container(
        horizontal=True, width="content", vertical_alignment="center", gap="small", key="examples"
    ):
        if listed:
            st.pills(
                "examples",
                listed,
                format_func=screen_text.label,
                label_visibility="collapsed",
                width="content",
                **bound,
            )
        if others := [each for each in examples if each[0] not in listed]:
            name = f"{len(others)} {'more' if listed else 'examples'}"
            with st.popover(name, type="tertiary", width="content"):
                for index, (example, shows) in enumerate(others):
                    words = ", ".join(FEATURES[name] for name in shows)
                    label = screen_text.label(example) + (f" :gray[{words}]" if words else "")
                    key = f"widget_example_{index}"
                    st.button(label, type="tertiary", key=key, on_click=_accept, args=(shown, example))


def _parameters(selection: Selection) -> None:
    """What the strategy can be told, said on the button that opens it."""
    if selection.strategy == "sample":
        st.button("draw again", key="draw_again", on_click=_draw_again)
        cuts = [f"top-k {selection.top_k}"] if selection.top_k else []
        cuts += [f"p {selection.top_p:g}"] if selection.top_p < 1 else []
        with st.popover(
            " · ".join([f"temperature {selection.temperature:g}", *cuts, f"seed {selection.seed}"])
        ):
            st.slider(
                "temperature: above 1 is bolder, below 1 safer",
                0.05,
                3.0,
                step=0.05,
                **_slider("temperature", 0.05, 3.0),
            )
            st.slider(
                "top-k: keep only the k most likely words (0: all)", 0, 50, step=1, **_slider("top_k", 0, 50)
            )
            st.slider(
                "top-p: of what is left, keep the fewest words that reach this probability",
                0.05,
                1.0,
                step=0.05,
                **_slider("top_p", 0.05, 1.0),
            )
            st.number_input(
                "seed: the same seed writes the same words", 0, SEEDS - 1, step=1, **state.bind("seed")
            )
            cards.quiet(
                "In this order: temperature, top-k, top-p of what top-k left. One of the words kept is drawn, each "
                "as often as its share of their probability. The start token and padding are never written."
            )
    elif selection.strategy == "beam":
        with st.popover(f"beam of {selection.beam}"):
            st.slider("hypotheses kept at each step", 2, 12, step=1, **state.bind("beam"))


def _slider(field: str, low: float, high: float) -> dict[str, Any]:
    """A bound slider; a value from a link beyond one of the slider's ends is shown at that end."""
    return state.bind(field, shown=min(high, max(low, getattr(state.selection(), field))))


def _draw_again() -> None:
    state.put(state.selection().drawn_again())


def _accept(shown: CheckpointView, text: str) -> None:
    """Take a sentence, or keep it in the box and say in one sentence why it cannot be read."""
    try:
        context.read_text(shown.entry, text)
        if len(text) > TEXT_LIMIT:
            raise AtlasError(
                f"This text has {len(text):,} characters; a link holds at most {TEXT_LIMIT:,}. Shorten it."
            )
    except AtlasError as error:
        state.set_draft(text, f"{error} Your text is still in the box." if text.strip() else str(error))
        return
    state.set_draft(None)
    state.put(state.selection().typed(text))


def notes(shown: DecodeView) -> None:
    """Quiet facts about this decode: characters and words the model does not know, a sample like greedy, forced words.

    Nothing here tells of words still to come; `remarks` do. A line is kept for them, so that the stage stands still.
    """
    with st.container(key="said", gap=None):
        cards.quiet("")
        _notes(shown)


def _notes(shown: DecodeView) -> None:
    decode, selection = shown.decode, shown.selection
    note: list[cards.Words] = []
    if (
        decode.unknown and state.draft() is None
    ):  # the notes are about the decoded text, not a draft in the box
        note += ["The model does not know ", *_quoted(decode.unknown[:5])]
        note += [f" and {len(decode.unknown) - 5} more" if len(decode.unknown) > 5 else ""]
        note += [" and reads ⟨unk⟩ there. "]
    if state.draft() is None and (sentence := trouble.strange(shown)):
        note += [f"{sentence} "]
    if decode.strategy == "sample" and not decode.forced and follows_the_best(decode.scored):
        note += [
            "Every token drawn is the most probable one, as greedy search writes them; draw again for others."
        ]
    if note:
        cards.note(note)
    if selection.force and decode.forced:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            words = [decode.trace.tokens.written[index] for index in decode.forced]
            last = len(decode.trace.written_ids) - 1
            ended = decode.finished and decode.forced[-1] == last
            then = "that ends the sentence" if ended else "the decoder went on from there"
            cards.quiet(["You wrote ", (" ".join(words), "b"), f"; {then}."], width="content")
            st.button("undo the last", type="tertiary", on_click=_unforce, args=(1,))
            if len(decode.forced) > 1:
                st.button("undo all", type="tertiary", on_click=_unforce, args=(len(selection.force),))


def _quoted(pieces: Sequence[str]) -> list[cards.Words]:
    """`“a”, “b”`; each stands for itself, so that letters written from right to left leave the list as it is."""
    words: list[cards.Words] = []
    for piece in pieces:
        words += [", “" if words else "“", (readable(piece), "text"), "”"]
    return words


def _unforce(count: int) -> None:
    state.put(state.selection().unforced(count))


def remarks(shown: DecodeView) -> list[str]:
    """Remarks beside the finished translation: that it was cut short."""
    decode = shown.decode
    sentences = []
    if not decode.finished and decode.node is None:
        length = len(decode.trace.written_ids)
        sentences.append(
            f"The decoder stopped after {how_many(length, 'token')} without ending the sentence."
        )
    return sentences


def position(decode: Decode, selection: Selection) -> int:
    """How many tokens are shown written: the link's step, else all of them, the finished translation."""
    length = len(decode.trace.written_ids)
    return length if selection.step is None else min(selection.step, length)


def stage_view(decode: Decode, selection: Selection) -> tuple[int | None, int | None]:
    """Layer and head of the stage (None: the mean): where none is chosen the card's, else the mean of all heads.

    Neither depends on the sentence, nor on a word that was forced.
    """
    config = decode.trace.config
    layer, head = selection.layer, selection.head
    stated = decode.default_heads.get(ATTENTION["cross"].name)
    if layer is None and head is None:
        return (stated.layer, stated.head) if stated else (None, None)
    if layer is None or layer >= config.decoder_layers:
        layer = MEAN
    if head is None or head >= config.heads:
        head = MEAN
    return None if layer == MEAN else layer, None if head == MEAN else head
