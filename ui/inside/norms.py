"""The Layer norm page: the path of one token's vector through norms and sub-layers, in sentences and cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.analysis import norms as analysis
from core.analysis import wording
from core.analysis.maps import ROUNDING
from core.analysis.norms import NormParameters, NormSite
from core.analysis.readout import quoted
from core.errors import AtlasError
from core.language import tr
from core.model.config import ModelConfig
from core.model.trace import Trace
from ui.inside import norm_figures as figures
from ui.inside import norm_opening
from ui.inside import norm_words as say
from ui.inside.norm_journey import Journey, Tables, journey, tables
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, weights
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Fact
from ui.shared.mount import chart, drawn
from ui.shared.pickers import token_picker
from ui.style import theme


def chosen_token(selection: Selection, trace: Trace) -> tuple[str, int]:
    """Stack and position of the token in hand: the link's, else the pinned pair's, else a source token in the middle."""
    counts = {"s": len(trace.source_ids), "t": len(trace.target_ids)}
    token = selection.token
    if token and int(token[1:]) < counts[token[0]]:
        return ("encoder" if token[0] == "s" else "decoder"), int(token[1:])
    pin = selection.pin
    if pin is not None:
        if pin.kind == "causal" and pin.query < counts["t"]:
            return "decoder", pin.query
        source = pin.query if pin.kind == "encoder" else pin.key
        if pin.kind != "causal" and source < counts["s"]:
            return "encoder", source
    return "encoder", max(0, min(counts["s"] - 1, round(0.6 * counts["s"])))


def never_read(selection: Selection, trace: Trace) -> str:
    """One sentence when the token in hand was written last, so that the decoder never read it; else empty."""
    written = trace.tokens.written
    if not written or selection.token != f"t{len(written)}":
        return ""
    return tr(
        "The decoder wrote {word} last and never read it, so there is no vector of it to follow.",
        word=quoted(written[-1]),
    )


def chosen_site(selection: Selection, config: ModelConfig, stack: str) -> NormSite:
    """The selected norm; the last sub-layer's of the stack if none is selected."""
    sites = [site for site in analysis.norm_sites(config) if site.stack == stack]
    wanted = next((site for site in sites if ".".join(map(str, site)) == selection.norm_site), None)
    return wanted or [site for site in sites if site.block not in ("embed", "final")][-1]


def outliers(parameters: Mapping[NormSite, NormParameters], site: NormSite) -> list[int]:
    """Dimensions with an outlying γ in one norm."""
    table = analysis.outlier_gains({site: parameters[site]})
    return [int(index) for index in table["dimension"]]


def rebuild_error(trace: Trace, parameters: Mapping[NormSite, NormParameters]) -> float:
    """Largest difference between a norm's output and the one rebuilt from its recorded mean and variance."""
    return float(analysis.rebuild_errors(trace, parameters)["error"].max())


def draw(shown: DecodeView) -> None:
    """One norm and the model without norms; below, the token picker and its way through the stack."""
    try:
        trace, made = recorded_tables(shown)
        parameters = weights.norm_parameters(shown.entry, shown.device)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    outlying, rebuilt = outliers_and_error(shown, trace, parameters)
    token_journey = journey(trace, *chosen_token(shown.selection, trace), made)
    norm_opening.draw(
        shown,
        trace,
        made.stream,
        (token_journey.stack, token_journey.token, token_journey.label),
        chosen_site(shown.selection, shown.entry.config, token_journey.stack),
        parameters,
    )
    with cards.card("token"):
        word = quoted(token_journey.label)
        if token_journey.stack == "encoder":
            cards.title(
                tr("What happens to {word} on its way through the encoder", word=word),
                tr("Choose a token. What leaves the encoder is its row of the encoder output"),
            )
        else:
            cards.title(
                tr("What happens to {word} on its way through the decoder", word=word),
                tr("Choose a token. The decoder's are those it reads, from ⟨start⟩ on"),
            )
        token_picker([("s", trace.tokens.source), ("t", trace.tokens.target)], token_journey.name)
        if sentence := never_read(shown.selection, trace):
            cards.quiet(sentence)
    left, right = st.columns(2, gap="small")
    with left:
        _stream(shown, token_journey)
    with right:
        _shares(shown, token_journey)
    left, right = st.columns(2, gap="small")
    with left:
        _norms(shown, token_journey, rebuilt)
    with right:
        _gains(shown, token_journey, parameters, outlying)


def recorded_tables(shown: DecodeView) -> tuple[Trace, Tables]:
    """What is recorded of a decode for this page, and every norm, sub-layer and length of the stream in it.

    Raises `AtlasError` with one sentence.
    """
    trace = shown.recorded(analysis.RECORD)
    return trace, shown.memo(("norm tables",), lambda: tables(trace))


def outliers_and_error(
    shown: DecodeView, trace: Trace, parameters: Mapping[NormSite, NormParameters]
) -> tuple[str, float]:
    """The sentence about outlying dimensions of this decode, and the error of the rebuilt outputs."""
    return shown.memo(
        ("outliers",), lambda: (say.outlier_sentence(parameters, trace), rebuild_error(trace, parameters))
    )


def _parameters(shown: CheckpointView) -> str:
    return wording.norm_parameters(shown.entry.config)


def _options(shown: CheckpointView) -> dict[str, Any]:
    return {"mode": theme.current_mode(), "presenter": shown.selection.enlarged}


def _stream(shown: CheckpointView, token_journey: Journey) -> None:
    with cards.card("stream"):
        cards.title(
            tr("Length of the vector of “{word}” after each sub-layer", word=token_journey.label),
            [
                ("‖h‖", "metric:stream_length"),
                " "
                + tr(
                    "of the residual stream after {points}; the other tokens in grey",
                    points=wording.stream_after(shown.entry.config),
                ),
            ],
        )
        figure = drawn(
            figures.stream, token_journey.stream, token_journey.token, token_journey.stack, **_options(shown)
        )
        chart(figure, "norm_stream")
        cards.readout(say.stream_sentence(token_journey, shown.entry.config))


def _shares(shown: CheckpointView, token_journey: Journey) -> None:
    with cards.card("shares"):
        cards.title(
            say.share_title(token_journey),
            [
                f"{tr('Above:')} ",
                (tr("‖sub-layer‖ ÷ ‖stream‖"), "metric:sublayer_share"),
                f"; {tr('below:')} ",
                (tr("cosine of the two"), "metric:sublayer_cosine"),
            ],
        )
        figure = drawn(figures.shares, token_journey.sublayers, **_options(shown))
        chart(figure, "norm_shares")
        cards.readout(say.share_sentence(token_journey))


def _norms(shown: CheckpointView, token_journey: Journey, error: float) -> None:
    with cards.card("norms"):
        spread, name = wording.norm_spread(shown.entry.config)
        cards.title(
            tr("“{word}” before and after every norm", word=token_journey.label),
            [
                f"{tr('Above:')} ",
                (name, "metric:root_mean_square" if spread == "rms" else "metric:deviation"),
                f"; {tr('below:')} ",
                (tr("mean"), "metric:feature_mean"),
                ". "
                + tr(
                    "Hollow: what goes in; filled: what comes out, {parameters} included",
                    parameters=_parameters(shown),
                ),
            ],
        )
        figure = drawn(figures.before_after, token_journey.norms, spread=spread, **_options(shown))
        chart(figure, "norm_before_after")
        cards.readout(
            say.norm_sentence(token_journey, shown.entry.config),
            [Fact(tr("recorded statistics rebuild every output"), error <= ROUNDING, error)],
        )


def _gains(
    shown: CheckpointView,
    token_journey: Journey,
    parameters: Mapping[NormSite, NormParameters],
    outlying: str,
) -> None:
    site = chosen_site(shown.selection, shown.entry.config, token_journey.stack)
    gamma, beta = parameters[site]
    has_shift = shown.entry.config.norm_formula != "rms"
    mode = theme.current_mode()
    with cards.card("gains"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="top"):
            cards.title(
                say.gains_title(site, parameters[site], has_shift),
                [
                    ("γ", "metric:gain"),
                    *((f" {tr('and')} ", ("β", "metric:shift")) if has_shift else ()),
                    " "
                    + tr(
                        "over {count} dimensions, the same for every token; ticks mark outlying γ",
                        count=len(gamma),
                    ),
                ],
            )
            bound = state.bind("norm_site", shown=".".join(map(str, site)))
            options = [each for each in parameters if each.stack == token_journey.stack]
            st.selectbox(
                tr("norm"),
                [".".join(map(str, each)) for each in options],
                format_func=lambda name: figures.site_name(*name.split(".")),
                label_visibility="collapsed",
                width=110,
                **bound,
            )
        figure = drawn(
            figures.gains,
            gamma,
            beta if has_shift else None,
            colour=figures.site_colour(theme.PALETTES[mode], site.stack, site.block),
            outliers=outliers(parameters, site),
            **_options(shown),
        )
        chart(figure, "norm_gains")
        cards.readout(outlying)
