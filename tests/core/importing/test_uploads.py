"""Uploads land under our names, inside the session's folder, and never larger than allowed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from core.errors import CheckpointError
from core.importing.uploads import SortedUploads, sort_uploads, store_uploads, stored_name


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
        ([("virus.exe", io.BytesIO(b"MZ"))], "no file of a checkpoint"),
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
