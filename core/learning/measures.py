"""The measures that a lesson may name: numbers and words of the current model, computed from what was recorded.

A measure reads a `Scene`: the maps of the current sentence, the head, row, token and norm that a step shows, and, where it
asks for them, the residual stream, the position table and the same sentence under edits. No text of a lesson holds a
number of a model; it names a measure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.analysis import readout
from core.analysis.readout import words_changed
from core.errors import InputError
from core.learning import by_hand, feed_forward, merges, one_vector, small_studies, trials
from core.learning.lesson import Value
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, Site
from core.model.positions import similarity
from core.model.trace import Trace
from core.tokenizer.piece import JOIN_MARK

Kind = Literal["encoder", "causal", "cross"]
Form = Literal["count", "share", "points", "number", "length", "word"]
"""How a value is written: 12, 71 %, −8 points, 0.714, 16.2, “sofa”."""


class Edited(Protocol):
    """The sentence before and after the edits of a step: what greedy search writes, and the weights (L, H, T, S) by kind."""

    @property
    def unedited(self) -> str: ...
    @property
    def rewritten(self) -> str: ...
    @property
    def maps_after(self) -> Mapping[str, NDArray[np.floating]]: ...
    @property
    def before(self) -> NDArray[np.float64]: ...
    @property
    def after(self) -> NDArray[np.float64]: ...


class Carried(Protocol):
    """What the heads of a kind carry of a difference over many sentence pairs (core/experiments/contrast_sets.py)."""

    @property
    def kind(self) -> Kind: ...
    @property
    def heads(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def effects(self) -> tuple[tuple[float, ...], ...]: ...
    @property
    def compared(self) -> int: ...
    @property
    def turned(self) -> int: ...
    @property
    def controls(self) -> tuple[int, ...]: ...


def _nothing_carried() -> Carried:
    raise InputError("Nothing was measured on sentence pairs of this model; use one that has contrasts.json.")


@dataclass(frozen=True)
class Scene:
    """What a step shows of one sentence. `head` is (layer, head) of `kind`; `row` a query of its maps; `token` a source token.

    `stream()` records norms and residual stream as well, `table(length)` are the encoder's position vectors
    (length, d_model), `edited()` the sentence under the step's edits, `zeroed()` the same with every head that they
    switch off set to zero, `carried()` and `carried_second()` what was measured on the model's first and second set of
    sentence pairs; each may raise `AtlasError`. `order` is the position that the edits give to a source token, where it is not its own.
    """

    trace: Trace
    translation: str
    kind: Kind
    head: tuple[int, int]
    row: int
    token: int
    stream: Callable[[], Trace]
    table: Callable[[int], NDArray[np.floating]]
    edited: Callable[[], Edited]
    zeroed: Callable[[], Edited]
    order: Mapping[int, int]
    carried: Callable[[], Carried] = _nothing_carried
    carried_second: Callable[[], Carried] = _nothing_carried

    @property
    def own(self) -> ModelConfig:
        """The options of the stack that the step's kind of attention belongs to."""
        return self.trace.config.of(ATTENTION[self.kind].stack)

    def weights(self, kind: Kind | None = None) -> NDArray[np.float64]:
        """All heads of a kind, (L, H, T, S)."""
        where = ATTENTION[kind or self.kind]
        return np.asarray(self.trace.stacked(where.stack, where.block, "weights"), dtype=np.float64)

    def one(self) -> NDArray[np.float64]:
        """The row of the head that is shown, (S,)."""
        return np.asarray(self.weights()[self.head][self.row], dtype=np.float64)

    @property
    def queries(self) -> tuple[str, ...]:
        tokens = self.trace.tokens
        return {"encoder": tokens.source, "causal": tokens.target, "cross": tokens.written}[self.kind]

    @property
    def keys(self) -> tuple[str, ...]:
        return self.trace.tokens.target if self.kind == "causal" else self.trace.tokens.source


class Measure(NamedTuple):
    """One measure: what it is in words for authors, how it is written, how it is found, and whether in the model in use."""

    about: str
    form: Form
    find: Callable[[Scene], Value]
    of_model: bool = True


# -- heads and rows -----------------------------------------------------------------------------------------


def _largest(weights: NDArray[np.float64], kind: Kind) -> NDArray[np.float64]:
    """The largest weight of a row, averaged over the rows, (L, H, T, S) → (L, H). Rows with a single key are left out."""
    rows = slice(1, None) if kind == "causal" and weights.shape[2] > 1 else slice(None)
    return np.asarray(weights[:, :, rows].max(axis=-1).mean(axis=-1), dtype=np.float64)


def _sharpness(scene: Scene) -> NDArray[np.float64]:
    return _largest(scene.weights(), scene.kind)


def _extreme_head(values: NDArray[np.float64], largest: bool) -> tuple[int, int]:
    layer, head = np.unravel_index(int(values.argmax() if largest else values.argmin()), values.shape)
    return int(layer), int(head)


def _name(head: tuple[int, int]) -> str:
    return f"{head[0]}.{head[1]}"


def _sharpest(scene: Scene) -> tuple[int, int]:
    return _extreme_head(_sharpness(scene), True)


def _broadest(scene: Scene) -> tuple[int, int]:
    return _extreme_head(_sharpness(scene), False)


def _previous(scene: Scene) -> NDArray[np.float64]:
    """What each head gives to the token before, averaged over the rows that have one, (L, H)."""
    return np.asarray(scene.weights().diagonal(-1, 2, 3).mean(axis=-1), dtype=np.float64)


def _previous_row(scene: Scene) -> NDArray[np.float64]:
    """What the head that gives most to the token before gives there, row by row, (T − 1,)."""
    return np.asarray(scene.weights()[_extreme_head(_previous(scene), True)].diagonal(-1), dtype=np.float64)


def _rows_off(scene: Scene) -> float:
    return max(
        float(np.abs(scene.weights(kind).sum(axis=-1) - 1).max()) for kind in ("encoder", "causal", "cross")
    )


def _ahead(weights: NDArray[np.floating]) -> float:
    """The largest weight right of the diagonal of any head."""
    return float(np.triu(np.asarray(weights, dtype=np.float64), 1).max(initial=0.0))


def _turns_back(scene: Scene) -> int:
    """How often the most attended source token lies left of the one of the row before."""
    places = scene.weights("cross")[scene.head].argmax(axis=-1)[:-1]  # the last row writes ⟨end⟩
    return int((np.diff(places) < 0).sum())


def _mean_sharpness(scene: Scene) -> float:
    mean = scene.weights().mean(axis=(0, 1), keepdims=True)
    return float(_largest(mean, scene.kind).max())


def _unscaled(scene: Scene) -> NDArray[np.float64]:
    """The row's weights if the scores had not been divided by √d: the softmax of their logarithms times √d."""
    logs = np.log(np.maximum(scene.one(), 1e-300)) * np.sqrt(scene.own.d_head)
    powers = np.exp(logs - logs.max())
    return np.asarray(powers / powers.sum(), dtype=np.float64)


def _second(scene: Scene) -> int:
    """The key with the second largest weight of the row."""
    return int(np.argsort(scene.one())[-2])


def _product_spread(scene: Scene) -> NDArray[np.float64]:
    """The standard deviation of a row's dot products, before the division by √d, for each head of the kind, (L, H).

    The logarithm of a weight is its score but for a constant of the row, which a deviation does not see. Rows of a single
    key are left out, as are keys that a mask hides.
    """
    weights = scene.weights()
    hidden = np.triu(np.ones(weights.shape[2:], dtype=bool), 1) & (scene.kind == "causal")
    logs = np.ma.masked_array(np.log(np.maximum(weights, 1e-300)), np.broadcast_to(hidden, weights.shape))
    variance = logs[:, :, slice(int(scene.kind == "causal"), None)].var(axis=-1).mean(axis=-1)
    return np.asarray(np.sqrt(variance * scene.own.d_head), dtype=np.float64)


def _shuffled(scene: Scene) -> str:
    tokens = scene.trace.tokens.source
    order = sorted(range(len(tokens)), key=lambda position: scene.order.get(position, position))
    return " ".join(tokens[position] for position in order)


def _source_words(scene: Scene) -> list[list[str]]:
    """The labels of each source word's pieces; punctuation and special tokens are left out."""
    words: list[list[str]] = []
    for label in scene.trace.tokens.source:
        if words and (label.startswith(JOIN_MARK) or words[-1][-1].endswith(JOIN_MARK)):
            words[-1].append(label)
        else:
            words.append([label])
    return [word for word in words if "⟨" not in word[0] and any(map(str.isalnum, "".join(word)))]


def _pair_count(pair: str) -> int:
    """How often two letters are neighbours in the ten words, before any merge."""
    return merges.count_pairs([tuple(word) for word in merges.WORDS])[pair[0], pair[1]]


def _new_word_pieces() -> str:
    return " + ".join(merges.segment(merges.NEW_WORD, merges.learn()))


def _shared_carriers(scene: Scene) -> int:
    return len(set(scene.carried().heads) & set(scene.carried_second().heads))


def _right(one: bool, place: int) -> int:
    """New words of the shortest (0) or longest (−1) length that are right, through one vector or with attention."""
    measured = one_vector.stored()
    return measured.right(measured.lengths[place], one)


_SMOOTHING: Final = 0.05


def _smoothing_floor(scene: Scene) -> float:
    """The entropy of the smoothed target: the loss of a model that gives every word just its share of the target."""
    words = scene.trace.config.target_vocab_size
    other = _SMOOTHING / words
    right = 1 - _SMOOTHING + other
    return float(-right * np.log(right) - (words - 1) * other * np.log(other))


# -- positions ----------------------------------------------------------------------------------------------


def _likeness(scene: Scene, offset: int) -> NDArray[np.float64]:
    return np.asarray(similarity(scene.table(offset + 24)).diagonal(offset), dtype=np.float64)


# -- norm and residual stream -------------------------------------------------------------------------------


def _first_norm(scene: Scene, kind: str) -> NDArray[np.float64]:
    """What the first norm of the encoder's self-attention recorded of the token."""
    return np.asarray(scene.stream().array(Site("encoder", 0, "self", kind))[scene.token], dtype=np.float64)


def _normed(scene: Scene) -> NDArray[np.float64]:
    """The token's vector after the first norm has centred and scaled it, before gain and shift, (d_model,)."""
    values, var = _first_norm(scene, "norm_input"), float(_first_norm(scene, "norm_var"))
    return np.asarray((values - float(_first_norm(scene, "norm_mean"))) / np.sqrt(var), dtype=np.float64)


def _stream(scene: Scene, layer: int, block: str, kind: str) -> NDArray[np.float64]:
    return np.asarray(
        scene.stream().array(Site("encoder", layer, block, kind))[scene.token], dtype=np.float64
    )


def _last(scene: Scene) -> int:
    return scene.trace.config.encoder_layers - 1


def _stream_after(scene: Scene, layer: int, block: str) -> NDArray[np.float64]:
    """The token's stream as it leaves a sub-layer: the sum itself, or the norm's output where the norm follows the sum."""
    pre = scene.trace.config.norm_placement == "pre"
    return _stream(scene, layer, block, "residual_after" if pre else "norm_output")


def _sum_off(scene: Scene) -> float:
    """How far, at most, the stream after each self-attention of the encoder is from the stream before it plus its output."""
    off = 0.0
    for layer in range(_last(scene) + 1):
        before, output = (_stream(scene, layer, "self", kind) for kind in ("residual_before", "output"))
        off = max(off, float(np.abs(before + output - _stream_after(scene, layer, "self")).max()))
    return off


def _added_against(scene: Scene) -> int:
    """How many sub-layers of the encoder put out a vector at more than a right angle to the stream before them."""
    pairs = (
        [_stream(scene, layer, block, kind) for kind in ("residual_before", "output")]
        for layer in range(_last(scene) + 1)
        for block in ("self", "ffn")
    )
    return sum(int(float(before @ output) < 0) for before, output in pairs)


def _stream_first(scene: Scene) -> float:
    return _length(_stream(scene, 0, "self", "residual_before"))


def _stream_last(scene: Scene) -> float:
    return _length(_stream_after(scene, _last(scene), "ffn"))


def _output_growth(scene: Scene) -> float:
    """How long the encoder output is, compared with the beginning: after the final norm, where the model has one."""
    final = Site("encoder", 0, "final", "output")
    trace = scene.stream()
    last = _length(_stream(scene, 0, "final", "output")) if final in trace.records else _stream_last(scene)
    return last / _stream_first(scene)


def _length(values: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(values))


# -- what if ------------------------------------------------------------------------------------------------


def _words_changed(scene: Scene) -> int:
    edited = scene.edited()
    return words_changed(edited.unedited, edited.rewritten)


def _kept(edited: Edited) -> float:
    """The mean probability of the words of the translation after edits, as a share of what it was before."""
    return float(edited.after.sum() / edited.before.sum())


def _points(more: float, less: float) -> float:
    """The difference of two shares as they are written, in whole per cent, so that a reader who subtracts gets the same."""
    return (round(100 * more) - round(100 * less)) / 100


def _moved(scene: Scene) -> NDArray[np.float64]:
    """How far the edits move each head's map, (L, H): half the absolute change of a row, averaged over the rows."""
    after = np.asarray(scene.edited().maps_after[scene.kind], dtype=np.float64)
    return np.asarray(0.5 * np.abs(after - scene.weights()).sum(axis=-1).mean(axis=-1), dtype=np.float64)


def _others(carried: Carried) -> list[tuple[int, int]]:
    """As many heads of the same kind as carry the difference, drawn at random from the others."""
    every = np.ndindex(np.shape(carried.effects))
    others = [(layer, head) for layer, head in every if (layer, head) not in carried.heads]
    drawn = np.random.default_rng(0).choice(len(others), len(carried.heads), replace=False)
    return sorted(others[n] for n in drawn)


def _named(heads: Collection[tuple[int, int]]) -> str:
    return ", ".join(map(_name, heads))


def _zeroing(kind: Kind, heads: Collection[tuple[int, int]]) -> str:
    """The edits that ablate these heads, as a link has them."""
    letter = {"encoder": "e", "causal": "d", "cross": "c"}[kind]
    return "_".join(f"z{letter}{layer}-{head}" for layer, head in sorted(heads))


def _carried_most(scene: Scene) -> float:
    return float(np.max(scene.carried().effects))


def _source_cost(scene: Scene, factor: int = 1) -> trials.Cost:
    """What the encoder's attention costs for a source sentence `factor` times as long."""
    return trials.cost_of(scene.trace.config, factor * len(scene.trace.source_ids))


MEASURES: Final[Mapping[str, Measure]] = {
    "source_tokens": Measure("tokens of the source sentence, ⟨end⟩ counted", "count", lambda s: len(s.trace.tokens.source)),
    "written_tokens": Measure("tokens written, ⟨end⟩ counted", "count", lambda s: len(s.trace.tokens.written)),
    "translation": Measure("what the model wrote", "word", lambda s: s.translation),
    "encoder_layers": Measure("layers of the encoder", "count", lambda s: s.trace.config.encoder_layers),
    "decoder_layers": Measure("layers of the decoder", "count", lambda s: s.trace.config.decoder_layers),
    "heads": Measure("heads of one layer", "count", lambda s: s.own.heads),
    "all_heads": Measure("heads of all layers and all three kinds", "count", lambda s: s.trace.config.head_count),
    "kind_heads": Measure("heads of the kind that the step shows", "count", lambda s: s.weights().shape[0] * s.weights().shape[1]),
    "d_model": Measure("numbers in the vector of a token", "count", lambda s: s.trace.config.d_model),
    "head_size": Measure(
        "numbers in a query or a key of one head", "count", lambda s: s.own.d_head
    ),
    "head": Measure("the head that the step shows, layer.head", "word", lambda s: _name(s.head)),
    "word": Measure("the token of the row that the step shows", "word", lambda s: s.queries[s.row]),
    "keys": Measure("tokens that this row may look at", "count", lambda s: s.row + 1 if s.kind == "causal" else len(s.keys)),
    "row_sum": Measure("sum of the weights of this row", "number", lambda s: float(s.one().sum())),
    "looked_at": Measure("the token that this row looks at most", "word", lambda s: s.keys[int(s.one().argmax())]),
    "looked_weight": Measure("the weight that it has", "share", lambda s: float(s.one().max())),
    "second_at": Measure("the token that it looks at second most", "word", lambda s: s.keys[_second(s)]),
    "second_weight": Measure("the weight that it has", "share", lambda s: float(s.one()[_second(s)])),
    "score_lead": Measure("by how much the largest score of this row exceeds the second", "number", lambda s: float(np.log(s.one().max() / s.one()[_second(s)]))),
    "weight_ratio": Measure("the largest weight of this row divided by the second", "length", lambda s: float(s.one().max() / s.one()[_second(s)])),
    "even_weight": Measure("the weight of each token if this row gave all it may look at the same", "share", lambda s: 1 / (s.row + 1 if s.kind == "causal" else len(s.keys))),
    "rows_off": Measure("how far, at most, the sum of a row of any head of any kind is from 1", "number", _rows_off),
    "sharpest": Measure("the head of the kind whose rows have the largest weights, layer.head", "word", lambda s: _name(_sharpest(s))),
    "sharpest_layer": Measure("its layer", "count", lambda s: _sharpest(s)[0]),
    "sharpest_head": Measure("its number in the layer", "count", lambda s: _sharpest(s)[1]),
    "sharpest_weight": Measure("the largest weight of its rows, on average", "share", lambda s: float(_sharpness(s).max())),
    "broadest": Measure("the head of the kind whose rows are nearest to even, layer.head", "word", lambda s: _name(_broadest(s))),
    "broadest_layer": Measure("its layer", "count", lambda s: _broadest(s)[0]),
    "broadest_head": Measure("its number in the layer", "count", lambda s: _broadest(s)[1]),
    "broadest_weight": Measure("the largest weight of its rows, on average", "share", lambda s: float(_sharpness(s).min())),
    "mean_weight": Measure("the largest weight of the rows of the mean of all heads of the kind, on average", "share", _mean_sharpness),
    "sharpest_ahead": Measure(
        "by how much the sharpest head's largest weights exceed those of the mean of all heads",
        "points",
        lambda s: _points(float(_sharpness(s).max()), _mean_sharpness(s)),
    ),
    "previous": Measure("the head of the kind that gives most to the token before, layer.head", "word", lambda s: _name(_extreme_head(_previous(s), True))),
    "previous_layer": Measure("its layer", "count", lambda s: _extreme_head(_previous(s), True)[0]),
    "previous_head": Measure("its number in the layer", "count", lambda s: _extreme_head(_previous(s), True)[1]),
    "previous_weight": Measure("the weight that it gives there, on average", "share", lambda s: float(_previous(s).max())),
    "previous_rows": Measure("rows in which it gives more than half to the token before", "count", lambda s: int((_previous_row(s) > 0.5).sum())),
    "previous_of": Measure("rows that have a token before", "count", lambda s: len(_previous_row(s))),
    "ahead": Measure("the largest weight right of the diagonal, of all heads of the decoder's self-attention", "number", lambda s: _ahead(s.weights("causal"))),
    "masked_cells": Measure("cells right of the diagonal of one map of the decoder's self-attention", "count", lambda s: int(np.triu(np.ones((len(s.trace.tokens.target),) * 2), 1).sum())),
    "first_row": Measure("the weight that the decoder's first row gives to ⟨start⟩, in the head where it is least", "number", lambda s: float(s.weights("causal")[:, :, 0, 0].min())),
    "turns_back": Measure("how often the head's most attended source token is left of the one before", "count", _turns_back),
    "near_likeness": Measure("cosine of the position vectors of neighbours", "number", lambda s: float(_likeness(s, 1).mean())),
    "far_likeness": Measure("cosine of position vectors 20 apart", "number", lambda s: float(_likeness(s, 20).mean())),
    "likeness_spread": Measure("how far apart the cosines of different pairs of neighbours are, at most", "number", lambda s: float(np.ptp(_likeness(s, 1)))),
    "mean_before": Measure("mean of the token's vector where the first norm reads it", "number", lambda s: float(_first_norm(s, "norm_mean"))),
    "deviation_before": Measure("its standard deviation", "number", lambda s: float(np.sqrt(_first_norm(s, "norm_var")))),
    "mean_after": Measure("the mean after the norm's division, before its gain and shift", "number", lambda s: float(_normed(s).mean())),
    "deviation_after": Measure("the standard deviation there", "number", lambda s: float(_normed(s).std())),
    "stream_first": Measure("length of the token's vector at the encoder's beginning", "length", _stream_first),
    "stream_last": Measure("length of the token's vector after the encoder's last layer", "length", _stream_last),
    "stream_growth": Measure("the second length divided by the first", "length", lambda s: _stream_last(s) / _stream_first(s)),
    "output_growth": Measure("length of the token's encoder output, after the last norm, divided by the first length", "number", _output_growth),
    "encoder_sublayers": Measure("sub-layers of the encoder", "count", lambda s: 2 * s.trace.config.encoder_layers),
    "added_against": Measure("how many of them put out a vector that points against the token's stream (cosine below 0)", "count", _added_against),
    "norm_order": Measure("pre-norm, or post-norm: whether the norm stands before the sub-layer or after the sum", "word", lambda s: f"{s.trace.config.norm_placement}-norm"),
    "sum_off": Measure("how far, at most, stream before plus output is from stream after, in the encoder's self-attention", "number", _sum_off),
    "rewritten": Measure("what the model writes under the step's edits", "word", lambda s: s.edited().rewritten),
    "shuffled": Measure("the source tokens in the order of the positions that the step's edits give them", "word", _shuffled),
    "words_changed": Measure("words of the translation that the edits change", "count", _words_changed),
    "kept": Measure("what the edits leave of the probability of the translation's words: their mean after, divided by their mean before", "share", lambda s: _kept(s.edited())),
    "kept_zero": Measure("the same where every head that the edits switch off is set to zero", "share", lambda s: _kept(s.zeroed())),
    "mean_gain": Measure("by how much the first exceeds the second", "points", lambda s: _points(_kept(s.edited()), _kept(s.zeroed()))),
    "head_moved": Measure("how far the edits move the map of the step's head: half the absolute change of a row, on average", "share", lambda s: float(_moved(s)[s.head])),
    "mean_moved": Measure("the same, averaged over all heads of the kind", "share", lambda s: float(_moved(s).mean())),
    "ahead_edited": Measure("the largest weight right of the decoder's diagonal under the step's edits", "number", lambda s: _ahead(s.edited().maps_after["causal"])),
    "head_layer": Measure("the layer of the head that the step shows", "count", lambda s: s.head[0]),
    "head_number": Measure("its number in the layer", "count", lambda s: s.head[1]),
    "carriers": Measure("the heads that carry most of the difference of the model's first set of sentence pairs, the strongest first", "word", lambda s: _named(s.carried().heads)),
    "carriers_off": Measure("the edits that ablate them", "word", lambda s: _zeroing(s.carried().kind, s.carried().heads)),
    "carrier": Measure("the strongest of them, layer.head", "word", lambda s: _name(s.carried().heads[0])),
    "carried_most": Measure("the share of the difference that it restores, the mean over the pairs", "share", _carried_most),
    "carried_pairs": Measure("those sentence pairs", "count", lambda s: s.carried().compared),
    "carried_turned": Measure("pairs that turn without these heads", "count", lambda s: s.carried().turned),
    "carried_random": Measure("pairs that turn at most without as many random heads", "count", lambda s: max(s.carried().controls, default=0)),
    "other_heads": Measure("as many random heads of the same kind", "word", lambda s: _named(_others(s.carried()))),
    "other_heads_off": Measure("the edits that ablate them", "word", lambda s: _zeroing(s.carried().kind, _others(s.carried()))),
    "unscaled_weight": Measure("the largest weight of this row if its scores were not divided by √(head size)", "share", lambda s: float(_unscaled(s).max())),
    "spread_least": Measure("the standard deviation of a row's dot products before the division by √(head size), in the head of the kind where it is least", "length", lambda s: float(_product_spread(s).min())),
    "spread_most": Measure("the same in the head where it is largest", "length", lambda s: float(_product_spread(s).max())),
    "word_probability": Measure("the probability that the model gave to the word of this row", "share", lambda s: float(s.edited().before[s.row])),
    "smoothing_floor": Measure("the least loss with label smoothing of 0.05 and the target vocabulary, in nats per token", "number", _smoothing_floor),
    "masked_right": Measure("of 100 new words, those that the small model trained with the causal mask writes right", "count", lambda s: trials.stored().trainings[0].right, of_model=False),
    "unmasked_right": Measure("the same for the one trained without the mask", "count", lambda s: trials.stored().trainings[1].right, of_model=False),
    "hand_weight": Measure("the largest weight of the row that is computed by hand", "number", lambda s: by_hand.best().weight, of_model=False),
    "hand_even": Measure("the same token's share of the sum of the scores before the division", "number", lambda s: by_hand.best().product / sum(cell.product for cell in by_hand.row()), of_model=False),
    "hand_score": Measure("its score there", "number", lambda s: by_hand.best().score, of_model=False),
    "one_vector_right": Measure("of 100 new words of 12 letters, those that the small model writes backwards that reads the encoder through one vector", "count", lambda s: _right(True, -1), of_model=False),
    "one_vector_short": Measure("the same of words of 3 letters", "count", lambda s: _right(True, 0), of_model=False),
    "one_vector_attention": Measure("of 100 new words of 12 letters, those that the same model writes backwards with attention to every letter", "count", lambda s: _right(False, -1), of_model=False),
    "one_vector_width": Measure("numbers of that one vector", "count", lambda s: one_vector.WIDTH, of_model=False),
    "ff_encoder": Measure("what en-fr writes of the lesson's sentence without the encoder's feed-forward networks", "word", lambda s: feed_forward.stored().without("encoder.*"), of_model=False),
    "ff_changed": Measure("words of the translation that change without the encoder's feed-forward networks", "count", lambda s: feed_forward.stored().changed("encoder.*"), of_model=False),
    "ff_unit": Measure("the unit of the encoder's last feed-forward network that is most active at the lesson's token", "count", lambda s: feed_forward.stored().unit.number, of_model=False),
    "ff_token": Measure("that token", "word", lambda s: feed_forward.stored().token, of_model=False),
    "ff_words": Measure("other tokens of the example sentences that the unit is most active at", "word", lambda s: ", ".join(feed_forward.stored().unit.words), of_model=False),
    "ff_width": Measure("units of a feed-forward network", "count", lambda s: s.own.d_ff),
    "vocabulary": Measure("tokens of the source's list", "count", lambda s: s.trace.config.source_vocab_size),
    "ids": Measure("the numbers of the source tokens in that list", "word", lambda s: ", ".join(map(str, s.trace.source_ids))),
    "source_words": Measure("words of the source sentence, punctuation left out", "count", lambda s: len(_source_words(s))),
    "cut_words": Measure("how many of them are more than one token", "count", lambda s: sum(len(word) > 1 for word in _source_words(s))),
    "source_pieces": Measure("the tokens of the source sentence; a point before a piece joins it to the one before", "word", lambda s: ", ".join(s.trace.tokens.source)),
    "shared_carriers": Measure("the heads that carry most of the difference both of the model's first and of its second set of sentence pairs", "count", _shared_carriers),
    "second_carriers": Measure("the heads that carry most of the difference of the second set, the strongest first", "word", lambda s: _named(s.carried_second().heads)),
    "second_pairs": Measure("the sentence pairs of the second set", "count", lambda s: s.carried_second().compared),
    "second_turned": Measure("those that turn without these heads", "count", lambda s: s.carried_second().turned),
    "first_merge": Measure("the piece that the first merge of ten words makes", "word", lambda s: merges.learn()[0].piece, of_model=False),
    "first_merge_count": Measure("how often its two letters are neighbours in the ten words", "count", lambda s: merges.learn()[0].times, of_model=False),
    "second_merge_count": Measure("how often those of the second merge are", "count", lambda s: merges.learn()[1].times, of_model=False),
    "ending_count": Measure("how often e and s are", "count", lambda s: _pair_count("es"), of_model=False),
    "merges_made": Measure("merges that are made of the ten words", "count", lambda s: len(merges.learn()), of_model=False),
    "word_letters": Measure("different letters of the ten words", "count", lambda s: len(set("".join(merges.WORDS))), of_model=False),
    "new_word_pieces": Measure("the pieces of “slower” after these merges", "word", lambda s: _new_word_pieces(), of_model=False),
    "encoder_passes": Measure("how often en-fr runs its encoder to translate the lesson's sentence", "count", lambda s: small_studies.stored().encoder_passes, of_model=False),
    "decoder_passes": Measure("how often it runs its decoder", "count", lambda s: small_studies.stored().decoder_passes, of_model=False),
    "stepped_changed": Measure("tokens of that translation that en-fr chooses otherwise where it writes step by step without a mask", "count", lambda s: small_studies.stored().stepped_changed, of_model=False),
    "stepped_off": Measure("the largest change of a probability there", "number", lambda s: small_studies.stored().stepped_off, of_model=False),
    "layer_text": Measure("what en-fr writes of the lesson's sentence where the decoder reads the encoder after one layer", "word", lambda s: small_studies.stored().by_layer[1], of_model=False),
    "layer_changed": Measure("words of the translation that change there", "count", lambda s: small_studies.stored().layers_changed(1), of_model=False),
    "layer_enough": Measure("the fewest layers of the encoder that give the full translation", "count", lambda s: small_studies.stored().enough, of_model=False),
    "swap_looked": Measure("words of the translation that change where “Her” replaces “His”", "count", lambda s: small_studies.stored().swap_changed(0), of_model=False),
    "swap_noun": Measure("words that change where “brother” replaces “sister”", "count", lambda s: small_studies.stored().swap_changed(1), of_model=False),
    "swap_noun_text": Measure("what en-fr then writes", "word", lambda s: small_studies.stored().swapped[2], of_model=False),
    "map_weights": Measure("weights that one head of the encoder computes for the sentence", "count", lambda s: _source_cost(s).weights),
    "map_doubled": Measure("how many times as many it computes for a sentence twice as long", "count", lambda s: _source_cost(s, 2).weights / _source_cost(s).weights),
    "longest_memory": Measure("memory of the weights of all encoder heads at 1,024 tokens, in MB", "count", lambda s: trials.cost_of(s.trace.config, trials.LENGTHS[-1]).bytes / 1e6),
    "even_tokens": Measure("tokens from which the n² part of an encoder layer needs as many multiplications as the rest", "count", lambda s: trials.break_even(s.trace.config)),
    "cached_numbers": Measure("numbers that the decoder keeps of each token it has written: keys and values", "count", lambda s: trials.cached_numbers(s.trace.config)),
    "post_gradient": Measure("the last decoder layer's gradient divided by the first one's, before training, post-norm, six layers", "length", lambda s: trials.gradient_ratio("post"), of_model=False),
    "post_gradient_wide": Measure("the same at the paper's width of 512", "length", lambda s: trials.POST_GRADIENT_WIDE, of_model=False),
    "pre_gradient": Measure("the same with pre-norm", "length", lambda s: trials.gradient_ratio("pre"), of_model=False),
    "sinusoid_shift": Measure("how far five words before a sentence move a score of its words, with sinusoids", "number", lambda s: trials.shift_change("sinusoidal"), of_model=False),
    "relative_shift": Measure("the same with relative positions", "number", lambda s: trials.shift_change("relative_buckets"), of_model=False),
    "rotary_shift": Measure("how far five words before a sentence move a score with rotary positions", "number", lambda s: trials.shift_change("rotary"), of_model=False),
    "gate_cost": Measure("how many times as many parameters a feed-forward network has with a gate", "length", lambda s: trials.gate_cost(), of_model=False),
    "decoder_left": Measure("share of the layers' parameters that is left without encoder and cross-attention", "share", lambda s: trials.decoder_only_share(s.trace.config)),
    "last_layer": Measure("the last layer of the decoder, counted from 0", "count", lambda s: s.trace.config.decoder_layers - 1),
}  # fmt: skip


WEIGHT_AT: Final = "weight:"
"""Begins the name of the weight that the step's row gives to a token, `weight:sofa`: to all of its kind together."""


class MeasureNames(Collection[str]):
    """The names of all measures; those of `weight:TOKEN` are without number."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in MEASURES or name.startswith(WEIGHT_AT))

    def __iter__(self) -> Iterator[str]:
        return iter((*MEASURES, f"{WEIGHT_AT}TOKEN"))

    def __len__(self) -> int:
        return len(MEASURES) + 1


def weight_at(scene: Scene, token: str) -> float:
    """The weight of the step's row on all tokens of this label. Raises `InputError` where the sentence has none."""
    keys = [number for number, key in enumerate(scene.keys) if key.casefold() == token.casefold()]
    if not keys:
        raise InputError(f"The sentence has no token {token!r}.")
    return float(scene.one()[keys].sum())


def measure(name: str, scene: Scene) -> Value:
    """The value of a measure. Raises `InputError` for a name that does not exist, `AtlasError` where the model has no such thing."""
    if name.startswith(WEIGHT_AT):
        return weight_at(scene, name.removeprefix(WEIGHT_AT))
    if name not in MEASURES:
        raise InputError(f"There is no measure {name!r}; choose one of {', '.join(MEASURES)}.")
    return MEASURES[name].find(scene)


def written(name: str, value: Value, decimal: str = ".") -> str:
    """A value as a reader sees it: 2,048, 71 %, 0.714, 16.2, or the word itself; `decimal` is the sign before the fraction.

    A language with another sign than a point there has a narrow space between thousands.
    """
    if isinstance(value, str):
        return value
    form = "share" if name.startswith(WEIGHT_AT) else MEASURES[name].form
    if form == "points":
        return f"{readout.decimal(100 * value, 0)} points"
    if form == "share":
        percent = 100 * value
        if 99.5 <= percent < 100:  # not all of it
            return f"{readout.decimal(min(percent, 99.9), 1).replace('.', decimal)} %"
        if abs(percent) >= 1 or percent == 0:
            return f"{readout.decimal(percent, 0)} %"
        return "< 1 %" if percent > 0 else "> −1 %"
    if form == "count":
        return f"{round(value):,}".replace(",", "," if decimal == "." else "\u202f")
    return readout.decimal(value, 1 if form == "length" else 3).replace(".", decimal)
