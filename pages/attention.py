"""Attention: every head of one kind at a glance, one of them open beside."""

from __future__ import annotations

from ui.attention.views import views
from ui.shell import frame

frame.with_decode(views)
