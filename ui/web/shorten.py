"""JavaScript without its comments and indentation, which the browser does not need; strings stay as they are."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPACE = re.compile(r"[^\S\n]+")
_WORD = re.compile(r"[\w$]+")
# A slash behind these begins a regular expression, behind anything else it divides.
_BEFORE_REGEX = frozenset("(,=:[!&|?{};+-*%<>~^\n")
_WORDS_BEFORE_REGEX = frozenset(
    ["return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await", "yield"]
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_STRING = {quote: re.compile(rf"{quote}(?:[^{quote}\\\n]|\\.|\\\n)*{quote}") for quote in "'\""}


@dataclass(frozen=True)
class Shortened:
    """`code`, and `mask`: the same length, with every character inside a string, template or regex a space."""

    code: str
    mask: str


def shorten(source: str) -> Shortened:
    """Drop comments, blank lines, indentation and spaces at line ends.

    Every other line break stays, so that statements end where they did. A slash behind a closing parenthesis is
    taken for a division. Raises ValueError for a comment, string or template that does not end.
    """
    code: list[str] = []
    mask: list[str] = []
    braces: list[int] = []  # for each open template: how many braces are open inside its ${
    last = "\n"  # the last word or sign that is code
    at = 0

    def put(text: str, *, hidden: bool = False) -> None:
        code.append(text)
        mask.append(re.sub(r"[^\n]", " ", text) if hidden else text)

    while at < len(source):
        sign = source[at]
        if source.startswith("//", at):
            end = source.find("\n", at)
            at = len(source) if end < 0 else end
        elif source.startswith("/*", at):
            end = source.find("*/", at)
            if end < 0:
                raise ValueError("a comment does not end")
            # It parts what stands on both sides of it, as a space or a line break does.
            between = "\n" if "\n" in source[at:end] else " "
            if code and not code[-1].endswith(("\n", " ")):
                put(between)
            at = end + 2
        elif sign in _STRING:
            found = _STRING[sign].match(source, at)
            if not found:
                raise ValueError(f"a string does not end: {source[at : at + 40]!r}")
            put(sign)
            put(found[0][1:-1], hidden=True)
            put(sign)
            at, last = found.end(), "'"
        elif sign == "`" or (sign == "}" and braces and braces[-1] == 0):
            if sign == "}":
                braces.pop()
            end, inside = _template(source, at + 1)
            put(sign)
            put(source[at + 1 : end], hidden=True)
            put(source[end : end + (2 if inside else 1)])
            at = end + (2 if inside else 1)
            last = "{" if inside else "`"
            if inside:
                braces.append(0)
        elif sign == "/" and (last in _BEFORE_REGEX or last in _WORDS_BEFORE_REGEX):
            found = _REGEX.match(source, at)
            if not found:
                raise ValueError(f"a regular expression does not end: {source[at : at + 40]!r}")
            put("/")
            put(found[0][1:], hidden=True)
            at, last = found.end(), "/"
        elif sign == "\n":
            _end_line(code, mask)
            at += 1
        elif space := _SPACE.match(source, at):
            if code and not code[-1].endswith(("\n", " ")):
                put(" ")
            at = space.end()
        elif word := _WORD.match(source, at):
            put(word[0])
            at, last = word.end(), word[0]
        else:
            if braces and sign in "{}":
                braces[-1] += 1 if sign == "{" else -1
            put(sign)
            at, last = at + 1, sign
    if braces:
        raise ValueError("a template does not end")
    _end_line(code, mask)
    return Shortened("".join(code), "".join(mask))


def _template(source: str, start: int) -> tuple[int, bool]:
    """Where the text of a template ends, and whether an expression follows there."""
    at = start
    while at < len(source):
        if source[at] == "\\":
            at += 2
        elif source[at] == "`":
            return at, False
        elif source.startswith("${", at):
            return at, True
        else:
            at += 1
    raise ValueError(f"a template does not end: {source[start : start + 40]!r}")


def _end_line(code: list[str], mask: list[str]) -> None:
    """A line break, unless the line is blank; spaces before it go."""
    while code and code[-1] == " ":
        code.pop()
        mask.pop()
    if code and not code[-1].endswith("\n"):
        code.append("\n")
        mask.append("\n")
