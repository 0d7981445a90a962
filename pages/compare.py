"""Compare: two heads, sentences, steps or checkpoints side by side, and what changed between them."""

from __future__ import annotations

from ui.app import frame
from ui.attention.compare import compare_page

frame.with_decode(compare_page)
