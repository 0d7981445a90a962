"""`Path`: the decoder reading token by token, with the row of every step kept; and `prefill`, which reads a known prefix.

Row t belongs to the decoder's input at position t (⟨start⟩ is position 0): it was recorded while the model wrote
token t. Rows are joined into the maps of a whole pass, and a whole pass is cut into rows.

On a GPU, a step is captured once as a graph and replayed (`CapturedSteps`): one launch and one transfer per token. All
that it reads and writes keeps its address: tokens, cache (`FixedState`), logits, records. Where capturing fails, the
same code runs uncaptured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.errors import InputError
from core.model.attention import FixedState, attention_scale
from core.model.hooks import LOGITS, MAP_KINDS, Edit, Hooks, Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.attention import DecodeState
    from core.model.transformer import Transformer


_HEAD_KINDS = ("q", "k", "v", "head_output", "value_norm", *MAP_KINDS)


@dataclass(frozen=True)
class Row:
    """One decoding step: the token read at `index`, the logits (V,) for the token written there, and the records.

    `records` are numpy arrays without batch and query axes: attention maps (H, keys so far), heads (H, d_h),
    streams (d_model,), norm statistics ().
    """

    index: int
    input_id: int
    logits: np.ndarray
    records: Mapping[Site, np.ndarray]

    def stacked(self, block: str, kind: str) -> np.ndarray:
        """One kind for all decoder layers, (L, …): `stacked("cross", "weights")` is (L, H, S)."""
        arrays = [
            array for site, array in sorted(self.records.items()) if (site.block, site.kind) == (block, kind)
        ]
        if not arrays:
            raise KeyError(f"decoder.*.{block}.{kind} was not recorded")
        return np.stack(arrays)


def to_arrays(records: Mapping[Site, Tensor]) -> dict[Site, np.ndarray]:
    """Every record as float32 numpy with its batch axis: without a copy on the CPU, in one transfer from elsewhere.

    Sites that recorded the same tensor share one array.
    """
    distinct = {_identity(tensor): tensor for tensor in records.values()}
    tensors = list(distinct.values())
    if all(tensor.device.type == "cpu" for tensor in tensors):
        arrays = [tensor.detach().float().numpy() for tensor in tensors]
    else:
        flat = torch.cat([tensor.reshape(-1).float() for tensor in tensors]).cpu()
        pieces = flat.split([tensor.numel() for tensor in tensors])
        arrays = [piece.view(tensor.shape).numpy() for piece, tensor in zip(pieces, tensors, strict=True)]
    by_identity = dict(zip(distinct, arrays, strict=True))
    return {site: by_identity[_identity(tensor)] for site, tensor in records.items()}


def to_cpu(records: Mapping[Site, Tensor]) -> dict[Site, np.ndarray]:
    """Batch row 0 of every record as float32 numpy."""
    return {site: array[0] for site, array in to_arrays(records).items()}


def _identity(tensor: Tensor) -> tuple[object, ...]:
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype


def query_axis(site: Site) -> int:
    """The axis of a record (without batch) that counts target positions."""
    return 1 if site.block in ("self", "cross") and site.kind in _HEAD_KINDS else 0


def is_memory_site(site: Site) -> bool:
    """Whether a decoder site is computed once from the encoder's memory, and not per target position."""
    return site.block == "cross" and site.kind in ("k", "v", "value_norm")


def speaks_of_source(site: Site) -> bool:
    """Whether a record's positions are the source's, not the target's."""
    return site.stack == "encoder" or is_memory_site(site)


def step_row(arrays: Mapping[Site, np.ndarray], index: int) -> dict[Site, np.ndarray]:
    """The last query of the step at `index`, without its axis; self-attention maps are cut to the keys so far.

    A step has one query, or all of them where the decoder has no causal mask.
    """
    return {site: _as_row(site, array, -1, index) for site, array in arrays.items()}


def _as_row(site: Site, array: np.ndarray, query: int, index: int) -> np.ndarray:
    row: np.ndarray = array.take(query, axis=query_axis(site))
    return row[:, : index + 1] if _is_self_map(site) else row


def split_rows(records: Mapping[Site, np.ndarray], inputs: Sequence[int]) -> list[Row]:
    """A full pass over decoder `inputs`, with its logits recorded, cut into the rows that stepping gives."""
    logits = records[LOGITS]
    rows: list[Row] = []
    for t, token in enumerate(inputs):
        cut = {site: _as_row(site, array, t, t) for site, array in records.items() if site != LOGITS}
        rows.append(Row(t, token, logits[t], cut))
    return rows


def join_rows(rows: Sequence[Row], like: Row) -> dict[Site, np.ndarray]:
    """Rows stacked into the records of a full pass; `like` gives sites and sizes where there is no row.

    Self-attention rows are filled up to T keys: weights with 0, masked scores with −inf, scores with 0.
    """
    joined: dict[Site, np.ndarray] = {}
    for site, example in like.records.items():
        if _is_self_map(site):
            fill = -np.inf if site.kind == "masked_scores" else 0.0
            square = np.full((example.shape[0], len(rows), len(rows)), fill, dtype=np.float32)
            for t, row in enumerate(rows):
                square[:, t, : t + 1] = row.records[site]
            joined[site] = square
        else:
            axis = query_axis(site)
            shape = (*example.shape[:axis], 0, *example.shape[axis:])
            parts = [row.records[site] for row in rows]
            joined[site] = np.stack(parts, axis=axis) if parts else np.zeros(shape, dtype=np.float32)
    return joined


def _is_self_map(site: Site) -> bool:
    return site.block == "self" and site.kind in MAP_KINDS


def prefill(
    model: Transformer,
    state: DecodeState,
    inputs: Sequence[Sequence[int]],
    memory: Tensor,
    source: Tensor,
    record: Sequence[Site | str] = (),
    edit: Mapping[Site | str, Edit] | None = None,
) -> tuple[Tensor, Hooks]:
    """Read `inputs` (B rows of one length, start token first) into an empty `state`; memory (B, S, d_model).

    → the logits (B, T, V) and the hooks with the records, self-attention's keys and values among them.
    """
    layers = range(model.config.decoder_layers)
    keys_values = [Site("decoder", layer, "self", kind) for layer in layers for kind in ("k", "v")]
    hooks = Hooks((*record, *keys_values), edit)
    tokens = torch.tensor([list(row) for row in inputs], device=memory.device)
    logits = model.decode(tokens, memory, source, hooks)
    if not model.config.causal:
        state.read_again(tokens)
    for layer in layers if model.config.causal else ():
        k, v = (hooks.records[Site("decoder", layer, "self", kind)] for kind in ("k", "v"))
        state.extend(layer, k, v)
    state.advance(len(inputs[0]))
    return logits, hooks


class Path:
    """Tokens written so far, the rows recorded while writing them, and the cache.

    After n tokens there are n rows and, unless the path has ended, a pending row, which has read the last token and
    scores the next. `back` drops rows and shortens the cache, in constant time.
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
        self._scale = attention_scale(model.config.of("decoder"))
        self._hooks = Hooks((*self.record, LOGITS, *self._for_scores()), self.edit)
        self.device = next(model.parameters()).device
        with torch.inference_mode():
            self._source = torch.tensor([list(source)], device=self.device)
            self._memory = model.encode(self._source, self._hooks)  # (1, S, d_model)
            self.encoder_records = to_cpu(self._take())
            # An edit may do something else at every step, so it cannot be captured.
            capture = None if self.edit else capture_on(self.device)
            self.state: DecodeState = model.start(
                self._memory, self._source, self._hooks, None if capture is None else limit
            )
            self._steps: CapturedSteps | None = None
            if capture is not None and isinstance(self.state, FixedState):
                self._steps = CapturedSteps(model, self.state, self._hooks.record, capture)
            # Cross-attention's keys and values belong to the memory and are computed once, here.
            self.memory_records = to_cpu(self._take())
            if prefix and self.config.causal:
                self._read_all(list(prefix))
            else:
                self._read(self.config.bos_id)
        for token in prefix if not self.config.causal else ():
            self.write(token)  # without the mask, each step saw less than a pass over the whole prefix

    # -- steps --------------------------------------------------------------------------------------------

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
        """Undo all steps; the source stays encoded."""
        self.ids.clear()
        del self.rows[1:]
        self.state.truncate(1)

    # -- records ------------------------------------------------------------------------------------------

    def records(self, rows: int) -> dict[Site, np.ndarray]:
        """All records, equal to those of a full pass over the first `rows` decoder inputs."""
        chosen = self.rows[:rows]
        if chosen and not self.config.causal:
            return self._records_again([row.input_id for row in chosen])
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

    def _records_again(self, inputs: Sequence[int]) -> dict[Site, np.ndarray]:
        """The records of a pass over `inputs`. Without a causal mask every row changes with each token that is read."""
        hooks = Hooks(self.record, self.edit)
        with torch.inference_mode():
            target = torch.tensor([list(inputs)], device=self.device)
            self.model.decode(target, self._memory, self._source, hooks)
        return {**self.encoder_records, **to_cpu(hooks.records)}

    def _complete_scores(self, site: Site, joined: dict[Site, np.ndarray]) -> None:
        """Add the scores of future keys above the diagonal, which stepping does not compute and a full pass does."""
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
        logits = arrays.pop(LOGITS)[0].copy()  # captured steps overwrite theirs
        self.rows.append(Row(index, token, logits, step_row(arrays, index)))

    def _read_all(self, prefix: list[int]) -> None:
        """Read the start token and `prefix` in one pass, with the same cache as after steps."""
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
        shape = (self.state.rows, self.model.config.of("decoder").heads, self.state.capacity, keys)
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
