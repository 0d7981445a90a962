"""Beam search and padded batches compared with full passes, with the rule, and with each sentence alone.

Every number of the drawn tree is compared: candidates, log-probabilities, totals, scores with their length penalty,
pruning, and the end of the search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import torch
from torch import Tensor

from core.decoding.search import BeamSearch, assign_rows, padded, translate_batch
from core.decoding.strategies import Node, hypotheses, tree_nodes
from core.model.transformer import Transformer
from core.verify.expected import Candidate, ExpectedBeam, Ids, costs_nothing, greedy_gap, log_softmax
from core.verify.runs import SHORTEST, Edits, array_gap, full_logits, in_double, relative_gap, worst

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.attention import DecodeState
    from core.model.hooks import Hooks


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
        listed = [*beam.ended, *beam.live]
        if state.step == state.limit:
            listed.sort(key=lambda node: nodes[node].score, reverse=True)
        same = same and beam.hypotheses() == listed
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
    if end is None:
        return 0.0

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


def _special(search: BeamSearch) -> set[int | None]:
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


_WRITTEN: Final = 6  # tokens by beam search


def batch_gap(model: Transformer, sources: Sequence[Sequence[int]], words: Sequence[int]) -> float:
    """The difference of the translations of `sources` in one batch from those of each alone, in nats.

    Shorter sentences are added, so that rows are padded and leave the batch at different steps.
    """
    first = sources[0]
    several = [
        first,
        [*first[: len(first) // 2], first[-1]],
        *sources[1:],
        [*first[: len(first) // 3], first[-1]],
    ]
    end = model.config.eos_id
    by_token, by_all = (
        cast("Transformer", _EndingEarly(model, change))
        for change in (_ended_by_token(end), _ended_by_all(end))
    )
    gaps = [_cache_gap(model, several[:3], words), _rows_gap()]
    return worst([*gaps, _greedy_gap(by_token, several), _beam_gap(by_all, several[:2])])


def _cache_gap(model: Transformer, sources: Sequence[Sequence[int]], words: Sequence[int]) -> float:
    """Steps of a batch whose rows are exchanged, repeated and removed as in a search, each compared with a full pass alone.

    Two rows of each of three sentences write different words; the choices of a strategy play no part.
    """
    turns = ("", "", "reorder", "", "select", "")[: model.config.max_length]
    device = next(model.parameters()).device
    source = padded(sources, model.config.source_padding, device)
    rows = torch.arange(len(sources)).repeat_interleave(2)
    state = model.start(model.encode(source), source).select(rows)
    owners = rows.tolist()
    read: list[list[int]] = [[model.config.bos_id] for _ in owners]
    gaps = []
    for turn in turns if words else ():
        if turn == "reorder":  # rows that continue the other row of their sentence
            parents = [0, 0, 2, 2, 5, 5][: len(owners)]
            state.reorder(parents)
            read = [list(read[parent]) for parent in parents]
        elif turn == "select":  # a sentence leaves, and a row is repeated
            chosen = [1, 0, 4, 4] if len(sources) > 2 else [2, 2]
            state = state.select(torch.tensor(chosen))
            read, owners = [list(read[row]) for row in chosen], [owners[row] for row in chosen]
        logits = model.step(torch.tensor([each[-1] for each in read], device=device), state)
        for owner in set(owners):
            own = [row for row, each in enumerate(owners) if each == owner]
            alone = model(
                torch.tensor([list(sources[owner])] * len(own), device=device),
                torch.tensor([read[row] for row in own], device=device),
            )[:, -1]
            gaps.append(relative_gap(logits[own].cpu().double(), alone.cpu().double()))
        for row, each in enumerate(read):
            each.append(words[(row + len(each)) % len(words)])
    return worst(gaps)


def _rows_gap() -> float:
    """Infinite if new hypotheses get rows that are taken, or that do not continue their parents' rows."""
    for held, parents in (([0, 1, 2], [1, 0, 1]), ([2, 0, 1], [2, 2, 2]), ([1, 2], [1, 1, 0]), ([0], [0, 0])):
        taken, goes_on_from = assign_rows(held, parents, 3)
        right = [goes_on_from[row] for row in taken] == [held[parent] for parent in parents]
        stays = all(goes_on_from[origin] == origin for origin in goes_on_from)
        if not right or not stays or len(set(taken)) != len(parents):
            return math.inf
    return 0.0


class _EndingEarly:
    """A model whose predictions are changed so that sentences end at different steps; all else is unchanged."""

    def __init__(self, model: Transformer, change: Callable[[Tensor, Tensor], Tensor]) -> None:
        self.model, self.change = model, change

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def __call__(self, source: Tensor, target: Tensor) -> Tensor:
        """Changed logits of a full pass, as `Transformer.forward`."""
        return self.change(self.model(source, target), target)

    def step(self, tokens: Tensor, state: DecodeState, hooks: Hooks | None = None) -> Tensor:
        """Changed logits of a step, as `Transformer.step`."""
        return self.change(self.model.step(tokens, state, hooks), tokens)


def _ended_by_token(end: int | None) -> Callable[[Tensor, Tensor], Tensor]:
    """⟨end⟩ is first after every token whose id is divisible by 5, whatever the rounding."""

    def change(logits: Tensor, read: Tensor) -> Tensor:
        if end is None:
            return logits
        raised = logits.clone()
        raised[..., end] = torch.where(read % 5 == 0, raised.amax(dim=-1) + 1.0, raised[..., end])
        return raised

    return change


def _ended_by_all(end: int | None) -> Callable[[Tensor, Tensor], Tensor]:
    """⟨end⟩ nearly as probable as the best other token, everywhere."""

    def change(logits: Tensor, read: Tensor) -> Tensor:
        return logits if end is None else end_raised(logits, end, -0.2)

    return change


def _greedy_gap(model: Transformer, sources: Sequence[Sequence[int]]) -> float:
    """The largest loss of probability, in nats, of greedy search in a padded batch against the best token."""
    config, gaps = model.config, [0.0]
    for source, ids in zip(sources, translate_batch(model, sources), strict=True):
        limit = min(config.max_length, 2 * len(source) + 20)
        if len(ids) > limit or config.eos_id in ids[:-1] or (ids[-1] != config.eos_id and len(ids) < limit):
            return math.inf
        gaps.append(greedy_gap(config, full_logits(model, source, ids[:-1]), ids))
    return worst(gaps)


def _beam_gap(model: Transformer, sources: Sequence[Sequence[int]]) -> float:
    """The difference of the score of a batch's best hypothesis from that of a search for its sentence alone.

    Two hypotheses whose scores differ by less than rounding may be exchanged; then both are compared in double
    precision.
    """
    gap = _batch_score_gap(model, sources)
    if gap == 0.0 or next(model.parameters()).dtype == torch.float64:
        return gap
    return _batch_score_gap(_in_double(model), sources)


def _batch_score_gap(model: Transformer, sources: Sequence[Sequence[int]]) -> float:
    limit = min(model.config.max_length, _WRITTEN)
    together = translate_batch(model, sources, SIZE, limit, PENALTY)
    gaps = [0.0]
    for source, ids in zip(sources, together, strict=True):
        search = BeamSearch(model, source, limit, SIZE, PENALTY)
        for _ in search:
            pass
        if ids != search.ids:
            one, other = (_score(model, source, each) for each in (ids, search.ids))
            gaps.append(max(abs(one - other), np.finfo(float).tiny))
    return worst(gaps)


def _in_double(model: Transformer) -> Transformer:
    if isinstance(model, _EndingEarly):
        return cast("Transformer", _EndingEarly(in_double(model.model), model.change))
    return in_double(model)


def _score(model: Transformer, source: Sequence[int], ids: Sequence[int]) -> float:
    rows = log_softmax(full_logits(model, source, ids[:-1]))
    free = costs_nothing(model.config, 0)
    costs = [row[token] for row, token in zip(rows, ids, strict=True)][1 if free else 0 :]
    return float(sum(costs) / len(ids) ** PENALTY)
