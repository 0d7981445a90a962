"""Pitfalls of tools that show attention, all met in real ones: the model is right and the picture is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.decoding.beam import BeamSearch
from core.learning import passes
from core.learning.passes import Array
from core.learning.study import Map, Number, Pitfall, Sentence, Shape, Study
from core.model.config import ModelConfig
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor

BEAMS = 4


# -- axes-swapped -------------------------------------------------------------------------------------------


def _axes(model: Transformer, sentence: Sentence) -> Study:
    right = passes.of(model, sentence)
    maps = right.maps("cross")
    layer, head = (int(n) for n in np.unravel_index(int(maps.max(-1).mean(-1).argmax()), maps.shape[:2]))
    values = maps[layer, head]
    where = passes.named("cross", layer, head)
    rows, columns = values.shape
    sums = [each.sum(-1) for each in (values, values.T)]
    return Study(
        passes.pictured(values, sentence, "cross", where),
        Map(np.ascontiguousarray(values.T), sentence.source, sentence.written, "cross", where),
        shapes=(
            Shape(
                "drawn as rows × columns",
                f"target {rows} × source {columns}",
                f"source {columns} × target {rows}",
            ),
        ),
        numbers=(
            Number.both("smallest sum of a row", (float(each.min()) for each in sums)),
            Number.both("largest sum of a row", (float(each.max()) for each in sums)),
        ),
    )


AXES_SWAPPED = Pitfall(
    "axes-swapped",
    "Axes swapped",
    "found in real code",
    "A cross-attention tensor has queries (the target) first and keys (the source) second. A drawing routine that takes x "
    "before y, or a transpose for looks, exchanges them, and the source language stands where the reader expects the "
    "target. For sentences of equal length nothing gives it away but the rows: a row of attention sums to 1, a column "
    "need not.",
    "The words of one language where those of the other should be; rows that do not sum to 1.",
    "w = model.cross_attention_weights        # (T, S): target rows, source columns\n"
    "heatmap(w.T, rows=target, columns=source)\n"
    "# or: plot(x=target, y=source, z=w)",
    "assert drawn.shape == (len(target), len(source)) and np.allclose(drawn.sum(1), 1)",
    _axes,
)


# -- beams-not-reordered ------------------------------------------------------------------------------------


class SeenBeam:
    """A beam search whose cross-attention is kept as it was computed: one row for each live hypothesis, step by step."""

    def __init__(self, model: Transformer, source: Sequence[int], limit: int) -> None:
        self.layers = model.config.decoder_layers
        self._steps: list[list[Array]] = []  # a step: a layer: (live, H, S)
        edit: dict[Any, Any] = {
            f"decoder.{layer}.cross.weights": self._keep(layer) for layer in range(self.layers)
        }
        self.search = BeamSearch(model, source, limit, BEAMS, edit=edit)
        self.live = [list(self.search.beam.live)]  # whose row is whose, step by step
        for _ in self.search:
            self.live.append(list(self.search.beam.live))

    def _keep(self, layer: int) -> Any:
        def keep(weights: Tensor) -> Tensor:
            if layer == 0:
                self._steps.append([])
            self._steps[-1].append(weights[:, :, -1].float().cpu().numpy())
            return weights

        return keep

    def slots(self, node: int) -> list[int]:
        """The row that a hypothesis had at each of its steps."""
        found: list[int] = []
        place: int | None = self.search.nodes[node].parent
        while place is not None:
            found.append(self.live[self.search.nodes[place].step].index(place))
            place = self.search.nodes[place].parent
        return found[::-1]

    def stacked(self, slots: Sequence[int]) -> Array:
        """The rows `slots` of the steps as maps, (L, H, T, S)."""
        rows = [
            np.stack([layer[min(slot, len(layer) - 1)] for layer in self._steps[step]])
            for step, slot in enumerate(slots)
        ]
        return np.stack(rows, axis=2)


def moved(seen: SeenBeam) -> int:
    """The best hypothesis that did not keep one row all along; the best one where there is none."""
    ranked = seen.search.beam.hypotheses()
    return next((node for node in ranked if len(set(seen.slots(node)[1:])) > 1), ranked[0])


def _beams(model: Transformer, sentence: Sentence) -> Study:
    limit = min(model.config.max_length - 1, len(sentence.target_ids) + 8)
    seen = SeenBeam(model, sentence.source_ids, limit)
    node = moved(seen)
    slots = seen.slots(node)
    written = seen.search.beam.ids(node)
    target = [model.config.bos_id, *written[:-1]]
    truth = passes.seen(model, sentence.source_ids, target).maps("cross")
    one, two = seen.stacked(slots), seen.stacked([slots[-1]] * len(slots))
    layer, head = passes.furthest_head(one, two)
    labels = tuple(sentence.spell(written))
    where = passes.named("cross", layer, head)
    kept = passes.shaped("step, H, S", len(slots), model.config.heads, len(sentence.source_ids))
    return Study.of(
        (Map(each[layer, head], labels, sentence.source, "cross", where) for each in (one, two)),
        shapes=(
            Shape("rows of one hypothesis", kept, kept),
            Shape(
                "taken from beam",
                ", ".join(map(str, slots)),
                ", ".join(str(slots[-1]) for _ in slots),
            ),
        ),
        numbers=(
            Number(
                "rows that belong to another hypothesis",
                0,
                sum(int(np.abs(one[:, :, t] - two[:, :, t]).max() > 1e-5) for t in range(len(slots))),
                "rows",
            ),
            Number(
                "largest difference from a full pass", passes.far(one, truth), passes.far(two, truth), "share"
            ),
        ),
    )


BEAMS_NOT_REORDERED = Pitfall(
    "beams-not-reordered",
    "Beams whose attention was not reordered",
    "found in real code",
    "In a beam search the hypotheses change places at every step: the best continuation may come from any of them. The "
    "tokens and the cache are put into the new order. Attention that is collected beside them, step by step, keeps the old "
    "one, so the map of the best hypothesis is made of rows that other hypotheses computed.",
    "Some rows are those of another sentence; a full pass over the same words gives other numbers.",
    "for step in range(limit):\n"
    "    logits, attention = model.step(tokens, cache)\n"
    "    maps.append(attention)                 # rows in the order of now\n"
    "    tokens, parents = best(logits)\n"
    "    cache = cache[parents]                 # and maps = maps[parents] is missing",
    "assert np.allclose(beam.maps, model(source, beam.tokens).maps, atol=1e-5)",
    _beams,
)


# -- alignment-layer-ignored --------------------------------------------------------------------------------


def asked_for(maps: Array, layer: int, faulty: bool) -> Array:
    """The mean map (T, S) of a decoder layer; the faulty one has an argument it never reads."""
    chosen = maps[-1] if faulty else maps[layer]
    mean: Array = chosen.mean(0)
    return mean


def _one_layer(config: ModelConfig) -> str:
    return (
        "This checkpoint has a single decoder layer, so there is none to choose."
        if config.decoder_layers == 1
        else ""
    )


def _layer(model: Transformer, sentence: Sentence) -> Study:
    maps = passes.of(model, sentence).maps("cross")
    one, two = (asked_for(maps, 0, faulty) for faulty in (False, True))
    differ = [
        passes.far(asked_for(maps, 0, faulty), asked_for(maps, maps.shape[0] - 1, faulty))
        for faulty in (False, True)
    ]
    where = "cross-attention asked for at layer 0, mean over heads"
    size = passes.shaped("T, S", *one.shape)
    return Study.of(
        (passes.pictured(each, sentence, "cross", where) for each in (one, two)),
        shapes=(Shape("what comes back", f"{size} of layer 0", f"{size} of layer {maps.shape[0] - 1}"),),
        numbers=(
            Number.both("largest difference of what layers 0 and last give", differ, unit="share"),
            Number("largest difference from the layer asked for", 0.0, passes.far(one, two), "share"),
        ),
    )


ALIGNMENT_LAYER_IGNORED = Pitfall(
    "alignment-layer-ignored",
    "An alignment layer silently ignored",
    "found in real code",
    "Which layer aligns words best differs from model to model, so tools take it as an option. Where the option is read "
    "but never handed on, every choice gives the last layer’s attention, which often aligns worst. Nothing fails and every "
    "map is a true map, only not of the layer its title names.",
    "Every layer asked for gives the same map.",
    "def align(model, pair, alignment_layer=None):\n"
    "    output = model(pair)                   # alignment_layer goes nowhere\n"
    "    w = output.cross_attentions[-1]\n"
    "    return w.mean(heads).argmax(-1)",
    "assert not np.allclose(align(pair, layer=0), align(pair, layer=1))",
    _layer,
    _one_layer,
)

PITFALLS = (AXES_SWAPPED, BEAMS_NOT_REORDERED, ALIGNMENT_LAYER_IGNORED)
