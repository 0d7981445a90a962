"""torch.nn.Transformer inside a module of one's own, in a file or in memory: its embeddings, positions and output layer.

The two stacks are found by torch's own names, whatever the module calls them. In a file, the other tables are
distinguished by their shape, by a bias beside them, and by the words in their names; where that leaves a choice, the
caller is asked which key is which. In memory, what no attribute says (whether embeddings are scaled, which sinusoids
a forward pass makes up) is tried in turn against the module's own output.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import torch
from torch import Tensor, nn

from core.checkpoints.files import TensorInfo
from core.errors import CheckpointError, InputError
from core.importing.calling import Run, calls
from core.importing.weights import Weights, weights_in_memory
from core.language import tr
from core.model.config import DECODERS

TABLES: Final = (
    "source_table",
    "target_table",
    "output_table",
    "position_table",
    "source_position_table",
    "target_position_table",
)
"""Answers that name the key of each table."""
TARGET: Final = re.compile(r"tgt|trg|target|(?<![a-z])(dec|out)", re.I)
SOURCE: Final = re.compile(r"src|source|(?<![a-z])(enc|inp)", re.I)
POSITIONS: Final = re.compile(r"pos|pe\b", re.I)
_OUTPUT: Final = re.compile(
    r"(?<![a-z])(generator|out|output|fc|proj|projection|head|lm_head|linear|classifier|logits|vocab)(?![a-z])",
    re.I,
)
_STACK: Final = re.compile(r"(.*?)layers\.0\.(self_attn|multihead_attn)\.in_proj_weight")
_PLAIN: Final = (
    "src_tok_emb.embedding.weight",
    "tgt_tok_emb.embedding.weight",
    "generator.weight",
    "positional_encoding.pos_embedding",
    "positional_encoding.source",
    "positional_encoding.target",
)


@dataclass(frozen=True)
class _Names:
    """Our name for each key, the keys that repeat another, and what follows for the configuration."""

    plain: Mapping[str, str]
    repeated: Mapping[str, str]
    settings: Mapping[str, Any]
    aside: Sequence[str] = ()
    """Keys of another layer that writes something else, with their biases: not read."""


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
            raise CheckpointError.tr(
                "{value} is only for files of torch.nn.Transformer, which this is not; leave it out.",
                value=next(iter(chosen)),
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
            raise CheckpointError.tr(
                "{option} is {value!r}, which is not a table of the model’s width in the file; it has {value_2}.",
                option=option,
                value=str(key)[:80],
                value_2=", ".join(tables)[:300] or "none",
            )
    positions = _positions(tables, chosen)
    output = chosen.get("output_table") or _output(weights, tables, positions)
    tied = output is not None and len(tables) - len(positions) == 1
    if tied:
        output = None  # safetensors stores tables that are one under one name, here the output's
    rest = [key for key in tables if key not in positions and key != output]
    aside = [
        key for key in rest if output is not None and _beside(key) in weights.info
    ]  # of other layers than the output
    tokens = [key for key in rest if key not in aside]
    source, target = _sides(tokens, tables, output, chosen)
    settings: dict[str, Any] = {}
    plain[source] = _PLAIN[0]
    if target is None:
        settings |= {"tie_embeddings": True, "target_vocab_size": tables[source]}
    else:
        plain[target] = _PLAIN[1]
    bias = _output_bias(weights, plain, output, tables[target or source])
    if tied or output == target or (output is None and bias is not None):
        settings["tie_output"] = True
    elif output is not None:
        plain[output] = _PLAIN[2]
    if bias is not None:
        plain[bias] = "generator.bias"
    repeated = {}
    different = _different(weights, positions)
    if len(different) == 2:
        first, second = _position_sides(different, chosen)
        plain[first], plain[second] = _PLAIN[4], _PLAIN[5]
        settings["positions"] = "learned"
    elif different:
        plain[different[0]] = _PLAIN[3]
    for other in positions:
        if other not in different:
            repeated[other] = next(
                key for key in different if _same_rows(_flat(weights, key), _flat(weights, other))
            )
    return _Names(plain, repeated, settings, [*aside, *map(_beside, aside)])


def _beside(key: str) -> str:
    """The key of the bias that a table would have as a layer's weight."""
    return key.removesuffix("weight") + "bias"


def _output_bias(weights: Weights, plain: Mapping[str, str], output: str | None, rows: int) -> str | None:
    """The bias beside the output layer's table, or the one that is left where the table is stored under another name."""
    fitting = [key for key, info in weights.info.items() if key not in plain and info.shape == (rows,)]
    if output is not None:
        return _beside(output) if _beside(output) in fitting else None
    named = [key for key in fitting if re.search(r"(^|[._])bias$", key)]
    return named[0] if len(named) == 1 else None


def _different(weights: Weights, positions: Sequence[str]) -> list[str]:
    """The keys of tables of positions that are not the leading rows of a longer one. Raises CheckpointError for three."""
    found: list[str] = []
    for key in sorted(positions, key=lambda each: weights.info[each].shape):
        if not any(_same_rows(_flat(weights, other), _flat(weights, key)) for other in found):
            found.append(key)
    if len(found) > 2:
        raise CheckpointError.tr(
            "{listed} are different tables of positions, and a model has one, or one for each side; say which with --set source_position_table=KEY --set target_position_table=KEY.",
            listed=", ".join(found)[:200],
        )
    return [key for key in positions if key in found]


def _same_rows(table: Tensor, other: Tensor) -> bool:
    """Whether two tables hold the same rows as far as the shorter goes."""
    length = min(len(table), len(other))
    return table.shape[1:] == other.shape[1:] and torch.equal(table[:length], other[:length])


def _position_sides(keys: Sequence[str], chosen: Mapping[str, Any]) -> tuple[str, str]:
    """(source, target) of two tables of positions, told or by their names."""
    source, target = chosen.get("source_position_table"), chosen.get("target_position_table")
    if source is None and target is None:
        target = next(iter(_speaking_of(TARGET, SOURCE, keys)), None)
        source = next(iter(_speaking_of(SOURCE, TARGET, keys)), None)
    source = source or next((key for key in keys if target is not None and key != target), None)
    target = target or next((key for key in keys if key != source), None)
    if source is None or target is None or {source, target} != set(keys):
        raise CheckpointError(_asking(keys, "source_position_table and target_position_table"))
    return source, target


def _speaking_of(side: re.Pattern[str], other: re.Pattern[str], keys: Sequence[str]) -> list[str]:
    """The keys whose names speak of one side and not of the other."""
    return [key for key in keys if side.search(key) and not other.search(key)]


def _positions(tables: Mapping[str, int], chosen: Mapping[str, Any]) -> list[str]:
    if "position_table" in chosen:
        return [chosen["position_table"]]
    told = [key for option, key in chosen.items() if option.endswith("position_table")]
    others = {key for option, key in chosen.items() if not option.endswith("position_table")}
    named = [key for key in tables if key in told or (POSITIONS.search(key) and key not in others)]
    return told if len(told) == 2 else named


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
        rows = {tables[key] for key in left if key not in keys}
        fitting = [key for key in keys if tables[key] in rows]
        if len(fitting) == 1:  # the others are of classes or the like, and no side has as many tokens
            return fitting[0]
    if biased or named or len(left) > 2:
        raise CheckpointError(_asking(left, "output_table"))
    return None


def _sides(
    tokens: Sequence[str], tables: Mapping[str, int], output: str | None, chosen: Mapping[str, Any]
) -> tuple[str, str | None]:
    """(source, target) tables; None for the target where one table is both."""
    source, target = chosen.get("source_table"), chosen.get("target_table")
    if len(tokens) == 1 and output is not None and source in (None, tokens[0]):
        # The target's table and the output's may be one, of which safetensors keeps the output's name alone.
        if target == output or (target is None and tables[tokens[0]] != tables[output]):
            return tokens[0], output
        if target is None and _speaking_of(SOURCE, TARGET, tokens):
            raise CheckpointError.tr(
                "the file has {tokens} and {output} and no third table: say whether the target’s is the output’s (--set target_table={output}) or the source’s (--set target_table={tokens}).",
                tokens=tokens[0],
                output=output,
            )
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
    ours, theirs = _speaking_of(TARGET, SOURCE, tokens), _speaking_of(SOURCE, TARGET, tokens)
    if len(ours) == 1:
        return ours[0]
    if len(theirs) == 1:
        return next(key for key in tokens if key != theirs[0])
    raise CheckpointError(_asking(tokens, "source_table and target_table"))


def _asking(keys: Sequence[str], options: str) -> str:
    flags = " ".join(f"--set {name}=KEY" for name in re.findall(r"\w+_table", options))
    return tr(
        "which of {keys} is the {options} is not clear from names and sizes; say so with {flags}.",
        keys=", ".join(keys)[:300] or tr("no tables"),
        options=options.replace(" and ", tr(" and ")),
        flags=flags,
    )


def _flat(weights: Weights, key: str) -> Tensor:
    tensor = weights.tensor(key)
    return tensor.reshape([n for n in tensor.shape if n != 1])


def _under(weights: Weights, names: _Names) -> Weights:
    """The weights under our names, tables without axes of length 1; what repeats another key is left out and noted."""
    numbers = [
        key
        for key, info in weights.info.items()
        if key not in names.plain and info.dtype in ("I64", "I32", "int32") and names.plain
    ]
    left_out = {*names.repeated, *numbers, *names.aside}
    kept = [key for key in weights.info if key not in left_out]
    stored = {names.plain.get(key, key): key for key in kept}
    if len(stored) < len(kept):
        raise CheckpointError.tr("two keys of the file would be one table; write rules with --map FILE.toml.")
    tables = {ours for ours in _PLAIN if ours in stored}

    def read(ours: str) -> Tensor:
        return _flat(weights, stored[ours]) if ours in tables else weights.tensor(stored[ours])

    def described(ours: str) -> TensorInfo:
        info = weights.info[stored[ours]]
        return TensorInfo(info.dtype, tuple(n for n in info.shape if n != 1)) if ours in tables else info

    called = [
        f"the key {key} is read as {ours}" for ours, key in stored.items() if ours in tables and ours != key
    ]
    called += [f"the key {key} repeats {other}" for key, other in names.repeated.items()]
    called += [f"the key {key} is of another layer than the output's, and is left out" for key in names.aside]
    called += [f"the key {key} holds whole numbers, no weights, and is left out" for key in numbers]
    notes = (*weights.notes, *(note[:160] for note in called))
    return replace(weights, info={ours: described(ours) for ours in stored}, notes=notes, _read=read)


@dataclass(frozen=True)
class ModuleInMemory:
    """The weights by the names of a layout, the settings to try, and the ways to get the module's own outputs."""

    weights: Weights
    settings: Sequence[Mapping[str, Any]]
    runs: Sequence[Run]
    layout: str = "torch"


def holds_torchs(model: nn.Module) -> bool:
    """Whether the module is or holds a stack of torch's own Transformer."""
    kinds = (nn.Transformer, nn.TransformerEncoder, nn.TransformerDecoder)
    return any(isinstance(part, kinds) for part in model.modules())


def described(model: nn.Module, exact: nn.Module) -> ModuleInMemory:
    """The parts of `model`, and the ways to call `exact`, the same in single precision.

    Raises InputError for a module without torch's Transformer, or whose parts are not clear.
    """
    encoder, decoder = _only(model, nn.TransformerEncoder), _only(model, nn.TransformerDecoder)
    inner = {id(part) for stack in (encoder, decoder) for part in stack.modules()}
    outside = [(name, part) for name, part in model.named_modules() if id(part) not in inner]
    layer: Any = encoder.layers[0]
    width = layer.self_attn.embed_dim
    tables = [(n, p) for n, p in outside if isinstance(p, nn.Embedding) and p.embedding_dim == width]
    tokens = [(n, p) for n, p in tables if not POSITIONS.search(n)]
    heads = [p for _, p in outside if isinstance(p, nn.Linear) and p.in_features == width]
    if not tokens or len(tokens) > 2 or len(heads) != 1:
        raise InputError(
            f"{type(model).__name__} has {len(tokens)} token embeddings and {len(heads)} output layers of width {width} around "
            "its Transformer; give a module with one or two nn.Embedding and one nn.Linear."
        )
    source, target = _embeddings_by_side(tokens, heads[0].out_features)
    positions = _position_tables(model, outside, tables, width)
    certain = _settings(encoder.layers, decoder.layers)
    tied = source is target or source.weight is target.weight
    certain["target_vocab_size"] = len(target.weight)
    if tied or heads[0].weight is target.weight:
        certain |= {"tie_embeddings": tied, "tie_output": heads[0].weight is target.weight}
    if len(positions) == 2:
        certain["positions"] = "learned"
    made_up = [{}] if positions else [{"positions": p} for p in ("sinusoidal", "sinusoidal_halves", "none")]
    settings = [
        {**certain, **positions_, "embedding_scale": scaled}
        for positions_ in made_up
        for scaled in (True, False)
    ]

    def tensors() -> Mapping[str, Tensor]:
        state: dict[str, Tensor] = {}
        for side, stack in (("encoder", encoder), ("decoder", decoder)):
            state |= {f"transformer.{side}.{key}": tensor for key, tensor in stack.state_dict().items()}
        state["src_tok_emb.embedding.weight"] = source.weight
        if not certain.get("tie_embeddings"):
            state["tgt_tok_emb.embedding.weight"] = target.weight
        if not certain.get("tie_output"):
            state["generator.weight"] = heads[0].weight
        if heads[0].bias is not None:
            state["generator.bias"] = heads[0].bias
        found = _position_tables(model, outside, tables, width)
        state |= dict(zip(_PLAIN[3:4] if len(found) == 1 else _PLAIN[4:], found, strict=False))
        return state

    layers = {"encoder": len(encoder.layers), "causal": len(decoder.layers), "cross": len(decoder.layers)}
    vocabulary = len(source.weight), len(target.weight)
    runs = calls(exact, layers, vocabulary, bool(layer.self_attn.batch_first))
    return ModuleInMemory(weights_in_memory(type(model).__name__, tensors, None, None, {}), settings, runs)


def _settings(encoder: Sequence[Any], decoder: Sequence[Any]) -> dict[str, Any]:
    """What the layers' own attributes say of each stack."""
    first, second = _alike(encoder), _alike(decoder)
    own = {name: second[other] for name, other in DECODERS.items() if other in second}
    return first | {name: value for name, value in own.items() if value != first[DECODERS[name]]}


def _alike(layers: Sequence[Any]) -> dict[str, Any]:
    """What the attributes of one stack's layers say. Raises InputError where they say different things."""
    settings = [
        {
            "heads": layer.self_attn.num_heads,
            "norm_placement": "pre" if layer.norm_first else "post",
            "norm_eps": layer.norm1.eps,
            "activation": _activation(layer),
            "dropout": layer.dropout.p,
        }
        for layer in layers
    ]
    for name, value in settings[0].items():
        if other := next((each[name] for each in settings if each[name] != value), None):
            raise InputError(f"The layers have {name} {value} and {other}, and a stack here has one for all.")
    return settings[0]


def _only(model: nn.Module, kind: type[nn.Module]) -> Any:
    modules = [part for part in model.modules() if isinstance(part, kind)]
    if (modules and modules[0] is model) or isinstance(model, nn.Transformer):
        raise InputError(
            f"A bare {type(model).__name__} reads vectors and has no vocabulary; give the module that holds its embeddings."
        )
    if len(modules) != 1:
        raise InputError(
            f"{type(model).__name__} holds {len(modules)} {kind.__name__}, and one is needed; give a Hugging Face "
            "encoder-decoder or a module around torch.nn.Transformer, or write a map (docs/importing.md)."
        )
    return modules[0]


def _embeddings_by_side(
    tokens: Sequence[tuple[str, nn.Embedding]], written: int
) -> tuple[nn.Embedding, nn.Embedding]:
    """(source, target): the target has as many tokens as are `written`; then by name, then in their order."""
    if len(tokens) == 1:
        return tokens[0][1], tokens[0][1]
    (first, one), (second, other) = tokens
    if (one.num_embeddings == written) != (other.num_embeddings == written):
        return (other, one) if one.num_embeddings == written else (one, other)
    swapped = bool(TARGET.search(first) and not SOURCE.search(first)) or bool(
        SOURCE.search(second) and not TARGET.search(second)
    )
    return (other, one) if swapped else (one, other)


def _position_tables(
    model: nn.Module, outside: Sequence[tuple[str, nn.Module]], tables: Sequence[Any], width: int
) -> list[Tensor]:
    """The tables of positions (L, width), buffers or parameters: one, (source, target), or none where a pass makes them up.

    Of two the names say which is which, else their order. Raises InputError for more than two.
    """
    known = {id(part.weight) for name, part in tables if not POSITIONS.search(name)}
    different: dict[str, Tensor] = {}
    for module, part in outside:
        if isinstance(part, nn.Linear) or "parametrizations" in module.split("."):
            continue
        for name, tensor in (*part.named_parameters(recurse=False), *part.named_buffers(recurse=False)):
            flat = [size for size in tensor.shape if size != 1]
            if id(tensor) in known or len(flat) != 2 or flat[1] != width or not tensor.is_floating_point():
                continue
            table = tensor.detach().reshape(flat)
            if not any(_same(table, other) for other in different.values()):
                different[f"{module}.{name}"] = table
    if len(different) > 2:
        raise InputError(
            f"{type(model).__name__} has {len(different)} different tables that may hold positions ({', '.join(different)[:80]}); "
            "a wrapped module has one, or one for each side."
        )
    names = list(different)
    if len(names) == 2 and (
        _speaking_of(TARGET, SOURCE, names[:1]) or _speaking_of(SOURCE, TARGET, names[1:])
    ):
        names.reverse()
    return [different[name] for name in names]


def _same(table: Tensor, other: Tensor) -> bool:
    return table.shape == other.shape and torch.equal(table, other)


def _activation(layer: Any) -> str:
    """Which of the model's activations the layer's function is, candidates by what it computes."""
    points = torch.linspace(-3, 3, 61, dtype=torch.float64)
    ours = {
        "relu": torch.relu(points),
        "gelu": nn.functional.gelu(points),
        "gelu_tanh": nn.functional.gelu(points, approximate="tanh"),
        "silu": nn.functional.silu(points),
    }
    theirs = layer.activation(points)
    for name, values in ours.items():
        if torch.allclose(values, theirs, atol=1e-12, rtol=0):
            return name
    raise InputError(
        f"The layers' activation is none of {', '.join(ours)}; use core.from_generate for such a model."
    )
