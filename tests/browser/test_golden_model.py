"""What the golden tests rest on: the core agrees with the plain loops of the hand-made model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.browser.golden_model import NAME, OTHER_TEXT, TEXT, Naive, write_golden
from tests.numpy_model import SITE


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", [TEXT, OTHER_TEXT])
def test_the_core_computes_the_same(tmp_path: Path, text: str) -> None:
    import core

    write_golden(tmp_path)
    trace = core.trace(
        core.load(tmp_path / NAME, device="cpu"),
        text,
        record=("*.weights", "*.scores", "decoder.final.logits"),
    )
    passed = Naive().translate(text)
    assert [list(side) for side in (trace.tokens.source, trace.tokens.target, trace.tokens.written)] == [
        passed.source,
        passed.read,
        passed.written,
    ]
    for kind, site in SITE.items():
        np.testing.assert_allclose(trace.stacked(*site, "weights"), np.array(passed.maps[kind]), atol=1e-5)
        np.testing.assert_allclose(trace.stacked(*site, "scores"), np.array(passed.scores[kind]), atol=1e-4)
    np.testing.assert_allclose(trace.array("decoder.final.logits"), passed.logits, atol=1e-4)
