"""A file of torch.nn.Transformer inside a module of one's own: its embeddings, positions and output layer by any names.

The two stacks are found by torch's own names, whatever the module calls them. What is left is told apart by shape, by a
bias beside it, and by the words in its name; where that leaves a choice, the caller is asked which key is which.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import torch
from torch import Tensor

from core.checkpoints.files import TensorInfo
from core.errors import CheckpointError
from core.importing.weights import Weights

TABLES: Final = ("source_table", "target_table", "output_table", "position_table")
"""Answers that name the key of each table."""
TARGET: Final = re.compile(r"tgt|trg|target|(?<![a-z])(dec|out)", re.I)
SOURCE: Final = re.compile(r"src|source|(?<![a-z])(enc|inp)", re.I)
POSITIONS: Final = re.compile(r"pos|pe\b", re.I)
_OUTPUT: Final = re.compile(r"(?<![a-z])(generator|out|output|fc|proj|projection|head|lm_head|linear|classifier|logits|vocab)(?![a-z])", re.I)  # fmt: skip
_STACK: Final = re.compile(r"(.*?)layers\.0\.(self_attn|multihead_attn)\.in_proj_weight")
_PLAIN: Final = (
    "src_tok_emb.embedding.weight",
    "tgt_tok_emb.embedding.weight",
    "generator.weight",
    "positional_encoding.pos_embedding",
)


@dataclass(frozen=True)
class _Names:
    """Our name for each key, the keys that repeat another, and what follows for the configuration."""

    plain: Mapping[str, str]
    repeated: Mapping[str, str]
    settings: Mapping[str, Any]


def in_tutorials_names(weights: Weights, answers: Mapping[str, Any]) -> tuple[Weights, dict[str, Any]]:
    """The weights under the names of PyTorch's tutorial, and the answers with what their shapes settle.

    Both unchanged for weights of anything else, or with those names already. Raises CheckpointError with one sentence that
    asks which key is which.
    """
    chosen = {name: answers[name] for name in TABLES if name in answers}
    rest = {name: value for name, value in answers.items() if name not in TABLES}
    stacks = _stacks(weights)
    if stacks is None or (not chosen and all(name in weights.info for name in _PLAIN[:3])):
        if chosen:
            raise CheckpointError(
                f"{next(iter(chosen))} is about a file of torch.nn.Transformer, and this is none."
            )
        return weights, rest
    names = _named(weights, stacks, chosen)
    return _under(weights, names), {**names.settings, **rest}


def _stacks(weights: Weights) -> tuple[str, str] | None:
    """What stands before `layers.` in the keys of (encoder, decoder); None where there are not just these two."""
    kinds: dict[str, set[str]] = {}
    for match in filter(None, map(_STACK.fullmatch, weights.info)):
        kinds.setdefault(match[1], set()).add(match[2])
    encoders = [prefix for prefix, blocks in kinds.items() if blocks == {"self_attn"}]
    decoders = [prefix for prefix, blocks in kinds.items() if len(blocks) == 2]
    return (encoders[0], decoders[0]) if len(encoders) == len(decoders) == 1 else None


def _named(weights: Weights, stacks: tuple[str, str], chosen: Mapping[str, Any]) -> _Names:
    encoder, decoder = stacks
    width = weights.info[f"{encoder}layers.0.self_attn.in_proj_weight"].shape[-1:]
    plain = {
        key: f"transformer.{side}.{key[len(prefix) :]}"
        for side, prefix in (("encoder", encoder), ("decoder", decoder))
        for key in weights.info
        if key.startswith(prefix) and re.match(r"(layers|norm)\.", key[len(prefix) :])
    }
    tables = {
        key: flat[0]
        for key, info in weights.info.items()
        if key not in plain
        and len(flat := [n for n in info.shape if n != 1]) == 2
        and tuple(flat[1:]) == width
    }
    if not tables:
        return _Names(plain, {}, {})  # a bare Transformer; what it lacks is said by the layout
    for option, key in chosen.items():
        if key not in tables:
            raise CheckpointError(f"{option} is {str(key)[:80]!r}, which is no table of the model's width in the file; it has "
                                  f"{', '.join(tables)[:300] or 'none'}.")  # fmt: skip
    positions = _positions(tables, chosen)
    output = chosen.get("output_table") or _output(weights, tables, positions)
    tokens = [key for key in tables if key not in positions and key != output]
    source, target = _sides(tokens, tables, output, chosen)
    settings: dict[str, Any] = {}
    plain[source] = _PLAIN[0]
    if target is None:
        settings |= {"tie_embeddings": True, "target_vocab_size": tables[source]}
    else:
        plain[target] = _PLAIN[1]
    if output is None:
        settings["tie_output"] = True
    else:
        plain[output] = _PLAIN[2]
        bias = output.removesuffix("weight") + "bias"
        if bias in weights.info and weights.info[bias].shape == (tables[output],):
            plain[bias] = "generator.bias"
    repeated = {}
    if positions:
        plain[positions[0]] = _PLAIN[3]
        for other in positions[1:]:
            if not torch.equal(_flat(weights, positions[0]), _flat(weights, other)):
                raise CheckpointError(
                    f"{positions[0]} and {other} are different tables of positions, and a model here has one for both sides; "
                    "write rules with --map FILE.toml."
                )
            repeated[other] = positions[0]
    return _Names(plain, repeated, settings)


def _positions(tables: Mapping[str, int], chosen: Mapping[str, Any]) -> list[str]:
    given = chosen.get("position_table")
    others = {key for option, key in chosen.items() if option != "position_table"}
    keys = [key for key in tables if POSITIONS.search(key) and key not in others]
    return [given] if given is not None else keys


def _output(weights: Weights, tables: Mapping[str, int], positions: Sequence[str]) -> str | None:
    """The output layer: the one table with a bias beside it, else the one whose name says so; None where neither does."""
    left = [key for key in tables if key not in positions]
    biased = [
        key for key in left if key.endswith("weight") and f"{key.removesuffix('weight')}bias" in weights.info
    ]
    named = [
        key for key in left if _OUTPUT.search(key.rpartition(".")[0]) and not re.search("emb", key, re.I)
    ]
    for keys in (biased, named):
        if len(keys) == 1:
            return keys[0]
    if biased or named or len(left) > 2:
        raise CheckpointError(_asking(left, "output_table"))
    return None


def _sides(
    tokens: Sequence[str], tables: Mapping[str, int], output: str | None, chosen: Mapping[str, Any]
) -> tuple[str, str | None]:
    """(source, target) tables; None for the target where one table is both."""
    source, target = chosen.get("source_table"), chosen.get("target_table")
    if len(tokens) == 1 and source in (None, tokens[0]) and target in (None, tokens[0]):
        return tokens[0], None
    if len(tokens) != 2:
        raise CheckpointError(_asking(list(tables), "source_table, target_table and position_table"))
    if source is None and target is None:
        target = _target(tokens, tables, output)
    source = source or next(key for key in tokens if key != target)
    target = target or next(key for key in tokens if key != source)
    if {source, target} != set(tokens):
        raise CheckpointError(_asking(list(tables), "source_table and target_table"))
    return source, target


def _target(tokens: Sequence[str], tables: Mapping[str, int], output: str | None) -> str:
    """The target's of two tables: as many tokens as are written, or the name says so."""
    if output is not None:
        fitting = [key for key in tokens if tables[key] == tables[output]]
        if len(fitting) == 1:
            return fitting[0]
    ours = [key for key in tokens if TARGET.search(key) and not SOURCE.search(key)]
    theirs = [key for key in tokens if SOURCE.search(key) and not TARGET.search(key)]
    if len(ours) == 1:
        return ours[0]
    if len(theirs) == 1:
        return next(key for key in tokens if key != theirs[0])
    raise CheckpointError(_asking(tokens, "source_table and target_table"))


def _asking(keys: Sequence[str], options: str) -> str:
    flags = " ".join(f"--set {name}=KEY" for name in re.findall(r"\w+_table", options))
    return (
        f"which of {', '.join(keys)[:300] or 'no tables'} is the {options} is not clear from names and sizes; say so with "
        f"{flags}."
    )


def _flat(weights: Weights, key: str) -> Tensor:
    tensor = weights.tensor(key)
    return tensor.reshape([n for n in tensor.shape if n != 1])


def _under(weights: Weights, names: _Names) -> Weights:
    """The weights under our names, tables without axes of length 1; what repeats another key is left out and noted."""
    kept = [key for key in weights.info if key not in names.repeated]
    stored = {names.plain.get(key, key): key for key in kept}
    if len(stored) < len(kept):
        raise CheckpointError("two keys of the file would be one table; write rules with --map FILE.toml.")
    tables = {ours for ours in _PLAIN if ours in stored}

    def read(ours: str) -> Tensor:
        return _flat(weights, stored[ours]) if ours in tables else weights.tensor(stored[ours])

    def described(ours: str) -> TensorInfo:
        info = weights.info[stored[ours]]
        return TensorInfo(info.dtype, tuple(n for n in info.shape if n != 1)) if ours in tables else info

    called = [f"{key} is read as {ours}" for ours, key in stored.items() if ours in tables and ours != key]
    called += [f"{key} repeats {other}" for key, other in names.repeated.items()]
    notes = (*weights.notes, *(note[:160] for note in called))
    return replace(weights, info={ours: described(ours) for ours in stored}, notes=notes, _read=read)
