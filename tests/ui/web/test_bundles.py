"""What is sent to the browser: each view is one script that stands by itself, and turns no text into HTML or code."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ui.shared import mount
from ui.web import contract as web
from ui.web.__main__ import generated

PAGES = ("live", "notebook", "site")
VIEWS = sorted(path.stem for path in web.DIST.glob("*.js") if path.stem not in PAGES)
MODULES = [path for path in web.FOLDER.parent.rglob("*.ts") if "node_modules" not in path.parts]


def _parses(code: str, path: Path) -> None:
    if shutil.which("node"):
        path.write_text(code, "utf-8")
        subprocess.run(["node", "--check", str(path)], check=True, capture_output=True)


@pytest.mark.parametrize("name", VIEWS)
def test_each_view_is_one_module_that_needs_no_other(name: str, tmp_path: Path) -> None:
    module = web.module(name)
    assert re.search(r"^export \{\n(  .*\n)*  \w+ as default", module, re.MULTILINE)
    assert not re.search(r"^\s*import\b|\bimport\(|\brequire\(", module, re.MULTILINE)
    assert "\n" in module and "\n" in web.sheet(name)
    _parses(module, tmp_path / "module.mjs")


def test_what_unpacks_a_view_is_a_module(tmp_path: Path) -> None:
    _parses(mount.packed(web.module(VIEWS[0])), tmp_path / "packed.mjs")


@pytest.mark.parametrize("name", PAGES)
def test_each_page_is_one_script_that_a_page_can_hold(name: str, tmp_path: Path) -> None:
    script = web.script(name, "[]")
    assert "</script" not in script.lower() and "<!--" not in script
    assert not re.search(r"^\s*(import|export)\b|\brequire\(", script, re.MULTILINE)
    assert "\n" in web.sheet(name)
    _parses(script, tmp_path / "script.js")


def test_nothing_turns_text_into_html_or_code() -> None:
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|setHTML|createContextualFragment|document\.write|"
        r"\beval\b|new Function|DOMParser|srcdoc"
    )
    for path in (*MODULES, *web.DIST.glob("*.js")):
        code = path.read_text("utf-8")
        assert not forbidden.search(code), path
        assert not re.search(r"https?://(?!www\.w3\.org/)", code), f"{path}: a view must work offline"


def test_what_is_generated_is_what_python_declares() -> None:
    for path, text in generated().items():
        assert path.read_text("utf-8") == text, f"{path.name} is out of date; run `python -m ui.web`"
