"""A measurement over a corpus, divided among the processes of torchrun; a rerun resumes from what was stored.

Every process has every nth sentence and a file of its own beside the table that is to be written; the first process
puts them together when all are done. A run with another number of processes begins again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from core.errors import InputError
from core.files import DamagedError, read_npz, replacing
from core.training.process import Process, Reporter, interruptible


class Share(Protocol):
    """What one process has measured so far."""

    @property
    def sentences(self) -> int: ...
    def save(self, path: Path, about: str) -> None: ...


_MOST_BYTES = 2**32  # of what `save_arrays` wrote, unpacked
SAVED = 200  # units between two savings, where a command says nothing else
Kept = TypeVar("Kept", bound=Share)
Unit = TypeVar("Unit")


def measured_together(
    process: Process,
    out: Path,
    about: str,
    work: Sequence[Unit],
    *,
    load: Callable[[Path], Kept],
    measure: Callable[[Kept, Sequence[Unit]], Iterator[object]],
    name: str,
    unit: str = "sentences",
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
        reporter.line(f"{share.sentences:,} of {len(own):,} {unit} are done; going on")
    try:
        with interruptible() as stopped:
            for _ in measure(share, own):
                last = share.sentences == len(own)
                if stopped() or last or share.sentences % apart == 0:
                    share.save(path, about)
                reporter.step(share.sentences, name, log=share.sentences % apart == 0)
                if stopped() and not last:
                    reporter.line(
                        f"Stopped after {share.sentences:,} of {len(own):,} {unit}; the same command goes on from there."
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
        raise InputError(f"Only {done:,} of {len(work):,} {unit} were measured; run it again.")
    return shares


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
