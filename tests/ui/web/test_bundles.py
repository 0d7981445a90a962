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


_PARSE = """const { SourceTextModule, Script } = require('vm');
for (const file of process.argv.slice(1)) {
  const code = require('fs').readFileSync(file, 'utf8');
  if (file.endsWith('.mjs')) new SourceTextModule(code, { identifier: file });
  else new Script(code, file);
}"""


@pytest.mark.parametrize("name", VIEWS)
def test_each_view_is_one_module_that_needs_no_other(name: str) -> None:
    module = web.module(name)
    assert re.search(r"^export \{\n(  .*\n)*  \w+ as default", module, re.MULTILINE)
    assert not re.search(r"^\s*import\b|\bimport\(|\brequire\(", module, re.MULTILINE)
    assert "\n" in module and "\n" in web.sheet(name)


@pytest.mark.parametrize("name", PAGES)
def test_each_page_is_one_script_that_a_page_can_hold(name: str) -> None:
    script = web.script(name, "[]")
    assert "</script" not in script.lower() and "<!--" not in script
    assert not re.search(r"^\s*(import|export)\b|\brequire\(", script, re.MULTILINE)
    assert "\n" in web.sheet(name)


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_all_of_them_parse(tmp_path: Path) -> None:
    codes = {f"{name}.mjs": web.module(name) for name in VIEWS}
    codes |= {f"{name}.packed.mjs": mount.packed(web.module(name)) for name in VIEWS}
    codes |= {f"{name}.js": web.script(name, "[]") for name in PAGES}
    for name, code in codes.items():
        (tmp_path / name).write_text(code, "utf-8")
    node = ["node", "--experimental-vm-modules", "-e", _PARSE, "--", *codes]
    subprocess.run(node, cwd=tmp_path, check=True, capture_output=True)


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
