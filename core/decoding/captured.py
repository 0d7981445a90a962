"""Decoding steps that a GPU replays as one captured graph: one launch and one transfer per token.

All that a step reads and writes keeps its address: tokens, cache (`FixedState`), logits, records. Where capturing
fails, the same code runs uncaptured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import torch

from core.errors import InputError
from core.model.hooks import Hooks, Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.attention import FixedState
    from core.model.transformer import Transformer

Run = Callable[[], None]
Capture = Callable[[Run, Run], Run]  # (one step, undo that step) → the same step, replayed
_WARM_UPS = 3  # runs before a capture, which select kernels and allocate memory


def capture_on(device: torch.device) -> Capture | None:
    """The function that captures steps on `device`; None where they are not captured."""
    return _cuda_graph if device.type == "cuda" else None


def _cuda_graph(run: Run, back: Run) -> Run:
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(_WARM_UPS):
            run()
            back()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


class CapturedSteps:
    """The steps of one decode. After each, `records` and `logits` hold its tensors, until the next step overwrites them.

    `maps` keeps the recorded attention weights of all steps, (B, H, capacity, keys) per site: row t are the weights of
    position t, and rows that were not computed are 0.
    """

    def __init__(
        self, model: Transformer, state: FixedState, record: Iterable[Site | str], capture: Capture
    ) -> None:
        self.model, self.state, self.record = model, state, tuple(record)
        self.records: dict[Site, Tensor] = {}
        self.logits: Tensor | None = None
        self._tokens = torch.zeros(state.rows, dtype=torch.long, device=state.device)
        self.maps = {site: self._allocate(site) for site in self._maps_recorded()}
        self._capture, self._replay = capture, self._capture_first

    def _maps_recorded(self) -> list[Site]:
        asked, layers = Hooks(self.record), range(self.model.config.decoder_layers)
        sites = [Site("decoder", layer, block, "weights") for layer in layers for block in ("self", "cross")]
        return [site for site in sites if asked.wants(site)]

    def _allocate(self, site: Site) -> Tensor:
        keys = self.state.capacity if site.block == "self" else self.state.cross[0][0].shape[2]
        shape = (self.state.rows, self.model.config.heads, self.state.capacity, keys)
        return torch.zeros(shape, device=self.state.device)

    def step(self, tokens: Tensor | int) -> None:
        """Read one token per row, (B,) int64 on the device or one id for all. Raises `InputError` beyond the capacity."""
        if self.state.length >= self.state.capacity:
            raise InputError(f"This decode has room for {self.state.capacity} tokens, and they are all read.")
        if isinstance(tokens, int):
            self._tokens.fill_(tokens)  # part of the launch: no copy, no waiting
        else:
            self._tokens.copy_(tokens, non_blocking=True)
        try:
            self._replay()
        except BaseException:
            self.state.prepare()  # an interrupted step leaves the cache as it was
            raise
        self.state.counted()

    def _capture_first(self) -> None:
        """The first step: captured, then replayed like all others; where capturing fails, all steps run uncaptured."""
        self.state.prepare()
        try:
            self._replay = self._capture(self._run, self.state.prepare)
        except RuntimeError:
            self._replay = self._run
        self.state.prepare()
        self._replay()

    def _run(self) -> None:
        """One step, on the device alone: no value is transferred, and no shape depends on one."""
        hooks, position = Hooks(self.record), self.state.position.clone()
        self.logits = self.model.step(self._tokens, self.state, hooks)
        self.state.counted(-1)
        for site, weights in self.maps.items():
            weights.index_copy_(2, position, hooks.records[site].to(weights.dtype))
        self.records = hooks.records
