"""Pitfalls of masks: missing, leaking, asked for its truth, forgetting padding, or leaving a row nothing to attend to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.decoding.rows import to_cpu
from core.learning import passes
from core.learning.passes import Array, Edits, Seen
from core.learning.study import Map, Number, Pitfall, Sentence, Shape, Study
from core.model.hooks import Hooks
from core.model.masks import Mask
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor

PADS = 3  # padding tokens that the padding pitfall appends
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
    def study(model: Transformer, sentence: Sentence) -> Study:
        right, wrong = passes.of(model, sentence), passes.of(model, sentence, edit())
        length = len(sentence.target_ids)
        scores = passes.shaped("N, H, T, T", 1, model.config.heads, length, length)
        open_cells = [int((run.maps("causal") > 0).any(axis=(0, 1)).sum()) for run in (right, wrong)]
        return Study(
            *passes.pair(right, wrong, sentence, "causal"),
            shapes=(
                Shape("scores", scores, scores),
                Shape("cells that get weight", *(f"{cells} of {length * length}" for cells in open_cells)),
            ),
            numbers=(
                Number.both(
                    "weight that a row gives to its future",
                    (ahead(run.maps("causal")) for run in (right, wrong)),
                    unit="share",
                ),
                Number(
                    "change of the first step’s logits when the last target word is replaced",
                    passes.first_step_moves(model, sentence),
                    passes.first_step_moves(model, sentence, edit),
                ),
                Number.both(
                    "loss of the same translation, with weights trained with the mask",
                    (loss(run, sentence) for run in (right, wrong)),
                    unit="nats",
                ),
            ),
        )

    return study


NO_CAUSAL_MASK = Pitfall(
    "no-causal-mask",
    "No causal mask",
    "in general",
    "In training the decoder reads the whole translation at once and is asked, at every position, for the next word. Only "
    "the causal mask keeps that word out of sight. A model trained without it learns to read the answer. Its training loss "
    "falls to almost nothing, and generation fails: no later word exists there. The weights shown here were trained "
    "with the mask. Taking it away makes their loss rise, because such rows are new to them.",
    "The upper triangle of the causal map is not empty, and the first step moves with the last word.",
    "x = self.embed(target)\n"
    "for layer in self.layers:\n"
    "    x = layer(x, memory, source_mask)   # no target mask is handed on\n"
    "return self.project(x)",
    "assert weights.triu(1).abs().max() == 0",
    _causal_study(unmasked),
)

MASK_LEAKS = Pitfall(
    "mask-leaks",
    "A mask that leaks",
    "found in real code",
    "Scores that are forbidden have to become so small that their softmax is zero: −inf, or −1e9. Where the sign slips into "
    "the exponent, 1e-9, they become zero instead, and e⁰ is one: a forbidden key gets as much as any key with a middling "
    "score. The mask is there, its shape is right, and the map even looks causal where scores are large.",
    "A veil of weight over the upper triangle; the first step moves with the last word.",
    "mask = torch.tril(torch.ones(T, T))\n"
    "scores = q @ k.transpose(-2, -1) / math.sqrt(d_h)\n"
    "scores = scores.masked_fill(mask == 0, 1e-9)   # should be -1e9\n"
    "w = torch.softmax(scores, dim=-1)",
    "assert weights.masked_select(mask == 0).max() < 1e-6",
    _causal_study(leaking),
)


# -- target-padding-unmasked --------------------------------------------------------------------------------


def causal_only() -> Edits:
    """Target padding left in sight: every earlier position may be attended to."""

    def change(scores: Tensor, masked: Tensor) -> Tensor:
        future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        return scores.masked_fill(future, -torch.inf)

    return masked_otherwise(change)


def _padding(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.target_ids)
    count = min(PADS, max(1, c.max_length - length))
    target = [*sentence.target_ids, *[c.pad_id] * count]
    right = passes.seen(model, sentence.source_ids, target)
    wrong = passes.seen(model, sentence.source_ids, target, causal_only())
    one, two = right.maps("causal"), wrong.maps("causal")
    layer, head = passes.furthest_head(one, two)
    pads = ("<pad>",) * count
    where = passes.named("causal", layer, head)
    pictures = (
        Map(each[layer, head], (*sentence.written, *pads), (*sentence.target, *pads), "causal", where)
        for each in (one, two)
    )
    scores = passes.shaped("N, H, T, T", 1, c.heads, len(target), len(target))
    return Study.of(
        pictures,
        shapes=(
            Shape("scores", scores, scores),
            Shape(
                "mask",
                f"causal & padding: ({len(target)}, {len(target)})",
                f"causal: ({len(target)}, {len(target)})",
            ),
        ),
        numbers=(
            Number.both(
                "weight on <pad> from rows of padding",
                (float(each[..., length:, length:].sum(-1).mean()) for each in (one, two)),
                unit="share",
            ),
            Number.both(
                "weight on <pad> from rows of words",
                (float(each[..., :length, length:].sum(-1).mean()) for each in (one, two)),
                unit="share",
            ),
            Number(
                "largest change of a padding row’s logit",
                0.0,
                passes.far(right.logits[length:], wrong.logits[length:]),
            ),
            Number(
                "largest change of a word’s logit",
                0.0,
                passes.far(right.logits[:length], wrong.logits[:length]),
            ),
        ),
    )


TARGET_PADDING_UNMASKED = Pitfall(
    "target-padding-unmasked",
    "Padding of the target in sight",
    "E",
    "Sentences of a batch are filled up with <pad> to one length. The source side has a mask for it; the target side has "
    "the causal mask alone. As long as padding stands at the end, no word can see it, for it lies in every word’s future, "
    "and that is why nobody notices. The rows of padding do see it, and a loss that counts those rows, or a batch padded "
    "on the left, trains on noise.",
    "Weight in the <pad> columns; here only in the rows of padding itself, since it stands at the end.",
    "def target_mask(self, target):\n"
    "    N, T = target.shape\n"
    "    causal = torch.tril(torch.ones(T, T)).expand(N, 1, T, T)\n"
    "    return causal        # & (target != pad)[:, None, None, :]",
    "assert weights[..., tokens == pad].max() == 0",
    _padding,
)


# -- mask-truth-value ---------------------------------------------------------------------------------------


def attend_if_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Attention that asks a tensor whether it is true, as it was written. Returns what was mixed and the weights."""
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def _truth(model: Transformer, sentence: Sentence) -> Study:
    record = tuple(f"decoder.0.self.{kind}" for kind in ("q", "k", "v"))
    right = passes.of(model, sentence, record=record)
    q, k, v = (torch.from_numpy(right.first("causal", kind)) for kind in ("q", "k", "v"))
    length = q.shape[1]
    said = ""
    values = np.full((length, length), np.nan, dtype=np.float32)
    try:
        values = attend_if_mask(q, k, v, torch.ones(length, length).tril())[1][0].numpy()
    except RuntimeError as error:
        said = f"Python says: {error}"
    _, skipped = attend_if_mask(
        q[:, :1], k[:, :1], v[:, :1], torch.zeros(1, 1)
    )  # one key, and it is forbidden
    where = passes.named("causal", 0, 0)
    one_key = Mask.of(torch.zeros(1, 1, dtype=torch.bool))
    kept = one_key.apply(torch.zeros(1, 1)).exp()
    return Study(
        passes.pictured(right.maps("causal")[0, 0], sentence, "causal", where),
        passes.pictured(values, sentence, "causal", where),
        shapes=(
            Shape(
                "mask",
                f"(T, T) = ({length}, {length})",
                f"(T, T) = ({length}, {length}), asked for one truth",
            ),
        ),
        numbers=(
            Number("rows with a map", length, int(np.isfinite(values).all(-1).sum()), "count"),
            Number(
                "one token, mask [[0]]: weight on the forbidden key",
                float(kept),
                float(skipped.mean()),
                "share",
            ),
        ),
        said=said,
    )


MASK_TRUTH_VALUE = Pitfall(
    "mask-truth-value",
    "A mask asked whether it is true",
    "C",
    "An optional argument is tested with `if mask:`. For None that works. A tensor of more than one number has no truth "
    "value, so Python raises an error at the first real mask; and a mask of a single 0, which forbids everything, counts "
    "as false and is skipped without a word. What was meant is `if mask is not None`.",
    "An error for any mask with more than one element; for exactly one, the mask is skipped.",
    "def attention(q, k, v, mask=None):\n"
    "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))\n"
    "    if mask:                        # should be: if mask is not None\n"
    "        scores = scores.masked_fill(mask == 0, -torch.inf)\n"
    "    return torch.softmax(scores, dim=-1) @ v",
    "attention(q, k, v, mask=torch.ones(T, T).tril())   # must not raise",
    _truth,
)


# -- masked-row-nan -----------------------------------------------------------------------------------------


def encoded(model: Transformer, source: Tensor, mask: Mask) -> Seen:
    """The encoder's maps and states of source (1, S) under any mask."""
    hooks = Hooks(("encoder.*.self.weights", "encoder.*.ffn.residual_after", "encoder.*.ffn.norm_output"))
    with torch.inference_mode():
        x, length = model.source_embedding(source, hooks=hooks), source.shape[1]
        for layer, bias in zip(model.encoder_layers, model.biases("encoder", 0, length, length), strict=True):
            x = layer(x, mask, bias, hooks)
        return Seen(model.config, to_cpu(hooks.records))


def _nan_rows(seen: Seen, layer: int) -> int:
    """Tokens whose state after a layer is not a number."""
    return int((~np.isfinite(seen.stream(layer)).all(-1)).sum())


def _masked_row(model: Transformer, sentence: Sentence) -> Study:
    c = model.config
    source = passes.ids(model, [*sentence.source_ids, c.source_padding])
    real = source != c.source_padding
    real[:, 0] = True
    allowed = (real[:, None, :, None] & real[:, None, None, :]).expand(-1, 1, -1, -1)
    right = encoded(model, source, Mask.of(allowed))
    wrong = encoded(model, source, Mask(allowed))  # the fault: nobody looks for rows that are empty
    layer = 0
    labels = (*sentence.source, "<pad>")
    where = passes.named("encoder", layer, 0)
    last = c.encoder_layers - 1
    scores = passes.shaped("N, H, T, T", 1, c.heads, source.shape[1], source.shape[1])
    return Study.of(
        (Map(run.maps("encoder")[layer, 0], labels, labels, "encoder", where) for run in (right, wrong)),
        shapes=(
            Shape("masked scores", scores, scores),
            Shape("the row of <pad>", "zeros after the softmax", "softmax of −inf alone: 0/0"),
        ),
        numbers=(
            Number("tokens that are NaN after layer 0", _nan_rows(right, 0), _nan_rows(wrong, 0), "rows"),
            Number(
                f"tokens that are NaN after the last layer, {last}",
                _nan_rows(right, last),
                _nan_rows(wrong, last),
                "rows",
            ),
        ),
    )


MASKED_ROW_NAN = Pitfall(
    "masked-row-nan",
    "A row with nothing to attend to",
    "A, D",
    "A row whose scores are all −inf has a softmax of 0/0, which is NaN. It happens as soon as a mask forbids rows of "
    "padding as well as its columns, or a batch holds an empty sentence. In the next layer the NaN is a value like any "
    "other: its weight is zero, but zero times NaN is NaN, and so every token of the sentence is lost, then the loss, "
    "then after one step of the optimiser every weight.",
    "One row of NaN in the first layer; from the second on, all of them.",
    "keep = (tokens != pad)\n"
    "mask = keep[:, :, None] & keep[:, None, :]        # rows of padding keep nothing\n"
    "scores = scores.masked_fill(~mask, -torch.inf)\n"
    "w = torch.softmax(scores, dim=-1)                 # NaN where a row is all -inf",
    "assert torch.isfinite(attention(q, k, v, mask=torch.zeros(T, T))).all()",
    _masked_row,
)

PITFALLS = (NO_CAUSAL_MASK, TARGET_PADDING_UNMASKED, MASK_TRUTH_VALUE, MASKED_ROW_NAN, MASK_LEAKS)
