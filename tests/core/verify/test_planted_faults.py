"""Each planted fault is seen by the check that watches over it; and what computes the expected values shares no code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import core.api
from core.api import Checkpoint
from core.verify import beams, decodes, links
from core.verify.checking import verify
from tests.core.verify.planted_faults import FAULTS, Fault, plant

ROOT = Path(__file__).parents[3]
VERIFY = ROOT / "core" / "verify"
SENTENCES = ["abc def.", "jab", "a b c d e f g"]
# What takes most of a report's time: left out of the reports that are asked about another check.
DEAR = {
    "batch": (beams, "batch_gap"),
    "back": (decodes, "back_gap"),
    "beam": (beams, "beam_gap"),
    "chosen": (decodes, "chosen_gap"),
    "drawn": (decodes, "drawn_gap"),
    "saved": (links, "round_trip"),
}
# What the modules that say what is right may share with the model: its options, and words for errors.
SHARED = {"core.model.config", "core.errors", "core.language", "core.schema"}
# What computes in the model. The links name its classes to read parameters and attributes, and must not call them.
COMPUTING = (
    *("core.model.layers", "core.model.transformer", "core.model.positions"),
    *("core.model.attention", "core.model.linear"),
)
MEASURED = {"attend", "Mask"}  # the fast kernel itself is run, to be compared


def cases() -> list[Any]:
    """Every fault, the first of each check in every run; one that is missed is expected to be, so that it is told when it no
    longer is.
    """
    first = {fault.check: fault for fault in reversed(FAULTS) if not fault.missed}
    missed, more = pytest.mark.xfail(strict=True), pytest.mark.thorough

    def marks(fault: Fault) -> list[pytest.MarkDecorator]:
        return [missed] * bool(fault.missed) + [more] * (fault is not first.get(fault.check))

    return [pytest.param(fault, id=fault.name, marks=marks(fault)) for fault in FAULTS]


@pytest.mark.parametrize("fault", cases())
def test_a_planted_fault_is_seen(
    fault: Fault, build: Callable[..., Checkpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a trained model, or in a random one where the fault needs options of its own."""
    plant(monkeypatch, fault)
    for module, name in (DEAR[check] for check in DEAR if check != fault.check):
        monkeypatch.setattr(module, name, lambda *given: 0.0)
    if fault.options:
        report = verify(build(**fault.options), SENTENCES)
    else:
        # One sentence is enough: of these faults each that three sentences show, one shows too.
        report = verify(core.api.load(ROOT / "checkpoints" / "dates", device="cpu"), ["3rd of May, 1979"])
    assert fault.check in {check.name for check in report.checks if not check.passed}


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
