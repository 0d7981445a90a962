"""Names the family of untrusted weights from their keys, or says what they are instead."""

from __future__ import annotations

import re
from typing import Final

from core.errors import CheckpointError
from core.importing.origin import check_origin, refuse_fairseq
from core.importing.rules import Layout, families
from core.importing.weights import Weights

AUTO = "auto"
_OWN: Final = r"(encoder|decoder)_layers\.\d+\.self_attention\.q_proj\.weight"
# Encoder-decoders whose models differ from every layout here in more than names.
_ELSEWHERE: Final = (
    ("JoeyNMT's", r"(^|\.)(src_src_att|trg_trg_att|src_trg_att)\."),
    ("tensor2tensor's", r"(^|/)(symbol_modality_|body/(encoder|decoder)/layer_)"),
    ("OpenNMT's", r"(^|\.)(self_attn|context_attn)\.linear_(keys|values|query)\."),
)


def detect_layout(weights: Weights) -> tuple[Weights, Layout, str]:
    """The one family that fits, and why. Raises CheckpointError if none does.

    Where every key begins with the same word, which an enclosing module puts there, it is left out of the weights.
    """
    try:
        return (weights, *_detected(weights))
    except CheckpointError:
        inside = weights.without_common_prefix()
        if inside is None:
            raise
        try:
            return (inside, *_detected(inside))
        except CheckpointError:
            pass
        raise


def _detected(weights: Weights) -> tuple[Layout, str]:
    model_type = str((weights.config or {}).get("model_type", ""))[:40]
    fitting = [layout for layout in families().values() if _fits(layout, weights)]
    if not fitting:
        if not model_type:
            refuse_fairseq(weights)
        raise CheckpointError(_refusal(weights, model_type))
    layout = next((each for each in fitting if model_type in each.model_types), fitting[0])
    check_origin(weights, layout)
    if model_type in layout.model_types:
        return layout, f"config.json says {model_type}, and the keys are this family's"
    return layout, f"the keys {' and '.join(weights.find(p)[0] for p in layout.detect[:2])}"


def _fits(layout: Layout, weights: Weights) -> bool:
    found = all(weights.find(pattern) for pattern in layout.detect)
    return bool(layout.detect) and found and not any(weights.find(pattern) for pattern in layout.absent)


def _refusal(weights: Weights, model_type: str) -> str:
    keys = list(weights.info)

    def has(pattern: str) -> bool:
        return any(re.search(pattern, key) for key in keys)

    if has(f"^{_OWN}$"):
        return (
            "these weights are a checkpoint of Attention Atlas already, so there is nothing to import; open its folder "
            "with --checkpoint, or copy it among the checkpoints of the app."
        )
    attention = has(r"att\b|attn|attention|q_proj|fc_q|w_q|in_proj|queries|SelfAttention|query")
    encoder, decoder = has(r"(^|[./])(encoder|enc)"), has(r"(^|[./])(decoder|dec)")
    elsewhere = next((whose for whose, pattern in _ELSEWHERE if has(pattern)), None)
    if elsewhere:
        what = f"they are {elsewhere}"
    elif has(r"weight_[ih]h_l\d"):
        what = "they are a recurrent network's (weight_ih_l0), which has no self-attention"
    elif not attention:
        what = "none of them belongs to an attention layer"
    elif (encoder and not decoder) or has(r"^(bert|roberta)\."):
        what = "they have an encoder and no decoder"
    elif not encoder or has(r"^(transformer\.h|h|model\.layers)\.\d+\."):
        what = "they are a decoder-only model's, without an encoder"
    else:
        what = f"config.json says {model_type!r}" if model_type else "their names are new here"
    return (
        f"the keys ({keys[0][:40] if keys else 'none'}, …) fit no known encoder-decoder layout: {what}; "
        f"known are {', '.join(families())}, and --map FILE.toml takes rules for any other."
    )
