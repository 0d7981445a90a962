"""Attention: every head of one kind at a glance, one of them open beside."""

from __future__ import annotations

from ui.app import frame
from ui.attention.page import attention_page

frame.with_decode(attention_page)
