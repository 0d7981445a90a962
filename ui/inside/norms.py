"""The Norms page: what one norm does to a token's numbers, and the path of its vector through norms and sub-layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.analysis import norms as analysis
from core.analysis import wording
from core.analysis.maps import ROUNDING
from core.analysis.norms import NormParameters, NormSite
from core.analysis.readout import capitalised, decimal, power_of_ten, quoted
from core.errors import AtlasError
from core.language import numeral, tr
from core.model.config import ModelConfig
from core.model.hooks import Site
from core.model.trace import Trace
from ui.inside import norm_figures as figures
from ui.inside.norm_figures import Array, Journey, Tables, journey, norm_in_words, tables
from ui.inside.position_numbers import token_in_hand
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, context
from ui.shared.cards import token_picker
from ui.shared.context import DecodeView
from ui.shared.decode import Fact
from ui.shared.mount import draw_chart
from ui.style import screen_text

if TYPE_CHECKING:
    from core.experiments.lenses import WithoutNorms


_FOLDED = ("shares", "norms", "gains")
"""The cards below the token's path, which open on request, or where the link names one of them or a norm."""
_TEXT = 60  # characters of a translation in a sentence
_WITHOUT = ("without norms",)  # the name under which that run is kept


@dataclass(frozen=True)
class NormSteps:
    """One token's vector at one norm, (d,) each: what goes in, mean removed and divided, and γ and β applied."""

    site: NormSite
    before: Array
    scaled: Array
    after: Array


def steps(trace: Trace, site: NormSite, token: int, parameters: NormParameters) -> NormSteps:
    """The steps of the norm at `site` for one token, from its recorded input and statistics."""

    def recorded(kind: str) -> Array:
        return np.asarray(trace.array(Site(*site, kind))[token], dtype=np.float64)

    config = trace.config.of(site.stack)
    before, mean, variance = (recorded(kind) for kind in ("norm_input", "norm_mean", "norm_var"))
    scaled = (before - mean) / analysis.norm_divisor(variance, config.norm_eps, config.norm_formula)
    return NormSteps(site, before, scaled, scaled * parameters.gamma + parameters.beta)


def one_norm_title(numbers: NormSteps, label: str, config: ModelConfig) -> str:
    """Within which bounds the numbers of a token are before and after one norm."""
    names = {
        "count": len(numbers.before),
        "word": quoted(label),
        "before": f"±{numeral(np.abs(numbers.before).max(), '.1f')}",
        "after": f"±{numeral(np.abs(numbers.after).max(), '.1f')}",
    }
    if config.norm_formula == "rms":
        return tr("One RMS norm brings the {count} numbers of {word} from {before} to {after}", **names)
    return tr("One layer norm brings the {count} numbers of {word} from {before} to {after}", **names)


def row_names(numbers: NormSteps, config: ModelConfig) -> tuple[str, str, str]:
    """What each row of the figure shows, with its mean and spread."""
    rms = config.norm_formula == "rms"
    names = (
        tr("input"),
        tr("÷ root mean square") if rms else "− μ, ÷ σ",
        "× γ" if rms else "× γ + β",
    )
    named = []
    for name, values in zip(names, (numbers.before, numbers.scaled, numbers.after), strict=True):
        mean = decimal(float(values.mean()))
        if rms:
            size = decimal(float(np.sqrt(np.square(values).mean())))
            said = tr("mean {mean}, root mean square {size}", mean=mean, size=size)
        else:
            said = f"μ = {mean}, σ = {decimal(float(values.std()))}"
        named.append(f"{name} · {said}")
    return named[0], named[1], named[2]


def length_title(label: str, lengths: tuple[float, float], config: ModelConfig) -> str:
    """How long a token's vector is at the end without norms, and with them. `lengths`: with, without."""
    names = {"word": quoted(label), "length": size_words(lengths[0]), "without": size_words(lengths[1])}
    if config.norm_formula == "rms":
        return tr("Without RMS norms, the length of {word} ends at {without}, not {length}", **names)
    return tr("Without layer norms, the length of {word} ends at {without}, not {length}", **names)


def size_words(value: float) -> str:
    """A length in at most three digits that count: “59”, “1,350,000”, “1.9 × 10¹⁰”."""
    if not np.isfinite(value):
        return tr("infinity")
    if value < 10:
        return numeral(value, ".1f")
    if value < 1e8:
        unit = 10 ** max(0, len(str(int(value))) - 3)
        return numeral(int(round(value / unit) * unit), ",")
    power = int(np.floor(np.log10(value)))
    return f"{numeral(value / 10**power, '.1f')} × {power_of_ten(power)}"


def without(shown: DecodeView) -> WithoutNorms:
    """The decode run again without norms, kept. Raises `AtlasError`."""
    trace = shown.decode.trace

    def make() -> WithoutNorms:
        from core.experiments.lenses import without_norms

        return without_norms(shown.load(), trace.source_ids, trace.written_ids)

    return shown.memo(_WITHOUT, make, heavy=True)


def written_sentence(shown: DecodeView, unnormed: WithoutNorms) -> str:
    """What the model writes without norms, and what that does not show."""
    text = screen_text.label(shown.entry.tokenizers[1].decode(unnormed.written).strip(), _TEXT)
    writes = (
        tr("Without norms the model writes {translation}.", translation=quoted(text))
        if text
        else tr("Without norms the model writes nothing.")
    )
    return f"{writes} {tr('It was trained with them: a model trained without norms may behave differently.')}"


def _one_norm(numbers: NormSteps, label: str, config: ModelConfig) -> None:
    with cards.card("one_norm"):
        cards.title(
            one_norm_title(numbers, label, config),
            tr("One bar per dimension, the same scale in all rows")
            if config.norm_formula == "rms"
            else tr("One bar per dimension, the same scale in all rows; μ: mean, σ: standard deviation"),
        )
        rows = numbers.before, numbers.scaled, numbers.after
        draw_chart("one_norm", figures.steps, rows, row_names(numbers, config))
        norm = capitalised(norm_in_words(numbers.site))
        cards.readout(
            tr("{norm} does the same to every token, with the root mean square of that token.", norm=norm)
            if config.norm_formula == "rms"
            else tr(
                "{norm} does the same to every token, with the mean and standard deviation of that token.",
                norm=norm,
            )
        )


def _growth(shown: DecodeView, token_journey: Journey) -> None:
    """The token's length with and without norms; the run without them is made when it is asked for."""
    stack = token_journey.stack
    with cards.card("growth", fill=False):
        asked = state.without_norms() == shown.key() or shown.selection.full == "growth"
        if not asked and shown.known(_WITHOUT) is None:
            question = tr("How long is the vector of {word} without norms?", word=quoted(token_journey.label))
            with cards.asking(question):
                args = (shown.key(),)
                st.button(
                    tr("Run without norms"), on_click=state.without_norms.set, args=args, key="no_norms"
                )
            return
        try:
            with st.spinner(tr("Computing …"), show_time=False):
                unnormed = without(shown)
        except AtlasError as error:
            cards.mistake(str(error))
            return
        kept = token_journey.lengths
        lost = figures.token_lengths(unnormed.stream, stack, token_journey.token)
        cards.title(
            length_title(token_journey.label, (float(kept[-1]), float(lost[-1])), token_journey.config),
            tr("Length of its vector in the encoder, logarithmic scale")
            if stack == "encoder"
            else tr("Length of its vector in the decoder, logarithmic scale"),
        )
        names = figures.depth_names(token_journey.stream, stack)
        ends = size_words(float(kept[-1])), size_words(float(lost[-1]))
        draw_chart("norm_growth", figures.growth, kept, lost, names, ends, stack=stack)
        cards.readout(written_sentence(shown, unnormed))


def never_read(selection: Selection, trace: Trace) -> str:
    """One sentence when the token in hand was written last, so that the decoder never read it; else empty."""
    written = trace.tokens.written
    if not written or selection.token != f"t{len(written)}":
        return ""
    return tr(
        "The decoder wrote {word} last and never read it, so it has no vector to follow.",
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


def draw_norms(shown: DecodeView) -> None:
    """The token in hand, one norm, the token's path through the stack; on request the model without norms, and the rest."""
    decoded = shown.decode.trace
    side, token = token_in_hand(shown.selection, len(decoded.source_ids), len(decoded.target_ids))
    _token(shown, side, token)  # before the pass that records norms
    try:
        trace, made = recorded_tables(shown)
        parameters = context.norm_parameters(shown.entry, shown.device)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    token_journey = journey(trace, "encoder" if side == "s" else "decoder", token, made)
    site = chosen_site(shown.selection, shown.entry.config, token_journey.stack)
    left, right = st.columns(2, gap="small")
    with left:
        numbers = steps(trace, site, token, parameters[site])
        _one_norm(numbers, token_journey.label, token_journey.config)
    with right:
        _stream(token_journey)
    _growth(shown, token_journey)
    named = shown.selection.full in _FOLDED or bool(shown.selection.norm_site)
    label = (
        tr("What each sub-layer adds, every norm, and γ and β")
        if has_shift(token_journey)
        else tr("What each sub-layer adds, every norm, and γ")
    )
    folded = cards.folded(label, "norms", opened=named)
    if not folded.open:
        return
    outlying, rebuilt = outliers_and_error(shown, trace, parameters)
    with folded:
        left, right = st.columns(2, gap="small")
        with left:
            _shares(token_journey)
        with right:
            _norms(token_journey, rebuilt)
        _gains(token_journey, parameters, site, outlying)


def _token(shown: DecodeView, side: str, token: int) -> None:
    """The choice of the token that all cards are about."""
    trace = shown.decode.trace
    sides = {"s": trace.tokens.source, "t": trace.tokens.target}
    with cards.card("token", fill=False):
        word = quoted(sides[side][token])
        if side == "s":
            cards.title(
                tr("What happens to {word} on its way through the encoder", word=word),
                tr(
                    "Choose a token; the final norm turns the last vector of a source token into a row of the encoder output"
                )
                if trace.config.of("encoder").final_norm
                else tr("Choose a token; the last vector of a source token is a row of the encoder output"),
            )
        else:
            cards.title(
                tr("What happens to {word} on its way through the decoder", word=word),
                tr("Choose a token; the decoder reads ⟨start⟩ and the words already written"),
            )
        token_picker(list(sides.items()), f"{side}{token}")
        if sentence := never_read(shown.selection, trace):
            cards.quiet(sentence)


def has_shift(token_journey: Journey) -> bool:
    """Whether its norms add β; an RMS norm does not."""
    return token_journey.config.norm_formula != "rms"


def recorded_tables(shown: DecodeView) -> tuple[Trace, Tables]:
    """What is recorded of a decode for this page, and every norm, sub-layer and length of the stream in it.

    Raises `AtlasError` with one sentence.
    """
    trace = shown.recorded(analysis.RECORD)
    return trace, shown.memo(("norm tables",), lambda: tables(trace))


def outliers_and_error(
    shown: DecodeView, trace: Trace, parameters: Mapping[NormSite, NormParameters]
) -> tuple[str, float]:
    """The sentence about outlying dimensions of this decode, and the largest difference of a norm's output from the one
    rebuilt from its recorded mean and variance.
    """

    def make() -> tuple[str, float]:
        rebuilt = analysis.rebuild_errors(trace, parameters)
        return analysis.outlier_sentence(parameters, trace), float(rebuilt["error"].max())

    return shown.memo(("outliers",), make)


def growth_title(token_journey: Journey) -> str:
    """How long a token's vector is at the beginning and at the end."""
    first, last = (float(token_journey.lengths[end]) for end in (0, -1))
    names = {
        "word": quoted(token_journey.label),
        "first": numeral(first, ".1f"),
        "last": numeral(last, ".1f"),
    }
    if last > first:
        return tr("{word} grows from {first} to {last}", **names)
    return tr("{word} goes from {first} to {last}", **names)


def _stream(token_journey: Journey) -> None:
    with cards.card("stream"):
        cards.title(
            growth_title(token_journey),
            [
                (tr("Length of its vector"), "metric:stream_length"),
                " "
                + tr(
                    "after {points}; the other tokens in grey",
                    points=wording.stream_after(token_journey.config),
                ),
            ],
        )
        draw_chart(
            "norm_stream",
            figures.stream,
            token_journey.stream,
            token_journey.token,
            token_journey.stack,
            fills=True,
        )
        cards.readout(figures.stream_sentence(token_journey))


def _shares(token_journey: Journey) -> None:
    with cards.card("shares"):
        cards.title(
            figures.share_title(token_journey),
            [
                f"{tr('Above:')} ",
                (tr("length added ÷ length of the vector"), "metric:sublayer_share"),
                f"{tr('; below:')} ",
                (tr("cosine of the two"), "metric:sublayer_cosine"),
            ],
        )
        draw_chart("norm_shares", figures.shares, token_journey.sublayers)
        cards.readout(figures.share_sentence(token_journey))


def _norms(token_journey: Journey, error: float) -> None:
    with cards.card("norms"):
        spread, name = wording.norm_spread(token_journey.config)
        cards.title(
            tr("“{word}” before and after every norm", word=token_journey.label),
            [
                f"{tr('Above:')} ",
                (name, "metric:root_mean_square" if spread == "rms" else "metric:deviation"),
                f"{tr('; below:')} ",
                (tr("mean"), "metric:feature_mean"),
                ". "
                + tr(
                    "Hollow: input; filled: output, {parameters} included",
                    parameters=wording.norm_parameters(token_journey.config),
                ),
            ],
        )
        draw_chart("norm_before_after", figures.before_after, token_journey.norms, spread=spread)
        cards.readout(
            figures.norm_sentence(token_journey),
            [Fact(tr("every output follows from the recorded statistics"), error <= ROUNDING, error)],
        )


def _gains(
    token_journey: Journey,
    parameters: Mapping[NormSite, NormParameters],
    site: NormSite,
    outlying: str,
) -> None:
    gamma, beta = parameters[site]
    shifts = has_shift(token_journey)
    with cards.card("gains"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="top"):
            cards.title(
                figures.gains_title(site, parameters[site], shifts),
                [
                    ("γ", "metric:gain"),
                    *((f" {tr('and')} ", ("β", "metric:shift")) if shifts else ()),
                    " "
                    + tr(
                        "over {count} dimensions, the same for every token; ticks mark outlying γ",
                        count=len(gamma),
                    ),
                ],
            )
            options = [each for each in parameters if each.stack == token_journey.stack]
            names = {".".join(map(str, each)): figures.site_name(*each) for each in options}
            bound = state.bind("norm_site", shown=".".join(map(str, site)))
            cards.listing(tr("norm"), names, bound, 110)
        draw_chart(
            "norm_gains",
            figures.gains,
            gamma,
            beta if shifts else None,
            site=site,
            outliers=outliers(parameters, site),
        )
        cards.readout(outlying)
