"""Lessons: guided steps beside the real pages, and links to hand out."""

from __future__ import annotations

from ui.app import frame
from ui.learn import catalogue

shown = frame.current()
if shown is not None:
    catalogue.draw_catalogue(shown)
