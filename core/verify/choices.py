"""The tokens that each strategy writes, compared with its rule applied to full passes: greedy, sampled, forced."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from core.decoding.session import DecodeSession
from core.tokenizer import Reading
from core.verify.expected_choices import allowed_tokens, costs_nothing, greedy_gap, log_softmax
from core.verify.gaps import array_gap, worst
from core.verify.runs import SHORTEST, full_logits

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

_TEMPERATURE: Final = 20.0  # so that even a sure model has more than one token to draw
_TOP_K: Final = 6
_TOP_P: Final = 0.8
_SEED: Final = 5
_SAMPLED: Final = 5  # tokens


def chosen_gap(checkpoint: Bundle, reading: Reading) -> float:
    """The deviation of sessions from their strategies' rules, in nats (greedy) or probability (sampling)."""
    limit = min(checkpoint.config.max_length, SHORTEST)
    greedy = DecodeSession(checkpoint, reading, max_steps=limit, record=())
    gaps = []
    while not greedy.finished:
        cut = greedy.cut_off()
        gaps.append(0.0 if (cut.ids, cut.probabilities) == ((greedy.step(),), (1.0,)) else math.inf)
    gaps.append(greedy_gap(checkpoint.config, _logits(checkpoint, reading, greedy.ids), greedy.ids))
    gaps.append(0.0 if _ends(checkpoint, greedy.ids, limit) else math.inf)
    return worst([*gaps, _sampling_gap(checkpoint, reading), _free_gap(checkpoint, reading)])


def _sampling_gap(checkpoint: Bundle, reading: Reading) -> float:
    """Sampled tokens: the allowed ones, their probabilities, and the token of each random number."""
    config = checkpoint.config
    session = DecodeSession(
        *(checkpoint, reading, "sample", _TEMPERATURE, _TOP_K, _TOP_P),
        seed=_SEED,
        max_steps=min(config.max_length, _SAMPLED),
        record=(),
    )
    session.run()
    logits, gaps = _logits(checkpoint, reading, session.ids), []
    for step, token in enumerate(session.ids):
        probability = np.exp(log_softmax(logits[step], _TEMPERATURE))
        gaps.append(array_gap(session.distribution_at(step), probability))
        cut = session.cut_off(step)
        if costs_nothing(config, step):
            gaps.append(0.0 if cut.ids == (token,) == (config.forced_bos_id,) else math.inf)
            continue
        gaps.append(_cut_gap(probability, allowed_tokens(config, step), np.array(cut.ids), cut))
        if token not in cut:
            return math.inf
        # The random number must lie in the written token's interval of the cumulative probabilities.
        draw = np.random.default_rng((_SEED, step)).random()
        end = float(np.cumsum(cut.probabilities)[cut.ids.index(token)])
        start = end - cut.probabilities[cut.ids.index(token)]
        gaps.append(max(0.0, start - draw, draw - end))
    return worst(gaps)


def _cut_gap(probability: np.ndarray, allowed: np.ndarray, ids: np.ndarray, cut: object) -> float:
    """The tokens left by top-k and top-p: most probable first, neither fewer nor more than needed, renormalised."""
    probabilities, mass = np.array(cut.probabilities), float(cut.mass)  # type: ignore[attr-defined]
    if not np.isin(ids, allowed).all() or len(set(ids.tolist())) != len(ids):
        return math.inf
    best = -np.sort(-probability[allowed])[:_TOP_K]
    reach = np.cumsum(best / best.sum())
    before = reach[len(ids) - 2] if len(ids) > 1 else 0.0
    if len(ids) > len(best):
        return math.inf
    return worst(
        [
            array_gap(probability[ids], best[: len(ids)]),
            max(0.0, float(before) - _TOP_P),  # one token fewer would have been enough
            max(0.0, _TOP_P - float(reach[len(ids) - 1])) if len(ids) < len(best) else 0.0,
            array_gap(probabilities, probability[ids] / probability[ids].sum()),
            abs(mass - float(probability[ids].sum())),
        ]
    )


def _free_gap(checkpoint: Bundle, reading: Reading) -> float:
    """Without a cut-off every token may be drawn that may be written at all; and a forced token is the one written."""
    config = checkpoint.config
    session = DecodeSession(checkpoint, reading, "sample", max_steps=min(config.max_length, 2), record=())
    if set(session.cut_off().ids) != set(allowed_tokens(config, 0).tolist()):
        return math.inf
    plain = np.setdiff1d(allowed_tokens(config, 1), [config.eos_id])
    likely = int(session.distribution.argmax())
    for token in [int(token) for token in plain if token != likely][:1]:
        session.force(token)
        if session.ids != [token]:
            return math.inf
        if not session.finished and set(session.cut_off().ids) != set(allowed_tokens(config, 1).tolist()):
            return math.inf
    return 0.0


def _logits(checkpoint: Bundle, reading: Reading, ids: Sequence[int]) -> np.ndarray:
    return full_logits(checkpoint.model, reading.ids, ids[:-1])


def _ends(checkpoint: Bundle, ids: Sequence[int], limit: int) -> bool:
    """Whether a decode ends at its first end token, or at the limit."""
    end = checkpoint.config.eos_id
    return end not in ids[:-1] and (ids[-1] == end or len(ids) == limit)
