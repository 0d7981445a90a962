"""What is sent to the browser: one script for the app's views, and one for each page that stands by itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from ui.app.assets import browser_code
from ui.web import contract as web
from ui.web.__main__ import declared_views, generated

PAGES = sorted(path.stem for path in web.DIST.glob("*.css"))
MODULES = [path for path in web.FOLDER.parent.rglob("*.ts") if "node_modules" not in path.parts]
_PARSE = """const { SourceTextModule, Script } = require('vm');
for (const file of process.argv.slice(1)) {
  const code = require('fs').readFileSync(file, 'utf8');
  if (file.endsWith('.mjs')) new SourceTextModule(code, { identifier: file });
  else new Script(code, file);
}"""


def test_the_views_are_one_module_that_needs_no_other() -> None:
    script = web.views_script().decode("utf-8")
    assert re.search(r"^export \{\n  \w+ as show\n\};", script, re.MULTILINE)
    assert not re.search(r"^\s*import\b|\bimport\(|\brequire\(", script, re.MULTILINE)
    worn = json.loads(re.search(r"^var worn = (\{.*?^\});", script, re.MULTILINE | re.DOTALL)[1])  # type: ignore[index]
    declared = {
        name
        for name, data, _ in declared_views()
        if data.__module__ not in ("ui.export.live.page", "ui.site.pictures")
    }
    assert set(worn) == declared
    assert set(web.messages()) == {*worn, *PAGES}


def test_the_server_has_the_script_at_an_address_of_its_text() -> None:
    app = Starlette(routes=[Route("/atlas/views-{digest}.js", browser_code)])
    client = TestClient(app)
    for encoding in ("gzip", "identity"):
        answer = client.get(f"/{web.address()}", headers={"accept-encoding": encoding})
        assert answer.content == web.views_script()
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
    older = client.get("/atlas/views-0123456789abcdef.js")
    assert older.content == web.views_script() and older.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", PAGES)
def test_each_page_is_one_script_that_a_page_can_hold(name: str) -> None:
    script = web.script(name, "[]")
    assert "</script" not in script.lower() and "<!--" not in script
    assert not re.search(r"^\s*(import|export)\b|\brequire\(", script, re.MULTILINE)
    assert "\n" in web.sheet(name)


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_all_of_them_parse(tmp_path: Path) -> None:
    codes = {"views.mjs": web.views_script().decode("utf-8")} | {
        f"{name}.js": web.script(name, "[]") for name in PAGES
    }
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
