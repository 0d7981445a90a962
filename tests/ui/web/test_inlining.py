"""The modules of ui/web are put together as an ES module loader would: in order, each in its own scope, or refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ui.components import base
from ui.web import inline as web
from ui.web.__main__ import TOKENS, tokens_module
from ui.web.shorten import shorten

MODULES = [
    path for folder in ("base", "maps", "views") for path in sorted((web.FOLDER / folder).glob("*.js"))
]
VIEWS = [path.stem for path in MODULES if path.parent.name == "views" and web.read(path).default]
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
ESPREE = web.FOLDER / "node_modules" / "espree"


def _write(folder: Path, **files: str) -> Path:
    """A folder of modules; `views__a` becomes views/a.js. Returns the entry, views/entry.js."""
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".js")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder / "views" / "entry.js"


def _run(script: str, folder: Path) -> str:
    path = folder / "run.mjs"
    path.write_text(script, "utf-8")
    return subprocess.run(["node", str(path)], check=True, capture_output=True, text=True).stdout.strip()


@needs_node
def test_modules_are_ordered_and_their_names_never_meet(tmp_path: Path) -> None:
    entry = _write(
        tmp_path,
        base__a="/* first */\nconst secret = 1;\nexport const one = () => secret;\nexport class Pair {}\n",
        base__b="import { one } from './a.js';\n\nconst secret = 2;\nexport async function two() {\n  return one() + secret;\n}\n",
        views__entry=(
            "import { one as first, Pair } from '../base/a.js';\nimport { two } from '../base/b.js';\n\n"
            "const secret = 4;\nexport default function view(n) {\n  two().then((v) => console.log(first() + v + secret + n, Pair.name));\n}\n"
        ),
    )
    code = web.assemble(entry)
    assert code.count("const secret") == 3 and "import" not in code and "export" not in code
    assert _run(f"{code}m$2.default(10);", tmp_path) == "18 Pair"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {
                "base__a": "import { b } from './b.js';\nexport const a = 1;\n",
                "base__b": "import { a } from './a.js';\nexport const b = 1;\n",
                "views__entry": "import { a } from '../base/a.js';\n",
            },
            "a.js → b.js → a.js: modules import each other in a circle",
        ),
        (
            {
                "base__a": "export const a = 1;\n",
                "views__entry": "import { z } from '../base/a.js';\n",
            },
            "entry.js: a.js has no export 'z'; it exports a",
        ),
        ({"views__entry": "import { z } from '../base/gone.js';\n"}, "gone.js: there is no such module"),
        ({"views__entry": "import { z } from 'lodash';\n"}, "'lodash' is no path inside"),
        ({"views__entry": "import { z } from '../../../outside.js';\n"}, "is no path inside"),
        (
            {"views__entry": "import z from './z.js';\n"},
            "import z from './z.js';' is not understood|is not understood",
        ),
        ({"views__entry": "const a = 1;\nexport { a };\n"}, "is not understood"),
        ({"views__entry": "export let a = 1;\n"}, "is not understood"),
        ({"views__entry": "const a = 1;\nimport { b } from './b.js';\n"}, "imports stand at the top"),
        ({"views__entry": "const f = () => import('./b.js');\n"}, r"import\(…\) are not for modules"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    with pytest.raises(web.ModuleError, match=message):
        web.assemble(_write(tmp_path, **files))


def test_comments_and_indentation_go_and_literals_stay() -> None:
    source = (
        "/** Types @type {X} */\nconst a = 'it // is';   // gone\n\n"
        "  const b = `one /* two */ ${f({ x: `// ${y}` })} three\n  // four`;\n"
        'const c = /[/*]\\/\\/\'/.test(a) / 2 / d; /* gone */ const e = "\\"//";\n'
        "return /* between */ x;\n"
    )
    assert shorten(source).code == (
        "const a = 'it // is';\nconst b = `one /* two */ ${f({ x: `// ${y}` })} three\n  // four`;\n"
        'const c = /[/*]\\/\\/\'/.test(a) / 2 / d; const e = "\\"//";\nreturn x;\n'
    )
    found = shorten("const a = 'export const b'; // export\n`\nexport const c`;\n")
    assert len(found.code) == len(found.mask) and "export" not in found.mask


@pytest.mark.parametrize("broken", ["/* no end", "const a = 'no end\n';", "`no ${end}", "a = /no end\n"])
def test_what_does_not_end_is_said(broken: str) -> None:
    with pytest.raises(ValueError, match="does not end"):
        shorten(broken)


@needs_node
@pytest.mark.skipif(not ESPREE.exists(), reason="npm ci has not been run in ui/web")
def test_shortening_changes_no_module(tmp_path: Path) -> None:
    pairs = [[path.read_text("utf-8"), shorten(path.read_text("utf-8")).code] for path in MODULES]
    (tmp_path / "pairs.json").write_text(json.dumps(pairs), "utf-8")
    script = f"""import {{ readFileSync }} from 'node:fs';
    import * as espree from '{(ESPREE / "espree.js").as_uri()}';
    const bare = (node) => JSON.stringify(node, (name, v) => (['start', 'end', 'loc', 'range'].includes(name) ? undefined : v instanceof RegExp ? String(v) : v));
    const tree = (text) => bare(espree.parse(text, {{ ecmaVersion: 'latest', sourceType: 'module' }}));
    const pairs = JSON.parse(readFileSync({json.dumps(str(tmp_path / "pairs.json"))}, 'utf8'));
    console.log(pairs.filter(([a, b]) => a.length > b.length && tree(a) === tree(b)).length);"""
    assert int(_run(script, tmp_path)) == len(MODULES)


@pytest.mark.parametrize("name", VIEWS)
def test_each_view_parses_as_a_module_and_inside_a_page(name: str, tmp_path: Path) -> None:
    module = web.module(f"views/{name}.js")
    assert module.count("export default") == 1 and "/**" not in module
    assert "\n" in module and "\n" in web.sheet(f"views/{name}.js")
    assert "</script" not in web.script(f"views/{name}.js", "[]").lower()
    if shutil.which("node"):
        path = tmp_path / "module.mjs"
        for code in (module, base.packed(module), web.script(f"views/{name}.js", "[]")):
            path.write_text(code, "utf-8")
            subprocess.run(["node", "--check", str(path)], check=True, capture_output=True)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_turns_text_into_html_or_code(path: Path) -> None:
    code = shorten(path.read_text("utf-8")).code
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|setHTML|createContextualFragment|document\.write|"
        r"\beval\b|new Function|DOMParser|srcdoc"
    )
    assert not re.search(forbidden, code)
    assert not re.search(r"https?://(?!www\.w3\.org/)", code), "a view must work offline"


def test_the_tokens_are_those_of_the_theme() -> None:
    assert TOKENS.read_text("utf-8") == tokens_module(), (
        "run `python -m ui.web` after a change of ui/style/theme.py"
    )
