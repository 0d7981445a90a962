"""Attribution of five models is captum's and inseq's; patching a T5 is what hooks of PyTorch and nnsight give."""

from __future__ import annotations

import pytest

from tests.parity.peers import MODELS, RUNNERS, attribution_gaps, patching_gaps

pytest.importorskip("transformers")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("program", ["captum", "inseq"])
def test_attributions_are_those_of_another_program(name: str, program: str) -> None:
    pytest.importorskip(program)
    gaps = attribution_gaps(name, program)
    assert max(gaps.values()) <= 1e-5, gaps


@pytest.mark.parametrize("program", RUNNERS)
def test_patching_a_t5_is_the_same_by_another_program(program: str) -> None:
    if program == "nnsight":
        pytest.importorskip(program)
    gaps = patching_gaps("t5", program)
    assert len(gaps) == 6
    assert max(gaps.values()) <= 1e-5, gaps
