"""No identifier is one of the catch-all names that say nothing of what they hold.

Identifiers are what a file defines: functions, classes, parameters, attributes, fields, locals, imports' aliases, and its
own name; in TypeScript every identifier token. Words in comments, texts and keys of files are free. `result` is allowed
as a local of a function of at most RESULT_LINES lines, where it cannot be confused with anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.mutations import walked

ROOT: Final = Path(__file__).parents[1]
CLEAN: Final = ("app.py", "benchmarks", "core", "pages", "ui")
BANNED: Final = frozenset(
    ("told", "place", "found", "said", "reached", "settled", "riddle", "fate", "panics", "lay_out", "layOut")
)
BANNED_CLASSES: Final = frozenset(("Shown", "Plate", "Rung", "Whole", "Part", "Visit"))
RESULT_LINES: Final = 8


def is_banned(name: str) -> bool:
    """Whether a name, apart from leading underscores, is a banned one; a constant counts as its lower-case word."""
    plain = name.strip("_")
    return plain in BANNED_CLASSES or (plain.lower() if plain.isupper() else plain) in BANNED


def defined(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every identifier that a Python file defines, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case (
                ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
            ):
                yield name, node.lineno
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name, node.lineno
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from ((alias.asname, node.lineno) for alias in aliases if alias.asname)
            case _:
                pass


def long_results(tree: ast.AST, names: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """`result` among the names of a file, where it is no local of a short function."""
    short = [
        range(node.lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno < RESULT_LINES
    ]
    for name, line in names:
        if name.strip("_") == "result" and not any(line in lines for lines in short):
            yield name, line


NO_CODE: Final = re.compile(
    r"""/\*[\s\S]*?\*/ | //[^\n]* | '(?:\\.|[^'\\\n])*' | "(?:\\.|[^"\\\n])*"
    | (?<=[=(,:\[!&|?{;\s])/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]* | `(?:\\.|[^`\\])*`""",
    re.X,
)


def tokens(source: str) -> Iterator[tuple[str, int]]:
    """Every identifier token of a TypeScript file, with its line; of template texts, those in their expressions."""

    def code_alone(match: re.Match[str]) -> str:
        text = match[0]
        kept = " ".join(re.findall(r"\$\{([^{}]*)\}", text)) if text.startswith("`") else ""
        return f" {kept} " + "\n" * text.count("\n")

    for number, line in enumerate(NO_CODE.sub(code_alone, source).splitlines(), start=1):
        yield from ((name, number) for name in re.findall(r"[A-Za-z_$][\w$]*", line))


def faults(path: Path) -> list[str]:
    """A line for each banned name in a file."""
    source = path.read_text("utf-8")
    if path.suffix == ".py":
        tree = ast.parse(source)
        names = [*defined(tree)]
        named = [*((name, line) for name, line in names if is_banned(name)), *long_results(tree, names)]
    else:
        named = [(name, line) for name, line in tokens(source) if is_banned(name)]
    if is_banned(path.stem):
        named.append((path.stem, 0))
    return [f"{path.name}, line {line}: {name}" for name, line in named]


def files(rooms: tuple[str, ...]) -> Iterator[Path]:
    for room in rooms:
        yield from [ROOT / room] if room.endswith(".py") else walked(ROOT / room, ".py", ".ts")


def test_no_identifier_is_a_catch_all() -> None:
    checked = list(files(CLEAN))
    assert len(checked) > 300
    wrong = [f"{path.parent.relative_to(ROOT)}/{fault}" for path in checked for fault in faults(path)]
    assert not wrong, "\n" + "\n".join(wrong)


PYTHON: Final = {
    "a function": "def told(): ...",
    "a parameter": "def measure(place): ...",
    "a field": "class Row:\n    found: int",
    "an attribute": "self.said = 1",
    "a constant": "_SETTLED = 1",
    "a class": "class _Whole: ...",
    "a loop": "for place in []: ...",
    "an alias": "import core as found",
    "a captured name": "match x:\n    case [reached]: ...",
    "a result of a long function": "def f():\n" + "    pass\n" * 8 + "    result = 1\n    return result",
}
TYPESCRIPT: Final = {
    "a variable": "const told = 1;",
    "an interface": "interface Rung { depth: number }",
    "a property": "return { found: true };",
    "a template's expression": "label(`${place} of it`);",
}
ALLOWED: Final = {
    "a word of a text.py": 'message = "a place was found"  # as told',
    "a part of a name.py": "placement, founder, part, shown, parts = range(5)",
    "a short result.py": "def f():\n    result = 1\n    return result",
    "a key.py": 'row = {"told": 1}["told"]',
    "words of texts.ts": "const a = 'told' + \"place\" + `found ${b} said`; // fate\n/* Rung */ const c = /[\"']told/u;",
}


@pytest.mark.parametrize(
    ("suffix", "source"),
    [*((".py", each) for each in PYTHON.values()), *((".ts", each) for each in TYPESCRIPT.values())],
    ids=[*PYTHON, *TYPESCRIPT],
)
def test_a_catch_all_is_noticed(tmp_path: Path, suffix: str, source: str) -> None:
    path = tmp_path / f"module{suffix}"
    path.write_text(source, "utf-8")
    assert len(set(faults(path))) == 1


def test_a_file_s_own_name_counts(tmp_path: Path) -> None:
    path = tmp_path / "told.py"
    path.write_text("", "utf-8")
    assert faults(path) == ["told.py, line 0: told"]


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_no_such_identifier_passes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(ALLOWED[name], "utf-8")
    assert faults(path) == []
