"""The grey lines of the residual stream that leave the others behind say whose they are."""

from __future__ import annotations

import pandas as pd

from ui.inside import norm_figures

LAST = {"The": 60.0, "cat": 55.0, "is": 58.0, "red": 62.0, ".": 190.0, "<b>": 300.0, "sofa": 299.0}


def stream() -> pd.DataFrame:
    """Seven tokens over two depths, which all begin alike."""
    rows = [
        {
            "stack": "encoder",
            "depth": depth,
            "layer": 0,
            "block": "ffn",
            "token": token,
            "label": label,
            "length": length,
        }
        for token, (label, last) in enumerate(LAST.items())
        for depth, length in ((0, 10.0), (1, last))
    ]
    return pd.DataFrame(rows)


def test_the_lines_that_stand_out_are_named_at_their_ends() -> None:
    assert norm_figures.standing_out(stream(), token=0) == [("<b>", 1.0, 300.0), (".", 1.0, 190.0)]
    assert [label for label, _, _ in norm_figures.standing_out(stream(), token=5)] == ["sofa", "."]


def test_the_figure_writes_them_and_reads_no_markup_in_a_token() -> None:
    figure = norm_figures.stream(stream(), 0, "encoder", mode="light", presenter=True)
    assert [note.text for note in figure.layout.annotations] == ["&lt;b&gt;", "."]
    assert all(note.font.size >= 18 for note in figure.layout.annotations)
