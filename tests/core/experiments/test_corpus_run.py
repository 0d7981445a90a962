"""The stored atlas: what was measured comes back, and a file that is none of this model is refused in one sentence.

`importance` and `align` over several processes: what two measure is what one measures, and a killed run goes on.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.api import load, save
from core.checkpoints import files
from core.errors import CheckpointError, InputError
from core.experiments import corpus_run
from core.experiments.corpus import Atlas, load_atlas
from core.experiments.corpus_run import write_atlas
from core.training.process import Process
from tests.core.conftest import Command, write

ROOT = Path(__file__).parents[3]
Arrays = dict[str, Any]


@pytest.fixture(scope="module")
def stored(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("atlas") / "tiny"
    shutil.copytree(tiny_checkpoint, folder)
    write_atlas(load(folder, device="cpu"))
    return folder


def test_it_comes_back_as_it_was_measured(stored: Path) -> None:
    checkpoint = load(stored, device="cpu")
    result = load_atlas(stored, checkpoint.config, checkpoint.digest)
    texts = [each["source"] for each in checkpoint.card["examples"]]
    assert result.sentences == len(texts)
    assert sorted(drawn.sentence for drawn in result.sample) == [
        (n, text, "") for n, text in enumerate(texts)
    ]
    assert [row["kind"] for row in result.rows()] == ["encoder-self"] * 4 + ["decoder-self"] * 4 + [
        "cross"
    ] * 4
    assert len(result.scores["cross"]) > 20 and result.shown("cross", 0, 0) is not None


def test_a_limit_in_time_is_kept_and_said(stored: Path, tmp_path: Path) -> None:
    checkpoint = load(stored, device="cpu")
    shutil.copytree(stored, tmp_path / "t")
    write_atlas(checkpoint, folder=tmp_path / "t", seconds=0.0)
    assert load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest).sentences == 1


def put(name: str, value: float, *cells: tuple[int, ...]) -> Callable[[Arrays], None]:
    """Another number in these cells of an array."""

    def harm(arrays: Arrays) -> None:
        for cell in cells:
            arrays[name][cell] = value

    return harm


def sentences(raw: bytes) -> Callable[[Arrays], None]:
    return lambda arrays: arrays.update(sample=np.frombuffer(raw, dtype=np.uint8))


HARMS: dict[str, Callable[[Arrays], Any]] = {
    "other shape": lambda arrays: arrays.update({"cross|entropy|mean": arrays["cross|entropy|mean"][:1]}),
    "infinite": put("cross|entropy|mean", np.inf, (0, 0)),
    "a share above one": put("cross|sink_share|mean", 1.2, (0, 0)),
    "a sentence's share above one": put("cross|sink_share|sample", 1.2, (0, 0, 0)),
    "more met than there are": put("cross|entropy|count", 99, (0, 0)),
    "one-sided": put("cross|divergence|mean", 0.5, (0, 1)),
    "too far apart": put("cross|divergence|mean", 0.7, (0, 1), (1, 0)),
    "stranger": lambda arrays: arrays.update({"cross|beauty|mean": arrays["cross|entropy|mean"]}),
    "no breadth": lambda arrays: [
        arrays.pop(f"cross|normalised_entropy|{part}") for part in ("count", "mean", "squares", "sample")
    ],
    "no text": sentences(json.dumps([[0, 5, ""]]).encode()),
    "no JSON": sentences(b"[[[["),
    "deep": sentences(b"[" * 200_000),
    "no sentences": lambda arrays: arrays.update(sentences=np.array(0)),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("harm", HARMS)
def test_what_is_no_atlas_of_this_model_is_refused(stored: Path, tmp_path: Path, harm: str) -> None:
    shutil.copytree(stored, tmp_path / "t")
    checkpoint = load(stored, device="cpu")
    with np.load(stored / files.ATLAS) as whole:
        arrays = {name: whole[name].copy() for name in whole.files}
    HARMS[harm](arrays)
    np.savez(tmp_path / "t" / files.ATLAS, **arrays)
    with pytest.raises(CheckpointError, match=r"is not an atlas of this model .*core example") as refused:
        load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest)
    assert "\n" not in str(refused.value)


def test_other_weights_a_cut_file_and_none_are_refused(stored: Path, tmp_path: Path) -> None:
    checkpoint = load(stored, device="cpu")
    with pytest.raises(CheckpointError, match="something else"):
        load_atlas(stored, checkpoint.config, "another")
    shutil.copytree(stored, tmp_path / "t")
    path = tmp_path / "t" / files.ATLAS
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(CheckpointError, match="not an atlas"):
        load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest)
    path.unlink()
    with pytest.raises(CheckpointError, match="missing"):
        load_atlas(tmp_path / "t", checkpoint.config, checkpoint.digest)


def test_it_goes_with_its_weights(stored: Path, tmp_path: Path) -> None:
    """A checkpoint saved over another keeps the atlas only where the weights are the same."""
    shutil.copytree(stored, tmp_path / "t")
    checkpoint = load(tmp_path / "t", device="cpu")
    parts = (checkpoint.source_tokenizer, checkpoint.target_tokenizer, checkpoint.card, "float32")
    save(tmp_path / "t", checkpoint.model, *parts)
    assert (tmp_path / "t" / files.ATLAS).exists()
    checkpoint.model.encoder_layers[0].self_attention.output_proj.weight.data *= 2  # type: ignore[union-attr, operator]
    save(tmp_path / "t", checkpoint.model, *parts)
    assert not (tmp_path / "t" / files.ATLAS).exists()


def test_a_checkpoint_without_a_folder_or_a_sentence_is_one_sentence(stored: Path) -> None:
    checkpoint = load(stored, device="cpu")
    with pytest.raises(InputError, match="no folder"):
        write_atlas(replace(checkpoint, path=None))
    with pytest.raises(InputError, match="no sentence"):
        write_atlas(replace(checkpoint, card={}))


def test_one_command_writes_it(command: Command, stored: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(stored, tmp_path / "t")
    (folder / files.ATLAS).unlink()
    checkpoint = load(folder, device="cpu")
    texts = [each["source"] for each in checkpoint.card["examples"]]
    code, text, _ = command("example", checkpoint=folder)
    assert code == 0 and f"all heads over {len(texts)} sentences" in text
    assert load_atlas(folder, checkpoint.config, checkpoint.digest).sentences == len(texts)


@pytest.mark.parametrize("name", ["dates", "de-en", "en-fr"])
def test_the_shipped_checkpoints_have_theirs(name: str) -> None:
    folder = ROOT / "checkpoints" / name
    result = load_atlas(folder, files.read_config(folder), files.folder_digest(folder))
    card = files.read_card(folder)
    assert result.sentences == len(card.get("probe_sentences") or card["examples"])


TEXTS = ("A man.", "I am tired.", "The dog.", "Where is my book?", "A white dog.")
ANSWERS = ("Un homme.", "Je suis fatigué.", "Le chien.", "Où est mon livre ?", "Un chien blanc.")
# The second process dies as an operator's kill leaves it, after its first sentence is kept.
DYING = """
import os, signal, sys
from core.experiments import corpus_run, importance_cli
importance_cli._SAVED = 1
save = corpus_run.save_arrays
def dying(*given):
    save(*given)
    if os.environ["RANK"] == "1":
        os.kill(os.getpid(), signal.SIGKILL)
corpus_run.save_arrays = dying
from core.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def corpus(tmp_path: Path) -> dict[str, Path]:
    """The options that name the sentences and their translations."""
    return {"source": write(tmp_path / "s", *TEXTS), "target": write(tmp_path / "t", *ANSWERS)}


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`process(rank)`: make the next command one of two that do not wait for each other."""
    monkeypatch.setattr(Process, "wait", lambda process: None)
    monkeypatch.setattr("core.training.process.leave", lambda process: None)

    def become(rank: int) -> None:
        one = Process(rank, 2, torch.device("cpu"))
        monkeypatch.setattr("core.training.process.join", lambda device: one)

    return become


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def which(row: dict[str, str]) -> tuple[str, str, str]:
    return row["kind"], row["layer"], row["head"]


def two(*command: str) -> list[subprocess.CompletedProcess[str]]:
    """The command in two processes, joined as torchrun joins them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    joined = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, **joined, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    text = [each.communicate(timeout=300) for each in started]
    return [
        subprocess.CompletedProcess(each.args, each.returncode, *words)
        for each, words in zip(started, text, strict=True)
    ]


@pytest.mark.thorough
def test_a_killed_importance_fails_clearly_goes_on_and_is_what_one_process_gives(
    command: Command, tiny_checkpoint: Path, corpus: dict[str, Path], tmp_path: Path
) -> None:
    texts = {"corpus": corpus["source"], "target": corpus["target"]}
    assert command("importance", **texts, out=tmp_path / "one.csv")[0] == 0
    given = ["importance", "--checkpoint", str(tiny_checkpoint), "--device", "cpu"]
    given += [str(word) for name, path in texts.items() for word in (f"--{name}", path)]
    shared = [*given, "--out", str(tmp_path / "two.csv")]
    first, second = two("-c", DYING, *shared)
    assert second.returncode == -9 and first.returncode == 2
    assert "Another process of this run ended" in first.stderr.strip().splitlines()[-1]
    assert "Traceback" not in first.stderr and not (tmp_path / "two.csv").exists()
    assert len(list(tmp_path.glob("two.csv.*.part"))) == 2
    first, second = two("-m", "core", *shared)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert "3 of 3 sentences are done; going on" in first.stdout and "Spearman" in first.stdout
    assert not list(tmp_path.glob("*.part"))
    one, other = read(tmp_path / "one.csv"), read(tmp_path / "two.csv")
    for row, same in zip(sorted(one, key=which), sorted(other, key=which), strict=True):
        assert which(row) == which(same)
        for name in ("left_out", "left_out_spread", "gradient", "gradient_spread"):
            assert abs(float(row[name]) - float(same[name])) < 1e-6, name


@pytest.mark.parametrize("gold", [False, True])
def test_an_alignment_shared_by_two_is_that_of_one(
    command: Command,
    corpus: dict[str, Path],
    tmp_path: Path,
    process: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
    gold: bool,
) -> None:
    monkeypatch.setattr(corpus_run, "SAVED", 1)
    links = write(tmp_path / "g", "1-1 2-2", "1-1 2p2", "2-2", "1-1", "3-2 2p3")
    given = {**corpus, **({"gold": links} if gold else {"head": "1.1"})}
    assert command("align", **given, out=tmp_path / "one")[0] == 0
    for rank in (1, 0):  # the second is done before the first puts them together
        process(rank)
        assert command("align", **given, out=tmp_path / "two")[0] == 0
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text()
    assert not list(tmp_path.glob("*.part"))


def test_a_share_that_is_missing_is_one_sentence(
    command: Command, corpus: dict[str, Path], tmp_path: Path, process: Callable[[int], None]
) -> None:
    process(0)
    code, _, text = command("align", **corpus, head="0.0", out=tmp_path / "o")
    assert code == 2 and "Only 3 of 5 sentences were measured" in text


def test_a_run_that_is_asked_to_end_keeps_what_it_has(
    command: Command, corpus: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, met = Atlas.meet, []

    def meet(self: Atlas, *args: Any) -> None:
        real(self, *args)
        met.append(1)
        if len(met) == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(Atlas, "meet", meet)
    given = {"corpus": corpus["source"], "out": tmp_path / "o.csv"}
    code, text, _ = command("heads", **given)
    assert code == 130 and "Stopped after 2 of 5 sentences; the same command goes on" in text
    part = next(tmp_path.glob("o.csv.*.part"))
    whole = part.read_bytes()
    code, text, _ = command("heads", **given)
    assert code == 0 and "2 of 5 sentences are done; going on" in text and len(met) == 5
    part.write_bytes(whole[: len(whole) // 2])  # cut short by a full disk: begun again
    assert command("heads", **given)[0] == 0
    assert len(met) == 10


def test_a_pair_that_cannot_be_read_is_named_by_its_line(
    command: Command, corpus: dict[str, Path], tmp_path: Path
) -> None:
    write(corpus["target"], *ANSWERS[:3], " ", ANSWERS[4])
    code, _, text = command("align", **corpus, head="0.0", out=tmp_path / "o")
    assert code == 2 and text.startswith("Pair 4: ")
