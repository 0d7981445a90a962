"""On an accelerator a session writes the same tokens and sees the same maps as on the processor."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.api import Checkpoint
from core.checkpoints.bundle import available_devices
from core.decoding.search import translate_batch
from core.decoding.session import DecodeSession

FASTEST = available_devices()[0]


@pytest.mark.gpu
@pytest.mark.skipif(FASTEST == "cpu", reason="no accelerator")
@pytest.mark.parametrize("strategy", ["greedy", "sample", "beam"])
def test_same_maps_on_an_accelerator(kind: Checkpoint, strategy: str) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    moved = kind.to(FASTEST)
    here, there = (DecodeSession(each, "abc def.", strategy, max_steps=12) for each in (kind, moved))
    assert here.run() == there.run()
    for site, array in here.trace.records.items():
        found = there.trace.records[site]
        seen = np.isfinite(array)
        scale = max(1.0, float(np.abs(array[seen]).max(initial=0)))
        assert np.abs(found[seen] - array[seen]).max(initial=0) < 1e-4 * scale, site


@pytest.mark.gpu
@pytest.mark.skipif(FASTEST == "cpu", reason="no accelerator")
@pytest.mark.parametrize("beam_size", [1, 4])
def test_same_batches_on_an_accelerator(kind: Checkpoint, beam_size: int) -> None:
    sources = [kind.source_tokenizer.encode(text) for text in ("abc def.", "a", "jihg fedc")]
    moved = kind.to(FASTEST)
    here, there = (translate_batch(each.model, sources, beam_size, max_steps=12) for each in (kind, moved))
    assert here == there
