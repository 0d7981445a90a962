"""A module of one's own around torch's Transformer: which of its parts are the embeddings, positions and output layer.

torch.nn.Transformer alone reads vectors. The tables around it are candidates by their kind and size, and what nothing in memory
tells (whether embeddings are scaled, which sinusoids a forward pass makes up) is tried in turn against the module's own
output.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from core.errors import InputError
from core.importing.agreement import Outputs
from core.importing.own_names import POSITIONS, SOURCE, TARGET
from core.importing.weights import Weights, weights_in_memory
from core.model.hooks import ATTENTION


@dataclass(frozen=True)
class TorchModule:
    """The weights by the names of PyTorch's tutorial, the settings to try, and the module's own outputs."""

    weights: Weights
    settings: Sequence[Mapping[str, Any]]
    run: Callable[[Tensor, Tensor, Tensor, Tensor], Outputs]
    takes_padding: bool


def described(model: nn.Module) -> TorchModule:
    """The parts of `model`. Raises InputError for a module without torch's Transformer, or whose parts are not clear."""
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
    source, target = _sides(tokens, heads[0].out_features)
    positions = _positions(model, outside, tables, inner, width)
    certain = _settings([*encoder.layers, *decoder.layers])
    tied = source is target or source.weight is target.weight
    certain["target_vocab_size"] = len(target.weight)
    if tied or heads[0].weight is target.weight:
        certain |= {"tie_embeddings": tied, "tie_output": heads[0].weight is target.weight}
    made_up = (
        [{}]
        if positions is not None
        else [{"positions": p} for p in ("sinusoidal", "sinusoidal_halves", "none")]
    )
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
        table = _positions(model, outside, tables, inner, width)
        if table is not None:
            state["positional_encoding.pos_embedding"] = table
        return state

    names = _arguments(model)
    run = _Run(model, encoder, decoder, bool(layer.self_attn.batch_first), names)
    padded = any("pad" in name for name in names)
    return TorchModule(
        weights_in_memory(type(model).__name__, tensors, None, None, {}), settings, run, padded
    )


def _settings(layers: Sequence[Any]) -> dict[str, Any]:
    """What the layers' own attributes say. Raises InputError where they say different things."""
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
            hint = (
                "; torch itself puts relu for an activation that is a module into copied decoder layers, so give it as a "
                "word or a function"
            )
            raise InputError(
                f"The layers have {name} {value} and {other}, and a model here has one for all{hint * (name == 'activation')}."
            )
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


def _sides(tokens: Sequence[tuple[str, nn.Embedding]], written: int) -> tuple[nn.Embedding, nn.Embedding]:
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


def _positions(
    model: nn.Module,
    outside: Sequence[tuple[str, nn.Module]],
    tables: Sequence[Any],
    inner: set[int],
    width: int,
) -> Tensor | None:
    """The one table of positions (L, width), a buffer or a parameter; None where the forward pass makes it up."""
    known = {id(part.weight) for name, part in tables if not POSITIONS.search(name)}
    candidates: list[Tensor] = []
    for _, part in outside:
        if isinstance(part, nn.Linear):
            continue
        for tensor in (*part.parameters(recurse=False), *part.buffers(recurse=False)):
            flat = [size for size in tensor.shape if size != 1]
            if id(tensor) not in known and len(flat) == 2 and flat[1] == width and tensor.is_floating_point():
                candidates.append(tensor.detach().reshape(flat))
    different = [
        table
        for n, table in enumerate(candidates)
        if not any(_same(table, other) for other in candidates[:n])
    ]
    if len(different) > 1:
        raise InputError(
            f"{type(model).__name__} has {len(different)} different tables that may hold positions; a wrapped module has one "
            "for both sides."
        )
    return different[0] if different else None


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


def _arguments(model: nn.Module) -> list[str]:
    """The names of what `forward` takes, without those that have a default and mean no mask."""
    parameters = inspect.signature(model.forward).parameters.values()
    names = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    if len(names) < 2:
        raise InputError(
            f"{type(model).__name__}.forward takes {len(names)} arguments; it must take source and target ids."
        )
    return names


@dataclass(frozen=True)
class _Run:
    """Calls the module with the masks that its forward pass names, and keeps its attention layers' weights."""

    model: nn.Module
    encoder: Any
    decoder: Any
    batch_first: bool
    names: Sequence[str]

    def __call__(self, source: Tensor, target: Tensor, source_rows: Tensor, target_rows: Tensor) -> Outputs:
        kinds = {
            "encoder": [layer.self_attn for layer in self.encoder.layers],
            "causal": [layer.self_attn for layer in self.decoder.layers],
            "cross": [layer.multihead_attn for layer in self.decoder.layers],
        }
        kept: dict[nn.Module, Tensor] = {}

        def ask(module: nn.Module, inputs: Any, options: Any) -> tuple[Any, Any]:
            return inputs, {**options, "need_weights": True, "average_attn_weights": False}

        def keep(module: nn.Module, inputs: Any, output: Any) -> None:
            kept[module] = output[1]

        fast = torch.backends.mha.get_fastpath_enabled()
        hooks = []
        try:
            torch.backends.mha.set_fastpath_enabled(False)
            for part in (each for parts in kinds.values() for each in parts):
                hooks += [
                    part.register_forward_pre_hook(ask, with_kwargs=True),
                    part.register_forward_hook(keep),
                ]
            logits = self._logits(source, target, source_rows, target_rows)
        finally:
            torch.backends.mha.set_fastpath_enabled(fast)
            for hook in hooks:
                hook.remove()
        return {"logits": logits} | {
            name: torch.stack([kept[part] for part in kinds[name]]) for name in ATTENTION
        }

    def _logits(self, source: Tensor, target: Tensor, source_rows: Tensor, target_rows: Tensor) -> Tensor:
        length, width = target.shape[1], source.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool, device=target.device).triu(1)
        none = torch.zeros(width, width, dtype=torch.bool, device=source.device)
        given: dict[str, Any] = {}
        for name in self.names[2:]:
            of_target = bool(re.search(r"tgt|trg|target|dec", name)) and "memory" not in name
            if "pad" in name:
                given[name] = ~target_rows if of_target else ~source_rows
            elif "mask" in name and "memory" not in name:
                given[name] = causal if of_target else none
        texts = (source, target) if self.batch_first else (source.t(), target.t())
        try:
            logits = self.model(*texts, **given)
        except (RuntimeError, TypeError, ValueError, IndexError, AssertionError) as error:
            reason = " ".join(str(error).split())[:100]
            raise InputError(
                f"{type(self.model).__name__}.forward could not be called with ids and masks ({reason}); name its arguments as "
                "PyTorch's translation tutorial does."
            ) from None
        logits = logits if self.batch_first else logits.transpose(0, 1)
        return logits if isinstance(logits, Tensor) else torch.as_tensor(logits)
