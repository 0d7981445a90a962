"""What the reader writes on Translate: the sentence and how it is decoded, or a translation of their own, word by word."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Final

import streamlit as st

from core.analysis.familiarity import FEATURES, Scored, follows_the_best, varied
from core.analysis.glossary import MEASURES
from core.analysis.readout import decimal, how_many, isolated, quoted
from core.errors import AtlasError
from core.language import message, numeral, plural, tr
from ui.session import state
from ui.session.selection import MEAN, SEEDS, TEXT_LIMIT, Selection
from ui.shared import cards, context
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.style import screen_text
from ui.translate import unusual

_SHOWN_EXAMPLES = 3
_FINEST = 0.05  # the first value of a decimal slider, and its step
_LEAST = 0.0005  # below, a probability is shown as “< 0.1 %”
_OWN_MEASURES: Final = ("log_probability", "probability", "rank")
_PILL = 46  # characters of an example that three of them fit a line with
_STRATEGIES: Final = {
    "greedy": message("Greedy"),
    "sample": message("Sample"),
    "beam": message("Beam"),
    "given": message("My own"),
}


def sentence_box(shown: CheckpointView) -> None:
    """Draw the box, the example pills and the strategy, and the sentence about a mistake."""
    text = context.example_text(shown.entry) if shown.selection.text is None else shown.selection.text
    draft = state.draft()
    with st.container(key="sentence"):
        st.text_input(
            tr("Sentence to translate"),
            label_visibility="collapsed",
            placeholder=tr("Type a sentence and press Enter"),
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
            ways = {name: tr(label) for name, label in _STRATEGIES.items()}
            cards.choice(tr("Ways to write"), ways, state.bind("strategy"))
            _parameters(shown.selection)
    if shown.selection.strategy == "given":
        own_box(shown)


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
                tr("Examples"),
                listed,
                format_func=_pill_words,
                label_visibility="collapsed",
                width="content",
                **bound,
            )
        if others := [each for each in examples if each[0] not in listed]:
            count = len(others)
            name = (
                tr("{count} more", count=count)
                if listed
                else plural("{count} example", "{count} examples", count)
            )
            # A new sentence gives a new popover, which is closed: one opens it again to choose another.
            with st.popover(name, type="tertiary", width="content", key=f"examples_of_{hash(text)}"):
                st.pills(
                    tr("Examples"),
                    [example for example, _ in others],
                    format_func=dict(map(_named, others)).__getitem__,
                    label_visibility="collapsed",
                    **state.hold("more_examples", None, take),
                )


def _pill_words(example: str) -> str:
    return isolated(screen_text.label(example))


def _named(example: tuple[str, Sequence[str]]) -> tuple[str, str]:
    """An example, and it with what it shows in words."""
    text, shows = example
    words = ", ".join(tr(FEATURES[name]) for name in shows)
    return text, _pill_words(text) + (f" :gray[{words}]" if words else "")


def _parameters(selection: Selection) -> None:
    """The options of a way to write, closed behind a button."""
    if selection.strategy == "sample":
        st.button(tr("Draw again"), key="draw_again", on_click=_draw_again)
        with st.popover(tr("Options"), help=_sampled(selection)):
            _decimal_slider(
                tr("Temperature: above 1 more varied, below 1 more predictable"), "temperature", 3.0
            )
            st.slider(
                tr("Top-k: keep only the k most likely words (0: all)"),
                0,
                50,
                step=1,
                **state.bind("top_k", shown=min(50, selection.top_k)),
            )
            _decimal_slider(tr("Top-p: keep the fewest words that reach this probability"), "top_p", 1.0)
            label = tr("Seed: the same seed writes the same words")
            st.number_input(label, 0, SEEDS - 1, step=1, **state.bind("seed"))
            cards.quiet(
                tr(
                    "Applied in this order: temperature, top-k, top-p. One of the remaining words is drawn by its "
                    "probability. The start token and padding are never written."
                )
            )
    elif selection.strategy == "beam":
        with st.popover(tr("Beam of {size}", size=selection.beam)):
            st.slider(tr("Hypotheses kept at each step"), 2, 12, step=1, **state.bind("beam"))


def _sampled(selection: Selection) -> str:
    """The options of sampling in one line."""
    cuts = [tr("top-k {count}", count=selection.top_k)] if selection.top_k else []
    cuts += [tr("top-p {share}", share=numeral(selection.top_p, "g"))] if selection.top_p < 1 else []
    temperature = tr("temperature {value}", value=numeral(selection.temperature, "g"))
    return " · ".join([temperature, *cuts, tr("seed {seed}", seed=selection.seed)])


def _decimal_slider(label: str, field: str, high: float) -> None:
    """A bound slider from 0.05 up, whose numbers are written in the reader's language, as `st.slider` cannot.

    A value from a link is one of its steps; beyond the slider's ends it is shown at that end.
    """
    value = min(high, max(_FINEST, getattr(state.selection(), field)))
    steps = {round(_FINEST * (n + 1), 2) for n in range(round(high / _FINEST))}
    st.select_slider(
        label,
        sorted({*steps, value}),
        format_func=lambda step: numeral(step, "g"),
        **state.bind(field, shown=value),
    )


def _draw_again() -> None:
    state.put(state.selection().drawn_again())


def _accept(shown: CheckpointView, text: str) -> None:
    """Take a sentence, or keep it in the box and say in one sentence why it cannot be read."""
    try:
        context.read_text(shown.entry, text)
        if len(text) > TEXT_LIMIT:
            raise AtlasError.tr(
                "This text has {count} characters; a link holds at most {most}. Shorten it.",
                count=numeral(len(text), ","),
                most=numeral(TEXT_LIMIT, ","),
            )
    except AtlasError as error:
        kept = tr("{problem} Your text is still in the box.", problem=error)
        state.set_draft(text, kept if text.strip() else str(error))
        return
    state.set_draft(None)
    state.put(state.selection().typed(text))


def other_reader(shown: DecodeView) -> tuple[Entry, str] | None:
    """A checkpoint that reads the language of the decoded sentence, and that language; None where this one does.

    None also while another sentence is in the box, or words are forced, which are taken back in the same line.
    """
    if state.draft() is not None or (shown.selection.force and shown.decode.forced):
        return None
    return unusual.better_reader(shown)


def notes(shown: DecodeView, reader: tuple[Entry, str] | None) -> None:
    """Quiet facts about this decode: `other_reader`, a sample like greedy, forced words.

    Nothing here tells of words still to come; `remarks` do. A line is kept for them, so that the stage stands still.
    """
    with st.container(key="said", gap=None):
        cards.quiet("")
        if reader is None:
            _notes(shown)
        else:
            _offer(shown, *reader)


def _notes(shown: DecodeView) -> None:
    decode, selection = shown.decode, shown.selection
    if decode.strategy == "sample" and not decode.forced and follows_the_best(decode.scored):
        cards.note(
            [
                tr(
                    "Every drawn token is the most probable one, as in greedy search. Draw again for another sample."
                )
            ]
        )
    if selection.force and decode.forced:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            words = [decode.trace.tokens.written[index] for index in decode.forced]
            last = len(decode.trace.written_ids) - 1
            ended = decode.finished and decode.forced[-1] == last
            named = {"words": " ".join(words)}
            sentence = (
                tr("You wrote “{words}”, which ends the sentence.", **named)
                if ended
                else tr("You wrote “{words}”; the decoder continued.", **named)
            )
            cards.quiet(sentence, width="content")
            st.button(tr("Undo the last"), type="tertiary", on_click=_unforce, args=(1,), key="undo_last")
            if len(decode.forced) > 1:
                count = len(selection.force)
                st.button(tr("Undo all"), type="tertiary", on_click=_unforce, args=(count,), key="undo_all")


def _offer(shown: DecodeView, entry: Entry, language: str) -> None:
    """This sentence with the checkpoint that reads its language."""
    text = shown.decode.source_text
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="language_hint"):
        cards.quiet(tr("This looks like {language}.", language=language), width="content")
        st.button(
            tr("Translate it with {name}", name=screen_text.label(entry.name)),
            type="tertiary",
            on_click=state.update,
            kwargs={"checkpoint": entry.name, "text": text},
            key="other_language",
        )


def _unforce(count: int) -> None:
    state.put(state.selection().unforced(count))


def remarks(shown: DecodeView, reader: tuple[Entry, str] | None) -> list[str]:
    """Remarks under the finished translation: that it was cut short, and what is unusual about it. Mostly none.

    Where `notes` name the language of the sentence they have said what is unusual.
    """
    sentences = (_cut_short(shown), "" if reader else unusual.sentence(shown))
    return [each for each in sentences if each]


def _cut_short(shown: DecodeView) -> str:
    decode = shown.decode
    if decode.finished or decode.node is not None:
        return ""
    if shown.entry.config.eos_id is None:
        return tr("This model has no end token: the decoder writes until its limit.")
    return plural(
        "The decoder stopped after {count} token without ending the sentence.",
        "The decoder stopped after {count} tokens without ending the sentence.",
        len(decode.trace.written_ids),
    )


def position(decode: Decode, selection: Selection) -> int:
    """How many tokens are shown written: the link's step, else all of them, the finished translation."""
    length = len(decode.trace.written_ids)
    return length if selection.step is None else min(selection.step, length)


def stage_view(decode: Decode, selection: Selection) -> tuple[int | None, int | None]:
    """Layer and head of the stage (None: the mean): where none is chosen the card's, else the mean of all heads.

    Neither depends on the sentence, nor on a word that was forced.
    """
    layers, heads = decode.trace.config.shape("decoder")
    layer, head = selection.layer, selection.head
    if layer is None and head is None:
        return decode.stated_head("cross") or (None, None)
    if layer is None or layer >= layers:
        layer = MEAN
    if head is None or head >= heads:
        head = MEAN
    return None if layer == MEAN else layer, None if head == MEAN else head


# -- the reader's own translation -----------------------------------------------------------------------------


def own_box(shown: CheckpointView) -> None:
    """The box for one's own translation."""

    def take(text: str) -> None:
        state.update(target=text[:TEXT_LIMIT] if text.strip() else "")

    st.text_input(
        tr("Your translation"),
        placeholder=tr(
            "Type your own translation: the decoder reads it and gives the probability of each word"
        ),
        label_visibility="collapsed",
        **state.hold("target", shown.selection.target, take),
    )


def invite_own(shown: CheckpointView) -> None:
    """What the empty box is for, and a way to begin with the model's own words."""
    with cards.card("own", fill=False):
        cards.title(
            tr("Your own translation"),
            tr(
                "Type a translation above and press Enter: the decoder reads it word by word, and gives the probability "
                "of each word and the word it would have written."
            ),
        )
        st.button(tr("Start with the model’s translation"), on_click=_borrow, args=(shown,))


def _borrow(shown: CheckpointView) -> None:
    greedy = state.selection().changed(strategy="greedy")
    written = CheckpointView(shown.entry, greedy, shown.device).decoded.decode.text
    if written.strip():
        state.update(target=written[:TEXT_LIMIT])


def own_strip(shown: DecodeView) -> None:
    """The total log-probability, and of each word its probability, its rank and the best alternative."""
    decode = shown.decode
    if not decode.scored:
        return
    label = shown.entry.tokenizers[1].label
    count = len(decode.scored)
    total, mean = (decimal(value) for value in (decode.log_probability, decode.log_probability / count))
    best = sum(word.rank == 1 for word in decode.scored)
    with cards.card("own", fill=False):
        cards.title(
            tr("Log-probability of your translation: {total} nats", total=total),
            tr(
                "{mean} per token over {tokens}; at {count} of them, the model would have written the same token.",
                mean=mean,
                tokens=how_many(count, "token"),
                count=best,
            )
            + _always(decode),
        )
        cells = "".join(_cell(word, label(word.id), label(word.other)) for word in decode.scored)
        cards.style(__file__, "own.css")
        st.html(f'<ol class="atlas-own">{cells}</ol>')
        with st.popover(tr("What do these numbers mean?"), type="tertiary", width="content"):
            st.markdown("\n\n".join(MEASURES[name].markdown for name in _OWN_MEASURES))


def _always(decode: Decode) -> str:
    """What is not among the words, since it is no choice: a token that this model always writes first."""
    if 0 in decode.choices:
        return ""
    first = quoted(decode.trace.tokens.written[0])
    return " " + tr("{token} does not count: it is always written first.", token=first)


def _cell(word: Scored, label: str, other: str) -> str:
    """One word: its probability as a number and a bar, its rank, and the best alternative with its probability."""
    first = word.rank == 1
    share, other_share = _probability(word.log_probability), _probability(word.other_log_probability)
    filled = numeral(100 * math.exp(word.log_probability), ".1f")
    names = {
        "rank": numeral(word.rank, ","),
        "other": f"<bdi>{html.escape(other)}</bdi>",
        "share": other_share,
    }
    instead = tr("next: {other} {share}", **names) if first else tr("best: {other} {share}", **names)
    return (
        f'<li class="{"best" if first else "other"}"><bdi class="word">{html.escape(label)}</bdi>'
        f'<i class="track"><i style="width:{filled}%"></i></i><b>{share}</b><span>{tr("rank {rank}", **names)}</span>'
        f"<span>{instead}</span></li>"
    )


def _probability(value: float) -> str:
    share = math.exp(value)
    return f"&lt; {numeral(0.1)} %" if share < _LEAST else f"{numeral(100 * share, '.1f')} %"
