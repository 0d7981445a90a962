"""What computes the expected values of a report shares no code with the model that it checks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
VERIFY = ROOT / "core" / "verify"
# What the modules that say what is right may share with the model: its options, and words for errors.
SHARED = {"core.model.config", "core.errors", "core.language", "core.schema"}
# What computes in the model. The links name its classes to read parameters and attributes, and must not call them.
COMPUTING = (
    *("core.model.layers", "core.model.transformer", "core.model.positions"),
    *("core.model.attention", "core.model.linear"),
)
MEASURED = {"attend", "Mask"}  # the fast kernel itself is run, to be compared


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Every (module, name) that a file imports from the project, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "core":
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "core")


def reached(path: Path) -> set[str]:
    """All modules of the project that importing `path` brings in, through whatever lies between."""
    found: set[str] = set()
    waiting = [path]
    while waiting:
        for module, name in imported(waiting.pop()):
            for each in (module, f"{module}.{name}"):
                file = ROOT / (each.replace(".", "/") + ".py")
                if file.exists() and each not in found:
                    found.add(each)
                    waiting.append(file)
    return found


def test_what_is_expected_is_computed_without_the_code_that_is_checked() -> None:
    assert reached(VERIFY / "expected.py") <= SHARED


@pytest.mark.parametrize("name", ["links"])
def test_the_links_call_nothing_that_computes_in_the_model(name: str) -> None:
    path = VERIFY / f"{name}.py"
    computing = {each for module, each in imported(path) if module in COMPUTING} - MEASURED
    called = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert computing and not computing & called
    assert all(each[:1].isupper() for each in computing), "a class, to name a type by"


def test_an_import_in_between_is_followed() -> None:
    """`core.analysis.contributions` reads the trace through the norms alone."""
    path = ROOT / "core" / "analysis" / "contributions.py"
    assert "core.model.trace" not in {module for module, _ in imported(path)}
    assert "core.model.trace" in reached(path)
