"""Made-up maps, data of views as the browser gets them, and what a page under test mounts, caught before Streamlit has it."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ui.shared.mount import View
from ui.web.contract import pack, unpack


def softmax(*shape: int, seed: int = 0, spread: float = 2.0) -> np.ndarray:
    """Random weights of maps (…, T, S): every row sums to 1."""
    weights = np.exp(np.random.default_rng(seed).normal(0, spread, shape))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def sent(data: Any) -> dict[str, Any]:
    """The fields of a view's data as JSON holds them, with the arrays, flat, in their places."""
    packed = pack(data, lambda values: values)
    return unpack(packed | {"fields": json.loads(json.dumps(packed["fields"]))})


class Mounted(dict[str, dict[str, Any]]):
    """What was mounted last under the name of each view, as `sent` gives it; `on` takes an answer of its events."""

    def __init__(self) -> None:
        self.on: dict[tuple[str, str], Callable[[Any], object]] = {}

    def mount(self, view: View[Any], data: Any, /, *, key: str, **on: Any) -> Callable[[str], Any]:
        """Stands in for `ui.shared.mount.mount`."""
        self[view.name] = sent(data)
        self.on |= {(view.name, event): take for event, take in on.items()}
        return lambda event: None


def watch(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> Mounted:
    """Have these modules mount nothing; returns what they would have mounted."""
    mounted = Mounted()
    for module in modules:
        monkeypatch.setattr(module, "mount", mounted.mount)
    return mounted
