"""Reports progress: a bar on a terminal, plain lines in a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Reporter:
    """Silent unless `main`. Lines always appear; the bar, which begins with `name`, only on a terminal."""

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
        """A line that stays."""
        if self.main:
            self.console.print(
                text if self.bar is not None else f"{time.strftime('%H:%M:%S')}  {text}", markup=False
            )

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()


@contextmanager
def counting(name: str) -> Iterator[Callable[[int, int], None]]:
    """A function of (done, total) that shows how far `name` is: a bar on a terminal, else a line at the start and the end."""
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
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
