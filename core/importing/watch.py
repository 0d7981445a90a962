"""`watch`: a recorder of one's own training loop, whose maps and head scores open in Watch it learn.

    recorder = core.watch(model, pairs, tokenizer)
    for step, batch in enumerate(batches, 1):
        ...  # one's own update
        recorder.step(step, loss)
    recorder.save("checkpoints/mine")

What is recorded is what `core.training` records of its own runs: the same sentences, scores and file. The model is read
by `core.wrap`, so its maps are compared with the original's before the training.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from core.checkpoints import files
from core.checkpoints.bundle import save
from core.errors import AtlasError, InputError
from core.importing.wrap import WrappedCheckpoint, wrap
from core.training.data import Pair
from core.training.dynamics import save_dynamics
from core.training.loop import SCORED, Recorder, longest_probe
from core.training.objective import mean_loss
from core.training.prepared import Example

SHARE: Final = 0.02
"""Of the time of training that recording may take, unless `every` says at which steps."""
_GROWTH: Final = 1.25  # of the step from one record to the next, as entropy falls on a logarithmic axis
_MOST_RECORDS: Final = 40
_LONGER: Final = 4  # times the bytes of the shipped models' maps: 20 MB, of the 32 that the app reads
_BATCH_TOKENS: Final = 2048


def watch(
    model: nn.Module | WrappedCheckpoint,
    pairs: Sequence[tuple[str, str]],
    tokenizer: Any = None,
    *,
    every: int | None = None,
    share: float = SHARE,
    **options: Any,
) -> TrainingRecorder:
    """A recorder of the model's training: call its `step(step, loss)` after each update, and `save(folder)` at the end.

    `model` and `tokenizer` as for `core.wrap`, or what `core.wrap` gave. `pairs`: sentences with their translations that
    are not trained on; the first 40 are scored and eight of them drawn. It records before the first update and then
    so rarely that it takes at most `share` of the time, at steps further and further apart; `every` records every so many
    steps instead. `options` are those of `core.wrap`. Raises `InputError` or `CheckpointError`.
    """
    if not isinstance(model, WrappedCheckpoint):
        if tokenizer is None:
            raise InputError("The recorder cannot read texts; give the model's tokenizer as for core.wrap.")
        model = wrap(model, tokenizer, **options)
    if every is not None and (type(every) is not int or every < 1):
        raise InputError(f"every is {every!r}; give a whole number of steps from 1 on.")
    return TrainingRecorder(model, pairs, every, share)


class TrainingRecorder:
    """Records a training; make it with `core.watch`. A fault while recording is a warning and ends the recording alone."""

    def __init__(
        self, checkpoint: WrappedCheckpoint, pairs: Sequence[tuple[str, str]], every: int | None, share: float
    ) -> None:
        self.checkpoint, self.every, self.share = checkpoint, every, share
        self._items = _examples(checkpoint, pairs)
        self._recorder = Recorder(
            [pair for pair, _ in self._items],
            [example for _, example in self._items],
            (checkpoint.source_tokenizer, checkpoint.target_tokenizer),
            longest=longest_probe(checkpoint.config, _MOST_RECORDS // _LONGER),
        )
        if not self._recorder.probes:
            raise InputError("All the pairs are too long to be drawn; give some of at most a few words.")
        self.seconds = 0.0
        """Seconds that recording took."""
        self._began = self._last = time.monotonic()
        self._next, self._cost, self._fault = 1, 0.0, ""
        self._loss = math.nan
        self._step = 0  # the last that was reported
        self._record(0)

    @property
    def steps(self) -> list[int]:
        """The steps that are recorded."""
        return [entry["step"] for entry in self._recorder.records]

    def step(self, step: int, loss: float | Tensor = math.nan) -> bool:
        """After the update `step`, counted from 1, whose training loss is `loss`: record it if it is due, and say whether."""
        self._step = step
        self._loss = loss  # type: ignore[assignment]  # read only when it is recorded: a GPU would have to be waited for
        if self._fault or not self._due(step):
            return False
        self._record(step)
        return True

    def _due(self, step: int) -> bool:
        if self.every is not None:
            return step % self.every == 0
        rested = time.monotonic() - self._last
        return step >= self._next and rested * self.share >= self._cost

    def _record(self, step: int) -> None:
        begun = time.monotonic()
        try:
            with torch.no_grad():
                model = self.checkpoint.as_now()
                examples = [example for _, example in self._items[:SCORED]]
                valid = mean_loss(model, examples, batch_tokens=_BATCH_TOKENS, precision="float32")
                self._recorder.record(
                    model,
                    step,
                    train_loss=float(torch.as_tensor(self._loss).detach()),
                    valid_loss=valid,
                    bleu=math.nan,
                )
        except (AtlasError, RuntimeError) as error:
            self._fault = str(error).split("\n")[0]
            warnings.warn(f"Nothing more is recorded from step {step} on: {self._fault}", stacklevel=3)
        records = self._recorder.records
        if len(records) >= _MOST_RECORDS:  # every other one stays, the first and the last too
            self._recorder.records = [*records[:-1:2], records[-1]]
        self._last = time.monotonic()
        self._cost = self._last - begun
        self.seconds += self._cost
        self._next = max(step + 1, math.ceil(step * _GROWTH))

    @property
    def cost(self) -> float:
        """The share of the time since `core.watch` that recording took."""
        return self.seconds / max(time.monotonic() - self._began, 1e-9)

    def save(self, folder: str | Path, name: str | None = None) -> Path:
        """Write the model as it is now with everything recorded, as a checkpoint folder that the app opens.

        The last step is recorded too if it is not yet, and a line says how many records there are. Raises `CheckpointError`
        if it cannot be written.
        """
        if not self._fault and self._step > self.steps[-1]:
            self._record(self._step)
        path, last = Path(folder), self.checkpoint
        model = last.as_now()
        examples = [{"source": pair.source} for pair, _ in self._items[:SCORED]]
        card = {**last.card, "name": name or path.name, "task": "watched", "examples": examples}
        save(path, model, last.source_tokenizer, last.target_tokenizer, card, "float32")
        save_dynamics(path / files.DYNAMICS, self._recorder.dynamics())
        print(f"{path}: {self}")
        return path

    def __repr__(self) -> str:
        count = len(self.steps)
        return f"{count} {'record' if count == 1 else 'records'}, from step {self.steps[0]} to step {self.steps[-1]}"

    def callback(self, folder: str | Path | None = None) -> TrainingCallback:
        """A callback for Hugging Face's Trainer or Lightning's; with `folder`, saved there when the training ends."""
        return TrainingCallback(self, folder)


class TrainingCallback:
    """Passes the steps of a Hugging Face Trainer (`callbacks=[…]`) or a Lightning Trainer on to a recorder.

    Both call their callbacks by the names of events. Needs neither library.
    """

    def __init__(self, recorder: TrainingRecorder, folder: str | Path | None) -> None:
        self._recorder, self._folder = recorder, folder
        self._loss = math.nan

    # Hugging Face: (args, state, control, **kwargs)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **rest: Any) -> None:
        self._loss = float((logs or {}).get("loss", self._loss))

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        self._recorder.step(int(state.global_step), self._loss)

    # Lightning: (trainer, module, outputs, batch, index)

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, *rest: Any) -> None:
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        self._recorder.step(int(trainer.global_step), math.nan if loss is None else loss)

    def on_train_end(self, *rest: Any, **named: Any) -> None:
        """Both libraries' event at the end."""
        if self._folder is not None:
            self._recorder.save(self._folder)

    @property
    def state_key(self) -> str:
        return type(self).__name__

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Any) -> None:
        """Nothing of a recorder is in another library's checkpoint."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_") or name in ("setup", "teardown"):
            return _nothing
        raise AttributeError(name)


def _nothing(*rest: Any, **named: Any) -> None:
    """What the callback does at every other event."""


def _examples(checkpoint: WrappedCheckpoint, pairs: Sequence[tuple[str, str]]) -> list[tuple[Pair, Example]]:
    """The pairs that the model can read, tokenized, with the token that each output is made to begin with."""
    config, target = checkpoint.config, checkpoint.target_tokenizer
    forced = [] if config.forced_bos_id is None else [config.forced_bos_id]
    items: list[tuple[Pair, Example]] = []
    reason = ""
    for source, translation in pairs:
        try:
            ids = checkpoint.encode_source(source), target.encode(translation)
        except AtlasError as error:
            reason = f": {error}"
            continue
        written = ids[1] if ids[1][: len(forced)] == forced else [*forced, *ids[1]]
        if len(written) <= config.max_length:
            items.append((Pair(source, translation), Example(ids[0], written)))
    if not items:
        raise InputError(f"None of the {len(pairs)} pairs can be read by the model{reason or '; give some'}.")
    return items
