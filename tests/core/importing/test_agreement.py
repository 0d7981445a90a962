"""What `core.wrap` says of the original: each kind of attention has its own difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torch import Tensor

from core.api import Checkpoint
from core.importing.agreement import measure_agreement, outputs


@pytest.mark.parametrize("wrong", ["logits", "encoder", "causal", "cross"])
def test_the_difference_stands_under_the_maps_that_differ(
    build: Callable[..., Checkpoint], wrong: str
) -> None:
    model = build(pad_id=0).model

    def original(source: Tensor, target: Tensor, *rows: Tensor) -> dict[str, Any]:
        given: dict[str, Any] = dict(outputs(model, source, target))
        return {**given, wrong: given[wrong] + 0.25}

    agreement = measure_agreement(model, original, False)
    gaps = {name: getattr(agreement, name) for name in ("logits", "encoder", "causal", "cross")}
    assert not agreement.agrees and wrong in gaps
    assert {name for name, gap in gaps.items() if gap > 1e-3} == {wrong}
