"""Below the wall of contributions: the split of each written word between source and prefix, and rollout's baseline."""

from __future__ import annotations

import html
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from ui.components.compare_view import compare_data, compare_view
from ui.data.contributions import Measured
from ui.data.decode import Decode
from ui.data.maps import Axis
from ui.data.pairs import Side
from ui.shell import cards

Array = NDArray[np.floating]


def split(found: Measured, decode: Decode, layer: int) -> None:
    """Of each written word, the shares of the source and of the words before it."""
    rest = np.asarray(found.values[0, layer, :, -1])
    shares = 1.0 - rest if found.kind == "cross" else rest
    written = decode.trace.tokens.written
    cells = "".join(
        f'<li><bdi>{html.escape(word)}</bdi><i class="track"><i style="width:{100 * share:.2f}%"></i></i>'
        f"<b>{100 * share:.0f} %</b><span>{100 - round(100 * share):.0f} %</span></li>"
        for word, share in zip(written, shares, strict=True)
    )
    with cards.card("split", fill=False):
        cards.title(
            [(f"{100 * shares.mean():.0f} %", "cross"), " of the written words comes from the source"],
            [
                ("source", "cross"),
                " and ",
                ("words before", "causal"),
                f" for each word, ALTI+ up to layer {layer}",
            ],
        )
        st.html(f"<style>{Path(__file__).with_name('split.css').read_text('utf-8')}</style>")
        st.html(f'<ol class="atlas-split">{cells}</ol>')


def beside_baseline(values: Array, queries: Axis, keys: Axis, layer: int, found: Measured) -> None:
    """The baseline of uniform attention, the rollout of a layer, and rollout minus baseline.

    `values` (2, L, T, K) are the rollout and its baseline. The view draws second minus first, so the baseline comes
    first: a token that matters more than in the baseline is positive.
    """
    sides = [
        Side(np.clip(values[row, layer], 0, 1), queries.labels, keys.labels, name, subject=name)
        for row, name in ((1, f"baseline, layer {layer}"), (0, f"rollout, layer {layer}"))
    ]
    compare_view(
        compare_data(
            *sides,
            kind=found.kind,
            title=f"The rollout of layer {layer} beside its baseline",
            subtitle="Baseline: uniform attention. Only the difference from it is informative.",
            writing=found.kind == "cross",
            file_name=f"{found.kind}-rollout-and-baseline-layer-{layer}",
        ),
        key="compare_baseline",
    )
