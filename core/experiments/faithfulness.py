"""Which attribution measure finds the source words that the model needs.

Each measure orders the source words of a step; they are hidden one after the other in that order, and the probability of the
written word is read after each. The measure that finds the needed words makes it fall soonest. This is comprehensiveness as a
curve (DeYoung et al. 2020, ERASER, section 4; Samek et al. 2017), for written words of translations.

A hidden word is seen by no other word of the encoder and not by the decoder, as in `core.experiments.what_if.why`. Special
tokens are never hidden: the decoder always has something to look at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.contributions import weighted_norms
from core.analysis.faithfulness import GRID, MEASURES, RANDOM
from core.analysis.uncertainty import interval
from core.decoding.inputs import choices
from core.errors import CheckpointError, InputError
from core.experiments import contributions
from core.experiments.attribution import gradient_times_input, integrated_gradients
from core.experiments.what_if import Pair, Variant, run_variants
from core.files import damage_as, read_object, replacing

if TYPE_CHECKING:
    from torch import Tensor

    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig

Array = NDArray[np.float64]
ORDERS: Final = 5
"""Random orders that a measure is held against."""
WORDS: Final = 4
"""Written words of a sentence that are measured, evenly spaced: each takes a hundred passes."""
RESULTS: Final = "faithfulness.json"
_FORMAT: Final = 1
_MAX_BYTES: Final = 2**18
_TABLES: Final = ("curves", "low", "high", "areas", "below")
_POINTS: Final = (64,)  # of integrated gradients: an order needs no more


def words_of(checkpoint: Bundle, source: Sequence[int]) -> tuple[int, ...]:
    """The positions of a source that may be hidden: all but special tokens."""
    special = checkpoint.source_tokenizer.is_special
    return tuple(position for position, token in enumerate(source) if not special(token))


def source_scores(
    checkpoint: Bundle, pair: Pair, steps: Sequence[int], head: tuple[int, int]
) -> dict[str, Array]:
    """What each of `MEASURES` gives every source token for the written tokens at `steps`: (len(steps), S), signed where it is.

    `head`: layer and number of the cross-attention head of the measure "head".
    """
    trace = contributions.record(checkpoint, pair.source, pair.written)
    layers = contributions.layers_by_kind(checkpoint.model, trace)
    cross = layers["cross"]
    rows = list(steps)
    count = len(pair.source)
    weights = np.stack([layer.weights for layer in cross])  # (L, H, T, S)
    scores = {
        "alti": contributions.alti_plus(layers)[rows, :count],
        "contribution": np.stack([weighted_norms(layer) for layer in cross]).mean(axis=(0, 1))[rows],
        "attention": weights.mean(axis=(0, 1))[rows],
        "head": weights[head[0], head[1]][rows],
        "hiding": _hiding(checkpoint, pair)[rows],
    }
    gradients = [
        gradient_times_input(checkpoint, pair.source, pair.written, step, pair.written[step])
        for step in steps
    ]
    integrals = [
        integrated_gradients(checkpoint, pair.source, pair.written, step, pair.written[step], steps=_POINTS)
        for step in steps
    ]
    scores["gradient"] = np.stack([each.source for each in gradients])
    scores["integrated"] = np.stack([each.source for each in integrals])
    return {name: np.asarray(scores[name], dtype=np.float64) for name in MEASURES}


def _hiding(checkpoint: Bundle, pair: Pair) -> Array:
    """What log p of each written token loses when one source token is hidden: (T, S) in nats."""
    variants = [Variant(), *(Variant(source=frozenset({position})) for position in range(len(pair.source)))]
    logs = _log_written(checkpoint, pair, variants)
    return np.asarray((logs[:1] - logs[1:]).T)


def _log_written(checkpoint: Bundle, pair: Pair, variants: Sequence[Variant]) -> Array:
    """log p of each written token under each variant, (variants, T)."""
    ids = list(pair.written)
    steps = list(range(len(ids)))

    def written(logs: Tensor) -> Tensor:
        return logs[:, steps, ids]

    found = np.concatenate(list(run_variants(checkpoint.model, pair, variants, written)))
    return found.astype(np.float64)


# -- one step ------------------------------------------------------------------------------------------------------


def orders_of(scores: Mapping[str, Array], words: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The words in each measure's order, the one with the largest score first; equal ones in their order in the sentence."""
    places = np.array(words)
    return {
        name: tuple(places[np.argsort(-values[places], kind="stable")].tolist())
        for name, values in scores.items()
    }


def falling(checkpoint: Bundle, pair: Pair, step: int, orders: Sequence[Sequence[int]]) -> list[Array]:
    """The probability of the token written at `step` after none, one, … all of the words of each order are hidden."""
    seen = Pair(pair.source, pair.written[: step + 1])  # later words cannot matter
    hidden = [frozenset(order[:count]) for order in orders for count in range(len(order) + 1)]
    different = list(dict.fromkeys(hidden))
    logs = _log_written(checkpoint, seen, [Variant(source=each) for each in different])[:, step]
    known = dict(zip(different, np.exp(logs).tolist(), strict=True))
    return [
        np.array([known[frozenset(order[:count])] for count in range(len(order) + 1)]) for order in orders
    ]


def on_grid(curve: Array) -> Array:
    """A curve over counts of hidden words, read at the shares of `GRID` by straight lines."""
    return np.asarray(np.interp(GRID, np.linspace(0.0, 1.0, len(curve)), curve))


def area(curve: Array) -> Array:
    """The mean height of curves over `GRID` along their last axis: the smaller, the sooner the needed words were hidden."""
    return np.asarray((curve[..., 1:] + curve[..., :-1]).mean(axis=-1) / 2)


@dataclass(frozen=True)
class SourceMeasures:
    """What every measure says of the source words of one step.

    `scores`: (S,) by measure. `words`: the positions that may be hidden. `areas`: the mean probability of the written word while
    these are hidden in each measure's order, and in `RANDOM` ones.
    """

    scores: Mapping[str, Array]
    words: tuple[int, ...]
    areas: Mapping[str, float]


def measure_step(checkpoint: Bundle, pair: Pair, step: int, head: tuple[int, int]) -> SourceMeasures:
    """All measures at one step, and the areas of their curves. Raises `InputError` for a source of fewer than two words."""
    words = words_of(checkpoint, pair.source)
    if len(words) < 2:
        raise InputError.tr("The measures need a source of at least two words; type a longer sentence.")
    scores = {name: values[0] for name, values in source_scores(checkpoint, pair, [step], head).items()}
    orders = orders_of(scores, words)
    chance = _random_orders(pair, words)
    heights = [
        float(area(on_grid(curve))) for curve in falling(checkpoint, pair, step, [*orders.values(), *chance])
    ]
    areas = dict(zip(orders, heights, strict=False)) | {RANDOM: float(np.mean(heights[len(orders) :]))}
    return SourceMeasures(scores, words, areas)


def _random_orders(pair: Pair, words: Sequence[int], seed: int = 0) -> list[tuple[int, ...]]:
    """`ORDERS` orders of the words, the same for the same sentence."""
    generator = np.random.default_rng([seed, *pair.source])
    return [tuple(generator.permutation(words).tolist()) for _ in range(ORDERS)]


# -- many sentences ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SentenceCurves:
    """The curves of one sentence, summed over its `steps` written words: (measures + random, GRID)."""

    sums: Array
    steps: int


@dataclass(frozen=True)
class Faithfulness:
    """Mean curves of every measure and of random orders over sentences, with their 95 % intervals.

    `measures`: the names, `RANDOM` last. `curves`, `low`, `high` (measures, GRID): probability of the written word. `areas` (measures, 3):
    mean height with its interval. `below` (measures, 3): how much lower than random orders of the same sentences.
    `steps`: written words that were measured.
    """

    measures: tuple[str, ...]
    curves: Array
    low: Array
    high: Array
    areas: Array
    below: Array
    sentences: int
    steps: int
    head: tuple[int, int]

    def rows(self) -> Iterator[dict[str, object]]:
        """A row for each measure and share of hidden words, then one for its area and one for how far it is below random."""
        for index, name in enumerate(self.measures):
            for place, share in enumerate(GRID):
                values = (self.curves[index, place], self.low[index, place], self.high[index, place])
                yield self._row(name, "probability", round(share, 2), values)
            yield self._row(name, "area", None, self.areas[index])
            yield self._row(name, "below random", None, self.below[index])

    def _row(
        self, name: str, quantity: str, hidden: float | None, values: Iterable[float]
    ) -> dict[str, object]:
        value, low, high = (float(each) for each in values)
        return {
            "measure": name,
            "quantity": quantity,
            "hidden": hidden,
            "value": value,
            "low": low,
            "high": high,
            "n": self.sentences,
        }


def sentence_curves(
    checkpoint: Bundle, pair: Pair, head: tuple[int, int], seed: int = 0
) -> SentenceCurves | None:
    """The curves of one sentence; None for a source with fewer than two words, which have no order.

    At most `WORDS` of the tokens that the model chose are measured, the end token left out.
    """
    words = words_of(checkpoint, pair.source)
    end = checkpoint.config.eos_id
    chosen = [step for step in choices(checkpoint.config, pair.written) if pair.written[step] != end]
    places = np.linspace(0, len(chosen) - 1, min(WORDS, len(chosen))).round().astype(int)
    steps = [chosen[place] for place in places]
    if len(words) < 2 or not steps:
        return None
    scores = source_scores(checkpoint, pair, steps, head)
    chance = _random_orders(pair, words, seed)
    total = np.zeros((len(MEASURES) + 1, len(GRID)))
    for row, step in enumerate(steps):
        orders = orders_of({name: values[row] for name, values in scores.items()}, words)
        curves = falling(checkpoint, pair, step, [*orders.values(), *chance])
        drawn = np.stack([on_grid(curve) for curve in curves])
        total[: len(MEASURES)] += drawn[: len(MEASURES)]
        total[-1] += drawn[len(MEASURES) :].mean(axis=0)
    return SentenceCurves(total, len(steps))


def together(sentences: Sequence[SentenceCurves], head: tuple[int, int]) -> Faithfulness:
    """Means and intervals over sentences, each with the weight of its words. Raises `InputError` where there are none."""
    if not sentences:
        raise InputError.tr(
            "No sentence could be measured; give sentences of at least two words that the model translates."
        )
    sums = np.stack([each.sums for each in sentences])  # (N, M, G)
    counts = np.array([each.steps for each in sentences])
    curves = interval(sums, counts)
    areas = area(sums)
    heights, below = interval(areas, counts), interval(areas[:, -1:] - areas, counts)
    return Faithfulness(
        (*MEASURES, RANDOM),
        curves.value,
        curves.low,
        curves.high,
        np.stack([heights.value, heights.low, heights.high], axis=1),
        np.stack([below.value, below.low, below.high], axis=1),
        len(sentences),
        int(counts.sum()),
        head,
    )


# -- stored with the checkpoint ------------------------------------------------------------------------------------


def store(path: Path, digest: str, found: Faithfulness) -> None:
    """Write what was measured of the model `digest`."""
    tables = {name: np.round(getattr(found, name), 4).tolist() for name in _TABLES}
    counts = {"sentences": found.sentences, "steps": found.steps, "head": list(found.head)}
    content = {"format": _FORMAT, "model": digest, "measures": list(found.measures), **tables, **counts}
    with replacing(path) as stream:
        stream.write((json.dumps(content) + "\n").encode())


def stored(folder: Path, config: ModelConfig, digest: str) -> Faithfulness | None:
    """What is stored in a checkpoint folder; None where nothing is. Raises `CheckpointError` for a damaged file or another model's."""
    path = folder / RESULTS
    if not path.is_file():
        return None

    def sentence(reason: str) -> str:
        return (
            f"{path} does not hold what was measured of this model ({reason}); write it again with "
            f"`python -m core faithfulness --checkpoint {folder.name} --store`."
        )

    with damage_as(CheckpointError, sentence):
        content = read_object(path, _MAX_BYTES)
        if (content["format"], content["model"]) != (_FORMAT, digest):
            raise ValueError("it is about another model")
        measures = (*MEASURES, RANDOM)
        if tuple(content["measures"]) != measures:
            raise ValueError("it has other measures")
        tables = {name: np.asarray(content[name], dtype=np.float64) for name in _TABLES}
        widths = {name: len(GRID) if name in ("curves", "low", "high") else 3 for name in _TABLES}
        if any(table.shape != (len(measures), widths[name]) for name, table in tables.items()):
            raise ValueError("its tables have another shape")
        if not all(np.isfinite(table).all() for table in tables.values()):
            raise ValueError("its tables hold no finite numbers")
        layer, number = (int(each) for each in content["head"])
        layers, heads = config.shape("decoder")
        if not (0 <= layer < layers and 0 <= number < heads):
            raise ValueError("it names a head that the model does not have")
        return Faithfulness(
            measures,
            **tables,
            sentences=int(content["sentences"]),
            steps=int(content["steps"]),
            head=(layer, number),
        )
