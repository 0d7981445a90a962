"""What the Attention page lets a reader take away: the open map's numbers, all maps, and an offline report."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from ui import attention_view as view
from ui.components.checks import file_stem
from ui.decode import Decode
from ui.export import ReportMaps, ReportStep, csv_of, html_report
from ui.frame import Shown


def buttons(shown: Shown, decode: Decode, csv: Callable[[], str], name: str) -> None:
    """Three files, made when they are asked for: CSV of the open map, NPZ of the trace, HTML report."""
    stem = file_stem(f"atlas-{shown.entry.name}")
    with st.popover("take away", type="tertiary"):
        st.html('<p class="atlas-quiet">Pictures: PNG and SVG are in each card’s corner.</p>')
        st.download_button(
            "CSV of the open map",
            lambda: csv().encode(),
            f"{stem}-{file_stem(name)}.csv",
            "text/csv",
            on_click="ignore",
        )
        st.download_button(
            "NPZ of every map",
            lambda: npz(decode),
            f"{stem}-trace.npz",
            "application/octet-stream",
            on_click="ignore",
        )
        st.download_button(
            "HTML report, offline",
            lambda: report(shown, decode).encode(),
            f"{stem}-report.html",
            "text/html",
            on_click="ignore",
        )


def npz(decode: Decode) -> bytes:
    """The trace as `core trace --out` writes it."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.npz"
        decode.trace.save(path)
        return path.read_bytes()


def report(shown: Shown, decode: Decode) -> str:
    """The whole decode as one HTML file."""
    source, target = shown.entry.tokenizers
    maps = []
    for kind in view.PLACES:
        queries, keys = view.axes(decode, kind, False, source.joined, target.joined)
        drawn = view.drawn(decode.trace.stacked(*view.PLACES[kind], "weights"), kind, queries, keys, False)
        maps.append(ReportMaps(kind, drawn.weights, queries.labels, keys.labels, view.scores(drawn)))
    steps = [
        ReportStep(word, list(zip(step.labels, step.probabilities, strict=True)))
        for word, step in zip(decode.trace.tokens.written, decode.steps, strict=True)
    ]
    facts = {
        "checkpoint": f"{shown.entry.name}, {shown.entry.size_line}",
        "strategy": shown.selection.strategy,
    }
    facts |= {"checked": ", ".join(str(fact) for fact in decode.facts)}
    return html_report(source=decode.source_text, target=decode.text, maps=maps, steps=steps, facts=facts)


def csv_source(values: np.ndarray, queries: tuple[str, ...], keys: tuple[str, ...]) -> Callable[[], str]:
    """The CSV of one map, when asked for."""
    return lambda: csv_of(values, queries, keys)
