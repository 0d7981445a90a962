"""The functions of `import core`: load a checkpoint, translate with it, trace what it computes.

`trace` records everything for one sentence pair in one forward pass; `trace_many` gives the traces of a corpus, in batches
of similar lengths, in constant memory.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, overload

import numpy as np
import torch

from core.checkpoints.bundle import Bundle, load_bundle, save
from core.decoding import inputs
from core.decoding.path import query_axis, speaks_of_source, to_arrays, to_cpu
from core.decoding.search import padded, translate_batch
from core.errors import InputError
from core.model.hooks import KINDS, LOGITS, MAP_KINDS, Edit, Hooks, Site
from core.model.trace import Tokens, Trace

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.config import ModelConfig
    from core.model.transformer import Transformer

__all__ = ["Checkpoint", "load", "save", "trace", "trace_ids", "trace_many", "trace_many_ids"]


class Checkpoint(Bundle):
    """A model ready to use, with its tokenizers and card. Safe to share between threads: nothing here changes after loading."""

    def encode_source(self, text: str) -> list[int]:
        """Source ids of a text, with the end token. Raises InputError if it is empty or too long for the model."""
        return inputs.source_ids(self, text)

    @overload
    def translate(self, text: str, strategy: str | None = None, beam_size: int | None = None) -> str: ...
    @overload
    def translate(
        self, text: list[str], strategy: str | None = None, beam_size: int | None = None
    ) -> list[str]: ...

    def translate(
        self, text: str | list[str], strategy: str | None = None, beam_size: int | None = None
    ) -> str | list[str]:
        """The translation of a text, or of each of several.

        `strategy`: "greedy" (None, unless `beam_size` is given) or "beam", of `beam_size` hypotheses (None: 5). Raises
        InputError for an empty or over-long text (of several, it says which) or an unknown strategy.
        """
        if strategy not in (None, "greedy", "beam"):
            raise InputError(f"strategy is {strategy!r}; choose 'greedy' or 'beam'.")
        if strategy == "greedy" and beam_size is not None:
            raise InputError("Greedy search has no beam_size; leave it out, or choose strategy 'beam'.")
        if beam_size is None:
            beam_size = 5 if strategy == "beam" else 1
        if type(beam_size) is not int or beam_size < 1:
            raise InputError(f"beam_size is {beam_size!r}; give a whole number from 1 on.")
        if not isinstance(text, str | list | tuple):
            raise InputError(f"give a text or a list of texts, not a {type(text).__name__}.")
        texts = [text] if isinstance(text, str) else list(text)
        sources = [self._encode_numbered(index, each, len(texts)) for index, each in enumerate(texts)]
        written = translate_batch(self.model, sources, beam_size=beam_size)
        translations = [self.target_tokenizer.decode(ids) for ids in written]
        return translations[0] if isinstance(text, str) else translations

    def _encode_numbered(self, index: int, text: str, total: int) -> list[int]:
        try:
            return self.encode_source(text)
        except InputError as error:
            raise InputError(f"text {index + 1} of {total}: {error}" if total > 1 else str(error)) from None


def load(path: str | Path, device: str | torch.device | None = None, compare: bool = True) -> Checkpoint:
    """The checkpoint in folder `path`, on `device` (None: the first available of cuda, mps and cpu), in float32.

    `path` may be the name of a shipped model, such as "en-fr". Also opens a folder of Hugging Face's, or a repository in
    the hub's cache, as it is: converted in memory, written nowhere, nothing downloaded, and with `compare` compared with
    the model of its own library if that is installed. Everything is checked before it is used. Raises CheckpointError with one sentence for
    whatever is wrong with the folder, InputError for a device that is not there.
    """
    bundle = load_bundle(path, device, compare)
    return Checkpoint(**{each.name: getattr(bundle, each.name) for each in dataclasses.fields(Bundle)})


# -- traces ----------------------------------------------------------------------------------------------------


def trace(
    checkpoint: Bundle,
    source: str,
    target: str | None = None,
    record: Iterable[Site | str] = inputs.DEFAULT_RECORD,
    max_steps: int | None = None,
    edit: Mapping[Site | str, Edit] | None = None,
) -> Trace:
    """Run `source` with `target`, or with the model's own greedy output (of at most `max_steps` tokens).

    `record` and `edit` are those of `core.Hooks`. Row t of the decoder's maps reads `tokens.target[t]` and
    writes `tokens.written[t]`. Raises `InputError` for a text that is empty or longer than the model reads.
    """
    source_ids = inputs.source_ids(checkpoint, source)
    if target is not None:
        written = inputs.target_ids(checkpoint, target)
    else:
        limit = inputs.step_limit(checkpoint.config, len(source_ids), max_steps)
        written = translate_batch(checkpoint.model, [source_ids], max_steps=limit)[0]
    return trace_ids(checkpoint, source_ids, written, record, edit)


def trace_ids(
    checkpoint: Bundle,
    source_ids: Sequence[int],
    written_ids: Sequence[int],
    record: Iterable[Site | str] = inputs.DEFAULT_RECORD,
    edit: Mapping[Site | str, Edit] | None = None,
) -> Trace:
    """The same for ids: the decoder reads the start token and all of `written_ids` but the last."""
    device, hooks = checkpoint.device, Hooks(record, edit)
    read = [checkpoint.config.bos_id, *written_ids[:-1]]
    _warn_of_memory(checkpoint.config, hooks, len(source_ids), len(read))
    with torch.inference_mode():
        source, target = (torch.tensor([list(ids)], device=device) for ids in (source_ids, read))
        run_recorded(checkpoint.model, source, target, hooks)
        records = to_cpu(hooks.records)
    return assembled(checkpoint, source_ids, written_ids, records)


MUCH: Final = 4e9
"""Bytes of a trace from which on a warning says what it takes."""


def _warn_of_memory(config: ModelConfig, hooks: Hooks, sources: int, targets: int) -> None:
    """Warn, before a pass over so many tokens, where its records take more than `MUCH`."""
    size = recorded_bytes(config, hooks, sources, targets)
    if size > MUCH:
        warnings.warn(
            f"This trace of {sources:,} source and {targets:,} target tokens records about {size / 1e9:.0f} GB; record less, "
            "such as record=['*.weights'], or trace a shorter text if the memory is not there.",
            stacklevel=4,
        )


def recorded_bytes(config: ModelConfig, hooks: Hooks, sources: int, targets: int) -> int:
    """About how many bytes `hooks` record of `sources` and `targets` tokens, in float32."""
    numbers = targets * config.target_vocab_size if hooks.wants(LOGITS) else 0
    for stack, queries in (("encoder", sources), ("decoder", targets)):
        own = config.of(stack)
        width = max(config.d_model, own.heads * own.d_head)
        blocks = ("self", "ffn") if stack == "encoder" else ("self", "cross", "ffn")
        for block in blocks:
            keys = sources if block == "cross" else queries
            sizes = dict.fromkeys(KINDS[block], queries * width)
            sizes |= {kind: own.heads * queries * keys for kind in MAP_KINDS if kind in sizes}
            sizes |= {kind: keys * width for kind in ("k", "v") if kind in sizes}
            sizes |= {"hidden": queries * own.d_ff} if block == "ffn" else {"value_norm": own.heads * keys}
            for layer in range(config.layers(stack)):
                block_tap = hooks.at(stack, layer, block)
                numbers += sum(size for kind, size in sizes.items() if block_tap.wants(kind))
    return 4 * numbers


def run_recorded(model: Transformer, source: Tensor, target: Tensor, hooks: Hooks) -> None:
    """One pass over source (B, S) and target (B, T) for the records of `hooks`; logits are computed only if recorded."""
    states = model.decode_states(target, model.encode(source, hooks), source, hooks)
    if hooks.wants(LOGITS):
        model.project(states, hooks)


def assembled(
    checkpoint: Bundle,
    source_ids: Sequence[int],
    written_ids: Sequence[int],
    records: Mapping[Site, np.ndarray],
) -> Trace:
    """The trace of one pair's ids and its records, without the batch axis."""
    read = (checkpoint.config.bos_id, *written_ids[:-1])
    spell = checkpoint.target_tokenizer.labels
    tokens = Tokens(
        tuple(checkpoint.source_tokenizer.labels(source_ids)), tuple(spell(read)), tuple(spell(written_ids))
    )
    return Trace(checkpoint.config, tokens, tuple(source_ids), read, tuple(written_ids), records)


_BATCHES = 8  # batches read ahead, so that sentences of one length can share one
_STRIP = 6  # source lengths in one strip of `_near`


@dataclass(frozen=True)
class _Pair:
    """One pair of the corpus as ids."""

    source: list[int]
    written: list[int]

    @property
    def lengths(self) -> tuple[int, int]:
        return len(self.source), len(self.written)


def trace_many(
    checkpoint: Bundle,
    pairs: Iterable[tuple[str, str]],
    *,
    record: Iterable[Site | str] = inputs.DEFAULT_RECORD,
    batch_tokens: int = 1024,
    device: str | torch.device | None = None,
) -> Iterator[Trace]:
    """The trace of every (source, target) in `pairs`, in their order: each equals that of `trace` for the pair alone.

    Pairs of similar length go through the model together, `batch_tokens` tokens of both sides at a time, padding
    included. Only eight batches are held in memory, so `pairs` may be a whole corpus if the caller drops the traces
    one by one. `record` is that of `core.Hooks`: ask only for what you need ("*.weights"), since records take most of
    the memory. `device` None: the device of the checkpoint.

    Raises `InputError`, with the number of the pair, for a text that is empty or longer than the model reads.
    """
    if type(batch_tokens) is not int or batch_tokens < 1:
        raise InputError(f"batch_tokens is {batch_tokens!r}; give a whole number from 1 on.")
    moved = checkpoint if device is None else checkpoint.to(device)
    return _stream(moved, _encoded(moved, iter(pairs)), tuple(record), batch_tokens)


def trace_many_ids(
    checkpoint: Bundle,
    pairs: Iterable[tuple[Sequence[int], Sequence[int]]],
    *,
    record: Iterable[Site | str] = inputs.DEFAULT_RECORD,
    batch_tokens: int = 1024,
) -> Iterator[Trace]:
    """The same for pairs of ids (source, written), each with its end token."""
    ids = (_Pair(list(source), list(written)) for source, written in pairs)
    return _stream(checkpoint, ids, tuple(record), batch_tokens)


def _stream(
    checkpoint: Bundle, pairs: Iterator[_Pair], record: Sequence[Site | str], batch_tokens: int
) -> Iterator[Trace]:
    for window in _windows(pairs, _BATCHES * batch_tokens):
        traces: dict[int, Trace] = {}
        for bucket in _buckets(window, batch_tokens):
            batch = [window[index] for index in bucket]
            traces |= zip(bucket, _traces(checkpoint, batch, record), strict=True)
        for index in range(len(window)):
            yield traces.pop(index)  # popped, so that the caller alone holds it


def _encoded(checkpoint: Bundle, pairs: Iterator[tuple[str, str]]) -> Iterator[_Pair]:
    for number in count(1):
        try:
            source, target = next(pairs)
        except StopIteration:
            return
        try:
            yield _Pair(inputs.source_ids(checkpoint, source), inputs.target_ids(checkpoint, target))
        except InputError as error:
            raise InputError(f"Pair {number}: {error}") from None


def _windows(pairs: Iterator[_Pair], tokens: int) -> Iterator[list[_Pair]]:
    """Consecutive pairs of at least `tokens` tokens, but for the last window."""
    window: list[_Pair] = []
    held = 0
    for pair in pairs:
        window.append(pair)
        held += sum(pair.lengths)
        if held >= tokens:
            yield window
            window, held = [], 0
    if window:
        yield window


def _buckets(window: Sequence[_Pair], batch_tokens: int) -> Iterator[list[int]]:
    """Indices in `window`, grouped by similar lengths, at most `batch_tokens` padded tokens (but one pair) each."""
    bucket: list[int] = []
    widest = (0, 0)
    for index in sorted(range(len(window)), key=lambda index: _near(*window[index].lengths)):
        source, written = window[index].lengths
        wider = max(widest[0], source), max(widest[1], written)
        if bucket and sum(wider) * (len(bucket) + 1) > batch_tokens:
            yield bucket
            bucket, wider = [], (source, written)
        bucket.append(index)
        widest = wider
    yield bucket


def _near(source: int, written: int) -> tuple[int, int]:
    """A sort key for similar lengths on both sides: ascending through one strip of sources, descending through the next."""
    strip = source // _STRIP
    return strip, -written if strip % 2 else written


def _traces(checkpoint: Bundle, batch: Sequence[_Pair], record: Sequence[Site | str]) -> Iterator[Trace]:
    config, hooks = checkpoint.config, Hooks(record)
    read = [[config.bos_id, *pair.written[:-1]] for pair in batch]
    with torch.inference_mode():
        source = padded([pair.source for pair in batch], config.source_padding, checkpoint.device)
        run_recorded(checkpoint.model, source, padded(read, config.pad_id, checkpoint.device), hooks)
        arrays = to_arrays(hooks.records)
    hooks.clear()
    for row, pair in enumerate(batch):
        yield assembled(checkpoint, pair.source, pair.written, _cut(arrays, row, *pair.lengths))


def _cut(arrays: Mapping[Site, np.ndarray], row: int, sources: int, targets: int) -> dict[Site, np.ndarray]:
    """Copies of one row of a padded batch without its padding; sites that share an array share its copy."""
    copies: dict[tuple[int, int], np.ndarray] = {}
    records: dict[Site, np.ndarray] = {}
    for site, array in arrays.items():
        queries = sources if speaks_of_source(site) else targets
        cut = copies.get((id(array), queries))
        if cut is None:
            full = array[row if len(array) > 1 else 0]  # positions are the same for every row
            view = full[:queries] if query_axis(site) == 0 else full[:, :queries]
            if site.kind in MAP_KINDS:
                view = view[..., : targets if (site.stack, site.block) == ("decoder", "self") else sources]
            cut = copies[id(array), queries] = view.copy()
        records[site] = cut
    return records
