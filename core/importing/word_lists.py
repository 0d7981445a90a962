"""Lists of tokens that training scripts write: lines with a number beside each token, CSV, and JSON in several shapes."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from core.errors import CheckpointError
from core.files import read_list, read_object
from core.importing.sentencepiece import in_order, token_table
from core.tokenizer.files import MAX_BYTES

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?([eE]-?\d+)?")
_BRACKETS: Final = re.compile(r"[<\[].*[>\]]")


def tokens_of_lines(path: Path, lines: list[str]) -> tuple[list[str], str]:
    """The tokens of lines with a count, a score or an id beside each, and what was done; other lines as they are.

    Raises CheckpointError where the numbers are ids that leave some out, for a list of SentencePiece's pieces, and where no
    column is clearly the tokens'.
    """
    if len(lines) == 1 and lines[0].lstrip()[:1] in ("{", "["):
        raise CheckpointError.tr(
            "{file} has a single line, not a list of tokens; write one token per line, or JSON in a file that ends in .json.",
            file=path.name,
        )
    lines = _token_first(path, lines)
    sign = "\t" if any("\t" in line.strip() for line in lines) else " "
    pairs = [(line.rpartition(sign), line) for line in lines if line.strip()]
    named = {text for text, (_, found, number) in ((line, part) for part, line in pairs) if not found}
    numbers = [number for (_, found, number), _ in pairs if found]
    if not numbers or not all(_NUMBER.fullmatch(number) for number in numbers):
        return lines, ""
    if any(not _BRACKETS.fullmatch(text) for text in named):
        return lines, ""
    tokens = [token if found else line for (token, found, _), line in pairs]
    if any("." in number or "-" in number for number in numbers) and any(t.startswith("▁") for t in tokens):
        raise CheckpointError.tr(
            "{file} lists the pieces of a SentencePiece model with their scores, which is not enough to cut text; give the .model file that was written beside it.",
            file=path.name,
        )
    ids = [int(number) for number in numbers if number.isdecimal()]
    if len(ids) == len(lines) and len(ids) > 1 and len(set(ids)) == len(ids):
        if sorted(ids) == list(range(len(ids))):
            by_id = dict(zip(ids, tokens, strict=True))
            return [by_id[number] for number in range(len(ids))], (
                f"{path.name} has a token and its id on each line, and the ids are taken from there"
            )
        if ids == list(range(ids[0], ids[0] + len(ids))):
            raise CheckpointError.tr(
                "{file} gives its tokens the ids {ids} to {ids_2}; list those from 0 too, one token per line.",
                file=path.name,
                ids=ids[0],
                ids_2=ids[-1],
            )
    return tokens, (
        f"{path.name} has a number beside each token, which is left out: the tokens are the first column, and the id of "
        "each is the number of its line, from 0"
    )


def _token_first(path: Path, lines: list[str]) -> list[str]:
    """Lines of several columns as a token, a tab and one number; other lines as they are.

    A column of numbers has one on every line but that of a heading. Of several the one that numbers the lines is taken.
    """
    if path.suffix.lower() == ".csv":
        rows = [row for row in csv.reader(lines) if row]
    elif any("\t" in line for line in lines):
        rows = [line.split("\t") for line in lines if line.strip()]
    elif lines and all(re.fullmatch(r"\d+ \S+", line) for line in lines if line.strip()):
        rows = [line.split(" ") for line in lines if line.strip()]
    else:
        return lines
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {1}:
        return lines
    heading = not any(_NUMBER.fullmatch(each.strip()) for each in rows[0])
    body = rows[1:] if heading and len(rows) > 1 else rows
    columns = [[row[n].strip() for row in body] for n in range(len(rows[0]))]
    numbers = [column for column in columns if all(map(_NUMBER.fullmatch, column))]
    words = [n for n, column in enumerate(columns) if column not in numbers]
    if len(words) != 1 or not numbers:
        raise CheckpointError.tr(
            "{file} has {count} columns, and {value} of them may be the tokens; write one token per line, or a token and its id.",
            file=path.name,
            count=len(columns),
            value=len(words),
        )
    wanted = [str(n) for n in range(len(body))]
    ids = next((column for column in numbers if sorted(column) == sorted(wanted)), numbers[0])
    return [f"{row[words[0]]}\t{number}" for row, number in zip(body, ids, strict=True)]


# -- JSON --------------------------------------------------------------------------------------------------------


def tokens_of_json(path: Path) -> dict[str, int]:
    """Ids by token of a JSON file: an object of tokens and ids or of ids and tokens, a list, or one of these in an object.

    Raises CheckpointError for anything else, and for several vocabularies in one file.
    """
    if _starts_a_list(path):
        return _table(path, read_list(path, MAX_BYTES)) or token_table(path, {})
    content = read_object(path, MAX_BYTES)
    if (table := _table(path, content)) is not None:
        return table
    inside = dict(_tables(path, content))
    different = list({tuple(sorted(table.items())): key for key, table in inside.items()}.values())
    if len(different) > 1:
        raise CheckpointError.tr(
            "{file} holds several vocabularies ({listed}); write each into a file of its own.",
            file=path.name,
            listed=", ".join(different[:4])[:120],
        )
    return inside[different[0]] if different else token_table(path, content)


def _tables(path: Path, content: Mapping[str, Any]) -> list[tuple[str, dict[str, int]]]:
    """The vocabularies among the values of an object, each with its key; Keras writes its own as text in `config`."""
    found = []
    for key, value in content.items():
        inner = _keras(value) if key == "config" else value
        table = _table(path, inner)
        if table is not None and len(table) > 1:
            found.append((key, table))
    return found


def _keras(value: Any) -> Any:
    """The word_index of a Keras Tokenizer, which counts from 1 and leaves 0 to the padding."""
    try:
        words = json.loads(value["word_index"])
        return {"<pad>": 0, **words} if 0 not in words.values() else words
    except (TypeError, KeyError, ValueError, AttributeError):
        return value


def _table(path: Path, value: Any) -> dict[str, int] | None:
    """Ids by token where `value` is a vocabulary in one of its shapes; None for anything else."""
    if isinstance(value, list):
        return (
            {token: n for n, token in enumerate(value)}
            if value and len(set(map(str, value))) == len(value) and _texts(value)
            else None
        )
    if not isinstance(value, Mapping) or not value:
        return None
    if all(type(number) is int for number in value.values()):
        return token_table(path, value)
    ids = list(value)
    if _texts(list(value.values())) and all(key.isascii() and key.isdecimal() for key in ids):
        return token_table(path, {token: int(key) for key, token in value.items()})
    return None


def _texts(values: Sequence[Any]) -> bool:
    return all(isinstance(each, str) for each in values)


def _starts_a_list(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["


def tokens_in_order(path: Path, tokens: Mapping[str, int]) -> list[str]:
    """The token of each id. Raises CheckpointError where ids are left out, 0 alone of them as Keras does."""
    if tokens and sorted(tokens.values()) == list(range(1, len(tokens) + 1)):
        raise CheckpointError.tr(
            "{file} gives its tokens the ids 1 to {count}; list <pad> at 0 too, which Keras leaves out.",
            file=path.name,
            count=len(tokens),
        )
    return in_order(path, tokens)
