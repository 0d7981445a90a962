"""Pitfalls of cutting the model's width into heads, of the scale, and of who asks whom in cross-attention."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from core.learning import passes
from core.learning.passes import Edits
from core.learning.study import Map, Number, Pitfall, Sentence, Shape, Study
from core.model.attention import KeysValues, Mask, attend
from core.model.cache import DecodeState
from core.model.config import ModelConfig
from core.model.hooks import Hooks, tap
from core.model.layers import DecoderLayer
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor, nn


def one_head(config: ModelConfig) -> str:
    """Why a model cannot show what heads get wrong among themselves."""
    return (
        "This checkpoint has a single head, and nothing can go wrong between heads."
        if config.heads == 1
        else ""
    )


# -- head-split-view ----------------------------------------------------------------------------------------


def _read_in_rows(t: Tensor) -> Tensor:
    """Heads (B, H, T, d_h) as they should be → as `view(B, H, T, d_h)` cuts the same (B, T, H·d_h)."""
    return t.transpose(1, 2).reshape(t.shape)


def _written_in_rows(t: Tensor) -> Tensor:
    """The way back: what the heads gave, so that the core's own merge reads it as `view(B, T, H·d_h)` would."""
    rows, heads, length, size = t.shape
    return t.reshape(rows, length, heads, size).transpose(1, 2)


def split_view() -> Edits:
    """Q, K and V reshaped straight to heads, and straight back."""
    return {**dict.fromkeys(("*.q", "*.k", "*.v"), _read_in_rows), "*.head_output": _written_in_rows}


def _strangers(model: Transformer, sentence: Sentence, edit: Edits | None) -> int:
    """Query rows (head, token) of the first encoder layer that move although only another word was replaced."""
    changed, place = passes.last_source_changed(model, sentence)
    record = ("encoder.0.self.q",)
    one = passes.of(model, sentence, edit, record).first("encoder", "q")
    two = passes.seen(model, changed, sentence.target_ids, edit, record).first("encoder", "q")
    moved = np.abs(one - two).max(-1) > 1e-6  # (H, S)
    moved[:, place] = False
    return int(moved.sum())


def _split_view(model: Transformer, sentence: Sentence) -> Study:
    right, wrong = passes.of(model, sentence), passes.of(model, sentence, split_view())
    c, length = model.config, len(sentence.source_ids)
    before = passes.shaped("N, T, d", 1, length, c.heads * c.d_head)
    heads = (1, c.heads, length, c.d_head)
    return Study(
        *passes.pair(right, wrong, sentence, "encoder"),
        shapes=(
            Shape("before the cut", before, before),
            Shape(
                "after it",
                passes.shaped("N, T, H, d_h → N, H, T, d_h", *heads),
                passes.shaped("N, H, T, d_h at once", *heads),
            ),
        ),
        numbers=(
            Number(
                "query rows of other words that move when one word is replaced",
                _strangers(model, sentence, None),
                _strangers(model, sentence, split_view()),
                "count",
            ),
            Number("largest change of a logit", 0.0, passes.far(right.logits, wrong.logits)),
        ),
    )


HEAD_SPLIT_VIEW = Pitfall(
    "head-split-view",
    "Heads cut without a transpose",
    "A",
    "The projected queries, keys and values stand as one row of d numbers a token. Cutting a row into H parts gives "
    "(T, H, d_h), and only a transpose brings the heads to the front. Reshaping (T, d) straight to (H, T, d_h) has the "
    "right sizes, so nothing complains; but it deals the numbers out in reading order, and head 0 gets all parts of the "
    "first few tokens in place of the first part of all tokens.",
    "Rows of a map no longer belong to one token: replace one word, and rows of other words change in another head.",
    "q = self.w_q(x)                          # (T, d)\n"
    "q = q.reshape(heads, T, d // heads)      # should be view(T, heads, -1).transpose(0, 1)\n"
    "k = self.w_k(x).reshape(heads, T, d // heads)\n"
    "v = self.w_v(x).reshape(heads, T, d // heads)\n"
    "w = softmax(q @ k.transpose(-2, -1) / sqrt(d // heads))",
    "assert torch.equal(split(x)[h, t], x[t, h * d_h : (h + 1) * d_h])",
    _split_view,
    one_head,
)


# -- heads-attend-heads -------------------------------------------------------------------------------------


class HeadsAttendHeads:
    """Edits of one pass: self-attention's scores over the head axis, as Q and K that stay (N, T, H, d_h) give them.

    Cross-attention is left correct: there the two lengths differ and the product fails at once.
    """

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.weights: dict[str, list[Tensor]] = {"encoder": [], "decoder": []}
        self._held: dict[str, Tensor] = {}

    def edits(self) -> Edits:
        """The same for both stacks; the weights (1, T, H, H) of each layer are kept in `weights`."""
        found: dict[Any, Any] = {}
        for stack in self.weights:
            for kind in ("q", "k", "v"):
                found[f"{stack}.*.self.{kind}"] = self._hold(kind)
            found[f"{stack}.*.self.head_output"] = self._mixed(stack)
        return found

    def _hold(self, kind: str) -> Any:
        def hold(t: Tensor) -> Tensor:
            self._held[kind] = t.transpose(1, 2)  # (N, T, H, d_h), as it was left
            return t

        return hold

    def _mixed(self, stack: str) -> Any:
        def mixed(t: Tensor) -> Tensor:
            q, k, v = (self._held[kind] for kind in ("q", "k", "v"))
            weights = torch.softmax(q @ k.transpose(-2, -1) * self.scale, dim=-1)  # (N, T, H, H)
            self.weights[stack].append(weights)
            return (weights @ v).transpose(1, 2)

        return mixed


def _reach(model: Transformer, sentence: Sentence, faulty: bool) -> float:
    """How far the first layer's attention output moves at other words when one word is replaced."""
    changed, place = passes.last_source_changed(model, sentence)
    outputs = []
    for source in (sentence.source_ids, changed):
        edit = HeadsAttendHeads(_scale(model.config)).edits() if faulty else None
        run = passes.seen(model, source, sentence.target_ids, edit, ("encoder.0.self.head_output",))
        outputs.append(np.delete(run.first("encoder", "head_output"), place, axis=1))
    return passes.far(*outputs)


def _scale(config: ModelConfig) -> float:
    return 1 / math.sqrt(config.d_head)


def _heads_attend_heads(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    fault = HeadsAttendHeads(_scale(c))
    right, wrong = passes.of(model, sentence), passes.of(model, sentence, fault.edits())
    token = min(1, length - 1)
    names = tuple(f"head {head}" for head in range(c.heads))
    weights = fault.weights["encoder"][0][0, token].float().cpu().numpy()  # (H, H)
    where = f"encoder self-attention, layer 0, token “{sentence.source[token]}”"
    return Study(
        passes.pictured(right.maps("encoder")[0, 0], sentence, "encoder", passes.named("encoder", 0, 0)),
        Map(weights, names, names, "encoder", where),
        shapes=(
            Shape(
                "q, k",
                passes.shaped("N, H, T, d_h", 1, c.heads, length, c.d_head),
                passes.shaped("N, T, H, d_h", 1, length, c.heads, c.d_head),
            ),
            Shape(
                "weights",
                passes.shaped("N, H, T, T", 1, c.heads, length, length),
                passes.shaped("N, T, H, H", 1, length, c.heads, c.heads),
            ),
        ),
        numbers=(
            Number(
                "largest change at other words when one word is replaced",
                _reach(model, sentence, faulty=False),
                _reach(model, sentence, faulty=True),
            ),
            Number("largest change of a logit", 0.0, passes.far(right.logits, wrong.logits)),
        ),
    )


HEADS_ATTEND_HEADS = Pitfall(
    "heads-attend-heads",
    "Heads attend to heads",
    "B",
    "After the projection Q, K and V are cut to (N, T, H, d_h) and left there. A matrix product works on the last two "
    "axes, which are now heads and numbers: every token compares its own heads with each other. All sizes fit as long as "
    "queries and keys have one length, the rows sum to one, and the model even trains, but no token ever sees another.",
    "The “attention map” is heads × heads, one for every token; replacing a word changes nothing at any other word.",
    "q = self.w_q(x).view(N, T, heads, d_h)\n"
    "k = self.w_k(x).view(N, T, heads, d_h)   # the transpose(1, 2) is missing\n"
    "v = self.w_v(x).view(N, T, heads, d_h)\n"
    "w = softmax(q @ k.transpose(-2, -1) / sqrt(d_h), dim=-1)   # (N, T, heads, heads)\n"
    "out = (w @ v).reshape(N, T, heads * d_h)",
    "assert weights.shape == (N, heads, T, T)",
    _heads_attend_heads,
    one_head,
)


# -- merge-without-transpose --------------------------------------------------------------------------------


def merged_in_rows() -> Edits:
    """The heads' outputs reshaped to (N, T, d) while they still stand as (N, H, T, d_h)."""
    return {"*.head_output": _written_in_rows}


def _origins(config: ModelConfig, length: int, faulty: bool) -> passes.Array:
    """Share of each token's head outputs in each row that the output projection reads, (T, T)."""
    marks = torch.eye(length)[None, None].expand(
        1, config.heads, -1, -1
    )  # one number a token for d_h of them
    kept = _written_in_rows(marks) if faulty else marks
    return kept[0].mean(dim=0).numpy()  # the core's merge puts the heads of one row side by side


def _merge(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    right, wrong = passes.of(model, sentence), passes.of(model, sentence, merged_in_rows())
    one, two = _origins(c, length, faulty=False), _origins(c, length, faulty=True)
    where = "whose head outputs stand in each row before the output projection"
    heads = passes.shaped("N, H, T, d_h", 1, c.heads, length, c.d_head)
    inner = passes.shaped("N, T, d", 1, length, c.heads * c.d_head)
    return Study(
        passes.pictured(one, sentence, "encoder", where),
        passes.pictured(two, sentence, "encoder", where),
        shapes=(
            Shape("heads’ outputs", heads, heads),
            Shape("merged", f"transpose, then {inner}", f"at once {inner}"),
        ),
        numbers=(
            Number(
                "a row’s own token in it", float(np.diag(one).mean()), float(np.diag(two).mean()), "share"
            ),
            Number(
                "largest change of the first layer’s maps",
                0.0,
                passes.far(right.maps("encoder")[0], wrong.maps("encoder")[0]),
            ),
            Number("largest change of a logit", 0.0, passes.far(right.logits, wrong.logits)),
        ),
    )


MERGE_WITHOUT_TRANSPOSE = Pitfall(
    "merge-without-transpose",
    "Heads merged without a transpose",
    "C",
    "Each head has computed its own (T, d_h), and the batch stands as (N, H, T, d_h). The way back to (N, T, d) is a "
    "transpose and then a reshape. The reshape alone gives a tensor of the right size whose first row holds what head 0 "
    "found for the first H tokens, and so on: the heads are dealt out over the wrong positions.",
    "Every map of the layer looks right, and its output mixes the tokens.",
    "w = softmax(scores)                # (N, H, T, T): correct\n"
    "out = w @ v                        # (N, H, T, d_h): correct\n"
    "out = out.reshape(N, T, H * d_h)   # should be out.transpose(1, 2).reshape(…)\n"
    "return self.w_o(out)",
    "assert torch.equal(merge(heads)[t, h * d_h : (h + 1) * d_h], heads[h, t])",
    _merge,
    one_head,
)


# -- scale-by-d-model ---------------------------------------------------------------------------------------


def scaled_by_model(config: ModelConfig) -> Edits:
    """Scores over √d_model in place of √d_h."""
    factor = math.sqrt(config.d_head / config.d_model)
    return {"*.scores": lambda scores: scores * factor}


def _scale_unfit(config: ModelConfig) -> str:
    if config.score_scale != "head":
        return "This checkpoint does not divide its scores by √d_h to begin with."
    return one_head(config)


def _scale_by_model(model: Transformer, sentence: Sentence) -> Study:
    c, record = model.config, ("encoder.0.self.scores",)
    right = passes.of(model, sentence, record=record)
    wrong = passes.of(model, sentence, scaled_by_model(c), record)
    spread = [float(run.first("encoder", "scores").std()) for run in (right, wrong)]
    scores = passes.shaped("N, H, T, T", 1, c.heads, *2 * (len(sentence.source_ids),))
    return Study(
        *passes.pair(right, wrong, sentence, "encoder"),
        shapes=(
            Shape("scores", scores, scores),
            Shape("divided by", f"√d_h = √{c.d_head}", f"√d_model = √{c.d_model}"),
        ),
        numbers=(
            Number.both("standard deviation of the first layer’s scores", spread),
            Number("the first, in units of the second", 1.0, spread[0] / max(spread[1], 1e-12)),
            Number.both(
                "mean entropy of an encoder row",
                (passes.entropy(run.maps("encoder")) for run in (right, wrong)),
                unit="nats",
            ),
        ),
    )


SCALE_BY_D_MODEL = Pitfall(
    "scale-by-d-model",
    "Scores divided by √d_model",
    "B, E",
    "A score is a sum over the d_h numbers of one head, so its spread grows with √d_h, and that is what it is divided by. "
    "Dividing by √d_model, the width of all heads together, makes every logit smaller by √H. Nothing breaks: the softmax "
    "only gets flatter, and training from scratch may even learn its way around it, but weights trained with one scale "
    "give other maps with the other.",
    "Flatter maps with more entropy, by a factor in the logits that is known beforehand: √H.",
    "scores = q @ k.transpose(-2, -1)          # a sum over d_h numbers\n"
    "scores = scores / math.sqrt(self.d_model)  # should be math.sqrt(self.d_h)\n"
    "w = torch.softmax(scores, dim=-1)\n"
    "out = w @ v",
    "assert torch.allclose(scores, q @ k.mT / math.sqrt(q.shape[-1]))",
    _scale_by_model,
    _scale_unfit,
)


# -- cross-qkv-swapped --------------------------------------------------------------------------------------


class SwappedCross(DecoderLayer):
    """A decoder layer whose cross-attention asks with the memory and looks at its own states."""

    def forward(
        self,
        x: Tensor,
        self_mask: Mask,
        memory: KeysValues,
        source_mask: Mask,
        bias: Tensor | None = None,
        state: DecodeState | None = None,
        hooks: Hooks | None = None,
    ) -> Tensor:
        """x (B, L, d_model) and the memory itself, twice, (B, L, d_model): both sides have one length here."""
        at = tap(hooks, "decoder", self.layer, "self")
        x, h = self.self_residual.enter(x, at)
        q, keys_values = self.self_attention.queries_keys_values(h, at)
        x = self.self_residual.leave(x, self.self_attention(q, keys_values, self_mask, bias, at), at)

        at = tap(hooks, "decoder", self.layer, "cross")
        x, h = self.cross_residual.enter(x, at)
        q = self.cross_attention.queries(memory[0], at)  # the fault: memory asks …
        k, v = self.cross_attention.keys_values(h, at)  # … and the decoder answers, its future too
        real = None if self_mask.allowed is None else self_mask.allowed[:, :, -1:]
        mixed = attend(q, k, v, Mask(real), scale=self.cross_attention.scale, tap=at)
        x = self.cross_residual.leave(
            x, self.cross_attention.output_proj(mixed.transpose(1, 2).flatten(-2)), at
        )

        at = tap(hooks, "decoder", self.layer, "ffn")
        x, h = self.ffn_residual.enter(x, at)
        return self.ffn_residual.leave(x, self.feed_forward(h, at), at)

    def memory_keys_values(self, memory: Tensor, hooks: Hooks | None = None) -> KeysValues:
        """The memory as it is."""
        return memory, memory


def swapped(model: Transformer) -> Transformer:
    """The model with cross-attention's sides exchanged."""

    def change(layer: nn.Module) -> nn.Module:
        twin = passes.replaced(layer)
        twin.__class__ = SwappedCross
        return twin

    return passes.with_layers(model, change, "decoder")


def _padded(model: Transformer, sentence: Sentence) -> Sentence:
    """Both sides filled up to one length, as the write-up has them: only so does the sum around the layer fit."""
    c, length = model.config, max(len(sentence.source_ids), len(sentence.target_ids))
    source = (*sentence.source_ids, *[c.source_padding] * (length - len(sentence.source_ids)))
    target = (*sentence.target_ids, *[c.pad_id] * (length - len(sentence.target_ids)))
    return Sentence(source, target, sentence.source, sentence.target, sentence.written, sentence.spell)


def _leak(model: Transformer, padded: Sentence, last: int) -> float:
    """How far the first step's logits move when the decoder's last word is replaced."""
    changed = list(padded.target_ids)
    changed[last] = passes.other_word(model.config, changed[last], model.config.target_vocab_size)
    one, two = passes.of(model, padded), passes.seen(model, padded.source_ids, changed)
    return passes.far(one.logits[0], two.logits[0])


def _cross_swapped(model: Transformer, sentence: Sentence) -> Study:
    c, (rows, columns) = model.config, (len(sentence.target_ids), len(sentence.source_ids))
    padded, faulty = _padded(model, sentence), swapped(model)
    right, wrong = passes.of(model, padded), passes.of(faulty, padded)
    one, two = right.maps("cross")[..., :rows, :columns], wrong.maps("cross")[..., :columns, :rows]
    layer, head = passes.furthest_head(one, np.swapaxes(two, -1, -2))
    where = passes.named("cross", layer, head)
    said = ""
    if rows != columns:
        try:
            torch.zeros(1, rows, c.d_model) + torch.zeros(1, columns, c.d_model)
        except RuntimeError as error:
            said = f"Without padding to one length, the sum x + cross(…) says: {error}"
    return Study(
        passes.pictured(one[layer, head], sentence, "cross", where),
        Map(two[layer, head], sentence.source, sentence.target, "cross", where),
        shapes=(
            Shape(
                "q, k",
                f"{passes.shaped('N, H, T, d_h', 1, c.heads, rows, c.d_head)}, S = {columns} keys",
                f"{passes.shaped('N, H, S, d_h', 1, c.heads, columns, c.d_head)}, T = {rows} keys",
            ),
            Shape("weights", passes.shaped("T, S", rows, columns), passes.shaped("S, T", columns, rows)),
            Shape(
                "output", passes.shaped("T, d", rows, c.d_model), passes.shaped("S, d", columns, c.d_model)
            ),
        ),
        numbers=(
            Number(
                "change of the first step’s logits when the last target word is replaced",
                _leak(model, padded, rows - 1),
                _leak(faulty, padded, rows - 1),
            ),
            Number("rows of the cross map", rows, columns, "count"),
        ),
        said=said,
    )


CROSS_QKV_SWAPPED = Pitfall(
    "cross-qkv-swapped",
    "Cross-attention the wrong way round",
    "B, D",
    "In cross-attention the decoder asks (queries) and the encoder’s memory answers (keys and values). Handing the two over "
    "in the other order lets the memory ask the decoder. The output then has one row for each source token, which only "
    "fits the residual sum where both sides are padded to one length; and since the decoder’s states are keys now, each row "
    "reads target words that are not written yet. D does this. B calls (x, memory, memory) where the arguments are "
    "(values, keys, query): the memory asks itself, and the decoder gives the values.",
    "The cross map is source × target, and the first step knows the last word.",
    "x = x + self.self_attention(x, x, x, causal)\n"
    "# signature: attention(query, key, value)\n"
    "x = x + self.cross_attention(memory, x, x)   # should be (x, memory, memory)\n"
    "x = x + self.feed_forward(x)",
    "assert decode(src, tgt_with_another_last_token)[:, 0].allclose(decode(src, tgt)[:, 0])",
    _cross_swapped,
)

PITFALLS = (HEAD_SPLIT_VIEW, HEADS_ATTEND_HEADS, MERGE_WITHOUT_TRANSPOSE, SCALE_BY_D_MODEL, CROSS_QKV_SWAPPED)
