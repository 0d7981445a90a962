"""What a strategy writes, as pure functions of the logits: the tokens allowed, the one chosen, and a beam's hypotheses.

Numpy alone, so that a stored example can be drawn without torch. All strategies use one order of the vocabulary: most
probable first, the smaller id first among equals. Beam search (Sutskever et al. 2014, section 3.2) without a model: the
caller runs it on the tokens of `Beam.inputs` and passes the scored continuations to `Beam.advance`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.decoding.inputs import forced_token, never_written
from core.errors import InputError

if TYPE_CHECKING:
    from core.model.config import ModelConfig
    from core.tokenizer import Tokenizer


def greedy_token(logits: np.ndarray, config: ModelConfig, step: int) -> int:
    """The token that greedy search writes at step `step` (from 0), given `logits` or log-probabilities (V,)."""
    forced = forced_token(config, step)
    return greedy_choice(logits, never_written(config)) if forced is None else forced


def only_choice(logits: np.ndarray, config: ModelConfig, step: int, strategy: str) -> int | None:
    """The token that is written at step `step` (from 0) without sampling, given `logits` (V,); None where one is sampled."""
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
    """The tokens that `strategy` may write at step `step` (from 0), given the step's `logits` (V,).

    Greedy: one. Sampling: those left by temperature, then top-k, then top-p (see `cut_off`), with the probabilities
    of the draw. Beam: the 2 · beam_size most probable, the most that one hypothesis can contribute. The start token
    and padding are never among them, and a token that the configuration forces is the only one.
    """
    if strategy != "sample":
        temperature, top_k, top_p = 1.0, 2 * beam_size, 1.0
    probability = np.exp(log_probabilities(logits, temperature))
    if (only := only_choice(logits, config, step, strategy)) is not None:
        return CutOff((only,), (1.0,), float(probability[only]))
    return cut_off(probability, top_k=top_k, top_p=top_p, banned=never_written(config))


STRATEGIES = ("greedy", "sample", "beam")


def check_options(
    strategy: str,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    beam_size: int = 5,
    seed: int = 0,
    length_penalty: float = 1.0,
) -> None:
    """Raise `InputError` naming the option, its value and what is allowed."""
    if strategy not in STRATEGIES:
        raise InputError(f"strategy is {strategy!r}; choose one of {', '.join(STRATEGIES)}.")
    if not 0.01 <= temperature <= 100.0:
        raise InputError(
            f"temperature is {temperature}; it must lie from 0.01 to 100, and 1 leaves the model as it is."
        )
    if top_k < 0:
        raise InputError(f"top_k is {top_k}; it must be 1 or more tokens, or 0 for no limit.")
    if not 0.0 < top_p <= 1.0:
        raise InputError(f"top_p is {top_p}; it must lie above 0 and at most at 1, and 1 keeps every token.")
    if not 1 <= beam_size <= 64:
        raise InputError(f"beam_size is {beam_size}; it must be a whole number from 1 to 64.")
    if not 0 <= seed < 2**63:
        raise InputError(f"seed is {seed}; it must be a whole number from 0 to {2**63 - 1}.")
    if not -10.0 <= length_penalty <= 10.0:
        raise InputError(
            f"length_penalty is {length_penalty}; it must lie from -10 to 10, and 0 leaves the log-probability as it is."
        )


def log_probabilities(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """log softmax(logits / temperature) over the last axis, float64 of the same shape."""
    scaled: np.ndarray = logits.astype(np.float64) / temperature
    shifted: np.ndarray = scaled - scaled.max(axis=-1, keepdims=True)
    normalised: np.ndarray = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return normalised


def probabilities(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """softmax(logits / temperature) over the last axis, float32 of the same shape."""
    exact: np.ndarray = np.exp(log_probabilities(logits, temperature))
    return exact.astype(np.float32)


def by_probability(probability: np.ndarray) -> np.ndarray:
    """The ids of `probability` (V,), most probable first, the smaller id first among equals → (V,) int64."""
    return np.argsort(-probability, kind="stable")


@dataclass(frozen=True)
class CutOff:
    """The tokens that a strategy may choose from, most probable first.

    `probabilities` are those of the draw: renormalised over `ids`, they sum to 1. `mass` is the total of the tokens in
    the probability of the whole vocabulary.
    """

    ids: tuple[int, ...]
    probabilities: tuple[float, ...]
    mass: float

    def __contains__(self, token: object) -> bool:
        return token in self.ids

    def __len__(self) -> int:
        return len(self.ids)


def cut_off(
    probability: np.ndarray, *, top_k: int = 0, top_p: float = 1.0, banned: tuple[int, ...] = ()
) -> CutOff:
    """The tokens that top-k and top-p sampling keep of `probability` (V,), in the order of Hugging Face's `generate`.

    First `banned` tokens are removed. Top-k (Fan et al. 2018, section 5.4) then keeps the k most probable, 0 keeps
    all. Top-p (Holtzman et al. 2020, section 3.1) last keeps the fewest most probable ones whose share of the rest
    reaches p. At least one token is kept.
    """
    order = by_probability(probability)
    if banned:
        order = order[~np.isin(order, banned)]
    if top_k:
        order = order[:top_k]
    shares = _shares(probability, order)
    if top_p < 1.0:
        order = order[: int(np.searchsorted(np.cumsum(shares), top_p, side="left")) + 1]
        shares = _shares(probability, order)
    mass = float(probability[order].sum(dtype=np.float64))
    return CutOff(tuple(order.tolist()), tuple(shares.tolist()), mass)


def _shares(probability: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """The probability of each of `ids`, renormalised, float64; uniform where a rounded softmax left them 0."""
    held = probability[ids].astype(np.float64)
    total = held.sum()
    return held / total if total > 0 else np.full(len(ids), 1 / len(ids))


def greedy_choice(logits: np.ndarray, banned: tuple[int, ...] = ()) -> int:
    """The most probable token of `logits` (V,) that is not `banned`."""
    allowed = logits.copy()
    allowed[list(banned)] = -np.inf
    return int(allowed.argmax())


def sample(cut: CutOff, uniform: float) -> int:
    """The token of `cut` at the quantile `uniform` in [0, 1)."""
    cumulative = np.cumsum(cut.probabilities, dtype=np.float64)
    index = int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
    return cut.ids[min(index, len(cut.ids) - 1)]


def uniform_draw(seed: int, step: int) -> float:
    """The random number in [0, 1) of one step. It depends on the seed and the step alone, so that a step can be repeated."""
    return float(np.random.default_rng((seed, step)).random())


Continuation = tuple[float, int, int]  # total log-probability, index of the parent among the live, token


class Node(NamedTuple):
    """One considered token. The root has id 0, no parent and the start token, and wrote nothing."""

    id: int
    parent: int | None
    step: int  # tokens written on the way here; the root's is 0
    token: int
    log_probability: float
    total: float  # sum of log-probabilities from the root
    score: float  # total / step ** length_penalty
    kept: bool  # not pruned at its step: stays live, or ended the sentence
    finished: bool  # wrote the end token and was good enough to keep


class Beam:
    """The tree of one sentence. Each step considers the best 2 · size continuations of the live hypotheses.

    A continuation with the end token counts as finished if it is among the best `size`; of the others the best `size`
    stay live. The search is done when `size` hypotheses are finished and no live one scores higher than the worst of
    them, when `limit` tokens are written, or when no hypothesis is live. At the limit a hypothesis that was cut short
    competes with the finished ones by its score, as in Hugging Face's `generate`.
    """

    def __init__(
        self, size: int, start: int, end: int | None, limit: int, length_penalty: float = 1.0
    ) -> None:
        self.size, self.end, self.limit, self.length_penalty = size, end, limit, length_penalty
        self.nodes: list[Node] = [Node(0, None, 0, start, 0.0, 0.0, 0.0, True, False)]
        self.live: list[int] = [0]  # ids of nodes, best first
        self.ended: list[int] = []  # ids of finished nodes, best first, at most `size`
        self.step = 0

    @property
    def done(self) -> bool:
        """Whether the search ends here."""
        if self.step >= self.limit or not self.live:
            return True
        if len(self.ended) < self.size:
            return False
        return self.nodes[self.live[0]].score <= self.nodes[self.ended[-1]].score

    @property
    def best(self) -> int:
        """The node of the best finished hypothesis, of the best live one while none is finished; at the limit the best of all."""
        return self.hypotheses()[0]

    def inputs(self) -> list[int]:
        """The tokens to read next, one per live hypothesis."""
        return [self.nodes[node].token for node in self.live]

    def totals(self) -> list[float]:
        """The log-probability of each live hypothesis."""
        return [self.nodes[node].total for node in self.live]

    def advance(self, candidates: list[Continuation], forced: bool = False) -> list[int]:
        """Add the `candidates`, best first, and keep the best → for each new live hypothesis, its parent's index.

        `candidates` must hold the best 2 · size continuations of the live hypotheses, or all if fewer. If
        `forced`, a person chose them: hypotheses that finished before are dropped.
        """
        self.step += 1
        if forced:
            self.ended.clear()
        live: list[int] = []
        parents: list[int] = []
        length = self.step**self.length_penalty
        for rank, (total, index, token) in enumerate(candidates):
            parent, new = self.nodes[self.live[index]], len(self.nodes)
            ends = token == self.end
            finished = ends and rank < self.size
            kept = finished or (not ends and len(live) < self.size)
            cost = total - parent.total
            self.nodes.append(
                Node(new, parent.id, self.step, token, cost, total, total / length, kept, finished)
            )
            if finished:
                self.ended.append(new)
            elif kept:
                live.append(new)
                parents.append(index)
        self.live = live
        self.ended = sorted(self.ended, key=lambda each: -self.nodes[each].score)[: self.size]
        return parents

    def ids(self, node: int) -> list[int]:
        """The tokens written on the way to `node`."""
        path: list[int] = []
        current: int | None = node
        while current is not None and self.nodes[current].parent is not None:
            path.append(self.nodes[current].token)
            current = self.nodes[current].parent
        return path[::-1]

    def hypotheses(self) -> list[int]:
        """Nodes of the finished hypotheses, best first, then of the live ones; at the limit all of them by their scores."""
        nodes = [*self.ended, *self.live]
        return sorted(nodes, key=lambda each: -self.nodes[each].score) if self.step >= self.limit else nodes


@dataclass(frozen=True)
class TreeNode:
    """One considered token, with its label. `best`: on the way to the best hypothesis so far."""

    id: int
    parent: int | None
    step: int  # tokens written on the way here; the root's is 0
    token_id: int
    label: str
    log_probability: float
    total: float  # sum of log-probabilities from the root
    score: float  # total / step ** length_penalty
    kept: bool
    finished: bool
    best: bool


@dataclass(frozen=True)
class Hypothesis:
    """One translation of the beam. `node` is the node of its last token."""

    node: int
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    text: str
    total: float
    score: float
    finished: bool


def tree_nodes(beam: Beam, tokenizer: Tokenizer) -> list[TreeNode]:
    """All nodes of `beam`, labelled."""
    best: set[int] = set()
    current: int | None = beam.best
    while current is not None:
        best.add(current)
        current = beam.nodes[current].parent
    return [
        TreeNode(
            id=node.id,
            parent=node.parent,
            step=node.step,
            token_id=node.token,
            label=tokenizer.label(node.token),
            log_probability=node.log_probability,
            total=node.total,
            score=node.score,
            kept=node.kept,
            finished=node.finished,
            best=node.id in best,
        )
        for node in beam.nodes
    ]


def hypotheses(beam: Beam, tokenizer: Tokenizer) -> list[Hypothesis]:
    """The finished hypotheses of `beam`, best first, then the live ones, best first; at the limit all by their scores."""
    rows: list[Hypothesis] = []
    for last in beam.hypotheses():
        node, ids = beam.nodes[last], beam.ids(last)
        labels = tuple(tokenizer.labels(ids))
        rows.append(
            Hypothesis(last, tuple(ids), labels, tokenizer.decode(ids), node.total, node.score, node.finished)
        )
    return rows
