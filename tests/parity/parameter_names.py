"""Every parameter name and every option that a map can fill, as the tables of docs/importing.md.

Names, shapes and conditions are read from models that are built for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final

import torch

from core.model.config import BOUNDS, CHOICES, ModelConfig
from core.model.transformer import Transformer

_SIZES: Final[Mapping[str, int]] = {
    "source_vocab_size": 11,
    "target_vocab_size": 13,
    "d_model": 16,
    "d_ff": 24,
    "max_length": 40,
    "heads": 2,
    "relative_buckets": 6,
    "heads · head_dim": 20,
    "head_dim": 10,
}
_BASE: Final[Mapping[str, Any]] = {
    **{name: size for name, size in _SIZES.items() if "·" not in name},
    **{"encoder_layers": 2, "decoder_layers": 2, "tie_embeddings": False, "tie_output": False},
    **{
        "positions": "none",
        "norm_placement": "post",
        "projection_bias": False,
        "attention_output_bias": False,
    },
    **{"ffn_bias": False},
}
_VARIED: Final[tuple[Mapping[str, Any], ...]] = (
    *({name: True} for name in ("final_norm", "embedding_norm", "output_bias", "gated", "relative_bias_per_layer")),
    *({name: True} for name in ("projection_bias", "attention_output_bias", "ffn_bias", "tie_output")),
    *({"positions": kind} for kind in CHOICES["positions"]),
    *({"norm_formula": kind} for kind in CHOICES["norm_formula"]),
    {"tie_embeddings": True, "source_vocab_size": 13},
)  # fmt: skip


def parameter_rows() -> Iterator[tuple[str, str, str]]:
    """(name with N for a layer, shape, the options that it is there with) of every parameter."""
    base = _shapes({})
    varied = [(each, _shapes(each)) for each in _VARIED]
    every = dict(base)
    for _, shapes in varied:
        every = {**shapes, **every}
    for name, shape in every.items():
        if name in base:
            without = [_written_options(options) for options, shapes in varied if name not in shapes]
            yield name, shape, f"not with {' or '.join(without)}" if without else ""
        else:
            having = [_written_options(options) for options, shapes in varied if name in shapes]
            yield name, shape, f"with {' or '.join(having)}"


def _together(rows: Iterator[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """The rows, with one for both stacks where they are alike."""
    listed = list(rows)
    for name, shape, where in listed:
        other = name.replace("encoder", "decoder").replace("source", "target")
        if name != other and (other, shape, where) in listed:
            yield (
                name.replace("encoder", "{encoder,decoder}").replace("source", "{source,target}"),
                shape,
                where,
            )
            continue
        first = name.replace("decoder", "encoder").replace("target", "source")
        if first == name or (first, shape, where) not in listed:
            yield name, shape, where


def _shapes(options: Mapping[str, Any]) -> dict[str, str]:
    """Name → shape in words of a model's own parameters; layers are one."""
    if options.get("relative_bias_per_layer"):
        options = {**options, "positions": "relative_buckets"}
    with torch.device("meta"):
        model = Transformer(ModelConfig(**{**_BASE, **options}))
    words = {size: name for name, size in _SIZES.items()}
    return {
        re.sub(r"\.\d+\.", ".N.", name): " × ".join(words.get(n, str(n)) for n in tensor.shape)
        for name, tensor in model.named_parameters()
    }


def _written_options(options: Mapping[str, Any]) -> str:
    name, value = next(iter(options.items()))
    return f"`{name} = {_toml(value)}`"


def option_rows() -> Iterator[tuple[str, str, str]]:
    """(name, default, what it may be) of every option of the model."""
    for each in fields(ModelConfig):
        default = "must be given" if each.default is MISSING else _toml(each.default)
        yield each.name, default, _allowed(each.name, str(each.type))


def _allowed(name: str, kind: str) -> str:
    if name in CHOICES:
        return " or ".join(
            (*(f"`{_toml(value)}`" for value in CHOICES[name]), *["none"] * kind.endswith("None"))
        )
    if kind.startswith("bool"):
        return "`true` or `false`" + " or none" * kind.endswith("None")
    bounds = BOUNDS.get(name)
    words = "a number" if kind.startswith("float") else "a whole number"
    if bounds is not None:
        words += f" from {bounds.least:g} {'to below' if bounds.below else 'to'} {bounds.most:,.0f}"
    return f"{words} or none" if "None" in kind else words


def _toml(value: Any) -> str:
    if value is None:
        return "none"
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f'"{value}"'
        if isinstance(value, str)
        else str(value)
    )


def tables() -> str:
    """Both tables in Markdown."""
    return "\n".join(
        [
            "| parameter | shape | where |",
            "|---|---|---|",
            *(f"| `{name}` | {shape} | {where} |" for name, shape, where in _together(parameter_rows())),
            "",
            "| option | default | value |",
            "|---|---|---|",
            *(f"| `{name}` | {default} | {allowed} |" for name, default, allowed in option_rows()),
        ]
    )
