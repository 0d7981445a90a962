"""Runs a corpus through a model for its atlas, and divides any measurement over a corpus among the processes of torchrun.

Every process has every nth sentence and a file of its own beside the table that is to be written; the first process
puts them together when all are done. A rerun resumes from what was stored, one with another number of processes begins
again.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import numpy as np

from core.analysis.roles import COMPARED
from core.api import trace_many_ids
from core.checkpoints import files
from core.checkpoints.bundle import folder_of
from core.decoding.inputs import source_ids, target_ids
from core.decoding.search import translate_batch
from core.errors import AtlasError, InputError
from core.experiments.contributions import sublayer
from core.experiments.corpus import RECORD, Atlas, Sentence
from core.experiments.default_heads import losses, probes
from core.experiments.what_if import Pair
from core.files import DamagedError, read_npz, replacing
from core.model.hooks import ATTENTION
from core.training.process import Process, Reporter, interruptible

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.trace import Trace
    from core.model.transformer import Transformer


_TOGETHER: Final = 64  # sentences translated at once
_MOST_VECTORS: Final = 20_000  # token vectors of one sentence without each of its tokens in turn
Texts = tuple[str, str]
"""A sentence and its translation; an empty one is written by the model."""


@dataclass(frozen=True)
class Stage:
    """How far a run has come: `done` of `total` sentences are in the atlas."""

    atlas: Atlas
    done: int
    total: int


def measure_corpus(
    checkpoint: Bundle,
    pairs: Sequence[Texts],
    atlas: Atlas | None = None,
    first: int = 0,
    every: int = 1,
) -> Iterator[Stage]:
    """Measure `pairs` (all readable, see `readable`), one a step of the iterator.

    Goes on with `atlas`, which has met the first of them already. The numbers of the sentences in the corpus are
    `first`, `first + every`, …: a process of several has every nth of them.
    """
    grown = atlas if atlas is not None else Atlas(checkpoint.config)
    begun = grown.sentences
    metrics, frequency = output_metrics(checkpoint.model), checkpoint.source_tokenizer.frequency
    left = pairs[begun:]
    for number, trace in enumerate(
        trace_many_ids(checkpoint, as_ids(checkpoint, left), record=RECORD), start=begun
    ):
        sentence = Sentence(first + every * number, *pairs[number])
        counts = [frequency(token) for token in trace.source_ids]
        grown.meet(trace, counts, sentence, metrics, _losses(checkpoint, trace, sentence))
        yield Stage(grown, grown.sentences, len(pairs))


def _losses(checkpoint: Bundle, trace: Trace, sentence: Sentence) -> np.ndarray | None:
    """What each written token loses without each source token; None for a sentence that is too late or too long."""
    read, written = len(trace.source_ids), len(trace.written_ids)
    if sentence.number >= COMPARED or read * (read + written) > _MOST_VECTORS:
        return None
    return losses(checkpoint, trace.source_ids, trace.written_ids)


def output_metrics(model: Transformer) -> dict[str, np.ndarray]:
    """W_O^h (W_O^h)ᵀ of every head by kind, (L, H, d_h, d_h), float64: what makes ‖f(x)‖ of a value."""
    metrics = {}
    for kind, attention in ATTENTION.items():
        layers = []
        for number in range(model.config.layers(attention.stack)):
            weight = sublayer(model, kind, number)[0].output_proj.weight.detach().double().cpu().numpy()
            each = weight.reshape(len(weight), model.config.of(attention.stack).heads, -1)  # (d, H, d_h)
            layers.append(np.einsum("dhi,dhj->hij", each, each))
        if layers:
            metrics[kind] = np.stack(layers)
    return metrics


def readable(checkpoint: Bundle, pairs: Iterable[Texts]) -> list[Texts]:
    """The pairs that the model can read. Raises `InputError` when there is none."""
    kept = []
    for source, target in pairs:
        try:
            source_ids(checkpoint, source)
            if target.strip():
                target_ids(checkpoint, target)
        except AtlasError:
            continue
        kept.append((source, target if target.strip() else ""))
    if not kept:
        raise InputError("The corpus holds no sentence that this model can read; give at least one.")
    return kept


def as_ids(checkpoint: Bundle, pairs: Iterable[Texts]) -> Iterator[Pair]:
    """The pairs as ids; where there is no target, what the model writes."""
    waiting = iter(pairs)
    while some := list(islice(waiting, _TOGETHER)):
        missing = [source_ids(checkpoint, source) for source, target in some if not target.strip()]
        written = iter(translate_batch(checkpoint.model, missing) if missing else [])
        for source, target in some:
            ids = target_ids(checkpoint, target) if target.strip() else next(written)
            yield Pair(tuple(source_ids(checkpoint, source)), tuple(ids))


def about(digest: str, pairs: Iterable[Texts]) -> str:
    """The name of a measurement: the model's digest and every sentence."""
    digester = hashlib.sha256(digest.encode())
    for pair in pairs:
        digester.update("\t".join(pair).encode("utf-8", "replace") + b"\n")
    return digester.hexdigest()


class Share(Protocol):
    """What one process has measured so far."""

    @property
    def sentences(self) -> int: ...
    def save(self, path: Path, about: str) -> None: ...


_MOST_BYTES = 2**32  # of what `save_arrays` wrote, unpacked
SAVED = 200  # units between two savings, where a command says nothing else
Kept = TypeVar("Kept", bound=Share)
Unit = TypeVar("Unit")
Each = TypeVar("Each")


def measured_together(
    process: Process,
    out: Path,
    about: str,
    work: Sequence[Unit],
    *,
    load: Callable[[Path], Kept],
    measure: Callable[[Kept, Sequence[Unit]], Iterator[object]],
    name: str,
    every: int | None = None,
) -> list[Kept] | None:
    """Measure `work`, shared out; the shares of all processes, in their order, for the first one, None for the others.

    `load` reads a share that is kept (an empty one where there is none), `measure(share, own work)` goes on with it and
    yields after each unit; shares are kept after `every` of them (`SAVED`). Raises `KeyboardInterrupt` when the run is asked to end,
    `InputError` when another process ended before its share was done.
    """
    own = work[process.rank :: process.world]
    path = _file(out, process.rank, process.world)
    share, apart = load(path), every or SAVED
    reporter = Reporter(len(own), main=process.main, name=name)
    if share.sentences:
        reporter.line(f"{share.sentences:,} of {len(own):,} sentences are done; going on")
    try:
        with interruptible() as stopped:
            for _ in measure(share, own):
                last = share.sentences == len(own)
                if stopped() or last or share.sentences % apart == 0:
                    share.save(path, about)
                reporter.step(share.sentences, name, log=share.sentences % apart == 0)
                if stopped() and not last:
                    reporter.line(
                        f"Stopped after {share.sentences:,} of {len(own):,} sentences; the same command goes on from there."
                    )
                    raise KeyboardInterrupt
    finally:
        reporter.close()
    _wait(process)
    if not process.main:
        return None
    shares = [share if rank == 0 else load(_file(out, rank, process.world)) for rank in range(process.world)]
    done = sum(each.sentences for each in shares)
    if done != len(work):
        raise InputError(f"Only {done:,} of {len(work):,} sentences were measured; run it again.")
    return shares


def atlas_together(
    process: Process, checkpoint: Bundle, pairs: Sequence[Texts], out: Path, about: str, name: str
) -> Atlas | None:
    """The atlas of `pairs`, shared out as `measured_together` does; None for all processes but the first."""
    shares = measured_together(
        process,
        out,
        about,
        pairs,
        load=lambda path: Atlas.load(path, checkpoint.config, about),
        measure=lambda atlas, own: measure_corpus(checkpoint, own, atlas, process.rank, process.world),
        name=name,
    )
    if shares is None:
        return None
    whole = Atlas(checkpoint.config)
    for share in shares:
        whole.join(share)
    return whole


def in_order(parts: Sequence[Sequence[Each]]) -> list[Each]:
    """Merge the processes' results into the order of the work, which was dealt out in turn."""
    return [parts[n % len(parts)][n // len(parts)] for n in range(sum(map(len, parts)))]


def forget(out: Path) -> None:
    """Remove the parts that processes stored beside `out`."""
    for path in out.parent.glob(f"{out.name}.*-of-*.part"):
        path.unlink(missing_ok=True)


def _file(out: Path, rank: int, world: int) -> Path:
    """Where one process keeps its share until all are done."""
    return out.with_name(f"{out.name}.{rank + 1}-of-{world}.part")


def _wait(process: Process) -> None:
    try:
        process.wait()
    except RuntimeError as error:  # what gloo and nccl make of a partner that is gone
        raise InputError(
            "Another process of this run ended before its share was done; run the same command again, it goes on from "
            "what is kept."
        ) from error


def save_arrays(path: Path, about: str, arrays: Mapping[str, np.ndarray]) -> None:
    """Keep arrays by name; `about` names what they were measured on. Raises `InputError`."""
    with replacing(path) as stream:
        np.savez_compressed(stream, allow_pickle=False, about=np.array(about), **arrays)


def load_arrays(path: Path, about: str) -> dict[str, np.ndarray]:
    """The arrays that `save_arrays` wrote; empty where there is no such file, or another `about`."""
    try:
        arrays = read_npz(path, _MOST_BYTES)
    except (OSError, DamagedError):
        return {}
    return arrays if str(arrays.pop("about", "")) == about else {}


def write_atlas(
    checkpoint: Bundle,
    pairs: Sequence[tuple[str, str]] | None = None,
    folder: str | Path | None = None,
    seconds: float | None = None,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Measure `pairs` (default: what `probes` names, translated by the model) and store the atlas → the file.

    `folder` defaults to the checkpoint's own; its weights must be the checkpoint's. Sentences the model cannot read are
    passed over. After `seconds` no further sentence is begun; the atlas says over how many it is. Raises `InputError` if
    there is no sentence or no folder, or the file cannot be written. `step(done, total)` is called before the first
    sentence and after each.
    """
    target = folder_of(checkpoint, folder)
    begun, atlas = time.monotonic(), Atlas(checkpoint.config)
    texts = [(text, "") for text in probes(checkpoint, None)] if pairs is None else pairs
    kept = readable(checkpoint, texts)
    step(0, len(kept))
    for stage in measure_corpus(checkpoint, kept, atlas):
        step(stage.done, len(kept))
        if seconds is not None and time.monotonic() - begun > seconds:
            break
    path = target / files.ATLAS
    atlas.save(path, files.folder_digest(target))
    return path
