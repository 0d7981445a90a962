"""Heads: what every head is for, by role over a corpus."""

from __future__ import annotations

from ui.app import frame
from ui.heads.page import heads_page

frame.with_decode(heads_page)
