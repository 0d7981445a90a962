"""Beam search of one sentence, one step at a time, with its whole tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.decoding.batch import continuations
from core.decoding.hypotheses import Beam, Continuation, Node
from core.decoding.inputs import forced_token, never_written
from core.decoding.path import prefill
from core.errors import InputError
from core.model.hooks import Edit, Hooks, Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.attention import DecodeState
    from core.model.transformer import Transformer


class BeamSearch:
    """An iterator over the steps of a beam search: each `next` returns the nodes that the step considered.

    `nodes` holds the whole tree, pruned nodes included. The candidates of every step and the logits are kept,
    so that `back` needs no model; the next step then reads the live prefixes again in one pass.
    """

    def __init__(
        self,
        model: Transformer,
        source: Sequence[int],
        limit: int,
        beam_size: int = 5,
        length_penalty: float = 1.0,
        edit: Mapping[Site | str, Edit] | None = None,
    ) -> None:
        self.model, self.config = model, model.config
        self.edit = dict(edit or {})
        self._start = (beam_size, self.config.bos_id, self.config.eos_id, limit, length_penalty)
        self.beam = Beam(*self._start)
        # The candidates of each step, and whether they were forced.
        self._taken: list[tuple[list[Continuation], bool]] = []
        with torch.inference_mode():
            self._source = torch.tensor([list(source)], device=next(model.parameters()).device)
            self._memory = model.encode(self._source, self._hooks())
            self._state: DecodeState | None = self._fresh(1)
            tokens = torch.tensor(self.beam.inputs(), device=self._source.device)
            # For each step the logits (live, V) that it chooses from.
            self._logits: list[Tensor] = [model.step(tokens, self._state, self._hooks())]

    # -- steps --------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[list[Node]]:
        return self

    def __next__(self) -> list[Node]:
        if self.beam.done:
            raise StopIteration
        return self.step()

    @property
    def finished(self) -> bool:
        """Whether the search is over."""
        return self.beam.done

    def step(self) -> list[Node]:
        """Write one token in every live hypothesis → the nodes considered, best first."""
        if self.finished:
            raise InputError("The search is finished; step back or reset to go on.")
        with torch.inference_mode():
            logits, forced = self._logits[-1], forced_token(self.config, self.beam.step)
            banned, count = never_written(self.config), 2 * self.beam.size
            totals = np.array([self.beam.totals()])
            considered = continuations(logits, np.arange(totals.size)[None], totals, count, banned, forced)[0]
        return self._take(considered, forced=False)

    def force(self, token: int) -> list[Node]:
        """Write `token` in the best live hypothesis; all other hypotheses are dropped, finished ones too."""
        if self.finished:
            raise InputError("The search is finished; step back or reset to write another token.")
        if token == forced_token(self.config, self.beam.step):
            return self.step()  # the search writes it by itself, at the same cost
        with torch.inference_mode():
            value = float(torch.log_softmax(self._logits[-1][0].float(), dim=-1)[token])
        return self._take([(self.beam.totals()[0] + value, 0, token)], forced=True)

    def back(self) -> None:
        """Undo the last step."""
        if not self._taken:
            raise InputError("No token is written yet; there is nothing to go back to.")
        self._taken.pop()
        del self._logits[len(self._taken) + 1 :]
        self._replay()

    def reset(self) -> None:
        """Undo all steps; the source stays encoded."""
        self._taken.clear()
        del self._logits[1:]
        self._replay()

    def _take(self, considered: list[Continuation], forced: bool) -> list[Node]:
        first = len(self.beam.nodes)
        parents = self.beam.advance(considered, forced)
        self._taken.append((considered, forced))
        if not self.finished:
            try:
                with torch.inference_mode():
                    self._logits.append(self._read(parents))
            except BaseException:
                self._taken.pop()  # an interrupted step leaves the search as it was
                self._replay()
                raise
        return self.beam.nodes[first:]

    def _replay(self) -> None:
        self.beam = Beam(*self._start)
        for considered, forced in self._taken:
            self.beam.advance(considered, forced)
        self._state = None

    def _read(self, parents: list[int]) -> Tensor:
        if self._state is None:
            self._state = self._fresh(len(self.beam.live))
            inputs = [[self.config.bos_id, *self.beam.ids(node)] for node in self.beam.live]
            rows = len(inputs)
            memory, source = self._memory.expand(rows, -1, -1), self._source.expand(rows, -1)
            return prefill(self.model, self._state, inputs, memory, source, edit=self.edit)[0][:, -1]
        self._state = self._state.select(torch.tensor(parents))
        tokens = torch.tensor(self.beam.inputs(), device=self._source.device)
        return self.model.step(tokens, self._state, self._hooks())

    def _fresh(self, rows: int) -> DecodeState:
        state = self.model.start(self._memory, self._source, self._hooks())
        return state if rows == 1 else state.select(torch.zeros(rows, dtype=torch.long))

    def _hooks(self) -> Hooks | None:
        return Hooks(edit=self.edit) if self.edit else None

    # -- results ------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[Node]:
        """Every node considered so far, indexed by its id."""
        return self.beam.nodes

    @property
    def ids(self) -> list[int]:
        """The tokens of the best hypothesis: the best finished one, or the best live one while none is finished."""
        return self.beam.ids(self.beam.best)

    def next_logits(self) -> np.ndarray | None:
        """Logits (V,) for the next token of the best live hypothesis; None at the end."""
        return None if self.finished else self._logits[-1][0].float().cpu().numpy()
