"""What a step may write: the one rule that the session draws by and the screens show.

Numpy alone, so that a stored example can be drawn before torch is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.decoding import strategies
from core.decoding.inputs import forced_token, never_written
from core.decoding.strategies import CutOff

if TYPE_CHECKING:
    from core.model.config import ModelConfig


def greedy_token(logits: np.ndarray, config: ModelConfig, step: int) -> int:
    """What greedy search writes as number `step` (from 0), given `logits` or log-probabilities (V,)."""
    forced = forced_token(config, step)
    return strategies.greedy_choice(logits, never_written(config)) if forced is None else forced


def settled(logits: np.ndarray, config: ModelConfig, step: int, strategy: str) -> int | None:
    """The token that is written as number `step` (from 0) without a draw, given `logits` (V,); None where one is drawn."""
    return greedy_token(logits, config, step) if strategy == "greedy" else forced_token(config, step)


def writable(
    logits: np.ndarray,
    config: ModelConfig,
    step: int,
    strategy: str = "greedy",
    *,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    beam_size: int = 5,
) -> CutOff:
    """The tokens that `strategy` may write as number `step` (from 0), given the step's `logits` (V,).

    Greedy: one. Sampling: what temperature, then top-k, then top-p leave (see `strategies.cut_off`), with the
    probabilities the token is drawn with. Beam: what one hypothesis can put forward, its 2 · beam_size most probable.
    The start token and padding are never among them, and where the configuration forces a token, it is the only one.
    """
    if strategy != "sample":
        temperature, top_k, top_p = 1.0, 2 * beam_size, 1.0
    probability = np.exp(strategies.log_probabilities(logits, temperature))
    if (only := settled(logits, config, step, strategy)) is not None:
        return CutOff((only,), (1.0,), float(probability[only]))
    return strategies.cut_off(probability, top_k=top_k, top_p=top_p, banned=never_written(config))
