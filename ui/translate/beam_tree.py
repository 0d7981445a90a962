"""The whole tree of a beam search, pruned hypotheses included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from ui.shared.decode import BeamNode
from ui.shared.mount import View
from ui.web.contract import derive


@dataclass(frozen=True)
class PickedNode:
    """The hypothesis that ends with this node."""

    id: int

    def fitted(self, drawn: TreeData) -> PickedNode | None:
        """The same, or None where there is no such node."""
        return self if any(self.id == node.id for node in drawn.nodes) else None


@dataclass(frozen=True)
class TreeData:
    """A search in full. The node `selected` is outlined; `scoring` says in words what the score is.

    While a stage with the same `id` hides the tokens to come, the browser draws no step beyond the stage's. Raises
    ValueError when ids repeat or a parent is missing.
    """

    nodes: Sequence[BeamNode]
    beam: int
    selected: int | None = None
    _: KW_ONLY
    scoring: str = "log-probability ÷ length"
    title: str = "Every hypothesis the beam considered"
    id: str = ""

    def __post_init__(self) -> None:
        ids = {node.id for node in self.nodes}
        if len(ids) != len(self.nodes):
            raise ValueError("two nodes of the beam tree share an id; give every node its own")
        orphan = next(
            (node for node in self.nodes if node.parent is not None and node.parent not in ids), None
        )
        if orphan:
            raise ValueError(f"node {orphan.id} names parent {orphan.parent}, which is not in the tree")
        derive(self, selected=self.selected if self.selected in ids else None)


TREE = View("tree", TreeData, picked=PickedNode)
