"""Lenses: what the decoder would write after each of its layers, and from each layer of the encoder."""

from __future__ import annotations

from ui.lenses.views import views
from ui.shell import frame

frame.with_decode(views)
