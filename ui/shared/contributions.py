"""Contributions drawn by the Attention page instead of weights: those of one decode by kind, computed on demand.

All are cached. Heavy ones are computed step by step, so that other visitors get their turn, and only up to a stated
length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from core.analysis import contributions as analysis
from core.analysis import maps
from core.analysis.contributions import PREFIX_LABEL, SOURCE_LABEL
from core.errors import InputError
from core.language import numeral, tr
from core.tokenizer import Tokenizer
from core.tokenizer.piece import END_LABEL
from ui.session.selection import Measure
from ui.shared import maps as view
from ui.shared import models
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.maps import Axis
from ui.style.theme import KINDS, Kind

Array = NDArray[np.float64]
OF_LAYER: Final = ("residual", "alti", "zeroing", "rollout")
"""Measures that a layer has and a head has not: heads are summed before norm and residual."""
SUMMED: Final = ("lengths", "residual", "alti")
"""Measures made of the parts that sum to the real activation."""
PARTS_LIMIT: Final = 12_000_000
"""Numbers in the parts (T, S, d) of one layer: three such arrays at a time are 300 MB."""
ZEROING_LIMIT: Final = 120_000
"""Token vectors through a layer, all layers together: some seconds on one core."""


@dataclass(frozen=True)
class Measured:
    """A measure of one kind: `values` (rows of pictures, pictures, T, K), the heads of each layer, or of `of_layer`
    measures the layers side by side, with the baseline of uniform attention below them in a rollout.

    Rows sum to 1 where the `unit` is "share"; lengths are those of vectors. `aside` labels the last column, which is no
    token but the rest: the prefix of a written word, or its source. `readings` are numbers of each picture. `gap`: how
    far the parts are from the real activation, relative to the largest of it, at worst of all attention sub-layers.
    """

    kind: Kind
    measure: Measure
    values: Array
    unit: Literal["share", "length"]
    readings: Mapping[str, Array]
    aside: str = ""
    gap: float | None = None

    @property
    def of_layer(self) -> bool:
        """Whether a picture is a layer."""
        return self.measure in OF_LAYER

    @property
    def top(self) -> float:
        """The number in full colour: the largest of all pictures, 1 for shares."""
        return 1.0 if self.unit == "share" else max(float(self.values.max(initial=0.0)), 1e-9)

    def axes(
        self, decode: Decode, tokenizers: tuple[Tokenizer, Tokenizer], words: bool
    ) -> tuple[Array, Axis, Axis]:
        """The values with the words of their rows and columns, pieces of a word merged where `words` says so.

        Only shares are merged: the length of a sum is not the sum of lengths.
        """
        source, target = tokenizers
        together = words and self.unit == "share"
        queries, keys = view.axes(decode, self.kind, together, source.joined, target.joined)
        if self.aside:
            last = (self.values.shape[-1] - 1,)
            keys = Axis((*keys.labels, self.aside), (*keys.groups, last))
        if not together:
            return self.values, queries, keys
        return maps.merge_words(self.values, queries.groups, keys.groups), queries, keys


def contributions_of(shown: DecodeView, measure: Measure, kind: Kind) -> Measured:
    """A measure of one kind of a decode. Raises `InputError`, one sentence, where the sentence is too long for it."""
    return shown.memo((measure, kind), lambda: _MADE[measure](shown, kind))


# -- one function a measure -------------------------------------------------------------------------------------


def _layers(shown: DecodeView, kind: Kind) -> Any:
    """The parts of every attention sub-layer of a kind, the lowest first."""
    from core.experiments import contributions as experiment

    return experiment.layers(shown.load().model, shown.recorded(experiment.RECORD), cast(Any, kind))


def _gap(shown: DecodeView) -> float:
    """How far the parts of all sub-layers are from the real activations, relative to the largest of each, at worst."""
    from core.experiments import contributions as experiment

    return shown.memo(("gap",), lambda: experiment.gap(shown.load().model, shown.recorded(experiment.RECORD)))


def _bounded(decode: Decode, measure: str) -> None:
    """Raises `InputError` where the parts of a layer are too many numbers."""
    source, written = len(decode.trace.source_ids), len(decode.trace.written_ids)
    width = decode.trace.config.d_model
    pairs = max(source * source, written * (source + 1), written * written)
    if pairs * width > PARTS_LIMIT:
        most = int((PARTS_LIMIT / width) ** 0.5)
        raise InputError.tr(
            "In this model, {measure} is computed for up to {most} tokens per side; these sentences have {source} and "
            "{written}. Shorten the sentence.",
            measure=measure,
            most=most,
            source=source,
            written=written,
        )


def _lengths(shown: DecodeView, kind: Kind) -> Measured:
    _bounded(shown.decode, tr("The check of ‖αf(x)‖"))
    values = np.stack(models.in_turns(map(analysis.weighted_norms, _layers(shown, kind))))  # (L, H, T, S)
    total = values.sum(axis=-1)
    readings = {"added_length": total.mean(axis=-1)}
    keys = view.axes(shown.decode, kind, False, str, str)[1].labels
    if END_LABEL in keys:
        end = values[..., [label == END_LABEL for label in keys]].sum(axis=-1)
        readings["end_length"] = np.divide(end, total, out=np.zeros_like(end), where=total > 0).mean(axis=-1)
    return Measured(kind, "lengths", values, "length", readings, gap=_gap(shown))


def _residual(shown: DecodeView, kind: Kind) -> Measured:
    _bounded(shown.decode, tr("The part of each token"))
    every = _layers(shown, kind)
    values = np.stack(models.in_turns(analysis.norms_after(layer) for layer in every))[None]
    mixing = np.array(models.in_turns(analysis.mixing_ratio(layer).mean() for layer in every))[None]
    aside = PREFIX_LABEL if kind == "cross" else ""
    gap = _gap(shown)
    return Measured(kind, "residual", values, "length", {"mixing": mixing}, aside, gap)


def _alti_layers(shown: DecodeView) -> Mapping[str, Sequence[Array]]:
    """`alti` of every layer by kind, the lowest first."""
    _bounded(shown.decode, "ALTI+")

    def make() -> Mapping[str, Sequence[Array]]:
        return {kind: models.in_turns(map(analysis.alti, _layers(shown, kind))) for kind in KINDS}

    return shown.memo(("alti layers",), make)


def _alti(shown: DecodeView, kind: Kind) -> Measured:
    each = _alti_layers(shown)
    gap = _gap(shown)
    if kind == "encoder":
        values = analysis.compose(each["encoder"])[None]
        return Measured(kind, "alti", values, "share", {"from_others": _from_others(values)}, gap=gap)
    composed = analysis.alti_plus_layers(each["encoder"], each["causal"], each["cross"])
    values, aside = halves_of(composed, len(shown.decode.trace.source_ids), kind)
    return Measured(kind, "alti", values[None], "share", _from_source(values[None], kind), aside, gap)


def _rollout(shown: DecodeView, kind: Kind) -> Measured:
    weights = {each: np.asarray(shown.decode.trace.stacked(*view.PLACES[each], "weights")) for each in KINDS}
    baseline = {
        each: np.broadcast_to(
            maps.uniform_weights(values.shape[-2], values.shape[-1], maps.hides_later(each, values)),
            (len(values), 1, *values.shape[-2:]),
        )
        for each, values in weights.items()
    }
    if kind != "cross":
        values = np.stack([analysis.rollout(weights[kind]), analysis.rollout(baseline[kind])])
        return Measured(kind, "rollout", values, "share", {"from_others": _from_others(values)})
    rows = []
    for each in (weights, baseline):
        halves = {one: analysis.halves(each[one], cross=one == "cross") for one in KINDS}
        composed = analysis.alti_plus_layers(halves["encoder"], halves["causal"], halves["cross"])
        rows.append(halves_of(composed, weights["cross"].shape[-1], kind)[0])
    values = np.stack(rows)
    return Measured(kind, "rollout", values, "share", _from_source(values, kind), PREFIX_LABEL)


def _zeroing(shown: DecodeView, kind: Kind) -> Measured:
    from core.experiments import contributions as experiment

    trace = shown.decode.trace
    source, written = trace.source_ids, trace.written_ids
    cost = experiment.zeroing_cost(trace.config, len(source), len(written), cast(Any, kind))
    if cost > ZEROING_LIMIT:
        raise InputError.tr(
            "Value zeroing runs every layer once for each token, here {cost} token vectors; up to {most} are computed. "
            "Shorten the sentence.",
            cost=numeral(cost, ","),
            most=numeral(ZEROING_LIMIT, ","),
        )
    loaded = shown.load()
    steps = experiment.value_zeroing_steps(loaded, source, written, cast(Any, kind))
    values = np.stack([rows for _, rows in models.in_turns(steps) if rows is not None])[None]
    readings = {"from_others": _from_others(values)} if kind != "cross" else {}
    return Measured(kind, "zeroing", values, "share", readings)


_MADE: Final[Mapping[str, Callable[[DecodeView, Kind], Measured]]] = {
    "lengths": _lengths,
    "residual": _residual,
    "alti": _alti,
    "zeroing": _zeroing,
    "rollout": _rollout,
}


def halves_of(composed: Array, keys: int, kind: Kind) -> tuple[Array, str]:
    """One side of (…, T, S + T), and what its last column is: the other side, summed."""
    source, prefix = composed[..., :keys], composed[..., keys:]
    one, other = (source, prefix) if kind == "cross" else (prefix, source)
    rest = other.sum(axis=-1, keepdims=True)
    return np.concatenate([one, rest], axis=-1), PREFIX_LABEL if kind == "cross" else SOURCE_LABEL


def _from_others(values: Array) -> Array:
    return np.asarray(1.0 - np.diagonal(values, axis1=-2, axis2=-1).mean(axis=-1))


def _from_source(values: Array, kind: Kind) -> dict[str, Array]:
    rest = values[..., -1].mean(axis=-1)
    return {"from_source": np.asarray(1.0 - rest if kind == "cross" else rest)}
