"""Follows a training by the clock: progress with the time to go, translations of held-back sentences, a checkpoint to open.

The first look comes after a minute of training, whatever the machine; each look replaces the checkpoint folder by the
model as it is, so that the app can open it while the training runs.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Final, TextIO

import torch

from core.checkpoints import files
from core.checkpoints.bundle import load_bundle, save
from core.decoding.example import write_example
from core.training.dynamics import save_dynamics
from core.training.evaluate import translate_texts
from core.training.loop import Trainer
from core.training.process import clock, interruptible

LOOKS_S: Final = (60.0, 150.0, 300.0)
"""Seconds of training before the first looks; from then on, one every `AGAIN_S`."""
AGAIN_S: Final = 300.0
LINE_S: Final = 15.0
"""Seconds between two lines of progress."""
SILENCE_S: Final = 20.0
"""Seconds without output after which a line says that the work goes on."""
_SENTENCES: Final = 3
_TRIED: Final = 2  # steps with each number of threads
_KEPT_S: Final = 240.0  # seconds with the better one, until both are tried again
_EXAMPLES: Final = 12


def followed(trainer: Trainer) -> bool:
    """`trainer.run()` with progress and looks by the clock. True when training is over, False when it was interrupted."""
    looks, threads = iter(LOOKS_S), Threads(trainer)
    next_look, last_line = next(looks), 0.0
    with interruptible() as interrupted:
        for event in trainer.events(interrupted):
            if not trainer.process.main or trainer.over:
                continue
            threads.after_step()
            if trainer.seconds - last_line >= LINE_S and event.step:
                trainer.log()
                last_line = trainer.seconds
            if trainer.seconds >= next_look:
                look(trainer)
                next_look = next(looks, trainer.seconds + AGAIN_S)
    return trainer.over


class Threads:
    """Trains with one thread where that is quicker than with all, tried again and again.

    On cores with other work two threads mostly wait for each other: on two busy ones they took ten times as long as one.
    """

    def __init__(self, trainer: Trainer) -> None:
        self._trainer, self._every = trainer, torch.get_num_threads()
        self._tries = self._every > 1 and trainer.process.device.type == "cpu" and trainer.process.world == 1
        self._speed: dict[int, float] = {}  # tokens a second by number of threads
        self._steps, self._begun = 0, (trainer.seconds, trainer.tokens)
        if self._tries:
            torch.set_num_threads(1)

    def after_step(self) -> None:
        """Note how quick the last steps were, and choose the threads of the next."""
        if not self._tries:
            return
        (seconds, tokens), now = self._begun, (self._trainer.seconds, self._trainer.tokens)
        self._steps += 1
        if len(self._speed) == 2:
            if now[0] - seconds < _KEPT_S:
                return
            self._speed.clear()
        elif self._steps < _TRIED:
            return
        elif now[0] > seconds:
            self._speed[torch.get_num_threads()] = (now[1] - tokens) / (now[0] - seconds)
        untried = [number for number in (1, self._every) if number not in self._speed]
        torch.set_num_threads(untried[0] if untried else max(self._speed, key=lambda each: self._speed[each]))
        self._steps, self._begun = 0, now


def look(trainer: Trainer) -> None:
    """Print what the model writes for a few held-back sentences, and write the checkpoint as it is now."""
    texts = list(dict.fromkeys(pair.source for pair in trainer.data.valid_pairs))[:_EXAMPLES]
    references = {pair.source: pair.target for pair in trainer.data.valid_pairs}
    training = trainer.model.training
    trainer.model.eval()
    written = translate_texts(trainer.model, *trainer.data.tokenizers, texts)
    trainer.model.train(training)
    trainer.reporter.line(
        f"Look after {clock(trainer.seconds)}, step {trainer.step}, at pairs it never sees:"
    )
    for text, now in list(zip(texts, written, strict=True))[:_SENTENCES]:
        trainer.reporter.line(f"  {text[:90]} → {now[:90]}  (should be: {references[text][:90]})")
    _write(trainer, [{"source": text, "translation": now} for text, now in zip(texts, written, strict=True)])
    trainer.reporter.line(f"Open {trainer.config.out} in the app to see it as it is now.")


@torch.no_grad()
def _write(trainer: Trainer, examples: list[dict[str, Any]]) -> None:
    config = trainer.config
    card = {
        "name": config.name,
        "description": f"{config.description} Unfinished: step {trainer.step} of {trainer.settings.max_steps}.",
        "source_language": config.data.source_language,
        "target_language": config.data.target_language,
        "data": list(config.data.description),
        "recipe": config.to_json(),
        "examples": examples,
    }
    save(config.out, trainer.model, *trainer.data.tokenizers, card, dtype="float16")
    if len(trainer.recorder.records) > 1:
        save_dynamics(config.out / files.DYNAMICS, trainer.recorder.dynamics())
    write_example(load_bundle(config.out, device="cpu"))


class _Heard:
    """A stream that notes when something was last written to it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self.at = stream, time.monotonic()

    def write(self, text: str) -> int:
        self.at = time.monotonic()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def never_silent(seconds: float = SILENCE_S) -> Iterator[None]:
    """Inside, a line is printed whenever nothing else was for `seconds`: reading, building and scoring say little."""
    heard, over, began = _Heard(sys.stdout), threading.Event(), time.monotonic()

    def speak() -> None:
        while not over.wait(seconds / 20):
            if time.monotonic() - heard.at >= seconds:
                print(f"… still at it, {clock(time.monotonic() - began)} since the start", flush=True)

    thread = threading.Thread(target=speak, name="never-silent", daemon=True)
    with contextlib.redirect_stdout(heard):
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
