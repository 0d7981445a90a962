"""A run that starts from a checkpoint has its weights and tokenizers, and refuses one that does not fit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import core.api
from core.errors import CheckpointError, TrainingError
from core.training.config import SourceConfig, TrainingConfig, load_config
from core.training.loop import Trainer
from core.training.run import train
from core.training.snapshots import STATE_FILE, load_state, save_state
from tests.core.training.conftest import ALONE, MakeConfig


@pytest.fixture
def trained(make_config: MakeConfig) -> Path:
    config = make_config("first", steps=4)
    assert train(config)
    return config.out


def continued(make_config: MakeConfig, tmp_path: Path, start: Path, **options: object) -> TrainingConfig:
    make_config("second", **options)
    return load_config(
        tmp_path / "second.toml",
        out=tmp_path / "second",
        work=tmp_path / "second.work",
        start_from=start,
    )


def test_a_run_goes_on_from_the_weights_and_tokenizers(
    make_config: MakeConfig, tmp_path: Path, trained: Path
) -> None:
    before = core.api.load(trained, device="cpu")
    config = continued(make_config, tmp_path, trained, steps=2, dropout=0.3, task="reverse")
    trainer = Trainer(config, ALONE)
    assert trainer.model.config.dropout == 0.3
    for name, tensor in before.model.state_dict().items():
        assert torch.equal(tensor, trainer.model.state_dict()[name]), name
    assert trainer.data.tokenizers[1] == before.target_tokenizer
    # Rare pieces are told by the counts, so these are of the pairs this run reads.
    assert trainer.data.tokenizers[0].counts != before.source_tokenizer.counts
    assert train(config)
    card = core.api.load(config.out, device="cpu").card
    seen = before.card["figures"]["target_tokens_seen"]
    assert card["figures"]["started_from"] == {
        "name": "tiny",
        "digest": before.digest,
        "target_tokens_seen": seen,
    }
    assert card["recipe"]["start_from"] == "first"
    assert "vocab_size" not in card["recipe"]["tokenizer"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("told", "theirs"),
    [({"split_seed": 2, "training": {"seed": 1}}, 2), ({"training": {"seed": 3}}, 3), ({"split_seed": 1}, 1), ({}, 1), (None, 1)],
)  # fmt: skip
def test_a_checkpoint_that_held_back_other_pairs_is_refused(
    make_config: MakeConfig, tmp_path: Path, trained: Path, told: object, theirs: int
) -> None:
    """Else what is reported as held back would have been read by the run before."""
    card = trained / "card.json"
    card.write_text(json.dumps({**json.loads(card.read_text()), "recipe": told}))
    lines = tmp_path / "pairs.tsv"
    lines.write_text("".join(f"{a}{b}\t{b}{a}\n" for a in "abcdef" for b in "abcdef"))
    config = continued(make_config, tmp_path, trained, steps=2)
    source = SourceConfig(path=str(lines), held_back=5)
    held = replace(config, data=replace(config.data, sources=(source,)))
    if theirs == 1:
        Trainer(held, ALONE)
    else:
        with pytest.raises(TrainingError, match=f"split_seed = {theirs} and has read others"):
            Trainer(held, ALONE)
        Trainer(replace(held, data=replace(held.data, split_seed=theirs)), ALONE)
    Trainer(config, ALONE)  # nothing is held back: nothing to be read


@pytest.mark.thorough
def test_the_recipe_may_name_the_checkpoint(make_config: MakeConfig, tmp_path: Path, trained: Path) -> None:
    make_config("named")
    file = tmp_path / "named.toml"
    file.write_text('start_from = "first"\n' + file.read_text())
    assert load_config(file).start_from == trained


@pytest.mark.thorough
def test_an_unfinished_run_cannot_change_where_it_started(
    make_config: MakeConfig, tmp_path: Path, trained: Path
) -> None:
    config = continued(make_config, tmp_path, trained, steps=2)
    trainer = Trainer(config, ALONE)
    trainer.save()
    elsewhere = load_config(tmp_path / "second.toml", out=config.out, work=config.work)
    with pytest.raises(TrainingError, match="start_from = 'first' but the recipe says None"):
        Trainer(elsewhere, ALONE).resume()


def test_what_does_not_fit_is_one_sentence(make_config: MakeConfig, tmp_path: Path, trained: Path) -> None:
    make_config("second")
    file = tmp_path / "second.toml"
    file.write_text(file.read_text().replace("d_ff = 32", "d_ff = 64"))
    config = load_config(file, out=tmp_path / "o", work=tmp_path / "w", start_from=trained)
    with pytest.raises(
        TrainingError, match=r"d_ff = 64, but the checkpoint it starts from has 32; write the checkpoint's"
    ):
        Trainer(config, ALONE)
    with pytest.raises(CheckpointError):
        Trainer(load_config(file, work=tmp_path / "w2", start_from=tmp_path / "nowhere"), ALONE)


@pytest.mark.thorough
def test_a_share_of_the_starting_weights_is_kept(
    make_config: MakeConfig, tmp_path: Path, trained: Path
) -> None:
    def written(share: float) -> dict[str, torch.Tensor]:
        config = continued(
            make_config,
            tmp_path,
            trained,
            steps=2,
            dropout=0.0,
            extra=f"keep_start = {share}",
        )
        assert train(config)
        ck = core.api.load(config.out, device="cpu")
        assert ("25% of the weights it started from" in ck.card["figures"]["weights"]) is (share == 0.25)
        return ck.model.state_dict()

    start = core.api.load(trained, device="cpu").model.state_dict()
    end, mixed = written(0.0), written(0.25)
    moved = 0
    for name, tensor in mixed.items():
        torch.testing.assert_close(tensor, 0.75 * end[name] + 0.25 * start[name], rtol=1e-3, atol=1e-4)
        moved += int(not torch.equal(end[name], start[name]))
    assert moved > 5


def test_a_state_with_one_flipped_bit_is_refused(tmp_path: Path) -> None:
    """PyTorch reads it as if nothing had happened, so a run would go on from other weights."""
    save_state(tmp_path, {"weights": torch.zeros(4096)})
    content = bytearray((tmp_path / STATE_FILE).read_bytes())
    content[content.index(bytes(4096)) + 2048] ^= 1
    (tmp_path / STATE_FILE).write_bytes(content)
    with pytest.raises(TrainingError, match="start again with --restart"):
        load_state(tmp_path)


def test_what_a_killed_run_was_writing_is_removed_at_the_next_start(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / "average").mkdir()
    left = [
        tmp_path / f".{STATE_FILE}.{gone.pid}.part",
        tmp_path / f"average/.step-0000001.pt.{gone.pid}.part",
    ]
    kept = [tmp_path / f".{STATE_FILE}.{os.getpid()}.part", tmp_path / "notes.part"]
    for file in (*left, *kept):
        file.touch()
    assert load_state(tmp_path) is None
    assert not any(file.exists() for file in left) and all(file.exists() for file in kept)
