"""The beam's tree and its hypotheses in readable form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.decoding.hypotheses import Beam

if TYPE_CHECKING:
    from core.tokenizer import Tokenizer


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
    """One translation the beam holds. `node` is its last token's node."""

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
    place: int | None = beam.best
    while place is not None:
        best.add(place)
        place = beam.nodes[place].parent
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
    found: list[Hypothesis] = []
    for place in beam.hypotheses():
        node, ids = beam.nodes[place], beam.ids(place)
        labels = tuple(tokenizer.labels(ids))
        found.append(
            Hypothesis(
                place, tuple(ids), labels, tokenizer.decode(ids), node.total, node.score, node.finished
            )
        )
    return found
