"""The processes of one run, alone or under torchrun: signals, the lock of the work folder, and progress reports."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import torch
import torch.distributed as dist
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from core.checkpoints.bundle import pick_device
from core.errors import TrainingError
from core.training.cpu_kernels import keep_few_kernels, keep_memory

Made = TypeVar("Made")


@dataclass(frozen=True)
class Process:
    """This process among `world` of them; the `main` one writes files and reports."""

    rank: int
    world: int
    device: torch.device

    @property
    def main(self) -> bool:
        return self.rank == 0

    def any(self, flag: bool) -> bool:
        """Whether any process raises its flag; all get the same answer, so all stop at the same step."""
        if self.world == 1:
            return flag
        shared = torch.tensor(float(flag), device=self.device)
        dist.all_reduce(shared, op=dist.ReduceOp.MAX)
        return bool(shared.item())

    def total(self, value: float) -> float:
        """The sum of `value` over all processes."""
        if self.world == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.all_reduce(shared)
        return float(shared.item())

    def from_main(self, made: Made | None) -> Made:
        """The object that the first process made, for all; the others pass None. It is pickled between processes of one run."""
        if self.world == 1:
            assert made is not None
            return made
        held: list[Made | None] = [made if self.main else None]
        dist.broadcast_object_list(held, src=0, device=self.device)
        received = held[0]
        assert received is not None
        return received

    def wait(self) -> None:
        """Return once every process has called this."""
        if self.world > 1:
            dist.barrier()


def join(device: str, threads: int = 0) -> Process:
    """Join the processes that torchrun started (gloo on CPU, nccl on GPUs), or be the only one."""
    if threads:
        torch.set_num_threads(threads)
    world = int(os.environ.get("WORLD_SIZE", "1"))
    chosen = pick_device(None if device == "auto" else device)
    if chosen.type == "cuda" and world > 1:
        chosen = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    if chosen.type == "cpu":
        keep_memory()
        keep_few_kernels()
    if world == 1:
        return Process(0, 1, chosen)
    if chosen.type == "cuda":
        torch.cuda.set_device(chosen)
    # The others wait while the first scores its checkpoint, which may take longer than the default half hour.
    dist.init_process_group("nccl" if chosen.type == "cuda" else "gloo", timeout=timedelta(hours=6))
    return Process(dist.get_rank(), world, chosen)


def leave(process: Process) -> None:
    """Close the connection between the processes."""
    if process.world > 1 and dist.is_initialized():
        dist.destroy_process_group()


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Inside, SIGTERM and Ctrl-C stop nothing; the yielded function says whether one was received, so that a step ends first.

    Outside the main thread Python installs no signal handlers, and the answer is always no.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    asked = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: asked.set()) for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


LOCK_FILE = "lock"


@contextmanager
def locked(work: Path) -> Iterator[None]:
    """Hold the folder's lock while the block runs; the system releases it when the process ends, in any way.

    Raises TrainingError that names the holder.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        yield
        return
    try:
        work.mkdir(parents=True, exist_ok=True)
        stream = (work / LOCK_FILE).open("a+", encoding="utf-8")
    except OSError as error:
        raise TrainingError(
            f"The work folder {str(work)!r} cannot be written ({error.strerror}); give another --work folder."
        ) from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.seek(0)
            holder = stream.read(200).strip() or "another process"
            raise TrainingError(
                f"{holder} is training in {str(work)!r}; wait for it, or give another --work folder."
            ) from None
        stream.truncate(0)
        stream.write(f"process {os.getpid()} on {socket.gethostname()}")
        stream.flush()
        yield


class Reporter:
    """Silent unless `main`. Lines always appear; the bar, labelled `name`, only on a terminal."""

    def __init__(self, max_steps: int, *, main: bool = True, name: str = "training") -> None:
        self.main = main
        self.max_steps = max_steps
        self.console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
        self.bar: Progress | None = None
        if main and self.console.is_terminal:
            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=self.console,
            )
            self.task = self.bar.add_task(name, total=max_steps)
            self.bar.start()

    def step(self, step: int, text: str, *, log: bool) -> None:
        """Move the bar to `step`; without a bar, print the line when `log`."""
        if self.bar is not None:
            self.bar.update(self.task, completed=step, description=text)
        elif log:
            self.line(f"step {step}/{self.max_steps}  {text}")

    def line(self, text: str) -> None:
        """Print a line."""
        if self.main:
            self.console.print(
                text if self.bar is not None else f"{time.strftime('%H:%M:%S')}  {text}", markup=False
            )

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()


@contextmanager
def counting(name: str) -> Iterator[Callable[[int, int], None]]:
    """A function of (done, total) that shows the progress of `name`: a bar on a terminal, else a line at the start and
    the end.
    """
    reporters: list[Reporter] = []

    def step(done: int, total: int) -> None:
        if not reporters:
            reporters.append(Reporter(total, name=name))
        reporters[0].step(done, name, log=done in (0, total))

    try:
        yield step
    finally:
        for each in reporters:
            each.close()


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss."""
    total = int(seconds)
    return f"{total // 3600}:{total // 60 % 60:02d}:{total % 60:02d}"
