"""Reading a known prefix in one pass, with the cache left as steps would leave it.

One path through the target vocabulary: the decoder read token by token, every row kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.decoding.captured import CapturedSteps, capture_on
from core.decoding.rows import LOGITS, Row, is_memory_site, join_rows, split_rows, step_row, to_cpu
from core.errors import InputError
from core.model.attention import attention_scale
from core.model.cache import FixedState
from core.model.hooks import Edit, Hooks, Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.cache import DecodeState
    from core.model.transformer import Transformer


def prefill(
    model: Transformer,
    state: DecodeState,
    inputs: Sequence[Sequence[int]],
    memory: Tensor,
    source: Tensor,
    record: Sequence[Site | str] = (),
    edit: Mapping[Site | str, Edit] | None = None,
) -> tuple[Tensor, Hooks]:
    """Read `inputs` (B rows of one length, start token first) into a fresh `state`; memory (B, S, d_model).

    → the logits (B, T, V) and the hooks with what was recorded, self-attention's keys and values among it.
    """
    layers = range(model.config.decoder_layers)
    keys_values = [Site("decoder", layer, "self", kind) for layer in layers for kind in ("k", "v")]
    hooks = Hooks((*record, *keys_values), edit)
    logits = model.decode(
        torch.tensor([list(row) for row in inputs], device=memory.device), memory, source, hooks
    )
    for layer in layers:
        k, v = (hooks.records[Site("decoder", layer, "self", kind)] for kind in ("k", "v"))
        state.extend(layer, k, v)
    state.advance(len(inputs[0]))
    return logits, hooks


class Path:
    """Tokens written so far, the rows that wrote them, and the cache behind them.

    After n tokens there are n rows, and one more, the pending row, unless the path has ended: it has read the
    last token and scores the next. `back` drops rows and moves the end of the cache, whatever the length.
    """

    def __init__(
        self,
        model: Transformer,
        source: Sequence[int],
        limit: int,
        record: Iterable[Site | str] = (),
        edit: Mapping[Site | str, Edit] | None = None,
        prefix: Sequence[int] = (),
    ) -> None:
        """Encode `source`; read the start token, or all of a given `prefix` in one pass."""
        self.model = model
        self.config = model.config
        self.limit = limit
        self.ids: list[int] = []
        self.rows: list[Row] = []
        self.record = tuple(record)
        self.edit = dict(edit or {})
        # Every attention block of a model scales its scores alike.
        self._scale = attention_scale(model.config)
        self._hooks = Hooks((*self.record, LOGITS, *self._for_scores()), self.edit)
        self.device = next(model.parameters()).device
        with torch.inference_mode():
            self._source = torch.tensor([list(source)], device=self.device)
            self._memory = model.encode(self._source, self._hooks)  # (1, S, d_model)
            self.encoder_records = to_cpu(self._take())
            # An edit may do anything, and something else at every step.
            capture = None if self.edit else capture_on(self.device)
            self.state: DecodeState = model.start(
                self._memory, self._source, self._hooks, None if capture is None else limit
            )
            self._steps: CapturedSteps | None = None
            if capture is not None and isinstance(self.state, FixedState):
                self._steps = CapturedSteps(model, self.state, self._hooks.record, capture)
            # Cross-attention's keys and values belong to the memory and are seen once, here.
            self.memory_records = to_cpu(self._take())
            if prefix:
                self._read_all(list(prefix))
            else:
                self._read(self.config.bos_id)

    # -- moving along -------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether the end token is written or the limit is reached."""
        return len(self.ids) >= self.limit or (bool(self.ids) and self.ids[-1] == self.config.eos_id)

    @property
    def pending(self) -> Row | None:
        """The row whose token is not written yet; None at the end."""
        return None if self.finished else self.rows[-1]

    def write(self, token: int) -> None:
        """Write `token` and, unless that ends the path, read it."""
        if self.finished:
            raise InputError("The sentence is finished; step back or reset to write another token.")
        self.ids.append(token)
        if self.finished:
            return
        try:
            with torch.inference_mode():
                self._read(token)
        except BaseException:
            self.ids.pop()  # an interrupted step leaves the path as it was
            raise

    def back(self) -> None:
        """Undo the last `write`, in constant time."""
        if not self.ids:
            raise InputError("No token is written yet; there is nothing to go back to.")
        self.ids.pop()
        del self.rows[len(self.ids) + 1 :]
        self.state.truncate(len(self.rows))

    def reset(self) -> None:
        """Go back to the start; the source stays encoded."""
        self.ids.clear()
        del self.rows[1:]
        self.state.truncate(1)

    # -- what was seen ------------------------------------------------------------------------------------

    def records(self, rows: int) -> dict[Site, np.ndarray]:
        """Everything recorded, as a full pass over the first `rows` decoder inputs gives it."""
        chosen = self.rows[:rows]
        joined = join_rows(chosen, self.rows[0])
        for site in joined:
            if site.block == "self" and site.kind == "scores":
                self._complete_scores(site, joined)
        wanted = Hooks(self.record)
        decoder = {site: array for site, array in joined.items() if wanted.wants(site)}
        if wanted.wants(LOGITS):
            none = np.zeros((0, self.config.target_vocab_size), dtype=np.float32)
            decoder[LOGITS] = np.stack([row.logits for row in chosen]) if chosen else none
        memory = {site: array for site, array in self.memory_records.items() if wanted.wants(site)}
        return {**self.encoder_records, **memory, **decoder}

    def _complete_scores(self, site: Site, joined: dict[Site, np.ndarray]) -> None:
        """Put q·k of the positions that stepping never compares, the future, above the diagonal, as a full pass does."""
        q, k = joined[site._replace(kind="q")], joined[site._replace(kind="k")]  # (H, T, d_h)
        scores = q @ k.transpose(0, 2, 1) * self._scale
        length = scores.shape[-1]
        with torch.inference_mode():
            bias = self.model.biases("decoder", 0, length, length)[site.layer]
        if bias is not None:
            scores = scores + bias[0].float().cpu().numpy()
        future = np.triu(np.ones((length, length), dtype=bool), k=1)
        joined[site] = np.where(future, scores, joined[site]).astype(np.float32)

    def _for_scores(self) -> list[Site]:
        """The queries and keys that `_complete_scores` needs."""
        asked = Hooks(self.record)
        layers = range(self.config.decoder_layers)
        wanted = [layer for layer in layers if asked.wants(Site("decoder", layer, "self", "scores"))]
        return [Site("decoder", layer, "self", kind) for layer in wanted for kind in ("q", "k")]

    # -- reading ------------------------------------------------------------------------------------------

    def _read(self, token: int) -> None:
        index = len(self.rows)
        if self._steps is not None:
            self._steps.step(token)
            arrays = to_cpu(self._steps.records)
        else:
            self.model.step(torch.tensor([token], device=self.device), self.state, self._hooks)
            arrays = to_cpu(self._take())
        logits = arrays.pop(LOGITS)[0].copy()  # captured steps write over theirs
        self.rows.append(Row(index, token, logits, step_row(arrays, index)))

    def _read_all(self, prefix: list[int]) -> None:
        """Read the start token and `prefix` in one pass, filling the cache as steps would."""
        self.ids = prefix
        inputs = [self.config.bos_id, *prefix]
        if self.finished:
            inputs.pop()
        _, hooks = prefill(
            self.model, self.state, [inputs], self._memory, self._source, self._hooks.record, self.edit
        )
        wanted = {site: tensor for site, tensor in hooks.records.items() if self._hooks.wants(site)}
        decoder = {site: tensor for site, tensor in wanted.items() if not is_memory_site(site)}
        self.rows = split_rows(to_cpu(decoder), inputs)

    def _take(self) -> dict[Site, Tensor]:
        records = self._hooks.records
        self._hooks.clear()
        return records
