"""The Norms page in sentences: what the norms and sub-layers do to one token, and which dimensions are outliers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from core.analysis import norms as analysis
from core.analysis import wording
from core.analysis.norms import NormParameters, NormSite
from core.analysis.readout import decimal, quoted
from core.language import message, plural, tr
from core.model.config import ModelConfig
from core.model.trace import Trace
from ui.inside.norm_journey import Journey

_LISTED: Final = 4  # large dimensions that are named of each stack
_SUBLAYERS: Final = {
    "self": message("layer {layer}'s self-attention"),
    "cross": message("layer {layer}'s cross-attention"),
    "ffn": message("layer {layer}'s feed-forward"),
}
_NORMS: Final = {
    "self": message("the norm of layer {layer}'s self-attention"),
    "cross": message("the norm of layer {layer}'s cross-attention"),
    "ffn": message("the norm of layer {layer}'s feed-forward"),
}
_ONCE: Final = {
    ("encoder", "embed"): message("the norm of the encoder's embedding"),
    ("decoder", "embed"): message("the norm of the decoder's embedding"),
    ("encoder", "final"): message("the encoder's final norm"),
    ("decoder", "final"): message("the decoder's final norm"),
}


def capital(words: str) -> str:
    """Words at the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def in_words(site: NormSite) -> str:
    """“layer 2's feed-forward”."""
    return tr(_SUBLAYERS[site.block], layer=site.layer)


def norm_in_words(site: NormSite) -> str:
    """“the norm of layer 2's feed-forward”, or “the encoder's final norm”, which belongs to no sub-layer."""
    if site.block in _NORMS:
        return tr(_NORMS[site.block], layer=site.layer)
    return tr(_ONCE[site.stack, site.block])


def norm_sentence(token_journey: Journey, config: ModelConfig) -> str:
    """Which norm changes this token most, and how."""
    rows = token_journey.norms
    column, spread = wording.norm_spread(config)
    most = rows.loc[(rows[f"{column}_before"] - rows[f"{column}_after"]).abs().idxmax()]
    site = NormSite(most["stack"], int(most["layer"]), most["block"])
    return tr(
        "For {word}, {norm} changes most: the {spread} goes from {before} to {after}, the mean from {mean_before} to "
        "{mean_after}.",
        word=quoted(token_journey.label),
        norm=norm_in_words(site),
        spread=spread,
        before=f"{most[f'{column}_before']:.2f}",
        after=f"{most[f'{column}_after']:.2f}",
        mean_before=decimal(most["mean_before"]),
        mean_after=decimal(most["mean_after"]),
    )


def most_added(token_journey: Journey) -> tuple[NormSite, float, float]:
    """The sub-layer that adds most to this token, its share of the vector's length, and the cosine."""
    rows = token_journey.sublayers
    most = rows.loc[rows["ratio"].idxmax()]
    site = NormSite(most["stack"], int(most["layer"]), most["block"])
    return site, float(most["ratio"]), float(most["cosine"])


def share_title(token_journey: Journey) -> str:
    """Which sub-layer adds most."""
    site, ratio, _ = most_added(token_journey)
    return tr(
        "{sublayer} adds most to {word}: {ratio} times the length of its vector",
        sublayer=capital(in_words(site)),
        word=quoted(token_journey.label),
        ratio=f"{ratio:.2f}",
    )


def share_sentence(token_journey: Journey) -> str:
    """In which direction the largest addition points."""
    _, _, cosine = most_added(token_journey)
    value = decimal(cosine)
    if cosine > 0.2:
        return tr("It points along the vector that was there (cosine {cosine}).", cosine=value)
    if cosine < -0.2:
        return tr("It points against the vector that was there (cosine {cosine}).", cosine=value)
    return tr("It is nearly at a right angle to the vector that was there (cosine {cosine}).", cosine=value)


def stream_sentence(token_journey: Journey, config: ModelConfig) -> str:
    """How the vector's length grows through the stack."""
    rows = token_journey.stream[
        (token_journey.stream["stack"] == token_journey.stack)
        & (token_journey.stream["token"] == token_journey.token)
    ]
    names = {
        "word": quoted(token_journey.label),
        "first": f"{float(rows['length'].iloc[0]):.1f}",
        "last": f"{float(rows['length'].iloc[-1]):.1f}",
        "reason": wording.stream_length(config),
    }
    if config.final_norm:
        return tr(
            "{word} enters {first} long and leaves {last} long before the final norm; {reason}.", **names
        )
    return tr("{word} enters {first} long and leaves {last} long; {reason}.", **names)


def outlier_sentence(parameters: Mapping[NormSite, NormParameters], trace: Trace) -> str:
    """Outlier dimensions, in the gains and in the residual stream."""
    gains = analysis.outlier_gains(parameters)
    sentences = [
        plural(
            "{count} gain γ lies beyond 3 σ of its norm.",
            "{count} gains γ lie beyond 3 σ of their norm.",
            len(gains),
        )
        if len(gains)
        else tr("No gain γ lies beyond 3 σ of its norm.")
    ]
    if len(gains):
        counts = gains["dimension"].value_counts()
        if counts.iloc[0] > 1:
            sentences.append(
                tr(
                    "Dimension {dimension} is among them in {count} norms.",
                    dimension=counts.index[0],
                    count=counts.iloc[0],
                )
            )
    sentences.append(stream_outliers(analysis.outlier_activations(trace), trace.config.d_model))
    return " ".join(sentences)


def stream_outliers(table: pd.DataFrame, width: int) -> str:
    """Large dimensions of the stream; if there are many, that none stands out."""
    criterion = tr(
        "|h| ≥ {size} in a quarter of the layers and {share} % of the tokens",
        size=f"{analysis.OUTLIER_SIZE:g}",
        share=f"{100 * analysis.OUTLIER_TOKENS:g}",
    )
    if not len(table):
        return tr("No dimension of the stream reaches {criterion}.", criterion=criterion)
    parts = [(str(stack), list(part["dimension"])) for stack, part in table.groupby("stack", sort=False)]
    if len(table) > width // 10:
        counts = _joined([tr(_MANY[stack], count=len(part), width=width) for stack, part in parts])
        return tr(
            "{dimensions} reach {criterion}, so no single dimension dominates.",
            dimensions=counts,
            criterion=criterion,
        )
    listed = _joined([_dimensions(stack, part) for stack, part in parts])
    if len(table) > 1:
        return tr("In the stream, {dimensions} reach {criterion}.", dimensions=listed, criterion=criterion)
    return tr("In the stream, {dimension} reaches {criterion}.", dimension=listed, criterion=criterion)


_MANY: Final = {
    "encoder": message("{count} of {width} encoder dimensions"),
    "decoder": message("{count} of {width} decoder dimensions"),
}
_ONE: Final = {
    "encoder": message("encoder dimension {list}"),
    "decoder": message("decoder dimension {list}"),
}
_SEVERAL: Final = {
    "encoder": message("encoder dimensions {list}"),
    "decoder": message("decoder dimensions {list}"),
}


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else tr("{first} and {second}", first=parts[0], second=parts[1])


def _dimensions(stack: str, indices: Sequence[int]) -> str:
    """Large dimensions of one stack: “encoder dimensions 3, 17”."""
    listed = ", ".join(map(str, indices[:_LISTED]))
    if len(indices) > _LISTED:
        listed = tr("{list} and {count} more", list=listed, count=len(indices) - _LISTED)
    return tr((_SEVERAL if len(indices) > 1 else _ONE)[stack], list=listed)


def gains_title(site: NormSite, parameters: NormParameters, has_shift: bool) -> str:
    """Between which numbers a norm scales and shifts."""
    gamma, beta = parameters
    names = {
        "norm": capital(norm_in_words(site)),
        "low": decimal(float(gamma.min())),
        "high": decimal(float(gamma.max())),
    }
    if not has_shift:
        return tr("{norm} scales by {low} to {high}", **names)
    return tr(
        "{norm} scales by {low} to {high} and shifts by {shift_low} to {shift_high}",
        shift_low=decimal(float(beta.min())),
        shift_high=decimal(float(beta.max())),
        **names,
    )
