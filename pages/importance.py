"""Importance: what the translation loses without each head, measured by ablation and estimated by gradient."""

from __future__ import annotations

from ui.app import frame
from ui.heads.importance import importance_page

frame.with_decode(importance_page)
