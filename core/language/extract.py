"""The messages of the code: what `tr`, `plural`, `message` and `how_many` are given, in Python and in TypeScript."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from core.language.catalogue import counted

ROOT: Final = Path(__file__).resolve().parents[2]
ROOMS: Final = ("app.py", "core", "pages", "ui")
_SINGLE: Final = ("tr", "message")


class Message(NamedTuple):
    """One message: its English, its English plural (empty without one), and where it is."""

    text: str
    many: str
    file: str
    line: int

    @property
    def key(self) -> str | tuple[str, str]:
        """What a catalogue knows it by."""
        return (self.text, self.many) if self.many else self.text


def messages(root: Path = ROOT) -> list[Message]:
    """Every message of the product's code, in the order of files and lines."""
    listed: list[Message] = []
    for room in ROOMS:
        start = root / room
        files = [start] if start.is_file() else sorted([*start.rglob("*.py"), *start.rglob("*.ts")])
        for file in files:
            if "node_modules" in file.parts or "dist" in file.parts:
                continue
            name, text = file.relative_to(root).as_posix(), file.read_text("utf-8")
            listed += of_python(text, name) if file.suffix == ".py" else of_script(text, name)
    return listed


def of_python(text: str, name: str = "") -> Iterator[Message]:
    """The messages of a Python module. Raises ValueError where `tr` or `plural` is given no literal at first hand."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        literals = [
            each.value if isinstance(each, ast.Constant) and isinstance(each.value, str) else None
            for each in node.args
        ]
        if called in _SINGLE and literals and literals[0]:
            yield Message(literals[0], "", name, node.lineno)
        elif called == "plural" and len(literals) > 1 and literals[0] and literals[1]:
            yield Message(literals[0], literals[1], name, node.lineno)
        elif called == "how_many" and len(literals) > 1 and literals[1]:
            one, many = counted(literals[1])
            yield Message(one, many, name, node.lineno)
        for each in node.args[:1] if called in (*_SINGLE, "plural") else ():
            if isinstance(each, ast.JoinedStr):
                raise ValueError(
                    f"{name}:{node.lineno}: give {called} a literal with {{fields}}, no f-string"
                )


_CALL: Final = re.compile(r"""\btr\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`)""")
_PLURAL: Final = re.compile(
    r"""\bplural\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*,\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
)


def of_script(text: str, name: str = "") -> Iterator[Message]:
    """The messages of a TypeScript module or of a bundle, which esbuild writes with the same literals."""
    for match in _CALL.finditer(text):
        yield Message(_unquoted(match[1]), "", name, text.count("\n", 0, match.start()) + 1)
    for match in _PLURAL.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Message(_unquoted(match[1]), _unquoted(match[2]), name, line)


def _unquoted(literal: str) -> str:
    body = re.sub(
        r"\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})",
        lambda match: chr(int(match[1] or match[2] or match[3], 16)),
        literal[1:-1],
    )
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), body)
