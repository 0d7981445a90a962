"""The whole tree of a beam search, pruned hypotheses included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from ui.session.state import reported
from ui.shared.decode import BeamNode
from ui.shared.mount import register

_mount = register("tree")


class TreeData(TypedDict):
    """The tree as the browser gets it."""

    nodes: list[dict[str, Any]]
    beam: int
    selected: int | None
    scoring: str
    title: str
    id: str


def tree_data(
    nodes: Sequence[BeamNode],
    beam_size: int,
    selected: int | None = None,
    scoring: str = "log-probability ÷ length",
    title: str = "Every hypothesis the beam considered",
    identity: str = "",
) -> TreeData:
    """A search in full. The node `selected` is outlined; `scoring` says in words what the score is.

    While a stage with the same `identity` covers what is to come, the browser draws no step beyond the stage's.

    Raises ValueError when ids repeat or a parent is missing.
    """
    ids = {node.id for node in nodes}
    if len(ids) != len(nodes):
        raise ValueError("two nodes of the beam tree share an id; give every node its own")
    orphan = next((node for node in nodes if node.parent is not None and node.parent not in ids), None)
    if orphan:
        raise ValueError(f"node {orphan.id} names parent {orphan.parent}, which is not in the tree")
    return {
        "nodes": [dict(vars(node)) for node in nodes],
        "beam": beam_size,
        "selected": selected if selected in ids else None,
        "scoring": scoring,
        "title": title,
        "id": identity,
    }


def beam_tree(tree: TreeData, *, on_picked: Callable[[int], None], key: str = "beam_tree") -> None:
    """Draw the tree; `on_picked` gets the id of a node that is clicked."""

    def changed() -> None:
        picked = reported(key, "picked")
        if any(picked == node["id"] for node in tree["nodes"]):
            on_picked(picked)

    _mount(key=key, data=tree, on_picked_change=changed)
