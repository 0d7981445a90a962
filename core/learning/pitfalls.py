"""How each mistake is shown: its study on a model, and why a model of some configurations cannot show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from core.learning import heads_pitfalls as heads
from core.learning import map_pitfalls as maps
from core.learning import stream_pitfalls as stream
from core.learning.mistakes import mistake

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
