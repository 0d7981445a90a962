"""Mistakes: the mistakes people make when they write a Transformer, each beside the correct model on the same weights."""

from __future__ import annotations

from ui.app import frame
from ui.learn.mistakes import views

frame.with_decode(views)
