"""Hugging Face's folders and the hub's cache open as they are: `core.load`, the summary, and the app's list.

Uploads land under our names, inside the session's folder, and never larger than allowed.
"""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
import torch

import core
from core.checkpoints import files
from core.checkpoints.summary import read_summary
from core.cli.main import main
from core.errors import CheckpointError
from core.importing.folders import SortedUploads, sort_uploads, store_uploads, stored_name
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
    listed = files.checkpoint_folders(hub)
    assert listed == [repository / "snapshots" / "abc"]
    assert [files.folder_name(each) for each in listed] == ["opus-mt-en-fr"]
    assert files.checkpoint_folders(repository) == listed
    assert files.checkpoint_folders(opus) == [opus]
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
        (hub / "models--org--empty", "nothing is downloaded automatically"),
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

    pytest.importorskip("streamlit")
    from ui.shared import checkpoints as listing
    from ui.shared import context, models

    monkeypatch.setenv(listing.EXTRA, os.pathsep.join((str(hub), str(opus))))
    entries = {each.name: each for each in listing.entries()}
    assert set(entries) == {"tiny", "opus-mt-en-fr", "opus"}
    entry = entries["opus-mt-en-fr"]
    assert (entry.problem, entry.size_line) == ("", "2+2 layers · 4 heads · 48\N{NO-BREAK SPACE}k")
    loaded = models.model(entry, "cpu")
    assert loaded.digest == entry.usable.digest
    lines = {line.name: line for line in context.parameter_lines(entry)}
    table = loaded.model.source_embedding.table
    assert lines["source_embedding.table"].norm == pytest.approx(float(table.double().norm()))
    assert (context.parameter_values(entry, "source_embedding.table") == table.flatten().numpy()).all()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("config.json", "config.json"),
        ("../../etc/config.json", "config.json"),
        ("C:\\temp\\vocab.json", "vocab.json"),
        ("my best model (3).PT", "model.pt"),
        ("../../root/.ssh/x.pth", "model.pt"),
        ("a<script>.safetensors", "model.safetensors"),
        ("model-1-of-2.safetensors", "model-00001-of-00002.safetensors"),
        ("runs/checkpoint.pth.tar", "model.pt"),
        ("out/checkpoint-10/optimizer.pt", None),
        ("training_args.bin", None),
        ("authorized_keys", None),
        ("run.py", None),
        ("..", None),
        ("", None),
    ],
)
def test_names_are_our_own(name: str, own: str | None) -> None:
    assert stored_name(name) == own


def archive(members: dict[str, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(name, data)
    stream.seek(0)
    return stream


def test_a_trainers_folder_gives_the_weights_of_its_last_step(tmp_path: Path) -> None:
    members = {
        f"out/checkpoint-{step}/{name}": str(step).encode()
        for step in (5, 10, 9)
        for name in (
            "model.safetensors",
            "optimizer.pt",
            "rng_state.pth",
            "training_args.bin",
            "trainer_state.json",
        )
    }
    assert store_uploads(tmp_path, [("out.zip", archive(members))]) == ["model.safetensors"]
    assert (tmp_path / "model.safetensors").read_bytes() == b"10"
    loose = [("optimizer.pt", io.BytesIO(b"x")), ("config.json", io.BytesIO(b"{}"))]
    assert store_uploads(tmp_path, loose) == ["config.json"]
    assert sort_uploads(["model.pt", "trainer_state.json"]) == SortedUploads(
        ("model.pt", "trainer_state.json")
    )


@pytest.mark.parametrize("zipped", [True, False])
def test_another_programs_file_is_named_before_it_is_stored(tmp_path: Path, zipped: bool) -> None:
    upload = (
        ("m.zip", archive({"m/encoder_model.onnx": b"x"}))
        if zipped
        else ("encoder_model.onnx", io.BytesIO(b"x"))
    )
    with pytest.raises(CheckpointError, match="ONNX graph"):
        store_uploads(tmp_path, [upload])


def test_an_archive_gives_its_known_files_only(tmp_path: Path) -> None:
    members = {"m/config.json": b"{}", "m/model.safetensors": b"x", "../evil.py": b"!", "m/README.md": b"#"}
    assert store_uploads(tmp_path, [("model.zip", archive(members))]) == ["config.json", "model.safetensors"]
    assert {path.name for path in tmp_path.rglob("*")} == {"config.json", "model.safetensors"}
    assert not (tmp_path.parent / "evil.py").exists()


@pytest.mark.parametrize(
    ("uploads", "said"),
    [
        ([("a.zip", archive({"model.pt": bytes(50_000_000)}))], "unpacks to more"),
        ([("a.zip", io.BytesIO(b"PK\x03\x04 not really"))], "damaged"),
        ([("a.zip", archive({f"{n}.txt": b"" for n in range(2001)}))], "at most 2,000"),
        ([("a.zip", archive({"a/config.json": b"{}", "b/config.json": b"{}"}))], "two of the files"),
        ([("a.pt", io.BytesIO(bytes(900_000))), ("config.json", io.BytesIO(bytes(200_000)))], "together"),
        ([("virus.exe", io.BytesIO(b"MZ"))], "not a file of a checkpoint"),
        ([("a.pt", io.BytesIO(b"1")), ("b.pt", io.BytesIO(b"2"))], "two of the files"),
    ],
)
def test_uploads_that_do_not_fit_are_refused(
    tmp_path: Path, uploads: list[tuple[str, io.BytesIO]], said: str
) -> None:
    with pytest.raises(CheckpointError, match=said):
        store_uploads(tmp_path, uploads, max_bytes=1_000_000)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) <= 1_000_000


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        (["m.pt", "src_vocab.txt", "tgt_vocab.txt"], (["m.pt"], "src_vocab.txt", "tgt_vocab.txt", None)),
        (["m.pt", "vocab.en.txt", "vocab-target.txt"], (["m.pt"], "vocab.en.txt", "vocab-target.txt", None)),
        (["m.bin", "words.json", "Encoder.json"], (["m.bin"], "Encoder.json", "words.json", None)),
        (["m.pt", "tokens.txt", "my.toml"], (["m.pt"], "tokens.txt", None, "my.toml")),
        (["config.json", "m.safetensors", "vocab.json", "merges.txt"],
         (["config.json", "m.safetensors", "vocab.json", "merges.txt"], None, None, None)),
        (["config.json", "source.spm", "target.spm", "m.bin"],
         (["config.json", "source.spm", "target.spm", "m.bin"], None, None, None)),
    ],
)  # fmt: skip
def test_files_of_one_drop_are_sorted_in_any_order(
    names: list[str], kinds: tuple[list[str], str | None, str | None, str | None], turned: bool
) -> None:
    checkpoint, source, target, rules = kinds
    found = sort_uploads(names[::-1] if turned else names)
    assert set(found.checkpoint) == set(checkpoint) and found.rules == rules
    assert found == SortedUploads(
        found.checkpoint, (source,) if source else (), (target,) if target else (), rules
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["m.pt", "one.txt", "two.txt"], "Nothing says which"),
        (["m.pt", "src.txt", "source.txt"], "cannot all be vocabularies"),
        (["m.pt", "a.txt", "b.txt", "c.txt"], "cannot all be vocabularies"),
        (["m.pt", "a.toml", "b.toml"], "give one file of rules"),
    ],
)
def test_files_that_cannot_be_sorted_are_one_sentence(names: list[str], said: str) -> None:
    with pytest.raises(CheckpointError, match=said):
        sort_uploads(names)
