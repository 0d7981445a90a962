"""The child process of a watched training: requests come in and progress goes out, line by line.

In, as JSON: first the order (`task`, `folder`), then "pause", "resume", "stop". Out, as JSON:

    {"probes": […], "score_names": […], "scored": 48, "shapes": {KIND: [L, H]}, "steps": 400, "parameters": n}   once
    {"step": 10, "loss": 1.9, "seconds": 3.2}                  as it goes
    {"record": {…}}                     a record of all heads (core.training.snapshots), arrays as base64
    {"exact": 87.0, "step": 200}        share of validation pairs with an exact translation, in percent
    {"phase": "paused"}                 when it changes: training, paused, finishing, done
    {"ended": "time"}                   where it ends before the last step: by the limit of time, or "stop"
    {"problem": "one sentence"}

The process ends when its input is closed, so that none is left when the server ends.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import torch

from core.analysis.glossary import SCORES
from core.child import limit
from core.errors import AtlasError
from core.model.hooks import ATTENTION
from core.training.live_run import CHECKPOINT, SECONDS, live_recipe
from core.training.loop import Event, Trainer
from core.training.process import join
from core.training.run import finish


class Requests:
    """The requests received so far; a thread reads them."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._running, self._enough = threading.Event(), threading.Event()
        self._running.set()
        self._stream = stream
        threading.Thread(target=self._listen, name="asked", daemon=True).start()

    def _listen(self) -> None:
        for line in self._stream:
            word = json.loads(line)
            if word == "pause":
                self._running.clear()
            elif word == "stop":
                self._enough.set()
            if word in ("resume", "stop"):
                self._running.set()
        os._exit(1)  # the server has closed the pipe

    @property
    def paused(self) -> bool:
        return not self._running.is_set()

    def enough(self) -> bool:
        """Whether to end now and keep what was learnt."""
        return self._enough.is_set()

    def wait(self) -> None:
        """Return when the run may continue."""
        self._running.wait()


def serve(questions: IO[bytes], answers: IO[bytes], finished: Callable[[Path], None]) -> None:
    """Read the order, train, and report; `finished` is called with the checkpoint's folder once it is written."""

    def tell(**words: Any) -> None:
        answers.write(json.dumps(words).encode() + b"\n")
        answers.flush()

    order = json.loads(questions.readline())
    asked = Requests(questions)
    try:
        _work(order, asked, tell, finished)
    except AtlasError as error:
        tell(problem=str(error))
    except BaseException:
        tell(problem="The training failed; start it again.")
        raise


def _work(
    order: Mapping[str, Any], asked: Requests, tell: Callable[..., None], finished: Callable[[Path], None]
) -> None:
    folder = Path(order["folder"])
    config = live_recipe(order["task"], folder / CHECKPOINT, folder / "work")
    trainer = Trainer(config, join("cpu", config.training.threads))
    trainer.resume()  # a run that ended before its last step left its state
    tell(**_introduced(trainer))
    tell(phase="training")
    until = trainer.seconds + SECONDS
    for event in trainer.events(enough=lambda: asked.enough() or trainer.seconds > until):
        _report(trainer, event, tell)
        if asked.paused:
            tell(phase="paused")
            asked.wait()
            tell(phase="training")
    unfinished = trainer.step < trainer.settings.max_steps
    if unfinished:
        tell(ended="stop" if asked.enough() else "time")
    tell(phase="finishing")
    shutil.rmtree(config.out, ignore_errors=True)  # what was written before it went on
    finish(trainer)
    finished(config.out)
    if not unfinished:
        shutil.rmtree(config.work, ignore_errors=True)
    tell(phase="done")


def _introduced(trainer: Trainer) -> dict[str, Any]:
    recorder, model = trainer.recorder, trainer.model.config
    probes = [recorder.probe(number) for number in range(len(recorder.probes))]
    return {
        "probes": [vars(probe) for probe in probes],
        "score_names": list(SCORES),
        "scored": len(recorder.scored),
        "shapes": {kind.name: list(model.shape(kind.stack)) for kind in ATTENTION.values()},
        "steps": trainer.settings.max_steps,
        "parameters": sum(parameter.numel() for parameter in trainer.model.parameters()),
    }


def _report(trainer: Trainer, event: Event, tell: Callable[..., None]) -> None:
    if event.recorded:
        record = trainer.recorder.records[-1]
        tell(record={name: _packed(value) for name, value in record.items()})
    if event.recorded or event.step % 5 == 0:
        tell(step=event.step, loss=trainer.train_loss(), seconds=trainer.seconds)
    if event.measured is not None and event.measured.exact == event.measured.exact:  # not NaN
        tell(step=event.step, exact=event.measured.exact)


def _packed(value: Any) -> Any:
    return base64.b64encode(value.numpy().tobytes()).decode() if isinstance(value, torch.Tensor) else value


def begin(megabytes: int, finished: Callable[[Path], None]) -> None:
    """The entry of the process: memory and processor limits, and an output that only `serve` writes to."""
    limit(megabytes)
    answers = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    serve(sys.stdin.buffer, answers, finished)
    os._exit(0)  # a normal exit would wait for the thread that reads the input
