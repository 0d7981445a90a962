"""The whole tree of a beam search, pruned hypotheses included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from ui.components.base import event, register

_mount = register("beam_tree")


@dataclass(frozen=True)
class BeamNode:
    """One token of one hypothesis.

    `logprob` is summed from the start, `score` what the beam ranks by (length-normalised, say); `kept` is False
    when the hypothesis was pruned at this step, `best` True along the path of the final answer. The root has
    parent None and step 0.
    """

    id: int
    parent: int | None
    step: int
    label: str
    logprob: float
    score: float
    kept: bool
    finished: bool
    best: bool


def tree_data(
    nodes: Sequence[BeamNode], beam_size: int, selected: int | None, scoring: str, title: str
) -> dict[str, object]:
    """The tree as plain data. Raises ValueError when ids repeat or a parent is missing."""
    ids = {node.id for node in nodes}
    if len(ids) != len(nodes):
        raise ValueError("two nodes of the beam tree share an id; give every node its own")
    orphan = next((node for node in nodes if node.parent is not None and node.parent not in ids), None)
    if orphan:
        raise ValueError(f"node {orphan.id} names parent {orphan.parent}, which is not in the tree")
    return {
        "nodes": [asdict(node) for node in nodes],
        "beam": beam_size,
        "selected": selected if selected in ids else None,
        "scoring": scoring,
        "title": title,
    }


def beam_tree(
    nodes: Sequence[BeamNode],
    *,
    beam_size: int,
    selected: int | None = None,
    scoring: str = "log-probability ÷ length",
    title: str = "Every hypothesis the beam considered",
    on_picked: Callable[[int], None] | None = None,
    key: str = "beam_tree",
) -> int | None:
    """Draw the tree; returns the id of the node clicked in this run (or calls `on_picked` before it).

    `selected` is outlined; `scoring` says in words what the score is.
    """
    ids = {node.id for node in nodes}

    def changed() -> None:
        node = event(key, "picked")
        if on_picked and node in ids:
            on_picked(node)

    data = tree_data(nodes, beam_size, selected, scoring, title)
    picked = _mount(key=key, data=data, on_picked_change=changed).get("picked")
    return picked if picked in ids else None
