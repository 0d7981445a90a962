"""Swapped positions and removed norms, on the shipped model: the claims that open Positions and Norms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from core.analysis.norms import RECORD, stream_table, sublayers
from core.api import Checkpoint, load
from core.decoding import tracing
from core.experiments.edits import Edits, SwapPositions
from core.experiments.lenses import passing_norms, without_norms
from core.experiments.what_if import NEAREST, candidates, swap_costs, what_if
from core.model.hooks import Hooks, Site
from core.model.trace import Trace

ROOT = Path(__file__).resolve().parents[3]
TEXT = "The cat is sleeping on the red sofa."
CAT, SOFA = 1, 7


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return load(ROOT / "checkpoints/en-fr", device="cpu")


@pytest.fixture(scope="module")
def trace(checkpoint: Checkpoint) -> Trace:
    return tracing.trace(checkpoint, TEXT, record=RECORD)


def test_of_all_swaps_of_sofa_the_one_with_cat_costs_most(checkpoint: Checkpoint, trace: Trace) -> None:
    costs = swap_costs(checkpoint, trace.source_ids, trace.written_ids, SOFA)
    assert sorted(costs) == [0, 1, 2, 3, 4, 5, 6, 8]
    assert min(costs, key=costs.__getitem__) == CAT
    edits = Edits((SwapPositions("source", CAT, SOFA),))
    change = what_if(checkpoint, trace.source_ids, trace.written_ids, edits)
    assert checkpoint.target_tokenizer.decode(change.rewritten) == "Le canapé dort sur le chat rouge."
    assert costs[CAT] == pytest.approx(float(change.next_word("after").sum()), abs=1e-4)


def test_only_the_nearest_tokens_are_tried_and_the_end_is_none_of_them() -> None:
    assert candidates(30, 60) == [*range(24, 30), *range(31, 37)] and len(candidates(30, 60)) == NEAREST
    assert candidates(0, 3) == [1]
    assert candidates(0, 2) == [1], "the end token where there is no other"
    assert candidates(0, 1) == []


def test_without_norms_each_sub_layer_reads_and_passes_on_what_was_added(
    checkpoint: Checkpoint, trace: Trace
) -> None:
    """Against a pass by hand, sub-layer by sub-layer, with modules in whose place the identity is."""
    unnormed = without_norms(checkpoint, trace.source_ids, trace.written_ids)
    hooks = Hooks(("*.norm_*",), passing_norms(checkpoint.config))
    with torch.inference_mode():
        checkpoint.model.encode(torch.tensor([list(trace.source_ids)]), hooks)
    for site in sublayers(checkpoint.config):
        if site.stack == "encoder":
            before, after = (hooks.records[Site(*site, kind)] for kind in ("norm_input", "norm_output"))
            assert torch.equal(before, after)
    lengths = unnormed.stream.query("stack == 'encoder' and token == @SOFA")["length"].to_numpy()
    final = hooks.records[Site("encoder", 0, "final", "norm_output")][0, SOFA]
    assert lengths[-1] == pytest.approx(float(final.norm()), rel=1e-4)
    kept = stream_table(trace).query("stack == 'encoder' and token == @SOFA")["length"].to_numpy()
    assert lengths[0] == pytest.approx(kept[0], rel=1e-5), "the same embedding"
    assert lengths[-1] > 10_000 * kept[-1] and np.all(np.diff(lengths) > 0)
    assert len(unnormed.written) <= len(trace.written_ids)
    assert checkpoint.target_tokenizer.decode(unnormed.written) != checkpoint.target_tokenizer.decode(
        trace.written_ids
    )
