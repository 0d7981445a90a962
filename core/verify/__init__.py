"""The trust report: whether the maps show what this model computes.

Importing this package does not import torch, nor does its module `report`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.verify.checking import verify
    from core.verify.report import Check, TrustReport

__all__ = ["Check", "TrustReport", "verify"]

_HOMES = {"Check": "report", "TrustReport": "report", "verify": "checking"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
