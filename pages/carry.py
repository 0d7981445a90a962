"""Carry over: which part of the model carries the difference between two sentences."""

from __future__ import annotations

from ui.what_if import carry

carry.page()
