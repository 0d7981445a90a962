"""What a fairseq file says of its model: the arguments of its training, read as inert data, as a config.json would say it.

fairseq keeps an `argparse.Namespace` beside the weights: under `args`, or since 0.10 under `cfg`, in `model`. Its special
tokens are the first four of every dictionary.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any, Final

from core.errors import CheckpointError

_SPECIALS: Final = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "unk_token_id": 3}
# What a model here has no place for, with the value that it may have.
_ELSEWHERE: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("encoder_learned_pos", "decoder_learned_pos", "layernorm_embedding"), False),
    **dict.fromkeys(("cross_self_attention", "no_cross_attention", "no_token_positional_embeddings"), False),
    **dict.fromkeys(("scale_fc", "scale_attn", "scale_heads", "scale_resids", "adaptive_input"), False),
    "adaptive_softmax_cutoff": None,
}
_ALIKE: Final = ("embed_dim", "ffn_embed_dim", "attention_heads", "normalize_before")
_ACTIVATIONS: Final = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_accurate": "gelu_new",
    "swish": "swish",
    "silu": "silu",
}


def arguments_of(content: Any) -> Mapping[str, Any] | None:
    """The arguments of the model in a file's content; None where fairseq did not write it."""
    if not isinstance(content, Mapping):
        return None
    config = content.get("cfg")
    for kept in (config.get("model") if isinstance(config, Mapping) else None, content.get("args")):
        values = vars(kept) if isinstance(kept, Namespace) else kept
        if isinstance(values, Mapping) and "encoder_attention_heads" in values:
            plain = (
                str,
                int,
                float,
                type(None),
            )  # nothing else in an untrusted file is compared as it is meant
            return {str(name): value for name, value in values.items() if isinstance(value, plain)}
    return None


def as_config(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments in the words of a config.json. Raises CheckpointError for a model that has no place here."""
    for name, allowed in _ELSEWHERE.items():
        if arguments.get(name, allowed) not in (allowed, None, False):
            raise CheckpointError(
                f"this fairseq model was trained with {name} = {str(arguments[name])[:40]}, which nothing here computes; "
                "convert it with its own library and use core.from_generate."
            )
    for name in _ALIKE:
        encoder, decoder = (arguments.get(f"{side}_{name}") for side in ("encoder", "decoder"))
        if encoder != decoder:
            raise CheckpointError(
                f"this fairseq model has {name} {str(encoder)[:20]} in the encoder and {str(decoder)[:20]} in the decoder, "
                "and a model here has one for both."
            )
    longest = [arguments.get(f"max_{side}_positions") for side in ("source", "target")]
    lengths = [number for number in longest if type(number) is int and number > 0]
    dropout = arguments.get("dropout", 0.1)
    return {
        "model_type": "fairseq",
        **{
            f"{side}_attention_heads": arguments.get("encoder_attention_heads")
            for side in ("encoder", "decoder")
        },
        "activation_function": _ACTIVATIONS.get(str(arguments.get("activation_fn") or "relu"), "?"),
        "scale_embedding": not arguments.get("no_scale_embedding", False),
        "normalize_before": "yes" if arguments.get("encoder_normalize_before") else "no",
        "max_position_embeddings": min([*lengths, 1024]),
        **_SPECIALS,
        "decoder_start_token_id": _SPECIALS["eos_token_id"],
        "dropout": dropout,
        "attention_dropout": arguments.get("attention_dropout") or 0.0,
        "activation_dropout": arguments.get("activation_dropout") or arguments.get("relu_dropout") or 0.0,
    }


def dictionary(lines: list[str]) -> list[str] | None:
    """The tokens of a fairseq dictionary (`token count` a line) with its four special ones; None for any other list."""
    cells = [line.rsplit(" ", 1) for line in lines]
    if not cells or not all(len(pair) == 2 and pair[0] and pair[1].isdecimal() for pair in cells):
        return None
    return ["<s>", "<pad>", "</s>", "<unk>", *(token for token, _ in cells)]
