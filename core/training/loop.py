"""The training loop: `Trainer` takes a recipe to a finished model and can resume at any step.

`Recorder` records its dynamics: head scores and probe maps of the current weights (`core.training.dynamics`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from core.analysis.glossary import SCORES
from core.analysis.heads import head_scores
from core.analysis.scores import mean_score
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, Hooks, Site
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.training.config import TrainingConfig
from core.training.data import Pair
from core.training.dynamics import KINDS, Dynamics, Probe, pack
from core.training.evaluate import Measurement, measure
from core.training.objective import (
    Objective,
    Optimizer,
    autocast,
    compiled,
    evaluating,
    learning_rate,
    log_spaced_steps,
)
from core.training.prepared import Batch, Example, make_batch, model_config, plan_epoch, prepare
from core.training.process import Process, Reporter, clock, interruptible, kernels_for_training
from core.training.snapshots import RollingAverage, Start, check_same_run, load_state, save_state

_COUNTERS = ("step", "epoch", "position", "seconds", "tokens", "history", "last_loss", "recent_tokens")


@dataclass(frozen=True)
class Event:
    """A step that was made (0: the untrained model), the measurement after it, and whether the heads were recorded."""

    step: int
    measured: Measurement | None = None
    recorded: bool = False


class Trainer:
    """The state of one training process. Build it, `resume()`, `run()`; see `core.training.run` for the end.

    `events()` is the same run as an iterator, for callers that follow it. All randomness is a function of (seed, step,
    rank), so a resumed run equals the uninterrupted one bit for bit.
    """

    def __init__(self, config: TrainingConfig, process: Process) -> None:
        self.config, self.process = config, process
        self.settings = config.training
        self.start = Start.at(config.start_from) if config.start_from is not None else None
        self.data = prepare(config, process, self.start)
        self.model = self._model()
        self.objective = self._wrap()
        self.optimizer = Optimizer(self.model, self.settings, process.device)
        self.record_at = set(log_spaced_steps(self.settings.dynamics_steps, self.settings.max_steps))
        longest = longest_probe(self.model.config, len(self.record_at))
        self.recorder = Recorder(
            self.data.valid_pairs, self.data.valid_examples, self.data.tokenizers, longest=longest
        )
        self.average = RollingAverage(config.work, self.settings.average_last)
        self.reporter = Reporter(self.settings.max_steps, main=process.main)
        self.step, self.epoch, self.position = 0, 0, 0
        self.over = False  # whether training is finished
        self.seconds = 0.0  # of training, over all resumptions
        self.tokens = 0
        self.history: list[dict[str, Any]] = []
        self.last_loss = math.nan
        # Since the last log line: this process's summed loss, and the tokens of all processes.
        wide = torch.float32 if process.device.type == "mps" else torch.float64
        self.recent_loss = torch.zeros((), dtype=wide, device=process.device)
        self.recent_tokens = 0

    def _model(self) -> Transformer:
        torch.manual_seed(self.settings.seed)
        model = Transformer(model_config(self.config, *self.data.tokenizers))
        if self.start is not None:
            self.start.give_weights(model)
        return model.to(self.process.device)

    def _wrap(self) -> nn.Module:
        plain = Objective(self.model, self.settings.label_smoothing, self.settings.r_drop)
        objective = compiled(plain, self.process.device) if self.settings.compile else plain
        if self.process.world == 1:
            return objective
        ids = [self.process.device.index] if self.process.device.type == "cuda" else None
        return DistributedDataParallel(objective, device_ids=ids)

    # Saving and resuming.

    def resume(self) -> bool:
        """Continue the run in the work folder, if there is one."""
        state = load_state(self.config.work)
        if state is None:
            return False
        check_same_run(state["recipe"], self.config.to_json())
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name in _COUNTERS:
            setattr(self, name, state[name])
        self.recent_loss.fill_(state["recent_loss"])
        self.recorder.restore(state["dynamics"])
        return True

    def save(self) -> None:
        """Write the state to resume from (the main process only)."""
        if not self.process.main:
            return
        state: dict[str, Any] = {
            "recipe": self.config.to_json(),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "dynamics": self.recorder.state(),
        }
        state["recent_loss"] = float(self.recent_loss)
        state.update({name: getattr(self, name) for name in _COUNTERS})
        save_state(self.config.work, state)

    # Training.

    def batches(self) -> Iterator[Batch]:
        """Batches without end from the current position; `epoch` and `position` always name the next one."""
        while True:
            plan = self._plan()
            while self.position < len(plan):
                rows = plan[self.position]
                self.position += 1
                examples = [self.data.train.draw(self.epoch, index) for index in rows]
                yield make_batch(
                    examples, range(len(rows)), self.model.config, self.process.rank, self.process.world
                )
            self.epoch, self.position = self.epoch + 1, 0

    def update(self, batch: Batch) -> None:
        """One step of the optimiser on one global batch."""
        settings, device, process = self.settings, self.process.device, self.process
        self.step += 1
        torch.manual_seed((settings.seed * 1_000_003 + self.step) * 1009 + process.rank)
        rate = learning_rate(
            self.step,
            peak=settings.learning_rate,
            warmup_steps=settings.warmup_steps,
            max_steps=settings.max_steps,
            cooldown=settings.cooldown,
        )
        with autocast(device, settings.precision), kernels_for_training(device):
            here = batch.to(device)
            loss = self.objective(here.source, here.target, here.labels)
        # DistributedDataParallel averages over processes; times `world` makes it the sum over the global batch.
        (loss * (process.world / batch.tokens)).backward()
        if settings.clip_norm:
            nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip_norm)
        self.optimizer.step(rate)
        self.tokens += batch.tokens
        self.recent_loss += loss.detach()
        self.recent_tokens += batch.tokens

    def run(self) -> bool:
        """Train until max_steps, max_hours or a signal. True when training is over, False when it was interrupted."""
        with interruptible() as interrupted:
            for _ in self.events(interrupted):
                pass
        return self.over

    def events(
        self, interrupted: Callable[[], bool] = lambda: False, enough: Callable[[], bool] = lambda: False
    ) -> Iterator[Event]:
        """Train, one event per step. `interrupted` ends the run with its state saved, to be resumed; `enough` ends it like
        max_steps: measured, recorded, `over`. The time that the caller takes is not counted as training.
        """
        settings = self.settings
        self.model.train()
        if self.step == 0 and 0 in self.record_at and self.process.main:
            yield Event(0, self._measure(record=True, translate=False), recorded=True)
        last_save = last_tick = time.monotonic()
        self.over = self.step >= settings.max_steps
        batches = self.batches()
        while not self.over:
            self.update(next(batches))
            now = time.monotonic()
            self.seconds += now - last_tick
            last_tick = now
            self.over = self.step >= settings.max_steps or self._out_of_time() or self.process.any(enough())
            evaluate = self.over or self.step % settings.evaluate_every == 0
            event = self._look(over=self.over, evaluate=evaluate)
            stop = self.process.any(interrupted())
            if evaluate or stop or time.monotonic() - last_save >= settings.save_seconds:
                self.save()
                last_save = time.monotonic()
            handed = time.monotonic()
            yield event
            last_tick += time.monotonic() - handed
            if stop and not self.over:
                self.reporter.line(f"Stopped at step {self.step}; the same command resumes it.")
                return

    def _look(self, *, over: bool, evaluate: bool) -> Event:
        """After an update: log, keep weights, measure and record, each when due."""
        record = over or self.step in self.record_at
        if evaluate or record:
            self.train_loss()
        if over or self.step % self.settings.log_every == 0:
            self.log()
        if not self.process.main:
            return Event(self.step)
        if over or self.step % self.settings.average_every == 0:
            self.average.add(self.step, self.model.state_dict())
        measured = self._measure(record=record, translate=evaluate) if evaluate or record else None
        return Event(self.step, measured, record)

    def _out_of_time(self) -> bool:
        limit = self.settings.max_hours
        return bool(limit) and self.process.any(self.seconds > limit * 3600)

    # Reporting.

    def batches_in_epoch(self) -> int:
        """The number of batches in the current epoch."""
        return len(self._plan())

    def _plan(self) -> list[list[int]]:
        settings = self.settings
        return plan_epoch(self.data.train.examples, settings.batch_tokens, settings.seed, self.epoch)

    def announce(self, resumed: bool) -> None:
        """Print what will be trained."""
        weights = sum(parameter.numel() for parameter in self.model.parameters())
        self.reporter.line(
            f"{'Resuming' if resumed else 'Training'} {self.config.name} at step {self.step} of "
            f"{self.settings.max_steps}: {len(self.data.train):,} training and {len(self.data.valid_examples):,} "
            f"validation pairs, {self.batches_in_epoch()} batches an epoch, {weights:,} parameters, "
            f"{self.process.device} × {self.process.world}, {self.settings.precision}."
        )

    def train_loss(self) -> float:
        """Mean loss per token since the last log line (with label smoothing and R-Drop), over all processes."""
        if self.recent_tokens:
            self.last_loss = self.process.total(float(self.recent_loss)) / self.recent_tokens
        return self.last_loss

    def log(self) -> None:
        """Print the step, the loss since the last line, and the time to go."""
        loss = self.train_loss()
        self.recent_loss.zero_()
        self.recent_tokens = 0
        speed = self.tokens / max(self.seconds, 1e-9)
        left = (self.settings.max_steps - self.step) * self.seconds / max(self.step, 1)
        rate = self.optimizer.learning_rate
        text = f"epoch {self.epoch}  loss {loss:.3f}  lr {rate:.2e}  {speed:.0f} tokens/s  eta {clock(left)}"
        self.reporter.step(self.step, text, log=True)

    def _measure(self, *, record: bool, translate: bool) -> Measurement:
        """Validation loss, BLEU when `translate`, and a record of the heads when `record`."""
        started = time.monotonic()
        measurement = measure(
            self.model,
            self.data.valid_pairs,
            self.data.valid_examples,
            self.data.tokenizers,
            self.settings,
            translate=translate,
        )
        if record:
            self.recorder.record(
                self.model,
                self.step,
                train_loss=self.last_loss,
                valid_loss=measurement.valid_loss,
                bleu=measurement.bleu,
            )
        self.history.append({"step": self.step, "train_loss": self.last_loss, **asdict(measurement)})
        if translate:
            self.reporter.line(
                f"step {self.step}  valid loss {measurement.valid_loss:.4f}  BLEU {measurement.bleu:.2f}  "
                f"exact {measurement.exact:.1f} %  ({clock(self.seconds)} trained, measured in "
                f"{time.monotonic() - started:.0f} s)"
            )
        return measurement


PROBES = 8


MAP_BYTES = 5_000_000  # of all maps together before compression; bounds the length of a probe


SCORED = 40  # validation sentences whose mean is a head's score


_SITES = {kind.name: (kind.stack, kind.block) for kind in ATTENTION.values()}


def longest_probe(config: ModelConfig, steps: int) -> int:
    """Tokens a side that keep `steps` records of all heads' maps within MAP_BYTES."""
    maps = config.head_count
    return min(40, max(4, math.isqrt(MAP_BYTES // max(1, maps * steps * PROBES))))


class Recorder:
    """Collects one record per chosen step; its `records` are plain tensors, saved with the training state."""

    def __init__(
        self,
        pairs: Sequence[Pair],
        examples: Sequence[Example],
        tokenizers: tuple[Tokenizer, Tokenizer],
        *,
        longest: int,
    ) -> None:
        """pairs and examples of the validation set, in the same order; probes have at most `longest` tokens a side."""
        self.tokenizers = tokenizers
        self.items = list(zip(pairs, examples, strict=True))
        fitting = [
            i
            for i, (_, example) in enumerate(self.items)
            if max(len(example.source), len(example.target)) <= longest
        ]
        # Spread over the lengths, so that the probes are not the eight shortest.
        fitting.sort(key=lambda i: len(self.items[i][1].source))
        spread = np.linspace(len(fitting) // 4, max(0, len(fitting) - 1), PROBES).round()
        self._choose([fitting[i] for i in dict.fromkeys(map(int, spread))] if fitting else [])
        self.records: list[dict[str, Any]] = []

    def _choose(self, probes: list[int]) -> None:
        self.chosen = probes
        self.probes = [self.items[i] for i in probes]
        self.scored = self.probes + [item for i, item in enumerate(self.items[:SCORED]) if i not in probes]

    def state(self) -> dict[str, Any]:
        """The state that a resumed run needs."""
        return {"records": self.records, "probes": self.chosen}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore `state`, with its probes: maps of different sentences cannot be combined."""
        self.records = state["records"]
        self._choose(state["probes"])

    def record(
        self, model: Transformer, step: int, *, train_loss: float, valid_loss: float, bleu: float
    ) -> None:
        """Add the state of every head at `step`, replacing a record of the same step."""
        weights = _attention(model, [example for _, example in self.scored])
        entry: dict[str, Any] = {
            "step": step,
            "train_loss": train_loss,
            "valid_loss": valid_loss,
            "bleu": bleu,
        }
        for kind in KINDS:
            scores = [self._scores(weights[kind][i], kind, i) for i in range(len(self.scored))]
            entry[f"{kind}.scores"] = torch.from_numpy(mean_score(scores).astype(np.float16))
            packed = [pack(weights[kind][i]) for i in range(len(self.probes))]
            flat = np.concatenate(packed) if packed else np.zeros(0, np.uint8)
            entry[f"{kind}.maps"] = torch.from_numpy(flat)
        self.records = [old for old in self.records if old["step"] != step] + [entry]

    def _scores(self, weights: NDArray[np.float32], kind: str, index: int) -> NDArray[np.float64]:
        """(M, L, H) scores of one sentence."""
        probe = self.probe(index)
        queries, keys = probe.sides(kind)
        values = head_scores(weights, kind, queries=queries, keys=keys)
        return np.stack(list(values.values()))

    def probe(self, index: int) -> Probe:
        """The texts and token labels of the scored sentence `index`; the probes come first."""
        pair, example = self.scored[index]
        source, target = self.tokenizers
        return Probe(
            source=pair.source,
            target=pair.target,
            source_tokens=tuple(source.labels(example.source)),
            target_tokens=tuple(target.labels([target.bos_id, *example.target[:-1]])),
            written_tokens=tuple(target.labels(example.target)),
        )

    def dynamics(self) -> Dynamics:
        """Everything recorded so far."""
        probes = tuple(self.probe(i) for i in range(len(self.probes)))
        return Dynamics.of_records(self.records, probes, tuple(SCORES), len(self.scored))


def _attention(model: Transformer, examples: Sequence[Example]) -> Mapping[str, list[NDArray[np.float32]]]:
    """Each example's maps, kind → list of (L, H, Tq, Tk) without padding, at the reference translation."""
    hooks = Hooks(record=["*.weights"])
    with evaluating(model) as device:
        batch = make_batch(examples, range(len(examples)), model.config).to(device)
        model(batch.source, batch.target, hooks=hooks)
    maps: dict[str, list[NDArray[np.float32]]] = {}
    for kind, (stack, block) in _SITES.items():
        layers = range(model.config.layers(stack))
        stacked = torch.stack([hooks.records[Site(stack, i, block, "weights")] for i in layers], dim=1)
        array = stacked.float().cpu().numpy()
        maps[kind] = []
        for row, example in enumerate(examples):
            queries = len(example.source) if kind == "encoder-self" else len(example.target)
            keys = len(example.target) if kind == "decoder-self" else len(example.source)
            maps[kind].append(array[row, :, :, :queries, :keys])
    return maps
