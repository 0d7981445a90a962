"""Arrows of imports run down only: app → pages → ui → core, and from room to room inside ui and core.

An import counts wherever it stands: at the top, inside a function, for the type checker alone. The last tests say
what must be importable before torch is there, and what must never be imported at all.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import core

ROOT = Path(__file__).resolve().parents[1]

# Rooms from the ground up. A room may use those on floors below it, and of its own floor nothing but itself.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("core.language", "core.version"),
    ("core.errors",),
    ("core.files", "core.schema", "core.child", "core.notebook"),
    ("core.model",),
    ("core.tokenizer",),
    ("core.checkpoints",),
    ("core.analysis", "core.decoding"),
    ("core.api",),
    ("core.verify", "core.training"),
    ("core.importing", "core.experiments", "core.learning"),
    ("core.cli",),
    ("core",),  # the package itself hands names out; nothing inside it may ask it for one
    ("core.__main__",),
    ("ui",),
    ("ui.style", "ui.session"),
    ("ui.uploads",),
    ("ui.web",),
    ("ui.shared",),
    ("ui.app",),
    ("ui.export",),
    # One folder a place. What two of them need stands in ui.shared.
    ("ui.translate", "ui.attention", "ui.heads", "ui.what_if", "ui.inside", "ui.learn", "ui.models"),
    ("pages",),
    ("app",),
)
# Beside each other, and yet one uses the other: none.
SIDEWAYS: frozenset[tuple[str, str]] = frozenset()
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# Drawn before torch is there.
WITHOUT_TORCH = (
    *(
        "core",
        "core.errors",
        "core.language",
        "core.files",
        "core.tokenizer",
        "core.checkpoints",
        "core.verify.report",
    ),
    *("core.model", "core.model.config", "core.model.hooks", "core.model.positions"),
    *("core.model.trace", "core.checkpoints.files", "core.checkpoints.summary"),
    *("core.decoding", "core.decoding.strategies", "core.decoding.inputs"),
    *("core.decoding.strategies", "core.decoding.example", "core.training"),
    *("core.cli", "core.cli.checkpoint"),
    *("core.training.cli", "core.importing.cli", "core.experiments.corpus", "core.experiments.rankings"),
)


class Arrow(NamedTuple):
    """One module's import of another, and the line it stands on."""

    source: str
    target: str
    line: int


def module_name(path: Path, root: Path = ROOT) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def files(folder: str, root: Path = ROOT) -> Iterator[Path]:
    """The Python files under a folder, in order; those of installed packages aside."""
    for inside, folders, names in os.walk(root / folder):
        folders[:] = sorted(name for name in folders if name not in ("node_modules", "__pycache__"))
        yield from (Path(inside, name) for name in sorted(names) if name.endswith(".py"))


def sources(root: Path) -> dict[str, Path]:
    """Every module of the product by its name."""
    found = [path for folder in ("core", "ui", "pages") for path in files(folder, root)]
    found += [root / "app.py"] if (root / "app.py").exists() else []
    return {module_name(path, root): path for path in found}


@cache
def parsed(code: str) -> ast.Module:
    """The tree of a file, which several tests walk."""
    return ast.parse(code)


def imports(path: Path, name: str, top: bool = False) -> tuple[tuple[str, int], ...]:
    """What a file imports, wherever the import stands (or at the `top` alone), as absolute dotted names that may end in a symbol."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return imported(path.read_text("utf-8"), package, top)


@cache
def imported(code: str, package: str, top: bool) -> tuple[tuple[str, int], ...]:
    """The same of a module's code in `package`; several tests ask for it."""
    listed: list[tuple[str, int]] = []
    for node in parsed(code).body if top else ast.walk(parsed(code)):
        if isinstance(node, ast.Import):
            listed += ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            around = package.split(".")
            base = around[: len(around) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            listed += ((f"{module}.{alias.name}", node.lineno) for alias in node.names)
    return tuple(listed)


def arrows(root: Path) -> list[Arrow]:
    """Every import of one module of the product by another."""
    known = sources(root)
    found = []
    for name, path in known.items():
        for imported, line in imports(path, name):
            parts = imported.split(".")
            heads = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
            target = next((head for head in heads if head in known), None)
            if target is not None:
                found.append(Arrow(name, target, line))
    return found


def room(module: str) -> str:
    """`core.decoding.path` → `core.decoding`; pages and app are rooms of their own."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in ("core", "ui") else parts[0]


def wrong_arrows(root: Path) -> list[str]:
    """One sentence for each import that does not run down."""
    found = [
        f"{name} is in a room that FLOORS does not have; give {room(name)} its floor"
        for name in sources(root)
        if room(name) not in FLOOR
    ]
    for arrow in arrows(root):
        here, there = room(arrow.source), room(arrow.target)
        if here not in FLOOR or there not in FLOOR:
            continue
        where = f"{arrow.source}, line {arrow.line}: imports {arrow.target}"
        if here == there:
            if arrow.source.startswith(f"{arrow.target}."):
                found.append(f"{where}, the package it is part of; name the module inside it")
        elif FLOOR[there] > FLOOR[here]:
            found.append(f"{where}, but {there} is built on {here}, not the reverse")
        elif FLOOR[there] == FLOOR[here] and (here, there) not in SIDEWAYS:
            found.append(f"{where}, but {here} and {there} stand beside each other")
    return found


def circles(root: Path) -> list[str]:
    """Modules that import each other, directly or through others."""
    graph: dict[str, set[str]] = {name: set() for name in sources(root)}
    for arrow in arrows(root):
        # A package hands out what is inside it; what is inside asks for modules by name, never for the package.
        if arrow.source != arrow.target and not arrow.target.startswith(f"{arrow.source}."):
            graph[arrow.source].add(arrow.target)
    return rounds(graph)


def browser_circles(root: Path) -> list[str]:
    """The same of the browser code, where an import of types counts too."""
    paths = [path for path in (root / "ui").rglob("*.ts") if "node_modules" not in path.parts]
    graph: dict[str, set[str]] = {}
    for path in paths:
        asked = re.findall(r"(?:from|import) '(\.[^']*\.ts)'", path.read_text("utf-8"))
        targets = [os.path.normpath(path.parent / each) for each in asked]
        graph[path.relative_to(root).as_posix()] = {
            Path(each).relative_to(root).as_posix() for each in targets
        }
    return rounds(graph)


def rounds(graph: Mapping[str, set[str]]) -> list[str]:
    """The names of a graph that reach each other, a line for each such group."""
    reach = {name: reached(graph, name) for name in graph}
    together = {
        frozenset(other for other in reach[name] if name in reach[other])
        for name in graph
        if name in reach[name]
    }
    return sorted("each needs the other: " + ", ".join(sorted(group)) for group in together)


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """Every module that `start` imports, directly or through others."""
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.get(name, ())
    return seen


def loose_names(root: Path) -> list[str]:
    """Modules used as `core.a.b` in a file that does not import them, and such imports that nothing uses.

    The first work only as long as somebody else has imported the module before.
    """
    known = {
        module_name(path, root)
        for folder in ("core", "ui", "pages", "tests", "benchmarks")
        for path in files(folder, root)
    }
    found = []
    for name in sorted(known):
        path = root / Path(*name.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not path.exists():
            continue
        code = path.read_text("utf-8")
        if not re.search(r"^\s*import (core|ui)\b", code, re.MULTILINE):
            continue
        tree = parsed(code)
        stated = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.asname is None and alias.name.split(".")[0] in ("core", "ui")
        }
        used = {text for node in ast.walk(tree) if (text := dotted(node)).split(".")[0] in ("core", "ui")}
        meant = used & known - {"core", "ui"}
        found += [
            f"{name}: uses {each} without importing it"
            for each in sorted(meant - stated)
            if not any(other.startswith(f"{each}.") for other in stated)
        ]
        found += [f"{name}: imports {each} and does not use it" for each in sorted(stated - used)]
    return found


def dotted(node: ast.AST) -> str:
    """`core.api.load` where a node is that, else empty."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{before}.{node.attr}" if (before := dotted(node.value)) else ""
    return ""


# -- the project as it is ---------------------------------------------------------------------------------------


def test_every_arrow_runs_down() -> None:
    assert not (wrong := wrong_arrows(ROOT)), "\n" + "\n".join(wrong)


def test_nothing_runs_in_a_circle() -> None:
    assert not (found := circles(ROOT)), "\n" + "\n".join(found)


def test_nothing_runs_in_a_circle_in_the_browser_code() -> None:
    assert not (found := browser_circles(ROOT)), "\n" + "\n".join(found)


def test_a_module_is_imported_where_its_dotted_name_is_used() -> None:
    assert not (found := loose_names(ROOT)), "\n" + "\n".join(found)


def outside(folder: str) -> dict[str, set[str]]:
    """The top packages that each file of a folder imports."""
    return {
        module_name(path): {name.split(".")[0] for name, _ in imports(path, module_name(path))}
        for path in files(folder)
    }


def test_core_knows_no_browser() -> None:
    assert not [name for name, used in outside("core").items() if used & {"streamlit", "plotly"}]


def test_core_names_the_app_in_two_places_only() -> None:
    """What draws in a notebook, and what builds a live page, are imported by these names when asked for."""
    named = {
        (module_name(path), node.value)
        for path in files("core")
        for node in ast.walk(parsed(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"ui(\.\w+)+", node.value)
    }
    assert named == {
        ("core.notebook", "ui.export.notebook"),
        ("core.cli.main", "ui.export.live.page"),
    }


def test_what_draws_in_a_notebook_needs_neither_streamlit_nor_plotly() -> None:
    assert import_without("streamlit,plotly,torch", ["core.notebook", "ui.export.notebook"]) == ""


def test_the_tests_of_core_need_neither_streamlit_nor_plotly() -> None:
    """At the top of their files; what a test imports in its body it skips without (`pytest.importorskip`)."""
    known = {**sources(ROOT), **{module_name(path): path for path in files("tests/core")}}
    graph: dict[str, set[str]] = {}
    for name, path in known.items():
        listed = {each for each, _ in imports(path, name, top=name.startswith("tests."))}
        graph[name] = {".".join(each.split(".")[:end]) for each in listed for end in range(1, 9)}
    outside = {name: reached(graph, name) for name in known if name.startswith("tests.core")}
    assert len(outside) > 100
    assert not [name for name, used in outside.items() if used & {"streamlit", "plotly"}]


def test_figures_know_no_page() -> None:
    used = {**outside("ui/inside"), **outside("ui/what_if")}
    figures = ("inside.norm_figures", "inside.position_figures", "what_if.finding")
    assert not [name for name in figures if "streamlit" in used[f"ui.{name}"]]


def test_a_circle_of_types_is_told(tmp_path: Path) -> None:
    (tmp_path / "ui/shared").mkdir(parents=True)
    (tmp_path / "ui/shared/head.ts").write_text("import { paint } from './head_drawing.ts';")
    (tmp_path / "ui/shared/head_drawing.ts").write_text("import type { Head } from './head.ts';")
    assert browser_circles(tmp_path) == ["each needs the other: ui/shared/head.ts, ui/shared/head_drawing.ts"]


# -- what is imported when ----------------------------------------------------------------------------------------

BLOCK = """
import sys
from importlib import import_module

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ImportError(f"{name} must not be imported")

BLOCKED = sys.argv[1].split(",")
sys.meta_path.insert(0, Blocked())
failed = []
for name in sys.argv[2:]:
    try:
        import_module(name)
    except ImportError as error:
        failed.append(f"{name}: {error}")
if failed:
    sys.exit("\\n".join(failed))
"""


def import_without(blocked: str, names: list[str]) -> str:
    """Import `names` in a fresh process where `blocked` packages cannot be imported → what failed."""
    done = subprocess.run(
        [sys.executable, "-c", BLOCK, blocked, *names], capture_output=True, text=True, cwd=ROOT, check=False
    )
    return done.stderr if done.returncode else ""


def modules(folder: str) -> list[str]:
    return [module_name(path) for path in files(folder) if path.stem != "__main__"]


def test_these_modules_import_without_torch() -> None:
    assert import_without("torch,streamlit,plotly", [*WITHOUT_TORCH, *modules("core/analysis")]) == ""


def test_all_of_ui_imports_without_torch() -> None:
    assert import_without("torch", modules("ui")) == ""


def test_core_imports_without_streamlit_and_plotly() -> None:
    assert import_without("streamlit,plotly", modules("core")) == ""


def test_importing_core_imports_nothing_slow() -> None:
    code = "import core, sys; sys.exit(any(name in sys.modules for name in ('torch', 'numpy', 'tokenizers')))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_public_names_load_when_used() -> None:
    assert all(getattr(core, name) is not None for name in core.__all__)
    assert set(core.__all__) <= set(dir(core))
    assert callable(core.trace)
    assert callable(core.load)
    with pytest.raises(AttributeError, match="'trice'"):
        _ = core.trice
