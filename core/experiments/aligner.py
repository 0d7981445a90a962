"""IBM model 1 trained on more text than a gold file has: how it aligns the file that comes with a checkpoint, stored beside it.

A few sentences teach it little; a fairer comparison for a head is what it learns from a corpus of the two languages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from core.analysis.aligners import ibm1
from core.analysis.alignment import Counts, GoldFile, measure
from core.errors import CheckpointError
from core.files import damage_as, read_object, replacing

RESULTS: Final = "aligner.json"
_FORMAT: Final = 1
_MAX_BYTES: Final = 2**18
_LONGEST: Final = 200  # characters of a name
_MOST: Final = 10**9


class Trained(NamedTuple):
    """IBM model 1 trained on a gold file's sentences and on `pairs` more of `text`; `counts` (N, 4) as `Measured`."""

    text: str
    pairs: int
    counts: Counts


def trained(file: GoldFile, more: Sequence[tuple[str, str]], text: str) -> Trained:
    """Train it on the pairs of the file and on `more`, which `text` names, and count what it finds of the gold links."""
    links = ibm1(file.pairs, more)
    rows = [astuple(measure(found, gold)) for found, gold in zip(links, file.gold, strict=True)]
    return Trained(text, len(more), np.array(rows, dtype=np.int64))


def store(path: Path, file: GoldFile, found: Trained) -> None:
    """Write what was counted on the gold file."""
    content = {"format": _FORMAT, "gold": file.digest, "text": found.text, "pairs": found.pairs}
    with replacing(path) as stream:
        stream.write((json.dumps({**content, "counts": found.counts.tolist()}) + "\n").encode())


def stored(folder: Path, file: GoldFile) -> Trained | None:
    """What is stored in a checkpoint folder about this gold file; None where nothing is, or of another file.

    Raises `CheckpointError` for a damaged file.
    """
    path = folder / RESULTS
    if not path.is_file():
        return None

    def sentence(reason: str) -> str:
        return f"{path} is damaged ({reason}); write it again with `python -m core align --store`."

    with damage_as(CheckpointError, sentence):
        content = read_object(path, _MAX_BYTES)
        if content["format"] != _FORMAT:
            raise ValueError("it has another format")
        if content["gold"] != file.digest:
            return None
        text, pairs, counts = content["text"], content["pairs"], np.asarray(content["counts"])
        if not (isinstance(text, str) and 0 < len(text) <= _LONGEST):
            raise ValueError("it does not name its text")
        if type(pairs) is not int or not 0 <= pairs < _MOST:
            raise ValueError("its number of pairs cannot be")
        sure = [len(gold.sure) for gold in file.gold]
        if counts.dtype != np.int64 or counts.shape != (len(sure), 4) or counts[:, 1].tolist() != sure:
            raise ValueError("its counts are of another file")
        if (counts < 0).any() or (counts[:, 2:] > counts[:, :1]).any():
            raise ValueError("its counts cannot be")
        return Trained(text, pairs, counts)
