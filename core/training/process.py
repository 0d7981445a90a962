"""The processes of one run, alone or under torchrun: signals, the lock of the work folder, progress reports, and speed.

On a CPU, memory allocation, kernel caches and dropout are set for speed. Measured on two cores with the en-fr recipe,
target tokens a second: 2,570 with torch's defaults, 3,270 with plain attention, 5,400 with freed memory kept (and the
loss of `core.training.objective`), 5,650 with quick dropout.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor
from torch.overrides import TorchFunctionMode

from core.checkpoints.bundle import pick_device
from core.errors import TrainingError


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

    def wait(self) -> None:
        """Return once every process has called this."""
        if self.world > 1:
            dist.barrier()


def join(device: str | None, threads: int = 0) -> Process:
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


_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4  # from malloc.h
_KERNEL_CACHES = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")  # torch's own and oneDNN's
_KERNELS_KEPT = "8"


def keep_memory() -> None:
    """Make glibc keep freed memory: returning and refaulting every large array halves the speed."""
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(_M_MMAP_MAX, 0)
        libc.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)
    except (OSError, AttributeError):
        pass  # another C library: only slower


def keep_few_kernels() -> None:
    """Bound oneDNN's caches of bfloat16 kernels; must be called before the first product.

    They keep a kernel for each of 1,024 shapes, and batches hardly ever repeat a shape: 25 MB more memory with every
    step of the en-fr recipe, for no gain in speed. Environment variables that are already set are kept.
    """
    for name in _KERNEL_CACHES:
        os.environ.setdefault(name, _KERNELS_KEPT)


def quick_dropout(x: Tensor, p: float) -> Tensor:
    """Dropout from one random byte per element, `p` rounded to 1/256; unbiased, since the scale uses the rounded p.

    The random generator dominates the cost of dropout on a CPU: one 64-bit draw serves eight elements here.
    """
    threshold = round(p * 256)
    if threshold in (0, 256):
        return x if threshold == 0 else x * 0
    words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device).random_(-(2**63), None)
    kept = words.view(torch.uint8)[: x.numel()].view(x.shape) >= threshold
    return x * kept.to(x.dtype).mul_(256 / (256 - threshold))


class _QuickDropout(TorchFunctionMode):
    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func is F.dropout:
            x, p, training = _arguments(*args, **kwargs)
            return quick_dropout(x, p) if training else x
        return func(*args, **kwargs)


def _arguments(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> tuple[Tensor, float, bool]:
    return input, p, training


@contextmanager
def kernels_for_training(device: torch.device) -> Iterator[None]:
    """Use quick dropout inside the block, on a CPU."""
    if device.type != "cpu":
        yield
        return
    with _QuickDropout():
        yield
