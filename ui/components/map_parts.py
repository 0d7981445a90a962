"""The browser files that every view of attention maps is made of, in reading order."""

from __future__ import annotations

from typing import Final

PARTS: Final = ("picture", "heatmap", "bipartite", "leaving", "readout")

HEAD_PARTS: Final = (*PARTS, "head_sentences", "head_numbers", "head_drawing", "head_pointer", "head_leaving")
"""The same for the views that open one head or several."""

WALL_PARTS: Final = (*PARTS, "wall_numbers", "wall_places", "wall_preview", "wall_controls")
"""The same for the wall of heads."""
