"""Where the sources keep what was computed: found by reading the code, so that a new cache cannot come unseen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
KEEPERS = {"memo", "measure_behind", "recorded", "kept", "drawing", "once_a_run"}
"""Methods and functions of ui/shared/context.py that keep a value under a name that the caller gives."""
DECORATORS = {"cache", "lru_cache", "cache_data", "cache_resource"}
EMPTY = {
    "dict",
    "set",
    "list",
    "OrderedDict",
    "defaultdict",
    "WeakKeyDictionary",
    "WeakValueDictionary",
    "deque",
}


def cache_sites(folders: tuple[str, ...] = ("ui", "core", "pages", "app.py")) -> set[str]:
    """Every place that keeps a value for later, as "path::function" (or the name of what holds it).

    A call of one of `KEEPERS`, a read of a `BoundedCache`, a caching decorator of a function with arguments, an empty
    container of a module.
    """
    files = [path for folder in folders for path in _files(ROOT / folder)]
    trees = {str(path.relative_to(ROOT)): ast.parse(path.read_text("utf-8")) for path in files}
    bounded = {name for tree in trees.values() for name in _bounded(tree)}
    return {f"{path}::{name}" for path, tree in trees.items() for name in _sites(path, tree, bounded)}


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _bounded(tree: ast.Module) -> Iterator[str]:
    for line in tree.body:
        if isinstance(line, ast.Assign | ast.AnnAssign) and _called(line.value) == "BoundedCache":
            yield from _names(line)


def _names(line: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = line.targets if isinstance(line, ast.Assign) else [line.target]
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _called(node: ast.AST | None) -> str:
    """The last name of what is called, or decorates: `cache` of `functools.cache(…)`."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _sites(path: str, tree: ast.Module, bounded: set[str]) -> Iterator[str]:
    for line in tree.body:
        if isinstance(line, ast.Assign | ast.AnnAssign):
            is_empty = isinstance(line.value, ast.Dict | ast.List | ast.Set) and not ast.unparse(
                line.value
            ).strip("{}[]")
            if is_empty or (
                isinstance(line.value, ast.Call) and not line.value.args and _called(line.value) in EMPTY
            ):
                yield from _names(line)
        if isinstance(line, ast.FunctionDef):
            yield from _of_function(path, line, line.name, bounded)
        if isinstance(line, ast.ClassDef):
            for each in line.body:
                if isinstance(each, ast.FunctionDef):
                    yield from _of_function(path, each, f"{line.name}.{each.name}", bounded)


def _of_function(path: str, function: ast.FunctionDef, name: str, bounded: set[str]) -> Iterator[str]:
    if any(_called(each) in DECORATORS for each in function.decorator_list) and _is_asked_for_something(
        function
    ):
        yield name
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _keeps(node, path, bounded):
            yield name


def _is_asked_for_something(function: ast.FunctionDef) -> bool:
    """Whether it has an argument: without one it keeps one answer for the process, whoever asks."""
    given = function.args
    return bool(given.posonlyargs or given.args or given.kwonlyargs or given.vararg or given.kwarg)


def _keeps(call: ast.Call, path: str, bounded: set[str]) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Attribute(attr=owner), attr="get") if owner in bounded:
            return True
        case ast.Attribute(value=ast.Name(id="models"), attr="shared"):
            return True
        case ast.Attribute(attr=attribute):
            return path.startswith(("ui/", "pages/")) and attribute in KEEPERS
        case ast.Name(id=function):
            return path == "ui/shared/context.py" and function in KEEPERS
    return False
