"""The loop learns, resumes bit for bit, averages, stops when asked, and ends in a checkpoint."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
import torch

import core.api
from core.errors import CheckpointError, TrainingError
from core.model.trace import Trace
from core.training.config import TrainingConfig
from core.training.dynamics import stored_dynamics
from core.training.loop import Trainer
from core.training.objective import Objective
from core.training.run import train
from core.training.snapshots import STATE_FILE, RollingAverage, load_state
from tests.core.training.conftest import ALONE, MakeConfig


def run(config: TrainingConfig) -> Trainer:
    trainer = Trainer(config, ALONE)
    trainer.resume()
    trainer.run()
    return trainer


def same_state(one: Path, other: Path) -> None:
    """Everything but the clock is equal, bit for bit."""
    first, second = load_state(one), load_state(other)
    assert first is not None
    assert second is not None
    for name in ("step", "epoch", "position", "tokens", "last_loss", "recent_loss", "recent_tokens"):
        assert first[name] == second[name], name
    assert str(first["history"]) == str(second["history"])
    for name, tensor in first["model"].items():
        assert torch.equal(tensor, second["model"][name]), name
    (ours,), (theirs,) = first["optimizer"]["parts"], second["optimizer"]["parts"]
    for key, values in ours["state"].items():
        for name, value in values.items():
            assert torch.equal(value, theirs["state"][key][name])
    for row, other_row in zip(first["dynamics"]["records"], second["dynamics"]["records"], strict=True):
        for name, value in row.items():
            if isinstance(value, torch.Tensor):
                assert torch.equal(torch.nan_to_num(value), torch.nan_to_num(other_row[name]))


class KilledError(Exception):
    pass


def killed_at(trainer: Trainer, step: int) -> None:
    """Run, and die in the middle of the update after `step`."""
    update = trainer.update

    def dying(batch: object) -> None:
        if trainer.step == step:
            raise KilledError
        update(batch)  # type: ignore[arg-type]

    trainer.update = dying  # type: ignore[method-assign]
    with pytest.raises(KilledError):
        trainer.run()


def test_a_killed_run_resumes_bit_for_bit(make_config: MakeConfig) -> None:
    straight, broken = make_config("straight"), make_config("broken")
    run(straight)
    trainer = Trainer(broken, ALONE)
    assert not trainer.resume()
    killed_at(trainer, 13)  # the last state is of step 10, where it evaluated
    torch.manual_seed(99)
    resumed = Trainer(broken, ALONE)
    assert resumed.resume()
    assert resumed.step == 10
    resumed.run()
    same_state(straight.work, broken.work)
    means = [RollingAverage(config.work, 3).mean(20) for config in (straight, broken)]
    assert means[0][1] == means[1][1] == [16, 18, 20]
    assert all(torch.equal(tensor, means[1][0][name]) for name, tensor in means[0][0].items())


@pytest.mark.thorough
def test_a_killed_run_draws_the_same_segmentations_and_names(make_words: MakeConfig) -> None:
    straight, broken = (make_words(name, training="max_steps = 20") for name in ("straight", "broken"))
    assert run(straight).epoch > 2
    killed_at(Trainer(broken, ALONE), 13)
    assert run(broken).step == 20
    same_state(straight.work, broken.work)


def test_r_drop_of_the_recipe_is_what_is_trained(make_config: MakeConfig) -> None:
    plain, twice = run(make_config("plain")), run(make_config("twice", extra="r_drop = 3.0"))
    weights = (trainer.model.state_dict()["target_embedding.table"] for trainer in (plain, twice))
    assert not torch.equal(*weights)
    assert isinstance(twice.objective, Objective)
    assert twice.objective.r_drop == 3.0
    assert twice.config.to_json()["training"]["r_drop"] == 3.0


@pytest.mark.thorough
def test_a_run_begun_before_there_was_a_setting_goes_on_with_its_default(make_config: MakeConfig) -> None:
    killed_at(Trainer(make_config("old"), ALONE), 13)
    file = make_config("old").work / STATE_FILE
    state = torch.load(file, weights_only=True)
    del state["recipe"]["training"]["r_drop"]
    torch.save(state, file)
    with pytest.raises(TrainingError, match="r_drop = 0.0 but the recipe says 3.0"):
        Trainer(make_config("old", extra="r_drop = 3.0"), ALONE).resume()
    assert run(make_config("old")).step == 20


@pytest.mark.thorough
def test_more_steps_than_at_first(make_config: MakeConfig) -> None:
    run(make_config("long", steps=20))
    run(make_config("short", steps=10))
    longer = run(make_config("short", steps=20))
    assert longer.step == 20
    first, second = (load_state(make_config(name, steps=20).work) for name in ("long", "short"))
    assert first is not None
    assert second is not None
    assert all(torch.equal(tensor, second["model"][name]) for name, tensor in first["model"].items())


def test_a_run_ended_early_cools_down_and_keeps_its_record(make_config: MakeConfig) -> None:
    """With fewer steps than at first the rate falls to the new end, and the record stays spaced to it."""
    cooled = "cooldown = 0.5\n"
    first = Trainer(make_config("early", steps=400, extra=cooled), ALONE)
    killed_at(first, 13)  # saved at step 10
    shorter = run(make_config("early", steps=24, extra=cooled))
    assert shorter.step == 24
    assert 0 < shorter.optimizer.learning_rate < 0.15 * first.optimizer.learning_rate
    steps = shorter.recorder.dynamics().steps.tolist()
    assert steps[0] == 0 and steps[-1] == 24
    assert steps == sorted(set(steps))
    assert len(steps) <= 2 * 6 + 2  # two plans of six


@pytest.mark.thorough
def test_another_seed_is_another_run(make_config: MakeConfig) -> None:
    config = make_config("a", steps=4)
    one = run(config).model.state_dict()
    again = run(make_config("b", steps=4)).model.state_dict()
    other = run(make_config("c", steps=4, extra="seed = 2\n")).model.state_dict()
    assert all(torch.equal(tensor, again[name]) for name, tensor in one.items())
    assert not all(torch.equal(tensor, other[name]) for name, tensor in one.items())
    with pytest.raises(TrainingError, match=r"training\.seed = 1 but the recipe says 2"):
        run(make_config("a", steps=4, extra="seed = 2\n"))


def test_a_damaged_state_is_one_sentence(make_config: MakeConfig) -> None:
    config = make_config(steps=2)
    run(config)
    (config.work / "state.pt").write_bytes(b"PK nonsense")
    with pytest.raises(TrainingError, match="start again with --restart"):
        run(config)


def test_a_signal_saves_and_stops(make_config: MakeConfig, capsys: pytest.CaptureFixture[str]) -> None:
    config = make_config(steps=20)
    trainer = Trainer(config, ALONE)
    trainer.resume()
    update = trainer.update

    def signalled(batch: object) -> None:
        update(batch)  # type: ignore[arg-type]
        if trainer.step == 7:
            os.kill(os.getpid(), signal.SIGTERM)

    trainer.update = signalled  # type: ignore[method-assign]
    handler = signal.getsignal(signal.SIGTERM)
    assert not trainer.run()
    assert signal.getsignal(signal.SIGTERM) is handler
    state = load_state(config.work)
    assert state is not None
    assert state["step"] == 7
    assert "Stopped at step 7; the same command resumes it." in capsys.readouterr().out


def test_time_is_up(make_config: MakeConfig) -> None:
    trainer = run(make_config(steps=500, extra="max_hours = 1e-7\n"))
    assert trainer.step == 1
    assert trainer.average.files(1)


def test_bfloat16_keeps_float32_weights(make_config: MakeConfig) -> None:
    trainer = run(make_config(steps=3, extra='precision = "bfloat16"\n'))
    assert {parameter.dtype for parameter in trainer.model.parameters()} == {torch.float32}
    assert trainer.history[-1]["valid_loss"] < 10


def test_from_recipe_to_checkpoint(make_config: MakeConfig, capsys: pytest.CaptureFixture[str]) -> None:
    config = make_config(steps=150, dropout=0.0)
    assert train(config)
    ck = core.api.load(config.out)
    stored = json.loads((config.out / "card.json").read_text(encoding="utf-8"))
    assert stored["figures"]["steps"] == 150
    assert set(stored["figures"]["quality"]) == {"copy (valid)", "copy (test)"}
    assert [example["source"] for example in stored["examples"]] == ["abc", "fed"]
    assert stored["examples"][0]["translation"] == ck.translate("abc")
    assert stored["figures"]["log_probability"]["sets"] == ["copy (test)"]
    assert stored["figures"]["log_probability"]["quantiles"]["0.5"] <= 0
    bands = stored["figures"]["log_probability"]["by_length"]
    assert sum(band["sentences"] for band in bands) == stored["figures"]["log_probability"]["sentences"]
    assert stored["figures"]["longest_source"] >= bands[-1]["longest"] > 1
    assert "default_head" not in stored  # not measured by training
    assert sum(ck.source_tokenizer.frequency(i) or 0 for i in range(ck.source_tokenizer.vocab_size)) > 1000
    assert Trace.load(config.out / "example.npz").tokens.source[:3] == ("a", "b", "c")
    losses = stored_dynamics(config.out, ck.config).valid_loss
    assert losses[-1] < 0.7 * losses[0]
    log = capsys.readouterr().out
    assert "step 150/150" in log
    assert "tokens/s" in log
    assert "valid loss" in log
    assert train(config)  # a finished run only writes its checkpoint again


def test_a_folder_of_something_else_is_refused_before_training(make_config: MakeConfig) -> None:
    config = make_config(steps=2)
    config.out.mkdir()
    (config.out / "thesis.txt").write_text("mine")
    with pytest.raises(CheckpointError, match="holds other files"):
        train(config)
    assert not config.work.exists()


@pytest.mark.thorough
def test_restart_forgets(make_config: MakeConfig) -> None:
    config = make_config(steps=2)
    run(config)
    left = [config.work / "state.pt", config.work / "tokenizer.json"]
    # A run's folder that is somebody's home as well: `--work .` must not cost them what else is there.
    theirs = [
        config.work / "thesis.txt",
        config.work / "average" / "notes.txt",
        config.work / "data" / "a.tsv",
    ]
    for file in theirs:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
    (config.work / "state.pt").write_bytes(b"PK nonsense")  # read, it would stop the run
    before = {file: file.stat().st_mtime_ns for file in left}
    train(config, restart=True)
    assert all(file.stat().st_mtime_ns > before[file] for file in left)
    assert [file.read_text() for file in theirs] == ["mine"] * 3
