"""The browser files that every view of attention maps is made of, in reading order."""

from __future__ import annotations

from typing import Final

PARTS: Final = ("picture", "heatmap", "bipartite", "leaving", "readout")
