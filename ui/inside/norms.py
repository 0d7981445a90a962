"""The Layer norm page: the path of one token's vector through norms and sub-layers, in sentences and cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import norms as analysis
from core.analysis import wording
from core.analysis.maps import ROUNDING
from core.analysis.norms import NormParameters, NormSite
from core.analysis.readout import decimal, quoted
from core.errors import AtlasError
from core.language import tr
from core.model.config import ModelConfig
from core.model.trace import Trace
from ui.inside import norm_figures as figures
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, weights
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Fact
from ui.shared.mount import chart, drawn
from ui.shared.pickers import token_picker
from ui.style import theme

BLOCKS = {
    "self": "self-attention",
    "cross": "cross-attention",
    "ffn": "feed-forward",
    "embed": "embedding",
    "final": "output",
}
_LISTED = 4  # large dimensions that are named of each stack


@dataclass(frozen=True)
class Journey:
    """One token: which stack, where, its label, and its rows of the tables."""

    stack: str
    token: int
    label: str
    norms: pd.DataFrame
    sublayers: pd.DataFrame
    stream: pd.DataFrame  # all tokens of the stack

    @property
    def name(self) -> str:
        """As the URL writes it: s3 or t2."""
        return f"{'s' if self.stack == 'encoder' else 't'}{self.token}"


@dataclass(frozen=True)
class Tables:
    """What the norms and sub-layers do to every token of a decode; made once, cut to one token at a time."""

    norms: pd.DataFrame
    sublayers: pd.DataFrame
    stream: pd.DataFrame

    @property
    def size(self) -> int:
        """Bytes, the labels not counted."""
        return sum(int(table.memory_usage().sum()) for table in (self.norms, self.sublayers, self.stream))


def tables(trace: Trace) -> Tables:
    """The tables of a trace that has recorded `core.analysis.norms.RECORD`."""
    return Tables(analysis.norm_table(trace), analysis.sublayer_table(trace), analysis.stream_table(trace))


def chosen_token(selection: Selection, trace: Trace) -> tuple[str, int]:
    """Stack and position of the token in hand: the link's, else a source token in the middle."""
    counts = {"s": len(trace.source_ids), "t": len(trace.target_ids)}
    token = selection.token
    if token and int(token[1:]) < counts[token[0]]:
        return ("encoder" if token[0] == "s" else "decoder"), int(token[1:])
    return "encoder", max(0, min(counts["s"] - 1, round(0.6 * counts["s"])))


def never_read(selection: Selection, trace: Trace) -> str:
    """One sentence when the token in hand was written last, so that the decoder never read it; else empty."""
    written = trace.tokens.written
    if not written or selection.token != f"t{len(written)}":
        return ""
    return f"The decoder wrote {quoted(written[-1])} last and never read it, so there is no vector of it to follow."


def journey(trace: Trace, stack: str, token: int, made: Tables | None = None) -> Journey:
    """The tables of one token, cut from `made`. The trace must have recorded `core.analysis.norms.RECORD`."""
    made = made or tables(trace)
    labels = trace.tokens.source if stack == "encoder" else trace.tokens.target

    def of(table: pd.DataFrame) -> pd.DataFrame:
        return table[(table["stack"] == stack) & (table["token"] == token)].reset_index(drop=True)

    return Journey(
        stack,
        token,
        labels[token],
        of(made.norms),
        of(made.sublayers),
        made.stream,
    )


def chosen_site(selection: Selection, config: ModelConfig, stack: str) -> NormSite:
    """The selected norm; the last sub-layer's of the stack if none is selected."""
    sites = [site for site in analysis.norm_sites(config) if site.stack == stack]
    wanted = next((site for site in sites if ".".join(map(str, site)) == selection.norm_site), None)
    return wanted or [site for site in sites if site.block not in ("embed", "final")][-1]


def in_words(site: NormSite) -> str:
    """“the feed-forward of layer 2”."""
    if site.block in ("embed", "final"):
        return f"the {site.stack}'s {BLOCKS[site.block]}"
    return f"layer {site.layer}'s {BLOCKS[site.block]}"


def norm_in_words(site: NormSite) -> str:
    """“the norm of layer 2's feed-forward”, or “the encoder's final norm”, which belongs to no sub-layer."""
    if site.block == "final":
        return f"the {site.stack}'s final norm"
    return f"the norm of {in_words(site)}"


def norm_sentence(token_journey: Journey, config: ModelConfig) -> str:
    """Which norm changes this token most, and how."""
    rows = token_journey.norms
    column, spread = wording.norm_spread(config)
    most = rows.loc[(rows[f"{column}_before"] - rows[f"{column}_after"]).abs().idxmax()]
    site = NormSite(most["stack"], int(most["layer"]), most["block"])
    return (
        f"For {quoted(token_journey.label)}, {norm_in_words(site)} changes most: the {spread} goes from "
        f"{most[f'{column}_before']:.2f} to {most[f'{column}_after']:.2f}, the mean from {decimal(most['mean_before'])} to {decimal(most['mean_after'])}."
    )


def share_sentence(token_journey: Journey) -> str:
    """Which sub-layer moves this token most."""
    rows = token_journey.sublayers
    most = rows.loc[rows["ratio"].idxmax()]
    site = NormSite(most["stack"], int(most["layer"]), most["block"])
    cosine = float(most["cosine"])
    way = (
        "along what was there"
        if cosine > 0.2
        else "against what was there"
        if cosine < -0.2
        else "nearly at a right angle to it"
    )
    return (
        f"{in_words(site).capitalize()} moves {quoted(token_journey.label)} most: it adds {most['ratio']:.2f} times the stream's "
        f"length, {way} (cosine {decimal(cosine)})."
    )


def stream_sentence(token_journey: Journey, config: ModelConfig) -> str:
    """How the vector's length grows through the stack."""
    rows = token_journey.stream[
        (token_journey.stream["stack"] == token_journey.stack)
        & (token_journey.stream["token"] == token_journey.token)
    ]
    first, last = float(rows["length"].iloc[0]), float(rows["length"].iloc[-1])
    last_norm = " before the final norm" if config.final_norm else ""
    return (
        f"{quoted(token_journey.label)} enters {first:.1f} long and leaves {last:.1f} long{last_norm}; "
        f"{wording.stream_length(config)}."
    )


def outlier_sentence(parameters: Mapping[NormSite, NormParameters], trace: Trace) -> str:
    """Outlier dimensions, in the gains and in the residual stream."""
    gains = analysis.outlier_gains(parameters)
    stream = analysis.outlier_activations(trace)
    sentence = {0: "No gain γ lies beyond 3 σ of its norm", 1: "1 gain γ lies beyond 3 σ of its norm"}.get(
        len(gains), f"{len(gains)} gains γ lie beyond 3 σ of their norm"
    )
    if len(gains):
        counts = gains["dimension"].value_counts()
        if counts.iloc[0] > 1:
            sentence += f", most often in dimension {counts.index[0]} ({counts.iloc[0]} norms)"
    sentence += _stream_outliers(stream, trace.config.d_model)
    return sentence + "."


def _stream_outliers(table: pd.DataFrame, width: int) -> str:
    """The clause about large dimensions of the stream; if there are many, it says that none stands out."""
    criterion = f"|h| ≥ {analysis.OUTLIER_SIZE:g} in a quarter of the layers and {100 * analysis.OUTLIER_TOKENS:g} % of the tokens"
    if not len(table):
        return f"; no dimension of the stream reaches {criterion}"
    parts = [(str(stack), part["dimension"]) for stack, part in table.groupby("stack", sort=False)]
    if len(table) > width // 10:
        stacks = " and ".join(f"{len(part)} of {width} {stack}" for stack, part in parts)
        return f"; {stacks} dimensions reach {criterion}, so no single dimension dominates"
    listed = " and ".join(_dimensions(stack, list(part)) for stack, part in parts)
    return f"; in the stream, {listed} {'reach' if len(table) > 1 else 'reaches'} {criterion}"


def _dimensions(stack: str, indices: Sequence[int]) -> str:
    """Large dimensions of one stack: “encoder dimensions 3, 17”."""
    listed = ", ".join(map(str, indices[:_LISTED]))
    more = f" and {len(indices) - _LISTED} more" if len(indices) > _LISTED else ""
    return f"{stack} dimension{'s' * (len(indices) > 1)} {listed}{more}"


def outliers(parameters: Mapping[NormSite, NormParameters], site: NormSite) -> list[int]:
    """Dimensions with an outlying γ in one norm."""
    table = analysis.outlier_gains({site: parameters[site]})
    return [int(index) for index in table["dimension"]]


def rebuild_error(trace: Trace, parameters: Mapping[NormSite, NormParameters]) -> float:
    """Largest difference between a norm's output and the one rebuilt from its recorded mean and variance."""
    return float(analysis.rebuild_errors(trace, parameters)["error"].max())


def draw(shown: DecodeView) -> None:
    """The token picker and the four cards."""
    try:
        trace, made = recorded_tables(shown)
        parameters = weights.norm_parameters(shown.entry, shown.device)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    outlying, rebuilt = outliers_and_error(shown, trace, parameters)
    token_journey = journey(trace, *chosen_token(shown.selection, trace), made)
    colour = "encoder" if token_journey.stack == "encoder" else "causal"
    with cards.card("token"):
        cards.title(
            [
                "What happens to ",
                (f"“{token_journey.label}”", colour),
                f" on its way through the {token_journey.stack}",
            ],
            "pick any token of this decode; the decoder's are those it reads, from ⟨start⟩ on"
            if token_journey.stack == "decoder"
            else "pick any token of this decode; what leaves the encoder is this token's row of the memory",
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
        ("outliers",), lambda: (outlier_sentence(parameters, trace), rebuild_error(trace, parameters))
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
                f" of the residual stream after {wording.stream_after(shown.entry.config)}; the other tokens in grey",
            ],
        )
        figure = drawn(
            figures.stream, token_journey.stream, token_journey.token, token_journey.stack, **_options(shown)
        )
        chart(figure, "norm_stream")
        cards.readout(stream_sentence(token_journey, shown.entry.config))


def _shares(shown: CheckpointView, token_journey: Journey) -> None:
    with cards.card("shares"):
        cards.title(
            tr("How much each sub-layer adds, and in which direction"),
            [
                "above: ",
                ("‖sub-layer‖ ÷ ‖stream‖", "metric:sublayer_share"),
                "; below: the ",
                ("cosine", "metric:sublayer_cosine"),
                " of the two",
            ],
        )
        figure = drawn(figures.shares, token_journey.sublayers, **_options(shown))
        chart(figure, "norm_shares")
        cards.readout(share_sentence(token_journey))


def _norms(shown: CheckpointView, token_journey: Journey, error: float) -> None:
    with cards.card("norms"):
        spread, name = wording.norm_spread(shown.entry.config)
        cards.title(
            tr("“{word}” before and after every norm", word=token_journey.label),
            [
                (name, f"metric:{name.replace(' ', '_')}"),
                " above, ",
                ("mean", "metric:feature_mean"),
                f" below; hollow: what goes in; filled: what comes out, {_parameters(shown)} included",
            ],
        )
        figure = drawn(figures.before_after, token_journey.norms, spread=spread, **_options(shown))
        chart(figure, "norm_before_after")
        cards.readout(
            norm_sentence(token_journey, shown.entry.config),
            [Fact("recorded statistics rebuild every output", error <= ROUNDING, error)],
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
                f"What {norm_in_words(site)} scales{' and shifts' if has_shift else ''}",
                [
                    ("γ", "metric:gain"),
                    *((" and ", ("β", "metric:shift")) if has_shift else ()),
                    f" over {len(gamma)} dimensions, the same for every token; ticks mark outlying γ",
                ],
            )
            bound = state.bind("norm_site", shown=".".join(map(str, site)))
            options = [each for each in parameters if each.stack == token_journey.stack]
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
            colour=figures.site_colour(theme.PALETTES[mode], site.stack, site.block),
            outliers=outliers(parameters, site),
            **_options(shown),
        )
        chart(figure, "norm_gains")
        cards.readout(outlying)
