"""Recognises the family of untrusted weights from their keys, or says what they are instead.

Names alone do not distinguish BlenderbotSmall from BART, nor fairseq's Transformer from MarianMT: read as the wrong
family, such a file would load and compute something other than its model. So the `model_type` of config.json and
fairseq's own names are checked too.
"""

from __future__ import annotations

import re
from typing import Any, Final

from core.errors import CheckpointError
from core.importing.rules import Layout, families
from core.importing.weights import Weights

_FAIRSEQ: Final = (  # every fairseq model has one of these; Hugging Face's files of the same families have none
    r"(?:.*\.)?embed_positions\._float_tensor",
    r"(?:.*\.)?decoder\.(?:output_projection\.weight|embed_out)",
    r"(?:.*\.)?(?:self_attn|encoder_attn)\.in_proj_(?:weight|bias)",
    r"(?:.*\.)?(?:encoder|decoder)\.version",
)
_SHARED_NAMES: Final = (
    r"(?:.*\.)?encoder\.layers\.0\.self_attn\.(?:k_proj\.|in_proj_)weight",
    r"(?:.*\.)?decoder\.layers\.0\.encoder_attn\..*",
)
_HUGGING_FACE: Final = r"(?:.*\.)?shared\.weight|final_logits_bias|lm_head\.weight"


def check_origin(weights: Weights, layout: Layout) -> None:
    """Raises CheckpointError where config.json or fairseq's names say that the weights are not of this family."""
    config = weights.config or {}
    named = {name: config[name] for name in ("model_type", "architectures") if config.get(name)}
    if not layout.model_types:
        if named:
            raise CheckpointError(
                f"config.json beside the weights says {_stated(named)}, but the keys are those of {layout.title}, whose "
                "models have no such file; take config.json away if it is another model's."
            )
        return
    allowed: dict[str, tuple[str, ...]] = {
        "model_type": layout.model_types,
        "architectures": layout.architectures,
    }
    for name, value in named.items():
        values = value if isinstance(value, list) else [value]
        if not any(re.sub("^(TF|Flax)(?=[A-Z])", "", str(each)) in allowed[name] for each in values):
            raise CheckpointError(
                f"config.json beside the weights says {_stated({name: value})}, and the layout {layout.name} reads "
                f"{', '.join(allowed[name])}; give the weights' own config.json, or rules with --map FILE.toml."
            )
    if not named:
        refuse_fairseq(weights)


def refuse_fairseq(weights: Weights) -> None:
    """Raises CheckpointError for the names of a fairseq model (Ott et al. 2019)."""
    if not all(weights.find(pattern) for pattern in _SHARED_NAMES) or weights.find(_HUGGING_FACE):
        return
    key = next((keys[0] for pattern in _FAIRSEQ if (keys := weights.find(pattern))), None)
    sign = (
        f"the key {key[:60]} is fairseq's"
        if key
        else "the keys may be fairseq's, and no config.json says else"
    )
    raise CheckpointError(
        f"{sign}: its models count positions from the padding token on, start with their end token and have an "
        "activation of their own, so that nothing here reads them rightly; convert the model to Hugging Face's format "
        "first, or write rules with --map FILE.toml."
    )


def _stated(named: dict[str, Any]) -> str:
    return " and ".join(f"{name} = {str(value)[:60]!r}" for name, value in named.items())


AUTO = "auto"
_OWN: Final = r"(encoder|decoder)_layers\.\d+\.self_attention\.q_proj\.weight"
# Encoder-decoders that differ from every layout here in more than names.
_ELSEWHERE: Final = (
    ("JoeyNMT's", r"(^|\.)(src_src_att|trg_trg_att|src_trg_att)\."),
    ("tensor2tensor's", r"(^|/)(symbol_modality_|body/(encoder|decoder)/layer_)"),
    ("OpenNMT's", r"(^|\.)(self_attn|context_attn)\.linear_(keys|values|query)\."),
)


def detect_layout(weights: Weights) -> tuple[Weights, Layout, str]:
    """The one family that fits, and why. Raises CheckpointError if none does.

    A common first word of all keys, which an enclosing module adds, is removed from the weights.
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
    fitting = [
        layout
        for layout in families().values()
        if _fits(layout, weights) and (not layout.named_only or model_type in layout.model_types)
    ]
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
    present = all(weights.find(pattern) for pattern in layout.detect)
    return bool(layout.detect) and present and not any(weights.find(pattern) for pattern in layout.absent)


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
