"""A module in memory whose parameters have the names of a known layout, or of rules that the user gives.

What the names do not tell is read from the module's attributes (heads, the norms' eps) or tried against its own output (whether
embeddings are scaled, which sinusoids a forward pass makes up, where the norms are).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any, Final

from torch import nn

from core.errors import CheckpointError, InputError
from core.importing.calling import calls
from core.importing.own_transformer import ModuleInMemory
from core.importing.plan import ImportPlan, plan_weights
from core.importing.recorded_maps import layers_of
from core.importing.rules import AUTO, detect_layout
from core.importing.vocabulary import Wishes
from core.importing.weights import Weights, weights_in_memory
from core.model.config import CHOICES

_HEADS: Final = (
    "num_heads",
    "n_heads",
    "n_head",
    "nhead",
    "number_of_heads",
    "num_attention_heads",
    "heads",
    "h",
)
_EPS: Final = ("eps", "variance_epsilon", "epsilon")
_TRIED: Final[Mapping[str, Sequence[Any]]] = {
    "embedding_scale": (True, False),
    "norm_placement": CHOICES["norm_placement"],
    "output_scale": CHOICES["output_scale"],
    "positions": ("sinusoidal", "sinusoidal_halves", "none"),
}
"""What is tried where the layout assumes it."""
_MOST_TRIED: Final = 24


def of_known_layout(
    model: nn.Module,
    exact: nn.Module,
    wishes: Wishes,
    answers: Mapping[str, Any],
    map_file: str | Path | None = None,
) -> ModuleInMemory:
    """The module's weights, the settings to try, the assumed ones first, and the ways to call `exact`, itself in single precision.

    Raises InputError for names of no known layout, and CheckpointError where the layout needs an answer.
    """
    weights = weights_in_memory(type(model).__name__, model.state_dict, None, None, {})
    known = {**_attributes(model), **answers}
    if map_file is None:
        _require_known(weights)
    plan = plan_weights(weights, wishes, known, map_file=map_file)
    choices = _choices(plan)
    tried = [
        dict(zip(choices, values, strict=True)) for values in islice(product(*choices.values()), _MOST_TRIED)
    ]
    config = plan.answer(**tried[0]).config
    if config is None:
        return ModuleInMemory(weights, [known], [], AUTO)  # what the plan asks for is said where it is used
    runs = calls(exact, layers_of(config), (config.source_vocab_size, config.target_vocab_size))
    return ModuleInMemory(weights, [{**known, **settings} for settings in tried], runs, AUTO)


def _require_known(weights: Weights) -> None:
    """Raise InputError, with the ways on in Python, where the parameters have the names of no known layout."""
    try:
        detect_layout(weights)
    except CheckpointError as error:
        reason = str(error).partition(";")[0].strip()
        raise InputError(
            f"{weights.path.name} is none of Hugging Face's and has no torch.nn.TransformerEncoder, and {reason}; give rules as "
            "map_file=FILE.toml (docs/importing.md), or show its maps with core.from_run."
        ) from None


def _attributes(model: nn.Module) -> dict[str, Any]:
    """The number of heads and the norms' eps, where all parts that have such an attribute have the same."""
    heads = {value for value in _values(model, _HEADS) if isinstance(value, int) and value > 0}
    eps = {value for value in _values(model, _EPS) if isinstance(value, float)}
    found: dict[str, Any] = {}
    if len(heads) == 1:
        found["heads"] = heads.pop()
    if len(eps) == 1:
        found["norm_eps"] = eps.pop()
    return found


def _values(model: nn.Module, names: Sequence[str]) -> Iterator[Any]:
    """The values of these attributes in every part of the module."""
    for part in model.modules():
        yield from (vars(part)[name] for name in names if name in vars(part))


def _choices(plan: ImportPlan) -> dict[str, Sequence[Any]]:
    """What the comparison decides: the options that are assumed and can be otherwise, the assumed value first, or are asked."""
    assumed = {each.name: each.value for each in plan.assumed if each.name in _TRIED}
    choices: dict[str, Sequence[Any]] = {
        name: (value, *(each for each in _TRIED[name] if each != value)) for name, value in assumed.items()
    }
    asked = {each.name: each.choices for each in plan.open_questions if each.name in CHOICES and each.choices}
    return {**asked, **choices}
