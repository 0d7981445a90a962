"""Two attention maps side by side and, where the words are the same, their difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from ui.components.base import register
from ui.components.checks import axis_labels, file_stem, kind_name
from ui.components.map_parts import PARTS
from ui.theme import Kind

_mount = register("compare_view", uses=PARTS)


def compare_data(
    first: ArrayLike,
    second: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    second_query_labels: Sequence[str] | None = None,
    second_key_labels: Sequence[str] | None = None,
    names: tuple[str, str],
    subjects: tuple[str, str] | None = None,
    words_written: tuple[str, str] | None = None,
    kind: Kind,
    title: str | None = None,
    subtitle: str = "",
    writing: bool = True,
    file_name: str = "compare",
) -> dict[str, object]:
    """What the browser gets: words and two float32 maps. See `compare_view`."""
    triangle = kind == "causal" and words_written is None
    maps = [_map(first, triangle), _map(second, triangle)]
    queries = [query_labels, query_labels if second_query_labels is None else second_query_labels]
    keys = [key_labels, key_labels if second_key_labels is None else second_key_labels]
    rows = [axis_labels(words, values.shape[0], "query") for words, values in zip(queries, maps, strict=True)]
    columns = [axis_labels(words, values.shape[1], "key") for words, values in zip(keys, maps, strict=True)]
    meta: dict[str, object] = {
        "kind": kind_name(kind),
        "title": title if title is not None else f"{names[0]} and {names[1]}",
        "subtitle": subtitle,
        "names": list(names),
        "subjects": list(subjects or names),
        "heads": list(words_written) if words_written else None,
        "verb": "Reading" if kind == "encoder" or not writing else "Writing",
        "rows": rows,
        "cols": columns,
        "comparable": rows[0] == rows[1] and columns[0] == columns[1],
        "file": file_stem(file_name),
    }
    return {"meta": meta, "first": maps[0].ravel(), "second": maps[1].ravel()}


def compare_view(
    first: ArrayLike,
    second: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    second_query_labels: Sequence[str] | None = None,
    second_key_labels: Sequence[str] | None = None,
    names: tuple[str, str],
    subjects: tuple[str, str] | None = None,
    words_written: tuple[str, str] | None = None,
    kind: Kind,
    title: str | None = None,
    subtitle: str = "",
    writing: bool = True,
    file_name: str = "compare",
    key: str = "compare_view",
) -> None:
    """Draw the weights `first (T, S)` and `second`, and second − first with a scale centred on 0.

    Two heads, steps or checkpoints share their words. Two sentences have their own: give
    `second_query_labels` and `second_key_labels`, and the difference is left out unless they are equal.
    `names` stand over the maps and `subjects` (the names by default) in sentences. With `words_written` the rows
    are heads, such as "2.5", and each map shows where they looked while that word was written.
    """
    data = compare_data(
        first,
        second,
        query_labels,
        key_labels,
        second_query_labels=second_query_labels,
        second_key_labels=second_key_labels,
        names=names,
        subjects=subjects,
        words_written=words_written,
        kind=kind,
        title=title,
        subtitle=subtitle,
        writing=writing,
        file_name=file_name,
    )
    _mount(key=key, data=data)


def _map(values: ArrayLike, triangle: bool) -> NDArray[np.float32]:
    full = np.array(values, dtype=np.float32)
    if full.ndim != 2 or 0 in full.shape:
        raise InputError(f"A map has shape {full.shape}; a comparison takes one (queries, keys) map a side.")
    if not np.isfinite(full).all() or full.min() < -1e-3 or full.max() > 1 + 1e-3:
        raise InputError("Maps to compare must hold weights from 0 to 1; pass them after the softmax.")
    if triangle:
        full[np.triu_indices(full.shape[0], 1, full.shape[1])] = np.nan
    return full
