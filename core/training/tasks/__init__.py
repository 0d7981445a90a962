"""Built-in tasks whose pairs are generated, not read. Add one by registering an object that fits `Task`."""

from __future__ import annotations

import random
from typing import Protocol

from core.errors import ConfigError
from core.training.tasks.dates import Dates
from core.training.tasks.names import Names
from core.training.tasks.sequences import Copy, Reverse, Sort


class Task(Protocol):
    """A source of question-answer pairs.

    `source_alphabet` and `target_alphabet` have every character that can occur. `split` decides from the answer
    alone whether a pair is for 'train', 'valid' or 'test', so an answer of one split never occurs in another.
    """

    name: str
    source_alphabet: str
    target_alphabet: str

    def generate(self, rng: random.Random) -> tuple[str, str]: ...

    def split(self, target: str) -> str: ...


TASKS: dict[str, Task] = {}


def register(task: Task) -> None:
    """Register a task under its name."""
    TASKS[task.name] = task


def get_task(name: str) -> Task:
    """The registered task `name`; ConfigError lists the known ones."""
    if name not in TASKS:
        raise ConfigError(f"There is no task {name!r}; choose one of {', '.join(sorted(TASKS))}.")
    return TASKS[name]


for _task in (Dates(), Copy(), Reverse(), Sort(), Names()):
    register(_task)
