"""What a package of `core` hands out by name is there: the names are looked up late, so no import would tell."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.parametrize("package", ["core", "core.decoding", "core.importing", "core.verify"])
def test_every_name_that_a_package_lists_is_there(package: str) -> None:
    module = import_module(package)
    assert [name for name in module.__all__ if getattr(module, name, None) is None] == []
