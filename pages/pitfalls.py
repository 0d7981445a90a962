"""Mistakes: the mistakes people make when they write a Transformer, each beside the correct model on the same weights."""

from __future__ import annotations

from ui.app import frame
from ui.learn.mistakes import mistakes_page

frame.with_decode(mistakes_page)
