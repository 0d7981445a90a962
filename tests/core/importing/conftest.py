"""Whether an imported model writes as it should is compared with its original: the report's own decodes add nothing."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _trust(without_decodes: None) -> None:
    """The checks of the recorded pass alone; `tests/core/verify` has all of them."""
