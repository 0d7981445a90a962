"""The expected maps of a page, computed apart from the app, and a check of every map that a tab received."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from benchmarks.tab import Tab
    from core.api import Checkpoint
    from core.model.trace import Trace

KINDS: Final = {"encoder": ("encoder", "self"), "causal": ("decoder", "self"), "cross": ("decoder", "cross")}
# Of a weight; the server itself rounds to 1/255 of a square root on the wall, and to 1e-5 elsewhere.
CLOSE: Final = 2e-4


@dataclass(frozen=True)
class Asked:
    """The last request of a student."""

    text: str
    beam: int = 0  # 0: greedy
    kind: str = "cross"
    head: tuple[int, int] | None = None


@cache
def model(folder: str) -> Checkpoint:
    """The checkpoint, read in this process."""
    import torch

    import core

    torch.set_num_threads(1)
    return core.load(Path(folder), device="cpu")


@cache
def trace(folder: str, text: str, beam: int) -> Trace:
    """A full pass over a sentence and its translation, with the residual stream."""
    import core
    from core.analysis import norms
    from core.decoding import DecodeSession

    loaded = model(folder)
    session = DecodeSession(loaded, text) if not beam else DecodeSession(loaded, text, "beam", beam_size=beam)
    while not session.finished:
        session.step()
    from core.decoding.tracing import trace_ids

    recorded = trace_ids(loaded, session.source_ids, tuple(session.ids), ("*.weights", *norms.RECORD))
    assert isinstance(recorded, core.Trace)
    return recorded


def wrong(tab: Tab, asked: Asked, folder: str) -> tuple[int, list[str]]:
    """The number of maps on the tab's page, and a line for each that is not the expected one."""
    right = trace(folder, asked.text, asked.beam)
    components = {e.proto.bidi_component.component_name.removeprefix("atlas_") for e in tab.elements.values()}
    checks = {"stage": _stage, "wall": _wall, "head": _head}
    messages = [check(tab.data(name), right, asked) for name, check in checks.items() if name in components]
    messages += [
        _stream(chart, lengths(folder, asked.text, asked.beam), right.tokens.source)
        for key, chart in tab.charts("norm_stream").items()
    ]
    return len(messages), [each for each in messages if each]


def _stage(data: dict[str, Any], right: Trace, asked: Asked) -> str:
    if data["source"] != list(right.tokens.source) or data["target"] != list(right.tokens.written):
        return f"the stage shows {data['source']} → {data['target']} for {asked}"
    weights = right.stacked("decoder", "cross", "weights")
    given = data["weights"].reshape(data["shape"]) / 65535
    return _apart(given, weights, CLOSE, f"the stage's weights for {asked}")


def _wall(data: dict[str, Any], right: Trace, asked: Asked) -> str:
    kind = data["kind"]
    if kind != asked.kind:
        return f"the wall shows {kind} for {asked}"
    weights = right.stacked(*KINDS[kind], "weights")
    if data["cols"] != _keys(right, kind):
        return f"the wall's tokens are {data['cols']} for {asked}"
    given = data["levels"].reshape(weights.shape) / 255
    return _apart(given, np.sqrt(weights), 1.01 / 255, f"the wall's weights for {asked}")


def _head(data: dict[str, Any], right: Trace, asked: Asked) -> str:
    kind, pairs = data["kind"], data["pairs"]
    if asked.head is not None and pairs != [list(asked.head)]:
        return f"head {pairs} is open for {asked}"
    if data["cols"] != _keys(right, kind):
        return f"the open head's tokens are {data['cols']} for {asked}"
    weights = right.stacked(*KINDS[kind], "weights")
    one = weights[tuple(pairs[0])] if pairs else weights.mean(axis=(0, 1))
    given = np.nan_to_num(data["heads"][0]["values"]).reshape(one.shape)
    return _apart(given, one, CLOSE, f"the open head's numbers for {asked}")


@cache
def lengths(folder: str, text: str, beam: int) -> tuple[NDArray[np.float64], ...]:
    """The lengths of every source token's stream in the encoder, sorted, an array per token."""
    from core.analysis.norms import stream_table

    table = stream_table(trace(folder, text, beam))
    encoder = table[table["stack"] == "encoder"]
    return tuple(np.sort(rows["length"].to_numpy()) for _, rows in encoder.groupby("token", sort=True))


def _stream(chart: dict[str, Any], lines: tuple[NDArray[np.float64], ...], source: Sequence[str]) -> str:
    given = [np.sort(_numbers(line["y"])) for line in chart["data"]]
    if len(given) != len(lines) or any(a.shape != b.shape for a, b in zip(given, lines, strict=True)):
        return f"the chart has {len(given)} lines for {source}"
    gap = max(float(np.abs(a - b).max()) for a, b in zip(given, lines, strict=True))
    return "" if gap < 1e-2 else f"the chart of the stream is {gap:.3g} apart for {source}"


def _numbers(values: Any) -> NDArray[np.float64]:
    """A column of a Plotly figure, a list or packed as base64."""
    import base64

    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), np.dtype(values["dtype"])).astype(np.float64)
    return np.asarray(values, dtype=np.float64)


def _keys(right: Trace, kind: str) -> list[str]:
    return list(right.tokens.target if kind == "causal" else right.tokens.source)


def _apart(given: NDArray[Any], right: NDArray[Any], most: float, what: str) -> str:
    if given.shape != right.shape:
        return f"{what} have shape {given.shape}, not {right.shape}"
    gap = float(np.abs(given - right).max(initial=0.0))
    return "" if gap <= most else f"{what} are {gap:.3g} apart"
