"""Faults that the tests must notice: each is planted in a copy of the project, and the tests that guard it are run.

    python -m tests.mutations [--only NAME ...] [--out TABLE.md]

Prints a table: what was planted where, and which test failed, or NOT CAUGHT (exit code 1). The faults are data in
`tests/faults/`, a file a feature: those that no mutation tool makes, at most 60. Each names the definition it is planted
in (`file:symbol`, the file without its folder and ending), so that a moved file or an edited line beside it changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SOURCES: Final = ("core", "ui", "pages")
LEFT_OUT: Final = {".git", "checkpoints", "docs", "benchmarks", ".venv", "mutants"}
"""Folders of the project that no copy needs."""
PATIENCE: Final = 600  # seconds for the tests of one fault


class MisplacedError(Exception):
    """A fault whose definition or whose text is not there exactly once."""


@dataclass(frozen=True)
class Fault:
    """In the definition `at`, `planted` takes the place of what it `writes`; of the `tests` (pytest ids) one must fail."""

    name: str
    at: str
    writes: str
    planted: str
    tests: tuple[str, ...]


def read_faults(folder: Path) -> tuple[Fault, ...]:
    """The faults of every feature, in the order of the files."""
    return tuple(
        Fault(**{**entry, "tests": tuple(entry["tests"])})
        for file in sorted(folder.glob("*.toml"))
        for entry in tomllib.loads(file.read_text("utf-8"))["fault"]
    )


FAULTS: Final = read_faults(ROOT / "tests" / "faults")


@dataclass(frozen=True)
class Outcome:
    """What happened to one fault: where it was planted and the tests that failed for it."""

    fault: Fault
    file: str
    caught_by: tuple[str, ...]
    remark: str = ""

    @property
    def line(self) -> str:
        """A row of the table."""
        caught = "<br>".join(map(_told, self.caught_by)) or f"**NOT CAUGHT** {self.remark}".strip()
        return f"| {self.fault.name} | `{self.file}` | {caught} |"


def _told(failure: str) -> str:
    """A line of pytest's summary for a table: the test, and the beginning of what it said."""
    test, _, said = failure.partition(" - ")
    reason = html.escape(" ".join(said.split())[:110]).replace("|", "\\|")
    return f"`{test}`" + (f"<br>{reason}" if reason else "")


def source_files(root: Path) -> Iterable[Path]:
    """Every Python and browser file of the app under `root`."""
    for top in SOURCES:
        yield from walked(root / top, ".py", ".ts")


def walked(top: Path, *endings: str) -> Iterator[Path]:
    """The files under a folder with one of these endings, in order; those of installed packages aside."""
    for folder, inside, names in os.walk(top):
        inside[:] = sorted(name for name in inside if name not in ("node_modules", "__pycache__"))
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(endings))


def definition(text: str, symbol: str, python: bool) -> tuple[int, int] | None:
    """Where the definition begins and ends in the text, in characters; None where there is none of that name.

    A definition of the browser code goes on to the next one that begins no further right.
    """
    if python:
        lines = text.splitlines(keepends=True)
        body: Sequence[ast.stmt] = ast.parse(text).body
        for name in symbol.split("."):
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            node = next((n for n in body if isinstance(n, kinds) and n.name == name), None)
            if node is None:
                return None
            body = node.body
        return len("".join(lines[: node.lineno - 1])), len("".join(lines[: node.end_lineno]))
    words = r"(?:(?:export|async|function|const|let|class|private|static|readonly|get|set) )*"
    found = re.search(rf"^( *){words}#?{re.escape(symbol)}\b[^\n]*$", text, re.MULTILINE)
    if found is None:
        return None
    deeper = " {0," + str(len(found[1])) + "}"
    after = re.compile("^" + deeper + r"[^\s})\]*/]", re.MULTILINE).search(text, found.end())
    return found.start(), after.start() if after else len(text)


def find(fault: Fault, root: Path) -> tuple[Path, int]:
    """The file of the fault's definition, and where in it the text stands. Raises `MisplacedError` unless both are alone."""
    stem, _, symbol = fault.at.partition(":")
    places = []
    for path in source_files(root):
        if path.stem == stem:
            text = path.read_text("utf-8")
            span = definition(text, symbol, path.suffix == ".py")
            if span is not None and text.count(fault.writes, *span) == 1:
                places.append((path, text.index(fault.writes, *span)))
    if len(places) != 1:
        raise MisplacedError(
            f"“{fault.name}”: {len(places)} definitions {fault.at} write this once; one must: {fault.writes}"
        )
    if fault.writes == fault.planted:
        raise MisplacedError(f"“{fault.name}” changes nothing.")
    return places[0]


def copy_tree(root: Path) -> None:
    """The project without its data at `root`."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        made = {name for name in names if name.endswith(("_cache", "__pycache__", "node_modules"))}
        return made | (LEFT_OUT & set(names) if Path(folder) == ROOT else set())

    shutil.copytree(ROOT, root, ignore=left_out)


def bundle(root: Path) -> None:
    """The bundles of the browser code under `root`, made again; what builds them is installed where this runs."""
    modules = root / "ui" / "web" / "node_modules"
    if not modules.exists():
        modules.symlink_to(ROOT / "ui" / "web" / "node_modules")
    subprocess.run(["node", "build.mjs"], cwd=root / "ui" / "web", check=True)


def run_tests(root: Path, tests: Sequence[str], checkpoints: Path) -> tuple[int, tuple[str, ...], str]:
    """Run tests in `root`: exit code, what failed (not what could not start) with its reason, and the end of the output."""
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "--tb=line", "-p", "no:cacheprovider", *tests]
    env = {**os.environ, "ATLAS_TEST_CHECKPOINTS": str(checkpoints), "CI": "1", "COLUMNS": "300"}
    try:
        done = subprocess.run(
            command, cwd=root, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return 124, (), f"no end within {PATIENCE} s"
    failed = tuple(dict.fromkeys(re.findall(r"^FAILED (\S.*)", done.stdout, re.MULTILINE)))
    return done.returncode, failed, (done.stdout + done.stderr)[-3000:]


def try_fault(fault: Fault, root: Path, checkpoints: Path) -> Outcome:
    """Plant one fault in the copy at `root`, run its tests, and take it out again."""
    path, at = find(fault, root)
    sound = path.read_text("utf-8")
    path.write_text(sound[:at] + fault.planted + sound[at + len(fault.writes) :], "utf-8")
    try:
        if path.suffix == ".ts":
            bundle(root)
        code, failed, end = run_tests(root, fault.tests, checkpoints)
    finally:
        path.write_text(sound, "utf-8")
        if path.suffix == ".ts":
            bundle(root)
    # Tests that could not be collected or started say nothing about what they guard.
    remark = (
        ""
        if code in (0, 1)
        else f"(the tests did not run: exit code {code}: {end.strip().splitlines()[-1:]})"
    )
    return Outcome(fault, str(path.relative_to(root)), failed, remark)


def report(outcomes: Sequence[Outcome]) -> str:
    """The table, as Markdown."""
    caught = sum(bool(outcome.caught_by) for outcome in outcomes)
    head = f"{caught} of {len(outcomes)} planted faults are caught.\n\n| fault | planted in | caught by |\n|---|---|---|\n"
    return head + "\n".join(outcome.line for outcome in outcomes) + "\n"


def main() -> int:
    """0 when every fault was caught."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a fault of the list (repeatable)"
    )
    parser.add_argument("--out", type=Path, help="write the table here as well")
    options = parser.parse_args()
    chosen = [fault for fault in FAULTS if not options.only or fault.name in options.only]
    if unknown := set(options.only) - {fault.name for fault in FAULTS}:
        parser.error(f"there is no fault called {', '.join(sorted(unknown))}")
    for fault in chosen:
        find(fault, ROOT)
    from tests.browser.golden_model import write_golden

    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        root, checkpoints = Path(folder) / "tree", Path(folder) / "made"
        copy_tree(root)
        write_golden(checkpoints)
        every = list(dict.fromkeys(test for fault in chosen for test in fault.tests))
        code, _, end = run_tests(root, every, checkpoints)
        if code:
            print(f"Without any fault the tests must pass; they do not:\n{end}", file=sys.stderr)
            return 2
        outcomes = []
        for fault in chosen:
            outcomes.append(try_fault(fault, root, checkpoints))
            print(outcomes[-1].line, flush=True)
            if options.out:
                options.out.write_text(report(outcomes), "utf-8")
    print("\n" + report(outcomes))
    return 0 if all(outcome.caught_by for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
