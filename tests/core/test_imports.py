"""The direction of imports: app → pages → ui → core, and what may be imported before torch is."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import core

ROOT = Path(__file__).resolve().parents[2]
ORDER = ("core", "ui", "pages", "app")
# The model itself; `importing`, `analysis`, `training` and everything else may use it, never the reverse.
MODEL = (
    "errors",
    "config",
    "presets",
    "sites",
    "hooks",
    "masks",
    "attention",
    "position_tables",
    "positions",
    "norms",
    "layers",
    "state",
    "model",
)
# Drawn before torch is there.
WITHOUT_TORCH = (
    *(
        "core",
        "core.errors",
        "core.config",
        "core.presets",
        "core.sites",
        "core.position_tables",
        "core.hooks",
        "core.tokenizer",
        "core.stored",
    ),
    *("core.summary", "core.example", "core.decoding", "core.decoding.strategies", "core.decoding.inputs"),
    *("core.verify", "core.verify.meaning", "core.verify.report", "core.analysis.facts"),
    "core.decoding.distribution",
    *("core.decoding.search", "core.decoding.tree", "core.cli", "core.cli.translate", "core.training"),
    *("core.cli.trace", "core.cli.verify", "core.cli.example", "core.training.cli", "core.importing.cli"),
)


def files(folder: str) -> Iterator[Path]:
    yield from sorted((ROOT / folder).rglob("*.py")) if folder != "app" else [ROOT / "app.py"]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """Every module that a file names in an import, wherever the import stands; relative ones made absolute."""
    found: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(ROOT).parts[:-1]
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            found.add(module)
            found.update(f"{module}.{alias.name}" for alias in node.names)
    return found


def top(name: str) -> str:
    return name.split(".")[0]


MODULES = [
    path for folder in ORDER if folder != "app" or (ROOT / "app.py").exists() for path in files(folder)
]


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_no_arrow_runs_back(path: Path) -> None:
    own = ORDER.index(top(module_name(path)))
    above = {name for name in imports(path) if top(name) in ORDER[own + 1 :]}
    assert not above, f"{module_name(path)} imports {', '.join(sorted(above))}"


@pytest.mark.parametrize("path", list(files("core")), ids=module_name)
def test_core_knows_no_browser(path: Path) -> None:
    assert not {top(name) for name in imports(path)} & {"streamlit", "plotly"}


@pytest.mark.parametrize("name", MODEL)
def test_the_model_uses_nothing_built_on_it(name: str) -> None:
    used = {each for each in imports(ROOT / "core" / f"{name}.py") if top(each) == "core" and each != "core"}
    assert all(each.split(".")[1] in MODEL for each in used), used


@pytest.mark.parametrize("package", ["training", "importing"])
def test_the_rest_of_core_works_without(package: str) -> None:
    """Only the command line, which names its commands, reaches into these from outside."""
    outside = [path for path in files("core") if path.relative_to(ROOT).parts[1] not in (package, "cli")]
    used = {module_name(path): imports(path) for path in outside}
    assert not [
        name for name, found in used.items() if any(each.startswith(f"core.{package}") for each in found)
    ]


@pytest.mark.parametrize(
    "path", list(files("ui/figures")) if (ROOT / "ui/figures").exists() else [], ids=module_name
)
def test_figures_know_no_session(path: Path) -> None:
    used = imports(path)
    assert "streamlit" not in {top(name) for name in used}
    assert not any(name.startswith(("ui.state", "ui.resources")) for name in used)


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


def test_these_modules_import_without_torch() -> None:
    light = [
        *WITHOUT_TORCH,
        *(module_name(path) for path in files("core/analysis") if path.stem != "__main__"),
    ]
    assert import_without("torch,streamlit,plotly", light) == ""


def test_all_of_ui_imports_without_torch() -> None:
    assert import_without("torch", [module_name(path) for path in files("ui")]) == ""


def test_core_imports_without_streamlit_and_plotly() -> None:
    names = [module_name(path) for path in files("core") if path.stem != "__main__"]
    assert import_without("streamlit,plotly", names) == ""


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
