"""What `pip install .` gives: one name, the library without Streamlit or Plotly, and the app from any folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import core
from tests.browser.looking import CHECKED
from tests.serving import Server, free_port, wait_until_it_answers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
DATE = "12 March 1999"
# The script of a notebook's user, where neither the app's packages nor the repository's own names can be imported.
SCRIPT = f"""
import json, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("streamlit", "plotly", "core", "ui", "pages"):
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Absent())
import attention_atlas

checkpoint = attention_atlas.load(sys.argv[1], device="cpu")
trace = attention_atlas.trace(checkpoint, "{DATE}")
view = attention_atlas.show(trace)
names = [name for name in attention_atlas.__all__ if getattr(attention_atlas, name) is None]
print(json.dumps([trace.weights("decoder", "cross").tolist(), view.page, names]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files as pip lays them out."""
    folder = tmp_path_factory.mktemp("installed")
    command = ["setup.py", "-q", "egg_info", "--egg-base", folder, "build", "--build-base", folder / "build"]
    subprocess.run(
        [
            sys.executable,
            *map(str, command),
            "bdist_wheel",
            "--dist-dir",
            str(folder),
            "--bdist-dir",
            str(folder / "bdist"),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(site: Path, *command: str, code: int = 0) -> str:
    """What a command prints, run in a folder that has nothing of ours."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=site.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


@pytest.mark.thorough
def test_one_name_and_nothing_of_the_repository_s(site: Path) -> None:
    (info,) = site.glob("*.dist-info")
    assert {path.name for path in site.iterdir()} == {"attention_atlas", info.name}
    assert "attention-atlas = attention_atlas.__main__:start" in (info / "entry_points.txt").read_text()
    needed = re.findall(
        r"^Requires-Dist: (\S+?)(?:\[[^\]]*\])?([=>]=)(.*)$", (info / "METADATA").read_text(), re.MULTILINE
    )
    rest = {name: rest for name, _, rest in needed}
    assert {name for name in rest if "extra" in rest[name]} == {"streamlit", "plotly"}
    assert {"torch", "tokenizers"} < set(rest)
    found = [
        path
        for path in site.rglob("*.py")
        if re.search(r"^\s*(from|import) (core|ui|pages)\b", path.read_text("utf-8"), re.M)
    ]
    assert not found


@pytest.mark.thorough
def test_the_library_needs_neither_streamlit_nor_plotly(site: Path) -> None:
    weights, page, missing = json.loads(run(site, "-c", SCRIPT, str(ROOT / "checkpoints" / "dates")))
    expected = core.trace(core.load(ROOT / "checkpoints" / "dates", device="cpu"), DATE)
    np.testing.assert_allclose(weights, expected.weights("decoder", "cross").numpy(), atol=1e-6)
    assert len(page) > 50_000 and not missing


def test_the_command_speaks_of_itself_by_its_name(site: Path) -> None:
    said = run(site, "-m", "attention_atlas", "--help")
    assert said.startswith("usage: attention-atlas ") and "python -m core" not in said
    said = run(site, "-m", "attention_atlas", "translate", "--checkpoint", "nowhere", "x", code=2)
    assert "nowhere" in said and len(said.splitlines()) == 1
    assert run(site, "-m", "attention_atlas", "app", "--checkpoints", "nowhere", code=2).startswith(
        "'nowhere' is not a folder"
    )


def test_the_app_starts_from_any_folder_with_its_own_settings(site: Path, chromium: Browser) -> None:
    port = free_port()
    command = [sys.executable, "-m", "attention_atlas", "app", f"--port={port}", "--no-browser"]
    app = subprocess.Popen(
        command, cwd=site.parent, env={**os.environ, "PYTHONPATH": str(site)}, start_new_session=True
    )
    page = chromium.new_page()
    try:
        wait_until_it_answers(Server(port, app, site.parent / "nowhere"))
        page.goto(f"http://localhost:{port}/attention?checkpoint=dates&text={DATE.replace(' ', '+')}")
        page.get_by_text(CHECKED).first.wait_for(timeout=60_000)
        page.locator(".wall-head").first.wait_for(timeout=60_000)
        assert "1999-03-12" in page.inner_text("body")
        color = page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        assert color == "rgb(251, 251, 249)", "the settings beside app.py"
    finally:
        page.close()
        os.killpg(app.pid, 15)
        app.wait(timeout=30)
