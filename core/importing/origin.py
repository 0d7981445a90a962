"""Whether weights are of the family that their names suggest: what config.json calls them, and what fairseq calls its.

Names alone do not tell BlenderbotSmall from BART, nor fairseq's Transformer from MarianMT: such a file would be read
to the end and compute something else than its model.
"""

from __future__ import annotations

import re
from typing import Any, Final

from core.errors import CheckpointError
from core.importing.rules import Layout, families
from core.importing.weights import Weights

_FAIRSEQ: Final = (  # in every fairseq model one of these; Hugging Face's files of the same families have none
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
                f"config.json beside the weights says {_said(named)}, but the keys are those of {layout.title}, whose "
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
                f"config.json beside the weights says {_said({name: value})}, and the layout {layout.name} reads "
                f"{', '.join(allowed[name])} (known model types: {', '.join(_model_types())}); give the config.json "
                "that belongs to these weights, or rules for them with --map FILE.toml."
            )
    if not named:
        refuse_fairseq(weights)


def refuse_fairseq(weights: Weights) -> None:
    """Raises CheckpointError for the names of a fairseq model (Ott et al. 2019)."""
    if not all(weights.find(pattern) for pattern in _SHARED_NAMES) or weights.find(_HUGGING_FACE):
        return
    found = next((keys[0] for pattern in _FAIRSEQ if (keys := weights.find(pattern))), None)
    sign = (
        f"the key {found[:60]} is fairseq's"
        if found
        else "the keys may be fairseq's, and no config.json says else"
    )
    raise CheckpointError(
        f"{sign}: its models count positions from the padding token on, start with their end token and have an "
        "activation of their own, so that nothing here reads them rightly; convert the model to Hugging Face's format "
        "first, or write rules with --map FILE.toml."
    )


def _model_types() -> list[str]:
    return sorted(kind for layout in families().values() for kind in layout.model_types)


def _said(named: dict[str, Any]) -> str:
    return " and ".join(f"{name} = {str(value)[:60]!r}" for name, value in named.items())
