"""Importance: what the translation loses without each head, measured by ablation and estimated by gradient."""

from __future__ import annotations

from ui.app import frame
from ui.heads import importance
from ui.heads.page import inject
from ui.shared.context import DecodeView


def main(shown: DecodeView) -> None:
    inject()
    importance.views(shown)


frame.with_decode(main)
