"""The contract between Python and the browser: frozen dataclasses of what a view gets and what it answers.

`pack` turns one into what the browser reads, `read` parses one from what the browser sends, and `interfaces` writes their
types in TypeScript (`python -m ui.web`).

The browser code as it is sent, bundled into dist/ by `npm run build` in this folder: one script for all views of the app, and
one for each page that stands by itself. The bundles are part of the project, so that the app needs neither Node nor a build.

Checks shared by the wrappers of map views: labels, kinds and file names that reach the browser."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import sys
import types
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from core.errors import InputError
from core.language import spoken
from ui.style.theme import KINDS, Kind

ARRAYS: Final = {"float32": "Float32Array", "uint16": "Uint16Array", "uint8": "Uint8Array"}
"""Numbers that a field `NDArray` may hold, and what they are in the browser."""
LARGEST: Final = 10**6
"""Indices from the browser are smaller than this."""
MOST_ITEMS: Final = 4096
MOST_CHARACTERS: Final = 1000


@dataclass(frozen=True)
class Between:
    """In an `Annotated`: a number from the browser lies in `low`…`high`."""

    low: float
    high: float


@dataclass(frozen=True)
class AtMost:
    """In an `Annotated`: a list from the browser has at most `count` items."""

    count: int


@dataclass(frozen=True)
class Typed:
    """In an `Annotated`: the type's name in TypeScript, exported by `module` of ui/web."""

    name: str
    module: str


Piece = Annotated[str | Mapping[str, str], Typed("Piece", "base/dom.ts")]
"""A piece of a sentence: plain words, or {"strong" | "kind" | "muted": words}."""


def derive(data: object, **values: Any) -> None:
    """Set the fields of a frozen dataclass that follow from what it was made of; for its `__post_init__` alone."""
    for name, value in values.items():
        object.__setattr__(data, name, value)


# -- to the browser -----------------------------------------------------------------------------------------


def pack(data: Any, column: Callable[[npt.NDArray[Any]], Any]) -> dict[str, Any]:
    """A view's data as `revive` (ui/web/base/data.ts) reads them.

    `fields` are plain JSON; each array in them, also one inside of another dataclass, is left out of it and stands as
    `column0`, `column1`, … in its place, made by `column`. `arrays` says where each belongs and of what type it is.
    """
    arrays: list[tuple[list[str | int], npt.NDArray[Any]]] = []
    packed: dict[str, Any] = {"fields": _plain(data, [], arrays)}
    packed["arrays"] = [[path, str(values.dtype)] for path, values in arrays]
    return packed | {f"column{n}": column(values.ravel()) for n, (_, values) in enumerate(arrays)}


def unpack(packed: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of what `pack` gave, with the columns, flat, in their places; changes `packed["fields"]`."""
    fields: dict[str, Any] = packed["fields"]
    for number, (path, _) in enumerate(packed["arrays"]):
        owner: Any = fields
        for step in path[:-1]:
            owner = owner[step]
        owner[path[-1]] = packed[f"column{number}"]
    return fields


def deflated(values: npt.NDArray[Any]) -> str:
    """An array's bytes, deflated, as base64: how a file holds them."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(values).tobytes(), 9)).decode("ascii")


def _plain(value: Any, path: list[str | int], arrays: list[tuple[list[str | int], npt.NDArray[Any]]]) -> Any:
    if isinstance(value, np.ndarray):
        if str(value.dtype) not in ARRAYS:
            raise TypeError(
                f"{path}: arrays of {value.dtype} are not sent; choose one of {', '.join(ARRAYS)}"
            )
        arrays.append((path, value))
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: _plain(getattr(value, name), [*path, name], arrays) if nested else getattr(value, name)
            for name, nested in _fields(type(value))
        }
    if isinstance(value, Mapping):
        return {str(name): _plain(each, [*path, str(name)], arrays) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each, [*path, n], arrays) for n, each in enumerate(value)]
    return value


def _meant(hint: Any) -> Any:
    """The type that a hint names, where the name was declared by `type`, as numpy 2.5 does for `NDArray`."""
    name = get_origin(hint) or hint
    if not hasattr(name, "__value__"):
        return hint
    return _meant(name.__value__[get_args(hint)] if get_args(hint) else name.__value__)


@cache
def _fields(of: type) -> list[tuple[str, bool]]:
    """Fields of a dataclass, and whether arrays or other dataclasses may stand in them."""
    hints = get_type_hints(of)
    return [(field.name, _is_nested(hints[field.name])) for field in dataclasses.fields(of)]


def _is_nested(hint: Any) -> bool:
    hint = _meant(hint)
    if dataclasses.is_dataclass(hint) or get_origin(hint) is np.ndarray:
        return True
    return any(_is_nested(each) for each in get_args(hint))


# -- from the browser ---------------------------------------------------------------------------------------


class UnreadableError(ValueError):
    """What the browser said is not of the type that was declared."""


def read(hint: Any, sent: object) -> Any:
    """A value sent by the browser, as type `hint`. Untrusted input: raises `UnreadableError` for anything else.

    Numbers are finite; integers are in 0…`LARGEST` unless `Between` says otherwise; lists have at most `MOST_ITEMS` items
    or as `AtMost` says; strings at most `MOST_CHARACTERS`. A missing field takes its default.
    """
    bounds: tuple[Any, ...] = ()
    hint = _meant(hint)
    if get_origin(hint) is Annotated:
        hint, *given = get_args(hint)
        bounds = tuple(given)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _read_any(arguments, sent, bounds)
    if origin is Literal:
        if any(type(sent) is type(each) and sent == each for each in arguments):
            return sent
    elif origin in (tuple, frozenset):
        return origin(_read_items(origin, arguments, sent, bounds))
    elif dataclasses.is_dataclass(hint) and isinstance(sent, Mapping):
        return _read_fields(hint, sent)
    elif hint in (int, float):
        return _read_number(hint, sent, bounds)
    elif (
        (hint is str and isinstance(sent, str) and len(sent) <= MOST_CHARACTERS)
        or (hint is bool and isinstance(sent, bool))
        or (hint in (None, type(None)) and sent is None)
    ):
        return sent
    raise UnreadableError(f"{sent!r:.80} is no {hint}")


def _read_any(hints: Sequence[Any], sent: object, bounds: tuple[Any, ...]) -> Any:
    for each in hints:
        try:
            return read(Annotated[(each, *bounds)] if bounds else each, sent)
        except UnreadableError:
            continue
    raise UnreadableError(f"{sent!r:.80} is none of {hints}")


def _read_items(origin: Any, hints: Sequence[Any], sent: object, bounds: Sequence[Any]) -> Iterator[Any]:
    most = next((each.count for each in bounds if isinstance(each, AtMost)), MOST_ITEMS)
    if not isinstance(sent, list | tuple) or len(sent) > most:
        raise UnreadableError(f"{sent!r:.80} is no list of at most {most}")
    alike = origin is frozenset or hints[1:] == (...,)
    if not alike and len(sent) != len(hints):
        raise UnreadableError(f"{sent!r:.80} has not {len(hints)} items")
    return (read(hints[0] if alike else hints[n], each) for n, each in enumerate(sent))


def _read_fields(of: Any, sent: Mapping[Any, object]) -> Any:
    hints = get_type_hints(of, include_extras=True)
    values = {}
    for field in dataclasses.fields(of):
        if field.name in sent:
            values[field.name] = read(hints[field.name], sent[field.name])
        elif field.default is dataclasses.MISSING:
            raise UnreadableError(f"{sent!r:.80} has no {field.name}")
    return of(**values)


def _read_number(hint: Any, sent: object, bounds: Sequence[Any]) -> int | float:
    limits = next((each for each in bounds if isinstance(each, Between)), None)
    if isinstance(sent, bool) or not isinstance(sent, int | float):
        raise UnreadableError(f"{sent!r:.80} is no number")
    low, high = (limits.low, limits.high) if limits else (0 if hint is int else -(10**9), LARGEST)
    if not low <= sent <= high or (hint is int and sent % 1):
        raise UnreadableError(f"{sent!r:.80} is no {hint.__name__} from {low} to {high}")
    return int(sent) if hint is int else float(sent)


# -- in TypeScript ------------------------------------------------------------------------------------------


def interfaces(views: Sequence[tuple[str, type, Mapping[str, Any]]]) -> str:
    """The module of types of these views: (name, data, answers). Each dataclass is an interface, its fields by their names."""
    writer = _Writer()
    for name, data, answers in views:
        writer.dataclass(data)
        if answers:
            lines = "".join(f"  {each}: {writer.typed(hint, data)};\n" for each, hint in answers.items())
            title = "".join(part.title() for part in name.split("_"))
            writer.written[f"{title}Answers"] = (
                f"/** What the view `{name}` answers, by event. */\nexport interface {title}Answers {{\n{lines}}}\n"
            )
    imports = "".join(
        f"import type {{ {', '.join(sorted(names))} }} from '../{module}';\n"
        for module, names in sorted(writer.imports.items())
    )
    return (
        "/* What Python sends to each view and what the view answers, written by `python -m ui.web`. */\n\n"
        + imports
        + "".join(f"\n{text}" for _, text in sorted(writer.written.items()))
    )


class _Writer:
    """The types written so far, by name, and what they import, by module."""

    def __init__(self) -> None:
        self.written: dict[str, str] = {}
        self.imports: dict[str, set[str]] = {}
        self.owners: dict[str, Any] = {}

    def dataclass(self, of: Any) -> str:
        name: str = of.__name__
        if self.owners.setdefault(name, of) is not of:
            raise TypeError(
                f"{of.__module__} and {self.owners[name].__module__} both declare {name}; rename one"
            )
        if name not in self.written:
            self.written[name] = ""
            hints = get_type_hints(of, include_extras=True)
            lines = "".join(
                f"  {field.name}: {self.typed(hints[field.name], of)};\n" for field in dataclasses.fields(of)
            )
            paragraph = " ".join((of.__doc__ or "").split("\n\n")[0].split())
            at = f"/** {paragraph} ({of.__module__.replace('.', '/')}.py) */\n"
            body = f"export interface {name} {{\n{lines}}}\n" if lines else f"export type {name} = object;\n"
            self.written[name] = at + body
        return name

    def typed(self, hint: Any, owner: Any) -> str:
        """A type hint of a field of `owner`, in TypeScript."""
        hint = _meant(hint)
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            ready = next((each for each in hint.__metadata__ if isinstance(each, Typed)), None)
            if ready is None:
                return self.typed(arguments[0], owner)
            self.imports.setdefault(ready.module, set()).add(ready.name)
            return ready.name
        if origin in (Union, types.UnionType):
            return " | ".join(self.typed(each, owner) for each in arguments)
        if origin is Literal:
            return self._literal(hint, owner)
        if origin is np.ndarray:
            return ARRAYS[np.dtype(get_args(arguments[1])[0]).name]
        if origin is tuple and arguments[1:] != (...,):
            return f"[{', '.join(self.typed(each, owner) for each in arguments)}]"
        if origin in (tuple, list, frozenset) or (isinstance(origin, type) and issubclass(origin, Sequence)):
            one = self.typed(arguments[0], owner)
            return f"({one})[]" if "|" in one and one[0] != "[" else f"{one}[]"
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return f"Record<{self.typed(arguments[0], owner)}, {self.typed(arguments[1], owner)}>"
        if dataclasses.is_dataclass(hint):
            return self.dataclass(hint)
        return {
            str: "string",
            bool: "boolean",
            int: "number",
            float: "number",
            type(None): "null",
            Any: "unknown",
        }[hint]

    def _literal(self, hint: Any, owner: Any) -> str:
        """The choices by the name that the owner's module has for them, else written out."""
        choices = " | ".join(
            f"'{each}'" if isinstance(each, str) else json.dumps(each) for each in get_args(hint)
        )
        names = vars(sys.modules[owner.__module__]).items()
        alias = next((name for name, value in names if value == hint and not name.startswith("_")), None)
        if alias is None:
            return choices
        if self.owners.setdefault(alias, hint) != hint:
            raise TypeError(f"{owner.__module__} declares another {alias} than a view before; rename one")
        self.written[alias] = f"export type {alias} = {choices};\n"
        return alias


FOLDER: Final = Path(__file__).parent
DIST: Final = FOLDER / "dist"


@cache
def views_script() -> bytes:
    """The script of all views that Streamlit mounts, with their style sheets; its `show(name, …)` draws one."""
    return (DIST / "views.js").read_bytes()


@cache
def address() -> str:
    """Where the app's server has `views`, below the app's own address; another text has another address."""
    return f"atlas/views-{hashlib.sha256(views_script()).hexdigest()[:16]}.js"


@cache
def messages() -> dict[str, list[str | list[str]]]:
    """What the browser code says, by view or page: English texts, and [one, many] where a count decides."""
    listed: dict[str, list[str | list[str]]] = json.loads((DIST / "messages.json").read_text("utf-8"))
    return listed


def words(view: str) -> dict[str, Any]:
    """A view's words in the language in use, as `speak` (ui/web/base/language.ts) takes them; empty in English."""
    listed = messages()[view]
    texts = [each for each in listed if isinstance(each, str)]
    pairs = [(each[0], each[1]) for each in listed if not isinstance(each, str)]
    return spoken(texts, pairs)


def script(page: str, argument: str) -> str:
    """A page's view (`live`, `notebook`) as a plain script, which calls it with `argument` (JavaScript)."""
    code = (DIST / f"{page}.js").read_text("utf-8")
    # In a scope of its own: the names of the view are none of the page's.
    return f"(() => {{\n{code}atlas.default({argument});\n}})();\n"


def sheet(page: str) -> str:
    """The style sheet of a page, with those of the modules it is made of."""
    return (DIST / f"{page}.css").read_text("utf-8")


_NOT_IN_A_NAME = re.compile(r"[^\w.\-]+")


def axis_labels(labels: Sequence[str], length: int, axis: str) -> list[str]:
    """The labels as a list of strings, one per token of an axis; InputError when the count differs."""
    words = [str(label) for label in labels]
    if len(words) != length:
        raise InputError(f"{len(words)} {axis} labels for a map with {length}; give one label per {axis}.")
    return words


def kind_name(kind: str) -> Kind:
    """`kind` itself when it is one of the three; InputError otherwise."""
    if kind not in KINDS:
        raise InputError(f"Attention kind {kind!r} is unknown; choose one of {', '.join(KINDS)}.")
    return kind


def read_labels(reads: Sequence[str], length: int) -> list[str]:
    """The words that rows of the decoder read, one per row, or none; InputError when the count differs."""
    return axis_labels(reads, length, "read token") if reads else []


def shares(values: ArrayLike | None, length: int) -> tuple[float, ...] | None:
    """Shares 0..1 of the rows of a map, to four digits; None where there are none. InputError for a wrong count."""
    if values is None:
        return None
    full = np.asarray(values, dtype=np.float64)
    if full.shape != (length,):
        raise InputError(f"{full.size} hidden shares for a map with {length} rows; give one share per row.")
    return tuple(round(float(share), 4) for share in full)


def file_stem(name: str) -> str:
    """A name safe to offer for a download: letters, digits, dots, hyphens; at most 80 characters.

    Raises InputError when nothing is left.
    """
    stem = _NOT_IN_A_NAME.sub("-", name).strip("-._")[:80].rstrip("-._")
    if not stem:
        raise InputError(f"{name!r} leaves no file name; use letters, digits, dots or hyphens.")
    return stem
