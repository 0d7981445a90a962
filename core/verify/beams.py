"""Beam search compared with full passes and the rule: candidates, scores, pruning, and the end of the search.

Every number of the drawn tree is compared: log-probabilities, totals, scores with their length penalty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from torch import Tensor

from core.decoding.beam import BeamSearch
from core.decoding.hypotheses import Node, hypotheses, tree_nodes
from core.model.transformer import Transformer
from core.verify.expected_choices import Candidate, ExpectedBeam, Ids, log_softmax
from core.verify.gaps import array_gap, worst
from core.verify.runs import SHORTEST, Edits

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

SIZE: Final = 4
PENALTY: Final = 0.6  # neither 0 nor 1, so that a wrong exponent shows
_LONGEST: Final = SHORTEST
_ENDING: Final = 5  # steps where endings are tried
_END_ABOVE_BEST: Final = (-0.2, 0.3)  # nats, where endings are tried

Tables = Callable[[Sequence[Ids]], np.ndarray]


class _Followed:
    """A beam search and its expected state, advanced together; `gaps` collects their differences."""

    def __init__(self, search: BeamSearch, tables: Tables, limit: int) -> None:
        self.search, self.tables = search, tables
        self.states = [ExpectedBeam(search.config, SIZE, limit, PENALTY)]
        self.gaps: list[float] = []

    @property
    def state(self) -> ExpectedBeam:
        return self.states[-1]

    def step(self) -> None:
        """One step of both."""
        state, table = self.state, self._table()
        first = len(self.search.nodes)
        nodes = self.search.step()
        totals = np.array([node.total for node in nodes])
        self.gaps.append(array_gap(totals, state.totals(table)))
        self._advance(table, nodes, first, forced=False)

    def force(self, rank: int) -> None:
        """Write the token that is `rank`-th most probable after the best live hypothesis, in both."""
        table = self._table()
        plain = [int(token) for token in np.argsort(-table[0]) if token not in _special(self.search)]
        if plain:
            first = len(self.search.nodes)
            self._advance(table, self.search.force(plain[min(rank, len(plain) - 1)]), first, forced=True)

    def back(self, steps: int) -> None:
        """Undo `steps` in both."""
        for _ in range(min(steps, len(self.states) - 1)):
            self.search.back()
            self.states.pop()
        self._compare()

    def run(self) -> None:
        """Step to the end."""
        while not self.search.finished:
            self.step()

    def _table(self) -> np.ndarray:
        return self.tables([each.ids for each in self.state.live])

    def _advance(self, table: np.ndarray, nodes: Sequence[Node], first: int, forced: bool) -> None:
        state = self.state
        live = [each.ids for each in state.live]
        written = [(live.index(self._path(node)[:-1]), node.token) for node in nodes]
        self.states.append(state.advanced(table, written, forced))
        for node, expected in zip(nodes, self.state.considered[len(state.considered) :], strict=True):
            self.gaps.append(_node_gap(node, expected))
        if [node.id for node in nodes] != list(range(first, len(self.search.nodes))):
            self.gaps.append(math.inf)
        self._compare()

    def _path(self, node: Node) -> Ids:
        written: list[int] = []
        while node.parent is not None:
            written.insert(0, node.token)
            node = self.search.nodes[node.parent]
        return tuple(written)

    def _compare(self) -> None:
        """Compare live and ended hypotheses in their order, whether the search is over, and the best hypothesis."""
        beam, state = self.search.beam, self.state
        nodes = beam.nodes
        live = [self._path(nodes[node]) for node in beam.live]
        ended = [self._path(nodes[node]) for node in beam.ended]
        same = live == [each.ids for each in state.live] and set(ended) == {each.ids for each in state.ended}
        same = same and len(nodes) == 1 + len(state.considered) and beam.step == state.step
        same = same and [beam.ids(node) for node in beam.hypotheses()] == [
            list(ids) for ids in (*ended, *live)
        ]
        if not same:
            self.gaps.append(math.inf)
            return
        if self.search.finished != state.done:
            self.gaps.append(abs(state.margin))
        scores = {each.ids: each.score for each in state.ended}
        # In the order of their scores; two that differ only by rounding may be in either order.
        self.gaps.append(array_gap(np.array([scores[ids] for ids in ended]), np.array(list(scores.values()))))
        if state.ended or state.live:
            best = {each.ids: each.score for each in (*state.ended, *state.live)}.get(tuple(self.search.ids))
            self.gaps.append(math.inf if best is None else abs(best - state.best.score))


def beam_gap(checkpoint: Bundle, source: Sequence[int]) -> float:
    """A search to its end; back by more than two steps and on, against a fresh one; then forced; then with endings."""
    model = checkpoint.model
    limit = min(model.config.max_length, _LONGEST)
    followed = _Followed(BeamSearch(model, source, limit, SIZE, PENALTY), _tables(model, source), limit)
    followed.run()
    fresh = [followed.state.best.total, followed.state.best.score]
    followed.gaps.append(_tree_gap(checkpoint, followed))
    # Far enough that later steps read the cache filled by the first step after going back.
    followed.back(4)
    followed.run()
    again = [followed.state.best.total, followed.state.best.score]
    followed.gaps.append(array_gap(np.array(again), np.array(fresh)))
    followed.gaps += [
        _endings_gap(checkpoint, source, min(limit, _ENDING), above) for above in _END_ABOVE_BEST
    ]
    return worst(followed.gaps)


def end_raised(logits: Tensor, end: int, above: float) -> Tensor:
    """Logits (…, V) with that of token `end` set to `above` the largest of the others."""
    raised = logits.clone()
    raised[..., end] = -math.inf
    raised[..., end] = raised.amax(dim=-1) + above
    return raised


def _endings_gap(checkpoint: Bundle, source: Sequence[int], limit: int, above: float) -> float:
    """The same for a search in which ⟨end⟩ is likely at every step, so that hypotheses end, and one is forced after that.

    `above`: by how many nats it is more probable than the best other token.
    """
    model, end = checkpoint.model, checkpoint.config.eos_id

    edit: Edits = {"decoder.final.logits": lambda logits: end_raised(logits, end, above)}
    search = BeamSearch(model, source, limit, SIZE, PENALTY, edit)
    followed = _Followed(search, _tables(model, source, edit), limit)
    followed.run()
    followed.back(1)
    if not search.finished:
        followed.force(1)
    for _ in range(2):
        if not search.finished:
            followed.step()
    followed.back(1)
    followed.gaps.append(_tree_gap(checkpoint, followed))
    return worst(followed.gaps)


def _special(search: BeamSearch) -> set[int]:
    return {search.config.pad_id, search.config.bos_id, search.config.eos_id}


def _tables(model: Transformer, source: Sequence[int], edit: Edits | None = None) -> Tables:
    """The log-probabilities after prefixes of one length, by full passes: prefixes → (prefixes, V) float64."""

    def table(prefixes: Sequence[Ids]) -> np.ndarray:
        device = next(model.parameters()).device
        inputs = torch.tensor([[model.config.bos_id, *prefix] for prefix in prefixes], device=device)
        logits = model(torch.tensor([list(source)], device=device).expand(len(prefixes), -1), inputs)[:, -1]
        for change in (edit or {}).values():
            logits = change(logits)
        return log_softmax(logits.cpu().double().numpy())

    return table


def _node_gap(node: Node, expected: Candidate) -> float:
    if (node.step, node.kept, node.finished) != (len(expected.ids), expected.kept, expected.finished):
        return math.inf
    return array_gap(
        np.array([node.log_probability, node.total, node.score]),
        np.array([expected.log_probability, expected.total, expected.score]),
    )


def _tree_gap(checkpoint: Bundle, followed: _Followed) -> float:
    """The tree and the hypotheses as drawn, against the expected ones."""
    beam, state, spelled = followed.search.beam, followed.state, checkpoint.target_tokenizer
    gaps = []
    best = tuple(followed.search.ids)
    expected = {each.ids: each for each in (*state.considered, *state.live)}
    for drawn, node in zip(tree_nodes(beam, spelled), beam.nodes, strict=True):
        ids = followed._path(node)
        if not ids:
            continue
        same = (drawn.id, drawn.parent, drawn.token_id) == (node.id, node.parent, ids[-1])
        same = same and drawn.label == spelled.label(ids[-1]) and drawn.best == (ids == best[: len(ids)])
        gaps.append(
            _node_gap(node._replace(**{name: getattr(drawn, name) for name in _SHARED}), expected[ids])
        )
        gaps.append(0.0 if same else math.inf)
    listed = hypotheses(beam, spelled)
    if {each.ids for each in listed} != {each.ids for each in (*state.ended, *state.live)}:
        return math.inf
    for each in listed:
        own = expected[each.ids]
        words = (list(each.tokens), each.text) == (spelled.labels(own.ids), spelled.decode(list(own.ids)))
        gaps.append(0.0 if words and each.finished == own.finished else math.inf)
        gaps.append(array_gap(np.array([each.total, each.score]), np.array([own.total, own.score])))
    return worst(gaps)


_SHARED: Final = ("step", "log_probability", "total", "score", "kept", "finished")
