"""Mistakes on a model: the study that shows each, why some configurations cannot show it, and what a model with it writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch

from core.language import message
from core.learning import heads_pitfalls as heads
from core.learning import map_pitfalls as maps
from core.learning import stream_pitfalls as stream
from core.learning import study
from core.learning.mistakes import mistake
from core.learning.study import Array, Edits, Sentence
from core.model.attention import Mask

if TYPE_CHECKING:
    from core.learning.study import Sentence, Study
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer


def _any_model(config: ModelConfig) -> str:
    return ""


class Pitfall(NamedTuple):
    """`study` shows the mistake; `unfit` says in one sentence why a model of a configuration cannot show it, or nothing."""

    study: Callable[[Transformer, Sentence], Study]
    unfit: Callable[[ModelConfig], str] = _any_model


_PITFALLS: Final[Mapping[str, Pitfall]] = {
    "head-split-view": Pitfall(heads.head_split_view, heads.one_head),
    "heads-attend-heads": Pitfall(heads.heads_attend_heads, heads.one_head),
    "merge-without-transpose": Pitfall(heads.merge_without_transpose, heads.one_head),
    "scale-by-d-model": Pitfall(heads.scale_by_d_model, heads.no_head_scale),
    "cross-qkv-swapped": Pitfall(heads.cross_qkv_swapped),
    "no-embedding-scale": Pitfall(stream.no_embedding_scale, stream.no_scaled_embedding),
    "pe-exponent-doubled": Pitfall(stream.pe_exponent_doubled, stream.no_sinusoids),
    "pe-in-feed-forward": Pitfall(stream.pe_in_feed_forward, stream.no_added_positions),
    "no-causal-mask": Pitfall(maps.no_causal_mask),
    "target-padding-unmasked": Pitfall(maps.target_padding_unmasked),
    "mask-truth-value": Pitfall(maps.mask_truth_value),
    "masked-row-nan": Pitfall(maps.masked_row_nan),
    "mask-leaks": Pitfall(maps.mask_leaks),
    "dropout-after-norm": Pitfall(stream.dropout_after_norm, stream.no_post_norm),
    "std-plus-eps": Pitfall(stream.std_plus_eps, stream.no_layer_norm),
    "axes-swapped": Pitfall(maps.axes_swapped),
    "beams-not-reordered": Pitfall(maps.beams_not_reordered),
    "alignment-layer-ignored": Pitfall(maps.alignment_layer_ignored, maps.one_decoder_layer),
}


def pitfall(name: str) -> Pitfall:
    """How the mistake of this id is shown. Raises `InputError` that lists those there are."""
    return _PITFALLS[mistake(name).id]


# -- what a model with a mistake in it writes -----------------------------------------------------------------

BEYOND: Final = 6  # tokens that a faulty model may write beyond the length of the correct translation
Logits = Callable[[Sequence[int]], Array]


@dataclass(frozen=True)
class Output:
    """The ids that are written, with the end token where one is; or, in `problem`, why nothing is (to be translated).

    `same`: the mistake does not touch what the model writes, so nothing was run again.
    """

    ids: tuple[int, ...] = ()
    problem: str = ""
    same: bool = False


SAME: Final = Output(same=True)
RAISES: Final = Output(problem=message("The code stops with an error before it writes a word."))
NOT_A_NUMBER: Final = Output(problem=message("Every logit is NaN, so no word can be chosen."))


def greedy(model: Transformer, logits: Logits, limit: int) -> Output:
    """The largest logit again and again, until the end token or `limit` tokens."""
    c = model.config
    written: list[int] = []
    while len(written) < limit:
        row = logits((c.bos_id, *written))
        if not np.isfinite(row).all():
            return NOT_A_NUMBER
        written.append(int(row.argmax()))
        if written[-1] == c.eos_id:
            break
    return Output(tuple(written))


def _edited(edit: Callable[[Transformer], Edits]) -> Callable[[Transformer, Sentence], Logits]:
    """The logits of the model under edits that are made anew for every pass."""

    def of(model: Transformer, sentence: Sentence) -> Logits:
        return lambda target: study.run_ids(model, sentence.source_ids, target, edit(model)).logits[-1]

    return of


def _twin(
    change: Callable[[Transformer, Sentence], Transformer], edit: Edits | None = None
) -> Callable[[Transformer, Sentence], Logits]:
    """The logits of a changed copy of the model."""

    def of(model: Transformer, sentence: Sentence) -> Logits:
        faulty = change(model, sentence)
        return lambda target: study.run_ids(faulty, sentence.source_ids, target, edit).logits[-1]

    return of


def _swapped(model: Transformer, sentence: Sentence) -> Logits:
    """Cross-attention the wrong way round, with both sides padded to one length."""
    faulty, c = heads.swapped(model), model.config

    def of(target: Sequence[int]) -> Array:
        length = max(len(sentence.source_ids), len(target))
        source = (*sentence.source_ids, *[c.source_padding] * (length - len(sentence.source_ids)))
        padded = (*target, *[c.pad_id] * (length - len(target)))
        return np.asarray(study.run_ids(faulty, source, padded).logits[len(target) - 1])

    return of


def _padding_row(model: Transformer, sentence: Sentence) -> Logits:
    """A source with one row of padding that may attend to nothing."""
    c = model.config
    source = study.ids(model, [*sentence.source_ids, c.source_padding])
    real = source != c.source_padding
    real[:, 0] = True
    allowed = (real[:, None, :, None] & real[:, None, None, :]).expand(-1, 1, -1, -1)
    states = maps.encoded(model, source, Mask(allowed)).stream(c.encoder_layers - 1)
    broken = not np.isfinite(states).all()
    return lambda target: (
        np.full(2, np.nan) if broken else study.run_ids(model, sentence.source_ids, target).logits[-1]
    )


_LOGITS: Final[Mapping[str, Callable[[Transformer, Sentence], Logits]]] = {
    "head-split-view": _edited(lambda model: heads.split_view()),
    "heads-attend-heads": _edited(lambda model: heads.HeadsAttendHeads(model.config.d_head**-0.5).edits()),
    "merge-without-transpose": _edited(lambda model: heads.merged_in_rows()),
    "scale-by-d-model": _edited(lambda model: heads.scaled_by_model(model.config)),
    "cross-qkv-swapped": _swapped,
    "no-embedding-scale": _edited(lambda model: stream.unscaled(model.config)),
    "pe-exponent-doubled": _edited(lambda model: stream.doubled(model.config)),
    "pe-in-feed-forward": _twin(
        lambda model, sentence: stream.in_the_branch(model, len(sentence.source_ids)), stream.NOT_AT_THE_INPUT
    ),
    "no-causal-mask": _edited(lambda model: maps.unmasked()),
    "mask-leaks": _edited(lambda model: maps.leaking()),
    "masked-row-nan": _padding_row,
    "std-plus-eps": _twin(lambda model, sentence: stream.with_norms(model, stream.unbiased)),
}
"""The mistakes that can change what is written; the others draw a correct model's maps wrongly, or show in training alone."""


def output(name: str, model: Transformer, sentence: Sentence) -> Output:
    """What the model writes for the sentence with the mistake `name` in it."""
    if name == "mask-truth-value":
        return RAISES
    if name not in _LOGITS:
        return SAME
    limit = min(model.config.max_length - 1, len(sentence.target_ids) + BEYOND)
    with torch.inference_mode():
        return greedy(model, _LOGITS[name](model, sentence), limit)
