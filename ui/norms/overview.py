"""The Layer norm page's cards."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.analysis import norms as analysis
from core.analysis import wording
from core.analysis.facts import ROUNDING
from core.analysis.norms import NormParameters, Place
from core.errors import AtlasError
from core.model.trace import Trace
from ui.components.chart import chart, drawn
from ui.data import resources, weights
from ui.data.decode import Decode, Fact
from ui.data.entry import Entry
from ui.figures import norms as figures
from ui.norms import journey as view
from ui.norms.journey import Journey, Tables
from ui.session import state
from ui.shell import cards
from ui.shell.frame import Shown
from ui.shell.token_picker import token_picker
from ui.style import theme


def draw(shown: Shown, decode: Decode) -> None:
    """Token picker and the four cards."""
    try:
        trace, made = tables(shown.entry, decode, shown.device)
        parameters = weights.norm_parameters(shown.entry, shown.device)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    found = view.journey(trace, *view.chosen_token(shown.selection, trace), made)
    colour = "encoder" if found.stack == "encoder" else "causal"
    with cards.card("token"):
        cards.title(
            ["What happens to ", (f"“{found.label}”", colour), f" on its way through the {found.stack}"],
            "pick any token of this decode; the decoder's are those it reads, from ⟨start⟩ on"
            if found.stack == "decoder"
            else "pick any token of this decode; what leaves the encoder is this token's row of the memory",
        )
        token_picker([("s", trace.tokens.source), ("t", trace.tokens.target)], found.name)
        if sentence := view.never_read(shown.selection, trace):
            cards.quiet(sentence)
    left, right = st.columns(2, gap="small")
    with left:
        _stream(shown, found)
    with right:
        _shares(shown, found)
    left, right = st.columns(2, gap="small")
    with left:
        _norms(shown, found, trace, parameters)
    with right:
        _gains(shown, found, trace, parameters)


def tables(entry: Entry, decode: Decode, device: str | None) -> tuple[Trace, Tables]:
    """What is recorded of a decode for this page, and every norm, sub-layer and length of the stream in it.

    Raises `AtlasError` with one sentence.
    """
    trace = resources.recorded(entry, decode, analysis.RECORD, device)
    return trace, resources.reached(entry, (decode.key, "norm tables"), lambda: view.tables(trace))


def _parameters(shown: Shown) -> str:
    return wording.norm_parameters(shown.entry.config)


def _options(shown: Shown) -> dict[str, Any]:
    return {"mode": theme.current_mode(), "presenter": shown.selection.presenter}


def _stream(shown: Shown, found: Journey) -> None:
    with cards.card("stream"):
        cards.title(
            f"How long “{found.label}” is at every depth",
            [
                ("‖h‖", "metric:stream_length"),
                f" of the residual stream after {wording.stream_after(shown.entry.config)}; the other tokens in grey",
            ],
        )
        figure = drawn(figures.stream, found.stream, found.token, found.stack, **_options(shown))
        chart(figure, "norm_stream")
        cards.readout(view.stream_sentence(found, shown.entry.config))


def _shares(shown: Shown, found: Journey) -> None:
    with cards.card("shares"):
        cards.title(
            "How much each sub-layer adds, and in which direction",
            [
                "above: ",
                ("‖sub-layer‖ ÷ ‖stream‖", "metric:sublayer_share"),
                "; below: the ",
                ("cosine", "metric:sublayer_cosine"),
                " of the two",
            ],
        )
        figure = drawn(figures.shares, found.sublayers, **_options(shown))
        chart(figure, "norm_shares")
        cards.readout(view.share_sentence(found))


def _norms(shown: Shown, found: Journey, trace: Trace, parameters: dict[Place, NormParameters]) -> None:
    with cards.card("norms"):
        spread, name = wording.norm_spread(shown.entry.config)
        cards.title(
            f"“{found.label}” before and after every norm",
            [
                (name, f"metric:{name.replace(' ', '_')}"),
                " above, ",
                ("mean", "metric:feature_mean"),
                f" below; hollow: what goes in; filled: what comes out, {_parameters(shown)} included",
            ],
        )
        figure = drawn(figures.before_after, found.norms, spread=spread, **_options(shown))
        chart(figure, "norm_before_after")
        error = view.rebuild_error(trace, parameters)
        cards.readout(
            view.norm_sentence(found, shown.entry.config),
            [Fact("recorded statistics rebuild every output", error <= ROUNDING, error)],
        )


def _gains(shown: Shown, found: Journey, trace: Trace, parameters: dict[Place, NormParameters]) -> None:
    place = view.chosen_place(shown.selection, shown.entry.config, found.stack)
    gamma, beta = parameters[place]
    has_shift = shown.entry.config.norm_formula != "rms"
    mode = theme.current_mode()
    with cards.card("gains"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="top"):
            cards.title(
                f"What {view.norm_in_words(place)} scales{' and shifts' if has_shift else ''}",
                [
                    ("γ", "metric:gain"),
                    *((" and ", ("β", "metric:shift")) if has_shift else ()),
                    f" over {len(gamma)} dimensions, the same for every token; ticks mark outlying γ",
                ],
            )
            bound = state.bind("place", shown=".".join(map(str, place)))
            options = [each for each in parameters if each.stack == found.stack]
            st.selectbox(
                "norm",
                [".".join(map(str, each)) for each in options],
                format_func=lambda name: name.split(".", 1)[1].replace(".", " "),
                label_visibility="collapsed",
                width=110,
                **bound,
            )
        figure = drawn(
            figures.gains,
            gamma,
            beta if has_shift else None,
            colour=figures.place_colour(theme.PALETTES[mode], place.stack, place.block),
            outliers=view.outliers(parameters, place),
            **_options(shown),
        )
        chart(figure, "norm_gains")
        cards.readout(view.outlier_sentence(parameters, trace))
