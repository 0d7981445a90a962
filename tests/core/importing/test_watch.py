"""`core.watch`: a recorder in one's own loop, in Trainer's callbacks, and what it costs."""

from __future__ import annotations

import copy
import math
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import core
from core.errors import InputError
from core.importing import watch as watching
from core.model.hooks import Hooks
from core.training.dynamics import stored_dynamics
from tests.core.importing.test_wrap import SOURCES, TARGETS, TELLING, OwnNames, shaken

WORDS = [f"w{n}" for n in range(SOURCES - 4)]
VOCABULARIES = (
    ["<unk>", "<pad>", "<s>", "</s>", *WORDS],
    ["<unk>", "<pad>", "<s>", "</s>", *WORDS[: TARGETS - 4]],
)
PAIRS = [(f"w{n} w{n + 1} w{n + 2}", f"w{n} w{n + 1}") for n in range(0, 20)]


def loop(model: nn.Module, steps: int, recorder: watching.TrainingRecorder, rest: float = 0.0) -> list[float]:
    """A plain loop: the target is the source's beginning."""
    torch.manual_seed(0)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    losses = []
    for step in range(1, steps + 1):
        source = torch.randint(4, TARGETS, (16, 6))
        target = torch.cat([torch.full((16, 1), TELLING["bos"]), source[:, :4]], 1)
        loss = nn.functional.cross_entropy(model(source, target[:, :-1]).transpose(1, 2), target[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(rest)
        recorder.step(step, loss)
        losses.append(loss.item())
    return losses


def watched(model: nn.Module, **options: Any) -> watching.TrainingRecorder:
    return core.watch(model, PAIRS, VOCABULARIES, **TELLING, **options)


def test_a_plain_loop_is_recorded_step_by_step_and_opens_as_a_checkpoint(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    model = shaken(OwnNames())
    untouched = copy.deepcopy(model)
    recorder = watched(model, every=4)
    assert recorder.checkpoint.agreement is not None
    assert recorder.checkpoint.agreement.agrees
    losses = loop(model, 12, recorder)
    alone = loop(untouched, 12, SimpleNamespace(step=lambda *_: None))  # type: ignore[arg-type]
    assert losses == alone  # neither the weights nor the random numbers of the training are touched
    folder = recorder.save(tmp_path / "mine")
    checkpoint = core.load(folder, device="cpu")
    dynamics = stored_dynamics(folder, checkpoint.config)
    assert dynamics.steps.tolist() == recorder.steps == [0, 4, 8, 12]
    assert dynamics.train_loss[1:] == pytest.approx([losses[3], losses[7], losses[11]])
    assert math.isnan(dynamics.train_loss[0])
    assert dynamics.valid_loss[-1] < dynamics.valid_loss[0]
    # The last recorded maps are those of the saved model, and of the trained one.
    probe = dynamics.probes[2]
    hooks = Hooks(record=["decoder.1.cross.weights"])
    source = torch.tensor([checkpoint.encode_source(probe.source)])
    target = checkpoint.target_tokenizer.encode(probe.target)
    with torch.no_grad():
        logits = checkpoint.model(
            source, torch.tensor([[checkpoint.config.bos_id, *target[:-1]]]), hooks=hooks
        )
        gap = logits - model.eval()(source, torch.tensor([[checkpoint.config.bos_id, *target[:-1]]]))
    assert gap.abs().max() < 1e-5
    (cross,) = hooks.records.values()
    assert np.abs(dynamics.maps("cross", 2)[-1, 1] - cross[0].numpy()).max() < 1 / 128


def test_the_end_is_recorded_when_it_is_saved_and_the_records_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = shaken(OwnNames())
    recorder = watched(model, every=4)
    losses = loop(model, 6, recorder)
    assert recorder.steps == [0, 4]
    folder = recorder.save(tmp_path / "mine")
    assert capsys.readouterr().out == f"{folder}: 3 records, from step 0 to step 6\n"
    dynamics = stored_dynamics(folder, core.load(folder, device="cpu").config)
    assert dynamics.steps.tolist() == recorder.steps == [0, 4, 6]
    assert dynamics.train_loss[-1] == pytest.approx(losses[-1])
    recorder.save(folder)  # again: nothing new
    assert recorder.steps == [0, 4, 6]


def test_records_grow_rarer_and_take_a_small_share(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    recorder = watched(shaken(OwnNames()), share=0.5)
    monkeypatch.setattr(recorder, "_cost", 0.0)
    monkeypatch.setattr(
        recorder, "_record", lambda step: setattr(recorder, "_next", max(step + 1, math.ceil(step * 1.25)))
    )
    due = [step for step in range(1, 1000) if recorder.step(step)]
    assert due[:4] == [1, 2, 3, 4]
    assert 20 < len(due) < 40
    monkeypatch.undo()
    recorder = watched(shaken(OwnNames()))
    cost = recorder.seconds
    recorder.step(1, 1.0)
    assert recorder.steps == [
        0
    ]  # a hundredth of a second of training has not earned a record of `cost` seconds
    assert recorder.share == 0.02
    recorder._last -= cost / recorder.share
    assert recorder.step(2, 1.0)
    assert recorder.steps == [0, 2]


def test_a_fault_ends_the_recording_and_not_the_training() -> None:
    model = shaken(OwnNames())
    recorder = watched(model, every=1)
    with torch.no_grad():
        model.out.weight[0, 0] = math.nan
    with pytest.warns(UserWarning, match=r"Nothing more is recorded from step 1 on: .*NaN"):
        recorder.step(1, 1.0)
    assert not recorder.step(2, 1.0)
    assert recorder.steps == [0]


def test_many_records_are_thinned_out() -> None:
    model = shaken(OwnNames())
    recorder = watched(model, every=1)
    recorder._recorder.records = [{**recorder._recorder.records[0], "step": n} for n in range(39)]
    recorder.step(39, 1.0)
    assert recorder.steps == [*range(0, 39, 2), 39]


def test_the_callback_hears_hugging_faces_events(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from transformers.trainer_callback import CallbackHandler, DefaultFlowCallback

    recorder = watched(shaken(OwnNames()), every=2)
    handler = CallbackHandler([DefaultFlowCallback()], None, None, None, None)
    handler.add_callback(recorder.callback(tmp_path / "mine"))
    arguments = transformers.TrainingArguments.__new__(transformers.TrainingArguments)
    for name, value in (("logging_steps", 1), ("eval_steps", 0), ("save_steps", 0), ("max_steps", 4)):
        object.__setattr__(arguments, name, value)
    for name in ("logging_strategy", "eval_strategy", "save_strategy"):
        object.__setattr__(arguments, name, "no")
    object.__setattr__(arguments, "logging_first_step", False)
    object.__setattr__(arguments, "eval_delay", 0)
    state, control = transformers.TrainerState(), transformers.TrainerControl()
    state.max_steps = 4
    handler.on_train_begin(arguments, state, control)
    for step in range(1, 5):
        handler.on_step_begin(arguments, state, control)
        state.global_step = step
        control = handler.on_step_end(arguments, state, control)
        handler.on_log(arguments, state, control, {"loss": 5.0 - step})
    handler.on_train_end(arguments, state, control)
    dynamics = stored_dynamics(tmp_path / "mine", core.load(tmp_path / "mine", device="cpu").config)
    assert dynamics.steps.tolist() == [0, 2, 4]
    assert dynamics.train_loss[1:].tolist() == [4.0, 2.0]  # the last one logged before each


def test_the_callback_hears_lightnings_events(tmp_path: Path) -> None:
    recorder = watched(shaken(OwnNames()), every=1)
    callback = recorder.callback(tmp_path / "mine")
    trainer = SimpleNamespace(global_step=0)
    for hook in ("setup", "on_fit_start", "on_train_start", "on_train_epoch_start"):
        getattr(callback, hook)(trainer, None)  # as Trainer._call_callback_hooks does
    for step in (1, 2):
        trainer.global_step = step
        callback.on_train_batch_end(trainer, None, {"loss": torch.tensor(1.0 / step)}, None, step - 1)
    callback.on_train_end(trainer, None)
    assert (callback.state_key, callback.state_dict()) == ("TrainingCallback", {})
    assert recorder.steps == [0, 1, 2]
    assert (tmp_path / "mine" / "dynamics.npz").is_file()
    with pytest.raises(AttributeError):
        _ = callback.something_else


def test_what_cannot_be_watched_is_refused_in_a_sentence() -> None:
    model = shaken(OwnNames())
    for make, words in (
        (lambda: core.watch(model, PAIRS), "give the model's tokenizer"),
        (lambda: watched(model, every=0), "whole number of steps"),
        (lambda: core.watch(model, [], VOCABULARIES, **TELLING), "None of the 0 pairs"),
    ):
        with pytest.raises(InputError, match=words):
            make()
    assert core.watch(core.wrap(model, VOCABULARIES, **TELLING), PAIRS).steps == [0]
