"""Decoding: one sentence step by step with everything recorded, or many sentences at once.

Importing this package does not import torch, nor do its modules `strategies` and `inputs`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.decoding.path import Row
    from core.decoding.search import BeamSearch, translate_batch
    from core.decoding.session import Candidate, DecodeSession
    from core.decoding.strategies import CutOff, Hypothesis, TreeNode

__all__ = [
    "BeamSearch",
    "Candidate",
    "CutOff",
    "DecodeSession",
    "Hypothesis",
    "Row",
    "TreeNode",
    "translate_batch",
]

_HOMES = {
    "BeamSearch": "search",
    "Candidate": "session",
    "CutOff": "strategies",
    "DecodeSession": "session",
    "Hypothesis": "strategies",
    "Row": "path",
    "TreeNode": "strategies",
    "translate_batch": "search",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
