"""Importance: what the translation loses without each head, measured by ablation and estimated by gradient."""

from __future__ import annotations

from ui.app import frame
from ui.shared import tables
from ui.shared.context import DecodeView
from ui.what_if import survey


def main(shown: DecodeView) -> None:
    tables.inject()
    survey.survey(shown)


frame.with_decode(main)
