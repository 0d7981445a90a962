"""Layer norm and the residual stream, token by token, from a `Trace` that recorded the stream's sites.

Ask for `RECORD` when tracing. Tables are tidy: one row per (stack, layer, block, token); `token` is the
index and `label` the readable token. Works for post-norm, norm(x + sublayer(x)), and pre-norm,
x + sublayer(norm(x)). `layer` counts from 0; the embedding's and the stack's final norm have layer 0
and the blocks "embed" and "final".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.language import message, plural, tr
from core.model.config import ModelConfig
from core.model.hooks import Site
from core.model.trace import Trace

Array = NDArray[np.float64]

RECORD: Final = (
    "*.norm_*",
    "*.residual_*",
    "*.self.output",
    "*.cross.output",
    "*.ffn.output",
    "*.final.output",
)
GAIN_SIGMAS: Final = 3.0  # Kovaleva et al. 2021
OUTLIER_SIZE, OUTLIER_LAYERS, OUTLIER_TOKENS = 6.0, 0.25, 0.06  # Dettmers et al. 2022, §4


class NormSite(NamedTuple):
    """One norm, and the sub-layer it belongs to."""

    stack: str
    layer: int
    block: str


class NormParameters(NamedTuple):
    """Scale γ and shift β of one norm, `(d_model,)` each; β is zero for RMS norm."""

    gamma: Array
    beta: Array


SUBLAYERS: Final = {"encoder": ("self", "ffn"), "decoder": ("self", "cross", "ffn")}
"""The sub-layers of a layer of each stack, in the order of computation."""


def sublayers(config: ModelConfig) -> Iterator[NormSite]:
    """Every sub-layer in the order of computation, encoder first."""
    for stack, blocks in SUBLAYERS.items():
        for layer in range(config.layers(stack)):
            yield from (NormSite(stack, layer, block) for block in blocks)


def norm_sites(config: ModelConfig) -> Iterator[NormSite]:
    """Every norm of the model: one per sub-layer, and those after the embedding and after each stack."""
    for stack in ("encoder", "decoder"):
        if config.embedding_norm:
            yield NormSite(stack, 0, "embed")
        yield from (site for site in sublayers(config) if site.stack == stack)
        if config.of(stack).final_norm:
            yield NormSite(stack, 0, "final")


def norm_parameters(state: Mapping[str, Any], config: ModelConfig) -> dict[NormSite, NormParameters]:
    """γ and β of every norm from a model's state: parameter name → tensor or array."""
    parameters = {}
    for site in norm_sites(config):
        prefix = _parameter_prefix(site)
        if f"{prefix}.weight" not in state:
            raise InputError(f"The model's state has no {prefix}.weight; it does not fit this configuration.")
        gamma = _as_array(state[f"{prefix}.weight"])
        beta = state.get(f"{prefix}.bias")
        parameters[site] = NormParameters(gamma, np.zeros_like(gamma) if beta is None else _as_array(beta))
    return parameters


def _parameter_prefix(site: NormSite) -> str:
    if site.block == "embed":
        return f"{'source' if site.stack == 'encoder' else 'target'}_embedding.norm"
    if site.block == "final":
        return f"{site.stack}_norm"
    return f"{site.stack}_layers.{site.layer}.{site.block}_residual.norm"


def _as_array(values: Any) -> Array:
    # A tensor may need a gradient or be on a GPU; this module does not import torch to check.
    plain = values.detach().cpu() if hasattr(values, "detach") else values
    return np.asarray(plain, dtype=np.float64)


def rebuild_norm(
    norm_input: ArrayLike,
    mean: ArrayLike,
    var: ArrayLike,
    parameters: NormParameters,
    eps: float,
    formula: str = "layer",
) -> Array:
    """The norm's output `(T, d)` from its input `(T, d)`, recorded mean and variance `(T,)`, γ and β."""
    centre, variance = (np.asarray(value, dtype=np.float64)[..., None] for value in (mean, var))
    divisor = norm_divisor(variance, eps, formula)
    scaled = (np.asarray(norm_input, dtype=np.float64) - centre) / divisor
    return np.asarray(scaled * parameters.gamma + parameters.beta, dtype=np.float64)


def norm_divisor(variance: Array, eps: float, formula: str) -> Array:
    """The divisor of a norm, of the shape of `variance`. Raises `InputError` for an unknown formula."""
    if formula == "layer_unbiased_std":
        return np.asarray(np.sqrt(variance) + eps, dtype=np.float64)
    if formula in ("layer", "rms"):
        return np.asarray(np.sqrt(variance + eps), dtype=np.float64)
    raise InputError(f"Norm formula {formula!r} is unknown; choose layer, layer_unbiased_std or rms.")


def rebuild_errors(trace: Trace, parameters: Mapping[NormSite, NormParameters]) -> pd.DataFrame:
    """Per recorded norm, the difference of the output rebuilt from the statistics from the recorded one.

    Columns: stack, layer, block, error (largest difference over the largest output, or over 1 if that is
    smaller). Below 1e-5 in single precision.
    """
    rows = []
    for site in norm_sites(trace.config):
        kinds = ("norm_input", "norm_mean", "norm_var", "norm_output")
        if not all(trace.has(Site(*site, kind)) for kind in kinds):
            continue
        before, mean, var, after = (_array(trace, site, kind) for kind in kinds)
        config = trace.config.of(site.stack)
        rebuilt = rebuild_norm(before, mean, var, parameters[site], config.norm_eps, config.norm_formula)
        size = np.abs(after).max(initial=1.0)
        rows.append((*site, float(np.abs(rebuilt - after).max(initial=0.0) / size)))
    return pd.DataFrame(rows, columns=["stack", "layer", "block", "error"])


def norm_table(trace: Trace) -> pd.DataFrame:
    """Mean, spread and length of every token's vector before and after every recorded norm.

    Columns: stack, layer, block, token, label, then mean, std, rms (root mean square), length with suffix _before (the norm's
    input) and _after (its output, γ and β included). The deviation divides by d.
    """
    parts = []
    for site in norm_sites(trace.config):
        if not trace.has(Site(*site, "norm_input")):
            continue
        columns: dict[str, Any] = {}
        for suffix, kind in (("before", "norm_input"), ("after", "norm_output")):
            values = _array(trace, site, kind)  # (T, d)
            columns[f"mean_{suffix}"] = values.mean(axis=-1)
            columns[f"std_{suffix}"] = values.std(axis=-1)
            columns[f"rms_{suffix}"] = np.sqrt(np.square(values).mean(axis=-1))
            columns[f"length_{suffix}"] = np.linalg.norm(values, axis=-1)
        parts.append(_rows(trace, site, columns))
    return _joined(parts, "norm_input and norm_output")


def sublayer_table(trace: Trace) -> pd.DataFrame:
    """The size of each sub-layer's output relative to the stream, token by token.

    Columns: stack, layer, block, token, label, residual (‖x‖ entering), output (‖sublayer(x)‖), ratio
    (output / residual, NaN where the residual is zero), cosine (between the two, NaN where one is
    zero), total (‖x + sublayer(x)‖).
    """
    parts = []
    for site in sublayers(trace.config):
        if not trace.has(Site(*site, "output")):
            continue
        stream, added = _array(trace, site, "residual_before"), _array(trace, site, "output")
        residual, output = np.linalg.norm(stream, axis=-1), np.linalg.norm(added, axis=-1)
        dot = np.einsum("td,td->t", stream, added)
        columns = {
            "residual": residual,
            "output": output,
            "ratio": _quotient(output, residual),
            "cosine": np.clip(_quotient(dot, residual * output), -1.0, 1.0),
            "total": np.linalg.norm(stream + added, axis=-1),
        }
        parts.append(_rows(trace, site, columns))
    return _joined(parts, "residual_before and output")


def stream_table(trace: Trace) -> pd.DataFrame:
    """‖h‖ of every token by depth: depth 0 is the embedding, depth n the stream after n sub-layers.

    Columns: stack, layer, block, token, label, depth, length. In a post-norm model the stream after a
    sub-layer is the norm's output, in a pre-norm model the sum itself; a final norm, which is not part
    of the stream, is left out. Rows at depth 0 have the block "embed".
    """
    parts = []
    for stack in ("encoder", "decoder"):
        sites = [site for site in sublayers(trace.config) if site.stack == stack]
        if not sites or not trace.has(Site(*sites[0], "residual_before")):
            continue
        for depth in range(len(sites) + 1):
            site = sites[depth - 1] if depth else NormSite(stack, 0, "embed")
            stream = _after(trace, site) if depth else _array(trace, sites[0], "residual_before")
            columns = {"depth": depth, "length": np.linalg.norm(stream, axis=-1)}
            parts.append(_rows(trace, site, columns))
    return _joined(parts, "residual_before and residual_after")


def outlier_gains(parameters: Mapping[NormSite, NormParameters]) -> pd.DataFrame:
    """Dimensions whose γ lies more than `GAIN_SIGMAS` standard deviations from its norm's mean (Kovaleva 2021).

    Columns: stack, layer, block, dimension, gamma, sigmas (signed distance).
    """
    rows = []
    for site, (gamma, _) in parameters.items():
        spread = gamma.std()
        score = (gamma - gamma.mean()) / spread if spread > 0 else np.zeros_like(gamma)
        rows += [(*site, int(i), gamma[i], score[i]) for i in np.flatnonzero(np.abs(score) > GAIN_SIGMAS)]
    return pd.DataFrame(rows, columns=["stack", "layer", "block", "dimension", "gamma", "sigmas"])


def outlier_activations(trace: Trace) -> pd.DataFrame:
    """Dimensions of the stream with |h| ≥ 6 in ≥ 25 % of layers and for ≥ 6 % of tokens (Dettmers 2022, §4).

    Uses the stream after each layer. A layer counts where any token is that large, a token where it
    is that large in any layer. Columns: stack, dimension, layers, tokens (shares), largest (|h|).
    """
    rows: list[tuple[str, int, float, float, float]] = []
    for stack in ("encoder", "decoder"):
        ends = [site for site in sublayers(trace.config) if site.stack == stack and site.block == "ffn"]
        if not ends or not trace.has(Site(*ends[0], "residual_after")):
            continue
        stream = np.abs(np.stack([_after(trace, site) for site in ends]))  # (L, T, d)
        large = stream >= OUTLIER_SIZE
        in_layers, in_tokens = large.any(axis=1).mean(axis=0), large.any(axis=0).mean(axis=0)
        for index in np.flatnonzero((in_layers >= OUTLIER_LAYERS) & (in_tokens >= OUTLIER_TOKENS)):
            share = (float(in_layers[index]), float(in_tokens[index]))
            rows.append((stack, int(index), *share, float(stream[..., index].max())))
    return pd.DataFrame(rows, columns=["stack", "dimension", "layers", "tokens", "largest"])


def _after(trace: Trace, site: NormSite) -> Array:
    """The stream `(T, d)` after a sub-layer."""
    return _array(
        trace,
        site,
        "residual_after" if trace.config.of(site.stack).norm_placement == "pre" else "norm_output",
    )


def _array(trace: Trace, site: NormSite, kind: str) -> Array:
    return np.asarray(trace.array(Site(*site, kind)), dtype=np.float64)


def _quotient(numerator: Array, denominator: Array) -> Array:
    result: Array = np.divide(
        numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0
    )
    return result


def _rows(trace: Trace, site: NormSite, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """A row for each token of the stack, by column: the site, the token, and `columns` (T,) or one value for all."""
    labels = trace.tokens.source if site.stack == "encoder" else trace.tokens.target
    given = {**site._asdict(), "token": range(len(labels)), "label": labels, **columns}
    return {
        name: [value] * len(labels) if isinstance(value, str | int) else list(value)
        for name, value in given.items()
    }


def _joined(parts: list[dict[str, list[Any]]], sites: str) -> pd.DataFrame:
    """One table of all rows: a table for each site, put together, takes five times as long."""
    if not parts:
        raise InputError(f"The trace holds no {sites}; record core.analysis.norms.RECORD when tracing.")
    return pd.DataFrame({name: [*chain.from_iterable(part[name] for part in parts)] for name in parts[0]})


# -- outlier dimensions in words -------------------------------------------------------------------------------

_LISTED: Final = 4  # large dimensions that are named of each stack


def outlier_sentence(parameters: Mapping[NormSite, NormParameters], trace: Trace) -> str:
    """Outlier dimensions, in the gains and in the residual stream."""
    gains = outlier_gains(parameters)
    sentences = [
        plural("{count} gain γ is an outlier.", "{count} gains γ are outliers.", len(gains))
        if len(gains)
        else tr("No gain γ is an outlier.")
    ]
    if len(gains):
        counts = gains["dimension"].value_counts()
        if counts.iloc[0] > 1:
            sentences.append(
                tr(
                    "Dimension {dimension} is an outlier in {count} norms.",
                    dimension=counts.index[0],
                    count=counts.iloc[0],
                )
            )
    sentences.append(stream_outliers(outlier_activations(trace), trace.config.d_model))
    return " ".join(sentences)


def stream_outliers(table: pd.DataFrame, width: int) -> str:
    """Large dimensions of the stream; if there are many, that none dominates."""
    if not len(table):
        return tr("No dimension of the stream stands out.")
    if len(table) > width // 10:
        return tr("No single dimension dominates.")
    parts = [(str(stack), list(part["dimension"])) for stack, part in table.groupby("stack", sort=False)]
    listed = _both([_dimensions(stack, part) for stack, part in parts])
    if len(table) > 1:
        return tr("In the stream, {dimensions} stand out.", dimensions=listed)
    return tr("In the stream, {dimension} stands out.", dimension=listed)


_ONE: Final = {
    "encoder": message("encoder dimension {list}"),
    "decoder": message("decoder dimension {list}"),
}
_SEVERAL: Final = {
    "encoder": message("encoder dimensions {list}"),
    "decoder": message("decoder dimensions {list}"),
}


def _both(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else tr("{first} and {second}", first=parts[0], second=parts[1])


def _dimensions(stack: str, indices: Sequence[int]) -> str:
    """Large dimensions of one stack: “encoder dimensions 3, 17”."""
    listed = ", ".join(map(str, indices[:_LISTED]))
    if len(indices) > _LISTED:
        listed = tr("{list} and {count} more", list=listed, count=len(indices) - _LISTED)
    return tr((_SEVERAL if len(indices) > 1 else _ONE)[stack], list=listed)
