"""Studies of mistakes in masks, and of tools that show the maps of a correct model wrongly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from core.decoding.path import to_cpu
from core.decoding.search import BeamSearch
from core.language import message, tr
from core.learning import study
from core.learning.study import (
    Array,
    Edits,
    Logits,
    Map,
    Number,
    Pitfall,
    Seen,
    Sentence,
    Shape,
    Study,
)
from core.model.attention import Mask
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor

PADS = 3  # padding tokens that the padding pitfall appends
BEAMS = 4
TINY = 1e-9  # what stands in the place of −1e9 where the sign of the exponent slipped


def masked_otherwise(change: Callable[[Tensor, Tensor], Tensor]) -> Edits:
    """Decoder self-attention whose masked scores are `change(scores, masked)`; for one pass."""
    held: list[Tensor] = []

    def hold(scores: Tensor) -> Tensor:
        held[:] = [scores]
        return scores

    return {
        "decoder.*.self.scores": hold,
        "decoder.*.self.masked_scores": lambda masked: change(held[0], masked),
    }


def unmasked() -> Edits:
    """No causal mask at all."""
    return masked_otherwise(lambda scores, masked: scores)


def leaking() -> Edits:
    """Forbidden scores set to 1e-9 in place of −1e9."""
    return masked_otherwise(lambda scores, masked: torch.where(masked.isneginf(), TINY, scores))


def ahead(weights: Array) -> float:
    """The mean weight that a row but the last gives to its future; weights (L, H, T, T)."""
    length = weights.shape[-1]
    if length < 2:
        return 0.0
    return float(np.triu(weights, 1).sum(-1)[..., :-1].mean())


def loss(seen: Seen, sentence: Sentence) -> float:
    """Mean −log p of the decoder's own next inputs, in nats; NaN where there is none."""
    steps = len(sentence.target_ids) - 1
    if steps < 1:
        return float("nan")
    logs = torch.log_softmax(torch.from_numpy(seen.logits[:steps]).double(), dim=-1)
    return float(-logs[torch.arange(steps), torch.tensor(sentence.target_ids[1:])].mean())


def _causal_study(edit: Callable[[], Edits]) -> Callable[[Transformer, Sentence], Study]:
    def causal(model: Transformer, sentence: Sentence) -> Study:
        right, wrong = study.compared(model, sentence, edit())
        length = len(sentence.target_ids)
        scores = study.shaped("N, H, T, T", 1, model.config.of("decoder").heads, length, length)
        open_cells = [int((run.maps("causal") > 0).any(axis=(0, 1)).sum()) for run in (right, wrong)]
        return Study(
            *study.pair(right, wrong, sentence, "causal"),
            shapes=(
                Shape(message("scores"), scores, scores),
                Shape(
                    message("cells that get weight"),
                    *(f"{cells} / {length * length}" for cells in open_cells),
                ),
            ),
            numbers=(
                Number.both(
                    message("weight that a row gives to its future"),
                    (ahead(run.maps("causal")) for run in (right, wrong)),
                    unit="share",
                ),
                Number(
                    message("change of the first step’s logits when the last target word is replaced"),
                    study.first_step_moves(model, sentence),
                    study.first_step_moves(model, sentence, edit),
                ),
                Number.both(
                    message("loss of the same translation, with weights trained with the mask"),
                    (loss(run, sentence) for run in (right, wrong)),
                    unit="nats",
                ),
            ),
        )

    return causal


no_causal_mask = _causal_study(unmasked)
mask_leaks = _causal_study(leaking)


# -- target-padding-unmasked --------------------------------------------------------------------------------


def causal_only() -> Edits:
    """Target padding left in sight: every earlier position may be attended to."""

    def change(scores: Tensor, masked: Tensor) -> Tensor:
        future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        return scores.masked_fill(future, -torch.inf)

    return masked_otherwise(change)


def target_padding_unmasked(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.target_ids)
    count = min(PADS, max(1, c.max_length - length))
    target = [*sentence.target_ids, *[c.pad_id] * count]
    right = study.run_ids(model, sentence.source_ids, target)
    wrong = study.run_ids(model, sentence.source_ids, target, causal_only())
    one, two = right.maps("causal"), wrong.maps("causal")
    layer, head = study.furthest_head(one, two)
    pads = ("<pad>",) * count
    where = study.named(model.config, "causal", layer, head)
    pictures = (
        Map(
            each[layer, head],
            (*sentence.written, *pads),
            (*sentence.target, *pads),
            "causal",
            where,
            (*sentence.target, *pads),
        )
        for each in (one, two)
    )
    scores = study.shaped("N, H, T, T", 1, c.of("decoder").heads, len(target), len(target))
    return Study(
        *pictures,
        shapes=(
            Shape(message("scores"), scores, scores),
            Shape(
                "mask",
                message("causal and padding"),
                message("causal"),
            ),
        ),
        numbers=(
            Number.both(
                message("weight on <pad> from rows of padding"),
                (float(each[..., length:, length:].sum(-1).mean()) for each in (one, two)),
                unit="share",
            ),
            Number.both(
                message("weight on <pad> from rows of words"),
                (float(each[..., :length, length:].sum(-1).mean()) for each in (one, two)),
                unit="share",
            ),
            Number(
                message("largest change of a padding row’s logit"),
                0.0,
                study.far(right.logits[length:], wrong.logits[length:]),
            ),
            Number(
                message("largest change of a word’s logit"),
                0.0,
                study.far(right.logits[:length], wrong.logits[:length]),
            ),
        ),
    )


# -- mask-truth-value ---------------------------------------------------------------------------------------


def attend_if_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Attention with `if mask:`, as it was written → output and weights."""
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def mask_truth_value(model: Transformer, sentence: Sentence) -> Study:
    record = tuple(f"decoder.0.self.{kind}" for kind in ("q", "k", "v"))
    right = study.run_sentence(model, sentence, record=record)
    q, k, v = (torch.from_numpy(right.first("causal", kind)) for kind in ("q", "k", "v"))
    length = q.shape[1]
    python_says: study.Words = ""
    values = np.full((length, length), np.nan, dtype=np.float32)
    try:
        values = attend_if_mask(q, k, v, torch.ones(length, length).tril())[1][0].numpy()
    except RuntimeError as error:
        python_says = message("Python says: {error}"), {"error": str(error)}
    # One key, and it is forbidden.
    _, skipped = attend_if_mask(q[:, :1], k[:, :1], v[:, :1], torch.zeros(1, 1))
    where = study.named(model.config, "causal", 0, 0)
    one_key = Mask.of(torch.zeros(1, 1, dtype=torch.bool))
    kept = one_key.apply(torch.zeros(1, 1)).exp()
    return Study(
        study.pictured(right.maps("causal")[0, 0], sentence, "causal", where),
        study.pictured(values, sentence, "causal", where),
        shapes=(
            Shape(
                "mask",
                f"(T, T) = ({length}, {length})",
                (message("{shape}, used as one truth value"), {"shape": f"(T, T) = ({length}, {length})"}),
            ),
        ),
        numbers=(
            Number(message("rows with a map"), length, int(np.isfinite(values).all(-1).sum()), "count"),
            Number(
                message("one token, mask [[0]]: weight on the forbidden key"),
                float(kept),
                float(skipped.mean()),
                "share",
            ),
        ),
        python_says=python_says,
    )


# -- masked-row-nan -----------------------------------------------------------------------------------------


def encoded(model: Transformer, source: Tensor, mask: Mask) -> Seen:
    """The encoder's maps and states of source (1, S) under any mask."""
    hooks = Hooks(("encoder.*.self.weights", "encoder.*.ffn.residual_after", "encoder.*.ffn.norm_output"))
    with torch.inference_mode():
        x, length = model.source_embedding(source, hooks=hooks), source.shape[1]
        for layer, bias in zip(model.encoder_layers, model.biases("encoder", 0, length, length), strict=True):
            x = layer(x, mask, bias, hooks, model.turns("encoder", 0, length))
        return Seen(model.config, to_cpu(hooks.records))


def _padding_row(model: Transformer, sentence: Sentence) -> tuple[Tensor, Tensor]:
    """The source with one row of padding, (1, S + 1), and who may attend: padding to nothing, as its rows are masked too."""
    source = study.ids(model, [*sentence.source_ids, model.config.source_padding])
    real = source != model.config.source_padding
    real[:, 0] = True
    return source, (real[:, None, :, None] & real[:, None, None, :]).expand(-1, 1, -1, -1)


def _nan_rows(seen: Seen, layer: int) -> int:
    """Tokens whose state after a layer is not a number."""
    return int((~np.isfinite(seen.stream(layer)).all(-1)).sum())


def masked_row_nan(model: Transformer, sentence: Sentence) -> Study:
    c, (source, allowed) = model.config, _padding_row(model, sentence)
    right = encoded(model, source, Mask.of(allowed))
    wrong = encoded(model, source, Mask(allowed))  # the fault: empty rows are not handled
    layer = 0
    labels = (*sentence.source, "<pad>")
    where = study.named(model.config, "encoder", layer, 0)
    last = c.encoder_layers - 1
    scores = study.shaped("N, H, T, T", 1, c.heads, source.shape[1], source.shape[1])
    return Study(
        *(Map(run.maps("encoder")[layer, 0], labels, labels, "encoder", where) for run in (right, wrong)),
        shapes=(
            Shape(message("masked scores"), scores, scores),
            Shape(
                message("the row of <pad>"),
                message("zeros after the softmax"),
                message("softmax of −inf alone: 0/0"),
            ),
        ),
        numbers=(
            Number(
                message("tokens that are NaN after layer 0"), _nan_rows(right, 0), _nan_rows(wrong, 0), "rows"
            ),
            Number(
                (message("tokens that are NaN after the last layer, {layer}"), {"layer": str(last)}),
                _nan_rows(right, last),
                _nan_rows(wrong, last),
                "rows",
            ),
        ),
    )


# -- axes-swapped -------------------------------------------------------------------------------------------


def axes_swapped(model: Transformer, sentence: Sentence) -> Study:
    right = study.run_sentence(model, sentence)
    maps = right.maps("cross")
    layer, head = (int(n) for n in np.unravel_index(int(maps.max(-1).mean(-1).argmax()), maps.shape[:2]))
    values = maps[layer, head]
    where = study.named(model.config, "cross", layer, head)
    rows, columns = values.shape
    sums = [each.sum(-1) for each in (values, values.T)]
    return Study(
        study.pictured(values, sentence, "cross", where),
        Map(np.ascontiguousarray(values.T), sentence.source, sentence.written, "cross", where),
        shapes=(
            Shape(
                message("drawn as rows × columns"),
                (message("target {rows} × source {columns}"), {"rows": str(rows), "columns": str(columns)}),
                (message("source {columns} × target {rows}"), {"rows": str(rows), "columns": str(columns)}),
            ),
        ),
        numbers=(
            Number.both(message("smallest sum of a row"), (float(each.min()) for each in sums)),
            Number.both(message("largest sum of a row"), (float(each.max()) for each in sums)),
        ),
    )


# -- beams-not-reordered ------------------------------------------------------------------------------------


class SeenBeam:
    """A beam search with the cross-attention of each step, one row for each live hypothesis, in the order of that step."""

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
        slots: list[int] = []
        parent: int | None = self.search.nodes[node].parent
        while parent is not None:
            slots.append(self.live[self.search.nodes[parent].step].index(parent))
            parent = self.search.nodes[parent].parent
        return slots[::-1]

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


def beams_not_reordered(model: Transformer, sentence: Sentence) -> Study:
    limit = min(model.config.max_length - 1, len(sentence.target_ids) + 8)
    seen = SeenBeam(model, sentence.source_ids, limit)
    node = moved(seen)
    slots = seen.slots(node)
    written = seen.search.beam.ids(node)
    target = [model.config.bos_id, *written[:-1]]
    truth = study.run_ids(model, sentence.source_ids, target).maps("cross")
    one, two = seen.stacked(slots), seen.stacked([slots[-1]] * len(slots))
    layer, head = study.furthest_head(one, two)
    labels, reads = (tuple(sentence.spell(ids)) for ids in (written, target))
    where = study.named(model.config, "cross", layer, head)
    kept = study.shaped("step, H, S", len(slots), model.config.of("decoder").heads, len(sentence.source_ids))
    return Study(
        *(Map(each[layer, head], labels, sentence.source, "cross", where, reads) for each in (one, two)),
        shapes=(
            Shape(message("rows of one hypothesis"), kept, kept),
            Shape(
                message("taken from beam"),
                ", ".join(map(str, slots)),
                ", ".join(str(slots[-1]) for _ in slots),
            ),
        ),
        numbers=(
            Number(
                message("rows that belong to another hypothesis"),
                0,
                sum(int(np.abs(one[:, :, t] - two[:, :, t]).max() > 1e-5) for t in range(len(slots))),
                "rows",
            ),
            Number(
                message("largest difference from a full pass"),
                study.far(one, truth),
                study.far(two, truth),
                "share",
            ),
        ),
    )


# -- alignment-layer-ignored --------------------------------------------------------------------------------


def asked_for(maps: Array, layer: int, faulty: bool) -> Array:
    """The mean map (T, S) of a decoder layer; the faulty one has an argument it never reads."""
    chosen = maps[-1] if faulty else maps[layer]
    mean: Array = chosen.mean(0)
    return mean


def one_decoder_layer(config: ModelConfig) -> str:
    single = tr("This checkpoint has a single decoder layer, so there is none to choose.")
    return single if config.decoder_layers == 1 else ""


def alignment_layer_ignored(model: Transformer, sentence: Sentence) -> Study:
    maps = study.run_sentence(model, sentence).maps("cross")
    one, two = (asked_for(maps, 0, faulty) for faulty in (False, True))
    differ = [
        study.far(asked_for(maps, 0, faulty), asked_for(maps, maps.shape[0] - 1, faulty))
        for faulty in (False, True)
    ]
    where = message("Cross-attention requested at layer 0, mean over heads")
    size = study.shaped("T, S", *one.shape)
    return Study(
        *(study.pictured(each, sentence, "cross", where) for each in (one, two)),
        shapes=(
            Shape(
                message("what comes back"),
                *(
                    (message("{shape} of layer {layer}"), {"shape": size, "layer": str(layer)})
                    for layer in (0, maps.shape[0] - 1)
                ),
            ),
        ),
        numbers=(
            Number.both(message("largest difference of what layers 0 and last give"), differ, unit="share"),
            Number(message("largest difference from the layer asked for"), 0.0, study.far(one, two), "share"),
        ),
    )


def _with_padding_row(model: Transformer, sentence: Sentence) -> Logits:
    """NaN where the row of padding makes the encoder's output NaN."""
    source, allowed = _padding_row(model, sentence)
    states = encoded(model, source, Mask(allowed)).stream(model.config.encoder_layers - 1)
    broken = not np.isfinite(states).all()
    return lambda target: (
        np.full(2, np.nan) if broken else study.run_ids(model, sentence.source_ids, target).logits[-1]
    )


MASKS_AND_TOOLS: Final[Mapping[str, Pitfall]] = {
    "no-causal-mask": Pitfall(no_causal_mask, logits=study.edited_logits(lambda model: unmasked())),
    "target-padding-unmasked": Pitfall(target_padding_unmasked),
    "mask-truth-value": Pitfall(mask_truth_value),
    "masked-row-nan": Pitfall(masked_row_nan, logits=_with_padding_row),
    "mask-leaks": Pitfall(mask_leaks, logits=study.edited_logits(lambda model: leaking())),
    "axes-swapped": Pitfall(axes_swapped),
    "beams-not-reordered": Pitfall(beams_not_reordered),
    "alignment-layer-ignored": Pitfall(alignment_layer_ignored, one_decoder_layer),
}
