"""Lenses: what the decoder would write after each of its layers, and from each layer of the encoder."""

from __future__ import annotations

from ui.app import frame
from ui.inside.lenses import lenses_page

frame.with_decode(lenses_page)
