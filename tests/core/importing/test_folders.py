"""Hugging Face's folders and the hub's cache open as they are: `core.load`, the summary, and the app's list."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

import core
from core.checkpoints import foreign
from core.checkpoints.summary import read_summary
from core.cli.main import main
from core.errors import CheckpointError
from tests.parity.families import build
from tests.parity.test_marian_folder import folder_of

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def opus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `save_pretrained` and the hub have it."""
    folder = tmp_path_factory.mktemp("models") / "opus"
    folder.mkdir()
    folder_of(folder)
    return folder


@pytest.fixture(scope="module")
def hub(opus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hub's cache: links to blobs, two revisions, a decoder-only model, data, and a repository cut short."""
    root = tmp_path_factory.mktemp("hub")
    repository = root / "models--Helsinki-NLP--opus-mt-en-fr"
    for folder in ("blobs", "refs", "snapshots/old", "snapshots/abc"):
        (repository / folder).mkdir(parents=True)
    (repository / "refs" / "main").write_text("abc")
    for number, file in enumerate(sorted(opus.iterdir())):
        shutil.copy(file, repository / "blobs" / str(number))
        (repository / "snapshots" / "abc" / file.name).symlink_to(f"../../blobs/{number}")
    gpt = root / "models--gpt2" / "snapshots" / "1"
    gpt.mkdir(parents=True)
    (gpt / "config.json").write_text('{"model_type": "gpt2"}')
    (root / "datasets--multi30k").mkdir()
    (root / "models--org--empty" / "snapshots").mkdir(parents=True)
    (root / ".locks").mkdir()
    return root


def test_a_folder_of_hugging_face_opens_as_it_is(opus: Path) -> None:
    before = sorted(each.name for each in opus.iterdir())
    checkpoint = core.load(opus, device="cpu")
    theirs = transformers.MarianMTModel.from_pretrained(opus).eval()
    tokenizer = transformers.MarianTokenizer.from_pretrained(opus)
    source = tokenizer("A man rides a bike.", return_tensors="pt").input_ids
    assert source[0].tolist() == checkpoint.encode_source("A man rides a bike.")
    target = torch.tensor([[checkpoint.config.bos_id, 5, 6, 7, 8]])
    with torch.inference_mode():
        gap = checkpoint.model(source, target) - theirs(input_ids=source, decoder_input_ids=target).logits
    assert gap.abs().max() < 1e-5
    assert (checkpoint.card["name"], checkpoint.card["layout"]) == ("opus", "marian")
    assert sorted(each.name for each in opus.iterdir()) == before
    summary = read_summary(opus)
    assert (summary.config, summary.digest) == (checkpoint.config, checkpoint.digest)
    assert summary.parameters == sum(each.numel() for each in checkpoint.model.parameters())
    assert summary.read_tokenizers()[0] == summary.read_tokenizers()[0] == checkpoint.source_tokenizer


def test_the_cache_of_the_hub_opens_by_repository_and_by_snapshot(
    hub: Path, opus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = hub / "models--Helsinki-NLP--opus-mt-en-fr"
    plain = core.load(opus, device="cpu")
    for path in (repository, repository / "snapshots" / "abc"):
        checkpoint = core.load(path, device="cpu")
        assert checkpoint.card["name"] == "Helsinki-NLP/opus-mt-en-fr"
        assert checkpoint.digest == plain.digest
    listed = foreign.checkpoint_folders(hub)
    assert listed == [repository / "snapshots" / "abc"]
    assert [foreign.folder_name(each) for each in listed] == ["opus-mt-en-fr"]
    assert foreign.checkpoint_folders(repository) == listed
    assert foreign.checkpoint_folders(opus) == [opus]
    assert main(["translate", "--checkpoint", str(repository), "A man.", "--device", "cpu"]) == 0
    assert capsys.readouterr().out.strip() == plain.translate("A man.")


def test_what_does_not_open_is_refused_in_one_sentence(hub: Path, opus: Path, tmp_path: Path) -> None:
    asks = tmp_path / "asks"
    build("mbart").save_pretrained(asks)
    shutil.copytree(opus, tmp_path / "half")
    (tmp_path / "half" / "pytorch_model.bin").unlink()
    (tmp_path / "whisper").mkdir()
    shutil.copy(opus / "pytorch_model.bin", tmp_path / "whisper")
    config = json.loads((opus / "config.json").read_text())
    (tmp_path / "whisper" / "config.json").write_text(json.dumps({**config, "model_type": "whisper"}))
    for path, words in (
        (hub / "models--org--empty", "nothing is downloaded by itself"),
        (asks, "import it with core.import_checkpoint(folder, target_language=…, tokenizer=…, out=…)"),
        (tmp_path / "half", "holds no weights"),
        (tmp_path / "whisper", "whisper"),
    ):
        for reads in (core.load, read_summary):
            with pytest.raises(CheckpointError) as refusal:
                reads(path)
            text = str(refusal.value)
            assert words in text
            assert text.endswith(".")
            assert text.count(". ") == 0


def test_the_apps_list_shows_them_and_their_parameters(
    checkpoints: Path, hub: Path, opus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    from ui.shared import checkpoints as listing
    from ui.shared import context, models

    monkeypatch.setenv(listing.EXTRA, os.pathsep.join((str(hub), str(opus))))
    entries = {each.name: each for each in listing.entries()}
    assert set(entries) == {"tiny", "opus-mt-en-fr", "opus"}
    entry = entries["opus-mt-en-fr"]
    assert (entry.problem, entry.size_line) == ("", "2+2 layers · 4 heads · 48 k")
    loaded = models.model(entry, "cpu")
    assert loaded.digest == entry.usable.digest
    lines = {line.name: line for line in context.parameter_lines(entry)}
    table = loaded.model.source_embedding.table
    assert lines["source_embedding.table"].norm == pytest.approx(float(table.double().norm()))
    assert (context.parameter_values(entry, "source_embedding.table") == table.flatten().numpy()).all()
