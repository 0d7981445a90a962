"""Puts the modules of this folder together, without Node and without a build.

A module may hold, and nothing else is understood:

    import { a, b as c } from '../base/x.js';      at the top, with a relative path inside this folder
    export function f / async function f / class C / const c
    export default function f                       in a view: what Streamlit calls

`assemble` follows the imports and writes every module once, behind those it needs, in a scope of its own: names of
two modules cannot meet. A circle, a missing name or any other kind of import or export is refused with the line it
stands in. The style sheet beside a module (`playback.css` beside `playback.js`) comes along with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ui.web.shorten import Shortened, shorten

FOLDER = Path(__file__).parent

_IMPORT = re.compile(r"import\s*\{([^}]*)\}\s*from\s*(\S)")
_EXPORT = re.compile(r"export\s+(default\s+)?(?:async\s+)?(?:function\s*\*?|class|const)\s+([\w$]+)")
_PART = re.compile(r"([\w$]+)(?:\s+as\s+([\w$]+))?")
_STATEMENT = re.compile(r"^(import|export)\b.*", re.MULTILINE)


class ModuleError(ValueError):
    """A module that cannot be put together; the message names the file and what is allowed."""


@dataclass(frozen=True)
class Module:
    """One file: what it imports as (path, [(name there, name here)]), what it exports, and its body without both."""

    path: Path
    imports: tuple[tuple[Path, tuple[tuple[str, str], ...]], ...]
    exports: tuple[str, ...]
    default: str | None
    body: str


def module(entry: str) -> str:
    """A view as one ES module: `module("views/wall.js")`, for `st.components.v2`."""
    return f"{assemble(FOLDER / entry)}export default {_last(entry)}.default;\n"


def script(entry: str, argument: str) -> str:
    """The same for a plain script: calls the module's default function with `argument` (JavaScript)."""
    return (
        f"(() => {{\n'use strict';\n{assemble(FOLDER / entry)}{_last(entry)}.default({argument});\n}})();\n"
    )


def sheet(entry: str) -> str:
    """The style sheets beside the modules of a view: those of `base/` first, then as the modules are ordered."""
    modules = sorted(ordered(FOLDER / entry), key=lambda each: each.path.parent.name)
    sheets = (each.path.with_suffix(".css") for each in modules)
    return "".join(each.read_text("utf-8") + "\n" for each in sheets if each.exists())


def assemble(entry: Path) -> str:
    """Every module that `entry` needs, each as `const m$0 = (() => {…})();`, the entry last."""
    modules = ordered(entry)
    names = {each.path: f"m${number}" for number, each in enumerate(modules)}
    return "".join(_scoped(each, names) for each in modules)


@cache
def ordered(entry: Path) -> tuple[Module, ...]:
    """The modules that `entry` needs, each behind its imports. Raises ModuleError for a circle or a missing name."""
    entry = entry.resolve()
    done: dict[Path, Module] = {}

    def visit(path: Path, above: tuple[Path, ...]) -> None:
        if path in done:
            return
        if path in above:
            circle = " → ".join(each.name for each in (*above[above.index(path) :], path))
            raise ModuleError(
                f"{circle}: modules import each other in a circle; move what both need to a third."
            )
        found = read(path)
        for other, parts in found.imports:
            visit(other, (*above, path))
            for name, _ in parts:
                if name not in done[other].exports:
                    listed = ", ".join(done[other].exports) or "nothing"
                    raise ModuleError(
                        f"{path.name}: {other.name} has no export {name!r}; it exports {listed}."
                    )
        done[path] = found

    visit(entry, ())
    return tuple(done.values())


def read(path: Path) -> Module:
    """One file, parsed. Raises ModuleError when it is not there or holds what is not understood."""
    if not path.is_file():
        raise ModuleError(f"{path.name}: there is no such module in {path.parent}.")
    text = shorten(path.read_text("utf-8"))
    if re.search(r"\bm\$\d", text.mask) or re.search(r"\bimport\s*\(", text.mask):
        raise ModuleError(f"{path.name}: names like m$0 and import(…) are not for modules that are inlined.")
    imports, end = _imports(path, text)
    body, mask = text.code[end:], text.mask[end:]
    exports: list[str] = []
    default: str | None = None
    kept: list[str] = []
    at = 0
    for statement in _STATEMENT.finditer(mask):
        found = _EXPORT.match(mask, statement.start())
        if not found:
            line = body[statement.start() : statement.end()].strip()
            raise ModuleError(
                f"{path.name}: {line!r} is not understood; imports stand at the top as"
                " import { a, b as c } from './x.js', exports are functions, classes and constants by name."
            )
        if found[1]:
            default = found[2]
        else:
            exports.append(found[2])
        kept.append(body[at : found.start()])
        at = found.start() + len("export ") + len(found[1] or "")
    kept.append(body[at:])
    return Module(path, imports, tuple(exports), default, "".join(kept))


def _imports(path: Path, text: Shortened) -> tuple[tuple[tuple[Path, tuple[tuple[str, str], ...]], ...], int]:
    """The imports at the top of a file and where they end."""
    found: list[tuple[Path, tuple[tuple[str, str], ...]]] = []
    end = 0
    while match := _IMPORT.match(text.mask, end):
        close = text.code.index(match[2], match.end())
        target = text.code[match.end() : close]
        other = (path.parent / target).resolve()
        if not target.startswith(".") or path.parents[1].resolve() not in other.parents:
            raise ModuleError(
                f"{path.name}: {target!r} is no path inside the modules' folder; write './x.js'."
            )
        parts = tuple(
            (part[1], part[2] or part[1])
            for part in map(_PART.fullmatch, filter(None, (word.strip() for word in match[1].split(","))))
            if part
        )
        found.append((other, parts))
        end = text.code.index("\n", close) + 1
    return tuple(found), end


def _scoped(each: Module, names: dict[Path, str]) -> str:
    """A module in a scope of its own, which hands out its exports."""
    taken = "".join(
        f"const {{ {', '.join(name if name == here else f'{name}: {here}' for name, here in parts)} }} = {names[other]};\n"
        for other, parts in each.imports
    )
    given = [*each.exports, *([f"default: {each.default}"] if each.default else [])]
    return (
        f"const {names[each.path]} = (() => {{\n{taken}{each.body}return {{ {', '.join(given)} }};\n}})();\n"
    )


def _last(entry: str) -> str:
    """The name of the entry, which must have a default export."""
    modules = ordered(FOLDER / entry)
    if modules[-1].default is None:
        raise ModuleError(f"{entry}: a view ends with `export default function …`, which Streamlit calls.")
    return f"m${len(modules) - 1}"
