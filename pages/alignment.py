"""Alignment: which source word each written word comes from, by any head or layer, and how far that is from gold."""

from __future__ import annotations

from ui.app import frame
from ui.heads.alignment import alignment_page

frame.with_decode(alignment_page)
