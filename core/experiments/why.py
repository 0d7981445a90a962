"""Why this word and not that one: what each head, source word and prefix word adds to the log-odds of the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from core.errors import InputError
from core.experiments.edits import Kind
from core.experiments.what_if import Pair, Variant, all_heads, by_kind, run_variants

if TYPE_CHECKING:
    from core.model.transformer import Transformer


@dataclass(frozen=True)
class Why:
    """log p(word) − log p(other) at one step, and how far it falls, in nats, when something is switched off.

    A positive effect speaks for `word`. `heads` (L, H) a kind: the head gives zeros. `source` (S,): nobody but the
    word itself looks at it. `prefix` (step,): no later row of the decoder looks at that input (the start token is
    number 0); the input that the step itself reads cannot be hidden, since its vector is what the step works on.
    """

    step: int
    word: int
    other: int
    log_odds: float
    heads: Mapping[Kind, np.ndarray]
    source: np.ndarray
    prefix: np.ndarray


def why(model: Transformer, pair: Pair, step: int, other: int, batch: int = 32) -> Why:
    """Why token `step` of the pair's translation was written, and not `other`.

    Raises `InputError` for a step or token that does not exist, and for a word held against itself.
    """
    if not 0 <= step < len(pair.written):
        raise InputError(f"There is no step {step}; this translation has steps 0 to {len(pair.written) - 1}.")
    word, size = pair.written[step], model.config.target_vocab_size
    if not 0 <= other < size:
        raise InputError(f"Token {other} does not exist; this vocabulary has tokens 0 to {size - 1}.")
    if other == word:
        raise InputError("Both words are the same; choose another one to hold against it.")
    heads = all_heads(model.config)
    variants = [
        Variant(),
        *(Variant(heads=frozenset({head})) for head in heads),
        *(Variant(source=frozenset({position})) for position in range(len(pair.source))),
        *(Variant(prefix=frozenset({position})) for position in range(step)),
    ]
    seen = Pair(pair.source, pair.written[: step + 1])  # later words cannot matter

    def odds(logs: Tensor) -> Tensor:
        return logs[:, step, word] - logs[:, step, other]

    odds_of = np.concatenate(list(run_variants(model, seen, variants, odds, batch))).astype(np.float64)
    effects = odds_of[0] - odds_of[1:]
    of_source = effects[len(heads) : len(heads) + len(pair.source)]
    tables = by_kind(model.config, dict(zip(heads, effects.tolist(), strict=False)))
    prefix = effects[len(heads) + len(pair.source) :]
    return Why(step, word, other, float(odds_of[0]), tables, of_source, prefix)
