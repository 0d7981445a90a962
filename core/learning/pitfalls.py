"""Mistakes on a model: those in heads, scores and the direction of cross-attention, and the table of all.

Those of the residual stream and of masks are in `stream_pitfalls` and `map_pitfalls`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from core.language import message, tr
from core.learning import study
from core.learning.map_pitfalls import MASKS_AND_TOOLS
from core.learning.mistakes import mistake
from core.learning.stream_pitfalls import STREAM
from core.learning.study import (
    RAISES,
    SAME,
    Array,
    Edits,
    Logits,
    Map,
    Number,
    Output,
    Pitfall,
    Sentence,
    Shape,
    Study,
    greedy,
)
from core.model.attention import DecodeState, KeysValues, Mask, attend
from core.model.config import ModelConfig
from core.model.hooks import STACKS, Hooks, tap
from core.model.layers import DecoderLayer
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor


def one_head(config: ModelConfig) -> str:
    """Why a model cannot show what heads get wrong among themselves."""
    single = tr("This checkpoint has a single head, so nothing can go wrong between heads.")
    return single if config.heads == 1 else ""


# -- head-split-view ----------------------------------------------------------------------------------------


def _read_in_rows(t: Tensor) -> Tensor:
    """Correct heads (B, H, T, d_h) → what `view(B, H, T, d_h)` makes of the same (B, T, H·d_h)."""
    return t.transpose(1, 2).reshape(t.shape)


def _written_in_rows(t: Tensor) -> Tensor:
    """Head outputs (B, H, T, d_h), reordered so that the correct merge gives what `view(B, T, H·d_h)` would."""
    rows, heads, length, size = t.shape
    return t.reshape(rows, length, heads, size).transpose(1, 2)


def split_view() -> Edits:
    """Q, K and V reshaped straight to heads, and straight back."""
    return {**dict.fromkeys(("*.q", "*.k", "*.v"), _read_in_rows), "*.head_output": _written_in_rows}


def _moved_queries(model: Transformer, sentence: Sentence, edit: Edits | None) -> int:
    """Query rows (head, token) of the first encoder layer that move although only another word was replaced."""
    changed, position = study.last_source_changed(model, sentence)
    record = ("encoder.0.self.q",)
    one = study.run_sentence(model, sentence, edit, record).first("encoder", "q")
    two = study.run_ids(model, changed, sentence.target_ids, edit, record).first("encoder", "q")
    moved = np.abs(one - two).max(-1) > 1e-6  # (H, S)
    moved[:, position] = False
    return int(moved.sum())


def head_split_view(model: Transformer, sentence: Sentence) -> Study:
    right, wrong = study.compared(model, sentence, split_view())
    c, length = model.config, len(sentence.source_ids)
    before = study.shaped("N, T, d", 1, length, c.heads * c.d_head)
    heads = (1, c.heads, length, c.d_head)
    return Study(
        *study.pair(right, wrong, sentence, "encoder"),
        shapes=(
            Shape(message("before the cut"), before, before),
            Shape(
                message("after it"),
                study.shaped("N, T, H, d_h → N, H, T, d_h", *heads),
                study.shaped("N, H, T, d_h", *heads),
            ),
        ),
        numbers=(
            Number(
                message("query rows of other words that move when one word is replaced"),
                _moved_queries(model, sentence, None),
                _moved_queries(model, sentence, split_view()),
                "count",
            ),
            study.logit_change(right, wrong),
        ),
    )


# -- heads-attend-heads -------------------------------------------------------------------------------------


class HeadsAttendHeads:
    """Edits of one pass: self-attention's scores over the head axis, from Q and K left as (N, T, H, d_h).

    Cross-attention is left correct: there the two lengths differ and the product fails at once.
    """

    def __init__(self, config: ModelConfig) -> None:
        self.scales = {stack: 1 / math.sqrt(config.of(stack).d_head) for stack in STACKS}
        self.weights: dict[str, list[Tensor]] = {"encoder": [], "decoder": []}
        self._held: dict[str, Tensor] = {}

    def edits(self) -> Edits:
        """The edits of both stacks; they keep the weights (1, T, H, H) of each layer in `weights`."""
        edits: dict[Any, Any] = {}
        for stack in self.weights:
            edits |= {f"{stack}.*.self.{kind}": self._hold(kind) for kind in ("q", "k", "v")}
            edits[f"{stack}.*.self.head_output"] = self._mixed(stack)
        return edits

    def _hold(self, kind: str) -> Any:
        def hold(t: Tensor) -> Tensor:
            self._held[kind] = t.transpose(1, 2)  # (N, T, H, d_h), as it was left
            return t

        return hold

    def _mixed(self, stack: str) -> Any:
        def mixed(t: Tensor) -> Tensor:
            q, k, v = (self._held[kind] for kind in ("q", "k", "v"))
            weights = torch.softmax(q @ k.transpose(-2, -1) * self.scales[stack], dim=-1)  # (N, T, H, H)
            self.weights[stack].append(weights)
            return (weights @ v).transpose(1, 2)

        return mixed


def _change_elsewhere(model: Transformer, sentence: Sentence, faulty: bool) -> float:
    """The largest change of the first layer's attention output at other words when one word is replaced."""
    changed, position = study.last_source_changed(model, sentence)
    outputs = []
    for source in (sentence.source_ids, changed):
        edit = HeadsAttendHeads(model.config).edits() if faulty else None
        run = study.run_ids(model, source, sentence.target_ids, edit, ("encoder.0.self.head_output",))
        outputs.append(np.delete(run.first("encoder", "head_output"), position, axis=1))
    return study.far(*outputs)


def heads_attend_heads(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    fault = HeadsAttendHeads(c)
    right, wrong = study.compared(model, sentence, fault.edits())
    token = min(1, length - 1)
    names = tuple(f"0.{head}" for head in range(c.heads))
    weights = fault.weights["encoder"][0][0, token].float().cpu().numpy()  # (H, H)
    where = (
        message("Encoder self-attention, layer 0, token “{token}”: its heads × its heads"),
        {"token": sentence.source[token]},
    )
    return Study(
        study.pictured(
            right.maps("encoder")[0, 0], sentence, "encoder", study.named(model.config, "encoder", 0, 0)
        ),
        Map(weights, names, names, "encoder", where),
        shapes=(
            Shape(
                "q, k",
                study.shaped("N, H, T, d_h", 1, c.heads, length, c.d_head),
                study.shaped("N, T, H, d_h", 1, length, c.heads, c.d_head),
            ),
            Shape(
                message("weights"),
                study.shaped("N, H, T, T", 1, c.heads, length, length),
                study.shaped("N, T, H, H", 1, length, c.heads, c.heads),
            ),
        ),
        numbers=(
            Number(
                message("largest change at other words when one word is replaced"),
                _change_elsewhere(model, sentence, faulty=False),
                _change_elsewhere(model, sentence, faulty=True),
            ),
            study.logit_change(right, wrong),
        ),
    )


# -- merge-without-transpose --------------------------------------------------------------------------------


def merged_in_rows() -> Edits:
    """The heads' outputs (N, H, T, d_h) reshaped to (N, T, d) without a transpose."""
    return {"*.head_output": _written_in_rows}


def _origins(config: ModelConfig, length: int, faulty: bool) -> Array:
    """Share of each token's head outputs in each row that the output projection reads, (T, T)."""
    # One number a token stands for d_h of them.
    marks = torch.eye(length)[None, None].expand(1, config.heads, -1, -1)
    rows = _written_in_rows(marks) if faulty else marks
    return rows[0].mean(dim=0).numpy()  # the core's merge puts the heads of one row side by side


def merge_without_transpose(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    right, wrong = study.compared(model, sentence, merged_in_rows())
    one, two = _origins(c, length, faulty=False), _origins(c, length, faulty=True)
    where = message("Each row before the output projection: the tokens whose head outputs it holds")
    heads = study.shaped("N, H, T, d_h", 1, c.heads, length, c.d_head)
    inner = study.shaped("N, T, d", 1, length, c.heads * c.d_head)
    return Study(
        study.pictured(one, sentence, "encoder", where),
        study.pictured(two, sentence, "encoder", where),
        shapes=(
            Shape(message("heads’ outputs"), heads, heads),
            Shape(
                message("merged"),
                (message("transpose, then {shape}"), {"shape": inner}),
                (message("{shape} at once"), {"shape": inner}),
            ),
        ),
        numbers=(
            Number(
                message("a row’s own token in it"),
                float(np.diag(one).mean()),
                float(np.diag(two).mean()),
                "share",
            ),
            Number(
                message("largest change of the first layer’s maps"),
                0.0,
                study.far(right.maps("encoder")[0], wrong.maps("encoder")[0]),
            ),
            study.logit_change(right, wrong),
        ),
    )


# -- scale-by-d-model ---------------------------------------------------------------------------------------


def scaled_by_model(config: ModelConfig) -> Edits:
    """Scores over √d_model in place of √d_h."""
    factors = {stack: math.sqrt(config.of(stack).d_head / config.d_model) for stack in STACKS}
    return {f"{stack}.*.scores": partial(torch.mul, other=factor) for stack, factor in factors.items()}


def no_head_scale(config: ModelConfig) -> str:
    if config.score_scale != "head":
        return tr("This checkpoint never divides its scores by √d_h, so there is nothing to get wrong.")
    return one_head(config)


def scale_by_d_model(model: Transformer, sentence: Sentence) -> Study:
    c = model.config
    right, wrong = study.compared(model, sentence, scaled_by_model(c), ("encoder.0.self.scores",))
    spread = [float(run.first("encoder", "scores").std()) for run in (right, wrong)]
    scores = study.shaped("N, H, T, T", 1, c.heads, *2 * (len(sentence.source_ids),))
    return Study(
        *study.pair(right, wrong, sentence, "encoder"),
        shapes=(
            Shape(message("scores"), scores, scores),
            Shape(message("divided by"), f"√d_h = √{c.d_head}", f"√d_model = √{c.d_model}"),
        ),
        numbers=(
            Number.both(message("standard deviation of the first layer’s scores"), spread),
            Number(message("the first, in units of the second"), 1.0, spread[0] / max(spread[1], 1e-12)),
            Number.both(
                message("mean entropy of an encoder row"),
                (study.entropy(run.maps("encoder")) for run in (right, wrong)),
                unit="nats",
            ),
        ),
    )


# -- cross-qkv-swapped --------------------------------------------------------------------------------------


class SwappedCross(DecoderLayer):
    """A decoder layer whose cross-attention makes queries of the memory, keys and values of its own states."""

    def forward(
        self,
        x: Tensor,
        self_mask: Mask,
        memory: KeysValues,
        source_mask: Mask,
        bias: Tensor | None = None,
        state: DecodeState | None = None,
        hooks: Hooks | None = None,
        turns: Tensor | None = None,
    ) -> Tensor:
        """x (B, L, d_model) and the memory itself, twice, (B, L, d_model): both sides have one length here."""
        at = tap(hooks, "decoder", self.layer, "self")
        x, h = self.self_residual.enter(x, at)
        q, keys_values = self.self_attention.queries_keys_values(h, at, turns)
        x = self.self_residual.leave(x, self.self_attention(q, keys_values, self_mask, bias, at), at)

        at = tap(hooks, "decoder", self.layer, "cross")
        x, h = self.cross_residual.enter(x, at)
        q = self.cross_attention.queries(memory[0], at)  # the fault: queries from the memory …
        k, v = self.cross_attention.keys_values(h, at)  # … keys from the decoder, its future too
        real = None if self_mask.allowed is None else self_mask.allowed[:, :, -1:]
        mixed = attend(q, k, v, Mask(real), scale=self.cross_attention.scale, tap=at)
        x = self.cross_residual.leave(
            x, self.cross_attention.output_proj(mixed.transpose(1, 2).flatten(-2)), at
        )

        at = tap(hooks, "decoder", self.layer, "ffn")
        x, h = self.ffn_residual.enter(x, at)
        return self.ffn_residual.leave(x, self.feed_forward(h, at), at)

    def memory_keys_values(self, memory: Tensor, hooks: Hooks | None = None) -> KeysValues:
        """The memory, twice."""
        return memory, memory


def swapped(model: Transformer) -> Transformer:
    """The model with cross-attention's sides exchanged."""

    return study.with_layers(model, lambda layer: study.replaced(layer, SwappedCross), "decoder")


def _padded(c: ModelConfig, sentence: Sentence, target: Sequence[int]) -> Sentence:
    """Source and target padded to one length, as in the write-up: the residual sum needs equal lengths."""
    length = max(len(sentence.source_ids), len(target))
    return replace(
        sentence,
        source_ids=(*sentence.source_ids, *[c.source_padding] * (length - len(sentence.source_ids))),
        target_ids=(*target, *[c.pad_id] * (length - len(target))),
    )


def _leak(model: Transformer, padded: Sentence, last: int) -> float:
    """How far the first step's logits move when the decoder's last word is replaced."""
    changed = list(padded.target_ids)
    changed[last] = study.other_word(model.config, changed[last], model.config.target_vocab_size)
    one, two = study.run_sentence(model, padded), study.run_ids(model, padded.source_ids, changed)
    return study.far(one.logits[0], two.logits[0])


def cross_qkv_swapped(model: Transformer, sentence: Sentence) -> Study:
    c, (rows, columns) = model.config.of("decoder"), (len(sentence.target_ids), len(sentence.source_ids))
    padded, faulty = _padded(model.config, sentence, sentence.target_ids), swapped(model)
    right, wrong = study.run_sentence(model, padded), study.run_sentence(faulty, padded)
    one, two = right.maps("cross")[..., :rows, :columns], wrong.maps("cross")[..., :columns, :rows]
    layer, head = study.furthest_head(one, np.swapaxes(two, -1, -2))
    where = study.named(model.config, "cross", layer, head)
    python_says: study.Words = ""
    if rows != columns:
        try:
            torch.zeros(1, rows, c.d_model) + torch.zeros(1, columns, c.d_model)
        except RuntimeError as error:
            python_says = (
                message("Without padding to one length, the sum x + cross(…) says: {error}"),
                {"error": str(error)},
            )
    return Study(
        study.pictured(one[layer, head], sentence, "cross", where),
        Map(two[layer, head], sentence.source, sentence.target, "cross", where),
        shapes=(
            Shape(
                "q, k",
                f"{study.shaped('N, H, T, d_h', 1, c.heads, rows, c.d_head)}, S = {columns}",
                f"{study.shaped('N, H, S, d_h', 1, c.heads, columns, c.d_head)}, T = {rows}",
            ),
            Shape(
                message("weights"), study.shaped("T, S", rows, columns), study.shaped("S, T", columns, rows)
            ),
            Shape(
                message("output"),
                study.shaped("T, d", rows, c.d_model),
                study.shaped("S, d", columns, c.d_model),
            ),
        ),
        numbers=(
            Number(
                message("change of the first step’s logits when the last target word is replaced"),
                _leak(model, padded, rows - 1),
                _leak(faulty, padded, rows - 1),
            ),
            Number(message("rows of the cross map"), rows, columns, "count"),
        ),
        python_says=python_says,
    )


def _swapped(model: Transformer, sentence: Sentence) -> Logits:
    """Cross-attention the wrong way round, with both sides padded to one length."""
    faulty = swapped(model)
    return lambda target: study.run_sentence(faulty, _padded(model.config, sentence, target)).logits[
        len(target) - 1
    ]


# -- all mistakes -------------------------------------------------------------------------------------------

_PITFALLS: Final[Mapping[str, Pitfall]] = {
    "head-split-view": Pitfall(head_split_view, one_head, study.edited_logits(lambda model: split_view())),
    "heads-attend-heads": Pitfall(
        heads_attend_heads,
        one_head,
        study.edited_logits(lambda model: HeadsAttendHeads(model.config).edits()),
    ),
    "merge-without-transpose": Pitfall(
        merge_without_transpose, one_head, study.edited_logits(lambda model: merged_in_rows())
    ),
    "scale-by-d-model": Pitfall(
        scale_by_d_model, no_head_scale, study.edited_logits(lambda model: scaled_by_model(model.config))
    ),
    "cross-qkv-swapped": Pitfall(cross_qkv_swapped, logits=_swapped),
    **STREAM,
    **MASKS_AND_TOOLS,
}
BEYOND: Final = 6  # tokens that a faulty model may write beyond the length of the correct translation


def pitfall(name: str) -> Pitfall:
    """How the mistake of this id is shown. Raises `InputError` that lists those there are."""
    return _PITFALLS[mistake(name).id]


def output(name: str, model: Transformer, sentence: Sentence) -> Output:
    """What the model writes for the sentence with the mistake `name` in it."""
    if name == "mask-truth-value":
        return RAISES
    if (logits := pitfall(name).logits) is None:
        return SAME
    limit = min(model.config.max_length - 1, len(sentence.target_ids) + BEYOND)
    with torch.inference_mode():
        return greedy(model, logits(model, sentence), limit)
