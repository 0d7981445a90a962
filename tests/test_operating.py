"""docs/operating.md and deploy/: what they name exists, what they pin is what the tests run with."""

from __future__ import annotations

import base64
import hashlib
import logging
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import streamlit
from streamlit import config

from ui.app import early, server

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
TEXT = (ROOT / "docs" / "operating.md").read_text()
PIN = re.compile(r"^([a-z0-9-]+)(?:\[[^\]]+\])?==([^ ;\\\n]+)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    """name → version of every `name==version` line, of two for several Pythons the last."""
    return dict(PIN.findall(text))


def entries(text: str) -> dict[str, str]:
    """name==version → its lines, the hashes among them."""
    found = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)
    return {PIN.match(each)[0]: each for each in found if each.strip()}  # type: ignore[index]


def test_the_locks_hold_what_the_tests_run_with_and_a_hash_of_every_file() -> None:
    wanted = pins((ROOT / "requirements.txt").read_text())
    whole, cpu = ((DEPLOY / name).read_text() for name in ("requirements.lock", "requirements.cpu.lock"))
    assert len(wanted) == 14
    assert {name: pins(whole).get(name) for name in wanted} == wanted
    for entry in (*entries(whole).values(), *entries(cpu).values()):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry
    # The CPU image takes PyTorch from elsewhere, and everything beside it from here.
    left_out = set(pins(whole)) - set(pins(cpu))
    assert "torch" in left_out
    assert all(re.match(r"torch$|triton$|nvidia-|cuda-", name) for name in left_out)
    assert {name: line for name, line in entries(whole).items() if name in entries(cpu)} == entries(cpu)


def test_the_image_is_written_as_images_should_be() -> None:
    lint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert lint is not None, "hadolint comes with requirements-dev.txt"
    done = subprocess.run([lint, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for line in re.findall(r"^COPY (.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE):
        for name in line.split():
            assert (ROOT / name).exists(), name


def _docker() -> bool:
    client = shutil.which("docker")
    return (
        client is not None
        and subprocess.run([client, "info"], capture_output=True, check=False).returncode == 0
    )


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("ATLAS_TEST_DOCKER"), reason="ATLAS_TEST_DOCKER=1 builds and runs the image"
)
def test_the_image_is_built_and_answers() -> None:
    assert _docker(), "ATLAS_TEST_DOCKER is set, but no Docker answers"
    subprocess.run(
        ["docker", "build", "-f", "deploy/Dockerfile", "-t", "atlas-test", "."], cwd=ROOT, check=True
    )
    started = ["docker", "run", "--rm", "-d", "-p", "127.0.0.1:8599:8501", "atlas-test"]
    name = subprocess.run(started, capture_output=True, text=True, check=True).stdout.strip()
    try:
        for _ in range(60):
            try:
                with urllib.request.urlopen("http://127.0.0.1:8599/_stcore/health", timeout=2) as answer:
                    assert answer.read() == b"ok"
                    return
            except OSError:
                time.sleep(1)
        pytest.fail("the container did not answer within a minute")
    finally:
        subprocess.run(["docker", "rm", "-f", name], check=False)


def test_every_variable_is_documented_and_no_other() -> None:
    code = [ROOT / "app.py", *(ROOT / "ui").rglob("*.py"), *(ROOT / "core").rglob("*.py")]
    read = {name for file in code for name in re.findall(r'"(ATLAS_[A-Z_]+)"', file.read_text())}
    assert set(re.findall(r"`(ATLAS_[A-Z_]+)", TEXT)) == read


def test_every_option_and_every_file_it_names_exists() -> None:
    named = set(re.findall(r"--((?:server|browser)\.\w+)", TEXT))
    assert len(named) >= 6
    assert named <= set(config.get_config_options())
    for file in re.findall(r"`((?:ui|core|deploy|tests)/[\w./]+)`", TEXT):
        assert (ROOT / file).exists(), file


def test_the_policy_of_pages_allows_streamlit_s_script_and_ours_alone() -> None:
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text()
    page += early._EARLY.decode()
    inline = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page, re.DOTALL)
    sums = {base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in inline}
    policy = re.search(r'Content-Security-Policy "([^"]+)"', TEXT)
    assert policy is not None
    assert set(re.findall(r"'sha256-([^']+)'", policy[1])) == sums
    assert "unsafe-eval" not in policy[1]
    script = re.search(r"script-src ([^;]+);", policy[1])
    assert script is not None
    assert "unsafe-inline" not in script[1]


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "told"), [(256, 256, 256, True), (1024, 4096, 4096, False)]
)
def test_a_low_limit_of_open_files_is_raised_or_told(
    soft: int,
    hard: int,
    raised: int,
    told: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    resource = pytest.importorskip("resource")
    set_to: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: set_to.append(limits))
    with caplog.at_level(logging.WARNING):
        assert server.raise_limit.__wrapped__() == raised
    assert set_to == ([] if soft == raised else [(raised, hard)])
    assert ("ulimit -n 4096" in caplog.text) is told
