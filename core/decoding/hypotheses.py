"""Beam search of one sentence without a model: its hypotheses, its tree, and both in readable form.

Sutskever et al. 2014, section 3.2. The caller runs the model on the tokens of `Beam.inputs` and passes the
scored continuations to `Beam.advance`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from core.tokenizer import Tokenizer


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

    A continuation with the end token counts as finished if it is among the best `size`; of the others the best
    `size` stay live. The search is done when `size` hypotheses are finished and no live one scores higher than the
    worst
    of them, when `limit` tokens are written, or when no hypothesis is live.
    """

    def __init__(self, size: int, start: int, end: int, limit: int, length_penalty: float = 1.0) -> None:
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
        """The node of the best finished hypothesis; of the best live one while none is finished."""
        return self.ended[0] if self.ended else self.live[0]

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
        """Nodes of the finished hypotheses, best first, then of the live ones."""
        return [*self.ended, *self.live]


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
    """The finished hypotheses of `beam`, best first, then the live ones, best first."""
    rows: list[Hypothesis] = []
    for last in beam.hypotheses():
        node, ids = beam.nodes[last], beam.ids(last)
        labels = tuple(tokenizer.labels(ids))
        rows.append(
            Hypothesis(last, tuple(ids), labels, tokenizer.decode(ids), node.total, node.score, node.finished)
        )
    return rows
