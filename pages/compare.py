"""Compare: two heads, sentences, steps or checkpoints side by side, and what changed between them."""

from __future__ import annotations

from ui.compare.views import views
from ui.shell import frame

frame.with_decode(views)
