"""Uploads land under our names, inside the session's folder, and never larger than allowed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from core.errors import CheckpointError
from core.importing.uploads import store_uploads, stored_name


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
