"""`python -m tests [FILE …] [--browser]`: what a change must pass, for the files that changed, in about a minute.

Runs ruff on the files, mypy on their packages, and the tests that mirror their folders. Without files it takes those that
git calls changed. Tests that open a browser are left out unless asked for; `.ci/run` runs everything.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALWAYS = ("tests/test_imports.py",)


def changed() -> list[str]:
    """The files that differ from the last commit, and new ones."""
    lines = subprocess.check_output(["git", "status", "--porcelain", "-uall"], cwd=ROOT, text=True)
    return [line[3:].split(" -> ")[-1].strip('"') for line in lines.splitlines() if line[:2] != " D"]


def belonging_tests(files: Iterable[str], root: Path = ROOT) -> list[str]:
    """Test files and folders that belong to the files: the same path under tests/, or that of the nearest folder."""
    found: set[str] = set()
    for name in files:
        path = Path(name)
        if path.parts[:1] == ("tests",):
            if path.name.startswith("test_"):
                found.add(name)
            continue
        twin = Path("tests", *path.parts[:-1], f"test_{path.stem}.py")
        folder = twin.parent
        while not (root / folder).is_dir():
            folder = folder.parent
        if (root / twin).is_file():
            found.add(str(twin))
        elif folder != Path("tests"):
            found.add(str(folder))
        elif path.suffix == ".md":
            found.add("tests/test_docs.py")
    return sorted(found)


def commands(files: list[str], browser: bool, root: Path = ROOT) -> list[list[str]]:
    """What is run, in this order."""
    python = [name for name in files if name.endswith(".py") and (root / name).is_file()]
    run = [sys.executable, "-m"]
    made: list[list[str]] = []
    if python:
        made += [[*run, "ruff", "check", *python], [*run, "ruff", "format", "--check", *python]]
    typed = sorted(
        {str(Path(name).parent) for name in python if name.split("/")[0] in ("core", "ui", "pages")}
    )
    if typed:
        made.append([*run, "mypy", *typed])
    if any(name.startswith("ui/") and name.endswith((".js", ".ts", ".css")) for name in files):
        made.append(["npm", "--prefix", "ui/web", "run", "check"])
    marks = "" if browser else "not browser and not gpu"
    made.append([*run, "pytest", "-q", "-m", marks, *sorted({*belonging_tests(files, root), *ALWAYS})])
    return made


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests", description=__doc__)
    parser.add_argument(
        "files", nargs="*", help="files of the change; without any, those that git calls changed"
    )
    parser.add_argument("--browser", action="store_true", help="also the tests that open a browser")
    given = parser.parse_args()
    failed = []
    for command in commands(given.files or changed(), given.browser):
        print("$", " ".join(command[2:] if command[0] == sys.executable else command), flush=True)
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(command)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
