"""Bytes and build time of the head wall compared with BertViz's model view, 6 layers × 8 heads × 3 kinds.

    python -m benchmarks.attention_views [--repeats 5]

BertViz is not among our requirements: `pip install bertviz ipython` first. Ours is the protobuf message that the server
sends to the browser for the component, and the time to build it from the weights.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from benchmarks import report

KINDS = ("encoder", "causal", "cross")
LAYERS, HEADS = 6, 8


def weights(tokens: int, causal: bool, seed: int) -> np.ndarray:
    """Random maps (L, H, T, T) float32 whose rows sum to 1; random weights compress worst."""
    rng = np.random.default_rng(seed)
    maps = rng.gamma(0.3, size=(LAYERS, HEADS, tokens, tokens)).astype(np.float32) + 1e-6
    if causal:
        maps = np.tril(maps)
    return maps / maps.sum(-1, keepdims=True)


def labels(tokens: int) -> list[str]:
    return [f"token{i}" for i in range(tokens)]


def wall_page(maps, words, kind):  # type: ignore[no-untyped-def]  # AppTest runs its source alone
    """The page AppTest runs: one wall."""
    from core.analysis.heads import head_scores
    from ui.shared.head_views import WALL
    from ui.shared.map_data import WallData
    from ui.shared.mount import mount

    names = {"encoder": "encoder-self", "causal": "decoder-self", "cross": "cross"}
    scores = head_scores(maps, names[kind], queries=words, keys=words)
    mount(WALL, WallData(maps, words, words, kind=kind, scores_of=scores), key="head_wall")


def wall_bytes(maps: np.ndarray, words: Sequence[str], kind: str) -> int:
    """Size of the message with the wall that is sent to the browser."""
    app = AppTest.from_function(wall_page, args=(maps, list(words), kind), default_timeout=60).run()
    if app.exception:
        raise RuntimeError(app.exception[0].value)
    return sum(len(element.proto.SerializeToString()) for element in app.get("bidi_component"))


def build_wall(maps: dict[str, np.ndarray], words: Sequence[str]) -> None:
    from ui.shared.map_data import WallData

    for kind in KINDS:
        WallData(maps[kind], words, words, kind=kind)  # type: ignore[arg-type]


def build_bertviz(
    maps: dict[str, np.ndarray], words: Sequence[str], written: Sequence[str] | None = None
) -> str:
    """The HTML of its model view; `written`: the decoder's tokens, if they differ from `words`."""
    import torch
    from bertviz import model_view  # type: ignore[import-not-found]

    tensors = {kind: [torch.from_numpy(layer)[None] for layer in maps[kind]] for kind in KINDS}
    page = model_view(
        encoder_attention=tensors["encoder"],
        decoder_attention=tensors["causal"],
        cross_attention=tensors["cross"],
        encoder_tokens=list(words),
        decoder_tokens=list(words if written is None else written),
        html_action="return",
    )
    return str(page.data)


def measure(tokens: int, repeats: int) -> dict[str, Any]:
    words = labels(tokens)
    maps = {kind: weights(tokens, kind == "causal", seed) for seed, kind in enumerate(KINDS)}
    ours_bytes = [wall_bytes(maps[kind], words, kind) for kind in KINDS]
    ours, theirs, size = [], [], 0
    for _ in range(repeats):  # side by side, so that a busy machine slows both
        start = time.perf_counter()
        build_wall(maps, words)
        middle = time.perf_counter()
        size = len(build_bertviz(maps, words).encode())
        ours.append(middle - start)
        theirs.append(time.perf_counter() - middle)
    return {
        "tokens": tokens,
        "one wall, kB": round(max(ours_bytes) / 1000, 1),
        "three walls, kB": round(sum(ours_bytes) / 1000, 1),
        "BertViz, kB": round(size / 1000, 1),
        "times smaller": round(size / sum(ours_bytes), 1),
        "times faster to build": round(float(np.median(theirs)) / float(np.median(ours)), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    rows = [measure(tokens, repeats) for tokens in (12, 32, 64, 128)]
    note = (
        "6 layers × 8 heads × 3 kinds of random attention (the worst case for compression). Bytes: the message the "
        "server sends, with labels and scores; BertViz: the HTML of model_view. Build time: medians of "
        f"{repeats}, measured in turns in one run."
    )
    report.write("attention_views", rows, note)


if __name__ == "__main__":
    main()
